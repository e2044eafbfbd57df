//! Contents kept so that a revision can come back: one zstd file per content, named by its BLAKE3 hash.
//!
//! A blob is verified each time it is read and before it becomes the only copy of something; a damaged one is set aside, so that the
//! same content can be stored again. Who refers to which blob is the store's business.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::SystemTime,
};

use super::{
    WorkspaceError,
    faults::{Faults, Step},
};

/// Fast on purpose: Office files are compressed already, and a commit waits for this.
const ZSTD_LEVEL: i32 = 1;
/// Far over the limit for documents.
const LARGEST: u64 = 8 << 30;

pub(super) struct Blobs {
    folder: PathBuf,
    faults: Faults,
    /// Flushes that go on after a receipt was given; waited for at the end.
    flushing: Mutex<Vec<JoinHandle<()>>>,
}

/// Names of temporary files differ within a process by this, between processes by the process id.
static NEXT_TEMPORARY: AtomicU64 = AtomicU64::new(0);

/// The name of a content.
pub(super) fn hash_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// One stored content as the folder lists it.
pub(super) struct StoredBlob {
    pub(super) hash: String,
    pub(super) stored_size: u64,
    pub(super) modified: SystemTime,
}

impl StoredBlob {
    fn of(entry: &fs::DirEntry) -> Option<StoredBlob> {
        let name = entry.file_name();
        let hash = name.to_str()?.strip_suffix(".zst")?.to_owned();
        let metadata = entry.metadata().ok()?;
        Some(StoredBlob { hash, stored_size: metadata.len(), modified: metadata.modified().ok()? })
    }
}

impl Blobs {
    pub(super) fn open(folder: PathBuf, faults: Faults) -> Result<Blobs, WorkspaceError> {
        let blobs = Blobs { folder, faults, flushing: Mutex::default() };
        let temporary = blobs.temporary_folder();
        fs::create_dir_all(&temporary).map_err(|source| WorkspaceError::io("create", &temporary, source))?;
        remove_orphans(&temporary);
        Ok(blobs)
    }

    /// Stores a content unless it is there already; it is in the system's hands afterwards, but perhaps not on the disk yet.
    pub(super) fn put(&self, hash: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        let path = self.path(hash);
        if self.renew(&path) {
            return Ok(());
        }
        self.write(&path, bytes).map_err(|source| WorkspaceError::io("store a copy in", &path, source))?;
        Ok(())
    }

    /// Makes sure that a sound copy is on the disk: called before the file itself, until now a copy, is replaced.
    pub(super) fn secure(&self, hash: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        let path = self.path(hash);
        if self.get(hash).ok().as_deref() != Some(bytes) {
            self.write(&path, bytes)
                .map_err(|source| WorkspaceError::io("store a copy in", &path, source))?;
        }
        self.flush(&path).map_err(|source| WorkspaceError::io("flush", &path, source))
    }

    /// Flushes a stored content while nobody waits for it. Until it is done the file itself holds the same content on the disk, and
    /// before that is replaced `secure` waits for the flush.
    pub(super) fn flush_later(&self, hash: &str) {
        let path = self.path(hash);
        let flush = move || {
            let flushed = File::open(&path).and_then(|file| file.sync_all());
            // `secure` flushes it again and tells.
            let _ = flushed.and_then(|()| super::save::sync_folder(&path));
        };
        let Ok(thread) = std::thread::Builder::new().name("stet-flush".into()).spawn(flush) else { return };
        let mut flushing = self.flushing.lock().unwrap_or_else(PoisonError::into_inner);
        flushing.retain(|thread| !thread.is_finished());
        flushing.push(thread);
    }

    /// Reads a content back and verifies it; a damaged one is set aside.
    pub(super) fn get(&self, hash: &str) -> Result<Vec<u8>, String> {
        let path = self.path(hash);
        let packed = fs::read(&path).map_err(|error| error.to_string())?;
        match unpack(&packed) {
            Ok(bytes) if hash_of(&bytes) == hash => Ok(bytes),
            Ok(_) => Err(self.set_aside(&path, "its content does not have the hash in its name")),
            Err(why) => Err(self.set_aside(&path, &why)),
        }
    }

    /// Removes a content that nothing refers to any more.
    pub(super) fn remove(&self, hash: &str) -> io::Result<()> {
        fs::remove_file(self.path(hash))
    }

    /// Every stored content.
    pub(super) fn list(&self) -> Vec<StoredBlob> {
        let folders = fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let files = folders.flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
        files.filter_map(|entry| StoredBlob::of(&entry)).collect()
    }

    /// A content that is there already counts as new again, so that tidying does not take it from under a running commit.
    fn renew(&self, path: &Path) -> bool {
        let renewed =
            OpenOptions::new().append(true).open(path).and_then(|file| file.set_modified(SystemTime::now()));
        renewed.is_ok()
    }

    /// The bytes that a content takes on the disk; `None` when it is not there.
    pub(super) fn stored_size(&self, hash: &str) -> Option<u64> {
        fs::metadata(self.path(hash)).ok().map(|metadata| metadata.len())
    }

    fn path(&self, hash: &str) -> PathBuf {
        self.folder.join(hash.get(..2).unwrap_or("xx")).join(format!("{hash}.zst"))
    }

    fn temporary_folder(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    fn set_aside(&self, path: &Path, why: &str) -> String {
        let aside = path.with_extension("damaged");
        match fs::rename(path, &aside) {
            Ok(()) => why.to_owned(),
            Err(error) => format!("{why}; setting it aside failed: {error}"),
        }
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let number = NEXT_TEMPORARY.fetch_add(1, Ordering::Relaxed);
        let temporary = self.temporary_folder().join(format!("{}-{number}", std::process::id()));
        self.faults.before(Step::CreateBlob, &temporary)?;
        let written = self.write_temporary(&temporary, bytes).and_then(|file| {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            self.faults.before(Step::RenameBlob, path)?;
            fs::rename(&temporary, path)?;
            drop(file);
            Ok(())
        });
        if written.is_err() {
            // The error that led here is the one to tell; an orphan is removed at the next start.
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    /// The lock tells other processes that this file is not an orphan of a crash.
    fn write_temporary(&self, temporary: &Path, bytes: &[u8]) -> io::Result<File> {
        let mut file = File::create(temporary)?;
        file.lock()?;
        self.faults.before(Step::WriteBlob, temporary)?;
        let packed = zstd::bulk::compress(bytes, ZSTD_LEVEL)?;
        file.write_all(&packed)?;
        Ok(file)
    }

    fn flush(&self, path: &Path) -> io::Result<()> {
        self.faults.before(Step::SyncBlob, path)?;
        File::open(path)?.sync_all()?;
        super::save::sync_folder(path)
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        let flushing = self.flushing.get_mut().unwrap_or_else(PoisonError::into_inner);
        for thread in flushing.drain(..) {
            let _ = thread.join();
        }
    }
}

/// The frame says how much it holds, so that it is unpacked in one go; more than a document may have is not believed.
fn unpack(packed: &[u8]) -> Result<Vec<u8>, String> {
    let size = match zstd::zstd_safe::get_frame_content_size(packed) {
        Ok(Some(size)) if size <= LARGEST => usize::try_from(size).map_err(|error| error.to_string())?,
        Ok(_) => return Err("its size is not as it was written".into()),
        Err(_) => return Err("it does not begin as it was written".into()),
    };
    zstd::bulk::decompress(packed, size).map_err(|error| error.to_string())
}

fn remove_orphans(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_orphan = File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if is_orphan {
            // Somebody else may have removed it meanwhile, which is as good.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_blob_is_found_set_aside_and_stored_again() {
        let home = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(home.path().join("blobs"), Faults::default()).unwrap();
        let bytes = b"stands".repeat(100);
        let hash = hash_of(&bytes);
        blobs.put(&hash, &bytes).unwrap();
        assert_eq!(blobs.get(&hash).unwrap(), bytes);

        let path = blobs.path(&hash);
        let mut packed = fs::read(&path).unwrap();
        let middle = packed.len() / 2;
        packed[middle] ^= 0x40;
        fs::write(&path, packed).unwrap();
        assert!(blobs.get(&hash).is_err());
        assert!(!path.exists(), "the damaged blob is out of the way");
        blobs.secure(&hash, &bytes).unwrap();
        assert_eq!(blobs.get(&hash).unwrap(), bytes);
    }

    #[test]
    fn orphans_of_a_crash_go_and_files_in_use_stay() {
        let home = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(home.path().join("blobs"), Faults::default()).unwrap();
        let (orphan, used) = (blobs.temporary_folder().join("1-1"), blobs.temporary_folder().join("1-2"));
        fs::write(&orphan, b"x").unwrap();
        let holder = File::create(&used).unwrap();
        holder.lock().unwrap();
        Blobs::open(home.path().join("blobs"), Faults::default()).unwrap();
        assert!(!orphan.exists() && used.exists());
    }
}
