//! What a receipt warns about: text that runs over a fixed box, comments anchored to text, comments that a copy leaves behind; and what
//! `verify` finds in a deck.

use serde_json::{Value, json};
use stet_tests::decks::{apply, context, outline, part, patched};

fn crafted() -> Vec<u8> {
    std::fs::read(stet_tests::fixture("pptx-slide-ops.pptx")).unwrap()
}

fn warnings(deck: &[u8], op: &Value) -> Vec<(String, String)> {
    let applied = apply(deck, &json!([op])).unwrap_or_else(|error| panic!("{op}: {error:?}"));
    let warnings = applied.warnings.into_iter();
    warnings.map(|warning| (warning.code, warning.location.unwrap_or_default())).collect()
}

/// The crafted deck with a box on slide 3: its geometry, body properties, and text of a size.
fn with_box(properties: &str, body: &str, runs: &str) -> Vec<u8> {
    let shape = format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"40\" name=\"Box\"/><p:cNvSpPr txBox=\"1\"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/>\
         <a:ext cx=\"2743200\" cy=\"914400\"/></a:xfrm>{properties}</p:spPr><p:txBody>{body}<a:lstStyle/><a:p>{runs}</a:p></p:txBody></p:sp></p:spTree>"
    );
    patched(&crafted(), &[("ppt/slides/slide3.xml", "</p:spTree>", &shape)])
}

const SHORT: &str = "<a:r><a:rPr sz=\"1800\"/><a:t>short</a:t></a:r>";
const RECTANGLE: &str = "<a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom>";

fn over(deck: &[u8], text: &str) -> bool {
    let op = json!({"op": "pptx_set_text", "slide": 3, "shape": 40, "text": text});
    warnings(deck, &op).contains(&("text_overflow".into(), "s3.shape40".into()))
}

#[test]
fn text_that_runs_over_a_fixed_box_is_warned() {
    // Three inches wide and one high: about three lines of some 28 characters at 18 points.
    let fixed = with_box(RECTANGLE, "<a:bodyPr wrap=\"square\"/>", SHORT);
    let two_lines = "Some words that fill two lines of this box at most";
    let long = "a line of words that goes on and on ".repeat(6);
    assert!(!over(&fixed, two_lines));
    assert!(over(&fixed, &long));
    assert!(over(&fixed, "1\n2\n3\n4\n5"));
    assert!(over(&with_box(RECTANGLE, "<a:bodyPr><a:noAutofit/></a:bodyPr>", SHORT), &long));
    // Where PowerPoint makes it fit, nothing is said.
    assert!(!over(&with_box(RECTANGLE, "<a:bodyPr><a:normAutofit/></a:bodyPr>", SHORT), &long));
    assert!(!over(&with_box(RECTANGLE, "<a:bodyPr><a:spAutoFit/></a:bodyPr>", SHORT), &long));
    // Smaller letters, columns and insets change the room.
    assert!(!over(
        &with_box(RECTANGLE, "<a:bodyPr/>", "<a:r><a:rPr sz=\"800\"/><a:t>short</a:t></a:r>"),
        &long
    ));
    assert!(over(&with_box(RECTANGLE, "<a:bodyPr lIns=\"900000\" rIns=\"900000\"/>", SHORT), two_lines));
    let circle = "<a:prstGeom prst=\"ellipse\"><a:avLst/></a:prstGeom>";
    assert!(over(
        &with_box(circle, "<a:bodyPr/>", SHORT),
        "Some words that fill more than a circle of this size"
    ));
    // Text that does not wrap runs over the side; upright text over the other one.
    assert!(over(&with_box(RECTANGLE, "<a:bodyPr wrap=\"none\"/>", SHORT), &long));
    assert!(over(
        &with_box(RECTANGLE, "<a:bodyPr vert=\"vert270\"/>", SHORT),
        "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11"
    ));
    assert!(!over(&with_box(RECTANGLE, "<a:bodyPr vert=\"vert270\"/>", SHORT), "1\n2\n3\n4\n5"));
    // Wide characters, other sizes of one run.
    assert!(over(&fixed, &"漢字かな交じり文".repeat(6)));
}

#[test]
fn a_box_that_was_too_full_before_is_not_told_again() {
    let long = "a line of words that goes on and on ".repeat(6);
    let full =
        with_box(RECTANGLE, "<a:bodyPr/>", &format!("<a:r><a:rPr sz=\"1800\"/><a:t>{long}</a:t></a:r>"));
    let shorter = json!({"op": "pptx_replace_on_slide", "slide": 3, "find": "goes on", "replace": "went", "occurrence": "all"});
    assert!(warnings(&full, &shorter).is_empty());
    let longer = json!({"op": "pptx_replace_on_slide", "slide": 3, "find": "goes on", "replace": "goes on for ever", "occurrence": "all"});
    assert_eq!(warnings(&full, &longer), [("text_overflow".to_owned(), "s3.shape40".to_owned())]);
}

#[test]
fn placeholders_are_judged_by_their_layout_and_master() {
    let deck = crafted();
    let master = part(&deck, "ppt/slideMasters/slideMaster1.xml");
    // The template shrinks titles and bodies; without that both are fixed boxes.
    assert_eq!(master.matches("<a:normAutofit/>").count(), 2);
    let long = "A title that goes on and on and on ".repeat(5);
    let op = json!({"op": "pptx_set_title", "slide": 3, "text": long});
    assert!(warnings(&deck, &op).is_empty());
    let fixed = patched(
        &deck,
        &[
            ("ppt/slideMasters/slideMaster1.xml", "<a:normAutofit/>", ""),
            ("ppt/slideMasters/slideMaster1.xml", "<a:normAutofit/>", ""),
        ],
    );
    assert_eq!(warnings(&fixed, &op), [("text_overflow".to_owned(), "s3.shape2".to_owned())]);
    let fits = json!({"op": "pptx_set_title", "slide": 3, "text": "A title"});
    assert!(warnings(&fixed, &fits).is_empty());
    let body: Vec<String> = (1..30).map(|number| format!("Item {number}")).collect();
    let add = json!({"op": "pptx_append_slide", "layout": "Title and Content", "title": "T", "body": body});
    assert_eq!(warnings(&fixed, &add), [("text_overflow".to_owned(), "s5.shape3".to_owned())]);
    let few =
        json!({"op": "pptx_append_slide", "layout": "Title and Content", "title": "T", "body": ["a", "b"]});
    assert!(warnings(&fixed, &few).is_empty());
}

/// The modern comment of slide 3, anchored to five characters of the title.
fn anchored() -> Vec<u8> {
    let slide = "<pc:sldMkLst><pc:docMk/><pc:sldMk cId=\"0\" sldId=\"258\"/></pc:sldMkLst>";
    let text = "<ac:txMkLst xmlns:ac=\"http://schemas.microsoft.com/office/drawing/2013/main/command\"><pc:docMk/><pc:sldMk cId=\"0\" sldId=\"258\"/>\
                <ac:spMk id=\"2\" creationId=\"{00000000-0000-0000-0000-000000000000}\"/><ac:txMk cp=\"0\" len=\"5\"><ac:context len=\"8\" hash=\"1\"/></ac:txMk></ac:txMkLst>";
    patched(&crafted(), &[("ppt/comments/modernComment_102_0.xml", slide, text)])
}

#[test]
fn a_comment_anchored_to_changed_text_is_warned() {
    let deck = anchored();
    let expected = [("comment_anchor".to_owned(), "s3.shape2".to_owned())];
    let replace = json!({"op": "pptx_replace_on_slide", "slide": 3, "find": "Slide", "replace": "Page"});
    assert_eq!(warnings(&deck, &replace), expected);
    assert_eq!(warnings(&deck, &json!({"op": "pptx_set_title", "slide": 3, "text": "New"})), expected);
    // The comment itself is not touched, and a text it is not on says nothing.
    let after = apply(&deck, &json!([replace])).unwrap().bytes;
    let name = "ppt/comments/modernComment_102_0.xml";
    assert_eq!(part(&after, name), part(&deck, name));
    assert!(warnings(&deck, &json!({"op": "pptx_set_title", "slide": 2, "text": "New"})).is_empty());
    assert!(warnings(&deck, &json!({"op": "pptx_set_notes", "slide": 3, "text": "New"})).is_empty());
    assert!(warnings(&crafted(), &replace).is_empty(), "a comment on the whole slide");
}

#[test]
fn comments_that_a_copy_leaves_behind_are_told() {
    for (slide, code) in [(2, Some("comments_not_copied")), (3, Some("comments_not_copied")), (4, None)] {
        let told = warnings(&crafted(), &json!({"op": "pptx_duplicate_slide", "slide": slide}));
        assert_eq!(told.first().map(|(code, _)| code.as_str()), code, "{slide}");
    }
}

#[test]
fn the_walk_of_a_deck_is_part_of_verify() {
    let limits = documents::Limits::default();
    let find = |deck: &[u8]| documents::audit(documents::Format::Pptx, deck, &limits).unwrap();
    let known = find(&crafted());
    let listed_twice = "<p14:sldId id=\"259\"/>";
    let twice = patched(&crafted(), &[("ppt/presentation.xml", listed_twice, &listed_twice.repeat(2))]);
    let faults: Vec<String> = find(&twice).difference(&known).cloned().collect();
    assert!(faults.contains(&"the slide 259 is in 2 sections".to_owned()), "{faults:?}");
    let links = "<Relationship Id=\"rId10\"";
    let lost =
        patched(&crafted(), &[("ppt/_rels/presentation.xml.rels", links, "<Relationship Id=\"rId999\"")]);
    let faults: Vec<String> = find(&lost).difference(&known).cloned().collect();
    assert!(faults.iter().any(|fault| fault.contains("rId10")), "{faults:?}");
}

/// What stands in real decks mostly fits: the estimate may not cry wolf.
#[test]
fn texts_of_the_corpus_are_seldom_called_too_long() {
    let (mut told, mut tried) = (Vec::new(), 0);
    for path in stet_tests::corpus(&["pptx", "pptm", "potx", "ppsx", "ppsm"]) {
        let deck = std::fs::read(&path).unwrap();
        let Ok(outline) = outline(&deck) else { continue };
        let is_full = std::env::var_os("STET_FULL").is_some();
        let texts = outline.nodes.iter().filter(|node| node.kind == "shape" && node.more["type"] == "text");
        for node in texts.filter(|node| node.text.len() > 20).take(if is_full { 200 } else { 5 }) {
            let set = |text: &str| json!([{"op": "pptx_set_text", "slide": node.more["slide"], "shape": node.more["shape"], "text": text}]);
            let Ok(emptied) = apply(&deck, &set("")) else { continue };
            let Ok(again) = apply(&emptied.bytes, &set(&node.text)) else { continue };
            tried += 1;
            if again.warnings.iter().any(|warning| warning.code == "text_overflow") {
                told.push(format!(
                    "{} {}: {:?} {}",
                    path.display(),
                    node.at,
                    node.text,
                    again.warnings[0].message
                ));
            }
        }
    }
    println!("{} of {tried} texts: {told:#?}", told.len());
    assert!(told.len() * 10 <= tried, "{told:#?}");
}

#[test]
fn new_files_of_every_format_have_nothing_to_find() {
    for (format, text) in [
        (documents::Format::Pptx, "# Cover\nsubtitle\n\n## Plan\n- first\n> say it\n"),
        (documents::Format::Docx, "# Title\n\nA paragraph.\n\n- item\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"),
        (documents::Format::Xlsx, "name,amount\nAda,1.5\n"),
    ] {
        let source = documents::create::Source { text: Some(text.into()), rows: None };
        let made = documents::create::create(format, &source, &context()).unwrap();
        let findings = documents::audit(format, &made, &documents::Limits::default()).unwrap();
        assert!(findings.is_empty(), "{format:?}: {findings:?}");
    }
}
