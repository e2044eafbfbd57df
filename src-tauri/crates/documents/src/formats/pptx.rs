//! The pptx engine. See NOTES.md beside its modules.

use crate::{
    Applied, ApplyContext, Cancel, DocumentError, Edit, EditError, Limits, Outline, OutlineRequest,
    error::EditErrorKind,
};

/// Applies a batch to the bytes of a pptx document.
pub fn apply(_bytes: &[u8], _ops: &[Edit], _ctx: &ApplyContext<'_>) -> Result<Applied, EditError> {
    Err(EditError::new(EditErrorKind::UnsupportedOp, "This format is not edited yet."))
}

/// Describes a pptx document.
pub fn outline(
    _bytes: &[u8],
    _request: &OutlineRequest,
    _limits: &Limits,
    _cancel: Cancel<'_>,
) -> Result<Outline, DocumentError> {
    Err(DocumentError::Unsupported("This format is not read yet.".into()))
}
