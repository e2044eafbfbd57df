//! The one place where an error gets its code, status, retry word, message and hint (CONTRACT, section 3).

use documents::{DocumentError, EditError, Place, error::EditErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use ts_rs::TS;

use super::mirror::PlaceShape;
use crate::workspace::WorkspaceError;

/// The contract's codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    ContentRevRequired,
    ContentRevConflict,
    ZeroMatches,
    MultipleMatches,
    PrefixMismatch,
    OutOfRange,
    ArgumentsTruncated,
    InvalidArguments,
    FenceMissing,
    FenceUnclosed,
    FenceMismatch,
    UnsupportedOp,
    WouldDamage,
    UnsupportedDocument,
    DamagedDocument,
    EncryptedDocument,
    FileNotOpen,
    PathNotAllowed,
    ReadOnly,
    Locked,
    TooLarge,
    Timeout,
    Cancelled,
    IoError,
    Internal,
}

/// What the caller may do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Retry {
    Reread,
    FixAndRetry,
    SmallerOrFence,
    ResendFence,
    OtherOp,
    Later,
    None,
}

impl ErrorCode {
    /// The status that goes with the code.
    pub fn status(self) -> u16 {
        use ErrorCode as Code;
        match self {
            Code::ContentRevRequired => 428,
            Code::ContentRevConflict => 409,
            Code::ZeroMatches | Code::MultipleMatches | Code::PrefixMismatch | Code::OutOfRange => 422,
            Code::ArgumentsTruncated | Code::InvalidArguments | Code::UnsupportedOp | Code::WouldDamage => {
                422
            }
            Code::FenceMissing | Code::FenceUnclosed | Code::FenceMismatch => 422,
            Code::UnsupportedDocument | Code::DamagedDocument | Code::EncryptedDocument => 415,
            Code::FileNotOpen | Code::PathNotAllowed => 403,
            Code::ReadOnly | Code::Locked => 423,
            Code::TooLarge => 413,
            Code::Timeout => 408,
            Code::Cancelled => 499,
            Code::IoError | Code::Internal => 500,
        }
    }

    /// The retry word that goes with the code.
    pub fn retry(self) -> Retry {
        use ErrorCode as Code;
        match self {
            Code::ContentRevRequired | Code::ContentRevConflict => Retry::Reread,
            Code::ZeroMatches | Code::MultipleMatches | Code::PrefixMismatch | Code::OutOfRange => {
                Retry::FixAndRetry
            }
            Code::InvalidArguments => Retry::FixAndRetry,
            Code::ArgumentsTruncated => Retry::SmallerOrFence,
            Code::FenceMissing | Code::FenceUnclosed | Code::FenceMismatch => Retry::ResendFence,
            Code::UnsupportedOp | Code::WouldDamage => Retry::OtherOp,
            Code::ReadOnly | Code::Locked | Code::TooLarge | Code::Timeout | Code::Cancelled => Retry::Later,
            Code::UnsupportedDocument | Code::DamagedDocument | Code::EncryptedDocument => Retry::None,
            Code::FileNotOpen | Code::PathNotAllowed | Code::IoError | Code::Internal => Retry::None,
        }
    }
}

/// The contract's `error` object, with the file and its current revision where they are known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, thiserror::Error)]
#[ts(optional_fields)]
#[error("{message}")]
pub struct AppError {
    pub code: ErrorCode,
    pub status: u16,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub op: Option<usize>,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hint: Option<String>,
    /// The endpoint's own code, when a model or endpoint is at fault.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cause: Option<String>,
    pub retry: Retry,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    #[ts(as = "Option<Vec<PlaceShape>>")]
    pub matches: Vec<Place>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub content_rev: Option<u64>,
}

impl AppError {
    /// An error with nothing but its code and sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> AppError {
        AppError {
            code,
            status: code.status(),
            op: None,
            message: message.into(),
            hint: None,
            cause: None,
            retry: code.retry(),
            matches: Vec::new(),
            file_id: None,
            content_rev: None,
        }
    }

    /// Arguments that are not as the contract says.
    pub fn invalid_arguments(message: impl Into<String>) -> AppError {
        AppError::new(ErrorCode::InvalidArguments, message)
    }

    /// The same, saying what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> AppError {
        self.hint = Some(hint.into());
        self
    }

    /// The same, naming the file unless it is named already.
    pub fn about(mut self, file_id: &str, content_rev: Option<u64>) -> AppError {
        self.file_id.get_or_insert_with(|| file_id.to_owned());
        self.content_rev = self.content_rev.or(content_rev);
        self
    }

    /// The whole answer: `{"ok": false, "file_id": …, "content_rev": …, "error": {…}}`.
    pub fn answer(&self) -> Value {
        let mut answer = json!({ "ok": false });
        let mut error = serde_json::to_value(self).unwrap_or_else(|_| json!({ "code": "internal" }));
        if let (Some(answer), Some(error)) = (answer.as_object_mut(), error.as_object_mut()) {
            for key in ["file_id", "content_rev"] {
                if let Some(value) = error.shift_remove(key) {
                    answer.insert(key.to_owned(), value);
                }
            }
        }
        answer["error"] = error;
        answer
    }
}

impl From<WorkspaceError> for AppError {
    fn from(error: WorkspaceError) -> AppError {
        use WorkspaceError as Error;
        let message = match &error {
            // These begin with the name of a file, which stays as it is.
            Error::NotAllowed { .. }
            | Error::Exists(_)
            | Error::Missing(_)
            | Error::IsFolder(_)
            | Error::ReadOnly { .. }
            | Error::Locked { .. }
            | Error::TooLarge { .. } => ended(&error.to_string()),
            _ => sentence(&error.to_string()),
        };
        let plain = |code| AppError::new(code, message.clone());
        match error {
            Error::RevisionRequired { file_id, content_rev } => plain(ErrorCode::ContentRevRequired)
                .hint("Read the file and send its content_rev as expected_content_rev.")
                .about(&file_id, Some(content_rev)),
            Error::RevisionConflict { file_id, content_rev, .. } => plain(ErrorCode::ContentRevConflict)
                .hint("Read the file again.")
                .about(&file_id, Some(content_rev)),
            Error::Overtaken { .. } => plain(ErrorCode::ContentRevConflict).hint("Read the file again."),
            Error::NotOpen(_) => plain(ErrorCode::FileNotOpen)
                .hint("Open the file first, or take an id from the list of files."),
            Error::NotAllowed { .. } => plain(ErrorCode::PathNotAllowed),
            Error::Exists(_) => plain(ErrorCode::PathNotAllowed)
                .hint("To change a file that exists, use a batch of operations."),
            Error::Missing(_) => plain(ErrorCode::IoError)
                .hint("Check the name; if it was removed or renamed, tell where it is now."),
            Error::IsFolder(_) => plain(ErrorCode::IoError).hint("Name a file."),
            Error::ReadOnly { .. } => plain(ErrorCode::ReadOnly)
                .hint("Make the file and its folder writable, or save a copy elsewhere."),
            Error::Locked { .. } => {
                plain(ErrorCode::Locked).hint("Close it there, or try again in a moment.")
            }
            Error::TooLarge { .. } => plain(ErrorCode::TooLarge),
            Error::Timeout => plain(ErrorCode::Timeout),
            Error::Cancelled => plain(ErrorCode::Cancelled),
            Error::BadArguments { op, .. } => AppError { op, ..plain(ErrorCode::InvalidArguments) },
            Error::Edit(error) => AppError::from(error),
            Error::Document(error) => AppError::from(error),
            Error::UnknownSnapshot(_) => {
                plain(ErrorCode::OutOfRange).hint("List the history for the snapshots there are.")
            }
            Error::UnknownProposal(_) => plain(ErrorCode::OutOfRange).hint("List the proposals that wait."),
            Error::ProposalDecided { .. } => plain(ErrorCode::OutOfRange),
            Error::ProposalConflict { .. } => {
                plain(ErrorCode::ContentRevConflict).hint("Rebase the proposal, or reject it and ask again.")
            }
            Error::NothingToUndo | Error::NothingToRedo => plain(ErrorCode::OutOfRange),
            Error::DamagedSnapshot { .. } => {
                plain(ErrorCode::IoError).hint("Other snapshots of the file are not affected.")
            }
            Error::NoSpace { .. } => AppError {
                retry: Retry::Later,
                ..plain(ErrorCode::IoError).hint("Make room on the disk and try again.")
            },
            Error::StoreBusy => plain(ErrorCode::Locked).hint("Try again in a moment."),
            Error::StoreReadOnly(_) => plain(ErrorCode::ReadOnly)
                .hint("Make Stet's folder writable, or set STET_HOME to another one."),
            Error::StoreTooNew { .. } => {
                plain(ErrorCode::IoError).hint("Start the newer Stet, or set STET_HOME to another folder.")
            }
            Error::Io { .. } => plain(ErrorCode::IoError),
            Error::Store(_) | Error::StoreContent(_) | Error::EngineFailed(_) => plain(ErrorCode::Internal),
        }
    }
}

impl From<DocumentError> for AppError {
    fn from(error: DocumentError) -> AppError {
        let code = match &error {
            DocumentError::Unsupported(_) => ErrorCode::UnsupportedDocument,
            DocumentError::Damaged(_) => ErrorCode::DamagedDocument,
            DocumentError::Encrypted(_) => ErrorCode::EncryptedDocument,
            DocumentError::TooLarge(_) => ErrorCode::TooLarge,
            DocumentError::OutOfRange(_) => ErrorCode::OutOfRange,
            DocumentError::Cancelled => ErrorCode::Cancelled,
        };
        AppError::new(code, sentence(&error.to_string()))
    }
}

impl From<EditError> for AppError {
    fn from(error: EditError) -> AppError {
        let code = match error.kind {
            EditErrorKind::ZeroMatches => ErrorCode::ZeroMatches,
            EditErrorKind::MultipleMatches => ErrorCode::MultipleMatches,
            EditErrorKind::PrefixMismatch => ErrorCode::PrefixMismatch,
            EditErrorKind::OutOfRange => ErrorCode::OutOfRange,
            EditErrorKind::UnsupportedOp => ErrorCode::UnsupportedOp,
            EditErrorKind::InvalidArguments => ErrorCode::InvalidArguments,
            EditErrorKind::FenceMissing => ErrorCode::FenceMissing,
            EditErrorKind::WouldDamage => ErrorCode::WouldDamage,
            EditErrorKind::ReadOnly => ErrorCode::ReadOnly,
            EditErrorKind::TooLarge => ErrorCode::TooLarge,
            EditErrorKind::Unsupported => ErrorCode::UnsupportedDocument,
            EditErrorKind::Damaged => ErrorCode::DamagedDocument,
            EditErrorKind::Encrypted => ErrorCode::EncryptedDocument,
            EditErrorKind::Cancelled => ErrorCode::Cancelled,
            EditErrorKind::Internal => ErrorCode::Internal,
        };
        AppError {
            op: error.op,
            hint: error.hint,
            matches: error.matches,
            ..AppError::new(code, sentence(&error.message))
        }
    }
}

/// A capital at the beginning and a full stop at the end, as everything that people read. A name in front (of a file, a part, a
/// field) stays as it is.
pub(crate) fn sentence(text: &str) -> String {
    let first_word = text.split_whitespace().next().unwrap_or_default();
    let within = first_word.trim_end_matches(['.', ',', ':', ';', '!', '?']);
    if within.contains(['.', '/', '\\', '_', '`', ':']) {
        return ended(text);
    }
    let mut characters = text.chars();
    let first: String = characters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    ended(&format!("{first}{}", characters.as_str()))
}

fn ended(text: &str) -> String {
    let is_ended = text.trim_end_matches(['”', '"', ')', '`']).ends_with(['.', '!', '?', '…']);
    if is_ended { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_the_contracts() {
        let error =
            WorkspaceError::RevisionConflict { file_id: "file-0".into(), expected: 3, content_rev: 5 };
        let answer = AppError::from(error).answer();
        assert_eq!(answer["ok"], false);
        assert_eq!(answer["content_rev"], 5);
        assert_eq!(answer["error"]["code"], "content_rev_conflict");
        assert_eq!(answer["error"]["status"], 409);
        assert_eq!(answer["error"]["retry"], "reread");
        assert!(answer["error"].get("content_rev").is_none() && answer["error"].get("op").is_none());
    }

    /// Whether a document is at fault or too large is told in the same words when it is read and when it is edited.
    #[test]
    fn a_documents_fault_has_one_code_on_every_way() {
        use DocumentError as Fault;
        let why = || "word/document.xml is damaged: its checksum does not match".to_owned();
        let faults = [
            (Fault::Unsupported(why()), "unsupported_document", 415, "none"),
            (Fault::Damaged(why()), "damaged_document", 415, "none"),
            (Fault::Encrypted(why()), "encrypted_document", 415, "none"),
            (Fault::TooLarge(why()), "too_large", 413, "later"),
            (Fault::OutOfRange(why()), "out_of_range", 422, "fix_and_retry"),
            (Fault::Cancelled, "cancelled", 499, "later"),
        ];
        for (fault, code, status, retry) in faults {
            let edited = AppError::from(EditError::from(fault.clone()));
            let read = AppError::from(fault.clone());
            let opened = AppError::from(WorkspaceError::from(fault));
            for error in [edited, read, opened] {
                let answer = error.answer()["error"].clone();
                assert_eq!(
                    (&answer["code"], &answer["status"], &answer["retry"]),
                    (&json!(code), &json!(status), &json!(retry))
                );
                let message = answer["message"].as_str().unwrap_or_default();
                assert!(message == "Cancelled." || message == format!("{}.", why()), "{message}");
            }
        }
    }

    #[test]
    fn names_in_front_keep_their_case() {
        for (error, message) in [
            (WorkspaceError::Exists("nope.md".into()), "nope.md already exists."),
            (WorkspaceError::IsFolder("src".into()), "src is a folder."),
            (WorkspaceError::Missing("my notes.md".into()), "my notes.md is not there."),
            (WorkspaceError::NothingToUndo, "There is nothing to undo."),
        ] {
            assert_eq!(AppError::from(error).message, message);
        }
        assert_eq!(sentence("xl/workbook.xml is missing"), "xl/workbook.xml is missing.");
        assert_eq!(sentence("`find` was not found: “a.”"), "`find` was not found: “a.”");
        assert_eq!(sentence("done. Twice!"), "Done. Twice!");
    }
}
