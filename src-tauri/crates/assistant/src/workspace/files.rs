//! The files a workspace knows: opening, looking at the disk, noticing what other programs did.
//!
//! Nothing is believed about a file but what was just read: its bytes are hashed and compared with the store's current revision.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use documents::Format;

use super::{
    Stop, Workspace, WorkspaceError,
    blobs::hash_of,
    faults::Step,
    history::{HistoryEntry, Origin},
    identity,
    locks::{FileLock, Owner},
    store::FileRow,
};

/// Read at once before the next question whether to go on.
const PIECE: u64 = 8 << 20;

/// A file of this Stet home, at the revision that was last seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    pub file_id: String,
    pub path: PathBuf,
    pub content_rev: u64,
    pub size: u64,
    pub is_open: bool,
    pub(super) hash: String,
}

impl KnownFile {
    /// The engine for this file.
    pub fn format(&self) -> Format {
        Format::of_name(&self.name())
    }

    /// The file's name without its folder.
    pub fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    pub(super) fn of_row(row: FileRow) -> KnownFile {
        KnownFile {
            file_id: row.id,
            path: PathBuf::from(row.path),
            content_rev: row.content_rev,
            size: row.size,
            is_open: row.is_open,
            hash: row.hash,
        }
    }
}

/// How a file stands on the disk right now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    Ok,
    /// Its content is not that of the current revision (yet).
    ChangedOutside,
    Missing,
    ReadOnly,
    /// Another program has it open.
    Locked(Owner),
}

/// What the file system says about a file; if nothing of it changed, neither did the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    size: u64,
    modified: Option<SystemTime>,
    identity: (u64, u64),
    changed: (i64, i64),
}

/// A file's bytes as just read.
#[derive(Debug, Clone)]
pub struct Content {
    pub bytes: Vec<u8>,
    pub(super) hash: String,
    pub(super) stamp: Stamp,
    /// The last change was long enough before the reading that a later one must show in the stamp.
    pub(super) was_settled: bool,
}

impl Workspace {
    /// Makes a file known and open, and returns it at its current revision.
    pub fn open_file(&self, path: &Path, stop: &Stop) -> Result<(KnownFile, Content), WorkspaceError> {
        let (file, content) = self.register(path, stop)?;
        let now = self.now();
        if !file.is_open {
            self.store().set_open(&file.file_id, true, &now)?;
        }
        Ok((KnownFile { is_open: true, ..file }, content))
    }

    /// Makes a file known without opening it.
    pub fn register(&self, path: &Path, stop: &Stop) -> Result<(KnownFile, Content), WorkspaceError> {
        let canonical = identity::canonical(path)?;
        let name = identity::storable(&canonical)?.to_owned();
        let known = self.store().file_by_path(&name)?;
        if let Some(row) = known {
            return self.current(&KnownFile::of_row(row), stop);
        }
        let content = self.read(&canonical, stop)?;
        self.blobs.put(&content.hash, &content.bytes)?;
        let entry = HistoryEntry {
            number: 0,
            file_id: String::new(),
            content_rev: 1,
            hash: content.hash.clone(),
            size: content.bytes.len() as u64,
            origin: Origin::Opened,
            summary: "As found on first open".into(),
            ops: None,
            model: None,
            at: self.now(),
            pinned: false,
            node: 1,
            parent: None,
            redo: Vec::new(),
        };
        let added = self.store().add_file(&name, &entry, identity::id_candidates(&name))?;
        match added {
            Some(row) => Ok((KnownFile::of_row(row), content)),
            None => self.register(path, stop),
        }
    }

    /// The file that was known at a path where nothing is now.
    pub fn known_at(&self, path: &Path) -> Result<Option<KnownFile>, WorkspaceError> {
        let Ok(canonical) = identity::canonical_new(path) else { return Ok(None) };
        Ok(self.store().file_by_path(identity::storable(&canonical)?)?.map(KnownFile::of_row))
    }

    /// The open files, in the order in which they were opened.
    pub fn open_files(&self) -> Result<Vec<KnownFile>, WorkspaceError> {
        Ok(self.store().open_files()?.into_iter().map(KnownFile::of_row).collect())
    }

    /// Takes a file from the list; its revisions and snapshots stay.
    pub fn close_file(&self, file_id: &str) -> Result<(), WorkspaceError> {
        self.known(file_id)?;
        let now = self.now();
        self.store().set_open(file_id, false, &now)
    }

    /// Tells where a renamed or moved file is now. Its id, revisions and snapshots go with it.
    pub fn relink(&self, file_id: &str, path: &Path, stop: &Stop) -> Result<KnownFile, WorkspaceError> {
        let file = self.known(file_id)?;
        let canonical = identity::canonical(path)?;
        let name = identity::storable(&canonical)?;
        if Format::of_name(name) != file.format() {
            let why = format!("is not a {} document like {}", file.format().as_str(), file.name());
            return Err(WorkspaceError::NotAllowed { path: canonical, why });
        }
        let taken = self.store().file_by_path(name)?;
        if let Some(row) = taken
            && row.id != file_id
        {
            let why = format!("is known already as {}", row.id);
            return Err(WorkspaceError::NotAllowed { path: canonical, why });
        }
        self.store().set_path(file_id, name)?;
        Ok(self.current(&self.known(file_id)?, stop)?.0)
    }

    /// The file with this id, as the store has it.
    pub fn known(&self, file_id: &str) -> Result<KnownFile, WorkspaceError> {
        let row = self.store().file(file_id)?;
        row.map(KnownFile::of_row).ok_or_else(|| WorkspaceError::NotOpen(file_id.to_owned()))
    }

    /// Reads the file and, when another program changed it, makes that the next revision.
    pub fn current(&self, file: &KnownFile, stop: &Stop) -> Result<(KnownFile, Content), WorkspaceError> {
        let content = self.read(&file.path, stop)?;
        let row = self.known(&file.file_id)?;
        if row.hash == content.hash {
            self.keep(&content);
            return Ok((row, content));
        }
        let lock = FileLock::take(self, &file.file_id, stop)?;
        self.current_locked(&lock, stop)
    }

    /// The same under the lock, when nothing of ours is on its way.
    pub(super) fn current_locked(
        &self,
        lock: &FileLock,
        stop: &Stop,
    ) -> Result<(KnownFile, Content), WorkspaceError> {
        self.recover(lock)?;
        let row = self.known(lock.file_id())?;
        let content = self.read(&row.path, stop)?;
        if row.hash == content.hash {
            self.keep(&content);
            return Ok((row, content));
        }
        let row = self.note_external(&row, &content)?;
        Ok((row, content))
    }

    /// A crash right after a commit may have left the file as the only copy of its content. If it cannot be stored now, that is told
    /// when something depends on it.
    fn keep(&self, content: &Content) {
        if self.blobs.stored_size(&content.hash).is_none() {
            let _ = self.blobs.put(&content.hash, &content.bytes);
        }
    }

    /// The same when the content was read before the lock: it is read again only if it may have changed since. Returns what was read
    /// again, if anything.
    pub(super) fn current_again(
        &self,
        lock: &FileLock,
        seen: &Content,
        stop: &Stop,
    ) -> Result<(KnownFile, Option<Content>), WorkspaceError> {
        self.recover(lock)?;
        let row = self.known(lock.file_id())?;
        if seen.was_settled && row.hash == seen.hash && self.stamp(&row.path)? == seen.stamp {
            return Ok((row, None));
        }
        let (file, content) = self.current_locked(lock, stop)?;
        Ok((file, Some(content)))
    }

    fn note_external(&self, file: &KnownFile, content: &Content) -> Result<KnownFile, WorkspaceError> {
        self.blobs.put(&content.hash, &content.bytes)?;
        let previous = self.store().entry(&file.file_id, file.content_rev)?;
        let content_rev = file.content_rev + 1;
        let entry = HistoryEntry {
            number: 0,
            file_id: file.file_id.clone(),
            content_rev,
            hash: content.hash.clone(),
            size: content.bytes.len() as u64,
            origin: Origin::External,
            summary: "Changed by another program".into(),
            ops: None,
            model: None,
            at: self.now(),
            pinned: false,
            node: content_rev,
            parent: previous.map(|entry| entry.node),
            redo: Vec::new(),
        };
        self.store().advance(&entry)?;
        self.known(&file.file_id)
    }

    /// How the file stands on the disk; reads no content unless size or time differ from the store's.
    pub fn state(&self, file: &KnownFile) -> FileState {
        let Ok(metadata) = fs::metadata(&file.path) else { return FileState::Missing };
        if !metadata.is_file() {
            return FileState::Missing;
        }
        if let Some(owner) = Owner::of(&file.path) {
            return FileState::Locked(owner);
        }
        if super::save::is_read_only(&file.path) {
            return FileState::ReadOnly;
        }
        if metadata.len() != file.size {
            return FileState::ChangedOutside;
        }
        FileState::Ok
    }

    /// Where a file that is missing seems to be: under another name in its folder, with the content of its current revision.
    pub fn moved_to(&self, file: &KnownFile) -> Option<String> {
        /// A folder of pictures must not be read through for this.
        const CANDIDATES: usize = 16;
        let entries = fs::read_dir(file.path.parent()?).ok()?.flatten();
        let is_same_size = |entry: &fs::DirEntry| {
            let metadata = entry.metadata().ok();
            metadata.is_some_and(|metadata| metadata.is_file() && metadata.len() == file.size)
        };
        let paths = entries.filter(is_same_size).map(|entry| entry.path());
        let mut candidates =
            paths.filter(|path| Format::of_name(&path.to_string_lossy()) == file.format()).take(CANDIDATES);
        let found = candidates.find(|path| fs::read(path).is_ok_and(|bytes| hash_of(&bytes) == file.hash))?;
        Some(identity::canonical(&found).ok()?.to_string_lossy().into_owned())
    }

    /// Reads a whole file that holds still: its stamp is the same before and after.
    pub(super) fn read(&self, path: &Path, stop: &Stop) -> Result<Content, WorkspaceError> {
        const ATTEMPTS: usize = 20;
        for attempt in 1.. {
            stop.check()?;
            let started = SystemTime::now();
            let before = self.stamp(path)?;
            let bytes = self.read_once(path, before.size, stop)?;
            let after = self.stamp(path)?;
            if before == after && bytes.len() as u64 == after.size || attempt == ATTEMPTS {
                let hash = hash_of(&bytes);
                let was_settled = after.is_settled(started);
                return Ok(Content { bytes, hash, stamp: after, was_settled });
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(WorkspaceError::Timeout)
    }

    fn read_once(&self, path: &Path, size: u64, stop: &Stop) -> Result<Vec<u8>, WorkspaceError> {
        let failed = |source| WorkspaceError::io("read", path, source);
        self.options.faults.before(Step::ReadTarget, path).map_err(failed)?;
        let limit = self.options.limits.file_bytes;
        let too_large = |size| WorkspaceError::TooLarge { path: path.to_path_buf(), size, limit };
        if size > limit {
            return Err(too_large(size));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        let mut file = fs::File::open(path).map_err(failed)?;
        // In pieces, so that a slow drive can be cancelled.
        while file.by_ref().take(PIECE).read_to_end(&mut bytes).map_err(failed)? > 0 {
            stop.check()?;
            if bytes.len() as u64 > limit {
                return Err(too_large(bytes.len() as u64));
            }
        }
        Ok(bytes)
    }

    /// The bytes of a known file, named by its id or its path, that another is compared with. A path that Stet was never given cannot be
    /// read this way.
    pub fn read_known(&self, id_or_path: &str, stop: &Stop) -> Result<Vec<u8>, WorkspaceError> {
        let by_id = self.store().file(id_or_path)?;
        let row = match by_id {
            Some(row) => Some(row),
            None => {
                let canonical = identity::canonical(Path::new(id_or_path))?;
                self.store().file_by_path(identity::storable(&canonical)?)?
            }
        };
        let file =
            row.map(KnownFile::of_row).ok_or_else(|| WorkspaceError::NotOpen(id_or_path.to_owned()))?;
        Ok(self.current(&file, stop)?.1.bytes)
    }

    pub(super) fn stamp(&self, path: &Path) -> Result<Stamp, WorkspaceError> {
        let metadata = fs::metadata(path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => WorkspaceError::Missing(path.to_path_buf()),
            _ => WorkspaceError::io("look at", path, source),
        })?;
        if metadata.is_dir() {
            return Err(WorkspaceError::IsFolder(path.to_path_buf()));
        }
        if !metadata.is_file() {
            let why = "is not an ordinary file".to_owned();
            return Err(WorkspaceError::NotAllowed { path: path.to_path_buf(), why });
        }
        Ok(stamp_of(&metadata))
    }
}

impl Stamp {
    /// Whether the file's last change was so long before `moment` that one after it has another time. Linux counts file times in ticks
    /// of up to 10 ms; where only the modification time is known, which anybody may set, nothing is settled.
    fn is_settled(&self, moment: SystemTime) -> bool {
        const TICKS: Duration = Duration::from_millis(100);
        let (Ok(seconds), Ok(nanoseconds)) = (u64::try_from(self.changed.0), u32::try_from(self.changed.1))
        else {
            return false;
        };
        let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
        cfg!(unix) && moment.duration_since(changed).is_ok_and(|age| age > TICKS)
    }
}

#[cfg(unix)]
fn stamp_of(metadata: &fs::Metadata) -> Stamp {
    use std::os::unix::fs::MetadataExt;
    Stamp {
        size: metadata.len(),
        modified: metadata.modified().ok(),
        identity: (metadata.dev(), metadata.ino()),
        changed: (metadata.ctime(), metadata.ctime_nsec()),
    }
}

#[cfg(not(unix))]
fn stamp_of(metadata: &fs::Metadata) -> Stamp {
    Stamp { size: metadata.len(), modified: metadata.modified().ok(), identity: (0, 0), changed: (0, 0) }
}
