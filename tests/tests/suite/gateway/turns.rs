//! Whole turns over TCP against the scripted endpoint: retries, continuation, limits, errors, cancellation, what is sent.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gateway::testing::{Framing, Reply, Seen, Step, Upstream, chunk, sse};
use gateway::{
    CancellationToken, ChatRequest, Client, Continuation, Delta, Dialect, Endpoint, ErrorCode, Finish,
    GatewayError, Learned, Limits, Message, Params, RepairKind, RetryKind, Secret, Thinking, Tool,
    ToolChoice, TurnOutcome, complete,
};
use serde_json::{Value, json};

const KEY: &str = "sk-the-very-secret-key";

fn limits() -> Limits {
    Limits {
        idle: Duration::from_millis(400),
        idle_tools: Duration::from_millis(400),
        total_tools: Duration::from_secs(8),
        grace: Duration::from_millis(150),
        backoff: Duration::from_millis(10),
        retry_after_cap: Duration::from_secs(2),
        ..Limits::default()
    }
}

fn client(base_url: &str, dialect: &str) -> Client {
    let mut endpoint = Endpoint::new(base_url, Some(Secret::new(KEY)), "test-model");
    endpoint.dialect = Dialect::preset(dialect).unwrap();
    Client::with(endpoint, limits(), Arc::new(Learned::default())).unwrap()
}

fn edit_tool() -> Tool {
    Tool {
        name: "edit".into(),
        description: "Edits.".into(),
        accepts: None,
        parameters: json!({"type": "object", "additionalProperties": false, "required": ["body"],
            "properties": {"body": {"type": "string"}, "file_id": {"type": "string"}, "expected_content_rev": {"type": "integer"}}}),
    }
}

fn request() -> ChatRequest {
    ChatRequest { messages: vec![Message::user("go")], tools: vec![edit_tool()], params: Params::default() }
}

fn plain() -> ChatRequest {
    ChatRequest { messages: vec![Message::user("go")], ..ChatRequest::default() }
}

struct Ran {
    result: Result<TurnOutcome, GatewayError>,
    deltas: Vec<Delta>,
    upstream: Upstream,
}

impl Ran {
    fn bodies(&self) -> Vec<Value> {
        self.upstream.requests().iter().map(|seen| seen.body.clone()).collect()
    }

    /// What a reader of the deltas has on the screen in the end.
    fn shown(&self) -> String {
        self.deltas.iter().fold(String::new(), |mut shown, delta| {
            match delta {
                Delta::Text(text) => shown.push_str(text),
                Delta::Restarted { .. } => shown.clear(),
                _ => {}
            }
            shown
        })
    }

    #[track_caller]
    fn whole(&self) -> &TurnOutcome {
        self.result.as_ref().unwrap_or_else(|error| panic!("{error}"))
    }

    #[track_caller]
    fn failed(&self, code: ErrorCode) -> &GatewayError {
        match &self.result {
            Err(error) => {
                assert_eq!(error.code, code, "{error}");
                assert!(!format!("{error} {error:?}").contains(KEY), "the key is in the error");
                error
            }
            Ok(outcome) => panic!("came out: {outcome:?}"),
        }
    }
}

async fn run_with(dialect: &str, request: &ChatRequest, replies: Vec<Reply>) -> Ran {
    let upstream = Upstream::start(replies).await.unwrap();
    let client = client(&upstream.base_url(), dialect);
    let mut deltas = Vec::new();
    let result = complete(&client, request, &mut |delta| deltas.push(delta), &CancellationToken::new()).await;
    upstream.assert_clean();
    Ran { result, deltas, upstream }
}

async fn run(replies: Vec<Reply>) -> Ran {
    run_with("other", &request(), replies).await
}

fn good() -> Reply {
    Reply::call("c1", "edit", r#"{"body":"new"}"#)
}

/// A call that stops inside its arguments.
fn cut(arguments: &str, finish: &str) -> Reply {
    let call = json!({"index": 0, "id": "c1", "type": "function", "function": {"name": "edit", "arguments": arguments}});
    Reply::chunks(&[chunk(&json!({"tool_calls": [call]}), None), chunk(&json!({}), Some(finish))])
}

fn bad_json() -> Reply {
    cut(r#"{"body":"a "quoted" word"}"#, "tool_calls")
}

#[tokio::test]
async fn a_text_turn_is_shown_as_it_comes() {
    let ran = run_with("other", &plain(), vec![Reply::text("Hello, wörld <|im_end|>")]).await;
    assert_eq!(ran.whole().message.text, "Hello, wörld <|im_end|>", "no filter without tools");
    assert_eq!(ran.whole().finish, Finish::Stop);
    assert_eq!(ran.shown(), "Hello, wörld <|im_end|>");
    assert!(ran.deltas.len() > 2, "in pieces");
    let body = &ran.bodies()[0];
    assert_eq!((body.get("tools"), &body["stream"]), (None, &json!(true)));
}

#[tokio::test]
async fn a_tool_turn_gives_whole_calls_and_live_text() {
    let replies =
        vec![Reply::calls("I edit.", &[("a", "edit", r#"{"body":"x"}"#), ("b", "edit", r#"{"body":"y"}"#)])];
    let ran = run(replies).await;
    let message = &ran.whole().message;
    assert_eq!(message.text, "I edit.");
    assert_eq!(ran.shown(), "I edit.");
    assert_eq!(message.tool_calls.iter().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(ran.whole().finish, Finish::ToolCalls);
    let last = ran.deltas.iter().rev().find_map(|delta| match delta {
        Delta::ToolProgress { index, name, bytes } => Some((*index, name.clone(), *bytes)),
        _ => None,
    });
    assert_eq!(last, Some((1, "edit".into(), r#"{"body":"y"}"#.len())));
    let seen = &ran.upstream.requests()[0];
    assert_eq!(seen.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(seen.header("accept-encoding"), Some("identity"));
}

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

fn whole_body(text: &str) -> Value {
    let arguments = json!({"body": text}).to_string();
    let call = json!({"id": "c9", "type": "function", "function": {"name": "edit", "arguments": arguments}});
    json!({"id": "x", "object": "chat.completion", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": null, "tool_calls": [call]}, "finish_reason": "tool_calls"}]})
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

#[tokio::test]
async fn an_end_without_finish_voids_a_tool_turn_and_interrupts_a_text_turn() {
    let half = || {
        let call =
            json!({"index": 0, "id": "c1", "function": {"name": "edit", "arguments": "{\"body\":\"x\"}"}});
        Reply::stream(format!("data: {}\n\n", chunk(&json!({"tool_calls": [call]}), None)))
    };
    let ran = run(vec![half(), half().then(Step::Reset), good()]).await;
    assert_eq!(ran.whole().retries.len(), 2);
    let text = || Reply::stream(format!("data: {}\n\n", chunk(&json!({"content": "half an ans"}), None)));
    for reply in [text(), text().then(Step::Cut), text().then(Step::Reset)] {
        let ran = run_with("other", &plain(), vec![reply]).await;
        assert_eq!(ran.failed(ErrorCode::StreamEof).partial.text, "half an ans", "what was shown is kept");
        assert_eq!(ran.bodies().len(), 1, "released text is not asked for again");
    }
}

#[tokio::test]
async fn a_close_after_the_sentinel_is_no_error() {
    for step in [Step::Reset, Step::Cut, Step::Hang, Step::HalfClose] {
        let started = Instant::now();
        let ran = run(vec![good().then(step)]).await;
        ran.whole();
        assert!(started.elapsed() < Duration::from_millis(350), "reading stops at the sentinel");
    }
}

#[tokio::test]
async fn after_a_finish_reason_the_sentinel_is_waited_for_only_shortly() {
    let body = sse(&[]);
    let call = json!({"index": 0, "id": "c1", "function": {"name": "edit", "arguments": "{\"body\":\"x\"}"}});
    let chunks = [chunk(&json!({"tool_calls": [call]}), None), chunk(&json!({}), Some("tool_calls"))];
    let without_sentinel = sse(&chunks).strip_suffix(body.as_slice()).unwrap().to_vec();
    let ran = run(vec![Reply::stream(without_sentinel).then(Step::Hang)]).await;
    ran.whole();
}

#[tokio::test]
async fn silence_is_cut_and_retried_and_comments_are_life() {
    let ran = run(vec![Reply::stream("").then(Step::Hang), good()]).await;
    assert_eq!(ran.whole().retries[0].code, ErrorCode::TimeoutIdle);
    let mut slow = Reply::stream("");
    for _ in 0..6 {
        slow = slow
            .then(Step::Pause(Duration::from_millis(150)))
            .then(Step::Bytes(b": keep-alive\n\n".to_vec()));
    }
    slow.steps.extend(good().steps);
    assert_eq!(run(vec![slow]).await.whole().retries.len(), 0);
}

#[tokio::test]
async fn a_turn_has_a_total_limit() {
    let upstream = Upstream::with(|_| {
        let mut endless = Reply::stream("");
        for _ in 0..200 {
            endless =
                endless.then(Step::Bytes(b": x\n\n".to_vec())).then(Step::Pause(Duration::from_millis(50)));
        }
        Some(endless)
    })
    .await
    .unwrap();
    let endpoint = Endpoint::new(upstream.base_url(), None, "m");
    let limits = Limits { total_tools: Duration::from_millis(600), ..limits() };
    let client = Client::with(endpoint, limits, Arc::default()).unwrap();
    let started = Instant::now();
    let error = complete(&client, &request(), &mut |_| {}, &CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::TimeoutTotal);
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn rate_limits_wait_as_asked_and_do_not_count_as_repairs() {
    let limited = |name: &str, value: &str| {
        Reply::status(429, &json!({"error": {"message": "slow"}})).header(name, value)
    };
    let started = Instant::now();
    let ran = run(vec![limited("retry-after-ms", "120"), limited("retry-after", "0.1"), good()]).await;
    assert!(started.elapsed() >= Duration::from_millis(220));
    assert!(ran.whole().retries.iter().all(|retry| retry.kind == RetryKind::Transport));
    assert!(
        ran.deltas.iter().any(|delta| matches!(delta, Delta::Waiting { code: ErrorCode::RateLimited, .. }))
    );
    let ran = run(vec![limited("retry-after", "3600")]).await;
    assert_eq!(ran.failed(ErrorCode::RateLimited).retry_after, Some(Duration::from_secs(3600)));
    let ran = run(vec![limited("x-should-retry", "false")]).await;
    ran.failed(ErrorCode::RateLimited);
    let limited = || Reply::status(429, &json!({}));
    let ran = run(vec![limited(), bad_json(), limited(), bad_json(), good()]).await;
    assert_eq!(ran.whole().retries.len(), 4, "two of each kind");
}

#[tokio::test]
async fn refusals_have_their_code_and_are_not_repeated() {
    for (status, body, code) in [
        (
            401,
            json!({"error": {"message": format!("Incorrect API key provided: {KEY}")}}),
            ErrorCode::Unauthorized,
        ),
        (404, json!({"error": "no such model"}), ErrorCode::NotFound),
        (400, json!({"error": {"message": "bad"}}), ErrorCode::InvalidRequest),
        (402, json!({}), ErrorCode::QuotaExhausted),
        (400, json!({"error": {"code": "context_length_exceeded"}}), ErrorCode::ContextTooLong),
    ] {
        let ran = run(vec![Reply::status(status, &body)]).await;
        assert_eq!(ran.failed(code).status, Some(status));
    }
    let ran =
        run(vec![Reply::status(301, &json!({})).header("location", "http://127.0.0.1:9/elsewhere")]).await;
    assert!(ran.result.is_err(), "the key does not follow a redirect");
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
async fn a_rejected_key_is_dropped_remembered_and_the_request_repeated_once() {
    let rejecting = |seen: &Seen| {
        let rejects = seen.body.get("stream_options").is_some();
        let refusal =
            json!({"error": {"message": "Unknown parameter: 'stream_options'.", "param": "stream_options"}});
        Some(if rejects { Reply::status(400, &refusal) } else { good() })
    };
    let upstream = Upstream::with(rejecting).await.unwrap();
    let client = client(&upstream.base_url(), "other");
    for turn in 0..2 {
        let outcome = complete(&client, &request(), &mut |_| {}, &CancellationToken::new()).await.unwrap();
        assert_eq!(outcome.rejected_keys.len(), usize::from(turn == 0));
    }
    assert_eq!(upstream.requests().len(), 3, "the second turn knows it");
    assert_eq!(client.learned().rows().len(), 1);
    let again = Learned::from_rows(client.learned().rows());
    assert_eq!(again.rows(), client.learned().rows());
}

#[tokio::test]
async fn the_other_name_of_the_limit_is_learnt() {
    let mut request = request();
    request.params.max_tokens = Some(500);
    let refusal = json!({"error": {"message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}});
    let ran = run_with("other", &request, vec![Reply::status(400, &refusal), good()]).await;
    ran.whole();
    assert_eq!(ran.bodies()[1]["max_completion_tokens"], json!(500));
    assert_eq!(ran.bodies()[1].get("max_tokens"), None);
}

#[tokio::test]
async fn tools_are_never_dropped() {
    let refusal = json!({"error": {"message": "unknown parameter tools"}});
    run(vec![Reply::status(400, &refusal)]).await.failed(ErrorCode::InvalidRequest);
}

#[tokio::test]
async fn thinking_is_off_and_on_in_each_vendors_spelling() {
    let spelled = [
        ("deepseek", json!({"thinking": {"type": "disabled"}}), json!({"thinking": {"type": "enabled"}})),
        ("qwen", json!({"enable_thinking": false}), json!({"enable_thinking": true})),
        (
            "vllm",
            json!({"chat_template_kwargs": {"enable_thinking": false}}),
            json!({"chat_template_kwargs": {"enable_thinking": true}}),
        ),
        (
            "glm",
            json!({"thinking": {"type": "disabled"}, "tool_stream": true}),
            json!({"thinking": {"type": "enabled", "clear_thinking": false}}),
        ),
        (
            "minimax",
            json!({"thinking": {"type": "disabled"}, "reasoning_split": true}),
            json!({"reasoning_split": true}),
        ),
        ("openrouter", json!({"reasoning": {"enabled": false}}), json!({"reasoning": {"enabled": true}})),
        ("ollama", json!({"reasoning_effort": "none"}), json!({"reasoning_effort": "medium"})),
        ("codebuddy", json!({}), json!({"reasoning_effort": "medium", "reasoning_summary": "auto"})),
    ];
    for (dialect, off, on) in spelled {
        for (thinking, wanted) in [(Thinking::Off, off), (Thinking::On, on)] {
            let mut request = request();
            request.params.thinking = thinking;
            let ran = run_with(dialect, &request, vec![good()]).await;
            let body = &ran.bodies()[0];
            for (key, value) in wanted.as_object().unwrap() {
                assert_eq!(body.get(key), Some(value), "{dialect} {thinking:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_call_is_forced_only_where_the_vendor_allows_it() {
    for (dialect, thinking, wanted) in [
        ("openai", Thinking::Off, json!("required")),
        ("mistral", Thinking::Off, json!("any")),
        ("deepseek", Thinking::Off, json!("required")),
        ("deepseek", Thinking::On, Value::Null),
        ("qwen", Thinking::Default, Value::Null),
        ("glm", Thinking::Off, Value::Null),
        ("ollama", Thinking::Off, Value::Null),
    ] {
        let mut request = request();
        request.params.thinking = thinking;
        request.params.tool_choice = ToolChoice::Required;
        let ran = run_with(dialect, &request, vec![good()]).await;
        assert_eq!(
            ran.bodies()[0].get("tool_choice").cloned().unwrap_or_default(),
            wanted,
            "{dialect} {thinking:?}"
        );
    }
}

#[tokio::test]
async fn opaque_fields_go_back_to_the_endpoint_that_sent_them() {
    let call = json!({"index": 0, "id": "c1", "function": {"name": "edit", "arguments": "{\"body\":\"x\"}"},
                      "extra_content": {"google": {"thought_signature": "AbC="}}});
    let first = Reply::chunks(&[
        chunk(
            &json!({"reasoning_content": "because", "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "be"}]}),
            None,
        ),
        chunk(&json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "cause"}]}), None),
        chunk(&json!({"tool_calls": [call]}), Some("tool_calls")),
    ]);
    let ran = run_with("deepseek", &request(), vec![first.clone()]).await;
    let said = ran.whole().message.clone();
    assert_eq!(said.reasoning, "because");
    let next = |dialect: &'static str, said: gateway::AssistantMessage| async move {
        let mut request = request();
        request.messages = vec![Message::user("u"), Message::Assistant(said), Message::tool("c1", "ok")];
        run_with(dialect, &request, vec![Reply::text("done")]).await.bodies()[0]["messages"][1].clone()
    };
    let own = next("deepseek", said.clone()).await;
    assert_eq!(own["reasoning_content"], "because");
    assert_eq!(own["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "AbC=");
    assert_eq!(own["tool_calls"][0]["id"], "c1");
    let foreign = next("openai", said.clone()).await;
    assert_eq!(
        (foreign.get("reasoning_content"), foreign["tool_calls"][0].get("extra_content")),
        (None, None)
    );
    let back = next("deepseek", gateway::AssistantMessage { origin: "openai".into(), ..said.clone() }).await;
    assert_eq!(back["reasoning_content"], "", "the field is demanded, the foreign text is not sent");
    let minimax =
        next("minimax", gateway::AssistantMessage { origin: "minimax".into(), ..said.clone() }).await;
    assert_eq!(
        minimax["reasoning_details"],
        json!([{"type": "reasoning.text", "index": 0, "text": "because"}])
    );
    let mistral = next("mistral", said.clone()).await;
    assert_eq!(mistral["tool_calls"][0]["id"].as_str().unwrap().len(), 9);
    let kimi = next("kimi", said).await;
    assert_eq!(kimi["tool_calls"][0]["id"], "functions.edit:0");
}

#[tokio::test]
async fn an_orphan_in_the_conversation_never_reaches_the_endpoint() {
    let mut request = request();
    let call = gateway::ToolCall {
        id: "a".into(),
        name: "edit".into(),
        arguments: r#"{"body":"x"}"#.into(),
        extra: Default::default(),
    };
    let said = gateway::AssistantMessage { text: "t".into(), tool_calls: vec![call], ..Default::default() };
    request.messages = vec![
        Message::tool("lost", "r"),
        Message::user("u"),
        Message::Assistant(said),
        Message::user("go on"),
    ];
    let ran = run_with("other", &request, vec![good()]).await;
    ran.whole();
    assert_eq!(ran.bodies()[0]["messages"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn cancelling_ends_everything_at_once() {
    let upstream = Upstream::with(|_| Some(Reply::text("Hello").then(Step::Hang))).await.unwrap();
    let hanging = Upstream::with(|_| Some(Reply::stream(": wait\n\n").then(Step::Hang))).await.unwrap();
    let limited =
        Upstream::with(|_| Some(Reply::status(429, &json!({})).header("retry-after", "2"))).await.unwrap();
    drop(upstream);
    for upstream in [&hanging, &limited] {
        let endpoint = Endpoint::new(upstream.base_url(), None, "m");
        let client = Client::with(endpoint, Limits::default(), Arc::default()).unwrap();
        let cancel = CancellationToken::new();
        let trigger = cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(150)).await;
            trigger.cancel();
        });
        let started = Instant::now();
        let error = complete(&client, &request(), &mut |_| {}, &cancel).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Cancelled);
        assert!(started.elapsed() < Duration::from_millis(900));
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(hanging.left_early(), 1, "the connection is closed, so the endpoint can stop working");
}

#[tokio::test]
async fn the_way_there_has_its_own_codes() {
    let closed = { tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port() };
    for (url, code) in [
        (format!("http://127.0.0.1:{closed}/v1"), ErrorCode::ConnectFailed),
        ("http://no-such-host.invalid/v1".to_owned(), ErrorCode::ConnectFailed),
    ] {
        let client = Client::with(Endpoint::new(&url, None, "m"), limits(), Arc::default()).unwrap();
        let error = complete(&client, &request(), &mut |_| {}, &CancellationToken::new()).await.unwrap_err();
        assert_eq!(error.code, code, "{url}: {error}");
        assert_eq!(error.retries.len(), 2);
    }
    let plain_http = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/v1", plain_http.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = plain_http.accept().await {
            let _ = tokio::io::AsyncWriteExt::write_all(&mut connection, b"HTTP/1.1 400 Bad Request\r\n\r\n")
                .await;
        }
    });
    let client = Client::with(Endpoint::new(&url, None, "m"), limits(), Arc::default()).unwrap();
    let error = complete(&client, &request(), &mut |_| {}, &CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::TlsFailed, "{error}");
    for bad in ["", "ftp://x", "not a url"] {
        assert_eq!(
            Client::new(Endpoint::new(bad, None, "m")).unwrap_err().code,
            ErrorCode::InvalidEndpoint,
            "{bad}"
        );
    }
}

#[tokio::test]
async fn encodings_that_were_not_asked_for() {
    use std::io::Write;
    let plain_bytes = |reply: Reply| match &reply.steps[0] {
        Step::Bytes(bytes) => bytes.clone(),
        other => panic!("{other:?}"),
    };
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&plain_bytes(good())).unwrap();
    let zipped = encoder.finish().unwrap();
    for reply in [
        Reply::stream(zipped.clone()).header("content-encoding", "gzip"),
        Reply::stream(zipped.clone()),
        Reply::stream(plain_bytes(good())).header("content-encoding", "gzip"),
        Reply::stream(zipped).in_pieces(3, Duration::ZERO),
    ] {
        assert_eq!(run(vec![reply]).await.whole().message.tool_calls.len(), 1);
    }
    let garbled = || Reply::stream("\u{1f}\u{fffd}\u{8}\u{0}");
    run(vec![garbled(), garbled(), garbled()]).await.failed(ErrorCode::EncodingUnsupported);
}

#[tokio::test]
async fn every_framing_and_cut_of_the_body_is_the_same() {
    for framing in [Framing::Chunked, Framing::Length, Framing::UntilClose] {
        for size in [1, 7, 1 << 20] {
            let ran = run(vec![good().framing(framing).in_pieces(size, Duration::ZERO)]).await;
            assert_eq!(ran.whole().message.tool_calls[0].arguments, r#"{"body":"new"}"#);
        }
    }
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

#[tokio::test]
async fn a_tool_with_a_broken_schema_is_refused_before_anything_is_sent() {
    let mut request = request();
    request.tools[0].parameters = json!({"type": "no such type"});
    run_with("other", &request, vec![]).await.failed(ErrorCode::InvalidSchema);
}

#[tokio::test]
async fn repairs_are_recorded() {
    let call = json!({"index": 3, "function": {"name": "edit", "arguments": "{\"body\":\"x\",}"}});
    let ran = run(vec![Reply::chunks(&[chunk(&json!({"tool_calls": [call]}), Some("stop"))])]).await;
    let kinds: Vec<RepairKind> = ran.whole().repairs.iter().map(|repair| repair.kind).collect();
    for kind in
        [RepairKind::IdMade, RepairKind::Renumbered, RepairKind::TrailingCommas, RepairKind::FinishRewritten]
    {
        assert!(kinds.contains(&kind), "{kind:?} in {kinds:?}");
    }
    assert_eq!(ran.whole().message.tool_calls[0].id.len(), 9);
}

#[tokio::test]
async fn models_are_listed() {
    let upstream = Upstream::with(|seen| {
        let list = json!({"object": "list", "data": [{"id": "b"}, {"id": "a"}]});
        (seen.method == "GET" && seen.path == "/v1/models").then(|| Reply::json(&list))
    })
    .await
    .unwrap();
    let client = client(&upstream.base_url(), "other");
    assert_eq!(gateway::list_models(&client, &CancellationToken::new()).await.unwrap(), ["a", "b"]);
}
