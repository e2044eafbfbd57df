//! Cell addresses in A1 notation: cells, areas, columns, and sheet names as Excel quotes them.
//!
//! Rows and columns are 1-based everywhere. Nothing here knows of formulas; `formula` builds on it.

use std::fmt;

/// The last row of a sheet (ECMA-376-1, 18.3.1.73).
pub(crate) const LAST_ROW: u32 = 1_048_576;
/// The last column, XFD.
pub(crate) const LAST_COL: u32 = 16_384;

/// One cell of a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CellRef {
    pub(crate) row: u32,
    pub(crate) col: u32,
}

/// A rectangle of cells, its first corner never behind its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Area {
    pub(crate) first: CellRef,
    pub(crate) last: CellRef,
}

/// Which lines an edit moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Axis {
    Rows,
    Cols,
}

impl Axis {
    pub(crate) fn last(self) -> u32 {
        match self {
            Axis::Rows => LAST_ROW,
            Axis::Cols => LAST_COL,
        }
    }
}

impl CellRef {
    pub(crate) fn new(row: u32, col: u32) -> CellRef {
        CellRef { row, col }
    }

    /// Reads `B4` or `$B$4`, in either case.
    pub(crate) fn parse(text: &str) -> Option<CellRef> {
        let text = text.trim();
        let text = text.strip_prefix('$').unwrap_or(text);
        let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
        let digits = text[letters..].strip_prefix('$').unwrap_or(&text[letters..]);
        let col = parse_column(&text[..letters])?;
        let row = parse_row(digits)?;
        Some(CellRef { row, col })
    }

    pub(crate) fn on(self, axis: Axis) -> u32 {
        match axis {
            Axis::Rows => self.row,
            Axis::Cols => self.col,
        }
    }
}

impl fmt::Display for CellRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", column_letters(self.col), self.row)
    }
}

impl Area {
    /// The rectangle between two corners given in any order.
    pub(crate) fn between(a: CellRef, b: CellRef) -> Area {
        Area {
            first: CellRef::new(a.row.min(b.row), a.col.min(b.col)),
            last: CellRef::new(a.row.max(b.row), a.col.max(b.col)),
        }
    }

    pub(crate) fn cell(cell: CellRef) -> Area {
        Area { first: cell, last: cell }
    }

    /// The whole sheet.
    pub(crate) fn everything() -> Area {
        Area { first: CellRef::new(1, 1), last: CellRef::new(LAST_ROW, LAST_COL) }
    }

    /// Reads `B4`, `A1:C9`, `B:D` or `3:5`, with or without `$`.
    pub(crate) fn parse(text: &str) -> Option<Area> {
        let text = text.trim();
        let Some((a, b)) = text.split_once(':') else {
            return CellRef::parse(text).map(Area::cell);
        };
        if let (Some(a), Some(b)) = (CellRef::parse(a), CellRef::parse(b)) {
            return Some(Area::between(a, b));
        }
        let (a, b) = (a.trim().trim_start_matches('$'), b.trim().trim_start_matches('$'));
        if let (Some(a), Some(b)) = (parse_column(a), parse_column(b)) {
            return Some(Area::between(CellRef::new(1, a), CellRef::new(LAST_ROW, b)));
        }
        let (a, b) = (parse_row(a)?, parse_row(b)?);
        Some(Area::between(CellRef::new(a, 1), CellRef::new(b, LAST_COL)))
    }

    pub(crate) fn contains(&self, cell: CellRef) -> bool {
        self.first.row <= cell.row
            && cell.row <= self.last.row
            && self.first.col <= cell.col
            && cell.col <= self.last.col
    }

    pub(crate) fn covers(&self, other: &Area) -> bool {
        self.contains(other.first) && self.contains(other.last)
    }

    pub(crate) fn meets(&self, other: &Area) -> bool {
        self.first.row <= other.last.row
            && other.first.row <= self.last.row
            && self.first.col <= other.last.col
            && other.first.col <= self.last.col
    }

    pub(crate) fn rows(&self) -> u32 {
        self.last.row - self.first.row + 1
    }

    pub(crate) fn cols(&self) -> u32 {
        self.last.col - self.first.col + 1
    }

    pub(crate) fn size(&self) -> u64 {
        u64::from(self.rows()) * u64::from(self.cols())
    }

    /// Whether it is a whole-column range such as `B:D`.
    pub(crate) fn is_columns(&self) -> bool {
        self.first.row == 1 && self.last.row == LAST_ROW
    }

    /// Whether it is a whole-row range such as `3:5`.
    pub(crate) fn is_rows(&self) -> bool {
        self.first.col == 1 && self.last.col == LAST_COL
    }

    /// The lines it spans on an axis, first and last.
    pub(crate) fn on(&self, axis: Axis) -> (u32, u32) {
        (self.first.on(axis), self.last.on(axis))
    }

    /// The same with other lines on one axis.
    pub(crate) fn with(&self, axis: Axis, first: u32, last: u32) -> Area {
        let mut area = *self;
        match axis {
            Axis::Rows => (area.first.row, area.last.row) = (first, last),
            Axis::Cols => (area.first.col, area.last.col) = (first, last),
        }
        area
    }

    /// As it stands in `ref` and `sqref` attributes: whole lines with both corners (`A1:A1048576`), which every reader takes.
    pub(crate) fn corners(&self) -> String {
        if self.first == self.last { self.first.to_string() } else { format!("{}:{}", self.first, self.last) }
    }

    /// The smallest rectangle around both.
    pub(crate) fn hull(&self, other: &Area) -> Area {
        Area {
            first: CellRef::new(self.first.row.min(other.first.row), self.first.col.min(other.first.col)),
            last: CellRef::new(self.last.row.max(other.last.row), self.last.col.max(other.last.col)),
        }
    }

    /// The common rectangle.
    pub(crate) fn intersection(&self, other: &Area) -> Option<Area> {
        self.meets(other).then(|| Area {
            first: CellRef::new(self.first.row.max(other.first.row), self.first.col.max(other.first.col)),
            last: CellRef::new(self.last.row.min(other.last.row), self.last.col.min(other.last.col)),
        })
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first)
        } else if self.is_columns() {
            write!(f, "{}:{}", column_letters(self.first.col), column_letters(self.last.col))
        } else if self.is_rows() {
            write!(f, "{}:{}", self.first.row, self.last.row)
        } else {
            write!(f, "{}:{}", self.first, self.last)
        }
    }
}

/// The letters of a column: 1 is A, 27 is AA.
pub(crate) fn column_letters(mut col: u32) -> String {
    let mut letters = Vec::new();
    while col > 0 {
        letters.push(b'A' + ((col - 1) % 26) as u8);
        col = (col - 1) / 26;
    }
    letters.iter().rev().map(|&letter| letter as char).collect()
}

/// The number of a column written in letters; `None` beyond XFD.
pub(crate) fn parse_column(letters: &str) -> Option<u32> {
    if letters.is_empty() || letters.len() > 3 || !letters.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let number = letters
        .bytes()
        .fold(0, |number, letter| number * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1);
    (number <= LAST_COL).then_some(number)
}

/// A row number written in digits; `None` for zero, a leading zero or beyond the sheet.
pub(crate) fn parse_row(digits: &str) -> Option<u32> {
    let well_formed = !digits.is_empty()
        && digits.len() <= 7
        && !digits.starts_with('0')
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    let row: u32 = well_formed.then(|| digits.parse().ok()).flatten()?;
    (row <= LAST_ROW).then_some(row)
}

/// Whether two sheet names are the same to Excel.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

/// A sheet name as it stands in a formula: quoted where it could be read as anything else.
pub(crate) fn quote_sheet(name: &str) -> String {
    if needs_quotes(name) { format!("'{}'", name.replace('\'', "''")) } else { name.to_owned() }
}

/// Whether a sheet name must stand in quotes (it holds anything but letters, digits, `_`, `.`, begins with a digit or a dot, or
/// looks like a cell, an R1C1 reference or a boolean).
pub(crate) fn needs_quotes(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    let starts_badly = name.chars().next().is_none_or(|c| c.is_numeric() || c == '.');
    !plain || starts_badly || looks_like_cell(name) || looks_like_r1c1(name) || is_boolean(name)
}

fn is_boolean(name: &str) -> bool {
    name.eq_ignore_ascii_case("true") || name.eq_ignore_ascii_case("false")
}

/// Whether a word could be read as a cell of some version of Excel (`AB12`, also beyond the last column: harmless to quote).
pub(crate) fn looks_like_cell(name: &str) -> bool {
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    (1..=3).contains(&letters)
        && name.len() > letters
        && name[letters..].bytes().all(|byte| byte.is_ascii_digit())
}

/// `R`, `C`, `RC`, `R1C1`, `R[1]C` and the like, which R1C1 mode reads as references.
pub(crate) fn looks_like_r1c1(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let rest = upper.strip_prefix('R').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    match rest {
        Some("") => true,
        Some(rest) => rest.strip_prefix('C').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit())),
        None => upper.strip_prefix('C').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit())),
    }
}

/// Splits `'My sheet'!B4` into the bare sheet name and the rest; no sheet where there is none.
pub(crate) fn split_sheet(text: &str) -> (Option<String>, &str) {
    let text = text.trim();
    if let Some(quoted) = text.strip_prefix('\'') {
        let mut end = 0;
        while let Some(at) = quoted[end..].find('\'').map(|at| end + at) {
            match quoted[at + 1..].chars().next() {
                Some('\'') => end = at + 2,
                Some('!') => return (Some(quoted[..at].replace("''", "'")), &quoted[at + 2..]),
                _ => break,
            }
        }
    }
    match text.rsplit_once('!') {
        Some((sheet, rest)) => (Some(sheet.to_owned()), rest),
        None => (None, text),
    }
}

/// Reads an `sqref`: areas between blanks. What is no area is left out.
pub(crate) fn parse_areas(text: &str) -> Vec<Area> {
    text.split_whitespace().filter_map(Area::parse).collect()
}

/// Writes an `sqref`.
pub(crate) fn write_areas(areas: &[Area]) -> String {
    areas.iter().map(Area::corners).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_read_and_write() {
        for (letters, number) in [("A", 1), ("Z", 26), ("AA", 27), ("XFD", 16_384)] {
            assert_eq!(parse_column(letters), Some(number));
            assert_eq!(column_letters(number), letters);
        }
        assert_eq!(parse_column("XFE"), None);
    }

    #[test]
    fn areas_of_every_form() {
        let show = |text| Area::parse(text).map(|area| area.to_string());
        assert_eq!(show("$C$9:a1").as_deref(), Some("A1:C9"));
        assert_eq!(show("$B:D").as_deref(), Some("B:D"));
        assert_eq!(show("5:$3").as_deref(), Some("3:5"));
        assert_eq!(show("b4").as_deref(), Some("B4"));
        assert_eq!(show("A0"), None);
        assert_eq!(show("A1048577"), None);
    }

    #[test]
    fn sheet_names_are_quoted_as_excel_does() {
        for plain in ["Data", "Q1_2024x", "매출", "Übersicht"] {
            assert_eq!(quote_sheet(plain), plain);
        }
        for quoted in ["My sheet", "2024", "AB12", "R1C1", "RC", "C", "a-b", "TRUE"] {
            assert_eq!(quote_sheet(quoted), format!("'{quoted}'"));
        }
        assert_eq!(quote_sheet("It's"), "'It''s'");
        assert_eq!(split_sheet("'It''s'!B4"), (Some("It's".into()), "B4"));
        assert_eq!(split_sheet("Data!B4"), (Some("Data".into()), "B4"));
        assert_eq!(split_sheet("B4"), (None, "B4"));
    }
}
