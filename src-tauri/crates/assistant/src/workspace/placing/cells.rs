//! Whether the cells that an operation names are still what they were: same address, same text, same formula, and no row or column
//! came or went before them.

use std::{
    collections::{BTreeMap, HashMap},
    time::Instant,
};

use documents::Node;
use serde_json::{Map, Value};
use similar::{Algorithm, DiffOp};

use super::{DIFF_TIME, key};

/// Rows and columns, 1-based, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Region {
    rows: (u32, u32),
    cols: (u32, u32),
}

const ALL: (u32, u32) = (1, u32::MAX);

/// Where rows and columns of each sheet went: pairs of old and new numbers of those that are recognised, in order.
#[derive(Debug, Default)]
pub(in super::super) struct Shifts(HashMap<String, Axes>);

#[derive(Debug, Default)]
struct Axes {
    rows: Vec<(u32, u32)>,
    cols: Vec<(u32, u32)>,
}

impl Shifts {
    pub(super) fn between(old: &[Node], new: &[Node]) -> Shifts {
        let (old, new) = (Lines::of(old), Lines::of(new));
        let both = old.into_iter().filter_map(|(sheet, old)| new.get(&sheet).map(|new| (sheet, old, new)));
        let axes = both.map(|(sheet, old, new)| {
            let rows = pairs(&old.rows, &new.rows);
            (sheet, Axes { rows, cols: pairs(&old.cols, &new.cols) })
        });
        Shifts(axes.collect())
    }

    /// Whether anything in the workbook is not where it was, so that a formula written before may mean other cells.
    fn is_any(&self) -> bool {
        self.0.values().any(|axes| axes.rows.iter().chain(&axes.cols).any(|(old, new)| old != new))
    }

    fn moves(&self, sheet: &str, region: Region) -> bool {
        let Some(axes) = self.0.get(&sheet.to_lowercase()) else { return false };
        let is_moved = |pairs: &[(u32, u32)], span: (u32, u32)| {
            span != ALL && (is_shifted(pairs, span.0) || is_shifted(pairs, span.1))
        };
        is_moved(&axes.rows, region.rows) || is_moved(&axes.cols, region.cols)
    }
}

/// A line that is recognised tells for itself; for another one its neighbours tell.
fn is_shifted(pairs: &[(u32, u32)], line: u32) -> bool {
    let at = pairs.partition_point(|(old, _)| *old < line);
    let shifted = |index: usize| pairs.get(index).is_some_and(|(old, new)| old != new);
    match pairs.get(at) {
        Some((old, _)) if *old == line => shifted(at),
        _ => at.checked_sub(1).is_some_and(shifted) || shifted(at),
    }
}

/// What stands in each row and column of a sheet, without the other coordinate: by it a line is recognised elsewhere.
#[derive(Debug, Default)]
struct Lines {
    rows: BTreeMap<u32, String>,
    cols: BTreeMap<u32, String>,
}

impl Lines {
    fn of(nodes: &[Node]) -> HashMap<String, Lines> {
        let mut sheets: HashMap<String, Lines> = HashMap::new();
        for node in nodes.iter().filter(|node| node.kind == "cell") {
            let Some(cell) = node.more.get("cell").and_then(Value::as_str).and_then(range) else { continue };
            let lines = sheets.entry(sheet_of(node).to_lowercase()).or_default();
            let content = key(node) + "\u{1}";
            *lines.rows.entry(cell.rows.0).or_default() += &content;
            *lines.cols.entry(cell.cols.0).or_default() += &content;
        }
        sheets
    }
}

fn pairs(old: &BTreeMap<u32, String>, new: &BTreeMap<u32, String>) -> Vec<(u32, u32)> {
    let contents = |lines: &BTreeMap<u32, String>| lines.values().cloned().collect::<Vec<_>>();
    let deadline = Instant::now() + DIFF_TIME;
    let ops = similar::capture_diff_slices_deadline(
        Algorithm::Myers,
        &contents(old),
        &contents(new),
        Some(deadline),
    );
    let mut found = Vec::new();
    for op in ops {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            found.extend(
                old.keys().skip(old_index).copied().zip(new.keys().skip(new_index).copied()).take(len),
            );
        }
    }
    found
}

/// Refuses an operation whose cells changed or moved.
pub(super) fn check(
    fields: &Map<String, Value>,
    old: &[Node],
    new: &[Node],
    shifts: &Shifts,
) -> Result<(), String> {
    if has_formula(fields.values()) && shifts.is_any() {
        return Err("Rows or columns came or went, so the formula may mean other cells now.".into());
    }
    let sheet = match fields.get("sheet").and_then(Value::as_str) {
        Some(sheet) => Some(sheet.to_owned()),
        None => {
            let first = |nodes: &[Node]| nodes.iter().find(|node| node.kind == "sheet").map(sheet_of);
            if first(old) != first(new) {
                return Err("The first sheet is another one now.".into());
            }
            first(old)
        }
    };
    let Some(sheet) = sheet else { return Ok(()) };
    for region in regions(fields) {
        if shifts.moves(&sheet, region) {
            return Err(format!(
                "Rows or columns of {sheet} came or went before the cells that the operation names."
            ));
        }
        if cells_in(old, &sheet, region) != cells_in(new, &sheet, region) {
            return Err(format!("Cells of {sheet} that the operation names are not the same any more."));
        }
    }
    Ok(())
}

fn has_formula<'a>(values: impl IntoIterator<Item = &'a Value>) -> bool {
    values.into_iter().any(|value| match value {
        Value::Object(fields) => fields.contains_key("formula") || has_formula(fields.values()),
        Value::Array(items) => has_formula(items),
        _ => false,
    })
}

fn regions(fields: &Map<String, Value>) -> Vec<Region> {
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    let row = |key: &str| fields.get(key).and_then(Value::as_u64).and_then(|row| u32::try_from(row).ok());
    let col = |key: &str| row(key).or_else(|| text(key).and_then(column));
    let op = text("op").unwrap_or_default();
    let mut found: Vec<Option<Region>> = Vec::new();
    match op {
        "xlsx_insert_rows" => found.push(row("row").map(|row| Region { rows: (row, row), cols: ALL })),
        "xlsx_delete_rows" => {
            found.push(
                row("start").map(|start| Region { rows: (start, row("end").unwrap_or(start)), cols: ALL }),
            );
        }
        "xlsx_insert_cols" => found.push(col("col").map(|col| Region { rows: ALL, cols: (col, col) })),
        "xlsx_delete_cols" => {
            found.push(
                col("start").map(|start| Region { rows: ALL, cols: (start, col("end").unwrap_or(start)) }),
            );
        }
        // What it finds is checked by its finding it.
        "xlsx_replace_text" => {}
        _ => {
            found.push(text("cell").and_then(range));
            found.push(text("range").and_then(range));
            let cells = fields.get("cells").and_then(Value::as_array).into_iter().flatten();
            found.extend(cells.map(|cell| cell.get("cell").and_then(Value::as_str).and_then(range)));
        }
    }
    found.into_iter().flatten().collect()
}

fn sheet_of(node: &Node) -> String {
    node.more.get("sheet").and_then(Value::as_str).unwrap_or(&node.text).to_owned()
}

fn cells_in<'a>(nodes: &'a [Node], sheet: &str, region: Region) -> Vec<(&'a str, String)> {
    let is_inside = |node: &Node| {
        let cell = node.more.get("cell").and_then(Value::as_str).and_then(range);
        cell.is_some_and(|cell| {
            let within = |(first, last): (u32, u32), position: u32| first <= position && position <= last;
            within(region.rows, cell.rows.0) && within(region.cols, cell.cols.0)
        })
    };
    let on_sheet =
        nodes.iter().filter(|node| node.kind == "cell" && sheet_of(node).eq_ignore_ascii_case(sheet));
    on_sheet.filter(|node| is_inside(node)).map(|node| (node.at.as_str(), key(node))).collect()
}

/// `B4`, `B4:D9`, `B:D`, `3:5`, with or without `$`; a sheet name before `!` is not looked at.
fn range(text: &str) -> Option<Region> {
    let text = text.rsplit_once('!').map_or(text, |(_, cells)| cells).replace('$', "");
    let (from, to) = text.split_once(':').unwrap_or((&text, &text));
    let ((from_col, from_row), (to_col, to_row)) = (corner(from)?, corner(to)?);
    let span = |from: Option<u32>, to: Option<u32>| match (from, to) {
        (Some(from), Some(to)) => (from.min(to), from.max(to)),
        _ => ALL,
    };
    Some(Region { rows: span(from_row, to_row), cols: span(from_col, to_col) })
}

fn corner(text: &str) -> Option<(Option<u32>, Option<u32>)> {
    let digits = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let (letters, number) = text.split_at(digits);
    let col = if letters.is_empty() { None } else { Some(column(letters)?) };
    let row = if number.is_empty() { None } else { Some(number.parse().ok()?) };
    (col.is_some() || row.is_some()).then_some((col, row))
}

fn column(letters: &str) -> Option<u32> {
    let is_column =
        !letters.is_empty() && letters.len() <= 3 && letters.chars().all(|c| c.is_ascii_alphabetic());
    is_column.then(|| {
        letters.bytes().fold(0, |sum, letter| sum * 26 + u32::from(letter.to_ascii_uppercase() - b'A' + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn cell(address: &str, text: &str) -> Node {
        Node::new(format!("Data!{address}"), "cell", text).with("sheet", "Data").with("cell", address)
    }

    fn checked(op: Value, old: &[Node], new: &[Node]) -> bool {
        let sheet = Node::new("Data", "sheet", "Data").with("sheet", "Data");
        let with_sheet = |cells: &[Node]| [std::slice::from_ref(&sheet), cells].concat();
        let shifts = Shifts::between(old, new);
        check(op.as_object().unwrap(), &with_sheet(old), &with_sheet(new), &shifts).is_ok()
    }

    #[test]
    fn only_named_cells_matter() {
        let old = [cell("A1", "x"), cell("B4", "10"), cell("C9", "z")];
        let new = [cell("A1", "x"), cell("B4", "11"), cell("C9", "z")];
        assert!(!checked(json!({"op": "xlsx_set_cell", "cell": "$B$4", "value": 1}), &old, &new));
        assert!(checked(json!({"op": "xlsx_set_cell", "cell": "C9", "value": 1}), &old, &new));
        assert!(!checked(json!({"op": "xlsx_set_format", "range": "A1:B9", "bold": true}), &old, &new));
        assert!(!checked(json!({"op": "xlsx_delete_rows", "start": 2, "end": 4}), &old, &new));
        assert!(checked(json!({"op": "xlsx_insert_rows", "row": 9}), &old, &new));
        assert!(!checked(json!({"op": "xlsx_insert_cols", "col": "B"}), &old, &new));
        assert!(checked(json!({"op": "xlsx_append_rows", "rows": [[1]]}), &old, &new));
        assert!(!checked(
            json!({"op": "xlsx_set_cells", "cells": [{"cell": "A1", "value": 1}, {"cell": "B4", "value": 1}]}),
            &old,
            &new
        ));
    }

    #[test]
    fn what_moved_is_not_written_to() {
        let old = [cell("A1", "x"), cell("A2", "y"), cell("A3", "z")];
        let inserted = [cell("A1", "x"), cell("A2", "new"), cell("A3", "y"), cell("A4", "z")];
        let set = |cell: &str| json!({"op": "xlsx_set_cell", "cell": cell, "value": 1});
        assert!(checked(set("B1"), &old, &inserted), "above the new row nothing moved");
        assert!(!checked(set("B2"), &old, &inserted), "empty, but the row is another one");
        assert!(!checked(set("B3"), &old, &inserted));
        assert!(!checked(set("B9"), &old, &inserted), "behind the last row");
        let edited = [cell("A1", "x"), cell("A2", "other"), cell("A3", "z")];
        assert!(checked(set("B2"), &old, &edited), "a row that was edited is still that row");
        let appended = [cell("A1", "x"), cell("A2", "y"), cell("A3", "z"), cell("A4", "more")];
        assert!(checked(set("B2"), &old, &appended) && checked(set("B9"), &old, &appended));
        let formula = json!({"op": "xlsx_set_cell", "cell": "B1", "value": {"formula": "=COUNTA(A2:A3)"}});
        assert!(!checked(formula.clone(), &old, &inserted), "its range is another one");
        assert!(checked(formula, &old, &edited));
        let sideways = [cell("B1", "x"), cell("B2", "y"), cell("B3", "z")];
        assert!(!checked(set("C1"), &old, &sideways), "a column was inserted");
    }

    #[test]
    fn addresses() {
        assert_eq!(range("Data!B4"), Some(Region { rows: (4, 4), cols: (2, 2) }));
        assert_eq!(range("D9:B4"), Some(Region { rows: (4, 9), cols: (2, 4) }));
        assert_eq!(range("B:D"), Some(Region { rows: ALL, cols: (2, 4) }));
        assert_eq!(range("3:5"), Some(Region { rows: (3, 5), cols: ALL }));
        assert_eq!(range("name"), None);
        assert_eq!(column("XFD"), Some(16_384));
    }
}
