//! One paragraph of a document of 10,000, against the floor of any zip rewriter; its outline, against inflating it; peers beside them.
//!
//! The floor: inflate the part, find the place with one `memmem`, splice, deflate at level 6, write. The engine does the same, finds
//! the paragraph by its number, and lets the gate look at the result.

use std::{fs, process::Command, time::Duration};

use documents::{ApplyContext, Edit, Format, Limits, OutlineRequest};

use super::{memory, package};
use crate::{entries, readers};

const PARAGRAPHS: usize = 10_000;
const PART: &str = "word/document.xml";
const MIDDLE: usize = PARAGRAPHS / 2;
const NEW: &str =
    "Clause 5000 was agreed on 30 November and binds both parties until they say otherwise in writing.";
/// Rounds in which all rows are measured in turn; the median of each counts.
const ROUNDS: usize = 11;
/// How often a row is done in a round: Linux tells the time on the processor by the tick only.
const REPEATS: u32 = 8;
const DOCX_RS_MANIFEST: &str = "[package]\nname = \"docx_rs_peer\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\ndocx-rs = \"=0.4.22\"\n\n[workspace]\n";

type Work<'w> = (&'w str, &'w str, &'w dyn Fn() -> usize);

/// Measures and gives the table.
pub fn docx() -> String {
    let text = document();
    let archive = archive(&text);
    let mut table = format!(
        "A document of {PARAGRAPHS} paragraphs, {:.1} MB of XML ({} KB compressed). Medians of {ROUNDS} rounds in turn (time on the processor, one thread).\n\n| what | ms | × floor | × inflate | bound |\n|---|--:|--:|--:|--:|\n",
        text.len() as f64 / 1e6,
        archive.len() / 1_000
    );
    let set = |paragraph: usize| {
        edits(&format!(r#"[{{"op": "docx_set_paragraph", "index": {paragraph}, "text": "{NEW}"}}]"#))
    };
    let (first, middle, last) = (set(1), set(MIDDLE), set(PARAGRAPHS));
    let find = edits(r#"[{"op": "docx_replace_text", "find": "Clause 5000 ", "replace": "Article 5000 "}]"#);
    let needle = sentence(MIDDLE);
    let works: [Work<'_>; 9] = [
        ("floor: inflate, find, splice, deflate 6, write", "", &|| floor(&archive, &needle).len()),
        ("of it: inflate", "", &|| package::inflated_part(&archive, PART).len()),
        ("`docx_set_paragraph`, the middle one, gate included", "2 × floor", &|| {
            apply(&archive, &middle, false)
        }),
        ("the same, the first one", "2 × floor", &|| apply(&archive, &first, false)),
        ("the same, the last one", "2 × floor", &|| apply(&archive, &last, false)),
        ("the same as a tracked change", "2 × floor", &|| apply(&archive, &middle, true)),
        ("`docx_replace_text` in the whole body", "2 × floor", &|| apply(&archive, &find, false)),
        ("outline of all paragraphs at once", "", &|| outline(&archive, usize::MAX)),
        ("outline, the first window", "5 × inflate", &|| outline(&archive, 32_768)),
    ];
    let mut times: [Vec<Duration>; 9] = Default::default();
    for _ in 0..ROUNDS {
        for (at, (name, _, work)) in works.iter().enumerate() {
            let start = memory::processor_time();
            let size = (0..REPEATS).map(|_| std::hint::black_box(work())).min().unwrap_or(0);
            times[at].push((memory::processor_time() - start) / REPEATS);
            if size == 0 {
                return format!("{name}: refused; nothing was measured.\n");
            }
        }
    }
    let medians = times.map(|mut times| {
        times.sort_unstable();
        times[ROUNDS / 2].as_secs_f64() * 1000.0
    });
    for (at, (name, bound, _)) in works.iter().enumerate() {
        match bound.split_once(" × ") {
            Some(("2", _)) => super::bound(format!("{name}, × floor"), medians[at] / medians[0], 2.0),
            Some((most, _)) => super::bound(
                format!("{name}, × inflating"),
                medians[at] / medians[1],
                most.parse().unwrap_or(0.0),
            ),
            None => {}
        }
    }
    let mut row = |name: &str, bound: &str, milliseconds: f64| {
        let (floor, inflate) = (milliseconds / medians[0], milliseconds / medians[1]);
        table.push_str(&format!("| {name} | {milliseconds:.1} | {floor:.2} | {inflate:.2} | {bound} |\n"));
    };
    for ((name, bound, _), median) in works.iter().zip(medians) {
        row(name, bound, median);
    }
    let mut missing = String::new();
    for (name, peer) in [
        ("python-docx 1.2.0: open, one run's text, save", python_docx(&archive)),
        ("docx-rs 0.4.22: load and save, no edit (wall time)", docx_rs(&archive)),
    ] {
        match peer {
            Ok(milliseconds) => row(name, "", milliseconds),
            Err(why) => missing.push_str(&format!("\n{name} was not measured: {why}\n")),
        }
    }
    table + &missing
}

fn edits(json: &str) -> Vec<Edit> {
    serde_json::from_str(json).unwrap_or_default()
}

fn apply(archive: &[u8], edits: &[Edit], tracked: bool) -> usize {
    let context = ApplyContext {
        author: "Bench",
        now: "2026-11-30T14:00:00Z",
        override_protection: false,
        track_changes: Some(tracked),
        limits: Limits::default(),
        cancel: &|| false,
    };
    documents::apply(Format::Docx, archive, edits, &context).map_or(0, |applied| applied.bytes.len())
}

fn outline(archive: &[u8], budget: usize) -> usize {
    let request = OutlineRequest { range: None, budget };
    documents::outline(Format::Docx, archive, &request, &Limits::default(), &|| false)
        .map_or(0, |outline| outline.nodes.len())
}

fn floor(archive: &[u8], needle: &str) -> Vec<u8> {
    package::floor_of(archive, PART, |content| {
        let at = memchr::memmem::find(content, needle.as_bytes()).unwrap_or_default();
        [&content[..at], NEW.as_bytes(), &content[at + needle.len()..]].concat()
    })
}

fn sentence(number: usize) -> String {
    let mut mixed = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut next = |below: usize| {
        mixed ^= mixed << 13;
        mixed ^= mixed >> 7;
        mixed ^= mixed << 17;
        (mixed >> 32) as usize % below
    };
    let words: Vec<String> = (0..12)
        .map(|_| {
            // Few words come often, most seldom.
            let range = if next(4) > 0 { 4 } else { SYLLABLES.len() };
            (0..=next(3)).map(|_| SYLLABLES[next(range)]).collect()
        })
        .collect();
    format!("Clause {number} concerns {}.", words.join(" "))
}

/// Made-up words of these compress as the text of real documents does: their `document.xml` is 4 to 18 times its compressed size (the
/// eight of the corpus that are over 100 KB; the middle is 9).
const SYLLABLES: [&str; 48] = [
    "the", "of", "and", "to", "in", "par", "ty", "no", "ti", "ce", "de", "li", "ver", "pay", "ment", "war",
    "ran", "ter", "ri", "to", "ry", "cen", "re", "me", "dy", "con", "tract", "ob", "ga", "tion", "per",
    "for", "mance", "sub", "ject", "ex", "cept", "where", "un", "less", "with", "out", "pro", "vi", "sion",
    "a", "gree", "ble",
];

/// Paragraphs as Word writes them: revision ids, some with styles and properties, some with a bold run.
fn document() -> String {
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<w:document {}><w:body>",
        crate::words::NAMESPACES
    );
    for number in 1..=PARAGRAPHS {
        let id = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) as u32 & 0x7FFF_FFFF | 1;
        let properties = match number % 20 {
            1 => "<w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr>",
            7 => "<w:pPr><w:keepNext/><w:spacing w:after=\"120\"/><w:jc w:val=\"both\"/></w:pPr>",
            _ => "",
        };
        let bold = if number % 3 == 0 {
            "<w:r w:rsidRPr=\"00A77B3E\"><w:rPr><w:b/><w:bCs/></w:rPr><w:t xml:space=\"preserve\"> Binding.</w:t></w:r>"
        } else {
            ""
        };
        text.push_str(&format!(
            "<w:p w14:paraId=\"{id:08X}\" w14:textId=\"77777777\" w:rsidR=\"00EB259C\" w:rsidRDefault=\"000414D9\">{properties}<w:r><w:t>{}</w:t></w:r>{bold}</w:p>",
            sentence(number)
        ));
    }
    text + "<w:sectPr w:rsidR=\"007F4E48\"><w:pgSz w:w=\"11906\" w:h=\"16838\"/></w:sectPr></w:body></w:document>"
}

/// The document with the parts that a small document has.
fn archive(text: &str) -> Vec<u8> {
    let made = crate::words::Made::new("").styles(&[("Heading1", "heading 1")]).bytes();
    let others = crate::decks::entries(&made);
    let parts: Vec<(&str, &[u8])> = others
        .iter()
        .map(|entry| match entry.name.as_str() {
            PART => (PART, text.as_bytes()),
            name => (name, entry.content.as_slice()),
        })
        .collect();
    entries::archive(&parts)
}

fn milliseconds(command: &mut Command) -> Result<f64, String> {
    let said = readers::output(command)?;
    said.trim().parse().map_err(|_| format!("it said “{}”", said.trim()))
}

fn python_docx(archive: &[u8]) -> Result<f64, String> {
    let python = readers::python()?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (source, target) = (folder.path().join("in.docx"), folder.path().join("out.docx"));
    let script = folder.path().join("peer.py");
    fs::write(&source, archive).map_err(|error| error.to_string())?;
    fs::write(&script, include_str!("docx/python_docx_peer.py")).map_err(|error| error.to_string())?;
    let paragraph = MIDDLE.to_string();
    milliseconds(Command::new(python).arg(script).arg(source).arg(target).args([&paragraph, NEW]))
}

fn docx_rs(archive: &[u8]) -> Result<f64, String> {
    let folder = readers::build_folder()?.join("docx_rs_peer");
    let write = |name: &str, content: &[u8]| {
        let path = folder.join(name);
        path.parent().map(fs::create_dir_all);
        fs::write(path, content).map_err(|error| error.to_string())
    };
    write("Cargo.toml", DOCX_RS_MANIFEST.as_bytes())?;
    write("src/main.rs", include_bytes!("docx/docx_rs_peer.rs"))?;
    write("in.docx", archive)?;
    let mut build = Command::new("cargo");
    build.args(["build", "--release", "--quiet", "--target-dir"]).arg(folder.join("target"));
    readers::output(build.current_dir(&folder))?;
    let program = folder.join("target/release/docx_rs_peer");
    milliseconds(Command::new(program).arg(folder.join("in.docx")).arg(folder.join("out.docx")))
}
