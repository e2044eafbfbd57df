//! The docx engine: Word documents edited as text, never rebuilt. See NOTES.md beside its modules.
//!
//! An edit is a set of splices on the bytes of the part that holds the text; everything else is the package's affair.

mod batch;
mod controls;
mod difference;
mod fields;
mod index;
mod markup;
mod notices;
mod numbering;
mod outline;
mod replace;
mod rewrite;
mod run;
mod set_text;
mod settings;
mod story;
mod styles;
mod tracking;
mod view;

use crate::{
    Applied, ApplyContext, Cancel, DocumentError, Edit, EditError, Limits, Outline, OutlineRequest,
    error::EditErrorKind,
};
use batch::Batch;

/// Applies a batch to the bytes of a Word document.
pub fn apply(bytes: &[u8], ops: &[Edit], context: &ApplyContext<'_>) -> Result<Applied, EditError> {
    let mut batch = Batch::open(bytes, context)?;
    for (op, edit) in ops.iter().enumerate() {
        if (context.cancel)() {
            return Err(EditError::new(EditErrorKind::Cancelled, "The edit was cancelled.").at_op(op));
        }
        batch.op = op;
        perform(&mut batch, edit).map_err(|error| error.at_op(op))?;
    }
    batch.finish()
}

fn perform(batch: &mut Batch<'_>, edit: &Edit) -> Result<(), EditError> {
    match edit {
        Edit::DocxSetParagraph { index, at, text, expect_prefix } => {
            set_text::set_paragraph(batch, *index, at.as_deref(), text, expect_prefix.as_deref())
        }
        Edit::DocxReplaceText { find, replace, occurrence, scope } => {
            replace::replace_text(batch, find, replace, *occurrence, scope.unwrap_or_default())
        }
        other => Err(EditError::new(
            EditErrorKind::UnsupportedOp,
            format!("`{}` is not an operation on Word documents.", other.name()),
        )),
    }
}

/// Describes a Word document.
pub fn outline(
    bytes: &[u8],
    request: &OutlineRequest,
    limits: &Limits,
    cancel: Cancel<'_>,
) -> Result<Outline, DocumentError> {
    outline::outline(bytes, request, limits, cancel)
}
