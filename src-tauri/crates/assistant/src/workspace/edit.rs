//! A batch on its way: checked against the revision, applied in memory, then committed, staged or only shown.
//!
//! The order of refusals is fixed: unknown file, missing or stale revision, malformed operations, the engine's own reasons. Whatever
//! refuses, nothing was written.

use std::panic::{AssertUnwindSafe, catch_unwind};

use documents::{
    Applied, ApplyContext, Change, Edit, EditError, PackageReport, Warning, error::EditErrorKind,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Stop, Workspace, WorkspaceError,
    commit::{Committed, NewRevision},
    files::{Content, KnownFile},
    history::{Lineage, Origin},
    proposals::Proposal,
    store::DecidedProposal,
};

/// What happens with a batch that applies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum EditMode {
    /// It becomes the next revision at once.
    #[default]
    Commit,
    /// It waits for the user as a proposal.
    Stage,
    /// It is shown and forgotten.
    DryRun,
}

/// Operations with the options that hold for all of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    pub ops: Vec<Value>,
    pub override_protection: bool,
    pub track_changes: Option<bool>,
    /// One line for a person; made from the operations when absent.
    pub summary: Option<String>,
    pub model: Option<String>,
    /// Who made it: the assistant unless said otherwise.
    pub origin: Option<Origin>,
}

/// The word in a receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Committed,
    Staged,
    DryRun,
    Unchanged,
}

/// What came of a write that was not refused.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub status: Status,
    /// The file at its revision afterwards.
    pub file: KnownFile,
    pub previous_rev: u64,
    /// The snapshot that brings the content before this write back.
    pub snapshot: Option<String>,
    pub proposal: Option<Proposal>,
    pub changes: Vec<Change>,
    pub package: Option<PackageReport>,
    pub warnings: Vec<Warning>,
}

impl Outcome {
    pub(super) fn unchanged(file: KnownFile) -> Outcome {
        Outcome::without_write(Status::Unchanged, file, Vec::new(), None, Vec::new())
    }

    pub(super) fn without_write(
        status: Status,
        file: KnownFile,
        changes: Vec<Change>,
        package: Option<PackageReport>,
        warnings: Vec<Warning>,
    ) -> Outcome {
        let previous_rev = file.content_rev;
        Outcome { status, file, previous_rev, snapshot: None, proposal: None, changes, package, warnings }
    }

    pub(super) fn committed(
        committed: Committed,
        changes: Vec<Change>,
        package: Option<PackageReport>,
        mut warnings: Vec<Warning>,
    ) -> Outcome {
        warnings.extend(committed.warnings);
        Outcome {
            status: Status::Committed,
            file: committed.file,
            previous_rev: committed.previous_rev,
            snapshot: Some(committed.snapshot),
            proposal: None,
            changes,
            package,
            warnings,
        }
    }
}

impl Workspace {
    /// Applies a batch to the file's current revision, which must be the expected one.
    pub fn edit(
        &self,
        file_id: &str,
        expected: Option<u64>,
        batch: &Batch,
        mode: EditMode,
        stop: &Stop,
    ) -> Result<Outcome, WorkspaceError> {
        let (file, base) = self.current(&self.known(file_id)?, stop)?;
        match (mode, expected) {
            (EditMode::DryRun, None) => {}
            _ => self.expect_revision(&file, expected)?,
        }
        let ops = parse_ops(&batch.ops)?;
        if mode == EditMode::Stage {
            return self.stage(&file, &base, batch, stop);
        }
        let applied = self.apply(&file, &base.bytes, &ops, batch, stop)?;
        let Applied { bytes, changes, package, warnings } = applied;
        if bytes == base.bytes {
            return Ok(Outcome::without_write(Status::Unchanged, file, changes, package, warnings));
        }
        if mode == EditMode::DryRun {
            return Ok(Outcome::without_write(Status::DryRun, file, changes, package, warnings));
        }
        let committed = self.commit_batch(&file, &base, &bytes, batch, None, stop)?;
        Ok(Outcome::committed(committed, changes, package, warnings))
    }

    /// What the file would hold after a batch on its current content; nothing is kept.
    pub(crate) fn dry_run_bytes(
        &self,
        file_id: &str,
        batch: &Batch,
        stop: &Stop,
    ) -> Result<Vec<u8>, WorkspaceError> {
        Ok(self.try_batch(file_id, batch, stop)?.2.bytes)
    }

    /// What a batch would make of the file as it is now: the content before, and what the engine gives. Nothing is written.
    pub(crate) fn try_batch(
        &self,
        file_id: &str,
        batch: &Batch,
        stop: &Stop,
    ) -> Result<(KnownFile, Vec<u8>, Applied), WorkspaceError> {
        let (file, base) = self.current(&self.known(file_id)?, stop)?;
        let applied = self.apply(&file, &base.bytes, &parse_ops(&batch.ops)?, batch, stop)?;
        Ok((file, base.bytes, applied))
    }

    pub(super) fn commit_batch(
        &self,
        file: &KnownFile,
        base: &Content,
        bytes: &[u8],
        batch: &Batch,
        decided: Option<DecidedProposal>,
        stop: &Stop,
    ) -> Result<Committed, WorkspaceError> {
        let revision = NewRevision {
            bytes,
            origin: batch.origin.unwrap_or(Origin::Assistant),
            summary: batch.summary.clone().unwrap_or_else(|| summary_of(&batch.ops)),
            ops: Some(serde_json::to_string(&batch.ops)?),
            model: batch.model.clone(),
            lineage: Lineage::Change,
            decided,
        };
        self.commit(file, base, &revision, stop)
    }

    /// Runs the engine. A fault of ours in it is an error like any other: the document was only in memory.
    pub(super) fn apply(
        &self,
        file: &KnownFile,
        bytes: &[u8],
        ops: &[Edit],
        batch: &Batch,
        stop: &Stop,
    ) -> Result<Applied, WorkspaceError> {
        let (now, author) = (self.now(), self.author());
        let is_stopped = || stop.is_set();
        let ctx = ApplyContext {
            author: &author,
            now: &now,
            override_protection: batch.override_protection,
            track_changes: batch.track_changes,
            limits: self.options.limits.clone(),
            cancel: &is_stopped,
        };
        let format = file.format();
        let applied = catch_unwind(AssertUnwindSafe(|| documents::apply(format, bytes, ops, &ctx)))
            .map_err(|_| WorkspaceError::EngineFailed(format.as_str()))?;
        applied.map_err(|error| self.edit_error(error, stop))
    }

    pub(super) fn edit_error(&self, error: EditError, stop: &Stop) -> WorkspaceError {
        match (error.kind, stop.reason()) {
            (EditErrorKind::Cancelled, Some(reason)) => reason,
            (EditErrorKind::Cancelled, None) => WorkspaceError::Cancelled,
            _ => WorkspaceError::Edit(error),
        }
    }
}

/// Reads the operations, naming the one that is not as the contract says. A batch without any is a batch that changes nothing.
pub(super) fn parse_ops(ops: &[Value]) -> Result<Vec<Edit>, WorkspaceError> {
    ops.iter().enumerate().map(|(index, op)| parse_op(index, op)).collect()
}

fn parse_op(index: usize, op: &Value) -> Result<Edit, WorkspaceError> {
    let wants_fence = op.get("text_from_fence").is_some() || op.get("fence").is_some();
    if wants_fence {
        let message =
            "The operation takes its text from a fence, but there is no assistant message with fences here.";
        return Err(EditError::new(EditErrorKind::FenceMissing, message).at_op(index).into());
    }
    serde_json::from_value(op.clone()).map_err(|error| {
        let name = op.get("op").and_then(Value::as_str).unwrap_or("operation");
        let message = format!("`{name}`: {}", in_plain_words(&error.to_string()));
        WorkspaceError::BadArguments { op: Some(index), message }
    })
}

/// What the parser says, without the words of its language.
fn in_plain_words(error: &str) -> String {
    let whole = "expected a whole number";
    let words = [
        ("expected usize", whole),
        ("expected u32", whole),
        ("expected u64", whole),
        ("expected a sequence", "expected a list"),
        ("expected struct", "expected an object, as"),
        ("expected internally tagged enum Edit", "expected an object with `op`"),
        ("invalid type: sequence", "invalid type: a list"),
        ("invalid type: map", "invalid type: an object"),
    ];
    words.into_iter().fold(error.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// `replace_text`, or `3 operations: replace_text, append_lines`.
pub(super) fn summary_of(ops: &[Value]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for op in ops {
        let name = op.get("op").and_then(Value::as_str).unwrap_or("edit");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let names = names.join(", ");
    if ops.len() == 1 { names } else { format!("{} operations: {names}", ops.len()) }
}
