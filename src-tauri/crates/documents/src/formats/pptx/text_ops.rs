//! The operations on text: replace on a slide or in the deck, set a shape, a title, a table cell.

use super::{
    deck::{Deck, SlideEntry},
    find::{Found, Text, find},
    lookup::{find_shape, find_table, shape_label},
    outcomes::{Outcome, StoryFacts, finish},
    parts::{Parts, Plan},
    rewrite::{NewParagraph, TextChange, new_paragraph},
    runs::TextEdit,
    session::{Session, Spot},
    shapes::{Shape, ShapeKind, is_merged_away, shapes, table, title},
    stories::{Story, notes_story, shape_text, slide_stories, table_stories},
};
use crate::{
    EditError,
    edit::{Occurrence, ShapeRef, SlideParagraph},
    error::EditErrorKind,
    package::{
        PartName,
        xml::{NodeId, Ns, Splices, Xml},
    },
};

/// What is replaced by what.
pub(super) struct Replacement<'e> {
    pub(super) find: &'e str,
    pub(super) replace: &'e str,
    pub(super) occurrence: Option<Occurrence>,
}

/// `pptx_replace_on_slide`.
pub(super) fn replace_on_slide(
    session: &mut Session<'_, '_>,
    slide: usize,
    replacement: &Replacement<'_>,
) -> Result<(), EditError> {
    let deck = session.deck()?;
    let entry = session.slide(&deck, slide)?;
    replace(session, &deck, &[entry], WithNotes(false), replacement)
}

/// `pptx_replace_text`.
pub(super) fn replace_in_deck(
    session: &mut Session<'_, '_>,
    include_notes: bool,
    replacement: &Replacement<'_>,
) -> Result<(), EditError> {
    let deck = session.deck()?;
    let there: Vec<SlideEntry> =
        deck.slides.iter().filter(|slide| session.package.has(&slide.part)).cloned().collect();
    replace(session, &deck, &there, WithNotes(include_notes), replacement)
}

struct WithNotes(bool);

fn replace(
    session: &mut Session<'_, '_>,
    deck: &Deck,
    slides: &[SlideEntry],
    notes: WithNotes,
    replacement: &Replacement<'_>,
) -> Result<(), EditError> {
    let parts = Parts::of(&session.package);
    let mut stories: Vec<(usize, Story)> = Vec::new();
    for (index, slide) in slides.iter().enumerate() {
        if (session.ctx.cancel)() {
            return Err(EditError::new(EditErrorKind::Cancelled, "cancelled"));
        }
        let own = slide_stories(&parts, &slide.part)?;
        let notes = if notes.0 { notes_story(&parts, &slide.part)? } else { None };
        stories.extend(own.into_iter().chain(notes).map(|story| (index, story)));
    }
    let labels: Vec<String> = stories
        .iter()
        .map(|(slide, story)| session.label(deck, &slides[*slide].key) + &story.location)
        .collect();
    let texts: Vec<Text<'_>> = stories
        .iter()
        .zip(&labels)
        .map(|((_, story), location)| Text { location, text: &story.text })
        .collect();
    let wanted = replacement.find.replace("\r\n", "\n");
    let found = find(&texts, &wanted, replacement.occurrence)?;
    let with = replacement.replace.replace("\r\n", "\n");
    let mut plan = Plan::default();
    let mut outcomes = Vec::new();
    for group in found.chunk_by(|a, b| a.story == b.story) {
        let (slide, story) = &stories[group[0].story];
        let edits: Vec<TextEdit> = group
            .iter()
            .map(|Found { range, .. }| TextEdit { range: range.clone(), with: with.clone() })
            .collect();
        let changes = story.edit(&parts, session.ctx, &edits, &mut plan)?;
        outcomes.push(Outcome::new(&slides[*slide], &story.location, story.facts(), changes));
    }
    let written = plan.finish(&parts)?;
    finish(session, written, outcomes)
}

/// `pptx_set_text`.
pub(super) fn set_text(
    session: &mut Session<'_, '_>,
    slide: usize,
    shape: &ShapeRef,
    text: Option<&str>,
    paragraphs: Option<&[SlideParagraph]>,
) -> Result<(), EditError> {
    let new = wanted_paragraphs(text, paragraphs)?;
    let deck = session.deck()?;
    let entry = session.slide(&deck, slide)?;
    let xml = session.package.xml(&entry.part)?;
    let all = shapes(&xml);
    let label = session.label(&deck, &entry.key);
    let shape = find_shape(&all, shape, &label)?;
    set_shape_text(session, &entry, &xml, shape, &new)
}

fn wanted_paragraphs(
    text: Option<&str>,
    paragraphs: Option<&[SlideParagraph]>,
) -> Result<Vec<NewParagraph>, EditError> {
    match (text, paragraphs) {
        (Some(text), None) => Ok(NewParagraph::split(&text.replace("\r\n", "\n"))),
        (None, Some([])) => Ok(NewParagraph::split("")),
        (None, Some(paragraphs)) => paragraphs.iter().map(wanted_paragraph).collect(),
        _ => Err(EditError::new(EditErrorKind::InvalidArguments, "Give either `text` or `paragraphs`.")),
    }
}

/// The levels of DrawingML are 0 to 8 (`ST_TextIndentLevelType`, 20.1.10.72).
fn wanted_paragraph(paragraph: &SlideParagraph) -> Result<NewParagraph, EditError> {
    if paragraph.level.is_some_and(|level| level > 8) {
        return Err(EditError::new(EditErrorKind::InvalidArguments, "A `level` is 0 to 8."));
    }
    if paragraph.text.contains('\n') {
        let message = "A paragraph's `text` holds a line feed.";
        return Err(EditError::new(EditErrorKind::InvalidArguments, message)
            .hint("Give each paragraph on its own; a line break inside one is U+000B."));
    }
    Ok(NewParagraph { text: paragraph.text.clone(), level: paragraph.level })
}

/// `pptx_set_title`.
pub(super) fn set_title(session: &mut Session<'_, '_>, slide: usize, text: &str) -> Result<(), EditError> {
    let deck = session.deck()?;
    let entry = session.slide(&deck, slide)?;
    let xml = session.package.xml(&entry.part)?;
    let all = shapes(&xml);
    let new = NewParagraph::split(&text.replace("\r\n", "\n"));
    match title(&all) {
        Some(shape) => set_shape_text(session, &entry, &xml, shape, &new),
        None => super::placeholders::add_title(session, &entry, &xml, &new),
    }
}

/// Gives a shape new text, making its text body when it has none.
fn set_shape_text(
    session: &mut Session<'_, '_>,
    entry: &SlideEntry,
    xml: &Xml,
    shape: &Shape,
    new: &[NewParagraph],
) -> Result<(), EditError> {
    match shape_text(xml, &entry.part, shape) {
        Some(story) => set_story(session, entry, xml, shape, &story, new),
        None if shape.kind == ShapeKind::Text => add_body(session, entry, xml, shape, new),
        None => {
            let kind = shape.kind.as_str();
            let message = format!("{} is of kind `{kind}` and holds no text of its own.", shape_label(shape));
            Err(EditError::new(EditErrorKind::UnsupportedOp, message).hint(match shape.kind {
                ShapeKind::Table => "Use pptx_set_table_cell.",
                ShapeKind::Chart | ShapeKind::SmartArt => {
                    "Use pptx_replace_on_slide with the text to change."
                }
                _ => "Choose a shape of kind `text`.",
            }))
        }
    }
}

/// Gives a text body new paragraphs.
fn set_story(
    session: &mut Session<'_, '_>,
    entry: &SlideEntry,
    xml: &Xml,
    shape: &Shape,
    story: &Story,
    new: &[NewParagraph],
) -> Result<(), EditError> {
    let parts = Parts::of(&session.package);
    let mut plan = Plan::default();
    story.set(&parts, new, &mut plan)?;
    let written = plan.finish(&parts)?;
    if written.is_empty() {
        return Ok(());
    }
    let texts: Vec<&str> = new.iter().map(|paragraph| paragraph.text.as_str()).collect();
    let change = TextChange { before: story.text.clone(), after: texts.join("\n") };
    let spot = Spot::new(&entry.key, &story.location);
    let counts_differ = story.text.matches('\n').count() + 1 != new.len();
    if counts_differ && animates_paragraphs(xml, shape.id) {
        session.warn(
            Some(spot.clone()),
            "animation_by_paragraph",
            "The shape is animated paragraph by paragraph, and the number of its paragraphs changed.",
        );
    }
    let same_text = change.before == change.after;
    let facts = story.facts();
    if same_text {
        session.record(spot, Some(change.before), Some(change.after), Some("format"));
        return session.write(written);
    }
    finish(session, written, vec![Outcome::new(entry, &story.location, facts, vec![change])])
}

/// Whether an animation of the slide names paragraphs of a shape (`p:txEl/p:pRg`, 19.5.53).
fn animates_paragraphs(xml: &Xml, shape: u64) -> bool {
    xml.descendants_named(xml.root(), Ns::P, "spTgt").any(|target| {
        xml.value(target, Ns::None, "spid").is_some_and(|id| id.trim().parse() == Ok(shape))
            && xml.child(target, Ns::P, "txEl").is_some()
    })
}

/// Makes the text body of a shape that has none; it stands behind the style or the properties (`CT_Shape`, 19.3.1.43).
fn add_body(
    session: &mut Session<'_, '_>,
    entry: &SlideEntry,
    xml: &Xml,
    shape: &Shape,
    new: &[NewParagraph],
) -> Result<(), EditError> {
    let mut splices = Splices::default();
    for element in std::iter::once(shape.element).chain(shape.twins.iter().copied()) {
        let child = |local| xml.child(element, Ns::P, local);
        if let Some(before) = child("style").or_else(|| child("spPr")) {
            let markup = body_markup(xml, element, new)?;
            splices.insert(xml.span(before).end, markup);
        }
    }
    if splices.is_empty() {
        let message = format!("{} cannot take text.", shape_label(shape));
        return Err(EditError::new(EditErrorKind::WouldDamage, message));
    }
    let texts: Vec<&str> = new.iter().map(|paragraph| paragraph.text.as_str()).collect();
    let change = TextChange { before: String::new(), after: texts.join("\n") };
    let written = vec![(entry.part.clone(), xml.write(splices)?)];
    let facts = StoryFacts { locked: shape.locked, untwinned: shape.untwinned };
    let outcome = Outcome::new(entry, format!(".shape{}", shape.id), facts, vec![change]);
    finish(session, written, vec![outcome])
}

/// A text body in the prefixes that are bound at an element.
pub(super) fn body_markup(xml: &Xml, at: NodeId, new: &[NewParagraph]) -> Result<String, EditError> {
    let p = xml.prefix(at);
    let (a, declared) = match xml.prefix_for(at, Ns::A) {
        Some(prefix) => (prefix, String::new()),
        None => {
            let is_strict = xml.namespace_of_prefix(at, p.trim_end_matches(':')) == Some(Ns::P.uri(true));
            ("a:".to_owned(), format!(" xmlns:a=\"{}\"", Ns::A.uri(is_strict)))
        }
    };
    let mut markup = format!("<{p}txBody{declared}><{a}bodyPr/><{a}lstStyle/>");
    for paragraph in new {
        markup.push_str(&new_paragraph(&a, "", paragraph)?);
    }
    Ok(markup + &format!("</{p}txBody>"))
}

/// `pptx_set_table_cell`.
pub(super) fn set_table_cell(
    session: &mut Session<'_, '_>,
    slide: usize,
    shape: Option<&ShapeRef>,
    cell: (usize, usize),
    text: &str,
) -> Result<(), EditError> {
    let deck = session.deck()?;
    let entry = session.slide(&deck, slide)?;
    let xml = session.package.xml(&entry.part)?;
    let all = shapes(&xml);
    let label = session.label(&deck, &entry.key);
    let shape = find_table(&all, shape, &label)?;
    let (row, column) = cell;
    let story = cell_story(&xml, &entry.part, shape, row, column)?;
    set_story(session, &entry, &xml, shape, &story, &NewParagraph::split(&text.replace("\r\n", "\n")))
}

/// The story of a cell, or why there is none.
fn cell_story(
    xml: &Xml,
    part: &PartName,
    shape: &Shape,
    row: usize,
    column: usize,
) -> Result<Story, EditError> {
    let lines: Vec<Vec<NodeId>> = table(xml, shape.element)
        .into_iter()
        .flat_map(|table| xml.children_named(table, Ns::A, "tr"))
        .map(|line| xml.children_named(line, Ns::A, "tc").collect())
        .collect();
    let cell = row.checked_sub(1).and_then(|row| lines.get(row)).zip(column.checked_sub(1));
    let Some(cell) = cell.and_then(|(line, column)| line.get(column)) else {
        let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
        let message = format!(
            "{} has {} rows and {columns} columns; there is no cell r{row}.c{column}.",
            shape_label(shape),
            lines.len()
        );
        return Err(EditError::new(EditErrorKind::OutOfRange, message));
    };
    if is_merged_away(xml, *cell) {
        let message = format!("The cell r{row}.c{column} is covered by a merged cell and shows no text.");
        return Err(EditError::new(EditErrorKind::WouldDamage, message)
            .hint("Set the first cell of the merged area, which the outline lists."));
    }
    let location = format!(".shape{}.r{row}.c{column}", shape.id);
    table_stories(xml, part, shape).into_iter().find(|story| story.location == location).ok_or_else(|| {
        let message = format!("The cell r{row}.c{column} has no text body.");
        EditError::new(EditErrorKind::WouldDamage, message)
    })
}
