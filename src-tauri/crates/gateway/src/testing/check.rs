//! The rules that every chat request must keep, whoever wrote it.

use std::collections::HashSet;

use serde_json::Value;

use super::Seen;

/// A request is never larger than this.
const BODY_BYTES: usize = 64 << 20;

/// Every broken rule, in words.
pub(super) fn problems(seen: &Seen) -> Vec<String> {
    let mut problems = Vec::new();
    if seen.method == "POST" && seen.path.ends_with("/chat/completions") {
        check_body(seen, &mut |problem: String| problems.push(problem));
    }
    problems
}

fn check_body(seen: &Seen, report: &mut dyn FnMut(String)) {
    let body = &seen.body;
    if !body.is_object() {
        report("the body is no JSON object".into());
        return;
    }
    if seen.raw.len() > BODY_BYTES {
        report(format!("the body has {} bytes", seen.raw.len()));
    }
    if body["model"].as_str().is_none_or(str::is_empty) {
        report("there is no model".into());
    }
    if body.get("max_tokens").is_some() && body.get("max_completion_tokens").is_some() {
        report("both names of the output limit are sent".into());
    }
    if body.get("parallel_tool_calls").is_some() && body.get("tools").is_none() {
        report("parallel_tool_calls without tools".into());
    }
    if body.get("stream_options").is_some() && body["stream"] != Value::Bool(true) {
        report("stream_options without a stream".into());
    }
    check_tools(body, report);
    check_messages(body, report);
}

fn check_tools(body: &Value, report: &mut dyn FnMut(String)) {
    let Some(tools) = body.get("tools") else { return };
    let tools = tools.as_array().map(Vec::as_slice).unwrap_or_default();
    if tools.is_empty() {
        report("an empty list of tools is sent".into());
    }
    let mut names = HashSet::new();
    for tool in tools {
        let name = tool["function"]["name"].as_str().unwrap_or_default();
        if name.is_empty() || !names.insert(name) {
            report(format!("the tool name \"{name}\" is empty or there twice"));
        }
        if tool["function"]["parameters"].get("type").and_then(Value::as_str) != Some("object") {
            report(format!("the schema of \"{name}\" is not an object"));
        }
    }
}

fn check_messages(body: &Value, report: &mut dyn FnMut(String)) {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    if messages.is_empty() {
        report("there are no messages".into());
    }
    // Calls that still wait for their result.
    let mut open: HashSet<String> = HashSet::new();
    for (position, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            if !open.remove(id) {
                report(format!("message {position}: a result without its call ({id})"));
            }
            continue;
        }
        if !open.is_empty() {
            report(format!("message {position}: the calls {open:?} have no result"));
            open.clear();
        }
        match role {
            "assistant" => check_calls(position, message, &mut open, report),
            "system" | "user" | "developer" => {}
            other => report(format!("message {position}: unknown role \"{other}\"")),
        }
    }
    if !open.is_empty() {
        report(format!("the calls {open:?} have no result at the end"));
    }
}

fn check_calls(position: usize, message: &Value, open: &mut HashSet<String>, report: &mut dyn FnMut(String)) {
    let Some(calls) = message.get("tool_calls") else { return };
    let calls = calls.as_array().map(Vec::as_slice).unwrap_or_default();
    if calls.is_empty() {
        report(format!("message {position}: an empty list of calls"));
    }
    for call in calls {
        let id = call["id"].as_str().unwrap_or_default();
        let name = call["function"]["name"].as_str().unwrap_or_default();
        let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
        if id.is_empty() || !open.insert(id.to_owned()) {
            report(format!("message {position}: the call id \"{id}\" is empty or there twice"));
        }
        if name.is_empty() {
            report(format!("message {position}: a call without a name"));
        }
        if !serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object()) {
            report(format!("message {position}: the arguments of \"{name}\" are no JSON object"));
        }
    }
}
