//! Why a document could not be opened, and why an edit was refused.
//!
//! Two kinds on purpose: a `DocumentError` is about the file, an `EditError` about the request. The contract's codes and HTTP
//! statuses are given in `assistant::api::error`; here each error only knows its own facts, a sentence (what was tried, what was
//! found) and a hint (what to do).

use serde::{Deserialize, Serialize};

/// A place in a document with the text found there, as shown to a model or a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Place {
    /// An address in the outline's words: `line 12`, `Sheet1!B4`, `p12`, `s2.shape5`.
    #[serde(rename = "where")]
    pub location: String,
    /// The text there, shortened for display.
    pub text: String,
}

/// The document cannot be opened, or not edited at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// Not a document of this kind, or one that no engine edits (old binary Office, a binary file).
    #[error("{0}")]
    Unsupported(String),
    /// A document of this kind, but broken.
    #[error("{0}")]
    Damaged(String),
    /// Encrypted with a password or rights management.
    #[error("{0}")]
    Encrypted(String),
    /// Over one of the `Limits`.
    #[error("{0}")]
    TooLarge(String),
    /// The document is sound, but what was asked for is not in it (a range, a sheet).
    #[error("{0}")]
    OutOfRange(String),
    /// The caller cancelled, or the time was up.
    #[error("cancelled")]
    Cancelled,
}

/// One operation of a batch was refused; nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EditError {
    /// The 0-based index of the operation, where it is known.
    pub op: Option<usize>,
    pub kind: EditErrorKind,
    /// What was tried and what was found, in one or two sentences.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// For zero matches the nearest candidates, for multiple matches every place, for a prefix mismatch the real text.
    pub matches: Vec<Place>,
}

/// The reason of a refusal; each has one code in the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditErrorKind {
    ZeroMatches,
    MultipleMatches,
    PrefixMismatch,
    OutOfRange,
    UnsupportedOp,
    InvalidArguments,
    /// `text_from_fence` where no fence can exist.
    FenceMissing,
    WouldDamage,
    ReadOnly,
    TooLarge,
    /// The document itself is at fault, as a `DocumentError` of the same name says.
    Unsupported,
    Damaged,
    Encrypted,
    Cancelled,
    /// The gate found that the result is not what was planned: a fault of ours, nothing was written.
    Internal,
}

impl EditError {
    /// A refusal without hint or places.
    pub fn new(kind: EditErrorKind, message: impl Into<String>) -> Self {
        EditError { op: None, kind, message: message.into(), hint: None, matches: Vec::new() }
    }

    /// The same, saying what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same, naming places.
    pub fn matches(mut self, matches: Vec<Place>) -> Self {
        self.matches = matches;
        self
    }

    /// The same, naming the operation, unless one is already named.
    pub fn at_op(mut self, op: usize) -> Self {
        self.op.get_or_insert(op);
        self
    }
}

impl From<DocumentError> for EditError {
    fn from(error: DocumentError) -> Self {
        let kind = match error {
            DocumentError::Unsupported(_) => EditErrorKind::Unsupported,
            DocumentError::Damaged(_) => EditErrorKind::Damaged,
            DocumentError::Encrypted(_) => EditErrorKind::Encrypted,
            DocumentError::TooLarge(_) => EditErrorKind::TooLarge,
            DocumentError::OutOfRange(_) => EditErrorKind::OutOfRange,
            DocumentError::Cancelled => EditErrorKind::Cancelled,
        };
        EditError::new(kind, error.to_string())
    }
}

/// For reading through code that edits too: a refusal that says nothing of the document means that it cannot be read.
impl From<EditError> for DocumentError {
    fn from(error: EditError) -> Self {
        let make = match error.kind {
            EditErrorKind::Unsupported => DocumentError::Unsupported,
            EditErrorKind::Encrypted => DocumentError::Encrypted,
            EditErrorKind::TooLarge => DocumentError::TooLarge,
            EditErrorKind::ZeroMatches | EditErrorKind::OutOfRange | EditErrorKind::InvalidArguments => {
                DocumentError::OutOfRange
            }
            EditErrorKind::Cancelled => return DocumentError::Cancelled,
            EditErrorKind::MultipleMatches
            | EditErrorKind::PrefixMismatch
            | EditErrorKind::UnsupportedOp
            | EditErrorKind::FenceMissing
            | EditErrorKind::WouldDamage
            | EditErrorKind::ReadOnly
            | EditErrorKind::Damaged
            | EditErrorKind::Internal => DocumentError::Damaged,
        };
        make(error.message)
    }
}
