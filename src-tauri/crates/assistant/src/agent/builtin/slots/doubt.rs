//! Where text without quotes ends is a guess. This says when the guess would be a bad one.
//!
//! "set B4 to 120 and C4 to 130" sets no cell to "120 and C4 to 130". What may hold a second command, a condition or a place is not
//! taken for text; the user is asked to put the text in quotes or behind a colon.

use super::{cells, fold};

/// Whether a colon or a line end stands before the text: what follows is text, whatever it says.
pub(super) fn is_announced(text: &[char], at: usize) -> bool {
    let before = text[..at].iter().rev().find(|c| !matches!(c, ' ' | '\t' | '\u{3000}'));
    before.is_some_and(|c| matches!(fold(*c), ':' | '\n'))
}

const JOINTS: &[&str] = &["and", "then", "but", "also", "plus", "or"];
const VERBS: &[&str] = &[
    "delete", "remove", "set", "insert", "append", "add", "replace", "change", "undo", "rename", "move",
    "hide", "make", "put", "write", "clear", "leave", "keep", "do", "don't", "not", "only",
];
const PLACES: &[&str] = &[
    "line",
    "lines",
    "row",
    "rows",
    "column",
    "columns",
    "cell",
    "cells",
    "slide",
    "slides",
    "paragraph",
    "paragraphs",
    "section",
    "sheet",
    "page",
    "table",
    "chapter",
    "heading",
];
const PREPOSITIONS: &[&str] = &["in", "on", "to", "of", "from", "before", "after", "at", "for"];
const LIMITS: &[&str] = &["except", "unless"];
const SUMS: &[&str] = &["sum", "average", "total", "mean", "product", "difference", "maximum", "minimum"];
const CHINESE: &[&str] = &[
    "但不",
    "但是",
    "但只",
    "除了",
    "除非",
    "如果",
    "不要",
    "不包括",
    "然后删",
    "并删除",
    "再删除",
    "和第",
    "和“",
    "和\"",
    "和「",
];

/// Whether the text seems to hold more than text.
pub(super) fn goes_on(text: &str) -> bool {
    let folded: String = text.chars().map(fold).collect();
    if CHINESE.iter().any(|word| folded.contains(word)) || joins_a_cell(&folded) {
        return true;
    }
    let words: Vec<&str> =
        folded.split_whitespace().map(|word| word.trim_matches(['(', ')', ',', ';'])).collect();
    let is = |at: usize, list: &[&str]| words.get(at).is_some_and(|word| list.contains(word));
    let is_cell_at = |at: usize| words.get(at).is_some_and(|word| is_cell(word));
    let begins_quote =
        |at: usize| words.get(at).is_some_and(|word| word.starts_with(super::quotes::is_quote));
    let is_count =
        |at: usize| words.get(at).is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    (0..words.len()).any(|at| {
        let joins = is(at, JOINTS)
            && (is(at + 1, VERBS)
                || is_cell_at(at + 1)
                || begins_quote(at + 1)
                || is(at + 1, PLACES) && is_count(at + 2));
        // "… in line 3", "… on sheet Data": at the end, or with a number it is a place.
        let names_place =
            is(at, PREPOSITIONS) && is(at + 1, PLACES) && (is_count(at + 2) || at + 3 == words.len());
        let limits = at > 0 && is(at, LIMITS);
        let asks = at > 0
            && words[at] == "if"
            && (is_cell_at(at + 1)
                || is(at + 1, PLACES)
                || is(at + 1, &["it", "that"]) && is(at + 2, &["is", "says"]));
        let everywhere = words[at] == "in"
            && is(at + 1, &["all", "every", "each"])
            && is(at + 2, &["file", "files", "documents"]);
        let reckons = is(at, SUMS) && words.get(at + 1) == Some(&"of") && is_cell_at(at + 2);
        joins || names_place || limits || asks || everywhere || reckons
    })
}

/// `和C4`: a cell behind the Chinese "and", which stands without blanks.
fn joins_a_cell(folded: &str) -> bool {
    folded.match_indices(['和', '与', '及']).any(|(at, joint)| {
        let behind: String =
            folded[at + joint.len()..].chars().take_while(char::is_ascii_alphanumeric).collect();
        is_cell(&behind)
    })
}

fn is_cell(word: &str) -> bool {
    let word: Vec<char> = word.chars().collect();
    cells::cell_at(&word, 0).is_some_and(|(_, end)| end == word.len())
}

#[cfg(test)]
mod tests {
    use super::goes_on;

    #[test]
    fn what_holds_more_than_text_is_seen() {
        for text in [
            "120 and C4 to 130",
            "120 and delete row 5",
            "120 on sheet Foo",
            "120 if it is 3",
            "the sum of B2 and B3",
            "120和C4设为130",
            "2 except in line 2",
            "bye and delete line 1",
            "a and line 2 to b",
            "x in all files",
            "改成“1”但不要改第1行",
        ] {
            assert!(goes_on(text), "{text}");
        }
    }

    #[test]
    fn text_may_say_what_it_likes() {
        for text in [
            "Results and outlook",
            "We stay in line with the law",
            "Terms and conditions of the sale, in writing",
            "The parties agree to the terms if both sign.",
            "two years",
            "销售和市场",
            "A and B",
        ] {
            assert!(!goes_on(text), "{text}");
        }
    }
}
