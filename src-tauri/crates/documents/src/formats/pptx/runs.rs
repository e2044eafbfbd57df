//! Changing characters of one paragraph where they stand: inside the `a:t` of their runs, as splices, with every property kept.
//!
//! New characters go into the run of the first character they replace, or the run to their left. Line breaks go and come as `a:br`;
//! fields and objects are never touched, an edit that would is refused.

use std::{collections::BTreeMap, ops::Range};

use super::body::{BREAK, Paragraph, PieceKind};
use crate::{
    EditError,
    error::EditErrorKind,
    package::xml::{NodeId, NodeKind, Ns, Splices, Xml, escape_text, unescape},
};

/// A replacement of a byte range of a text; `with` holds no `\n` where it is applied to one paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextEdit {
    pub(super) range: Range<usize>,
    pub(super) with: String,
}

/// What happens inside one run: ranges of its own text and what stands there afterwards.
type RunEdits = BTreeMap<usize, Vec<(Range<usize>, String)>>;

/// Plans edits of a paragraph; they are sorted and do not overlap.
pub(super) fn edit_paragraph(
    xml: &Xml,
    paragraph: &Paragraph,
    edits: &[TextEdit],
    splices: &mut Splices,
) -> Result<(), EditError> {
    let mut runs = RunEdits::new();
    for edit in edits {
        let target = target_run(paragraph, &edit.range);
        remove(xml, paragraph, edit, target, &mut runs, splices)?;
        if edit.with.is_empty() {
            continue;
        }
        match target {
            Some(index) => {
                let piece = &paragraph.pieces[index].range;
                let at = edit.range.start.clamp(piece.start, piece.end) - piece.start;
                let end = edit.range.end.clamp(piece.start, piece.end) - piece.start;
                runs.entry(index).or_default().push((at..end.max(at), edit.with.clone()));
            }
            None => insert_run(xml, paragraph, edit.range.start, &edit.with, splices)?,
        }
    }
    let emptied = emptied_runs(paragraph, &runs);
    for (index, edits) in &runs {
        let run = paragraph.pieces[*index].element;
        match emptied.contains(index) {
            true => splices.delete(xml.span(run)),
            false => edit_run(xml, run, edits, splices)?,
        }
    }
    Ok(())
}

/// The run that takes the new characters of an edit.
fn target_run(paragraph: &Paragraph, range: &Range<usize>) -> Option<usize> {
    let runs = || paragraph.pieces.iter().enumerate().filter(|(_, piece)| piece.kind == PieceKind::Run);
    let overlapping =
        runs().find(|(_, piece)| piece.range.start < range.end && range.start < piece.range.end);
    let left = || runs().rfind(|(_, piece)| piece.range.end == range.start && !piece.range.is_empty());
    let inside =
        || runs().find(|(_, piece)| piece.range.start < range.start && range.start <= piece.range.end);
    let right = || runs().find(|(_, piece)| piece.range.start == range.end);
    overlapping.or_else(inside).or_else(left).or_else(right).map(|(index, _)| index)
}

/// Plans the removal of the characters an edit replaces, except in its target run, where they are replaced.
fn remove(
    xml: &Xml,
    paragraph: &Paragraph,
    edit: &TextEdit,
    target: Option<usize>,
    runs: &mut RunEdits,
    splices: &mut Splices,
) -> Result<(), EditError> {
    for (index, piece) in paragraph.pieces.iter().enumerate() {
        let start = edit.range.start.max(piece.range.start);
        let end = edit.range.end.min(piece.range.end);
        if start >= end {
            continue;
        }
        match piece.kind {
            PieceKind::Run if target == Some(index) && !edit.with.is_empty() => {}
            PieceKind::Run => {
                let local = start - piece.range.start..end - piece.range.start;
                runs.entry(index).or_default().push((local, String::new()));
            }
            PieceKind::Break => splices.delete(xml.span(piece.element)),
            PieceKind::Field | PieceKind::Object => return Err(refuse_field(&paragraph.text[start..end])),
        }
    }
    Ok(())
}

/// The refusal to write over a field or an object, or to split its paragraph at a line end.
pub(super) fn refuse_field(text: &str) -> EditError {
    let message = format!(
        "The change would remove {text:?} or part it from its paragraph; that holds a field (slide number, date) or an object (equation), not plain text only."
    );
    EditError::new(EditErrorKind::WouldDamage, message)
        .hint("Change only the text beside it, for example with pptx_replace_on_slide.")
}

/// The runs that lose all their text; one run stays, so that the paragraph keeps its formatting.
fn emptied_runs(paragraph: &Paragraph, runs: &RunEdits) -> Vec<usize> {
    let is_emptied = |index: &usize| {
        let length = paragraph.pieces[*index].range.len();
        runs.get(index).is_some_and(|edits| {
            let removed: usize = edits.iter().map(|(range, _)| range.len()).sum();
            removed > 0 && removed == length && edits.iter().all(|(_, with)| with.is_empty())
        })
    };
    let all: Vec<usize> =
        (0..paragraph.pieces.len()).filter(|index| paragraph.pieces[*index].kind == PieceKind::Run).collect();
    let mut emptied: Vec<usize> = all.iter().copied().filter(is_emptied).collect();
    if emptied.len() == all.len() && !emptied.is_empty() {
        emptied.remove(0);
    }
    emptied
}

fn edit_run(
    xml: &Xml,
    run: NodeId,
    edits: &[(Range<usize>, String)],
    splices: &mut Splices,
) -> Result<(), EditError> {
    let markup = RunMarkup::of(xml, run);
    let Some(text) = xml.child(run, Ns::A, "t") else {
        let added: String = edits.iter().map(|(_, with)| with.as_str()).collect();
        let content = markup.text(&added)?;
        let element = format!("<{0}>{content}</{0}>", markup.text_name);
        if xml.is_empty_tag(run) {
            splices.replace(xml.span(run), format!("<{0}>{element}</{0}>", markup.run_name));
        } else {
            splices.insert(xml.content(run).end, element);
        }
        return Ok(());
    };
    let children: Vec<NodeId> = xml.child_nodes(text).collect();
    match children.as_slice() {
        [only] if xml.kind(*only) == NodeKind::Text => {
            let (base, raw) = (xml.span(*only).start, xml.raw(*only));
            for (range, with) in edits {
                let span = base + raw_position(raw, range.start)..base + raw_position(raw, range.end);
                splices.replace(span, markup.text(with)?);
            }
        }
        _ => {
            let old = xml.text(text);
            let mut content = String::new();
            let mut position = 0;
            for (range, with) in edits {
                content.push_str(&escape_text(&old[position..range.start])?);
                content.push_str(&markup.text(with)?);
                position = range.end;
            }
            content.push_str(&escape_text(&old[position..])?);
            splices.replace(xml.span(text), format!("<{0}>{content}</{0}>", markup.text_name));
        }
    }
    Ok(())
}

/// Where the byte `offset` of the unescaped text lies in the escaped one.
fn raw_position(raw: &str, offset: usize) -> usize {
    let (mut at, mut unescaped) = (0, 0);
    while unescaped < offset && at < raw.len() {
        let rest = &raw[at..];
        let length = match rest.as_bytes()[0] {
            b'&' => rest.find(';').map_or(1, |end| end + 1),
            b'\r' if rest.starts_with("\r\n") => 2,
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        unescaped += unescape(&rest[..length]).len();
        at += length;
    }
    at
}

/// The names and the properties with which new markup beside a run is written.
struct RunMarkup<'x> {
    run_name: &'x str,
    text_name: String,
    break_name: String,
    properties: &'x str,
    declarations: String,
}

impl<'x> RunMarkup<'x> {
    fn of(xml: &'x Xml, run: NodeId) -> RunMarkup<'x> {
        let prefix = xml.prefix(run);
        RunMarkup {
            run_name: xml.qualified_name(run),
            text_name: format!("{prefix}t"),
            break_name: format!("{prefix}br"),
            properties: xml.child(run, Ns::A, "rPr").map_or("", |properties| xml.raw(properties)),
            declarations: declarations(xml, run),
        }
    }

    /// Content of an `a:t`; at a line break the run is closed and opened again behind an `a:br`.
    fn text(&self, text: &str) -> Result<String, EditError> {
        let RunMarkup { run_name, text_name, break_name, properties, declarations } = self;
        let line_break = match properties.is_empty() {
            true => format!("<{break_name}{declarations}/>"),
            false => format!("<{break_name}{declarations}>{properties}</{break_name}>"),
        };
        let seam = format!(
            "</{text_name}></{run_name}>{line_break}<{run_name}{declarations}>{properties}<{text_name}>"
        );
        let lines: Result<Vec<String>, EditError> = text.split(BREAK).map(escape_text).collect();
        Ok(lines?.join(&seam))
    }
}

/// The namespace declarations on an element, as written: what a copy of its name or children needs elsewhere.
pub(super) fn declarations(xml: &Xml, element: NodeId) -> String {
    let raw = xml.attributes(element).map(|attribute| xml.slice(attribute.whole));
    raw.filter(|raw| raw.trim_start().starts_with("xmlns")).collect()
}

/// New runs with this text as markup, in the prefix of DrawingML.
pub(super) fn new_runs(prefix: &str, properties: &str, text: &str) -> Result<String, EditError> {
    let mut markup = String::new();
    for (index, line) in text.split(BREAK).enumerate() {
        if index > 0 {
            markup.push_str(&match properties.is_empty() {
                true => format!("<{prefix}br/>"),
                false => format!("<{prefix}br>{properties}</{prefix}br>"),
            });
        }
        if !line.is_empty() {
            let line = escape_text(line)?;
            markup.push_str(&format!("<{prefix}r>{properties}<{prefix}t>{line}</{prefix}t></{prefix}r>"));
        }
    }
    Ok(markup)
}

/// Puts a new run into a paragraph that has none at that place.
fn insert_run(
    xml: &Xml,
    paragraph: &Paragraph,
    at: usize,
    text: &str,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let element = paragraph.element;
    let prefix = xml.prefix(element);
    let runs = new_runs(prefix, &typing_properties(xml, paragraph), text)?;
    if xml.is_empty_tag(element) {
        let tag = xml.start_tag(element);
        splices.replace(tag.end - 2..tag.end, format!(">{runs}</{}>", xml.qualified_name(element)));
        return Ok(());
    }
    let before = paragraph.pieces.iter().rfind(|piece| piece.range.end <= at);
    let after = paragraph.pieces.iter().find(|piece| piece.range.start >= at);
    let place = match (before, after) {
        (Some(piece), _) => xml.span(piece.element).end,
        (None, Some(piece)) => xml.span(piece.element).start,
        (None, None) => xml
            .child(element, Ns::A, "endParaRPr")
            .map_or_else(|| xml.content(element).end, |end| xml.span(end).start),
    };
    splices.insert(place, runs);
    Ok(())
}

/// The run properties that typing in the paragraph would use: those of its end mark, or of a neighbour, without links.
pub(super) fn typing_properties(xml: &Xml, paragraph: &Paragraph) -> String {
    let own = |piece: &super::body::Piece| xml.child(piece.element, Ns::A, "rPr");
    let of_run = paragraph.pieces.iter().filter(|piece| piece.kind == PieceKind::Run).find_map(own);
    let of_end = || xml.child(paragraph.element, Ns::A, "endParaRPr");
    let of_field = || paragraph.pieces.iter().find_map(own);
    let Some(properties) = of_run.or_else(of_end).or_else(of_field) else { return String::new() };
    let mut markup = String::from(xml.raw(properties));
    let base = xml.span(properties).start;
    let is_link =
        |child: &NodeId| ["hlinkClick", "hlinkMouseOver"].iter().any(|local| xml.is(*child, Ns::A, local));
    let links: Vec<NodeId> = xml.children(properties).filter(is_link).collect();
    for link in links.into_iter().rev() {
        let span = xml.span(link);
        markup.replace_range(span.start - base..span.end - base, "");
    }
    let (old, new) = (xml.qualified_name(properties), format!("{}rPr", xml.prefix(properties)));
    if let Some(start) = markup.rfind(&format!("</{old}")) {
        markup.replace_range(start + 2..start + 2 + old.len(), &new);
    }
    // What the run declares must stand on the copy, which will lie elsewhere.
    let outer = match xml.parent(properties) {
        Some(run) if run != paragraph.element && declarations(xml, properties).is_empty() => {
            declarations(xml, run)
        }
        _ => String::new(),
    };
    markup.replace_range(1..1 + old.len(), &format!("{new}{outer}"));
    markup
}
