//! Duplicating a slide: its part verbatim, its relationships under the same ids, and a copy of everything that belongs to it.
//!
//! Charts with their workbooks, diagrams, tags, embedded objects and notes are copied, so that editing the copy leaves the original
//! alone; layouts, masters, themes and media are shared; comments stay with the original (ooxml research, D2).

use std::collections::BTreeMap;

use super::{
    deck::{is_hidden, notes_of},
    session::{Session, Spot},
    slide_ops::{NewSlide, Room, enlist, expect_title},
};
use crate::{
    EditError,
    error::EditErrorKind,
    package::{
        Package, PartName,
        xml::{NodeId, Ns, Splices, Xml},
    },
};

const RELATIONSHIPS: &str = "application/vnd.openxmlformats-package.relationships+xml";

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
    let mut copies = Copies { package: &mut session.package, made: BTreeMap::new(), seed, left_out: 0 };
    let part = copies.copy(&entry.part)?;
    let left_out = copies.left_out;
    let beside = to.is_none().then_some(entry.key.id);
    let copy = enlist(session, NewSlide { part, at, title: title.clone(), hidden, has_notes, beside })?;
    if left_out > 0 {
        let message = "The comments of the slide were not copied.";
        session.warn(Some(Spot::new(&copy.key, "")), "comments_not_copied", message);
    }
    session.record(Spot::new(&copy.key, ""), None, Some(title), Some("structure"));
    Ok(())
}

/// What happens to the target of a relationship.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Policy {
    Copy,
    Share,
    Drop,
}

/// By kind of relationship; what is not known is copied, for sharing it would tie the two slides together.
fn policy(kind: &str) -> Policy {
    match kind {
        "slide" | "slideLayout" | "slideMaster" | "notesMaster" | "handoutMaster" | "theme" => Policy::Share,
        "image" | "audio" | "video" | "media" | "hdphoto" | "model3d" | "font" => Policy::Share,
        "comments" => Policy::Drop,
        _ => Policy::Copy,
    }
}

/// The copies made for one slide.
struct Copies<'p, 'a> {
    package: &'p mut Package<'a>,
    /// Original to copy, by canonical name.
    made: BTreeMap<String, PartName>,
    /// How many relationships were not copied: comments.
    left_out: usize,
    /// What makes new creation ids differ from the old ones.
    seed: u32,
}

impl Copies<'_, '_> {
    /// Copies a part with everything that belongs to it.
    fn copy(&mut self, part: &PartName) -> Result<PartName, EditError> {
        if let Some(copy) = self.made.get(&part.canonical()) {
            return Ok(copy.clone());
        }
        let (before, after) = name_pattern(part);
        let copy = self.package.unused_name(&before, &after);
        let content_type = self.package.content_type(part)?.ok_or_else(|| {
            EditError::new(EditErrorKind::Damaged, format!("The part {part} has no content type."))
        })?;
        let bytes = self.package.require(part)?.to_vec();
        self.package.add(&copy, bytes, &content_type)?;
        self.made.insert(part.canonical(), copy.clone());
        let dropped = self.copy_relationships(part, &copy)?;
        self.freshen(&copy, &dropped)?;
        Ok(copy)
    }

    /// Copies the relationships of a part under the same ids; gives the ids of those that were left out.
    fn copy_relationships(&mut self, part: &PartName, copy: &PartName) -> Result<Vec<String>, EditError> {
        let source = part.relationships_part();
        if !self.package.has(&source) {
            return Ok(Vec::new());
        }
        let xml = self.package.xml(&source)?;
        let relationships = self.package.relationships(part)?;
        let mut splices = Splices::default();
        let mut dropped = Vec::new();
        for element in xml.children_named(xml.root(), Ns::PackageRelationships, "Relationship") {
            let id = xml.value(element, Ns::None, "Id").unwrap_or_default();
            let Some(relationship) = relationships.by_id(&id) else { continue };
            let Some(target) = relationship.part().filter(|target| self.package.has(target)) else {
                continue;
            };
            let kind = relationship.kind.rsplit('/').next().unwrap_or_default();
            let new = match policy(kind) {
                Policy::Drop => {
                    splices.delete(xml.span(element));
                    dropped.push(relationship.id.clone());
                    self.left_out += 1;
                    continue;
                }
                // The way back from notes to their slide, and a jump of the slide to itself.
                Policy::Share => self.made.get(&target.canonical()).filter(|_| kind == "slide").cloned(),
                Policy::Copy => Some(self.copy(&target)?),
            };
            if let Some(new) = new {
                let target = copy.relative(&new);
                xml.set_attribute(&mut splices, element, Ns::None, "Target", "Target", &target)?;
            }
        }
        let bytes = xml.write(splices)?;
        self.package.add(&copy.relationships_part(), bytes, RELATIONSHIPS)?;
        Ok(dropped)
    }

    /// Gives a copied slide or notes part its own creation id, and takes out what named left-out relationships.
    fn freshen(&mut self, copy: &PartName, dropped: &[String]) -> Result<(), EditError> {
        let is_slide = ["slide", "notesSlide"].iter().any(|word| copy.file_name().starts_with(word));
        if !is_slide {
            return Ok(());
        }
        let xml = self.package.xml(copy)?;
        let mut splices = Splices::default();
        for element in xml.descendants_named(xml.root(), Ns::P14, "creationId") {
            if let Some(attribute) = xml.attribute(element, Ns::None, "val") {
                let fresh = crc32fast::hash(format!("{}-{}", attribute.value, self.seed).as_bytes());
                splices.replace(attribute.value_span, fresh.max(1).to_string());
            }
        }
        for element in extensions_naming(&xml, dropped) {
            splices.delete(xml.span(element));
        }
        let bytes = xml.write(splices)?;
        self.package.replace(copy, bytes)
    }
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

/// What stands before and after the number of a part's name.
fn name_pattern(part: &PartName) -> (String, String) {
    let name = part.as_str();
    let stem_end = name.rfind('.').filter(|dot| *dot > part.folder().len()).unwrap_or(name.len());
    let stem = name[..stem_end].trim_end_matches(|character: char| character.is_ascii_digit());
    (stem.to_owned(), name[stem_end..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_pattern() {
        let pattern = |name: &str| name_pattern(&PartName::new(name));
        assert_eq!(pattern("ppt/slides/slide12.xml"), ("ppt/slides/slide".into(), ".xml".into()));
        assert_eq!(pattern("ppt/embeddings/Book.xlsx"), ("ppt/embeddings/Book".into(), ".xlsx".into()));
        assert_eq!(pattern("ppt/v1.2/blob"), ("ppt/v1.2/blob".into(), String::new()));
    }
}
