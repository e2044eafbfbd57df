//! Commands on Word documents.

use serde_json::Value;

use super::{Command, Op, Ops, Target, Unit, Unlowered, Verb, resolve, unclear};

const NOT_HERE: &[&str] =
    &["table_name", "sheet", "slide", "last_slide", "range", "lines", "formulas", "loosely"];

pub(super) fn ops(command: &Command, target: &Target<'_>) -> Ops {
    if command.says_any(NOT_HERE) {
        return Err(Unlowered::OtherFormat);
    }
    match command.verb {
        Verb::Replace | Verb::DeleteText => replace(command),
        Verb::SetUnit | Verb::SetAddress => set(command, target),
        Verb::DeleteUnit | Verb::DeleteAddress => delete(command, target),
        Verb::InsertUnit => insert(command, target),
        Verb::Append => append(command, target),
        Verb::WhereText => paragraphs_where(command, target),
        Verb::Prepend => inserted(command, &|op| Ok(op.with("index", 1)), false),
        Verb::Style => {
            let op = placed(Op::new("docx_set_style"), command, target)?;
            op.maybe("style", command.text("style")).one()
        }
        Verb::Comment => {
            let op = placed(Op::new("docx_add_comment"), command, target)?;
            op.maybe("find", command.text("find"))
                .with("text", command.text("text").unwrap_or_default())
                .one()
        }
        Verb::TableCell => table_cell(command, target),
        Verb::AcceptChanges => changes(command, target, "docx_accept_changes"),
        Verb::RejectChanges => changes(command, target, "docx_reject_changes"),
        _ => Err(Unlowered::OtherFormat),
    }
}

fn last_paragraph(target: &Target<'_>) -> Result<usize, Unlowered> {
    target.count(|facts| facts.paragraphs)
}

/// `index` or `at`, whichever was said.
fn placed(op: Op, command: &Command, target: &Target<'_>) -> Result<Op, Unlowered> {
    let index = command.at("n", || last_paragraph(target))?;
    Ok(op.maybe("index", index).maybe("at", command.text("at")))
}

fn replace(command: &Command) -> Ops {
    let scopes = [
        ("everywhere", "all"),
        ("headers", "headers"),
        ("footers", "footers"),
        ("footnotes", "notes"),
        ("notes_too", "notes"),
        ("textboxes", "textboxes"),
    ];
    let scope = scopes.into_iter().find(|(flag, _)| command.has(flag)).map(|(_, scope)| scope);
    Op::new("docx_replace_text")
        .with("find", command.text("find").unwrap_or_default())
        .with("replace", command.replacement())
        .maybe("occurrence", command.occurrence())
        .maybe("scope", scope)
        .one()
}

/// Lines are no places of a Word document.
fn only_paragraphs(command: &Command) -> Result<(), Unlowered> {
    match command.unit() {
        Some(Unit::Paragraph) | None => Ok(()),
        Some(Unit::Line) => Err(unclear(
            "A Word document is counted in paragraphs, and rows belong to a table: say for example: delete paragraph 5, or delete row 2 of table 1.",
            "Word 文档按段落编辑，行属于表格。请这样说：删除第5段，或删除表格1的第2行。",
        )),
        Some(Unit::Slide | Unit::Column) => Err(Unlowered::OtherFormat),
    }
}

fn set(command: &Command, target: &Target<'_>) -> Ops {
    only_paragraphs(command)?;
    if command.ranges("n").iter().any(|(start, end)| start != end) || command.ranges("n").len() > 1 {
        return Err(unclear("Name one paragraph for the new text.", "请只指定一个段落。"));
    }
    let op = placed(Op::new("docx_set_paragraph"), command, target)?;
    op.with("text", command.text("text").unwrap_or_default())
        .maybe("expect_prefix", command.text("expect"))
        .one()
}

fn delete(command: &Command, target: &Target<'_>) -> Ops {
    if command.says_any(&["table", "the_table"]) && command.unit() == Some(Unit::Line) {
        let table = table(command, target)?;
        let rows = command.resolved("n", || rows_of(target, table))?;
        let rows = rows.into_iter().flat_map(|(start, end)| start..=end.min(start.saturating_add(10_000)));
        let one = |row: usize| {
            Value::Object(Op::new("docx_delete_table_row").with("table", table).with("row", row).0)
        };
        return Ok(rows.map(one).collect());
    }
    only_paragraphs(command)?;
    if command.verb == Verb::DeleteAddress {
        let op = Op::new("docx_delete_paragraph")
            .maybe("at", command.text("at"))
            .maybe("end", command.text("end"));
        return op.maybe("expect_prefix", command.text("expect")).one();
    }
    let ranges = command.resolved("n", || last_paragraph(target))?;
    let one = |(start, end): (usize, usize)| {
        let op =
            Op::new("docx_delete_paragraph").with("index", start).maybe("end", (end != start).then_some(end));
        Value::Object(op.maybe("expect_prefix", command.text("expect")).0)
    };
    Ok(ranges.into_iter().map(one).collect())
}

fn insert(command: &Command, target: &Target<'_>) -> Ops {
    if command.says_any(&["table", "the_table"]) && command.unit() == Some(Unit::Line) {
        let table = table(command, target)?;
        let row = command.at("n", || rows_of(target, table))?.ok_or(Unlowered::OtherFormat)?;
        return table_row(command, table, row + usize::from(command.has("after")));
    }
    only_paragraphs(command)?;
    inserted(command, &|op| placed(op, command, target), command.has("after"))
}

/// Paragraphs or Markdown at a place.
fn inserted(command: &Command, at_place: &dyn Fn(Op) -> Result<Op, Unlowered>, after: bool) -> Ops {
    let text = command.text("text").unwrap_or_default();
    let position = after.then_some("after");
    if command.has("markdown") {
        let op = at_place(Op::new("docx_insert_markdown"))?;
        return op.maybe("position", position).with("text", text).one();
    }
    let count = command.count().unwrap_or(1).clamp(1, 1_000);
    let lines: Vec<&str> = if text.is_empty() { vec![""; count] } else { paragraphs(text) };
    let mut ops = Vec::new();
    for line in lines {
        let op = at_place(Op::new("docx_insert_paragraph"))?.maybe("position", position);
        ops.push(Value::Object(op.with("text", line).maybe("style", command.text("style")).0));
    }
    // Each goes directly after the same place, so the last one must be inserted first.
    if after {
        ops.reverse();
    }
    Ok(ops)
}

/// Paragraphs by their content, found by reading.
fn paragraphs_where(command: &Command, target: &Target<'_>) -> Ops {
    only_paragraphs(command)?;
    let found = command
        .found(target, |facts| facts.texts.iter().map(|(number, text)| (*number, text.clone())).collect())?;
    if command.side().is_some() {
        let index = *found.first().ok_or(Unlowered::OtherFormat)?;
        return inserted(command, &|op| Ok(op.with("index", index)), command.has("after"));
    }
    let expected = command.text("begins");
    if let Some(text) = command.text("text") {
        let one = |index: usize| Op::new("docx_set_paragraph").with("index", index).with("text", text);
        let ops = found.into_iter().map(|index| Value::Object(one(index).maybe("expect_prefix", expected).0));
        return Ok(ops.collect());
    }
    let one = |index: usize| Op::new("docx_delete_paragraph").with("index", index);
    Ok(found.into_iter().map(|index| Value::Object(one(index).maybe("expect_prefix", expected).0)).collect())
}

fn append(command: &Command, target: &Target<'_>) -> Ops {
    let text = command.text("text").unwrap_or_default();
    if command.says_any(&["table", "the_table"]) {
        let table = table(command, target)?;
        let row = rows_of(target, table)? + 1;
        return table_row(command, table, row);
    }
    if command.has("markdown") {
        let index = last_paragraph(target)?;
        let op = Op::new("docx_insert_markdown").with("index", index).with("position", "after");
        return op.with("text", text).one();
    }
    let one = |line: &str| {
        Value::Object(
            Op::new("docx_append_paragraph").with("text", line).maybe("style", command.text("style")).0,
        )
    };
    Ok(paragraphs(text).into_iter().map(one).collect())
}

fn paragraphs(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.trim().is_empty()).collect()
}

fn table_row(command: &Command, table: usize, row: usize) -> Ops {
    let cells = command.text("text").map(|text| {
        let text = text.trim().trim_start_matches('|').trim_end_matches('|');
        let signs: &[char] = if text.contains('|') { &['|'] } else { &[',', '，', '、'] };
        text.split(signs).map(|cell| Value::from(cell.trim())).collect::<Vec<_>>()
    });
    Op::new("docx_insert_table_row").with("table", table).with("row", row).maybe("cells", cells).one()
}

/// The table a command names; "the table" is enough when there is only one.
fn table(command: &Command, target: &Target<'_>) -> Result<usize, Unlowered> {
    match command.place("table") {
        Some(place) => resolve(place, || target.count(|facts| facts.table_rows.len())),
        None => match target.count(|facts| facts.table_rows.len())? {
            1 => Ok(1),
            0 => Err(unclear("The document has no table.", "文档里没有表格。")),
            tables => Err(unclear(
                format!("The document has {tables} tables; say which: table 1, table 2 …"),
                format!("文档里有{tables}个表格，请说明是表格1、表格2……"),
            )),
        },
    }
}

fn rows_of(target: &Target<'_>, table: usize) -> Result<usize, Unlowered> {
    target.count(|facts| facts.table_rows.get(&table).copied().unwrap_or(0))
}

fn table_cell(command: &Command, target: &Target<'_>) -> Ops {
    let table = table(command, target)?;
    let row = command.at("row", || rows_of(target, table))?;
    let column = command.at("col", || Err(unclear("Name the column by its number.", "请用数字指定列。")))?;
    Op::new("docx_set_table_cell")
        .with("table", table)
        .maybe("row", row)
        .maybe("col", column)
        .with("text", command.text("text").unwrap_or_default())
        .one()
}

fn changes(command: &Command, target: &Target<'_>, name: &str) -> Ops {
    let paragraph = command.at("n", || last_paragraph(target))?.map(|number| format!("p{number}"));
    let at = command.text("at").map(str::to_string).or(paragraph);
    Op::new(name).maybe("at", at).maybe("author", command.text("author")).one()
}
