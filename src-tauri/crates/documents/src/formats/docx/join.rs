//! Joining runs that were cut for a tracked change of ours, exactly as they were before (see `tracking`).

use std::ops::Range;

use super::{
    markup::{OUR_SPACE, has_edge_space},
    rewrite::run_properties,
    settle::Edits,
};
use crate::package::xml::{NodeId, Ns, Xml};

/// A node that stands, or a place where a run was cut.
pub(super) enum Piece {
    Node(NodeId),
    Cut,
}

/// Whether an attribute of a mark is written in single quotes, which is how we remember a cut.
pub(super) fn is_single_quoted(xml: &Xml, mark: NodeId, name: &str) -> bool {
    xml.attribute(mark, Ns::W, name)
        .is_some_and(|attribute| xml.bytes().get(attribute.value_span.end) == Some(&b'\''))
}

/// Whether a run was cut at either side of a mark.
pub(super) fn is_cut(xml: &Xml, mark: NodeId) -> bool {
    is_single_quoted(xml, mark, "id") || is_single_quoted(xml, mark, "date")
}

/// Joins every two neighbours with a cut between them.
pub(super) fn join(xml: &Xml, pieces: &[Piece], edits: &mut Edits) {
    let mut chain: Vec<NodeId> = Vec::new();
    let mut cut = false;
    for piece in pieces {
        match piece {
            Piece::Cut => cut = true,
            Piece::Node(node) => {
                let joins = cut && chain.last().is_some_and(|last| are_pieces(xml, *last, *node));
                if !joins {
                    join_chain(xml, &chain, edits);
                    chain.clear();
                }
                chain.push(*node);
                cut = false;
            }
        }
    }
    join_chain(xml, &chain, edits);
}

/// Whether two nodes can be pieces of one run, or of one insertion of another author.
fn are_pieces(xml: &Xml, one: NodeId, other: NodeId) -> bool {
    let both = |name: &str| xml.is(one, Ns::W, name) && xml.is(other, Ns::W, name);
    // A further piece has ids of its own, so pieces are told by all but those.
    let same_tag =
        || without_id(xml, one, xml.start_tag(one)) == without_id(xml, other, xml.start_tag(other));
    if both("r") {
        return same_tag() && properties_without_id(xml, one) == properties_without_id(xml, other);
    }
    let inner = || {
        let edges = edge_run(xml, one, Edge::Last).zip(edge_run(xml, other, Edge::First));
        edges.is_some_and(|(last, first)| xml.is(last, Ns::W, "r") && are_pieces(xml, last, first))
    };
    both("ins") && same_tag() && inner()
}

/// Markup of the part without the id of one annotation in it.
fn without_id(xml: &Xml, annotation: NodeId, range: Range<usize>) -> String {
    let markup = xml.slice(range.clone());
    match xml.attribute(annotation, Ns::W, "id") {
        Some(id) if range.contains(&id.value_span.start) => {
            let (start, end) = (id.value_span.start - range.start, id.value_span.end - range.start);
            format!("{}{}", &markup[..start], &markup[end..])
        }
        _ => markup.to_owned(),
    }
}

fn properties_without_id(xml: &Xml, run: NodeId) -> String {
    let Some(properties) = xml.child(run, Ns::W, "rPr") else { return String::new() };
    match xml.child(properties, Ns::W, "rPrChange") {
        Some(change) => without_id(xml, change, xml.span(properties)),
        None => run_properties(xml, run).to_owned(),
    }
}

#[derive(Clone, Copy)]
enum Edge {
    First,
    Last,
}

/// The run at the joined edge of a piece: itself, or in an insertion, also behind a deletion of ours that is being taken back.
fn edge_run(xml: &Xml, piece: NodeId, edge: Edge) -> Option<NodeId> {
    let mut node = piece;
    loop {
        if xml.is(node, Ns::W, "r") {
            return Some(node);
        }
        let is_opened = xml.is(node, Ns::W, "ins") || xml.is(node, Ns::W, "del") && is_cut(xml, node);
        node = match edge {
            Edge::First => xml.children(node).next(),
            Edge::Last => xml.children(node).last(),
        }
        .filter(|_| is_opened)?;
    }
}

fn join_chain(xml: &Xml, chain: &[NodeId], edits: &mut Edits) {
    // A text over several pieces: its first `w:t` and all its characters.
    let mut open: Option<(NodeId, String)> = None;
    for pair in chain.windows(2) {
        let (Some(one), Some(other)) =
            (edge_run(xml, pair[0], Edge::Last), edge_run(xml, pair[1], Edge::First))
        else {
            return;
        };
        let texts = last_text(xml, one).zip(first_text(xml, other).filter(|text| is_continued(xml, *text)));
        let gap = match texts {
            Some((left, right)) => xml.content(left).end..xml.content(right).start,
            None => xml.content(one).end..content_start(xml, other),
        };
        edits.withdraw(&gap);
        edits.delete(gap);
        match (texts, &mut open) {
            (Some((left, right)), Some((_, text))) if is_only_text(xml, one, left) => {
                text.push_str(&xml.text(right))
            }
            (Some((left, right)), _) => {
                settle_space(xml, open.take(), edits);
                open = Some((left, format!("{}{}", xml.text(left), xml.text(right))));
            }
            (None, _) => settle_space(xml, open.take(), edits),
        }
    }
    settle_space(xml, open, edits);
}

/// Our own `xml:space` goes when the joined text needs it no more.
fn settle_space(xml: &Xml, open: Option<(NodeId, String)>, edits: &mut Edits) {
    let Some((text, joined)) = open else { return };
    if let Some(range) = our_space(xml, text).filter(|_| !has_edge_space(&joined)) {
        edits.delete(range);
    }
}

fn our_space(xml: &Xml, text: NodeId) -> Option<Range<usize>> {
    let space = xml.attribute(text, Ns::Xml, "space")?;
    (xml.slice(space.whole.clone()) == OUR_SPACE).then_some(space.whole)
}

fn is_text(xml: &Xml, node: NodeId) -> bool {
    xml.is(node, Ns::W, "t") || xml.is(node, Ns::W, "delText")
}

fn last_text(xml: &Xml, run: NodeId) -> Option<NodeId> {
    xml.children(run).last().filter(|node| is_text(xml, *node) && !xml.is_empty_tag(*node))
}

fn first_text(xml: &Xml, run: NodeId) -> Option<NodeId> {
    let mut content = xml.children(run).filter(|node| !xml.is(*node, Ns::W, "rPr"));
    content.next().filter(|node| is_text(xml, *node) && !xml.is_empty_tag(*node))
}

/// A later piece of a `w:t` always carries our quotes.
fn is_continued(xml: &Xml, text: NodeId) -> bool {
    our_space(xml, text).is_some()
}

fn is_only_text(xml: &Xml, run: NodeId, text: NodeId) -> bool {
    first_text(xml, run) == Some(text)
}

fn content_start(xml: &Xml, run: NodeId) -> usize {
    xml.child(run, Ns::W, "rPr").map_or(xml.content(run).start, |properties| xml.span(properties).end)
}
