//! Cells, ranges and columns of workbooks as a person types them.

use super::quotes::quoted_at;
use super::{Candidate, Captured, fold, skip_blanks};

/// A cell such as `B4` or `$B$4` at a position, in capitals without `$`.
pub fn cell_at(text: &[char], at: usize) -> Option<(String, usize)> {
    let mut end = at;
    let mut letters = String::new();
    let mut digits = String::new();
    end += usize::from(text.get(end) == Some(&'$'));
    while let Some(c) = text.get(end).map(|c| fold(*c)).filter(char::is_ascii_alphabetic) {
        letters.push(c.to_ascii_uppercase());
        end += 1;
    }
    end += usize::from(text.get(end) == Some(&'$'));
    while let Some(c) = text.get(end).map(|c| fold(*c)).filter(char::is_ascii_digit) {
        digits.push(c);
        end += 1;
    }
    let cuts_word = text.get(end).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_');
    let fits =
        (1..=3).contains(&letters.len()) && (1..=7).contains(&digits.len()) && !digits.starts_with('0');
    (fits && !cuts_word).then(|| (letters + &digits, end))
}

/// `Sheet1!`, `'My Sheet'!` before a cell, with its length.
fn sheet_prefix(text: &[char], at: usize) -> Option<(String, usize)> {
    let (name, end) = match quoted_at(text, at) {
        Some(quoted) => quoted,
        None => {
            let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
            let length = text[at.min(text.len())..].iter().take_while(|c| is_part(c)).count();
            (text[at..at + length].iter().collect(), at + length)
        }
    };
    (!name.is_empty() && text.get(end).is_some_and(|c| fold(*c) == '!')).then_some((name, end + 1))
}

/// A cell, with its sheet in front when there is one: `Data!B4`.
pub(super) fn cell(text: &[char], at: usize) -> Vec<Candidate> {
    let (prefix, start) = with_prefix(text, at);
    let read = cell_at(text, start).map(|(cell, end)| (captured(prefix + &cell), end));
    read.into_iter().collect()
}

/// A range `A1:C3` (or `A1到C3`), or a single cell.
pub(super) fn range(text: &[char], at: usize) -> Vec<Candidate> {
    let (prefix, start) = with_prefix(text, at);
    let Some((first, end)) = cell_at(text, start) else { return Vec::new() };
    let next = skip_blanks(text, end);
    let separator = text.get(next).map(|c| fold(*c)).filter(|c| matches!(c, ':' | '-' | '到' | '至' | '~'));
    let second = separator.and_then(|_| cell_at(text, skip_blanks(text, next + 1)));
    // Half of a range is not what was meant.
    match second {
        Some((second, end)) => vec![(captured(format!("{prefix}{first}:{second}")), end)],
        None => vec![(captured(prefix + &first), end)],
    }
}

/// A list of cells and ranges, `A1, B2 and C3` as `A1,B2,C3`, the longest first; or one of them.
pub(super) fn list(text: &[char], at: usize) -> Vec<Candidate> {
    let mut readings: Vec<Candidate> = Vec::new();
    let mut all: Vec<String> = Vec::new();
    let mut next = at;
    while let Some((Captured::Text { text: cells, .. }, end)) = range(text, next).pop() {
        all.push(cells);
        readings.push((captured(all.join(",")), end));
        match list_sign(text, end) {
            Some(after) => next = after,
            None => break,
        }
    }
    readings.reverse();
    readings
}

/// After a comma, "and", 和 or 、.
fn list_sign(text: &[char], end: usize) -> Option<usize> {
    let at = skip_blanks(text, end);
    let sign = text.get(at).map(|c| fold(*c)).filter(|c| matches!(c, ',' | '、' | '和' | '及' | '与' | '&'));
    let at = sign.map_or(at, |_| skip_blanks(text, at + 1));
    let word =
        text[at.min(text.len())..].starts_with(&['a', 'n', 'd', ' ']).then(|| skip_blanks(text, at + 4));
    word.or(sign.map(|_| at))
}

fn with_prefix(text: &[char], at: usize) -> (String, usize) {
    match sheet_prefix(text, at) {
        Some((name, start)) => (format!("{name}!"), start),
        None => (String::new(), at),
    }
}

fn captured(text: String) -> Captured {
    Captured::Text { text, quoted: false }
}

/// Columns: `C`, `B:D`, `B-D`, `B到D`, as `C` or `B:D`.
pub(super) fn columns(text: &[char], at: usize) -> Vec<Candidate> {
    let Some((first, end)) = letters(text, at) else { return Vec::new() };
    let next = skip_blanks(text, end);
    let sign = text.get(next).map(|c| fold(*c)).filter(|c| matches!(c, ':' | '-' | '到' | '至' | '~'));
    let word_to = text[next.min(text.len())..].starts_with(&['t', 'o', ' ']).then_some(next + 3);
    let after = sign.map(|_| next + 1).or(word_to);
    let mut found = Vec::new();
    if let Some((second, end)) = after.and_then(|after| letters(text, skip_blanks(text, after))) {
        found.push((captured(format!("{first}:{second}")), end));
    }
    found.push((captured(first), end));
    with_more_columns(text, found)
}

/// `B, D and F` as `B,D,F` before the reading of the first alone.
fn with_more_columns(text: &[char], found: Vec<Candidate>) -> Vec<Candidate> {
    let mut all = Vec::new();
    for (value, end) in found {
        let after = list_sign(text, end).map(|at| text[at..].strip_prefix(&['第']).map_or(at, |_| at + 1));
        let more = after.map(|after| columns(text, after)).unwrap_or_default();
        if let Captured::Text { text: first, .. } = &value {
            all.extend(more.into_iter().filter_map(|(rest, end)| match rest {
                Captured::Text { text: rest, .. } => Some((captured(format!("{first},{rest}")), end)),
                _ => None,
            }));
        }
        all.push((value, end));
    }
    all
}

fn letters(text: &[char], at: usize) -> Option<(String, usize)> {
    let length = text[at.min(text.len())..].iter().take_while(|c| fold(**c).is_ascii_alphabetic()).count();
    let end = at + length;
    let cuts_word = text.get(end).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_');
    let word: String = text[at..end].iter().map(|c| fold(*c).to_ascii_uppercase()).collect();
    ((1..=3).contains(&length) && !cuts_word).then_some((word, end))
}

/// Whether a captured range covers more than one cell.
pub fn is_range(range: &str) -> bool {
    range.rsplit('!').next().is_some_and(|cells| cells.contains(':'))
}
