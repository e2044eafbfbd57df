//! A splice the size of one cell in an 80 MB worksheet part, against the floor that any zip rewriter has.
//!
//! The floor: copy the other entries raw, inflate the part, find the place with one `memmem`, splice, deflate at level 6, write.
//! The engine does the same through `Package`, its gate included.

use std::{
    io::{Read, Write},
    time::Duration,
};

use documents::{
    Limits,
    package::{Package, PartName},
};
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};

use super::{bound, memory};
use crate::entries;

const PART: usize = 80_000_000;
const SHEET: &str = "xl/worksheets/sheet1.xml";
/// How often each row is measured; the median counts.
const ROUNDS: usize = 5;

/// Measures and gives the table.
pub fn package() -> String {
    let sheet = sheet();
    let archive = archive(&sheet);
    let mut table = format!(
        "One cell in a part of {} MB ({} MB compressed), medians of {ROUNDS} (time on the processor, one thread).\n\n| what | ms | × floor | peak memory, × part |\n|---|---|---|---|\n",
        sheet.len() / 1_000_000,
        archive.len() / 1_000_000
    );
    let needles = [("first row", place(1)), ("middle", place(rows() / 2)), ("last row", place(rows()))];
    drop(sheet);
    let floor = measure(|| floor(&archive, &needles[1].1));
    row(&mut table, "floor: inflate, find, splice, deflate 6", &floor, &floor);
    row(&mut table, "of it: inflate", &measure(|| inflated(&archive).len()), &floor);
    let content = inflated(&archive);
    let deflate_only = measure(|| deflated(&content).len());
    row(&mut table, "of it: deflate 6", &deflate_only, &floor);
    let check = || documents::package::xml::check_well_formed(&content, &Limits::default()).is_ok();
    row(&mut table, "of the gate: is it well-formed", &measure(check), &floor);
    drop(content);
    for (name, needle) in &needles {
        let label = format!("`Package` with its gate, {name}");
        let measured = measure(|| edit(&archive, std::slice::from_ref(needle)));
        row(&mut table, &label, &measured, &floor);
        promise(&format!("package: one cell in an 80 MB part, {name}, gate included"), &measured, &floor);
    }
    let apart: Vec<String> = (1..=5).map(|fifth| place(rows() * fifth / 6)).collect();
    let measured = measure(|| edit(&archive, &apart));
    row(&mut table, "`Package` with its gate, five rows far apart", &measured, &floor);
    table
}

fn row(table: &mut String, label: &str, measured: &(Duration, Option<u64>), floor: &(Duration, Option<u64>)) {
    let ratio = measured.0.as_secs_f64() / floor.0.as_secs_f64();
    let memory = measured.1.map_or("–".into(), |bytes| format!("{:.2}", bytes as f64 / PART as f64));
    table.push_str(&format!("| {label} | {} | {ratio:.2} | {memory} |\n", measured.0.as_millis()));
}

/// 1.2 times the floor at most (the aim is a quarter of it: inflating and the check for well-formedness alone are that), and at most
/// three times the part in memory.
fn promise(what: &str, measured: &(Duration, Option<u64>), floor: &(Duration, Option<u64>)) {
    bound(what, measured.0.as_secs_f64() / floor.0.as_secs_f64(), 1.2);
    let memory = measured.1.map_or(f64::NAN, |bytes| bytes as f64 / PART as f64);
    bound(format!("{what}: peak memory against the part"), memory, 3.0);
}

fn measure<T>(work: impl Fn() -> T) -> (Duration, Option<u64>) {
    let mut times = Vec::new();
    let mut highest = None;
    for _ in 0..ROUNDS {
        let start = memory::processor_time();
        let (_, rise) = memory::peak(&work);
        times.push(memory::processor_time() - start);
        highest = highest.max(rise);
    }
    times.sort_unstable();
    (times[ROUNDS / 2], highest)
}

fn rows() -> usize {
    // A row takes 252 bytes on the average; the part is filled up to its size with them.
    PART / 252
}

/// The value of one cell, unique in the part.
fn place(row: usize) -> String {
    format!("<c r=\"D{row}\"><v>{}</v></c>", value(row, 3))
}

/// Digits that compress like real figures.
fn value(row: usize, column: usize) -> u64 {
    let mixed = (row as u64 * 8 + column as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 40) % 1_000_000
}

fn sheet() -> Vec<u8> {
    let mut xml = b"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>".to_vec();
    for row in 1..=rows() {
        let mut line = format!("<row r=\"{row}\" spans=\"1:6\">");
        for (column, letter) in ["A", "B", "C", "D", "E", "F"].iter().enumerate() {
            let style = if column == 3 { "" } else { " s=\"4\"" };
            line.push_str(&format!("<c r=\"{letter}{row}\"{style}><v>{}</v></c>", value(row, column)));
        }
        xml.extend_from_slice(line.as_bytes());
        xml.extend_from_slice(b"</row>");
    }
    xml.extend_from_slice(b"</sheetData></worksheet>");
    xml
}

/// A workbook around the part, with a picture-like entry beside it.
fn archive(sheet: &[u8]) -> Vec<u8> {
    let noise: Vec<u8> = (0..1_000_000).map(|at| (value(at, 1) & 0xFF) as u8).collect();
    let types = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>"#;
    let relationships = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
    let parts: [(&str, &[u8]); 5] = [
        ("[Content_Types].xml", types.as_bytes()),
        ("_rels/.rels", relationships.as_bytes()),
        (
            "xl/workbook.xml",
            b"<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"/>",
        ),
        (SHEET, sheet),
        ("xl/media/image1.bin", &noise),
    ];
    entries::archive(&parts)
}

fn inflated(archive: &[u8]) -> Vec<u8> {
    inflated_part(archive, SHEET)
}

/// The content of a part.
pub(super) fn inflated_part(archive: &[u8], part: &str) -> Vec<u8> {
    let (data, size) = entries::data_of(archive, part).unwrap_or_default();
    let mut content = Vec::with_capacity(size);
    let _ = DeflateDecoder::new(&archive[data]).read_to_end(&mut content);
    content
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(6));
    let _ = encoder.write_all(content);
    encoder.finish().unwrap_or_default()
}

pub(super) fn spliced(content: &[u8], needle: &str) -> Vec<u8> {
    let at = memchr::memmem::find(content, needle.as_bytes()).unwrap_or_default();
    let value = at + needle.find("<v>").unwrap_or_default() + 3;
    let end = at + needle.find("</v>").unwrap_or_default();
    let mut edited = Vec::with_capacity(content.len() + 16);
    edited.extend_from_slice(&content[..value]);
    edited.extend_from_slice(b"12.5");
    edited.extend_from_slice(&content[end..]);
    edited
}

/// What cannot be saved by anyone who rewrites the part.
fn floor(archive: &[u8], needle: &str) -> Vec<u8> {
    floor_of(archive, SHEET, |content| spliced(content, needle))
}

/// The same for any part and edit.
pub(super) fn floor_of(archive: &[u8], part: &str, edit: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let content = inflated_part(archive, part);
    let edited = edit(&content);
    drop(content);
    let (data, _) = entries::data_of(archive, part).unwrap_or_default();
    let mut out = Vec::with_capacity(archive.len() + 1_024);
    out.extend_from_slice(&archive[..data.start]);
    let mut encoder = DeflateEncoder::new(&mut out, Compression::new(6));
    let _ = encoder.write_all(&edited);
    let _ = encoder.finish();
    out.extend_from_slice(&archive[data.end..]);
    out
}

fn edit(archive: &[u8], needles: &[String]) -> Vec<u8> {
    let result = || -> Result<Vec<u8>, documents::EditError> {
        let mut package = Package::open(archive, &Limits::default())?;
        let part = PartName::new(SHEET);
        let content = package.require(&part)?;
        let mut edited = Vec::new();
        for needle in needles {
            edited = spliced(if edited.is_empty() { &content } else { &edited }, needle);
        }
        package.replace(&part, edited)?;
        Ok(package.finish()?.bytes)
    };
    result().unwrap_or_default()
}
