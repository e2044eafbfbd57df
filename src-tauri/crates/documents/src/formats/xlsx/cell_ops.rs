//! `xlsx_set_cell` and `xlsx_set_cells`: new content for single cells, everything around them as it was.

use super::{
    address::{Area, CellRef},
    cells::{self, Content, Value},
    formula,
    grid::{CellView, lex::FormulaKind},
    guards::Guards,
    number_format::{parse_date, parse_datetime},
    row_ops::Target,
    session::{Location, Session, read_area, read_cell},
    structure::cells::hand_on,
    style_ops::FormatChange,
    tables::Table,
    workbook::{SheetKey, SheetKind},
};
use crate::{
    EditError, Warning,
    edit::{CellEntry, CellValue, TypedValue},
    error::EditErrorKind,
};

impl Session<'_, '_> {
    pub(super) fn set_cell(
        &mut self,
        sheet: Option<&str>,
        cell: &str,
        value: &CellValue,
    ) -> Result<(), EditError> {
        let (qualified, bare) = super::address::split_sheet(cell);
        let key = self.worksheet(sheet.or(qualified.as_deref()))?;
        let cell = self.current_cell(key, read_cell(bare)?)?;
        self.put_values(key, vec![(cell, value)])
    }

    pub(super) fn set_cells(
        &mut self,
        sheet: Option<&str>,
        cells: Option<&[CellEntry]>,
        range: Option<&str>,
        values: Option<&[Vec<CellValue>]>,
    ) -> Result<(), EditError> {
        let key = self.worksheet(sheet)?;
        let targets = match (cells, range, values) {
            (Some(cells), None, None) => self.listed(key, cells)?,
            (None, Some(range), Some(values)) => self.tabled(key, range, values)?,
            _ => {
                return Err(EditError::new(
                    EditErrorKind::InvalidArguments,
                    "`xlsx_set_cells` takes either `cells`, or `range` with `values`.",
                ));
            }
        };
        self.put_values(key, targets)
    }

    fn listed<'v>(
        &self,
        key: SheetKey,
        cells: &'v [CellEntry],
    ) -> Result<Vec<(CellRef, &'v CellValue)>, EditError> {
        cells
            .iter()
            .map(|entry| Ok((self.current_cell(key, read_cell(&entry.cell)?)?, &entry.value)))
            .collect()
    }

    fn tabled<'v>(
        &self,
        key: SheetKey,
        range: &str,
        values: &'v [Vec<CellValue>],
    ) -> Result<Vec<(CellRef, &'v CellValue)>, EditError> {
        let area = read_area(range)?;
        let fits = values.len() == area.rows() as usize
            && values.iter().all(|row| row.len() == area.cols() as usize);
        if !fits {
            let widths: Vec<usize> = values.iter().map(Vec::len).collect();
            return Err(EditError::new(
                EditErrorKind::InvalidArguments,
                format!(
                    "`range` {area} has {} rows of {} cells, but `values` has {} rows of {widths:?}.",
                    area.rows(),
                    area.cols(),
                    values.len()
                ),
            ));
        }
        let mut targets = Vec::new();
        for (row, values) in (area.first.row..).zip(values) {
            for (col, value) in (area.first.col..).zip(values) {
                targets.push((self.current_cell(key, CellRef::new(row, col))?, value));
            }
        }
        Ok(targets)
    }

    /// A sheet with cells that may be edited.
    pub(super) fn worksheet(&mut self, name: Option<&str>) -> Result<SheetKey, EditError> {
        let key = self.book.find(name)?;
        let entry = self.book.entry(key)?;
        if entry.kind != SheetKind::Worksheet {
            let message =
                format!("“{}” is a chart, dialog or macro sheet; its cells are not edited.", entry.name);
            return Err(EditError::new(EditErrorKind::UnsupportedOp, message));
        }
        self.book.load(key)?;
        self.book.load_tables()?;
        Ok(key)
    }

    /// Puts values into cells.
    pub(super) fn put_values(
        &mut self,
        key: SheetKey,
        targets: Vec<(CellRef, &CellValue)>,
    ) -> Result<(), EditError> {
        let bare = |(at, value)| (at, Target { value, content: None, style: None });
        self.put_targets(key, targets.into_iter().map(bare).collect())
    }

    /// Puts values into cells, some with a content or a style of their own.
    pub(super) fn put_targets(
        &mut self,
        key: SheetKey,
        targets: Vec<(CellRef, Target<'_>)>,
    ) -> Result<(), EditError> {
        let guards = Guards::read(self, key)?;
        let tables = self.tables_of(key)?;
        let mut touched: Option<Area> = None;
        let mut like_formulas = Vec::new();
        for (at, target) in targets {
            guards.allow(self, key, at)?;
            let table = tables.iter().find(|table| table.header().is_some_and(|header| header.contains(at)));
            if let Some(table) = table {
                self.put_header(key, table, at, target.value)?;
            }
            if self.put_value(key, at, &target)? {
                touched = Some(touched.map_or(Area::cell(at), |area| area.hull(&Area::cell(at))));
                if matches!(target.value, CellValue::Text(text) if text.starts_with('=')) {
                    like_formulas.push(at);
                }
            }
        }
        self.warn_of_text(key, &like_formulas);
        if let Some(area) = touched {
            self.book.sheet_mut(key)?.grow_dimension(area)?;
        }
        Ok(())
    }

    /// Text that begins with `=` stays text, which is seldom what was meant; one warning tells of all cells of an operation.
    fn warn_of_text(&mut self, key: SheetKey, cells: &[CellRef]) {
        let Some(first) = cells.first() else { return };
        let what = match cells.len() {
            1 => "It was".to_owned(),
            2 => "It and 1 more cell were".to_owned(),
            count => format!("It and {} more cells were", count - 1),
        };
        let message = format!(
            "{what} written as text, not as a formula; a formula is given as {{\"formula\": \"=…\"}}."
        );
        let location = self.cell_name(key, *first);
        self.warn(Warning::at("text_not_formula", location, message));
    }

    /// A header of a table must be text and is the name of its column.
    fn put_header(
        &mut self,
        key: SheetKey,
        table: &Table,
        at: CellRef,
        value: &CellValue,
    ) -> Result<(), EditError> {
        let CellValue::Text(text) = value else {
            let name = self.cell_name(key, at);
            let message = format!("{name} is a header of the table {}; it must hold text.", table.name);
            return Err(EditError::new(EditErrorKind::WouldDamage, message));
        };
        self.rename_header(key, table, at, text)
    }

    /// Puts one value; `false` when the cell holds it already.
    fn put_value(&mut self, key: SheetKey, at: CellRef, target: &Target<'_>) -> Result<bool, EditError> {
        let content = match &target.content {
            Some(content) => content.clone(),
            None => self.content(target.value)?,
        };
        self.leave_shared_group(key, at)?;
        let tables = self.tables()?;
        let old = self.book.sheet(key)?.cell(at)?;
        let style = old.as_ref().map(|old| old.span.style).or(target.style).unwrap_or(0);
        let old_value = old.as_ref().map_or(Value::Empty, |old| tables.value(old));
        let old_formula = old.as_ref().and_then(|old| old.formula_text()).map(|text| text.into_owned());
        let had_formula = old_formula.is_some();
        let same = match &content {
            Content::Value(new) => !had_formula && *new == old_value,
            Content::Formula(new, _) => old_formula.as_ref() == Some(new),
            Content::Rich(_) => false,
        };
        if same {
            return Ok(false);
        }
        let before = shown_formula(old_formula.as_deref())
            .or_else(|| (old_value != Value::Empty).then(|| tables.show(&old_value, style)));
        let new_style = self.style_for(target.value, style)?;
        let tables = self.tables()?;
        let after = match &content {
            Content::Formula(formula, _) => Some(format!("={formula}")),
            Content::Value(Value::Empty) => None,
            Content::Rich(inline) => Some(super::strings::string_text(inline.as_bytes())),
            Content::Value(new) => Some(tables.show(new, new_style)),
        };
        let sheet = self.book.sheet(key)?;
        let old = sheet.cell(at)?;
        let element = cells::element(&sheet.grid.prefix, at, old.as_ref(), Some(new_style), &content)?;
        let spilled = old.as_ref().and_then(spilled_area);
        self.book.sheet_mut(key)?.grid.put(at, element);
        if let Some(area) = spilled {
            self.clear_spilled(key, at, area)?;
        }
        self.formula_removed |= had_formula && !matches!(content, Content::Formula(..));
        self.dirty.push((key, at));
        self.fresh.retain(|fresh| *fresh != (key, at));
        if matches!(content, Content::Formula(..)) {
            self.fresh.push((key, at));
        }
        let detail = (had_formula || matches!(content, Content::Formula(..))).then_some("formula");
        self.change(Location::Cell(key, at), before, after, detail);
        Ok(true)
    }

    /// The results of a dynamic array go with its formula.
    fn clear_spilled(&mut self, key: SheetKey, anchor: CellRef, area: Area) -> Result<(), EditError> {
        for row in area.first.row..=area.last.row {
            for col in area.first.col..=area.last.col {
                let at = CellRef::new(row, col);
                let sheet = self.book.sheet(key)?;
                let Some(cell) = sheet.cell(at)?.filter(|_| at != anchor) else { continue };
                let empty = Content::Value(Value::Empty);
                let element = cells::element(&sheet.grid.prefix, at, Some(&cell), None, &empty)?;
                self.book.sheet_mut(key)?.grid.put(at, element);
                self.dirty.push((key, at));
            }
        }
        Ok(())
    }

    /// A cell that holds the text of a shared formula hands it on before it is overwritten.
    pub(super) fn leave_shared_group(&mut self, key: SheetKey, at: CellRef) -> Result<(), EditError> {
        let sheet = self.book.sheet(key)?;
        let holds_text = sheet.cell(at)?.is_some_and(|cell| {
            cell.span
                .formula
                .as_ref()
                .is_some_and(|formula| formula.kind == FormulaKind::Shared && !formula.text.is_empty())
        });
        if !holds_text {
            return Ok(());
        }
        let sheet = self.book.sheet_mut(key)?;
        sheet.grid.flush()?;
        if let Some(bytes) = hand_on(&sheet.grid, at)? {
            sheet.replace_grid(bytes)?;
        }
        Ok(())
    }

    /// A value of the edit language as cell content.
    pub(super) fn content(&self, value: &CellValue) -> Result<Content, EditError> {
        let invalid = |message: String| EditError::new(EditErrorKind::InvalidArguments, message);
        Ok(Content::Value(match value {
            CellValue::Clear(()) => Value::Empty,
            CellValue::Bool(value) => Value::Boolean(*value),
            CellValue::Number(number) => Value::Number(exact_number(number)?),
            CellValue::Text(text) => {
                cells::check_length(text)?;
                Value::Text(text.clone())
            }
            CellValue::Typed(TypedValue::Date(text)) => {
                Value::Number(parse_date(text, self.book.dates).ok_or_else(|| {
                    invalid(format!(
                        "“{text}” is no date of this workbook's calendar (YYYY-MM-DD, from 1900 or 1904 on)."
                    ))
                })?)
            }
            CellValue::Typed(TypedValue::Datetime(text)) => {
                Value::Number(parse_datetime(text, self.book.dates).ok_or_else(|| {
                    invalid(format!("“{text}” is no date and time (YYYY-MM-DDThh:mm[:ss])."))
                })?)
            }
            CellValue::Typed(TypedValue::Formula(text)) => {
                return Ok(Content::Formula(formula::from_user(text)?, Value::Empty));
            }
            CellValue::Typed(TypedValue::Fill(_)) => {
                return Err(invalid("`fill` is for appended and inserted rows only.".into()));
            }
        }))
    }

    /// The style a cell needs for a value: a date in a cell that shows no dates gets a date format.
    pub(super) fn style_for(&mut self, value: &CellValue, style: u32) -> Result<u32, EditError> {
        let code = match value {
            CellValue::Typed(TypedValue::Date(_)) => "m/d/yyyy",
            CellValue::Typed(TypedValue::Datetime(_)) => "m/d/yyyy h:mm",
            _ => return Ok(style),
        };
        if self.shows_dates(style) {
            return Ok(style);
        }
        let change = FormatChange { number_format: Some(code.into()), ..FormatChange::default() };
        self.derive_style(style, &change)
    }
}

/// The area that the dynamic array of a cell fills, when it is more than the cell.
fn spilled_area(cell: &CellView<'_>) -> Option<Area> {
    let formula = cell.span.formula.as_ref().filter(|formula| formula.kind == FormulaKind::Array)?;
    let written = formula.reference.as_ref().filter(|_| cell.span.metadata)?;
    Area::parse(&cell.text(written)).filter(|area| area.size() > 1)
}

fn shown_formula(formula: Option<&str>) -> Option<String> {
    formula.map(|text| format!("={text}"))
}

/// A JSON number as a cell can hold it; one that a double cannot hold is refused rather than rounded.
fn exact_number(number: &serde_json::Number) -> Result<f64, EditError> {
    let as_float = number.as_f64().filter(|float| float.is_finite());
    let exact = match (number.as_i64(), number.as_u64(), as_float) {
        (Some(integer), _, Some(float)) => float as i128 == i128::from(integer),
        (_, Some(integer), Some(float)) => float as i128 == i128::from(integer),
        (_, _, float) => float.is_some(),
    };
    as_float.filter(|_| exact).ok_or_else(|| {
        EditError::new(
            EditErrorKind::InvalidArguments,
            format!("A cell cannot hold the number {number} exactly (a workbook keeps 15 digits)."),
        )
        .hint("Give it as a string to keep every digit as text.")
    })
}
