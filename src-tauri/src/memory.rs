//! What the shell itself remembers between two starts: recent files, the window's place, whether the samples were shown.
//!
//! One small JSON file in Stet home, written whole and renamed into place. Losing it costs nothing but comfort, so a broken one is
//! replaced by an empty one. Documents, proposals and settings live in the store of `assistant`, not here.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};

/// As many as fit in a menu without scrolling.
const RECENT_FILES: usize = 20;

/// The content of `shell.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Remembered {
    pub(crate) recent: Vec<PathBuf>,
    pub(crate) window: Option<Place>,
    pub(crate) samples_shown: bool,
}

/// The window's size in logical pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) maximized: bool,
}

/// The file and its content in memory.
pub(crate) struct Memory {
    path: PathBuf,
    held: Mutex<Remembered>,
}

impl Memory {
    /// Reads the memory of a Stet home; a missing or broken file is an empty memory.
    pub(crate) fn of_home(home: &Path) -> Memory {
        let path = home.join("shell.json");
        let held =
            fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Memory { path, held: Mutex::new(held) }
    }

    /// The present content.
    pub(crate) fn now(&self) -> Remembered {
        self.lock().clone()
    }

    /// Changes the content and writes it; a disk that refuses is ignored, for nothing of the user's is lost by it.
    pub(crate) fn change(&self, edit: impl FnOnce(&mut Remembered)) {
        let mut held = self.lock();
        let before = held.clone();
        edit(&mut held);
        if *held != before {
            let _ = self.write(&held);
        }
    }

    /// Puts a file in front of the recent ones.
    pub(crate) fn used(&self, path: &Path) {
        self.change(|remembered| {
            remembered.recent.retain(|known| known != path);
            remembered.recent.insert(0, path.to_path_buf());
            remembered.recent.truncate(RECENT_FILES);
        });
    }

    fn lock(&self) -> MutexGuard<'_, Remembered> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, held: &Remembered) -> std::io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let unfinished = self.path.with_extension("json.new");
        let mut file = fs::File::create(&unfinished)?;
        file.write_all(&serde_json::to_vec_pretty(held)?)?;
        file.sync_all()?;
        fs::rename(unfinished, &self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(name: &str) -> PathBuf {
        let home = std::env::temp_dir().join(format!("stet-shell-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&home);
        home
    }

    #[test]
    fn recent_files_are_unique_newest_first_and_survive() {
        let home = home("recent");
        let memory = Memory::of_home(&home);
        for name in ["a", "b", "a"] {
            memory.used(Path::new(name));
        }
        assert_eq!(Memory::of_home(&home).now().recent, [PathBuf::from("a"), PathBuf::from("b")]);
        (0..40).for_each(|number| memory.used(&PathBuf::from(format!("f{number}"))));
        assert_eq!(memory.now().recent.len(), RECENT_FILES);
        fs::remove_dir_all(home).unwrap();
    }

    #[test]
    fn a_broken_file_is_an_empty_memory() {
        let home = home("broken");
        fs::create_dir_all(&home).unwrap();
        fs::write(home.join("shell.json"), b"{\"recent\": [").unwrap();
        assert_eq!(Memory::of_home(&home).now(), Remembered::default());
        fs::remove_dir_all(home).unwrap();
    }
}
