//! The blocks of one part: paragraphs, tables, rows and cells with their addresses, through content controls and text boxes.
//!
//! An index never looks inside a paragraph's text (`view` does). Where markup compatibility gives one text in several branches
//! (ECMA-376-3, 9.4), the first branch is read and the paragraphs of the others are kept as twins that must follow every edit.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use super::{fields::Fields, story::PartKind};
use crate::package::xml::{NodeId, NodeKind, Ns, Xml};

/// What an address can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    Paragraph,
    Table,
    Row,
    Cell,
}

/// One addressable block.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// `p12`, `t1.r2.c3.p1`, `header1.p1`, …
    pub(super) at: String,
    pub(super) kind: EntryKind,
    pub(super) node: NodeId,
    /// Where its start tag begins; what a position is followed by through a batch.
    pub(super) start: usize,
    /// Which of `Index::stories` it stands in.
    pub(super) story: usize,
    /// The contract's `index`: only for block-level paragraphs of the body.
    pub(super) index: Option<usize>,
}

/// A flow of text of its own: the body, a header, one note, one comment, one text box.
#[derive(Debug, Clone)]
pub(super) struct Story {
    pub(super) kind: StoryKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoryKind {
    Body,
    Header,
    Footer,
    Footnote,
    Endnote,
    Comment,
    TextBox,
}

/// All blocks of a part in document order.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) entries: Vec<Entry>,
    pub(super) stories: Vec<Story>,
    pub(super) fields: Fields,
    /// How many text boxes were numbered in this part.
    pub(super) text_boxes: usize,
    twins: HashMap<NodeId, Vec<NodeId>>,
    split: HashSet<NodeId>,
}

impl Index {
    /// Walks a part; text boxes are numbered from `first_text_box`.
    pub(super) fn build(xml: &Xml, kind: PartKind, number: usize, first_text_box: usize) -> Index {
        let holds = |word: &[u8]| memchr::memmem::find(xml.bytes(), word).is_some();
        let mut walker = Walker {
            xml,
            has_text_boxes: holds(b"txbxContent"),
            frames: Vec::new(),
            cursors: Vec::new(),
            next_text_box: first_text_box,
            index: Index {
                entries: Vec::new(),
                stories: Vec::new(),
                fields: if holds(b"fldChar") { Fields::scan(xml) } else { Fields::default() },
                text_boxes: 0,
                twins: HashMap::new(),
                split: HashSet::new(),
            },
        };
        if holds(b"AlternateContent") {
            walker.pair_branches();
        }
        walker.start(kind, number);
        walker.run();
        walker.index.text_boxes = walker.next_text_box - first_text_box;
        walker.index
    }

    /// The same paragraph in the other branches of its alternate content.
    pub(super) fn twins(&self, paragraph: NodeId) -> &[NodeId] {
        self.twins.get(&paragraph).map_or(&[], Vec::as_slice)
    }

    /// Whether the branches that hold this paragraph do not correspond, so that an edit could not reach all of them.
    pub(super) fn is_split(&self, paragraph: NodeId) -> bool {
        self.split.contains(&paragraph)
    }

    /// The entry whose start tag begins at a byte.
    pub(super) fn entry_at(&self, start: usize) -> Option<usize> {
        self.entries.binary_search_by_key(&start, |entry| entry.start).ok()
    }

    /// The entry of a node.
    pub(super) fn entry_of(&self, xml: &Xml, node: NodeId) -> Option<usize> {
        self.entry_at(xml.span(node).start)
    }

    /// The position of the entry with this address.
    pub(super) fn position(&self, at: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.at == at)
    }

    pub(super) fn story_kind(&self, entry: &Entry) -> StoryKind {
        self.stories[entry.story].kind
    }

    /// The paragraphs with their positions in `entries`.
    pub(super) fn paragraphs(&self) -> impl Iterator<Item = (usize, &Entry)> {
        self.entries.iter().enumerate().filter(|(_, entry)| entry.kind == EntryKind::Paragraph)
    }
}

/// Whether an element is a branch of alternate content that is not the one read.
pub(super) fn is_shadow_branch(xml: &Xml, element: NodeId) -> bool {
    (xml.is(element, Ns::Mc, "Choice") || xml.is(element, Ns::Mc, "Fallback"))
        && std::iter::successors(xml.previous_sibling(element), |node| xml.previous_sibling(*node))
            .any(|node| xml.kind(node) == NodeKind::Element)
}

/// The elements under a node in document order, leaving out whole subtrees that `skip` names.
pub(super) fn visible_descendants<'x>(
    xml: &'x Xml,
    node: NodeId,
    skip: impl Fn(NodeId) -> bool + 'x,
) -> impl Iterator<Item = NodeId> + 'x {
    let mut past = 0;
    xml.descendants(node).skip(1).filter(move |inner| {
        let span = xml.span(*inner);
        if span.start < past || xml.kind(*inner) != NodeKind::Element {
            return false;
        }
        if skip(*inner) {
            past = span.end;
            return false;
        }
        true
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Level {
    Blocks,
    Rows,
    Cells,
}

struct Frame {
    prefix: String,
    level: Level,
    story: usize,
    /// Paragraphs (or rows, or cells) and tables so far.
    counted: usize,
    tables: usize,
}

struct Walker<'x> {
    xml: &'x Xml,
    has_text_boxes: bool,
    frames: Vec<Frame>,
    /// The next sibling to look at, with its frame.
    cursors: Vec<(Option<NodeId>, usize)>,
    next_text_box: usize,
    index: Index,
}

fn joined(prefix: &str, letter: char, number: usize) -> String {
    if prefix.is_empty() { format!("{letter}{number}") } else { format!("{prefix}.{letter}{number}") }
}

impl Walker<'_> {
    fn start(&mut self, kind: PartKind, number: usize) {
        let root = self.xml.root();
        match kind {
            PartKind::Main => {
                if let Some(body) = self.xml.child(root, Ns::W, "body") {
                    self.story(StoryKind::Body, body, String::new());
                }
            }
            PartKind::Header => self.story(StoryKind::Header, root, format!("header{number}")),
            PartKind::Footer => self.story(StoryKind::Footer, root, format!("footer{number}")),
            PartKind::Footnotes => self.notes(root, "footnote", StoryKind::Footnote),
            PartKind::Endnotes => self.notes(root, "endnote", StoryKind::Endnote),
            PartKind::Comments => self.notes(root, "comment", StoryKind::Comment),
        }
        self.cursors.reverse();
    }

    /// One story for each note; separators (ECMA-376-1, 17.11.23) are no text of the document.
    fn notes(&mut self, root: NodeId, word: &str, kind: StoryKind) {
        let is_text = |note: &NodeId| {
            let note_type = self.xml.value(*note, Ns::W, "type");
            note_type.is_none_or(|value| value == "normal")
        };
        let notes: Vec<NodeId> = self.xml.children_named(root, Ns::W, word).filter(is_text).collect();
        for (position, note) in notes.into_iter().enumerate() {
            self.story(kind, note, format!("{word}{}", position + 1));
        }
    }

    fn story(&mut self, kind: StoryKind, root: NodeId, prefix: String) {
        let story = self.index.stories.len();
        self.index.stories.push(Story { kind });
        self.enter(root, prefix, Level::Blocks, story);
    }

    fn enter(&mut self, node: NodeId, prefix: String, level: Level, story: usize) {
        self.frames.push(Frame { prefix, level, story, counted: 0, tables: 0 });
        self.cursors.push((self.first(node), self.frames.len() - 1));
    }

    fn first(&self, node: NodeId) -> Option<NodeId> {
        self.xml.child_nodes(node).next()
    }

    fn run(&mut self) {
        while let Some((cursor, frame)) = self.cursors.pop() {
            let Some(node) = cursor else { continue };
            self.cursors.push((self.xml.next_sibling(node), frame));
            if self.xml.kind(node) == NodeKind::Element {
                self.block(node, frame);
            }
        }
    }

    fn block(&mut self, node: NodeId, frame: usize) {
        let is_word = self.xml.namespace(node) == Ns::W;
        let level = self.frames[frame].level;
        match (self.xml.local_name(node), level) {
            ("p", Level::Blocks) if is_word => self.paragraph(node, frame),
            ("tbl", Level::Blocks) if is_word => self.table(node, frame),
            ("tr", Level::Rows) if is_word => self.part_of_table(node, frame, EntryKind::Row),
            ("tc", Level::Cells) if is_word => self.part_of_table(node, frame, EntryKind::Cell),
            ("sdt" | "sdtContent" | "customXml" | "smartTag" | "ins" | "moveTo" | "del" | "moveFrom", _)
                if is_word =>
            {
                self.cursors.push((self.first(node), frame));
            }
            ("AlternateContent", _) if self.xml.namespace(node) == Ns::Mc => {
                if let Some(branch) = self.xml.children(node).next() {
                    self.cursors.push((self.first(branch), frame));
                }
            }
            _ => {}
        }
    }

    fn entry(&mut self, at: String, kind: EntryKind, node: NodeId, story: usize, index: Option<usize>) {
        let start = self.xml.span(node).start;
        self.index.entries.push(Entry { at, kind, node, start, story, index });
    }

    fn paragraph(&mut self, node: NodeId, frame: usize) {
        let Frame { prefix, story, counted, .. } = &mut self.frames[frame];
        *counted += 1;
        let (at, story) = (joined(prefix, 'p', *counted), *story);
        let in_body = prefix.is_empty() && self.index.stories[story].kind == StoryKind::Body;
        let index = in_body.then_some(*counted);
        self.entry(at, EntryKind::Paragraph, node, story, index);
        if self.has_text_boxes {
            self.text_boxes(node);
        }
    }

    /// The text boxes anchored in a paragraph come right after it.
    fn text_boxes(&mut self, paragraph: NodeId) {
        let is_box = |node: NodeId| self.xml.is(node, Ns::W, "txbxContent");
        let parent_is_box = |node: &NodeId| self.xml.parent(*node).is_some_and(is_box);
        let mut boxes: Vec<NodeId> = Vec::new();
        for node in visible_descendants(self.xml, paragraph, |node| {
            is_shadow_branch(self.xml, node)
                || self.xml.parent(node).is_some_and(|parent| self.xml.is(parent, Ns::W, "txbxContent"))
        }) {
            if is_box(node) && !parent_is_box(&node) {
                boxes.push(node);
            }
        }
        let mut opened = Vec::new();
        for text_box in boxes {
            self.next_text_box += 1;
            let story = self.index.stories.len();
            self.index.stories.push(Story { kind: StoryKind::TextBox });
            self.frames.push(Frame {
                prefix: format!("textbox{}", self.next_text_box),
                level: Level::Blocks,
                story,
                counted: 0,
                tables: 0,
            });
            opened.push((self.first(text_box), self.frames.len() - 1));
        }
        self.cursors.extend(opened.into_iter().rev());
    }

    fn table(&mut self, node: NodeId, frame: usize) {
        let Frame { prefix, story, tables, .. } = &mut self.frames[frame];
        *tables += 1;
        let (at, story) = (joined(prefix, 't', *tables), *story);
        self.entry(at.clone(), EntryKind::Table, node, story, None);
        self.enter(node, at, Level::Rows, story);
    }

    fn part_of_table(&mut self, node: NodeId, frame: usize, kind: EntryKind) {
        let Frame { prefix, story, counted, .. } = &mut self.frames[frame];
        *counted += 1;
        let (letter, level) = if kind == EntryKind::Row { ('r', Level::Cells) } else { ('c', Level::Blocks) };
        let (at, story) = (joined(prefix, letter, *counted), *story);
        self.entry(at.clone(), kind, node, story, None);
        self.enter(node, at, level, story);
    }

    /// Finds which paragraphs are the same text in another branch; inner alternate content first.
    fn pair_branches(&mut self) {
        let xml = self.xml;
        let all: Vec<NodeId> = xml.descendants_named(xml.root(), Ns::Mc, "AlternateContent").collect();
        for alternate in all.into_iter().rev() {
            let mut branches = xml.children(alternate).map(|branch| branch_paragraphs(xml, branch));
            let Some(primary) = branches.next() else { continue };
            for other in branches.filter(|other| !other.is_empty()) {
                let corresponds = primary.len() == other.len()
                    && primary.iter().zip(&other).all(|(a, b)| same_text(xml, *a, *b));
                if !corresponds {
                    self.index.split.extend(primary.iter().copied());
                    continue;
                }
                for (paragraph, twin) in primary.iter().zip(other) {
                    let nested = self.index.twins.get(&twin).cloned().unwrap_or_default();
                    let twins = self.index.twins.entry(*paragraph).or_default();
                    twins.push(twin);
                    twins.extend(nested);
                }
            }
        }
    }
}

fn branch_paragraphs(xml: &Xml, branch: NodeId) -> Vec<NodeId> {
    visible_descendants(xml, branch, |node| is_shadow_branch(xml, node))
        .filter(|node| xml.is(*node, Ns::W, "p"))
        .collect()
}

/// Whether two paragraphs hold the same runs of text (fields and the like are compared by their text only).
fn same_text(xml: &Xml, one: NodeId, other: NodeId) -> bool {
    let text = |paragraph: NodeId| -> String {
        visible_descendants(xml, paragraph, |node| {
            is_shadow_branch(xml, node) || xml.is(node, Ns::W, "txbxContent")
        })
        .map(|node| match (xml.namespace(node), xml.local_name(node)) {
            (Ns::W, "t" | "delText" | "instrText") => xml.text(node).into_owned(),
            (Ns::W, "tab" | "br" | "cr") => "\u{1}".to_owned(),
            _ => String::new(),
        })
        .collect()
    };
    text(one) == text(other)
}

/// The byte range of a paragraph's content behind its properties.
pub(super) fn inner_range(xml: &Xml, paragraph: NodeId) -> Range<usize> {
    let content = xml.content(paragraph);
    let start =
        xml.child(paragraph, Ns::W, "pPr").map_or(content.start, |properties| xml.span(properties).end);
    start..content.end
}
