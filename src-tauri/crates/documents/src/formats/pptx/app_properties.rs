//! The counts and titles in `docProps/app.xml` (ECMA-376-1, 22.2): kept exact where they are exact, and left alone where they are not.
//!
//! A wrong count in `HeadingPairs` makes Office drop the part, so nothing here is ever set to a guess: a file that says `0` slides
//! (many programs write that) goes on saying so.

use super::markup::{append, insert_after, insert_before, moved, remove, reorder};
use crate::{
    EditError,
    package::{
        Package, PartName,
        xml::{NodeId, Ns, Splices, Xml, escape_text},
    },
};

/// What PowerPoint calls a slide without a title.
const UNTITLED: &str = "PowerPoint Presentation";

/// What an operation did to the slide list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListChange {
    /// A slide came at a 0-based position.
    Added {
        at: usize,
        title: String,
    },
    Removed {
        at: usize,
    },
    Moved {
        from: usize,
        to: usize,
    },
    /// Only counts change.
    None,
}

/// A change of the counts, by what is added to each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Counted {
    /// How many slides there were before.
    pub(super) slides_before: usize,
    pub(super) list: ListChange,
    pub(super) hidden: i64,
    pub(super) notes: i64,
    /// Names of custom shows that went away, and how many there were.
    pub(super) shows: Vec<String>,
    pub(super) shows_before: usize,
}

impl Counted {
    pub(super) fn of(slides_before: usize, list: ListChange) -> Counted {
        Counted { slides_before, list, hidden: 0, notes: 0, shows: Vec::new(), shows_before: 0 }
    }
}

/// The part's new bytes, or `None` when it is absent, inexact or stays as it is.
pub(super) fn updated(
    package: &Package<'_>,
    counted: &Counted,
) -> Result<Option<(PartName, Vec<u8>)>, EditError> {
    let root = package.relationships(&PartName::root())?;
    let kinds = ["extended-properties", "extendedProperties"];
    let part = kinds.iter().find_map(|kind| root.part_of_kind(kind)).filter(|part| package.has(part));
    let Some(part) = part else { return Ok(None) };
    // A part that Office would not read either is not worth a refusal.
    let Ok(xml) = package.xml(&part) else { return Ok(None) };
    let field = |name| xml.child(xml.root(), Ns::ExtendedProperties, name);
    let number = |element: NodeId| xml.text(element).trim().parse::<i64>().ok();
    if field("Slides").and_then(number) != i64::try_from(counted.slides_before).ok() {
        return Ok(None);
    }
    let slides = match counted.list {
        ListChange::Added { .. } => 1,
        ListChange::Removed { .. } => -1,
        ListChange::Moved { .. } | ListChange::None => 0,
    };
    let mut splices = Splices::default();
    for (name, change) in [("Slides", slides), ("HiddenSlides", counted.hidden), ("Notes", counted.notes)] {
        let Some((element, old)) = field(name).and_then(|element| Some((element, number(element)?))) else {
            continue;
        };
        if change != 0 && old + change >= 0 {
            splices.replace(xml.content(element), (old + change).to_string());
        }
    }
    retitle(&xml, counted, &mut splices)?;
    if splices.is_empty() {
        return Ok(None);
    }
    Ok(Some((part, xml.write(splices)?)))
}

/// A group of titles: its heading, where its count stands, and its titles.
struct Group {
    heading: String,
    count: NodeId,
    titles: Vec<NodeId>,
}

fn retitle(xml: &Xml, counted: &Counted, splices: &mut Splices) -> Result<(), EditError> {
    let Some((vector, groups)) = groups(xml) else { return Ok(()) };
    let total: usize = groups.iter().map(|group| group.titles.len()).sum();
    let mut change: i64 = 0;
    if let Some(group) = slide_group(&groups, counted.slides_before) {
        change += retitle_slides(xml, vector, group, counted, splices)?;
    }
    let shows = groups.iter().find(|group| group.heading == "Custom Shows");
    if let Some(group) = shows.filter(|group| group.titles.len() == counted.shows_before) {
        let mut gone = 0;
        for name in &counted.shows {
            if let Some(title) = group.titles.iter().find(|title| xml.text(**title) == name.as_str()) {
                remove(xml, *title, splices);
                gone += 1;
            }
        }
        if gone > 0 {
            splices.replace(xml.content(group.count), (group.titles.len() as i64 - gone).to_string());
            change -= gone;
        }
    }
    if change != 0 {
        let size = (total as i64 + change).to_string();
        xml.set_attribute(splices, vector, Ns::None, "size", "size", &size)?;
    }
    Ok(())
}

/// Plans the slide titles and their count; gives by how much their number changes.
fn retitle_slides(
    xml: &Xml,
    vector: NodeId,
    group: &Group,
    counted: &Counted,
    splices: &mut Splices,
) -> Result<i64, EditError> {
    let change = match &counted.list {
        ListChange::None => 0,
        ListChange::Moved { from, to } => {
            reorder(xml, &group.titles, &moved(group.titles.len(), *from, *to), splices);
            0
        }
        ListChange::Removed { at } => {
            remove(xml, group.titles[*at], splices);
            -1
        }
        ListChange::Added { at, title } => {
            let title = if title.trim().is_empty() { UNTITLED } else { title.trim() };
            let title = escape_text(&title.replace(['\n', '\u{B}'], " "))?;
            let markup = format!("<{0}lpstr>{title}</{0}lpstr>", xml.prefix(vector));
            match (group.titles.get(*at), group.titles.last()) {
                (Some(next), _) => insert_before(xml, *next, &markup, splices),
                (None, Some(last)) => insert_after(xml, *last, &markup, splices),
                (None, None) => append(xml, vector, &markup, splices),
            }
            1
        }
    };
    if change != 0 {
        let count = group.titles.len() as i64 + change;
        splices.replace(xml.content(group.count), count.to_string());
    }
    Ok(change)
}

/// The vector of titles and its groups, when headings and titles agree.
fn groups(xml: &Xml) -> Option<(NodeId, Vec<Group>)> {
    let vector = |name| {
        let field = xml.child(xml.root(), Ns::ExtendedProperties, name)?;
        xml.child(field, Ns::Vt, "vector")
    };
    let (pairs, titles) = (vector("HeadingPairs")?, vector("TitlesOfParts")?);
    let variants: Vec<NodeId> = xml.children_named(pairs, Ns::Vt, "variant").collect();
    let mut remaining = xml.children_named(titles, Ns::Vt, "lpstr").collect::<Vec<_>>().into_iter();
    let mut groups = Vec::new();
    for pair in variants.chunks(2) {
        let [heading, count] = pair else { return None };
        let heading = xml.text(xml.child(*heading, Ns::Vt, "lpstr")?).into_owned();
        let count = xml.child(*count, Ns::Vt, "i4")?;
        let number: usize = xml.text(count).trim().parse().ok()?;
        let own: Vec<NodeId> = remaining.by_ref().take(number).collect();
        (own.len() == number).then_some(())?;
        groups.push(Group { heading, count, titles: own });
    }
    remaining.next().is_none().then_some((titles, groups))
}

/// The group of slide titles: by its English heading, or else the only group with as many titles as there are slides.
fn slide_group(groups: &[Group], slides: usize) -> Option<&Group> {
    let mut fitting = groups.iter().filter(|group| group.titles.len() == slides);
    if let Some(named) = fitting.clone().find(|group| group.heading == "Slide Titles") {
        return Some(named);
    }
    let only = fitting.next()?;
    (fitting.next().is_none() && slides > 1).then_some(only)
}
