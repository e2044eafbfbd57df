//! Replacing a file's content so that every moment shows one whole version, and nothing else about the file changes.
//!
//! A temporary file in the same folder, flushed to the disk, gets the old file's mode, owner and extended attributes and is renamed
//! over it. Where the folder forbids that, it is said; a file is never written in place. How a system does it is in `unix`, `windows`.

#[cfg(unix)]
#[path = "save/unix.rs"]
mod system;
#[cfg(windows)]
#[path = "save/windows.rs"]
mod system;

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{
    WorkspaceError,
    faults::{Faults, Step},
};

pub(super) use system::{holder, is_half_replaced, is_read_only, names_of, put_back, sync_folder};

/// Written in pieces so that a cancelled save stops soon.
const PIECE: usize = 1 << 20;

/// A complete new version beside the target; removed when it is dropped before `publish`.
pub(super) struct Prepared {
    temporary: PathBuf,
    faults: Faults,
    is_published: bool,
}

/// The name is the same each time for one file in one home: a crash leaves at most one, and the next save removes it.
pub(super) fn temporary_path(target: &Path, home: &Path, file_id: &str) -> PathBuf {
    let home_mark = &blake3::hash(home.to_string_lossy().as_bytes()).to_hex()[..8];
    target.with_file_name(format!(".~stet-{home_mark}-{}.tmp", file_id.trim_start_matches("file-")))
}

/// Writes the new version beside the target and flushes it to the disk.
pub(super) fn prepare(
    target: &Path,
    temporary: PathBuf,
    bytes: &[u8],
    faults: &Faults,
    keep_going: &dyn Fn() -> Result<(), WorkspaceError>,
) -> Result<Prepared, WorkspaceError> {
    let prepared = Prepared { temporary, faults: faults.clone(), is_published: false };
    let temporary = prepared.temporary.as_path();
    let failed = |what| move |source| of_disk(what, target, source);
    faults.before(Step::CreateTemporary, temporary).map_err(failed("save a new version beside"))?;
    let mut file = create(temporary, target.exists()).map_err(failed("save a new version beside"))?;
    for piece in bytes.chunks(PIECE) {
        keep_going()?;
        faults.before(Step::WriteTemporary, temporary).map_err(failed("write a new version of"))?;
        file.write_all(piece).map_err(failed("write a new version of"))?;
    }
    faults.before(Step::CopyMetadata, temporary).map_err(failed("keep the attributes of"))?;
    system::copy_metadata(target, &file).map_err(failed("keep the attributes of"))?;
    faults.before(Step::SyncTemporary, temporary).map_err(failed("flush a new version of"))?;
    file.sync_all().map_err(failed("flush a new version of"))?;
    keep_going()?;
    Ok(prepared)
}

impl Prepared {
    /// A complete new version that a crash left beside its target.
    pub(super) fn found(temporary: PathBuf, faults: &Faults) -> Prepared {
        Prepared { temporary, faults: faults.clone(), is_published: false }
    }

    /// Renames the new version over the target. Until here nothing has changed; after it everything has.
    pub(super) fn publish(&mut self, target: &Path) -> Result<(), WorkspaceError> {
        let failed = |source| of_disk("replace", target, source);
        self.faults.before(Step::RenameTemporary, target).map_err(failed)?;
        system::replace(&self.temporary, target).map_err(failed)?;
        self.is_published = true;
        Ok(())
    }

    /// Leaves the temporary file where it is: it tells recovery that it was not renamed.
    pub(super) fn leave(mut self) {
        self.is_published = true;
    }

    /// Puts a new file in its place, unless one appeared there meanwhile.
    pub(super) fn publish_new(mut self, target: &Path) -> Result<(), WorkspaceError> {
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::AlreadyExists => WorkspaceError::Exists(target.to_path_buf()),
            _ => of_disk("make", target, source),
        };
        self.faults.before(Step::RenameTemporary, target).map_err(failed)?;
        // A hard link fails where a file is; a rename would replace it. File systems without links get the rename.
        match fs::hard_link(&self.temporary, target) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(failed(error)),
            Err(_) if target.exists() => Err(WorkspaceError::Exists(target.to_path_buf())),
            Err(_) => self.publish(target),
        }
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if !self.is_published && self.faults.before(Step::RemoveTemporary, &self.temporary).is_ok() {
            // If it cannot be removed now, the next save or start of Stet does it.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// A disk's refusal as one of the contract's kinds.
pub(super) fn of_disk(what: &'static str, target: &Path, source: io::Error) -> WorkspaceError {
    let path = target.to_path_buf();
    if system::is_sharing_violation(&source) {
        return WorkspaceError::Locked {
            path,
            by: "another program has it open and does not share it".into(),
        };
    }
    match source.kind() {
        io::ErrorKind::PermissionDenied => {
            WorkspaceError::ReadOnly { path, why: format!("no permission to {what} it ({source})") }
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            WorkspaceError::ReadOnly { path, why: "the disk is read-only".into() }
        }
        io::ErrorKind::IsADirectory | io::ErrorKind::DirectoryNotEmpty => WorkspaceError::IsFolder(path),
        io::ErrorKind::NotFound => WorkspaceError::Missing(path),
        io::ErrorKind::ResourceBusy | io::ErrorKind::ExecutableFileBusy => {
            WorkspaceError::Locked { path, by: format!("another program holds it ({source})") }
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => WorkspaceError::NoSpace { path },
        _ => WorkspaceError::Io { what, path, source },
    }
}

/// Nobody else may read a half-written copy of a private file; a new file gets the usual rights under the user's mask.
fn create(temporary: &Path, replaces: bool) -> io::Result<File> {
    let options = system::creation(replaces);
    match options.open(temporary) {
        // Left by a crash: the caller holds the file's lock, so nobody is writing it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(temporary)?;
            options.open(temporary)
        }
        opened => opened,
    }
}
