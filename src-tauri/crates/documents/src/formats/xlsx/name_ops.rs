//! Defined names of the workbook: set, changed, deleted.

use super::{
    address::{looks_like_cell, same_name},
    formula::{TokenKind, from_user, tokens},
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

impl Session<'_, '_> {
    pub(super) fn set_name(&mut self, name: &str, refers_to: Option<&str>) -> Result<(), EditError> {
        let invalid = |message: String| EditError::new(EditErrorKind::InvalidArguments, message);
        if !is_valid(name) {
            return Err(invalid(format!(
                "“{name}” cannot be a name: it must begin with a letter or _, hold no blanks, and not look like a cell."
            )));
        }
        let text = match refers_to {
            Some(text) if text.trim().starts_with('=') => Some(from_user(text)?),
            Some(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Some(_) => return Err(invalid("`refers_to` is empty.".into())),
            None => None,
        };
        let xml = &self.book.xml;
        let list = xml.child(xml.root(), Ns::S, "definedNames");
        let found: Option<NodeId> = list.and_then(|list| {
            xml.children_named(list, Ns::S, "definedName").find(|element| {
                xml.value(*element, Ns::None, "localSheetId").is_none()
                    && xml.value(*element, Ns::None, "name").is_some_and(|known| same_name(&known, name))
            })
        });
        let before = found.map(|element| format!("={}", xml.text(element)));
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

fn is_valid(name: &str) -> bool {
    let starts_well = name.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '\\'));
    let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '\\' | '?'));
    let reserved = ["r", "c", "true", "false"].contains(&name.to_lowercase().as_str());
    starts_well && plain && !reserved && !looks_like_cell(name) && name.chars().count() <= 255
}
