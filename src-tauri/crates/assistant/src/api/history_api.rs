//! `history.*`: revisions that were.

use super::{
    App, AppError, EventBody,
    answers::{ComparisonAnswer, Done, HistoryAnswer, Receipt, SnapshotInfo, UsageAnswer},
    documents_api::comparison_answer,
    params::{Compare, FileId, Pin, Restore, Step},
};
use crate::workspace::{HistoryEntry, Stop};

impl App {
    /// The contract's history, newest first.
    pub fn history_list(&self, params: &FileId, stop: &Stop) -> Result<HistoryAnswer, AppError> {
        let listed = self.workspace.history(&params.file_id, stop);
        let (file, entries) = listed.map_err(|error| self.about(&params.file_id, error))?;
        let current = entries.first();
        let has_parent = |entry: &HistoryEntry| {
            let state = entries.iter().find(|state| state.content_rev == entry.node);
            state
                .and_then(|state| state.parent)
                .is_some_and(|parent| entries.iter().any(|kept| kept.content_rev == parent))
        };
        Ok(HistoryAnswer {
            ok: true,
            can_undo: current.is_some_and(has_parent),
            can_redo: current.is_some_and(|entry| !entry.redo.is_empty()),
            file_id: file.file_id,
            content_rev: file.content_rev,
            snapshots: entries.iter().map(snapshot_info).collect(),
        })
    }

    /// Makes a snapshot the next revision.
    pub fn history_restore(&self, params: &Restore, stop: &Stop) -> Result<Receipt, AppError> {
        let file_id = params.file_id.as_str();
        let outcome = self.workspace.restore(file_id, &params.snapshot, params.expected_content_rev, stop);
        self.told(outcome.map_err(|error| self.about(file_id, error))?)
    }

    /// One state back.
    pub fn history_undo(&self, params: &Step, stop: &Stop) -> Result<Receipt, AppError> {
        let outcome = self.workspace.undo(&params.file_id, params.expected_content_rev, stop);
        self.told(outcome.map_err(|error| self.about(&params.file_id, error))?)
    }

    /// One undo taken back.
    pub fn history_redo(&self, params: &Step, stop: &Stop) -> Result<Receipt, AppError> {
        let outcome = self.workspace.redo(&params.file_id, params.expected_content_rev, stop);
        self.told(outcome.map_err(|error| self.about(&params.file_id, error))?)
    }

    /// Keeps a snapshot whatever retention says.
    pub fn history_pin(&self, params: &Pin) -> Result<Done, AppError> {
        let pinned = self.workspace.pin(&params.file_id, &params.snapshot, params.pinned);
        pinned.map_err(|error| self.about(&params.file_id, error))?;
        self.tell(EventBody::HistoryChanged { file_id: params.file_id.clone() });
        Ok(Done { ok: true })
    }

    /// Compares two snapshots of a file.
    pub fn history_compare(&self, params: &Compare, stop: &Stop) -> Result<ComparisonAnswer, AppError> {
        let (_, from) = self.workspace.snapshot_bytes(&params.file_id, &params.from_snapshot)?;
        let (_, to) = self.workspace.snapshot_bytes(&params.file_id, &params.to_snapshot)?;
        let format = self.workspace.known(&params.file_id)?.format();
        Ok(comparison_answer(self.workspace.compare(format, &from, &to, stop)?))
    }

    /// What the snapshots take on the disk.
    pub fn history_usage(&self) -> Result<UsageAnswer, AppError> {
        let usage = self.workspace.usage()?;
        Ok(UsageAnswer {
            ok: true,
            files: usage.files,
            snapshots: usage.snapshots,
            stored_bytes: usage.stored_bytes,
        })
    }
}

fn snapshot_info(entry: &HistoryEntry) -> SnapshotInfo {
    SnapshotInfo {
        id: entry.snapshot_id(),
        at: entry.at.clone(),
        content_rev: entry.content_rev,
        origin: entry.origin,
        summary: entry.summary.clone(),
        size: entry.size,
        pinned: entry.pinned,
        model: entry.model.clone(),
        ops: entry.ops.as_deref().and_then(|ops| serde_json::from_str(ops).ok()),
    }
}
