//! The arguments of one call: which of the arrived texts is meant, is it whole, can it be put right, does it fit the schema.
//!
//! The order is the safety argument: the truncation test comes before any repair, and the schema after every one.

use serde_json::{Map, Value};

use super::judge::Fault;
use super::tools::Declared;
use crate::error::ErrorCode;
use crate::json::repair::{Broken, Repaired, repair};
use crate::json::strict;
use crate::outcome::RepairKind;
use crate::wire::identity::RawCall;

/// Arguments that may be executed.
#[derive(Debug, PartialEq)]
pub(crate) struct Whole {
    pub(crate) text: String,
    pub(crate) kinds: Vec<RepairKind>,
}

/// Reads the arguments of a call to a declared tool.
pub(crate) fn read(call: &RawCall, tool: &Declared) -> Result<Whole, Fault> {
    let repaired = choose(call, tool)?;
    let Value::Object(object) = &repaired.value else {
        return Err(Fault::new(ErrorCode::ArgumentsNotObject, "the arguments are not a JSON object"));
    };
    if let Some(field) = path_with_control(object) {
        let message = format!(
            "the path in \"{field}\" contains a control character; backslashes must be doubled in JSON"
        );
        return Err(Fault::new(ErrorCode::ArgumentsPathControl, message));
    }
    if tool.accepts(&repaired.value) {
        return Ok(Whole { text: repaired.text, kinds: repaired.kinds });
    }
    unwrap_nested(repaired, tool)
}

/// Whether the call ends in the middle of its arguments, so that nothing in it may be used.
pub(crate) fn are_cut_off(call: &RawCall, tool: Option<&Declared>) -> bool {
    call.scan().is_open() && tool.is_none_or(|tool| last_snapshot(call, tool).is_none())
}

fn choose(call: &RawCall, tool: &Declared) -> Result<Repaired, Fault> {
    let has_text = call.scan().has_content;
    match (call.objects.as_slice(), has_text) {
        ([], false) => return empty(tool),
        ([object], false) => return Ok(from_object(object)),
        ([first, rest @ ..], false) => {
            let all_equal = rest.iter().all(|object| object == first);
            return if all_equal { Ok(doubled(from_object(first))) } else { Err(two_objects()) };
        }
        // An empty object in the head of a call says nothing; text follows.
        (objects, true)
            if objects.iter().any(|object| object.as_object().is_some_and(|map| !map.is_empty())) =>
        {
            return Err(two_objects());
        }
        (_, true) => {}
    }
    match strict::parse(&call.arguments) {
        Ok(value) if !value.is_string() => {
            return Ok(Repaired { text: call.arguments.clone(), value, kinds: Vec::new() });
        }
        Ok(_) => {}
        Err(_) => {
            if let Some(repeated) = repeated(call, tool)? {
                return Ok(repeated);
            }
        }
    }
    repair(&call.arguments).map_err(|broken| match broken {
        Broken::Open => Fault::new(ErrorCode::ArgumentsTruncated, "the arguments end in the middle"),
        Broken::Invalid(error) => {
            Fault::new(ErrorCode::ArgumentsInvalidJson, format!("the arguments are not valid JSON: {error}"))
        }
    })
}

/// Fragments that repeat what came before them: snapshots, or the same object again.
fn repeated(call: &RawCall, tool: &Declared) -> Result<Option<Repaired>, Fault> {
    if let Some(snapshot) = last_snapshot(call, tool) {
        return Ok(Some(snapshot));
    }
    match several_objects(&call.arguments) {
        Some(objects) => same_object_twice(call, &objects).map(Some).ok_or_else(two_objects),
        None => Ok(None),
    }
}

fn empty(tool: &Declared) -> Result<Repaired, Fault> {
    let value = Value::Object(Map::new());
    if tool.accepts(&value) {
        return Ok(Repaired { text: "{}".into(), value, kinds: vec![RepairKind::ArgumentsEmpty] });
    }
    Err(Fault::new(ErrorCode::ArgumentsEmpty, "the call has no arguments, and the tool needs some"))
}

fn from_object(object: &Value) -> Repaired {
    Repaired { text: object.to_string(), value: object.clone(), kinds: vec![RepairKind::ArgumentsObject] }
}

fn doubled(mut repaired: Repaired) -> Repaired {
    repaired.kinds.push(RepairKind::ArgumentsDoubled);
    repaired
}

fn two_objects() -> Fault {
    Fault::new(ErrorCode::IdentityAmbiguous, "two sets of arguments came for one call")
}

/// Every fragment repeats the ones before it and goes on: then the last one is the whole. Asked only when the fragments one after the
/// other do not parse, so a fragment that is valid JSON by chance changes nothing.
fn last_snapshot(call: &RawCall, tool: &Declared) -> Option<Repaired> {
    let fragments = fragments(call);
    let grows = |pair: &[&str]| pair[1].len() > pair[0].len() && pair[1].starts_with(pair[0]);
    if fragments.len() < 2 || !fragments.windows(2).all(grows) {
        return None;
    }
    let last = fragments.last()?;
    let value = strict::parse(last).ok().filter(|value| value.is_object() && tool.accepts(value))?;
    Some(Repaired { text: (*last).to_owned(), value, kinds: vec![RepairKind::ArgumentsCumulative] })
}

fn fragments(call: &RawCall) -> Vec<&str> {
    let ends = call.pieces.iter().skip(1).map(|piece| piece.start).chain([call.arguments.len()]);
    call.pieces.iter().zip(ends).filter_map(|(piece, end)| call.arguments.get(piece.start..end)).collect()
}

/// The byte ranges of two or more objects that stand one after the other; nothing when there is anything else.
fn several_objects(text: &str) -> Option<Vec<(usize, usize)>> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let mut ranges = Vec::new();
    let mut start = 0;
    while let Some(value) = values.next() {
        if !value.ok()?.is_object() {
            return None;
        }
        ranges.push((start, values.byte_offset()));
        start = values.byte_offset();
    }
    (ranges.len() > 1).then_some(ranges)
}

/// The same text again on the same call, with no chunk in between that could have begun another call: a repeat, not a second call.
fn same_object_twice(call: &RawCall, objects: &[(usize, usize)]) -> Option<Repaired> {
    let texts: Vec<&str> =
        objects.iter().filter_map(|(start, end)| call.arguments.get(*start..*end)).collect();
    let first = texts.first()?.trim();
    let is_repeat = texts.iter().all(|text| text.trim() == first);
    let first_end = objects.first()?.1;
    let begins_again = call.pieces.iter().any(|piece| piece.named && piece.start >= first_end);
    if !is_repeat || begins_again {
        return None;
    }
    let value = strict::parse(first).ok()?;
    Some(Repaired { text: first.to_owned(), value, kinds: vec![RepairKind::ArgumentsDoubled] })
}

/// Lists and objects that came as their own JSON text, where the schema wants a list or object and allows no string.
fn unwrap_nested(mut repaired: Repaired, tool: &Declared) -> Result<Whole, Fault> {
    let mut changed = false;
    unwrap_below(&mut repaired.value, &tool.schema, &mut changed);
    if changed && tool.accepts(&repaired.value) {
        repaired.kinds.push(RepairKind::NestedEncoded);
        return Ok(Whole { text: repaired.value.to_string(), kinds: repaired.kinds });
    }
    let complaint = tool.complaint(&repaired.value).unwrap_or_default();
    Err(Fault::new(ErrorCode::ArgumentsSchema, format!("the arguments do not fit the schema: {complaint}")))
}

fn unwrap_below(value: &mut Value, schema: &Value, changed: &mut bool) {
    if let Value::String(text) = value {
        let Some(wanted) = container_type(schema) else { return };
        let Ok(inner) = strict::parse(text) else { return };
        let fits = (wanted == "array" && inner.is_array()) || (wanted == "object" && inner.is_object());
        if fits {
            *value = inner;
            *changed = true;
        }
        return;
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if let Some(schema) = schema.get("properties").and_then(|all| all.get(name)) {
                    unwrap_below(member, schema, changed);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                items.iter_mut().for_each(|item| unwrap_below(item, schema, changed));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The one container type that a schema asks for; nothing when a string would do as well, or when it is not said plainly.
fn container_type(schema: &Value) -> Option<&'static str> {
    let has_branches =
        ["anyOf", "oneOf", "allOf", "$ref", "if"].iter().any(|word| schema.get(*word).is_some());
    match schema.get("type").and_then(Value::as_str) {
        Some("array") if !has_branches => Some("array"),
        Some("object") if !has_branches => Some("object"),
        _ => None,
    }
}

/// A control character in a path means that a backslash was read as an escape: `C:\new` holds a line end.
fn path_with_control(object: &Map<String, Value>) -> Option<&str> {
    object.iter().find_map(|(name, value)| {
        let is_bad = is_path_name(name) && holds_control(value);
        if is_bad { Some(name.as_str()) } else { nested_path_with_control(value) }
    })
}

fn nested_path_with_control(value: &Value) -> Option<&str> {
    match value {
        Value::Object(object) => path_with_control(object),
        Value::Array(items) => items.iter().find_map(nested_path_with_control),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn holds_control(value: &Value) -> bool {
    match value {
        Value::String(text) => text.chars().any(char::is_control),
        Value::Array(items) => items.iter().any(holds_control),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

fn is_path_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let exact = ["file", "filename", "file_name", "dir", "directory", "folder", "cwd", "workdir"];
    name.ends_with("path") || name.ends_with("paths") || exact.contains(&name.as_str())
}
