//! Finish reasons as they come, and which of several counts.

use super::lenient::{Loose, is_truthy};

/// A finish reason, sorted by how bad it is: of several the worst counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WireFinish {
    Stop,
    ToolCalls,
    /// A word outside the enum: not finished well.
    Unknown(String),
    ContentFilter,
    Length,
    /// The text is the message of a failure.
    Error,
    /// The vendor itself says that the call is broken, whatever is attached.
    Malformed,
}

impl WireFinish {
    /// The reason of a chunk, if it has one: null, `""` and the words for them are none.
    pub(crate) fn of(reason: &Loose<'_>) -> Option<WireFinish> {
        match reason {
            Loose::Text(word) if matches!(normal(word).as_str(), "" | "null" | "none" | "undefined") => None,
            Loose::Text(word) => Some(WireFinish::read(word.trim())),
            // What it means is a guess, so it is no good end.
            Loose::Other(value) => is_truthy(value).then(|| WireFinish::Unknown(value.to_string())),
            Loose::Nothing => None,
        }
    }

    /// Reads the word for a reason.
    pub(crate) fn read(word: &str) -> WireFinish {
        match normal(word).as_str() {
            // Some bridges leave the words of the interface behind them as they are.
            "stop" | "end_turn" | "stop_sequence" | "eos" | "eos_token" | "complete" => WireFinish::Stop,
            "tool_calls" | "function_call" | "tool_call" | "tool_use" => WireFinish::ToolCalls,
            "content_filter" | "sensitive" | "safety" | "refusal" => WireFinish::ContentFilter,
            // Mistral's and Gemini's words for the same thing.
            "length"
            | "model_length"
            | "max_length"
            | "max_tokens"
            | "max_output_tokens"
            | "max_new_tokens"
            | "max_completion_tokens"
            | "token_limit"
            | "length_limit" => WireFinish::Length,
            // The server gave up: whatever arrived is not all of it.
            "error"
            | "network_error"
            | "insufficient_system_resource"
            | "abort"
            | "aborted"
            | "cancelled"
            | "canceled"
            | "timeout"
            | "incomplete" => WireFinish::Error,
            "malformed_function_call" => WireFinish::Malformed,
            _ => WireFinish::Unknown(word.to_owned()),
        }
    }

    /// Reads what the model's own server said before a relay translated it; only bad news is believed.
    pub(crate) fn read_native(word: &str) -> Option<WireFinish> {
        match normal(word).as_str() {
            "content_filter" | "safety" | "prohibited_content" | "blocklist" | "recitation" => {
                Some(WireFinish::ContentFilter)
            }
            "length" | "model_length" | "max_tokens" | "max_output_tokens" => Some(WireFinish::Length),
            "malformed_function_call" | "unexpected_tool_call" => Some(WireFinish::Malformed),
            _ => None,
        }
    }
}

fn normal(word: &str) -> String {
    word.trim().to_ascii_lowercase().replace(['-', ' '], "_")
}
