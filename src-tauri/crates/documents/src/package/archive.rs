//! Reading a zip archive as spans (APPNOTE 4.3, 4.4): where each entry lies, nothing copied, nothing inflated.
//!
//! An entry's span runs from its local header to the next entry's, so data descriptors of every known shape and any padding travel
//! with it. Declared sizes are used to find data, never to allocate.

use std::{
    cell::OnceCell,
    collections::{HashMap, hash_map},
    ops::Range,
};

use super::PartName;
use crate::{DocumentError, Limits};

pub(super) const LOCAL: u32 = 0x0403_4b50;
pub(super) const CENTRAL: u32 = 0x0201_4b50;
pub(super) const END: u32 = 0x0605_4b50;
pub(super) const END64: u32 = 0x0606_4b50;
pub(super) const LOCATOR64: u32 = 0x0706_4b50;
const DESCRIPTOR_SIGNATURE: u32 = 0x0807_4b50;
/// General-purpose bit 3: sizes follow the data.
pub(super) const DESCRIPTOR: u16 = 1 << 3;
/// Bits 0, 6 and 13: encrypted, strongly encrypted, directory masked (APPNOTE 4.4.4).
const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
const CFB: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

/// One entry; all ranges are absolute in the source.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) method: u16,
    pub(super) flags: u16,
    pub(super) crc: u32,
    pub(super) size: u64,
    /// The central-directory record.
    pub(super) central: Range<usize>,
    /// From the local header to the next entry or the directory.
    pub(super) span: Range<usize>,
    /// The compressed data.
    pub(super) data: Range<usize>,
    /// The local header has another name or method than the directory: programs that read the one see another part than those
    /// that read the other.
    pub(super) has_other_header: bool,
}

impl Entry {
    pub(super) fn is_folder(&self) -> bool {
        self.name.ends_with(['/', '\\'])
    }

    /// What lies between this entry and the next one and belongs to neither: padding, or what another program left there.
    pub(super) fn behind(&self, source: &[u8]) -> Range<usize> {
        self.data.end + self.descriptor(source)..self.span.end
    }

    /// The length of the data descriptor: with or without its signature, with sizes of 4 or 8 bytes (APPNOTE 4.3.9).
    fn descriptor(&self, source: &[u8]) -> usize {
        let local_flags = u16_at(source, self.span.start + 6).unwrap_or(0);
        if (self.flags | local_flags) & DESCRIPTOR == 0 {
            return 0;
        }
        let rest = &source[self.data.end..self.span.end];
        let compressed = self.data.len() as u64;
        let is_one = |signature: usize, wide: bool| {
            let sizes = signature + 4;
            let (packed, plain) = match wide {
                true => (u64_at(rest, sizes), u64_at(rest, sizes + 8)),
                false => (u32_at(rest, sizes).map(u64::from), u32_at(rest, sizes + 4).map(u64::from)),
            };
            u32_at(rest, signature) == Some(self.crc)
                && packed == Some(compressed)
                && plain == Some(self.size)
        };
        let signed = u32_at(rest, 0) == Some(DESCRIPTOR_SIGNATURE);
        [(4, true, 24), (4, false, 16), (0, true, 20), (0, false, 12)]
            .into_iter()
            .filter(|(signature, ..)| signed || *signature == 0)
            .find(|(signature, wide, _)| is_one(*signature, *wide))
            .map_or(0, |(.., length)| length)
    }
}

/// A zip archive's layout.
#[derive(Debug)]
pub(super) struct Archive {
    /// In the order of the central directory.
    pub(super) entries: Vec<Entry>,
    /// What is added to every stored offset: bytes before the archive that its offsets do not count.
    pub(super) shift: usize,
    pub(super) directory: Range<usize>,
    /// The zip64 end record, where there is one.
    pub(super) end64: Option<usize>,
    /// The end record; comment and trailing bytes follow it to the end of the file.
    pub(super) end: usize,
    /// Made when a name is first looked for.
    index: OnceCell<Index>,
}

/// The entries by their names, compared as part names are.
#[derive(Debug)]
struct Index {
    /// The first entry of each name, and all of them where there are several.
    first: HashMap<String, usize>,
    several: HashMap<String, Vec<usize>>,
}

impl Archive {
    /// Reads the layout, or says why these bytes are no archive of ours.
    pub(super) fn open(source: &[u8], limits: &Limits) -> Result<Archive, DocumentError> {
        refuse_other_containers(source)?;
        let End { end, end64, count, directory, shift } = find_end(source)?;
        let mut entries = read_directory(source, &directory, shift, count, limits.entries)?;
        lay_out(source, &mut entries, directory.start)?;
        Ok(Archive { entries, shift, directory, end64, end, index: OnceCell::new() })
    }

    /// The entries for a part: with slashes, without case, percent-decoded. More than one is a duplicate, for names that differ only in
    /// case count as one part (ECMA-376-2, 6.2.2.3).
    pub(super) fn find(&self, name: &PartName) -> Vec<usize> {
        let canonical = name.canonical();
        let index = self.index.get_or_init(|| Index::of(&self.entries));
        match index.several.get(&canonical) {
            Some(all) => all.clone(),
            None => index.first.get(&canonical).copied().into_iter().collect(),
        }
    }
}

impl Index {
    fn of(entries: &[Entry]) -> Index {
        let mut index = Index { first: HashMap::with_capacity(entries.len()), several: HashMap::new() };
        for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| !entry.is_folder()) {
            match index.first.entry(PartName::new(&entry.name).canonical()) {
                hash_map::Entry::Vacant(place) => {
                    place.insert(at);
                }
                hash_map::Entry::Occupied(first) => {
                    let all = index.several.entry(first.key().clone());
                    all.or_insert_with(|| vec![*first.get()]).push(at);
                }
            }
        }
        index
    }
}

fn damaged(why: &str) -> DocumentError {
    DocumentError::Damaged(format!("The file is damaged: {why}."))
}

fn refuse_other_containers(source: &[u8]) -> Result<(), DocumentError> {
    if source.starts_with(&CFB) {
        let encrypted: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
        return Err(if memchr::memmem::find(source, &encrypted).is_some() {
            DocumentError::Encrypted("The document is encrypted with a password or with rights management. Remove the protection in the program it came from, then open it again.".into())
        } else {
            DocumentError::Unsupported("The file is in the old binary Office format (.doc, .xls, .ppt). Save it as .docx, .xlsx or .pptx first.".into())
        });
    }
    if source.is_empty() {
        return Err(damaged("it is empty"));
    }
    let signature = LOCAL.to_le_bytes();
    if !signature.starts_with(source) && memchr::memmem::find(source, &signature).is_none() {
        let what = match source {
            // An archive without entries.
            [b'P', b'K', 5, 6, ..] => "an empty archive",
            [b'{', b'\\', b'r', b't', b'f', ..] => "a rich-text file (RTF)",
            [b'<', ..] => "an HTML or XML file",
            [b'%', b'P', b'D', b'F', ..] => "a PDF",
            _ => "something else",
        };
        return Err(DocumentError::Unsupported(format!(
            "The file is no Word, Excel or PowerPoint document, whatever its name says: it is {what}."
        )));
    }
    Ok(())
}

/// The end of an archive, as its end record and directory tell it.
struct End {
    /// The end record, and the zip64 one.
    end: usize,
    end64: Option<usize>,
    count: u64,
    directory: Range<usize>,
    shift: usize,
}

pub(super) fn two_packages() -> DocumentError {
    let message =
        "The file can be read as two different packages, depending on the program; it is not edited.";
    DocumentError::Unsupported(message.into())
}

/// Finds the last end record whose comment fits and that leads to a directory; trailing bytes after it are allowed (APPNOTE 4.3.16).
/// A comment may hold what looks like an end record. Where two of them lead to a directory and end with the file, nobody knows which
/// one another program takes.
fn find_end(source: &[u8]) -> Result<End, DocumentError> {
    let signature = END.to_le_bytes();
    let ends_at = |at: usize| Some(at + 22 + usize::from(u16_at(source, at + 20)?));
    let fitting = memchr::memmem::rfind_iter(source, &signature)
        .filter(|&at| ends_at(at).is_some_and(|behind| behind <= source.len()));
    let mut first_fault = None;
    let mut found: Option<End> = None;
    for at in fitting {
        match (read_end(source, at), &found) {
            (Ok(end), None) => found = Some(end),
            (Ok(other), Some(end)) => {
                let both_end =
                    ends_at(other.end) == Some(source.len()) && ends_at(end.end) == Some(source.len());
                if both_end && other.directory != end.directory {
                    return Err(two_packages());
                }
            }
            (Err(fault), _) => drop(first_fault.get_or_insert(fault)),
        }
    }
    found.ok_or_else(|| {
        first_fault
            .unwrap_or_else(|| damaged("the end of the package is missing; the file was probably cut off"))
    })
}

fn read_end(source: &[u8], end: usize) -> Result<End, DocumentError> {
    let field16 =
        |at| u16_at(source, end + at).map(u64::from).ok_or_else(|| damaged("its end record is cut off"));
    let field32 =
        |at| u32_at(source, end + at).map(u64::from).ok_or_else(|| damaged("its end record is cut off"));
    let (disk, start_disk, count, size, offset) =
        (field16(4)?, field16(6)?, field16(10)?, field32(12)?, field32(16)?);
    let wants64 = count == 0xFFFF || size == 0xFFFF_FFFF || offset == 0xFFFF_FFFF;
    // In a zip64 archive the numbers of disks may be told there.
    let is_one_disk = |number: u64| number == 0 || (number == 0xFFFF && wants64);
    if !(is_one_disk(disk) && is_one_disk(start_disk)) {
        return Err(DocumentError::Unsupported("The package is split over several files.".into()));
    }
    let locator = end.checked_sub(20).filter(|&at| u32_at(source, at) == Some(LOCATOR64));
    let (count, size, offset, end64) = match locator {
        Some(locator) => {
            let stored = u64_at(source, locator + 8).and_then(|at| usize::try_from(at).ok());
            let adjacent = locator.checked_sub(56);
            let at = [stored, adjacent]
                .into_iter()
                .flatten()
                .find(|&at| at < locator && u32_at(source, at) == Some(END64));
            let at = at.ok_or_else(|| damaged("its zip64 end record is missing"))?;
            let wide =
                |field| u64_at(source, at + field).ok_or_else(|| damaged("its zip64 end record is cut off"));
            if u32_at(source, locator + 4).is_some_and(|disk| disk != 0) || wide(24)? != wide(32)? {
                return Err(DocumentError::Unsupported("The package is split over several files.".into()));
            }
            (wide(32)?, wide(40)?, wide(48)?, Some(at))
        }
        None if count == 0xFFFF && size == 0xFFFF_FFFF => {
            return Err(damaged("its zip64 end record is missing"));
        }
        None => (count, size, offset, None),
    };
    // No package is empty, but a comment may hold an end record that says so.
    if count == 0 {
        return Err(damaged("it holds no parts"));
    }
    let (directory, shift) = locate_directory(source, size, offset, end64.unwrap_or(end))?;
    Ok(End { end, end64, count, directory, shift })
}

/// The directory's range; when bytes were put before the archive without adjusting it, also by how much it is shifted.
fn locate_directory(
    source: &[u8],
    size: u64,
    offset: u64,
    end: usize,
) -> Result<(Range<usize>, usize), DocumentError> {
    let size = usize::try_from(size).map_err(|_| damaged("its directory size is impossible"))?;
    let offset = usize::try_from(offset).map_err(|_| damaged("its directory offset is impossible"))?;
    let starts_well = |at: usize| size == 0 || u32_at(source, at) == Some(CENTRAL);
    // It mostly ends where the end record begins. That comes first: where bytes stand in front, they may hold anything.
    let adjacent = end.checked_sub(size).filter(|&adjacent| adjacent >= offset && starts_well(adjacent));
    if let Some(adjacent) = adjacent {
        return Ok((adjacent..end, adjacent - offset));
    }
    let declared_end = offset.checked_add(size).filter(|&declared_end| declared_end <= end);
    match declared_end.filter(|_| starts_well(offset)) {
        Some(declared_end) => Ok((offset..declared_end, 0)),
        None => Err(damaged("its directory is not where the end record says")),
    }
}

fn read_directory(
    source: &[u8],
    directory: &Range<usize>,
    shift: usize,
    count: u64,
    most: usize,
) -> Result<Vec<Entry>, DocumentError> {
    let mut entries = Vec::new();
    let mut at = directory.start;
    while at < directory.end && u32_at(source, at) == Some(CENTRAL) {
        if entries.len() == most {
            let message = format!("The package has more than {most} entries, which is the limit.");
            return Err(DocumentError::TooLarge(message));
        }
        let entry = read_record(source, at, directory.end, shift)?;
        at = entry.central.end;
        entries.push(entry);
    }
    if entries.len() as u64 != count && entries.len() as u64 & 0xFFFF != count {
        return Err(damaged(&format!("its directory lists {} entries but says {count}", entries.len())));
    }
    Ok(entries)
}

fn read_record(source: &[u8], at: usize, limit: usize, shift: usize) -> Result<Entry, DocumentError> {
    let cut = || damaged("its directory is cut off");
    let half = |field| u16_at(source, at + field).ok_or_else(cut);
    let word = |field| u32_at(source, at + field).ok_or_else(cut);
    let (name_length, extra_length, comment_length) =
        (half(28)? as usize, half(30)? as usize, half(32)? as usize);
    let name_start = at + 46;
    let extra_start = name_start + name_length;
    let end = extra_start + extra_length + comment_length;
    if end > limit {
        return Err(cut());
    }
    let (mut compressed, mut size, mut offset) =
        (u64::from(word(20)?), u64::from(word(24)?), u64::from(word(42)?));
    let mut wide = zip64_fields(&source[extra_start..extra_start + extra_length]);
    for field in [&mut size, &mut compressed, &mut offset] {
        if *field == 0xFFFF_FFFF {
            *field = wide.next().unwrap_or(*field);
        }
    }
    let start = usize::try_from(offset)
        .ok()
        .and_then(|offset| offset.checked_add(shift))
        .ok_or_else(|| damaged("an entry's offset is impossible"))?;
    let compressed = usize::try_from(compressed).map_err(|_| damaged("an entry's size is impossible"))?;
    let flags = half(8)?;
    let raw_name = &source[name_start..extra_start];
    let name = match std::str::from_utf8(raw_name) {
        Ok(name) => name.to_owned(),
        Err(_) => raw_name.iter().map(|&byte| byte as char).collect(),
    };
    if flags & ENCRYPTED != 0 {
        return Err(DocumentError::Encrypted(format!("{name} inside the package is encrypted.")));
    }
    // `data` holds the length for now; `lay_out` moves it behind the local header.
    Ok(Entry {
        name,
        method: half(10)?,
        flags,
        crc: word(16)?,
        size,
        central: at..end,
        span: start..start,
        data: 0..compressed,
        has_other_header: false,
    })
}

/// The 8-byte values of the zip64 extra field in their order (APPNOTE 4.5.3).
pub(super) fn zip64_fields(extra: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let field = extra_fields(extra).find(|(id, _)| *id == 1).map_or(0..0, |(_, range)| range);
    extra[field]
        .chunks_exact(8)
        .map(|bytes| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

/// Where the 8-byte offset lies in a directory record, when its zip64 extra field holds one.
pub(super) fn wide_offset_at(record: &[u8]) -> Option<usize> {
    let wide_before = [20, 24].iter().filter(|&&field| u32_at(record, field) == Some(0xFFFF_FFFF)).count();
    let extra_start = 46 + usize::from(u16_at(record, 28)?);
    let extra_end = extra_start + usize::from(u16_at(record, 30)?);
    let (_, range) = extra_fields(record.get(extra_start..extra_end)?).find(|(id, _)| *id == 1)?;
    let at = extra_start + range.start + 8 * wide_before;
    (at + 8 <= extra_start + range.end).then_some(at)
}

/// The extra fields' ids and the ranges of their data.
pub(super) fn extra_fields(extra: &[u8]) -> impl Iterator<Item = (u16, Range<usize>)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (id, length) = (u16_at(extra, at)?, u16_at(extra, at + 2)? as usize);
        let data = at + 4..at + 4 + length;
        (data.end <= extra.len()).then(|| {
            at = data.end;
            (id, data)
        })
    })
}

/// Gives each entry its span and data range; overlapping entries are refused.
fn lay_out(source: &[u8], entries: &mut [Entry], directory: usize) -> Result<(), DocumentError> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&index| entries[index].span.start);
    if order.last().is_some_and(|&last| entries[last].span.start > directory) {
        return Err(DocumentError::Unsupported(
            "The package's directory does not stand behind its parts, as no Office program writes it; it is not edited.".into(),
        ));
    }
    for (position, &index) in order.iter().enumerate() {
        let next = order.get(position + 1).map_or(directory, |&next| entries[next].span.start);
        let entry = &mut entries[index];
        let start = entry.span.start;
        if u32_at(source, start) != Some(LOCAL) {
            return Err(damaged(&format!("the entry {} is not where the directory says", entry.name)));
        }
        let (Some(name_length), Some(extra_length)) =
            (u16_at(source, start + 26), u16_at(source, start + 28))
        else {
            return Err(damaged("an entry is cut off"));
        };
        let data = start + 30 + name_length as usize + extra_length as usize;
        let data_end = data.saturating_add(entry.data.end);
        if data_end > next {
            return Err(damaged(&format!("the entry {} overlaps the next one", entry.name)));
        }
        entry.span = start..next;
        entry.data = data..data_end;
        let local_name = &source[start + 30..start + 30 + name_length as usize];
        let name_end = entry.central.start + 46 + name_lengths(source, &entry.central);
        let name = source.get(entry.central.start + 46..name_end);
        entry.has_other_header = name != Some(local_name) || u16_at(source, start + 8) != Some(entry.method);
    }
    Ok(())
}

fn name_lengths(source: &[u8], record: &Range<usize>) -> usize {
    u16_at(source, record.start + 28).map_or(0, usize::from)
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_le_bytes)
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at.checked_add(8)?)?.try_into().ok().map(u64::from_le_bytes)
}
