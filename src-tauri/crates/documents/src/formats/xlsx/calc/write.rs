//! Writing results into cells: a value where it differs, nothing where it could not be computed, and what the receipt says of it.

use std::collections::{BTreeMap, HashMap};

use super::{
    Address, Results, extent,
    index::{Index, Role},
    source::Computed,
    value::{Matrix, Scalar, nearly_equal},
};
use crate::{
    EditError, Warning,
    formats::xlsx::{
        address::{Area, CellRef},
        cells::{Value, stored},
        grid::{CellView, lex},
        session::{Location, Session},
        workbook::SheetKey,
    },
};

/// Changed results told one by one; the rest is counted.
const MOST_TOLD: usize = 500;

impl Session<'_, '_> {
    pub(super) fn write_results(
        &mut self,
        index: &Index,
        stale: &[Address],
        results: &Results,
    ) -> Result<(), EditError> {
        let mut account = Account::default();
        let edited: HashMap<Address, usize> = self
            .changes
            .iter()
            .enumerate()
            .filter_map(|(at, change)| match change.location {
                Location::Cell(key, cell) => Some(((key, cell), at)),
                _ => None,
            })
            .collect();
        for address in stale {
            let (sheet, at) = *address;
            let computed = results.get(address);
            let area = extent(index, address);
            let role = index.get(address).map(|entry| entry.role.clone());
            match (computed, role) {
                (Some(Computed::Value(matrix)), Some(Role::Single)) => {
                    self.write_result(sheet, at, Some(matrix.get(0, 0)), &mut account)?;
                }
                (Some(Computed::Value(matrix)), Some(Role::Array { dynamic, .. }))
                    if !dynamic || fits(matrix, area) =>
                {
                    self.write_array(sheet, area, matrix, &mut account)?;
                }
                (Some(Computed::Unknown(why)), _) => {
                    account.dropped.push((*address, why.clone()));
                    self.drop_results(sheet, area, &mut account)?;
                }
                _ => {
                    let why = "its result has another size now".to_owned();
                    account.dropped.push((*address, why));
                    self.drop_results(sheet, area, &mut account)?;
                }
            }
        }
        self.tell_results(account, &edited)
    }

    fn write_array(
        &mut self,
        sheet: SheetKey,
        area: Area,
        matrix: &Matrix,
        account: &mut Account,
    ) -> Result<(), EditError> {
        for row in area.first.row..=area.last.row {
            for col in area.first.col..=area.last.col {
                let (down, right) = ((row - area.first.row) as usize, (col - area.first.col) as usize);
                let value = matrix.spread(down, right);
                self.write_result(sheet, CellRef::new(row, col), Some(&value), account)?;
            }
        }
        Ok(())
    }

    fn drop_results(&mut self, sheet: SheetKey, area: Area, account: &mut Account) -> Result<(), EditError> {
        for row in area.first.row..=area.last.row {
            for col in area.first.col..=area.last.col {
                self.write_result(sheet, CellRef::new(row, col), None, account)?;
            }
        }
        Ok(())
    }

    /// Writes one result (or takes the stored one away) unless it is there already.
    fn write_result(
        &mut self,
        key: SheetKey,
        at: CellRef,
        result: Option<&Scalar>,
        account: &mut Account,
    ) -> Result<(), EditError> {
        let sheet = self.book.sheet(key)?;
        let Some(cell) = sheet.cell(at)? else { return Ok(()) };
        let tables = self.tables()?;
        let old = tables.value(&cell);
        let new = result.map_or(Value::Empty, Scalar::store);
        if same(&old, &new) {
            return Ok(());
        }
        let style = cell.span.style;
        let change = Shown {
            before: (old != Value::Empty).then(|| tables.show(&old, style)),
            after: (new != Value::Empty).then(|| tables.show(&new, style)),
        };
        let element = with_result(&cell, &sheet.grid.prefix, &new)?;
        if result.is_some() && change.before != change.after {
            account.changed.insert((key, at), change);
        }
        self.book.sheet_mut(key)?.grid.put(at, element);
        Ok(())
    }

    fn tell_results(&mut self, account: Account, edited: &HashMap<Address, usize>) -> Result<(), EditError> {
        let count = account.changed.len();
        self.recalculated.extend(account.changed.keys().copied());
        for ((key, at), shown) in account.changed.into_iter().take(MOST_TOLD) {
            // A formula that this batch set is told with its text already.
            if edited.contains_key(&(key, at)) {
                continue;
            }
            self.change(Location::Cell(key, at), shown.before, shown.after, Some("recalculated"));
        }
        if count > MOST_TOLD {
            let message = format!("{count} formulas show another value; the first {MOST_TOLD} are listed.");
            self.warn(Warning::new("more_recalculated", message));
        }
        if account.dropped.is_empty() {
            return Ok(());
        }
        self.full_calculation = true;
        const MOST_REASONS: usize = 20;
        for ((key, at), why) in account.dropped.iter().take(MOST_REASONS) {
            let name = self.cell_name(*key, *at);
            let message = format!(
                "The result of {name} was not computed ({why}); it is computed when the workbook is opened."
            );
            self.warn(Warning::at("not_recalculated", name, message));
        }
        if account.dropped.len() > MOST_REASONS {
            let message = format!(
                "{} results in all were not computed; they are computed when the workbook is opened.",
                account.dropped.len()
            );
            self.warn(Warning::new("not_recalculated", message));
        }
        Ok(())
    }
}

#[derive(Default)]
struct Account {
    changed: BTreeMap<Address, Shown>,
    dropped: Vec<(Address, String)>,
}

struct Shown {
    before: Option<String>,
    after: Option<String>,
}

fn fits(matrix: &Matrix, area: Area) -> bool {
    (matrix.rows, matrix.cols) == (area.rows() as usize, area.cols() as usize)
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => nearly_equal(*a, *b),
        (a, b) => a == b,
    }
}

/// The cell with another stored value; its formula, style and metadata stay to the byte.
fn with_result(cell: &CellView<'_>, prefix: &str, value: &Value) -> Result<Vec<u8>, EditError> {
    let (kind, body) = stored(prefix, value)?;
    let span = &cell.span;
    let mut out = Vec::with_capacity(span.span.len() + 16);
    let tag = span.tag.clone();
    let is_empty = tag.end == span.span.end;
    let kind_attribute = lex::attribute(cell.bytes, tag.clone(), b"t");
    let tag_close = if is_empty { trimmed_slash(cell.bytes, tag.clone()) } else { tag.end - 1 };
    let mut position = tag.start;
    if let Some(attribute) = kind_attribute {
        out.extend_from_slice(&cell.bytes[position..attribute.whole.start]);
        position = attribute.whole.end;
    }
    out.extend_from_slice(&cell.bytes[position..tag_close]);
    if !kind.is_empty() {
        out.extend_from_slice(format!(" t=\"{kind}\"").as_bytes());
    }
    out.push(b'>');
    // Behind the formula comes the value, in place of the old one or of an inline string.
    let old = match (&span.value, &span.inline) {
        (Some((value, _)), None) => value.start as usize..value.end as usize,
        (None, Some(inline)) => inline.start as usize..inline.end as usize,
        (Some((value, _)), Some(inline)) => {
            value.start.min(inline.start) as usize..value.end.max(inline.end) as usize
        }
        (None, None) => {
            let at = span.formula.as_ref().map_or(tag.end, |formula| formula.span.end as usize);
            at..at
        }
    };
    if is_empty {
        out.extend_from_slice(body.as_bytes());
        out.extend_from_slice(format!("</{prefix}c>").as_bytes());
        return Ok(out);
    }
    out.extend_from_slice(&cell.bytes[tag.end..old.start]);
    out.extend_from_slice(body.as_bytes());
    out.extend_from_slice(&cell.bytes[old.end..span.span.end]);
    Ok(out)
}

fn trimmed_slash(bytes: &[u8], tag: std::ops::Range<usize>) -> usize {
    let text = &bytes[tag.clone()];
    tag.start + text.strip_suffix(b"/>").unwrap_or(text).trim_ascii_end().len()
}
