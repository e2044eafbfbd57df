//! Answers of the commands, in the contract's words.

use documents::{Change, Format, Node, Outline, PackageReport, Warning};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::mirror::{ChangeShape, FormatShape, NodeShape, PackageReportShape, WarningShape};
use crate::workspace::{KnownFile, Origin, ProposalConflict, ProposalState, Status};

/// Something was done that has no more to say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Done {
    /// Always true: what was not done is an error.
    pub ok: bool,
}

/// How a file stands on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DocumentState {
    Ok,
    ChangedOutside,
    Missing,
    ReadOnly,
    Locked,
    Unsupported,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct DocumentInfo {
    pub file_id: String,
    pub path: String,
    pub name: String,
    #[ts(as = "FormatShape")]
    pub format: Format,
    pub content_rev: u64,
    pub size: u64,
    pub state: DocumentState,
    /// Why, when the state is not `ok`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub state_detail: Option<String>,
    /// Where a missing file seems to be now: a file in the same folder has its content.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub moved_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pending_proposal: Option<String>,
    #[ts(as = "Vec<WarningShape>")]
    pub warnings: Vec<Warning>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct OutlineAnswer {
    pub ok: bool,
    pub file_id: String,
    pub path: String,
    #[ts(as = "FormatShape")]
    pub format: Format,
    pub content_rev: u64,
    #[ts(as = "Vec<NodeShape>")]
    pub nodes: Vec<Node>,
    pub truncated: bool,
    pub next: Option<String>,
    #[ts(as = "Vec<WarningShape>")]
    pub warnings: Vec<Warning>,
}

impl OutlineAnswer {
    /// The outline of one state of a file.
    pub(super) fn of(file: KnownFile, outline: Outline) -> OutlineAnswer {
        OutlineAnswer {
            ok: true,
            path: file.path.to_string_lossy().into_owned(),
            format: file.format(),
            file_id: file.file_id,
            content_rev: file.content_rev,
            nodes: outline.nodes,
            truncated: outline.truncated,
            next: outline.next,
            warnings: outline.warnings,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SearchAnswer {
    pub ok: bool,
    pub matches: Vec<SearchMatch>,
    /// Whether there were more matches than `max`.
    pub truncated: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SearchMatch {
    pub file_id: String,
    pub at: String,
    pub text: String,
}

/// The contract's receipt (section 3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct Receipt {
    pub ok: bool,
    pub status: Status,
    pub file_id: String,
    pub path: String,
    pub previous_rev: u64,
    pub content_rev: u64,
    /// The snapshot that brings the content before this write back.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub snapshot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub proposal_id: Option<String>,
    #[ts(as = "Vec<ChangeShape>")]
    pub changes: Vec<Change>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[ts(as = "Option<PackageReportShape>")]
    pub package: Option<PackageReport>,
    #[ts(as = "Vec<WarningShape>")]
    pub warnings: Vec<Warning>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct VerifyAnswer {
    pub ok: bool,
    pub well_formed: bool,
    pub relationships: bool,
    /// What is wrong, when something is.
    pub problems: Vec<String>,
    /// What is unsound beyond that (orphan parts, lists and pointers that disagree); against another version only what that has not.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    #[ts(as = "Option<Vec<String>>")]
    pub findings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[ts(as = "Option<PackageReportShape>")]
    pub package: Option<PackageReport>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct ComparisonAnswer {
    pub ok: bool,
    #[ts(as = "Vec<ChangeShape>")]
    pub changes: Vec<Change>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[ts(as = "Option<PackageReportShape>")]
    pub package: Option<PackageReport>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub text_diff: Option<TextDiff>,
    /// Of texts: the difference as `diff -u` writes it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unified: Option<String>,
    #[ts(as = "Vec<WarningShape>")]
    pub warnings: Vec<Warning>,
}

/// Differing stretches as `[from_a, to_a, from_b, to_b]` in UTF-16 units.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct TextDiff {
    /// Whole lines.
    pub hunks: Vec<[usize; 4]>,
    /// Inside each hunk, the words that differ; empty when lines only came or only went.
    pub words: Vec<Vec<[usize; 4]>>,
}

impl From<documents::diff::TextDiff> for TextDiff {
    fn from(diff: documents::diff::TextDiff) -> TextDiff {
        let lines = |hunk: &documents::diff::DiffHunk| {
            [hunk.before.start, hunk.before.end, hunk.after.start, hunk.after.end]
        };
        let word = |word: &documents::diff::WordChange| {
            [word.before.start, word.before.end, word.after.start, word.after.end]
        };
        TextDiff {
            hunks: diff.hunks.iter().map(lines).collect(),
            words: diff.hunks.iter().map(|hunk| hunk.words.iter().map(word).collect()).collect(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TextPreview {
    pub text: String,
    pub encoding: String,
    /// `lf`, `crlf`, `cr`, `mixed` or `none`.
    pub line_ending: String,
}

/// A proposal as the user interface shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct ProposalInfo {
    pub proposal_id: String,
    pub file_id: String,
    /// The revision that accepting it expects the file to have.
    pub base_rev: u64,
    pub state: ProposalState,
    #[ts(as = "Vec<ChangeShape>")]
    pub changes: Vec<Change>,
    pub conflicts: Vec<ProposalConflict>,
    #[ts(as = "Vec<WarningShape>")]
    pub warnings: Vec<Warning>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[ts(as = "Option<PackageReportShape>")]
    pub package: Option<PackageReport>,
    pub ops: Vec<Value>,
    pub summary: String,
    pub origin: Origin,
    pub created_at: String,
}

/// The contract's history (section 5).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct HistoryAnswer {
    pub ok: bool,
    pub file_id: String,
    pub content_rev: u64,
    /// Newest first.
    pub snapshots: Vec<SnapshotInfo>,
    pub can_undo: bool,
    pub can_redo: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct SnapshotInfo {
    pub id: String,
    pub at: String,
    pub content_rev: u64,
    pub origin: Origin,
    pub summary: String,
    pub size: u64,
    pub pinned: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<String>,
    /// The batch that made it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ops: Option<Vec<Value>>,
}

/// What the snapshots take on the disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct UsageAnswer {
    pub ok: bool,
    pub files: u64,
    pub snapshots: u64,
    /// Bytes of all contents as stored (compressed, each once).
    pub stored_bytes: u64,
}

/// Where a provider's key is; never the key itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct KeyStatus {
    pub provider: String,
    pub place: crate::secrets::KeyPlace,
    pub has_keychain: bool,
    /// Why there is no keychain.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<String>,
}

/// The app as such.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AppStatus {
    pub ok: bool,
    pub version: String,
    /// Stet home.
    pub home: String,
    /// Repairs and the like.
    #[ts(as = "Vec<WarningShape>")]
    pub notices: Vec<Warning>,
}
