//! The text engine on texts made to break it: encodings by hand, endings of every kind, places that overlap, headings that are none.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    buffer::Buffer,
    detect::detect,
    markdown,
    tests::{gives, refused, run},
};
use crate::error::EditErrorKind;

fn replace(find: &str, with: &str) -> Value {
    json!([{"op": "replace_text", "find": find, "replace": with}])
}

/// Bytes as they would be typed from a table of the encoding; the edit touches its own bytes alone.
#[test]
fn every_encoding_by_hand() {
    // GB18030: 一 D2BB, ㄅ A8C5, four bytes for é? no: U+1F600 is 94 39 FC 36; the digits in it are no digits.
    let four = b"\xd2\xbb\xb5\xda\xd2\xbb\xd0\xd0 9 \x94\x39\xfc\x36 6\r\n\xb5\xda\xb6\xfe\xd0\xd0\xa3\xba\xc4\xe3\xba\xc3\r\n";
    gives(four, replace("6", "7"), b"\xd2\xbb\xb5\xda\xd2\xbb\xd0\xd0 9 \x94\x39\xfc\x36 7\r\n\xb5\xda\xb6\xfe\xd0\xd0\xa3\xba\xc4\xe3\xba\xc3\r\n");
    gives(four, replace("😀", "😁"), b"\xd2\xbb\xb5\xda\xd2\xbb\xd0\xd0 9 \x94\x39\xfc\x37 6\r\n\xb5\xda\xb6\xfe\xd0\xd0\xa3\xba\xc4\xe3\xba\xc3\r\n");
    // Big5: 功 A55C and 許 B35C end in a backslash's byte.
    let big5 = b"\xa4\xa4\xa4\xe5\xa6\xa8\xa5\x5c\\\xb3\x5c\xa4\xbd\xb6\x7d\xa4\xe9\n\xa7\xda\xad\xcc\xaa\xba\xa4\xe5\xa5\xf3\n";
    gives(big5, replace("\\", "/"), b"\xa4\xa4\xa4\xe5\xa6\xa8\xa5\x5c/\xb3\x5c\xa4\xbd\xb6\x7d\xa4\xe9\n\xa7\xda\xad\xcc\xaa\xba\xa4\xe5\xa5\xf3\n");
    // Shift_JIS: 表 955C, half-width katakana in one byte.
    let japanese = b"\x95\x5c\x82\xf0\x8f\xc1\x82\xb7\x81B\x83\x65\x83\x58\x83\x67\r\n\xb6\xc5 \\1\r\n\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96\x7b\x8c\xea\x82\xc5\x82\xb7\r\n";
    gives(japanese, replace("\\1", "2"), b"\x95\x5c\x82\xf0\x8f\xc1\x82\xb7\x81B\x83\x65\x83\x58\x83\x67\r\n\xb6\xc5 2\r\n\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96\x7b\x8c\xea\x82\xc5\x82\xb7\r\n");
    // Windows-1252 with the bytes that no character has: they stay.
    let western = b"Le caf\xe9 est ferm\xe9, d\xe9j\xe0 20 fois cet \xe9t\xe9 \x81\x9d: c\x92est pr\xe9vu.\r\nOn a pay\xe9 \x80 5 \xe0 l\x92entr\xe9e.\r\n";
    let text = |from: &[u8], to: &[u8]| {
        let at = memchr::memmem::find(western, from).unwrap();
        [&western[..at], to, &western[at + from.len()..]].concat()
    };
    gives(western, replace("20", "30"), text(b"20", b"30"));
    gives(western, replace("\u{81}\u{9d}", "œ…"), text(b"\x81\x9d", b"\x9c\x85"));
    refused(western, replace("20", "二"), EditErrorKind::WouldDamage);
}

#[test]
fn utf16_with_and_without_its_mark() {
    for is_big in [true, false] {
        for has_mark in [true, false] {
            let encode = |text: &str| -> Vec<u8> {
                let units = has_mark.then_some(0xFEFF).into_iter().chain(text.encode_utf16());
                units
                    .flat_map(|unit: u16| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() })
                    .collect()
            };
            // U+0A0D and U+0D0A look like line ends to whoever reads bytes.
            let before = encode("first line\r\nsecond \u{0a0d}\u{0d0a} line\rthird\nlast");
            gives(
                &before,
                replace("second", "2nd 😀"),
                encode("first line\r\n2nd 😀 \u{0a0d}\u{0d0a} line\rthird\nlast"),
            );
            let ops = json!([{"op": "insert_lines", "line": 3, "text": "new"}, {"op": "delete_lines", "start_line": 4, "end_line": 4}]);
            gives(&before, ops, encode("first line\r\nsecond \u{0a0d}\u{0d0a} line\rnew\rthird"));
        }
    }
}

#[test]
fn blanks_alone_are_found_where_there_are_blanks() {
    let loose = |find: &str, with: &str| json!([{"op": "replace_text", "find": find, "replace": with, "match": "normalized"}]);
    refused("a\n\nb\n", loose(" ", "X"), EditErrorKind::ZeroMatches);
    gives("a b\n\nc\n", loose(" ", "_"), "a_b\n\nc\n");
    gives("a\u{a0}\u{2009}b\n", loose(" ", "_"), "a_b\n");
    gives("“a”–b\n", loose("\"a\"-b", "c"), "c\n");
    gives("x\r\n\r\n\ty z\r\n", loose("x y", "w"), "w z\r\n");
    let applied = gives("l’été  dernier\n", loose("l'été dernier", "hier"), "hier\n");
    assert_eq!(applied.changes[0].before.as_deref(), Some("l’été  dernier"));
}

#[test]
fn places_that_overlap_and_lie_over_line_ends() {
    refused("aaaa\n", replace("aa", "b"), EditErrorKind::MultipleMatches);
    gives(
        "aaaa\n",
        json!([{"op": "replace_text", "find": "aa", "replace": "b", "occurrence": "all"}]),
        "bb\n",
    );
    gives("aaaa\n", json!([{"op": "replace_text", "find": "aa", "replace": "b", "occurrence": 2}]), "aba\n");
    gives("a\r\n\r\n\r\nb\r\n", replace("\n\n\nb", "\nb"), "a\r\nb\r\n");
    refused("a\r\n\r\n\r\nb\r\n", replace("\n\n", "\n"), EditErrorKind::MultipleMatches);
    gives("a\r\nb\nc\rd", replace("a\nb\nc\nd", "1\n2\n3\n4"), "1\r\n2\n3\r4");
    gives("a\r\nb\nc\rd", replace("b\nc", "b"), "a\r\nb\rd");
    gives("end\r\n", replace("end\n", "end\nmore\n"), "end\r\nmore\r\n");
    refused("abc", replace("", "x"), EditErrorKind::InvalidArguments);
    refused("abc", json!([{"op": "delete_text", "find": ""}]), EditErrorKind::InvalidArguments);
    refused(
        "abc",
        json!([{"op": "replace_lines_containing", "contains": "", "text": "x"}]),
        EditErrorKind::InvalidArguments,
    );
}

#[test]
fn carriage_returns_alone_are_line_ends() {
    gives("a\rb\rc\r", json!([{"op": "delete_lines", "start_line": 2, "end_line": 2}]), "a\rc\r");
    gives("a\rb\rc\r", json!([{"op": "append_lines", "text": "d\ne"}]), "a\rb\rc\rd\re\r");
    gives("a\rb", json!([{"op": "insert_lines", "line": 2, "text": "x", "position": "after"}]), "a\rb\rx");
    gives("# A\rb\r", json!([{"op": "replace_section", "heading": "A", "text": "x\ny"}]), "# A\rx\ry\r");
}

#[test]
fn a_common_letter_in_a_large_text_is_refused_before_it_fills_memory() {
    let large = "x".repeat(600_000);
    let all = json!([{"op": "replace_text", "find": "x", "replace": "y", "occurrence": "all"}]);
    let error = refused(&large, all.clone(), EditErrorKind::TooLarge);
    assert!(error.hint.is_some());
    let wide: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain(large.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    refused(wide, all, EditErrorKind::TooLarge);
}

/// The mark of a legacy character is found from a byte that cannot be inside one, in a long line too.
#[test]
fn places_in_a_long_line_of_two_byte_characters() {
    let line = [
        &b"\xb5\xda\xb6\xfe\xd0\xd0\xa3\xba\xc4\xe3\xba\xc3".repeat(40_000)[..],
        b" needle \xb5\xda\xb6\xfe needle\n",
    ]
    .concat();
    let error = refused(line, replace("needle", "pin"), EditErrorKind::MultipleMatches);
    assert_eq!(error.matches.len(), 2);
    assert!(
        error.matches.iter().all(|place| place.text.contains("needle") && !place.text.contains('\u{fffd}'))
    );
}

fn headings(text: &str) -> Vec<(usize, usize, String)> {
    let buffer = Buffer::new(text.as_bytes(), detect(text.as_bytes()).unwrap());
    let found = markdown::headings(&buffer, usize::MAX).into_iter();
    found.map(|heading| (heading.line, heading.level, heading.text)).collect()
}

#[test]
fn headings_of_every_kind() {
    type Expected = &'static [(usize, usize, &'static str)];
    let cases: [(&str, Expected); 23] = [
        (
            "# A ##\n## B # c\n### D \\#\n#\tE\n  ## F\n    # code\n####### seven\n#\n# \n",
            &[
                (1, 1, "A"),
                (2, 2, "B # c"),
                (3, 3, "D \\#"),
                (4, 1, "E"),
                (5, 2, "F"),
                (8, 1, ""),
                (9, 1, ""),
            ],
        ),
        (
            "Title\n=====\n\nSub\n---\n\ntwo\nlines\n===\n\n===\n",
            &[(1, 1, "Title"), (4, 2, "Sub"), (7, 1, "two lines")],
        ),
        ("```rust {.line}\n# a\n```\n# b\n~~~~ text\n~~~\n# c\n~~~~\n# d\n", &[(4, 1, "b"), (9, 1, "d")]),
        ("``` a`b\n# b\n", &[(2, 1, "b")]),
        ("   ```\n# a\n   ```\n# b\n", &[(4, 1, "b")]),
        ("text\n    # lazy\n# c\n", &[(3, 1, "c")]),
        ("<!-- # a -->\n# b\n<!--\n# c\n\n# d\n-->\n# e\n", &[(2, 1, "b"), (8, 1, "e")]),
        ("<p align=\"center\">\n# a\n</p>\n\n# b\n", &[(5, 1, "b")]),
        ("<h1>x</h1>\n# a\n\n# b\n", &[(4, 1, "b")]),
        ("<span>\n# a\n\n# b\n", &[(4, 1, "b")]),
        ("<details><summary>x</summary>\n\n# a\n\n</details>\n\n# b\n", &[(3, 1, "a"), (7, 1, "b")]),
        ("- item\n# a\n", &[(2, 1, "a")]),
        ("- item\n\n  # in item\n\n# b\n", &[(5, 1, "b")]),
        ("1. one\n2. two\n---\n# c\n", &[(4, 1, "c")]),
        ("> quote\n# a\n> # in quote\n", &[(2, 1, "a")]),
        ("> quote\nlazy\n===\n", &[]),
        ("***\n# a\n___\n- - -\n# b\n", &[(2, 1, "a"), (5, 1, "b")]),
        ("a\n\n---\n# b\n---\n", &[(4, 1, "b")]),
        ("| a | b |\n|---|---|\n# c\n", &[(3, 1, "c")]),
        ("-\n# a\n", &[(2, 1, "a")]),
        ("\u{feff}---\r\ntitle: # x\r\n---\r\n# b\r\n", &[(4, 1, "b")]),
        ("---\na: 1\n...\n# b\r# c\r\nd\r\n---\r\n", &[(4, 1, "b"), (5, 1, "c"), (6, 2, "d")]),
        ("- item\n-->\n===\n", &[]),
    ];
    for (text, expected) in cases {
        let expected: Vec<(usize, usize, String)> =
            expected.iter().map(|(line, level, text)| (*line, *level, (*text).to_owned())).collect();
        assert_eq!(headings(text), expected, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    /// Whatever is replaced and put back, the bytes are the old ones, in every encoding and ending.
    #[test]
    fn random_text_comes_back(
        text in "[a-c\u{e9}\u{4e2d}\u{1f600} \r\n]{0,40}",
        at in 0_usize..40,
        with in "[x-z\n]{1,6}",
        wide in any::<bool>(),
    ) {
        let characters: Vec<char> = text.chars().collect();
        let at = at.min(characters.len());
        let marked: String = characters[..at].iter().chain(&['⁂']).chain(&characters[at..]).collect();
        let bytes: Vec<u8> = match wide {
            true => [0xFF, 0xFE].into_iter().chain(marked.encode_utf16().flat_map(u16::to_le_bytes)).collect(),
            false => marked.into_bytes(),
        };
        let with = format!("⁑{with}⁑");
        if let Ok(there) = run(&bytes, replace("⁂", &with)) {
            let back = run(&there.bytes, replace(&with, "⁂")).unwrap();
            prop_assert_eq!(back.bytes, bytes);
        }
    }
}
