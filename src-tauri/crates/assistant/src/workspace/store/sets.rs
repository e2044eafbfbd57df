//! Rows of several files in one transaction: the intents of a set, and proposals that appear together.

use rusqlite::params;

use super::{
    super::WorkspaceError, DecidedProposal, Intended, IntentRow, Store, entries::advance,
    intents::drop_intent, proposals::decide,
};

impl Store {
    /// Records what is about to happen to several files; all of it or nothing.
    pub(in super::super) fn add_intents(&mut self, intents: &[IntentRow]) -> Result<(), WorkspaceError> {
        self.write(|tx| {
            for intent in intents {
                tx.execute(
                    "INSERT OR REPLACE INTO intents (file_id, old_hash, temporary, entry) VALUES (?1, ?2, ?3, ?4)",
                    params![intent.file_id, intent.old_hash, intent.temporary, intent.entry],
                )?;
            }
            Ok(())
        })
    }

    pub(in super::super) fn drop_intents(&mut self, file_ids: &[String]) -> Result<(), WorkspaceError> {
        self.write(|tx| file_ids.iter().try_for_each(|file_id| drop_intent(tx, file_id)))
    }

    /// Drops these intents unless something newer stands in their place.
    pub(in super::super) fn drop_same_intents(&mut self, rows: &[IntentRow]) -> Result<(), WorkspaceError> {
        self.write(|tx| {
            for row in rows {
                let sql = "DELETE FROM intents WHERE file_id = ?1 AND entry = ?2";
                tx.execute(sql, params![row.file_id, row.entry])?;
            }
            Ok(())
        })
    }

    /// The revisions of a set become the current ones together.
    pub(in super::super) fn finish_intents(&mut self, intended: &[&Intended]) -> Result<(), WorkspaceError> {
        self.write(|tx| {
            for Intended { entry, decided } in intended {
                advance(tx, entry)?;
                if let Some(decided) = decided {
                    decide(tx, decided)?;
                }
                drop_intent(tx, &entry.file_id)?;
            }
            Ok(())
        })?;
        for Intended { entry, .. } in intended {
            self.note_in_ledger(&entry.file_id, entry.content_rev);
        }
        Ok(())
    }

    /// Adds new proposals (number 0) and updates known ones; answers their numbers.
    pub(in super::super) fn save_proposals(
        &mut self,
        rows: &[(String, DecidedProposal)],
    ) -> Result<Vec<u64>, WorkspaceError> {
        self.write(|tx| {
            let mut numbers = Vec::new();
            for (file_id, row) in rows {
                if row.number == 0 {
                    tx.execute(
                        "INSERT INTO proposals (file_id, state, body) VALUES (?1, ?2, ?3)",
                        params![file_id, row.state, row.body],
                    )?;
                    numbers.push(tx.last_insert_rowid().unsigned_abs());
                } else {
                    decide(tx, row)?;
                    numbers.push(row.number);
                }
            }
            Ok(numbers)
        })
    }
}
