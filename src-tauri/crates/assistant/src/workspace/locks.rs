//! Who may touch a file now: one lock per file among Stet's processes, and the owner files of Office programs.
//!
//! A lock is a file under Stet home that the operating system unlocks when its process ends, however it ends.

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{Stop, Workspace, WorkspaceError};

/// Held while one process looks at a file and replaces it.
pub(super) struct FileLock {
    file_id: String,
    _handle: File,
}

impl FileLock {
    /// Waits until no other process (and no other thread) holds the file.
    pub(super) fn take(
        workspace: &Workspace,
        file_id: &str,
        stop: &Stop,
    ) -> Result<FileLock, WorkspaceError> {
        let path = lock_path(workspace, file_id);
        let handle = File::create(&path).map_err(|source| WorkspaceError::io("lock", &path, source))?;
        let give_up = Instant::now() + workspace.options.lock_wait;
        let mut pause = Duration::from_micros(500);
        loop {
            match handle.try_lock() {
                Ok(()) => return Ok(FileLock { file_id: file_id.to_owned(), _handle: handle }),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(source)) => return Err(WorkspaceError::io("lock", &path, source)),
            }
            stop.check()?;
            if Instant::now() >= give_up {
                let path = workspace.known(file_id).map_or(path, |file| file.path);
                return Err(WorkspaceError::Locked { path, by: "another Stet process is saving it".into() });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(8));
        }
    }

    /// Takes the lock only if nobody holds it.
    pub(super) fn try_take(workspace: &Workspace, file_id: &str) -> Result<Option<FileLock>, WorkspaceError> {
        let path = lock_path(workspace, file_id);
        let handle = File::create(&path).map_err(|source| WorkspaceError::io("lock", &path, source))?;
        match handle.try_lock() {
            Ok(()) => Ok(Some(FileLock { file_id: file_id.to_owned(), _handle: handle })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(WorkspaceError::io("lock", &path, source)),
        }
    }

    pub(super) fn file_id(&self) -> &str {
        &self.file_id
    }
}

fn lock_path(workspace: &Workspace, file_id: &str) -> PathBuf {
    workspace.home().join("locks").join(format!("{file_id}.lock"))
}

/// A program that has a document open and says so with a file beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    pub program: &'static str,
    /// The user's name as the program wrote it; empty when it cannot be read.
    pub user: String,
}

impl Owner {
    /// Looks for the owner files of Word, Excel, PowerPoint (`~$name`) and LibreOffice (`.~lock.name#`).
    pub fn of(document: &Path) -> Option<Owner> {
        let folder = document.parent()?;
        let name = document.file_name()?.to_str()?;
        let libre_office = folder.join(format!(".~lock.{name}#"));
        if let Ok(line) = std::fs::read_to_string(&libre_office) {
            return Some(Owner { program: "LibreOffice", user: user_of_lock_line(&line) });
        }
        if !documents::Format::of_name(name).is_package() {
            return None;
        }
        let office =
            owner_file_names(name).into_iter().map(|owner| folder.join(owner)).find(|path| path.is_file())?;
        let bytes = std::fs::read(office).unwrap_or_default();
        Some(Owner { program: "Microsoft Office", user: user_of_owner_file(&bytes) })
    }

    /// One clause for a message.
    pub fn describe(&self) -> String {
        match self.user.is_empty() {
            true => format!("it is open in {}", self.program),
            false => format!("it is open in {} ({})", self.program, self.user),
        }
    }
}

/// Excel and PowerPoint put `~$` before the whole name; Word does so for short names and replaces the first two characters of long ones
/// (one character when the part before the dot has seven).
fn owner_file_names(name: &str) -> Vec<String> {
    let stem_length = name.rsplit_once('.').map_or(name, |(stem, _)| stem).chars().count();
    let without = |count: usize| format!("~${}", name.chars().skip(count).collect::<String>());
    let mut names = vec![without(0)];
    match stem_length {
        0..=6 => {}
        7 => names.push(without(1)),
        _ => names.push(without(2)),
    }
    names
}

/// LibreOffice: `user,host user,host,date,profile;`; the first field may be empty.
fn user_of_lock_line(line: &str) -> String {
    line.split(',').take(2).find(|field| !field.trim().is_empty()).unwrap_or("").trim().to_owned()
}

/// Microsoft Office: one byte of length, then the name in an 8-bit code page; only plain letters are trusted.
fn user_of_owner_file(bytes: &[u8]) -> String {
    let Some((&length, rest)) = bytes.split_first() else { return String::new() };
    let name = rest.get(..usize::from(length)).unwrap_or_default();
    let name: String =
        name.iter().map(|&byte| char::from(byte)).filter(|c| c.is_ascii_graphic() || *c == ' ').collect();
    name.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owner_files_are_found_for_each_program() {
        let folder = tempfile::tempdir().unwrap();
        let found = |document: &str, owner: &str, content: &[u8]| {
            let owner = folder.path().join(owner);
            std::fs::write(&owner, content).unwrap();
            let found = Owner::of(&folder.path().join(document)).map(|owner| owner.describe());
            std::fs::remove_file(owner).unwrap();
            found
        };
        assert_eq!(
            found("a.xlsx", "~$a.xlsx", b"\x03Ada\0").as_deref(),
            Some("it is open in Microsoft Office (Ada)")
        );
        assert_eq!(
            found("quarterly.docx", "~$arterly.docx", b"").as_deref(),
            Some("it is open in Microsoft Office")
        );
        assert_eq!(
            found("a.pptx", ".~lock.a.pptx#", b",ada,host,30.11.2026 14:00,file:///home/ada;").as_deref(),
            Some("it is open in LibreOffice (ada)")
        );
        assert_eq!(found("a.md", "~$a.md", b""), None);
        let table = found("a.csv", ".~lock.a.csv#", b",ada,host,30.11.2026 14:00,file:///home/ada;");
        assert_eq!(table.as_deref(), Some("it is open in LibreOffice (ada)"));
        assert_eq!(Owner::of(&folder.path().join("a.xlsx")), None);
    }
}
