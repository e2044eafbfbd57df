//! The regression matrix of the first seed, part 4.1: fault of the model × format × payload size × protocol, against the scripted
//! endpoint. In every cell: no wrong write, revisions go up only, the cause is recorded, and the tries are bounded.

use std::sync::Arc;

use assistant::{
    agent::{eval::CaseSet, model::RemoteModel},
    api::answers::DocumentInfo,
    workspace::EditMode,
};
use gateway::{
    Client, Endpoint, Limits,
    testing::{Reply, Upstream, chunk},
};
use serde_json::{Value, json};

use super::{Desk, turn};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    WrongAnchor,
    OldRevision,
    WrongOpForFormat,
    MixedModes,
    Truncated,
    TwoEditsOnOneRevision,
    Repeats,
    CallInText,
    NoRevision,
}

const FAULTS: [Fault; 9] = [
    Fault::WrongAnchor,
    Fault::OldRevision,
    Fault::WrongOpForFormat,
    Fault::MixedModes,
    Fault::Truncated,
    Fault::TwoEditsOnOneRevision,
    Fault::Repeats,
    Fault::CallInText,
    Fault::NoRevision,
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Carrier {
    FunctionCall,
    Fence,
    MarkdownDiff,
}

/// Name of the document, an operation that works, one whose place does not exist, one of another format.
struct Subject {
    document: &'static str,
    good: fn(&str) -> Value,
    lost: fn(&str) -> Value,
    foreign: Value,
    takes_fence: bool,
}

fn subjects() -> Vec<Subject> {
    vec![
        Subject {
            document: "report.md",
            good: |text| json!({"op": "append_lines", "text": text}),
            lost: |text| json!({"op": "replace_lines", "start_line": 900, "end_line": 900, "text": text}),
            foreign: json!({"op": "xlsx_set_cell", "cell": "A1", "value": 1}),
            takes_fence: true,
        },
        Subject {
            document: "budget.xlsx",
            good: |text| json!({"op": "xlsx_set_cell", "cell": "B4", "value": text}),
            lost: |text| json!({"op": "xlsx_replace_text", "find": "not there at all", "replace": text}),
            foreign: json!({"op": "append_lines", "text": "x"}),
            takes_fence: false,
        },
        Subject {
            document: "deck.pptx",
            good: |text| json!({"op": "pptx_set_title", "slide": 3, "text": text}),
            lost: |text| json!({"op": "pptx_set_title", "slide": 99, "text": text}),
            foreign: json!({"op": "docx_set_paragraph", "index": 1, "text": "x"}),
            takes_fence: true,
        },
        Subject {
            document: "letter.docx",
            good: |text| json!({"op": "docx_append_paragraph", "text": text}),
            lost: |text| json!({"op": "docx_set_paragraph", "index": 99, "text": text}),
            foreign: json!({"op": "pptx_delete_slide", "slide": 1}),
            takes_fence: true,
        },
    ]
}

struct Cell<'a> {
    fault: Fault,
    carrier: Carrier,
    subject: &'a Subject,
    text: String,
}

impl Cell<'_> {
    fn call(&self, file: &DocumentInfo, op: &Value, rev: Option<u64>) -> (String, String) {
        let mut op = op.clone();
        let mut message = String::new();
        if self.carrier == Carrier::Fence
            && let Some(text) = op.get("text").and_then(Value::as_str).map(str::to_owned)
        {
            message = format!("````md\n{text}\n````");
            op.as_object_mut().unwrap().remove("text");
            op["text_from_fence"] = true.into();
        }
        let mut arguments = json!({"file_id": file.file_id, "ops": [op]});
        if let Some(rev) = rev {
            arguments["expected_content_rev"] = rev.into();
        }
        (message, arguments.to_string())
    }

    fn block(&self, file: &DocumentInfo, search: &str, rev: Option<u64>) -> String {
        let rev = rev.map(|rev| format!(" rev:{rev}")).unwrap_or_default();
        format!(
            "```edit:{}{rev}\n<<<<<<< SEARCH\n{search}\n=======\n{}\n>>>>>>> REPLACE\n```",
            file.file_id, self.text
        )
    }

    /// What the model does first, the faulty thing.
    fn faulty(&self, file: &DocumentInfo) -> Reply {
        let good = (self.subject.good)(&self.text);
        if self.carrier == Carrier::MarkdownDiff {
            return Reply::text(&match self.fault {
                Fault::OldRevision => self.block(file, "All is well.", Some(1)),
                Fault::NoRevision => self.block(file, "All is well.", None),
                Fault::Truncated => {
                    let whole = self.block(file, "All is well.", Some(2));
                    whole[..whole.len() - 5].to_string()
                }
                _ => self.block(file, "not there at all", Some(2)),
            });
        }
        let one = |(message, arguments): (String, String)| {
            Reply::calls(&message, &[("c", "file_edit", &arguments)])
        };
        match self.fault {
            Fault::WrongAnchor | Fault::Repeats => {
                one(self.call(file, &(self.subject.lost)(&self.text), Some(2)))
            }
            Fault::OldRevision => one(self.call(file, &good, Some(1))),
            Fault::NoRevision => one(self.call(file, &good, None)),
            Fault::WrongOpForFormat => one(self.call(file, &self.subject.foreign, Some(2))),
            Fault::MixedModes => {
                let mut mixed = good;
                mixed["text_from_fence"] = true.into();
                let arguments =
                    json!({"file_id": file.file_id, "expected_content_rev": 2, "ops": [mixed]}).to_string();
                Reply::calls("````md\nx\n````", &[("c", "file_edit", &arguments)])
            }
            Fault::Truncated => {
                let (message, arguments) = self.call(file, &good, Some(2));
                truncated(&message, &arguments, arguments.len() - 3)
            }
            Fault::TwoEditsOnOneRevision => {
                let (message, arguments) = self.call(file, &good, Some(2));
                let arguments = match self.carrier {
                    Carrier::Fence => arguments
                        .replace("\"text_from_fence\":true", "\"text_from_fence\":true,\"fence\":\"1\""),
                    _ => arguments,
                };
                let second = arguments.replace("\"ops\":", "\"override_protection\":false,\"ops\":");
                Reply::calls(&message, &[("c", "file_edit", &arguments), ("d", "file_edit", &second)])
            }
            Fault::CallInText => {
                let (_, arguments) = self.call(file, &good, Some(2));
                Reply::text(&format!(
                    "<tool_call>{{\"name\":\"file_edit\",\"arguments\":{arguments}}}</tool_call>"
                ))
            }
        }
    }
}

fn truncated(message: &str, arguments: &str, bytes: usize) -> Reply {
    let mut end = bytes;
    while !arguments.is_char_boundary(end) {
        end -= 1;
    }
    let head = json!({"index": 0, "id": "c", "type": "function", "function": {"name": "file_edit", "arguments": ""}});
    Reply::chunks(&[
        chunk(&json!({"role": "assistant", "content": message}), None),
        chunk(&json!({"tool_calls": [head]}), None),
        chunk(&json!({"tool_calls": [{"index": 0, "function": {"arguments": &arguments[..end]}}]}), None),
        chunk(&json!({}), Some("length")),
    ])
}

/// Runs one cell: the faulty answer again and again, whatever the model is told.
async fn run(cell: &Cell<'_>, set: &CaseSet) {
    let desk = Desk::new();
    let first = desk.document(cell.subject.document, &set.document(cell.subject.document).unwrap());
    // Revision 2 is the current one, so that 1 is an old one.
    let touch = match cell.subject.document {
        "report.md" => json!({"op": "replace_text", "find": "May", "replace": "June"}),
        "budget.xlsx" => json!({"op": "xlsx_set_cell", "cell": "A1", "value": "Article"}),
        "deck.pptx" => json!({"op": "pptx_set_title", "slide": 1, "text": "Start"}),
        _ => json!({"op": "docx_replace_text", "find": "cold", "replace": "cool"}),
    };
    let params = assistant::api::params::Edit {
        file_id: first.file_id.clone(),
        expected_content_rev: Some(1),
        ops: vec![touch],
        ..Default::default()
    };
    desk.app.documents_edit(&params, &Default::default()).unwrap();
    let file = desk.info(&first.file_id);
    let before = std::fs::read(desk.path(cell.subject.document)).unwrap();

    let asked = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let reply = cell.faulty(&file);
    let upstream = Upstream::with(move |_| {
        counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Some(reply.clone())
    })
    .await
    .unwrap();
    let endpoint = Endpoint::new(upstream.base_url(), None, "m");
    let limits = Limits { backoff: std::time::Duration::from_millis(1), ..Limits::default() };
    let model = RemoteModel::new(Client::with(endpoint, limits, Arc::default()).unwrap(), "test/m");
    let report =
        desk.app.turn_with(&turn("change it", &[&file], EditMode::Commit), Arc::new(model)).await.unwrap();

    let name = format!(
        "{:?} × {} × {:?} × {} characters",
        cell.fault,
        cell.subject.document,
        cell.carrier,
        cell.text.len()
    );
    upstream.assert_clean();
    let asked = asked.load(std::sync::atomic::Ordering::Relaxed);
    assert!(asked <= 16, "{name}: {asked} requests");
    let after = std::fs::read(desk.path(cell.subject.document)).unwrap();
    let now = desk.info(&first.file_id);
    assert_eq!(after != before, now.content_rev > 2, "{name}: bytes and revision go together");
    let done = u64::try_from(
        report.receipts.iter().filter(|receipt| receipt.content_rev > receipt.previous_rev).count(),
    )
    .unwrap();
    assert_eq!(now.content_rev, 2 + done, "{name}: every revision has its receipt");
    match cell.fault {
        // The first of the two is a good edit; the second is refused, and so is everything that repeats it.
        Fault::TwoEditsOnOneRevision if cell.carrier != Carrier::MarkdownDiff => {
            assert_eq!(done, 1, "{name}")
        }
        _ => assert_eq!(done, 0, "{name}: {:?}", report.receipts),
    }
    let rows = desk.app.metrics_get().unwrap().rows;
    let recorded: u64 = rows.iter().flat_map(|row| row.failures.values()).sum();
    let text_only = cell.fault == Fault::CallInText && recorded == 0;
    assert!(recorded > 0 || text_only, "{name}: the cause is recorded");
    assert!(report.message.is_ok(), "{name}: {:?}", report.message);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_cell_keeps_the_invariants() {
    let set = CaseSet::built_in().unwrap();
    let mut cells = 0;
    for subject in &subjects() {
        for fault in FAULTS {
            for carrier in [Carrier::FunctionCall, Carrier::Fence, Carrier::MarkdownDiff] {
                let fits = match carrier {
                    Carrier::FunctionCall => true,
                    Carrier::Fence => subject.takes_fence && fault != Fault::MixedModes,
                    Carrier::MarkdownDiff => subject.document == "report.md",
                };
                if !fits {
                    continue;
                }
                for length in [20, 400] {
                    let text = "Words of the new text, ".repeat(length / 20);
                    run(&Cell { fault, carrier, subject, text: text.trim().to_string() }, &set).await;
                    cells += 1;
                }
            }
        }
    }
    println!("{cells} cells");
    assert!(cells >= 100, "{cells}");
}

/// Arguments cut at every byte: nothing is ever run, whatever the finish reason says.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn arguments_cut_at_every_byte_change_nothing() {
    let desk = Desk::new();
    let file = desk.document("a.md", b"alpha\n");
    let whole = json!({"file_id": file.file_id, "expected_content_rev": 1, "ops": [{"op": "append_lines", "text": "a}]}b"}]}).to_string();
    let step = if std::env::var_os("STET_FULL").is_some() { 1 } else { 5 };
    for bytes in (0..whole.len()).step_by(step) {
        let arguments = whole.clone();
        let upstream = Upstream::with(move |_| Some(truncated("", &arguments, bytes))).await.unwrap();
        let model =
            RemoteModel::new(Client::new(Endpoint::new(upstream.base_url(), None, "m")).unwrap(), "test/m");
        let report =
            desk.app.turn_with(&turn("append", &[&file], EditMode::Commit), Arc::new(model)).await.unwrap();
        assert!(report.receipts.is_empty(), "cut at {bytes}");
        assert_eq!(
            (desk.text("a.md").as_str(), desk.info(&file.file_id).content_rev),
            ("alpha\n", 1),
            "cut at {bytes}"
        );
        assert!(upstream.requests().len() <= 16, "cut at {bytes}: {}", upstream.requests().len());
    }
}
