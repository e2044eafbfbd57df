//! How an answer may end: early, late, never, in any framing and encoding, or because the user says so.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gateway::testing::{Framing, Reply, Step, Upstream, chunk, sse};
use gateway::{CancellationToken, Client, Endpoint, ErrorCode, Limits, complete};
use serde_json::json;

use super::{good, limits, plain, request, run, run_with};

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
    // Without the check sum at its end everything was there; cut in the middle it was not.
    let whole = zipped_again(&plain_bytes(good()));
    let without_end = Reply::stream(whole[..whole.len() - 8].to_vec());
    assert_eq!(run(vec![without_end]).await.whole().retries.len(), 0);
    let half = Reply::stream(whole[..whole.len() / 2].to_vec()).header("content-encoding", "gzip");
    assert_eq!(run(vec![half, good()]).await.whole().retries.len(), 1);
    let garbled = || Reply::stream("\u{1f}\u{fffd}\u{8}\u{0}");
    run(vec![garbled(), garbled(), garbled()]).await.failed(ErrorCode::EncodingUnsupported);
}

#[tokio::test]
async fn deflate_means_two_things_and_other_encodings_are_refused() {
    use std::io::Write;
    let plain = match &good().steps[0] {
        Step::Bytes(bytes) => bytes.clone(),
        other => panic!("{other:?}"),
    };
    let level = flate2::Compression::default();
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), level);
    zlib.write_all(&plain).unwrap();
    let mut raw = flate2::write::DeflateEncoder::new(Vec::new(), level);
    raw.write_all(&plain).unwrap();
    for packed in [zlib.finish().unwrap(), raw.finish().unwrap(), plain] {
        for size in [1, 5, 1 << 16] {
            let reply = Reply::stream(packed.clone()).header("content-encoding", "deflate");
            let ran = run(vec![reply.in_pieces(size, Duration::ZERO)]).await;
            assert_eq!(ran.whole().message.tool_calls.len(), 1);
        }
    }
    for encoding in ["br", "zstd", "compress"] {
        let odd = || Reply::stream(vec![0x8b, 0x05, 0x80, 0x03]).header("content-encoding", encoding);
        run(vec![odd(), odd(), odd()]).await.failed(ErrorCode::EncodingUnsupported);
    }
}

/// A megabyte on the wire that would be a gigabyte in memory.
#[tokio::test]
async fn a_body_that_unpacks_without_end_is_cut() {
    let comment = [b":".to_vec(), vec![b'x'; 1 << 20], b"\n".to_vec()].concat();
    let bomb = |times: usize| zipped_again(&comment.repeat(times));
    let endless = Reply::stream(bomb(70)).header("content-encoding", "gzip");
    run(vec![endless]).await.failed(ErrorCode::TooLarge);
    let refusal = Reply { status: 400, ..Reply::stream(bomb(12)).header("content-encoding", "gzip") };
    let ran = run(vec![refusal]).await;
    assert!(ran.failed(ErrorCode::InvalidRequest).to_string().len() < 2_000);
}

#[tokio::test]
async fn every_framing_and_cut_of_the_body_is_the_same() {
    for framing in [Framing::Chunked, Framing::Length, Framing::UntilClose, Framing::Http10] {
        for size in [1, 7, 1 << 20] {
            let ran = run(vec![good().framing(framing).in_pieces(size, Duration::ZERO)]).await;
            assert_eq!(ran.whole().message.tool_calls[0].arguments, r#"{"body":"new"}"#);
        }
    }
}

fn zipped_again(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_length_that_is_not_true() {
    let body = match &good().steps[0] {
        Step::Bytes(bytes) => bytes.clone(),
        other => panic!("{other:?}"),
    };
    let promising = |length| Reply::stream(body.clone()).framing(Framing::Promised(length));
    let ran = run(vec![promising(body.len() + 100)]).await;
    assert_eq!(ran.whole().retries.len(), 0, "the sentinel was there");
    for length in [body.len() / 3, body.len() / 2] {
        let ran = run(vec![promising(length), good()]).await;
        assert_eq!(ran.whole().retries.len(), 1, "{length} of {}", body.len());
    }
}
