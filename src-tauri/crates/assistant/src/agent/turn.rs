//! One turn: from the user's words to the final answer, as a state machine.
//!
//! `Ask` gets one message of the model, `Act` does its calls, `Apply` its Markdown Diff blocks, `Conclude` asks for the final answer
//! with thinking on. Everything is bounded (steps, tokens, time, failures) and ends in exactly one event, finished or failed.

mod act;
mod apply;
mod ask;
pub mod conversation;
mod counts;
mod execute;
pub mod guard;
mod kept;
mod landing;
pub mod prompt;
mod report;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use gateway::CancellationToken;
use gateway::{AssistantMessage, Message, Usage};

use super::{
    markdown_diff::DiffSet,
    model::{Model, ModelCard},
    routing::Protocol,
};
use crate::{
    api::{
        App, AppError, EventBody,
        answers::{DocumentInfo, Receipt},
        error::ErrorCode,
    },
    settings::TurnLimits,
    workspace::{EditMode, Stop},
};
use conversation::Conversation;
use guard::{Guard, Stopped};
pub use report::TurnReport;

/// What a turn is started with.
pub struct TurnRequest {
    pub turn_id: String,
    pub words: String,
    /// The session's files, the one in front first; no other file can be reached.
    pub file_ids: Vec<String>,
    pub mode: EditMode,
    pub limits: TurnLimits,
    /// A fixed protocol for experiments.
    pub protocol: Option<Protocol>,
    pub conversation: Conversation,
}

/// A turn under way.
pub(crate) struct Turn {
    app: Arc<App>,
    model: Arc<dyn Model>,
    request: TurnRequest,
    cancel: CancellationToken,
    stop: Stop,
    guard: Guard,
    /// Where this turn begins in the conversation.
    begins: usize,
    /// After the first truncation the edit tool has two exclusive forms.
    degraded: bool,
    steps: u32,
    retries: usize,
    usage: Usage,
    receipts: Vec<Receipt>,
    started: Instant,
    /// What all requests cost together, estimated where the endpoint does not say.
    spent: u64,
    /// Calls of the message that is being done; they share the room for results.
    calls: usize,
    /// Text whose end did not arrive in the message that is being done.
    unfinished: Option<String>,
    /// The same of a write that was refused for it; the user gets it unless a later write is done.
    kept: Option<String>,
    /// A write that is being done; it is waited for also when the turn ends meanwhile.
    in_flight: Option<landing::InFlight>,
}

enum State {
    Ask,
    Act(AssistantMessage),
    Apply(DiffSet),
    Conclude,
    Done(String),
}

impl Turn {
    pub(crate) fn new(
        app: Arc<App>,
        model: Arc<dyn Model>,
        request: TurnRequest,
        cancel: CancellationToken,
    ) -> Turn {
        let stop = Stop::after(Duration::from_secs(u64::from(request.limits.seconds)));
        Turn {
            app,
            model,
            begins: request.conversation.len(),
            request,
            cancel,
            stop,
            guard: Guard::default(),
            degraded: false,
            steps: 0,
            retries: 0,
            usage: Usage::default(),
            receipts: Vec::new(),
            started: Instant::now(),
            spent: 0,
            calls: 1,
            unfinished: None,
            kept: None,
            in_flight: None,
        }
    }

    /// Runs to the end and gives the conversation back; the caller tells the end once it has it.
    pub(crate) async fn run(mut self) -> (TurnReport, Conversation) {
        self.tell(EventBody::TurnStarted { turn_id: self.request.turn_id.clone() });
        let ended = self.bounded().await;
        self.land().await;
        self.request.conversation.close_calls();
        let report = self.conclude(ended);
        (report, self.request.conversation)
    }

    /// The states, within the time of a turn; cancelling ends them at once.
    async fn bounded(&mut self) -> Result<String, AppError> {
        let (cancel, stop) = (self.cancel.clone(), self.stop.clone());
        let limit = Duration::from_secs(u64::from(self.request.limits.seconds));
        let ended = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(AppError::new(ErrorCode::Cancelled, "The turn was cancelled.")),
            ended = tokio::time::timeout(limit, self.states()) => ended.unwrap_or_else(|_| {
                let message = format!("The turn took longer than {} s.", limit.as_secs());
                Err(AppError::new(ErrorCode::Timeout, message))
            }),
        };
        if ended.is_err() {
            stop.cancel();
        }
        ended
    }

    async fn states(&mut self) -> Result<String, AppError> {
        self.look().await?;
        let files = self.files().await?;
        let text = match self.card().relays_user {
            true => self.request.words.clone(),
            false => prompt::user(&self.request.words, &files),
        };
        self.request.conversation.user(text);
        let mut state = State::Ask;
        loop {
            state = match state {
                State::Ask => self.ask().await?,
                State::Act(message) => self.act(message).await?,
                State::Apply(set) => self.apply(set).await?,
                State::Conclude => self.final_answer().await?,
                State::Done(text) => return Ok(self.with_kept(text)),
            };
        }
    }

    /// Ends the turn with an explanation to the user, which also enters the conversation.
    fn stopped(&mut self, why: &Stopped) -> State {
        let text = self.named(why).told(self.speaks_chinese());
        self.say(&text);
        let message = AssistantMessage { text: text.clone(), ..AssistantMessage::default() };
        self.request.conversation.assistant(message);
        State::Done(text)
    }

    /// The same with the file by the name that the user knows.
    fn named(&self, why: &Stopped) -> Stopped {
        let mut why = why.clone();
        if let Stopped::TooManyFailures { file, .. } = &mut why {
            let known = self.app.workspace.known(file).ok().filter(|_| self.request.file_ids.contains(file));
            match (known, file.is_empty(), self.speaks_chinese()) {
                (Some(known), ..) => *file = known.name(),
                (None, true, false) => *file = "a file that was not named".into(),
                (None, true, true) => *file = "未指明的文件".into(),
                (None, false, _) => {}
            }
        }
        why
    }

    fn card(&self) -> &ModelCard {
        self.model.card()
    }

    fn speaks_chinese(&self) -> bool {
        super::builtin::plan::language_of(&self.request.words) == super::builtin::replies::Language::Chinese
    }

    /// Notices what other programs changed since the files were last looked at, so that the turn begins on the newest revisions.
    async fn look(&self) -> Result<(), AppError> {
        let (app, ids, stop) = (Arc::clone(&self.app), self.request.file_ids.clone(), self.stop.clone());
        blocking(move || {
            for file_id in ids {
                let file = app.workspace.known(&file_id)?;
                // A file that cannot be read now is told as such by the call that needs it.
                let _ = app.workspace.current(&file, &stop);
            }
            Ok(())
        })
        .await
    }

    /// The session's files as they are now.
    async fn files(&self) -> Result<Vec<DocumentInfo>, AppError> {
        let (app, ids) = (Arc::clone(&self.app), self.request.file_ids.clone());
        blocking(move || app.documents_known(&ids)).await
    }

    /// What was said and done since the user's message.
    fn since(&self) -> &[Message] {
        self.request.conversation.messages().get(self.begins + 1..).unwrap_or_default()
    }

    fn tell(&self, body: EventBody) {
        self.app.tell(body);
    }

    /// Shows text that is not the model's own.
    fn say(&self, text: &str) {
        self.tell(EventBody::TurnText { turn_id: self.request.turn_id.clone(), delta: text.to_string() });
    }
}

/// Runs what may block away from the event loop.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
) -> Result<T, AppError> {
    let failed = |error: tokio::task::JoinError| {
        Err(AppError::new(ErrorCode::Internal, format!("A step failed: {error}.")))
    };
    tokio::task::spawn_blocking(work).await.unwrap_or_else(failed)
}
