//! The history of a conversation: always valid, and short enough for the model.
//!
//! Valid means: every call has its result directly behind its message, nothing else answers a call, and only whole messages stand in it.
//! Shortening drops whole exchanges, oldest first, then the contents of old results; it never breaks a pair, and it says what is gone.

use gateway::{AssistantMessage, Message};
use serde_json::{Value, json};

/// Messages of one conversation, without the system message.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    messages: Vec<Message>,
}

/// Result of a call that was not run, when a turn ends between a call and its result.
const NOT_RUN: &str = r#"{"ok":false,"error":{"code":"cancelled","status":499,"message":"The turn ended before this call was run.","retry":"later"}}"#;

impl Conversation {
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    pub fn len(&self) -> usize {
        self.messages.len()
    }

    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    pub fn user(&mut self, text: String) {
        self.close_calls();
        self.messages.push(Message::User { text });
    }

    pub fn assistant(&mut self, message: AssistantMessage) {
        self.close_calls();
        self.messages.push(Message::Assistant(message));
    }

    /// The result of a call of the last assistant message; anything else is dropped.
    pub fn result(&mut self, call_id: &str, text: String) {
        if self.open_calls().iter().any(|id| id == call_id) {
            self.messages.push(Message::tool(call_id, text));
        }
    }

    /// Gives every call without a result one that says so.
    pub fn close_calls(&mut self) {
        for call_id in self.open_calls() {
            self.messages.push(Message::tool(call_id, NOT_RUN));
        }
    }

    fn open_calls(&self) -> Vec<String> {
        let Some(at) = self.messages.iter().rposition(|message| matches!(message, Message::Assistant(_)))
        else {
            return Vec::new();
        };
        let Message::Assistant(message) = &self.messages[at] else { return Vec::new() };
        let answered = |id: &str| {
            self.messages[at..].iter().any(|m| matches!(m, Message::Tool { call_id, .. } if call_id == id))
        };
        message.tool_calls.iter().map(|call| call.id.clone()).filter(|id| !answered(id)).collect()
    }

    /// A copy that fits into `budget` characters as far as the exchange from `current` on allows.
    pub fn fitted(&self, current: usize, budget: usize) -> Vec<Message> {
        let current = current.min(self.messages.len());
        let (old, now) = self.messages.split_at(current);
        let mut now = now.to_vec();
        let mut room = budget.saturating_sub(size_of(&now));
        let mut kept: Vec<Message> = Vec::new();
        let mut exchanges = exchanges(old);
        let all = exchanges.len();
        while let Some(exchange) = exchanges.pop() {
            let size = size_of(exchange);
            if size > room {
                break;
            }
            room -= size;
            kept.splice(0..0, exchange.iter().cloned());
        }
        let left_out = all - count_exchanges(&kept);
        if size_of(&now) > budget {
            shorten(&mut now, budget);
        }
        if left_out > 0 {
            say_left_out(&mut kept, &mut now, left_out);
        }
        kept.extend(now);
        kept
    }
}

fn count_exchanges(messages: &[Message]) -> usize {
    messages.iter().filter(|message| matches!(message, Message::User { .. })).count()
}

/// Splits before each user message.
fn exchanges(messages: &[Message]) -> Vec<&[Message]> {
    let starts: Vec<usize> =
        (0..messages.len()).filter(|at| *at == 0 || matches!(messages[*at], Message::User { .. })).collect();
    let ends = starts.iter().skip(1).copied().chain([messages.len()]);
    starts.iter().zip(ends).map(|(start, end)| &messages[*start..end]).collect()
}

/// Characters of everything that travels.
pub fn size_of(messages: &[Message]) -> usize {
    let size = |message: &Message| match message {
        Message::System { text } | Message::User { text } | Message::Tool { text, .. } => text.len(),
        Message::Assistant(message) => size_of_answer(message),
    };
    messages.iter().map(size).sum()
}

/// The same of one message of the model.
pub fn size_of_answer(message: &AssistantMessage) -> usize {
    let calls: usize = message.tool_calls.iter().map(|call| call.name.len() + call.arguments.len()).sum();
    message.text.len() + message.reasoning.len() + calls
}

/// Makes the exchange under way fit: first the contents of old results go, then whole old steps, last the middle of the user's words.
fn shorten(messages: &mut Vec<Message>, budget: usize) {
    empty_old_results(messages, budget);
    let dropped = drop_old_steps(messages, budget);
    if size_of(messages) > budget {
        shorten_words(messages, budget);
    }
    if let (1.., Some(Message::User { text })) = (dropped, messages.first_mut()) {
        let plural = if dropped == 1 { "step" } else { "steps" };
        *text = format!("[{dropped} earlier {plural} of this turn left out to fit the model.]\n\n{text}");
    }
}

/// Drops calls together with their results, oldest first; the newest step stays.
fn drop_old_steps(messages: &mut Vec<Message>, budget: usize) -> usize {
    let mut dropped = 0;
    while size_of(messages) > budget {
        let mut steps =
            (0..messages.len()).filter(|at| matches!(messages[*at], Message::Assistant(_))).take(2);
        let (Some(first), Some(second)) = (steps.next(), steps.next()) else { break };
        messages.drain(first..second);
        dropped += 1;
    }
    dropped
}

/// A message of the user that does not fit at all loses its middle, and says so.
fn shorten_words(messages: &mut [Message], budget: usize) {
    let others = size_of(messages.get(1..).unwrap_or_default());
    let Some(Message::User { text }) = messages.first_mut() else { return };
    let room = budget.saturating_sub(others).max(budget / 4);
    if text.len() <= room {
        return;
    }
    let head = text.floor_char_boundary(room / 4 * 3);
    let tail = text.ceil_char_boundary(text.len() - room / 4);
    let left_out = text[head..tail].chars().count();
    *text = format!(
        "{}\n[… {left_out} characters of this message left out to fit the model …]\n{}",
        &text[..head],
        &text[tail..]
    );
}

/// Within one exchange the oldest results lose their contents first; the newest message is never touched.
fn empty_old_results(messages: &mut [Message], budget: usize) {
    let last = messages.len().saturating_sub(1);
    for at in 0..last {
        if size_of(messages) <= budget {
            return;
        }
        if let Message::Tool { text, .. } = &mut messages[at]
            && text.len() > 400
        {
            *text = emptied(text);
        }
    }
}

fn emptied(text: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let mut short = json!({ "left_out": format!("{} bytes of this older result; call the tool again if it is needed", text.len()) });
    for key in ["ok", "status", "file_id", "content_rev"] {
        if let Some(kept) = value.get(key) {
            short[key] = kept.clone();
        }
    }
    short.to_string()
}

fn say_left_out(kept: &mut [Message], now: &mut [Message], left_out: usize) {
    let first = kept.iter_mut().chain(now).find_map(|message| match message {
        Message::User { text } => Some(text),
        Message::System { .. } | Message::Assistant(_) | Message::Tool { .. } => None,
    });
    if let Some(text) = first {
        let plural = if left_out == 1 { "exchange was" } else { "exchanges were" };
        *text = format!(
            "[{left_out} earlier {plural} left out of this conversation to fit the model.]\n\n{text}"
        );
    }
}

#[cfg(test)]
#[path = "conversation/tests.rs"]
mod tests;
