//! A second, plain record of every revision: one JSON line each, so that a damaged database can be rebuilt with its numbers.
//!
//! It holds no operations and no document text, only which content was which revision of which file. The database is the truth as long
//! as it can be read.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::history::HistoryEntry;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct LedgerLine {
    pub(super) path: String,
    #[serde(flatten)]
    pub(super) entry: HistoryEntry,
}

pub(super) struct Ledger {
    path: PathBuf,
    lock: PathBuf,
}

impl Ledger {
    pub(super) fn new(home: &Path) -> Ledger {
        Ledger { path: home.join("ledger.jsonl"), lock: home.join("locks").join("ledger.lock") }
    }

    /// Adds a revision. Appending is one write, so that lines of several processes do not mix.
    pub(super) fn append(&self, path: &str, entry: &HistoryEntry) -> io::Result<()> {
        let entry = HistoryEntry { ops: None, ..entry.clone() };
        let line = serde_json::to_string(&LedgerLine { path: path.to_owned(), entry })? + "\n";
        let lock = File::create(&self.lock)?;
        lock.lock_shared()?;
        OpenOptions::new().create(true).append(true).open(&self.path)?.write_all(line.as_bytes())
    }

    /// Every readable line; a line cut off by a crash is left out.
    pub(super) fn read(&self) -> io::Result<Vec<LedgerLine>> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let lines = BufReader::new(file).split(b'\n');
        lines.filter_map(|line| line.map(|line| serde_json::from_slice(&line).ok()).transpose()).collect()
    }

    /// Keeps the lines of revisions that are still there, and of each file the newest, which holds its number.
    pub(super) fn compact(&self, is_kept: impl Fn(&LedgerLine) -> bool) -> io::Result<()> {
        let lock = File::create(&self.lock)?;
        lock.lock()?;
        let lines = self.read()?;
        let mut newest: BTreeMap<String, u64> = BTreeMap::new();
        for line in &lines {
            let seen = newest.entry(line.entry.file_id.clone()).or_default();
            *seen = line.entry.content_rev.max(*seen);
        }
        let mut text = Vec::new();
        for line in lines {
            if is_kept(&line) || newest.get(&line.entry.file_id) == Some(&line.entry.content_rev) {
                serde_json::to_writer(&mut text, &line)?;
                text.push(b'\n');
            }
        }
        let temporary = self.path.with_extension("new");
        let mut file = File::create(&temporary)?;
        file.write_all(&text)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&temporary, &self.path)
    }
}
