//! Any bytes, or any chunks, as the answer to a request with tools: what comes out is whole, the same however the reads are cut, and
//! nothing comes out of an answer that never said it was over.
#![no_main]

use std::{cell::OnceCell, collections::HashSet};

use gateway::testing::inside::{Replay, Tools, Verdict, is_open, replay_compiled};
use libfuzzer_sys::{
    arbitrary::{self, Arbitrary, Unstructured},
    fuzz_target,
};
use serde_json::{Map, Value, json};

thread_local! {
    static TOOLS: OnceCell<Tools> = const { OnceCell::new() };
}

fn tools() -> Tools {
    let tool = |name: &str, parameters: Value| json!({"type": "function", "function": {"name": name, "parameters": parameters}});
    Tools::new(&json!([
        tool("edit", json!({"type": "object", "properties": {"p": {"type": "integer"}, "path": {"type": "string"},
            "ops": {"type": "array", "items": {"type": "object"}}}})),
        tool("strict", json!({"type": "object", "required": ["body"], "additionalProperties": false,
            "properties": {"body": {"type": "string"}}})),
    ]))
}

/// One thing that an endpoint may send.
#[derive(Debug, Arbitrary)]
enum Piece<'a> {
    Text(&'a str),
    Reasoning(&'a str),
    Call(Fragment<'a>),
    Calls(Vec<Fragment<'a>>),
    Legacy(u8, &'a str),
    Message(&'a str, Fragment<'a>),
    Finish(u8),
    Usage(u8),
    Done,
    Error(&'a str),
    Comment,
    EmptyChoices,
    Raw(&'a [u8]),
}

#[derive(Debug, Arbitrary)]
struct Fragment<'a> {
    index: u8,
    id: u8,
    name: u8,
    arguments: Arguments<'a>,
}

#[derive(Debug, Arbitrary)]
enum Arguments<'a> {
    Absent,
    Null,
    Piece(u8),
    Text(&'a str),
    Object(u8),
    Number,
}

const PIECES: [&str; 16] = [
    "{", "}", "{\"p\":1", "{\"p\":1}", "{}", "{\"body\":\"", "\"}", "x", ",", "\"{\\\"p\\\":1}\"", "```json\n", "\n```", "\\", "]",
    "{\"path\":\"C:\\new\"}", "\u{7ae0}",
];
const NAMES: [&str; 6] = ["edit", "strict", "functions.edit:0", "edit<|channel|>x", "other", ""];
const REASONS: [&str; 9] =
    ["stop", "tool_calls", "length", "content_filter", "content-filter", "", "error", "function_call", "whatever"];

impl Fragment<'_> {
    fn value(&self) -> Value {
        let mut call = Map::new();
        match self.index {
            0..=3 => drop(call.insert("index".into(), json!(self.index))),
            4 => drop(call.insert("index".into(), Value::Null)),
            5 => drop(call.insert("index".into(), json!("1"))),
            _ => {}
        }
        match self.id {
            0..=3 => drop(call.insert("id".into(), json!(format!("c{}", self.id)))),
            4 => drop(call.insert("id".into(), Value::Null)),
            5 => drop(call.insert("id".into(), json!(""))),
            6 => drop(call.insert("id".into(), json!(7))),
            _ => {}
        }
        let mut function = Map::new();
        match self.name {
            0..=5 => drop(function.insert("name".into(), json!(NAMES[usize::from(self.name)]))),
            6 => drop(function.insert("name".into(), Value::Null)),
            _ => {}
        }
        let arguments = match &self.arguments {
            Arguments::Absent => None,
            Arguments::Null => Some(Value::Null),
            Arguments::Piece(which) => Some(json!(PIECES[usize::from(*which) % PIECES.len()])),
            Arguments::Text(text) => Some(json!(text)),
            Arguments::Object(number) => Some(json!({"p": number % 3})),
            Arguments::Number => Some(json!(1.5)),
        };
        if let Some(arguments) = arguments {
            function.insert("arguments".into(), arguments);
        }
        call.insert("function".into(), Value::Object(function));
        Value::Object(call)
    }
}

fn written(pieces: &[Piece<'_>]) -> Vec<u8> {
    let mut body = Vec::new();
    let chunk = |delta: Value, finish: Value| json!({"id": "r", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    for piece in pieces {
        let event = match piece {
            Piece::Text(text) => chunk(json!({"content": text}), Value::Null),
            Piece::Reasoning(text) => chunk(json!({"reasoning_content": text}), Value::Null),
            Piece::Call(call) => chunk(json!({"tool_calls": [call.value()]}), Value::Null),
            Piece::Calls(calls) => {
                chunk(json!({"tool_calls": calls.iter().take(4).map(Fragment::value).collect::<Vec<_>>()}), Value::Null)
            }
            Piece::Legacy(name, arguments) => {
                chunk(json!({"function_call": {"name": NAMES[usize::from(*name) % NAMES.len()], "arguments": arguments}}), Value::Null)
            }
            Piece::Message(text, call) => {
                json!({"choices": [{"message": {"content": text, "tool_calls": [call.value()]}, "finish_reason": "tool_calls"}]})
            }
            Piece::Finish(reason) => chunk(json!({}), json!(REASONS[usize::from(*reason) % REASONS.len()])),
            Piece::Usage(tokens) => json!({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": tokens}}),
            Piece::Done => {
                body.extend_from_slice(b"data: [DONE]\n\n");
                continue;
            }
            Piece::Error(message) => json!({"error": {"message": message}}),
            Piece::Comment => {
                body.extend_from_slice(b": wait\n\n");
                continue;
            }
            Piece::EmptyChoices => json!({"choices": []}),
            Piece::Raw(bytes) => {
                body.extend_from_slice(bytes);
                continue;
            }
        };
        body.extend_from_slice(format!("data: {event}\n\n").as_bytes());
    }
    body
}

/// Without the wording of a message, which may quote where a parser stopped.
fn steady(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Fault { code, advice, .. } => Verdict::Fault { code, advice, message: String::new() },
        whole @ Verdict::Whole { .. } => without_made_ids(whole),
    }
}

/// An id that the endpoint did not send is made at random.
fn without_made_ids(mut verdict: Verdict) -> Verdict {
    if let Verdict::Whole { calls, .. } = &mut verdict {
        for call in calls {
            call.id = String::new();
        }
    }
    verdict
}

fn check(verdict: &Verdict, body: &[u8], breaks: bool) {
    let Verdict::Whole { calls, finish, .. } = verdict else { return };
    if calls.is_empty() {
        return;
    }
    assert_eq!(finish.as_str(), "tool_calls");
    let mut ids = HashSet::new();
    for call in calls {
        assert!(["edit", "strict"].contains(&call.name.as_str()), "{call:?}");
        assert!(!is_open(&call.arguments), "{call:?}");
        let value: Value = serde_json::from_str(&call.arguments).expect("the arguments are JSON");
        assert!(value.is_object(), "{call:?}");
        assert!(!call.id.is_empty() && ids.insert(&call.id), "{call:?}");
    }
    let says = |word: &[u8]| body.windows(word.len()).any(|window| window == word);
    assert!(says(b"[DONE]") || says(b"finish_reason") || says(b"message"), "an answer without an end gave calls");
    assert!(!breaks || says(b"[DONE]") || says(b"finish_reason"), "a broken connection gave calls");
}

fuzz_target!(|input: &[u8]| {
    let Some((first, rest)) = input.split_first() else { return };
    let body = if first & 1 == 0 {
        rest.to_vec()
    } else {
        let Ok(pieces) = Vec::<Piece<'_>>::arbitrary(&mut Unstructured::new(rest)) else { return };
        written(&pieces)
    };
    let replay = Replay { max_tokens: (first & 2 != 0).then_some(64), breaks: first & 4 != 0, ..Replay::default() };
    TOOLS.with(|cell| {
        let tools = cell.get_or_init(tools);
        let whole = replay_compiled(tools, &replay, [body.as_slice()]);
        check(&whole, &body, replay.breaks);
        let whole = steady(whole);
        let size = usize::from(first >> 3) + 1;
        for size in [1, size] {
            let cut = replay_compiled(tools, &replay, body.chunks(size));
            assert_eq!(steady(cut), whole, "{size} bytes per read");
        }
        let end = body.len() * usize::from(*first) / 256;
        let beginning = &body[..end];
        check(&replay_compiled(tools, &replay, [beginning]), beginning, replay.breaks);
    });
});
