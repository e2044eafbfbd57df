//! Content controls (ECMA-376-1, 17.5.2): what else must follow when text inside one changes, and when that is refused.

use super::{
    batch::{Batch, Target},
    binding,
    blocks::controls_around,
    difference::Hunk,
    rewrite::{Touched, would_damage},
    styles::StyleKind,
    view::View,
};
use crate::{
    EditError, Place,
    error::EditErrorKind,
    package::xml::{NodeId, Ns, Splices, Xml, escape_attribute},
};

/// What a control holds, as far as it limits its text.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    CheckBox(NodeId),
    List(NodeId),
    Date(NodeId),
}

/// Makes the controls around a changed text follow it.
pub(super) fn follow(
    batch: &mut Batch<'_>,
    target: &Target,
    view: &View,
    hunks: &[Hunk],
    touched: &Touched,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let xml = &target.loaded.xml;
    for control in &touched.controls {
        let text = text_in_scope(view, *control, hunks);
        follow_one(batch, target, *control, Some(text), splices)?;
    }
    let around: Vec<NodeId> = controls_around(xml, view.paragraph).collect();
    for control in around {
        let paragraphs: Vec<NodeId> = xml.descendants_named(control, Ns::W, "p").collect();
        let text = match paragraphs.as_slice() {
            [only] if *only == view.paragraph => Some(applied(&view.text, 0, hunks)),
            _ => None,
        };
        follow_one(batch, target, control, text, splices)?;
    }
    Ok(())
}

/// Hunks applied to a piece of the paragraph's text that begins at `start`.
fn applied(text: &str, start: usize, hunks: &[Hunk]) -> String {
    let mut new = text.to_owned();
    for hunk in hunks.iter().rev() {
        let (from, to) = (hunk.old.start.saturating_sub(start), hunk.old.end.saturating_sub(start));
        if hunk.old.start >= start && to <= text.len() {
            new.replace_range(from..to, &hunk.new);
        }
    }
    new
}

/// The new text of a control among the runs of a paragraph.
fn text_in_scope(view: &View, control: NodeId, hunks: &[Hunk]) -> String {
    let inside = |atom: &&super::view::Atom| view.scopes_of(atom.scope).any(|scope| scope.node == control);
    let start = view.atoms.iter().find(inside).map_or(0, |atom| atom.range.start);
    let end = view.atoms.iter().rfind(inside).map_or(start, |atom| atom.range.end);
    applied(&view.text[start..end], start, hunks)
}

fn follow_one(
    batch: &mut Batch<'_>,
    target: &Target,
    control: NodeId,
    text: Option<String>,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let xml = &target.loaded.xml;
    let Some(properties) = xml.child(control, Ns::W, "sdtPr") else { return Ok(()) };
    refuse_lock(batch, xml, properties)?;
    end_placeholder(batch, xml, control, properties, splices)?;
    let kind = kind_of(xml, properties);
    let bound = follow_kind(batch, target, kind, text.as_deref(), splices)?;
    let binding = xml.children(properties).find(|child| xml.local_name(*child) == "dataBinding");
    let Some(binding) = binding else { return Ok(()) };
    match (kind, text, bound) {
        (Kind::Date(_), ..) => Err(would_damage(
            "The text belongs to a date that is bound to data of the document; only Word can write both alike.".into(),
        )),
        (_, None, _) => Err(would_damage(
            "The text belongs to a control that is bound to data of the document and holds more than one paragraph.".into(),
        )),
        (_, Some(text), bound) => {
            binding::follow(batch, xml, binding, &bound.unwrap_or(text), &target.entry().at)
        }
    }
}

fn refuse_lock(batch: &mut Batch<'_>, xml: &Xml, properties: NodeId) -> Result<(), EditError> {
    let lock = xml.child(properties, Ns::W, "lock").and_then(|lock| xml.value(lock, Ns::W, "val"));
    if !matches!(lock.as_deref(), Some("contentLocked" | "sdtContentLocked")) {
        return Ok(());
    }
    let name = xml
        .child(properties, Ns::W, "alias")
        .and_then(|alias| xml.value(alias, Ns::W, "val"))
        .map_or_else(String::new, |alias| format!(" \"{alias}\""));
    if !batch.context.override_protection {
        let message = format!("The text belongs to a locked content control{name}.");
        return Err(EditError::new(EditErrorKind::ReadOnly, message)
            .hint("Ask the user; with `override_protection` the edit is made all the same."));
    }
    batch.warn_once(
        "protection_overridden",
        format!("The locked content control{name} was changed all the same."),
    );
    Ok(())
}

/// Real text ends the placeholder state: its flag goes and the style of its runs.
fn end_placeholder(
    batch: &mut Batch<'_>,
    xml: &Xml,
    control: NodeId,
    properties: NodeId,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let Some(flag) = xml.child(properties, Ns::W, "showingPlcHdr") else { return Ok(()) };
    splices.delete(xml.span(flag));
    let styles = batch.styles()?;
    let Some(placeholder) = styles.find("Placeholder Text", StyleKind::Character) else { return Ok(()) };
    for style in xml.descendants_named(control, Ns::W, "rStyle") {
        let in_run = xml
            .parent(style)
            .filter(|properties| xml.parent(*properties).is_some_and(|run| xml.is(run, Ns::W, "r")));
        let Some(run_properties) = in_run else { continue };
        if xml.value(style, Ns::W, "val").is_some_and(|id| id == placeholder.id) {
            let is_only = xml.children(run_properties).count() == 1;
            splices.delete(xml.span(if is_only { run_properties } else { style }));
        }
    }
    Ok(())
}

fn kind_of(xml: &Xml, properties: NodeId) -> Kind {
    xml.children(properties)
        .find_map(|child| match (xml.namespace(child), xml.local_name(child)) {
            (Ns::W14, "checkbox") => Some(Kind::CheckBox(child)),
            (Ns::W, "dropDownList") => Some(Kind::List(child)),
            (Ns::W, "date") => Some(Kind::Date(child)),
            _ => None,
        })
        .unwrap_or(Kind::Text)
}

/// Writes what a kind of control keeps beside its text; gives what its bound data must say when that is not the text.
fn follow_kind(
    batch: &mut Batch<'_>,
    target: &Target,
    kind: Kind,
    text: Option<&str>,
    splices: &mut Splices,
) -> Result<Option<String>, EditError> {
    let xml = &target.loaded.xml;
    let at = &target.entry().at;
    match (kind, text) {
        (Kind::Text, _) | (_, None) => Ok(None),
        (Kind::CheckBox(element), Some(text)) => check_box(xml, element, text, at, splices).map(Some),
        (Kind::List(element), Some(text)) => list(xml, element, text, at, splices).map(Some),
        (Kind::Date(element), Some(_)) => {
            if let Some(date) = xml.attribute(element, Ns::W, "fullDate") {
                splices.delete(date.whole);
                let message = "The date behind the control was taken away, because only its text was given.";
                batch.warn_at("date_value_removed", at, message);
            }
            Ok(None)
        }
    }
}

fn check_box(
    xml: &Xml,
    element: NodeId,
    text: &str,
    at: &str,
    splices: &mut Splices,
) -> Result<String, EditError> {
    let symbol = |name: &str, default: char| {
        let state = xml.child(element, Ns::W14, name);
        let code = state.and_then(|state| xml.value(state, Ns::W14, "val"));
        let character = code.and_then(|code| u32::from_str_radix(&code, 16).ok()).and_then(char::from_u32);
        character.unwrap_or(default).to_string()
    };
    let (on, off) = (symbol("checkedState", '\u{2612}'), symbol("uncheckedState", '\u{2610}'));
    let checked = match text {
        _ if text == on => true,
        _ if text == off => false,
        _ => {
            return Err(would_damage(format!(
                "{at} holds a check box, whose text can only be {on} or {off}."
            ))
            .hint("Change the text beside the check box, or set one of its two characters."));
        }
    };
    let value = if checked { "1" } else { "0" };
    if let Some(state) = xml.child(element, Ns::W14, "checked") {
        let name = format!("{}val", xml.prefix(state));
        xml.set_attribute(splices, state, Ns::W14, "val", &name, value)?;
    } else if checked {
        let prefix = xml.prefix(element);
        let state = format!("<{prefix}checked {prefix}val=\"1\"/>");
        match xml.is_empty_tag(element) {
            true => super::rewrite::fill_empty_tag(xml, element, &state, splices),
            false => splices.insert(xml.content(element).start, state),
        }
    }
    Ok(if checked { "true".into() } else { "false".into() })
}

/// A drop-down shows one of its entries.
fn list(
    xml: &Xml,
    element: NodeId,
    text: &str,
    at: &str,
    splices: &mut Splices,
) -> Result<String, EditError> {
    let items: Vec<(String, String)> = xml
        .children_named(element, Ns::W, "listItem")
        .map(|item| {
            let value = xml.value(item, Ns::W, "value").unwrap_or_default().into_owned();
            let shown = xml.value(item, Ns::W, "displayText").map(|shown| shown.into_owned());
            (shown.unwrap_or_else(|| value.clone()), value)
        })
        .collect();
    let Some((_, value)) = items.iter().find(|(shown, _)| shown == text) else {
        let choices = items.into_iter().map(|(text, _)| Place { location: at.to_owned(), text }).collect();
        return Err(would_damage(format!("{at} holds a drop-down list that has no entry \"{text}\"."))
            .hint("Use one of its entries.")
            .matches(choices));
    };
    if let Some(last) = xml.attribute(element, Ns::W, "lastValue") {
        splices.replace(last.value_span, escape_attribute(value)?.replace('\'', "&apos;"));
    }
    Ok(value.clone())
}
