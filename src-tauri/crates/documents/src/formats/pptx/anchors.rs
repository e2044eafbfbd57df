//! Modern comments that are anchored to characters of a text: said when that text changes.
//!
//! `ac:txMk` ([MS-ODRAWXML], `CT_TextMoniker`) holds a position, a length and a hash of the text around it. How PowerPoint makes the hash
//! is not published, so a moved anchor could not be written such that it is sure to hold: the comment is left as it is, and the receipt warns.

use super::shapes::Shape;
use crate::{
    DocumentError,
    package::{
        Package, PartName,
        xml::{NodeId, NodeKind, Ns, Xml},
    },
};

/// How many comments of a slide are anchored to characters in a shape.
pub(super) fn anchored_comments(
    package: &Package<'_>,
    slide: &PartName,
    shape: u64,
) -> Result<usize, DocumentError> {
    let mut count = 0;
    for comments in package.relationships(slide)?.of_kind("comments") {
        let Some(part) = comments.part().filter(|part| package.has(part)) else { continue };
        let bytes = package.require(&part)?;
        let may_anchor = memchr::memmem::find(&bytes, b"txMk").is_some() || bytes.starts_with(&[0xFF, 0xFE]);
        if !may_anchor {
            continue;
        }
        let Ok(xml) = Xml::parse(&bytes, package.limits()) else { continue };
        let is_anchor = |node: &NodeId| {
            xml.kind(*node) == NodeKind::Element
                && xml.local_name(*node) == "txMk"
                && xml.parent(*node).is_some_and(|list| names_shape(&xml, list, shape))
        };
        count += xml.descendants(xml.root()).filter(is_anchor).count();
    }
    Ok(count)
}

/// Whether a list of monikers names the shape: an element before the text's own with its id (`ac:spMk@id`, `ac:graphicFrameMk@id`).
fn names_shape(xml: &Xml, list: NodeId, shape: u64) -> bool {
    xml.children(list).any(|moniker| {
        let id = xml.value(moniker, Ns::None, "id").and_then(|id| id.trim().parse::<u64>().ok());
        xml.local_name(moniker).ends_with("Mk") && id == Some(shape)
    })
}

/// What the receipt says about them.
pub(super) fn anchor_message(count: usize) -> String {
    let (comments, is) = if count == 1 { ("comment", "is") } else { ("comments", "are") };
    format!(
        "{count} {comments} on this shape {is} anchored to characters of its text, which changed; PowerPoint may show them elsewhere on it."
    )
}

/// The id of the shape that a place on a slide (`.shape5.r1.c2`) is in.
pub(super) fn shape_of(inside: &str) -> Option<u64> {
    inside.strip_prefix(".shape")?.split('.').next()?.parse().ok()
}

/// The shape of an id.
pub(super) fn with_id(all: &[Shape], id: u64) -> Option<&Shape> {
    all.iter().find(|shape| shape.id == id)
}
