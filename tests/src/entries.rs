//! Two packages compared entry by entry, by code that shares nothing with the engine.
//!
//! An entry is raw-identical when its local span (header, data, descriptor) and its directory record, the offset aside, are the same
//! bytes. It reads only sound archives: whatever the engine accepts and writes.

use std::ops::Range;

/// One entry as it lies in the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: Vec<u8>,
    pub record: Vec<u8>,
    pub span: Vec<u8>,
    pub content: Vec<u8>,
}

/// What an edit did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    pub identical: usize,
    /// Compressed anew without need.
    pub same_content: Vec<String>,
    /// Name, and how many bytes lie between the common beginning and end, before and after.
    pub changed: Vec<(String, usize, usize)>,
    pub added: Vec<String>,
    pub removed: Vec<String>,
    pub order_kept: bool,
}

/// The entries in directory order; `None` when the archive is not sound.
pub fn entries(archive: &[u8]) -> Option<Vec<Entry>> {
    // A comment may hold what looks like an end record.
    let mut ends = memchr::memmem::rfind_iter(archive, b"PK\x05\x06");
    ends.find_map(|end| entries_before(archive, end).filter(|found| !found.is_empty()))
}

fn entries_before(archive: &[u8], end: usize) -> Option<Vec<Entry>> {
    let mut count = number(archive, end + 10..end + 12)?;
    let mut size = number(archive, end + 12..end + 16)?;
    let mut start = number(archive, end + 16..end + 20)?;
    let mut behind = end;
    if count == 0xFFFF || size == 0xFFFF_FFFF || start == 0xFFFF_FFFF {
        let locator = memchr::memmem::rfind(&archive[..end], b"PK\x06\x07")?;
        let told = number(archive, locator + 8..locator + 16)?;
        // Bytes in front of the archive may not be counted.
        let is_there = archive.get(told..told + 4) == Some(b"PK\x06\x06");
        let wide = if is_there { told } else { locator.checked_sub(56)? };
        behind = wide;
        count = number(archive, wide + 32..wide + 40)?;
        size = number(archive, wide + 40..wide + 48)?;
        start = number(archive, wide + 48..wide + 56)?;
    }
    // The directory mostly ends where the end records begin; bytes in front may not be counted.
    let adjacent = behind.checked_sub(size).filter(|at| archive[*at..].starts_with(b"PK\x01\x02"));
    let prefix = adjacent.map_or(Some(0), |at| at.checked_sub(start))?;
    let mut at = start + prefix;
    let mut records = Vec::new();
    for _ in 0..count {
        let lengths: Vec<usize> = [28, 30, 32]
            .iter()
            .map(|field| number(archive, at + field..at + field + 2))
            .collect::<Option<_>>()?;
        let record = archive.get(at..at + 46 + lengths.iter().sum::<usize>())?;
        if !record.starts_with(b"PK\x01\x02") {
            return None;
        }
        let mut offset = number(record, 42..46)?;
        let mut offset_at = 42..46;
        if offset == 0xFFFF_FFFF {
            offset_at = wide_offset(record, 46 + lengths[0])?;
            offset = number(record, offset_at.clone())?;
        }
        let mut without_offset = record.to_vec();
        without_offset[offset_at].fill(0);
        records.push((without_offset, offset + prefix, lengths[0]));
        at += record.len();
    }
    let mut bounds: Vec<usize> =
        records.iter().map(|(_, offset, _)| *offset).chain([start + prefix]).collect();
    bounds.sort_unstable();
    let entry = |(record, offset, name): (Vec<u8>, usize, usize)| {
        let next = bounds.iter().find(|bound| **bound > offset)?;
        let span = archive.get(offset..*next)?.to_vec();
        let content = content(&span, &record)?;
        Some(Entry { name: record[46..46 + name].to_vec(), record, span, content })
    };
    records.into_iter().map(entry).collect()
}

fn number(bytes: &[u8], range: Range<usize>) -> Option<usize> {
    Some(bytes.get(range)?.iter().rev().fold(0, |value, byte| value << 8 | usize::from(*byte)))
}

/// Where the offset lies in a zip64 extra field that is the first one.
fn wide_offset(record: &[u8], extra: usize) -> Option<Range<usize>> {
    let before =
        [20, 24].iter().filter(|field| number(record, **field..**field + 4) == Some(0xFFFF_FFFF)).count();
    let at = extra + 4 + 8 * before;
    (at + 8 <= record.len()).then_some(at..at + 8)
}

fn content(span: &[u8], record: &[u8]) -> Option<Vec<u8>> {
    let data = 30 + number(span, 26..28)? + number(span, 28..30)?;
    let body = span.get(data..)?;
    if number(record, 10..12)? != 8 {
        return body.get(..number(record, 20..24)?).map(<[u8]>::to_vec);
    }
    let mut content = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::DeflateDecoder::new(body), &mut content).ok()?;
    Some(content)
}

/// Compares two archives; `None` when one of them is not sound.
pub fn compare(before: &[u8], after: &[u8]) -> Option<Difference> {
    let (before, after) = (entries(before)?, entries(after)?);
    let shown = |entry: &Entry| String::from_utf8_lossy(&entry.name).into_owned();
    let mut difference = Difference::default();
    let mut rest: Vec<&Entry> = after.iter().collect();
    let mut last = 0;
    difference.order_kept = true;
    for old in &before {
        let Some(at) = rest.iter().position(|new| new.name == old.name) else {
            difference.removed.push(shown(old));
            continue;
        };
        difference.order_kept &= at >= last;
        last = at;
        let new = rest.remove(at);
        if new.span == old.span && new.record == old.record {
            difference.identical += 1;
        } else if new.content == old.content {
            difference.same_content.push(shown(old));
        } else {
            let (gone, come) = middle(&old.content, &new.content);
            difference.changed.push((shown(old), gone, come));
        }
    }
    difference.added = rest.into_iter().map(shown).collect();
    Some(difference)
}

/// How much lies between the common beginning and the common end.
pub fn middle(before: &[u8], after: &[u8]) -> (usize, usize) {
    let start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let end =
        before[start..].iter().rev().zip(after[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    (before.len() - start - end, after.len() - start - end)
}

/// Makes an archive of deflated entries in this order.
pub fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let packed: Vec<(&str, Vec<u8>, &[u8])> =
        parts.iter().map(|(name, content)| (*name, deflated(content), *content)).collect();
    assembled(&packed)
}

/// The same with one more entry, whose compressed data is given.
pub fn archive_with(parts: &[(&str, &[u8])], name: &str, stream: &[u8], content: &[u8]) -> Vec<u8> {
    let mut packed: Vec<(&str, Vec<u8>, &[u8])> =
        parts.iter().map(|(name, content)| (*name, deflated(content), *content)).collect();
    packed.push((name, stream.to_vec(), content));
    assembled(&packed)
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::new(6));
    // Writing to memory cannot fail.
    let _ = std::io::Write::write_all(&mut encoder, content);
    encoder.finish().unwrap_or_default()
}

fn assembled(parts: &[(&str, Vec<u8>, &[u8])]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, data, content) in parts {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let fields = [crc.sum(), data.len() as u32, content.len() as u32].map(u32::to_le_bytes).concat();
        // Version 20, no flags, deflate, midnight of 1980-01-01.
        let head = [20, 0, 8, 0, 0x21_u16].map(u16::to_le_bytes).concat();
        let name_length = (name.len() as u16).to_le_bytes();
        let offset = (out.len() as u32).to_le_bytes();
        let pieces: [&[u8]; 7] =
            [b"PK\x03\x04", &head, &fields, &name_length, &[0; 2], name.as_bytes(), data];
        out.extend(pieces.concat());
        let pieces: [&[u8]; 7] =
            [b"PK\x01\x02\x14\0", &head, &fields, &name_length, &[0; 12], &offset, name.as_bytes()];
        directory.extend(pieces.concat());
    }
    let count = (parts.len() as u16).to_le_bytes();
    let (size, start) = ((directory.len() as u32).to_le_bytes(), (out.len() as u32).to_le_bytes());
    out.extend(&directory);
    let pieces: [&[u8]; 7] = [b"PK\x05\x06", &[0; 4], &count, &count, &size, &start, &[0; 2]];
    out.extend(pieces.concat());
    out
}

/// Where an entry's compressed data lies, and its size unpacked.
pub fn data_of(archive: &[u8], name: &str) -> Option<(Range<usize>, usize)> {
    let found = entries_at(archive)?.into_iter().find(|(entry, _)| entry == name.as_bytes())?;
    let record = found.1;
    let start = number(archive, record + 42..record + 46)?;
    let data =
        start + 30 + number(archive, start + 26..start + 28)? + number(archive, start + 28..start + 30)?;
    Some((
        data..data + number(archive, record + 20..record + 24)?,
        number(archive, record + 24..record + 28)?,
    ))
}

/// Names and where their directory records lie, of a plain archive.
fn entries_at(archive: &[u8]) -> Option<Vec<(Vec<u8>, usize)>> {
    let end = memchr::memmem::rfind(archive, b"PK\x05\x06")?;
    let mut at = number(archive, end + 16..end + 20)?;
    let mut found = Vec::new();
    while at < end {
        let lengths: Vec<usize> = [28, 30, 32]
            .iter()
            .map(|field| number(archive, at + field..at + field + 2))
            .collect::<Option<_>>()?;
        found.push((archive.get(at + 46..at + 46 + lengths[0])?.to_vec(), at));
        at += 46 + lengths.iter().sum::<usize>();
    }
    Some(found)
}
