//! Character data in and out (XML 1.0, 2.2, 2.4, 4.6).

use std::borrow::Cow;

use crate::{EditError, error::EditErrorKind};

/// Text content for `text`; characters that XML cannot hold are refused.
pub fn escape_text(text: &str) -> Result<String, EditError> {
    escape(text, |character| match character {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        // A bare CR would be read back as LF (XML 1.0, 2.11).
        '\r' => Some("&#13;"),
        _ => None,
    })
}

/// An attribute value for double quotes.
pub fn escape_attribute(text: &str) -> Result<String, EditError> {
    escape(text, |character| match character {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\t' => Some("&#9;"),
        '\n' => Some("&#10;"),
        '\r' => Some("&#13;"),
        _ => None,
    })
}

fn escape(text: &str, entity: impl Fn(char) -> Option<&'static str>) -> Result<String, EditError> {
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if !is_allowed(character) {
            let message =
                format!("The text holds the character U+{:04X}, which XML cannot hold.", character as u32);
            return Err(
                EditError::new(EditErrorKind::InvalidArguments, message).hint("Leave that character out.")
            );
        }
        match entity(character) {
            Some(entity) => escaped.push_str(entity),
            None => escaped.push(character),
        }
    }
    Ok(escaped)
}

/// The production `Char` of XML 1.0.
pub(super) fn is_allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..='\u{10FFFF}')
}

/// The characters that escaped text stands for. Unknown entities cannot occur in scanned text (they need a DTD).
pub fn unescape(raw: &str) -> Cow<'_, str> {
    // By bytes: this is asked of every attribute and text that is read.
    if memchr::memchr2(b'&', b'\r', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr::memchr2(b'&', b'\r', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix('\r') {
            // Line ends are normalised before anything else (XML 1.0, 2.11).
            text.push('\n');
            rest = after.strip_prefix('\n').unwrap_or(after);
        } else {
            let end = rest.find(';').map_or(rest.len(), |end| end + 1);
            match reference(&rest[..end]) {
                Some(character) => text.push(character),
                None => text.push_str(&rest[..end]),
            }
            rest = &rest[end..];
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The character of `&name;`, `&#N;` or `&#xN;`.
pub(super) fn reference(raw: &str) -> Option<char> {
    let name = raw.strip_prefix('&')?.strip_suffix(';')?;
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code).filter(|&character| is_allowed(character))
        }
    }
}
