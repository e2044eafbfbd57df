//! The chat-completions wire: everything between a request to a model and a turn that is whole.
//!
//! A turn with tools is streamed in, put together, validated, retried where that may help, and handed on only when every call in it
//! is complete. This crate knows nothing of documents, files or windows; it serves our own agent in-process and, through the
//! proxy, strict clients of other makers.

mod client;
mod dialect;
mod endpoint;
mod error;
mod json;
mod learned;
mod message;
mod outcome;
pub mod proxy;
mod secret;
#[cfg(feature = "testing")]
pub mod testing;
mod turn;
mod wire;

pub use client::{Client, complete, list_models};
pub use dialect::{
    CallIdForm, ContinuationForm, Dialect, Echo, EchoReasoning, MaxTokensKey, ModelRule, SchemaLimits,
    SchemaProblem, Streaming, ThinkingSwitch, ToolChoiceForm, check_tool,
};
pub use endpoint::{Endpoint, Limits};
pub use error::{ErrorCode, GatewayError, Partial, PartialCall};
pub use learned::{Learned, LearnedKey};
pub use message::{AssistantMessage, ChatRequest, Message, Params, Thinking, Tool, ToolCall, ToolChoice};
pub use outcome::{Continuation, Delta, Finish, Repair, RepairKind, Retry, RetryKind, TurnOutcome, Usage};
pub use secret::Secret;
pub use tokio_util::sync::CancellationToken;
