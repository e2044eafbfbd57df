//! The outline of a deck: slides in show order, their shapes, table cells and notes, in windows that say what they left out.

use std::collections::HashMap;

use super::{
    deck::{Deck, SlideEntry, is_hidden, sections},
    parts::Parts,
    shapes::{Shape, ShapeKind, cells, shapes, table, title},
    stories::{cell_body, notes_story, shape_text, shape_texts},
};
use crate::{
    Cancel, DocumentError, Limits, Node, Outline, OutlineRequest, Warning,
    package::{
        Package, PartName,
        xml::{Ns, Xml},
    },
};

/// Describes a deck.
pub(super) fn outline(
    bytes: &[u8],
    request: &OutlineRequest,
    limits: &Limits,
    cancel: Cancel<'_>,
) -> Result<Outline, DocumentError> {
    let package = Package::open(bytes, limits)?;
    let deck = Deck::read(&package)?;
    let window = Window::of(request.range.as_deref(), deck.slides.len())?;
    let main = package.xml(&deck.main)?;
    let mut writer = Writer {
        package: &package,
        sections: sections(&main),
        layouts: HashMap::new(),
        outline: Outline { warnings: notices(&package, &main)?, ..Outline::default() },
        left: request.budget,
    };
    for number in window.first..=window.last {
        if cancel() {
            return Err(DocumentError::Cancelled);
        }
        let nodes = writer.slide(number, &deck.slides[number - 1])?;
        let skipped = if number == window.first { window.skipped.min(nodes.len()) } else { 0 };
        for (index, node) in nodes.into_iter().enumerate().skip(skipped) {
            if !writer.fits(&node) {
                writer.outline.truncated = true;
                let node = if index == 0 { String::new() } else { format!(".{}", index + 1) };
                writer.outline.next = Some(format!("{number}{node}-{}", window.last));
                return Ok(writer.outline);
            }
            writer.outline.nodes.push(node);
        }
    }
    Ok(writer.outline)
}

/// Slides from `first` to `last` (1-based; `first` above `last` is no slide), without the first nodes of the first slide.
#[derive(Debug, PartialEq, Eq)]
struct Window {
    first: usize,
    last: usize,
    skipped: usize,
}

impl Window {
    /// Reads `3`, `2-5`, `2-`, `s2-s5`, and `2.15-5` (from the 15th node of slide 2 on).
    fn of(range: Option<&str>, count: usize) -> Result<Window, DocumentError> {
        let Some(range) = range.map(str::trim).filter(|range| !range.is_empty()) else {
            return Ok(Window { first: 1, last: count, skipped: 0 });
        };
        let wrong = || {
            let message =
                format!("The range {range:?} is not one of slides: `3`, `2-5`, `2-`; the deck has {count}.");
            DocumentError::OutOfRange(message)
        };
        let number = |text: &str| text.trim().trim_start_matches('s').parse::<usize>().map_err(|_| wrong());
        let (start, end) = match range.split_once('-') {
            Some((start, end)) => (start, Some(end.trim())),
            None => (range, None),
        };
        let (slide, node) = start.split_once('.').unwrap_or((start, "1"));
        let first = number(slide)?;
        let last = match end {
            None => first,
            Some("") => count,
            Some(end) => number(end)?,
        };
        if first == 0 || last < first {
            return Err(wrong());
        }
        Ok(Window { first, last: last.min(count), skipped: number(node)?.saturating_sub(1) })
    }
}

/// What the user should know about the deck as a whole.
fn notices(package: &Package<'_>, main: &Xml) -> Result<Vec<Warning>, DocumentError> {
    let mut notices = package.notices()?;
    if main.child(main.root(), Ns::P, "modifyVerifier").is_some() {
        notices.push(Warning::new(
            "is_protected",
            "The presentation needs a password to be modified; an edit must say `override_protection`.",
        ));
    }
    let root = package.relationships(&PartName::root())?;
    let custom = root.part_of_kind("custom-properties").filter(|part| package.has(part));
    let marked_final = match custom {
        Some(part) => {
            package.read(&part)?.is_some_and(|bytes| memchr::memmem::find(&bytes, b"_MarkAsFinal").is_some())
        }
        None => false,
    };
    if marked_final {
        notices.push(Warning::new("is_final", "The author marked the presentation as final."));
    }
    Ok(notices)
}

struct Writer<'p, 'a> {
    package: &'p Package<'a>,
    sections: HashMap<u32, String>,
    layouts: HashMap<PartName, String>,
    outline: Outline,
    left: usize,
}

impl Writer<'_, '_> {
    /// Takes a node's size from the budget; the first node always fits, so that every window moves on.
    fn fits(&mut self, node: &Node) -> bool {
        let size = serde_json::to_string(node).map_or(0, |json| json.len());
        if size > self.left && !self.outline.nodes.is_empty() {
            return false;
        }
        self.left = self.left.saturating_sub(size);
        true
    }

    fn slide(&mut self, number: usize, entry: &SlideEntry) -> Result<Vec<Node>, DocumentError> {
        let at = format!("s{number}");
        if !self.package.has(&entry.part) {
            self.outline.warnings.push(Warning::at(
                "slide_missing",
                at.clone(),
                "The slide is listed, but its part is missing.",
            ));
            return Ok(vec![Node::new(at, "slide", "").with("slide", number)]);
        }
        // Parsed for itself and let go: a deck may hold hundreds of slides.
        let parts = Parts::of(self.package);
        let xml = parts.xml(&entry.part)?;
        let all = shapes(&xml);
        let title_text = title(&all).and_then(|shape| shape_text(&xml, &entry.part, shape));
        let text = title_text.map(|story| story.text).unwrap_or_default();
        let mut node = Node::new(at.clone(), "slide", text).with("slide", number);
        if let Some(layout) = self.layout(&entry.part)? {
            node = node.with("layout", layout);
        }
        if is_hidden(&xml) {
            node = node.with("hidden", true);
        }
        if let Some(section) = self.sections.get(&entry.key.id) {
            node = node.with("section", section.as_str());
        }
        let mut nodes = vec![node];
        for shape in &all {
            self.shape(&parts, number, &entry.part, shape, &mut nodes)?;
        }
        let notes = notes_story(&parts, &entry.part)?;
        if let Some(notes) = notes.filter(|notes| !notes.text.is_empty()) {
            nodes.push(Node::new(format!("{at}.notes"), "notes", notes.text).with("slide", number));
        }
        Ok(nodes)
    }

    /// The name of a slide's layout.
    fn layout(&mut self, slide: &PartName) -> Result<Option<String>, DocumentError> {
        let package = self.package;
        let layout = package.relationships(slide)?.part_of_kind("slideLayout");
        let Some(layout) = layout.filter(|part| package.has(part)) else { return Ok(None) };
        if let Some(name) = self.layouts.get(&layout) {
            return Ok(Some(name.clone()));
        }
        let name = super::layouts::layout_name(&package.xml(&layout)?);
        self.layouts.insert(layout, name.clone());
        Ok(Some(name))
    }

    fn shape(
        &self,
        parts: &Parts<'_, '_>,
        slide: usize,
        part: &PartName,
        shape: &Shape,
        nodes: &mut Vec<Node>,
    ) -> Result<(), DocumentError> {
        let at = format!("s{slide}.shape{}", shape.id);
        let xml = &*parts.xml(part)?;
        let (text, names) = shape_texts(parts, xml, part, shape)?;
        let mut node = Node::new(at.clone(), "shape", text)
            .with("slide", slide)
            .with("shape", shape.id)
            .with("name", shape.name.as_str())
            .with("type", shape.kind.as_str());
        if let Some(placeholder) = &shape.placeholder {
            node = node.with("placeholder", placeholder.word());
        }
        if let Some(group) = shape.group {
            node = node.with("group", group);
        }
        if !shape.description.is_empty() {
            node = node.with("alt", shape.description.as_str());
        }
        if !names.is_empty() {
            node = node.with("names", names);
        }
        if shape.kind != ShapeKind::Table {
            nodes.push(node);
            return Ok(());
        }
        let size = table(xml, shape.element).map_or((0, 0), |table| {
            let columns = xml.child(table, Ns::A, "tblGrid");
            let columns = columns.map_or(0, |grid| xml.children_named(grid, Ns::A, "gridCol").count());
            (xml.children_named(table, Ns::A, "tr").count(), columns)
        });
        nodes.push(node.with("rows", size.0).with("columns", size.1));
        for (row, column, cell) in cells(xml, shape.element) {
            let text = cell_body(xml, cell).map(|body| super::body::Body::read(xml, body).text());
            let node = Node::new(format!("{at}.r{row}.c{column}"), "table_cell", text.unwrap_or_default());
            nodes
                .push(node.with("slide", slide).with("shape", shape.id).with("row", row).with("col", column));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_read() {
        let window = |range: &str| Window::of(Some(range), 9).map(|w| (w.first, w.last, w.skipped));
        assert_eq!(window("3").unwrap(), (3, 3, 0));
        assert_eq!(window("2-5").unwrap(), (2, 5, 0));
        assert_eq!(window("s2-s5").unwrap(), (2, 5, 0));
        assert_eq!(window("2.15-").unwrap(), (2, 9, 14));
        assert_eq!(window("4-40").unwrap(), (4, 9, 0));
        assert!(window("0-2").is_err() && window("5-2").is_err() && window("x").is_err());
    }
}
