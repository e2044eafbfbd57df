//! What a turn adds to the counters.

use std::time::Duration;

use gateway::Continuation;
use serde_json::Value;

use super::{
    Turn,
    execute::{Answer, Counted, Kind},
};
use crate::agent::{
    metrics::{Key, kind},
    model::{StepError, StepOutcome},
};
use crate::api::AppError;
use crate::workspace::EditMode;

impl Turn {
    fn key(&self) -> Key {
        Key { model: self.card().id.clone(), endpoint: self.card().endpoint.clone(), ..Key::default() }
    }

    /// One call of a tool.
    pub(super) fn count_call(&self, answer: &Answer) {
        match (answer.counted, answer.value["error"]["code"].as_str()) {
            (Some(counted), _) => self.count(counted, &answer.value, answer.took),
            // Refused before anybody looked at the file.
            (None, Some(code)) => {
                let key = Key { protocol: "function_call".into(), ..self.key() };
                self.app.agent.metrics.count(&key, kind::CALL, 1);
                self.app.agent.metrics.count(&key, code, 1);
            }
            (None, None) => {}
        }
    }

    /// One edit or read with its outcome.
    pub(super) fn count(&self, counted: Counted, value: &Value, took: Duration) {
        let metrics = &self.app.agent.metrics;
        let key = Key { format: counted.format.as_str().into(), ..self.key() };
        if counted.kind == Kind::Read {
            metrics.time(&key, kind::READ, took);
            return;
        }
        let key =
            Key { protocol: counted.protocol.as_str().into(), size: counted.size.as_str().into(), ..key };
        metrics.count(&key, kind::CALL, 1);
        match value["error"]["code"].as_str() {
            Some(code) => metrics.count(&key, code, 1),
            None => metrics.count(&key, kind::OK, 1),
        }
        if self.request.mode == EditMode::Commit && value["ok"] == true {
            metrics.time(&key, kind::COMMIT, took);
        }
    }

    /// A step that brought a message: whether it needed help.
    pub(super) fn count_step(&self, outcome: &StepOutcome) {
        let retries = u64::try_from(outcome.retries).unwrap_or(u64::MAX);
        let saved = u64::from(outcome.retries > 0);
        self.count_help(retries, saved, outcome.continuation);
    }

    /// A step whose answer could not be used.
    pub(super) fn count_unusable(&self, error: &StepError, answer: &Value) {
        self.count_help(u64::try_from(error.retries).unwrap_or(u64::MAX), 0, error.continuation);
        let metrics = &self.app.agent.metrics;
        let key = Key { protocol: "function_call".into(), ..self.key() };
        metrics.count(&key, kind::CALL, 1);
        metrics.count(&key, answer["error"]["code"].as_str().unwrap_or("invalid_arguments"), 1);
    }

    fn count_help(&self, retries: u64, saved: u64, continuation: Continuation) {
        let (metrics, key) = (&self.app.agent.metrics, self.key());
        metrics.count(&key, kind::RETRY, retries);
        metrics.count(&key, kind::RETRY_SAVED, saved);
        match continuation {
            Continuation::NotNeeded => {}
            Continuation::Saved => {
                metrics.count(&key, kind::CONTINUATION, 1);
                metrics.count(&key, kind::CONTINUATION_SAVED, 1);
            }
            Continuation::Failed => metrics.count(&key, kind::CONTINUATION, 1),
        }
    }

    /// The turn as a whole.
    pub(super) fn count_turn(&self, ended: &Result<String, AppError>) {
        let (metrics, key) = (&self.app.agent.metrics, self.key());
        metrics.time(&key, kind::TURN, self.started.elapsed());
        if let Err(error) = ended {
            let code = serde_json::to_value(error.code).ok();
            metrics.count(&key, code.as_ref().and_then(Value::as_str).unwrap_or("internal"), 1);
        }
    }
}
