//! Cancelling at any moment, reads beside each other and writes one after the other: what was written has its receipt, always.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use assistant::{
    App,
    agent::{model::RemoteModel, turn::TurnReport},
    api::{EventBody, answers::DocumentInfo, turn_api::TurnOf},
    workspace::{
        EditMode,
        faults::{Faults, STEPS, Step},
    },
};
use gateway::{
    Client, Endpoint,
    testing::{Reply, Upstream},
};
use serde_json::{Value, json};

use super::{Desk, turn};

/// Cancels the turn from inside of a step of the disk; 0 is not armed.
#[derive(Default)]
struct Trap {
    app: Mutex<Option<(Arc<App>, String)>>,
    left: AtomicUsize,
}

impl Trap {
    fn hook(self: &Arc<Trap>, at: Option<Step>) -> Faults {
        let trap = Arc::clone(self);
        Faults::new(move |step, _| {
            if at.is_none_or(|at| at == step) && trap.left.load(Ordering::SeqCst) > 0 {
                trap.spring();
            }
            Ok(())
        })
    }

    fn spring(&self) {
        if self.left.fetch_sub(1, Ordering::SeqCst) != 1 {
            return;
        }
        let app = self.app.lock().unwrap();
        if let Some((app, turn_id)) = app.as_ref() {
            let _ = app.turn_cancel(&TurnOf { turn_id: turn_id.clone() });
        }
    }

    fn arm(&self, app: &Arc<App>, turn_id: &str, steps: usize) {
        *self.app.lock().unwrap() = Some((Arc::clone(app), turn_id.to_owned()));
        self.left.store(steps, Ordering::SeqCst);
    }

    fn disarm(&self) {
        self.left.store(0, Ordering::SeqCst);
        *self.app.lock().unwrap() = None;
    }
}

fn edit(file: &DocumentInfo, rev: u64, text: &str) -> String {
    json!({"file_id": file.file_id, "expected_content_rev": rev, "ops": [{"op": "append_lines", "text": text}]}).to_string()
}

/// Two edits, one more, and a diff over both files.
fn script(a: &DocumentInfo, b: &DocumentInfo) -> Vec<Reply> {
    let block = |file: &DocumentInfo, rev: u64, find: &str| {
        format!(
            "```edit:{} rev:{rev}\n<<<<<<< SEARCH\n{find}\n=======\n{find} changed\n>>>>>>> REPLACE\n```\n",
            file.file_id
        )
    };
    vec![
        Reply::calls("", &[("c1", "file_edit", &edit(a, 1, "one")), ("c2", "file_edit", &edit(b, 1, "two"))]),
        Reply::call("c3", "file_edit", &edit(a, 2, "three")),
        Reply::text(&format!("{}{}", block(a, 3, "one"), block(b, 2, "two"))),
        Reply::text("All is done."),
    ]
}

async fn run(desk: &Desk, a: &DocumentInfo, b: &DocumentInfo) -> TurnReport {
    let upstream = Upstream::start(script(a, b)).await.unwrap();
    let model =
        RemoteModel::new(Client::new(Endpoint::new(upstream.base_url(), None, "m")).unwrap(), "test/m");
    let report = desk.app.turn_with(&turn("go", &[a, b], EditMode::Commit), Arc::new(model)).await.unwrap();
    upstream.assert_clean();
    report
}

/// What the files are after so many of their revisions.
const A: [&str; 4] = ["a\n", "a\none\n", "a\none\nthree\n", "a\none changed\nthree\n"];
const B: [&str; 3] = ["b\n", "b\ntwo\n", "b\ntwo changed\n"];

/// Every change has a receipt, every receipt a change, and a set is whole.
fn check(desk: &Desk, a: &DocumentInfo, b: &DocumentInfo, report: &TurnReport, what: &str) {
    let of = |file: &DocumentInfo| report.receipts.iter().filter(|one| one.file_id == file.file_id).count();
    let (in_a, in_b) = (of(a), of(b));
    assert_eq!(desk.text("a.md"), A[in_a], "{what}: {in_a} receipts");
    assert_eq!(desk.text("b.md"), B[in_b], "{what}: {in_b} receipts");
    let revisions = (desk.info(&a.file_id).content_rev, desk.info(&b.file_id).content_rev);
    assert_eq!(revisions, (1 + in_a as u64, 1 + in_b as u64), "{what}");
    assert_eq!(in_a == 3, in_b == 2, "{what}: a set is whole");
}

/// The next turn of the same conversation: its request is valid, whatever the cancelled one left.
async fn goes_on(desk: &Desk, file: &DocumentInfo, what: &str) {
    let upstream = Upstream::start(vec![Reply::text("Here.")]).await.unwrap();
    let model =
        RemoteModel::new(Client::new(Endpoint::new(upstream.base_url(), None, "m")).unwrap(), "test/m");
    let report =
        desk.app.turn_with(&turn("still there?", &[file], EditMode::Commit), Arc::new(model)).await.unwrap();
    upstream.assert_clean();
    assert_eq!(report.message.unwrap(), "Here.", "{what}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_at_any_step_of_the_disk_the_receipts_say_what_was_done() {
    let mut ends = [0, 0];
    for step in STEPS {
        for nth in 1..=3 {
            let trap = Arc::new(Trap::default());
            let desk = Desk::with_faults(trap.hook(Some(step)));
            let (a, b) = (desk.document("a.md", b"a\n"), desk.document("b.md", b"b\n"));
            trap.arm(&desk.app, "turn-000001", nth);
            let report = run(&desk, &a, &b).await;
            trap.disarm();
            let what = format!("cancelled at {step:?} number {nth}");
            check(&desk, &a, &b, &report, &what);
            let is_cancelled = report.message.as_ref().is_err_and(|error| error.status == 499);
            assert!(
                is_cancelled || report.message.as_deref() == Ok("All is done."),
                "{what}: {:?}",
                report.message
            );
            ends[usize::from(is_cancelled)] += 1;
            goes_on(&desk, &a, &what).await;
        }
    }
    println!("{} cancelled, {} were through before", ends[1], ends[0]);
    assert!(ends[1] >= 20, "{ends:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_at_any_event_the_receipts_say_what_was_done() {
    for number in 1..40 {
        let desk = Desk::new();
        let (a, b) = (desk.document("a.md", b"a\n"), desk.document("b.md", b"b\n"));
        let mut events = desk.app.events();
        let app = Arc::clone(&desk.app);
        let canceller = tokio::spawn(async move {
            let mut seen = 0;
            while let Ok(event) = events.recv().await {
                seen += 1;
                match event.body {
                    EventBody::TurnFinished { .. } | EventBody::TurnFailed { .. } => return false,
                    _ if seen == number => {
                        return app.turn_cancel(&TurnOf { turn_id: "turn-000001".into() }).is_ok();
                    }
                    _ => {}
                }
            }
            false
        });
        let report = run(&desk, &a, &b).await;
        let what = format!("cancelled at event {number}");
        check(&desk, &a, &b, &report, &what);
        goes_on(&desk, &b, &what).await;
        if !canceller.await.unwrap() {
            assert!(number > 8, "{number} events only");
            return;
        }
    }
}

/// How many are inside at once.
#[derive(Default)]
struct Crowd {
    inside: AtomicUsize,
    most: AtomicUsize,
}

impl Crowd {
    fn visit(&self, time: Duration) {
        let now = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        std::thread::sleep(time);
        self.inside.fetch_sub(1, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_run_beside_each_other_and_writes_in_the_order_of_the_message() {
    let (reading, writing) = (Arc::new(Crowd::default()), Arc::new(Crowd::default()));
    let order: Arc<Mutex<Vec<String>>> = Arc::default();
    let (of_reads, of_writes, renamed) = (Arc::clone(&reading), Arc::clone(&writing), Arc::clone(&order));
    let faults = Faults::new(move |step, path| {
        match step {
            Step::ReadTarget => of_reads.visit(Duration::from_millis(30)),
            Step::RenameTemporary => {
                renamed.lock().unwrap().push(path.file_name().unwrap().to_string_lossy().into_owned());
                of_writes.visit(Duration::from_millis(10));
            }
            _ => {}
        }
        Ok(())
    });
    let desk = Desk::with_faults(faults);
    let files: Vec<_> = ["a.md", "b.md", "c.md"]
        .iter()
        .map(|name| desk.document(name, format!("{name}\n").as_bytes()))
        .collect();
    let read = |file: &DocumentInfo| json!({"file_id": file.file_id}).to_string();
    reading.most.store(0, Ordering::SeqCst);
    let reads = [read(&files[0]), read(&files[1]), read(&files[2])];
    let writes =
        [edit(&files[2], 1, "1"), edit(&files[0], 1, "2"), edit(&files[2], 2, "3"), edit(&files[1], 1, "4")];
    let after = read(&files[2]);
    let replies = vec![
        Reply::calls(
            "",
            &[("r1", "file_read", &reads[0]), ("r2", "file_read", &reads[1]), ("r3", "file_read", &reads[2])],
        ),
        Reply::calls(
            "",
            &[
                ("w1", "file_edit", &writes[0]),
                ("w2", "file_edit", &writes[1]),
                ("w3", "file_edit", &writes[2]),
                ("r4", "file_read", &after),
                ("w4", "file_edit", &writes[3]),
            ],
        ),
        Reply::text("Done."),
    ];
    let upstream = Upstream::start(replies).await.unwrap();
    let model =
        RemoteModel::new(Client::new(Endpoint::new(upstream.base_url(), None, "m")).unwrap(), "test/m");
    let all: Vec<_> = files.iter().collect();
    let report = desk.app.turn_with(&turn("go", &all, EditMode::Commit), Arc::new(model)).await.unwrap();
    upstream.assert_clean();
    assert_eq!(report.receipts.len(), 4, "{:?}", report.message);
    assert!(reading.most.load(Ordering::SeqCst) >= 2, "reads wait for each other");
    assert_eq!(writing.most.load(Ordering::SeqCst), 1, "writes run beside each other");
    assert_eq!(*order.lock().unwrap(), ["c.md", "a.md", "c.md", "b.md"]);
    assert_eq!(desk.text("c.md"), "c.md\n1\n3\n");
    // Results come in the order of the calls, and the read in between saw what was written before it.
    let requests = upstream.requests();
    let results: Vec<Value> = requests[2].body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| {
            json!([
                message["tool_call_id"],
                serde_json::from_str::<Value>(message["content"].as_str().unwrap()).unwrap()["content_rev"]
            ])
        })
        .collect();
    let wanted =
        json!([["r1", 1], ["r2", 1], ["r3", 1], ["w1", 2], ["w2", 2], ["w3", 3], ["r4", 3], ["w4", 2]]);
    assert_eq!(json!(results), wanted);
}
