//! Whether a JSON text is lexically closed, and which of its members had arrived whole. Never changes anything.
//!
//! This is the test for truncation. It runs before any repair, so that a cut-off text can never be put right into a shorter valid one.

use serde_json::{Map, Value};

/// The state after the last character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scan {
    /// Inside a string.
    pub(crate) in_string: bool,
    /// Objects and lists still open.
    pub(crate) depth: usize,
    /// Anything but white space was seen.
    pub(crate) has_content: bool,
}

impl Scan {
    /// Nothing is open, and there was something.
    pub(crate) fn is_closed(self) -> bool {
        self.has_content && !self.is_open()
    }

    /// The text ends inside a string, an object or a list.
    pub(crate) fn is_open(self) -> bool {
        self.in_string || self.depth > 0
    }
}

/// Walks over a text in pieces. A closer that does not fit its opener closes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lexer {
    openers: Vec<u8>,
    in_string: bool,
    escaped: bool,
    has_content: bool,
}

impl Lexer {
    pub(crate) fn feed(&mut self, piece: &str) {
        let mut rest = piece.as_bytes();
        while let Some((&byte, tail)) = rest.split_first() {
            if self.in_string {
                rest = self.feed_string(rest);
                continue;
            }
            rest = tail;
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.openers.push(byte),
                b'}' if self.openers.last() == Some(&b'{') => drop(self.openers.pop()),
                b']' if self.openers.last() == Some(&b'[') => drop(self.openers.pop()),
                _ => {}
            }
            self.has_content |= !byte.is_ascii_whitespace();
        }
    }

    pub(crate) fn state(&self) -> Scan {
        Scan { in_string: self.in_string, depth: self.openers.len(), has_content: self.has_content }
    }

    /// Goes to the end of the string or of the piece.
    fn feed_string<'a>(&mut self, rest: &'a [u8]) -> &'a [u8] {
        if std::mem::take(&mut self.escaped) {
            return &rest[1..];
        }
        let Some(at) = memchr::memchr2(b'"', b'\\', rest) else { return &[] };
        match rest[at] {
            b'"' => self.in_string = false,
            _ => self.escaped = true,
        }
        &rest[at + 1..]
    }
}

/// The state after the whole text.
pub(crate) fn scan(text: &str) -> Scan {
    let mut lexer = Lexer::default();
    lexer.feed(text);
    lexer.state()
}

/// The members of the outermost object that had arrived whole when the text was cut: for messages to people and models only.
pub(crate) fn known_members(text: &str) -> Map<String, Value> {
    let mut known = Map::new();
    let Some(start) = text.find('{') else { return known };
    let mut rest = &text[start + 1..];
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let Some((key, after_key)) = whole_value(rest) else { return known };
        let Some(value_text) = after_key.trim_start().strip_prefix(':') else { return known };
        let Some((value, after_value)) = whole_value(value_text.trim_start()) else { return known };
        let Value::String(key) = key else { return known };
        // A number at the very end may have had more digits.
        let is_certain = !value.is_number() || !after_value.is_empty();
        if is_certain {
            known.insert(key, value);
        }
        rest = after_value;
    }
}

fn whole_value(text: &str) -> Option<(Value, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    text.get(values.byte_offset()..).map(|rest| (value, rest))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{known_members, scan};

    #[test]
    fn open_and_closed_are_told_apart() {
        for closed in [r#"{}"#, r#" {"a":[1,{"b":"}"}]} "#, r#"{"a":"\""}"#, r#"{"a":1}}"#, "1", r#""x""#] {
            assert!(scan(closed).is_closed(), "{closed}");
        }
        for open in [
            r#"{"#,
            r#"{"a":"b"#,
            r#"{"a":"b\"}"#,
            r#"[1,[2]"#,
            r#"{"ops":[{"op":"x"}"#,
            r#"{"a":[1}"#,
            r#"""#,
        ] {
            assert!(scan(open).is_open(), "{open}");
        }
        assert!(!scan("  \n").is_closed() && !scan("").is_open());
    }

    #[test]
    fn every_prefix_of_an_object_is_open() {
        let whole = r#"{"a":"x{y\"[","b":[1,2,{"c":null}],"d":{"e":"f"}}"#;
        for end in 1..whole.len() {
            assert!(scan(&whole[..end]).is_open(), "{}", &whole[..end]);
        }
    }

    #[test]
    fn whole_members_are_known() {
        let cut =
            r#"{"file_id":"file-02ea40ee","expected_content_rev":45,"ops":[{"op":"replace_text","find":"a"#;
        assert_eq!(
            serde_json::Value::Object(known_members(cut)),
            json!({"file_id": "file-02ea40ee", "expected_content_rev": 45})
        );
        assert_eq!(known_members(r#"{"rev":4"#).len(), 0, "the number may go on");
        assert_eq!(known_members("nothing").len(), 0);
    }
}
