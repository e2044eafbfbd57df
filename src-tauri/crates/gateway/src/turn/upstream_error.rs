//! What an endpoint's refusal means, whether it came as an HTTP status or inside a successful answer, and how long it asks to wait.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::judge::{Advice, Fault, one_line};
use crate::error::ErrorCode;
use crate::wire::chunk::{WireFailure, read_chunk};
use crate::wire::odd_data::{Wrapped, unwrapped};

/// A refusal by status.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) failure: WireFailure,
    /// The body as it came, for passing on.
    pub(crate) body: Vec<u8>,
    pub(crate) retry_after: Option<Duration>,
    /// `x-should-retry`: the endpoint decides.
    pub(crate) should_retry: Option<bool>,
}

impl Refusal {
    pub(crate) fn new(status: u16, headers: &HeaderMap, body: Vec<u8>, now: SystemTime) -> Refusal {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        Refusal {
            status,
            failure: failure_in(&body),
            retry_after: retry_after(headers, now),
            should_retry: match header("x-should-retry") {
                Some("true") => Some(true),
                Some("false") => Some(false),
                _ => None,
            },
            body,
        }
    }

    pub(crate) fn fault(&self) -> Fault {
        let (code, mut advice) = classify(Some(self.status), &self.failure);
        match self.should_retry {
            Some(false) if advice == Advice::Wait => advice = Advice::Stop,
            Some(true) if advice == Advice::Stop => advice = Advice::Wait,
            Some(_) | None => {}
        }
        let message = match one_line(&self.failure.message) {
            message if message.is_empty() => format!("the endpoint answered with status {}", self.status),
            message => format!("the endpoint answered with status {}: {message}", self.status),
        };
        Fault { code, message, advice, status: Some(self.status) }
    }
}

/// A failure inside a 200 answer.
pub(crate) fn fault_in_answer(failure: &WireFailure) -> Fault {
    let (code, advice) = classify(failure.status, failure);
    let message = format!("the endpoint reports an error: {}", one_line(&failure.message));
    Fault { code, message, advice, status: failure.status }
}

fn failure_in(body: &[u8]) -> WireFailure {
    let text = String::from_utf8_lossy(body);
    // One vendor puts its refusals into a list of one.
    let object = match unwrapped(text.trim().as_bytes()) {
        Wrapped::Chunks(one) if one.len() == 1 => one.into_iter().next().unwrap_or_default(),
        Wrapped::Chunks(_) | Wrapped::Nothing | Wrapped::Broken => text.trim().as_bytes().to_vec(),
    };
    let chunk = read_chunk(&object).ok();
    let known = chunk.and_then(|chunk| chunk.failure(b"error").filter(|failure| !failure.message.is_empty()));
    known.unwrap_or_else(|| WireFailure {
        message: one_line(&without_tags(&text)),
        code: String::new(),
        status: None,
    })
}

/// An error page's words without its markup.
fn without_tags(text: &str) -> String {
    if !text.trim_start().starts_with('<') {
        return text.to_owned();
    }
    let mut words = String::new();
    let mut in_tag = false;
    for c in text.chars() {
        match c {
            '<' => in_tag = true,
            '>' => {
                in_tag = false;
                words.push(' ');
            }
            _ if !in_tag => words.push(c),
            _ => {}
        }
    }
    words
}

fn classify(status: Option<u16>, failure: &WireFailure) -> (ErrorCode, Advice) {
    let code = failure.code.to_ascii_lowercase();
    let words = format!("{code} {}", failure.message.to_ascii_lowercase());
    let says = |needles: &[&str]| needles.iter().any(|needle| words.contains(needle));
    if says(&["tool_use_failed", "failed_generation", "malformed_function_call"]) {
        return (ErrorCode::CallMalformed, Advice::Retry);
    }
    if says(&["invalid diff: now finding less tool calls"]) {
        return (ErrorCode::CallMalformed, Advice::RetryWithoutStream);
    }
    if says(&[
        "insufficient_quota",
        "insufficient balance",
        "insufficient_balance",
        "exceeded your current quota",
        "credit balance",
    ]) || status == Some(402)
    {
        return (ErrorCode::QuotaExhausted, Advice::Stop);
    }
    if says(&[
        "context_length_exceeded",
        "maximum context length",
        "context length exceeded",
        "prompt is too long",
        "exceeds the context",
    ]) {
        return (ErrorCode::ContextTooLong, Advice::Stop);
    }
    if says(&["content_filter", "data_inspection_failed", "content_policy", "sensitive content"]) {
        return (ErrorCode::ContentFilter, Advice::Stop);
    }
    by_status(status).unwrap_or_else(|| by_words(&code, says))
}

fn by_status(status: Option<u16>) -> Option<(ErrorCode, Advice)> {
    let found = match status? {
        // Redirects are not followed: the key would go along.
        300..=399 => (ErrorCode::InvalidEndpoint, Advice::Stop),
        401 | 403 | 407 => (ErrorCode::Unauthorized, Advice::Stop),
        404 | 405 | 410 => (ErrorCode::NotFound, Advice::Stop),
        408 | 409 | 425 => (ErrorCode::UpstreamError, Advice::Wait),
        413 => (ErrorCode::TooLarge, Advice::Stop),
        429 => (ErrorCode::RateLimited, Advice::Wait),
        503 | 529 => (ErrorCode::Overloaded, Advice::Wait),
        501 | 505 => (ErrorCode::UpstreamError, Advice::Stop),
        500..=599 => (ErrorCode::UpstreamError, Advice::Wait),
        400..=499 => (ErrorCode::InvalidRequest, Advice::Stop),
        _ => return None,
    };
    Some(found)
}

fn by_words(code: &str, says: impl Fn(&[&str]) -> bool) -> (ErrorCode, Advice) {
    if says(&["rate_limit", "rate limit", "too many requests", "1302", "1305"]) {
        (ErrorCode::RateLimited, Advice::Wait)
    } else if says(&["overloaded", "unavailable", "try again later", "busy"]) {
        (ErrorCode::Overloaded, Advice::Wait)
    } else if says(&["unauthorized", "invalid api key", "invalid_api_key", "authentication", "permission"]) {
        (ErrorCode::Unauthorized, Advice::Stop)
    } else if code.contains("invalid") || code.contains("bad_request") || code.contains("badrequest") {
        (ErrorCode::InvalidRequest, Advice::Stop)
    } else {
        (ErrorCode::UpstreamError, Advice::Wait)
    }
}

/// `retry-after-ms`, or `Retry-After` as seconds or as a date (RFC 9110, section 10.2.3).
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    if let Some(milliseconds) = header("retry-after-ms").and_then(number) {
        return Duration::try_from_secs_f64(milliseconds / 1000.0).ok();
    }
    let value = header("retry-after")?;
    if let Some(seconds) = number(value) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// The optional key of ours that a 400 or 422 names, if it names one.
pub(crate) fn rejected_key<'a>(refusal: &Refusal, ours: &'a [String]) -> Option<&'a str> {
    if !matches!(refusal.status, 400 | 422) {
        return None;
    }
    let parameter = serde_json::from_slice::<Value>(&refusal.body).ok();
    let named = parameter.as_ref().and_then(|body| {
        body.pointer("/error/param").or_else(|| body.pointer("/param")).and_then(Value::as_str)
    });
    let text = String::from_utf8_lossy(&refusal.body).to_ascii_lowercase();
    let is_named = |key: &&String| {
        let root = |path: &str| path.split(['.', '[']).next().unwrap_or_default().to_owned();
        named.is_some_and(|named| root(named) == **key) || holds_word(&text, key)
    };
    // The longest first: `tool_choice` must not be found in a message about another key that contains it.
    let mut candidates: Vec<&String> = ours.iter().filter(is_named).collect();
    candidates.sort_by_key(|key| std::cmp::Reverse(key.len()));
    candidates.first().map(|key| key.as_str())
}

/// Whether the word stands in the text with no letter, digit or underscore beside it.
fn holds_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(is_part);
        let after = text[at + word.len()..].chars().next().is_some_and(is_part);
        !before && !after
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::{Refusal, rejected_key, retry_after};
    use crate::error::ErrorCode;
    use crate::turn::judge::Advice;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    #[test]
    fn three_forms_of_waiting() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let wait = |pairs: &[(&'static str, &str)]| retry_after(&headers(pairs), now);
        assert_eq!(wait(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(wait(&[("retry-after", "1.5")]), Some(Duration::from_millis(1500)));
        assert_eq!(
            wait(&[("retry-after-ms", "250"), ("retry-after", "9")]),
            Some(Duration::from_millis(250))
        );
        assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:49:40 GMT")]), Some(Duration::from_secs(3)));
        assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")]), Some(Duration::ZERO));
        for nonsense in ["soon", "-1", "inf", "NaN"] {
            assert_eq!(wait(&[("retry-after", nonsense)]), None, "{nonsense}");
        }
    }

    #[track_caller]
    fn check(status: u16, body: &str, code: ErrorCode, advice: Advice) {
        let fault = Refusal::new(status, &HeaderMap::new(), body.into(), SystemTime::UNIX_EPOCH).fault();
        assert_eq!((fault.code, fault.advice), (code, advice), "{status} {body}");
    }

    #[test]
    fn refusals_are_told_apart() {
        check(429, r#"{"error":{"message":"slow down"}}"#, ErrorCode::RateLimited, Advice::Wait);
        check(429, r#"{"error":{"code":"insufficient_quota"}}"#, ErrorCode::QuotaExhausted, Advice::Stop);
        check(
            400,
            r#"{"error":{"code":"tool_use_failed","failed_generation":"x"}}"#,
            ErrorCode::CallMalformed,
            Advice::Retry,
        );
        check(
            400,
            r#"{"error":{"message":"This model's maximum context length is 8"}}"#,
            ErrorCode::ContextTooLong,
            Advice::Stop,
        );
        check(401, "", ErrorCode::Unauthorized, Advice::Stop);
        check(404, "<html><h1>Not found</h1></html>", ErrorCode::NotFound, Advice::Stop);
        check(502, "<html>bad gateway</html>", ErrorCode::UpstreamError, Advice::Wait);
        check(503, "", ErrorCode::Overloaded, Advice::Wait);
        check(422, r#"{"detail":[{"msg":"extra"}]}"#, ErrorCode::InvalidRequest, Advice::Stop);
        check(
            500,
            r#"{"error":"Invalid diff: now finding less tool calls!"}"#,
            ErrorCode::CallMalformed,
            Advice::RetryWithoutStream,
        );
    }

    #[test]
    fn the_endpoint_may_decide_about_retrying() {
        let pairs = headers(&[("x-should-retry", "false")]);
        let refusal = Refusal::new(503, &pairs, Vec::new(), SystemTime::UNIX_EPOCH);
        assert_eq!(refusal.fault().advice, Advice::Stop);
    }

    #[test]
    fn a_rejected_key_is_found_by_name() {
        let ours = ["parallel_tool_calls".to_owned(), "tool_choice".to_owned(), "thinking".to_owned()];
        let find = |body: &str| {
            let refusal = Refusal::new(400, &HeaderMap::new(), body.into(), SystemTime::UNIX_EPOCH);
            rejected_key(&refusal, &ours).map(str::to_owned)
        };
        assert_eq!(
            find(r#"{"error":{"message":"Unknown parameter: 'parallel_tool_calls'."}}"#).as_deref(),
            Some("parallel_tool_calls")
        );
        assert_eq!(
            find(r#"{"error":{"param":"thinking.type","message":"no"}}"#).as_deref(),
            Some("thinking")
        );
        assert_eq!(
            find(r#"{"detail":[{"type":"extra_forbidden","loc":["body","tool_choice"]}]}"#).as_deref(),
            Some("tool_choice")
        );
        assert_eq!(find(r#"{"error":{"message":"my_tool_choice_x is wrong"}}"#), None);
        assert_eq!(find(r#"{"error":{"message":"rethinking"}}"#), None);
    }
}
