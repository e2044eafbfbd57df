//! Inserting and deleting rows and columns: everything that names cells moves, or the edit is refused before anything is written.
//!
//! Order: what stands against it (`checks`), the sheet's own cells and frame, the parts that hang on the sheet, then every formula
//! elsewhere. The receipt says how much moved and names each reference that died.

pub(super) mod anchors;
pub(super) mod cells;
mod checks;
mod frame;
mod impact;
mod owned;
pub(super) mod shared;
mod tables;

use super::{
    address::{Area, Axis, CellRef, column_letters, parse_column},
    cells::Value,
    formula::{LineEdit, Verb, rewrite::Scope},
    patch::Patch,
    places::{Place, Spot},
    session::{Location, Session},
    workbook::SheetKey,
};
use crate::{
    EditError, Warning,
    edit::{CellValue, ColumnRef},
    error::{EditErrorKind, Place as ErrorPlace},
};
use cells::CellChange;
use impact::Impact;
use shared::GroupRule;

impl Session<'_, '_> {
    pub(super) fn insert_rows(
        &mut self,
        sheet: Option<&str>,
        row: u32,
        count: Option<u32>,
        rows: Option<&[Vec<CellValue>]>,
    ) -> Result<(), EditError> {
        self.insert(sheet, Axis::Rows, row, count, rows)
    }

    pub(super) fn insert_cols(
        &mut self,
        sheet: Option<&str>,
        col: &ColumnRef,
        count: Option<u32>,
        rows: Option<&[Vec<CellValue>]>,
    ) -> Result<(), EditError> {
        self.insert(sheet, Axis::Cols, column(col)?, count, rows)
    }

    pub(super) fn delete_rows(
        &mut self,
        sheet: Option<&str>,
        start: u32,
        end: Option<u32>,
        expect: Option<&[CellValue]>,
    ) -> Result<(), EditError> {
        self.delete(sheet, Axis::Rows, start, end.unwrap_or(start), expect)
    }

    pub(super) fn delete_cols(
        &mut self,
        sheet: Option<&str>,
        start: &ColumnRef,
        end: Option<&ColumnRef>,
        expect: Option<&[CellValue]>,
    ) -> Result<(), EditError> {
        let start = column(start)?;
        let end = end.map(column).transpose()?.unwrap_or(start);
        self.delete(sheet, Axis::Cols, start, end, expect)
    }

    fn insert(
        &mut self,
        sheet: Option<&str>,
        axis: Axis,
        base: u32,
        count: Option<u32>,
        rows: Option<&[Vec<CellValue>]>,
    ) -> Result<(), EditError> {
        let key = self.worksheet(sheet)?;
        let needed = rows.map_or(1, |rows| match axis {
            Axis::Rows => rows.len(),
            Axis::Cols => rows.iter().map(Vec::len).max().unwrap_or(1),
        });
        let count = count.unwrap_or(needed.max(1) as u32);
        if count == 0 {
            let line = if axis == Axis::Rows { "row" } else { "column" };
            let message = format!("`count` is 0, so no {line} would be inserted; it must be 1 or more.");
            return Err(EditError::new(EditErrorKind::InvalidArguments, message));
        }
        if needed as u64 > u64::from(count) && rows.is_some_and(|rows| !rows.is_empty()) {
            let message = format!("{needed} lines of values do not fit into {count} inserted lines.");
            return Err(EditError::new(EditErrorKind::InvalidArguments, message));
        }
        let at = self.current_line(key, axis, base)?;
        if u64::from(at) + u64::from(count) - 1 > u64::from(axis.last()) {
            return Err(out_of_sheet(axis, at, count));
        }
        let edit = LineEdit { axis, verb: Verb::Insert, at, count };
        self.line_edit(key, &edit, None)?;
        if let Some(rows) = rows {
            self.fill_inserted(key, &edit, rows)?;
        }
        self.fill_calculated(key, &edit)
    }

    fn delete(
        &mut self,
        sheet: Option<&str>,
        axis: Axis,
        start: u32,
        end: u32,
        expect: Option<&[CellValue]>,
    ) -> Result<(), EditError> {
        let key = self.worksheet(sheet)?;
        if end < start {
            let message = format!("`end` ({end}) lies before `start` ({start}).");
            return Err(EditError::new(EditErrorKind::InvalidArguments, message));
        }
        // Lines that the caller never saw lie between the two ends only when this batch inserted them there.
        let (first, last) = (self.current_line(key, axis, start)?, self.current_line(key, axis, end)?);
        let edit = LineEdit { axis, verb: Verb::Delete, at: first, count: last - first + 1 };
        if let Some(expect) = expect {
            self.expect_line(key, &edit, expect)?;
        }
        let lost = self.shown_line(key, axis, first)?;
        self.line_edit(key, &edit, Some(lost))
    }

    /// Where a line of the revision that the caller read is now.
    fn current_line(&mut self, key: SheetKey, axis: Axis, base: u32) -> Result<u32, EditError> {
        if base == 0 || base > axis.last() {
            return Err(EditError::new(
                EditErrorKind::OutOfRange,
                format!("{} is no {} of a sheet.", line_name(axis, base), axis_name(axis)),
            ));
        }
        let current = self.book.entry_mut(key)?.map(axis).current(base as usize);
        current.map(|line| line as u32).ok_or_else(|| {
            let message =
                format!("{} was deleted by an earlier operation of the batch.", line_name(axis, base));
            EditError::new(EditErrorKind::OutOfRange, message)
        })
    }

    /// Inserts lines for another operation.
    pub(super) fn insert_lines_at(&mut self, key: SheetKey, edit: &LineEdit) -> Result<(), EditError> {
        self.line_edit(key, edit, None)
    }

    fn line_edit(&mut self, key: SheetKey, edit: &LineEdit, lost: Option<String>) -> Result<(), EditError> {
        self.book.sheet_mut(key)?.grid.flush()?;
        self.check_line_edit(key, edit)?;
        let name = self.book.entry(key)?.name.clone();
        let order = self.book.sheets.iter().map(|entry| entry.name.clone()).collect();
        let mut impact = Impact::new(key, *edit, name.clone(), order);
        let band = edit.band();
        let tables = self.tables_of(key)?.into_iter().filter(|table| table.area.meets(&band));
        let tables: Vec<String> = tables.map(|table| table.name.to_lowercase()).collect();
        self.touched.names.extend(tables);
        self.touched.sheets.insert(key);
        let described = self.describe_line_edit(key, edit);
        self.edit_own_cells(key, edit, &name, &mut impact)?;
        self.edit_own_frame(key, edit, &mut impact)?;
        self.edit_owned_parts(key, edit, &mut impact)?;
        let rule = GroupRule::Lines(*edit, Scope { edited: &name, at_home: false });
        self.change_formulas(Some(key), b'!', rule, &mut |text, place| impact.change(text, place))?;
        self.edit_pivot_caches(&name, edit)?;
        self.edit_consolidations(&name, edit)?;
        self.move_places(key, edit);
        self.structural = true;
        self.calculation_order_changed = true;
        self.change(described, lost.filter(|text| !text.is_empty()), None, Some("structure"));
        self.tell_impact(impact)
    }

    fn edit_own_cells(
        &mut self,
        key: SheetKey,
        edit: &LineEdit,
        name: &str,
        impact: &mut Impact,
    ) -> Result<(), EditError> {
        let sheet = self.book.sheet_mut(key)?;
        let scope = Scope { edited: name, at_home: true };
        let mut formula = |text: &str, at: CellRef| {
            impact.change(text, &Place { spot: Spot::Cell(key, at), home: Some(key) })
        };
        let mut change =
            CellChange { lines: Some(*edit), group: GroupRule::Lines(*edit, scope), formula: &mut formula };
        let (bytes, report) = cells::rewrite(&sheet.grid, &mut change)?;
        if let Some(bytes) = bytes {
            sheet.replace_grid(bytes)?;
        }
        self.formula_removed |= report.formulas_deleted > 0;
        Ok(())
    }

    fn edit_own_frame(
        &mut self,
        key: SheetKey,
        edit: &LineEdit,
        impact: &mut Impact,
    ) -> Result<(), EditError> {
        let sheet = self.book.sheet_mut(key)?;
        let mut patch = Patch::new(&sheet.frame);
        let mut formula = |text: &str| impact.change(text, &Place { spot: Spot::Rule(key), home: Some(key) });
        let report = frame::shift_frame(&mut patch, edit, &mut formula)?;
        let splices = patch.finish()?;
        sheet.edit_frame(splices)?;
        let part = self.book.entry(key)?.part.clone();
        let frame = &self.book.sheet(key)?.frame;
        let still_used: Vec<String> = frame
            .descendants(frame.root())
            .filter_map(|node| frame.value(node, crate::package::xml::Ns::R, "id").map(|id| id.into_owned()))
            .collect();
        for id in report.links_gone.into_iter().filter(|id| !still_used.contains(id)) {
            self.book.package.remove_relationship(&part, &id)?;
        }
        impact.rules += report.rules;
        impact.link_targets(&report.link_targets);
        Ok(())
    }

    /// Lets everything that this batch remembers follow the lines.
    fn move_places(&mut self, key: SheetKey, edit: &LineEdit) {
        for at in 0..self.changes.len() {
            let moved = match &self.changes[at].location {
                Location::Cell(sheet, cell) if *sheet == key => match edit.cell(*cell) {
                    Some(moved) => Location::Cell(key, moved),
                    None => Location::Text(self.cell_name(key, *cell)),
                },
                Location::Area(sheet, area) if *sheet == key => match edit.area(*area) {
                    Some(moved) => Location::Area(key, moved),
                    None => Location::Text(self.area_name(key, *area)),
                },
                _ => continue,
            };
            self.changes[at].location = moved;
        }
        for list in [&mut self.dirty, &mut self.recompute, &mut self.fresh] {
            list.retain_mut(|(sheet, cell)| {
                if *sheet != key {
                    return true;
                }
                let moved = edit.cell(*cell);
                *cell = moved.unwrap_or(*cell);
                moved.is_some()
            });
        }
        if let Ok(entry) = self.book.entry_mut(key) {
            let map = entry.map(edit.axis);
            match edit.verb {
                Verb::Insert => map.insert(edit.at as usize, edit.count as usize),
                Verb::Delete => map.delete(edit.at as usize, edit.count as usize),
            }
        }
    }

    fn describe_line_edit(&self, key: SheetKey, edit: &LineEdit) -> Location {
        let lines = edit.band();
        match edit.verb {
            Verb::Insert => Location::Area(key, lines),
            Verb::Delete => Location::Text(self.area_name(key, lines)),
        }
    }

    /// The cells of a line as text, for receipts and `expect`.
    fn shown_line(&self, key: SheetKey, axis: Axis, line: u32) -> Result<String, EditError> {
        let values = self.line_values(key, axis, line)?;
        let shown = |(value, style): &(Value, u32)| {
            self.tables().map(|tables| tables.show(value, *style)).unwrap_or_default()
        };
        Ok(values.iter().map(shown).collect::<Vec<_>>().join(" | "))
    }

    /// The values of a line from the first column (or row) on, empty ones included up to the last that holds anything.
    fn line_values(&self, key: SheetKey, axis: Axis, line: u32) -> Result<Vec<(Value, u32)>, EditError> {
        const MOST: usize = 200;
        let (sheet, tables) = (self.book.sheet(key)?, self.tables()?);
        let mut values: Vec<(Value, u32)> = Vec::new();
        let mut put = |position: u32, value: Value, style: u32| {
            let position = position as usize - 1;
            if value != Value::Empty && position < MOST {
                values.resize(values.len().max(position + 1), (Value::Empty, 0));
                values[position] = (value, style);
            }
        };
        match axis {
            Axis::Rows => {
                for cell in sheet.grid.row_cells(line)? {
                    put(cell.span.at.col, tables.value(&cell), cell.span.style);
                }
            }
            Axis::Cols => {
                for number in sheet.grid.row_numbers_within(1, MOST as u32) {
                    if let Some(cell) = sheet.cell(CellRef::new(number, line))? {
                        put(number, tables.value(&cell), cell.span.style);
                    }
                }
            }
        }
        Ok(values)
    }

    /// The first deleted line must hold what the caller expects.
    fn expect_line(&self, key: SheetKey, edit: &LineEdit, expect: &[CellValue]) -> Result<(), EditError> {
        let found = self.line_values(key, edit.axis, edit.at)?;
        let tables = self.tables()?;
        let fits = expect.iter().enumerate().all(|(position, wanted)| {
            let (value, style) = found.get(position).cloned().unwrap_or((Value::Empty, 0));
            match (wanted, &value) {
                (CellValue::Text(text), value) => tables.show(value, style) == *text,
                (CellValue::Number(number), Value::Number(found)) => number.as_f64() == Some(*found),
                (CellValue::Bool(wanted), Value::Boolean(found)) => wanted == found,
                (CellValue::Clear(()), Value::Empty) => true,
                (CellValue::Typed(_), _) => {
                    self.content(wanted).is_ok_and(|content| content == super::cells::Content::Value(value))
                }
                _ => false,
            }
        });
        if fits {
            return Ok(());
        }
        let line = line_name(edit.axis, edit.at);
        let text = self.shown_line(key, edit.axis, edit.at)?;
        let place = ErrorPlace { location: self.area_name(key, edit.band()), text: text.clone() };
        Err(EditError::new(EditErrorKind::PrefixMismatch, format!("{line} holds other values: {text}"))
            .matches(vec![place]))
    }

    /// Puts values into lines that were just inserted; formats follow the line before.
    fn fill_inserted(
        &mut self,
        key: SheetKey,
        edit: &LineEdit,
        rows: &[Vec<CellValue>],
    ) -> Result<(), EditError> {
        let first = match edit.axis {
            Axis::Rows => CellRef::new(edit.at, 1),
            Axis::Cols => CellRef::new(1, edit.at),
        };
        self.put_rows(key, first, rows, edit.axis)
    }

    fn tell_impact(&mut self, impact: Impact) -> Result<(), EditError> {
        let counted = impact.summary();
        for (place, before, after) in impact.died() {
            let location = self.place_name(place);
            let message = format!("={before} became ={after}.");
            if let Spot::Cell(sheet, at) = &place.spot {
                let now = if *sheet == impact.sheet { impact.edit.cell(*at) } else { Some(*at) };
                if let Some(now) = now {
                    let location = Location::Cell(*sheet, now);
                    self.change(
                        location,
                        Some(format!("={before}")),
                        Some(format!("={after}")),
                        Some("formula"),
                    );
                }
            }
            self.warn(Warning::at("ref_became_error", location, message));
        }
        for (place, what) in impact.notes() {
            let location = self.place_name(place);
            self.warn(Warning::at(what.code, location, what.message.clone()));
        }
        self.tell_users_of(&impact.dead_names())?;
        self.touched.names.extend(impact.changed_names.iter().cloned());
        for (sheet, at) in impact.recompute() {
            self.recompute.push((sheet, at));
        }
        if let Some(message) = counted {
            let name = self.area_name(impact.sheet, impact.edit.band());
            self.warn(Warning::at("references_moved", name, message));
        }
        Ok(())
    }

    /// Formulas that show `#REF!` by a name that died: their own text is the same, so nothing else names them.
    fn tell_users_of(&mut self, names: &[String]) -> Result<(), EditError> {
        if names.is_empty() {
            return Ok(());
        }
        let mut users: Vec<(Place, String)> = Vec::new();
        self.each_formula(&mut |text, place| {
            let used = names.iter().find(|name| impact::uses(text, name));
            users.extend(used.map(|name| (place.clone(), name.clone())));
        })?;
        for (place, name) in users.iter().take(impact::MOST) {
            let message = format!("It uses the name {name}, which becomes #REF!.");
            let location = self.place_name(place);
            self.warn(Warning::at("ref_became_error", location, message));
        }
        if users.len() > impact::MOST {
            let message =
                format!("{} more formulas use names that become #REF!.", users.len() - impact::MOST);
            self.warn(Warning::new("ref_became_error", message));
        }
        Ok(())
    }

    /// A place in words, after the edit.
    pub(super) fn place_name(&self, place: &Place) -> String {
        match &place.spot {
            Spot::Cell(key, at) => self.cell_name(*key, *at),
            Spot::Rule(key) => format!("{}, a rule", self.sheet_name(*key)),
            Spot::Sparkline(key) => format!("{}, a sparkline", self.sheet_name(*key)),
            Spot::Control(key) => format!("{}, a control", self.sheet_name(*key)),
            Spot::Table(_, name) => format!("the table {name}"),
            Spot::Name(name) => format!("the name {name}"),
            Spot::Chart(part) => format!("the chart {}", part.file_name()),
        }
    }

    /// Ranges in other sheets' `dataConsolidate` that name the edited sheet.
    fn edit_consolidations(&mut self, name: &str, edit: &LineEdit) -> Result<(), EditError> {
        use crate::package::xml::Ns;
        let keys: Vec<SheetKey> = self.book.sheets.iter().map(|entry| entry.key).collect();
        for key in keys.into_iter().filter(|key| self.book.is_loaded(*key)).collect::<Vec<_>>() {
            let sheet = self.book.sheet_mut(key)?;
            let mut patch = Patch::new(&sheet.frame);
            for node in sheet.frame.descendants_named(sheet.frame.root(), Ns::S, "dataRef") {
                let here =
                    patch.value(node, "sheet").is_some_and(|sheet| super::address::same_name(&sheet, name));
                let Some(area) = patch.value(node, "ref").and_then(|text| Area::parse(&text)) else {
                    continue;
                };
                if here && let Some(moved) = edit.area(area) {
                    patch.set(node, "ref", &moved.corners())?;
                }
            }
            let splices = patch.finish()?;
            sheet.edit_frame(splices)?;
        }
        Ok(())
    }
}

fn column(col: &ColumnRef) -> Result<u32, EditError> {
    match col {
        ColumnRef::Number(number) => Ok(*number),
        ColumnRef::Letters(letters) => parse_column(letters.trim()).ok_or_else(|| {
            EditError::new(EditErrorKind::OutOfRange, format!("“{letters}” is no column (A to XFD)."))
        }),
    }
}

fn axis_name(axis: Axis) -> &'static str {
    match axis {
        Axis::Rows => "row",
        Axis::Cols => "column",
    }
}

fn line_name(axis: Axis, line: u32) -> String {
    match axis {
        Axis::Rows => format!("Row {line}"),
        Axis::Cols => format!("Column {}", column_letters(line)),
    }
}

fn out_of_sheet(axis: Axis, at: u32, count: u32) -> EditError {
    let message = format!(
        "{count} more {}s before {} would lie beyond the sheet.",
        axis_name(axis),
        line_name(axis, at)
    );
    EditError::new(EditErrorKind::OutOfRange, message)
}
