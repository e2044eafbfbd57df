//! What an applied batch changed, as told in receipts and drawn in previews.

use serde::{Deserialize, Serialize};

/// One observed difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Change {
    /// The 0-based index of the operation that caused it.
    pub op: usize,
    /// Where, in the outline's words, in the document *after* the batch (for something removed: before it).
    #[serde(rename = "where")]
    pub location: String,
    /// The text before; absent for something new.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<String>,
    /// The text after; absent for something removed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<String>,
    /// Anything beyond text: `formula`, `format`, `structure`, `recalculated`, `moved`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<String>,
}

/// Something the user should know although the edit was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Warning {
    /// A stable word such as `ref_became_error`, `has_tracked_changes`, `signature_invalidated`.
    pub code: String,
    #[serde(rename = "where", skip_serializing_if = "Option::is_none", default)]
    pub location: Option<String>,
    pub message: String,
}

impl Warning {
    /// A warning about the document as a whole.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Warning { code: code.into(), location: None, message: message.into() }
    }

    /// A warning about one place.
    pub fn at(code: &str, location: impl Into<String>, message: impl Into<String>) -> Self {
        Warning { code: code.into(), location: Some(location.into()), message: message.into() }
    }
}

/// Which parts of a package differ from the original.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PackageReport {
    /// Entries in the result.
    pub parts: usize,
    pub changed: Vec<String>,
    pub added: Vec<String>,
    pub removed: Vec<String>,
}
