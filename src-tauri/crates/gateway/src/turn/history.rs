//! A conversation in the form that endpoints accept: calls and results in pairs, grouped, with ids of the wanted form.
//!
//! Works on wire messages (JSON), so that our own conversations and those of proxy clients get the same care. A dropped call always
//! takes its result with it and the other way round: an orphan is an error at some vendors and an empty answer at others.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::dialect::CallIdForm;
use crate::json::strict;

/// Puts a conversation in order; whether anything had to be changed.
pub(crate) fn tidy(messages: &mut Vec<Value>) -> bool {
    let before = messages.clone();
    group_calls(messages);
    drop_broken_pairs(messages);
    *messages != before
}

/// Consecutive assistant messages that hold only calls become one.
fn group_calls(messages: &mut Vec<Value>) {
    let mut grouped: Vec<Value> = Vec::with_capacity(messages.len());
    for message in messages.drain(..) {
        let is_only_calls =
            is_assistant(&message) && !calls_of(&message).is_empty() && text_of(&message).is_none();
        match grouped.last_mut() {
            Some(last) if is_only_calls && is_assistant(last) && !calls_of(last).is_empty() => {
                let more = calls_of(&message).to_vec();
                if let Some(Value::Array(calls)) = last.get_mut("tool_calls") {
                    calls.extend(more);
                }
            }
            _ => grouped.push(message),
        }
    }
    *messages = grouped;
}

/// Keeps a call only with its result, and a result only with its call; calls whose arguments are no JSON object go too.
fn drop_broken_pairs(messages: &mut Vec<Value>) {
    let mut kept: Vec<Value> = Vec::with_capacity(messages.len());
    let mut rest = std::mem::take(messages).into_iter().peekable();
    while let Some(mut message) = rest.next() {
        if is_tool(&message) {
            continue; // its call is not directly before it
        }
        let mut results = Vec::new();
        if is_assistant(&message) && !calls_of(&message).is_empty() {
            while let Some(result) = rest.next_if(is_tool) {
                results.push(result);
            }
            pair(&mut message, &mut results);
        }
        if is_assistant(&message) && says_nothing(&message) {
            continue;
        }
        kept.push(message);
        kept.append(&mut results);
    }
    *messages = kept;
}

fn pair(message: &mut Value, results: &mut Vec<Value>) {
    let answered: HashSet<String> = results.iter().filter_map(result_id).map(str::to_owned).collect();
    let Some(Value::Array(calls)) = message.get_mut("tool_calls") else { return };
    let mut asked = HashSet::new();
    calls.retain(|call| {
        let Some(id) = call.get("id").and_then(Value::as_str) else { return false };
        is_whole(call) && answered.contains(id) && asked.insert(id.to_owned())
    });
    let mut seen = HashSet::new();
    results.retain(|result| {
        result_id(result).is_some_and(|id| asked.contains(id) && seen.insert(id.to_owned()))
    });
    let is_empty = calls.is_empty();
    if is_empty && let Value::Object(members) = message {
        members.remove("tool_calls");
    }
}

fn is_whole(call: &Value) -> bool {
    let name = call.pointer("/function/name").and_then(Value::as_str).unwrap_or_default();
    let arguments = call.pointer("/function/arguments").and_then(Value::as_str).unwrap_or_default();
    // Calls of other types (`custom`) are not ours to judge.
    let is_function = call.get("function").is_some();
    !is_function || (!name.is_empty() && strict::parse(arguments).is_ok_and(|value| value.is_object()))
}

/// Ids of calls in the conversation.
pub(crate) fn used_ids(messages: &[Value]) -> HashSet<String> {
    let ids = messages
        .iter()
        .flat_map(|message| calls_of(message).iter())
        .filter_map(|call| call.get("id")?.as_str());
    ids.map(str::to_owned).collect()
}

/// Rewrites ids that the endpoint would not take; ids that fit stay as they are.
pub(crate) fn map_ids(messages: &mut [Value], form: CallIdForm) {
    let ids: Vec<(String, String)> = messages
        .iter()
        .flat_map(|message| calls_of(message).iter())
        .filter_map(|call| {
            let name = call.pointer("/function/name").and_then(Value::as_str).unwrap_or_default();
            Some((call.get("id")?.as_str()?.to_owned(), name.to_owned()))
        })
        .collect();
    if ids.iter().all(|(id, name)| fits(id, name, form)) {
        return;
    }
    let mut number = 0_usize;
    let mut current: HashMap<String, String> = HashMap::new();
    for message in messages {
        if let Some(Value::Array(calls)) = message.get_mut("tool_calls") {
            for call in calls {
                let name =
                    call.pointer("/function/name").and_then(Value::as_str).unwrap_or_default().to_owned();
                let Some(Value::String(id)) = call.get_mut("id") else { continue };
                let mapped = mapped_id(id, &name, number, form);
                number += 1;
                current.insert(std::mem::replace(id, mapped.clone()), mapped);
            }
        }
        if let Some(Value::String(id)) = message.get_mut("tool_call_id")
            && let Some(mapped) = current.get(id)
        {
            *id = mapped.clone();
        }
    }
}

fn fits(id: &str, name: &str, form: CallIdForm) -> bool {
    match form {
        CallIdForm::Short => !id.is_empty() && id.len() <= 64,
        CallIdForm::NineAlphanumeric => id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        CallIdForm::NumberedFunction => {
            let rest = id.strip_prefix("functions.").and_then(|rest| rest.strip_prefix(name));
            let number = rest.and_then(|rest| rest.strip_prefix(':'));
            number
                .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
        }
    }
}

fn mapped_id(id: &str, name: &str, number: usize, form: CallIdForm) -> String {
    match form {
        // One foreign id means that another endpoint wrote this conversation; the count runs over all of it.
        CallIdForm::NumberedFunction => format!("functions.{name}:{number}"),
        CallIdForm::Short | CallIdForm::NineAlphanumeric if fits(id, name, form) => id.to_owned(),
        CallIdForm::Short | CallIdForm::NineAlphanumeric => nine_characters(id),
    }
}

/// Nine letters or digits that stand for a text (FNV-1a, twice over).
pub(crate) fn nine_characters(text: &str) -> String {
    const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes().chain([0xff]).chain(text.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let digits = (0..9).map(|_| {
        let letter = LETTERS[(hash % 62) as usize];
        hash /= 62;
        char::from(letter)
    });
    digits.collect()
}

fn is_assistant(message: &Value) -> bool {
    message.get("role").and_then(Value::as_str) == Some("assistant")
}

fn is_tool(message: &Value) -> bool {
    message.get("role").and_then(Value::as_str) == Some("tool")
}

fn calls_of(message: &Value) -> &[Value] {
    message.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn result_id(result: &Value) -> Option<&str> {
    result.get("tool_call_id").and_then(Value::as_str)
}

fn text_of(message: &Value) -> Option<&Value> {
    message.get("content").filter(|content| match content {
        Value::String(text) => !text.is_empty(),
        Value::Array(parts) => !parts.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
        Value::Object(_) => true,
    })
}

fn says_nothing(message: &Value) -> bool {
    let known: &Map<String, Value> = match message {
        Value::Object(members) => members,
        _ => return false,
    };
    let has_other =
        ["function_call", "refusal", "audio"].iter().any(|key| known.get(*key).is_some_and(|v| !v.is_null()));
    calls_of(message).is_empty() && text_of(message).is_none() && !has_other
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{map_ids, nine_characters, tidy};
    use crate::dialect::CallIdForm;

    fn call(id: &str) -> Value {
        json!({"id": id, "type": "function", "function": {"name": "edit", "arguments": "{}"}})
    }

    fn result(id: &str) -> Value {
        json!({"role": "tool", "tool_call_id": id, "content": "ok"})
    }

    #[track_caller]
    fn check(mut messages: Vec<Value>, expected: Vec<Value>) {
        let was_changed = messages != expected;
        assert_eq!(tidy(&mut messages), was_changed);
        assert_eq!(messages, expected);
    }

    #[test]
    fn a_good_conversation_is_left_alone() {
        let messages = vec![
            json!({"role": "user", "content": "x"}),
            json!({"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]}),
            result("b"),
            result("a"),
            json!({"role": "assistant", "content": "done"}),
        ];
        check(messages.clone(), messages);
    }

    #[test]
    fn orphans_go_in_pairs() {
        check(
            vec![result("a"), json!({"role": "user", "content": "x"})],
            vec![json!({"role": "user", "content": "x"})],
        );
        check(
            vec![
                json!({"role": "assistant", "content": "t", "tool_calls": [call("a"), call("b")]}),
                result("a"),
            ],
            vec![json!({"role": "assistant", "content": "t", "tool_calls": [call("a")]}), result("a")],
        );
        check(vec![json!({"role": "assistant", "content": "", "tool_calls": [call("a")]})], vec![]);
    }

    #[test]
    fn a_call_with_broken_arguments_goes_with_its_result() {
        let mut broken = call("a");
        broken["function"]["arguments"] = json!("{\"x\":");
        check(
            vec![json!({"role": "assistant", "content": "t", "tool_calls": [broken]}), result("a")],
            vec![json!({"role": "assistant", "content": "t"})],
        );
    }

    #[test]
    fn calls_in_a_row_become_one_message() {
        check(
            vec![
                json!({"role": "assistant", "content": null, "tool_calls": [call("a")]}),
                json!({"role": "assistant", "content": null, "tool_calls": [call("b")]}),
                result("a"),
                result("b"),
            ],
            vec![
                json!({"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]}),
                result("a"),
                result("b"),
            ],
        );
    }

    #[test]
    fn ids_take_the_wanted_form() {
        let original = vec![
            json!({"role": "assistant", "tool_calls": [call("call_abc"), call("abcdefghi")]}),
            result("call_abc"),
        ];
        let mut nine = original.clone();
        map_ids(&mut nine, CallIdForm::NineAlphanumeric);
        let mapped = nine_characters("call_abc");
        assert_eq!(mapped.len(), 9);
        assert_eq!(nine[0]["tool_calls"][0]["id"], json!(mapped));
        assert_eq!(nine[0]["tool_calls"][1]["id"], json!("abcdefghi"));
        assert_eq!(nine[1]["tool_call_id"], json!(mapped));
        let mut numbered = original.clone();
        map_ids(&mut numbered, CallIdForm::NumberedFunction);
        assert_eq!(numbered[0]["tool_calls"][1]["id"], json!("functions.edit:1"));
        assert_eq!(numbered[1]["tool_call_id"], json!("functions.edit:0"));
        let mut short = original.clone();
        map_ids(&mut short, CallIdForm::Short);
        assert_eq!(short, original);
    }
}
