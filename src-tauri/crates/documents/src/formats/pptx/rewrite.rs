//! New text for a body with as little rewritten as possible: words that stay keep their runs, paragraphs that stay keep their bytes.
//!
//! A paragraph that is new is a copy of its neighbour's properties; one that goes takes its element along. Which words and paragraphs
//! "stay" is the longest common subsequence.

use super::{
    body::{Body, Paragraph, PieceKind},
    runs::{TextEdit, declarations, edit_paragraph, new_runs, refuse_field, typing_properties},
};
use crate::{
    EditError,
    package::xml::{Ns, Splices, Xml},
};

/// Above this many cells the subsequence table is not worth its cost, and all between the common ends is replaced.
const TABLE_CELLS: usize = 1 << 20;

/// A paragraph as it shall be; `level: None` keeps what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NewParagraph {
    pub(super) text: String,
    pub(super) level: Option<u8>,
}

impl NewParagraph {
    /// The paragraphs of a text.
    pub(super) fn split(text: &str) -> Vec<NewParagraph> {
        text.split('\n').map(|line| NewParagraph { text: line.into(), level: None }).collect()
    }
}

/// The text of a place before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextChange {
    pub(super) before: String,
    pub(super) after: String,
}

/// Plans edits of a body's text (sorted, not overlapping) and says what changes, by paragraph where paragraphs stay.
pub(super) fn edit_body(
    xml: &Xml,
    body: &Body,
    edits: &[TextEdit],
    splices: &mut Splices,
) -> Result<Vec<TextChange>, EditError> {
    let text = body.text();
    let Some(local) = by_paragraph(body, &text, edits) else {
        let after = applied(&text, edits);
        set_paragraphs(xml, body, &NewParagraph::split(&after), splices)?;
        return Ok(vec![TextChange { before: text, after }]);
    };
    let mut changes = Vec::new();
    for (paragraph, edits) in body.paragraphs.iter().zip(local).filter(|(_, edits)| !edits.is_empty()) {
        edit_paragraph(xml, paragraph, &edits, splices)?;
        let after = applied(&paragraph.text, &edits);
        changes.push(TextChange { before: paragraph.text.clone(), after });
    }
    Ok(changes)
}

/// The edits of each paragraph in its own offsets, or `None` when paragraphs come or go.
fn by_paragraph(body: &Body, text: &str, edits: &[TextEdit]) -> Option<Vec<Vec<TextEdit>>> {
    let mut local = Vec::with_capacity(body.paragraphs.len());
    let mut start = 0;
    let mut taken = 0;
    for paragraph in &body.paragraphs {
        let end = start + paragraph.text.len();
        let mut own = Vec::new();
        while let Some(edit) = edits.get(taken).filter(|edit| edit.range.start <= end) {
            if edit.range.end > end || edit.with.contains('\n') {
                return None;
            }
            let offset = edit.range.start - start;
            let pieces = difference(&text[edit.range.clone()], &edit.with).into_iter();
            own.extend(pieces.map(|piece| TextEdit {
                range: piece.range.start + offset..piece.range.end + offset,
                with: piece.with,
            }));
            taken += 1;
        }
        local.push(own);
        start = end + 1;
    }
    (taken == edits.len()).then_some(local)
}

/// A text with edits done.
pub(super) fn applied(text: &str, edits: &[TextEdit]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut position = 0;
    for edit in edits {
        result.push_str(&text[position..edit.range.start]);
        result.push_str(&edit.with);
        position = edit.range.end;
    }
    result + &text[position..]
}

/// Plans the paragraphs that a body shall hold.
pub(super) fn set_paragraphs(
    xml: &Xml,
    body: &Body,
    new: &[NewParagraph],
    splices: &mut Splices,
) -> Result<(), EditError> {
    let old: Vec<&str> = body.paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect();
    let wanted: Vec<&str> = new.iter().map(|paragraph| paragraph.text.as_str()).collect();
    let pairs = paired(&old, &wanted);
    let mut template: Option<usize> = None;
    let mut old_next = 0;
    for (old_index, new_index) in pairs {
        match (old_index, new_index) {
            (Some(old_index), Some(new_index)) => {
                set_paragraph(xml, body, &body.paragraphs[old_index], &new[new_index], splices)?;
                template = Some(old_index);
                old_next = old_index + 1;
            }
            (Some(old_index), None) => {
                let paragraph = &body.paragraphs[old_index];
                if paragraph.holds_more_than_text() {
                    return Err(refuse_field(&paragraph.text));
                }
                splices.delete(xml.span(paragraph.element));
                old_next = old_index + 1;
            }
            (None, Some(new_index)) => {
                let model = template.or((!body.paragraphs.is_empty()).then_some(0));
                let model = model.map(|index| &body.paragraphs[index]);
                let markup = paragraph_like(xml, body, model, &new[new_index])?;
                insert_paragraph(xml, body, old_next, markup, splices);
            }
            (None, None) => {}
        }
    }
    Ok(())
}

fn set_paragraph(
    xml: &Xml,
    body: &Body,
    old: &Paragraph,
    new: &NewParagraph,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let edits = difference(&old.text, &new.text);
    let level_changes = new.level.is_some_and(|level| level != level_of(xml, old));
    if xml.is_empty_tag(old.element) && (level_changes || !edits.is_empty()) {
        splices.replace(xml.span(old.element), paragraph_like(xml, body, Some(old), new)?);
        return Ok(());
    }
    if let Some(level) = new.level.filter(|_| level_changes) {
        set_level(xml, old, level, splices);
    }
    edit_paragraph(xml, old, &edits, splices)
}

fn insert_paragraph(xml: &Xml, body: &Body, before: usize, markup: String, splices: &mut Splices) {
    match (before.checked_sub(1).and_then(|index| body.paragraphs.get(index)), body.paragraphs.first()) {
        (Some(previous), _) => splices.insert(xml.span(previous.element).end, markup),
        (None, Some(first)) => splices.insert(xml.span(first.element).start, markup),
        (None, None) if xml.is_empty_tag(body.element) => {
            let tag = xml.start_tag(body.element);
            let closed = format!(">{markup}</{}>", xml.qualified_name(body.element));
            splices.replace(tag.end - 2..tag.end, closed);
        }
        (None, None) => splices.insert(xml.content(body.element).end, markup),
    }
}

/// A new paragraph with the properties of another.
fn paragraph_like(
    xml: &Xml,
    body: &Body,
    model: Option<&Paragraph>,
    new: &NewParagraph,
) -> Result<String, EditError> {
    let prefix = match model {
        Some(model) => xml.prefix(model.element).to_owned(),
        None => xml.prefix_for(body.element, Ns::A).unwrap_or_else(|| "a:".into()),
    };
    let properties = model.and_then(|model| xml.child(model.element, Ns::A, "pPr"));
    let declared = model.map(|model| declarations(xml, model.element)).unwrap_or_default();
    let mut markup = format!("<{prefix}p{declared}>");
    markup.push_str(&match properties {
        Some(properties) => leveled(xml, properties, new.level),
        None => new_properties(&prefix, new.level),
    });
    let run_properties = model.map(|model| typing_properties(xml, model)).unwrap_or_default();
    markup.push_str(&new_runs(&prefix, &run_properties, &new.text)?);
    let end = model.and_then(|model| xml.child(model.element, Ns::A, "endParaRPr"));
    markup.push_str(end.map_or("", |end| xml.raw(end)));
    Ok(markup + &format!("</{prefix}p>"))
}

/// A paragraph where there was none to take after.
pub(super) fn new_paragraph(
    prefix: &str,
    run_properties: &str,
    new: &NewParagraph,
) -> Result<String, EditError> {
    let properties = new_properties(prefix, new.level);
    let runs = new_runs(prefix, run_properties, &new.text)?;
    Ok(match properties.is_empty() && runs.is_empty() {
        true => format!("<{prefix}p/>"),
        false => format!("<{prefix}p>{properties}{runs}</{prefix}p>"),
    })
}

fn new_properties(prefix: &str, level: Option<u8>) -> String {
    match level {
        None | Some(0) => String::new(),
        Some(level) => format!("<{prefix}pPr lvl=\"{level}\"/>"),
    }
}

/// The markup of paragraph properties with another level.
fn leveled(xml: &Xml, properties: crate::package::xml::NodeId, level: Option<u8>) -> String {
    let mut markup = xml.raw(properties).to_owned();
    let Some(level) = level else { return markup };
    let base = xml.span(properties).start;
    match xml.attribute(properties, Ns::None, "lvl") {
        Some(attribute) if level == 0 => {
            markup.replace_range(attribute.whole.start - base..attribute.whole.end - base, "");
        }
        Some(attribute) => {
            let span = attribute.value_span;
            markup.replace_range(span.start - base..span.end - base, &level.to_string());
        }
        None if level == 0 => {}
        None => {
            let at = 1 + xml.qualified_name(properties).len();
            markup.insert_str(at, &format!(" lvl=\"{level}\""));
        }
    }
    markup
}

/// The list level of a paragraph, 0 for the first.
pub(super) fn level_of(xml: &Xml, paragraph: &Paragraph) -> u8 {
    let properties = xml.child(paragraph.element, Ns::A, "pPr");
    let level = properties.and_then(|properties| xml.value(properties, Ns::None, "lvl"));
    level.and_then(|level| level.trim().parse().ok()).unwrap_or(0)
}

/// Plans another level for a paragraph whose tag is not empty.
fn set_level(xml: &Xml, paragraph: &Paragraph, level: u8, splices: &mut Splices) {
    let element = paragraph.element;
    match xml.child(element, Ns::A, "pPr") {
        Some(properties) => {
            splices.replace(xml.span(properties), leveled(xml, properties, Some(level)));
        }
        None => splices.insert(xml.content(element).start, new_properties(xml.prefix(element), Some(level))),
    }
}

/// Which old paragraph becomes which new one, in order: equal texts stay themselves, the others between them pair up in order.
fn paired(old: &[&str], new: &[&str]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut pairs = Vec::new();
    let (mut from, mut to) = (0, 0);
    let ends = std::iter::once((old.len(), new.len()));
    for (old_anchor, new_anchor) in common(old, new).into_iter().chain(ends) {
        let shared = (old_anchor - from).min(new_anchor - to);
        pairs.extend((0..shared).map(|step| (Some(from + step), Some(to + step))));
        pairs.extend((from + shared..old_anchor).map(|index| (Some(index), None)));
        pairs.extend((to + shared..new_anchor).map(|index| (None, Some(index))));
        if old_anchor < old.len() && new_anchor < new.len() {
            pairs.push((Some(old_anchor), Some(new_anchor)));
        }
        (from, to) = (old_anchor + 1, new_anchor + 1);
    }
    pairs
}

/// The edits that turn one text into another, word by word.
pub(super) fn difference(old: &str, new: &str) -> Vec<TextEdit> {
    let prefix: usize =
        old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let ends = old_rest.chars().rev().zip(new_rest.chars().rev());
    let suffix: usize = ends.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let old_middle = &old_rest[..old_rest.len() - suffix];
    let new_middle = &new_rest[..new_rest.len() - suffix];
    let (old_words, new_words) = (words(old_middle), words(new_middle));
    let mut edits = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    let (mut old_word, mut new_word) = (0, 0);
    let ends = std::iter::once((old_words.len(), new_words.len()));
    for (old_anchor, new_anchor) in common(&old_words, &new_words).into_iter().chain(ends) {
        let removed: usize = old_words[old_word..old_anchor].iter().map(|word| word.len()).sum();
        let added: String = new_words[new_word..new_anchor].concat();
        if removed > 0 || !added.is_empty() {
            let start = prefix + old_at;
            edits.push(TextEdit { range: start..start + removed, with: added.clone() });
        }
        old_at += removed + old_words.get(old_anchor).map_or(0, |word| word.len());
        new_at += added.len() + new_words.get(new_anchor).map_or(0, |word| word.len());
        (old_word, new_word) = (old_anchor + 1, new_anchor + 1);
    }
    debug_assert!(new_at <= new_middle.len());
    edits
}

/// Words, and every other character for itself.
fn words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, character) in text.char_indices() {
        if !character.is_alphanumeric() {
            if start < at {
                found.push(&text[start..at]);
            }
            start = at + character.len_utf8();
            found.push(&text[at..start]);
        }
    }
    if start < text.len() {
        found.push(&text[start..]);
    }
    found
}

/// The pairs of a longest common subsequence, in order.
fn common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    if old.is_empty() || new.is_empty() || old.len().saturating_mul(new.len()) > TABLE_CELLS {
        return Vec::new();
    }
    let width = new.len() + 1;
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    for from in (0..old.len()).rev() {
        for to in (0..new.len()).rev() {
            lengths[from * width + to] = match old[from] == new[to] {
                true => lengths[(from + 1) * width + to + 1] + 1,
                false => lengths[(from + 1) * width + to].max(lengths[from * width + to + 1]),
            };
        }
    }
    let mut pairs = Vec::new();
    let (mut from, mut to) = (0, 0);
    while from < old.len() && to < new.len() {
        if old[from] == new[to] {
            pairs.push((from, to));
            (from, to) = (from + 1, to + 1);
        } else if lengths[(from + 1) * width + to] >= lengths[from * width + to + 1] {
            from += 1;
        } else {
            to += 1;
        }
    }
    pairs
}

/// Whether a body shows nothing.
pub(super) fn is_blank(body: &Body) -> bool {
    let shows = |paragraph: &Paragraph| {
        !paragraph.text.trim().is_empty()
            || paragraph.pieces.iter().any(|piece| piece.kind == PieceKind::Object)
    };
    !body.paragraphs.iter().any(shows)
}
