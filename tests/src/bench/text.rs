//! Text files of 200 MB and lines of 1 MB, against a floor that reads, looks once, and writes.
//!
//! The floor: one `memmem` over the bytes, and a copy of them with the place replaced. The engine does the same through `apply`, with
//! its encoding looked at, its place proved unique, its lines numbered and its receipt made.

use std::time::Duration;

use documents::{Applied, ApplyContext, Edit, EditError, Format, Limits, OutlineRequest};
use serde_json::{Value, json};

use super::{bound, memory};

/// A text of log lines, and one line of it that is looked for.
const LARGE: usize = 200_000_000;
const LINE: usize = 1_000_000;
const ROUNDS: usize = 3;

type Measured = (Duration, Option<u64>);

/// Measures and gives the table.
pub fn text() -> String {
    let mut table = format!(
        "Medians of {ROUNDS} (time on the processor, one thread); memory above the document itself.\n\n| what | ms | × floor | peak memory, × document |\n|---|---|---|---|\n"
    );
    large(&mut table);
    long_line(&mut table);
    table
}

fn large(table: &mut String) {
    let (content, half) = (log(LARGE), log(LARGE / 2));
    let needle = line(content.len() / 2 / 64);
    let floor = measure(|| replaced(&content, needle.trim_end()));
    row(table, "200 MB: floor (find, copy)", &floor, &floor, content.len());
    let outline = measure(|| outlined(&content));
    row(table, "open and outline (first window)", &outline, &floor, content.len());
    let replace = json!([{"op": "replace_text", "find": needle.trim_end(), "replace": "another line"}]);
    let unique = measure(|| applied(&content, &replace));
    row(table, "replace_text, unique", &unique, &floor, content.len());
    let smaller = json!([{"op": "replace_text", "find": line(half.len() / 2 / 64).trim_end(), "replace": "another line"}]);
    let halved = measure(|| applied(&half, &smaller));
    row(table, "the same in 100 MB", &halved, &floor, half.len());
    let over_lines = json!([{"op": "replace_text", "find": format!("{needle}{}", line(content.len() / 2 / 64 + 1)), "replace": "two lines\n"}]);
    row(
        table,
        "replace_text over a line end",
        &measure(|| applied(&content, &over_lines)),
        &floor,
        content.len(),
    );
    let missing =
        json!([{"op": "replace_text", "find": needle.trim_end().replace("worker", "worxer"), "replace": ""}]);
    let nearest = measure(|| refused(&content, &missing));
    row(table, "replace_text, zero matches with nearest candidates", &nearest, &floor, content.len());
    let append = json!([{"op": "append_lines", "text": "the end"}]);
    row(table, "append_lines", &measure(|| applied(&content, &append)), &floor, content.len());
    let ratio =
        |measured: &Measured, other: &Measured| measured.0.as_secs_f64() / other.0.as_secs_f64().max(1e-9);
    bound("text: an edit of 200 MB against one of 100 MB (linear is 2)", ratio(&unique, &halved), 2.5);
    let highest = [&outline, &unique, &nearest].iter().filter_map(|measured| measured.1).max();
    let share = highest.map_or(f64::NAN, |bytes| bytes as f64 / content.len() as f64 + 1.0);
    bound("text: peak memory of an edit in 200 MB, with the document, against the document", share, 3.0);
}

fn long_line(table: &mut String) {
    let content = [vec![b'x'; LINE / 2], b" needle ".to_vec(), vec![b'y'; LINE / 2]].concat();
    let floor = measure(|| replaced(&content, "needle"));
    row(table, "one line of 1 MB: floor", &floor, &floor, content.len());
    let found = json!([{"op": "replace_text", "find": "needle", "replace": "pin"}]);
    row(table, "replace_text, unique", &measure(|| applied(&content, &found)), &floor, content.len());
    let missing = json!([{"op": "replace_text", "find": "needles", "replace": "pin"}]);
    row(table, "replace_text, zero matches", &measure(|| refused(&content, &missing)), &floor, content.len());
}

fn row(table: &mut String, label: &str, measured: &Measured, floor: &Measured, size: usize) {
    // The processor's time is told by the tick; what takes less is no divisor.
    let ratio = match floor.0.as_millis() {
        0 => "–".into(),
        _ => format!("{:.2}", measured.0.as_secs_f64() / floor.0.as_secs_f64()),
    };
    let memory = measured.1.map_or("–".into(), |bytes| format!("{:.2}", bytes as f64 / size as f64));
    table.push_str(&format!("| {label} | {} | {ratio} | {memory} |\n", measured.0.as_millis()));
}

fn measure<T>(work: impl Fn() -> T) -> Measured {
    let mut times = Vec::new();
    let mut highest = None;
    for _ in 0..ROUNDS {
        let start = memory::processor_time();
        let (_, rise) = memory::peak(&work);
        times.push(memory::processor_time() - start);
        highest = highest.max(rise);
    }
    times.sort_unstable();
    (times[ROUNDS / 2], highest)
}

/// 64 bytes, like no other line.
fn line(number: usize) -> String {
    format!(
        "{number:010} info  worker {:<4} took {:>9} µs for a request\n",
        number % 977,
        (number * 7919) % 1_000_003
    )
}

fn log(size: usize) -> Vec<u8> {
    let mut content = Vec::with_capacity(size + 64);
    let mut number = 0;
    while content.len() < size {
        content.extend_from_slice(line(number).as_bytes());
        number += 1;
    }
    content
}

fn replaced(content: &[u8], needle: &str) -> Vec<u8> {
    let at = memchr::memmem::find(content, needle.as_bytes()).unwrap_or_default();
    let mut out = Vec::with_capacity(content.len() + 16);
    out.extend_from_slice(&content[..at]);
    out.extend_from_slice(b"another line");
    out.extend_from_slice(&content[(at + needle.len()).min(content.len())..]);
    out
}

fn outlined(content: &[u8]) -> usize {
    let request = OutlineRequest { range: None, budget: 64 << 10 };
    let outline = documents::outline(Format::Text, content, &request, &Limits::default(), &|| false);
    outline.map_or(0, |outline| outline.nodes.len())
}

/// The size of the result; an edit that is refused is no measurement.
#[allow(clippy::expect_used)]
fn applied(content: &[u8], ops: &Value) -> usize {
    outcome(content, ops).expect("the edit is made").bytes.len()
}

/// The time until a refusal.
#[allow(clippy::expect_used)]
fn refused(content: &[u8], ops: &Value) -> usize {
    outcome(content, ops).expect_err("the edit is refused").matches.len()
}

fn outcome(content: &[u8], ops: &Value) -> Result<Applied, EditError> {
    let edits: Vec<Edit> = serde_json::from_value(ops.clone()).unwrap_or_default();
    let ctx = ApplyContext {
        author: "",
        now: "",
        override_protection: false,
        track_changes: None,
        limits: Limits::default(),
        cancel: &|| false,
    };
    documents::apply(Format::Text, content, &edits, &ctx)
}
