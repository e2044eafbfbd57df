//! The shape of a sheet: widths, heights, frozen panes, merges, and what floats above the cells.

use serde::{Deserialize, Serialize};

use super::{
    MAX_COLUMNS, MAX_ROWS,
    objects::Placed,
    rows::{RowIndex, column_of},
    styles::Styles,
    truth,
};
use crate::package::xml::{NodeId, Ns, Xml};

/// More merges or heights than this are not sent; the grid then draws them as single cells of the usual height.
const MOST: usize = 20_000;

/// Excel's own defaults where a sheet says nothing: 8.43 characters, 15 points.
const WIDTH: f32 = 8.43;
const HEIGHT: f32 = 15.0;

/// A stretch of rows or columns with one size; 1-based and inclusive. Size 0 is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Span {
    pub from: u32,
    pub to: u32,
    pub size: f32,
}

/// Everything about a sheet that is not in its cells.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// The last row and column that hold something.
    pub last_row: u32,
    pub last_column: u32,
    /// In characters of the default font.
    pub default_width: f32,
    /// In points.
    pub default_height: f32,
    pub widths: Vec<Span>,
    pub heights: Vec<Span>,
    pub frozen_rows: u32,
    pub frozen_columns: u32,
    pub gridlines: bool,
    pub right_to_left: bool,
    /// First row, first column, last row, last column.
    pub merges: Vec<[u32; 4]>,
    pub objects: Vec<Placed>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tab_color: Option<String>,
}

pub(super) fn read(frame: &Xml, rows: &RowIndex, objects: Vec<Placed>, styles: &Styles) -> Layout {
    let root = frame.root();
    let format = frame.child(root, Ns::S, "sheetFormatPr");
    let size = |name: &str| {
        format.and_then(|node| frame.value(node, Ns::None, name)).and_then(|value| value.parse::<f32>().ok())
    };
    let base = size("baseColWidth").map(|characters| characters + 0.43);
    let view = frame
        .child(root, Ns::S, "sheetViews")
        .and_then(|views| frame.children_named(views, Ns::S, "sheetView").last());
    let flag = |name: &str, otherwise: bool| {
        view.and_then(|node| frame.value(node, Ns::None, name)).map_or(otherwise, |value| truth(&value))
    };
    let default_height = size("defaultRowHeight").unwrap_or(HEIGHT);
    let (frozen_rows, frozen_columns) = view.map_or((0, 0), |view| frozen(frame, view));
    let merges: Vec<[u32; 4]> = frame
        .descendants_named(root, Ns::S, "mergeCell")
        .filter_map(|node| area(&frame.value(node, Ns::None, "ref")?))
        .take(MOST)
        .collect();
    let widths = widths(frame);
    let properties = frame.child(root, Ns::S, "sheetPr");
    let tab = properties.and_then(|node| frame.child(node, Ns::S, "tabColor"));
    let merged_edge = merges
        .iter()
        .map(|merge| (merge[2], merge[3]))
        .fold((0, 0), |(row, column), (r, c)| (row.max(r), column.max(c)));
    let dimension = frame
        .child(root, Ns::S, "dimension")
        .and_then(|node| area(&frame.value(node, Ns::None, "ref")?))
        .unwrap_or_default();
    let object_edge = objects
        .iter()
        .map(|placed| (placed.to_row, placed.to_column))
        .fold((0, 0), |(row, column), (r, c)| (row.max(r), column.max(c)));
    Layout {
        last_row: rows.last().max(merged_edge.0).max(object_edge.0).min(MAX_ROWS),
        last_column: dimension[3]
            .max(rows.last_column())
            .max(merged_edge.1)
            .max(object_edge.1)
            .min(MAX_COLUMNS),
        default_width: size("defaultColWidth").or(base).unwrap_or(WIDTH),
        default_height,
        widths,
        heights: heights(rows, default_height),
        frozen_rows,
        frozen_columns,
        gridlines: flag("showGridLines", true),
        right_to_left: flag("rightToLeft", false),
        merges,
        objects,
        tab_color: tab.and_then(|color| styles.color(frame, color)),
    }
}

fn frozen(frame: &Xml, view: NodeId) -> (u32, u32) {
    let Some(pane) = frame.child(view, Ns::S, "pane") else { return (0, 0) };
    let state = frame.value(pane, Ns::None, "state");
    // A split pane without freezing only scrolls apart; its numbers are twentieths of a point.
    if !matches!(state.as_deref(), Some("frozen" | "frozenSplit")) {
        return (0, 0);
    }
    let count = |name: &str| {
        frame.value(pane, Ns::None, name).and_then(|value| value.parse::<f32>().ok()).unwrap_or(0.0) as u32
    };
    (count("ySplit").min(MAX_ROWS), count("xSplit").min(MAX_COLUMNS))
}

fn widths(frame: &Xml) -> Vec<Span> {
    let columns = frame.child(frame.root(), Ns::S, "cols");
    let elements = columns.into_iter().flat_map(|list| frame.children_named(list, Ns::S, "col"));
    let read = |node| {
        let value = |name: &str| frame.value(node, Ns::None, name);
        let number = |name: &str| value(name).and_then(|text| text.parse::<f32>().ok());
        let (from, to) = (number("min")? as u32, number("max")? as u32);
        let hidden = value("hidden").is_some_and(|on| truth(&on));
        let size = if hidden { 0.0 } else { number("width")? };
        (from >= 1 && from <= to).then_some(Span { from, to: to.min(MAX_COLUMNS), size })
    };
    elements.filter_map(read).collect()
}

/// Rows that differ from the default, equal neighbours joined.
fn heights(rows: &RowIndex, default_height: f32) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for row in &rows.rows {
        let size = if row.hidden { 0.0 } else { row.height.unwrap_or(default_height) };
        if size == default_height {
            continue;
        }
        let is_full = spans.len() == MOST;
        match spans.last_mut() {
            Some(last) if last.to + 1 == row.number && last.size == size => last.to = row.number,
            _ if is_full => break,
            _ => spans.push(Span { from: row.number, to: row.number, size }),
        }
    }
    spans
}

/// First row, first column, last row, last column of `B2:D9` or `B2`.
pub(super) fn area(reference: &str) -> Option<[u32; 4]> {
    let plain = reference.replace('$', "");
    let (from, to) = plain.split_once(':').unwrap_or((&plain, &plain));
    let row = |cell: &str| {
        cell.trim_start_matches(|c: char| c.is_ascii_alphabetic())
            .parse::<u32>()
            .ok()
            .filter(|row| (1..=MAX_ROWS).contains(row))
    };
    Some([row(from)?, column_of(from)?, row(to)?, column_of(to)?])
}
