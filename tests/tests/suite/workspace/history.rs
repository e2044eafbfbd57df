//! Snapshots: restore, undo and redo, pins, retention.

use std::time::{Duration, SystemTime};

use assistant::workspace::{Batch, RetentionLimits, clock::rfc3339};

use super::*;

#[test]
fn apply_then_restore_gives_the_old_bytes() {
    let scratch = Scratch::new();
    let path = scratch.path("a.md");
    let original = b"\xEF\xBB\xBFalpha\r\nbeta\nno end".to_vec();
    fs::write(&path, &original).unwrap();
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let receipt = commit(&app, &id, 1, replace("beta", "gamma")).unwrap();
    assert_ne!(fs::read(&path).unwrap(), original);
    let restored = restore(&app, &id, &receipt.snapshot.unwrap(), Some(2)).unwrap();
    assert_eq!((restored.content_rev, fs::read(&path).unwrap()), (3, original));
    undo(&app, &id).unwrap();
    assert!(fs::read(&path).unwrap().windows(5).any(|word| word == b"gamma"), "a restore can be undone");
    assert_eq!(code(restore(&app, &id, "snap-999999", Some(4))), ErrorCode::OutOfRange);
    assert_eq!(code(restore(&app, &id, "nonsense", Some(4))), ErrorCode::OutOfRange);
    check_sound(&scratch, &path);
}

#[test]
fn undo_and_redo_walk_over_restarts() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "0\n");
    let id = open(&scratch.app(), &path).file_id;
    for revision in 1..=3 {
        commit(&scratch.app(), &id, revision, append(&revision.to_string())).unwrap();
    }
    let read = || fs::read_to_string(&path).unwrap().replace('\n', "");
    let states = ["0123", "012", "01", "0"];
    for state in &states[1..] {
        undo(&scratch.app(), &id).unwrap();
        assert_eq!(read(), *state);
    }
    assert_eq!(code(undo(&scratch.app(), &id)), ErrorCode::OutOfRange);
    for state in states[..3].iter().rev() {
        assert!(history(&scratch.app(), &id).can_redo);
        redo(&scratch.app(), &id).unwrap();
        assert_eq!(read(), *state);
    }
    assert_eq!(code(redo(&scratch.app(), &id)), ErrorCode::OutOfRange);

    undo(&scratch.app(), &id).unwrap();
    undo(&scratch.app(), &id).unwrap();
    let app = scratch.app();
    let revision = history(&app, &id).content_rev;
    commit(&app, &id, revision, append("branch")).unwrap();
    assert_eq!(read(), "01branch");
    assert!(!history(&app, &id).can_redo, "after a new change there is nothing to redo");
    undo(&app, &id).unwrap();
    assert_eq!(read(), "01");
    undo(&app, &id).unwrap();
    assert_eq!(read(), "0");
    check_sound(&scratch, &path);
}

#[test]
fn undo_does_not_pass_over_an_outside_change() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "0\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    commit(&app, &id, 1, append("1")).unwrap();
    fs::write(&path, "outside\n").unwrap();
    undo(&app, &id).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "0\n1\n", "the outside change was the last state");
    redo(&app, &id).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "outside\n", "and it is not lost");
}

#[test]
fn two_snapshots_are_compared() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "one\ntwo\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    commit(&app, &id, 1, replace("two", "2")).unwrap();
    let params = params::Compare {
        file_id: id,
        from_snapshot: "snap-000001".into(),
        to_snapshot: "snap-000002".into(),
    };
    let compared = app.history_compare(&params, &Stop::default()).unwrap();
    assert_eq!(compared.changes.len(), 1);
    assert_eq!(
        (compared.changes[0].before.as_deref(), compared.changes[0].after.as_deref()),
        (Some("two"), Some("2"))
    );
    assert_eq!(compared.text_diff.unwrap().hunks, vec![[4, 8, 4, 6]]);
}

fn limits(age_days: u64, per_file: usize, bytes: u64) -> RetentionLimits {
    RetentionLimits { age: Duration::from_secs(age_days * 86_400), per_file, bytes, grace: Duration::ZERO }
}

fn commit_lines(workspace: &Workspace, file_id: &str, revisions: std::ops::RangeInclusive<u64>) {
    for revision in revisions {
        let batch = Batch {
            ops: append(&format!("line {revision}")).as_array().unwrap().clone(),
            ..Batch::default()
        };
        workspace.edit(file_id, Some(revision), &batch, EditMode::Commit, &Stop::default()).unwrap();
    }
}

#[test]
fn retention_by_count_keeps_first_last_pinned_and_one_undo() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "first\n");
    let workspace = scratch.workspace(Faults::default());
    let id = workspace.open_file(&path, &Stop::default()).unwrap().0.file_id;
    commit_lines(&workspace, &id, 1..=9);
    workspace.pin(&id, "snap-000004", true).unwrap();
    let tidied = workspace.tidy(&limits(0, 1, 0), &Stop::default()).unwrap();
    assert_eq!((tidied.snapshots, tidied.contents), (6, 6));
    let kept: Vec<u64> =
        workspace.history(&id, &Stop::default()).unwrap().1.iter().map(|entry| entry.content_rev).collect();
    assert_eq!(kept, [10, 9, 4, 1]);
    workspace.undo(&id, None, &Stop::default()).unwrap();
    assert!(!fs::read_to_string(&path).unwrap().contains("line 9"));
    workspace.restore(&id, "snap-000001", Some(11), &Stop::default()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\n");
    assert_eq!(workspace.history(&id, &Stop::default()).unwrap().0.content_rev, 12, "numbers go on");
}

#[test]
fn retention_by_age_and_size() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "first\n");
    let day = |number: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000 + number * 86_400);
    let today = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let clock_day = Arc::clone(&today);
    let workspace = Workspace::open(WorkspaceOptions {
        home: scratch.home(),
        clock: Arc::new(move || day(clock_day.load(std::sync::atomic::Ordering::SeqCst))),
        author: "Test".into(),
        limits: documents::Limits::default(),
        lock_wait: Duration::from_secs(5),
        faults: Faults::default(),
    })
    .unwrap();
    let id = workspace.open_file(&path, &Stop::default()).unwrap().0.file_id;
    for revision in 1..=9 {
        today.store(revision, std::sync::atomic::Ordering::SeqCst);
        commit_lines(&workspace, &id, revision..=revision);
    }
    let revisions = || -> Vec<u64> {
        workspace.history(&id, &Stop::default()).unwrap().1.iter().map(|entry| entry.content_rev).collect()
    };
    assert_eq!(workspace.history(&id, &Stop::default()).unwrap().1[0].at, rfc3339(day(9)));
    workspace.tidy(&limits(4, 0, 0), &Stop::default()).unwrap();
    assert_eq!(revisions(), [10, 9, 8, 7, 6, 1]);
    let stored = workspace.usage().unwrap().stored_bytes;
    workspace.tidy(&limits(0, 0, stored - 1), &Stop::default()).unwrap();
    assert_eq!(revisions(), [10, 9, 8, 7, 1], "the oldest that may go went");
    workspace.tidy(&limits(0, 0, 1), &Stop::default()).unwrap();
    assert_eq!(revisions(), [10, 9, 1], "a limit that cannot be met takes nothing that is protected");
}

#[test]
fn what_waits_for_the_user_is_not_tidied_away() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "first\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let proposal = stage(&app, &id, 1, append("waiting")).unwrap().proposal_id.unwrap();
    let workspace = scratch.workspace(Faults::default());
    commit_lines(&workspace, &id, 1..=5);
    workspace.tidy(&limits(0, 1, 1), &Stop::default()).unwrap();
    assert_eq!(proposals(&app).len(), 1);
    accept(&app, &proposal, None).unwrap();
    assert!(fs::read_to_string(&path).unwrap().ends_with("line 5\nwaiting\n"));
}

#[test]
fn a_file_that_is_gone_comes_back_from_its_last_snapshot() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "first\n");
    let workspace = scratch.workspace(Faults::default());
    let id = workspace.open_file(&path, &Stop::default()).unwrap().0.file_id;
    commit_lines(&workspace, &id, 1..=4);
    let last = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    workspace.tidy(&limits(0, 1, 1), &Stop::default()).unwrap();
    let (_, entries) = workspace.history(&id, &Stop::default()).unwrap();
    let (_, bytes) = workspace.snapshot_bytes(&id, &entries[0].snapshot_id()).unwrap();
    assert_eq!(bytes, last);
}

/// A file that was deleted comes back under its name, as a revision of its own; what appeared there meanwhile is never replaced.
#[test]
fn a_deleted_file_is_restored() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "first\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    commit(&app, &id, 1, append("second")).unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(code(restore(&app, &id, "snap-000002", Some(1))), ErrorCode::ContentRevConflict);
    assert_eq!(code(restore(&app, &id, "snap-000002", None)), ErrorCode::ContentRevRequired);
    let receipt = restore(&app, &id, "snap-000002", Some(2)).unwrap();
    assert_eq!((receipt.previous_rev, receipt.content_rev), (2, 3));
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\nsecond\n");
    undo(&app, &id).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\n", "undo goes on from where it was");
    check_sound(&scratch, &path);

    // The command line finds the history of a file that is gone by its path.
    fs::remove_file(&path).unwrap();
    let stet = |arguments: &[&str]| {
        let mut command = std::process::Command::new(crate::cli::stet());
        command.args(arguments).env("STET_HOME", scratch.home()).output().unwrap()
    };
    let name = path.to_str().unwrap();
    assert!(stet(&["history", name]).status.success());
    assert!(!stet(&["outline", name]).status.success());
    let restored = stet(&["restore", name, "snap-000001"]);
    assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\n");
    check_sound(&scratch, &path);

    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    assert_eq!(code(restore(&app, &id, "snap-000001", Some(5))), ErrorCode::IoError);
    assert_eq!(history(&app, &id).snapshots.len(), 5);
}
