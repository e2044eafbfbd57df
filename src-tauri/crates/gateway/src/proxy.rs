//! A loopback server between a strict client of another maker and any compatible endpoint.
//!
//! Requests without tools pass through byte for byte in both directions. Requests with tools are made whole first (`turn::engine`), and
//! then written as the plainest stream that every strict client reads (`emit`). The server binds to this machine only, wants a token
//! unless told otherwise, and refuses what a web page might send it (Host and Origin).

mod counters;
mod emit;
mod memory;
mod passthrough;
mod route;
mod tool_turn;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::client::http_client;
use crate::dialect::Dialect;
use crate::endpoint::{Endpoint, Limits};
use crate::error::GatewayError;
use crate::learned::Learned;
use crate::secret::Secret;

/// How the proxy is run.
#[derive(Debug)]
pub struct ProxyOptions {
    /// A loopback address; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The endpoint's base address.
    pub upstream: String,
    /// None: with [`ProxyToken::None`] the client's own key goes through.
    pub upstream_key: Option<Secret>,
    /// Further headers for the endpoint (an organisation); a client's own of the same name give way.
    pub upstream_headers: Vec<(String, String)>,
    pub token: ProxyToken,
    /// None: recognised by the upstream's address, and per model.
    pub dialect: Option<Dialect>,
    pub limits: Limits,
    pub keep_alive: KeepAlive,
    /// Between two slices of arguments; zero sends as fast as the client reads.
    pub pace: Duration,
    /// Largest request body.
    pub body_bytes: usize,
    /// A client must send its head within this time, and may not pause longer than this within its body.
    pub patience: Duration,
    /// Turns with tools at the same time; more wait. What passes through is not counted.
    pub streams: usize,
    pub learned: Arc<Learned>,
}

impl ProxyOptions {
    /// The usual settings for this upstream.
    pub fn new(upstream: impl Into<String>) -> ProxyOptions {
        ProxyOptions {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            upstream: upstream.into(),
            upstream_key: None,
            upstream_headers: Vec::new(),
            token: ProxyToken::Generated,
            dialect: None,
            limits: Limits::default(),
            keep_alive: KeepAlive::default(),
            pace: Duration::ZERO,
            body_bytes: 64 << 20,
            patience: Duration::from_secs(30),
            streams: 256,
            learned: Arc::default(),
        }
    }
}

/// What a client must show.
#[derive(Clone, Debug)]
pub enum ProxyToken {
    /// A new random token; [`ProxyHandle::token`] tells it.
    Generated,
    Given(Secret),
    /// No check.
    None,
}

/// What is sent while a tool turn is being made whole.
#[derive(Clone, Copy, Debug)]
pub struct KeepAlive {
    pub form: KeepAliveForm,
    /// Until then a failure still gets a real HTTP status.
    pub after: Duration,
    pub every: Duration,
}

/// Comments are right by the standard, and some clients choke on them; an empty delta satisfies all that were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepAliveForm {
    EmptyDelta,
    Comment,
    Off,
}

impl Default for KeepAlive {
    fn default() -> KeepAlive {
        KeepAlive {
            form: KeepAliveForm::EmptyDelta,
            after: Duration::from_secs(5),
            every: Duration::from_secs(5),
        }
    }
}

/// Why the proxy does not start.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    #[error("the proxy listens on this machine only; {0} is not a loopback address")]
    NotLoopback(SocketAddr),
    #[error("cannot listen on {address}: {source}")]
    CannotListen { address: SocketAddr, source: io::Error },
    #[error(transparent)]
    Upstream(#[from] GatewayError),
    #[error("the system gives no random numbers for a token")]
    NoRandomness,
}

/// A running proxy. Dropping it leaves it running; [`ProxyHandle::stop`] ends it.
#[derive(Debug)]
pub struct ProxyHandle {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: CancellationToken,
    abort: CancellationToken,
    connections: TaskTracker,
}

impl ProxyHandle {
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The base address for clients.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The token that clients must send; none when there is no check.
    pub fn token(&self) -> Option<&str> {
        self.shared.token.as_ref().map(Secret::expose)
    }

    /// The text of `/metrics`.
    pub fn metrics(&self) -> String {
        self.shared.counters.text()
    }

    /// Ends everything at once, without waiting.
    pub fn cut(&self) {
        self.stop.cancel();
        self.abort.cancel();
    }

    /// Takes no new connections, lets running answers end within the grace, and then cuts them.
    pub async fn stop(self, grace: Duration) {
        self.stop.cancel();
        if tokio::time::timeout(grace, self.connections.wait()).await.is_err() {
            self.abort.cancel();
            self.connections.wait().await;
        }
    }
}

/// What every request needs.
#[derive(Debug)]
struct Shared {
    http: reqwest::Client,
    /// Its model is empty: each request brings its own.
    upstream: Endpoint,
    dialect_is_given: bool,
    token: Option<Secret>,
    port: u16,
    limits: Limits,
    keep_alive: KeepAlive,
    pace: Duration,
    body_bytes: usize,
    patience: Duration,
    slots: tokio::sync::Semaphore,
    learned: Arc<Learned>,
    memory: memory::Memory,
    counters: counters::Counters,
}

/// Starts the proxy on the current runtime.
pub async fn serve(options: ProxyOptions) -> Result<ProxyHandle, ProxyError> {
    let address = options.listen;
    if !address.ip().is_loopback() {
        return Err(ProxyError::NotLoopback(address));
    }
    let dialect_is_given = options.dialect.is_some();
    let dialect = options.dialect.unwrap_or_else(|| Dialect::recognise(&options.upstream, ""));
    let upstream = Endpoint {
        base_url: options.upstream,
        key: options.upstream_key,
        model: String::new(),
        dialect,
        headers: options.upstream_headers,
    };
    let http = http_client(&upstream.url("")?, &options.limits)?;
    let cannot_listen = |source| ProxyError::CannotListen { address, source };
    let listener = TcpListener::bind(address).await.map_err(cannot_listen)?;
    let address = listener.local_addr().map_err(cannot_listen)?;
    let token = match options.token {
        ProxyToken::Generated => Some(Secret::new(random_hex().ok_or(ProxyError::NoRandomness)?)),
        ProxyToken::Given(token) => Some(token),
        ProxyToken::None => None,
    };
    let shared = Arc::new(Shared {
        http,
        upstream,
        dialect_is_given,
        token,
        port: address.port(),
        limits: options.limits,
        keep_alive: options.keep_alive,
        pace: options.pace,
        body_bytes: options.body_bytes,
        patience: options.patience,
        slots: tokio::sync::Semaphore::new(options.streams.max(1)),
        learned: options.learned,
        memory: memory::Memory::default(),
        counters: counters::Counters::default(),
    });
    let (stop, abort) = (CancellationToken::new(), CancellationToken::new());
    let connections = TaskTracker::new();
    let accepting = accept(listener, Arc::clone(&shared), connections.clone(), stop.clone(), abort.clone());
    connections.spawn(accepting);
    connections.close();
    Ok(ProxyHandle { address, shared, stop, abort, connections })
}

async fn accept(
    listener: TcpListener,
    shared: Arc<Shared>,
    connections: TaskTracker,
    stop: CancellationToken,
    abort: CancellationToken,
) {
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((connection, _)) => {
                let serving = serve_connection(connection, Arc::clone(&shared), stop.clone(), abort.clone());
                connections.spawn(serving);
            }
            // Out of file descriptors, most likely: others must close first.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn serve_connection(
    connection: TcpStream,
    shared: Arc<Shared>,
    stop: CancellationToken,
    abort: CancellationToken,
) {
    // Small events must not wait for each other.
    let _ = connection.set_nodelay(true);
    let patience = shared.patience;
    let service = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, std::convert::Infallible>(route::answer(request, shared).await) }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .serve_connection(TokioIo::new(connection), service);
    let mut serving = std::pin::pin!(serving);
    let mut is_stopping = false;
    loop {
        tokio::select! {
            // The client's errors are the client's business.
            _ = serving.as_mut() => return,
            () = abort.cancelled() => return,
            () = stop.cancelled(), if !is_stopping => {
                is_stopping = true;
                serving.as_mut().graceful_shutdown();
            }
        }
    }
}

/// 32 hex digits.
fn random_hex() -> Option<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
