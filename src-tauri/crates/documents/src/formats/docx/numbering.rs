//! Numbering definitions (ECMA-376-1, 17.9), as far as a list item needs to be told: which format at which level.

use std::collections::HashMap;

use crate::{
    DocumentError,
    package::{
        Package, PartName,
        xml::{NodeId, Ns, Xml},
    },
};

/// Formats by definition and level.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    pub(super) part: Option<PartName>,
    /// `numId` → `abstractNumId`.
    instances: HashMap<u32, u32>,
    /// (`abstractNumId`, level) → `numFmt`.
    formats: HashMap<(u32, u32), String>,
}

impl Numbering {
    pub(super) fn read(package: &Package<'_>) -> Result<Numbering, DocumentError> {
        let main = package.main_part()?;
        let part = package.relationships(&main)?.part_of_kind("numbering").filter(|part| package.has(part));
        let Some(part) = part else { return Ok(Numbering::default()) };
        let Ok(xml) = package.xml(&part) else { return Ok(Numbering::default()) };
        let mut numbering = Numbering { part: Some(part), ..Numbering::default() };
        for definition in xml.children_named(xml.root(), Ns::W, "abstractNum") {
            let Some(id) = number(&xml, definition, "abstractNumId") else { continue };
            for level in xml.children_named(definition, Ns::W, "lvl") {
                let format =
                    xml.child(level, Ns::W, "numFmt").and_then(|format| xml.value(format, Ns::W, "val"));
                if let (Some(position), Some(format)) = (number(&xml, level, "ilvl"), format) {
                    numbering.formats.insert((id, position), format.into_owned());
                }
            }
        }
        for instance in xml.children_named(xml.root(), Ns::W, "num") {
            let definition = xml.child(instance, Ns::W, "abstractNumId");
            let definition = definition.and_then(|definition| number(&xml, definition, "val"));
            if let (Some(id), Some(definition)) = (number(&xml, instance, "numId"), definition) {
                numbering.instances.insert(id, definition);
            }
        }
        Ok(numbering)
    }

    /// The definition behind an instance.
    pub(super) fn definition(&self, num_id: u32) -> Option<u32> {
        self.instances.get(&num_id).copied()
    }

    /// A definition in use whose levels down to this one have a format (ordered lists may differ below the first).
    pub(super) fn definition_with(&self, format: &str, level: usize) -> Option<u32> {
        let is_fit = |definition: &u32| {
            (0..=level as u32).all(|level| {
                let own = self.formats.get(&(*definition, level)).map(String::as_str);
                match (format, own) {
                    ("bullet", own) => own == Some("bullet"),
                    (_, Some("bullet" | "none") | None) => false,
                    (_, Some(own)) => level > 0 || own == format,
                }
            })
        };
        let mut definitions: Vec<u32> = self.instances.values().copied().filter(is_fit).collect();
        definitions.sort_unstable();
        definitions.first().copied()
    }

    /// The format of a list level: `bullet`, `decimal`, …
    pub(super) fn format(&self, num_id: u32, level: u32) -> Option<&str> {
        let definition = self.instances.get(&num_id)?;
        self.formats.get(&(*definition, level)).map(String::as_str)
    }
}

fn number(xml: &Xml, element: NodeId, attribute: &str) -> Option<u32> {
    xml.value(element, Ns::W, attribute)?.trim().parse().ok()
}
