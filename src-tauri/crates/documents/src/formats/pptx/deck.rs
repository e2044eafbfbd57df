//! The deck: which slides there are, in show order, and what belongs to each (layout, notes, section). Reading only.
//!
//! Slides are found through `p:sldIdLst` and its relationships, never by part names, which carry no order (ECMA-376-1, 19.2.1.34).

use std::collections::HashMap;

use crate::{
    DocumentError,
    package::{
        Package, PartName,
        xml::{Ns, Xml},
    },
};

/// What identifies a slide across the operations of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct SlideKey {
    pub(super) id: u32,
    pub(super) relationship: String,
}

/// One slide of the list.
#[derive(Debug, Clone)]
pub(super) struct SlideEntry {
    pub(super) key: SlideKey,
    /// The slide part; the empty name when the list points nowhere.
    pub(super) part: PartName,
}

/// The slides in show order.
#[derive(Debug, Clone)]
pub(super) struct Deck {
    /// The presentation part.
    pub(super) main: PartName,
    pub(super) slides: Vec<SlideEntry>,
}

impl Deck {
    /// Reads the slide list.
    pub(super) fn read(package: &Package<'_>) -> Result<Deck, DocumentError> {
        let main = package.main_part()?;
        let xml = package.xml(&main)?;
        if !xml.is(xml.root(), Ns::P, "presentation") {
            let message = format!("The main part {main} is no presentation.");
            return Err(DocumentError::Unsupported(message));
        }
        let relationships = package.relationships(&main)?;
        let targets: HashMap<&str, PartName> = relationships
            .of_kind("slide")
            .filter_map(|relationship| Some((relationship.id.as_str(), relationship.part()?)))
            .collect();
        let slides = slide_ids(&xml)
            .map(|key| {
                let part = targets.get(key.relationship.as_str()).cloned().unwrap_or_else(PartName::root);
                SlideEntry { key, part }
            })
            .collect();
        Ok(Deck { main, slides })
    }

    /// The 0-based place of a slide now.
    pub(super) fn position(&self, key: &SlideKey) -> Option<usize> {
        self.slides.iter().position(|slide| slide.key == *key)
    }
}

/// The `p:sldId` entries of a presentation part; those of `p14:sectionLst` have another namespace and are not meant.
fn slide_ids(xml: &Xml) -> impl Iterator<Item = SlideKey> + '_ {
    let list = xml.child(xml.root(), Ns::P, "sldIdLst");
    list.into_iter().flat_map(|list| xml.children_named(list, Ns::P, "sldId")).map(|entry| SlideKey {
        id: xml.value(entry, Ns::None, "id").and_then(|id| id.trim().parse().ok()).unwrap_or(0),
        relationship: xml.value(entry, Ns::R, "id").map(|id| id.into_owned()).unwrap_or_default(),
    })
}

/// The section name of each slide id, where the deck has sections.
pub(super) fn sections(xml: &Xml) -> HashMap<u32, String> {
    let mut names = HashMap::new();
    for section in xml.descendants_named(xml.root(), Ns::P14, "section") {
        let name = xml.value(section, Ns::None, "name").unwrap_or_default();
        for entry in xml.descendants_named(section, Ns::P14, "sldId") {
            if let Some(id) = xml.value(entry, Ns::None, "id").and_then(|id| id.trim().parse().ok()) {
                names.insert(id, name.to_string());
            }
        }
    }
    names
}

/// The notes part of a slide, when it exists.
pub(super) fn notes_of(package: &Package<'_>, slide: &PartName) -> Result<Option<PartName>, DocumentError> {
    let notes = package.relationships(slide)?.part_of_kind("notesSlide");
    Ok(notes.filter(|part| package.has(part)))
}

/// Whether the slide is left out of the show (`p:sld@show`, 19.3.1.38).
pub(super) fn is_hidden(xml: &Xml) -> bool {
    xml.value(xml.root(), Ns::None, "show").is_some_and(|show| matches!(show.trim(), "0" | "false"))
}
