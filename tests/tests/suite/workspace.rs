//! The workspace through the door that every host uses: `App::run`.
//!
//! Here: a scratch home with documents, and the checks that hold after anything. What each subject proves stands in its module.

#[path = "workspace/crash.rs"]
mod crash;
#[path = "workspace/faults.rs"]
mod faults;
#[path = "workspace/history.rs"]
mod history;
#[path = "workspace/identity.rs"]
mod identity;
#[path = "workspace/machine.rs"]
mod machine;
#[cfg(target_os = "linux")]
#[path = "workspace/mounts.rs"]
mod mounts;
#[path = "workspace/office_proposals.rs"]
mod office_proposals;
#[path = "workspace/proposals.rs"]
mod proposals;
#[path = "workspace/race.rs"]
mod race;
#[path = "workspace/refusals.rs"]
mod refusals;
#[path = "workspace/repair.rs"]
mod repair;
#[path = "workspace/retention.rs"]
mod retention;
#[path = "workspace/revisions.rs"]
mod revisions;
#[path = "workspace/saving.rs"]
mod saving;
#[path = "workspace/stopping.rs"]
mod stopping;
#[path = "workspace/watching.rs"]
mod watching;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use assistant::{
    App, AppError, AppOptions, Request, Response,
    api::{
        answers::{DocumentInfo, HistoryAnswer, ProposalInfo, Receipt},
        error::ErrorCode,
        params,
    },
    secrets::Keychain,
    workspace::{EditMode, Stop, Workspace, WorkspaceOptions, faults::Faults, system_clock},
};
#[cfg(target_os = "linux")]
use mounts::Mounted;
use serde_json::{Value, json};

/// A folder with a Stet home and documents in it.
pub(crate) struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Scratch {
        Scratch { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        let documents = self.folder.path().join("documents");
        fs::create_dir_all(&documents).unwrap();
        documents.join(name)
    }

    pub(crate) fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn options(&self) -> AppOptions {
        AppOptions { keychain: Keychain::Absent, ..AppOptions::new(self.home()) }
    }

    pub(crate) fn app(&self) -> Arc<App> {
        App::open(self.options()).unwrap()
    }

    /// The workspace without the wire, for tests that give it a clock, limits or faults.
    pub(crate) fn workspace(&self, faults: Faults) -> Workspace {
        Workspace::open(WorkspaceOptions {
            home: self.home(),
            clock: system_clock(),
            author: "Test".into(),
            limits: documents::Limits::default(),
            lock_wait: std::time::Duration::from_secs(20),
            faults,
        })
        .unwrap()
    }

    /// Files beside the documents that are ours and should not be there. A content that is stored after the receipt has some time.
    pub(crate) fn leftovers(&self) -> Vec<String> {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
        loop {
            let left = self.present_leftovers();
            if left.is_empty() || std::time::Instant::now() > end {
                return left;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }

    pub(crate) fn present_leftovers(&self) -> Vec<String> {
        let names = |folder: PathBuf| {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        let mut left: Vec<String> = names(self.folder.path().join("documents"))
            .into_iter()
            .filter(|name| name.contains("stet"))
            .collect();
        left.extend(names(self.home().join("blobs/tmp")));
        left
    }
}

pub(crate) fn open(app: &App, path: &Path) -> DocumentInfo {
    match app
        .run(
            Request::DocumentsOpen(params::DocumentPath { path: path.to_str().unwrap().into() }),
            &Stop::default(),
        )
        .unwrap()
    {
        Response::DocumentsOpen(document) => document,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn edit(
    app: &App,
    file_id: &str,
    expected: Option<u64>,
    mode: EditMode,
    ops: Value,
) -> Result<Receipt, AppError> {
    let Value::Array(ops) = ops else { panic!("ops is an array") };
    let params = params::Edit {
        file_id: file_id.into(),
        expected_content_rev: expected,
        ops,
        mode,
        ..params::Edit::default()
    };
    match app.run(Request::DocumentsEdit(params), &Stop::default())? {
        Response::DocumentsEdit(receipt) => Ok(receipt),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn commit(app: &App, file_id: &str, expected: u64, ops: Value) -> Result<Receipt, AppError> {
    edit(app, file_id, Some(expected), EditMode::Commit, ops)
}

pub(crate) fn stage(app: &App, file_id: &str, expected: u64, ops: Value) -> Result<Receipt, AppError> {
    edit(app, file_id, Some(expected), EditMode::Stage, ops)
}

pub(crate) fn append(text: &str) -> Value {
    json!([{ "op": "append_lines", "text": text }])
}

pub(crate) fn replace(find: &str, replace: &str) -> Value {
    json!([{ "op": "replace_text", "find": find, "replace": replace }])
}

pub(crate) fn history(app: &App, file_id: &str) -> HistoryAnswer {
    match app.run(Request::HistoryList(params::FileId { file_id: file_id.into() }), &Stop::default()).unwrap()
    {
        Response::HistoryList(history) => history,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn restore(
    app: &App,
    file_id: &str,
    snapshot: &str,
    expected: Option<u64>,
) -> Result<Receipt, AppError> {
    let params = params::Restore {
        file_id: file_id.into(),
        snapshot: snapshot.into(),
        expected_content_rev: expected,
    };
    receipt(app.run(Request::HistoryRestore(params), &Stop::default())?)
}

pub(crate) fn undo(app: &App, file_id: &str) -> Result<Receipt, AppError> {
    let params = params::Step { file_id: file_id.into(), expected_content_rev: None };
    receipt(app.run(Request::HistoryUndo(params), &Stop::default())?)
}

pub(crate) fn redo(app: &App, file_id: &str) -> Result<Receipt, AppError> {
    let params = params::Step { file_id: file_id.into(), expected_content_rev: None };
    receipt(app.run(Request::HistoryRedo(params), &Stop::default())?)
}

pub(crate) fn accept(app: &App, proposal: &str, changes: Option<Vec<usize>>) -> Result<Receipt, AppError> {
    let params = params::ProposalChoice { proposal_id: proposal.into(), changes };
    receipt(app.run(Request::ProposalsAccept(params), &Stop::default())?)
}

pub(crate) fn reject(app: &App, proposal: &str, changes: Option<Vec<usize>>) -> Result<(), AppError> {
    let params = params::ProposalChoice { proposal_id: proposal.into(), changes };
    app.run(Request::ProposalsReject(params), &Stop::default()).map(drop)
}

pub(crate) fn proposals(app: &App) -> Vec<ProposalInfo> {
    match app.run(Request::ProposalsList(params::ProposalsOf::default()), &Stop::default()).unwrap() {
        Response::ProposalsList(proposals) => proposals,
        other => panic!("{other:?}"),
    }
}

fn receipt(response: Response) -> Result<Receipt, AppError> {
    match response {
        Response::HistoryRestore(receipt)
        | Response::HistoryUndo(receipt)
        | Response::HistoryRedo(receipt)
        | Response::ProposalsAccept(receipt) => Ok(receipt),
        other => panic!("{other:?}"),
    }
}

/// The code of a refusal.
#[track_caller]
pub(crate) fn code<T: std::fmt::Debug>(result: Result<T, AppError>) -> ErrorCode {
    result.unwrap_err().code
}

/// A number of repetitions: the full one in `cargo xtask test --full`, which sets `STET_FULL`.
pub(crate) fn rounds(everyday: usize, full: usize) -> usize {
    if std::env::var_os("STET_FULL").is_some() { full } else { everyday }
}

/// A small generator with a seed, so that a failing round can be had again.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `bound` (xorshift64*).
    pub(crate) fn roll(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16) % bound
    }
}

/// Runs one test of this binary as another process; it is told what to do by environment variables.
pub(crate) fn child(test: &str, home: &Path, document: &Path) -> std::process::Command {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command.env("STET_CHILD_HOME", home).env("STET_CHILD_DOCUMENT", document);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
    command
}

/// In a child process: the home and the document it works on; `None` in an ordinary run of the test.
pub(crate) fn child_task() -> Option<(PathBuf, PathBuf)> {
    let home = std::env::var_os("STET_CHILD_HOME")?;
    Some((home.into(), std::env::var_os("STET_CHILD_DOCUMENT")?.into()))
}

/// What must hold whenever the disk is quiet: the store agrees with the disk, every revision can be had back, nothing is left lying.
#[track_caller]
pub(crate) fn check_sound(scratch: &Scratch, path: &Path) -> HistoryAnswer {
    let app = scratch.app();
    let document = open(&app, path);
    let history = history(&app, &document.file_id);
    assert_eq!(history.content_rev, document.content_rev);
    let newest = &history.snapshots[0];
    assert_eq!(newest.content_rev, document.content_rev);
    let revisions: Vec<u64> = history.snapshots.iter().map(|snapshot| snapshot.content_rev).collect();
    assert!(revisions.windows(2).all(|pair| pair[0] > pair[1]), "revisions repeat or go back: {revisions:?}");
    assert_eq!(revisions.last(), Some(&1));
    let workspace = scratch.workspace(Faults::default());
    for snapshot in &history.snapshots {
        let (_, bytes) = workspace.snapshot_bytes(&document.file_id, &snapshot.id).unwrap();
        assert_eq!(bytes.len() as u64, snapshot.size);
    }
    let (_, now) = workspace.snapshot_bytes(&document.file_id, &newest.id).unwrap();
    assert_eq!(now, fs::read(path).unwrap(), "the newest revision is what lies on the disk");
    assert_eq!(scratch.leftovers(), Vec::<String>::new());
    history
}
