//! What a text that was not found may have meant: at most three lines, ranked by the letter triples they share with it.
//!
//! Cheap on purpose: small files are read once; of large ones only the lines that hold one of the longest words.

use std::collections::HashSet;

use super::buffer::{Buffer, Line};
use super::search::{find_all, plain_form};
use crate::{Cancel, EditError, Place, edit::Matching};

/// Up to here every line is looked at.
const READ_ALL: usize = 8 << 20;
/// In a larger file, this many lines per word.
const LINES_PER_WORD: usize = 500;
/// Longer lines are judged by this much around the word, or by their beginning.
const WINDOW: usize = 1024;
/// Less in common than this (of 1000) is no candidate.
const FLOOR: usize = 350;
const SHOWN: usize = 200;

/// The nearest candidates, best first.
pub(super) fn candidates(buffer: &Buffer<'_>, find: &str) -> Vec<Place> {
    let key_line = find.lines().max_by_key(|line| line.trim().len()).unwrap_or(find);
    let wanted = triples(key_line);
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut best: Vec<(usize, usize, String)> = Vec::new();
    for window in windows(buffer, key_line) {
        let text = buffer.text(window.clone());
        let score = likeness(&wanted, &triples(&text));
        if score >= FLOOR {
            best.push((score, window.start, text));
        }
        if best.len() > 64 {
            keep_best(&mut best);
        }
    }
    keep_best(&mut best);
    let numbers = line_numbers(buffer, &best);
    best.into_iter()
        .zip(numbers)
        .map(|((_, _, text), number)| Place {
            location: format!("line {number}"),
            text: shorten(&text, SHOWN),
        })
        .collect()
}

/// What to do about zero matches.
pub(super) fn hint(
    buffer: &Buffer<'_>,
    find: &str,
    candidates: &[Place],
    cancel: Cancel<'_>,
) -> Result<String, EditError> {
    if buffer.content().len() <= READ_ALL {
        let loose = find_all(buffer, buffer.content(), find, Matching::Normalized, cancel)?;
        if !loose.is_empty() {
            let numbers = buffer.line_numbers(loose.iter().take(1).map(|place| place.start));
            let line = numbers.first().copied().unwrap_or(1);
            return Ok(format!(
                "Only white space, quotes or dashes differ from the text on line {line}: copy it exactly, or set `match` to `normalized`."
            ));
        }
    }
    Ok(match candidates.first() {
        Some(nearest) => {
            format!("The nearest text is on {}; copy what stands there exactly.", nearest.location)
        }
        None => "Read the document again and copy the text exactly.".into(),
    })
}

fn keep_best(best: &mut Vec<(usize, usize, String)>) {
    best.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    best.truncate(3);
}

fn line_numbers(buffer: &Buffer<'_>, best: &[(usize, usize, String)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..best.len()).collect();
    order.sort_by_key(|index| best[*index].1);
    let numbers = buffer.line_numbers(order.iter().map(|index| best[*index].1));
    let mut result = vec![0; best.len()];
    for (index, number) in order.into_iter().zip(numbers) {
        result[index] = number;
    }
    result
}

/// The pieces of lines worth comparing.
fn windows(buffer: &Buffer<'_>, key_line: &str) -> Vec<std::ops::Range<usize>> {
    let content = buffer.content();
    let words = longest_words(key_line);
    if content.len() <= READ_ALL {
        let finders: Vec<_> = words.iter().map(memchr::memmem::Finder::new).collect();
        return buffer.lines_from(content.start).map(|line| window_of(buffer, line, &finders)).collect();
    }
    let mut windows = Vec::new();
    for word in &words {
        let finder = memchr::memmem::Finder::new(word);
        let mut from = content.start;
        for _ in 0..LINES_PER_WORD {
            let Some(at) = finder.find(&buffer.bytes()[from..]) else { break };
            let line = buffer.line_around(from + at);
            windows.push(window_of(buffer, line, std::slice::from_ref(&finder)));
            from = line.next.max(from + at + 1);
        }
    }
    windows.sort_by_key(|window| window.start);
    windows.dedup();
    windows
}

/// The three longest words, in the document's own bytes.
fn longest_words(key_line: &str) -> Vec<Vec<u8>> {
    let mut words: Vec<&str> = key_line.split(|character: char| !character.is_alphanumeric()).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.dedup();
    words.retain(|word| word.len() >= 3);
    words.truncate(3);
    words.into_iter().map(|word| word.as_bytes().to_vec()).collect()
}

fn window_of(
    buffer: &Buffer<'_>,
    line: Line,
    finders: &[memchr::memmem::Finder<'_>],
) -> std::ops::Range<usize> {
    if line.end - line.start <= WINDOW {
        return line.start..line.end;
    }
    let bytes = &buffer.bytes()[line.start..line.end];
    let at = finders.iter().find_map(|finder| finder.find(bytes)).unwrap_or(0);
    let from = line.start + at.saturating_sub(WINDOW / 2);
    buffer.boundary(line.start, from)..buffer.boundary(line.start, (from + WINDOW).min(line.end))
}

/// Letter triples in lower case, white space, quotes and dashes alike.
fn triples(text: &str) -> HashSet<[char; 3]> {
    let mut folded: Vec<char> = text
        .trim()
        .chars()
        .take(WINDOW)
        .flat_map(|character| {
            char::from_u32(plain_form(character.into())).unwrap_or(character).to_lowercase()
        })
        .collect();
    folded.dedup_by(|next, before| *next == ' ' && *before == ' ');
    if folded.len() < 3 {
        folded.resize(3, ' ');
    }
    folded.windows(3).map(|triple| [triple[0], triple[1], triple[2]]).collect()
}

/// Mostly how much of what was wanted is there, a little how much else is, of 1000.
fn likeness(wanted: &HashSet<[char; 3]>, there: &HashSet<[char; 3]>) -> usize {
    let shared = wanted.intersection(there).count();
    shared * 800 / wanted.len().max(1) + shared * 200 / there.len().max(1)
}

/// How much of one text is in another, of 1000.
pub(super) fn text_likeness(wanted: &str, there: &str) -> usize {
    likeness(&triples(wanted), &triples(there))
}

/// Text cut for display, at a character.
pub(super) fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}
