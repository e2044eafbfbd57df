//! Cancelling and time limits: at every step of every long task. After either nothing was written and no temporary file is left.

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};

use assistant::workspace::{
    Batch, RetentionLimits, WorkspaceError,
    faults::{STEPS, Step},
};

use super::*;

type Task = fn(&Workspace, &str, &Path, &Stop) -> Result<(), WorkspaceError>;

/// Everything that reads or writes a file, on one with two revisions and a proposal.
const TASKS: [(&str, Task); 8] = [
    ("commit", |workspace, id, _, stop| {
        let batch = Batch { ops: append("new").as_array().unwrap().clone(), ..Batch::default() };
        workspace.edit(id, Some(2), &batch, EditMode::Commit, stop).map(drop)
    }),
    ("stage", |workspace, id, _, stop| {
        let batch = Batch { ops: append("more").as_array().unwrap().clone(), ..Batch::default() };
        workspace.edit(id, Some(2), &batch, EditMode::Stage, stop).map(drop)
    }),
    ("accept", |workspace, _, _, stop| workspace.accept("prop-000001", None, stop).map(drop)),
    ("restore", |workspace, id, _, stop| workspace.restore(id, "snap-000001", Some(2), stop).map(drop)),
    ("undo", |workspace, id, _, stop| workspace.undo(id, Some(2), stop).map(drop)),
    ("create", |workspace, _, path, stop| {
        let source = documents::create::Source { text: Some("made\n".into()), rows: None };
        workspace.create(&path.with_file_name("made.md"), &source, stop).map(drop)
    }),
    ("verify", |workspace, id, _, stop| workspace.verify(id, None, stop).map(drop)),
    ("tidy", |workspace, _, _, stop| {
        let limits = RetentionLimits { age: Duration::ZERO, per_file: 1, bytes: 0, grace: Duration::ZERO };
        workspace.tidy(&limits, stop).map(drop)
    }),
];

/// Runs a task; at the given step of it `act` happens. Returns whether the step was reached.
fn run(
    name: &str,
    task: Task,
    at: Step,
    stop: &Stop,
    act: impl Fn() + Send + Sync + 'static,
) -> Option<bool> {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "first\n");
    let reached = Arc::new(Mutex::new(None::<bool>));
    let told = Arc::clone(&reached);
    let workspace = scratch.workspace(Faults::new(move |step, _| {
        let mut told = told.lock().unwrap();
        if step == at && *told == Some(false) {
            *told = Some(true);
            act();
        }
        Ok(())
    }));
    let id = workspace.open_file(&path, &Stop::default()).unwrap().0.file_id;
    let batch = |text: &str| Batch { ops: append(text).as_array().unwrap().clone(), ..Batch::default() };
    workspace.edit(&id, Some(1), &batch("second"), EditMode::Commit, &Stop::default()).unwrap();
    workspace.edit(&id, Some(2), &batch("third"), EditMode::Stage, &Stop::default()).unwrap();
    let before = fs::read_to_string(&path).unwrap();
    *reached.lock().unwrap() = Some(false);
    let result = task(&workspace, &id, &path, stop);
    let is_reached = *reached.lock().unwrap() == Some(true);
    *reached.lock().unwrap() = None;
    let what = format!("{name} stopped at {at:?}: {result:?}");
    let after = fs::read_to_string(&path).unwrap();
    let made = path.with_file_name("made.md");
    match &result {
        Ok(()) if name == "create" => assert_eq!(fs::read_to_string(&made).unwrap(), "made\n", "{what}"),
        Ok(()) => {}
        Err(WorkspaceError::Cancelled | WorkspaceError::Timeout) => {
            assert_eq!(before, after, "{what}");
            assert!(!made.exists(), "{what}");
            assert_eq!(workspace.history(&id, &Stop::default()).unwrap().0.content_rev, 2, "{what}");
            assert_eq!(workspace.proposals(None).unwrap().len(), 1, "{what}");
        }
        Err(_) => panic!("{what}"),
    }
    // A content is stored after the receipt; the end waits for that.
    drop(workspace);
    assert_eq!(scratch.leftovers(), Vec::<String>::new(), "{what}");
    check_sound(&scratch, &path);
    is_reached.then_some(result.is_err())
}

#[test]
fn a_cancel_at_any_step_writes_nothing_or_comes_too_late() {
    for (name, task) in TASKS {
        let mut heeded = Vec::new();
        for step in STEPS {
            let stop = Stop::default();
            let switch = stop.clone();
            if let Some(true) = run(name, task, step, &stop, move || switch.cancel()) {
                heeded.push(step);
            }
        }
        println!("{name}: heeded at {heeded:?}");
        let wanted: &[Step] = match name {
            "commit" | "accept" | "restore" | "undo" => &[
                Step::ReadTarget,
                Step::SyncBlob,
                Step::WriteTemporary,
                Step::SyncTemporary,
                Step::RecordIntent,
            ],
            "create" => &[Step::CreateTemporary, Step::WriteTemporary, Step::SyncTemporary],
            "stage" | "verify" => &[Step::ReadTarget],
            _ => &[],
        };
        assert!(
            wanted.iter().all(|step| heeded.contains(step)),
            "{name}: {heeded:?} lacks some of {wanted:?}"
        );
    }
}

#[test]
fn a_time_limit_at_any_step_writes_nothing_or_comes_too_late() {
    for (name, task) in TASKS {
        for step in
            [Step::ReadTarget, Step::CreateBlob, Step::SyncBlob, Step::WriteTemporary, Step::SyncTemporary]
        {
            // The step takes longer than there is time.
            let stop = Stop::after(Duration::from_millis(250));
            run(name, task, step, &stop, || std::thread::sleep(Duration::from_millis(300)));
        }
    }
}

/// Every task that is stopped before it begins does nothing at all.
#[test]
fn what_is_stopped_before_it_begins_does_nothing() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "first\n");
    let workspace = scratch.workspace(Faults::default());
    let id = workspace.open_file(&path, &Stop::default()).unwrap().0.file_id;
    let batch = |text: &str| Batch { ops: append(text).as_array().unwrap().clone(), ..Batch::default() };
    workspace.edit(&id, Some(1), &batch("second"), EditMode::Commit, &Stop::default()).unwrap();
    workspace.edit(&id, Some(2), &batch("third"), EditMode::Stage, &Stop::default()).unwrap();
    let stop = Stop::default();
    stop.cancel();
    for (name, task) in TASKS {
        let result = task(&workspace, &id, &path, &stop);
        assert!(matches!(result, Err(WorkspaceError::Cancelled)), "{name}: {result:?}");
        let result = task(&workspace, &id, &path, &Stop::after(Duration::ZERO));
        assert!(matches!(result, Err(WorkspaceError::Timeout)), "{name}: {result:?}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\nsecond\n");
    drop(workspace);
    check_sound(&scratch, &path);
}

/// Another thread cancels while a large document is worked on; the answer comes long before the work would be done.
#[test]
fn a_large_document_is_let_go_of_soon() {
    let scratch = Scratch::new();
    let path = scratch.path("large.md");
    fs::write(&path, "some words in a line of a large document\n".repeat(200_000)).unwrap();
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let ops =
        json!([{ "op": "replace_text", "find": "words", "replace": "many more words", "occurrence": "all" }]);
    let edit = |stop: &Stop| {
        let params = params::Edit {
            file_id: id.clone(),
            expected_content_rev: Some(1),
            ops: ops.as_array().unwrap().clone(),
            mode: EditMode::Commit,
            ..params::Edit::default()
        };
        app.run(Request::DocumentsEdit(params), stop)
    };
    let before = fs::metadata(&path).unwrap();
    let stop = Stop::default();
    let switch = stop.clone();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        switch.cancel();
        Instant::now()
    });
    let result = edit(&stop);
    let answered = Instant::now();
    let cancelled = canceller.join().unwrap();
    println!("answered {} ms after the cancel", answered.saturating_duration_since(cancelled).as_millis());
    assert_eq!(code(result), ErrorCode::Cancelled);
    assert_eq!(code(edit(&Stop::after(Duration::from_millis(20)))), ErrorCode::Timeout);
    let after = fs::metadata(&path).unwrap();
    assert_eq!((before.len(), before.modified().unwrap()), (after.len(), after.modified().unwrap()));
    assert_eq!(scratch.leftovers(), Vec::<String>::new());
}

/// A commit that waits for another process gives up when it is told to, and when its own patience ends.
#[test]
fn waiting_for_another_process_can_be_cancelled() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "first\n");
    let mut options = scratch.options();
    options.lock_wait = Duration::from_millis(300);
    let app = App::open(options).unwrap();
    let id = open(&app, &path).file_id;
    let lock = fs::File::create(scratch.home().join("locks").join(format!("{id}.lock"))).unwrap();
    lock.lock().unwrap();
    assert_eq!(code(commit(&app, &id, 1, append("x"))), ErrorCode::Locked);
    let stop = Stop::after(Duration::from_millis(50));
    let params = params::Edit {
        file_id: id.clone(),
        expected_content_rev: Some(1),
        ops: append("x").as_array().unwrap().clone(),
        ..params::Edit::default()
    };
    assert_eq!(code(app.run(Request::DocumentsEdit(params), &stop)), ErrorCode::Timeout);
    drop(lock);
    commit(&app, &id, 1, append("x")).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\nx\n");
}
