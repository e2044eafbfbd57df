//! What a client gets: the plainest stream that every strict client reads.
//!
//! One role chunk; per call one head with index, id, type, name and empty arguments, then chunks with only index and arguments; one
//! finish chunk with an empty delta; a usage chunk if it was asked for; `[DONE]`. No null, no empty name, no `event:` and no `id:`
//! lines; id, model and time are the same in every chunk.

use std::fmt::Write as _;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::error::GatewayError;
use crate::message::ToolCall;
use crate::outcome::Usage;
use crate::turn::engine::Turned;

/// Most bytes of arguments in one chunk.
const SLICE_BYTES: usize = 32;

/// Most bytes of text in one chunk.
const TEXT_BYTES: usize = 256;

/// The members that all chunks of an answer share.
#[derive(Clone, Debug)]
pub(super) struct Envelope {
    pub(super) id: String,
    pub(super) model: String,
    pub(super) created: u64,
    pub(super) wants_usage: bool,
}

impl Envelope {
    fn chunk(&self, delta: &str, finish: Option<&str>) -> String {
        let (id, model, created) = (quoted(&self.id), quoted(&self.model), self.created);
        let finish = finish.map_or_else(|| "null".to_owned(), quoted);
        format!(
            "data: {{\"id\":{id},\"object\":\"chat.completion.chunk\",\"created\":{created},\"model\":{model},\
             \"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
        )
    }

    fn usage_chunk(&self, usage: Usage) -> String {
        let (id, model, created) = (quoted(&self.id), quoted(&self.model), self.created);
        format!(
            "data: {{\"id\":{id},\"object\":\"chat.completion.chunk\",\"created\":{created},\"model\":{model},\
             \"choices\":[],\"usage\":{}}}\n\n",
            usage_value(usage)
        )
    }

    /// A chunk that says nothing; `choices: []` would end the answer for some clients.
    pub(super) fn keep_alive(&self) -> Bytes {
        Bytes::from(self.chunk("{}", None))
    }
}

/// A failure after the first byte: no finish reason follows, and no `[DONE]`.
pub(super) fn error_event(error: &GatewayError) -> Bytes {
    let body = json!({"error": error_value(error)});
    Bytes::from(format!("data: {body}\n\n"))
}

pub(super) fn error_value(error: &GatewayError) -> Value {
    json!({"message": error.message, "type": "stet_proxy_error", "param": null, "code": error.code.as_str()})
}

/// The events of a whole turn, one by one.
pub(super) struct Emission {
    envelope: Envelope,
    turned: Turned,
    at: At,
}

#[derive(Clone, Copy)]
enum At {
    Role,
    Reasoning(usize),
    Text(usize),
    Head(usize),
    /// Call and byte.
    Arguments(usize, usize),
    Finish,
    Usage,
    Done,
    End,
}

impl Emission {
    pub(super) fn new(envelope: Envelope, turned: Turned) -> Emission {
        Emission { envelope, turned, at: At::Role }
    }

    fn calls(&self) -> &[ToolCall] {
        &self.turned.good.calls
    }

    /// The name under which the endpoint sent its thinking, so that clients can send it back.
    fn reasoning_field(&self) -> &'static str {
        self.turned.turn.reasoning_field.unwrap_or("reasoning_content")
    }

    fn slice(text: &str, start: usize, most: usize) -> Option<(&str, usize)> {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let mut end = rest.len().min(most);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        Some((&rest[..end], start + end))
    }

    fn head(&self, call: usize) -> String {
        let Some(known) = self.calls().get(call) else { return String::new() };
        let mut head = Map::new();
        head.insert("index".into(), json!(call));
        head.insert("id".into(), json!(known.id));
        head.insert("type".into(), json!("function"));
        head.insert("function".into(), json!({"name": known.name, "arguments": ""}));
        head.extend(known.extra.clone());
        self.envelope.chunk(&json!({"tool_calls": [head]}).to_string(), None)
    }
}

impl Iterator for Emission {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        loop {
            match self.at {
                At::Role => {
                    self.at = At::Reasoning(0);
                    return Some(self.envelope.chunk("{\"role\":\"assistant\"}", None));
                }
                At::Reasoning(start) => match Emission::slice(&self.turned.turn.reasoning, start, TEXT_BYTES)
                {
                    Some((piece, next)) => {
                        let delta = format!("{{\"{}\":{}}}", self.reasoning_field(), quoted(piece));
                        self.at = At::Reasoning(next);
                        return Some(self.envelope.chunk(&delta, None));
                    }
                    None => self.at = At::Text(0),
                },
                At::Text(start) => match Emission::slice(&self.turned.good.text, start, TEXT_BYTES) {
                    Some((piece, next)) => {
                        let delta = format!("{{\"content\":{}}}", quoted(piece));
                        self.at = At::Text(next);
                        return Some(self.envelope.chunk(&delta, None));
                    }
                    None => self.at = At::Head(0),
                },
                At::Head(call) if call < self.calls().len() => {
                    self.at = At::Arguments(call, 0);
                    return Some(self.head(call));
                }
                At::Head(_) => self.at = At::Finish,
                At::Arguments(call, start) => {
                    let arguments =
                        self.calls().get(call).map(|call| call.arguments.as_str()).unwrap_or_default();
                    match Emission::slice(arguments, start, SLICE_BYTES) {
                        Some((piece, next)) => {
                            let mut delta = String::with_capacity(SLICE_BYTES * 2 + 64);
                            let _ = write!(
                                delta,
                                "{{\"tool_calls\":[{{\"index\":{call},\"function\":{{\"arguments\":{}}}}}]}}",
                                quoted(piece)
                            );
                            self.at = At::Arguments(call, next);
                            return Some(self.envelope.chunk(&delta, None));
                        }
                        None => self.at = At::Head(call + 1),
                    }
                }
                At::Finish => {
                    self.at = At::Usage;
                    return Some(self.envelope.chunk("{}", Some(self.turned.good.finish.as_str())));
                }
                At::Usage => {
                    self.at = At::Done;
                    if self.envelope.wants_usage
                        && let Some(usage) = self.turned.usage
                    {
                        return Some(self.envelope.usage_chunk(usage));
                    }
                }
                At::Done => {
                    self.at = At::End;
                    return Some("data: [DONE]\n\n".to_owned());
                }
                At::End => return None,
            }
        }
    }
}

/// The same turn as one JSON object, for clients that asked for no stream.
pub(super) fn whole(envelope: &Envelope, turned: &Turned) -> Value {
    let good = &turned.good;
    let mut message = Map::new();
    message.insert("role".into(), json!("assistant"));
    let content = if good.text.is_empty() && !good.calls.is_empty() { Value::Null } else { json!(good.text) };
    message.insert("content".into(), content);
    message.insert("refusal".into(), Value::Null);
    if !turned.turn.reasoning.is_empty() {
        let field = turned.turn.reasoning_field.unwrap_or("reasoning_content");
        message.insert(field.into(), json!(turned.turn.reasoning));
    }
    if !good.calls.is_empty() {
        message.insert("tool_calls".into(), good.calls.iter().map(whole_call).collect());
    }
    let choice =
        json!({"index": 0, "message": message, "logprobs": null, "finish_reason": good.finish.as_str()});
    let mut body = json!({
        "id": envelope.id, "object": "chat.completion", "created": envelope.created, "model": envelope.model,
        "choices": [choice],
    });
    if let Some(usage) = turned.usage {
        body["usage"] = usage_value(usage);
    }
    body
}

fn whole_call(call: &ToolCall) -> Value {
    let mut wire = Map::new();
    wire.insert("id".into(), json!(call.id));
    wire.insert("type".into(), json!("function"));
    wire.insert("function".into(), json!({"name": call.name, "arguments": call.arguments}));
    wire.extend(call.extra.clone());
    Value::Object(wire)
}

fn usage_value(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens(),
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    })
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
