//! Retention: whatever was done before and whatever the limits are, nothing goes that is the only way back to something a user has.

use std::time::Duration;

use assistant::workspace::{Batch, RetentionLimits};
use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Deed {
    Edit { file: usize, word: u8 },
    Same { file: usize },
    External { file: usize, word: u8 },
    Stage { file: usize, word: u8 },
    Undo { file: usize },
    Restore { file: usize, pick: usize },
    Pin { file: usize, pick: usize },
    Tidy { days: u64, per_file: usize, bytes: u64 },
}

fn deed() -> impl Strategy<Value = Deed> {
    let file = 0_usize..2;
    prop_oneof![
        4 => (file.clone(), any::<u8>()).prop_map(|(file, word)| Deed::Edit { file, word }),
        1 => file.clone().prop_map(|file| Deed::Same { file }),
        1 => (file.clone(), any::<u8>()).prop_map(|(file, word)| Deed::External { file, word }),
        1 => (file.clone(), any::<u8>()).prop_map(|(file, word)| Deed::Stage { file, word }),
        1 => file.clone().prop_map(|file| Deed::Undo { file }),
        1 => (file.clone(), 0_usize..16).prop_map(|(file, pick)| Deed::Restore { file, pick }),
        1 => (file, 0_usize..16).prop_map(|(file, pick)| Deed::Pin { file, pick }),
        2 => (0_u64..4, 0_usize..4, prop_oneof![Just(0_u64), 1_u64..400])
            .prop_map(|(days, per_file, bytes)| Deed::Tidy { days, per_file, bytes }),
    ]
}

struct Shelf {
    scratch: Scratch,
    workspace: Workspace,
    paths: Vec<PathBuf>,
    ids: Vec<String>,
    pinned: Vec<(usize, String, Vec<u8>)>,
    day: Arc<std::sync::atomic::AtomicU64>,
}

impl Shelf {
    fn new() -> Shelf {
        let scratch = Scratch::new();
        let paths = vec![scratch.write("a.md", "same\n"), scratch.write("b.md", "same\n")];
        let day = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let today = Arc::clone(&day);
        let start = std::time::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let workspace = Workspace::open(WorkspaceOptions {
            home: scratch.home(),
            clock: Arc::new(move || {
                start + Duration::from_secs(today.load(std::sync::atomic::Ordering::SeqCst) * 43_200)
            }),
            author: "Test".into(),
            limits: documents::Limits::default(),
            lock_wait: Duration::from_secs(5),
            faults: Faults::default(),
        })
        .unwrap();
        let open = |path: &PathBuf| workspace.open_file(path, &Stop::default()).unwrap().0.file_id;
        let ids = paths.iter().map(open).collect();
        Shelf { scratch, workspace, paths, ids, pinned: Vec::new(), day }
    }

    fn revision(&self, file: usize) -> u64 {
        self.workspace.history(&self.ids[file], &Stop::default()).unwrap().0.content_rev
    }

    fn revisions(&self, id: &str) -> Vec<u64> {
        let entries = self.workspace.history(id, &Stop::default()).unwrap().1;
        entries.iter().map(|entry| entry.content_rev).collect()
    }

    fn snapshot(&self, file: usize, pick: usize) -> String {
        let entries = self.workspace.history(&self.ids[file], &Stop::default()).unwrap().1;
        entries[pick % entries.len()].snapshot_id()
    }

    fn edit(&self, file: usize, mode: EditMode, word: u8) {
        let ops = append(&format!("word {word}")).as_array().unwrap().clone();
        let batch = Batch { ops, ..Batch::default() };
        self.workspace
            .edit(&self.ids[file], Some(self.revision(file)), &batch, mode, &Stop::default())
            .unwrap();
    }

    fn take(&mut self, deed: &Deed) {
        self.day.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let stop = Stop::default();
        match *deed {
            Deed::Edit { file, word } => self.edit(file, EditMode::Commit, word),
            Deed::Stage { file, word } => self.edit(file, EditMode::Stage, word),
            Deed::Same { file } => {
                let other = fs::read(&self.paths[1 - file]).unwrap();
                fs::write(&self.paths[file], other).unwrap();
            }
            Deed::External { file, word } => {
                fs::write(&self.paths[file], format!("outside {word}\n")).unwrap()
            }
            Deed::Undo { file } => {
                let _ = self.workspace.undo(&self.ids[file], None, &stop);
            }
            Deed::Restore { file, pick } => {
                let (revision, snapshot) = (self.revision(file), self.snapshot(file, pick));
                self.workspace.restore(&self.ids[file], &snapshot, Some(revision), &stop).unwrap();
            }
            Deed::Pin { file, pick } => {
                let snapshot = self.snapshot(file, pick);
                self.workspace.pin(&self.ids[file], &snapshot, true).unwrap();
                let bytes = self.workspace.snapshot_bytes(&self.ids[file], &snapshot).unwrap().1;
                self.pinned.push((file, snapshot, bytes));
            }
            Deed::Tidy { days, per_file, bytes } => self.tidy(days, per_file, bytes),
        }
    }

    fn tidy(&self, days: u64, per_file: usize, bytes: u64) {
        // What is not noticed yet is the file's own business; its content is on the disk.
        let now: Vec<Vec<u8>> = self.paths.iter().map(|path| fs::read(path).unwrap()).collect();
        let revisions = [self.revision(0), self.revision(1)];
        let grace = Duration::ZERO;
        let limits = RetentionLimits { age: Duration::from_secs(days * 86_400), per_file, bytes, grace };
        let had: Vec<Vec<u64>> = self.ids.iter().map(|id| self.revisions(id)).collect();
        let before = self.workspace.usage().unwrap();
        let tidied = self.workspace.tidy(&limits, &Stop::default()).unwrap();
        let after = self.workspace.usage().unwrap();
        assert_eq!(before.snapshots - after.snapshots, tidied.snapshots as u64);
        for file in 0..2 {
            let stop = Stop::default();
            let (known, entries) = self.workspace.history(&self.ids[file], &stop).unwrap();
            assert_eq!(known.content_rev, revisions[file], "numbers stay");
            assert_eq!(entries.last().unwrap().content_rev, 1, "the state of the first open stays");
            let read = |entry: &assistant::workspace::HistoryEntry| {
                self.workspace.snapshot_bytes(&self.ids[file], &entry.snapshot_id()).unwrap().1
            };
            for entry in &entries {
                assert_eq!(read(entry).len() as u64, entry.size, "what is listed can be had");
            }
            assert_eq!(read(&entries[0]), now[file], "the present state has a copy");
            let state = entries.iter().find(|entry| entry.content_rev == entries[0].node).unwrap();
            // An undo may lead back to a state whose own predecessor went earlier, while it was two steps away.
            if let Some(parent) = state.parent.filter(|parent| had[file].contains(parent)) {
                assert!(entries.iter().any(|entry| entry.content_rev == parent), "one undo is possible");
            }
        }
        for (file, snapshot, bytes) in &self.pinned {
            assert_eq!(&self.workspace.snapshot_bytes(&self.ids[*file], snapshot).unwrap().1, bytes);
        }
        for proposal in self.workspace.proposals(None).unwrap() {
            self.workspace.proposal_bytes(&proposal).unwrap();
            self.workspace.proposal_base(&proposal).unwrap();
        }
        assert!(self.workspace.notices().is_empty(), "{:?}", self.workspace.notices());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: rounds(16, 300) as u32,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_goes_that_is_the_only_copy(deeds in proptest::collection::vec(deed(), 1..24)) {
        let mut shelf = Shelf::new();
        for deed in &deeds {
            shelf.take(deed);
        }
        shelf.tidy(0, 1, 1);
        for proposal in shelf.workspace.proposals(None).unwrap() {
            let _ = shelf.workspace.accept(&proposal.id(), None, &Stop::default());
        }
        drop(shelf.workspace);
        for path in &shelf.paths {
            check_sound(&shelf.scratch, path);
        }
    }
}

#[test]
fn usage_counts_each_content_once() {
    let scratch = Scratch::new();
    let workspace = scratch.workspace(Faults::default());
    let text = "the same words\n".repeat(1_000);
    for name in ["a.md", "b.md", "c.md"] {
        workspace.open_file(&scratch.write(name, &text), &Stop::default()).unwrap();
    }
    let usage = workspace.usage().unwrap();
    assert_eq!((usage.files, usage.snapshots), (3, 3));
    let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
    let blob = scratch.home().join("blobs").join(&hash[..2]).join(format!("{hash}.zst"));
    assert_eq!(usage.stored_bytes, fs::metadata(blob).unwrap().len());
    assert!(usage.stored_bytes < text.len() as u64 / 10, "packed");
}

/// A pin can be taken off again, and then the snapshot goes like any other.
#[test]
fn a_pin_taken_off_lets_the_snapshot_go() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "first\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    for revision in 1..=5 {
        commit(&app, &id, revision, append(&revision.to_string())).unwrap();
    }
    let pin = |pinned| {
        let params = params::Pin { file_id: id.clone(), snapshot: "snap-000003".into(), pinned };
        app.history_pin(&params).unwrap();
    };
    let limits = RetentionLimits { age: Duration::ZERO, per_file: 1, bytes: 0, grace: Duration::ZERO };
    let kept =
        || history(&app, &id).snapshots.iter().map(|snapshot| snapshot.content_rev).collect::<Vec<_>>();
    pin(true);
    let workspace = scratch.workspace(Faults::default());
    workspace.tidy(&limits, &Stop::default()).unwrap();
    assert_eq!(kept(), [6, 5, 3, 1]);
    assert!(history(&app, &id).snapshots[2].pinned);
    pin(false);
    workspace.tidy(&limits, &Stop::default()).unwrap();
    assert_eq!(kept(), [6, 5, 1]);
}

/// What was stored again while tidying went on is not taken away: the file's time tells.
#[test]
fn what_was_stored_again_meanwhile_stays() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "first\n");
    let workspace = scratch.workspace(Faults::default());
    let id = workspace.open_file(&path, &Stop::default()).unwrap().0.file_id;
    for (revision, text) in [(1, "second\n"), (2, "third\n"), (3, "fourth\n"), (4, "fifth\n")] {
        workspace.commit_bytes(&id, revision, text.as_bytes(), "test", &Stop::default()).unwrap();
    }
    let limits =
        RetentionLimits { age: Duration::ZERO, per_file: 1, bytes: 0, grace: Duration::from_secs(60) };
    let tidied = workspace.tidy(&limits, &Stop::default()).unwrap();
    assert_eq!((tidied.snapshots, tidied.contents), (2, 0), "their contents are young");
    // An hour later one of them is written again, by whoever.
    let blob = |text: &str| {
        let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        scratch.home().join("blobs").join(&hash[..2]).join(format!("{hash}.zst"))
    };
    let hour_ago = std::time::SystemTime::now() - Duration::from_secs(3_600);
    for text in ["second\n", "third\n"] {
        fs::File::options().append(true).open(blob(text)).unwrap().set_modified(hour_ago).unwrap();
    }
    workspace.commit_bytes(&id, 5, b"third\n", "test", &Stop::default()).unwrap();
    let tidied = workspace.tidy(&limits, &Stop::default()).unwrap();
    assert_eq!(tidied.contents, 1);
    assert!(!blob("second\n").exists() && blob("third\n").exists());
}
