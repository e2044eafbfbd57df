//! Rows of `files`: which path has which id, at which revision, and whether hosts list it as open.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    super::{WorkspaceError, history::HistoryEntry},
    Store,
    entries::insert_entry,
};

/// One row of `files`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct FileRow {
    pub(in super::super) id: String,
    pub(in super::super) path: String,
    pub(in super::super) content_rev: u64,
    pub(in super::super) hash: String,
    pub(in super::super) size: u64,
    pub(in super::super) is_open: bool,
}

impl Store {
    pub(in super::super) fn file(&self, id: &str) -> Result<Option<FileRow>, WorkspaceError> {
        one_file(&self.connection, "id = ?1", id)
    }

    pub(in super::super) fn file_by_path(&self, path: &str) -> Result<Option<FileRow>, WorkspaceError> {
        one_file(&self.connection, "path = ?1", path)
    }

    pub(in super::super) fn open_files(&self) -> Result<Vec<FileRow>, WorkspaceError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, path, content_rev, hash, size, is_open FROM files WHERE is_open = 1 ORDER BY opened_at, id")?;
        let rows = statement.query_map([], file_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(in super::super) fn set_open(
        &mut self,
        id: &str,
        is_open: bool,
        now: &str,
    ) -> Result<(), WorkspaceError> {
        self.write(|tx| {
            tx.execute(
                "UPDATE files SET is_open = ?2, opened_at = ?3 WHERE id = ?1",
                params![id, is_open, now],
            )?;
            Ok(())
        })
    }

    /// Adds a file with its first revision; `None` when another process was faster.
    pub(in super::super) fn add_file(
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

    pub(in super::super) fn set_path(&mut self, id: &str, path: &str) -> Result<(), WorkspaceError> {
        self.write(|tx| {
            tx.execute("UPDATE files SET path = ?2 WHERE id = ?1", params![id, path])?;
            Ok(())
        })
    }
}

pub(super) fn one_file(
    connection: &Connection,
    condition: &str,
    key: &str,
) -> Result<Option<FileRow>, WorkspaceError> {
    let sql = format!("SELECT id, path, content_rev, hash, size, is_open FROM files WHERE {condition}");
    Ok(connection.prepare_cached(&sql)?.query_row(params![key], file_row).optional()?)
}

pub(super) fn file_row(row: &Row<'_>) -> rusqlite::Result<FileRow> {
    Ok(FileRow {
        id: row.get(0)?,
        path: row.get(1)?,
        content_rev: row.get(2)?,
        hash: row.get(3)?,
        size: row.get(4)?,
        is_open: row.get(5)?,
    })
}
