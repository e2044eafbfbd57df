//! Layouts by name and master. Reading only.

use super::deck::Deck;
use crate::{
    DocumentError,
    package::{
        Package, PartName,
        xml::{Ns, Xml},
    },
};

/// One layout of the deck.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) part: PartName,
    pub(super) name: String,
    /// `p:sldLayout@type` (19.7.15): `title`, `obj`, `secHead`, …
    pub(super) kind: String,
    pub(super) master: PartName,
}

/// All layouts, in the order of the masters and of their lists.
pub(super) fn layouts(package: &Package<'_>, deck: &Deck) -> Result<Vec<Layout>, DocumentError> {
    let mut found = Vec::new();
    for master in listed(package, &deck.main, "sldMasterId")? {
        for part in listed(package, &master, "sldLayoutId")? {
            let xml = package.xml(&part)?;
            let kind = xml.value(xml.root(), Ns::None, "type").map(|kind| kind.into_owned());
            found.push(Layout {
                name: layout_name(&xml),
                kind: kind.unwrap_or_default(),
                master: master.clone(),
                part,
            });
        }
    }
    Ok(found)
}

/// The parts that a list of ids in a part names (`p:sldMasterId`, `p:sldLayoutId`), as far as they exist.
fn listed(package: &Package<'_>, source: &PartName, entry: &str) -> Result<Vec<PartName>, DocumentError> {
    let xml = package.xml(source)?;
    let relationships = package.relationships(source)?;
    let ids =
        xml.descendants_named(xml.root(), Ns::P, entry).filter_map(|entry| xml.value(entry, Ns::R, "id"));
    let parts = ids.filter_map(|id| relationships.by_id(&id)?.part());
    Ok(parts.filter(|part| package.has(part)).collect())
}

/// The first slide master.
pub(super) fn first_master(package: &Package<'_>, deck: &Deck) -> Result<Option<PartName>, DocumentError> {
    Ok(listed(package, &deck.main, "sldMasterId")?.into_iter().next())
}

/// The name of a layout or master as PowerPoint shows it (`p:cSld@name`).
pub(super) fn layout_name(xml: &Xml) -> String {
    let data = xml.child(xml.root(), Ns::P, "cSld");
    data.and_then(|data| xml.value(data, Ns::None, "name")).map(|name| name.into_owned()).unwrap_or_default()
}
