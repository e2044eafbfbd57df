//! The text engine over whole corpora and against a model of lines.

use std::path::{Path, PathBuf};

use documents::{
    Applied, ApplyContext, Edit, EditError, Format, Limits, OutlineRequest, error::EditErrorKind,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use stet_tests::{corpus, entries::middle, fixture};

fn apply(bytes: &[u8], ops: Value) -> Result<Applied, EditError> {
    let ops: Vec<Edit> = serde_json::from_value(ops).unwrap();
    let ctx = ApplyContext {
        author: "Stet",
        now: "2026-11-30T14:00:00Z",
        override_protection: false,
        track_changes: None,
        limits: Limits::default(),
        cancel: &|| false,
    };
    documents::apply(Format::Text, bytes, &ops, &ctx)
}

fn documents() -> Vec<PathBuf> {
    let own = std::fs::read_dir(fixture("text")).unwrap().map(|entry| entry.unwrap().path());
    own.chain(corpus(&["md", "txt"])).collect()
}

fn lines(path: &Path, bytes: &[u8]) -> Option<Vec<(usize, String)>> {
    let request = OutlineRequest::default();
    match documents::outline(Format::Text, bytes, &request, &Limits::default(), &|| false) {
        Ok(outline) => Some(
            outline
                .nodes
                .iter()
                .map(|node| (node.more["line"].as_u64().unwrap() as usize, node.text.clone()))
                .collect(),
        ),
        Err(refusal) => {
            assert!(path.ends_with("nul-controls.txt"), "{}: {refusal}", path.display());
            None
        }
    }
}

/// What the outline shows of a line, and four letters more: nothing but the letters is written.
#[test]
fn a_line_and_a_word_writes_a_word() {
    for path in documents() {
        let bytes = std::fs::read(&path).unwrap();
        let Some(lines) = lines(&path, &bytes) else { continue };
        for (line, text) in lines.into_iter().take(40) {
            let ops = json!([{"op": "replace_lines", "start_line": line, "end_line": line, "text": format!("{text} Stet")}]);
            let applied =
                apply(&bytes, ops).unwrap_or_else(|error| panic!("{} line {line}: {error}", path.display()));
            let (gone, come) = middle(&bytes, &applied.bytes);
            assert!(gone == 0 && come <= 10, "{} line {line}: {gone} bytes became {come}", path.display());
        }
    }
}

#[test]
fn a_line_put_in_its_own_place_changes_nothing() {
    for path in documents() {
        let bytes = std::fs::read(&path).unwrap();
        let Some(lines) = lines(&path, &bytes) else { continue };
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { continue };
        let text: Vec<&str> = lines.iter().map(|(_, text)| text.as_str()).collect();
        let ops = json!([{"op": "replace_lines", "start_line": first.0, "end_line": last.0, "text": text.join("\n") + "\n"}]);
        let applied = apply(&bytes, ops).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(applied.bytes == bytes, "{}", path.display());
        assert_eq!(applied.changes, [], "{}", path.display());
    }
}

/// A line of the model: the number it had when it was read, its text, its ending.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    base: Option<usize>,
    text: String,
    ending: &'static str,
}

/// Lines as an argument; the last break adds no line, so an empty last line needs it.
fn whole(lines: &[String]) -> String {
    lines.join("\n") + "\n"
}

#[derive(Debug, Clone)]
enum Step {
    Insert { line: usize, after: bool, text: Vec<String> },
    Replace { first: usize, count: usize, text: Vec<String> },
    Delete { first: usize, count: usize },
    Append { text: Vec<String> },
}

impl Step {
    fn op(&self) -> Value {
        match self {
            Step::Insert { line, after, text } => {
                json!({"op": "insert_lines", "line": line, "text": whole(text), "position": if *after { "after" } else { "before" }})
            }
            Step::Replace { first, count, text } => {
                json!({"op": "replace_lines", "start_line": first, "end_line": first + count - 1, "text": whole(text)})
            }
            Step::Delete { first, count } => {
                json!({"op": "delete_lines", "start_line": first, "end_line": first + count - 1})
            }
            Step::Append { text } => json!({"op": "append_lines", "text": whole(text).replace('\n', "\r\n")}),
        }
    }

    /// The same on rows that carry their own numbers: no arithmetic of positions here. `None` where the engine must refuse.
    fn run(&self, rows: &mut Vec<Row>) -> Option<()> {
        let place = |rows: &[Row], line: usize| rows.iter().position(|row| row.base == Some(line));
        let fresh = |text: &[String]| {
            text.iter().map(|text| Row { base: None, text: text.clone(), ending: "\n" }).collect::<Vec<_>>()
        };
        let range = |rows: &[Row], first: usize, count: usize| {
            let (start, end) = (place(rows, first)?, place(rows, first + count - 1)?);
            (end - start == count - 1).then_some(start..end + 1)
        };
        match self {
            Step::Insert { line: 1, text, .. } if rows.is_empty() => rows.extend(fresh(text)),
            Step::Insert { line, after, text } => {
                let at = place(rows, *line)? + usize::from(*after);
                rows.splice(at..at, fresh(text));
            }
            Step::Replace { first, count, text } => {
                let range = range(rows, *first, *count)?;
                let mut new = fresh(text);
                if new.len() == range.len() {
                    for (row, old) in new.iter_mut().zip(&rows[range.clone()]) {
                        row.base = old.base;
                    }
                }
                rows.splice(range, new);
            }
            Step::Delete { first, count } => drop(rows.drain(range(rows, *first, *count)?)),
            Step::Append { text } => rows.extend(fresh(text)),
        }
        Some(())
    }
}

fn steps(is_open: bool) -> impl Strategy<Value = Vec<Step>> {
    let line = if is_open { "[a-c]{1,2}" } else { "[a-c]{0,2}" };
    let text = move || prop::collection::vec(line, 1..4);
    let step = prop_oneof![
        (1_usize..9, any::<bool>(), text()).prop_map(|(line, after, text)| Step::Insert {
            line,
            after,
            text
        }),
        (1_usize..9, 1_usize..4, text()).prop_map(|(first, count, text)| Step::Replace {
            first,
            count,
            text
        }),
        (1_usize..9, 1_usize..4).prop_map(|(first, count)| Step::Delete { first, count }),
        text().prop_map(|text| Step::Append { text }),
    ];
    prop::collection::vec(step, 1..6)
}

/// A document and what is done to it. An open one (without an ending of its last line) has no empty lines here: an empty last line
/// without an ending is no line.
fn cases() -> impl Strategy<Value = (Vec<Row>, Vec<Step>)> {
    any::<bool>().prop_flat_map(|is_open| (rows(is_open), steps(is_open)))
}

fn rows(is_open: bool) -> impl Strategy<Value = Vec<Row>> {
    let text = if is_open { "[a-z]{1,3}" } else { "[a-z]{0,3}" };
    let row = (text, prop_oneof![Just("\n"), Just("\r\n")]);
    prop::collection::vec(row, 0..8).prop_map(move |rows| {
        let count = rows.len();
        let numbered = rows.into_iter().enumerate().map(|(index, (text, ending))| {
            let is_last = index + 1 == count;
            let ending = if is_last && is_open { "" } else { ending };
            Row { base: Some(index + 1), text, ending }
        });
        numbered.collect()
    })
}

fn split(text: &str) -> Vec<(String, String)> {
    let lines = text.split_inclusive('\n').map(|line| {
        let content = line.trim_end_matches(['\r', '\n']);
        (content.to_owned(), line[content.len()..].to_owned())
    });
    lines.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    /// One batch with base positions does what following each line by hand does, and every untouched line keeps its bytes.
    #[test]
    fn base_positions_agree_with_following_lines((before, steps) in cases(), wide in any::<bool>()) {
        let text: String = before.iter().map(|row| format!("{}{}", row.text, row.ending)).collect();
        let bytes = encode(&text, wide);
        let ops: Value = steps.iter().map(Step::op).collect();
        let mut rows = before.clone();
        let failing = steps.iter().position(|step| step.run(&mut rows).is_none());
        match (apply(&bytes, ops), failing) {
            (Err(error), Some(op)) => {
                prop_assert_eq!((error.kind, error.op), (EditErrorKind::OutOfRange, Some(op)));
            }
            (Ok(applied), None) => {
                let after = split(&decode(&applied.bytes, wide));
                let texts: Vec<&str> = after.iter().map(|(text, _)| text.as_str()).collect();
                let expected: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
                let was_open = before.last().is_some_and(|row| row.ending.is_empty());
                prop_assert_eq!(&texts, &expected);
                if let (false, Some((_, ending))) = (before.is_empty(), after.last()) {
                    prop_assert_eq!(ending.is_empty(), was_open, "the final newline");
                }
                // An open last line takes the ending before it along when it goes.
                let last_is_there = rows.iter().any(|row| row.base == before.last().and_then(|last| last.base));
                let kept = rows.iter().zip(&after).filter(|(row, _)| before.contains(row) && !row.ending.is_empty());
                for (row, (_, ending)) in kept.filter(|_| !was_open || last_is_there) {
                    prop_assert!(ending == row.ending, "{:?}", row);
                }
            }
            (result, failing) => prop_assert!(false, "engine: {:?}, model fails at {:?}", result.map(|a| a.changes), failing),
        }
    }

    /// A failing batch is told by its failing operation, and nothing of it is done.
    #[test]
    fn a_failing_batch_fails_whole((before, steps) in cases()) {
        let text: String = before.iter().map(|row| format!("{}{}", row.text, row.ending)).collect();
        let mut ops: Vec<Value> = steps.iter().map(Step::op).collect();
        ops.push(json!({"op": "delete_text", "find": "no such text"}));
        let error = apply(text.as_bytes(), ops.into()).unwrap_err();
        prop_assert!(error.op.is_some_and(|op| op <= steps.len()));
    }

    /// What was put in can be taken out again, in any encoding.
    #[test]
    fn replacing_back_gives_the_old_bytes(lines in prop::collection::vec("[ -~]{0,12}", 1..6), place in 0_usize..6, wide in any::<bool>(), ending in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")]) {
        let place = place % lines.len();
        let mut marked = lines.clone();
        marked[place].insert_str(0, "⁂unique⁂");
        let bytes = encode(&marked.join(ending), wide);
        let there = apply(&bytes, json!([{"op": "replace_text", "find": "⁂unique⁂", "replace": "one\ntwo⁂"}])).unwrap();
        let back = apply(&there.bytes, json!([{"op": "replace_text", "find": "one\ntwo⁂", "replace": "⁂unique⁂"}])).unwrap();
        prop_assert_eq!(back.bytes, bytes);
    }
}

fn encode(text: &str, wide: bool) -> Vec<u8> {
    if wide {
        [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    } else {
        text.as_bytes().to_vec()
    }
}

fn decode(bytes: &[u8], wide: bool) -> String {
    if wide {
        let units: Vec<u16> =
            bytes[2..].chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
        String::from_utf16(&units).unwrap()
    } else {
        String::from_utf8(bytes.to_vec()).unwrap()
    }
}
