//! Event data that is not simply one chunk: nothing at all, several chunks, a chunk in a wrapping, half a character.
//!
//! Nothing here drops a piece of an answer: what cannot be taken as a whole is left for the aggregator to call malformed.

use serde_json::Value;

use super::chunk::read_chunk;
use crate::json::strict;

/// The data without the white space and NUL bytes that some servers put around it.
pub(crate) fn trimmed(data: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let start = data.iter().position(|byte| !is_blank(byte)).unwrap_or(data.len());
    let end = data.iter().rposition(|byte| !is_blank(byte)).map_or(start, |last| last + 1);
    &data[start..end]
}

/// Data that carries nothing: empty, a comment that was wrapped into an event, or one bare word (`ping`).
pub(crate) fn is_noise(data: &[u8]) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_' | b'.');
    data.is_empty()
        || data.starts_with(b":")
        || (data.len() <= 64 && data.iter().all(is_word) && !is_json(data))
}

/// A body without events that is a stream all the same: comments, or fields without data.
pub(crate) fn is_event_stream(body: &[u8]) -> bool {
    const FIELDS: [&[u8]; 5] = [b":", b"data", b"event", b"id:", b"retry:"];
    FIELDS.iter().any(|field| body.starts_with(field))
}

pub(crate) fn is_json(data: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(data).is_ok()
}

/// Whether a line may be a chunk whose beginning was damaged.
pub(crate) fn may_be_chunk(line: &[u8]) -> bool {
    ["\"choices\"", "\"delta\"", "\"tool_calls\"", "\"error\""]
        .iter()
        .any(|word| memchr::memmem::find(line, word.as_bytes()).is_some())
}

/// Whether an event has a key that only a piece of a call has. Keys inside a text are escaped and not found.
pub(crate) fn names_arguments(data: &[u8]) -> bool {
    ["\"arguments\"", "\"partial_json\"", "\"functionCall\""]
        .iter()
        .any(|word| memchr::memmem::find(data, word.as_bytes()).is_some())
}

/// `[DONE]`, in any case and with spaces.
pub(crate) fn is_sentinel(data: &[u8]) -> bool {
    let inner = data.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
    inner.is_some_and(|word| word.trim_ascii().eq_ignore_ascii_case(b"DONE"))
}

/// The chunks of an event that a server wrote without blank lines between them: every line must be whole on its own.
pub(crate) fn separate_lines(data: &[u8]) -> Option<Vec<Vec<u8>>> {
    let lines: Vec<&[u8]> = data.split(|byte| *byte == b'\n').map(trimmed).collect();
    let is_whole = |line: &&[u8]| is_noise(line) || is_sentinel(line) || read_chunk(line).is_ok();
    (lines.len() > 1 && lines.iter().all(is_whole))
        .then(|| lines.into_iter().filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
}

/// What stands inside a JSON value that is no chunk itself.
pub(crate) enum Wrapped {
    /// A list of chunks, or a chunk as its own JSON text.
    Chunks(Vec<Vec<u8>>),
    /// Valid JSON that says nothing here.
    Nothing,
    /// It looks like a chunk and cannot be read.
    Broken,
}

/// Looks into valid JSON that is no object.
pub(crate) fn unwrapped(data: &[u8]) -> Wrapped {
    let broken = || if may_be_chunk(data) { Wrapped::Broken } else { Wrapped::Nothing };
    let Some(value) = std::str::from_utf8(data).ok().and_then(|text| strict::parse(text).ok()) else {
        return broken();
    };
    match value {
        Value::Array(items) => {
            let objects: Vec<Vec<u8>> = items
                .iter()
                .filter(|item| item.is_object())
                .map(|item| item.to_string().into_bytes())
                .collect();
            if objects.is_empty() { broken() } else { Wrapped::Chunks(objects) }
        }
        Value::String(text) if read_chunk(trimmed(text.as_bytes())).is_ok() => {
            Wrapped::Chunks(vec![text.into_bytes()])
        }
        _ => broken(),
    }
}

/// The data of a text turn with each damaged character replaced: an invalid byte, or half a surrogate pair. Nothing when there is none.
pub(crate) fn with_replacements(data: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(data);
    let mended = without_half_pairs(&text);
    (mended.as_bytes() != data).then_some(mended)
}

/// RFC 8259, section 7: a character beyond the basic plane is two escapes; one alone is none. Gateways that cut text by UTF-16 units
/// send such halves.
fn without_half_pairs(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        mended.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                mended.push('\u{FFFD}');
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        mended.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    mended.push_str(rest);
    mended
}

/// The UTF-16 unit of a `\uXXXX` at the beginning.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

pub(crate) fn collect_text(value: &Value, into: &mut String) {
    match value {
        Value::String(text) => into.push_str(text),
        Value::Array(items) => items.iter().for_each(|item| collect_text(item, into)),
        Value::Object(part) => {
            if let Some(text) = part.get("text") {
                collect_text(text, into);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{trimmed, without_half_pairs};

    #[test]
    fn half_pairs_are_replaced_and_whole_ones_kept() {
        for (text, expected) in [
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""a\ud83d""#, "\"a\u{FFFD}\""),
            (r#""\ude00b\n""#, "\"\u{FFFD}b\\n\""),
            (r#""\ud83d\ud83d\ude00""#, "\"\u{FFFD}\\ud83d\\ude00\""),
            (r#""\\ud83d é\"""#, r#""\\ud83d é\"""#),
            ("\\", "\\"),
            ("\\é\\u12", "\\é\\u12"),
        ] {
            assert_eq!(without_half_pairs(text), expected);
        }
    }

    #[test]
    fn blanks_and_zero_bytes_around_are_nothing() {
        assert_eq!(trimmed(b" \0{}\0\n"), b"{}");
        assert_eq!(trimmed(b"\0"), b"");
    }
}
