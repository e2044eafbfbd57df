//! A deflate stream for changed content that shares with the old stream all blocks the change does not reach.
//!
//! Kept: the blocks before the one that holds the change, to the bit, and those from 32 KiB behind it on (no reference reaches
//! farther back, RFC 1951, 2), as bytes: what is new is filled up so that they begin at the same bit of a byte. A `Seam` says where
//! the pieces meet; `Seam::holds` proves a written stream by it, without unpacking what was only copied.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use super::blocks::{Blocks, Boundary};

/// How far back a reference may reach.
const WINDOW: usize = 32 << 10;
/// An empty block of the fixed code: ten bits, of which the second is set (RFC 1951, 3.2.6).
const EMPTY_BLOCK: u64 = 0b10;
const EMPTY_BLOCK_BITS: usize = 10;
/// How much is unpacked behind the seam to see that the old blocks are read as before.
const BEHIND: usize = 64 << 10;

/// Where old and new pieces of a stream meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seam {
    /// The last kept boundary before the change (both streams are the same up to it).
    front: Boundary,
    /// Where the newly encoded bytes begin in the new stream.
    fresh: usize,
    /// The first kept boundary behind the change in the old stream, and where it lies in the new one.
    back: Option<(Boundary, Boundary)>,
}

/// A new stream and its seam; `None` when nothing could be kept.
pub(super) fn splice(stream: &[u8], old: &[u8], new: &[u8]) -> Option<(Vec<u8>, Seam)> {
    let start = common_prefix(old, new);
    let end = common_suffix(&old[start..], &new[start..]);
    let (front, back) = boundaries(stream, start, old.len() - end + WINDOW, old.len())?;
    if front.bit == 0 && back.is_none() {
        return None;
    }
    let grown = |out: usize| out + new.len() - old.len();
    let fresh_end = back.map_or(new.len(), |back| grown(back.out));
    let mut data = stream[..front.bit / 8].to_vec();
    align(&mut data, stream, front.bit);
    let fresh = data.len();
    let last = if back.is_some() { FlushCompress::Sync } else { FlushCompress::Finish };
    encode(&mut data, &new[front.out.saturating_sub(WINDOW)..front.out], &new[front.out..fresh_end], last)?;
    let back = back.map(|old_back| {
        let bit = append_at_same_bit(&mut data, stream, old_back.bit);
        (old_back, Boundary { bit, out: fresh_end, is_end: false })
    });
    Some((data, Seam { front, fresh, back }))
}

/// The last boundary at or before `start`, and the first one at or behind `from` that lies at an even bit.
fn boundaries(
    stream: &[u8],
    start: usize,
    from: usize,
    length: usize,
) -> Option<(Boundary, Option<Boundary>)> {
    let mut front = Boundary { bit: 0, out: 0, is_end: false };
    for boundary in Blocks::from(stream, 0, 0)? {
        if boundary.out > length {
            return None;
        }
        if boundary.is_end {
            return (boundary.out == length).then_some((front, None));
        }
        if boundary.out <= start {
            front = boundary;
        }
        // Empty blocks fill up in steps of two bits.
        if boundary.out >= from && boundary.bit.is_multiple_of(2) {
            return Some((front, Some(boundary)));
        }
    }
    None
}

/// Ends the kept front at a whole byte: an empty stored block where it ends inside one (RFC 1951, 3.2.4).
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

fn low_bits(count: usize) -> u8 {
    ((1_u16 << count) - 1) as u8
}

/// Appends the old stream from a bit on, behind empty blocks that bring it to the same place within a byte.
fn append_at_same_bit(data: &mut Vec<u8>, stream: &[u8], bit: usize) -> usize {
    let rest = bit % 8;
    let blocks = rest / 2;
    let fill = (0..blocks).fold(0, |bits, block| bits | EMPTY_BLOCK << (block * EMPTY_BLOCK_BITS));
    let bytes = fill.to_le_bytes();
    let whole = blocks * EMPTY_BLOCK_BITS / 8;
    data.extend_from_slice(&bytes[..whole]);
    let position = data.len() * 8 + rest;
    if rest > 0 {
        data.push(bytes[whole] & low_bits(rest) | stream[bit / 8] & !low_bits(rest));
        data.extend_from_slice(&stream[bit / 8 + 1..]);
    } else {
        data.extend_from_slice(&stream[bit / 8..]);
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

impl Seam {
    /// Whether a written stream unpacks to `new`, given that `stream` unpacks to `old`.
    pub(super) fn holds(&self, stream: &[u8], old: &[u8], written: &[u8], new: &[u8]) -> bool {
        self.front_is_kept(stream, old, written, new)
            && self.back_is_kept(stream, old, written, new)
            && self.fresh_is_aligned(written)
            && self.fresh_unpacks(written, new)
    }

    /// The same bits, hence the same content.
    fn front_is_kept(&self, stream: &[u8], old: &[u8], written: &[u8], new: &[u8]) -> bool {
        let Boundary { bit, out, .. } = self.front;
        let rest = bit % 8;
        let same_bits = rest == 0 || (stream[bit / 8] ^ written[bit / 8]) & low_bits(rest) == 0;
        stream[..bit / 8] == written[..bit / 8] && same_bits && old[..out] == new[..out]
    }

    /// The same bits behind the same window, hence the same content.
    fn back_is_kept(&self, stream: &[u8], old: &[u8], written: &[u8], new: &[u8]) -> bool {
        let Some((before, after)) = self.back else { return true };
        let rest = before.bit % 8;
        let same_bits = rest == 0 || (stream[before.bit / 8] ^ written[after.bit / 8]) & !low_bits(rest) == 0;
        let whole = usize::from(rest > 0);
        let same_bytes = stream[before.bit / 8 + whole..] == written[after.bit / 8 + whole..];
        let reach = before.out.min(WINDOW);
        let same_content = after.out >= reach && old[before.out - reach..] == new[after.out - reach..];
        rest == after.bit % 8 && same_bits && same_bytes && same_content
    }

    /// Between the front and the fresh bytes lies nothing, or one empty stored block.
    fn fresh_is_aligned(&self, written: &[u8]) -> bool {
        if self.front.bit == self.fresh * 8 {
            return true;
        }
        let filling =
            Blocks::from(written, self.front.bit, self.front.out).and_then(|mut blocks| blocks.next());
        filling == Some(Boundary { bit: self.fresh * 8, out: self.front.out, is_end: false })
    }

    /// The fresh bytes unpack to their content and the old blocks behind them go on where they should.
    fn fresh_unpacks(&self, written: &[u8], new: &[u8]) -> bool {
        let mut decompress = Decompress::new(false);
        let window = &new[self.front.out.saturating_sub(WINDOW)..self.front.out];
        if !window.is_empty() && decompress.set_dictionary(window).is_err() {
            return false;
        }
        let until = self.back.map_or(new.len(), |(_, after)| new.len().min(after.out + BEHIND));
        let expected = &new[self.front.out..until];
        let mut found = Vec::with_capacity(expected.len() + 1);
        while found.len() <= expected.len() {
            let (read, had) = (decompress.total_in() as usize, found.len());
            let rest = &written[self.fresh + read..];
            let Ok(status) = decompress.decompress_vec(rest, &mut found, FlushDecompress::None) else {
                return false;
            };
            let is_whole =
                found.len() == expected.len() && self.fresh + decompress.total_in() as usize == written.len();
            if status == Status::StreamEnd {
                return is_whole && found == expected && self.meets_back(written);
            }
            let is_stuck = found.len() == had && decompress.total_in() as usize == read;
            if is_stuck || found.len() == found.capacity() {
                break;
            }
        }
        self.back.is_some() && found.starts_with(expected) && self.meets_back(written)
    }

    /// Walking the fresh blocks leads to the kept boundary behind them, bit for bit.
    fn meets_back(&self, written: &[u8]) -> bool {
        let Some((_, after)) = self.back else { return true };
        let Some(mut blocks) = Blocks::from(written, self.fresh * 8, self.front.out) else { return false };
        blocks.find(|boundary| boundary.bit >= after.bit) == Some(after)
    }
}

fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    const STEP: usize = 4_096;
    let shorter = one.len().min(other.len());
    let mut at = 0;
    while at + STEP <= shorter && one[at..at + STEP] == other[at..at + STEP] {
        at += STEP;
    }
    at + one[at..shorter].iter().zip(&other[at..shorter]).take_while(|(a, b)| a == b).count()
}

fn common_suffix(one: &[u8], other: &[u8]) -> usize {
    const STEP: usize = 4_096;
    let shorter = one.len().min(other.len());
    let mut at = 0;
    let tail = |bytes: &[u8], at: usize| bytes.len() - at;
    while at + STEP <= shorter
        && one[tail(one, at + STEP)..tail(one, at)] == other[tail(other, at + STEP)..tail(other, at)]
    {
        at += STEP;
    }
    let (one, other) = (&one[..tail(one, at)], &other[..tail(other, at)]);
    at + one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count()
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
                let Some((written, seam)) = splice(&stream, &old, &new) else {
                    panic!("nothing kept at {at}")
                };
                assert_eq!(inflated(&written), new, "{at}");
                assert!(seam.holds(&stream, &old, &written, &new), "{at}");
                assert!(written.len() < stream.len() + 40_000);
                assert!(seam.back.is_some() || at > old.len() / 2);
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
        for at in (0..written.len()).step_by(97) {
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
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
