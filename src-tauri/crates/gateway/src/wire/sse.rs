//! Server-sent events from bytes (WHATWG HTML, section 9.2.6), with the liberties that endpoints take.
//!
//! Works on bytes and on whole lines, so a character cut by a read never matters. Lines end in LF, CRLF or CR; one leading byte-order
//! mark is dropped; an event is dispatched only when it had a `data` line. Unlike the standard, an event that the end of the body cut
//! off before its blank line is still dispatched: many servers leave that line out after the last event, and a half JSON text is
//! noticed by whoever parses it.

use memchr::memchr2;

use super::odd_data::may_be_chunk;

/// One event: the joined data lines, and the event's name when it had one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) name: Vec<u8>,
    pub(crate) data: Vec<u8>,
    /// No event: a line without a field name of the standard, which may be a chunk whose beginning was damaged.
    pub(crate) is_damaged: bool,
}

/// A line grew beyond the limit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LineTooLong;

/// Splits a stream of bytes into events.
#[derive(Debug)]
pub(crate) struct SseParser {
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    /// The last line ended in CR; an LF that comes next belongs to it.
    after_carriage_return: bool,
    at_start: bool,
    line_limit: usize,
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl SseParser {
    pub(crate) fn new(line_limit: usize) -> SseParser {
        SseParser {
            line: Vec::new(),
            event: Event::default(),
            has_data: false,
            after_carriage_return: false,
            at_start: true,
            line_limit,
        }
    }

    /// Takes the next bytes, however they were cut, and hands every event that they complete to `on_event`.
    pub(crate) fn feed(&mut self, bytes: &[u8], mut on_event: impl FnMut(Event)) -> Result<(), LineTooLong> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.after_carriage_return {
                self.after_carriage_return = false;
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
                continue;
            }
            let Some(end) = memchr2(b'\n', b'\r', rest) else {
                self.line.extend_from_slice(rest);
                return self.check_length();
            };
            let (head, tail) = rest.split_at(end);
            self.after_carriage_return = tail.first() == Some(&b'\r');
            rest = tail.get(1..).unwrap_or_default();
            if self.line.is_empty() && !self.at_start {
                self.take_line(head, &mut on_event);
            } else {
                self.line.extend_from_slice(head);
                let line = std::mem::take(&mut self.line);
                self.take_line(&line, &mut on_event);
            }
            self.check_length()?;
        }
        Ok(())
    }

    /// The body has ended: hands out what was still open.
    pub(crate) fn finish(&mut self, mut on_event: impl FnMut(Event)) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.take_line(&line, &mut on_event);
        }
        self.dispatch(&mut on_event);
    }

    fn check_length(&self) -> Result<(), LineTooLong> {
        let is_too_long = self.line.len() > self.line_limit || self.event.data.len() > self.line_limit;
        if is_too_long { Err(LineTooLong) } else { Ok(()) }
    }

    fn take_line(&mut self, line: &[u8], on_event: &mut impl FnMut(Event)) {
        let line = if self.at_start { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) } else { line };
        self.at_start = false;
        if line.is_empty() {
            self.dispatch(on_event);
            return;
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(0) => return, // a comment
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.has_data {
                    self.event.data.push(b'\n');
                }
                self.has_data = true;
                self.event.data.extend_from_slice(value);
            }
            b"event" => self.event.name = value.to_vec(),
            // They serve reconnecting, which a chat stream cannot do.
            b"id" | b"retry" => {}
            // The standard ignores other fields. A piece of an answer must not be lost in silence, though.
            _ if may_be_chunk(line) => {
                on_event(Event { data: line.to_vec(), is_damaged: true, ..Event::default() })
            }
            _ => {}
        }
    }

    fn dispatch(&mut self, on_event: &mut impl FnMut(Event)) {
        let event = std::mem::take(&mut self.event);
        if std::mem::take(&mut self.has_data) {
            on_event(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LineTooLong, SseParser};

    fn events(pieces: &[&[u8]]) -> Vec<String> {
        let mut parser = SseParser::new(1 << 20);
        let mut found = Vec::new();
        for piece in pieces {
            parser.feed(piece, |event| found.push(String::from_utf8(event.data).unwrap())).unwrap();
        }
        parser.finish(|event| found.push(String::from_utf8(event.data).unwrap()));
        found
    }

    #[track_caller]
    fn check(body: &[u8], expected: &[&str]) {
        assert_eq!(events(&[body]), expected, "whole");
        let single: Vec<&[u8]> = body.chunks(1).collect();
        assert_eq!(events(&single), expected, "byte by byte");
        for cut in 0..body.len() {
            assert_eq!(events(&[&body[..cut], &body[cut..]]), expected, "cut at {cut}");
        }
    }

    #[test]
    fn every_line_ending_ends_a_line() {
        check(b"data: a\n\ndata: b\n\n", &["a", "b"]);
        check(b"data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]);
        check(b"data: a\r\rdata: b\r\r", &["a", "b"]);
        check(b"data: a\r\n\ndata: b\n\r\n", &["a", "b"]);
    }

    #[test]
    fn fields_are_read_as_the_standard_says() {
        check(b"data:a\n\n", &["a"]);
        check(b"data:  a\n\n", &[" a"]);
        check(b"data: a\ndata: b\n\n", &["a\nb"]);
        check(b"data\n\n", &[""]);
        check(b": comment\n\ndata: a\n\n: another\n\n", &["a"]);
        check(b"event: x\nid: 1\nretry: 5\ndata: a\n\n", &["a"]);
        check(b"datax: a\n\n", &[]);
    }

    #[test]
    fn a_blank_line_after_an_id_is_no_event() {
        check(b"id: 1\ndata: a\n\n: ping\n\nid: 2\n\n", &["a"]);
    }

    #[test]
    fn one_byte_order_mark_is_dropped() {
        check(b"\xEF\xBB\xBFdata: a\n\n", &["a"]);
        check(b"\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\ndata: b\n\n", &["b"]);
        check(b"data: a\n\n\xEF\xBB\xBFdata: b\n\n", &["a"]);
    }

    #[test]
    fn an_event_cut_by_the_end_is_handed_out() {
        check(b"data: [DONE]", &["[DONE]"]);
        check(b"data: a\n", &["a"]);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut parser = SseParser::new(8);
        assert_eq!(parser.feed(b"data: 0123456789", |_| {}), Err(LineTooLong));
    }
}
