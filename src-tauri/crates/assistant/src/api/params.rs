//! Parameters of the commands. Unknown fields are refused.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::workspace::EditMode;

/// `{}`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct NoParams {}

/// A path from a dialog, a drop, the command line or the recent files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct DocumentPath {
    pub path: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct FileId {
    pub file_id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Relink {
    pub file_id: String,
    pub path: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct OutlineOf {
    pub file_id: String,
    /// A window in the format's own words: `10-40`, `Data!A1:F40`.
    pub range: Option<String>,
    /// At most this many bytes of text and fields.
    pub budget: Option<usize>,
}

/// The part of `OutlineOf` that is about the window.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutlineWindow {
    pub range: Option<String>,
    pub budget: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct Search {
    pub query: String,
    /// All open files when absent.
    pub file_id: Option<String>,
    pub max: Option<usize>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct Edit {
    pub file_id: String,
    pub expected_content_rev: Option<u64>,
    /// Operations of the contract, as JSON.
    pub ops: Vec<Value>,
    pub override_protection: Option<bool>,
    pub track_changes: Option<bool>,
    #[serde(default)]
    #[ts(as = "Option<EditMode>")]
    pub mode: EditMode,
    /// One line for the history; made from the operations when absent.
    pub summary: Option<String>,
    pub model: Option<String>,
    /// `true` when a person made the batch, not the assistant.
    pub by_user: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct Create {
    pub path: String,
    pub text: Option<String>,
    /// For workbooks: values as in `xlsx_append_rows`.
    pub rows: Option<Vec<Vec<Value>>>,
    /// `text`, `docx`, `xlsx`, `pptx`; by the file's name when absent.
    pub format: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct Verify {
    pub file_id: String,
    /// Another known file to compare with: its id, or the path by which Stet knows it.
    pub against: Option<String>,
}

/// What a file is compared with: exactly one of `ops`, `snapshot`, `proposal_id`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct Diff {
    pub file_id: String,
    pub ops: Option<Vec<Value>>,
    pub override_protection: Option<bool>,
    pub track_changes: Option<bool>,
    /// From this snapshot to the current content, or to `to_snapshot`.
    pub snapshot: Option<String>,
    pub to_snapshot: Option<String>,
    pub proposal_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct PreviewText {
    pub file_id: String,
    /// `current`, `before`, `after` (of a proposal), or a snapshot id.
    pub side: String,
    /// For `before` and `after`; the waiting proposal of the file when absent.
    pub proposal_id: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct ProposalsOf {
    pub file_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ProposalOf {
    pub proposal_id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct ProposalChoice {
    pub proposal_id: String,
    /// Indices into the proposal's `changes`; all of them when absent.
    pub changes: Option<Vec<usize>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct Restore {
    pub file_id: String,
    pub snapshot: String,
    pub expected_content_rev: Option<u64>,
}

/// Undo or redo. Without `expected_content_rev` it means the state the caller sees now: the newest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct Step {
    pub file_id: String,
    pub expected_content_rev: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    pub file_id: String,
    pub snapshot: String,
    pub pinned: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Compare {
    pub file_id: String,
    pub from_snapshot: String,
    pub to_snapshot: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SettingsChange {
    /// The fields to change; `null` takes one back to its default.
    pub changes: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct KeyOf {
    pub provider: String,
}

/// A key on its way in. It is not shown by `Debug`.
#[derive(Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct NewKey {
    pub provider: String,
    pub key: String,
    /// Not into the keychain; it is forgotten when the app ends.
    pub session_only: Option<bool>,
}

impl std::fmt::Debug for NewKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("NewKey").field("provider", &self.provider).field("key", &"(hidden)").finish()
    }
}
