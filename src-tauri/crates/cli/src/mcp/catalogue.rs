//! The documents below the open folders: found by walking, made known to Stet so that they have ids and revisions.
//!
//! A walk is bounded and says when it stopped early. Hidden names, links and folders of build products are not walked into; a file there
//! is reached by naming its path.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use assistant::{App, api::answers::DocumentInfo, workspace::Stop};

use super::fence::Fence;

/// Entries looked at in one walk.
const ENTRIES: usize = 20_000;
/// Files told at most.
const FILES: usize = 500;
/// Files, and bytes of files, that one call makes known; the rest is told without an id and gets one when it is read by its path.
const MADE_KNOWN: usize = 200;
const BYTES_MADE_KNOWN: u64 = 64 << 20;

const OFFICE: [&str; 12] =
    ["docx", "docm", "dotx", "dotm", "xlsx", "xlsm", "xltx", "xltm", "pptx", "pptm", "potx", "ppsx"];
const TEXT: [&str; 19] = [
    "md", "markdown", "txt", "csv", "tsv", "json", "yaml", "yml", "toml", "xml", "html", "htm", "tex", "rst",
    "adoc", "org", "ini", "log", "text",
];
const BUILD_PRODUCTS: [&str; 3] = ["node_modules", "target", "__pycache__"];

/// A file as the disk tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) size: u64,
    pub(super) modified: Option<SystemTime>,
}

/// What a walk found, in order of the paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Walk {
    pub(super) files: Vec<Found>,
    pub(super) is_cut: bool,
}

/// A file of the list, with its id when it is known.
pub(super) enum Entry {
    Known(Box<DocumentInfo>),
    Unread(Found),
    /// It cannot be read, and why.
    Unreadable(Found, String),
}

/// Remembers what was made known, so that a list does not read every file again.
#[derive(Default)]
pub(super) struct Catalogue(Mutex<HashMap<PathBuf, (Found, String)>>);

impl Catalogue {
    /// The documents of a walk, known as far as the limits go.
    pub(super) fn entries(&self, app: &App, walk: Walk, stop: &Stop) -> Vec<Entry> {
        let (mut read, mut bytes) = (0_usize, 0_u64);
        let mut entries = Vec::new();
        for found in walk.files {
            if let Some(known) = self.known(app, &found) {
                entries.push(Entry::Known(Box::new(known)));
                continue;
            }
            let is_over = read >= MADE_KNOWN || bytes.saturating_add(found.size) > BYTES_MADE_KNOWN;
            if is_over || stop.is_set() {
                entries.push(Entry::Unread(found));
                continue;
            }
            read += 1;
            bytes += found.size;
            entries.push(match app.documents_register(&found.path, stop) {
                Ok(document) => {
                    self.remember(&found, &document.file_id);
                    Entry::Known(Box::new(document))
                }
                Err(error) => Entry::Unreadable(found, error.message),
            });
        }
        entries
    }

    /// A file that did not change since it was made known here.
    fn known(&self, app: &App, found: &Found) -> Option<DocumentInfo> {
        let file_id = {
            let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            seen.get(&found.path).filter(|(then, _)| then == found).map(|(_, id)| id.clone())?
        };
        app.documents_known(&[file_id]).ok()?.pop().filter(|document| Path::new(&document.path) == found.path)
    }

    fn remember(&self, found: &Found, file_id: &str) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert(found.path.clone(), (found.clone(), file_id.to_owned()));
    }
}

/// Walks the open folders.
pub(super) fn walk(fence: &Fence) -> Walk {
    let mut walk = Walk::default();
    let roots = fence.folders();
    let (mut folders, mut seen) = (roots.clone(), 0_usize);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > ENTRIES {
                walk.is_cut = true;
                break;
            }
            let name = entry.file_name();
            let (Some(name), Ok(kind)) = (name.to_str(), entry.file_type()) else { continue };
            let path = entry.path();
            if name.starts_with('.') || !fence.is_inside(&path, &roots) {
                continue;
            }
            if kind.is_dir() && !BUILD_PRODUCTS.contains(&name) {
                folders.push(path);
            } else if kind.is_file() && is_document(name) {
                let Ok(metadata) = entry.metadata() else { continue };
                walk.files.push(Found { path, size: metadata.len(), modified: metadata.modified().ok() });
            }
        }
    }
    walk.files.sort_by(|one, other| one.path.cmp(&other.path));
    // A folder inside another of the open ones is walked once.
    walk.files.dedup_by(|one, other| one.path == other.path);
    if walk.files.len() > FILES {
        walk.files.truncate(FILES);
        walk.is_cut = true;
    }
    walk
}

/// By the name: `~$…` is the lock of an office program.
fn is_document(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    !name.starts_with("~$") && (OFFICE.contains(&extension.as_str()) || TEXT.contains(&extension.as_str()))
}
