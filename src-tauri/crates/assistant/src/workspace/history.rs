//! Revisions that were: listing, bringing one back, undo and redo across restarts, pins.
//!
//! Each revision of a file is one entry. Undo and redo walk a tree of states: an entry's `node` is the revision whose content it shows,
//! a node's `parent` the state before it, `redo` the states that undo came from.

use serde::{Deserialize, Serialize};

use super::{
    Stop, Workspace, WorkspaceError, blobs::hash_of, commit::NewRevision, edit::Outcome, files::KnownFile,
    verify::package_report,
};

/// How a revision came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Opened,
    Assistant,
    User,
    External,
    Restore,
}

impl Origin {
    /// The contract's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Opened => "opened",
            Origin::Assistant => "assistant",
            Origin::User => "user",
            Origin::External => "external",
            Origin::Restore => "restore",
        }
    }

    pub(super) fn of_word(word: &str) -> Option<Origin> {
        [Origin::Opened, Origin::Assistant, Origin::User, Origin::External, Origin::Restore]
            .into_iter()
            .find(|origin| origin.as_str() == word)
    }
}

/// One revision of a file with everything known about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// The number in `snap-000012`; 0 until the store gave one.
    pub number: u64,
    pub file_id: String,
    pub content_rev: u64,
    pub hash: String,
    pub size: u64,
    pub origin: Origin,
    /// One line for a person.
    pub summary: String,
    /// The batch that made it, as JSON.
    pub ops: Option<String>,
    pub model: Option<String>,
    pub at: String,
    pub pinned: bool,
    pub node: u64,
    pub parent: Option<u64>,
    pub redo: Vec<u64>,
}

impl HistoryEntry {
    /// The id used at every boundary.
    pub fn snapshot_id(&self) -> String {
        snapshot_id(self.number)
    }
}

pub(super) fn snapshot_id(number: u64) -> String {
    format!("snap-{number:06}")
}

fn snapshot_number(id: &str) -> Option<u64> {
    id.strip_prefix("snap-")?.parse().ok()
}

/// Where the next revision stands in the tree of states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lineage {
    /// A new state after the current one; what could be redone is no longer offered.
    Change,
    /// The state `node` again, with what can be redone from there.
    Return { node: u64, redo: Vec<u64> },
}

impl Workspace {
    /// All kept revisions of a file, newest first, with its current revision.
    pub fn history(
        &self,
        file_id: &str,
        stop: &Stop,
    ) -> Result<(KnownFile, Vec<HistoryEntry>), WorkspaceError> {
        let file = self.known(file_id)?;
        let file = match self.current(&file, stop) {
            Ok((file, _)) => file,
            // The history of a file that is gone, closed or replaced by something else is all that is left of it.
            Err(
                WorkspaceError::Missing(_)
                | WorkspaceError::IsFolder(_)
                | WorkspaceError::NotAllowed { .. }
                | WorkspaceError::Io { .. },
            ) => file,
            Err(error) => return Err(error),
        };
        let entries = self.store().entries(file_id)?;
        let gone = entries.iter().filter(|entry| self.blobs.stored_size(&entry.hash).is_none());
        let gone: Vec<String> = gone.map(HistoryEntry::snapshot_id).collect();
        if !gone.is_empty() {
            let message = format!(
                "The stored copies of {} are not there any more or were damaged; they cannot be restored.",
                gone.join(", ")
            );
            self.notice("copy_missing", message);
        }
        Ok((file, entries))
    }

    /// The bytes of a snapshot, verified.
    pub fn snapshot_bytes(
        &self,
        file_id: &str,
        snapshot: &str,
    ) -> Result<(HistoryEntry, Vec<u8>), WorkspaceError> {
        let unknown = || WorkspaceError::UnknownSnapshot(snapshot.to_owned());
        let number = snapshot_number(snapshot).ok_or_else(unknown)?;
        let entry = self.store().entry_by_number(file_id, number)?.ok_or_else(unknown)?;
        let bytes = self.entry_bytes(&entry)?;
        Ok((entry, bytes))
    }

    /// Makes a snapshot's content the next revision; itself undoable.
    pub fn restore(
        &self,
        file_id: &str,
        snapshot: &str,
        expected: Option<u64>,
        stop: &Stop,
    ) -> Result<Outcome, WorkspaceError> {
        let (entry, bytes) = self.snapshot_bytes(file_id, snapshot)?;
        let summary = format!("Restored revision {} ({})", entry.content_rev, entry.snapshot_id());
        self.write_back(file_id, expected, bytes, summary, |_| Ok(Lineage::Change), stop)
    }

    /// Goes one state back.
    pub fn undo(&self, file_id: &str, expected: Option<u64>, stop: &Stop) -> Result<Outcome, WorkspaceError> {
        let current = self.current_entry(file_id, stop)?;
        let state = self.store().entry(file_id, current.node)?.ok_or(WorkspaceError::NothingToUndo)?;
        let node = state.parent.ok_or(WorkspaceError::NothingToUndo)?;
        let target = self.store().entry(file_id, node)?.ok_or(WorkspaceError::NothingToUndo)?;
        let mut redo = current.redo.clone();
        redo.push(current.node);
        let summary = format!("Undid revision {}: {}", state.content_rev, state.summary);
        self.write_state(&current, expected, &target, summary, redo, stop)
    }

    /// Takes one undo back.
    pub fn redo(&self, file_id: &str, expected: Option<u64>, stop: &Stop) -> Result<Outcome, WorkspaceError> {
        let current = self.current_entry(file_id, stop)?;
        let mut redo = current.redo.clone();
        let node = redo.pop().ok_or(WorkspaceError::NothingToRedo)?;
        let target = self.store().entry(file_id, node)?.ok_or(WorkspaceError::NothingToRedo)?;
        let summary = format!("Redid revision {}: {}", target.content_rev, target.summary);
        self.write_state(&current, expected, &target, summary, redo, stop)
    }

    /// Keeps a snapshot whatever retention says, or lets it go its way again.
    pub fn pin(&self, file_id: &str, snapshot: &str, pinned: bool) -> Result<(), WorkspaceError> {
        let unknown = || WorkspaceError::UnknownSnapshot(snapshot.to_owned());
        let number = snapshot_number(snapshot).ok_or_else(unknown)?;
        self.store().entry_by_number(file_id, number)?.ok_or_else(unknown)?;
        self.store().set_pinned(file_id, number, pinned)
    }

    pub(super) fn entry_bytes(&self, entry: &HistoryEntry) -> Result<Vec<u8>, WorkspaceError> {
        let damaged = |why| WorkspaceError::DamagedSnapshot { snapshot: entry.snapshot_id(), why };
        self.blobs.get(&entry.hash).or_else(|why| self.bytes_in_file(entry).ok_or(why)).map_err(damaged)
    }

    /// The newest content when its blob is not there: another process may be about to store it, or crashed before.
    fn bytes_in_file(&self, entry: &HistoryEntry) -> Option<Vec<u8>> {
        let file = self.known(&entry.file_id).ok().filter(|file| file.hash == entry.hash)?;
        let (_, content) = self.current(&file, &Stop::default()).ok()?;
        (content.hash == entry.hash).then_some(content.bytes)
    }

    fn current_entry(&self, file_id: &str, stop: &Stop) -> Result<HistoryEntry, WorkspaceError> {
        let (file, _) = self.current(&self.known(file_id)?, stop)?;
        let entry = self.store().entry(file_id, file.content_rev)?;
        entry.ok_or_else(|| {
            WorkspaceError::StoreContent(format!("revision {} has no entry", file.content_rev))
        })
    }

    fn write_state(
        &self,
        current: &HistoryEntry,
        expected: Option<u64>,
        target: &HistoryEntry,
        summary: String,
        redo: Vec<u64>,
        stop: &Stop,
    ) -> Result<Outcome, WorkspaceError> {
        let bytes = self.entry_bytes(target)?;
        let base = current.content_rev;
        let lineage = |content_rev| match content_rev == base {
            true => Ok(Lineage::Return { node: target.node, redo: redo.clone() }),
            false => Err(WorkspaceError::RevisionConflict {
                file_id: current.file_id.clone(),
                expected: base,
                content_rev,
            }),
        };
        self.write_back(&current.file_id, expected.or(Some(base)), bytes, summary, lineage, stop)
    }

    fn write_back(
        &self,
        file_id: &str,
        expected: Option<u64>,
        bytes: Vec<u8>,
        summary: String,
        lineage: impl FnOnce(u64) -> Result<Lineage, WorkspaceError>,
        stop: &Stop,
    ) -> Result<Outcome, WorkspaceError> {
        let (file, base) = match self.current(&self.known(file_id)?, stop) {
            Err(WorkspaceError::Missing(_)) => {
                return self.bring_back(file_id, expected, &bytes, summary, lineage, stop);
            }
            current => current?,
        };
        self.expect_revision(&file, expected)?;
        if base.bytes == bytes {
            return Ok(Outcome::unchanged(file));
        }
        let changes =
            super::compare::whole_changes(file.format(), &base.bytes, &bytes, &self.options.limits, stop);
        // A damaged version can be replaced too; then there is nothing to tell of its parts.
        let limits = &self.options.limits;
        let is_package = file.format().is_package();
        let package = is_package.then(|| package_report(&base.bytes, &bytes, limits, stop).ok()).flatten();
        let revision = NewRevision::restored(&bytes, summary, lineage(file.content_rev)?);
        let committed = self.commit(&file, &base, &revision, stop)?;
        Ok(Outcome::committed(committed, changes, package, Vec::new()))
    }

    /// Makes a file that was deleted anew.
    fn bring_back(
        &self,
        file_id: &str,
        expected: Option<u64>,
        bytes: &[u8],
        summary: String,
        lineage: impl FnOnce(u64) -> Result<Lineage, WorkspaceError>,
        stop: &Stop,
    ) -> Result<Outcome, WorkspaceError> {
        let file = self.known(file_id)?;
        self.expect_revision(&file, expected)?;
        let current = self.store().entry(file_id, file.content_rev)?;
        let lineage = match current {
            // The state it had when it went: that is no new one, or undo would lead from it to itself.
            Some(current) if file.hash == hash_of(bytes) => {
                Lineage::Return { node: current.node, redo: current.redo }
            }
            _ => lineage(file.content_rev)?,
        };
        let revision = NewRevision::restored(bytes, summary, lineage);
        let committed = self.commit_missing(&file, &revision, stop)?;
        Ok(Outcome::committed(committed, Vec::new(), None, Vec::new()))
    }
}
