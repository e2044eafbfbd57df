//! Support library of the suite: where documents come from, how packages are compared, a scratch folder per test.
//!
//! The suite runs on documents it makes itself and on `tests/fixtures`; when the `shared` folder lies beside the repository (or
//! `STET_SHARED` names it) it runs on that too, and says which it was.

pub mod bench;
pub mod books;
pub mod decks;
pub mod entries;
pub mod odd_archives;
pub mod readers;
pub mod streams;
pub mod words;
pub mod xml;

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The folder of shared documents, when it is there.
pub fn shared() -> Option<PathBuf> {
    let candidate = match std::env::var_os("STET_SHARED") {
        Some(named) => PathBuf::from(named),
        None => repository().parent()?.join("shared"),
    };
    candidate.join("corpus").is_dir().then_some(candidate)
}

/// A file that belongs to the repository's own fixtures.
pub fn fixture(name: &str) -> PathBuf {
    repository().join("tests/fixtures").join(name)
}

/// Every file of the shared corpus with one of these extensions, sorted; empty when the corpus is not there.
pub fn corpus(extensions: &[&str]) -> Vec<PathBuf> {
    let Some(shared) = shared() else { return Vec::new() };
    let mut found = Vec::new();
    let mut folders = vec![shared.join("corpus")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
