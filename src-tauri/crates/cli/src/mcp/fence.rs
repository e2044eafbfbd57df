//! Which files a client may reach: those below granted folders, by their real paths, and nothing of Stet home.
//!
//! `--root` grants; the client's own roots narrow that, and grant where no `--root` was given. Links are followed before the question
//! is asked, so a link out of a folder leads nowhere, and neither does `..`.

use std::{
    io,
    path::{Component, Path, PathBuf},
    sync::{PoisonError, RwLock},
};

use assistant::{AppError, api::error::ErrorCode};

/// What the command line grants.
#[derive(Debug, Clone)]
pub(super) struct Grants {
    /// The folders of `--root`.
    roots: Vec<PathBuf>,
    /// Where the server was started: granted when nobody names a folder.
    working: Option<PathBuf>,
    /// Stet home holds snapshots of files from everywhere.
    home: PathBuf,
}

impl Grants {
    /// Reads `--root`; a folder that is not there is an error rather than a smaller fence.
    pub(super) fn of(roots: &[PathBuf], home: &Path) -> Result<Grants, AppError> {
        let mut real = Vec::new();
        for root in roots {
            let found = std::fs::canonicalize(root).ok().filter(|found| found.is_dir());
            let missing =
                || AppError::new(ErrorCode::PathNotAllowed, format!("{} is not a folder.", root.display()));
            real.push(found.ok_or_else(missing)?);
        }
        let working = std::env::current_dir().ok().and_then(|folder| std::fs::canonicalize(folder).ok());
        let home = std::fs::canonicalize(home).unwrap_or_else(|_| home.to_path_buf());
        Ok(Grants { roots: real, working: working.filter(|folder| is_modest(folder)), home })
    }

    /// Whether nothing is granted before the client names its roots.
    pub(super) fn is_nothing(&self) -> bool {
        self.roots.is_empty() && self.working.is_none()
    }
}

/// The whole disk, or all of the user's home, is not granted by accident of where a client starts its servers.
fn is_modest(folder: &Path) -> bool {
    let homes = ["HOME", "USERPROFILE"].map(std::env::var_os);
    let is_home = homes
        .iter()
        .flatten()
        .any(|home| std::fs::canonicalize(home).is_ok_and(|home| home.starts_with(folder)));
    folder.parent().is_some() && !is_home
}

/// The fence of one session.
#[derive(Debug)]
pub(super) struct Fence {
    grants: Grants,
    /// The client's roots; `None` when it does not tell any.
    asked: RwLock<Option<Vec<PathBuf>>>,
}

impl Fence {
    pub(super) fn new(grants: Grants) -> Fence {
        Fence { grants, asked: RwLock::new(None) }
    }

    /// Takes the client's roots, as URIs; what is no folder here is left out.
    pub(super) fn take_roots(&self, uris: Option<Vec<String>>) {
        let folder = |uri: String| {
            let path =
                url::Url::parse(&uri).ok().filter(|url| url.scheme() == "file")?.to_file_path().ok()?;
            std::fs::canonicalize(path).ok().filter(|path| path.is_dir())
        };
        let asked = uris.map(|uris| uris.into_iter().filter_map(folder).collect());
        *self.asked.write().unwrap_or_else(PoisonError::into_inner) = asked;
    }

    /// The folders that are open to the client now.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let asked = self.asked.read().unwrap_or_else(PoisonError::into_inner);
        let mut folders = match (self.grants.roots.as_slice(), asked.as_deref()) {
            ([], Some(asked)) => asked.to_vec(),
            ([], None) => self.grants.working.iter().cloned().collect(),
            // A client with no folder open says nothing about which it means.
            (granted, None | Some([])) => granted.to_vec(),
            (granted, Some(asked)) => overlap(granted, asked),
        };
        folders.sort();
        folders.dedup();
        folders
    }

    /// The real path of a file inside, or why not. Whether something exists outside is not told.
    pub(super) fn admit(&self, named: &Path) -> Result<PathBuf, AppError> {
        let folders = self.folders();
        let candidates = candidates(named, &folders);
        for candidate in &candidates {
            if let Ok(found) = std::fs::canonicalize(candidate)
                && self.is_inside(&found, &folders)
            {
                return Ok(found);
            }
        }
        if candidates.iter().any(|candidate| self.is_missing_inside(candidate, &folders)) {
            let message = format!("There is no {}.", named.display());
            return Err(
                AppError::new(ErrorCode::IoError, message).hint("file_list tells which files there are.")
            );
        }
        Err(refusal(named, &folders))
    }

    /// The path of a file that is to be made: its folder must be there and inside.
    pub(super) fn admit_new(&self, named: &Path) -> Result<PathBuf, AppError> {
        let folders = self.folders();
        let name = named.file_name().ok_or_else(|| refusal(named, &folders))?;
        // Elsewhere a `\` parts folders, and nobody means a control character.
        if name.to_string_lossy().chars().any(|one| one == '\\' || one.is_control()) {
            return Err(refusal(named, &folders));
        }
        for candidate in candidates(named, &folders) {
            let Some(parent) = candidate.parent() else { continue };
            if let Ok(parent) = std::fs::canonicalize(parent)
                && self.is_inside(&parent, &folders)
                && parent.is_dir()
            {
                return Ok(parent.join(name));
            }
        }
        Err(refusal(named, &folders))
    }

    /// Whether a real path lies inside.
    pub(super) fn is_inside(&self, real: &Path, folders: &[PathBuf]) -> bool {
        folders.iter().any(|folder| real.starts_with(folder)) && !real.starts_with(&self.grants.home)
    }

    /// Whether the nearest folder that exists lies inside, so that "not there" is no news about elsewhere.
    fn is_missing_inside(&self, candidate: &Path, folders: &[PathBuf]) -> bool {
        let mut existing = candidate;
        while let Some(parent) = existing.parent() {
            match std::fs::symlink_metadata(existing) {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::NotFound => existing = parent,
                Err(_) => return false,
            }
        }
        let rest = candidate.strip_prefix(existing).unwrap_or(candidate);
        let is_plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
        let is_there = rest.as_os_str().is_empty();
        is_plain
            && !is_there
            && std::fs::canonicalize(existing).is_ok_and(|real| self.is_inside(&real, folders))
    }
}

/// A relative path is looked for in each folder.
fn candidates(named: &Path, folders: &[PathBuf]) -> Vec<PathBuf> {
    if named.is_absolute() {
        return vec![named.to_path_buf()];
    }
    folders.iter().map(|folder| folder.join(named)).collect()
}

/// The smaller of each two folders of which one holds the other.
fn overlap(granted: &[PathBuf], asked: &[PathBuf]) -> Vec<PathBuf> {
    let pairs = granted.iter().flat_map(|granted| asked.iter().map(move |asked| (granted, asked)));
    let smaller = pairs.filter_map(|(granted, asked)| {
        if asked.starts_with(granted) {
            Some(asked.clone())
        } else {
            granted.starts_with(asked).then(|| granted.clone())
        }
    });
    smaller.collect()
}

fn refusal(named: &Path, folders: &[PathBuf]) -> AppError {
    let message = format!("{} is not in a folder that is open to this client.", named.display());
    let error = AppError::new(ErrorCode::PathNotAllowed, message);
    if folders.is_empty() {
        return error.hint("No folder is: start `stet mcp` with --root DIR, or open a folder in the client.");
    }
    let open: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    error.hint(format!("Open folders: {}.", open.join(", ")))
}

#[cfg(test)]
#[path = "fence/tests.rs"]
mod tests;
