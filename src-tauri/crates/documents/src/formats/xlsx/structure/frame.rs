//! The frame of the edited sheet: every element of a worksheet that names cells, in schema order (ooxml D1, first table).
//!
//! Formulas of rules are relative to the first cell of their first area; when that cell is deleted they are read anew from the
//! first one that stays. What dies is removed with its list.

use crate::{
    EditError,
    formats::xlsx::{
        address::{Area, Axis, CellRef, parse_areas, write_areas},
        formula::{
            LineEdit, Verb,
            rewrite::{OffSheet, translate},
        },
        patch::Patch,
    },
    package::xml::{NodeId, Ns},
};

/// What the frame tells the rest of the edit.
#[derive(Debug, Default)]
pub(in crate::formats::xlsx) struct FrameReport {
    /// Relationships of hyperlinks that went.
    pub(in crate::formats::xlsx) links_gone: Vec<String>,
    /// In-file link targets that point into the edited sheet and were left.
    pub(in crate::formats::xlsx) link_targets: Vec<String>,
    /// Rules (formats, validations) that moved or changed.
    pub(in crate::formats::xlsx) rules: usize,
}

/// How a formula of the frame changes.
pub(in crate::formats::xlsx) type ChangeText<'f> = dyn FnMut(&str) -> Option<String> + 'f;

/// Plans all changes of the frame of the edited sheet.
pub(in crate::formats::xlsx) fn shift_frame(
    patch: &mut Patch<'_>,
    edit: &LineEdit,
    formula: &mut ChangeText<'_>,
) -> Result<FrameReport, EditError> {
    let mut walker = Walker { patch, edit, formula, report: FrameReport::default() };
    let root = walker.patch.xml.root();
    walker.children(root)?;
    Ok(walker.report)
}

struct Walker<'p, 'x, 'f> {
    patch: &'p mut Patch<'x>,
    edit: &'p LineEdit,
    formula: &'p mut ChangeText<'f>,
    report: FrameReport,
}

impl Walker<'_, '_, '_> {
    fn children(&mut self, parent: NodeId) -> Result<(), EditError> {
        let children: Vec<NodeId> = self.patch.xml.children(parent).collect();
        children.into_iter().try_for_each(|child| self.element(child))
    }

    fn element(&mut self, node: NodeId) -> Result<(), EditError> {
        let namespace = self.patch.xml.namespace(node);
        let local = self.patch.xml.local_name(node).to_owned();
        match (namespace, local.as_str()) {
            (Ns::S, "dimension") => self.dimension(node)?,
            (Ns::S, "sheetView" | "customSheetView") => self.view(node)?,
            (Ns::S, "pane") => self.pane(node)?,
            (Ns::S, "selection") => self.selection(node)?,
            (Ns::S, "pivotSelection") => self.patch.remove(node),
            (Ns::S, "cols") => self.columns(node)?,
            (Ns::S, "mergeCell") => self.merge(node)?,
            (Ns::S, "protectedRange" | "ignoredError") => self.areas(node)?,
            (Ns::S, "scenarios") => self.scenarios(node)?,
            (Ns::S, "inputCells" | "cellWatch" | "cellSmartTags") => self.single(node, "r")?,
            (Ns::S, "autoFilter") => return self.filter(node),
            (Ns::S, "sortState" | "sortCondition") => self.reference(node)?,
            (Ns::S, "conditionalFormatting") => return self.rules(node),
            (Ns::S, "dataValidation") => return self.rules(node),
            (Ns::X14, "conditionalFormatting" | "dataValidation") => return self.extension_rules(node),
            (Ns::X14, "protectedRange" | "ignoredError") => return self.extension_areas(node),
            (Ns::X14, "sparkline") => return self.sparkline(node),
            (Ns::X14, "sparklineGroup") => self.group_date_axis(node)?,
            (Ns::S, "hyperlink") => self.hyperlink(node)?,
            (Ns::S, "rowBreaks") => return self.breaks(node, Axis::Rows),
            (Ns::S, "colBreaks") => return self.breaks(node, Axis::Cols),
            (Ns::S, "control" | "oleObject" | "controlPr" | "objectPr") => self.control(node)?,
            (Ns::S, "anchor") => return super::anchors::worksheet_anchor(self.patch, node, self.edit),
            (Ns::S, "webPublishItem") => self.web_publish(node)?,
            _ => {}
        }
        if self.patch.is_removed(node) { Ok(()) } else { self.children(node) }
    }

    fn dimension(&mut self, node: NodeId) -> Result<(), EditError> {
        let Some(area) = self.patch.value(node, "ref").and_then(|text| Area::parse(&text)) else {
            return Ok(());
        };
        let (first, last) = area.on(self.edit.axis);
        let moved = match self.edit.area(area) {
            Some(moved) => moved,
            // All of it is gone: what stays is at most one line, and a dimension may be too large.
            None => {
                let line = first.min(self.edit.at).max(1);
                area.with(self.edit.axis, line.min(last), line.min(last))
            }
        };
        self.patch.set(node, "ref", &moved.corners())
    }

    /// `topLeftCell`: the view keeps showing what it showed.
    fn view(&mut self, node: NodeId) -> Result<(), EditError> {
        self.top_left(node)
    }

    fn top_left(&mut self, node: NodeId) -> Result<(), EditError> {
        let Some(cell) = self.patch.value(node, "topLeftCell").and_then(|text| CellRef::parse(&text)) else {
            return Ok(());
        };
        let moved = self.surviving(cell, Edge::Before);
        self.patch.set(node, "topLeftCell", &moved.to_string())
    }

    /// A cell for views: deleted ones slide to the first line behind, and lines inserted right before the first one shown are shown.
    fn surviving(&self, cell: CellRef, edge: Edge) -> CellRef {
        let line = cell.on(self.edit.axis);
        let stays = self.edit.verb == Verb::Insert && line == self.edit.at && edge == Edge::Before;
        let line = if stays {
            line
        } else {
            self.edit.line(line).unwrap_or(self.edit.at.min(self.edit.axis.last()))
        };
        match self.edit.axis {
            Axis::Rows => CellRef::new(line, cell.col),
            Axis::Cols => CellRef::new(cell.row, line),
        }
    }

    /// Frozen panes: lines inserted inside the frozen band widen it, deleted ones narrow it.
    fn pane(&mut self, node: NodeId) -> Result<(), EditError> {
        let frozen = matches!(self.patch.value(node, "state").as_deref(), Some("frozen" | "frozenSplit"));
        let name = match self.edit.axis {
            Axis::Rows => "ySplit",
            Axis::Cols => "xSplit",
        };
        let split = self.patch.value(node, name).and_then(|text| text.parse::<f64>().ok());
        let view = self.patch.xml.parent(node);
        let top = view
            .and_then(|view| self.patch.value(view, "topLeftCell"))
            .and_then(|text| CellRef::parse(&text))
            .map_or(1, |cell| cell.on(self.edit.axis));
        if let Some(split) = split.filter(|split| frozen && *split >= 1.0) {
            let first = top;
            let last = top + split as u32 - 1;
            let now = match self.edit.verb {
                Verb::Insert if self.edit.at >= first && self.edit.at <= last => {
                    split as u32 + self.edit.count
                }
                Verb::Insert => split as u32,
                Verb::Delete => {
                    let cut_first = first.max(self.edit.at);
                    let cut_last = last.min(self.edit.end());
                    split as u32 - (cut_last + 1).saturating_sub(cut_first).min(split as u32)
                }
            };
            if now == 0 {
                // A pane without frozen lines on this axis loses the attribute; without any it would be no pane.
                self.patch.drop_attribute(node, name);
            } else {
                self.patch.set(node, name, &now.to_string())?;
            }
        }
        self.top_left(node)
    }

    fn selection(&mut self, node: NodeId) -> Result<(), EditError> {
        let old = self.patch.value(node, "sqref").map_or(Vec::new(), |text| parse_areas(&text));
        let moved: Vec<Area> = old.iter().filter_map(|area| self.edit.area(*area)).collect();
        let active = self.patch.value(node, "activeCell").and_then(|text| CellRef::parse(&text));
        if let (Some(first), []) = (old.first(), moved.as_slice()) {
            // The active cell must lie in the selection (18.3.1.78), which is one cell now.
            let cell = self.surviving(first.first, Edge::None).to_string();
            self.patch.set(node, "activeCell", &cell)?;
            return self.patch.set(node, "sqref", &cell);
        }
        if let Some(cell) = active {
            let cell = self.surviving(cell, Edge::None);
            self.patch.set(node, "activeCell", &cell.to_string())?;
        }
        if moved == old { Ok(()) } else { self.patch.set(node, "sqref", &write_areas(&moved)) }
    }

    /// Column widths: shifted, and cut where lines go; a new column has none of its own unless it falls inside a run.
    fn columns(&mut self, list: NodeId) -> Result<(), EditError> {
        if self.edit.axis != Axis::Cols {
            return Ok(());
        }
        let items: Vec<NodeId> = self.patch.xml.children_named(list, Ns::S, "col").collect();
        for item in items {
            let bound = |name| self.patch.value(item, name).and_then(|text| text.parse::<u32>().ok());
            let (Some(min), Some(max)) = (bound("min"), bound("max")) else { continue };
            match self.edit.lines(min, max) {
                Some((min, max)) => {
                    self.patch.set(item, "min", &min.to_string())?;
                    self.patch.set(item, "max", &max.to_string())?;
                }
                None => self.patch.remove(item),
            }
        }
        Ok(())
    }

    fn merge(&mut self, node: NodeId) -> Result<(), EditError> {
        let Some(area) = self.patch.value(node, "ref").and_then(|text| Area::parse(&text)) else {
            return Ok(());
        };
        match self.edit.area(area).filter(|area| area.size() > 1) {
            Some(moved) if moved != area => self.patch.set(node, "ref", &moved.corners()),
            Some(_) => Ok(()),
            None => {
                self.patch.remove(node);
                Ok(())
            }
        }
    }

    /// An element with `sqref` that goes when its last area dies.
    fn areas(&mut self, node: NodeId) -> Result<(), EditError> {
        let Some(text) = self.patch.value(node, "sqref") else { return Ok(()) };
        match self.moved_areas(&text) {
            None => Ok(()),
            Some(moved) if moved.is_empty() => {
                self.patch.remove(node);
                Ok(())
            }
            Some(moved) => self.patch.set(node, "sqref", &write_areas(&moved)),
        }
    }

    /// The areas afterwards; `None` when nothing changes.
    fn moved_areas(&self, text: &str) -> Option<Vec<Area>> {
        let old = parse_areas(text);
        let moved: Vec<Area> = old.iter().filter_map(|area| self.edit.area(*area)).collect();
        (moved != old).then_some(moved)
    }

    fn scenarios(&mut self, node: NodeId) -> Result<(), EditError> {
        let Some(text) = self.patch.value(node, "sqref") else { return Ok(()) };
        match self.moved_areas(&text) {
            Some(moved) if moved.is_empty() => {
                self.patch.drop_attribute(node, "sqref");
                Ok(())
            }
            Some(moved) => self.patch.set(node, "sqref", &write_areas(&moved)),
            None => Ok(()),
        }
    }

    /// An element that stands for one cell (or area) and goes with it.
    fn single(&mut self, node: NodeId, name: &str) -> Result<(), EditError> {
        let Some(area) = self.patch.value(node, name).and_then(|text| Area::parse(&text)) else {
            return Ok(());
        };
        match self.edit.area(area) {
            Some(moved) if moved != area => self.patch.set(node, name, &moved.corners()),
            Some(_) => Ok(()),
            None => {
                self.patch.remove(node);
                Ok(())
            }
        }
    }

    fn reference(&mut self, node: NodeId) -> Result<(), EditError> {
        self.single(node, "ref")
    }

    fn filter(&mut self, node: NodeId) -> Result<(), EditError> {
        shift_filter(self.patch, node, self.edit)
    }

    /// `conditionalFormatting` and `dataValidation`: areas in `sqref`, formulas inside.
    fn rules(&mut self, node: NodeId) -> Result<(), EditError> {
        let Some(text) = self.patch.value(node, "sqref") else { return Ok(()) };
        let moved = self.moved_areas(&text);
        if moved.as_ref().is_some_and(Vec::is_empty) {
            self.patch.remove(node);
            self.report.rules += 1;
            return Ok(());
        }
        let base = self.base(&text);
        let mut changed = moved.is_some();
        if let Some(moved) = moved {
            self.patch.set(node, "sqref", &write_areas(&moved))?;
        }
        let inside: Vec<NodeId> = self.patch.xml.descendants(node).filter(|n| *n != node).collect();
        for inner in inside {
            let xml = self.patch.xml;
            let is_formula =
                ["formula", "formula1", "formula2"].iter().any(|name| xml.is(inner, Ns::S, name));
            if is_formula || xml.is(inner, Ns::Xm, "f") {
                changed |= self.rule_text(inner, base)?;
            } else if xml.is(inner, Ns::Xm, "sqref") {
                self.areas_text(inner)?;
            } else if xml.is(inner, Ns::S, "cfvo")
                && self.patch.value(inner, "type").as_deref() == Some("formula")
            {
                let Some(text) = self.patch.value(inner, "val") else { continue };
                if let Some(new) = self.rebased(&text, base) {
                    self.patch.set(inner, "val", &new)?;
                    changed = true;
                }
            }
        }
        self.report.rules += usize::from(changed);
        Ok(())
    }

    /// The x14 twins: areas in `xm:sqref`, formulas in `xm:f`.
    fn extension_rules(&mut self, node: NodeId) -> Result<(), EditError> {
        let Some(areas) =
            self.patch.xml.children(node).find(|child| self.patch.xml.is(*child, Ns::Xm, "sqref"))
        else {
            return Ok(());
        };
        let text = self.patch.xml.text(areas).into_owned();
        let moved = self.moved_areas(&text);
        if moved.as_ref().is_some_and(Vec::is_empty) {
            self.patch.remove(node);
            self.report.rules += 1;
            return Ok(());
        }
        let base = self.base(&text);
        let mut changed = moved.is_some();
        if let Some(moved) = moved {
            self.patch.set_text(areas, &write_areas(&moved))?;
        }
        let formulas: Vec<NodeId> = self.patch.xml.descendants_named(node, Ns::Xm, "f").collect();
        for formula in formulas {
            changed |= self.rule_text(formula, base)?;
        }
        self.report.rules += usize::from(changed);
        Ok(())
    }

    fn extension_areas(&mut self, node: NodeId) -> Result<(), EditError> {
        let found = self.patch.xml.descendants(node).find(|child| self.patch.xml.is(*child, Ns::Xm, "sqref"));
        if let Some(areas) = found {
            let text = self.patch.xml.text(areas).into_owned();
            match self.moved_areas(&text) {
                Some(moved) if moved.is_empty() => self.patch.remove(node),
                Some(moved) => self.patch.set_text(areas, &write_areas(&moved))?,
                None => {}
            }
        }
        self.areas(node)
    }

    fn areas_text(&mut self, node: NodeId) -> Result<(), EditError> {
        let text = self.patch.xml.text(node).into_owned();
        match self.moved_areas(&text) {
            Some(moved) if !moved.is_empty() => self.patch.set_text(node, &write_areas(&moved)),
            Some(_) | None => Ok(()),
        }
    }

    /// How far the cell that a rule's formulas are read from moves to the one that is first afterwards.
    fn base(&self, sqref: &str) -> (i64, i64) {
        let old = parse_areas(sqref);
        let Some(first) = old.first().map(|area| area.first) else { return (0, 0) };
        let Some(kept) = old.iter().find(|area| self.edit.area(**area).is_some()) else { return (0, 0) };
        let mut anchor = kept.first;
        let deleted = self.edit.verb == Verb::Delete
            && (self.edit.at..=self.edit.end()).contains(&anchor.on(self.edit.axis));
        if deleted && !(kept.is_columns() || kept.is_rows()) {
            match self.edit.axis {
                Axis::Rows => anchor.row = self.edit.end() + 1,
                Axis::Cols => anchor.col = self.edit.end() + 1,
            }
        }
        (i64::from(anchor.row) - i64::from(first.row), i64::from(anchor.col) - i64::from(first.col))
    }

    fn rebased(&mut self, text: &str, (rows, cols): (i64, i64)) -> Option<String> {
        let read = if (rows, cols) == (0, 0) {
            text.to_owned()
        } else {
            translate(text, rows, cols, OffSheet::Wrap)
        };
        let new = (self.formula)(&read).unwrap_or(read);
        (new != text).then_some(new)
    }

    fn rule_text(&mut self, node: NodeId, base: (i64, i64)) -> Result<bool, EditError> {
        let text = self.patch.xml.text(node).into_owned();
        match self.rebased(&text, base) {
            Some(new) => self.patch.set_text(node, &new).map(|()| true),
            None => Ok(false),
        }
    }

    fn sparkline(&mut self, node: NodeId) -> Result<(), EditError> {
        let children: Vec<NodeId> = self.patch.xml.children(node).collect();
        for child in children {
            if self.patch.xml.is(child, Ns::Xm, "sqref") {
                let text = self.patch.xml.text(child).into_owned();
                match self.moved_areas(&text) {
                    Some(moved) if moved.is_empty() => self.patch.remove(node),
                    Some(moved) => self.patch.set_text(child, &write_areas(&moved))?,
                    None => {}
                }
            } else if self.patch.xml.is(child, Ns::Xm, "f") {
                self.rule_text(child, (0, 0))?;
            }
        }
        Ok(())
    }

    fn group_date_axis(&mut self, node: NodeId) -> Result<(), EditError> {
        let own: Vec<NodeId> =
            self.patch.xml.children(node).filter(|child| self.patch.xml.is(*child, Ns::Xm, "f")).collect();
        own.into_iter().try_for_each(|child| self.rule_text(child, (0, 0)).map(drop))?;
        // A group whose last sparkline goes has only its colours left; its list is emptied with `sparklines`.
        Ok(())
    }

    fn hyperlink(&mut self, node: NodeId) -> Result<(), EditError> {
        if let Some(target) = self.patch.value(node, "location") {
            self.report.link_targets.push(target);
        }
        let relationship = self.patch.xml.value(node, Ns::R, "id").map(|id| id.into_owned());
        self.reference(node)?;
        if self.patch.is_removed(node) {
            self.report.links_gone.extend(relationship);
        }
        Ok(())
    }

    /// Page breaks stand before line `id` + 1; `min` and `max` are lines of the other axis, counted from 0.
    fn breaks(&mut self, list: NodeId, axis: Axis) -> Result<(), EditError> {
        let items: Vec<NodeId> = self.patch.xml.children_named(list, Ns::S, "brk").collect();
        for item in items {
            let bound = |name| self.patch.value(item, name).and_then(|text| text.parse::<u32>().ok());
            if axis == self.edit.axis {
                let Some(id) = bound("id").filter(|id| *id > 0) else { continue };
                match self.edit.line(id + 1) {
                    Some(moved) if moved > 1 => self.patch.set(item, "id", &(moved - 1).to_string())?,
                    _ => self.patch.remove(item),
                }
            } else if let Some(max) = bound("max") {
                let min = bound("min").unwrap_or(0);
                let last = self.edit.axis.last();
                if min == 0 && max + 1 >= last {
                    continue;
                }
                match self.edit.lines(min + 1, (max + 1).min(last)) {
                    Some((min, max)) => {
                        if bound("min").is_some() {
                            self.patch.set(item, "min", &(min - 1).to_string())?;
                        }
                        self.patch.set(item, "max", &(max - 1).to_string())?;
                    }
                    None => self.patch.remove(item),
                }
            }
        }
        Ok(())
    }

    fn control(&mut self, node: NodeId) -> Result<(), EditError> {
        for name in ["linkedCell", "listFillRange", "link"] {
            let Some(text) = self.patch.value(node, name) else { continue };
            if let Some(new) = (self.formula)(&text) {
                self.patch.set(node, name, &new)?;
            }
        }
        Ok(())
    }

    fn web_publish(&mut self, node: NodeId) -> Result<(), EditError> {
        let Some(area) = self.patch.value(node, "sourceRef").and_then(|text| Area::parse(&text)) else {
            return Ok(());
        };
        match self.edit.area(area) {
            Some(moved) => self.patch.set(node, "sourceRef", &moved.corners()),
            None => Ok(()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Before,
    None,
}

/// An `autoFilter` of a sheet, a view or a table: `ref`, the columns of its criteria, its sort state.
pub(in crate::formats::xlsx) fn shift_filter(
    patch: &mut Patch<'_>,
    node: NodeId,
    edit: &LineEdit,
) -> Result<(), EditError> {
    let Some(area) = patch.value(node, "ref").and_then(|text| Area::parse(&text)) else { return Ok(()) };
    let Some(moved) = edit.area(area) else {
        patch.remove(node);
        return Ok(());
    };
    if moved != area {
        patch.set(node, "ref", &moved.corners())?;
    }
    let inside: Vec<NodeId> = patch.xml.descendants(node).filter(|n| *n != node).collect();
    for inner in inside {
        let local = patch.xml.local_name(inner);
        if local == "filterColumn" && edit.axis == Axis::Cols {
            let Some(id) = patch.value(inner, "colId").and_then(|text| text.parse::<u32>().ok()) else {
                continue;
            };
            match edit.line(area.first.col + id) {
                Some(col) => patch.set(inner, "colId", &(col - moved.first.col).to_string())?,
                None => patch.remove(inner),
            }
        } else if matches!(local, "sortState" | "sortCondition") {
            let Some(part) = patch.value(inner, "ref").and_then(|text| Area::parse(&text)) else { continue };
            match edit.area(part) {
                Some(part) => patch.set(inner, "ref", &part.corners())?,
                None => patch.remove(inner),
            }
        }
    }
    Ok(())
}
