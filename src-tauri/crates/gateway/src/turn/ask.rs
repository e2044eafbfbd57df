//! The request body: our nouns, or a proxy client's body, in the spelling of one dialect.
//!
//! A body is rendered anew for every attempt, because each retry changes something. Keys that we added by ourselves are optional: an
//! endpoint that rejects one never sees it again.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::history;
use super::tools::ToolSet;
use crate::dialect::{Dialect, EchoReasoning, Streaming, ToolChoiceForm};
use crate::endpoint::Endpoint;
use crate::message::{AssistantMessage, ChatRequest, Message, Thinking, Tool, ToolCall, ToolChoice};

/// A turn to be asked for.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    body: Map<String, Value>,
    pub(crate) tools: Arc<ToolSet>,
    pub(crate) used_ids: HashSet<String>,
    pub(crate) max_tokens: Option<u64>,
    /// How far a retry may raise the limit.
    pub(crate) ceiling: Option<u64>,
    /// Keys of the body that are ours to drop.
    pub(crate) optional: Vec<String>,
    /// Whether a stream is asked for at first.
    pub(crate) streams: bool,
}

/// What an attempt changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Variation {
    pub(crate) one_call_only: bool,
    pub(crate) temperature: Option<f64>,
    pub(crate) without_stream: bool,
    pub(crate) max_tokens: Option<u64>,
    /// Tells the model what was wrong with its last answer.
    pub(crate) note: Option<String>,
    pub(crate) without_strict: bool,
}

impl Ask {
    /// Spells a request of ours.
    pub(crate) fn from_request(request: &ChatRequest, endpoint: &Endpoint) -> Ask {
        let dialect = &endpoint.dialect;
        let params = &request.params;
        let has_tools = !request.tools.is_empty();
        let mut writer = BodyWriter::new();
        writer.must("model", json!(endpoint.model));
        let mut messages: Vec<Value> =
            request.messages.iter().map(|message| wire_message(message, dialect)).collect();
        history::tidy(&mut messages);
        history::map_ids(&mut messages, dialect.call_ids);
        let used_ids = history::used_ids(&messages);
        writer.must("messages", Value::Array(messages));
        if has_tools {
            writer.must("tools", request.tools.iter().map(wire_tool).collect());
            writer.tool_choice(&params.tool_choice, dialect, params.thinking);
            if let Some(parallel) = params.parallel_tool_calls.filter(|_| dialect.parallel_tool_calls) {
                writer.may("parallel_tool_calls", json!(parallel));
            }
            writer.may_all(&dialect.with_tools);
        }
        if let Some(limit) = params.max_tokens {
            writer.may(dialect.max_tokens.as_str(), json!(limit));
        }
        if let Some(temperature) = params.temperature {
            writer.may("temperature", json!(temperature));
        }
        if let Some(top_p) = params.top_p {
            writer.may("top_p", json!(top_p));
        }
        match params.thinking {
            Thinking::Default => {}
            Thinking::Off => writer.may_all(&dialect.thinking.off),
            Thinking::On => writer.may_all(&dialect.thinking.on),
        }
        if dialect.stream_options {
            writer.may("stream_options", json!({"include_usage": true}));
        }
        for (key, value) in &params.extra {
            writer.must(key, value.clone());
        }
        Ask {
            body: writer.body,
            tools: Arc::new(ToolSet::new(&request.tools)),
            used_ids,
            max_tokens: params.max_tokens.map(u64::from),
            ceiling: params.max_tokens_ceiling.map(u64::from),
            optional: writer.optional,
            streams: true,
        }
    }

    /// Takes a proxy client's body; only what the dialect needs is added, and only where the client said nothing.
    pub(crate) fn from_client(mut body: Map<String, Value>, dialect: &Dialect) -> Ask {
        let tools = ToolSet::from_body(body.get("tools").unwrap_or(&Value::Null));
        let wants_stream = body.get("stream").and_then(Value::as_bool).unwrap_or(false);
        let streams = wants_stream || dialect.streaming == Streaming::StreamOnly;
        let mut used_ids = HashSet::new();
        if let Some(Value::Array(messages)) = body.get_mut("messages") {
            history::tidy(messages);
            history::map_ids(messages, dialect.call_ids);
            used_ids = history::used_ids(messages);
            if !dialect.developer_role {
                rename_developer_role(messages);
            }
        }
        let limit = |key: &str| body.get(key).and_then(Value::as_u64);
        let max_tokens = limit("max_completion_tokens").or_else(|| limit("max_tokens"));
        let mut writer = BodyWriter { body, optional: Vec::new() };
        for (key, value) in &dialect.with_tools {
            writer.may_if_absent(key, value.clone());
        }
        if dialect.stream_options {
            writer.may_if_absent("stream_options", json!({"include_usage": true}));
        }
        Ask {
            body: writer.body,
            tools: Arc::new(tools),
            used_ids,
            max_tokens,
            ceiling: None,
            optional: writer.optional,
            streams,
        }
    }

    /// The body of one attempt, and whether a stream is asked for.
    pub(crate) fn render(
        &self,
        variation: &Variation,
        endpoint: &Endpoint,
        rejected: &BTreeSet<String>,
    ) -> (Value, bool) {
        let dialect = &endpoint.dialect;
        let mut body = self.body.clone();
        if variation.one_call_only && dialect.parallel_tool_calls {
            body.insert("parallel_tool_calls".into(), json!(false));
        }
        if let Some(temperature) = variation.temperature {
            body.insert("temperature".into(), json!(temperature));
        }
        if variation.without_strict {
            drop_strict(&mut body);
        }
        if let (Some(limit), Some(key)) = (variation.max_tokens, limit_key(&body)) {
            body.insert(key.to_owned(), json!(limit));
        }
        if let Some(note) = &variation.note {
            add_note(&mut body, note, dialect);
        }
        let streams = self.streams && !variation.without_stream;
        body.insert("stream".into(), json!(streams));
        if !streams {
            body.remove("stream_options");
            if dialect.streaming == Streaming::BothWithoutThinking {
                body.extend(dialect.thinking.off.clone());
            }
        }
        self.drop_rejected(&mut body, dialect, rejected);
        (Value::Object(body), streams)
    }

    /// The keys of an attempt that may be dropped when the endpoint names them.
    pub(crate) fn droppable(
        &self,
        variation: &Variation,
        dialect: &Dialect,
        rejected: &BTreeSet<String>,
    ) -> Vec<String> {
        let mut keys = self.optional.clone();
        if variation.one_call_only && dialect.parallel_tool_calls {
            keys.push("parallel_tool_calls".into());
        }
        if variation.temperature.is_some() {
            keys.push("temperature".into());
        }
        let limit = dialect.max_tokens.as_str();
        if keys.iter().any(|key| key == limit) && rejected.contains(limit) {
            keys.push(dialect.max_tokens.other().as_str().to_owned());
        }
        keys.retain(|key| !rejected.contains(key));
        keys
    }

    /// The conversation, for a continuation.
    pub(crate) fn messages(&self) -> &[Value] {
        self.body.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn temperature(&self) -> Option<f64> {
        self.body.get("temperature").and_then(Value::as_f64)
    }

    pub(crate) fn has_strict_tools(&self) -> bool {
        let tools = self.body.get("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        tools.iter().any(|tool| tool.pointer("/function/strict").is_some())
    }

    fn drop_rejected(&self, body: &mut Map<String, Value>, dialect: &Dialect, rejected: &BTreeSet<String>) {
        let limit = dialect.max_tokens.as_str();
        let other = dialect.max_tokens.other().as_str();
        let limit_is_ours = self.optional.iter().any(|key| key == limit);
        if rejected.contains(limit)
            && limit_is_ours
            && let Some(value) = body.remove(limit)
            && !rejected.contains(other)
        {
            body.insert(other.to_owned(), value);
        }
        for key in rejected.iter().filter(|key| key.as_str() != limit && key.as_str() != other) {
            let is_ours = self.optional.contains(key) || key == "parallel_tool_calls" || key == "temperature";
            let was_the_clients = self.body.contains_key(key) && !self.optional.contains(key);
            if is_ours && !was_the_clients {
                body.remove(key);
            }
        }
    }
}

/// Writes a body and remembers which keys are optional.
struct BodyWriter {
    body: Map<String, Value>,
    optional: Vec<String>,
}

impl BodyWriter {
    fn new() -> BodyWriter {
        BodyWriter { body: Map::new(), optional: Vec::new() }
    }

    fn must(&mut self, key: &str, value: Value) {
        self.body.insert(key.to_owned(), value);
    }

    fn may(&mut self, key: &str, value: Value) {
        self.optional.push(key.to_owned());
        self.body.insert(key.to_owned(), value);
    }

    fn may_all(&mut self, keys: &Map<String, Value>) {
        for (key, value) in keys {
            self.may(key, value.clone());
        }
    }

    fn may_if_absent(&mut self, key: &str, value: Value) {
        if !self.body.contains_key(key) {
            self.may(key, value);
        }
    }

    fn tool_choice(&mut self, choice: &ToolChoice, dialect: &Dialect, thinking: Thinking) {
        let can_force = match dialect.tool_choice {
            ToolChoiceForm::Full | ToolChoiceForm::Any => true,
            ToolChoiceForm::FullWithoutThinking => !dialect.thinks(thinking),
            ToolChoiceForm::AutoOnly => false,
        };
        let required = if dialect.tool_choice == ToolChoiceForm::Any { "any" } else { "required" };
        let value = match choice {
            ToolChoice::Auto => return,
            ToolChoice::None if dialect.tool_choice == ToolChoiceForm::AutoOnly => return,
            ToolChoice::None => json!("none"),
            ToolChoice::Required | ToolChoice::Named(_) if !can_force => return,
            ToolChoice::Required => json!(required),
            ToolChoice::Named(name) => json!({"type": "function", "function": {"name": name}}),
        };
        self.may("tool_choice", value);
    }
}

fn limit_key(body: &Map<String, Value>) -> Option<&'static str> {
    ["max_tokens", "max_completion_tokens"].into_iter().find(|key| body.contains_key(*key))
}

fn drop_strict(body: &mut Map<String, Value>) {
    let tools = body.get_mut("tools").and_then(Value::as_array_mut);
    for tool in tools.into_iter().flatten() {
        if let Some(Value::Object(function)) = tool.get_mut("function") {
            function.remove("strict");
        }
    }
}

/// A user message at the end; where none may follow a tool result, a line in the system message.
fn add_note(body: &mut Map<String, Value>, note: &str, dialect: &Dialect) {
    let Some(Value::Array(messages)) = body.get_mut("messages") else { return };
    let last_is_tool =
        messages.last().and_then(|last| last.get("role")).and_then(Value::as_str) == Some("tool");
    if !last_is_tool || dialect.user_after_tool {
        messages.push(json!({"role": "user", "content": note}));
        return;
    }
    let system =
        messages.iter_mut().find(|message| message.get("role").and_then(Value::as_str) == Some("system"));
    match system.and_then(|system| system.get_mut("content")) {
        Some(Value::String(text)) => {
            text.push_str("\n\n");
            text.push_str(note);
        }
        _ => messages.insert(0, json!({"role": "system", "content": note})),
    }
}

fn rename_developer_role(messages: &mut [Value]) {
    for message in messages {
        if message.get("role").and_then(Value::as_str) == Some("developer") {
            message["role"] = json!("system");
        }
    }
}

fn wire_tool(tool: &Tool) -> Value {
    json!({
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    })
}

fn wire_message(message: &Message, dialect: &Dialect) -> Value {
    match message {
        Message::System { text } => json!({"role": "system", "content": text}),
        Message::User { text } => json!({"role": "user", "content": text}),
        Message::Tool { call_id, text } => json!({"role": "tool", "tool_call_id": call_id, "content": text}),
        Message::Assistant(said) => wire_assistant(said, dialect),
    }
}

fn wire_assistant(said: &AssistantMessage, dialect: &Dialect) -> Value {
    let is_own = said.origin == dialect.id;
    let has_calls = !said.tool_calls.is_empty();
    let content = if said.text.is_empty() && has_calls { Value::Null } else { json!(said.text) };
    let mut wire = Map::new();
    wire.insert("role".into(), json!("assistant"));
    wire.insert("content".into(), content);
    if has_calls {
        let calls = said.tool_calls.iter().map(|call| wire_call(call, is_own && dialect.echo.call_extra));
        wire.insert("tool_calls".into(), calls.collect());
    }
    if let EchoReasoning::WithCalls(field) = &dialect.echo.reasoning
        && has_calls
    {
        let reasoning = if is_own { said.reasoning.as_str() } else { "" };
        wire.insert(field.clone(), json!(reasoning));
    }
    for field in dialect.echo.fields.iter().filter(|_| is_own) {
        if let Some(value) = said.opaque.get(field) {
            wire.insert(field.clone(), value.clone());
        }
    }
    Value::Object(wire)
}

fn wire_call(call: &ToolCall, with_extra: bool) -> Value {
    let mut wire = Map::new();
    wire.insert("id".into(), json!(call.id));
    wire.insert("type".into(), json!("function"));
    wire.insert("function".into(), json!({"name": call.name, "arguments": call.arguments}));
    if with_extra {
        wire.extend(call.extra.clone());
    }
    Value::Object(wire)
}
