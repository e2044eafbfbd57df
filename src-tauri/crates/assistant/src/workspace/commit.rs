//! The one door to the disk: a new revision replaces the current one, or nothing happened.
//!
//! Under the file's lock: look again, secure the old content, store the new one, write it beside the file, record the intent, rename,
//! record the revision. The rename is the commit; a crash before or after it is completed by `recovery`.

use super::{
    Stop, Workspace, WorkspaceError,
    blobs::hash_of,
    faults::Step,
    files::{Content, KnownFile},
    history::{HistoryEntry, Lineage, Origin},
    locks::{FileLock, Owner},
    save,
    store::IntentRow,
};
use std::path::Path;

use documents::Warning;

/// What is to become the next revision.
pub(super) struct NewRevision<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) origin: Origin,
    pub(super) summary: String,
    pub(super) ops: Option<String>,
    pub(super) model: Option<String>,
    pub(super) lineage: Lineage,
}

/// A commit that happened.
#[derive(Debug, Clone)]
pub struct Committed {
    pub file: KnownFile,
    pub previous_rev: u64,
    /// The snapshot that holds what the file was before.
    pub snapshot: String,
    /// Things about the save that the user should know although it was done.
    pub warnings: Vec<Warning>,
}

impl Workspace {
    /// Refuses a write that does not say which revision it was made for, or that was made for another.
    pub(super) fn expect_revision(
        &self,
        file: &KnownFile,
        expected: Option<u64>,
    ) -> Result<(), WorkspaceError> {
        let (file_id, content_rev) = (file.file_id.clone(), file.content_rev);
        match expected {
            None => Err(WorkspaceError::RevisionRequired { file_id, content_rev }),
            Some(expected) if expected != content_rev => {
                Err(WorkspaceError::RevisionConflict { file_id, expected, content_rev })
            }
            Some(_) => Ok(()),
        }
    }

    /// Makes given bytes the next revision, for results that were made and verified elsewhere.
    pub fn commit_bytes(
        &self,
        file_id: &str,
        expected: u64,
        bytes: &[u8],
        summary: &str,
        stop: &Stop,
    ) -> Result<Committed, WorkspaceError> {
        let (file, base) = self.current(&self.known(file_id)?, stop)?;
        self.expect_revision(&file, Some(expected))?;
        let revision = NewRevision {
            bytes,
            origin: Origin::User,
            summary: summary.to_owned(),
            ops: None,
            model: None,
            lineage: Lineage::Change,
        };
        self.commit(&file, &base, &revision, stop)
    }

    /// Replaces the file's content `base` (revision `file.content_rev`) with a new revision.
    pub(super) fn commit(
        &self,
        file: &KnownFile,
        base: &Content,
        revision: &NewRevision<'_>,
        stop: &Stop,
    ) -> Result<Committed, WorkspaceError> {
        if let Some(owner) = Owner::of(&file.path) {
            return Err(WorkspaceError::Locked { path: file.path.clone(), by: owner.describe() });
        }
        if save::is_read_only(&file.path) {
            let why = "the file is read-only for this user".to_owned();
            return Err(WorkspaceError::ReadOnly { path: file.path.clone(), why });
        }
        let lock = FileLock::take(self, &file.file_id, stop)?;
        let (now, again) = self.current_again(&lock, base, stop)?;
        let disk = again.as_ref().unwrap_or(base);
        if now.content_rev != file.content_rev || disk.hash != base.hash {
            let (file_id, expected) = (file.file_id.clone(), file.content_rev);
            return Err(WorkspaceError::RevisionConflict { file_id, expected, content_rev: now.content_rev });
        }
        let temporary = save::temporary_path(&now.path, self.home(), &now.file_id);
        let (prepared, hash) = self.keep_and_prepare(&now, disk, revision.bytes, &temporary, stop)?;
        let entry = self.next_entry(&now, revision, hash)?;
        self.record_intent(&now, disk, &entry, &temporary)?;
        let published =
            self.still(&now, disk).and_then(|()| stop.check()).and_then(|()| prepared.publish(&now.path));
        if let Err(error) = published {
            self.store().drop_intent(&now.file_id)?;
            return Err(error);
        }
        let warnings = self.settle(&now, &entry);
        self.blobs.flush_later(&entry.hash);
        let snapshot = self.snapshot_of(&now)?;
        let content_rev = entry.content_rev;
        let file = KnownFile { content_rev, hash: entry.hash, size: entry.size, ..now.clone() };
        Ok(Committed { file, previous_rev: now.content_rev, snapshot, warnings })
    }

    /// Secures the old content, keeps the new one (and tells its hash) and writes it beside the file: both at once, since one waits for
    /// the disk while the other compresses.
    fn keep_and_prepare(
        &self,
        file: &KnownFile,
        old: &Content,
        new: &[u8],
        temporary: &Path,
        stop: &Stop,
    ) -> Result<(save::Prepared, String), WorkspaceError> {
        std::thread::scope(|scope| {
            let kept = scope.spawn(|| {
                self.blobs.secure(&old.hash, &old.bytes)?;
                let hash = hash_of(new);
                self.blobs.put(&hash, new)?;
                Ok::<String, WorkspaceError>(hash)
            });
            let keep_going = || stop.check();
            let prepared =
                save::prepare(&file.path, temporary.to_path_buf(), new, &self.options.faults, &keep_going);
            let crashed = || WorkspaceError::StoreContent("keeping a snapshot failed".into());
            let hash = kept.join().map_err(|_| crashed())??;
            Ok((prepared?, hash))
        })
    }

    /// The id of the snapshot that holds a file's current revision.
    pub(super) fn snapshot_of(&self, file: &KnownFile) -> Result<String, WorkspaceError> {
        let entry = self.store().entry(&file.file_id, file.content_rev)?;
        let missing =
            || WorkspaceError::StoreContent(format!("revision {} has no snapshot", file.content_rev));
        entry.map(|entry| entry.snapshot_id()).ok_or_else(missing)
    }

    fn next_entry(
        &self,
        file: &KnownFile,
        revision: &NewRevision<'_>,
        hash: String,
    ) -> Result<HistoryEntry, WorkspaceError> {
        let content_rev = file.content_rev + 1;
        let current = self.store().entry(&file.file_id, file.content_rev)?;
        let (node, parent, redo) = match &revision.lineage {
            Lineage::Change => (content_rev, current.map(|entry| entry.node), Vec::new()),
            Lineage::Return { node, redo } => (*node, None, redo.clone()),
        };
        Ok(HistoryEntry {
            number: 0,
            file_id: file.file_id.clone(),
            content_rev,
            hash,
            size: revision.bytes.len() as u64,
            origin: revision.origin,
            summary: revision.summary.clone(),
            ops: revision.ops.clone(),
            model: revision.model.clone(),
            at: self.now(),
            pinned: false,
            node,
            parent,
            redo,
        })
    }

    fn record_intent(
        &self,
        file: &KnownFile,
        disk: &Content,
        entry: &HistoryEntry,
        temporary: &Path,
    ) -> Result<(), WorkspaceError> {
        let failed = |source| WorkspaceError::io("record the save of", &file.path, source);
        self.options.faults.before(Step::RecordIntent, &file.path).map_err(failed)?;
        self.store().add_intent(&IntentRow {
            file_id: file.file_id.clone(),
            old_hash: disk.hash.clone(),
            temporary: temporary.to_string_lossy().into_owned(),
            entry: serde_json::to_string(entry)?,
        })
    }

    /// The last look before the rename: nobody touched the file since it was read.
    fn still(&self, file: &KnownFile, disk: &Content) -> Result<(), WorkspaceError> {
        match self.stamp(&file.path)? == disk.stamp {
            true => Ok(()),
            false => {
                Err(WorkspaceError::Overtaken { path: file.path.clone(), content_rev: file.content_rev })
            }
        }
    }

    /// After the rename nothing can fail any more: what is left undone here is done by the next look at the file, from the intent.
    fn settle(&self, file: &KnownFile, entry: &HistoryEntry) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let faults = &self.options.faults;
        if let Err(error) =
            faults.before(Step::SyncFolder, &file.path).and_then(|()| save::sync_folder(&file.path))
        {
            let message = format!(
                "The folder could not be flushed ({error}); a power cut now may bring the old version back."
            );
            warnings.push(Warning::new("not_flushed", message));
        }
        let recorded = faults
            .before(Step::RecordCommit, &file.path)
            .map_err(|source| WorkspaceError::io("record the save of", &file.path, source))
            .and_then(|()| self.store().finish_intent(entry));
        if let Err(error) = recorded {
            let message =
                format!("The file is saved; its entry in the history will be completed later ({error}).");
            warnings.push(Warning::new("history_delayed", message));
        }
        warnings
    }
}
