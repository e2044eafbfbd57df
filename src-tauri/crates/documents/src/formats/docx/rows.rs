//! The grid behind a table's rows (ECMA-376-1, 17.4): which columns a cell covers, and what merged cells ask of a new or a dead row.

use super::{
    batch::Target,
    index::EntryKind,
    insert::Written,
    markup::Names,
    properties::look_like,
    removal::Removal,
    rewrite::would_damage,
    tracked_delete,
    tracking::{Cuts, Tracking},
    view::text_of,
};
use crate::{
    EditError,
    edit::Position,
    error::EditErrorKind,
    package::xml::{NodeId, Ns, Splices, Xml},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Merge {
    None,
    /// The first of cells merged downwards.
    Start,
    /// Covered by the cell above.
    Continue,
}

/// A cell with the grid columns it covers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GridCell {
    pub(super) node: NodeId,
    pub(super) column: usize,
    pub(super) span: usize,
    pub(super) merge: Merge,
}

/// The cells of a row, also those in content controls.
pub(super) fn cells_of(xml: &Xml, row: NodeId) -> Vec<GridCell> {
    let number = |parent: Option<NodeId>, name: &str| -> Option<usize> {
        let element = xml.child(parent?, Ns::W, name)?;
        xml.value(element, Ns::W, "val")?.trim().parse().ok()
    };
    let mut column = number(xml.child(row, Ns::W, "trPr"), "gridBefore").unwrap_or(0);
    let mut cells = Vec::new();
    for node in row_cells(xml, row) {
        let properties = xml.child(node, Ns::W, "tcPr");
        let span = number(properties, "gridSpan").unwrap_or(1).clamp(1, 1 << 10);
        let merge = match properties.and_then(|properties| xml.child(properties, Ns::W, "vMerge")) {
            None => Merge::None,
            Some(merge) if xml.value(merge, Ns::W, "val").is_some_and(|value| value == "restart") => {
                Merge::Start
            }
            Some(_) => Merge::Continue,
        };
        cells.push(GridCell { node, column, span, merge });
        column += span;
    }
    cells
}

fn row_cells(xml: &Xml, row: NodeId) -> Vec<NodeId> {
    super::index::visible_descendants(xml, row, |node| {
        xml.parent(node).is_some_and(|parent| xml.is(parent, Ns::W, "tc"))
    })
    .filter(|node| xml.is(*node, Ns::W, "tc"))
    .collect()
}

/// The rows of a table, also those in content controls.
pub(super) fn rows_of(xml: &Xml, table: NodeId) -> Vec<NodeId> {
    super::index::visible_descendants(xml, table, |node| {
        xml.parent(node).is_some_and(|parent| xml.is(parent, Ns::W, "tr"))
    })
    .filter(|node| xml.is(*node, Ns::W, "tr"))
    .collect()
}

/// The rows of the table that a row belongs to, in order.
fn rows_of_table(target: &Target) -> Vec<usize> {
    let table = target.entry().at.rsplit_once('.').map_or("", |(table, _)| table);
    let index = &target.loaded.index;
    let is_row = |position: &usize| {
        let entry = &index.entries[*position];
        entry.kind == EntryKind::Row && entry.at.rsplit_once('.').is_some_and(|(own, _)| own == table)
    };
    (0..index.entries.len()).filter(is_row).collect()
}

fn neighbour_row(target: &Target, position: Position) -> Option<NodeId> {
    let rows = rows_of_table(target);
    let own = rows.iter().position(|row| *row == target.entry)?;
    let other = match position {
        Position::Before => rows.get(own.checked_sub(1)?),
        Position::After => rows.get(own + 1),
    };
    other.map(|entry| target.loaded.index.entries[*entry].node)
}

pub(super) fn next_row(target: &Target) -> Option<NodeId> {
    neighbour_row(target, Position::After)
}

fn is_header(xml: &Xml, row: NodeId) -> bool {
    xml.child(row, Ns::W, "trPr")
        .is_some_and(|properties| super::styles::has_switch(xml, properties, "tblHeader"))
}

/// The row as a child of the table: the control around it, if there is one.
fn outermost(xml: &Xml, row: NodeId) -> Result<NodeId, EditError> {
    let mut outermost = row;
    for ancestor in xml.ancestors(row).take_while(|ancestor| !xml.is(*ancestor, Ns::W, "tbl")) {
        let repeats = xml.child(ancestor, Ns::W, "sdtPr").is_some_and(|properties| {
            xml.children(properties).any(|child| xml.local_name(child).starts_with("repeatingSection"))
        });
        if repeats {
            return Err(would_damage(
                "The row belongs to a repeating section, whose items are controls of their own.".into(),
            )
            .hint("Change the text of the existing rows."));
        }
        outermost = ancestor;
    }
    Ok(outermost)
}

/// Plans a row beside another, made like the row above it (or below, when that one is a heading).
pub(super) fn plan_new_row(
    anchor: &Target,
    position: Position,
    cells: &[String],
    tracking: Option<&Tracking<'_>>,
    splices: &mut Splices,
) -> Result<Written, EditError> {
    let xml = &anchor.loaded.xml;
    let row = anchor.entry().node;
    let (above, below) = match position {
        Position::Before => (neighbour_row(anchor, Position::Before), Some(row)),
        Position::After => (Some(row), None),
    };
    let plain = |row: Option<NodeId>| row.filter(|row| !is_header(xml, *row));
    let template = plain(above).or(plain(below)).or(above).unwrap_or(row);
    let top = outermost(xml, row)?;
    let names = Names::beside(xml, top);
    let new = new_row(anchor, template, below, cells, &names, tracking)?;
    let at = match position {
        Position::Before => xml.span(top).start,
        Position::After => xml.span(top).end,
    };
    splices.insert(at, new.as_str());
    Ok(Written::one(at, new.len()))
}

fn new_row(
    anchor: &Target,
    template: NodeId,
    below: Option<NodeId>,
    texts: &[String],
    names: &Names,
    tracking: Option<&Tracking<'_>>,
) -> Result<String, EditError> {
    let xml = &anchor.loaded.xml;
    let own = cells_of(xml, template);
    if texts.len() > own.len() {
        let message = format!("{} cells were given, but a row there has {}.", texts.len(), own.len());
        return Err(EditError::new(EditErrorKind::OutOfRange, message).hint("Give one text for each cell."));
    }
    let below = below.map(|row| cells_of(xml, row)).unwrap_or_default();
    let covered: Vec<&GridCell> = below.iter().filter(|cell| cell.merge == Merge::Continue).collect();
    let fits = |cell: &&&GridCell| own.iter().any(|own| own.column == cell.column && own.span == cell.span);
    if template_is_cut(&covered, fits) {
        return Err(would_damage(
            "A merged cell reaches through that place and does not fit the row there.".into(),
        ));
    }
    let mut content = String::new();
    for (position, cell) in own.iter().enumerate() {
        let text = texts.get(position).map_or("", String::as_str);
        let is_covered = covered.iter().any(|other| other.column == cell.column);
        if is_covered && !text.is_empty() {
            return Err(would_damage(format!(
                "Cell {} of the new row lies inside a merged cell; text in it would not be seen.",
                position + 1
            ))
            .hint("Give an empty text for that cell."));
        }
        content.push_str(&new_cell(anchor, cell, is_covered, text, names, tracking)?);
    }
    let properties = row_properties(xml, template, names, tracking);
    Ok(format!("<{0}tr{1}>{properties}{content}</{0}tr>", names.element, names.declaration))
}

fn template_is_cut(covered: &[&GridCell], fits: impl Fn(&&&GridCell) -> bool) -> bool {
    covered.iter().any(|cell| !fits(&cell))
}

/// `w:tblPrEx` and `w:trPr` of the template without what is its own.
fn row_properties(xml: &Xml, template: NodeId, names: &Names, tracking: Option<&Tracking<'_>>) -> String {
    let exceptions = xml
        .child(template, Ns::W, "tblPrEx")
        .filter(|exceptions| xml.child(*exceptions, Ns::W, "tblPrExChange").is_none())
        .map_or("", |exceptions| xml.raw(exceptions));
    let is_own = |child: NodeId| {
        matches!(xml.local_name(child), "ins" | "del" | "trPrChange" | "cnfStyle" | "tblHeader" | "divId")
    };
    let mut kept: String = xml
        .child(template, Ns::W, "trPr")
        .into_iter()
        .flat_map(|properties| xml.children(properties))
        .filter(|child| !is_own(*child))
        .map(|child| xml.raw(child))
        .collect();
    if let Some(tracking) = tracking {
        kept.push_str(&tracking.mark("ins", names, Cuts::default()));
    }
    let properties = if kept.is_empty() { String::new() } else { names.wrap("trPr", &kept) };
    format!("{exceptions}{properties}")
}

fn new_cell(
    anchor: &Target,
    cell: &GridCell,
    is_covered: bool,
    text: &str,
    names: &Names,
    tracking: Option<&Tracking<'_>>,
) -> Result<String, EditError> {
    let (xml, index) = (&anchor.loaded.xml, &anchor.loaded.index);
    let mut properties = String::new();
    for child in
        xml.child(cell.node, Ns::W, "tcPr").into_iter().flat_map(|properties| xml.children(properties))
    {
        match xml.local_name(child) {
            "cellIns" | "cellDel" | "cellMerge" | "tcPrChange" | "cnfStyle" => {}
            "vMerge" if is_covered => properties.push_str(&names.empty("vMerge")),
            "vMerge" => {}
            _ => properties.push_str(xml.raw(child)),
        }
    }
    if is_covered && cell.merge == Merge::None {
        return Err(would_damage(
            "A merged cell reaches through that place and does not fit the row there.".into(),
        ));
    }
    let first =
        super::index::visible_descendants(xml, cell.node, |_| false).find(|node| xml.is(*node, Ns::W, "p"));
    let look = first.map(|paragraph| look_like(xml, index, paragraph)).unwrap_or_default();
    let mut inner = Names { declaration: String::new(), ..names.clone() };
    inner.element.clone_from(&names.element);
    let paragraphs: String = super::markup::paragraphs_of(&super::markup::normalized(text))
        .iter()
        .map(|text| look.paragraph(&inner, text, tracking))
        .collect::<Result<_, _>>()?;
    let properties = if properties.is_empty() { String::new() } else { names.wrap("tcPr", &properties) };
    Ok(names.wrap("tc", &format!("{properties}{paragraphs}")))
}

/// What to remove for a row: the row, its control, or the table when it is the only one. Cells merged downwards begin anew in the
/// next row and keep their text.
pub(super) fn plan_row_removal(target: &Target, splices: &mut Splices) -> Result<Removal, EditError> {
    let xml = &target.loaded.xml;
    let row = target.entry().node;
    if rows_of_table(target).len() == 1 {
        let table = xml.ancestors(row).find(|ancestor| xml.is(*ancestor, Ns::W, "tbl"));
        return Ok(Removal::Whole(table.unwrap_or(row)));
    }
    let next = next_row(target).map(|row| cells_of(xml, row)).unwrap_or_default();
    for cell in cells_of(xml, row).iter().filter(|cell| cell.merge == Merge::Start) {
        let follower = next.iter().find(|next| next.column == cell.column && next.merge == Merge::Continue);
        let Some(follower) = follower else { continue };
        if follower.span != cell.span {
            return Err(would_damage(
                "A merged cell there does not have the same width in every row.".into(),
            ));
        }
        promote(target, cell, follower, splices)?;
    }
    outermost(xml, row).map(Removal::Whole)
}

/// The cell below takes over a merged cell's beginning and its content.
fn promote(
    target: &Target,
    cell: &GridCell,
    follower: &GridCell,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let (xml, index) = (&target.loaded.xml, &target.loaded.index);
    let merge =
        xml.child(follower.node, Ns::W, "tcPr").and_then(|properties| xml.child(properties, Ns::W, "vMerge"));
    if let Some(merge) = merge {
        splices.replace(xml.span(merge), Names::at(xml, merge).valued("vMerge", "restart"));
    }
    let content = |cell: NodeId| {
        let whole = xml.content(cell);
        let start = xml.child(cell, Ns::W, "tcPr").map_or(whole.start, |properties| xml.span(properties).end);
        start..whole.end
    };
    let paragraphs = |cell: NodeId| -> Vec<NodeId> { xml.descendants_named(cell, Ns::W, "p").collect() };
    let shows_nothing =
        |cell: NodeId| paragraphs(cell).iter().all(|paragraph| text_of(xml, index, *paragraph).is_empty());
    if shows_nothing(cell.node) {
        return Ok(());
    }
    let holds_anchor = |cell: NodeId| {
        xml.descendants(cell).any(|node| {
            xml.namespace(node) == Ns::W
                && (xml.local_name(node).ends_with("Reference")
                    || xml.local_name(node) == "fldChar"
                    || super::ranges::family(xml, node).is_some())
        })
    };
    if !shows_nothing(follower.node) || holds_anchor(cell.node) {
        return Err(would_damage(
            "The row begins a merged cell whose content cannot move to the next row as it is.".into(),
        )
        .hint("Empty the merged cell first, or delete all rows that it covers."));
    }
    splices.replace(content(follower.node), xml.slice(content(cell.node)));
    Ok(())
}

/// Marks a row and all its text as deleted.
pub(super) fn plan_tracked_removal(
    target: &Target,
    tracking: &Tracking<'_>,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let xml = &target.loaded.xml;
    let row = target.entry().node;
    super::removal::refuse_half_fields(target, &[xml.span(row)])?;
    let names = Names::at(xml, row);
    let mark =
        tracking.mark("del", &names, Cuts { before: xml.child(row, Ns::W, "trPr").is_none(), after: false });
    match xml.child(row, Ns::W, "trPr") {
        Some(properties) if xml.child(properties, Ns::W, "del").is_some() => {
            return Err(would_damage("The row is already marked as deleted.".into()));
        }
        Some(properties) if xml.is_empty_tag(properties) => {
            super::rewrite::fill_empty_tag(xml, properties, &mark, splices);
        }
        Some(properties) => {
            let change = xml.child(properties, Ns::W, "trPrChange");
            let at = change.map_or(xml.content(properties).end, |change| xml.span(change).start);
            splices.insert(at, mark);
        }
        None => {
            // `trPr` follows `tblPrEx` (ECMA-376-1, 17.4.79).
            let exceptions = xml.child(row, Ns::W, "tblPrEx");
            let at = exceptions.map_or(xml.content(row).start, |exceptions| xml.span(exceptions).end);
            splices.insert(at, names.wrap("trPr", &mark));
        }
    }
    let at = format!("{}.", target.entry().at);
    for (_, entry) in target.loaded.index.paragraphs().filter(|(_, entry)| entry.at.starts_with(&at)) {
        tracked_delete::mark_paragraph(xml, entry.node, "del", tracking, splices);
        tracked_delete::runs(xml, entry.node, tracking, splices);
    }
    Ok(())
}
