//! The sections of a deck (`p14:sectionLst`, [MS-PPTX] 2.2.4): each slide in exactly one, in show order.

use super::markup::{append, insert_after, insert_before, moved, remove, reorder};
use crate::package::xml::{NodeId, Ns, Splices, Xml};

/// Where a slide goes among the sections' entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    Before(u32),
    After(u32),
    /// The deck has no other slide.
    Alone,
}

/// Plans that a slide leaves its section.
pub(super) fn leave(xml: &Xml, id: u32, splices: &mut Splices) {
    for entry in entries(xml).filter(|entry| id_of(xml, *entry) == Some(id)) {
        remove(xml, entry, splices);
    }
}

/// Plans that a new slide joins the section of a neighbour.
pub(super) fn join(xml: &Xml, id: u32, place: Beside, splices: &mut Splices) {
    let find = |wanted| entries(xml).find(|entry| id_of(xml, *entry) == Some(wanted));
    let markup = |entry: NodeId| format!("<{} id=\"{id}\"/>", xml.qualified_name(entry));
    match place {
        Beside::After(neighbour) => {
            if let Some(entry) = find(neighbour) {
                return insert_after(xml, entry, &markup(entry), splices);
            }
        }
        Beside::Before(neighbour) => {
            if let Some(entry) = find(neighbour) {
                return insert_before(xml, entry, &markup(entry), splices);
            }
        }
        Beside::Alone => {}
    }
    // The neighbour is in no section: the last section takes the slide rather than none.
    let Some(section) = xml.descendants_named(xml.root(), Ns::P14, "section").last() else { return };
    let prefix = xml.prefix(section);
    match xml.child(section, Ns::P14, "sldIdLst") {
        Some(list) => append(xml, list, &format!("<{prefix}sldId id=\"{id}\"/>"), splices),
        None => {
            let markup = format!("<{prefix}sldIdLst><{prefix}sldId id=\"{id}\"/></{prefix}sldIdLst>");
            match xml.children(section).next() {
                Some(first) => insert_before(xml, first, &markup, splices),
                None => append(xml, section, &markup, splices),
            }
        }
    }
}

/// Plans that a slide moves beside another one, into the other's section.
pub(super) fn transfer(xml: &Xml, id: u32, place: Beside, splices: &mut Splices) {
    let (Beside::Before(neighbour) | Beside::After(neighbour)) = place else { return };
    let find = |wanted| entries(xml).find(|entry| id_of(xml, *entry) == Some(wanted));
    let (Some(own), Some(other)) = (find(id), find(neighbour)) else {
        // In a section only from now on, or no more in any known one.
        leave(xml, id, splices);
        return join(xml, id, place, splices);
    };
    if xml.parent(own) != xml.parent(other) {
        remove(xml, own, splices);
        let raw = xml.raw(own);
        return match place {
            Beside::After(_) => insert_after(xml, other, raw, splices),
            _ => insert_before(xml, other, raw, splices),
        };
    }
    let siblings: Vec<NodeId> =
        xml.parent(own).into_iter().flat_map(|list| xml.children_named(list, Ns::P14, "sldId")).collect();
    let position = |entry| siblings.iter().position(|sibling| *sibling == entry);
    let (Some(from), Some(to)) = (position(own), position(other)) else { return };
    let to = match place {
        Beside::After(_) if from > to => to + 1,
        Beside::Before(_) if from < to => to - 1,
        _ => to,
    };
    reorder(xml, &siblings, &moved(siblings.len(), from, to), splices);
}

fn entries(xml: &Xml) -> impl Iterator<Item = NodeId> + '_ {
    let sections = xml.descendants_named(xml.root(), Ns::P14, "section");
    sections.flat_map(|section| xml.descendants_named(section, Ns::P14, "sldId"))
}

fn id_of(xml: &Xml, entry: NodeId) -> Option<u32> {
    xml.value(entry, Ns::None, "id").and_then(|id| id.trim().parse().ok())
}
