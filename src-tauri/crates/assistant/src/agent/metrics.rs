//! Counters of CONTRACT, section 9: one row per thing that happened, kept locally, summed up when asked.
//!
//! Counting must never stand in the way of an edit: what cannot be counted is dropped. Nothing leaves this machine.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What the counters distinguish.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub model: String,
    pub endpoint: String,
    pub protocol: String,
    pub format: String,
    pub size: String,
}

/// Counters of one key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct MetricsRow {
    pub model: String,
    pub endpoint: String,
    /// `function_call`, `fence`, `markdown_diff`; empty for what belongs to a turn as a whole.
    pub protocol: String,
    pub format: String,
    /// `short`, `medium`, `long`.
    pub size: String,
    pub calls: u64,
    pub ok: u64,
    /// How often each code was the answer: `arguments_truncated`, `zero_matches`, `content_rev_conflict`, …
    pub failures: BTreeMap<String, u64>,
    pub continuations_tried: u64,
    pub continuations_saved: u64,
    pub retries_tried: u64,
    pub retries_saved: u64,
    pub accepted: u64,
    pub rejected: u64,
    pub read: Times,
    pub commit: Times,
    pub turn: Times,
}

/// Durations in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Times {
    pub count: u64,
    pub p50_ms: u64,
    pub p95_ms: u64,
}

/// The kinds that are not codes.
pub mod kind {
    pub const CALL: &str = "call";
    pub const OK: &str = "ok";
    pub const CONTINUATION: &str = "continuation_tried";
    pub const CONTINUATION_SAVED: &str = "continuation_saved";
    pub const RETRY: &str = "retry_tried";
    pub const RETRY_SAVED: &str = "retry_saved";
    pub const ACCEPTED: &str = "accepted";
    pub const REJECTED: &str = "rejected";
    pub const READ: &str = "time_read";
    pub const COMMIT: &str = "time_commit";
    pub const TURN: &str = "time_turn";
}

/// Rows kept; the oldest go.
const KEPT: u64 = 200_000;

/// The store of counters, opened at the first use.
pub struct Metrics {
    path: PathBuf,
    connection: Mutex<Option<Connection>>,
}

impl Metrics {
    pub fn new(home: &Path) -> Metrics {
        Metrics { path: home.join("metrics.db"), connection: Mutex::new(None) }
    }

    /// Counts one thing; what cannot be written is dropped.
    pub fn count(&self, key: &Key, kind: &str, amount: u64) {
        self.add(key, kind, amount, None);
    }

    /// Counts one duration.
    pub fn time(&self, key: &Key, kind: &str, took: Duration) {
        let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX >> 1);
        self.add(key, kind, 1, Some(milliseconds));
    }

    fn add(&self, key: &Key, kind: &str, amount: u64, milliseconds: Option<u64>) {
        if amount == 0 {
            return;
        }
        let Ok(connection) = self.opened() else { return };
        let Some(connection) = connection.as_ref() else { return };
        let values =
            params![key.model, key.endpoint, key.protocol, key.format, key.size, kind, amount, milliseconds];
        let sql = "INSERT INTO counted (model, endpoint, protocol, format, size, kind, amount, ms) VALUES (?1,?2,?3,?4,?5,?6,?7,?8)";
        // A locked or full database loses this count and nothing else.
        let _ = connection.execute(sql, values);
    }

    /// Everything counted, one row per key.
    pub fn rows(&self) -> Result<Vec<MetricsRow>, rusqlite::Error> {
        let connection = self.opened()?;
        let Some(connection) = connection.as_ref() else { return Ok(Vec::new()) };
        let mut rows: BTreeMap<Key, MetricsRow> = BTreeMap::new();
        let sql = "SELECT model, endpoint, protocol, format, size, kind, SUM(amount) FROM counted GROUP BY 1,2,3,4,5,6";
        let mut statement = connection.prepare(sql)?;
        let counts = statement
            .query_map([], |row| Ok((key_of(row)?, row.get::<_, String>(5)?, row.get::<_, u64>(6)?)))?;
        for count in counts {
            let (key, kind, amount) = count?;
            let row = rows.entry(key.clone()).or_insert_with(|| named(&key));
            row.note(&kind, amount);
        }
        self.times(connection, &mut rows)?;
        Ok(rows.into_values().collect())
    }

    fn times(
        &self,
        connection: &Connection,
        rows: &mut BTreeMap<Key, MetricsRow>,
    ) -> Result<(), rusqlite::Error> {
        let sql = "SELECT model, endpoint, protocol, format, size, kind, ms FROM counted WHERE ms IS NOT NULL ORDER BY ms";
        let mut statement = connection.prepare(sql)?;
        let timed = statement
            .query_map([], |row| Ok((key_of(row)?, row.get::<_, String>(5)?, row.get::<_, u64>(6)?)))?;
        let mut sorted: BTreeMap<(Key, String), Vec<u64>> = BTreeMap::new();
        for one in timed {
            let (key, kind, milliseconds) = one?;
            sorted.entry((key, kind)).or_default().push(milliseconds);
        }
        for ((key, kind), values) in sorted {
            let row = rows.entry(key.clone()).or_insert_with(|| named(&key));
            let times = Times {
                count: values.len() as u64,
                p50_ms: percentile(&values, 50),
                p95_ms: percentile(&values, 95),
            };
            match kind.as_str() {
                kind::READ => row.read = times,
                kind::COMMIT => row.commit = times,
                kind::TURN => row.turn = times,
                _ => {}
            }
        }
        Ok(())
    }

    fn opened(&self) -> Result<MutexGuard<'_, Option<Connection>>, rusqlite::Error> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if connection.is_none() {
            *connection = Some(open(&self.path)?);
        }
        Ok(connection)
    }
}

fn open(path: &Path) -> Result<Connection, rusqlite::Error> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_millis(500))?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = OFF;
         CREATE TABLE IF NOT EXISTS counted (
             id INTEGER PRIMARY KEY,
             at INTEGER NOT NULL DEFAULT (unixepoch()),
             model TEXT NOT NULL, endpoint TEXT NOT NULL, protocol TEXT NOT NULL,
             format TEXT NOT NULL, size TEXT NOT NULL,
             kind TEXT NOT NULL, amount INTEGER NOT NULL, ms INTEGER);",
    )?;
    connection.execute("DELETE FROM counted WHERE id <= (SELECT MAX(id) FROM counted) - ?1", [KEPT])?;
    Ok(connection)
}

fn key_of(row: &rusqlite::Row<'_>) -> Result<Key, rusqlite::Error> {
    Ok(Key {
        model: row.get(0)?,
        endpoint: row.get(1)?,
        protocol: row.get(2)?,
        format: row.get(3)?,
        size: row.get(4)?,
    })
}

fn named(key: &Key) -> MetricsRow {
    let Key { model, endpoint, protocol, format, size } = key.clone();
    MetricsRow { model, endpoint, protocol, format, size, ..MetricsRow::default() }
}

/// The smallest value that at least this part of all values does not exceed.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

impl MetricsRow {
    fn note(&mut self, kind: &str, amount: u64) {
        match kind {
            kind::CALL => self.calls += amount,
            kind::OK => self.ok += amount,
            kind::CONTINUATION => self.continuations_tried += amount,
            kind::CONTINUATION_SAVED => self.continuations_saved += amount,
            kind::RETRY => self.retries_tried += amount,
            kind::RETRY_SAVED => self.retries_saved += amount,
            kind::ACCEPTED => self.accepted += amount,
            kind::REJECTED => self.rejected += amount,
            kind::READ | kind::COMMIT | kind::TURN => {}
            code => *self.failures.entry(code.to_string()).or_default() += amount,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_times_are_summed_by_key() {
        let home = tempfile::tempdir().unwrap();
        let metrics = Metrics::new(home.path());
        let key = Key {
            model: "m".into(),
            endpoint: "e".into(),
            protocol: "fence".into(),
            format: "text".into(),
            size: "long".into(),
        };
        for milliseconds in 1..=100 {
            metrics.time(&key, kind::COMMIT, Duration::from_millis(milliseconds));
        }
        metrics.count(&key, kind::CALL, 3);
        metrics.count(&key, kind::OK, 2);
        metrics.count(&key, "zero_matches", 1);
        metrics.count(&Key::default(), kind::CALL, 1);
        let rows = Metrics::new(home.path()).rows().unwrap();
        assert_eq!(rows.len(), 2);
        let row = rows.iter().find(|row| row.model == "m").unwrap();
        assert_eq!((row.calls, row.ok, row.failures["zero_matches"]), (3, 2, 1));
        assert_eq!(row.commit, Times { count: 100, p50_ms: 50, p95_ms: 95 });
        assert_eq!(row.read, Times::default());
    }
}
