//! One streamed answer, put together. It takes bytes and gives an unjudged turn; nothing is final before the stream is.
//!
//! No call is finished because its arguments parse, no fragment is taken for a snapshot, no finish reason ends the reading: all of
//! that is decided by `turn::judge` when everything has arrived.

use serde_json::Value;

use super::chunk::{CallFragment, Choice, Chunk, FunctionFragment, Said, WireFailure, counts, read_chunk};
use super::finish::WireFinish;
use super::identity::{Calls, Place, RawCall};
use super::lenient::{Loose, is_truthy};
use super::odd_data::{
    Wrapped, collect_text, is_event_stream, is_json, is_noise, is_sentinel, names_arguments, separate_lines,
    trimmed, unwrapped, with_replacements,
};
use super::reasoning::ReasoningDetails;
use super::sse::{Event, SseParser};
use super::text_filter::{Filtered, Findings, TextFilter};
use crate::outcome::Usage;

/// What is shown while the turn is under way.
#[derive(Debug, PartialEq)]
pub(crate) enum Live<'a> {
    Text(&'a str),
    Reasoning(&'a str),
    /// More bytes of this call's arguments; the total so far.
    Call {
        index: usize,
        name: &'a str,
        bytes: usize,
    },
    Usage(Usage),
}

/// Everything that arrived of a turn.
#[derive(Debug, Default)]
pub(crate) struct RawTurn {
    /// Without leaked tokens, if the turn had tools.
    pub(crate) text: String,
    pub(crate) reasoning: String,
    /// The name under which the reasoning came.
    pub(crate) reasoning_field: Option<&'static str>,
    pub(crate) reasoning_details: Option<Value>,
    pub(crate) calls: Vec<RawCall>,
    pub(crate) undecided: Option<&'static str>,
    pub(crate) finish: Option<WireFinish>,
    /// `[DONE]`, or a whole body.
    pub(crate) done: bool,
    pub(crate) usage: Option<Usage>,
    pub(crate) model: Option<String>,
    pub(crate) failure: Option<WireFailure>,
    /// An event that is no JSON: something was lost.
    pub(crate) malformed: Option<String>,
    pub(crate) call_after_finish: bool,
    pub(crate) findings: Findings,
    /// A part of the content is a call in the form of another interface.
    pub(crate) call_in_parts: bool,
    /// The body was one JSON object.
    pub(crate) bare_body: bool,
    /// A whole message came instead of deltas.
    pub(crate) from_message: bool,
    /// The beginning of a body that is neither a stream nor JSON.
    pub(crate) foreign_body: Option<String>,
    pub(crate) events: u64,
}

pub(crate) struct Aggregator {
    parser: Option<SseParser>,
    filter: Option<TextFilter>,
    turn: RawTurn,
    calls: Calls,
    details: ReasoningDetails,
    /// The last event with a whole message in it.
    message_event: Option<Vec<u8>>,
    has_deltas: bool,
    /// Pieces of calls that were taken, or are known and put aside.
    pieces: u64,
    choice: Option<i64>,
    other_choice_calls: bool,
    finish_without_calls: bool,
    /// A line was ignored that may have been a chunk.
    has_damage: bool,
    /// The body so far, as long as no event was found in it.
    head: Vec<u8>,
}

/// How much of a body that is not a stream is kept for the message.
const FOREIGN_BYTES: usize = 400;

impl Aggregator {
    /// For an answer to a request with tools: leaked tokens are filtered from the text.
    pub(crate) fn with_tools(line_limit: usize) -> Aggregator {
        Aggregator { filter: Some(TextFilter::default()), ..Aggregator::plain(line_limit) }
    }

    /// For an answer to a request without tools: the text is left alone.
    pub(crate) fn plain(line_limit: usize) -> Aggregator {
        Aggregator {
            parser: Some(SseParser::new(line_limit)),
            filter: None,
            turn: RawTurn::default(),
            calls: Calls::default(),
            details: ReasoningDetails::default(),
            message_event: None,
            has_deltas: false,
            pieces: 0,
            choice: None,
            other_choice_calls: false,
            finish_without_calls: false,
            has_damage: false,
            head: Vec::new(),
        }
    }

    /// Takes the next bytes of the body.
    pub(crate) fn feed(&mut self, bytes: &[u8], live: &mut dyn FnMut(Live<'_>)) {
        let Some(mut parser) = self.parser.take() else { return };
        if self.turn.events == 0 {
            self.head.extend_from_slice(bytes);
        }
        let fed = parser.feed(bytes, |event| self.take_event(&event, live));
        self.parser = Some(parser);
        if fed.is_err() {
            self.turn.malformed.get_or_insert_with(|| "a line of the stream is too long".to_owned());
        }
        if self.turn.events > 0 {
            self.head = Vec::new();
        }
    }

    /// `[DONE]` was read; nothing after it counts.
    pub(crate) fn is_done(&self) -> bool {
        self.turn.done
    }

    /// A finish reason was read; only usage and the sentinel may still come.
    pub(crate) fn has_finish(&self) -> bool {
        self.turn.finish.is_some()
    }

    /// The turn cannot be saved any more, so reading on is pointless.
    pub(crate) fn is_lost(&self) -> bool {
        self.turn.failure.is_some() || self.turn.malformed.is_some()
    }

    /// The body has ended, or is given up.
    pub(crate) fn finish(mut self, live: &mut dyn FnMut(Live<'_>)) -> RawTurn {
        if let Some(mut parser) = self.parser.take() {
            parser.finish(|event| self.take_event(&event, live));
        }
        self.take_bare_body(live);
        self.take_message(live);
        if let Some(mut filter) = self.filter.take() {
            let rest = filter.finish();
            self.turn.findings = filter.findings().clone();
            self.show(rest, live);
        }
        (self.turn.calls, self.turn.undecided) = self.calls.finish();
        if self.other_choice_calls {
            self.turn.undecided.get_or_insert("calls came in several choices");
        }
        self.turn.reasoning_details = self.details.finish();
        self.turn
    }

    fn take_event(&mut self, event: &Event, live: &mut dyn FnMut(Live<'_>)) {
        let data = trimmed(&event.data);
        if self.turn.done || self.is_lost() {
            return;
        }
        if event.is_damaged {
            // A failure may be written between the events as it is.
            let failure = read_chunk(data).ok().and_then(|chunk| chunk.failure(b""));
            if self.turn.events > 0 && failure.is_some() {
                self.turn.failure = failure;
                return;
            }
            // A body of JSON over several lines has such lines too; it has no event beside them.
            self.has_damage = true;
        } else if !is_noise(data) || (event.name == b"error" && !data.is_empty()) {
            self.turn.events += 1;
            self.take_data(data, event, live);
        }
        if self.has_damage && self.turn.events > 0 {
            self.turn.malformed.get_or_insert_with(|| "a line lost its beginning".to_owned());
        }
    }

    fn take_data(&mut self, data: &[u8], event: &Event, live: &mut dyn FnMut(Live<'_>)) {
        if is_sentinel(data) {
            self.turn.done = true;
            return;
        }
        match read_chunk(data) {
            Ok(chunk) => {
                let before = self.pieces;
                self.take_chunk(chunk, event, live);
                // A piece of a call in a place where none belongs: without it the rest may be another valid call.
                let is_lost = self.filter.is_some() && self.pieces == before && names_arguments(data);
                if is_lost && !self.is_lost() {
                    self.turn.malformed = Some("a piece of a call stands where none belongs".to_owned());
                }
            }
            Err(error) if !data.starts_with(b"{") && is_json(data) => match unwrapped(data) {
                Wrapped::Chunks(chunks) => self.take_each(chunks, event, live),
                Wrapped::Nothing => {}
                Wrapped::Broken => self.take_broken(event, &error.to_string(), live),
            },
            Err(error) => self.take_broken(event, &error.to_string(), live),
        }
    }

    fn take_each(&mut self, parts: Vec<Vec<u8>>, event: &Event, live: &mut dyn FnMut(Live<'_>)) {
        for data in parts {
            self.take_event(&Event { name: event.name.clone(), data, is_damaged: false }, live);
        }
    }

    /// An event that does not parse. In a text turn a single damaged character may be replaced; in a tool turn nothing is skipped.
    fn take_broken(&mut self, event: &Event, error: &str, live: &mut dyn FnMut(Live<'_>)) {
        if let Some(lines) = separate_lines(&event.data) {
            self.take_each(lines, event, live);
            return;
        }
        if event.name == b"error" {
            let message = String::from_utf8_lossy(&event.data).trim().to_owned();
            self.turn.failure = Some(WireFailure { message, code: String::new(), status: None });
            return;
        }
        if self.filter.is_none()
            && let Some(replaced) = with_replacements(&event.data)
            && let Ok(chunk) = read_chunk(replaced.as_bytes())
        {
            self.take_chunk(chunk, event, live);
            return;
        }
        self.turn.malformed.get_or_insert_with(|| error.to_owned());
    }

    fn take_chunk(&mut self, chunk: Chunk<'_>, event: &Event, live: &mut dyn FnMut(Live<'_>)) {
        if let Some(failure) = chunk.failure(&event.name) {
            self.turn.failure.get_or_insert(failure);
            return;
        }
        self.take_usage(counts(&chunk.x_groq["usage"]), live);
        self.take_usage(counts(&chunk.usage), live);
        if self.turn.model.is_none() {
            self.turn.model = chunk.model.word().map(str::to_owned);
        }
        for choice in chunk.choices.unwrap_or_default().0 {
            self.take_choice(choice, event, live);
        }
    }

    fn take_usage(&mut self, usage: Usage, live: &mut dyn FnMut(Live<'_>)) {
        if usage != Usage::default() {
            self.turn.usage = Some(usage);
            live(Live::Usage(usage));
        }
    }

    fn take_choice(&mut self, choice: Choice<'_>, event: &Event, live: &mut dyn FnMut(Live<'_>)) {
        let has_index = choice.index.0.is_some();
        let said = [&choice.delta, &choice.message];
        self.pieces += said.iter().filter_map(|said| said.0.as_ref()).map(Said::pieces).sum::<u64>();
        let index = choice.index.0.unwrap_or_default();
        if *self.choice.get_or_insert(index) != index && has_index {
            // A second answer beside the first, where one was asked for. Its text is dropped; a call in it may be one of ours.
            self.other_choice_calls |= said.iter().filter_map(|said| said.0.as_ref()).any(Said::has_calls);
            return;
        }
        self.take_usage(counts(&choice.usage), live);
        let delta = choice.delta.0.filter(Said::says_something);
        if delta.is_none() && choice.message.0.as_ref().is_some_and(Said::says_something) {
            self.message_event = Some(event.data.clone());
        }
        let has_calls = delta.as_ref().is_some_and(Said::has_calls);
        if let Some(delta) = delta {
            self.has_deltas = true;
            self.take_said(delta, live);
        }
        let reasons = [
            WireFinish::of(&choice.finish_reason),
            choice.native_finish_reason.word().and_then(WireFinish::read_native),
        ];
        for reason in reasons.into_iter().flatten() {
            self.finish_without_calls |= !has_calls;
            self.turn.finish = self.turn.finish.take().max(Some(reason));
        }
    }

    fn take_said(&mut self, said: Said<'_>, live: &mut dyn FnMut(Live<'_>)) {
        let (field, reasoning) = match (said.reasoning_content, said.reasoning) {
            // Some servers send the same thinking under both names.
            (Loose::Nothing, Loose::Nothing) => (None, Loose::Nothing),
            (Loose::Nothing, reasoning) => (Some("reasoning"), reasoning),
            (reasoning, _) => (Some("reasoning_content"), reasoning),
        };
        if let Loose::Text(reasoning) = &reasoning {
            self.turn.reasoning_field = self.turn.reasoning_field.or(field);
            self.take_reasoning(reasoning, live);
        }
        if is_truthy(&said.reasoning_details) {
            self.details.add(said.reasoning_details);
        }
        match said.content {
            Loose::Text(text) => self.take_text(&text, live),
            Loose::Other(parts) => self.take_parts(&parts, live),
            Loose::Nothing => {}
        }
        if let Some(refusal) = said.refusal.get() {
            self.take_text(refusal, live);
        }
        let fragments: Vec<_> =
            said.tool_calls.0.into_iter().filter(|fragment| !fragment.is_empty()).collect();
        let siblings = fragments.len();
        let is_late = self.finish_without_calls;
        let legacy = said.function_call.0.filter(|function| siblings == 0 && !function.is_empty());
        let has_other = fragments.iter().any(CallFragment::has_other_arguments)
            || legacy.as_ref().is_some_and(FunctionFragment::has_other_arguments);
        if has_other {
            self.turn.malformed.get_or_insert_with(|| "arguments came under an unknown key".to_owned());
        }
        for (position, fragment) in fragments.into_iter().enumerate() {
            let before = self.calls.len();
            let had_objects = self.calls.object_count();
            let placed = self.calls.add(fragment, Place { position, siblings });
            let adds =
                placed.bytes > 0 || self.calls.len() > before || self.calls.object_count() > had_objects;
            self.turn.call_after_finish |= is_late && adds;
            self.show_call(placed.call, live);
        }
        if let Some(function) = legacy {
            let placed = self.calls.add_legacy(function);
            self.turn.call_after_finish |= is_late;
            self.show_call(placed.call, live);
        }
    }

    fn show_call(&self, call: usize, live: &mut dyn FnMut(Live<'_>)) {
        let Some(seen) = self.calls.get(call) else { return };
        let name = seen.name.as_deref().unwrap_or_default();
        live(Live::Call { index: call, name, bytes: seen.arguments.len() });
    }

    fn take_text(&mut self, text: &str, live: &mut dyn FnMut(Live<'_>)) {
        match &mut self.filter {
            Some(filter) => {
                let filtered = filter.feed(text);
                self.show(filtered, live);
            }
            None => {
                self.turn.text.push_str(text);
                live(Live::Text(text));
            }
        }
    }

    fn take_reasoning(&mut self, reasoning: &str, live: &mut dyn FnMut(Live<'_>)) {
        self.turn.reasoning.push_str(reasoning);
        live(Live::Reasoning(reasoning));
    }

    /// Content as a list of parts: text and thinking (Mistral), or an object with a text.
    fn take_parts(&mut self, parts: &Value, live: &mut dyn FnMut(Live<'_>)) {
        match parts {
            Value::Array(parts) => {
                for part in parts {
                    self.take_parts(part, live);
                }
            }
            Value::String(text) => self.take_text(text, live),
            Value::Object(part) => {
                let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
                self.turn.call_in_parts |= ["tool_use", "tool_call", "function_call"].contains(&kind);
                let is_thought = kind.contains("reasoning") || kind.contains("thinking");
                let thought = part.get("text").or(part.get("summary")).filter(|_| is_thought);
                if let Some(thinking) = part.get("thinking").or(thought) {
                    let mut text = String::new();
                    collect_text(thinking, &mut text);
                    self.take_reasoning(&text, live);
                } else if let Some(text) = part.get("text") {
                    let mut whole = String::new();
                    collect_text(text, &mut whole);
                    self.take_text(&whole, live);
                }
            }
            Value::Number(number) => self.take_text(&number.to_string(), live),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn show(&mut self, filtered: Filtered, live: &mut dyn FnMut(Live<'_>)) {
        if !filtered.reasoning.is_empty() {
            self.take_reasoning(&filtered.reasoning, live);
        }
        if !filtered.text.is_empty() {
            self.turn.text.push_str(&filtered.text);
            live(Live::Text(&filtered.text));
        }
    }

    /// No event was found: the body may be one JSON object, or a page from something that is no endpoint.
    fn take_bare_body(&mut self, live: &mut dyn FnMut(Live<'_>)) {
        let head = std::mem::take(&mut self.head);
        let body = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&head).trim_ascii();
        if self.turn.events > 0 || body.is_empty() {
            return;
        }
        let foreign = || Some(String::from_utf8_lossy(&body[..body.len().min(FOREIGN_BYTES)]).into_owned());
        if is_event_stream(body) {
            return;
        }
        // Some vendors put the object into a list of one.
        let listed = match unwrapped(body) {
            Wrapped::Chunks(one) if one.len() == 1 => one.into_iter().next(),
            Wrapped::Chunks(_) | Wrapped::Nothing | Wrapped::Broken => None,
        };
        let listed = listed.filter(|_| body.starts_with(b"["));
        let body = listed.as_deref().unwrap_or(body);
        if !body.starts_with(b"{") {
            self.turn.foreign_body = foreign();
            return;
        }
        self.turn.bare_body = true;
        match read_chunk(body) {
            Ok(chunk) if chunk.choices.as_ref().is_none_or(|choices| choices.0.is_empty()) => {
                let failure = chunk.failure(b"").or_else(|| chunk.complaint());
                self.turn.foreign_body = if failure.is_none() { foreign() } else { None };
                self.turn.failure = failure;
            }
            Ok(chunk) => {
                let event = Event { data: body.to_vec(), ..Event::default() };
                // A whole message is all there is to come; a delta may be the first of several.
                let choices = chunk.choices.as_ref();
                let is_message =
                    choices.is_some_and(|all| all.0.iter().any(|choice| choice.message.0.is_some()));
                self.take_chunk(chunk, &event, live);
                self.turn.done = is_message;
            }
            Err(error) => self.turn.malformed = Some(error.to_string()),
        }
    }

    /// A whole message counts only when no delta said anything.
    fn take_message(&mut self, live: &mut dyn FnMut(Live<'_>)) {
        let Some(data) = self.message_event.take().filter(|_| !self.has_deltas) else { return };
        let Ok(chunk) = read_chunk(trimmed(&data)) else { return };
        self.turn.from_message = true;
        self.finish_without_calls = false;
        for choice in chunk.choices.unwrap_or_default().0.into_iter().take(1) {
            if let Some(message) = choice.message.0 {
                self.take_said(message, live);
            }
        }
    }
}
