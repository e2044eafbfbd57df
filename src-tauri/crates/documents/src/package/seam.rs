//! Where old and new pieces of a deflate stream meet, and the proof of a written stream by it.
//!
//! What was copied is compared with where it came from, which is known to unpack to the old content; only what is new is unpacked. Bits
//! that are the same behind the same 32 KiB of content unpack to the same (RFC 1951, 2).

use std::ops::Range;

use flate2::{Decompress, FlushDecompress, Status};

use super::{
    blocks::{Blocks, Boundary},
    splice::{WINDOW, low_bits},
};

/// How much is unpacked behind fresh bytes to see that the old blocks are read as before.
const BEHIND: usize = 64 << 10;

/// Fresh bytes between two kept pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Join {
    /// Where the kept piece before ends, in the old stream and in the new one.
    pub(super) front_old: Boundary,
    pub(super) front: Boundary,
    /// Where the newly encoded bytes begin in the new stream.
    pub(super) fresh: usize,
    /// Where the kept piece behind begins, in the old stream and in the new one.
    pub(super) back: Option<(Boundary, Boundary)>,
}

/// All joins of a written stream, ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seam {
    pub(super) joins: Vec<Join>,
}

/// A stream and what it unpacks to.
#[derive(Clone, Copy)]
struct Packed<'p> {
    stream: &'p [u8],
    content: &'p [u8],
}

impl Seam {
    /// Whether a written stream unpacks to `new`, given that `stream` unpacks to `old`.
    pub(super) fn holds(&self, stream: &[u8], old: &[u8], written: &[u8], new: &[u8]) -> bool {
        let old = Packed { stream, content: old };
        let new = Packed { stream: written, content: new };
        let start = Boundary { bit: 0, out: 0, is_end: false };
        let mut from = Some((start, start));
        for join in &self.joins {
            let Some(kept_from) = from else { return false };
            let is_sound = is_kept(old, new, kept_from, Some((join.front_old, join.front)))
                && join.is_aligned(new.stream)
                && join.unpacks(new);
            if !is_sound {
                return false;
            }
            from = join.back;
        }
        !self.joins.is_empty() && from.is_none_or(|from| is_kept(old, new, from, None))
    }
}

/// Whether a piece from one boundary to another (or to the end) has the same bits behind the same window and the same content.
fn is_kept(
    old: Packed<'_>,
    new: Packed<'_>,
    from: (Boundary, Boundary),
    to: Option<(Boundary, Boundary)>,
) -> bool {
    let reach = from.0.out.min(WINDOW);
    let end = |packed: Packed<'_>| (packed.stream.len() * 8, packed.content.len());
    let (old_end, new_end) = match to {
        Some((old_to, new_to)) => ((old_to.bit, old_to.out), (new_to.bit, new_to.out)),
        None => (end(old), end(new)),
    };
    if from.1.out < reach || from.0.bit > old_end.0 || from.0.out > old_end.1 {
        return false;
    }
    let content = old.content.get(from.0.out - reach..old_end.1);
    content.is_some()
        && content == new.content.get(from.1.out - reach..new_end.1)
        && same_bits(old.stream, from.0.bit..old_end.0, new.stream, from.1.bit..new_end.0)
}

/// Ranges of bits that lie at the same place within a byte.
fn same_bits(one: &[u8], bits: Range<usize>, other: &[u8], other_bits: Range<usize>) -> bool {
    if bits.start % 8 != other_bits.start % 8
        || bits.end.checked_sub(bits.start) != other_bits.end.checked_sub(other_bits.start)
    {
        return false;
    }
    let bytes = |bits: &Range<usize>| bits.start / 8..bits.end.div_ceil(8);
    let (Some(one), Some(other)) = (one.get(bytes(&bits)), other.get(bytes(&other_bits))) else {
        return false;
    };
    let (head, tail) = (low_bits(bits.start % 8), low_bits(bits.end % 8));
    let last = one.len().saturating_sub(1);
    let mask = |at: usize| {
        let front = if at == 0 { !head } else { 0xFF };
        if at == last && tail != 0 { front & tail } else { front }
    };
    match one.len() {
        0 => true,
        1 => (one[0] ^ other[0]) & mask(0) == 0,
        _ => {
            one[1..last] == other[1..last]
                && (one[0] ^ other[0]) & mask(0) == 0
                && (one[last] ^ other[last]) & mask(last) == 0
        }
    }
}

impl Join {
    /// Between the front and the fresh bytes lies nothing, or one empty stored block.
    fn is_aligned(&self, written: &[u8]) -> bool {
        if self.front.bit == self.fresh * 8 {
            return true;
        }
        let filling =
            Blocks::from(written, self.front.bit, self.front.out).and_then(|mut blocks| blocks.next());
        filling == Some(Boundary { bit: self.fresh * 8, out: self.front.out, is_end: false })
    }

    /// The fresh bytes unpack to their content and the old blocks behind them go on where they should.
    fn unpacks(&self, new: Packed<'_>) -> bool {
        let (written, content) = (new.stream, new.content);
        let mut decompress = Decompress::new(false);
        let window = &content[self.front.out.saturating_sub(WINDOW)..self.front.out];
        if !window.is_empty() && decompress.set_dictionary(window).is_err() {
            return false;
        }
        let until = self.back.map_or(content.len(), |(_, after)| content.len().min(after.out + BEHIND));
        let expected = &content[self.front.out..until];
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
