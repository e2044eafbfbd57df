//! What comes back: deltas while a turn is under way, and one outcome when it is whole.
//!
//! Deltas are for showing only. Nothing in them may be executed: a turn can still be refused, retried or cancelled after its last
//! delta. Only [`TurnOutcome::message`] holds calls, and only whole ones.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::ErrorCode;
use crate::message::AssistantMessage;

/// One piece of a turn under way, for showing.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    Text(String),
    Reasoning(String),
    /// A call is being written: how many bytes of arguments have arrived.
    ToolProgress {
        index: usize,
        name: String,
        bytes: usize,
    },
    Usage(Usage),
    /// What was shown of this turn so far is void; the turn starts again.
    Restarted {
        attempt: u32,
        code: ErrorCode,
    },
    /// The tail of cut-off arguments is being asked for.
    Continuing {
        name: String,
    },
    /// The endpoint asked to wait, or a connection is tried again later.
    Waiting {
        delay: Duration,
        code: ErrorCode,
    },
}

/// A whole turn.
#[derive(Clone, Debug)]
pub struct TurnOutcome {
    /// Ready for the conversation; its calls are validated.
    pub message: AssistantMessage,
    pub finish: Finish,
    pub usage: Option<Usage>,
    /// The model name that the endpoint gave, when it gave one.
    pub model: Option<String>,
    pub repairs: Vec<Repair>,
    pub retries: Vec<Retry>,
    pub continuation: Continuation,
    /// Optional keys that the endpoint refused in this turn; they will not be sent again.
    pub rejected_keys: Vec<String>,
}

/// How a whole turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    Stop,
    ToolCalls,
    /// Text only: the output limit cut it. A turn with calls never ends so, it is an error.
    Length,
    ContentFilter,
}

impl Finish {
    pub fn as_str(self) -> &'static str {
        match self {
            Finish::Stop => "stop",
            Finish::ToolCalls => "tool_calls",
            Finish::Length => "length",
            Finish::ContentFilter => "content_filter",
        }
    }
}

/// Token counts; over retries and a continuation they add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub reasoning_tokens: u64,
    pub cached_tokens: u64,
}

impl Usage {
    pub fn total_tokens(self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }

    pub(crate) fn plus(self, other: Usage) -> Usage {
        Usage {
            prompt_tokens: self.prompt_tokens.saturating_add(other.prompt_tokens),
            completion_tokens: self.completion_tokens.saturating_add(other.completion_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_add(other.reasoning_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
        }
    }
}

/// Something that was put right, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Repair {
    pub kind: RepairKind,
    /// Position of the call in the turn; none: the turn itself.
    pub call: Option<usize>,
}

/// Every repair there is; each is deterministic, and each was followed by the full validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepairKind {
    /// Calls were told apart by id although they shared an index, or came without one.
    Renumbered,
    /// A later id for the same call was ignored.
    IdChanged,
    /// The endpoint sent no id.
    IdMade,
    /// The id was a number, or sat inside `function`.
    IdLifted,
    /// A channel marker or the vendor's id form was cut from the name.
    NameCleaned,
    /// Arguments came as an object instead of text.
    ArgumentsObject,
    /// Every fragment repeated the ones before it; the last one was taken.
    ArgumentsCumulative,
    /// The same arguments came twice on one call.
    ArgumentsDoubled,
    /// No arguments for a tool that needs none.
    ArgumentsEmpty,
    OuterSpace,
    CodeFence,
    ControlCharacters,
    /// `\n` written as two characters between tokens.
    EscapedSpace,
    InvalidEscapes,
    TrailingCommas,
    SurplusClosers,
    DoubleEncoded,
    /// A list or object that came as its own JSON text.
    NestedEncoded,
    /// Whole calls with the wrong finish reason, or with none before `[DONE]`.
    FinishRewritten,
    /// A leaked control token or call marker was taken out of the text.
    MarkerStripped,
    /// A leading think block was moved to the reasoning.
    ThinkBlockSplit,
    /// Text that repeated the arguments was dropped.
    EchoedArguments,
    /// The body was one JSON object instead of a stream.
    BareBody,
    /// A whole `message` came in place of a delta.
    MessageSnapshot,
    /// Compressed bytes that were not announced, or plain ones announced as compressed.
    EncodingMismatch,
}

impl fmt::Display for RepairKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(formatter)
    }
}

/// One repetition of the request, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Retry {
    pub code: ErrorCode,
    pub kind: RetryKind,
}

/// What a repetition was for; each kind has a limit of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryKind {
    /// The turn was not whole; at most 2.
    Repair,
    /// Connection or rate limit; nothing was wrong with the answer.
    Transport,
    /// An optional key was rejected and dropped.
    LearnedKey,
}

/// Whether the tail of cut-off arguments was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Continuation {
    #[default]
    NotNeeded,
    /// Asked for, glued, parsed and validated.
    Saved,
    /// Asked for, and the turn was then retried or refused.
    Failed,
}
