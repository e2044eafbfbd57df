//! Any deflate stream behind a large one, any edit of what it unpacks to: the written stream unpacks to the edited content.
#![no_main]

use documents::{
    Limits,
    package::{Package, PartName},
};
use flate2::{Decompress, FlushDecompress, Status};
use libfuzzer_sys::fuzz_target;
#[path = "../../src/entries.rs"]
#[allow(dead_code)] // The suite uses the rest.
mod entries;

const MOST: usize = 4 << 20;

/// Stored blocks that hold 320 KiB, so that the part counts as large.
fn opening() -> Vec<u8> {
    let block = |at: usize| {
        let content: Vec<u8> = (0..0xFFFF_usize).map(|byte| (byte * 7 + at) as u8).collect();
        [&[0, 0xFF, 0xFF, 0, 0][..], &content].concat()
    };
    (0..5).flat_map(block).collect()
}

fn inflated(stream: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut decompress = Decompress::new(false);
    let mut content = Vec::with_capacity(MOST);
    let status = decompress.decompress_vec(stream, &mut content, FlushDecompress::Finish).ok()?;
    (status == Status::StreamEnd).then_some((content, decompress.total_in() as usize))
}

fuzz_target!(|input: (u32, u16, &[u8], &[u8])| {
    let (place, gone, come, tail) = input;
    let stream = [&opening(), tail].concat();
    let Some((content, length)) = inflated(&stream) else { return };
    let types = br#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="bin" ContentType="a/b"/></Types>"#;
    let archive = entries::archive_with(&[("[Content_Types].xml", types)], "a.bin", &stream[..length], &content);
    let mut package = Package::open(&archive, &Limits::default()).expect("a sound archive");
    let part = PartName::new("a.bin");
    let at = place as usize % (content.len() + 1);
    let edited = [&content[..at], come, &content[(at + usize::from(gone)).min(content.len())..]].concat();
    package.replace(&part, edited.clone()).expect("one such part");
    let saved = package.finish().expect("passes the gate");
    let again = Package::open(&saved.bytes, &Limits::default()).expect("reopens");
    assert!(*again.require(&part).expect("is there") == edited);
});
