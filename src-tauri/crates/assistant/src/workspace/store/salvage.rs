//! Reading what can still be read of a damaged database, and filling a new one with it.

use std::{collections::BTreeMap, path::Path};

use rusqlite::{Connection, OpenFlags, Transaction, params};

use super::{
    super::{WorkspaceError, history::HistoryEntry, ledger::LedgerLine},
    Store,
    entries::{entry_row, insert_numbered, parsed_entry, select_entries},
};

/// What a rebuilt store holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) struct Salvage {
    pub(in super::super) saved: usize,
    pub(in super::super) proposals: usize,
}

/// Rows of a damaged database, as far as they could be read.
#[derive(Debug, Default)]
pub(in super::super) struct Wreck {
    /// Path and whether the file was open, by id.
    files: BTreeMap<String, (String, bool)>,
    entries: Vec<HistoryEntry>,
    proposals: Vec<(u64, String, String, String)>,
}

impl Store {
    /// Verifies the whole database.
    pub(in super::super) fn check(&self) -> Result<(), WorkspaceError> {
        let verdict: String = self.connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
        if verdict != "ok" {
            return Err(corrupt(verdict));
        }
        // The quick check looks at pages and not at what stands in the cells.
        readable(&self.connection, "SELECT id, path, is_open FROM files", |row| {
            let _: (String, String, bool) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(())
        })?;
        readable(&self.connection, &select_entries("1"), |row| parsed_entry(entry_row(row)?).map(drop))?;
        readable(&self.connection, "SELECT number, file_id, state, body FROM proposals", |row| {
            let _: (u64, String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(())
        })
    }

    /// Reads each table until its first unreadable row.
    pub(in super::super) fn salvage(path: &Path) -> Wreck {
        let mut wreck = Wreck::default();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let Ok(connection) = Connection::open_with_flags(path, flags) else { return wreck };
        read_rows(&connection, "SELECT id, path, is_open FROM files", |row| {
            wreck.files.insert(row.get(0)?, (row.get(1)?, row.get(2)?));
            Ok(())
        });
        read_rows(&connection, &select_entries("1"), |row| {
            wreck.entries.extend(parsed_entry(entry_row(row)?).ok());
            Ok(())
        });
        read_rows(&connection, "SELECT number, file_id, state, body FROM proposals", |row| {
            wreck.proposals.push((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
            Ok(())
        });
        wreck
    }
}

/// Whether every row of a table can be understood; one that cannot is damage like a broken page.
fn readable(
    connection: &Connection,
    sql: &str,
    read: impl Fn(&rusqlite::Row<'_>) -> Result<(), WorkspaceError>,
) -> Result<(), WorkspaceError> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        read(row).map_err(|error| corrupt(error.to_string()))?;
    }
    Ok(())
}

/// The error of a damaged database, for damage that SQLite itself does not call so.
pub(super) fn corrupt(what: String) -> WorkspaceError {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
    WorkspaceError::Store(rusqlite::Error::SqliteFailure(code, Some(what)))
}

/// Fills an empty store with what was salvaged and, where that has gaps, with what the ledger knows.
pub(super) fn fill(
    tx: &Transaction<'_>,
    wreck: Wreck,
    ledger: Vec<LedgerLine>,
) -> Result<Salvage, WorkspaceError> {
    let mut entries: BTreeMap<(String, u64), HistoryEntry> = BTreeMap::new();
    let mut paths: BTreeMap<String, (String, bool)> = BTreeMap::new();
    for line in ledger {
        paths.insert(line.entry.file_id.clone(), (line.path, false));
        entries.insert((line.entry.file_id.clone(), line.entry.content_rev), line.entry);
    }
    paths.extend(wreck.files);
    // The database knows pins and operations; its rows win.
    entries
        .extend(wreck.entries.into_iter().map(|entry| ((entry.file_id.clone(), entry.content_rev), entry)));
    let mut saved = 0;
    for entry in entries.values().filter(|entry| paths.contains_key(&entry.file_id)) {
        saved += insert_numbered(tx, entry)?;
    }
    for (file_id, (path, is_open)) in &paths {
        insert_file(tx, file_id, path, *is_open)?;
    }
    for (number, file_id, state, body) in &wreck.proposals {
        tx.execute(
            "INSERT OR IGNORE INTO proposals (number, file_id, state, body) VALUES (?1, ?2, ?3, ?4)",
            params![number, file_id, state, body],
        )?;
    }
    Ok(Salvage { saved, proposals: wreck.proposals.len() })
}

/// The newest revision known is the current one; whether the disk agrees shows at the next look.
fn insert_file(tx: &Transaction<'_>, file_id: &str, path: &str, is_open: bool) -> Result<(), WorkspaceError> {
    tx.execute(
        "INSERT OR IGNORE INTO files (id, path, content_rev, hash, size, is_open, opened_at)
         SELECT ?1, ?2, content_rev, hash, size, ?3, at FROM snapshots WHERE file_id = ?1 ORDER BY content_rev DESC LIMIT 1",
        params![file_id, path, is_open],
    )?;
    Ok(())
}

fn read_rows(
    connection: &Connection,
    sql: &str,
    mut take: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<()>,
) {
    let Ok(mut statement) = connection.prepare(sql) else { return };
    let Ok(mut rows) = statement.query([]) else { return };
    while let Ok(Some(row)) = rows.next() {
        // A row that cannot be understood is left out; an unreadable page ends the table.
        let _ = take(row);
    }
}
