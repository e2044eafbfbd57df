//! The regression matrix of the first seed, part 4.1: fault of the model × format × payload size × protocol, against the scripted
//! endpoint. In every cell: no wrong write, revisions go up only, the cause is recorded, and the tries are bounded.
//!
//! What is cut off at every byte is in `matrix::cuts`.

#[path = "matrix/cuts.rs"]
mod cuts;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use assistant::{
    agent::{eval::CaseSet, model::RemoteModel, turn::TurnReport},
    api::answers::DocumentInfo,
    workspace::EditMode,
};
use gateway::{
    Client, Endpoint, Limits,
    testing::{Framing, Reply, Step, Upstream, chunk},
};
use serde_json::{Value, json};

use super::{Desk, turn};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    WrongAnchor,
    OldRevision,
    NoRevision,
    WrongOpForFormat,
    MixedModes,
    Truncated,
    TwoEditsOnOneRevision,
    Stall,
    Repeats,
    CallInText,
}

const FAULTS: [Fault; 10] = [
    Fault::WrongAnchor,
    Fault::OldRevision,
    Fault::NoRevision,
    Fault::WrongOpForFormat,
    Fault::MixedModes,
    Fault::Truncated,
    Fault::TwoEditsOnOneRevision,
    Fault::Stall,
    Fault::Repeats,
    Fault::CallInText,
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Carrier {
    FunctionCall,
    Fence,
    MarkdownDiff,
}

/// Short, over the 500 characters that may travel inside arguments, and several KB.
const SIZES: [usize; 3] = [20, 600, 4_400];
/// The settings' own limit.
const INLINE: usize = 500;

/// Name of the document, an operation that works, one whose place does not exist, one of another format, and a first edit.
struct Subject {
    document: &'static str,
    good: fn(&str) -> Value,
    lost: fn(&str) -> Value,
    foreign: fn(&str) -> Value,
    touch: Value,
    /// Text may come from a fence, and then may not be long inside arguments.
    takes_fence: bool,
    lost_code: &'static str,
}

fn subjects() -> Vec<Subject> {
    vec![
        Subject {
            document: "report.md",
            good: |text| json!({"op": "append_lines", "text": text}),
            lost: |text| json!({"op": "replace_lines", "start_line": 900, "end_line": 900, "text": text}),
            foreign: |text| json!({"op": "xlsx_set_cell", "cell": "A1", "value": text}),
            touch: json!({"op": "replace_text", "find": "May", "replace": "June"}),
            takes_fence: true,
            lost_code: "out_of_range",
        },
        Subject {
            document: "budget.xlsx",
            good: |text| json!({"op": "xlsx_set_cell", "cell": "B4", "value": text}),
            lost: |text| json!({"op": "xlsx_replace_text", "find": "not there at all", "replace": text}),
            foreign: |text| json!({"op": "append_lines", "text": text}),
            touch: json!({"op": "xlsx_set_cell", "cell": "A1", "value": "Article"}),
            takes_fence: false,
            lost_code: "zero_matches",
        },
        Subject {
            document: "deck.pptx",
            good: |text| json!({"op": "pptx_set_title", "slide": 3, "text": text}),
            lost: |text| json!({"op": "pptx_set_title", "slide": 99, "text": text}),
            foreign: |text| json!({"op": "docx_set_paragraph", "index": 1, "text": text}),
            touch: json!({"op": "pptx_set_title", "slide": 1, "text": "Start"}),
            takes_fence: true,
            lost_code: "out_of_range",
        },
        Subject {
            document: "letter.docx",
            good: |text| json!({"op": "docx_append_paragraph", "text": text}),
            lost: |text| json!({"op": "docx_set_paragraph", "index": 99, "text": text}),
            foreign: |text| json!({"op": "pptx_set_title", "slide": 1, "text": text}),
            touch: json!({"op": "docx_replace_text", "find": "cold", "replace": "cool"}),
            takes_fence: true,
            lost_code: "out_of_range",
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
    fn name(&self) -> String {
        let Cell { fault, carrier, subject, text } = self;
        format!("{fault:?} × {} × {carrier:?} × {} characters", subject.document, text.len())
    }

    /// Whether the cell makes sense: a diff changes only text, a workbook has no fences.
    fn fits(&self) -> bool {
        let is_text = self.subject.document == "report.md";
        match (self.carrier, self.fault) {
            (Carrier::FunctionCall, _) => true,
            (Carrier::Fence, Fault::MixedModes) => self.subject.takes_fence,
            (Carrier::Fence, _) => self.subject.takes_fence,
            // A block for an Office document is the wrong operation for its format.
            (Carrier::MarkdownDiff, Fault::WrongOpForFormat) => !is_text,
            (Carrier::MarkdownDiff, _) => is_text,
        }
    }

    /// The text and the arguments of a call.
    fn call(&self, file: &DocumentInfo, op: &Value, rev: Option<u64>) -> (String, String) {
        let mut op = op.clone();
        let mut message = String::new();
        if self.carrier == Carrier::Fence {
            let text = op.get("text").or_else(|| op.get("value")).and_then(Value::as_str).unwrap().to_owned();
            message = format!("Here it is:\n````md\n{text}\n````");
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

    /// What the model does, the faulty thing.
    fn faulty(&self, file: &DocumentInfo) -> Reply {
        if self.carrier == Carrier::MarkdownDiff {
            return self.faulty_block(file);
        }
        let good = (self.subject.good)(&self.text);
        let one = |(message, arguments): (String, String)| {
            Reply::calls(&message, &[("c", "file_edit", &arguments)])
        };
        match self.fault {
            Fault::WrongAnchor | Fault::Repeats => {
                one(self.call(file, &(self.subject.lost)(&self.text), Some(2)))
            }
            Fault::OldRevision => one(self.call(file, &good, Some(1))),
            Fault::NoRevision => one(self.call(file, &good, None)),
            Fault::WrongOpForFormat => one(self.call(file, &(self.subject.foreign)(&self.text), Some(2))),
            Fault::MixedModes => {
                // Text in the arguments and in a fence, or a replacement from a fence.
                let mixed = match self.carrier {
                    Carrier::Fence => json!({"op": "replace_text", "find": "June", "text_from_fence": true}),
                    _ => {
                        let mut mixed = good;
                        mixed["text_from_fence"] = true.into();
                        mixed
                    }
                };
                let is_text = self.subject.document == "report.md";
                let mixed = match (self.carrier, is_text) {
                    (Carrier::Fence, false) => {
                        let mut both = (self.subject.good)(&self.text);
                        both["text_from_fence"] = true.into();
                        both["fence"] = "1".into();
                        both
                    }
                    _ => mixed,
                };
                let arguments = json!({"file_id": file.file_id, "expected_content_rev": 2, "ops": [mixed]});
                let message = format!("````md\n{}\n````", self.text);
                Reply::calls(&message, &[("c", "file_edit", &arguments.to_string())])
            }
            Fault::Truncated => {
                let (message, arguments) = self.call(file, &good, Some(2));
                truncated(&message, &arguments, arguments.len() - 3)
            }
            Fault::Stall => {
                let (message, arguments) = self.call(file, &good, Some(2));
                stalled(truncated(&message, &arguments, arguments.len() / 2))
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
                let (message, arguments) = self.call(file, &good, Some(2));
                Reply::text(&format!(
                    "{message}\n<tool_call>{{\"name\":\"file_edit\",\"arguments\":{arguments}}}</tool_call>"
                ))
            }
        }
    }

    fn faulty_block(&self, file: &DocumentInfo) -> Reply {
        let good = self.block(file, "All is well.", Some(2));
        match self.fault {
            Fault::OldRevision => Reply::text(&self.block(file, "All is well.", Some(1))),
            Fault::NoRevision => Reply::text(&self.block(file, "All is well.", None)),
            Fault::Truncated => cut_text(&good, good.len() - 5),
            Fault::Stall => stalled(cut_text(&good, good.len() / 2)),
            // The first is done; it comes again on the revision that it has spent.
            Fault::TwoEditsOnOneRevision => Reply::text(&good),
            Fault::MixedModes => {
                let call = json!({"file_id": file.file_id, "expected_content_rev": 2, "ops": [{"op": "append_lines", "text": "x", "text_from_fence": true}]});
                Reply::calls(&good, &[("c", "file_edit", &call.to_string())])
            }
            Fault::CallInText => Reply::text(&format!("````md\n{good}\n````")),
            Fault::WrongAnchor | Fault::Repeats | Fault::WrongOpForFormat => {
                Reply::text(&self.block(file, "not there at all", Some(2)))
            }
        }
    }

    /// What the fault must be recorded as; none where nothing but words was said.
    fn code(&self) -> Option<&'static str> {
        let is_too_long = self.carrier == Carrier::FunctionCall
            && self.text.chars().count() > INLINE
            && self.subject.takes_fence;
        let by_diff = self.carrier == Carrier::MarkdownDiff;
        Some(match self.fault {
            Fault::WrongOpForFormat => "unsupported_op",
            Fault::Truncated if by_diff => "fence_unclosed",
            Fault::Truncated => "arguments_truncated",
            Fault::Stall => "timeout",
            Fault::CallInText if by_diff => return None,
            Fault::CallInText | Fault::MixedModes => "invalid_arguments",
            _ if is_too_long => "invalid_arguments",
            Fault::WrongAnchor | Fault::Repeats if by_diff => "zero_matches",
            Fault::WrongAnchor | Fault::Repeats => self.subject.lost_code,
            Fault::OldRevision | Fault::TwoEditsOnOneRevision => "content_rev_conflict",
            Fault::NoRevision => "content_rev_required",
        })
    }

    /// How many edits are good ones: the first of two on one revision, unless it is refused for its length.
    fn good_edits(&self) -> u64 {
        let is_two = self.fault == Fault::TwoEditsOnOneRevision;
        u64::from(is_two && self.code() == Some("content_rev_conflict"))
    }
}

/// A stream whose tool arguments stop, with the honest finish reason.
fn truncated(message: &str, arguments: &str, bytes: usize) -> Reply {
    let end = arguments.floor_char_boundary(bytes);
    let head = json!({"index": 0, "id": "c", "type": "function", "function": {"name": "file_edit", "arguments": ""}});
    Reply::chunks(&[
        chunk(&json!({"role": "assistant", "content": message}), None),
        chunk(&json!({"tool_calls": [head]}), None),
        chunk(&json!({"tool_calls": [{"index": 0, "function": {"arguments": &arguments[..end]}}]}), None),
        chunk(&json!({}), Some("length")),
    ])
}

/// The same of text.
fn cut_text(text: &str, bytes: usize) -> Reply {
    let end = text.floor_char_boundary(bytes);
    Reply::chunks(&[
        chunk(&json!({"role": "assistant", "content": &text[..end]}), None),
        chunk(&json!({}), Some("length")),
    ])
}

/// The same answer, but its finish never comes and the line stays open.
fn stalled(mut reply: Reply) -> Reply {
    for step in &mut reply.steps {
        if let Step::Bytes(bytes) = step {
            let text = String::from_utf8(bytes.clone()).unwrap();
            let events: Vec<&str> = text.split_inclusive("\n\n").collect();
            *bytes = events[..events.len() - 2].concat().into_bytes();
        }
    }
    reply.framing(Framing::Chunked).then(Step::Hang)
}

/// A desk with one document at revision 2, so that 1 is an old one.
fn desk_with(subject: &Subject, set: &CaseSet) -> (Desk, DocumentInfo) {
    let desk = Desk::new();
    let first = desk.document(subject.document, &set.document(subject.document).unwrap());
    let params = assistant::api::params::Edit {
        file_id: first.file_id.clone(),
        expected_content_rev: Some(1),
        ops: vec![subject.touch.clone()],
        ..Default::default()
    };
    desk.app.documents_edit(&params, &Default::default()).unwrap();
    let file = desk.info(&first.file_id);
    assert_eq!(file.content_rev, 2);
    (desk, file)
}

/// An endpoint that gives the same answer again and again, and how often it was asked.
async fn stubborn(reply: Reply) -> (Upstream, Arc<AtomicUsize>, Arc<RemoteModel>) {
    let is_silent = reply.steps.iter().any(|step| matches!(step, Step::Hang));
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let upstream = Upstream::with(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        Some(reply.clone())
    })
    .await
    .unwrap();
    let mut limits = Limits { backoff: Duration::from_millis(1), ..Limits::default() };
    if is_silent {
        // An answer that does not stream may be silent until the end of the turn.
        let short = Duration::from_millis(40);
        limits = Limits { idle: short, idle_tools: short, total_tools: short * 5, ..limits };
    }
    let client = Client::with(Endpoint::new(upstream.base_url(), None, "m"), limits, Arc::default()).unwrap();
    (upstream, asked, Arc::new(RemoteModel::new(client, "test/m")))
}

/// Runs one cell: the faulty answer again and again, whatever the model is told.
async fn run(cell: &Cell<'_>, set: &CaseSet, mode: EditMode) {
    let (desk, file) = desk_with(cell.subject, set);
    let path = desk.path(cell.subject.document);
    let look = || (std::fs::read(&path).unwrap(), std::fs::metadata(&path).unwrap().modified().unwrap());
    let before = look();
    let (upstream, asked, model) = stubborn(cell.faulty(&file)).await;
    let report = desk.app.turn_with(&turn("change it", &[&file], mode), model).await.unwrap();
    let name = cell.name();
    upstream.assert_clean();

    // Bounded: three unusable answers at most, each asked for at most four times.
    let asked = asked.load(Ordering::Relaxed);
    assert!(asked <= 12, "{name}: {asked} requests");

    // No wrong write, and revisions only go up, each with its receipt.
    let now = desk.info(&file.file_id);
    let done = if mode == EditMode::Commit { cell.good_edits() } else { 0 };
    assert_eq!(now.content_rev, 2 + done, "{name}");
    assert_eq!(look() != before, done > 0, "{name}: bytes, time and revision go together");
    let written = report.receipts.iter().filter(|one| one.content_rev > one.previous_rev).count() as u64;
    assert_eq!(written, done, "{name}: {:?}", report.receipts);
    assert_eq!(
        desk.snapshots(&file.file_id) as u64,
        now.content_rev,
        "{name}: every revision has a snapshot"
    );
    assert!(desk.app.proposals_list(&Default::default()).unwrap().is_empty(), "{name}");

    check_cause(cell, &desk, &report);
}

/// The cause is in the counters under its protocol, and the turn ends with words to the user or an error that says it.
fn check_cause(cell: &Cell<'_>, desk: &Desk, report: &TurnReport) {
    let name = cell.name();
    let rows = desk.app.metrics_get().unwrap().rows;
    let mut recorded: BTreeMap<&str, u64> = BTreeMap::new();
    for (code, count) in rows.iter().flat_map(|row| &row.failures) {
        *recorded.entry(code).or_default() += count;
    }
    match cell.code() {
        None => assert!(recorded.is_empty(), "{name}: {recorded:?}"),
        Some(code) => assert!(recorded.contains_key(code), "{name}: {code} is not among {recorded:?}"),
    }
    match (&report.message, cell.fault) {
        (Err(error), Fault::Stall) => {
            let cause = error.cause.as_deref().unwrap_or_default();
            assert!(error.status == 408 && cause.starts_with("timeout_"), "{name}: {error:?}");
        }
        (Ok(text), _) => assert!(!text.is_empty(), "{name}: the user is told something"),
        (Err(error), _) => panic!("{name}: {error}"),
    }
    if cell.fault == Fault::Repeats {
        assert!(report.message.as_ref().unwrap().contains("twice"), "{name}: {:?}", report.message);
    }
}

fn cells(subjects: &[Subject]) -> Vec<Cell<'_>> {
    let mut cells = Vec::new();
    for subject in subjects {
        for fault in FAULTS {
            for carrier in [Carrier::FunctionCall, Carrier::Fence, Carrier::MarkdownDiff] {
                for size in SIZES {
                    let text = "Words of the new text, ".repeat(size / 20).trim().to_owned();
                    cells.push(Cell { fault, carrier, subject, text });
                }
            }
        }
    }
    cells.retain(Cell::fits);
    cells
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_cell_keeps_the_invariants() {
    let set = CaseSet::built_in().unwrap();
    let subjects = subjects();
    let cells = cells(&subjects);
    for cell in &cells {
        run(cell, &set, EditMode::Commit).await;
    }
    println!("{} cells", cells.len());
    assert!(cells.len() >= 230, "{}", cells.len());
}

/// Staged edits differ from saved ones only in what happens at the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_cell_keeps_the_invariants_when_edits_wait() {
    let step = if std::env::var_os("STET_FULL").is_some() { 1 } else { 11 };
    let set = CaseSet::built_in().unwrap();
    let subjects = subjects();
    let mut cells = cells(&subjects);
    // What waits has spent no revision, so that two edits on one are a stack and no fault.
    cells.retain(|cell| cell.fault != Fault::TwoEditsOnOneRevision);
    for cell in cells.iter().step_by(step) {
        run(cell, &set, EditMode::Stage).await;
    }
}
