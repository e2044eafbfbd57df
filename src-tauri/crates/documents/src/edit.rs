//! The edit language (CONTRACT, sections 2.1 to 2.4): one operation each, as a model, a script or a person may say it.
//!
//! Field names are final and unknown fields are refused. `text_from_fence` does not exist here: whoever holds the assistant's
//! message puts the fence's text in place first (`assistant::agent::fences`).

mod kind;
mod operations;

pub use operations::{Field, Operation, operations};

use serde::{Deserialize, Serialize};

/// One operation of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Edit {
    // ---- 2.1 text ----
    /// Replaces exact text; unique unless `occurrence` says which.
    ReplaceText {
        find: String,
        replace: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        occurrence: Option<Occurrence>,
        #[serde(default, skip_serializing_if = "Option::is_none", rename = "match")]
        matching: Option<Matching>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        start_line: Option<usize>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        end_line: Option<usize>,
    },
    /// Deletes exact text.
    DeleteText {
        find: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        occurrence: Option<Occurrence>,
        #[serde(default, skip_serializing_if = "Option::is_none", rename = "match")]
        matching: Option<Matching>,
    },
    /// Inserts whole lines before (or after) a line.
    InsertLines {
        line: usize,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<Position>,
    },
    /// Replaces whole lines.
    ReplaceLines {
        start_line: usize,
        end_line: usize,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect_prefix: Option<String>,
    },
    /// Deletes whole lines.
    DeleteLines {
        start_line: usize,
        end_line: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect_prefix: Option<String>,
    },
    /// Adds lines at the end.
    AppendLines { text: String },
    /// Replaces (or with `text: null` deletes) each line that contains a string.
    ReplaceLinesContaining {
        contains: String,
        #[serde(deserialize_with = "present")]
        text: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect_count: Option<usize>,
    },
    /// Replaces the Markdown section under a heading (`A`, or a path `A > B`).
    ReplaceSection {
        heading: String,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keep_heading: Option<bool>,
    },

    // ---- 2.2 workbooks ----
    /// Sets one cell.
    XlsxSetCell {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<String>,
        cell: String,
        #[serde(deserialize_with = "value_present")]
        value: CellValue,
    },
    /// Sets several cells: `cells`, or `range` with `values`.
    XlsxSetCells {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cells: Option<Vec<CellEntry>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        range: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        values: Option<Vec<Vec<CellValue>>>,
    },
    /// Adds rows below the last one; formats follow the row above.
    XlsxAppendRows {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<String>,
        rows: Vec<Vec<CellValue>>,
        /// Grow the table that ends in the row above.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        extend_table: Option<bool>,
    },
    /// Inserts rows before a row.
    XlsxInsertRows {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<String>,
        row: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rows: Option<Vec<Vec<CellValue>>>,
    },
    /// Inserts columns before a column (number or letters).
    XlsxInsertCols {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<String>,
        col: ColumnRef,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rows: Option<Vec<Vec<CellValue>>>,
    },
    /// Deletes rows; `expect` holds values the first of them must have.
    XlsxDeleteRows {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<String>,
        start: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        end: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect: Option<Vec<CellValue>>,
    },
    /// Deletes columns; `expect` holds values the first of them must have.
    XlsxDeleteCols {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<String>,
        start: ColumnRef,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        end: Option<ColumnRef>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect: Option<Vec<CellValue>>,
    },
    /// Replaces text in cell values (or formulas).
    XlsxReplaceText {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        range: Option<String>,
        find: String,
        replace: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        occurrence: Option<Occurrence>,
        #[serde(default, skip_serializing_if = "Option::is_none", rename = "in")]
        within: Option<CellText>,
    },
    /// Formats a range.
    XlsxSetFormat {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<String>,
        range: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bold: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        italic: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        underline: Option<bool>,
        /// `#RRGGBB`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        font_color: Option<String>,
        /// `#RRGGBB`, or `none`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<String>,
        /// A number format code such as `0.00%`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        number_format: Option<String>,
        /// `left`, `center`, `right`, `general`, `justify`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        align: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wrap: Option<bool>,
        /// `thin`, `medium`, `thick`, `dashed`, `dotted`, `double`, or `none`: all four sides of each cell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        border: Option<String>,
    },
    /// Merges a range.
    XlsxMergeCells {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<String>,
        range: String,
    },
    /// Takes a merged range apart.
    XlsxUnmergeCells {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<String>,
        range: String,
    },
    /// Sets the width of columns (`B:D`, in characters) or the height of rows (`3:5`, in points).
    XlsxSetWidth {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cols: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rows: Option<String>,
        size: f64,
    },
    /// Adds an empty sheet, at the end or at a 1-based position.
    XlsxAddSheet {
        sheet: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<usize>,
    },
    /// Renames a sheet and every reference to it.
    XlsxRenameSheet { sheet: String, to: String },
    /// Copies a sheet under a new name.
    XlsxCopySheet {
        sheet: String,
        to: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<usize>,
    },
    /// Moves a sheet to a 1-based position.
    XlsxMoveSheet { sheet: String, position: usize },
    /// Deletes a sheet.
    XlsxDeleteSheet { sheet: String },
    /// Defines a name, or deletes it with `refers_to: null`.
    XlsxSetName {
        name: String,
        #[serde(deserialize_with = "present")]
        refers_to: Option<String>,
    },

    // ---- 2.3 presentations ----
    /// Replaces text on one slide: shapes, groups, tables, SmartArt, chart titles.
    PptxReplaceOnSlide {
        slide: usize,
        find: String,
        replace: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        occurrence: Option<Occurrence>,
    },
    /// Replaces text in the whole deck.
    PptxReplaceText {
        find: String,
        replace: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        occurrence: Option<Occurrence>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        include_notes: Option<bool>,
    },
    /// Sets all text of a shape.
    PptxSetText {
        slide: usize,
        shape: ShapeRef,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        paragraphs: Option<Vec<SlideParagraph>>,
    },
    /// Sets the title of a slide.
    PptxSetTitle { slide: usize, text: String },
    /// Sets the notes of a slide.
    PptxSetNotes { slide: usize, text: String },
    /// Sets one cell of a table; `shape` may be left out when the slide has one table.
    PptxSetTableCell {
        slide: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shape: Option<ShapeRef>,
        row: usize,
        col: usize,
        text: String,
    },
    /// Adds a slide at the end.
    PptxAppendSlide {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layout: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        body: Option<Vec<String>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notes: Option<String>,
    },
    /// Inserts a slide before a slide.
    PptxInsertSlide {
        slide: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layout: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        body: Option<Vec<String>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notes: Option<String>,
    },
    /// Copies a slide; the copy stands after it, or at `to`.
    PptxDuplicateSlide {
        slide: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<usize>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect_title: Option<String>,
    },
    /// Moves a slide to a position.
    PptxMoveSlide {
        slide: usize,
        to: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect_title: Option<String>,
    },
    /// Deletes a slide with everything that only it uses.
    PptxDeleteSlide {
        slide: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect_title: Option<String>,
    },
    /// Hides a slide in the show, or shows it again.
    PptxHideSlide {
        slide: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hidden: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect_title: Option<String>,
    },

    // ---- 2.4 Word documents ----
    /// Sets the text of a paragraph; common beginning and end are not rewritten.
    DocxSetParagraph {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<String>,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect_prefix: Option<String>,
    },
    /// Inserts a paragraph before (or after) a place.
    DocxInsertParagraph {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<Position>,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        style: Option<String>,
    },
    /// Adds a paragraph at the end of the body.
    DocxAppendParagraph {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        style: Option<String>,
    },
    /// Deletes a paragraph, or those up to `end` (same form as `index` or `at`).
    DocxDeleteParagraph {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        end: Option<PlaceRef>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect_prefix: Option<String>,
    },
    /// Replaces text in the stories that `scope` names.
    DocxReplaceText {
        find: String,
        replace: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        occurrence: Option<Occurrence>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<Scope>,
    },
    /// Inserts Markdown in the document's own styles.
    DocxInsertMarkdown {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<Position>,
        text: String,
    },
    /// Gives a paragraph a style by its name.
    DocxSetStyle {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<String>,
        style: String,
    },
    /// Sets the text of a table cell.
    DocxSetTableCell { table: usize, row: usize, col: usize, text: String },
    /// Inserts a table row before `row` (one more than the last row appends).
    DocxInsertTableRow {
        table: usize,
        row: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cells: Option<Vec<String>>,
    },
    /// Deletes a table row.
    DocxDeleteTableRow { table: usize, row: usize },
    /// Adds a comment at a paragraph, or at the text `find` in it.
    DocxAddComment {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        find: Option<String>,
        text: String,
    },
    /// Accepts tracked changes: all, at a place, or of an author.
    DocxAcceptChanges {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        author: Option<String>,
    },
    /// Rejects tracked changes: all, at a place, or of an author.
    DocxRejectChanges {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        author: Option<String>,
    },
}

/// A 1-based number, or `"all"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Occurrence {
    Nth(usize),
    All(All),
}

/// The word `all`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum All {
    All,
}

/// How text is looked up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Matching {
    #[default]
    Exact,
    /// White space, quotes and dashes of any kind count as the same.
    Normalized,
}

/// On which side of a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    #[default]
    Before,
    After,
}

/// Where `xlsx_replace_text` looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CellText {
    #[default]
    Values,
    Formulas,
}

/// Which stories `docx_replace_text` looks in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    #[default]
    Body,
    All,
    Headers,
    Footers,
    Notes,
    Textboxes,
}

/// A column by number (1 = A) or letters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum ColumnRef {
    Number(u32),
    Letters(String),
}

/// A shape by its id, name or placeholder type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum ShapeRef {
    Id(u64),
    Name(String),
}

/// A paragraph by index or address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum PlaceRef {
    Index(usize),
    At(String),
}

/// A paragraph of a slide's text body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlideParagraph {
    pub text: String,
    /// 0 for the first level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
}

/// One cell of `xlsx_set_cells`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellEntry {
    pub cell: String,
    #[serde(deserialize_with = "value_present")]
    pub value: CellValue,
}

/// A cell's new content; a plain string is never read as a formula or a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum CellValue {
    /// `null` clears the cell.
    Clear(()),
    Bool(bool),
    Number(serde_json::Number),
    Text(String),
    Typed(TypedValue),
}

/// A value that JSON has no type for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TypedValue {
    /// `YYYY-MM-DD`.
    Date(String),
    /// `YYYY-MM-DDThh:mm[:ss]`.
    Datetime(String),
    /// With its leading `=`.
    Formula(String),
    /// `formula`: the formula of the row above, moved down (appended and inserted rows only).
    Fill(String),
}

/// A field that must be there, even when it may be null.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(deserializer)
}

fn value_present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<CellValue, D::Error> {
    CellValue::deserialize(deserializer)
}

#[cfg(test)]
mod tests;
