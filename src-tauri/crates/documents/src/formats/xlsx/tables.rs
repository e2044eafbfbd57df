//! Tables on a sheet: where they lie, what their columns are called, and renaming a column wherever it is named.

use super::{
    address::{Area, CellRef, same_name},
    formula::rewrite::rename_column,
    parts::{self, PartKind},
    patch::Patch,
    places::{Place, Spot, table_name},
    session::Session,
    structure::shared::GroupRule,
    workbook::SheetKey,
};
use crate::{
    EditError,
    package::{
        PartName,
        xml::{NodeId, Ns},
    },
};

/// One table.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) part: PartName,
    pub(super) name: String,
    pub(super) area: Area,
    pub(super) header_rows: u32,
    pub(super) totals_rows: u32,
    pub(super) columns: Vec<String>,
    /// By column, whether it is calculated.
    pub(super) calculated: Vec<bool>,
}

impl Table {
    /// The first and last row of its data.
    pub(super) fn data_rows(&self) -> (u32, u32) {
        (self.area.first.row + self.header_rows, self.area.last.row.saturating_sub(self.totals_rows))
    }

    /// The header row, where there is one.
    pub(super) fn header(&self) -> Option<Area> {
        let row = self.area.first.row;
        (self.header_rows > 0).then(|| self.area.with(super::address::Axis::Rows, row, row))
    }
}

impl Session<'_, '_> {
    /// The tables of a sheet.
    pub(super) fn tables_of(&self, key: SheetKey) -> Result<Vec<Table>, EditError> {
        let mut tables = Vec::new();
        for part in parts::of_sheet(&self.book, key)? {
            if part.kind != PartKind::Table {
                continue;
            }
            let xml = self.book.package.xml(&part.part)?;
            let root = xml.root();
            let value = |name| xml.value(root, Ns::None, name);
            let Some(area) = value("ref").and_then(|text| Area::parse(&text)) else { continue };
            let count = |name, default| value(name).and_then(|text| text.parse().ok()).unwrap_or(default);
            let list = xml.child(root, Ns::S, "tableColumns");
            let columns: Vec<NodeId> =
                list.into_iter().flat_map(|list| xml.children_named(list, Ns::S, "tableColumn")).collect();
            let calculated = |column: &NodeId| xml.child(*column, Ns::S, "calculatedColumnFormula").is_some();
            tables.push(Table {
                part: part.part.clone(),
                name: table_name(&xml),
                area,
                header_rows: count("headerRowCount", 1),
                totals_rows: count("totalsRowCount", 0),
                calculated: columns.iter().map(calculated).collect(),
                columns: columns
                    .into_iter()
                    .map(|column| xml.value(column, Ns::None, "name").unwrap_or_default().into_owned())
                    .collect(),
            });
        }
        Ok(tables)
    }

    /// Renames a column in every structured reference (`to` absent: they become `#REF!`).
    pub(super) fn rename_table_column(
        &mut self,
        key: SheetKey,
        table: &str,
        from: &str,
        to: Option<&str>,
    ) -> Result<(), EditError> {
        let area = self.tables_of(key)?.into_iter().find(|t| same_name(&t.name, table)).map(|t| t.area);
        let mut changed = Vec::new();
        self.change_formulas(None, b'[', GroupRule::Uniform, &mut |text, place| {
            let inside = match &place.spot {
                Spot::Cell(sheet, at) => *sheet == key && area.is_some_and(|area| area.contains(*at)),
                Spot::Table(_, name) => same_name(name, table),
                _ => false,
            };
            let new = rename_column(text, table, inside, from, to)?;
            changed.push((place.clone(), text.to_owned(), new.clone()));
            Some(new)
        })?;
        if to.is_none() {
            self.tell_dead_columns(changed);
        }
        Ok(())
    }

    pub(super) fn tell_dead_columns(&mut self, changed: Vec<(Place, String, String)>) {
        for (place, before, after) in changed {
            let location = self.place_name(&place);
            if let Spot::Cell(sheet, at) = place.spot {
                self.recompute.push((sheet, at));
            }
            let message = format!("={before} became ={after}.");
            self.warn(crate::Warning::at("ref_became_error", location, message));
        }
    }

    /// Gives a table column the name that its header cell is about to show; they must be equal (18.5.1.3).
    pub(super) fn rename_header(
        &mut self,
        key: SheetKey,
        table: &Table,
        at: CellRef,
        to: &str,
    ) -> Result<(), EditError> {
        let position = (at.col - table.area.first.col) as usize;
        let Some(from) = table.columns.get(position).filter(|from| *from != to).cloned() else {
            return Ok(());
        };
        let taken =
            table.columns.iter().enumerate().any(|(other, name)| other != position && same_name(name, to));
        if taken || to.is_empty() {
            let why =
                if taken { "another column of that table has this name" } else { "a column needs a name" };
            return Err(EditError::new(
                crate::error::EditErrorKind::WouldDamage,
                format!("{} is a header of the table {}, and {why}.", self.cell_name(key, at), table.name),
            ));
        }
        let xml = self.book.package.xml(&table.part)?;
        let mut patch = Patch::new(&xml);
        let columns: Vec<NodeId> = xml
            .child(xml.root(), Ns::S, "tableColumns")
            .into_iter()
            .flat_map(|list| xml.children_named(list, Ns::S, "tableColumn"))
            .collect();
        if let Some(column) = columns.get(position) {
            patch.set(*column, "name", to)?;
        }
        let bytes = xml.write(patch.finish()?)?;
        self.book.package.replace(&table.part, bytes)?;
        self.rename_table_column(key, &table.name, &from, Some(to))
    }
}
