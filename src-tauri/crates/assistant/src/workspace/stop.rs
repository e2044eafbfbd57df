//! Cancelling and time limits: one value that long steps ask now and then.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use super::WorkspaceError;

/// A request to stop: by the user, or because the time is up. Clones share the user's switch.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Stop {
    /// Stops by itself after `limit`.
    pub fn after(limit: Duration) -> Stop {
        Stop { cancelled: Arc::default(), deadline: Instant::now().checked_add(limit) }
    }

    /// The same switch with a (nearer) time limit.
    pub fn within(&self, limit: Duration) -> Stop {
        let nearer = Instant::now().checked_add(limit);
        let deadline = match (self.deadline, nearer) {
            (Some(old), Some(new)) => Some(old.min(new)),
            (old, new) => old.or(new),
        };
        Stop { cancelled: Arc::clone(&self.cancelled), deadline }
    }

    /// Stops everything that shares this switch.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether a step should give up now.
    pub fn is_set(&self) -> bool {
        self.reason().is_some()
    }

    /// The error to give up with, if it is time to.
    pub fn check(&self) -> Result<(), WorkspaceError> {
        self.reason().map_or(Ok(()), Err)
    }

    /// Why a step that reported "cancelled" did stop.
    pub fn reason(&self) -> Option<WorkspaceError> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(WorkspaceError::Cancelled);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(WorkspaceError::Timeout)
    }
}
