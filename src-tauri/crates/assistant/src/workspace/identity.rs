//! Which file a path means: links followed, `..` and short names resolved, the case as the folder has it.
//!
//! Two spellings of one file give one canonical path, and one canonical path one id in a Stet home.

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
    let resolved = if cfg!(target_os = "macos") { with_case_of_folder(&resolved) } else { resolved };
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
    Ok(folder.join(name))
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

/// On systems that ignore case, `realpath` may keep the caller's spelling; the folder's own spelling decides.
fn with_case_of_folder(path: &Path) -> PathBuf {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return path.to_path_buf() };
    let folder = with_case_of_folder(folder);
    let wanted = name.to_string_lossy().to_lowercase();
    let names = || std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    if names().any(|entry| entry == name) {
        return folder.join(name);
    }
    match names().find(|entry| entry.to_string_lossy().to_lowercase() == wanted) {
        Some(spelled) => folder.join(spelled),
        None => folder.join(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_decides_about_case() {
        let folder = tempfile::tempdir().unwrap();
        let folder = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir(folder.join("Sub")).unwrap();
        std::fs::write(folder.join("Sub/Notes.MD"), "x").unwrap();
        assert_eq!(with_case_of_folder(&folder.join("sub/notes.md")), folder.join("Sub/Notes.MD"));
        assert_eq!(with_case_of_folder(&folder.join("Sub/other.md")), folder.join("Sub/other.md"));
    }

    #[test]
    fn ids_are_stable_and_do_not_repeat_among_candidates() {
        let first: Vec<String> = id_candidates("/a/b.md").take(4).collect();
        assert_eq!(first, id_candidates("/a/b.md").take(4).collect::<Vec<_>>());
        assert!(first.iter().all(|id| id.len() == 13 && id.starts_with("file-")));
        assert_eq!(first.iter().collect::<std::collections::BTreeSet<_>>().len(), 4);
    }
}
