//! `App`: one Stet home with its workspace and its event channel, and the dispatch of every command.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use tokio::sync::broadcast;

use super::{
    AppError, Event, EventBody, Request, Response, answers::AppStatus, error::ErrorCode,
    proxy_api::ProxySlot, watch::Told,
};
use crate::workspace::{
    Clock, RetentionLimits, Stop, Workspace, WorkspaceOptions,
    faults::Faults,
    system_clock,
    watcher::{WatchOptions, Watcher},
};
use crate::{
    agent::session::Agent,
    secrets::{Keychain, Secrets},
    settings::{self, Settings},
};

/// Events that a slow listener may be behind before it is told that it missed some.
const EVENTS_KEPT: usize = 4_096;

/// What an app is opened with. Hosts set the home; tests set the rest too.
#[derive(Clone)]
pub struct AppOptions {
    /// Stet home.
    pub home: PathBuf,
    /// The author of tracked changes and comments when the settings name none.
    pub author: String,
    pub keychain: Keychain,
    pub clock: Clock,
    pub limits: documents::Limits,
    /// The longest that one command may take.
    pub time_limit: Duration,
    /// How long a commit waits for another Stet process that holds the same file.
    pub lock_wait: Duration,
    /// Whether to notice changes by other programs as they happen; without it they are noticed at the next look.
    pub watch: Option<WatchOptions>,
    /// For tests: errors of the disk.
    pub faults: Faults,
}

impl AppOptions {
    /// The usual options for a home folder.
    pub fn new(home: impl Into<PathBuf>) -> AppOptions {
        AppOptions {
            home: home.into(),
            author: "Stet".into(),
            keychain: Keychain::System,
            clock: system_clock(),
            limits: documents::Limits::default(),
            time_limit: Duration::from_secs(120),
            lock_wait: Duration::from_secs(30),
            watch: None,
            faults: Faults::default(),
        }
    }

    /// The same with the watcher, as hosts with a window want it.
    pub fn watching(mut self) -> AppOptions {
        self.watch = Some(WatchOptions::default());
        self
    }

    /// The home named by `STET_HOME`, else the platform's data folder for the app; `None` when neither is known.
    pub fn from_environment() -> Option<AppOptions> {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let data = || {
            if cfg!(windows) {
                variable("LOCALAPPDATA").map(|folder| folder.join("Stet"))
            } else if cfg!(target_os = "macos") {
                variable("HOME").map(|home| home.join("Library/Application Support/Stet"))
            } else {
                variable("XDG_DATA_HOME")
                    .or_else(|| variable("HOME").map(|home| home.join(".local/share")))
                    .map(|data| data.join("stet"))
            }
        };
        variable("STET_HOME").or_else(data).map(AppOptions::new)
    }
}

/// One open Stet home.
pub struct App {
    pub(crate) workspace: Workspace,
    pub(crate) options: AppOptions,
    pub(crate) secrets: Secrets,
    pub(crate) told: Told,
    pub(crate) watcher: Mutex<Option<Watcher>>,
    pub(crate) agent: Agent,
    pub(crate) proxy: ProxySlot,
    this: Weak<App>,
    pub(crate) previews: crate::preview::Previews,
    events: Mutex<EventChannel>,
}

struct EventChannel {
    next_seq: u64,
    sender: broadcast::Sender<Event>,
}

impl App {
    /// Opens the home and completes what a crash interrupted.
    pub fn open(options: AppOptions) -> Result<Arc<App>, AppError> {
        let workspace = Workspace::open(WorkspaceOptions {
            home: options.home.clone(),
            clock: Arc::clone(&options.clock),
            author: options.author.clone(),
            limits: options.limits.clone(),
            lock_wait: options.lock_wait,
            faults: options.faults.clone(),
        })?;
        let events = Mutex::new(EventChannel { next_seq: 1, sender: broadcast::channel(EVENTS_KEPT).0 });
        let secrets = Secrets::new(options.keychain.clone());
        let watch = options.watch.clone();
        let settings = settings::load(&options.home)?.settings;
        let app = Arc::new_cyclic(|this| App {
            agent: Agent::new(&options.home),
            proxy: ProxySlot::default(),
            workspace,
            options,
            secrets,
            told: Told::default(),
            watcher: Mutex::default(),
            previews: crate::preview::Previews::default(),
            this: Weak::clone(this),
            events,
        });
        app.use_settings(&settings);
        if let Some(watch) = watch {
            app.start_watching(watch)?;
        }
        Ok(app)
    }

    /// Stet home.
    pub fn home(&self) -> &std::path::Path {
        &self.options.home
    }

    /// What happens from now on, in order.
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).sender.subscribe()
    }

    /// Runs a command.
    pub async fn call(self: &Arc<Self>, request: Request) -> Result<Response, AppError> {
        self.call_with(request, &Stop::default()).await
    }

    /// Runs a command that `stop` can cancel. After that nothing was written.
    pub async fn call_with(self: &Arc<Self>, request: Request, stop: &Stop) -> Result<Response, AppError> {
        let (app, stop) = (Arc::clone(self), stop.clone());
        let done = tokio::task::spawn_blocking(move || app.run(request, &stop)).await;
        done.unwrap_or_else(|error| {
            Err(AppError::new(ErrorCode::Internal, format!("The command failed: {error}.")))
        })
    }

    /// Runs a command on this thread.
    pub fn run(&self, request: Request, stop: &Stop) -> Result<Response, AppError> {
        let answer = self.dispatch(request, &stop.within(self.options.time_limit));
        if answer.as_ref().is_err_and(|error| error.code == ErrorCode::Internal) {
            self.workspace.inspect();
        }
        answer
    }

    fn dispatch(&self, request: Request, stop: &Stop) -> Result<Response, AppError> {
        match request {
            Request::DocumentsOpen(params) => self.documents_open(&params, stop).map(Response::DocumentsOpen),
            Request::DocumentsList(_) => self.documents_list().map(Response::DocumentsList),
            Request::DocumentsClose(params) => self.documents_close(&params).map(Response::DocumentsClose),
            Request::DocumentsRelink(params) => {
                self.documents_relink(&params, stop).map(Response::DocumentsRelink)
            }
            Request::DocumentsOutline(params) => {
                self.documents_outline(&params, stop).map(Response::DocumentsOutline)
            }
            Request::DocumentsSearch(params) => {
                self.documents_search(&params, stop).map(Response::DocumentsSearch)
            }
            Request::DocumentsEdit(params) => self.documents_edit(&params, stop).map(Response::DocumentsEdit),
            Request::DocumentsCreate(params) => {
                self.documents_create(&params, stop).map(Response::DocumentsCreate)
            }
            Request::DocumentsVerify(params) => {
                self.documents_verify(&params, stop).map(Response::DocumentsVerify)
            }
            Request::DocumentsDiff(params) => self.documents_diff(&params, stop).map(Response::DocumentsDiff),
            Request::PreviewText(params) => self.preview_text(&params, stop).map(Response::PreviewText),
            Request::PreviewSheet(params) => self.preview_sheet(&params, stop).map(Response::PreviewSheet),
            Request::PreviewDocx(params) => self.preview_docx(&params, stop).map(Response::PreviewDocx),
            Request::PreviewSlides(params) => self.preview_slides(&params, stop).map(Response::PreviewSlides),
            Request::ProposalsList(params) => self.proposals_list(&params).map(Response::ProposalsList),
            Request::ProposalsAccept(params) => {
                self.proposals_accept(&params, stop).map(Response::ProposalsAccept)
            }
            Request::ProposalsReject(params) => {
                self.proposals_reject(&params, stop).map(Response::ProposalsReject)
            }
            Request::ProposalsRebase(params) => self.proposals_rebase(&params).map(Response::ProposalsRebase),
            Request::HistoryList(params) => self.history_list(&params, stop).map(Response::HistoryList),
            Request::HistoryRestore(params) => {
                self.history_restore(&params, stop).map(Response::HistoryRestore)
            }
            Request::HistoryUndo(params) => self.history_undo(&params, stop).map(Response::HistoryUndo),
            Request::HistoryRedo(params) => self.history_redo(&params, stop).map(Response::HistoryRedo),
            Request::HistoryPin(params) => self.history_pin(&params).map(Response::HistoryPin),
            Request::HistoryCompare(params) => {
                self.history_compare(&params, stop).map(Response::HistoryCompare)
            }
            Request::HistoryUsage(_) => self.history_usage().map(Response::HistoryUsage),
            Request::AppStatus(_) => Ok(Response::AppStatus(self.status())),
            Request::TurnStart(params) => self.turn_start(&params).map(Response::TurnStart),
            Request::TurnCancel(params) => self.turn_cancel(&params).map(Response::TurnCancel),
            Request::MetricsGet(_) => self.metrics_get().map(Response::MetricsGet),
            Request::SettingsGet(_) => self.settings_get().map(Response::SettingsGet),
            Request::SettingsUpdate(params) => self.settings_update(&params).map(Response::SettingsUpdate),
            Request::KeysSet(params) => self.keys_set(&params).map(Response::KeysSet),
            Request::KeysClear(params) => self.keys_clear(&params).map(Response::KeysClear),
            Request::KeysStatus(params) => self.keys_status(&params).map(Response::KeysStatus),
            Request::ModelsList(params) => self.models_list(&params, stop).map(Response::ModelsList),
            Request::ModelsTest(params) => self.models_test(&params, stop).map(Response::ModelsTest),
            Request::ProxyStart(params) => self.proxy_start(&params).map(Response::ProxyStart),
            Request::ProxyStop(_) => self.proxy_stop().map(Response::ProxyStop),
            Request::ProxyStatus(_) => Ok(Response::ProxyStatus(self.proxy_status())),
        }
    }

    /// Where the data lies and what the user should know about it.
    pub fn status(&self) -> AppStatus {
        AppStatus {
            ok: true,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            home: self.options.home.to_string_lossy().into_owned(),
            notices: self.workspace.notices(),
        }
    }

    /// Lets old snapshots go, at most once a day, as the settings say. What goes wrong in it must not spoil the command before it.
    pub(crate) fn tidy_daily(&self) {
        let Ok(loaded) = settings::load(&self.options.home) else { return };
        let retention = loaded.settings.retention;
        let limits = RetentionLimits {
            age: Duration::from_secs(u64::from(retention.days) * 86_400),
            per_file: usize::try_from(retention.per_file).unwrap_or(usize::MAX),
            bytes: u64::from(retention.megabytes) << 20,
            grace: Duration::from_secs(3_600),
        };
        // A large history must not keep a person waiting for a receipt; what is left over goes the next day.
        let _ = self.workspace.tidy_daily(&limits, &Stop::after(Duration::from_secs(5)));
    }

    /// Lets the running parts follow the settings.
    pub(crate) fn use_settings(&self, settings: &Settings) {
        let author = if settings.author.is_empty() { &self.options.author } else { &settings.author };
        self.workspace.set_author(author);
    }

    /// This app, for work that goes on after a command.
    pub(crate) fn shared(&self) -> Result<Arc<App>, AppError> {
        self.this.upgrade().ok_or_else(|| AppError::new(ErrorCode::Internal, "The app is closing."))
    }

    /// Tells every listener; the numbers follow the order of telling.
    pub(crate) fn tell(&self, body: EventBody) {
        let mut channel = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let seq = channel.next_seq;
        channel.next_seq += 1;
        // An error only says that nobody listens.
        let _ = channel.sender.send(Event { seq, body });
    }

    /// Adds to an error which file it was about and where that file stands.
    pub(crate) fn about(&self, file_id: &str, error: impl Into<AppError>) -> AppError {
        let content_rev = self.workspace.known(file_id).ok().map(|file| file.content_rev);
        let error = error.into();
        if content_rev.is_none() { error } else { error.about(file_id, content_rev) }
    }
}
