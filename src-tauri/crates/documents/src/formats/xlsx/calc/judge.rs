//! A formula judged over the values that a workbook holds, for previews: the rules of conditional formats.
//!
//! Nothing is recalculated and nothing is written. What cannot be computed (a clock, tables, links) gives no answer.

use std::rc::Rc;

use super::{
    eval::{Cells, Outcome, TableShape, compute, unknown},
    value::{ErrorValue, Scalar},
};
use crate::formats::xlsx::{
    address::{Area, CellRef, same_name},
    formula::rewrite::{OffSheet, translate},
    number_format::DateSystem,
    workbook::SheetKey,
};

/// A value that a file holds, or that a formula gives.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stored {
    Empty,
    Number(f64),
    Text(String),
    Truth(bool),
    Error(String),
}

/// A workbook of stored values; sheets count from 0 in tab order, rows and columns from 1.
pub(crate) trait StoredCells {
    /// Visits the cells of an area (first row, first column, last row, last column) that are not empty, row by row, until the
    /// visitor answers `false`; answers `None` where the sheet has no cells or too much was read already.
    fn visit(
        &self,
        sheet: usize,
        area: [u32; 4],
        visit: &mut dyn FnMut(u32, u32, Stored) -> bool,
    ) -> Option<()>;
    /// The names of the tabs.
    fn tabs(&self) -> Vec<&str>;
    /// The text of a defined name as seen from a sheet.
    fn name(&self, home: usize, name: &str) -> Option<String>;
    fn counts_from_1904(&self) -> bool;
    fn is_hidden(&self, sheet: usize, row: u32) -> bool;
}

/// What a formula of a rule gives for one cell. The formula is written for the cell `home`, relative references move along.
pub(crate) fn judge(
    cells: &dyn StoredCells,
    sheet: usize,
    home: [u32; 2],
    at: [u32; 2],
    formula: &str,
) -> Option<Stored> {
    let by = |index: usize| i64::from(at[index]) - i64::from(home[index]);
    let text = translate(formula.trim().trim_start_matches('='), by(0), by(1), OffSheet::Wrap);
    // Excel computes the formulas of conditional formats over arrays.
    let given = compute(&View(cells), SheetKey(sheet), CellRef::new(at[0], at[1]), &text, true).ok()?;
    Some(match given.get(0, 0) {
        Scalar::Empty => Stored::Empty,
        Scalar::Number(number) => Stored::Number(*number),
        Scalar::Text(text) => Stored::Text(text.to_string()),
        Scalar::Boolean(value) => Stored::Truth(*value),
        Scalar::Error(error) => Stored::Error(error.as_str().to_owned()),
    })
}

/// The calculator's view of it.
struct View<'v>(&'v dyn StoredCells);

fn scalar(value: Stored) -> Option<Scalar> {
    Some(match value {
        Stored::Empty => Scalar::Empty,
        Stored::Number(number) => Scalar::Number(number),
        Stored::Text(text) => Scalar::Text(Rc::from(text)),
        Stored::Truth(value) => Scalar::Boolean(value),
        Stored::Error(text) => Scalar::Error(ErrorValue::parse(&text)?),
    })
}

impl Cells for View<'_> {
    fn value(&self, sheet: SheetKey, cell: CellRef) -> Outcome<Scalar> {
        let mut found = Scalar::Empty;
        self.scan(sheet, Area::cell(cell), &mut |_, value| {
            found = value;
            false
        })?;
        Ok(found)
    }

    fn scan(
        &self,
        sheet: SheetKey,
        area: Area,
        visit: &mut dyn FnMut(CellRef, Scalar) -> bool,
    ) -> Outcome<()> {
        let bounds = [area.first.row, area.first.col, area.last.row, area.last.col];
        let mut strange = false;
        let read = self.0.visit(sheet.0, bounds, &mut |row, column, value| match scalar(value) {
            Some(Scalar::Empty) => true,
            Some(value) => visit(CellRef::new(row, column), value),
            None => {
                strange = true;
                false
            }
        });
        match read {
            Some(()) if !strange => Ok(()),
            Some(()) => unknown("it reads an error of an unknown kind"),
            None => unknown("it reads too much, or a sheet without cells"),
        }
    }

    fn sheet(&self, name: &str) -> Option<SheetKey> {
        self.0.tabs().iter().position(|tab| same_name(tab, name)).map(SheetKey)
    }

    fn sheets(&self, first: &str, last: &str) -> Option<Vec<SheetKey>> {
        let (first, last) = (self.sheet(first)?.0, self.sheet(last)?.0);
        Some((first.min(last)..=first.max(last)).map(SheetKey).collect())
    }

    fn name(&self, home: SheetKey, sheet: Option<&str>, name: &str) -> Option<String> {
        let home = sheet.map_or(Some(home), |sheet| self.sheet(sheet))?;
        self.0.name(home.0, name)
    }

    fn table(&self, _: Option<&str>, _: SheetKey, _: CellRef) -> Option<TableShape> {
        None
    }

    fn dates(&self) -> DateSystem {
        if self.0.counts_from_1904() { DateSystem::Base1904 } else { DateSystem::Base1900 }
    }

    fn hidden(&self, sheet: SheetKey, row: u32) -> (bool, bool) {
        (self.0.is_hidden(sheet.0, row), false)
    }

    fn is_subtotal(&self, _: SheetKey, _: CellRef) -> bool {
        false
    }

    fn sheet_number(&self, sheet: SheetKey) -> (usize, usize) {
        (sheet.0 + 1, self.0.tabs().len())
    }
}
