//! `stet metrics`: the counters of CONTRACT section 9, as kept in Stet home.

use std::collections::BTreeMap;

use assistant::{
    AppError, Request, Response,
    agent::metrics::MetricsRow,
    api::{params::NoParams, turn_api::MetricsAnswer},
    workspace::Stop,
};
use serde_json::Value;

use super::unexpected;
use crate::{exit::Exit, output, session::Session};

pub(crate) async fn run(json: bool, stop: Stop) -> Exit {
    match metrics(stop).await {
        Ok(answer) => output::answer(&answer, json, for_people),
        Err(error) => output::error(&error, json, Exit::of(&error)),
    }
}

async fn metrics(stop: Stop) -> Result<MetricsAnswer, AppError> {
    match Session::open(stop)?.call(Request::MetricsGet(NoParams::default())).await? {
        Response::MetricsGet(answer) => Ok(answer),
        other => Err(unexpected(&other)),
    }
}

/// A line a counter, without what is zero; the JSON form is for machines.
fn for_people(answer: &MetricsAnswer) -> String {
    if answer.rows.is_empty() {
        return "Nothing has been counted yet.\n".into();
    }
    let line = |row: &MetricsRow| {
        let fields = serde_json::to_value(row).ok();
        let fields = fields.as_ref().and_then(|row| row.as_object()).into_iter().flatten();
        let told: Vec<String> = fields.filter_map(|(name, value)| told(name, value)).collect();
        told.join("  ") + "\n"
    };
    answer.rows.iter().map(line).collect::<String>() + &compared(&answer.rows)
}

/// How the protocols did, by model and size of the payload; nothing while a model used only one.
fn compared(rows: &[MetricsRow]) -> String {
    let mut groups: BTreeMap<(&str, &str), BTreeMap<&str, Sum>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.protocol.is_empty() && row.calls > 0) {
        let size = if row.size.is_empty() { "unknown" } else { row.size.as_str() };
        let group = groups.entry((row.model.as_str(), size)).or_default();
        group.entry(row.protocol.as_str()).or_default().add(row);
    }
    let mut told = String::new();
    for ((model, size), protocols) in groups.into_iter().filter(|(_, protocols)| protocols.len() > 1) {
        told += &format!("{model}, {size} payloads:\n");
        for (protocol, sum) in protocols {
            told += &format!("  {protocol:<14} {}\n", sum.told());
        }
    }
    if told.is_empty() { told } else { format!("\nBy protocol\n{told}") }
}

#[derive(Default)]
struct Sum {
    calls: u64,
    ok: u64,
    failures: BTreeMap<String, u64>,
}

impl Sum {
    fn add(&mut self, row: &MetricsRow) {
        self.calls += row.calls;
        self.ok += row.ok;
        for (code, count) in &row.failures {
            *self.failures.entry(code.clone()).or_default() += count;
        }
    }

    fn told(&self) -> String {
        let failures: Vec<String> =
            self.failures.iter().map(|(code, count)| format!("{code} {count}")).collect();
        let percent = self.ok * 100 / self.calls.max(1);
        format!("{} of {} ok ({percent} %)  {}", self.ok, self.calls, failures.join(", "))
            .trim_end()
            .to_string()
    }
}

/// `calls: 3`, `read: p50 2 ms, p95 9 ms`; nothing for what was not counted.
fn told(name: &str, value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => (!text.is_empty()).then(|| format!("{name}: {text}")),
        Value::Number(number) => (number.as_f64() != Some(0.0)).then(|| format!("{name}: {number}")),
        Value::Object(times) if times.contains_key("p50_ms") => (times.get("count")? != 0)
            .then(|| format!("{name}: p50 {} ms, p95 {} ms", times["p50_ms"], times["p95_ms"])),
        Value::Object(counts) => {
            let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            (!counts.is_empty()).then(|| format!("{name}: {}", counts.join(", ")))
        }
        Value::Bool(_) | Value::Array(_) => Some(format!("{name}: {value}")),
    }
}
