//! The operations of CONTRACT 2.1: which bytes each one means, or why none.

use super::{
    batch::{Batch, Replacement, Shift},
    buffer::Line,
    describe::CUT_MARK,
    markdown::{self, Heading},
    nearest,
    search::{find_all, with_plain_ends},
};
use crate::{
    Edit, EditError, Place,
    edit::{All, Matching, Occurrence, Position},
    error::EditErrorKind,
};

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

    fn replace_text(
        &mut self,
        find: &str,
        replace: &str,
        occurrence: Option<Occurrence>,
        matching: Matching,
        (start_line, end_line): (Option<usize>, Option<usize>),
    ) -> Result<(), EditError> {
        refuse_cut(replace)?;
        let (find, replace) = (with_plain_ends(find), with_plain_ends(replace));
        if find.is_empty() {
            return self.fill_empty(&replace);
        }
        let within = self.window(start_line, end_line)?;
        let places = find_all(&self.buffer, within, &find, matching, self.ctx.cancel)?;
        if places.is_empty() {
            return Err(self.not_found("find", &find));
        }
        let chosen = match occurrence {
            None if places.len() == 1 => places,
            None => return Err(self.not_unique("find", &places)),
            Some(Occurrence::All(All::All)) => apart(places),
            Some(Occurrence::Nth(0)) => {
                return Err(invalid("`occurrence` is 0; occurrences count from 1."));
            }
            Some(Occurrence::Nth(nth)) => match places.get(nth - 1) {
                Some(place) => vec![place.clone()],
                None => {
                    let message =
                        format!("`occurrence` is {nth}, but the text is there {} times.", places.len());
                    return Err(
                        EditError::new(EditErrorKind::OutOfRange, message).matches(self.places(&places))
                    );
                }
            },
        };
        let lines = self.buffer.line_numbers(chosen.iter().map(|place| place.start));
        let replacements = chosen.into_iter().zip(lines);
        let replacements =
            replacements.map(|(place, line)| self.text_replacement(place, line, &replace)).collect();
        self.replace(replacements)
    }

    /// An empty `find` means an empty document, and nothing else.
    fn fill_empty(&mut self, text: &str) -> Result<(), EditError> {
        if !self.buffer.content().is_empty() {
            return Err(invalid("`find` is empty; only an empty document can be filled that way."));
        }
        let range = self.buffer.content();
        self.replace(vec![insertion(range.start, 1, text.to_owned(), text.trim_end_matches('\n'))])
    }

    fn text_replacement(&self, place: std::ops::Range<usize>, line: usize, replace: &str) -> Replacement {
        let before = with_plain_ends(&self.buffer.text(place.clone()));
        let shifts = self.text_shifts(&place, &before, line, replace);
        Replacement {
            text: replace.to_owned(),
            line,
            lines_after: replace.trim_end_matches('\n').matches('\n').count() + 1,
            before: Some(before),
            after: Some(replace.to_owned()),
            shifts,
            range: place,
        }
    }

    /// How replacing text shifts lines: what is the same at both ends moves with its line, lines rewritten in between are gone
    /// unless there are as many as before.
    fn text_shifts(&self, place: &std::ops::Range<usize>, old: &str, line: usize, new: &str) -> Vec<Shift> {
        if !old.contains('\n') && !new.contains('\n') {
            return Vec::new();
        }
        let prefix: usize =
            old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        let tails = old[prefix..].chars().rev().zip(new[prefix..].chars().rev());
        let suffix: usize = tails.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        let (core_old, core_new) = (&old[prefix..old.len() - suffix], &new[prefix..new.len() - suffix]);
        let (gone, come) = (core_old.matches('\n').count(), core_new.matches('\n').count());
        if gone == come {
            return Vec::new();
        }
        let line = line + old[..prefix].matches('\n').count();
        let opens_line = match old[..prefix].chars().next_back() {
            Some(character) => character == '\n',
            None => self.buffer.line_around(place.start).start == place.start,
        };
        let closes_line = match old[old.len() - suffix..].chars().next() {
            Some(character) => character == '\n',
            None => self.buffer.ends_line(place.end),
        };
        match (opens_line, closes_line) {
            // Only whole lines are concerned, and nothing of them is left.
            (true, true) if !core_old.is_empty() => {
                vec![Shift::Delete { at: line, count: gone + 1 }, Shift::Insert { at: line, count: come + 1 }]
            }
            // The last line keeps its end and moves.
            (true, _) => {
                vec![Shift::Delete { at: line, count: gone }, Shift::Insert { at: line, count: come }]
            }
            // The first line keeps its beginning, the last one its end if there is still one.
            (false, _) if gone > 0 && come > 0 => {
                vec![
                    Shift::Delete { at: line + 1, count: gone - 1 },
                    Shift::Insert { at: line + 1, count: come - 1 },
                ]
            }
            (false, _) => {
                vec![Shift::Delete { at: line + 1, count: gone }, Shift::Insert { at: line + 1, count: come }]
            }
        }
    }

    /// The bytes of the lines `start_line ..= end_line`, their last ending included.
    fn window(
        &self,
        start_line: Option<usize>,
        end_line: Option<usize>,
    ) -> Result<std::ops::Range<usize>, EditError> {
        let content = self.buffer.content();
        if let (Some(start), Some(end)) = (start_line, end_line)
            && start > end
        {
            return Err(invalid(format!("`start_line` {start} lies after `end_line` {end}.")));
        }
        let first = start_line.map(|line| self.line(line, "start_line")).transpose()?;
        let last = end_line.map(|line| self.line(line, "end_line")).transpose()?;
        Ok(first.map_or(content.start, |(_, line)| line.start)
            ..last.map_or(content.end, |(_, line)| line.next))
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

    fn insert_lines(&mut self, line: usize, text: &str, position: Position) -> Result<(), EditError> {
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

    fn append_lines(&mut self, text: &str) -> Result<(), EditError> {
        refuse_cut(text)?;
        let text = whole_lines(text);
        let end = self.buffer.content().end;
        let number = self.buffer.line_count() + 1;
        let is_open = self.buffer.last_line().is_some_and(|line| !line.has_ending());
        let whole = if is_open { format!("\n{text}") } else { format!("{text}\n") };
        self.replace(vec![insertion(end, number, whole, &text)])
    }

    fn replace_lines(
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

    fn delete_lines(&mut self, start: usize, end: usize, expect: Option<&str>) -> Result<(), EditError> {
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

    fn line_replacement(
        &self,
        (first, top): Numbered,
        (last, bottom): Numbered,
        text: String,
    ) -> Replacement {
        let (gone, come) = (last - first + 1, text.matches('\n').count() + 1);
        let shifts = if gone == come {
            Vec::new()
        } else {
            vec![Shift::Delete { at: first, count: gone }, Shift::Insert { at: first, count: come }]
        };
        let range = top.start..bottom.end;
        let before = Some(with_plain_ends(&self.buffer.text(range.clone())));
        Replacement { range, line: first, lines_after: come, before, after: Some(text.clone()), text, shifts }
    }

    fn line_deletion(&self, (first, top): Numbered, (last, bottom): Numbered) -> Replacement {
        let before = Some(with_plain_ends(&self.buffer.text(top.start..bottom.end)));
        // An open last line goes with the ending before it, so that the document stays open.
        let range = if bottom.has_ending() {
            top.start..bottom.next
        } else {
            self.buffer.end_of_line_before(top.start)..bottom.end
        };
        let shifts = vec![Shift::Delete { at: first, count: last - first + 1 }];
        Replacement { range, text: String::new(), line: first, lines_after: 0, before, after: None, shifts }
    }

    fn replace_lines_containing(
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

    fn unexpected_count(
        &self,
        expected: usize,
        found: usize,
        places: &[std::ops::Range<usize>],
    ) -> EditError {
        let kind =
            if found > expected { EditErrorKind::MultipleMatches } else { EditErrorKind::PrefixMismatch };
        let message = format!("{found} lines contain the text; `expect_count` says {expected}.");
        EditError::new(kind, message).hint("Look at the lines in `matches`.").matches(self.places(places))
    }

    fn replace_section(&mut self, heading: &str, text: &str, keep_heading: bool) -> Result<(), EditError> {
        refuse_cut(text)?;
        let all = markdown::headings(&self.buffer, usize::MAX);
        let chosen = self.choose_heading(&all, heading)?;
        let found = &all[chosen];
        let after = all[chosen + 1..].iter().find(|other| other.level <= found.level);
        let content_end = self.buffer.content().end;
        let (first, start) =
            if keep_heading { (found.body, found.body_start) } else { (found.line, found.start) };
        let (last, end) = match after {
            Some(next) => (next.line - 1, next.start),
            None => (self.buffer.line_count(), content_end),
        };
        let text = with_plain_ends(text);
        if first > last {
            return self.fill_section(start, first, &text);
        }
        let old = with_plain_ends(&self.buffer.text(start..end));
        let text = dressed(&old, &text, keep_heading, after.is_some());
        let (Some(top), Some(bottom)) = (self.buffer.line(first), self.buffer.line(last)) else {
            return Err(EditError::new(EditErrorKind::Internal, "The section's lines were not found."));
        };
        let replacement = self.line_replacement((first, top), (last, bottom), text);
        self.replace(vec![replacement])
    }

    /// Text below a heading that has nothing below it.
    fn fill_section(&mut self, at: usize, number: usize, text: &str) -> Result<(), EditError> {
        let text = whole_lines(text);
        let is_open =
            at == self.buffer.content().end && self.buffer.last_line().is_some_and(|line| !line.has_ending());
        let whole = if is_open { format!("\n{text}") } else { format!("{text}\n") };
        self.replace(vec![insertion(at, number, whole, &text)])
    }

    fn choose_heading(&self, all: &[Heading], wanted: &str) -> Result<usize, EditError> {
        let found: Vec<usize> =
            (0..all.len()).filter(|index| markdown::answers_to(all, *index, wanted)).collect();
        let place = |index: &usize| Place {
            location: format!("line {}", all[*index].line),
            text: nearest::shorten(&markdown::path(all, *index).join(" > "), SHOWN),
        };
        match found.as_slice() {
            [one] => Ok(*one),
            [] => {
                let near: Vec<Place> = markdown::nearest(all, wanted).iter().map(place).collect();
                let message = format!("No heading reads “{}”.", nearest::shorten(wanted, SHOWN));
                Err(EditError::new(EditErrorKind::ZeroMatches, message)
                    .hint("Use the heading's text without `#`, or a path such as `Part > Chapter`.")
                    .matches(near))
            }
            several => {
                let message =
                    format!("{} headings read “{}”.", several.len(), nearest::shorten(wanted, SHOWN));
                Err(EditError::new(EditErrorKind::MultipleMatches, message)
                    .hint("Give the path from the top, such as `Part > Chapter`.")
                    .matches(several.iter().take(LISTED).map(place).collect()))
            }
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

    fn not_unique(&self, field: &str, places: &[std::ops::Range<usize>]) -> EditError {
        let message = format!("`{field}` is there {} times; one place was meant.", places.len());
        EditError::new(EditErrorKind::MultipleMatches, message)
            .hint(format!(
                "Give more of the text around the place, or `occurrence` from 1 to {}, or \"all\".",
                places.len()
            ))
            .matches(self.places(places))
    }

    fn places(&self, places: &[std::ops::Range<usize>]) -> Vec<Place> {
        let listed = &places[..places.len().min(LISTED)];
        let numbers = self.buffer.line_numbers(listed.iter().map(|place| place.start));
        let shown = |place: &std::ops::Range<usize>| {
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

fn insertion(at: usize, line: usize, text: String, shown: &str) -> Replacement {
    let count = shown.matches('\n').count() + 1;
    Replacement {
        range: at..at,
        text,
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

/// Of places that overlap, the first.
fn apart(places: Vec<std::ops::Range<usize>>) -> Vec<std::ops::Range<usize>> {
    let mut kept: Vec<std::ops::Range<usize>> = Vec::with_capacity(places.len());
    for place in places {
        if kept.last().is_none_or(|last| last.end <= place.start) {
            kept.push(place);
        }
    }
    kept
}

/// Lines that follow each other, as first and last.
fn runs(lines: &[Numbered]) -> Vec<(Numbered, Numbered)> {
    lines
        .chunk_by(|(number, _), (next, _)| number + 1 == *next)
        .filter_map(|run| Some((*run.first()?, *run.last()?)))
        .collect()
}

/// A section's new text with the blank lines that set the old one apart, unless it brings its own.
fn dressed(old: &str, new: &str, keep_heading: bool, is_followed: bool) -> String {
    let is_blank = |line: &&str| line.trim().is_empty();
    let lines: Vec<&str> = old.lines().collect();
    let leading = lines.iter().take_while(|line| is_blank(line)).count();
    let trailing = if leading == lines.len() {
        usize::from(is_followed && leading > 0)
    } else {
        lines.iter().rev().take_while(|line| is_blank(line)).count()
    };
    let above = if keep_heading && !new.starts_with('\n') { leading } else { 0 };
    let below = if new.ends_with("\n\n") { 0 } else { trailing };
    let above = if leading == lines.len() { above.min(1) } else { above };
    format!("{}{}{}", "\n".repeat(above), new.strip_suffix('\n').unwrap_or(new), "\n".repeat(below))
}
