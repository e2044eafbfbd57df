//! What the app does when a file may have changed: a new revision is told, and what waits on the file is fitted anew.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use super::{
    App, AppError, EventBody,
    answers::{DocumentInfo, DocumentState},
    error::ErrorCode,
};
use crate::workspace::{
    KnownFile, Stop, WorkspaceError,
    watcher::{Look, WatchOptions, Watcher},
};

/// What hosts were last told of each file, so that nothing is told twice.
#[derive(Default)]
pub(crate) struct Told(Mutex<HashMap<String, (u64, DocumentState)>>);

impl Told {
    /// Whether this is news.
    pub(crate) fn is_news(&self, document: &DocumentInfo) -> bool {
        let news = (document.content_rev, document.state);
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.insert(document.file_id.clone(), news) != Some(news)
    }
}

impl App {
    /// Starts to watch the open files.
    pub(crate) fn start_watching(self: &Arc<App>, options: WatchOptions) -> Result<(), AppError> {
        let weak: Weak<App> = Arc::downgrade(self);
        let look = move |file_id: &str, is_last: bool| match weak.upgrade() {
            Some(app) => app.look(file_id, is_last),
            None => Look::Settled,
        };
        let failed =
            |error| AppError::new(ErrorCode::Internal, format!("The watcher could not be started: {error}."));
        let watcher = Watcher::start(options, look).map_err(failed)?;
        for file in self.workspace.open_files()? {
            // What hosts see in the list before the first look; what happened since the last session is news.
            self.told.is_news(&self.info(&file)?);
            watcher.watch(&file.file_id, &file.path);
        }
        *self.watcher.lock().unwrap_or_else(PoisonError::into_inner) = Some(watcher);
        Ok(())
    }

    /// Calls the watcher, if there is one.
    pub(crate) fn with_watcher(&self, work: impl FnOnce(&Watcher)) {
        if let Some(watcher) = self.watcher.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            work(watcher);
        }
    }

    fn look(&self, file_id: &str, is_last: bool) -> Look {
        let stop = Stop::after(self.options.time_limit);
        let Ok(file) = self.workspace.known(file_id) else { return Look::Settled };
        match self.workspace.current(&file, &stop) {
            Ok((file, _)) => {
                self.tell_document(&file);
                Look::Settled
            }
            Err(WorkspaceError::Missing(_)) if !is_last => Look::Again,
            Err(WorkspaceError::Missing(_)) => {
                self.tell_document(&file);
                Look::Settled
            }
            Err(_) => Look::Again,
        }
    }

    /// Tells a file's revision and state if they are news.
    pub(crate) fn tell_document(&self, file: &KnownFile) {
        let Ok(document) = self.info(file) else { return };
        if !self.told.is_news(&document) {
            return;
        }
        let file_id = document.file_id.clone();
        self.tell(EventBody::DocumentChanged { document });
        self.tell(EventBody::HistoryChanged { file_id });
        self.fit_proposals(&file.file_id);
    }

    /// Fits what waits on a file to its present content and tells what became of it.
    pub(crate) fn fit_proposals(&self, file_id: &str) {
        let stop = Stop::after(self.options.time_limit);
        if let Ok(fitted) = self.workspace.fit_proposals(file_id, &stop) {
            for proposal in &fitted {
                self.tell(EventBody::ProposalChanged { proposal: proposal.into() });
            }
        }
    }
}
