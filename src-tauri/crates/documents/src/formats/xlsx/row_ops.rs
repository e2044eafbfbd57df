//! Rows of values: appended below the last one, or put into lines that were just inserted. Formats follow the line before.

use super::{
    address::{Area, Axis, CellRef, LAST_ROW},
    cells::{Content, Value},
    formula::{
        LineEdit, Verb,
        rewrite::{OffSheet, translate},
    },
    grid::lex::FormulaKind,
    patch::Patch,
    session::Session,
    structure::shared,
    tables::Table,
    workbook::SheetKey,
};
use crate::{
    EditError,
    edit::{CellValue, TypedValue},
    error::EditErrorKind,
    package::xml::{NodeId, Ns},
};

impl Session<'_, '_> {
    pub(super) fn append_rows(
        &mut self,
        sheet: Option<&str>,
        rows: &[Vec<CellValue>],
        extend_table: bool,
    ) -> Result<(), EditError> {
        let key = self.worksheet(sheet)?;
        if rows.is_empty() {
            return Err(EditError::new(EditErrorKind::InvalidArguments, "`rows` is empty."));
        }
        self.book.sheet_mut(key)?.grid.flush()?;
        let last = self.last_content_row(key)?;
        if extend_table {
            return self.append_to_table(key, last, rows);
        }
        if last as usize + rows.len() > LAST_ROW as usize {
            let message = format!("{} more rows do not fit below row {last}.", rows.len());
            return Err(EditError::new(EditErrorKind::OutOfRange, message));
        }
        let first_col = self.first_content_col(key, last)?;
        self.put_rows(key, CellRef::new(last + 1, first_col), rows, Axis::Rows)
    }

    fn last_content_row(&self, key: SheetKey) -> Result<u32, EditError> {
        let grid = &self.book.sheet(key)?.grid;
        for row in grid.rows().iter().rev() {
            for cell in grid.cells(row) {
                let cell = cell?;
                if cell.value.is_some() || cell.inline.is_some() || cell.formula.is_some() {
                    return Ok(row.number);
                }
            }
        }
        Ok(0)
    }

    /// Where a block of data begins: under a row that starts in column B, rows are appended from column B on.
    fn first_content_col(&self, key: SheetKey, row: u32) -> Result<u32, EditError> {
        let cells = self.book.sheet(key)?.grid.row_cells(row)?;
        let holds = cells.iter().find(|cell| {
            cell.span.value.is_some() || cell.span.inline.is_some() || cell.span.formula.is_some()
        });
        Ok(holds.map_or(1, |cell| cell.span.at.col))
    }

    fn append_to_table(
        &mut self,
        key: SheetKey,
        last: u32,
        rows: &[Vec<CellValue>],
    ) -> Result<(), EditError> {
        let tables = self.tables_of(key)?;
        let ends_here: Vec<&Table> = tables.iter().filter(|table| table.area.last.row == last).collect();
        let table = match (ends_here.as_slice(), tables.as_slice()) {
            ([table], _) => (*table).clone(),
            ([], [table]) => table.clone(),
            ([], []) => {
                let message = "There is no table on the sheet to extend.";
                return Err(EditError::new(EditErrorKind::OutOfRange, message));
            }
            _ => {
                let message = "More than one table could be meant by `extend_table`.";
                return Err(EditError::new(EditErrorKind::MultipleMatches, message));
            }
        };
        let count = rows.len() as u32;
        let first = CellRef::new(table.area.last.row + 1 - table.totals_rows, table.area.first.col);
        let below_is_free = table.area.last.row >= last;
        if table.totals_rows > 0 || !below_is_free {
            let edit = LineEdit { axis: Axis::Rows, verb: Verb::Insert, at: first.row, count };
            self.insert_lines_at(key, &edit)?;
        }
        if table.totals_rows == 0 {
            self.grow_table(&table, count)?;
        }
        self.put_rows(key, first, rows, Axis::Rows)?;
        let part = &table.part;
        match self.tables_of(key)?.into_iter().find(|grown| grown.part.same(part)) {
            Some(grown) => self.fill_table_rows(key, &grown, first.row, count),
            None => Ok(()),
        }
    }

    /// A table grown by rows below its last one: its area and its filter.
    fn grow_table(&mut self, table: &Table, count: u32) -> Result<(), EditError> {
        let xml = self.book.package.xml(&table.part)?;
        let mut patch = Patch::new(&xml);
        let grow = |patch: &mut Patch<'_>, node: NodeId| {
            let Some(area) = patch.value(node, "ref").and_then(|text| Area::parse(&text)) else {
                return Ok(());
            };
            let grown = area.with(Axis::Rows, area.first.row, area.last.row + count);
            patch.set(node, "ref", &grown.corners())
        };
        grow(&mut patch, xml.root())?;
        if let Some(filter) = xml.child(xml.root(), Ns::S, "autoFilter") {
            grow(&mut patch, filter)?;
        }
        let bytes = xml.write(patch.finish()?)?;
        self.book.package.replace(&table.part, bytes)
    }

    /// Puts rows of values from a cell on, with the formats of the line before the first one.
    pub(super) fn put_rows(
        &mut self,
        key: SheetKey,
        first: CellRef,
        rows: &[Vec<CellValue>],
        axis: Axis,
    ) -> Result<(), EditError> {
        let mut targets: Vec<(CellRef, Target<'_>)> = Vec::new();
        for (row, values) in (first.row..).zip(rows) {
            for (col, value) in (first.col..).zip(values) {
                let at = CellRef::new(row, col);
                let model = match axis {
                    Axis::Rows => (first.row > 1).then(|| CellRef::new(first.row - 1, col)),
                    Axis::Cols => (first.col > 1).then(|| CellRef::new(row, first.col - 1)),
                };
                let style = match model {
                    Some(model) => self.book.sheet(key)?.cell(model)?.map(|cell| cell.span.style),
                    None => None,
                };
                let content = match value {
                    CellValue::Clear(()) => continue,
                    CellValue::Typed(TypedValue::Fill(_)) => Some(self.filled_formula(key, at, model)?),
                    _ => None,
                };
                targets.push((at, Target { value, content, style }));
            }
        }
        self.put_targets(key, targets)
    }

    /// The formula of the line before, as it reads here.
    pub(super) fn filled_formula(
        &self,
        key: SheetKey,
        at: CellRef,
        model: Option<CellRef>,
    ) -> Result<Content, EditError> {
        let grid = &self.book.sheet(key)?.grid;
        let none = || {
            let name = self.cell_name(key, at);
            let message = format!("There is no formula before {name} to fill from.");
            EditError::new(EditErrorKind::InvalidArguments, message)
        };
        let model = model.ok_or_else(none)?;
        let text = match grid.cell(model)? {
            Some(cell) => match cell.span.formula.as_ref().map(|formula| formula.kind) {
                Some(FormulaKind::Normal) => cell.formula_text().map(|text| text.into_owned()),
                Some(FormulaKind::Shared) => shared::groups(grid)?
                    .iter()
                    .find(|group| group.members.contains(&model))
                    .map(|group| group.text_at(model)),
                _ => None,
            },
            None => None,
        };
        let text = text.filter(|text| !text.is_empty()).ok_or_else(none)?;
        let (rows, cols) =
            (i64::from(at.row) - i64::from(model.row), i64::from(at.col) - i64::from(model.col));
        Ok(Content::Formula(translate(&text, rows, cols, OffSheet::Dies), Value::Empty))
    }
}

/// What goes into one cell.
pub(super) struct Target<'v> {
    pub(super) value: &'v CellValue,
    /// The content where it does not follow from the value alone.
    pub(super) content: Option<Content>,
    /// The style of a cell that has none of its own yet.
    pub(super) style: Option<u32>,
}
