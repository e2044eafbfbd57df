//! What a line edit does to references, counted and named for the receipt.

use crate::formats::xlsx::{
    address::{CellRef, same_name},
    formula::{
        Form, LineEdit, TokenKind, Verb,
        rewrite::{Replacement, Scope, Shifted, rewrite, shift},
        tokens,
    },
    places::{Place, Spot},
    workbook::SheetKey,
};

/// So many places that became `#REF!` are listed one by one.
pub(super) const MOST: usize = 100;

/// Whether a formula uses a defined name.
pub(super) fn uses(text: &str, name: &str) -> bool {
    tokens(text).iter().any(|token| {
        let word = || text[token.range.clone()].rsplit('!').next().unwrap_or_default();
        matches!(token.kind, TokenKind::Name(_)) && same_name(word(), name)
    })
}

/// A remark about one place.
#[derive(Debug, Clone)]
pub(super) struct Note {
    pub(super) code: &'static str,
    pub(super) message: String,
}

/// The account of one line edit.
pub(super) struct Impact {
    pub(super) sheet: SheetKey,
    pub(super) edit: LineEdit,
    name: String,
    /// All sheets in order, for 3-D references.
    order: Vec<String>,
    pub(super) rules: usize,
    pub(super) tables: usize,
    pub(super) anchors: usize,
    pub(super) comments: usize,
    formulas: usize,
    names: usize,
    charts: usize,
    others: usize,
    died: Vec<(Place, String, String)>,
    notes: Vec<(Place, Note)>,
    /// Formula cells, as they stand before the edit, whose result may differ.
    changed_cells: Vec<(SheetKey, CellRef)>,
    /// Names that stand for other cells afterwards.
    pub(super) changed_names: Vec<String>,
}

impl Impact {
    pub(super) fn new(sheet: SheetKey, edit: LineEdit, name: String, order: Vec<String>) -> Impact {
        Impact {
            sheet,
            edit,
            name,
            order,
            rules: 0,
            tables: 0,
            anchors: 0,
            comments: 0,
            formulas: 0,
            names: 0,
            charts: 0,
            others: 0,
            died: Vec::new(),
            notes: Vec::new(),
            changed_cells: Vec::new(),
            changed_names: Vec::new(),
        }
    }

    /// Shifts one formula and accounts for it.
    pub(super) fn change(&mut self, text: &str, place: &Place) -> Option<String> {
        let scope = Scope { edited: &self.name, at_home: place.home == Some(self.sheet) };
        let shifted = match &place.spot {
            Spot::Name(_) => shift_name(text, &self.edit, scope),
            _ => shift(text, &self.edit, scope),
        };
        if let Spot::Cell(sheet, at) = &place.spot
            && (shifted.resized || shifted.died || meets_band(text, &self.edit, scope))
        {
            self.changed_cells.push((*sheet, *at));
        }
        if let Spot::Name(name) = &place.spot
            && (shifted.resized
                || shifted.died
                || meets_band(text, &self.edit, scope)
                || has_relative(text, scope))
        {
            self.changed_names.push(name.to_lowercase());
        }
        if shifted.three_d && spans(text, &self.name, &self.order) {
            let message = format!("={text} spans several sheets and was left as it is.");
            self.notes.push((place.clone(), Note { code: "reference_left", message }));
        }
        if let Spot::Name(_) = &place.spot
            && has_relative(text, scope)
        {
            let message = format!("={text} is relative to the cell that uses it and was left as it is.");
            self.notes.push((place.clone(), Note { code: "reference_left", message }));
        }
        let new = shifted.text?;
        match &place.spot {
            Spot::Cell(..) => self.formulas += 1,
            Spot::Name(_) => self.names += 1,
            Spot::Chart(_) => self.charts += 1,
            // Counted by the frame, which knows of their areas too.
            Spot::Rule(sheet) if *sheet == self.sheet => {}
            Spot::Rule(_) => self.rules += 1,
            Spot::Sparkline(_) | Spot::Control(_) | Spot::Table(..) => self.others += 1,
        }
        if shifted.died {
            self.died.push((place.clone(), text.to_owned(), new.clone()));
        }
        Some(new)
    }

    /// In-file link targets stay as they are (Excel keeps them as text); those that no longer fit are named.
    pub(super) fn link_targets(&mut self, targets: &[String]) {
        let scope = Scope { edited: &self.name, at_home: true };
        for target in targets {
            if shift(target, &self.edit, scope).text.is_some() {
                let place = Place { spot: Spot::Control(self.sheet), home: Some(self.sheet) };
                let message = format!("A link leads to {target}, which was left as it is.");
                self.notes.push((place, Note { code: "link_target_left", message }));
            }
        }
    }

    /// Each reference that became `#REF!`, at most a hundred; cells by their address afterwards.
    pub(super) fn died(&self) -> Vec<(&Place, &str, &str)> {
        self.died.iter().take(MOST).map(|(place, old, new)| (place, old.as_str(), new.as_str())).collect()
    }

    /// The names among them.
    pub(super) fn dead_names(&self) -> Vec<String> {
        let name = |(place, ..): &(Place, String, String)| match &place.spot {
            Spot::Name(name) => Some(name.clone()),
            _ => None,
        };
        self.died.iter().filter_map(name).collect()
    }

    pub(super) fn notes(&self) -> Vec<(&Place, &Note)> {
        const MOST: usize = 50;
        self.notes.iter().take(MOST).map(|(place, note)| (place, note)).collect()
    }

    /// The formula cells whose result may differ, where they are afterwards.
    pub(super) fn recompute(&self) -> Vec<(SheetKey, CellRef)> {
        let moved = |(sheet, at): &(SheetKey, CellRef)| {
            let now = if *sheet == self.sheet { self.edit.cell(*at)? } else { *at };
            Some((*sheet, now))
        };
        self.changed_cells.iter().filter_map(moved).collect()
    }

    /// How much moved, in one sentence; nothing when nothing did.
    pub(super) fn summary(&self) -> Option<String> {
        let counts = [
            (self.formulas, "formula"),
            (self.names, "name"),
            (self.rules, "rule"),
            (self.charts, "chart reference"),
            (self.tables, "table"),
            (self.comments, "comment"),
            (self.anchors, "drawing part"),
            (self.others, "other reference"),
        ];
        let told: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}{}", if *count == 1 { "" } else { "s" }))
            .collect();
        if told.is_empty() {
            return None;
        }
        let dead = match self.died.len() {
            0 => "none of them becomes #REF!".to_owned(),
            1 => "1 of them becomes #REF!".to_owned(),
            count => format!("{count} of them become #REF!"),
        };
        Some(format!("{} follow the edit; {dead}.", told.join(", ")))
    }
}

/// Names move only where their corners are fixed: relative ones count from the cell that uses them.
fn shift_name(text: &str, edit: &LineEdit, scope: Scope<'_>) -> Shifted {
    let mut total = Shifted::default();
    let new = rewrite(text, |token| {
        let TokenKind::Reference(reference) = &token.kind else { return Replacement::Keep };
        let corners = reference.form.corners_on(edit.axis);
        if corners.iter().any(|corner| !corner.is_fixed(edit.axis)) {
            return Replacement::Keep;
        }
        let shifted = shift(&text[token.range.clone()], edit, scope);
        total.died |= shifted.died;
        total.resized |= shifted.resized;
        total.three_d |= shifted.three_d;
        shifted.text.map_or(Replacement::Keep, Replacement::With)
    });
    Shifted { text: new, ..total }
}

fn has_relative(text: &str, scope: Scope<'_>) -> bool {
    tokens(text).iter().any(|token| match &token.kind {
        TokenKind::Reference(reference) if scope.holds(reference.prefix.as_ref()) => {
            let corner_is_loose = |axis| reference.form.corners_on(axis).iter().any(|c| !c.is_fixed(axis));
            corner_is_loose(crate::formats::xlsx::address::Axis::Rows)
                || corner_is_loose(crate::formats::xlsx::address::Axis::Cols)
        }
        _ => false,
    })
}

/// Whether a reference covers lines that come or go, whole-line references included.
fn meets_band(text: &str, edit: &LineEdit, scope: Scope<'_>) -> bool {
    let band = edit.band();
    tokens(text).iter().any(|token| match &token.kind {
        TokenKind::Reference(reference) if scope.holds(reference.prefix.as_ref()) => {
            reference.form.area().is_some_and(|area| match edit.verb {
                Verb::Delete => area.meets(&band),
                Verb::Insert => !matches!(reference.form, Form::Cell(_)) && area.meets(&band),
            })
        }
        _ => false,
    })
}

/// Whether a 3-D reference of the formula spans a sheet.
fn spans(text: &str, sheet: &str, order: &[String]) -> bool {
    let position = |name: &str| order.iter().position(|known| same_name(known, name));
    tokens(text).iter().any(|token| {
        let TokenKind::Reference(reference) = &token.kind else { return false };
        let Some(prefix) = &reference.prefix else { return false };
        let last = prefix.last_sheet.as_deref().and_then(position);
        match (position(&prefix.sheet), last, position(sheet)) {
            (Some(first), Some(last), Some(at)) => first.min(last) <= at && at <= first.max(last),
            _ => false,
        }
    })
}
