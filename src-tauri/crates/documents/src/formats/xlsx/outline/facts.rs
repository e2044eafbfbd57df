//! What an outline says of a sheet as a whole: the area in use, headers and types, what its frame, tables and charts say.

use crate::{
    DocumentError, Node,
    formats::xlsx::{
        address::{Area, Axis, column_letters, quote_sheet},
        cells::{Tables, Value},
        guards::is_protected,
        sheet::Sheet,
        workbook::{SheetEntry, Workbook},
    },
    package::xml::Ns,
};

/// The area that holds content. For large sheets `dimension` is believed for the columns, as reading every cell costs too much.
pub(super) fn used_area(sheet: &Sheet) -> Result<Option<Area>, DocumentError> {
    const SMALL: usize = 4 << 20;
    let rows = sheet.grid.rows();
    if sheet.grid.bytes().len() > SMALL
        && let (Some(first), Some(last), Some(dimension)) = (rows.first(), rows.last(), sheet.dimension())
    {
        return Ok(Some(dimension.with(Axis::Rows, first.number, last.number)));
    }
    let mut used: Option<Area> = None;
    for row in rows {
        for cell in sheet.grid.cells(row) {
            let cell = cell?;
            if cell.value.is_some() || cell.inline.is_some() || cell.formula.is_some() {
                let area = Area::cell(cell.at);
                used = Some(used.map_or(area, |used| used.hull(&area)));
            }
        }
    }
    Ok(used)
}

/// Header row and column types by the first rows.
pub(super) fn describe(
    node: Node,
    sheet: &Sheet,
    tables: &Tables<'_>,
    area: Area,
) -> Result<Node, DocumentError> {
    const SAMPLE: usize = 20;
    const COLUMNS: u32 = 64;
    let numbers = sheet.grid.row_numbers_within(area.first.row, area.last.row);
    let mut headers: Vec<String> = Vec::new();
    let mut types: Vec<Option<&'static str>> = Vec::new();
    let last_col = area.last.col.min(area.first.col + COLUMNS - 1);
    for number in numbers.into_iter().take(SAMPLE) {
        let mut texts = vec![String::new(); (last_col - area.first.col + 1) as usize];
        let mut kinds: Vec<Option<&'static str>> = vec![None; texts.len()];
        for cell in sheet.grid.row_cells(number)? {
            if cell.span.at.col < area.first.col || cell.span.at.col > last_col {
                continue;
            }
            let at = (cell.span.at.col - area.first.col) as usize;
            let value = tables.value(&cell);
            texts[at] = tables.show(&value, cell.span.style);
            kinds[at] = kind_of(&value, tables.styles.is_date(cell.span.style));
        }
        if headers.is_empty() {
            if kinds.iter().any(Option::is_some) {
                headers = texts;
                types = vec![None; kinds.len()];
            }
        } else {
            for (known, kind) in types.iter_mut().zip(kinds) {
                *known = match (*known, kind) {
                    (None, kind) => kind,
                    (Some(a), Some(b)) if a != b => Some("mixed"),
                    (known, _) => known,
                };
            }
        }
    }
    let columns: Vec<serde_json::Value> = headers
        .iter()
        .zip(&types)
        .zip(area.first.col..)
        .map(|((header, kind), col)| {
            serde_json::json!({ "col": column_letters(col), "first": shorten(header), "type": kind.unwrap_or("empty") })
        })
        .collect();
    Ok(node.with("columns", columns))
}

fn kind_of(value: &Value, is_date: bool) -> Option<&'static str> {
    match value {
        Value::Empty => None,
        Value::Number(_) if is_date => Some("date"),
        Value::Number(_) => Some("number"),
        Value::Text(_) => Some("text"),
        Value::Boolean(_) => Some("boolean"),
        Value::Error(_) => Some("error"),
    }
}

fn shorten(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What the frame of a sheet says that a reader must know: merged areas, protection, filter, frozen panes.
pub(super) fn frame_facts(mut node: Node, sheet: &Sheet) -> Node {
    const MOST: usize = 50;
    let merges = sheet.merges();
    if !merges.is_empty() {
        let listed: Vec<String> = merges.iter().take(MOST).map(|merge| merge.to_string()).collect();
        node = node.with("merged", listed);
        if merges.len() > MOST {
            node = node.with("merged_count", merges.len());
        }
    }
    if is_protected(sheet) {
        node = node.with("protected", true);
    }
    let frame = &sheet.frame;
    if let Some(filter) = frame.child(frame.root(), Ns::S, "autoFilter")
        && let Some(area) = frame.value(filter, Ns::None, "ref")
    {
        node = node.with("filter", area.as_ref());
    }
    let hidden_columns: Vec<String> = frame
        .child(frame.root(), Ns::S, "cols")
        .into_iter()
        .flat_map(|cols| frame.children_named(cols, Ns::S, "col"))
        .filter(|col| frame.value(*col, Ns::None, "hidden").is_some_and(|hidden| hidden == "1"))
        .filter_map(|col| {
            let number = |name| frame.value(col, Ns::None, name)?.parse().ok();
            Some(format!("{}:{}", column_letters(number("min")?), column_letters(number("max")?)))
        })
        .collect();
    if !hidden_columns.is_empty() {
        node = node.with("hidden_columns", hidden_columns);
    }
    let hidden_rows = hidden_rows(sheet);
    if !hidden_rows.is_empty() {
        node = node.with("hidden_rows", hidden_rows);
    }
    node
}

/// Hidden rows as runs, at most fifty.
fn hidden_rows(sheet: &Sheet) -> Vec<String> {
    let bytes = sheet.grid.bytes();
    if memchr::memmem::find(bytes, b"hidden").is_none() {
        return Vec::new();
    }
    let hidden = sheet.grid.rows().iter().filter(|row| {
        let flag = crate::formats::xlsx::grid::lex::attribute(bytes, row.tag(), b"hidden");
        flag.is_some_and(|flag| matches!(&bytes[flag.value], b"1" | b"true"))
    });
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for row in hidden {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == row.number => *last = row.number,
            _ => runs.push((row.number, row.number)),
        }
    }
    runs.iter().take(50).map(|(first, last)| format!("{first}:{last}")).collect()
}

pub(super) fn table_node(
    book: &Workbook<'_>,
    entry: &SheetEntry,
    part: &crate::package::PartName,
) -> Result<Option<Node>, DocumentError> {
    if !book.package.has(part) {
        return Ok(None);
    }
    let xml = book.package.xml(part)?;
    let root = xml.root();
    let value = |name| xml.value(root, Ns::None, name).map(|value| value.into_owned());
    let name = value("displayName").or_else(|| value("name")).unwrap_or_default();
    let area = value("ref").unwrap_or_default();
    let columns: Vec<String> = xml
        .child(root, Ns::S, "tableColumns")
        .into_iter()
        .flat_map(|list| xml.children_named(list, Ns::S, "tableColumn"))
        .filter_map(|column| xml.value(column, Ns::None, "name").map(|name| name.into_owned()))
        .collect();
    let text = format!("{name}: {}", columns.join(", "));
    Ok(Some(
        Node::new(format!("{}!{area}", quote_sheet(&entry.name)), "table", text)
            .with("sheet", entry.name.as_str())
            .with("name", name)
            .with("range", area)
            .with("columns", columns),
    ))
}

pub(super) fn chart_node(
    book: &Workbook<'_>,
    entry: &SheetEntry,
    part: &crate::package::PartName,
    number: usize,
) -> Result<Option<Node>, DocumentError> {
    if !book.package.has(part) {
        return Ok(None);
    }
    let xml = book.package.xml(part)?;
    let title = xml.descendants(xml.root()).find(|node| xml.is(*node, Ns::C, "title"));
    let text: String = title
        .into_iter()
        .flat_map(|title| xml.descendants(title))
        .filter(|node| xml.is(*node, Ns::A, "t") || xml.is(*node, Ns::C, "v"))
        .map(|node| xml.text(node).into_owned())
        .collect();
    let mut sources: Vec<String> = xml
        .descendants_named(xml.root(), Ns::C, "f")
        .chain(xml.descendants_named(xml.root(), Ns::Cx, "f"))
        .map(|node| xml.text(node).into_owned())
        .collect();
    sources.dedup();
    Ok(Some(
        Node::new(format!("{}!chart{number}", quote_sheet(&entry.name)), "chart", text)
            .with("sheet", entry.name.as_str())
            .with("sources", sources),
    ))
}
