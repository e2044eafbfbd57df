//! A damaged store or blob is found and said; the rest keeps working and no number is used twice.

use super::*;

fn three_revisions(scratch: &Scratch) -> (PathBuf, String) {
    let path = scratch.write("a.md", "first\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    commit(&app, &id, 1, append("second")).unwrap();
    commit(&app, &id, 2, append("third")).unwrap();
    stage(&app, &id, 3, append("waiting")).unwrap();
    (path, id)
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
    drop(scratch.app());
    let store = scratch.home().join("store.db");
    let mut bytes = fs::read(&store).unwrap();
    assert!(
        !scratch.home().join("store.db-wal").exists()
            || fs::metadata(scratch.home().join("store.db-wal")).unwrap().len() == 0
    );
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
