//! Deleting a slide: the part, everything that only it uses, and every pointer to it (ooxml research, D2; NOTES.md, "Delete").

use std::collections::BTreeSet;

use super::{
    app_properties::{Counted, ListChange, updated},
    deck::{Deck, SlideEntry, is_hidden, notes_of},
    graph::Graph,
    markup::remove,
    parts::{Parts, Plan},
    pointers::{
        SlideShift, animates, drop_references, references, shape_ids, shift_ranges, show_jumps, zooms,
    },
    sections,
    session::{Session, Spot},
    slide_ops::expect_title,
};
use crate::{
    EditError,
    error::EditErrorKind,
    package::{
        Package, PartName,
        xml::{NodeId, Ns, Splices, Xml},
    },
};

/// `pptx_delete_slide`.
pub(super) fn delete_slide(
    session: &mut Session<'_, '_>,
    slide: usize,
    expected: Option<&str>,
) -> Result<(), EditError> {
    let deck = session.deck()?;
    let entry = session.slide(&deck, slide)?;
    let title = expect_title(session, &deck, &entry, expected)?;
    let before = Graph::read(&session.package)?;
    let pointers = before.pointers_to(&entry.part);
    let gone_parts = owned_by(&before, &entry.part);
    let parts = Parts::of(&session.package);
    let mut plan = Plan::default();
    let mut links: Vec<(PartName, String)> = Vec::new();

    let shows = drop_from_presentation(&parts, &deck, &entry, &pointers, &mut plan)?;
    let mut sources: BTreeSet<PartName> = pointers.iter().map(|(source, _)| source.clone()).collect();
    sources.retain(|source| !gone_parts.contains(&source.canonical()) && !source.same(&deck.main));
    sources.extend(drawing_parts(&parts, &gone_parts, !shows.dropped.is_empty())?);
    for source in &sources {
        links.extend(drop_from_part(&parts, source, &entry, &pointers, &shows, &mut plan)?);
    }
    for (source, relationship) in &pointers {
        if !gone_parts.contains(&source.canonical()) {
            links.push((source.clone(), relationship.id.clone()));
        }
    }
    shift_presentation_properties(&parts, &deck, &entry, &shows, &mut plan)?;
    let left_empty = zooms_left_empty(&parts, &deck, entry.key.id, &gone_parts)?;
    let counted = counted(&session.package, &deck, &entry, &shows)?;
    let mut written = plan.finish(&parts)?;
    written.extend(updated(&session.package, &counted)?);

    session.write(written)?;
    links.sort();
    links.dedup();
    for (source, id) in links {
        session.package.remove_relationship(&source, &id)?;
    }
    let after = Graph::read(&session.package)?;
    for part in after.lost_since(&before) {
        session.package.remove(&part)?;
    }
    for part in left_empty {
        let message = format!("A section zoom in {part} shows a section that has no slide any more.");
        session.warn(None, "zoom_of_empty_section", message);
    }
    for name in &shows.names {
        session.warn(
            None,
            "custom_show_removed",
            format!("The custom show {name:?} held only the deleted slide and is gone too."),
        );
    }
    session.record(Spot::new(&entry.key, ""), Some(title), None, Some("structure"));
    Ok(())
}

/// The parts that go with a slide, as canonical names.
fn owned_by(graph: &Graph, slide: &PartName) -> BTreeSet<String> {
    let others = graph.reachable_without(slide);
    let mut owned = graph.reachable_from([slide.clone()]);
    owned.insert(slide.canonical());
    owned.retain(|part| !others.contains(part) || *part == slide.canonical());
    owned
}

/// What became of the custom shows.
struct Shows {
    /// The ids of shows that held no other slide.
    dropped: BTreeSet<String>,
    names: Vec<String>,
    before: usize,
}

/// The slide list, the sections and the custom shows.
fn drop_from_presentation(
    parts: &Parts<'_, '_>,
    deck: &Deck,
    entry: &SlideEntry,
    pointers: &[(PartName, crate::package::Relationship)],
    plan: &mut Plan,
) -> Result<Shows, EditError> {
    let xml = parts.xml(&deck.main)?;
    let own = pointers.iter().filter(|(source, _)| source.same(&deck.main));
    let ids: BTreeSet<String> = own.map(|(_, relationship)| relationship.id.clone()).collect();
    let splices = plan.splices(&deck.main);
    let mut shows = Shows { dropped: BTreeSet::new(), names: Vec::new(), before: 0 };
    let mut handled = drop_from_shows(&xml, &ids, &mut shows, splices);
    for element in references(&xml, &ids) {
        if xml.is(element, Ns::P, "sldId") {
            remove(&xml, element, splices);
            handled.push(element);
        }
    }
    sections::leave(&xml, entry.key.id, splices);
    let unknown = references(&xml, &ids).into_iter().find(|element| !handled.contains(element));
    match unknown {
        None => Ok(shows),
        Some(element) => {
            let message = format!(
                "The presentation refers to the slide with <{}>, which Stet does not know how to take away.",
                xml.qualified_name(element)
            );
            Err(EditError::new(EditErrorKind::WouldDamage, message))
        }
    }
}

/// Takes the slide out of every custom show; an emptied show goes, and an emptied list of shows.
fn drop_from_shows(
    xml: &Xml,
    ids: &BTreeSet<String>,
    shows: &mut Shows,
    splices: &mut Splices,
) -> Vec<NodeId> {
    let mut handled = Vec::new();
    let Some(list) = xml.child(xml.root(), Ns::P, "custShowLst") else { return handled };
    let all: Vec<NodeId> = xml.children_named(list, Ns::P, "custShow").collect();
    shows.before = all.len();
    let mut emptied = Vec::new();
    for show in &all {
        let slides: Vec<NodeId> = xml.descendants_named(*show, Ns::P, "sld").collect();
        let (gone, kept): (Vec<NodeId>, Vec<NodeId>) = slides
            .into_iter()
            .partition(|slide| xml.value(*slide, Ns::R, "id").is_some_and(|id| ids.contains(id.as_ref())));
        handled.extend(&gone);
        match kept.is_empty() && !gone.is_empty() {
            true => emptied.push((*show, gone)),
            false => gone.iter().for_each(|slide| remove(xml, *slide, splices)),
        }
    }
    if emptied.len() == all.len() && !all.is_empty() {
        remove(xml, list, splices);
    } else {
        emptied.iter().for_each(|(show, _)| remove(xml, *show, splices));
    }
    for (show, _) in emptied {
        let value = |name| xml.value(show, Ns::None, name).map(|value| value.trim().to_owned());
        shows.dropped.extend(value("id"));
        shows.names.extend(value("name"));
    }
    handled
}

/// The parts with shapes that may hold zooms of the slide or jumps to a dropped show, found by their bytes.
fn drawing_parts(
    parts: &Parts<'_, '_>,
    gone: &BTreeSet<String>,
    shows_dropped: bool,
) -> Result<Vec<PartName>, EditError> {
    let mut found = Vec::new();
    for part in parts.package.part_names() {
        let is_candidate = part.extension().eq_ignore_ascii_case("xml")
            && ["slide", "notes", "handout"].iter().any(|word| part.file_name().starts_with(word));
        if !is_candidate || gone.contains(&part.canonical()) {
            continue;
        }
        let bytes = parts.package.require(&part)?;
        let holds = |needle: &str| {
            // UTF-16 parts are rare enough to be read whole.
            memchr::memmem::find(&bytes, needle.as_bytes()).is_some() || bytes.starts_with(&[0xFF, 0xFE])
        };
        if holds("sldZmObj") || (shows_dropped && holds("ppaction://customshow")) {
            found.push(part);
        }
    }
    Ok(found)
}

/// The parts with a zoom of the section that loses its last slide ([MS-PPTX], `psez:sectionZmObj` and `psuz:summaryZmObj`, `@sectionId`).
fn zooms_left_empty(
    parts: &Parts<'_, '_>,
    deck: &Deck,
    slide: u32,
    gone: &BTreeSet<String>,
) -> Result<Vec<PartName>, EditError> {
    let Some(section) = sections::emptied_without(&*parts.xml(&deck.main)?, slide) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for slide in deck.slides.iter().filter(|slide| parts.package.has(&slide.part)) {
        let bytes = parts.package.require(&slide.part)?;
        let holds = |needle: &[u8]| memchr::memmem::find(&bytes, needle).is_some();
        if holds(b"sectionId=") && holds(section.as_bytes()) && !gone.contains(&slide.part.canonical()) {
            found.push(slide.part.clone());
        }
    }
    Ok(found)
}

/// Takes every pointer to the slide, and to shows dropped with it, out of one part; gives the relationships that fall away.
fn drop_from_part(
    parts: &Parts<'_, '_>,
    source: &PartName,
    entry: &SlideEntry,
    pointers: &[(PartName, crate::package::Relationship)],
    shows: &Shows,
    plan: &mut Plan,
) -> Result<Vec<(PartName, String)>, EditError> {
    let own = pointers.iter().filter(|(from, _)| from.same(source));
    let ids: BTreeSet<String> = own.map(|(_, relationship)| relationship.id.clone()).collect();
    let is_xml = ["xml", "vml"].iter().any(|end| source.extension().eq_ignore_ascii_case(end));
    if !is_xml || !parts.package.has(source) {
        return Ok(Vec::new());
    }
    let xml = parts.xml(source)?;
    let splices = plan.splices(source);
    let zooms = zooms(&xml, entry.key.id);
    for zoom in &zooms {
        if animates(&xml, &shape_ids(&xml, *zoom)) {
            let message = format!(
                "A zoom of the slide in {source} is animated; deleting it would break the animation."
            );
            return Err(EditError::new(EditErrorKind::WouldDamage, message)
                .hint("Remove the zoom in PowerPoint first, or hide the slide with pptx_hide_slide."));
        }
        remove(&xml, *zoom, splices);
    }
    drop_references(&xml, source, &ids, &zooms, splices)?;
    let inside = |element: NodeId| xml.ancestors(element).any(|ancestor| zooms.contains(&ancestor));
    for jump in show_jumps(&xml, &shows.dropped) {
        let refers_to_slide = references(&xml, &ids).contains(&jump);
        if !inside(jump) && !refers_to_slide {
            splices.delete(xml.span(jump));
        }
    }
    Ok(freed(&xml, &zooms).into_iter().map(|id| (source.clone(), id)).collect())
}

/// The relationship ids that only removed elements used.
fn freed(xml: &Xml, gone: &[NodeId]) -> BTreeSet<String> {
    let used = |node: NodeId| -> Vec<String> {
        let is_element = xml.kind(node) == crate::package::xml::NodeKind::Element;
        let attributes = is_element.then(|| xml.attributes(node)).into_iter().flatten();
        attributes
            .filter(|attribute| attribute.namespace == Ns::R)
            .map(|attribute| attribute.value.into_owned())
            .collect()
    };
    let (mut inside, mut outside) = (BTreeSet::new(), BTreeSet::new());
    for node in xml.descendants(xml.root()) {
        let is_gone = gone.contains(&node) || xml.ancestors(node).any(|ancestor| gone.contains(&ancestor));
        let set = if is_gone { &mut inside } else { &mut outside };
        set.extend(used(node));
    }
    inside.difference(&outside).cloned().collect()
}

fn shift_presentation_properties(
    parts: &Parts<'_, '_>,
    deck: &Deck,
    entry: &SlideEntry,
    shows: &Shows,
    plan: &mut Plan,
) -> Result<(), EditError> {
    let properties = parts.package.relationships(&deck.main)?.part_of_kind("presProps");
    let Some(part) = properties.filter(|part| parts.package.has(part)) else { return Ok(()) };
    let Some(position) = deck.position(&entry.key) else { return Ok(()) };
    let xml = parts.xml(&part)?;
    shift_ranges(&xml, SlideShift::Removed(position + 1), &shows.dropped, plan.splices(&part))
}

fn counted(
    package: &Package<'_>,
    deck: &Deck,
    entry: &SlideEntry,
    shows: &Shows,
) -> Result<Counted, EditError> {
    let at = deck.position(&entry.key).unwrap_or(0);
    let is_hidden = is_hidden(&package.xml(&entry.part)?);
    let has_notes = notes_of(package, &entry.part)?.is_some();
    Ok(Counted {
        hidden: -i64::from(is_hidden),
        notes: -i64::from(has_notes),
        shows: shows.names.clone(),
        shows_before: shows.before,
        ..Counted::of(deck.slides.len(), ListChange::Removed { at })
    })
}
