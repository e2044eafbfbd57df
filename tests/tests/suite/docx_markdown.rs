//! Markdown into Word documents: the document's own styles and numbering, made only where missing; and new documents.

use documents::{ApplyContext, Limits, error::EditErrorKind};
use serde_json::{Value, json};
use stet_tests::{
    decks::part,
    words::{Made, NOW, apply, apply_tracked, body, outline, p, texts},
};

fn insert(text: &str) -> Value {
    json!([{"op": "docx_insert_markdown", "index": 1, "position": "after", "text": text}])
}

fn inserted(document: &[u8], text: &str) -> Vec<u8> {
    apply(document, &insert(text)).unwrap_or_else(|error| panic!("{text}: {error:?}")).bytes
}

const RICH: &str = "# Head\n\nText with **bold**, *italic*, ~~gone~~, `code` and [a link](https://example.org/?a=1&b=2).\n\n- one\n  1. first\n  2. second\n- two\n\n> quoted\n\n| A | B |\n|---|--:|\n| 1 | **2** |\n\n```\ncode\n  block\n```\n";

#[test]
fn missing_styles_and_numbering_are_made_with_all_their_parts() {
    let edited = inserted(&Made::new(&p("start")).bytes(), RICH);
    let nodes = outline(&edited).unwrap().nodes;
    let styles: Vec<(&str, &Value)> = nodes
        .iter()
        .filter(|node| node.kind == "paragraph" && node.more.contains_key("index"))
        .map(|node| (node.text.as_str(), &node.more["style"]))
        .collect();
    assert_eq!(
        styles,
        [
            ("start", &json!("Normal")),
            ("Head", &json!("Heading 1")),
            ("Text with bold, italic, gone, code and a link.", &json!("Normal")),
            ("one", &json!("List Paragraph")),
            ("first", &json!("List Paragraph")),
            ("second", &json!("List Paragraph")),
            ("two", &json!("List Paragraph")),
            ("quoted", &json!("Quote")),
            ("code\n  block", &json!("HTML Preformatted")),
        ]
    );
    let list = |text: &str| nodes.iter().find(|node| node.text == text).unwrap().more["list"].clone();
    assert_eq!(list("one"), json!({"format": "bullet", "level": 1}));
    assert_eq!(list("second"), json!({"format": "lowerLetter", "level": 2}));
    let types = part(&edited, "[Content_Types].xml");
    assert!(types.contains("/word/styles.xml") && types.contains("/word/numbering.xml"));
    let relationships = part(&edited, "word/_rels/document.xml.rels");
    assert!(relationships.contains("Target=\"https://example.org/?a=1&amp;b=2\" TargetMode=\"External\""));
    let numbering = part(&edited, "word/numbering.xml");
    assert!(numbering.rfind("<w:abstractNum ").unwrap() < numbering.find("<w:num ").unwrap());
    let text = body(&edited);
    assert!(text.contains("<w:rPr><w:b/></w:rPr><w:t>bold</w:t>"), "{text}");
    assert!(
        text.contains("<w:rPr><w:rStyle w:val=\"Hyperlink\"/></w:rPr><w:t>a link</w:t></w:r></w:hyperlink>")
    );
    assert!(text.contains("<w:trPr><w:tblHeader/></w:trPr>") && text.contains("<w:jc w:val=\"right\"/>"));
    let again = inserted(&edited, RICH);
    assert_eq!(part(&again, "word/styles.xml"), part(&edited, "word/styles.xml"), "nothing is made twice");
}

#[test]
fn the_documents_own_styles_are_used() {
    let styles = "<w:styles {ns}><w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Standard\"><w:name w:val=\"Normal\"/></w:style><w:style w:type=\"paragraph\" w:styleId=\"berschrift2\"><w:name w:val=\"heading 2\"/></w:style><w:style w:type=\"paragraph\" w:styleId=\"Aufz\"><w:name w:val=\"List Bullet\"/><w:pPr><w:numPr><w:numId w:val=\"7\"/></w:numPr></w:pPr></w:style><w:style w:type=\"paragraph\" w:styleId=\"Num\"><w:name w:val=\"List Number\"/><w:pPr><w:numPr><w:numId w:val=\"8\"/></w:numPr></w:pPr></w:style><w:style w:type=\"table\" w:styleId=\"Firm\"><w:name w:val=\"Firm Table\"/></w:style></w:styles>";
    let numbering = "<w:numbering {ns}><w:abstractNum w:abstractNumId=\"3\"><w:lvl w:ilvl=\"0\"><w:numFmt w:val=\"bullet\"/></w:lvl></w:abstractNum><w:abstractNum w:abstractNumId=\"4\"><w:lvl w:ilvl=\"0\"><w:numFmt w:val=\"decimal\"/></w:lvl></w:abstractNum><w:num w:numId=\"7\"><w:abstractNumId w:val=\"3\"/></w:num><w:num w:numId=\"8\"><w:abstractNumId w:val=\"4\"/></w:num></w:numbering>";
    let table = "<w:tbl><w:tblPr><w:tblStyle w:val=\"Firm\"/></w:tblPr><w:tblGrid/><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>";
    let document = Made::new(&(p("start") + table + &p("end")))
        .part("styles", "styles.xml", styles)
        .part("numbering", "numbering.xml", numbering)
        .bytes();
    let edited = inserted(&document, "## Titel\n\n- a\n\n1. x\n\ntext\n\n3. y\n\n| t |\n|---|\n| u |");
    let text = body(&edited);
    assert_eq!(
        part(&edited, "word/styles.xml").matches("<w:style ").count(),
        6,
        "only List Paragraph is new"
    );
    assert!(text.contains("<w:pStyle w:val=\"berschrift2\"/>"));
    assert!(text.contains("<w:pPr><w:pStyle w:val=\"Aufz\"/></w:pPr><w:r><w:t>a</w:t>"));
    let ordered = |num_id: u32, text: &str| {
        format!(
            "<w:pPr><w:pStyle w:val=\"Num\"/><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"{num_id}\"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t>"
        )
    };
    assert!(
        text.contains(&ordered(9, "x")) && text.contains(&ordered(10, "y")),
        "each list counts for itself: {text}"
    );
    assert!(part(&edited, "word/numbering.xml").contains("<w:num w:numId=\"10\"><w:abstractNumId w:val=\"4\"/><w:lvlOverride w:ilvl=\"0\"><w:startOverride w:val=\"3\"/>"));
    assert_eq!(text.matches("<w:tblStyle w:val=\"Firm\"/>").count(), 2);
    assert!(text.contains("</w:tbl><w:p></w:p><w:tbl>"), "two tables do not touch");
}

#[test]
fn what_is_not_inserted_is_refused() {
    let document = Made::new(&p("start")).bytes();
    for text in ["![x](y.png)", "a[^1]\n\n[^1]: note", "[x](javascript:alert)"] {
        assert_eq!(apply(&document, &insert(text)).unwrap_err().kind, EditErrorKind::WouldDamage, "{text}");
    }
    assert_eq!(apply(&document, &insert(" \n")).unwrap_err().kind, EditErrorKind::InvalidArguments);
}

/// What each construct becomes: nothing is dropped without a word.
#[test]
fn every_construct_is_inserted() {
    let document = Made::new(&p("start")).bytes();
    let shown = |text: &str| -> Vec<String> {
        texts(&inserted(&document, text)).into_iter().skip(1).map(|(_, text)| text).collect()
    };
    for (text, lines) in [
        ("a\\\nb  \nc<br>d", vec!["a\nb\nc\nd"]),
        ("soft\nbreak", vec!["soft break"]),
        ("- [x] done\n- [ ] open", vec!["☒ done", "☐ open"]),
        ("<div>\nraw\n</div>", vec!["<div>\nraw\n</div>"]),
        ("a <kbd>b</kbd>", vec!["a <kbd>b</kbd>"]),
        ("&copy; &amp; \\*", vec!["© & *"]),
        ("- # head\n- ```\n  code\n\n  more\n  ```\n- ", vec!["head", "code\n\nmore", ""]),
        ("1. a\n\n   b\n2. c", vec!["a", "b", "c"]),
        ("> a\n>\n> - b\n>\n> > c", vec!["a", "b", "c"]),
        ("    indented\n      code", vec!["indented\n  code"]),
        ("Head\n====\n\nSub\n---", vec!["Head", "Sub"]),
        ("[a][r] [b]\n\n[r]: https://r.example\n[b]: https://b.example", vec!["a b"]),
        ("$x$ ==y== H~2~O", vec!["$x$ ==y== H~2~O"]),
        ("| a |\n|---|\n| `x \\| y` |", vec!["a", "x | y", ""]),
    ] {
        assert_eq!(shown(text), lines, "{text}");
    }
    let commented = apply(&document, &insert("a <!-- b --> c\n\n<!-- d\ne -->\n\nf")).unwrap();
    assert_eq!(commented.warnings[0].code, "html_comment_left_out");
    assert!(!body(&commented.bytes).contains("<!--") && !body(&commented.bytes).contains("&lt;!--"));
}

#[test]
fn links_are_written_as_a_relationship_may_hold_them() {
    let document = Made::new(&p("start")).bytes();
    let text = "<a@b.example> <https://c.example/x> [d](<https://d.example/a b?q=\"1\"> \"A & B\") [e](#part) [f]() [g](https://ü.example/é)";
    let edited = inserted(&document, text);
    let relationships = part(&edited, "word/_rels/document.xml.rels");
    for target in [
        "mailto:a@b.example",
        "https://c.example/x",
        "https://d.example/a%20b?q=%221%22",
        "https://ü.example/é",
    ] {
        assert!(
            relationships.contains(&format!("Target=\"{target}\" TargetMode=\"External\"")),
            "{target}: {relationships}"
        );
    }
    let markup = body(&edited);
    assert!(
        markup.contains(" w:tooltip=\"A &amp; B\">") && markup.contains("<w:hyperlink w:anchor=\"part\">"),
        "{markup}"
    );
    assert_eq!(markup.matches("<w:hyperlink ").count(), 5, "a link that leads nowhere is its text");
    for text in ["[x](vbscript:a)", "[x](DATA:text/html,a)", "[x]( javascript:a )"] {
        assert_eq!(apply(&document, &insert(text)).unwrap_err().kind, EditErrorKind::WouldDamage, "{text}");
    }
}

#[test]
fn tracked_markdown_settles_both_ways() {
    let document = Made::new(&(p("start") + &p("end"))).bytes();
    let edited = apply_tracked(&document, &insert(RICH), true).unwrap().bytes;
    assert!(!body(&edited).contains("<w:ins w:id=\"1\"><w:hyperlink"));
    let settle =
        |verdict: &str| apply(&edited, &json!([{"op": format!("docx_{verdict}_changes")}])).unwrap().bytes;
    assert_eq!(body(&settle("reject")), body(&document));
    let plain = apply_tracked(&document, &insert(RICH), false).unwrap().bytes;
    assert_eq!(texts(&settle("accept")), texts(&plain));
}

#[test]
fn markdown_goes_into_cells_and_notes_too() {
    let document =
        Made::new("<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p/>").bytes();
    let op = json!([{"op": "docx_insert_markdown", "at": "t1.r1.c1.p1", "text": "- a\n- b"}]);
    let edited = apply(&document, &op).unwrap().bytes;
    let shown: Vec<String> = texts(&edited).into_iter().map(|(at, text)| format!("{at} {text}")).collect();
    assert_eq!(shown, ["t1.r1.c1.p1 a", "t1.r1.c1.p2 b", "t1.r1.c1.p3 ", "p1 "]);
}

#[test]
fn a_new_document_is_made_from_markdown() {
    let context = ApplyContext {
        author: "Stet Tester",
        now: NOW,
        override_protection: false,
        track_changes: Some(true),
        limits: Limits::default(),
        cancel: &|| false,
    };
    let create = |text: &str| documents::formats::docx::create(text, &context).unwrap();
    let made = create(RICH);
    assert_eq!(texts(&made)[0], ("p1".into(), "Head".into()));
    assert!(!body(&made).contains("w:ins"), "a new document tracks nothing");
    assert_eq!(texts(&create("one")), [("p1".into(), "one".into())]);
    assert_eq!(texts(&create("")), [("p1".into(), String::new())]);
    let table = create("| a |\n|---|\n| b |");
    assert_eq!(texts(&table).last().unwrap().0, "p1", "a paragraph stands behind the table");
}
