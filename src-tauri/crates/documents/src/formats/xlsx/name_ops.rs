//! Defined names of the workbook: set, changed, deleted.

use super::{
    address::{looks_like_cell, looks_like_r1c1, same_name},
    formula::{Form, TokenKind, from_user, tokens},
    patch::Patch,
    places::Spot,
    session::{Location, Session},
};
use crate::{
    EditError, Warning,
    error::EditErrorKind,
    package::xml::{NodeId, Ns, Splices, escape_attribute, escape_text},
};

/// What stands before the names in a workbook (18.2.27).
const BEFORE: &[&str] = &[
    "fileVersion",
    "fileSharing",
    "workbookPr",
    "AlternateContent",
    "revisionPtr",
    "absPath",
    "workbookProtection",
    "bookViews",
    "sheets",
    "functionGroups",
    "externalReferences",
];

/// Names that Excel defines itself, behind `_xlnm.` (18.2.5).
const BUILT_IN: &[&str] = &[
    "Print_Area",
    "Print_Titles",
    "Criteria",
    "_FilterDatabase",
    "Extract",
    "Consolidate_Area",
    "Database",
    "Sheet_Title",
];

fn invalid(message: String) -> EditError {
    EditError::new(EditErrorKind::InvalidArguments, message)
}

impl Session<'_, '_> {
    pub(super) fn set_name(&mut self, name: &str, refers_to: Option<&str>) -> Result<(), EditError> {
        let text = refers_to.map(formula_of).transpose()?;
        let xml = &self.book.xml;
        let list = xml.child(xml.root(), Ns::S, "definedNames");
        let found: Option<NodeId> = list.and_then(|list| {
            xml.children_named(list, Ns::S, "definedName").find(|element| {
                xml.value(*element, Ns::None, "localSheetId").is_none()
                    && xml.value(*element, Ns::None, "name").is_some_and(|known| same_name(&known, name))
            })
        });
        let before = found.map(|element| format!("={}", xml.text(element)));
        // A name that is in the file already may be changed and deleted, whatever it is called.
        if found.is_none() {
            self.check_name(name)?;
        }
        if let Some(text) = &text {
            check_areas(name, text)?;
        }
        let splices = match (found, &text) {
            (None, None) => {
                return Err(EditError::new(
                    EditErrorKind::ZeroMatches,
                    format!("There is no name “{name}”."),
                ));
            }
            (Some(element), None) => {
                let mut patch = Patch::new(xml);
                let only = list.is_some_and(|list| xml.children(list).count() == 1);
                patch.remove(if only { list.unwrap_or(element) } else { element });
                patch.finish()?
            }
            (Some(element), Some(text)) => {
                let mut patch = Patch::new(xml);
                patch.set_text(element, text)?;
                patch.finish()?
            }
            (None, Some(text)) => {
                let prefix = xml.prefix(xml.root());
                let item = format!(
                    "<{prefix}definedName name=\"{}\">{}</{prefix}definedName>",
                    escape_attribute(name)?,
                    escape_text(text)?
                );
                let mut splices = Splices::default();
                match list.filter(|list| !xml.is_empty_tag(*list)) {
                    Some(list) => splices.insert(xml.content(list).end, item),
                    None => {
                        let behind =
                            xml.children(xml.root()).find(|child| !BEFORE.contains(&xml.local_name(*child)));
                        let at = behind.map_or(xml.content(xml.root()).end, |child| xml.span(child).start);
                        splices.insert(at, format!("<{prefix}definedNames>{item}</{prefix}definedNames>"));
                    }
                }
                splices
            }
        };
        self.book.edit_workbook(splices)?;
        let after = text.as_ref().map(|text| format!("={text}"));
        if before != after {
            self.change(Location::Text(name.to_owned()), before, after, Some("name"));
            self.touched.names.insert(name.to_lowercase());
            self.recompute_users_of(name, text.is_none())?;
        }
        Ok(())
    }

    /// Refuses what cannot become a name.
    fn check_name(&self, name: &str) -> Result<(), EditError> {
        if let Some(known) = built_in(name) {
            return match BUILT_IN.iter().any(|word| word.eq_ignore_ascii_case(known)) {
                true => Ok(()),
                false => Err(invalid(format!("“{name}” is none of the names that Excel defines itself."))
                    .hint("Names of your own do not begin with `_xlnm.`.")),
            };
        }
        if !is_valid(name) {
            return Err(invalid(format!(
                "“{name}” cannot be a name: it must begin with a letter or _, hold no blanks, and not look like a cell."
            )));
        }
        for entry in &self.book.sheets {
            if self.tables_of(entry.key)?.iter().any(|table| same_name(&table.name, name)) {
                return Err(invalid(format!("“{name}” is the name of a table already.")));
            }
        }
        Ok(())
    }

    /// Formulas that use a name are computed anew; users of a deleted one are named.
    fn recompute_users_of(&mut self, name: &str, deleted: bool) -> Result<(), EditError> {
        let mut users = Vec::new();
        self.each_formula(&mut |text, place| {
            let uses = tokens(text).iter().any(|token| match &token.kind {
                TokenKind::Name(prefix) => {
                    let start = prefix.as_ref().map_or(token.range.start, |prefix| prefix.range.end);
                    same_name(&text[start..token.range.end], name)
                }
                _ => false,
            });
            if uses {
                users.push(place.clone());
            }
        })?;
        for place in users {
            if deleted {
                let location = self.place_name(&place);
                let message = format!("It uses the name {name}, which is gone.");
                self.warn(Warning::at("name_is_gone", location, message));
            }
            if let Spot::Cell(key, at) = place.spot {
                self.recompute.push((key, at));
            }
        }
        Ok(())
    }
}

/// What a name stands for, as it is held; the `=` may be left out.
fn formula_of(refers_to: &str) -> Result<String, EditError> {
    match refers_to.trim() {
        "" => Err(invalid("`refers_to` is empty.".into())),
        text if text.starts_with('=') => from_user(text),
        text => from_user(&format!("={text}")),
    }
}

/// The part behind `_xlnm.`.
fn built_in(name: &str) -> Option<&str> {
    let (mark, rest) = name.split_at_checked("_xlnm.".len())?;
    mark.eq_ignore_ascii_case("_xlnm.").then_some(rest)
}

/// What is printed are areas of a sheet, or what a function makes of some; Excel repairs a file with anything else there.
fn check_areas(name: &str, formula: &str) -> Result<(), EditError> {
    let known = built_in(name).unwrap_or_default().to_lowercase();
    if !matches!(known.as_str(), "print_area" | "print_titles") {
        return Ok(());
    }
    let mut depth = 0_usize;
    let mut called = false;
    let mut open = Vec::new();
    let areas = tokens(formula).iter().all(|token| {
        let text = &formula[token.range.clone()];
        let allowed = match &token.kind {
            TokenKind::Reference(reference) => reference.form != Form::Dead,
            TokenKind::Space | TokenKind::Function | TokenKind::Name(_) | TokenKind::Structured { .. } => {
                true
            }
            TokenKind::Operator => matches!(text, "," | ":" | "(" | ")"),
            _ => false,
        };
        let inside = depth > 0;
        match text {
            "(" => {
                open.push(called);
                depth += usize::from(called);
            }
            ")" => depth -= usize::from(open.pop().unwrap_or(false)).min(depth),
            _ => {}
        }
        called = token.kind == TokenKind::Function;
        allowed || inside
    });
    if areas {
        return Ok(());
    }
    Err(invalid(format!("“{name}” must refer to areas of a sheet, not to “{formula}”."))
        .hint("Give areas such as Data!$A$1:$F$40, or Data!$1:$2 for titles."))
}

fn is_valid(name: &str) -> bool {
    let starts_well = name.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '\\'));
    let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '\\' | '?'));
    let reserved = ["true", "false"].contains(&name.to_lowercase().as_str());
    let looks_like_reference = looks_like_cell(name) || looks_like_r1c1(name);
    starts_well && plain && !reserved && !looks_like_reference && name.chars().count() <= 255
}
