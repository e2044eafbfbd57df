//! Commands on presentations.

use serde_json::{Value, json};

use super::{Captured, Command, Op, Ops, Place, Target, Unit, Unlowered, Verb, resolve, unclear};

const NOT_HERE: &[&str] = &[
    "sheet",
    "range",
    "lines",
    "formulas",
    "headers",
    "footers",
    "footnotes",
    "textboxes",
    "style",
    "at",
    "markdown",
    "loosely",
    "tracked",
];

pub(super) fn ops(command: &Command, target: &Target<'_>) -> Ops {
    if command.says_any(NOT_HERE) {
        return Err(Unlowered::OtherFormat);
    }
    match command.verb {
        Verb::Replace | Verb::DeleteText => replace(command, target),
        Verb::Title => on_slide(command, target, "pptx_set_title"),
        Verb::Notes => notes(command, target),
        Verb::WhereText => slides_where(command, target),
        Verb::Prepend => Op::new("pptx_insert_slide").with("slide", 1).with("title", text_of(command)).one(),
        Verb::Shape => shape(command, target),
        Verb::TableCell => table_cell(command, target),
        Verb::DeleteUnit => delete(command, target),
        Verb::DuplicateSlide => duplicate(command, target),
        Verb::MoveSlide => move_slide(command, target),
        Verb::HideSlide => hide(command, target),
        Verb::AppendSlide => with_parts(Op::new("pptx_append_slide"), command).one(),
        Verb::InsertSlide => insert(command, target),
        Verb::Append => append_text(command),
        Verb::SetUnit if command.unit() == Some(Unit::Slide) => Err(unclear(
            "Say what of the slide to set: its title, its body, its notes, or a shape by name.",
            "请说明要改这一页的什么：标题、正文、备注，还是某个形状。",
        )),
        _ => Err(Unlowered::OtherFormat),
    }
}

fn last(target: &Target<'_>) -> Result<usize, Unlowered> {
    target.count(|facts| facts.slides)
}

/// The slide that a command names by the way.
fn slide(command: &Command, target: &Target<'_>) -> Result<Option<usize>, Unlowered> {
    if command.has("last_slide") {
        return last(target).map(Some);
    }
    command.at("slide", || last(target))
}

fn named_slide(command: &Command, target: &Target<'_>) -> Result<usize, Unlowered> {
    slide(command, target)?.ok_or_else(|| unclear("Say which slide.", "请说明是第几页。"))
}

fn replace(command: &Command, target: &Target<'_>) -> Ops {
    let name = if command.says_any(&["slide", "last_slide"]) {
        "pptx_replace_on_slide"
    } else {
        "pptx_replace_text"
    };
    Op::new(name)
        .maybe("slide", slide(command, target)?)
        .with("find", command.text("find").unwrap_or_default())
        .with("replace", command.replacement())
        .maybe("occurrence", command.occurrence())
        .maybe(
            "include_notes",
            (command.says_any(&["notes_too", "everywhere"]) && name == "pptx_replace_text").then_some(true),
        )
        .one()
}

fn on_slide(command: &Command, target: &Target<'_>, name: &str) -> Ops {
    let slide = named_slide(command, target)?;
    Op::new(name).with("slide", slide).with("text", command.text("text").unwrap_or_default()).one()
}

fn text_of(command: &Command) -> &str {
    command.text("text").unwrap_or_default()
}

/// "Add" keeps the notes that are there.
fn notes(command: &Command, target: &Target<'_>) -> Ops {
    let slide = named_slide(command, target)?;
    let mut text = text_of(command).to_string();
    if command.has("more") {
        let facts = target.facts.filter(|facts| facts.complete).ok_or(Unlowered::NeedsOutline)?;
        let known = facts.notes.get(&slide).map(String::as_str).unwrap_or_default();
        if !known.trim().is_empty() {
            text = format!("{known}\n{text}");
        }
    }
    Op::new("pptx_set_notes").with("slide", slide).with("text", text).one()
}

/// Slides by their title or by what they say.
fn slides_where(command: &Command, target: &Target<'_>) -> Ops {
    if command.unit() != Some(Unit::Slide) {
        return Err(Unlowered::OtherFormat);
    }
    let titled = command.has("titled");
    let found = command.found(target, |facts| {
        let texts = if titled { &facts.titles } else { &facts.texts };
        texts.iter().map(|(number, text)| (*number, text.clone())).collect()
    })?;
    if command.side().is_some() || command.has("text") {
        return Err(Unlowered::OtherFormat);
    }
    let title = |slide: &usize| target.facts.and_then(|facts| facts.titles.get(slide));
    let one = |slide: usize| {
        let expected = title(&slide).filter(|title| !title.is_empty()).cloned();
        Value::Object(Op::new("pptx_delete_slide").with("slide", slide).maybe("expect_title", expected).0)
    };
    Ok(found.into_iter().map(one).collect())
}

fn shape(command: &Command, target: &Target<'_>) -> Ops {
    let shape: Value = match command.captures.get("shape") {
        Some(Captured::Text { text, .. }) => text.as_str().into(),
        Some(Captured::Place(Place::At(number))) => (*number).into(),
        _ if command.has("the_subtitle") => "subtitle".into(),
        _ => "body".into(),
    };
    let op = Op::new("pptx_set_text").with("slide", named_slide(command, target)?).with("shape", shape);
    match levels(text_of(command)) {
        Some(paragraphs) => op.with("paragraphs", paragraphs).one(),
        None => op.with("text", text_of(command)).one(),
    }
}

/// Lines that begin with dashes or stars are points, those set in by two blanks or a tab one level deeper.
fn levels(text: &str) -> Option<Value> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let point = |line: &str| line.trim_start().starts_with(['-', '*', '•', '·']);
    if lines.is_empty() || !lines.iter().all(|line| point(line)) {
        return None;
    }
    let one = |line: &&str| {
        let start = line.len() - line.trim_start().len();
        let depth = line[..start].chars().map(|c| if c == '\t' { 2 } else { 1 }).sum::<usize>() / 2;
        let text = line.trim_start().trim_start_matches(['-', '*', '•', '·']).trim();
        match depth {
            0 => json!({ "text": text }),
            _ => json!({ "text": text, "level": depth.min(8) }),
        }
    };
    Some(lines.iter().map(one).collect::<Vec<_>>().into())
}

fn table_cell(command: &Command, target: &Target<'_>) -> Ops {
    let slide = named_slide(command, target)?;
    let number = |slot: &str| {
        command.at(slot, || Err(unclear("Name row and column by numbers.", "请用数字指定行和列。")))
    };
    Op::new("pptx_set_table_cell")
        .with("slide", slide)
        .maybe("shape", command.text("table_name"))
        .maybe("row", number("row")?)
        .maybe("col", number("col")?)
        .with("text", command.text("text").unwrap_or_default())
        .one()
}

fn delete(command: &Command, target: &Target<'_>) -> Ops {
    if command.unit() != Some(Unit::Slide) {
        return Err(Unlowered::OtherFormat);
    }
    each_slide(command, target, |slide| {
        Op::new("pptx_delete_slide").with("slide", slide).maybe("expect_title", command.text("expect"))
    })
}

fn hide(command: &Command, target: &Target<'_>) -> Ops {
    let hidden = command.has("hide");
    each_slide(command, target, |slide| {
        Op::new("pptx_hide_slide")
            .with("slide", slide)
            .with("hidden", hidden)
            .maybe("expect_title", command.text("expect"))
    })
}

fn each_slide(command: &Command, target: &Target<'_>, op: impl Fn(usize) -> Op) -> Ops {
    let ranges = command.resolved("n", || last(target))?;
    if ranges.is_empty() {
        return slide(command, target)?
            .map(|slide| vec![Value::Object(op(slide).0)])
            .ok_or(Unlowered::OtherFormat);
    }
    let slides = ranges.into_iter().flat_map(|(start, end)| start..=end.min(start.saturating_add(10_000)));
    Ok(slides.map(|slide| Value::Object(op(slide).0)).collect())
}

fn duplicate(command: &Command, target: &Target<'_>) -> Ops {
    let to = match (command.has("end"), command.has("start")) {
        (true, _) => Some(last(target)? + 1),
        (_, true) => Some(1),
        _ => command.at("to", || last(target))?,
    };
    Op::new("pptx_duplicate_slide")
        .maybe("slide", command.at("n", || last(target))?)
        .maybe("to", to)
        .maybe("expect_title", command.text("expect"))
        .one()
}

fn move_slide(command: &Command, target: &Target<'_>) -> Ops {
    let from = command.at("n", || last(target))?.ok_or(Unlowered::OtherFormat)?;
    let to = match command.place("to") {
        _ if command.has("end") => last(target)?,
        _ if command.has("start") => 1,
        Some(place) => beside(command, from, resolve(place, || last(target))?),
        None => return Err(Unlowered::OtherFormat),
    };
    Op::new("pptx_move_slide")
        .with("slide", from)
        .with("to", to)
        .maybe("expect_title", command.text("expect"))
        .one()
}

/// The position a slide gets that goes before or after another; taking it out moves what follows it.
fn beside(command: &Command, from: usize, other: usize) -> usize {
    match (command.has("before"), command.has("after"), from < other) {
        (true, _, true) => other - 1,
        (_, true, false) => other + 1,
        _ => other,
    }
}

fn with_parts(op: Op, command: &Command) -> Op {
    let body = command.text("body").map(|body| {
        let points = body.split(['\n', ';', '；']).map(str::trim).filter(|point| !point.is_empty());
        json!(points.collect::<Vec<_>>())
    });
    op.maybe("layout", command.text("layout"))
        .maybe("title", command.text("title"))
        .maybe("body", body)
        .maybe("notes", command.text("slide_notes"))
}

fn insert(command: &Command, target: &Target<'_>) -> Ops {
    if command.has("start") {
        return with_parts(Op::new("pptx_insert_slide").with("slide", 1), command).one();
    }
    let slide = command.at("n", || last(target))?.ok_or(Unlowered::OtherFormat)?;
    if !command.has("after") {
        return with_parts(Op::new("pptx_insert_slide").with("slide", slide), command).one();
    }
    if slide == last(target)? {
        return with_parts(Op::new("pptx_append_slide"), command).one();
    }
    with_parts(Op::new("pptx_insert_slide").with("slide", slide + 1), command).one()
}

/// `append: title` with further lines as its points.
fn append_text(command: &Command) -> Ops {
    let mut lines = command.text("text").unwrap_or_default().lines();
    let title = lines.next().unwrap_or_default();
    let body: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
    Op::new("pptx_append_slide")
        .with("title", title)
        .maybe("body", (!body.is_empty()).then(|| json!(body)))
        .one()
}
