//! `docx_set_paragraph`, and the one way in which every operation changes the text of a paragraph.

use super::{
    batch::{Batch, EditKind, Spotted, Target},
    controls,
    difference::{Hunk, fine_hunks, hunks},
    index::StoryKind,
    insert::{plan_insertion, report_new},
    markup::{normalized, paragraphs_of},
    properties::look_like,
    rewrite::{rewrite, would_damage},
    tracking::Tracking,
    view::{View, text_of},
};
use crate::{
    EditError, Place,
    edit::Position,
    error::EditErrorKind,
    package::xml::{NodeId, Splices},
};

/// Sets the whole text of a paragraph.
pub(super) fn set_paragraph(
    batch: &mut Batch<'_>,
    index: Option<usize>,
    at: Option<&str>,
    text: &str,
    expect_prefix: Option<&str>,
) -> Result<(), EditError> {
    let target = batch.paragraph(index, at)?;
    let view = View::of(&target.loaded.xml, &target.loaded.index, target.entry().node);
    check_prefix(&target, &view.text, expect_prefix)?;
    let text = normalized(text);
    let parts = paragraphs_of(&text);
    // A paragraph that holds blank lines of its own keeps them as line breaks.
    if parts.len() < 2 || view.text.contains("\n\n") {
        let changes = fitting_hunks(&target, &view, &text);
        return change_text(batch, &target, &[(target.entry, changes)]);
    }
    set_and_continue(batch, &target, &view.text, &parts)
}

/// The difference that the paragraph can take: in one piece where the texts have little in common, word by word where that would
/// cross a border.
pub(super) fn fitting_hunks(target: &Target, view: &View, text: &str) -> Vec<Hunk> {
    let coarse = hunks(&view.text, text);
    let (xml, index) = (&target.loaded.xml, &target.loaded.index);
    let fits = |hunks: &[Hunk]| rewrite(xml, index, view, hunks, None, &mut Splices::default()).is_ok();
    if coarse.len() == 1 && !fits(&coarse) {
        let fine = fine_hunks(&view.text, text);
        if fits(&fine) {
            return fine;
        }
    }
    coarse
}

/// Text with blank lines: the first part becomes the paragraph's text, the others follow as paragraphs like it.
fn set_and_continue(
    batch: &mut Batch<'_>,
    target: &Target,
    before: &str,
    parts: &[String],
) -> Result<(), EditError> {
    batch.check_protection(EditKind::Text)?;
    let tracking = batch.tracking()?;
    let (xml, index) = (&target.loaded.xml, &target.loaded.index);
    let look = look_like(xml, index, target.entry().node);
    let mut splices = Splices::default();
    let changes = fitting_hunks(target, &View::of(xml, index, target.entry().node), &parts[0]);
    plan_text(batch, target, &changes, tracking.as_ref(), &mut splices)?;
    let written = plan_insertion(batch, target, Position::After, &mut splices, |names| {
        parts[1..].iter().map(|text| look.paragraph(names, text, tracking.as_ref())).collect()
    })?;
    let start = target.entry().start;
    batch.commit(target.part, &target.loaded, splices)?;
    if before != parts[0] {
        let (before, after) = (before.to_owned(), parts[0].clone());
        batch.report(Spotted::Kept { part: target.part, start }, Some(before), Some(after), None);
    }
    report_new(batch, target.part, &written, parts[1..].to_vec());
    Ok(())
}

/// Refuses when the paragraph does not begin as the caller believes.
pub(super) fn check_prefix(target: &Target, text: &str, expected: Option<&str>) -> Result<(), EditError> {
    match expected {
        Some(prefix) if !text.starts_with(&normalized(prefix)) => {
            let at = &target.entry().at;
            let message = format!("{at} does not begin with \"{prefix}\".");
            Err(EditError::new(EditErrorKind::PrefixMismatch, message)
                .hint("Read the outline again and use the paragraph's real text.")
                .matches(vec![Place { location: at.clone(), text: shortened(text) }]))
        }
        _ => Ok(()),
    }
}

/// Text cut for display.
pub(super) fn shortened(text: &str) -> String {
    const SHOWN: usize = 160;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Changes the text of paragraphs of one part; `edits` gives the position of each in the index with its hunks.
pub(super) fn change_text(
    batch: &mut Batch<'_>,
    target: &Target,
    edits: &[(usize, Vec<Hunk>)],
) -> Result<(), EditError> {
    let edits: Vec<&(usize, Vec<Hunk>)> = edits.iter().filter(|(_, hunks)| !hunks.is_empty()).collect();
    if edits.is_empty() {
        return Ok(());
    }
    batch.check_protection(EditKind::Text)?;
    let tracking = batch.tracking()?;
    let mut splices = Splices::default();
    let mut reports = Vec::new();
    for (entry, hunks) in edits {
        let one = Target { entry: *entry, ..target.clone() };
        let before = text_of(&one.loaded.xml, &one.loaded.index, one.entry().node);
        plan_text(batch, &one, hunks, tracking.as_ref(), &mut splices)?;
        let mut after = before.clone();
        for hunk in hunks.iter().rev() {
            after.replace_range(hunk.old.clone(), &hunk.new);
        }
        reports.push((one.entry().start, before, after));
    }
    batch.commit(target.part, &target.loaded, splices)?;
    if let Some(tracking) = &tracking {
        let starts: Vec<usize> = reports.iter().map(|(start, ..)| *start).collect();
        super::revisions::drop_spent_insertions(batch, target.part, &starts, tracking.author)?;
    }
    for (start, before, after) in reports {
        batch.report(Spotted::Kept { part: target.part, start }, Some(before), Some(after), None);
    }
    Ok(())
}

/// Plans the hunks of one paragraph and of its twins in other branches, with the rules for what they touch.
pub(super) fn plan_text(
    batch: &mut Batch<'_>,
    target: &Target,
    hunks: &[Hunk],
    tracking: Option<&Tracking<'_>>,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let (xml, index) = (&target.loaded.xml, &target.loaded.index);
    let entry = target.entry();
    if tracking.is_some() && target.story_kind() == StoryKind::TextBox {
        return Err(would_damage(
            "Tracked changes inside a text box are not written: Word may refuse the file.".into(),
        )
        .hint("Make this edit with `track_changes` set to false."));
    }
    if index.is_split(entry.node) {
        return Err(would_damage(format!(
            "{} exists in several branches of alternate content that do not hold the same text.",
            entry.at
        )));
    }
    let paragraphs: Vec<NodeId> =
        std::iter::once(entry.node).chain(index.twins(entry.node).iter().copied()).collect();
    for paragraph in paragraphs {
        let view = View::of(xml, index, paragraph);
        let touched = rewrite(xml, index, &view, hunks, tracking, splices)?;
        controls::follow(batch, target, &view, hunks, &touched, splices)?;
        warn_fields(batch, target, &touched);
    }
    Ok(())
}

/// A field's result is overwritten at its next update.
fn warn_fields(batch: &mut Batch<'_>, target: &Target, touched: &super::rewrite::Touched) {
    let (xml, index) = (&target.loaded.xml, &target.loaded.index);
    let complex = touched.fields.iter().map(|field| index.fields.code(xml, *field));
    let simple = touched
        .simple_fields
        .iter()
        .map(|field| xml.value(*field, crate::package::xml::Ns::W, "instr").unwrap_or_default().into_owned());
    let codes: Vec<String> = complex.chain(simple).collect();
    for code in codes {
        let word = code.split_whitespace().next().unwrap_or_default().to_uppercase();
        if matches!(word.as_str(), "FORMTEXT" | "HYPERLINK" | "FORMDROPDOWN") {
            continue;
        }
        let message =
            format!("The changed text is the result of a {word} field; updating the field replaces it.");
        batch.warn_at("field_result_edited", &target.entry().at.clone(), &message);
    }
}
