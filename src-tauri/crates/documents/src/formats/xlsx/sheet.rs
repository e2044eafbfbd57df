//! One sheet part: the frame (everything but the cells) as an XML tree, and the cells as a `Grid`.
//!
//! The frame is the part with the content of `sheetData` cut out, so it stays small whatever the sheet holds. Writing puts the two
//! back together; what neither touched keeps its bytes.

use std::{ops::Range, sync::Arc};

use super::{
    address::{Area, CellRef},
    grid::{Bytes, CellView, Grid},
};
use crate::{
    DocumentError, EditError, Limits,
    error::EditErrorKind,
    package::{
        PartName,
        xml::{self, Encoding, NodeId, Ns, Scanner, Splices, TokenKind, Xml},
    },
};

/// A worksheet, macro sheet or dialog sheet that was read.
pub(super) struct Sheet {
    /// The part without the content of `sheetData`.
    pub(super) frame: Xml,
    pub(super) grid: Grid,
    encoding: Encoding,
    changed: bool,
    limits: Limits,
}

impl Sheet {
    /// Reads a sheet part.
    pub(super) fn read(
        part: &PartName,
        bytes: &Arc<Vec<u8>>,
        limits: &Limits,
    ) -> Result<Sheet, DocumentError> {
        let refuse = |error: xml::XmlError| error.in_part(part);
        let (text, encoding) = xml::decode(bytes).map_err(refuse)?;
        let data = find_sheet_data(&text, limits).map_err(refuse)?;
        let frame = [&text[..data.content.start], &text[data.content.end..]].concat();
        let frame = parse_frame(frame, encoding, limits).map_err(refuse)?;
        let grid = match text {
            std::borrow::Cow::Borrowed(_) => Bytes::Shared(bytes.clone(), data.content),
            std::borrow::Cow::Owned(text) => Bytes::Shared(Arc::new(text), data.content),
        };
        let grid = Grid::new(grid, data.prefix)?;
        Ok(Sheet { frame, grid, encoding, changed: false, limits: limits.clone() })
    }

    pub(super) fn is_changed(&self) -> bool {
        self.changed || self.grid.is_changed()
    }

    /// The whole part as it is now.
    pub(super) fn write(&mut self) -> Result<Vec<u8>, EditError> {
        if let Some(data) = self.sheet_data().filter(|data| !self.frame.is_empty_tag(*data))
            && self.encoding == Encoding::Utf8
        {
            // Large sheets go into the part in one copy.
            let (frame, at) = (self.frame.bytes(), self.frame.content(data).start);
            let mut part = Vec::with_capacity(frame.len() + self.grid.bytes().len() + 4_096);
            part.extend_from_slice(&frame[..at]);
            self.grid.planned()?.apply_into(self.grid.bytes(), &mut part)?;
            part.extend_from_slice(&frame[at..]);
            return Ok(part);
        }
        self.grid.flush()?;
        let mut splices = Splices::default();
        if let Some(data) = self.sheet_data() {
            let cells = self.grid.bytes();
            if self.frame.is_empty_tag(data) {
                if !cells.is_empty() {
                    let tag = self.frame.start_tag(data);
                    let close = format!("</{}>", self.frame.qualified_name(data));
                    let whole = [b">".as_slice(), cells, close.as_bytes()].concat();
                    splices.replace(tag.end - 2..tag.end, whole);
                }
            } else {
                splices.insert(self.frame.content(data).start, cells);
            }
        }
        self.frame.write(splices)
    }

    fn sheet_data(&self) -> Option<NodeId> {
        self.frame.child(self.frame.root(), Ns::S, "sheetData")
    }

    /// Changes the frame and reads it anew.
    pub(super) fn edit_frame(&mut self, splices: Splices) -> Result<(), EditError> {
        if splices.is_empty() {
            return Ok(());
        }
        let text = splices.apply(self.frame.bytes())?;
        let fault = |error: xml::XmlError| {
            EditError::new(EditErrorKind::Internal, format!("An edited sheet is not well-formed: {error}."))
        };
        self.frame = parse_frame(text, self.encoding, &self.limits).map_err(fault)?;
        self.changed = true;
        Ok(())
    }

    /// Changes the cells' bytes directly.
    pub(super) fn edit_grid(&mut self, splices: Splices) -> Result<(), EditError> {
        if !splices.is_empty() {
            self.grid.rewrite(splices)?;
            self.changed = true;
        }
        Ok(())
    }

    /// Takes wholly new cell bytes.
    pub(super) fn replace_grid(&mut self, bytes: Vec<u8>) -> Result<(), EditError> {
        self.changed = true;
        self.grid.replace_bytes(bytes)
    }

    /// A cell as it is now.
    pub(super) fn cell(&self, at: CellRef) -> Result<Option<CellView<'_>>, DocumentError> {
        self.grid.cell(at)
    }

    /// What `dimension` says; a hint that may be absent or wrong.
    pub(super) fn dimension(&self) -> Option<Area> {
        let element = self.frame.child(self.frame.root(), Ns::S, "dimension")?;
        Area::parse(&self.frame.value(element, Ns::None, "ref")?)
    }

    /// Lets `dimension`, where there is one, take in an area.
    pub(super) fn grow_dimension(&mut self, area: Area) -> Result<(), EditError> {
        let Some(before) = self.dimension().filter(|before| !before.covers(&area)) else { return Ok(()) };
        let Some(element) = self.frame.child(self.frame.root(), Ns::S, "dimension") else { return Ok(()) };
        let mut splices = Splices::default();
        let grown = before.hull(&area).corners();
        self.frame.set_attribute(&mut splices, element, Ns::None, "ref", "ref", &grown)?;
        self.edit_frame(splices)
    }

    /// The merged areas.
    pub(super) fn merges(&self) -> Vec<Area> {
        let Some(list) = self.frame.child(self.frame.root(), Ns::S, "mergeCells") else { return Vec::new() };
        let merges = self.frame.children_named(list, Ns::S, "mergeCell");
        merges.filter_map(|merge| Area::parse(&self.frame.value(merge, Ns::None, "ref")?)).collect()
    }
}

struct SheetData {
    content: Range<usize>,
    prefix: String,
}

/// Finds the content of `sheetData` without reading it; an empty range where it is empty or absent.
fn find_sheet_data(text: &[u8], limits: &Limits) -> Result<SheetData, xml::XmlError> {
    let mut scanner = Scanner::new(text, limits.depth);
    let mut depth = 0;
    let mut root_prefix = String::new();
    while let Some(token) = scanner.next_token()? {
        match token.kind {
            TokenKind::Start { empty } => {
                let name = std::str::from_utf8(&text[token.name.clone()]).unwrap_or_default();
                let (prefix, local) = match name.rfind(':') {
                    Some(colon) => name.split_at(colon + 1),
                    None => ("", name),
                };
                if depth == 0 {
                    root_prefix = prefix.to_owned();
                }
                if depth == 1 && local == "sheetData" {
                    let start = token.span.end;
                    let close = format!("</{name}");
                    let found =
                        if empty { None } else { memchr::memmem::rfind(&text[start..], close.as_bytes()) };
                    let end = start + found.unwrap_or(0);
                    return Ok(SheetData { content: start..end, prefix: prefix.to_owned() });
                }
                depth += usize::from(!empty);
            }
            TokenKind::End => depth -= 1,
            TokenKind::Text | TokenKind::CData | TokenKind::Comment | TokenKind::Instruction => {}
        }
    }
    Ok(SheetData { content: text.len()..text.len(), prefix: root_prefix })
}

/// Reads the frame; it is UTF-8 here whatever its declaration says, so it goes through its own encoding once.
fn parse_frame(text: Vec<u8>, encoding: Encoding, limits: &Limits) -> Result<Xml, xml::XmlError> {
    let bytes = xml::encode(text, encoding).ok_or(xml::XmlError::Encoding)?;
    Xml::parse(&bytes, limits)
}
