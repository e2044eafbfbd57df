//! Random sequences of slide and text operations on every deck of the corpus: sound after each step, and no slide touched but the one meant.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use stet_tests::decks::{apply_with, audit, contents, difference, entries, outline, part};

const EXTENSIONS: &[&str] = &["pptx", "pptm", "potx", "ppsx", "ppsm"];

fn is_full() -> bool {
    std::env::var_os("STET_FULL").is_some()
}

/// A small linear congruential generator: the same steps on every machine.
struct Steps(u64);

impl Steps {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// An operation for the deck as it is.
fn operation(deck: &[u8], steps: &mut Steps) -> Value {
    let nodes = outline(deck).unwrap().nodes;
    let count = nodes.iter().filter(|node| node.kind == "slide").count();
    let slide = steps.below(count) + 1;
    match steps.below(if count == 0 { 1 } else { 9 }) {
        0 => json!({"op": "pptx_append_slide"}),
        1 => json!({"op": "pptx_insert_slide", "slide": slide, "notes": "Notes of a new slide"}),
        2 | 3 => json!({"op": "pptx_duplicate_slide", "slide": slide}),
        4 => json!({"op": "pptx_move_slide", "slide": slide, "to": steps.below(count) + 1}),
        5 => json!({"op": "pptx_hide_slide", "slide": slide, "hidden": steps.below(2) == 0}),
        6 => json!({"op": "pptx_delete_slide", "slide": slide}),
        7 => json!({"op": "pptx_set_notes", "slide": slide, "text": format!("Notes {}", steps.below(100))}),
        _ => {
            let is_text = |node: &&documents::Node| {
                node.kind == "shape" && node.more["slide"] == slide && node.more["type"] == "text"
            };
            let shapes: Vec<&documents::Node> = nodes.iter().filter(is_text).collect();
            match shapes.get(steps.below(shapes.len())) {
                Some(node) => json!({"op": "pptx_set_text", "slide": slide, "shape": node.more["shape"],
                                     "text": format!("Text {}\nand <more>", steps.below(100))}),
                None => json!({"op": "pptx_hide_slide", "slide": slide}),
            }
        }
    }
}

/// The slide parts in show order.
fn slide_parts(deck: &[u8]) -> Vec<String> {
    let presentation =
        ["ppt/presentation.xml", "ppt/presentation2.xml"].map(|name| part(deck, name)).concat();
    let links = ["ppt/_rels/presentation.xml.rels", "ppt/_rels/presentation2.xml.rels"]
        .map(|name| part(deck, name))
        .concat();
    let between = |text: &str, start: &str| -> Option<String> {
        let from = text.find(start)? + start.len();
        Some(text[from..from + text[from..].find('"')?].to_owned())
    };
    let list = presentation.split("sldId ").skip(1).filter_map(|entry| {
        let id = between(entry.split('>').next()?, ":id=\"")?;
        let link = links.split("<Relationship ").find(|link| link.contains(&format!("Id=\"{id}\"")))?;
        Some(format!("ppt/{}", between(link, "Target=\"")?.trim_start_matches("/ppt/")))
    });
    list.collect()
}

/// Only the slide that an operation names may change, and slides that pointed to a deleted one.
fn check_untouched(name: &str, op: &Value, before: &[u8], after: &[u8]) {
    // An entry of equal content but other compressed bytes fails in here.
    let changed = difference(before, after).changed;
    let is_slide = |part: &str| part.contains("/slides/") && part.ends_with(".xml");
    let changed: Vec<&str> =
        changed.iter().map(|(part, _)| part.as_str()).filter(|part| is_slide(part)).collect();
    let own = op["slide"].as_u64().and_then(|slide| slide_parts(before).get(slide as usize - 1).cloned());
    let may_change: BTreeSet<String> = match op["op"].as_str().unwrap() {
        "pptx_hide_slide" | "pptx_set_text" => own.into_iter().collect(),
        "pptx_delete_slide" => {
            let own = own.unwrap_or_default();
            let file = own.rsplit('/').next().unwrap_or_default().to_owned();
            let pointing = entries(before).into_iter().filter(|entry| {
                let text = String::from_utf8_lossy(&entry.content);
                entry.name.contains("/slides/_rels/") && text.contains(&format!("{file}\""))
            });
            pointing.map(|entry| entry.name.replace("_rels/", "").replace(".rels", "")).collect()
        }
        _ => BTreeSet::new(),
    };
    for part in changed {
        assert!(may_change.contains(part), "{name}: {op} changed {part}");
    }
}

#[test]
fn random_sequences_keep_every_deck_sound_and_every_other_slide_as_it_was() {
    let (mut done, mut refused) = (0, 0);
    let mut decks = vec![stet_tests::fixture("pptx-slide-ops.pptx")];
    decks.extend(stet_tests::corpus(EXTENSIONS));
    for (number, path) in decks.iter().enumerate() {
        let original = std::fs::read(path).unwrap();
        if outline(&original).is_err() {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (rounds, length) = match (is_full(), original.len()) {
            (true, _) => (6, 8),
            (false, 0..60_000) => (1, 4),
            (false, _) => (1, 1),
        };
        for round in 0..rounds {
            let mut steps = Steps(number as u64 * 1_000 + round + 7);
            let mut deck = original.clone();
            let known = audit(&deck);
            for _ in 0..length {
                let op = operation(&deck, &mut steps);
                match apply_with(&deck, &json!([op]), true) {
                    Ok(applied) => {
                        check_untouched(&name, &op, &deck, &applied.bytes);
                        let faults = audit(&applied.bytes);
                        let new: Vec<&String> = faults.difference(&known).collect();
                        assert!(new.is_empty(), "{name}: {op}: {new:#?}");
                        deck = applied.bytes;
                        done += 1;
                    }
                    Err(error) => {
                        let why = error.kind;
                        assert_eq!(
                            why,
                            documents::error::EditErrorKind::WouldDamage,
                            "{name}: {op}: {error:?}"
                        );
                        println!("{name}: {op}: {}", error.message);
                        refused += 1;
                    }
                }
            }
        }
    }
    println!("{done} operations done, {refused} refused");
    assert!(done > 3);
}

/// A copy that is deleted again leaves the parts and their contents as they were.
#[test]
fn duplicate_then_delete_gives_the_old_parts_on_every_deck() {
    for path in stet_tests::corpus(EXTENSIONS) {
        let deck = std::fs::read(&path).unwrap();
        let Ok(nodes) = outline(&deck).map(|outline| outline.nodes) else { continue };
        let count = nodes.iter().filter(|node| node.kind == "slide").count();
        let step = if is_full() { 1 } else { count.max(1) };
        for slide in (1..=count).step_by(step) {
            let copy = json!([{"op": "pptx_duplicate_slide", "slide": slide}]);
            let copied = apply_with(&deck, &copy, true)
                .unwrap_or_else(|error| panic!("{}: {error:?}", path.display()))
                .bytes;
            let back = apply_with(&copied, &json!([{"op": "pptx_delete_slide", "slide": slide + 1}]), true)
                .unwrap()
                .bytes;
            let (old, new) = (contents(&deck), contents(&back));
            let names = |contents: &[(String, Vec<u8>)]| -> Vec<String> {
                contents.iter().map(|(name, _)| name.clone()).collect()
            };
            assert_eq!(names(&old), names(&new), "{} slide {slide}", path.display());
            for ((name, old), (_, new)) in old.iter().zip(&new) {
                assert!(old == new, "{} slide {slide}: {name}", path.display());
            }
        }
    }
}
