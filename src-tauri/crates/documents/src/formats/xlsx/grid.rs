//! The cells of a sheet: the bytes between `<sheetData>` and `</sheetData>` with an index of rows, and an overlay of new cells.
//!
//! No tree is built: a sheet of 80 MB is found its rows with a byte search, and a row is read cell by cell when it is asked for
//! (`lex`). New cells wait in the overlay until `flush` splices them in; everything else keeps its bytes.

pub(super) mod lex;

use std::{borrow::Cow, collections::BTreeMap, ops::Range, sync::Arc};

use super::address::CellRef;
use crate::{DocumentError, EditError, package::xml::Splices};
use lex::{CellSpan, Row};

/// Bytes that are shared with the package until the first change.
#[derive(Clone)]
pub(super) enum Bytes {
    Shared(Arc<Vec<u8>>, Range<usize>),
    Owned(Arc<Vec<u8>>),
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Shared(bytes, range) => &bytes[range.clone()],
            Bytes::Owned(bytes) => bytes,
        }
    }
}

/// The rows and cells of one sheet.
pub(super) struct Grid {
    bytes: Bytes,
    /// The prefix of its elements with the colon, or nothing.
    pub(super) prefix: String,
    rows: Vec<Row>,
    /// Rows stand in ascending order, as they must (ECMA-376-1, 18.3.1.73) but do not always.
    ascending: bool,
    /// No comments, CDATA sections or instructions stand among the cells.
    plain: bool,
    /// The bytes are not the part's own any more.
    rewritten: bool,
    /// Whole new `c` elements by row and column.
    overlay: BTreeMap<u32, BTreeMap<u32, Vec<u8>>>,
}

/// A cell with the bytes its spans point into.
pub(super) struct CellView<'g> {
    pub(super) bytes: &'g [u8],
    pub(super) span: CellSpan,
}

impl Grid {
    pub(super) fn new(bytes: Bytes, prefix: String) -> Result<Grid, DocumentError> {
        let (rows, plain) = lex::rows(&bytes, &prefix)?;
        let ascending = rows.windows(2).all(|pair| pair[0].number < pair[1].number);
        Ok(Grid { bytes, prefix, rows, ascending, plain, rewritten: false, overlay: BTreeMap::new() })
    }

    /// The rows as they are in the bytes; the overlay is not among them.
    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn is_changed(&self) -> bool {
        self.rewritten || !self.overlay.is_empty()
    }

    /// The position of a row in `rows`, or where it would stand.
    pub(super) fn find_row(&self, number: u32) -> Result<usize, usize> {
        if self.ascending {
            return self.rows.binary_search_by_key(&number, |row| row.number);
        }
        match self.rows.iter().position(|row| row.number == number) {
            Some(at) => Ok(at),
            None => Err(self.rows.iter().position(|row| row.number > number).unwrap_or(self.rows.len())),
        }
    }

    /// The cells of a row as they are in the bytes.
    pub(super) fn cells(&self, row: &Row) -> lex::Cells<'_> {
        lex::Cells::new(&self.bytes, row, &self.prefix)
    }

    /// A cell as it is now.
    pub(super) fn cell(&self, at: CellRef) -> Result<Option<CellView<'_>>, DocumentError> {
        if let Some(raw) = self.overlay.get(&at.row).and_then(|row| row.get(&at.col)) {
            return lex::single(raw, at, &self.prefix).map(|span| Some(CellView { bytes: raw, span }));
        }
        let Ok(index) = self.find_row(at.row) else { return Ok(None) };
        if let Some(span) = self.addressed(&self.rows[index], at) {
            return Ok(Some(CellView { bytes: &self.bytes, span }));
        }
        for cell in self.cells(&self.rows[index]) {
            let span = cell?;
            if span.at.col == at.col {
                return Ok(Some(CellView { bytes: &self.bytes, span }));
            }
        }
        Ok(None)
    }

    /// A cell that says its own address, found by it; cells that do not, or say it otherwise, are found one by one.
    fn addressed(&self, row: &Row, at: CellRef) -> Option<CellSpan> {
        let needle = format!(" r=\"{at}\"");
        let content = row.content();
        let found = content.start + memchr::memmem::find(&self.bytes[content.clone()], needle.as_bytes())?;
        let start = content.start + memchr::memrchr(b'<', &self.bytes[content.start..found])?;
        self.cell_from(row, start).filter(|cell| cell.at == at && cell.reference.is_some())
    }

    /// The cell whose element begins at a place.
    fn cell_from(&self, row: &Row, start: usize) -> Option<CellSpan> {
        let mut cells = self.cells(row);
        cells.begin_at(start);
        cells.next()?.ok().filter(|cell| cell.span.start == start)
    }

    /// Visits the cells of a row that hold formulas, as they are now.
    pub(super) fn formula_cells<'g>(
        &'g self,
        row: &Row,
        mark: &memchr::memmem::Finder<'_>,
        visit: &mut dyn FnMut(CellView<'g>),
    ) -> Result<(), DocumentError> {
        if self.overlay.contains_key(&row.number) {
            let cells = self.row_cells(row.number)?;
            cells.into_iter().filter(|cell| cell.span.formula.is_some()).for_each(visit);
            return Ok(());
        }
        let (bytes, content) = (&*self.bytes, row.content());
        let mut position = content.start;
        while let Some(at) = mark.find(&bytes[position..content.end]) {
            let found = position + at;
            let start = memchr::memrchr(b'<', &bytes[position..found]).map(|at| position + at);
            let cell = start.and_then(|start| self.cell_from(row, start));
            match cell.filter(|cell| self.plain && cell.reference.is_some() && cell.formula.is_some()) {
                Some(span) => {
                    position = span.span.end;
                    visit(CellView { bytes, span });
                }
                // Cells without an address count on each other: the row is read from its beginning.
                None => {
                    for cell in self.cells(row) {
                        let span = cell?;
                        if span.formula.is_some() && span.span.start >= position {
                            visit(CellView { bytes, span });
                        }
                    }
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Whether a row has cells that are not in the bytes yet.
    pub(super) fn is_overlaid(&self, number: u32) -> bool {
        !self.overlay.is_empty() && self.overlay.contains_key(&number)
    }

    /// The numbers of rows that are in no bytes yet.
    pub(super) fn new_rows(&self) -> Vec<u32> {
        self.overlay.keys().copied().filter(|number| self.find_row(*number).is_err()).collect()
    }

    /// All cells of a row as they are now, in column order.
    pub(super) fn row_cells(&self, number: u32) -> Result<Vec<CellView<'_>>, DocumentError> {
        let mut cells = Vec::new();
        if let Ok(index) = self.find_row(number) {
            for cell in self.cells(&self.rows[index]) {
                cells.push(CellView { bytes: &self.bytes, span: cell? });
            }
        }
        for (&col, raw) in self.overlay.get(&number).into_iter().flatten() {
            let span = lex::single(raw, CellRef::new(number, col), &self.prefix)?;
            let view = CellView { bytes: raw, span };
            match cells.binary_search_by_key(&col, |cell| cell.span.at.col) {
                Ok(at) => cells[at] = view,
                Err(at) => cells.insert(at, view),
            }
        }
        Ok(cells)
    }

    /// The numbers of all rows that there are now, ascending.
    pub(super) fn row_numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.rows.iter().map(|row| row.number).collect();
        numbers.extend(self.overlay.keys().copied().filter(|number| self.find_row(*number).is_err()));
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The numbers of the rows within bounds, ascending.
    pub(super) fn row_numbers_within(&self, first: u32, last: u32) -> Vec<u32> {
        if !self.ascending {
            return self.row_numbers().into_iter().filter(|n| (first..=last).contains(n)).collect();
        }
        let start = self.rows.partition_point(|row| row.number < first);
        let mut numbers: Vec<u32> =
            self.rows[start..].iter().map(|row| row.number).take_while(|n| *n <= last).collect();
        let known = numbers.len();
        let new = self.overlay.range(first..=last).map(|(n, _)| *n);
        numbers.extend(new.filter(|n| self.find_row(*n).is_err()));
        if numbers.len() > known {
            numbers.sort_unstable();
        }
        numbers
    }

    /// The last row that exists, if any.
    pub(super) fn last_row(&self) -> Option<u32> {
        let stored = if self.ascending {
            self.rows.last().map(|row| row.number)
        } else {
            self.rows.iter().map(|row| row.number).max()
        };
        stored.max(self.overlay.keys().next_back().copied())
    }

    /// Plans a whole new `c` element.
    pub(super) fn put(&mut self, at: CellRef, element: Vec<u8>) {
        self.overlay.entry(at.row).or_default().insert(at.col, element);
    }

    /// Writes the overlay into the bytes.
    pub(super) fn flush(&mut self) -> Result<(), EditError> {
        if self.overlay.is_empty() {
            return Ok(());
        }
        let splices = self.planned()?;
        self.overlay.clear();
        self.rewrite(splices)
    }

    /// What writing the overlay changes in the bytes.
    pub(super) fn planned(&self) -> Result<Splices, EditError> {
        let mut splices = Splices::default();
        for (number, cells) in &self.overlay {
            match self.find_row(*number) {
                Ok(index) => self.splice_row(&self.rows[index], cells, &mut splices)?,
                Err(index) => self.splice_new_row(index, *number, cells, &mut splices),
            }
        }
        Ok(splices)
    }

    /// Applies splices to the bytes and indexes them anew.
    pub(super) fn rewrite(&mut self, splices: Splices) -> Result<(), EditError> {
        let bytes = splices.apply(&self.bytes)?;
        self.replace_bytes(bytes)
    }

    /// Takes wholly new bytes.
    pub(super) fn replace_bytes(&mut self, bytes: Vec<u8>) -> Result<(), EditError> {
        *self = Grid::new(Bytes::Owned(Arc::new(bytes)), std::mem::take(&mut self.prefix))?;
        self.rewritten = true;
        Ok(())
    }

    fn splice_row(
        &self,
        row: &Row,
        new: &BTreeMap<u32, Vec<u8>>,
        splices: &mut Splices,
    ) -> Result<(), EditError> {
        let mut pending = new.iter().peekable();
        let mut added: Vec<u8> = Vec::new();
        for cell in self.cells(row) {
            let cell = cell?;
            let start = cell.span.start;
            while let Some((_, raw)) = pending.next_if(|(col, _)| **col < cell.at.col) {
                splices.insert(start, raw.as_slice());
            }
            if let Some((_, raw)) = pending.next_if(|(col, _)| **col == cell.at.col) {
                splices.replace(cell.span, raw.as_slice());
            }
        }
        pending.for_each(|(_, raw)| added.extend_from_slice(raw));
        if row.is_empty_tag() {
            let slash = row.slash(&self.bytes);
            let tail = [b">", added.as_slice(), format!("</{}row>", self.prefix).as_bytes()].concat();
            splices.replace(slash..row.end as usize, tail);
        } else if !added.is_empty() {
            splices.insert(row.content().end, added);
        }
        self.loosen_spans(row, new, splices);
        Ok(())
    }

    /// `spans` is a hint that must hold (18.3.1.73); where a new cell lies outside, the hint goes.
    fn loosen_spans(&self, row: &Row, new: &BTreeMap<u32, Vec<u8>>, splices: &mut Splices) {
        let tag = row.start as usize..row.tag_end as usize;
        let Some(spans) = lex::attribute(&self.bytes, tag, b"spans") else { return };
        let text = std::str::from_utf8(&self.bytes[spans.value.clone()]).unwrap_or_default();
        let holds = |col: u32| {
            text.split_whitespace().filter_map(|span| span.split_once(':')).any(|(first, last)| {
                matches!((first.parse::<u32>(), last.parse::<u32>()), (Ok(a), Ok(b)) if a <= col && col <= b)
            })
        };
        if !new.keys().all(|col| holds(*col)) {
            splices.delete(spans.whole);
        }
    }

    fn splice_new_row(
        &self,
        index: usize,
        number: u32,
        cells: &BTreeMap<u32, Vec<u8>>,
        splices: &mut Splices,
    ) {
        let prefix = &self.prefix;
        let mut element = format!("<{prefix}row r=\"{number}\">").into_bytes();
        cells.values().for_each(|raw| element.extend_from_slice(raw));
        element.extend_from_slice(format!("</{prefix}row>").as_bytes());
        splices.insert(self.insertion_point(index), element);
    }

    /// Where a new row goes that stands before the row at `index`: directly behind the one before, so that white space stays put.
    pub(super) fn insertion_point(&self, index: usize) -> usize {
        match index.checked_sub(1).and_then(|before| self.rows.get(before)) {
            Some(before) => before.end as usize,
            None => self.rows.first().map_or(0, |row| row.start as usize),
        }
    }
}

impl CellView<'_> {
    /// The text of a range of the cell's bytes, entities and CDATA resolved.
    pub(super) fn text(&self, range: &Range<u32>) -> Cow<'_, str> {
        lex::text(&self.bytes[range.start as usize..range.end as usize])
    }

    /// The element as it is written.
    pub(super) fn raw(&self) -> &[u8] {
        &self.bytes[self.span.span.clone()]
    }

    /// The formula's text as it is written in the file, if there is a formula element.
    pub(super) fn formula_text(&self) -> Option<Cow<'_, str>> {
        self.span.formula.as_ref().map(|formula| self.text(&formula.text))
    }
}
