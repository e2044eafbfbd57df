//! The shared strings of a workbook: where each begins, its text when it is asked for.

use std::sync::Arc;

use crate::{
    DocumentError,
    package::{
        Package, Relationships,
        xml::{Scanner, TokenKind, Xml, unescape},
    },
};

/// The strings by index; a missing part has none.
#[derive(Default)]
pub(super) struct Strings {
    bytes: Arc<Vec<u8>>,
    prefix: String,
    starts: Vec<usize>,
    depth: usize,
    /// The part cannot be read; every string of it shows as the sign for that.
    is_unreadable: bool,
}

impl Strings {
    /// Stands for a part that cannot be read.
    pub(super) fn unreadable() -> Strings {
        Strings { is_unreadable: true, ..Strings::default() }
    }

    pub(super) fn read(package: &Package<'_>, workbook: &Relationships) -> Result<Strings, DocumentError> {
        let Some(part) = workbook.part_of_kind("sharedStrings").filter(|part| package.has(part)) else {
            return Ok(Strings::default());
        };
        let mut bytes = package.require(&part)?;
        let limits = package.limits();
        if std::str::from_utf8(&bytes).is_err() || memchr::memchr(0, &bytes[..bytes.len().min(64)]).is_some()
        {
            bytes = Xml::parse(&bytes, limits).map_err(|error| error.in_part(&part))?.bytes().to_vec().into();
        }
        let mut scanner = Scanner::new(&bytes, limits.depth);
        let (mut prefix, mut starts, mut open) = (String::new(), Vec::new(), 0_usize);
        while let Some(token) = scanner.next_token().map_err(|error| error.in_part(&part))? {
            match token.kind {
                TokenKind::Start { empty } => {
                    if open == 0 {
                        let name = std::str::from_utf8(&bytes[token.name.clone()]).unwrap_or_default();
                        prefix = name.rfind(':').map_or(String::new(), |colon| name[..=colon].to_owned());
                    } else if open == 1 {
                        starts.push(token.span.start);
                    }
                    open += usize::from(!empty);
                }
                TokenKind::End => open -= 1,
                _ => {}
            }
        }
        Ok(Strings { bytes, prefix, starts, depth: limits.depth, is_unreadable: false })
    }

    /// The text of a string without its phonetic reading; nothing for an index that does not exist.
    pub(super) fn text(&self, index: usize) -> String {
        if self.is_unreadable {
            return char::REPLACEMENT_CHARACTER.to_string();
        }
        let Some(start) = self.starts.get(index) else { return String::new() };
        let end = self.starts.get(index + 1).copied().unwrap_or(self.bytes.len());
        let text = &self.bytes[*start..end];
        let (mut scanner, mut shown, mut open) = (Scanner::new(text, self.depth), String::new(), 0_usize);
        let (mut in_text, mut phonetic) = (false, false);
        while let Ok(Some(token)) = scanner.next_token() {
            let name = &text[token.name.clone()];
            let local = name.strip_prefix(self.prefix.as_bytes()).unwrap_or(name);
            match token.kind {
                TokenKind::Start { empty } => {
                    in_text = local == b"t" && !empty && !phonetic;
                    phonetic |= local == b"rPh" && !empty;
                    open += usize::from(!empty);
                }
                TokenKind::End => {
                    open -= 1;
                    in_text = false;
                    phonetic &= local != b"rPh";
                }
                TokenKind::Text if in_text => {
                    shown.push_str(&unescape(std::str::from_utf8(&text[token.span]).unwrap_or_default()))
                }
                TokenKind::CData if in_text => {
                    let raw = std::str::from_utf8(&text[token.span]).unwrap_or_default();
                    shown.push_str(&raw["<![CDATA[".len()..raw.len() - "]]>".len()]);
                }
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
        shown
    }
}
