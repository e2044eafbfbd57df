//! Any bytes as an event stream: the same events however the reads are cut, and the same as the standard's own wording gives.
#![no_main]

use gateway::testing::inside::events;
use libfuzzer_sys::fuzz_target;

/// Longer than any input, so that the limit plays no part.
const LINE_LIMIT: usize = 1 << 24;

/// The parser of the HTML standard (9.2.6) in its plainest form, with one difference: what the end of the body cuts off is handed out.
fn plain(body: &[u8]) -> Vec<Vec<u8>> {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let mut lines: Vec<Vec<u8>> = vec![Vec::new()];
    let mut bytes = body.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' => {
                bytes.next_if_eq(&b'\n');
                lines.push(Vec::new());
            }
            b'\n' => lines.push(Vec::new()),
            other => {
                if let Some(line) = lines.last_mut() {
                    line.push(other);
                }
            }
        }
    }
    lines.push(Vec::new());
    let mut found = Vec::new();
    let mut data: Option<Vec<u8>> = None;
    for line in lines {
        if line.is_empty() {
            found.extend(data.take());
            continue;
        }
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let (field, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if field == b"data" {
            let value = value.strip_prefix(b" ").unwrap_or(value);
            match &mut data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => data = Some(value.to_vec()),
            }
        }
    }
    found
}

fuzz_target!(|input: &[u8]| {
    let (head, body) = input.split_at(input.len().min(4));
    let whole = events([body], LINE_LIMIT);
    assert_eq!(whole.as_ref(), Some(&plain(body)), "as the standard says");
    assert_eq!(events(body.chunks(1), LINE_LIMIT), whole, "one byte per read");
    let size = usize::from(head.first().copied().unwrap_or_default()) + 1;
    assert_eq!(events(body.chunks(size), LINE_LIMIT), whole, "{size} bytes per read");
    let limit = usize::from(head.get(1).copied().unwrap_or_default());
    if let Some(short) = events(body.chunks(size), limit) {
        assert!(short.iter().all(|data| data.len() <= limit.max(1) * 2), "the limit of a line holds");
        assert_eq!(Some(short), whole);
    }
});
