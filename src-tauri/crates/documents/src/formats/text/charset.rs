//! One character at a time in the file's own encoding, and back.
//!
//! Everything above works on byte offsets and compares *keys*: the scalar value of a character, or `INVALID` for bytes that mean
//! nothing in the encoding. The file is never transcoded; only text that is new to it is encoded.

use std::sync::Arc;

use encoding_rs::Encoding;

/// The key of bytes that are no character; it equals nothing that can be typed.
pub(super) const INVALID: u32 = u32::MAX;
/// In a table: this byte opens a sequence of two or four.
const LEAD: u32 = u32::MAX - 1;

/// An encoding that a text document may have.
#[derive(Debug, Clone)]
pub(super) enum Charset {
    Utf8,
    Utf16 { big_endian: bool },
    Legacy(Legacy),
}

/// A single-byte or double-byte encoding, with its decoding table.
#[derive(Debug, Clone)]
pub(super) struct Legacy {
    encoding: &'static Encoding,
    /// 256 keys for a first byte, then (double-byte only) 65,536 keys for lead and trail.
    table: Arc<[u32]>,
}

/// A decoded unit: its key and how many bytes it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    pub key: u32,
    pub len: usize,
}

impl Charset {
    /// The charset of a legacy encoding; `None` for one with states (ISO-2022-JP) or not a text encoding of files.
    pub(super) fn legacy(encoding: &'static Encoding) -> Option<Charset> {
        // GBK decodes like GB18030 (WHATWG Encoding, 10.1.1); GB18030 can also encode every character.
        let encoding = if encoding == encoding_rs::GBK { encoding_rs::GB18030 } else { encoding };
        let double = [
            encoding_rs::GB18030,
            encoding_rs::BIG5,
            encoding_rs::SHIFT_JIS,
            encoding_rs::EUC_KR,
            encoding_rs::EUC_JP,
        ]
        .contains(&encoding);
        if !double && !encoding.is_single_byte() {
            return None;
        }
        let mut table: Vec<u32> = (0..=255_u8).map(|byte| decode_one(encoding, &[byte])).collect();
        if double {
            for (byte, key) in table.iter_mut().enumerate() {
                if byte >= 0x80 && *key == INVALID {
                    *key = LEAD;
                }
            }
            let pairs = (0..=0xFFFF_u16).map(|pair| {
                let [lead, trail] = pair.to_be_bytes();
                if lead < 0x80 { INVALID } else { decode_one(encoding, &[lead, trail]) }
            });
            table.extend(pairs);
        }
        Some(Charset::Legacy(Legacy { encoding, table: table.into() }))
    }

    /// The name shown to a person.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Charset::Utf8 => "UTF-8",
            Charset::Utf16 { big_endian: false } => "UTF-16LE",
            Charset::Utf16 { big_endian: true } => "UTF-16BE",
            Charset::Legacy(legacy) => legacy.encoding.name(),
        }
    }

    /// The bytes of one code unit.
    pub(super) fn unit_bytes(&self) -> usize {
        if matches!(self, Charset::Utf16 { .. }) { 2 } else { 1 }
    }

    /// The unit at an offset, which must lie below the end.
    pub(super) fn decode_at(&self, bytes: &[u8], at: usize) -> Unit {
        match self {
            Charset::Utf8 => decode_utf8(&bytes[at..]),
            Charset::Utf16 { big_endian } => decode_utf16(&bytes[at..], *big_endian),
            Charset::Legacy(legacy) => legacy.decode(&bytes[at..]),
        }
    }

    /// Encodes text; `Err` holds the first character that has no form here.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<u8>, char> {
        match self {
            Charset::Utf8 => Ok(text.as_bytes().to_vec()),
            Charset::Utf16 { big_endian: false } => {
                Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect())
            }
            Charset::Utf16 { big_endian: true } => {
                Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect())
            }
            Charset::Legacy(legacy) => legacy.encode(text),
        }
    }

    /// Decodes for display: each unit without meaning becomes U+FFFD.
    pub(super) fn decode(&self, bytes: &[u8]) -> String {
        if let Charset::Utf8 = self {
            return String::from_utf8_lossy(bytes).into_owned();
        }
        let mut text = String::with_capacity(bytes.len());
        let mut at = 0;
        while at < bytes.len() {
            let unit = self.decode_at(bytes, at);
            text.push(char::from_u32(unit.key).unwrap_or(char::REPLACEMENT_CHARACTER));
            at += unit.len;
        }
        text
    }
}

impl Legacy {
    fn decode(&self, rest: &[u8]) -> Unit {
        let first = rest[0];
        let key = self.table[usize::from(first)];
        if key != LEAD {
            return Unit { key, len: 1 };
        }
        let Some(&second) = rest.get(1) else { return Unit { key: INVALID, len: 1 } };
        let key = self.table[256 + usize::from(u16::from_be_bytes([first, second]))];
        if key != INVALID {
            return Unit { key, len: 2 };
        }
        // GB18030 has sequences of four with a digit in second place; EUC-JP has three after 0x8F.
        for len in [4, 3] {
            if let Some(sequence) = rest.get(..len)
                && (len == 4) == (self.encoding == encoding_rs::GB18030)
                && (len == 4 || (self.encoding == encoding_rs::EUC_JP && first == 0x8F))
            {
                let key = decode_one(self.encoding, sequence);
                if key != INVALID {
                    return Unit { key, len };
                }
            }
        }
        Unit { key: INVALID, len: 1 }
    }

    fn encode(&self, text: &str) -> Result<Vec<u8>, char> {
        let mut bytes = Vec::with_capacity(text.len());
        let mut one = [0; 4];
        for character in text.chars() {
            let (encoded, _, unmappable) = self.encoding.encode(character.encode_utf8(&mut one));
            // The encoders of the web map a few look-alikes (¥ to the backslash of Shift_JIS); here only the same character will do.
            if unmappable || self.decode(&encoded) != (Unit { key: u32::from(character), len: encoded.len() })
            {
                return Err(character);
            }
            bytes.extend_from_slice(&encoded);
        }
        Ok(bytes)
    }
}

/// The key of a whole sequence; `INVALID` when it is not exactly one character.
fn decode_one(encoding: &'static Encoding, sequence: &[u8]) -> u32 {
    let Some(text) = encoding.decode_without_bom_handling_and_without_replacement(sequence) else {
        return INVALID;
    };
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => u32::from(character),
        _ => INVALID,
    }
}

fn decode_utf8(rest: &[u8]) -> Unit {
    let first = rest[0];
    if first < 0x80 {
        return Unit { key: u32::from(first), len: 1 };
    }
    let window = &rest[..rest.len().min(4)];
    let valid = match std::str::from_utf8(window) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => {
            std::str::from_utf8(&window[..error.valid_up_to()]).unwrap_or_default()
        }
        // The maximal subpart of an ill-formed sequence is one unit (Unicode, 3.9, U+FFFD substitution).
        Err(error) => return Unit { key: INVALID, len: error.error_len().unwrap_or(window.len()) },
    };
    match valid.chars().next() {
        Some(character) => Unit { key: u32::from(character), len: character.len_utf8() },
        None => Unit { key: INVALID, len: 1 },
    }
}

fn decode_utf16(rest: &[u8], big_endian: bool) -> Unit {
    let unit = |at: usize| {
        let pair = [*rest.get(at)?, *rest.get(at + 1)?];
        Some(if big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
    };
    let Some(first) = unit(0) else { return Unit { key: INVALID, len: 1 } };
    if !(0xD800..0xE000).contains(&first) {
        return Unit { key: u32::from(first), len: 2 };
    }
    match char::decode_utf16([first].into_iter().chain(unit(2))).next() {
        Some(Ok(character)) => Unit { key: u32::from(character), len: 4 },
        _ => Unit { key: INVALID, len: 2 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_charset_decodes_what_it_encodes() {
        let samples: [(Charset, &str); 6] = [
            (Charset::Utf8, "aé中😀"),
            (Charset::Utf16 { big_endian: false }, "aé中😀"),
            (Charset::Utf16 { big_endian: true }, "aé中😀"),
            (Charset::legacy(encoding_rs::GBK).unwrap(), "a中€𠀀鿿"),
            (Charset::legacy(encoding_rs::SHIFT_JIS).unwrap(), "aソ能表ｱ"),
            (Charset::legacy(encoding_rs::BIG5).unwrap(), "a許功蓋"),
        ];
        for (charset, text) in samples {
            let bytes = charset.encode(text).unwrap();
            assert_eq!(charset.decode(&bytes), text, "{}", charset.name());
        }
    }

    #[test]
    fn a_character_without_a_form_is_named() {
        let latin = Charset::legacy(encoding_rs::WINDOWS_1252).unwrap();
        assert_eq!(latin.encode("né中"), Err('中'));
        let japanese = Charset::legacy(encoding_rs::SHIFT_JIS).unwrap();
        assert_eq!(japanese.encode("¥"), Err('¥'), "the yen sign would come back as a backslash");
    }

    #[test]
    fn bytes_without_meaning_have_a_length() {
        assert_eq!(Charset::Utf8.decode(b"a\xff\xfe\xc3(b"), "a\u{fffd}\u{fffd}\u{fffd}(b");
        assert_eq!(Charset::Utf16 { big_endian: false }.decode(b"a\0\x00\xd8b\0x"), "a\u{fffd}b\u{fffd}");
    }
}
