//! Every place of a workbook that holds a formula, changed by one rule: cells, rules, names, tables, charts, controls, shapes.
//!
//! Used by line edits (for all but the edited sheet's own cells and frame), renamed and deleted sheets, renamed table columns.

use super::{
    address::CellRef,
    grid::CellView,
    parts::{self, PartKind, SheetPart},
    patch::Patch,
    session::Session,
    structure::{
        cells::{self, CellChange},
        shared::{self, GroupRule},
    },
    workbook::{SheetKey, SheetKind},
};
use crate::{
    EditError,
    package::{
        PartName,
        xml::{NodeId, Ns, Xml},
    },
};

/// Where a formula stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Spot {
    Cell(SheetKey, CellRef),
    /// A conditional format or validation.
    Rule(SheetKey),
    Sparkline(SheetKey),
    /// A control, a shape's text link, a picture's source.
    Control(SheetKey),
    Table(SheetKey, String),
    Name(String),
    Chart(PartName),
}

/// A formula's place and the sheet that its bare references mean.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    pub(super) spot: Spot,
    pub(super) home: Option<SheetKey>,
}

/// How one formula changes.
pub(super) type ChangeAt<'f> = dyn FnMut(&str, &Place) -> Option<String> + 'f;

impl Session<'_, '_> {
    /// Changes all formulas that contain `mark`, except the cells and frame of one sheet.
    pub(super) fn change_formulas(
        &mut self,
        except: Option<SheetKey>,
        mark: u8,
        rule: GroupRule<'_>,
        change: &mut ChangeAt<'_>,
    ) -> Result<(), EditError> {
        let sheets: Vec<(SheetKey, SheetKind)> =
            self.book.sheets.iter().map(|entry| (entry.key, entry.kind)).collect();
        for (key, kind) in sheets {
            if Some(key) != except && kind != SheetKind::Chartsheet {
                self.book.load(key)?;
                self.change_cells(key, mark, rule, change)?;
                self.change_frame(key, change)?;
            }
        }
        self.change_names(change)?;
        self.change_parts(change)
    }

    /// Changes the formulas of one sheet, cells and frame.
    pub(super) fn change_sheet_formulas(
        &mut self,
        key: SheetKey,
        mark: u8,
        rule: GroupRule<'_>,
        change: &mut ChangeAt<'_>,
    ) -> Result<(), EditError> {
        self.change_cells(key, mark, rule, change)?;
        self.change_frame(key, change)
    }

    /// Visits the formulas of all cells.
    pub(super) fn each_formula(&mut self, visit: &mut dyn FnMut(&str, &Place)) -> Result<(), EditError> {
        let sheets: Vec<(SheetKey, SheetKind)> =
            self.book.sheets.iter().map(|entry| (entry.key, entry.kind)).collect();
        for (key, _) in sheets.into_iter().filter(|(_, kind)| *kind != SheetKind::Chartsheet) {
            self.book.load(key)?;
            let sheet = self.book.sheet_mut(key)?;
            sheet.grid.flush()?;
            let grid = &sheet.grid;
            let groups = shared::Membership::read(grid)?;
            for row in grid.rows() {
                for cell in grid.cells(row) {
                    let view = CellView { bytes: grid.bytes(), span: cell? };
                    let Some(text) = view.formula_text() else { continue };
                    let at = view.span.at;
                    let place = Place { spot: Spot::Cell(key, at), home: Some(key) };
                    match groups.of(at).filter(|_| text.is_empty()) {
                        Some(group) => visit(&group.text, &place),
                        None => visit(&text, &place),
                    }
                }
            }
        }
        Ok(())
    }

    fn change_cells(
        &mut self,
        key: SheetKey,
        mark: u8,
        rule: GroupRule<'_>,
        change: &mut ChangeAt<'_>,
    ) -> Result<(), EditError> {
        let sheet = self.book.sheet_mut(key)?;
        sheet.grid.flush()?;
        if memchr::memchr(mark, sheet.grid.bytes()).is_none() {
            return Ok(());
        }
        let mut formula = |text: &str, at: CellRef| {
            let place = Place { spot: Spot::Cell(key, at), home: Some(key) };
            if text.as_bytes().contains(&mark) { change(text, &place) } else { None }
        };
        let mut cell_change = CellChange { lines: None, group: rule, formula: &mut formula };
        let (bytes, _) = cells::rewrite(&sheet.grid, &mut cell_change)?;
        match bytes {
            Some(bytes) => sheet.replace_grid(bytes),
            None => Ok(()),
        }
    }

    /// The formulas in the frame of a sheet.
    pub(super) fn change_frame(&mut self, key: SheetKey, change: &mut ChangeAt<'_>) -> Result<(), EditError> {
        let sheet = self.book.sheet_mut(key)?;
        let mut patch = Patch::new(&sheet.frame);
        for node in formula_nodes(&sheet.frame) {
            let spot = if has_ancestor(&sheet.frame, node, "sparklineGroup") {
                Spot::Sparkline(key)
            } else {
                Spot::Rule(key)
            };
            change_text(&mut patch, node, &Place { spot, home: Some(key) }, change)?;
        }
        let attributes: Vec<(NodeId, &str)> = sheet
            .frame
            .descendants(sheet.frame.root())
            .filter(|node| sheet.frame.namespace(*node) == Ns::S)
            .flat_map(|node| formula_attributes(&sheet.frame, node).iter().map(move |name| (node, *name)))
            .collect();
        for (node, name) in attributes {
            let spot = if name == "val" { Spot::Rule(key) } else { Spot::Control(key) };
            change_attribute(&mut patch, node, name, &Place { spot, home: Some(key) }, change)?;
        }
        let splices = patch.finish()?;
        sheet.edit_frame(splices)
    }

    fn change_names(&mut self, change: &mut ChangeAt<'_>) -> Result<(), EditError> {
        let xml = &self.book.xml;
        let mut patch = Patch::new(xml);
        if let Some(list) = xml.child(xml.root(), Ns::S, "definedNames") {
            for element in xml.children_named(list, Ns::S, "definedName") {
                let name = xml.value(element, Ns::None, "name").unwrap_or_default().into_owned();
                change_text(&mut patch, element, &Place { spot: Spot::Name(name), home: None }, change)?;
            }
        }
        let splices = patch.finish()?;
        self.book.edit_workbook(splices)
    }

    fn change_parts(&mut self, change: &mut ChangeAt<'_>) -> Result<(), EditError> {
        let parts = parts::of_all_sheets(&self.book)?;
        self.change_listed_parts(&parts, change)
    }

    /// The formulas in some parts of sheets.
    pub(super) fn change_listed_parts(
        &mut self,
        parts: &[SheetPart],
        change: &mut ChangeAt<'_>,
    ) -> Result<(), EditError> {
        for part in parts {
            let Ok(xml) = self.book.package.xml(&part.part) else { continue };
            let home = Some(part.sheet);
            let mut patch = Patch::new(&xml);
            match part.kind {
                PartKind::Table => {
                    let name = table_name(&xml);
                    for node in xml.descendants(xml.root()) {
                        let is_formula = xml.is(node, Ns::S, "calculatedColumnFormula")
                            || xml.is(node, Ns::S, "totalsRowFormula");
                        if is_formula {
                            let spot = Spot::Table(part.sheet, name.clone());
                            change_text(&mut patch, node, &Place { spot, home }, change)?;
                        }
                    }
                }
                PartKind::Chart => {
                    for node in chart_formula_nodes(&xml) {
                        let spot = Spot::Chart(part.part.clone());
                        change_text(&mut patch, node, &Place { spot, home: None }, change)?;
                    }
                }
                PartKind::Drawing | PartKind::Control | PartKind::Vml => {
                    let place = Place { spot: Spot::Control(part.sheet), home };
                    change_controls(&mut patch, &place, change)?;
                }
                PartKind::SingleCells
                | PartKind::QueryTable
                | PartKind::Comments
                | PartKind::ThreadedComments
                | PartKind::PivotTable => {}
            }
            if !patch.is_empty() {
                let bytes = xml.write(patch.finish()?)?;
                self.book.package.replace(&part.part, bytes)?;
            }
        }
        Ok(())
    }
}

/// Formula links of drawings, form controls and VML shapes.
fn change_controls(patch: &mut Patch<'_>, place: &Place, change: &mut ChangeAt<'_>) -> Result<(), EditError> {
    let xml = patch.xml;
    for node in xml.descendants(xml.root()).collect::<Vec<_>>() {
        if xml.kind(node) != crate::package::xml::NodeKind::Element {
            continue;
        }
        for name in ["textlink", "fmlaLink", "fmlaRange", "fmlaTxbx", "fmlaGroup"] {
            change_attribute(patch, node, name, place, change)?;
        }
        let linked = ["FmlaLink", "FmlaRange", "FmlaTxbx", "FmlaGroup", "FmlaPict"];
        if xml.namespace(node) == Ns::VmlExcel && linked.contains(&xml.local_name(node)) {
            change_text(patch, node, place, change)?;
        }
    }
    Ok(())
}

/// Elements of a sheet's frame whose text is a formula.
fn formula_nodes(xml: &Xml) -> Vec<NodeId> {
    let is_formula = |node: &NodeId| {
        xml.is(*node, Ns::Xm, "f")
            || ["formula", "formula1", "formula2"].iter().any(|name| xml.is(*node, Ns::S, name))
    };
    xml.descendants(xml.root()).filter(is_formula).collect()
}

/// Attributes of an element of a sheet's frame that hold formulas.
fn formula_attributes(xml: &Xml, node: NodeId) -> &'static [&'static str] {
    match xml.local_name(node) {
        "cfvo" if xml.value(node, Ns::None, "type").as_deref() == Some("formula") => &["val"],
        "controlPr" => &["linkedCell", "listFillRange"],
        "oleObject" => &["link"],
        _ => &[],
    }
}

/// Elements of a chart whose text is a formula.
pub(super) fn chart_formula_nodes(xml: &Xml) -> Vec<NodeId> {
    let is_formula = |node: &NodeId| {
        [Ns::C, Ns::C15, Ns::Cx].iter().any(|namespace| xml.is(*node, *namespace, "f"))
            || xml.is(*node, Ns::C15, "sqref")
    };
    xml.descendants(xml.root()).filter(is_formula).collect()
}

fn has_ancestor(xml: &Xml, node: NodeId, local: &str) -> bool {
    xml.ancestors(node).any(|ancestor| xml.local_name(ancestor) == local)
}

pub(super) fn table_name(xml: &Xml) -> String {
    let value = |name| xml.value(xml.root(), Ns::None, name);
    value("displayName").or_else(|| value("name")).unwrap_or_default().into_owned()
}

fn change_text(
    patch: &mut Patch<'_>,
    node: NodeId,
    place: &Place,
    change: &mut ChangeAt<'_>,
) -> Result<(), EditError> {
    let text = patch.xml.text(node).into_owned();
    match change(&text, place) {
        Some(new) => patch.set_text(node, &new),
        None => Ok(()),
    }
}

fn change_attribute(
    patch: &mut Patch<'_>,
    node: NodeId,
    name: &str,
    place: &Place,
    change: &mut ChangeAt<'_>,
) -> Result<(), EditError> {
    let Some(text) = patch.value(node, name).filter(|text| !text.is_empty()) else { return Ok(()) };
    match change(&text, place) {
        Some(new) => patch.set(node, name, &new),
        None => Ok(()),
    }
}
