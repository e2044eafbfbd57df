//! Completing a set of files that a crash interrupted: forward once one of them was renamed, back when that was recorded, and not at
//! all when nothing had happened. Whoever looks at one of the files completes all that nobody else holds.
//!
//! What another program changed meanwhile cannot be completed: its part then waits as a proposal, and the user is told.

use std::path::Path;

use documents::Warning;
use serde::Deserialize;

use super::{
    super::{
        Stop, Workspace, WorkspaceError,
        blobs::hash_of,
        edit::Batch,
        files::KnownFile,
        locks::FileLock,
        recovery::{put_back, remove_leftover},
        save,
        store::{Intended, IntentRow},
    },
    SetMark,
};

/// What lies in the place of a file whose intent is still there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    New,
    Old,
    /// Another program's content; its rename had been done.
    ChangedAfter,
    /// Another program's content (or nothing); its rename had not been done.
    ChangedBefore,
}

/// The set of an intent, if it has one.
#[derive(Deserialize)]
struct OfSet {
    #[serde(default)]
    set: Option<SetMark>,
}

impl Workspace {
    /// Completes or takes back the set that an intent belongs to; `false` when it belongs to none. The caller holds the file's lock.
    pub(in super::super) fn recover_set(&self, own: &IntentRow) -> Result<bool, WorkspaceError> {
        let Some(mark) = mark_of(own)? else { return Ok(false) };
        let rows = self.store().intents()?;
        let is_of_set =
            |row: &IntentRow| mark_of(row).is_ok_and(|other| other.is_some_and(|o| o.id == mark.id));
        let rows: Vec<IntentRow> = rows.into_iter().filter(is_of_set).collect();
        let is_begun = mark.back
            || rows.len() < mark.files.len()
            || rows.iter().any(|row| {
                self.found(row).is_ok_and(|found| matches!(found, Found::New | Found::ChangedAfter))
            });
        if !is_begun {
            self.store().drop_same_intents(&rows)?;
            remove_leftover(Path::new(&own.temporary))?;
            return Ok(true);
        }
        self.complete_part(own, &mark)?;
        for row in rows.iter().filter(|row| row.file_id != own.file_id) {
            // What somebody else holds is completed by them; what fails now is tried at the next look at that file.
            if let Ok(Some(lock)) = FileLock::try_take(self, &row.file_id) {
                let again = self.store().intent(lock.file_id())?;
                if let Some(row) = again.filter(is_of_set) {
                    let _ = self.complete_part(&row, &mark);
                }
            }
        }
        Ok(true)
    }

    fn found(&self, row: &IntentRow) -> Result<Found, WorkspaceError> {
        let intended: Intended = serde_json::from_str(&row.entry)?;
        let file = self.known(&row.file_id)?;
        let temporary = Path::new(&row.temporary);
        put_back(temporary, &file.path)?;
        let disk = self.read(&file.path, &Stop::default()).ok().map(|content| hash_of(&content.bytes));
        Ok(match disk {
            Some(hash) if hash == intended.entry.hash => Found::New,
            Some(hash) if hash == row.old_hash => Found::Old,
            _ if temporary.exists() => Found::ChangedBefore,
            _ => Found::ChangedAfter,
        })
    }

    fn complete_part(&self, row: &IntentRow, mark: &SetMark) -> Result<(), WorkspaceError> {
        let intended: Intended = serde_json::from_str(&row.entry)?;
        let file = self.known(&row.file_id)?;
        let temporary = Path::new(&row.temporary);
        match (self.found(row)?, mark.back) {
            (Found::New, false) | (Found::ChangedAfter, _) => self.store().finish_intent(&intended)?,
            (Found::New, true) => {
                let old = self.stored(&row.old_hash)?;
                self.write_old(&file.path, temporary, &old, None)?;
                self.store().drop_intent(&row.file_id)?;
            }
            (Found::Old | Found::ChangedBefore, true) => self.store().drop_intent(&row.file_id)?,
            (Found::Old, false) => match self.publish_found(&file, temporary, &intended) {
                Ok(()) => self.store().finish_intent(&intended)?,
                Err(error) => self.left_out(row, &intended, &file, mark, &error.to_string())?,
            },
            (Found::ChangedBefore, false) => {
                self.left_out(row, &intended, &file, mark, "another program changed it meanwhile")?;
            }
        }
        remove_leftover(temporary)
    }

    /// The rename that the crash prevented.
    fn publish_found(
        &self,
        file: &KnownFile,
        temporary: &Path,
        intended: &Intended,
    ) -> Result<(), WorkspaceError> {
        let failed = |source| WorkspaceError::io("read the new version of", &file.path, source);
        let bytes = std::fs::read(temporary).map_err(failed)?;
        if hash_of(&bytes) != intended.entry.hash {
            let why = format!("the new version of {} is damaged", file.path.display());
            return Err(WorkspaceError::StoreContent(why));
        }
        save::Prepared::found(temporary.to_path_buf(), &self.options.faults).publish(&file.path)
    }

    /// The part of this file cannot be completed: it waits for the user instead, who is told where the others stand.
    fn left_out(
        &self,
        row: &IntentRow,
        intended: &Intended,
        file: &KnownFile,
        mark: &SetMark,
        why: &str,
    ) -> Result<(), WorkspaceError> {
        let others = mark.files.iter().filter(|id| **id != row.file_id);
        let others: Vec<String> =
            others.filter_map(|id| self.known(id).ok()).map(|file| file.path.display().to_string()).collect();
        let message = format!(
            "A change of several files together was interrupted. {} is without its part ({why}). It was made in {}, where undo takes it back.",
            file.path.display(),
            others.join(", ")
        );
        let warning = Warning::new("set_interrupted", message.clone());
        let ops = intended.entry.ops.as_deref().map(serde_json::from_str).transpose()?.unwrap_or_default();
        let batch = Batch {
            ops,
            summary: Some(format!("Interrupted change of several files: {}", intended.entry.summary)),
            model: intended.entry.model.clone(),
            origin: Some(intended.entry.origin),
            ..Batch::default()
        };
        let waits = self.stage_interrupted(file, &row.old_hash, &batch, warning);
        let told = match waits {
            Ok(Some(id)) => format!("{message} Here it waits as {id}: accept it to finish the change."),
            Ok(None) | Err(_) => message,
        };
        self.notice("set_interrupted", told);
        self.store().drop_intent(&row.file_id)
    }
}

fn mark_of(row: &IntentRow) -> Result<Option<SetMark>, WorkspaceError> {
    Ok(serde_json::from_str::<OfSet>(&row.entry)?.set)
}
