//! One request over the network and the reading of its answer, with every limit and with cancellation at every wait.

use std::error::Error as _;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use futures_util::StreamExt;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE};
use tokio_util::sync::CancellationToken;

use super::judge::{Advice, End, Fault};
use super::upstream_error::Refusal;
use crate::endpoint::{Endpoint, Limits};
use crate::error::ErrorCode;
use crate::wire::aggregate::{Aggregator, Live, RawTurn};
use crate::wire::decode::{Announced, Decoder};

/// Where an attempt goes and under which limits.
#[derive(Clone, Copy)]
pub(crate) struct Wire<'a> {
    pub(crate) http: &'a reqwest::Client,
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) limits: &'a Limits,
    pub(crate) cancel: &'a CancellationToken,
}

/// What one attempt brought.
pub(crate) enum Attempt {
    Turn { turn: Box<RawTurn>, end: End, encoding_mismatch: bool },
    Refused(Refusal),
    Failed(Fault),
}

/// How an answer is to be read.
#[derive(Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) with_tools: bool,
    pub(crate) idle: Duration,
    pub(crate) deadline: Instant,
}

/// Sends a body and reads the whole answer, showing it as it comes.
pub(crate) async fn send(
    wire: Wire<'_>,
    url: reqwest::Url,
    body: Vec<u8>,
    reading: Reading,
    live: &mut (dyn FnMut(Live<'_>) + Send),
) -> Attempt {
    let request = wire
        .http
        .post(url)
        .header(CONTENT_TYPE, "application/json")
        .header(ACCEPT, "text/event-stream, application/json")
        .header(ACCEPT_ENCODING, "identity")
        .headers(own_headers(wire.endpoint))
        .body(body);
    let response = match timed(wire, reading, request.send()).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return Attempt::Failed(network_fault(&error)),
        Err(fault) => return Attempt::Failed(fault),
    };
    if !response.status().is_success() {
        return refused(wire, reading, response).await;
    }
    read(wire, reading, response, live).await
}

/// The key and whatever headers the user configured.
pub(crate) fn own_headers(endpoint: &Endpoint) -> reqwest::header::HeaderMap {
    use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
    let mut headers = HeaderMap::new();
    for (name, value) in &endpoint.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name.as_str()), HeaderValue::from_str(value)) {
            headers.insert(name, value);
        }
    }
    let key = endpoint.key.as_ref().filter(|key| !key.is_empty());
    if let Some(Ok(mut value)) = key.map(|key| HeaderValue::from_str(&format!("Bearer {}", key.expose()))) {
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    headers
}

async fn read(
    wire: Wire<'_>,
    reading: Reading,
    response: reqwest::Response,
    live: &mut (dyn FnMut(Live<'_>) + Send),
) -> Attempt {
    let header = response.headers().get(CONTENT_ENCODING).and_then(|value| value.to_str().ok());
    let announced = Announced::from_header(header);
    let mut decoder = Decoder::new(announced);
    let limits = wire.limits;
    let mut aggregator = match reading.with_tools {
        true => Aggregator::with_tools(limits.line_bytes),
        false => Aggregator::plain(limits.line_bytes),
    };
    let mut stream = response.bytes_stream();
    let mut total = 0_usize;
    let end = loop {
        let reading = match aggregator.has_finish() {
            true => Reading { deadline: reading.deadline.min(Instant::now() + limits.grace), ..reading },
            false => reading,
        };
        let piece: Option<Result<Bytes, reqwest::Error>> = match timed(wire, reading, stream.next()).await {
            Ok(piece) => piece,
            Err(fault) if aggregator.has_finish() && fault.code != ErrorCode::Cancelled => {
                break End::Complete;
            }
            Err(fault) => return Attempt::Failed(fault),
        };
        let bytes = match piece {
            None => break End::Eof,
            Some(Ok(bytes)) => bytes,
            Some(Err(error)) => break End::Broken(network_fault(&error).message),
        };
        let Ok(decoded) = decoder.feed(&bytes) else { return Attempt::Failed(cannot_decode()) };
        // Unpacked, since a small body can unpack to a very large one.
        total += decoded.len();
        if total > limits.answer_bytes {
            let message = "the answer is longer than the limit";
            return Attempt::Failed(Fault::new(ErrorCode::TooLarge, message).advising(Advice::Stop));
        }
        aggregator.feed(&decoded, live);
        if aggregator.is_done() || aggregator.is_lost() {
            break End::Complete;
        }
    };
    let rest = decoder.finish();
    aggregator.feed(&rest, live);
    let encoding_mismatch = decoder.is_mismatch(announced);
    Attempt::Turn { turn: Box::new(aggregator.finish(live)), end, encoding_mismatch }
}

pub(crate) fn cannot_decode() -> Fault {
    let message =
        "the answer is compressed in a way that was not asked for, or its bytes were damaged on the way";
    Fault::new(ErrorCode::EncodingUnsupported, message)
}

/// Bodies of refusals are small; more than this is not read.
const REFUSAL_BYTES: usize = 1 << 20;

async fn refused(wire: Wire<'_>, reading: Reading, response: reqwest::Response) -> Attempt {
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    let header = headers.get(CONTENT_ENCODING).and_then(|value| value.to_str().ok());
    let mut decoder = Decoder::new(Announced::from_header(header));
    let mut stream = response.bytes_stream();
    let mut body = Vec::new();
    while body.len() < REFUSAL_BYTES {
        match timed(wire, reading, stream.next()).await {
            // What cannot be unpacked cannot be told either; the status says enough.
            Ok(Some(Ok(bytes))) => match decoder.feed(&bytes) {
                Ok(decoded) => body.extend(decoded),
                Err(_) => break,
            },
            Ok(Some(Err(_)) | None) => break,
            Err(fault) if fault.code == ErrorCode::Cancelled => return Attempt::Failed(fault),
            Err(_) => break,
        }
    }
    body.extend(decoder.finish());
    body.truncate(REFUSAL_BYTES);
    Attempt::Refused(Refusal::new(status, &headers, body, SystemTime::now()))
}

/// Waits for something, but not beyond the limits and not after a cancellation.
async fn timed<T>(wire: Wire<'_>, reading: Reading, future: impl Future<Output = T>) -> Result<T, Fault> {
    let until_deadline = reading.deadline.saturating_duration_since(Instant::now());
    let limit = reading.idle.min(until_deadline);
    tokio::select! {
        biased;
        () = wire.cancel.cancelled() => Err(cancelled()),
        done = tokio::time::timeout(limit, future) => done.map_err(|_| {
            if until_deadline <= reading.idle {
                Fault::new(ErrorCode::TimeoutTotal, "the turn took longer than the limit").advising(Advice::Stop)
            } else {
                Fault::new(ErrorCode::TimeoutIdle, "nothing came from the endpoint for too long")
            }
        }),
    }
}

pub(crate) fn cancelled() -> Fault {
    Fault::new(ErrorCode::Cancelled, "cancelled").advising(Advice::Stop)
}

/// What a network error means; the address is left out, it may hold credentials.
pub(crate) fn network_fault(error: &reqwest::Error) -> Fault {
    let reason = innermost(error);
    if let Some(tls) = tls_error(error) {
        let message = format!("no secure connection to the endpoint: {}", tls_reason(tls));
        return Fault::new(ErrorCode::TlsFailed, message).advising(Advice::Stop);
    }
    let (code, message) = if error.is_connect() && error.is_timeout() {
        (ErrorCode::TimeoutConnect, "the endpoint could not be reached in time".to_owned())
    } else if error.is_connect() {
        (ErrorCode::ConnectFailed, format!("the endpoint could not be reached: {reason}"))
    } else if error.is_timeout() {
        (ErrorCode::TimeoutIdle, "nothing came from the endpoint for too long".to_owned())
    } else if error.is_builder() {
        let fault =
            Fault::new(ErrorCode::InvalidEndpoint, format!("the request could not be made: {reason}"));
        return fault.advising(Advice::Stop);
    } else {
        (ErrorCode::Disconnected, format!("the connection broke: {reason}"))
    };
    Fault::new(code, message).advising(Advice::Wait)
}

fn innermost(error: &reqwest::Error) -> String {
    let mut source = error.source();
    let mut text = None;
    while let Some(inner) = source {
        text = Some(inner.to_string());
        source = inner.source();
    }
    text.unwrap_or_else(|| "unknown reason".to_owned())
}

fn tls_error(error: &reqwest::Error) -> Option<&rustls::Error> {
    let mut source = error.source();
    while let Some(inner) = source {
        if let Some(tls) = as_rustls(inner) {
            return Some(tls);
        }
        source = inner.source();
    }
    None
}

/// An I/O error hides what it wraps from `source`, and may wrap another one.
fn as_rustls<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e rustls::Error> {
    if let Some(tls) = error.downcast_ref() {
        return Some(tls);
    }
    let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    wrapped.and_then(|wrapped| as_rustls(wrapped))
}

/// What is wrong with the connection, in words for people; rustls' own where there are none.
fn tls_reason(error: &rustls::Error) -> String {
    use rustls::{CertificateError as Bad, Error};
    let known = match error {
        Error::InvalidCertificate(Bad::Expired | Bad::ExpiredContext { .. }) => "its certificate has expired",
        Error::InvalidCertificate(Bad::NotValidYet | Bad::NotValidYetContext { .. }) => {
            "its certificate is not valid yet; is the clock of this machine right?"
        }
        Error::InvalidCertificate(Bad::NotValidForName | Bad::NotValidForNameContext { .. }) => {
            "its certificate is for another name"
        }
        Error::InvalidCertificate(Bad::UnknownIssuer) => {
            "its certificate was issued by nobody whom this machine trusts"
        }
        Error::InvalidCertificate(Bad::BadSignature) => "its certificate was not signed by the one it names",
        Error::InvalidCertificate(Bad::Revoked) => "its certificate was revoked",
        Error::InvalidMessage(_) => "what answers there does not speak TLS",
        other => return other.to_string(),
    };
    known.to_owned()
}
