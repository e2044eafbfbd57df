//! The splices that settle tracked changes in one part.

use std::{collections::HashSet, ops::Range, rc::Rc};

use super::{
    batch::{Batch, Target},
    delete::{removals, section_of},
    index::inner_range,
    join::{self, Piece},
    markup::Names,
    removal::{Aftermath, Moves, Removal, plan_removal},
    revisions::Verdict,
    rows::{self, Merge},
    story::Loaded,
    tracked_delete::rename,
};
use crate::{
    EditError,
    package::xml::{NodeId, Ns, Splices, Xml},
};

/// What settling came to.
pub(super) struct Settled {
    pub(super) splices: Splices,
    pub(super) aftermath: Aftermath,
    /// Changes of kinds that are left alone.
    pub(super) left: usize,
}

/// Replacements that may still be withdrawn when a larger one takes their place.
#[derive(Default)]
pub(super) struct Edits {
    items: Vec<(Range<usize>, Vec<u8>)>,
}

impl Edits {
    pub(super) fn replace(&mut self, range: Range<usize>, with: impl Into<Vec<u8>>) {
        self.items.push((range, with.into()));
    }

    pub(super) fn delete(&mut self, range: Range<usize>) {
        self.replace(range, Vec::new());
    }

    /// Replaces a range together with all that was planned inside it.
    pub(super) fn supersede(&mut self, range: Range<usize>, with: impl Into<Vec<u8>>) {
        self.withdraw(&range);
        self.replace(range, with);
    }

    fn take(&mut self, splices: Splices) {
        self.items.extend(splices.into_items());
    }

    /// Withdraws what lies wholly inside a range and gives it.
    pub(super) fn withdraw(&mut self, range: &Range<usize>) -> Splices {
        let mut inside = Splices::default();
        self.items.retain(|(own, with)| {
            let is_inside = range.start <= own.start && own.end <= range.end;
            if is_inside {
                inside.replace(own.clone(), with.clone());
            }
            !is_inside
        });
        inside
    }

    fn into_splices(self) -> Splices {
        let mut splices = Splices::default();
        for (range, with) in self.items {
            splices.replace(range, with);
        }
        splices
    }
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

    fn paragraph_mark(&mut self, xml: &Xml, mark: NodeId) {
        let paragraph = xml.ancestors(mark).find(|node| xml.is(*node, Ns::W, "p"));
        let properties = xml.parent(mark);
        let is_paragraph_mark = properties
            .and_then(|properties| xml.parent(properties))
            .is_some_and(|parent| xml.is(parent, Ns::W, "pPr"));
        let (Some(paragraph), Some(properties), true) = (paragraph, properties, is_paragraph_mark) else {
            // In the properties of a run it belongs to an equation's control character.
            self.left += 1;
            return;
        };
        if !self.stays(xml.local_name(mark)) {
            self.unmarked.push(paragraph);
        }
        self.edits.delete(self.mark_with_our_wrappers(xml, mark, properties));
    }

    /// The mark, with the `w:rPr` and `w:pPr` that were made only for it.
    fn mark_with_our_wrappers(&self, xml: &Xml, mark: NodeId, properties: NodeId) -> Range<usize> {
        let is_alone = |node: NodeId, parent: NodeId| xml.content(parent) == xml.span(node);
        let made_properties = join::is_single_quoted(xml, mark, "id") && is_alone(mark, properties);
        if !made_properties {
            return xml.span(mark);
        }
        let outer = xml.parent(properties).filter(|outer| {
            join::is_single_quoted(xml, mark, "date")
                && is_alone(properties, *outer)
                && xml.is(*outer, Ns::W, "pPr")
        });
        xml.span(outer.unwrap_or(properties))
    }

    fn row_mark(&mut self, xml: &Xml, mark: NodeId) {
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

    fn numbering_mark(&mut self, xml: &Xml, mark: NodeId) {
        let whole = xml.parent(mark).filter(|_| !self.stays(xml.local_name(mark)));
        self.edits.supersede(xml.span(whole.unwrap_or(mark)), "");
        self.gone.push(xml.span(whole.unwrap_or(mark)));
    }

    fn cell_mark(&mut self, xml: &Xml, mark: NodeId) {
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
    fn cell_merge(&mut self, xml: &Xml, merge: NodeId) {
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

    /// `rPrChange` and its kin: forget the old properties, or put them back.
    fn property_change(&mut self, xml: &Xml, change: NodeId) {
        let Some(properties) = xml.parent(change) else { return };
        if self.verdict == Verdict::Accept {
            return self.edits.delete(xml.span(change));
        }
        let is_kept = |child: NodeId| match xml.local_name(change) {
            "rPrChange" => matches!(xml.local_name(child), "ins" | "del" | "moveFrom" | "moveTo"),
            "pPrChange" => matches!(xml.local_name(child), "rPr" | "sectPr"),
            "sectPrChange" => matches!(xml.local_name(child), "headerReference" | "footerReference"),
            "trPrChange" => matches!(xml.local_name(child), "ins" | "del"),
            "tcPrChange" => matches!(xml.local_name(child), "cellIns" | "cellDel" | "cellMerge"),
            _ => false,
        };
        // The old properties may record marks that the new ones hold too.
        let old_inner: String = xml
            .children(change)
            .next()
            .into_iter()
            .flat_map(|old| xml.children(old))
            .filter(|child| !is_kept(*child))
            .map(|child| xml.raw(child))
            .collect();
        let mut kept_any = false;
        let mut at = xml.content(properties).start;
        for child in xml.children(properties) {
            if is_kept(child) {
                kept_any = true;
                if matches!(xml.local_name(change), "rPrChange" | "sectPrChange") {
                    at = xml.span(child).end;
                }
            } else {
                self.edits.withdraw(&xml.span(child));
                self.edits.delete(xml.span(child));
                self.gone.push(xml.span(child));
            }
        }
        if !old_inner.is_empty() {
            self.edits.replace(at..at, old_inner);
        } else if !kept_any && matches!(xml.local_name(change), "rPrChange" | "pPrChange") {
            self.edits.withdraw(&xml.span(properties));
            self.edits.delete(xml.span(properties));
        }
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

    fn drop_rows(&mut self, loaded: &Rc<Loaded>) -> Result<(), EditError> {
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

    /// Paragraphs whose mark goes flow into the next one; those that hold nothing any more go.
    fn drop_paragraph_ends(&mut self, loaded: &Rc<Loaded>) -> Result<(), EditError> {
        let xml = &loaded.xml;
        let is_gone = |gone: &[Range<usize>], node: NodeId| {
            gone.iter().any(|range| range.contains(&xml.span(node).start))
        };
        let unmarked: Vec<NodeId> =
            self.unmarked.iter().copied().filter(|node| !is_gone(&self.gone, *node)).collect();
        let empty: Vec<NodeId> = unmarked
            .iter()
            .copied()
            .filter(|paragraph| section_of(xml, *paragraph).is_none() && self.is_emptied(xml, *paragraph))
            .collect();
        let mut whole = Vec::new();
        for removal in removals(xml, &empty) {
            if let Removal::Whole(paragraph) = removal {
                whole.push(paragraph);
            }
        }
        for paragraph in &whole {
            self.edits.withdraw(&xml.span(*paragraph));
        }
        let removed: Vec<Removal> = whole.iter().copied().map(Removal::Whole).collect();
        self.remove(loaded, &removed)?;
        let merging: Vec<NodeId> = unmarked
            .into_iter()
            .filter(|node| !empty.contains(node) && section_of(xml, *node).is_none())
            .collect();
        self.merge(xml, &merging, &whole);
        Ok(())
    }

    /// Whether nothing but anchors will be left in a paragraph.
    fn is_emptied(&self, xml: &Xml, paragraph: NodeId) -> bool {
        let mut pieces = Vec::new();
        self.pieces_of_all(xml, paragraph, &mut pieces);
        pieces.iter().all(|node| {
            xml.namespace(*node) == Ns::W
                && match xml.local_name(*node) {
                    "pPr" | "proofErr" | "smartTagPr" | "customXmlPr" => true,
                    // A wrapper that holds nothing shows nothing.
                    "hyperlink" | "smartTag" | "customXml" | "dir" | "bdo" => self.is_emptied(xml, *node),
                    _ => super::ranges::family(xml, *node).is_some(),
                }
        })
    }

    /// The elements of a container that survive, through settled wrappers of all kinds.
    fn pieces_of_all(&self, xml: &Xml, container: NodeId, pieces: &mut Vec<NodeId>) {
        for child in xml.children(container) {
            let name = xml.local_name(child);
            let is_settled =
                self.changes.contains(&child) && matches!(name, "ins" | "del" | "moveFrom" | "moveTo");
            match is_settled {
                false => pieces.push(child),
                true if self.stays(name) => self.pieces_of_all(xml, child, pieces),
                true => pieces.extend(anchors_in(xml, child)),
            }
        }
    }

    /// Each chain of paragraphs without marks becomes one with the paragraph behind it, whose properties win because its mark stays.
    fn merge(&mut self, xml: &Xml, merging: &[NodeId], removed: &[NodeId]) {
        let next = |paragraph: NodeId| {
            std::iter::successors(super::blocks::next_block(xml, paragraph), |block| {
                super::blocks::next_block(xml, *block)
            })
            .find(|block| !removed.contains(block))
            .filter(|block| xml.is(*block, Ns::W, "p"))
        };
        let is_target = |paragraph: NodeId| merging.iter().any(|other| next(*other) == Some(paragraph));
        for first in merging.iter().copied().filter(|paragraph| !is_target(*paragraph)) {
            let mut chain = vec![first];
            while let Some(last) = chain.last().copied().filter(|last| merging.contains(last)) {
                match next(last) {
                    Some(next) => chain.push(next),
                    None => break,
                }
            }
            if chain.len() > 1 {
                self.merge_chain(xml, &chain);
            }
        }
    }

    fn merge_chain(&mut self, xml: &Xml, chain: &[NodeId]) {
        let (Some(first), Some(last)) = (chain.first().copied(), chain.last().copied()) else { return };
        let properties = xml.child(last, Ns::W, "pPr").map(|properties| xml.span(properties));
        let new_properties = properties.map_or_else(String::new, |span| {
            let inner = self.edits.withdraw(&span);
            rendered(xml, span, inner)
        });
        for pair in chain.windows(2) {
            let (one, other) = (pair[0], pair[1]);
            let gap = match (xml.is_empty_tag(one), xml.is_empty_tag(other)) {
                (_, true) => xml.span(one).end..xml.span(other).end,
                (true, false) => xml.span(one).start..xml.span(one).start,
                (false, false) => xml.content(one).end..inner_range(xml, other).start,
            };
            // What was planned between the two blocks (range marks) stays between them.
            let between = xml.span(one).end..xml.span(other).start;
            let kept =
                if gap.contains(&between.start) { rendered_between(xml, one, other) } else { String::new() };
            self.edits.withdraw(&gap);
            self.edits.replace(gap, kept);
        }
        let own = xml.child(first, Ns::W, "pPr").map(|properties| xml.span(properties));
        let at = own.unwrap_or(xml.content(first).start..xml.content(first).start);
        self.edits.withdraw(&at);
        self.edits.replace(at, new_properties);
    }
}

/// Range marks that stand between two blocks.
fn rendered_between(xml: &Xml, one: NodeId, other: NodeId) -> String {
    let between = std::iter::successors(xml.next_sibling(one), |node| xml.next_sibling(*node));
    between
        .take_while(|node| *node != other)
        .filter(|node| super::ranges::family(xml, *node).is_some())
        .map(|node| xml.raw(node))
        .collect()
}

/// A stretch of the part with splices that lie inside it.
fn rendered(xml: &Xml, span: Range<usize>, splices: Splices) -> String {
    let mut shifted = Splices::default();
    for (range, with) in splices.into_items() {
        shifted.replace(range.start - span.start..range.end - span.start, with);
    }
    let bytes = shifted.apply(&xml.bytes()[span.clone()]);
    bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| xml.slice(span).to_owned())
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
