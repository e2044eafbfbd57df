//! Formats of ranges, merged cells, widths and heights.

use std::collections::HashMap;

use super::{
    address::{Area, CellRef, column_letters},
    grid::{CellView, lex},
    guards::is_protected,
    number_format,
    patch::Patch,
    session::{Location, Session, read_area},
    sheet::Sheet,
    style_ops::FormatChange,
    workbook::SheetKey,
};
use crate::{
    EditError,
    error::EditErrorKind,
    package::xml::{NodeId, Ns, Splices},
};

/// Cells that one operation may format.
const MOST_CELLS: u64 = 200_000;

/// The children of a worksheet that come before merged cells (18.3.1.99).
const BEFORE_MERGES: &[&str] = &[
    "sheetPr",
    "dimension",
    "sheetViews",
    "sheetFormatPr",
    "cols",
    "sheetData",
    "sheetCalcPr",
    "sheetProtection",
    "protectedRanges",
    "scenarios",
    "autoFilter",
    "sortState",
    "dataConsolidate",
    "customSheetViews",
];

fn invalid(message: String) -> EditError {
    EditError::new(EditErrorKind::InvalidArguments, message)
}

/// Reads `#RRGGBB`.
fn color(text: &str) -> Result<String, EditError> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    if digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(digits.to_ascii_uppercase())
    } else {
        Err(invalid(format!("“{text}” is no colour of the form #RRGGBB.")))
    }
}

fn one_of(text: &str, allowed: &[&str], what: &str) -> Result<String, EditError> {
    let lower = text.to_ascii_lowercase();
    if allowed.contains(&lower.as_str()) {
        Ok(lower)
    } else {
        Err(invalid(format!("“{text}” is no {what}; it must be one of {}.", allowed.join(", "))))
    }
}

/// The words of the operation as a change of formats.
pub(super) struct FormatWords<'w> {
    pub(super) bold: Option<bool>,
    pub(super) italic: Option<bool>,
    pub(super) underline: Option<bool>,
    pub(super) font_color: Option<&'w str>,
    pub(super) fill: Option<&'w str>,
    pub(super) number_format: Option<&'w str>,
    pub(super) align: Option<&'w str>,
    pub(super) wrap: Option<bool>,
    pub(super) border: Option<&'w str>,
}

impl FormatWords<'_> {
    fn read(&self) -> Result<FormatChange, EditError> {
        let fill = match self.fill {
            None => None,
            Some("none") => Some(None),
            Some(text) => Some(Some(color(text)?)),
        };
        let lines = ["thin", "medium", "thick", "dashed", "dotted", "double"];
        let border = match self.border {
            None => None,
            Some("none") => Some(None),
            Some(text) => Some(Some(one_of(text, &lines, "border")?)),
        };
        let sides = ["left", "center", "right", "general", "justify"];
        let change = FormatChange {
            bold: self.bold,
            italic: self.italic,
            underline: self.underline,
            font_color: self.font_color.map(color).transpose()?,
            fill,
            number_format: self.number_format.map(str::to_owned),
            align: self.align.map(|text| one_of(text, &sides, "alignment")).transpose()?,
            wrap: self.wrap,
            border,
        };
        if let Some((code, why)) =
            self.number_format.and_then(|code| Some((code, number_format::entered::fault(code)?)))
        {
            return Err(invalid(format!("“{code}” is no number format: {why}.")));
        }
        if change == FormatChange::default() {
            return Err(invalid("`xlsx_set_format` names no format to set.".into()));
        }
        Ok(change)
    }

    /// What is set, as the receipt tells it.
    fn told(&self) -> String {
        let flag = |word: &str, value: Option<bool>| {
            value.map(|on| if on { word.to_owned() } else { format!("not {word}") })
        };
        let with = |word: &str, value: Option<&str>| value.map(|value| format!("{word} {value}"));
        let told = [
            flag("bold", self.bold),
            flag("italic", self.italic),
            flag("underlined", self.underline),
            with("colour", self.font_color),
            with("fill", self.fill),
            with("number format", self.number_format),
            with("aligned", self.align),
            flag("wrapped", self.wrap),
            with("border", self.border),
        ];
        told.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

impl Session<'_, '_> {
    pub(super) fn set_format(
        &mut self,
        sheet: Option<&str>,
        range: &str,
        words: &FormatWords<'_>,
    ) -> Result<(), EditError> {
        let key = self.worksheet(sheet)?;
        let area = self.current_area(key, read_area(range)?)?;
        let change = words.read()?;
        self.allow_formats(key, "formatCells")?;
        let area = self.clip(key, area)?;
        if area.size() > MOST_CELLS {
            return Err(EditError::new(
                EditErrorKind::TooLarge,
                format!("{area} has {} cells; {MOST_CELLS} are formatted at most.", area.size()),
            ));
        }
        let mut derived: HashMap<u32, u32> = HashMap::new();
        let mut changed = false;
        for row in area.first.row..=area.last.row {
            for col in area.first.col..=area.last.col {
                let at = CellRef::new(row, col);
                let old = self.book.sheet(key)?.cell(at)?.map_or(0, |cell| cell.span.style);
                let new = match derived.get(&old) {
                    Some(new) => *new,
                    None => {
                        let new = self.derive_style(old, &change)?;
                        derived.insert(old, new);
                        new
                    }
                };
                if new != old {
                    self.put_style(key, at, new)?;
                    changed = true;
                }
            }
        }
        if changed {
            let before = self.told_before(&change, &derived)?;
            self.book.sheet_mut(key)?.grow_dimension(area)?;
            self.change(Location::Area(key, area), before, Some(words.told()), Some("format"));
        }
        Ok(())
    }

    /// The number format before it changes, where all cells share one; other formats are not read back.
    fn told_before(
        &self,
        change: &FormatChange,
        old: &HashMap<u32, u32>,
    ) -> Result<Option<String>, EditError> {
        let styles = self.tables()?.styles;
        let mut codes = old.keys().map(|style| styles.code(*style));
        let first =
            codes.next().filter(|first| change.number_format.is_some() && codes.all(|code| code == *first));
        Ok(first.map(|code| format!("number format {code}")))
    }

    /// Whole rows and columns are formatted as far as they are used.
    fn clip(&self, key: SheetKey, area: Area) -> Result<Area, EditError> {
        if !(area.is_columns() || area.is_rows()) {
            return Ok(area);
        }
        let grid = &self.book.sheet(key)?.grid;
        let last_row = grid.last_row().unwrap_or(1);
        let mut last_col = 1;
        for row in grid.rows() {
            for cell in grid.cells(row) {
                last_col = last_col.max(cell?.at.col);
            }
        }
        let used = Area::between(CellRef::new(1, 1), CellRef::new(last_row, last_col));
        area.intersection(&used)
            .ok_or_else(|| EditError::new(EditErrorKind::OutOfRange, format!("Nothing is used in {area}.")))
    }

    /// Gives a cell a style, its content as it was.
    fn put_style(&mut self, key: SheetKey, at: CellRef, style: u32) -> Result<(), EditError> {
        let sheet = self.book.sheet(key)?;
        let prefix = &sheet.grid.prefix;
        let element = match sheet.cell(at)? {
            Some(cell) => restyled(&cell, prefix, style),
            None => format!("<{prefix}c r=\"{at}\" s=\"{style}\"/>").into_bytes(),
        };
        self.book.sheet_mut(key)?.grid.put(at, element);
        Ok(())
    }

    /// A protected sheet allows formats only where its flags say so.
    fn allow_formats(&mut self, key: SheetKey, flag: &str) -> Result<(), EditError> {
        let sheet = self.book.sheet(key)?;
        if !is_protected(sheet) {
            return Ok(());
        }
        let frame = &sheet.frame;
        let protection = frame.child(frame.root(), Ns::S, "sheetProtection");
        let allowed = protection.and_then(|element| frame.value(element, Ns::None, flag));
        if self.context.override_protection || allowed.is_some_and(|value| matches!(&*value, "0" | "false")) {
            return Ok(());
        }
        let message = format!("The sheet {} is protected against changes of format.", self.sheet_name(key));
        Err(EditError::new(EditErrorKind::ReadOnly, message)
            .hint("Set `override_protection` to do it all the same."))
    }

    pub(super) fn merge_cells(&mut self, sheet: Option<&str>, range: &str) -> Result<(), EditError> {
        let key = self.worksheet(sheet)?;
        let area = self.current_area(key, read_area(range)?)?;
        self.allow_formats(key, "formatCells")?;
        if area.size() < 2 {
            return Err(invalid(format!("{area} is one cell; a merge needs more.")));
        }
        if let Some(other) = self.book.sheet(key)?.merges().iter().find(|other| other.meets(&area)) {
            return Err(EditError::new(
                EditErrorKind::WouldDamage,
                format!("{area} overlaps the merged cells {other}."),
            ));
        }
        if let Some(table) = self.tables_of(key)?.iter().find(|table| table.area.meets(&area)) {
            let message = format!("{area} overlaps the table {}; tables hold no merged cells.", table.name);
            return Err(EditError::new(EditErrorKind::WouldDamage, message));
        }
        self.refuse_hidden_values(key, area)?;
        let sheet = self.book.sheet_mut(key)?;
        let splices = with_merge(sheet, area)?;
        sheet.edit_frame(splices)?;
        self.change(Location::Area(key, area), None, None, Some("structure"));
        Ok(())
    }

    /// A merge shows only its first cell; what others hold would be out of sight.
    fn refuse_hidden_values(&self, key: SheetKey, area: Area) -> Result<(), EditError> {
        let grid = &self.book.sheet(key)?.grid;
        for number in grid.row_numbers_within(area.first.row, area.last.row) {
            for cell in grid.row_cells(number)? {
                let at = cell.span.at;
                let holds =
                    cell.span.value.is_some() || cell.span.inline.is_some() || cell.span.formula.is_some();
                if holds && at != area.first && area.contains(at) {
                    let message = format!("{at} holds a value that the merge of {area} would hide.");
                    return Err(EditError::new(EditErrorKind::WouldDamage, message)
                        .hint("Clear the cells other than the first one, then merge."));
                }
            }
        }
        Ok(())
    }

    pub(super) fn unmerge_cells(&mut self, sheet: Option<&str>, range: &str) -> Result<(), EditError> {
        let key = self.worksheet(sheet)?;
        let area = self.current_area(key, read_area(range)?)?;
        self.allow_formats(key, "formatCells")?;
        let sheet = self.book.sheet_mut(key)?;
        let mut patch = Patch::new(&sheet.frame);
        let list = sheet.frame.child(sheet.frame.root(), Ns::S, "mergeCells");
        let merges: Vec<NodeId> = list
            .map(|list| sheet.frame.children_named(list, Ns::S, "mergeCell").collect())
            .unwrap_or_default();
        for merge in merges {
            let inside = patch.value(merge, "ref").and_then(|text| Area::parse(&text));
            if inside.is_some_and(|inside| area.covers(&inside)) {
                patch.remove(merge);
            }
        }
        if patch.is_empty() {
            let message = format!("There are no merged cells in {area}.");
            return Err(EditError::new(EditErrorKind::ZeroMatches, message));
        }
        let splices = patch.finish()?;
        sheet.edit_frame(splices)?;
        self.change(Location::Area(key, area), None, None, Some("structure"));
        Ok(())
    }

    pub(super) fn set_width(
        &mut self,
        sheet: Option<&str>,
        cols: Option<&str>,
        rows: Option<&str>,
        size: f64,
    ) -> Result<(), EditError> {
        let key = self.worksheet(sheet)?;
        let (text, by_cols) = match (cols, rows) {
            (Some(cols), None) => (cols, true),
            (None, Some(rows)) => (rows, false),
            _ => return Err(invalid("`xlsx_set_width` takes either `cols` or `rows`.".into())),
        };
        let most = if by_cols { 255.0 } else { 409.5 };
        if !(0.0..=most).contains(&size) {
            return Err(invalid(format!("`size` must lie between 0 and {most}.")));
        }
        let doubled = if text.contains(':') { text.to_owned() } else { format!("{text}:{text}") };
        let area =
            Area::parse(&doubled).filter(|area| if by_cols { area.is_columns() } else { area.is_rows() });
        let area = area.ok_or_else(|| invalid(format!("“{text}” names no whole rows or columns.")))?;
        let area = self.current_area(key, area)?;
        self.allow_formats(key, if by_cols { "formatColumns" } else { "formatRows" })?;
        if by_cols {
            let sheet = self.book.sheet_mut(key)?;
            let splices = with_width(sheet, area.first.col, area.last.col, size)?;
            sheet.edit_frame(splices)?;
        } else {
            self.set_heights(key, area, size)?;
        }
        self.change(Location::Area(key, area), None, None, Some("format"));
        Ok(())
    }

    fn set_heights(&mut self, key: SheetKey, area: Area, size: f64) -> Result<(), EditError> {
        if area.rows() > 10_000 {
            return Err(EditError::new(EditErrorKind::TooLarge, "More than 10,000 rows at once."));
        }
        let sheet = self.book.sheet_mut(key)?;
        sheet.grid.flush()?;
        let mut splices = Splices::default();
        let prefix = sheet.grid.prefix.clone();
        for number in area.first.row..=area.last.row {
            match sheet.grid.find_row(number) {
                Ok(index) => {
                    let row = &sheet.grid.rows()[index];
                    let bytes = sheet.grid.bytes();
                    let name_end = row.tag().start + 1 + prefix.len() + "row".len();
                    for (name, value) in [("ht", size.to_string()), ("customHeight", "1".to_owned())] {
                        match lex::attribute(bytes, row.tag(), name.as_bytes()) {
                            Some(found) => splices.replace(found.value, value),
                            None => splices.insert(name_end, format!(" {name}=\"{value}\"")),
                        }
                    }
                }
                Err(index) => {
                    let at = sheet.grid.insertion_point(index);
                    splices.insert(
                        at,
                        format!("<{prefix}row r=\"{number}\" ht=\"{size}\" customHeight=\"1\"/>"),
                    );
                }
            }
        }
        sheet.edit_grid(splices)
    }
}

/// A cell with another style; everything else to the byte.
fn restyled(cell: &CellView<'_>, prefix: &str, style: u32) -> Vec<u8> {
    let tag = cell.span.tag.clone();
    let (from, to, text) = match lex::attribute(cell.bytes, tag.clone(), b"s") {
        Some(found) => (found.value.start, found.value.end, style.to_string()),
        None => {
            let at = match &cell.span.reference {
                Some(reference) => reference.end as usize + 1,
                None => tag.start + 2 + prefix.len(),
            };
            (at, at, format!(" s=\"{style}\""))
        }
    };
    [&cell.bytes[cell.span.span.start..from], text.as_bytes(), &cell.bytes[to..cell.span.span.end]].concat()
}

fn with_merge(sheet: &Sheet, area: Area) -> Result<Splices, EditError> {
    let frame = &sheet.frame;
    let root = frame.root();
    let prefix = frame.prefix(root);
    let item = format!("<{prefix}mergeCell ref=\"{}\"/>", area.corners());
    let mut splices = Splices::default();
    match frame.child(root, Ns::S, "mergeCells").filter(|list| !frame.is_empty_tag(*list)) {
        Some(list) => {
            splices.insert(frame.content(list).end, item);
            if frame.attribute(list, Ns::None, "count").is_some() {
                let count = (frame.children(list).count() + 1).to_string();
                frame.set_attribute(&mut splices, list, Ns::None, "count", "count", &count)?;
            }
        }
        None => {
            let behind =
                frame.children(root).find(|child| !BEFORE_MERGES.contains(&frame.local_name(*child)));
            let at = behind.map_or(frame.content(root).end, |child| frame.span(child).start);
            splices.insert(at, format!("<{prefix}mergeCells count=\"1\">{item}</{prefix}mergeCells>"));
        }
    }
    Ok(splices)
}

/// `cols` with a width for some columns; runs that they cut are split, their other attributes kept.
fn with_width(sheet: &Sheet, first: u32, last: u32, size: f64) -> Result<Splices, EditError> {
    let frame = &sheet.frame;
    let root = frame.root();
    let prefix = frame.prefix(root);
    let mut splices = Splices::default();
    let plain = |min: u32, max: u32| {
        format!("<{prefix}col min=\"{min}\" max=\"{max}\" width=\"{size}\" customWidth=\"1\"/>")
    };
    let Some(list) = frame.child(root, Ns::S, "cols").filter(|list| !frame.is_empty_tag(*list)) else {
        let data = frame.child(root, Ns::S, "sheetData");
        let at = data.map_or(frame.content(root).end, |data| frame.span(data).start);
        splices.insert(at, format!("<{prefix}cols>{}</{prefix}cols>", plain(first, last)));
        return Ok(splices);
    };
    let mut runs: Vec<(u32, String)> = Vec::new();
    let mut free = first;
    for col in frame.children_named(list, Ns::S, "col") {
        let number = |name| frame.value(col, Ns::None, name).and_then(|text| text.parse::<u32>().ok());
        let (Some(min), Some(max)) = (number("min"), number("max")) else {
            let message =
                format!("A column run of the sheet is damaged near column {}.", column_letters(free));
            return Err(EditError::new(EditErrorKind::Damaged, message));
        };
        let run = |min: u32, max: u32, sized: bool| {
            let mut text = format!("<{prefix}col min=\"{min}\" max=\"{max}\"");
            for attribute in frame.attributes(col) {
                if matches!(attribute.name, "min" | "max")
                    || (sized && matches!(attribute.name, "width" | "customWidth" | "bestFit"))
                {
                    continue;
                }
                text.push_str(frame.slice(attribute.whole));
            }
            if sized {
                text.push_str(&format!(" width=\"{size}\" customWidth=\"1\""));
            }
            text + "/>"
        };
        if max < first || min > last {
            runs.push((min, run(min, max, false)));
            continue;
        }
        if min < first {
            runs.push((min, run(min, first - 1, false)));
        }
        if free < min {
            runs.push((free, plain(free, min - 1)));
        }
        runs.push((min.max(first), run(min.max(first), max.min(last), true)));
        free = max.min(last) + 1;
        if max > last {
            runs.push((last + 1, run(last + 1, max, false)));
        }
    }
    if free <= last {
        runs.push((free, plain(free, last)));
    }
    runs.sort_by_key(|(min, _)| *min);
    let inner: String = runs.into_iter().map(|(_, text)| text).collect();
    splices.replace(frame.content(list), inner);
    Ok(splices)
}
