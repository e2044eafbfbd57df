//! The workbook as the calculator reads it: results of this run first, then stored values where they may be believed.

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
    rc::Rc,
};

use super::{
    Address, Results,
    eval::{Cells, Outcome, Stop, TableShape, compute, unknown},
    index::{Index, Role, sheets_between},
    value::{Matrix, Scalar},
};
use crate::{
    EditError,
    error::EditErrorKind,
    formats::xlsx::{
        address::{Area, CellRef, same_name},
        cells::Tables,
        formula::rewrite::{OffSheet, translate},
        grid::{CellView, lex},
        number_format::DateSystem,
        session::Session,
        workbook::{SheetKey, Workbook},
    },
    package::xml::{Ns, Xml},
};

/// What computing a formula gave.
#[derive(Debug, Clone)]
pub(super) enum Computed {
    Value(Rc<Matrix>),
    /// It could not be computed: why.
    Unknown(String),
}

/// Defined names: text by lower-case name and scope.
#[derive(Default)]
pub(super) struct Names {
    by_name: HashMap<(Option<SheetKey>, String), String>,
}

impl Names {
    /// The text of a name as seen from a sheet, or as one sheet defines it.
    pub(super) fn find(
        &self,
        book: &Workbook<'_>,
        home: SheetKey,
        scope: Option<&str>,
        name: &str,
    ) -> Option<String> {
        let name = name.to_lowercase();
        let named = scope.and_then(|scope| book.sheets.iter().find(|entry| same_name(&entry.name, scope)));
        let local = named.map_or(home, |entry| entry.key);
        let found = self.by_name.get(&(Some(local), name.clone()));
        found.or_else(|| self.by_name.get(&(None, name))).cloned()
    }
}

/// All defined names of the workbook.
pub(super) fn defined_names(book: &Workbook<'_>) -> Names {
    let xml = &book.xml;
    let mut names = Names::default();
    let Some(list) = xml.child(xml.root(), Ns::S, "definedNames") else { return names };
    for element in xml.children_named(list, Ns::S, "definedName") {
        let Some(name) = xml.value(element, Ns::None, "name") else { continue };
        let scope = xml.value(element, Ns::None, "localSheetId").and_then(|id| id.parse::<usize>().ok());
        let scope = match scope {
            Some(position) => match book.sheets.get(position) {
                Some(entry) => Some(entry.key),
                None => continue,
            },
            None => None,
        };
        names.by_name.insert((scope, name.to_lowercase()), xml.text(element).into_owned());
    }
    names
}

/// A name's text as it reads in a cell: relative corners count from A1.
pub(super) fn name_at(text: &str, at: CellRef) -> String {
    translate(text, i64::from(at.row) - 1, i64::from(at.col) - 1, OffSheet::Wrap)
}

/// All tables by lower-case name.
pub(super) fn table_shapes(session: &Session<'_, '_>) -> Result<HashMap<String, TableShape>, EditError> {
    let mut shapes = HashMap::new();
    for entry in &session.book.sheets {
        for table in session.tables_of(entry.key)? {
            let shape = TableShape {
                sheet: entry.key,
                area: table.area,
                header_rows: table.header_rows,
                totals_rows: table.totals_rows,
                columns: table.columns,
            };
            shapes.insert(table.name.to_lowercase(), shape);
        }
    }
    Ok(shapes)
}

/// Cells read before a run gives up; a second or two of work.
const MOST_READS: u64 = 60_000_000;

/// One run of the calculator.
pub(super) struct Source<'s> {
    book: &'s Workbook<'s>,
    cells: Tables<'s>,
    index: &'s Index,
    names: &'s Names,
    tables: &'s HashMap<String, TableShape>,
    stale: HashSet<Address>,
    trusted: bool,
    results: RefCell<Results>,
    /// Formulas of this batch, which may turn out to need an array.
    fresh: HashSet<Address>,
    spills: RefCell<Vec<Spill>>,
    /// Areas of stale arrays, whose other cells hold no formula of their own.
    stale_blocks: Vec<(SheetKey, Area, Address)>,
    hidden: RefCell<HashMap<SheetKey, Rc<HiddenRows>>>,
    reads: Cell<u64>,
    cancel: crate::Cancel<'s>,
}

/// A new formula whose result needs an array of a size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spill {
    pub(super) address: Address,
    pub(super) rows: usize,
    pub(super) cols: usize,
}

#[derive(Default)]
struct HiddenRows {
    rows: HashSet<u32>,
    /// Rows that a filter with criteria covers.
    filters: Vec<(u32, u32)>,
}

impl<'s> Source<'s> {
    pub(super) fn new(
        session: &'s Session<'_, '_>,
        index: &'s Index,
        names: &'s Names,
        tables: &'s HashMap<String, TableShape>,
        stale: &[Address],
        trusted: bool,
    ) -> Result<Source<'s>, EditError> {
        let stale: HashSet<Address> = stale.iter().copied().collect();
        let blocks = index
            .blocks()
            .filter(|(entry, _)| !trusted || stale.contains(&entry.address))
            .map(|(entry, area)| (entry.address.0, area, entry.address))
            .collect();
        Ok(Source {
            book: &session.book,
            cells: session.tables()?,
            index,
            names,
            tables,
            stale,
            trusted,
            results: RefCell::default(),
            fresh: session.fresh.iter().copied().collect(),
            spills: RefCell::default(),
            stale_blocks: blocks,
            hidden: RefCell::default(),
            reads: Cell::new(0),
            cancel: session.context.cancel,
        })
    }

    /// Computes formulas and whatever they need; an explicit stack, as chains may be as long as a sheet.
    pub(super) fn compute_all(self, wanted: &[Address]) -> Result<(Results, Vec<Spill>), EditError> {
        let mut waiting: HashSet<Address> = HashSet::new();
        for (count, first) in wanted.iter().enumerate() {
            if count % 256 == 0 && (self.cancel)() {
                return Err(EditError::new(EditErrorKind::Cancelled, "The recalculation was cancelled."));
            }
            let mut stack = vec![*first];
            while let Some(&address) = stack.last() {
                if self.results.borrow().contains_key(&address) {
                    stack.pop();
                    continue;
                }
                let computed = match self.compute_one(&address) {
                    Ok(matrix) => Computed::Value(Rc::new(matrix)),
                    Err(Stop::Unknown(why)) => Computed::Unknown(why),
                    Err(Stop::Need(needed)) => {
                        waiting.insert(address);
                        match needed.iter().find(|needed| waiting.contains(needed)) {
                            Some(_) => Computed::Unknown("it refers to itself".into()),
                            None => {
                                stack.extend(needed);
                                continue;
                            }
                        }
                    }
                };
                self.results.borrow_mut().insert(address, computed);
                waiting.remove(&address);
                stack.pop();
            }
        }
        Ok((self.results.into_inner(), self.spills.into_inner()))
    }

    fn compute_one(&self, address: &Address) -> Outcome<Matrix> {
        let Some(entry) = self.index.get(address) else { return unknown("its formula is missing") };
        let (sheet, at) = *address;
        let arrays = match entry.role {
            Role::Single => false,
            Role::Array { .. } => true,
            Role::DataTable { .. } => return unknown("it is a what-if data table"),
        };
        let text = match self.index.group(entry) {
            Some(group) => group.text_at(at),
            None => self.formula(sheet, at)?,
        };
        if !arrays && self.fresh.contains(address) {
            return self.compute_fresh(*address, &text);
        }
        compute(self, sheet, at, &text, arrays)
    }

    /// A formula that was just set: where it means another thing over all elements than in one cell, it needs an array.
    fn compute_fresh(&self, address: Address, text: &str) -> Outcome<Matrix> {
        let (sheet, at) = address;
        let whole = match compute(self, sheet, at, text, true) {
            Ok(whole) => whole,
            Err(Stop::Need(needed)) => return Err(Stop::Need(needed)),
            Err(Stop::Unknown(_)) => return compute(self, sheet, at, text, false),
        };
        if (whole.rows, whole.cols) == (1, 1) {
            let single = compute(self, sheet, at, text, false)?;
            if single.get(0, 0) == whole.get(0, 0) {
                return Ok(single);
            }
        }
        const MOST: usize = 100_000;
        if whole.rows * whole.cols > MOST {
            return unknown("its result fills too many cells");
        }
        self.spills.borrow_mut().push(Spill { address, rows: whole.rows, cols: whole.cols });
        Ok(whole)
    }

    fn formula(&self, sheet: SheetKey, at: CellRef) -> Outcome<String> {
        let cell = self.book.sheet(sheet).ok().and_then(|sheet| sheet.cell(at).ok().flatten());
        match cell.as_ref().and_then(CellView::formula_text) {
            Some(text) => Ok(text.into_owned()),
            None => unknown("its formula is missing"),
        }
    }

    fn spend(&self, reads: u64) -> Outcome<()> {
        self.reads.set(self.reads.get() + reads);
        if self.reads.get() > MOST_READS { unknown("the recalculation would take too long") } else { Ok(()) }
    }

    /// The array whose result fills a cell, when it must be computed.
    fn block_at(&self, sheet: SheetKey, cell: CellRef) -> Option<&(SheetKey, Area, Address)> {
        self.stale_blocks.iter().find(|(other, area, _)| *other == sheet && area.contains(cell))
    }

    /// The value of a cell that was read; a formula may have to be computed first.
    fn resolve(&self, sheet: SheetKey, cell: &CellView<'_>) -> Outcome<Scalar> {
        let at = cell.span.at;
        let address = (sheet, at);
        if cell.span.formula.is_none() {
            if let Some((_, area, anchor)) = self.block_at(sheet, at) {
                return self.block_value(*anchor, *area, at);
            }
            return self.stored(cell);
        }
        if let Some(computed) = self.results.borrow().get(&address) {
            return match computed {
                Computed::Value(matrix) => Ok(matrix.get(0, 0).clone()),
                Computed::Unknown(why) => unknown(why.clone()),
            };
        }
        let believed = self.trusted && cell.span.value.is_some() && !self.stale.contains(&address);
        if believed { self.stored(cell) } else { Err(Stop::Need(vec![address])) }
    }

    fn block_value(&self, anchor: Address, area: Area, at: CellRef) -> Outcome<Scalar> {
        match self.results.borrow().get(&anchor) {
            None => Err(Stop::Need(vec![anchor])),
            Some(Computed::Unknown(why)) => unknown(why.clone()),
            Some(Computed::Value(matrix)) => {
                Ok(matrix.spread((at.row - area.first.row) as usize, (at.col - area.first.col) as usize))
            }
        }
    }

    fn stored(&self, cell: &CellView<'_>) -> Outcome<Scalar> {
        if cell.span.rich {
            return unknown("it reads a picture or a linked record");
        }
        match Scalar::read(self.cells.value(cell)) {
            Some(value) => Ok(value),
            None => unknown("it reads an error of an unknown kind"),
        }
    }

    fn hidden_rows(&self, sheet: SheetKey) -> Rc<HiddenRows> {
        if let Some(known) = self.hidden.borrow().get(&sheet) {
            return known.clone();
        }
        let read = Rc::new(self.read_hidden_rows(sheet));
        self.hidden.borrow_mut().insert(sheet, read.clone());
        read
    }

    fn read_hidden_rows(&self, key: SheetKey) -> HiddenRows {
        let mut hidden = HiddenRows::default();
        let Ok(sheet) = self.book.sheet(key) else { return hidden };
        let bytes = sheet.grid.bytes();
        if memchr::memmem::find(bytes, b"hidden").is_none() {
            return hidden;
        }
        for row in sheet.grid.rows() {
            let flag = lex::attribute(bytes, row.tag(), b"hidden");
            if flag.is_some_and(|flag| matches!(&bytes[flag.value], b"1" | b"true")) {
                hidden.rows.insert(row.number);
            }
        }
        let filter = sheet.frame.child(sheet.frame.root(), Ns::S, "autoFilter");
        hidden.filters.extend(filter.and_then(|filter| filtered_rows(&sheet.frame, filter)));
        for shape in self.tables.values().filter(|shape| shape.sheet == key) {
            // Whether a table's filter has criteria is not looked up; hidden rows inside a table are its filter's doing as a rule.
            hidden.filters.push((shape.area.first.row + 1, shape.area.last.row));
        }
        hidden
    }
}

fn filtered_rows(xml: &Xml, filter: crate::package::xml::NodeId) -> Option<(u32, u32)> {
    let area = Area::parse(&xml.value(filter, Ns::None, "ref")?)?;
    xml.child(filter, Ns::S, "filterColumn").map(|_| (area.first.row + 1, area.last.row))
}

impl Cells for Source<'_> {
    fn value(&self, sheet: SheetKey, cell: CellRef) -> Outcome<Scalar> {
        self.spend(1)?;
        let Ok(found) = self.book.sheet(sheet) else { return unknown("it reads a sheet without cells") };
        match found.cell(cell) {
            Ok(Some(view)) => self.resolve(sheet, &view),
            Ok(None) => match self.block_at(sheet, cell) {
                Some((_, area, anchor)) => self.block_value(*anchor, *area, cell),
                None => Ok(Scalar::Empty),
            },
            Err(error) => unknown(error.to_string()),
        }
    }

    fn scan(
        &self,
        sheet: SheetKey,
        area: Area,
        visit: &mut dyn FnMut(CellRef, Scalar) -> bool,
    ) -> Outcome<()> {
        let Ok(found) = self.book.sheet(sheet) else { return unknown("it reads a sheet without cells") };
        let grid = &found.grid;
        let mut needed: Vec<Address> = Vec::new();
        // Cells of stale arrays may not exist yet.
        let blocks =
            self.stale_blocks.iter().filter(|(other, block, _)| *other == sheet && block.meets(&area));
        needed.extend(
            blocks.map(|(_, _, anchor)| *anchor).filter(|anchor| !self.results.borrow().contains_key(anchor)),
        );
        for number in grid.row_numbers_within(area.first.row, area.last.row) {
            self.spend(1)?;
            let mut go_on = true;
            let mut look = |cell: &CellView<'_>| -> Outcome<()> {
                self.spend(1)?;
                match self.resolve(sheet, cell) {
                    Ok(Scalar::Empty) => {}
                    Ok(value) if needed.is_empty() => go_on = go_on && visit(cell.span.at, value),
                    Ok(_) => {}
                    Err(Stop::Need(more)) => needed.extend(more),
                    Err(stop) => return Err(stop),
                }
                Ok(())
            };
            if area.cols() == 1 || grid.is_overlaid(number) {
                let cells = match area.cols() {
                    1 => {
                        grid.cell(CellRef::new(number, area.first.col)).map(|cell| cell.into_iter().collect())
                    }
                    _ => grid.row_cells(number),
                };
                let cells: Vec<CellView<'_>> = cells.or_else(|error| unknown(error.to_string()))?;
                for cell in cells.iter().filter(|cell| area.contains(cell.span.at)) {
                    look(cell)?;
                }
            } else if let Ok(index) = grid.find_row(number) {
                for span in grid.cells(&grid.rows()[index]) {
                    let span = span.or_else(|error| unknown(error.to_string()))?;
                    if span.at.col > area.last.col {
                        break;
                    }
                    if span.at.col >= area.first.col {
                        look(&CellView { bytes: grid.bytes(), span })?;
                    }
                }
            }
            if !go_on {
                return Ok(());
            }
        }
        if needed.is_empty() { Ok(()) } else { Err(Stop::Need(needed)) }
    }

    fn sheet(&self, name: &str) -> Option<SheetKey> {
        self.book.sheets.iter().find(|entry| same_name(&entry.name, name)).map(|entry| entry.key)
    }

    fn sheets(&self, first: &str, last: &str) -> Option<Vec<SheetKey>> {
        sheets_between(self.book, first, last)
    }

    fn name(&self, home: SheetKey, sheet: Option<&str>, name: &str) -> Option<String> {
        self.names.find(self.book, home, sheet, name)
    }

    fn table(&self, name: Option<&str>, home: SheetKey, at: CellRef) -> Option<TableShape> {
        match name {
            Some(name) => self.tables.get(&name.to_lowercase()).cloned(),
            None => {
                self.tables.values().find(|shape| shape.sheet == home && shape.area.contains(at)).cloned()
            }
        }
    }

    fn dates(&self) -> DateSystem {
        self.book.dates
    }

    fn hidden(&self, sheet: SheetKey, row: u32) -> (bool, bool) {
        let hidden = self.hidden_rows(sheet);
        let is_hidden = hidden.rows.contains(&row);
        let by_filter = hidden.filters.iter().any(|(first, last)| (*first..=*last).contains(&row));
        (is_hidden, is_hidden && by_filter)
    }

    fn is_subtotal(&self, sheet: SheetKey, cell: CellRef) -> bool {
        let Some(entry) = self.index.get(&(sheet, cell)) else { return false };
        let text = match self.index.group(entry) {
            Some(group) => group.text.clone(),
            None => self.formula(sheet, cell).unwrap_or_default(),
        };
        let upper = text.to_ascii_uppercase();
        upper.contains("SUBTOTAL(") || upper.contains("AGGREGATE(")
    }

    fn sheet_number(&self, sheet: SheetKey) -> (usize, usize) {
        let position = self.book.sheets.iter().position(|entry| entry.key == sheet).unwrap_or(0);
        (position + 1, self.book.sheets.len())
    }
}
