//! The end of every operation on text: locks respected, parts written, changes recorded, and what the user should know about them.

use super::{
    anchors::{anchor_message, anchored_comments, shape_of, with_id},
    deck::SlideEntry,
    overflow::{Fit, fit},
    parts::Parts,
    rewrite::TextChange,
    session::{Session, Spot},
    shapes::shapes,
    stories::Story,
};
use crate::{EditError, package::PartName};

/// What an operation must know about a story after it was planned.
pub(super) struct StoryFacts {
    pub(super) locked: bool,
    pub(super) untwinned: bool,
}

impl Story {
    pub(super) fn facts(&self) -> StoryFacts {
        StoryFacts { locked: self.locked, untwinned: self.is_untwinned() }
    }
}

/// What happened to one text of a slide.
pub(super) struct Outcome {
    entry: SlideEntry,
    spot: Spot,
    facts: StoryFacts,
    changes: Vec<TextChange>,
}

impl Outcome {
    pub(super) fn new(
        entry: &SlideEntry,
        inside: impl Into<String>,
        facts: StoryFacts,
        changes: Vec<TextChange>,
    ) -> Outcome {
        let changes = changes.into_iter().filter(|change| change.before != change.after).collect();
        Outcome { entry: entry.clone(), spot: Spot::new(&entry.key, inside), facts, changes }
    }

    /// Whether there is more text than before; cells and notes grow with theirs.
    fn grows(&self) -> bool {
        let length = |text: &str| text.chars().count() + 8 * text.matches(['\n', '\u{B}']).count();
        let is_shape = shape_of(&self.spot.inside).is_some() && self.spot.inside.matches('.').count() == 1;
        is_shape && self.changes.iter().any(|change| length(&change.after) > length(&change.before))
    }
}

/// Records and writes what was planned.
pub(super) fn finish(
    session: &mut Session<'_, '_>,
    written: Vec<(PartName, Vec<u8>)>,
    mut outcomes: Vec<Outcome>,
) -> Result<(), EditError> {
    outcomes.retain(|outcome| !outcome.changes.is_empty());
    let fits = |session: &Session<'_, '_>| -> Vec<Option<Fit>> {
        let parts = Parts::of(&session.package);
        outcomes.iter().map(|outcome| outcome.grows().then(|| judged(&parts, outcome)).flatten()).collect()
    };
    let before = fits(session);
    for Outcome { entry, spot, facts, changes } in &outcomes {
        if facts.locked {
            session.override_or_refuse(
                Some(spot.clone()),
                "The text of this shape is locked against editing.",
            )?;
        }
        if facts.untwinned {
            session.warn(
                Some(spot.clone()),
                "fallback_not_updated",
                "For older programs the slide also holds a picture of this shape, which still shows the old text.",
            );
        }
        for change in changes {
            session.record(spot.clone(), Some(change.before.clone()), Some(change.after.clone()), None);
        }
        warn_about_anchors(session, entry, spot)?;
    }
    session.write(written)?;
    let after = fits(session);
    for ((outcome, before), after) in outcomes.iter().zip(before).zip(after) {
        warn_if_over(session, &outcome.spot, before, after);
    }
    Ok(())
}

fn warn_about_anchors(
    session: &mut Session<'_, '_>,
    entry: &SlideEntry,
    spot: &Spot,
) -> Result<(), EditError> {
    let Some(shape) = shape_of(&spot.inside) else { return Ok(()) };
    let count = anchored_comments(&session.package, &entry.part, shape)?;
    if count > 0 {
        session.warn(Some(spot.clone()), "comment_anchor", anchor_message(count));
    }
    Ok(())
}

/// How the text of an outcome's shape fits; an estimate that cannot be made is none.
fn judged(parts: &Parts<'_, '_>, outcome: &Outcome) -> Option<Fit> {
    let xml = parts.xml(&outcome.entry.part).ok()?;
    let all = shapes(&xml);
    let shape = with_id(&all, shape_of(&outcome.spot.inside)?)?;
    fit(parts, &outcome.entry.part, &xml, shape).ok()?
}

/// A text that ran over before and does so no more than before is not worth a word.
fn warn_if_over(session: &mut Session<'_, '_>, spot: &Spot, before: Option<Fit>, after: Option<Fit>) {
    let Some(after) = after.filter(Fit::is_over) else { return };
    if before.is_some_and(|before| before.is_over() && before.needed >= after.needed) {
        return;
    }
    let message = format!(
        "The text needs about {} % of the room in its box, which has a fixed size; it will probably run over the edge.",
        after.percent()
    );
    session.warn(Some(spot.clone()), "text_overflow", message);
}

/// Warns about the shapes of a new slide whose text does not fit.
pub(super) fn warn_about_new(session: &mut Session<'_, '_>, entry: &SlideEntry) {
    let over = over(&Parts::of(&session.package), entry);
    for (spot, fit) in over.unwrap_or_default() {
        warn_if_over(session, &spot, None, Some(fit));
    }
}

fn over(parts: &Parts<'_, '_>, entry: &SlideEntry) -> Option<Vec<(Spot, Fit)>> {
    let xml = parts.xml(&entry.part).ok()?;
    let fits = shapes(&xml).into_iter().filter_map(|shape| {
        let fit = fit(parts, &entry.part, &xml, &shape).ok()??;
        Some((Spot::new(&entry.key, format!(".shape{}", shape.id)), fit))
    });
    Some(fits.collect())
}
