//! Text where little things get lost: right-to-left runs, links, levels and bullets, escaped characters, deep groups, merged cells, charts
//! and fields, each changed as asked and everything beside it byte for byte as it was.

use documents::error::EditErrorKind;
use serde_json::{Value, json};
use stet_tests::decks::{apply, difference, part, patched, text_at};

fn crafted() -> Vec<u8> {
    std::fs::read(stet_tests::fixture("pptx-slide-ops.pptx")).unwrap()
}

const SLIDE: &str = "ppt/slides/slide2.xml";

/// The crafted deck with a text box of these paragraphs on slide 2, and the slide's markup after an operation.
fn with_box(paragraphs: &str) -> Vec<u8> {
    let shape = format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"40\" name=\"Box\"/><p:cNvSpPr txBox=\"1\"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/>\
         <a:ext cx=\"9000000\" cy=\"6000000\"/></a:xfrm></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/>{paragraphs}</p:txBody></p:sp></p:spTree>"
    );
    patched(&crafted(), &[(SLIDE, "</p:spTree>", &shape)])
}

fn after(paragraphs: &str, op: Value) -> String {
    let deck = with_box(paragraphs);
    let after = apply(&deck, &json!([op])).unwrap_or_else(|error| panic!("{op}: {error:?}")).bytes;
    assert_eq!(difference(&deck, &after).changed.len(), 1);
    let slide = part(&after, SLIDE);
    let start = slide.find("name=\"Box\"").unwrap();
    let start = start + slide[start..].find("<a:lstStyle/>").unwrap() + "<a:lstStyle/>".len();
    slide[start..start + slide[start..].find("</p:txBody>").unwrap()].to_owned()
}

fn replace(find: &str, with: &str) -> Value {
    json!({"op": "pptx_replace_on_slide", "slide": 2, "find": find, "replace": with})
}

#[test]
fn right_to_left_text_keeps_its_direction_and_fonts() {
    let text = "<a:p><a:pPr algn=\"r\" rtl=\"1\"/><a:r><a:rPr lang=\"he-IL\"><a:cs typeface=\"David\"/></a:rPr><a:t>שלום עולם</a:t></a:r>\
                <a:r><a:rPr lang=\"en-US\" b=\"1\"/><a:t> (Stet)</a:t></a:r><a:endParaRPr lang=\"he-IL\"/></a:p>";
    assert_eq!(after(text, replace("עולם", "לכולם")), text.replace("עולם", "לכולם"));
    let both = after(text, replace("עולם (Stet)", "לכולם (Stet 2)"));
    assert_eq!(both, text.replace("עולם", "לכולם").replace("(Stet)", "(Stet 2)"));
    let added = after(
        text,
        json!({"op": "pptx_set_text", "slide": 2, "shape": "Box", "text": "שלום עולם (Stet)\nשורה"}),
    );
    assert!(added.starts_with(text), "{added}");
    assert_eq!(added.matches("rtl=\"1\"").count(), 2);
}

#[test]
fn a_link_stays_on_its_words() {
    let text = "<a:p><a:r><a:rPr/><a:t>See </a:t></a:r><a:r><a:rPr u=\"sng\"><a:hlinkClick r:id=\"rId2\"/></a:rPr><a:t>our page</a:t></a:r>\
                <a:r><a:rPr/><a:t> for more.</a:t></a:r></a:p>";
    assert_eq!(after(text, replace("our page", "the site")), text.replace("our page", "the site"));
    assert_eq!(after(text, replace("See our", "Visit our")), text.replace("See ", "Visit "));
    assert_eq!(after(text, replace(" for more", "")), text.replace(" for more", ""));
    // What comes behind the link takes after its neighbour, not after the link.
    let longer = after(text, replace("page for", "page now for"));
    assert!(longer.contains("<a:t>our page</a:t>") && longer.contains(" now for more."), "{longer}");
}

#[test]
fn levels_bullets_and_end_marks_stay() {
    let text = "<a:p><a:pPr marL=\"342900\" indent=\"-342900\" lvl=\"0\"><a:buFont typeface=\"Arial\"/><a:buAutoNum type=\"arabicPeriod\"/></a:pPr>\
                <a:r><a:rPr sz=\"2000\"/><a:t>First</a:t></a:r><a:endParaRPr sz=\"2000\" dirty=\"0\"/></a:p>\
                <a:p><a:pPr lvl=\"2\"><a:buNone/></a:pPr><a:r><a:rPr sz=\"1400\" i=\"1\"/><a:t>Second</a:t></a:r></a:p><a:p><a:endParaRPr sz=\"900\"/></a:p>";
    assert_eq!(after(text, replace("Second", "2nd")), text.replace("Second", "2nd"));
    let set = json!({"op": "pptx_set_text", "slide": 2, "shape": 40, "text": "First!\nSecond\n"});
    assert_eq!(after(text, set), text.replace("First", "First!"));
    let fewer = json!({"op": "pptx_set_text", "slide": 2, "shape": 40, "paragraphs": [{"text": "Second"}]});
    let left = after(text, fewer);
    assert!(left.contains("lvl=\"2\"") && left.contains("i=\"1\"") && !left.contains("First"), "{left}");
}

/// PowerPoint writes vertical tabs of old files as `_x000B_`: letters of the text, not an escape of ours.
#[test]
fn escapes_entities_and_odd_characters_stay_as_they_are() {
    let text = "<a:p><a:r><a:t>One_x000B_two &amp; &lt;three&gt; &#x2019;s \u{200B}\u{1F600} _x0041_</a:t></a:r></a:p>";
    assert_eq!(
        text_at(&with_box(text), "s2.shape40").unwrap(),
        "One_x000B_two & <three> \u{2019}s \u{200B}\u{1F600} _x0041_"
    );
    assert_eq!(
        after(text, replace("two & <three>", "2 & <3>")),
        text.replace("two &amp; &lt;three&gt;", "2 &amp; &lt;3&gt;")
    );
    assert_eq!(after(text, replace("\u{1F600}", "!")), text.replace('\u{1F600}', "!"));
    let control = apply(&with_box(text), &json!([replace("One", "One\u{1}")])).unwrap_err();
    assert_eq!(control.kind, EditErrorKind::InvalidArguments);
}

#[test]
fn words_cut_in_many_runs_are_one_word() {
    let run = |text: &str, bold: bool| {
        format!("<a:r><a:rPr lang=\"en\"{}/><a:t>{text}</a:t></a:r>", if bold { " b=\"1\"" } else { "" })
    };
    let text = format!(
        "<a:p>{}{}{}{}</a:p>",
        run("Qua", false),
        run("rter", true),
        run("ly res", false),
        run("ults", true)
    );
    let expected = format!(
        "<a:p>{}{}{}{}</a:p>",
        run("Qua", false),
        run("rter", true),
        run("ly res", false),
        run("ults!", true)
    );
    assert_eq!(after(&text, replace("Quarterly results", "Quarterly results!")), expected);
    let expected = format!("<a:p>{}{}</a:p>", run("Annual", false), run(" report", false));
    let found = after(&text, replace("Quarterly results", "Annual report"));
    let plain: String =
        found.split("<a:t>").skip(1).map(|rest| &rest[..rest.find("</a:t>").unwrap()]).collect();
    assert_eq!(plain, "Annual report", "{found} for {expected}");
}

#[test]
fn groups_in_groups_and_their_branches() {
    let inner = "<p:sp><p:nvSpPr><p:cNvPr id=\"63\" name=\"Deep\"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/>\
                 <a:p><a:r><a:t>deep words</a:t></a:r></a:p></p:txBody></p:sp>";
    let group = |id: usize, inside: &str| {
        format!(
            "<p:grpSp><p:nvGrpSpPr><p:cNvPr id=\"{id}\" name=\"G{id}\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{inside}</p:grpSp>"
        )
    };
    let branches = format!(
        "<mc:AlternateContent xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\"><mc:Choice xmlns:p14=\"http://schemas.microsoft.com/office/powerpoint/2010/main\" Requires=\"p14\">{inner}</mc:Choice><mc:Fallback>{inner}</mc:Fallback></mc:AlternateContent>"
    );
    let deep = group(60, &group(61, &group(62, &branches)));
    let deck = patched(&crafted(), &[(SLIDE, "</p:spTree>", &format!("{deep}</p:spTree>"))]);
    assert_eq!(text_at(&deck, "s2.shape63").unwrap(), "deep words");
    let after = apply(&deck, &json!([replace("deep words", "deeper")])).unwrap().bytes;
    assert_eq!(part(&after, SLIDE).matches("<a:t>deeper</a:t>").count(), 2);
}

#[test]
fn fields_stay_fields_wherever_the_words_around_them_change() {
    let text = "<a:p><a:r><a:t>Page </a:t></a:r><a:fld id=\"{00000000-0000-0000-0000-000000000001}\" type=\"slidenum\"><a:rPr/><a:t>2</a:t></a:fld>\
                <a:r><a:t> of </a:t></a:r><a:fld id=\"{00000000-0000-0000-0000-000000000002}\" type=\"datetime1\"><a:t>1/1/2024</a:t></a:fld></a:p>";
    assert_eq!(after(text, replace(" of ", " on ")), text.replace(" of ", " on "));
    let all = json!({"op": "pptx_set_text", "slide": 2, "shape": 40, "text": "Slide 2, 1/1/2024"});
    assert_eq!(after(text, all), text.replace("Page ", "Slide ").replace(" of ", ", "));
    for op in [replace("1/1/2024", "today"), replace("Page 2 of", "Page")] {
        assert_eq!(
            apply(&with_box(text), &json!([op])).unwrap_err().kind,
            EditErrorKind::WouldDamage,
            "{op}"
        );
    }
}

#[test]
fn merged_cells_keep_their_spans() {
    let deck = crafted();
    let batch = json!([
        {"op": "pptx_set_table_cell", "slide": 2, "row": 1, "col": 1, "text": "both"},
        {"op": "pptx_set_table_cell", "slide": 2, "row": 2, "col": 1, "text": "left"}
    ]);
    let after = part(&apply(&deck, &batch).unwrap().bytes, SLIDE);
    let before = part(&deck, SLIDE);
    for word in ["gridSpan=\"2\"", "hMerge=\"1\"", "<a:tcPr/>", "<a:gridCol"] {
        assert_eq!(after.matches(word).count(), before.matches(word).count(), "{word}");
    }
    // A column of merged rows.
    let tall = patched(
        &deck,
        &[(SLIDE, "<a:tr h=\"457200\"><a:tc><a:txBody>", "<a:tr h=\"457200\"><a:tc vMerge=\"1\"><a:txBody>")],
    );
    let covered = json!([{"op": "pptx_set_table_cell", "slide": 2, "row": 2, "col": 1, "text": "x"}]);
    assert_eq!(apply(&tall, &covered).unwrap_err().kind, EditErrorKind::WouldDamage);
}

#[test]
fn chart_titles_that_come_from_a_cell_change_there_too() {
    let title = "<c:chart><c:title><c:tx><c:strRef><c:f>Sheet1!$B$1</c:f><c:strCache><c:ptCount val=\"1\"/><c:pt idx=\"0\"><c:v>s</c:v></c:pt></c:strCache></c:strRef></c:tx></c:title>";
    let deck = patched(&crafted(), &[("ppt/charts/chart1.xml", "<c:chart>", title)]);
    let op = json!([{"op": "pptx_replace_on_slide", "slide": 1, "find": "s", "replace": "Sales", "occurrence": 1}]);
    let after = apply(&deck, &op).unwrap().bytes;
    // The title and the name of the series are one cell: all three places change.
    assert_eq!(part(&after, "ppt/charts/chart1.xml").matches("<c:v>Sales</c:v>").count(), 2);
    let changed: Vec<String> = difference(&deck, &after).changed.into_iter().map(|(name, _)| name).collect();
    assert_eq!(changed, ["ppt/charts/chart1.xml", "ppt/embeddings/Microsoft_Excel_Sheet1.xlsx"]);
}
