//! The one door to the disk: a new revision replaces the current one, or nothing happened.
//!
//! Under the file's lock: look again, secure the old content, write the new one beside the file, record the intent, rename, record the
//! revision. The rename is the commit; a crash before or after it is completed by `recovery`. The new content is stored after the
//! receipt, if it is not stored yet: the file itself is its copy.

use super::{
    Stop, Workspace, WorkspaceError,
    blobs::hash_of,
    faults::Step,
    files::{Content, KnownFile},
    history::{HistoryEntry, Lineage, Origin},
    locks::{FileLock, Owner},
    save,
    store::{DecidedProposal, Intended, IntentRow},
};
use std::{path::Path, sync::Arc};

use documents::Warning;

/// What is to become the next revision.
pub(super) struct NewRevision<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) origin: Origin,
    pub(super) summary: String,
    pub(super) ops: Option<String>,
    pub(super) model: Option<String>,
    pub(super) lineage: Lineage,
    /// The proposal that this commit accepts, as it is afterwards: recorded together with the revision or not at all.
    pub(super) decided: Option<DecidedProposal>,
}

impl<'a> NewRevision<'a> {
    /// A content that was there before.
    pub(super) fn restored(bytes: &'a [u8], summary: String, lineage: Lineage) -> NewRevision<'a> {
        NewRevision {
            bytes,
            origin: Origin::Restore,
            summary,
            ops: None,
            model: None,
            lineage,
            decided: None,
        }
    }
}

/// A content up to this is held in memory until it is stored.
const LARGEST_LATER: usize = 64 << 20;

/// A new content's name, and its bytes when they are yet to be stored.
struct Kept {
    hash: String,
    later: Option<Arc<[u8]>>,
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
            decided: None,
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
        expect_writable(file)?;
        let lock = FileLock::take(self, &file.file_id, stop)?;
        let (now, again) = self.current_again(&lock, base, stop)?;
        let disk = again.as_ref().unwrap_or(base);
        if now.content_rev != file.content_rev || disk.hash != base.hash {
            let (file_id, expected) = (file.file_id.clone(), file.content_rev);
            return Err(WorkspaceError::RevisionConflict { file_id, expected, content_rev: now.content_rev });
        }
        let temporary = save::temporary_path(&now.path, self.home(), &now.file_id);
        let (mut prepared, kept) = self.keep_and_prepare(&now, disk, revision.bytes, &temporary, stop)?;
        let Kept { hash, later } = kept;
        let entry = self.next_entry(&now, revision, hash)?;
        let intended = Intended { entry, decided: revision.decided.clone() };
        self.record_intent(&now, &disk.hash, &intended, &temporary)?;
        let names = save::names_of(&now.path);
        let published =
            self.still(&now, disk).and_then(|()| stop.check()).and_then(|()| prepared.publish(&now.path));
        if let Err(error) = published {
            // An intent without its temporary file would look like a commit that happened.
            if self.store().drop_intent(&now.file_id).is_err() {
                prepared.leave();
            }
            return Err(error);
        }
        let committed =
            self.committed(now.clone(), intended, other_names(&now.path, names).into_iter().collect())?;
        if let Some(bytes) = later {
            self.blobs.put_later(&committed.file.hash, bytes);
        }
        Ok(committed)
    }

    /// Gives a file that is gone from the disk a new revision, unless something is in its place again.
    pub(super) fn commit_missing(
        &self,
        file: &KnownFile,
        revision: &NewRevision<'_>,
        stop: &Stop,
    ) -> Result<Committed, WorkspaceError> {
        let lock = FileLock::take(self, &file.file_id, stop)?;
        self.recover(&lock)?;
        let now = self.known(&file.file_id)?;
        self.expect_revision(&now, Some(file.content_rev))?;
        let hash = hash_of(revision.bytes);
        self.blobs.secure(&hash, revision.bytes)?;
        let temporary = save::temporary_path(&now.path, self.home(), &now.file_id);
        let faults = &self.options.faults;
        let prepared = save::prepare(&now.path, temporary.clone(), revision.bytes, faults, &|| stop.check())?;
        let intended = Intended { entry: self.next_entry(&now, revision, hash)?, decided: None };
        self.record_intent(&now, &now.hash, &intended, &temporary)?;
        if let Err(error) = prepared.publish_new(&now.path) {
            self.store().drop_intent(&now.file_id)?;
            return Err(error);
        }
        self.committed(now, intended, Vec::new())
    }

    /// What there is to tell after the rename.
    fn committed(
        &self,
        before: KnownFile,
        intended: Intended,
        mut warnings: Vec<Warning>,
    ) -> Result<Committed, WorkspaceError> {
        warnings.splice(0..0, self.settle(&before, &intended));
        let entry = intended.entry;
        let snapshot = self.snapshot_of(&before)?;
        let previous_rev = before.content_rev;
        let file = KnownFile { content_rev: entry.content_rev, hash: entry.hash, size: entry.size, ..before };
        Ok(Committed { file, previous_rev, snapshot, warnings })
    }

    /// Secures the old content and writes the new one beside the file: both at once, since one waits for the disk while the other
    /// reckons. A content that is too large to hold once more is stored now.
    fn keep_and_prepare(
        &self,
        file: &KnownFile,
        old: &Content,
        new: &[u8],
        temporary: &Path,
        stop: &Stop,
    ) -> Result<(save::Prepared, Kept), WorkspaceError> {
        std::thread::scope(|scope| {
            let kept = scope.spawn(|| {
                self.blobs.secure(&old.hash, &old.bytes)?;
                let hash = hash_of(new);
                if new.len() > LARGEST_LATER {
                    self.blobs.secure(&hash, new)?;
                    return Ok(Kept { hash, later: None });
                }
                Ok::<Kept, WorkspaceError>(Kept { hash, later: Some(Arc::from(new)) })
            });
            let keep_going = || stop.check();
            let prepared =
                save::prepare(&file.path, temporary.to_path_buf(), new, &self.options.faults, &keep_going);
            let crashed = || WorkspaceError::StoreContent("keeping a snapshot failed".into());
            let kept = kept.join().map_err(|_| crashed())??;
            Ok((prepared?, kept))
        })
    }

    /// The id of the snapshot that holds a file's current revision.
    pub(super) fn snapshot_of(&self, file: &KnownFile) -> Result<String, WorkspaceError> {
        let entry = self.store().entry(&file.file_id, file.content_rev)?;
        let missing =
            || WorkspaceError::StoreContent(format!("revision {} has no snapshot", file.content_rev));
        entry.map(|entry| entry.snapshot_id()).ok_or_else(missing)
    }

    pub(super) fn next_entry(
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
        old_hash: &str,
        intended: &Intended,
        temporary: &Path,
    ) -> Result<(), WorkspaceError> {
        let failed = |source| WorkspaceError::io("record the save of", &file.path, source);
        self.options.faults.before(Step::RecordIntent, &file.path).map_err(failed)?;
        self.store().add_intent(&IntentRow {
            file_id: file.file_id.clone(),
            old_hash: old_hash.to_owned(),
            temporary: temporary.to_string_lossy().into_owned(),
            entry: serde_json::to_string(intended)?,
        })
    }

    /// The last look before the rename: nobody touched the file since it was read.
    pub(super) fn still(&self, file: &KnownFile, disk: &Content) -> Result<(), WorkspaceError> {
        match self.stamp(&file.path)? == disk.stamp {
            true => Ok(()),
            false => {
                Err(WorkspaceError::Overtaken { path: file.path.clone(), content_rev: file.content_rev })
            }
        }
    }

    /// After the rename nothing can fail any more: what is left undone here is done by the next look at the file, from the intent.
    fn settle(&self, file: &KnownFile, intended: &Intended) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let faults = &self.options.faults;
        if let Err(error) =
            faults.before(Step::SyncFolder, &file.path).and_then(|()| save::sync_folder(&file.path))
        {
            warnings.push(not_flushed(&error));
        }
        let recorded = faults
            .before(Step::RecordCommit, &file.path)
            .map_err(|source| WorkspaceError::io("record the save of", &file.path, source))
            .and_then(|()| self.store().finish_intent(intended));
        if let Err(error) = recorded {
            let message =
                format!("The file is saved; its entry in the history will be completed later ({error}).");
            warnings.push(Warning::new("history_delayed", message));
        }
        warnings
    }
}

/// Refuses what the disk or another program would not let happen, before anything is prepared.
pub(super) fn expect_writable(file: &KnownFile) -> Result<(), WorkspaceError> {
    let path = file.path.clone();
    if let Some(owner) = Owner::of(&path) {
        return Err(WorkspaceError::Locked { path, by: owner.describe() });
    }
    if save::is_read_only(&path) {
        let why = "the file is read-only for this user".to_owned();
        return Err(WorkspaceError::ReadOnly { path, why });
    }
    match save::holder(&path) {
        Some(by) => Err(WorkspaceError::Locked { path, by }),
        None => Ok(()),
    }
}

/// The rename is done but may not outlive a power cut.
pub(super) fn not_flushed(error: &std::io::Error) -> Warning {
    let message = format!("The folder could not be flushed ({error}); a power cut now may undo the save.");
    Warning::new("not_flushed", message)
}

/// A rename gives one name the new content. To write through to all names would mean to write in place, which is never done.
pub(super) fn other_names(path: &Path, names: u64) -> Option<Warning> {
    let message = format!(
        "The file had {names} names (hard links). {} has the new content; the others keep the old one and are files of their own now.",
        path.display()
    );
    (names > 1).then(|| Warning::new("hard_link_separated", message))
}
