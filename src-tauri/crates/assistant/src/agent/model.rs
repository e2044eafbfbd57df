//! What answers: a remote model behind an endpoint, or the built-in one, both behind one trait.
//!
//! A model sees a conversation and tools and gives one message per step. It cannot reach anything: what it asks for is judged and
//! done by the turn loop.

mod remote;

use std::{future::Future, pin::Pin};

use gateway::CancellationToken;
use gateway::{
    AssistantMessage, ChatRequest, Continuation, Delta, ErrorCode, Finish, Message, Partial, Usage,
};

use crate::api::answers::DocumentInfo;
pub use remote::RemoteModel;

/// What the turn loop must know of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCard {
    /// `builtin`, or `provider/model`.
    pub id: String,
    /// The endpoint's word for counters: a provider id, or `local`.
    pub endpoint: String,
    /// How much it can take in at once, in tokens.
    pub context_tokens: usize,
    /// Mutually exclusive tool forms may be one schema with `oneOf`.
    pub takes_one_of: bool,
    /// Thinking can be switched on for the final answer.
    pub can_think: bool,
    /// It only passes on what the user said and reads no document as instructions, so it may take an edit back without being asked twice.
    pub relays_user: bool,
}

/// One request of a turn.
#[derive(Clone, Copy)]
pub struct Step<'s> {
    pub chat: &'s ChatRequest,
    /// The user's words of this turn, as typed.
    pub words: &'s str,
    /// What was said and done since: calls and their results.
    pub since: &'s [Message],
    /// The files of the session as they are now, the one in front first.
    pub files: &'s [DocumentInfo],
    /// Text longer than this many characters may not travel inside arguments; 0 means no limit.
    pub inline_characters: usize,
}

/// One message of a model, whole and validated.
#[derive(Debug, Clone)]
pub struct StepOutcome {
    pub message: AssistantMessage,
    pub finish: Finish,
    pub usage: Usage,
    /// Silent repetitions of the request that a fault of the answer made necessary.
    pub retries: usize,
    pub continuation: Continuation,
}

/// Why a step gave no usable message.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct StepError {
    pub code: ErrorCode,
    pub message: String,
    /// What did arrive: to be shown and named, never to be executed.
    pub partial: Partial,
    pub usage: Usage,
    pub retries: usize,
    pub continuation: Continuation,
}

impl StepError {
    pub fn cancelled() -> StepError {
        StepError {
            code: ErrorCode::Cancelled,
            message: "The turn was cancelled.".into(),
            partial: Partial::default(),
            usage: Usage::default(),
            retries: 0,
            continuation: Continuation::NotNeeded,
        }
    }
}

/// A step under way.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Result<StepOutcome, StepError>> + Send + 'a>>;

/// Anything that can take a step of a turn.
pub trait Model: Send + Sync {
    fn card(&self) -> &ModelCard;

    /// Answers one request. Deltas are for showing only; cancelling ends the step at once.
    fn respond<'a>(
        &'a self,
        step: Step<'a>,
        on_delta: &'a mut (dyn FnMut(Delta) + Send),
        cancel: &'a CancellationToken,
    ) -> Answering<'a>;
}
