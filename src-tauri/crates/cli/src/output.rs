//! The one door to standard output and standard error.

use std::io::Write;

use assistant::{AppError, api::answers::Receipt};
use documents::{Change, Warning};
use serde::Serialize;

use crate::{
    exit::Exit,
    told_path::{told, told_in},
};

/// Writes an answer: one JSON object with `--json`, else what `people` writes.
pub(crate) fn answer<T: Serialize>(answer: &T, json: bool, people: impl FnOnce(&T) -> String) -> Exit {
    let text = if json { json_line(answer) } else { shown(&people(answer)) };
    after_writing(write_out(text.as_bytes()))
}

/// Tells an error: the contract's object with `--json`, else sentences on standard error.
pub(crate) fn error(error: &AppError, json: bool, exit: Exit) -> Exit {
    if json {
        let _ = write_out(json_line(&error.answer()).as_bytes());
        return exit;
    }
    let mut text = error.message.clone();
    if let Some(op) = error.op {
        text = format!("operation {}: {text}", op + 1);
    }
    for place in &error.matches {
        text += &format!("\n  {}: {}", place.location, place.text);
    }
    if let Some(hint) = &error.hint {
        text += &format!("\n{hint}");
    }
    message(&plain(&text));
    exit
}

/// A line for a person, on standard error.
pub(crate) fn message(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", shown(text));
}

/// Progress, on a terminal only.
pub(crate) fn progress(text: &str) {
    if std::io::IsTerminal::is_terminal(&std::io::stderr()) {
        message(text);
    }
}

/// Bytes that are the answer themselves.
pub(crate) fn raw(bytes: &[u8]) -> Exit {
    after_writing(write_out(bytes))
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
        true => format!("{status}: {} (revision {})\n", plain(&told(&receipt.path)), receipt.content_rev),
        false => format!(
            "{status}: {} (revision {} → {})\n",
            plain(&told(&receipt.path)),
            receipt.previous_rev,
            receipt.content_rev
        ),
    };
    text += &changes(&receipt.changes);
    text + &warnings(&receipt.warnings)
}

/// Whether standard output takes colours: a terminal, and nobody said NO_COLOR (no-color.org: any value but the empty one).
fn has_colours() -> bool {
    let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !is_plain && !is_dumb && std::io::IsTerminal::is_terminal(&std::io::stdout())
}

/// The colours that this program sets, and their end.
const COLOURS: [&str; 4] = ["\u{1b}[31m", "\u{1b}[32m", "\u{1b}[36m", "\u{1b}[0m"];

/// Text for a terminal: documents, names and models may not move the cursor, ring or hide anything. Lines and tabs stay, an ending of
/// two characters too; any other control character is written out, and so are those that turn the order of what follows (UAX #9,
/// embeddings, overrides and isolates), which can make a line read as what it is not.
pub(crate) fn plain(text: &str) -> String {
    let turns = |character: char| matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let is_odd =
        |character: char| turns(character) || character.is_control() && !matches!(character, '\n' | '\t');
    if !text.contains(is_odd) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let ends_line = character == '\r' && characters.peek() == Some(&'\n');
        if is_odd(character) && !ends_line {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// The last look at everything for people: what was not written out where it was put in is written out here, all but our colours.
fn shown(text: &str) -> String {
    if !has_colours() {
        return plain(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let (before, after) = rest.split_at(at);
        let kept = COLOURS.iter().find(|colour| after.starts_with(**colour)).copied();
        shown += &plain(before);
        shown += kept.unwrap_or("\\u{1b}");
        rest = &after[kept.map_or(1, str::len)..];
    }
    shown + &plain(rest)
}

/// A removed, added or other line in its colour, where there are colours.
fn coloured(line: &str) -> String {
    let code = match line.trim_start().as_bytes().first() {
        Some(b'-') => "31",
        Some(b'+') => "32",
        Some(b'@') => "36",
        _ => return line.to_owned(),
    };
    format!("\u{1b}[{code}m{line}\u{1b}[0m")
}

/// A unified diff, coloured on a terminal.
pub(crate) fn unified(text: &str) -> String {
    let text = plain(text);
    if !has_colours() {
        return text;
    }
    text.lines().map(|line| coloured(line) + "\n").collect()
}

/// Each line two columns further in.
pub(crate) fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// Changes for a person, one place each.
pub(crate) fn changes(changes: &[Change]) -> String {
    let is_coloured = has_colours();
    let paint = |line: String| if is_coloured { coloured(&line) } else { line };
    let line = |change: &Change| {
        let mut text = plain(&change.location);
        if let Some(detail) = &change.detail {
            text += &format!(" ({})", plain(detail));
        }
        let side = |mark: char, side: &Option<String>| match side {
            Some(side) => side
                .lines()
                .map(|line| format!("\n{}", paint(format!("  {mark} {}", plain(line)))))
                .collect::<String>(),
            None => String::new(),
        };
        format!("{text}{}{}\n", side('-', &change.before), side('+', &change.after))
    };
    changes.iter().map(line).collect()
}

/// Warnings for a person.
pub(crate) fn warnings(warnings: &[Warning]) -> String {
    let line = |warning: &Warning| match &warning.location {
        Some(location) => plain(&format!("warning: {location}: {}\n", warning.message)),
        None => plain(&format!("warning: {}\n", warning.message)),
    };
    warnings.iter().map(line).collect()
}

fn json_line<T: Serialize>(answer: &T) -> String {
    told_in(answer).map_or_else(
        |error| {
            format!(
                "{{\"ok\":false,\"error\":{{\"code\":\"internal\",\"message\":{:?}}}}}\n",
                error.to_string()
            )
        },
        |text| text + "\n",
    )
}

/// A reader that has seen enough (`stet outline FILE | head`) is no failure: the command did what it had to do.
fn after_writing(written: std::io::Result<()>) -> Exit {
    match written {
        Ok(()) => Exit::Done,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => fail_plainly(&format!("cannot write the answer: {error}")),
    }
}

fn write_out(bytes: &[u8]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(plain("a\tb\r\nc 中\n"), "a\tb\r\nc 中\n");
        assert_eq!(
            plain("\u{1b}[31m\u{7}\u{8}x\ry\u{9b}2J\u{7f}\0"),
            r"\u{1b}[31m\u{7}\u{8}x\u{d}y\u{9b}2J\u{7f}\u{0}"
        );
    }
}
