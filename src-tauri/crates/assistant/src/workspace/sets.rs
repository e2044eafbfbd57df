//! Edits of several files that are done together or not at all, also over a crash.
//!
//! All intents of a set are recorded in one transaction before the first rename, and the first rename is the commit of the set: a crash
//! after it is completed forward, one before it leaves nothing. A rename that fails while the process lives turns the set around; that
//! is recorded too, and what was renamed gets its old content and time again. How a crash is completed is in `sets::recover`.

mod recover;

use std::{
    path::{Path, PathBuf},
    time::SystemTime,
};

use documents::{Applied, Warning};
use serde::{Deserialize, Serialize};

use super::{
    EditMode, Outcome, Status, Stop, Workspace, WorkspaceError,
    blobs::hash_of,
    commit::{Committed, NewRevision, expect_writable, not_flushed, other_names},
    edit::{Batch, parse_ops, summary_of},
    faults::Step,
    files::{Content, KnownFile},
    history::{Lineage, Origin},
    locks::FileLock,
    save,
    store::{Intended, IntentRow},
};

/// The batch of one file in a set.
#[derive(Debug, Clone)]
pub struct SetPart {
    pub file_id: String,
    pub expected: Option<u64>,
    pub batch: Batch,
}

/// Why a set was not done.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct SetError {
    /// Which part stood in the way.
    pub part: usize,
    pub error: WorkspaceError,
    /// Files that have their part nevertheless, because the disk did not let it be taken back; their revision is recorded.
    pub stuck: Vec<PathBuf>,
}

/// What an intent says of the set that it belongs to, beside what it says of its own file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SetMark {
    id: String,
    files: Vec<String>,
    /// The set is being taken back.
    back: bool,
}

/// The `entry` of an intent that belongs to a set.
#[derive(Serialize, Deserialize)]
struct InSet {
    #[serde(flatten)]
    intended: Intended,
    set: SetMark,
}

/// A batch that applies, not written yet.
struct Tried {
    file: KnownFile,
    base: Content,
    applied: Applied,
}

/// A file whose new version lies beside it, under its lock.
struct Ready {
    part: usize,
    now: KnownFile,
    old: Content,
    temporary: PathBuf,
    prepared: save::Prepared,
    intended: Intended,
    snapshot: String,
    modified: Option<SystemTime>,
    names: u64,
}

impl Workspace {
    /// Applies one batch to each of several files: all of them, or none and the first reason.
    pub fn edit_set(&self, parts: &[SetPart], mode: EditMode, stop: &Stop) -> Result<Vec<Outcome>, SetError> {
        let mut tried = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let is_twice = parts.iter().take(index).any(|other| other.file_id == part.file_id);
            let one = if is_twice { Err(named_twice()) } else { self.try_part(part, stop) };
            tried.push(one.map_err(|error| SetError::at(index, error))?);
        }
        match mode {
            EditMode::DryRun => Ok(tried.into_iter().map(|one| one.shown()).collect()),
            EditMode::Stage => self.stage_set(parts, &tried, stop),
            EditMode::Commit => self.commit_set(parts, tried, stop),
        }
    }

    fn try_part(&self, part: &SetPart, stop: &Stop) -> Result<Tried, WorkspaceError> {
        let (file, base) = self.current(&self.known(&part.file_id)?, stop)?;
        self.expect_revision(&file, part.expected)?;
        let applied = self.apply(&file, &base.bytes, &parse_ops(&part.batch.ops)?, &part.batch, stop)?;
        Ok(Tried { file, base, applied })
    }

    fn stage_set(&self, parts: &[SetPart], tried: &[Tried], stop: &Stop) -> Result<Vec<Outcome>, SetError> {
        let (mut outcomes, mut waiting) = (Vec::new(), Vec::new());
        for (index, (part, one)) in parts.iter().zip(tried).enumerate() {
            let staged = self.staged(&one.file, &one.base, &part.batch, stop);
            let (outcome, proposal) = staged.map_err(|error| SetError::at(index, error))?;
            outcomes.push(outcome);
            waiting.extend(proposal.map(|proposal| (index, proposal)));
        }
        let mut proposals: Vec<_> = waiting.iter().map(|(_, proposal)| proposal.clone()).collect();
        self.save_proposals(&mut proposals).map_err(|error| SetError::at(0, error))?;
        for ((index, _), proposal) in waiting.iter().zip(proposals) {
            if let Some(outcome) = outcomes.get_mut(*index) {
                outcome.proposal = Some(proposal);
            }
        }
        Ok(outcomes)
    }

    fn commit_set(
        &self,
        parts: &[SetPart],
        tried: Vec<Tried>,
        stop: &Stop,
    ) -> Result<Vec<Outcome>, SetError> {
        let mut changed: Vec<usize> =
            (0..tried.len()).filter(|at| tried[*at].applied.bytes != tried[*at].base.bytes).collect();
        // Everybody takes several locks in this order, so that two sets cannot wait for each other.
        changed.sort_by(|one, other| tried[*one].file.file_id.cmp(&tried[*other].file.file_id));
        let mut committed = match changed.as_slice() {
            [] => Vec::new(),
            [only] => {
                let Tried { file, base, applied } = &tried[*only];
                let batch = &parts[*only].batch;
                let done = self.commit_batch(file, base, &applied.bytes, batch, None, stop);
                vec![(*only, done.map_err(|error| SetError::at(*only, error))?)]
            }
            several => self.commit_together(parts, &tried, several, stop)?,
        };
        let outcome = |(index, one): (usize, Tried)| match committed.iter().position(|(at, _)| *at == index) {
            None => one.shown(),
            Some(at) => {
                let Applied { changes, package, warnings, .. } = one.applied;
                Outcome::committed(committed.swap_remove(at).1, changes, package, warnings)
            }
        };
        Ok(tried.into_iter().enumerate().map(outcome).collect())
    }

    fn commit_together(
        &self,
        parts: &[SetPart],
        tried: &[Tried],
        changed: &[usize],
        stop: &Stop,
    ) -> Result<Vec<(usize, Committed)>, SetError> {
        let mut locks = Vec::new();
        for &part in changed {
            let file = &tried[part].file;
            let lock = expect_writable(file).and_then(|()| FileLock::take(self, &file.file_id, stop));
            locks.push(lock.map_err(|error| SetError::at(part, error))?);
        }
        let mut ready = Vec::new();
        for (&part, lock) in changed.iter().zip(&locks) {
            let one = self.ready(part, &parts[part].batch, &tried[part], lock, stop);
            ready.push(one.map_err(|error| SetError::at(part, error))?);
        }
        self.record_set(&ready, false).map_err(|error| SetError::at(ready[0].part, error))?;
        self.publish_set(&mut ready, stop).or_else(|(at, error)| self.turn_back(&mut ready, at, error))?;
        let warnings = self.settle_set(&ready);
        let committed = |(one, mut warnings): (Ready, Vec<Warning>)| {
            warnings.extend(other_names(&one.now.path, one.names));
            let entry = one.intended.entry;
            let previous_rev = one.now.content_rev;
            let file =
                KnownFile { content_rev: entry.content_rev, hash: entry.hash, size: entry.size, ..one.now };
            (one.part, Committed { file, previous_rev, snapshot: one.snapshot, warnings })
        };
        Ok(ready.into_iter().zip(warnings).map(committed).collect())
    }

    /// Looks once more, keeps the old content and the new one, and writes the new version beside the file.
    fn ready(
        &self,
        part: usize,
        batch: &Batch,
        tried: &Tried,
        lock: &FileLock,
        stop: &Stop,
    ) -> Result<Ready, WorkspaceError> {
        let Tried { file, base, applied } = tried;
        let (now, again) = self.current_again(lock, base, stop)?;
        let old = again.unwrap_or_else(|| base.clone());
        if now.content_rev != file.content_rev || old.hash != base.hash {
            let (file_id, expected) = (file.file_id.clone(), file.content_rev);
            return Err(WorkspaceError::RevisionConflict { file_id, expected, content_rev: now.content_rev });
        }
        let hash = hash_of(&applied.bytes);
        self.blobs.secure(&old.hash, &old.bytes)?;
        self.blobs.secure(&hash, &applied.bytes)?;
        let temporary = save::temporary_path(&now.path, self.home(), &now.file_id);
        let faults = &self.options.faults;
        let prepared = save::prepare(&now.path, temporary.clone(), &applied.bytes, faults, &|| stop.check())?;
        let revision = NewRevision {
            bytes: &applied.bytes,
            origin: batch.origin.unwrap_or(Origin::Assistant),
            summary: batch.summary.clone().unwrap_or_else(|| summary_of(&batch.ops)),
            ops: Some(serde_json::to_string(&batch.ops)?),
            model: batch.model.clone(),
            lineage: Lineage::Change,
            decided: None,
        };
        let intended = Intended { entry: self.next_entry(&now, &revision, hash)?, decided: None };
        let snapshot = self.snapshot_of(&now)?;
        let modified = std::fs::metadata(&now.path).and_then(|metadata| metadata.modified()).ok();
        let names = save::names_of(&now.path);
        Ok(Ready { part, now, old, temporary, prepared, intended, snapshot, modified, names })
    }

    /// Writes down, in one transaction, what is about to happen to all files, or that it is being taken back.
    fn record_set(&self, ready: &[Ready], back: bool) -> Result<(), WorkspaceError> {
        let named = |one: &Ready| format!("{}:{}", one.now.file_id, one.intended.entry.content_rev);
        let id = ready.iter().map(named).collect::<Vec<_>>().join(" ");
        let files: Vec<String> = ready.iter().map(|one| one.now.file_id.clone()).collect();
        let mut rows = Vec::new();
        for one in ready {
            let failed = |source| WorkspaceError::io("record the save of", &one.now.path, source);
            self.options.faults.before(Step::RecordIntent, &one.now.path).map_err(failed)?;
            let set = SetMark { id: id.clone(), files: files.clone(), back };
            let in_set = InSet { intended: one.intended.clone(), set };
            rows.push(IntentRow {
                file_id: one.now.file_id.clone(),
                old_hash: one.old.hash.clone(),
                temporary: one.temporary.to_string_lossy().into_owned(),
                entry: serde_json::to_string(&in_set)?,
            });
        }
        self.store().add_intents(&rows)
    }

    /// Renames one after the other; tells at which it failed.
    fn publish_set(&self, ready: &mut [Ready], stop: &Stop) -> Result<(), (usize, WorkspaceError)> {
        let untouched = || ready.iter().try_for_each(|one| self.still(&one.now, &one.old));
        untouched().and_then(|()| stop.check()).map_err(|error| (0, error))?;
        for (at, one) in ready.iter_mut().enumerate() {
            let published = self.still(&one.now, &one.old).and_then(|()| one.prepared.publish(&one.now.path));
            published.map_err(|error| (at, error))?;
        }
        Ok(())
    }

    /// The rename of `at` failed: those before it get their old content again, and nothing happened.
    fn turn_back(&self, ready: &mut [Ready], at: usize, error: WorkspaceError) -> Result<(), SetError> {
        let part = ready[at].part;
        let mut stuck = Vec::new();
        if at > 0 {
            // A store that cannot be written now keeps nobody from putting the old contents back.
            let _ = self.record_set(ready, true);
        }
        for one in ready.iter().take(at) {
            if self.write_old(&one.now.path, &one.temporary, &one.old.bytes, one.modified).is_err() {
                // It did happen, so it is a revision.
                let _ = self.store().finish_intent(&one.intended);
                stuck.push(one.now.path.clone());
            }
        }
        let ids: Vec<String> = ready.iter().map(|one| one.now.file_id.clone()).collect();
        // An intent that stays says of a file with its old content that nothing happened.
        let _ = self.store().drop_intents(&ids);
        Err(SetError { part, error, stuck })
    }

    /// Replaces a file by its old content, with the old time of change.
    fn write_old(
        &self,
        path: &Path,
        temporary: &Path,
        old: &[u8],
        modified: Option<SystemTime>,
    ) -> Result<(), WorkspaceError> {
        let faults = &self.options.faults;
        let mut prepared = save::prepare(path, temporary.to_path_buf(), old, faults, &|| Ok(()))?;
        if let Some(modified) = modified {
            let times = std::fs::FileTimes::new().set_modified(modified);
            let file = std::fs::OpenOptions::new().write(true).open(temporary);
            // The time is a courtesy; the content is what counts.
            let _ = file.and_then(|file| file.set_times(times));
        }
        prepared.publish(path)
    }

    /// After the renames nothing can fail any more; what is left undone here is done by the next look, from the intents.
    fn settle_set(&self, ready: &[Ready]) -> Vec<Vec<Warning>> {
        let faults = &self.options.faults;
        let mut warnings: Vec<Vec<Warning>> = Vec::new();
        for one in ready {
            let path = &one.now.path;
            let synced = faults.before(Step::SyncFolder, path).and_then(|()| save::sync_folder(path));
            warnings.push(synced.err().map(|error| not_flushed(&error)).into_iter().collect());
        }
        let intended: Vec<&Intended> = ready.iter().map(|one| &one.intended).collect();
        let may_record = ready.iter().try_for_each(|one| {
            faults
                .before(Step::RecordCommit, &one.now.path)
                .map_err(|source| WorkspaceError::io("record the save of", &one.now.path, source))
        });
        if let Err(error) = may_record.and_then(|()| self.store().finish_intents(&intended)) {
            let message =
                format!("The file is saved; its entry in the history will be completed later ({error}).");
            for one in &mut warnings {
                one.push(Warning::new("history_delayed", message.clone()));
            }
        }
        warnings
    }
}

impl Tried {
    /// As an outcome that wrote nothing.
    fn shown(self) -> Outcome {
        let status = if self.applied.bytes == self.base.bytes { Status::Unchanged } else { Status::DryRun };
        let Applied { changes, package, warnings, .. } = self.applied;
        Outcome::without_write(status, self.file, changes, package, warnings)
    }
}

impl SetError {
    fn at(part: usize, error: WorkspaceError) -> SetError {
        SetError { part, error, stuck: Vec::new() }
    }
}

fn named_twice() -> WorkspaceError {
    WorkspaceError::bad_arguments("A file is named twice in one set.")
}
