//! What to do about a fault: ask again differently, wait, ask for the tail, or stop. Every way has a limit of its own.
//!
//! Retries of the answer are at most two and each changes something: first one call at a time or a lower temperature, last no stream,
//! because the server's other parser is a different piece of code. Waiting for connections and rate limits does not count against them.

use std::time::Duration;

use super::ask::{Ask, Variation};
use super::judge::{Advice, Fault};
use crate::dialect::{ContinuationForm, Dialect, Streaming};
use crate::endpoint::Limits;
use crate::error::ErrorCode;
use crate::outcome::RetryKind;

/// The next step after a fault.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    Again {
        kind: RetryKind,
        wait: Duration,
    },
    /// Ask for the tail of this call.
    Continue {
        call: usize,
    },
    /// The text of the last answer is shown as it is.
    Show,
    Stop,
}

/// How much of each allowance is left, and what the next attempt changes.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) variation: Variation,
    repairs: u32,
    transport: u32,
    learned: u32,
    waits: u32,
    has_continued: bool,
    has_raised: bool,
}

/// An endpoint may reject several keys, one after the other.
const MOST_LEARNED_IN_A_TURN: u32 = 6;

/// The temperature of a retry when the caller gave none.
const LOW_TEMPERATURE: f64 = 0.2;

impl Plan {
    pub(crate) fn new(limits: &Limits) -> Plan {
        Plan {
            variation: Variation::default(),
            repairs: limits.repairs,
            transport: limits.transport_retries,
            learned: MOST_LEARNED_IN_A_TURN,
            waits: 0,
            has_continued: false,
            has_raised: false,
        }
    }

    pub(crate) fn after(
        &mut self,
        fault: &Fault,
        retry_after: Option<Duration>,
        ask: &Ask,
        dialect: &Dialect,
        limits: &Limits,
    ) -> Next {
        match fault.advice {
            Advice::Stop => Next::Stop,
            Advice::Wait => self.wait(retry_after, limits),
            Advice::Truncated { call } => self.after_truncation(call, ask, dialect),
            Advice::Retry => self.repair(fault, ask, dialect, limits),
            Advice::RetryOrShow => match self.repair(fault, ask, dialect, limits) {
                Next::Stop => Next::Show,
                next => next,
            },
            Advice::RetryWithoutStream => {
                let next = self.repair(fault, ask, dialect, limits);
                self.variation.without_stream = dialect.streaming != Streaming::StreamOnly;
                next
            }
        }
    }

    /// A rejected key was dropped: the same request once more.
    pub(crate) fn after_learning(&mut self) -> Next {
        match self.learned.checked_sub(1) {
            Some(left) => {
                self.learned = left;
                Next::Again { kind: RetryKind::LearnedKey, wait: Duration::ZERO }
            }
            None => Next::Stop,
        }
    }

    fn wait(&mut self, retry_after: Option<Duration>, limits: &Limits) -> Next {
        if self.transport == 0 || retry_after.is_some_and(|wait| wait > limits.retry_after_cap) {
            return Next::Stop;
        }
        self.transport -= 1;
        let backoff = limits.backoff.saturating_mul(2_u32.saturating_pow(self.waits));
        self.waits += 1;
        Next::Again { kind: RetryKind::Transport, wait: retry_after.unwrap_or(backoff) }
    }

    /// One continuation, or one retry with a higher limit; never both, and no third try.
    fn after_truncation(&mut self, call: Option<usize>, ask: &Ask, dialect: &Dialect) -> Next {
        if self.has_continued || self.has_raised {
            return Next::Stop;
        }
        if let Some(call) = call.filter(|_| dialect.continuation != ContinuationForm::None) {
            self.has_continued = true;
            return Next::Continue { call };
        }
        let raised =
            ask.max_tokens.zip(ask.ceiling).map(|(limit, ceiling)| limit.saturating_mul(2).min(ceiling));
        match raised.filter(|raised| ask.max_tokens.is_some_and(|limit| *raised > limit) && self.repairs > 0)
        {
            Some(raised) => {
                self.has_raised = true;
                self.repairs -= 1;
                self.variation.max_tokens = Some(raised);
                Next::Again { kind: RetryKind::Repair, wait: Duration::ZERO }
            }
            None => Next::Stop,
        }
    }

    fn repair(&mut self, fault: &Fault, ask: &Ask, dialect: &Dialect, limits: &Limits) -> Next {
        if self.repairs == 0 || self.has_raised {
            return Next::Stop;
        }
        self.repairs -= 1;
        let is_last = self.repairs == 0;
        let can_do_without_stream = ask.streams && dialect.streaming != Streaming::StreamOnly;
        if is_last && can_do_without_stream {
            self.variation.without_stream = true;
        } else if is_about_calls(fault.code) && dialect.parallel_tool_calls && !self.variation.one_call_only {
            self.variation.one_call_only = true;
        } else {
            let now = self.variation.temperature.or_else(|| ask.temperature());
            self.variation.temperature = Some(now.map_or(LOW_TEMPERATURE, |now| now / 2.0));
        }
        self.variation.without_strict |= ask.has_strict_tools() && is_about_json(fault.code);
        self.variation.note = note_for(fault);
        // Empty answers come in bursts.
        let wait = if fault.code == ErrorCode::EmptyReply { limits.backoff } else { Duration::ZERO };
        Next::Again { kind: RetryKind::Repair, wait }
    }
}

fn is_about_calls(code: ErrorCode) -> bool {
    !matches!(
        code,
        ErrorCode::EmptyReply | ErrorCode::CallInText | ErrorCode::CallMissing | ErrorCode::StreamEof
    )
}

fn is_about_json(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::ArgumentsInvalidJson | ErrorCode::ArgumentsTruncated)
}

/// What the model is told; faults of the wire are not its doing, so it is not told of them.
fn note_for(fault: &Fault) -> Option<String> {
    let is_the_models = matches!(
        fault.code,
        ErrorCode::ToolUnknown
            | ErrorCode::ArgumentsEmpty
            | ErrorCode::ArgumentsInvalidJson
            | ErrorCode::ArgumentsNotObject
            | ErrorCode::ArgumentsSchema
            | ErrorCode::ArgumentsPathControl
            | ErrorCode::CallInText
            | ErrorCode::CallMalformed
    );
    is_the_models.then(|| {
        let message = &fault.message;
        format!(
            "Your last tool call could not be used and was not run ({message}). \
             Answer again; if a tool is needed, call it with arguments that are one valid JSON object."
        )
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::{Next, Plan};
    use crate::dialect::Dialect;
    use crate::endpoint::Limits;
    use crate::error::ErrorCode;
    use crate::outcome::RetryKind;
    use crate::turn::ask::Ask;
    use crate::turn::judge::{Advice, Fault};

    fn ask(dialect: &Dialect) -> Ask {
        let serde_json::Value::Object(body) = json!({"messages": [], "stream": true, "max_tokens": 100})
        else {
            unreachable!()
        };
        Ask::from_client(body, dialect)
    }

    fn codes(dialect_id: &str, fault: &Fault) -> (Vec<String>, Plan) {
        let dialect = Dialect::preset(dialect_id).unwrap();
        let limits = Limits::default();
        let ask = ask(&dialect);
        let mut plan = Plan::new(&limits);
        let mut steps = Vec::new();
        for _ in 0..10 {
            let next = plan.after(fault, None, &ask, &dialect, &limits);
            steps.push(match &next {
                Next::Again { kind: RetryKind::Repair, .. } => {
                    let variation = &plan.variation;
                    format!(
                        "{}{}",
                        if variation.one_call_only { "one " } else { "" },
                        if variation.without_stream { "whole" } else { "stream" }
                    )
                }
                other => format!("{other:?}").split(' ').next().unwrap_or_default().to_owned(),
            });
            if matches!(next, Next::Stop | Next::Show) {
                break;
            }
        }
        (steps, plan)
    }

    #[test]
    fn each_retry_changes_something_and_there_are_two() {
        let fault = Fault::new(ErrorCode::IdentityAmbiguous, "x");
        assert_eq!(codes("other", &fault).0, ["one stream", "one whole", "Stop"]);
        let (steps, plan) = codes("codebuddy", &fault);
        assert_eq!(steps, ["stream", "stream", "Stop"]);
        assert_eq!(plan.variation.temperature, Some(0.1), "lowered twice where there is no other way");
    }

    #[test]
    fn a_truncation_is_continued_once_and_then_ends() {
        let fault =
            Fault::new(ErrorCode::ArgumentsTruncated, "x").advising(Advice::Truncated { call: Some(0) });
        assert_eq!(codes("kimi", &fault).0, ["Continue", "Stop"]);
        let fault = fault.advising(Advice::Truncated { call: None });
        assert_eq!(codes("kimi", &fault).0, ["Stop"]);
    }

    #[test]
    fn a_limit_is_raised_once_up_to_the_ceiling() {
        let dialect = Dialect::preset("other").unwrap();
        let limits = Limits::default();
        let mut ask = ask(&dialect);
        ask.ceiling = Some(150);
        let mut plan = Plan::new(&limits);
        let fault = Fault::new(ErrorCode::ArgumentsTruncated, "x").advising(Advice::Truncated { call: None });
        assert!(matches!(plan.after(&fault, None, &ask, &dialect, &limits), Next::Again { .. }));
        assert_eq!(plan.variation.max_tokens, Some(150));
        assert_eq!(plan.after(&fault, None, &ask, &dialect, &limits), Next::Stop);
    }

    #[test]
    fn waiting_has_its_own_allowance_and_a_cap() {
        let dialect = Dialect::preset("other").unwrap();
        let limits = Limits::default();
        let ask = ask(&dialect);
        let fault = Fault::new(ErrorCode::RateLimited, "x").advising(Advice::Wait);
        let mut plan = Plan::new(&limits);
        let asked = Some(Duration::from_secs(3));
        let again = |wait| Next::Again { kind: RetryKind::Transport, wait };
        assert_eq!(plan.after(&fault, asked, &ask, &dialect, &limits), again(Duration::from_secs(3)));
        assert_eq!(plan.after(&fault, None, &ask, &dialect, &limits), again(Duration::from_secs(1)));
        assert_eq!(plan.after(&fault, None, &ask, &dialect, &limits), Next::Stop);
        let mut plan = Plan::new(&limits);
        assert_eq!(plan.after(&fault, Some(Duration::from_secs(3600)), &ask, &dialect, &limits), Next::Stop);
    }

    #[test]
    fn text_that_looks_like_a_call_is_shown_in_the_end() {
        let fault = Fault::new(ErrorCode::CallInText, "x").advising(Advice::RetryOrShow);
        assert_eq!(codes("other", &fault).0.last().unwrap(), "Show");
    }
}
