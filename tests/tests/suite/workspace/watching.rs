//! Changes by other programs are noticed as they happen, with the patterns in which real programs save.

use std::{
    io::Write,
    process::Command,
    time::{Duration, Instant},
};

use assistant::{
    Event,
    api::{EventBody, answers::DocumentState},
    workspace::watcher::WatchOptions,
};
use tokio::sync::broadcast::{Receiver, error::TryRecvError};

use super::*;

/// A revision must be known this long after the last write. The machine of a test run may be busy with other things; the bound that
/// is enforced says so, the one that is promised is printed.
const PROMISED: Duration = Duration::from_millis(300);
const ENFORCED: Duration = Duration::from_secs(5);

struct Watched {
    scratch: Scratch,
    app: Arc<App>,
    events: Receiver<Event>,
    path: PathBuf,
    id: String,
}

fn watched(name: &str, content: &[u8], poll_only: bool) -> Watched {
    let scratch = Scratch::new();
    let path = scratch.path(name);
    fs::write(&path, content).unwrap();
    let options = AppOptions {
        watch: Some(WatchOptions { poll_only, ..WatchOptions::default() }),
        ..scratch.options()
    };
    let app = App::open(options).unwrap();
    let id = open(&app, &path).file_id;
    let events = app.events();
    std::thread::sleep(Duration::from_millis(250));
    Watched { scratch, app, events, path, id }
}

impl Watched {
    /// Waits for the document to be told with this revision and state; how long it took.
    #[track_caller]
    fn expect(&mut self, content_rev: u64, state: DocumentState) -> Duration {
        let start = Instant::now();
        while start.elapsed() < ENFORCED {
            match self.events.try_recv() {
                Ok(Event { body: EventBody::DocumentChanged { document }, .. }) => {
                    if document.content_rev == content_rev && document.state == state {
                        return start.elapsed();
                    }
                    assert!(
                        document.content_rev <= content_rev,
                        "one change became more revisions: {document:?}"
                    );
                }
                Ok(_) => {}
                Err(TryRecvError::Empty) => std::thread::sleep(Duration::from_millis(5)),
                Err(error) => panic!("{error}"),
            }
        }
        panic!(
            "revision {content_rev} ({state:?}) was not told; the file has {:?}",
            history(&self.app, &self.id).content_rev
        );
    }

    #[track_caller]
    fn expect_silence(&mut self) {
        std::thread::sleep(Duration::from_millis(600));
        while let Ok(event) = self.events.try_recv() {
            assert!(!matches!(event.body, EventBody::DocumentChanged { .. }), "{event:?}");
        }
    }
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn patterns(poll_only: bool) {
    let mut file = watched("a.md", b"one\n", poll_only);
    let path = file.path.clone();
    let beside = file.scratch.path("beside.tmp");
    let mut slowest = Duration::ZERO;
    let mut revision = 1;
    let mut next = |file: &mut Watched, what: &str, took: Duration| {
        println!("{what}: {} ms", took.as_millis());
        slowest = slowest.max(took);
        assert_eq!(history(&file.app, &file.id).content_rev, revision + 1, "{what}");
        revision += 1;
        revision
    };

    fs::write(&path, "in place\n").unwrap();
    let took = file.expect(2, DocumentState::Ok);
    let rev = next(&mut file, "written in place", took);

    fs::write(&beside, "renamed over\n").unwrap();
    fs::rename(&beside, &path).unwrap();
    let took = file.expect(rev + 1, DocumentState::Ok);
    let rev = next(&mut file, "renamed over", took);

    fs::remove_file(&path).unwrap();
    fs::write(&path, "deleted and made anew\n").unwrap();
    let took = file.expect(rev + 1, DocumentState::Ok);
    let rev = next(&mut file, "deleted and made anew", took);

    {
        let mut slow = fs::File::create(&path).unwrap();
        for piece in 0..6 {
            writeln!(slow, "piece {piece}").unwrap();
            slow.flush().unwrap();
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    let took = file.expect(rev + 1, DocumentState::Ok);
    let rev = next(&mut file, "written in pieces", took);

    #[cfg(unix)]
    {
        fs::write(&beside, "copied by cp\n").unwrap();
        run(Command::new("cp").arg(&beside).arg(&path));
        let took = file.expect(rev + 1, DocumentState::Ok);
        next(&mut file, "cp", took);
        run(Command::new("touch").arg(&path));
        file.expect_silence();
    }

    fs::write(&path, fs::read(&path).unwrap()).unwrap();
    file.expect_silence();
    println!("slowest {} ms; promised {} ms after the last write", slowest.as_millis(), PROMISED.as_millis());
}

#[test]
fn changes_are_noticed_by_events() {
    patterns(false);
}

#[test]
fn changes_are_noticed_where_there_are_no_events() {
    patterns(true);
}

#[test]
fn our_own_commits_are_not_taken_for_foreign() {
    let mut file = watched("a.md", b"one\n", false);
    commit(&file.app, &file.id, 1, append("two")).unwrap();
    file.expect(2, DocumentState::Ok);
    file.expect_silence();
    let history = history(&file.app, &file.id);
    assert_eq!(history.snapshots.len(), 2);

    // Another Stet process is told once as well, and its commit is no external change either.
    commit(&file.scratch.app(), &file.id, 2, append("three")).unwrap();
    file.expect(3, DocumentState::Ok);
    file.expect_silence();
    let origins = super::history(&file.app, &file.id).snapshots;
    assert!(origins.iter().all(|snapshot| snapshot.origin != assistant::workspace::Origin::External));
}

#[test]
fn a_file_that_goes_is_missing_and_may_come_back() {
    let mut file = watched("a.md", b"one\n", false);
    let elsewhere = file.scratch.path("elsewhere.md");
    fs::rename(&file.path, &elsewhere).unwrap();
    file.expect(1, DocumentState::Missing);
    let listed = &file.app.documents_list().unwrap()[0];
    assert_eq!(listed.moved_to.as_deref(), fs::canonicalize(&elsewhere).unwrap().to_str());
    fs::rename(&elsewhere, &file.path).unwrap();
    file.expect(1, DocumentState::Ok);
    fs::remove_file(&file.path).unwrap();
    file.expect(1, DocumentState::Missing);
    fs::write(&file.path, "two\n").unwrap();
    file.expect(2, DocumentState::Ok);
}

#[test]
fn a_folder_that_is_made_anew_is_watched_again() {
    let mut file = watched("a.md", b"one\n", false);
    let folder = file.path.parent().unwrap().to_path_buf();
    let aside = folder.with_file_name("aside");
    fs::rename(&folder, &aside).unwrap();
    file.expect(1, DocumentState::Missing);
    fs::create_dir(&folder).unwrap();
    fs::write(&file.path, "two\n").unwrap();
    file.expect(2, DocumentState::Ok);
    std::thread::sleep(Duration::from_millis(1_500));
    fs::write(&file.path, "three\n").unwrap();
    file.expect(3, DocumentState::Ok);
}

#[test]
fn a_proposal_follows_a_change_by_itself() {
    let mut file = watched("a.md", b"one\ntwo\n", false);
    stage(&file.app, &file.id, 1, replace("two", "TWO")).unwrap();
    fs::write(&file.path, "zero\none\ntwo\n").unwrap();
    file.expect(2, DocumentState::Ok);
    let deadline = Instant::now() + ENFORCED;
    let is_rebased = |event: &Event| match &event.body {
        EventBody::ProposalChanged { proposal } => {
            proposal.state == assistant::workspace::ProposalState::Rebased
        }
        _ => false,
    };
    while Instant::now() < deadline {
        if file.events.try_recv().is_ok_and(|event| is_rebased(&event)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("the proposal was not told");
}

#[test]
fn vim_git_and_libreoffice_save_as_they_do() {
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    let mut tried = Vec::new();
    if has("vim") {
        let mut file = watched("a.md", b"one\n", false);
        let mut vim = Command::new("vim");
        vim.args([
            "-u",
            "NONE",
            "-es",
            "-c",
            "set backupcopy=no writebackup",
            "-c",
            "%s/one/vim/",
            "-c",
            "wq",
        ])
        .arg(&file.path);
        run(&mut vim);
        file.expect(2, DocumentState::Ok);
        tried.push("vim");
    }
    if has("git") {
        let mut file = watched("a.md", b"one\n", false);
        let folder = file.path.parent().unwrap().to_path_buf();
        let git = |arguments: &[&str]| {
            let mut git = Command::new("git");
            git.args([
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@example.org",
                "-c",
                "init.defaultBranch=main",
            ]);
            run(git.args(arguments).current_dir(&folder));
        };
        git(&["init", "-q"]);
        git(&["add", "a.md"]);
        git(&["commit", "-qm", "one"]);
        fs::write(&file.path, "two\n").unwrap();
        file.expect(2, DocumentState::Ok);
        git(&["checkout", "-q", "--", "a.md"]);
        file.expect(3, DocumentState::Ok);
        assert_eq!(fs::read_to_string(&file.path).unwrap(), "one\n");
        tried.push("git");
    }
    if cfg!(unix) && has("mv") {
        let mut file = watched("a.md", b"one\n", false);
        let beside = file.scratch.path("b.md");
        fs::write(&beside, "moved over\n").unwrap();
        run(Command::new("mv").arg(&beside).arg(&file.path));
        file.expect(2, DocumentState::Ok);
        tried.push("mv");
    }
    if std::env::var_os("STET_FULL").is_some() && has("soffice") {
        let mut file = watched("a.rtf", b"{\\rtf1 one}", false);
        let home = file.scratch.path("office-profile");
        let mut office = Command::new("soffice");
        office.arg(format!("-env:UserInstallation=file://{}", home.display()));
        office
            .args(["--headless", "--convert-to", "rtf", "--outdir"])
            .arg(file.path.parent().unwrap())
            .arg(&file.path);
        run(&mut office);
        file.expect(2, DocumentState::Ok);
        tried.push("LibreOffice");
    }
    println!("programs that saved: {tried:?}");
}
