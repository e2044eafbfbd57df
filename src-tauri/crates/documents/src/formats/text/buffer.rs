//! The bytes of a text document under edit: lines by offset, splices, and what new text must look like here.
//!
//! A line's content ends before its ending (LF, CRLF or CR; U+0085 and U+2028 are content). Untouched bytes are never decoded.

use std::{borrow::Cow, cell::Cell, ops::Range};

use super::{
    charset::{Charset, INVALID, Unit},
    detect::{Certainty, Detected},
};
use crate::{EditError, error::EditErrorKind};

pub(super) const NEWLINE: u32 = b'\n' as u32;
/// Longer ranges are replaced whole instead of keeping what is the same at both ends.
const TRIM_BYTES: usize = 32 << 20;

/// A line by offsets: `start..end` is its content, `end..next` its ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    pub start: usize,
    pub end: usize,
    pub next: usize,
}

impl Line {
    pub(super) fn has_ending(&self) -> bool {
        self.next > self.end
    }
}

/// Bytes to put in the place of `start..end`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    pub start: usize,
    pub end: usize,
    pub with: Vec<u8>,
}

/// A document under edit; borrowed until the first edit.
pub(super) struct Buffer<'a> {
    bytes: Cow<'a, [u8]>,
    charset: Charset,
    bom: usize,
    /// Whether U+FFFD in a shown text may stand for bytes that could not be read.
    may_hold_invalid: bool,
    /// The line located last (its number and start): batches mostly walk forward.
    place: Cell<(usize, usize)>,
}

impl<'a> Buffer<'a> {
    pub(super) fn new(bytes: &'a [u8], detected: Detected) -> Self {
        let place = Cell::new((1, detected.bom));
        let is_clean = matches!(detected.charset, Charset::Utf8) && detected.certainty == Certainty::Sure;
        Buffer {
            bytes: Cow::Borrowed(bytes),
            charset: detected.charset,
            bom: detected.bom,
            may_hold_invalid: !is_clean,
            place,
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_owned()
    }

    pub(super) fn charset(&self) -> &Charset {
        &self.charset
    }

    /// Everything after the byte-order mark.
    pub(super) fn content(&self) -> Range<usize> {
        self.bom..self.bytes.len()
    }

    pub(super) fn text(&self, range: Range<usize>) -> String {
        self.charset.decode(&self.bytes[range])
    }

    /// The unit at an offset, with any line ending as one `NEWLINE`.
    pub(super) fn key_at(&self, at: usize) -> Unit {
        let unit = self.charset.decode_at(&self.bytes, at);
        if unit.key != u32::from(b'\r') {
            return unit;
        }
        let after = at + unit.len;
        let is_pair = after < self.bytes.len() && self.charset.decode_at(&self.bytes, after).key == NEWLINE;
        Unit { key: NEWLINE, len: if is_pair { 2 * unit.len } else { unit.len } }
    }

    /// The next line ending at or after an offset.
    pub(super) fn next_ending(&self, from: usize) -> Option<Range<usize>> {
        let step = self.charset.unit_bytes();
        let mut search = from;
        loop {
            let at = search + memchr::memchr2(b'\n', b'\r', &self.bytes[search..])?;
            let at = if step == 1 { at } else { at - (at - self.bom) % step };
            let key = self.charset.decode_at(&self.bytes, at).key;
            if key == NEWLINE || key == u32::from(b'\r') {
                return Some(at..at + self.key_at(at).len);
            }
            search = at + step;
            if search >= self.bytes.len() {
                return None;
            }
        }
    }

    /// The line that starts at an offset; `None` at the end of the document.
    pub(super) fn line_at(&self, start: usize) -> Option<Line> {
        if start >= self.bytes.len() {
            return None;
        }
        let ending = self.next_ending(start).unwrap_or(self.bytes.len()..self.bytes.len());
        Some(Line { start, end: ending.start, next: ending.end })
    }

    pub(super) fn lines_from(&self, start: usize) -> impl Iterator<Item = Line> + '_ {
        std::iter::successors(self.line_at(start), |line| self.line_at(line.next))
    }

    /// A line by its number; `None` when there are fewer.
    pub(super) fn line(&self, number: usize) -> Option<Line> {
        let (known, start) = self.place.get();
        let (mut current, mut at) = if number >= known { (known, start) } else { (1, self.bom) };
        if number == 0 {
            return None;
        }
        while current < number {
            at = self.line_at(at)?.next;
            current += 1;
        }
        let line = self.line_at(at)?;
        self.place.set((number, at));
        Some(line)
    }

    pub(super) fn line_count(&self) -> usize {
        self.lines_from(self.bom).count()
    }

    pub(super) fn last_line(&self) -> Option<Line> {
        let next = self.bytes.len();
        if next <= self.bom {
            return None;
        }
        let end =
            self.ending_before(next).filter(|ending| ending.end == next).map_or(next, |ending| ending.start);
        let start = self.ending_before(end).map_or(self.bom, |ending| ending.end);
        Some(Line { start, end, next })
    }

    /// The line that holds an offset.
    pub(super) fn line_around(&self, offset: usize) -> Line {
        let start = self.ending_before(offset).map_or(self.bom, |ending| ending.end);
        self.line_at(start).unwrap_or(Line { start, end: start, next: start })
    }

    /// The last start of a unit at or before an offset, counted from the start of a line.
    pub(super) fn boundary(&self, line_start: usize, offset: usize) -> usize {
        match self.charset {
            Charset::Utf8 => (offset.saturating_sub(3)..=offset)
                .rev()
                .find(|at| self.bytes.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80))
                .unwrap_or(offset),
            Charset::Utf16 { .. } => offset - (offset - line_start) % 2,
            Charset::Legacy(_) => {
                // Bytes below `0` are whole characters in every such encoding: none of them is a second or fourth byte.
                let line = &self.bytes[line_start..offset.min(self.bytes.len())];
                let mut at = line
                    .iter()
                    .rposition(|byte| *byte < b'0')
                    .map_or(line_start, |found| line_start + found + 1);
                loop {
                    let next = at + if at < offset { self.charset.decode_at(&self.bytes, at).len } else { 1 };
                    if next > offset {
                        return at;
                    }
                    at = next;
                }
            }
        }
    }

    /// The numbers of the lines that hold these ascending offsets.
    pub(super) fn line_numbers(&self, offsets: impl Iterator<Item = usize>) -> Vec<usize> {
        let (mut number, mut at) = (1, self.bom);
        let mut numbers = Vec::new();
        for offset in offsets {
            while let Some(ending) = self.next_ending(at)
                && ending.end <= offset
            {
                at = ending.end;
                number += 1;
            }
            numbers.push(number);
        }
        numbers
    }

    /// What has to change so that `range` reads `text` (line ends as `\n`): the same characters at both ends stay as they are.
    pub(super) fn replacement(&self, range: Range<usize>, text: &str) -> Result<Splice, EditError> {
        let new: Vec<char> = text.chars().collect();
        let same = |unit: Unit, character: char| {
            unit.key == u32::from(character)
                || (unit.key == INVALID && character == char::REPLACEMENT_CHARACTER)
        };
        let (mut start, mut first) = (range.start, 0);
        while start < range.end && first < new.len() {
            let unit = self.key_at(start);
            if !same(unit, new[first]) {
                break;
            }
            start += unit.len;
            first += 1;
        }
        let (mut end, mut last) = (range.end, new.len());
        let mut endings = Vec::new();
        if range.end - start <= TRIM_BYTES {
            // Lengths alone (a character has at most four bytes): the range may be large.
            let mut lengths: Vec<u8> = Vec::new();
            let mut at = start;
            while at < range.end {
                let unit = self.key_at(at);
                lengths.push(unit.len as u8);
                at += unit.len;
            }
            while let Some(&length) = lengths.last()
                && last > first
                && same(self.key_at(end - usize::from(length)), new[last - 1])
            {
                end -= usize::from(length);
                lengths.pop();
                last -= 1;
            }
            let mut at = start;
            for length in lengths.into_iter().map(usize::from) {
                if self.key_at(at).key == NEWLINE {
                    endings.push(at..at + length);
                }
                at += length;
            }
        }
        let with = self.encode(&new[first..last], start, end, &endings)?;
        let splice = Splice { start, end, with };
        if self.joins_endings(&splice) {
            let message = "A line ending CR would come to stand before an LF, and the two would read as one line ending.";
            return Err(EditError::new(EditErrorKind::WouldDamage, message)
                .hint("Include the line before or behind in the replaced text."));
        }
        Ok(splice)
    }

    /// Encodes new text; line ends are those of the lines it replaces, else of the line before.
    fn encode(
        &self,
        new: &[char],
        start: usize,
        end: usize,
        replaced: &[Range<usize>],
    ) -> Result<Vec<u8>, EditError> {
        let is_new_replacement =
            new.contains(&char::REPLACEMENT_CHARACTER) && !self.holds_replacement(start..end);
        if is_new_replacement && self.may_hold_invalid {
            return Err(EditError::new(
                EditErrorKind::WouldDamage,
                "The new text holds U+FFFD, which stands for bytes that could not be read; writing it would lose them.",
            )
            .hint("Change only the readable text around it, with `replace_text`."));
        }
        let mut bytes = Vec::with_capacity(new.len());
        let mut ending: Option<Vec<u8>> = None;
        let mut replaced = replaced.iter();
        for (index, line) in new.split(|character| *character == '\n').enumerate() {
            if index > 0 {
                ending = match replaced.next() {
                    Some(old) => Some(self.bytes[old.clone()].to_vec()),
                    None => ending.or_else(|| Some(self.ending_near(start, end))),
                };
                bytes.extend_from_slice(ending.as_deref().unwrap_or(b"\n"));
            }
            let line: String = line.iter().collect();
            bytes.extend(self.charset.encode(&line).map_err(|character| self.not_encodable(character))?);
        }
        Ok(self.keep_apart(bytes, end))
    }

    /// Whether a splice would make one ending of a CR before it and an LF behind it (or at its beginning).
    fn joins_endings(&self, splice: &Splice) -> bool {
        let (Ok(cr), Ok(lf)) = (self.charset.encode("\r"), self.charset.encode("\n")) else { return false };
        let (before, behind) = (&self.bytes[self.bom..splice.start], &self.bytes[splice.end..]);
        let was_pair = self.bytes[splice.start..].starts_with(&lf) && splice.start < splice.end;
        let next = if splice.with.is_empty() { behind } else { &splice.with };
        let is_aligned = before.len().is_multiple_of(self.charset.unit_bytes());
        is_aligned && !was_pair && splice.start < splice.end && before.ends_with(&cr) && next.starts_with(&lf)
    }

    /// Whether the replaced bytes really hold a U+FFFD, so that one in the new text is no loss.
    fn holds_replacement(&self, range: Range<usize>) -> bool {
        self.charset
            .encode("\u{fffd}")
            .is_ok_and(|encoded| memchr::memmem::find(&self.bytes[range], &encoded).is_some())
    }

    fn not_encodable(&self, character: char) -> EditError {
        let name = self.charset.name();
        EditError::new(
            EditErrorKind::WouldDamage,
            format!(
                "The document is in {name}, which has no form for “{character}” (U+{:04X}).",
                u32::from(character)
            ),
        )
        .hint(format!("Write it with characters that {name} has."))
    }

    /// A new CR before an old LF would read as one ending: it becomes CRLF.
    fn keep_apart(&self, mut bytes: Vec<u8>, end: usize) -> Vec<u8> {
        let (Ok(cr), Ok(lf)) = (self.charset.encode("\r"), self.charset.encode("\n")) else { return bytes };
        let aligned = bytes.len().is_multiple_of(self.charset.unit_bytes());
        if aligned && bytes.ends_with(&cr) && self.bytes[end..].starts_with(&lf) {
            bytes.extend(lf);
        }
        bytes
    }

    /// The ending of the line before `start`, else of the first line after `end`, else LF.
    fn ending_near(&self, start: usize, end: usize) -> Vec<u8> {
        let found = self.ending_before(start).or_else(|| self.next_ending(end));
        match found {
            Some(range) => self.bytes[range].to_vec(),
            None => self.charset.encode("\n").unwrap_or_else(|_| b"\n".to_vec()),
        }
    }

    /// Whether a line's content ends at an offset.
    pub(super) fn ends_line(&self, offset: usize) -> bool {
        offset >= self.bytes.len() || self.key_at(offset).key == NEWLINE
    }

    /// Where the content of the line before the one that starts here ends; the start itself for the first line.
    pub(super) fn end_of_line_before(&self, start: usize) -> usize {
        self.ending_before(start).map_or(start, |ending| ending.start)
    }

    fn ending_before(&self, start: usize) -> Option<Range<usize>> {
        let step = self.charset.unit_bytes();
        let mut at = start;
        while let Some(found) = memchr::memrchr2(b'\n', b'\r', &self.bytes[self.bom..at]) {
            let found = self.bom + found - found % step;
            let key = self.charset.decode_at(&self.bytes, found).key;
            if key == u32::from(b'\r') {
                return Some(found..(found + self.key_at(found).len).min(start));
            }
            if key == NEWLINE {
                let pair = found.checked_sub(step).filter(|before| *before >= self.bom);
                let is_pair =
                    pair.is_some_and(|at| self.charset.decode_at(&self.bytes, at).key == u32::from(b'\r'));
                return Some(if is_pair { found - step..found + step } else { found..found + step });
            }
            at = found;
        }
        None
    }

    /// Whether the unit before an offset may be a carriage return.
    fn follows_return(&self, offset: usize) -> bool {
        let units = if matches!(self.charset, Charset::Utf16 { .. }) { 2 } else { 1 };
        self.bytes[offset.saturating_sub(units)..offset].contains(&b'\r')
    }

    /// Applies splices (ascending, apart from each other) in place where that needs no second copy.
    pub(super) fn apply(&mut self, splices: &[Splice]) {
        let Some(first) = splices.iter().find(|splice| splice.with != self.bytes[splice.start..splice.end])
        else {
            return;
        };
        let (_, known) = self.place.get();
        // Where the known line begins depends on the bytes before it only, unless a line feed comes to stand behind their return.
        if first.start < known || first.start == known && self.follows_return(known) {
            self.place.set((1, self.bom));
        }
        if let (Cow::Owned(bytes), [one]) = (&mut self.bytes, splices) {
            bytes.splice(one.start..one.end, one.with.iter().copied());
            return;
        }
        let added: usize = splices.iter().map(|splice| splice.with.len()).sum();
        let removed: usize = splices.iter().map(|splice| splice.end - splice.start).sum();
        let mut result = Vec::with_capacity((self.bytes.len() + added).saturating_sub(removed));
        let mut kept = 0;
        for splice in splices {
            result.extend_from_slice(&self.bytes[kept..splice.start]);
            result.extend_from_slice(&splice.with);
            kept = splice.end;
        }
        result.extend_from_slice(&self.bytes[kept..]);
        self.bytes = Cow::Owned(result);
    }
}
