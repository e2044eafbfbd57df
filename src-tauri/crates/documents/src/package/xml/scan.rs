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
        self.advance()
    }

    /// Reads to the end, giving no tokens.
    pub(super) fn run(mut self) -> Result<(), XmlError> {
        while self.advance()?.is_some() {}
        Ok(())
    }

    // Inlined by force: in `run` nothing of a token is then ever built, which a large part's check takes half its time for.
    #[inline(always)]
    fn advance(&mut self) -> Result<Option<Token>, XmlError> {
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

    #[cold]
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

    #[inline]
    fn text(&self) -> Result<Token, XmlError> {
        let start = self.position;
        let mut at = start;
        loop {
            at = self.text_end(at);
            match self.bytes.get(at) {
                None | Some(b'<') => break,
                Some(b']') if self.bytes[at..].starts_with(b"]]>") => {
                    return Err(self.fault(start, "text holds `]]>`"));
                }
                Some(b']') => at += 1,
                Some(_) => at = self.past_special(at)?,
            }
        }
        if self.open.is_empty() && !self.bytes[start..at].iter().all(u8::is_ascii_whitespace) {
            return Err(self.fault(start, "there is text outside the root element"));
        }
        Ok(Token { kind: TokenKind::Text, name: start..start, span: start..at })
    }

    #[inline]
    fn end_tag(&mut self) -> Result<Token, XmlError> {
        let start = self.position;
        let Some(open) = self.open.pop() else {
            return Err(self.fault(start, "an end tag does not match its start tag"));
        };
        let rest = &self.bytes[start + 2..];
        let name = start + 2..start + 2 + open.len();
        if rest.len() < open.len()
            || !same_name(&rest[..open.len()], &self.bytes[open])
            || self.name_end(name.end) != name.end
        {
            return Err(self.fault(start, "an end tag does not match its start tag"));
        }
        let close = self.skip_space(name.end);
        match self.bytes.get(close) {
            Some(b'>') => Ok(Token { kind: TokenKind::End, span: start..close + 1, name }),
            Some(_) => Err(self.fault(start, "an end tag holds more than a name")),
            None => Err(self.fault(start, "it ends inside a tag")),
        }
    }

    #[inline]
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
    #[inline]
    fn attributes(&self, mut at: usize) -> Result<(usize, bool), XmlError> {
        let mut names = Names::default();
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
            at = self.value_end(open + 1, quote)? + 1;
            if !names.insert(self.bytes, name) {
                return Err(self.fault(spaced, "an attribute is given twice"));
            }
        }
    }

    /// Where the closing quote stands.
    #[inline]
    fn value_end(&self, open: usize, quote: u8) -> Result<usize, XmlError> {
        let mut at = open;
        loop {
            at = self.plain_end(at, VALUE_STOP);
            match self.bytes.get(at) {
                None => return Err(self.fault(open - 1, "an attribute value is not closed")),
                Some(byte) if *byte == quote => return Ok(at),
                Some(b'"' | b'\'') => at += 1,
                Some(b'<') => return Err(self.fault(open, "an attribute value holds `<`")),
                Some(_) => at = self.past_special(at)?,
            }
        }
    }

    /// The next byte of a class.
    #[inline]
    fn plain_end(&self, at: usize, stop: u8) -> usize {
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        at + rest.iter().position(|byte| CLASS[usize::from(*byte)] & stop != 0).unwrap_or(rest.len())
    }

    /// The next byte that ends or interrupts plain text. Text may be long: behind its first bytes it is looked at sixteen at a time, which
    /// the compiler does with vector instructions.
    #[inline]
    fn text_end(&self, at: usize) -> usize {
        const FEW: usize = 16;
        let few = self.bytes.len().min(at + FEW);
        let is_stop = |byte: &u8| CLASS[usize::from(*byte)] & TEXT_STOP != 0;
        let rest = self.bytes.get(at..few).unwrap_or(&[]);
        if let Some(stop) = rest.iter().position(is_stop) {
            return at + stop;
        }
        let mut end = few;
        for chunk in self.bytes[few..].chunks_exact(FEW) {
            let holds_stop = chunk.iter().fold(0, |any, byte| {
                let (is_control, is_mark) = (*byte < b' ', matches!(byte, b'<' | b'&' | b']' | 0xEF));
                any | u8::from(is_control) | u8::from(is_mark)
            });
            if holds_stop != 0
                && let Some(stop) = chunk.iter().position(is_stop)
            {
                return end + stop;
            }
            end += FEW;
        }
        self.plain_end(end, TEXT_STOP)
    }

    /// Behind a reference or a character that needs a closer look.
    fn past_special(&self, at: usize) -> Result<usize, XmlError> {
        match self.bytes[at] {
            b'&' => {
                let window = &self.bytes[at..self.bytes.len().min(at + 12)];
                let end = memchr::memchr(b';', window)
                    .ok_or_else(|| self.fault(at, "`&` does not begin a reference"))?;
                let known = std::str::from_utf8(&window[..=end]).ok().and_then(reference);
                known.ok_or_else(|| self.fault(at, "a reference names no character"))?;
                Ok(at + end + 1)
            }
            // U+FFFE and U+FFFF are the only forbidden characters besides controls that UTF-8 can spell: EF BF BE, EF BF BF.
            0xEF if matches!(self.bytes.get(at + 1..at + 3), Some([0xBF, 0xBE | 0xBF])) => {
                Err(self.fault(at, "it holds a character that XML forbids"))
            }
            0xEF => Ok(at + 1),
            _ => Err(self.fault(at, "it holds a control character")),
        }
    }

    #[inline]
    fn skip_space(&self, at: usize) -> usize {
        // Mostly there is none.
        if self.bytes.get(at).is_none_or(|byte| CLASS[usize::from(*byte)] & SPACE == 0) {
            return at;
        }
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        at + rest.iter().position(|byte| CLASS[usize::from(*byte)] & SPACE == 0).unwrap_or(rest.len())
    }

    #[inline]
    fn name_end(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        at + rest.iter().position(|byte| CLASS[usize::from(*byte)] & NAME == 0).unwrap_or(rest.len())
    }

    /// The characters of a comment, CDATA section or instruction, where nothing else counts.
    fn check_characters(&self, range: Range<usize>) -> Result<(), XmlError> {
        let mut at = range.start;
        while at < range.end {
            let rest = &self.bytes[at..range.end];
            match rest.iter().position(|byte| CLASS[usize::from(*byte)] & CHARACTER_STOP != 0) {
                Some(special) => at = self.past_special(at + special)?,
                None => break,
            }
        }
        Ok(())
    }
}

/// The attribute names of one tag; most tags have few, so they are compared with each other.
#[derive(Default)]
struct Names {
    few: [(usize, usize); Names::FEW],
    count: usize,
    more: Vec<(usize, usize)>,
}

impl Names {
    const FEW: usize = 8;

    /// False when the name is there already.
    #[inline]
    fn insert(&mut self, bytes: &[u8], name: Range<usize>) -> bool {
        let is_new = |(start, end): &(usize, usize)| !same_name(&bytes[*start..*end], &bytes[name.clone()]);
        let seen = &self.few[..self.count.min(Names::FEW)];
        if !(seen.iter().all(is_new) && self.more.iter().all(is_new)) {
            return false;
        }
        match self.few.get_mut(self.count) {
            Some(slot) => *slot = (name.start, name.end),
            None => self.more.push((name.start, name.end)),
        }
        self.count += 1;
        true
    }
}

/// Names are short: comparing them byte by byte is faster than a call.
#[inline]
fn same_name(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a == b)
}

const SPACE: u8 = 1;
const NAME: u8 = 2;
/// What ends or interrupts plain text, a plain value, plain characters.
const TEXT_STOP: u8 = 4;
const VALUE_STOP: u8 = 8;
const CHARACTER_STOP: u8 = 16;

/// What each byte is; one look-up per byte is what the scanner's speed rests on.
const CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let byte = index as u8;
        let mut class = 0;
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            class |= SPACE;
        } else if byte < b' ' || byte == 0xEF {
            class |= TEXT_STOP | VALUE_STOP | CHARACTER_STOP;
        }
        if byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'-' | b'.' | 0x80..) {
            class |= NAME;
        }
        if matches!(byte, b'<' | b'&' | b']') {
            class |= TEXT_STOP;
        }
        if matches!(byte, b'<' | b'&' | b'"' | b'\'') {
            class |= VALUE_STOP;
        }
        table[index] = class;
        index += 1;
    }
    table
}
