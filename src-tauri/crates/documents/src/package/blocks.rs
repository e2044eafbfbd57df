//! Where the blocks of a deflate stream (RFC 1951) begin: in bits of the stream and in bytes of what it unpacks to.
//!
//! It walks the codes without producing output, which takes a fraction of inflating. It trusts nothing: a stream that it does not
//! understand gives no boundaries, and whoever wanted them does without.

/// The start of a block, or the end of the stream behind the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Boundary {
    /// Bits from the start of the stream.
    pub(super) bit: usize,
    /// Bytes unpacked before it.
    pub(super) out: usize,
    pub(super) is_end: bool,
}

/// Walks the block boundaries behind a given one; ends early where the stream makes no sense.
pub(super) struct Blocks<'d> {
    bits: Bits<'d>,
    out: usize,
    is_over: bool,
    literals: Table,
    distances: Table,
}

impl<'d> Blocks<'d> {
    /// Starts at a block's first bit, counting output from `out`.
    pub(super) fn from(data: &'d [u8], bit: usize, out: usize) -> Option<Self> {
        let bits = Bits::at(data, bit)?;
        Some(Blocks { bits, out, is_over: false, literals: Table::default(), distances: Table::default() })
    }

    fn block(&mut self) -> Option<()> {
        self.bits.refill();
        self.is_over = self.bits.take(1) == 1;
        match self.bits.take(2) {
            0 => self.stored()?,
            1 => {
                self.fixed_tables()?;
                self.symbols()?;
            }
            2 => {
                self.dynamic_tables()?;
                self.symbols()?;
            }
            _ => return None,
        }
        self.bits.is_within().then_some(())
    }

    fn stored(&mut self) -> Option<()> {
        self.bits.align();
        self.bits.refill();
        let length = self.bits.take(16);
        let complement = self.bits.take(16);
        if length ^ complement != 0xFFFF {
            return None;
        }
        self.out += length as usize;
        self.bits.skip_bytes(length as usize)
    }

    /// RFC 1951, 3.2.6.
    fn fixed_tables(&mut self) -> Option<()> {
        let lengths: Vec<u8> = (0..288)
            .map(|symbol| match symbol {
                0..144 => 8,
                144..256 => 9,
                256..280 => 7,
                _ => 8,
            })
            .collect();
        self.literals.build(&lengths, literal_entry)?;
        self.distances.build(&[5; 30], distance_entry)
    }

    /// RFC 1951, 3.2.7.
    fn dynamic_tables(&mut self) -> Option<()> {
        const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
        let literals = self.bits.take(5) as usize + 257;
        let distances = self.bits.take(5) as usize + 1;
        let codes = self.bits.take(4) as usize + 4;
        let mut lengths = [0_u8; 19];
        for place in &ORDER[..codes] {
            self.bits.refill();
            lengths[*place] = self.bits.take(3) as u8;
        }
        let mut code = Table::default();
        code.build(&lengths, |symbol| symbol << 9)?;
        let mut all: Vec<u8> = Vec::with_capacity(320);
        while all.len() < literals + distances {
            self.bits.refill();
            let entry = code.look_up(&self.bits)?;
            self.bits.skip(entry & 31);
            let (value, count) = match entry >> 9 {
                16 => (*all.last()?, 3 + self.bits.take(2)),
                17 => (0, 3 + self.bits.take(3)),
                18 => (0, 11 + self.bits.take(7)),
                length => (length as u8, 1),
            };
            all.extend(std::iter::repeat_n(value, count as usize));
        }
        if all.len() > literals + distances {
            return None;
        }
        self.literals.build(&all[..literals], literal_entry)?;
        self.distances.build(&all[literals..], distance_entry)
    }

    fn symbols(&mut self) -> Option<()> {
        let mut out = self.out;
        loop {
            // The longest symbol takes 48 bits: 15 and 5 for a length, 15 and 13 for a distance.
            if self.bits.count < 48 {
                self.bits.refill();
                self.bits.is_within().then_some(())?;
            }
            let entry = self.literals.look_up(&self.bits)?;
            self.bits.skip(entry & 31);
            if entry & LITERAL != 0 {
                out += 1;
            } else if entry & END != 0 {
                self.out = out;
                return Some(());
            } else {
                out += (entry >> 9 & 0x1FF) as usize + self.bits.take(entry >> 5 & 15) as usize;
                let distance = self.distances.look_up(&self.bits)?;
                self.bits.skip((distance & 31) + (distance >> 5 & 15));
            }
        }
    }
}

impl Iterator for Blocks<'_> {
    type Item = Boundary;

    fn next(&mut self) -> Option<Boundary> {
        if self.is_over {
            return None;
        }
        self.block()?;
        Some(Boundary { bit: self.bits.position(), out: self.out, is_end: self.is_over })
    }
}

/// In an entry: bits 0-4 the code's length, 5-8 how many extra bits follow, 9-17 the base.
const LITERAL: u32 = 1 << 31;
const END: u32 = 1 << 30;

/// RFC 1951, 3.2.5: the extra bits and bases of lengths.
fn literal_entry(symbol: u32) -> u32 {
    const BASE: [u16; 29] = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163,
        195, 227, 258,
    ];
    const EXTRA: [u8; 29] =
        [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
    match symbol {
        0..256 => LITERAL,
        256 => END,
        _ => {
            let at = symbol as usize - 257;
            // Symbols 286 and 287 never occur in a sound stream: a length of nothing, found out by the comparison later.
            let (base, extra) = (BASE.get(at).copied().unwrap_or(0), EXTRA.get(at).copied().unwrap_or(0));
            u32::from(base) << 9 | u32::from(extra) << 5
        }
    }
}

fn distance_entry(symbol: u32) -> u32 {
    let extra = (symbol / 2).saturating_sub(1);
    extra << 5
}

/// A canonical Huffman code as one flat table over the longest code's bits.
#[derive(Default)]
struct Table {
    entries: Vec<u32>,
    mask: u64,
}

impl Table {
    /// Fills the table from code lengths (RFC 1951, 3.2.2); `None` when more codes are given than fit.
    fn build(&mut self, lengths: &[u8], entry: impl Fn(u32) -> u32) -> Option<()> {
        let mut counts = [0_u32; 16];
        for length in lengths {
            counts[usize::from(*length)] += 1;
        }
        counts[0] = 0;
        let longest = (1..16).rev().find(|length| counts[*length] > 0).unwrap_or(1);
        let mut next = [0_u32; 16];
        let mut code = 0_u32;
        for length in 1..16 {
            code = (code + counts[length - 1]) << 1;
            next[length] = code;
            if code + counts[length] > 1 << length {
                return None;
            }
        }
        self.entries.clear();
        self.entries.resize(1 << longest, 0);
        self.mask = (1 << longest) - 1;
        for (symbol, length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
            let length = usize::from(*length);
            let code = next[length].reverse_bits() >> (32 - length);
            next[length] += 1;
            let value = entry(symbol as u32) | length as u32;
            for slot in self.entries.iter_mut().skip(code as usize).step_by(1 << length) {
                *slot = value;
            }
        }
        Some(())
    }

    /// The entry of the code that comes next; `None` when no code begins like that.
    fn look_up(&self, bits: &Bits<'_>) -> Option<u32> {
        self.entries.get((bits.buffer & self.mask) as usize).copied().filter(|entry| entry & 31 != 0)
    }
}

/// Bits from the least significant one of each byte on (RFC 1951, 3.1.1).
struct Bits<'d> {
    data: &'d [u8],
    /// The next byte to load.
    at: usize,
    buffer: u64,
    count: u32,
}

impl<'d> Bits<'d> {
    fn at(data: &'d [u8], bit: usize) -> Option<Self> {
        let mut bits = Bits { data, at: bit / 8, buffer: 0, count: 0 };
        if bit.div_ceil(8) > data.len() {
            return None;
        }
        bits.refill();
        bits.skip((bit % 8) as u32);
        Some(bits)
    }

    /// At least 56 bits in the buffer; behind the end of the data they are zero.
    fn refill(&mut self) {
        if let Some(word) = self.data.get(self.at..self.at + 8).and_then(|word| word.try_into().ok()) {
            self.buffer |= u64::from_le_bytes(word) << self.count;
            self.at += ((63 - self.count) / 8) as usize;
            self.count |= 56;
            return;
        }
        while self.count <= 56 {
            let byte = self.data.get(self.at).copied().unwrap_or(0);
            self.buffer |= u64::from(byte) << self.count;
            self.at += 1;
            self.count += 8;
        }
    }

    fn skip(&mut self, count: u32) {
        self.buffer >>= count;
        self.count = self.count.saturating_sub(count);
    }

    fn take(&mut self, count: u32) -> u32 {
        let value = self.buffer & ((1 << count) - 1);
        self.skip(count);
        value as u32
    }

    fn align(&mut self) {
        self.skip(self.count % 8);
    }

    /// From an aligned position.
    fn skip_bytes(&mut self, count: usize) -> Option<()> {
        let at = self.position() / 8 + count;
        *self = Bits::at(self.data, at * 8)?;
        Some(())
    }

    fn position(&self) -> usize {
        self.at * 8 - self.count as usize
    }

    fn is_within(&self) -> bool {
        self.position() <= self.data.len() * 8
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::DeflateEncoder};

    use super::*;

    fn mixed(length: usize) -> Vec<u8> {
        let figure = |at: usize| (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 50;
        (0..length / 16).flat_map(|at| format!("<v>{:010}</v>", figure(at)).into_bytes()).collect()
    }

    #[test]
    fn the_last_boundary_is_the_end() {
        for level in [0, 1, 6, 9] {
            for content in [Vec::new(), b"a".to_vec(), mixed(1_000_000)] {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
                encoder.write_all(&content).unwrap();
                encoder.flush().unwrap();
                encoder.write_all(&content).unwrap();
                let data = encoder.finish().unwrap();
                let boundaries: Vec<Boundary> = Blocks::from(&data, 0, 0).unwrap().collect();
                let last = boundaries.last().unwrap();
                assert!(last.is_end);
                assert_eq!(
                    (last.bit.div_ceil(8), last.out),
                    (data.len(), 2 * content.len()),
                    "level {level}"
                );
                let middle = boundaries[boundaries.len() / 2];
                if !middle.is_end {
                    let rest = Blocks::from(&data, middle.bit, middle.out).unwrap().last().unwrap();
                    assert_eq!(rest, *last);
                }
            }
        }
    }

    #[test]
    fn nonsense_ends_without_an_end() {
        let mut state = 1_u32;
        for length in 0..200 {
            let noise: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 24) as u8
                })
                .collect();
            let walked = Blocks::from(&noise, 0, 0).into_iter().flatten().take(10_000).count();
            assert!(walked < 10_000);
        }
    }
}
