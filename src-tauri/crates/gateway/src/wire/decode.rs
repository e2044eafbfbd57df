//! Compressed bodies, whether announced or not.
//!
//! We ask for `identity`, and some relays send gzip all the same, announce gzip and send plain bytes, or send gzip without saying so.
//! The first two bytes decide (RFC 1952, section 2.3.1), not the header.

use std::io::Write;

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// What the bytes turned out to be.
pub(crate) enum Decoder {
    /// Not enough bytes yet.
    Undecided {
        announced: Announced,
        held: Vec<u8>,
    },
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    Zlib(Box<ZlibDecoder<Vec<u8>>>),
    /// What some servers mean by `deflate` (RFC 9110, section 8.4.1.2, tells of them).
    Deflate(Box<DeflateDecoder<Vec<u8>>>),
}

/// What the `Content-Encoding` header said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Announced {
    Plain,
    Gzip,
    Deflate,
    /// An encoding that we did not ask for and cannot read.
    Unknown,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CannotDecode;

impl Announced {
    pub(crate) fn from_header(value: Option<&str>) -> Announced {
        match value.map(|value| value.trim().to_ascii_lowercase()).as_deref() {
            None | Some("" | "identity" | "utf-8" | "none") => Announced::Plain,
            Some("gzip" | "x-gzip") => Announced::Gzip,
            Some("deflate") => Announced::Deflate,
            Some(_) => Announced::Unknown,
        }
    }
}

const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];

impl Decoder {
    pub(crate) fn new(announced: Announced) -> Decoder {
        Decoder::Undecided { announced, held: Vec::new() }
    }

    /// Whether the bytes were not what the header said.
    pub(crate) fn is_mismatch(&self, announced: Announced) -> bool {
        match self {
            Decoder::Undecided { .. } => false,
            Decoder::Plain => announced != Announced::Plain,
            Decoder::Gzip(_) => announced != Announced::Gzip,
            Decoder::Zlib(_) | Decoder::Deflate(_) => announced != Announced::Deflate,
        }
    }

    /// Decodes the next bytes; everything that can already be read is given out.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<u8>, CannotDecode> {
        match self {
            Decoder::Undecided { announced, held } => {
                held.extend_from_slice(bytes);
                if held.len() < 2 {
                    return Ok(Vec::new());
                }
                let (announced, held) = (*announced, std::mem::take(held));
                *self = decide(announced, &held)?;
                self.feed(&held)
            }
            Decoder::Plain => Ok(bytes.to_vec()),
            Decoder::Gzip(decoder) => {
                decoder.write_all(bytes).and_then(|()| decoder.flush()).map_err(|_| CannotDecode)?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Decoder::Zlib(decoder) => {
                decoder.write_all(bytes).and_then(|()| decoder.flush()).map_err(|_| CannotDecode)?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Decoder::Deflate(decoder) => {
                decoder.write_all(bytes).and_then(|()| decoder.flush()).map_err(|_| CannotDecode)?;
                Ok(std::mem::take(decoder.get_mut()))
            }
        }
    }

    /// A body of a single byte was held back; everything else is out already.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        match self {
            Decoder::Undecided { held, .. } => std::mem::take(held),
            Decoder::Plain | Decoder::Gzip(_) | Decoder::Zlib(_) | Decoder::Deflate(_) => Vec::new(),
        }
    }
}

fn decide(announced: Announced, held: &[u8]) -> Result<Decoder, CannotDecode> {
    if held.starts_with(GZIP_MAGIC) {
        return Ok(Decoder::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))));
    }
    // A text decoder has turned the second magic byte into U+FFFD: the bytes are lost.
    if held.starts_with(&[0x1f, 0xef]) {
        return Err(CannotDecode);
    }
    match announced {
        Announced::Unknown if !looks_like_text(held) => Err(CannotDecode),
        // RFC 1950, section 2.2: CM 8 in the low bits, header divisible by 31.
        Announced::Deflate if is_zlib(held) => Ok(Decoder::Zlib(Box::new(ZlibDecoder::new(Vec::new())))),
        Announced::Deflate if !looks_like_text(held) => {
            Ok(Decoder::Deflate(Box::new(DeflateDecoder::new(Vec::new()))))
        }
        Announced::Plain | Announced::Gzip | Announced::Deflate | Announced::Unknown => Ok(Decoder::Plain),
    }
}

fn is_zlib(held: &[u8]) -> bool {
    matches!(held, [first, second, ..] if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0)
}

/// A stream or JSON body begins with a field name, a comment, a brace or white space.
fn looks_like_text(held: &[u8]) -> bool {
    held.iter().take(2).all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace() || *byte >= 0xBB)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{Announced, CannotDecode, Decoder};

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[track_caller]
    fn check(announced: Announced, body: &[u8], expected: &[u8], mismatch: bool) {
        for size in [1, 3, body.len()] {
            let mut decoder = Decoder::new(announced);
            let mut out = Vec::new();
            for piece in body.chunks(size) {
                out.extend(decoder.feed(piece).unwrap());
            }
            out.extend(decoder.finish());
            assert_eq!(out, expected, "in pieces of {size}");
            assert_eq!(decoder.is_mismatch(announced), mismatch);
        }
    }

    #[test]
    fn the_bytes_decide() {
        let text = b"data: {}\n\n";
        check(Announced::Plain, text, text, false);
        check(Announced::Gzip, &gzip(text), text, false);
        check(Announced::Plain, &gzip(text), text, true);
        check(Announced::Gzip, text, text, true);
        check(Announced::Deflate, &zlib(text), text, false);
        check(Announced::Unknown, text, text, true);
        check(Announced::Plain, b"x", b"x", false);
    }

    #[test]
    fn a_flushed_part_is_readable_before_the_end() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(b"data: a\n\n").unwrap();
        encoder.flush().unwrap();
        let part = encoder.get_ref().clone();
        assert_eq!(Decoder::new(Announced::Gzip).feed(&part).unwrap(), b"data: a\n\n");
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let garbled = "\u{1f}\u{fffd}\u{8}".as_bytes();
        assert_eq!(Decoder::new(Announced::Plain).feed(garbled), Err(CannotDecode));
        assert_eq!(Decoder::new(Announced::Unknown).feed(&[0x01, 0x02, 0x03]), Err(CannotDecode));
    }
}
