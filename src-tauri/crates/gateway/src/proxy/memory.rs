//! What typed clients drop from a model's message, kept so that it can be put back when they send the message again.
//!
//! Some endpoints refuse the next request without the thinking text of the last one, or without a call's signature. The key is the call
//! itself (id, name, arguments), because ids alone repeat between conversations. Old entries fall out.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value, json};

use crate::dialect::{Dialect, EchoReasoning};
use crate::message::ToolCall;

/// Calls that are remembered at most.
const MOST_CALLS: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct Memory {
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    by_call: HashMap<CallKey, Remembered>,
    order: VecDeque<CallKey>,
}

type CallKey = (String, String, String);

#[derive(Clone, Debug, Default)]
struct Remembered {
    reasoning: String,
    opaque: Map<String, Value>,
    extra: Map<String, Value>,
}

impl Memory {
    pub(super) fn remember(&self, calls: &[ToolCall], reasoning: &str, opaque: &Map<String, Value>) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        for call in calls {
            let key = (call.id.clone(), call.name.clone(), call.arguments.clone());
            let entry =
                Remembered { reasoning: reasoning.into(), opaque: opaque.clone(), extra: call.extra.clone() };
            if entries.by_call.insert(key.clone(), entry).is_none() {
                entries.order.push_back(key);
            }
        }
        while entries.order.len() > MOST_CALLS {
            if let Some(oldest) = entries.order.pop_front() {
                entries.by_call.remove(&oldest);
            }
        }
    }

    /// Puts back what the dialect needs and the client dropped; takes out what the endpoint refuses.
    pub(super) fn restore(&self, messages: &mut [Value], dialect: &Dialect) {
        for message in messages {
            let Value::Object(members) = message else { continue };
            if members.get("role").and_then(Value::as_str) != Some("assistant") {
                continue;
            }
            if dialect.echo.reasoning == EchoReasoning::Forbidden {
                members.shift_remove("reasoning_content");
                members.shift_remove("reasoning");
            }
            self.restore_message(members, dialect);
        }
    }

    fn restore_message(&self, members: &mut Map<String, Value>, dialect: &Dialect) {
        let Some(Value::Array(calls)) = members.get_mut("tool_calls") else { return };
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found: Option<Remembered> = None;
        for call in calls {
            let Some(entry) = key_of(call).and_then(|key| entries.by_call.get(&key)) else { continue };
            if let (Value::Object(call), true) = (call, dialect.echo.call_extra) {
                for (name, value) in &entry.extra {
                    call.entry(name.clone()).or_insert_with(|| value.clone());
                }
            }
            found.get_or_insert_with(|| entry.clone());
        }
        let found = found.unwrap_or_default();
        if let EchoReasoning::WithCalls(field) = &dialect.echo.reasoning {
            let is_missing = members.get(field).is_none_or(Value::is_null);
            if is_missing {
                members.insert(field.clone(), json!(found.reasoning));
            }
        }
        for field in &dialect.echo.fields {
            if let Some(value) = found.opaque.get(field) {
                members.entry(field.clone()).or_insert_with(|| value.clone());
            }
        }
    }
}

fn key_of(call: &Value) -> Option<CallKey> {
    let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    Some((text("/id")?, text("/function/name")?, text("/function/arguments")?))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{MOST_CALLS, Memory};
    use crate::dialect::Dialect;
    use crate::message::ToolCall;

    fn call(id: &str) -> ToolCall {
        let extra = json!({"extra_content": {"s": 1}}).as_object().unwrap().clone();
        ToolCall { id: id.into(), name: "edit".into(), arguments: "{}".into(), extra }
    }

    fn sent(id: &str) -> Value {
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "edit", "arguments": "{}"}}]})
    }

    #[test]
    fn dropped_fields_come_back() {
        let memory = Memory::default();
        memory.remember(&[call("a")], "why", &Map::new());
        let mut messages = vec![sent("a"), sent("unknown")];
        memory.restore(&mut messages, &Dialect::preset("deepseek").unwrap());
        assert_eq!(messages[0]["reasoning_content"], "why");
        assert_eq!(messages[0]["tool_calls"][0]["extra_content"], json!({"s": 1}));
        assert_eq!(messages[1]["reasoning_content"], "", "the endpoint wants the field in any case");
    }

    #[test]
    fn forbidden_fields_are_taken_out() {
        let mut message = sent("a");
        message["reasoning_content"] = json!("why");
        let mut messages = vec![message];
        let r1 = Dialect::recognise("https://api.deepseek.com", "deepseek-reasoner");
        Memory::default().restore(&mut messages, &r1);
        assert_eq!(messages[0].get("reasoning_content"), None);
    }

    #[test]
    fn old_calls_fall_out() {
        let memory = Memory::default();
        for number in 0..MOST_CALLS + 10 {
            memory.remember(&[call(&number.to_string())], "", &Map::new());
        }
        assert_eq!(memory.entries.lock().unwrap().by_call.len(), MOST_CALLS);
    }
}
