//! What differs between two texts: by lines, and inside changed lines by words. For previews (UTF-16 units) and for terminals.
//!
//! It compares; it does not know what an edit was. Lines end in LF, CRLF or CR, and an ending that changed is a change.

mod unified;

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

pub use unified::unified;

/// Larger pieces are not compared word by word: only what is the same at both ends is left out.
const WORDS_BYTES: usize = 128 << 10;

/// The differences in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TextDiff {
    pub hunks: Vec<DiffHunk>,
}

/// Lines that were replaced, came or went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DiffHunk {
    pub before: DiffLines,
    pub after: DiffLines,
    /// What differs inside; empty when lines only came or only went.
    pub words: Vec<WordChange>,
}

/// A run of lines on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DiffLines {
    /// The 1-based number of the first line (of the line behind the place, when `count` is 0).
    pub first: usize,
    pub count: usize,
    /// Offsets in UTF-16 units from the start of the text, line endings included.
    pub start: usize,
    pub end: usize,
}

/// Words on one side and what stands in their place on the other; offsets as in `DiffLines`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct WordChange {
    pub before: Range<usize>,
    pub after: Range<usize>,
}

/// Compares two texts.
pub fn diff(before: &str, after: &str) -> TextDiff {
    let compared = compare_lines(before, after);
    let (mut old, mut new) = (Units::new(before), Units::new(after));
    let hunks = compared.hunks.iter().map(|hunk| {
        let (gone, come) = (hunk.before_bytes.clone(), hunk.after_bytes.clone());
        let words = compare_words(&before[gone.clone()], &after[come.clone()])
            .into_iter()
            .map(|(a, b)| WordChange {
                before: old.range(gone.start + a.start..gone.start + a.end),
                after: new.range(come.start + b.start..come.start + b.end),
            })
            .collect();
        let lines = |lines: &Range<usize>, units: Range<usize>| DiffLines {
            first: lines.start + 1,
            count: lines.len(),
            start: units.start,
            end: units.end,
        };
        DiffHunk {
            before: lines(&hunk.before, old.range(gone)),
            after: lines(&hunk.after, new.range(come)),
            words,
        }
    });
    TextDiff { hunks: hunks.collect() }
}

/// A hunk by 0-based lines and by bytes.
#[derive(Debug, Clone)]
struct LineHunk {
    before: Range<usize>,
    after: Range<usize>,
    before_bytes: Range<usize>,
    after_bytes: Range<usize>,
}

/// The hunks of two texts, with the lines between the common beginning and the common end.
struct Compared {
    hunks: Vec<LineHunk>,
}

fn compare_lines(before: &str, after: &str) -> Compared {
    let start = common_lines_before(before, after);
    let end = common_lines_behind(&before[start..], &after[start..]);
    let skipped = lines(&before[..start]).count();
    let old: Vec<&str> = lines(&before[start..before.len() - end]).collect();
    let new: Vec<&str> = lines(&after[start..after.len() - end]).collect();
    let mut input: InternedInput<&str> = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let mut found = Diff::compute(Algorithm::Histogram, &input);
    found.postprocess_lines(&input);
    let (old, new) = (offsets(&old, start), offsets(&new, start));
    let hunks = found.hunks().map(|hunk| {
        let widen = |range: &Range<u32>| range.start as usize..range.end as usize;
        let (gone, come) = (widen(&hunk.before), widen(&hunk.after));
        LineHunk {
            before_bytes: old[gone.start]..old[gone.end],
            after_bytes: new[come.start]..new[come.end],
            before: gone.start + skipped..gone.end + skipped,
            after: come.start + skipped..come.end + skipped,
        }
    });
    Compared { hunks: hunks.collect() }
}

/// Where each line begins, and where the last one ends.
fn offsets(lines: &[&str], start: usize) -> Vec<usize> {
    let ends = lines.iter().scan(start, |at, line| {
        *at += line.len();
        Some(*at)
    });
    std::iter::once(start).chain(ends).collect()
}

/// Lines with their endings.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = match memchr::memchr2(b'\n', b'\r', rest.as_bytes()) {
            Some(at) if rest.as_bytes()[at..].starts_with(b"\r\n") => at + 2,
            Some(at) => at + 1,
            None if rest.is_empty() => return None,
            None => rest.len(),
        };
        let (line, behind) = rest.split_at(end);
        rest = behind;
        Some(line)
    })
}

/// How many bytes of whole lines are the same at the beginning.
fn common_lines_before(before: &str, after: &str) -> usize {
    let same = common_prefix(before.as_bytes(), after.as_bytes());
    if same == before.len() && same == after.len() {
        return same;
    }
    // A line only counts as the same when its ending is: a CR at the edge may be half of a CRLF.
    let edge = &before.as_bytes()[..same];
    let line_start = |at: usize| memchr::memrchr2(b'\n', b'\r', &edge[..at]).map_or(0, |at| at + 1);
    let start = line_start(same);
    if start == same && edge.ends_with(b"\r") { line_start(same - 1) } else { start }
}

/// The same at the end, of what is left.
fn common_lines_behind(before: &str, after: &str) -> usize {
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let shorter = old.len().min(new.len());
    let same = (0..shorter).find(|at| old[old.len() - 1 - at] != new[new.len() - 1 - at]).unwrap_or(shorter);
    let tail = &old[old.len() - same..];
    // Whole lines begin behind a line ending that is itself the same.
    match memchr::memchr2(b'\n', b'\r', tail) {
        Some(at) => {
            let ending = if tail[at..].starts_with(b"\r\n") { 2 } else { 1 };
            same - at - ending
        }
        None => 0,
    }
}

fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    const STEP: usize = 4_096;
    let shorter = one.len().min(other.len());
    let mut at = 0;
    while at + STEP <= shorter && one[at..at + STEP] == other[at..at + STEP] {
        at += STEP;
    }
    at + one[at..shorter].iter().zip(&other[at..shorter]).take_while(|(a, b)| a == b).count()
}

/// The byte ranges of words that differ between two pieces; nothing when one of them is empty.
fn compare_words(before: &str, after: &str) -> Vec<(Range<usize>, Range<usize>)> {
    if before.is_empty() || after.is_empty() {
        return Vec::new();
    }
    if before.len() + after.len() > WORDS_BYTES {
        return vec![trimmed(before, after)];
    }
    let old: Vec<&str> = before.split_word_bounds().collect();
    let new: Vec<&str> = after.split_word_bounds().collect();
    let mut input: InternedInput<&str> = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let mut found = Diff::compute(Algorithm::Histogram, &input);
    found.postprocess_no_heuristic(&input);
    let (old, new) = (offsets(&old, 0), offsets(&new, 0));
    let ranges = found.hunks().map(|hunk| {
        let bytes = |at: &[usize], range: &Range<u32>| at[range.start as usize]..at[range.end as usize];
        (bytes(&old, &hunk.before), bytes(&new, &hunk.after))
    });
    ranges.collect()
}

/// What is left between the common beginning and the common end, at characters.
fn trimmed(before: &str, after: &str) -> (Range<usize>, Range<usize>) {
    let start: usize =
        before.chars().zip(after.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let tails = before[start..].chars().rev().zip(after[start..].chars().rev());
    let end: usize = tails.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    (start..before.len() - end, start..after.len() - end)
}

/// UTF-16 offsets of ascending byte offsets, counted once.
struct Units<'t> {
    text: &'t str,
    bytes: usize,
    units: usize,
}

impl<'t> Units<'t> {
    fn new(text: &'t str) -> Self {
        Units { text, bytes: 0, units: 0 }
    }

    /// The units of a byte range. Ranges may lie inside the one asked for before, but not before its beginning.
    fn range(&mut self, range: Range<usize>) -> Range<usize> {
        let start = self.at(range.start);
        let length: usize = self.text[range].chars().map(char::len_utf16).sum();
        start..start + length
    }

    fn at(&mut self, offset: usize) -> usize {
        if offset < self.bytes {
            let back: usize = self.text[offset..self.bytes].chars().map(char::len_utf16).sum();
            return self.units - back;
        }
        self.units += self.text[self.bytes..offset].chars().map(char::len_utf16).sum::<usize>();
        self.bytes = offset;
        self.units
    }
}

#[cfg(test)]
mod tests;
