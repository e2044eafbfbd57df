//! The operations of CONTRACT 2.1: which bytes each one means, or why none.
//!
//! Here is what they share: places of the revision that was read, arguments as lines, and how a place that was not found or not
//! unique is told.

mod lines;
mod replace;
mod sections;

use std::ops::Range;

use super::{
    batch::{Batch, Replacement, Shift},
    buffer::Line,
    describe::CUT_MARK,
    nearest,
    search::with_plain_ends,
};
use crate::{Edit, EditError, Place, error::EditErrorKind};

/// A line with its number now.
type Numbered = (usize, Line);

/// So many places are listed when a text is not unique.
const LISTED: usize = 200;
const SHOWN: usize = 200;

impl Batch<'_> {
    pub(super) fn apply(&mut self, index: usize, edit: &Edit) -> Result<(), EditError> {
        self.op = index;
        match edit {
            Edit::ReplaceText { find, replace, occurrence, matching, start_line, end_line } => {
                let window = (*start_line, *end_line);
                self.replace_text(find, replace, *occurrence, matching.unwrap_or_default(), window)
            }
            Edit::DeleteText { find, occurrence, matching } => {
                self.replace_text(find, "", *occurrence, matching.unwrap_or_default(), (None, None))
            }
            Edit::InsertLines { line, text, position } => {
                self.insert_lines(*line, text, position.unwrap_or_default())
            }
            Edit::ReplaceLines { start_line, end_line, text, expect_prefix } => {
                self.replace_lines(*start_line, *end_line, text, expect_prefix.as_deref())
            }
            Edit::DeleteLines { start_line, end_line, expect_prefix } => {
                self.delete_lines(*start_line, *end_line, expect_prefix.as_deref())
            }
            Edit::AppendLines { text } => self.append_lines(text),
            Edit::ReplaceLinesContaining { contains, text, expect_count } => {
                self.replace_lines_containing(contains, text.as_deref(), *expect_count)
            }
            Edit::ReplaceSection { heading, text, keep_heading } => {
                self.replace_section(heading, text, keep_heading.unwrap_or(true))
            }
            other => {
                let message = format!("`{}` does not fit a text document.", other.name());
                Err(EditError::new(EditErrorKind::UnsupportedOp, message))
            }
        }
    }

    /// A base line with its number now.
    fn line(&self, base: usize, field: &str) -> Result<Numbered, EditError> {
        let number = self.current_line(base, field)?;
        match self.buffer.line(number) {
            Some(line) => Ok((number, line)),
            None => Err(EditError::new(
                EditErrorKind::OutOfRange,
                format!("Line {base} (`{field}`) is not there."),
            )),
        }
    }

    fn not_found(&self, field: &str, text: &str) -> EditError {
        let near = nearest::candidates(&self.buffer, text);
        let hint = match nearest::hint(&self.buffer, text, &near, self.ctx.cancel) {
            Ok(hint) => hint,
            Err(cancelled) => return cancelled,
        };
        let message = format!("`{field}` was not found: “{}”.", nearest::shorten(text, SHOWN));
        EditError::new(EditErrorKind::ZeroMatches, message).hint(hint).matches(near)
    }

    fn not_unique(&self, field: &str, places: &[Range<usize>]) -> EditError {
        let message = format!("`{field}` is there {} times; one place was meant.", places.len());
        EditError::new(EditErrorKind::MultipleMatches, message)
            .hint(format!(
                "Give more of the text around the place, or `occurrence` from 1 to {}, or \"all\".",
                places.len()
            ))
            .matches(self.places(places))
    }

    fn places(&self, places: &[Range<usize>]) -> Vec<Place> {
        let listed = &places[..places.len().min(LISTED)];
        let numbers = self.buffer.line_numbers(listed.iter().map(|place| place.start));
        let shown = |place: &Range<usize>| {
            let line = self.buffer.line_around(place.start);
            let from = self.buffer.boundary(line.start, line.start.max(place.start.saturating_sub(SHOWN)));
            let to = self.buffer.boundary(line.start, line.end.min(place.end + SHOWN)).max(from);
            nearest::shorten(&self.buffer.text(from..to), 2 * SHOWN)
        };
        let described = listed.iter().zip(numbers);
        described
            .map(|(place, number)| Place { location: format!("line {number}"), text: shown(place) })
            .collect()
    }
}

fn invalid(message: impl Into<String>) -> EditError {
    EditError::new(EditErrorKind::InvalidArguments, message)
}

/// A text that an outline cut must not come back as if it were whole.
fn refuse_cut(text: &str) -> Result<(), EditError> {
    if !text.contains(CUT_MARK) {
        return Ok(());
    }
    Err(EditError::new(
        EditErrorKind::WouldDamage,
        "The new text holds the mark of a line that was shown cut; the rest of it would be lost.",
    )
    .hint("Change a piece of the long line with `replace_text`."))
}

fn insertion(at: usize, line: usize, text: String, shown: &str) -> Replacement<'static> {
    let count = shown.matches('\n').count() + 1;
    Replacement {
        range: at..at,
        text: text.into(),
        line,
        lines_after: count,
        before: None,
        after: Some(shown.to_owned()),
        shifts: vec![Shift::Insert { at: line, count }],
    }
}

/// An argument as lines: line ends as `\n`, the last one dropped.
fn whole_lines(text: &str) -> String {
    let text = with_plain_ends(text);
    text.strip_suffix('\n').map(str::to_owned).unwrap_or(text)
}
