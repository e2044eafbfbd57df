//! The one command table: every host (desktop shell, command line, MCP server, tests) calls `App::call` with a `Request`.
//!
//! Wire types are declared here and in `api/`; TypeScript is generated from them. What a command does lives in `workspace` and
//! `agent`; how errors are told in `api/error.rs`.

pub mod answers;
mod app;
pub mod documents_api;
pub mod error;
pub mod events;
#[cfg(test)]
mod generated;
pub mod history_api;
pub mod mirror;
pub mod models_api;
pub mod params;
pub mod preview_api;
pub mod proposals_api;
pub mod proxy_api;
pub mod settings_api;
pub mod turn_api;
mod watch;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{
    preview::wire::{DocxPreview, PreviewDocx, PreviewSheet, PreviewSlides, SheetPreview, SlidesPreview},
    settings::Settings,
};
use answers::{
    AppStatus, ComparisonAnswer, DocumentInfo, Done, HistoryAnswer, KeyStatus, OutlineAnswer, ProposalInfo,
    Receipt, SearchAnswer, TextPreview, UsageAnswer, VerifyAnswer,
};
pub use app::{App, AppOptions};
pub use error::AppError;
pub use events::{Event, EventBody};
use models_api::{ModelTest, ModelTestAnswer, ModelsAnswer, ModelsOf};
use params::{
    Compare, Create, Diff, DocumentPath, Edit, FileId, KeyOf, NewKey, NoParams, OutlineOf, OutlineWindow,
    Pin, PreviewText, ProposalChoice, ProposalOf, ProposalsOf, Relink, Restore, Search, SettingsChange, Step,
    Verify,
};
use proxy_api::{ProxyStart, ProxyStatus};
use turn_api::{MetricsAnswer, TurnOf, TurnStart, TurnStarted};

/// Declares each command once: its name on the wire, its parameters and its answer.
macro_rules! commands {
    ($($(#[$doc:meta])* $variant:ident = $name:literal: $params:ty => $answer:ty;)*) => {
        /// A command with its parameters.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
        #[serde(tag = "command", content = "params")]
        pub enum Request {
            $($(#[$doc])* #[serde(rename = $name)] $variant($params),)*
        }

        /// The answer to a command; on the wire just the answer.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum Response {
            $($variant($answer),)*
        }

        impl Request {
            /// The command's name on the wire.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Request::$variant(_) => $name,)*
                }
            }
        }

        /// The answer to each command, as TypeScript sees it. Never built.
        #[derive(TS)]
        #[allow(non_snake_case)]
        pub struct Answers {
            $(#[ts(rename = $name)] pub $variant: $answer,)*
        }
    };
}

commands! {
    /// Opens a file by its path: from a dialog, a drop, the command line or the recent files.
    DocumentsOpen = "documents.open": DocumentPath => DocumentInfo;
    /// The open files.
    DocumentsList = "documents.list": NoParams => Vec<DocumentInfo>;
    /// Takes a file from the list.
    DocumentsClose = "documents.close": FileId => Done;
    /// Tells where a moved file is now.
    DocumentsRelink = "documents.relink": Relink => DocumentInfo;
    /// The contract's outline.
    DocumentsOutline = "documents.outline": OutlineOf => OutlineAnswer;
    /// Finds text in open files.
    DocumentsSearch = "documents.search": Search => SearchAnswer;
    /// Applies a batch: commits, stages or only shows it.
    DocumentsEdit = "documents.edit": Edit => Receipt;
    /// Makes a file that does not exist yet.
    DocumentsCreate = "documents.create": Create => Receipt;
    /// Checks a document, alone or against another.
    DocumentsVerify = "documents.verify": Verify => VerifyAnswer;
    /// What would change, or what changed.
    DocumentsDiff = "documents.diff": Diff => ComparisonAnswer;
    /// A text document, before or after.
    PreviewText = "preview.text": PreviewText => TextPreview;
    /// A window of cells, before or after.
    PreviewSheet = "preview.sheet": PreviewSheet => SheetPreview;
    /// A copy of a Word document to draw, before or after.
    PreviewDocx = "preview.docx": PreviewDocx => DocxPreview;
    /// The slides as places and text, before or after.
    PreviewSlides = "preview.slides": PreviewSlides => SlidesPreview;
    /// What waits for the user.
    ProposalsList = "proposals.list": ProposalsOf => Vec<ProposalInfo>;
    /// Commits a proposal, or the chosen changes of it.
    ProposalsAccept = "proposals.accept": ProposalChoice => Receipt;
    /// Drops a proposal, or the chosen changes of it.
    ProposalsReject = "proposals.reject": ProposalChoice => Done;
    /// Fits a proposal to the file as it is now.
    ProposalsRebase = "proposals.rebase": ProposalOf => ProposalInfo;
    /// The contract's history.
    HistoryList = "history.list": FileId => HistoryAnswer;
    /// Makes a snapshot the next revision.
    HistoryRestore = "history.restore": Restore => Receipt;
    /// One state back.
    HistoryUndo = "history.undo": Step => Receipt;
    /// One undo taken back.
    HistoryRedo = "history.redo": Step => Receipt;
    /// Keeps a snapshot whatever retention says.
    HistoryPin = "history.pin": Pin => Done;
    /// Compares two snapshots.
    HistoryCompare = "history.compare": Compare => ComparisonAnswer;
    /// What the snapshots take on the disk.
    HistoryUsage = "history.usage": NoParams => UsageAnswer;
    /// Where the data lies and what the user should know about it.
    AppStatus = "app.status": NoParams => AppStatus;
    /// The user's choices.
    SettingsGet = "settings.get": NoParams => Settings;
    /// Changes some of them.
    SettingsUpdate = "settings.update": SettingsChange => Settings;
    /// Keeps a provider's key in the keychain.
    KeysSet = "keys.set": NewKey => KeyStatus;
    /// Removes a provider's key.
    KeysClear = "keys.clear": KeyOf => Done;
    /// Where a provider's key is.
    KeysStatus = "keys.status": KeyOf => KeyStatus;
    /// The models that a provider's endpoint offers now.
    ModelsList = "models.list": ModelsOf => ModelsAnswer;
    /// Asks a model for a word and for a tool call, and tells what it really answered.
    ModelsTest = "models.test": ModelTest => ModelTestAnswer;
    /// Starts the validating proxy for other programs.
    ProxyStart = "proxy.start": ProxyStart => ProxyStatus;
    /// Ends it.
    ProxyStop = "proxy.stop": NoParams => ProxyStatus;
    /// Whether it runs, and how clients reach it.
    ProxyStatus = "proxy.status": NoParams => ProxyStatus;
    /// Starts a turn of the assistant; progress comes as events.
    TurnStart = "turn.start": TurnStart => TurnStarted;
    /// Cancels a turn.
    TurnCancel = "turn.cancel": TurnOf => Done;
    /// The counters of section 9.
    MetricsGet = "metrics.get": NoParams => MetricsAnswer;
}

impl Request {
    /// Reads `{"command": …, "params": {…}}`; `params` may be left out.
    pub fn parse(mut value: serde_json::Value) -> Result<Request, AppError> {
        if let Some(object) = value.as_object_mut() {
            object.entry("params").or_insert_with(|| serde_json::json!({}));
        }
        serde_json::from_value(value).map_err(|error| AppError::invalid_arguments(error.to_string()))
    }
}

/// A window's default size when the caller names none.
pub(crate) fn outline_request(window: &OutlineWindow) -> documents::OutlineRequest {
    let default = documents::OutlineRequest::default();
    documents::OutlineRequest { range: window.range.clone(), budget: window.budget.unwrap_or(default.budget) }
}
