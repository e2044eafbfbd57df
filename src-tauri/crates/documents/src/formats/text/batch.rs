//! A batch under way: the buffer, where base lines are now, and what changed so far.
//!
//! Which bytes an operation means is decided in `edits`; here they are replaced, counted and written down.

use std::{borrow::Cow, ops::Range};

use super::{buffer::Buffer, charset::Charset, detect::detect, nearest::shorten};
use crate::{Applied, ApplyContext, Change, EditError, PositionMap, error::EditErrorKind};

/// So many places are listed one by one; more are summed up in one line.
pub(super) const LISTED: usize = 200;
/// Longer texts are cut in a receipt, saying by how much.
const SHOWN: usize = 8_192;

pub(super) struct Batch<'a> {
    pub(super) buffer: Buffer<'a>,
    pub(super) ctx: &'a ApplyContext<'a>,
    positions: PositionMap,
    changes: Vec<Noted>,
    /// The document had a last line without an ending when it was read.
    pub(super) was_open: bool,
    /// The operation under way.
    pub(super) op: usize,
}

/// A change whose lines are still subject to what later operations shift.
struct Noted {
    lines: Option<(usize, usize)>,
    change: Change,
}

/// What one operation does to the numbering of lines, at the moment it is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    Insert { at: usize, count: usize },
    Delete { at: usize, count: usize },
}

/// One replacement, with what the receipt says of it.
pub(super) struct Replacement<'t> {
    pub range: Range<usize>,
    /// The new text, line ends as `\n`.
    pub text: Cow<'t, str>,
    /// The number of the line where it begins, and how many lines there are of it afterwards.
    pub line: usize,
    pub lines_after: usize,
    pub before: Option<String>,
    pub after: Option<String>,
    pub shifts: Vec<Shift>,
}

impl<'a> Batch<'a> {
    pub(super) fn new(buffer: Buffer<'a>, ctx: &'a ApplyContext<'a>) -> Self {
        let was_open = buffer.last_line().is_some_and(|line| !line.has_ending());
        Batch { buffer, ctx, positions: PositionMap::default(), changes: Vec::new(), was_open, op: 0 }
    }

    pub(super) fn finish(self) -> Result<Applied, EditError> {
        let charset = self.buffer.charset().clone();
        let bytes = self.buffer.into_bytes();
        if bytes.len() as u64 > self.ctx.limits.file_bytes {
            let message =
                format!("The result would be larger than {} MiB.", self.ctx.limits.file_bytes >> 20);
            return Err(EditError::new(EditErrorKind::TooLarge, message));
        }
        readable(&bytes, &charset)?;
        let changes = self.changes.into_iter().map(Noted::finish).collect();
        Ok(Applied { bytes, changes, package: None, warnings: Vec::new() })
    }

    /// Where a line of the revision that the caller read is now.
    pub(super) fn current_line(&self, base: usize, field: &str) -> Result<usize, EditError> {
        let out = |message: String| Err(EditError::new(EditErrorKind::OutOfRange, message));
        if base == 0 {
            return out(format!("`{field}` is 0; lines count from 1."));
        }
        match self.positions.current(base) {
            None => {
                let message = format!(
                    "Line {base} (`{field}`) was removed or rewritten by an earlier operation of this batch."
                );
                Err(EditError::new(EditErrorKind::OutOfRange, message)
                    .hint("Put both changes into one operation, or send the second one in its own batch."))
            }
            Some(line) if self.buffer.line(line).is_some() => Ok(line),
            Some(_) => {
                let count = self.buffer.line_count();
                let message =
                    format!("Line {base} (`{field}`) is not there: the document has {count} lines.");
                Err(EditError::new(EditErrorKind::OutOfRange, message)
                    .hint("Use `append_lines` to add lines at the end, or read the document again."))
            }
        }
    }

    /// Does replacements that ascend and do not overlap; their line numbers are those before any of them.
    pub(super) fn replace(&mut self, replacements: Vec<Replacement<'_>>) -> Result<(), EditError> {
        if (self.ctx.cancel)() {
            return Err(EditError::new(EditErrorKind::Cancelled, "Cancelled; nothing was changed."));
        }
        let mut splices = Vec::with_capacity(replacements.len());
        for replacement in &replacements {
            splices.push(self.buffer.replacement(replacement.range.clone(), &replacement.text)?);
        }
        self.buffer.apply(&splices);
        let (mut moved, total) = (0_isize, replacements.len());
        for (index, replacement) in replacements.into_iter().enumerate() {
            let line = replacement.line.saturating_add_signed(moved);
            // The shifts of one replacement follow each other; those of replacements above it come on top.
            moved += replacement.shifts.iter().map(|shift| self.shift(*shift, moved)).sum::<isize>();
            if index < LISTED {
                self.note(line, &replacement);
            } else if index == LISTED {
                self.note_rest(total - LISTED);
            }
        }
        Ok(())
    }

    /// Records a shift given in numbers before this operation; returns by how much the lines after it move.
    fn shift(&mut self, shift: Shift, moved: isize) -> isize {
        let now = |at: usize| at.saturating_add_signed(moved);
        let record = |positions: &mut PositionMap| match shift {
            Shift::Insert { at, count } => positions.insert(now(at), count),
            Shift::Delete { at, count } => positions.delete(now(at), count),
        };
        record(&mut self.positions);
        let mut step = PositionMap::default();
        record(&mut step);
        let (Shift::Insert { at, .. } | Shift::Delete { at, .. }) = shift;
        let begins = now(at);
        for noted in &mut self.changes {
            // What lies above stays where it is.
            if noted.change.op != self.op
                && let Some((first, last)) = &mut noted.lines
                && *last >= begins
            {
                *first = step.current(*first).unwrap_or(*first);
                *last = step.current(*last).unwrap_or(*last).max(*first);
            }
        }
        match shift {
            Shift::Insert { count, .. } => count as isize,
            Shift::Delete { count, .. } => -(count as isize),
        }
    }

    fn note(&mut self, line: usize, replacement: &Replacement<'_>) {
        let cut = |text: &Option<String>| text.as_deref().map(shown);
        let (before, after) = (cut(&replacement.before), cut(&replacement.after));
        if before == after && replacement.before == replacement.after {
            return;
        }
        let last = line + replacement.lines_after.max(1) - 1;
        let change = Change { op: self.op, location: String::new(), before, after, detail: None };
        self.changes.push(Noted { lines: Some((line, last)), change });
    }

    fn note_rest(&mut self, count: usize) {
        let location = format!("{count} more places");
        let change =
            Change { op: self.op, location, before: None, after: None, detail: Some("same change".into()) };
        self.changes.push(Noted { lines: None, change });
    }
}

/// What is written must open again, and as what it was written: a NUL, or the beginning of another kind of file, makes no text, and some
/// NULs make it look like UTF-16.
pub(super) fn readable(bytes: &[u8], written_in: &Charset) -> Result<(), EditError> {
    let refuse = |why: &str| {
        EditError::new(
            EditErrorKind::InvalidArguments,
            format!("The result could not be opened again. {why}"),
        )
        .hint("Leave control characters such as U+0000 out of the text.")
    };
    let found = detect(bytes).map_err(|error| refuse(&error.to_string()))?.charset;
    let is_wide = |charset: &Charset| matches!(charset, Charset::Utf16 { .. });
    if (is_wide(&found) || is_wide(written_in)) && found.name() != written_in.name() && !bytes.is_empty() {
        return Err(refuse(&format!("It would be read as {}, not as {}.", found.name(), written_in.name())));
    }
    Ok(())
}

impl Noted {
    fn finish(self) -> Change {
        let mut change = self.change;
        match self.lines {
            Some((first, last)) if first == last => change.location = format!("L{first}"),
            Some((first, last)) => change.location = format!("L{first}-L{last}"),
            None => {}
        }
        change
    }
}

fn shown(text: &str) -> String {
    let cut = shorten(text, SHOWN);
    if cut.len() < text.len() {
        let left_out = text.chars().count() - SHOWN;
        format!("{cut} ({left_out} more characters)")
    } else {
        text.to_owned()
    }
}
