//! Everything that can be cut off, cut at every byte: arguments, the text of a fence, a Markdown Diff. Nothing of it is ever run.
//!
//! Each cut is judged without a network; a part of the cuts (all of them with `STET_FULL=1`) also goes through a whole turn.

use assistant::agent::{
    fences::{FenceContext, resolve},
    markdown_diff,
    tools::Call,
};
use gateway::testing::{
    inside::{Replay, Verdict, replay},
    sse,
};

use super::*;

/// A cell that is cut, with what its document was.
struct Cut<'a> {
    cell: Cell<'a>,
    file: DocumentInfo,
    desk: Desk,
    before: Vec<u8>,
}

const TEXT: &str = "new }]} \"words\" \\\\ of 文字 ```\n<<<<<<< in it";

fn cuts(subjects: &[Subject]) -> Vec<Cut<'_>> {
    let set = CaseSet::built_in().unwrap();
    let mut cuts = Vec::new();
    for subject in subjects {
        for carrier in [Carrier::FunctionCall, Carrier::Fence, Carrier::MarkdownDiff] {
            let cell = Cell { fault: Fault::Truncated, carrier, subject, text: TEXT.to_owned() };
            if cell.fits() {
                let (desk, file) = desk_with(subject, &set);
                let before = std::fs::read(desk.path(subject.document)).unwrap();
                cuts.push(Cut { cell, file, desk, before });
            }
        }
    }
    cuts
}

impl Cut<'_> {
    /// The whole message and arguments; a diff has no arguments.
    fn whole(&self) -> (String, String) {
        match self.cell.carrier {
            Carrier::MarkdownDiff => (self.cell.block(&self.file, "All is well.", Some(2)), String::new()),
            _ => self.cell.call(&self.file, &(self.cell.subject.good)(TEXT), Some(2)),
        }
    }

    async fn turn(&self, reply: Reply, what: &str) {
        let (upstream, asked, model) = stubborn(reply).await;
        let report =
            self.desk.app.turn_with(&turn("do it", &[&self.file], EditMode::Commit), model).await.unwrap();
        upstream.assert_clean();
        let name = format!("{} {what}", self.cell.name());
        assert!(report.receipts.is_empty(), "{name}: {:?}", report.receipts);
        assert_eq!(std::fs::read(self.desk.path(self.cell.subject.document)).unwrap(), self.before, "{name}");
        assert_eq!(self.desk.info(&self.file.file_id).content_rev, 2, "{name}");
        assert!(asked.load(Ordering::Relaxed) <= 12, "{name}");
    }
}

fn boundaries(text: &str) -> impl Iterator<Item = usize> {
    (0..text.len()).filter(|at| text.is_char_boundary(*at))
}

/// The tools of a request for these files, as they were sent.
async fn tools_of(cut: &Cut<'_>) -> Value {
    let (upstream, _, model) = stubborn(Reply::text("nothing")).await;
    cut.desk.app.turn_with(&turn("say", &[&cut.file], EditMode::Commit), model).await.unwrap();
    let tools = upstream.requests()[0].body["tools"].clone();
    assert!(tools.is_array());
    tools
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn arguments_cut_at_every_byte_are_no_call_whatever_the_finish_says() {
    let subjects = subjects();
    let mut judged = 0;
    for cut in cuts(&subjects).iter().filter(|cut| cut.cell.carrier != Carrier::MarkdownDiff) {
        let tools = tools_of(cut).await;
        let (message, arguments) = cut.whole();
        for end in boundaries(&arguments) {
            let part = &arguments[..end];
            assert!(Call::read("file_edit", part).is_err(), "{part}");
            for finish in [Some("length"), Some("stop"), Some("tool_calls"), None] {
                let head = json!({"index": 0, "id": "c", "type": "function", "function": {"name": "file_edit", "arguments": ""}});
                let mut chunks = vec![
                    chunk(&json!({"role": "assistant", "content": message}), None),
                    chunk(&json!({"tool_calls": [head]}), None),
                    chunk(&json!({"tool_calls": [{"index": 0, "function": {"arguments": part}}]}), None),
                ];
                if finish.is_some() {
                    chunks.push(chunk(&json!({}), finish));
                }
                for breaks in [false, true] {
                    let options = Replay { tools: tools.clone(), max_tokens: None, breaks };
                    let body = sse(&chunks);
                    let verdict = replay(&options, [body.as_slice()]);
                    if let Verdict::Whole { calls, .. } = &verdict {
                        assert!(calls.is_empty(), "{}: {part} became {calls:?}", cut.cell.name());
                    }
                    judged += 1;
                }
            }
        }
    }
    println!("{judged} cut streams judged");
    assert!(judged > 5_000, "{judged}");
}

#[test]
fn a_fence_cut_at_every_byte_carries_nothing() {
    let subjects = subjects();
    for cut in cuts(&subjects).iter().filter(|cut| cut.cell.carrier == Carrier::Fence) {
        let (message, arguments) = cut.whole();
        let Call::Edit(call) = Call::read("file_edit", &arguments).unwrap() else { panic!("{arguments}") };
        let context = FenceContext { file_id: &cut.file.file_id, path: &cut.file.path, revision: Some(2) };
        assert!(resolve(call.ops.clone(), &message, &context).is_ok());
        for end in boundaries(&message) {
            let refusal = resolve(call.ops.clone(), &message[..end], &context).unwrap_err();
            let code = refusal.code.as_str();
            assert!(matches!(code, "fence_missing" | "fence_unclosed"), "cut at {end}: {code}");
        }
    }
}

#[test]
fn a_diff_cut_at_every_byte_is_no_plan() {
    let subjects = subjects();
    for cut in cuts(&subjects).iter().filter(|cut| cut.cell.carrier == Carrier::MarkdownDiff) {
        let (message, _) = cut.whole();
        assert_eq!(markdown_diff::parse(&message).plan().unwrap().len(), 1);
        for end in boundaries(&message) {
            let set = markdown_diff::parse(&message[..end]);
            assert!(set.is_empty() || set.plan().is_err(), "cut at {end}: {set:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turns_cut_at_every_byte_change_nothing() {
    let step = if std::env::var_os("STET_FULL").is_some() { 1 } else { 23 };
    let subjects = subjects();
    let mut turns = 0;
    for (number, cut) in cuts(&subjects).iter().enumerate() {
        let (message, arguments) = cut.whole();
        for end in boundaries(&arguments).skip(number % step).step_by(step) {
            cut.turn(truncated(&message, &arguments, end), &format!("arguments cut at {end}")).await;
            turns += 1;
        }
        for end in boundaries(&message).skip(number % step).step_by(step) {
            // A diff that ends in the middle, or a whole call whose fence does.
            let reply = match cut.cell.carrier {
                Carrier::MarkdownDiff => cut_text(&message, end),
                _ => Reply::calls(&message[..end], &[("c", "file_edit", &arguments)]),
            };
            cut.turn(reply, &format!("message cut at {end}")).await;
            turns += 1;
        }
    }
    println!("{turns} turns");
    assert!(turns >= 50, "{turns}");
}
