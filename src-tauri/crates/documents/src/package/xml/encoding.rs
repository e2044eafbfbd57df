//! A part's encoding: UTF-8 as a rule, UTF-16 (legal in OPC, ECMA-376-2 6.2.5) and declared legacy ones as found in the wild.

use std::borrow::Cow;

use super::XmlError;

/// How to write the edited text back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Utf16 {
        big_endian: bool,
        mark: bool,
    },
    /// Declared as ASCII: what lies above is written as character references.
    Ascii,
    /// Declared as ISO-8859-1: byte and character are the same number, which is not what the web's label of that name means.
    Latin1,
    Legacy(&'static encoding_rs::Encoding),
}

/// The text as UTF-8 (a UTF-8 byte-order mark stays inside as U+FEFF) and its encoding. The round trip is proved here.
pub fn decode(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, Encoding), XmlError> {
    let utf16 = match bytes {
        [0xFF, 0xFE, ..] => Some((false, true)),
        [0xFE, 0xFF, ..] => Some((true, true)),
        [b'<', 0, ..] => Some((false, false)),
        [0, b'<', ..] => Some((true, false)),
        _ => None,
    };
    if let Some((big_endian, mark)) = utf16 {
        return decode_utf16(&bytes[if mark { 2 } else { 0 }..], big_endian)
            .map(|text| (Cow::Owned(text), Encoding::Utf16 { big_endian, mark }))
            .ok_or(XmlError::Encoding);
    }
    match declared(bytes) {
        None => {}
        Some(name) if name.eq_ignore_ascii_case(b"utf-8") => {}
        Some(name) if name.eq_ignore_ascii_case(b"us-ascii") && bytes.is_ascii() => {
            return Ok((Cow::Borrowed(bytes), Encoding::Ascii));
        }
        Some(name) if name.eq_ignore_ascii_case(b"iso-8859-1") || name.eq_ignore_ascii_case(b"latin1") => {
            let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
            return Ok((Cow::Owned(text.into_bytes()), Encoding::Latin1));
        }
        Some(name) => {
            let encoding = encoding_rs::Encoding::for_label(name)
                .filter(|found| *found != encoding_rs::UTF_16LE && *found != encoding_rs::UTF_16BE);
            let encoding = encoding.ok_or(XmlError::Encoding)?;
            if encoding != encoding_rs::UTF_8 {
                let text = encoding
                    .decode_without_bom_handling_and_without_replacement(bytes)
                    .ok_or(XmlError::Encoding)?;
                let (again, _, lossy) = encoding.encode(&text);
                return if lossy || *again != *bytes {
                    Err(XmlError::Encoding)
                } else {
                    Ok((Cow::Owned(text.into_owned().into_bytes()), Encoding::Legacy(encoding)))
                };
            }
        }
    }
    std::str::from_utf8(bytes).map_err(|_| XmlError::Encoding)?;
    Ok((Cow::Borrowed(bytes), Encoding::Utf8))
}

/// The edited UTF-8 text in the part's own encoding; what a legacy encoding lacks becomes a character reference.
pub fn encode(text: Vec<u8>, encoding: Encoding) -> Option<Vec<u8>> {
    match encoding {
        Encoding::Utf8 => Some(text),
        Encoding::Utf16 { big_endian, mark } => {
            let text = String::from_utf8(text).ok()?;
            let units = mark.then_some(0xFEFF).into_iter().chain(text.encode_utf16());
            Some(
                units
                    .flat_map(|unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() })
                    .collect(),
            )
        }
        Encoding::Ascii => single_bytes(std::str::from_utf8(&text).ok()?, 0x7F),
        Encoding::Latin1 => single_bytes(std::str::from_utf8(&text).ok()?, 0xFF),
        // `encode` writes decimal character references for unmappable characters, which is what XML wants (XML 1.0, 4.1).
        Encoding::Legacy(encoding) => Some(encoding.encode(std::str::from_utf8(&text).ok()?).0.into_owned()),
    }
}

/// Characters up to `last` as bytes, others as character references.
fn single_bytes(text: &str, last: u32) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match u8::try_from(u32::from(character)) {
            Ok(byte) if u32::from(byte) <= last => bytes.push(byte),
            _ => bytes.extend(format!("&#{};", u32::from(character)).into_bytes()),
        }
    }
    Some(bytes)
}

fn decode_utf16(bytes: &[u8], big_endian: bool) -> Option<Vec<u8>> {
    let pairs = bytes.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    let units = pairs.map(|pair| {
        if big_endian {
            u16::from_be_bytes([pair[0], pair[1]])
        } else {
            u16::from_le_bytes([pair[0], pair[1]])
        }
    });
    char::decode_utf16(units).collect::<Result<String, _>>().ok().map(String::into_bytes)
}

/// The encoding that the XML declaration names.
fn declared(bytes: &[u8]) -> Option<&[u8]> {
    let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let end = body
        .starts_with(b"<?xml")
        .then(|| memchr::memmem::find(&body[..body.len().min(512)], b"?>"))
        .flatten()?;
    let declaration = &body[..end];
    let at = memchr::memmem::find(declaration, b"encoding")? + "encoding".len();
    let quote_at = at + declaration[at..].iter().position(|byte| matches!(byte, b'"' | b'\''))?;
    let value = &declaration[quote_at + 1..];
    value.iter().position(|&byte| byte == declaration[quote_at]).map(|end| &value[..end])
}
