//! The agent end to end: a user's words become edits through `App`, with the built-in model and with scripted ones.

#[path = "agent/bounds.rs"]
mod bounds;
#[path = "agent/builtin.rs"]
mod builtin;
#[path = "agent/cancelling.rs"]
mod cancelling;
#[path = "agent/carriers.rs"]
mod carriers;
#[path = "agent/eval.rs"]
mod eval;
#[path = "agent/experiment.rs"]
mod experiment;
#[path = "agent/hostile.rs"]
mod hostile;
#[path = "agent/kept_out.rs"]
mod kept_out;
#[path = "agent/matrix.rs"]
mod matrix;
#[path = "agent/remote.rs"]
mod remote;
#[path = "agent/seed.rs"]
mod seed;
#[path = "agent/sets.rs"]
mod sets;
#[path = "agent/turns.rs"]
mod turns;

use std::{path::PathBuf, sync::Arc};

use assistant::{
    App, AppOptions, Request, Response,
    agent::turn::TurnReport,
    api::{
        answers::DocumentInfo,
        params::{DocumentPath, FileId},
        turn_api::TurnStart,
    },
    secrets::Keychain,
    workspace::{EditMode, Stop, faults::Faults},
};

/// An app on a home of its own, with a folder for documents.
pub(crate) struct Desk {
    pub app: Arc<App>,
    pub folder: tempfile::TempDir,
    _home: tempfile::TempDir,
}

impl Desk {
    pub(crate) fn new() -> Desk {
        Desk::with_faults(Faults::default())
    }

    /// A desk whose disk does what a test wants.
    pub(crate) fn with_faults(faults: Faults) -> Desk {
        let home = tempfile::tempdir().unwrap();
        let options = AppOptions { keychain: Keychain::Absent, faults, ..AppOptions::new(home.path()) };
        Desk { app: App::open(options).unwrap(), folder: tempfile::tempdir().unwrap(), _home: home }
    }

    /// Makes and opens a document.
    pub(crate) fn document(&self, name: &str, bytes: &[u8]) -> DocumentInfo {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        self.open(name)
    }

    pub(crate) fn open(&self, name: &str) -> DocumentInfo {
        let path = self.path(name).to_string_lossy().into_owned();
        match self.app.run(Request::DocumentsOpen(DocumentPath { path }), &Stop::default()).unwrap() {
            Response::DocumentsOpen(info) => info,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(std::fs::read(self.path(name)).unwrap()).unwrap()
    }

    pub(crate) fn info(&self, file_id: &str) -> DocumentInfo {
        self.app.documents_list().unwrap().into_iter().find(|file| file.file_id == file_id).unwrap()
    }

    pub(crate) fn snapshots(&self, file_id: &str) -> usize {
        let params = FileId { file_id: file_id.into() };
        self.app.history_list(&params, &Stop::default()).unwrap().snapshots.len()
    }
}

/// A turn on some files.
pub(crate) fn turn(message: &str, files: &[&DocumentInfo], mode: EditMode) -> TurnStart {
    TurnStart {
        message: message.into(),
        file_ids: files.iter().map(|file| file.file_id.clone()).collect(),
        mode: Some(mode),
        ..TurnStart::default()
    }
}

/// Runs a turn with the built-in model.
pub(crate) async fn say(desk: &Desk, message: &str, files: &[&DocumentInfo], mode: EditMode) -> TurnReport {
    desk.app.turn(&turn(message, files, mode)).await.unwrap()
}
