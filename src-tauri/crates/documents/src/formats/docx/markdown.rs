//! `docx_insert_markdown`: Markdown becomes blocks in the document's own styles, numbering and relationships.
//!
//! Reading is `read`, writing is `write`; what the document lacks (`definitions`) is made first, and only that. Images and footnotes
//! are refused, never dropped.

mod read;
mod write;

use super::{
    batch::{Batch, EditKind, Target},
    blocks::{is_table_at, next_block, previous_block},
    insert::{plan_insertion, report_new},
    properties::{Look, look_like},
};
use crate::{EditError, edit::Position, package::xml::Splices};
use read::{Block, Kind, Markdown};
use write::Writer;

pub(super) fn insert_markdown(
    batch: &mut Batch<'_>,
    index: Option<usize>,
    at: Option<&str>,
    position: Position,
    text: &str,
) -> Result<(), EditError> {
    let target = batch.paragraph(index, at)?;
    batch.check_protection(EditKind::Text)?;
    let tracking = batch.tracking()?;
    let Markdown { mut blocks, comments } = read::read(text)?;
    if blocks.is_empty() {
        return Err(EditError::new(
            crate::error::EditErrorKind::InvalidArguments,
            "The Markdown text holds nothing that can be inserted.",
        ));
    }
    part_tables(&target, position, &mut blocks);
    let body = body_look(batch, &target)?;
    let writer = Writer::new(batch, &target, &blocks, body)?;
    let mut splices = Splices::default();
    let written = plan_insertion(batch, &target, position, &mut splices, |names| {
        blocks.iter().map(|block| writer.block(block, names, tracking.as_ref())).collect()
    })?;
    batch.commit(target.part, &target.loaded, splices)?;
    report_new(batch, target.part, &written, blocks.iter().map(Block::text).collect());
    if comments > 0 {
        batch.warn_once(
            "html_comment_left_out",
            "Comments in the Markdown text show nothing and were not inserted.".into(),
        );
    }
    Ok(())
}

/// Body text looks like the paragraph beside it, unless that one is a heading, a list item or the like.
fn body_look(batch: &mut Batch<'_>, target: &Target) -> Result<Look, EditError> {
    let styles = batch.styles()?;
    let (xml, index) = (&target.loaded.xml, &target.loaded.index);
    let paragraph = target.entry().node;
    let look = look_like(xml, index, paragraph);
    let style = super::properties::style_of(xml, &styles, paragraph);
    let is_special = style.is_some_and(|style| {
        style.next.as_ref().is_some_and(|next| *next != style.id)
            || styles.inherited(&style.id, |style| style.num_id.or(style.outline_level)).is_some()
    });
    let is_listed = look.body.contains("numPr") || look.body.contains("outlineLvl");
    Ok(if is_special || is_listed { Look::default() } else { look })
}

/// Two tables that touch would become one, and a flow of text ends with a paragraph: empty paragraphs go between.
fn part_tables(target: &Target, position: Position, blocks: &mut Vec<Block>) {
    let xml = &target.loaded.xml;
    let paragraph = target.entry().node;
    let (before, after) = match position {
        Position::Before => (previous_block(xml, paragraph), Some(paragraph)),
        Position::After => (Some(paragraph), next_block(xml, paragraph)),
    };
    let is_table = |block: Option<&Block>| matches!(block, Some(Block::Table { .. }));
    let empty = || Block::Paragraph { kind: Kind::Body, inlines: Vec::new() };
    if is_table(blocks.last()) && after.is_none_or(|block| is_table_at(xml, block, Position::Before)) {
        blocks.push(empty());
    }
    if is_table(blocks.first()) && before.is_some_and(|block| is_table_at(xml, block, Position::After)) {
        blocks.insert(0, empty());
    }
    for position in (1..blocks.len()).rev() {
        if is_table(blocks.get(position)) && is_table(blocks.get(position - 1)) {
            blocks.insert(position, empty());
        }
    }
}
