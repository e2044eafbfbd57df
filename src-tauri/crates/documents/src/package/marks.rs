//! The exact first bit of a block, from what unpacking the stream tells: after which byte it stopped between two blocks.
//!
//! Up to seven bits of that byte belong to the next block, so there are few places where it can begin. All of them are tried by walking
//! one block: the true place always leads to where the next block begins. Only where no other place does, and where the block before
//! leads to it, is it taken; else the block is not used as an end of anything.

use std::ops::RangeInclusive;

use super::blocks::{Blocks, Boundary};

/// Where unpacking stopped between two blocks (the last mark is the end of the stream).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// Bytes of the stream that were read.
    pub(super) read: usize,
    /// Bytes unpacked.
    pub(super) out: usize,
}

/// More than the seven bits that can be left over, so that nothing hangs on how the inflater counts.
const LEFT_OVER: usize = 31;

/// A stream with its marks.
pub(super) struct Marks<'s> {
    stream: &'s [u8],
    marks: &'s [Mark],
}

impl<'s> Marks<'s> {
    pub(super) fn new(stream: &'s [u8], marks: &'s [Mark]) -> Self {
        Marks { stream, marks }
    }

    /// The last block that begins at or before a byte of the content.
    pub(super) fn last_until(&self, out: usize) -> Option<Boundary> {
        let behind = self.marks.partition_point(|mark| mark.out <= out);
        (0..behind).rev().take(Self::TRIES).find_map(|index| self.exact(index))
    }

    /// The first block that begins at or behind a byte of the content and at an even bit.
    pub(super) fn first_even_from(&self, out: usize) -> Option<Boundary> {
        let first = self.marks.partition_point(|mark| mark.out < out);
        let rest = (first..self.marks.len()).take(Self::TRIES);
        rest.filter_map(|index| self.exact(index)).find(|boundary| boundary.bit.is_multiple_of(2))
    }

    /// How many blocks are tried before doing without.
    const TRIES: usize = 12;

    fn exact(&self, index: usize) -> Option<Boundary> {
        let out = self.marks.get(index)?.out;
        let mut places = self.places(index).filter(|bit| self.landing(index, *bit).is_some());
        let bit = places.next().filter(|_| places.next().is_none())?;
        let is_reached = index == 0
            || self
                .places(index - 1)
                .any(|before| self.landing(index - 1, before).is_some_and(|boundary| boundary.bit == bit));
        is_reached.then_some(Boundary { bit, out, is_end: false })
    }

    /// Where a block may begin.
    fn places(&self, index: usize) -> RangeInclusive<usize> {
        let last = self.marks[index].read * 8;
        if index == 0 { 0..=0 } else { last.saturating_sub(LEFT_OVER)..=last }
    }

    /// The end of a block that begins at a bit, when it is where the next mark says.
    fn landing(&self, index: usize, bit: usize) -> Option<Boundary> {
        let next = self.marks.get(index + 1)?;
        let end = Blocks::from(self.stream, bit, self.marks[index].out)?.next()?;
        let is_last = index + 2 == self.marks.len();
        let is_near = end.bit <= next.read * 8 && end.bit + LEFT_OVER >= next.read * 8;
        (end.out == next.out && end.is_end == is_last && is_near).then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::DeflateEncoder};

    use super::*;
    use crate::package::inflate::unpacked;

    /// Every mark that is made exact is a boundary that walking the whole stream finds, and nearly all are.
    #[test]
    fn marks_agree_with_walking() {
        let figure = |at: usize| (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
        let content: Vec<u8> = (0..40_000)
            .flat_map(|at| format!("<c r=\"A{at}\"><v>{}</v></c>", figure(at)).into_bytes())
            .collect();
        for level in [1, 6, 9] {
            for flush_every in [usize::MAX, 70_000] {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
                for piece in content.chunks(flush_every.min(content.len())) {
                    encoder.write_all(piece).unwrap();
                    if flush_every < content.len() {
                        encoder.flush().unwrap();
                    }
                }
                let stream = encoder.finish().unwrap();
                let (again, marks) = unpacked(&stream);
                assert!(again == content);
                let walked: Vec<Boundary> = Blocks::from(&stream, 0, 0).unwrap().collect();
                let exact = Marks::new(&stream, &marks);
                let found: Vec<Boundary> =
                    (1..marks.len() - 1).filter_map(|index| exact.exact(index)).collect();
                assert!(found.iter().all(|boundary| walked.contains(boundary)));
                // Where an empty stored block begins inside a byte cannot be known: its header and its filling are zeros.
                let share = if flush_every == usize::MAX { 9 } else { 4 };
                assert!(found.len() * 10 >= (marks.len() - 2) * share, "{} of {}", found.len(), marks.len());
                assert!(walked.len() <= marks.len(), "{} of {}", marks.len(), walked.len());
            }
        }
    }
}
