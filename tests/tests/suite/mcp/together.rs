//! Clients, the command line and the desktop's `App` at the same time on one file: revisions hold, and a change of one shows in the others.

use std::{
    path::Path,
    process::Stdio,
    sync::{Arc, Barrier},
    thread,
    time::{Duration, Instant},
};

use assistant::{
    App, AppOptions, Request, Response,
    api::{
        EventBody,
        params::{DocumentPath, Edit},
    },
    workspace::{EditMode, Stop},
};
use serde_json::{Value, json};

use super::Place;

fn append(text: &str) -> Value {
    json!([{ "op": "append_lines", "text": text }])
}

fn desktop(place: &Place) -> Arc<App> {
    App::open(AppOptions::new(place.path("home")).watching()).unwrap()
}

/// Edits as the window does: open, then send the revision that was seen; `None` for a conflict.
fn by_desktop(app: &App, path: &Path, text: &str) -> Option<u64> {
    let open = Request::DocumentsOpen(DocumentPath { path: path.to_str().unwrap().to_owned() });
    let Response::DocumentsOpen(file) = app.run(open, &Stop::default()).unwrap() else { panic!() };
    let edit = Edit {
        file_id: file.file_id,
        expected_content_rev: Some(file.content_rev),
        ops: vec![json!({ "op": "append_lines", "text": text })],
        mode: EditMode::Commit,
        ..Edit::default()
    };
    match app.run(Request::DocumentsEdit(edit), &Stop::default()) {
        Ok(Response::DocumentsEdit(receipt)) => Some(receipt.content_rev),
        Ok(other) => panic!("{other:?}"),
        Err(error) => {
            assert_eq!(error.code.status(), 409, "{error:?}");
            None
        }
    }
}

/// Does `work` until it succeeded `times` times.
fn until_done(times: usize, mut work: impl FnMut(usize) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    let mut done = 0;
    while done < times {
        assert!(Instant::now() < deadline, "only {done} of {times}");
        done += usize::from(work(done));
    }
}

#[test]
fn four_hosts_on_one_file() {
    const TIMES: usize = 8;
    let place = Arc::new(Place::new());
    let path = place.write("in/shared.md", "start\n");
    let start = Arc::new(Barrier::new(4));
    let mut hosts = Vec::new();
    for name in ["first", "second"] {
        let (place, path, start) = (Arc::clone(&place), path.clone(), Arc::clone(&start));
        hosts.push(thread::spawn(move || {
            let mut client = place.client(&["--commit"]);
            start.wait();
            until_done(TIMES, |number| {
                let (id, rev) = client.open(&path);
                let text = format!("{name} {number}");
                let edit = json!({ "file_id": id, "expected_content_rev": rev, "ops": append(&text) });
                let answer = client.call("file_edit", edit);
                assert!(
                    answer["ok"] == true || answer["error"]["code"] == "content_rev_conflict",
                    "{answer}"
                );
                answer["ok"] == true
            });
        }));
    }
    {
        let (place, path, start) = (Arc::clone(&place), path.clone(), Arc::clone(&start));
        hosts.push(thread::spawn(move || {
            let app = desktop(&place);
            start.wait();
            until_done(TIMES, |number| by_desktop(&app, &path, &format!("desktop {number}")).is_some());
        }));
    }
    {
        let (place, start) = (Arc::clone(&place), Arc::clone(&start));
        hosts.push(thread::spawn(move || {
            start.wait();
            until_done(TIMES, |number| {
                let (_, outline) = place.cli(&["outline", "shared.md"]);
                let ops = place.write("ops.json", append(&format!("cli {number}")).to_string());
                let rev = outline["content_rev"].to_string();
                let (status, answer) = place.cli(&[
                    "apply",
                    "shared.md",
                    "--ops",
                    ops.to_str().unwrap(),
                    "--expected-rev",
                    &rev,
                ]);
                assert!(status == 0 || status == 4, "{answer}");
                status == 0
            });
        }));
    }
    for host in hosts {
        host.join().unwrap();
    }
    let text = place.text("in/shared.md");
    for host in ["first", "second", "desktop", "cli"] {
        for number in 0..TIMES {
            assert_eq!(text.matches(&format!("{host} {number}\n")).count(), 1, "{host} {number} in {text}");
        }
    }
    assert_eq!(text.lines().count(), 1 + 4 * TIMES);
    let (_, history) = place.cli(&["history", "shared.md"]);
    assert_eq!(
        history["content_rev"],
        1 + 4 * TIMES as u64,
        "one revision for each write, none lost, none twice"
    );
}

#[test]
fn a_change_of_one_shows_in_the_others() {
    let place = Place::new();
    let path = place.write("in/shared.md", "start\n");
    let app = desktop(&place);
    by_desktop(&app, &path, "by the desktop").unwrap();
    let mut events = app.events();
    let mut client = place.client(&["--commit"]);
    let (id, rev) = client.open(&path);
    assert_eq!(rev, 2, "the client sees the desktop's revision");
    thread::sleep(Duration::from_millis(1_500));

    let receipt = client.call(
        "file_edit",
        json!({ "file_id": id, "expected_content_rev": rev, "ops": append("by the client") }),
    );
    assert_eq!(receipt["content_rev"], 3, "{receipt}");
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        assert!(Instant::now() < deadline, "the desktop was not told");
        match events.try_recv() {
            Ok(event) => match event.body {
                EventBody::DocumentChanged { document } if document.content_rev == 3 => break,
                _ => {}
            },
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
    assert_eq!(place.cli(&["outline", "shared.md"]).1["content_rev"], 3);

    let seen = client.notes.len();
    let ops = place.write("ops.json", append("by the command line").to_string());
    assert_eq!(
        place.cli(&["apply", "shared.md", "--ops", ops.to_str().unwrap(), "--expected-rev", "3"]).0,
        0
    );
    assert!(client.notified("notifications/resources/list_changed", seen).is_some());
    let stale = json!({ "file_id": id, "expected_content_rev": 3, "ops": append("too late") });
    assert_eq!(client.refused("file_edit", stale), "content_rev_conflict");
    assert_eq!(place.text("in/shared.md"), "start\nby the desktop\nby the client\nby the command line\n");
}

#[test]
fn a_proposal_of_a_client_waits_in_the_desktop() {
    let place = Place::new();
    let path = place.write("in/shared.md", "start\n");
    let app = desktop(&place);
    let open = Request::DocumentsOpen(DocumentPath { path: path.to_str().unwrap().to_owned() });
    app.run(open, &Stop::default()).unwrap();
    let mut client = place.client(&[]);
    let (id, rev) = client.open(&path);
    let receipt = client
        .call("file_edit", json!({ "file_id": id, "expected_content_rev": rev, "ops": append("proposed") }));
    let proposal_id = receipt["proposal_id"].as_str().unwrap().to_owned();
    let listed = app.run(Request::ProposalsList(Default::default()), &Stop::default()).unwrap();
    let Response::ProposalsList(proposals) = listed else { panic!() };
    assert_eq!(proposals[0].proposal_id, proposal_id);
    let choice = assistant::api::params::ProposalChoice { proposal_id, changes: None };
    app.run(Request::ProposalsAccept(choice), &Stop::default()).unwrap();
    assert_eq!(place.text("in/shared.md"), "start\nproposed\n");
    assert_eq!(client.open(&path).1, rev + 1);
}

#[test]
fn the_server_ends_with_its_client_and_on_interrupt() {
    let place = Place::new();
    place.write("in/notes.md", "x\n");
    let client = place.client(&[]);
    assert_eq!(client.hang_up().0, 0);
    // One that never says a word.
    let mut silent = place.command(&["mcp"]);
    let output = silent.stdin(Stdio::null()).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{output:?}");
}
