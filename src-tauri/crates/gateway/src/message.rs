//! What is asked: a conversation, the tools that may be called, and a few parameters.
//!
//! These are our own nouns, the same for every endpoint. How they are spelled on the wire is the work of `request` and the
//! dialect. A conversation holds only calls that were validated (a rejected turn never enters it), and keeps each vendor's opaque
//! fields so that they can be sent back unchanged.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One request to a model.
#[derive(Clone, Debug, Default)]
pub struct ChatRequest {
    pub messages: Vec<Message>,
    /// Empty: a plain text turn, which is streamed without any filter.
    pub tools: Vec<Tool>,
    pub params: Params,
}

/// Parameters that an endpoint may or may not take; the dialect decides what is sent and under which name.
#[derive(Clone, Debug, Default)]
pub struct Params {
    /// The output limit. Also the number that betrays a hidden truncation, so set it where possible.
    pub max_tokens: Option<u32>,
    /// How far a retry may raise `max_tokens` after a truncation; none: it is never raised.
    pub max_tokens_ceiling: Option<u32>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub thinking: Thinking,
    pub tool_choice: ToolChoice,
    /// Sent only where the dialect has the key.
    pub parallel_tool_calls: Option<bool>,
    /// Further body keys, sent as they are.
    pub extra: Map<String, Value>,
}

/// Whether the model should think before it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thinking {
    /// The endpoint's default: no key is sent.
    #[default]
    Default,
    /// For tool rounds: the output limit belongs to the arguments.
    Off,
    /// For the final answer.
    On,
}

/// Which tool the model should call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// The endpoint's default; the key is not sent.
    #[default]
    Auto,
    /// No call now.
    None,
    /// Some call, where the dialect can say so.
    Required,
    /// This one, where the dialect can say so.
    Named(String),
}

/// A tool as it is shown to the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// A JSON schema whose root is an object.
    pub parameters: Value,
    /// The schema that a call is judged by, where the caller takes more spellings than it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepts: Option<Value>,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    System {
        text: String,
    },
    User {
        text: String,
    },
    Assistant(AssistantMessage),
    /// The result of one call.
    Tool {
        call_id: String,
        text: String,
    },
}

impl Message {
    pub fn system(text: impl Into<String>) -> Message {
        Message::System { text: text.into() }
    }

    pub fn user(text: impl Into<String>) -> Message {
        Message::User { text: text.into() }
    }

    pub fn tool(call_id: impl Into<String>, text: impl Into<String>) -> Message {
        Message::Tool { call_id: call_id.into(), text: text.into() }
    }
}

/// What a model said, ready to be stored and sent back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AssistantMessage {
    #[serde(default)]
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The thinking, for showing; whether it is echoed is up to the dialect.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// Fields of the message that mean something only to the endpoint that sent them (`reasoning_details`, …).
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub opaque: Map<String, Value>,
    /// The dialect that wrote this message; opaque fields go back only to the same one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub origin: String,
}

/// A call that is whole: its name is declared, its arguments are the text of a JSON object that fits the schema.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// The text of a JSON object, as the model wrote it unless a repair is recorded.
    pub arguments: String,
    /// Unknown keys of the call (a thought signature), to be echoed.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}
