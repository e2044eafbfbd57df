//! Tables under line edits: one that is deleted with all its lines, and calculated columns in lines that were inserted into one.

use crate::{
    EditError,
    edit::CellValue,
    formats::xlsx::{
        address::{Axis, CellRef, same_name},
        formula::{LineEdit, Replacement, TokenKind, Verb, rewrite},
        patch::Patch,
        row_ops::Target,
        session::Session,
        structure::shared::GroupRule,
        tables::Table,
        workbook::SheetKey,
    },
    package::{
        PartName,
        xml::{NodeId, Ns},
    },
};

impl Session<'_, '_> {
    /// Deletes a table whose lines are all deleted: its part, its entry in the sheet, and every reference to it.
    pub(super) fn delete_table(
        &mut self,
        key: SheetKey,
        part: &PartName,
        name: &str,
    ) -> Result<(), EditError> {
        let mut died = Vec::new();
        self.change_formulas(None, b'[', GroupRule::Uniform, &mut |text, place| {
            let new = rewrite(text, |token| match &token.kind {
                TokenKind::Structured { table } if same_name(&text[table.clone()], name) => {
                    Replacement::With("#REF!".into())
                }
                _ => Replacement::Keep,
            })?;
            died.push((place.clone(), text.to_owned(), new.clone()));
            Some(new)
        })?;
        self.tell_dead_columns(died);
        let owner = self.book.entry(key)?.part.clone();
        let relationships = self.book.package.relationships(&owner)?;
        let Some(id) = relationships.to_part(part).map(|item| item.id.clone()) else { return Ok(()) };
        let sheet = self.book.sheet_mut(key)?;
        let mut patch = Patch::new(&sheet.frame);
        let entries: Vec<NodeId> =
            sheet.frame.descendants_named(sheet.frame.root(), Ns::S, "tablePart").collect();
        for entry in entries {
            if sheet.frame.value(entry, Ns::R, "id").is_some_and(|value| value == id) {
                patch.remove(entry);
            }
        }
        let splices = patch.finish()?;
        sheet.edit_frame(splices)?;
        self.book.package.remove_relationship(&owner, &id)?;
        self.remove_with_orphans(part)
    }

    /// Fills the calculated columns of tables in rows that were inserted between their data rows, as Excel does; a cell that was given a
    /// value keeps it.
    pub(in crate::formats::xlsx) fn fill_calculated(
        &mut self,
        key: SheetKey,
        edit: &LineEdit,
    ) -> Result<(), EditError> {
        if edit.axis == Axis::Cols || edit.verb == Verb::Delete {
            return Ok(());
        }
        for table in self.tables_of(key)? {
            let (first, last) = table.data_rows();
            if first <= edit.at && edit.end() <= last {
                self.fill_table_rows(key, &table, edit.at, edit.count)?;
            }
        }
        Ok(())
    }

    /// Fills the calculated columns of some rows of a table from the data row before them, else from the one behind.
    pub(in crate::formats::xlsx) fn fill_table_rows(
        &mut self,
        key: SheetKey,
        table: &Table,
        at: u32,
        count: u32,
    ) -> Result<(), EditError> {
        let (first, last) = table.data_rows();
        let model = if at > first { at - 1 } else { at + count };
        if model > last {
            return Ok(());
        }
        self.book.sheet_mut(key)?.grid.flush()?;
        let nothing = CellValue::Clear(());
        let mut targets = Vec::new();
        for (position, _) in table.calculated.iter().enumerate().filter(|(_, calculated)| **calculated) {
            let model = CellRef::new(model, table.area.first.col + position as u32);
            for row in at..at + count {
                let cell = CellRef::new(row, model.col);
                let taken = self.book.sheet(key)?.cell(cell)?.is_some_and(|cell| {
                    cell.span.value.is_some() || cell.span.inline.is_some() || cell.span.formula.is_some()
                });
                // A cell of the column that was overwritten by hand has no formula to follow.
                let Ok(content) = self.filled_formula(key, cell, Some(model)) else { continue };
                if !taken {
                    let style = self.book.sheet(key)?.cell(model)?.map(|model| model.span.style);
                    targets.push((cell, Target { value: &nothing, content: Some(content), style }));
                }
            }
        }
        self.put_targets(key, targets)
    }
}
