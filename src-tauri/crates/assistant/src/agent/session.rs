//! The turns that run now and the conversations they belong to, for one app.

use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::SystemTime,
};

use gateway::CancellationToken;

use super::{metrics::Metrics, turn::conversation::Conversation};

/// What the agent keeps between commands.
pub struct Agent {
    pub metrics: Metrics,
    running: Mutex<HashMap<String, CancellationToken>>,
    /// `None` while a turn works on it.
    conversations: Mutex<HashMap<String, Option<Conversation>>>,
    next_turn: AtomicU64,
    /// Where dealing out protocols begins: by chance, because on the command line each turn is the first of its process.
    deal_from: usize,
}

/// The name of the conversation when the caller names none.
pub const MAIN: &str = "main";

impl Agent {
    pub fn new(home: &Path) -> Agent {
        Agent {
            metrics: Metrics::new(home),
            running: Mutex::default(),
            conversations: Mutex::default(),
            next_turn: AtomicU64::new(1),
            deal_from: chance(),
        }
    }

    /// A new turn's id and the switch that cancels it.
    pub(crate) fn begin(&self) -> (String, CancellationToken) {
        let turn_id = format!("turn-{:06}", self.next_turn.fetch_add(1, Ordering::Relaxed));
        let cancel = CancellationToken::new();
        held(&self.running).insert(turn_id.clone(), cancel.clone());
        (turn_id, cancel)
    }

    /// One of `count` arms of an experiment for a turn; the turns of one process take them in turn.
    pub(crate) fn arm(&self, turn_id: &str, count: usize) -> usize {
        let number: usize = turn_id.trim_start_matches("turn-").parse().unwrap_or(0);
        self.deal_from.wrapping_add(number) % count.max(1)
    }

    pub(crate) fn end(&self, turn_id: &str) {
        held(&self.running).remove(turn_id);
    }

    /// Cancels a turn; `false` when no such turn runs.
    pub(crate) fn cancel(&self, turn_id: &str) -> bool {
        let running = held(&self.running).get(turn_id).cloned();
        running.inspect(CancellationToken::cancel).is_some()
    }

    /// Takes a conversation for a turn; `None` when another turn has it.
    pub(crate) fn take(&self, conversation: &str) -> Option<Conversation> {
        held(&self.conversations)
            .entry(conversation.to_string())
            .or_insert_with(|| Some(Conversation::default()))
            .take()
    }

    pub(crate) fn give_back(&self, conversation: &str, messages: Conversation) {
        held(&self.conversations).insert(conversation.to_string(), Some(messages));
    }
}

fn chance() -> usize {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    // Some clocks count in microseconds or coarser; what is left of the nanoseconds is then zero.
    usize::try_from(now.as_micros() % 1_000_003).unwrap_or(0)
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
