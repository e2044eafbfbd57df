//! Completing what a crash interrupted: an intent says what was about to happen, the disk says how far it came.

use std::{fs, io, path::Path};

use super::{
    Stop, Workspace, WorkspaceError,
    blobs::hash_of,
    locks::FileLock,
    save,
    store::{Intended, IntentRow},
};

impl Workspace {
    /// Completes every interrupted commit that no living process is working on.
    pub(super) fn recover_all(&self) -> Result<(), WorkspaceError> {
        let intents = self.store().intents()?;
        for intent in intents {
            if let Some(lock) = FileLock::try_take(self, &intent.file_id)? {
                self.recover(&lock)?;
            }
        }
        let open_files = self.open_files()?;
        for file in open_files {
            let leftover = save::temporary_path(&file.path, self.home(), &file.file_id);
            if (leftover.exists() || save::is_half_replaced(&leftover))
                && let Some(lock) = FileLock::try_take(self, &file.file_id)?
            {
                self.recover(&lock)?;
            }
        }
        Ok(())
    }

    /// Completes or takes back the interrupted commit of one file, if there is one.
    pub(super) fn recover(&self, lock: &FileLock) -> Result<(), WorkspaceError> {
        let intent = self.store().intent(lock.file_id())?;
        match intent {
            Some(intent) => self.complete(&intent),
            None => {
                let file = self.known(lock.file_id())?;
                let temporary = save::temporary_path(&file.path, self.home(), &file.file_id);
                put_back(&temporary, &file.path)?;
                remove_leftover(&temporary)
            }
        }
    }

    /// The temporary file was complete before the intent was recorded, so it is gone only if it was renamed over the target.
    fn complete(&self, intent: &IntentRow) -> Result<(), WorkspaceError> {
        if self.recover_set(intent)? {
            return Ok(());
        }
        let intended: Intended = serde_json::from_str(&intent.entry)?;
        let temporary = Path::new(&intent.temporary);
        let file = self.known(&intent.file_id)?;
        put_back(temporary, &file.path)?;
        let on_disk = self.read(&file.path, &Stop::default()).ok().map(|content| hash_of(&content.bytes));
        let was_renamed = match on_disk.as_deref() {
            Some(hash) if hash == intended.entry.hash => true,
            Some(hash) if hash == intent.old_hash => false,
            Some(_) | None => !temporary.exists(),
        };
        if was_renamed {
            self.store().finish_intent(&intended)?;
        } else {
            self.store().drop_intent(&intent.file_id)?;
        }
        remove_leftover(temporary)
    }
}

pub(super) fn put_back(temporary: &Path, target: &Path) -> Result<(), WorkspaceError> {
    save::put_back(temporary, target).map_err(|source| WorkspaceError::io("put back", target, source))
}

pub(super) fn remove_leftover(temporary: &Path) -> Result<(), WorkspaceError> {
    match fs::remove_file(temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(WorkspaceError::io("remove", temporary, error))
        }
        _ => Ok(()),
    }
}
