//! `stet metrics`: the counters of CONTRACT section 9, as kept in Stet home.

use assistant::{
    AppError, Request, Response,
    api::{params::NoParams, turn_api::MetricsAnswer},
    workspace::Stop,
};

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

/// A line a counter, as `name: value` pairs; the JSON form is for machines.
fn for_people(answer: &MetricsAnswer) -> String {
    if answer.rows.is_empty() {
        return "Nothing has been counted yet.\n".into();
    }
    let line = |row: &assistant::agent::metrics::MetricsRow| {
        let fields = serde_json::to_value(row).ok();
        let fields = fields.as_ref().and_then(|row| row.as_object()).into_iter().flatten();
        let told: Vec<String> = fields
            .filter(|(_, value)| !value.is_null() && *value != "")
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        told.join("  ") + "\n"
    };
    answer.rows.iter().map(line).collect()
}
