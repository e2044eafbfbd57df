//! Archives as odd as a test wants them, put together byte by byte: what real programs and hostile ones write.

use std::io::Write;

/// The numbers behind an entry's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    pub is_signed: bool,
    pub is_wide: bool,
}

/// One entry; the defaults are those of an ordinary one.
#[derive(Debug, Clone)]
pub struct OddEntry {
    pub name: Vec<u8>,
    pub content: Vec<u8>,
    /// 8 deflates, 0 stores; anything else only says so.
    pub method: u16,
    pub flags: u16,
    pub local_flags: Option<u16>,
    pub local_name: Option<Vec<u8>>,
    /// Packed and unpacked size in the local header, when they are not the true ones.
    pub local_sizes: Option<(u32, u32)>,
    /// The unpacked size in the directory, when it is not the true one.
    pub told_size: Option<u32>,
    pub descriptor: Option<Descriptor>,
    /// Sizes (and in the directory the offset) in zip64 extra fields.
    pub is_wide: bool,
    pub extra: Vec<u8>,
    /// Bytes of nobody behind the entry.
    pub behind: Vec<u8>,
    pub disk: u16,
}

impl OddEntry {
    pub fn new(name: &str, content: &[u8]) -> OddEntry {
        OddEntry {
            name: name.as_bytes().to_vec(),
            content: content.to_vec(),
            method: 8,
            flags: 0,
            local_flags: None,
            local_name: None,
            local_sizes: None,
            told_size: None,
            descriptor: None,
            is_wide: false,
            extra: Vec::new(),
            behind: Vec::new(),
            disk: 0,
        }
    }
}

/// An archive.
#[derive(Debug, Clone, Default)]
pub struct OddArchive {
    pub prefix: Vec<u8>,
    /// Whether offsets count the prefix.
    pub counts_prefix: bool,
    pub entries: Vec<OddEntry>,
    /// The directory lists the entries backwards.
    pub is_reversed: bool,
    /// The directory stands behind so many entries instead of behind all.
    pub directory_after: Option<usize>,
    pub is_wide_end: bool,
    /// The numbers of this disk and of the one with the directory.
    pub disks: (u16, u16),
    /// Added to the count of entries.
    pub miscount: i32,
    pub comment: Vec<u8>,
    pub trailing: Vec<u8>,
}

fn put(out: &mut Vec<u8>, fields: &[(u64, usize)]) {
    for (value, width) in fields {
        out.extend_from_slice(&value.to_le_bytes()[..*width]);
    }
}

impl OddArchive {
    pub fn of(entries: Vec<OddEntry>) -> OddArchive {
        OddArchive { entries, ..OddArchive::default() }
    }

    /// The bytes.
    pub fn build(&self) -> Vec<u8> {
        let mut out = self.prefix.clone();
        let base = if self.counts_prefix { 0 } else { self.prefix.len() };
        let mut records = Vec::new();
        let mut directory = None;
        for (index, entry) in self.entries.iter().enumerate() {
            if self.directory_after == Some(index) {
                // Offsets of the entries behind it are known only later, so room is left and filled in below.
                let length: usize = self.entries.iter().map(|entry| entry.record(0, 0, 0).len()).sum();
                directory = Some(out.len());
                out.resize(out.len() + length, 0);
            }
            let offset = out.len() - base;
            let (crc, packed) = entry.write(&mut out);
            records.push(entry.record(crc, packed, offset as u64));
        }
        if self.is_reversed {
            records.reverse();
        }
        let (count, records) = (records.len(), records.concat());
        let start = match directory {
            Some(start) => {
                out[start..start + records.len()].copy_from_slice(&records);
                start
            }
            None => {
                let start = out.len();
                out.extend_from_slice(&records);
                start
            }
        };
        self.end(
            &mut out,
            (count as i32 + self.miscount) as u64,
            records.len() as u64,
            (start - base) as u64,
            base,
        );
        out.extend_from_slice(&self.trailing);
        out
    }

    fn end(&self, out: &mut Vec<u8>, count: u64, size: u64, start: u64, base: usize) {
        let (mut told_count, mut told_size, mut told_start) = (count, size, start);
        if self.is_wide_end {
            let at = (out.len() - base) as u64;
            put(
                out,
                &[
                    (0x0606_4b50, 4),
                    (44, 8),
                    (45, 2),
                    (45, 2),
                    (0, 4),
                    (0, 4),
                    (count, 8),
                    (count, 8),
                    (size, 8),
                    (start, 8),
                ],
            );
            put(out, &[(0x0706_4b50, 4), (0, 4), (at, 8), (1, 4)]);
            (told_count, told_size, told_start) = (0xFFFF, 0xFFFF_FFFF, 0xFFFF_FFFF);
        }
        let disks = (u64::from(self.disks.0), u64::from(self.disks.1));
        put(out, &[(0x0605_4b50, 4), (disks.0, 2), (disks.1, 2), (told_count, 2), (told_count, 2)]);
        put(out, &[(told_size, 4), (told_start, 4), (self.comment.len() as u64, 2)]);
        out.extend_from_slice(&self.comment);
    }
}

impl OddEntry {
    fn packed(&self) -> Vec<u8> {
        if self.method != 8 {
            return self.content.clone();
        }
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::new(6));
        // Writing to memory cannot fail.
        let _ = encoder.write_all(&self.content);
        encoder.finish().unwrap_or_default()
    }

    fn write(&self, out: &mut Vec<u8>) -> (u32, u64) {
        let data = self.packed();
        let mut crc = flate2::Crc::new();
        crc.update(&self.content);
        let (packed, plain) = (data.len() as u64, self.content.len() as u64);
        let flags = self.flags | if self.descriptor.is_some() { 8 } else { 0 };
        let (mut told_packed, mut told_plain) = (packed, plain);
        if let Some((packed, plain)) = self.local_sizes {
            (told_packed, told_plain) = (packed.into(), plain.into());
        }
        let mut extra = self.extra.clone();
        if self.is_wide {
            put(&mut extra, &[(1, 2), (16, 2), (told_plain, 8), (told_packed, 8)]);
            (told_packed, told_plain) = (0xFFFF_FFFF, 0xFFFF_FFFF);
        }
        let mut told_crc = u64::from(crc.sum());
        if self.descriptor.is_some() {
            told_crc = 0;
            if !self.is_wide {
                (told_packed, told_plain) = (0, 0);
            }
        }
        let name = self.local_name.as_ref().unwrap_or(&self.name);
        put(
            out,
            &[
                (0x0403_4b50, 4),
                (20, 2),
                (self.local_flags.unwrap_or(flags).into(), 2),
                (self.method.into(), 2),
                (0, 2),
                (0x21, 2),
            ],
        );
        put(
            out,
            &[
                (told_crc, 4),
                (told_packed, 4),
                (told_plain, 4),
                (name.len() as u64, 2),
                (extra.len() as u64, 2),
            ],
        );
        out.extend_from_slice(name);
        out.extend_from_slice(&extra);
        out.extend_from_slice(&data);
        if let Some(descriptor) = self.descriptor {
            if descriptor.is_signed {
                put(out, &[(0x0807_4b50, 4)]);
            }
            let width = if descriptor.is_wide { 8 } else { 4 };
            put(out, &[(crc.sum().into(), 4), (packed, width), (plain, width)]);
        }
        out.extend_from_slice(&self.behind);
        (crc.sum(), packed)
    }

    fn record(&self, crc: u32, packed: u64, offset: u64) -> Vec<u8> {
        let plain = self.told_size.map_or(self.content.len() as u64, u64::from);
        let flags = self.flags | if self.descriptor.is_some() { 8 } else { 0 };
        let mut extra = self.extra.clone();
        let (mut told_packed, mut told_plain, mut told_offset) = (packed, plain, offset);
        if self.is_wide {
            put(&mut extra, &[(1, 2), (24, 2), (plain, 8), (packed, 8), (offset, 8)]);
            (told_packed, told_plain, told_offset) = (0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF);
        }
        let mut out = Vec::new();
        put(
            &mut out,
            &[
                (0x0201_4b50, 4),
                (20, 2),
                (20, 2),
                (flags.into(), 2),
                (self.method.into(), 2),
                (0, 2),
                (0x21, 2),
            ],
        );
        put(
            &mut out,
            &[
                (crc.into(), 4),
                (told_packed, 4),
                (told_plain, 4),
                (self.name.len() as u64, 2),
                (extra.len() as u64, 2),
            ],
        );
        put(&mut out, &[(0, 2), (self.disk.into(), 2), (0, 2), (0, 4), (told_offset, 4)]);
        out.extend_from_slice(&self.name);
        out.extend_from_slice(&extra);
        out
    }
}
