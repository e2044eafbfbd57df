//! One replacement on one slide of a deck of 300, against the floor that any zip rewriter has, and against python-pptx.
//!
//! The floor: read the file, find the slide's entry in the directory, inflate it, find the words, splice, deflate at level 6, write a
//! whole and valid archive with every other entry copied. The engine does the same through `documents::apply`, its gate included.

use std::{
    io::{Read, Write},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use documents::{Edit, Format, Limits, create::Source};
use flate2::{Compression, Crc, read::DeflateDecoder, write::DeflateEncoder};

use super::memory;
use crate::decks::context;

const SLIDES: usize = 300;
const SLIDE: usize = 150;
/// How often each row is measured, in turn; the medians count.
const ROUNDS: usize = 41;

/// Measures and gives the table.
pub fn pptx() -> String {
    let folder = std::env::temp_dir().join(format!("stet-bench-pptx-{}", std::process::id()));
    let table = std::fs::create_dir_all(&folder).map(|()| measured(&folder));
    let _ = std::fs::remove_dir_all(&folder);
    table.unwrap_or_else(|error| format!("pptx: {error}\n"))
}

fn measured(folder: &Path) -> String {
    let deck = deck(SLIDES);
    let (source, target) = (folder.join("deck.pptx"), folder.join("edited.pptx"));
    if std::fs::write(&source, &deck).is_err() {
        return "pptx: the deck cannot be written\n".into();
    }
    let (mut floors, mut engine, mut opened) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        floors.push(timed(|| saved(&source, &target, |deck| floor(deck, SLIDE))));
        engine.push(timed(|| saved(&source, &target, |deck| edited(deck, SLIDE))));
        opened.push(timed(|| outlined(&source)));
    }
    let (floor, engine) = (median(floors), median(engine));
    super::bound(
        format!("one replacement in a deck of {SLIDES} slides, × floor"),
        engine.as_secs_f64() / floor.as_secs_f64(),
        3.0,
    );
    let mut table = format!(
        "One replacement on one slide of {SLIDES} ({} KB), medians of {ROUNDS} in turn (time on the processor, one thread).\n\n| what | ms | × floor |\n|---|---|---|\n",
        deck.len() / 1_000
    );
    let mut row = |label: &str, time: Duration| {
        let ratio = time.as_secs_f64() / floor.as_secs_f64();
        table.push_str(&format!("| {label} | {:.2} | {ratio:.2} |\n", time.as_secs_f64() * 1_000.0));
    };
    row("floor: read, inflate, find, splice, deflate 6, write all", floor);
    row("`documents::apply` with its gate, read and write", engine);
    row("outline of that slide", median(opened));
    match python_pptx(&source, &target) {
        Ok(time) => row("python-pptx 1.0.2: open, replace in the run, save", time),
        Err(reason) => table.push_str(&format!("\npython-pptx was not measured: {reason}\n")),
    }
    table
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = memory::processor_time();
    let result = work();
    let time = memory::processor_time() - start;
    drop(result);
    time
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// A deck of so many slides with a title, eight lines and notes on every tenth.
fn deck(slides: usize) -> Vec<u8> {
    let mut outline = String::new();
    for slide in 1..=slides {
        outline += &format!("## Slide {slide}\n");
        for item in 1..=8 {
            outline +=
                &format!("- Item {item} of slide {slide}, with some words that say what it is about\n");
        }
        if slide % 10 == 0 {
            outline += "> To be said slowly\n";
        }
    }
    let source = Source { text: Some(outline), rows: None };
    documents::create::create(Format::Pptx, &source, &context()).unwrap_or_default()
}

/// Reads a file, edits it, writes the result; whether it was done.
fn saved(source: &Path, target: &Path, edit: impl Fn(&[u8]) -> Option<Vec<u8>>) -> bool {
    let edited = std::fs::read(source).ok().and_then(|deck| edit(&deck));
    edited.is_some_and(|edited| std::fs::write(target, edited).is_ok())
}

/// What is looked for on a slide, and what it becomes.
fn words(slide: usize) -> (String, String) {
    (format!("Item 7 of slide {slide}"), format!("Point 7 of slide {slide}"))
}

fn edited(deck: &[u8], slide: usize) -> Option<Vec<u8>> {
    let (find, replace) = words(slide);
    let op = Edit::PptxReplaceOnSlide { slide, find, replace, occurrence: None };
    Some(documents::apply(Format::Pptx, deck, &[op], &context()).ok()?.bytes)
}

fn outlined(source: &Path) -> Option<usize> {
    let deck = std::fs::read(source).ok()?;
    let request = documents::OutlineRequest { range: Some(SLIDE.to_string()), budget: usize::MAX };
    let outline = documents::outline(Format::Pptx, &deck, &request, &Limits::default(), &|| false);
    Some(outline.ok()?.nodes.len())
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    Some(bytes.get(at..at + length)?.iter().rev().fold(0, |value, byte| value << 8 | usize::from(*byte)))
}

/// What cannot be saved by anyone who rewrites the part.
fn floor(deck: &[u8], slide: usize) -> Option<Vec<u8>> {
    let (part, (find, replace)) = (format!("ppt/slides/slide{slide}.xml"), words(slide));
    let end = memchr::memmem::rfind(deck, b"PK\x05\x06")?;
    let directory = number(deck, end + 16, 4)?;
    let (mut at, mut record) = (directory, None);
    while at < end {
        let name = number(deck, at + 28, 2)?;
        if deck.get(at + 46..at + 46 + name)? == part.as_bytes() {
            record = Some(at);
        }
        at += 46 + name + number(deck, at + 30, 2)? + number(deck, at + 32, 2)?;
    }
    let record = record?;
    let local = number(deck, record + 42, 4)?;
    let data = local + 30 + number(deck, local + 26, 2)? + number(deck, local + 28, 2)?;
    let data = data..data + number(deck, record + 20, 4)?;
    let mut content = Vec::with_capacity(number(deck, record + 24, 4)?);
    DeflateDecoder::new(deck.get(data.clone())?).read_to_end(&mut content).ok()?;
    let place = memchr::memmem::find(&content, find.as_bytes())?;
    let new = [&content[..place], replace.as_bytes(), &content[place + find.len()..]].concat();
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(&new).ok()?;
    let packed = encoder.finish().ok()?;
    let mut crc = Crc::new();
    crc.update(&new);
    let fields = [crc.sum(), packed.len() as u32, new.len() as u32].map(u32::to_le_bytes).concat();
    let mut out = Vec::with_capacity(deck.len() + 1_024);
    out.extend_from_slice(&deck[..data.start]);
    out[local + 14..local + 26].copy_from_slice(&fields);
    out.extend_from_slice(&packed);
    out.extend_from_slice(&deck[data.end..directory]);
    let (shift, start) = (packed.len() as i64 - data.len() as i64, out.len());
    out.extend_from_slice(&deck[directory..]);
    out[start + record - directory + 16..start + record - directory + 28].copy_from_slice(&fields);
    let mut at = start;
    while out.get(at..at + 4)? == b"PK\x01\x02" {
        let offset = number(&out, at + 42, 4)?;
        if offset > local {
            out[at + 42..at + 46].copy_from_slice(&((offset as i64 + shift) as u32).to_le_bytes());
        }
        at += 46 + number(&out, at + 28, 2)? + number(&out, at + 30, 2)? + number(&out, at + 32, 2)?;
    }
    out[at + 16..at + 20].copy_from_slice(&(start as u32).to_le_bytes());
    Some(out)
}

const PYTHON: &str = "
import statistics, sys, time
from pptx import Presentation
def once():
    start = time.process_time()
    deck = Presentation(sys.argv[1])
    for shape in deck.slides[int(sys.argv[3]) - 1].shapes:
        for paragraph in shape.text_frame.paragraphs:
            for run in paragraph.runs:
                run.text = run.text.replace(sys.argv[4], sys.argv[5])
    deck.save(sys.argv[2])
    return time.process_time() - start
print(statistics.median(once() for _ in range(5)))
";

/// Processor time of the same edit by python-pptx, without the start of its interpreter; the suite makes its environment.
fn python_pptx(source: &Path, target: &Path) -> Result<Duration, String> {
    let (find, replace) = words(SLIDE);
    let named = std::env::var_os("STET_PYTHON").map(PathBuf::from);
    let python = named.unwrap_or_else(|| crate::repository().join("target/readers/venv/bin/python"));
    let output = Command::new(&python)
        .args(["-c", PYTHON])
        .args([source, target])
        .args([SLIDE.to_string(), find, replace])
        .output()
        .map_err(|error| format!("{}: {error}", python.display()))?;
    let told = String::from_utf8_lossy(&output.stdout);
    told.trim()
        .parse()
        .map(Duration::from_secs_f64)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_writes_what_the_engine_writes() {
        let deck = deck(9);
        let (floor, engine) = (floor(&deck, 5).unwrap(), edited(&deck, 5).unwrap());
        assert!(crate::decks::contents(&floor) == crate::decks::contents(&engine));
    }
}
