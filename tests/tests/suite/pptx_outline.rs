//! Outlines of decks in windows and budgets, and what opening a deck says; layouts by their names, and what a new slide takes from them.

use documents::{Format, Limits, Node, OutlineRequest, error::EditErrorKind};
use serde_json::{Value, json};
use stet_tests::decks::{apply, outline, part, patched, text_at};

fn crafted() -> Vec<u8> {
    std::fs::read(stet_tests::fixture("pptx-slide-ops.pptx")).unwrap()
}

fn window(deck: &[u8], range: Option<String>, budget: usize) -> documents::Outline {
    let request = OutlineRequest { range, budget };
    documents::outline(Format::Pptx, deck, &request, &Limits::default(), &|| false).unwrap()
}

/// All nodes, read with a small budget by following `next`.
fn in_windows(deck: &[u8], budget: usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut range = None;
    loop {
        let part = window(deck, range, budget);
        assert!(!part.nodes.is_empty(), "a window that does not move on");
        assert_eq!(part.truncated, part.next.is_some());
        nodes.extend(part.nodes);
        match part.next {
            Some(next) => range = Some(next),
            None => return nodes,
        }
    }
}

#[test]
fn windows_leave_nothing_out_and_repeat_nothing() {
    let mut decks = vec![stet_tests::fixture("pptx-slide-ops.pptx")];
    decks.extend(stet_tests::corpus(&["pptx", "pptm", "potx", "ppsx", "ppsm"]));
    for path in decks {
        let deck = std::fs::read(&path).unwrap();
        let Ok(whole) = outline(&deck) else { continue };
        if whole.nodes.is_empty() {
            continue;
        }
        let total: usize = whole.nodes.iter().map(|node| serde_json::to_string(node).unwrap().len()).sum();
        for budget in [total / 3 + 1, total / 9 + 1] {
            assert_eq!(in_windows(&deck, budget), whole.nodes, "{} in {budget}", path.display());
        }
    }
    // One node at a time.
    assert_eq!(in_windows(&crafted(), 1), outline(&crafted()).unwrap().nodes);
}

#[test]
fn a_range_is_slides() {
    let deck = crafted();
    let slides = |range: &str| -> Vec<String> {
        let nodes = window(&deck, Some(range.into()), usize::MAX).nodes;
        nodes.into_iter().filter(|node| node.kind == "slide").map(|node| node.at).collect()
    };
    assert_eq!(slides("2"), ["s2"]);
    assert_eq!(slides("2-3"), ["s2", "s3"]);
    assert_eq!(slides("s3-"), ["s3", "s4"]);
    assert_eq!(slides("4-99"), ["s4"]);
    let request = OutlineRequest { range: Some("x".into()), budget: 100 };
    assert!(documents::outline(Format::Pptx, &deck, &request, &Limits::default(), &|| false).is_err());
}

#[test]
fn a_slide_says_what_is_on_it() {
    let deck = crafted();
    let nodes = outline(&deck).unwrap().nodes;
    let find = |at: &str| nodes.iter().find(|node| node.at == at).unwrap();
    let slide = find("s4");
    assert_eq!((slide.text.as_str(), &slide.more["hidden"]), ("Slide 4", &json!(true)));
    assert!(slide.more["layout"] == "Title and Content" && slide.more["section"].is_string());
    let title = find("s2.shape2");
    assert_eq!(
        (&title.more["name"], &title.more["placeholder"], &title.more["type"]),
        (&json!("Title 1"), &json!("title"), &json!("text"))
    );
    assert_eq!(find("s2.shape6").more["group"], 5);
    assert_eq!((&find("s2.shape7").more["rows"], &find("s2.shape7").more["columns"]), (&json!(2), &json!(2)));
    assert_eq!(find("s2.shape4").more["alt"], "image.png");
    assert_eq!(find("s2.notes").text, "notes 2");
}

#[test]
fn signatures_macros_and_protection_are_said_on_opening() {
    let codes = |deck: &[u8]| -> Vec<String> {
        outline(deck).unwrap().warnings.into_iter().map(|warning| warning.code).collect()
    };
    assert!(codes(&crafted()).is_empty());
    let verifier = "<p:modifyVerifier cryptProviderType=\"rsaAES\"/></p:presentation>";
    let locked = patched(&crafted(), &[("ppt/presentation.xml", "</p:presentation>", verifier)]);
    assert_eq!(codes(&locked), ["is_protected"]);
    let Some(shared) = stet_tests::shared() else { return };
    let signed = std::fs::read(shared.join("corpus/pptx/hello-world-signed.pptx")).unwrap();
    assert!(codes(&signed).contains(&"has_signature".to_owned()));
    let edit = apply(&signed, &json!([{"op": "pptx_append_slide"}])).unwrap();
    assert!(edit.warnings.iter().any(|warning| warning.code == "signature_invalidated"));
    let macros = std::fs::read(shared.join("corpus/pptx/macro enabled.ppsm")).unwrap();
    assert!(codes(&macros).contains(&"has_macros".to_owned()));
}

#[test]
fn prompts_of_layouts_are_not_content() {
    let deck = crafted();
    let prompt = "Click to edit Master title style";
    assert!(part(&deck, "ppt/slideLayouts/slideLayout2.xml").contains(prompt));
    let op = json!([{"op": "pptx_replace_text", "find": prompt, "replace": "x", "include_notes": true, "occurrence": "all"}]);
    assert_eq!(apply(&deck, &op).unwrap_err().kind, EditErrorKind::ZeroMatches);
    assert_eq!(text_at(&deck, "s2.shape3").unwrap(), "");
}

/// Renames layouts: `(number, new name)`.
fn renamed(names: &[(usize, &str, &str)]) -> Vec<u8> {
    let parts: Vec<String> =
        names.iter().map(|(number, ..)| format!("ppt/slideLayouts/slideLayout{number}.xml")).collect();
    let quoted: Vec<(String, String)> = names
        .iter()
        .map(|(_, old, new)| (format!("<p:cSld name=\"{old}\">"), format!("<p:cSld name=\"{new}\">")))
        .collect();
    let patches: Vec<(&str, &str, &str)> = parts
        .iter()
        .zip(&quoted)
        .map(|(part, (old, new))| (part.as_str(), old.as_str(), new.as_str()))
        .collect();
    patched(&crafted(), &patches)
}

fn layout_of_new(deck: &[u8], op: &Value) -> String {
    let after = apply(deck, &json!([op])).unwrap_or_else(|error| panic!("{op}: {error:?}")).bytes;
    let nodes = outline(&after).unwrap().nodes;
    let last = nodes.iter().rfind(|node| node.kind == "slide").unwrap();
    last.more["layout"].as_str().unwrap().to_owned()
}

#[test]
fn layouts_are_found_by_name_in_any_language() {
    let deck = renamed(&[
        (1, "Title Slide", "Titelfolie"),
        (2, "Title and Content", "标题和内容"),
        (7, "Blank", "Leer"),
    ]);
    let new =
        |layout: Value, title: Value| json!({"op": "pptx_append_slide", "layout": layout, "title": title});
    assert_eq!(layout_of_new(&deck, &new(json!("Titelfolie"), json!("x"))), "Titelfolie");
    assert_eq!(layout_of_new(&deck, &new(json!("titelFOLIE "), json!("x"))), "Titelfolie");
    assert_eq!(layout_of_new(&deck, &new(json!("标题和内容"), json!("x"))), "标题和内容");
    // By its type where nobody names one.
    assert_eq!(layout_of_new(&deck, &new(json!(null), json!("x"))), "标题和内容");
    let missing = apply(&deck, &json!([new(json!("Blank"), json!(null))])).unwrap_err();
    assert_eq!(missing.kind, EditErrorKind::OutOfRange);
    assert!(missing.matches.iter().any(|place| place.text == "Leer"), "{missing:?}");
    let misfit = apply(&deck, &json!([new(json!("Leer"), json!("no place for it"))])).unwrap_err();
    assert_eq!(misfit.kind, EditErrorKind::WouldDamage);
}

#[test]
fn one_of_two_layouts_of_a_name_is_not_guessed() {
    let deck = renamed(&[(6, "Title Only", "Same"), (7, "Blank", "Same")]);
    let op = json!([{"op": "pptx_append_slide", "layout": "Same"}]);
    let error = apply(&deck, &op).unwrap_err();
    assert_eq!((error.kind, error.matches.len()), (EditErrorKind::MultipleMatches, 2));
    // The part that the answer names tells them apart.
    let named = json!([{"op": "pptx_append_slide", "layout": error.matches[1].location}]);
    assert!(apply(&deck, &named).is_ok());
}

#[test]
fn a_new_slide_has_the_placeholders_of_its_layout() {
    let deck = crafted();
    for (layout, expected) in [
        ("Title Slide", vec!["title", "subtitle"]),
        ("Two Content", vec!["title", "body", "body"]),
        ("Comparison", vec!["title", "body", "body", "body", "body"]),
        ("Picture with Caption", vec!["title", "picture", "body"]),
        ("Blank", vec![]),
    ] {
        let after = apply(&deck, &json!([{"op": "pptx_append_slide", "layout": layout}])).unwrap().bytes;
        let nodes = outline(&after).unwrap().nodes;
        let found: Vec<&str> = nodes
            .iter()
            .filter(|node| node.kind == "shape" && node.more["slide"] == 5)
            .map(|node| node.more["placeholder"].as_str().unwrap())
            .collect();
        assert_eq!(found, expected, "{layout}");
        // Index and type as in the layout, no text of its prompt, no position of its own.
        let slide = part(&after, "ppt/slides/slide5.xml");
        let model = nodes.len();
        assert!(!slide.contains("Click to") && !slide.contains("a:off x=\"4"), "{model}");
    }
}
