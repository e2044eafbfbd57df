//! What the history takes on the disk.

use super::{Workspace, WorkspaceError};

/// Totals over one Stet home.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    pub files: u64,
    pub snapshots: u64,
    /// Bytes of all contents as stored: compressed, each once.
    pub stored_bytes: u64,
}

impl Workspace {
    /// Counts files, snapshots and stored bytes.
    pub fn usage(&self) -> Result<Usage, WorkspaceError> {
        let (files, snapshots, hashes) = self.store().counts()?;
        let stored_bytes = hashes.iter().filter_map(|hash| self.blobs.stored_size(hash)).sum();
        Ok(Usage { files, snapshots, stored_bytes })
    }
}
