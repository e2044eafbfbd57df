//! Saving on Windows: `ReplaceFileW` puts the new content under the old file's name and keeps what belongs to the old file: its access
//! list, owner, creation time, short name, alternate streams and attributes.
//!
//! A plain move with replacement keeps none of these, so it is only the way out on file systems that cannot replace. The call comes from
//! `winsafe`, since nothing here may be unsafe.

use std::{
    fs::{self, File, FileTimes, OpenOptions},
    io,
    os::windows::fs::FileTimesExt,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use winsafe::{ReplaceFile, co::REPLACEFILE};

/// Pauses between attempts, doubling from the first: 1.3 s in all. A virus scanner or an indexer holds a file for moments; Word and
/// Excel hold it until they close it.
const ATTEMPTS: u32 = 8;
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// winerror.h
const ACCESS_DENIED: i32 = 5;
const SHARING_VIOLATION: i32 = 32;
const LOCK_VIOLATION: i32 = 33;
const UNABLE_TO_REMOVE_REPLACED: i32 = 1175;
/// ERROR_INVALID_FUNCTION, ERROR_NOT_SUPPORTED, ERROR_CALL_NOT_IMPLEMENTED: what file systems answer that cannot replace.
const CANNOT_REPLACE: [i32; 3] = [1, 50, 120];

/// Access lists come from the folder until `ReplaceFileW` gives the old file's.
pub(super) fn creation(_replaces: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    options
}

pub(super) fn replace(temporary: &Path, target: &Path) -> io::Result<()> {
    let mut pause = FIRST_PAUSE;
    for _ in 1..ATTEMPTS {
        match replace_once(temporary, target) {
            Err(error) if is_passing(&error) => thread::sleep(pause),
            done => return done,
        }
        pause *= 2;
    }
    replace_once(temporary, target)
}

fn replace_once(temporary: &Path, target: &Path) -> io::Result<()> {
    let backup = backup_of(temporary);
    let (Some(old), Some(new), Some(aside)) = (target.to_str(), temporary.to_str(), backup.to_str()) else {
        return fs::rename(temporary, target);
    };
    if !target.exists() {
        return fs::rename(temporary, target);
    }
    // What cannot be merged (a stream, an access list on a share) must not stop the save. With a backup name, the documentation of
    // ReplaceFileW promises, the old file is never lost: it has its own name or the backup's.
    let flags = REPLACEFILE::IGNORE_MERGE_ERRORS | REPLACEFILE::IGNORE_ACL_ERRORS;
    match ReplaceFile(old, new, Some(aside), flags) {
        Ok(()) => {
            // It is only the old content, which is in the history; if it cannot be removed now, the next save does it.
            let _ = fs::remove_file(&backup);
            Ok(())
        }
        Err(error) => {
            put_back(temporary, target)?;
            let error = io::Error::from_raw_os_error(error.raw().cast_signed());
            let is_impossible = error.raw_os_error().is_some_and(|code| CANNOT_REPLACE.contains(&code));
            if is_impossible { fs::rename(temporary, target) } else { Err(error) }
        }
    }
}

/// The old file's name while the new one takes its place.
fn backup_of(temporary: &Path) -> PathBuf {
    temporary.with_extension("old")
}

/// Whether a replacement stopped half way.
pub(in super::super) fn is_half_replaced(temporary: &Path) -> bool {
    backup_of(temporary).exists()
}

/// Completes or takes back a replacement that stopped half way (a crash, ERROR_UNABLE_TO_MOVE_REPLACEMENT_2).
pub(in super::super) fn put_back(temporary: &Path, target: &Path) -> io::Result<()> {
    let backup = backup_of(temporary);
    match (backup.exists(), target.exists()) {
        (false, _) => Ok(()),
        (true, false) => fs::rename(backup, target),
        (true, true) => fs::remove_file(backup),
    }
}

/// NTFS journals renames; a folder cannot be opened for flushing.
pub(in super::super) fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

pub(in super::super) fn is_read_only(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly())
}

/// Not known without the file's information record, which the standard library does not give; then nothing is said of other names.
pub(in super::super) fn names_of(_path: &Path) -> u64 {
    1
}

/// Opening for writing shows the share lock that Word and Excel hold.
pub(in super::super) fn holder(path: &Path) -> Option<String> {
    match OpenOptions::new().write(true).open(path) {
        Err(error) if is_sharing_violation(&error) => {
            Some("another program has it open and does not share it".into())
        }
        _ => None,
    }
}

pub(super) fn is_sharing_violation(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(SHARING_VIOLATION | LOCK_VIOLATION | UNABLE_TO_REMOVE_REPLACED))
}

fn is_passing(error: &io::Error) -> bool {
    is_sharing_violation(error) || error.raw_os_error() == Some(ACCESS_DENIED)
}

/// For file systems that cannot replace; elsewhere `ReplaceFileW` does this and more.
pub(super) fn copy_metadata(target: &Path, file: &File) -> io::Result<()> {
    let old = match fs::metadata(target) {
        Ok(old) => old,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if let Ok(created) = old.created() {
        let _ = file.set_times(FileTimes::new().set_created(created));
    }
    file.set_permissions(old.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(folder: &Path) -> (PathBuf, PathBuf) {
        let (temporary, target) = (folder.join("new.tmp"), folder.join("a.txt"));
        fs::write(&temporary, "new").unwrap();
        fs::write(&target, "old").unwrap();
        (temporary, target)
    }

    #[test]
    fn the_new_content_takes_the_old_files_place_and_creation_time() {
        let folder = tempfile::tempdir().unwrap();
        let (temporary, target) = pair(folder.path());
        let long_ago = std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let old = OpenOptions::new().write(true).open(&target).unwrap();
        old.set_times(FileTimes::new().set_created(long_ago)).unwrap();
        drop(old);
        // Wine accepts the time and forgets it.
        let can_set = fs::metadata(&target).unwrap().created().unwrap() == long_ago;
        let file = OpenOptions::new().write(true).open(&temporary).unwrap();
        copy_metadata(&target, &file).unwrap();
        drop(file);
        replace(&temporary, &target).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert!(!can_set || fs::metadata(&target).unwrap().created().unwrap() == long_ago);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file, no backup");
    }

    #[test]
    fn a_file_that_is_not_shared_is_waited_for_and_then_left_alone() {
        use std::os::windows::fs::OpenOptionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (temporary, target) = pair(folder.path());
        let alone = || OpenOptions::new().read(true).share_mode(0).open(&target).unwrap();
        let held = alone();
        assert!(holder(&target).is_some());
        let error = replace(&temporary, &target).unwrap_err();
        assert!(is_passing(&error), "{error:?}");
        drop(held);
        assert_eq!(fs::read_to_string(&target).unwrap(), "old");
        let held = alone();
        let waiting = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            drop(held);
        });
        replace(&temporary, &target).unwrap();
        waiting.join().unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
    }

    #[test]
    fn a_replacement_that_stopped_half_way_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let (temporary, target) = pair(folder.path());
        fs::rename(&target, backup_of(&temporary)).unwrap();
        put_back(&temporary, &target).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "old");
        fs::write(backup_of(&temporary), "older").unwrap();
        put_back(&temporary, &target).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "old");
        assert!(!backup_of(&temporary).exists());
    }
}
