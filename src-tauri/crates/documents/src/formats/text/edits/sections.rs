//! Replacing a Markdown section by its heading.

use super::{
    super::{
        batch::Batch,
        markdown::{self, Heading},
        nearest,
        search::with_plain_ends,
    },
    LISTED, SHOWN, insertion, refuse_cut, whole_lines,
};
use crate::{EditError, Place, error::EditErrorKind};

impl Batch<'_> {
    pub(super) fn replace_section(
        &mut self,
        heading: &str,
        text: &str,
        keep_heading: bool,
    ) -> Result<(), EditError> {
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
