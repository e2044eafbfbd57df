//! Replacing and deleting text inside a document, and how that shifts its lines.

use std::ops::Range;

use super::{
    super::{
        batch::{self, Batch, Replacement, Shift},
        search::{find_all, with_plain_ends},
    },
    insertion, invalid, refuse_cut,
};
use crate::{
    EditError,
    edit::{All, Matching, Occurrence},
    error::EditErrorKind,
};

impl Batch<'_> {
    pub(super) fn replace_text(
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
        let replacements = chosen.into_iter().zip(lines).enumerate();
        let replacements = replacements
            .map(|(index, (place, line))| self.text_replacement(place, line, &replace, index < batch::LISTED))
            .collect();
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

    fn text_replacement<'t>(
        &self,
        place: Range<usize>,
        line: usize,
        replace: &'t str,
        is_listed: bool,
    ) -> Replacement<'t> {
        let before = with_plain_ends(&self.buffer.text(place.clone()));
        Replacement {
            shifts: self.text_shifts(&place, &before, line, replace),
            text: replace.into(),
            line,
            lines_after: replace.trim_end_matches('\n').matches('\n').count() + 1,
            before: is_listed.then_some(before),
            after: is_listed.then(|| replace.to_owned()),
            range: place,
        }
    }

    /// How replacing text shifts lines: what is the same at both ends moves with its line, lines rewritten in between are gone
    /// unless there are as many as before.
    fn text_shifts(&self, place: &Range<usize>, old: &str, line: usize, new: &str) -> Vec<Shift> {
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
    fn window(&self, start_line: Option<usize>, end_line: Option<usize>) -> Result<Range<usize>, EditError> {
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
}

/// Of places that overlap, the first.
fn apart(places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut kept: Vec<Range<usize>> = Vec::with_capacity(places.len());
    for place in places {
        if kept.last().is_none_or(|last| last.end <= place.start) {
            kept.push(place);
        }
    }
    kept
}
