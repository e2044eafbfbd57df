//! The smallest sensible difference between two texts: common beginning and end by grapheme, words in between.
//!
//! It decides which characters an edit owns. Where two texts have little in common, one hunk is better than many lucky matches, so
//! that the new text does not inherit formatting from unrelated words.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// `old` (a range of the old text) gives way to `new`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) old: Range<usize>,
    pub(super) new: String,
}

/// Above this many cells the table of the word difference is not filled.
const TABLE_LIMIT: usize = 1 << 20;

/// The hunks that turn `old` into `new`, in order, without touching each other.
pub(super) fn hunks(old: &str, new: &str) -> Vec<Hunk> {
    hunks_of(old, new, 3)
}

/// The same with every common word kept, however little the texts have in common.
pub(super) fn fine_hunks(old: &str, new: &str) -> Vec<Hunk> {
    hunks_of(old, new, usize::MAX)
}

/// Below one part in `share` of common words there is one hunk.
fn hunks_of(old: &str, new: &str, share: usize) -> Vec<Hunk> {
    let (prefix, suffix) = common_ends(old, new);
    let (old_middle, new_middle) = (&old[prefix..old.len() - suffix], &new[prefix..new.len() - suffix]);
    if old_middle.is_empty() && new_middle.is_empty() {
        return Vec::new();
    }
    let whole = Hunk { old: prefix..old.len() - suffix, new: new_middle.to_owned() };
    if old_middle.is_empty() || new_middle.is_empty() {
        return vec![whole];
    }
    match by_words(old_middle, new_middle, share) {
        Some(mut pieces) => {
            for piece in &mut pieces {
                piece.old = piece.old.start + prefix..piece.old.end + prefix;
            }
            pieces
        }
        None => vec![whole],
    }
}

/// Lengths in bytes of the common beginning and end, which do not overlap.
fn common_ends(old: &str, new: &str) -> (usize, usize) {
    let prefix: usize =
        old.graphemes(true).zip(new.graphemes(true)).take_while(|(a, b)| a == b).map(|(a, _)| a.len()).sum();
    let suffix: usize = old[prefix..]
        .graphemes(true)
        .rev()
        .zip(new[prefix..].graphemes(true).rev())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len())
        .sum();
    (prefix, suffix)
}

fn by_words(old: &str, new: &str, share: usize) -> Option<Vec<Hunk>> {
    let (old_words, new_words): (Vec<&str>, Vec<&str>) =
        (old.split_word_bounds().collect(), new.split_word_bounds().collect());
    if old_words.len() * new_words.len() > TABLE_LIMIT {
        return None;
    }
    let pairs = common_words(&old_words, &new_words);
    let kept: usize = pairs.iter().map(|(at, _)| old_words[*at].trim().len()).sum();
    let longest = old.trim().len().max(new.trim().len());
    if kept.saturating_mul(share) < longest {
        return None;
    }
    Some(between(&old_words, &new_words, &pairs))
}

/// A longest common subsequence as pairs of positions.
fn common_words(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let mut best = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            best[i * width + j] = match old[i] == new[j] {
                true => best[(i + 1) * width + j + 1] + 1,
                false => best[(i + 1) * width + j].max(best[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[(i + 1) * width + j] >= best[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// The hunks between matched words, each without its own common beginning and end.
fn between(old: &[&str], new: &[&str], pairs: &[(usize, usize)]) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let (mut i, mut j, mut at) = (0, 0, 0);
    let end = (old.len(), new.len());
    for (next_old, next_new) in pairs.iter().copied().chain([end]) {
        let (gone, come) = (old[i..next_old].concat(), new[j..next_new].concat());
        if gone != come {
            let (prefix, suffix) = common_ends(&gone, &come);
            hunks.push(Hunk {
                old: at + prefix..at + gone.len() - suffix,
                new: come[prefix..come.len() - suffix].to_owned(),
            });
        }
        let matched = old.get(next_old).map_or(0, |word| word.len());
        at += gone.len() + matched;
        (i, j) = (next_old + 1, next_new + 1);
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(old: &str, hunks: &[Hunk]) -> String {
        let mut text = old.to_owned();
        for hunk in hunks.iter().rev() {
            text.replace_range(hunk.old.clone(), &hunk.new);
        }
        text
    }

    fn check(old: &str, new: &str, expected: usize) {
        let found = hunks(old, new);
        assert_eq!(applied(old, &found), new);
        assert_eq!(found.len(), expected, "{found:?}");
    }

    #[test]
    fn only_what_differs_is_named() {
        check("same", "same", 0);
        check("one two three", "one 2 three", 1);
        check("the quick brown fox jumps", "the slow brown fox sits", 2);
        check("alpha beta", "wholly other words", 1);
        check("", "new", 1);
        check("gone", "", 1);
        // e + U+0301 is one grapheme: it goes as a whole.
        assert_eq!(hunks("cafe\u{301}!", "cafe!"), [Hunk { old: 3..6, new: "e".into() }]);
    }
}
