//! What a user should know on opening a document, and what each thing will block or change.

use super::{
    settings::{Protection, Settings},
    story::{Loaded, PartKind, StoryPart},
};
use crate::{
    DocumentError, Warning,
    package::{Package, xml::Ns},
};

/// Notices about the document as a whole.
pub(super) fn notices(package: &Package<'_>) -> Result<Vec<Warning>, DocumentError> {
    let mut notices = package.notices()?;
    let settings = Settings::read(package)?;
    if settings.track_revisions {
        notices.push(Warning::new(
            "tracking_on",
            "The document has change tracking switched on: edits become tracked changes unless `track_changes` is false.",
        ));
    }
    let protection = match settings.protection {
        Protection::None => None,
        Protection::ReadOnly => Some("as read-only: every edit is refused"),
        Protection::CommentsOnly => Some("so that only comments may be added: other edits are refused"),
        Protection::TrackedOnly => Some("so that every edit becomes a tracked change"),
        Protection::FormsOnly => Some("so that only its form fields may be filled in: edits are refused"),
    };
    if let Some(how) = protection {
        let message = format!("The document is protected {how} unless `override_protection` is set.");
        notices.push(Warning::new("document_protected", message));
    }
    if settings.write_protection {
        notices.push(Warning::new(
            "write_protection",
            "The document asks to be opened read-only; edits are made all the same.",
        ));
    }
    Ok(notices)
}

/// Words without which a part gives no notice.
const AUTHOR: &[u8] = b"author=";
const FIELD_CODE: &[u8] = b"instr";
const PERMISSION: &[u8] = b"permStart";
const EMBEDDED: &[u8] = b"altChunk";

/// Whether there may be something to say about a part.
pub(super) fn may_have_notices(bytes: &[u8]) -> bool {
    [AUTHOR, FIELD_CODE, PERMISSION, EMBEDDED].iter().any(|word| memchr::memmem::find(bytes, word).is_some())
}

/// Notices about one part.
pub(super) fn part_notices(loaded: &Loaded, part: &StoryPart, notices: &mut Vec<Warning>) {
    let xml = &loaded.xml;
    let holds = |word: &[u8]| memchr::memmem::find(xml.bytes(), word).is_some();
    let mut add = |code: &str, message: String| {
        if !notices.iter().any(|notice| notice.code == code) {
            notices.push(Warning::new(code, message));
        }
    };
    if part.kind != PartKind::Comments && holds(AUTHOR) {
        let is_change = |local: &str| {
            matches!(local, "ins" | "del" | "moveFrom" | "moveTo" | "cellIns" | "cellDel" | "cellMerge")
                || local.ends_with("PrChange")
        };
        let changes = xml
            .descendants(xml.root())
            .filter(|node| xml.namespace(*node) == Ns::W && is_change(xml.local_name(*node)))
            .count();
        if changes > 0 {
            let message = "The document holds tracked changes; what is deleted is not shown here, and `docx_accept_changes` or `docx_reject_changes` settles them.";
            add("has_tracked_changes", message.into());
        }
    }
    if holds(FIELD_CODE) {
        let codes = xml.descendants(xml.root()).filter_map(|node| match xml.local_name(node) {
            _ if xml.namespace(node) != Ns::W => None,
            "instrText" => Some(xml.text(node)),
            "fldSimple" => xml.value(node, Ns::W, "instr"),
            _ => None,
        });
        let is_linked = |code: &str| {
            let word = code.split_whitespace().next().unwrap_or_default().to_uppercase();
            matches!(word.as_str(), "LINK" | "INCLUDETEXT" | "INCLUDEPICTURE" | "DDE" | "DDEAUTO")
        };
        if codes.into_iter().any(|code| is_linked(&code)) {
            add(
                "has_linked_fields",
                "Some text comes from other files through fields; updating them replaces what is edited there.".into(),
            );
        }
    }
    if holds(PERMISSION) {
        add(
            "has_permission_ranges",
            "Some ranges are open to certain people while the document is protected; their marks stay where they are, and protection is honoured inside them too.".into(),
        );
    }
    if holds(EMBEDDED) {
        add(
            "has_embedded_documents",
            "The document embeds other files as text (altChunk); their text is neither shown nor edited."
                .into(),
        );
    }
}
