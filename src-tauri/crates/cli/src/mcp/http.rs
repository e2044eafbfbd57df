//! The same server over streamable HTTP, for clients that do not start it themselves: on this machine only, and with a token.
//!
//! A web page in the user's browser can send requests to loopback; it cannot know the token, and its Host and Origin give it away.

use std::{
    convert::Infallible,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use assistant::{AppError, api::error::ErrorCode};
use hyper::{
    Request, Response, StatusCode,
    body::Incoming,
    header::{AUTHORIZATION, ORIGIN, WWW_AUTHENTICATE},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio::net::{TcpListener, TcpStream};

use super::{Shared, server::Server};
use crate::{output, session::Session};

/// The largest body, as for a line on standard input.
const BODY: usize = 64 << 20;
const HEADERS_WITHIN: Duration = Duration::from_secs(30);
/// Connections at the same time; more wait.
const CONNECTIONS: usize = 64;

type Service = StreamableHttpService<Server, LocalSessionManager>;

/// Serves until Ctrl-C. Port 0 takes a free one.
pub(super) async fn serve(
    shared: &Arc<Shared>,
    port: u16,
    token: Option<&str>,
    session: &Session,
) -> Result<(), AppError> {
    let failed = |error: std::io::Error| {
        AppError::new(ErrorCode::IoError, format!("Cannot listen on 127.0.0.1:{port}: {error}."))
    };
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let wanted = match token {
        Some("none") => None,
        Some(given) => Some(given.to_owned()),
        None => Some(random_token()?),
    };
    output::message(&format!("listening on http://{address}/mcp"));
    if let (None, Some(made)) = (token, &wanted) {
        output::message(&format!("token: {made}"));
    }
    let service = service(shared, address);
    let door = Arc::new(Door { token: wanted.map(|token| format!("Bearer {token}")) });
    let places = Arc::new(tokio::sync::Semaphore::new(CONNECTIONS));
    loop {
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place,
            () = session.cancelled() => return Ok(()),
        };
        let Ok(place) = place else { return Ok(()) };
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => continue,
            },
            () = session.cancelled() => return Ok(()),
        };
        let (service, door) = (service.clone(), Arc::clone(&door));
        tokio::spawn(async move {
            connection(stream, service, door).await;
            drop(place);
        });
    }
}

fn service(shared: &Arc<Shared>, address: SocketAddr) -> Service {
    let shared = Arc::clone(shared);
    let hosts =
        ["127.0.0.1".to_owned(), "localhost".to_owned()].map(|host| format!("{host}:{}", address.port()));
    // No page of any origin is a client; programs send no Origin.
    let mut config =
        StreamableHttpServerConfig::default().with_allowed_hosts(hosts).enforce_origin_validation();
    config.max_request_body_bytes = BODY;
    StreamableHttpService::new(
        move || Ok(Server::new(Arc::clone(&shared))),
        Arc::new(LocalSessionManager::default()),
        config,
    )
}

/// Who is let in.
struct Door {
    /// The whole header that a client must send.
    token: Option<String>,
}

impl Door {
    /// The status of a refusal.
    fn refuses(&self, request: &Request<Incoming>) -> Option<StatusCode> {
        if request.headers().contains_key(ORIGIN) {
            return Some(StatusCode::FORBIDDEN);
        }
        if request.uri().path() != "/mcp" {
            return Some(StatusCode::NOT_FOUND);
        }
        let given = request.headers().get(AUTHORIZATION).map(|value| value.as_bytes());
        let is_known = match (&self.token, given) {
            (None, _) => true,
            (Some(wanted), Some(given)) => is_same(wanted.as_bytes(), given),
            (Some(_), None) => false,
        };
        (!is_known).then_some(StatusCode::UNAUTHORIZED)
    }
}

/// Compares without telling by time how much is right.
fn is_same(wanted: &[u8], given: &[u8]) -> bool {
    let differences = wanted.iter().zip(given).fold(0_u8, |sum, (wanted, given)| sum | (wanted ^ given));
    wanted.len() == given.len() && differences == 0
}

async fn connection(stream: TcpStream, service: Service, door: Arc<Door>) {
    let answer = service_fn(move |request: Request<Incoming>| {
        let (service, door) = (service.clone(), Arc::clone(&door));
        async move {
            let response = match door.refuses(&request) {
                Some(status) => refused(status),
                None => service.handle(request).await,
            };
            Ok::<_, Infallible>(response)
        }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEADERS_WITHIN);
    // A client that goes away in the middle is no fault of the server.
    let _ = server.serve_connection(TokioIo::new(stream), answer).await;
}

type Body = http_body_util::combinators::BoxBody<hyper::body::Bytes, Infallible>;

fn refused(status: StatusCode) -> Response<Body> {
    let text = match status {
        StatusCode::UNAUTHORIZED => "Send the token as `Authorization: Bearer TOKEN`.",
        StatusCode::FORBIDDEN => "Web pages are not served.",
        _ => "The address is /mcp.",
    };
    let body = http_body_util::Full::new(hyper::body::Bytes::from_static(text.as_bytes()));
    let mut response = Response::new(Body::new(body));
    *response.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, hyper::header::HeaderValue::from_static("Bearer"));
    }
    response
}

fn random_token() -> Result<String, AppError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        AppError::new(ErrorCode::Internal, format!("The system gives no random numbers: {error}."))
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
