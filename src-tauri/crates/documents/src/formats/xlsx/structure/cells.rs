//! Rewriting the cells of one sheet: rows and cells renumbered, deleted lines left out, formulas changed. One pass over the bytes.
//!
//! Nothing but row numbers, cell addresses, `spans` on column edits and changed formulas is rewritten. Implicit numbers stay implicit
//! unless the gap before them changed.

use std::collections::HashMap;

use super::shared::{self, Fate};
use crate::{
    DocumentError, EditError,
    formats::xlsx::{
        address::{Axis, CellRef, column_letters},
        formula::{LineEdit, Verb},
        grid::{
            Grid,
            lex::{self, CellSpan, FormulaKind, FormulaSpan, Row},
        },
    },
    package::xml::escape_text,
};

/// How one formula changes; the address is where it stands before the edit.
pub(in crate::formats::xlsx) type ChangeFormula<'f> = dyn FnMut(&str, CellRef) -> Option<String> + 'f;

/// A change of cells.
pub(in crate::formats::xlsx) struct CellChange<'f> {
    /// The lines of this sheet that come or go.
    pub(in crate::formats::xlsx) lines: Option<LineEdit>,
    /// How the references of shared formulas move, to tell whether a group stays one.
    pub(in crate::formats::xlsx) group: shared::GroupRule<'f>,
    pub(in crate::formats::xlsx) formula: &'f mut ChangeFormula<'f>,
}

/// What was met on the way.
#[derive(Debug, Default)]
pub(in crate::formats::xlsx) struct CellReport {
    /// A formula was deleted with its cell.
    pub(in crate::formats::xlsx) formulas_deleted: usize,
}

/// The new bytes of the grid; `None` when nothing changes.
pub(in crate::formats::xlsx) fn rewrite(
    grid: &Grid,
    change: &mut CellChange<'_>,
) -> Result<(Option<Vec<u8>>, CellReport), EditError> {
    let fates = shared::plan(grid, change)?;
    write(grid, change, &fates)
}

fn write(
    grid: &Grid,
    change: &mut CellChange<'_>,
    fates: &HashMap<CellRef, Fate>,
) -> Result<(Option<Vec<u8>>, CellReport), EditError> {
    let bytes = grid.bytes();
    let mut writer = Writer {
        grid,
        out: Vec::new(),
        copied: 0,
        previous_row: 0,
        report: CellReport::default(),
        formula_mark: format!("<{}f", grid.prefix).into_bytes(),
    };
    if change.lines.is_some() {
        writer.out.reserve(bytes.len() + bytes.len() / 64);
    }
    for row in grid.rows() {
        writer.row(row, change, fates)?;
    }
    let Writer { mut out, copied, report, .. } = writer;
    if copied == 0 && out.is_empty() {
        return Ok((None, report));
    }
    out.extend_from_slice(&bytes[copied..]);
    Ok((Some(out), report))
}

struct Writer<'g> {
    grid: &'g Grid,
    out: Vec<u8>,
    /// Up to where the old bytes are written or left out.
    copied: usize,
    /// The number of the row written last, for implicit numbering.
    previous_row: u32,
    report: CellReport,
    formula_mark: Vec<u8>,
}

impl Writer<'_> {
    fn put(&mut self, from: usize, to: usize, with: &[u8]) {
        let bytes = self.grid.bytes();
        self.out.extend_from_slice(&bytes[self.copied..from]);
        self.out.extend_from_slice(with);
        self.copied = to;
    }

    fn row(
        &mut self,
        row: &Row,
        change: &mut CellChange<'_>,
        fates: &HashMap<CellRef, Fate>,
    ) -> Result<(), EditError> {
        let row_edit = change.lines.filter(|lines| lines.axis == Axis::Rows);
        let number = match row_edit {
            Some(edit) => edit.line(row.number),
            None => Some(row.number),
        };
        let bytes = self.grid.bytes();
        let has_formula = memchr::memmem::find(&bytes[row.content()], &self.formula_mark).is_some();
        let Some(number) = number else {
            if has_formula {
                for cell in self.grid.cells(row) {
                    self.report.formulas_deleted += usize::from(cell?.formula.is_some());
                }
            }
            self.put(row.start as usize, row.end as usize, b"");
            return Ok(());
        };
        let moved = number != row.number;
        let tag = row.tag();
        match lex::attribute(bytes, tag.clone(), b"r").filter(|_| row.explicit) {
            Some(r) if moved => self.put(r.value.start, r.value.end, number.to_string().as_bytes()),
            None if row_edit.is_some() && number != self.previous_row + 1 => {
                let name_end = tag.start + 1 + self.grid.prefix.len() + "row".len();
                self.put(name_end, name_end, format!(" r=\"{number}\"").as_bytes());
            }
            _ => {}
        }
        self.previous_row = number;
        let by_columns = change.lines.is_some_and(|lines| lines.axis == Axis::Cols);
        if by_columns {
            self.drop_spans(row);
        }
        if !(moved || by_columns || has_formula) {
            return Ok(());
        }
        let mut previous_col = 0;
        for cell in self.grid.cells(row) {
            let cell = cell?;
            previous_col = self.cell(&cell, number, previous_col, change, fates)?;
        }
        Ok(())
    }

    /// `spans` is a hint that column edits make wrong (18.3.1.73).
    fn drop_spans(&mut self, row: &Row) {
        if let Some(spans) = lex::attribute(self.grid.bytes(), row.tag(), b"spans")
            && spans.whole.start >= self.copied
        {
            self.put(spans.whole.start, spans.whole.end, b"");
        }
    }

    /// Writes one cell; the column it has now, or the one before when it went.
    fn cell(
        &mut self,
        cell: &CellSpan,
        row: u32,
        previous_col: u32,
        change: &mut CellChange<'_>,
        fates: &HashMap<CellRef, Fate>,
    ) -> Result<u32, EditError> {
        let col_edit = change.lines.filter(|lines| lines.axis == Axis::Cols);
        let col = match col_edit {
            Some(edit) => edit.line(cell.at.col),
            None => Some(cell.at.col),
        };
        let Some(col) = col else {
            self.report.formulas_deleted += usize::from(cell.formula.is_some());
            self.put(cell.span.start, cell.span.end, b"");
            return Ok(previous_col);
        };
        let now = CellRef::new(row, col);
        match &cell.reference {
            Some(reference) if now != cell.at => {
                self.put(reference.start as usize, reference.end as usize, address(now).as_bytes());
            }
            None if col_edit.is_some() && col != previous_col + 1 => {
                let name_end = cell.tag.start + 2 + self.grid.prefix.len();
                self.put(name_end, name_end, format!(" r=\"{now}\"").as_bytes());
            }
            _ => {}
        }
        if let Some(formula) = &cell.formula {
            self.formula(cell, formula, change, fates)?;
        }
        Ok(col)
    }

    fn formula(
        &mut self,
        cell: &CellSpan,
        formula: &FormulaSpan,
        change: &mut CellChange<'_>,
        fates: &HashMap<CellRef, Fate>,
    ) -> Result<(), EditError> {
        let bytes = self.grid.bytes();
        let prefix = &self.grid.prefix;
        if formula.kind == FormulaKind::Shared {
            match fates.get(&cell.at) {
                None => {}
                Some(Fate::Own(text)) => {
                    let always = lex::attribute(bytes, widen(&formula.tag), b"ca").is_some();
                    let always = if always { " ca=\"1\"" } else { "" };
                    let element = format!("<{prefix}f{always}>{}</{prefix}f>", escape_text(text)?);
                    self.put(formula.span.start as usize, formula.span.end as usize, element.as_bytes());
                }
                Some(Fate::Master { text, area, group }) => {
                    let element = format!(
                        "<{prefix}f t=\"shared\" ref=\"{}\" si=\"{group}\">{}</{prefix}f>",
                        area.corners(),
                        escape_text(text)?
                    );
                    self.put(formula.span.start as usize, formula.span.end as usize, element.as_bytes());
                }
            }
            return Ok(());
        }
        if let Some(edit) = change.lines {
            self.formula_attributes(formula, &edit);
        }
        let text = lex::text(&bytes[widen(&formula.text)]);
        if !text.is_empty()
            && let Some(new) = (change.formula)(&text, cell.at)
        {
            self.put(formula.text.start as usize, formula.text.end as usize, escape_text(&new)?.as_bytes());
        }
        Ok(())
    }

    /// `ref` of array formulas and data tables, and the input cells of the latter (18.3.1.40).
    fn formula_attributes(&mut self, formula: &FormulaSpan, edit: &LineEdit) {
        use crate::formats::xlsx::address::Area;
        let bytes = self.grid.bytes();
        let mut edits: Vec<(std::ops::Range<usize>, String)> = Vec::new();
        for (name, dead) in [(b"ref".as_slice(), ""), (b"r1", "del1"), (b"r2", "del2")] {
            let Some(attribute) = lex::attribute(bytes, widen(&formula.tag), name) else { continue };
            let Some(area) = Area::parse(&lex::text(&bytes[attribute.value.clone()])) else { continue };
            let mark = match dead {
                "" => None,
                dead => lex::attribute(bytes, widen(&formula.tag), dead.as_bytes()),
            };
            // An input cell that was deleted before points nowhere any more.
            let is_dead = |value: &[u8]| value == b"1" || value == b"true";
            if mark.as_ref().is_some_and(|mark| is_dead(&bytes[mark.value.clone()])) {
                continue;
            }
            match edit.area(area) {
                Some(moved) if moved != area => edits.push((attribute.value, moved.corners())),
                None if !dead.is_empty() => edits.push(match mark {
                    Some(mark) => (mark.value, "1".to_owned()),
                    None => (attribute.value.end + 1..attribute.value.end + 1, format!(" {dead}=\"1\"")),
                }),
                _ => {}
            }
        }
        edits.sort_by_key(|(range, _)| range.start);
        for (range, text) in edits {
            self.put(range.start, range.end, text.as_bytes());
        }
    }
}

fn address(cell: CellRef) -> String {
    let mut text = column_letters(cell.col);
    text.push_str(&cell.row.to_string());
    text
}

fn widen(range: &std::ops::Range<u32>) -> std::ops::Range<usize> {
    range.start as usize..range.end as usize
}

/// The grid with the group of a shared formula taken over by its next member, before the cell that holds its text is overwritten.
pub(in crate::formats::xlsx) fn hand_on(grid: &Grid, leaving: CellRef) -> Result<Option<Vec<u8>>, EditError> {
    let groups = shared::groups(grid)?;
    let Some(group) = groups.iter().find(|group| group.master == leaving) else { return Ok(None) };
    let fates = shared::without_master(group);
    let mut keep = |_: &str, _: CellRef| None;
    let mut change = CellChange { lines: None, group: shared::GroupRule::Uniform, formula: &mut keep };
    write(grid, &mut change, &fates).map(|(bytes, _)| bytes)
}

/// The last line of an axis that holds anything but formats.
pub(super) fn last_used_line(grid: &Grid, axis: Axis) -> Result<u32, DocumentError> {
    let mut last = 0;
    let holds = |cell: &CellSpan| cell.value.is_some() || cell.inline.is_some() || cell.formula.is_some();
    match axis {
        Axis::Rows => {
            for row in grid.rows().iter().rev() {
                if row.number <= last {
                    continue;
                }
                for cell in grid.cells(row) {
                    if holds(&cell?) {
                        last = last.max(row.number);
                        break;
                    }
                }
                if last > 0 {
                    break;
                }
            }
        }
        Axis::Cols => {
            for row in grid.rows() {
                for cell in grid.cells(row) {
                    let cell = cell?;
                    if holds(&cell) {
                        last = last.max(cell.at.col);
                    }
                }
            }
        }
    }
    Ok(last)
}

/// Whether an insertion would push content off the sheet.
pub(super) fn pushes_off(grid: &Grid, edit: &LineEdit) -> Result<bool, DocumentError> {
    let last = last_used_line(grid, edit.axis)?;
    Ok(edit.verb == Verb::Insert && last >= edit.at && last + edit.count > edit.axis.last())
}
