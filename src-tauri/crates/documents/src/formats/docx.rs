//! The docx engine: Word documents edited as text, never rebuilt. See NOTES.md beside its modules.
//!
//! An edit is a set of splices on the bytes of the part that holds the text; everything else is the package's affair.

mod batch;
mod binding;
mod blocks;
mod comments;
mod controls;
mod create;
mod definitions;
mod delete;
mod difference;
mod fields;
mod index;
mod insert;
mod join;
mod markdown;
mod markup;
mod notes;
mod notices;
mod numbering;
mod outline;
mod properties;
mod ranges;
mod removal;
mod replace;
mod revisions;
mod rewrite;
mod rows;
mod run;
mod set_style;
mod set_text;
mod settings;
mod settle;
mod story;
mod styles;
mod tables;
mod tracked_delete;
mod tracking;
mod view;

use crate::{
    Applied, ApplyContext, Cancel, DocumentError, Edit, EditError, Limits, Outline, OutlineRequest,
    error::EditErrorKind,
};
use batch::Batch;
pub use create::create;
use revisions::Verdict;

/// Applies a batch to the bytes of a Word document.
pub fn apply(bytes: &[u8], ops: &[Edit], context: &ApplyContext<'_>) -> Result<Applied, EditError> {
    let mut batch = Batch::open(bytes, context)?;
    for (op, edit) in ops.iter().enumerate() {
        if (context.cancel)() {
            return Err(EditError::new(EditErrorKind::Cancelled, "The edit was cancelled.").at_op(op));
        }
        batch.begin(op);
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
        Edit::DocxInsertParagraph { index, at, position, text, style } => insert::insert_paragraph(
            batch,
            *index,
            at.as_deref(),
            position.unwrap_or_default(),
            text,
            style.as_deref(),
        ),
        Edit::DocxAppendParagraph { text, style } => insert::append_paragraph(batch, text, style.as_deref()),
        Edit::DocxDeleteParagraph { index, at, end, expect_prefix } => {
            delete::delete_paragraph(batch, *index, at.as_deref(), end.as_ref(), expect_prefix.as_deref())
        }
        Edit::DocxSetStyle { index, at, style } => set_style::set_style(batch, *index, at.as_deref(), style),
        Edit::DocxSetTableCell { table, row, col, text } => {
            tables::set_table_cell(batch, *table, *row, *col, text)
        }
        Edit::DocxInsertTableRow { table, row, cells } => {
            tables::insert_table_row(batch, *table, *row, cells.as_deref().unwrap_or_default())
        }
        Edit::DocxDeleteTableRow { table, row } => tables::delete_table_row(batch, *table, *row),
        Edit::DocxAddComment { index, at, find, text } => {
            comments::add_comment(batch, *index, at.as_deref(), find.as_deref(), text)
        }
        Edit::DocxAcceptChanges { at, author } => {
            revisions::settle_changes(batch, at.as_deref(), author.as_deref(), Verdict::Accept)
        }
        Edit::DocxRejectChanges { at, author } => {
            revisions::settle_changes(batch, at.as_deref(), author.as_deref(), Verdict::Reject)
        }
        Edit::DocxInsertMarkdown { index, at, position, text } => {
            markdown::insert_markdown(batch, *index, at.as_deref(), position.unwrap_or_default(), text)
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
