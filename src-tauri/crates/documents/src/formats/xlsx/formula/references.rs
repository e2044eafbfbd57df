//! References in A1 notation, with the sheet before them and the `$` of each corner.

use std::ops::Range;

use crate::formats::xlsx::address::{
    Area, Axis, CellRef, LAST_COL, LAST_ROW, column_letters, parse_column, parse_row,
};

/// One corner: a cell, or only its row or column in whole-line references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats::xlsx) struct Corner {
    pub(in crate::formats::xlsx) row: u32,
    pub(in crate::formats::xlsx) col: u32,
    pub(in crate::formats::xlsx) row_fixed: bool,
    pub(in crate::formats::xlsx) col_fixed: bool,
}

/// What a reference points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats::xlsx) enum Form {
    Cell(Corner),
    /// The corners in the order they are written.
    Area(Corner, Corner),
    /// `A:C`; only the columns count.
    Columns(Corner, Corner),
    /// `3:5`; only the rows count.
    Rows(Corner, Corner),
    /// `#REF!`.
    Dead,
}

/// What stands before the `!`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::formats::xlsx) struct Prefix {
    /// In the formula's text, the `!` included.
    pub(in crate::formats::xlsx) range: Range<usize>,
    /// The sheet, without quotes; the first one of a 3-D reference.
    pub(in crate::formats::xlsx) sheet: String,
    /// The last sheet of a 3-D reference.
    pub(in crate::formats::xlsx) last_sheet: Option<String>,
    /// What names another workbook: `1` of `[1]Data`, or a path.
    pub(in crate::formats::xlsx) workbook: Option<String>,
}

impl Prefix {
    /// A sheet of this workbook and nothing more.
    pub(in crate::formats::xlsx) fn is_plain(&self) -> bool {
        self.workbook.is_none() && self.last_sheet.is_none()
    }
}

/// A reference token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::formats::xlsx) struct Reference {
    pub(in crate::formats::xlsx) prefix: Option<Prefix>,
    pub(in crate::formats::xlsx) form: Form,
    /// In the formula's text, behind the prefix.
    pub(in crate::formats::xlsx) range: Range<usize>,
    /// `A1#`, the whole spilled result.
    pub(in crate::formats::xlsx) spill: bool,
}

impl Corner {
    pub(in crate::formats::xlsx) fn cell(self) -> CellRef {
        CellRef::new(self.row, self.col)
    }

    pub(in crate::formats::xlsx) fn on(self, axis: Axis) -> u32 {
        match axis {
            Axis::Rows => self.row,
            Axis::Cols => self.col,
        }
    }

    pub(in crate::formats::xlsx) fn is_fixed(self, axis: Axis) -> bool {
        match axis {
            Axis::Rows => self.row_fixed,
            Axis::Cols => self.col_fixed,
        }
    }

    pub(in crate::formats::xlsx) fn with(mut self, axis: Axis, line: u32) -> Corner {
        match axis {
            Axis::Rows => self.row = line,
            Axis::Cols => self.col = line,
        }
        self
    }

    /// Reads `$B$4`.
    pub(in crate::formats::xlsx) fn parse(text: &str) -> Option<Corner> {
        let (col, col_fixed, rest) = column_part(text)?;
        let (row, row_fixed) = row_part(rest)?;
        Some(Corner { row, col, row_fixed, col_fixed })
    }

    /// Reads `$B`.
    pub(in crate::formats::xlsx) fn parse_column(text: &str) -> Option<Corner> {
        let (col, col_fixed, rest) = column_part(text)?;
        rest.is_empty().then_some(Corner { row: 1, col, row_fixed: true, col_fixed })
    }

    /// Reads `$4`.
    pub(in crate::formats::xlsx) fn parse_row(text: &str) -> Option<Corner> {
        let (row, row_fixed) = row_part(text)?;
        Some(Corner { row, col: 1, row_fixed, col_fixed: true })
    }

    fn write_column(self, out: &mut String) {
        if self.col_fixed {
            out.push('$');
        }
        out.push_str(&column_letters(self.col));
    }

    fn write_row(self, out: &mut String) {
        if self.row_fixed {
            out.push('$');
        }
        out.push_str(&self.row.to_string());
    }

    fn write(self, out: &mut String) {
        self.write_column(out);
        self.write_row(out);
    }
}

fn column_part(text: &str) -> Option<(u32, bool, &str)> {
    let bare = text.strip_prefix('$').unwrap_or(text);
    let letters = bare.bytes().take_while(u8::is_ascii_alphabetic).count();
    Some((parse_column(&bare[..letters])?, bare.len() < text.len(), &bare[letters..]))
}

fn row_part(text: &str) -> Option<(u32, bool)> {
    let bare = text.strip_prefix('$').unwrap_or(text);
    Some((parse_row(bare)?, bare.len() < text.len()))
}

impl Form {
    /// The cells it covers; nothing for a dead one.
    pub(in crate::formats::xlsx) fn area(&self) -> Option<Area> {
        Some(match self {
            Form::Cell(corner) => Area::cell(corner.cell()),
            Form::Area(a, b) => Area::between(a.cell(), b.cell()),
            Form::Columns(a, b) => Area::between(CellRef::new(1, a.col), CellRef::new(LAST_ROW, b.col)),
            Form::Rows(a, b) => Area::between(CellRef::new(a.row, 1), CellRef::new(b.row, LAST_COL)),
            Form::Dead => return None,
        })
    }

    /// As it is written in a formula.
    pub(in crate::formats::xlsx) fn write(&self) -> String {
        let mut out = String::new();
        let mut both = |a: &Corner, b: &Corner, write: fn(Corner, &mut String)| {
            write(*a, &mut out);
            out.push(':');
            write(*b, &mut out);
        };
        match self {
            Form::Area(a, b) => both(a, b, Corner::write),
            Form::Columns(a, b) => both(a, b, Corner::write_column),
            Form::Rows(a, b) => both(a, b, Corner::write_row),
            Form::Cell(corner) => corner.write(&mut out),
            Form::Dead => out.push_str("#REF!"),
        }
        out
    }

    /// The corners that count on an axis; none where the form does not depend on it.
    pub(in crate::formats::xlsx) fn corners_on(&self, axis: Axis) -> Vec<Corner> {
        match (self, axis) {
            (Form::Cell(corner), _) => vec![*corner],
            (Form::Area(a, b), _) | (Form::Columns(a, b), Axis::Cols) | (Form::Rows(a, b), Axis::Rows) => {
                vec![*a, *b]
            }
            (Form::Columns(..), Axis::Rows) | (Form::Rows(..), Axis::Cols) | (Form::Dead, _) => Vec::new(),
        }
    }

    /// The same with each corner changed on an axis.
    pub(in crate::formats::xlsx) fn map(&self, mut change: impl FnMut(Corner) -> Corner) -> Form {
        match self {
            Form::Cell(corner) => Form::Cell(change(*corner)),
            Form::Area(a, b) => Form::Area(change(*a), change(*b)),
            Form::Columns(a, b) => Form::Columns(change(*a), change(*b)),
            Form::Rows(a, b) => Form::Rows(change(*a), change(*b)),
            Form::Dead => Form::Dead,
        }
    }
}
