//! Rewriting a formula token by token: shifted lines, moved formulas, renamed and deleted sheets, renamed table columns.
//!
//! Each rewriting answers `None` when nothing changes, so that the file keeps its bytes.

use std::borrow::Cow;

use super::{
    references::{Corner, Form, Prefix, Reference},
    shift::LineEdit,
    structured,
    tokens::{Token, TokenKind, function_prefix, tokens},
};
use crate::formats::xlsx::address::{Axis, LAST_COL, LAST_ROW, quote_sheet, same_name};

/// What becomes of a token.
pub(in crate::formats::xlsx) enum Replacement {
    Keep,
    With(String),
}

/// The formula with some tokens replaced; `None` when all were kept.
pub(in crate::formats::xlsx) fn rewrite(
    formula: &str,
    mut change: impl FnMut(&Token) -> Replacement,
) -> Option<String> {
    let mut out = String::new();
    let mut changed = false;
    for token in tokens(formula) {
        match change(&token) {
            Replacement::Keep => out.push_str(&formula[token.range]),
            Replacement::With(text) => {
                changed |= text != formula[token.range.clone()];
                out.push_str(&text);
            }
        }
    }
    changed.then_some(out)
}

/// What shifting did to a formula.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::formats::xlsx) struct Shifted {
    /// The new text, when it differs.
    pub(in crate::formats::xlsx) text: Option<String>,
    /// A reference became `#REF!`.
    pub(in crate::formats::xlsx) died: bool,
    /// A range now covers more or fewer lines.
    pub(in crate::formats::xlsx) resized: bool,
    /// A 3-D reference spans the edited sheet and was left.
    pub(in crate::formats::xlsx) three_d: bool,
}

/// Where a formula stands and which sheet is edited.
#[derive(Debug, Clone, Copy)]
pub(in crate::formats::xlsx) struct Scope<'s> {
    pub(in crate::formats::xlsx) edited: &'s str,
    /// The formula stands on the edited sheet, so references without a sheet are meant too.
    pub(in crate::formats::xlsx) at_home: bool,
}

impl Scope<'_> {
    /// Whether a reference points into the edited sheet.
    pub(in crate::formats::xlsx) fn holds(&self, prefix: Option<&Prefix>) -> bool {
        match prefix {
            None => self.at_home,
            Some(prefix) => prefix.is_plain() && same_name(&prefix.sheet, self.edited),
        }
    }
}

/// Moves the references of a formula with inserted or deleted lines.
pub(in crate::formats::xlsx) fn shift(formula: &str, edit: &LineEdit, scope: Scope<'_>) -> Shifted {
    let mut shifted = Shifted::default();
    if !scope.at_home && !formula.contains('!') {
        return shifted;
    }
    let text = rewrite(formula, |token| {
        let TokenKind::Reference(reference) = &token.kind else { return Replacement::Keep };
        let prefix = reference.prefix.as_ref();
        shifted.three_d |= prefix.is_some_and(|p| p.workbook.is_none() && p.last_sheet.is_some());
        if !scope.holds(prefix) {
            return Replacement::Keep;
        }
        let form = edit.form(&reference.form);
        if form == reference.form {
            return Replacement::Keep;
        }
        shifted.died |= form == Form::Dead;
        let lines = |form: &Form| form.area().map(|area| area.size());
        shifted.resized |= lines(&form) != lines(&reference.form);
        Replacement::With(written(formula, reference, &form))
    });
    Shifted { text, ..shifted }
}

/// A reference token with another form, its sheet and spill mark as they were.
fn written(formula: &str, reference: &Reference, form: &Form) -> String {
    let prefix = reference.prefix.as_ref().map_or("", |prefix| &formula[prefix.range.clone()]);
    let spill = if reference.spill && *form != Form::Dead { "#" } else { "" };
    format!("{prefix}{}{spill}", form.write())
}

/// What happens to a relative reference that leaves the sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats::xlsx) enum OffSheet {
    /// It comes in again at the other side, as in shared formulas.
    Wrap,
    /// It becomes `#REF!`, as when a formula is filled down.
    Dies,
}

/// A formula as it reads in a cell `rows` below and `cols` right of where it stands.
pub(in crate::formats::xlsx) fn translate(formula: &str, rows: i64, cols: i64, off: OffSheet) -> String {
    let moved = |corner: Corner, axis: Axis, by: i64| -> Option<Corner> {
        if corner.is_fixed(axis) {
            return Some(corner);
        }
        let last = i64::from(match axis {
            Axis::Rows => LAST_ROW,
            Axis::Cols => LAST_COL,
        });
        let line = i64::from(corner.on(axis)) + by;
        match off {
            OffSheet::Wrap => Some(corner.with(axis, ((line - 1).rem_euclid(last) + 1) as u32)),
            OffSheet::Dies => (1..=last).contains(&line).then(|| corner.with(axis, line as u32)),
        }
    };
    let text = rewrite(formula, |token| {
        let TokenKind::Reference(reference) = &token.kind else { return Replacement::Keep };
        let mut alive = true;
        let form = reference.form.map(|corner| {
            let both = moved(corner, Axis::Rows, rows).and_then(|corner| moved(corner, Axis::Cols, cols));
            alive &= both.is_some();
            both.unwrap_or(corner)
        });
        let form = if alive { form } else { Form::Dead };
        if form == reference.form {
            Replacement::Keep
        } else {
            Replacement::With(written(formula, reference, &form))
        }
    });
    text.unwrap_or_else(|| formula.to_owned())
}

/// The formula after a sheet got another name.
pub(in crate::formats::xlsx) fn rename_sheet(formula: &str, from: &str, to: &str) -> Option<String> {
    replace_sheet(formula, from, to, |_| true)
}

/// The formula with one sheet's references turned to another sheet; a 3-D reference means the sheets between its ends and stays.
pub(in crate::formats::xlsx) fn turn_sheet(formula: &str, from: &str, to: &str) -> Option<String> {
    replace_sheet(formula, from, to, Prefix::is_plain)
}

fn replace_sheet(formula: &str, from: &str, to: &str, is_meant: impl Fn(&Prefix) -> bool) -> Option<String> {
    if !formula.contains('!') {
        return None;
    }
    rewrite(formula, |token| {
        let Some(prefix) = prefix_of(formula, token).filter(|prefix| is_meant(prefix)) else {
            return Replacement::Keep;
        };
        let named = |sheet: &str| same_name(sheet, from);
        let hit = named(&prefix.sheet) || prefix.last_sheet.as_deref().is_some_and(named);
        if prefix.workbook.is_some() || !hit {
            return Replacement::Keep;
        }
        let new = |sheet: &str| if named(sheet) { to.to_owned() } else { sheet.to_owned() };
        let written = match &prefix.last_sheet {
            None => quote_sheet(&new(&prefix.sheet)),
            Some(last) => span_of_sheets(&new(&prefix.sheet), &new(last)),
        };
        Replacement::With(format!("{written}!{}", &formula[prefix.range.end..token.range.end]))
    })
}

/// Two sheets before a `!`, quoted as one.
fn span_of_sheets(first: &str, last: &str) -> String {
    let both = format!("{first}:{last}");
    let plain = quote_sheet(first) == first && quote_sheet(last) == last;
    if plain { both } else { format!("'{}'", both.replace('\'', "''")) }
}

/// What stands before the `!` of a reference to all sheets from one to another.
pub(super) fn reference_to_sheets(first: &str, last: &str) -> String {
    if same_name(first, last) { quote_sheet(first) } else { span_of_sheets(first, last) }
}

/// The formula after a sheet was deleted: references and names of that sheet are dead, calls of its named functions as a whole.
pub(in crate::formats::xlsx) fn delete_sheet(formula: &str, sheet: &str) -> Option<String> {
    if !formula.contains('!') {
        return None;
    }
    // Inside the brackets of a call that dies: how many of them are open, once the first one is.
    let mut dying: Option<usize> = None;
    rewrite(formula, |token| {
        if let Some(depth) = dying {
            let depth = match &formula[token.range.clone()] {
                "(" if token.kind == TokenKind::Operator => depth + 1,
                ")" if token.kind == TokenKind::Operator => depth - 1,
                _ => depth,
            };
            dying = (depth > 0).then_some(depth);
            return Replacement::With(String::new());
        }
        match prefix_of(formula, token) {
            Some(prefix) if prefix.is_plain() && same_name(&prefix.sheet, sheet) => {
                dying = (token.kind == TokenKind::Function).then_some(0);
                Replacement::With("#REF!".into())
            }
            _ => Replacement::Keep,
        }
    })
}

fn prefix_of<'t>(formula: &str, token: &'t Token) -> Option<Cow<'t, Prefix>> {
    match &token.kind {
        TokenKind::Reference(reference) => reference.prefix.as_ref().map(Cow::Borrowed),
        TokenKind::Name(prefix) => prefix.as_ref().map(Cow::Borrowed),
        // A function that is a name of a sheet: `Data!Tax(A1)`.
        TokenKind::Function => function_prefix(formula, token).map(Cow::Owned),
        _ => None,
    }
}

/// The formula after a column of a table got another name, or (`to` absent) was deleted. `inside` says that the formula stands in
/// the table itself, where the table's name may be left out.
pub(in crate::formats::xlsx) fn rename_column(
    formula: &str,
    table: &str,
    inside: bool,
    from: &str,
    to: Option<&str>,
) -> Option<String> {
    if !formula.contains('[') {
        return None;
    }
    rewrite(formula, |token| {
        let TokenKind::Structured { table: name } = &token.kind else { return Replacement::Keep };
        let named = &formula[name.clone()];
        let meant = if named.is_empty() { inside } else { same_name(named, table) };
        if !meant {
            return Replacement::Keep;
        }
        match structured::rename(&formula[name.end..token.range.end], from, to) {
            structured::Renamed::Same => Replacement::Keep,
            structured::Renamed::To(text) => {
                Replacement::With(format!("{}{text}", &formula[token.range.start..name.end]))
            }
            structured::Renamed::Dead => Replacement::With("#REF!".into()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::xlsx::formula::Verb;
    use proptest::prelude::*;

    fn rows(verb: Verb, at: u32, count: u32) -> LineEdit {
        LineEdit { axis: Axis::Rows, verb, at, count }
    }

    fn home() -> Scope<'static> {
        Scope { edited: "Data", at_home: true }
    }

    #[test]
    fn only_references_into_the_sheet_move() {
        let edit = rows(Verb::Insert, 5, 2);
        let moved = |formula: &str, at_home| {
            let scope = Scope { edited: "Data", at_home };
            shift(formula, &edit, scope).text.unwrap_or_else(|| formula.to_owned())
        };
        assert_eq!(
            moved("A5+data!$B$6+Other!A5+[1]Data!A5+\"A5\"", true),
            "A7+data!$B$8+Other!A5+[1]Data!A5+\"A5\""
        );
        assert_eq!(moved("A5+'DATA'!A5", false), "A5+'DATA'!A7");
        assert_eq!(
            moved("SUM(B11:B$3)+SUM(A:A)+SUM(5:6)+LOG10(A5)", true),
            "SUM(B13:B$3)+SUM(A:A)+SUM(7:8)+LOG10(A7)"
        );
        assert_eq!(moved("Jan:Data!A5", true), "Jan:Data!A5");
        assert!(shift("Jan:Mar!A5", &edit, home()).three_d);
    }

    #[test]
    fn deleted_lines_kill_and_trim() {
        let edit = rows(Verb::Delete, 5, 3);
        let shifted = shift("A5+SUM(A4:A6)+Data!B6+A6#", &edit, home());
        assert_eq!(shifted.text.as_deref(), Some("#REF!+SUM(A4:A4)+Data!#REF!+#REF!"));
        assert!(shifted.died && shifted.resized);
    }

    #[test]
    fn translating_wraps_or_dies() {
        assert_eq!(translate("A1+$A$1+B$2:C3", 1, 1, OffSheet::Wrap), "B2+$A$1+C$2:D4");
        assert_eq!(translate("A1", -1, 0, OffSheet::Wrap), "A1048576");
        assert_eq!(translate("Data!A1*2", -1, 0, OffSheet::Dies), "Data!#REF!*2");
        assert_eq!(translate("A:A+1:1", 2, 2, OffSheet::Wrap), "C:C+3:3");
    }

    #[test]
    fn sheets_are_renamed_and_deleted() {
        let renamed = |formula: &str| rename_sheet(formula, "Data", "It's new");
        assert_eq!(renamed("data!A1+Other!B1+Rate").as_deref(), Some("'It''s new'!A1+Other!B1+Rate"));
        assert_eq!(renamed("SUM(Data:Mar!A1)").as_deref(), Some("SUM('It''s new:Mar'!A1)"));
        assert_eq!(renamed("[1]Data!A1+\"Data!A1\""), None);
        assert_eq!(renamed("Data!Rate+Data!#REF!").as_deref(), Some("'It''s new'!Rate+'It''s new'!#REF!"));
        assert_eq!(
            renamed("Data!Tax(Data!A1)+Tax(1)").as_deref(),
            Some("'It''s new'!Tax('It''s new'!A1)+Tax(1)")
        );
        assert_eq!(renamed("SUM(Data:'a b'!A1)").as_deref(), Some("SUM('It''s new:a b'!A1)"));
        assert_eq!(renamed("SUM('a b':Data!A1)").as_deref(), Some("SUM('a b:It''s new'!A1)"));
        assert_eq!(
            turn_sheet("Data!A1+SUM(Data:Mar!A1)", "Data", "X").as_deref(),
            Some("X!A1+SUM(Data:Mar!A1)")
        );
        assert_eq!(
            delete_sheet("1+Data!Tax((A1),\")\")*Other!Tax(2)", "Data").as_deref(),
            Some("1+#REF!*Other!Tax(2)")
        );
        assert_eq!(delete_sheet("Data!A1+Data!Rate+X!A1", "DATA").as_deref(), Some("#REF!+#REF!+X!A1"));
    }

    #[test]
    fn table_columns_are_renamed_and_die() {
        let rename = |formula, to| rename_column(formula, "Tbl", true, "Qty", to);
        assert_eq!(
            rename("[@Qty]*Tbl[[#This Row],[qty]]+Other[Qty]", Some("Pieces")).as_deref(),
            Some("[@Pieces]*Tbl[[#This Row],[Pieces]]+Other[Qty]")
        );
        assert_eq!(rename("SUM(Tbl[Qty])", None).as_deref(), Some("SUM(#REF!)"));
        assert_eq!(rename("[@Qty]", Some("a b")).as_deref(), Some("[@[a b]]"));
    }

    proptest! {
        /// Inserting lines and deleting them again gives every reference back.
        #[test]
        fn insert_then_delete_is_identity(
            row in 1_u32..2_000, height in 0_u32..50, col in 1_u32..60, at in 1_u32..2_000, count in 1_u32..300,
            fixed in any::<bool>(), by_cols in any::<bool>(),
        ) {
            let mark = if fixed { "$" } else { "" };
            let letters = crate::formats::xlsx::address::column_letters(col);
            let formula = format!("SUM({letters}{mark}{row}:{letters}{})+Data!{letters}{row}+{row}:{row}", row + height);
            let axis = if by_cols { Axis::Cols } else { Axis::Rows };
            let insert = LineEdit { axis, verb: Verb::Insert, at, count };
            let delete = LineEdit { axis, verb: Verb::Delete, at, count };
            let there = shift(&formula, &insert, home()).text.unwrap_or_else(|| formula.clone());
            let back = shift(&there, &delete, home()).text.unwrap_or(there);
            prop_assert_eq!(back, formula);
        }

        /// Whatever the text, tokens cover it and rewriting nothing changes nothing.
        #[test]
        fn any_text_survives(formula in "[A-Z0-9$!:'\"#\\[\\](){},;+ .@]{0,40}") {
            prop_assert_eq!(rewrite(&formula, |_| Replacement::Keep), None);
            let all: String = tokens(&formula).iter().map(|token| &formula[token.range.clone()]).collect();
            prop_assert_eq!(all, formula);
        }
    }
}
