//! The outline of a Word document (CONTRACT, section 4): paragraphs and tables of every story with their addresses, in windows.

use std::rc::Rc;

use super::{
    index::{Entry, EntryKind},
    notices::{notices, part_notices},
    numbering::Numbering,
    story::{Loaded, StoryPart, load, load_head, story_parts},
    styles::{StyleKind, Styles, has_switch},
    view::text_of,
};
use crate::{
    Cancel, DocumentError, Limits, Node, Outline, OutlineRequest, Warning,
    package::{
        Package,
        xml::{NodeId, Ns, Xml},
    },
};

/// Describes a document; reads only.
pub(super) fn outline(
    bytes: &[u8],
    request: &OutlineRequest,
    limits: &Limits,
    cancel: Cancel<'_>,
) -> Result<Outline, DocumentError> {
    let package = Package::open(bytes, limits)?;
    let mut window = Window::new(request)?;
    let mut warnings = notices(&package)?;
    let definitions = Definitions { styles: Styles::read(&package)?, numbering: Numbering::read(&package)? };
    let mut outline = Outline::default();
    let mut text_boxes = 0;
    let parts = story_parts(&package)?;
    let mut parts = parts.iter().peekable();
    if let Some(main) = parts.peek().copied()
        && let Some(head) = head(&package, main, request)?
    {
        window.add(&head, &definitions, &mut outline, cancel)?;
        if outline.truncated {
            parts.next();
        } else {
            (window, outline) = (Window::new(request)?, Outline::default());
        }
    }
    for part in parts {
        let loaded = match load(&package, part, text_boxes) {
            Ok(loaded) => loaded,
            Err(DocumentError::Cancelled) => return Err(DocumentError::Cancelled),
            Err(error) if text_boxes == 0 && part.number == 1 && part.name.same(&package.main_part()?) => {
                return Err(error);
            }
            Err(error) => {
                warnings.push(Warning::new("part_unreadable", error.to_string()));
                continue;
            }
        };
        text_boxes += loaded.index.text_boxes;
        part_notices(&loaded, part, &mut warnings);
        window.add(&loaded, &definitions, &mut outline, cancel)?;
    }
    window.close(&mut outline)?;
    outline.warnings = warnings;
    Ok(outline)
}

/// The beginning of the body, when a window from the start is all that is asked for: a long document is not indexed to its end for it.
fn head(
    package: &Package<'_>,
    main: &StoryPart,
    request: &OutlineRequest,
) -> Result<Option<Rc<Loaded>>, DocumentError> {
    /// Bytes of markup to a byte of the answer; where a document has more, it is read to its end.
    const MARKUP: usize = 8;
    let is_from_start = request.range.as_deref().is_none_or(|range| range.trim().is_empty());
    match request.budget.checked_mul(MARKUP).filter(|_| is_from_start) {
        Some(wish) => load_head(package, main, wish),
        None => Ok(None),
    }
}

struct Definitions {
    styles: Styles,
    numbering: Numbering,
}

/// The first and last address that are asked for, and how much may still be said.
struct Window {
    first: Option<String>,
    last: Last,
    budget: usize,
    state: State,
}

enum Last {
    /// To the end of the document.
    Open,
    At(String),
    /// Everything whose address begins like this.
    Under(String),
}

#[derive(PartialEq)]
enum State {
    Before,
    Inside,
    After,
}

impl Window {
    fn new(request: &OutlineRequest) -> Result<Window, DocumentError> {
        let address = |word: &str| {
            let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
            if is_number { format!("p{word}") } else { word.to_owned() }
        };
        let (first, last) = match request.range.as_deref().map(str::trim) {
            None | Some("") => (None, Last::Open),
            Some(range) => match range.split_once('-') {
                Some((first, "")) => (Some(address(first.trim())), Last::Open),
                Some((first, last)) => (Some(address(first.trim())), Last::At(address(last.trim()))),
                None => (Some(address(range)), Last::Under(address(range))),
            },
        };
        let state = if first.is_none() { State::Inside } else { State::Before };
        Ok(Window { first, last, budget: request.budget, state })
    }

    fn add(
        &mut self,
        loaded: &Rc<Loaded>,
        definitions: &Definitions,
        outline: &mut Outline,
        cancel: Cancel<'_>,
    ) -> Result<(), DocumentError> {
        let is_body_address = |at: &str| at.starts_with('p');
        for (position, entry) in loaded.index.entries.iter().enumerate() {
            if position % 256 == 0 && cancel() {
                return Err(DocumentError::Cancelled);
            }
            self.step(entry);
            if self.state != State::Inside || outline.truncated {
                continue;
            }
            let Some(node) = describe(loaded, definitions, entry) else { continue };
            let cost = cost(&node);
            if cost > self.budget && !outline.nodes.is_empty() {
                outline.truncated = true;
                outline.next = Some(match &self.last {
                    Last::At(last) => format!("{}-{last}", entry.at),
                    Last::Under(_) | Last::Open => format!("{}-", entry.at),
                });
                self.state = State::After;
                continue;
            }
            self.budget = self.budget.saturating_sub(cost);
            outline.nodes.push(node);
            if matches!(&self.last, Last::At(last) if is_body_address(last) && *last == entry.at) {
                // Text boxes anchored in the last paragraph come after it and are left to a range of their own.
                self.state = State::After;
            }
        }
        Ok(())
    }

    /// Opens and closes the window at an entry.
    fn step(&mut self, entry: &Entry) {
        if self.state == State::Before && self.first.as_deref().is_some_and(|first| begins(&entry.at, first))
        {
            self.state = State::Inside;
        }
        if self.state == State::Inside
            && matches!(&self.last, Last::Under(prefix) if !begins(&entry.at, prefix))
        {
            self.state = State::After;
        }
    }

    fn close(self, outline: &mut Outline) -> Result<(), DocumentError> {
        if self.state == State::Before && outline.nodes.is_empty() {
            let first = self.first.unwrap_or_default();
            let message = format!(
                "There is no {first} in this document; a range is `p10-p40`, `p10-` or `t2`, as the outline names places."
            );
            return Err(DocumentError::OutOfRange(message));
        }
        Ok(())
    }
}

/// Whether an address is `prefix` or lies under it.
fn begins(at: &str, prefix: &str) -> bool {
    at.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn cost(node: &Node) -> usize {
    let fields: usize =
        node.more.iter().map(|(key, value)| key.len() + 8 + value.as_str().map_or(8, str::len)).sum();
    node.at.len() + node.kind.len() + node.text.len() + fields + 32
}

/// The node of an entry; rows and plain cells are told by the addresses of what they hold.
fn describe(loaded: &Loaded, definitions: &Definitions, entry: &Entry) -> Option<Node> {
    let xml = &loaded.xml;
    match entry.kind {
        EntryKind::Paragraph => Some(paragraph(loaded, definitions, entry)),
        EntryKind::Table => {
            let rows = count_under(loaded, entry, EntryKind::Row);
            let style = xml
                .child(entry.node, Ns::W, "tblPr")
                .and_then(|properties| xml.child(properties, Ns::W, "tblStyle"))
                .and_then(|style| xml.value(style, Ns::W, "val"))
                .and_then(|id| definitions.styles.by_id(&id))
                .map(super::styles::Style::shown_name);
            let node = Node::new(&entry.at, "table", "").with("rows", rows);
            Some(match style {
                Some(style) => node.with("style", style),
                None => node,
            })
        }
        EntryKind::Row => {
            let cells = count_under(loaded, entry, EntryKind::Cell);
            let node = Node::new(&entry.at, "row", "").with("cells", cells);
            let is_header = xml
                .child(entry.node, Ns::W, "trPr")
                .is_some_and(|properties| has_switch(xml, properties, "tblHeader"));
            Some(if is_header { node.with("header", true) } else { node })
        }
        EntryKind::Cell => merged_cell(xml, entry),
    }
}

/// The direct rows of a table, or cells of a row.
fn count_under(loaded: &Loaded, entry: &Entry, kind: EntryKind) -> usize {
    let depth = entry.at.matches('.').count() + 1;
    let rest = loaded.index.entries.iter().skip_while(|other| other.start <= entry.start);
    rest.take_while(|other| {
        begins(&other.at, &entry.at)
            || !other.at.starts_with(['t', 'h', 'f', 'e', 'c', 'p'])
            || other.start < loaded.xml.span(entry.node).end
    })
    .filter(|other| other.kind == kind && begins(&other.at, &entry.at))
    .filter(|other| other.at.matches('.').count() == depth)
    .count()
}

/// Only a cell that spans others is worth a node of its own.
fn merged_cell(xml: &Xml, entry: &Entry) -> Option<Node> {
    let properties = xml.child(entry.node, Ns::W, "tcPr")?;
    let span = xml
        .child(properties, Ns::W, "gridSpan")
        .and_then(|span| xml.value(span, Ns::W, "val"))
        .and_then(|span| span.parse::<u32>().ok())
        .filter(|span| *span > 1);
    let merge = xml.child(properties, Ns::W, "vMerge").map(|merge| {
        if xml.value(merge, Ns::W, "val").is_some_and(|value| value == "restart") {
            "start"
        } else {
            "continue"
        }
    });
    if span.is_none() && merge.is_none() {
        return None;
    }
    let mut node = Node::new(&entry.at, "cell", "");
    if let Some(span) = span {
        node = node.with("columns", span);
    }
    if let Some(merge) = merge {
        node = node.with("merged_down", merge);
    }
    Some(node)
}

fn paragraph(loaded: &Loaded, definitions: &Definitions, entry: &Entry) -> Node {
    let xml = &loaded.xml;
    let text = text_of(xml, &loaded.index, entry.node);
    let mut node = Node::new(&entry.at, "paragraph", text);
    if let Some(index) = entry.index {
        node = node.with("index", index);
    }
    let facts = Facts::of(xml, entry.node, definitions);
    if let Some(style) = facts.style {
        node = node.with("style", style);
    }
    if let Some(level) = facts.level {
        node = node.with("level", level + 1);
    }
    if let Some((format, level)) = facts.list {
        let mut list = serde_json::Map::new();
        list.insert("format".into(), format.into());
        list.insert("level".into(), (level + 1).into());
        node = node.with("list", list);
    }
    if facts.ends_section {
        node = node.with("ends_section", true);
    }
    node
}

/// What the properties of a paragraph say, directly or through its style.
struct Facts {
    style: Option<String>,
    /// Outline level from 0.
    level: Option<u32>,
    list: Option<(String, u32)>,
    ends_section: bool,
}

impl Facts {
    fn of(xml: &Xml, paragraph: NodeId, definitions: &Definitions) -> Facts {
        let styles = &definitions.styles;
        let properties = xml.child(paragraph, Ns::W, "pPr");
        let child = |name: &str| properties.and_then(|properties| xml.child(properties, Ns::W, name));
        let value = |element: NodeId| xml.value(element, Ns::W, "val").map(|value| value.into_owned());
        let number = |element: Option<NodeId>| value(element?)?.trim().parse::<u32>().ok();
        let style = child("pStyle")
            .and_then(value)
            .and_then(|id| styles.by_id(&id))
            .filter(|style| style.kind == StyleKind::Paragraph)
            .or_else(|| styles.default_paragraph());
        let of_style = |say: fn(&super::styles::Style) -> Option<u32>| {
            style.and_then(|style| styles.inherited(&style.id, say))
        };
        let direct = child("numPr");
        let of_numbering = |name| number(direct.and_then(|numbering| xml.child(numbering, Ns::W, name)));
        let num_id = of_numbering("numId").or_else(|| of_style(|style| style.num_id)).filter(|id| *id != 0);
        let list_level = of_numbering("ilvl").or_else(|| of_style(|style| style.list_level)).unwrap_or(0);
        let list = num_id.map(|id| {
            let format = definitions.numbering.format(id, list_level).unwrap_or("none");
            (format.to_owned(), list_level)
        });
        Facts {
            level: number(child("outlineLvl"))
                .or_else(|| of_style(|style| style.outline_level))
                .filter(|level| *level < 9),
            list,
            ends_section: child("sectPr").is_some(),
            style: style.map(super::styles::Style::shown_name),
        }
    }
}
