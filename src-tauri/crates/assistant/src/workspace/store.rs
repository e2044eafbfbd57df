//! The SQLite store under Stet home: files, their revisions, intents of running commits, proposals.
//!
//! The only code that names rusqlite. Several processes use it at once (WAL, busy timeout); every write is one immediate
//! transaction. What the rows mean is decided by the modules above; each table has its file here.

mod entries;
mod files;
mod intents;
mod proposals;
mod salvage;
mod sets;

use std::{path::Path, time::Duration};

use rusqlite::{Connection, Transaction, TransactionBehavior, config::DbConfig};

use super::{WorkspaceError, ledger::Ledger};

pub(super) use files::FileRow;
pub(super) use intents::{Intended, IntentRow};
pub(super) use proposals::{DecidedProposal, ProposalRow};
pub(super) use salvage::{Salvage, Wreck};

/// Raised when `SCHEMA` grows; every statement in it must then be harmless on an older store.
const SCHEMA_VERSION: i64 = 1;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS files (
    id TEXT PRIMARY KEY, path TEXT NOT NULL UNIQUE, content_rev INTEGER NOT NULL, hash TEXT NOT NULL,
    size INTEGER NOT NULL, is_open INTEGER NOT NULL DEFAULT 0, opened_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS snapshots (
    number INTEGER PRIMARY KEY AUTOINCREMENT, file_id TEXT NOT NULL, content_rev INTEGER NOT NULL, hash TEXT NOT NULL,
    size INTEGER NOT NULL, origin TEXT NOT NULL, summary TEXT NOT NULL, ops TEXT, model TEXT, at TEXT NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0, node INTEGER NOT NULL, parent INTEGER, redo TEXT NOT NULL DEFAULT '[]',
    UNIQUE (file_id, content_rev));
CREATE INDEX IF NOT EXISTS snapshots_by_hash ON snapshots (hash);
CREATE TABLE IF NOT EXISTS intents (
    file_id TEXT PRIMARY KEY, old_hash TEXT NOT NULL, temporary TEXT NOT NULL, entry TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS proposals (
    number INTEGER PRIMARY KEY AUTOINCREMENT, file_id TEXT NOT NULL, state TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS proposals_by_file ON proposals (file_id, state);
";

/// What each table must be able to answer; a store of the right version that cannot is damaged.
const SHAPE: [&str; 4] = [
    "SELECT id, path, content_rev, hash, size, is_open, opened_at FROM files",
    "SELECT number, file_id, content_rev, hash, size, origin, summary, ops, model, at, pinned, node, parent, redo FROM snapshots",
    "SELECT file_id, old_hash, temporary, entry FROM intents",
    "SELECT number, file_id, state, body FROM proposals",
];

/// At a mebibyte the journal is folded into the database; who opens the store reads no more than that.
const JOURNAL_PAGES: i64 = 256;

pub(super) struct Store {
    connection: Connection,
    ledger: Ledger,
}

impl Store {
    /// Opens the store, waiting `patience` for other processes at each step. A store that holds nothing yet is filled from `wreck` and the
    /// ledger in the transaction that makes its tables, so that no process ever sees it half filled.
    pub(super) fn open(
        home: &Path,
        patience: Duration,
        wreck: Wreck,
    ) -> Result<(Store, Salvage), WorkspaceError> {
        let connection = Connection::open(home.join("store.db"))?;
        connection.busy_timeout(patience)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        // The journal stays when the last connection closes. To fold it in and to make it anew cost a short-lived process four flushes
        // of the disk; a larger journal is folded in by the commit that finds it so.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.pragma_update(None, "wal_autocheckpoint", JOURNAL_PAGES)?;
        let mut store = Store { connection, ledger: Ledger::new(home) };
        let salvage = match store.version()? {
            SCHEMA_VERSION => Salvage::default(),
            newer if newer > SCHEMA_VERSION => return Err(WorkspaceError::StoreTooNew { version: newer }),
            _ => store.make_tables(home, wreck)?,
        };
        store.check_shape()?;
        Ok((store, salvage))
    }

    fn make_tables(&mut self, home: &Path, wreck: Wreck) -> Result<Salvage, WorkspaceError> {
        let unreadable = |source| WorkspaceError::io("read the ledger in", home, source);
        let lines = self.ledger.read().map_err(unreadable)?;
        self.write(|tx| {
            let version: i64 = tx.pragma_query_value(None, "user_version", |row| row.get(0))?;
            tx.execute_batch(SCHEMA)?;
            tx.pragma_update(None, "user_version", SCHEMA_VERSION)?;
            // Another process may have made them while this one waited for its turn.
            if version == 0 { salvage::fill(tx, wreck, lines) } else { Ok(Salvage::default()) }
        })
    }

    fn version(&self) -> Result<i64, WorkspaceError> {
        Ok(self.connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
    }

    fn check_shape(&self) -> Result<(), WorkspaceError> {
        for sql in SHAPE {
            if let Err(error) = self.connection.prepare(sql) {
                let is_shape = matches!(error, rusqlite::Error::SqlInputError { .. })
                    || error.sqlite_error_code() == Some(rusqlite::ErrorCode::Unknown);
                return Err(if is_shape { salvage::corrupt(error.to_string()) } else { error.into() });
            }
        }
        Ok(())
    }

    pub(super) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Runs `work` in one immediate transaction; an error undoes all of it.
    pub(super) fn write<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, WorkspaceError>,
    ) -> Result<T, WorkspaceError> {
        let tx = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&tx)?;
        tx.commit()?;
        Ok(done)
    }

    /// The ledger is only needed when the database is lost; a line that cannot be added now must not undo what is done.
    fn note_in_ledger(&self, file_id: &str, content_rev: u64) {
        let path = self.file(file_id).ok().flatten().map(|file| file.path);
        if let (Some(path), Ok(Some(entry))) = (path, self.entry(file_id, content_rev)) {
            let _ = self.ledger.append(&path, &entry);
        }
    }
}
