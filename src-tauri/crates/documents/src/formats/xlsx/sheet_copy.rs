//! `xlsx_copy_sheet`: a sheet with all that hangs on it, and every reference to itself turned to the copy.
//!
//! Drawings, charts, notes, threaded comments, form controls and pivot tables are copied as parts; pictures, pivot caches and media are
//! shared. Tables get new names and ids, since both are unique in a workbook (ECMA-376-1, 18.5.1.2). Names of the sheet, and names of the
//! workbook that point into it, get a twin on the copy, as in Excel. Printer settings stay with the original.

use super::{
    address::{quote_sheet, same_name},
    formula::{Replacement, TokenKind, rewrite, rewrite::turn_sheet},
    parts::{self, PartKind},
    patch::Patch,
    places::Place,
    session::{Location, Session},
    structure::shared::GroupRule,
    workbook::SheetKey,
};
use crate::{
    EditError,
    error::EditErrorKind,
    package::{
        PartName,
        copies::{Copies, Fate},
        xml::{NodeId, Ns, Splices},
    },
};

/// Kinds of parts that name themselves somewhere else, so that a copy of the part alone would be half a copy.
const REFUSED: &[(&str, &str)] = &[
    ("control", "ActiveX controls"),
    ("slicer", "slicers"),
    ("timeline", "timelines"),
    ("tableSingleCells", "cells mapped to XML"),
    ("queryTable", "data from a query"),
];

fn fate(kind: &str) -> Fate {
    match kind {
        "printerSettings" => Fate::Drop,
        "image" | "pivotCacheDefinition" | "hyperlink" | "media" | "video" | "audio" | "hdphoto" => {
            Fate::Share
        }
        _ => Fate::Copy,
    }
}

impl Session<'_, '_> {
    pub(super) fn copy_sheet(
        &mut self,
        sheet: &str,
        to: &str,
        position: Option<usize>,
    ) -> Result<(), EditError> {
        self.check_structure_protection()?;
        let key = self.worksheet(Some(sheet))?;
        self.check_new_name(to, None)?;
        let (source, name) = (self.book.entry(key)?.part.clone(), self.book.entry(key)?.name.clone());
        self.check_copyable(&source, &name)?;
        let bytes = self.book.sheet_mut(key)?.write()?;
        let own = self.book.sheets.iter().position(|entry| entry.key == key);
        let copy = self.insert_sheet(to, position.or_else(|| Some(own? + 2)), bytes)?;
        let part = self.book.entry(copy)?.part.clone();
        let dropped = Copies::new(&mut self.book.package, fate).relationships(&source, &part)?;
        self.book.load(copy)?;
        self.settle_copy(copy, &dropped)?;
        let tables = self.rename_tables(copy)?;
        self.renew_threads(copy)?;
        self.copy_names(key, copy, &name, to)?;
        self.turn_references(copy, &name, to, &tables)?;
        self.change(Location::Text(quote_sheet(to)), None, Some(to.to_owned()), Some("structure"));
        self.structural = true;
        Ok(())
    }

    fn check_copyable(&self, source: &PartName, name: &str) -> Result<(), EditError> {
        let mut sources = vec![source.clone()];
        let tables = self.book.package.relationships(source)?;
        sources.extend(tables.of_kind("table").filter_map(|table| table.part()));
        for source in sources {
            let relationships = self.book.package.relationships(&source)?;
            let kind = |item: &str| item.rsplit('/').next().unwrap_or_default().to_owned();
            let found = relationships
                .items
                .iter()
                .find_map(|item| REFUSED.iter().find(|(refused, _)| *refused == kind(&item.kind)));
            if let Some((_, what)) = found {
                let message = format!("The sheet “{name}” holds {what}, which cannot be copied completely.");
                return Err(EditError::new(EditErrorKind::WouldDamage, message)
                    .hint("Copy the sheet in Excel, or add an empty sheet and set its cells."));
            }
        }
        Ok(())
    }

    /// Two sheets must not both be the selected one, and what pointed to a part that was left out goes.
    fn settle_copy(&mut self, copy: SheetKey, dropped: &[String]) -> Result<(), EditError> {
        let sheet = self.book.sheet_mut(copy)?;
        let xml = &sheet.frame;
        let mut patch = Patch::new(xml);
        for node in xml.descendants(xml.root()) {
            if xml.is(node, Ns::S, "sheetView") {
                patch.drop_attribute(node, "tabSelected");
            }
            let id =
                xml.attribute(node, Ns::R, "id").filter(|id| dropped.iter().any(|gone| *gone == id.value));
            if let Some(id) = id {
                patch.replace(id.whole, "");
            }
        }
        if let Some(properties) = xml.child(xml.root(), Ns::S, "sheetPr") {
            // A sheet's name in macros is unique.
            patch.drop_attribute(properties, "codeName");
        }
        let splices = patch.finish()?;
        sheet.edit_frame(splices)
    }

    /// Gives the tables of a copied sheet ids and names of their own; old and new names.
    fn rename_tables(&mut self, copy: SheetKey) -> Result<Vec<(String, String)>, EditError> {
        let (mut ids, mut names) = (Vec::new(), Vec::new());
        for part in parts::of_all_sheets(&self.book)?.iter().filter(|part| part.kind == PartKind::Table) {
            let xml = self.book.package.xml(&part.part)?;
            ids.extend(xml.value(xml.root(), Ns::None, "id").and_then(|id| id.parse::<u32>().ok()));
            names.push(super::places::table_name(&xml));
        }
        let book = &self.book.xml;
        for element in book.descendants_named(book.root(), Ns::S, "definedName") {
            names.extend(book.value(element, Ns::None, "name").map(|name| name.into_owned()));
        }
        let first_free = ids.into_iter().max().unwrap_or(0) + 1;
        let mut renamed = Vec::new();
        let copied = parts::of_sheet(&self.book, copy)?;
        let tables = copied.iter().filter(|part| part.kind == PartKind::Table);
        for (id, part) in (first_free..).zip(tables) {
            let xml = self.book.package.xml(&part.part)?;
            let old = super::places::table_name(&xml);
            let new = (2..)
                .map(|number| format!("{old}_{number}"))
                .find(|name| !names.iter().any(|taken| same_name(taken, name)))
                .unwrap_or_default();
            let mut patch = Patch::new(&xml);
            patch.set(xml.root(), "id", &id.to_string())?;
            patch.set(xml.root(), "name", &new)?;
            patch.set(xml.root(), "displayName", &new)?;
            let bytes = xml.write(patch.finish()?)?;
            self.book.package.replace(&part.part, bytes)?;
            names.push(new.clone());
            renamed.push((old, new));
        }
        Ok(renamed)
    }

    /// Threaded comments are known by GUIDs, which their legacy twins name as authors (MS-XLSX 2.6.205): both get new ones.
    fn renew_threads(&mut self, copy: SheetKey) -> Result<(), EditError> {
        let owned = parts::of_sheet(&self.book, copy)?;
        let mut ids: Vec<String> = Vec::new();
        for part in owned.iter().filter(|part| part.kind == PartKind::ThreadedComments) {
            let xml = self.book.package.xml(&part.part)?;
            let comments = xml.descendants_named(xml.root(), Ns::ThreadedComments, "threadedComment");
            ids.extend(comments.filter_map(|node| xml.value(node, Ns::None, "id").map(|id| id.into_owned())));
        }
        if ids.is_empty() {
            return Ok(());
        }
        for part in owned {
            if !matches!(part.kind, PartKind::ThreadedComments | PartKind::Comments) {
                continue;
            }
            let bytes = self.book.package.require(&part.part)?;
            let Ok(mut text) = String::from_utf8(bytes.to_vec()) else { continue };
            for id in &ids {
                text = text.replace(id.as_str(), &fresh_guid(id, part.sheet));
            }
            self.book.package.replace(&part.part, text.into_bytes())?;
        }
        Ok(())
    }

    /// Names that belong to the sheet, and those of the workbook that point into it, for the copy.
    fn copy_names(&mut self, key: SheetKey, copy: SheetKey, from: &str, to: &str) -> Result<(), EditError> {
        let (old, new) = (self.position(key)?, self.position(copy)?);
        let xml = &self.book.xml;
        let Some(list) = xml.child(xml.root(), Ns::S, "definedNames") else { return Ok(()) };
        let scope =
            |node: NodeId| xml.value(node, Ns::None, "localSheetId").and_then(|id| id.parse::<usize>().ok());
        let names: Vec<NodeId> = xml.children_named(list, Ns::S, "definedName").collect();
        let mut splices = Splices::default();
        let local: Vec<String> = names
            .iter()
            .filter(|node| scope(**node) == Some(old))
            .filter_map(|node| xml.value(*node, Ns::None, "name").map(|name| name.to_lowercase()))
            .collect();
        for node in names {
            let text = xml.text(node);
            let turned = turn_sheet(&text, from, to);
            let name = xml.value(node, Ns::None, "name").unwrap_or_default().to_lowercase();
            let wanted = match scope(node) {
                Some(scope) => scope == old,
                None => turned.is_some() && !local.contains(&name),
            };
            if !wanted || xml.is_empty_tag(node) {
                continue;
            }
            let tag = xml.slice(xml.start_tag(node));
            let mut patch = String::from(tag);
            match xml.attribute(node, Ns::None, "localSheetId") {
                Some(attribute) => {
                    let start = xml.start_tag(node).start;
                    let range = attribute.value_span.start - start..attribute.value_span.end - start;
                    patch.replace_range(range, &new.to_string());
                }
                None => {
                    let at = 1 + xml.qualified_name(node).len();
                    patch.insert_str(at, &format!(" localSheetId=\"{new}\""));
                }
            }
            let text = crate::package::xml::escape_text(turned.as_deref().unwrap_or(&text))?;
            let twin = format!("{patch}{text}</{}>", xml.qualified_name(node));
            splices.insert(xml.span(node).end, twin);
        }
        self.book.edit_workbook(splices)
    }

    /// Formulas, rules, charts and links of the copy mean the copy and its tables.
    fn turn_references(
        &mut self,
        copy: SheetKey,
        from: &str,
        to: &str,
        tables: &[(String, String)],
    ) -> Result<(), EditError> {
        let mut change = |text: &str, _: &Place| {
            let first = turn_sheet(text, from, to);
            let current = first.clone().unwrap_or_else(|| text.to_owned());
            rename_table(&current, tables).or(first)
        };
        for mark in [b'!', b'['] {
            self.change_sheet_formulas(copy, mark, GroupRule::Uniform, &mut change)?;
        }
        let owned = parts::of_sheet(&self.book, copy)?;
        self.change_listed_parts(&owned, &mut change)
    }
}

/// A formula with other table names; `None` when it names none of them.
fn rename_table(text: &str, tables: &[(String, String)]) -> Option<String> {
    rewrite(text, |token| {
        let TokenKind::Structured { table } = &token.kind else { return Replacement::Keep };
        let named = &text[table.clone()];
        match tables.iter().find(|(old, _)| !named.is_empty() && same_name(old, named)) {
            Some((_, new)) => Replacement::With(format!("{new}{}", &text[table.end..token.range.end])),
            None => Replacement::Keep,
        }
    })
}

/// A GUID made from another one and the sheet it is copied to; this crate has no randomness.
fn fresh_guid(id: &str, sheet: SheetKey) -> String {
    let mut state = 0xCBF2_9CE4_8422_2325_u64;
    let mut number = |salt: u8| {
        for byte in id.bytes().chain(sheet.0.to_le_bytes()).chain([salt]) {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
        state
    };
    let (a, b) = (number(1), number(2));
    format!(
        "{{{:08X}-{:04X}-4{:03X}-A{:03X}-{:012X}}}",
        a >> 32,
        (a >> 16) & 0xFFFF,
        a & 0xFFF,
        b >> 52,
        b & 0xFFFF_FFFF_FFFF
    )
}
