//! One small edit on every deck of the corpus: only the one slide part changes, and of it only the edit.

use serde_json::json;
use stet_tests::decks::{apply, difference, outline};

const EXTENSIONS: &[&str] = &["pptx", "pptm", "potx", "ppsx", "ppsm"];

#[test]
fn every_deck_opens_and_an_edit_changes_one_part() {
    for path in stet_tests::corpus(EXTENSIONS) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let deck = std::fs::read(&path).unwrap();
        if name == "xml-billion-laughs.pptx" {
            assert!(outline(&deck).is_err(), "{name} declares a DTD");
            continue;
        }
        let nodes = outline(&deck).unwrap_or_else(|error| panic!("{name}: {error}")).nodes;
        let Some(shape) = nodes.iter().find(|node| node.kind == "shape" && node.text.trim().len() > 2) else {
            println!("{name}: no text");
            continue;
        };
        let first = shape.text.trim().split('\n').next().unwrap_or_default();
        let new = format!("{first} Stet");
        let slide = &shape.more["slide"];
        let op = json!([{"op": "pptx_replace_on_slide", "slide": slide, "find": first, "replace": new, "occurrence": 1}]);
        let applied = apply(&deck, &op).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let difference = difference(&deck, &applied.bytes);
        assert!(difference.added.is_empty() && difference.removed.is_empty(), "{name}: {difference:?}");
        assert_eq!(difference.changed.len(), 1, "{name}: {difference:?}");
        assert!(difference.changed[0].1 <= op.to_string().len() + 2_000, "{name}: {difference:?}");
        let again = outline(&applied.bytes).unwrap().nodes;
        assert!(again.iter().any(|node| node.text.contains(&new)), "{name}");
        assert_eq!(again.len(), nodes.len(), "{name}");
    }
}

/// Setting a shape's text touches one slide and keeps everything else.
#[test]
fn set_text_on_every_text_shape_of_the_corpus() {
    for path in stet_tests::corpus(EXTENSIONS) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let deck = std::fs::read(&path).unwrap();
        let Ok(before) = outline(&deck) else { continue };
        let mut last_slide = 0;
        for node in before.nodes.iter().filter(|node| node.kind == "shape" && node.more["type"] == "text") {
            let slide = node.more["slide"].as_u64().unwrap_or(0);
            if node.text.is_empty() || slide == last_slide || slide > 12 {
                continue;
            }
            last_slide = slide;
            let op = json!([{"op": "pptx_set_text", "slide": slide, "shape": node.more["shape"], "text": "First & <new>\nSecond"}]);
            let applied = match apply(&deck, &op) {
                Ok(applied) => applied,
                Err(error) => {
                    println!("{name} {}: {error}", node.at);
                    continue;
                }
            };
            let difference = difference(&deck, &applied.bytes);
            assert_eq!(difference.changed.len(), 1, "{name} {}: {difference:?}", node.at);
            let after = outline(&applied.bytes).unwrap();
            let changed: Vec<&str> = after
                .nodes
                .iter()
                .zip(&before.nodes)
                .filter(|(new, old)| new != old && new.kind == "shape")
                .map(|(new, _)| new.text.as_str())
                .collect();
            assert_eq!(changed, ["First & <new>\nSecond"], "{name} {}", node.at);
        }
    }
}
