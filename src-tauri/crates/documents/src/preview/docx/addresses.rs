//! Bookmarks for paragraphs, and their addresses as the outline counts them: `p12`, `t1.r2.c3.p1`.

use super::cut::Gap;
use crate::package::xml::{NodeId, NodeKind, Ns, Splices, Xml};

/// Bookmark ids of the copy begin far above those of documents.
const FIRST_ID: usize = 900_000;

pub(super) struct Marked {
    pub(super) splices: Splices,
    pub(super) paragraphs: Vec<Option<String>>,
}

/// Plans one bookmark for each paragraph of the body.
pub(super) fn mark(document: &Xml, gaps: &[Gap]) -> Marked {
    let known = addresses(document, gaps);
    let mut marked = Marked { splices: Splices::default(), paragraphs: Vec::new() };
    for paragraph in document.descendants_named(document.root(), Ns::W, "p") {
        let start = document.span(paragraph).start;
        let prefix = document.prefix(paragraph);
        if let Some(gap) = gaps.iter().position(|gap| gap.at == start) {
            bookmark(
                document,
                paragraph,
                prefix,
                &format!("__gap_{gap}"),
                FIRST_ID - 1 - gap,
                &mut marked.splices,
            );
            continue;
        }
        let number = marked.paragraphs.len();
        bookmark(
            document,
            paragraph,
            prefix,
            &format!("__pv_{number}"),
            FIRST_ID + number,
            &mut marked.splices,
        );
        let found = known.binary_search_by_key(&start, |(at, _)| *at).ok();
        marked.paragraphs.push(found.map(|index| known[index].1.clone()));
    }
    marked
}

fn bookmark(document: &Xml, paragraph: NodeId, prefix: &str, name: &str, id: usize, splices: &mut Splices) {
    let markup = format!(
        "<{prefix}bookmarkStart {prefix}id=\"{id}\" {prefix}name=\"{name}\"/><{prefix}bookmarkEnd {prefix}id=\"{id}\"/>"
    );
    if document.is_empty_tag(paragraph) {
        let span = document.span(paragraph);
        splices
            .replace(span.end - 2..span.end, format!(">{markup}</{}>", document.qualified_name(paragraph)));
        return;
    }
    let properties = document.child(paragraph, Ns::W, "pPr");
    let at = properties.map_or(document.content(paragraph).start, |properties| document.span(properties).end);
    splices.insert(at, markup);
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
    counted: usize,
    tables: usize,
}

/// Where each addressed paragraph begins, in document order.
fn addresses(document: &Xml, gaps: &[Gap]) -> Vec<(usize, String)> {
    let Some(body) = document.child(document.root(), Ns::W, "body") else { return Vec::new() };
    let mut found = Vec::new();
    let mut frames = vec![Frame { prefix: String::new(), level: Level::Blocks, counted: 0, tables: 0 }];
    let mut cursors = vec![(document.child_nodes(body).next(), 0)];
    while let Some((cursor, frame)) = cursors.pop() {
        let Some(node) = cursor else { continue };
        cursors.push((document.next_sibling(node), frame));
        if document.kind(node) != NodeKind::Element {
            continue;
        }
        let start = document.span(node).start;
        if let Some(gap) = gaps.iter().find(|gap| gap.at == start) {
            frames[frame].counted += gap.paragraphs;
            frames[frame].tables += gap.tables;
            continue;
        }
        let first = document.child_nodes(node).next();
        let is_word = document.namespace(node) == Ns::W;
        let Frame { prefix, level, counted, tables } = &mut frames[frame];
        let dotted = if prefix.is_empty() { String::new() } else { format!("{prefix}.") };
        let inner = match (document.local_name(node), *level) {
            ("p", Level::Blocks) if is_word => {
                *counted += 1;
                found.push((start, format!("{dotted}p{counted}")));
                continue;
            }
            ("tbl", Level::Blocks) if is_word => {
                *tables += 1;
                Frame { prefix: format!("{dotted}t{tables}"), level: Level::Rows, counted: 0, tables: 0 }
            }
            ("tr", Level::Rows) if is_word => {
                *counted += 1;
                Frame { prefix: format!("{dotted}r{counted}"), level: Level::Cells, counted: 0, tables: 0 }
            }
            ("tc", Level::Cells) if is_word => {
                *counted += 1;
                Frame { prefix: format!("{dotted}c{counted}"), level: Level::Blocks, counted: 0, tables: 0 }
            }
            ("sdt" | "sdtContent" | "customXml" | "smartTag" | "ins" | "moveTo" | "del" | "moveFrom", _)
                if is_word =>
            {
                cursors.push((first, frame));
                continue;
            }
            ("AlternateContent", _) if document.namespace(node) == Ns::Mc => {
                let branch = document.children(node).next();
                cursors.push((branch.and_then(|branch| document.child_nodes(branch).next()), frame));
                continue;
            }
            _ => continue,
        };
        frames.push(inner);
        cursors.push((first, frames.len() - 1));
    }
    found.sort_by_key(|(start, _)| *start);
    found
}
