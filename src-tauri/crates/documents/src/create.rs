//! A new document from what a person or a model wrote: Markdown for Word, rows for Excel, an outline for PowerPoint, text as it is.
//!
//! A blank package is filled by the same operations that edit documents, so that a new file holds nothing an edit could not have made.

mod rows;
mod slides;

use serde_json::Value;

use crate::{ApplyContext, Edit, EditError, Format, apply, blank::blank, error::EditErrorKind, formats};

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
    match format {
        Format::Text => formats::text::create(text),
        Format::Docx => formats::docx::create(text, ctx),
        Format::Xlsx => fill(format, &rows::operations(text, source.rows.as_deref())?, ctx),
        Format::Pptx => fill(format, &slides::operations(text), ctx),
    }
}

fn fill(format: Format, ops: &[Edit], ctx: &ApplyContext<'_>) -> Result<Vec<u8>, EditError> {
    let empty = blank(format, ctx.author, ctx.now)?;
    if ops.is_empty() { Ok(empty) } else { apply(format, &empty, ops, ctx).map(|applied| applied.bytes) }
}
