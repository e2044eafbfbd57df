//! Which encoding a file has: byte-order mark, else valid UTF-8, else what it declares, else a guess that the user is shown.
//!
//! Binary files are refused here. Nothing is decided by a file's name.

use encoding_rs::Encoding;

use super::charset::{Charset, INVALID};
use crate::DocumentError;

/// The outcome.
#[derive(Debug, Clone)]
pub(super) struct Detected {
    pub charset: Charset,
    /// Bytes of byte-order mark.
    pub bom: usize,
    /// How sure this is.
    pub certainty: Certainty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// A mark, or valid UTF-8.
    Sure,
    /// The file says so itself.
    Declared,
    /// Told from the bytes.
    Guessed,
    /// UTF-8 with bytes in it that are not.
    Broken,
}

/// How many bytes a guess looks at.
const SAMPLE: usize = 1 << 20;

/// First bytes of files that are never text, though some hold no NUL.
const BINARY_OPENINGS: [(&[u8], &str); 10] = [
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "an old binary Office file or an encrypted one"),
    (b"\x89PNG", "a picture"),
    (b"\xFF\xD8\xFF", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x1F\x8B", "a gzip archive"),
    (b"7z\xBC\xAF", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7FELF", "a program"),
];

pub(super) fn detect(bytes: &[u8]) -> Result<Detected, DocumentError> {
    if let Some((_, what)) = BINARY_OPENINGS.iter().find(|(opening, _)| bytes.starts_with(opening)) {
        return Err(DocumentError::Unsupported(format!("This is {what}, not a text document.")));
    }
    if bytes.starts_with(b"\xFF\xFE\0\0") || bytes.starts_with(b"\0\0\xFE\xFF") {
        return Err(DocumentError::Unsupported("This text is in UTF-32, which Stet does not edit.".into()));
    }
    if let Some((charset, bom)) = by_mark(bytes) {
        refuse_nul(&charset, &bytes[bom..])?;
        let is_broken = matches!(charset, Charset::Utf8) && std::str::from_utf8(&bytes[bom..]).is_err();
        let certainty = if is_broken { Certainty::Broken } else { Certainty::Sure };
        return Ok(Detected { charset, bom, certainty });
    }
    if memchr::memchr(0, bytes).is_some() {
        return match utf16_without_mark(bytes) {
            Some(charset) => Ok(Detected { charset, bom: 0, certainty: Certainty::Guessed }),
            None => Err(binary()),
        };
    }
    refuse_controls(bytes)?;
    let (charset, certainty) = without_mark(bytes);
    Ok(Detected { charset, bom: 0, certainty })
}

fn binary() -> DocumentError {
    DocumentError::Unsupported(
        "This is a binary file, not a text document: it holds bytes that no text has.".into(),
    )
}

fn by_mark(bytes: &[u8]) -> Option<(Charset, usize)> {
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        Some((Charset::Utf8, 3))
    } else if bytes.starts_with(b"\xFF\xFE") {
        Some((Charset::Utf16 { big_endian: false }, 2))
    } else if bytes.starts_with(b"\xFE\xFF") {
        Some((Charset::Utf16 { big_endian: true }, 2))
    } else {
        None
    }
}

fn refuse_nul(charset: &Charset, bytes: &[u8]) -> Result<(), DocumentError> {
    let found = match charset {
        Charset::Utf16 { .. } => bytes.chunks_exact(2).any(|unit| unit == [0, 0]),
        Charset::Utf8 | Charset::Legacy(_) => memchr::memchr(0, bytes).is_some(),
    };
    if found { Err(binary()) } else { Ok(()) }
}

/// A tenth of control characters is no text; terminal output with escape sequences stays below.
fn refuse_controls(bytes: &[u8]) -> Result<(), DocumentError> {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let is_odd = |byte: &&u8| matches!(byte, 0x01..=0x08 | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F);
    if sample.iter().filter(is_odd).count() * 10 > sample.len() { Err(binary()) } else { Ok(()) }
}

/// UTF-16 that lacks its mark: no NUL character, no lone surrogate, and mostly ASCII or line ends and blanks in the right order.
fn utf16_without_mark(bytes: &[u8]) -> Option<Charset> {
    if !bytes.len().is_multiple_of(2) || bytes.len() < 4 {
        return None;
    }
    let plausible = [false, true].map(|big_endian| {
        let charset = Charset::Utf16 { big_endian };
        utf16_score(&charset, &bytes[..bytes.len().min(SAMPLE)]).map(|score| (score, charset))
    });
    let [little, big] = plausible;
    let best = match (little, big) {
        (Some(little), Some(big)) => {
            if big.0 > little.0 {
                big
            } else {
                little
            }
        }
        (one, other) => one.or(other)?,
    };
    refuse_nul(&best.1, bytes).ok().map(|()| best.1)
}

fn utf16_score(charset: &Charset, sample: &[u8]) -> Option<usize> {
    let (mut at, mut units, mut ascii, mut structure, mut strange) = (0, 0_usize, 0_usize, 0_usize, 0_usize);
    while at < sample.len() {
        let unit = charset.decode_at(sample, at);
        let cut_by_sample = unit.key == INVALID && at + 2 >= sample.len();
        match unit.key {
            INVALID if cut_by_sample => {}
            0 | INVALID | 0xFFFE | 0xFFFF => return None,
            0x0A | 0x0D | 0x20 | 0x09 | 0x3000..=0x3002 => structure += 1,
            0x21..=0x7E => ascii += 1,
            0x01..=0x1F | 0x7F..=0x9F | 0xE000..=0xF8FF => strange += 1,
            _ => {}
        }
        units += 1;
        at += unit.len;
    }
    let mostly_ascii = (ascii + structure) * 5 > units * 2;
    let has_structure = structure > 0 && strange * 50 < units;
    (mostly_ascii || has_structure).then_some(ascii + structure * 2)
}

fn without_mark(bytes: &[u8]) -> (Charset, Certainty) {
    if std::str::from_utf8(bytes).is_ok() {
        return (Charset::Utf8, Certainty::Sure);
    }
    let first_high = bytes.iter().position(|byte| *byte >= 0x80).unwrap_or(0);
    let sample = &bytes[first_high.saturating_sub(64)..bytes.len().min(first_high + SAMPLE)];
    if mostly_utf8(sample) {
        return (Charset::Utf8, Certainty::Broken);
    }
    if let Some(charset) = declared(bytes).and_then(Charset::legacy) {
        return (charset, Certainty::Declared);
    }
    guess(sample)
}

/// At least four good sequences for each bad one.
fn mostly_utf8(sample: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in sample.utf8_chunks() {
        good += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good >= 4 * bad
}

/// `encoding="…"` of an XML declaration, `charset=` of HTML and CSS, `coding:` of an editor's cookie.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).to_ascii_lowercase();
    for key in ["encoding=", "charset=", "charset ", "coding:", "coding="] {
        for (at, _) in head.match_indices(key) {
            let label: String = head[at + key.len()..]
                .trim_start_matches([' ', '"', '\''])
                .chars()
                .take_while(|character| {
                    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.' | ':')
                })
                .collect();
            if let Some(encoding) = Encoding::for_label(label.as_bytes())
                && encoding != encoding_rs::UTF_8
            {
                return Some(encoding);
            }
        }
    }
    None
}

fn guess(sample: &[u8]) -> (Charset, Certainty) {
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(sample, true);
    let encoding = detector.guess(None, chardetng::Utf8Detection::Deny);
    let western = encoding == encoding_rs::WINDOWS_1252;
    if western && !reads_as_western(sample) {
        return (Charset::Utf8, Certainty::Broken);
    }
    match Charset::legacy(encoding) {
        Some(charset) => (charset, Certainty::Guessed),
        None => (Charset::Utf8, Certainty::Broken),
    }
}

/// Windows-1252 is what a guess falls back to; half of the high bytes must then be letters of words, or signs.
fn reads_as_western(sample: &[u8]) -> bool {
    let letter_at = |at: Option<usize>| at.and_then(|at| sample.get(at)).is_some_and(u8::is_ascii_alphabetic);
    let (mut high, mut plausible) = (0_usize, 0_usize);
    for (at, byte) in sample.iter().enumerate().filter(|(_, byte)| **byte >= 0x80) {
        high += 1;
        let is_sign = matches!(byte, 0x80 | 0x85 | 0x91..=0x97 | 0x99 | 0xA0..=0xBF | 0xD7);
        let in_word = *byte >= 0xC0 && (letter_at(at.checked_sub(1)) || letter_at(Some(at + 1)));
        plausible += usize::from(is_sign || in_word);
    }
    plausible * 2 >= high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(bytes: &[u8]) -> String {
        match detect(bytes) {
            Ok(found) => format!("{} {:?}", found.charset.name(), found.certainty),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn tells_encodings_apart() {
        assert_eq!(name(b""), "UTF-8 Sure");
        assert_eq!(name("caf\u{e9}".as_bytes()), "UTF-8 Sure");
        assert_eq!(name(b"\xEF\xBB\xBFa"), "UTF-8 Sure");
        assert_eq!(name(b"\xFF\xFEa\0"), "UTF-16LE Sure");
        assert_eq!(name(b"a\0b\0\n\0"), "UTF-16LE Guessed");
        assert_eq!(name(b"\0a\0b\0\n"), "UTF-16BE Guessed");
        assert_eq!(name(b"caf\xe9 \x93quoted\x94 \x96 dash\r\n"), "windows-1252 Guessed");
        assert_eq!(name(b"\xb3\x5c\xa5\x5c\xbb\x5c\x0a\xa4\xa4\xa4\xe5\n"), "Big5 Guessed");
        assert_eq!(name(b"\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7\n"), "gb18030 Guessed");
        assert_eq!(name(b"ok line\nbad \xff\xfe\xc3( bytes\nlast\n"), "UTF-8 Broken");
        assert_eq!(name("中文文本，很多字".as_bytes()), "UTF-8 Sure");
        assert_eq!(
            name(b"<?xml version='1.0' encoding='ISO-8859-2'?><a>\xb1\xb6</a>"),
            "ISO-8859-2 Declared"
        );
    }

    #[test]
    fn chinese_utf16_without_a_mark_is_text() {
        let bytes: Vec<u8> = "你好，世界\n第二行\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(name(&bytes), "UTF-16LE Guessed");
    }

    #[test]
    fn binary_is_refused() {
        assert!(name(b"a\0b\x1b[31mred").starts_with("This is a binary file"));
        assert!(name(b"%PDF-1.7\n").starts_with("This is a PDF"));
        assert!(name(&[1, 2, 3, 4, 5, b'a']).starts_with("This is a binary file"));
    }
}
