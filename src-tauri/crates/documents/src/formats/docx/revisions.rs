//! `docx_accept_changes` and `docx_reject_changes` (ECMA-376-1, 17.13.5): all, at a place, or of an author.
//!
//! A settled change leaves what the other outcome would never have had: wrappers go, anchors stay, runs that we had cut for the change
//! are joined again. What must follow (comments, notes, section settings, required paragraphs) follows the rules of deletion.

use std::collections::BTreeMap;

use super::{
    batch::{Batch, EditKind, Spotted, Target},
    index::EntryKind,
    settle::{Plan, Settled},
    story::Loaded,
    view::text_of,
};
use crate::{
    EditError,
    error::EditErrorKind,
    package::xml::{NodeId, Ns, Xml},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Accept,
    Reject,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Verdict::Accept => "accepted",
            Verdict::Reject => "rejected",
        }
    }
}

/// Whether an element records a tracked change.
pub(super) fn is_change(xml: &Xml, node: NodeId) -> bool {
    xml.namespace(node) == Ns::W
        && (matches!(
            xml.local_name(node),
            "ins"
                | "del"
                | "moveFrom"
                | "moveTo"
                | "cellIns"
                | "cellDel"
                | "cellMerge"
                | "numberingChange"
                | "moveFromRangeStart"
                | "moveToRangeStart"
        ) || matches!(
            xml.local_name(node),
            "rPrChange"
                | "pPrChange"
                | "sectPrChange"
                | "tblPrChange"
                | "tblGridChange"
                | "trPrChange"
                | "tcPrChange"
                | "tblPrExChange"
        ))
}

pub(super) fn settle_changes(
    batch: &mut Batch<'_>,
    at: Option<&str>,
    author: Option<&str>,
    verdict: Verdict,
) -> Result<(), EditError> {
    batch.check_protection(EditKind::Text)?;
    batch.check_untracked_allowed()?;
    let place = at.map(|at| batch.find(at)).transpose()?;
    let parts: Vec<usize> = match &place {
        Some(target) => vec![target.part],
        None => (0..batch.part_count()).collect(),
    };
    let mut count = 0;
    for part in parts {
        let Ok(loaded) = batch.load(part) else { continue };
        let changes = chosen(&loaded, place.as_ref(), author);
        if changes.is_empty() {
            continue;
        }
        refuse_half_moves(&loaded, &changes)?;
        count += changes.len();
        settle_part(batch, part, &changes, verdict)?;
    }
    match count {
        0 => Err(EditError::new(EditErrorKind::ZeroMatches, nothing_found(at, author))
            .hint("Read the outline: it says whether the document holds tracked changes.")),
        _ => Ok(()),
    }
}

fn nothing_found(at: Option<&str>, author: Option<&str>) -> String {
    let by = author.map_or_else(String::new, |author| format!(" by {author}"));
    let place = at.map_or_else(|| "in the document".to_owned(), |at| format!("at {at}"));
    format!("There are no tracked changes{by} {place}.")
}

/// The changes of a part that the filters leave.
fn chosen(loaded: &Loaded, place: Option<&Target>, author: Option<&str>) -> Vec<NodeId> {
    let xml = &loaded.xml;
    if memchr::memmem::find(xml.bytes(), b"author=").is_none() {
        return Vec::new();
    }
    let spans: Option<Vec<_>> = place.map(|target| {
        let node = target.entry().node;
        let twins = loaded.index.twins(node).iter().copied();
        std::iter::once(node).chain(twins).map(|node| xml.span(node)).collect()
    });
    let fits = |node: &NodeId| {
        let start = xml.span(*node).start;
        let here = spans.as_ref().is_none_or(|spans| spans.iter().any(|span| span.contains(&start)));
        here && author.is_none_or(|author| xml.value(*node, Ns::W, "author").is_some_and(|own| own == author))
    };
    // What old properties record was settled by whoever changed them, and goes or comes back with them.
    let mut old_properties_end = 0;
    let is_current = |node: &NodeId| {
        let span = xml.span(*node);
        if span.start < old_properties_end {
            return false;
        }
        if xml.local_name(*node).ends_with("Change") {
            old_properties_end = span.end;
        }
        true
    };
    xml.descendants(xml.root()).filter(|node| is_change(xml, *node)).filter(is_current).filter(fits).collect()
}

/// Both ends of a move are settled together.
fn refuse_half_moves(loaded: &Loaded, changes: &[NodeId]) -> Result<(), EditError> {
    let xml = &loaded.xml;
    let ends: Vec<NodeId> = xml
        .descendants(xml.root())
        .filter(|node| xml.is(*node, Ns::W, "moveFromRangeStart") || xml.is(*node, Ns::W, "moveToRangeStart"))
        .collect();
    let name = |node: NodeId| xml.value(node, Ns::W, "name").map(|name| name.into_owned());
    for end in &ends {
        let others = ends.iter().filter(|other| name(**other) == name(*end));
        if others.into_iter().any(|other| changes.contains(other) != changes.contains(end)) {
            return Err(super::rewrite::would_damage(
                "A text was moved there, and the other end of the move lies elsewhere.".into(),
            )
            .hint("Settle the changes without `at`, or by the author of the move."));
        }
    }
    Ok(())
}

/// Settles changes of one part in one commit and reports them by paragraph or row.
pub(super) fn settle_part(
    batch: &mut Batch<'_>,
    part: usize,
    changes: &[NodeId],
    verdict: Verdict,
) -> Result<(), EditError> {
    let loaded = batch.load(part)?;
    let reports = reports(&loaded, changes);
    let Settled { splices, aftermath, left } = Plan::new(batch, part, changes, verdict).run()?;
    batch.commit(part, &loaded, splices)?;
    super::notes::remove(batch, &aftermath)?;
    super::comments::remove(batch, &aftermath.comments)?;
    if left > 0 {
        batch.warn_once(
            "changes_left",
            format!("{left} tracked changes of a rare kind (around content controls or inside equations) were left as they are."),
        );
    }
    for (entry, count) in reports {
        let entry = &loaded.index.entries[entry];
        let before =
            (entry.kind == EntryKind::Paragraph).then(|| text_of(&loaded.xml, &loaded.index, entry.node));
        let after = batch.text_now(part, entry.start)?;
        let detail = format!("{} {count} changes", verdict.word());
        let spotted = match after {
            Some(_) => Spotted::Kept { part, start: entry.start },
            None => Spotted::Gone { part, start: entry.start, at: entry.at.clone() },
        };
        let after = after.filter(|_| before.is_some());
        batch.report(spotted, before, after, Some(&detail));
    }
    Ok(())
}

/// An insertion of our own that holds no text any more is taken back as if it had never been.
pub(super) fn drop_spent_insertions(
    batch: &mut Batch<'_>,
    part: usize,
    starts: &[usize],
    author: &str,
) -> Result<(), EditError> {
    let mut spent = Vec::new();
    for start in starts {
        let Some(target) = batch.target_now(part, *start)? else { continue };
        let xml = &target.loaded.xml;
        let insertions = xml
            .descendants_named(target.entry().node, Ns::W, "ins")
            .filter(|insertion| xml.children(*insertion).all(|run| is_spent(xml, run)));
        spent.extend(
            insertions
                .filter(|insertion| xml.value(*insertion, Ns::W, "author").is_some_and(|own| own == author)),
        );
    }
    if spent.is_empty() {
        return Ok(());
    }
    let loaded = batch.load(part)?;
    let Settled { splices, .. } = Plan::new(batch, part, &spent, Verdict::Reject).run()?;
    batch.commit(part, &loaded, splices)
}

/// A run with an empty `w:t` and nothing else.
fn is_spent(xml: &Xml, run: NodeId) -> bool {
    let is_empty_text = |child: NodeId| xml.is(child, Ns::W, "t") && xml.text(child).is_empty();
    xml.is(run, Ns::W, "r")
        && xml.children(run).any(is_empty_text)
        && xml.children(run).all(|child| xml.is(child, Ns::W, "rPr") || is_empty_text(child))
}

/// The paragraphs and rows with the number of changes in each.
fn reports(loaded: &Loaded, changes: &[NodeId]) -> BTreeMap<usize, usize> {
    let (xml, index) = (&loaded.xml, &loaded.index);
    let mut reports = BTreeMap::new();
    for change in changes {
        let entry = xml.ancestors(*change).find_map(|ancestor| {
            let entry = index.entry_of(xml, ancestor)?;
            (index.entries[entry].node == ancestor).then_some(entry)
        });
        if let Some(entry) = entry {
            *reports.entry(entry).or_insert(0) += 1;
        }
    }
    reports
}
