//! A scripted endpoint: a real server on a real TCP port that answers with exactly the bytes a test wants, and checks what it is asked.
//!
//! Only for tests (feature `testing`). It speaks HTTP/1.1 by hand, because the point is to misbehave: chunks cut anywhere, resets,
//! silence, half-closed connections, wrong headers. Every request is checked against the rules of the protocol before the script's
//! answer goes out; a test ends with [`Upstream::assert_clean`].

mod check;
mod reply;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

pub use reply::{Framing, Reply, Step, chunk, sse};

/// The doors into the crate that its own suite, benches and fuzzers need.
pub mod inside;

/// A request as it arrived.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub raw: Vec<u8>,
    /// Null when the body is no JSON.
    pub body: Value,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A running scripted endpoint; it stops when dropped.
pub struct Upstream {
    port: u16,
    shared: Arc<Shared>,
    stop: CancellationToken,
}

type Script = Box<dyn FnMut(&Seen) -> Option<Reply> + Send>;

struct Shared {
    script: Mutex<Script>,
    log: Mutex<Log>,
}

#[derive(Default)]
struct Log {
    seen: Vec<Seen>,
    problems: Vec<String>,
    /// Connections that the other side closed before the answer was complete.
    left_early: usize,
    /// Answers that were written to their end.
    finished: usize,
}

impl Upstream {
    /// Gives these answers, one after the other; one request too many is a problem and gets a 500.
    pub async fn start(replies: impl IntoIterator<Item = Reply>) -> io::Result<Upstream> {
        let mut replies: std::collections::VecDeque<Reply> = replies.into_iter().collect();
        Upstream::with(move |_| replies.pop_front()).await
    }

    /// Answers each request with what the script says; none is a problem and a 500.
    pub async fn with(script: impl FnMut(&Seen) -> Option<Reply> + Send + 'static) -> io::Result<Upstream> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared { script: Mutex::new(Box::new(script)), log: Mutex::default() });
        let stop = CancellationToken::new();
        tokio::spawn(accept(listener, Arc::clone(&shared), stop.clone()));
        Ok(Upstream { port, shared, stop })
    }

    /// What an endpoint's base address looks like.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn requests(&self) -> Vec<Seen> {
        self.log().seen.clone()
    }

    /// Broken rules of the protocol in what was asked so far.
    pub fn problems(&self) -> Vec<String> {
        self.log().problems.clone()
    }

    pub fn left_early(&self) -> usize {
        self.log().left_early
    }

    pub fn finished(&self) -> usize {
        self.log().finished
    }

    /// Fails the test when any request broke a rule.
    #[track_caller]
    pub fn assert_clean(&self) {
        let problems = self.problems();
        assert!(problems.is_empty(), "the requests broke the protocol: {problems:#?}");
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.shared.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, stop: CancellationToken) {
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((connection, _)) = accepted else { continue };
        let (shared, stop) = (Arc::clone(&shared), stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                _ = serve(connection, &shared) => {}
            }
        });
    }
}

async fn serve(mut connection: TcpStream, shared: &Shared) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let Some(seen) = read_request(&mut connection).await? else { return Ok(()) };
    let problems = check::problems(&seen);
    let reply = {
        let mut script = shared.script.lock().unwrap_or_else(PoisonError::into_inner);
        script(&seen)
    };
    {
        let mut log = shared.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.problems.extend(problems);
        if reply.is_none() {
            log.problems.push(format!("one request too many: {} {}", seen.method, seen.path));
        }
        log.seen.push(seen);
    }
    let reply = reply.unwrap_or_else(|| {
        Reply::status(500, &serde_json::json!({"error": {"message": "the script is over"}}))
    });
    let told = write_reply(connection, reply).await;
    let mut log = shared.log.lock().unwrap_or_else(PoisonError::into_inner);
    match &told {
        Ok(()) => log.finished += 1,
        Err(_) => log.left_early += 1,
    }
    drop(log);
    told
}

/// Larger requests than this are cut off.
const REQUEST_BYTES: usize = 256 << 20;

async fn read_request(connection: &mut TcpStream) -> io::Result<Option<Seen>> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = find(&bytes, b"\r\n\r\n") {
            break at;
        }
        if connection.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut seen = Seen { method: method.into(), path: path.into(), headers, ..Seen::default() };
    let length: usize =
        seen.header("content-length").and_then(|value| value.parse().ok()).unwrap_or_default();
    let mut body = bytes.split_off(head_end + 4);
    if seen.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
        while find(&body, b"0\r\n\r\n").is_none() && body.len() < REQUEST_BYTES {
            if connection.read_buf(&mut body).await? == 0 {
                return Ok(None);
            }
        }
        body = unchunked(&body);
    }
    while body.len() < length.min(REQUEST_BYTES) {
        if connection.read_buf(&mut body).await? == 0 {
            return Ok(None);
        }
    }
    seen.body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    seen.raw = body;
    Ok(Some(seen))
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(line_end) = find(body, b"\r\n") {
        let size = std::str::from_utf8(&body[..line_end])
            .ok()
            .and_then(|size| usize::from_str_radix(size.trim(), 16).ok());
        let Some(size) = size.filter(|size| *size > 0) else { break };
        let start = line_end + 2;
        whole.extend_from_slice(body.get(start..start + size).unwrap_or_default());
        body = body.get(start + size + 2..).unwrap_or_default();
    }
    whole
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(haystack, needle)
}

async fn write_reply(mut connection: TcpStream, reply: Reply) -> io::Result<()> {
    let version = if reply.framing == Framing::Http10 { "HTTP/1.0" } else { "HTTP/1.1" };
    let mut head = format!("{version} {} Scripted\r\nconnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    match reply.framing {
        Framing::Chunked => head.push_str("transfer-encoding: chunked\r\n"),
        Framing::Length => {
            let length: usize = reply.steps.iter().map(Step::len).sum();
            head.push_str(&format!("content-length: {length}\r\n"));
        }
        Framing::Promised(length) => head.push_str(&format!("content-length: {length}\r\n")),
        Framing::UntilClose | Framing::Http10 => {}
    }
    head.push_str("\r\n");
    connection.write_all(head.as_bytes()).await?;
    connection.flush().await?;
    for step in reply.steps {
        match step {
            Step::Bytes(bytes) => write_piece(&mut connection, reply.framing, &bytes).await?,
            Step::Pause(delay) => pause(&mut connection, delay).await?,
            Step::Reset => {
                connection.set_zero_linger()?;
                return Ok(());
            }
            Step::Cut => return connection.shutdown().await,
            Step::HalfClose => {
                connection.shutdown().await?;
                return wait_for_close(&mut connection).await;
            }
            Step::Hang => {
                wait_for_close(&mut connection).await?;
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
        }
    }
    if reply.framing == Framing::Chunked {
        connection.write_all(b"0\r\n\r\n").await?;
    }
    connection.shutdown().await?;
    // Reading to the end lets the client close first, so that no unread byte turns the close into a reset.
    let _ = tokio::time::timeout(Duration::from_secs(5), wait_for_close(&mut connection)).await;
    Ok(())
}

async fn write_piece(connection: &mut TcpStream, framing: Framing, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    if framing == Framing::Chunked {
        let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
        framed.extend_from_slice(bytes);
        framed.extend_from_slice(b"\r\n");
        connection.write_all(&framed).await?;
    } else {
        connection.write_all(bytes).await?;
    }
    connection.flush().await
}

/// Waits, and notices when the client leaves meanwhile.
async fn pause(connection: &mut TcpStream, delay: Duration) -> io::Result<()> {
    tokio::select! {
        () = tokio::time::sleep(delay) => Ok(()),
        closed = wait_for_close(connection) => closed.and(Err(io::ErrorKind::ConnectionAborted.into())),
    }
}

async fn wait_for_close(connection: &mut TcpStream) -> io::Result<()> {
    let mut rest = [0_u8; 1024];
    while connection.read(&mut rest).await? > 0 {}
    Ok(())
}
