//! Decides whether an arrived turn is whole, and if not, why not. Pure: the same turn always gets the same verdict.
//!
//! The order of the questions matters. Failures of the wire come first, because everything after a lost piece is guesswork; then
//! truncation, because it explains broken arguments and forbids repairs; then identity, names, arguments.

use std::collections::HashSet;

use super::arguments;
use super::suspicion::{Hidden, hidden_call, is_bare_marker, is_moderation_notice};
use super::tools::ToolSet;
use super::upstream_error;
use crate::error::ErrorCode;
use crate::message::ToolCall;
use crate::outcome::{Finish, Repair, RepairKind};
use crate::wire::aggregate::RawTurn;
use crate::wire::finish::WireFinish;
use crate::wire::identity::RawCall;

/// What the request allowed.
#[derive(Clone, Copy)]
pub(crate) struct Expected<'a> {
    pub(crate) tools: &'a ToolSet,
    pub(crate) max_tokens: Option<u64>,
    /// Ids already used in the conversation.
    pub(crate) used_ids: &'a HashSet<String>,
}

/// How the reading of the body ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// `[DONE]`, the end of a whole body, or a finish reason and then nothing more.
    Complete,
    /// The body ended.
    Eof,
    /// The connection broke.
    Broken(String),
}

/// The parts of a turn that may be handed on.
#[derive(Debug, PartialEq)]
pub(crate) struct Good {
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) finish: Finish,
    pub(crate) repairs: Vec<Repair>,
}

/// Why a turn is not whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
    pub(crate) advice: Advice,
    /// An HTTP status that came inside the answer.
    pub(crate) status: Option<u16>,
}

/// What may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advice {
    Retry,
    /// Only the other parser of the server may get it right.
    RetryWithoutStream,
    /// The output limit was reached: the tail of this call may be asked for.
    Truncated {
        call: Option<usize>,
    },
    /// Asking again may help; if not, the text can be shown as it is.
    RetryOrShow,
    /// A failure that is not about the answer; wait and try again.
    Wait,
    Stop,
}

impl Fault {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into(), advice: Advice::Retry, status: None }
    }

    pub(crate) fn advising(self, advice: Advice) -> Fault {
        Fault { advice, ..self }
    }
}

/// Judges a turn that was asked for with tools.
pub(crate) fn judge(turn: &RawTurn, end: &End, expected: Expected<'_>) -> Result<Good, Fault> {
    check_wire(turn)?;
    check_termination(turn, end, expected)?;
    let finish = check_finish(turn, expected)?;
    if turn.calls.is_empty() {
        return judge_text(turn, finish, expected.tools);
    }
    let mut repairs = Vec::new();
    let calls = read_calls(turn, expected, &mut repairs)?;
    let text = text_beside_calls(turn, &calls, &mut repairs)?;
    if turn.finish != Some(WireFinish::ToolCalls) {
        repairs.push(Repair { kind: RepairKind::FinishRewritten, call: None });
    }
    note_wire_repairs(turn, &mut repairs);
    Ok(Good { text, calls, finish: Finish::ToolCalls, repairs })
}

/// Judges a turn that was asked for without tools: its text is as good as what arrived.
pub(crate) fn judge_plain(turn: &RawTurn, end: &End) -> Result<Good, Fault> {
    check_wire(turn)?;
    let finish = match (&turn.finish, end) {
        (None, End::Eof | End::Broken(_)) => return Err(ended_early(end)),
        (None | Some(WireFinish::Stop | WireFinish::ToolCalls | WireFinish::Unknown(_)), _) => Finish::Stop,
        (Some(WireFinish::Length), _) => Finish::Length,
        (Some(WireFinish::ContentFilter), _) => Finish::ContentFilter,
        (Some(WireFinish::Error), _) => return Err(error_in_text(turn)),
        (Some(WireFinish::Malformed), _) => Finish::Stop,
    };
    let finish = if is_moderation_notice(&turn.text) { Finish::ContentFilter } else { finish };
    let says_nothing = turn.text.trim().is_empty();
    if says_nothing && finish == Finish::Stop {
        return Err(Fault::new(ErrorCode::EmptyReply, "the answer is empty"));
    }
    let mut repairs = Vec::new();
    note_wire_repairs(turn, &mut repairs);
    Ok(Good { text: turn.text.clone(), calls: Vec::new(), finish, repairs })
}

fn check_wire(turn: &RawTurn) -> Result<(), Fault> {
    if let Some(failure) = &turn.failure {
        return Err(upstream_error::fault_in_answer(failure));
    }
    if let Some(body) = &turn.foreign_body {
        let message = format!("the endpoint's answer is no chat completion: {}", one_line(body));
        return Err(Fault::new(ErrorCode::NotAStream, message).advising(Advice::Stop));
    }
    if let Some(error) = &turn.malformed {
        return Err(Fault::new(
            ErrorCode::EventMalformed,
            format!("a piece of the answer cannot be read: {error}"),
        ));
    }
    Ok(())
}

/// The stream must have said that it is over.
fn check_termination(turn: &RawTurn, end: &End, expected: Expected<'_>) -> Result<(), Fault> {
    if turn.finish.is_some() || turn.done {
        return Ok(());
    }
    let cut = turn.calls.iter().any(|call| {
        let tool = call.name.as_deref().and_then(|name| expected.tools.get(name));
        arguments::are_cut_off(call, tool)
    });
    let fault = ended_early(end);
    Err(if cut { Fault { code: ErrorCode::ArgumentsTruncated, ..fault } } else { fault })
}

fn ended_early(end: &End) -> Fault {
    let message = match end {
        End::Broken(reason) => format!("the connection broke before the answer was complete: {reason}"),
        End::Eof | End::Complete => "the stream ended without a finish reason and without [DONE]".to_owned(),
    };
    Fault::new(ErrorCode::StreamEof, message)
}

fn check_finish(turn: &RawTurn, expected: Expected<'_>) -> Result<Finish, Fault> {
    if turn.call_after_finish {
        return Err(Fault::new(
            ErrorCode::FragmentAfterFinish,
            "a piece of a call came after the finish reason",
        ));
    }
    let has_calls = !turn.calls.is_empty();
    match &turn.finish {
        Some(WireFinish::Malformed) => {
            Err(Fault::new(ErrorCode::CallMalformed, "the vendor reports a malformed call"))
        }
        Some(WireFinish::Error) => Err(error_in_text(turn)),
        Some(WireFinish::Length) if has_calls => {
            Err(truncated(turn, expected, "the output limit was reached"))
        }
        Some(WireFinish::Length) => Ok(Finish::Length),
        Some(WireFinish::ContentFilter) if has_calls => {
            let fault = Fault::new(ErrorCode::ContentFilter, "the vendor's filter stopped a turn with calls");
            Err(fault.advising(Advice::Stop))
        }
        Some(WireFinish::ContentFilter) => Ok(Finish::ContentFilter),
        Some(WireFinish::Unknown(word)) if has_calls => {
            Err(Fault::new(ErrorCode::FinishUnknown, format!("unknown finish reason \"{}\"", one_line(word))))
        }
        Some(WireFinish::Unknown(_) | WireFinish::Stop | WireFinish::ToolCalls) | None => {
            check_hidden_truncation(turn, expected).map(|()| Finish::Stop)
        }
    }
}

/// Some servers report `tool_calls` or `stop` although the output limit cut the arguments.
fn check_hidden_truncation(turn: &RawTurn, expected: Expected<'_>) -> Result<(), Fault> {
    if turn.calls.is_empty() {
        return Ok(());
    }
    let used = turn.usage.map(|usage| usage.completion_tokens);
    let limit_reached =
        matches!((used, expected.max_tokens), (Some(used), Some(limit)) if limit > 0 && used >= limit);
    if limit_reached {
        return Err(truncated(turn, expected, "as many tokens were used as the request allowed"));
    }
    let cut = turn.calls.iter().find(|call| {
        let tool = call.name.as_deref().and_then(|name| expected.tools.get(name));
        arguments::are_cut_off(call, tool)
    });
    match cut {
        Some(_) => Err(Fault::new(ErrorCode::ArgumentsTruncated, "the arguments end in the middle")),
        None => Ok(()),
    }
}

/// A continuation is possible only for the last call, and only when it alone is open.
fn truncated(turn: &RawTurn, expected: Expected<'_>, reason: &str) -> Fault {
    let is_open = |call: &RawCall| call.scan().is_open();
    let last_is_only_open =
        turn.calls.iter().rev().enumerate().all(|(from_end, call)| is_open(call) == (from_end == 0));
    let is_decided = turn.undecided.is_none() && turn.calls.iter().all(|call| is_named(call, expected.tools));
    let call = (last_is_only_open && is_decided).then(|| turn.calls.len() - 1);
    Fault::new(ErrorCode::ArgumentsTruncated, format!("{reason} inside a tool call; nothing was run"))
        .advising(Advice::Truncated { call })
}

fn is_named(call: &RawCall, tools: &ToolSet) -> bool {
    call.name.as_deref().is_some_and(|name| tools.get(name).is_some())
}

fn error_in_text(turn: &RawTurn) -> Fault {
    let message = format!("the endpoint reports an error: {}", one_line(&turn.text));
    Fault::new(ErrorCode::UpstreamError, message).advising(Advice::Wait)
}

fn judge_text(turn: &RawTurn, finish: Finish, tools: &ToolSet) -> Result<Good, Fault> {
    if turn.finish == Some(WireFinish::ToolCalls) {
        return Err(Fault::new(ErrorCode::CallMissing, "the answer announces a call and has none"));
    }
    if is_moderation_notice(&turn.text) {
        return Ok(text_only(turn, Finish::ContentFilter));
    }
    let in_text = |advice| {
        Fault::new(ErrorCode::CallInText, "a call was written as text; it is not run").advising(advice)
    };
    match hidden_call(turn, tools) {
        Some(Hidden::Marker | Hidden::InReasoning) => return Err(in_text(Advice::Retry)),
        Some(Hidden::JsonText) => return Err(in_text(Advice::RetryOrShow)),
        None => {}
    }
    if turn.text.trim().is_empty() && finish != Finish::ContentFilter {
        return Err(Fault::new(ErrorCode::EmptyReply, "the answer is empty"));
    }
    Ok(text_only(turn, finish))
}

/// The turn as text, for showing.
pub(crate) fn text_only(turn: &RawTurn, finish: Finish) -> Good {
    let mut repairs = Vec::new();
    note_wire_repairs(turn, &mut repairs);
    Good { text: turn.text.clone(), calls: Vec::new(), finish, repairs }
}

fn read_calls(
    turn: &RawTurn,
    expected: Expected<'_>,
    repairs: &mut Vec<Repair>,
) -> Result<Vec<ToolCall>, Fault> {
    if let Some(reason) = turn.undecided {
        return Err(Fault::new(ErrorCode::IdentityAmbiguous, reason));
    }
    let mut used: HashSet<String> = expected.used_ids.clone();
    used.extend(turn.calls.iter().filter_map(|call| call.id.clone()));
    let mut calls = Vec::with_capacity(turn.calls.len());
    for (position, raw) in turn.calls.iter().enumerate() {
        let mut note = |kind| repairs.push(Repair { kind, call: Some(position) });
        let (name, tool) = read_name(raw, expected.tools, &mut note)?;
        let whole = arguments::read(raw, tool).map_err(|fault| about_call(fault, &name))?;
        whole.kinds.into_iter().for_each(&mut note);
        let id = raw.id.clone().unwrap_or_else(|| {
            note(RepairKind::IdMade);
            fresh_id(&mut used, position, &name)
        });
        note_oddities(raw, &mut note);
        calls.push(ToolCall { id, name, arguments: whole.text, extra: raw.extra.clone() });
    }
    Ok(calls)
}

fn about_call(fault: Fault, name: &str) -> Fault {
    Fault { message: format!("tool \"{name}\": {}", fault.message), ..fault }
}

fn read_name<'a>(
    raw: &RawCall,
    tools: &'a ToolSet,
    note: &mut impl FnMut(RepairKind),
) -> Result<(String, &'a super::tools::Declared), Fault> {
    let Some(name) = raw.name.as_deref() else {
        return Err(Fault::new(ErrorCode::ToolUnnamed, "a call came without a name"));
    };
    if let Some(tool) = tools.get(name) {
        return Ok((name.to_owned(), tool));
    }
    let cleaned = cleaned_name(name);
    if let Some(tool) = tools.get(cleaned) {
        note(RepairKind::NameCleaned);
        return Ok((cleaned.to_owned(), tool));
    }
    let shown: String = one_line(name).chars().take(80).collect();
    let message = format!("there is no tool \"{shown}\"; the tools are {}", tools.names().join(", "));
    Err(Fault::new(ErrorCode::ToolUnknown, message))
}

/// Cuts a leaked channel marker and the vendor's id form (`functions.edit:0`); nothing else is ever guessed about a name.
fn cleaned_name(name: &str) -> &str {
    let before_marker = name.split("<|").next().unwrap_or_default().trim();
    let without_prefix = before_marker.strip_prefix("functions.").unwrap_or(before_marker);
    match without_prefix.rsplit_once(':') {
        Some((stem, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            stem
        }
        _ => without_prefix,
    }
}

/// Nine letters or digits: the strictest form that any vendor wants in history.
fn fresh_id(used: &mut HashSet<String>, position: usize, name: &str) -> String {
    let mut salt = used.len() as u64;
    loop {
        let id = crate::turn::history::nine_characters(&format!("{name}/{position}/{salt}"));
        if used.insert(id.clone()) {
            return id;
        }
        salt = salt.wrapping_add(1);
    }
}

fn note_oddities(raw: &RawCall, note: &mut impl FnMut(RepairKind)) {
    let oddities = [
        (raw.oddities.renumbered, RepairKind::Renumbered),
        (raw.oddities.id_changed, RepairKind::IdChanged),
        (raw.oddities.id_lifted, RepairKind::IdLifted),
    ];
    oddities.into_iter().filter(|(seen, _)| *seen).for_each(|(_, kind)| note(kind));
}

fn note_wire_repairs(turn: &RawTurn, repairs: &mut Vec<Repair>) {
    let seen = [
        (turn.bare_body, RepairKind::BareBody),
        (turn.from_message && !turn.bare_body, RepairKind::MessageSnapshot),
        (turn.findings.stripped_control, RepairKind::MarkerStripped),
        (turn.findings.split_think, RepairKind::ThinkBlockSplit),
    ];
    repairs.extend(seen.into_iter().filter(|(seen, _)| *seen).map(|(_, kind)| Repair { kind, call: None }));
}

/// The text of a turn with calls, without a marker at its end and without a copy of the arguments.
fn text_beside_calls(turn: &RawTurn, calls: &[ToolCall], repairs: &mut Vec<Repair>) -> Result<String, Fault> {
    if turn.call_in_parts {
        return Err(Fault::new(
            ErrorCode::CallInText,
            "a call came as a part of the text beside the real one",
        ));
    }
    if let Some(hidden) = &turn.findings.from_call_marker {
        if !is_bare_marker(hidden) {
            return Err(Fault::new(ErrorCode::CallInText, "a call was written as text beside the real one"));
        }
        repairs.push(Repair { kind: RepairKind::MarkerStripped, call: None });
    }
    let said = turn.text.trim();
    if !said.is_empty() && calls.iter().any(|call| repeats_arguments(said, &call.arguments)) {
        repairs.push(Repair { kind: RepairKind::EchoedArguments, call: None });
        return Ok(String::new());
    }
    Ok(turn.text.clone())
}

/// Shorter texts may be part of the arguments by chance.
const SHORTEST_ECHO: usize = 16;

fn repeats_arguments(said: &str, arguments: &str) -> bool {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(arguments) else { return false };
    said == arguments.trim() || holds_text(&value, said)
}

fn holds_text(value: &serde_json::Value, said: &str) -> bool {
    use serde_json::Value;
    match value {
        Value::String(text) => text.trim() == said || (said.len() >= SHORTEST_ECHO && text.contains(said)),
        Value::Array(items) => items.iter().any(|item| holds_text(item, said)),
        Value::Object(members) => members.values().any(|member| holds_text(member, said)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

pub(crate) fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(300).collect()
}
