//! Tracked changes: what we write is accepted to the untracked edit and rejected to the old document, canonically; what Word wrote is
//! settled by the same rules.

use documents::error::EditErrorKind;
use serde_json::{Value, json};
use stet_tests::{
    decks::{entries, part},
    words::{Made, apply, apply_tracked, body, p, text_at, texts},
    xml::canonical,
};

fn tracked(document: &[u8], op: &Value) -> Vec<u8> {
    apply_tracked(document, &json!([op]), true).unwrap_or_else(|error| panic!("{op}: {error:?}")).bytes
}

fn settle(document: &[u8], verdict: &str) -> Vec<u8> {
    let op = json!([{"op": format!("docx_{verdict}_changes")}]);
    apply(document, &op).unwrap_or_else(|error| panic!("{verdict}: {error:?}")).bytes
}

fn set(at: &str, text: &str) -> Value {
    json!({"op": "docx_set_paragraph", "at": at, "text": text})
}

/// Accepting gives the text of the untracked edit; rejecting gives the old text and the old XML.
fn check(document: &[u8], op: &Value) {
    let untracked =
        apply_tracked(document, &json!([op]), false).unwrap_or_else(|error| panic!("{op}: {error:?}"));
    let tracked = tracked(document, op);
    let shown =
        |document: &[u8]| -> Vec<String> { texts(document).into_iter().map(|(_, text)| text).collect() };
    assert_eq!(shown(&settle(&tracked, "accept")), shown(&untracked.bytes), "{op} accepted");
    let rejected = settle(&tracked, "reject");
    assert_eq!(shown(&rejected), shown(document), "{op} rejected");
    for (before, after) in entries(document).iter().zip(entries(&rejected)) {
        assert_eq!(canonical(&before.content), canonical(&after.content), "{op}: {}", before.name);
    }
}

const RICH: &str = "<w:p><w:pPr><w:jc w:val=\"left\"/></w:pPr><w:r w:rsidR=\"00AA\"><w:rPr><w:b/></w:rPr><w:t>Alpha beta</w:t></w:r><w:r><w:t xml:space=\"preserve\"> gamma </w:t><w:tab/><w:t>delta</w:t></w:r><w:bookmarkStart w:id=\"3\" w:name=\"b\"/><w:hyperlink r:id=\"rId9\"><w:r><w:t>link text</w:t></w:r></w:hyperlink><w:bookmarkEnd w:id=\"3\"/></w:p>";

#[test]
fn edits_of_text_are_tracked_at_the_smallest_difference() {
    let document = Made::new(&p("The quick brown fox")).bytes();
    let edited = tracked(&document, &set("p1", "The slow brown fox"));
    let attributes = |id: u32| format!("w:id='{id}' w:author=\"Stet Tester\" w:date='2026-11-30T14:00:00Z'");
    assert_eq!(
        body(&edited),
        format!(
            "<w:p><w:r><w:t xml:space='preserve'>The </w:t></w:r><w:del {}><w:r><w:delText xml:space='preserve'>quick</w:delText></w:r></w:del><w:ins {}><w:r><w:t>slow</w:t></w:r></w:ins><w:r><w:t xml:space='preserve'> brown fox</w:t></w:r></w:p>",
            attributes(1),
            attributes(2)
        )
    );
    assert_eq!(text_at(&edited, "p1").as_deref(), Some("The slow brown fox"));
}

#[test]
fn text_edits_settle_both_ways() {
    let document = Made::new(&(RICH.to_owned() + &p("") + "<w:p/>")).bytes();
    let old = text_at(&document, "p1").unwrap();
    for new in [
        "Alpha gamma \tdeltalink text".to_owned(),
        old.replace("beta", "BETA"),
        old.replace("Alpha", ""),
        old.replace('\t', " "),
        format!("Start {old}"),
        format!("{old} end"),
        old.replace("link", "chain"),
        old.replace("gamma", "one\ntwo\tthree"),
        "completely link text".to_owned(),
        String::new(),
    ] {
        check(&document, &set("p1", &new));
    }
    check(&document, &set("p2", "filled"));
    check(&document, &set("p3", "filled"));
}

#[test]
fn runs_that_were_apart_stay_apart() {
    let document = Made::new("<w:p><w:r><w:t>ab</w:t></w:r><w:r><w:t>cd</w:t></w:r></w:p>").bytes();
    for new in ["abXcd", "acd", "abd", "ad", "aXd", "Xabcd", "abcdX", "abc", "bcd"] {
        check(&document, &set("p1", new));
    }
}

#[test]
fn paragraphs_and_rows_settle_both_ways() {
    let table = "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:trPr><w:cantSplit/></w:trPr><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>";
    let document = Made::new(&(RICH.to_owned() + &p("two") + table + &p("three")))
        .styles(&[("h1", "heading 1")])
        .bytes();
    for op in [
        json!({"op": "docx_insert_paragraph", "index": 1, "text": "new\n\nmore"}),
        json!({"op": "docx_insert_paragraph", "index": 3, "position": "after", "text": "new"}),
        json!({"op": "docx_append_paragraph", "text": "end"}),
        json!({"op": "docx_delete_paragraph", "index": 1}),
        json!({"op": "docx_delete_paragraph", "index": 2}),
        json!({"op": "docx_delete_paragraph", "index": 1, "end": 2}),
        json!({"op": "docx_set_style", "index": 2, "style": "heading 1"}),
        json!({"op": "docx_set_style", "index": 1, "style": "heading 1"}),
        json!({"op": "docx_set_table_cell", "table": 1, "row": 1, "col": 1, "text": "A\n\nB"}),
        json!({"op": "docx_insert_table_row", "table": 1, "row": 2, "cells": ["x"]}),
        json!({"op": "docx_insert_table_row", "table": 1, "row": 3, "cells": ["x"]}),
        json!({"op": "docx_delete_table_row", "table": 1, "row": 1}),
        json!({"op": "docx_delete_table_row", "table": 1, "row": 2}),
    ] {
        check(&document, &op);
    }
}

/// What is cut in two stays one for a rejection, and is two annotations meanwhile, each with an id of its own (17.13.1).
#[test]
fn a_piece_of_another_authors_change_has_its_own_id() {
    let changed = "<w:r><w:rPr><w:b/><w:rPrChange w:id=\"9\" w:author=\"A\"><w:rPr/></w:rPrChange></w:rPr><w:t>bold since then</w:t></w:r>";
    let document = Made::new(&format!(
        "<w:p><w:ins w:id=\"7\" w:author=\"A\"><w:r><w:t>Bob stays here</w:t></w:r></w:ins></w:p><w:p>{changed}</w:p>"
    ))
    .bytes();
    let ids = |edited: &[u8]| -> Vec<String> {
        let text = body(edited).replace('\'', "\"");
        text.split(" w:id=\"").skip(1).filter_map(|rest| rest.split('"').next().map(str::to_owned)).collect()
    };
    for op in [
        set("p1", "Bob now stays here"),
        set("p1", "Bob left here"),
        set("p2", "bold even since then"),
        set("p2", "bold after then"),
        json!({"op": "docx_add_comment", "at": "p2", "find": "since", "text": "When?"}),
    ] {
        let edited = tracked(&document, &op);
        let of_comment = if op["find"].is_string() { 3 } else { 0 };
        let mut all = ids(&edited);
        let count = all.len();
        all.sort();
        all.dedup();
        assert!(count >= all.len() && count - all.len() <= of_comment, "{op}: {}", body(&edited));
        assert!(count > 2, "{op}: {}", body(&edited));
        if of_comment == 0 {
            let mine = json!([{"op": "docx_reject_changes", "author": "Stet Tester"}]);
            assert_eq!(body(&apply(&edited, &mine).unwrap().bytes), body(&document), "{op}");
        }
    }
}

#[test]
fn edits_nest_rightly_in_the_insertions_of_others() {
    let inner = "<w:r><w:t>by another</w:t></w:r>";
    let document = Made::new(&format!("<w:p><w:ins w:id=\"7\" w:author=\"A\">{inner}</w:ins></w:p>")).bytes();
    let mine = |edited: &[u8], verdict: &str| {
        let op = json!([{"op": format!("docx_{verdict}_changes"), "author": "Stet Tester"}]);
        apply(edited, &op).unwrap().bytes
    };
    for new in ["by an other", "by other", "another", "by", "by another one", "so by another", "by X another"]
    {
        let edited = tracked(&document, &set("p1", new));
        assert_eq!(text_at(&edited, "p1").as_deref(), Some(new));
        assert!(!body(&edited).contains("<w:ins w:id=\"7\" w:author=\"A\"><w:ins"), "{}", body(&edited));
        assert_eq!(text_at(&mine(&edited, "accept"), "p1").as_deref(), Some(new));
        assert_eq!(body(&mine(&edited, "reject")), body(&document), "{new}");
        assert_eq!(text_at(&settle(&edited, "reject"), "p1").as_deref(), Some(""));
    }
    let deleted = tracked(&document, &set("p1", "by"));
    assert!(
        body(&deleted).contains("<w:ins w:id=\"7\" w:author=\"A\"><w:r><w:t>by</w:t></w:r><w:del "),
        "{}",
        body(&deleted)
    );
}

#[test]
fn what_the_same_author_inserted_changes_at_once() {
    let document = Made::new(&p("base")).bytes();
    let once = tracked(&document, &set("p1", "base and more"));
    let twice = tracked(&once, &set("p1", "base and some more"));
    assert_eq!(body(&twice).matches("<w:ins ").count(), 1);
    assert!(!body(&twice).contains("<w:del "));
    let back = tracked(&twice, &set("p1", "base"));
    assert_eq!(body(&back), body(&document), "an insertion taken back leaves no trace");
}

#[test]
fn ids_are_unique_and_the_document_decides_about_tracking() {
    let settings = "<w:settings {ns}><w:trackRevisions/></w:settings>";
    let document = Made::new(&format!(
        "<w:p><w:bookmarkStart w:id=\"41\" w:name=\"x\"/><w:bookmarkEnd w:id=\"41\"/></w:p>{}",
        p("text")
    ))
    .part("settings", "settings.xml", settings)
    .bytes();
    let op = json!([set("p2", "other"), {"op": "docx_append_paragraph", "text": "more"}]);
    let edited = apply(&document, &op).unwrap().bytes;
    let mut ids: Vec<&str> = body(&edited).leak().split("w:id=").skip(1).map(|rest| &rest[1..3]).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["41", "41", "42", "43", "44", "45"]);
    let plain = apply_tracked(&document, &op, false).unwrap().bytes;
    assert!(!body(&plain).contains("<w:ins"));
}

#[test]
fn comment_anchors_outlive_the_text_they_stand_in() {
    let anchors = "<w:commentRangeEnd w:id=\"5\"/><w:r><w:commentReference w:id=\"5\"/></w:r>";
    let document = Made::new(&format!("<w:p><w:r><w:t>a</w:t></w:r><w:del w:id=\"1\" w:author=\"A\"><w:r><w:delText>b</w:delText></w:r>{anchors}</w:del><w:ins w:id=\"2\" w:author=\"A\"><w:bookmarkStart w:id=\"6\" w:name=\"m\"/><w:r><w:t>c</w:t></w:r><w:bookmarkEnd w:id=\"6\"/></w:ins></w:p>")).bytes();
    assert_eq!(
        body(&settle(&document, "accept")),
        format!(
            "<w:p><w:r><w:t>a</w:t></w:r>{anchors}<w:bookmarkStart w:id=\"6\" w:name=\"m\"/><w:r><w:t>c</w:t></w:r><w:bookmarkEnd w:id=\"6\"/></w:p>"
        )
    );
    assert_eq!(
        body(&settle(&document, "reject")),
        format!(
            "<w:p><w:r><w:t>a</w:t></w:r><w:r><w:t>b</w:t></w:r>{anchors}<w:bookmarkStart w:id=\"6\" w:name=\"m\"/><w:bookmarkEnd w:id=\"6\"/></w:p>"
        )
    );
}

#[test]
fn changes_are_chosen_by_author_and_place() {
    let change = |author: &str, text: &str| {
        format!("<w:p><w:ins w:id=\"1\" w:author=\"{author}\"><w:r><w:t>{text}</w:t></w:r></w:ins></w:p>")
    };
    let document = Made::new(&(change("A", "a") + &change("B", "b") + &change("A", "c"))).bytes();
    let settle = |filter: Value| {
        let mut op = json!({"op": "docx_reject_changes"});
        op.as_object_mut().unwrap().extend(filter.as_object().cloned().unwrap());
        apply(&document, &json!([op]))
    };
    let shown = |document: &[u8]| texts(document).into_iter().map(|(_, text)| text).collect::<String>();
    assert_eq!(shown(&settle(json!({"author": "A"})).unwrap().bytes), "b");
    assert_eq!(shown(&settle(json!({"at": "p3"})).unwrap().bytes), "ab");
    assert_eq!(shown(&settle(json!({"at": "p1", "author": "A"})).unwrap().bytes), "bc");
    assert_eq!(settle(json!({"author": "C"})).unwrap_err().kind, EditErrorKind::ZeroMatches);
    assert_eq!(settle(json!({"at": "p1"})).unwrap().changes[0].detail.as_deref(), Some("rejected 1 changes"));
}

#[test]
fn formatting_changes_moves_and_cells_are_settled() {
    let document = Made::new("<w:p><w:pPr><w:pStyle w:val=\"New\"/><w:rPr><w:b/></w:rPr><w:pPrChange w:id=\"1\" w:author=\"A\"><w:pPr><w:pStyle w:val=\"Old\"/></w:pPr></w:pPrChange></w:pPr><w:r><w:rPr><w:b/><w:rPrChange w:id=\"2\" w:author=\"A\"><w:rPr/></w:rPrChange></w:rPr><w:t>x</w:t></w:r></w:p>").bytes();
    assert_eq!(
        body(&settle(&document, "accept")),
        "<w:p><w:pPr><w:pStyle w:val=\"New\"/><w:rPr><w:b/></w:rPr></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>x</w:t></w:r></w:p>"
    );
    assert_eq!(
        body(&settle(&document, "reject")),
        "<w:p><w:pPr><w:pStyle w:val=\"Old\"/><w:rPr><w:b/></w:rPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p>"
    );
    let moved = "<w:p><w:moveFromRangeStart w:id=\"1\" w:name=\"m\" w:author=\"A\"/><w:moveFrom w:id=\"2\" w:author=\"A\"><w:r><w:t>x</w:t></w:r></w:moveFrom><w:moveFromRangeEnd w:id=\"1\"/></w:p><w:p><w:moveToRangeStart w:id=\"3\" w:name=\"m\" w:author=\"A\"/><w:moveTo w:id=\"4\" w:author=\"A\"><w:r><w:t>x</w:t></w:r></w:moveTo><w:moveToRangeEnd w:id=\"3\"/></w:p>";
    let document = Made::new(moved).bytes();
    assert_eq!(body(&settle(&document, "accept")), "<w:p></w:p>".to_owned() + &p("x"));
    assert_eq!(body(&settle(&document, "reject")), p("x") + "<w:p></w:p>");
    let half = apply(&document, &json!([{"op": "docx_accept_changes", "at": "p1"}])).unwrap_err();
    assert_eq!(half.kind, EditErrorKind::WouldDamage);
    let row =
        |mark: &str, text: &str| format!("<w:tr><w:tc><w:tcPr>{mark}</w:tcPr>{}</w:tc></w:tr>", p(text));
    let table = |rows: &str| format!("<w:tbl><w:tblPr/><w:tblGrid/>{rows}</w:tbl>{}", p("end"));
    let document =
        Made::new(&table(&(row("<w:cellDel w:id=\"1\" w:author=\"A\"/>", "a") + &row("", "b")))).bytes();
    assert_eq!(body(&settle(&document, "accept")), table(&row("", "b")));
    assert_eq!(body(&settle(&document, "reject")), table(&(row("", "a") + &row("", "b"))));
}

/// Old properties may record marks of their own (Word writes a cell's insertion into both): they are no changes any more.
#[test]
fn marks_in_old_properties_settle_with_them() {
    let author = "w:author=\"A\"";
    let cell =
        |properties: &str, text: &str| format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", p(text));
    let inserted = format!(
        "<w:cellIns w:id=\"1\" {author}/><w:tcPrChange w:id=\"2\" {author}><w:tcPr><w:tcW w:w=\"9\"/><w:cellIns w:id=\"3\" {author}/></w:tcPr></w:tcPrChange>"
    );
    let table =
        |cells: &str| format!("<w:tbl><w:tblPr/><w:tblGrid/><w:tr>{cells}</w:tr></w:tbl>{}", p("end"));
    let document = Made::new(&table(&(cell("", "a") + &cell(&inserted, "b")))).bytes();
    assert_eq!(body(&settle(&document, "accept")), table(&(cell("", "a") + &cell("", "b"))));
    assert_eq!(body(&settle(&document, "reject")), table(&cell("", "a")));
    let mark = format!("<w:rPr><w:ins w:id=\"4\" {author}/></w:rPr>");
    let document = Made::new(&format!(
        "<w:p><w:pPr><w:jc w:val=\"left\"/><w:pPrChange w:id=\"5\" {author}><w:pPr>{mark}</w:pPr></w:pPrChange></w:pPr></w:p>"
    ))
    .bytes();
    assert_eq!(body(&settle(&document, "accept")), "<w:p><w:pPr><w:jc w:val=\"left\"/></w:pPr></w:p>");
}

/// The end of a move's range may stand inside what goes.
#[test]
fn the_end_of_a_move_goes_with_what_holds_it() {
    let author = "w:author=\"A\"";
    let moved = format!(
        "<w:p><w:moveFromRangeStart w:id=\"1\" w:name=\"m\" {author}/><w:moveFrom w:id=\"2\" {author}><w:r><w:t>x</w:t></w:r></w:moveFrom><w:del w:id=\"9\" {author}><w:moveFromRangeEnd w:id=\"1\"/><w:r><w:delText>y</w:delText></w:r></w:del></w:p><w:p><w:moveToRangeStart w:id=\"3\" w:name=\"m\" {author}/><w:moveTo w:id=\"4\" {author}><w:r><w:t>x</w:t></w:r></w:moveTo><w:moveToRangeEnd w:id=\"3\"/></w:p>"
    );
    let document = Made::new(&moved).bytes();
    assert_eq!(body(&settle(&document, "accept")), "<w:p></w:p>".to_owned() + &p("x"));
    let rejected = "<w:p><w:r><w:t>x</w:t></w:r><w:r><w:t>y</w:t></w:r></w:p><w:p></w:p>";
    assert_eq!(body(&settle(&document, "reject")), rejected);
}

#[test]
fn a_lost_paragraph_mark_joins_two_paragraphs() {
    let mark = |kind: &str| {
        format!("<w:pPr><w:jc w:val=\"left\"/><w:rPr><w:{kind} w:id=\"1\" w:author=\"A\"/></w:rPr></w:pPr>")
    };
    let document = |kind: &str| {
        Made::new(&format!("<w:p>{}<w:r><w:t>one </w:t></w:r></w:p><w:p><w:pPr><w:jc w:val=\"right\"/></w:pPr><w:r><w:t>two</w:t></w:r></w:p>", mark(kind))).bytes()
    };
    let joined = "<w:p><w:pPr><w:jc w:val=\"right\"/></w:pPr><w:r><w:t>one </w:t></w:r><w:r><w:t>two</w:t></w:r></w:p>";
    assert_eq!(body(&settle(&document("del"), "accept")), joined);
    assert_eq!(body(&settle(&document("ins"), "reject")), joined);
    assert!(
        body(&settle(&document("ins"), "accept"))
            .starts_with("<w:p><w:pPr><w:jc w:val=\"left\"/><w:rPr></w:rPr></w:pPr>")
    );
}

/// Every document of the corpus that holds tracked changes settles both ways and stays a document.
#[test]
fn the_corpus_settles_both_ways() {
    for path in stet_tests::corpus(&["docx", "docm", "dotx", "dotm"]) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let document = std::fs::read(&path).unwrap();
        for verdict in ["accept", "reject"] {
            let op = json!([{"op": format!("docx_{verdict}_changes")}]);
            let settled = match apply(&document, &op) {
                Ok(settled) => settled,
                Err(error) => {
                    println!("{name}: {verdict}: {error}");
                    // Files that are refused on opening, or protected.
                    let is_told = matches!(
                        error.kind,
                        EditErrorKind::ZeroMatches
                            | EditErrorKind::Damaged
                            | EditErrorKind::Encrypted
                            | EditErrorKind::ReadOnly
                    );
                    let has_no_edits = [
                        "xml-xxe.docx",
                        "ExternalEntityInText.docx",
                        "zip-bomb-100MiB.docx",
                        "zip-duplicate-entry.docx",
                    ];
                    assert!(is_told || has_no_edits.contains(&name.as_str()), "{name}: {verdict}: {error:?}");
                    continue;
                }
            };
            println!("{name}: {verdict}: {} places, {:?}", settled.changes.len(), settled.warnings);
            let again = apply(&settled.bytes, &op);
            let left = again.map(|again| again.changes.len());
            assert!(
                matches!(&left, Err(error) if error.kind == EditErrorKind::ZeroMatches)
                    || !settled.warnings.is_empty(),
                "{name} {verdict}: {left:?}"
            );
            assert!(
                !part(&settled.bytes, "word/document.xml").contains("<w:delText")
                    || !settled.warnings.is_empty(),
                "{name}"
            );
        }
    }
}
