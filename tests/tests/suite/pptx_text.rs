//! Text edits where text is hard: several runs, fields, breaks, tables, charts with workbooks, SmartArt, both branches.

use documents::error::EditErrorKind;
use serde_json::json;
use stet_tests::decks::{
    apply, apply_with, difference, entries, new_faults, outline, part, patched, text_at,
};

fn crafted() -> Vec<u8> {
    std::fs::read(stet_tests::fixture("pptx-slide-ops.pptx")).unwrap()
}

/// The crafted deck with another text body in the content placeholder of slide 2.
fn with_body(paragraphs: &str) -> Vec<u8> {
    let empty = "<p:ph idx=\"1\"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/><a:p/>";
    let full = empty.replace("<a:p/>", paragraphs);
    patched(&crafted(), &[("ppt/slides/slide2.xml", empty, &full)])
}

fn body_markup(deck: &[u8]) -> String {
    let slide = part(deck, "ppt/slides/slide2.xml");
    let start = slide.find("<p:ph idx=\"1\"/>").unwrap();
    let start = start + slide[start..].find("<a:lstStyle/>").unwrap() + "<a:lstStyle/>".len();
    slide[start..start + slide[start..].find("</p:txBody>").unwrap()].to_owned()
}

fn edited(paragraphs: &str, op: serde_json::Value) -> String {
    let deck = with_body(paragraphs);
    let after = apply(&deck, &json!([op])).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(difference(&deck, &after.bytes).changed.len(), 1);
    body_markup(&after.bytes)
}

#[test]
fn a_match_over_several_runs_keeps_each_run() {
    let runs = concat!(
        "<a:p><a:pPr lvl=\"1\"/><a:r><a:rPr b=\"1\"/><a:t>Rev</a:t></a:r><a:r><a:rPr sz=\"2400\"/><a:t>enue 20</a:t></a:r>",
        "<a:r><a:rPr><a:hlinkClick r:id=\"rId2\"/></a:rPr><a:t>23 &amp; more</a:t></a:r><a:endParaRPr lang=\"en\"/></a:p>"
    );
    let op = json!({"op": "pptx_replace_on_slide", "slide": 2, "find": "Revenue 2023 & more", "replace": "Revenues 2024 & less"});
    assert_eq!(
        edited(runs, op),
        concat!(
            "<a:p><a:pPr lvl=\"1\"/><a:r><a:rPr b=\"1\"/><a:t>Rev</a:t></a:r><a:r><a:rPr sz=\"2400\"/><a:t>enues 2024</a:t></a:r>",
            "<a:r><a:rPr><a:hlinkClick r:id=\"rId2\"/></a:rPr><a:t> &amp; less</a:t></a:r><a:endParaRPr lang=\"en\"/></a:p>"
        )
    );
}

#[test]
fn entities_and_cdata_stay_as_they_are_written() {
    let runs = "<a:p><a:r><a:t>a &lt;b&gt; &quot;c&quot; &#x41;nd <![CDATA[<d>]]></a:t></a:r><a:r><a:t>x &#8364; &quot;y&quot; z</a:t></a:r></a:p>";
    let op = json!({"op": "pptx_replace_on_slide", "slide": 2, "find": "\"y\" z", "replace": "\"y\" <w>"});
    assert_eq!(edited(runs, op), runs.replace("&quot;y&quot; z", "&quot;y&quot; &lt;w&gt;"));
    let op = json!({"op": "pptx_replace_on_slide", "slide": 2, "find": "And <d>", "replace": "And <e>"});
    assert!(edited(runs, op).contains("And &lt;e&gt;"));
}

#[test]
fn fields_are_left_alone() {
    let runs = concat!(
        "<a:p><a:r><a:t>Page </a:t></a:r><a:fld id=\"{1}\" type=\"slidenum\"><a:rPr/><a:t>2</a:t></a:fld>",
        "<a:r><a:t> of 4</a:t></a:r></a:p>"
    );
    let op =
        json!({"op": "pptx_replace_on_slide", "slide": 2, "find": "Page 2 of 4", "replace": "Slide 2 of 5"});
    assert_eq!(edited(runs, op), runs.replace("Page ", "Slide ").replace("of 4", "of 5"));
    let op = json!([{"op": "pptx_replace_on_slide", "slide": 2, "find": "Page 2", "replace": "Page 3"}]);
    assert_eq!(apply(&with_body(runs), &op).unwrap_err().kind, EditErrorKind::WouldDamage);
    let op = json!([{"op": "pptx_set_text", "slide": 2, "shape": "body", "text": "All new"}]);
    assert_eq!(apply(&with_body(runs), &op).unwrap_err().kind, EditErrorKind::WouldDamage);
}

#[test]
fn breaks_and_paragraphs_come_and_go() {
    let runs = "<a:p><a:r><a:rPr b=\"1\"/><a:t>one</a:t></a:r><a:br/><a:r><a:t>two</a:t></a:r></a:p><a:p><a:r><a:t>three</a:t></a:r></a:p>";
    assert_eq!(text_at(&with_body(runs), "s2.shape3").unwrap(), "one\u{B}two\nthree");
    let op = json!({"op": "pptx_replace_on_slide", "slide": 2, "find": "one\ntwo", "replace": "one, two"});
    assert_eq!(
        edited(runs, op),
        "<a:p><a:r><a:rPr b=\"1\"/><a:t>one, </a:t></a:r><a:r><a:t>two</a:t></a:r></a:p><a:p><a:r><a:t>three</a:t></a:r></a:p>"
    );
    let op = json!({"op": "pptx_replace_on_slide", "slide": 2, "find": "three", "replace": "three\nfour"});
    assert_eq!(edited(runs, op), runs.to_owned() + "<a:p><a:r><a:t>four</a:t></a:r></a:p>");
    let op = json!({"op": "pptx_replace_on_slide", "slide": 2, "find": "three", "replace": "th\u{B}ree"});
    assert!(
        edited(runs, op).ends_with("<a:p><a:r><a:t>th</a:t></a:r><a:br/><a:r><a:t>ree</a:t></a:r></a:p>")
    );
}

#[test]
fn set_text_keeps_what_stays_and_takes_after_its_neighbour() {
    let runs = concat!(
        "<a:p><a:pPr marL=\"9\"><a:buChar char=\"-\"/></a:pPr><a:r><a:rPr sz=\"1400\"><a:hlinkClick r:id=\"rId2\"/></a:rPr><a:t>first</a:t></a:r></a:p>",
        "<a:p><a:pPr lvl=\"1\"/><a:r><a:rPr i=\"1\"/><a:t>second</a:t></a:r><a:endParaRPr i=\"1\"/></a:p>"
    );
    let op = json!({"op": "pptx_set_text", "slide": 2, "shape": 3, "paragraphs":
        [{"text": "first"}, {"text": "between", "level": 0}, {"text": "second"}, {"text": "last", "level": 2}]});
    assert_eq!(
        edited(runs, op),
        concat!(
            "<a:p><a:pPr marL=\"9\"><a:buChar char=\"-\"/></a:pPr><a:r><a:rPr sz=\"1400\"><a:hlinkClick r:id=\"rId2\"/></a:rPr><a:t>first</a:t></a:r></a:p>",
            "<a:p><a:pPr marL=\"9\"><a:buChar char=\"-\"/></a:pPr><a:r><a:rPr sz=\"1400\"></a:rPr><a:t>between</a:t></a:r></a:p>",
            "<a:p><a:pPr lvl=\"1\"/><a:r><a:rPr i=\"1\"/><a:t>second</a:t></a:r><a:endParaRPr i=\"1\"/></a:p>",
            "<a:p><a:pPr lvl=\"2\"/><a:r><a:rPr i=\"1\"/><a:t>last</a:t></a:r><a:endParaRPr i=\"1\"/></a:p>"
        )
    );
    let op = json!({"op": "pptx_set_text", "slide": 2, "shape": "Content Placeholder 2", "text": ""});
    assert!(edited(runs, op).contains("<a:rPr sz=\"1400\"><a:hlinkClick r:id=\"rId2\"/></a:rPr><a:t></a:t>"));
    let empty = "<a:p><a:endParaRPr lang=\"de\" b=\"1\"/></a:p>";
    let op = json!({"op": "pptx_set_text", "slide": 2, "shape": "body", "text": "neu"});
    assert_eq!(
        edited(empty, op),
        "<a:p><a:r><a:rPr lang=\"de\" b=\"1\"/><a:t>neu</a:t></a:r><a:endParaRPr lang=\"de\" b=\"1\"/></a:p>"
    );
    let op = json!({"op": "pptx_set_text", "slide": 2, "shape": "body", "paragraphs": [{"text": "x", "level": 1}]});
    assert_eq!(edited("<a:p/>", op), "<a:p><a:pPr lvl=\"1\"/><a:r><a:t>x</a:t></a:r></a:p>");
}

#[test]
fn a_table_cell_is_set_and_a_covered_one_refused() {
    let deck = crafted();
    let batch = json!([
        {"op": "pptx_set_table_cell", "slide": 2, "row": 1, "col": 1, "text": "wide"},
        {"op": "pptx_set_table_cell", "slide": 2, "shape": "Table 6", "row": 2, "col": 2, "text": "a\nb"}
    ]);
    let after = apply(&deck, &batch).unwrap();
    assert_eq!(text_at(&after.bytes, "s2.shape7.r1.c1").unwrap(), "wide");
    assert_eq!(text_at(&after.bytes, "s2.shape7.r2.c2").unwrap(), "a\nb");
    assert_eq!(difference(&deck, &after.bytes).changed.len(), 1);
    let places: Vec<&str> = after.changes.iter().map(|change| change.location.as_str()).collect();
    assert_eq!(places, ["s2.shape7.r1.c1", "s2.shape7.r2.c2"]);
    let covered = json!([{"op": "pptx_set_table_cell", "slide": 2, "row": 1, "col": 2, "text": "x"}]);
    assert_eq!(apply(&deck, &covered).unwrap_err().kind, EditErrorKind::WouldDamage);
    let outside = json!([{"op": "pptx_set_table_cell", "slide": 2, "row": 3, "col": 1, "text": "x"}]);
    assert_eq!(apply(&deck, &outside).unwrap_err().kind, EditErrorKind::OutOfRange);
    let none = json!([{"op": "pptx_set_table_cell", "slide": 1, "row": 1, "col": 1, "text": "x"}]);
    assert_eq!(apply(&deck, &none).unwrap_err().kind, EditErrorKind::OutOfRange);
}

#[test]
fn text_in_groups_and_the_whole_deck() {
    let deck = crafted();
    let op = json!([{"op": "pptx_replace_on_slide", "slide": 2, "find": "in group", "replace": "inside"}]);
    assert_eq!(text_at(&apply(&deck, &op).unwrap().bytes, "s2.shape6").unwrap(), "inside");
    let many = json!([{"op": "pptx_replace_text", "find": "Slide", "replace": "Page"}]);
    let error = apply(&deck, &many).unwrap_err();
    assert_eq!((error.kind, error.matches.len()), (EditErrorKind::MultipleMatches, 4));
    assert_eq!(error.matches[2].location, "s3.shape2");
    let all = json!([{"op": "pptx_replace_text", "find": "Slide", "replace": "Page", "occurrence": "all"}]);
    let after = apply(&deck, &all).unwrap();
    assert_eq!((after.changes.len(), difference(&deck, &after.bytes).changed.len()), (4, 4));
    let notes = json!([{"op": "pptx_replace_text", "find": "notes 3", "replace": "Notes three", "include_notes": true}]);
    assert_eq!(text_at(&apply(&deck, &notes).unwrap().bytes, "s3.notes").unwrap(), "Notes three");
    let without = json!([{"op": "pptx_replace_text", "find": "notes 3", "replace": "x"}]);
    assert_eq!(apply(&deck, &without).unwrap_err().kind, EditErrorKind::ZeroMatches);
    let nearly = json!([{"op": "pptx_replace_on_slide", "slide": 3, "find": "Slide Three", "replace": "x"}]);
    let error = apply(&deck, &nearly).unwrap_err();
    assert_eq!(error.matches.first().map(|place| place.text.as_str()), Some("Slide 3"));
}

/// The names that a chart takes from its workbook.
fn names_at(deck: &[u8], at: &str) -> Vec<String> {
    let nodes = outline(deck).unwrap().nodes;
    let node = nodes.into_iter().find(|node| node.at == at).unwrap();
    names_of(&node)
}

fn names_of(node: &documents::Node) -> Vec<String> {
    let names = node.more.get("names").and_then(|names| names.as_array()).into_iter().flatten();
    names.filter_map(|name| name.as_str()).map(str::to_owned).collect()
}

#[test]
fn a_name_in_a_chart_changes_in_its_workbook_too() {
    let deck = crafted();
    assert_eq!(names_at(&deck, "s1.shape5"), ["s", "a", "b"]);
    let op = json!([{"op": "pptx_replace_on_slide", "slide": 1, "find": "s", "replace": "Sales & more"},
                    {"op": "pptx_replace_on_slide", "slide": 1, "find": "b", "replace": "Berlin"}]);
    let after = apply(&deck, &op).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(names_at(&after.bytes, "s1.shape5"), ["Sales & more", "a", "Berlin"]);
    let changed: Vec<String> =
        difference(&deck, &after.bytes).changed.into_iter().map(|(name, _)| name).collect();
    assert_eq!(changed, ["ppt/charts/chart1.xml", "ppt/embeddings/Microsoft_Excel_Sheet1.xlsx"]);
    let book = entries(&after.bytes).into_iter().find(|entry| entry.name.ends_with(".xlsx")).unwrap().content;
    let request = documents::OutlineRequest::default();
    let cells =
        documents::outline(documents::Format::Xlsx, &book, &request, &documents::Limits::default(), &|| {
            false
        });
    let cells = cells.unwrap().nodes;
    let cell = |at: &str| cells.iter().find(|node| node.at == at).map(|node| node.text.as_str());
    assert_eq!((cell("Sheet1!B1"), cell("Sheet1!A3")), (Some("Sales & more"), Some("Berlin")));
}

#[test]
fn chart_names_are_refused_where_the_workbook_disagrees_or_is_elsewhere() {
    let deck = patched(&crafted(), &[("ppt/charts/chart1.xml", "<c:v>a</c:v>", "<c:v>stale</c:v>")]);
    let op = json!([{"op": "pptx_replace_on_slide", "slide": 1, "find": "stale", "replace": "new"}]);
    assert_eq!(apply(&deck, &op).unwrap_err().kind, EditErrorKind::WouldDamage);
    let target = "Target=\"../embeddings/Microsoft_Excel_Sheet1.xlsx\"";
    let outside = "Target=\"file:///x.xlsx\" TargetMode=\"External\"";
    let deck = patched(&crafted(), &[("ppt/charts/_rels/chart1.xml.rels", target, outside)]);
    let op = json!([{"op": "pptx_replace_on_slide", "slide": 1, "find": "a", "replace": "new"}]);
    assert_eq!(apply(&deck, &op).unwrap_err().kind, EditErrorKind::WouldDamage);
}

#[test]
fn rich_chart_titles_change_in_the_chart_alone() {
    let title = "<c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>Growth</a:t></a:r></a:p></c:rich></c:tx></c:title>";
    let deck = patched(&crafted(), &[("ppt/charts/chart1.xml", "<c:chart>", title)]);
    let op = json!([{"op": "pptx_replace_on_slide", "slide": 1, "find": "Growth", "replace": "Decline"}]);
    let after = apply(&deck, &op).unwrap();
    let changed: Vec<String> =
        difference(&deck, &after.bytes).changed.into_iter().map(|(name, _)| name).collect();
    assert_eq!(changed, ["ppt/charts/chart1.xml"]);
    assert_eq!(text_at(&after.bytes, "s1.shape5").unwrap(), "Decline");
}

/// A choice and a fallback that draw the same shape.
fn branches(choice: &str, fallback: &str) -> Vec<u8> {
    let shape = |text: &str| {
        format!(
            "<p:sp><p:nvSpPr><p:cNvPr id=\"40\" name=\"Both\"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>\
             <p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
        )
    };
    let both = format!(
        "<mc:AlternateContent xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\">\
         <mc:Choice xmlns:a14=\"http://schemas.microsoft.com/office/drawing/2010/main\" Requires=\"a14\">{}</mc:Choice>\
         <mc:Fallback>{}</mc:Fallback></mc:AlternateContent></p:spTree>",
        shape(choice),
        shape(fallback)
    );
    patched(&crafted(), &[("ppt/slides/slide3.xml", "</p:spTree>", &both)])
}

#[test]
fn both_branches_change_or_none() {
    let op =
        json!([{"op": "pptx_replace_on_slide", "slide": 3, "find": "old words", "replace": "new words"}]);
    let after = apply(&branches("old words", "old words"), &op).unwrap();
    assert_eq!(part(&after.bytes, "ppt/slides/slide3.xml").matches("<a:t>new words</a:t>").count(), 2);
    assert_eq!(after.changes.len(), 1);
    let error = apply(&branches("old words", "other"), &op).unwrap_err();
    assert_eq!(error.kind, EditErrorKind::WouldDamage);
    let set = json!([{"op": "pptx_set_text", "slide": 3, "shape": 40, "text": "x\ny"}]);
    let after = apply(&branches("old words", "old words"), &set).unwrap();
    assert_eq!(
        part(&after.bytes, "ppt/slides/slide3.xml")
            .matches("<a:p><a:r><a:t>x</a:t></a:r></a:p><a:p><a:r><a:t>y</a:t></a:r></a:p>")
            .count(),
        2
    );
}

#[test]
fn locked_text_and_protected_decks_need_the_override() {
    let lock = "<p:cNvPr id=\"2\" name=\"Title 1\"/><p:cNvSpPr><a:spLocks noGrp=\"1\"";
    let deck = patched(&crafted(), &[("ppt/slides/slide3.xml", lock, &format!("{lock} noTextEdit=\"1\""))]);
    let op = json!([{"op": "pptx_set_title", "slide": 3, "text": "x"}]);
    assert_eq!(apply(&deck, &op).unwrap_err().kind, EditErrorKind::ReadOnly);
    let done = apply_with(&deck, &op, true).unwrap();
    assert!(done.warnings.iter().any(|warning| warning.code == "protection_overridden"));
    let verifier = "<p:modifyVerifier cryptProviderType=\"rsaAES\"/></p:presentation>";
    let deck = patched(&crafted(), &[("ppt/presentation.xml", "</p:presentation>", verifier)]);
    assert_eq!(apply(&deck, &op).unwrap_err().kind, EditErrorKind::ReadOnly);
    assert!(outline(&deck).unwrap().warnings.iter().any(|warning| warning.code == "is_protected"));
    assert!(apply_with(&deck, &op, true).is_ok());
}

#[test]
fn smartart_changes_in_data_and_drawing() {
    let Some(shared) = stet_tests::shared() else { return };
    let deck = std::fs::read(shared.join("corpus/pptx/60810.pptx")).unwrap();
    let nodes = outline(&deck).unwrap().nodes;
    let graphics = nodes.iter().filter(|node| node.kind == "shape" && node.more["type"] == "smartart");
    let mut edits = 0;
    for node in graphics {
        for line in node.text.split('\n').filter(|line| node.text.matches(line).count() == 1) {
            let op = json!([{"op": "pptx_replace_on_slide", "slide": node.more["slide"], "find": line, "replace": format!("{line}!"), "occurrence": 1}]);
            let after = apply(&deck, &op).unwrap_or_else(|error| panic!("{}: {error:?}", node.at));
            let changed = difference(&deck, &after.bytes).changed;
            assert_eq!(changed.len(), 2, "{} {line}: {changed:?}", node.at);
            edits += 1;
        }
    }
    assert!(edits > 10, "{edits}");
}

#[test]
fn every_smartart_and_chart_text_of_the_corpus_is_edited_or_refused() {
    let (mut done, mut refused) = (0, 0);
    for path in stet_tests::corpus(&["pptx", "pptm", "potx", "ppsx", "ppsm"]) {
        let deck = std::fs::read(&path).unwrap();
        let Ok(before) = outline(&deck) else { continue };
        for node in before.nodes.iter().filter(|node| node.kind == "shape") {
            if !["smartart", "chart"].contains(&node.more["type"].as_str().unwrap()) {
                continue;
            }
            let names = names_of(node);
            let texts = node.text.split('\n').chain(names.iter().map(String::as_str));
            for line in texts.filter(|line| !line.trim().is_empty()).take(4) {
                let op = json!([{"op": "pptx_replace_on_slide", "slide": node.more["slide"], "find": line, "replace": format!("{line} Stet"), "occurrence": 1}]);
                match apply(&deck, &op) {
                    Ok(after) => {
                        // The walk over a whole deck takes longer than the edit: once for each twenty.
                        if done % 20 == 0 {
                            assert_eq!(
                                new_faults(&deck, &after.bytes),
                                Vec::<String>::new(),
                                "{}",
                                path.display()
                            );
                        }
                        done += 1;
                    }
                    Err(error) => {
                        assert_eq!(
                            error.kind,
                            EditErrorKind::WouldDamage,
                            "{} {}: {error:?}",
                            path.display(),
                            node.at
                        );
                        println!("{} {}: {}", path.display(), node.at, error.message);
                        refused += 1;
                    }
                }
            }
        }
    }
    println!("SmartArt and chart texts: {done} edited, {refused} refused");
}
