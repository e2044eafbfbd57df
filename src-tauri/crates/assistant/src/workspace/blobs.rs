//! Contents kept so that a revision can come back: one zstd file per content, named by its BLAKE3 hash.
//!
//! A blob is verified each time it is read and before it becomes the only copy of something; a damaged one is set aside, so that the
//! same content can be stored again. Who refers to which blob is the store's business. What is stored while nobody waits is `later`.

#[path = "blobs/later.rs"]
mod later;

pub(super) use later::Blobs;

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::SystemTime,
};

use super::{
    WorkspaceError,
    faults::{Faults, Step},
    save::of_disk,
};

/// A commit waits for this.
const ZSTD_LEVEL: i32 = 1;
/// For what does not get smaller, as the compressed parts of an Office file: little more than a copy.
const ZSTD_LEVEL_OF_PACKED: i32 = -20;
/// Bytes from the middle that show whether a content gets smaller.
const SAMPLE: usize = 64 << 10;
/// Far over the limit for documents.
const LARGEST: u64 = 8 << 30;

/// The folder of blobs.
pub(super) struct Shelf {
    folder: PathBuf,
    faults: Faults,
    /// Contents that this process wrote or verified, with the marks of their files then.
    sound: Mutex<HashMap<String, Marks>>,
    /// What was found damaged, in sentences.
    damage: Mutex<Vec<String>>,
    /// Contents on their way to the folder.
    coming: Mutex<HashMap<String, Arc<[u8]>>>,
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

impl Shelf {
    fn open(folder: PathBuf, faults: Faults) -> Result<Shelf, WorkspaceError> {
        let shelf = Shelf {
            folder,
            faults,
            sound: Mutex::default(),
            damage: Mutex::default(),
            coming: Mutex::default(),
        };
        let temporary = shelf.temporary_folder();
        fs::create_dir_all(&temporary).map_err(|source| WorkspaceError::io("create", &temporary, source))?;
        remove_orphans(&temporary);
        Ok(shelf)
    }

    /// Stores a content unless it is there already; it is in the system's hands afterwards, but perhaps not on the disk yet.
    pub(super) fn put(&self, hash: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        let path = self.path(hash);
        let is_sound = self.is_known_sound(hash, &path);
        if self.renew(&path) {
            if is_sound {
                self.know_sound(hash, &path);
            }
            return Ok(());
        }
        self.write(&path, bytes).map_err(|source| of_disk("store a copy in", &path, source))?;
        self.know_sound(hash, &path);
        Ok(())
    }

    /// Makes sure that a sound copy is on the disk.
    fn put_and_flush(&self, hash: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        let path = self.path(hash);
        if !self.is_known_sound(hash, &path) && self.read(hash).ok().as_deref() != Some(bytes) {
            self.write(&path, bytes).map_err(|source| of_disk("store a copy in", &path, source))?;
            self.know_sound(hash, &path);
        }
        self.flush(&path).map_err(|source| of_disk("flush", &path, source))
    }

    /// Reads a content back and verifies it; a damaged one is set aside.
    pub(super) fn get(&self, hash: &str) -> Result<Vec<u8>, String> {
        match self.on_its_way(hash) {
            Some(bytes) => Ok(bytes.to_vec()),
            None => self.read(hash),
        }
    }

    fn on_its_way(&self, hash: &str) -> Option<Arc<[u8]>> {
        self.coming.lock().unwrap_or_else(PoisonError::into_inner).get(hash).cloned()
    }

    fn read(&self, hash: &str) -> Result<Vec<u8>, String> {
        let path = self.path(hash);
        let packed = fs::read(&path).map_err(|error| error.to_string())?;
        match unpack(&packed) {
            Ok(bytes) if hash_of(&bytes) == hash => {
                self.know_sound(hash, &path);
                Ok(bytes)
            }
            Ok(_) => Err(self.set_aside(&path, "its content does not have the hash in its name")),
            Err(why) => Err(self.set_aside(&path, &why)),
        }
    }

    /// Removes a content that nothing refers to, unless somebody stored it again since `limit`. Out of the way first, then looked at
    /// once more: whoever stores the same content now either renewed it before, which shows, or does not find it and writes it anew.
    pub(super) fn remove_unless_newer(&self, hash: &str, limit: SystemTime) -> io::Result<bool> {
        let (path, doomed) = (self.path(hash), self.path(hash).with_extension("doomed"));
        fs::rename(&path, &doomed)?;
        if fs::metadata(&doomed)?.modified()? > limit {
            fs::rename(&doomed, &path)?;
            return Ok(false);
        }
        fs::remove_file(&doomed)?;
        Ok(true)
    }

    /// What was found damaged since the start.
    pub(super) fn damage(&self) -> Vec<String> {
        self.damage.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
        // If tidying took it away meanwhile, it must be written again.
        renewed.is_ok() && path.exists()
    }

    /// Whether this process has seen the content sound, and nobody wrote to its file since.
    fn is_known_sound(&self, hash: &str, path: &Path) -> bool {
        let now = Marks::of(path);
        let sound = self.sound.lock().unwrap_or_else(PoisonError::into_inner);
        now.is_some() && sound.get(hash) == now.as_ref()
    }

    fn know_sound(&self, hash: &str, path: &Path) {
        if let Some(marks) = Marks::of(path) {
            self.sound.lock().unwrap_or_else(PoisonError::into_inner).insert(hash.to_owned(), marks);
        }
    }

    /// The bytes that a content takes on the disk, or may take soon; `None` when it is not there.
    pub(super) fn stored_size(&self, hash: &str) -> Option<u64> {
        let stored = || fs::metadata(self.path(hash)).ok().map(|metadata| metadata.len());
        self.on_its_way(hash).map(|bytes| bytes.len() as u64).or_else(stored)
    }

    fn path(&self, hash: &str) -> PathBuf {
        self.folder.join(hash.get(..2).unwrap_or("xx")).join(format!("{hash}.zst"))
    }

    fn temporary_folder(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    fn set_aside(&self, path: &Path, why: &str) -> String {
        let aside = path.with_extension("damaged");
        let what = match fs::rename(path, &aside) {
            Ok(()) => why.to_owned(),
            Err(error) => format!("{why}; setting it aside failed: {error}"),
        };
        let sentence = format!(
            "A stored copy in Stet's history was damaged ({what}). It was put aside as {}.",
            aside.display()
        );
        self.damage.lock().unwrap_or_else(PoisonError::into_inner).push(sentence);
        what
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
        let packed = zstd::bulk::compress(bytes, level_for(bytes)?)?;
        file.write_all(&packed)?;
        Ok(file)
    }

    fn flush(&self, path: &Path) -> io::Result<()> {
        self.faults.before(Step::SyncBlob, path)?;
        sync_file(path)?;
        super::save::sync_folder(path)
    }
}

/// Windows flushes only what is open for writing.
fn sync_file(path: &Path) -> io::Result<()> {
    OpenOptions::new().append(true).open(path)?.sync_all()
}

/// What changes when a file is written to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Marks {
    size: u64,
    modified: SystemTime,
    created: Option<SystemTime>,
}

impl Marks {
    fn of(path: &Path) -> Option<Marks> {
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let (modified, created) = (metadata.modified().ok()?, metadata.created().ok());
        Some(Marks { size: metadata.len(), modified, created })
    }
}

fn level_for(bytes: &[u8]) -> io::Result<i32> {
    let Some(sample) = bytes.get(bytes.len() / 2..).and_then(|rest| rest.get(..SAMPLE)) else {
        return Ok(ZSTD_LEVEL);
    };
    let packed = zstd::bulk::compress(sample, ZSTD_LEVEL)?;
    Ok(if packed.len() > SAMPLE / 100 * 97 { ZSTD_LEVEL_OF_PACKED } else { ZSTD_LEVEL })
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
    fn a_copy_that_was_seen_sound_and_written_to_since_is_verified_again() {
        let home = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(home.path().join("blobs"), Faults::default()).unwrap();
        let bytes = b"stands".repeat(100);
        let hash = hash_of(&bytes);
        blobs.put(&hash, &bytes).unwrap();
        blobs.put(&hash, &bytes).unwrap();
        let path = blobs.path(&hash);
        assert!(blobs.is_known_sound(&hash, &path), "also after it was renewed");
        let mut packed = fs::read(&path).unwrap();
        let middle = packed.len() / 2;
        packed[middle] ^= 0x40;
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(&path, packed).unwrap();
        assert!(!blobs.is_known_sound(&hash, &path));
        blobs.secure(&hash, &bytes).unwrap();
        assert_eq!(blobs.get(&hash).unwrap(), bytes);
    }

    #[test]
    fn what_does_not_get_smaller_is_hardly_packed() {
        let words = b"words that come again and again ".repeat(10_000);
        let mut noise = Vec::new();
        let mut hasher = blake3::Hasher::new().finalize_xof();
        noise.resize(400_000, 0);
        hasher.fill(&mut noise);
        assert_eq!(level_for(&words).unwrap(), ZSTD_LEVEL);
        assert_eq!(level_for(&noise).unwrap(), ZSTD_LEVEL_OF_PACKED);
        assert_eq!(level_for(b"short").unwrap(), ZSTD_LEVEL);
        for bytes in [words, noise] {
            let packed = zstd::bulk::compress(&bytes, level_for(&bytes).unwrap()).unwrap();
            assert_eq!(unpack(&packed).unwrap(), bytes);
        }
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
