//! The splices that settle tracked changes in one part.

mod edits;
mod formatting;
mod paragraphs;
mod tables;

use std::{collections::HashSet, ops::Range, rc::Rc};

use super::{
    batch::{Batch, Target},
    join::{self, Piece},
    removal::{Aftermath, Moves, Removal, plan_removal},
    revisions::Verdict,
    story::Loaded,
    tracked_delete::rename,
};
use crate::{
    EditError,
    package::xml::{NodeId, Ns, Splices, Xml},
};
pub(super) use edits::Edits;

/// What settling came to.
pub(super) struct Settled {
    pub(super) splices: Splices,
    pub(super) aftermath: Aftermath,
    /// Changes of kinds that are left alone.
    pub(super) left: usize,
}

pub(super) struct Plan<'b, 'a> {
    batch: &'b mut Batch<'a>,
    part: usize,
    changes: HashSet<NodeId>,
    order: Vec<NodeId>,
    verdict: Verdict,
    edits: Edits,
    /// Elements that go whole; nothing inside them is looked at.
    gone: Vec<Range<usize>>,
    /// Paragraphs whose end mark goes.
    unmarked: Vec<NodeId>,
    /// Rows that go.
    rows: Vec<NodeId>,
    aftermath: Aftermath,
    left: usize,
}

impl<'b, 'a> Plan<'b, 'a> {
    pub(super) fn new(batch: &'b mut Batch<'a>, part: usize, changes: &[NodeId], verdict: Verdict) -> Self {
        Plan {
            batch,
            part,
            changes: changes.iter().copied().collect(),
            order: changes.to_vec(),
            verdict,
            edits: Edits::default(),
            gone: Vec::new(),
            unmarked: Vec::new(),
            rows: Vec::new(),
            aftermath: Aftermath::default(),
            left: 0,
        }
    }

    pub(super) fn run(mut self) -> Result<Settled, EditError> {
        let loaded = self.batch.load(self.part)?;
        let xml = &loaded.xml;
        for change in std::mem::take(&mut self.order) {
            let start = xml.span(change).start;
            if !self.gone.iter().any(|range| range.contains(&start)) {
                self.settle(xml, change)?;
            }
        }
        self.drop_rows(&loaded)?;
        self.join_runs(xml);
        self.drop_paragraph_ends(&loaded)?;
        Ok(Settled { splices: self.edits.into_splices(), aftermath: self.aftermath, left: self.left })
    }

    /// Whether what a change brought stays: an accepted insertion, a rejected deletion.
    fn stays(&self, name: &str) -> bool {
        let is_arrival = matches!(name, "ins" | "moveTo" | "cellIns");
        is_arrival == (self.verdict == Verdict::Accept)
    }

    fn settle(&mut self, xml: &Xml, change: NodeId) -> Result<(), EditError> {
        let name = xml.local_name(change);
        let parent = xml.parent(change);
        let parent_name = parent.map_or("", |parent| xml.local_name(parent));
        match name {
            "moveFromRangeStart" | "moveToRangeStart" => self.drop_move_range(xml, change),
            "ins" | "del" | "moveFrom" | "moveTo" => match parent_name {
                "rPr" => self.paragraph_mark(xml, change),
                "trPr" => self.row_mark(xml, change),
                "numPr" => self.numbering_mark(xml, change),
                "ctrlPr" => self.left += 1,
                _ => self.wrapper(xml, change),
            },
            "cellIns" | "cellDel" => self.cell_mark(xml, change),
            "cellMerge" => self.cell_merge(xml, change),
            "numberingChange" => self.edits.delete(xml.span(change)),
            _ => self.property_change(xml, change),
        }
        Ok(())
    }

    /// `w:ins` and the like around content.
    fn wrapper(&mut self, xml: &Xml, wrapper: NodeId) {
        if !self.stays(xml.local_name(wrapper)) {
            let kept: String = anchors_in(xml, wrapper).into_iter().map(|node| xml.raw(node)).collect();
            self.edits.supersede(xml.span(wrapper), kept);
            self.gone.push(xml.span(wrapper));
            return;
        }
        let (span, content) = (xml.span(wrapper), xml.content(wrapper));
        if xml.is_empty_tag(wrapper) {
            return self.edits.delete(span);
        }
        self.edits.delete(span.start..content.start);
        self.edits.delete(content.end..span.end);
        if xml.local_name(wrapper) == "del" {
            let mut renames = Splices::default();
            for node in xml.descendants(wrapper).filter(|node| xml.namespace(*node) == Ns::W) {
                match xml.local_name(node) {
                    "delText" => rename(xml, node, "t", &mut renames),
                    "delInstrText" => rename(xml, node, "instrText", &mut renames),
                    _ => {}
                }
            }
            self.edits.take(renames);
        }
    }

    /// The marks around a move go with it; the end is known by its id.
    fn drop_move_range(&mut self, xml: &Xml, start: NodeId) {
        let end_name = xml.local_name(start).replace("Start", "End");
        let id = xml.value(start, Ns::W, "id");
        let end = xml
            .descendants_named(xml.root(), Ns::W, &end_name)
            .find(|end| xml.value(*end, Ns::W, "id") == id);
        self.edits.delete(xml.span(start));
        let is_gone = |end: NodeId| self.gone.iter().any(|range| range.contains(&xml.span(end).start));
        if let Some(end) = end.filter(|end| !is_gone(*end)) {
            self.edits.delete(xml.span(end));
        }
    }

    fn numbering_mark(&mut self, xml: &Xml, mark: NodeId) {
        let whole = xml.parent(mark).filter(|_| !self.stays(xml.local_name(mark)));
        self.edits.supersede(xml.span(whole.unwrap_or(mark)), "");
        self.gone.push(xml.span(whole.unwrap_or(mark)));
    }

    /// Joins runs that were cut for a change of ours.
    fn join_runs(&mut self, xml: &Xml) {
        let mut parents: Vec<NodeId> = Vec::new();
        for change in &self.changes {
            let is_wrapper = matches!(xml.local_name(*change), "ins" | "del");
            let stands =
                |parent: &NodeId| !self.gone.iter().any(|range| range.contains(&xml.span(*parent).start));
            let parent = xml.parent(*change).filter(|_| is_wrapper && join::is_cut(xml, *change));
            parents.extend(parent.filter(stands));
        }
        parents.sort();
        parents.dedup();
        for parent in parents {
            let mut pieces = Vec::new();
            self.pieces(xml, parent, &mut pieces);
            join::join(xml, &pieces, &mut self.edits);
        }
    }

    /// The children of a container as they will stand, with the places where a run was cut.
    fn pieces(&self, xml: &Xml, container: NodeId, pieces: &mut Vec<Piece>) {
        for child in xml.child_nodes(container) {
            let is_settled = self.changes.contains(&child) && matches!(xml.local_name(child), "ins" | "del");
            if !is_settled {
                pieces.push(Piece::Node(child));
                continue;
            }
            if join::is_single_quoted(xml, child, "id") {
                pieces.push(Piece::Cut);
            }
            if self.stays(xml.local_name(child)) {
                self.pieces(xml, child, pieces);
            } else {
                pieces.extend(anchors_in(xml, child).into_iter().map(Piece::Node));
            }
            if join::is_single_quoted(xml, child, "date") {
                pieces.push(Piece::Cut);
            }
        }
    }

    /// Takes blocks out by the rules of deletion.
    fn remove(&mut self, loaded: &Rc<Loaded>, removals: &[Removal]) -> Result<(), EditError> {
        if removals.is_empty() {
            return Ok(());
        }
        let target = Target { part: self.part, loaded: loaded.clone(), entry: 0 };
        let mut splices = Splices::default();
        let aftermath = plan_removal(self.batch, &target, removals, Moves::Settle, &mut splices)?;
        self.edits.take(splices);
        self.aftermath.extend(aftermath);
        Ok(())
    }
}

/// What outlives content that goes: range marks, and the marks of comments.
fn anchors_in(xml: &Xml, wrapper: NodeId) -> Vec<NodeId> {
    let holds_comment = |run: NodeId| xml.child(run, Ns::W, "commentReference").is_some();
    xml.descendants(wrapper)
        .filter(|node| {
            super::ranges::family(xml, *node).is_some_and(|family| !family.to_lowercase().contains("move"))
                || xml.is(*node, Ns::W, "r") && holds_comment(*node)
        })
        .collect()
}
