//! Where two contents of one part differ, in one pass that costs little more than comparing them.
//!
//! It is not a diff for people: only long equal runs count, because only they hold blocks worth keeping. What it says to be equal was
//! compared byte by byte; what it misses costs time, never content.

use std::ops::Range;

/// A range of the old content that became a range of the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// Shorter equal runs are not worth an end and a beginning of the compressed data around them.
const WORTH: usize = 128 << 10;
/// What is looked up to find where the contents meet again.
const ANCHOR: usize = 64;
/// How much farther than expected an anchor is looked for.
const SLACK: usize = 64 << 10;
/// So many places of an anchor are tried.
const TRIES: usize = 4;
/// More edits than this are one long one.
const MOST: usize = 2_048;

/// All differences, ascending; none when the contents are the same.
pub(super) fn hunks(old: &[u8], new: &[u8]) -> Vec<Hunk> {
    let start = common_prefix(old, new);
    let tail = common_suffix(&old[start..], &new[start..]);
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let (mut at, mut now) = (start, start);
    let mut found = Vec::new();
    while at < old.len() || now < new.len() {
        let meeting = if found.len() < MOST { meet(old, at, new, now) } else { None };
        let (old_end, new_end) = meeting.unwrap_or((old.len(), new.len()));
        found.push(Hunk { old: at..old_end, new: now..new_end });
        let same = common_prefix(&old[old_end..], &new[new_end..]);
        (at, now) = (old_end + same, new_end + same);
    }
    found
}

/// The next place from which the contents are the same for long.
fn meet(old: &[u8], at: usize, new: &[u8], now: usize) -> Option<(usize, usize)> {
    let mut step = ANCHOR;
    loop {
        let anchor = old.get(at + step..at + step + ANCHOR)?;
        let area = &new[now..new.len().min(now + 2 * step + SLACK)];
        for found in memchr::memmem::find_iter(area, anchor).take(TRIES) {
            let (old_place, new_place) = (at + step, now + found);
            if common_prefix(&old[old_place..], &new[new_place..]) >= WORTH {
                let back = common_suffix(&old[at..old_place], &new[now..new_place]);
                return Some((old_place - back, new_place - back));
            }
        }
        step *= 2;
    }
}

pub(super) fn common_prefix(one: &[u8], other: &[u8]) -> usize {
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
    use proptest::prelude::*;

    use super::*;

    fn lines(count: usize) -> Vec<u8> {
        let figure = |at: usize| (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
        (0..count).flat_map(|at| format!("<c r=\"A{at}\"><v>{}</v></c>", figure(at)).into_bytes()).collect()
    }

    /// Replaying the hunks on the old content gives the new one.
    fn replayed(old: &[u8], new: &[u8]) -> usize {
        let found = hunks(old, new);
        let (mut at, mut now) = (0, 0);
        for hunk in &found {
            assert_eq!(old[at..hunk.old.start], new[now..hunk.new.start]);
            (at, now) = (hunk.old.end, hunk.new.end);
        }
        assert_eq!(old[at..], new[now..]);
        found.len()
    }

    #[test]
    fn edits_far_apart_are_told_apart() {
        let old = lines(80_000);
        let mut new = old.clone();
        for at in [1_900_000, 1_000_000, 10] {
            new.splice(at..at + 5, b"something longer".iter().copied());
        }
        assert_eq!(replayed(&old, &new), 3);
        assert_eq!(replayed(&new, &old), 3);
        assert_eq!(replayed(&old, &old), 0);
        assert_eq!(replayed(&old, b""), 1);
        let doubled = [&old[..1_000_000], &old[..700_000], &old[1_000_000..]].concat();
        assert_eq!(replayed(&old, &doubled), 1);
        let same = vec![b'x'; 3_000_000];
        assert_eq!(replayed(&same, &same[..2_999_000]), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn any_edits(edits in prop::collection::vec((0.0_f64..1.0, 0_usize..40_000, 0_usize..300), 0..6)) {
            let old = lines(20_000);
            let mut new = old.clone();
            for (place, gone, come) in edits {
                let at = (place * new.len() as f64) as usize;
                new.splice(at..(at + gone).min(new.len()), std::iter::repeat_n(b'z', come));
            }
            replayed(&old, &new);
        }
    }
}
