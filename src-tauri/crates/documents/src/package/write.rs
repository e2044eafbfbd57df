//! Writing the result: untouched entries as the spans they were, replaced ones at their old place, added ones at the end.
//!
//! New and replaced entries are plain deflate, version 20, without data descriptor and zip64 (Office refuses needless zip64).
//! Times, attributes, names, comments and other extra fields stay as found; an added entry gets the zip epoch, as this crate has
//! no clock.

use std::{collections::BTreeMap, io::Write};

use flate2::{Compression, write::DeflateEncoder};

use super::{
    Package,
    archive::{self, CENTRAL, DESCRIPTOR, END, Entry, LOCAL, extra_fields, u16_at, u32_at},
    seam::Seam,
    splice,
};
use crate::{EditError, error::EditErrorKind};

const DEFLATE: u16 = 8;
const VERSION: u16 = 20;
/// General-purpose bit 11: the name is UTF-8.
const UTF8: u16 = 1 << 11;
/// 1980-01-01, the earliest date the format knows.
const EPOCH_DATE: u16 = 0x0021;

/// Parts below this size are deflated anew: looking for blocks to keep would save nothing that anyone notices.
pub(super) const LARGE: usize = 256 << 10;

/// What of a changed part's old compressed data may serve again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reuse {
    Blocks,
    Nothing,
}

/// The written package, with the seams of parts that share blocks with their old data.
pub(super) struct Written {
    pub(super) bytes: Vec<u8>,
    pub(super) seams: BTreeMap<usize, Seam>,
}

/// A part's content as it is written.
struct Packed {
    crc: u32,
    size: u32,
    data: Vec<u8>,
    seam: Option<Seam>,
}

/// The whole package with all planned changes.
pub(super) fn write(package: &Package<'_>, reuse: Reuse) -> Result<Written, EditError> {
    let archive = &package.archive;
    let source = package.source;
    let mut order: Vec<usize> = (0..archive.entries.len()).collect();
    order.sort_by_key(|&index| archive.entries[index].span.start);
    let first = order.first().map_or(archive.directory.start, |&index| archive.entries[index].span.start);

    let mut out = Vec::with_capacity(source.len() + (64 << 10));
    out.extend_from_slice(&source[..first]);
    let mut seams = BTreeMap::new();
    let mut records: Vec<Option<Vec<u8>>> = vec![None; archive.entries.len()];
    for index in order.into_iter().filter(|index| !package.removed.contains(index)) {
        let entry = &archive.entries[index];
        let offset = stored_offset(out.len(), archive.shift)?;
        records[index] = Some(match package.replaced.get(&index) {
            None => {
                out.extend_from_slice(&source[entry.span.clone()]);
                moved_record(&source[entry.central.clone()], offset)
            }
            Some(content) => {
                let packed = repack(package, index, content, reuse)?;
                seams.extend(packed.seam.clone().map(|seam| (index, seam)));
                write_local(&mut out, source, entry, &packed);
                out.extend_from_slice(&source[entry.behind(source)]);
                rewritten_record(&source[entry.central.clone()], &packed, offset)
            }
        });
    }
    let mut directory: Vec<u8> = records.into_iter().flatten().flatten().collect();
    for (name, content) in &package.added {
        let offset = stored_offset(out.len(), archive.shift)?;
        let packed = pack(content)?;
        write_added(&mut out, name.as_str(), &packed);
        directory.extend(added_record(name.as_str(), &packed, offset));
    }
    finish_directory(&mut out, package, &directory)?;
    Ok(Written { bytes: out, seams })
}

fn stored_offset(position: usize, shift: usize) -> Result<u32, EditError> {
    u32::try_from(position - shift)
        .map_err(|_| EditError::new(EditErrorKind::TooLarge, "The package would grow over 4 GiB."))
}

/// A changed part, with blocks of its old data where that pays.
fn repack(package: &Package<'_>, index: usize, content: &[u8], reuse: Reuse) -> Result<Packed, EditError> {
    let entry = &package.archive.entries[index];
    if reuse == Reuse::Nothing || entry.method != DEFLATE || content.len() < LARGE {
        return pack(content);
    }
    let old = package.read_original(index)?;
    let marks = package.marks.borrow();
    let marks = marks.get(&index).map(Vec::as_slice).unwrap_or_default();
    match splice::splice(&package.source[entry.data.clone()], marks, &old, content) {
        Some((data, seam)) => sized(content, data, Some(seam)),
        None => pack(content),
    }
}

fn pack(content: &[u8]) -> Result<Packed, EditError> {
    let failed = |_| EditError::new(EditErrorKind::Internal, "A part could not be compressed.");
    let mut encoder = DeflateEncoder::new(Vec::with_capacity(content.len() / 4), Compression::new(6));
    encoder.write_all(content).map_err(failed)?;
    let data = encoder.finish().map_err(failed)?;
    sized(content, data, None)
}

fn sized(content: &[u8], data: Vec<u8>, seam: Option<Seam>) -> Result<Packed, EditError> {
    let too_large = |_| EditError::new(EditErrorKind::TooLarge, "A part would grow over 4 GiB.");
    u32::try_from(data.len()).map_err(too_large)?;
    let size = u32::try_from(content.len()).map_err(too_large)?;
    Ok(Packed { crc: crc32fast::hash(content), size, data, seam })
}

/// The same record with another offset, in the zip64 extra field where it stood there.
fn moved_record(record: &[u8], offset: u32) -> Vec<u8> {
    let mut record = record.to_vec();
    if u32_at(&record, 42) != Some(0xFFFF_FFFF) {
        record[42..46].copy_from_slice(&offset.to_le_bytes());
        return record;
    }
    if let Some(at) = archive::wide_offset_at(&record) {
        record[at..at + 8].copy_from_slice(&u64::from(offset).to_le_bytes());
    }
    record
}

/// A record for new content under the old name, times, attributes and comment.
fn rewritten_record(old: &[u8], packed: &Packed, offset: u32) -> Vec<u8> {
    let name_length = u16_at(old, 28).unwrap_or(0) as usize;
    let extra_length = u16_at(old, 30).unwrap_or(0) as usize;
    let extra = without_zip64(&old[46 + name_length..46 + name_length + extra_length]);
    let mut record = old[..46 + name_length].to_vec();
    let flags = u16_at(old, 8).unwrap_or(0) & UTF8;
    record[6..8].copy_from_slice(&VERSION.to_le_bytes());
    record[8..10].copy_from_slice(&flags.to_le_bytes());
    record[10..12].copy_from_slice(&DEFLATE.to_le_bytes());
    record[16..20].copy_from_slice(&packed.crc.to_le_bytes());
    record[20..24].copy_from_slice(&(packed.data.len() as u32).to_le_bytes());
    record[24..28].copy_from_slice(&packed.size.to_le_bytes());
    record[30..32].copy_from_slice(&(extra.len() as u16).to_le_bytes());
    record[42..46].copy_from_slice(&offset.to_le_bytes());
    record.extend_from_slice(&extra);
    record.extend_from_slice(&old[46 + name_length + extra_length..]);
    record
}

fn write_local(out: &mut Vec<u8>, source: &[u8], entry: &Entry, packed: &Packed) {
    let start = entry.span.start;
    let name_end = start + 30 + u16_at(source, start + 26).unwrap_or(0) as usize;
    let extra = without_zip64(&source[name_end..entry.data.start]);
    let flags = entry.flags & UTF8 & !DESCRIPTOR;
    local_header(
        out,
        flags,
        &source[start + 10..start + 14],
        packed,
        (name_end - start - 30) as u16,
        extra.len() as u16,
    );
    out.extend_from_slice(&source[start + 30..name_end]);
    out.extend_from_slice(&extra);
    out.extend_from_slice(&packed.data);
}

fn local_header(out: &mut Vec<u8>, flags: u16, time_and_date: &[u8], packed: &Packed, name: u16, extra: u16) {
    out.extend_from_slice(&LOCAL.to_le_bytes());
    for field in [VERSION, flags, DEFLATE] {
        out.extend_from_slice(&field.to_le_bytes());
    }
    out.extend_from_slice(time_and_date);
    for field in [packed.crc, packed.data.len() as u32, packed.size] {
        out.extend_from_slice(&field.to_le_bytes());
    }
    out.extend_from_slice(&name.to_le_bytes());
    out.extend_from_slice(&extra.to_le_bytes());
}

fn name_flags(name: &str) -> u16 {
    if name.is_ascii() { 0 } else { UTF8 }
}

fn write_added(out: &mut Vec<u8>, name: &str, packed: &Packed) {
    let [low, high] = EPOCH_DATE.to_le_bytes();
    local_header(out, name_flags(name), &[0, 0, low, high], packed, name.len() as u16, 0);
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(&packed.data);
}

fn added_record(name: &str, packed: &Packed, offset: u32) -> Vec<u8> {
    let mut record = Vec::with_capacity(46 + name.len());
    record.extend_from_slice(&CENTRAL.to_le_bytes());
    for field in [VERSION, VERSION, name_flags(name), DEFLATE, 0, EPOCH_DATE] {
        record.extend_from_slice(&field.to_le_bytes());
    }
    for field in [packed.crc, packed.data.len() as u32, packed.size] {
        record.extend_from_slice(&field.to_le_bytes());
    }
    for field in [name.len() as u16, 0, 0, 0, 0] {
        record.extend_from_slice(&field.to_le_bytes());
    }
    record.extend_from_slice(&0_u32.to_le_bytes());
    record.extend_from_slice(&offset.to_le_bytes());
    record.extend_from_slice(name.as_bytes());
    record
}

fn without_zip64(extra: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(extra.len());
    let mut read = 0;
    for (id, range) in extra_fields(extra) {
        if id != 1 {
            kept.extend_from_slice(&extra[range.start - 4..range.end]);
        }
        read = range.end;
    }
    kept.extend_from_slice(&extra[read..]);
    kept
}

/// The directory, whatever followed its records, and the end records with new counts and offsets.
fn finish_directory(out: &mut Vec<u8>, package: &Package<'_>, directory: &[u8]) -> Result<(), EditError> {
    let (archive, source) = (&package.archive, package.source);
    let start = stored_offset(out.len(), archive.shift)?;
    let count = archive.entries.len() - package.removed.len() + package.added.len();
    out.extend_from_slice(directory);
    let records_end =
        archive.entries.iter().map(|entry| entry.central.end).max().unwrap_or(archive.directory.start);
    let behind = &source[records_end..archive.end64.unwrap_or(archive.end)];
    out.extend_from_slice(behind);
    // A signature behind the records counts as part of the directory (APPNOTE 4.3.13) when the old size said so.
    let size = (directory.len() + archive.directory.end.saturating_sub(records_end)) as u64;
    if let Some(end64) = archive.end64 {
        let position = out.len() as u64 - archive.shift as u64;
        let base = out.len();
        out.extend_from_slice(&source[end64..archive.end]);
        for (field, value) in [(24, count as u64), (32, count as u64), (40, size), (48, u64::from(start))] {
            out[base + field..base + field + 8].copy_from_slice(&value.to_le_bytes());
        }
        let locator = out.len() - 20;
        out[locator + 8..locator + 16].copy_from_slice(&position.to_le_bytes());
    }
    let base = out.len();
    out.extend_from_slice(&source[archive.end..]);
    debug_assert_eq!(u32_at(out, base), Some(END));
    let fields16 = [(8, count as u64), (10, count as u64)];
    let fields32 = [(12, size), (16, u64::from(start))];
    for (field, value) in
        fields16.into_iter().filter(|(field, _)| u16_at(source, archive.end + field) != Some(0xFFFF))
    {
        let value = u16::try_from(value).map_err(|_| {
            EditError::new(EditErrorKind::TooLarge, "The package would have too many entries.")
        })?;
        out[base + field..base + field + 2].copy_from_slice(&value.to_le_bytes());
    }
    for (field, value) in
        fields32.into_iter().filter(|(field, _)| u32_at(source, archive.end + field) != Some(0xFFFF_FFFF))
    {
        let value = u32::try_from(value).map_err(|_| {
            EditError::new(EditErrorKind::TooLarge, "The package directory would be too large.")
        })?;
        out[base + field..base + field + 4].copy_from_slice(&value.to_le_bytes());
    }
    Ok(())
}
