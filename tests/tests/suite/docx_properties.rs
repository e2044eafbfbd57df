//! Every paragraph of real documents in turn, and random edits of random paragraphs: the edit is there, everything else stands,
//! tracked edits settle both ways.

use std::path::PathBuf;

use documents::error::EditErrorKind;
use proptest::prelude::*;
use serde_json::json;
use stet_tests::{
    decks::{entries, part},
    words::{Made, Options, apply_tracked, apply_with, body, outline, text_at, texts},
    xml::canonical,
};

/// Ten documents and the two of our own, small enough to edit each of their paragraphs.
const TEN: [&str; 10] = [
    "Comment042.docx",
    "DrawingML_GraphicData_wps.docx",
    "HC031-Complicated-Document.docx",
    "LegacyForms.docx",
    "RP018-MoveFrom-MoveTo-CC.docx",
    "academic-paper.docx",
    "embedded-style-map.docx",
    "rlink.docx",
    "svg.docx",
    "tbl-props.docx",
];

fn documents() -> Vec<(String, Vec<u8>)> {
    let mut paths: Vec<PathBuf> =
        ["docx-spanning-everything.docx", "xml-syntax-zoo.docx"].map(stet_tests::fixture).to_vec();
    let is_chosen = |path: &PathBuf| path.file_name().is_some_and(|name| TEN.iter().any(|ten| name == *ten));
    let corpus: Vec<PathBuf> = stet_tests::corpus(&["docx"]).into_iter().filter(is_chosen).collect();
    println!("{} documents of the shared corpus", corpus.len());
    assert!(corpus.is_empty() || corpus.len() == TEN.len());
    paths.extend(corpus);
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

fn set(at: &str, text: &str) -> serde_json::Value {
    json!([{"op": "docx_set_paragraph", "at": at, "text": text}])
}

/// What lies between the common ends of two texts, in the first.
fn middle<'t>(old: &'t str, new: &str) -> &'t str {
    let prefix = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - prefix;
    let suffix = old.bytes().rev().zip(new.bytes().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let start = (0..=prefix).rev().find(|at| old.is_char_boundary(*at)).unwrap_or(0);
    let end = (old.len() - suffix..=old.len()).find(|at| old.is_char_boundary(*at)).unwrap_or(old.len());
    &old[start..end]
}

/// A change that stays inside one paragraph replaces no bytes of a paragraph's own tags.
fn is_inside_a_paragraph(replaced: &str) -> bool {
    let names = ["p", "w:p", "doc:p"];
    !names.iter().any(|name| {
        replaced.contains(&format!("</{name}>"))
            || [" ", ">", "/"].iter().any(|end| replaced.contains(&format!("<{name}{end}")))
    })
}

#[test]
fn every_paragraph_in_turn_and_nothing_else() {
    let (mut done, mut refused) = (0, 0);
    for (name, document) in documents() {
        let nodes = outline(&document).unwrap().nodes;
        let before = entries(&document);
        for node in nodes.iter().filter(|node| node.kind == "paragraph") {
            let new = format!("{} Stet", node.text);
            let edited = match apply_tracked(&document, &set(&node.at, &new), false) {
                Ok(applied) => applied.bytes,
                Err(error) => {
                    assert!(
                        matches!(error.kind, EditErrorKind::WouldDamage | EditErrorKind::ReadOnly),
                        "{name} {}: {error:?}",
                        node.at
                    );
                    refused += 1;
                    continue;
                }
            };
            done += 1;
            for (old, new) in before.iter().zip(entries(&edited)) {
                if old.content == new.content {
                    continue;
                }
                let (old_text, new_text) =
                    (String::from_utf8_lossy(&old.content), String::from_utf8_lossy(&new.content));
                let replaced = middle(&old_text, &new_text);
                if replaced.contains("showingPlcHdr") {
                    // Real text ends the placeholder, whose flag stands outside the paragraph.
                    continue;
                }
                let is_twin = node.at.starts_with("textbox");
                assert!(is_twin || is_inside_a_paragraph(replaced), "{name} {}: {replaced}", node.at);
            }
            assert_eq!(text_at(&edited, &node.at), Some(new), "{name} {}", node.at);
        }
    }
    println!("{done} paragraphs edited, {refused} refused");
    assert!(refused * 20 < done, "{refused} of {done} paragraphs were refused");
}

#[test]
fn tracked_edits_of_real_paragraphs_settle_both_ways() {
    let mut done = 0;
    for (name, document) in documents() {
        for (position, (at, text)) in texts(&document).into_iter().enumerate() {
            if position % 5 != 0 {
                continue;
            }
            let new = match text.char_indices().nth(text.chars().count() / 2) {
                Some((middle, _)) => {
                    format!("{}Stet {}", &text[..middle], &text[middle..].replacen(' ', "", 1))
                }
                None => "Stet".to_owned(),
            };
            let op = set(&at, &new);
            let Ok(tracked) = apply_tracked(&document, &op, true) else { continue };
            let untracked = apply_tracked(&document, &op, false).unwrap();
            let placeholders =
                |document: &[u8]| part(document, "word/document.xml").matches("showingPlcHdr").count();
            if placeholders(&untracked.bytes) != placeholders(&document) {
                // A placeholder that ended does not come back.
                continue;
            }
            let settle = |verdict: &str| {
                let op = json!([{"op": format!("docx_{verdict}_changes"), "author": "Stet Tester"}]);
                apply_with(&tracked.bytes, &op, Options::default())
                    .unwrap_or_else(|error| panic!("{name} {at}: {error:?}"))
                    .bytes
            };
            assert_eq!(texts(&settle("accept")), texts(&untracked.bytes), "{name} {at} accepted");
            let rejected = settle("reject");
            for (old, new) in entries(&document).iter().zip(entries(&rejected)) {
                assert_eq!(canonical(&old.content), canonical(&new.content), "{name} {at}: {}", old.name);
            }
            done += 1;
        }
    }
    println!("{done} tracked edits settled both ways");
    assert!(done > 3);
}

/// Every operation that can be tracked, at the first, a middle and the last paragraph of every document.
#[test]
fn tracked_operations_of_every_kind_settle_both_ways() {
    let (mut done, mut refused, mut faults) = (0, 0, Vec::new());
    for (name, document) in documents() {
        let nodes = outline(&document).unwrap().nodes;
        let body: Vec<_> =
            nodes.iter().filter(|node| node.kind == "paragraph" && node.more.contains_key("index")).collect();
        let mut ops = vec![
            json!({"op": "docx_append_paragraph", "text": "at the end"}),
            json!({"op": "docx_insert_table_row", "table": 1, "row": 1}),
            json!({"op": "docx_insert_table_row", "table": 1, "row": 2, "cells": ["x"]}),
            json!({"op": "docx_delete_table_row", "table": 1, "row": 1}),
            json!({"op": "docx_set_table_cell", "table": 1, "row": 1, "col": 1, "text": "one\n\ntwo"}),
            json!({"op": "docx_replace_text", "find": "e", "replace": "E\tx", "occurrence": "all", "scope": "all"}),
        ];
        let full = [0, body.len() / 3, body.len() / 2, body.len() - 1];
        let everyday = if document.len() < 20_000 { &full[2..] } else { &full[2..3] };
        for position in if std::env::var_os("STET_FULL").is_some() { &full } else { everyday } {
            let position = *position;
            let at = &body[position].at;
            ops.extend([
                json!({"op": "docx_insert_paragraph", "at": at, "text": "before"}),
                json!({"op": "docx_insert_paragraph", "at": at, "position": "after", "text": "after\n\nand more"}),
                json!({"op": "docx_delete_paragraph", "at": at}),
                json!({"op": "docx_set_paragraph", "at": at, "text": "one\n\ntwo"}),
                json!({"op": "docx_insert_markdown", "at": at, "position": "after", "text": "## Head\n\n- a\n- b\n\n| t |\n|---|\n| u |"}),
            ]);
            if let Some(next) = body.get(position + 1) {
                ops.push(json!({"op": "docx_delete_paragraph", "at": at, "end": next.at}));
            }
        }
        for op in ops {
            let op = json!([op]);
            let Ok(tracked) = apply_tracked(&document, &op, true) else {
                refused += 1;
                continue;
            };
            let untracked =
                apply_tracked(&document, &op, false).unwrap_or_else(|error| panic!("{name} {op}: {error:?}"));
            let settle = |document: &[u8], verdict: &str, author: Option<&str>| {
                let settle = json!([{"op": format!("docx_{verdict}_changes"), "author": author}]);
                match apply_with(document, &settle, Options::default()) {
                    Ok(applied) => Ok(applied.bytes),
                    // What needed no mark has nothing to settle.
                    Err(error) if error.kind == EditErrorKind::ZeroMatches => Ok(document.to_vec()),
                    Err(error) => Err(error),
                }
            };
            let mut check = |what: &str, fault: Option<String>| {
                faults.extend(fault.map(|fault| format!("{name} {op} {what}: {fault}")));
            };
            // A comment outlives the text that it stands in when a tracked deletion is accepted, and goes with it otherwise.
            let shown = |document: &[u8]| -> Vec<(String, String)> {
                texts(document).into_iter().filter(|(at, _)| !at.starts_with("comment")).collect()
            };
            let differing = |one: &[u8], other: &[u8]| {
                let (one, other) = (shown(one), shown(other));
                (one != other).then(|| format!("{one:?} instead of {other:?}"))
            };
            // What other authors deleted goes with an untracked deletion, so their changes are accepted on both sides.
            match (settle(&tracked.bytes, "accept", None), settle(&untracked.bytes, "accept", None)) {
                (Ok(accepted), Ok(expected)) => check("accepted", differing(&accepted, &expected)),
                (accepted, _) => check("accepted", Some(format!("{:?}", accepted.err()))),
            }
            let rejected = match settle(&tracked.bytes, "reject", Some("Stet Tester")) {
                Ok(rejected) => rejected,
                Err(error) => {
                    check("rejected", Some(format!("{error:?}")));
                    continue;
                }
            };
            check("rejected", differing(&rejected, &document));
            let ended_placeholder = {
                let count =
                    |document: &[u8]| part(document, "word/document.xml").matches("showingPlcHdr").count();
                count(&untracked.bytes) != count(&document)
            };
            // Styles and lists that were made for the text stay, unused.
            let is_story = |entry: &&stet_tests::decks::Entry| {
                !["styles.xml", "numbering.xml", "[Content_Types].xml", ".rels"]
                    .iter()
                    .any(|end| entry.name.ends_with(end))
            };
            let (before, after) = (entries(&document), entries(&rejected));
            for old in before.iter().filter(is_story).filter(|_| !ended_placeholder) {
                let new = after.iter().find(|new| new.name == old.name).unwrap();
                let (old_text, new_text) =
                    (String::from_utf8_lossy(&old.content), String::from_utf8_lossy(&new.content));
                // White space between elements is no content, and there is no canonical form of a part with instructions in it.
                let tight = |content: &[u8]| -> String {
                    canonical(content).split('<').map(str::trim_end).collect::<Vec<_>>().join("<")
                };
                let is_same = name == "xml-syntax-zoo.docx" || tight(&old.content) == tight(&new.content);
                check(
                    &old.name,
                    (!is_same).then(|| {
                        format!(
                            "{} instead of {}",
                            middle(&new_text, &old_text),
                            middle(&old_text, &new_text)
                        )
                    }),
                );
            }
            done += 1;
        }
    }
    println!("{done} tracked operations settled both ways, {refused} refused");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(done > refused);
}

/// One piece of a random paragraph: markup and what it shows.
fn piece() -> impl Strategy<Value = String> {
    let word = "[a-d ]{1,6}|[é中&<]{1,2}";
    let text = word.prop_map(|text: String| text.replace('&', "&amp;").replace('<', "&lt;"));
    let run = |properties: &'static str| {
        text.clone()
            .prop_map(move |text| format!("<w:r>{properties}<w:t xml:space=\"preserve\">{text}</w:t></w:r>"))
    };
    let plain = run("");
    let bold = run("<w:rPr><w:b/></w:rPr>");
    let inserted = run("").prop_map(|run| format!("<w:ins w:id=\"90\" w:author=\"A\">{run}</w:ins>"));
    let link = run("").prop_map(|run| format!("<w:hyperlink r:id=\"rId9\">{run}</w:hyperlink>"));
    let control =
        run("").prop_map(|run| format!("<w:sdt><w:sdtPr/><w:sdtContent>{run}</w:sdtContent></w:sdt>"));
    let field = run("").prop_map(|run| format!("<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>REF x</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>{run}<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>"));
    let mixed = (text.clone(), text).prop_map(|(one, other)| {
        format!(
            "<w:r><w:t>{one}</w:t><w:tab/><w:footnoteReference w:id=\"2\"/><w:t>{other}</w:t><w:br/></w:r>"
        )
    });
    let anchors = prop::sample::select(vec![
        "<w:proofErr w:type=\"spellStart\"/>".to_owned(),
        "<w:bookmarkStart w:id=\"91\" w:name=\"b\"/><w:bookmarkEnd w:id=\"91\"/>".to_owned(),
        "<w:del w:id=\"92\" w:author=\"A\"><w:r><w:delText>gone</w:delText></w:r></w:del>".to_owned(),
        "<w:r><w:commentReference w:id=\"93\"/></w:r>".to_owned(),
        "<w:r><w:rPr><w:i/></w:rPr></w:r>".to_owned(),
    ]);
    prop_oneof![4 => plain, 3 => bold, 2 => mixed, 1 => inserted, 1 => link, 1 => control, 1 => field, 3 => anchors]
}

/// A random new text out of an old one: pieces of it go, others come.
fn mutated(old: &str, cuts: &[(usize, usize, String)]) -> String {
    let mut text: Vec<char> = old.chars().collect();
    for (start, length, new) in cuts {
        let start = start % (text.len() + 1);
        let end = (start + length).min(text.len());
        text.splice(start..end, new.chars());
    }
    text.into_iter().collect()
}

/// What must not be lost: every element without characters.
fn anchors(markup: &str) -> Vec<usize> {
    [
        "<w:bookmarkStart",
        "<w:bookmarkEnd",
        "<w:footnoteReference",
        "<w:commentReference",
        "<w:fldChar",
        "<w:sdt>",
        "<w:hyperlink",
        "<w:delText>gone",
    ]
    .map(|anchor| markup.matches(anchor).count())
    .to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_edits_of_random_paragraphs(
        pieces in prop::collection::vec(piece(), 0..7),
        cuts in prop::collection::vec((0..40_usize, 0..6_usize, "[a-dX \t\n]{0,4}"), 1..4),
    ) {
        let others = "<w:p><w:r><w:t>before</w:t></w:r></w:p>";
        let document = Made::new(&format!("{others}<w:p>{}</w:p>{others}", pieces.concat())).bytes();
        let old = text_at(&document, "p2").unwrap();
        let new = mutated(&old, &cuts);
        // Blank lines begin paragraphs of their own, which other tests look at.
        prop_assume!(!new.split('\n').any(|line| line.trim().is_empty()) || new.is_empty() || !new.contains('\n'));
        let op = set("p2", &new);
        let untracked = match apply_tracked(&document, &op, false) {
            Ok(applied) => applied,
            Err(error) => {
                prop_assert_eq!(error.kind, EditErrorKind::WouldDamage);
                return Ok(());
            }
        };
        prop_assert_eq!(text_at(&untracked.bytes, "p2"), Some(new.clone()));
        prop_assert_eq!(anchors(&body(&untracked.bytes)), anchors(&body(&document)));
        prop_assert!(body(&untracked.bytes).starts_with(others) && body(&untracked.bytes).ends_with(others));
        if old == new {
            prop_assert!(untracked.bytes == document && untracked.changes.is_empty());
            return Ok(());
        }
        let tracked = apply_tracked(&document, &op, true).unwrap();
        prop_assert_eq!(text_at(&tracked.bytes, "p2"), Some(new));
        let settle = |verdict: &str| {
            let op = json!([{"op": format!("docx_{verdict}_changes"), "author": "Stet Tester"}]);
            apply_with(&tracked.bytes, &op, Options::default()).map(|applied| applied.bytes)
        };
        let accepted = settle("accept").unwrap();
        prop_assert_eq!(texts(&accepted), texts(&untracked.bytes));
        let rejected = settle("reject").unwrap();
        let main = |document: &[u8]| canonical(part(document, "word/document.xml").as_bytes());
        prop_assert_eq!(main(&rejected), main(&document));
    }
}
