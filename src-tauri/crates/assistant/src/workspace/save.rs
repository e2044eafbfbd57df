//! Replacing a file's content so that every moment shows one whole version, and nothing else about the file changes.
//!
//! A temporary file in the same folder, flushed to the disk, gets the old file's mode, owner and extended attributes and is renamed
//! over it. Where the folder forbids that, it is said; a file is never written in place.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{
    WorkspaceError,
    faults::{Faults, Step},
};

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
    copy_metadata(target, temporary, &file).map_err(failed("keep the attributes of"))?;
    faults.before(Step::SyncTemporary, temporary).map_err(failed("flush a new version of"))?;
    file.sync_all().map_err(failed("flush a new version of"))?;
    keep_going()?;
    Ok(prepared)
}

impl Prepared {
    /// Renames the new version over the target. Until here nothing has changed; after it everything has.
    pub(super) fn publish(mut self, target: &Path) -> Result<(), WorkspaceError> {
        let failed = |source| of_disk("replace", target, source);
        self.faults.before(Step::RenameTemporary, target).map_err(failed)?;
        replace(&self.temporary, target).map_err(failed)?;
        self.is_published = true;
        Ok(())
    }

    /// Puts a new file in its place, unless one appeared there meanwhile.
    pub(super) fn publish_new(self, target: &Path) -> Result<(), WorkspaceError> {
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

/// Whether the system lets this user write the file. The answer is the system's, not the mode bits': they do not bind everybody.
#[cfg(unix)]
pub(super) fn is_read_only(path: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    matches!(
        accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS),
        Err(rustix::io::Errno::ACCESS | rustix::io::Errno::ROFS | rustix::io::Errno::PERM)
    )
}

#[cfg(not(unix))]
pub(super) fn is_read_only(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly())
}

/// A disk's refusal as one of the contract's kinds.
pub(super) fn of_disk(what: &'static str, target: &Path, source: io::Error) -> WorkspaceError {
    let path = target.to_path_buf();
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
        _ if is_sharing_violation(&source) => {
            WorkspaceError::Locked { path, by: "another program has it open and does not share it".into() }
        }
        _ => WorkspaceError::Io { what, path, source },
    }
}

/// Makes a rename in this file's folder survive a power cut.
#[cfg(unix)]
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// NTFS journals renames; a folder cannot be opened for flushing.
#[cfg(not(unix))]
pub(super) fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Nobody else may read a half-written copy of a private file; a new file gets the usual rights under the user's mask.
fn create(temporary: &Path, replaces: bool) -> io::Result<File> {
    let _ = replaces;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(if replaces { 0o600 } else { 0o666 });
    }
    match options.open(temporary) {
        // Left by a crash: the caller holds the file's lock, so nobody is writing it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(temporary)?;
            options.open(temporary)
        }
        opened => opened,
    }
}

#[cfg(unix)]
fn copy_metadata(target: &Path, _temporary: &Path, file: &File) -> io::Result<()> {
    use rustix::fs::{Gid, Mode, Uid, fchmod, fchown};
    use std::os::unix::fs::MetadataExt;

    let old = match fs::metadata(target) {
        Ok(old) => old,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let new = file.metadata()?;
    if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
        // Only root may give a file away; the group at least can often be kept.
        let gid = Some(Gid::from_raw(old.gid()));
        if fchown(file, Some(Uid::from_raw(old.uid())), gid).is_err() {
            let _ = fchown(file, None, gid);
        }
    }
    copy_extended_attributes(target, file);
    // After the owner, because changing the owner clears the set-id bits.
    fchmod(file, Mode::from_raw_mode(old.mode() & 0o7777))?;
    Ok(())
}

/// Access lists are extended attributes too. Those that only the system may set are left to it.
#[cfg(unix)]
fn copy_extended_attributes(target: &Path, file: &File) {
    use rustix::fs::{XattrFlags, fsetxattr, getxattr, listxattr};

    let mut names = vec![0_u8; 64 << 10];
    let Ok(length) = listxattr(target, names.as_mut_slice()) else { return };
    for name in
        names.get(..length).unwrap_or_default().split(|&byte| byte == 0).filter(|name| !name.is_empty())
    {
        let mut value = vec![0_u8; 64 << 10];
        if let Ok(length) = getxattr(target, name, value.as_mut_slice()) {
            let _ = fsetxattr(file, name, value.get(..length).unwrap_or_default(), XattrFlags::empty());
        }
    }
}

#[cfg(not(unix))]
fn copy_metadata(target: &Path, _temporary: &Path, file: &File) -> io::Result<()> {
    match fs::metadata(target) {
        Ok(old) => file.set_permissions(old.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(not(windows))]
fn replace(temporary: &Path, target: &Path) -> io::Result<()> {
    fs::rename(temporary, target)
}

/// A virus scanner or an indexer holds a file for moments; Word and Excel hold it until they close it.
#[cfg(windows)]
fn replace(temporary: &Path, target: &Path) -> io::Result<()> {
    const ATTEMPTS: u32 = 8;
    let mut pause = std::time::Duration::from_millis(10);
    for _ in 1..ATTEMPTS {
        match fs::rename(temporary, target) {
            Err(error) if is_sharing_violation(&error) || error.kind() == io::ErrorKind::PermissionDenied => {
                std::thread::sleep(pause);
                pause *= 2;
            }
            done => return done,
        }
    }
    fs::rename(temporary, target)
}

/// ERROR_SHARING_VIOLATION and ERROR_LOCK_VIOLATION (winerror.h).
fn is_sharing_violation(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(32 | 33))
}
