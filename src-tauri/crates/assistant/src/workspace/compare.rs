//! What differs between two contents of one document, for history, diffs and previews.
//!
//! Text is compared line by line; Office documents by what their outlines say of each place. Who made the difference is not known here.

use documents::{Change, Format, Limits, Outline, OutlineRequest, PackageReport};
use similar::{Algorithm, DiffOp, TextDiff};

use super::{Stop, Workspace, WorkspaceError};

/// More than any outline of a document within the limits.
const WHOLE_DOCUMENT: usize = 64 << 20;
/// Changes told for a whole-document comparison; the rest is counted.
const CHANGES_TOLD: usize = 2_000;

/// The difference between two contents.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    pub changes: Vec<Change>,
    pub package: Option<PackageReport>,
    pub text_diff: Option<TextHunks>,
}

/// Differing stretches as `[from_a, to_a, from_b, to_b]` in UTF-16 units, whole lines each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextHunks {
    pub hunks: Vec<[usize; 4]>,
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
        let changes = whole_changes(format, a, b, &self.options.limits, stop);
        stop.check()?;
        let text_diff = match (format, std::str::from_utf8(a), std::str::from_utf8(b)) {
            (Format::Text, Ok(a), Ok(b)) => Some(text_hunks(a, b)),
            _ => None,
        };
        Ok(Comparison { changes, package: None, text_diff })
    }
}

/// The changes between two contents as far as outlines tell; empty when one of them cannot be outlined.
pub(super) fn whole_changes(format: Format, a: &[u8], b: &[u8], limits: &Limits, stop: &Stop) -> Vec<Change> {
    let outline = |bytes: &[u8]| {
        let request = OutlineRequest { range: None, budget: WHOLE_DOCUMENT };
        documents::outline(format, bytes, &request, limits, &|| stop.is_set()).ok()
    };
    let (Some(before), Some(after)) = (outline(a), outline(b)) else { return Vec::new() };
    let mut changes = outline_changes(&before, &after);
    changes.truncate(CHANGES_TOLD);
    changes
}

fn outline_changes(before: &Outline, after: &Outline) -> Vec<Change> {
    let key = |node: &documents::Node| {
        let more = serde_json::to_string(&node.more.get("formula")).unwrap_or_default();
        format!("{}\u{0}{}\u{0}{more}", node.kind, node.text)
    };
    let a: Vec<String> = before.nodes.iter().map(key).collect();
    let b: Vec<String> = after.nodes.iter().map(key).collect();
    let mut changes = Vec::new();
    for op in similar::capture_diff_slices(Algorithm::Myers, &a, &b) {
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

fn text_hunks(a: &str, b: &str) -> TextHunks {
    let diff = TextDiff::from_lines(a, b);
    let starts = |text: &str| {
        let mut starts = vec![0];
        for line in text.split_inclusive('\n') {
            starts.push(starts.last().copied().unwrap_or(0) + line.encode_utf16().count());
        }
        starts
    };
    let (a, b) = (starts(a), starts(b));
    let at = |starts: &[usize], line: usize| starts.get(line).or(starts.last()).copied().unwrap_or(0);
    let hunks = diff
        .ops()
        .iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| {
            let (old, new) = (op.old_range(), op.new_range());
            [at(&a, old.start), at(&a, old.end), at(&b, new.start), at(&b, new.end)]
        })
        .collect();
    TextHunks { hunks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_are_in_utf16_units() {
        let hunks = text_hunks("\u{1F600}\nb\nc\n", "\u{1F600}\nB\nc\nd\n").hunks;
        assert_eq!(hunks, vec![[3, 5, 3, 5], [7, 7, 7, 9]]);
    }
}
