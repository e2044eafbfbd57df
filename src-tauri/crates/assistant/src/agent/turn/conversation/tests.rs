//! Validity and shortening.

use gateway::ToolCall;

use super::*;

fn calling(ids: &[&str]) -> AssistantMessage {
    let call = |id: &&str| ToolCall {
        id: id.to_string(),
        name: "file_read".into(),
        arguments: "{}".into(),
        extra: serde_json::Map::new(),
    };
    AssistantMessage { tool_calls: ids.iter().map(call).collect(), ..AssistantMessage::default() }
}

/// Every call is answered behind its message, and nothing else is.
fn is_valid(messages: &[Message]) -> bool {
    let mut open: Vec<String> = Vec::new();
    for message in messages {
        match message {
            Message::Tool { call_id, .. } => match open.iter().position(|id| id == call_id) {
                Some(at) => drop(open.remove(at)),
                None => return false,
            },
            Message::Assistant(message) if open.is_empty() => {
                open = message.tool_calls.iter().map(|call| call.id.clone()).collect();
            }
            Message::User { .. } | Message::System { .. } if open.is_empty() => {}
            _ => return false,
        }
    }
    open.is_empty()
}

#[test]
fn calls_without_results_are_closed_and_stray_results_dropped() {
    let mut conversation = Conversation::default();
    conversation.user("do".into());
    conversation.assistant(calling(&["a", "b"]));
    conversation.result("b", "{}".into());
    conversation.result("x", "{}".into());
    conversation.result("b", "{}".into());
    conversation.user("next".into());
    assert!(is_valid(conversation.messages()), "{:?}", conversation.messages());
    assert_eq!(conversation.len(), 5);
}

#[test]
fn shortening_keeps_pairs_and_says_what_is_gone() {
    let mut conversation = Conversation::default();
    for turn in 0..20 {
        conversation.user(format!("question {turn} {}", "x".repeat(500)));
        conversation.assistant(calling(&["a"]));
        conversation.result("a", format!(r#"{{"ok":true,"text":"{}"}}"#, "y".repeat(1_000)));
        conversation.assistant(AssistantMessage { text: "answer".into(), ..AssistantMessage::default() });
    }
    let current = conversation.len();
    conversation.user("now".into());
    conversation.assistant(calling(&["a", "b"]));
    conversation.result("a", format!(r#"{{"ok":true,"content_rev":7,"text":"{}"}}"#, "z".repeat(9_000)));
    conversation.result("b", format!(r#"{{"ok":true,"text":"{}"}}"#, "z".repeat(900)));
    for budget in [100, 1_000, 5_000, 12_000, 20_000, 1_000_000] {
        let fitted = conversation.fitted(current, budget);
        assert!(is_valid(&fitted), "{budget}");
        assert!(
            fitted.iter().any(|message| matches!(message, Message::User { text } if text.ends_with("now"))),
            "{budget}"
        );
        if budget >= 5_000 {
            assert!(size_of(&fitted) <= budget + 200, "{budget}: {}", size_of(&fitted));
        }
        let says =
            fitted.iter().any(|message| matches!(message, Message::User { text } if text.starts_with('[')));
        assert_eq!(says, budget < 1_000_000, "{budget}");
    }
    let short = conversation.fitted(current, 5_000);
    assert!(short.iter().any(|message| matches!(message, Message::Tool { text, .. } if text.contains("left_out") && text.contains("\"content_rev\":7"))));
}
