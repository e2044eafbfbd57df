//! Where each row of a sheet begins, and the cells of chosen rows.
//!
//! The index is made in one pass over the start tags of rows, without reading cells. A sheet with comments or CDATA inside its
//! data (no application writes them, but XML allows them) is walked token by token instead, so that a `<row` inside of them is
//! not taken for one.

use std::{ops::Range, sync::Arc};

use super::{
    Cell, CellShown, MAX_ROWS,
    strings::{Strings, TextRun, characters},
};
use crate::{
    DocumentError, Limits,
    package::xml::{Scanner, TokenKind, Xml, XmlError, unescape},
};

/// Rows whose last cell is looked for.
const ROWS_LOOKED_AT: usize = 4_000;

/// A sheet's bytes (UTF-8) with its rows.
pub(super) struct RowIndex {
    bytes: Text,
    /// The prefix of the sheet's elements with its colon, or nothing.
    prefix: String,
    /// Inside `sheetData`.
    data: Range<usize>,
    pub(super) rows: Vec<Row>,
    depth: usize,
}

enum Text {
    Shared(Arc<Vec<u8>>),
    Decoded(Vec<u8>),
}

/// One row that the file holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    pub(super) number: u32,
    at: usize,
    /// Points; `None` takes the sheet's default.
    pub(super) height: Option<f32>,
    pub(super) hidden: bool,
}

impl RowIndex {
    pub(super) fn of(part: Arc<Vec<u8>>, limits: &Limits) -> Result<RowIndex, XmlError> {
        let plain = !part.starts_with(b"\xFF\xFE")
            && !part.starts_with(b"\xFE\xFF")
            && memchr::memchr(0, &part[..part.len().min(64)]).is_none();
        let bytes = if plain {
            Text::Shared(part)
        } else {
            Text::Decoded(Xml::parse(&part, limits)?.bytes().to_vec())
        };
        let text = bytes.as_slice();
        std::str::from_utf8(text).map_err(|_| XmlError::Encoding)?;
        let (prefix, data) = find_data(text, limits.depth)?;
        let mut index = RowIndex { bytes, prefix, data, rows: Vec::new(), depth: limits.depth };
        index.rows = index.find_rows()?;
        Ok(index)
    }

    /// The sheet without its rows, for everything that stands before and after them.
    pub(super) fn frame(&self, limits: &Limits) -> Result<Xml, XmlError> {
        let text = self.bytes.as_slice();
        let mut frame = text[..self.data.start].to_vec();
        frame.extend_from_slice(&text[self.data.end..]);
        Xml::parse(&frame, limits)
    }

    /// The largest row number that the file holds.
    pub(super) fn last(&self) -> u32 {
        self.rows.last().map_or(0, |row| row.number)
    }

    /// The last column that holds a cell, as far as some thousand rows spread over the sheet tell; the dimension that a sheet
    /// declares (18.3.1.35) is optional and may be wrong.
    pub(super) fn last_column(&self) -> u32 {
        let text = self.bytes.as_slice();
        let opening = format!("<{}c", self.prefix);
        let stride = self.rows.len() / ROWS_LOOKED_AT + 1;
        let last_of = |at: usize| {
            let end = self.rows.get(at + 1).map_or(self.data.end, |next| next.at);
            let row = text.get(self.rows[at].at..end)?;
            let ends_name = |at: &usize| matches!(row.get(at + opening.len()), Some(b' ' | b'>' | b'/'));
            let cell = memchr::memmem::rfind_iter(row, opening.as_bytes()).find(ends_name)?;
            let tag_end = memchr::memchr(b'>', &row[cell..])?;
            column_of(&attribute(&row[cell..cell + tag_end], "r")?)
        };
        (0..self.rows.len()).step_by(stride).filter_map(last_of).max().unwrap_or(0)
    }

    /// The cells in a window, in order.
    pub(super) fn cells(
        &self,
        rows: [u32; 2],
        columns: [u32; 2],
        strings: &Strings,
    ) -> Result<Vec<Cell>, DocumentError> {
        let first = self.rows.partition_point(|row| row.number < rows[0]);
        let mut cells = Vec::new();
        for (at, row) in self.rows.iter().enumerate().skip(first).take_while(|(_, row)| row.number <= rows[1])
        {
            let end = self.rows.get(at + 1).map_or(self.data.end, |next| next.at);
            self.read_row(row, end, columns, strings, &mut cells).map_err(|error| {
                DocumentError::Damaged(format!("Row {} cannot be read: {error}.", row.number))
            })?;
        }
        Ok(cells)
    }

    fn find_rows(&self) -> Result<Vec<Row>, XmlError> {
        let text = &self.bytes.as_slice()[..self.data.end];
        let data = &text[self.data.clone()];
        let has_islands = memchr::memmem::find(data, b"<!").is_some();
        let starts = if has_islands { self.row_tags_by_token()? } else { self.row_tags_by_search() };
        let mut rows: Vec<Row> = Vec::with_capacity(starts.len());
        for at in starts {
            let tag_end = memchr::memchr(b'>', &text[at..]).map_or(text.len(), |length| at + length);
            let tag = &text[at..tag_end];
            let number = attribute(tag, "r").and_then(|value| value.parse().ok());
            // A row without `r` follows the row before (18.3.1.73).
            let number = number.unwrap_or_else(|| rows.last().map_or(1, |row| row.number + 1)).min(MAX_ROWS);
            let height = attribute(tag, "ht").and_then(|value| value.parse().ok());
            let hidden = attribute(tag, "hidden").is_some_and(|value| super::truth(&value));
            rows.push(Row { number, at, height, hidden });
        }
        rows.sort_by_key(|row| row.number);
        Ok(rows)
    }

    fn row_tags_by_search(&self) -> Vec<usize> {
        let needle = format!("<{}row", self.prefix);
        let data = &self.bytes.as_slice()[self.data.clone()];
        let ends_name = |at: &usize| {
            matches!(data.get(at + needle.len()), Some(b' ' | b'>' | b'/' | b'\t' | b'\n' | b'\r'))
        };
        memchr::memmem::find_iter(data, needle.as_bytes())
            .filter(ends_name)
            .map(|at| self.data.start + at)
            .collect()
    }

    fn row_tags_by_token(&self) -> Result<Vec<usize>, XmlError> {
        let (text, name) = (self.bytes.as_slice(), format!("{}row", self.prefix));
        let mut scanner = Scanner::new(text, self.depth);
        let mut starts = Vec::new();
        while let Some(token) = scanner.next_token()? {
            let is_row =
                matches!(token.kind, TokenKind::Start { .. }) && &text[token.name.clone()] == name.as_bytes();
            if is_row && self.data.contains(&token.span.start) {
                starts.push(token.span.start);
            }
        }
        Ok(starts)
    }

    fn read_row(
        &self,
        row: &Row,
        end: usize,
        columns: [u32; 2],
        strings: &Strings,
        cells: &mut Vec<Cell>,
    ) -> Result<(), XmlError> {
        // Rows may stand in any order, so the next one's start need not lie behind this one.
        let end = if end > row.at { end } else { self.data.end };
        let text = &self.bytes.as_slice()[row.at..end];
        let mut scanner = Scanner::new(text, self.depth);
        let (mut open, mut column) = (0_usize, 0_u32);
        let mut cell: Option<RawCell> = None;
        let mut inside = Inside::Nothing;
        while let Some(token) = scanner.next_token()? {
            let name = &text[token.name.clone()];
            let local = name.strip_prefix(self.prefix.as_bytes()).unwrap_or(name);
            match token.kind {
                TokenKind::Start { empty } => {
                    let tag = &text[token.span.clone()];
                    match local {
                        b"c" if open == 1 => {
                            let started = RawCell::start(tag, row.number, column);
                            column = started.column;
                            if empty {
                                keep(started, columns, strings, None, cells);
                            } else {
                                cell = Some(started);
                            }
                        }
                        b"v" if !empty => inside = Inside::Value,
                        b"f" => {
                            if let Some(cell) = &mut cell {
                                cell.formula = Some(String::new());
                            }
                            inside = if empty { Inside::Nothing } else { Inside::Formula };
                        }
                        b"is" if !empty => {
                            if let Some(cell) = &mut cell {
                                cell.element = Some(token.span.start..token.span.end);
                            }
                        }
                        // Phonetic text (18.4.6) is a reading aid, not part of the value.
                        b"rPh" if !empty => inside = Inside::Phonetic,
                        b"t" if !empty && inside != Inside::Phonetic => inside = Inside::InlineText,
                        _ => {}
                    }
                    open += usize::from(!empty);
                }
                TokenKind::End => {
                    open -= 1;
                    match local {
                        b"c" if open == 1 => {
                            if let Some(done) = cell.take() {
                                let rich = done.element.clone().filter(|_| done.kind == "inlineStr");
                                let rich = rich.and_then(|rich| strings.runs_in(&text[rich], &self.prefix));
                                keep(done, columns, strings, rich, cells);
                            }
                        }
                        b"is" => {
                            if let Some(element) = cell.as_mut().and_then(|cell| cell.element.as_mut()) {
                                element.end = token.span.end;
                            }
                        }
                        b"v" | b"f" | b"rPh" => inside = Inside::Nothing,
                        b"t" if inside == Inside::InlineText => inside = Inside::Nothing,
                        _ => {}
                    }
                    if open == 0 {
                        break;
                    }
                }
                TokenKind::Text | TokenKind::CData => {
                    if let Some(cell) = &mut cell {
                        cell.take_text(inside, &characters(&text[token.span], &token.kind));
                    }
                }
                TokenKind::Comment | TokenKind::Instruction => {}
            }
            if open == 0 {
                break;
            }
        }
        Ok(())
    }
}

impl Text {
    fn as_slice(&self) -> &[u8] {
        match self {
            Text::Shared(bytes) => bytes,
            Text::Decoded(bytes) => bytes,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Inside {
    Nothing,
    Value,
    Formula,
    InlineText,
    Phonetic,
}

struct RawCell {
    row: u32,
    column: u32,
    kind: String,
    style: u32,
    value: Option<String>,
    formula: Option<String>,
    inline: String,
    /// Where an inline text's element lies in its row.
    element: Option<Range<usize>>,
}

impl RawCell {
    fn start(tag: &[u8], row: u32, before: u32) -> RawCell {
        // A cell without `r` follows the cell before (18.3.1.4).
        let column = attribute(tag, "r").and_then(|value| column_of(&value)).unwrap_or(before + 1);
        let style = attribute(tag, "s").and_then(|value| value.parse().ok()).unwrap_or(0);
        let kind = attribute(tag, "t").unwrap_or_default();
        RawCell { row, column, kind, style, value: None, formula: None, inline: String::new(), element: None }
    }

    fn take_text(&mut self, inside: Inside, characters: &str) {
        match inside {
            Inside::Value => self.value.get_or_insert_default().push_str(characters),
            Inside::Formula => self.formula.get_or_insert_default().push_str(characters),
            Inside::InlineText => self.inline.push_str(characters),
            Inside::Nothing | Inside::Phonetic => {}
        }
    }

    /// The pieces of a shared string with several looks.
    fn runs(&self, strings: &Strings) -> Option<Vec<TextRun>> {
        let index = self.value.as_deref()?.trim().parse().ok();
        index.filter(|_| self.kind == "s").and_then(|index| strings.runs(index))
    }

    fn shown(&self, strings: &Strings) -> CellShown {
        let value = self.value.as_deref().unwrap_or_default();
        match self.kind.as_str() {
            "s" => {
                value.trim().parse().map_or(CellShown::Empty, |index| CellShown::Text(strings.text(index)))
            }
            "inlineStr" => CellShown::Text(self.inline.clone()),
            _ if self.value.is_none() => CellShown::Empty,
            "str" => CellShown::Text(value.to_owned()),
            "b" => CellShown::Truth(super::truth(value.trim())),
            "e" => CellShown::Error(value.to_owned()),
            "d" => CellShown::Date(value.to_owned()),
            _ => value.trim().parse().map_or_else(|_| CellShown::Text(value.to_owned()), CellShown::Number),
        }
    }
}

fn keep(
    raw: RawCell,
    columns: [u32; 2],
    strings: &Strings,
    rich: Option<Vec<TextRun>>,
    cells: &mut Vec<Cell>,
) {
    if !(columns[0]..=columns[1]).contains(&raw.column) {
        return;
    }
    let value = raw.shown(strings);
    let formula = raw.formula.as_ref().map(|text| format!("={text}"));
    let runs = rich.or_else(|| raw.runs(strings));
    let cell = Cell { row: raw.row, column: raw.column, value, formula, style: raw.style, runs, look: None };
    cells.extend(Some(cell).filter(Cell::shows_something));
}

/// The value of an attribute without prefix in a start tag.
pub(super) fn attribute(tag: &[u8], name: &str) -> Option<String> {
    let text = std::str::from_utf8(tag).ok()?;
    let mut rest = text.split_once(|c: char| c.is_ascii_whitespace())?.1;
    loop {
        let (key, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, tail) = after[1..].split_once(quote)?;
        if key.trim() == name {
            return Some(unescape(value).into_owned());
        }
        rest = tail;
    }
}

/// The column of a cell reference; `None` when it is none.
pub(super) fn column_of(reference: &str) -> Option<u32> {
    let letters = reference.bytes().take_while(u8::is_ascii_alphabetic);
    let column = letters.fold(0_u32, |sum, letter| {
        sum.saturating_mul(26).saturating_add(u32::from(letter.to_ascii_uppercase() - b'A') + 1)
    });
    (1..=super::MAX_COLUMNS).contains(&column).then_some(column)
}

/// The prefix of the sheet's elements and the range inside `sheetData`.
fn find_data(text: &[u8], depth: usize) -> Result<(String, Range<usize>), XmlError> {
    let mut scanner = Scanner::new(text, depth);
    while let Some(token) = scanner.next_token()? {
        let TokenKind::Start { empty } = token.kind else { continue };
        let name = std::str::from_utf8(&text[token.name.clone()]).unwrap_or_default();
        let (prefix, local) = name.rfind(':').map_or(("", name), |colon| name.split_at(colon + 1));
        if local != "sheetData" {
            continue;
        }
        let start = token.span.end;
        if empty {
            return Ok((prefix.to_owned(), start..start));
        }
        let close = format!("</{prefix}sheetData");
        // The last one: text cannot hold `<`, so only an island could hold an earlier one.
        let end = memchr::memmem::rfind(&text[start..], close.as_bytes());
        let end =
            end.ok_or_else(|| XmlError::IllFormed { at: start, why: "sheetData is not closed".into() })?;
        return Ok((prefix.to_owned(), start..start + end));
    }
    Ok((String::new(), text.len()..text.len()))
}
