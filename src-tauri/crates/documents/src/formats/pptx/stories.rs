//! Every text of a slide that may be looked for and changed, in reading order, with the way to change it.
//!
//! A story is one text body (a shape, a table cell, the notes) or one text of a chart or SmartArt. Layouts and masters are not
//! content of a slide, so the prompt of an empty placeholder is none (ECMA-376-1, 19.3.1.36).

use super::{
    body::{Body, bodies},
    charts::{NamePlace, chart_stories},
    deck::notes_of,
    parts::{Parts, Plan},
    rewrite::{NewParagraph, TextChange, edit_body, is_blank, set_paragraphs},
    runs::TextEdit,
    shapes::{Shape, ShapeKind, cells, shapes, text_body},
    smartart::{PointPlace, smartart_stories},
};
use crate::{
    ApplyContext, DocumentError, EditError,
    error::EditErrorKind,
    package::{
        PartName,
        xml::{NodeId, Ns, Xml},
    },
};

/// One text.
pub(super) struct Story {
    /// Behind the slide's own address: `.shape5`, `.shape5.r1.c2`, `.notes`.
    pub(super) location: String,
    pub(super) text: String,
    /// `a:spLocks@noTextEdit` of its shape.
    pub(super) locked: bool,
    pub(super) place: StoryPlace,
}

/// Where a story's text lies.
pub(super) enum StoryPlace {
    Body(BodyPlace),
    /// A name in a chart and its workbook.
    ChartName(NamePlace),
    /// A point of a SmartArt graphic.
    Point(PointPlace),
    /// Shown, but not to be changed, and why.
    Fixed(&'static str),
}

/// A text body and the same one in other markup-compatibility branches.
pub(super) struct BodyPlace {
    pub(super) part: PartName,
    pub(super) body: NodeId,
    pub(super) twins: Vec<NodeId>,
    /// A branch shows the shape as something without text (a picture of it).
    pub(super) untwinned: bool,
}

/// All stories of a slide without its notes.
pub(super) fn slide_stories(parts: &Parts<'_, '_>, slide: &PartName) -> Result<Vec<Story>, DocumentError> {
    let xml = parts.xml(slide)?;
    let mut stories = Vec::new();
    for shape in shapes(&xml) {
        stories.extend(stories_of(parts, &xml, slide, &shape)?);
    }
    Ok(stories)
}

/// All stories of one shape; groups are opened by the list of shapes.
fn stories_of(
    parts: &Parts<'_, '_>,
    xml: &Xml,
    slide: &PartName,
    shape: &Shape,
) -> Result<Vec<Story>, DocumentError> {
    match shape.kind {
        ShapeKind::Table => Ok(table_stories(xml, slide, shape)),
        ShapeKind::Chart => chart_stories(parts, slide, xml, shape),
        ShapeKind::SmartArt => smartart_stories(parts, slide, xml, shape),
        _ => Ok(shape_stories(xml, slide, shape)),
    }
}

/// The notes text of a slide, when it has notes with a body.
pub(super) fn notes_story(parts: &Parts<'_, '_>, slide: &PartName) -> Result<Option<Story>, DocumentError> {
    let Some(part) = notes_of(parts.package, slide)? else { return Ok(None) };
    let xml = parts.xml(&part)?;
    let shapes = shapes(&xml);
    let Some(shape) = notes_shape(&shapes) else { return Ok(None) };
    Ok(text_body(&xml, shape.element).map(|body| story(&xml, &part, shape, body, ".notes".into(), text_body)))
}

/// The shape of a notes part that holds the notes.
pub(super) fn notes_shape(shapes: &[Shape]) -> Option<&Shape> {
    shapes.iter().find(|shape| shape.placeholder.as_ref().is_some_and(|ph| ph.kind == "body"))
}

/// The story of one text body, where `twin_body` finds the same body in a twin shape.
fn story(
    xml: &Xml,
    part: &PartName,
    shape: &Shape,
    body: NodeId,
    location: String,
    twin_body: impl Fn(&Xml, NodeId) -> Option<NodeId>,
) -> Story {
    let twins: Vec<NodeId> = shape.twins.iter().filter_map(|twin| twin_body(xml, *twin)).collect();
    let place = BodyPlace {
        part: part.clone(),
        body,
        untwinned: shape.untwinned || twins.len() < shape.twins.len(),
        twins,
    };
    Story {
        location,
        text: Body::read(xml, body).text(),
        locked: shape.locked,
        place: StoryPlace::Body(place),
    }
}

/// The text of a shape; frames without text of their own kind may still hold text bodies (a locked canvas).
fn shape_stories(xml: &Xml, part: &PartName, shape: &Shape) -> Vec<Story> {
    let place = format!(".shape{}", shape.id);
    match shape.kind {
        ShapeKind::Text => {
            let body = text_body(xml, shape.element);
            body.map(|body| story(xml, part, shape, body, place, text_body)).into_iter().collect()
        }
        ShapeKind::Other => bodies(xml, shape.element)
            .into_iter()
            .enumerate()
            .map(|(index, body)| {
                let same = move |xml: &Xml, twin| bodies(xml, twin).get(index).copied();
                story(xml, part, shape, body, place.clone(), same)
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// All texts of one shape as an outline shows them: what stands in it, and the names a chart takes from its workbook. Table cells have
/// nodes of their own.
pub(super) fn shape_texts(
    parts: &Parts<'_, '_>,
    xml: &Xml,
    part: &PartName,
    shape: &Shape,
) -> Result<(String, Vec<String>), DocumentError> {
    let stories = match shape.kind {
        ShapeKind::Table => Vec::new(),
        _ => stories_of(parts, xml, part, shape)?,
    };
    let (names, own): (Vec<Story>, Vec<Story>) = stories
        .into_iter()
        .partition(|story| matches!(story.place, StoryPlace::ChartName(_) | StoryPlace::Fixed(_)));
    let own: Vec<String> = own.into_iter().map(|story| story.text).collect();
    Ok((own.join("\n"), names.into_iter().map(|story| story.text).collect()))
}

/// The text of a shape that holds one.
pub(super) fn shape_text(xml: &Xml, part: &PartName, shape: &Shape) -> Option<Story> {
    shape_stories(xml, part, shape).into_iter().next()
}

/// The cells of a table.
pub(super) fn table_stories(xml: &Xml, part: &PartName, shape: &Shape) -> Vec<Story> {
    let place = format!(".shape{}", shape.id);
    let stories = cells(xml, shape.element).into_iter().filter_map(|(row, column, cell)| {
        let body = cell_body(xml, cell)?;
        let same = move |xml: &Xml, twin| {
            let twin_cells = cells(xml, twin);
            let (.., twin) = twin_cells.into_iter().find(|(r, c, _)| (*r, *c) == (row, column))?;
            cell_body(xml, twin)
        };
        Some(story(xml, part, shape, body, format!("{place}.r{row}.c{column}"), same))
    });
    stories.collect()
}

/// The text body of a table cell.
pub(super) fn cell_body(xml: &Xml, cell: NodeId) -> Option<NodeId> {
    xml.child(cell, Ns::A, "txBody")
}

impl Story {
    /// Plans edits of the text and says what changes.
    pub(super) fn edit(
        &self,
        parts: &Parts<'_, '_>,
        ctx: &ApplyContext<'_>,
        edits: &[TextEdit],
        plan: &mut Plan,
    ) -> Result<Vec<TextChange>, EditError> {
        match &self.place {
            StoryPlace::Body(place) => {
                let change = |xml: &Xml, body: &Body, plan: &mut Plan| {
                    edit_body(xml, body, edits, plan.splices(&place.part))
                };
                place.for_each_branch(parts, &self.location, change, plan)
            }
            StoryPlace::ChartName(place) => place.edit(parts, ctx, &self.text, edits, plan),
            StoryPlace::Point(place) => place.edit(parts, edits, plan),
            StoryPlace::Fixed(reason) => Err(super::charts::refused(&self.text, reason)),
        }
    }

    /// Plans the whole text of a body anew.
    pub(super) fn set(
        &self,
        parts: &Parts<'_, '_>,
        new: &[NewParagraph],
        plan: &mut Plan,
    ) -> Result<(), EditError> {
        match &self.place {
            StoryPlace::Body(place) => {
                let change = |xml: &Xml, body: &Body, plan: &mut Plan| {
                    set_paragraphs(xml, body, new, plan.splices(&place.part))
                };
                place.for_each_branch(parts, &self.location, change, plan)
            }
            StoryPlace::ChartName(_) | StoryPlace::Point(_) | StoryPlace::Fixed(_) => {
                let message = "Only a part of this text can be replaced, not all of it.";
                Err(EditError::new(EditErrorKind::UnsupportedOp, message).hint("Use pptx_replace_on_slide."))
            }
        }
    }

    /// Whether an older program's branch shows the shape without this text.
    pub(super) fn is_untwinned(&self) -> bool {
        matches!(&self.place, StoryPlace::Body(place) if place.untwinned)
    }
}

impl BodyPlace {
    /// Does the same to the body and to its twins, which must hold the same text; a twin without text is a picture and left alone.
    fn for_each_branch<T>(
        &self,
        parts: &Parts<'_, '_>,
        location: &str,
        mut change: impl FnMut(&Xml, &Body, &mut Plan) -> Result<T, EditError>,
        plan: &mut Plan,
    ) -> Result<T, EditError> {
        let xml = parts.xml(&self.part)?;
        let body = Body::read(&xml, self.body);
        let result = change(&xml, &body, plan)?;
        for twin in &self.twins {
            let twin = Body::read(&xml, *twin);
            if twin.text() == body.text() {
                change(&xml, &twin, plan)?;
            } else if !is_blank(&twin) {
                let message = format!(
                    "The shape at {} is stored twice, for newer and older programs, with different texts; changing only one would make them differ more.",
                    location.trim_start_matches('.')
                );
                return Err(EditError::new(EditErrorKind::WouldDamage, message)
                    .hint("Change this shape in PowerPoint."));
            }
        }
        Ok(result)
    }
}
