//! Writing one run anew: its pieces that stand, go and come, untracked or as tracked changes.

mod texts;

use std::{cell::Cell, collections::HashMap, ops::Range};

use super::{
    markup::{Names, Piece, pieces, raw_offset},
    properties::without_change,
    rewrite::run_properties,
    tracking::{Cuts, Tracking},
};
use crate::{
    EditError,
    package::xml::{NodeId, NodeKind, Ns, Splices, Xml},
};
use texts::Texts;

/// The changes inside one run.
#[derive(Debug, Default)]
pub(super) struct RunEdits {
    /// By text node or glyph element, in decoded bytes of its text.
    nodes: HashMap<NodeId, NodeEdits>,
    /// Text for a run that shows nothing yet.
    filling: Option<String>,
}

#[derive(Debug, Default)]
struct NodeEdits {
    deleted: Vec<Range<usize>>,
    inserted: Vec<(usize, String)>,
    /// Elements to put between runs at a place, cutting the run there.
    anchors: Vec<(usize, String)>,
}

impl RunEdits {
    pub(super) fn delete(&mut self, node: NodeId, range: Range<usize>) {
        self.nodes.entry(node).or_default().deleted.push(range);
    }

    pub(super) fn insert(&mut self, node: NodeId, at: usize, text: &str) {
        self.nodes.entry(node).or_default().inserted.push((at, text.to_owned()));
    }

    pub(super) fn anchor(&mut self, node: NodeId, at: usize, elements: &str) {
        self.nodes.entry(node).or_default().anchors.push((at, elements.to_owned()));
    }

    pub(super) fn fill(&mut self, text: &str) {
        self.filling = Some(text.to_owned());
    }
}

/// A piece of a run's content, in order.
enum Item<'x> {
    /// Characters of a `w:t`; an untouched empty `w:t` is one with nothing in it.
    Text {
        holder: NodeId,
        raw: String,
        decoded: String,
        gone: bool,
    },
    /// A glyph element.
    Glyph {
        raw: &'x str,
        gone: bool,
    },
    /// Anything else.
    Other(&'x str),
    /// White space and comments between the elements; it stays with what stands before it.
    Space(&'x str),
    New(&'x str),
    /// Elements between runs.
    Anchor(&'x str),
}

/// Plans the run's new bytes, limited to what differs.
pub(super) fn write_run(
    xml: &Xml,
    run: NodeId,
    edits: &RunEdits,
    tracking: Option<&Tracking<'_>>,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let writer = RunWriter { xml, run, names: Names::at(xml, run), spare: Cell::new(None) };
    let items = writer.items(edits);
    let insertion = writer.insertion_around();
    let own = |tracking: &Tracking<'_>| {
        insertion.is_some_and(|mark| {
            xml.is(mark, Ns::W, "ins")
                && xml.value(mark, Ns::W, "author").is_some_and(|author| author == tracking.author)
        })
    };
    let new = match tracking.filter(|tracking| !own(tracking)) {
        None => writer.untracked(&items)?,
        Some(tracking) => writer.tracked(&items, tracking, splices)?,
    };
    let span = xml.span(run);
    if new.is_empty() {
        splices.delete(span);
        return Ok(());
    }
    let old = &xml.bytes()[span.clone()];
    let (prefix, suffix) = common_bytes(old, new.as_bytes());
    splices.replace(span.start + prefix..span.end - suffix, &new.as_bytes()[prefix..new.len() - suffix]);
    Ok(())
}

fn common_bytes(old: &[u8], new: &[u8]) -> (usize, usize) {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let suffix =
        old[prefix..].iter().rev().zip(new[prefix..].iter().rev()).take_while(|(a, b)| a == b).count();
    (prefix, suffix)
}

struct RunWriter<'x> {
    xml: &'x Xml,
    run: NodeId,
    names: Names,
    /// The last id given by `unused_id`.
    spare: Cell<Option<u64>>,
}

impl<'x> RunWriter<'x> {
    /// The start tag and properties that every piece of the run repeats, as written.
    fn head(&self) -> String {
        let tag = self.xml.start_tag(self.run);
        match self.xml.child(self.run, Ns::W, "rPr") {
            Some(properties) => self.xml.slice(tag.start..self.xml.span(properties).end).to_owned(),
            None => {
                let tag = self.xml.slice(tag);
                tag.strip_suffix("/>").map_or_else(|| tag.to_owned(), |bare| format!("{bare}>"))
            }
        }
    }

    /// The same for a further piece: a tracked formatting change that it repeats is an annotation of its own (17.13.1).
    fn further_head(&self, tracking: Option<&Tracking<'_>>) -> String {
        let head = self.head();
        let properties = self.xml.child(self.run, Ns::W, "rPr");
        let change = properties.and_then(|properties| self.xml.child(properties, Ns::W, "rPrChange"));
        match change {
            Some(change) => self.with_own_id(head, self.xml.start_tag(self.run).start, change, tracking),
            None => head,
        }
    }

    /// Markup that repeats an element of the part from `start` on, with an id of its own for one annotation in it.
    fn with_own_id(
        &self,
        mut markup: String,
        start: usize,
        annotation: NodeId,
        tracking: Option<&Tracking<'_>>,
    ) -> String {
        let Some(id) = self.xml.attribute(annotation, Ns::W, "id") else { return markup };
        let own = match tracking {
            Some(tracking) => tracking.take_id(),
            None => self.unused_id(),
        };
        markup.replace_range(id.value_span.start - start..id.value_span.end - start, &own.to_string());
        markup
    }

    /// An id above all of the part, for the rare piece that needs one without tracking; each asked for is higher than the last.
    fn unused_id(&self) -> u64 {
        let of = |node: NodeId| -> Option<u64> {
            if self.xml.kind(node) != NodeKind::Element {
                return None;
            }
            self.xml.value(node, Ns::W, "id")?.trim().parse().ok()
        };
        let highest = self.spare.get().or_else(|| self.xml.descendants(self.xml.root()).filter_map(of).max());
        let next = highest.unwrap_or(0) + 1;
        self.spare.set(Some(next));
        next
    }

    fn tail(&self) -> String {
        self.end_tag(self.run)
    }

    /// An end tag as written; white space may stand in it.
    fn end_tag(&self, element: NodeId) -> String {
        let (content, span) = (self.xml.content(element), self.xml.span(element));
        match self.xml.is_empty_tag(element) {
            true => format!("</{}>", self.xml.qualified_name(element)),
            false => self.xml.slice(content.end..span.end).to_owned(),
        }
    }

    /// The nearest tracked insertion directly around the run.
    fn insertion_around(&self) -> Option<NodeId> {
        self.xml
            .ancestors(self.run)
            .take_while(|ancestor| !self.xml.is(*ancestor, Ns::W, "p"))
            .find(|ancestor| self.xml.is(*ancestor, Ns::W, "ins") || self.xml.is(*ancestor, Ns::W, "moveTo"))
    }

    fn items<'e: 'x>(&self, edits: &'e RunEdits) -> Vec<Item<'x>> {
        let xml = self.xml;
        let mut items = Vec::new();
        let properties_end =
            xml.child(self.run, Ns::W, "rPr").map_or(0, |properties| xml.span(properties).end);
        for child in xml.child_nodes(self.run).filter(|child| xml.span(*child).start >= properties_end) {
            if xml.is(child, Ns::W, "t") {
                self.text_items(child, edits, &mut items);
                continue;
            }
            let node_edits = edits.nodes.get(&child);
            let inserted = |before: bool| {
                node_edits
                    .into_iter()
                    .flat_map(|edits| &edits.inserted)
                    .filter(move |(at, _)| (*at == 0) == before)
                    .map(|(_, text)| Item::New(text))
            };
            let anchored = |before: bool| {
                let anchors = node_edits.into_iter().flat_map(|edits| &edits.anchors);
                anchors.filter(move |(at, _)| (*at == 0) == before).map(|(_, raw)| Item::Anchor(raw))
            };
            items.extend(inserted(true));
            items.extend(anchored(true));
            match node_edits {
                Some(edits) => {
                    items.push(Item::Glyph { raw: xml.raw(child), gone: !edits.deleted.is_empty() })
                }
                None if xml.kind(child) == NodeKind::Element => items.push(Item::Other(xml.raw(child))),
                None => items.push(Item::Space(xml.raw(child))),
            }
            items.extend(anchored(false));
            items.extend(inserted(false));
        }
        items.extend(edits.filling.as_deref().map(Item::New));
        items
    }

    fn text_items<'e: 'x>(&self, holder: NodeId, edits: &'e RunEdits, items: &mut Vec<Item<'x>>) {
        let xml = self.xml;
        let before = items.len();
        for node in xml.child_nodes(holder) {
            match xml.text_of(node) {
                Some(text) => self.node_items(holder, node, &text, edits.nodes.get(&node), items),
                None => items.push(Item::Text {
                    holder,
                    raw: xml.raw(node).to_owned(),
                    decoded: String::new(),
                    gone: false,
                }),
            }
        }
        if items.len() == before {
            items.push(Item::Text { holder, raw: String::new(), decoded: String::new(), gone: false });
        }
    }

    /// A text node cut at the borders of its edits.
    fn node_items<'e: 'x>(
        &self,
        holder: NodeId,
        node: NodeId,
        text: &str,
        edits: Option<&'e NodeEdits>,
        items: &mut Vec<Item<'x>>,
    ) {
        let push = |range: Range<usize>, gone: bool, items: &mut Vec<Item<'x>>| {
            if !range.is_empty() {
                let raw = self.raw_piece(node, range.clone());
                items.push(Item::Text { holder, raw, decoded: text[range].to_owned(), gone });
            }
        };
        let Some(edits) = edits else { return push(0..text.len(), false, items) };
        let mut cuts: Vec<usize> = edits.inserted.iter().chain(&edits.anchors).map(|(at, _)| *at).collect();
        cuts.extend(edits.deleted.iter().flat_map(|range| [range.start, range.end]));
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        cuts.dedup();
        let new_at = |at: usize| edits.inserted.iter().filter(move |(place, _)| *place == at);
        // What replaces something follows what it replaces, as Word writes it.
        let follows = |at: usize| edits.deleted.iter().find(|range| range.start == at).map(|range| range.end);
        let mut waiting: Vec<(usize, &'e str)> = Vec::new();
        for (position, &at) in cuts.iter().enumerate() {
            items.extend(waiting.iter().filter(|(end, _)| *end == at).map(|(_, new)| Item::New(new)));
            for (_, new) in new_at(at) {
                match follows(at) {
                    Some(end) => waiting.push((end, new)),
                    None => items.push(Item::New(new)),
                }
            }
            items.extend(
                edits.anchors.iter().filter(|(place, _)| *place == at).map(|(_, raw)| Item::Anchor(raw)),
            );
            if let Some(&next) = cuts.get(position + 1) {
                let gone = edits.deleted.iter().any(|range| range.start <= at && next <= range.end);
                push(at..next, gone, items);
            }
        }
        if text.is_empty() {
            items.push(Item::Text {
                holder,
                raw: self.xml.raw(node).to_owned(),
                decoded: String::new(),
                gone: false,
            });
        }
    }

    /// The raw characters behind a range of a text node's text.
    fn raw_piece(&self, node: NodeId, range: Range<usize>) -> String {
        let raw = self.xml.raw(node);
        if self.xml.kind(node) != NodeKind::CData {
            return raw[raw_offset(raw, range.start)..raw_offset(raw, range.end)].to_owned();
        }
        let inner = &raw["<![CDATA[".len()..raw.len() - "]]>".len()];
        format!("<![CDATA[{}]]>", &inner[range])
    }

    /// The run with its changes; anchors at its edges stand outside, others cut it.
    fn untracked(&self, items: &[Item<'_>]) -> Result<String, EditError> {
        let is_anchor = |item: &&Item<'_>| matches!(item, Item::Anchor(_));
        let leading = items.iter().take_while(is_anchor).count();
        let trailing = items[leading..].iter().rev().take_while(is_anchor).count();
        let raw = |items: &[Item<'_>]| -> String {
            items.iter().map(|item| if let Item::Anchor(raw) = item { raw } else { "" }).collect()
        };
        let middle = self.untracked_middle(&items[leading..items.len() - trailing])?;
        Ok(format!("{}{middle}{}", raw(&items[..leading]), raw(&items[items.len() - trailing..])))
    }

    fn untracked_middle(&self, items: &[Item<'_>]) -> Result<String, EditError> {
        let mut out = self.head();
        let mut texts =
            Texts { writer: self, element: "t", open: None, written: Vec::new(), may_join: false };
        for item in items {
            match item {
                Item::Text { holder, raw, decoded, gone } => {
                    let (raw, decoded) = if *gone { ("", "") } else { (raw.as_str(), decoded.as_str()) };
                    texts.add(*holder, raw, decoded, &mut out);
                }
                Item::Glyph { gone: true, .. } => texts.may_join = true,
                Item::Glyph { raw, gone: false } | Item::Other(raw) | Item::Space(raw) => {
                    texts.close(&mut out);
                    out.push_str(raw);
                }
                Item::Anchor(raw) => {
                    texts.close(&mut out);
                    out.push_str(&format!("{}{raw}{}", self.tail(), self.further_head(None)));
                }
                Item::New(text) => {
                    for piece in pieces(text) {
                        match piece {
                            Piece::Text(text) => texts.add_new(text)?,
                            Piece::Glyph(name) => {
                                texts.close(&mut out);
                                out.push_str(&self.names.empty(name));
                            }
                        }
                    }
                }
            }
        }
        let is_spent = texts.is_spent() && !items.iter().any(|item| matches!(item, Item::Other(_)));
        texts.close(&mut out);
        out.push_str(&self.tail());
        Ok(if is_spent { String::new() } else { out })
    }

    /// The run as a row of runs: what stands, `w:del` around what goes, `w:ins` around what comes.
    fn tracked(
        &self,
        items: &[Item<'_>],
        tracking: &Tracking<'_>,
        splices: &mut Splices,
    ) -> Result<String, EditError> {
        let groups = in_groups(items);
        let is_own = |group: &(State, &[Item<'_>])| group.0 != State::New;
        let head = |is_further: bool| match is_further {
            true => self.further_head(Some(tracking)),
            false => self.head(),
        };
        let mut cut_texts = Vec::new();
        let mut out = String::new();
        if !groups.iter().any(is_own) {
            // A run without content stands as it is; what comes stands behind it.
            out.push_str(self.xml.raw(self.run));
        }
        for (position, (state, group)) in groups.iter().enumerate() {
            let (before, after) =
                (groups[..position].iter().any(is_own), groups[position + 1..].iter().any(is_own));
            // What is new at the edge of a run has not cut it.
            let is_inside = *state != State::New || before && after;
            let cuts = Cuts { before: before && is_inside, after: after && is_inside };
            match state {
                State::Kept => out.push_str(&self.piece(group, "t", head(before), &mut cut_texts)?),
                State::Gone => {
                    let piece = self.piece(group, "delText", head(before), &mut cut_texts)?;
                    out.push_str(&tracking.wrap("del", &self.names, cuts, &piece));
                }
                State::New => {
                    let run = self.new_run(group)?;
                    let mark = tracking.wrap("ins", &self.names, cuts, &run);
                    self.place_insertion(mark, (before, after), tracking, &mut out, splices);
                }
            }
        }
        Ok(out)
    }

    /// A run with some of the items behind its head; a `w:t` of which a piece was written before is told by our own quotes.
    fn piece(
        &self,
        items: &[Item<'_>],
        element: &'static str,
        mut out: String,
        cut_texts: &mut Vec<NodeId>,
    ) -> Result<String, EditError> {
        let written = std::mem::take(cut_texts);
        let mut texts = Texts { writer: self, element, open: None, written, may_join: false };
        for item in items {
            match item {
                Item::Text { holder, raw, decoded, .. } => texts.add(*holder, raw, decoded, &mut out),
                Item::Glyph { raw, .. } | Item::Other(raw) | Item::Space(raw) => {
                    texts.close(&mut out);
                    out.push_str(raw);
                }
                Item::New(_) | Item::Anchor(_) => {}
            }
        }
        texts.close(&mut out);
        *cut_texts = texts.written;
        out.push_str(&self.tail());
        Ok(out)
    }

    fn new_run(&self, items: &[Item<'_>]) -> Result<String, EditError> {
        let text: String =
            items.iter().map(|item| if let Item::New(text) = item { text } else { "" }).collect();
        self.names.run(&without_change(run_properties(self.xml, self.run)), &text)
    }

    /// Another author's insertion is parted around ours (nested `w:ins` is no form that Word writes).
    fn place_insertion(
        &self,
        mark: String,
        (before, after): (bool, bool),
        tracking: &Tracking<'_>,
        out: &mut String,
        splices: &mut Splices,
    ) {
        let xml = self.xml;
        let around = xml.parent(self.run).filter(|parent| xml.is(*parent, Ns::W, "ins"));
        let Some(around) = around else { return out.push_str(&mark) };
        let first = xml.children(around).next() == Some(self.run);
        let last = xml.children(around).last() == Some(self.run);
        if !before && first {
            splices.insert(xml.span(around).start, mark);
        } else if !after && last {
            splices.insert(xml.span(around).end, mark);
        } else {
            let (tag, name) = (xml.start_tag(around), xml.qualified_name(around));
            let open = self.with_own_id(xml.slice(tag.clone()).to_owned(), tag.start, around, Some(tracking));
            out.push_str(&format!("</{name}>{mark}{open}"));
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Kept,
    Gone,
    New,
}

/// Neighbouring items of one fate.
fn in_groups<'i, 'x>(items: &'i [Item<'x>]) -> Vec<(State, &'i [Item<'x>])> {
    let mut groups: Vec<(State, Range<usize>)> = Vec::new();
    for (position, item) in items.iter().enumerate() {
        let state = match item {
            Item::Text { gone: true, .. } | Item::Glyph { gone: true, .. } => State::Gone,
            Item::New(_) => State::New,
            Item::Space(_) => groups.last().map_or(State::Kept, |(state, _)| *state),
            Item::Text { .. } | Item::Glyph { .. } | Item::Other(_) | Item::Anchor(_) => State::Kept,
        };
        match groups.last_mut() {
            Some((last, range)) if *last == state => range.end = position + 1,
            _ => groups.push((state, position..position + 1)),
        }
    }
    groups.into_iter().map(|(state, range)| (state, &items[range])).collect()
}
