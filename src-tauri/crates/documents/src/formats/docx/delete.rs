//! `docx_delete_paragraph`: all rules of what a document must keep, or a refusal.

use super::{
    batch::{Batch, EditKind, Spotted, Target},
    blocks::{self, is_table_at, next_block, previous_block},
    comments,
    index::{Entry, EntryKind},
    markup::Names,
    notes,
    removal::{Moves, Removal, plan_removal},
    rewrite::{fill_empty_tag, would_damage},
    set_text::check_prefix,
    tracked_delete,
    view::text_of,
};
use crate::{
    EditError,
    edit::{PlaceRef, Position},
    error::EditErrorKind,
    package::xml::{NodeId, Ns, Splices, Xml},
};

pub(super) fn delete_paragraph(
    batch: &mut Batch<'_>,
    index: Option<usize>,
    at: Option<&str>,
    end: Option<&PlaceRef>,
    expect_prefix: Option<&str>,
) -> Result<(), EditError> {
    let first = batch.paragraph(index, at)?;
    let last = match end {
        None => first.clone(),
        Some(PlaceRef::Index(index)) => batch.paragraph(Some(*index), None)?,
        Some(PlaceRef::At(at)) => batch.paragraph(None, Some(at))?,
    };
    let text = text_of(&first.loaded.xml, &first.loaded.index, first.entry().node);
    check_prefix(&first, &text, expect_prefix)?;
    batch.check_protection(EditKind::Text)?;
    let entries = between(&first, &last)?;
    blocks::refuse_split_and_tracked_boxes(batch, &first)?;
    delete_entries(batch, &first, &entries)
}

/// The paragraphs from the first to the last, which must stand in one flow without a table between them.
fn between(first: &Target, last: &Target) -> Result<Vec<usize>, EditError> {
    let flow = |entry: &Entry| entry.at.rfind(".p").map_or(String::new(), |dot| entry.at[..dot].to_owned());
    if first.part != last.part || flow(first.entry()) != flow(last.entry()) || last.entry < first.entry {
        let message = format!(
            "{} and {} are not in this order in one flow of text.",
            first.entry().at,
            last.entry().at
        );
        return Err(EditError::new(EditErrorKind::OutOfRange, message));
    }
    let own = flow(first.entry());
    let index = &first.loaded.index;
    let mut entries = Vec::new();
    for position in first.entry..=last.entry {
        let entry = &index.entries[position];
        let direct = entry.at.rsplit_once('.').map_or("", |(prefix, _)| prefix) == own;
        if direct && entry.kind == EntryKind::Table {
            return Err(would_damage(format!("The table {} stands between them.", entry.at))
                .hint("Delete its rows first, or delete the paragraphs before and after it by themselves."));
        }
        if direct && entry.kind == EntryKind::Paragraph {
            entries.push(position);
        }
    }
    Ok(entries)
}

/// Deletes paragraphs of one flow.
pub(super) fn delete_entries(
    batch: &mut Batch<'_>,
    target: &Target,
    entries: &[usize],
) -> Result<(), EditError> {
    let loaded = target.loaded.clone();
    let (xml, index) = (&loaded.xml, &loaded.index);
    let tracking = batch.tracking()?;
    let mut reports = Vec::new();
    let mut splices = Splices::default();
    let mut aftermath = super::removal::Aftermath::default();
    let nodes: Vec<NodeId> = entries.iter().map(|entry| index.entries[*entry].node).collect();
    let branches = 1 + nodes.first().map_or(0, |node| index.twins(*node).len());
    for branch in 0..branches {
        let own: Vec<NodeId> = match branch {
            0 => nodes.clone(),
            _ => nodes.iter().filter_map(|node| index.twins(*node).get(branch - 1).copied()).collect(),
        };
        let removals = removals(xml, &own, |_| false);
        if removals
            .iter()
            .all(|removal| matches!(removal, Removal::Content(_)) && removal.range(xml).is_empty())
        {
            return Err(would_damage("An empty paragraph is needed there: at the end of a cell, note, header, box or control, or between two tables.".into()));
        }
        if let Some(tracking) = &tracking {
            tracked_delete::paragraphs(target, &removals, tracking, &mut splices)?;
        } else {
            move_sections(xml, &removals, &mut splices)?;
            let found = plan_removal(batch, target, &removals, Moves::Refuse, &mut splices)?;
            if branch == 0 {
                aftermath = found;
            }
        }
        if branch == 0 {
            reports = entries.iter().copied().zip(removals).collect();
        }
    }
    let mut told = Vec::new();
    for (entry, removal) in &reports {
        let entry = &index.entries[*entry];
        told.push((entry.at.clone(), entry.start, text_of(xml, index, entry.node), *removal));
    }
    batch.commit(target.part, &loaded, splices)?;
    notes::remove(batch, &aftermath)?;
    comments::remove(batch, &aftermath.comments)?;
    let tracked = tracking.is_some();
    for (at, start, text, removal) in told {
        match removal {
            Removal::Whole(_) if !tracked => {
                batch.report(Spotted::Gone { part: target.part, start, at }, Some(text), None, None)
            }
            Removal::Whole(_) | Removal::Content(_) => {
                if matches!(removal, Removal::Content(_)) {
                    batch.warn_at(
                        "paragraph_kept",
                        &at,
                        "An empty paragraph was kept, because the document needs one there.",
                    );
                }
                batch.report(
                    Spotted::Kept { part: target.part, start },
                    Some(text),
                    Some(String::new()),
                    None,
                );
            }
        }
    }
    Ok(())
}

/// Which of the paragraphs go whole and which only lose their content, because a paragraph is needed in their place. `gone` names
/// other blocks that go at the same time.
pub(super) fn removals(xml: &Xml, paragraphs: &[NodeId], gone: impl Fn(NodeId) -> bool) -> Vec<Removal> {
    let mut kept: Vec<NodeId> = Vec::new();
    for (position, paragraph) in paragraphs.iter().enumerate().rev() {
        // Blocks after this one that stay: the ones not deleted, and the ones kept as empty paragraphs.
        let stays = |block: &NodeId| !(paragraphs.contains(block) || gone(*block)) || kept.contains(block);
        let following =
            std::iter::successors(next_block(xml, *paragraph), |block| next_block(xml, *block)).find(stays);
        let goes_before = |block: &NodeId| paragraphs[..position].contains(block);
        let before =
            || std::iter::successors(previous_block(xml, *paragraph), |block| previous_block(xml, *block));
        let stays_before = |block: &NodeId| !(goes_before(block) || gone(*block));
        let preceding = before().find(stays_before);
        // Of a stretch of deleted paragraphs the first decides: the others have a deleted one before them.
        let is_first_of_stretch =
            !before().take_while(|block| !stays_before(block)).any(|block| goes_before(&block));
        if is_first_of_stretch && is_needed(xml, *paragraph, preceding, following) {
            kept.push(*paragraph);
        }
    }
    let removal = |paragraph: &NodeId| match kept.contains(paragraph) {
        true => Removal::Content(*paragraph),
        false => Removal::Whole(*paragraph),
    };
    paragraphs.iter().map(removal).collect()
}

/// Whether a paragraph must stand between what precedes and what follows.
fn is_needed(xml: &Xml, paragraph: NodeId, preceding: Option<NodeId>, following: Option<NodeId>) -> bool {
    match (preceding, following) {
        // The last block of a cell, note, header, box, control or body: Word does not open a cell without a paragraph at its end
        // (MS-OI29500, 2.1.168).
        (None, None) => true,
        (Some(before), None) => {
            let container = xml.parent(paragraph);
            let is_control = container.is_some_and(|container| xml.is(container, Ns::W, "sdtContent"));
            !is_control && is_table_at(xml, before, Position::After)
        }
        // Word joins adjacent tables into one.
        (Some(before), Some(after)) => {
            is_table_at(xml, before, Position::After) && is_table_at(xml, after, Position::Before)
        }
        (None, Some(_)) => false,
    }
}

/// A paragraph that ends a section hands its section properties to the one before it.
fn move_sections(xml: &Xml, removals: &[Removal], splices: &mut Splices) -> Result<(), EditError> {
    for removal in removals {
        let Removal::Whole(paragraph) = *removal else { continue };
        let section = section_of(xml, paragraph);
        let Some(section) = section else { continue };
        let is_gone = |block: &NodeId| removals.contains(&Removal::Whole(*block));
        let before =
            std::iter::successors(previous_block(xml, paragraph), |block| previous_block(xml, *block))
                .find(|block| !is_gone(block));
        let takes = before.filter(|block| xml.is(*block, Ns::W, "p") && section_of(xml, *block).is_none());
        let Some(neighbour) = takes else {
            return Err(would_damage(
                "The paragraph ends a section, and no paragraph before it can take the section's settings."
                    .into(),
            )
            .hint("Change its text to nothing instead of deleting it."));
        };
        give_section(xml, neighbour, xml.raw(section), splices);
    }
    Ok(())
}

pub(super) fn section_of(xml: &Xml, paragraph: NodeId) -> Option<NodeId> {
    xml.child(xml.child(paragraph, Ns::W, "pPr")?, Ns::W, "sectPr")
}

fn give_section(xml: &Xml, paragraph: NodeId, section: &str, splices: &mut Splices) {
    let names = Names::at(xml, paragraph);
    match xml.child(paragraph, Ns::W, "pPr") {
        Some(properties) if xml.is_empty_tag(properties) => fill_empty_tag(xml, properties, section, splices),
        Some(properties) => {
            // `sectPr` comes before `pPrChange`, which is the last (ECMA-376-1, 17.3.1.26).
            let change = xml.child(properties, Ns::W, "pPrChange");
            let at = change.map_or(xml.content(properties).end, |change| xml.span(change).start);
            splices.insert(at, section);
        }
        None if xml.is_empty_tag(paragraph) => {
            fill_empty_tag(xml, paragraph, &names.wrap("pPr", section), splices);
        }
        None => splices.insert(xml.content(paragraph).start, names.wrap("pPr", section)),
    }
}
