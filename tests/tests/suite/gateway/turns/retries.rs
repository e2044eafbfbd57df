//! Silent retries of whole turns: what each changes, when they end, what is shown meanwhile.

use gateway::testing::{Reply, chunk};
use gateway::{Delta, ErrorCode, Message, RetryKind};
use serde_json::json;

use super::{bad_json, good, plain, request, run, run_with, whole_body};

#[tokio::test]
async fn a_broken_turn_is_retried_silently_and_differently() {
    let ran = run(vec![bad_json(), bad_json(), Reply::json(&whole_body("new"))]).await;
    let outcome = ran.whole();
    assert_eq!(outcome.message.tool_calls[0].arguments, r#"{"body":"new"}"#);
    assert_eq!(outcome.retries.len(), 2);
    assert!(outcome.retries.iter().all(|retry| retry.kind == RetryKind::Repair));
    let bodies = ran.bodies();
    assert_eq!(bodies[0].get("parallel_tool_calls"), None);
    assert_eq!(bodies[1]["parallel_tool_calls"], json!(false));
    assert_eq!(bodies[2]["stream"], json!(false), "the other parser of the server");
    let notes = bodies[1]["messages"].as_array().unwrap();
    assert!(notes.last().unwrap()["content"].as_str().unwrap().contains("not valid JSON"), "{notes:?}");
}

#[tokio::test]
async fn after_two_retries_it_ends() {
    let ran = run(vec![bad_json(), bad_json(), bad_json()]).await;
    let error = ran.failed(ErrorCode::ArgumentsInvalidJson);
    assert_eq!(error.retries.len(), 2);
    assert_eq!(ran.bodies().len(), 3, "three requests and no more");
}

#[tokio::test]
async fn what_was_shown_of_a_void_attempt_is_taken_back() {
    let void = Reply::calls("Wrong start. ", &[("a", "unknown_tool", "{}")]);
    let ran = run(vec![void, Reply::calls("Right.", &[("a", "edit", r#"{"body":"x"}"#)])]).await;
    assert_eq!(ran.shown(), "Right.");
    assert!(
        ran.deltas.iter().any(|delta| matches!(delta, Delta::Restarted { code: ErrorCode::ToolUnknown, .. }))
    );
    let note = ran.bodies()[1]["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(note.contains("the tools are edit"), "N09: the retry names the tools: {note}");
}

#[tokio::test]
async fn where_no_user_message_may_follow_a_result_the_note_goes_elsewhere() {
    let mut request = request();
    let call = gateway::ToolCall {
        id: "abcdefghi".into(),
        name: "edit".into(),
        arguments: r#"{"body":"x"}"#.into(),
        extra: Default::default(),
    };
    let said = gateway::AssistantMessage { tool_calls: vec![call], ..Default::default() };
    request.messages = vec![
        Message::system("S"),
        Message::user("u"),
        Message::Assistant(said),
        Message::tool("abcdefghi", "ok"),
    ];
    let ran = run_with("mistral", &request, vec![bad_json(), good()]).await;
    ran.whole();
    let messages = ran.bodies()[1]["messages"].clone();
    assert_eq!(messages.as_array().unwrap().last().unwrap()["role"], "tool");
    assert!(messages[0]["content"].as_str().unwrap().contains("not valid JSON"));
}

#[tokio::test]
async fn a_vendors_own_refusal_of_the_call_is_a_bad_call() {
    let failed = Reply::status(
        400,
        &json!({"error": {"code": "tool_use_failed", "message": "Failed to call a function.",
        "failed_generation": "<function=edit>{\"body\":\"x\"}</function>"}}),
    );
    let ran = run(vec![failed.clone(), good()]).await;
    assert_eq!(ran.whole().message.tool_calls.len(), 1);
    let note = ran.bodies()[1]["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(note.contains("Failed to call a function"));
    run(vec![failed.clone(), failed.clone(), failed]).await.failed(ErrorCode::CallMalformed);
}

#[tokio::test]
async fn a_servers_broken_stream_parser_is_avoided() {
    let aborted = Reply::stream(
        "data: {\"error\":{\"code\":500,\"message\":\"Invalid diff: now finding less tool calls!\"}}\n\n",
    );
    let ran = run(vec![aborted, Reply::json(&whole_body("x"))]).await;
    assert_eq!(ran.whole().message.tool_calls.len(), 1);
    assert_eq!(ran.bodies()[1]["stream"], json!(false));
}

#[tokio::test]
async fn a_json_looking_text_is_shown_when_asking_again_does_not_help() {
    let text = r#"{"name":"edit","arguments":{"body":"x"}}"#;
    let whole = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
    let ran = run(vec![Reply::text(text), Reply::text(text), Reply::json(&whole)]).await;
    assert_eq!(ran.whole().message.text, text);
    assert_eq!(ran.whole().message.tool_calls.len(), 0, "never a call");
    assert_eq!(ran.whole().retries.len(), 2);
}

#[tokio::test]
async fn empty_answers_are_asked_for_again() {
    let empty = || Reply::chunks(&[chunk(&json!({"role": "assistant"}), Some("stop"))]);
    let ran = run(vec![empty(), good()]).await;
    assert_eq!(ran.whole().retries[0].code, ErrorCode::EmptyReply);
    let ran = run_with("other", &plain(), vec![empty(), Reply::text("hi")]).await;
    assert_eq!(ran.whole().message.text, "hi");
}
