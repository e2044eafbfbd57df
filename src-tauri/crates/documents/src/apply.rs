//! Applying a batch: all of it in memory, or nothing and the reason.

use crate::{
    Change, DocumentError, Edit, EditError, Format, Limits, PackageReport, Warning, error::EditErrorKind,
    formats,
};

/// Asked now and then by long steps; `true` stops them with nothing done.
pub type Cancel<'a> = &'a (dyn Fn() -> bool + Sync);

/// Everything an engine may not find out by itself.
pub struct ApplyContext<'a> {
    /// The author of tracked changes and comments.
    pub author: &'a str,
    /// Now, in RFC 3339 UTC with seconds (`2026-11-30T14:00:00Z`): `w:date`, `dcterms` and the like.
    pub now: &'a str,
    /// The batch said `override_protection: true`.
    pub override_protection: bool,
    /// The batch's `track_changes`; `None` follows the document's own switch.
    pub track_changes: Option<bool>,
    pub limits: Limits,
    pub cancel: Cancel<'a>,
}

#[cfg(test)]
impl ApplyContext<'_> {
    /// For tests that ask for nothing in particular.
    pub(crate) fn bare() -> ApplyContext<'static> {
        ApplyContext {
            author: "",
            now: "",
            override_protection: false,
            track_changes: None,
            limits: Limits::default(),
            cancel: &|| false,
        }
    }
}

/// A verified result; equal bytes mean that nothing changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    pub bytes: Vec<u8>,
    pub changes: Vec<Change>,
    pub package: Option<PackageReport>,
    pub warnings: Vec<Warning>,
}

/// Applies all operations in order, checks the result through the gate, or says which operation failed and why.
pub fn apply(
    format: Format,
    bytes: &[u8],
    ops: &[Edit],
    ctx: &ApplyContext<'_>,
) -> Result<Applied, EditError> {
    if let Some(misfit) = ops.iter().position(|edit| edit.format() != format) {
        let message = format!("`{}` does not fit a {} document.", ops[misfit].name(), format.as_str());
        let misfit = EditError::new(EditErrorKind::UnsupportedOp, message).at_op(misfit);
        return Err(misfit.hint(fitting(format)));
    }
    let mut applied = match format {
        Format::Text => formats::text::apply(bytes, ops, ctx),
        Format::Xlsx => formats::xlsx::apply(bytes, ops, ctx),
        Format::Pptx => formats::pptx::apply(bytes, ops, ctx),
        Format::Docx => formats::docx::apply(bytes, ops, ctx),
    }?;
    if ctx.track_changes == Some(true) && format != Format::Docx && applied.bytes != bytes {
        let message = "Only Word documents hold tracked changes; this edit is not tracked.";
        applied.warnings.push(Warning::new("not_tracked", message));
    }
    Ok(applied)
}

/// What to use instead of an operation of another format.
fn fitting(format: Format) -> &'static str {
    match format {
        Format::Text => {
            "A text document takes replace_text, delete_text, insert_lines, replace_lines, delete_lines, append_lines, replace_lines_containing and replace_section."
        }
        Format::Xlsx => {
            "The operations of a workbook begin with `xlsx_`; a cell is set with xlsx_set_cell, text replaced with xlsx_replace_text."
        }
        Format::Pptx => {
            "The operations of a presentation begin with `pptx_`; text on a slide is replaced with pptx_replace_on_slide."
        }
        Format::Docx => {
            "The operations of a Word document begin with `docx_`; text is replaced with docx_replace_text."
        }
    }
}

/// Opens a document far enough to know that an engine can edit it.
pub fn check(format: Format, bytes: &[u8], limits: &Limits, cancel: Cancel<'_>) -> Result<(), DocumentError> {
    let request = crate::OutlineRequest { range: None, budget: 4_096 };
    crate::outline(format, bytes, &request, limits, cancel).map(drop)
}
