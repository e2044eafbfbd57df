//! Sections under moves: the slide goes into the section of the place it takes, and there and back gives the old bytes.

use serde_json::json;
use stet_tests::decks::{apply, audit, contents, new_faults, outline, part, patched, slides};

fn crafted() -> Vec<u8> {
    std::fs::read(stet_tests::fixture("pptx-slide-ops.pptx")).unwrap()
}

/// The crafted deck with other sections: the slides of each, and what stands around the entries.
fn sectioned(sections: &[&[u32]], space: &str) -> Vec<u8> {
    let deck = crafted();
    let presentation = part(&deck, "ppt/presentation.xml");
    let start = presentation.find("<p14:sectionLst").unwrap();
    let start = start + presentation[start..].find('>').unwrap() + 1;
    let end = presentation.find("</p14:sectionLst>").unwrap();
    let mut markup = String::new();
    for (index, ids) in sections.iter().enumerate() {
        let entries: String = ids.iter().map(|id| format!("{space}<p14:sldId id=\"{id}\"/>")).collect();
        let list = match ids.is_empty() {
            true => "<p14:sldIdLst/>".to_owned(),
            false => format!("<p14:sldIdLst>{entries}{space}</p14:sldIdLst>"),
        };
        markup += &format!(
            "<p14:section name=\"S{index}\" id=\"{{00000000-0000-0000-0000-00000000000{index}}}\">{list}</p14:section>"
        );
    }
    patched(&deck, &[("ppt/presentation.xml", &presentation[start..end], &markup)])
}

/// The section of each slide, in show order.
fn sections(deck: &[u8]) -> Vec<String> {
    let nodes = outline(deck).unwrap().nodes.into_iter().filter(|node| node.kind == "slide");
    nodes.map(|node| node.more["section"].as_str().unwrap_or_default().to_owned()).collect()
}

fn moved(deck: &[u8], from: usize, to: usize) -> Vec<u8> {
    let op = json!([{"op": "pptx_move_slide", "slide": from, "to": to}]);
    apply(deck, &op).unwrap_or_else(|error| panic!("{from} to {to}: {error:?}")).bytes
}

#[test]
fn a_slide_joins_the_section_of_the_place_it_takes() {
    let deck = sectioned(&[&[256, 257], &[258, 259]], "");
    assert_eq!(sections(&moved(&deck, 1, 3)), ["S0", "S1", "S1", "S1"]);
    assert_eq!(sections(&moved(&deck, 4, 2)), ["S0", "S0", "S0", "S1"]);
    assert_eq!(sections(&moved(&deck, 2, 3)), ["S0", "S1", "S1", "S1"]);
    assert_eq!(slides(&moved(&deck, 2, 3)), ["Slide 1", "Slide 3", "Slide 2", "Slide 4"]);
    let told = |to: usize| {
        let op = json!([{"op": "pptx_move_slide", "slide": 1, "to": to}]);
        let warnings = apply(&deck, &op).unwrap().warnings.into_iter();
        warnings.map(|warning| (warning.code, warning.location.unwrap())).collect::<Vec<_>>()
    };
    assert_eq!((told(2), told(3)), (vec![], vec![("section_changed".into(), "s3".into())]));
}

#[test]
fn there_and_back_gives_the_old_bytes_wherever_the_sections_end() {
    let shapes: [&[&[u32]]; 7] = [
        &[&[256, 257], &[258, 259]],
        &[&[256], &[257], &[258], &[259]],
        &[&[256, 257, 258, 259]],
        &[&[], &[256, 257], &[], &[258], &[259], &[]],
        &[&[256], &[], &[], &[257, 258, 259]],
        &[&[256, 257, 258], &[259]],
        &[],
    ];
    for shape in shapes {
        for space in ["", "\r\n    "] {
            let deck = sectioned(shape, space);
            let old = part(&deck, "ppt/presentation.xml");
            for from in 1..=4 {
                for to in (1..=4).filter(|to| *to != from) {
                    let there = moved(&deck, from, to);
                    let back = moved(&there, to, from);
                    assert_eq!(part(&back, "ppt/presentation.xml"), old, "{shape:?}: {from} to {to}");
                    if space.is_empty() && (from + to) % 2 == 1 {
                        assert_eq!(
                            new_faults(&deck, &there),
                            Vec::<String>::new(),
                            "{shape:?}: {from} to {to}"
                        );
                        // One move inside the other comes back as well.
                        let (inner_from, inner_to) = [(1, 4), (2, 3), (4, 2)][(from * to) % 3];
                        let inside = moved(&moved(&there, inner_from, inner_to), inner_to, inner_from);
                        let back = moved(&inside, to, from);
                        assert_eq!(
                            part(&back, "ppt/presentation.xml"),
                            old,
                            "{shape:?}: {from} to {to}, inside {inner_from} to {inner_to}"
                        );
                    }
                }
            }
        }
    }
}

/// In one batch the slide's own number is where it was.
#[test]
fn there_and_back_in_one_batch_changes_nothing() {
    let deck = sectioned(&[&[256, 257], &[258, 259]], "");
    for (slide, to) in [(1, 4), (2, 3), (3, 2), (3, 1), (4, 2)] {
        let batch = json!([{"op": "pptx_move_slide", "slide": slide, "to": to}, {"op": "pptx_move_slide", "slide": slide, "to": slide}]);
        assert_eq!(apply(&deck, &batch).unwrap().bytes, deck, "{slide} {to}");
    }
}

#[test]
fn there_and_back_on_every_deck_of_the_corpus() {
    let mut tried = 0;
    for path in stet_tests::corpus(&["pptx", "pptm", "potx", "ppsx", "ppsm"]) {
        let deck = std::fs::read(&path).unwrap();
        if outline(&deck).is_err() {
            continue;
        }
        let count = slides(&deck).len();
        for (from, to) in [(1, count), (count, 1), (1, 2), (count / 2, count / 2 + 1)] {
            if from == to || from == 0 || to > count || to == 0 {
                continue;
            }
            let step = |deck: &[u8], from: usize, to: usize| {
                let op = json!([{"op": "pptx_move_slide", "slide": from, "to": to}]);
                apply(deck, &op).unwrap_or_else(|error| panic!("{}: {error:?}", path.display())).bytes
            };
            let back = step(&step(&deck, from, to), to, from);
            assert!(contents(&deck) == contents(&back), "{} {from} {to}", path.display());
            tried += 1;
        }
    }
    println!("{tried} moves of corpus decks there and back");
}

/// Lists that disagree with the slides are nobody's business to repair, but a move still works and lists no slide twice.
#[test]
fn sections_that_disagree_with_the_slides_stay_usable() {
    for shape in [&[&[259_u32, 257][..], &[258, 256]][..], &[&[256, 257]], &[&[256, 256, 257], &[258, 259]]] {
        let deck = sectioned(shape, "");
        let known = audit(&deck);
        for (from, to) in [(1, 4), (4, 1), (2, 3), (3, 2), (1, 2)] {
            let op = json!([{"op": "pptx_move_slide", "slide": from, "to": to}]);
            let after = apply(&deck, &op).unwrap().bytes;
            let more: Vec<String> = audit(&after).difference(&known).cloned().collect();
            assert!(
                more.iter().all(|fault| fault.contains("another order")),
                "{shape:?} {from} {to}: {more:?}"
            );
        }
    }
}
