//! Commands on how cells, rows and columns look.

use serde_json::{Value, json};

use super::super::{Captured, Command, Op, Ops, Target, Unlowered, Verb};
use super::found::column_of;
use super::{bare, last_row, sheet};

/// The ranges to be formatted: cells, whole rows or whole columns.
fn areas(command: &Command, target: &Target<'_>, sheet: Option<&str>) -> Result<Vec<String>, Unlowered> {
    let rows = command.resolved("rows", || target.count(|facts| last_row(facts, sheet)))?;
    let mut areas: Vec<String> = rows.into_iter().map(|(start, end)| format!("{start}:{end}")).collect();
    if command.has("header_row") {
        areas.push("1:1".into());
    }
    if command.says_any(&["cols", "header"]) {
        let columns = column_of(command, target, sheet)?;
        let whole = |one: &str| if one.contains(':') { one.to_string() } else { format!("{one}:{one}") };
        areas.extend(columns.split(',').map(whole));
    }
    areas.extend(
        command.text("cells").into_iter().flat_map(|cells| cells.split(',')).map(|one| bare(one).to_string()),
    );
    Ok(areas)
}

pub(super) fn format_cells(command: &Command, target: &Target<'_>) -> Ops {
    let sheet = sheet(command, command.text("cells").and_then(|cells| cells.split(',').next()), target)?;
    let one = |area: String| {
        let mut op = Op::new("xlsx_set_format").maybe("sheet", sheet.clone()).with("range", area);
        let sides = [("centered", "center"), ("left", "left"), ("right", "right")];
        let side = sides.into_iter().find(|(flag, _)| command.has(flag)).map(|(_, side)| side);
        op = op.maybe("align", side).maybe("font_color", command.text("font_color"));
        for flag in ["bold", "italic", "underline", "wrap"] {
            op = op.maybe(flag, command.has(flag).then_some(true));
        }
        op = op.maybe("fill", command.text("fill")).maybe("number_format", command.text("number_format"));
        if let Some(Captured::Properties(properties)) = command.captures.get("props") {
            for (name, value) in properties {
                op = op.with(name, value.clone());
            }
        }
        Value::Object(op.0)
    };
    Ok(areas(command, target, sheet.as_deref())?.into_iter().map(one).collect())
}

pub(super) fn size(command: &Command, target: &Target<'_>) -> Ops {
    let sheet = sheet(command, None, target)?;
    let field = if command.verb == Verb::Height { "rows" } else { "cols" };
    let size = json!(command.number("size").unwrap_or_default());
    let one = |area: String| {
        let op = Op::new("xlsx_set_width").maybe("sheet", sheet.clone()).with(field, area);
        Value::Object(op.with("size", size.clone()).0)
    };
    Ok(areas(command, target, sheet.as_deref())?.into_iter().map(one).collect())
}
