//! What floats above a sheet: charts, pictures and shapes, as labelled places (20.5). They are not drawn here.

use serde::{Deserialize, Serialize};

use crate::{
    DocumentError,
    package::{
        Package, PartName,
        xml::{NodeId, Ns, Xml},
    },
};

/// One floating object; rows and columns are 1-based and inclusive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// `chart`, `picture` or `shape`.
    pub kind: String,
    /// The title of a chart, the text of a shape, else its name.
    pub title: String,
    pub from_row: u32,
    pub from_column: u32,
    pub to_row: u32,
    pub to_column: u32,
}

/// The objects of a sheet; a drawing that cannot be read has none, for it must not hide the cells.
pub(super) fn of_sheet(package: &Package<'_>, sheet: &PartName) -> Result<Vec<Placed>, DocumentError> {
    let Some(part) = package.relationships(sheet)?.part_of_kind("drawing").filter(|part| package.has(part))
    else {
        return Ok(Vec::new());
    };
    let Ok(drawing) = package.xml(&part) else { return Ok(Vec::new()) };
    let anchors = drawing.children(drawing.root()).filter(|node| drawing.namespace(*node) == Ns::Xdr);
    Ok(anchors.filter_map(|anchor| placed(package, &part, &drawing, anchor)).collect())
}

fn placed(package: &Package<'_>, part: &PartName, drawing: &Xml, anchor: NodeId) -> Option<Placed> {
    let (from_row, from_column) = corner(drawing, drawing.child(anchor, Ns::Xdr, "from")?)?;
    // A one-cell anchor has a size instead of a second corner; some cells' worth is enough for a label.
    let (to_row, to_column) = drawing
        .child(anchor, Ns::Xdr, "to")
        .and_then(|to| corner(drawing, to))
        .unwrap_or((from_row + 10, from_column + 5));
    let name = drawing
        .descendants_named(anchor, Ns::Xdr, "cNvPr")
        .next()
        .and_then(|node| drawing.value(node, Ns::None, "name"));
    let chart = drawing.descendants_named(anchor, Ns::C, "chart").next();
    let title = match chart {
        Some(chart) => chart_title(package, part, drawing, chart),
        None => Some(text_in(drawing, anchor)).filter(|text| !text.is_empty()),
    };
    let kind = match chart {
        Some(_) => "chart",
        None if drawing.descendants_named(anchor, Ns::Xdr, "pic").next().is_some() => "picture",
        None => "shape",
    };
    let title = title.or_else(|| name.map(|name| name.into_owned())).unwrap_or_default();
    Some(Placed { kind: kind.into(), title, from_row, from_column, to_row, to_column })
}

fn chart_title(package: &Package<'_>, part: &PartName, drawing: &Xml, chart: NodeId) -> Option<String> {
    let id = drawing.value(chart, Ns::R, "id")?;
    let target = package.relationships(part).ok()?.by_id(&id)?.part()?;
    let xml = package.xml(&target).ok()?;
    let title = xml.descendants_named(xml.root(), Ns::C, "title").next()?;
    Some(text_in(&xml, title)).filter(|text| !text.is_empty())
}

fn text_in(xml: &Xml, element: NodeId) -> String {
    xml.descendants_named(element, Ns::A, "t").map(|node| xml.text(node)).collect::<Vec<_>>().concat()
}

fn corner(drawing: &Xml, marker: NodeId) -> Option<(u32, u32)> {
    let number = |name| {
        drawing.child(marker, Ns::Xdr, name).and_then(|node| drawing.text(node).trim().parse::<u32>().ok())
    };
    // Markers count from 0 (20.5.2.31).
    Some((number("row")?.checked_add(1)?, number("col")?.checked_add(1)?))
}
