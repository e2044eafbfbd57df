//! Marks of rows and cells, and what a merged cell needs when one of its rows goes.

use std::rc::Rc;

use super::{
    super::{
        join,
        markup::Names,
        removal::Removal,
        revisions::Verdict,
        rows::{self, Merge},
        story::Loaded,
    },
    Plan,
};
use crate::{
    EditError,
    package::xml::{NodeId, Ns, Xml},
};

impl Plan<'_, '_> {
    pub(super) fn row_mark(&mut self, xml: &Xml, mark: NodeId) {
        let row = xml.ancestors(mark).find(|node| xml.is(*node, Ns::W, "tr"));
        if let (Some(row), false) = (row, self.stays(xml.local_name(mark))) {
            self.rows.push(row);
            self.gone.push(xml.span(row));
            return;
        }
        let properties = xml.parent(mark).filter(|properties| {
            join::is_single_quoted(xml, mark, "id") && xml.content(*properties) == xml.span(mark)
        });
        self.edits.delete(xml.span(properties.unwrap_or(mark)));
    }

    pub(super) fn cell_mark(&mut self, xml: &Xml, mark: NodeId) {
        let cell = xml.ancestors(mark).find(|node| xml.is(*node, Ns::W, "tc"));
        let (Some(cell), false) = (cell, self.stays(xml.local_name(mark))) else {
            return self.edits.delete(xml.span(mark));
        };
        let row = xml.ancestors(cell).find(|node| xml.is(*node, Ns::W, "tr"));
        let others = row.map(|row| rows::cells_of(xml, row)).unwrap_or_default();
        let is_last =
            others.iter().all(|other| other.node == cell || self.gone.contains(&xml.span(other.node)));
        self.gone.push(xml.span(cell));
        match row.filter(|_| is_last) {
            // A row needs a cell (ECMA-376-1, 17.4.78), so it goes with its last one.
            Some(row) => {
                self.edits.withdraw(&xml.span(row));
                self.gone.push(xml.span(row));
                self.rows.push(row);
            }
            None => self.edits.supersede(xml.span(cell), ""),
        }
    }

    /// `w:vMerge` says how the cell is merged now, `w:vMergeOrig` how it was (ECMA-376-1, 17.13.5.2).
    pub(super) fn cell_merge(&mut self, xml: &Xml, merge: NodeId) {
        let attribute = match self.verdict {
            Verdict::Accept => "vMerge",
            Verdict::Reject => "vMergeOrig",
        };
        let names = Names::at(xml, merge);
        let new = match xml.value(merge, Ns::W, attribute).as_deref() {
            Some("rest" | "restart") => names.valued("vMerge", "restart"),
            Some(_) => names.empty("vMerge"),
            None => String::new(),
        };
        // `vMerge` stands early in `tcPr`, so an existing one is replaced where it is.
        let existing = xml.parent(merge).and_then(|properties| xml.child(properties, Ns::W, "vMerge"));
        match existing {
            Some(existing) => {
                self.edits.replace(xml.span(existing), new);
                self.edits.delete(xml.span(merge));
            }
            None => {
                let at = xml.parent(merge).and_then(|properties| {
                    let after = |child: &NodeId| {
                        !matches!(xml.local_name(*child), "cnfStyle" | "tcW" | "gridSpan" | "hMerge")
                    };
                    xml.children(properties).find(after)
                });
                let at = at.map_or(xml.span(merge).start, |child| xml.span(child).start);
                self.edits.delete(xml.span(merge));
                self.edits.replace(at..at, new);
            }
        }
    }

    pub(super) fn drop_rows(&mut self, loaded: &Rc<Loaded>) -> Result<(), EditError> {
        let xml = &loaded.xml;
        let mut removed: Vec<NodeId> = Vec::new();
        for row in self.rows.clone() {
            let table = xml.ancestors(row).find(|node| xml.is(*node, Ns::W, "tbl"));
            let Some(table) = table else { continue };
            let rows: Vec<NodeId> = rows::rows_of(xml, table);
            let all_go = rows.iter().all(|row| self.rows.contains(row));
            let removal = if all_go { table } else { row };
            if removed.contains(&removal) {
                continue;
            }
            removed.push(removal);
            if !all_go {
                self.promote_below(xml, &rows, row);
            }
            self.edits.withdraw(&xml.span(removal));
            self.gone.push(xml.span(removal));
        }
        let removals: Vec<Removal> = removed.into_iter().map(Removal::Whole).collect();
        self.remove(loaded, &removals)
    }

    /// The first surviving row under a merged cell that goes begins the merged cell anew.
    fn promote_below(&mut self, xml: &Xml, rows: &[NodeId], row: NodeId) {
        let Some(position) = rows.iter().position(|other| *other == row) else { return };
        let survivor = rows[position + 1..].iter().find(|row| !self.rows.contains(row));
        let Some(survivor) = survivor else { return };
        let below = rows::cells_of(xml, *survivor);
        for cell in rows::cells_of(xml, row).iter().filter(|cell| cell.merge == Merge::Start) {
            let follower =
                below.iter().find(|below| below.column == cell.column && below.merge == Merge::Continue);
            let merge = follower
                .and_then(|cell| xml.child(cell.node, Ns::W, "tcPr"))
                .and_then(|properties| xml.child(properties, Ns::W, "vMerge"));
            if let Some(merge) = merge {
                self.edits.replace(xml.span(merge), Names::at(xml, merge).valued("vMerge", "restart"));
            }
        }
    }
}
