//! New placeholders on slides, made after those of the slide's layout.

use super::{
    deck::SlideEntry,
    rewrite::NewParagraph,
    session::{Session, Spot},
    shapes::{Shape, shapes, title},
    text_ops::body_markup,
};
use crate::{
    EditError,
    error::EditErrorKind,
    package::xml::{NodeId, Ns, Splices, Xml, escape_attribute},
};

/// Gives a slide the title placeholder that its layout has and it lacks.
pub(super) fn add_title(
    session: &mut Session<'_, '_>,
    entry: &SlideEntry,
    xml: &Xml,
    text: &[NewParagraph],
) -> Result<(), EditError> {
    let layout = session.package.relationships(&entry.part)?.part_of_kind("slideLayout");
    let layout = layout.map(|part| session.package.xml(&part)).transpose()?;
    let of_layout = layout.as_ref().map(shapes).unwrap_or_default();
    let model = title(&of_layout).zip(layout.as_ref());
    let tree = xml.child(xml.root(), Ns::P, "cSld").and_then(|data| xml.child(data, Ns::P, "spTree"));
    let (Some((model, layout)), Some(tree)) = (model, tree) else {
        let message = "The slide has no title placeholder, and neither has its layout.";
        return Err(EditError::new(EditErrorKind::OutOfRange, message)
            .hint("Set the text of one of its shapes with pptx_set_text."));
    };
    let id = shapes(xml).iter().map(|shape| shape.id).max().unwrap_or(1).max(1) + 1;
    let markup = placeholder_markup(xml, tree, (layout, model), id, text)?;
    // The first shape stands behind the properties of the tree itself (`CT_GroupShape`, 19.3.1.22).
    let first =
        xml.children(tree).filter(|child| matches!(xml.local_name(*child), "nvGrpSpPr" | "grpSpPr")).last();
    let at = first.map_or(xml.content(tree).start, |last| xml.span(last).end);
    let mut splices = Splices::default();
    splices.insert(at, markup);
    let bytes = xml.write(splices)?;
    let texts: Vec<&str> = text.iter().map(|paragraph| paragraph.text.as_str()).collect();
    session.record(
        Spot::new(&entry.key, format!(".shape{id}")),
        None,
        Some(texts.join("\n")),
        Some("structure"),
    );
    session.write(vec![(entry.part.clone(), bytes)])
}

/// The markup of a placeholder like one of a layout, in the prefixes bound at `at`.
pub(super) fn placeholder_markup(
    xml: &Xml,
    at: NodeId,
    model: (&Xml, &Shape),
    id: u64,
    text: &[NewParagraph],
) -> Result<String, EditError> {
    let (layout, shape) = model;
    let p = xml.prefix(at);
    let a = xml.prefix_for(at, Ns::A).unwrap_or_else(|| "a:".into());
    let name = escape_attribute(&format!(
        "{} {}",
        shape.name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end(),
        id - 1
    ))?;
    let attributes = placeholder_attributes(layout, shape);
    let body = body_markup(xml, at, text)?;
    Ok(format!(
        "<{p}sp><{p}nvSpPr><{p}cNvPr id=\"{id}\" name=\"{name}\"/><{p}cNvSpPr><{a}spLocks noGrp=\"1\"/></{p}cNvSpPr>\
         <{p}nvPr><{p}ph{attributes}/></{p}nvPr></{p}nvSpPr><{p}spPr/>{body}</{p}sp>"
    ))
}

/// What ties a placeholder to the layout's: type, orientation, size and index; its prompt is the layout's alone.
fn placeholder_attributes(layout: &Xml, shape: &Shape) -> String {
    let placeholder = layout.descendants_named(shape.element, Ns::P, "ph").next();
    let Some(placeholder) = placeholder else { return String::new() };
    ["type", "orient", "sz", "idx"]
        .iter()
        .filter_map(|name| layout.attribute(placeholder, Ns::None, name))
        .map(|attribute| {
            format!(" {}=\"{}\"", attribute.name, layout.slice(attribute.value_span).replace('"', "&quot;"))
        })
        .collect()
}
