//! Inflating one entry under a cap that counts real output bytes, and checking its CRC.

use flate2::{Decompress, FlushDecompress, Status};

use super::archive::Entry;
use crate::DocumentError;

/// Content of this size that is so many times larger than its compressed data was made to exhaust memory. Neither counts alone: real
/// worksheets are larger, and blank pictures are denser.
const BOMB_BYTES: usize = 64 << 20;
const BOMB_RATIO: usize = 400;

/// What is inflated at a time when only comparing.
const PIECE: usize = 128 << 10;

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

/// Whether an entry holds exactly these bytes, compared piece by piece without holding them a second time.
pub(super) fn matches(source: &[u8], entry: &Entry, expected: &[u8]) -> Result<bool, DocumentError> {
    let data = &source[entry.data.clone()];
    if entry.method == 0 {
        return Ok(data == expected && crc32fast::hash(data) == entry.crc);
    }
    let mut decompress = Decompress::new(false);
    let mut piece = vec![0; PIECE];
    let mut crc = crc32fast::Hasher::new();
    loop {
        let (read, written) = (decompress.total_in() as usize, decompress.total_out() as usize);
        let status = decompress
            .decompress(&data[read..], &mut piece, FlushDecompress::None)
            .map_err(|_| unreadable(entry))?;
        let inflated = &piece[..decompress.total_out() as usize - written];
        if expected.get(written..written + inflated.len()) != Some(inflated) {
            return Ok(false);
        }
        crc.update(inflated);
        match status {
            Status::StreamEnd => {
                let is_whole = written + inflated.len() == expected.len()
                    && decompress.total_in() as usize == data.len();
                return Ok(is_whole && crc.finalize() == entry.crc && entry.size == expected.len() as u64);
            }
            Status::Ok | Status::BufError
                if inflated.is_empty() && decompress.total_in() as usize == read =>
            {
                return Err(unreadable(entry));
            }
            Status::Ok | Status::BufError => {}
        }
    }
}

fn unreadable(entry: &Entry) -> DocumentError {
    DocumentError::Damaged(format!("{} is damaged: its compressed data cannot be read.", entry.name))
}

fn inflate_raw(data: &[u8], entry: &Entry, cap: u64) -> Result<Vec<u8>, DocumentError> {
    let damaged = || unreadable(entry);
    let mut decompress = Decompress::new(false);
    // The declared size is only a first guess; a lie costs one reallocation, not memory up front.
    let mut out =
        Vec::with_capacity((entry.size.min(cap) as usize).min(data.len().saturating_mul(64)) + 1_024);
    loop {
        let read = decompress.total_in() as usize;
        let status = decompress
            .decompress_vec(&data[read..], &mut out, FlushDecompress::None)
            .map_err(|_| damaged())?;
        if out.len() as u64 > cap {
            return Err(too_large(entry, cap));
        }
        if out.len() > BOMB_BYTES && out.len() / BOMB_RATIO > data.len() {
            return Err(DocumentError::TooLarge(format!(
                "{} unpacks to more than {BOMB_RATIO} times its size, like a file made to exhaust memory.",
                entry.name
            )));
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
