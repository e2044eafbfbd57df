//! Reading: the outline of lines, what kind of text this is, and the whole text for a preview.

use std::collections::HashMap;

use super::{
    buffer::Buffer,
    charset::Charset,
    detect::{Certainty, detect},
    markdown, nearest, open,
};
use crate::{Cancel, DocumentError, Limits, Node, Outline, OutlineRequest, Warning};

/// Fields and punctuation of one node, roughly, beside its text.
const NODE_BYTES: usize = 64;
/// With a budget of a program (the default and above), even a very long line is given whole up to here.
const WHOLE_LINE: usize = 4 << 20;
/// Stands in a line that is shown cut; an edit whose text holds it is refused.
pub(super) const CUT_MARK: &str = "⟦line cut here:";
/// Asked now and then: reading 200 MB takes a moment.
const CANCEL_EVERY: usize = 1 << 16;

/// What a person wants to know about a text file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// `UTF-8`, `UTF-16LE`, `gb18030`, …
    pub encoding: &'static str,
    pub has_mark: bool,
    /// The encoding was told from the bytes and may be wrong.
    pub is_guessed: bool,
    /// Some bytes mean nothing in the encoding; they are kept.
    pub has_invalid: bool,
    pub endings: Endings,
    pub ends_with_newline: bool,
}

/// The line endings in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endings {
    None,
    Lf,
    Crlf,
    Cr,
    Mixed,
}

/// Describes encoding and line endings.
pub fn describe(bytes: &[u8], limits: &Limits) -> Result<Description, DocumentError> {
    let buffer = open(bytes, limits)?;
    let detected = detect(bytes)?;
    let mut endings = Endings::None;
    let step = buffer.charset().unit_bytes();
    for line in buffer.lines_from(buffer.content().start).filter(|line| line.has_ending()) {
        let this = match buffer.charset().decode_at(bytes, line.end).key {
            0x0A => Endings::Lf,
            _ if line.next - line.end > step => Endings::Crlf,
            _ => Endings::Cr,
        };
        if endings != Endings::None && endings != this {
            endings = Endings::Mixed;
            break;
        }
        endings = this;
    }
    Ok(Description {
        encoding: buffer.charset().name(),
        has_mark: detected.bom > 0,
        is_guessed: detected.certainty == Certainty::Guessed,
        has_invalid: detected.certainty == Certainty::Broken,
        endings,
        ends_with_newline: buffer.last_line().is_some_and(|line| line.has_ending()),
    })
}

/// The whole text, without its byte-order mark; bytes that mean nothing become U+FFFD.
pub fn decode(bytes: &[u8], limits: &Limits) -> Result<String, DocumentError> {
    let buffer = open(bytes, limits)?;
    Ok(buffer.text(buffer.content()))
}

/// Describes a text document.
pub fn outline(
    bytes: &[u8],
    request: &OutlineRequest,
    limits: &Limits,
    cancel: Cancel<'_>,
) -> Result<Outline, DocumentError> {
    let buffer = open(bytes, limits)?;
    let mut outline = Outline { warnings: warnings(bytes)?, ..Outline::default() };
    let Some((first, last)) = window(request.range.as_deref()) else {
        let message = "The range was not understood; lines are asked for as `10-40`, `10-` or `10`.";
        return Err(DocumentError::OutOfRange(message.into()));
    };
    let lines = read_lines(&buffer, (first, last), request.budget, cancel, &mut outline)?;
    if outline.nodes.is_empty() && first > 1 {
        let message = format!("The range begins after the last line; the document has {lines} lines.");
        return Err(DocumentError::OutOfRange(message));
    }
    name_sections(&buffer, &mut outline);
    Ok(outline)
}

/// `10-40`, `10-`, `-40`, `10`, with or without an `L`.
fn window(range: Option<&str>) -> Option<(usize, usize)> {
    let Some(range) = range.map(str::trim).filter(|range| !range.is_empty()) else {
        return Some((1, usize::MAX));
    };
    let number = |text: &str| {
        text.trim().trim_start_matches(['L', 'l']).parse::<usize>().ok().filter(|number| *number > 0)
    };
    let (first, last) = match range.split_once(['-', '–', ':']) {
        Some((first, "")) => (number(first)?, usize::MAX),
        Some(("", last)) => (1, number(last)?),
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(range)?, number(range)?),
    };
    (first <= last).then_some((first, last))
}

/// Adds the lines of the window until the budget is spent; returns how many lines were passed.
fn read_lines(
    buffer: &Buffer<'_>,
    (first, last): (usize, usize),
    budget: usize,
    cancel: Cancel<'_>,
    outline: &mut Outline,
) -> Result<usize, DocumentError> {
    let (mut spent, mut number) = (0_usize, 0_usize);
    let cap = if budget >= OutlineRequest::default().budget { budget.max(WHOLE_LINE) } else { budget };
    for line in buffer.lines_from(buffer.content().start) {
        number += 1;
        if number.is_multiple_of(CANCEL_EVERY) && cancel() {
            return Err(DocumentError::Cancelled);
        }
        if number < first {
            continue;
        }
        if number > last {
            break;
        }
        let cost = (line.end - line.start).min(cap) + NODE_BYTES;
        if spent > 0 && spent + cost > budget {
            outline.truncated = true;
            outline.next =
                Some(if last == usize::MAX { format!("{number}-") } else { format!("{number}-{last}") });
            break;
        }
        spent += cost;
        outline.nodes.push(node(buffer, number, line.start..line.end, cap));
    }
    Ok(number)
}

fn node(buffer: &Buffer<'_>, number: usize, content: std::ops::Range<usize>, cap: usize) -> Node {
    let at = format!("L{number}");
    if content.len() <= cap {
        return Node::new(at, "line", buffer.text(content)).with("line", number);
    }
    let cut = buffer.boundary(content.start, content.start + cap.max(16));
    let left_out = content.end - cut;
    let text = format!("{} {CUT_MARK} {left_out} more bytes⟧", buffer.text(content.start..cut));
    Node::new(at, "line", text).with("line", number).with("cut", true).with("bytes", content.len())
}

/// Adds `section` to the lines below (and of) a heading.
fn name_sections(buffer: &Buffer<'_>, outline: &mut Outline) {
    let number_of = |node: &Node| {
        node.more.get("line").and_then(serde_json::Value::as_u64).map_or(0, |line| line as usize)
    };
    let Some(last) = outline.nodes.last().map(number_of) else { return };
    let headings = markdown::headings(buffer, last);
    let mut paths: HashMap<usize, String> = HashMap::new();
    for node in &mut outline.nodes {
        let line = number_of(node);
        let Some(index) = headings.partition_point(|heading| heading.line <= line).checked_sub(1) else {
            continue;
        };
        let path = paths
            .entry(index)
            .or_insert_with(|| nearest::shorten(&markdown::path(&headings, index).join(" > "), 200));
        node.more.insert("section".into(), path.clone().into());
    }
}

/// What to know before editing: a guessed encoding, bytes that could not be read.
fn warnings(bytes: &[u8]) -> Result<Vec<Warning>, DocumentError> {
    let detected = detect(bytes)?;
    let name = detected.charset.name();
    let mut warnings = Vec::new();
    match detected.certainty {
        Certainty::Guessed => warnings.push(Warning::new(
            "encoding_guessed",
            format!("The file does not say its encoding; it looks like {name}. It stays in that encoding."),
        )),
        Certainty::Broken => warnings.push(Warning::new(
            "invalid_bytes",
            "Some bytes are not valid UTF-8; they are shown as U+FFFD and kept as they are.",
        )),
        Certainty::Declared => warnings.push(kept_encoding(name)),
        Certainty::Sure if !matches!(detected.charset, Charset::Utf8) => warnings.push(kept_encoding(name)),
        Certainty::Sure => {}
    }
    Ok(warnings)
}

fn kept_encoding(name: &str) -> Warning {
    Warning::new("encoding", format!("The file is in {name} and stays in it."))
}
