//! The shared string table (ECMA-376-1, 18.4.9), read only: new text goes inline, so that no item is ever edited or added.
//!
//! Items are found by position and decoded when asked for. `string_text` and `escape_string` also serve inline strings.

use std::{borrow::Cow, ops::Range, sync::Arc};

use super::grid::lex;
use crate::{
    DocumentError, EditError,
    package::{
        PartName,
        xml::{decode, escape_text},
    },
};

/// The items of `sharedStrings.xml`.
#[derive(Default)]
pub(super) struct Strings {
    text: Arc<Vec<u8>>,
    items: Vec<Range<u32>>,
}

impl Strings {
    pub(super) fn read(part: &PartName, bytes: &Arc<Vec<u8>>) -> Result<Strings, DocumentError> {
        let text: Arc<Vec<u8>> = match decode(bytes).map_err(|error| error.in_part(part))?.0 {
            Cow::Borrowed(_) => bytes.clone(),
            Cow::Owned(text) => Arc::new(text),
        };
        let items = items(&text);
        Ok(Strings { text, items })
    }

    /// The text of an item, phonetic runs left out.
    pub(super) fn get(&self, index: usize) -> Option<String> {
        self.raw(index).map(string_text)
    }

    /// An item as it is written.
    pub(super) fn raw(&self, index: usize) -> Option<&[u8]> {
        let item = self.items.get(index)?;
        Some(&self.text[item.start as usize..item.end as usize])
    }
}

/// The spans of all `si` elements, by their local name.
fn items(text: &[u8]) -> Vec<Range<u32>> {
    let mut items = Vec::new();
    let mut position = 0;
    while let Some(at) = memchr::memchr(b'<', &text[position..]) {
        let start = position + at;
        let Some(tag_end) = lex::tag_end(text, start) else { break };
        if local_name(text, start) == b"si" {
            let Some(end) = lex::skip(text, start, tag_end) else { break };
            items.push(start as u32..end as u32);
            position = end;
        } else {
            position = tag_end;
        }
    }
    items
}

/// The local name of the tag at `start`; nothing for end tags, comments and the like.
pub(super) fn local_name(text: &[u8], start: usize) -> &[u8] {
    let rest = &text[start + 1..];
    let end = rest.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'));
    let name = &rest[..end.unwrap_or(0)];
    match name.iter().position(|byte| *byte == b':') {
        Some(colon) => &name[colon + 1..],
        None => name,
    }
}

/// The text of a `si` or `is` element: its `t` and `r/t`, never what stands in `rPh` (18.4.6), with `_xHHHH_` resolved.
pub(super) fn string_text(element: &[u8]) -> String {
    let mut text = String::new();
    let mut position = 0;
    while let Some(at) = memchr::memchr(b'<', &element[position..]) {
        let start = position + at;
        let Some(tag_end) = lex::tag_end(element, start) else { break };
        position = match local_name(element, start) {
            b"t" => {
                let Some(end) = lex::skip(element, start, tag_end) else { break };
                let inner = lex::inner(element, start, tag_end, end);
                text.push_str(&lex::text(&element[inner]));
                end
            }
            b"rPh" => match lex::skip(element, start, tag_end) {
                Some(end) => end,
                None => break,
            },
            _ => tag_end,
        };
    }
    unescape_string(&text).into_owned()
}

/// Resolves `_xHHHH_` (22.9.2.19): exactly four hexadecimal digits.
pub(super) fn unescape_string(text: &str) -> Cow<'_, str> {
    if !text.contains("_x") {
        return Cow::Borrowed(text);
    }
    let mut units: Vec<u16> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        units.extend(rest[..at].encode_utf16());
        match escape_at(&rest[at..]) {
            Some(unit) => {
                units.push(unit);
                rest = &rest[at + 7..];
            }
            None => {
                units.extend("_x".encode_utf16());
                rest = &rest[at + 2..];
            }
        }
    }
    units.extend(rest.encode_utf16());
    Cow::Owned(String::from_utf16_lossy(&units))
}

fn escape_at(text: &str) -> Option<u16> {
    let digits = text.get(2..6)?;
    let closed = text.as_bytes().get(6) == Some(&b'_');
    let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    (closed && hexadecimal).then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

/// Text as it stands in a `t` element: what looks like an escape is escaped, and so is what XML cannot hold.
pub(super) fn escape_string(text: &str) -> Result<String, EditError> {
    let mut escaped = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        match character {
            '_' if escape_at(&text[at..]).is_some() => escaped.push_str("_x005F_"),
            '\t' | '\n' => escaped.push(character),
            // XML cannot hold these, and would turn a CR into LF; the format can (22.9.2.19).
            '\0'..='\x1F' | '\u{FFFE}' | '\u{FFFF}' => {
                escaped.push_str(&format!("_x{:04X}_", character as u32));
            }
            _ => escaped.push(character),
        }
    }
    escape_text(&escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phonetic_runs_are_no_text() {
        let item = "<si><t>課</t><rPh sb=\"0\" eb=\"1\"><t>カ</t></rPh><r><rPr/><t xml:space=\"preserve\"> a&amp;b</t></r></si>";
        assert_eq!(string_text(item.as_bytes()), "課 a&b");
    }

    #[test]
    fn escapes_go_both_ways() {
        for text in ["a\rb", "_x0041_", "_x00_", "x_x005F_x0041_", "\u{1}", "plain _ text", "_x000g_"] {
            let written = escape_string(text).unwrap();
            assert_eq!(unescape_string(&crate::package::xml::unescape(&written)), text, "{written}");
        }
        assert_eq!(unescape_string("_x005F_x0041_"), "_x0041_");
        assert_eq!(unescape_string("a_x000D_b"), "a\rb");
    }
}
