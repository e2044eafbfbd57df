//! Pointers to slides of every kind, on a deck that has them all; and random sequences of slide operations on it.

use proptest::prelude::*;
use serde_json::{Value, json};
use stet_tests::decks::{apply, audit, entries, new_faults, part, patched, slides};

const ZOOM: &str = concat!(
    "<mc:AlternateContent xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\">",
    "<mc:Choice xmlns:pslz=\"http://schemas.microsoft.com/office/powerpoint/2016/slidezoom\" Requires=\"pslz\">",
    "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"50\" name=\"Slide Zoom\"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>",
    "<p:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"9\" cy=\"9\"/></p:xfrm><a:graphic><a:graphicData uri=\"http://schemas.microsoft.com/office/powerpoint/2016/slidezoom\">",
    "<pslz:sldZm><pslz:sldZmObj sldId=\"258\" cId=\"7\"><pslz:zmPr><p166:blipFill xmlns:p166=\"http://schemas.microsoft.com/office/powerpoint/2016/6/main\">",
    "<a:blip r:embed=\"rId91\"/></p166:blipFill></pslz:zmPr></pslz:sldZmObj></pslz:sldZm></a:graphicData></a:graphic></p:graphicFrame></mc:Choice>",
    "<mc:Fallback><p:pic><p:nvPicPr><p:cNvPr id=\"50\" name=\"Slide Zoom\"><a:hlinkClick r:id=\"rId90\" action=\"ppaction://hlinksldjump\"/></p:cNvPr>",
    "<p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed=\"rId91\"/></p:blipFill><p:spPr/></p:pic></mc:Fallback></mc:AlternateContent></p:spTree>"
);
const SLIDE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/slide";
const IMAGE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image";
const TITLES: &str = concat!(
    "<HeadingPairs><vt:vector size=\"6\" baseType=\"variant\"><vt:variant><vt:lpstr>Theme</vt:lpstr></vt:variant><vt:variant><vt:i4>1</vt:i4></vt:variant>",
    "<vt:variant><vt:lpstr>Slide Titles</vt:lpstr></vt:variant><vt:variant><vt:i4>4</vt:i4></vt:variant>",
    "<vt:variant><vt:lpstr>Custom Shows</vt:lpstr></vt:variant><vt:variant><vt:i4>1</vt:i4></vt:variant></vt:vector></HeadingPairs>",
    "<TitlesOfParts><vt:vector size=\"6\" baseType=\"lpstr\"><vt:lpstr>Office Theme</vt:lpstr><vt:lpstr>Slide 1</vt:lpstr><vt:lpstr>Slide 2</vt:lpstr>",
    "<vt:lpstr>Slide 3</vt:lpstr><vt:lpstr>Slide 4</vt:lpstr><vt:lpstr>Short</vt:lpstr></vt:vector></TitlesOfParts>"
);

/// The crafted deck with a zoom, an outline view, a show range, jumps to the custom show, a modern comment named by its slide, and
/// exact extended properties.
fn full(show: &str) -> Vec<u8> {
    let deck = std::fs::read(stet_tests::fixture("pptx-slide-ops.pptx")).unwrap();
    let app = part(&deck, "docProps/app.xml");
    let old_titles = &app[app.find("<HeadingPairs>").unwrap()..app.find("<Manager>").unwrap()];
    let zoom_links = format!(
        "<Relationship Id=\"rId90\" Type=\"{SLIDE}\" Target=\"slide3.xml\"/><Relationship Id=\"rId91\" Type=\"{IMAGE}\" Target=\"../media/image2.png\"/></Relationships>"
    );
    let outline_links = format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" Type=\"{SLIDE}\" Target=\"slides/slide2.xml\"/><Relationship Id=\"rId2\" Type=\"{SLIDE}\" Target=\"slides/slide3.xml\"/></Relationships>"
    );
    let named = concat!(
        "</p:clrMapOvr><p:extLst><p:ext uri=\"{6950BFC3-D8DA-4A85-94F7-54DA5524770B}\"><p188:commentRel xmlns:p188=\"http://schemas.microsoft.com/office/powerpoint/2018/8/main\" r:id=\"rId80\"/></p:ext>",
        "<p:ext uri=\"{BB962C8B-B14F-4D97-AF65-F5344CB8AC3E}\"><p14:creationId xmlns:p14=\"http://schemas.microsoft.com/office/powerpoint/2010/main\" val=\"7\"/></p:ext></p:extLst>"
    );
    let jump = "<p:cNvPr id=\"4\" name=\"Picture 3\" descr=\"image.png\">";
    patched(
        &deck,
        &[
            ("docProps/app.xml", old_titles, TITLES),
            ("docProps/app.xml", "<Slides>0<", "<Slides>4<"),
            ("docProps/app.xml", "<Notes>0<", "<Notes>4<"),
            ("docProps/app.xml", "<HiddenSlides>0<", "<HiddenSlides>1<"),
            (
                "ppt/presentation.xml",
                "</p:sldMasterIdLst>",
                "</p:sldMasterIdLst><p:notesMasterIdLst><p:notesMasterId r:id=\"rId8\"/></p:notesMasterIdLst>",
            ),
            (
                "ppt/presProps.xml",
                "<p:extLst>",
                &format!("<p:showPr showNarration=\"1\">{show}</p:showPr><p:extLst>"),
            ),
            (
                "ppt/viewProps.xml",
                "<p:notesTextViewPr>",
                "<p:outlineViewPr><p:cViewPr><p:scale><a:sx n=\"33\" d=\"100\"/><a:sy n=\"33\" d=\"100\"/></p:scale><p:origin x=\"0\" y=\"0\"/></p:cViewPr><p:sldLst><p:sld r:id=\"rId1\" collapse=\"1\"/><p:sld r:id=\"rId2\" collapse=\"1\"/></p:sldLst></p:outlineViewPr><p:notesTextViewPr>",
            ),
            ("ppt/_rels/viewProps.xml.rels", "", &outline_links),
            ("ppt/slides/slide2.xml", "</p:spTree>", ZOOM),
            ("ppt/slides/_rels/slide2.xml.rels", "</Relationships>", &zoom_links),
            ("ppt/media/image2.png", "", "not really a picture"),
            ("ppt/slides/slide3.xml", "</p:clrMapOvr>", named),
            (
                "ppt/slides/slide4.xml",
                &format!("{}/>", &jump[..jump.len() - 1]),
                &format!(
                    "{jump}<a:hlinkClick r:id=\"\" action=\"ppaction://customshow?id=0&amp;return=true\"/></p:cNvPr>"
                ),
            ),
        ],
    )
}

fn done(deck: &[u8], batch: &Value) -> Vec<u8> {
    let after = apply(deck, batch).unwrap_or_else(|error| panic!("{batch}: {error:?}")).bytes;
    assert_eq!(new_faults(deck, &after), Vec::<String>::new(), "{batch}");
    after
}

#[test]
fn the_full_deck_is_sound() {
    assert!(audit(&full("<p:sldRg st=\"2\" end=\"3\"/>")).is_empty(), "{:?}", audit(&full("<p:sldAll/>")));
}

#[test]
fn deleting_takes_zooms_outline_entries_and_counts_along() {
    let deck = full("<p:sldRg st=\"2\" end=\"3\"/>");
    let after = done(&deck, &json!([{"op": "pptx_delete_slide", "slide": 3}]));
    assert!(!part(&after, "ppt/slides/slide2.xml").contains("sldZm"), "the zoom of the slide");
    assert!(part(&after, "ppt/media/image2.png").is_empty(), "the zoom's picture");
    assert_eq!(part(&after, "ppt/viewProps.xml").matches("<p:sld r:id").count(), 1);
    assert!(part(&after, "ppt/presProps.xml").contains("<p:sldRg st=\"2\" end=\"2\"/>"));
    let app = part(&after, "docProps/app.xml");
    assert!(
        app.contains("<Slides>3<") && app.contains("<Notes>3<") && app.contains("<HiddenSlides>1<"),
        "{app}"
    );
    assert!(
        !app.contains("<vt:lpstr>Slide 3</vt:lpstr>")
            && app.contains("<vt:vector size=\"5\" baseType=\"lpstr\">")
    );
    let last = done(&after, &json!([{"op": "pptx_delete_slide", "slide": 2}]));
    assert!(
        part(&last, "ppt/presProps.xml").contains("<p:showPr showNarration=\"1\"><p:sldAll/></p:showPr>")
    );
    let hidden = done(&deck, &json!([{"op": "pptx_delete_slide", "slide": 4}]));
    assert!(part(&hidden, "docProps/app.xml").contains("<HiddenSlides>0<"));
}

#[test]
fn an_emptied_show_goes_with_its_jumps_and_its_setting() {
    let deck = full("<p:custShow id=\"0\"/>");
    let batch = json!([{"op": "pptx_delete_slide", "slide": 1}, {"op": "pptx_delete_slide", "slide": 3}]);
    let after = done(&deck, &batch);
    assert!(!part(&after, "ppt/presentation.xml").contains("custShow"));
    assert!(part(&after, "ppt/presProps.xml").contains("<p:sldAll/>"));
    assert!(!part(&after, "ppt/slides/slide4.xml").contains("customshow"));
    assert!(!part(&after, "docProps/app.xml").contains("<vt:lpstr>Short</vt:lpstr>"));
}

#[test]
fn an_animated_zoom_is_refused() {
    let timing = "</p:clrMapOvr><p:timing><p:tnLst><p:par><p:cTn id=\"1\"><p:childTnLst><p:set><p:cBhvr><p:cTn id=\"2\"/><p:tgtEl><p:spTgt spid=\"50\"/></p:tgtEl></p:cBhvr></p:set></p:childTnLst></p:cTn></p:par></p:tnLst></p:timing>";
    let deck = patched(&full("<p:sldAll/>"), &[("ppt/slides/slide2.xml", "</p:clrMapOvr>", timing)]);
    let error = apply(&deck, &json!([{"op": "pptx_delete_slide", "slide": 3}])).unwrap_err();
    assert_eq!(error.kind, documents::error::EditErrorKind::WouldDamage);
}

#[test]
fn an_unknown_pointer_is_refused() {
    let links =
        format!("<Relationship Id=\"rId77\" Type=\"{SLIDE}\" Target=\"slide3.xml\"/></Relationships>");
    let deck = patched(
        &full("<p:sldAll/>"),
        &[
            ("ppt/slides/_rels/slide1.xml.rels", "</Relationships>", &links),
            (
                "ppt/slides/slide1.xml",
                "</p:clrMapOvr>",
                "</p:clrMapOvr><p:extLst><p:ext uri=\"{X}\"><x:y xmlns:x=\"urn:x\" r:id=\"rId77\"/></p:ext></p:extLst>",
            ),
        ],
    );
    let error = apply(&deck, &json!([{"op": "pptx_delete_slide", "slide": 3}])).unwrap_err();
    assert_eq!(error.kind, documents::error::EditErrorKind::WouldDamage);
}

#[test]
fn a_copy_leaves_comments_behind_and_has_its_own_id() {
    let deck = full("<p:sldRg st=\"2\" end=\"3\"/>");
    let after = done(&deck, &json!([{"op": "pptx_duplicate_slide", "slide": 3}]));
    let copy = part(&after, "ppt/slides/slide5.xml");
    assert!(!copy.contains("commentRel") && !copy.contains("val=\"7\"") && copy.contains("creationId"));
    assert!(!part(&after, "ppt/slides/_rels/slide5.xml.rels").contains("omment"));
    assert!(part(&after, "ppt/presProps.xml").contains("<p:sldRg st=\"2\" end=\"3\"/>"));
    let app = part(&after, "docProps/app.xml");
    assert!(
        app.contains("<Slides>5<")
            && app.contains("<Notes>5<")
            && app.matches("<vt:lpstr>Slide 3</vt:lpstr>").count() == 2
    );
    let earlier = done(&deck, &json!([{"op": "pptx_insert_slide", "slide": 1, "layout": "Blank"}]));
    assert!(part(&earlier, "ppt/presProps.xml").contains("<p:sldRg st=\"3\" end=\"4\"/>"));
}

#[test]
fn a_move_changes_the_order_of_titles_and_says_when_the_range_changes() {
    let deck = full("<p:sldRg st=\"2\" end=\"3\"/>");
    let after = apply(&deck, &json!([{"op": "pptx_move_slide", "slide": 1, "to": 2}])).unwrap();
    assert!(
        part(&after.bytes, "docProps/app.xml")
            .contains("<vt:lpstr>Slide 2</vt:lpstr><vt:lpstr>Slide 1</vt:lpstr>")
    );
    assert!(after.warnings.iter().any(|warning| warning.code == "show_range_changed"));
    let back = done(&after.bytes, &json!([{"op": "pptx_move_slide", "slide": 2, "to": 1}]));
    for name in ["docProps/app.xml", "ppt/presentation.xml"] {
        assert_eq!(part(&back, name), part(&deck, name));
    }
}

/// LibreOffice takes the number in `slide4.xml` for a page and dies when there is no such page (pptx/NOTES.md, "Jumps"); another spelling
/// of the same target it reads well.
#[test]
fn no_jump_is_left_with_a_number_behind_the_end() {
    let links = |name: &str, target: &str| {
        let link =
            format!("<Relationship Id=\"rId70\" Type=\"{SLIDE}\" Target=\"{target}\"/></Relationships>");
        (name.to_owned(), link)
    };
    let jumping = |slide: usize, to: &str| {
        let shape = "<p:cNvPr id=\"4\" name=\"Picture 3\" descr=\"image.png\"/>";
        let jumps = shape
            .replace("/>", "><a:hlinkClick r:id=\"rId70\" action=\"ppaction://hlinksldjump\"/></p:cNvPr>");
        let (rels, link) = links(&format!("ppt/slides/_rels/slide{slide}.xml.rels"), to);
        let part = format!("ppt/slides/slide{slide}.xml");
        patched(&full("<p:sldAll/>"), &[(&rels, "</Relationships>", &link), (&part, shape, &jumps)])
    };
    let deck = jumping(2, "slide4.xml");
    let after = done(&deck, &json!([{"op": "pptx_delete_slide", "slide": 3}]));
    assert!(part(&after, "ppt/slides/_rels/slide2.xml.rels").contains("Target=\"../slides/slide4.xml\""));
    assert!(part(&after, "ppt/slides/slide4.xml") == part(&deck, "ppt/slides/slide4.xml"));
    // The jump is the same jump: it still goes when its slide goes.
    let last = done(&after, &json!([{"op": "pptx_delete_slide", "slide": 3}]));
    assert!(!part(&last, "ppt/slides/_rels/slide2.xml.rels").contains("rId70"));
    assert!(!part(&last, "ppt/slides/slide2.xml").contains("rId70"));
    // Within reach, nothing is spelled anew.
    let back = done(
        &deck,
        &json!([{"op": "pptx_duplicate_slide", "slide": 1}, {"op": "pptx_delete_slide", "slide": 3}]),
    );
    assert!(part(&back, "ppt/slides/_rels/slide2.xml.rels").contains("Target=\"slide4.xml\""));
    // What was so before is left as it was.
    let before = jumping(2, "slide9.xml");
    let moved = patched(&before, &[("ppt/slides/slide1.xml", "<p:cSld>", "<p:cSld >")]);
    let after = apply(&moved, &json!([{"op": "pptx_delete_slide", "slide": 3}])).unwrap().bytes;
    assert!(part(&after, "ppt/slides/_rels/slide2.xml.rels").contains("Target=\"slide9.xml\""));
    // A copy that jumps to itself, in a deck whose numbers have a gap.
    let gap = done(&jumping(3, "slide3.xml"), &json!([{"op": "pptx_delete_slide", "slide": 2}]));
    let copy = done(&gap, &json!([{"op": "pptx_duplicate_slide", "slide": 2}]));
    for deck in [&gap, &copy] {
        let count = slides(deck).len();
        for entry in entries(deck).iter().filter(|entry| entry.name.starts_with("ppt/slides/_rels/")) {
            let links = String::from_utf8_lossy(&entry.content);
            let numbers = links
                .split("Target=\"slide")
                .skip(1)
                .filter_map(|rest| rest.split('.').next()?.parse::<usize>().ok());
            assert!(numbers.into_iter().all(|number| number <= count), "{}: {links}", entry.name);
        }
    }
}

fn operation() -> impl Strategy<Value = (u8, usize, usize)> {
    (0_u8..7, 0_usize..64, 0_usize..64)
}

/// The operation for a deck of `count` slides; `None` when there is nothing to do it on.
fn worded((kind, a, b): (u8, usize, usize), count: usize) -> Option<Value> {
    let slide = a % count.max(1) + 1;
    let to = b % count.max(1) + 1;
    if count == 0 && !matches!(kind, 5 | 6) {
        return None;
    }
    Some(match kind {
        0 | 1 => json!({"op": "pptx_delete_slide", "slide": slide}),
        2 => json!({"op": "pptx_duplicate_slide", "slide": slide}),
        3 => json!({"op": "pptx_move_slide", "slide": slide, "to": to}),
        4 => json!({"op": "pptx_hide_slide", "slide": slide, "hidden": b % 2 == 0}),
        5 => json!({"op": "pptx_append_slide", "title": format!("New {b}"), "notes": "n"}),
        _ => {
            json!({"op": "pptx_insert_slide", "slide": if count == 0 { 1 } else { slide }, "layout": "Title and Content", "title": "T", "body": ["x"]})
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_sequences_keep_the_deck_sound(operations in prop::collection::vec(operation(), 1..9)) {
        let mut deck = full("<p:sldRg st=\"2\" end=\"3\"/>");
        let mut expected = slides(&deck);
        for step in operations {
            let Some(op) = worded(step, expected.len()) else { continue };
            let after = apply(&deck, &json!([op])).map_err(|error| TestCaseError::fail(format!("{op}: {error:?}")))?;
            let (slide, to) = (op["slide"].as_u64().unwrap_or(0) as usize, op["to"].as_u64().unwrap_or(0) as usize);
            match op["op"].as_str().unwrap() {
                "pptx_delete_slide" => drop(expected.remove(slide - 1)),
                "pptx_duplicate_slide" => expected.insert(slide, expected[slide - 1].clone()),
                "pptx_move_slide" => { let moved = expected.remove(slide - 1); expected.insert(to - 1, moved); }
                "pptx_append_slide" => expected.push(op["title"].as_str().unwrap().into()),
                "pptx_insert_slide" => expected.insert(slide - 1, "T".into()),
                _ => {}
            }
            prop_assert_eq!(&slides(&after.bytes), &expected, "{}", op);
            let faults = audit(&after.bytes);
            prop_assert!(faults.is_empty(), "{}: {:?}", op, faults);
            deck = after.bytes;
        }
    }

    #[test]
    fn a_batch_is_the_same_as_its_operations_one_by_one(steps in prop::collection::vec((0_usize..4, 0_u8..3), 1..5)) {
        // Each slide at most once, so that numbers of the read revision and identities agree.
        let deck = full("<p:sldAll/>");
        let mut seen = std::collections::BTreeSet::new();
        let steps: Vec<(usize, u8)> = steps.into_iter().filter(|(slide, _)| seen.insert(*slide)).collect();
        let batch: Vec<Value> = steps.iter().map(|(slide, kind)| match kind {
            0 => json!({"op": "pptx_delete_slide", "slide": slide + 1}),
            1 => json!({"op": "pptx_duplicate_slide", "slide": slide + 1}),
            _ => json!({"op": "pptx_set_title", "slide": slide + 1, "text": format!("Title {slide}")}),
        }).collect();
        let together = apply(&deck, &json!(batch)).unwrap();
        let mut single = deck.clone();
        let mut names: Vec<Option<usize>> = (0..4).map(Some).collect();
        for (slide, kind) in steps {
            let now = names.iter().position(|name| *name == Some(slide)).unwrap();
            let op = match kind {
                0 => { names.remove(now); json!({"op": "pptx_delete_slide", "slide": now + 1}) }
                1 => { names.insert(now + 1, None); json!({"op": "pptx_duplicate_slide", "slide": now + 1}) }
                _ => json!({"op": "pptx_set_title", "slide": now + 1, "text": format!("Title {slide}")}),
            };
            single = apply(&single, &json!([op])).unwrap().bytes;
        }
        prop_assert_eq!(slides(&together.bytes), slides(&single));
        prop_assert!(audit(&together.bytes).is_empty());
    }

    #[test]
    fn duplicate_then_delete_gives_the_old_contents(slide in 1_usize..5, to in prop::option::of(1_usize..6)) {
        let deck = full("<p:sldRg st=\"2\" end=\"3\"/>");
        let copied = apply(&deck, &json!([{"op": "pptx_duplicate_slide", "slide": slide, "to": to}])).unwrap().bytes;
        let at = to.unwrap_or(slide + 1);
        let back = apply(&copied, &json!([{"op": "pptx_delete_slide", "slide": at}])).unwrap().bytes;
        let contents = |deck: &[u8]| -> Vec<(String, Vec<u8>)> {
            entries(deck).into_iter().map(|entry| (entry.name, entry.content)).collect()
        };
        let names = |deck: &[u8]| -> Vec<String> { contents(deck).into_iter().map(|(name, _)| name).collect() };
        prop_assert_eq!(names(&back), names(&deck));
        for ((name, now), (_, before)) in contents(&back).into_iter().zip(contents(&deck)) {
            // The range of the show grows when a copy comes into it, and shrinks by whichever end the copy had.
            if name != "ppt/presProps.xml" {
                prop_assert_eq!(String::from_utf8_lossy(&now), String::from_utf8_lossy(&before), "{}", name);
            }
        }
    }
}
