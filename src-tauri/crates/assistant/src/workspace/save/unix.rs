//! Saving on Unix: rename(2) replaces in one step; owner, mode, access lists and extended attributes are copied before it.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::Path,
};

use rustix::{
    fs::{
        Access, AtFlags, CWD, Gid, Mode, Uid, XattrFlags, accessat, fchmod, fchown, flistxattr, fremovexattr,
        fsetxattr, getxattr, listxattr,
    },
    process::{Flock, FlockType, fcntl_getlk},
};

/// The largest attribute value and the longest list of names that Linux knows (limits.h, XATTR_SIZE_MAX).
const ATTRIBUTE_SIZE: usize = 64 << 10;

/// Nobody else may read a half-written copy of a private file.
pub(super) fn creation(replaces: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(if replaces { 0o600 } else { 0o666 });
    options
}

pub(super) fn replace(temporary: &Path, target: &Path) -> io::Result<()> {
    fs::rename(temporary, target)
}

pub(in super::super) fn is_half_replaced(_temporary: &Path) -> bool {
    false
}

/// Nothing to do: a rename is done or not done.
pub(in super::super) fn put_back(_temporary: &Path, _target: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a rename in this file's folder survive a power cut.
pub(in super::super) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Whether the system lets this user write the file. The answer is the system's, not the mode bits': they do not bind everybody.
pub(in super::super) fn is_read_only(path: &Path) -> bool {
    matches!(
        accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS),
        Err(rustix::io::Errno::ACCESS | rustix::io::Errno::ROFS | rustix::io::Errno::PERM)
    )
}

/// How many names (hard links) the file has.
pub(in super::super) fn names_of(path: &Path) -> u64 {
    fs::metadata(path).map_or(1, |metadata| metadata.nlink())
}

/// Who keeps the file to himself: a write lock by fcntl(2), as LibreOffice sets it, or an exclusive one by flock(2). Both are advisory;
/// to replace the file under a program that asked for it alone would still lose what that program writes later.
pub(in super::super) fn holder(path: &Path) -> Option<String> {
    let file = File::open(path).ok()?;
    if let Ok(Some(lock)) = fcntl_getlk(&file, &Flock::from(FlockType::ReadLock)) {
        let process = lock.pid.map_or(String::new(), |pid| format!(" (process {})", pid.as_raw_nonzero()));
        return Some(format!("another program has locked it{process}"));
    }
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some("another program has locked it".into()),
        _ => None,
    }
}

pub(super) fn is_sharing_violation(_error: &io::Error) -> bool {
    false
}

pub(super) fn copy_metadata(target: &Path, file: &File) -> io::Result<()> {
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
    fchmod(file, Mode::from_raw_mode(mode_bits(&old)))?;
    keep_creation_time(&old, file);
    Ok(())
}

/// The type has another width on other systems.
#[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions)]
fn mode_bits(old: &fs::Metadata) -> rustix::fs::RawMode {
    rustix::fs::RawMode::try_from(old.mode() & 0o7777).unwrap_or(0o600)
}

/// Access lists are extended attributes too. Those that only the system may set are left to it. What the new file got by itself, as an
/// access list from its folder's default, and the old one had not, goes.
fn copy_extended_attributes(target: &Path, file: &File) {
    let mut list = vec![0_u8; ATTRIBUTE_SIZE];
    let Ok(length) = listxattr(target, list.as_mut_slice()) else { return };
    let old = names(&list, length);
    let mut list = vec![0_u8; ATTRIBUTE_SIZE];
    let length = flistxattr(file, list.as_mut_slice()).unwrap_or(0);
    for name in names(&list, length).into_iter().filter(|name| !old.contains(name)) {
        let _ = fremovexattr(file, name);
    }
    for name in old {
        let mut value = vec![0_u8; ATTRIBUTE_SIZE];
        if let Ok(length) = getxattr(target, name, value.as_mut_slice()) {
            let _ = fsetxattr(file, name, value.get(..length).unwrap_or_default(), XattrFlags::empty());
        }
    }
}

/// Names end with a zero byte each (listxattr(2)).
fn names(list: &[u8], length: usize) -> Vec<&[u8]> {
    let names = list.get(..length).unwrap_or_default().split(|&byte| byte == 0);
    names.filter(|name| !name.is_empty()).collect()
}

#[cfg(target_os = "macos")]
fn keep_creation_time(old: &fs::Metadata, file: &File) {
    use std::os::darwin::fs::FileTimesExt;
    if let Ok(created) = old.created() {
        let _ = file.set_times(fs::FileTimes::new().set_created(created));
    }
}

/// Linux lets nobody set the time of birth.
#[cfg(not(target_os = "macos"))]
fn keep_creation_time(_old: &fs::Metadata, _file: &File) {}
