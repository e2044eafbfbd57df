//! Duplicating a slide: its part verbatim, its relationships under the same ids, and a copy of everything that belongs to it.
//!
//! Charts with their workbooks, diagrams, tags, embedded objects and notes are copied, so that editing the copy leaves the original
//! alone; layouts, masters, themes and media are shared; comments stay with the original (ooxml research, D2).

use super::{
    deck::{is_hidden, notes_of},
    session::{Session, Spot},
    slide_ops::{NewSlide, Room, enlist, expect_title},
};
use crate::{
    EditError,
    package::{
        Package,
        copies::{Copied, Copies, Fate},
        xml::{NodeId, Ns, Splices, Xml},
    },
};

/// `pptx_duplicate_slide`.
pub(super) fn duplicate_slide(
    session: &mut Session<'_, '_>,
    slide: usize,
    to: Option<usize>,
    expected: Option<&str>,
) -> Result<(), EditError> {
    let deck = session.deck()?;
    let entry = session.slide(&deck, slide)?;
    let title = expect_title(session, &deck, &entry, expected)?;
    let original = deck.position(&entry.key).unwrap_or(0);
    let at = match to {
        Some(position) => session.place(&deck, position, Room::OrBehind, None)?,
        None => original + 1,
    };
    let hidden = is_hidden(&session.package.xml(&entry.part)?);
    let has_notes = notes_of(&session.package, &entry.part)?.is_some();
    let seed = session.next_slide_id;
    let mut copies = Copies::new(&mut session.package, fate);
    let part = copies.copy(&entry.part)?;
    let copied = std::mem::take(&mut copies.copied);
    for each in &copied {
        freshen(&mut session.package, each, seed)?;
    }
    let beside = to.is_none().then_some(entry.key.id);
    let copy = enlist(session, NewSlide { part, at, title: title.clone(), hidden, has_notes, beside })?;
    if copied.iter().any(|each| !each.left_out.is_empty()) {
        let message = "The comments of the slide were not copied.";
        session.warn(Some(Spot::new(&copy.key, "")), "comments_not_copied", message);
    }
    session.record(Spot::new(&copy.key, ""), None, Some(title), Some("structure"));
    Ok(())
}

/// By kind of relationship; what is not known is copied, for sharing it would tie the two slides together.
fn fate(kind: &str) -> Fate {
    match kind {
        "slide" | "slideLayout" | "slideMaster" | "notesMaster" | "handoutMaster" | "theme" => Fate::Share,
        "image" | "audio" | "video" | "media" | "hdphoto" | "model3d" | "font" => Fate::Share,
        "comments" => Fate::Drop,
        _ => Fate::Copy,
    }
}

/// Gives a copied slide or notes part its own creation id, and takes out what named left-out relationships.
fn freshen(package: &mut Package<'_>, copied: &Copied, seed: u32) -> Result<(), EditError> {
    let copy = &copied.part;
    let is_slide = ["slide", "notesSlide"].iter().any(|word| copy.file_name().starts_with(word));
    if !is_slide {
        return Ok(());
    }
    let xml = package.xml(copy)?;
    let mut splices = Splices::default();
    for element in xml.descendants_named(xml.root(), Ns::P14, "creationId") {
        if let Some(attribute) = xml.attribute(element, Ns::None, "val") {
            let fresh = crc32fast::hash(format!("{}-{}", attribute.value, seed).as_bytes());
            splices.replace(attribute.value_span, fresh.max(1).to_string());
        }
    }
    for element in extensions_naming(&xml, &copied.left_out) {
        splices.delete(xml.span(element));
    }
    let bytes = xml.write(splices)?;
    package.replace(copy, bytes)
}

/// The `p:ext` elements that hold a reference to one of some relationships (modern comments, [MS-PPTX] `p188:commentRel`).
fn extensions_naming(xml: &Xml, ids: &[String]) -> Vec<NodeId> {
    let names = |node: NodeId| {
        xml.kind(node) == crate::package::xml::NodeKind::Element
            && xml.attributes(node).any(|one| one.namespace == Ns::R && ids.iter().any(|id| *id == one.value))
    };
    let extensions = xml.descendants_named(xml.root(), Ns::P, "ext");
    extensions.filter(|extension| xml.descendants(*extension).any(names)).collect()
}
