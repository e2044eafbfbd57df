//! Previews for a window: which bytes they are made of, and the opened workbooks that are kept while somebody scrolls.
//!
//! What is drawn comes from `documents::preview`; how it is told to the page is in `wire`.

mod commands;
pub mod wire;

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use documents::preview::sheet::Book;

/// Two sides of a review, and the document itself in two revisions.
const BOOKS_KEPT: usize = 4;

/// Opened workbooks, the latest used last.
#[derive(Default)]
pub struct Previews {
    books: Mutex<VecDeque<(BookKey, Arc<Book>)>>,
}

/// Names bytes that cannot change: a revision of a file, one side of a proposal, a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BookKey(String);

impl Previews {
    fn book<E>(&self, key: BookKey, open: impl FnOnce() -> Result<Book, E>) -> Result<Arc<Book>, E> {
        if let Some(book) = self.take(&key) {
            return Ok(book);
        }
        // Opened outside the lock: two windows that ask at once only cost twice.
        let book = Arc::new(open()?);
        let mut books = self.books.lock().unwrap_or_else(PoisonError::into_inner);
        books.push_back((key, Arc::clone(&book)));
        if books.len() > BOOKS_KEPT {
            books.pop_front();
        }
        Ok(book)
    }

    fn take(&self, key: &BookKey) -> Option<Arc<Book>> {
        let mut books = self.books.lock().unwrap_or_else(PoisonError::into_inner);
        let at = books.iter().position(|(known, _)| known == key)?;
        let found = books.remove(at)?;
        let book = Arc::clone(&found.1);
        books.push_back(found);
        Some(book)
    }
}
