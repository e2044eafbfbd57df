//! What endpoints refuse, what is learnt from it, and what stands in the way there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gateway::testing::{Reply, Seen, Upstream};
use gateway::{CancellationToken, Client, Delta, Endpoint, ErrorCode, Learned, RetryKind, complete};
use serde_json::json;

use super::{KEY, bad_json, client, good, limits, request, run, run_with};

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
