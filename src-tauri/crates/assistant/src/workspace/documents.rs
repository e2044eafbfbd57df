//! Describing, making and checking documents through the engines, at a known revision.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use documents::{ApplyContext, DocumentError, Format, Outline, OutlineRequest, create::Source};

use super::{
    Stop, Workspace, WorkspaceError,
    commit::{Committed, not_flushed},
    edit::Outcome,
    faults::Step,
    files::KnownFile,
    history::Origin,
    identity,
    locks::FileLock,
    save,
};

impl Workspace {
    /// The outline of a file at its current revision.
    pub fn outline(
        &self,
        file_id: &str,
        request: &OutlineRequest,
        stop: &Stop,
    ) -> Result<(KnownFile, Outline), WorkspaceError> {
        let (file, content) = self.current(&self.known(file_id)?, stop)?;
        let outline = self.outline_bytes(&file, &content.bytes, request, stop)?;
        Ok((file, outline))
    }

    pub(crate) fn outline_bytes(
        &self,
        file: &KnownFile,
        bytes: &[u8],
        request: &OutlineRequest,
        stop: &Stop,
    ) -> Result<Outline, WorkspaceError> {
        let format = file.format();
        let is_stopped = || stop.is_set();
        let outline = || documents::outline(format, bytes, request, &self.options.limits, &is_stopped);
        let outline = catch_unwind(AssertUnwindSafe(outline))
            .map_err(|_| WorkspaceError::EngineFailed(format.as_str()))?;
        outline.map_err(|error| match error {
            DocumentError::Cancelled => stop.reason().unwrap_or(WorkspaceError::Cancelled),
            other => WorkspaceError::Document(other),
        })
    }

    /// Makes a file that does not exist yet; it appears whole or not at all.
    pub fn create(&self, path: &Path, source: &Source, stop: &Stop) -> Result<Outcome, WorkspaceError> {
        let target = identity::canonical_new(path)?;
        identity::storable(&target)?;
        if fs::symlink_metadata(&target).is_ok() {
            return Err(WorkspaceError::Exists(target));
        }
        let bytes = &self.new_bytes(&target, source, stop)?;
        // The id that the file will have, so that what a crash leaves here is found like that of any save.
        let file_id = identity::id_candidates(identity::storable(&target)?).next().unwrap_or_default();
        let _lock = FileLock::take(self, &file_id, stop)?;
        let temporary = save::temporary_path(&target, self.home(), &file_id);
        let prepared = save::prepare(&target, temporary, bytes, &self.options.faults, &|| stop.check())?;
        prepared.publish_new(&target)?;
        let flushed =
            self.options.faults.before(Step::SyncFolder, &target).and_then(|()| save::sync_folder(&target));
        let warnings = flushed.err().map(|error| not_flushed(&error)).into_iter().collect();
        let (file, snapshot) = self.made(&target).inspect_err(|_| {
            // A file without a revision would be a file that nobody was told of.
            let _ = fs::remove_file(&target);
        })?;
        let committed = Committed { file, previous_rev: 0, snapshot, warnings };
        Ok(Outcome::committed(committed, Vec::new(), None, Vec::new()))
    }

    /// Makes a file known that was just made. Nothing stops this any more.
    fn made(&self, target: &Path) -> Result<(KnownFile, String), WorkspaceError> {
        let (file, _) = self.open_file(target, &Stop::default())?;
        let snapshot = self.snapshot_of(&file)?;
        self.store().set_origin(&file.file_id, file.content_rev, Origin::Assistant, "Made")?;
        Ok((file, snapshot))
    }

    fn new_bytes(&self, target: &Path, source: &Source, stop: &Stop) -> Result<Vec<u8>, WorkspaceError> {
        let format = Format::of_name(&target.to_string_lossy());
        let (now, author) = (self.now(), self.author());
        let is_stopped = || stop.is_set();
        let ctx = ApplyContext {
            author: &author,
            now: &now,
            override_protection: false,
            track_changes: None,
            limits: self.options.limits.clone(),
            cancel: &is_stopped,
        };
        let made = catch_unwind(AssertUnwindSafe(|| documents::create::create(format, source, &ctx)))
            .map_err(|_| WorkspaceError::EngineFailed(format.as_str()))?;
        made.map_err(|error| self.edit_error(error, stop))
    }
}
