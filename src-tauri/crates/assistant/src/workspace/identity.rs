//! Which file a path means: links followed, `..` and short names resolved, the case as the folder has it.
//!
//! Two spellings of one file give one canonical path, and one canonical path one id in a Stet home.

#[cfg(unix)]
use std::ffi::{OsStr, OsString};
use std::{
    io,
    path::{Path, PathBuf},
};

use super::WorkspaceError;

/// The one path of an existing file.
pub(super) fn canonical(path: &Path) -> Result<PathBuf, WorkspaceError> {
    let resolved = std::fs::canonicalize(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => WorkspaceError::Missing(path.to_path_buf()),
        _ => WorkspaceError::io("find", path, source),
    })?;
    let resolved = spelled_as_in_folders(&resolved);
    if resolved.is_dir() {
        return Err(WorkspaceError::IsFolder(path.to_path_buf()));
    }
    Ok(resolved)
}

/// The one path of a file that is to be made: its folder must be there.
pub(super) fn canonical_new(path: &Path) -> Result<PathBuf, WorkspaceError> {
    let Some(name) = path.file_name() else {
        return Err(WorkspaceError::NotAllowed {
            path: path.to_path_buf(),
            why: "does not name a file".into(),
        });
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = std::fs::canonicalize(folder)
        .map_err(|source| WorkspaceError::io("find the folder", folder, source))?;
    Ok(spelled_as_in_folders(&folder).join(name))
}

/// A path as the store keeps it. JSON cannot carry a name that is not Unicode, so such a file is refused rather than misnamed.
pub(super) fn storable(path: &Path) -> Result<&str, WorkspaceError> {
    path.to_str().ok_or_else(|| WorkspaceError::NotAllowed {
        path: path.to_path_buf(),
        why: "has a name that is not Unicode".into(),
    })
}

/// Ids for a path, best first: the hash of the path, then of the path and a counter when another path has that id.
pub(super) fn id_candidates(path: &str) -> impl Iterator<Item = String> + use<> {
    let path = path.to_owned();
    (0_u32..64).map(move |attempt| {
        let mut hasher = blake3::Hasher::new();
        hasher.update(path.as_bytes());
        if attempt > 0 {
            hasher.update(&attempt.to_le_bytes());
        }
        let digest = hasher.finalize();
        format!("file-{}", &digest.to_hex()[..8])
    })
}

/// A folder may ignore case (macOS, FAT, network drives, ext4 folders with that attribute), and then `realpath` keeps the caller's
/// spelling; the folder's own spelling decides.
#[cfg(unix)]
fn spelled_as_in_folders(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut spelled = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) if ignores_case(&spelled, name) => {
                let own = own_spelling(&spelled, name);
                spelled.push(own.as_deref().unwrap_or(name));
            }
            other => spelled.push(other),
        }
    }
    spelled
}

/// The system's resolution gives each name as its folder has it, and long names for short ones.
#[cfg(not(unix))]
fn spelled_as_in_folders(path: &Path) -> PathBuf {
    path.to_path_buf()
}

/// Whether the name with its case turned leads to the same file.
#[cfg(unix)]
fn ignores_case(folder: &Path, name: &OsStr) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Some(text) = name.to_str() else { return false };
    let turned: String = text.chars().map(turn_case).collect();
    if turned == text {
        return false;
    }
    let identity = |name: &OsStr| {
        let metadata = std::fs::symlink_metadata(folder.join(name)).ok()?;
        Some((metadata.dev(), metadata.ino()))
    };
    identity(name).is_some_and(|own| identity(OsStr::new(&turned)) == Some(own))
}

/// A letter whose other case is one letter, in that case.
#[cfg(unix)]
fn turn_case(letter: char) -> char {
    let alone = |mut letters: Box<dyn Iterator<Item = char>>| match (letters.next(), letters.next()) {
        (Some(only), None) => only,
        _ => letter,
    };
    match letter.is_lowercase() {
        true => alone(Box::new(letter.to_uppercase())),
        false => alone(Box::new(letter.to_lowercase())),
    }
}

/// The entry of the folder that the name leads to: itself if it is there, else the one that is the same file and reads the same.
#[cfg(unix)]
fn own_spelling(folder: &Path, name: &OsStr) -> Option<OsString> {
    use std::os::unix::fs::{DirEntryExt, MetadataExt};
    let number = std::fs::symlink_metadata(folder.join(name)).ok()?.ino();
    let wanted = name.to_string_lossy().to_lowercase();
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let same: Vec<OsString> =
        entries.filter(|entry| entry.ino() == number).map(|entry| entry.file_name()).collect();
    if same.iter().any(|entry| entry == name) {
        return None;
    }
    let reads_the_same = |entry: &&OsString| entry.to_string_lossy().to_lowercase() == wanted;
    same.iter().find(reads_the_same).or(same.first()).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two hard links stand in for a folder that ignores case: both spellings lead to one file, and both are in the folder.
    #[cfg(unix)]
    #[test]
    fn a_spelling_that_the_folder_has_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let folder = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::write(folder.join("Notes.md"), "x").unwrap();
        assert!(!ignores_case(&folder, OsStr::new("Notes.md")));
        assert_eq!(spelled_as_in_folders(&folder.join("Notes.md")), folder.join("Notes.md"));
        std::fs::hard_link(folder.join("Notes.md"), folder.join("nOTES.MD")).unwrap();
        assert!(ignores_case(&folder, OsStr::new("Notes.md")));
        assert_eq!(own_spelling(&folder, OsStr::new("Notes.md")), None);
        assert_eq!(spelled_as_in_folders(&folder.join("nOTES.MD")), folder.join("nOTES.MD"));
        std::fs::write(folder.join("2024.1"), "no letter has a case").unwrap();
        assert!(!ignores_case(&folder, OsStr::new("2024.1")));
    }

    #[test]
    fn ids_are_stable_and_do_not_repeat_among_candidates() {
        let first: Vec<String> = id_candidates("/a/b.md").take(4).collect();
        assert_eq!(first, id_candidates("/a/b.md").take(4).collect::<Vec<_>>());
        assert!(first.iter().all(|id| id.len() == 13 && id.starts_with("file-")));
        assert_eq!(first.iter().collect::<std::collections::BTreeSet<_>>().len(), 4);
    }
}
