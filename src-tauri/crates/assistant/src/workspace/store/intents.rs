//! Rows of `intents`: commits that were about to rename their temporary file over the target, for a crash in between.

use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use super::{
    super::{WorkspaceError, history::HistoryEntry},
    DecidedProposal, Store,
    entries::advance,
    proposals::decide,
};

/// One row of `intents`: a commit that was about to rename its temporary file over the target.
#[derive(Debug, Clone)]
pub(in super::super) struct IntentRow {
    pub(in super::super) file_id: String,
    pub(in super::super) old_hash: String,
    pub(in super::super) temporary: String,
    /// What the finished commit records: an `Intended` as JSON.
    pub(in super::super) entry: String,
}

/// What a commit records when it is done, all of it or nothing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in super::super) struct Intended {
    #[serde(flatten)]
    pub(in super::super) entry: HistoryEntry,
    /// The proposal that it accepts, as it is afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in super::super) decided: Option<DecidedProposal>,
}

impl Store {
    pub(in super::super) fn intents(&self) -> Result<Vec<IntentRow>, WorkspaceError> {
        let mut statement =
            self.connection.prepare_cached("SELECT file_id, old_hash, temporary, entry FROM intents")?;
        let rows = statement.query_map([], intent_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(in super::super) fn intent(&self, file_id: &str) -> Result<Option<IntentRow>, WorkspaceError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT file_id, old_hash, temporary, entry FROM intents WHERE file_id = ?1")?;
        Ok(statement.query_row(params![file_id], intent_row).optional()?)
    }

    pub(in super::super) fn add_intent(&mut self, intent: &IntentRow) -> Result<(), WorkspaceError> {
        self.write(|tx| {
            tx.execute(
                "INSERT OR REPLACE INTO intents (file_id, old_hash, temporary, entry) VALUES (?1, ?2, ?3, ?4)",
                params![intent.file_id, intent.old_hash, intent.temporary, intent.entry],
            )?;
            Ok(())
        })
    }

    pub(in super::super) fn drop_intent(&mut self, file_id: &str) -> Result<(), WorkspaceError> {
        self.write(|tx| drop_intent(tx, file_id))
    }

    /// The commit point in the store: the intent goes, its revision becomes the current one, and what it decided is decided.
    pub(in super::super) fn finish_intent(&mut self, intended: &Intended) -> Result<(), WorkspaceError> {
        // The intent is on the disk already: if a power cut takes this transaction, recovery does it again. So nobody waits for it.
        self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        let Intended { entry, decided } = intended;
        let finished = self.write(|tx| {
            advance(tx, entry)?;
            if let Some(decided) = decided {
                decide(tx, decided)?;
            }
            drop_intent(tx, &entry.file_id)
        });
        self.connection.pragma_update(None, "synchronous", "FULL")?;
        finished?;
        self.note_in_ledger(&entry.file_id, entry.content_rev);
        Ok(())
    }
}

pub(super) fn intent_row(row: &Row<'_>) -> rusqlite::Result<IntentRow> {
    Ok(IntentRow { file_id: row.get(0)?, old_hash: row.get(1)?, temporary: row.get(2)?, entry: row.get(3)? })
}

pub(super) fn drop_intent(tx: &Transaction<'_>, file_id: &str) -> Result<(), WorkspaceError> {
    tx.execute("DELETE FROM intents WHERE file_id = ?1", params![file_id])?;
    Ok(())
}
