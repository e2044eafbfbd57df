//! The outline of a workbook: what a model needs to know of it within a budget, and windows by range.
//!
//! Sheets come first with their size, headers and column types, then names, tables and charts, then cells. What is left out is said.

mod facts;
mod search;

use super::{
    address::{Area, CellRef, LAST_ROW, quote_sheet, split_sheet},
    cells::{Tables, Value},
    grid::CellView,
    sheet::Sheet,
    strings::Strings,
    structure::shared::Membership,
    styles::Styles,
    workbook::{SheetKey, SheetKind, Visibility, Workbook},
};
use crate::{Cancel, DocumentError, Limits, Node, Outline, OutlineRequest, Warning, package::xml::Ns};
use facts::{chart_node, describe, frame_facts, table_node, used_area};

/// Describes a workbook.
pub fn outline(
    bytes: &[u8],
    request: &OutlineRequest,
    limits: &Limits,
    cancel: Cancel<'_>,
) -> Result<Outline, DocumentError> {
    let mut book = Workbook::open(bytes, limits)?;
    book.load_tables()?;
    let mut writer =
        Writer { outline: Outline::default(), left: request.budget, whole: request.budget, cancel };
    writer.outline.warnings = book.package.notices()?;
    match &request.range {
        Some(range) if search::query(range).is_some() => search::search(&mut writer, &mut book, range)?,
        Some(range) => writer.window(&mut book, range)?,
        None => writer.overview(&mut book)?,
    }
    Ok(writer.outline)
}

struct Writer<'c> {
    outline: Outline,
    /// Bytes of the budget that are left.
    left: usize,
    whole: usize,
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
        let Some(cells) = CellNodes::new(book, key)? else { return Ok(Ended::Complete) };
        let floor = self.left - share.min(self.left);
        let mut wrote = false;
        for number in cells.sheet.grid.row_numbers_within(area.first.row, area.last.row) {
            self.stop_if_cancelled()?;
            let mut nodes = Vec::new();
            for cell in cells.sheet.grid.row_cells(number)? {
                if area.contains(cell.span.at) {
                    nodes.extend(cells.node(&cell));
                }
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

/// Makes the nodes of one sheet's cells.
pub(super) struct CellNodes<'b> {
    pub(super) sheet: &'b Sheet,
    tables: Tables<'b>,
    name: &'b str,
    quoted: String,
    groups: Membership,
}

impl<'b> CellNodes<'b> {
    /// `None` for a sheet without cells.
    pub(super) fn new(book: &'b Workbook<'_>, key: SheetKey) -> Result<Option<CellNodes<'b>>, DocumentError> {
        let (Ok(sheet), Some(tables)) = (book.sheet(key), tables(book)) else { return Ok(None) };
        let Some(entry) = book.sheets.iter().find(|entry| entry.key == key) else { return Ok(None) };
        let (name, quoted) = (entry.name.as_str(), quote_sheet(&entry.name));
        Ok(Some(CellNodes { sheet, tables, name, quoted, groups: Membership::read(&sheet.grid)? }))
    }

    /// A cell's value as it is shown, and its formula.
    pub(super) fn texts(&self, cell: &CellView<'_>) -> (String, Option<String>) {
        let shown = self.tables.show(&self.tables.value(cell), cell.span.style);
        let formula = cell.formula_text().map(|formula| {
            // Members of a shared group hold no text of their own.
            let group = self.groups.of(cell.span.at).filter(|_| formula.is_empty());
            let text = group.map(|group| group.text_at(cell.span.at));
            format!("={}", text.as_deref().unwrap_or(&formula))
        });
        (shown, formula)
    }

    /// The node of a cell that holds anything.
    pub(super) fn node(&self, cell: &CellView<'_>) -> Option<Node> {
        let value = self.tables.value(cell);
        if value == Value::Empty && cell.span.formula.is_none() {
            return None;
        }
        let (style, at) = (cell.span.style, cell.span.at);
        let (shown, formula) = self.texts(cell);
        let mut node = Node::new(format!("{}!{at}", self.quoted), "cell", shown)
            .with("sheet", self.name)
            .with("cell", at.to_string())
            .with("value", self.tables.json(&value, style));
        if let Some(formula) = formula {
            node = node.with("formula", formula);
        }
        let code = self.tables.styles.code(style);
        if !code.eq_ignore_ascii_case("general") {
            node = node.with("style", code);
        }
        Some(node)
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
