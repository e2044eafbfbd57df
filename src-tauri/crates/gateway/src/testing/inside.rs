//! Doors into the crate for its suite, benches and fuzzers: replaying bytes without a network.

use std::collections::HashSet;

use serde_json::Value;

use crate::error::ErrorCode;
use crate::message::ToolCall;
use crate::outcome::{Finish, RepairKind};
use crate::turn::attempt::cannot_decode;
use crate::turn::judge::{Advice, End, Expected, Fault, judge, judge_plain};
use crate::turn::tools::ToolSet;
use crate::wire::aggregate::Aggregator;
use crate::wire::decode::{Announced, Decoder};

/// Whether a JSON text ends while something is open.
pub fn is_open(text: &str) -> bool {
    crate::json::lexer::scan(text).is_open()
}

/// The repaired text of one JSON value and what was done to it; none when it stays broken.
pub fn repaired(text: &str) -> Option<(String, Vec<RepairKind>)> {
    crate::json::repair::repair(text).ok().map(|repaired| (repaired.text, repaired.kinds))
}

/// The data of every event in these pieces; none when a line is too long.
pub fn events<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, line_limit: usize) -> Option<Vec<Vec<u8>>> {
    let mut parser = crate::wire::sse::SseParser::new(line_limit);
    let mut events = Vec::new();
    for piece in pieces {
        parser.feed(piece, |event| events.push(event)).ok()?;
    }
    parser.finish(|event| events.push(event));
    Some(events.into_iter().filter(|event| !event.is_damaged).map(|event| event.data).collect())
}

/// What a replayed answer is judged by.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// As in a request body; null: a turn without tools.
    pub tools: Value,
    pub max_tokens: Option<u64>,
    /// The connection breaks after the bytes instead of ending.
    pub breaks: bool,
}

/// The verdict on a replayed answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Whole {
        text: String,
        reasoning: String,
        calls: Vec<ToolCall>,
        finish: Finish,
        repairs: Vec<RepairKind>,
    },
    /// The word for what may help: `retry`, `continue`, `truncated`, `show`, `wait`, `stop`.
    Fault {
        code: ErrorCode,
        advice: &'static str,
        message: String,
    },
}

/// Feeds the pieces as reads of a body and judges the turn.
pub fn replay<'a>(replay: &Replay, pieces: impl IntoIterator<Item = &'a [u8]>) -> Verdict {
    let tools = ToolSet::from_body(&replay.tools);
    replay_with(&tools, replay, pieces)
}

/// Compiled tools, for benches that must not measure the compilation.
pub struct Tools(ToolSet);

impl Tools {
    pub fn new(tools: &Value) -> Tools {
        Tools(ToolSet::from_body(tools))
    }
}

/// As [`replay`], with tools compiled before.
pub fn replay_compiled<'a>(
    tools: &Tools,
    options: &Replay,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Verdict {
    replay_with(&tools.0, options, pieces)
}

fn replay_with<'a>(tools: &ToolSet, options: &Replay, pieces: impl IntoIterator<Item = &'a [u8]>) -> Verdict {
    let with_tools = !tools.is_empty();
    let line_limit = 16 << 20;
    let mut aggregator =
        if with_tools { Aggregator::with_tools(line_limit) } else { Aggregator::plain(line_limit) };
    let mut decoder = Decoder::new(Announced::from_header(None));
    for piece in pieces {
        let Ok(decoded) = decoder.feed(piece) else {
            let Fault { code, advice, message, .. } = cannot_decode();
            return Verdict::Fault { code, advice: word(advice), message };
        };
        aggregator.feed(&decoded, &mut |_| {});
        if aggregator.is_done() || aggregator.is_lost() {
            break;
        }
    }
    aggregator.feed(&decoder.finish(), &mut |_| {});
    let turn = aggregator.finish(&mut |_| {});
    let end = if options.breaks { End::Broken("cut".into()) } else { End::Eof };
    let used_ids = HashSet::new();
    let expected = Expected { tools, max_tokens: options.max_tokens, used_ids: &used_ids };
    let judged = if with_tools { judge(&turn, &end, expected) } else { judge_plain(&turn, &end) };
    match judged {
        Ok(good) => Verdict::Whole {
            text: good.text,
            reasoning: turn.reasoning,
            calls: good.calls,
            finish: good.finish,
            repairs: good.repairs.iter().map(|repair| repair.kind).collect(),
        },
        Err(fault) => Verdict::Fault { code: fault.code, advice: word(fault.advice), message: fault.message },
    }
}

fn word(advice: Advice) -> &'static str {
    match advice {
        Advice::Retry | Advice::RetryWithoutStream => "retry",
        Advice::Truncated { call: Some(_) } => "continue",
        Advice::Truncated { call: None } => "truncated",
        Advice::RetryOrShow => "show",
        Advice::Wait => "wait",
        Advice::Stop => "stop",
    }
}
