//! The pptx engine: outlines of decks, and edits of their text and slides as splices on the original bytes.
//!
//! What each operation does, keeps and refuses is written in NOTES.md beside the modules; nothing here ever rebuilds a part.

mod add;
mod anchors;
mod app_properties;
mod audit;
mod body;
mod charts;
mod deck;
mod delete;
mod duplicate;
mod find;
mod graph;
mod jumps;
mod layouts;
mod lookup;
mod markup;
mod notes;
mod outcomes;
mod outline;
mod overflow;
mod parts;
mod placeholders;
mod pointers;
mod rewrite;
mod runs;
mod sections;
mod session;
mod shapes;
mod slide_ops;
mod smartart;
mod stories;
mod text_ops;
mod typesetting;

pub use audit::audit;

use crate::{
    Applied, ApplyContext, Cancel, DocumentError, Edit, EditError, Limits, Outline, OutlineRequest, Warning,
    error::EditErrorKind,
};
use add::Wanted;
use session::Session;
use text_ops::Replacement;

/// Applies a batch to the bytes of a deck.
pub fn apply(bytes: &[u8], ops: &[Edit], ctx: &ApplyContext<'_>) -> Result<Applied, EditError> {
    let mut session = Session::open(bytes, ctx)?;
    for (index, edit) in ops.iter().enumerate() {
        if (ctx.cancel)() {
            return Err(EditError::new(EditErrorKind::Cancelled, "cancelled"));
        }
        session.op = index;
        apply_one(&mut session, edit).map_err(|error| error.at_op(index))?;
    }
    jumps::keep_in_reach(&mut session)?;
    let (package, changes, mut warnings) = session.located()?;
    let saved = package.finish()?;
    let is_signed = package.is_changed() && package.notices()?.iter().any(|n| n.code == "has_signature");
    if is_signed {
        warnings.push(Warning::new(
            "signature_invalidated",
            "The presentation is digitally signed; with this edit its signature is no longer valid.",
        ));
    }
    Ok(Applied { bytes: saved.bytes, changes, package: Some(saved.report), warnings })
}

fn apply_one(session: &mut Session<'_, '_>, edit: &Edit) -> Result<(), EditError> {
    match edit {
        Edit::PptxReplaceOnSlide { slide, find, replace, occurrence } => {
            let replacement = Replacement { find, replace, occurrence: *occurrence };
            text_ops::replace_on_slide(session, *slide, &replacement)
        }
        Edit::PptxReplaceText { find, replace, occurrence, include_notes } => {
            let replacement = Replacement { find, replace, occurrence: *occurrence };
            text_ops::replace_in_deck(session, include_notes.unwrap_or(false), &replacement)
        }
        Edit::PptxSetText { slide, shape, text, paragraphs } => {
            text_ops::set_text(session, *slide, shape, text.as_deref(), paragraphs.as_deref())
        }
        Edit::PptxSetTitle { slide, text } => text_ops::set_title(session, *slide, text),
        Edit::PptxSetTableCell { slide, shape, row, col, text } => {
            text_ops::set_table_cell(session, *slide, shape.as_ref(), (*row, *col), text)
        }
        Edit::PptxSetNotes { slide, text } => notes::set_notes(session, *slide, text),
        Edit::PptxAppendSlide { layout, title, body, notes } => {
            let wanted = wanted(layout, title, body, notes);
            add::add_slide(session, None, &wanted)
        }
        Edit::PptxInsertSlide { slide, layout, title, body, notes } => {
            let wanted = wanted(layout, title, body, notes);
            add::add_slide(session, Some(*slide), &wanted)
        }
        Edit::PptxDuplicateSlide { slide, to, expect_title } => {
            duplicate::duplicate_slide(session, *slide, *to, expect_title.as_deref())
        }
        Edit::PptxMoveSlide { slide, to, expect_title } => {
            slide_ops::move_slide(session, *slide, *to, expect_title.as_deref())
        }
        Edit::PptxDeleteSlide { slide, expect_title } => {
            delete::delete_slide(session, *slide, expect_title.as_deref())
        }
        Edit::PptxHideSlide { slide, hidden, expect_title } => {
            slide_ops::hide_slide(session, *slide, hidden.unwrap_or(true), expect_title.as_deref())
        }
        other => {
            let message = format!("`{}` does not fit a presentation.", other.name());
            Err(EditError::new(EditErrorKind::UnsupportedOp, message))
        }
    }
}

fn wanted<'e>(
    layout: &'e Option<String>,
    title: &'e Option<String>,
    body: &'e Option<Vec<String>>,
    notes: &'e Option<String>,
) -> Wanted<'e> {
    Wanted {
        layout: layout.as_deref(),
        title: title.as_deref(),
        body: body.as_deref(),
        notes: notes.as_deref(),
    }
}

/// Describes a deck.
pub fn outline(
    bytes: &[u8],
    request: &OutlineRequest,
    limits: &Limits,
    cancel: Cancel<'_>,
) -> Result<Outline, DocumentError> {
    outline::outline(bytes, request, limits, cancel)
}
