//! Storing while nobody waits: after a commit the file itself is the copy of its new content, so the blob may follow the receipt.
//!
//! Until a blob is there, its content is answered from memory. Before the file is replaced again `secure` sees to it that the blob is on
//! the disk; after a crash in between, the next look at the file stores it.

use std::{
    ops::Deref,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    thread::JoinHandle,
};

use super::{Faults, Shelf, WorkspaceError};

/// The contents of a Stet home, and what is being stored in the background.
pub(in super::super) struct Blobs {
    shelf: Arc<Shelf>,
    /// By hash; waited for at the end.
    threads: Mutex<Vec<(String, JoinHandle<()>)>>,
}

impl Blobs {
    pub(in super::super) fn open(folder: PathBuf, faults: Faults) -> Result<Blobs, WorkspaceError> {
        Ok(Blobs { shelf: Arc::new(Shelf::open(folder, faults)?), threads: Mutex::default() })
    }

    /// Makes sure that a sound copy is on the disk: called before the file itself, until now a copy, is replaced.
    pub(in super::super) fn secure(&self, hash: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        self.wait_for(hash);
        self.shelf.put_and_flush(hash, bytes)
    }

    /// Stores and flushes a content that a file on the disk holds too.
    pub(in super::super) fn put_later(&self, hash: &str, bytes: Arc<[u8]>) {
        let shelf = Arc::clone(&self.shelf);
        shelf.coming_in(hash, &bytes);
        let name = hash.to_owned();
        let store = move || {
            // A failure is told by `secure`, which tries again before anything depends on it.
            let _ = shelf.put(&name, &bytes).and_then(|()| shelf.put_and_flush(&name, &bytes));
            shelf.arrived(&name);
        };
        match std::thread::Builder::new().name("stet-store".into()).spawn(store) {
            Ok(thread) => {
                let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
                threads.retain(|(_, thread)| !thread.is_finished());
                threads.push((hash.to_owned(), thread));
            }
            Err(_) => self.shelf.arrived(hash),
        }
    }

    fn wait_for(&self, hash: &str) {
        let taken: Vec<_> = {
            let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
            threads.extract_if(.., |(name, _)| name == hash).collect()
        };
        for (_, thread) in taken {
            let _ = thread.join();
        }
    }
}

impl Deref for Blobs {
    type Target = Shelf;

    fn deref(&self) -> &Shelf {
        &self.shelf
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        let threads = self.threads.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (_, thread) in threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Shelf {
    fn coming_in(&self, hash: &str, bytes: &Arc<[u8]>) {
        let mut coming = self.coming.lock().unwrap_or_else(PoisonError::into_inner);
        coming.insert(hash.to_owned(), Arc::clone(bytes));
    }

    fn arrived(&self, hash: &str) {
        self.coming.lock().unwrap_or_else(PoisonError::into_inner).remove(hash);
    }
}
