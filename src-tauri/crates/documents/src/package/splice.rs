//! A deflate stream for changed content that shares with the old stream all blocks that no change reaches.
//!
//! Kept: whole blocks before a change, to the bit, and those from 32 KiB behind it on (no reference reaches farther back, RFC 1951, 2)
//! up to the next change. What is new is filled up so that kept bits lie at the same place within a byte, so they are copied as bytes.
//! A `Seam` says where the pieces meet and proves a written stream (`seam`).

use std::ops::Range;

use flate2::{Compress, Compression, FlushCompress, Status};

use super::{
    blocks::Boundary,
    hunks::{Hunk, hunks},
    marks::{Mark, Marks},
    seam::{Join, Seam},
};

/// How far back a reference may reach.
pub(super) const WINDOW: usize = 32 << 10;
/// An empty block of the fixed code: ten bits, of which the second is set (RFC 1951, 3.2.6).
const EMPTY_BLOCK: u64 = 0b10;
const EMPTY_BLOCK_BITS: usize = 10;
/// Less content between two changes is encoded anew with them.
const WORTH: usize = 64 << 10;

/// Blocks that stay, from one boundary of the old stream to another; `None` is the end of the stream.
type Kept = (Boundary, Option<Boundary>);

/// A new stream and its seam; `None` when nothing could be kept.
pub(super) fn splice(stream: &[u8], marks: &[Mark], old: &[u8], new: &[u8]) -> Option<(Vec<u8>, Seam)> {
    let hunks = hunks(old, new);
    let kept = kept(&Marks::new(stream, marks), &hunks, old.len())?;
    let mut data = Vec::with_capacity(stream.len() + WINDOW);
    let mut joins = Vec::new();
    // The kept piece under way: it ends at a boundary of the old stream, which lies here in the new one.
    let (first, rest) = kept.split_first()?;
    let mut end = first.1.map(|end| (end, end));
    data.extend_from_slice(&stream[..first.1.map_or(stream.len(), |end| end.bit / 8)]);
    let mut rest = rest.iter();
    while let Some((front_old, front)) = end {
        let next = rest.next();
        align(&mut data, stream, front_old.bit);
        let fresh = data.len();
        let fresh_end = next.map_or(new.len(), |(from, _)| moved(&hunks, from.out));
        let last = if next.is_some() { FlushCompress::Sync } else { FlushCompress::Finish };
        let window = &new[front.out.saturating_sub(WINDOW)..front.out];
        encode(&mut data, window, new.get(front.out..fresh_end)?, last)?;
        let back = next.map(|(from, to)| {
            let until = to.map_or(stream.len(), |to| to.bit / 8);
            let bit = append_at_same_bit(&mut data, stream, from.bit, until);
            (*from, Boundary { bit, out: fresh_end, is_end: false })
        });
        joins.push(Join { front_old, front, fresh, back });
        end = next.zip(back).and_then(|((from, to), (_, at))| {
            let to = (*to)?;
            Some((
                to,
                Boundary { bit: at.bit + to.bit - from.bit, out: at.out + to.out - from.out, is_end: false },
            ))
        });
    }
    Some((data, Seam { joins }))
}

/// What of the old stream stays: the piece from its beginning (which may be empty), then those between and behind the changes.
fn kept(marks: &Marks<'_>, hunks: &[Hunk], length: usize) -> Option<Vec<Kept>> {
    let first = hunks.first()?;
    let start = Boundary { bit: 0, out: 0, is_end: false };
    let mut kept = vec![(start, Some(marks.last_until(first.old.start).unwrap_or(start)))];
    for (index, hunk) in hunks.iter().enumerate() {
        let until = hunks.get(index + 1).map_or(length, |next| next.old.start);
        kept.extend(between(marks, hunk.old.end..until, until == length && index + 1 == hunks.len()));
    }
    let is_worth_it = kept.len() > 1 || kept.iter().any(|(_, end)| end.is_some_and(|end| end.bit > 0));
    is_worth_it.then_some(kept)
}

/// The blocks of an equal run whose references stay inside it.
fn between(marks: &Marks<'_>, run: Range<usize>, is_last: bool) -> Option<Kept> {
    let least = run.start + WINDOW + WORTH;
    if run.end < least {
        return None;
    }
    let from = marks.first_even_from(run.start + WINDOW)?;
    if is_last {
        return Some((from, None));
    }
    let to = marks.last_until(run.end)?;
    (to.out >= from.out + WORTH && to.bit / 8 > from.bit / 8 + 1).then_some((from, Some(to)))
}

/// Where a byte behind a change lies in the new content.
fn moved(hunks: &[Hunk], out: usize) -> usize {
    let before = hunks.partition_point(|hunk| hunk.old.end <= out);
    let last = before.checked_sub(1).map(|index| &hunks[index]);
    last.map_or(out, |hunk| out - hunk.old.end + hunk.new.end)
}

/// Ends a kept piece at a whole byte: an empty stored block where it ends inside one (RFC 1951, 3.2.4).
fn align(data: &mut Vec<u8>, stream: &[u8], bit: usize) {
    let rest = bit % 8;
    if rest == 0 {
        return;
    }
    data.push(stream[bit / 8] & low_bits(rest));
    // The block's header is three zero bits.
    if rest > 5 {
        data.push(0);
    }
    data.extend([0x00, 0x00, 0xFF, 0xFF]);
}

pub(super) fn low_bits(count: usize) -> u8 {
    ((1_u16 << count) - 1) as u8
}

/// Appends the old stream from a bit up to a byte, behind empty blocks that bring it to the same place within a byte.
fn append_at_same_bit(data: &mut Vec<u8>, stream: &[u8], bit: usize, until: usize) -> usize {
    let rest = bit % 8;
    let blocks = rest / 2;
    let fill = (0..blocks).fold(0, |bits, block| bits | EMPTY_BLOCK << (block * EMPTY_BLOCK_BITS));
    let bytes = fill.to_le_bytes();
    let whole = blocks * EMPTY_BLOCK_BITS / 8;
    data.extend_from_slice(&bytes[..whole]);
    let position = data.len() * 8 + rest;
    if rest > 0 {
        data.push(bytes[whole] & low_bits(rest) | stream[bit / 8] & !low_bits(rest));
        data.extend_from_slice(&stream[bit / 8 + 1..until]);
    } else {
        data.extend_from_slice(&stream[bit / 8..until]);
    }
    position
}

fn encode(data: &mut Vec<u8>, window: &[u8], content: &[u8], last: FlushCompress) -> Option<()> {
    let mut compress = Compress::new(Compression::new(6), false);
    if !window.is_empty() {
        compress.set_dictionary(window).ok()?;
    }
    loop {
        let read = compress.total_in() as usize;
        data.reserve((content.len() - read) / 2 + 1_024);
        let room = data.capacity() - data.len();
        let before = data.len();
        let status = compress.compress_vec(&content[read..], data, last).ok()?;
        let is_full = data.len() - before == room;
        match status {
            Status::StreamEnd => return Some(()),
            Status::Ok | Status::BufError if is_full || (compress.total_in() as usize) < content.len() => {}
            Status::Ok | Status::BufError if last == FlushCompress::Finish => {}
            Status::Ok | Status::BufError => return Some(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use flate2::{read::DeflateDecoder, write::DeflateEncoder};
    use proptest::prelude::*;

    use super::*;

    fn rows(count: usize) -> Vec<u8> {
        let figure = |at: usize| (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
        (0..count).flat_map(|at| format!("<c r=\"A{at}\"><v>{}</v></c>", figure(at)).into_bytes()).collect()
    }

    fn deflated(content: &[u8], level: u32, flush_every: usize) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
        for piece in content.chunks(flush_every) {
            encoder.write_all(piece).unwrap();
            if flush_every < content.len() {
                encoder.flush().unwrap();
            }
        }
        encoder.finish().unwrap()
    }

    fn splice(stream: &[u8], old: &[u8], new: &[u8]) -> Option<(Vec<u8>, Seam)> {
        let (content, marks) = crate::package::inflate::unpacked(stream);
        assert!(content == old);
        super::splice(stream, &marks, old, new)
    }

    fn inflated(stream: &[u8]) -> Vec<u8> {
        let mut content = Vec::new();
        DeflateDecoder::new(stream).read_to_end(&mut content).unwrap();
        content
    }

    #[test]
    fn an_edit_keeps_the_blocks_around_it() {
        let old = rows(60_000);
        let stream = deflated(&old, 6, usize::MAX);
        for at in [0, 100, old.len() / 3, old.len() / 2, old.len() - 50, old.len()] {
            for with in [&b""[..], b"x", b"a longer piece of text that is put in here"] {
                let new = [&old[..at], with, &old[(at + 7).min(old.len())..]].concat();
                if new == old {
                    continue;
                }
                let Some((written, seam)) = splice(&stream, &old, &new) else {
                    panic!("nothing kept at {at}")
                };
                assert_eq!(inflated(&written), new, "{at}");
                assert!(seam.holds(&stream, &old, &written, &new), "{at}");
                assert!(written.len() < stream.len() + 40_000);
                assert!(seam.joins.iter().any(|join| join.back.is_some()) || at > old.len() / 2);
            }
        }
    }

    #[test]
    fn a_seam_does_not_hold_for_damaged_bytes() {
        let old = rows(40_000);
        let stream = deflated(&old, 6, usize::MAX);
        let at = old.len() / 2;
        let new = [&old[..at], b"edit", &old[at + 3..]].concat();
        let (written, seam) = splice(&stream, &old, &new).unwrap();
        assert!(seam.holds(&stream, &old, &written, &new));
        for at in (0..written.len()).step_by(397) {
            for bit in [1, 16, 128] {
                let mut broken = written.clone();
                broken[at] ^= bit;
                assert!(
                    !seam.holds(&stream, &old, &broken, &new) || inflated(&broken) == new,
                    "byte {at}, bit {bit}"
                );
            }
        }
        let other = [&new[..at + 1], b"!", &new[at + 2..]].concat();
        assert!(!seam.holds(&stream, &old, &written, &other));
    }

    #[test]
    fn edits_far_apart_keep_the_blocks_between() {
        let old = rows(100_000);
        let stream = deflated(&old, 6, usize::MAX);
        let mut new = old.clone();
        for at in [2_000_000, 1_000_000, 40] {
            new.splice(at..at + 3, b"an edit".iter().copied());
        }
        let (written, seam) = splice(&stream, &old, &new).unwrap();
        assert!(inflated(&written) == new);
        assert!(seam.holds(&stream, &old, &written, &new));
        assert_eq!(seam.joins.len(), 3);
        let shared = |at: usize| memchr::memmem::find(&written, &stream[at..at + 5_000]).is_some();
        assert!(shared(stream.len() / 4) && shared(stream.len() / 10 * 9));
        for at in (0..written.len()).step_by(1_111) {
            let mut broken = written.clone();
            broken[at] ^= 4;
            assert!(!seam.holds(&stream, &old, &broken, &new) || inflated(&broken) == new, "byte {at}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn several_edits_of_any_stream(
            level in 0_u32..10,
            flush_every in prop_oneof![Just(usize::MAX), 10_000_usize..400_000],
            edits in prop::collection::vec((0.0_f64..1.0, 0_usize..2_000, 0_usize..200), 1..6),
        ) {
            let old = rows(60_000);
            let stream = deflated(&old, level, flush_every);
            let mut new = old.clone();
            for (place, gone, come) in edits {
                let at = (place * new.len() as f64) as usize;
                new.splice(at..(at + gone).min(new.len()), std::iter::repeat_n(b'z', come));
            }
            if let Some((written, seam)) = splice(&stream, &old, &new) {
                prop_assert!(inflated(&written) == new);
                prop_assert!(seam.holds(&stream, &old, &written, &new));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn any_edit_of_any_stream(
            level in 0_u32..10,
            flush_every in prop_oneof![Just(usize::MAX), 10_000_usize..400_000],
            place in 0.0_f64..1.0,
            gone in 0_usize..200_000,
            come in 0_usize..3_000,
        ) {
            let old = rows(30_000);
            let stream = deflated(&old, level, flush_every);
            let at = (place * old.len() as f64) as usize;
            let new = [&old[..at], &vec![b'z'; come], &old[(at + gone).min(old.len())..]].concat();
            if let Some((written, seam)) = splice(&stream, &old, &new) {
                prop_assert!(inflated(&written) == new);
                prop_assert!(seam.holds(&stream, &old, &written, &new));
            }
        }
    }
}
