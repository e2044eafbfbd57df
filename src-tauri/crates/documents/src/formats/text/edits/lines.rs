//! Operations on whole lines, by number or by what they contain.

use std::ops::Range;

use super::{
    super::{
        batch::{Batch, Replacement, Shift},
        nearest,
        search::{find_all, with_plain_ends},
    },
    Numbered, SHOWN, insertion, invalid, refuse_cut, whole_lines,
};
use crate::{
    EditError, Place,
    edit::{Matching, Position},
    error::EditErrorKind,
};

impl Batch<'_> {
    pub(super) fn insert_lines(
        &mut self,
        line: usize,
        text: &str,
        position: Position,
    ) -> Result<(), EditError> {
        refuse_cut(text)?;
        if self.buffer.content().is_empty() && line == 1 {
            return self.append_lines(text);
        }
        let (number, at) = self.line(line, "line")?;
        let text = whole_lines(text);
        let replacement = match position {
            Position::Before => insertion(at.start, number, format!("{text}\n"), &text),
            Position::After if at.has_ending() => insertion(at.next, number + 1, format!("{text}\n"), &text),
            Position::After => insertion(at.end, number + 1, format!("\n{text}"), &text),
        };
        self.replace(vec![replacement])
    }

    pub(super) fn append_lines(&mut self, text: &str) -> Result<(), EditError> {
        refuse_cut(text)?;
        let text = whole_lines(text);
        let end = self.buffer.content().end;
        let number = self.buffer.line_count() + 1;
        let whole = match self.buffer.last_line() {
            Some(last) if !last.has_ending() => format!("\n{text}"),
            None if self.was_open => text.clone(),
            Some(_) | None => format!("{text}\n"),
        };
        self.replace(vec![insertion(end, number, whole, &text)])
    }

    pub(super) fn replace_lines(
        &mut self,
        start: usize,
        end: usize,
        text: &str,
        expect: Option<&str>,
    ) -> Result<(), EditError> {
        refuse_cut(text)?;
        let (first, last) = self.lines(start, end, expect)?;
        let text = whole_lines(text);
        let replacement = self.line_replacement(first, last, text);
        self.replace(vec![replacement])
    }

    pub(super) fn delete_lines(
        &mut self,
        start: usize,
        end: usize,
        expect: Option<&str>,
    ) -> Result<(), EditError> {
        let (first, last) = self.lines(start, end, expect)?;
        let replacement = self.line_deletion(first, last);
        self.replace(vec![replacement])
    }

    /// The first and last of a range of base lines, after checking what the first begins with.
    fn lines(
        &self,
        start: usize,
        end: usize,
        expect: Option<&str>,
    ) -> Result<(Numbered, Numbered), EditError> {
        if start > end {
            return Err(invalid(format!("`start_line` {start} lies after `end_line` {end}.")));
        }
        let first = self.line(start, "start_line")?;
        let last = self.line(end, "end_line")?;
        if last.0 - first.0 != end - start {
            let message = format!(
                "Lines {start} to {end} no longer stand together: an earlier operation of this batch changed the lines between."
            );
            return Err(EditError::new(EditErrorKind::OutOfRange, message)
                .hint("Send this operation in its own batch."));
        }
        if let Some(prefix) = expect {
            self.expect_prefix(start, first, prefix)?;
        }
        Ok((first, last))
    }

    fn expect_prefix(&self, base: usize, (number, line): Numbered, prefix: &str) -> Result<(), EditError> {
        let text = self.buffer.text(line.start..line.end);
        if text.starts_with(prefix) {
            return Ok(());
        }
        let shown = nearest::shorten(&text, SHOWN);
        let message = format!("Line {base} does not begin with “{}”.", nearest::shorten(prefix, SHOWN));
        Err(EditError::new(EditErrorKind::PrefixMismatch, message)
            .hint("Check the line number; the line's real text is in `matches`.")
            .matches(vec![Place { location: format!("line {number}"), text: shown }]))
    }

    pub(super) fn line_replacement(
        &self,
        (first, top): Numbered,
        (last, bottom): Numbered,
        text: String,
    ) -> Replacement<'static> {
        let (gone, come) = (last - first + 1, text.matches('\n').count() + 1);
        let shifts = if gone == come {
            Vec::new()
        } else {
            vec![Shift::Delete { at: first, count: gone }, Shift::Insert { at: first, count: come }]
        };
        let range = top.start..bottom.end;
        let before = Some(with_plain_ends(&self.buffer.text(range.clone())));
        Replacement {
            range,
            line: first,
            lines_after: come,
            before,
            after: Some(text.clone()),
            text: text.into(),
            shifts,
        }
    }

    fn line_deletion(&self, (first, top): Numbered, (last, bottom): Numbered) -> Replacement<'static> {
        let before = Some(with_plain_ends(&self.buffer.text(top.start..bottom.end)));
        // An open last line goes with the ending before it, so that the document stays open.
        let range = if bottom.has_ending() {
            top.start..bottom.next
        } else {
            self.buffer.end_of_line_before(top.start)..bottom.end
        };
        let shifts = vec![Shift::Delete { at: first, count: last - first + 1 }];
        Replacement { range, text: "".into(), line: first, lines_after: 0, before, after: None, shifts }
    }

    pub(super) fn replace_lines_containing(
        &mut self,
        contains: &str,
        text: Option<&str>,
        expect: Option<usize>,
    ) -> Result<(), EditError> {
        refuse_cut(text.unwrap_or_default())?;
        if contains.is_empty() || contains.contains(['\n', '\r']) {
            return Err(invalid("`contains` must be a piece of one line."));
        }
        let places =
            find_all(&self.buffer, self.buffer.content(), contains, Matching::Exact, self.ctx.cancel)?;
        if places.is_empty() {
            return Err(self.not_found("contains", contains));
        }
        let mut numbers = self.buffer.line_numbers(places.iter().map(|place| place.start));
        numbers.dedup();
        if let Some(expected) = expect.filter(|expected| *expected != numbers.len()) {
            return Err(self.unexpected_count(expected, numbers.len(), &places));
        }
        let lines: Vec<Numbered> =
            numbers.into_iter().filter_map(|number| Some((number, self.buffer.line(number)?))).collect();
        let replacements = match text {
            Some(text) => {
                let text = whole_lines(text);
                lines.into_iter().map(|line| self.line_replacement(line, line, text.clone())).collect()
            }
            None => runs(&lines).into_iter().map(|(first, last)| self.line_deletion(first, last)).collect(),
        };
        self.replace(replacements)
    }

    fn unexpected_count(&self, expected: usize, found: usize, places: &[Range<usize>]) -> EditError {
        let kind =
            if found > expected { EditErrorKind::MultipleMatches } else { EditErrorKind::PrefixMismatch };
        let message = format!("{found} lines contain the text; `expect_count` says {expected}.");
        EditError::new(kind, message).hint("Look at the lines in `matches`.").matches(self.places(places))
    }
}

/// Lines that follow each other, as first and last.
fn runs(lines: &[Numbered]) -> Vec<(Numbered, Numbered)> {
    lines
        .chunk_by(|(number, _), (next, _)| number + 1 == *next)
        .filter_map(|run| Some((*run.first()?, *run.last()?)))
        .collect()
}
