//! What a reviewer would say about the tree, said by a test: heads, doors, layers, lengths, no ignored tests, no traces of a machine.

use std::path::Path;

use stet_tests::repository;

/// Lines of a file that ring the alarm; a file of tests may be longer.
const ALARM: usize = 600;
const ALARM_FOR_TESTS: usize = 800;

/// A dependency, and the only places that may name it (by the beginnings of their paths).
const DOORS: [(&str, &[&str]); 9] = [
    ("tauri::", &["src-tauri/src/", "src-tauri/build.rs", "src-tauri/examples/"]),
    ("reqwest::", &["src-tauri/crates/gateway/"]),
    ("rmcp::", &["src-tauri/crates/cli/src/mcp"]),
    // The store of what must not be lost, and the counters, which may.
    (
        "rusqlite::",
        &[
            "src-tauri/crates/assistant/src/workspace",
            "src-tauri/crates/assistant/src/agent/metrics",
            "src-tauri/crates/assistant/tests/",
        ],
    ),
    ("notify::", &["src-tauri/crates/assistant/src/workspace"]),
    ("keyring::", &["src-tauri/crates/assistant/src/secrets"]),
    (
        "encoding_rs::",
        &[
            "src-tauri/crates/documents/src/package/xml",
            "src-tauri/crates/documents/src/formats/text",
            // CODE and CHAR speak of the system's code page.
            "src-tauri/crates/documents/src/formats/xlsx/calc/functions/text",
        ],
    ),
    ("chardetng::", &["src-tauri/crates/documents/src/formats/text"]),
    ("imara_diff::", &["src-tauri/crates/documents/src/diff"]),
];

/// A layer (by the beginning of its paths), and what it must not name.
const LAYERS: [(&str, &[&str]); 9] = [
    ("src-tauri/crates/documents/src/package", &["crate::formats", "crate::preview", "crate::apply"]),
    ("src-tauri/crates/documents/src/diff", &["crate::formats", "crate::package"]),
    (
        "src-tauri/crates/documents/src/formats/text",
        &["formats::docx", "formats::pptx", "formats::xlsx", "crate::package"],
    ),
    ("src-tauri/crates/documents/src/formats/docx", &["formats::xlsx", "formats::pptx"]),
    ("src-tauri/crates/documents/src/formats/xlsx", &["formats::docx", "formats::pptx"]),
    ("src-tauri/crates/documents/src/formats/pptx", &["formats::docx", "formats::xlsx"]),
    // Bytes in, bytes out.
    (
        "src-tauri/crates/documents/src/",
        &[
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "SystemTime",
            "Instant::now",
            "tokio",
            "std::io::stdin",
        ],
    ),
    ("src-tauri/crates/gateway/src/", &["documents::", "assistant::"]),
    ("src-tauri/crates/assistant/src/", &["stet_cli", "tauri::"]),
];

/// Every Rust source file as its path in the repository and its text.
fn sources() -> Vec<(String, String)> {
    let root = repository();
    let mut found = Vec::new();
    let mut folders = vec![root.join("src-tauri"), root.join("tests")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir()
                && !["target", "fixtures", "gen", "node_modules"].iter().any(|skip| name == *skip)
            {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push((relative(&root, &path), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    assert!(found.len() > 50, "the sources were not found");
    found
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// The code of a file: comments and this file's own word lists do not count.
fn code(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// Fails with every complaint at once.
fn report(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn every_file_opens_with_what_it_is() {
    let bare = sources().into_iter().filter(|(_, text)| !text.starts_with("//!"));
    report(bare.map(|(path, _)| format!("{path} has no `//!` head")).collect());
}

#[test]
fn files_have_a_readable_length() {
    let long = sources().into_iter().filter_map(|(path, text)| {
        let lines = text.lines().count();
        let alarm = if path.contains("tests/") { ALARM_FOR_TESTS } else { ALARM };
        (lines > alarm).then(|| format!("{path} has {lines} lines"))
    });
    report(long.collect());
}

#[test]
fn modules_have_files_of_their_own_name() {
    let old = sources().into_iter().filter(|(path, _)| path.ends_with("/mod.rs"));
    report(old.map(|(path, _)| format!("{path}: write foo.rs beside foo/")).collect());
}

#[test]
fn no_test_is_ignored() {
    let needle = concat!("#[ig", "nore");
    let ignored = sources().into_iter().filter(|(_, text)| text.contains(needle));
    report(ignored.map(|(path, _)| format!("{path} has an ignored test")).collect());
}

#[test]
fn dependencies_come_in_by_one_door() {
    let mut complaints = Vec::new();
    for (path, text) in sources().iter().filter(|(path, _)| !path.starts_with("tests/")) {
        let code = code(text);
        for (name, doors) in DOORS {
            let is_named = code.match_indices(name).any(|(at, _)| {
                let before = code[..at].chars().next_back();
                !before.is_some_and(|character| character.is_alphanumeric() || character == '_')
            });
            if is_named && !doors.iter().any(|door| path.starts_with(door)) {
                complaints.push(format!("{path} names {name}, which belongs in {doors:?}"));
            }
        }
    }
    report(complaints);
}

#[test]
fn layers_know_only_what_lies_below() {
    let mut complaints = Vec::new();
    for (path, text) in sources() {
        let code = code(&text);
        for (layer, forbidden) in LAYERS.iter().filter(|(layer, _)| path.starts_with(layer)) {
            let is_test = path.contains("/tests") || path.ends_with("tests.rs");
            let named = forbidden.iter().filter(|name| code.contains(**name) && !is_test);
            complaints.extend(named.map(|name| format!("{path}, in {layer}, names {name}")));
        }
    }
    report(complaints);
}

#[test]
fn nothing_names_a_machine() {
    let traces = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("artifac", "tory")];
    let mut complaints = Vec::new();
    for (path, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            complaints.extend(
                traces
                    .iter()
                    .filter(|trace| line.contains(**trace))
                    .map(|trace| format!("{path}:{} names {trace}", number + 1)),
            );
        }
    }
    report(complaints);
}

#[test]
fn public_modules_come_before_what_they_are_made_of() {
    // In a file's list of modules `mod` and `pub mod` stand in alphabetical order within each run, so that a name is found by eye.
    let mut complaints = Vec::new();
    for (path, text) in sources() {
        let mut run: Vec<&str> = Vec::new();
        for line in text.lines().chain([""]) {
            let module = line
                .strip_prefix("pub mod ")
                .or_else(|| line.strip_prefix("mod "))
                .and_then(|rest| rest.strip_suffix(';'));
            match module {
                Some(name) => run.push(name),
                None if line.starts_with("#[path") || line.starts_with("pub(crate) mod ") => {}
                None => {
                    if !run.is_sorted() {
                        complaints.push(format!("{path}: modules are not in order: {}", run.join(", ")));
                    }
                    run.clear();
                }
            }
        }
    }
    report(complaints);
}

/// Packages of others, in both lock files. More are let in by raising the ceiling in the change that brings them, with its reason.
#[test]
fn no_more_packages_than_there_are_reasons_for() {
    let lock = |path: &str| std::fs::read_to_string(repository().join(path)).unwrap();
    let crates = lock("Cargo.lock").matches("[[package]]").count();
    let modules = lock("ui/package-lock.json").matches("\"node_modules/").count();
    println!("{crates} crates, {modules} modules");
    assert!(crates <= 780 && modules <= 190, "{crates} crates (780), {modules} modules (190)");
}
