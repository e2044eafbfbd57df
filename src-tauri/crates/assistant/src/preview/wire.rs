//! Parameters and answers of the preview commands, and the TypeScript shapes of what `documents::preview` answers.

use documents::{
    Warning,
    preview::{docx::PreviewCopy, sheet::SheetWindow, slides::SlideList},
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A window of cells; rows and columns are 1-based and inclusive.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct PreviewSheet {
    pub file_id: String,
    /// `current`, `before`, `after` (of a proposal), or a snapshot id.
    pub side: String,
    pub proposal_id: Option<String>,
    /// 0-based; the first visible sheet when absent.
    pub sheet: Option<usize>,
    pub rows: [u32; 2],
    pub columns: [u32; 2],
    /// Whether widths, heights, merges and floating objects are wanted too.
    pub with_layout: Option<bool>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct PreviewDocx {
    pub file_id: String,
    pub side: String,
    pub proposal_id: Option<String>,
    /// About this many paragraphs of a long document; all of them when absent.
    pub most: Option<usize>,
    /// Addresses that must be among them, with their surroundings.
    pub keep: Option<Vec<String>>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct PreviewSlides {
    pub file_id: String,
    pub side: String,
    pub proposal_id: Option<String>,
}

/// A preview-only copy of a Word document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DocxPreview {
    /// The package in base 64.
    pub package: String,
    /// Bookmark `__pv_N` stands first in the paragraph with this address; null where it has none.
    pub paragraphs: Vec<Option<String>>,
    /// `__gap_N` stands for this many paragraphs that were left out.
    pub gaps: Vec<usize>,
    /// What of the document is not in the copy, and why.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    #[ts(as = "Option<Vec<crate::api::mirror::WarningShape>>", optional)]
    pub notices: Vec<Warning>,
}

impl DocxPreview {
    pub(super) fn of(copy: PreviewCopy) -> DocxPreview {
        let package = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, copy.bytes);
        DocxPreview { package, paragraphs: copy.paragraphs, gaps: copy.gaps, notices: copy.notices }
    }
}

/// A window of cells.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(transparent)]
pub struct SheetPreview(#[ts(as = "SheetWindowShape")] pub SheetWindow);

/// The slides as places and text.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(transparent)]
pub struct SlidesPreview(#[ts(as = "SlideListShape")] pub SlideList);

/// Shapes of `documents::preview::sheet`.
#[derive(TS)]
#[ts(optional_fields, rename = "SheetWindow")]
pub struct SheetWindowShape {
    pub sheets: Vec<SheetInfoShape>,
    pub sheet: usize,
    pub rows: [u32; 2],
    pub columns: [u32; 2],
    pub cells: Vec<SheetCellShape>,
    pub styles: std::collections::BTreeMap<u32, CellStyleShape>,
    pub date_1904: bool,
    pub layout: Option<SheetLayoutShape>,
    /// What of the workbook cannot be shown, and why.
    pub notices: Option<Vec<crate::api::mirror::WarningShape>>,
}

#[derive(TS)]
#[ts(optional_fields, rename = "SheetInfo")]
pub struct SheetInfoShape {
    pub name: String,
    /// `visible`, `hidden` or `veryHidden`.
    pub state: String,
    /// `worksheet`, `chartsheet` or `dialogsheet`.
    pub kind: String,
    pub tab_color: Option<String>,
}

#[derive(TS)]
#[ts(optional_fields, rename = "SheetCell")]
pub struct SheetCellShape {
    pub row: u32,
    pub column: u32,
    pub value: CellShownShape,
    /// With `=`.
    pub formula: Option<String>,
    pub style: u32,
    /// The pieces of a text that is not all of one look.
    pub runs: Option<Vec<TextRunShape>>,
    /// What conditional formats make of it.
    pub look: Option<CellLookShape>,
}

#[derive(TS)]
#[ts(optional_fields, rename = "TextRun")]
pub struct TextRunShape {
    pub text: String,
    pub font: Option<String>,
    pub size: Option<f32>,
    pub color: Option<String>,
    pub bold: Option<bool>,
    pub italic: Option<bool>,
    pub underline: Option<bool>,
    pub strike: Option<bool>,
    /// `superscript` or `subscript`.
    pub vertical: Option<String>,
}

#[derive(TS)]
#[ts(optional_fields, rename = "CellLook")]
pub struct CellLookShape {
    pub fill: Option<String>,
    pub color: Option<String>,
    pub bold: Option<bool>,
    pub italic: Option<bool>,
    pub underline: Option<bool>,
    pub strike: Option<bool>,
    pub number_format: Option<String>,
    /// Top, right, bottom, left.
    pub border: Option<Vec<Option<BorderLineShape>>>,
    /// A data bar: where it begins and ends as shares of the cell's width from 0 to 1, and its colour.
    pub bar: Option<(f64, f64, String)>,
    /// The name of an icon set and which of its icons, counted from 0 for the least.
    pub icon: Option<(String, u32)>,
    /// Only the bar or the icon is shown, not the value.
    pub value_hidden: Option<bool>,
}

#[derive(TS)]
#[ts(rename = "CellShown", rename_all = "snake_case", tag = "kind", content = "is")]
pub enum CellShownShape {
    Empty,
    Text(String),
    Number(f64),
    Truth(bool),
    Error(String),
    Date(String),
}

#[derive(TS)]
#[ts(optional_fields, rename = "CellStyle")]
pub struct CellStyleShape {
    pub font: Option<String>,
    pub size: Option<f32>,
    pub bold: Option<bool>,
    pub italic: Option<bool>,
    pub underline: Option<bool>,
    pub strike: Option<bool>,
    pub color: Option<String>,
    pub fill: Option<String>,
    pub horizontal: Option<String>,
    pub vertical: Option<String>,
    pub wrap: Option<bool>,
    pub indent: Option<u32>,
    pub number_format: Option<String>,
    /// Top, right, bottom, left.
    pub border: Option<Vec<Option<BorderLineShape>>>,
}

#[derive(TS)]
#[ts(optional_fields, rename = "BorderLine")]
pub struct BorderLineShape {
    pub line: String,
    pub color: Option<String>,
}

#[derive(TS)]
#[ts(rename = "SheetSpan")]
pub struct SheetSpanShape {
    pub from: u32,
    pub to: u32,
    pub size: f32,
}

#[derive(TS)]
#[ts(optional_fields, rename = "SheetLayout")]
pub struct SheetLayoutShape {
    pub last_row: u32,
    pub last_column: u32,
    pub default_width: f32,
    pub default_height: f32,
    pub widths: Vec<SheetSpanShape>,
    pub heights: Vec<SheetSpanShape>,
    pub frozen_rows: u32,
    pub frozen_columns: u32,
    pub gridlines: bool,
    pub right_to_left: bool,
    /// First row, first column, last row, last column.
    pub merges: Vec<[u32; 4]>,
    pub objects: Vec<PlacedShape>,
    pub tab_color: Option<String>,
}

#[derive(TS)]
#[ts(rename = "PlacedObject")]
pub struct PlacedShape {
    /// `chart`, `picture` or `shape`.
    pub kind: String,
    pub title: String,
    pub from_row: u32,
    pub from_column: u32,
    pub to_row: u32,
    pub to_column: u32,
}

/// Shapes of `documents::preview::slides`.
#[derive(TS)]
#[ts(rename = "SlideList")]
pub struct SlideListShape {
    /// EMU.
    pub width: i64,
    pub height: i64,
    pub slides: Vec<SlideShape>,
}

#[derive(TS)]
#[ts(rename = "Slide")]
pub struct SlideShape {
    pub id: u32,
    pub title: String,
    pub hidden: bool,
    pub notes: String,
    pub shapes: Vec<ShapePlaceShape>,
}

#[derive(TS)]
#[ts(optional_fields, rename = "ShapePlace")]
pub struct ShapePlaceShape {
    pub id: u32,
    pub name: String,
    /// `text`, `picture`, `table`, `chart`, `diagram`, `group`, `line` or `other`.
    pub kind: String,
    pub placeholder: Option<String>,
    /// Left, top, width, height in EMU.
    pub place: Option<[i64; 4]>,
    pub paragraphs: Vec<String>,
}
