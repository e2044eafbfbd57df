//! Letting old snapshots go: by age, by count of one file, by size of all.
//!
//! What stays whatever the limits say: pinned snapshots, the first and the current state of a file, the state one undo back, the last
//! state of a file that is gone from the disk, and every content that a waiting proposal or a running commit needs.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    time::{Duration, SystemTime},
};

use super::{Stop, Workspace, WorkspaceError, clock::rfc3339, history::HistoryEntry};

/// Limits; zero means no limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetentionLimits {
    pub age: Duration,
    pub per_file: usize,
    pub bytes: u64,
    /// Contents younger than this stay, because a running commit may be about to refer to them.
    pub grace: Duration,
}

/// What was let go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tidied {
    pub snapshots: usize,
    pub contents: usize,
    pub bytes: u64,
}

/// Between two tidyings by themselves.
const DAY: Duration = Duration::from_secs(86_400);

impl Workspace {
    /// Tidies at most once a day over all processes; called after commits.
    pub fn tidy_daily(
        &self,
        limits: &RetentionLimits,
        stop: &Stop,
    ) -> Result<Option<Tidied>, WorkspaceError> {
        let mark = self.home().join("tidied");
        let now = (self.options.clock)();
        let last = std::fs::metadata(&mark).and_then(|metadata| metadata.modified()).ok();
        if last.is_some_and(|last| now.duration_since(last).unwrap_or_default() < DAY) {
            return Ok(None);
        }
        std::fs::write(&mark, rfc3339(now)).map_err(|source| WorkspaceError::io("write", &mark, source))?;
        self.tidy(limits, stop).map(Some)
    }

    /// Lets go what the limits say.
    pub fn tidy(&self, limits: &RetentionLimits, stop: &Stop) -> Result<Tidied, WorkspaceError> {
        let mut by_file: BTreeMap<String, Vec<HistoryEntry>> = BTreeMap::new();
        for entry in self.store().all_entries()? {
            by_file.entry(entry.file_id.clone()).or_default().push(entry);
        }
        let protected: BTreeSet<u64> = by_file.values().flat_map(|entries| protected(entries)).collect();
        let mut doomed: BTreeSet<u64> = BTreeSet::new();
        for entries in by_file.values() {
            doomed.extend(too_old(entries, limits, (self.options.clock)()));
            doomed.extend(too_many(entries, limits));
        }
        doomed.retain(|number| !protected.contains(number));
        self.too_big(&by_file, limits, &protected, &mut doomed);
        let dropped: Vec<u64> = doomed.into_iter().collect();
        self.store().drop_entries(&dropped)?;
        let (contents, bytes) = self.drop_unused_contents(limits.grace, stop)?;
        let kept: HashSet<u64> = self.store().all_entries()?.iter().map(|entry| entry.number).collect();
        let compacted = self.store().ledger().compact(|line| kept.contains(&line.entry.number));
        compacted.map_err(|source| WorkspaceError::io("compact the ledger in", self.home(), source))?;
        Ok(Tidied { snapshots: dropped.len(), contents, bytes })
    }

    /// The oldest first, over all files, until what is left fits.
    fn too_big(
        &self,
        by_file: &BTreeMap<String, Vec<HistoryEntry>>,
        limits: &RetentionLimits,
        protected: &BTreeSet<u64>,
        doomed: &mut BTreeSet<u64>,
    ) {
        if limits.bytes == 0 {
            return;
        }
        let mut kept: Vec<&HistoryEntry> =
            by_file.values().flatten().filter(|entry| !doomed.contains(&entry.number)).collect();
        kept.sort_by_key(|entry| entry.number);
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in &kept {
            *uses.entry(entry.hash.as_str()).or_default() += 1;
        }
        let size = |hash: &str| self.blobs.stored_size(hash).unwrap_or(0);
        let mut total: u64 = uses.keys().map(|hash| size(hash)).sum();
        for entry in kept.into_iter().filter(|entry| !protected.contains(&entry.number)) {
            if total <= limits.bytes {
                return;
            }
            doomed.insert(entry.number);
            if let Some(count) = uses.get_mut(entry.hash.as_str()) {
                *count -= 1;
                if *count == 0 {
                    total = total.saturating_sub(size(&entry.hash));
                }
            }
        }
    }

    fn drop_unused_contents(&self, grace: Duration, stop: &Stop) -> Result<(usize, u64), WorkspaceError> {
        let needed: HashSet<String> = self.store().needed_contents()?.into_iter().collect();
        let (mut contents, mut bytes) = (0, 0);
        // The file's own times count, so the system's clock and not the workspace's.
        let limit = SystemTime::now().checked_sub(grace).unwrap_or(SystemTime::UNIX_EPOCH);
        for blob in self.blobs.list() {
            stop.check()?;
            if needed.contains(&blob.hash) || blob.modified > limit {
                continue;
            }
            if self.blobs.remove_unless_newer(&blob.hash, limit).is_ok_and(|is_gone| is_gone) {
                contents += 1;
                bytes += blob.stored_size;
            }
        }
        Ok((contents, bytes))
    }
}

/// Of one file, oldest first.
fn protected(entries: &[HistoryEntry]) -> Vec<u64> {
    let mut numbers: Vec<u64> =
        entries.iter().filter(|entry| entry.pinned).map(|entry| entry.number).collect();
    numbers.extend(entries.first().map(|entry| entry.number));
    let Some(current) = entries.last() else { return numbers };
    // Also when the file is gone from the disk: then this is its last copy.
    numbers.push(current.number);
    let state = entries.iter().find(|entry| entry.content_rev == current.node);
    let one_back = state.and_then(|state| state.parent);
    let needed = [Some(current.node), one_back];
    numbers.extend(
        entries.iter().filter(|entry| needed.contains(&Some(entry.content_rev))).map(|entry| entry.number),
    );
    numbers
}

fn too_old(entries: &[HistoryEntry], limits: &RetentionLimits, now: SystemTime) -> Vec<u64> {
    if limits.age.is_zero() {
        return Vec::new();
    }
    // RFC 3339 in UTC sorts as text.
    let oldest = rfc3339(now.checked_sub(limits.age).unwrap_or(SystemTime::UNIX_EPOCH));
    entries.iter().filter(|entry| entry.at < oldest).map(|entry| entry.number).collect()
}

fn too_many(entries: &[HistoryEntry], limits: &RetentionLimits) -> Vec<u64> {
    match limits.per_file {
        0 => Vec::new(),
        kept => entries.iter().rev().skip(kept).map(|entry| entry.number).collect(),
    }
}
