//! The texts of a chart: rich titles and labels, and the names that come from its workbook (ECMA-376-1, 21.2).
//!
//! A name lives twice, in the chart's cache and in a cell of the embedded workbook; both are changed together, or the edit is refused:
//! a workbook outside the deck, a formula, a cell that holds another text already, levels of categories.

use std::collections::BTreeMap;

use super::{
    graph::Graph,
    parts::{Parts, Plan},
    rewrite::{TextChange, applied},
    runs::TextEdit,
    shapes::{Shape, graphic_data},
    stories::{BodyPlace, Story, StoryPlace},
};
use crate::{
    ApplyContext, DocumentError, Edit, EditError, Format, OutlineRequest,
    edit::CellValue,
    error::EditErrorKind,
    package::{
        PartName,
        xml::{NodeId, NodeKind, Ns, Xml, escape_text},
    },
};

/// A text that a chart takes from elsewhere.
pub(super) struct NamePlace {
    chart: PartName,
    /// The elements that hold the cached text.
    cached: Vec<NodeId>,
    /// The cell it comes from, as `(formula, index)`; `None` for a literal.
    source: Option<(String, usize)>,
}

/// The texts of the chart in a frame.
pub(super) fn chart_stories(
    parts: &Parts<'_, '_>,
    slide: &PartName,
    xml: &Xml,
    shape: &Shape,
) -> Result<Vec<Story>, DocumentError> {
    let Some(part) = chart_part(parts, slide, xml, shape.element)? else { return Ok(Vec::new()) };
    let chart = parts.xml(&part)?;
    let mut stories = Vec::new();
    let location = format!(".shape{}", shape.id);
    let mut names: BTreeMap<(String, usize), usize> = BTreeMap::new();
    for node in chart.descendants(chart.root()).filter(|node| chart.kind(*node) == NodeKind::Element) {
        if is_rich(&chart, node) {
            stories.push(body_story(&chart, &part, &location, node));
        } else if let Some((source, text)) = name(&chart, node) {
            let known = source.as_ref().and_then(|source| names.get(source));
            if let Some(StoryPlace::ChartName(place)) = known.map(|index| &mut stories[*index].place) {
                place.cached.push(node);
                continue;
            }
            if let Some(source) = &source {
                names.insert(source.clone(), stories.len());
            }
            let place = NamePlace { chart: part.clone(), cached: vec![node], source };
            let place = StoryPlace::ChartName(place);
            stories.push(Story { location: location.clone(), text, locked: false, place });
        } else if let Some((text, reason)) = unreachable_text(&chart, node) {
            let place = StoryPlace::Fixed(reason);
            stories.push(Story { location: location.clone(), text, locked: false, place });
        }
    }
    stories.extend(drawn_on(parts, &part, &location)?);
    Ok(stories)
}

/// The chart part that a frame shows, ordinary or extended.
fn chart_part(
    parts: &Parts<'_, '_>,
    slide: &PartName,
    xml: &Xml,
    frame: NodeId,
) -> Result<Option<PartName>, DocumentError> {
    let data = graphic_data(xml, frame);
    let element = data.and_then(|data| xml.children(data).find(|child| xml.local_name(*child) == "chart"));
    let Some(id) = element.and_then(|element| xml.value(element, Ns::R, "id")) else { return Ok(None) };
    let relationships = parts.package.relationships(slide)?;
    let part = relationships.by_id(&id).and_then(|relationship| relationship.part());
    Ok(part.filter(|part| parts.package.has(part)))
}

/// Titles and labels with text of their own.
fn is_rich(xml: &Xml, node: NodeId) -> bool {
    (xml.is(node, Ns::C, "rich") || xml.is(node, Ns::Cx, "rich"))
        && xml.children_named(node, Ns::A, "p").next().is_some()
}

fn body_story(xml: &Xml, part: &PartName, location: &str, body: NodeId) -> Story {
    let place = BodyPlace { part: part.clone(), body, twins: Vec::new(), untwinned: false };
    Story {
        location: location.to_owned(),
        text: super::body::Body::read(xml, body).text(),
        locked: false,
        place: StoryPlace::Body(place),
    }
}

/// A text that is one name: where it comes from, and the text.
fn name(xml: &Xml, node: NodeId) -> Option<(Option<(String, usize)>, String)> {
    let parent = xml.parent(node)?;
    let text = xml.text(node).into_owned();
    if xml.is(node, Ns::C, "v") {
        let cache = xml.parent(parent)?;
        let index = || xml.value(parent, Ns::None, "idx").and_then(|index| index.trim().parse().ok());
        return match (xml.local_name(parent), xml.local_name(cache)) {
            ("pt", "strCache") => {
                let reference = xml.parent(cache)?;
                let formula = xml.text(xml.child(reference, Ns::C, "f")?).into_owned();
                Some((Some((formula, index()?)), text))
            }
            ("pt", "strLit") | ("tx", _) => Some((None, text)),
            _ => None,
        };
    }
    if xml.is(node, Ns::Cx, "v") && xml.is(parent, Ns::Cx, "txData") {
        let formula = xml.text(xml.child(parent, Ns::Cx, "f")?).into_owned();
        return Some((Some((formula, 0)), text));
    }
    if !xml.is(node, Ns::Cx, "pt") {
        return None;
    }
    let dimension = xml.parent(parent).filter(|dimension| xml.is(*dimension, Ns::Cx, "strDim"))?;
    (xml.children_named(dimension, Ns::Cx, "lvl").count() == 1).then_some(())?;
    let index = xml.value(node, Ns::None, "idx")?.trim().parse().ok()?;
    let formula = xml.child(dimension, Ns::Cx, "f").map(|formula| xml.text(formula).into_owned());
    Some((formula.map(|formula| (formula, index)), text))
}

/// A text that is shown but cannot be changed here, and why.
fn unreachable_text(xml: &Xml, node: NodeId) -> Option<(String, &'static str)> {
    let parent = xml.parent(node)?;
    let in_levels = || xml.ancestors(node).any(|one| xml.is(one, Ns::C, "multiLvlStrCache"));
    if xml.is(node, Ns::C, "v") && xml.is(parent, Ns::C, "pt") && in_levels() {
        return Some((
            xml.text(node).into_owned(),
            "it is one level of a chart's categories of several levels",
        ));
    }
    if xml.is(node, Ns::Cx, "v") && xml.is(parent, Ns::Cx, "txData") {
        return Some((
            xml.text(node).into_owned(),
            "it is a title that this kind of chart stores in several forms",
        ));
    }
    None
}

/// Text boxes drawn on the chart (`c:userShapes`, 21.2.2.220).
fn drawn_on(parts: &Parts<'_, '_>, chart: &PartName, location: &str) -> Result<Vec<Story>, DocumentError> {
    let drawing = parts.package.relationships(chart)?.part_of_kind("chartUserShapes");
    let Some(drawing) = drawing.filter(|part| parts.package.has(part)) else { return Ok(Vec::new()) };
    let xml = parts.xml(&drawing)?;
    let is_body = |node: &NodeId| xml.kind(*node) == NodeKind::Element && xml.local_name(*node) == "txBody";
    let bodies = xml.descendants(xml.root()).filter(is_body);
    Ok(bodies.map(|body| body_story(&xml, &drawing, location, body)).collect())
}

impl NamePlace {
    /// Plans the new text in the chart's cache and in the workbook's cell.
    pub(super) fn edit(
        &self,
        parts: &Parts<'_, '_>,
        ctx: &ApplyContext<'_>,
        old: &str,
        edits: &[TextEdit],
        plan: &mut Plan,
    ) -> Result<Vec<TextChange>, EditError> {
        let new = applied(old, edits);
        if let Some((formula, index)) = &self.source {
            let target = workbook(parts, &self.chart, old)?;
            if let Some(book) = target {
                let cell = cell_of(formula, *index)
                    .ok_or_else(|| refused(old, "its place in the workbook is not one cell"))?;
                let bytes = match plan.replaced(&book) {
                    Some(bytes) => bytes.to_vec(),
                    None => parts.package.require(&book)?.to_vec(),
                };
                plan.replace(&book, with_cell(&bytes, &cell, old, &new, ctx)?);
            }
        }
        let xml = parts.xml(&self.chart)?;
        let escaped = escape_text(&new)?;
        for element in &self.cached {
            if xml.text(*element) != old {
                return Err(refused(old, "the chart's series disagree about it"));
            }
            let splices = plan.splices(&self.chart);
            match xml.is_empty_tag(*element) {
                true => super::markup::append(&xml, *element, &escaped, splices),
                false => splices.replace(xml.content(*element), escaped.as_str()),
            }
        }
        Ok(vec![TextChange { before: old.to_owned(), after: new }])
    }
}

/// The refusal to change a text of a chart.
pub(super) fn refused(text: &str, reason: &str) -> EditError {
    let message = format!("The text {text:?} of a chart cannot be changed here: {reason}.");
    EditError::new(EditErrorKind::WouldDamage, message)
        .hint("Edit the chart's data in PowerPoint, or choose another occurrence.")
}

/// The workbook part of a chart; `None` when the chart has no workbook at all.
fn workbook(parts: &Parts<'_, '_>, chart: &PartName, text: &str) -> Result<Option<PartName>, EditError> {
    let xml = parts.xml(chart)?;
    let reference = xml
        .descendants(xml.root())
        .find(|node| xml.kind(*node) == NodeKind::Element && xml.local_name(*node) == "externalData")
        .and_then(|element| xml.value(element, Ns::R, "id"));
    let Some(id) = reference else { return Ok(None) };
    let relationships = parts.package.relationships(chart)?;
    let target = relationships.by_id(&id).and_then(|relationship| relationship.part());
    let Some(book) = target.filter(|part| parts.package.has(part)) else {
        return Err(refused(text, "its workbook lies outside the presentation"));
    };
    if !["xlsx", "xlsm"].iter().any(|end| book.extension().eq_ignore_ascii_case(end)) {
        return Err(refused(text, "its workbook is of a kind that is not edited"));
    }
    match Graph::read(parts.package)?.pointers_to(&book).len() {
        1 => Ok(Some(book)),
        _ => Err(refused(text, "several charts share its workbook")),
    }
}

/// A cell as the edit language names it.
#[derive(Debug, PartialEq, Eq)]
struct Cell {
    sheet: String,
    cell: String,
}

/// The `index`-th cell of a reference to one row or column: `Sheet1!$A$2:$A$5`.
fn cell_of(formula: &str, index: usize) -> Option<Cell> {
    let (sheet, area) = formula.trim().rsplit_once('!')?;
    let sheet = match sheet.strip_prefix('\'').and_then(|sheet| sheet.strip_suffix('\'')) {
        Some(quoted) => quoted.replace("''", "'"),
        None => sheet.to_owned(),
    };
    if sheet.is_empty() || sheet.contains(['[', '(', ':']) {
        return None;
    }
    let area = area.replace('$', "");
    let (first, last) = area.split_once(':').unwrap_or((&area, &area));
    let ((column, row), (last_column, last_row)) = (coordinates(first)?, coordinates(last)?);
    let step = u32::try_from(index).ok()?;
    let (column, row) = if column == last_column && row + step <= last_row {
        (column, row + step)
    } else if row == last_row && column + step <= last_column {
        (column + step, row)
    } else {
        return None;
    };
    Some(Cell { sheet, cell: format!("{}{row}", letters(column)) })
}

/// `(column, row)`, 1-based.
fn coordinates(cell: &str) -> Option<(u32, u32)> {
    let digits = cell.find(|character: char| character.is_ascii_digit())?;
    let (column, row) = cell.split_at(digits);
    let is_column =
        !column.is_empty() && column.len() <= 3 && column.bytes().all(|b| b.is_ascii_alphabetic());
    let number = |number: u32, letter: u8| number * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1;
    is_column.then_some(())?;
    Some((column.bytes().fold(0, number), row.parse().ok()?))
}

fn letters(mut column: u32) -> String {
    let mut letters = Vec::new();
    while column > 0 {
        letters.insert(0, b'A' + ((column - 1) % 26) as u8);
        column = (column - 1) / 26;
    }
    String::from_utf8(letters).unwrap_or_default()
}

/// The workbook with another text in a cell, which must hold the old one.
fn with_cell(
    book: &[u8],
    cell: &Cell,
    old: &str,
    new: &str,
    ctx: &ApplyContext<'_>,
) -> Result<Vec<u8>, EditError> {
    let quoted = format!("'{}'!{}", cell.sheet.replace('\'', "''"), cell.cell);
    let request = OutlineRequest { range: Some(quoted), ..OutlineRequest::default() };
    let unreadable =
        |error: &dyn std::fmt::Display| refused(old, &format!("its workbook cannot be edited ({error})"));
    let outline = crate::outline(Format::Xlsx, book, &request, &ctx.limits, ctx.cancel)
        .map_err(|error| unreadable(&error))?;
    let there = outline
        .nodes
        .iter()
        .find(|node| node.kind == "cell" && node.at.ends_with(&format!("!{}", cell.cell)));
    match there {
        Some(node) if node.more.contains_key("formula") => {
            return Err(refused(old, "a formula of its workbook makes it"));
        }
        Some(node) if node.text == old => {}
        _ => return Err(refused(old, "the cell of its workbook holds another text")),
    }
    let edit = Edit::XlsxSetCell {
        sheet: Some(cell.sheet.clone()),
        cell: cell.cell.clone(),
        value: CellValue::Text(new.to_owned()),
    };
    let applied = crate::apply(Format::Xlsx, book, &[edit], ctx).map_err(|error| unreadable(&error))?;
    Ok(applied.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_references() {
        let cell = |formula, index| cell_of(formula, index).map(|cell| (cell.sheet, cell.cell));
        assert_eq!(cell("Sheet1!$A$2:$A$5", 1), Some(("Sheet1".into(), "A3".into())));
        assert_eq!(cell("'My ''data'''!$Y$1:$AB$1", 2), Some(("My 'data'".into(), "AA1".into())));
        assert_eq!(cell("Sheet1!$B$1", 0), Some(("Sheet1".into(), "B1".into())));
        assert_eq!(cell("Sheet1!$A$2:$A$5", 4), None);
        assert_eq!(cell("Sheet1!$A$1:$B$5", 3), None);
        assert_eq!(cell("[0]!Names", 0), None);
        assert_eq!(cell("(Sheet1!$A$1,Sheet1!$A$3)", 1), None);
    }
}
