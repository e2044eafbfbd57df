//! Readers of other makers on edited decks: python-pptx sees exactly the asked difference, LibreOffice all slides.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use stet_tests::{
    decks::{apply, outline},
    readers::python,
};

fn is_full() -> bool {
    std::env::var_os("STET_FULL").is_some()
}

/// Operations that suit a deck, one of a kind.
fn operations(deck: &[u8]) -> Vec<Value> {
    let Ok(outline) = outline(deck) else { return Vec::new() };
    let slides: Vec<&documents::Node> = outline.nodes.iter().filter(|node| node.kind == "slide").collect();
    let count = slides.len();
    if count == 0 {
        return Vec::new();
    }
    let middle = count.div_ceil(2);
    let mut ops = vec![
        json!({"op": "pptx_set_notes", "slide": middle, "text": "Say <this>\nand that"}),
        json!({"op": "pptx_hide_slide", "slide": middle, "hidden": slides[middle - 1].more.get("hidden").is_none()}),
        json!({"op": "pptx_move_slide", "slide": 1, "to": count}),
        json!({"op": "pptx_delete_slide", "slide": middle}),
        json!({"op": "pptx_duplicate_slide", "slide": middle}),
        json!({"op": "pptx_append_slide", "title": "A new <slide>"}),
    ];
    let shapes = |kind: &'static str| outline.nodes.iter().filter(move |node| node.kind == kind);
    if let Some(node) = shapes("shape").find(|node| node.more["type"] == "text" && !node.text.is_empty()) {
        ops.push(json!({"op": "pptx_set_text", "slide": node.more["slide"], "shape": node.more["shape"], "text": "First & <new>\nSecond"}));
    }
    if let Some(node) =
        shapes("shape").find(|node| node.more.get("placeholder").is_some_and(|ph| ph == "title"))
    {
        ops.push(json!({"op": "pptx_set_title", "slide": node.more["slide"], "text": "A title"}));
    }
    if let Some(node) = shapes("table_cell").next() {
        ops.push(json!({"op": "pptx_set_table_cell", "slide": node.more["slide"], "shape": node.more["shape"], "row": node.more["row"], "col": node.more["col"], "text": "cell"}));
    }
    ops
}

struct Case {
    name: String,
    before: PathBuf,
    after: PathBuf,
    op: Value,
    /// How many slides are shown afterwards.
    shown: usize,
}

/// Every operation on every deck, written into a folder.
fn cases(folder: &Path) -> Vec<Case> {
    let mut decks = vec![stet_tests::fixture("pptx-slide-ops.pptx")];
    let small = |path: &PathBuf| is_full() || path.metadata().is_ok_and(|data| data.len() < 100_000);
    decks.extend(stet_tests::corpus(&["pptx", "pptm", "potx", "ppsx", "ppsm"]).into_iter().filter(small));
    let mut cases = Vec::new();
    for path in decks {
        let deck = std::fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for op in operations(&deck) {
            let after = match apply(&deck, &json!([op])) {
                Ok(applied) => applied.bytes,
                Err(error) => {
                    println!("{name}: {op}: {error}");
                    continue;
                }
            };
            let file = folder.join(format!("{}-{name}", cases.len()));
            std::fs::write(&file, &after).unwrap();
            let slides = outline(&after).unwrap().nodes.into_iter().filter(|node| node.kind == "slide");
            let shown = slides.filter(|node| node.more.get("hidden").is_none()).count();
            cases.push(Case { name: name.clone(), before: path.clone(), after: file, op, shown });
        }
    }
    cases
}

#[test]
fn python_pptx_sees_exactly_the_asked_difference() {
    let python = match python() {
        Ok(python) => python,
        Err(reason) => {
            println!("python-pptx is not available, so it read nothing: {reason}");
            return;
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let cases = cases(folder.path());
    let list: Vec<Value> = cases
        .iter()
        .map(|case| json!({"name": case.name, "before": case.before, "after": case.after, "op": case.op}))
        .collect();
    let file = folder.path().join("cases.json");
    std::fs::write(&file, Value::from(list).to_string()).unwrap();
    let script = stet_tests::repository().join("tests/readers/decks.py");
    let output = Command::new(python).arg(script).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    println!("python-pptx read {} of {} edited decks; not: {}", told["read"], cases.len(), told["unread"]);
    assert_eq!(told["faults"], json!([]), "{:#}", told["faults"]);
    assert!(told["read"].as_u64().unwrap() >= 8);
}

/// The pages of a PDF file, by its page objects.
fn pages(pdf: &[u8]) -> usize {
    let page = memchr::memmem::find_iter(pdf, b"/Type/Page");
    page.filter(|at| pdf.get(at + 10) != Some(&b's')).count()
}

#[test]
fn libreoffice_shows_every_slide() {
    if !is_full() {
        println!("LibreOffice reads the decks in the full run only");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let counted = ["move", "delete", "duplicate", "append"].map(|word| format!("pptx_{word}_slide"));
    let is_counted = |case: &Case| case.shown > 0 && counted.iter().any(|word| case.op["op"] == *word);
    let cases: Vec<Case> = cases(folder.path()).into_iter().filter(is_counted).collect();
    let office = Office { folder: folder.path() };
    let (mut faults, mut opened) = (Vec::new(), 0);
    for some in cases.chunks(8) {
        let files: Vec<&Path> = some.iter().map(|case| case.after.as_path()).collect();
        if let Err(error) = office.convert(&files) {
            return println!("LibreOffice is not available: {error}");
        }
        for case in some {
            // After a crash the files behind it are tried alone, twice, for a busy machine makes it fail by chance; what fails in its
            // original as well is not ours.
            let alone = || office.pages_alone(&case.after);
            let found = office.pages(&case.after).or_else(alone).or_else(alone);
            match found {
                Some(found) if found == case.shown => opened += 1,
                None if office.pages_alone(&case.before).is_none() => {
                    println!("LibreOffice does not open {} as it was either", case.name);
                }
                found => {
                    faults.push(format!("{} {}: {found:?} of {} slides", case.name, case.op, case.shown));
                }
            }
        }
    }
    println!("LibreOffice opened {opened} of {} edited decks", cases.len());
    assert!(faults.is_empty(), "{faults:#?}");
}

/// LibreOffice with a profile and an output of its own.
struct Office<'f> {
    folder: &'f Path,
}

impl Office<'_> {
    /// Converts decks to PDF as far as it gets.
    fn convert(&self, files: &[&Path]) -> std::io::Result<()> {
        let profile = format!("-env:UserInstallation=file://{}", self.folder.join("profile").display());
        let mut office = Command::new("timeout");
        office.args(["300", "soffice", &profile, "--headless", "--convert-to", "pdf", "--outdir"]);
        office.arg(self.folder.join("pdf")).args(files).output().map(drop)
    }

    /// The pages of what a deck became.
    fn pages(&self, deck: &Path) -> Option<usize> {
        let pdf = self.folder.join("pdf").join(deck.with_extension("pdf").file_name()?);
        std::fs::read(pdf).ok().map(|pdf| pages(&pdf))
    }

    fn pages_alone(&self, deck: &Path) -> Option<usize> {
        self.convert(&[deck]).ok()?;
        self.pages(deck)
    }
}
