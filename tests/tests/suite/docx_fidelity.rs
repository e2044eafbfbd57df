//! One small edit on every Word file of the corpus: one story part changes, and of it only the edit.

use documents::{Format, Limits, OutlineRequest, error::EditErrorKind};
use serde_json::json;
use stet_tests::{
    decks::difference,
    words::{Made, Options, apply, apply_with, outline, p, text_at},
};

const EXTENSIONS: &[&str] = &["docx", "docm", "dotx", "dotm"];

/// Files that are refused on opening, each for a reason of its own.
const REFUSED: &[&str] = &[
    "ExternalEntityInText.docx",
    "office-standard-password.docx",
    "clusterfuzz-testcase-minimized-POIXWPFFuzzer-6733884933668864.docx",
    "xml-illformed.docx",
    "xml-xxe.docx",
    "zip-bomb-100MiB.docx",
    "zip-truncated-mid.docx",
    "zip-bad-crc.docx",
    "zip-duplicate-entry.docx",
];

fn documents() -> Vec<(String, Vec<u8>)> {
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, std::fs::read(&path).unwrap())
    };
    stet_tests::corpus(EXTENSIONS).into_iter().map(read).collect()
}

/// Every part's name and bytes.
fn contents(document: &[u8]) -> Vec<(String, Vec<u8>)> {
    stet_tests::decks::entries(document).into_iter().map(|entry| (entry.name, entry.content)).collect()
}

#[test]
fn every_document_opens_and_an_edit_changes_one_part() {
    for (name, document) in documents() {
        let nodes = match outline(&document) {
            Ok(outline) => outline.nodes,
            Err(error) => {
                assert!(REFUSED.contains(&name.as_str()), "{name}: {error}");
                println!("{name}: {error}");
                continue;
            }
        };
        let long_enough = |text: &str| text.trim().chars().count() > 2;
        let Some(node) = nodes.iter().find(|node| node.kind == "paragraph" && long_enough(&node.text)) else {
            println!("{name}: no text");
            continue;
        };
        let new = format!("{} Stet", node.text);
        let ops = json!([{"op": "docx_set_paragraph", "at": node.at, "text": new}]);
        let mut asked = false;
        let untracked = Options { override_protection: true, track_changes: Some(false) };
        let applied = match apply_with(&document, &ops, Options { override_protection: false, ..untracked }) {
            Ok(applied) => applied,
            Err(error) if error.kind == EditErrorKind::ReadOnly => {
                println!("{name}: {error}");
                asked = true;
                apply_with(&document, &ops, untracked).unwrap()
            }
            Err(error) if REFUSED.contains(&name.as_str()) => {
                println!("{name}: {error}");
                continue;
            }
            Err(error) => panic!("{name}: {error:?}"),
        };
        if name.starts_with("clusterfuzz") {
            // One of its untouched entries has a wrong checksum, which the comparing reader refuses.
            continue;
        }
        let difference = difference(&document, &applied.bytes);
        assert!(difference.added.is_empty() && difference.removed.is_empty(), "{name}: {difference:?}");
        let is_property = |part: &str| part.starts_with("docProps/");
        let stories = difference.changed.iter().filter(|(part, _)| !is_property(part)).count();
        assert_eq!(stories, 1, "{name}: {difference:?}");
        let properties_follow = difference.changed.len() == 2 && asked;
        assert!(difference.changed.len() == 1 || properties_follow, "{name}: {difference:?}");
        assert!(difference.changed[0].1 <= ops.to_string().len() + 2_000, "{name}: {difference:?}");
        assert_eq!(text_at(&applied.bytes, &node.at), Some(new.clone()), "{name}");
        assert_eq!(outline(&applied.bytes).unwrap().nodes.len(), nodes.len(), "{name}");
        let back = json!([{"op": "docx_set_paragraph", "at": node.at, "text": node.text}]);
        let restored = apply_with(&applied.bytes, &back, untracked).unwrap();
        // Real text ends a placeholder for good; everything else comes back byte by byte.
        let ended_placeholder = name == "simpleSdt.docx";
        assert!(ended_placeholder || contents(&restored.bytes) == contents(&document), "{name}");
    }
}

/// Text set to itself is no change at all, for every paragraph in one batch.
#[test]
fn every_paragraph_set_to_itself_is_unchanged() {
    for (name, document) in documents() {
        let Ok(found) = outline(&document) else { continue };
        let ops: Vec<serde_json::Value> = found
            .nodes
            .iter()
            .filter(|node| node.kind == "paragraph")
            .map(|node| json!({"op": "docx_set_paragraph", "at": node.at, "text": node.text}))
            .collect();
        let applied = apply(&document, &json!(ops)).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(applied.bytes == document, "{name}");
        assert!(applied.changes.is_empty(), "{name}");
    }
}

/// A long document is indexed only as far as a small window reaches; that must not show in the answer.
#[test]
fn a_small_window_says_what_a_look_at_the_whole_document_says() {
    let paragraph = |number: usize| match number % 40 {
        7 => format!(
            "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>",
            p("a cell"),
            p(&number.to_string())
        ),
        9 => format!("<w:sdt><w:sdtContent>{}{}</w:sdtContent></w:sdt>", p("controlled"), p("twice")),
        11 => "<w:p/>".to_owned(),
        _ => p(&format!("Paragraph {number} of many, with words enough to take some room.")),
    };
    let body: String = (1..=4_000).map(paragraph).collect();
    let made = ("made here".to_owned(), Made::new(&body).bytes());
    let mut cut = 0;
    for (name, document) in std::iter::once(made).chain(documents()) {
        for budget in [200, 1_000, 8_000] {
            let look = |range: Option<&str>| {
                let request = OutlineRequest { range: range.map(str::to_owned), budget };
                documents::outline(Format::Docx, &document, &request, &Limits::default(), &|| false)
            };
            let (Ok(window), Ok(whole)) = (look(None), look(Some("p1-"))) else { continue };
            if window.nodes.first().is_none_or(|node| node.at != "p1") {
                continue;
            }
            cut += usize::from(window.truncated);
            let said = |outline: &documents::Outline| serde_json::to_value(outline).unwrap();
            assert_eq!(said(&window), said(&whole), "{name}, {budget}");
        }
    }
    assert!(cut >= 3);
}
