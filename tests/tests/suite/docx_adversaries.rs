//! Documents made to break an editor: everything in one paragraph, controls at every level, permissions, ruby, both branches of
//! alternate content, ids that collide, parts with other names; and what the outline warns of.

use documents::error::EditErrorKind;
use serde_json::{Value, json};
use stet_tests::{
    decks::{entries, part, patched},
    words::{Made, apply, apply_tracked, body, outline, p, text_at, texts},
};

fn one(document: &[u8], op: Value) -> Vec<u8> {
    apply(document, &json!([op])).unwrap_or_else(|error| panic!("{op}: {error:?}")).bytes
}

fn refused(document: &[u8], op: Value) -> EditErrorKind {
    match apply(document, &json!([op])) {
        Err(error) => error.kind,
        Ok(applied) => panic!("{op} was done: {:?}", applied.changes),
    }
}

fn set(at: &str, text: &str) -> Value {
    json!({"op": "docx_set_paragraph", "at": at, "text": text})
}

fn run(text: &str) -> String {
    format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}

/// Everything that a paragraph may hold and that an edit of its words must leave where it is.
const EVERYTHING: &[&str] = &[
    "<w:pPr><w:jc w:val=\"both\"/><w:rPr><w:b/></w:rPr></w:pPr>",
    "<w:bookmarkStart w:id=\"1\" w:name=\"mark\"/>",
    "<w:commentRangeStart w:id=\"2\"/>",
    "<w:permStart w:id=\"3\" w:edGrp=\"everyone\"/>",
    "<w:proofErr w:type=\"gramStart\"/>",
    "<w:r><w:footnoteReference w:id=\"2\"/></w:r>",
    "<w:r><w:endnoteReference w:id=\"2\"/></w:r>",
    "<w:r><w:drawing><w:inner/></w:drawing></w:r>",
    "<w:r><w:pict><v:shape id=\"s\"/></w:pict></w:r>",
    "<w:r><w:object><v:shape id=\"o\"/></w:object></w:r>",
    "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>DATE</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>today</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>",
    "<w:hyperlink w:anchor=\"mark\"><w:r><w:t>link</w:t></w:r></w:hyperlink>",
    "<w:sdt><w:sdtPr><w:id w:val=\"7\"/></w:sdtPr><w:sdtContent><w:r><w:t>held</w:t></w:r></w:sdtContent></w:sdt>",
    "<w:smartTag w:uri=\"u\" w:element=\"e\"><w:r><w:t>smart</w:t></w:r></w:smartTag>",
    "<w:customXml w:uri=\"u\" w:element=\"e\"><w:r><w:t>custom</w:t></w:r></w:customXml>",
    "<m:oMath><m:r><m:t>x+y</m:t></m:r></m:oMath>",
    "<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>kana</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>base</w:t></w:r></w:rubyBase></w:ruby></w:r>",
    "<w:r><w:tab/></w:r>",
    "<w:r><w:br/></w:r>",
    "<w:r><w:ptab w:relativeTo=\"margin\" w:alignment=\"right\" w:leader=\"none\"/></w:r>",
    "<w:r><w:lastRenderedPageBreak/></w:r>",
    "<w:r><w:noBreakHyphen/></w:r>",
    "<w:r><w:softHyphen/></w:r>",
    "<w:r><w:sym w:font=\"Wingdings\" w:char=\"F04A\"/></w:r>",
    "<w:permEnd w:id=\"3\"/>",
    "<w:commentRangeEnd w:id=\"2\"/>",
    "<w:r><w:commentReference w:id=\"2\"/></w:r>",
    "<w:bookmarkEnd w:id=\"1\"/>",
    "<w:del w:id=\"8\" w:author=\"A\"><w:r><w:delText>gone</w:delText></w:r></w:del>",
    "<w:moveFrom w:id=\"9\" w:author=\"A\"><w:r><w:t>moved</w:t></w:r></w:moveFrom>",
];

fn everything() -> Vec<u8> {
    let between: Vec<String> = (0..EVERYTHING.len()).map(|number| run(&format!(" word{number} "))).collect();
    let content: String =
        EVERYTHING.iter().zip(&between).map(|(anchor, text)| format!("{anchor}{text}")).collect();
    Made::new(&format!("<w:p>{content}</w:p>")).bytes()
}

#[test]
fn every_anchor_stays_where_it_is() {
    let document = everything();
    let old = text_at(&document, "p1").unwrap();
    assert!(!old.contains("gone") && !old.contains("moved") && !old.contains("DATE"), "{old}");
    for number in 0..EVERYTHING.len() {
        let word = format!("word{number} ");
        for new in ["", "W", "longer than it was ", "tab\tand\nline "] {
            for tracked in [false, true] {
                let text = old.replace(&word, new);
                let op = json!([set("p1", &text)]);
                let edited = apply_tracked(&document, &op, tracked)
                    .unwrap_or_else(|error| panic!("{word}: {error:?}"))
                    .bytes;
                assert_eq!(text_at(&edited, "p1").as_deref(), Some(text.as_str()), "{word} {new:?}");
                let markup = body(&edited);
                let mut from = 0;
                for anchor in EVERYTHING {
                    let at = markup[from..].find(anchor);
                    from += at.unwrap_or_else(|| {
                        panic!("{word} {new:?} {tracked}: {anchor} is not in its place: {markup}")
                    });
                    from += anchor.len();
                }
            }
        }
    }
}

#[test]
fn walls_are_not_edited_inside() {
    let document = everything();
    let old = text_at(&document, "p1").unwrap();
    for (inside, new) in [("x+y", "x-y"), ("base", "case")] {
        assert!(old.contains(inside), "{inside} is shown");
        assert_eq!(
            refused(&document, set("p1", &old.replace(inside, new))),
            EditErrorKind::WouldDamage,
            "{inside}"
        );
    }
    assert!(!old.contains("kana"), "the reading above a text is no text of the line");
    for (inside, new) in
        [("link", "chain"), ("held", "kept"), ("smart", "clever"), ("custom", "own"), ("today", "now")]
    {
        let edited = one(&document, set("p1", &old.replace(inside, new)));
        assert_eq!(text_at(&edited, "p1"), Some(old.replace(inside, new)), "{inside}");
    }
}

#[test]
fn glyph_elements_come_and_go_as_characters() {
    let document = Made::new(&p("a")).bytes();
    for text in ["a\u{2011}b", "a\u{AD}b", "\u{2011}", "\ta\t", "a\nb\n\u{AD}c"] {
        let edited = one(&document, set("p1", text));
        assert_eq!(text_at(&edited, "p1").as_deref(), Some(text));
        assert_eq!(body(&one(&edited, set("p1", "a"))), body(&document), "{text:?} and back");
    }
}

// ---- permission ranges ----

#[test]
fn permission_ranges_keep_both_marks() {
    let start = "<w:permStart w:id=\"5\" w:edGrp=\"everyone\"/>";
    let end = "<w:permEnd w:id=\"5\"/>";
    let document = Made::new(&format!(
        "<w:p>{start}{}</w:p>{}<w:p>{}{end}</w:p>{}",
        run("one"),
        p("two"),
        run("three"),
        p("four")
    ))
    .bytes();
    for at in ["p1", "p2", "p3"] {
        for tracked in [false, true] {
            let edited =
                apply_tracked(&document, &json!([{"op": "docx_delete_paragraph", "at": at}]), tracked)
                    .unwrap()
                    .bytes;
            assert_eq!(
                (body(&edited).matches(start).count(), body(&edited).matches(end).count()),
                (1, 1),
                "{at} {tracked}"
            );
        }
    }
    let all = one(&document, json!({"op": "docx_delete_paragraph", "at": "p1", "end": "p3"}));
    assert!(!body(&all).contains("w:perm"), "both marks go with all of the range: {}", body(&all));
    let codes: Vec<String> =
        outline(&document).unwrap().warnings.into_iter().map(|warning| warning.code).collect();
    assert_eq!(codes, ["has_permission_ranges"]);
}

// ---- content controls ----

#[test]
fn controls_at_every_level_hold_addressed_text() {
    let control = |content: &str| {
        format!("<w:sdt><w:sdtPr><w:id w:val=\"4\"/></w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>")
    };
    let cell = |text: &str| format!("<w:tc>{}</w:tc>", p(text));
    let row = |cells: &str| format!("<w:tr>{cells}</w:tr>");
    let table = format!(
        "<w:tbl><w:tblPr/><w:tblGrid/>{}{}</w:tbl>",
        control(&row(&cell("in a row control"))),
        row(&(control(&cell("in a cell control"))
            + &format!("<w:tc>{}</w:tc>", control(&p("in a block in a cell")))))
    );
    let document =
        Made::new(&format!("{}{table}<w:p>{}</w:p>", control(&p("in a block")), control(&run("in a run"))))
            .bytes();
    let places = [
        ("p1", "in a block"),
        ("t1.r1.c1.p1", "in a row control"),
        ("t1.r2.c1.p1", "in a cell control"),
        ("t1.r2.c2.p1", "in a block in a cell"),
        ("p2", "in a run"),
    ];
    for (at, text) in places {
        assert_eq!(text_at(&document, at).as_deref(), Some(text), "{at}");
        let edited = one(&document, set(at, &text.replace("in a", "inside a")));
        assert_eq!(
            body(&edited),
            body(&document).replacen(text, &text.replace("in a", "inside a"), 1),
            "{at}"
        );
    }
    let removed = one(&document, json!({"op": "docx_delete_paragraph", "at": "p1"}));
    assert!(
        body(&removed).contains("<w:sdtContent><w:p></w:p></w:sdtContent>"),
        "a block control keeps a paragraph"
    );
}

#[test]
fn a_locked_control_does_not_go_with_its_paragraph() {
    let control = |lock: &str| {
        format!(
            "<w:p><w:sdt><w:sdtPr><w:lock w:val=\"{lock}\"/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt></w:p>{}",
            run("x"),
            p("end")
        )
    };
    for (lock, text_is_free) in [("sdtLocked", true), ("contentLocked", false), ("sdtContentLocked", false)] {
        let document = Made::new(&control(lock)).bytes();
        assert_eq!(
            refused(&document, json!({"op": "docx_delete_paragraph", "at": "p1"})),
            EditErrorKind::ReadOnly,
            "{lock}"
        );
        match text_is_free {
            true => assert_eq!(text_at(&one(&document, set("p1", "y")), "p1").as_deref(), Some("y")),
            false => assert_eq!(refused(&document, set("p1", "y")), EditErrorKind::ReadOnly, "{lock}"),
        }
    }
    let free = Made::new(&control("unlocked")).bytes();
    one(&free, json!({"op": "docx_delete_paragraph", "at": "p1"}));
}

// ---- alternate content ----

#[test]
fn runs_in_alternate_content_are_shown_once_and_not_edited() {
    let alternate = format!(
        "<w:p>{}<mc:AlternateContent><mc:Choice Requires=\"w14\">{}</mc:Choice><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>{}</w:p>",
        run("before "),
        run("new"),
        run("old"),
        run(" after")
    );
    let document = Made::new(&alternate).bytes();
    assert_eq!(text_at(&document, "p1").as_deref(), Some("before new after"));
    assert_eq!(refused(&document, set("p1", "before nxw after")), EditErrorKind::WouldDamage);
    let edited = one(&document, set("p1", "Before new thereafter"));
    assert_eq!(body(&edited), body(&document).replace("before ", "Before ").replace(" after", " thereafter"));
}

#[test]
fn block_level_alternate_content_changes_in_both_branches_or_not_at_all() {
    let block = |choice: &str, fallback: &str| {
        Made::new(&format!("<mc:AlternateContent><mc:Choice Requires=\"w14\">{}</mc:Choice><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>{}", p(choice), p(fallback), p("end"))).bytes()
    };
    let edited = one(&block("same", "same"), set("p1", "other"));
    assert_eq!(body(&edited).matches("<w:t>other</w:t>").count(), 2, "{}", body(&edited));
    assert_eq!(refused(&block("one", "two"), set("p1", "other")), EditErrorKind::WouldDamage);
}

// ---- fields ----

#[test]
fn a_whole_field_deleted_with_tracking_comes_back_whole() {
    let field = "<w:p><w:r><w:t xml:space=\"preserve\">on </w:t></w:r><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>DATE</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>today</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>";
    let document = Made::new(&(field.to_owned() + &p("end"))).bytes();
    let op = json!([{"op": "docx_delete_paragraph", "at": "p1"}]);
    let tracked = apply_tracked(&document, &op, true).unwrap().bytes;
    assert!(body(&tracked).contains("<w:delInstrText>DATE</w:delInstrText>"), "{}", body(&tracked));
    assert!(!body(&tracked).contains("<w:instrText>"));
    assert_eq!(body(&one(&tracked, json!({"op": "docx_reject_changes"}))), body(&document));
    assert_eq!(body(&one(&tracked, json!({"op": "docx_accept_changes"}))), p("end"));
    let simple = Made::new(&format!(
        "<w:p><w:fldSimple w:instr=\"PAGE\">{}</w:fldSimple>{}</w:p>",
        run("3"),
        run(" pages")
    ))
    .bytes();
    assert_eq!(text_at(&simple, "p1").as_deref(), Some("3 pages"));
    assert_eq!(text_at(&one(&simple, set("p1", "4 pages")), "p1").as_deref(), Some("4 pages"));
    assert!(body(&one(&simple, set("p1", "3 sheets"))).contains("<w:fldSimple w:instr=\"PAGE\">"));
}

// ---- ids, properties, parts ----

#[test]
fn new_paragraphs_copy_no_identity() {
    let spanning = std::fs::read(stet_tests::fixture("docx-spanning-everything.docx")).unwrap();
    let ids = |document: &[u8]| {
        let text = part(document, "word/document.xml");
        ["w14:paraId=", "w:rsid", "<w:sectPr", "<w:ins "].map(|id| text.matches(id).count())
    };
    for index in 1..=9 {
        for position in ["before", "after"] {
            let op =
                json!([{"op": "docx_insert_paragraph", "index": index, "position": position, "text": "new"}]);
            let edited = apply_tracked(&spanning, &op, false).unwrap().bytes;
            assert_eq!(ids(&edited), ids(&spanning), "{position} p{index}");
        }
    }
}

#[test]
fn annotation_ids_are_above_those_of_every_part() {
    let note = format!(
        "<w:footnotes {{ns}}><w:footnote w:id=\"2\"><w:p><w:ins w:id=\"200\" w:author=\"A\">{}</w:ins></w:p></w:footnote></w:footnotes>",
        run("note")
    );
    let document = Made::new(&p("text")).part("footnotes", "footnotes.xml", &note).bytes();
    let edited = apply_tracked(&document, &json!([set("p1", "other")]), true).unwrap().bytes;
    assert!(
        body(&edited).contains("w:id=\"201\"") && body(&edited).contains("w:id=\"202\""),
        "{}",
        body(&edited)
    );
    let commented = one(&document, json!({"op": "docx_add_comment", "index": 1, "text": "c"}));
    assert!(body(&commented).contains("<w:commentReference w:id=\""));
}

#[test]
fn the_main_part_is_found_by_its_relationship() {
    let made = Made::new(&p("text")).bytes();
    let moved = patched(
        &made,
        &[
            ("[Content_Types].xml", "/word/document.xml", "/word/document2.xml"),
            ("_rels/.rels", "word/document.xml", "word/document2.xml"),
            ("word/document2.xml", "", &part(&made, "word/document.xml")),
        ],
    );
    let edited = one(&moved, set("p1", "other"));
    assert!(part(&edited, "word/document2.xml").contains("<w:t>other</w:t>"));
    assert_eq!(
        part(&edited, "word/document.xml"),
        part(&made, "word/document.xml"),
        "what only has the usual name is not it"
    );
}

#[test]
fn other_parts_with_text_are_left_alone() {
    let glossary = "<w:glossaryDocument {ns}><w:docParts/></w:glossaryDocument>";
    let document = Made::new(&(p("text") + "<w:altChunk r:id=\"rId2\"/>"))
        .part("glossaryDocument", "glossary.xml", glossary)
        .part("aFChunk", "chunk.xml", "<html>{ns} not closed")
        .bytes();
    let edited = one(&document, set("p1", "other"));
    for (old, new) in
        entries(&document).iter().zip(entries(&edited)).filter(|(old, _)| old.name != "word/document.xml")
    {
        assert_eq!(old.content, new.content, "{}", old.name);
    }
    assert!(body(&edited).contains("<w:altChunk r:id=\"rId2\"/>"));
}

// ---- what the outline warns of ----

#[test]
fn the_outline_warns_of_everything_that_blocks_or_changes_an_edit() {
    let codes = |document: &[u8]| -> Vec<(String, String)> {
        outline(document)
            .unwrap()
            .warnings
            .into_iter()
            .map(|warning| (warning.code, warning.message))
            .collect()
    };
    let settings = |inner: &str| {
        Made::new(&p("a"))
            .part("settings", "settings.xml", &format!("<w:settings {{ns}}>{inner}</w:settings>"))
            .bytes()
    };
    let protection =
        |edit: &str| settings(&format!("<w:documentProtection w:edit=\"{edit}\" w:enforcement=\"1\"/>"));
    let field = |code: &str| {
        Made::new(&format!("<w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText xml:space=\"preserve\"> {code} x </w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>")).bytes()
    };
    let signed = patched(
        &Made::new(&p("a")).bytes(),
        &[
            (
                "_rels/.rels",
                "</Relationships>",
                "<Relationship Id=\"rId8\" Type=\"http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin\" Target=\"_xmlsignatures/origin.sigs\"/></Relationships>",
            ),
            (
                "[Content_Types].xml",
                "<Override",
                "<Default Extension=\"sigs\" ContentType=\"application/vnd.openxmlformats-package.digital-signature-origin\"/><Override",
            ),
            ("_xmlsignatures/origin.sigs", "", ""),
        ],
    );
    let macros = patched(
        &Made::new(&p("a")).bytes(),
        &[
            (
                "[Content_Types].xml",
                "<Override",
                "<Default Extension=\"bin\" ContentType=\"application/vnd.ms-office.vbaProject\"/><Override",
            ),
            ("word/vbaProject.bin", "", "code"),
        ],
    );
    for (document, code, blocks) in [
        (
            Made::new("<w:p><w:del w:id=\"1\" w:author=\"A\"/></w:p>").bytes(),
            "has_tracked_changes",
            "not shown",
        ),
        (settings("<w:trackRevisions/>"), "tracking_on", "become tracked changes"),
        (protection("readOnly"), "document_protected", "every edit is refused"),
        (protection("comments"), "document_protected", "other edits are refused"),
        (protection("forms"), "document_protected", "edits are refused"),
        (protection("trackedChanges"), "document_protected", "becomes a tracked change"),
        (settings("<w:writeProtection w:recommended=\"1\"/>"), "write_protection", "made all the same"),
        (signed, "has_signature", "makes the signature invalid"),
        (macros, "has_macros", "kept as they are"),
        (field("LINK Excel.Sheet"), "has_linked_fields", "replaces what is edited"),
        (field("INCLUDETEXT"), "has_linked_fields", "replaces what is edited"),
        (field("DDEAUTO"), "has_linked_fields", "replaces what is edited"),
        (
            Made::new("<w:altChunk r:id=\"rId1\"/><w:p/>").bytes(),
            "has_embedded_documents",
            "neither shown nor edited",
        ),
    ] {
        let found = codes(&document);
        assert!(found.len() == 1 && found[0].0 == code && found[0].1.contains(blocks), "{code}: {found:?}");
    }
    assert!(codes(&field("PAGE")).is_empty() && codes(&Made::new(&p("a")).bytes()).is_empty());
    assert_eq!(texts(&field("PAGE")), [("p1".to_owned(), String::new())]);
}
