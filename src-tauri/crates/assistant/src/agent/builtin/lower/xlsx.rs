//! Commands on workbooks.

mod formats;
mod found;
mod sheets;

use serde_json::{Value, json};

use formats::{format_cells, size};
use found::{column_of, rows_where};
use sheets::{name, sheet_op};

use super::values::{cell_value, rows};
use super::{Captured, Command, Op, Ops, Target, Unit, Unlowered, Verb, unclear};
use crate::agent::builtin::slots::is_range;

const NOT_HERE: &[&str] = &[
    "slide",
    "last_slide",
    "lines",
    "notes_too",
    "headers",
    "footers",
    "footnotes",
    "textboxes",
    "style",
    "table",
    "table_name",
    "markdown",
];

pub(super) fn ops(command: &Command, target: &Target<'_>) -> Ops {
    if command.says_any(NOT_HERE) {
        return Err(Unlowered::OtherFormat);
    }
    match command.verb {
        Verb::Replace | Verb::DeleteText => replace(command, target),
        Verb::SetCell => set_cells(command, target),
        Verb::SetAddress => address_as_cell(command, target),
        Verb::DeleteAddress if !command.has("end") => {
            let cell = command.text("at").unwrap_or_default().to_uppercase();
            if cell.contains('.') {
                Err(Unlowered::OtherFormat)
            } else {
                set_cell(command, target, &cell, Value::Null)
            }
        }
        Verb::ClearCell => fill(command, target, Value::Null),
        Verb::TableCell => table_cell(command, target),
        Verb::DeleteUnit => delete(command, target),
        Verb::DeleteColumns => delete_columns(command, target),
        Verb::InsertUnit => insert(command, target),
        Verb::InsertColumns => insert_columns(command, target),
        Verb::SetUnit => set_row(command, target),
        Verb::Append => append(command, target),
        Verb::Format => format_cells(command, target),
        Verb::Merge => on_range(command, target, "xlsx_merge_cells"),
        Verb::Unmerge => on_range(command, target, "xlsx_unmerge_cells"),
        Verb::Width | Verb::Height => size(command, target),
        Verb::AddSheet | Verb::RenameSheet | Verb::CopySheet | Verb::MoveSheet | Verb::DeleteSheet => {
            sheet_op(command, target)
        }
        Verb::SetName | Verb::DeleteName => name(command),
        Verb::WhereText => rows_where(command, target),
        Verb::Prepend => {
            let values = rows(command.text("text").unwrap_or_default());
            Op::new("xlsx_insert_rows")
                .maybe("sheet", sheet(command, None, target)?)
                .with("row", 1)
                .with("count", values.len())
                .with("rows", json!(values))
                .one()
        }
        _ => Err(Unlowered::OtherFormat),
    }
}

/// The sheet a command names: beside the cell (`Data!B4`), or in words. A bare word is checked against the workbook, because
/// "销售表" may be the sheet 销售表 or the sheet 销售.
fn sheet(command: &Command, cells: Option<&str>, target: &Target<'_>) -> Result<Option<String>, Unlowered> {
    if let Some((sheet, _)) = cells.and_then(|cells| cells.rsplit_once('!')) {
        return Ok(Some(sheet.to_string()));
    }
    match command.captures.get("sheet") {
        Some(Captured::Text { text, quoted: true }) => Ok(Some(text.clone())),
        Some(Captured::Text { text, quoted: false }) => known_sheet(text, target).map(Some),
        _ => Ok(None),
    }
}

fn known_sheet(word: &str, target: &Target<'_>) -> Result<String, Unlowered> {
    let facts = target.facts.ok_or(Unlowered::NeedsOutline)?;
    let with_suffix = format!("{word}表");
    let is = |known: &str, wanted: &str| known.to_lowercase() == wanted.to_lowercase();
    let find = |wanted: &str| {
        facts.sheets.iter().find(|(known, _)| is(known, wanted)).map(|(known, _)| known.clone())
    };
    match (find(&with_suffix), find(word)) {
        (Some(_), Some(_)) => Err(unclear(
            format!("There are sheets “{word}” and “{with_suffix}”; put the name in quotes."),
            format!("既有工作表“{word}”又有“{with_suffix}”，请给名称加引号。"),
        )),
        (Some(name), None) | (None, Some(name)) => Ok(name),
        (None, None) => Ok(word.to_string()),
    }
}

fn bare(cells: &str) -> &str {
    cells.rsplit_once('!').map_or(cells, |(_, cells)| cells)
}

fn replace(command: &Command, target: &Target<'_>) -> Ops {
    // "rename Data to Input" means the sheet of that name.
    if command.has("rename") {
        let facts = target.facts.ok_or(Unlowered::NeedsOutline)?;
        let find = command.text("find").unwrap_or_default();
        if facts.sheets.iter().any(|(name, _)| name.to_lowercase() == find.to_lowercase()) {
            return sheets::renamed(find, command.replacement());
        }
    }
    let range = command.text("range");
    Op::new("xlsx_replace_text")
        .maybe("sheet", sheet(command, range, target)?)
        .maybe("range", range.map(bare))
        .with("find", command.text("find").unwrap_or_default())
        .with("replace", command.replacement())
        .maybe("occurrence", command.occurrence())
        .maybe("in", command.has("formulas").then_some("formulas"))
        .one()
}

fn set_cells(command: &Command, target: &Target<'_>) -> Ops {
    let cells = command.text("cells").unwrap_or_default();
    let computed = computed(command);
    let (text, quoted) = match (command.captures.get("text"), &computed) {
        (_, Some(formula)) => (formula, false),
        (Some(Captured::Text { text, quoted }), None) => (text, *quoted),
        _ => return Err(Unlowered::OtherFormat),
    };
    if cells.contains(',') {
        return each_cell(command, target, cells, &cell_value(text, quoted));
    }
    if !is_range(cells) {
        return set_cell(command, target, cells, cell_value(text, quoted));
    }
    let (height, width) = dimensions(bare(cells)).ok_or_else(|| bad_range(cells))?;
    let mut values = if quoted { vec![vec![cell_value(text, true)]] } else { rows(text) };
    let flat: Vec<Value> = values.concat();
    if let [one] = flat.as_slice() {
        values = vec![vec![one.clone(); width]; height];
    } else if width == 1 && values.len() == 1 && flat.len() == height {
        values = flat.into_iter().map(|value| vec![value]).collect();
    }
    if values.len() != height || values.iter().any(|row| row.len() != width) {
        return Err(unclear(
            format!(
                "{} holds {height} × {width} cells, but the values do not fill it. Separate cells by commas and rows by semicolons.",
                bare(cells)
            ),
            format!("{}有{height}行{width}列，给出的值填不满。单元格用逗号分隔，行用分号分隔。", bare(cells)),
        ));
    }
    Op::new("xlsx_set_cells")
        .maybe("sheet", sheet(command, Some(cells), target)?)
        .with("range", bare(cells))
        .with("values", json!(values))
        .one()
}

/// "the sum of B2:B8" as a formula.
fn computed(command: &Command) -> Option<String> {
    let source = command.text("source")?;
    let functions =
        [("sum", "SUM"), ("average", "AVERAGE"), ("max", "MAX"), ("min", "MIN"), ("number", "COUNT")];
    let (_, function) = functions.into_iter().find(|(flag, _)| command.has(flag))?;
    Some(format!("={function}({source})"))
}

/// The same value in each of several cells and ranges.
fn each_cell(command: &Command, target: &Target<'_>, cells: &str, value: &Value) -> Ops {
    let mut entries = Vec::new();
    for one in cells.split(',') {
        let (first, last) = bare(one).split_once(':').unwrap_or((bare(one), bare(one)));
        let ((left, top), (right, bottom)) =
            split_cell(first).zip(split_cell(last)).ok_or_else(|| bad_range(one))?;
        if (bottom + 1).saturating_sub(top) * (right + 1).saturating_sub(left) > 10_000 {
            return Err(bad_range(one));
        }
        for row in top..=bottom {
            let across = (left..=right)
                .map(|column| json!({"cell": format!("{}{row}", letters(column)), "value": value}));
            entries.extend(across);
        }
    }
    Op::new("xlsx_set_cells")
        .maybe("sheet", sheet(command, Some(cells.split(',').next().unwrap_or(cells)), target)?)
        .with("cells", entries)
        .one()
}

fn set_cell(command: &Command, target: &Target<'_>, cell: &str, value: Value) -> Ops {
    Op::new("xlsx_set_cell")
        .maybe("sheet", sheet(command, Some(cell), target)?)
        .with("cell", bare(cell))
        .with("value", value)
        .one()
}

/// `p12` is a paragraph of a Word document, and the cell P12 of a workbook.
fn address_as_cell(command: &Command, target: &Target<'_>) -> Ops {
    let cell = command.text("at").unwrap_or_default().to_uppercase();
    let Some(Captured::Text { text, quoted }) = command.captures.get("text") else {
        return Err(Unlowered::OtherFormat);
    };
    if cell.contains('.') {
        return Err(Unlowered::OtherFormat);
    }
    set_cell(command, target, &cell, cell_value(text, *quoted))
}

fn fill(command: &Command, target: &Target<'_>, value: Value) -> Ops {
    let cells = command.text("cells").unwrap_or_default();
    if cells.contains(',') {
        return each_cell(command, target, cells, &value);
    }
    if !is_range(cells) {
        return set_cell(command, target, cells, value);
    }
    let (height, width) = dimensions(bare(cells)).ok_or_else(|| bad_range(cells))?;
    Op::new("xlsx_set_cells")
        .maybe("sheet", sheet(command, Some(cells), target)?)
        .with("range", bare(cells))
        .with("values", json!(vec![vec![value; width]; height]))
        .one()
}

fn table_cell(command: &Command, target: &Target<'_>) -> Ops {
    let row = command.at("row", || target.count(|facts| last_row(facts, None)))?.unwrap_or(1);
    let column = command
        .at("col", || Err(unclear("Name the column by its number.", "请用数字指定列。")))?
        .unwrap_or(1);
    let Some(Captured::Text { text, quoted }) = command.captures.get("text") else {
        return Err(Unlowered::OtherFormat);
    };
    set_cell(command, target, &format!("{}{row}", letters(column)), cell_value(text, *quoted))
}

fn delete(command: &Command, target: &Target<'_>) -> Ops {
    let name = match command.unit() {
        Some(Unit::Line) => "xlsx_delete_rows",
        Some(Unit::Column) => "xlsx_delete_cols",
        Some(Unit::Paragraph | Unit::Slide) | None => return Err(Unlowered::OtherFormat),
    };
    let sheet = sheet(command, None, target)?;
    let ranges = command.resolved("n", || target.count(|facts| last_row(facts, sheet.as_deref())))?;
    let one = |(start, end): (usize, usize)| {
        let op = Op::new(name).maybe("sheet", sheet.clone()).with("start", start);
        op.maybe("end", (end != start).then_some(end)).maybe("expect", expected(command))
    };
    Ok(ranges.into_iter().map(|range| Value::Object(one(range).0)).collect())
}

/// What the first line that goes must hold.
fn expected(command: &Command) -> Option<Value> {
    match command.captures.get("expect")? {
        Captured::Text { text, quoted: true } => Some(json!([text])),
        Captured::Text { text, quoted: false } => rows(text).into_iter().next().map(Value::from),
        _ => None,
    }
}

fn delete_columns(command: &Command, target: &Target<'_>) -> Ops {
    let sheet = sheet(command, None, target)?;
    let columns = column_of(command, target, sheet.as_deref())?;
    let one = |columns: &str| {
        let (start, end) = columns.split_once(':').map_or((columns, None), |(start, end)| (start, Some(end)));
        let op =
            Op::new("xlsx_delete_cols").maybe("sheet", sheet.clone()).with("start", start).maybe("end", end);
        Value::Object(op.maybe("expect", expected(command)).0)
    };
    Ok(columns.split(',').map(one).collect())
}

fn insert(command: &Command, target: &Target<'_>) -> Ops {
    let sheet = sheet(command, None, target)?;
    let number = command.at("n", || target.count(|facts| last_row(facts, sheet.as_deref())))?;
    let number = number.ok_or(Unlowered::OtherFormat)? + usize::from(command.has("after"));
    let values = command.text("text").map(rows);
    match command.unit() {
        Some(Unit::Line) => Op::new("xlsx_insert_rows")
            .maybe("sheet", sheet)
            .with("row", number)
            .maybe("count", values.as_ref().map(Vec::len).or_else(|| command.count()))
            .maybe("rows", values.map(|values| json!(values)))
            .one(),
        Some(Unit::Column) => insert_at_column(command, sheet, number.into(), values),
        Some(Unit::Paragraph | Unit::Slide) | None => Err(Unlowered::OtherFormat),
    }
}

fn insert_columns(command: &Command, target: &Target<'_>) -> Ops {
    let sheet = sheet(command, None, target)?;
    let columns = column_of(command, target, sheet.as_deref())?;
    let (first, last) = columns.split_once(':').unwrap_or((&columns, &columns));
    let number = if command.has("after") { column_number(last) + 1 } else { column_number(first) };
    let values = command.text("text").map(rows);
    insert_at_column(command, sheet, letters(number).into(), values)
}

/// The values of a new column come in one line; the operation wants them row by row.
fn insert_at_column(
    command: &Command,
    sheet: Option<String>,
    column: Value,
    values: Option<Vec<Vec<Value>>>,
) -> Ops {
    let values = values.map(|values| match values.as_slice() {
        [one_line] => one_line.iter().map(|value| vec![value.clone()]).collect(),
        _ => values,
    });
    Op::new("xlsx_insert_cols")
        .maybe("sheet", sheet)
        .with("col", column)
        .maybe("count", command.count())
        .maybe("rows", values.map(|values| json!(values)))
        .one()
}

fn set_row(command: &Command, target: &Target<'_>) -> Ops {
    if command.unit() != Some(Unit::Line) {
        return Err(Unlowered::OtherFormat);
    }
    let sheet = sheet(command, None, target)?;
    let ranges = command.resolved("n", || target.count(|facts| last_row(facts, sheet.as_deref())))?;
    let values = rows(command.text("text").unwrap_or_default());
    let width = values.iter().map(Vec::len).max().unwrap_or(0);
    let [(start, end)] = ranges.as_slice() else {
        return Err(unclear("Name one row or one range of rows.", "请只指定一行或一个连续的行范围。"));
    };
    if values.len() != end + 1 - start || values.iter().any(|row| row.len() != width) || width == 0 {
        return Err(unclear(
            "Give as many rows of values as rows are named, all of the same length: commas between cells, semicolons between rows.",
            "给出的数据行数要与所指的行数一致，每行列数相同：单元格用逗号分隔，行用分号分隔。",
        ));
    }
    Op::new("xlsx_set_cells")
        .maybe("sheet", sheet)
        .with("range", format!("A{start}:{}{end}", letters(width)))
        .with("values", json!(values))
        .one()
}

fn append(command: &Command, target: &Target<'_>) -> Ops {
    let values = rows(command.text("text").unwrap_or_default());
    Op::new("xlsx_append_rows")
        .maybe("sheet", sheet(command, None, target)?)
        .with("rows", json!(values))
        .maybe("extend_table", command.has("extend_table").then_some(true))
        .one()
}

fn on_range(command: &Command, target: &Target<'_>, name: &str) -> Ops {
    let cells = command.text("cells").unwrap_or_default();
    Op::new(name).maybe("sheet", sheet(command, Some(cells), target)?).with("range", bare(cells)).one()
}

fn last_row(facts: &super::Facts, sheet: Option<&str>) -> usize {
    let found = facts.sheets.iter().find(|(name, _)| sheet.is_none_or(|sheet| name == sheet));
    found.map_or(0, |(_, row)| *row)
}

fn bad_range(cells: &str) -> Unlowered {
    unclear(format!("`{cells}` is no range."), format!("“{cells}”不是有效的区域。"))
}

/// Rows and columns of a range such as `A1:C3`.
fn dimensions(range: &str) -> Option<(usize, usize)> {
    let (first, last) = range.split_once(':')?;
    let ((first_column, first_row), (last_column, last_row)) = (split_cell(first)?, split_cell(last)?);
    let height = last_row.checked_sub(first_row)? + 1;
    let width = last_column.checked_sub(first_column)? + 1;
    (height * width <= 100_000).then_some((height, width))
}

fn split_cell(cell: &str) -> Option<(usize, usize)> {
    let letters = cell.trim_end_matches(|c: char| c.is_ascii_digit());
    Some((column_number(letters), cell[letters.len()..].parse().ok()?))
}

fn column_number(letters: &str) -> usize {
    letters
        .bytes()
        .fold(0, |number, letter| number * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1)
}

fn letters(mut number: usize) -> String {
    let mut letters = Vec::new();
    while number > 0 {
        letters.push(char::from(b'A' + u8::try_from((number - 1) % 26).unwrap_or(0)));
        number = (number - 1) / 26;
    }
    letters.iter().rev().collect()
}
