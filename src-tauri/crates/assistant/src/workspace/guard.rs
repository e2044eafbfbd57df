//! The local guard of one assistant turn: a revision can be spent once.
//!
//! A model often sends two edits for one file with the same `expected_content_rev`. The second is refused here with the newest
//! revision, without a look at the store. It guards nothing across turns or processes; that is the store's work.

use std::collections::HashMap;

use super::{Outcome, Status, WorkspaceError};

/// What one turn has spent. Make a new one for each turn.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    newest: HashMap<String, u64>,
}

impl Guard {
    /// Refuses an edit whose revision an earlier edit of this turn has used up.
    pub fn check(&self, file_id: &str, expected: Option<u64>) -> Result<(), WorkspaceError> {
        match (self.newest.get(file_id), expected) {
            (Some(&content_rev), Some(expected)) if expected < content_rev => {
                Err(WorkspaceError::RevisionConflict { file_id: file_id.to_owned(), expected, content_rev })
            }
            _ => Ok(()),
        }
    }

    /// Takes note of what an edit came to.
    pub fn note(&mut self, outcome: &Outcome) {
        if outcome.status == Status::Committed {
            self.spend(&outcome.file.file_id, outcome.file.content_rev);
        }
    }

    /// The same by numbers, for callers that hold a receipt.
    pub fn spend(&mut self, file_id: &str, content_rev: u64) {
        let newest = self.newest.entry(file_id.to_owned()).or_default();
        *newest = content_rev.max(*newest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_spent_once() {
        let mut guard = Guard::default();
        assert!(guard.check("file-1", Some(4)).is_ok());
        guard.spend("file-1", 5);
        let refused = guard.check("file-1", Some(4));
        assert!(matches!(refused, Err(WorkspaceError::RevisionConflict { content_rev: 5, expected: 4, .. })));
        assert!(guard.check("file-1", Some(5)).is_ok() && guard.check("file-2", Some(4)).is_ok());
        assert!(guard.check("file-1", None).is_ok(), "a missing revision is the workspace's to refuse");
    }
}
