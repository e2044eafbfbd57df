//! What a disk, a folder or another program can refuse: typed errors, old bytes, nothing left lying.

use std::process::Stdio;

use super::*;

const CHILD: &str = "workspace::refusals::child_tries_to_save";

/// The child, which may be another user: opens, commits, and says what came of it.
#[test]
fn child_tries_to_save() {
    let Some((home, path)) = child_task() else { return };
    let told =
        |error: AppError| println!("told {}: {}", serde_json::to_string(&error.code).unwrap(), error.message);
    let app = match App::open(AppOptions { keychain: Keychain::Absent, ..AppOptions::new(home) }) {
        Ok(app) => app,
        Err(error) => return told(error),
    };
    let params = params::DocumentPath { path: path.to_str().unwrap().into() };
    let document = match app.documents_open(&params, &Stop::default()) {
        Ok(document) => document,
        Err(error) => return told(error),
    };
    match commit(&app, &document.file_id, document.content_rev, append("new")) {
        Ok(receipt) => println!("told committed {}", receipt.content_rev),
        Err(error) => told(error),
    }
}

/// An ordinary user's disk: when the suite runs as root, whom nothing binds, the child runs as somebody else.
#[cfg(unix)]
struct User {
    scratch: Scratch,
    path: PathBuf,
    program: PathBuf,
    is_other: bool,
}

#[cfg(unix)]
const NOBODY: u32 = 65_534;

#[cfg(unix)]
impl User {
    fn new() -> User {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let scratch = Scratch::new();
        let path = scratch.write("a.md", "first\n");
        let is_other = fs::metadata(&path).unwrap().uid() == 0;
        fs::create_dir_all(scratch.home()).unwrap();
        let program = scratch.home().with_file_name("program");
        let own = std::env::current_exe().unwrap();
        // The build folder may be closed to others.
        if fs::hard_link(&own, &program).is_err() {
            fs::copy(&own, &program).unwrap();
        }
        let user = User { scratch, path, program, is_other };
        let top = user.scratch.home().parent().unwrap().to_path_buf();
        fs::set_permissions(&top, fs::Permissions::from_mode(0o755)).unwrap();
        for path in [user.scratch.home(), user.path.parent().unwrap().to_path_buf(), user.path.clone()] {
            user.give(&path);
        }
        user
    }

    fn give(&self, path: &Path) {
        if self.is_other {
            std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }

    fn tries(&self) -> String {
        use std::os::unix::process::CommandExt;
        let mut command = child(CHILD, &self.scratch.home(), &self.path);
        let mut other = std::process::Command::new(&self.program);
        other.args(command.get_args());
        for (name, value) in command.get_envs() {
            other.env(name, value.unwrap_or_default());
        }
        if self.is_other {
            other.uid(NOBODY).gid(NOBODY).current_dir("/");
            command = other;
        }
        let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let told = text.lines().find_map(|line| line.split_once("told ")).map(|(_, told)| told.to_owned());
        told.unwrap_or_else(|| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)))
    }

    /// The save is refused with this code and these words, and nothing has changed.
    #[track_caller]
    fn expect_refusal(&self, wanted: &str, words: &str) {
        let told = self.tries();
        assert!(told.starts_with(&format!("\"{wanted}\"")) && told.contains(words), "{told}");
        assert_eq!(fs::read_to_string(&self.path).unwrap(), "first\n");
        assert_eq!(self.scratch.leftovers(), Vec::<String>::new());
    }

    fn mode(&self, path: &Path, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_user_without_permission_is_told_so() {
    let user = User::new();
    let folder = user.path.parent().unwrap();
    user.mode(&user.path, 0o444);
    user.expect_refusal("read_only", "read-only for this user");
    user.mode(&user.path, 0o644);
    user.mode(folder, 0o555);
    user.expect_refusal("read_only", "save a new version beside");
    user.mode(folder, 0o755);
    user.mode(&user.path, 0o000);
    let told = user.tries();
    assert!(told.starts_with("\"io_error\"") && told.contains("ermission denied"), "{told}");
    user.mode(&user.path, 0o644);
    user.mode(folder, 0o000);
    assert!(user.tries().starts_with("\"io_error\""));
    user.mode(folder, 0o755);
    assert_eq!(user.tries(), "committed 2");
    println!("as another user: {}", user.is_other);
}

#[cfg(unix)]
#[test]
fn a_home_that_cannot_be_written_is_told_so() {
    let user = User::new();
    user.mode(&user.scratch.home(), 0o500);
    user.expect_refusal("read_only", "");
    user.mode(&user.scratch.home(), 0o700);
    assert_eq!(user.tries(), "committed 2");
    // A home that was written before and is closed now.
    for (name, mode, again) in
        [("store.db", 0o400, 0o600), ("blobs/tmp", 0o500, 0o700), ("locks", 0o500, 0o700)]
    {
        // A content of its own: one that is stored already needs no room.
        fs::write(&user.path, format!("{name}\n")).unwrap();
        user.mode(&user.scratch.home().join(name), mode);
        let told = user.tries();
        // A lock that is there can be taken, so that only a new file would fail.
        let is_told = told.starts_with("\"read_only\"") || name == "locks" && told.starts_with("committed");
        assert!(is_told, "{name}: {told}");
        user.mode(&user.scratch.home().join(name), again);
        // SQLite gives the files beside the store the store's mode.
        for beside in fs::read_dir(user.scratch.home()).unwrap().flatten() {
            if beside.file_name().to_string_lossy().starts_with(name) {
                user.mode(&beside.path(), again);
            }
        }
        assert_eq!(user.scratch.leftovers(), Vec::<String>::new());
        let told = user.tries();
        assert!(told.starts_with("committed"), "{name}: {told}");
    }
}

/// A small disk that is full, with the document on it or with Stet's home on it.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_nothing_is_lost() {
    let scratch = Scratch::new();
    let Some(small) = Mounted::small(&scratch, "small", 256) else {
        println!("skipped: no small disk can be had here (STET_FULL=1 and root are needed)");
        return;
    };
    let path = small.0.join("a.md");
    let content = "words of a document on a small disk\n".repeat(2_000);
    fs::write(&path, &content).unwrap();
    let filler = small.0.join("filler");
    let fill = || {
        let mut size = 0;
        while fs::write(&filler, vec![b'x'; size + 4_096]).is_ok() {
            size += 4_096;
        }
        fs::write(&filler, vec![b'x'; size]).unwrap();
    };
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    fill();
    let refused = commit(&app, &id, 1, append("new")).unwrap_err();
    assert!(refused.code == ErrorCode::IoError && refused.message.contains("no room"), "{refused:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), content);
    let names: Vec<_> = fs::read_dir(&small.0).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names.len(), 2, "no temporary file: {names:?}");
    fs::remove_file(&filler).unwrap();
    assert_eq!(commit(&app, &id, 1, append("new")).unwrap().content_rev, 2);

    // The other way round: the home is on the small disk.
    let home = small.0.join("home");
    let outside = scratch.write("b.md", &content);
    let app = App::open(AppOptions { keychain: Keychain::Absent, ..AppOptions::new(&home) }).unwrap();
    let id = open(&app, &outside).file_id;
    fill();
    let refused = commit(&app, &id, 1, replace("words of", "letters of")).unwrap_err();
    assert_eq!(refused.code, ErrorCode::MultipleMatches, "the engine still answers");
    let noise: String = (0..60_000_u32).map(|n| format!("{:x}\n", n.wrapping_mul(2_654_435_761))).collect();
    let refused = commit(&app, &id, 1, append(&noise)).unwrap_err();
    assert!(refused.code == ErrorCode::IoError && refused.message.contains("no room"), "{refused:?}");
    assert_eq!(fs::read_to_string(&outside).unwrap(), content);
    assert_eq!(scratch.leftovers(), Vec::<String>::new());
    assert!(fs::read_dir(home.join("blobs/tmp")).unwrap().next().is_none());
    fs::remove_file(&filler).unwrap();
    assert_eq!(commit(&app, &id, 1, append("new")).unwrap().content_rev, 2);
}

const HOLDER: &str = "workspace::refusals::child_holds_the_file";

/// The child: locks the file and waits until its input ends.
#[cfg(unix)]
#[test]
fn child_holds_the_file() {
    let Some((_, path)) = child_task() else { return };
    let Ok(how) = std::env::var("STET_CHILD_TASK") else { return };
    let file = fs::File::options().read(true).write(true).open(path).unwrap();
    match how.as_str() {
        "fcntl" => rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap(),
        "flock" => file.lock().unwrap(),
        _ => file.lock_shared().unwrap(),
    }
    println!("told held");
    let _ = std::io::stdin().read_line(&mut String::new());
}

#[cfg(unix)]
#[test]
fn a_file_that_another_program_locked_is_left_alone() {
    use std::io::{BufRead, BufReader};
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "first\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    for how in ["fcntl", "flock"] {
        let mut command = child(HOLDER, &scratch.home(), &path);
        let mut holder = command.env("STET_CHILD_TASK", how).stdin(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(holder.stdout.take().unwrap()).lines().map_while(Result::ok);
        assert!(lines.into_iter().any(|line| line.contains("told held")));
        let refused = commit(&app, &id, 1, append("new")).unwrap_err();
        assert!(
            refused.code == ErrorCode::Locked && refused.message.contains("locked"),
            "{how}: {refused:?}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "first\n");
        holder.kill().unwrap();
        holder.wait().unwrap();
    }
    // Many may read at once; that keeps nobody from saving.
    let reader = fs::File::open(&path).unwrap();
    reader.lock_shared().unwrap();
    commit(&app, &id, 1, append("new")).unwrap();
    check_sound(&scratch, &path);
}

#[test]
fn an_owner_file_of_each_office_program_is_recognised() {
    let scratch = Scratch::new();
    let app = scratch.app();
    for (name, owner, program) in [
        ("table.csv", ".~lock.table.csv#", "LibreOffice"),
        ("quarterly.docx", "~$arterly.docx", "Microsoft Office"),
        ("short.docx", "~$short.docx", "Microsoft Office"),
        ("deck.pptx", ".~lock.deck.pptx#", "LibreOffice"),
        ("deck.pptx", "~$deck.pptx", "Microsoft Office"),
        ("sheet.xlsx", "~$sheet.xlsx", "Microsoft Office"),
    ] {
        let path = scratch.path(name);
        fs::write(&path, "a,b\n").unwrap();
        let id = open(&app, &path).file_id;
        let owner = scratch.path(owner);
        fs::write(&owner, ",ada,host,30.11.2026 14:00,file:///home/ada;").unwrap();
        let document = open(&app, &path);
        let detail = document.state_detail.unwrap();
        assert!(detail.contains(program), "{name}: {detail}");
        let workspace = scratch.workspace(Faults::default());
        let revision = document.content_rev;
        let refused =
            workspace.commit_bytes(&id, revision, b"new", "test", &Stop::default()).map_err(AppError::from);
        let refused = refused.unwrap_err();
        assert!(refused.code == ErrorCode::Locked && refused.message.contains(program), "{refused:?}");
        fs::remove_file(&owner).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "a,b\n");
        fs::remove_file(&path).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_ordinary_file_is_refused() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "first\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let pipe = scratch.path("pipe.md");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let open_path = |path: &Path| {
        let params = params::DocumentPath { path: path.to_str().unwrap().into() };
        app.documents_open(&params, &Stop::default())
    };
    assert_eq!(code(open_path(&pipe)), ErrorCode::PathNotAllowed);
    assert_eq!(code(open_path(Path::new("/dev/null"))), ErrorCode::PathNotAllowed);
    assert_eq!(code(open_path(path.parent().unwrap())), ErrorCode::IoError);
    // A pipe in the file's place: nothing must hang or write into it.
    fs::remove_file(&path).unwrap();
    fs::rename(&pipe, &path).unwrap();
    assert_eq!(code(commit(&app, &id, 1, append("x"))), ErrorCode::PathNotAllowed);
}
