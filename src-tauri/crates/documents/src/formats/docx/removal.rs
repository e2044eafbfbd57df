//! Taking blocks out of a part: what must be kept of them, what goes with them, and what forbids it.
//!
//! Halves of ranges stay where the block was; a comment goes when all of its anchors go, else its mark moves to a neighbour; notes go
//! with their references; half a field is refused.

use std::ops::Range;

use super::{
    batch::{Batch, Target},
    blocks::{controls_around, next_block, previous_block},
    index::inner_range,
    ranges::{Ends, Mark, marks_in},
    rewrite::{fill_empty_tag, would_damage},
};
use crate::{
    EditError,
    error::EditErrorKind,
    package::xml::{NodeId, Ns, Splices, Xml},
};

/// One element to take out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Removal {
    /// The whole element.
    Whole(NodeId),
    /// Only what a paragraph holds behind its properties.
    Content(NodeId),
}

/// What becomes of the ends of tracked moves in what goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moves {
    /// One end of a move must not go alone.
    Refuse,
    /// The move is being settled, and its marks go.
    Settle,
}

impl Removal {
    pub(super) fn node(self) -> NodeId {
        match self {
            Removal::Whole(node) | Removal::Content(node) => node,
        }
    }

    pub(super) fn range(self, xml: &Xml) -> Range<usize> {
        match self {
            Removal::Whole(node) => xml.span(node),
            Removal::Content(paragraph) => inner_range(xml, paragraph),
        }
    }
}

/// What has to follow in other parts.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Aftermath {
    pub(super) comments: Vec<String>,
    pub(super) footnotes: Vec<String>,
    pub(super) endnotes: Vec<String>,
}

impl Aftermath {
    pub(super) fn extend(&mut self, other: Aftermath) {
        self.comments.extend(other.comments);
        self.footnotes.extend(other.footnotes);
        self.endnotes.extend(other.endnotes);
    }
}

/// Plans the removals; everything is checked before anything is planned.
pub(super) fn plan_removal(
    batch: &mut Batch<'_>,
    target: &Target,
    removals: &[Removal],
    moves: Moves,
    splices: &mut Splices,
) -> Result<Aftermath, EditError> {
    let xml = &target.loaded.xml;
    let gone: Vec<Range<usize>> = removals.iter().map(|removal| removal.range(xml)).collect();
    refuse_half_fields(target, &gone)?;
    refuse_locks(batch, xml, removals)?;
    refuse_bound(xml, removals)?;
    let inside = |node: NodeId| gone.iter().any(|range| range.contains(&xml.span(node).start));
    let mut aftermath = Aftermath::default();
    let references = References::of(xml, &inside);
    let ends = Ends::of(xml);
    aftermath.footnotes = only_inside(&references.footnotes);
    aftermath.endnotes = only_inside(&references.endnotes);
    for removal in removals {
        if moves == Moves::Refuse {
            refuse_moves(xml, *removal)?;
        }
        plan_one(xml, *removal, &gone, &ends, &references, &mut aftermath, splices)?;
    }
    Ok(aftermath)
}

/// The ids of which every reference goes.
fn only_inside(references: &[(String, bool)]) -> Vec<String> {
    let is_kept = |id: &String| references.iter().any(|(other, gone)| other == id && !gone);
    let mut ids: Vec<String> = Vec::new();
    for (id, _) in references.iter().filter(|(id, gone)| *gone && !is_kept(id)) {
        if !ids.contains(id) {
            ids.push(id.clone());
        }
    }
    ids
}

/// References to notes and comments, with whether they go.
struct References {
    footnotes: Vec<(String, bool)>,
    endnotes: Vec<(String, bool)>,
    comments: Vec<(String, bool)>,
}

impl References {
    fn of(xml: &Xml, inside: &dyn Fn(NodeId) -> bool) -> References {
        let mut references = References { footnotes: Vec::new(), endnotes: Vec::new(), comments: Vec::new() };
        for node in xml.descendants(xml.root()).filter(|node| xml.namespace(*node) == Ns::W) {
            let list = match xml.local_name(node) {
                "footnoteReference" => &mut references.footnotes,
                "endnoteReference" => &mut references.endnotes,
                "commentReference" => &mut references.comments,
                _ => continue,
            };
            list.push((xml.value(node, Ns::W, "id").unwrap_or_default().into_owned(), inside(node)));
        }
        references
    }
}

fn plan_one(
    xml: &Xml,
    removal: Removal,
    gone: &[Range<usize>],
    ends: &Ends,
    references: &References,
    aftermath: &mut Aftermath,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let node = removal.node();
    let range = removal.range(xml);
    let mut kept = String::new();
    let mut moved = String::new();
    let comment_lives = |id: &str| {
        let key = ("commentRange", id.to_owned());
        ends.reaches_outside(&key, gone)
            || references.comments.iter().any(|(other, gone)| other == id && !gone)
    };
    for mark in marks_in(xml, node).into_iter().filter(|mark| range.contains(&xml.span(mark.node).start)) {
        let is_kept = match mark.key.0 {
            _ if is_move(&mark) => false,
            "commentRange" => comment_lives(&mark.key.1),
            _ => ends.reaches_outside(&mark.key, gone),
        };
        if is_kept {
            kept.push_str(xml.raw(mark.node));
        }
    }
    for reference in xml.descendants(node).filter(|inner| range.contains(&xml.span(*inner).start)) {
        match xml.local_name(reference) {
            "commentReference" => {
                let id = xml.value(reference, Ns::W, "id").unwrap_or_default().into_owned();
                if comment_lives(&id) {
                    moved.push_str(run_around(xml, reference));
                } else if !aftermath.comments.contains(&id) {
                    aftermath.comments.push(id);
                }
            }
            // The note's own number stands in its first paragraph and must outlive it.
            "footnoteRef" | "endnoteRef" | "annotationRef" => moved.push_str(run_around(xml, reference)),
            _ => {}
        }
    }
    match removal {
        Removal::Content(_) if range.is_empty() => {}
        Removal::Content(_) => splices.replace(range, format!("{kept}{moved}")),
        Removal::Whole(_) => {
            splices.replace(range, kept);
            if !moved.is_empty() {
                move_to_neighbour(xml, node, gone, &moved, splices)?;
            }
        }
    }
    Ok(())
}

fn is_move(mark: &Mark) -> bool {
    mark.key.0.contains("move") || mark.key.0.contains("Move")
}

fn refuse_moves(xml: &Xml, removal: Removal) -> Result<(), EditError> {
    let range = removal.range(xml);
    let holds_end = marks_in(xml, removal.node())
        .iter()
        .any(|mark| is_move(mark) && range.contains(&xml.span(mark.node).start));
    match holds_end {
        false => Ok(()),
        true => Err(would_damage("The text holds an end of a tracked move.".into())
            .hint("Accept or reject the move first.")),
    }
}

/// The raw run that holds an element.
fn run_around(xml: &Xml, node: NodeId) -> &str {
    xml.parent(node).filter(|parent| xml.is(*parent, Ns::W, "r")).map_or("", |run| xml.raw(run))
}

/// Puts runs that must not go at the end of the paragraph before, or at the start of the one after.
fn move_to_neighbour(
    xml: &Xml,
    node: NodeId,
    gone: &[Range<usize>],
    runs: &str,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let stays = |block: &NodeId| !gone.iter().any(|range| range.contains(&xml.span(*block).start));
    let is_paragraph = |block: &NodeId| xml.is(*block, Ns::W, "p");
    let before =
        std::iter::successors(previous_block(xml, node), |block| previous_block(xml, *block)).find(stays);
    if let Some(paragraph) = before.filter(is_paragraph) {
        match xml.is_empty_tag(paragraph) {
            true => fill_empty_tag(xml, paragraph, runs, splices),
            false => splices.insert(xml.content(paragraph).end, runs),
        }
        return Ok(());
    }
    let after = std::iter::successors(next_block(xml, node), |block| next_block(xml, *block)).find(stays);
    match after.filter(is_paragraph) {
        Some(paragraph) if xml.is_empty_tag(paragraph) => fill_empty_tag(xml, paragraph, runs, splices),
        Some(paragraph) => splices.insert(inner_range(xml, paragraph).start, runs),
        None => {
            return Err(would_damage(
                "The text holds the mark of a comment or note whose other end lies elsewhere, and no paragraph beside it can take it.".into(),
            ));
        }
    }
    Ok(())
}

/// A field must keep both ends or lose both.
pub(super) fn refuse_half_fields(target: &Target, gone: &[Range<usize>]) -> Result<(), EditError> {
    let (xml, index) = (&target.loaded.xml, &target.loaded.index);
    let inside = |node: NodeId| gone.iter().any(|range| range.contains(&xml.span(node).start));
    for field in &index.fields.all {
        let marks = [Some(field.begin), field.separate, field.end];
        let mut marks = marks.into_iter().flatten().map(inside);
        let first = marks.next();
        if marks.any(|other| Some(other) != first) {
            return Err(would_damage(
                "A field (a table of contents or the like) begins or ends there and has its other end elsewhere.".into(),
            )
            .hint("Change the text of the paragraph instead, or delete all paragraphs of the field together."));
        }
    }
    Ok(())
}

/// What is bound to data comes back from the data when Word opens the document.
fn refuse_bound(xml: &Xml, removals: &[Removal]) -> Result<(), EditError> {
    let is_bound = |control: NodeId| {
        let properties = xml.child(control, Ns::W, "sdtPr");
        properties.is_some_and(|properties| {
            xml.children(properties).any(|child| xml.local_name(child) == "dataBinding")
        })
    };
    let around = |removal: &Removal| controls_around(xml, removal.node()).any(is_bound);
    match removals.iter().any(around) {
        false => Ok(()),
        true => Err(would_damage(
            "The text belongs to a control that is bound to data of the document, which would bring it back."
                .into(),
        )
        .hint("Set the text of the control instead.")),
    }
}

/// Locked controls neither lose their content nor go.
fn refuse_locks(batch: &mut Batch<'_>, xml: &Xml, removals: &[Removal]) -> Result<(), EditError> {
    let lock = |control: NodeId| {
        let properties = xml.child(control, Ns::W, "sdtPr")?;
        let lock = xml.child(properties, Ns::W, "lock")?;
        xml.value(lock, Ns::W, "val").map(|value| value.into_owned())
    };
    let is_one_of =
        |control: NodeId, words: &[&str]| lock(control).is_some_and(|lock| words.contains(&lock.as_str()));
    let locked = removals.iter().any(|removal| {
        controls_around(xml, removal.node())
            .any(|control| is_one_of(control, &["contentLocked", "sdtContentLocked"]))
            || xml
                .descendants_named(removal.node(), Ns::W, "sdt")
                .any(|control| is_one_of(control, &["sdtLocked", "contentLocked", "sdtContentLocked"]))
    });
    if !locked {
        return Ok(());
    }
    if !batch.context.override_protection {
        return Err(EditError::new(
            EditErrorKind::ReadOnly,
            "A content control there is locked against being deleted or changed.",
        )
        .hint("Ask the user; with `override_protection` the edit is made all the same."));
    }
    batch.warn_once("protection_overridden", "A locked content control was changed all the same.".into());
    Ok(())
}
