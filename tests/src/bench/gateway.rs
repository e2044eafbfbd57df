//! The wire: what the gateway adds to a direct connection, to one JSON parse, and to reading the same events.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gateway::Secret;
use gateway::proxy::{ProxyHandle, ProxyOptions, ProxyToken, serve};
use gateway::testing::inside::{Replay, Tools, replay_compiled};
use gateway::testing::{Reply, Step, Upstream, chunk, sse};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::bound;

/// Measures, and gives a Markdown table.
pub fn gateway() -> String {
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return format!("no runtime: {error}"),
    };
    let mut table = String::from("| gateway | measured | limit | |\n|---|--:|--:|---|\n");
    let rows = [
        runtime.block_on(passthrough()),
        runtime.block_on(unpaced()),
        runtime.block_on(validated_turn()),
        Ok(aggregation()),
    ];
    for row in rows {
        match row {
            Ok(row) => table.push_str(&row),
            Err(error) => {
                let _ = writeln!(table, "| could not be measured: {error} | | | |");
            }
        }
    }
    table
}

const STREAMS: usize = 64;
const TOKEN: &str = "bench";

/// A model's pace: it thinks, and then writes a hundred pieces a second on every stream.
fn paced_reply() -> Reply {
    let mut reply = Reply::stream("").then(Step::Pause(Duration::from_millis(250)));
    for number in 0..100 {
        let event = format!("data: {}\n\n", chunk(&json!({"content": format!("word {number} ")}), None));
        reply = reply.then(Step::Bytes(event.into_bytes())).then(Step::Pause(Duration::from_millis(10)));
    }
    reply.then(Step::Bytes(sse(&[chunk(&json!({}), Some("stop"))])))
}

async fn passthrough() -> io::Result<String> {
    let upstream = Upstream::with(|_| Some(paced_reply())).await?;
    let proxy = start(&upstream).await?;
    // One round to warm up, then rounds in turn, so that both see the same machine.
    round(upstream.port()).await?;
    round(proxy.address().port()).await?;
    let (mut direct, mut passed) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        direct.push(round(upstream.port()).await?);
        passed.push(round(proxy.address().port()).await?);
    }
    let first = ratio(&passed, &direct, |round| round.first);
    let speed = ratio(&passed, &direct, |round| round.all);
    bound("passthrough, time to first byte against direct", first, 1.05);
    bound("passthrough, time for all bytes against direct", speed, 1.05);
    let added = median(&passed, |round| round.first).saturating_sub(median(&direct, |round| round.first));
    Ok(format!(
        "| passthrough, {STREAMS} streams at a model's pace: time to first byte, against direct | {first:.3} × | 1.05 × | adds {} µs |\n\
         | passthrough, {STREAMS} streams at a model's pace: time for all bytes, against direct | {speed:.3} × | 1.05 × | |\n",
        added.as_micros()
    ))
}

/// Nobody's model is this fast; shown because two hops on one machine cost twice the work of one.
async fn unpaced() -> io::Result<String> {
    let body = vec![b'x'; 4 << 20];
    let upstream = Upstream::with(move |_| Some(Reply::stream(body.clone()))).await?;
    let proxy = start(&upstream).await?;
    let (mut direct, mut passed) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        direct.push(round(upstream.port()).await?);
        passed.push(round(proxy.address().port()).await?);
    }
    let speed = ratio(&passed, &direct, |round| round.all);
    Ok(format!(
        "| passthrough, {STREAMS} × 4 MiB as fast as the machine can: time, against direct | {speed:.3} × | – | two hops on two cores |\n"
    ))
}

async fn start(upstream: &Upstream) -> io::Result<ProxyHandle> {
    let options = ProxyOptions {
        token: ProxyToken::Given(Secret::new(TOKEN)),
        ..ProxyOptions::new(upstream.base_url())
    };
    serve(options).await.map_err(io::Error::other)
}

#[derive(Clone, Copy)]
struct Round {
    /// Median time to the first byte of a body.
    first: Duration,
    /// Until every stream had ended.
    all: Duration,
}

async fn round(port: u16) -> io::Result<Round> {
    let started = Instant::now();
    let streams: Vec<_> = (0..STREAMS).map(|_| tokio::spawn(one_stream(port))).collect();
    let mut firsts = Vec::new();
    for stream in streams {
        firsts.push(stream.await.map_err(io::Error::other)??);
    }
    firsts.sort_unstable();
    Ok(Round { first: firsts[firsts.len() / 2], all: started.elapsed() })
}

async fn one_stream(port: u16) -> io::Result<Duration> {
    let body =
        json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "x"}]}).to_string();
    let started = Instant::now();
    let mut connection = ask(port, &body).await?;
    let mut bytes = Vec::with_capacity(1 << 16);
    let mut first = None;
    while connection.read_buf(&mut bytes).await? > 0 {
        // The head may come alone, before the model has thought.
        if first.is_none() && has_body(&bytes) {
            first = Some(started.elapsed());
        }
        if bytes.len() > 1 << 16 {
            let end = bytes.len() - 16;
            bytes.drain(16..end);
        }
    }
    first.ok_or_else(|| io::Error::other("no body came"))
}

fn has_body(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"\r\n\r\n").is_some_and(|at| bytes.len() > at + 4 + "00\r\n".len())
}

async fn ask(port: u16, body: &str) -> io::Result<TcpStream> {
    let mut connection = TcpStream::connect(("127.0.0.1", port)).await?;
    connection.set_nodelay(true)?;
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {TOKEN}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    connection.write_all(head.as_bytes()).await?;
    Ok(connection)
}

fn median(rounds: &[Round], pick: impl Fn(&Round) -> Duration) -> Duration {
    let mut times: Vec<Duration> = rounds.iter().map(pick).collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn ratio(ours: &[Round], theirs: &[Round], pick: impl Fn(&Round) -> Duration + Copy) -> f64 {
    median(ours, pick).as_secs_f64() / median(theirs, pick).as_secs_f64()
}

/// 64 KiB of arguments as an edit batch has them: many short operations with text.
fn arguments() -> String {
    let mut ops = Vec::new();
    let mut size = 0;
    while size < 64 << 10 {
        let number = ops.len();
        let op = json!({"op": "replace_text", "find": format!("sentence {number} of the report"),
            "replace": format!("Satz {number} – \"neu\" geschrieben, mit Zeile\nund Tabulator\t, 第{number}章"), "occurrence": number % 3 + 1});
        size += op.to_string().len() + 1;
        ops.push(op);
    }
    json!({"file_id": "file-02ea40ee", "expected_content_rev": 45, "ops": ops}).to_string()
}

fn tools() -> Value {
    json!([{"type": "function", "function": {"name": "file_edit", "parameters": {
        "type": "object", "additionalProperties": false, "required": ["file_id", "expected_content_rev", "ops"],
        "properties": {"file_id": {"type": "string"}, "expected_content_rev": {"type": "integer"},
            "ops": {"type": "array", "items": {"type": "object", "required": ["op"], "properties": {"op": {"type": "string"},
                "find": {"type": "string"}, "replace": {"type": "string"}, "occurrence": {"type": "integer"}}}}}}}}])
}

/// The events of one call with these arguments, and the last of them apart.
fn call_events(arguments: &str) -> (Vec<Vec<u8>>, Vec<u8>) {
    let head = json!({"index": 0, "id": "call_1", "type": "function", "function": {"name": "file_edit", "arguments": ""}});
    let mut events =
        vec![event(&chunk(&json!({"role": "assistant", "content": null, "tool_calls": [head]}), None))];
    let characters: Vec<char> = arguments.chars().collect();
    for piece in characters.chunks(16) {
        let fragment = json!({"index": 0, "function": {"arguments": piece.iter().collect::<String>()}});
        events.push(event(&chunk(&json!({"tool_calls": [fragment]}), None)));
    }
    events.push(event(&chunk(&json!({}), Some("tool_calls"))));
    (events, b"data: [DONE]\n\n".to_vec())
}

fn event(value: &Value) -> Vec<u8> {
    format!("data: {value}\n\n").into_bytes()
}

/// From the moment the endpoint writes its last byte to the moment the client has the first one.
async fn validated_turn() -> io::Result<String> {
    let arguments = arguments();
    let parse = fastest(50, || drop(std::hint::black_box(serde_json::from_str::<Value>(&arguments))));
    let (events, last) = call_events(&arguments);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let (times_tx, mut times) = tokio::sync::mpsc::channel(1);
    tokio::spawn(endpoint(listener, events.concat(), last, times_tx));
    let options =
        ProxyOptions { token: ProxyToken::None, ..ProxyOptions::new(format!("http://127.0.0.1:{port}/v1")) };
    let proxy = serve(options).await.map_err(io::Error::other)?;
    let body = json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "x"}], "tools": tools()}).to_string();
    let mut gaps = Vec::new();
    for _ in 0..30 {
        let mut connection = ask(proxy.address().port(), &body).await?;
        let mut bytes = Vec::new();
        while !has_body(&bytes) {
            if connection.read_buf(&mut bytes).await? == 0 {
                return Err(io::Error::other(String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
        let first = Instant::now();
        let written: Instant = times.recv().await.ok_or_else(|| io::Error::other("no time came"))?;
        gaps.push(first.saturating_duration_since(written));
        while connection.read_buf(&mut bytes).await? > 0 {}
        if memchr::memmem::find(&bytes, b"\"finish_reason\":\"tool_calls\"").is_none() {
            return Err(io::Error::other("the turn did not come out"));
        }
    }
    gaps.sort_unstable();
    let gap = gaps[gaps.len() / 2];
    let against_parse = gap.as_secs_f64() / parse.as_secs_f64();
    bound("validated turn, last byte in to first byte out against one parse", against_parse, 10.0);
    Ok(format!(
        "| validated turn, {} KiB of arguments: last byte in to first byte out, against one serde_json parse | {:.1} × | 10 × | {} µs / {} µs |\n",
        arguments.len() >> 10,
        against_parse,
        gap.as_micros(),
        parse.as_micros()
    ))
}

/// Sends everything but the last event, gives the proxy time to take it in, and then the last one.
async fn endpoint(
    listener: TcpListener,
    most: Vec<u8>,
    last: Vec<u8>,
    times: tokio::sync::mpsc::Sender<Instant>,
) -> io::Result<()> {
    let most = Arc::new(most);
    loop {
        let (mut connection, _) = listener.accept().await?;
        connection.set_nodelay(true)?;
        let mut request = Vec::new();
        while memchr::memmem::find(&request, b"\"tools\"").is_none() || !request.ends_with(b"}") {
            if connection.read_buf(&mut request).await? == 0 {
                break;
            }
        }
        connection
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
            .await?;
        connection.write_all(&most).await?;
        tokio::time::sleep(Duration::from_millis(60)).await;
        let before = Instant::now();
        connection.write_all(&last).await?;
        let _ = times.send(before).await;
        connection.shutdown().await?;
    }
}

/// Events put together and judged, against `serde_json` reading the same events into values.
fn aggregation() -> String {
    let (mut events, last) = call_events(&arguments());
    events.push(last);
    let data: Vec<&[u8]> = events
        .iter()
        .filter_map(|event| event.strip_prefix(b"data: ")?.strip_suffix(b"\n\n"))
        .filter(|data| data.starts_with(b"{"))
        .collect();
    let tools = Tools::new(&tools());
    let options = Replay::default();
    let pieces: Vec<&[u8]> = events.iter().map(Vec::as_slice).collect();
    let floor = fastest(30, || {
        for data in &data {
            drop(std::hint::black_box(serde_json::from_slice::<Value>(data)));
        }
    });
    let ours =
        fastest(30, || drop(std::hint::black_box(replay_compiled(&tools, &options, pieces.iter().copied()))));
    let time_against_floor = ours.as_secs_f64() / floor.as_secs_f64();
    bound("aggregation, time against serde_json on the same events", time_against_floor, 2.0);
    format!(
        "| aggregation and judgement of {} events: speed, against serde_json on the same events | {:.2} × | ≥ 0.5 × | {} µs / {} µs |\n",
        data.len(),
        floor.as_secs_f64() / ours.as_secs_f64(),
        ours.as_micros(),
        floor.as_micros()
    )
}

fn fastest(times: usize, mut work: impl FnMut()) -> Duration {
    let once = |work: &mut dyn FnMut()| {
        let started = Instant::now();
        work();
        started.elapsed()
    };
    (0..times).map(|_| once(&mut work)).min().unwrap_or_default()
}
