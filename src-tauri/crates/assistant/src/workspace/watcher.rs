//! Noticing that a file may have changed: events of the file system, and a look at its stamp where there are none.
//!
//! The only code that names notify. It decides nothing about content: after a moment of quiet it calls `look`, which reads the file
//! and compares hashes, so our own writes and mere touching are seen to be no change.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant, SystemTime},
};

use notify::{
    EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
    event::{AccessKind, AccessMode},
};

/// Times of the watcher. A change must be known 300 ms after the last write.
#[derive(Debug, Clone)]
pub struct WatchOptions {
    /// A file is looked at when nothing happened to it for this long.
    pub quiet: Duration,
    /// How often stamps are compared in folders that give no events.
    pub poll: Duration,
    /// How often stamps are compared in folders that do, in case an event was lost.
    pub poll_watched: Duration,
    /// How long a missing file may take to reappear: many programs delete and make anew.
    pub reappear: Duration,
    /// Take no events at all, as on a folder that gives none.
    pub poll_only: bool,
}

impl Default for WatchOptions {
    fn default() -> WatchOptions {
        WatchOptions {
            quiet: Duration::from_millis(80),
            poll: Duration::from_millis(100),
            poll_watched: Duration::from_millis(1_000),
            reappear: Duration::from_millis(150),
            poll_only: false,
        }
    }
}

/// What a look at a file found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Whatever happened is known now.
    Settled,
    /// The file is missing or could not be read; look again in a moment.
    Again,
}

/// Watches files until it is dropped.
pub struct Watcher {
    sender: Sender<Signal>,
    thread: Option<JoinHandle<()>>,
}

enum Signal {
    Watch { file_id: String, path: PathBuf },
    Forget { file_id: String },
    Paths(Vec<PathBuf>),
    Stop,
}

impl Watcher {
    /// Starts the watching thread. `look` is called on it with the id of a file and whether this is the last attempt.
    pub fn start(
        options: WatchOptions,
        look: impl FnMut(&str, bool) -> Look + Send + 'static,
    ) -> std::io::Result<Watcher> {
        let (sender, receiver) = channel();
        let events = if options.poll_only { None } else { event_source(sender.clone()) };
        let watching = Watching {
            options,
            events,
            files: BTreeMap::new(),
            folders: BTreeMap::new(),
            look: Box::new(look),
        };
        let thread =
            thread::Builder::new().name("stet-watcher".into()).spawn(move || watching.run(&receiver))?;
        Ok(Watcher { sender, thread: Some(thread) })
    }

    /// Watches a file from now on.
    pub fn watch(&self, file_id: &str, path: &Path) {
        self.send(Signal::Watch { file_id: file_id.to_owned(), path: path.to_path_buf() });
    }

    /// Watches it no longer.
    pub fn forget(&self, file_id: &str) {
        self.send(Signal::Forget { file_id: file_id.to_owned() });
    }

    fn send(&self, signal: Signal) {
        // The thread ends only when this value is dropped, or by a fault of ours that was reported where it happened.
        let _ = self.sender.send(signal);
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.send(Signal::Stop);
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

fn event_source(sender: Sender<Signal>) -> Option<RecommendedWatcher> {
    notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        // Reading is no change, and our own looks are reads.
        let is_change = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
            EventKind::Access(_) => false,
            _ => true,
        };
        if is_change {
            let _ = sender.send(Signal::Paths(event.paths));
        }
    })
    .ok()
}

/// Reads a file and says whether all is known now; the flag says that it is the last attempt.
type LookAt = Box<dyn FnMut(&str, bool) -> Look + Send>;

struct Watching {
    options: WatchOptions,
    events: Option<RecommendedWatcher>,
    files: BTreeMap<String, WatchedFile>,
    folders: BTreeMap<PathBuf, WatchedFolder>,
    look: LookAt,
}

struct WatchedFile {
    path: PathBuf,
    stamp: Option<Stamp>,
    next_poll: Instant,
    due: Option<Instant>,
    has_failed: bool,
}

struct WatchedFolder {
    gives_events: bool,
    identity: Option<u64>,
    next_check: Instant,
}

impl Watching {
    fn run(mut self, receiver: &Receiver<Signal>) {
        loop {
            let pause = self.next_moment().saturating_duration_since(Instant::now());
            match receiver.recv_timeout(pause) {
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(signal) => self.take(signal),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = Instant::now();
            self.check_folders(now);
            self.poll(now);
            self.look_at_due(now);
        }
    }

    fn take(&mut self, signal: Signal) {
        match signal {
            Signal::Watch { file_id, path } => self.add(file_id, path),
            Signal::Forget { file_id } => self.remove(&file_id),
            Signal::Paths(paths) => self.note(&paths),
            Signal::Stop => {}
        }
    }

    fn add(&mut self, file_id: String, path: PathBuf) {
        let now = Instant::now();
        let file = WatchedFile {
            stamp: stamp(&path),
            next_poll: now + self.options.poll,
            due: Some(now),
            has_failed: false,
            path,
        };
        if let Some(folder) = file.path.parent().map(Path::to_path_buf)
            && !self.folders.contains_key(&folder)
        {
            let gives_events = self.subscribe(&folder);
            let identity = identity(&folder);
            self.folders.insert(
                folder,
                WatchedFolder { gives_events, identity, next_check: now + self.options.poll_watched },
            );
        }
        self.files.insert(file_id, file);
    }

    fn remove(&mut self, file_id: &str) {
        self.files.remove(file_id);
        let used: BTreeSet<&Path> = self.files.values().filter_map(|file| file.path.parent()).collect();
        let unused: Vec<PathBuf> =
            self.folders.keys().filter(|folder| !used.contains(folder.as_path())).cloned().collect();
        for folder in unused {
            if self.folders.remove(&folder).is_some_and(|folder| folder.gives_events)
                && let Some(events) = &mut self.events
            {
                let _ = events.unwatch(&folder);
            }
        }
    }

    fn subscribe(&mut self, folder: &Path) -> bool {
        let Some(events) = &mut self.events else { return false };
        events.watch(folder, RecursiveMode::NonRecursive).is_ok() && !is_network(folder)
    }

    fn note(&mut self, paths: &[PathBuf]) {
        let due = Instant::now() + self.options.quiet;
        for file in self.files.values_mut() {
            let folder = file.path.parent();
            let concerns = |path: &PathBuf| {
                *path == file.path || folder == Some(path) || path.parent() == folder && is_owner_file(path)
            };
            if paths.iter().any(concerns) {
                file.stamp = stamp(&file.path);
                file.due = Some(due);
                file.has_failed = false;
            }
        }
    }

    /// A folder that was removed and made anew has lost its subscription.
    fn check_folders(&mut self, now: Instant) {
        let due: Vec<PathBuf> = self
            .folders
            .iter()
            .filter(|(_, folder)| folder.next_check <= now)
            .map(|(path, _)| path.clone())
            .collect();
        for path in due {
            let current = identity(&path);
            let is_new = self.folders.get(&path).is_some_and(|folder| folder.identity != current);
            let gives_events = if is_new {
                if let Some(events) = &mut self.events {
                    let _ = events.unwatch(&path);
                }
                current.is_some() && self.subscribe(&path)
            } else {
                self.folders.get(&path).is_some_and(|folder| folder.gives_events)
            };
            let next_check = now + self.options.poll_watched;
            self.folders.insert(path, WatchedFolder { gives_events, identity: current, next_check });
        }
    }

    fn poll(&mut self, now: Instant) {
        for file in self.files.values_mut().filter(|file| file.next_poll <= now) {
            let folder = file.path.parent().and_then(|folder| self.folders.get(folder));
            let gives_events = folder.is_some_and(|folder| folder.gives_events);
            file.next_poll = now + if gives_events { self.options.poll_watched } else { self.options.poll };
            let current = stamp(&file.path);
            if current != file.stamp {
                file.stamp = current;
                file.due = Some(now + self.options.quiet);
                file.has_failed = false;
            }
        }
    }

    fn look_at_due(&mut self, now: Instant) {
        let due: Vec<String> = self
            .files
            .iter()
            .filter(|(_, file)| file.due.is_some_and(|due| due <= now))
            .map(|(file_id, _)| file_id.clone())
            .collect();
        for file_id in due {
            let Some(file) = self.files.get_mut(&file_id) else { continue };
            let current = stamp(&file.path);
            if current != file.stamp {
                // Somebody is still writing.
                file.stamp = current;
                file.due = Some(Instant::now() + self.options.quiet);
                continue;
            }
            let is_last = file.has_failed;
            file.due = None;
            let look = (self.look)(&file_id, is_last);
            if let (Look::Again, false) = (look, is_last) {
                file.has_failed = true;
                file.due = Some(Instant::now() + self.options.reappear);
            }
        }
    }

    fn next_moment(&self) -> Instant {
        let files = self.files.values().flat_map(|file| file.due.into_iter().chain([file.next_poll]));
        let folders = self.folders.values().map(|folder| folder.next_check);
        files.chain(folders).min().unwrap_or_else(|| Instant::now() + Duration::from_secs(3_600))
    }
}

/// Office programs come and go with a file beside the document.
fn is_owner_file(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| name.starts_with("~$") || name.starts_with(".~lock."))
}

/// Size, time, inode and the time of the last change of anything, which a program cannot set back as it can the time of the content.
type Stamp = (u64, Option<SystemTime>, u64, (i64, i64));

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok(), inode(&metadata), changed(&metadata)))
}

fn identity(folder: &Path) -> Option<u64> {
    fs::metadata(folder).ok().map(|metadata| inode(&metadata))
}

#[cfg(unix)]
fn inode(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(unix)]
fn changed(metadata: &fs::Metadata) -> (i64, i64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn changed(_metadata: &fs::Metadata) -> (i64, i64) {
    (0, 0)
}

#[cfg(not(unix))]
fn inode(_metadata: &fs::Metadata) -> u64 {
    0
}

/// File systems where other machines write without the kernel here hearing of it (statfs(2), `linux/magic.h`).
#[cfg(target_os = "linux")]
fn is_network(folder: &Path) -> bool {
    const NFS: i64 = 0x6969;
    const SMB: i64 = 0x517B;
    const SMB2: i64 = 0xFE53_4D42;
    const CIFS: i64 = 0xFF53_4D42;
    const FUSE: i64 = 0x6573_5546;
    const PLAN9: i64 = 0x0102_1997;
    const CEPH: i64 = 0x00C3_6400;
    const AFS: i64 = 0x5346_414F;
    rustix::fs::statfs(folder).is_ok_and(|statfs| {
        // The field has another width on other processors.
        #[allow(clippy::useless_conversion)]
        let kind = i64::from(statfs.f_type) & 0xFFFF_FFFF;
        [NFS, SMB, SMB2, CIFS, FUSE, PLAN9, CEPH, AFS].contains(&kind)
    })
}

#[cfg(not(target_os = "linux"))]
fn is_network(folder: &Path) -> bool {
    // A UNC path; mapped drives give events by the redirector.
    cfg!(windows) && folder.to_string_lossy().starts_with(r"\\?\UNC\")
}
