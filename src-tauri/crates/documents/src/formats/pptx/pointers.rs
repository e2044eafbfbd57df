//! Everything that names a slide from elsewhere, and how it is taken away when the slide goes (ECMA-376-1 part 1, clauses by function).
//!
//! A reference of a kind that is not known here is refused, for then nobody can say what would be left of it.

use std::collections::BTreeSet;

use super::markup::remove;
use crate::{
    EditError,
    error::EditErrorKind,
    package::{
        PartName,
        xml::{NodeId, Ns, Splices, Xml},
    },
};

/// The elements of a part that hold a reference (an attribute of the relationships namespace) to one of some ids.
pub(super) fn references(xml: &Xml, ids: &BTreeSet<String>) -> Vec<NodeId> {
    let elements = xml.descendants(xml.root()).filter(|node| is_element(xml, *node));
    let refers = |element: &NodeId| {
        xml.attributes(*element)
            .any(|attribute| attribute.namespace == Ns::R && ids.contains(attribute.value.as_ref()))
    };
    elements.filter(refers).collect()
}

fn is_element(xml: &Xml, node: NodeId) -> bool {
    xml.kind(node) == crate::package::xml::NodeKind::Element
}

/// Plans that references to a slide vanish from a part other than the presentation: jumps (21.1.2.3.5, `a:hlink*`) and the outline
/// view's list (19.2.2.10). Elements inside `gone` ones go with those.
pub(super) fn drop_references(
    xml: &Xml,
    part: &PartName,
    ids: &BTreeSet<String>,
    gone: &[NodeId],
    splices: &mut Splices,
) -> Result<(), EditError> {
    for element in references(xml, ids) {
        let goes_anyway = xml.ancestors(element).any(|ancestor| gone.contains(&ancestor));
        if goes_anyway {
            continue;
        }
        if is_jump(xml, element) {
            splices.delete(xml.span(element));
        } else if xml.is(element, Ns::P, "sld") {
            remove(xml, element, splices);
        } else {
            let message = format!(
                "The part {part} refers to the slide with <{}>, which Stet does not know how to take away.",
                xml.qualified_name(element)
            );
            return Err(EditError::new(EditErrorKind::WouldDamage, message)
                .hint("Delete the slide in PowerPoint, or hide it with pptx_hide_slide."));
        }
    }
    Ok(())
}

/// Whether an element makes something jump when it is clicked or hovered.
pub(super) fn is_jump(xml: &Xml, element: NodeId) -> bool {
    ["hlinkClick", "hlinkMouseOver", "hlinkHover"].iter().any(|local| xml.is(element, Ns::A, local))
}

/// The slide zooms that show a slide ([MS-PPTX] 2.9, `pslz:sldZmObj@sldId`): each with the whole element that draws it.
pub(super) fn zooms(xml: &Xml, slide: u32) -> Vec<NodeId> {
    let is_zoom = |node: &NodeId| {
        is_element(xml, *node)
            && xml.local_name(*node) == "sldZmObj"
            && xml.value(*node, Ns::None, "sldId").is_some_and(|id| id.trim().parse() == Ok(slide))
    };
    let objects = xml.descendants(xml.root()).filter(is_zoom);
    let drawn = objects.filter_map(|object| {
        let in_tree = |node: &NodeId| {
            xml.parent(*node)
                .is_some_and(|parent| xml.is(parent, Ns::P, "spTree") || xml.is(parent, Ns::P, "grpSp"))
        };
        xml.ancestors(object).find(in_tree)
    });
    let mut found: Vec<NodeId> = drawn.collect();
    found.dedup();
    found
}

/// The ids of the shapes in an element.
pub(super) fn shape_ids(xml: &Xml, element: NodeId) -> BTreeSet<String> {
    let identities =
        xml.descendants(element).filter(|node| is_element(xml, *node) && xml.local_name(*node) == "cNvPr");
    identities.filter_map(|node| xml.value(node, Ns::None, "id")).map(|id| id.trim().to_owned()).collect()
}

/// Whether an animation, or its build list, names one of some shapes (`@spid`, 19.5).
pub(super) fn animates(xml: &Xml, shapes: &BTreeSet<String>) -> bool {
    let timing = xml.descendants_named(xml.root(), Ns::P, "timing");
    timing.flat_map(|timing| xml.descendants(timing)).any(|node| {
        is_element(xml, node)
            && xml.value(node, Ns::None, "spid").is_some_and(|id| shapes.contains(id.trim()))
    })
}

/// The jumps to a custom show (`ppaction://customshow?id=N`, 19.2.1.6).
pub(super) fn show_jumps(xml: &Xml, shows: &BTreeSet<String>) -> Vec<NodeId> {
    let names_show = |element: &NodeId| {
        let action = xml.value(*element, Ns::None, "action");
        let query = action.as_deref().and_then(|action| action.strip_prefix("ppaction://customshow?"));
        let id = query.and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("id=")));
        id.is_some_and(|id| shows.contains(id.trim()))
    };
    xml.descendants(xml.root())
        .filter(|node| is_element(xml, *node) && is_jump(xml, *node))
        .filter(names_show)
        .collect()
}

/// Where a show range (`p:sldRg`, 19.2.1.35) goes when slides come or go; `None` when nothing of it is left.
pub(super) fn shifted_range(start: usize, end: usize, change: SlideShift) -> Option<(usize, usize)> {
    match change {
        SlideShift::Removed(at) if at < start => Some((start - 1, end - 1)),
        SlideShift::Removed(at) if at <= end => (start < end).then(|| (start, end - 1)),
        SlideShift::Added(at) if at <= start => Some((start + 1, end + 1)),
        SlideShift::Added(at) if at <= end => Some((start, end + 1)),
        SlideShift::Removed(_) | SlideShift::Added(_) => Some((start, end)),
    }
}

/// A slide that came or went at a 1-based position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlideShift {
    Removed(usize),
    Added(usize),
}

/// Plans the slide ranges and the custom show of the presentation properties.
pub(super) fn shift_ranges(
    xml: &Xml,
    shift: SlideShift,
    dropped_shows: &BTreeSet<String>,
    splices: &mut Splices,
) -> Result<(), EditError> {
    for range in xml.descendants_named(xml.root(), Ns::P, "sldRg") {
        let number = |name| xml.value(range, Ns::None, name).and_then(|value| value.trim().parse().ok());
        let (Some(start), Some(end)) = (number("st"), number("end")) else { continue };
        match shifted_range(start, end, shift) {
            Some(new) if new == (start, end) => {}
            Some((new_start, new_end)) => {
                for (name, old, new) in [("st", start, new_start), ("end", end, new_end)] {
                    if old != new {
                        xml.set_attribute(splices, range, Ns::None, name, name, &new.to_string())?;
                    }
                }
            }
            None => splices.replace(xml.span(range), format!("<{}sldAll/>", xml.prefix(range))),
        }
    }
    for show in xml.descendants_named(xml.root(), Ns::P, "custShow") {
        if xml.value(show, Ns::None, "id").is_some_and(|id| dropped_shows.contains(id.trim())) {
            splices.replace(xml.span(show), format!("<{}sldAll/>", xml.prefix(show)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_follow_their_slides() {
        assert_eq!(shifted_range(2, 4, SlideShift::Removed(1)), Some((1, 3)));
        assert_eq!(shifted_range(2, 4, SlideShift::Removed(2)), Some((2, 3)));
        assert_eq!(shifted_range(2, 4, SlideShift::Removed(4)), Some((2, 3)));
        assert_eq!(shifted_range(2, 4, SlideShift::Removed(5)), Some((2, 4)));
        assert_eq!(shifted_range(3, 3, SlideShift::Removed(3)), None);
        assert_eq!(shifted_range(2, 4, SlideShift::Added(2)), Some((3, 5)));
        assert_eq!(shifted_range(2, 4, SlideShift::Added(4)), Some((2, 5)));
        assert_eq!(shifted_range(2, 4, SlideShift::Added(5)), Some((2, 4)));
    }
}
