//! The outline of a workbook: what a model needs to know of it within a budget, and windows by range.
//!
//! Sheets come first with their size, headers and column types, then names, tables and charts, then cells. What is left out is said.

use super::{
    address::{Area, CellRef, LAST_ROW, column_letters, quote_sheet, split_sheet},
    cells::{Tables, Value},
    guards::is_protected,
    sheet::Sheet,
    strings::Strings,
    styles::Styles,
    workbook::{SheetEntry, SheetKey, SheetKind, Visibility, Workbook},
};
use crate::{Cancel, DocumentError, Limits, Node, Outline, OutlineRequest, Warning, package::xml::Ns};

/// Describes a workbook.
pub fn outline(
    bytes: &[u8],
    request: &OutlineRequest,
    limits: &Limits,
    cancel: Cancel<'_>,
) -> Result<Outline, DocumentError> {
    let mut book = Workbook::open(bytes, limits)?;
    book.load_tables()?;
    let mut writer = Writer { outline: Outline::default(), left: request.budget, cancel };
    writer.outline.warnings = book.package.notices()?;
    match &request.range {
        Some(range) => writer.window(&mut book, range)?,
        None => writer.overview(&mut book)?,
    }
    Ok(writer.outline)
}

struct Writer<'c> {
    outline: Outline,
    /// Bytes of the budget that are left.
    left: usize,
    cancel: Cancel<'c>,
}

/// How a window ended.
enum Ended {
    Complete,
    /// The first row that was left out.
    Before(u32),
}

impl Writer<'_> {
    fn overview(&mut self, book: &mut Workbook<'_>) -> Result<(), DocumentError> {
        let keys: Vec<SheetKey> = book.sheets.iter().map(|entry| entry.key).collect();
        let mut used = Vec::new();
        for key in &keys {
            self.stop_if_cancelled()?;
            used.push(self.sheet_node(book, *key)?);
        }
        self.name_nodes(book);
        for key in &keys {
            self.part_nodes(book, *key)?;
        }
        let shown = keys.iter().zip(used).filter_map(|(key, area)| Some((*key, area?)));
        let shown: Vec<(SheetKey, Area)> = shown.collect();
        for (position, (key, area)) in shown.iter().enumerate() {
            let share = self.left / (shown.len() - position);
            let ended = self.cells(book, *key, *area, share)?;
            self.say_left_out(book, *key, *area, &ended);
        }
        Ok(())
    }

    fn window(&mut self, book: &mut Workbook<'_>, range: &str) -> Result<(), DocumentError> {
        let (sheet, rest) = split_sheet(range);
        let (key, area) = match (&sheet, Area::parse(rest)) {
            (sheet, Some(area)) => (find(book, sheet.as_deref())?, area),
            (None, None) => (find(book, Some(rest))?, Area::everything()),
            (Some(_), None) => {
                return Err(DocumentError::OutOfRange(format!("“{range}” is no range of this workbook.")));
            }
        };
        if !has_cells(book, key) {
            return self.sheet_node(book, key).map(drop);
        }
        load(book, key)?;
        let budget = self.left;
        let ended = self.cells(book, key, area, budget)?;
        self.say_left_out(book, key, area, &ended);
        Ok(())
    }

    fn stop_if_cancelled(&self) -> Result<(), DocumentError> {
        if (self.cancel)() { Err(DocumentError::Cancelled) } else { Ok(()) }
    }

    /// Adds a node whatever the budget says; the frame of a workbook is small and always told.
    fn push(&mut self, node: Node) {
        self.left = self.left.saturating_sub(size(&node));
        self.outline.nodes.push(node);
    }

    /// The node of a sheet, and the area it uses when it has cells.
    fn sheet_node(&mut self, book: &mut Workbook<'_>, key: SheetKey) -> Result<Option<Area>, DocumentError> {
        let with_cells = has_cells(book, key);
        if with_cells {
            load(book, key)?;
        }
        let Some(entry) = book.sheets.iter().find(|entry| entry.key == key) else { return Ok(None) };
        let mut node = Node::new(quote_sheet(&entry.name), "sheet", "").with("sheet", entry.name.as_str());
        match entry.visibility {
            Visibility::Visible => {}
            Visibility::Hidden => node = node.with("state", "hidden"),
            Visibility::VeryHidden => node = node.with("state", "veryHidden"),
        }
        if !with_cells {
            node.text = format!("{} (a chart sheet)", entry.name);
            self.push(node);
            return Ok(None);
        }
        let (Ok(sheet), Some(tables)) = (book.sheet(key), tables(book)) else { return Ok(None) };
        let area = used_area(sheet)?;
        node.text = match area {
            Some(area) => format!("{}: {area}", entry.name),
            None => format!("{}: empty", entry.name),
        };
        if let Some(area) = area {
            node = node.with("range", area.to_string());
            node = describe(node, sheet, &tables, area)?;
        }
        self.push(frame_facts(node, sheet));
        Ok(area)
    }

    fn name_nodes(&mut self, book: &Workbook<'_>) {
        let xml = &book.xml;
        let Some(list) = xml.child(xml.root(), Ns::S, "definedNames") else { return };
        let names: Vec<Node> = xml
            .children_named(list, Ns::S, "definedName")
            .filter_map(|element| {
                let name = xml.value(element, Ns::None, "name")?;
                let mut node = Node::new(name, "name", format!("={}", xml.text(element)));
                let local = xml.value(element, Ns::None, "localSheetId");
                let scope = local.and_then(|id| book.sheets.get(id.parse::<usize>().ok()?));
                if let Some(scope) = scope {
                    node = node.with("sheet", scope.name.as_str());
                }
                if xml.value(element, Ns::None, "hidden").is_some_and(|hidden| hidden == "1") {
                    node = node.with("hidden", true);
                }
                Some(node)
            })
            .collect();
        for (position, node) in names.iter().enumerate() {
            if self.left < size(node) {
                let message = format!("{} defined names were left out.", names.len() - position);
                self.outline.warnings.push(Warning::new("outline_shortened", message));
                break;
            }
            self.push(node.clone());
        }
    }

    /// Tables and charts of a sheet, by its relationships.
    fn part_nodes(&mut self, book: &Workbook<'_>, key: SheetKey) -> Result<(), DocumentError> {
        let Some(entry) = book.sheets.iter().find(|entry| entry.key == key) else { return Ok(()) };
        let relationships = book.package.relationships(&entry.part)?;
        for part in relationships.of_kind("table").filter_map(|relationship| relationship.part()) {
            if let Some(node) = table_node(book, entry, &part)? {
                self.push(node);
            }
        }
        for drawing in relationships.of_kind("drawing").filter_map(|relationship| relationship.part()) {
            if !book.package.has(&drawing) {
                continue;
            }
            let drawn = book.package.relationships(&drawing)?;
            let charts = drawn.items.iter().filter(|item| matches!(item.kind.as_str(), "chart" | "chartEx"));
            for (number, part) in charts.filter_map(|item| item.part()).enumerate() {
                if let Some(node) = chart_node(book, entry, &part, number + 1)? {
                    self.push(node);
                }
            }
        }
        Ok(())
    }

    /// The cells of an area, row by row, until the share of the budget is spent.
    fn cells(
        &mut self,
        book: &Workbook<'_>,
        key: SheetKey,
        area: Area,
        share: usize,
    ) -> Result<Ended, DocumentError> {
        let (Ok(sheet), Some(tables)) = (book.sheet(key), tables(book)) else { return Ok(Ended::Complete) };
        let Some(entry) = book.sheets.iter().find(|entry| entry.key == key) else {
            return Ok(Ended::Complete);
        };
        let groups = super::structure::shared::groups(&sheet.grid)?;
        let quoted = quote_sheet(&entry.name);
        let floor = self.left - share.min(self.left);
        let mut wrote = false;
        for number in sheet.grid.row_numbers_within(area.first.row, area.last.row) {
            self.stop_if_cancelled()?;
            let mut nodes = Vec::new();
            for cell in sheet.grid.row_cells(number)? {
                if !area.contains(cell.span.at) {
                    continue;
                }
                let value = tables.value(&cell);
                let formula = cell.formula_text();
                if value == Value::Empty && formula.is_none() {
                    continue;
                }
                let style = cell.span.style;
                let mut node =
                    Node::new(format!("{quoted}!{}", cell.span.at), "cell", tables.show(&value, style))
                        .with("sheet", entry.name.as_str())
                        .with("cell", cell.span.at.to_string())
                        .with("value", tables.json(&value, style));
                if let Some(formula) = formula {
                    // Members of a shared group hold no text of their own.
                    let group =
                        groups.iter().find(|g| formula.is_empty() && g.members.contains(&cell.span.at));
                    let text = group.map(|group| group.text_at(cell.span.at));
                    node = node.with("formula", format!("={}", text.as_deref().unwrap_or(&formula)));
                }
                let code = tables.styles.code(style);
                if !code.eq_ignore_ascii_case("general") {
                    node = node.with("style", code);
                }
                nodes.push(node);
            }
            let cost: usize = nodes.iter().map(size).sum();
            if wrote && self.left.saturating_sub(cost) < floor {
                return Ok(Ended::Before(number));
            }
            wrote |= !nodes.is_empty();
            nodes.into_iter().for_each(|node| self.push(node));
        }
        Ok(Ended::Complete)
    }

    fn say_left_out(&mut self, book: &Workbook<'_>, key: SheetKey, area: Area, ended: &Ended) {
        let Ended::Before(row) = ended else { return };
        let Some(entry) = book.sheets.iter().find(|entry| entry.key == key) else { return };
        let last = area.last.row.min(LAST_ROW);
        let rest = Area::between(CellRef::new(*row, area.first.col), CellRef::new(last, area.last.col));
        let range = format!("{}!{}:{}", quote_sheet(&entry.name), rest.first, rest.last);
        let message = format!("The rows from {row} on were left out; ask for the range {range}.");
        self.outline.warnings.push(Warning::at("outline_shortened", quote_sheet(&entry.name), message));
        self.outline.truncated = true;
        self.outline.next.get_or_insert(range);
    }
}

fn find(book: &Workbook<'_>, sheet: Option<&str>) -> Result<SheetKey, DocumentError> {
    book.find(sheet).map_err(DocumentError::from)
}

fn has_cells(book: &Workbook<'_>, key: SheetKey) -> bool {
    book.sheets.iter().any(|entry| entry.key == key && entry.kind != SheetKind::Chartsheet)
}

fn load(book: &mut Workbook<'_>, key: SheetKey) -> Result<(), DocumentError> {
    book.load(key).map_err(DocumentError::from)
}

fn tables<'t>(book: &'t Workbook<'_>) -> Option<Tables<'t>> {
    let (strings, styles): (&Strings, &Styles) = (book.strings()?, book.styles()?);
    Some(Tables { strings, styles, dates: book.dates })
}

/// About how many bytes a node takes in JSON.
fn size(node: &Node) -> usize {
    let more: usize = node.more.iter().map(|(key, value)| key.len() + json_size(value) + 6).sum();
    node.at.len() + node.kind.len() + node.text.len() + more + 40
}

fn json_size(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::String(text) => text.len() + 2,
        serde_json::Value::Array(items) => items.iter().map(|item| json_size(item) + 1).sum::<usize>() + 2,
        serde_json::Value::Object(fields) => {
            fields.iter().map(|(key, value)| key.len() + json_size(value) + 4).sum::<usize>() + 2
        }
        other => other.to_string().len(),
    }
}

/// The area that holds content. For large sheets `dimension` is believed for the columns, as reading every cell costs too much.
fn used_area(sheet: &Sheet) -> Result<Option<Area>, DocumentError> {
    const SMALL: usize = 4 << 20;
    let rows = sheet.grid.rows();
    if sheet.grid.bytes().len() > SMALL
        && let (Some(first), Some(last), Some(dimension)) = (rows.first(), rows.last(), sheet.dimension())
    {
        return Ok(Some(dimension.with(super::address::Axis::Rows, first.number, last.number)));
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
fn describe(node: Node, sheet: &Sheet, tables: &Tables<'_>, area: Area) -> Result<Node, DocumentError> {
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
fn frame_facts(mut node: Node, sheet: &Sheet) -> Node {
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
        let flag = super::grid::lex::attribute(bytes, row.tag(), b"hidden");
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

fn table_node(
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

fn chart_node(
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
