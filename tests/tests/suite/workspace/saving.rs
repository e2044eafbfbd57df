//! What a save keeps of a file besides its content, and when it is refused.

use super::*;

#[cfg(unix)]
#[test]
fn mode_owner_and_attributes_stay() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let scratch = Scratch::new();
    let path = scratch.write("a.md", "alpha\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let as_root = fs::metadata(&path).unwrap().uid() == 0;
    if as_root {
        std::os::unix::fs::chown(&path, Some(1234), Some(4321)).unwrap();
    }
    let file = fs::File::open(&path).unwrap();
    let has_attributes =
        rustix::fs::fsetxattr(&file, "user.stet.test", b"kept", rustix::fs::XattrFlags::empty()).is_ok();
    let before = fs::metadata(&path).unwrap();

    let app = scratch.app();
    let id = open(&app, &path).file_id;
    commit(&app, &id, 1, append("beta")).unwrap();

    let after = fs::metadata(&path).unwrap();
    assert_ne!(before.ino(), after.ino(), "a new file was renamed over the old one");
    assert_eq!((before.mode(), before.uid(), before.gid()), (after.mode(), after.uid(), after.gid()));
    if has_attributes {
        let mut value = [0_u8; 16];
        let length = rustix::fs::getxattr(&path, "user.stet.test", value.as_mut_slice()).unwrap();
        assert_eq!(&value[..length], b"kept");
    }
    println!("owner checked: {as_root}; extended attributes checked: {has_attributes}");
}

/// Access lists stay as they are; one that the folder gives to new files does not come to an old file by a save.
#[cfg(target_os = "linux")]
#[test]
fn access_lists_stay_and_none_comes_along() {
    let scratch = Scratch::new();
    let (plain, listed) = (scratch.write("plain.md", "alpha\n"), scratch.write("listed.md", "alpha\n"));
    let folder = plain.parent().unwrap();
    let set = |arguments: &[&str], path: &Path| {
        let done = std::process::Command::new("setfacl").args(arguments).arg(path).status();
        done.is_ok_and(|status| status.success())
    };
    let has = set(&["-m", "u:1234:rw"], &listed) && set(&["-d", "-m", "u:4321:rw"], folder);
    if !has {
        println!("skipped: no setfacl here, or a file system without access lists");
        return;
    }
    let list = |path: &Path| {
        let output = std::process::Command::new("getfacl").args(["-cp"]).arg(path).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let before = (list(&plain), list(&listed));
    assert!(before.1.contains("user:1234:rw-") && !before.0.contains("4321"));
    let app = scratch.app();
    for path in [&plain, &listed] {
        let id = open(&app, path).file_id;
        commit(&app, &id, 1, append("beta")).unwrap();
    }
    assert_eq!((list(&plain), list(&listed)), before);
}

/// The bits that a change of owner clears, and the times that a new file would not have.
#[cfg(unix)]
#[test]
fn set_id_bits_stay_and_the_time_of_access_is_not_older() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "alpha\n");
    for mode in [0o600, 0o2755, 0o777, 0o664] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let app = scratch.app();
        let document = open(&app, &path);
        commit(&app, &document.file_id, document.content_rev, append("beta")).unwrap();
        let after = fs::metadata(&path).unwrap();
        assert_eq!(after.permissions().mode() & 0o7777, mode);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.ends_with("beta\n"));
    }
}

#[test]
fn a_document_open_elsewhere_is_not_overwritten() {
    let scratch = Scratch::new();
    let path = scratch.path("a.xlsx");
    fs::write(&path, b"not looked into").unwrap();
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    fs::write(scratch.path("~$a.xlsx"), b"\x03Ada\0").unwrap();
    let document = open(&app, &path);
    assert_eq!(serde_json::to_value(document.state).unwrap(), json!("locked"));
    assert_eq!(document.state_detail.as_deref(), Some("it is open in Microsoft Office (Ada)"));
    let workspace = scratch.workspace(Faults::default());
    let before = fs::read(&path).unwrap();
    let refused = workspace.restore(&id, "snap-000001", Some(1), &Stop::default());
    assert!(refused.is_ok(), "restoring the same content writes nothing");
    fs::write(&path, b"changed").unwrap();
    let refused = restore(&app, &id, "snap-000001", Some(2));
    assert_eq!(code(refused), ErrorCode::Locked);
    assert_eq!(fs::read(&path).unwrap(), b"changed");
    fs::remove_file(scratch.path("~$a.xlsx")).unwrap();
    restore(&app, &id, "snap-000001", Some(2)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_folder_in_the_files_place_is_an_error() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "alpha\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    fs::remove_file(&path).unwrap();
    assert_eq!(code(commit(&app, &id, 1, append("x"))), ErrorCode::IoError);
    assert_eq!(serde_json::to_value(app.documents_list().unwrap()[0].state).unwrap(), json!("missing"));
    fs::create_dir(&path).unwrap();
    let error = commit(&app, &id, 1, append("x")).unwrap_err();
    assert!(error.code == ErrorCode::IoError && error.message.contains("folder"), "{error:?}");
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    assert_eq!(code(commit(&app, &id, 1, append("x"))), ErrorCode::IoError);
    assert_eq!(history(&app, &id).content_rev, 1);
    assert_eq!(
        code(
            app.documents_open(&params::DocumentPath { path: "/nowhere/at/all.md".into() }, &Stop::default())
        ),
        ErrorCode::IoError
    );
}

#[test]
fn a_new_file_never_replaces_one() {
    let scratch = Scratch::new();
    let path = scratch.path("new.md");
    let app = scratch.app();
    let create = || {
        let params = params::Create {
            path: path.to_str().unwrap().into(),
            text: Some("fresh\n".into()),
            rows: None,
            format: None,
        };
        app.documents_create(&params, &Stop::default())
    };
    let receipt = create().unwrap();
    assert_eq!((receipt.previous_rev, receipt.content_rev), (0, 1));
    assert_eq!(code(create()), ErrorCode::PathNotAllowed);
    commit(&app, &receipt.file_id, 1, append("more")).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "fresh\nmore\n");
    assert_eq!(scratch.leftovers(), Vec::<String>::new());
}

#[test]
fn a_cancelled_or_late_command_writes_nothing() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "alpha\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let request = || {
        Request::DocumentsEdit(params::Edit {
            file_id: id.clone(),
            expected_content_rev: Some(1),
            ops: append("x").as_array().unwrap().clone(),
            ..params::Edit::default()
        })
    };
    let stop = Stop::default();
    stop.cancel();
    assert_eq!(code(app.run(request(), &stop)), ErrorCode::Cancelled);
    assert_eq!(code(app.run(request(), &Stop::after(std::time::Duration::ZERO))), ErrorCode::Timeout);
    assert_eq!(fs::read_to_string(&path).unwrap(), "alpha\n");
    check_sound(&scratch, &path);
}

#[test]
fn a_file_over_the_limit_is_refused() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "more than ten bytes\n");
    let mut options = scratch.options();
    options.limits.file_bytes = 10;
    let app = App::open(options).unwrap();
    let error = app
        .documents_open(&params::DocumentPath { path: path.to_str().unwrap().into() }, &Stop::default())
        .unwrap_err();
    assert_eq!((error.code, error.status), (ErrorCode::TooLarge, 413));
}
