//! The texts of a SmartArt graphic: the points of its data model, and the same texts in the drawing that PowerPoint keeps beside it.
//!
//! The drawing (`dsp:drawing`, [MS-ODRAWXML] 2.14) is a cache, but what other programs show; a point's text is changed in both or not
//! at all. Which shapes show a point is said by its presentation points (ECMA-376-1, 21.4.3.2, `presOf`).

use std::collections::BTreeSet;

use super::{
    body::Body,
    parts::{Parts, Plan},
    rewrite::{TextChange, edit_body},
    runs::TextEdit,
    shapes::{Shape, graphic_data},
    stories::{Story, StoryPlace},
};
use crate::{
    DocumentError, EditError,
    error::EditErrorKind,
    package::{
        PartName,
        xml::{NodeId, NodeKind, Ns, Xml},
    },
};

/// The text of one point.
pub(super) struct PointPlace {
    data: PartName,
    body: NodeId,
    drawing: Option<PartName>,
    /// The model ids of the shapes that may show it.
    shown_by: BTreeSet<String>,
}

/// The texts of the SmartArt in a frame.
pub(super) fn smartart_stories(
    parts: &Parts<'_, '_>,
    slide: &PartName,
    xml: &Xml,
    shape: &Shape,
) -> Result<Vec<Story>, DocumentError> {
    let ids = graphic_data(xml, shape.element).and_then(|data| xml.child(data, Ns::Dgm, "relIds"));
    let Some(id) = ids.and_then(|ids| xml.value(ids, Ns::R, "dm")) else { return Ok(Vec::new()) };
    let relationships = parts.package.relationships(slide)?;
    let target = |id: &str| {
        let part = relationships.by_id(id).and_then(|relationship| relationship.part());
        part.filter(|part| parts.package.has(part))
    };
    let Some(part) = target(&id) else { return Ok(Vec::new()) };
    let data = parts.xml(&part)?;
    let drawing = data
        .descendants(data.root())
        .find(|node| data.kind(*node) == NodeKind::Element && data.local_name(*node) == "dataModelExt")
        .and_then(|extension| data.value(extension, Ns::None, "relId"))
        .and_then(|id| target(&id));
    let mut stories = Vec::new();
    for point in data.descendants_named(data.root(), Ns::Dgm, "pt") {
        let kind = data.value(point, Ns::None, "type");
        if matches!(kind.as_deref(), Some("pres" | "parTrans" | "sibTrans" | "doc")) {
            continue;
        }
        let Some(body) = data.child(point, Ns::Dgm, "t") else { continue };
        let text = Body::read(&data, body).text();
        if text.trim().is_empty() {
            continue;
        }
        let id = data.value(point, Ns::None, "modelId").unwrap_or_default();
        let place =
            PointPlace { data: part.clone(), body, drawing: drawing.clone(), shown_by: shown_by(&data, &id) };
        let location = format!(".shape{}", shape.id);
        stories.push(Story { location, text, locked: false, place: StoryPlace::Point(place) });
    }
    Ok(stories)
}

/// The presentation points of a point.
fn shown_by(data: &Xml, point: &str) -> BTreeSet<String> {
    let value = |node, name| data.value(node, Ns::None, name).unwrap_or_default();
    let connections = data
        .descendants_named(data.root(), Ns::Dgm, "cxn")
        .filter(|connection| value(*connection, "type") == "presOf" && value(*connection, "srcId") == point);
    let by_connection = connections.map(|connection| value(connection, "destId").into_owned());
    let associated = data
        .descendants_named(data.root(), Ns::Dgm, "prSet")
        .filter(|set| value(*set, "presAssocID") == point);
    let by_association =
        associated.filter_map(|set| data.parent(set)).map(|pres| value(pres, "modelId").into_owned());
    by_connection.chain(by_association).collect()
}

impl PointPlace {
    /// Plans edits in the data and wherever the drawing shows the point.
    pub(super) fn edit(
        &self,
        parts: &Parts<'_, '_>,
        edits: &[TextEdit],
        plan: &mut Plan,
    ) -> Result<Vec<TextChange>, EditError> {
        let data = parts.xml(&self.data)?;
        let body = Body::read(&data, self.body);
        let changes = edit_body(&data, &body, edits, plan.splices(&self.data))?;
        let Some(drawing) = &self.drawing else { return Ok(changes) };
        let xml = parts.xml(drawing)?;
        for shown in self.in_drawing(&xml, &body)? {
            edit_body(&xml, &shown, edits, plan.splices(drawing))?;
        }
        Ok(changes)
    }

    /// The paragraphs of the drawing that show the point; none when the drawing shows nothing at all (PowerPoint then draws it anew).
    fn in_drawing(&self, xml: &Xml, body: &Body) -> Result<Vec<Body>, EditError> {
        let wanted: Vec<&str> = body.paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect();
        let mut found = Vec::new();
        let mut shows_text = false;
        for shape in xml.descendants_named(xml.root(), Ns::Dsp, "sp") {
            let Some(text) = xml.child(shape, Ns::Dsp, "txBody") else { continue };
            let all = Body::read(xml, text);
            shows_text |= !all.text().trim().is_empty();
            let id = xml.value(shape, Ns::None, "modelId").unwrap_or_default();
            if !self.shown_by.contains(id.as_ref()) {
                continue;
            }
            let places: Vec<usize> = all
                .paragraphs
                .windows(wanted.len().max(1))
                .enumerate()
                .filter(|(_, run)| {
                    run.iter().map(|paragraph| paragraph.text.as_str()).eq(wanted.iter().copied())
                })
                .map(|(start, _)| start)
                .collect();
            match places.as_slice() {
                [] => {}
                [start] => {
                    let paragraphs = all.paragraphs[*start..start + wanted.len()].to_vec();
                    found.push(Body { element: all.element, paragraphs });
                }
                _ => return Err(refused(&body.text(), "its drawing shows that text more than once")),
            }
        }
        match found.is_empty() && shows_text {
            true => Err(refused(&body.text(), "its drawing does not show that text in the same form")),
            false => Ok(found),
        }
    }
}

fn refused(text: &str, reason: &str) -> EditError {
    let message = format!("The text {text:?} of a SmartArt graphic cannot be changed here: {reason}.");
    EditError::new(EditErrorKind::WouldDamage, message)
        .hint("Change it in PowerPoint, or choose another occurrence.")
}
