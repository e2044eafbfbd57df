//! Inflating one entry under a cap that counts real output bytes, and checking its CRC.

use flate2::{Decompress, FlushDecompress, Status};

use super::archive::Entry;
use crate::DocumentError;

/// The entry's content; at most `cap` bytes.
pub(super) fn inflate(source: &[u8], entry: &Entry, cap: u64) -> Result<Vec<u8>, DocumentError> {
    let data = &source[entry.data.clone()];
    let content = match entry.method {
        0 if data.len() as u64 > cap => return Err(too_large(entry, cap)),
        0 => data.to_vec(),
        8 => inflate_raw(data, entry, cap)?,
        method => {
            return Err(DocumentError::Unsupported(format!(
                "{} is compressed with method {method}, which Office does not use.",
                entry.name
            )));
        }
    };
    if crc32fast::hash(&content) != entry.crc {
        return Err(DocumentError::Damaged(format!(
            "{} is damaged: its checksum does not match.",
            entry.name
        )));
    }
    Ok(content)
}

fn inflate_raw(data: &[u8], entry: &Entry, cap: u64) -> Result<Vec<u8>, DocumentError> {
    let damaged =
        || DocumentError::Damaged(format!("{} is damaged: its compressed data cannot be read.", entry.name));
    let mut decompress = Decompress::new(false);
    // The declared size is only a first guess; a lie costs one reallocation, not memory up front.
    let mut out =
        Vec::with_capacity((entry.size.min(cap) as usize).min(data.len().saturating_mul(32)) + 1_024);
    loop {
        let read = decompress.total_in() as usize;
        let status = decompress
            .decompress_vec(&data[read..], &mut out, FlushDecompress::None)
            .map_err(|_| damaged())?;
        if out.len() as u64 > cap {
            return Err(too_large(entry, cap));
        }
        match status {
            Status::StreamEnd => return Ok(out),
            Status::Ok | Status::BufError if out.len() == out.capacity() => {
                let more =
                    out.capacity().max(32 << 10).min((cap as usize + 1).saturating_sub(out.len()).max(1));
                out.reserve(more);
            }
            Status::Ok if (decompress.total_in() as usize) > read => {}
            Status::Ok | Status::BufError => return Err(damaged()),
        }
    }
}

fn too_large(entry: &Entry, cap: u64) -> DocumentError {
    DocumentError::TooLarge(format!("{} unpacks to more than the {cap} bytes that are allowed.", entry.name))
}
