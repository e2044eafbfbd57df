//! Readers of other makers on what we wrote: python-docx finds exactly the asked difference in text, LibreOffice opens everything and
//! lays out as many pages as before.
//!
//! python-docx is asked every day, LibreOffice with `STET_FULL=1`. A reader that is not there is named, with the reason.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use documents::{ApplyContext, Limits};
use serde_json::{Value, json};
use stet_tests::{
    readers,
    words::{NOW, Options, apply_with, outline},
};

/// How a document came to be.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Edit {
    /// Some paragraphs got other words of the same length.
    SameLength,
    Tracked,
    Comment,
    Markdown,
    Rows,
    New,
}

struct Edited {
    name: String,
    edit: Edit,
    original: Vec<u8>,
    bytes: Vec<u8>,
    /// Old and new text of the paragraphs that were set.
    set: Vec<(String, String)>,
}

fn is_full() -> bool {
    std::env::var_os("STET_FULL").is_some()
}

const MARKDOWN: &str = "# A heading\n\nText with **bold**, *italic*, ~~gone~~, `code`, <a@b.example> and [a link](https://example.org/?a=1&b=2 \"Title\").\\\nSecond line.\n\n- one\n  1. first\n     - deep\n  2. second\n- [x] done\n\n> quoted\n\n| A | B | C |\n|:--|:-:|--:|\n| 1 | **2** | 3<br>4 |\n\n```rust\nfn main() {}\n\n// end\n```\n\n---\n\nLast.\n";

fn corpus() -> Vec<(String, Vec<u8>)> {
    let mut paths = vec![
        stet_tests::repository().join("samples/Agreement.docx"),
        stet_tests::fixture("docx-spanning-everything.docx"),
        stet_tests::fixture("xml-syntax-zoo.docx"),
    ];
    paths.extend(stet_tests::corpus(&["docx", "docm", "dotx", "dotm"]));
    if !is_full() {
        // Large documents take the everyday run too long.
        paths.retain(|path| path.metadata().is_ok_and(|file| file.len() < 25_000));
    }
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

/// The same text with one letter exchanged for another one as wide, so that no line breaks elsewhere.
fn same_length(text: &str) -> Option<String> {
    let swap = |letter: char| match letter {
        'n' => Some('u'),
        'u' => Some('n'),
        'b' => Some('d'),
        'd' => Some('b'),
        'p' => Some('q'),
        '0'..='8' => char::from_digit(letter.to_digit(10)? + 1, 10),
        _ => None,
    };
    let (at, letter) = text.char_indices().find(|(_, letter)| swap(*letter).is_some())?;
    Some(format!("{}{}{}", &text[..at], swap(letter)?, &text[at + letter.len_utf8()..]))
}

fn ops(document: &[u8], ops: &Value, tracked: bool) -> Option<Vec<u8>> {
    let options = Options { override_protection: true, track_changes: Some(tracked) };
    apply_with(document, ops, options).ok().map(|applied| applied.bytes)
}

/// The first, a middle and the last paragraph of the body that can be set, each with other words.
fn sets(document: &[u8]) -> Vec<(String, String, String)> {
    let Ok(outline) = outline(document) else { return Vec::new() };
    let paragraphs: Vec<_> = outline
        .nodes
        .into_iter()
        .filter(|node| node.kind == "paragraph" && node.more.contains_key("index"))
        .collect();
    let settable = |positions: Vec<usize>| {
        positions.into_iter().find_map(|position| {
            let node = &paragraphs[position];
            let new = same_length(&node.text)?;
            let op = json!([{"op": "docx_set_paragraph", "at": node.at, "text": new}]);
            ops(document, &op, false).map(|_| (node.at.clone(), node.text.clone(), new))
        })
    };
    let count = paragraphs.len();
    let searched = [(0..count).collect(), (count / 2..count).collect(), (0..count).rev().collect()];
    let mut found: Vec<(String, String, String)> = searched.into_iter().filter_map(settable).collect();
    found.sort();
    found.dedup();
    found
}

/// Every document of the corpus, edited in every way that it takes.
fn edited() -> Vec<Edited> {
    let mut all = Vec::new();
    for (name, original) in corpus() {
        let sets = sets(&original);
        let Some((at, text, _)) = sets.first().cloned() else { continue };
        let texts: Vec<(String, String)> =
            sets.iter().map(|(_, old, new)| (old.clone(), new.clone())).collect();
        let set: Vec<Value> = sets
            .iter()
            .map(|(at, _, new)| json!({"op": "docx_set_paragraph", "at": at, "text": new}))
            .collect();
        let word = text.split_whitespace().next().unwrap_or_default().to_owned();
        let ways = [
            (Edit::SameLength, json!(set), false),
            (Edit::Tracked, json!(set), true),
            (
                Edit::Comment,
                json!([{"op": "docx_add_comment", "at": at, "text": "Who?\n\nAsk."}, {"op": "docx_add_comment", "at": at, "find": word, "text": "This?"}]),
                false,
            ),
            (
                Edit::Markdown,
                json!([{"op": "docx_insert_markdown", "at": at, "position": "after", "text": MARKDOWN}]),
                false,
            ),
            (Edit::Rows, json!([{"op": "docx_insert_table_row", "table": 1, "row": 1}]), false),
        ];
        for (edit, edits, tracked) in ways {
            if let Some(bytes) = ops(&original, &edits, tracked) {
                let set = if edit == Edit::SameLength { texts.clone() } else { Vec::new() };
                all.push(Edited { name: name.clone(), edit, original: original.clone(), bytes, set });
            }
        }
    }
    let context = ApplyContext {
        author: "Stet Tester",
        now: NOW,
        override_protection: false,
        track_changes: None,
        limits: Limits::default(),
        cancel: &|| false,
    };
    for text in [MARKDOWN, "", "one", "| a |\n|---|\n| b |"] {
        let bytes = documents::formats::docx::create(text, &context).unwrap();
        all.push(Edited {
            name: "new.docx".into(),
            edit: Edit::New,
            original: bytes.clone(),
            bytes,
            set: Vec::new(),
        });
    }
    all
}

/// What python-docx reads from each file: its texts, or its complaint.
fn python_texts(python: &Path, files: &[PathBuf]) -> Vec<Result<Vec<String>, String>> {
    let script = stet_tests::repository().join("tests/readers/docx_texts.py");
    let mut child =
        Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let list: String = files.iter().map(|file| format!("{}\n", file.display())).collect();
    let writer = std::thread::spawn(move || input.write_all(list.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let texts = |line: &str| {
        let answer: Value = serde_json::from_str(line).unwrap();
        match answer["texts"].as_array() {
            Some(texts) => Ok(texts.iter().map(|text| text.as_str().unwrap().to_owned()).collect()),
            None => Err(answer["error"].to_string()),
        }
    };
    answers.lines().map(texts).collect()
}

#[test]
fn python_docx_finds_exactly_the_asked_difference() {
    let python = match readers::python() {
        Ok(python) => python,
        Err(why) => return println!("python-docx is not here, nothing was compared: {why}"),
    };
    let folder = tempfile::tempdir().unwrap();
    let all = edited();
    let mut files = Vec::new();
    for (number, Edited { original, bytes, .. }) in all.iter().enumerate() {
        for (side, bytes) in [("old", original), ("new", bytes)] {
            files.push(folder.path().join(format!("{number}-{side}.docx")));
            std::fs::write(files.last().unwrap(), bytes).unwrap();
        }
    }
    let read = python_texts(&python, &files);
    assert_eq!(read.len(), files.len());
    let (mut compared, mut unseen, mut unread) = (0, 0, 0);
    for (Edited { name, edit, set, .. }, sides) in all.iter().zip(read.chunks(2)) {
        let (old, new) = match (&sides[0], &sides[1]) {
            (Ok(old), Ok(new)) => (old, new),
            (Err(why), Err(_)) => {
                println!("{name}: python-docx does not read the original: {why}");
                unread += 1;
                continue;
            }
            (old, new) => panic!("{name} {edit:?}: {:?} became {:?}", old.is_ok(), new),
        };
        match edit {
            Edit::SameLength => {
                assert_eq!(old.len(), new.len(), "{name}: paragraphs came or went");
                let differing: Vec<(&String, &String)> =
                    old.iter().zip(new).filter(|(old, new)| old != new).collect();
                // What python-docx does not look into (content controls, insertions) it cannot find changed.
                let hidden = set.len().saturating_sub(differing.len());
                unseen += hidden;
                assert!(differing.len() <= set.len(), "{name}: {differing:?}");
                for (old, new) in differing {
                    let asked = set.iter().find(|(before, _)| is_shown_as(before, old));
                    if let Some((_, after)) = asked {
                        assert!(is_shown_as(after, new), "{name}: {new:?} instead of {after:?}");
                    } else {
                        // It shows a part of the paragraph only; then exactly one letter of that part is another one.
                        let letters = old.chars().zip(new.chars()).filter(|(old, new)| old != new).count();
                        assert!(
                            letters == 1 && old.chars().count() == new.chars().count(),
                            "{name}: {old:?} {new:?}"
                        );
                    }
                    compared += 1;
                }
            }
            Edit::Comment => assert_eq!(old, new, "{name}: a comment changes no text"),
            Edit::Tracked => assert_eq!(old.len(), new.len(), "{name}: paragraphs came or went"),
            // Inside a content control it sees nothing.
            Edit::Markdown if old == new => unseen += 1,
            Edit::Markdown => {
                let added: Vec<&String> = new.iter().filter(|text| !old.contains(text)).collect();
                assert!(is_subsequence(old, new), "{name}: old paragraphs are not what they were");
                for wanted in ["A heading", "first", "deep", "☒ done", "quoted", "fn main() {}\n\n// end"] {
                    assert!(new.iter().any(|text| text == wanted), "{name}: {wanted:?} is not in {added:?}");
                }
            }
            Edit::Rows => assert!(is_subsequence(old, new), "{name}: old paragraphs are not what they were"),
            Edit::New => {}
        }
    }
    println!(
        "python-docx: {} files, {compared} differences as asked, {unseen} where it does not look, {unread} it does not read",
        files.len()
    );
    assert!(compared > 0 && unseen * 3 <= compared.max(3));
}

/// Our view of a text and python-docx's: it has other characters for hyphens, and none for symbols.
fn is_shown_as(ours: &str, theirs: &str) -> bool {
    let plain = |text: &str| text.replace('\u{2011}', "-").replace('\u{AD}', "").replace("\r\n", "\n");
    plain(ours) == plain(theirs)
}

fn is_subsequence(few: &[String], many: &[String]) -> bool {
    let mut rest = many.iter();
    few.iter().all(|text| rest.any(|other| other == text))
}

/// How many pages LibreOffice makes of a file, or why it makes none.
fn pages(file: &Path, profile: &Path) -> Result<usize, String> {
    let folder = file.parent().unwrap_or(file);
    let made = file.with_extension("pdf");
    let _ = std::fs::remove_file(&made);
    let mut command = Command::new("timeout");
    command.args(["180", "soffice", "--headless", "--norestore"]);
    command.arg(format!("-env:UserInstallation=file://{}", profile.display()));
    command.args(["--convert-to", "pdf", "--outdir"]).arg(folder).arg(file);
    readers::output(&mut command)?;
    let pdf = std::fs::read(&made).map_err(|_| "it did not open".to_owned())?;
    let starts = |word: &str| pdf.windows(word.len()).filter(|window| *window == word.as_bytes()).count();
    Ok(starts("/Type/Page/") + starts("/Type /Page "))
}

#[test]
fn libreoffice_opens_everything_and_counts_the_same_pages() {
    if !is_full() {
        return println!("LibreOffice is asked with STET_FULL=1");
    }
    if let Err(why) = readers::output(Command::new("soffice").arg("--version")) {
        return println!("LibreOffice is not here, nothing was opened: {why}");
    }
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("profile");
    let (mut compared, mut opened, mut not_before) = (0, 0, 0);
    let mut faults = Vec::new();
    let mut last: Option<(String, Result<usize, String>)> = None;
    for Edited { name, edit, original, bytes, .. } in edited() {
        let extension = name.rsplit('.').next().unwrap_or("docx");
        let old = folder.path().join(format!("old.{extension}"));
        let new = folder.path().join(format!("new.{extension}"));
        std::fs::write(&old, &original).unwrap();
        std::fs::write(&new, &bytes).unwrap();
        if last.as_ref().is_none_or(|(known, _)| *known != name || edit == Edit::New) {
            last = Some((name.clone(), pages(&old, &profile)));
        }
        let Some((_, before)) = &last else { continue };
        if let Err(why) = before {
            println!("{name}: LibreOffice does not open the original: {why}");
            not_before += 1;
            continue;
        }
        let after = pages(&new, &profile);
        println!("{name} {edit:?}: pages before {before:?}, now {after:?}");
        opened += usize::from(after.is_ok());
        compared += usize::from(edit == Edit::SameLength);
        if after.is_err() || edit == Edit::SameLength && after != *before {
            faults.push(format!("{name} {edit:?}: {before:?}, then {after:?}"));
        }
    }
    println!(
        "LibreOffice: {opened} opened, {compared} with page counts compared, {not_before} whose original it does not open"
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(opened > 3 && compared > 1);
}
