//! The window: cold start and memory against an empty window of the same build, first sights, side by side of long texts.
//!
//! The measuring is `tests/e2e/bench.mjs`, which drives the built app; here it is run and its ratios become promises. `STET_APP`,
//! `STET_EMPTY` (the example `empty` of the shell) and `STET_TAURI_DRIVER` name what is measured; without them nothing is.

use std::process::Command;

use serde_json::Value;

use super::bound;
use crate::repository;

/// Runs the script and tells its table.
pub fn window() -> String {
    let missing = ["STET_APP", "STET_EMPTY", "STET_TAURI_DRIVER"]
        .into_iter()
        .filter(|name| std::env::var_os(name).is_none())
        .collect::<Vec<_>>();
    if !missing.is_empty() {
        return format!("window: not measured, {} not set\n", missing.join(", "));
    }
    let script = repository().join("tests/e2e/bench.mjs");
    let ran = Command::new("dbus-run-session").args(["--", "node"]).arg(script).arg("--json").output();
    let ran = match ran {
        Ok(ran) => ran,
        Err(error) => return format!("window: not measured: {error}\n"),
    };
    let Ok(rows) = serde_json::from_slice::<Vec<Value>>(&ran.stdout) else {
        bound("window: the bench ran", f64::NAN, 1.0);
        return format!("window: not measured: {}\n", String::from_utf8_lossy(&ran.stderr));
    };
    let mut table = String::from("| window | measured | floor | ratio | at most |\n|---|---|---|---|---|\n");
    for row in rows {
        let word = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let number = |name: &str| row[name].as_f64().unwrap_or(f64::NAN);
        let (subject, ratio, limit) = (word("subject"), number("ratio"), number("limit"));
        let (measured, floor) = (word("measured"), word("floor"));
        table.push_str(&format!("| {subject} | {measured} | {floor} | {ratio:.2} | {limit} |\n"));
        bound(format!("window: {subject}"), ratio, limit);
    }
    table
}
