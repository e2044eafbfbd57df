//! One small edit on every workbook of the corpus: what else changed? The answer must be nothing.
//!
//! Without the shared corpus it runs on a workbook made here.

use std::path::Path;

use documents::{ApplyContext, Edit, Format, Limits, OutlineRequest, error::EditErrorKind};

pub(crate) const WORKBOOKS: &[&str] = &["xlsx", "xlsm", "xltx", "xltm"];

pub(crate) fn context() -> ApplyContext<'static> {
    ApplyContext {
        author: "Test",
        now: "2026-11-30T14:00:00Z",
        override_protection: false,
        track_changes: None,
        limits: Limits::default(),
        cancel: &|| false,
    }
}

pub(crate) fn outline(bytes: &[u8]) -> Result<documents::Outline, documents::DocumentError> {
    documents::outline(Format::Xlsx, bytes, &OutlineRequest::default(), &Limits::default(), &|| false)
}

/// Every entry as it lies in the archive: name, method, crc, compressed bytes.
pub(crate) fn entries(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).expect("an archive");
    (0..archive.len())
        .map(|index| {
            let mut entry = archive.by_index_raw(index).expect("an entry");
            let mut raw = Vec::new();
            std::io::copy(&mut entry, &mut raw).expect("readable");
            (entry.name().expect("a name").into_owned(), raw)
        })
        .collect()
}

/// The entries of `after` that differ from `before`, which must hold the same names in the same order.
fn changed(before: &[u8], after: &[u8]) -> Vec<String> {
    let (before, after) = (entries(before), entries(after));
    let names =
        |entries: &[(String, Vec<u8>)]| entries.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let kept: Vec<(String, Vec<u8>)> = before
        .into_iter()
        .filter(|(name, _)| !name.contains("calcChain") || names(&after).contains(name))
        .collect();
    assert_eq!(names(&kept), names(&after));
    kept.iter().zip(&after).filter(|(old, new)| old != new).map(|(old, _)| old.0.clone()).collect()
}

/// Sets the first text cell that the outline shows; what happened.
fn check(name: &str, bytes: &[u8]) -> Result<String, String> {
    let outline = match outline(bytes) {
        Ok(outline) => outline,
        Err(error) => return Ok(format!("refused: {error}")),
    };
    let editable = outline.nodes.iter().find(|node| {
        node.kind == "cell" && !node.more.contains_key("formula") && !node.text.trim().is_empty()
    });
    let Some(node) = editable else { return Ok("nothing to edit".into()) };
    let value = "Stet 1 & _x0041_";
    let edit = Edit::XlsxSetCell {
        sheet: node.more["sheet"].as_str().map(str::to_owned),
        cell: node.more["cell"].as_str().unwrap_or_default().to_owned(),
        value: documents::edit::CellValue::Text(value.into()),
    };
    let applied = match documents::apply(Format::Xlsx, bytes, &[edit], &context()) {
        Ok(applied) => applied,
        Err(error) if matches!(error.kind, EditErrorKind::ReadOnly | EditErrorKind::WouldDamage) => {
            return Ok(format!("declined: {error}"));
        }
        Err(error) => return Err(format!("{name}: {error}")),
    };
    let parts = changed(bytes, &applied.bytes);
    let side = ["workbook.xml", "calcChain.xml", "[Content_Types].xml", "workbook.xml.rels"];
    let sheets: Vec<&String> = parts.iter().filter(|part| !side.iter().any(|s| part.ends_with(s))).collect();
    if sheets.is_empty() || !sheets.iter().all(|part| part.replace('\\', "/").contains("worksheets/")) {
        return Err(format!("{name}: changed {parts:?}"));
    }
    let again = self::outline(&applied.bytes).map_err(|error| format!("{name}: reopened: {error}"))?;
    let read = again.nodes.iter().find(|other| other.at == node.at && other.kind == "cell");
    match read.map(|read| read.text.as_str()) {
        Some(text) if text == value => Ok("ok".into()),
        other => Err(format!("{name}: {} reads back as {other:?}", node.at)),
    }
}

#[test]
fn one_edit_changes_one_sheet_and_nothing_else() {
    let files = stet_tests::corpus(WORKBOOKS);
    println!("workbooks of the shared corpus: {}", files.len());
    let mut failed = Vec::new();
    let mut tally = std::collections::BTreeMap::new();
    for path in &files {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let bytes = std::fs::read(path).expect("readable");
        match check(name, &bytes) {
            Ok(outcome) => {
                if outcome != "ok" {
                    println!("{name}: {outcome}");
                }
                let word = outcome.split(':').next().unwrap_or_default().to_owned();
                *tally.entry(word).or_insert(0) += 1;
            }
            Err(why) => failed.push(why),
        }
    }
    println!("{tally:?}");
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(tally.get("declined").copied().unwrap_or(0) * 10 <= files.len(), "too many declined");
}

#[test]
fn no_edit_gives_the_same_bytes() {
    for path in stet_tests::corpus(WORKBOOKS) {
        let bytes = std::fs::read(Path::new(&path)).expect("readable");
        if let Ok(applied) = documents::apply(Format::Xlsx, &bytes, &[], &context()) {
            assert!(applied.bytes == bytes, "{}", path.display());
        }
    }
}
