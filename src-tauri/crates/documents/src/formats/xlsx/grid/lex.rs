//! Reading rows and cells out of `sheetData` bytes: positions only, one pass, no allocation per cell.
//!
//! It trusts nothing: what does not look like SpreadsheetML is passed over or reported as damaged, never indexed out of bounds.
//! Well-formedness as such is the gate's business.

use std::{borrow::Cow, ops::Range};

use memchr::{memchr, memmem};

use crate::{DocumentError, formats::xlsx::address::CellRef, package::xml::unescape};

/// One `row` element; positions are offsets in the grid's bytes.
#[derive(Debug, Clone)]
pub(in crate::formats::xlsx) struct Row {
    pub(in crate::formats::xlsx) number: u32,
    /// Whether the number stands in an `r` attribute.
    pub(in crate::formats::xlsx) explicit: bool,
    pub(in crate::formats::xlsx) start: u32,
    pub(in crate::formats::xlsx) tag_end: u32,
    pub(in crate::formats::xlsx) content_end: u32,
    pub(in crate::formats::xlsx) end: u32,
}

impl Row {
    pub(in crate::formats::xlsx) fn tag(&self) -> Range<usize> {
        self.start as usize..self.tag_end as usize
    }

    pub(in crate::formats::xlsx) fn content(&self) -> Range<usize> {
        self.tag_end as usize..self.content_end as usize
    }

    pub(in crate::formats::xlsx) fn is_empty_tag(&self) -> bool {
        self.tag_end == self.end
    }

    /// Where the `/` of an empty-element tag stands, white space before it included.
    pub(super) fn slash(&self, bytes: &[u8]) -> usize {
        let tag = &bytes[self.tag()];
        let trimmed = tag.strip_suffix(b"/>").unwrap_or(tag).trim_ascii_end();
        self.start as usize + trimmed.len()
    }
}

/// What `t` says about a cell (ECMA-376-1, 18.18.11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats::xlsx) enum CellKind {
    Number,
    Shared,
    FormulaText,
    Inline,
    Boolean,
    Error,
    Date,
}

/// What `f/@t` says about a formula (18.18.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats::xlsx) enum FormulaKind {
    Normal,
    Shared,
    Array,
    DataTable,
}

/// A formula element of a cell.
#[derive(Debug, Clone)]
pub(in crate::formats::xlsx) struct FormulaSpan {
    pub(in crate::formats::xlsx) kind: FormulaKind,
    pub(in crate::formats::xlsx) span: Range<u32>,
    pub(in crate::formats::xlsx) tag: Range<u32>,
    pub(in crate::formats::xlsx) text: Range<u32>,
    /// The value of `ref`.
    pub(in crate::formats::xlsx) reference: Option<Range<u32>>,
    /// The group of a shared formula.
    pub(in crate::formats::xlsx) shared: Option<u32>,
}

/// One `c` element.
#[derive(Debug, Clone)]
pub(in crate::formats::xlsx) struct CellSpan {
    pub(in crate::formats::xlsx) at: CellRef,
    pub(in crate::formats::xlsx) span: Range<usize>,
    pub(in crate::formats::xlsx) tag: Range<usize>,
    /// The value of `r`, where it is written.
    pub(in crate::formats::xlsx) reference: Option<Range<u32>>,
    pub(in crate::formats::xlsx) style: u32,
    pub(in crate::formats::xlsx) kind: CellKind,
    /// The index of its cell metadata (`cm`): a dynamic array anchor.
    pub(in crate::formats::xlsx) metadata: bool,
    /// It has value metadata (`vm`): what is stored stands for a picture, a linked record or an error of a newer kind.
    pub(in crate::formats::xlsx) rich: bool,
    pub(in crate::formats::xlsx) formula: Option<FormulaSpan>,
    /// All of `v`, and what is in it.
    pub(in crate::formats::xlsx) value: Option<(Range<u32>, Range<u32>)>,
    /// All of `is`.
    pub(in crate::formats::xlsx) inline: Option<Range<u32>>,
}

/// One attribute: all of it with the white space before, and its value.
pub(in crate::formats::xlsx) struct AttributeSpan {
    pub(in crate::formats::xlsx) whole: Range<usize>,
    pub(in crate::formats::xlsx) value: Range<usize>,
}

pub(super) fn damaged(what: &str) -> DocumentError {
    DocumentError::Damaged(format!("A sheet of the workbook is damaged: {what}."))
}

/// All rows in order, and whether nothing but elements and text stands among them. Rows without `r` follow the one before (18.3.1.73).
pub(super) fn rows(bytes: &[u8], prefix: &str) -> Result<(Vec<Row>, bool), DocumentError> {
    if bytes.len() >= u32::MAX as usize {
        return Err(DocumentError::TooLarge("A sheet has 4 GiB or more.".into()));
    }
    let name = format!("{prefix}row");
    let close = format!("</{name}");
    let finder = memmem::Finder::new(close.as_bytes());
    // Comments, CDATA and instructions could hold what looks like an end tag.
    let plain = memmem::find(bytes, b"<!").is_none() && memmem::find(bytes, b"<?").is_none();
    let mut rows: Vec<Row> = Vec::new();
    let mut position = 0;
    let mut previous = 0;
    while let Some(at) = memchr(b'<', &bytes[position..]) {
        let start = position + at;
        let Some(tag_end) = tag_end(bytes, start) else { return Err(damaged("it ends inside a row")) };
        if !is_named(bytes, start, name.as_bytes()) {
            position = skip(bytes, start, tag_end).ok_or_else(|| damaged("an element is not closed"))?;
            continue;
        }
        let empty = bytes[tag_end - 2] == b'/';
        let (content_end, end) = match (empty, plain) {
            (true, _) => (tag_end, tag_end),
            (false, true) => {
                let content_end = finder.find(&bytes[tag_end..]).map(|at| tag_end + at);
                let content_end = content_end.ok_or_else(|| damaged("a row is not closed"))?;
                let end = memchr(b'>', &bytes[content_end..]).map(|at| content_end + at + 1);
                (content_end, end.ok_or_else(|| damaged("a row is not closed"))?)
            }
            (false, false) => {
                let end = skip(bytes, start, tag_end).ok_or_else(|| damaged("a row is not closed"))?;
                let content_end = bytes[..end].iter().rposition(|byte| *byte == b'<').unwrap_or(tag_end);
                (content_end, end)
            }
        };
        let number = attribute(bytes, start..tag_end, b"r").and_then(|r| parse_number(&bytes[r.value]));
        let explicit = number.is_some();
        let number = number.unwrap_or(previous + 1);
        previous = number;
        rows.push(Row {
            number,
            explicit,
            start: start as u32,
            tag_end: tag_end as u32,
            content_end: content_end as u32,
            end: end as u32,
        });
        position = end;
    }
    Ok((rows, plain))
}

/// The cells of one row. Cells without `r` follow the one before (18.3.1.4).
pub(in crate::formats::xlsx) struct Cells<'g> {
    bytes: &'g [u8],
    prefix: usize,
    row: u32,
    position: usize,
    end: usize,
    previous: u32,
}

impl<'g> Cells<'g> {
    pub(super) fn new(bytes: &'g [u8], row: &Row, prefix: &str) -> Cells<'g> {
        let content = row.content();
        Cells {
            bytes,
            prefix: prefix.len(),
            row: row.number,
            position: content.start,
            end: content.end,
            previous: 0,
        }
    }

    /// Goes on with the element that begins at a place, whose cell must say its address.
    pub(super) fn begin_at(&mut self, start: usize) {
        self.position = start;
    }

    fn read(&mut self) -> Result<Option<CellSpan>, DocumentError> {
        let cut = || damaged("it ends inside a cell");
        while let Some(at) = memchr(b'<', &self.bytes[self.position..self.end]) {
            let start = self.position + at;
            let tag_end = tag_end(self.bytes, start).filter(|end| *end <= self.end).ok_or_else(cut)?;
            let name = start + 1 + self.prefix;
            let is_cell = self.bytes.get(name) == Some(&b'c')
                && self.bytes.get(name + 1).is_some_and(|byte| ends_name(*byte));
            if !is_cell {
                self.position = skip(self.bytes, start, tag_end).ok_or_else(cut)?;
                continue;
            }
            let mut cell = self.attributes(start, tag_end);
            if self.bytes[tag_end - 2] == b'/' {
                cell.span.end = tag_end;
            } else {
                self.children(&mut cell).ok_or_else(cut)?;
            }
            self.previous = cell.at.col;
            self.position = cell.span.end;
            return Ok(Some(cell));
        }
        Ok(None)
    }

    fn attributes(&self, start: usize, tag_end: usize) -> CellSpan {
        let mut cell = CellSpan {
            at: CellRef::new(self.row, self.previous + 1),
            span: start..tag_end,
            tag: start..tag_end,
            reference: None,
            style: 0,
            kind: CellKind::Number,
            metadata: false,
            rich: false,
            formula: None,
            value: None,
            inline: None,
        };
        for (name, value) in Attributes::new(self.bytes, start + 2 + self.prefix, tag_end) {
            let raw = &self.bytes[value.clone()];
            match &self.bytes[name] {
                b"r" => {
                    if let Some(col) = column_of(raw) {
                        cell.at.col = col;
                        cell.reference = Some(narrow(value));
                    }
                }
                b"s" => cell.style = parse_number(raw).unwrap_or(0),
                b"cm" => cell.metadata = true,
                b"vm" => cell.rich = true,
                b"t" => {
                    cell.kind = match raw {
                        b"s" => CellKind::Shared,
                        b"str" => CellKind::FormulaText,
                        b"inlineStr" => CellKind::Inline,
                        b"b" => CellKind::Boolean,
                        b"e" => CellKind::Error,
                        b"d" => CellKind::Date,
                        _ => CellKind::Number,
                    }
                }
                _ => {}
            }
        }
        cell
    }

    /// Reads the children and sets the end of the cell; `None` when it is cut off.
    fn children(&self, cell: &mut CellSpan) -> Option<()> {
        let mut position = cell.tag.end;
        loop {
            let start = position + memchr(b'<', &self.bytes[position..self.end])?;
            let tag_end = tag_end(self.bytes, start).filter(|end| *end <= self.end)?;
            if self.bytes.get(start + 1) == Some(&b'/') {
                cell.span.end = tag_end;
                return Some(());
            }
            let name = start + 1 + self.prefix;
            let first = self.bytes.get(name).copied().unwrap_or(0);
            let second = self.bytes.get(name + 1).copied().unwrap_or(0);
            let end = skip(self.bytes, start, tag_end).filter(|end| *end <= self.end)?;
            let inner = inner(self.bytes, start, tag_end, end);
            match (first, second) {
                (b'v', byte) if ends_name(byte) => {
                    cell.value = Some((narrow(start..end), narrow(inner)));
                }
                (b'f', byte) if ends_name(byte) => {
                    cell.formula = Some(self.formula(start, tag_end, end, inner));
                }
                (b'i', b's') => cell.inline = Some(narrow(start..end)),
                _ => {}
            }
            position = end;
        }
    }

    fn formula(&self, start: usize, tag_end: usize, end: usize, inner: Range<usize>) -> FormulaSpan {
        let mut formula = FormulaSpan {
            kind: FormulaKind::Normal,
            span: narrow(start..end),
            tag: narrow(start..tag_end),
            text: narrow(inner),
            reference: None,
            shared: None,
        };
        for (name, value) in Attributes::new(self.bytes, start + 2 + self.prefix, tag_end) {
            let raw = &self.bytes[value.clone()];
            match &self.bytes[name] {
                b"t" => {
                    formula.kind = match raw {
                        b"shared" => FormulaKind::Shared,
                        b"array" => FormulaKind::Array,
                        b"dataTable" => FormulaKind::DataTable,
                        _ => FormulaKind::Normal,
                    }
                }
                b"ref" => formula.reference = Some(narrow(value)),
                b"si" => formula.shared = parse_number(raw),
                _ => {}
            }
        }
        formula
    }
}

impl Iterator for Cells<'_> {
    type Item = Result<CellSpan, DocumentError>;

    fn next(&mut self) -> Option<Self::Item> {
        let cell = self.read().transpose();
        if matches!(cell, Some(Err(_))) {
            self.position = self.end;
        }
        cell
    }
}

/// Reads one `c` element that stands alone.
pub(super) fn single(raw: &[u8], at: CellRef, prefix: &str) -> Result<CellSpan, DocumentError> {
    let row = Row {
        number: at.row,
        explicit: true,
        start: 0,
        tag_end: 0,
        content_end: raw.len() as u32,
        end: raw.len() as u32,
    };
    let mut cells = Cells::new(raw, &row, prefix);
    cells.previous = at.col - 1;
    cells.next().unwrap_or_else(|| Err(damaged("a cell is empty")))
}

/// Name and value ranges of a tag's attributes, from behind the element's name on.
pub(in crate::formats::xlsx) struct Attributes<'g> {
    bytes: &'g [u8],
    position: usize,
    end: usize,
}

impl<'g> Attributes<'g> {
    pub(in crate::formats::xlsx) fn new(bytes: &'g [u8], position: usize, end: usize) -> Attributes<'g> {
        Attributes { bytes, position, end }
    }
}

impl Iterator for Attributes<'_> {
    type Item = (Range<usize>, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let tag = &self.bytes[..self.end];
        let start =
            self.position + tag.get(self.position..)?.iter().position(|b| !b.is_ascii_whitespace())?;
        if matches!(tag[start], b'>' | b'/') {
            return None;
        }
        let equals = start + memchr(b'=', &tag[start..])?;
        let open = equals + 1 + tag[equals + 1..].iter().position(|b| !b.is_ascii_whitespace())?;
        let close = open + 1 + memchr(tag[open], &tag[open + 1..])?;
        self.position = close + 1;
        let name = start..start + tag[start..equals].trim_ascii_end().len();
        Some((name, open + 1..close))
    }
}

/// One attribute of a start tag, by its name without prefix.
pub(in crate::formats::xlsx) fn attribute(
    bytes: &[u8],
    tag: Range<usize>,
    wanted: &[u8],
) -> Option<AttributeSpan> {
    let name_end = tag.start + 1 + bytes[tag.start + 1..tag.end].iter().position(|b| ends_name(*b))?;
    Attributes::new(bytes, name_end, tag.end).find(|(name, _)| &bytes[name.clone()] == wanted).map(
        |(name, value)| {
            let before = bytes[..name.start].iter().rev().take_while(|b| b.is_ascii_whitespace()).count();
            AttributeSpan { whole: name.start - before..value.end + 1, value }
        },
    )
}

/// The end of the tag, comment, CDATA section or instruction that begins at `start`.
pub(in crate::formats::xlsx) fn tag_end(bytes: &[u8], start: usize) -> Option<usize> {
    let rest = &bytes[start..];
    if rest.starts_with(b"<!--") {
        return memmem::find(rest, b"-->").map(|at| start + at + 3);
    }
    if rest.starts_with(b"<![CDATA[") {
        return memmem::find(rest, b"]]>").map(|at| start + at + 3);
    }
    if rest.starts_with(b"<?") {
        return memmem::find(rest, b"?>").map(|at| start + at + 2);
    }
    let mut quote = 0;
    for (offset, &byte) in rest.iter().enumerate() {
        match byte {
            b'>' if quote == 0 => return Some(start + offset + 1),
            b'"' | b'\'' if quote == 0 => quote = byte,
            _ if byte == quote => quote = 0,
            _ => {}
        }
    }
    None
}

/// The end of the element (or comment and the like) that begins at `start` with a tag to `tag_end`.
pub(in crate::formats::xlsx) fn skip(bytes: &[u8], start: usize, tag_end: usize) -> Option<usize> {
    if matches!(bytes.get(start + 1), Some(b'!' | b'?' | b'/')) || bytes[tag_end - 2] == b'/' {
        return Some(tag_end);
    }
    let mut depth = 1;
    let mut position = tag_end;
    while depth > 0 {
        let next = position + memchr(b'<', &bytes[position..])?;
        let end = self::tag_end(bytes, next)?;
        match bytes.get(next + 1)? {
            b'!' | b'?' => {}
            b'/' => depth -= 1,
            _ if bytes[end - 2] == b'/' => {}
            _ => depth += 1,
        }
        position = end;
    }
    Some(position)
}

/// What stands between the tags of an element whose end is known.
pub(in crate::formats::xlsx) fn inner(
    bytes: &[u8],
    start: usize,
    tag_end: usize,
    end: usize,
) -> Range<usize> {
    if tag_end == end {
        return tag_end..tag_end;
    }
    let close = bytes[start..end].iter().rposition(|byte| *byte == b'<').map_or(end, |at| start + at);
    tag_end..close
}

/// Character data with entities and CDATA resolved.
pub(in crate::formats::xlsx) fn text(raw: &[u8]) -> Cow<'_, str> {
    let raw = std::str::from_utf8(raw).unwrap_or_default();
    if !raw.contains('<') {
        return unescape(raw);
    }
    let mut text = String::new();
    let mut rest = raw;
    while let Some(at) = rest.find('<') {
        text.push_str(&unescape(&rest[..at]));
        rest = &rest[at..];
        let end = tag_end(rest.as_bytes(), 0).unwrap_or(rest.len());
        if let Some(body) = rest[..end].strip_prefix("<![CDATA[") {
            text.push_str(body.strip_suffix("]]>").unwrap_or(body));
        }
        rest = &rest[end..];
    }
    text.push_str(&unescape(rest));
    Cow::Owned(text)
}

fn is_named(bytes: &[u8], start: usize, name: &[u8]) -> bool {
    bytes[start + 1..].starts_with(name) && bytes.get(start + 1 + name.len()).is_some_and(|b| ends_name(*b))
}

fn ends_name(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/')
}

pub(in crate::formats::xlsx) fn parse_number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok()?.trim().parse().ok()
}

/// The column of an address such as `AB12`.
fn column_of(reference: &[u8]) -> Option<u32> {
    let letters = reference.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if letters == 0 || letters > 3 {
        return None;
    }
    let fold = |number: u32, letter: &u8| number * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1;
    Some(reference[..letters].iter().fold(0, fold))
}

fn narrow(range: Range<usize>) -> Range<u32> {
    range.start as u32..range.end as u32
}
