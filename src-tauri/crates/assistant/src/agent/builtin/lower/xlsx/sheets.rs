//! Commands on sheets as wholes, and on defined names.

use serde_json::Value;

use super::super::{Command, Op, Ops, Target, Unlowered, Verb, unclear};
use super::known_sheet;

pub(super) fn sheet_op(command: &Command, target: &Target<'_>) -> Ops {
    let name = sheet_named(command, "name", target)?;
    match command.verb {
        Verb::AddSheet => {
            let op = Op::new("xlsx_add_sheet").with("sheet", command.text("name").unwrap_or_default());
            op.maybe("position", position(command, target, true)?).one()
        }
        Verb::RenameSheet => renamed(&name, command.text("to").unwrap_or_default()),
        Verb::CopySheet => {
            let to = match command.text("to") {
                Some(to) => to.to_string(),
                None => free_name(&name, target)?,
            };
            let op = Op::new("xlsx_copy_sheet").with("sheet", name.as_str()).with("to", to);
            op.maybe("position", position(command, target, true)?).one()
        }
        Verb::MoveSheet => {
            let position = position(command, target, false)?.map(|to| moved(command, target, &name, to));
            Op::new("xlsx_move_sheet").with("sheet", name.as_str()).maybe("position", position).one()
        }
        _ => Op::new("xlsx_delete_sheet").with("sheet", name.as_str()).one(),
    }
}

pub(super) fn renamed(from: &str, to: &str) -> Ops {
    Op::new("xlsx_rename_sheet").with("sheet", from).with("to", to).one()
}

/// A sheet by its name, or as "the first sheet", 第2个工作表.
fn sheet_named(command: &Command, slot: &str, target: &Target<'_>) -> Result<String, Unlowered> {
    if let Some(name) = command.text(slot) {
        return if command.has("suffix") { known_sheet(name, target) } else { Ok(name.to_string()) };
    }
    if command.has("this_sheet") {
        let facts = target.facts.filter(|facts| facts.complete).ok_or(Unlowered::NeedsOutline)?;
        return match facts.sheets.as_slice() {
            [(only, _)] => Ok(only.clone()),
            _ => Err(unclear("There are several sheets; name the one.", "有多个工作表，请说出名称。")),
        };
    }
    let number = command.at("sheet_number", || target.count(|facts| facts.sheets.len()))?;
    let number = number.ok_or(Unlowered::OtherFormat)?;
    let facts = target.facts.filter(|facts| facts.complete).ok_or(Unlowered::NeedsOutline)?;
    let known = number.checked_sub(1).and_then(|index| facts.sheets.get(index));
    known.map(|(name, _)| name.clone()).ok_or_else(|| {
        let sheets = facts.sheets.len();
        unclear(format!("There are only {sheets} sheets."), format!("一共只有{sheets}个工作表。"))
    })
}

/// A name that Excel would give a copy.
fn free_name(name: &str, target: &Target<'_>) -> Result<String, Unlowered> {
    let facts = target.facts.filter(|facts| facts.complete).ok_or(Unlowered::NeedsOutline)?;
    let is_free = |wanted: &String| {
        !facts.sheets.iter().any(|(known, _)| known.to_lowercase() == wanted.to_lowercase())
    };
    let names = (2..10_000).map(|number| format!("{name} ({number})"));
    names.into_iter().find(is_free).ok_or(Unlowered::OtherFormat)
}

/// The position that was said; a new sheet may stand one behind the last.
fn position(command: &Command, target: &Target<'_>, is_new: bool) -> Result<Option<usize>, Unlowered> {
    let sheets = || target.count(|facts| facts.sheets.len());
    if command.has("start") {
        return Ok(Some(1));
    }
    if command.has("end") {
        return Ok(Some(sheets()? + usize::from(is_new)));
    }
    if let Some(other) = command.text("beside") {
        let facts = target.facts.filter(|facts| facts.complete).ok_or(Unlowered::NeedsOutline)?;
        let found = facts.sheets.iter().position(|(name, _)| name.to_lowercase() == other.to_lowercase());
        let found = found.ok_or_else(|| {
            unclear(format!("There is no sheet “{other}”."), format!("没有工作表“{other}”。"))
        })?;
        return Ok(Some(found + 1 + usize::from(command.has("after"))));
    }
    command.at("position", sheets)
}

/// Where a sheet lands that goes before or after another: taking it out moves what follows it.
fn moved(command: &Command, target: &Target<'_>, name: &str, to: usize) -> usize {
    let own = target.facts.and_then(|facts| facts.sheets.iter().position(|(known, _)| known == name));
    let is_behind = own.is_some_and(|own| own + 1 < to);
    if command.has("beside") && is_behind { to - 1 } else { to }
}

pub(super) fn name(command: &Command) -> Ops {
    let refers = command.text("refers").map(|refers| refers.trim_start_matches('=').to_string());
    Op::new("xlsx_set_name")
        .with("name", command.text("name").unwrap_or_default())
        .with("refers_to", refers.map_or(Value::Null, Value::from))
        .one()
}
