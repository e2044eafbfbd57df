//! Inflating one entry under a cap that counts real output bytes, and checking its CRC.

use flate2::{Decompress, FlushDecompress};
use zlib_rs::{Inflate, InflateFlush, Status};

use super::{archive::Entry, marks::Mark};
use crate::DocumentError;

/// Content of this size that is so many times larger than its compressed data was made to exhaust memory. Neither counts alone: real
/// worksheets are larger, and blank pictures are denser.
const BOMB_BYTES: usize = 64 << 20;
const BOMB_RATIO: usize = 400;

/// The largest window there is (RFC 1951, 2).
const WINDOW_BITS: u8 = 15;

/// What is inflated at a time when only comparing.
const PIECE: usize = 128 << 10;

/// The entry's content, at most `cap` bytes, and where its blocks begin.
pub(super) fn inflate(source: &[u8], entry: &Entry, cap: u64) -> Result<(Vec<u8>, Vec<Mark>), DocumentError> {
    let data = &source[entry.data.clone()];
    let (content, marks) = match entry.method {
        0 if data.len() as u64 > cap => return Err(too_large(entry, cap)),
        0 => (data.to_vec(), Vec::new()),
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
    Ok((content, marks))
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
            flate2::Status::StreamEnd => {
                let is_whole = written + inflated.len() == expected.len()
                    && decompress.total_in() as usize == data.len();
                return Ok(is_whole && crc.finalize() == entry.crc && entry.size == expected.len() as u64);
            }
            flate2::Status::Ok | flate2::Status::BufError
                if inflated.is_empty() && decompress.total_in() as usize == read =>
            {
                return Err(unreadable(entry));
            }
            flate2::Status::Ok | flate2::Status::BufError => {}
        }
    }
}

fn unreadable(entry: &Entry) -> DocumentError {
    DocumentError::Damaged(format!("{} is damaged: its compressed data cannot be read.", entry.name))
}

fn inflate_raw(data: &[u8], entry: &Entry, cap: u64) -> Result<(Vec<u8>, Vec<Mark>), DocumentError> {
    let mut inflate = Inflate::new(false, WINDOW_BITS);
    // The declared size is only a first guess; a lie costs one reallocation, not memory up front.
    let guess = (entry.size.min(cap) as usize).min(data.len().saturating_mul(64)) + 1_024;
    let mut out = vec![0; guess];
    let mut marks = vec![Mark { read: 0, out: 0 }];
    loop {
        let (read, written) = (inflate.total_in() as usize, inflate.total_out() as usize);
        let status = inflate
            .decompress(&data[read..], &mut out[written..], InflateFlush::Block)
            .map_err(|_| unreadable(entry))?;
        let mark = Mark { read: inflate.total_in() as usize, out: inflate.total_out() as usize };
        if mark.out as u64 > cap {
            return Err(too_large(entry, cap));
        }
        if mark.out > BOMB_BYTES && mark.out / BOMB_RATIO > data.len() {
            return Err(DocumentError::TooLarge(format!(
                "{} unpacks to more than {BOMB_RATIO} times its size, like a file made to exhaust memory.",
                entry.name
            )));
        }
        let is_full = mark.out == out.len();
        match status {
            Status::StreamEnd => {
                out.truncate(mark.out);
                // It has stopped behind the last block, too.
                if marks.last() != Some(&mark) {
                    marks.push(mark);
                }
                return Ok((out, marks));
            }
            Status::Ok | Status::BufError if is_full => {
                let most = (cap as usize).saturating_add(1);
                out.resize(most.min(out.len() + out.len().max(32 << 10)).max(out.len() + 1), 0);
            }
            // It stopped between two blocks.
            Status::Ok if mark.read > read || mark.out > written => marks.push(mark),
            Status::Ok | Status::BufError => return Err(unreadable(entry)),
        }
    }
}

/// A stream that is known to be sound, with its marks.
#[cfg(test)]
pub(super) fn unpacked(stream: &[u8]) -> (Vec<u8>, Vec<Mark>) {
    let entry = Entry {
        name: String::new(),
        method: 8,
        flags: 0,
        crc: 0,
        size: stream.len() as u64 * 4,
        central: 0..0,
        span: 0..0,
        data: 0..stream.len(),
        has_other_header: false,
    };
    inflate_raw(stream, &entry, u64::MAX >> 2).unwrap_or_default()
}

fn too_large(entry: &Entry, cap: u64) -> DocumentError {
    DocumentError::TooLarge(format!("{} unpacks to more than the {cap} bytes that are allowed.", entry.name))
}
