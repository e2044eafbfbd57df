//! The sections of a deck (`p14:sectionLst`, [MS-PPTX] 2.2.4): each slide in exactly one, in show order.

use super::markup::{append, insert_after, insert_before, remove, space_before};
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

/// The id of the section that only this slide is in.
pub(super) fn emptied_without(xml: &Xml, id: u32) -> Option<String> {
    let section = xml.descendants_named(xml.root(), Ns::P14, "section").find(|section| {
        let mut slides = xml.descendants_named(*section, Ns::P14, "sldId").map(|entry| id_of(xml, entry));
        slides.next() == Some(Some(id)) && slides.next().is_none()
    })?;
    xml.value(section, Ns::None, "id").map(|id| id.into_owned())
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
    match xml.child(section, Ns::P14, "sldIdLst") {
        Some(list) => append(xml, list, &format!("<{}sldId id=\"{id}\"/>", xml.prefix(section)), splices),
        None => fill(xml, section, &format!("<{}sldId id=\"{id}\"/>", xml.prefix(section)), splices),
    }
}

/// A slide's move in the list: 0-based places before and after.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    pub(super) from: usize,
    pub(super) to: usize,
}

/// Plans that a slide moves into the section of the slide whose place it takes; `shown` is the show order before.
///
/// At the edge of a section two sections are meant by one place, so a slide that comes back could not be told from one that was always
/// in the other. Its entry remembers: tabs at the end of its tag, which XML gives no meaning, count the sections by which it stood off
/// the one that a move back would choose. A move back takes them out again, so that there and back gives the old bytes.
///
/// Gives the names of the old section and the new one where these differ.
pub(super) fn transfer(xml: &Xml, shown: &[u32], change: Move, splices: &mut Splices) -> Option<[String; 2]> {
    let id = shown.get(change.from).copied()?;
    let sections = Sections::read(xml);
    if !sections.lists(shown) {
        transfer_loosely(xml, id, shown, change, splices);
        return None;
    }
    let own = sections.entries[change.from];
    let old = sections.owner[change.from];
    let (left, right) =
        (sections.choices(change.from, change.from), sections.choices(change.from, change.to));
    let is_down = change.from < change.to;
    let memory = marks(xml, own);
    let step = memory % right.len();
    let target = if is_down { right.start + step } else { right.end - 1 - step };
    let off = if is_down { left.end - 1 - old } else { old - left.start };
    let kept = off + left.len() * (memory / right.len());
    let raw = marked(xml, own, if kept > MOST_MARKS { off } else { kept });
    sections.put(xml, own, change, (old, target), &raw, splices);
    let name = |section: usize| {
        let name = xml.value(sections.sections[section], Ns::None, "name");
        name.map(|name| name.into_owned()).unwrap_or_default()
    };
    (old != target).then(|| [old, target].map(name))
}

/// Above this the memory is not worth its bytes.
const MOST_MARKS: usize = 64;

/// How many tabs stand at the end of an entry's tag.
fn marks(xml: &Xml, entry: NodeId) -> usize {
    let inside = tag_inside(xml, entry);
    inside.len() - inside.trim_end_matches('\t').len()
}

/// An entry with this many tabs at the end of its tag.
fn marked(xml: &Xml, entry: NodeId, count: usize) -> String {
    let raw = xml.raw(entry);
    let inside = tag_inside(xml, entry);
    format!("{}{}{}", inside.trim_end_matches('\t'), "\t".repeat(count), &raw[inside.len()..])
}

/// The tag of an entry without what closes it.
fn tag_inside(xml: &Xml, entry: NodeId) -> &str {
    let tag = xml.slice(xml.start_tag(entry));
    tag.strip_suffix("/>").or_else(|| tag.strip_suffix('>')).unwrap_or(tag)
}

/// All sections and their entries, in order.
struct Sections {
    sections: Vec<NodeId>,
    entries: Vec<NodeId>,
    /// Which section each entry is in.
    owner: Vec<usize>,
    ids: Vec<Option<u32>>,
}

impl Sections {
    fn read(xml: &Xml) -> Sections {
        let sections = xml.descendants_named(xml.root(), Ns::P14, "section").collect();
        let mut read = Sections { sections, entries: Vec::new(), owner: Vec::new(), ids: Vec::new() };
        for (index, section) in read.sections.iter().enumerate() {
            for entry in xml.descendants_named(*section, Ns::P14, "sldId") {
                read.entries.push(entry);
                read.owner.push(index);
                read.ids.push(id_of(xml, entry));
            }
        }
        read
    }

    /// Whether they list exactly these slides in this order.
    fn lists(&self, shown: &[u32]) -> bool {
        self.ids.iter().copied().eq(shown.iter().copied().map(Some))
    }

    /// The sections that a slide at place `at` may be in, when the slide at `without` is taken out before.
    fn choices(&self, without: usize, at: usize) -> std::ops::Range<usize> {
        let mut others = self.owner.clone();
        others.remove(without);
        let first = at.checked_sub(1).map_or(0, |before| others[before]);
        let last = others.get(at).copied().unwrap_or(self.sections.len() - 1);
        first..last + 1
    }

    /// Plans an entry's new place and markup.
    fn put(
        &self,
        xml: &Xml,
        own: NodeId,
        change: Move,
        (old, target): (usize, usize),
        raw: &str,
        splices: &mut Splices,
    ) {
        let inside = |section: usize| {
            let entries = self.entries.iter().zip(&self.owner);
            entries.filter(move |(_, owner)| **owner == section).map(|(entry, _)| *entry)
        };
        let siblings: Vec<NodeId> = inside(target).filter(|entry| *entry != own).collect();
        let mut before = self.entries.clone();
        before.remove(change.from);
        let index = before[..change.to].iter().filter(|entry| siblings.contains(entry)).count();
        if old == target {
            let places: Vec<NodeId> = inside(target).collect();
            let mut wanted = siblings;
            wanted.insert(index, own);
            for (place, entry) in places.iter().zip(&wanted) {
                let markup = if *entry == own { raw } else { xml.raw(*entry) };
                if xml.raw(*place) != markup {
                    splices.replace(xml.span(*place), markup);
                }
            }
            return;
        }
        remove(xml, own, splices);
        match (index.checked_sub(1).map(|before| siblings[before]), siblings.first()) {
            (Some(previous), _) => insert_after(xml, previous, raw, splices),
            (None, Some(first)) => insert_before(xml, *first, raw, splices),
            (None, None) => {
                let space = xml.slice(space_before(xml, own)).to_owned();
                fill(xml, self.sections[target], &format!("{space}{raw}"), splices);
            }
        }
    }
}

/// Moves where the sections do not list the slides as they are shown: beside the neighbour, if that is in a section.
fn transfer_loosely(xml: &Xml, id: u32, shown: &[u32], change: Move, splices: &mut Splices) {
    let Some(neighbour) = shown.get(change.to).copied() else { return };
    let find = |wanted| entries(xml).find(|entry| id_of(xml, *entry) == Some(wanted));
    let is_down = change.from < change.to;
    let (Some(own), Some(other)) = (find(id), find(neighbour)) else {
        // In a section only from now on, or no more in any known one.
        leave(xml, id, splices);
        let place = if is_down { Beside::After(neighbour) } else { Beside::Before(neighbour) };
        return join(xml, id, place, splices);
    };
    let raw = xml.raw(own);
    let all: Vec<NodeId> = entries(xml).collect();
    let follows = |one: NodeId, next: NodeId| {
        xml.parent(one) == xml.parent(next) && all.windows(2).any(|pair| *pair == [one, next])
    };
    let is_there = if is_down { follows(other, own) } else { follows(own, other) };
    if own == other || is_there {
        return;
    }
    remove(xml, own, splices);
    match is_down {
        true => insert_after(xml, other, raw, splices),
        false => insert_before(xml, other, raw, splices),
    }
}

/// Plans the only entry of a section.
fn fill(xml: &Xml, section: NodeId, markup: &str, splices: &mut Splices) {
    let prefix = xml.prefix(section);
    match xml.child(section, Ns::P14, "sldIdLst") {
        Some(list) if xml.is_empty_tag(list) => append(xml, list, markup, splices),
        Some(list) => splices.insert(xml.content(list).start, markup),
        None => {
            let markup = format!("<{prefix}sldIdLst>{markup}</{prefix}sldIdLst>");
            match xml.children(section).next() {
                Some(first) => insert_before(xml, first, &markup, splices),
                None => append(xml, section, &markup, splices),
            }
        }
    }
}

fn entries(xml: &Xml) -> impl Iterator<Item = NodeId> + '_ {
    let sections = xml.descendants_named(xml.root(), Ns::P14, "section");
    sections.flat_map(|section| xml.descendants_named(section, Ns::P14, "sldId"))
}

fn id_of(xml: &Xml, entry: NodeId) -> Option<u32> {
    xml.value(entry, Ns::None, "id").and_then(|id| id.trim().parse().ok())
}
