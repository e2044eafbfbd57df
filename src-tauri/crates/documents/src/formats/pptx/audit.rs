//! A walk over a whole deck that says what is unsound about it as a presentation: lists, ids, sections, shows, notes, pointers.
//!
//! It judges as found; compare before and after an edit. The container has its own walk (`package::audit`).

use std::collections::{BTreeMap, BTreeSet};

use super::{
    deck::Deck,
    pointers::is_jump,
    shapes::{Shape, shapes},
};
use crate::{
    DocumentError, Limits,
    package::{
        Finding, Package, PartName,
        xml::{NodeId, NodeKind, Ns, Xml},
    },
};

/// Everything unsound about a deck.
pub fn audit(bytes: &[u8], limits: &Limits) -> Result<BTreeSet<Finding>, DocumentError> {
    let package = Package::open(bytes, limits)?;
    let deck = Deck::read(&package)?;
    let xml = package.xml(&deck.main)?;
    let mut findings = BTreeSet::new();
    slide_list(&package, &deck, &mut findings)?;
    sections(&xml, &deck, &mut findings);
    shows(&package, &xml, &deck, &mut findings)?;
    masters(&package, &xml, &deck, &mut findings)?;
    for part in drawing_parts(&package) {
        drawing(&package, &xml, &deck, &part, &mut findings)?;
    }
    owners(&package, &deck, &mut findings)?;
    properties(&package, &mut findings)?;
    Ok(findings)
}

fn slide_list(
    package: &Package<'_>,
    deck: &Deck,
    findings: &mut BTreeSet<Finding>,
) -> Result<(), DocumentError> {
    let (mut ids, mut parts) = (BTreeSet::new(), BTreeSet::new());
    for slide in &deck.slides {
        let id = slide.key.id;
        if !(256..2_147_483_648).contains(&id) {
            findings.insert(format!("the slide id {id} is out of range"));
        }
        if !ids.insert(id) {
            findings.insert(format!("the slide id {id} is there twice"));
        }
        if !parts.insert(slide.part.canonical()) {
            findings.insert(format!("the slide {} is listed twice", slide.part));
        }
        if !package.has(&slide.part) {
            findings.insert(format!("the slide {} of {} is not there", slide.part, slide.key.relationship));
            continue;
        }
        let layouts = package.relationships(&slide.part)?.of_kind("slideLayout").count();
        if layouts != 1 {
            findings.insert(format!("{} has {layouts} layouts", slide.part));
        }
    }
    // Parsed once: asking the package part by part would parse the types anew each time.
    let types = package.xml(&PartName::content_types())?;
    for element in types.children_named(types.root(), Ns::ContentTypes, "Override") {
        let value = |name| types.value(element, Ns::None, name).unwrap_or_default();
        let part = PartName::new(&value("PartName"));
        let is_slide = value("ContentType").ends_with(".slide+xml") && package.has(&part);
        if is_slide && !parts.contains(&part.canonical()) {
            findings.insert(format!("{part} is a slide but not in the list"));
        }
    }
    Ok(())
}

/// The ids of masters and layouts are of one kind: unique in the deck, from 2,147,483,648 on (`ST_SlideMasterId`, 19.7.14).
fn masters(
    package: &Package<'_>,
    xml: &Xml,
    deck: &Deck,
    findings: &mut BTreeSet<Finding>,
) -> Result<(), DocumentError> {
    let mut ids = BTreeSet::new();
    let mut take = |xml: &Xml, entry: &str| {
        for element in xml.descendants_named(xml.root(), Ns::P, entry) {
            let id = xml.value(element, Ns::None, "id").and_then(|id| id.trim().parse::<u32>().ok());
            match id {
                Some(id) if id < 2_147_483_648 => {
                    findings.insert(format!("the id {id} of a {entry} is out of range"));
                }
                Some(id) if !ids.insert(id) => {
                    findings.insert(format!("the id {id} of a {entry} is there twice"));
                }
                _ => {}
            }
        }
    };
    take(xml, "sldMasterId");
    for relationship in package.relationships(&deck.main)?.of_kind("slideMaster") {
        if let Some(master) = relationship.part().filter(|part| package.has(part)) {
            take(&package.xml(&master)?, "sldLayoutId");
        }
    }
    Ok(())
}

fn sections(xml: &Xml, deck: &Deck, findings: &mut BTreeSet<Finding>) {
    let sections = xml.descendants_named(xml.root(), Ns::P14, "section");
    let entries: Vec<NodeId> =
        sections.flat_map(|section| xml.descendants_named(section, Ns::P14, "sldId")).collect();
    if xml.descendants_named(xml.root(), Ns::P14, "section").next().is_none() {
        return;
    }
    let listed: Vec<u32> =
        entries.iter().filter_map(|entry| xml.value(*entry, Ns::None, "id")?.trim().parse().ok()).collect();
    let shown: Vec<u32> = deck.slides.iter().map(|slide| slide.key.id).collect();
    for id in &shown {
        match listed.iter().filter(|listed| *listed == id).count() {
            1 => {}
            count => drop(findings.insert(format!("the slide {id} is in {count} sections"))),
        }
    }
    for id in listed.iter().filter(|id| !shown.contains(id)) {
        findings.insert(format!("a section lists the slide {id}, which is not in the deck"));
    }
    if listed.len() == shown.len() && listed != shown {
        findings.insert("the sections are in another order than the slides".into());
    }
}

fn shows(
    package: &Package<'_>,
    xml: &Xml,
    deck: &Deck,
    findings: &mut BTreeSet<Finding>,
) -> Result<(), DocumentError> {
    let listed: BTreeSet<&str> = deck.slides.iter().map(|slide| slide.key.relationship.as_str()).collect();
    for slide in custom_shows(xml).flat_map(|show| xml.descendants_named(show, Ns::P, "sld")) {
        let id = xml.value(slide, Ns::R, "id").unwrap_or_default();
        if !listed.contains(id.as_ref()) {
            findings.insert(format!("a custom show lists {id}, which is no slide of the deck"));
        }
    }
    let relationships = package.relationships(&deck.main)?;
    let has_master = relationships.of_kind("notesMaster").next().is_some();
    if has_master && xml.child(xml.root(), Ns::P, "notesMasterIdLst").is_none() {
        findings.insert("the notes master is not listed".into());
    }
    let properties = relationships.part_of_kind("presProps").filter(|part| package.has(part));
    let Some(properties) = properties else { return Ok(()) };
    let properties = package.xml(&properties)?;
    for range in properties.descendants_named(properties.root(), Ns::P, "sldRg") {
        let number = |name| properties.value(range, Ns::None, name).and_then(|n| n.trim().parse().ok());
        let (start, end): (usize, usize) = (number("st").unwrap_or(0), number("end").unwrap_or(0));
        if start == 0 || start > end || end > deck.slides.len() {
            findings.insert(format!("the show goes from slide {start} to {end}"));
        }
    }
    let ids = show_ids(xml);
    for show in properties.descendants_named(properties.root(), Ns::P, "custShow") {
        let id = properties.value(show, Ns::None, "id").unwrap_or_default();
        if !ids.contains(id.trim()) {
            findings.insert(format!("the show is set to the custom show {id}, which is not there"));
        }
    }
    Ok(())
}

fn custom_shows(xml: &Xml) -> impl Iterator<Item = NodeId> + '_ {
    xml.descendants_named(xml.root(), Ns::P, "custShow")
}

fn show_ids(xml: &Xml) -> BTreeSet<String> {
    let ids = custom_shows(xml).filter_map(|show| xml.value(show, Ns::None, "id"));
    ids.map(|id| id.trim().to_owned()).collect()
}

/// Slides, layouts, masters and notes.
fn drawing_parts(package: &Package<'_>) -> Vec<PartName> {
    let is_drawing = |part: &PartName| {
        let folder = part.folder().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        part.relationships_source().is_none()
            && ["slides", "slideLayouts", "slideMasters", "notesSlides"].contains(&folder)
    };
    package.part_names().into_iter().filter(is_drawing).collect()
}

fn drawing(
    package: &Package<'_>,
    main: &Xml,
    deck: &Deck,
    part: &PartName,
    findings: &mut BTreeSet<Finding>,
) -> Result<(), DocumentError> {
    let bytes = package.require(part)?;
    let Ok(xml) = Xml::parse(&bytes, package.limits()) else { return Ok(()) };
    let all = shapes(&xml);
    let mut ids = BTreeSet::new();
    for Shape { id, .. } in &all {
        if !ids.insert(*id) {
            findings.insert(format!("{part} has two shapes {id}"));
        }
    }
    let relationships = package.relationships(part)?;
    let slide_parts: BTreeSet<String> = deck.slides.iter().map(|slide| slide.part.canonical()).collect();
    for relationship in relationships.of_kind("slide") {
        if !relationship.part().is_some_and(|target| slide_parts.contains(&target.canonical())) {
            findings
                .insert(format!("{part} points to {}, which is no slide of the deck", relationship.target));
        }
    }
    for element in xml.descendants(xml.root()).filter(|node| xml.kind(*node) == NodeKind::Element) {
        let number = |name| xml.value(element, Ns::None, name).and_then(|id| id.trim().parse::<u32>().ok());
        if xml.local_name(element) == "sldZmObj"
            && !deck.slides.iter().any(|slide| Some(slide.key.id) == number("sldId"))
        {
            findings.insert(format!("a zoom in {part} shows no slide of the deck"));
        }
        let action = xml.value(element, Ns::None, "action").unwrap_or_default();
        let show = action.strip_prefix("ppaction://customshow?id=").filter(|_| is_jump(&xml, element));
        let show = show.map(|rest| rest.split('&').next().unwrap_or_default().to_owned());
        if show.is_some_and(|show| !show_ids(main).contains(&show)) {
            findings.insert(format!("{part} jumps to a custom show that is not there"));
        }
    }
    let targets = xml.descendants_named(xml.root(), Ns::P, "spTgt");
    for target in targets.filter_map(|target| xml.value(target, Ns::None, "spid")) {
        let is_there = xml.descendants(xml.root()).any(|node| {
            xml.kind(node) == NodeKind::Element
                && xml.local_name(node) == "cNvPr"
                && xml.value(node, Ns::None, "id").as_deref() == Some(&*target)
        });
        if !is_there {
            findings.insert(format!("an animation of {part} names the shape {target}, which is not there"));
        }
    }
    Ok(())
}

/// Notes point back to their slide and have a master; what belongs to one slide is not shared.
fn owners(package: &Package<'_>, deck: &Deck, findings: &mut BTreeSet<Finding>) -> Result<(), DocumentError> {
    let mut owner: BTreeMap<String, PartName> = BTreeMap::new();
    for slide in deck.slides.iter().filter(|slide| package.has(&slide.part)) {
        for relationship in package.relationships(&slide.part)?.items {
            let owned = ["notesSlide", "chart", "comments", "tags", "diagramData", "diagramDrawing"];
            let kind = relationship.kind.as_str();
            let Some(target) = relationship.part().filter(|_| owned.contains(&kind)) else { continue };
            let other = owner.insert(target.canonical(), slide.part.clone());
            if let Some(other) = other.filter(|other| *other != slide.part) {
                findings.insert(format!("{target} belongs to {other} and to {}", slide.part));
            }
            if kind == "notesSlide" && package.has(&target) {
                let back = package.relationships(&target)?;
                if !back.part_of_kind("slide").is_some_and(|back| back.same(&slide.part)) {
                    findings.insert(format!("{target} does not point back to {}", slide.part));
                }
                if back.of_kind("notesMaster").count() != 1 {
                    findings.insert(format!("{target} has not one notes master"));
                }
            }
        }
    }
    Ok(())
}

/// The headings of the extended properties agree with the titles.
fn properties(package: &Package<'_>, findings: &mut BTreeSet<Finding>) -> Result<(), DocumentError> {
    let root = package.relationships(&PartName::root())?;
    let part = ["extended-properties", "extendedProperties"].iter().find_map(|kind| root.part_of_kind(kind));
    let Some(part) = part.filter(|part| package.has(part)) else { return Ok(()) };
    let xml = package.xml(&part)?;
    let field = |name| xml.child(xml.root(), Ns::ExtendedProperties, name);
    let (Some(pairs), Some(titles)) = (field("HeadingPairs"), field("TitlesOfParts")) else { return Ok(()) };
    let counts = xml.descendants_named(pairs, Ns::Vt, "i4");
    let total: usize = counts.filter_map(|count| xml.text(count).trim().parse::<usize>().ok()).sum();
    let there = xml.descendants_named(titles, Ns::Vt, "lpstr").count();
    let vector = xml.child(titles, Ns::Vt, "vector");
    let size = vector.and_then(|vector| xml.value(vector, Ns::None, "size")?.trim().parse::<usize>().ok());
    if total != there || size != Some(there) {
        findings.insert(format!("{part} counts {total} titles, says {size:?} and has {there}"));
    }
    Ok(())
}
