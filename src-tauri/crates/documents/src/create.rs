//! A new document from what a person or a model wrote: Markdown for Word, rows for Excel, an outline for PowerPoint, text as it is.
//!
//! A blank package is filled by the same operations that edit documents, so that a new file holds nothing an edit could not have made.

mod rows;
mod slides;

use serde_json::Value;

use crate::{ApplyContext, Edit, EditError, Format, apply, blank::blank, error::EditErrorKind};

/// What a new document is made from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Source {
    /// Text, Markdown, CSV or an outline, as the format wants it.
    pub text: Option<String>,
    /// For workbooks, instead of text: values as in `xlsx_append_rows`.
    pub rows: Option<Vec<Vec<Value>>>,
}

/// Makes the bytes of a new document. Without a source it is empty.
pub fn create(format: Format, source: &Source, ctx: &ApplyContext<'_>) -> Result<Vec<u8>, EditError> {
    let text = source.text.as_deref().unwrap_or_default();
    if source.rows.is_some() && (format != Format::Xlsx || source.text.is_some()) {
        let message = "`rows` is for workbooks, and instead of `text`.";
        return Err(EditError::new(EditErrorKind::InvalidArguments, message));
    }
    let empty = blank(format, ctx.author, ctx.now)?;
    let fill = |ops: &[Edit]| match ops {
        [] => Ok(empty.clone()),
        ops => apply(format, &empty, ops, ctx).map(|applied| applied.bytes),
    };
    match format {
        Format::Text => Ok(text.as_bytes().to_vec()),
        Format::Docx if text.trim().is_empty() => Ok(empty),
        Format::Docx => fill_document(text, &fill),
        Format::Xlsx => fill(&rows::operations(text, source.rows.as_deref())?),
        Format::Pptx => fill(&slides::operations(text)),
    }
}

/// The empty paragraph of the blank document goes, unless Word needs it: a table may not stand last (ECMA-376, 17.4.37).
fn fill_document(
    text: &str,
    fill: &dyn Fn(&[Edit]) -> Result<Vec<u8>, EditError>,
) -> Result<Vec<u8>, EditError> {
    let insert = Edit::DocxInsertMarkdown { index: Some(1), at: None, position: None, text: text.to_owned() };
    let delete = Edit::DocxDeleteParagraph { index: Some(1), at: None, end: None, expect_prefix: None };
    let ends_in_table =
        text.trim_end().lines().next_back().is_some_and(|line| line.trim_start().starts_with('|'));
    if ends_in_table { fill(&[insert]) } else { fill(&[insert, delete]) }
}
