//! A damaged store or blob is found and said; the rest keeps working and no number is used twice.

use super::*;

fn three_revisions(scratch: &Scratch) -> (PathBuf, String) {
    let path = scratch.write("a.md", "first\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    commit(&app, &id, 1, append("second")).unwrap();
    commit(&app, &id, 2, append("third")).unwrap();
    stage(&app, &id, 3, append("waiting")).unwrap();
    drop(app);
    fold_journal_in(scratch);
    (path, id)
}

/// Leaves everything in `store.db` itself, which is what these tests damage: a connection of SQLite's own kind does it as it closes.
fn fold_journal_in(scratch: &Scratch) {
    let connection = store(scratch);
    let revisions: u64 =
        connection.query_row("SELECT count(*) FROM snapshots", [], |row| row.get(0)).unwrap();
    drop(connection);
    assert!(revisions > 0 && !scratch.home().join("store.db-wal").exists());
}

fn check_rebuilt(scratch: &Scratch, path: &Path, id: &str, has_proposal: bool) {
    let app = scratch.app();
    let notices = app.status().notices;
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert_eq!(notices[0].code, "store_rebuilt");
    assert!(scratch.home().join("damaged-1/store.db").exists(), "the damaged file is kept");
    assert_eq!(open(&app, path).file_id, id);
    assert_eq!(history(&app, id).snapshots.len(), 3);
    assert_eq!(proposals(&app).len(), usize::from(has_proposal));
    assert_eq!(commit(&app, id, 3, append("fourth")).unwrap().content_rev, 4);
    restore(&app, id, "snap-000001", Some(4)).unwrap();
    assert_eq!(fs::read_to_string(path).unwrap(), "first\n");
    assert!(scratch.app().status().notices.is_empty(), "it is said once");
    check_sound(scratch, path);
}

#[test]
fn a_store_that_is_no_database_is_rebuilt_from_the_ledger() {
    let scratch = Scratch::new();
    let (path, id) = three_revisions(&scratch);
    fs::write(
        scratch.home().join("store.db"),
        b"this is no database at all, and it is long enough to be looked at as one",
    )
    .unwrap();
    let _ = fs::remove_file(scratch.home().join("store.db-wal"));
    let _ = fs::remove_file(scratch.home().join("store.db-shm"));
    check_rebuilt(&scratch, &path, &id, false);
}

#[test]
fn a_store_with_broken_pages_is_salvaged() {
    let scratch = Scratch::new();
    let (path, id) = three_revisions(&scratch);
    let store = scratch.home().join("store.db");
    let mut bytes = fs::read(&store).unwrap();
    // Every page but the first, which holds the schema.
    let page = 4_096;
    for byte in bytes.iter_mut().skip(page) {
        *byte ^= 0x5A;
    }
    fs::write(&store, bytes).unwrap();
    check_rebuilt(&scratch, &path, &id, false);
}

#[test]
fn a_lost_store_keeps_its_numbers() {
    let scratch = Scratch::new();
    let (path, id) = three_revisions(&scratch);
    // Not damaged but gone: a new store; the ledger still knows.
    for name in ["store.db", "store.db-wal", "store.db-shm"] {
        let _ = fs::remove_file(scratch.home().join(name));
    }
    let app = scratch.app();
    assert_eq!(open(&app, &path).file_id, id);
    assert_eq!(history(&app, &id).content_rev, 3);
}

#[test]
fn a_damaged_blob_is_said_and_the_others_can_be_had() {
    let scratch = Scratch::new();
    let (path, id) = three_revisions(&scratch);
    let hash = blake3::hash(b"first\n").to_hex().to_string();
    let blob = scratch.home().join("blobs").join(&hash[..2]).join(format!("{hash}.zst"));
    let mut bytes = fs::read(&blob).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&blob, bytes).unwrap();
    let app = scratch.app();
    let refused = restore(&app, &id, "snap-000001", Some(3)).unwrap_err();
    assert!(refused.code == ErrorCode::IoError && refused.message.contains("damaged"), "{refused:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\nsecond\nthird\n");
    restore(&app, &id, "snap-000002", Some(3)).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\nsecond\n");
    // The same content, met again, makes the snapshot whole.
    fs::write(&path, "first\n").unwrap();
    open(&app, &path);
    restore(&app, &id, "snap-000001", Some(5)).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\n");
}

fn store(scratch: &Scratch) -> rusqlite::Connection {
    rusqlite::Connection::open(scratch.home().join("store.db")).unwrap()
}

/// The home works, whatever its store was: the numbers go on, what is kept can be had, and if anything was wrong it was said.
fn check_works(scratch: &Scratch, path: &Path, id: &str, what: &str) {
    let app = scratch.app();
    let document = open(&app, path);
    assert_eq!((document.file_id.as_str(), document.content_rev), (id, 3), "{what}");
    if let Err(error) = commit(&app, id, 3, append("fourth")) {
        // Damage that shows only now: it is said, and the next start makes it good.
        assert_eq!(error.code, ErrorCode::Internal, "{what}: {error:?}");
        assert!(!app.status().notices.is_empty(), "{what}: damage was not said");
        drop(app);
        assert_eq!(commit(&scratch.app(), id, 3, append("fourth")).unwrap().content_rev, 4, "{what}");
    }
    let app = scratch.app();
    restore(&app, id, "snap-000001", Some(4)).unwrap();
    assert_eq!(fs::read_to_string(path).unwrap(), "first\n", "{what}");
    check_sound(scratch, path);
}

#[test]
fn a_store_cut_off_anywhere_is_made_good() {
    for (number, kept) in [0.0, 0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999].into_iter().enumerate() {
        let scratch = Scratch::new();
        let (path, id) = three_revisions(&scratch);
        let file = scratch.home().join("store.db");
        let whole = fs::metadata(&file).unwrap().len();
        let length = (whole as f64 * kept) as u64;
        fs::File::options().write(true).open(&file).unwrap().set_len(length).unwrap();
        check_works(&scratch, &path, &id, &format!("{number}: {length} of {whole} bytes"));
    }
}

#[test]
fn a_store_with_garbage_anywhere_is_made_good() {
    let mut dice = Dice::new(11);
    for round in 0..rounds(12, 200) {
        let scratch = Scratch::new();
        let (path, id) = three_revisions(&scratch);
        let file = scratch.home().join("store.db");
        let mut bytes = fs::read(&file).unwrap();
        let (at, length) = (dice.roll(bytes.len() as u64) as usize, 1 + dice.roll(3_000) as usize);
        for byte in bytes.iter_mut().skip(at).take(length) {
            *byte = dice.roll(256) as u8;
        }
        fs::write(&file, bytes).unwrap();
        let what = format!("round {round}: {length} bytes at {at}");
        let app = match App::open(scratch.options()) {
            Ok(app) => app,
            Err(error) => panic!("{what}: {error:?}"),
        };
        // Whatever the damage, the document is untouched and can be read, and what goes wrong is an error, not a wrong answer.
        let opened = app
            .documents_open(&params::DocumentPath { path: path.to_str().unwrap().into() }, &Stop::default());
        assert_eq!(fs::read_to_string(&path).unwrap(), "first\nsecond\nthird\n", "{what}");
        if let Ok(document) = opened {
            assert_eq!(document.file_id, id, "{what}");
            let committed = commit(&app, &id, document.content_rev, append("fourth"));
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(committed.is_ok(), text.ends_with("fourth\n"), "{what}: {committed:?}");
        }
    }
}

#[test]
fn a_store_of_a_newer_stet_is_left_alone() {
    let scratch = Scratch::new();
    let (path, id) = three_revisions(&scratch);
    store(&scratch).pragma_update(None, "user_version", 7).unwrap();
    let refused = App::open(scratch.options()).map(drop).unwrap_err();
    assert!(refused.code == ErrorCode::IoError && refused.message.contains("newer Stet"), "{refused:?}");
    assert_eq!(
        store(&scratch).pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)).unwrap(),
        7,
        "it is not made older"
    );
    store(&scratch).pragma_update(None, "user_version", 1).unwrap();
    check_works(&scratch, &path, &id, "the right version again");
}

#[test]
fn a_store_with_other_tables_is_rebuilt() {
    for sql in [
        "DROP TABLE snapshots",
        "DROP TABLE intents",
        "ALTER TABLE files RENAME COLUMN hash TO sum",
        "PRAGMA user_version = 0",
        "DROP TABLE files; PRAGMA user_version = 0",
    ] {
        let scratch = Scratch::new();
        let (path, id) = three_revisions(&scratch);
        store(&scratch).execute_batch(sql).unwrap();
        check_works(&scratch, &path, &id, sql);
    }
}

#[test]
fn a_store_that_another_program_holds_is_waited_for_and_then_said() {
    let scratch = Scratch::new();
    let (path, id) = three_revisions(&scratch);
    let mut options = scratch.options();
    options.lock_wait = std::time::Duration::from_millis(200);
    let app = App::open(options.clone()).unwrap();
    let other = store(&scratch);
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let refused = commit(&app, &id, 3, append("x")).unwrap_err();
    assert_eq!((refused.code, refused.status), (ErrorCode::Locked, 423), "{refused:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\nsecond\nthird\n");
    assert_eq!(open(&app, &path).content_rev, 3, "reading goes on");
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    drop(app);
    check_works(&scratch, &path, &id, "let go of again");
    // So exclusively that not even reading is possible.
    let other = store(&scratch);
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    match App::open(options) {
        Ok(app) => assert_eq!(code(commit(&app, &id, 5, append("x"))), ErrorCode::Locked),
        Err(error) => assert_eq!(error.code, ErrorCode::Locked),
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\n");
}

fn blob(scratch: &Scratch, content: &str) -> PathBuf {
    let hash = blake3::hash(content.as_bytes()).to_hex().to_string();
    scratch.home().join("blobs").join(&hash[..2]).join(format!("{hash}.zst"))
}

#[test]
fn a_blob_damaged_in_any_way_is_said_and_the_rest_works() {
    type Harm = fn(&Path);
    let harms: [(&str, Harm); 6] = [
        ("gone", |blob| fs::remove_file(blob).unwrap()),
        ("empty", |blob| fs::write(blob, b"").unwrap()),
        ("cut off", |blob| {
            let length = fs::metadata(blob).unwrap().len();
            fs::File::options().write(true).open(blob).unwrap().set_len(length - 1).unwrap();
        }),
        ("garbage", |blob| fs::write(blob, b"garbage of some length").unwrap()),
        ("another's", |blob| {
            let other = blob.with_extension("other");
            fs::write(&other, b"").unwrap();
            fs::remove_file(&other).unwrap();
            let packed = fs::read(blob).unwrap();
            let mut turned = packed.clone();
            let last = turned.len() - 2;
            turned[last] ^= 0x20;
            fs::write(blob, turned).unwrap();
        }),
        ("a folder", |blob| {
            fs::remove_file(blob).unwrap();
            fs::create_dir(blob).unwrap();
        }),
    ];
    for (what, harm) in harms {
        let scratch = Scratch::new();
        let (path, id) = three_revisions(&scratch);
        harm(&blob(&scratch, "first\n"));
        let app = scratch.app();
        assert_eq!(history(&app, &id).snapshots.len(), 3, "{what}");
        let refused = restore(&app, &id, "snap-000001", Some(3)).unwrap_err();
        assert_eq!(refused.code, ErrorCode::IoError, "{what}: {refused:?}");
        assert!(
            refused.message.contains("snap-000001") && refused.message.contains("damaged"),
            "{refused:?}"
        );
        history(&app, &id);
        assert!(what == "a folder" || !app.status().notices.is_empty(), "{what}: nothing was said");
        assert_eq!(fs::read_to_string(&path).unwrap(), "first\nsecond\nthird\n", "{what}");
        restore(&app, &id, "snap-000002", Some(3)).unwrap();
        assert_eq!(commit(&app, &id, 4, append("more")).unwrap().content_rev, 5, "{what}");
    }
}

/// The copy of the present content is damaged when the next commit needs it: it is made anew from the file, which is the last moment.
#[test]
fn a_damaged_copy_of_the_present_content_is_made_anew_before_it_is_needed() {
    let scratch = Scratch::new();
    let (path, id) = three_revisions(&scratch);
    fs::write(blob(&scratch, "first\nsecond\nthird\n"), b"garbage").unwrap();
    let app = scratch.app();
    commit(&app, &id, 3, append("fourth")).unwrap();
    assert!(app.status().notices.iter().any(|notice| notice.code == "copy_damaged"), "it is said");
    undo(&app, &id).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\nsecond\nthird\n");
    check_sound(&scratch, &path);
}

#[test]
fn a_ledger_that_is_damaged_or_gone_harms_nothing() {
    for harm in [None, Some(&b"not a line of JSON\n{\"half\": "[..]), Some(&[0xFF, 0x00, b'\n', 0xFE][..])] {
        let scratch = Scratch::new();
        let (path, id) = three_revisions(&scratch);
        let ledger = scratch.home().join("ledger.jsonl");
        match harm {
            None => fs::remove_file(&ledger).unwrap(),
            Some(bytes) => {
                let mut lines = fs::read(&ledger).unwrap();
                lines.extend(bytes);
                fs::write(&ledger, lines).unwrap();
            }
        }
        check_works(&scratch, &path, &id, "ledger");
    }
}

/// On the command line the answer stays what it was, and what was noticed stands beside it on standard error.
#[test]
fn the_command_line_says_what_was_noticed() {
    let scratch = Scratch::new();
    let (path, _) = three_revisions(&scratch);
    let stet = |arguments: &[&str]| {
        let mut command = std::process::Command::new(crate::cli::stet());
        command.args(arguments).env("STET_HOME", scratch.home());
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let name = path.to_str().unwrap();
    assert_eq!(stet(&["history", name]).2, "", "nothing was noticed");
    fs::write(scratch.home().join("store.db"), b"no database at all").unwrap();
    let (status, answer, said) = stet(&["history", name, "--json"]);
    assert_eq!(status, 0, "{said}");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["snapshots"].as_array().unwrap().len(), 3);
    assert!(said.contains("Stet's store was damaged") && said.contains("rebuilt with 3 revisions"), "{said}");

    fs::write(blob(&scratch, "first\n"), b"garbage").unwrap();
    let (status, answer, said) = stet(&["restore", name, "snap-000001", "--json"]);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((status, answer["error"]["code"].as_str()), (1, Some("io_error")));
    assert!(said.contains("damaged") && said.contains("put aside"), "{said}");
    let (status, answer, said) = stet(&["history", name]);
    assert_eq!((status, answer.lines().count()), (0, 3));
    assert!(said.contains("snap-000001") && said.contains("cannot be restored"), "{said}");
    let (status, _, said) = stet(&["restore", name, "snap-000002"]);
    assert_eq!((status, said.as_str()), (0, ""), "the rest goes on");
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\nsecond\n");
}
