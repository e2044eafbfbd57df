//! One batch at work: the workbook, what changed so far, what must be warned of, and which cells need recalculation.
//!
//! Places of changes follow later operations, so that the receipt speaks of the workbook after the batch.

use std::collections::HashSet;

use super::{
    address::{Area, CellRef, quote_sheet},
    cells::Tables,
    workbook::{SheetKey, Workbook},
};
use crate::{ApplyContext, Change, EditError, Warning, error::EditErrorKind};

/// Where a change is, until the batch is done.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Location {
    Cell(SheetKey, CellRef),
    Area(SheetKey, Area),
    /// Settled: a name, a sheet, or a cell that is gone.
    Text(String),
}

/// A change with a place that may still move.
#[derive(Debug, Clone)]
pub(super) struct PendingChange {
    pub(super) op: usize,
    pub(super) location: Location,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    pub(super) detail: Option<&'static str>,
}

/// What a batch changed besides cells: formulas that lean on it are computed anew.
#[derive(Default)]
pub(super) struct Touched {
    /// Names and tables, in lower case, that stand for other cells now.
    pub(super) names: HashSet<String>,
    /// Sheets whose lines came or went.
    pub(super) sheets: HashSet<SheetKey>,
    /// All sheets in the order they had before the batch, for 3-D references.
    pub(super) order: Vec<SheetKey>,
}

/// The state of one `apply`.
pub(super) struct Session<'p, 'c> {
    pub(super) book: Workbook<'p>,
    pub(super) context: &'c ApplyContext<'c>,
    pub(super) op: usize,
    pub(super) changes: Vec<PendingChange>,
    pub(super) warnings: Vec<Warning>,
    /// Cells whose stored value is new; formulas that hang on them must be computed again.
    pub(super) dirty: Vec<(SheetKey, CellRef)>,
    /// Formula cells whose result may differ although no cell they read has a new value.
    pub(super) recompute: Vec<(SheetKey, CellRef)>,
    pub(super) touched: Touched,
    /// Formulas that this batch set, until it is known whether their results need an array.
    pub(super) fresh: Vec<(SheetKey, CellRef)>,
    /// Lines or sheets moved: formulas that depend on positions may differ.
    pub(super) structural: bool,
    /// The calculation chain no longer fits.
    pub(super) calculation_order_changed: bool,
    /// Cells whose stored result was computed anew and differs.
    pub(super) recalculated: Vec<(SheetKey, CellRef)>,
    /// Results are missing: the workbook must be calculated when it is opened.
    pub(super) full_calculation: bool,
    /// A formula went away, so the calculation chain no longer fits.
    pub(super) formula_removed: bool,
}

impl<'p, 'c> Session<'p, 'c> {
    pub(super) fn new(book: Workbook<'p>, context: &'c ApplyContext<'c>) -> Session<'p, 'c> {
        let order = book.sheets.iter().map(|entry| entry.key).collect();
        Session {
            book,
            context,
            op: 0,
            changes: Vec::new(),
            warnings: Vec::new(),
            dirty: Vec::new(),
            recompute: Vec::new(),
            touched: Touched { order, ..Touched::default() },
            fresh: Vec::new(),
            structural: false,
            recalculated: Vec::new(),
            full_calculation: false,
            calculation_order_changed: false,
            formula_removed: false,
        }
    }

    /// The tables that cells point into; loaded when needed.
    pub(super) fn tables(&self) -> Result<Tables<'_>, EditError> {
        match (self.book.strings(), self.book.styles()) {
            (Some(strings), Some(styles)) => Ok(Tables { strings, styles, dates: self.book.dates }),
            _ => Err(EditError::new(EditErrorKind::Internal, "The workbook's tables were not read.")),
        }
    }

    pub(super) fn change(
        &mut self,
        location: Location,
        before: Option<String>,
        after: Option<String>,
        detail: Option<&'static str>,
    ) {
        self.changes.push(PendingChange { op: self.op, location, before, after, detail });
    }

    /// Warns once per code and place.
    pub(super) fn warn(&mut self, warning: Warning) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// `Data!B4`, quoted as Excel does.
    pub(super) fn cell_name(&self, key: SheetKey, cell: CellRef) -> String {
        format!("{}!{cell}", self.sheet_name(key))
    }

    pub(super) fn area_name(&self, key: SheetKey, area: Area) -> String {
        format!("{}!{area}", self.sheet_name(key))
    }

    pub(super) fn sheet_name(&self, key: SheetKey) -> String {
        self.book.entry(key).map_or_else(|_| "?".into(), |entry| quote_sheet(&entry.name))
    }

    /// A cell that the caller named, where it is now.
    pub(super) fn current_cell(&self, key: SheetKey, base: CellRef) -> Result<CellRef, EditError> {
        self.book.entry(key)?.current(base).ok_or_else(|| {
            EditError::new(
                EditErrorKind::OutOfRange,
                format!("{} was deleted by an earlier operation of the batch.", self.cell_name(key, base)),
            )
        })
    }

    /// An area that the caller named, where its corners are now.
    pub(super) fn current_area(&self, key: SheetKey, base: Area) -> Result<Area, EditError> {
        Ok(Area::between(self.current_cell(key, base.first)?, self.current_cell(key, base.last)?))
    }

    /// The changes as the receipt tells them.
    pub(super) fn told_changes(&self) -> Vec<Change> {
        let told = |change: &PendingChange| Change {
            op: change.op,
            location: match &change.location {
                Location::Cell(key, cell) => self.cell_name(*key, *cell),
                Location::Area(key, area) => self.area_name(*key, *area),
                Location::Text(text) => text.clone(),
            },
            before: change.before.clone(),
            after: change.after.clone(),
            detail: change.detail.map(str::to_owned),
        };
        self.changes.iter().map(told).collect()
    }
}

/// Reads a cell address of an operation; `Data!B4` may name the sheet too.
pub(super) fn read_cell(text: &str) -> Result<CellRef, EditError> {
    CellRef::parse(text).ok_or_else(|| {
        let message = format!("“{text}” is no cell of a sheet (A1 to XFD1048576).");
        EditError::new(EditErrorKind::OutOfRange, message)
            .hint("Give a cell as column letters and row number: B4.")
    })
}

/// Reads a range of an operation.
pub(super) fn read_area(text: &str) -> Result<Area, EditError> {
    Area::parse(text).ok_or_else(|| {
        let message = format!("“{text}” is no range of a sheet.");
        EditError::new(EditErrorKind::OutOfRange, message).hint("Give a range as A1:C9, B:D or 3:5.")
    })
}
