//! Table cells and rows: the text of a cell, a row put in or taken out, with merged cells kept right.

use super::{
    batch::{Batch, EditKind, Spotted, Target},
    index::EntryKind,
    insert::{plan_insertion, report_new},
    markup::{normalized, paragraphs_of},
    properties::look_like,
    removal::{Moves, Removal, plan_removal},
    rewrite::would_damage,
    rows::{Merge, cells_of},
    set_text::{fitting_hunks, plan_text},
    tracked_delete,
    view::{View, text_of},
};
use crate::{
    EditError,
    edit::Position,
    error::EditErrorKind,
    package::xml::{Ns, Splices},
};

/// Sets the text of a cell of a body table.
pub(super) fn set_table_cell(
    batch: &mut Batch<'_>,
    table: usize,
    row: usize,
    col: usize,
    text: &str,
) -> Result<(), EditError> {
    let cell = find_in_table(batch, table, row, Some(col))?;
    refuse_hidden_cell(&cell)?;
    let paragraphs = direct_paragraphs(&cell)?;
    let (xml, index) = (&cell.loaded.xml, &cell.loaded.index);
    let old: Vec<String> =
        paragraphs.iter().map(|entry| text_of(xml, index, index.entries[*entry].node)).collect();
    let new = texts_for(&normalized(text), &old);
    if old == new {
        return Ok(());
    }
    batch.check_protection(EditKind::Text)?;
    let start = cell.entry().start;
    plan_cell(batch, &cell, &paragraphs, &old, &new)?;
    batch.report(Spotted::Kept { part: cell.part, start }, Some(old.join("\n")), Some(new.join("\n")), None);
    Ok(())
}

/// Which text each paragraph of the cell gets; single lines fit a cell that already has one paragraph a line.
fn texts_for(text: &str, old: &[String]) -> Vec<String> {
    let joined = old.join("\n");
    if joined == text {
        return old.to_vec();
    }
    let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let parts = paragraphs_of(text);
    match old {
        [only] if only.contains("\n\n") => vec![text.to_owned()],
        [_, _, ..] if parts.len() != old.len() && lines.len() == old.len() => lines,
        _ => parts,
    }
}

/// The paragraphs that stand in a cell itself.
fn direct_paragraphs(cell: &Target) -> Result<Vec<usize>, EditError> {
    let at = &cell.entry().at;
    let mut paragraphs = Vec::new();
    for (position, entry) in cell.loaded.index.entries.iter().enumerate().skip(cell.entry + 1) {
        let Some(rest) = entry.at.strip_prefix(at.as_str()).and_then(|rest| rest.strip_prefix('.')) else {
            if entry.start >= cell.loaded.xml.span(cell.entry().node).end {
                break;
            }
            continue;
        };
        match entry.kind {
            EntryKind::Table => {
                return Err(would_damage(format!("The cell {at} holds a table of its own."))
                    .hint("Change the paragraphs in the cell by their addresses, with docx_set_paragraph."));
            }
            EntryKind::Paragraph if !rest.contains('.') => paragraphs.push(position),
            EntryKind::Paragraph | EntryKind::Row | EntryKind::Cell => {}
        }
    }
    if paragraphs.is_empty() {
        return Err(would_damage(format!("The cell {at} holds no paragraph.")));
    }
    Ok(paragraphs)
}

/// One commit: paragraphs change, surplus ones go, missing ones come after the last.
fn plan_cell(
    batch: &mut Batch<'_>,
    cell: &Target,
    paragraphs: &[usize],
    old: &[String],
    new: &[String],
) -> Result<(), EditError> {
    let (xml, index) = (&cell.loaded.xml, &cell.loaded.index);
    let tracking = batch.tracking()?;
    let mut splices = Splices::default();
    for ((entry, before), after) in paragraphs.iter().zip(old).zip(new) {
        let one = Target { entry: *entry, ..cell.clone() };
        if before != after {
            let view = View::of(xml, index, one.entry().node);
            let changes = fitting_hunks(&one, &view, after);
            plan_text(batch, &one, &changes, tracking.as_ref(), &mut splices)?;
        }
    }
    let surplus: Vec<Removal> =
        paragraphs.iter().skip(new.len()).map(|entry| Removal::Whole(index.entries[*entry].node)).collect();
    let mut aftermath = super::removal::Aftermath::default();
    match &tracking {
        Some(tracking) => tracked_delete::paragraphs(cell, &surplus, tracking, &mut splices)?,
        None if surplus.is_empty() => {}
        None => aftermath = plan_removal(batch, cell, &surplus, Moves::Refuse, &mut splices)?,
    }
    let missing: Vec<String> = new.iter().skip(old.len()).cloned().collect();
    if let (Some(last), false) = (paragraphs.last(), missing.is_empty()) {
        let one = Target { entry: *last, ..cell.clone() };
        let look = look_like(xml, index, one.entry().node);
        plan_insertion(batch, &one, Position::After, &mut splices, |names| {
            missing.iter().map(|text| look.paragraph(names, text, tracking.as_ref())).collect()
        })?;
    }
    batch.commit(cell.part, &cell.loaded, splices)?;
    super::notes::remove(batch, &aftermath)?;
    super::comments::remove(batch, &aftermath.comments)
}

/// A cell or row of a body table, or the refusal that says how large the table is.
pub(super) fn find_in_table(
    batch: &mut Batch<'_>,
    table: usize,
    row: usize,
    col: Option<usize>,
) -> Result<Target, EditError> {
    let whole = batch.find(&format!("t{table}"))?;
    let at = match col {
        Some(col) => format!("t{table}.r{row}.c{col}"),
        None => format!("t{table}.r{row}"),
    };
    batch.find(&at).map_err(|error| {
        let rows = whole.loaded.index.entries.iter().filter(|entry| {
            entry.kind == EntryKind::Row
                && entry.at.rsplit_once('.').is_some_and(|(table, _)| table == whole.entry().at)
        });
        let rows = rows.count();
        error.hint(format!("The table t{table} has {rows} rows; the outline shows its cells."))
    })
}

/// A cell that a merged one covers is not seen.
fn refuse_hidden_cell(cell: &Target) -> Result<(), EditError> {
    let xml = &cell.loaded.xml;
    let row = xml.ancestors(cell.entry().node).find(|node| xml.is(*node, Ns::W, "tr"));
    let own = row.and_then(|row| cells_of(xml, row).into_iter().find(|own| own.node == cell.entry().node));
    if own.is_some_and(|own| own.merge == Merge::Continue) {
        return Err(EditError::new(
            EditErrorKind::WouldDamage,
            format!(
                "{} is covered by a merged cell above it; text in it would not be seen.",
                cell.entry().at
            ),
        )
        .hint("Set the text of the first cell of the merged ones."));
    }
    Ok(())
}

/// Inserts a row before `row`; one more than the last row appends.
pub(super) fn insert_table_row(
    batch: &mut Batch<'_>,
    table: usize,
    row: usize,
    cells: &[String],
) -> Result<(), EditError> {
    batch.check_protection(EditKind::Text)?;
    let tracking = batch.tracking()?;
    let (anchor, position) = match find_in_table(batch, table, row, None) {
        Ok(anchor) => (anchor, Position::Before),
        Err(error) if row < 2 => return Err(error),
        Err(error) => match find_in_table(batch, table, row - 1, None) {
            Ok(last) if super::rows::next_row(&last).is_none() => (last, Position::After),
            _ => return Err(error),
        },
    };
    let mut splices = Splices::default();
    let written = super::rows::plan_new_row(&anchor, position, cells, tracking.as_ref(), &mut splices)?;
    batch.commit(anchor.part, &anchor.loaded, splices)?;
    report_new(batch, anchor.part, &written, vec![cells.join(" | ")]);
    Ok(())
}

/// Deletes a row; the last one takes the table with it.
pub(super) fn delete_table_row(batch: &mut Batch<'_>, table: usize, row: usize) -> Result<(), EditError> {
    let target = find_in_table(batch, table, row, None)?;
    batch.check_protection(EditKind::Text)?;
    let tracking = batch.tracking()?;
    let (xml, index) = (&target.loaded.xml, &target.loaded.index);
    let at = target.entry().at.clone();
    let text: Vec<String> = index
        .paragraphs()
        .filter(|(_, entry)| entry.at.starts_with(&format!("{at}.")))
        .map(|(_, entry)| text_of(xml, index, entry.node))
        .collect();
    let mut splices = Splices::default();
    let mut aftermath = super::removal::Aftermath::default();
    match &tracking {
        Some(tracking) => super::rows::plan_tracked_removal(&target, tracking, &mut splices)?,
        None => {
            let removal = super::rows::plan_row_removal(&target, &mut splices)?;
            aftermath = plan_removal(batch, &target, &[removal], Moves::Refuse, &mut splices)?;
        }
    }
    let (start, is_tracked) = (target.entry().start, tracking.is_some());
    batch.commit(target.part, &target.loaded, splices)?;
    super::notes::remove(batch, &aftermath)?;
    super::comments::remove(batch, &aftermath.comments)?;
    let spotted = match is_tracked {
        true => Spotted::Kept { part: target.part, start },
        false => Spotted::Gone { part: target.part, start, at },
    };
    batch.report(spotted, Some(text.join(" | ")), None, Some("structure"));
    Ok(())
}
