//! Rows of `snapshots`: every kept revision of every file.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use super::{
    super::{
        WorkspaceError,
        history::{HistoryEntry, Origin},
    },
    Store,
    files::one_file,
};

impl Store {
    /// Adds a revision and makes it the current one; refused when it does not follow the current one.
    pub(in super::super) fn advance(&mut self, entry: &HistoryEntry) -> Result<(), WorkspaceError> {
        self.write(|tx| advance(tx, entry))?;
        self.note_in_ledger(&entry.file_id, entry.content_rev);
        Ok(())
    }

    pub(in super::super) fn entry(
        &self,
        file_id: &str,
        content_rev: u64,
    ) -> Result<Option<HistoryEntry>, WorkspaceError> {
        let mut statement =
            self.connection.prepare_cached(&select_entries("file_id = ?1 AND content_rev = ?2"))?;
        optional_entry(statement.query_row(params![file_id, content_rev], entry_row))
    }

    pub(in super::super) fn entry_by_number(
        &self,
        file_id: &str,
        number: u64,
    ) -> Result<Option<HistoryEntry>, WorkspaceError> {
        let mut statement =
            self.connection.prepare_cached(&select_entries("file_id = ?1 AND number = ?2"))?;
        optional_entry(statement.query_row(params![file_id, number], entry_row))
    }

    /// All revisions of a file that are still kept, newest first.
    pub(in super::super) fn entries(&self, file_id: &str) -> Result<Vec<HistoryEntry>, WorkspaceError> {
        let mut statement =
            self.connection.prepare_cached(&select_entries("file_id = ?1 ORDER BY content_rev DESC"))?;
        let rows = statement.query_map(params![file_id], entry_row)?;
        rows.map(|row| parsed_entry(row?)).collect()
    }

    /// Every kept revision of every file, by file, oldest first.
    pub(in super::super) fn all_entries(&self) -> Result<Vec<HistoryEntry>, WorkspaceError> {
        let mut statement =
            self.connection.prepare_cached(&select_entries("1 ORDER BY file_id, content_rev"))?;
        let rows = statement.query_map([], entry_row)?;
        rows.map(|row| parsed_entry(row?)).collect()
    }

    pub(in super::super) fn set_origin(
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

    pub(in super::super) fn set_pinned(
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

    pub(in super::super) fn drop_entries(&mut self, numbers: &[u64]) -> Result<(), WorkspaceError> {
        self.write(|tx| {
            let mut statement =
                tx.prepare_cached("DELETE FROM snapshots WHERE number = ?1 AND pinned = 0")?;
            for number in numbers {
                statement.execute(params![number])?;
            }
            Ok(())
        })
    }

    /// Files, snapshots and the distinct contents that anything refers to.
    pub(in super::super) fn counts(&self) -> Result<(u64, u64, Vec<String>), WorkspaceError> {
        let files = self.connection.query_row("SELECT COUNT(*) FROM files", [], |row| row.get(0))?;
        let snapshots = self.connection.query_row("SELECT COUNT(*) FROM snapshots", [], |row| row.get(0))?;
        let mut statement = self.connection.prepare_cached("SELECT DISTINCT hash FROM snapshots")?;
        let hashes = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok((files, snapshots, hashes))
    }

    /// Every content that a kept revision, a waiting proposal or a running commit refers to.
    pub(in super::super) fn needed_contents(&self) -> Result<Vec<String>, WorkspaceError> {
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
}

pub(super) fn select_entries(condition: &str) -> String {
    format!(
        "SELECT number, file_id, content_rev, hash, size, origin, summary, ops, model, at, pinned, node, parent, redo
         FROM snapshots WHERE {condition}"
    )
}

/// An entry whose two coded columns are not decoded yet.
pub(super) type RawEntry = (HistoryEntry, String, String);

pub(super) fn entry_row(row: &Row<'_>) -> rusqlite::Result<RawEntry> {
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

pub(super) fn parsed_entry((mut entry, origin, redo): RawEntry) -> Result<HistoryEntry, WorkspaceError> {
    entry.origin =
        Origin::of_word(&origin).ok_or_else(|| WorkspaceError::StoreContent(format!("origin {origin}")))?;
    entry.redo = serde_json::from_str(&redo)?;
    Ok(entry)
}

pub(super) fn optional_entry(
    row: rusqlite::Result<RawEntry>,
) -> Result<Option<HistoryEntry>, WorkspaceError> {
    row.optional()?.map(parsed_entry).transpose()
}

pub(super) fn insert_entry(tx: &Transaction<'_>, entry: &HistoryEntry) -> Result<(), WorkspaceError> {
    insert(tx, None, entry)?;
    Ok(())
}

/// Keeps the number that the entry had; leaves out what is there already.
pub(super) fn insert_numbered(tx: &Transaction<'_>, entry: &HistoryEntry) -> Result<usize, WorkspaceError> {
    insert(tx, Some(entry.number), entry)
}

pub(super) fn insert(
    tx: &Transaction<'_>,
    number: Option<u64>,
    entry: &HistoryEntry,
) -> Result<usize, WorkspaceError> {
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

pub(super) fn advance(tx: &Transaction<'_>, entry: &HistoryEntry) -> Result<(), WorkspaceError> {
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
