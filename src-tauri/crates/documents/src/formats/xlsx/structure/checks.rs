//! What stands against a line edit. All of it is looked at before anything changes.

use super::cells::pushes_off;
use crate::{
    EditError, Warning,
    error::EditErrorKind,
    formats::xlsx::{
        address::{Area, Axis, CellRef},
        formula::{LineEdit, Verb},
        grid::lex::{self, FormulaKind},
        guards::{blocks, is_protected, open_areas},
        parts::{self, PartKind},
        pivots::table_id,
        places::table_name,
        session::Session,
        workbook::SheetKey,
    },
    package::xml::{Ns, Xml},
};

fn refuse(message: String) -> EditError {
    EditError::new(EditErrorKind::WouldDamage, message)
}

/// Whether an edit happens inside an area: lines inserted between its own, or some but not all of its lines deleted.
fn cuts(edit: &LineEdit, area: Area) -> bool {
    let (first, last) = area.on(edit.axis);
    match edit.verb {
        Verb::Insert => first < edit.at && edit.at <= last,
        Verb::Delete => edit.at <= last && first <= edit.end() && !(edit.at <= first && last <= edit.end()),
    }
}

fn swallows(edit: &LineEdit, area: Area) -> bool {
    let (first, last) = area.on(edit.axis);
    edit.verb == Verb::Delete && edit.at <= first && last <= edit.end()
}

impl Session<'_, '_> {
    /// Refuses a line edit that cannot be done completely.
    pub(super) fn check_line_edit(&mut self, key: SheetKey, edit: &LineEdit) -> Result<(), EditError> {
        self.check_protection(key, edit)?;
        self.check_shared_workbook()?;
        let sheet = self.book.sheet(key)?;
        if pushes_off(&sheet.grid, edit)? {
            return Err(refuse("The edit would push cells that are not empty off the sheet.".into()));
        }
        for block in blocks(&sheet.grid)? {
            let cut = cuts(edit, block.area);
            match block.kind {
                FormulaKind::DataTable if cut => {
                    return Err(refuse(format!(
                        "The edit would cut through the what-if data table in {}.",
                        block.area
                    )));
                }
                FormulaKind::Array if cut && !block.dynamic => {
                    return Err(refuse(format!(
                        "The edit would cut through the array formula in {}.",
                        block.area
                    ))
                    .hint("An array formula is changed as a whole: clear it first."));
                }
                _ => {}
            }
        }
        for part in parts::of_sheet(&self.book, key)? {
            match part.kind {
                PartKind::Table => {
                    let xml = self.book.package.xml(&part.part)?;
                    let with_query = !self
                        .book
                        .package
                        .relationships(&part.part)?
                        .of_kind("queryTable")
                        .collect::<Vec<_>>()
                        .is_empty();
                    check_table(&xml, edit, with_query)?;
                    self.check_sliced_table(&xml, edit)?;
                }
                PartKind::PivotTable => check_pivot(&self.book.package.xml(&part.part)?, edit)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// A protected sheet allows what its flags say (18.3.1.85: `1`, the default, means locked).
    fn check_protection(&mut self, key: SheetKey, edit: &LineEdit) -> Result<(), EditError> {
        let sheet = self.book.sheet(key)?;
        if !is_protected(sheet) {
            return Ok(());
        }
        let flag = match (edit.verb, edit.axis) {
            (Verb::Insert, Axis::Rows) => "insertRows",
            (Verb::Insert, Axis::Cols) => "insertColumns",
            (Verb::Delete, Axis::Rows) => "deleteRows",
            (Verb::Delete, Axis::Cols) => "deleteColumns",
        };
        let frame = &sheet.frame;
        let protection = frame.child(frame.root(), Ns::S, "sheetProtection");
        let allowed = protection.and_then(|element| frame.value(element, Ns::None, flag));
        let allowed = allowed.is_some_and(|value| matches!(&*value, "0" | "false"));
        let locked = if allowed { self.locked_in(key, edit)? } else { None };
        if allowed && locked.is_none() {
            return Ok(());
        }
        let name = self.sheet_name(key);
        if self.context.override_protection {
            let message =
                format!("The sheet {name} is protected; its rows or columns were changed all the same.");
            self.warn(Warning::at("protection_overridden", name, message));
            return Ok(());
        }
        let message = match locked {
            Some(cell) => format!(
                "The sheet {name} is protected, and what would be deleted holds locked cells ({cell})."
            ),
            None => format!("The sheet {name} is protected against inserting and deleting rows or columns."),
        };
        Err(EditError::new(EditErrorKind::ReadOnly, message)
            .hint("Set `override_protection` to do it all the same."))
    }

    /// The first locked cell that a deletion would take away: where that is allowed, it is so for unlocked cells only (18.3.1.85). Cells
    /// that are not stored have the style of their row or column.
    fn locked_in(&self, key: SheetKey, edit: &LineEdit) -> Result<Option<CellRef>, EditError> {
        if edit.verb == Verb::Insert {
            return Ok(None);
        }
        let sheet = self.book.sheet(key)?;
        let band = edit.band();
        let open = open_areas(sheet);
        let is_locked = |style| self.book.styles().is_none_or(|styles| styles.is_locked(style));
        let is_open = |cell: CellRef| open.iter().any(|area| area.contains(cell));
        for row in sheet.grid.row_numbers_within(band.first.row, band.last.row) {
            for cell in sheet.grid.row_cells(row)? {
                let at = cell.span.at;
                if band.contains(at) && is_locked(cell.span.style) && !is_open(at) {
                    return Ok(Some(at));
                }
            }
        }
        if open.iter().any(|area| area.covers(&band)) {
            return Ok(None);
        }
        let frame = &sheet.frame;
        let number = |node, name| frame.value(node, Ns::None, name).and_then(|text| text.parse::<u32>().ok());
        let mut free = 1;
        let mut columns: Vec<(u32, u32, u32)> = frame
            .descendants_named(frame.root(), Ns::S, "col")
            .filter_map(|col| {
                Some((number(col, "min")?, number(col, "max")?, number(col, "style").unwrap_or(0)))
            })
            .filter(|(min, max, _)| band.first.col <= *max && *min <= band.last.col)
            .collect();
        columns.sort_unstable();
        let mut locked = None;
        for (min, max, style) in columns {
            if min > free.max(band.first.col) || is_locked(style) {
                locked.get_or_insert(free.max(band.first.col));
            }
            free = max + 1;
        }
        if free <= band.last.col && is_locked(0) {
            locked.get_or_insert(free.max(band.first.col));
        }
        let Some(col) = locked else { return Ok(None) };
        if edit.axis == Axis::Cols {
            return Ok(Some(CellRef::new(1, col)));
        }
        // Rows of their own style hide that of the columns.
        let bytes = sheet.grid.bytes();
        for row in band.first.row..=band.last.row {
            let style = sheet.grid.find_row(row).ok().and_then(|at| {
                let found = lex::attribute(bytes, sheet.grid.rows()[at].tag(), b"s")?;
                lex::parse_number(&bytes[found.value])
            });
            if style.is_none_or(is_locked) {
                return Ok(Some(CellRef::new(row, col)));
            }
        }
        Ok(None)
    }

    /// A table that slicers hang on cannot go alone.
    fn check_sliced_table(&self, xml: &Xml, edit: &LineEdit) -> Result<(), EditError> {
        let area = xml.value(xml.root(), Ns::None, "ref").and_then(|text| Area::parse(&text));
        if !area.is_some_and(|area| swallows(edit, area)) {
            return Ok(());
        }
        let ids: Vec<String> = table_id(xml).into_iter().collect();
        if self.is_sliced(None, &ids)? {
            let name = table_name(xml);
            return Err(refuse(format!("The edit would delete the table {name}, which slicers belong to."))
                .hint("Remove the slicers in Excel first."));
        }
        Ok(())
    }

    /// The change log of a shared workbook speaks of the old places (18.11).
    fn check_shared_workbook(&self) -> Result<(), EditError> {
        let relationships = self.book.package.relationships(&self.book.part)?;
        if relationships.of_kind("revisionHeaders").next().is_some() {
            return Err(refuse(
                "The workbook is shared and keeps a change log, which rows and columns cannot move in."
                    .into(),
            )
            .hint("Stop sharing the workbook first."));
        }
        Ok(())
    }
}

fn check_table(xml: &Xml, edit: &LineEdit, with_query: bool) -> Result<(), EditError> {
    let root = xml.root();
    let value = |name| xml.value(root, Ns::None, name);
    let Some(area) = value("ref").and_then(|text| Area::parse(&text)) else { return Ok(()) };
    let name = table_name(xml);
    let count = |name, default| value(name).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (headers, totals): (u32, u32) = (count("headerRowCount", 1), count("totalsRowCount", 0));
    if swallows(edit, area) {
        // All of it goes; what names it dies with it.
        return Ok(());
    }
    if with_query && edit.axis == Axis::Cols && cuts(edit, area) {
        return Err(refuse(format!(
            "The columns of the table {name} come from a query and are not changed."
        )));
    }
    if edit.axis == Axis::Cols || edit.verb == Verb::Insert {
        return Ok(());
    }
    let hit = |first: u32, last: u32| first <= last && edit.at <= last && first <= edit.end();
    if hit(area.first.row, (area.first.row + headers).saturating_sub(1)) {
        return Err(refuse(format!("The edit would delete the header row of the table {name} ({area}).")));
    }
    if totals > 0 && hit(area.last.row + 1 - totals, area.last.row) {
        return Err(refuse(format!("The edit would delete the totals row of the table {name} ({area}).")));
    }
    let (data_first, data_last) = (area.first.row + headers, area.last.row.saturating_sub(totals));
    if edit.at <= data_first && data_last <= edit.end() {
        return Err(refuse(format!("The edit would delete all data rows of the table {name} ({area})."))
            .hint("Leave one data row and clear its cells."));
    }
    Ok(())
}

fn check_pivot(xml: &Xml, edit: &LineEdit) -> Result<(), EditError> {
    let Some(location) = xml.child(xml.root(), Ns::S, "location") else { return Ok(()) };
    let Some(area) = xml.value(location, Ns::None, "ref").and_then(|text| Area::parse(&text)) else {
        return Ok(());
    };
    let pages = xml.value(location, Ns::None, "rowPageCount").and_then(|text| text.parse::<u32>().ok());
    let above = pages.map_or(0, |pages| pages + 1);
    let whole = area.with(Axis::Rows, area.first.row.saturating_sub(above).max(1), area.last.row);
    if cuts(edit, whole) || swallows(edit, whole) {
        return Err(refuse(format!("The edit would cut through the pivot table in {area}.")));
    }
    Ok(())
}
