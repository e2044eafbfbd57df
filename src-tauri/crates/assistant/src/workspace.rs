//! Everything between a verified edit in memory and the bytes on a user's disk.
//!
//! Revisions with compare-and-swap across processes, proposals, snapshots, atomic save. Nothing reaches the disk but through
//! `Workspace::commit`, so every change has a base revision, a snapshot and a receipt. It knows no wire and no models.

pub mod clock;
pub mod error;
pub mod faults;
pub mod stop;
pub mod watcher;

mod blobs;
mod commit;
mod compare;
mod documents;
mod edit;
mod files;
mod history;
mod identity;
mod ledger;
mod locks;
mod placing;
mod proposals;
mod rebase;
mod recovery;
mod repair;
mod retention;
mod save;
mod sets;
mod store;
mod usage;
mod verify;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    time::Duration,
};

use ::documents::Warning;
pub use clock::Clock;
pub use commit::Committed;
pub use compare::Comparison;
pub use edit::{Batch, EditMode, Outcome, Status};
pub use error::WorkspaceError;
pub use files::{Content, FileState, KnownFile};
pub use history::{HistoryEntry, Origin};
pub use locks::Owner;
pub use proposals::{Proposal, ProposalConflict, ProposalState};
pub use retention::{RetentionLimits, Tidied};
pub use sets::{SetError, SetPart};
pub use stop::Stop;
pub use usage::Usage;
pub use verify::Verified;

use blobs::Blobs;
use faults::Faults;
use store::Store;

/// What a workspace is opened with; tests drive the clock, the limits and the faults.
#[derive(Clone)]
pub struct WorkspaceOptions {
    pub home: PathBuf,
    pub clock: Clock,
    /// The author of tracked changes and comments.
    pub author: String,
    pub limits: ::documents::Limits,
    /// How long a commit waits for another process that holds the same file.
    pub lock_wait: Duration,
    /// Called before each step that touches a disk; an error it returns is treated as the disk's.
    pub faults: Faults,
}

/// The open files, their revisions and everything needed to go back.
pub struct Workspace {
    options: WorkspaceOptions,
    store: Mutex<Store>,
    blobs: Blobs,
    author: RwLock<String>,
    notices: Mutex<Vec<Warning>>,
}

impl Workspace {
    /// Opens (or makes) the store under the home folder and finishes what a crash left half done. A damaged store is rebuilt first.
    pub fn open(options: WorkspaceOptions) -> Result<Workspace, WorkspaceError> {
        create_home(&options.home)?;
        match Workspace::open_once(options.clone()) {
            Err(error) if repair::is_damage(&error) => {
                repair::suspect(&options.home, &error);
                Workspace::open_once(options)
            }
            opened => opened,
        }
    }

    fn open_once(options: WorkspaceOptions) -> Result<Workspace, WorkspaceError> {
        let (store, notices) = repair::open_store(&options.home, options.lock_wait)?;
        let blobs = Blobs::open(options.home.join("blobs"), options.faults.clone())?;
        let workspace = Workspace {
            author: RwLock::new(options.author.clone()),
            options,
            store: Mutex::new(store),
            blobs,
            notices: Mutex::new(notices),
        };
        workspace.recover_all()?;
        Ok(workspace)
    }

    /// Things about Stet's own data that the user should know, such as a repair.
    pub fn notices(&self) -> Vec<Warning> {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner).clone();
        notices.extend(self.blobs.damage().into_iter().map(|text| Warning::new("copy_damaged", text)));
        notices
    }

    /// Says something about Stet's own data, once.
    fn notice(&self, code: &str, message: String) {
        let warning = Warning::new(code, message);
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if !notices.contains(&warning) {
            notices.push(warning);
        }
    }

    /// Looks closely at the store, as after an error that should not happen. If it is damaged, that is said and the next start repairs it.
    pub fn inspect(&self) {
        let checked = self.store().check();
        if let Err(error) = checked
            && repair::is_damage(&error)
        {
            repair::suspect(&self.options.home, &error);
            let message =
                format!("Stet's store is damaged ({error}). It will be repaired at the next start.");
            self.notice("store_damaged", message);
        }
    }

    /// The home folder.
    pub fn home(&self) -> &Path {
        &self.options.home
    }

    /// Now, in RFC 3339 UTC with seconds.
    pub fn now(&self) -> String {
        clock::rfc3339((self.options.clock)())
    }

    /// Changes the author of tracked changes and comments from now on.
    pub fn set_author(&self, author: &str) {
        let mut current = self.author.write().unwrap_or_else(PoisonError::into_inner);
        if *current != author {
            author.clone_into(&mut current);
        }
    }

    fn author(&self) -> String {
        self.author.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The store, whatever happened to another thread that held it: every write in it is one transaction.
    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn create_home(home: &Path) -> Result<(), WorkspaceError> {
    for folder in [home.to_path_buf(), home.join("locks"), home.join("blobs")] {
        std::fs::create_dir_all(&folder).map_err(|source| save::of_disk("make", &folder, source))?;
    }
    private_to_user(home)
}

/// Documents' old contents lie here: nobody but the user may read them.
#[cfg(unix)]
fn private_to_user(home: &Path) -> Result<(), WorkspaceError> {
    use std::os::unix::fs::PermissionsExt;
    let failed = |source| save::of_disk("protect", home, source);
    let now = std::fs::metadata(home).map_err(failed)?.permissions();
    if now.mode() & 0o077 == 0 {
        return Ok(());
    }
    std::fs::set_permissions(home, std::fs::Permissions::from_mode(0o700)).map_err(failed)
}

#[cfg(not(unix))]
fn private_to_user(_home: &Path) -> Result<(), WorkspaceError> {
    Ok(())
}

/// A clock that tests can hold still, shared by everything in one workspace.
pub fn system_clock() -> Clock {
    Arc::new(std::time::SystemTime::now)
}
