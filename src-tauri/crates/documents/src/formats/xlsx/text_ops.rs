//! `xlsx_replace_text`: text inside cell values or formulas, found by exact match; formats of rich text stay.

use std::ops::Range;

use super::{
    address::{Area, CellRef},
    cells::{self, Content, Value},
    formula,
    grid::lex::{CellKind, FormulaKind},
    guards::Guards,
    rich,
    session::{Location, Session, read_area},
    structure::shared,
    workbook::SheetKey,
};
use crate::{
    EditError,
    edit::{All, CellText, Occurrence},
    error::{EditErrorKind, Place},
};

/// One cell whose text holds what is looked for.
struct Found {
    at: CellRef,
    text: String,
    hits: usize,
}

impl Session<'_, '_> {
    pub(super) fn replace_text(
        &mut self,
        sheet: Option<&str>,
        range: Option<&str>,
        find: &str,
        replace: &str,
        occurrence: Option<Occurrence>,
        within: CellText,
    ) -> Result<(), EditError> {
        if find.is_empty() {
            return Err(EditError::new(EditErrorKind::InvalidArguments, "`find` is empty."));
        }
        let key = self.worksheet(sheet)?;
        let area = match range {
            Some(range) => self.current_area(key, read_area(range)?)?,
            None => Area::everything(),
        };
        self.book.sheet_mut(key)?.grid.flush()?;
        let texts = self.texts(key, area, within)?;
        let found: Vec<Found> = texts
            .iter()
            .filter_map(|(at, text)| {
                let hits = text.matches(find).count();
                (hits > 0).then(|| Found { at: *at, text: text.clone(), hits })
            })
            .collect();
        let total: usize = found.iter().map(|cell| cell.hits).sum();
        let chosen = match occurrence {
            _ if total == 0 => return Err(self.nothing_found(key, find, &texts)),
            None if total > 1 => return Err(self.too_many(key, find, &found, total)),
            None => Some(1),
            Some(Occurrence::All(All::All)) => None,
            Some(Occurrence::Nth(nth)) if (1..=total).contains(&nth) => Some(nth),
            Some(Occurrence::Nth(nth)) => {
                let message = format!("There is no occurrence {nth} of “{find}”; there are {total}.");
                return Err(EditError::new(EditErrorKind::OutOfRange, message));
            }
        };
        let guards = Guards::read(self, key)?;
        let mut before = 0;
        for cell in found {
            let nth = chosen.map(|nth| nth.checked_sub(before));
            before += cell.hits;
            let matches = cell.text.match_indices(find).map(|(at, _)| at..at + find.len());
            let ranges: Vec<Range<usize>> = match nth {
                None => matches.collect(),
                Some(nth) => {
                    matches.enumerate().filter(|(at, _)| nth == Some(at + 1)).map(|(_, r)| r).collect()
                }
            };
            if ranges.is_empty() {
                continue;
            }
            guards.allow(self, key, cell.at)?;
            self.put_replaced(key, &cell, &ranges, replace, within)?;
        }
        Ok(())
    }

    /// The texts to look in, cell by cell.
    fn texts(
        &self,
        key: SheetKey,
        area: Area,
        within: CellText,
    ) -> Result<Vec<(CellRef, String)>, EditError> {
        let grid = &self.book.sheet(key)?.grid;
        let tables = self.tables()?;
        let groups = match within {
            CellText::Values => None,
            CellText::Formulas => Some(shared::Membership::read(grid)?),
        };
        let mut texts = Vec::new();
        for number in grid.row_numbers_within(area.first.row, area.last.row) {
            for cell in grid.row_cells(number)? {
                let at = cell.span.at;
                if !area.contains(at) {
                    continue;
                }
                match (within, &cell.span.formula) {
                    (CellText::Values, None) => {
                        if let Value::Text(text) = tables.value(&cell) {
                            texts.push((at, text));
                        }
                    }
                    (CellText::Formulas, Some(formula)) => match formula.kind {
                        FormulaKind::Normal => {
                            texts.extend(cell.formula_text().map(|text| (at, text.into_owned())));
                        }
                        FormulaKind::Shared => {
                            let group = groups.as_ref().and_then(|groups| groups.of(at));
                            texts.extend(group.map(|group| (at, group.text_at(at))));
                        }
                        FormulaKind::Array | FormulaKind::DataTable => {}
                    },
                    _ => {}
                }
            }
        }
        Ok(texts)
    }

    fn put_replaced(
        &mut self,
        key: SheetKey,
        found: &Found,
        ranges: &[Range<usize>],
        with: &str,
        within: CellText,
    ) -> Result<(), EditError> {
        let (at, old) = (found.at, found.text.as_str());
        let mut new = old.to_owned();
        ranges.iter().rev().for_each(|range| new.replace_range(range.clone(), with));
        if old == new {
            return Ok(());
        }
        if within == CellText::Values && !cells::is_too_long(old) {
            cells::check_length(&new)?;
        }
        let header = match within {
            CellText::Formulas => None,
            CellText::Values => self
                .tables_of(key)?
                .into_iter()
                .find(|table| table.header().is_some_and(|header| header.contains(at))),
        };
        if let Some(table) = header {
            self.rename_header(key, &table, at, &new)?;
        }
        let (content, before, after, detail) = match within {
            CellText::Values => (self.replaced_text(key, at, ranges, with, &new)?, old.to_owned(), new, None),
            CellText::Formulas => {
                let formula = formula::from_replaced(old, &new)?;
                self.leave_shared_group(key, at)?;
                (
                    Content::Formula(formula.clone(), Value::Empty),
                    format!("={old}"),
                    format!("={formula}"),
                    Some("formula"),
                )
            }
        };
        let sheet = self.book.sheet(key)?;
        let cell = sheet.cell(at)?;
        let element = cells::element(&sheet.grid.prefix, at, cell.as_ref(), None, &content)?;
        self.book.sheet_mut(key)?.grid.put(at, element);
        self.dirty.push((key, at));
        if within == CellText::Formulas {
            self.fresh.push((key, at));
        }
        self.change(Location::Cell(key, at), Some(before), Some(after), detail);
        Ok(())
    }

    /// A cell's text with ranges replaced; the formats of its runs stay.
    fn replaced_text(
        &self,
        key: SheetKey,
        at: CellRef,
        ranges: &[Range<usize>],
        with: &str,
        new: &str,
    ) -> Result<Content, EditError> {
        let plain = Content::Value(Value::Text(new.to_owned()));
        let sheet = self.book.sheet(key)?;
        let Some(cell) = sheet.cell(at)? else { return Ok(plain) };
        let item = match (&cell.span.kind, &cell.span.inline, &cell.span.value) {
            (CellKind::Inline, Some(inline), _) => {
                Some(&cell.bytes[inline.start as usize..inline.end as usize])
            }
            (CellKind::Shared, _, Some((_, inner))) => {
                let index = cell.text(inner).trim().parse::<usize>().ok();
                index.and_then(|index| self.book.strings()?.raw(index))
            }
            _ => None,
        };
        let Some(item) = item.filter(|item| rich::has_runs(item)) else { return Ok(plain) };
        match rich::replaced(item, &sheet.grid.prefix, ranges, with)? {
            Some(inline) => Ok(Content::Rich(inline)),
            None => {
                let name = self.cell_name(key, at);
                let message =
                    format!("{name} holds text in formats of an unknown kind, which would be lost.");
                Err(EditError::new(EditErrorKind::WouldDamage, message)
                    .hint("Set the whole cell with `xlsx_set_cell`; it then has one format."))
            }
        }
    }

    fn too_many(&self, key: SheetKey, find: &str, found: &[Found], total: usize) -> EditError {
        const MOST: usize = 50;
        let places = found.iter().take(MOST).map(|cell| self.place(key, cell.at, &cell.text)).collect();
        let message = format!("“{find}” occurs {total} times.");
        EditError::new(EditErrorKind::MultipleMatches, message)
            .hint("Say which one with `occurrence` (a number or \"all\"), or narrow `range`.")
            .matches(places)
    }

    /// The nearest texts: those that differ only in case or share the longest word.
    fn nothing_found(&self, key: SheetKey, find: &str, texts: &[(CellRef, String)]) -> EditError {
        let lower = find.to_lowercase();
        let word = lower.split_whitespace().max_by_key(|word| word.len()).unwrap_or(&lower).to_owned();
        let same_but_case = texts.iter().filter(|(_, text)| text.to_lowercase().contains(&lower));
        let shares_word = texts.iter().filter(|(_, text)| {
            let text = text.to_lowercase();
            !text.contains(&lower) && text.contains(&word)
        });
        let places = same_but_case.chain(shares_word).take(3);
        let places = places.map(|(at, text)| self.place(key, *at, text)).collect();
        EditError::new(EditErrorKind::ZeroMatches, format!("“{find}” was not found.")).matches(places)
    }

    fn place(&self, key: SheetKey, at: CellRef, text: &str) -> Place {
        let short: String = text.chars().take(120).collect();
        Place { location: self.cell_name(key, at), text: short }
    }
}
