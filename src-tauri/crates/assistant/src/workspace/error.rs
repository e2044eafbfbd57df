//! Why the workspace refused or failed; `api::error` gives each its code.

use std::{
    io,
    path::{Path, PathBuf},
};

use documents::{DocumentError, EditError};

/// Everything that can go wrong between a batch and a disk. After any of them the bytes, times and revision are as before.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    #[error("no expected_content_rev was given; the file is at revision {content_rev}")]
    RevisionRequired { file_id: String, content_rev: u64 },
    #[error("the batch expects revision {expected}, but the file is at revision {content_rev}")]
    RevisionConflict { file_id: String, expected: u64, content_rev: u64 },
    #[error("the result of this edit was overtaken: {path} changed again while it was being saved")]
    Overtaken { path: PathBuf, content_rev: u64 },
    #[error("no open file has the id {0}")]
    NotOpen(String),
    #[error("{path} {why}")]
    NotAllowed { path: PathBuf, why: String },
    #[error("{0} already exists")]
    Exists(PathBuf),
    #[error("{0} is not there")]
    Missing(PathBuf),
    #[error("{0} is a folder")]
    IsFolder(PathBuf),
    #[error("{path} cannot be written: {why}")]
    ReadOnly { path: PathBuf, why: String },
    #[error("{path} is in use: {by}")]
    Locked { path: PathBuf, by: String },
    #[error("{path} has {size} bytes; the limit is {limit}")]
    TooLarge { path: PathBuf, size: u64, limit: u64 },
    #[error("the time limit was reached; nothing was written")]
    Timeout,
    #[error("cancelled; nothing was written")]
    Cancelled,
    #[error("{message}")]
    BadArguments { op: Option<usize>, message: String },
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error(transparent)]
    Document(#[from] DocumentError),
    #[error("there is no snapshot {0} of this file")]
    UnknownSnapshot(String),
    #[error("the stored copy of snapshot {snapshot} is damaged: {why}")]
    DamagedSnapshot { snapshot: String, why: String },
    #[error("there is no proposal {0}")]
    UnknownProposal(String),
    #[error("proposal {id} is {state} and cannot be decided again")]
    ProposalDecided { id: String, state: String },
    #[error("proposal {id} no longer fits: {why}")]
    ProposalConflict { id: String, why: String },
    #[error("there is nothing to undo")]
    NothingToUndo,
    #[error("there is nothing to redo")]
    NothingToRedo,
    #[error("could not {what} {path}: {source}")]
    Io { what: &'static str, path: PathBuf, source: io::Error },
    #[error("there is no room on the disk for {path}")]
    NoSpace { path: PathBuf },
    #[error("Stet's store is in use: another program holds it")]
    StoreBusy,
    #[error("Stet's store cannot be written: {0}")]
    StoreReadOnly(String),
    #[error("Stet's store was made by a newer Stet (version {version} of its tables)")]
    StoreTooNew { version: i64 },
    #[error("Stet's store: {0}")]
    Store(rusqlite::Error),
    #[error("Stet's store holds something unreadable: {0}")]
    StoreContent(String),
    #[error("the {0} engine failed on this document; nothing was written")]
    EngineFailed(&'static str),
}

impl WorkspaceError {
    /// An I/O error with what was tried and where.
    pub fn io(what: &'static str, path: &Path, source: io::Error) -> WorkspaceError {
        WorkspaceError::Io { what, path: path.to_path_buf(), source }
    }

    /// Arguments that make no sense, whichever operation they belong to.
    pub fn bad_arguments(message: impl Into<String>) -> WorkspaceError {
        WorkspaceError::BadArguments { op: None, message: message.into() }
    }
}

impl From<rusqlite::Error> for WorkspaceError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        match error.sqlite_error_code() {
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => WorkspaceError::StoreBusy,
            Some(Code::ReadOnly | Code::CannotOpen | Code::PermissionDenied) => {
                WorkspaceError::StoreReadOnly(error.to_string())
            }
            Some(Code::DiskFull) => WorkspaceError::NoSpace { path: PathBuf::from("Stet's store") },
            _ => WorkspaceError::Store(error),
        }
    }
}

impl From<serde_json::Error> for WorkspaceError {
    fn from(error: serde_json::Error) -> Self {
        WorkspaceError::StoreContent(error.to_string())
    }
}
