//! A workbook for a virtual grid: what sheets there are, and any window of cells with the styles that it uses.
//!
//! A `Book` keeps the inflated sheet and an index of where each row begins, so that a window in the middle of a million rows costs
//! its own cells only. Formulas are shown with the values that the file holds; nothing is calculated here.

mod colors;
mod conditional;
mod layout;
mod objects;
mod rows;
mod strings;
mod styles;

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use crate::{
    Cancel, DocumentError, Limits, Warning,
    package::{
        Package, PartName,
        xml::{Ns, Xml},
    },
};
pub use conditional::Look;
pub use layout::{Layout, Span};
pub use objects::Placed;
pub use strings::TextRun;
pub use styles::{BorderLine, CellStyle};

/// The largest sheet that Excel knows (ECMA-376 part 1, 18.3.1.73 and the application's own limit).
pub const MAX_ROWS: u32 = 1_048_576;
pub const MAX_COLUMNS: u32 = 16_384;

/// More cells than any screen shows; a larger window is cut, and the answer says what it holds.
const WINDOW_CELLS: u64 = 60_000;

/// One opened workbook, ready to be asked for windows.
pub struct Book {
    sheets: Vec<SheetEntry>,
    strings: strings::Strings,
    styles: styles::Styles,
    date_1904: bool,
    /// Defined names by the tab that owns them and their lower-case name.
    names: HashMap<(Option<usize>, String), String>,
    notices: Vec<Warning>,
}

struct SheetEntry {
    info: SheetInfo,
    content: Option<SheetContent>,
}

struct SheetContent {
    rows: rows::RowIndex,
    layout: Layout,
    rules: conditional::Rules,
}

/// One tab.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SheetInfo {
    pub name: String,
    /// `visible`, `hidden` or `veryHidden`.
    pub state: String,
    /// `worksheet`, `chartsheet` or `dialogsheet`; only worksheets have cells.
    pub kind: String,
    /// `#rrggbb` of the tab.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tab_color: Option<String>,
}

/// Which cells are asked for; 1-based and inclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowRequest {
    /// 0-based; `None` is the first visible worksheet.
    pub sheet: Option<usize>,
    pub rows: [u32; 2],
    pub columns: [u32; 2],
    /// Whether the layout of the whole sheet is wanted too.
    pub with_layout: bool,
}

/// A window of cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SheetWindow {
    pub sheets: Vec<SheetInfo>,
    pub sheet: usize,
    pub rows: [u32; 2],
    pub columns: [u32; 2],
    pub cells: Vec<Cell>,
    /// The styles that the cells name, by index.
    pub styles: BTreeMap<u32, CellStyle>,
    /// Dates count from 1904 instead of 1900.
    pub date_1904: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub layout: Option<Layout>,
    /// What of the workbook cannot be shown, and why.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notices: Vec<Warning>,
}

/// One cell that holds something or is formatted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub row: u32,
    pub column: u32,
    pub value: CellShown,
    /// With `=`; for a cell of a shared formula without its own text just `=`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub formula: Option<String>,
    /// An index into `SheetWindow::styles`.
    pub style: u32,
    /// The pieces of a text that is not all of one look.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub runs: Option<Vec<TextRun>>,
    /// What conditional formats make of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub look: Option<Look>,
}

/// The value that the file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "is")]
pub enum CellShown {
    Empty,
    Text(String),
    Number(f64),
    Truth(bool),
    /// `#REF!` and its kin.
    Error(String),
    /// An ISO 8601 date or time, as Strict workbooks write it.
    Date(String),
}

impl Book {
    /// Opens a workbook: sheets are indexed, cells are not read yet.
    pub fn open(bytes: &[u8], limits: &Limits, cancel: Cancel<'_>) -> Result<Book, DocumentError> {
        let package = Package::open(bytes, limits)?;
        let main = package.main_part()?;
        let workbook = package.xml(&main)?;
        let relationships = package.relationships(&main)?;
        let palette = colors::Palette::read(&package, &relationships)?;
        let styles = styles::Styles::read(&package, &relationships, palette)?;
        let mut notices = Vec::new();
        let strings =
            strings::Strings::read(&package, &relationships, styles.palette()).unwrap_or_else(|error| {
                let message = format!("Texts of cells cannot be shown: {error}");
                notices.push(Warning::new("preview_incomplete", message));
                strings::Strings::unreadable()
            });

        let root = workbook.root();
        let properties = workbook.child(root, Ns::S, "workbookPr");
        let date_1904 = properties
            .and_then(|node| workbook.value(node, Ns::None, "date1904"))
            .is_some_and(|on| truth(&on));
        let mut sheets = Vec::new();
        let list = workbook.child(root, Ns::S, "sheets");
        for element in list.into_iter().flat_map(|list| workbook.children_named(list, Ns::S, "sheet")) {
            if cancel() {
                return Err(DocumentError::Cancelled);
            }
            let text = |name: &str| workbook.value(element, Ns::None, name).map(|value| value.into_owned());
            let id = workbook.value(element, Ns::R, "id").unwrap_or_default().into_owned();
            let target = relationships.by_id(&id);
            let kind = target.map_or("worksheet", |target| target.kind.as_str()).to_owned();
            let part = target.and_then(|target| target.part()).filter(|part| package.has(part));
            let content = match part {
                Some(part) if kind == "worksheet" => Some(open_sheet(&package, &part, &styles)?),
                _ => None,
            };
            let tab_color = content.as_ref().and_then(|content| content.layout.tab_color.clone());
            let state = text("state").unwrap_or_else(|| "visible".into());
            sheets.push(SheetEntry {
                info: SheetInfo { name: text("name").unwrap_or_default(), state, kind, tab_color },
                content,
            });
        }
        Ok(Book { sheets, strings, styles, date_1904, names: defined_names(&workbook), notices })
    }

    /// The tabs in order.
    pub fn sheets(&self) -> Vec<SheetInfo> {
        self.sheets.iter().map(|entry| entry.info.clone()).collect()
    }

    /// The cells of a window.
    pub fn window(&self, request: &WindowRequest) -> Result<SheetWindow, DocumentError> {
        let sheet = request.sheet.or_else(|| self.first_visible()).unwrap_or(0);
        let entry = self
            .sheets
            .get(sheet)
            .ok_or_else(|| DocumentError::OutOfRange(format!("There is no sheet {}.", sheet + 1)))?;
        let columns = [request.columns[0].max(1), request.columns[1].min(MAX_COLUMNS)];
        let mut rows = [request.rows[0].max(1), request.rows[1].min(MAX_ROWS)];
        let width = u64::from(columns[1].saturating_sub(columns[0])) + 1;
        let most = u32::try_from((WINDOW_CELLS / width).max(1)).unwrap_or(MAX_ROWS);
        rows[1] = rows[1].min(rows[0].saturating_add(most));
        let cells = match &entry.content {
            Some(content) => {
                let mut cells = content.rows.cells(rows, columns, &self.strings)?;
                let facts = conditional::Facts::new(self, sheet);
                content.rules.dress(&mut cells, rows, columns, &facts);
                cells
            }
            None => Vec::new(),
        };
        let mut styles = BTreeMap::new();
        for cell in &cells {
            styles.entry(cell.style).or_insert_with(|| self.styles.cell(cell.style));
        }
        let layout =
            entry.content.as_ref().filter(|_| request.with_layout).map(|content| content.layout.clone());
        Ok(SheetWindow {
            sheets: self.sheets(),
            sheet,
            rows,
            columns,
            cells,
            styles,
            date_1904: self.date_1904,
            layout,
            notices: self.notices.clone(),
        })
    }

    fn first_visible(&self) -> Option<usize> {
        self.sheets.iter().position(|entry| entry.info.state == "visible" && entry.content.is_some())
    }
}

impl Cell {
    fn blank(row: u32, column: u32) -> Cell {
        Cell { row, column, value: CellShown::Empty, formula: None, style: 0, runs: None, look: None }
    }

    fn shows_something(&self) -> bool {
        self.value != CellShown::Empty || self.formula.is_some() || self.style != 0
    }
}

/// The defined names of a workbook (18.2.5).
fn defined_names(workbook: &Xml) -> HashMap<(Option<usize>, String), String> {
    let list = workbook.child(workbook.root(), Ns::S, "definedNames");
    let elements = list.into_iter().flat_map(|list| workbook.children_named(list, Ns::S, "definedName"));
    let read = |element| {
        let value = |name| workbook.value(element, Ns::None, name);
        let scope = value("localSheetId").and_then(|id| id.parse::<usize>().ok());
        Some(((scope, value("name")?.to_lowercase()), workbook.text(element).into_owned()))
    };
    elements.filter_map(read).collect()
}

fn open_sheet(
    package: &Package<'_>,
    part: &PartName,
    styles: &styles::Styles,
) -> Result<SheetContent, DocumentError> {
    let bytes: Arc<Vec<u8>> = package.require(part)?;
    let rows = rows::RowIndex::of(bytes, package.limits()).map_err(|error| error.in_part(part))?;
    let frame = rows.frame(package.limits()).map_err(|error| error.in_part(part))?;
    let objects = objects::of_sheet(package, part)?;
    let layout = layout::read(&frame, &rows, objects, styles);
    let rules = conditional::Rules::read(&frame, styles);
    Ok(SheetContent { rows, layout, rules })
}

/// An `xsd:boolean` as Office writes it.
fn truth(text: &str) -> bool {
    matches!(text, "1" | "true" | "on")
}

#[cfg(test)]
mod tests;
