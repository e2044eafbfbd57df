//! Commands on texts, Markdown and code.

use serde_json::Value;

use super::{Command, Op, Ops, Target, Unit, Unlowered, Verb, unclear};

const OFFICE_ONLY: &[&str] = &[
    "sheet",
    "slide",
    "last_slide",
    "range",
    "formulas",
    "notes_too",
    "headers",
    "footers",
    "footnotes",
    "textboxes",
    "everywhere",
    "at",
    "table",
    "the_table",
    "table_name",
    "style",
];

pub(super) fn ops(command: &Command, target: &Target<'_>) -> Ops {
    if command.says_any(OFFICE_ONLY) {
        return Err(Unlowered::OtherFormat);
    }
    match command.verb {
        Verb::Replace => replace(command, target, "replace_text"),
        Verb::DeleteText if command.has("lines") => replace(command, target, "replace_text"),
        Verb::DeleteText => replace(command, target, "delete_text"),
        Verb::DeleteUnit => delete_lines(command, target),
        Verb::SetUnit => replace_lines(command, target),
        Verb::InsertUnit => insert_lines(command, target),
        Verb::Append => Op::new("append_lines").with("text", command.text("text").unwrap_or_default()).one(),
        Verb::WhereText => lines_where(command, target),
        Verb::Prepend => Op::new("insert_lines")
            .with("line", 1)
            .with("text", command.text("text").unwrap_or_default())
            .one(),
        Verb::Section => Op::new("replace_section")
            .with("heading", command.text("heading").unwrap_or_default())
            .with("text", command.text("text").unwrap_or_default())
            .maybe("keep_heading", command.has("whole").then_some(false))
            .one(),
        _ => Err(Unlowered::OtherFormat),
    }
}

fn replace(command: &Command, target: &Target<'_>, name: &str) -> Ops {
    let lines = command.resolved("lines", || target.count(|facts| facts.lines))?;
    let op = Op::new(name).with("find", command.text("find").unwrap_or_default());
    let op = if name == "delete_text" { op } else { op.with("replace", command.replacement()) };
    op.maybe("occurrence", command.occurrence())
        .maybe("match", command.has("loosely").then_some("normalized"))
        .maybe("start_line", lines.first().map(|(start, _)| *start))
        .maybe("end_line", lines.first().map(|(_, end)| *end))
        .one()
}

fn only_lines(command: &Command) -> Result<(), Unlowered> {
    match command.unit() {
        Some(Unit::Line) => Ok(()),
        Some(Unit::Paragraph) => Err(unclear(
            "In a text file, places are lines: say for example: delete line 5.",
            "文本文件按行编辑，请这样说：删除第5行。",
        )),
        Some(Unit::Slide | Unit::Column) | None => Err(Unlowered::OtherFormat),
    }
}

/// Lines by their content. Only what contains words has an operation of its own; other places are looked up.
fn lines_where(command: &Command, target: &Target<'_>) -> Ops {
    // "before the heading …" counts in nothing.
    if command.unit().is_some() {
        only_lines(command)?;
    }
    let text = command.text("text");
    if let Some(side) = command.side() {
        let line = *command.found(target, texts)?.first().ok_or(Unlowered::OtherFormat)?;
        let op = Op::new("insert_lines").with("line", line).with("text", text.unwrap_or_default());
        return op.maybe("position", (side == "after").then_some(side)).one();
    }
    if let Some(contains) = command.text("contains") {
        return Op::new("replace_lines_containing")
            .with("contains", contains)
            .with("text", text.map_or(Value::Null, Value::from))
            .maybe("expect_count", command.count().or(command.has("single").then_some(1)))
            .one();
    }
    let lines = command.found(target, texts)?;
    let expected = command.text("begins").map(str::to_string);
    let one = |(start, end): (usize, usize)| {
        let op = Op::new(if text.is_some() { "replace_lines" } else { "delete_lines" });
        let op = op.with("start_line", start).with("end_line", end).maybe("text", text);
        Value::Object(op.maybe("expect_prefix", expected.clone()).0)
    };
    Ok(lines.into_iter().map(|line| one((line, line))).collect())
}

fn texts(facts: &super::Facts) -> Vec<(usize, String)> {
    facts.texts.iter().map(|(number, text)| (*number, text.clone())).collect()
}

fn delete_lines(command: &Command, target: &Target<'_>) -> Ops {
    only_lines(command)?;
    let ranges = command.resolved("n", || target.count(|facts| facts.lines))?;
    let one = |(start, end): (usize, usize)| {
        Op::new("delete_lines")
            .with("start_line", start)
            .with("end_line", end)
            .maybe("expect_prefix", command.text("expect"))
    };
    Ok(ranges.into_iter().map(|range| Value::Object(one(range).0)).collect())
}

fn replace_lines(command: &Command, target: &Target<'_>) -> Ops {
    only_lines(command)?;
    let ranges = command.resolved("n", || target.count(|facts| facts.lines))?;
    let [(start, end)] = ranges.as_slice() else {
        return Err(unclear(
            "Name one line or one range of lines for the new text.",
            "请只指定一行或一个连续的行范围。",
        ));
    };
    Op::new("replace_lines")
        .with("start_line", *start)
        .with("end_line", *end)
        .with("text", command.text("text").unwrap_or_default())
        .maybe("expect_prefix", command.text("expect"))
        .one()
}

fn insert_lines(command: &Command, target: &Target<'_>) -> Ops {
    only_lines(command)?;
    let line = command.at("n", || target.count(|facts| facts.lines))?.ok_or(Unlowered::OtherFormat)?;
    let blank = || "\n".repeat(command.count().unwrap_or(1).clamp(1, 1_000));
    let text = command.text("text").map_or_else(blank, str::to_string);
    Op::new("insert_lines").with("line", line).with("text", text).maybe("position", command.position()).one()
}
