//! A disk that fails at each step in turn: the file is whole, the answer is true, nothing is left lying.

use std::{
    io,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use assistant::workspace::{
    Batch, EditMode, Status, WorkspaceError,
    faults::{STEPS, Step},
};

use super::*;

/// Fails one step, once or always, with one kind of error.
fn fault(step: Step, kind: io::ErrorKind, is_armed: Arc<AtomicBool>) -> Faults {
    Faults::new(
        move |at, _| if at == step && is_armed.load(Ordering::SeqCst) { Err(kind.into()) } else { Ok(()) },
    )
}

#[test]
fn an_error_at_any_step_is_a_refusal_or_a_true_receipt() {
    for step in STEPS {
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::Other, io::ErrorKind::PermissionDenied] {
            let scratch = Scratch::new();
            let path = scratch.write("a.md", "alpha\n");
            let is_armed = Arc::new(AtomicBool::new(false));
            let workspace = scratch.workspace(fault(step, kind, Arc::clone(&is_armed)));
            let (file, _) = workspace.open_file(&path, &Stop::default()).unwrap();
            is_armed.store(true, Ordering::SeqCst);
            let batch = Batch { ops: append("beta").as_array().unwrap().clone(), ..Batch::default() };
            let outcome = workspace.edit(&file.file_id, Some(1), &batch, EditMode::Commit, &Stop::default());
            let text = fs::read_to_string(&path).unwrap();
            match outcome {
                Ok(outcome) => {
                    assert_eq!(
                        (outcome.status, text.as_str()),
                        (Status::Committed, "alpha\nbeta\n"),
                        "{step:?}"
                    );
                    let is_late = matches!(step, Step::SyncFolder | Step::RecordCommit);
                    assert_eq!(
                        outcome.warnings.len(),
                        usize::from(is_late),
                        "{step:?}: {:?}",
                        outcome.warnings
                    );
                }
                Err(error) => {
                    assert_eq!(text, "alpha\n", "{step:?} {error}");
                    let is_typed = match kind {
                        io::ErrorKind::PermissionDenied => {
                            matches!(error, WorkspaceError::ReadOnly { .. } | WorkspaceError::Io { .. })
                        }
                        io::ErrorKind::StorageFull => {
                            matches!(error, WorkspaceError::NoSpace { .. } | WorkspaceError::Io { .. })
                        }
                        _ => matches!(error, WorkspaceError::Io { .. }),
                    };
                    assert!(is_typed, "{step:?}: {error:?}");
                }
            }
            is_armed.store(false, Ordering::SeqCst);
            let again = workspace.edit(
                &file.file_id,
                Some(if text.contains("beta") { 2 } else { 1 }),
                &batch,
                EditMode::Commit,
                &Stop::default(),
            );
            assert_eq!(again.unwrap().status, Status::Committed, "{step:?}: works again when the disk does");
            drop(workspace);
            check_sound(&scratch, &path);
        }
    }
}

/// The new content is stored after the receipt. When that fails, as when a crash comes first, the file is its only copy: every revision
/// can be had, and nothing replaces the file before the content is stored.
#[test]
fn a_content_that_could_not_be_stored_yet_is_in_the_file() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "alpha\n");
    let is_armed = Arc::new(AtomicBool::new(false));
    let workspace =
        scratch.workspace(fault(Step::CreateBlob, io::ErrorKind::StorageFull, Arc::clone(&is_armed)));
    let (file, _) = workspace.open_file(&path, &Stop::default()).unwrap();
    is_armed.store(true, Ordering::SeqCst);
    workspace.commit_bytes(&file.file_id, 1, b"alpha\nbeta\n", "two", &Stop::default()).unwrap();
    let error = workspace.commit_bytes(&file.file_id, 2, b"gamma\n", "three", &Stop::default()).unwrap_err();
    assert!(matches!(error, WorkspaceError::NoSpace { .. }), "{error:?}");
    drop(workspace);
    assert_eq!(fs::read_to_string(&path).unwrap(), "alpha\nbeta\n");

    let next = scratch.workspace(Faults::default());
    let entry = next.history(&file.file_id, &Stop::default()).unwrap().1.remove(0);
    assert_eq!(entry.content_rev, 2);
    let bytes = |workspace: &Workspace| workspace.snapshot_bytes(&file.file_id, &entry.snapshot_id());
    assert_eq!(bytes(&next).unwrap().1, b"alpha\nbeta\n");
    fs::write(&path, "written over by another program\n").unwrap();
    assert_eq!(bytes(&next).unwrap().1, b"alpha\nbeta\n", "stored by the first look");
    drop(next);
    check_sound(&scratch, &path);
}

/// Every call in turn fails, counted over the whole commit, in each of several rounds: no call is forgotten by the list of steps.
#[test]
fn every_single_call_may_fail() {
    let calls = count_calls();
    assert!(calls >= 10, "only {calls} calls were seen");
    for failing in 0..calls {
        let scratch = Scratch::new();
        let path = scratch.write("a.md", "alpha\n");
        let seen = Arc::new(Mutex::new(None::<usize>));
        let counter = Arc::clone(&seen);
        let workspace = scratch.workspace(Faults::new(move |_, _| {
            let mut seen = counter.lock().unwrap();
            let Some(count) = seen.as_mut() else { return Ok(()) };
            *count += 1;
            if *count == failing + 1 { Err(io::ErrorKind::Other.into()) } else { Ok(()) }
        }));
        let (file, _) = workspace.open_file(&path, &Stop::default()).unwrap();
        *seen.lock().unwrap() = Some(0);
        let batch = Batch { ops: append("beta").as_array().unwrap().clone(), ..Batch::default() };
        let outcome = workspace.edit(&file.file_id, Some(1), &batch, EditMode::Commit, &Stop::default());
        let wanted = if outcome.is_ok() { "alpha\nbeta\n" } else { "alpha\n" };
        assert_eq!(fs::read_to_string(&path).unwrap(), wanted, "call {failing}");
        drop(workspace);
        let history = check_sound(&scratch, &path);
        assert_eq!(history.content_rev, if outcome.is_ok() { 2 } else { 1 }, "call {failing}");
    }
}

fn count_calls() -> usize {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "alpha\n");
    let count = Arc::new(Mutex::new(0_usize));
    let counter = Arc::clone(&count);
    let workspace = scratch.workspace(Faults::new(move |_, _| {
        *counter.lock().unwrap() += 1;
        Ok(())
    }));
    let (file, _) = workspace.open_file(&path, &Stop::default()).unwrap();
    *count.lock().unwrap() = 0;
    let batch = Batch { ops: append("beta").as_array().unwrap().clone(), ..Batch::default() };
    workspace.edit(&file.file_id, Some(1), &batch, EditMode::Commit, &Stop::default()).unwrap();
    let calls = count.lock().unwrap();
    *calls
}
