//! The one door to standard output and standard error.

use std::io::Write;

use assistant::{AppError, api::answers::Receipt};
use documents::{Change, Warning};
use serde::Serialize;

use crate::exit::Exit;

/// Writes an answer: one JSON object with `--json`, else what `people` writes.
pub(crate) fn answer<T: Serialize>(answer: &T, json: bool, people: impl FnOnce(&T) -> String) -> Exit {
    let text = if json { json_line(answer) } else { people(answer) };
    match write_out(&text) {
        Ok(()) => Exit::Done,
        Err(error) => fail_plainly(&format!("cannot write the answer: {error}")),
    }
}

/// Tells an error: the contract's object with `--json`, else sentences on standard error.
pub(crate) fn error(error: &AppError, json: bool, exit: Exit) -> Exit {
    if json {
        let _ = write_out(&json_line(&error.answer()));
        return exit;
    }
    let mut text = error.message.clone();
    if let Some(op) = error.op {
        text = format!("operation {op}: {text}");
    }
    for place in &error.matches {
        text += &format!("\n  {}: {}", place.location, place.text);
    }
    if let Some(hint) = &error.hint {
        text += &format!("\n{hint}");
    }
    message(&text);
    exit
}

/// A line for a person, on standard error.
pub(crate) fn message(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Progress, on a terminal only.
pub(crate) fn progress(text: &str) {
    if std::io::IsTerminal::is_terminal(&std::io::stderr()) {
        message(text);
    }
}

/// Bytes that are the answer themselves.
pub(crate) fn raw(bytes: &[u8]) -> Exit {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Exit::Done,
        Err(error) => fail_plainly(&format!("cannot write the answer: {error}")),
    }
}

/// A failure before there is anything to answer with.
pub(crate) fn fail_plainly(text: &str) -> Exit {
    message(&format!("stet: {text}"));
    Exit::Failed
}

/// A receipt for a person.
pub(crate) fn receipt(receipt: &Receipt) -> String {
    let status = serde_json::to_value(receipt.status).ok();
    let status = status.as_ref().and_then(|word| word.as_str()).unwrap_or("done").replace('_', " ");
    let mut text = match receipt.previous_rev == receipt.content_rev {
        true => format!("{status}: {} (revision {})\n", receipt.path, receipt.content_rev),
        false => format!(
            "{status}: {} (revision {} → {})\n",
            receipt.path, receipt.previous_rev, receipt.content_rev
        ),
    };
    text += &changes(&receipt.changes);
    text + &warnings(&receipt.warnings)
}

/// Changes for a person, one place each.
pub(crate) fn changes(changes: &[Change]) -> String {
    let line = |change: &Change| {
        let mut text = change.location.clone();
        if let Some(detail) = &change.detail {
            text += &format!(" ({detail})");
        }
        let side = |mark: char, side: &Option<String>| match side {
            Some(side) => side.lines().map(|line| format!("\n  {mark} {line}")).collect::<String>(),
            None => String::new(),
        };
        format!("{text}{}{}\n", side('-', &change.before), side('+', &change.after))
    };
    changes.iter().map(line).collect()
}

/// Warnings for a person.
pub(crate) fn warnings(warnings: &[Warning]) -> String {
    let line = |warning: &Warning| match &warning.location {
        Some(location) => format!("warning: {location}: {}\n", warning.message),
        None => format!("warning: {}\n", warning.message),
    };
    warnings.iter().map(line).collect()
}

fn json_line<T: Serialize>(answer: &T) -> String {
    serde_json::to_string(answer).map_or_else(
        |error| {
            format!(
                "{{\"ok\":false,\"error\":{{\"code\":\"internal\",\"message\":{:?}}}}}\n",
                error.to_string()
            )
        },
        |text| text + "\n",
    )
}

fn write_out(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
