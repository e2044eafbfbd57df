//! Which formula reads which cells: built from the formulas' text once per batch, asked for what a change makes stale.
//!
//! Plain formulas are read by a scanner that allocates nothing; shared groups are read once and their areas moved. The full index is
//! built only when some formula reads a changed cell at all.

mod readers;

use std::collections::{HashMap, HashSet, VecDeque};

use super::{
    Address, Calls, calls,
    eval::{TableShape, structured_area},
    source::Names,
};
use crate::{
    DocumentError,
    formats::xlsx::{
        address::{Area, Axis, CellRef, LAST_COL, LAST_ROW, parse_column, parse_row, same_name},
        formula::{Form, TokenKind, structured, tokens},
        grid::{
            CellView,
            lex::{self, FormulaKind},
        },
        session::Touched,
        structure::shared,
        workbook::{SheetKey, SheetKind, Workbook},
    },
};
use readers::Readers;

/// How a formula fills cells.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Role {
    Single,
    Array { area: Area, dynamic: bool },
    DataTable { area: Area },
}

/// A formula cell.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) address: Address,
    pub(super) role: Role,
    calls: Calls,
    /// The number of its shared group among those of its sheet.
    group: Option<u32>,
}

/// All formulas of a workbook and what they read.
pub(super) struct Index {
    entries: Vec<Entry>,
    by_cell: HashMap<Address, u32>,
    /// Areas that formulas read, as (sheet, area, formula).
    reads: Vec<(SheetKey, Area, u32)>,
    groups: HashMap<SheetKey, Vec<shared::Group>>,
}

impl Index {
    /// Reads all formulas of all loaded sheets.
    pub(super) fn build(
        book: &Workbook<'_>,
        names: &Names,
        tables: &HashMap<String, TableShape>,
        touched: &Touched,
        careful: bool,
    ) -> Result<Index, DocumentError> {
        let mut index =
            Index { entries: Vec::new(), by_cell: HashMap::new(), reads: Vec::new(), groups: HashMap::new() };
        let reader = Reader { book, names, tables, touched, careful };
        for entry in book.sheets.iter().filter(|entry| entry.kind != SheetKind::Chartsheet) {
            index.read_sheet(&reader, entry.key)?;
        }
        Ok(index)
    }

    pub(super) fn get(&self, address: &Address) -> Option<&Entry> {
        self.by_cell.get(address).map(|at| &self.entries[*at as usize])
    }

    /// The shared group of a formula cell.
    pub(super) fn group(&self, entry: &Entry) -> Option<&shared::Group> {
        self.groups.get(&entry.address.0)?.get(entry.group? as usize)
    }

    /// Formulas that fill more than their own cell.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (&Entry, Area)> {
        self.entries.iter().filter_map(|entry| match entry.role {
            Role::Array { area, .. } | Role::DataTable { area } if area.size() > 1 => Some((entry, area)),
            _ => None,
        })
    }

    /// A few of the formulas that span other sheets than before.
    pub(super) fn respanned(&self) -> Vec<Address> {
        const MOST: usize = 100;
        let found = self.entries.iter().filter(|entry| entry.calls.respanned);
        found.map(|entry| entry.address).take(MOST).collect()
    }

    /// Where all formulas stand.
    #[cfg(test)]
    pub(super) fn addresses(&self) -> Vec<Address> {
        self.entries.iter().map(|entry| entry.address).collect()
    }

    fn read_sheet(&mut self, reader: &Reader<'_>, key: SheetKey) -> Result<(), DocumentError> {
        let Ok(sheet) = reader.book.sheet(key) else { return Ok(()) };
        let grid = &sheet.grid;
        let mark = format!("<{}f", grid.prefix);
        let finder = memchr::memmem::Finder::new(mark.as_bytes());
        let mut found = SheetFormulas {
            key,
            reader,
            index: self,
            groups: Vec::new(),
            patterns: Vec::new(),
            current: HashMap::new(),
        };
        for row in grid.rows() {
            grid.formula_cells(row, &finder, &mut |cell| found.add(&cell))?;
        }
        for number in grid.new_rows() {
            for cell in grid.row_cells(number)? {
                found.add(&cell);
            }
        }
        let groups = found.groups;
        self.groups.insert(key, groups);
        Ok(())
    }

    /// The formulas that changed cells make stale, directly or through others, in no particular order.
    pub(super) fn stale(
        &self,
        seeds: &[(SheetKey, Area)],
        recompute: &HashSet<Address>,
        structural: bool,
    ) -> Vec<Address> {
        let mut stale: HashSet<u32> = HashSet::new();
        let mut queue: VecDeque<(SheetKey, Area)> = seeds.iter().copied().collect();
        let first: Vec<u32> = (0..self.entries.len() as u32)
            .filter(|at| {
                let entry = &self.entries[*at as usize];
                recompute.contains(&entry.address)
                    || entry.calls.dynamic
                    || entry.calls.touched
                    || (structural && (entry.calls.positional || entry.calls.joins))
            })
            .collect();
        for at in first {
            stale.insert(at);
            queue.push_back(self.filled(at));
        }
        let touched = queue.iter().any(|(sheet, area)| {
            self.reads.iter().any(|(other, read, _)| other == sheet && read.meets(area))
        });
        if touched {
            let readers = Readers::new(&self.reads);
            while let Some((sheet, area)) = queue.pop_front() {
                readers.of(sheet, area, &mut |formula| {
                    if stale.insert(formula) {
                        queue.push_back(self.filled(formula));
                    }
                });
            }
        }
        let mut addresses: Vec<Address> =
            stale.into_iter().map(|at| self.entries[at as usize].address).collect();
        addresses.sort_unstable();
        addresses
    }

    fn filled(&self, at: u32) -> (SheetKey, Area) {
        let entry = &self.entries[at as usize];
        let area = match entry.role {
            Role::Array { area, .. } | Role::DataTable { area } => area,
            Role::Single => Area::cell(entry.address.1),
        };
        (entry.address.0, area)
    }
}

/// The formulas of one sheet on their way into the index, in one pass.
struct SheetFormulas<'i, 'b> {
    key: SheetKey,
    reader: &'i Reader<'b>,
    index: &'i mut Index,
    groups: Vec<shared::Group>,
    patterns: Vec<Pattern>,
    /// The group that a number of the file means from here on.
    current: HashMap<u32, u32>,
}

impl SheetFormulas<'_, '_> {
    fn add(&mut self, cell: &CellView<'_>) {
        let Some(formula) = &cell.span.formula else { return };
        let (key, at, bytes) = (self.key, cell.span.at, cell.bytes);
        let number = self.index.entries.len() as u32;
        let mut entry =
            Entry { address: (key, at), role: Role::Single, calls: Calls::default(), group: None };
        let area = || {
            let raw = formula.reference.as_ref().map(|r| &bytes[r.start as usize..r.end as usize]);
            raw.and_then(|raw| Area::parse(&lex::text(raw))).unwrap_or(Area::cell(at))
        };
        match formula.kind {
            FormulaKind::Shared => {
                let Some(group) = self.group_of(cell, formula.shared.unwrap_or(0), &area) else { return };
                let pattern = &self.patterns[group as usize];
                entry.group = Some(group);
                entry.calls = pattern.calls;
                let master = self.groups[group as usize].master;
                let areas = pattern
                    .reads
                    .iter()
                    .map(|(sheet, form, area)| (*sheet, form.map_or(*area, |form| moved(&form, master, at))));
                if pattern.calls.joins {
                    let mut areas = areas.collect();
                    add_between(&mut areas);
                    self.index.reads.extend(areas.into_iter().map(|(sheet, area)| (sheet, area, number)));
                } else {
                    self.index.reads.extend(areas.map(|(sheet, area)| (sheet, area, number)));
                }
            }
            FormulaKind::DataTable => {
                let area = area();
                entry.role = Role::DataTable { area };
                self.data_table(cell, area, number);
            }
            FormulaKind::Normal | FormulaKind::Array => {
                if formula.kind == FormulaKind::Array {
                    entry.role = Role::Array { area: area(), dynamic: cell.span.metadata };
                }
                let raw = &bytes[formula.text.start as usize..formula.text.end as usize];
                let reads = &mut self.index.reads;
                entry.calls =
                    self.reader.reads(key, at, raw, &mut |sheet, area| reads.push((sheet, area, number)));
            }
        }
        self.index.by_cell.insert(entry.address, number);
        self.index.entries.push(entry);
    }

    /// The group of a shared formula; the cell that holds the text begins it.
    fn group_of(&mut self, cell: &CellView<'_>, number: u32, area: &dyn Fn() -> Area) -> Option<u32> {
        let text = cell.formula_text().filter(|text| !text.is_empty());
        let Some(text) = text else { return self.current.get(&number).copied() };
        let (group, master) = (self.groups.len() as u32, cell.span.at);
        self.patterns.push(self.reader.pattern(self.key, master, &text));
        self.groups.push(shared::Group {
            number,
            master,
            text: text.into_owned(),
            area: area(),
            members: Vec::new(),
        });
        self.current.insert(number, group);
        Some(group)
    }

    /// The inputs of a data table stand in the row above and the column before it, and in the cells it names.
    fn data_table(&mut self, cell: &CellView<'_>, area: Area, number: u32) {
        let around =
            Area::between(CellRef::new(area.first.row.max(2) - 1, area.first.col.max(2) - 1), area.last);
        self.index.reads.push((self.key, around, number));
        let Some(formula) = &cell.span.formula else { return };
        for name in [b"r1", b"r2"] {
            let tag = formula.tag.start as usize..formula.tag.end as usize;
            let input = lex::attribute(cell.bytes, tag, name)
                .and_then(|found| Area::parse(&lex::text(&cell.bytes[found.value])));
            self.index.reads.extend(input.map(|input| (self.key, input, number)));
        }
    }
}

/// What the master of a shared group reads; relative areas keep their form, to be moved for each member.
struct Pattern {
    reads: Vec<(SheetKey, Option<Form>, Area)>,
    calls: Calls,
}

/// The area of a form as a member of a shared group reads it.
fn moved(form: &Form, master: CellRef, member: CellRef) -> Area {
    let shift = |line: u32, fixed: bool, from: u32, to: u32, last: u32| {
        if fixed {
            return line;
        }
        let moved = i64::from(line) + i64::from(to) - i64::from(from);
        ((moved - 1).rem_euclid(i64::from(last)) + 1) as u32
    };
    let form = form.map(|mut corner| {
        corner.row = shift(corner.row, corner.row_fixed, master.row, member.row, LAST_ROW);
        corner.col = shift(corner.col, corner.col_fixed, master.col, member.col, LAST_COL);
        corner
    });
    form.area().unwrap_or(Area::cell(member))
}

struct Reader<'b> {
    book: &'b Workbook<'b>,
    names: &'b Names,
    tables: &'b HashMap<String, TableShape>,
    touched: &'b Touched,
    /// Kinds of functions matter, so formulas are read by tokens.
    careful: bool,
}

impl Reader<'_> {
    fn pattern(&self, key: SheetKey, master: CellRef, text: &str) -> Pattern {
        let mut pattern = Pattern { reads: Vec::new(), calls: calls(text) };
        let Pattern { reads, calls } = &mut pattern;
        self.token_reads(key, master, text, 0, calls, &mut |sheet, form, area| {
            reads.push((sheet, form, area));
        });
        pattern
    }

    /// The areas a formula reads.
    fn reads(&self, key: SheetKey, at: CellRef, raw: &[u8], visit: &mut dyn FnMut(SheetKey, Area)) -> Calls {
        let mut plain: Vec<Area> = Vec::new();
        if !self.careful && plain_reads(raw, &mut plain) {
            plain.into_iter().for_each(|area| visit(key, area));
            return Calls::default();
        }
        let text = lex::text(raw);
        let mut calls = calls(&text);
        let mut areas: Vec<(SheetKey, Area)> = Vec::new();
        self.token_reads(key, at, &text, 0, &mut calls, &mut |sheet, _, area| areas.push((sheet, area)));
        if calls.joins {
            add_between(&mut areas);
        }
        areas.into_iter().for_each(|(sheet, area)| visit(sheet, area));
        calls
    }

    fn is_touched(&self, name: &str) -> bool {
        !self.touched.names.is_empty() && self.touched.names.contains(&name.to_lowercase())
    }

    /// Whether the sheets of a 3-D reference are others than before, or lines of one of them came or went.
    fn span(&self, first: &str, last: &str) -> Calls {
        let Some(mut now) = sheets_between(self.book, first, last) else { return Calls::default() };
        let order = &self.touched.order;
        let place = |name: &str| {
            let entry = self.book.sheets.iter().find(|entry| same_name(&entry.name, name))?;
            order.iter().position(|key| *key == entry.key)
        };
        let mut before = match (place(first), place(last)) {
            (Some(a), Some(b)) => order[a.min(b)..=a.max(b)].to_vec(),
            _ => Vec::new(),
        };
        now.sort_unstable();
        before.sort_unstable();
        let respanned = now != before;
        let touched = respanned || now.iter().any(|key| self.touched.sheets.contains(key));
        Calls { touched, respanned, ..Calls::default() }
    }

    fn token_reads(
        &self,
        key: SheetKey,
        at: CellRef,
        text: &str,
        depth: usize,
        found: &mut Calls,
        visit: &mut dyn FnMut(SheetKey, Option<Form>, Area),
    ) {
        for token in tokens(text) {
            match &token.kind {
                TokenKind::Reference(reference) => {
                    let Some(area) = reference.form.area() else { continue };
                    let sheets = match &reference.prefix {
                        None => vec![key],
                        Some(prefix) if prefix.workbook.is_some() => Vec::new(),
                        Some(prefix) => {
                            let last = prefix.last_sheet.as_deref().unwrap_or(&prefix.sheet);
                            if prefix.last_sheet.is_some() {
                                found.add(self.span(&prefix.sheet, last));
                            }
                            sheets_between(self.book, &prefix.sheet, last).unwrap_or_default()
                        }
                    };
                    sheets.into_iter().for_each(|sheet| visit(sheet, Some(reference.form), area));
                }
                TokenKind::Name(prefix) if depth < 32 => {
                    let start = prefix.as_ref().map_or(token.range.start, |prefix| prefix.range.end);
                    let scope = prefix.as_ref().map(|prefix| prefix.sheet.as_str());
                    let name = &text[start..token.range.end];
                    found.touched |= self.is_touched(name);
                    let Some(inner) = self.names.find(self.book, key, scope, name) else {
                        if let Some(shape) = self.tables.get(&name.to_lowercase()) {
                            visit(shape.sheet, None, shape.area);
                        }
                        continue;
                    };
                    let inner = super::source::name_at(&inner, at);
                    found.add(calls(&inner));
                    // A name's areas are fixed once it is read from here; members of a group read it each for itself.
                    self.token_reads(key, at, &inner, depth + 1, found, &mut |sheet, form, area| {
                        let loose = form.is_some_and(|form| {
                            [Axis::Rows, Axis::Cols]
                                .iter()
                                .any(|axis| form.corners_on(*axis).iter().any(|c| !c.is_fixed(*axis)))
                        });
                        visit(sheet, form.filter(|_| loose), area);
                    });
                }
                TokenKind::Structured { table } => {
                    let name = &text[table.clone()];
                    let selection = structured::parse(&text[table.end..token.range.end]);
                    let shape = match name {
                        "" => {
                            self.tables.values().find(|shape| shape.sheet == key && shape.area.contains(at))
                        }
                        name => self.tables.get(&name.to_lowercase()),
                    };
                    let (Some(mut selection), Some(shape)) = (selection, shape) else { continue };
                    if !self.touched.names.is_empty()
                        && !selection.items.iter().any(|item| item == "this row")
                    {
                        let mut known = self.tables.iter();
                        found.touched |= known.any(|(name, known)| {
                            std::ptr::eq(known, shape) && self.touched.names.contains(name)
                        });
                    }
                    // The row of the formula may lie anywhere in a group: all rows count.
                    let in_row = selection.items.iter().any(|item| item == "this row");
                    if in_row {
                        selection.items.clear();
                    }
                    let Ok(area) = structured_area(shape, &selection, at.row) else { continue };
                    let data = (shape.area.first.row..=shape.area.last.row).contains(&at.row);
                    let area = if in_row && data && depth == 0 && shape.sheet == key {
                        area.with(Axis::Rows, at.row, at.row)
                    } else {
                        area
                    };
                    let form = (in_row && data).then(|| row_form(area));
                    visit(shape.sheet, form, area);
                }
                _ => {}
            }
        }
    }
}

/// Adds what lies between the areas of each sheet: a range whose ends are references of their own reads no more than that.
fn add_between(areas: &mut Vec<(SheetKey, Area)>) {
    let mut around: HashMap<SheetKey, Area> = HashMap::new();
    for (sheet, area) in areas.iter() {
        let all = around.entry(*sheet).or_insert(*area);
        let (first, last) = (&mut all.first, &mut all.last);
        *first = CellRef::new(first.row.min(area.first.row), first.col.min(area.first.col));
        *last = CellRef::new(last.row.max(area.last.row), last.col.max(area.last.col));
    }
    areas.extend(around);
}

/// An area whose row moves with the member that reads it.
fn row_form(area: Area) -> Form {
    let corner = |cell: CellRef| crate::formats::xlsx::formula::Corner {
        row: cell.row,
        col: cell.col,
        row_fixed: false,
        col_fixed: true,
    };
    Form::Area(corner(area.first), corner(area.last))
}

/// All sheets from one name to another, in tab order.
pub(super) fn sheets_between(book: &Workbook<'_>, first: &str, last: &str) -> Option<Vec<SheetKey>> {
    let position = |name: &str| {
        book.sheets.iter().position(|entry| crate::formats::xlsx::address::same_name(&entry.name, name))
    };
    let (a, b) = (position(first)?, position(last)?);
    let range = a.min(b)..=a.max(b);
    Some(book.sheets[range].iter().map(|entry| entry.key).collect())
}

/// The areas of a formula that holds nothing but plain references; `false` when it holds more than that.
fn plain_reads(raw: &[u8], areas: &mut Vec<Area>) -> bool {
    let mut at = 0;
    while at < raw.len() {
        match raw[at] {
            b'"' => match memchr::memchr(b'"', &raw[at + 1..]) {
                Some(end) => at += end + 2,
                None => return false,
            },
            b'\'' | b'[' | b'!' | b'#' | b'{' | b'<' | b'\\' | b':' | 0x80.. => return false,
            b'0'..=b'9' | b'.' => {
                at += run(&raw[at..], |byte| byte.is_ascii_digit() || byte == b'.');
                if raw.get(at) == Some(&b':') {
                    return false;
                }
                if matches!(raw.get(at), Some(b'e' | b'E')) {
                    at += 1 + usize::from(matches!(raw.get(at + 1), Some(b'+' | b'-')));
                }
            }
            b'$' | b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                let length = run(&raw[at..], is_word);
                let word = &raw[at..at + length];
                at += length;
                match raw.get(at) {
                    Some(b'(') => {
                        // The two functions that read what no reference names, and names of names.
                        if word.eq_ignore_ascii_case(b"OFFSET") || word.eq_ignore_ascii_case(b"INDIRECT") {
                            return false;
                        }
                        continue;
                    }
                    Some(b'!' | b'[') => return false,
                    _ => {}
                }
                let second = (raw.get(at) == Some(&b':')).then(|| {
                    let length = run(&raw[at + 1..], is_word);
                    &raw[at + 1..at + 1 + length]
                });
                match plain_area(word, second) {
                    Some(area) => areas.push(area),
                    None if word.eq_ignore_ascii_case(b"TRUE") || word.eq_ignore_ascii_case(b"FALSE") => {}
                    None => return false,
                }
                at += second.map_or(0, |second| second.len() + 1);
            }
            b'&' => {
                // An entity: `&lt;`, `&gt;`, `&amp;`, `&quot;` (a quote begins a text, which is left to the tokens).
                match memchr::memchr(b';', &raw[at..raw.len().min(at + 8)]) {
                    Some(end) if &raw[at..at + end] != b"&quot" => at += end + 1,
                    _ => return false,
                }
            }
            _ => at += 1,
        }
    }
    true
}

fn run(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !belongs(*byte)).unwrap_or(bytes.len())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'?' | b'\\' | 0x80..)
}

fn plain_area(first: &[u8], second: Option<&[u8]>) -> Option<Area> {
    let text = |bytes| std::str::from_utf8(bytes).ok();
    match second {
        None => plain_cell(text(first)?).map(Area::cell),
        Some(second) => {
            let (first, second) = (text(first)?, text(second)?);
            if let (Some(a), Some(b)) = (plain_cell(first), plain_cell(second)) {
                return Some(Area::between(a, b));
            }
            let (a, b) =
                (parse_column(first.trim_start_matches('$')), parse_column(second.trim_start_matches('$')));
            Some(Area::between(CellRef::new(1, a?), CellRef::new(LAST_ROW, b?)))
        }
    }
}

fn plain_cell(text: &str) -> Option<CellRef> {
    let bare = text.strip_prefix('$').unwrap_or(text);
    let letters = run(bare.as_bytes(), |byte| byte.is_ascii_alphabetic());
    let digits = bare[letters..].strip_prefix('$').unwrap_or(&bare[letters..]);
    Some(CellRef::new(parse_row(digits)?, parse_column(&bare[..letters])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_formulas_are_read_without_tokens() {
        let read = |text: &str| {
            let mut areas = Vec::new();
            plain_reads(text.as_bytes(), &mut areas)
                .then(|| areas.iter().map(Area::to_string).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(read("SUM($A$1:B2)+C3*1.5E3-LOG10(D4)").as_deref(), Some("A1:B2 C3 D4"));
        assert_eq!(read("IF(A1&lt;2,\"B2\",TRUE)").as_deref(), Some("A1"));
        assert_eq!(read("SUM(B:C)").as_deref(), Some("B:C"));
        for more in [
            "Data!A1",
            "Rate*2",
            "[@Qty]",
            "'a'!B1",
            "SUM(3:5)",
            "OFFSET(A1,1,1)",
            "{1,2}",
            "A1#",
            "(A1):(B2)",
            "INDEX(A:A,2):C5",
        ] {
            assert_eq!(read(more), None, "{more}");
        }
    }
}
