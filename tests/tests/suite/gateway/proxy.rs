//! The proxy over TCP: who may ask, what passes through, what is emitted.

use std::time::{Duration, Instant};

use gateway::proxy::{KeepAlive, KeepAliveForm, ProxyError, ProxyHandle, ProxyOptions, ProxyToken, serve};
use gateway::testing::{Reply, Step, Upstream, chunk};
use gateway::{Limits, Secret};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub(super) const TOKEN: &str = "test-token";
const KEY: &str = "sk-upstream-secret";

pub(super) fn options(upstream: &Upstream) -> ProxyOptions {
    ProxyOptions {
        upstream_key: Some(Secret::new(KEY)),
        token: ProxyToken::Given(Secret::new(TOKEN)),
        limits: Limits {
            backoff: Duration::from_millis(10),
            grace: Duration::from_millis(100),
            ..Limits::default()
        },
        ..ProxyOptions::new(upstream.base_url())
    }
}

pub(super) struct Got {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Got {
    fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{}", self.text()))
    }

    /// The data of every event; panics on anything that the proxy must not write.
    fn events(&self) -> Vec<String> {
        let text = self.text();
        let blocks = text.strip_suffix("\n\n").unwrap().split("\n\n");
        blocks
            .map(|block| block.strip_prefix("data: ").unwrap_or_else(|| panic!("{block:?}")).to_owned())
            .collect()
    }
}

async fn send(handle: &ProxyHandle, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Got {
    let mut connection = TcpStream::connect(handle.address()).await.unwrap();
    connection.write_all(&request_bytes(handle, method, path, headers, body)).await.unwrap();
    let mut bytes = Vec::new();
    connection.read_to_end(&mut bytes).await.unwrap();
    parse(&bytes)
}

fn request_bytes(
    handle: &ProxyHandle,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Vec<u8> {
    let mut head =
        format!("{method} {path} HTTP/1.1\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "host") {
        head.push_str(&format!("host: {}\r\n", handle.address()));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    [head.as_bytes(), body].concat()
}

pub(super) fn parse(bytes: &[u8]) -> Got {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let rest = &bytes[end + 4..];
    let body = if head.contains("transfer-encoding: chunked") { unchunk(rest) } else { rest.to_vec() };
    Got { status, head, body }
}

fn unchunk(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|window| window == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
        if size == 0 {
            break;
        }
    }
    body
}

async fn chat(handle: &ProxyHandle, body: &Value) -> Got {
    let token = format!("Bearer {TOKEN}");
    let headers = [("authorization", token.as_str()), ("content-type", "application/json")];
    send(handle, "POST", "/v1/chat/completions", &headers, body.to_string().as_bytes()).await
}

fn tools() -> Value {
    json!([{"type": "function", "function": {"name": "edit", "parameters": {"type": "object", "required": ["body"],
        "properties": {"body": {"type": "string"}}}}}])
}

pub(super) fn tool_request(stream: bool) -> Value {
    json!({"model": "m-1", "stream": stream, "messages": [{"role": "user", "content": "go"}], "tools": tools()})
}

#[tokio::test]
async fn only_the_owner_of_the_token_on_this_machine_may_ask() {
    let upstream = Upstream::with(|_| Some(Reply::json(&json!({"data": []})))).await.unwrap();
    let handle = serve(options(&upstream)).await.unwrap();
    let bearer = format!("Bearer {TOKEN}");
    let get = |headers: Vec<(&'static str, String)>| {
        let handle = &handle;
        async move {
            let headers: Vec<(&str, &str)> =
                headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
            send(handle, "GET", "/v1/models", &headers, b"").await.status
        }
    };
    let own = handle.address().to_string();
    assert_eq!(get(vec![("authorization", bearer.clone())]).await, 200);
    assert_eq!(
        get(vec![("authorization", bearer.to_lowercase().replace("bearer test", "bEaReR test"))]).await,
        200
    );
    assert_eq!(get(vec![]).await, 401);
    assert_eq!(get(vec![("authorization", "Bearer wrong".into())]).await, 401);
    assert_eq!(get(vec![("authorization", bearer.clone()), ("host", "evil.example".into())]).await, 403);
    assert_eq!(get(vec![("authorization", bearer.clone()), ("host", "127.0.0.1:1".into())]).await, 403);
    assert_eq!(
        get(vec![("authorization", bearer.clone()), ("origin", "https://evil.example".into())]).await,
        403
    );
    assert_eq!(get(vec![("authorization", bearer.clone()), ("origin", "null".into())]).await, 403);
    assert_eq!(get(vec![("authorization", bearer.clone()), ("origin", format!("http://{own}"))]).await, 200);
    assert_eq!(send(&handle, "GET", "/elsewhere", &[("authorization", &bearer)], b"").await.status, 404);
    let seen = upstream.requests();
    assert!(seen.iter().all(|seen| seen.header("authorization") == Some(format!("Bearer {KEY}").as_str())));
    assert!(!format!("{handle:?}").contains(KEY) && !format!("{handle:?}").contains(TOKEN));
}

#[tokio::test]
async fn it_listens_on_this_machine_only() {
    let options =
        ProxyOptions { listen: ([0, 0, 0, 0], 0).into(), ..ProxyOptions::new("http://127.0.0.1:9/v1") };
    assert!(matches!(serve(options).await, Err(ProxyError::NotLoopback(_))));
}

#[tokio::test]
async fn without_a_token_the_clients_own_key_goes_through() {
    let upstream = Upstream::with(|seen| {
        Some(if seen.method == "GET" {
            Reply::json(&json!({}))
        } else {
            Reply::call("c", "edit", r#"{"body":"x"}"#)
        })
    })
    .await
    .unwrap();
    let options = ProxyOptions { token: ProxyToken::None, upstream_key: None, ..options(&upstream) };
    let handle = serve(options).await.unwrap();
    let headers = [("authorization", "Bearer sk-clients-own")];
    send(&handle, "GET", "/v1/models", &headers, b"").await;
    send(&handle, "POST", "/v1/chat/completions", &headers, tool_request(true).to_string().as_bytes()).await;
    assert!(
        upstream.requests().iter().all(|seen| seen.header("authorization") == Some("Bearer sk-clients-own"))
    );
    assert_eq!(upstream.requests().len(), 2);
}

#[tokio::test]
async fn without_tools_every_byte_passes_through() {
    let odd =
        b"\xEF\xBB\xBF: c\r\ndata:{\"x\":\"\xFF<tool_call>\"}\r\rid: 7\n\ndata: [DONE]\n\nafter <".to_vec();
    let reply = Reply::stream(odd.clone()).header("content-encoding", "x-own").header("x-request-id", "r-7");
    let upstream = Upstream::start(vec![reply.in_pieces(5, Duration::from_millis(1))]).await.unwrap();
    let handle = serve(options(&upstream)).await.unwrap();
    let sent = b"{\"model\" : \"m\",\"messages\":[{\"role\":\"user\",\"content\":\"\\u00e9 tools\"}],  \"stream\":true, \"odd\":1e2}";
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("authorization", bearer.as_str()), ("accept-encoding", "br"), ("x-custom", "kept")];
    let got = send(&handle, "POST", "/v1/chat/completions?a=b", &headers, sent).await;
    assert_eq!(got.body, odd);
    assert!(
        got.head.contains("content-encoding: x-own") && got.head.contains("x-request-id: r-7"),
        "{}",
        got.head
    );
    let seen = &upstream.requests()[0];
    assert_eq!(seen.raw, sent, "the request too");
    assert_eq!(seen.path, "/v1/chat/completions?a=b");
    assert_eq!((seen.header("accept-encoding"), seen.header("x-custom")), (Some("br"), Some("kept")));
}

#[tokio::test]
async fn passthrough_does_not_wait_for_more() {
    let reply = Reply::stream("data: 1\n\n")
        .then(Step::Pause(Duration::from_secs(5)))
        .then(Step::Bytes(b"data: 2\n\n".to_vec()));
    let upstream = Upstream::start(vec![reply]).await.unwrap();
    let handle = serve(options(&upstream)).await.unwrap();
    let mut connection = TcpStream::connect(handle.address()).await.unwrap();
    let bearer = format!("Bearer {TOKEN}");
    let body = br#"{"model":"m","messages":[],"stream":true}"#;
    let bytes = request_bytes(&handle, "POST", "/v1/chat/completions", &[("authorization", &bearer)], body);
    connection.write_all(&bytes).await.unwrap();
    let started = Instant::now();
    let mut seen = Vec::new();
    while !seen.ends_with(b"data: 1\n\n\r\n") {
        connection.read_buf(&mut seen).await.unwrap();
    }
    assert!(started.elapsed() < Duration::from_secs(2));
    drop(connection);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(upstream.left_early(), 1, "the endpoint is told that the client left");
}

#[tokio::test]
async fn an_empty_list_of_tools_is_no_list() {
    let upstream = Upstream::start(vec![Reply::text("hi")]).await.unwrap();
    let handle = serve(options(&upstream)).await.unwrap();
    let body = json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "x"}], "tools": [], "tool_choice": "auto"});
    assert!(chat(&handle, &body).await.text().contains("[DONE]"));
    upstream.assert_clean();
    assert_eq!(upstream.requests()[0].body.get("tools"), None);
}

/// Checks the letter of what is emitted, and gives text and calls.
pub(super) fn check_stream(got: &Got) -> (String, Vec<(String, String, String)>) {
    assert_eq!(got.status, 200, "{}", got.text());
    assert!(got.head.contains("content-type: text/event-stream"), "{}", got.head);
    assert!(!got.head.contains("content-encoding"));
    let events = got.events();
    assert_eq!(events.last().unwrap(), "[DONE]");
    let chunks: Vec<Value> =
        events[..events.len() - 1].iter().map(|event| serde_json::from_str(event).unwrap()).collect();
    let mut calls: Vec<(String, String, String)> = Vec::new();
    let mut text = String::new();
    let mut roles = 0;
    let mut finishes = 0;
    for chunk in &chunks {
        for key in ["id", "object", "created", "model"] {
            assert_eq!(chunk[key], chunks[0][key], "{key} is stable");
        }
        assert!(chunk["created"].is_u64() && chunk["id"].as_str().is_some_and(|id| !id.is_empty()));
        let Some(choice) = chunk["choices"].get(0) else {
            assert!(chunk["usage"].is_object() && finishes == 1);
            continue;
        };
        assert_eq!(finishes, 0, "nothing after the finish chunk");
        assert_eq!(choice["index"], 0);
        let delta = choice["delta"].as_object().unwrap();
        assert!(delta.values().all(|value| !value.is_null()), "{chunk}");
        roles += usize::from(delta.get("role").is_some());
        text += delta.get("content").and_then(Value::as_str).unwrap_or_default();
        for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            assert_eq!(roles, 1, "the role comes first");
            let index = call["index"].as_u64().unwrap() as usize;
            let function = call["function"].as_object().unwrap();
            let arguments = function["arguments"].as_str().unwrap();
            assert!(arguments.len() <= 32, "{arguments}");
            if index == calls.len() {
                assert_eq!((call["type"].as_str(), arguments), (Some("function"), ""));
                let (id, name) = (call["id"].as_str().unwrap(), function["name"].as_str().unwrap());
                assert!(!id.is_empty() && !name.is_empty());
                calls.push((id.into(), name.into(), String::new()));
            } else {
                assert_eq!(index + 1, calls.len(), "one call after the other");
                assert_eq!(call.as_object().unwrap().keys().collect::<Vec<_>>(), ["index", "function"]);
                assert_eq!(function.keys().collect::<Vec<_>>(), ["arguments"]);
                assert!(!arguments.is_empty());
                calls[index].2 += arguments;
            }
        }
        if let Some(finish) = choice["finish_reason"].as_str() {
            assert!(!finish.is_empty() && delta.is_empty());
            finishes += 1;
        }
    }
    assert_eq!((roles, finishes), (1, 1));
    (text, calls)
}

#[tokio::test]
async fn a_faulty_turn_comes_out_as_a_clean_stream() {
    let long = format!(r#"{{"body":"{}"}}"#, "é漢😀x".repeat(40));
    let head = |index: i64, id: Value, name: Value, arguments: Value| json!({"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}]});
    let faulty = Reply::chunks(&[
        chunk(&json!({"role": "", "content": null}), Some("")),
        chunk(&json!({"content": "Let me edit."}), None),
        chunk(&head(1, json!("a"), json!(""), Value::Null), Some("")),
        chunk(&head(1, json!(""), json!("edit"), json!(long)), Some("")),
        chunk(&head(1, json!("b"), json!("edit"), json!("{\"body\":\"two\",}")), None),
        chunk(&json!({}), Some("stop")),
        json!({"usage": {"prompt_tokens": 3, "completion_tokens": 4}}),
    ]);
    let upstream = Upstream::start(vec![faulty]).await.unwrap();
    let handle = serve(options(&upstream)).await.unwrap();
    let mut request = tool_request(true);
    request["stream_options"] = json!({"include_usage": true});
    let got = chat(&handle, &request).await;
    let (text, calls) = check_stream(&got);
    assert_eq!(text, "Let me edit.");
    assert_eq!(
        calls,
        [("a".into(), "edit".into(), long), ("b".into(), "edit".into(), "{\"body\":\"two\"}".into())]
    );
    let usage: Value = serde_json::from_str(&got.events()[got.events().len() - 2]).unwrap();
    assert_eq!(usage["usage"]["total_tokens"], 7);
    upstream.assert_clean();
}

#[tokio::test]
async fn retries_are_silent() {
    let broken = || Reply::call("c", "edit", r#"{"body": }"#);
    let upstream =
        Upstream::start(vec![broken(), Reply::call("c", "edit", r#"{"body":"x"}"#)]).await.unwrap();
    let handle = serve(options(&upstream)).await.unwrap();
    let (_, calls) = check_stream(&chat(&handle, &tool_request(true)).await);
    assert_eq!(calls.len(), 1);
    let metrics = handle.metrics();
    assert!(metrics.contains("stet_proxy_silent_retries_tried_total{model=\"m-1\"} 1"), "{metrics}");
    assert!(metrics.contains("stet_proxy_silent_retries_saved_total{model=\"m-1\"} 1"), "{metrics}");
    assert_eq!(send(&handle, "GET", "/metrics", &[], b"").await.text(), metrics);
}

#[tokio::test]
async fn a_client_that_wants_no_stream_gets_one_object() {
    let whole = json!({"id": "x", "object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant",
        "content": "", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "edit", "arguments": {"body": "x"}}}]},
        "finish_reason": "stop"}], "usage": {"prompt_tokens": 1, "completion_tokens": 2}});
    let upstream = Upstream::start(vec![Reply::json(&whole)]).await.unwrap();
    let handle = serve(options(&upstream)).await.unwrap();
    let got = chat(&handle, &tool_request(false)).await.json();
    assert_eq!(got["object"], "chat.completion");
    assert_eq!(got["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(got["choices"][0]["message"]["content"], Value::Null);
    assert_eq!(got["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"], r#"{"body":"x"}"#);
    assert_eq!(upstream.requests()[0].body["stream"], json!(false));
}

#[tokio::test]
async fn a_turn_that_cannot_be_made_whole_is_a_real_status_before_the_first_byte() {
    let broken = || Reply::call("c", "edit", r#"{"body": }"#);
    let upstream = Upstream::start(vec![broken(), broken(), broken()]).await.unwrap();
    let handle = serve(options(&upstream)).await.unwrap();
    let got = chat(&handle, &tool_request(true)).await;
    assert_eq!(got.status, 422);
    assert!(got.head.contains("x-should-retry: false"), "SDKs must not multiply the retries");
    assert_eq!(got.json()["error"]["code"], "arguments_invalid_json");
    assert_eq!(upstream.requests().len(), 3);
    assert!(
        handle.metrics().contains("stet_proxy_errors_total{model=\"m-1\",code=\"arguments_invalid_json\"} 1")
    );
}

#[tokio::test]
async fn the_endpoints_refusal_is_handed_on_without_the_key() {
    let body = json!({"error": {"message": format!("no model for key {KEY}"), "type": "invalid_request_error", "code": "model_not_found"}});
    let upstream = Upstream::start(vec![Reply::status(404, &body)]).await.unwrap();
    let handle = serve(options(&upstream)).await.unwrap();
    let got = chat(&handle, &tool_request(true)).await;
    assert_eq!(got.status, 404);
    assert_eq!(got.json()["error"]["code"], "model_not_found");
    assert!(!got.text().contains(KEY));
    let upstream =
        Upstream::start(vec![Reply::status(401, &json!({"error": {"message": "bad key"}}))]).await.unwrap();
    let handle = serve(options(&upstream)).await.unwrap();
    assert_eq!(
        chat(&handle, &tool_request(true)).await.status,
        424,
        "not the client's fault, and not worth repeating"
    );
}

fn quick_keep_alive(upstream: &Upstream, form: KeepAliveForm) -> ProxyOptions {
    let keep_alive = KeepAlive { form, after: Duration::from_millis(100), every: Duration::from_millis(100) };
    ProxyOptions { keep_alive, ..options(upstream) }
}

fn late(reply: Reply) -> Reply {
    let mut late = Reply::stream(": thinking\n\n").then(Step::Pause(Duration::from_millis(450)));
    late.steps.extend(reply.steps);
    late
}

#[tokio::test]
async fn a_slow_turn_is_kept_alive() {
    for (form, least) in
        [(KeepAliveForm::EmptyDelta, 3), (KeepAliveForm::Comment, 3), (KeepAliveForm::Off, 0)]
    {
        let upstream =
            Upstream::start(vec![late(Reply::call("c", "edit", r#"{"body":"x"}"#))]).await.unwrap();
        let handle = serve(quick_keep_alive(&upstream, form)).await.unwrap();
        let mut got = chat(&handle, &tool_request(true)).await;
        let text = got.text();
        let comments = text.matches(": keep-alive\n\n").count();
        let empty = text.matches("\"delta\":{},\"finish_reason\":null").count();
        assert!(comments + empty >= least, "{form:?}: {text}");
        assert!(
            !text.contains("\"choices\":[]"),
            "an empty list of choices ends the answer for some clients"
        );
        got.body = text.replace(": keep-alive\n\n", "").into_bytes();
        assert_eq!(check_stream(&got).1.len(), 1);
    }
}

#[tokio::test]
async fn a_late_failure_is_an_error_event_and_nothing_after_it() {
    let broken = || late(Reply::call("c", "edit", r#"{"body": }"#));
    let upstream = Upstream::start(vec![broken(), broken(), broken()]).await.unwrap();
    let handle = serve(quick_keep_alive(&upstream, KeepAliveForm::EmptyDelta)).await.unwrap();
    let got = chat(&handle, &tool_request(true)).await;
    assert_eq!(got.status, 200);
    let events = got.events();
    let error: Value = serde_json::from_str(events.last().unwrap()).unwrap();
    assert_eq!(error["error"]["code"], "arguments_invalid_json");
    assert!(!got.text().contains("tool_calls") && !got.text().contains("[DONE]"), "{}", got.text());
}

#[tokio::test]
async fn a_client_that_leaves_ends_the_turn() {
    for delay in [50, 300] {
        let upstream = Upstream::with(|_| Some(Reply::stream(": wait\n\n").then(Step::Hang))).await.unwrap();
        let handle = serve(quick_keep_alive(&upstream, KeepAliveForm::EmptyDelta)).await.unwrap();
        let mut connection = TcpStream::connect(handle.address()).await.unwrap();
        let bearer = format!("Bearer {TOKEN}");
        let body = tool_request(true).to_string();
        let bytes = request_bytes(
            &handle,
            "POST",
            "/v1/chat/completions",
            &[("authorization", &bearer)],
            body.as_bytes(),
        );
        connection.write_all(&bytes).await.unwrap();
        tokio::time::sleep(Duration::from_millis(delay)).await;
        drop(connection);
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(upstream.left_early(), 1, "after {delay} ms");
        assert_eq!(upstream.requests().len(), 1, "and is not asked again");
        assert!(
            handle.metrics().contains("stet_proxy_cancelled_total{model=\"m-1\"} 1"),
            "{}",
            handle.metrics()
        );
    }
}

#[tokio::test]
async fn bodies_are_capped_and_odd_requests_refused() {
    let upstream = Upstream::start(vec![]).await.unwrap();
    let handle = serve(ProxyOptions { body_bytes: 1000, ..options(&upstream) }).await.unwrap();
    let mut big = tool_request(true);
    big["messages"][0]["content"] = json!("x".repeat(2000));
    assert_eq!(chat(&handle, &big).await.status, 413);
    let bearer = format!("Bearer {TOKEN}");
    let raw = |body: &'static [u8]| send(&handle, "POST", "/v1/chat/completions", &[], body);
    assert_eq!(raw(b"{}").await.status, 401);
    let broken =
        send(&handle, "POST", "/v1/chat/completions", &[("authorization", &bearer)], b"{\"tools\":[{").await;
    assert_eq!(broken.status, 400);
    let mut several = tool_request(true);
    several["n"] = json!(2);
    assert_eq!(chat(&handle, &several).await.status, 400);
    let mut custom = tool_request(true);
    custom["tools"].as_array_mut().unwrap().push(json!({ "type": "custom", "custom": { "name": "free" } }));
    let refused = chat(&handle, &custom).await;
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("unsupported_tool"), "{}", refused.text());
    assert_eq!(upstream.requests().len(), 0);
}

#[tokio::test]
async fn what_a_typed_client_drops_is_put_back() {
    let first = Reply::chunks(&[
        chunk(&json!({"reasoning_content": "because"}), None),
        chunk(
            &json!({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "edit", "arguments": "{\"body\":\"x\"}"},
            "extra_content": {"google": {"thought_signature": "AbC="}}}]}),
            Some("tool_calls"),
        ),
    ]);
    let upstream = Upstream::start(vec![first, Reply::text("done")]).await.unwrap();
    let dialect = gateway::Dialect::preset("deepseek");
    let handle = serve(ProxyOptions { dialect, ..options(&upstream) }).await.unwrap();
    let got = chat(&handle, &tool_request(true)).await;
    assert!(got.text().contains("reasoning_content") && got.text().contains("thought_signature"));
    let mut next = tool_request(true);
    next["messages"] = json!([{"role": "user", "content": "go"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "edit", "arguments": "{\"body\":\"x\"}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"}]);
    chat(&handle, &next).await;
    let sent = upstream.requests()[1].body["messages"][1].clone();
    assert_eq!(sent["reasoning_content"], "because");
    assert_eq!(sent["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "AbC=");
    upstream.assert_clean();
}

#[tokio::test]
async fn sixty_four_streams_at_once() {
    let upstream = Upstream::with(|_| Some(late(Reply::call("c", "edit", r#"{"body":"x"}"#)))).await.unwrap();
    let handle = std::sync::Arc::new(serve(options(&upstream)).await.unwrap());
    let started = Instant::now();
    let turns: Vec<_> = (0..64)
        .map(|_| {
            let handle = std::sync::Arc::clone(&handle);
            tokio::spawn(async move { check_stream(&chat(&handle, &tool_request(true)).await).1.len() })
        })
        .collect();
    for turn in turns {
        assert_eq!(turn.await.unwrap(), 1);
    }
    assert!(started.elapsed() < Duration::from_secs(10), "side by side, not one after the other");
}

#[tokio::test]
async fn a_stop_lets_running_answers_end() {
    let upstream = Upstream::start(vec![late(Reply::call("c", "edit", r#"{"body":"x"}"#))]).await.unwrap();
    let handle = serve(options(&upstream)).await.unwrap();
    let address = handle.address();
    let bytes = {
        let bearer = format!("Bearer {TOKEN}");
        let body = tool_request(true).to_string();
        request_bytes(&handle, "POST", "/v1/chat/completions", &[("authorization", &bearer)], body.as_bytes())
    };
    let running = tokio::spawn(async move {
        let mut connection = TcpStream::connect(address).await.unwrap();
        connection.write_all(&bytes).await.unwrap();
        let mut all = Vec::new();
        connection.read_to_end(&mut all).await.unwrap();
        parse(&all)
    });
    tokio::time::sleep(Duration::from_millis(150)).await;
    handle.stop(Duration::from_secs(5)).await;
    assert_eq!(check_stream(&running.await.unwrap()).1.len(), 1);
    assert!(TcpStream::connect(address).await.is_err(), "nobody listens any more");
}
