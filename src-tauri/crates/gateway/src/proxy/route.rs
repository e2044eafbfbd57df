//! Who may ask, and which way a request takes.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, ORIGIN};
use hyper::{Method, Request, Response, StatusCode};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::{Shared, passthrough, tool_turn};

pub(super) type BoxError = Box<dyn std::error::Error + Send + Sync>;
pub(super) type Answer = Response<UnsyncBoxBody<Bytes, BoxError>>;

/// A request whose body is complete.
pub(super) struct Whole {
    pub(super) method: Method,
    /// Below `/v1/`, with the query.
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// Answers one request.
pub(super) async fn answer(request: Request<Incoming>, shared: Arc<Shared>) -> Answer {
    if let Some(refused) = refused_sender(&request, &shared) {
        return refused;
    }
    let path = request.uri().path().to_owned();
    if path == "/metrics" && request.method() == Method::GET {
        return text_page(shared.counters.text());
    }
    let Some(below) = path.strip_prefix("/v1/") else {
        return refusal(StatusCode::NOT_FOUND, "not_found", "only /v1/ and /metrics are served here");
    };
    if let Some(refused) = refused_token(request.headers(), &shared) {
        return refused;
    }
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    let path = format!("{below}{query}");
    let (parts, body) = request.into_parts();
    let body = match whole_body(body, &shared).await {
        Ok(body) => body,
        Err(refused) => return refused,
    };
    let whole = Whole { method: parts.method, path, headers: parts.headers, body };
    if whole.method == Method::POST && below.trim_end_matches('/') == "chat/completions" {
        return chat(whole, shared).await;
    }
    passthrough::forward(whole, shared).await
}

/// The body, as long as it keeps coming; trailers after it mean nothing here.
async fn whole_body(body: Incoming, shared: &Shared) -> Result<Bytes, Answer> {
    let mut body = Limited::new(body, shared.body_bytes);
    let mut whole = BytesMut::new();
    loop {
        let Ok(frame) = tokio::time::timeout(shared.patience, body.frame()).await else {
            let message = "the request body stopped coming";
            return Err(refusal(StatusCode::REQUEST_TIMEOUT, "timeout", message));
        };
        match frame {
            None => return Ok(whole.freeze()),
            Some(Ok(frame)) => {
                if let Some(bytes) = frame.data_ref() {
                    whole.extend_from_slice(bytes);
                }
            }
            Some(Err(error)) if error.downcast_ref::<LengthLimitError>().is_some() => {
                let message = "the request is larger than the proxy takes";
                return Err(refusal(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message));
            }
            Some(Err(_)) => {
                let message = "the request body did not arrive";
                return Err(refusal(StatusCode::BAD_REQUEST, "invalid_request", message));
            }
        }
    }
}

async fn chat(mut whole: Whole, shared: Arc<Shared>) -> Answer {
    if !names_tools(&whole.body) {
        return passthrough::forward(whole, shared).await;
    }
    let Ok(Value::Object(mut body)) = serde_json::from_slice::<Value>(&whole.body) else {
        return refusal(StatusCode::BAD_REQUEST, "invalid_request", "the request body is not a JSON object");
    };
    match body.get("tools") {
        // What a custom tool is called with is free text without a schema, and arrives under another key: nothing of it can be checked.
        // Tools that the endpoint runs itself (a search, a code interpreter) never come back as calls and may stand in the list.
        Some(Value::Array(tools)) if tools.iter().any(|tool| tool["type"] == "custom") => {
            let message = "custom tools cannot be checked; declare tools of the type function";
            refusal(StatusCode::BAD_REQUEST, "unsupported_tool", message)
        }
        Some(Value::Array(tools)) if !tools.is_empty() => {
            tool_turn::answer(whole.headers, body, shared).await
        }
        Some(Value::Array(_) | Value::Null) => {
            // An empty list means the same as none, and some endpoints refuse it.
            drop_empty_tools(&mut body);
            whole.body = Bytes::from(Value::Object(body).to_string());
            passthrough::forward(whole, shared).await
        }
        Some(_) => refusal(StatusCode::BAD_REQUEST, "invalid_request", "tools must be a list"),
        None => passthrough::forward(whole, shared).await,
    }
}

/// Whether the body has the key `tools`, however it is spelled. Looking for its letters costs little; a body without them, and without
/// escapes that could stand for them, cannot have it.
fn names_tools(body: &[u8]) -> bool {
    let holds = |word: &[u8]| memchr::memmem::find(body, word).is_some();
    let is_written = holds(b"\"tools\"");
    if !is_written && !holds(b"\\u") {
        return false;
    }
    // Only the keys are read: what else the body says is the endpoint's to judge.
    serde_json::from_slice::<HashMap<String, IgnoredAny>>(body)
        .map_or(is_written, |keys| keys.contains_key("tools"))
}

fn drop_empty_tools(body: &mut Map<String, Value>) {
    for key in ["tools", "tool_choice", "parallel_tool_calls"] {
        body.shift_remove(key);
    }
}

/// A page in a browser can reach this machine's ports: by a name that points here (Host), or directly (Origin, Sec-Fetch-Site).
/// What names the host must do so once and everywhere alike (RFC 9112, section 3.2).
fn refused_sender(request: &Request<Incoming>, shared: &Shared) -> Option<Answer> {
    let refused = |message| Some(refusal(StatusCode::FORBIDDEN, "forbidden", message));
    let headers = request.headers();
    let port = shared.port;
    let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")];
    let is_own = |host: &str| own.iter().any(|own| own.eq_ignore_ascii_case(host));
    let hosts: Vec<&str> = headers.get_all(HOST).iter().map(readable).collect();
    let in_target = request.uri().authority().map(|authority| authority.as_str());
    if hosts.len() != 1 || !hosts.into_iter().chain(in_target).all(is_own) {
        return refused("this host name is not the proxy's own");
    }
    if !headers.get_all(ORIGIN).iter().all(|origin| is_own_origin(readable(origin), &own)) {
        return refused("web pages of this origin may not use the proxy");
    }
    let is_from_elsewhere = |site: &HeaderValue| !matches!(readable(site), "same-origin" | "none");
    if headers.get_all("sec-fetch-site").iter().any(is_from_elsewhere) {
        return refused("other web pages may not use the proxy");
    }
    None
}

fn readable(value: &HeaderValue) -> &str {
    value.to_str().unwrap_or("unreadable")
}

fn is_own_origin(origin: &str, own: &[String]) -> bool {
    own.iter().any(|own| origin.strip_prefix("http://").is_some_and(|host| host.eq_ignore_ascii_case(own)))
}

fn refused_token(headers: &HeaderMap, shared: &Shared) -> Option<Answer> {
    let token = shared.token.as_ref()?;
    if bearer(headers).is_some_and(|shown| token.matches(shown)) {
        return None;
    }
    let mut refused =
        refusal(StatusCode::UNAUTHORIZED, "unauthorized", "the proxy's token is missing or wrong");
    refused.headers_mut().insert("www-authenticate", HeaderValue::from_static("Bearer"));
    Some(refused)
}

/// The key of `Authorization: Bearer …`; the scheme's case does not matter (RFC 9110, section 11.1).
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

/// An error in the form of the OpenAI interface. SDKs are told not to try again: what could be tried was tried.
pub(super) fn refusal(status: StatusCode, code: &str, message: &str) -> Answer {
    let body =
        json!({"error": {"message": message, "type": "stet_proxy_error", "param": null, "code": code}});
    let mut answer = bytes_answer(status, Bytes::from(body.to_string()));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer.headers_mut().insert("x-should-retry", HeaderValue::from_static("false"));
    answer
}

pub(super) fn bytes_answer(status: StatusCode, body: Bytes) -> Answer {
    let mut answer = Response::new(Full::new(body).map_err(|never| match never {}).boxed_unsync());
    *answer.status_mut() = status;
    answer
}

fn text_page(text: String) -> Answer {
    let mut answer = bytes_answer(StatusCode::OK, Bytes::from(text));
    answer
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"));
    answer
}

#[cfg(test)]
mod tests {
    use super::names_tools;

    #[test]
    fn the_key_counts_however_it_is_spelled() {
        assert!(names_tools(br#"{"tools":[]}"#));
        assert!(names_tools(br#"{"a":"\ud800","tool\u0073":[{}]}"#));
        assert!(!names_tools(br#"{"messages":[{"content":"the word \"tools\" and \ud800"}]}"#));
        assert!(!names_tools(br#"{"messages":[{"tools":1,"tool\u0073":2}]}"#));
    }
}
