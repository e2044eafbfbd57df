//! Text that looks like a call which the server's own parser missed.
//!
//! It is never read as a call: the text of a document, of a web page or of the model's own example could be the source. It only tells
//! that the turn should be asked for again.

use serde_json::Value;

use super::tools::ToolSet;
use crate::wire::aggregate::RawTurn;
use crate::wire::markers;

/// How a call may hide in a turn that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hidden {
    /// A vendor's call marker stands in the text: not an answer for people.
    Marker,
    /// The thinking holds a whole call, and there is no answer.
    InReasoning,
    /// The whole text is a JSON call to a declared tool: if asking again does not help, it is shown as text.
    JsonText,
}

pub(crate) fn hidden_call(turn: &RawTurn, tools: &ToolSet) -> Option<Hidden> {
    if turn.findings.from_call_marker.is_some() || turn.call_in_parts {
        return Some(Hidden::Marker);
    }
    if turn.text.trim().is_empty() {
        let in_reasoning = markers::has_call_marker(&turn.reasoning) || is_json_call(&turn.reasoning, tools);
        return in_reasoning.then_some(Hidden::InReasoning);
    }
    is_json_call(&turn.text, tools).then_some(Hidden::JsonText)
}

/// What stands after a call marker is nothing but the marker itself: the known tail before a structured call.
pub(crate) fn is_bare_marker(hidden: &str) -> bool {
    let trimmed = hidden.trim();
    let has_body = trimmed.contains(['{', '"', '=', '\n']);
    let opens =
        trimmed.matches('<').count() + trimmed.matches("[TOOL").count() + trimmed.matches("]<]").count();
    !has_body && opens <= 2 && trimmed.len() <= 96
}

/// Answers that are the vendor's notice of a refusal, word for word. Anything else, however alike, is an answer.
const MODERATION_NOTICES: &[&str] = &[
    "抱歉，系统检测到您当前输入的信息存在敏感内容，我无法响应您的请求，请检查后重新输入。",
    "Sorry, the system has detected sensitive content in your current input. I cannot respond to your request. \
     Please review and re-enter your message.",
];

/// Whether the whole text is such a notice.
pub(crate) fn is_moderation_notice(text: &str) -> bool {
    MODERATION_NOTICES.contains(&text.trim())
}

fn is_json_call(text: &str, tools: &ToolSet) -> bool {
    let unfenced = unfenced(text.trim());
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    // One model writes a word of its own before the list.
    let json = unfenced.trim_start_matches(is_word);
    match serde_json::from_str::<Value>(json) {
        Ok(value) => names_a_tool(&value, tools),
        Err(_) => is_code_call(unfenced, tools) || is_action(text, tools),
    }
}

/// The whole text is one call in the notation of a programming language, or a list of such: `[edit(p=1), now()]`.
fn is_code_call(text: &str, tools: &ToolSet) -> bool {
    let listed = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let printed = listed.strip_prefix("print(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(listed);
    let Some((name, rest)) = printed.split_once('(') else { return false };
    rest.ends_with(')') && tools.get(name.trim()).is_some()
}

/// A line that names a tool as the action to take, and one with its input after it.
fn is_action(text: &str, tools: &ToolSet) -> bool {
    let value = |line: &str, key: &str| line.trim().strip_prefix(key).map(|rest| rest.trim().to_owned());
    let mut lines = text.lines().skip_while(|line| {
        value(line, "Action:").is_none_or(|name| tools.get(name.trim_matches(['`', '*'])).is_none())
    });
    lines.next().is_some() && lines.next().is_some_and(|line| value(line, "Action Input:").is_some())
}

fn unfenced(text: &str) -> &str {
    let Some(inner) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else { return text };
    inner.split_once('\n').map_or(inner, |(_, body)| body).trim()
}

fn names_a_tool(value: &Value, tools: &ToolSet) -> bool {
    match value {
        Value::Array(items) => !items.is_empty() && items.iter().all(|item| names_a_tool(item, tools)),
        Value::Object(call) => {
            if let Some(inner) =
                call.get("tool_calls").or_else(|| call.get("function")).filter(|v| !v.is_string())
            {
                return names_a_tool(inner, tools);
            }
            let name = ["name", "tool", "tool_name", "function", "action"]
                .iter()
                .find_map(|key| call.get(*key)?.as_str());
            let has_arguments = ["arguments", "parameters", "args", "input", "action_input", "tool_input"]
                .iter()
                .any(|key| call.contains_key(*key));
            has_arguments && name.is_some_and(|name| tools.get(name).is_some())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
