//! What a rule may know of its workbook while one window is dressed: cells of any sheet, read once, within a budget.

use std::{
    cell::{Cell as Counter, RefCell},
    collections::HashMap,
    rc::Rc,
};

use super::super::{Book, Cell, CellShown, MAX_COLUMNS};
use crate::formats::xlsx::judge::{Stored, StoredCells, judge};

/// Cells that the rules of one window may read; beyond that the rest of their formulas are not judged.
const MOST_READS: u64 = 1_500_000;

/// The cells of one row, shared by who asks.
type Row = Rc<Vec<Cell>>;

/// The workbook as one window's rules see it.
pub(in crate::preview::sheet) struct Facts<'b> {
    book: &'b Book,
    sheet: usize,
    rows: RefCell<HashMap<(usize, u32), Row>>,
    reads: Counter<u64>,
}

impl<'b> Facts<'b> {
    pub(in crate::preview::sheet) fn new(book: &'b Book, sheet: usize) -> Facts<'b> {
        Facts { book, sheet, rows: RefCell::default(), reads: Counter::new(0) }
    }

    /// A formula of this sheet for one cell; `None` when it cannot be judged.
    pub(super) fn judge(&self, home: [u32; 2], at: [u32; 2], formula: &str) -> Option<Stored> {
        judge(self, self.sheet, home, at, formula)
    }

    /// The cells of areas of this sheet; `None` when there are more than so many.
    pub(super) fn cells_of(&self, areas: &[[u32; 4]], most: usize) -> Option<Vec<Cell>> {
        let rows = &self.book.sheets.get(self.sheet)?.content.as_ref()?.rows;
        let mut cells = Vec::new();
        for area in areas {
            let inside = rows.rows.iter().filter(|row| (area[0]..=area[2]).contains(&row.number)).count();
            let width = (area[3] - area[1] + 1) as usize;
            if inside.saturating_mul(width.min(64)) + cells.len() > most {
                return None;
            }
            cells.extend(rows.cells([area[0], area[2]], [area[1], area[3]], &self.book.strings).ok()?);
        }
        Some(cells)
    }

    fn spend(&self, reads: usize) -> Option<()> {
        self.reads.set(self.reads.get() + reads as u64);
        (self.reads.get() <= MOST_READS).then_some(())
    }

    fn row(&self, sheet: usize, number: u32) -> Option<Rc<Vec<Cell>>> {
        if let Some(known) = self.rows.borrow().get(&(sheet, number)) {
            return Some(Rc::clone(known));
        }
        let content = self.book.sheets.get(sheet)?.content.as_ref()?;
        let cells = content.rows.cells([number, number], [1, MAX_COLUMNS], &self.book.strings).ok()?;
        self.spend(cells.len())?;
        let cells = Rc::new(cells);
        self.rows.borrow_mut().insert((sheet, number), Rc::clone(&cells));
        Some(cells)
    }
}

impl StoredCells for Facts<'_> {
    fn visit(
        &self,
        sheet: usize,
        area: [u32; 4],
        visit: &mut dyn FnMut(u32, u32, Stored) -> bool,
    ) -> Option<()> {
        let rows = &self.book.sheets.get(sheet)?.content.as_ref()?.rows.rows;
        let first = rows.partition_point(|row| row.number < area[0]);
        for row in rows.iter().skip(first).take_while(|row| row.number <= area[2]) {
            let cells = self.row(sheet, row.number)?;
            self.spend(1)?;
            for cell in cells.iter().filter(|cell| (area[1]..=area[3]).contains(&cell.column)) {
                self.spend(1)?;
                if !visit(cell.row, cell.column, stored(&cell.value)) {
                    return Some(());
                }
            }
        }
        Some(())
    }

    fn tabs(&self) -> Vec<&str> {
        self.book.sheets.iter().map(|entry| entry.info.name.as_str()).collect()
    }

    fn name(&self, home: usize, name: &str) -> Option<String> {
        let name = name.to_lowercase();
        let names = &self.book.names;
        names.get(&(Some(home), name.clone())).or_else(|| names.get(&(None, name))).cloned()
    }

    fn counts_from_1904(&self) -> bool {
        self.book.date_1904
    }

    fn is_hidden(&self, sheet: usize, row: u32) -> bool {
        let content = self.book.sheets.get(sheet).and_then(|entry| entry.content.as_ref());
        let rows = content.map(|content| &content.rows.rows);
        let found = rows.and_then(|rows| rows.get(rows.binary_search_by_key(&row, |row| row.number).ok()?));
        found.is_some_and(|row| row.hidden)
    }
}

fn stored(value: &CellShown) -> Stored {
    match value {
        CellShown::Empty => Stored::Empty,
        CellShown::Number(number) => Stored::Number(*number),
        CellShown::Text(text) | CellShown::Date(text) => Stored::Text(text.clone()),
        CellShown::Truth(truth) => Stored::Truth(*truth),
        CellShown::Error(text) => Stored::Error(text.clone()),
    }
}
