//! Each rule for Word documents has a case here: on the crafted document where everything spans something, and on small ones.

use documents::error::EditErrorKind;
use serde_json::{Value, json};
use stet_tests::{
    decks::{difference, part},
    words::{Made, Options, apply, apply_with, body, outline, p, text_at, texts},
};

fn spanning() -> Vec<u8> {
    std::fs::read(stet_tests::fixture("docx-spanning-everything.docx")).unwrap()
}

/// Applies one operation.
fn one(document: &[u8], op: Value) -> documents::Applied {
    apply(document, &json!([op])).unwrap_or_else(|error| panic!("{op}: {error:?}"))
}

fn refused(document: &[u8], op: Value) -> documents::EditError {
    match apply(document, &json!([op])) {
        Err(error) => error,
        Ok(applied) => panic!("{op} was done: {:?}", applied.changes),
    }
}

fn set(at: &str, text: &str) -> Value {
    json!({"op": "docx_set_paragraph", "at": at, "text": text})
}

fn delete(at: &str) -> Value {
    json!({"op": "docx_delete_paragraph", "at": at})
}

/// The one changed part's rewritten bytes.
fn rewritten(before: &[u8], after: &[u8]) -> (String, usize) {
    let difference = difference(before, after);
    assert_eq!(difference.changed.len(), 1, "{difference:?}");
    difference.changed[0].clone()
}

// ---- the view of text ----

#[test]
fn the_outline_shows_every_story_and_no_deleted_text() {
    let shown = texts(&spanning());
    let text = |at: &str| shown.iter().find(|(place, _)| place == at).map(|(_, text)| text.as_str());
    assert_eq!(text("p1"), Some("bookmark starts comment starts"));
    assert_eq!(text("p2"), Some("entry one"), "the field code is not text, its result is");
    assert_eq!(text("p6"), Some("inserted kept"));
    assert_eq!(text("textbox1.p1"), Some("box text"));
    assert_eq!(text("textbox2.p1"), None, "both branches are one text box");
    assert_eq!(text("t1.r1.c1.t1.r1.c1.p1"), Some("inner"));
    assert_eq!(text("footnote1.p1"), Some(" note"));
    assert_eq!(text("comment1.p1"), Some("c"));
    let codes: Vec<String> =
        outline(&spanning()).unwrap().warnings.into_iter().map(|warning| warning.code).collect();
    assert_eq!(codes, ["has_tracked_changes"]);
}

#[test]
fn odd_xml_is_read_and_written_back_as_it_was() {
    let zoo = std::fs::read(stet_tests::fixture("xml-syntax-zoo.docx")).unwrap();
    let first = text_at(&zoo, "p1").unwrap();
    assert_eq!(first, "One & 中中 \"'>]]> tail spaced ");
    let fourth = text_at(&zoo, "p4").unwrap();
    assert_eq!(fourth, "cdata <b> & after\t\n\u{2011}\u{AD}\n\u{F0FC}");
    let edited = one(&zoo, set("p4", &fourth.replace("<b>", "<i>"))).bytes;
    assert_eq!(text_at(&edited, "p4"), Some(fourth.replace("<b>", "<i>")));
    for at in ["p2", "p3", "p5", "p6"] {
        let old = text_at(&zoo, at).unwrap();
        let edited = one(&zoo, set(at, &format!("{old}new & <x>"))).bytes;
        assert_eq!(text_at(&edited, at), Some(format!("{old}new & <x>")), "{at}");
        let inserted = one(&zoo, json!({"op": "docx_insert_paragraph", "at": at, "text": "beside"})).bytes;
        assert_eq!(text_at(&inserted, at).as_deref(), Some("beside"), "{at}");
    }
}

#[test]
fn symbols_and_breaks_are_characters_and_anchors_are_not() {
    let document = Made::new(
        "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:sym w:font=\"Wingdings\" w:char=\"F0FC\"/><w:br w:type=\"page\"/><w:lastRenderedPageBreak/><w:t>d</w:t></w:r></w:p>",
    )
    .bytes();
    assert_eq!(text_at(&document, "p1").as_deref(), Some("a\tb\nc\u{2011}\u{F0FC}d"));
    let edited = one(&document, set("p1", "new")).bytes;
    assert!(body(&edited).contains("<w:br w:type=\"page\"/>"), "the page break outlives its neighbours");
    assert_eq!(text_at(&edited, "p1").as_deref(), Some("new"));
    let edited = one(&document, set("p1", "a b\nc\u{2011}\u{F0FC}d")).bytes;
    assert!(body(&edited).contains("<w:t>a b</w:t><w:br/>"), "{}", body(&edited));
}

// ---- set and replace ----

#[test]
fn only_the_differing_characters_change_and_keep_their_formatting() {
    let document = Made::new(
        "<w:p><w:r><w:t xml:space=\"preserve\">The </w:t></w:r><w:proofErr w:type=\"spellStart\"/><w:r><w:rPr><w:b/></w:rPr><w:t>quick</w:t></w:r><w:bookmarkStart w:id=\"0\" w:name=\"x\"/><w:r><w:t xml:space=\"preserve\"> brown fox</w:t></w:r><w:bookmarkEnd w:id=\"0\"/></w:p>",
    )
    .bytes();
    let edited = one(&document, set("p1", "The slow brown cat")).bytes;
    assert_eq!(
        body(&edited),
        body(&document).replace(">quick<", ">slow<").replace(" brown fox", " brown cat")
    );
}

#[test]
fn text_is_found_over_runs() {
    let document = Made::new(
        "<w:p><w:r><w:t>con</w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>tract of </w:t></w:r><w:ins w:id=\"1\" w:author=\"A\"><w:r><w:t>sale</w:t></w:r></w:ins></w:p>",
    )
    .bytes();
    let replace =
        json!({"op": "docx_replace_text", "find": "contract of sale", "replace": "contract of lease"});
    let edited = one(&document, replace).bytes;
    assert_eq!(text_at(&edited, "p1").as_deref(), Some("contract of lease"));
    assert!(body(&edited).contains("<w:ins w:id=\"1\" w:author=\"A\"><w:r><w:t>lease</w:t></w:r></w:ins>"));
}

#[test]
fn matches_are_exact_and_counted() {
    let document = Made::new(&(p("one one") + &p("One two"))).bytes();
    let replace = |find: &str, more: Value| {
        let mut op = json!({"op": "docx_replace_text", "find": find, "replace": "X"});
        op.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        op
    };
    let error = refused(&document, replace("one", json!({})));
    assert_eq!(error.kind, EditErrorKind::MultipleMatches);
    assert_eq!(error.matches.len(), 2);
    let error = refused(&document, replace("ONE TWO", json!({})));
    assert_eq!(error.kind, EditErrorKind::ZeroMatches);
    assert_eq!(error.matches[0].location, "p2", "the nearest candidate comes first");
    let second = one(&document, replace("one", json!({"occurrence": 2}))).bytes;
    assert_eq!(text_at(&second, "p1").as_deref(), Some("one X"));
    let all = one(&document, replace("one", json!({"occurrence": "all"}))).bytes;
    assert_eq!(text_at(&all, "p1").as_deref(), Some("X X"));
    assert_eq!(refused(&document, replace("one", json!({"occurrence": 3}))).kind, EditErrorKind::OutOfRange);
    assert_eq!(refused(&document, replace("", json!({}))).kind, EditErrorKind::InvalidArguments);
}

#[test]
fn scopes_name_the_stories() {
    let story = |name: &str, inner: &str| format!("<w:{name} {{ns}}>{inner}</w:{name}>");
    let note = |name: &str| {
        story(&format!("{name}s"), &format!("<w:{name} w:id=\"2\">{}</w:{name}>", p("word here")))
    };
    let document = Made::new(&p("word here"))
        .part("header", "header1.xml", &story("hdr", &p("word here")))
        .part("footer", "footer1.xml", &story("ftr", &p("word here")))
        .part("footnotes", "footnotes.xml", &note("footnote"))
        .part("endnotes", "endnotes.xml", &note("endnote"))
        .bytes();
    let changed = |scope: &str| {
        let op = json!({"op": "docx_replace_text", "find": "word", "replace": "sign", "scope": scope, "occurrence": "all"});
        let places: Vec<String> =
            one(&document, op).changes.into_iter().map(|change| change.location).collect();
        places.join(" ")
    };
    assert_eq!(changed("body"), "p1");
    assert_eq!(changed("headers"), "header1.p1");
    assert_eq!(changed("footers"), "footer1.p1");
    assert_eq!(changed("notes"), "footnote1.p1 endnote1.p1");
    assert_eq!(changed("all"), "p1 header1.p1 footer1.p1 footnote1.p1 endnote1.p1");
    let textboxes =
        json!({"op": "docx_replace_text", "find": "box", "replace": "frame", "scope": "textboxes"});
    assert_eq!(one(&spanning(), textboxes).changes[0].location, "textbox1.p1");
}

#[test]
fn both_branches_of_a_text_box_change_alike() {
    let document = spanning();
    let edited = one(&document, set("textbox1.p1", "box\ttext")).bytes;
    let text = part(&edited, "word/document.xml");
    assert_eq!(text.matches("<w:t>box</w:t><w:tab/>").count(), 2, "{text}");
    let different = part(&document, "word/document.xml").replacen("box text", "other", 1);
    let body =
        different.split_once("<w:body>").unwrap().1.split_once("<w:sectPr/></w:body>").unwrap().0.to_owned();
    let body = body.replace(" xmlns:wp=", " xmlns:unused=");
    let made = Made::new(
        &body
            .replace("<wp:inline>", "")
            .replace("</wp:inline>", "")
            .replace("<wp:extent cx=\"9\" cy=\"9\"/>", "")
            .replace("<wp:docPr id=\"1\" name=\"T\"/>", "")
            .replace("<a:graphic>", "")
            .replace("</a:graphic>", "")
            .replace(
                "<a:graphicData uri=\"http://schemas.microsoft.com/office/word/2010/wordprocessingShape\">",
                "",
            )
            .replace("</a:graphicData>", ""),
    )
    .bytes();
    assert_eq!(refused(&made, set("textbox1.p1", "x")).kind, EditErrorKind::WouldDamage);
}

#[test]
fn borders_are_not_crossed() {
    let link = "<w:p><w:r><w:t xml:space=\"preserve\">see </w:t></w:r><w:hyperlink r:id=\"rId1\"><w:r><w:t>our site</w:t></w:r></w:hyperlink><w:r><w:t xml:space=\"preserve\"> now</w:t></w:r></w:p>";
    let document = Made::new(link).bytes();
    assert_eq!(
        refused(&document, json!({"op": "docx_replace_text", "find": "see our", "replace": "visit that"}))
            .kind,
        EditErrorKind::WouldDamage
    );
    let inside = one(&document, set("p1", "see our page now")).bytes;
    assert!(body(&inside).contains("<w:t>our page</w:t></w:r></w:hyperlink>"));
    // Text at the border of a link stays outside it.
    let after = one(&document, set("p1", "see our site, now")).bytes;
    assert!(
        body(&after)
            .contains("<w:t>our site</w:t></w:r></w:hyperlink><w:r><w:t xml:space=\"preserve\">, now")
    );
    let only_link = Made::new(
        "<w:p><w:hyperlink r:id=\"rId1\"><w:r><w:rPr><w:u/></w:rPr><w:t>site</w:t></w:r></w:hyperlink></w:p>",
    )
    .bytes();
    let behind = one(&only_link, set("p1", "site.")).bytes;
    assert!(
        body(&behind).contains("</w:hyperlink><w:r><w:t xml:space='preserve'>.</w:t></w:r>"),
        "{}",
        body(&behind)
    );
    assert_eq!(
        body(&one(&behind, set("p1", "site")).bytes),
        body(&only_link),
        "and the way back leaves no trace"
    );
}

#[test]
fn fields_keep_their_code_and_warn() {
    let document = Made::new("<w:p><w:r><w:t xml:space=\"preserve\">Page </w:t></w:r><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>3</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r><w:r><w:t xml:space=\"preserve\"> of 9</w:t></w:r></w:p>").bytes();
    assert_eq!(text_at(&document, "p1").as_deref(), Some("Page 3 of 9"));
    let beside = one(&document, set("p1", "Sheet 3 of 10"));
    assert!(beside.warnings.is_empty(), "{:?}", beside.warnings);
    let result = one(&document, set("p1", "Page 4 of 9"));
    assert_eq!(result.warnings[0].code, "field_result_edited");
    assert_eq!(
        refused(&document, json!({"op": "docx_replace_text", "find": "3 of", "replace": "4 off"})).kind,
        EditErrorKind::WouldDamage
    );
}

#[test]
fn equations_are_walls() {
    let document = Made::new("<w:p><w:r><w:t xml:space=\"preserve\">let </w:t></w:r><m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath><w:r><w:t xml:space=\"preserve\"> hold</w:t></w:r></w:p>").bytes();
    assert_eq!(text_at(&document, "p1").as_deref(), Some("let x=1 hold"));
    assert_eq!(refused(&document, set("p1", "let x=2 hold")).kind, EditErrorKind::WouldDamage);
    assert_eq!(
        text_at(&one(&document, set("p1", "if x=1 holds")).bytes, "p1").as_deref(),
        Some("if x=1 holds")
    );
}

#[test]
fn control_characters_are_refused_and_line_ends_are_breaks() {
    let document = Made::new(&p("a")).bytes();
    assert_eq!(refused(&document, set("p1", "a\u{1}")).kind, EditErrorKind::InvalidArguments);
    let edited = one(&document, set("p1", "a\r\nb\tc")).bytes;
    assert_eq!(body(&edited), "<w:p><w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:tab/><w:t>c</w:t></w:r></w:p>");
    assert_eq!(body(&one(&edited, set("p1", "a")).bytes), body(&document));
    let two = one(&document, set("p1", "a\n\nb")).bytes;
    assert_eq!(body(&two), p("a") + &p("b"));
}

#[test]
fn a_wrong_prefix_is_told_with_the_real_text() {
    let document = Made::new(&p("The seller agrees")).bytes();
    let error = refused(
        &document,
        json!({"op": "docx_set_paragraph", "index": 1, "text": "x", "expect_prefix": "The buyer"}),
    );
    assert_eq!(error.kind, EditErrorKind::PrefixMismatch);
    assert_eq!(error.matches[0].text, "The seller agrees");
    assert_eq!(refused(&document, set("p2", "x")).kind, EditErrorKind::OutOfRange);
    assert_eq!(
        refused(&document, json!({"op": "docx_set_paragraph", "text": "x"})).kind,
        EditErrorKind::InvalidArguments
    );
}

// ---- paragraphs ----

#[test]
fn places_mean_the_revision_that_was_read() {
    let document = Made::new(&(p("a") + &p("b") + &p("c"))).bytes();
    let ops = json!([
        {"op": "docx_insert_paragraph", "index": 1, "text": "new"},
        {"op": "docx_delete_paragraph", "index": 2},
        {"op": "docx_set_paragraph", "index": 3, "text": "C"},
    ]);
    let edited = apply(&document, &ops).unwrap();
    assert_eq!(body(&edited.bytes), p("new") + &p("a") + &p("C"));
    let places: Vec<&str> = edited.changes.iter().map(|change| change.location.as_str()).collect();
    assert_eq!(places, ["p1", "p2", "p3"], "what went, by the address that was read");
    let gone = json!([{"op": "docx_delete_paragraph", "index": 2}, {"op": "docx_set_paragraph", "index": 2, "text": "x"}]);
    let error = apply(&document, &gone).unwrap_err();
    assert_eq!((error.kind, error.op), (EditErrorKind::OutOfRange, Some(1)));
}

#[test]
fn a_new_paragraph_inherits_what_makes_sense() {
    let styled = |style: &str, more: &str, text: &str| {
        format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/>{more}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let list = "<w:numPr><w:ilvl w:val=\"1\"/><w:numId w:val=\"3\"/></w:numPr>";
    let document = Made::new(&(styled("h1", "", "Head") + &styled("List", &format!("{list}<w:sectPr/>"), "item") + &p("plain")))
        .part("styles", "styles.xml", "<w:styles {ns}><w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"n\"><w:name w:val=\"Normal\"/></w:style><w:style w:type=\"paragraph\" w:styleId=\"h1\"><w:name w:val=\"heading 1\"/><w:next w:val=\"n\"/><w:pPr><w:outlineLvl w:val=\"0\"/></w:pPr></w:style><w:style w:type=\"paragraph\" w:styleId=\"List\"><w:name w:val=\"List\"/></w:style></w:styles>")
        .bytes();
    let insert = |index: usize, position: &str, style: Option<&str>| {
        let op = json!({"op": "docx_insert_paragraph", "index": index, "position": position, "text": "new", "style": style});
        body(&one(&document, op).bytes)
    };
    assert!(insert(1, "after", None).contains(&p("new")), "after a heading comes its next style");
    assert!(
        insert(2, "after", None).contains(&styled("List", list, "new")),
        "the list goes on, without the section break"
    );
    assert!(insert(3, "before", Some("Heading 1")).contains(&styled("h1", "", "new")));
    let unknown =
        refused(&document, json!({"op": "docx_insert_paragraph", "index": 1, "text": "x", "style": "Fancy"}));
    assert_eq!(unknown.kind, EditErrorKind::OutOfRange);
    assert!(unknown.matches.iter().any(|place| place.text == "Heading 1"));
    let appended = body(&one(&document, json!({"op": "docx_append_paragraph", "text": "end"})).bytes);
    assert!(appended.ends_with(&p("end")), "before the last section properties");
    let nodes = outline(&document).unwrap().nodes;
    assert_eq!((&nodes[0].more["style"], &nodes[0].more["level"]), (&json!("Heading 1"), &json!(1)));
}

#[test]
fn deleting_keeps_the_halves_of_what_spans() {
    let document = spanning();
    let edited = one(&document, delete("p1")).bytes;
    let text = part(&edited, "word/document.xml");
    assert!(text.contains(
        "<w:body><w:bookmarkStart w:id=\"0\" w:name=\"a\"/><w:commentRangeStart w:id=\"0\"/><w:p "
    ));
    let edited = one(&document, delete("p5"));
    let text = part(&edited.bytes, "word/document.xml");
    assert!(text.contains("after the field</w:t></w:r><w:r><w:commentReference w:id=\"0\"/></w:r></w:p><w:bookmarkEnd w:id=\"0\"/><w:commentRangeEnd w:id=\"0\"/>"));
    let notes = part(&edited.bytes, "word/footnotes.xml");
    assert!(
        !notes.contains("w:id=\"2\"") && notes.contains("separator"),
        "the note goes, the separators stay"
    );
    assert_eq!(edited.warnings[0].code, "note_removed");
}

#[test]
fn a_comment_goes_with_all_of_its_anchors() {
    let document = spanning();
    let edited = one(&document, json!({"op": "docx_delete_paragraph", "index": 1, "end": 5}));
    assert!(!part(&edited.bytes, "word/comments.xml").contains("<w:comment "));
    assert!(!part(&edited.bytes, "word/document.xml").contains("comment"));
    assert!(edited.warnings.iter().any(|warning| warning.code == "comment_removed"));
}

#[test]
fn half_a_field_is_not_deleted() {
    let document = spanning();
    assert_eq!(refused(&document, delete("p2")).kind, EditErrorKind::WouldDamage);
    assert_eq!(refused(&document, delete("p4")).kind, EditErrorKind::WouldDamage);
    one(&document, delete("p3"));
    one(&document, json!({"op": "docx_delete_paragraph", "at": "p2", "end": "p4"}));
    let into = json!({"op": "docx_insert_paragraph", "index": 3, "text": "entry"});
    assert_eq!(one(&document, into).warnings[0].code, "field_result_edited");
}

#[test]
fn required_paragraphs_stay() {
    let document = spanning();
    assert_eq!(refused(&document, delete("t1.r1.c1.p1")).kind, EditErrorKind::WouldDamage);
    let kept = one(&document, delete("p8"));
    assert_eq!(kept.warnings[0].code, "paragraph_kept");
    assert!(
        part(&kept.bytes, "word/document.xml")
            .contains("<w:sdtContent><w:p w14:paraId=\"00000008\"></w:p></w:sdtContent>")
    );
    let inner = one(&document, delete("t1.r1.c1.t1.r1.c1.p1"));
    assert_eq!(text_at(&inner.bytes, "t1.r1.c1.t1.r1.c1.p1").as_deref(), Some(""));
    let table = "<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>";
    let between = Made::new(&format!("{table}{}{table}{}", p("between"), p("end"))).bytes();
    let kept = one(&between, delete("p1")).bytes;
    assert_eq!(body(&kept), format!("{table}<w:p></w:p>{table}{}", p("end")), "two tables would become one");
    let last = one(&between, delete("p2")).bytes;
    assert!(body(&last).ends_with("</w:tbl><w:p></w:p>"), "a paragraph ends the body");
    let note = one(&document, delete("footnote1.p1")).bytes;
    assert!(
        part(&note, "word/footnotes.xml")
            .contains("<w:footnote w:id=\"2\"><w:p><w:r><w:footnoteRef/></w:r></w:p></w:footnote>")
    );
}

#[test]
fn a_section_break_moves_to_the_paragraph_before_or_forbids() {
    assert_eq!(refused(&spanning(), delete("p9")).kind, EditErrorKind::WouldDamage);
    let section = "<w:p><w:pPr><w:sectPr><w:type w:val=\"continuous\"/></w:sectPr></w:pPr><w:r><w:t>b</w:t></w:r></w:p>";
    let document = Made::new(&(p("a") + section + &p("c"))).bytes();
    let edited = one(&document, delete("p2")).bytes;
    assert_eq!(
        body(&edited),
        "<w:p><w:pPr><w:sectPr><w:type w:val=\"continuous\"/></w:sectPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>"
            .to_owned() + &p("c")
    );
}

#[test]
fn a_table_between_forbids_a_range() {
    let document = spanning();
    let error = refused(&document, json!({"op": "docx_delete_paragraph", "index": 7, "end": 8}));
    assert_eq!(error.kind, EditErrorKind::WouldDamage);
    let error = refused(&document, json!({"op": "docx_delete_paragraph", "index": 8, "end": 7}));
    assert_eq!(error.kind, EditErrorKind::OutOfRange);
}

#[test]
fn a_style_is_set_by_name_and_taken_back_without_a_trace() {
    let document = Made::new(&p("a")).styles(&[("h1", "heading 1")]).bytes();
    let style = |name: &str| json!({"op": "docx_set_style", "index": 1, "style": name});
    let edited = one(&document, style("HEADING 1"));
    assert_eq!(
        body(&edited.bytes),
        "<w:p><w:pPr><w:pStyle w:val=\"h1\"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p>"
    );
    assert_eq!(edited.changes[0].after.as_deref(), Some("Heading 1"));
    assert_eq!(body(&one(&edited.bytes, style("Normal")).bytes), body(&document));
    assert!(one(&document, style("Normal")).changes.is_empty());
    assert_eq!(refused(&document, style("Nope")).kind, EditErrorKind::OutOfRange);
}

// ---- tables ----

fn cell(properties: &str, text: &str) -> String {
    format!("<w:tc>{properties}{}</w:tc>", p(text))
}

fn table(rows: &[String]) -> Vec<u8> {
    let rows: String = rows.iter().map(|row| format!("<w:tr>{row}</w:tr>")).collect();
    Made::new(&format!(
        "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>{rows}</w:tbl>{}",
        p("end")
    ))
    .bytes()
}

const START: &str = "<w:tcPr><w:vMerge w:val=\"restart\"/></w:tcPr>";
const CONTINUE: &str = "<w:tcPr><w:vMerge/></w:tcPr>";

#[test]
fn a_cell_takes_text_paragraph_by_paragraph() {
    let document = table(&[cell("", "a") + &cell("", "b")]);
    let set_cell =
        |text: &str| json!({"op": "docx_set_table_cell", "table": 1, "row": 1, "col": 2, "text": text});
    let two = one(&document, set_cell("b\n\nc"));
    assert!(body(&two.bytes).contains(&format!("<w:tc>{}{}</w:tc>", p("b"), p("c"))));
    assert_eq!(two.changes[0].location, "t1.r1.c2");
    assert!(
        one(&two.bytes, set_cell("b\nc")).changes.is_empty(),
        "one line for each paragraph is the same text"
    );
    assert_eq!(body(&one(&two.bytes, set_cell("b")).bytes), body(&document));
    assert_eq!(
        refused(&document, json!({"op": "docx_set_table_cell", "table": 1, "row": 1, "col": 3, "text": "x"}))
            .kind,
        EditErrorKind::OutOfRange
    );
    let nested = refused(
        &spanning(),
        json!({"op": "docx_set_table_cell", "table": 1, "row": 1, "col": 1, "text": "x"}),
    );
    assert_eq!(nested.kind, EditErrorKind::WouldDamage);
}

#[test]
fn a_new_row_is_like_the_row_above() {
    let wide = "<w:tcPr><w:gridSpan w:val=\"2\"/></w:tcPr>";
    let document = table(&[cell(wide, "head"), cell("", "a") + &cell("", "b")]);
    let insert = |row: usize, cells: Value| json!({"op": "docx_insert_table_row", "table": 1, "row": row, "cells": cells});
    let appended = one(&document, insert(3, json!(["x", "y"])));
    assert!(body(&appended.bytes).contains(&format!(
        "<w:tr>{}{}</w:tr></w:tbl>",
        cell("", "x"),
        cell("", "y")
    )));
    assert_eq!(appended.changes[0].location, "t1.r3");
    let second = one(&document, insert(2, json!(["x"]))).bytes;
    assert!(
        body(&second).contains(&format!("<w:tr>{}</w:tr>", cell(wide, "x"))),
        "the spanning cell is kept"
    );
    assert_eq!(refused(&document, insert(2, json!(["x", "y"]))).kind, EditErrorKind::OutOfRange);
    assert_eq!(refused(&document, insert(4, json!([]))).kind, EditErrorKind::OutOfRange);
}

#[test]
fn merged_cells_reach_through_new_and_dead_rows() {
    let document = table(&[
        cell(START, "Q1") + &cell("", "a"),
        cell(CONTINUE, "") + &cell("", "b"),
        cell(CONTINUE, "") + &cell("", "c"),
    ]);
    let insert = |cells: Value| json!({"op": "docx_insert_table_row", "table": 1, "row": 2, "cells": cells});
    let edited = one(&document, insert(json!(["", "new"]))).bytes;
    let empty = "<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p></w:p></w:tc>";
    assert!(body(&edited).contains(&format!("<w:tr>{empty}{}</w:tr>", cell("", "new"))), "{}", body(&edited));
    assert_eq!(refused(&document, insert(json!(["hidden", "new"]))).kind, EditErrorKind::WouldDamage);
    let hidden = json!({"op": "docx_set_table_cell", "table": 1, "row": 2, "col": 1, "text": "x"});
    assert_eq!(refused(&document, hidden).kind, EditErrorKind::WouldDamage);
    let dead = one(&document, json!({"op": "docx_delete_table_row", "table": 1, "row": 1})).bytes;
    let promoted = cell(START, "Q1") + &cell("", "b");
    assert!(
        body(&dead)
            .contains(&format!("<w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr>{promoted}</w:tr>")),
        "{}",
        body(&dead)
    );
}

#[test]
fn the_last_row_takes_its_table_along() {
    let document = table(&[cell("", "a"), cell("", "b")]);
    let first = json!({"op": "docx_delete_table_row", "table": 1, "row": 1});
    let second = json!({"op": "docx_delete_table_row", "table": 1, "row": 2});
    assert_eq!(body(&apply(&document, &json!([first, second])).unwrap().bytes), p("end"));
}

// ---- content controls and protection ----

fn control(properties: &str, content: &str) -> String {
    format!(
        "<w:p><w:r><w:t xml:space=\"preserve\">Name: </w:t></w:r><w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt></w:p>"
    )
}

fn run(text: &str) -> String {
    format!("<w:r><w:t>{text}</w:t></w:r>")
}

#[test]
fn text_ends_the_placeholder_state() {
    let content = "<w:r><w:rPr><w:rStyle w:val=\"ph\"/></w:rPr><w:t>Click here</w:t></w:r>";
    let document = Made::new(&control("<w:showingPlcHdr/><w:text/>", content))
        .part("styles", "styles.xml", "<w:styles {ns}><w:style w:type=\"character\" w:styleId=\"ph\"><w:name w:val=\"Placeholder Text\"/></w:style></w:styles>")
        .bytes();
    assert_eq!(text_at(&document, "p1").as_deref(), Some("Name: Click here"));
    let edited = one(&document, set("p1", "Name: Ann")).bytes;
    assert_eq!(body(&edited), control("<w:text/>", &run("Ann")));
}

#[test]
fn locks_are_honoured_until_overridden() {
    let document = Made::new(&control("<w:lock w:val=\"contentLocked\"/>", &run("Ann"))).bytes();
    assert_eq!(refused(&document, set("p1", "Name: Bob")).kind, EditErrorKind::ReadOnly);
    one(&document, set("p1", "Title: Ann"));
    let options = Options { override_protection: true, ..Options::default() };
    let edited = apply_with(&document, &json!([set("p1", "Name: Bob")]), options).unwrap();
    assert_eq!(edited.warnings[0].code, "protection_overridden");
}

#[test]
fn check_boxes_and_lists_take_only_their_own_values() {
    let check = "<w14:checkbox><w14:checked w14:val=\"0\"/><w14:checkedState w14:val=\"2612\"/><w14:uncheckedState w14:val=\"2610\"/></w14:checkbox>";
    let document = Made::new(&control(check, &run("☐"))).bytes();
    assert_eq!(refused(&document, set("p1", "Name: yes")).kind, EditErrorKind::WouldDamage);
    let edited = one(&document, set("p1", "Name: ☒")).bytes;
    assert_eq!(body(&edited), control(&check.replace("w14:val=\"0\"", "w14:val=\"1\""), &run("☒")));
    let list = "<w:dropDownList><w:listItem w:displayText=\"Red\" w:value=\"r\"/><w:listItem w:value=\"Blue\"/></w:dropDownList>";
    let document = Made::new(&control(list, &run("Red"))).bytes();
    assert_eq!(refused(&document, set("p1", "Name: Green")).matches.len(), 2);
    assert_eq!(body(&one(&document, set("p1", "Name: Blue")).bytes), control(list, &run("Blue")));
}

#[test]
fn bound_data_follows_the_text() {
    let binding = "<w:dataBinding w:prefixMappings=\"xmlns:a='urn:a'\" w:xpath=\"/a:root[1]/a:name[1]\" w:storeItemID=\"\"/><w:text/>";
    let document = |binding: &str| {
        Made::new(&control(binding, &run("Ann")))
            .part("customXml", "item1.xml", "<root xmlns=\"urn:a\"><name>Ann</name></root>")
            .bytes()
    };
    let edited = one(&document(binding), set("p1", "Name: Bob & Co")).bytes;
    assert_eq!(part(&edited, "word/item1.xml"), "<root xmlns=\"urn:a\"><name>Bob &amp; Co</name></root>");
    let odd = binding.replace("/a:name[1]", "/*[last()]");
    assert_eq!(refused(&document(&odd), set("p1", "Name: Bob")).kind, EditErrorKind::WouldDamage);
}

#[test]
fn a_protected_document_is_read_only_until_overridden() {
    let document = |edit: &str| {
        let settings = format!(
            "<w:settings {{ns}}><w:documentProtection w:edit=\"{edit}\" w:enforcement=\"1\"/></w:settings>"
        );
        Made::new(&p("a")).part("settings", "settings.xml", &settings).bytes()
    };
    let comment = json!({"op": "docx_add_comment", "index": 1, "text": "why"});
    assert_eq!(refused(&document("readOnly"), set("p1", "b")).kind, EditErrorKind::ReadOnly);
    assert_eq!(refused(&document("readOnly"), comment.clone()).kind, EditErrorKind::ReadOnly);
    assert_eq!(refused(&document("comments"), set("p1", "b")).kind, EditErrorKind::ReadOnly);
    one(&document("comments"), comment);
    assert_eq!(refused(&document("forms"), set("p1", "b")).kind, EditErrorKind::ReadOnly);
    let tracked = one(&document("trackedChanges"), set("p1", "b")).bytes;
    assert!(body(&tracked).contains("<w:del ") && body(&tracked).contains("<w:ins "));
    let options = Options { override_protection: true, ..Options::default() };
    let edited = apply_with(&document("readOnly"), &json!([set("p1", "b")]), options).unwrap();
    assert_eq!((body(&edited.bytes), edited.warnings[0].code.as_str()), (p("b"), "protection_overridden"));
    assert_eq!(outline(&document("readOnly")).unwrap().warnings[0].code, "document_protected");
}

// ---- comments ----

#[test]
fn a_comment_is_wired_with_all_parts_that_the_document_uses() {
    let bare = Made::new(&p("The seller agrees")).bytes();
    let op = json!({"op": "docx_add_comment", "index": 1, "find": "seller", "text": "Who?\n\nAsk."});
    let edited = one(&bare, op.clone()).bytes;
    let id = "w:id=\"1\"";
    assert!(body(&edited).contains(&format!("<w:commentRangeStart {id}/><w:r><w:t xml:space='preserve'>seller</w:t></w:r><w:commentRangeEnd {id}/><w:r><w:commentReference {id}/></w:r>")), "{}", body(&edited));
    let comments = part(&edited, "word/comments.xml");
    assert!(comments.contains("w:author=\"Stet Tester\" w:date=\"2026-11-30T14:00:00Z\" w:initials=\"ST\""));
    assert_eq!(text_at(&edited, "comment1.p1").as_deref(), Some("Who?"));
    assert!(part(&edited, "[Content_Types].xml").contains("/word/comments.xml"));
    let base = "http://schemas.microsoft.com/office";
    let rich = Made::new(&p("The seller agrees"))
        .part("comments", "comments.xml", "<w:comments {ns}><w:comment w:id=\"4\" w:author=\"A\"><w:p w14:paraId=\"10000001\"/></w:comment></w:comments>")
        .part(&format!("{base}/2011/relationships/commentsExtended"), "commentsExtended.xml", "<w15:commentsEx xmlns:w15=\"http://schemas.microsoft.com/office/word/2012/wordml\"><w15:commentEx w15:paraId=\"10000001\" w15:done=\"0\"/></w15:commentsEx>")
        .part(&format!("{base}/2016/09/relationships/commentsIds"), "commentsIds.xml", "<w16cid:commentsIds xmlns:w16cid=\"http://schemas.microsoft.com/office/word/2016/wordml/cid\"/>")
        .part(&format!("{base}/2018/08/relationships/commentsExtensible"), "commentsExtensible.xml", "<w16cex:commentsExtensible xmlns:w16cex=\"http://schemas.microsoft.com/office/word/2018/wordml/cex\"/>")
        .part(&format!("{base}/2011/relationships/people"), "people.xml", "<w15:people xmlns:w15=\"http://schemas.microsoft.com/office/word/2012/wordml\"/>")
        .bytes();
    let edited = one(&rich, op).bytes;
    assert!(part(&edited, "word/comments.xml").contains("w14:paraId=\"10000002\""));
    assert!(
        part(&edited, "word/commentsExtended.xml")
            .contains("<w15:commentEx w15:paraId=\"10000002\" w15:done=\"0\"/>")
    );
    assert!(
        part(&edited, "word/commentsIds.xml")
            .contains("w16cid:paraId=\"10000002\" w16cid:durableId=\"20000001\"")
    );
    assert!(
        part(&edited, "word/commentsExtensible.xml")
            .contains("w16cex:durableId=\"20000001\" w16cex:dateUtc=\"2026-11-30T14:00:00Z\"")
    );
    assert!(part(&edited, "word/people.xml").contains("<w15:person w15:author=\"Stet Tester\">"));
    let whole = one(&edited, delete("p1")).bytes;
    assert!(!part(&whole, "word/commentsExtended.xml").contains("10000002"), "and goes with all of them");
    assert!(!part(&whole, "word/commentsIds.xml").contains("10000002"));
    assert!(!part(&whole, "word/commentsExtensible.xml").contains("20000001"));
}

#[test]
fn comments_belong_to_the_body() {
    let op = json!({"op": "docx_add_comment", "at": "footnote1.p1", "text": "x"});
    assert_eq!(refused(&spanning(), op).kind, EditErrorKind::WouldDamage);
}

#[test]
fn a_story_edit_touches_one_part_and_little_of_it() {
    let document = spanning();
    for (at, text) in texts(&document) {
        if text.is_empty() {
            continue;
        }
        let edited = one(&document, set(&at, &format!("{text} Stet"))).bytes;
        let (name, bytes) = rewritten(&document, &edited);
        assert!(name.starts_with("word/") && bytes < 500, "{at}: {name} {bytes}");
    }
}
