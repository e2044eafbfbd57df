//! Small moves in a tree that keep everything around them: a child put in, an element taken out, siblings in another order.

use std::ops::Range;

use crate::package::xml::{NodeId, NodeKind, Ns, Splices, Xml};

/// Puts markup behind the last child of an element.
pub(super) fn append(xml: &Xml, parent: NodeId, markup: &str, splices: &mut Splices) {
    if xml.is_empty_tag(parent) {
        let tag = xml.start_tag(parent);
        splices.replace(tag.end - 2..tag.end, format!(">{markup}</{}>", xml.qualified_name(parent)));
    } else {
        splices.insert(xml.content(parent).end, markup);
    }
}

/// Puts markup behind a sibling, with the white space that stands before the sibling.
pub(super) fn insert_after(xml: &Xml, sibling: NodeId, markup: &str, splices: &mut Splices) {
    let space = xml.slice(space_before(xml, sibling));
    splices.insert(xml.span(sibling).end, format!("{space}{markup}"));
}

/// Puts markup before a sibling, followed by the white space that stands before the sibling.
pub(super) fn insert_before(xml: &Xml, sibling: NodeId, markup: &str, splices: &mut Splices) {
    let space = xml.slice(space_before(xml, sibling));
    splices.insert(xml.span(sibling).start, format!("{markup}{space}"));
}

/// Takes an element out, with the white space before it.
pub(super) fn remove(xml: &Xml, element: NodeId, splices: &mut Splices) {
    splices.delete(space_before(xml, element).start..xml.span(element).end);
}

/// The white space between an element and what stands before it.
pub(super) fn space_before(xml: &Xml, element: NodeId) -> Range<usize> {
    let start = xml.span(element).start;
    match xml.previous_sibling(element) {
        Some(before) if xml.kind(before) == NodeKind::Text && xml.raw(before).trim().is_empty() => {
            xml.span(before).start..start
        }
        _ => start..start,
    }
}

/// Puts siblings in another order: the place of the n-th takes the element that was `order[n]`; what lies between stays.
pub(super) fn reorder(xml: &Xml, siblings: &[NodeId], order: &[usize], splices: &mut Splices) {
    for (place, from) in order.iter().enumerate().filter(|(place, from)| place != *from) {
        splices.replace(xml.span(siblings[place]), xml.raw(siblings[*from]));
    }
}

/// The order after the element at `from` has moved to `to` (0-based).
pub(super) fn moved(count: usize, from: usize, to: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let element = order.remove(from);
    order.insert(to, element);
    order
}

/// A prefix for attributes of the relationships namespace at an element, and its declaration when none is bound there.
pub(super) fn relationship_prefix(xml: &Xml, at: NodeId, strict: bool) -> (String, String) {
    match xml.attribute_prefix_for(at, Ns::R) {
        Some(prefix) => (prefix, String::new()),
        None => ("r:".into(), format!(" xmlns:r=\"{}\"", Ns::R.uri(strict))),
    }
}
