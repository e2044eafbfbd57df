//! The one view of text: what a paragraph shows, character by character, with the run and the node that each comes from.
//!
//! Visible is what stands in the final document: not what is deleted or moved away (tracked), not field codes, not what a text box
//! holds (a story of its own). Pictures, notes, anchors and range marks have no character; edits leave them where they are.

use std::{borrow::Cow, ops::Range};

use super::{
    fields::FieldMark,
    index::{Index, is_shadow_branch, visible_descendants},
};
use crate::package::xml::{NodeId, NodeKind, Ns, Xml};

/// How an atom holds its characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtomKind {
    /// A text node in a `w:t`.
    Text,
    /// An element that stands for a character: tab, break, special hyphen, symbol.
    Glyph,
    /// Text that is shown but not edited as text: math, ruby, alternate content.
    Wall,
}

/// A stretch of visible text from one node.
#[derive(Debug, Clone)]
pub(super) struct Atom {
    /// In `View::text`.
    pub(super) range: Range<usize>,
    pub(super) kind: AtomKind,
    /// The text node, or the element of a glyph or wall.
    pub(super) node: NodeId,
    pub(super) run: NodeId,
    /// In `View::scopes`.
    pub(super) scope: Option<usize>,
    /// The innermost field whose result this is.
    pub(super) field: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Hyperlink,
    SimpleField,
    /// A content control around runs.
    Control,
    /// Tracked insertion (or arrival of a move) by someone.
    Insertion,
    /// `smartTag`, `customXml`, `dir`, `bdo`: wrappers that text may cross.
    Plain,
}

/// An element between the paragraph and its runs.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    pub(super) kind: ScopeKind,
    pub(super) node: NodeId,
    pub(super) parent: Option<usize>,
}

/// A run that shows nothing and could show text.
#[derive(Debug, Clone)]
pub(super) struct EmptyRun {
    pub(super) run: NodeId,
    pub(super) scope: Option<usize>,
    pub(super) field: Option<usize>,
}

/// The visible text of one paragraph.
#[derive(Debug)]
pub(super) struct View {
    pub(super) paragraph: NodeId,
    pub(super) text: String,
    pub(super) atoms: Vec<Atom>,
    pub(super) scopes: Vec<Scope>,
    /// Runs that hold nothing but, perhaps, an empty `w:t`.
    pub(super) empty_runs: Vec<EmptyRun>,
    /// Fields open where the paragraph begins, outermost first.
    pub(super) open_before: Vec<usize>,
    /// Fields open where it ends.
    pub(super) open_after: Vec<usize>,
    /// Whether its end lies in a field's code, where text would not be seen.
    pub(super) ends_in_code: bool,
}

impl View {
    pub(super) fn of(xml: &Xml, index: &Index, paragraph: NodeId) -> View {
        let open_before = index.fields.open_at(paragraph);
        let mut reader = Reader {
            xml,
            index,
            open: open_before.clone(),
            hidden: 0,
            view: View {
                paragraph,
                text: String::new(),
                atoms: Vec::new(),
                scopes: Vec::new(),
                empty_runs: Vec::new(),
                open_before,
                open_after: Vec::new(),
                ends_in_code: false,
            },
        };
        let start = xml.span(paragraph).start;
        let is_result = |field: &usize| {
            index.fields.all[*field].separate.is_some_and(|separate| xml.span(separate).start < start)
        };
        reader.hidden = reader.open.iter().filter(|field| !is_result(field)).count();
        reader.run();
        reader.view
    }

    /// The scopes around an atom, innermost first.
    pub(super) fn scopes_of(&self, scope: Option<usize>) -> impl Iterator<Item = &Scope> {
        std::iter::successors(scope, |inner| self.scopes[*inner].parent)
            .map(|position| &self.scopes[position])
    }

    /// The positions in `atoms` of those that a range of the text touches.
    pub(super) fn touched(&self, range: &Range<usize>) -> Range<usize> {
        if range.is_empty() {
            return 0..0;
        }
        let first = self.atoms.partition_point(|atom| atom.range.end <= range.start);
        let last = self.atoms.partition_point(|atom| atom.range.start < range.end);
        first..last.max(first)
    }
}

/// The visible text of a paragraph alone.
pub(super) fn text_of(xml: &Xml, index: &Index, paragraph: NodeId) -> String {
    View::of(xml, index, paragraph).text
}

/// What an element in a run shows; `None` for text and for what has no character.
fn glyph(xml: &Xml, element: NodeId) -> Option<Cow<'static, str>> {
    let text: &'static str = match xml.local_name(element) {
        "tab" | "ptab" => "\t",
        "cr" => "\n",
        // A page or column break is an anchor, not a character: it must outlive a rewriting of the text around it.
        "br" => match xml.value(element, Ns::W, "type").as_deref() {
            Some("page" | "column") => return None,
            _ => "\n",
        },
        "noBreakHyphen" => "\u{2011}",
        "softHyphen" => "\u{AD}",
        "sym" => {
            let code = xml.value(element, Ns::W, "char")?;
            let character = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32)?;
            return Some(Cow::Owned(character.to_string()));
        }
        _ => return None,
    };
    Some(Cow::Borrowed(text))
}

struct Reader<'x> {
    xml: &'x Xml,
    index: &'x Index,
    open: Vec<usize>,
    /// How many of the open fields are still in their code.
    hidden: usize,
    view: View,
}

impl Reader<'_> {
    fn run(&mut self) {
        let first = |node| self.xml.child_nodes(node).next();
        let mut cursors = vec![(first(self.view.paragraph), None)];
        while let Some((cursor, scope)) = cursors.pop() {
            let Some(node) = cursor else { continue };
            cursors.push((self.xml.next_sibling(node), scope));
            if self.xml.kind(node) != NodeKind::Element {
                continue;
            }
            if let Some(inner) = self.inline(node, scope) {
                cursors.push(inner);
            }
        }
        self.view.open_after = self.open.clone();
        self.view.ends_in_code = self.hidden > 0;
    }

    /// One child of the paragraph or of a scope; gives the cursor to go into.
    fn inline(&mut self, node: NodeId, scope: Option<usize>) -> Option<(Option<NodeId>, Option<usize>)> {
        let xml = self.xml;
        let first = |node| xml.child_nodes(node).next();
        match (xml.namespace(node), xml.local_name(node)) {
            (Ns::W, "r") => {
                self.text_run(node, scope);
                None
            }
            (Ns::W, "sdt") => {
                let content = xml.child(node, Ns::W, "sdtContent")?;
                Some((first(content), self.enter(ScopeKind::Control, node, scope)))
            }
            (Ns::W, "hyperlink") => Some((first(node), self.enter(ScopeKind::Hyperlink, node, scope))),
            (Ns::W, "fldSimple") => Some((first(node), self.enter(ScopeKind::SimpleField, node, scope))),
            (Ns::W, "ins" | "moveTo") => Some((first(node), self.enter(ScopeKind::Insertion, node, scope))),
            (Ns::W, "smartTag" | "customXml" | "dir" | "bdo") => {
                Some((first(node), self.enter(ScopeKind::Plain, node, scope)))
            }
            (Ns::W, "del" | "moveFrom") => {
                self.deleted(node);
                None
            }
            (Ns::M, "oMath" | "oMathPara") => {
                self.wall(node, node, scope, Ns::M);
                None
            }
            (Ns::Mc, "AlternateContent") => {
                self.wall(node, node, scope, Ns::W);
                None
            }
            _ => None,
        }
    }

    fn enter(&mut self, kind: ScopeKind, node: NodeId, parent: Option<usize>) -> Option<usize> {
        self.view.scopes.push(Scope { kind, node, parent });
        Some(self.view.scopes.len() - 1)
    }

    /// Deleted content is not seen, but a field may begin or end in it.
    fn deleted(&mut self, node: NodeId) {
        let marks: Vec<NodeId> = self.xml.descendants_named(node, Ns::W, "fldChar").collect();
        for mark in marks {
            self.field_mark(mark);
        }
    }

    fn text_run(&mut self, run: NodeId, scope: Option<usize>) {
        let xml = self.xml;
        let is_blank = |child: NodeId| {
            xml.is(child, Ns::W, "rPr") || xml.is(child, Ns::W, "t") && xml.text(child).is_empty()
        };
        if self.hidden == 0 && xml.children(run).all(is_blank) {
            self.view.empty_runs.push(EmptyRun { run, scope, field: self.open.last().copied() });
        }
        for child in xml.children(run) {
            match (xml.namespace(child), xml.local_name(child)) {
                (Ns::W, "t") => {
                    for node in xml.child_nodes(child) {
                        if let Some(text) = xml.text_of(node) {
                            self.push(&text, AtomKind::Text, node, run, scope);
                        }
                    }
                }
                (Ns::W, "fldChar") => self.field_mark(child),
                (Ns::W, "ruby") => {
                    if let Some(base) = xml.child(child, Ns::W, "rubyBase") {
                        self.wall_in_run(child, base, run, scope, Ns::W);
                    }
                }
                (Ns::W, _) => {
                    if let Some(text) = glyph(xml, child) {
                        self.push(&text, AtomKind::Glyph, child, run, scope);
                    }
                }
                (Ns::Mc, "AlternateContent") => self.wall_in_run(child, child, run, scope, Ns::W),
                _ => {}
            }
        }
    }

    fn field_mark(&mut self, node: NodeId) {
        match self.index.fields.mark_of(node) {
            FieldMark::Begin(field) => {
                self.open.push(field);
                self.hidden += 1;
            }
            FieldMark::Separate(_) => self.hidden = self.hidden.saturating_sub(1),
            FieldMark::End(field) => {
                self.open.retain(|open| *open != field);
                if self.index.fields.all[field].separate.is_none() {
                    self.hidden = self.hidden.saturating_sub(1);
                }
            }
            FieldMark::Stray => {}
        }
    }

    fn wall(&mut self, node: NodeId, source: NodeId, scope: Option<usize>, namespace: Ns) {
        self.wall_in_run(node, source, node, scope, namespace);
    }

    /// The text under `source` as one piece; of alternate branches the first that has text.
    fn wall_in_run(
        &mut self,
        node: NodeId,
        source: NodeId,
        run: NodeId,
        scope: Option<usize>,
        namespace: Ns,
    ) {
        let xml = self.xml;
        let text_under = |root: NodeId| -> String {
            visible_descendants(xml, root, |inner| {
                is_shadow_branch(xml, inner)
                    || xml.is(inner, Ns::W, "txbxContent")
                    || xml.is(inner, Ns::W, "del")
            })
            .filter(|inner| xml.is(*inner, namespace, "t"))
            .map(|inner| xml.text(inner).into_owned())
            .collect()
        };
        let text = if xml.is(source, Ns::Mc, "AlternateContent") {
            xml.children(source).map(text_under).find(|text| !text.is_empty()).unwrap_or_default()
        } else {
            text_under(source)
        };
        self.push(&text, AtomKind::Wall, node, run, scope);
    }

    fn push(&mut self, text: &str, kind: AtomKind, node: NodeId, run: NodeId, scope: Option<usize>) {
        if text.is_empty() || self.hidden > 0 {
            return;
        }
        let start = self.view.text.len();
        self.view.text.push_str(text);
        let range = start..self.view.text.len();
        self.view.atoms.push(Atom { range, kind, node, run, scope, field: self.open.last().copied() });
    }
}
