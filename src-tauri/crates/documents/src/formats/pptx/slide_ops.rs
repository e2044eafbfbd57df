//! Moving and hiding slides, and what all slide operations share: the expected title, a slide's place in the list.

use super::{
    app_properties::{Counted, ListChange, updated},
    deck::{Deck, SlideEntry, is_hidden},
    find::shortened,
    markup::{append, insert_after, insert_before, moved, relationship_prefix, reorder},
    pointers::{SlideShift, shift_ranges},
    sections::{self, Beside, Move},
    session::{Session, Spot},
    shapes::{shapes, title},
    stories::shape_text,
};
use crate::{
    EditError, Place,
    error::EditErrorKind,
    package::{
        Package, PartName,
        xml::{NodeId, Ns, Splices, Xml},
    },
};

/// The title of a slide, empty when it has none.
pub(super) fn slide_title(xml: &Xml, part: &PartName) -> String {
    let all = shapes(xml);
    title(&all).and_then(|shape| shape_text(xml, part, shape)).map(|story| story.text).unwrap_or_default()
}

/// Refuses when the slide has another title than the caller expects; gives the title.
pub(super) fn expect_title(
    session: &Session<'_, '_>,
    deck: &Deck,
    entry: &SlideEntry,
    expected: Option<&str>,
) -> Result<String, EditError> {
    let title = slide_title(&session.package.xml(&entry.part)?, &entry.part);
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    match expected {
        Some(expected) if plain(expected) != plain(&title) => {
            let label = session.label(deck, &entry.key);
            let message =
                format!("The title of {label} is {:?}, not {:?}.", shortened(&title), shortened(expected));
            Err(EditError::new(EditErrorKind::PrefixMismatch, message)
                .hint("Read the outline again; nothing was changed.")
                .matches(vec![Place { location: label, text: shortened(&title) }]))
        }
        _ => Ok(title),
    }
}

/// `pptx_move_slide`: the slide takes the place of the one that stands there, in its section.
pub(super) fn move_slide(
    session: &mut Session<'_, '_>,
    slide: usize,
    to: usize,
    expected: Option<&str>,
) -> Result<(), EditError> {
    let deck = session.deck()?;
    let entry = session.slide(&deck, slide)?;
    let title = expect_title(session, &deck, &entry, expected)?;
    let from = deck.position(&entry.key).unwrap_or(0);
    let to = session.place(&deck, to, Room::Taken, Some(&entry))?;
    if from == to {
        return Ok(());
    }
    let xml = session.package.xml(&deck.main)?;
    let mut splices = Splices::default();
    let entries = list_entries(&xml);
    if entries.len() != deck.slides.len() {
        return Err(EditError::new(EditErrorKind::Damaged, "The slide list cannot be read."));
    }
    reorder(&xml, &entries, &moved(entries.len(), from, to), &mut splices);
    let shown: Vec<u32> = deck.slides.iter().map(|slide| slide.key.id).collect();
    let between = sections::transfer(&xml, &shown, Move { from, to }, &mut splices);
    let mut written = vec![(deck.main.clone(), xml.write(splices)?)];
    let counted = Counted::of(deck.slides.len(), ListChange::Moved { from, to });
    written.extend(updated(&session.package, &counted)?);
    warn_about_range(session, &deck, from, to)?;
    session.write(written)?;
    if let Some([old, new]) = between {
        let message = format!("The slide left the section {old:?} and is in the section {new:?} now.");
        session.warn(Some(Spot::new(&entry.key, "")), "section_changed", message);
    }
    session.record(Spot::new(&entry.key, ""), Some(title.clone()), Some(title), Some("moved"));
    Ok(())
}

/// A show of slides "from … to …" is by number (`p:sldRg`), so a move can change which slides it shows.
fn warn_about_range(
    session: &mut Session<'_, '_>,
    deck: &Deck,
    from: usize,
    to: usize,
) -> Result<(), EditError> {
    let Some((_, xml)) = presentation_properties(&session.package, deck)? else { return Ok(()) };
    for range in xml.descendants_named(xml.root(), Ns::P, "sldRg") {
        let number = |name| xml.value(range, Ns::None, name).and_then(|value| value.trim().parse().ok());
        let (Some(start), Some(end)) = (number("st"), number("end")) else { continue };
        let shown = |position: usize| (start..=end).contains(&(position + 1));
        if shown(from) != shown(to) {
            let message = format!(
                "The show is set to slides {start} to {end} by number; after the move these are not the same slides."
            );
            session.warn(None, "show_range_changed", message);
        }
    }
    Ok(())
}

/// The presentation properties with their part, when the deck has them.
pub(super) fn presentation_properties(
    package: &Package<'_>,
    deck: &Deck,
) -> Result<Option<(PartName, Xml)>, EditError> {
    let part = package.relationships(&deck.main)?.part_of_kind("presProps");
    match part.filter(|part| package.has(part)) {
        Some(part) => {
            let xml = package.xml(&part)?;
            Ok(Some((part, xml)))
        }
        None => Ok(None),
    }
}

/// `pptx_hide_slide`.
pub(super) fn hide_slide(
    session: &mut Session<'_, '_>,
    slide: usize,
    hidden: bool,
    expected: Option<&str>,
) -> Result<(), EditError> {
    let deck = session.deck()?;
    let entry = session.slide(&deck, slide)?;
    expect_title(session, &deck, &entry, expected)?;
    let xml = session.package.xml(&entry.part)?;
    if is_hidden(&xml) == hidden {
        return Ok(());
    }
    let mut splices = Splices::default();
    match xml.attribute(xml.root(), Ns::None, "show") {
        Some(attribute) if !hidden => splices.delete(attribute.whole),
        _ => xml.set_attribute(&mut splices, xml.root(), Ns::None, "show", "show", "0")?,
    }
    let change = if hidden { 1 } else { -1 };
    let counted = Counted { hidden: change, ..Counted::of(deck.slides.len(), ListChange::None) };
    let mut written = vec![(entry.part.clone(), xml.write(splices)?)];
    written.extend(updated(&session.package, &counted)?);
    session.write(written)?;
    let word = |hidden| Some(String::from(if hidden { "hidden" } else { "shown" }));
    session.record(Spot::new(&entry.key, ""), word(!hidden), word(hidden), Some("structure"));
    Ok(())
}

/// Whether a position must be one that a slide has, or may be the one behind the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    Taken,
    OrBehind,
}

impl Session<'_, '_> {
    /// The 0-based place now of a position that the caller read. The position of a slide that moves itself is where it is to go back.
    pub(super) fn place(
        &self,
        deck: &Deck,
        position: usize,
        room: Room,
        moving: Option<&SlideEntry>,
    ) -> Result<usize, EditError> {
        let count = self.base_count();
        if room == Room::OrBehind && position == count + 1 {
            return Ok(deck.slides.len());
        }
        if !(1..=count).contains(&position) {
            let message = format!("There is no position {position}; the deck has {count} slides.");
            return Err(EditError::new(EditErrorKind::OutOfRange, message));
        }
        let there = self.slide(deck, position)?;
        if moving.is_some_and(|moving| moving.key == there.key) {
            return Ok((position - 1).min(deck.slides.len() - 1));
        }
        Ok(deck.position(&there.key).unwrap_or(0))
    }
}

/// The elements of the slide list.
fn list_entries(xml: &Xml) -> Vec<NodeId> {
    let list = xml.child(xml.root(), Ns::P, "sldIdLst");
    list.into_iter().flat_map(|list| xml.children_named(list, Ns::P, "sldId")).collect()
}

/// A slide part that is in the package and shall stand in the list.
pub(super) struct NewSlide {
    pub(super) part: PartName,
    /// 0-based.
    pub(super) at: usize,
    pub(super) title: String,
    pub(super) hidden: bool,
    pub(super) has_notes: bool,
    /// The slide whose section it shares, when it is not simply the one before.
    pub(super) beside: Option<u32>,
}

/// Lists a new slide: relationship, slide list, section, show ranges, properties. Gives its entry.
pub(super) fn enlist(session: &mut Session<'_, '_>, new: NewSlide) -> Result<SlideEntry, EditError> {
    let deck = session.deck()?;
    let id = session.new_slide_id(&deck)?;
    let relationship = session.package.add_relationship(&deck.main, "slide", &new.part)?;
    let strict = session.package.is_strict()?;
    let xml = session.package.xml(&deck.main)?;
    let mut splices = Splices::default();
    list(&xml, new.at, id, &relationship, strict, &mut splices);
    let beside = match (new.beside, new.at.checked_sub(1), deck.slides.first()) {
        (Some(neighbour), ..) => Beside::After(neighbour),
        (None, Some(before), _) => Beside::After(deck.slides[before].key.id),
        (None, None, Some(first)) => Beside::Before(first.key.id),
        (None, None, None) => Beside::Alone,
    };
    sections::join(&xml, id, beside, &mut splices);
    let mut written = vec![(deck.main.clone(), xml.write(splices)?)];
    if let Some((part, properties)) = presentation_properties(&session.package, &deck)? {
        let mut splices = Splices::default();
        let shift = SlideShift::Added(new.at + 1);
        shift_ranges(&properties, shift, &Default::default(), &mut splices)?;
        written.push((part, properties.write(splices)?));
    }
    let counted = Counted {
        hidden: i64::from(new.hidden),
        notes: i64::from(new.has_notes),
        ..Counted::of(deck.slides.len(), ListChange::Added { at: new.at, title: new.title })
    };
    written.extend(updated(&session.package, &counted)?);
    session.write(written)?;
    let key = super::deck::SlideKey { id, relationship };
    Ok(SlideEntry { key, part: new.part })
}

/// Puts an entry into the slide list, which stands behind the lists of masters (`CT_Presentation`, 19.2.1.26).
fn list(xml: &Xml, at: usize, id: u32, relationship: &str, strict: bool, splices: &mut Splices) {
    let entries = list_entries(xml);
    let scope = xml.child(xml.root(), Ns::P, "sldIdLst").unwrap_or(xml.root());
    let (r, declared) = relationship_prefix(xml, scope, strict);
    let p = xml.prefix(xml.root());
    let entry = format!("<{p}sldId id=\"{id}\" {r}id=\"{relationship}\"{declared}/>");
    match (entries.get(at), entries.last(), xml.child(xml.root(), Ns::P, "sldIdLst")) {
        (Some(next), ..) => insert_before(xml, *next, &entry, splices),
        (None, Some(last), _) => insert_after(xml, *last, &entry, splices),
        (None, None, Some(list)) => append(xml, list, &entry, splices),
        (None, None, None) => {
            let list = format!("<{p}sldIdLst>{entry}</{p}sldIdLst>");
            let masters = ["sldMasterIdLst", "notesMasterIdLst", "handoutMasterIdLst"];
            let last = masters.iter().rev().find_map(|local| xml.child(xml.root(), Ns::P, local));
            match (last, xml.children(xml.root()).next()) {
                (Some(last), _) => splices.insert(xml.span(last).end, list),
                (None, Some(first)) => splices.insert(xml.span(first).start, list),
                (None, None) => append(xml, xml.root(), &list, splices),
            }
        }
    }
}

impl Session<'_, '_> {
    /// An id that no slide has or had in this batch (`ST_SlideId`, 19.7.13: 256 to 2,147,483,647).
    fn new_slide_id(&mut self, deck: &Deck) -> Result<u32, EditError> {
        const END: u32 = 2_147_483_648;
        let taken = |id: &u32| deck.slides.iter().any(|slide| slide.key.id == *id) || self.was_listed(*id);
        let id = match self.next_slide_id < END {
            true => Some(self.next_slide_id),
            false => (256..END).find(|id| !taken(id)),
        };
        let id = id.ok_or_else(|| EditError::new(EditErrorKind::TooLarge, "No slide id is left."))?;
        self.next_slide_id = self.next_slide_id.max(id.saturating_add(1));
        Ok(id)
    }
}
