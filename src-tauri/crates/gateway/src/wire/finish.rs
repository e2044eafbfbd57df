//! Finish reasons as they come, and which of several counts.

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
    /// Reads the reason of a chunk; `""` was dropped before.
    pub(crate) fn read(word: &str) -> WireFinish {
        match normal(word).as_str() {
            // Some bridges leave the words of the interface behind them as they are.
            "stop" | "end_turn" | "stop_sequence" | "eos" | "eos_token" | "complete" => WireFinish::Stop,
            "tool_calls" | "function_call" | "tool_call" | "tool_use" => WireFinish::ToolCalls,
            "content_filter" | "sensitive" | "safety" | "refusal" => WireFinish::ContentFilter,
            // Mistral's and Gemini's words for the same thing.
            "length" | "model_length" | "max_tokens" | "max_output_tokens" => WireFinish::Length,
            // The server gave up: whatever arrived is not all of it.
            "error" | "network_error" | "insufficient_system_resource" | "abort" | "aborted" => {
                WireFinish::Error
            }
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
