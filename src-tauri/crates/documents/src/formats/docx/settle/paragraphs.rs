//! Marks of paragraphs: those that go take their paragraph along, or let it flow into the next one.

use std::{ops::Range, rc::Rc};

use super::{
    super::{
        blocks,
        delete::{removals, section_of},
        index::inner_range,
        join, ranges,
        removal::Removal,
        story::Loaded,
    },
    Plan, anchors_in,
};
use crate::{
    EditError,
    package::xml::{NodeId, Ns, Splices, Xml},
};

impl Plan<'_, '_> {
    pub(super) fn paragraph_mark(&mut self, xml: &Xml, mark: NodeId) {
        let paragraph = xml.ancestors(mark).find(|node| xml.is(*node, Ns::W, "p"));
        let properties = xml.parent(mark);
        let is_paragraph_mark = properties
            .and_then(|properties| xml.parent(properties))
            .is_some_and(|parent| xml.is(parent, Ns::W, "pPr"));
        let (Some(paragraph), Some(properties), true) = (paragraph, properties, is_paragraph_mark) else {
            // In the properties of a run it belongs to an equation's control character.
            self.left += 1;
            return;
        };
        if !self.stays(xml.local_name(mark)) {
            self.unmarked.push(paragraph);
        }
        self.edits.delete(self.mark_with_our_wrappers(xml, mark, properties));
    }

    /// The mark, with the `w:rPr` and `w:pPr` that were made only for it.
    fn mark_with_our_wrappers(&self, xml: &Xml, mark: NodeId, properties: NodeId) -> Range<usize> {
        let is_alone = |node: NodeId, parent: NodeId| xml.content(parent) == xml.span(node);
        let made_properties = join::is_single_quoted(xml, mark, "id") && is_alone(mark, properties);
        if !made_properties {
            return xml.span(mark);
        }
        let outer = xml.parent(properties).filter(|outer| {
            join::is_single_quoted(xml, mark, "date")
                && is_alone(properties, *outer)
                && xml.is(*outer, Ns::W, "pPr")
        });
        xml.span(outer.unwrap_or(properties))
    }

    /// Paragraphs whose mark goes flow into the next one; those that hold nothing any more go.
    pub(super) fn drop_paragraph_ends(&mut self, loaded: &Rc<Loaded>) -> Result<(), EditError> {
        let xml = &loaded.xml;
        let is_gone = |gone: &[Range<usize>], node: NodeId| {
            gone.iter().any(|range| range.contains(&xml.span(node).start))
        };
        let unmarked: Vec<NodeId> =
            self.unmarked.iter().copied().filter(|node| !is_gone(&self.gone, *node)).collect();
        let empty: Vec<NodeId> = unmarked
            .iter()
            .copied()
            .filter(|paragraph| section_of(xml, *paragraph).is_none() && self.is_emptied(xml, *paragraph))
            .collect();
        let mut whole = Vec::new();
        for removal in removals(xml, &empty, |block| is_gone(&self.gone, block)) {
            if let Removal::Whole(paragraph) = removal {
                whole.push(paragraph);
            }
        }
        for paragraph in &whole {
            self.edits.withdraw(&xml.span(*paragraph));
        }
        let removed: Vec<Removal> = whole.iter().copied().map(Removal::Whole).collect();
        self.remove(loaded, &removed)?;
        let merging: Vec<NodeId> = unmarked
            .into_iter()
            .filter(|node| !empty.contains(node) && section_of(xml, *node).is_none())
            .collect();
        self.merge(xml, &merging, &whole);
        Ok(())
    }

    /// Whether nothing but anchors will be left in a paragraph.
    fn is_emptied(&self, xml: &Xml, paragraph: NodeId) -> bool {
        let mut pieces = Vec::new();
        self.pieces_of_all(xml, paragraph, &mut pieces);
        pieces.iter().all(|node| {
            xml.namespace(*node) == Ns::W
                && match xml.local_name(*node) {
                    "pPr" | "proofErr" | "smartTagPr" | "customXmlPr" => true,
                    // A wrapper that holds nothing shows nothing.
                    "hyperlink" | "smartTag" | "customXml" | "dir" | "bdo" => self.is_emptied(xml, *node),
                    _ => ranges::family(xml, *node).is_some(),
                }
        })
    }

    /// The elements of a container that survive, through settled wrappers of all kinds.
    fn pieces_of_all(&self, xml: &Xml, container: NodeId, pieces: &mut Vec<NodeId>) {
        for child in xml.children(container) {
            let name = xml.local_name(child);
            let is_settled =
                self.changes.contains(&child) && matches!(name, "ins" | "del" | "moveFrom" | "moveTo");
            match is_settled {
                false => pieces.push(child),
                true if self.stays(name) => self.pieces_of_all(xml, child, pieces),
                true => pieces.extend(anchors_in(xml, child)),
            }
        }
    }

    /// Each chain of paragraphs without marks becomes one with the paragraph behind it, whose properties win because its mark stays.
    fn merge(&mut self, xml: &Xml, merging: &[NodeId], removed: &[NodeId]) {
        let next = |paragraph: NodeId| {
            std::iter::successors(blocks::next_block(xml, paragraph), |block| blocks::next_block(xml, *block))
                .find(|block| !removed.contains(block))
                .filter(|block| xml.is(*block, Ns::W, "p"))
        };
        let is_target = |paragraph: NodeId| merging.iter().any(|other| next(*other) == Some(paragraph));
        for first in merging.iter().copied().filter(|paragraph| !is_target(*paragraph)) {
            let mut chain = vec![first];
            while let Some(last) = chain.last().copied().filter(|last| merging.contains(last)) {
                match next(last) {
                    Some(next) => chain.push(next),
                    None => break,
                }
            }
            if chain.len() > 1 {
                self.merge_chain(xml, &chain);
            }
        }
    }

    fn merge_chain(&mut self, xml: &Xml, chain: &[NodeId]) {
        let (Some(first), Some(last)) = (chain.first().copied(), chain.last().copied()) else { return };
        let properties = xml.child(last, Ns::W, "pPr").map(|properties| xml.span(properties));
        let new_properties = properties.map_or_else(String::new, |span| {
            let inner = self.edits.withdraw(&span);
            rendered(xml, span, inner)
        });
        for pair in chain.windows(2) {
            let (one, other) = (pair[0], pair[1]);
            let gap = match (xml.is_empty_tag(one), xml.is_empty_tag(other)) {
                (_, true) => xml.span(one).end..xml.span(other).end,
                (true, false) => xml.span(one).start..xml.span(one).start,
                (false, false) => xml.content(one).end..inner_range(xml, other).start,
            };
            // What was planned between the two blocks (range marks) stays between them.
            let between = xml.span(one).end..xml.span(other).start;
            let kept =
                if gap.contains(&between.start) { rendered_between(xml, one, other) } else { String::new() };
            self.edits.withdraw(&gap);
            self.edits.replace(gap, kept);
        }
        let own = xml.child(first, Ns::W, "pPr").map(|properties| xml.span(properties));
        let at = own.unwrap_or(xml.content(first).start..xml.content(first).start);
        self.edits.withdraw(&at);
        self.edits.replace(at, new_properties);
    }
}

/// Range marks that stand between two blocks.
fn rendered_between(xml: &Xml, one: NodeId, other: NodeId) -> String {
    let between = std::iter::successors(xml.next_sibling(one), |node| xml.next_sibling(*node));
    between
        .take_while(|node| *node != other)
        .filter(|node| ranges::family(xml, *node).is_some())
        .map(|node| xml.raw(node))
        .collect()
}

/// A stretch of the part with splices that lie inside it.
fn rendered(xml: &Xml, span: Range<usize>, splices: Splices) -> String {
    let mut shifted = Splices::default();
    for (range, with) in splices.into_items() {
        shifted.replace(range.start - span.start..range.end - span.start, with);
    }
    let bytes = shifted.apply(&xml.bytes()[span.clone()]);
    bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| xml.slice(span).to_owned())
}
