//! A zip file from parts that all fit in memory: deflated entries, no dates, no extras (APPNOTE.TXT 4.3).

use flate2::{Compression, write::DeflateEncoder};
use std::io::Write;

/// 1980-01-01, the earliest date that a zip entry can have: the same input gives the same bytes.
const NO_DATE: u16 = 0x0021;

/// Writes the parts in their order.
pub(super) fn write<'a>(parts: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<u8> {
    let (mut bytes, mut directory, mut count) = (Vec::new(), Vec::new(), 0_u16);
    for (name, text) in parts {
        let packed = deflate(text.as_bytes());
        let mut common = Vec::new();
        // Version 2.0; no flags; deflated; time and date.
        for field in [20, 0, 8, 0, NO_DATE] {
            common.extend_from_slice(&u16::to_le_bytes(field));
        }
        for field in [crc32fast::hash(text.as_bytes()), size(packed.len()), size(text.len())] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        common.extend_from_slice(&u16::try_from(name.len()).unwrap_or(u16::MAX).to_le_bytes());
        // No extra field.
        common.extend_from_slice(&[0; 2]);

        let offset = size(bytes.len());
        bytes.extend_from_slice(b"PK\x03\x04");
        bytes.extend_from_slice(&common);
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(&packed);

        directory.extend_from_slice(b"PK\x01\x02\x14\x00");
        directory.extend_from_slice(&common);
        // No comment, disk 0, no attributes.
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
        count += 1;
    }
    let start = size(bytes.len());
    bytes.extend_from_slice(&directory);
    bytes.extend_from_slice(b"PK\x05\x06\x00\x00\x00\x00");
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&size(directory.len()).to_le_bytes());
    bytes.extend_from_slice(&start.to_le_bytes());
    bytes.extend_from_slice(&[0; 2]);
    bytes
}

/// Writing into memory cannot fail; if it did, the entry would be found short by its checksum.
fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Blank packages are some kilobytes.
fn size(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
