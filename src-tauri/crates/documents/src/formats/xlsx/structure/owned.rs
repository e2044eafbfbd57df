//! The parts that hang on the edited sheet: tables, comments and their boxes, drawings, pivots; and pivot caches that read from it.

use super::{
    anchors::{Follow, Marker, marker, markers, shift_drawing},
    frame::shift_filter,
    impact::Impact,
};
use crate::{
    EditError,
    error::EditErrorKind,
    formats::xlsx::{
        address::{Area, Axis, CellRef, same_name},
        cells::{self, Content, Value},
        formula::{LineEdit, Verb},
        parts::{self, PartKind},
        patch::Patch,
        places::table_name,
        session::Session,
        workbook::SheetKey,
    },
    package::{
        PartName,
        xml::{NodeId, Ns, Xml, escape_attribute},
    },
};

impl Session<'_, '_> {
    pub(super) fn edit_owned_parts(
        &mut self,
        key: SheetKey,
        edit: &LineEdit,
        impact: &mut Impact,
    ) -> Result<(), EditError> {
        for part in parts::of_sheet(&self.book, key)? {
            match part.kind {
                PartKind::Table => self.edit_table(key, &part.part, edit, impact)?,
                PartKind::SingleCells => {
                    self.patch_part(&part.part, |patch| single_cells(patch, edit))?;
                }
                PartKind::Comments | PartKind::ThreadedComments => {
                    let changed = self.patch_part(&part.part, |patch| comments(patch, edit))?;
                    impact.comments += usize::from(changed);
                }
                PartKind::Drawing => {
                    let changed = self.patch_part(&part.part, |patch| shift_drawing(patch, edit))?;
                    impact.anchors += usize::from(changed);
                }
                PartKind::Vml => {
                    self.patch_part(&part.part, |patch| vml(patch, edit))?;
                }
                PartKind::PivotTable => {
                    self.patch_part(&part.part, |patch| pivot_location(patch, edit))?;
                }
                PartKind::QueryTable | PartKind::Control | PartKind::Chart => {}
            }
        }
        Ok(())
    }

    /// Changes one part; whether it changed.
    fn patch_part(
        &mut self,
        part: &PartName,
        plan: impl FnOnce(&mut Patch<'_>) -> Result<(), EditError>,
    ) -> Result<bool, EditError> {
        let xml = self.book.package.xml(part).map_err(|error| {
            let message = format!("Something on the sheet cannot be moved along: {error}");
            EditError::new(EditErrorKind::WouldDamage, message)
        })?;
        let mut patch = Patch::new(&xml);
        plan(&mut patch)?;
        if patch.is_empty() {
            return Ok(false);
        }
        let bytes = xml.write(patch.finish()?)?;
        self.book.package.replace(part, bytes)?;
        Ok(true)
    }

    fn edit_table(
        &mut self,
        key: SheetKey,
        part: &PartName,
        edit: &LineEdit,
        impact: &mut Impact,
    ) -> Result<(), EditError> {
        let xml = self.book.package.xml(part)?;
        let mut patch = Patch::new(&xml);
        let root = xml.root();
        let Some(area) = patch.value(root, "ref").and_then(|text| Area::parse(&text)) else { return Ok(()) };
        let Some(moved) = edit.area(area) else { return self.delete_table(key, part, &table_name(&xml)) };
        if moved == area {
            return Ok(());
        }
        patch.set(root, "ref", &moved.corners())?;
        impact.tables += 1;
        let children: Vec<NodeId> = xml.children(root).collect();
        for child in children {
            match xml.local_name(child) {
                "autoFilter" => shift_filter(&mut patch, child, edit)?,
                "sortState" => sort_state(&mut patch, child, edit)?,
                _ => {}
            }
        }
        let mut headers = Vec::new();
        let mut dead = Vec::new();
        if edit.axis == Axis::Cols && moved.cols() != area.cols() {
            (headers, dead) = table_columns(&mut patch, &xml, area, edit)?;
        }
        let name = table_name(&xml);
        let has_header = patch.value(root, "headerRowCount").as_deref() != Some("0");
        let bytes = xml.write(patch.finish()?)?;
        self.book.package.replace(part, bytes)?;
        for (col, header) in headers.iter().filter(|_| has_header) {
            self.write_header(key, CellRef::new(moved.first.row, *col), header)?;
        }
        for column in dead {
            self.rename_table_column(key, &name, &column, None)?;
        }
        Ok(())
    }

    /// The header cell of a new table column: its text must be the column's name (18.5.1.3).
    fn write_header(&mut self, key: SheetKey, at: CellRef, header: &str) -> Result<(), EditError> {
        let sheet = self.book.sheet_mut(key)?;
        let neighbour = at.col.checked_sub(1).filter(|col| *col > 0).map(|col| CellRef::new(at.row, col));
        let style = match neighbour {
            Some(neighbour) => sheet.cell(neighbour)?.map(|cell| cell.span.style),
            None => None,
        };
        let content = Content::Value(Value::Text(header.to_owned()));
        let element = cells::element(&sheet.grid.prefix, at, None, style, &content)?;
        sheet.grid.put(at, element);
        sheet.grid.flush()
    }

    /// Sources of pivot caches that name the edited sheet and an area of it.
    pub(super) fn edit_pivot_caches(&mut self, name: &str, edit: &LineEdit) -> Result<(), EditError> {
        for part in parts::pivot_caches(&self.book)? {
            self.patch_part(&part, |patch| {
                let nodes: Vec<NodeId> = patch.xml.descendants(patch.xml.root()).collect();
                for node in nodes {
                    let is_source =
                        patch.xml.is(node, Ns::S, "worksheetSource") || patch.xml.is(node, Ns::S, "rangeSet");
                    let here = is_source
                        && patch.value(node, "sheet").is_some_and(|sheet| same_name(&sheet, name))
                        && patch.value(node, "name").is_none()
                        && patch.xml.value(node, Ns::R, "id").is_none();
                    let area = patch.value(node, "ref").and_then(|text| Area::parse(&text));
                    if let Some(moved) = area.filter(|_| here).and_then(|area| edit.area(area)) {
                        patch.set(node, "ref", &moved.corners())?;
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

fn sort_state(patch: &mut Patch<'_>, node: NodeId, edit: &LineEdit) -> Result<(), EditError> {
    let nodes: Vec<NodeId> = patch.xml.descendants(node).collect();
    for node in nodes {
        if !matches!(patch.xml.local_name(node), "sortState" | "sortCondition") {
            continue;
        }
        let Some(area) = patch.value(node, "ref").and_then(|text| Area::parse(&text)) else { continue };
        match edit.area(area) {
            Some(moved) => patch.set(node, "ref", &moved.corners())?,
            None => patch.remove(node),
        }
    }
    Ok(())
}

type Headers = Vec<(u32, String)>;

/// `tableColumn`s for inserted and deleted columns; the new headers by column, and the names that went.
fn table_columns(
    patch: &mut Patch<'_>,
    xml: &Xml,
    area: Area,
    edit: &LineEdit,
) -> Result<(Headers, Vec<String>), EditError> {
    let Some(list) = xml.child(xml.root(), Ns::S, "tableColumns") else {
        return Ok((Vec::new(), Vec::new()));
    };
    let columns: Vec<NodeId> = xml.children_named(list, Ns::S, "tableColumn").collect();
    let mut names: Vec<String> =
        columns.iter().map(|column| patch.value(*column, "name").unwrap_or_default()).collect();
    let mut dead = Vec::new();
    if edit.verb == Verb::Delete {
        for (position, column) in columns.iter().enumerate() {
            if edit.line(area.first.col + position as u32).is_none() {
                patch.remove(*column);
                dead.push(names[position].clone());
            }
        }
        return Ok((Vec::new(), dead));
    }
    let ids = columns.iter().filter_map(|column| patch.value(*column, "id")?.parse::<u32>().ok());
    let mut id = ids.max().unwrap_or(0);
    let mut headers = Vec::new();
    let mut markup = String::new();
    for offset in 0..edit.count {
        id += 1;
        let name = unused_column_name(&names);
        markup.push_str(&format!(
            "<{}tableColumn id=\"{id}\" name=\"{}\"/>",
            xml.prefix(list),
            escape_attribute(&name)?
        ));
        headers.push((edit.at + offset, name.clone()));
        names.push(name);
    }
    let before = columns.get((edit.at - area.first.col) as usize);
    let place = before.map_or(xml.content(list).end, |column| xml.span(*column).start);
    patch.insert(place, markup);
    if patch.value(list, "count").is_some() {
        patch.set(list, "count", &(columns.len() + edit.count as usize).to_string())?;
    }
    Ok((headers, dead))
}

/// `Column1` and so on, unique without case as Excel wants it.
fn unused_column_name(names: &[String]) -> String {
    let mut number = 1;
    loop {
        let name = format!("Column{number}");
        if !names.iter().any(|taken| same_name(taken, &name)) {
            return name;
        }
        number += 1;
    }
}

fn single_cells(patch: &mut Patch<'_>, edit: &LineEdit) -> Result<(), EditError> {
    let nodes: Vec<NodeId> = patch.xml.descendants_named(patch.xml.root(), Ns::S, "singleXmlCell").collect();
    for node in nodes {
        let Some(cell) = patch.value(node, "r").and_then(|text| CellRef::parse(&text)) else { continue };
        match edit.cell(cell) {
            Some(moved) => patch.set(node, "r", &moved.to_string())?,
            None => patch.remove(node),
        }
    }
    Ok(())
}

/// Comments and their threaded twins go with their cells.
fn comments(patch: &mut Patch<'_>, edit: &LineEdit) -> Result<(), EditError> {
    let xml = patch.xml;
    let nodes: Vec<NodeId> = xml
        .descendants(xml.root())
        .filter(|node| {
            xml.is(*node, Ns::S, "comment") || xml.is(*node, Ns::ThreadedComments, "threadedComment")
        })
        .collect();
    for node in nodes {
        let Some(cell) = patch.value(node, "ref").and_then(|text| CellRef::parse(&text)) else { continue };
        match edit.cell(cell) {
            Some(moved) => patch.set(node, "ref", &moved.to_string())?,
            None => patch.remove(node),
        }
    }
    Ok(())
}

/// Notes' boxes and form controls in a VML drawing.
fn vml(patch: &mut Patch<'_>, edit: &LineEdit) -> Result<(), EditError> {
    let xml = patch.xml;
    let shapes: Vec<NodeId> = xml.descendants_named(xml.root(), Ns::VmlExcel, "ClientData").collect();
    for data in shapes {
        let child = |name: &str| xml.child(data, Ns::VmlExcel, name);
        let number = |name: &str| xml.text(child(name)?).trim().parse::<u32>().ok();
        let is_note = patch.value(data, "ObjectType").as_deref() == Some("Note");
        let (row, col) = (number("Row"), number("Column"));
        let mut follow = match (child("MoveWithCells"), child("SizeWithCells")) {
            // In this format the elements say that the object does *not* move or size (MS-OE376, 2.4.58).
            (None, None) => Follow::MoveAndSize,
            (None, Some(_)) => Follow::Move,
            (Some(_), _) => Follow::Stay,
        };
        let mut shifted_by = None;
        if let (true, Some(row), Some(col)) = (is_note, row, col) {
            let cell = CellRef::new(row + 1, col + 1);
            let Some(moved) = edit.cell(cell) else {
                let shape = xml.ancestors(data).find(|node| xml.namespace(*node) == Ns::V);
                patch.remove(shape.unwrap_or(data));
                continue;
            };
            for (name, value) in [("Row", moved.row - 1), ("Column", moved.col - 1)] {
                if let Some(node) = child(name) {
                    patch.set_text(node, &value.to_string())?;
                }
            }
            // The box stays beside its cell.
            follow = Follow::Move;
            shifted_by = Some(i64::from(moved.on(edit.axis)) - i64::from(cell.on(edit.axis)));
        }
        if let Some(anchor) = child("Anchor") {
            let text = xml.text(anchor).into_owned();
            if let Some(new) = vml_anchor(&text, edit, follow, shifted_by) {
                patch.set_text(anchor, &new)?;
            }
        }
    }
    Ok(())
}

/// `left column, offset, top row, offset, right column, offset, bottom row, offset`, each from 0.
fn vml_anchor(text: &str, edit: &LineEdit, follow: Follow, shifted_by: Option<i64>) -> Option<String> {
    let mut fields: Vec<i64> =
        text.split(',').map(|field| field.trim().parse().ok()).collect::<Option<_>>()?;
    if fields.len() != 8 {
        return None;
    }
    let (from, to) = match edit.axis {
        Axis::Cols => (0, 4),
        Axis::Rows => (2, 6),
    };
    let before = fields.clone();
    match shifted_by {
        Some(by) => {
            fields[from] += by;
            fields[to] += by;
        }
        None => {
            let line = |at: usize| u32::try_from(before[at]).ok();
            let (new_from, new_to) = markers(edit, follow, line(from)?, line(to));
            let mut put = |at: usize, marker: Marker| {
                fields[at] = i64::from(marker.line);
                if !marker.keeps_offset {
                    fields[at + 1] = 0;
                }
            };
            put(from, new_from);
            put(to, new_to.unwrap_or_else(|| marker(edit, line(to).unwrap_or(0))));
        }
    }
    let moved = fields.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    (fields != before && fields.iter().all(|field| *field >= 0)).then_some(moved)
}

fn pivot_location(patch: &mut Patch<'_>, edit: &LineEdit) -> Result<(), EditError> {
    let Some(location) = patch.xml.child(patch.xml.root(), Ns::S, "location") else { return Ok(()) };
    let Some(area) = patch.value(location, "ref").and_then(|text| Area::parse(&text)) else { return Ok(()) };
    match edit.area(area) {
        Some(moved) => patch.set(location, "ref", &moved.corners()),
        None => Ok(()),
    }
}
