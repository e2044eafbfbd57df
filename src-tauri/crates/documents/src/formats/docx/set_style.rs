//! `docx_set_style`: a paragraph's style by name.

use super::{
    batch::{Batch, EditKind, Spotted},
    blocks,
    markup::Names,
    properties::{named_style, style_of},
    rewrite::fill_empty_tag,
    tracking::{Cuts, Tracking},
};
use crate::{
    EditError,
    package::xml::{NodeId, Ns, Splices, Xml, escape_attribute},
};

pub(super) fn set_style(
    batch: &mut Batch<'_>,
    index: Option<usize>,
    at: Option<&str>,
    style: &str,
) -> Result<(), EditError> {
    let target = batch.paragraph(index, at)?;
    let styles = batch.styles()?;
    let style = named_style(&styles, style)?;
    let (xml, blocks_index) = (&target.loaded.xml, &target.loaded.index);
    let paragraph = target.entry().node;
    let before = style_of(xml, &styles, paragraph);
    if before.is_some_and(|before| before.id == style.id) {
        return Ok(());
    }
    batch.check_protection(EditKind::Text)?;
    blocks::refuse_split_and_tracked_boxes(batch, &target)?;
    let tracking = batch.tracking()?;
    let id = if style.is_default { None } else { Some(escape_attribute(&style.id)?) };
    let mut splices = Splices::default();
    for paragraph in std::iter::once(paragraph).chain(blocks_index.twins(paragraph).iter().copied()) {
        plan_style(xml, paragraph, id.as_deref(), tracking.as_ref(), &mut splices);
    }
    let (before, after) = (before.map(super::styles::Style::shown_name), style.shown_name());
    let start = target.entry().start;
    batch.commit(target.part, &target.loaded, splices)?;
    batch.report(Spotted::Kept { part: target.part, start }, before, Some(after), Some("style"));
    Ok(())
}

/// Writes `w:pStyle`, the first child of `w:pPr`; `None` takes it away.
fn plan_style(
    xml: &Xml,
    paragraph: NodeId,
    id: Option<&str>,
    tracking: Option<&Tracking<'_>>,
    splices: &mut Splices,
) {
    let names = Names::at(xml, paragraph);
    let properties = xml.child(paragraph, Ns::W, "pPr");
    let element = id.map_or_else(String::new, |id| names.valued("pStyle", id));
    let change = tracking.map_or_else(String::new, |tracking| change(xml, properties, &names, tracking));
    let Some(properties) = properties.filter(|properties| !xml.is_empty_tag(*properties)) else {
        let new = names.wrap("pPr", &format!("{element}{change}"));
        match properties {
            Some(empty) => splices.replace(xml.span(empty), new),
            None if xml.is_empty_tag(paragraph) => fill_empty_tag(xml, paragraph, &new, splices),
            None => splices.insert(xml.content(paragraph).start, new),
        }
        return;
    };
    let old = xml.child(properties, Ns::W, "pStyle");
    let is_only_child = old.is_some_and(|old| xml.span(old) == xml.content(properties));
    match old {
        Some(_) if is_only_child && element.is_empty() && change.is_empty() => {
            splices.delete(xml.span(properties))
        }
        Some(old) => splices.replace(xml.span(old), element),
        None => splices.insert(xml.content(properties).start, element),
    }
    if !change.is_empty() {
        splices.insert(xml.content(properties).end, change);
    }
}

/// The record of the old properties (ECMA-376-1, 17.13.5.29); an earlier record stays the older truth.
fn change(xml: &Xml, properties: Option<NodeId>, names: &Names, tracking: &Tracking<'_>) -> String {
    let recorded = properties.and_then(|properties| xml.child(properties, Ns::W, "pPrChange"));
    if recorded.is_some() {
        return String::new();
    }
    let is_recorded = |child: &NodeId| !matches!(xml.local_name(*child), "rPr" | "sectPr" | "pPrChange");
    let old: String = properties
        .into_iter()
        .flat_map(|properties| xml.children(properties))
        .filter(is_recorded)
        .map(|child| xml.raw(child))
        .collect();
    let cuts = Cuts { before: false, after: properties.is_none() };
    tracking.wrap("pPrChange", names, cuts, &names.wrap("pPr", &old))
}
