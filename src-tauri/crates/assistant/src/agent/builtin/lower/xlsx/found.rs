//! Rows and columns of a workbook that a person names by what stands in them.

use serde_json::{Value, json};

use super::super::places::ranges_of;
use super::super::values::rows;
use super::super::{Command, Op, Ops, Target, Unit, Unlowered, unclear};
use super::{letters, sheet};

/// The sheet whose rows are meant: the named one, else the first.
fn rows_of(facts: &super::super::Facts, sheet: Option<&str>) -> Vec<(usize, String)> {
    let Some(name) = sheet.map(str::to_string).or_else(|| facts.sheets.first().map(|(name, _)| name.clone()))
    else {
        return Vec::new();
    };
    let of_sheet = facts.rows.iter().filter(|((known, _), _)| *known == name);
    let texts = |cells: &[(String, String)]| {
        cells.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
    };
    of_sheet.map(|((_, row), cells)| (*row, texts(cells))).collect()
}

/// Rows by their content: deleted, set, or a new row beside one.
pub(super) fn rows_where(command: &Command, target: &Target<'_>) -> Ops {
    if command.unit() != Some(Unit::Line) {
        return Err(Unlowered::OtherFormat);
    }
    let sheet = sheet(command, None, target)?;
    let found = command.found(target, |facts| rows_of(facts, sheet.as_deref()))?;
    let values = command.text("text").map(rows);
    if command.side().is_some() {
        let row = *found.first().ok_or(Unlowered::OtherFormat)? + usize::from(command.has("after"));
        return Op::new("xlsx_insert_rows")
            .maybe("sheet", sheet)
            .with("row", row)
            .maybe("count", values.as_ref().map(Vec::len))
            .maybe("rows", values.map(|values| json!(values)))
            .one();
    }
    if let Some(values) = values {
        let ([row], [cells]) = (found.as_slice(), values.as_slice()) else {
            return Err(unclear("Give one row of values for one row.", "请为一行给出一行数据。"));
        };
        return Op::new("xlsx_set_cells")
            .maybe("sheet", sheet)
            .with("range", format!("A{row}:{}{row}", letters(cells.len())))
            .with("values", json!(values))
            .one();
    }
    let one = |(start, end): (usize, usize)| {
        let op = Op::new("xlsx_delete_rows").maybe("sheet", sheet.clone()).with("start", start);
        Value::Object(op.maybe("end", (end != start).then_some(end)).0)
    };
    Ok(ranges_of(&found).into_iter().map(one).collect())
}

/// The columns that were named: by letters, or one by the text in its first row.
pub(super) fn column_of(
    command: &Command,
    target: &Target<'_>,
    sheet: Option<&str>,
) -> Result<String, Unlowered> {
    if let Some(columns) = command.text("cols") {
        return Ok(columns.to_string());
    }
    let header = command.text("header").ok_or(Unlowered::OtherFormat)?;
    let facts = target.facts.filter(|facts| facts.complete).ok_or(Unlowered::NeedsOutline)?;
    let name = sheet.map(str::to_string).or_else(|| facts.sheets.first().map(|(name, _)| name.clone()));
    let first = facts.rows.iter().find(|((known, _), _)| Some(known) == name.as_ref());
    let cells = first.map(|(_, cells)| cells.as_slice()).unwrap_or_default();
    let is_it = |text: &str| text.trim().to_lowercase() == header.trim().to_lowercase();
    let found: Vec<&str> =
        cells.iter().filter(|(_, text)| is_it(text)).map(|(column, _)| column.as_str()).collect();
    match found.as_slice() {
        [one] => Ok((*one).to_string()),
        _ => Err(unclear(
            format!("“{header}” is not the heading of exactly one column; name the column by its letter."),
            format!("没有唯一一列的表头是“{header}”，请用字母指定列。"),
        )),
    }
}
