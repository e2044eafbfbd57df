//! Arguments that were cut off: found, continued once where that can be proved, else refused.

use gateway::testing::{Reply, chunk};
use gateway::{Continuation, ErrorCode};
use serde_json::{Value, json};

use super::{cut, good, request, run, run_with};

#[tokio::test]
async fn a_truncation_is_continued_once() {
    let mut request = request();
    request.params.max_tokens = Some(64);
    let replies = vec![cut(r#"{"body":"half a "#, "length"), Reply::text(r#"sentence"}"#)];
    let ran = run_with("kimi", &request, replies).await;
    let outcome = ran.whole();
    assert_eq!(outcome.message.tool_calls[0].arguments, r#"{"body":"half a sentence"}"#);
    assert_eq!(outcome.continuation, Continuation::Saved);
    let last = ran.bodies()[1]["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last, json!({"role": "assistant", "content": "{\"body\":\"half a ", "partial": true}));
    assert_eq!(ran.bodies()[1].get("tools"), None);
}

#[tokio::test]
async fn every_form_of_continuation_is_spelled_as_the_vendor_does() {
    for (dialect, check) in [
        (
            "mistral",
            (|body: &Value| body["messages"].as_array().unwrap().last().unwrap()["prefix"] == true)
                as fn(&Value) -> bool,
        ),
        ("qwen", |body| body["messages"].as_array().unwrap().last().unwrap()["partial"] == true),
        ("vllm", |body| body["continue_final_message"] == true && body["add_generation_prompt"] == false),
        ("openai", |body| body["messages"].as_array().unwrap().last().unwrap()["role"] == "user"),
        ("deepseek", |body| body["messages"].as_array().unwrap().last().unwrap()["prefix"] == true),
    ] {
        let replies = vec![cut(r#"{"body":"half a "#, "length"), Reply::text(r#"sentence"}"#)];
        let ran = run_with(dialect, &request(), replies).await;
        assert_eq!(ran.whole().continuation, Continuation::Saved, "{dialect}");
        assert!(check(&ran.bodies()[1]), "{dialect}: {}", ran.bodies()[1]);
    }
}

#[tokio::test]
async fn a_continuation_without_proof_ends_the_turn() {
    let tails = [
        Reply::text(" still open"),
        Reply::text(r#"half a "}"#),
        cut("x", "stop"),
        Reply::chunks(&[chunk(&json!({"content": "sentence\"}"}), Some("length"))]),
        Reply::stream("data: {\"choices\":[{\"delta\":{\"content\":\"sentence\\\"}\"}}]}\n\n"),
        Reply::text("Sorry, here is the rest: \"}"),
        Reply::status(400, &json!({"error": {"message": "must end with a user message"}})),
    ];
    for tail in tails {
        let shown = format!("{tail:?}");
        let ran = run(vec![
            cut(r#"{"file_id":"file-02ea40ee","expected_content_rev":45,"body":"half a "#, "length"),
            tail,
        ])
        .await;
        let error = ran.failed(ErrorCode::ArgumentsTruncated);
        assert_eq!(error.continuation, Continuation::Failed, "{shown}");
        assert_eq!(ran.bodies().len(), 2, "no third try: {shown}");
        let call = &error.partial.calls[0];
        assert_eq!(call.name.as_deref(), Some("edit"));
        assert_eq!(
            Value::Object(call.known.clone()),
            json!({"file_id": "file-02ea40ee", "expected_content_rev": 45})
        );
    }
}

#[tokio::test]
async fn a_hidden_truncation_is_found_by_the_count() {
    let mut request = request();
    request.params.max_tokens = Some(64);
    let call =
        json!({"index": 0, "id": "c1", "function": {"name": "edit", "arguments": "{\"body\":\"whole\"}"}});
    let mut last = chunk(&json!({}), Some("tool_calls"));
    last["usage"] = json!({"prompt_tokens": 1, "completion_tokens": 64});
    let ran = run_with(
        "other",
        &request,
        vec![Reply::chunks(&[chunk(&json!({"tool_calls": [call]}), None), last])],
    )
    .await;
    ran.failed(ErrorCode::ArgumentsTruncated);
    assert_eq!(ran.bodies().len(), 1, "nothing to continue, no higher limit allowed");
}

#[tokio::test]
async fn a_truncation_that_cannot_be_continued_is_retried_with_a_higher_limit_once() {
    let mut request = request();
    request.params.max_tokens = Some(64);
    request.params.max_tokens_ceiling = Some(100);
    let two_open = || {
        let calls = json!([{"index": 0, "id": "a", "function": {"name": "edit", "arguments": "{\"body\":\"x"}},
                           {"index": 1, "id": "b", "function": {"name": "edit", "arguments": "{\"body\":\"y"}}]);
        Reply::chunks(&[chunk(&json!({"tool_calls": calls}), None), chunk(&json!({}), Some("length"))])
    };
    let ran = run_with("other", &request, vec![two_open(), good()]).await;
    ran.whole();
    assert_eq!(ran.bodies()[1]["max_tokens"], json!(100));
    let ran = run_with("other", &request, vec![two_open(), two_open()]).await;
    ran.failed(ErrorCode::ArgumentsTruncated);
    assert_eq!(ran.bodies().len(), 2);
}
