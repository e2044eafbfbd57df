//! Surgical XML: a part's bytes with an index of where each element lies, and splices that leave every other byte alone.
//!
//! The scanner is our own because everything hangs on exact byte positions, on refusing DTDs, and on bounded depth. A part in UTF-16
//! or another declared encoding is edited as UTF-8 and written back in its own encoding with its own byte-order mark.

mod encoding;
mod escape;
mod namespaces;
mod scan;
mod tree;

use std::ops::Range;

pub use encoding::{Encoding, decode, encode};
pub use escape::{escape_attribute, escape_text, unescape};
pub use namespaces::Ns;
pub use scan::{Scanner, Token, TokenKind};
pub use tree::{Attribute, NodeId, NodeKind, Xml};

use super::PartName;
use crate::{DocumentError, EditError, error::EditErrorKind};

/// Why a part is no XML that may be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum XmlError {
    #[error("it is not well-formed at byte {at}: {why}")]
    IllFormed { at: usize, why: String },
    #[error(
        "it declares a DTD, which Office never writes and which could hide content; such parts are not edited"
    )]
    Doctype,
    #[error("its elements are nested deeper than {0} levels")]
    TooDeep(usize),
    #[error("its text encoding is not supported or not what it declares")]
    Encoding,
}

impl XmlError {
    /// The document's error, naming the part.
    pub fn in_part(&self, part: &PartName) -> DocumentError {
        let sentence = format!("The part {part} cannot be edited: {self}.");
        match self {
            XmlError::IllFormed { .. } => DocumentError::Damaged(sentence),
            XmlError::Doctype | XmlError::Encoding => DocumentError::Unsupported(sentence),
            XmlError::TooDeep(_) => DocumentError::TooLarge(sentence),
        }
    }
}

/// Replacements of byte ranges of one text, collected in any order.
#[derive(Debug, Clone, Default)]
pub struct Splices {
    items: Vec<(Range<usize>, Vec<u8>)>,
}

impl Splices {
    /// Replaces a range; an empty range inserts before that byte. Insertions at one place keep their order.
    pub fn replace(&mut self, range: Range<usize>, with: impl Into<Vec<u8>>) {
        self.items.push((range, with.into()));
    }

    pub fn insert(&mut self, at: usize, what: impl Into<Vec<u8>>) {
        self.replace(at..at, what);
    }

    pub fn delete(&mut self, range: Range<usize>) {
        self.replace(range, Vec::new());
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The replacements in the order of planning.
    pub fn into_items(self) -> Vec<(Range<usize>, Vec<u8>)> {
        self.items
    }

    /// Each replaced range with the length of what replaces it, in the order of planning.
    pub fn ranges(&self) -> impl Iterator<Item = (Range<usize>, usize)> + '_ {
        self.items.iter().map(|(range, with)| (range.clone(), with.len()))
    }

    /// The text with all replacements done; overlapping ones are a fault of ours and refused.
    pub fn apply(self, bytes: &[u8]) -> Result<Vec<u8>, EditError> {
        let grown: usize = self.items.iter().map(|(_, with)| with.len()).sum();
        let mut out = Vec::with_capacity(bytes.len() + grown);
        self.apply_into(bytes, &mut out)?;
        Ok(out)
    }

    /// The same, behind what `out` holds already.
    pub fn apply_into(mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), EditError> {
        self.items.sort_by_key(|(range, _)| (range.start, range.end));
        let mut position = 0;
        for (range, with) in self.items {
            if range.start < position || range.end > bytes.len() || range.start > range.end {
                return Err(EditError::new(
                    EditErrorKind::Internal,
                    "Two changes of one operation touch the same bytes.",
                ));
            }
            out.extend_from_slice(&bytes[position..range.start]);
            out.extend_from_slice(&with);
            position = range.end;
        }
        out.extend_from_slice(&bytes[position..]);
        Ok(())
    }
}

/// Checks that bytes are well-formed XML without keeping an index.
pub fn check_well_formed(bytes: &[u8], limits: &crate::Limits) -> Result<(), XmlError> {
    let (text, _) = encoding::decode(bytes)?;
    Scanner::new(&text, limits.depth).run()
}
