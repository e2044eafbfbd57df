//! Random batches on every document of the corpus and the fixtures: done with nothing else touched, or refused with a reason of the
//! contract.
//!
//! The batches are drawn from each document's own outline, some of them impossible on purpose (`random_ops`). `STET_ROUNDS` sets how
//! many per file, `STET_FULL` does many; the seed of a failing one is in its message.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use documents::{
    Applied, ApplyContext, Edit, EditError, Format, Limits, OutlineRequest, error::EditErrorKind,
    package::audit,
};
use serde_json::{Value, json};
use stet_tests::{corpus, entries, fixture};

use crate::random_ops::{self, Dice};

const OFFICE: [&str; 12] =
    ["docx", "docm", "dotx", "dotm", "xlsx", "xlsm", "xltx", "xltm", "pptx", "pptm", "potx", "ppsx"];
/// Larger files take too long for a test of every change.
const LARGEST: u64 = 400 << 10;

fn documents() -> Vec<PathBuf> {
    let own = std::fs::read_dir(fixture("package")).unwrap().map(|entry| entry.unwrap().path());
    let texts = std::fs::read_dir(fixture("text")).unwrap().map(|entry| entry.unwrap().path());
    let own = own.chain(texts).chain([fixture("pptx-slide-ops.pptx")]);
    let mut all: Vec<PathBuf> = own.chain(corpus(&OFFICE)).chain(corpus(&["md"])).collect();
    // Read from a folder in no order: the same documents get the same operations everywhere.
    all.sort();
    all.retain(|path| std::fs::metadata(path).is_ok_and(|file| file.len() <= LARGEST));
    all
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

/// What became of the operations of one name.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    tried: usize,
    done: usize,
}

#[test]
fn random_batches_touch_only_what_they_say() {
    let is_full = std::env::var_os("STET_FULL").is_some();
    let rounds = std::env::var("STET_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    let rounds = rounds.unwrap_or(if is_full { 24 } else { 1 });
    let mut tally: BTreeMap<String, Tally> = BTreeMap::new();
    for (number, path) in documents().into_iter().enumerate() {
        let bytes = std::fs::read(&path).unwrap();
        let format = Format::of_name(&path.to_string_lossy());
        let request = OutlineRequest::default();
        let Ok(outline) = documents::outline(format, &bytes, &request, &Limits::default(), &|| false) else {
            continue;
        };
        let found = audit(&bytes, &Limits::default()).unwrap_or_default();
        let names = random_ops::names(format);
        for seed in 0..rounds {
            let mut dice = Dice(seed * 1_000_003 + bytes.len() as u64);
            // In turn, so that every word is tried; what comes with it is drawn.
            let first = &names[(number + seed as usize * 7) % names.len()];
            let mut chosen = vec![first.clone()];
            chosen.extend((0..dice.roll(3)).map(|_| names[dice.roll(names.len())].clone()));
            let ops: Vec<Value> =
                chosen.iter().map(|name| random_ops::draw(name, format, &outline.nodes, &mut dice)).collect();
            let told = format!("{} seed {seed}: {}", path.display(), Value::from(ops.clone()));
            let result = apply(format, &bytes, &ops, &mut dice);
            for name in &chosen {
                let entry = tally.entry(name.clone()).or_default();
                entry.tried += 1;
                entry.done += usize::from(result.is_ok());
            }
            match result {
                Ok(applied) => is_sound(format, &bytes, &applied, &found, &told),
                Err(error) => is_a_reason(&error, &told),
            }
        }
    }
    for format in [Format::Text, Format::Docx, Format::Xlsx, Format::Pptx] {
        for name in random_ops::names(format) {
            let told = tally.get(&name).copied().unwrap_or_default();
            println!("{name}: tried {}, done {}", told.tried, told.done);
            assert!(told.tried > 0 || corpus(&OFFICE).is_empty(), "{name} was never tried");
            assert!(told.done > 0 || !is_full, "{name} was never done");
        }
    }
}

/// A batch that fails at its end is refused whole, by that operation or one before it, and the very bytes can be edited after it.
#[test]
fn a_batch_that_fails_at_its_end_fails_whole() {
    for (number, path) in documents().into_iter().enumerate().filter(|(number, _)| number % 4 == 0) {
        let bytes = std::fs::read(&path).unwrap();
        let format = Format::of_name(&path.to_string_lossy());
        let request = OutlineRequest::default();
        let Ok(outline) = documents::outline(format, &bytes, &request, &Limits::default(), &|| false) else {
            continue;
        };
        let mut dice = Dice(number as u64);
        let names = random_ops::names(format);
        let name = &names[dice.roll(names.len())];
        let impossible = match format {
            Format::Text => json!({"op": "delete_text", "find": "⁂ nowhere ⁂"}),
            Format::Docx => json!({"op": "docx_replace_text", "find": "⁂ nowhere ⁂", "replace": ""}),
            Format::Xlsx => json!({"op": "xlsx_replace_text", "find": "⁂ nowhere ⁂", "replace": ""}),
            Format::Pptx => json!({"op": "pptx_replace_text", "find": "⁂ nowhere ⁂", "replace": ""}),
        };
        let ops = [random_ops::draw(name, format, &outline.nodes, &mut dice), impossible];
        let told = format!("{}: {ops:?}", path.display());
        let error = apply(format, &bytes, &ops, &mut dice).expect_err(&told);
        is_a_reason(&error, &told);
        assert!(error.op.is_none_or(|op| op < 2), "{told}: {error:?}");
    }
}

fn is_a_reason(error: &EditError, told: &str) {
    assert_ne!(error.kind, EditErrorKind::Internal, "{told}: {error}");
    assert!(!error.message.is_empty(), "{told}");
}

fn is_sound(format: Format, before: &[u8], applied: &Applied, found: &BTreeSet<String>, told: &str) {
    if !format.is_package() {
        assert!(applied.package.is_none(), "{told}");
        assert!(applied.changes.is_empty() || applied.bytes != before, "{told}: changes, but the very bytes");
        return;
    }
    only_what_is_said(before, applied, told);
    let now = match audit(&applied.bytes, &Limits::default()) {
        Ok(now) => now,
        // A part that was damaged and is not touched stays as it is.
        Err(error) => {
            let same =
                audit(before, &Limits::default()).is_err_and(|known| known.to_string() == error.to_string());
            assert!(same, "{told}: {error}");
            return;
        }
    };
    let new: Vec<&String> = now.difference(found).collect();
    assert!(new.is_empty(), "{told}: {new:?}");
}

/// Two batches in a row, with positions counted by hand, do what one batch does with the positions that were read.
#[test]
fn one_batch_agrees_with_two_in_a_row() {
    let mut agreed = 0;
    for (number, path) in documents().into_iter().enumerate().filter(|(number, _)| number % 2 == 0) {
        let bytes = std::fs::read(&path).unwrap();
        let format = Format::of_name(&path.to_string_lossy());
        let mut dice = Dice(number as u64 + 99);
        let (edge, place, count) = (1 + dice.roll(4), 1 + dice.roll(5), 1 + dice.roll(2));
        let is_insert = dice.roll(2) == 0;
        // Where `place` is once the first operation is done; none when that has taken it away.
        let moved = match is_insert {
            true if place >= edge => Some(place + count),
            false if place >= edge + count => Some(place - count),
            false if place >= edge => None,
            _ => Some(place),
        };
        let (first, second) = match shifting(format, is_insert, edge, count) {
            Some(first) => (first, |place: usize| at_place(format, place)),
            None => continue,
        };
        // A document that has no such place to begin with says nothing about how places move.
        if apply(format, &bytes, &second(place), &mut Dice(0)).is_err() {
            continue;
        }
        let once = apply(format, &bytes, &[first.clone(), second(place)].concat(), &mut Dice(0));
        let told = format!("{}: {first:?} then {place}", path.display());
        let Ok(between) = apply(format, &bytes, &first, &mut Dice(0)) else { continue };
        let twice = moved.map(|moved| apply(format, &between.bytes, &second(moved), &mut Dice(0)));
        match (once, twice) {
            (Ok(once), Some(Ok(twice))) => {
                assert_eq!(shown(format, &once.bytes), shown(format, &twice.bytes), "{told}");
                agreed += 1;
            }
            (Err(error), None) => assert_eq!(error.kind, EditErrorKind::OutOfRange, "{told}: {error}"),
            (Err(_), Some(Err(_))) => {}
            (once, twice) => {
                panic!("{told}: {:?}, {:?}", once.map(|a| a.changes), twice.map(|t| t.map(|a| a.changes)))
            }
        }
    }
    println!("{agreed} agreed");
    assert!(agreed > 3, "{agreed}");
}

/// Operations that shift what lies behind `edge`.
fn shifting(format: Format, is_insert: bool, edge: usize, count: usize) -> Option<Vec<Value>> {
    let ops = match (format, is_insert) {
        (Format::Text, true) => {
            vec![json!({"op": "insert_lines", "line": edge, "text": vec!["new"; count].join("\n")})]
        }
        (Format::Text, false) => {
            vec![json!({"op": "delete_lines", "start_line": edge, "end_line": edge + count - 1})]
        }
        (Format::Xlsx, true) => vec![json!({"op": "xlsx_insert_rows", "row": edge, "count": count})],
        (Format::Xlsx, false) => {
            vec![json!({"op": "xlsx_delete_rows", "start": edge, "end": edge + count - 1})]
        }
        (Format::Pptx, true) => {
            vec![json!({"op": "pptx_insert_slide", "slide": edge, "title": "new"}); count]
        }
        (Format::Pptx, false) => {
            (edge..edge + count).map(|slide| json!({"op": "pptx_delete_slide", "slide": slide})).collect()
        }
        (Format::Docx, true) => {
            vec![json!({"op": "docx_insert_paragraph", "index": edge, "text": "new"}); count]
        }
        (Format::Docx, false) => {
            (edge..edge + count).map(|index| json!({"op": "docx_delete_paragraph", "index": index})).collect()
        }
    };
    // In a row, the positions of the first operations would mean something else one by one.
    (ops.len() == 1).then_some(ops)
}

fn at_place(format: Format, place: usize) -> Vec<Value> {
    vec![match format {
        Format::Text => {
            json!({"op": "replace_lines", "start_line": place, "end_line": place, "text": "here"})
        }
        Format::Xlsx => json!({"op": "xlsx_set_cell", "cell": format!("C{place}"), "value": "here"}),
        Format::Pptx => json!({"op": "pptx_set_notes", "slide": place, "text": "here"}),
        Format::Docx => json!({"op": "docx_set_paragraph", "index": place, "text": "here"}),
    }]
}

/// The document as its outline shows it.
fn shown(format: Format, bytes: &[u8]) -> Vec<(String, String)> {
    let request = OutlineRequest::default();
    let outline = documents::outline(format, bytes, &request, &Limits::default(), &|| false).unwrap();
    outline.nodes.into_iter().map(|node| (node.at, node.text)).collect()
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
