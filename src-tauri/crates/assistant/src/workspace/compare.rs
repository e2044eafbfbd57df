//! What differs between two contents of one document, for history, diffs and previews.
//!
//! Text is compared line by line; Office documents by what their outlines say of each place. Who made the difference is not known here.

use std::time::{Duration, Instant};

use documents::{
    Change, Format, Limits, Outline, OutlineRequest, PackageReport, diff::TextDiff, formats::text::decode,
};
use similar::{Algorithm, DiffOp};

use super::{Stop, Workspace, WorkspaceError, verify::package_report};

/// More than any outline of a document within the limits.
const WHOLE_DOCUMENT: usize = 64 << 20;
/// Changes told for a whole-document comparison; the rest is counted.
const CHANGES_TOLD: usize = 2_000;
/// After this a comparison becomes coarser rather than slower.
const DIFF_TIME: Duration = Duration::from_secs(5);

/// The difference between two contents.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    pub changes: Vec<Change>,
    pub package: Option<PackageReport>,
    pub text_diff: Option<TextDiff>,
    /// Of texts.
    pub unified: Option<String>,
}

impl Workspace {
    /// Compares two contents of one file.
    pub fn compare(
        &self,
        format: Format,
        a: &[u8],
        b: &[u8],
        stop: &Stop,
    ) -> Result<Comparison, WorkspaceError> {
        let limits = &self.options.limits;
        let changes = whole_changes(format, a, b, limits, stop);
        stop.check()?;
        if format != Format::Text {
            let package = package_report(a, b, limits, stop).ok();
            return Ok(Comparison { changes, package, text_diff: None, unified: None });
        }
        let (before, after) = (decode(a, limits)?, decode(b, limits)?);
        let text_diff = documents::diff::diff(&before, &after);
        let unified = unified(&before, &after, ("before", "after"));
        Ok(Comparison { changes, package: None, text_diff: Some(text_diff), unified: Some(unified) })
    }
}

/// The changes between two contents as far as outlines tell; empty when one of them cannot be outlined.
pub(super) fn whole_changes(format: Format, a: &[u8], b: &[u8], limits: &Limits, stop: &Stop) -> Vec<Change> {
    if format == Format::Text {
        let (Ok(before), Ok(after)) = (decode(a, limits), decode(b, limits)) else { return Vec::new() };
        return text_changes(&before, &after);
    }
    let outline = |bytes: &[u8]| {
        let request = OutlineRequest { range: None, budget: WHOLE_DOCUMENT };
        documents::outline(format, bytes, &request, limits, &|| stop.is_set()).ok()
    };
    let (Some(before), Some(after)) = (outline(a), outline(b)) else { return Vec::new() };
    let mut changes = outline_changes(&before, &after);
    changes.truncate(CHANGES_TOLD);
    changes
}

/// The difference of two texts as `diff -u` and `git` write it, with three lines around each hunk; empty when there is none.
fn unified(before: &str, after: &str, names: (&str, &str)) -> String {
    let diff = similar::TextDiff::configure().deadline(Instant::now() + DIFF_TIME).diff_lines(before, after);
    diff.unified_diff().context_radius(3).header(names.0, names.1).to_string()
}

fn text_changes(before: &str, after: &str) -> Vec<Change> {
    let slice = |text: &[u16], lines: &documents::diff::DiffLines| {
        let whole = String::from_utf16_lossy(text.get(lines.start..lines.end).unwrap_or_default());
        (lines.count > 0).then(|| whole.trim_end_matches(['\r', '\n']).to_owned())
    };
    let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    let (old, new) = (units(before), units(after));
    let hunks = documents::diff::diff(before, after).hunks;
    let told = hunks.iter().take(CHANGES_TOLD).map(|hunk| {
        let shown = if hunk.after.count > 0 { hunk.after } else { hunk.before };
        let location = match shown.count {
            0 | 1 => format!("L{}", shown.first),
            count => format!("L{}-{}", shown.first, shown.first + count - 1),
        };
        Change {
            op: 0,
            location,
            before: slice(&old, &hunk.before),
            after: slice(&new, &hunk.after),
            detail: None,
        }
    });
    told.collect()
}

fn outline_changes(before: &Outline, after: &Outline) -> Vec<Change> {
    let key = |node: &documents::Node| {
        let more = serde_json::to_string(&node.more.get("formula")).unwrap_or_default();
        format!("{}\u{0}{}\u{0}{more}", node.kind, node.text)
    };
    let a: Vec<String> = before.nodes.iter().map(key).collect();
    let b: Vec<String> = after.nodes.iter().map(key).collect();
    let mut changes = Vec::new();
    let deadline = Instant::now() + DIFF_TIME;
    for op in similar::capture_diff_slices_deadline(Algorithm::Myers, &a, &b, Some(deadline)) {
        match op {
            DiffOp::Equal { .. } => {}
            DiffOp::Delete { old_index, old_len, .. } => {
                changes.extend(
                    before
                        .nodes
                        .iter()
                        .skip(old_index)
                        .take(old_len)
                        .map(|node| change(&node.at, Some(&node.text), None)),
                );
            }
            DiffOp::Insert { new_index, new_len, .. } => {
                changes.extend(
                    after
                        .nodes
                        .iter()
                        .skip(new_index)
                        .take(new_len)
                        .map(|node| change(&node.at, None, Some(&node.text))),
                );
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                let old = before.nodes.iter().skip(old_index).take(old_len);
                let new = after.nodes.iter().skip(new_index).take(new_len);
                for pair in 0..old_len.max(new_len) {
                    let (old, new) = (old.clone().nth(pair), new.clone().nth(pair));
                    let Some(place) = new.or(old) else { continue };
                    changes.push(change(
                        &place.at,
                        old.map(|node| node.text.as_str()),
                        new.map(|node| node.text.as_str()),
                    ));
                }
            }
        }
    }
    changes
}

fn change(at: &str, before: Option<&str>, after: Option<&str>) -> Change {
    Change {
        op: 0,
        location: at.to_owned(),
        before: before.map(Into::into),
        after: after.map(Into::into),
        detail: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_changes_name_lines_on_the_new_side() {
        let changes = text_changes("\u{1F600}\nb\nc\ngone\n", "\u{1F600}\nB\nc\nd\ne\n");
        let told: Vec<_> =
            changes.iter().map(|c| (c.location.as_str(), c.before.as_deref(), c.after.as_deref())).collect();
        assert_eq!(told, [("L2", Some("b"), Some("B")), ("L4-5", Some("gone"), Some("d\ne"))]);
    }
}
