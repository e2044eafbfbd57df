//! How inserted and deleted lines move positions, ranges and references (ooxml D1, "Shift function").

use super::references::{Corner, Form};
use crate::formats::xlsx::address::{Area, Axis, CellRef};

/// Whether lines come or go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats::xlsx) enum Verb {
    Insert,
    Delete,
}

/// Lines inserted before, or deleted from, `at` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats::xlsx) struct LineEdit {
    pub(in crate::formats::xlsx) axis: Axis,
    pub(in crate::formats::xlsx) verb: Verb,
    pub(in crate::formats::xlsx) at: u32,
    pub(in crate::formats::xlsx) count: u32,
}

impl LineEdit {
    /// The last of the inserted or deleted lines.
    pub(in crate::formats::xlsx) fn end(&self) -> u32 {
        self.at + self.count - 1
    }

    /// Where a line goes; `None` when it is deleted or pushed off the sheet.
    pub(in crate::formats::xlsx) fn line(&self, line: u32) -> Option<u32> {
        match self.verb {
            Verb::Insert if line >= self.at => {
                let moved = line + self.count;
                (moved <= self.axis.last()).then_some(moved)
            }
            Verb::Delete if line > self.end() => Some(line - self.count),
            Verb::Delete if line >= self.at => None,
            Verb::Insert | Verb::Delete => Some(line),
        }
    }

    /// Where a range of lines goes: grown, moved, trimmed, or gone. One that spans the whole axis stays.
    pub(in crate::formats::xlsx) fn lines(&self, first: u32, last: u32) -> Option<(u32, u32)> {
        let end = self.axis.last();
        if first == 1 && last == end {
            return Some((first, last));
        }
        match self.verb {
            Verb::Insert => {
                let first = self.line(first)?;
                Some((first, self.line(last).unwrap_or(end)))
            }
            Verb::Delete => {
                let first_left = match first {
                    first if first > self.end() => first - self.count,
                    first => first.min(self.at),
                };
                let last_left = match last {
                    last if last > self.end() => last - self.count,
                    last if last >= self.at => self.at.checked_sub(1)?,
                    last => last,
                };
                (first_left <= last_left && last_left > 0).then_some((first_left, last_left))
            }
        }
    }

    pub(in crate::formats::xlsx) fn cell(&self, cell: CellRef) -> Option<CellRef> {
        let line = self.line(cell.on(self.axis))?;
        Some(match self.axis {
            Axis::Rows => CellRef::new(line, cell.col),
            Axis::Cols => CellRef::new(cell.row, line),
        })
    }

    pub(in crate::formats::xlsx) fn area(&self, area: Area) -> Option<Area> {
        let (first, last) = area.on(self.axis);
        self.lines(first, last).map(|(first, last)| area.with(self.axis, first, last))
    }

    /// The lines that come or go, as an area of the sheet.
    pub(in crate::formats::xlsx) fn band(&self) -> Area {
        Area::everything().with(self.axis, self.at, self.end().min(self.axis.last()))
    }

    /// The form of a reference afterwards.
    pub(in crate::formats::xlsx) fn form(&self, form: &Form) -> Form {
        let axis = self.axis;
        let pair = |a: Corner, b: Corner, make: fn(Corner, Corner) -> Form| {
            let (low, high) = (a.on(axis).min(b.on(axis)), a.on(axis).max(b.on(axis)));
            match self.lines(low, high) {
                None => Form::Dead,
                Some((first, last)) if a.on(axis) <= b.on(axis) => {
                    make(a.with(axis, first), b.with(axis, last))
                }
                Some((first, last)) => make(a.with(axis, last), b.with(axis, first)),
            }
        };
        match (form, axis) {
            (Form::Cell(corner), _) => {
                self.line(corner.on(axis)).map_or(Form::Dead, |line| Form::Cell(corner.with(axis, line)))
            }
            (Form::Area(a, b), _) => pair(*a, *b, Form::Area),
            (Form::Columns(a, b), Axis::Cols) => pair(*a, *b, Form::Columns),
            (Form::Rows(a, b), Axis::Rows) => pair(*a, *b, Form::Rows),
            (Form::Columns(..), Axis::Rows) | (Form::Rows(..), Axis::Cols) | (Form::Dead, _) => *form,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(verb: Verb, at: u32, count: u32) -> LineEdit {
        LineEdit { axis: Axis::Rows, verb, at, count }
    }

    #[test]
    fn inserting_grows_moves_and_leaves() {
        let edit = edit(Verb::Insert, 5, 2);
        assert_eq!(edit.lines(3, 4), Some((3, 4)));
        assert_eq!(edit.lines(3, 5), Some((3, 7)));
        assert_eq!(edit.lines(5, 6), Some((7, 8)));
        assert_eq!(edit.lines(1, 1_048_576), Some((1, 1_048_576)));
        assert_eq!(edit.lines(2, 1_048_576), Some((2, 1_048_576)));
        assert_eq!(edit.line(1_048_576), None);
    }

    #[test]
    fn deleting_trims_and_kills() {
        let edit = edit(Verb::Delete, 5, 3);
        for ((first, last), expected) in [
            ((1, 4), Some((1, 4))),
            ((1, 5), Some((1, 4))),
            ((5, 7), None),
            ((6, 9), Some((5, 6))),
            ((8, 9), Some((5, 6))),
            ((4, 8), Some((4, 5))),
            ((5, 8), Some((5, 5))),
            ((2, 1_048_576), Some((2, 1_048_573))),
        ] {
            assert_eq!(edit.lines(first, last), expected, "{first}:{last}");
        }
        assert_eq!(super::LineEdit { at: 1, ..edit }.lines(2, 3), None);
        assert_eq!(super::LineEdit { at: 1, ..edit }.lines(1, 4), Some((1, 1)));
    }
}
