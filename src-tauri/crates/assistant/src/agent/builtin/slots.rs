//! What may stand in a slot of a command: quoted text, numbers, cells, ranges, names, values.
//!
//! Each reader answers all readings of the text at a position, the preferred one first; the matcher tries them in that order.

use super::pattern::{self, Surroundings};

mod cells;
mod doubt;
mod formats;
mod numbers;
mod quotes;
mod styles;
mod vague;

pub use cells::{cell_at, is_range};
pub use numbers::{Place, number_at};
pub use quotes::quoted_at;

/// The value of a slot.
#[derive(Debug, Clone, PartialEq)]
pub enum Captured {
    Flag,
    Text {
        text: String,
        quoted: bool,
    },
    Place(Place),
    Ranges(Vec<(Place, Place)>),
    Unit(Unit),
    Number(f64),
    /// Formatting properties as the fields of `xlsx_set_format`.
    Properties(Vec<(&'static str, serde_json::Value)>),
}

/// What a command counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A line of a text, a row of a sheet or table: "line", "row", 行.
    Line,
    Paragraph,
    Slide,
    Column,
}

pub(super) type Candidate = (Captured, usize);

/// A character as it is compared: lower case, full-width forms (，：； among them) as their plain forms.
pub fn fold(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => {
            let plain = char::from_u32(c as u32 - 0xFEE0).unwrap_or(c);
            plain.to_ascii_lowercase()
        }
        '\u{3000}' => ' ',
        other => other.to_ascii_lowercase(),
    }
}

pub fn skip_blanks(text: &[char], at: usize) -> usize {
    at + text[at.min(text.len())..].iter().take_while(|c| c.is_whitespace() && **c != '\n').count()
}

/// All readings of a slot of this kind at a position without leading blanks.
pub(super) fn candidates(kind: &str, around: &dyn Surroundings, at: usize) -> Vec<Candidate> {
    let text = around.text();
    match kind {
        "q" => quotes::quoted_at(text, at)
            .map(|(quoted, end)| (quotes::captured(quoted), end))
            .into_iter()
            .collect(),
        "t" => text_or_rest(around, at, Extent::Clause),
        "b" => text_or_rest(around, at, Extent::Block),
        "u" => unquoted(text, at),
        "words" => plain_words(text, at),
        "n" => numbers::number_at(text, at)
            .map(|(place, end)| (Captured::Place(place), end))
            .into_iter()
            .collect(),
        "nums" => numbers::ranges(text, at),
        "unit" => unit(text, at),
        "one" => unit(text, at).into_iter().filter(|(_, end)| !is_plural(text, *end)).collect(),
        "cell" => cells::cell(text, at),
        "cells" => cells::list(text, at),
        "range" => cells::range(text, at),
        "cols" => cells::columns(text, at),
        "name" => name(text, at),
        "at" => address(text, at),
        "file" => file(around, at),
        "path" => path(text, at),
        "w" => words(text, at),
        "num" => decimal(text, at),
        "snap" => snapshot(text, at),
        "blank" => blank(text, at),
        "sty" => styles::style(text, at),
        "props" => formats::properties(text, at),
        "color" => formats::color(text, at),
        _ => Vec::new(),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Extent {
    /// To the end of the line, or to a separator behind which another command begins.
    Clause,
    /// To the end of the message, or to a line or separator behind which another command begins.
    Block,
}

fn text_or_rest(around: &dyn Surroundings, at: usize, extent: Extent) -> Vec<Candidate> {
    let text = around.text();
    let mut found = Vec::new();
    let is_announced = doubt::is_announced(text, at);
    if let Some((quoted, end)) = quotes::quoted_at(text, at) {
        if around.closes(end) || pattern::phrase_at(end, around) {
            return vec![(quotes::captured(quoted), end)];
        }
        // Words behind the closing quote: a second thing to do, a condition, a place. They are no part of the text.
        let rest: String = text[end..].iter().collect();
        if !is_announced || doubt::goes_on(&rest) {
            return found;
        }
    }
    let start = match extent {
        Extent::Block => at + text[at..].iter().take_while(|c| c.is_whitespace()).count(),
        Extent::Clause => at,
    };
    let mut end = start;
    while end < text.len() {
        let c = text[end];
        let separates =
            matches!(fold(c), ',' | ';' | '\n') || matches!(c, '。' | '！') || is_full_stop(text, end);
        if separates && around.command_begins(end + 1) {
            found.push(ended(text, start, end, extent));
            return keep_sure(found, is_announced);
        }
        if c == '\n' && extent == Extent::Clause {
            break;
        }
        end += 1;
    }
    found.push(ended(text, start, end, extent));
    keep_sure(found, is_announced)
}

/// Text without quotes and without a colon before it must not look as if it went on with something else.
fn keep_sure(found: Vec<Candidate>, is_announced: bool) -> Vec<Candidate> {
    let is_sure = |(value, _): &Candidate| match value {
        Captured::Text { text, .. } => is_announced || !doubt::goes_on(text),
        _ => true,
    };
    keep_filled(found).into_iter().filter(is_sure).collect()
}

/// Unquoted text without the politeness behind it, unless it is a whole block.
fn ended(text: &[char], start: usize, end: usize, extent: Extent) -> Candidate {
    let (value, end) = plain(&text[start..end], end);
    let Captured::Text { text, quoted } = value else { return (value, end) };
    if extent == Extent::Block {
        return (Captured::Text { text, quoted }, end);
    }
    let polite = ["please", "thanks", "thank you", "谢谢", "谢谢你", "谢谢您"];
    let cut = polite.iter().find_map(|word| {
        let rest = text.strip_suffix(word)?;
        let is_apart = rest.ends_with([' ', ',', '，', '。', '.', '!', '！']) || !word.is_ascii();
        is_apart.then(|| rest.trim_end_matches([' ', ',', '，', '。', '.', '!', '！']).to_string())
    });
    let text = cut.filter(|cut| !cut.is_empty()).unwrap_or(text);
    (Captured::Text { text, quoted }, end)
}

fn is_full_stop(text: &[char], at: usize) -> bool {
    text[at] == '.' && text.get(at + 1).is_none_or(|next| next.is_whitespace())
}

fn plain(text: &[char], end: usize) -> Candidate {
    let text: String = text.iter().collect();
    let text = text.trim().trim_end_matches('。').trim_end().to_string();
    (Captured::Text { text, quoted: false }, end)
}

fn keep_filled(found: Vec<Candidate>) -> Vec<Candidate> {
    let is_filled = |(value, _): &Candidate| !matches!(value, Captured::Text { text, .. } if text.is_empty());
    found.into_iter().filter(is_filled).collect()
}

/// Text without quotes, shortest first: for `replace colour with color`.
fn unquoted(text: &[char], at: usize) -> Vec<Candidate> {
    let longest = text[at..].iter().take(200).take_while(|c| **c != '\n' && !quotes::is_quote(**c)).count();
    keep_filled((1..=longest).map(|length| plain(&text[at..at + length], at + length)).collect())
}

/// Text without quotes that somebody wants replaced: not "it" or "the title", which name something instead of quoting it.
fn plain_words(text: &[char], at: usize) -> Vec<Candidate> {
    let names_nothing =
        |(value, _): &Candidate| matches!(value, Captured::Text { text, .. } if !vague::is_vague(text));
    unquoted(text, at).into_iter().filter(names_nothing).collect()
}

fn is_plural(text: &[char], end: usize) -> bool {
    text.get(end.wrapping_sub(1)).is_some_and(|c| fold(*c) == 's')
}

/// Words without quotes up to the next comma, semicolon or line end.
fn words(text: &[char], at: usize) -> Vec<Candidate> {
    let stops =
        |c: &char| matches!(fold(*c), ',' | ';' | '\n') || matches!(c, '。' | '、') || quotes::is_quote(*c);
    let length = text[at..].iter().take_while(|c| !stops(c)).count();
    keep_filled(vec![plain(&text[at..at + length], at + length)])
}

fn decimal(text: &[char], at: usize) -> Vec<Candidate> {
    let is_part = |c: &char| fold(*c).is_ascii_digit() || fold(*c) == '.';
    let length = text[at..].iter().take_while(|c| is_part(c)).count();
    let number: String = text[at..at + length].iter().map(|c| fold(*c)).collect();
    let trimmed = number.trim_end_matches('.');
    let end = at + trimmed.len();
    trimmed.parse().ok().map(|number| (Captured::Number(number), end)).into_iter().collect()
}

fn snapshot(text: &[char], at: usize) -> Vec<Candidate> {
    let length = text[at..].iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '-').count();
    let id: String = text[at..at + length].iter().collect::<String>().to_ascii_lowercase();
    if id.starts_with("snap-") {
        vec![(Captured::Text { text: id, quoted: false }, at + length)]
    } else {
        Vec::new()
    }
}

/// At least one blank, where only a gap separates a command from its text.
fn blank(text: &[char], at: usize) -> Vec<Candidate> {
    let end = skip_blanks(text, at);
    if end > at { vec![(Captured::Flag, end)] } else { Vec::new() }
}

/// A name of a sheet or style: quoted, or a word; the longest reading first.
fn name(text: &[char], at: usize) -> Vec<Candidate> {
    if let Some((quoted, end)) = quotes::quoted_at(text, at) {
        return vec![(quotes::captured(quoted), end)];
    }
    let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-' | '&');
    let is_glue = |c: &char| matches!(c, '第' | '把' | '将' | '在' | '的' | '给');
    let longest = text[at..].iter().take(31).take_while(|c| is_part(c) && !is_glue(c)).count();
    // "Data工作表" is the sheet Data.
    let run: String = text[at..at + longest].iter().collect();
    let longest = run.find("工作表").map_or(longest, |cut| run[..cut].chars().count());
    (1..=longest)
        .rev()
        .filter(|length| ends_word(text, at + length))
        .map(|length| plain(&text[at..at + length], at + length))
        .collect()
}

/// Whether a word of Latin letters or digits is not cut in two here.
fn ends_word(text: &[char], at: usize) -> bool {
    let is_latin = |c: Option<&char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_');
    !(is_latin(text.get(at.wrapping_sub(1))) && is_latin(text.get(at)))
}

/// A place in a Word document as the outline prints it: `p12`, `t1.r2.c3.p1`, `header1.p1`.
fn address(text: &[char], at: usize) -> Vec<Candidate> {
    let length = text[at..].iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '.').count();
    let word: String = text[at..at + length].iter().collect();
    let word = word.trim_end_matches('.').to_ascii_lowercase();
    let is_step = |step: &str| {
        let letters = step.trim_end_matches(|c: char| c.is_ascii_digit());
        let known = matches!(
            letters,
            "p" | "t" | "r" | "c" | "header" | "footer" | "footnote" | "endnote" | "textbox" | "comment"
        );
        known && letters.len() < step.len()
    };
    let fits = word.split('.').all(is_step) && (word.starts_with('p') || word.contains('.'));
    let end = at + word.chars().count();
    if fits { vec![(Captured::Text { text: word, quoted: false }, end)] } else { Vec::new() }
}

/// One of the open files, by its name; 《name》 may leave the extension out.
fn file(around: &dyn Surroundings, at: usize) -> Vec<Candidate> {
    let text = around.text();
    let (start, title) = match text.get(at) {
        Some('《') => (at + 1, true),
        Some(c) if quotes::is_quote(*c) => (at + 1, false),
        _ => (at, false),
    };
    let begins_with = |name: &str| {
        let name: Vec<char> = name.chars().collect();
        let end = start + name.len();
        let same = text.len() >= end && text[start..end].iter().zip(&name).all(|(a, b)| fold(*a) == fold(*b));
        (same && !name.is_empty() && ends_word(text, end)).then_some(end)
    };
    let closed = |end: usize| {
        if start == at { Some(end) } else { text.get(end).filter(|c| !c.is_alphanumeric()).map(|_| end + 1) }
    };
    around
        .files()
        .iter()
        .filter_map(|name| {
            let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
            let end = begins_with(name).or_else(|| if title { begins_with(stem) } else { None })?;
            Some((Captured::Text { text: name.clone(), quoted: false }, closed(end)?))
        })
        .collect()
}

/// A new file's name: quoted, or up to the next blank or colon.
fn path(text: &[char], at: usize) -> Vec<Candidate> {
    if let Some((quoted, end)) = quotes::quoted_at(text, at) {
        return vec![(quotes::captured(quoted), end)];
    }
    let stops = |c: &char| c.is_whitespace() || matches!(fold(*c), ',' | ':' | ';');
    let length = text[at..].iter().take_while(|c| !stops(c)).count();
    let word: String = text[at..at + length].iter().collect();
    if word.contains('.') {
        vec![(Captured::Text { text: word, quoted: false }, at + length)]
    } else {
        Vec::new()
    }
}

const UNITS: &[(&str, Unit)] = &[
    ("lines", Unit::Line),
    ("line", Unit::Line),
    ("rows", Unit::Line),
    ("row", Unit::Line),
    ("paragraphs", Unit::Paragraph),
    ("paragraph", Unit::Paragraph),
    ("slides", Unit::Slide),
    ("slide", Unit::Slide),
    ("pages", Unit::Slide),
    ("page", Unit::Slide),
    ("columns", Unit::Column),
    ("column", Unit::Column),
    ("页幻灯片", Unit::Slide),
    ("张幻灯片", Unit::Slide),
    ("页ppt", Unit::Slide),
    ("张ppt", Unit::Slide),
    ("幻灯片", Unit::Slide),
    ("个段落", Unit::Paragraph),
    ("自然段", Unit::Paragraph),
    ("段落", Unit::Paragraph),
    ("段", Unit::Paragraph),
    ("页", Unit::Slide),
    ("张", Unit::Slide),
    ("行", Unit::Line),
    ("列", Unit::Column),
];

fn unit(text: &[char], at: usize) -> Vec<Candidate> {
    unit_at(text, at).map(|(unit, end)| (Captured::Unit(unit), end)).into_iter().collect()
}

pub(super) fn unit_at(text: &[char], at: usize) -> Option<(Unit, usize)> {
    UNITS.iter().find_map(|(word, unit)| {
        let end = at + word.chars().count();
        let same = text.len() >= end && text[at..end].iter().zip(word.chars()).all(|(a, b)| fold(*a) == b);
        (same && ends_word(text, end)).then_some((*unit, end))
    })
}
