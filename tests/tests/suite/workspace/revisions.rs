//! Revisions and compare-and-swap (CONTRACT, section 1).

use super::*;

#[test]
fn a_write_needs_the_current_revision() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "alpha\n");
    let app = scratch.app();
    let document = open(&app, &path);
    assert_eq!(document.content_rev, 1);
    let id = document.file_id.as_str();

    let missing = edit(&app, id, None, EditMode::Commit, append("x")).unwrap_err();
    assert_eq!(
        (missing.code, missing.status, missing.content_rev),
        (ErrorCode::ContentRevRequired, 428, Some(1))
    );
    assert_eq!(code(edit(&app, id, None, EditMode::Stage, append("x"))), ErrorCode::ContentRevRequired);
    assert_eq!(code(restore(&app, id, "snap-000001", None)), ErrorCode::ContentRevRequired);

    let receipt = commit(&app, id, 1, append("beta")).unwrap();
    assert_eq!(
        (receipt.previous_rev, receipt.content_rev, receipt.snapshot.as_deref()),
        (1, 2, Some("snap-000001"))
    );
    let stale = commit(&app, id, 1, append("x")).unwrap_err();
    assert_eq!((stale.code, stale.status, stale.content_rev), (ErrorCode::ContentRevConflict, 409, Some(2)));
    assert_eq!(code(commit(&app, id, 3, append("x"))), ErrorCode::ContentRevConflict);
    assert_eq!(fs::read_to_string(&path).unwrap(), "alpha\nbeta\n");
    check_sound(&scratch, &path);
}

#[test]
fn two_apps_on_one_base_one_wins() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "alpha\n");
    let (first, second) = (scratch.app(), scratch.app());
    let id = open(&first, &path).file_id;
    assert_eq!(open(&second, &path).file_id, id);
    commit(&first, &id, 1, append("first")).unwrap();
    assert_eq!(code(commit(&second, &id, 1, append("second"))), ErrorCode::ContentRevConflict);
    commit(&second, &id, 2, append("second")).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "alpha\nfirst\nsecond\n");
}

#[test]
fn a_failing_batch_leaves_bytes_time_and_revision() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "alpha\nalpha\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let before = fs::metadata(&path).unwrap();
    for (ops, wanted) in [
        (
            json!([{ "op": "append_lines", "text": "x" }, { "op": "replace_text", "find": "nowhere", "replace": "y" }]),
            ErrorCode::ZeroMatches,
        ),
        (replace("alpha", "x"), ErrorCode::MultipleMatches),
        (json!([{ "op": "delete_lines", "start_line": 9, "end_line": 9 }]), ErrorCode::OutOfRange),
        (json!([{ "op": "xlsx_set_cell", "cell": "A1", "value": 1 }]), ErrorCode::UnsupportedOp),
        (json!([{ "op": "append_lines" }]), ErrorCode::InvalidArguments),
        (json!([{ "op": "append_lines", "text": "x", "more": 1 }]), ErrorCode::InvalidArguments),
        (json!([{ "op": "append_lines", "text_from_fence": true }]), ErrorCode::FenceMissing),
    ] {
        assert_eq!(code(commit(&app, &id, 1, ops.clone())), wanted, "{ops}");
        assert_eq!(code(stage(&app, &id, 1, ops.clone())), wanted, "{ops}");
    }
    let nothing = commit(&app, &id, 1, json!([])).unwrap();
    assert_eq!(
        nothing.status,
        assistant::workspace::Status::Unchanged,
        "a batch without operations changes nothing"
    );
    let error =
        commit(&app, &id, 1, json!([{ "op": "append_lines", "text": "x" }, { "op": "append_lines" }]))
            .unwrap_err();
    assert_eq!(error.op, Some(1), "the operation is named");
    let after = fs::metadata(&path).unwrap();
    assert_eq!((before.modified().unwrap(), before.len()), (after.modified().unwrap(), after.len()));
    assert_eq!(history(&app, &id).snapshots.len(), 1);
    assert!(proposals(&app).is_empty());
}

#[test]
fn nothing_changed_is_told_and_nothing_written() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "alpha\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    for mode in [EditMode::Commit, EditMode::Stage, EditMode::DryRun] {
        let receipt = edit(&app, &id, Some(1), mode, replace("alpha", "alpha")).unwrap();
        let status = serde_json::to_value(receipt.status).unwrap();
        assert_eq!((status, receipt.content_rev, receipt.snapshot), (json!("unchanged"), 1, None));
    }
    let dry = edit(&app, &id, None, EditMode::DryRun, replace("alpha", "beta")).unwrap();
    assert_eq!(
        (serde_json::to_value(dry.status).unwrap(), dry.content_rev, dry.changes.len()),
        (json!("dry_run"), 1, 1)
    );
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
    assert_eq!(history(&app, &id).snapshots.len(), 1);
}

#[test]
fn one_file_has_one_id_by_every_path() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "alpha\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let roundabout = path.parent().unwrap().join("../documents/./a.md");
    assert_eq!(open(&app, &roundabout).file_id, id);
    #[cfg(unix)]
    {
        let link = scratch.path("link.md");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(open(&app, &link).file_id, id);
        commit(&app, &id, 1, append("beta")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "the link stays a link");
        assert_eq!(fs::read_to_string(&link).unwrap(), "alpha\nbeta\n");
    }
    assert_eq!(scratch.app().documents_list().unwrap().len(), 1);
}

#[test]
fn revisions_go_on_after_restart_external_change_rename_restore_and_rejection() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "one\n");
    let id = {
        let app = scratch.app();
        let id = open(&app, &path).file_id;
        commit(&app, &id, 1, append("two")).unwrap();
        id
    };
    fs::write(&path, "from outside\n").unwrap();
    let app = scratch.app();
    assert_eq!(open(&app, &path).content_rev, 3, "an external change is a revision");
    fs::write(&path, "from outside\n").unwrap();
    assert_eq!(open(&app, &path).content_rev, 3, "touching is not");
    assert_eq!(code(commit(&app, &id, 2, append("x"))), ErrorCode::ContentRevConflict);

    let staged = stage(&app, &id, 3, append("staged")).unwrap();
    assert_eq!(staged.content_rev, 3);
    reject(&app, staged.proposal_id.as_deref().unwrap(), None).unwrap();
    let restored = restore(&app, &id, "snap-000001", Some(3)).unwrap();
    assert_eq!((restored.content_rev, fs::read_to_string(&path).unwrap()), (4, "one\n".into()));

    let moved = scratch.path("b.md");
    fs::rename(&path, &moved).unwrap();
    let relinked = app.documents_relink(
        &params::Relink { file_id: id.clone(), path: moved.to_str().unwrap().into() },
        &Stop::default(),
    );
    assert_eq!((relinked.unwrap().content_rev, history(&app, &id).snapshots.len()), (4, 4));
    assert_eq!(commit(&app, &id, 4, append("after")).unwrap().content_rev, 5);
    let origins: Vec<String> = history(&app, &id)
        .snapshots
        .iter()
        .map(|snapshot| serde_json::to_value(snapshot.origin).unwrap().as_str().unwrap().to_owned())
        .collect();
    assert_eq!(origins, ["assistant", "restore", "external", "assistant", "opened"]);

    // Another file where the first one was is another file.
    fs::write(&path, "new file\n").unwrap();
    let other = open(&app, &path);
    assert!(other.file_id != id && other.content_rev == 1);
}

#[test]
fn an_unknown_id_is_refused() {
    let scratch = Scratch::new();
    let app = scratch.app();
    assert_eq!(code(commit(&app, "file-00000000", 1, append("x"))), ErrorCode::FileNotOpen);
    let outline = params::OutlineOf { file_id: "file-00000000".into(), ..params::OutlineOf::default() };
    assert_eq!(code(app.documents_outline(&outline, &Stop::default())), ErrorCode::FileNotOpen);
}

#[test]
fn an_outline_leaves_the_file_and_its_times() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "alpha\n");
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let times = fs::FileTimes::new().set_modified(long_ago).set_accessed(long_ago);
    fs::File::options().write(true).open(&path).unwrap().set_times(times).unwrap();
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let outline = app.documents_outline(
        &params::OutlineOf { file_id: id, ..params::OutlineOf::default() },
        &Stop::default(),
    );
    assert_eq!(outline.unwrap().nodes.len(), 1);
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), long_ago);
}
