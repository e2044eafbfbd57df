//! Finding a damaged store and building it anew from what can still be read and from the ledger.
//!
//! The damaged files are set aside, never deleted. Revisions keep their numbers; what could not be saved is said.

use std::{
    fs,
    path::{Path, PathBuf},
};

use documents::Warning;

use super::{
    WorkspaceError,
    ledger::Ledger,
    store::{Salvage, Store, Wreck},
};

/// A file that says: look closely at the next start.
const SUSPECT: &str = "store.suspect";

/// Opens the store; a damaged one is rebuilt first. Tells what happened.
pub(super) fn open_store(home: &Path) -> Result<(Store, Vec<Warning>), WorkspaceError> {
    let path = home.join("store.db");
    let suspect = home.join(SUSPECT);
    if !path.exists() {
        return found_again(home);
    }
    let opened = match suspect.exists() {
        true => Store::open(home).and_then(|store| store.check().map(|()| store)),
        false => Store::open(home),
    };
    match opened {
        Ok(store) => {
            if suspect.exists() {
                let _ = fs::remove_file(&suspect);
            }
            Ok((store, Vec::new()))
        }
        Err(error) if is_damage(&error) => rebuild(home, &path, &error),
        Err(error) => Err(error),
    }
}

/// A first start, or a store that somebody removed: then the ledger still knows the numbers.
fn found_again(home: &Path) -> Result<(Store, Vec<Warning>), WorkspaceError> {
    let mut store = Store::open(home)?;
    let lines =
        Ledger::new(home).read().map_err(|source| WorkspaceError::io("read the ledger in", home, source))?;
    if lines.is_empty() {
        return Ok((store, Vec::new()));
    }
    let Salvage { saved, .. } = store.fill(Wreck::default(), lines)?;
    let message = format!("Stet's store was gone. It was rebuilt with {saved} revisions from the ledger.");
    Ok((store, vec![Warning::new("store_rebuilt", message)]))
}

/// Takes note of damage, so that the next start repairs it.
pub(super) fn suspect(home: &Path, error: &WorkspaceError) {
    let _ = fs::write(home.join(SUSPECT), error.to_string());
}

/// Whether an error means that the database file itself is broken.
pub(super) fn is_damage(error: &WorkspaceError) -> bool {
    match error {
        WorkspaceError::Store(error) => matches!(
            error.sqlite_error_code(),
            Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
        ),
        _ => false,
    }
}

fn rebuild(
    home: &Path,
    path: &Path,
    cause: &WorkspaceError,
) -> Result<(Store, Vec<Warning>), WorkspaceError> {
    let lock_path = home.join("locks").join("repair.lock");
    let lock =
        fs::File::create(&lock_path).map_err(|source| WorkspaceError::io("lock", &lock_path, source))?;
    lock.lock().map_err(|source| WorkspaceError::io("lock", &lock_path, source))?;
    // Another process may have repaired it while this one waited.
    if let Ok(store) = Store::open(home)
        && store.check().is_ok()
    {
        return Ok((store, Vec::new()));
    }
    let aside = set_aside(home, path)?;
    let salvage = Store::salvage(&aside.join("store.db"));
    let lines =
        Ledger::new(home).read().map_err(|source| WorkspaceError::io("read the ledger in", home, source))?;
    let mut store = Store::open(home)?;
    let Salvage { saved, proposals } = store.fill(salvage, lines)?;
    let _ = fs::remove_file(home.join(SUSPECT));
    let message = format!(
        "Stet's store was damaged ({cause}). It was rebuilt with {saved} revisions and {proposals} proposals; the damaged files are in {}.",
        aside.display()
    );
    Ok((store, vec![Warning::new("store_rebuilt", message)]))
}

fn set_aside(home: &Path, path: &Path) -> Result<PathBuf, WorkspaceError> {
    let free = (1_u32..).map(|number| home.join(format!("damaged-{number}"))).find(|folder| !folder.exists());
    let aside = free.unwrap_or_else(|| home.join("damaged"));
    fs::create_dir_all(&aside).map_err(|source| WorkspaceError::io("create", &aside, source))?;
    for suffix in ["", "-wal", "-shm"] {
        let name = format!("store.db{suffix}");
        let from = path.with_file_name(&name);
        if from.exists() {
            fs::rename(&from, aside.join(&name))
                .map_err(|source| WorkspaceError::io("set aside", &from, source))?;
        }
    }
    Ok(aside)
}
