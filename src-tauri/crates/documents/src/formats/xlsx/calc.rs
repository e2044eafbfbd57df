//! Recalculation: after a batch, every formula that hangs on a changed cell is computed anew, or loses its stored result.
//!
//! A stored result is never left stale. What a file stores is an input only where it can be trusted: not when the workbook asks for a
//! full calculation on load, and not where there is no result. Opening a workbook computes nothing.

mod eval;
mod functions;
mod index;
pub(crate) mod judge;
mod parse;
mod source;
mod spill;
mod value;
mod write;

use std::collections::{HashMap, HashSet};

use super::{
    address::{Area, CellRef},
    formula::tokens,
    session::Session,
    workbook::{SheetKey, SheetKind},
};
use crate::{EditError, Warning, package::xml::Ns};
use index::{Index, Role};
use source::{Computed, Source};

/// A cell of the workbook.
type Address = (SheetKey, CellRef);

impl Session<'_, '_> {
    /// Computes what this batch made stale and writes the results; says what changed and what could not be computed.
    pub(super) fn recalculate(&mut self) -> Result<(), EditError> {
        if self.dirty.is_empty()
            && self.recompute.is_empty()
            && !self.structural
            && self.touched.names.is_empty()
        {
            return Ok(());
        }
        let keys: Vec<SheetKey> = self
            .book
            .sheets
            .iter()
            .filter(|entry| entry.kind != SheetKind::Chartsheet)
            .map(|entry| entry.key)
            .collect();
        for key in keys {
            self.book.load(key)?;
        }
        self.book.load_tables()?;
        let tables = source::table_shapes(self)?;
        let names = source::defined_names(&self.book);
        let seeds: Vec<(SheetKey, Area)> =
            self.dirty.iter().map(|(sheet, cell)| (*sheet, Area::cell(*cell))).collect();
        let index = Index::build(&self.book, &names, &tables, &self.touched, self.structural)?;
        for (sheet, at) in index.respanned() {
            let message = "Its 3-D reference spans other sheets than before.";
            self.warn(Warning::at("span_changed", self.cell_name(sheet, at), message));
        }
        let recompute: HashSet<Address> = self.recompute.iter().chain(&self.dirty).copied().collect();
        let stale = index.stale(&seeds, &recompute, self.structural);
        if stale.is_empty() {
            return Ok(());
        }
        let trusted = self.results_are_trusted();
        let (results, spills) = {
            let source = Source::new(self, &index, &names, &tables, &stale, trusted)?;
            source.compute_all(&stale)?
        };
        self.check_sizes(&results)?;
        self.fresh.clear();
        if !spills.is_empty() {
            // The cells of new arrays are formulas' results from now on, so everything is looked at anew, once.
            self.place_spills(&spills)?;
            return self.recalculate();
        }
        self.warn_of_trust(trusted, stale.len());
        self.write_results(&index, &stale, &results)
    }

    /// Whether stored results may be inputs (18.2.2: `fullCalcOnLoad`, `calcCompleted`).
    fn results_are_trusted(&self) -> bool {
        let xml = &self.book.xml;
        let Some(properties) = xml.child(xml.root(), Ns::S, "calcPr") else { return true };
        let flag = |name| xml.value(properties, Ns::None, name);
        let asks = flag("fullCalcOnLoad").is_some_and(|value| matches!(&*value, "1" | "true"));
        let unfinished = flag("calcCompleted").is_some_and(|value| matches!(&*value, "0" | "false"));
        !(asks || unfinished)
    }

    fn warn_of_trust(&mut self, trusted: bool, computed: usize) {
        if !trusted {
            let message = format!(
                "The workbook asks for a full calculation on load, so its stored results were not used; {computed} formulas were computed from values alone."
            );
            self.warn(Warning::new("results_not_trusted", message));
        }
    }
}

/// What kinds of functions a formula calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Calls {
    /// It reads cells that no reference names.
    dynamic: bool,
    /// Its result depends on where things stand.
    positional: bool,
    /// It joins references by `:`, so it reads what lies between them.
    joins: bool,
    /// It leans on a name, table or span that this batch changed.
    touched: bool,
    /// It spans other sheets than before the batch.
    respanned: bool,
}

impl Calls {
    fn add(&mut self, other: Calls) {
        self.dynamic |= other.dynamic;
        self.positional |= other.positional;
        self.joins |= other.joins;
        self.touched |= other.touched;
        self.respanned |= other.respanned;
    }
}

fn calls(formula: &str) -> Calls {
    let mut calls = Calls::default();
    for token in tokens(formula) {
        if token.kind == super::formula::TokenKind::Operator && &formula[token.range.clone()] == ":" {
            calls.joins = true;
        }
        if token.kind != super::formula::TokenKind::Function {
            continue;
        }
        let name = formula[token.range].to_ascii_uppercase();
        let name = name.strip_prefix("_XLFN.").unwrap_or(&name);
        calls.dynamic |= functions::is_dynamic(name);
        calls.positional |= functions::is_positional(name);
    }
    calls
}

/// Results by the cell that holds the formula.
type Results = HashMap<Address, Computed>;

/// The cells that a formula's result fills.
fn extent(index: &Index, address: &Address) -> Area {
    match index.get(address).map(|entry| &entry.role) {
        Some(Role::Array { area, .. } | Role::DataTable { area }) => *area,
        Some(Role::Single) | None => Area::cell(address.1),
    }
}

#[cfg(test)]
mod tests;
