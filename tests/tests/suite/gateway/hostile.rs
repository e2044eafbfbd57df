//! The proxy against clients that mean no good, or only know an old protocol.

use std::time::{Duration, Instant};

use gateway::proxy::{ProxyHandle, ProxyOptions, ProxyToken, serve};
use gateway::testing::{Reply, Step, Upstream, chunk, sse};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::proxy::{TOKEN, check_stream, options, parse, tool_request};

fn models() -> Reply {
    Reply::json(&json!({"data": []}))
}

async fn started(options: ProxyOptions) -> ProxyHandle {
    serve(options).await.unwrap()
}

/// Sends these bytes and reads until the proxy closes.
async fn exchange(handle: &ProxyHandle, bytes: &[u8]) -> String {
    let mut connection = TcpStream::connect(handle.address()).await.unwrap();
    connection.write_all(bytes).await.unwrap();
    let mut all = Vec::new();
    let reading = connection.read_to_end(&mut all);
    let _ = tokio::time::timeout(Duration::from_secs(10), reading).await.expect("the proxy closes");
    String::from_utf8_lossy(&all).into_owned()
}

/// `headers` may hold `HOST`, which stands for the proxy's own address.
async fn get(handle: &ProxyHandle, line: &str, headers: &str) -> u16 {
    let headers = headers.replace("HOST", &handle.address().to_string());
    let bytes = format!("{line}\r\n{headers}authorization: Bearer {TOKEN}\r\nconnection: close\r\n\r\n");
    let answer = exchange(handle, bytes.as_bytes()).await;
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default()
}

#[tokio::test]
async fn a_name_that_points_here_and_pages_of_others_are_refused_in_every_spelling() {
    let upstream = Upstream::with(|_| Some(models())).await.unwrap();
    let handle = started(options(&upstream)).await;
    let line = "GET /v1/models HTTP/1.1";
    for (headers, status) in [
        ("host: HOST\r\n", 200),
        ("host: HOST\r\nsec-fetch-site: none\r\n", 200),
        ("host: HOST\r\norigin: http://HOST\r\nsec-fetch-site: same-origin\r\n", 200),
        ("", 403),
        ("host: evil.example\r\n", 403),
        ("host: HOST\r\nhost: evil.example\r\n", 403),
        ("host: evil.example\r\nhost: HOST\r\n", 403),
        ("host: HOST.evil.example\r\n", 403),
        ("host: user@HOST\r\n", 403),
        ("host: HOST\r\norigin: null\r\n", 403),
        ("host: HOST\r\norigin: https://HOST\r\n", 403),
        ("host: HOST\r\norigin: http://HOST\r\norigin: http://evil.example\r\n", 403),
        ("host: HOST\r\nsec-fetch-site: cross-site\r\n", 403),
        ("host: HOST\r\nsec-fetch-site: same-site\r\n", 403),
    ] {
        assert_eq!(get(&handle, line, headers).await, status, "{headers:?}");
    }
    let elsewhere = "GET http://evil.example/v1/models HTTP/1.1";
    assert_eq!(get(&handle, elsewhere, "host: HOST\r\n").await, 403);
    let here = format!("GET http://{}/v1/models HTTP/1.1", handle.address());
    assert_eq!(get(&handle, &here, "host: HOST\r\n").await, 200);
    assert_eq!(
        get(
            &handle,
            "OPTIONS /v1/chat/completions HTTP/1.1",
            "host: HOST\r\norigin: http://evil.example\r\naccess-control-request-method: POST\r\n"
        )
        .await,
        403
    );
    assert_eq!(upstream.requests().len(), 4, "only the good ones went through");
}

#[tokio::test]
async fn a_preflight_opens_nothing() {
    let upstream = Upstream::start(vec![]).await.unwrap();
    let handle = started(options(&upstream)).await;
    let host = handle.address();
    let asked = format!(
        "OPTIONS /v1/chat/completions HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\naccess-control-request-method: POST\r\nconnection: close\r\n\r\n"
    );
    let answer = exchange(&handle, asked.as_bytes()).await.to_lowercase();
    assert!(answer.starts_with("http/1.1 401") && !answer.contains("access-control-allow"), "{answer}");
}

#[tokio::test]
async fn the_path_cannot_leave_the_endpoint() {
    let upstream = Upstream::with(|_| Some(models())).await.unwrap();
    let handle = started(options(&upstream)).await;
    for (path, status) in [
        ("/v1/../admin", 400),
        ("/v1/%2e%2e/admin", 400),
        ("/v1/a/../../admin", 400),
        ("/v1/a/../models", 200),
        ("/v1", 404),
        ("/admin", 404),
        ("//v1/models", 404),
    ] {
        assert_eq!(get(&handle, &format!("GET {path} HTTP/1.1"), "host: HOST\r\n").await, status, "{path}");
    }
    assert!(upstream.requests().iter().all(|seen| seen.path.starts_with("/v1/")));
}

#[tokio::test]
async fn a_client_that_dribbles_is_let_go() {
    let upstream = Upstream::start(vec![]).await.unwrap();
    let handle = started(ProxyOptions { patience: Duration::from_millis(200), ..options(&upstream) }).await;
    let host = handle.address();
    let started = Instant::now();
    let silent = exchange(&handle, b"GET /v1/mod").await;
    assert!(silent.is_empty() || silent.starts_with("HTTP/1.1 408"), "{silent}");
    let half = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {TOKEN}\r\ncontent-length: 1000\r\n\r\n{{\"mod"
    );
    assert!(exchange(&handle, half.as_bytes()).await.starts_with("HTTP/1.1 408"));
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(upstream.requests().len(), 0);
}

#[tokio::test]
async fn a_crowd_of_dribblers_keeps_nobody_out() {
    let upstream = Upstream::with(|_| Some(models())).await.unwrap();
    let handle = started(options(&upstream)).await;
    let mut crowd = Vec::new();
    for _ in 0..200 {
        let mut connection = TcpStream::connect(handle.address()).await.unwrap();
        connection.write_all(b"POST /v1/chat/completions HTTP/1.1\r\nhost: ").await.unwrap();
        crowd.push(connection);
    }
    assert_eq!(get(&handle, "GET /v1/models HTTP/1.1", "host: HOST\r\n").await, 200);
}

#[tokio::test]
async fn enormous_heads_are_refused() {
    let upstream = Upstream::start(vec![]).await.unwrap();
    let handle = started(options(&upstream)).await;
    let host = handle.address();
    let wide = format!("GET /v1/models HTTP/1.1\r\nhost: {host}\r\nx-a: {}\r\n\r\n", "a".repeat(2 << 20));
    let answer = exchange_leniently(&handle, wide.as_bytes()).await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    let many: String = (0..1000).map(|number| format!("x-{number}: a\r\n")).collect();
    let answer = exchange_leniently(
        &handle,
        format!("GET /v1/models HTTP/1.1\r\nhost: {host}\r\n{many}\r\n").as_bytes(),
    )
    .await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    assert_eq!(upstream.requests().len(), 0);
}

/// The proxy may close before it has read everything, which resets the connection.
async fn exchange_leniently(handle: &ProxyHandle, bytes: &[u8]) -> String {
    let mut connection = TcpStream::connect(handle.address()).await.unwrap();
    let _ = connection.write_all(bytes).await;
    let mut all = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(10), connection.read_to_end(&mut all)).await;
    String::from_utf8_lossy(&all).into_owned()
}

#[tokio::test]
async fn requests_in_a_row_on_one_connection_are_answered_in_order() {
    let upstream = Upstream::with(|seen| Some(Reply::json(&json!({"path": seen.path})))).await.unwrap();
    let handle = started(options(&upstream)).await;
    let one = |path: &str, last: &str| {
        format!(
            "GET {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {TOKEN}\r\n{last}\r\n",
            handle.address()
        )
    };
    let row = one("/v1/a", "") + &one("/v1/b", "") + &one("/v1/c", "connection: close\r\n");
    let answer = exchange(&handle, row.as_bytes()).await;
    let places: Vec<usize> =
        ["/v1/a\"", "/v1/b\"", "/v1/c\""].iter().map(|path| answer.find(path).unwrap()).collect();
    assert!(places.is_sorted(), "{answer}");
}

#[tokio::test]
async fn an_old_protocol_gets_an_answer_it_can_read() {
    let upstream = Upstream::with(|_| Some(Reply::call("c", "edit", r#"{"body":"x"}"#))).await.unwrap();
    let handle = started(options(&upstream)).await;
    let body = tool_request(true).to_string();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.0\r\nhost: {}\r\nauthorization: Bearer {TOKEN}\r\ncontent-length: {}\r\n\r\n{body}",
        handle.address(),
        body.len()
    );
    let answer = exchange(&handle, head.as_bytes()).await;
    let got = parse(answer.as_bytes());
    assert!(!got.head.contains("transfer-encoding"), "{}", got.head);
    assert_eq!(check_stream(&got).1.len(), 1);
}

#[tokio::test]
async fn a_chunked_body_with_trailers_is_a_body() {
    let upstream = Upstream::with(|_| Some(Reply::call("c", "edit", r#"{"body":"x"}"#))).await.unwrap();
    let handle = started(options(&upstream)).await;
    let body = tool_request(true).to_string();
    let (first, second) = body.split_at(40);
    let bytes = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {TOKEN}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n\
         {:x};x=y\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\nauthorization: Bearer wrong\r\nx-end: 1\r\n\r\n",
        handle.address(),
        first.len(),
        second.len()
    );
    let answer = exchange(&handle, bytes.as_bytes()).await;
    assert_eq!(check_stream(&parse(answer.as_bytes())).1.len(), 1);
    upstream.assert_clean();
}

#[tokio::test]
async fn a_chunked_flood_stops_at_the_cap() {
    let upstream = Upstream::start(vec![]).await.unwrap();
    let handle = started(ProxyOptions { body_bytes: 64 << 10, ..options(&upstream) }).await;
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {TOKEN}\r\ntransfer-encoding: chunked\r\n\r\n",
        handle.address()
    );
    let flood = format!("{head}{}", format!("1000\r\n{}\r\n", "a".repeat(0x1000)).repeat(64));
    let answer = exchange_leniently(&handle, flood.as_bytes()).await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert_eq!(upstream.requests().len(), 0);
}

/// A client that does not read holds back the endpoint instead of filling memory.
#[tokio::test]
async fn a_client_that_does_not_read_holds_the_endpoint_back() {
    let piece = Step::Bytes(vec![b'x'; 64 << 10]);
    let mut reply = Reply::stream("");
    reply.steps = vec![piece; 1024];
    let upstream = Upstream::with(move |_| Some(reply.clone())).await.unwrap();
    let handle = started(options(&upstream)).await;
    let body =
        json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "x"}]}).to_string();
    let mut connection = TcpStream::connect(handle.address()).await.unwrap();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {TOKEN}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        handle.address(),
        body.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(
        upstream.finished(),
        0,
        "64 MiB do not fit between an endpoint and a client that does not read"
    );
    let mut all = 0;
    let mut piece = vec![0_u8; 1 << 20];
    loop {
        match connection.read(&mut piece).await.unwrap() {
            0 => break,
            read => all += read,
        }
    }
    assert!(all > 64 << 20, "and nothing is lost: {all}");
    // The endpoint's side of the connection ends a moment after the client has read the last byte.
    for _ in 0..200 {
        if upstream.finished() == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    assert_eq!(upstream.finished(), 1);
}

#[tokio::test]
async fn a_client_that_leaves_a_text_frees_the_endpoint() {
    let endless = || {
        let mut reply = Reply::stream(sse(&[chunk(&json!({"content": "a"}), None)]));
        reply.steps.push(Step::Hang);
        reply
    };
    let upstream = Upstream::with(move |_| Some(endless())).await.unwrap();
    let handle = started(ProxyOptions { token: ProxyToken::None, ..options(&upstream) }).await;
    let body =
        json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "x"}]}).to_string();
    let mut connection = TcpStream::connect(handle.address()).await.unwrap();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\n\r\n{body}",
        handle.address(),
        body.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    let mut first = [0_u8; 512];
    assert!(connection.read(&mut first).await.unwrap() > 0);
    drop(connection);
    for _ in 0..100 {
        if upstream.left_early() == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the endpoint still works for a client that has gone");
}
