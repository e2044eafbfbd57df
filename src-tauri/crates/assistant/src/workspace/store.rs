//! The SQLite store under Stet home: files, their revisions, intents of running commits, proposals.
//!
//! The only code that names rusqlite. Several processes use it at once (WAL, busy timeout); every write is one immediate
//! transaction. What the rows mean is decided by the modules above.

mod salvage;

use std::{path::Path, time::Duration};

use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use super::{
    WorkspaceError,
    history::{HistoryEntry, Origin},
    ledger::Ledger,
};

pub(super) use salvage::{Salvage, Wreck};

/// How long a statement waits for another process's transaction; those take milliseconds.
const BUSY_WAIT: Duration = Duration::from_secs(20);

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

/// One row of `files`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileRow {
    pub(super) id: String,
    pub(super) path: String,
    pub(super) content_rev: u64,
    pub(super) hash: String,
    pub(super) size: u64,
    pub(super) is_open: bool,
}

/// One row of `intents`: a commit that was about to rename its temporary file over the target.
#[derive(Debug, Clone)]
pub(super) struct IntentRow {
    pub(super) file_id: String,
    pub(super) old_hash: String,
    pub(super) temporary: String,
    /// The history entry that the finished commit adds, as JSON.
    pub(super) entry: String,
}

/// One row of `proposals`.
#[derive(Debug, Clone)]
pub(super) struct ProposalRow {
    pub(super) number: u64,
    pub(super) body: String,
}

pub(super) struct Store {
    connection: Connection,
    ledger: Ledger,
}

impl Store {
    pub(super) fn open(home: &Path) -> Result<Store, WorkspaceError> {
        let connection = Connection::open(home.join("store.db"))?;
        connection.busy_timeout(BUSY_WAIT)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        let mut store = Store { connection, ledger: Ledger::new(home) };
        let version: i64 = store.connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version != SCHEMA_VERSION {
            store.write(|tx| {
                tx.execute_batch(SCHEMA)?;
                Ok(tx.pragma_update(None, "user_version", SCHEMA_VERSION)?)
            })?;
        }
        Ok(store)
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

    pub(super) fn file(&self, id: &str) -> Result<Option<FileRow>, WorkspaceError> {
        one_file(&self.connection, "id = ?1", id)
    }

    pub(super) fn file_by_path(&self, path: &str) -> Result<Option<FileRow>, WorkspaceError> {
        one_file(&self.connection, "path = ?1", path)
    }

    pub(super) fn open_files(&self) -> Result<Vec<FileRow>, WorkspaceError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, path, content_rev, hash, size, is_open FROM files WHERE is_open = 1 ORDER BY opened_at, id")?;
        let rows = statement.query_map([], file_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(super) fn set_open(&mut self, id: &str, is_open: bool, now: &str) -> Result<(), WorkspaceError> {
        self.write(|tx| {
            tx.execute(
                "UPDATE files SET is_open = ?2, opened_at = ?3 WHERE id = ?1",
                params![id, is_open, now],
            )?;
            Ok(())
        })
    }

    /// Adds a file with its first revision; `None` when another process was faster.
    pub(super) fn add_file(
        &mut self,
        path: &str,
        entry: &HistoryEntry,
        candidates: impl Iterator<Item = String>,
    ) -> Result<Option<FileRow>, WorkspaceError> {
        let added = self.write(|tx| {
            if one_file(tx, "path = ?1", path)?.is_some() {
                return Ok(None);
            }
            for id in candidates {
                if one_file(tx, "id = ?1", &id)?.is_some() {
                    continue;
                }
                tx.execute(
                    "INSERT INTO files (id, path, content_rev, hash, size, is_open, opened_at) VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6)",
                    params![id, path, entry.content_rev, entry.hash, entry.size, entry.at],
                )?;
                insert_entry(tx, &HistoryEntry { file_id: id.clone(), ..entry.clone() })?;
                return one_file(tx, "id = ?1", &id);
            }
            Err(WorkspaceError::StoreContent("every id for this path is taken".into()))
        })?;
        if let Some(row) = &added {
            self.note_in_ledger(&row.id, row.content_rev);
        }
        Ok(added)
    }

    pub(super) fn set_path(&mut self, id: &str, path: &str) -> Result<(), WorkspaceError> {
        self.write(|tx| {
            tx.execute("UPDATE files SET path = ?2 WHERE id = ?1", params![id, path])?;
            Ok(())
        })
    }

    /// Adds a revision and makes it the current one; refused when it does not follow the current one.
    pub(super) fn advance(&mut self, entry: &HistoryEntry) -> Result<(), WorkspaceError> {
        self.write(|tx| advance(tx, entry))?;
        self.note_in_ledger(&entry.file_id, entry.content_rev);
        Ok(())
    }

    pub(super) fn entry(
        &self,
        file_id: &str,
        content_rev: u64,
    ) -> Result<Option<HistoryEntry>, WorkspaceError> {
        let mut statement =
            self.connection.prepare_cached(&select_entries("file_id = ?1 AND content_rev = ?2"))?;
        optional_entry(statement.query_row(params![file_id, content_rev], entry_row))
    }

    pub(super) fn entry_by_number(
        &self,
        file_id: &str,
        number: u64,
    ) -> Result<Option<HistoryEntry>, WorkspaceError> {
        let mut statement =
            self.connection.prepare_cached(&select_entries("file_id = ?1 AND number = ?2"))?;
        optional_entry(statement.query_row(params![file_id, number], entry_row))
    }

    /// All revisions of a file that are still kept, newest first.
    pub(super) fn entries(&self, file_id: &str) -> Result<Vec<HistoryEntry>, WorkspaceError> {
        let mut statement =
            self.connection.prepare_cached(&select_entries("file_id = ?1 ORDER BY content_rev DESC"))?;
        let rows = statement.query_map(params![file_id], entry_row)?;
        rows.map(|row| parsed_entry(row?)).collect()
    }

    pub(super) fn set_origin(
        &mut self,
        file_id: &str,
        content_rev: u64,
        origin: Origin,
        summary: &str,
    ) -> Result<(), WorkspaceError> {
        self.write(|tx| {
            let sql =
                "UPDATE snapshots SET origin = ?3, summary = ?4 WHERE file_id = ?1 AND content_rev = ?2";
            tx.execute(sql, params![file_id, content_rev, origin.as_str(), summary])?;
            Ok(())
        })
    }

    /// Files, snapshots and the distinct contents that anything refers to.
    pub(super) fn counts(&self) -> Result<(u64, u64, Vec<String>), WorkspaceError> {
        let files = self.connection.query_row("SELECT COUNT(*) FROM files", [], |row| row.get(0))?;
        let snapshots = self.connection.query_row("SELECT COUNT(*) FROM snapshots", [], |row| row.get(0))?;
        let mut statement = self.connection.prepare_cached("SELECT DISTINCT hash FROM snapshots")?;
        let hashes = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok((files, snapshots, hashes))
    }

    /// Every kept revision of every file, by file, oldest first.
    pub(super) fn all_entries(&self) -> Result<Vec<HistoryEntry>, WorkspaceError> {
        let mut statement =
            self.connection.prepare_cached(&select_entries("1 ORDER BY file_id, content_rev"))?;
        let rows = statement.query_map([], entry_row)?;
        rows.map(|row| parsed_entry(row?)).collect()
    }

    pub(super) fn drop_entries(&mut self, numbers: &[u64]) -> Result<(), WorkspaceError> {
        self.write(|tx| {
            let mut statement =
                tx.prepare_cached("DELETE FROM snapshots WHERE number = ?1 AND pinned = 0")?;
            for number in numbers {
                statement.execute(params![number])?;
            }
            Ok(())
        })
    }

    /// Every content that a kept revision, a waiting proposal or a running commit refers to.
    pub(super) fn needed_contents(&self) -> Result<Vec<String>, WorkspaceError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT hash FROM snapshots UNION SELECT hash FROM files UNION SELECT old_hash FROM intents
             UNION SELECT json_extract(entry, '$.hash') FROM intents
             UNION SELECT json_extract(body, '$.base_hash') FROM proposals WHERE state IN ('pending', 'rebased', 'conflict')
             UNION SELECT json_extract(body, '$.onto_hash') FROM proposals WHERE state IN ('pending', 'rebased', 'conflict')
             UNION SELECT json_extract(body, '$.result_hash') FROM proposals WHERE state IN ('pending', 'rebased', 'conflict')",
        )?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(super) fn set_pinned(
        &mut self,
        file_id: &str,
        number: u64,
        pinned: bool,
    ) -> Result<(), WorkspaceError> {
        self.write(|tx| {
            tx.execute(
                "UPDATE snapshots SET pinned = ?3 WHERE file_id = ?1 AND number = ?2",
                params![file_id, number, pinned],
            )?;
            Ok(())
        })
    }

    pub(super) fn intents(&self) -> Result<Vec<IntentRow>, WorkspaceError> {
        let mut statement =
            self.connection.prepare_cached("SELECT file_id, old_hash, temporary, entry FROM intents")?;
        let rows = statement.query_map([], intent_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(super) fn intent(&self, file_id: &str) -> Result<Option<IntentRow>, WorkspaceError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT file_id, old_hash, temporary, entry FROM intents WHERE file_id = ?1")?;
        Ok(statement.query_row(params![file_id], intent_row).optional()?)
    }

    pub(super) fn add_intent(&mut self, intent: &IntentRow) -> Result<(), WorkspaceError> {
        self.write(|tx| {
            tx.execute(
                "INSERT OR REPLACE INTO intents (file_id, old_hash, temporary, entry) VALUES (?1, ?2, ?3, ?4)",
                params![intent.file_id, intent.old_hash, intent.temporary, intent.entry],
            )?;
            Ok(())
        })
    }

    pub(super) fn drop_intent(&mut self, file_id: &str) -> Result<(), WorkspaceError> {
        self.write(|tx| drop_intent(tx, file_id))
    }

    /// The commit point in the store: the intent goes, its revision becomes the current one.
    pub(super) fn finish_intent(&mut self, entry: &HistoryEntry) -> Result<(), WorkspaceError> {
        // The intent is on the disk already: if a power cut takes this transaction, recovery does it again. So nobody waits for it.
        self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        let finished = self.write(|tx| {
            advance(tx, entry)?;
            drop_intent(tx, &entry.file_id)
        });
        self.connection.pragma_update(None, "synchronous", "FULL")?;
        finished?;
        self.note_in_ledger(&entry.file_id, entry.content_rev);
        Ok(())
    }

    /// The ledger is only needed when the database is lost; a line that cannot be added now must not undo what is done.
    fn note_in_ledger(&self, file_id: &str, content_rev: u64) {
        let path = self.file(file_id).ok().flatten().map(|file| file.path);
        if let (Some(path), Ok(Some(entry))) = (path, self.entry(file_id, content_rev)) {
            let _ = self.ledger.append(&path, &entry);
        }
    }

    pub(super) fn add_proposal(
        &mut self,
        file_id: &str,
        state: &str,
        body: &str,
    ) -> Result<u64, WorkspaceError> {
        self.write(|tx| {
            tx.execute(
                "INSERT INTO proposals (file_id, state, body) VALUES (?1, ?2, ?3)",
                params![file_id, state, body],
            )?;
            Ok(tx.last_insert_rowid().unsigned_abs())
        })
    }

    pub(super) fn update_proposal(
        &mut self,
        number: u64,
        state: &str,
        body: &str,
    ) -> Result<(), WorkspaceError> {
        self.write(|tx| {
            tx.execute(
                "UPDATE proposals SET state = ?2, body = ?3 WHERE number = ?1",
                params![number, state, body],
            )?;
            Ok(())
        })
    }

    pub(super) fn proposal(&self, number: u64) -> Result<Option<ProposalRow>, WorkspaceError> {
        let mut statement =
            self.connection.prepare_cached("SELECT number, body FROM proposals WHERE number = ?1")?;
        Ok(statement.query_row(params![number], proposal_row).optional()?)
    }

    /// Proposals that wait for the user, oldest first.
    pub(super) fn waiting_proposals(
        &self,
        file_id: Option<&str>,
    ) -> Result<Vec<ProposalRow>, WorkspaceError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT number, body FROM proposals WHERE state IN ('pending', 'rebased', 'conflict')
             AND (?1 IS NULL OR file_id = ?1) ORDER BY number",
        )?;
        let rows = statement.query_map(params![file_id], proposal_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn one_file(connection: &Connection, condition: &str, key: &str) -> Result<Option<FileRow>, WorkspaceError> {
    let sql = format!("SELECT id, path, content_rev, hash, size, is_open FROM files WHERE {condition}");
    Ok(connection.prepare_cached(&sql)?.query_row(params![key], file_row).optional()?)
}

fn file_row(row: &Row<'_>) -> rusqlite::Result<FileRow> {
    Ok(FileRow {
        id: row.get(0)?,
        path: row.get(1)?,
        content_rev: row.get(2)?,
        hash: row.get(3)?,
        size: row.get(4)?,
        is_open: row.get(5)?,
    })
}

fn intent_row(row: &Row<'_>) -> rusqlite::Result<IntentRow> {
    Ok(IntentRow { file_id: row.get(0)?, old_hash: row.get(1)?, temporary: row.get(2)?, entry: row.get(3)? })
}

fn proposal_row(row: &Row<'_>) -> rusqlite::Result<ProposalRow> {
    Ok(ProposalRow { number: row.get(0)?, body: row.get(1)? })
}

fn select_entries(condition: &str) -> String {
    format!(
        "SELECT number, file_id, content_rev, hash, size, origin, summary, ops, model, at, pinned, node, parent, redo
         FROM snapshots WHERE {condition}"
    )
}

/// An entry whose two coded columns are not decoded yet.
type RawEntry = (HistoryEntry, String, String);

fn entry_row(row: &Row<'_>) -> rusqlite::Result<RawEntry> {
    let entry = HistoryEntry {
        number: row.get(0)?,
        file_id: row.get(1)?,
        content_rev: row.get(2)?,
        hash: row.get(3)?,
        size: row.get(4)?,
        origin: Origin::Opened,
        summary: row.get(6)?,
        ops: row.get(7)?,
        model: row.get(8)?,
        at: row.get(9)?,
        pinned: row.get(10)?,
        node: row.get(11)?,
        parent: row.get(12)?,
        redo: Vec::new(),
    };
    Ok((entry, row.get(5)?, row.get(13)?))
}

fn parsed_entry((mut entry, origin, redo): RawEntry) -> Result<HistoryEntry, WorkspaceError> {
    entry.origin =
        Origin::of_word(&origin).ok_or_else(|| WorkspaceError::StoreContent(format!("origin {origin}")))?;
    entry.redo = serde_json::from_str(&redo)?;
    Ok(entry)
}

fn optional_entry(row: rusqlite::Result<RawEntry>) -> Result<Option<HistoryEntry>, WorkspaceError> {
    row.optional()?.map(parsed_entry).transpose()
}

fn insert_entry(tx: &Transaction<'_>, entry: &HistoryEntry) -> Result<(), WorkspaceError> {
    insert(tx, None, entry)?;
    Ok(())
}

/// Keeps the number that the entry had; leaves out what is there already.
fn insert_numbered(tx: &Transaction<'_>, entry: &HistoryEntry) -> Result<usize, WorkspaceError> {
    insert(tx, Some(entry.number), entry)
}

fn insert(tx: &Transaction<'_>, number: Option<u64>, entry: &HistoryEntry) -> Result<usize, WorkspaceError> {
    let redo = serde_json::to_string(&entry.redo)?;
    let on_conflict = if number.is_some() { "OR IGNORE" } else { "" };
    let sql = format!(
        "INSERT {on_conflict} INTO snapshots
             (number, file_id, content_rev, hash, size, origin, summary, ops, model, at, pinned, node, parent, redo)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
    );
    let inserted = tx.prepare_cached(&sql)?.execute(params![
        number,
        entry.file_id,
        entry.content_rev,
        entry.hash,
        entry.size,
        entry.origin.as_str(),
        entry.summary,
        entry.ops,
        entry.model,
        entry.at,
        entry.pinned,
        entry.node,
        entry.parent,
        redo
    ])?;
    Ok(inserted)
}

fn advance(tx: &Transaction<'_>, entry: &HistoryEntry) -> Result<(), WorkspaceError> {
    let changed = tx.execute(
        "UPDATE files SET content_rev = ?2, hash = ?3, size = ?4 WHERE id = ?1 AND content_rev = ?2 - 1",
        params![entry.file_id, entry.content_rev, entry.hash, entry.size],
    )?;
    if changed != 1 {
        let content_rev = one_file(tx, "id = ?1", &entry.file_id)?.map_or(0, |file| file.content_rev);
        let expected = entry.content_rev.saturating_sub(1);
        return Err(WorkspaceError::RevisionConflict {
            file_id: entry.file_id.clone(),
            expected,
            content_rev,
        });
    }
    insert_entry(tx, entry)
}

fn drop_intent(tx: &Transaction<'_>, file_id: &str) -> Result<(), WorkspaceError> {
    tx.execute("DELETE FROM intents WHERE file_id = ?1", params![file_id])?;
    Ok(())
}
