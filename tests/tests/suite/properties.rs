//! Random batches on every document of the corpus and the fixtures: done with nothing else touched, or refused with a reason of the
//! contract.
//!
//! The batches are drawn from each document's own outline, some of them impossible on purpose. `STET_ROUNDS` sets how many per file;
//! the seed of a failing one is in its message.

use std::path::{Path, PathBuf};

use documents::{
    Applied, ApplyContext, Edit, EditError, Format, Limits, Node, OutlineRequest, error::EditErrorKind,
    package::audit,
};
use serde_json::{Value, json};
use stet_tests::{corpus, entries, fixture};

const OFFICE: [&str; 12] =
    ["docx", "docm", "dotx", "dotm", "xlsx", "xlsm", "xltx", "xltm", "pptx", "pptm", "potx", "ppsx"];
/// Larger files take too long for a test of every change.
const LARGEST: u64 = 400 << 10;

fn documents() -> Vec<PathBuf> {
    let own = std::fs::read_dir(fixture("package")).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> = own.chain([fixture("pptx-slide-ops.pptx")]).chain(corpus(&OFFICE)).collect();
    all.retain(|path| std::fs::metadata(path).is_ok_and(|file| file.len() <= LARGEST));
    all
}

/// A small generator of our own (splitmix64), so that a seed means the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % sides.max(1) as u64) as usize
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        from.get(self.roll(from.len()))
    }

    fn text(&mut self) -> &'static str {
        const TEXTS: [&str; 9] = [
            "Stet",
            "",
            " two words ",
            "a & <b> \"c\" 'd'",
            "é中😀",
            "line\nbreak",
            "tab\there",
            "_x0041_",
            "=1+1",
        ];
        TEXTS[self.roll(TEXTS.len())]
    }
}

fn apply(format: Format, bytes: &[u8], ops: &[Value], dice: &mut Dice) -> Result<Applied, EditError> {
    let edits: Vec<Edit> =
        serde_json::from_value(ops.into()).unwrap_or_else(|error| panic!("{ops:?}: {error}"));
    let ctx = ApplyContext {
        author: "Stet",
        now: "2026-11-30T14:00:00Z",
        override_protection: dice.roll(3) > 0,
        track_changes: [None, Some(true), Some(false)][dice.roll(3)],
        limits: Limits::default(),
        cancel: &|| false,
    };
    documents::apply(format, bytes, &edits, &ctx)
}

fn docx_op(nodes: &[Node], dice: &mut Dice) -> Value {
    let places: Vec<&str> =
        nodes.iter().filter(|node| node.kind == "paragraph").map(|node| node.at.as_str()).collect();
    let at = dice.pick(&places).copied().unwrap_or("p1");
    let shown = nodes.iter().find(|node| node.at == at).map_or("", |node| node.text.as_str());
    let text = dice.text();
    match dice.roll(11) {
        0 | 1 => json!({"op": "docx_set_paragraph", "at": at, "text": format!("{shown} {text}")}),
        2 => json!({"op": "docx_set_paragraph", "at": at, "text": text}),
        3 => json!({"op": "docx_insert_paragraph", "at": at, "text": text, "position": "after"}),
        4 => json!({"op": "docx_append_paragraph", "text": text}),
        5 => json!({"op": "docx_delete_paragraph", "at": at}),
        6 => {
            json!({"op": "docx_replace_text", "find": piece(shown, dice), "replace": text, "occurrence": "all", "scope": "all"})
        }
        7 => {
            json!({"op": "docx_insert_markdown", "at": at, "text": "# Head\n\n- one\n- **two**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"})
        }
        8 => {
            json!({"op": "docx_set_table_cell", "table": 1, "row": 1 + dice.roll(3), "col": 1 + dice.roll(3), "text": text})
        }
        9 => json!({"op": "docx_insert_table_row", "table": 1, "row": 1 + dice.roll(3), "cells": [text]}),
        _ => json!({"op": "docx_add_comment", "at": at, "text": text}),
    }
}

fn piece(text: &str, dice: &mut Dice) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    dice.pick(&words).map_or("no such text".into(), |word| (*word).to_owned())
}

fn xlsx_op(nodes: &[Node], dice: &mut Dice) -> Value {
    let cells: Vec<&Node> = nodes.iter().filter(|node| node.kind == "cell").collect();
    let cell = dice.pick(&cells);
    let sheet = cell.and_then(|node| node.more.get("sheet")).cloned().unwrap_or("Sheet1".into());
    let address = cell.and_then(|node| node.more.get("cell")).cloned().unwrap_or("B2".into());
    let text = dice.text();
    let value = [json!(text), json!(12.5), json!(true), json!(null), json!({"formula": "=SUM(A1:A3)"})]
        [dice.roll(5)]
    .clone();
    let (row, count) = (1 + dice.roll(9), 1 + dice.roll(3));
    match dice.roll(11) {
        0 | 1 => json!({"op": "xlsx_set_cell", "sheet": sheet, "cell": address, "value": value}),
        2 => {
            json!({"op": "xlsx_set_cell", "sheet": sheet, "cell": format!("{}{row}", ["A", "C", "AA", "XFD"][dice.roll(4)]), "value": value})
        }
        3 => json!({"op": "xlsx_append_rows", "sheet": sheet, "rows": [[value, text], [1, 2]]}),
        4 => json!({"op": "xlsx_insert_rows", "sheet": sheet, "row": row, "count": count}),
        5 => json!({"op": "xlsx_insert_cols", "sheet": sheet, "col": 1 + dice.roll(5), "count": count}),
        6 => json!({"op": "xlsx_delete_rows", "sheet": sheet, "start": row, "end": row + count}),
        7 => json!({"op": "xlsx_delete_cols", "sheet": sheet, "start": 1 + dice.roll(5)}),
        8 => {
            let shown = cell.map_or("", |node| node.text.as_str());
            json!({"op": "xlsx_replace_text", "sheet": sheet, "find": piece(shown, dice), "replace": text, "occurrence": "all"})
        }
        9 => {
            json!({"op": "xlsx_set_format", "sheet": sheet, "range": format!("A{row}:B{}", row + count), "bold": true})
        }
        _ => json!({"op": "xlsx_merge_cells", "sheet": sheet, "range": format!("A{row}:B{}", row + count)}),
    }
}

fn pptx_op(nodes: &[Node], dice: &mut Dice) -> Value {
    let shapes: Vec<&Node> =
        nodes.iter().filter(|node| node.kind == "shape" && !node.text.is_empty()).collect();
    let shape = dice.pick(&shapes);
    let slide = shape.and_then(|node| node.more.get("slide")).cloned().unwrap_or(json!(1));
    let id = shape.and_then(|node| node.more.get("shape")).cloned().unwrap_or(json!("title"));
    let shown = shape.map_or("", |node| node.text.as_str());
    let (text, place) = (dice.text(), 1 + dice.roll(5));
    match dice.roll(9) {
        0 | 1 => {
            json!({"op": "pptx_replace_on_slide", "slide": slide, "find": piece(shown, dice), "replace": text, "occurrence": 1})
        }
        2 => {
            json!({"op": "pptx_replace_text", "find": piece(shown, dice), "replace": text, "occurrence": "all", "include_notes": true})
        }
        3 => json!({"op": "pptx_set_text", "slide": slide, "shape": id, "text": text}),
        4 => json!({"op": "pptx_set_notes", "slide": place, "text": text}),
        5 => json!({"op": "pptx_duplicate_slide", "slide": place}),
        6 => json!({"op": "pptx_move_slide", "slide": place, "to": 1 + dice.roll(5)}),
        7 => json!({"op": "pptx_delete_slide", "slide": place}),
        _ => json!({"op": "pptx_append_slide", "title": text, "body": ["one", "two"]}),
    }
}

#[test]
fn random_batches_touch_only_what_they_say() {
    let rounds = std::env::var("STET_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1);
    let (mut done, mut refused) = (0, 0);
    for path in documents() {
        let bytes = std::fs::read(&path).unwrap();
        let format = Format::of_name(&path.to_string_lossy());
        let request = OutlineRequest::default();
        let Ok(outline) = documents::outline(format, &bytes, &request, &Limits::default(), &|| false) else {
            continue;
        };
        let found = audit(&bytes, &Limits::default()).unwrap_or_default();
        for seed in 0..rounds {
            let mut dice = Dice(seed * 1_000_003 + bytes.len() as u64);
            let count = 1 + dice.roll(3);
            let ops: Vec<Value> = (0..count).map(|_| one_op(format, &outline.nodes, &mut dice)).collect();
            let told = format!("{} seed {seed}: {}", path.display(), Value::from(ops.clone()));
            match apply(format, &bytes, &ops, &mut dice) {
                Ok(applied) => {
                    done += 1;
                    only_what_is_said(&bytes, &applied, &told);
                    let now = audit(&applied.bytes, &Limits::default())
                        .unwrap_or_else(|error| panic!("{told}: {error}"));
                    let new: Vec<&String> = now.difference(&found).collect();
                    assert!(new.is_empty(), "{told}: {new:?}");
                }
                Err(error) => {
                    refused += 1;
                    assert_ne!(error.kind, EditErrorKind::Internal, "{told}: {error}");
                }
            }
        }
    }
    println!("{done} batches done, {refused} refused");
}

fn one_op(format: Format, nodes: &[Node], dice: &mut Dice) -> Value {
    match format {
        Format::Docx => docx_op(nodes, dice),
        Format::Xlsx => xlsx_op(nodes, dice),
        Format::Pptx => pptx_op(nodes, dice),
        Format::Text => json!({"op": "append_lines", "text": dice.text()}),
    }
}

fn only_what_is_said(before: &[u8], applied: &Applied, told: &str) {
    let difference = entries::compare(before, &applied.bytes).unwrap_or_else(|| panic!("{told}: not sound"));
    let report = applied.package.clone().unwrap_or_default();
    assert!(difference.same_content.is_empty(), "{told}: {difference:?}");
    assert!(difference.order_kept, "{told}: the order changed");
    let mut changed: Vec<String> = difference.changed.into_iter().map(|(name, ..)| plain(&name)).collect();
    let mut said: Vec<String> = report.changed.iter().map(|name| plain(name)).collect();
    changed.sort();
    said.sort();
    assert_eq!(changed, said, "{told}");
    assert_eq!(
        (difference.added.len(), difference.removed.len()),
        (report.added.len(), report.removed.len()),
        "{told}"
    );
}

fn plain(name: &str) -> String {
    name.replace('\\', "/").trim_start_matches('/').to_owned()
}

/// Nothing asked, nothing changed: for every file, the very bytes.
#[test]
fn a_batch_of_nothing_gives_the_very_bytes() {
    for path in documents() {
        let bytes = std::fs::read(&path).unwrap();
        let format = Format::of_name(&path.to_string_lossy());
        if let Ok(applied) = apply(format, &bytes, &[], &mut Dice(1)) {
            assert!(applied.bytes == bytes && applied.changes.is_empty(), "{}", name(&path));
        }
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
