//! Looking for text in stories: exact, all places or the one that was named; what to say when it is not found or not unique.

use std::ops::Range;

use super::body::BREAK;
use crate::{
    EditError, Place,
    edit::{All, Occurrence},
    error::EditErrorKind,
};

/// How much of a story is shown in a refusal.
const SHOWN: usize = 160;

/// One story to look in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'t> {
    pub(super) location: &'t str,
    pub(super) text: &'t str,
}

/// A place where the text was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Which of the stories.
    pub(super) story: usize,
    pub(super) range: Range<usize>,
}

/// The places that an operation means, or why it means none.
pub(super) fn find(
    stories: &[Text<'_>],
    wanted: &str,
    occurrence: Option<Occurrence>,
) -> Result<Vec<Found>, EditError> {
    if wanted.is_empty() {
        return Err(EditError::new(EditErrorKind::InvalidArguments, "`find` is empty."));
    }
    let mut found = all(stories, wanted);
    if found.is_empty() && wanted.contains('\n') {
        // Where the outline shows a line break as U+000B, a caller may well write a line feed.
        found = all(stories, &wanted.replace('\n', BREAK.encode_utf8(&mut [0; 4])));
    }
    match occurrence {
        _ if found.is_empty() => Err(nothing(stories, wanted)),
        Some(Occurrence::All(All::All)) => Ok(found),
        Some(Occurrence::Nth(number)) => match number.checked_sub(1).and_then(|index| found.get(index)) {
            Some(one) => Ok(vec![one.clone()]),
            None => {
                let message = format!(
                    "There is no occurrence {number} of {:?}; it occurs {} times.",
                    shortened(wanted),
                    found.len()
                );
                Err(EditError::new(EditErrorKind::OutOfRange, message).matches(places(stories, &found)))
            }
        },
        None if found.len() == 1 => Ok(found),
        None => {
            let message = format!("{:?} occurs {} times.", shortened(wanted), found.len());
            Err(EditError::new(EditErrorKind::MultipleMatches, message)
                .hint("Give more of the text around it, or `occurrence` (1, 2, … or \"all\").")
                .matches(places(stories, &found)))
        }
    }
}

fn all(stories: &[Text<'_>], wanted: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for (story, Text { text, .. }) in stories.iter().enumerate() {
        let places = text.match_indices(wanted);
        found.extend(places.map(|(at, _)| Found { story, range: at..at + wanted.len() }));
    }
    found
}

fn places(stories: &[Text<'_>], found: &[Found]) -> Vec<Place> {
    let place = |one: &Found| Place {
        location: stories[one.story].location.to_owned(),
        text: around(stories[one.story].text, &one.range),
    };
    found.iter().map(place).collect()
}

/// The line around a place, shortened.
fn around(text: &str, range: &Range<usize>) -> String {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
    shortened(&text[start..end])
}

/// At most `SHOWN` characters.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn nothing(stories: &[Text<'_>], wanted: &str) -> EditError {
    let message = format!("{:?} was not found.", shortened(wanted));
    let candidates = nearest(stories, wanted);
    let hint = match candidates.is_empty() {
        true => "Read the outline again; text of layouts and masters is not content of a slide.",
        false => "Copy the text exactly from the outline; the nearest places are given.",
    };
    EditError::new(EditErrorKind::ZeroMatches, message).hint(hint).matches(candidates)
}

/// The up to three lines that share most letter pairs with the text.
fn nearest(stories: &[Text<'_>], wanted: &str) -> Vec<Place> {
    let wanted = pairs(wanted);
    let mut scored: Vec<(u32, Place)> = Vec::new();
    for story in stories {
        for line in story.text.split('\n') {
            let score = similarity(&wanted, &pairs(line));
            if score >= 300 {
                scored.push((score, Place { location: story.location.to_owned(), text: shortened(line) }));
            }
        }
    }
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().take(3).map(|(_, place)| place).collect()
}

fn pairs(text: &str) -> Vec<(char, char)> {
    let lower: Vec<char> = text.chars().take(2_000).flat_map(char::to_lowercase).collect();
    let mut pairs: Vec<(char, char)> = lower.windows(2).map(|pair| (pair[0], pair[1])).collect();
    pairs.sort_unstable();
    pairs
}

/// Shared pairs in thousandths of all (Dice).
fn similarity(a: &[(char, char)], b: &[(char, char)]) -> u32 {
    if a.is_empty() || b.is_empty() {
        return 0;
    }
    let (mut i, mut j, mut shared) = (0, 0, 0_u64);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                i += 1;
                j += 1;
            }
        }
    }
    (2_000 * shared / (a.len() + b.len()) as u64) as u32
}
