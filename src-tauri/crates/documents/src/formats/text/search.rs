//! Finding text: exact (any line ending answers to `\n`), or with white space, quotes and dashes of any kind taken as the same.
//!
//! One pass over the units with a prefix table (Knuth, Morris, Pratt), so that every encoding and both ways of matching share it;
//! UTF-8 takes the short way through `memmem`. Overlapping places all count: whoever asks for one place must get one.

use std::{collections::VecDeque, ops::Range};

use super::buffer::{Buffer, NEWLINE};
use super::charset::{Charset, INVALID};
use crate::{Cancel, EditError, edit::Matching, error::EditErrorKind};

/// More places than this would take more memory than the document.
const MOST_PLACES: usize = 1 << 19;
/// Cancelling is asked about once in so many units.
const CANCEL_EVERY: usize = 1 << 20;
const BLANK: u32 = b' ' as u32;

/// Line ends of an argument as `\n`.
pub(super) fn with_plain_ends(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}

/// All places of `find` (line ends as `\n`) within a range, overlapping ones included, ascending.
pub(super) fn find_all(
    buffer: &Buffer<'_>,
    within: Range<usize>,
    find: &str,
    matching: Matching,
    cancel: Cancel<'_>,
) -> Result<Vec<Range<usize>>, EditError> {
    match matching {
        Matching::Normalized => {
            let pattern = normalized_keys(find);
            let keys = Normalized { buffer, at: within.start, end: within.end };
            let found = find_keys(keys, &pattern, cancel)?;
            let inside = found.into_iter().map(|place| within_line_ends(buffer, place, find));
            // Nothing but line ends is left of a match with blanks alone: that is no place.
            Ok(inside.filter(|place| !place.is_empty()).collect())
        }
        Matching::Exact if matches!(buffer.charset(), Charset::Utf8) && !find.contains('\n') => {
            find_bytes(buffer, within, find.as_bytes(), cancel)
        }
        Matching::Exact => {
            let pattern: Vec<u32> = find.chars().map(u32::from).collect();
            find_keys(Exact { buffer, at: within.start, end: within.end }, &pattern, cancel)
        }
    }
}

fn find_bytes(
    buffer: &Buffer<'_>,
    within: Range<usize>,
    needle: &[u8],
    cancel: Cancel<'_>,
) -> Result<Vec<Range<usize>>, EditError> {
    let finder = memchr::memmem::Finder::new(needle);
    let haystack = &buffer.bytes()[..within.end];
    let (mut from, mut found) = (within.start, Vec::new());
    while let Some(at) = finder.find(&haystack[from..]) {
        found.push(from + at..from + at + needle.len());
        from += at + 1;
        if found.len() > MOST_PLACES {
            return Err(too_many());
        }
        if found.len().is_multiple_of(CANCEL_EVERY) && cancel() {
            return Err(cancelled());
        }
    }
    Ok(found)
}

fn too_many() -> EditError {
    let message =
        format!("The text is there more than {MOST_PLACES} times, which is the limit of one operation.");
    EditError::new(EditErrorKind::TooLarge, message)
        .hint("Give more of the text around the place, or narrow it down with `start_line` and `end_line`.")
}

fn cancelled() -> EditError {
    EditError::new(EditErrorKind::Cancelled, "Cancelled; nothing was changed.")
}

/// A key with the bytes it covers.
type Keyed = (u32, Range<usize>);

struct Exact<'b, 'a> {
    buffer: &'b Buffer<'a>,
    at: usize,
    end: usize,
}

impl Iterator for Exact<'_, '_> {
    type Item = Keyed;

    fn next(&mut self) -> Option<Keyed> {
        if self.at >= self.end {
            return None;
        }
        let unit = self.buffer.key_at(self.at);
        let start = self.at;
        self.at += unit.len;
        Some((unit.key, start..self.at))
    }
}

/// Runs of white space as one blank, quotes and dashes as their ASCII form.
struct Normalized<'b, 'a> {
    buffer: &'b Buffer<'a>,
    at: usize,
    end: usize,
}

impl Iterator for Normalized<'_, '_> {
    type Item = Keyed;

    fn next(&mut self) -> Option<Keyed> {
        let start = self.at;
        while self.at < self.end {
            let unit = self.buffer.key_at(self.at);
            let key = plain_form(unit.key);
            if key != BLANK {
                if self.at > start {
                    break;
                }
                self.at += unit.len;
                return Some((key, start..self.at));
            }
            self.at += unit.len;
        }
        (self.at > start).then_some((BLANK, start..self.at))
    }
}

fn normalized_keys(find: &str) -> Vec<u32> {
    let mut keys: Vec<u32> = find.chars().map(|character| plain_form(character.into())).collect();
    keys.dedup_by(|next, before| *next == BLANK && *before == BLANK);
    keys
}

/// What a character counts as when matching is `normalized`.
pub(super) fn plain_form(key: u32) -> u32 {
    let Some(character) = char::from_u32(key) else { return key };
    let plain = match character {
        // Zero-width blanks have no white-space property, but nobody sees a difference.
        '\u{200B}' | '\u{2060}' | '\u{FEFF}' => ' ',
        '‘' | '’' | '‚' | '‛' | '′' | '´' | '‹' | '›' | '＇' => '\'',
        '“' | '”' | '„' | '‟' | '″' | '«' | '»' | '〝' | '〞' | '＂' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' | '﹘' | '﹣' | '－' => '-',
        blank if blank.is_whitespace() => ' ',
        other => other,
    };
    plain.into()
}

/// A run of white space at the edge of a match ends at the line, unless the text looked for goes past it.
fn within_line_ends(buffer: &Buffer<'_>, place: Range<usize>, find: &str) -> Range<usize> {
    let edge = |text: &str| text.contains('\n');
    let leading = &find[..find.len() - find.trim_start().len()];
    let trailing = &find[find.trim_end().len()..];
    let Range { mut start, mut end } = place;
    if !leading.is_empty() && !edge(leading) {
        let mut at = start;
        while at < end {
            let unit = buffer.key_at(at);
            if plain_form(unit.key) != BLANK {
                break;
            }
            at += unit.len;
            if unit.key == NEWLINE && at < end {
                start = at;
            }
        }
    }
    if !trailing.is_empty() && !edge(trailing) {
        let (mut at, mut run) = (start, None);
        while at < end {
            let unit = buffer.key_at(at);
            let is_blank = plain_form(unit.key) == BLANK;
            run = match (is_blank, run) {
                (false, _) => None,
                (true, None) => Some(if unit.key == NEWLINE { (at, Some(at)) } else { (at, None) }),
                (true, Some((first, cut))) => Some((first, cut.or((unit.key == NEWLINE).then_some(at)))),
            };
            at += unit.len;
        }
        if let Some((_, Some(cut))) = run {
            end = cut;
        }
    }
    start..end
}

/// Every occurrence of a pattern of keys.
fn find_keys(
    keys: impl Iterator<Item = Keyed>,
    pattern: &[u32],
    cancel: Cancel<'_>,
) -> Result<Vec<Range<usize>>, EditError> {
    let borders = borders(pattern);
    let mut found = Vec::new();
    let mut starts: VecDeque<usize> = VecDeque::with_capacity(pattern.len() + 1);
    let mut matched = 0;
    for (index, (key, span)) in keys.enumerate() {
        if index % CANCEL_EVERY == CANCEL_EVERY - 1 && cancel() {
            return Err(cancelled());
        }
        starts.push_back(span.start);
        if starts.len() > pattern.len() {
            starts.pop_front();
        }
        while matched > 0 && (matched == pattern.len() || pattern[matched] != key) {
            matched = borders[matched - 1];
        }
        if key != INVALID && pattern.get(matched) == Some(&key) {
            matched += 1;
        }
        if matched == pattern.len()
            && let Some(start) = starts.front()
        {
            found.push(*start..span.end);
            if found.len() > MOST_PLACES {
                return Err(too_many());
            }
        }
    }
    Ok(found)
}

/// For each prefix the length of its longest proper border.
fn borders(pattern: &[u32]) -> Vec<usize> {
    let mut borders = vec![0; pattern.len()];
    let mut length = 0;
    for at in 1..pattern.len() {
        while length > 0 && pattern[at] != pattern[length] {
            length = borders[length - 1];
        }
        if pattern[at] == pattern[length] {
            length += 1;
        }
        borders[at] = length;
    }
    borders
}
