//! Finding a damaged store and building it anew from what can still be read and from the ledger.
//!
//! The damaged files are set aside, never deleted. Revisions keep their numbers; what could not be saved is said.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use documents::Warning;

use super::{
    WorkspaceError,
    store::{Salvage, Store, Wreck},
};

/// A file that says: look closely at the next start.
const SUSPECT: &str = "store.suspect";

/// Opens the store; a damaged one is rebuilt first, a lost one made anew from the ledger. Tells what happened.
pub(super) fn open_store(home: &Path, patience: Duration) -> Result<(Store, Vec<Warning>), WorkspaceError> {
    let suspect = home.join(SUSPECT);
    let opened = Store::open(home, patience, Wreck::default()).and_then(|(store, salvage)| {
        if suspect.exists() {
            store.check()?;
        }
        Ok((store, salvage))
    });
    match opened {
        Ok((store, salvage)) => {
            let _ = fs::remove_file(&suspect);
            Ok((store, found_again(&salvage)))
        }
        Err(error) if is_damage(&error) => rebuild(home, patience, &error),
        Err(error) => Err(error),
    }
}

/// After a first start there is nothing to say; a store that somebody removed or emptied is another matter.
fn found_again(salvage: &Salvage) -> Vec<Warning> {
    let message =
        format!("Stet's store was gone. It was rebuilt with {} revisions from the ledger.", salvage.saved);
    let is_news = salvage.saved > 0;
    is_news.then(|| Warning::new("store_rebuilt", message)).into_iter().collect()
}

/// Takes note of damage, so that the next start repairs it.
pub(super) fn suspect(home: &Path, error: &WorkspaceError) {
    let _ = fs::write(home.join(SUSPECT), error.to_string());
}

/// Whether an error means that the database file itself is broken: SQLite says so, or a cell holds what Stet never wrote.
pub(super) fn is_damage(error: &WorkspaceError) -> bool {
    use rusqlite::Error;
    match error {
        WorkspaceError::Store(
            Error::Utf8Error(..)
            | Error::FromSqlConversionFailure(..)
            | Error::InvalidColumnType(..)
            | Error::IntegralValueOutOfRange(..),
        ) => true,
        WorkspaceError::Store(error) => matches!(
            error.sqlite_error_code(),
            Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
        ),
        WorkspaceError::StoreContent(_) => true,
        _ => false,
    }
}

fn rebuild(
    home: &Path,
    patience: Duration,
    cause: &WorkspaceError,
) -> Result<(Store, Vec<Warning>), WorkspaceError> {
    let lock_path = home.join("locks").join("repair.lock");
    let failed = |source| WorkspaceError::io("lock", &lock_path, source);
    let lock = fs::File::create(&lock_path).map_err(failed)?;
    lock.lock().map_err(failed)?;
    // Another process may have repaired it while this one waited.
    if let Ok((store, _)) = Store::open(home, patience, Wreck::default())
        && store.check().is_ok()
    {
        return Ok((store, Vec::new()));
    }
    let aside = set_aside(home)?;
    let wreck = Store::salvage(&aside.join("store.db"));
    let (store, Salvage { saved, proposals }) = Store::open(home, patience, wreck)?;
    let _ = fs::remove_file(home.join(SUSPECT));
    let message = format!(
        "Stet's store was damaged ({cause}). It was rebuilt with {saved} revisions and {proposals} proposals; the damaged files are in {}.",
        aside.display()
    );
    Ok((store, vec![Warning::new("store_rebuilt", message)]))
}

fn set_aside(home: &Path) -> Result<PathBuf, WorkspaceError> {
    let free = (1_u32..).map(|number| home.join(format!("damaged-{number}"))).find(|folder| !folder.exists());
    let aside = free.unwrap_or_else(|| home.join("damaged"));
    fs::create_dir_all(&aside).map_err(|source| WorkspaceError::io("create", &aside, source))?;
    for suffix in ["", "-wal", "-shm"] {
        let name = format!("store.db{suffix}");
        let from = home.join(&name);
        if from.exists() {
            fs::rename(&from, aside.join(&name))
                .map_err(|source| WorkspaceError::io("set aside", &from, source))?;
        }
    }
    Ok(aside)
}
