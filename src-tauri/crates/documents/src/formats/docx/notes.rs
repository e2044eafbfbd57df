//! Footnotes and endnotes that follow their references.

use super::{batch::Batch, removal::Aftermath, story::PartKind};
use crate::{
    EditError,
    package::xml::{Ns, Splices},
};

/// Removes the notes whose references are gone.
pub(super) fn remove(batch: &mut Batch<'_>, aftermath: &Aftermath) -> Result<(), EditError> {
    remove_from(batch, PartKind::Footnotes, "footnote", &aftermath.footnotes)?;
    remove_from(batch, PartKind::Endnotes, "endnote", &aftermath.endnotes)
}

fn remove_from(batch: &mut Batch<'_>, kind: PartKind, word: &str, ids: &[String]) -> Result<(), EditError> {
    if ids.is_empty() {
        return Ok(());
    }
    let Some(part) = batch.part_of(kind) else { return Ok(()) };
    let loaded = batch.load(part)?;
    let xml = &loaded.xml;
    let mut splices = Splices::default();
    for note in xml.children_named(xml.root(), Ns::W, word) {
        let is_gone = xml.value(note, Ns::W, "id").is_some_and(|id| ids.iter().any(|gone| *gone == id));
        // The separators are referred to from the settings, never from text (ECMA-376-1, 17.11.9).
        if is_gone && xml.value(note, Ns::W, "type").is_none_or(|note_type| note_type == "normal") {
            splices.delete(xml.span(note));
        }
    }
    if splices.is_empty() {
        return Ok(());
    }
    batch
        .warn_once("note_removed", format!("The {word}s that were referred to only there were removed too."));
    batch.commit(part, &loaded, splices)
}
