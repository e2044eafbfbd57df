//! Why a turn is not whole: one code per cause, a message without secrets, and what is known of the part that did arrive.
//!
//! The partial text and the names of cut-off calls are for telling the user and the model what happened. They are not calls.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::outcome::{Continuation, Retry, Usage};

/// A turn that could not be made whole.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}: {message}", code.as_str())]
pub struct GatewayError {
    pub code: ErrorCode,
    /// What was tried and what was found; never holds the key.
    pub message: String,
    /// The HTTP status of the endpoint, when it gave one.
    pub status: Option<u16>,
    /// How long the endpoint asked to wait, when that was longer than we wait.
    pub retry_after: Option<Duration>,
    pub retries: Vec<Retry>,
    pub continuation: Continuation,
    /// What the failed attempts cost, when the endpoint said so.
    pub usage: Option<Usage>,
    pub partial: Box<Partial>,
}

/// What arrived of a turn that is not whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partial {
    pub text: String,
    pub reasoning: String,
    pub calls: Vec<PartialCall>,
}

/// A call that must not be executed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartialCall {
    pub id: Option<String>,
    pub name: Option<String>,
    /// How many bytes of arguments arrived.
    pub bytes: usize,
    /// Top-level members that had arrived whole (a file id, a revision): for messages, not for execution.
    pub known: Map<String, Value>,
}

impl GatewayError {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> GatewayError {
        GatewayError {
            code,
            message: message.into(),
            status: None,
            retry_after: None,
            retries: Vec::new(),
            continuation: Continuation::NotNeeded,
            usage: None,
            partial: Box::default(),
        }
    }

    pub(crate) fn with_status(mut self, status: u16) -> GatewayError {
        self.status = Some(status);
        self
    }
}

/// The cause. The words are stable: receipts, counters and proxy clients see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    // The answer did not arrive whole.
    ArgumentsTruncated,
    StreamEof,
    EventMalformed,
    FragmentAfterFinish,
    FinishUnknown,
    // The answer arrived, and its calls are not usable.
    IdentityAmbiguous,
    ToolUnnamed,
    ToolUnknown,
    ArgumentsEmpty,
    ArgumentsInvalidJson,
    ArgumentsNotObject,
    ArgumentsSchema,
    ArgumentsPathControl,
    CallMissing,
    CallInText,
    CallMalformed,
    EmptyReply,
    ContentFilter,
    // The endpoint refused or failed.
    UpstreamError,
    Unauthorized,
    NotFound,
    InvalidRequest,
    RateLimited,
    QuotaExhausted,
    ContextTooLong,
    Overloaded,
    NotAStream,
    EncodingUnsupported,
    TooLarge,
    // The way there.
    ConnectFailed,
    TlsFailed,
    Disconnected,
    TimeoutConnect,
    TimeoutIdle,
    TimeoutTotal,
    Cancelled,
    // Our own side.
    InvalidEndpoint,
    InvalidSchema,
}

impl ErrorCode {
    pub fn as_str(self) -> &'static str {
        use ErrorCode as Code;
        match self {
            Code::ArgumentsTruncated => "arguments_truncated",
            Code::StreamEof => "stream_eof",
            Code::EventMalformed => "event_malformed",
            Code::FragmentAfterFinish => "fragment_after_finish",
            Code::FinishUnknown => "finish_unknown",
            Code::IdentityAmbiguous => "identity_ambiguous",
            Code::ToolUnnamed => "tool_unnamed",
            Code::ToolUnknown => "tool_unknown",
            Code::ArgumentsEmpty => "arguments_empty",
            Code::ArgumentsInvalidJson => "arguments_invalid_json",
            Code::ArgumentsNotObject => "arguments_not_object",
            Code::ArgumentsSchema => "arguments_schema",
            Code::ArgumentsPathControl => "arguments_path_control",
            Code::CallMissing => "call_missing",
            Code::CallInText => "call_in_text",
            Code::CallMalformed => "call_malformed",
            Code::EmptyReply => "empty_reply",
            Code::ContentFilter => "content_filter",
            Code::UpstreamError => "upstream_error",
            Code::Unauthorized => "unauthorized",
            Code::NotFound => "not_found",
            Code::InvalidRequest => "invalid_request",
            Code::RateLimited => "rate_limited",
            Code::QuotaExhausted => "quota_exhausted",
            Code::ContextTooLong => "context_too_long",
            Code::Overloaded => "overloaded",
            Code::NotAStream => "not_a_stream",
            Code::EncodingUnsupported => "encoding_unsupported",
            Code::TooLarge => "too_large",
            Code::ConnectFailed => "connect_failed",
            Code::TlsFailed => "tls_failed",
            Code::Disconnected => "disconnected",
            Code::TimeoutConnect => "timeout_connect",
            Code::TimeoutIdle => "timeout_idle",
            Code::TimeoutTotal => "timeout_total",
            Code::Cancelled => "cancelled",
            Code::InvalidEndpoint => "invalid_endpoint",
            Code::InvalidSchema => "invalid_schema",
        }
    }

    /// Whether this is about the answer itself, so that asking again differently may help.
    pub fn is_about_the_answer(self) -> bool {
        self <= ErrorCode::EmptyReply
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorCode;

    #[test]
    fn the_word_in_json_is_the_word_in_messages() {
        for code in [ErrorCode::ArgumentsTruncated, ErrorCode::StreamEof, ErrorCode::InvalidSchema] {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }
}
