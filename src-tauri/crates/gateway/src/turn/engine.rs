//! The loop that makes a turn whole: ask, judge, and ask again as the plan says, until it is whole or the allowances are used up.

use std::time::Instant;

use serde_json::Value;

use super::ask::Ask;
use super::attempt::{Attempt, Reading, Wire, cancelled, send};
use super::continuation;
use super::judge::{Advice, End, Expected, Fault, Good, judge, judge_plain, text_only};
use super::plan::{Next, Plan};
use super::upstream_error::{Refusal, rejected_key};
use crate::error::{ErrorCode, GatewayError, Partial, PartialCall};
use crate::json::lexer;
use crate::learned::Learned;
use crate::outcome::{Continuation, Delta, Finish, Repair, RepairKind, Retry, Usage};
use crate::wire::aggregate::{Live, RawTurn};
use crate::wire::finish::WireFinish;

/// A whole turn, before it is shaped for its reader.
#[derive(Debug)]
pub(crate) struct Turned {
    pub(crate) good: Good,
    pub(crate) turn: RawTurn,
    pub(crate) usage: Option<Usage>,
    pub(crate) retries: Vec<Retry>,
    pub(crate) continuation: Continuation,
    pub(crate) rejected_keys: Vec<String>,
}

/// A turn that could not be made whole, with the endpoint's own refusal when that was the reason.
#[derive(Debug)]
pub(crate) struct Unmade {
    pub(crate) error: GatewayError,
    pub(crate) refusal: Option<Refusal>,
}

pub(crate) type OnDelta<'a> = &'a mut (dyn FnMut(Delta) + Send);

/// Runs one turn to its end.
pub(crate) async fn run(
    wire: Wire<'_>,
    ask: &Ask,
    learned: &Learned,
    on_delta: OnDelta<'_>,
) -> Result<Turned, Unmade> {
    let with_tools = !ask.tools.is_empty();
    let limits = wire.limits;
    let idle = if with_tools { limits.idle_tools } else { limits.idle };
    // A plain turn may take as long as it keeps talking.
    let total = if with_tools { limits.total_tools } else { limits.total_tools.saturating_mul(4) };
    let reading = Reading { with_tools, idle, deadline: Instant::now() + total };
    let mut state = State::new(Plan::new(limits));
    let url = match wire.endpoint.url("chat/completions") {
        Ok(url) => url,
        Err(error) => return Err(Unmade { error, refusal: None }),
    };
    loop {
        let rejected = learned.rejected_by(wire.endpoint);
        let (body, streams) = ask.render(&state.plan.variation, wire.endpoint, &rejected);
        let reading = if streams { reading } else { Reading { idle: total, ..reading } };
        let mut shown = Shown::new(on_delta);
        let attempt =
            send(wire, url.clone(), body.to_string().into_bytes(), reading, &mut |live| shown.show(live))
                .await;
        let has_shown = shown.anything;
        let step = state.judge_attempt(attempt, wire, ask, learned, with_tools);
        let (fault, next) = match step {
            Step::Whole(good) => return Ok(state.turned(good)),
            Step::Fault(fault, next) => (fault, next),
        };
        // Text of a turn without tools is released as it comes, and what is released cannot be taken back.
        let is_released = !with_tools && has_shown;
        match next {
            Next::Again { kind, wait } if !is_released && Instant::now() + wait < reading.deadline => {
                state.retries.push(Retry { code: fault.code, kind });
                if let Err(fault) = pause(wire, wait, &fault, on_delta).await {
                    return Err(state.unmade(fault));
                }
                on_delta(Delta::Restarted { attempt: state.attempts(), code: fault.code });
            }
            Next::Continue { call } => {
                match continue_call(wire, ask, &mut state, call, reading, on_delta).await {
                    Ok(good) => return Ok(state.turned(good)),
                    Err(fault) => return Err(state.unmade(fault)),
                }
            }
            Next::Show => {
                let finish =
                    if state.turn.finish == Some(WireFinish::Length) { Finish::Length } else { Finish::Stop };
                let good = text_only(&state.turn, finish);
                return Ok(state.turned(good));
            }
            Next::Again { .. } | Next::Stop => return Err(state.unmade(fault)),
        }
    }
}

enum Step {
    Whole(Good),
    Fault(Fault, Next),
}

/// What a turn has cost and brought so far.
struct State {
    plan: Plan,
    turn: RawTurn,
    refusal: Option<Refusal>,
    retry_after: Option<std::time::Duration>,
    retries: Vec<Retry>,
    rejected_keys: Vec<String>,
    usage: Option<Usage>,
    continuation: Continuation,
}

impl State {
    fn new(plan: Plan) -> State {
        State {
            plan,
            turn: RawTurn::default(),
            refusal: None,
            retry_after: None,
            retries: Vec::new(),
            rejected_keys: Vec::new(),
            usage: None,
            continuation: Continuation::NotNeeded,
        }
    }

    fn judge_attempt(
        &mut self,
        attempt: Attempt,
        wire: Wire<'_>,
        ask: &Ask,
        learned: &Learned,
        with_tools: bool,
    ) -> Step {
        self.refusal = None;
        self.retry_after = None;
        let dialect = &wire.endpoint.dialect;
        let fault = match attempt {
            Attempt::Failed(fault) => fault,
            Attempt::Refused(refusal) => {
                if let Some(step) = self.learn(&refusal, wire, ask, learned) {
                    return step;
                }
                let fault = refusal.fault();
                self.retry_after = refusal.retry_after;
                self.refusal = Some(refusal);
                fault
            }
            Attempt::Turn { turn, end, encoding_mismatch } => {
                self.add_usage(turn.usage);
                self.turn = *turn;
                let judged = match with_tools {
                    true => judge(&self.turn, &end, self.expected(ask)),
                    false => judge_plain(&self.turn, &end),
                };
                match judged {
                    Ok(mut good) => {
                        if encoding_mismatch {
                            good.repairs.push(Repair { kind: RepairKind::EncodingMismatch, call: None });
                        }
                        return Step::Whole(good);
                    }
                    Err(fault) => fault,
                }
            }
        };
        let next = self.plan.after(&fault, self.retry_after, ask, dialect, wire.limits);
        Step::Fault(fault, next)
    }

    fn expected<'a>(&self, ask: &'a Ask) -> Expected<'a> {
        let max_tokens = self.plan.variation.max_tokens.or(ask.max_tokens);
        Expected { tools: &ask.tools, max_tokens, used_ids: &ask.used_ids }
    }

    /// The endpoint named one of our optional keys: drop it, remember it, repeat once.
    fn learn(&mut self, refusal: &Refusal, wire: Wire<'_>, ask: &Ask, learned: &Learned) -> Option<Step> {
        let known = learned.rejected_by(wire.endpoint);
        let candidates = ask.droppable(&self.plan.variation, &wire.endpoint.dialect, &known);
        let key = rejected_key(refusal, &candidates)?.to_owned();
        learned.remember(wire.endpoint, &key);
        self.rejected_keys.push(key);
        Some(Step::Fault(refusal.fault(), self.plan.after_learning()))
    }

    fn add_usage(&mut self, usage: Option<Usage>) {
        self.usage = match (self.usage, usage) {
            (Some(before), Some(now)) => Some(before.plus(now)),
            (before, now) => before.or(now),
        };
    }

    fn attempts(&self) -> u32 {
        u32::try_from(self.retries.len()).unwrap_or(u32::MAX)
    }

    fn turned(self, good: Good) -> Turned {
        Turned {
            good,
            turn: self.turn,
            usage: self.usage,
            retries: self.retries,
            continuation: self.continuation,
            rejected_keys: self.rejected_keys,
        }
    }

    fn unmade(self, fault: Fault) -> Unmade {
        let error = GatewayError {
            code: fault.code,
            message: fault.message,
            status: fault.status,
            retry_after: self.retry_after,
            retries: self.retries,
            continuation: self.continuation,
            usage: self.usage,
            partial: Box::new(partial(&self.turn)),
        };
        Unmade { error, refusal: self.refusal }
    }
}

fn partial(turn: &RawTurn) -> Partial {
    let calls = turn.calls.iter().map(|call| PartialCall {
        id: call.id.clone(),
        name: call.name.clone(),
        bytes: call.arguments.len(),
        known: lexer::known_members(&call.arguments),
    });
    Partial { text: turn.text.clone(), reasoning: turn.reasoning.clone(), calls: calls.collect() }
}

async fn pause(
    wire: Wire<'_>,
    delay: std::time::Duration,
    fault: &Fault,
    on_delta: OnDelta<'_>,
) -> Result<(), Fault> {
    if delay.is_zero() {
        return if wire.cancel.is_cancelled() { Err(cancelled()) } else { Ok(()) };
    }
    on_delta(Delta::Waiting { delay, code: fault.code });
    tokio::select! {
        () = wire.cancel.cancelled() => Err(cancelled()),
        () = tokio::time::sleep(delay) => Ok(()),
    }
}

/// Asks for the tail of one call and judges the completed turn anew.
async fn continue_call(
    wire: Wire<'_>,
    ask: &Ask,
    state: &mut State,
    call: usize,
    reading: Reading,
    on_delta: OnDelta<'_>,
) -> Result<Good, Fault> {
    state.continuation = Continuation::Failed;
    let truncated = || {
        let message = "the output limit cut the arguments off, and their tail could not be added safely; nothing was run";
        Fault::new(ErrorCode::ArgumentsTruncated, message).advising(Advice::Stop)
    };
    let (name, cut_off) = match state.turn.calls.get(call) {
        Some(raw) => (raw.name.clone().unwrap_or_default(), raw.arguments.clone()),
        None => return Err(truncated()),
    };
    on_delta(Delta::Continuing { name: name.clone() });
    let tail = ask_for_tail(wire, ask, &name, &cut_off, reading).await?;
    let Some((tail, usage)) = tail else { return Err(truncated()) };
    state.add_usage(usage);
    let Some(whole) = continuation::glue(&cut_off, &tail) else { return Err(truncated()) };
    if let Some(raw) = state.turn.calls.get_mut(call) {
        raw.replace(&whole);
    }
    // The cut is mended: what is left to judge is the turn without it.
    state.turn.finish = Some(WireFinish::ToolCalls);
    state.turn.usage = None;
    let good = judge(&state.turn, &End::Complete, state.expected(ask)).map_err(|_| truncated())?;
    state.continuation = Continuation::Saved;
    Ok(good)
}

async fn ask_for_tail(
    wire: Wire<'_>,
    ask: &Ask,
    name: &str,
    cut_off: &str,
    reading: Reading,
) -> Result<Option<(String, Option<Usage>)>, Fault> {
    let Some(request) = continuation::request(ask, wire.endpoint, name, cut_off) else { return Ok(None) };
    let other_base = request.base_url.filter(|_| is_own_host(wire));
    let endpoint = match other_base {
        Some(base_url) => crate::endpoint::Endpoint { base_url, ..wire.endpoint.clone() },
        None => wire.endpoint.clone(),
    };
    let Ok(url) = endpoint.url("chat/completions") else { return Ok(None) };
    let wire = Wire { endpoint: &endpoint, ..wire };
    let reading = Reading { with_tools: false, ..reading };
    let body = request.body.to_string().into_bytes();
    match send(wire, url, body, reading, &mut |_| {}).await {
        Attempt::Failed(fault) if fault.code == ErrorCode::Cancelled => Err(fault),
        Attempt::Failed(_) | Attempt::Refused(_) => Ok(None),
        Attempt::Turn { turn, end, .. } => {
            let is_clean =
                turn.finish == Some(WireFinish::Stop) && turn.calls.is_empty() && turn.undecided.is_none();
            let is_whole = judge_plain(&turn, &end).is_ok();
            Ok((is_clean && is_whole).then_some((turn.text, turn.usage)))
        }
    }
}

/// The vendor's other base holds only for the vendor itself, not for a relay that speaks its dialect.
fn is_own_host(wire: Wire<'_>) -> bool {
    let dialect = &wire.endpoint.dialect;
    let found = crate::dialect::Dialect::recognise(&wire.endpoint.base_url, &wire.endpoint.model);
    found.id == dialect.id
}

/// Turns what the aggregator shows into deltas.
struct Shown<'a> {
    on_delta: OnDelta<'a>,
    anything: bool,
}

impl<'a> Shown<'a> {
    fn new(on_delta: OnDelta<'a>) -> Shown<'a> {
        Shown { on_delta, anything: false }
    }

    fn show(&mut self, live: Live<'_>) {
        let delta = match live {
            Live::Text(text) => Delta::Text(text.to_owned()),
            Live::Reasoning(text) => Delta::Reasoning(text.to_owned()),
            Live::Call { index, name, bytes } => Delta::ToolProgress { index, name: name.to_owned(), bytes },
            Live::Usage(usage) => Delta::Usage(usage),
        };
        self.anything |= matches!(delta, Delta::Text(_));
        (self.on_delta)(delta);
    }
}

/// The body of an answer's opaque fields, by name.
pub(crate) fn opaque_fields(turn: &RawTurn) -> serde_json::Map<String, Value> {
    let details = turn.reasoning_details.clone().map(|details| ("reasoning_details".to_owned(), details));
    details.into_iter().collect()
}
