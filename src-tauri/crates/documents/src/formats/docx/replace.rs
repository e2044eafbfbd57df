//! `docx_replace_text`: exact matches in the visible text of the stories that `scope` names.

use std::{ops::Range, rc::Rc};

use unicode_segmentation::GraphemeCursor;

use super::{
    batch::{Batch, Target},
    difference::{Hunk, hunks},
    index::StoryKind,
    markup::normalized,
    set_text::{change_text, shortened},
    story::Loaded,
    view::text_of,
};
use crate::{
    EditError, Place,
    edit::{Occurrence, Scope},
    error::EditErrorKind,
};

/// One match.
struct Match {
    part: usize,
    entry: usize,
    at: String,
    range: Range<usize>,
}

/// A paragraph of the searched stories.
struct Searched {
    part: usize,
    entry: usize,
    at: String,
    text: String,
}

pub(super) fn replace_text(
    batch: &mut Batch<'_>,
    find: &str,
    replace: &str,
    occurrence: Option<Occurrence>,
    scope: Scope,
) -> Result<(), EditError> {
    let (find, replace) = (normalized(find), normalized(replace));
    if find.is_empty() {
        return Err(EditError::new(EditErrorKind::InvalidArguments, "`find` is empty."));
    }
    let finder = memchr::memmem::Finder::new(&find);
    let searched = searched(batch, scope, &|text| finder.find(text.as_bytes()).is_some())?;
    let mut matches = Vec::new();
    for paragraph in &searched {
        matches.extend(matches_in(&paragraph.text, &find).map(|range| Match {
            part: paragraph.part,
            entry: paragraph.entry,
            at: paragraph.at.clone(),
            range,
        }));
    }
    if matches.is_empty() {
        let searched = self::searched(batch, scope, &|_| true)?;
        return Err(zero_matches(&searched, &find, scope));
    }
    let chosen = choose(matches, &searched, &find, occurrence)?;
    apply(batch, &chosen, &find, &replace)
}

/// The paragraphs of a scope whose text is to be kept, in document order.
fn searched(
    batch: &mut Batch<'_>,
    scope: Scope,
    keep: &dyn Fn(&str) -> bool,
) -> Result<Vec<Searched>, EditError> {
    let mut searched = Vec::new();
    for part in 0..batch.part_count() {
        let loaded: Rc<Loaded> = match batch.load(part) {
            Ok(loaded) => loaded,
            // A broken side part does not stop work in the body.
            Err(_) if part > 0 => continue,
            Err(error) => return Err(error.into()),
        };
        for (entry, paragraph) in loaded.index.paragraphs() {
            if in_scope(loaded.index.story_kind(paragraph), scope) {
                let text = text_of(&loaded.xml, &loaded.index, paragraph.node);
                if keep(&text) {
                    searched.push(Searched { part, entry, at: paragraph.at.clone(), text });
                }
            }
        }
    }
    Ok(searched)
}

fn in_scope(story: StoryKind, scope: Scope) -> bool {
    match scope {
        Scope::All => true,
        Scope::Body => story == StoryKind::Body,
        Scope::Headers => story == StoryKind::Header,
        Scope::Footers => story == StoryKind::Footer,
        Scope::Notes => matches!(story, StoryKind::Footnote | StoryKind::Endnote),
        Scope::Textboxes => story == StoryKind::TextBox,
    }
}

/// Matches that do not cut a grapheme in two: `e` is not found in `é` written as two characters.
fn matches_in<'t>(text: &'t str, find: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let whole = |at: usize| GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0).unwrap_or(true);
    text.match_indices(find)
        .map(|(start, found)| start..start + found.len())
        .filter(move |range| whole(range.start) && whole(range.end))
}

/// The one match of a text in a paragraph.
pub(super) fn choose_in(at: &str, text: &str, find: &str) -> Result<Range<usize>, EditError> {
    if find.is_empty() {
        return Err(EditError::new(EditErrorKind::InvalidArguments, "`find` is empty."));
    }
    let found: Vec<Range<usize>> = matches_in(text, find).collect();
    let place = |range: &Range<usize>| Place { location: at.to_owned(), text: around(text, range) };
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(EditError::new(EditErrorKind::ZeroMatches, format!("\"{find}\" was not found in {at}."))
            .hint("Use the text exactly as the outline shows it.")
            .matches(vec![Place { location: at.to_owned(), text: shortened(text) }])),
        several => Err(EditError::new(
            EditErrorKind::MultipleMatches,
            format!("\"{find}\" was found {} times in {at}.", several.len()),
        )
        .hint("Use a longer text.")
        .matches(several.iter().map(place).collect())),
    }
}

fn choose(
    mut matches: Vec<Match>,
    searched: &[Searched],
    find: &str,
    occurrence: Option<Occurrence>,
) -> Result<Vec<Match>, EditError> {
    let count = matches.len();
    match occurrence {
        Some(Occurrence::All(_)) => Ok(matches),
        None if count == 1 => Ok(matches),
        None => {
            let places = places(&matches, searched);
            Err(EditError::new(
                EditErrorKind::MultipleMatches,
                format!("\"{find}\" was found {count} times."),
            )
            .hint("Use a longer text, or say which `occurrence`, or \"all\".")
            .matches(places))
        }
        Some(Occurrence::Nth(number)) if (1..=count).contains(&number) => {
            Ok(vec![matches.swap_remove(number - 1)])
        }
        Some(Occurrence::Nth(number)) => {
            let places = places(&matches, searched);
            let message =
                format!("There is no occurrence {number} of \"{find}\"; it was found {count} times.");
            Err(EditError::new(EditErrorKind::OutOfRange, message).matches(places))
        }
    }
}

fn places(matches: &[Match], searched: &[Searched]) -> Vec<Place> {
    let text = |found: &Match| {
        let paragraph = searched.iter().find(|searched| searched.at == found.at);
        paragraph.map_or(String::new(), |paragraph| around(&paragraph.text, &found.range))
    };
    matches.iter().map(|found| Place { location: found.at.clone(), text: text(found) }).collect()
}

/// A match with some text on both sides.
fn around(text: &str, range: &Range<usize>) -> String {
    const SIDE: usize = 60;
    let start = text[..range.start].char_indices().rev().nth(SIDE - 1).map_or(0, |(at, _)| at);
    let end = text[range.end..].char_indices().nth(SIDE).map_or(text.len(), |(at, _)| range.end + at);
    text[start..end].to_owned()
}

fn zero_matches(searched: &[Searched], find: &str, scope: Scope) -> EditError {
    let error = EditError::new(EditErrorKind::ZeroMatches, format!("\"{find}\" was not found."));
    let hint = match (find.contains('\n'), scope) {
        (true, _) => "Text is looked up inside one paragraph; edit each paragraph by itself.",
        (false, Scope::All) => "Use the text exactly as the outline shows it.",
        (false, _) => "Use the text exactly as the outline shows it; `scope` may be widened to \"all\".",
    };
    error.hint(hint).matches(nearest(searched, find))
}

/// Up to three paragraphs that are most like what was looked for.
fn nearest(searched: &[Searched], find: &str) -> Vec<Place> {
    let wanted = folded(find);
    let words: Vec<&str> = wanted.split(' ').filter(|word| !word.is_empty()).collect();
    let mut scored: Vec<(usize, &Searched)> = searched
        .iter()
        .filter(|paragraph| !paragraph.text.is_empty())
        .map(|paragraph| {
            let text = folded(&paragraph.text);
            let whole = if text.contains(&wanted) { words.len() + 1 } else { 0 };
            (whole + words.iter().filter(|word| text.contains(**word)).count(), paragraph)
        })
        .filter(|(score, _)| *score > 0)
        .collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let place =
        |paragraph: &Searched| Place { location: paragraph.at.clone(), text: shortened(&paragraph.text) };
    scored.into_iter().take(3).map(|(_, paragraph)| place(paragraph)).collect()
}

/// Lower case, one kind of space, quote and dash.
fn folded(text: &str) -> String {
    let plain = text.chars().map(|character| match character {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201C}' | '\u{201D}' => '"',
        '\u{2010}'..='\u{2015}' => '-',
        other if other.is_whitespace() => ' ',
        other => other,
    });
    plain
        .collect::<String>()
        .to_lowercase()
        .split(' ')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// All matches of a part change together.
fn apply(batch: &mut Batch<'_>, chosen: &[Match], find: &str, replace: &str) -> Result<(), EditError> {
    let difference = hunks(find, replace);
    for same_part in chosen.chunk_by(|a, b| a.part == b.part) {
        let part = same_part[0].part;
        let loaded = batch.load(part)?;
        let edits: Vec<(usize, Vec<Hunk>)> = same_part
            .chunk_by(|a, b| a.entry == b.entry)
            .map(|matches| {
                let shifted = |start: usize| {
                    difference.iter().map(move |hunk| Hunk {
                        old: hunk.old.start + start..hunk.old.end + start,
                        new: hunk.new.clone(),
                    })
                };
                (matches[0].entry, matches.iter().flat_map(|found| shifted(found.range.start)).collect())
            })
            .collect();
        let target = Target { part, loaded, entry: same_part[0].entry };
        change_text(batch, &target, &edits)?;
    }
    Ok(())
}
