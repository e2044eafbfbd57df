//! Names of built-in paragraph styles as people say them: "a level 2 heading", 二级标题, "quote", 正文.

use super::numbers::{Place, number_at};
use super::{Candidate, Captured, fold, skip_blanks};

/// Said, and the name under which every Word document knows the style. Longer words stand before their beginnings.
const NAMED: &[(&str, &str)] = &[
    ("subtitle", "Subtitle"),
    ("title", "Title"),
    ("intense quote", "Intense Quote"),
    ("quote", "Quote"),
    ("quotation", "Quote"),
    ("body text", "Body Text"),
    ("normal text", "Normal"),
    ("normal", "Normal"),
    ("caption", "Caption"),
    ("bulleted list", "List Bullet"),
    ("bullet point", "List Bullet"),
    ("list bullet", "List Bullet"),
    ("bullet", "List Bullet"),
    ("numbered list", "List Number"),
    ("list number", "List Number"),
    ("副标题", "Subtitle"),
    ("引用", "Quote"),
    ("题注", "Caption"),
    ("正文", "Normal"),
    ("项目符号", "List Bullet"),
    ("编号列表", "List Number"),
];

/// A style at a position.
pub(super) fn style(text: &[char], at: usize) -> Vec<Candidate> {
    let named =
        || NAMED.iter().find_map(|(word, style)| Some(((*style).to_string(), word_at(text, at, word)?)));
    let title = || word_at(text, at, "标题").map(|end| ("Title".to_string(), end));
    let found = heading(text, at).or_else(named).or_else(title);
    found.map(|(style, end)| (Captured::Text { text: style, quoted: false }, end)).into_iter().collect()
}

/// "heading 2", "level 2 heading", "second-level heading", 标题2, 二级标题.
fn heading(text: &[char], at: usize) -> Option<(String, usize)> {
    let before = ["heading level", "heading", "标题"].into_iter().find_map(|word| {
        let (level, end) = level_at(text, word_at(text, at, word)?)?;
        Some((level, end))
    });
    let level_first = || {
        let start = word_at(text, at, "level").unwrap_or(at);
        let (level, end) = level_at(text, start)?;
        let end =
            ["-level", "level", "级"].into_iter().find_map(|word| word_at(text, end, word)).unwrap_or(end);
        let end = ["heading", "标题"].into_iter().find_map(|word| word_at(text, end, word))?;
        Some((level, end))
    };
    let (level, end) = before.or_else(level_first)?;
    Some((format!("Heading {level}"), end))
}

fn level_at(text: &[char], at: usize) -> Option<(usize, usize)> {
    match number_at(text, skip_blanks(text, at))? {
        (Place::At(level), end) if (1..=9).contains(&level) => Some((level, end)),
        _ => None,
    }
}

fn word_at(text: &[char], at: usize, word: &str) -> Option<usize> {
    let at = skip_blanks(text, at);
    let end = at + word.chars().count();
    let same = text.len() >= end && text[at..end].iter().zip(word.chars()).all(|(a, b)| fold(*a) == b);
    let latin = word.ends_with(|c: char| c.is_ascii_alphabetic());
    (same && !(latin && text.get(end).is_some_and(char::is_ascii_alphabetic))).then_some(end)
}
