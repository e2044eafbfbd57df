//! `docx_insert_paragraph` and `docx_append_paragraph`: new blocks beside blocks, never inside one.

use super::{
    batch::{Batch, EditKind, Spotted, Target},
    blocks::{self, outside_controls},
    index::StoryKind,
    markup::{Names, normalized, paragraphs_of},
    properties::{Look, look_beside, named_style},
    rewrite::would_damage,
    tracking::Tracking,
};
use crate::{
    EditError,
    edit::Position,
    package::xml::{NodeId, Ns, Splices, Xml},
};

pub(super) fn insert_paragraph(
    batch: &mut Batch<'_>,
    index: Option<usize>,
    at: Option<&str>,
    position: Position,
    text: &str,
    style: Option<&str>,
) -> Result<(), EditError> {
    let target = batch.paragraph(index, at)?;
    batch.check_protection(EditKind::Text)?;
    let tracking = batch.tracking()?;
    let look = look(batch, &target, position, style)?;
    let texts = paragraphs_of(&normalized(text));
    let mut splices = Splices::default();
    let written = plan_insertion(batch, &target, position, &mut splices, |names| {
        paragraphs(&look, names, &texts, tracking.as_ref())
    })?;
    batch.commit(target.part, &target.loaded, splices)?;
    report_new(batch, target.part, &written, texts);
    Ok(())
}

/// The look for a paragraph beside the target: a named style, or what fits there.
fn look(
    batch: &mut Batch<'_>,
    target: &Target,
    position: Position,
    style: Option<&str>,
) -> Result<Look, EditError> {
    let styles = batch.styles()?;
    let (xml, index) = (&target.loaded.xml, &target.loaded.index);
    let paragraph = target.entry().node;
    match style {
        None => look_beside(xml, index, &styles, paragraph, position),
        Some(name) => {
            let style = named_style(&styles, name)?;
            // A neighbour of the same style lends its numbering and formatting too.
            let same =
                super::properties::style_of(xml, &styles, paragraph).is_some_and(|own| own.id == style.id);
            match same {
                true => Ok(super::properties::look_like(xml, index, paragraph)),
                false => Look::of_style(style, &Names::at(xml, paragraph)),
            }
        }
    }
}

/// New blocks as written: where, and how long each is.
pub(super) struct Written {
    at: usize,
    lengths: Vec<usize>,
}

impl Written {
    /// One block.
    pub(super) fn one(at: usize, length: usize) -> Written {
        Written { at, lengths: vec![length] }
    }
}

fn paragraphs(
    look: &Look,
    names: &Names,
    texts: &[String],
    tracking: Option<&Tracking<'_>>,
) -> Result<Vec<String>, EditError> {
    texts.iter().map(|text| look.paragraph(names, text, tracking)).collect()
}

/// Plans blocks beside a paragraph, and beside its twins in other branches.
pub(super) fn plan_insertion(
    batch: &mut Batch<'_>,
    target: &Target,
    position: Position,
    splices: &mut Splices,
    write: impl Fn(&Names) -> Result<Vec<String>, EditError>,
) -> Result<Written, EditError> {
    let (xml, index) = (&target.loaded.xml, &target.loaded.index);
    let entry = target.entry();
    blocks::refuse_split_and_tracked_boxes(batch, target)?;
    let mut written = None;
    for paragraph in std::iter::once(entry.node).chain(index.twins(entry.node).iter().copied()) {
        let position = around_required_paragraph(xml, paragraph, position);
        let at = outside_controls(xml, paragraph, position);
        check_fields(batch, target, paragraph, position)?;
        let blocks = write(&Names::beside(xml, paragraph))?;
        splices.insert(at, blocks.concat());
        written.get_or_insert(Written { at, lengths: blocks.iter().map(String::len).collect() });
    }
    written.ok_or_else(|| would_damage("There is no place for the new paragraph.".into()))
}

/// The empty paragraph that must follow a table at the end of a cell stays the last but one at most: new text goes behind it.
fn around_required_paragraph(xml: &Xml, paragraph: NodeId, position: Position) -> Position {
    let is_required = xml.parent(paragraph).is_some_and(|parent| xml.is(parent, Ns::W, "tc"))
        && blocks::next_block(xml, paragraph).is_none()
        && blocks::previous_block(xml, paragraph).is_some_and(|block| xml.is(block, Ns::W, "tbl"))
        && !xml.children(paragraph).any(|child| !xml.is(child, Ns::W, "pPr"));
    if is_required { Position::After } else { position }
}

/// Text in a field's code would not be seen; text in a result is lost at the next update.
fn check_fields(
    batch: &mut Batch<'_>,
    target: &Target,
    paragraph: NodeId,
    position: Position,
) -> Result<(), EditError> {
    let (xml, index) = (&target.loaded.xml, &target.loaded.index);
    let view = super::view::View::of(xml, index, paragraph);
    let open = match position {
        Position::Before => &view.open_before,
        Position::After => &view.open_after,
    };
    let border = match position {
        Position::Before => xml.span(paragraph).start,
        Position::After => xml.span(paragraph).end,
    };
    for field in open {
        let in_result =
            index.fields.all[*field].separate.is_some_and(|separate| xml.span(separate).start < border);
        if !in_result {
            return Err(would_damage("A paragraph there would lie in the code of a field.".into())
                .hint("Insert before the field begins or after it ends."));
        }
    }
    if !open.is_empty() {
        let message = "The new paragraph lies in the result of a field (a table of contents or the like); updating the field removes it.";
        batch.warn_at("field_result_edited", &target.entry().at.clone(), message);
    }
    Ok(())
}

/// Reports new paragraphs; call it after the commit.
pub(super) fn report_new(batch: &mut Batch<'_>, part: usize, written: &Written, texts: Vec<String>) {
    let mut relative = 0;
    for (length, text) in written.lengths.iter().zip(texts) {
        batch.report(Spotted::New { part, at: written.at, relative }, None, Some(text), None);
        relative += length;
    }
}

/// Adds paragraphs at the end of the body, before its last section's properties.
pub(super) fn append_paragraph(
    batch: &mut Batch<'_>,
    text: &str,
    style: Option<&str>,
) -> Result<(), EditError> {
    batch.check_protection(EditKind::Text)?;
    let tracking = batch.tracking()?;
    let loaded = batch.load(0)?;
    let xml = &loaded.xml;
    let body = blocks::body(&loaded)?;
    let last = loaded
        .index
        .entries
        .iter()
        .rposition(|entry| entry.index.is_some() && loaded.index.story_kind(entry) == StoryKind::Body);
    let names = match last {
        Some(entry) => Names::beside(xml, loaded.index.entries[entry].node),
        None => Names::at(xml, body),
    };
    let look = match (last, style) {
        (Some(entry), _) => {
            let target = Target { part: 0, loaded: loaded.clone(), entry };
            look(batch, &target, Position::After, style)?
        }
        (None, Some(name)) => Look::of_style(named_style(&*batch.styles()?, name)?, &names)?,
        (None, None) => Look::default(),
    };
    let texts = paragraphs_of(&normalized(text));
    let blocks = paragraphs(&look, &names, &texts, tracking.as_ref())?;
    let mut splices = Splices::default();
    let at = blocks::end_of_body(xml, body);
    if xml.is_empty_tag(body) {
        super::rewrite::fill_empty_tag(xml, body, &blocks.concat(), &mut splices);
    } else {
        splices.insert(at, blocks.concat());
    }
    batch.commit(0, &loaded, splices)?;
    let written = Written { at, lengths: blocks.iter().map(String::len).collect() };
    report_new(batch, 0, &written, texts);
    Ok(())
}
