//! The scanner: tokens with byte ranges, well-formedness, no DTD, no recursion.
//!
//! It checks what a conforming reader checks (XML 1.0: tags match, one root, attribute syntax and uniqueness, references, allowed
//! characters, `]]>`), so that a part it accepts is not refused by Office.

use std::ops::Range;

use super::{XmlError, escape::reference};

/// What a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenKind {
    /// `<name …>`, or `<name …/>` when empty.
    Start {
        empty: bool,
    },
    End,
    Text,
    CData,
    Comment,
    /// `<?…?>`, the XML declaration included.
    Instruction,
}

/// One token; `name` is the qualified name of a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Range<usize>,
    pub name: Range<usize>,
}

/// Reads UTF-8 bytes token by token.
pub struct Scanner<'a> {
    bytes: &'a [u8],
    position: usize,
    open: Vec<Range<usize>>,
    depth: usize,
    seen_root: bool,
}

impl<'a> Scanner<'a> {
    /// Starts at the beginning; a byte-order mark is passed over.
    pub fn new(bytes: &'a [u8], depth: usize) -> Self {
        let position = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Scanner { bytes, position, open: Vec::new(), depth, seen_root: false }
    }

    /// The next token, `None` at a proper end.
    pub fn next_token(&mut self) -> Result<Option<Token>, XmlError> {
        if self.position == self.bytes.len() {
            return match (self.open.last(), self.seen_root) {
                (Some(open), _) => Err(self.fault(open.start, "an element is not closed")),
                (None, false) => Err(self.fault(0, "there is no root element")),
                (None, true) => Ok(None),
            };
        }
        let rest = &self.bytes[self.position..];
        let token = match rest {
            [b'<', b'/', ..] => self.end_tag()?,
            [b'<', b'?', ..] => self.until(b"?>", TokenKind::Instruction)?,
            _ if rest.starts_with(b"<!--") => self.comment()?,
            _ if rest.starts_with(b"<![CDATA[") => self.cdata()?,
            _ if rest.starts_with(b"<!DOCTYPE") => return Err(XmlError::Doctype),
            [b'<', ..] => self.start_tag()?,
            _ => self.text()?,
        };
        self.position = token.span.end;
        Ok(Some(token))
    }

    fn fault(&self, at: usize, why: &str) -> XmlError {
        XmlError::IllFormed { at, why: why.into() }
    }

    fn until(&self, end: &[u8], kind: TokenKind) -> Result<Token, XmlError> {
        let start = self.position;
        let found = memchr::memmem::find(&self.bytes[start + 2..], end)
            .ok_or_else(|| self.fault(start, "it ends inside a declaration or a comment"))?;
        let span = start..start + 2 + found + end.len();
        self.check_characters(span.clone())?;
        Ok(Token { kind, name: start..start, span })
    }

    fn comment(&self) -> Result<Token, XmlError> {
        let start = self.position;
        let found = memchr::memmem::find(&self.bytes[start + 4..], b"--")
            .ok_or_else(|| self.fault(start, "a comment is not closed"))?;
        let end = start + 4 + found + 2;
        if self.bytes.get(end) != Some(&b'>') {
            return Err(self.fault(start, "a comment holds two hyphens"));
        }
        self.check_characters(start..end)?;
        Ok(Token { kind: TokenKind::Comment, name: start..start, span: start..end + 1 })
    }

    fn cdata(&self) -> Result<Token, XmlError> {
        if self.open.is_empty() {
            return Err(self.fault(self.position, "there is text outside the root element"));
        }
        self.until(b"]]>", TokenKind::CData)
    }

    fn text(&self) -> Result<Token, XmlError> {
        let start = self.position;
        let end = memchr::memchr(b'<', &self.bytes[start..]).map_or(self.bytes.len(), |at| start + at);
        let text = &self.bytes[start..end];
        if self.open.is_empty() && !text.iter().all(u8::is_ascii_whitespace) {
            return Err(self.fault(start, "there is text outside the root element"));
        }
        if memchr::memmem::find(text, b"]]>").is_some() {
            return Err(self.fault(start, "text holds `]]>`"));
        }
        self.check_references(start..end)?;
        self.check_characters(start..end)?;
        Ok(Token { kind: TokenKind::Text, name: start..start, span: start..end })
    }

    fn end_tag(&mut self) -> Result<Token, XmlError> {
        let start = self.position;
        let close = memchr::memchr(b'>', &self.bytes[start..])
            .ok_or_else(|| self.fault(start, "it ends inside a tag"))?;
        let name_end = self.name_end(start + 2);
        let name = start + 2..name_end;
        if !self.bytes[name_end..start + close].iter().all(u8::is_ascii_whitespace) {
            return Err(self.fault(start, "an end tag holds more than a name"));
        }
        match self.open.pop() {
            Some(open) if self.bytes[open.clone()] == self.bytes[name.clone()] => {
                Ok(Token { kind: TokenKind::End, span: start..start + close + 1, name })
            }
            _ => Err(self.fault(start, "an end tag does not match its start tag")),
        }
    }

    fn start_tag(&mut self) -> Result<Token, XmlError> {
        let start = self.position;
        if self.open.is_empty() && self.seen_root {
            return Err(self.fault(start, "there is a second root element"));
        }
        let name = start + 1..self.name_end(start + 1);
        if name.is_empty() || matches!(self.bytes[name.start], b'0'..=b'9' | b'-' | b'.') {
            return Err(self.fault(start, "`<` is not followed by a name"));
        }
        let (end, empty) = self.attributes(name.end)?;
        self.seen_root = true;
        if !empty {
            if self.open.len() == self.depth {
                return Err(XmlError::TooDeep(self.depth));
            }
            self.open.push(name.clone());
        }
        Ok(Token { kind: TokenKind::Start { empty }, span: start..end, name })
    }

    /// Checks the attributes from `at` on; the end of the tag, and whether it is empty.
    fn attributes(&self, mut at: usize) -> Result<(usize, bool), XmlError> {
        let mut names: Vec<Range<usize>> = Vec::new();
        loop {
            let spaced = self.skip_space(at);
            match self.bytes.get(spaced) {
                Some(b'>') => return Ok((spaced + 1, false)),
                Some(b'/') if self.bytes.get(spaced + 1) == Some(&b'>') => return Ok((spaced + 2, true)),
                None => return Err(self.fault(at, "it ends inside a tag")),
                Some(_) if spaced == at => return Err(self.fault(at, "attributes are not separated")),
                Some(_) => {}
            }
            let name = spaced..self.name_end(spaced);
            let equals = self.skip_space(name.end);
            let open = self.skip_space(equals + 1);
            let quote = self.bytes.get(open).copied().filter(|byte| matches!(byte, b'"' | b'\''));
            let (Some(quote), false, Some(b'=')) = (quote, name.is_empty(), self.bytes.get(equals)) else {
                return Err(self.fault(spaced, "an attribute is not name=\"value\""));
            };
            let length = memchr::memchr(quote, &self.bytes[open + 1..])
                .ok_or_else(|| self.fault(open, "an attribute value is not closed"))?;
            let value = open + 1..open + 1 + length;
            if memchr::memchr(b'<', &self.bytes[value.clone()]).is_some() {
                return Err(self.fault(value.start, "an attribute value holds `<`"));
            }
            self.check_references(value.clone())?;
            self.check_characters(value.clone())?;
            if names.iter().any(|seen| self.bytes[seen.clone()] == self.bytes[name.clone()]) {
                return Err(self.fault(spaced, "an attribute is given twice"));
            }
            names.push(name);
            at = value.end + 1;
        }
    }

    fn skip_space(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        at + rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).unwrap_or(rest.len())
    }

    fn name_end(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        let is_name =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'-' | b'.' | 0x80..);
        at + rest.iter().position(|byte| !is_name(byte)).unwrap_or(rest.len())
    }

    fn check_references(&self, range: Range<usize>) -> Result<(), XmlError> {
        for at in memchr::memchr_iter(b'&', &self.bytes[range.clone()]) {
            let start = range.start + at;
            let window = &self.bytes[start..range.end.min(start + 12)];
            let end = memchr::memchr(b';', window)
                .ok_or_else(|| self.fault(start, "`&` does not begin a reference"))?;
            let known = std::str::from_utf8(&window[..=end]).ok().and_then(reference);
            known.ok_or_else(|| self.fault(start, "a reference names no character"))?;
        }
        Ok(())
    }

    fn check_characters(&self, range: Range<usize>) -> Result<(), XmlError> {
        let bytes = &self.bytes[range.clone()];
        if let Some(at) = bytes.iter().position(|byte| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r'))
        {
            return Err(self.fault(range.start + at, "it holds a control character"));
        }
        // U+FFFE and U+FFFF are the only other forbidden characters that UTF-8 can spell: EF BF BE, EF BF BF.
        let forbidden = memchr::memmem::find_iter(bytes, b"\xEF\xBF")
            .find(|&at| matches!(bytes.get(at + 2), Some(0xBE | 0xBF)));
        match forbidden {
            Some(at) => Err(self.fault(range.start + at, "it holds a character that XML forbids")),
            None => Ok(()),
        }
    }
}
