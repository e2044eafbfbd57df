//! The way of requests with tools: the turn is made whole first, and only then does the client see any of it.
//!
//! Until the first byte a failure is a real HTTP status. When the turn takes longer than the keep-alive's patience, the answer begins with
//! keep-alives; a failure after that is an error event. A client that leaves ends the turn at once.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::{Bytes, BytesMut};
use futures_util::stream;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Response, StatusCode};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::emit::{self, Emission, Envelope};
use super::route::{Answer, BoxError, bearer, bytes_answer, refusal};
use super::{KeepAliveForm, Shared, random_hex};
use crate::endpoint::Endpoint;
use crate::error::{ErrorCode, GatewayError};
use crate::secret::Secret;
use crate::turn::ask::Ask;
use crate::turn::attempt::Wire;
use crate::turn::engine::{self, Turned, Unmade, opaque_fields};

/// Answers a chat request with tools.
pub(super) async fn answer(headers: HeaderMap, mut body: Map<String, Value>, shared: Arc<Shared>) -> Answer {
    if body.get("n").and_then(Value::as_u64).is_some_and(|count| count > 1) {
        let message = "with tools, one answer (n = 1) can be asked for";
        return refusal(StatusCode::BAD_REQUEST, "invalid_request", message);
    }
    let model = body.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
    let wants_stream = body.get("stream").and_then(Value::as_bool).unwrap_or(false);
    let wants_usage =
        body.get("stream_options").and_then(|options| options.get("include_usage")).and_then(Value::as_bool);
    let endpoint = endpoint_for(&model, &headers, &shared);
    if let Some(Value::Array(messages)) = body.get_mut("messages") {
        shared.memory.restore(messages, &endpoint.dialect);
    }
    let ask = Ask::from_client(body, &endpoint.dialect);
    let envelope = Envelope {
        id: format!("chatcmpl-{}", random_hex().unwrap_or_else(|| "0".repeat(32))),
        model,
        created: SystemTime::now().duration_since(UNIX_EPOCH).map(|time| time.as_secs()).unwrap_or_default(),
        wants_usage: wants_usage.unwrap_or(false),
    };
    let (first_tx, first_rx) = oneshot::channel();
    let job = Job { shared: Arc::clone(&shared), endpoint, ask, envelope: envelope.clone(), wants_stream };
    tokio::spawn(job.run(first_tx));
    match first_rx.await {
        Ok(First::Whole(turned)) if wants_stream => {
            let pace = shared.pace;
            stream_answer(stream::unfold(Emission::new(envelope, *turned), move |emission| {
                next_frame(emission, pace)
            }))
        }
        Ok(First::Whole(turned)) => json_answer(StatusCode::OK, &emit::whole(&envelope, &turned)),
        Ok(First::Failed(unmade)) => failure(&unmade, &shared),
        Ok(First::Slow(receiver)) => stream_answer(stream::unfold(receiver, |mut receiver| async move {
            let bytes: Bytes = receiver.recv().await?;
            Some((Ok(Frame::data(bytes)), receiver))
        })),
        Err(_) => refusal(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the turn was lost"),
    }
}

/// The endpoint as this client reaches it.
fn endpoint_for(model: &str, headers: &HeaderMap, shared: &Shared) -> Endpoint {
    let upstream = &shared.upstream;
    let dialect = match shared.dialect_is_given {
        true => upstream.dialect.clone().for_model(model),
        false => crate::dialect::Dialect::recognise(&upstream.base_url, model),
    };
    let own_key = if shared.token.is_none() { bearer(headers).map(Secret::new) } else { None };
    let passed = headers.iter().filter(|(name, _)| is_passed_on(name.as_str()));
    let passed =
        passed.filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())));
    Endpoint {
        base_url: upstream.base_url.clone(),
        key: upstream.key.clone().or(own_key),
        model: model.to_owned(),
        dialect,
        headers: passed.chain(upstream.headers.iter().cloned()).collect(),
    }
}

/// Headers of the client that mean something to the endpoint.
fn is_passed_on(name: &str) -> bool {
    let prefixes =
        ["openai-", "x-title", "x-stainless-", "x-request", "x-dashscope-", "helicone-", "cf-aig-"];
    name == "http-referer" || name == "api-key" || prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// What the client's answer begins with.
enum First {
    Whole(Box<Turned>),
    Failed(Box<Unmade>),
    /// The turn goes on: keep-alives first, then the turn or an error event.
    Slow(mpsc::Receiver<Bytes>),
}

struct Job {
    shared: Arc<Shared>,
    endpoint: Endpoint,
    ask: Ask,
    envelope: Envelope,
    wants_stream: bool,
}

/// Frames that wait for a slow client.
const FRAMES_AHEAD: usize = 8;

impl Job {
    async fn run(self, mut first: oneshot::Sender<First>) {
        let shared = &self.shared;
        let Ok(_slot) = shared.slots.acquire().await else { return };
        let model = self.endpoint.model.as_str();
        let started = Instant::now();
        shared.counters.turn_started(model);
        let cancel = CancellationToken::new();
        let wire =
            Wire { http: &shared.http, endpoint: &self.endpoint, limits: &shared.limits, cancel: &cancel };
        let mut ignore = |_| {};
        let turning = engine::run(wire, &self.ask, &shared.learned, &mut ignore);
        let mut turning = std::pin::pin!(turning);
        let patience = match (self.wants_stream, shared.keep_alive.form) {
            (true, KeepAliveForm::EmptyDelta | KeepAliveForm::Comment) => shared.keep_alive.after,
            // Without a stream there is nothing to keep alive.
            (false, _) | (true, KeepAliveForm::Off) => Duration::MAX,
        };
        let early = tokio::select! {
            made = &mut turning => Some(made),
            () = sleep(patience) => None,
            // Leaving drops the turn and with it the connection to the endpoint.
            () = first.closed() => return shared.counters.turn_cancelled(model),
        };
        if let Some(made) = early {
            self.count(&made, started.elapsed());
            let _ = first.send(match made {
                Ok(turned) => First::Whole(Box::new(turned)),
                Err(unmade) => First::Failed(Box::new(unmade)),
            });
            return;
        }
        let (sender, receiver) = mpsc::channel(FRAMES_AHEAD);
        if first.send(First::Slow(receiver)).is_err() {
            return shared.counters.turn_cancelled(model);
        }
        let made = loop {
            let beat = match shared.keep_alive.form {
                KeepAliveForm::Comment => Bytes::from_static(b": keep-alive\n\n"),
                KeepAliveForm::EmptyDelta | KeepAliveForm::Off => self.envelope.keep_alive(),
            };
            let beating = async {
                let _ = sender.send(beat).await;
                tokio::time::sleep(shared.keep_alive.every).await;
            };
            tokio::select! {
                made = &mut turning => break made,
                () = beating => {}
                () = sender.closed() => return shared.counters.turn_cancelled(model),
            }
        };
        self.count(&made, started.elapsed());
        self.send_late(made, sender).await;
    }

    async fn send_late(&self, made: Result<Turned, Unmade>, sender: mpsc::Sender<Bytes>) {
        match made {
            Err(unmade) => {
                let _ = sender.send(emit::error_event(&scrubbed(&unmade.error, &self.endpoint))).await;
            }
            Ok(turned) => {
                let mut emission = Emission::new(self.envelope.clone(), turned);
                while let Some(frame) = frame(&mut emission, self.shared.pace) {
                    if sender.send(frame).await.is_err() {
                        return;
                    }
                    pace(self.shared.pace).await;
                }
            }
        }
    }

    fn count(&self, made: &Result<Turned, Unmade>, time: Duration) {
        let counters = &self.shared.counters;
        let model = self.endpoint.model.as_str();
        match made {
            Ok(turned) => {
                let good = &turned.good;
                counters.turn_whole(model, &good.repairs, &turned.retries, turned.continuation, time);
                self.shared.memory.remember(
                    &good.calls,
                    &turned.turn.reasoning,
                    &opaque_fields(&turned.turn),
                );
            }
            Err(unmade) => counters.turn_failed(model, &unmade.error, time),
        }
    }
}

async fn sleep(duration: Duration) {
    if duration == Duration::MAX { std::future::pending().await } else { tokio::time::sleep(duration).await }
}

async fn pace(duration: Duration) {
    if !duration.is_zero() {
        tokio::time::sleep(duration).await;
    }
}

/// Without a pace, events travel together in frames of about this size.
const FRAME_BYTES: usize = 8 << 10;

fn frame(emission: &mut Emission, pace: Duration) -> Option<Bytes> {
    let first = emission.next()?;
    if !pace.is_zero() {
        return Some(Bytes::from(first));
    }
    let mut together = BytesMut::with_capacity(FRAME_BYTES + 512);
    together.extend_from_slice(first.as_bytes());
    while together.len() < FRAME_BYTES {
        let Some(event) = emission.next() else { break };
        together.extend_from_slice(event.as_bytes());
    }
    Some(together.freeze())
}

type FrameResult = Result<Frame<Bytes>, BoxError>;

async fn next_frame(mut emission: Emission, delay: Duration) -> Option<(FrameResult, Emission)> {
    let bytes = frame(&mut emission, delay)?;
    pace(delay).await;
    Some((Ok(Frame::data(bytes)), emission))
}

fn stream_answer(frames: impl futures_util::Stream<Item = FrameResult> + Send + 'static) -> Answer {
    let mut answer = Response::new(StreamBody::new(frames).boxed_unsync());
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    answer
}

fn json_answer(status: StatusCode, body: &Value) -> Answer {
    let mut answer = bytes_answer(status, Bytes::from(body.to_string()));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

fn scrubbed(error: &GatewayError, endpoint: &Endpoint) -> GatewayError {
    let mut error = error.clone();
    if let Some(key) = &endpoint.key {
        error.message = key.scrub(&error.message);
    }
    error
}

/// A turn that failed before the first byte. The endpoint's own refusal is handed on where it speaks about the client's request.
fn failure(unmade: &Unmade, shared: &Shared) -> Answer {
    let error = scrubbed(&unmade.error, &shared.upstream);
    let status = status_for(&error, shared);
    let passed =
        unmade.refusal.as_ref().filter(|refusal| status.as_u16() == refusal.status && is_json(refusal));
    let mut answer = match passed {
        Some(refusal) => {
            let body = String::from_utf8_lossy(&refusal.body);
            let scrubbed =
                shared.upstream.key.as_ref().map_or_else(|| body.to_string(), |key| key.scrub(&body));
            bytes_answer(status, Bytes::from(scrubbed))
        }
        None => json_answer(status, &serde_json::json!({"error": emit::error_value(&error)})),
    };
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(Ok(seconds)) =
        error.retry_after.map(|wait| HeaderValue::from_str(&wait.as_secs().to_string()))
    {
        headers.insert("retry-after", seconds);
    }
    // Everything that asking again could do has been done here.
    headers.insert("x-should-retry", HeaderValue::from_static("false"));
    answer
}

fn is_json(refusal: &crate::turn::upstream_error::Refusal) -> bool {
    serde_json::from_slice::<Value>(&refusal.body).is_ok_and(|body| body.is_object())
}

/// The status of a failure. Clients repeat a 5xx by themselves, so it stands only where repeating may help: 422 for a turn that could not
/// be made whole, 424 for an endpoint that is wrongly set up.
fn status_for(error: &GatewayError, shared: &Shared) -> StatusCode {
    let is_clients_key = shared.upstream.key.is_none();
    let number = match (error.code, error.status) {
        (ErrorCode::Unauthorized, Some(status)) if is_clients_key => status,
        (
            ErrorCode::Unauthorized
            | ErrorCode::NotAStream
            | ErrorCode::TlsFailed
            | ErrorCode::InvalidEndpoint,
            _,
        ) => 424,
        (code, _)
            if code.is_about_the_answer() || code == ErrorCode::ContentFilter && error.status.is_none() =>
        {
            422
        }
        (_, Some(status)) if (400..600).contains(&status) => status,
        (ErrorCode::RateLimited, _) => 429,
        (ErrorCode::Overloaded, _) => 503,
        (ErrorCode::TimeoutConnect | ErrorCode::TimeoutIdle | ErrorCode::TimeoutTotal, _) => 504,
        (ErrorCode::InvalidRequest | ErrorCode::ContextTooLong, _) => 400,
        _ => 502,
    };
    StatusCode::from_u16(number).unwrap_or(StatusCode::BAD_GATEWAY)
}
