//! Blocks and their neighbours: siblings, containers, controls around them.

use super::{
    batch::{Batch, Target},
    index::StoryKind,
    rewrite::would_damage,
    story::Loaded,
};
use crate::{
    EditError,
    edit::Position,
    error::EditErrorKind,
    package::xml::{NodeId, Ns, Xml},
};

/// Whether an element is a block: a paragraph, a table, or a wrapper of blocks.
pub(super) fn is_block(xml: &Xml, node: NodeId) -> bool {
    match xml.namespace(node) {
        Ns::W => matches!(xml.local_name(node), "p" | "tbl" | "sdt" | "customXml" | "altChunk"),
        Ns::Mc => xml.local_name(node) == "AlternateContent",
        _ => false,
    }
}

pub(super) fn previous_block(xml: &Xml, node: NodeId) -> Option<NodeId> {
    std::iter::successors(xml.previous_sibling(node), |node| xml.previous_sibling(*node))
        .find(|node| is_block(xml, *node))
}

pub(super) fn next_block(xml: &Xml, node: NodeId) -> Option<NodeId> {
    std::iter::successors(xml.next_sibling(node), |node| xml.next_sibling(*node))
        .find(|node| is_block(xml, *node))
}

/// Whether a block shows a table at its end (or, for `first`, at its beginning).
pub(super) fn is_table_at(xml: &Xml, block: NodeId, side: Position) -> bool {
    let mut block = block;
    loop {
        if xml.is(block, Ns::W, "tbl") {
            return true;
        }
        let content = match xml.is(block, Ns::W, "sdt") {
            true => xml.child(block, Ns::W, "sdtContent"),
            false => xml.is(block, Ns::W, "customXml").then_some(block),
        };
        let Some(content) = content else { return false };
        let mut inner = xml.children(content).filter(|child| is_block(xml, *child));
        let edge = match side {
            Position::Before => inner.next(),
            Position::After => inner.last(),
        };
        match edge {
            Some(edge) => block = edge,
            None => return false,
        }
    }
}

/// The body of the main part.
pub(super) fn body(loaded: &Loaded) -> Result<NodeId, EditError> {
    loaded
        .xml
        .child(loaded.xml.root(), Ns::W, "body")
        .ok_or_else(|| EditError::new(EditErrorKind::Damaged, "The document has no body."))
}

/// Where a block at the end of the body goes: before the section properties that must stay last.
pub(super) fn end_of_body(xml: &Xml, body: NodeId) -> usize {
    let section = xml.children(body).last().filter(|last| xml.is(*last, Ns::W, "sectPr"));
    section.map_or(xml.content(body).end, |section| xml.span(section).start)
}

/// Block-level content controls around an element, innermost first.
pub(super) fn controls_around(xml: &Xml, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    xml.ancestors(node)
        .take_while(|ancestor| !xml.is(*ancestor, Ns::W, "txbxContent"))
        .filter(|ancestor| xml.is(*ancestor, Ns::W, "sdt"))
}

/// Whether a control holds one value and no paragraphs of its own (ECMA-376-1, 17.5.2.44 and others), or must not change.
fn is_closed(xml: &Xml, control: NodeId) -> bool {
    let Some(properties) = xml.child(control, Ns::W, "sdtPr") else { return false };
    xml.children(properties).any(|property| match (xml.namespace(property), xml.local_name(property)) {
        (
            Ns::W,
            "text" | "date" | "dropDownList" | "comboBox" | "picture" | "equation" | "citation"
            | "dataBinding",
        ) => true,
        (Ns::W14, "checkbox") => true,
        (Ns::W, "lock") => {
            matches!(xml.value(property, Ns::W, "val").as_deref(), Some("contentLocked" | "sdtContentLocked"))
        }
        _ => false,
    })
}

/// Where a new sibling of a paragraph goes: beside it, or beside the outermost control that takes no new paragraphs.
pub(super) fn outside_controls(xml: &Xml, paragraph: NodeId, position: Position) -> usize {
    let around = xml
        .ancestors(paragraph)
        .take_while(|ancestor| !(xml.is(*ancestor, Ns::W, "tc") || xml.is(*ancestor, Ns::W, "txbxContent")));
    let outermost =
        around.filter(|ancestor| xml.is(*ancestor, Ns::W, "sdt") && is_closed(xml, *ancestor)).last();
    let span = xml.span(outermost.unwrap_or(paragraph));
    match position {
        Position::Before => span.start,
        Position::After => span.end,
    }
}

/// Refusals that every structural edit of a paragraph shares.
pub(super) fn refuse_split_and_tracked_boxes(batch: &Batch<'_>, target: &Target) -> Result<(), EditError> {
    if target.story_kind() == StoryKind::TextBox && batch.tracking()?.is_some() {
        return Err(would_damage(
            "Tracked changes inside a text box are not written: Word may refuse the file.".into(),
        )
        .hint("Make this edit with `track_changes` set to false."));
    }
    if target.loaded.index.is_split(target.entry().node) {
        return Err(would_damage(format!(
            "{} exists in several branches of alternate content that do not hold the same text.",
            target.entry().at
        )));
    }
    Ok(())
}
