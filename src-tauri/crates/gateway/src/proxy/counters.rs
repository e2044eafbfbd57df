//! Counts of this process for the `/metrics` page. Kept in memory; nothing is sent anywhere.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::{ErrorCode, GatewayError};
use crate::outcome::{Continuation, Repair, Retry, RetryKind};

/// Turn times per model that the percentiles are taken from.
const MOST_TIMES: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct Counters {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    /// By metric name and label text.
    counts: BTreeMap<(&'static str, String), u64>,
    times: BTreeMap<String, VecDeque<Duration>>,
}

impl Counters {
    pub(super) fn add(&self, metric: &'static str, labels: &str, count: u64) {
        *self.lock().counts.entry((metric, labels.to_owned())).or_default() += count;
    }

    pub(super) fn turn_started(&self, model: &str) {
        self.add("stet_proxy_tool_turns_total", &model_label(model), 1);
    }

    pub(super) fn turn_whole(
        &self,
        model: &str,
        repairs: &[Repair],
        retries: &[Retry],
        continuation: Continuation,
        time: Duration,
    ) {
        let label = model_label(model);
        self.add("stet_proxy_ok_total", &label, 1);
        for repair in repairs {
            self.add("stet_proxy_repairs_total", &format!("{label},kind=\"{}\"", word(&repair.kind)), 1);
        }
        self.retried(&label, retries, true);
        self.continued(&label, continuation);
        self.timed(model, time);
    }

    pub(super) fn turn_failed(&self, model: &str, error: &GatewayError, time: Duration) {
        let label = model_label(model);
        self.add("stet_proxy_errors_total", &format!("{label},code=\"{}\"", error.code.as_str()), 1);
        if error.code == ErrorCode::ArgumentsTruncated {
            self.add("stet_proxy_arguments_truncated_total", &label, 1);
        }
        let timed_out = [ErrorCode::TimeoutConnect, ErrorCode::TimeoutIdle, ErrorCode::TimeoutTotal];
        if timed_out.contains(&error.code) {
            self.add("stet_proxy_timeout_total", &label, 1);
        }
        self.retried(&label, &error.retries, false);
        self.continued(&label, error.continuation);
        self.timed(model, time);
    }

    pub(super) fn turn_cancelled(&self, model: &str) {
        self.add("stet_proxy_cancelled_total", &model_label(model), 1);
    }

    /// The page: Prometheus' text form.
    pub(super) fn text(&self) -> String {
        let table = self.lock();
        let mut page = String::new();
        let mut last = "";
        for ((metric, labels), count) in &table.counts {
            if *metric != last {
                let _ = writeln!(page, "# TYPE {metric} counter");
                last = metric;
            }
            let _ = match labels.is_empty() {
                true => writeln!(page, "{metric} {count}"),
                false => writeln!(page, "{metric}{{{labels}}} {count}"),
            };
        }
        if !table.times.is_empty() {
            page.push_str("# TYPE stet_proxy_turn_seconds summary\n");
        }
        for (model, times) in &table.times {
            let mut sorted: Vec<Duration> = times.iter().copied().collect();
            sorted.sort_unstable();
            for (quantile, percent) in [("0.5", 50), ("0.95", 95)] {
                let at = (sorted.len() - 1) * percent / 100;
                let seconds = sorted.get(at).copied().unwrap_or_default().as_secs_f64();
                let _ = writeln!(
                    page,
                    "stet_proxy_turn_seconds{{{},quantile=\"{quantile}\"}} {seconds:.6}",
                    model_label(model)
                );
            }
        }
        page
    }

    fn retried(&self, label: &str, retries: &[Retry], saved: bool) {
        let repairs = retries.iter().filter(|retry| retry.kind == RetryKind::Repair).count();
        if repairs > 0 {
            self.add("stet_proxy_silent_retries_tried_total", label, repairs as u64);
            self.add("stet_proxy_silent_retries_saved_total", label, u64::from(saved));
        }
        for retry in retries {
            let labels = format!("{label},code=\"{}\",kind=\"{}\"", retry.code.as_str(), word(&retry.kind));
            self.add("stet_proxy_retries_total", &labels, 1);
        }
    }

    fn continued(&self, label: &str, continuation: Continuation) {
        if continuation != Continuation::NotNeeded {
            self.add("stet_proxy_continuations_tried_total", label, 1);
            self.add(
                "stet_proxy_continuations_saved_total",
                label,
                u64::from(continuation == Continuation::Saved),
            );
        }
    }

    fn timed(&self, model: &str, time: Duration) {
        let mut table = self.lock();
        let times = table.times.entry(model.to_owned()).or_default();
        times.push_back(time);
        if times.len() > MOST_TIMES {
            times.pop_front();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn model_label(model: &str) -> String {
    let shown: String = model.chars().take(120).collect();
    let escaped = shown.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("model=\"{escaped}\"")
}

/// The word that an enum has in JSON.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(_) | Err(_) => String::new(),
    }
}
