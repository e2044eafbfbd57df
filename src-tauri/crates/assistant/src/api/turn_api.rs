//! `turn.*` and `metrics.get`: the assistant's turns, started here and told by events.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{App, AppError, answers::Done, error::ErrorCode};
use crate::{
    agent::{
        builtin::BuiltinModel,
        metrics::MetricsRow,
        model::{Model, RemoteModel},
        routing::Protocol,
        session::MAIN,
        turn::{Turn, TurnReport, TurnRequest},
    },
    settings::{Review, Settings},
    workspace::EditMode,
};

/// The user's words to the assistant.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct TurnStart {
    pub message: String,
    /// The files that the assistant may see, the one in front first.
    pub file_ids: Vec<String>,
    /// `builtin` or `provider/model`; the settings' choice when absent.
    pub model: Option<String>,
    /// A name under which the conversation goes on.
    pub conversation: Option<String>,
    /// What happens with edits; the settings' choice when absent.
    pub mode: Option<EditMode>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TurnOf {
    pub turn_id: String,
}

/// A turn that has begun.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TurnStarted {
    pub turn_id: String,
}

/// The contract's counters (section 9).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MetricsAnswer {
    pub ok: bool,
    pub rows: Vec<MetricsRow>,
}

/// A turn that was begun and not yet run.
struct Begun {
    turn: Turn,
    turn_id: String,
    conversation: String,
}

impl App {
    /// Starts a turn; it goes on by itself and is told by events.
    pub fn turn_start(&self, params: &TurnStart) -> Result<TurnStarted, AppError> {
        let app = self.shared()?;
        let runtime = tokio::runtime::Handle::try_current()
            .map_err(|_| AppError::new(ErrorCode::Internal, "A turn needs the runtime of its host."))?;
        let model = app.model_for(params)?;
        let begun = app.begin(params, model)?;
        let turn_id = begun.turn_id.clone();
        runtime.spawn(async move { app.finish(begun).await });
        Ok(TurnStarted { turn_id })
    }

    /// Runs a turn to its end, for hosts that wait (`stet ask`, the evaluation).
    pub async fn turn(self: &Arc<Self>, params: &TurnStart) -> Result<TurnReport, AppError> {
        let model = self.model_for(params)?;
        self.turn_with(params, model).await
    }

    /// Runs a turn to its end with a given model.
    pub async fn turn_with(
        self: &Arc<Self>,
        params: &TurnStart,
        model: Arc<dyn Model>,
    ) -> Result<TurnReport, AppError> {
        let begun = self.begin(params, model)?;
        Ok(self.finish(begun).await)
    }

    /// Cancels a turn. What it committed before stays, what it was about to write is not written.
    pub fn turn_cancel(&self, params: &TurnOf) -> Result<Done, AppError> {
        if self.agent.cancel(&params.turn_id) {
            return Ok(Done { ok: true });
        }
        Err(AppError::new(ErrorCode::OutOfRange, format!("No turn `{}` runs.", params.turn_id)))
    }

    /// The counters.
    pub fn metrics_get(&self) -> Result<MetricsAnswer, AppError> {
        let rows = self.agent.metrics.rows();
        let rows = rows.map_err(|error| {
            AppError::new(ErrorCode::IoError, format!("The counters cannot be read: {error}."))
        })?;
        Ok(MetricsAnswer { ok: true, rows })
    }

    fn begin(self: &Arc<Self>, params: &TurnStart, model: Arc<dyn Model>) -> Result<Begun, AppError> {
        let settings = self.settings_get()?;
        for file_id in &params.file_ids {
            self.workspace.known(file_id)?;
        }
        let conversation = params.conversation.clone().unwrap_or_else(|| MAIN.into());
        let messages = self.agent.take(&conversation).ok_or_else(|| {
            AppError::new(ErrorCode::Locked, "A turn of this conversation is still running.")
                .hint("Wait for its end, or cancel it.")
        })?;
        let (turn_id, cancel) = self.agent.begin();
        let request = TurnRequest {
            turn_id: turn_id.clone(),
            words: params.message.clone(),
            file_ids: params.file_ids.clone(),
            mode: params.mode.unwrap_or_else(|| mode_of(&settings)),
            limits: settings.turn.clone(),
            protocol: self.protocol_of(&settings, &turn_id),
            conversation: messages,
        };
        let turn = Turn::new(Arc::clone(self), model, request, cancel);
        Ok(Begun { turn, turn_id, conversation })
    }

    async fn finish(&self, begun: Begun) -> TurnReport {
        let (report, messages) = begun.turn.run().await;
        self.agent.give_back(&begun.conversation, messages);
        self.agent.end(&begun.turn_id);
        // Only now may a listener start the next turn.
        self.tell(report.event());
        report
    }

    fn model_for(&self, params: &TurnStart) -> Result<Arc<dyn Model>, AppError> {
        let settings = self.settings_get()?;
        let wanted = params.model.as_deref().or(settings.model.as_deref()).unwrap_or("builtin");
        match wanted {
            "builtin" => Ok(Arc::new(BuiltinModel::default())),
            named => self.remote_model(&settings, named),
        }
    }

    /// `provider/model` of the settings, with the provider's key.
    fn remote_model(&self, settings: &Settings, named: &str) -> Result<Arc<dyn Model>, AppError> {
        let unknown = || {
            AppError::invalid_arguments(format!("There is no model `{named}` in the settings."))
                .hint("Name it as provider/model.")
        };
        let (provider, model) = named.split_once('/').ok_or_else(unknown)?;
        let provider = settings.providers.iter().find(|known| known.id == provider).ok_or_else(unknown)?;
        let endpoint = self.endpoint_of(provider, model)?;
        let client = gateway::Client::new(endpoint)
            .map_err(|error| super::models_api::endpoint_error(error.code, error.message))?;
        let remote = RemoteModel::new(client, named);
        Ok(Arc::new(match provider.context_tokens.and_then(|tokens| usize::try_from(tokens).ok()) {
            Some(tokens) => remote.context(tokens),
            None => remote,
        }))
    }

    /// A fixed protocol for experiments; `ab` deals the three out by turn.
    fn protocol_of(&self, settings: &Settings, turn_id: &str) -> Option<Protocol> {
        const ARMS: [Protocol; 3] = [Protocol::FunctionCall, Protocol::Fence, Protocol::MarkdownDiff];
        match settings.protocol.as_deref()? {
            "function_call" => Some(Protocol::FunctionCall),
            "fence" => Some(Protocol::Fence),
            "markdown_diff" => Some(Protocol::MarkdownDiff),
            "ab" => ARMS.get(self.agent.arm(turn_id, ARMS.len())).copied(),
            _ => None,
        }
    }

    /// Counts what a user decided on an edit of the assistant.
    pub(crate) fn count_decision(&self, proposal_id: &str, kind: &str, took: Option<std::time::Duration>) {
        let Ok(proposal) = self.workspace.proposal(proposal_id) else { return };
        let format = self.workspace.known(&proposal.file_id).map(|file| file.format().as_str().to_string());
        let key = crate::agent::metrics::Key {
            model: proposal.model.unwrap_or_default(),
            format: format.unwrap_or_default(),
            ..crate::agent::metrics::Key::default()
        };
        self.agent.metrics.count(&key, kind, 1);
        if let Some(took) = took {
            self.agent.metrics.time(&key, crate::agent::metrics::kind::COMMIT, took);
        }
    }
}

fn mode_of(settings: &Settings) -> EditMode {
    match settings.review {
        Review::Ask => EditMode::Stage,
        Review::Commit => EditMode::Commit,
    }
}
