//! Sheets as a whole: added, renamed, moved, deleted, with everything that counts or names them.
//!
//! Sheet ids are never renumbered. `docProps/app.xml` is left alone, as it may be (its titles are a cache).

use super::{
    address::{quote_sheet, same_name},
    formula::{
        Replacement, TokenKind, rewrite,
        rewrite::{delete_sheet, rename_sheet},
        spans::respan,
    },
    parts,
    patch::Patch,
    places::{Place, Spot},
    session::{Location, Session},
    structure::shared::GroupRule,
    workbook::{SheetEntry, SheetKey, SheetKind, Visibility},
};
use crate::{
    EditError, Warning,
    error::EditErrorKind,
    package::{
        PartName,
        xml::{NodeId, Ns, escape_attribute},
    },
    positions::PositionMap,
};

const WORKSHEET_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml";

fn refuse(message: String) -> EditError {
    EditError::new(EditErrorKind::WouldDamage, message)
}

impl Session<'_, '_> {
    pub(super) fn add_sheet(&mut self, name: &str, position: Option<usize>) -> Result<(), EditError> {
        self.check_structure_protection()?;
        self.check_new_name(name, None)?;
        let strict = self.book.package.is_strict()?;
        let bytes = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<worksheet xmlns=\"{}\" xmlns:r=\"{}\"><sheetData/></worksheet>",
            Ns::S.uri(strict),
            Ns::R.uri(strict)
        );
        self.insert_sheet(name, position, bytes.into_bytes())?;
        self.change(Location::Text(quote_sheet(name)), None, Some(name.to_owned()), Some("structure"));
        Ok(())
    }

    pub(super) fn insert_sheet(
        &mut self,
        name: &str,
        position: Option<usize>,
        bytes: Vec<u8>,
    ) -> Result<SheetKey, EditError> {
        let count = self.book.sheets.len();
        let at = position.unwrap_or(count + 1);
        if at == 0 || at > count + 1 {
            let message = format!("There is no position {at}; the workbook has {count} sheets.");
            return Err(EditError::new(EditErrorKind::OutOfRange, message));
        }
        let workbook = self.book.part.clone();
        let part = self.book.package.unused_name(&format!("{}worksheets/sheet", workbook.folder()), ".xml");
        self.book.package.add(&part, bytes, WORKSHEET_TYPE)?;
        let id = self.book.package.add_relationship(&workbook, "worksheet", &part)?;
        let sheet_id = self.book.sheets.iter().map(|entry| entry.sheet_id).max().unwrap_or(0) + 1;
        let key = SheetKey(self.book.next_key);
        self.book.next_key += 1;
        self.write_sheet_entry(name, at - 1, sheet_id, &id)?;
        self.book.sheets.insert(
            at - 1,
            SheetEntry {
                key,
                name: name.to_owned(),
                base_name: None,
                sheet_id,
                relationship: id,
                part,
                kind: SheetKind::Worksheet,
                visibility: Visibility::Visible,
                rows: PositionMap::default(),
                cols: PositionMap::default(),
            },
        );
        self.structural = true;
        Ok(key)
    }

    fn write_sheet_entry(&mut self, name: &str, at: usize, sheet_id: u32, id: &str) -> Result<(), EditError> {
        let xml = &self.book.xml;
        let root = xml.root();
        let Some(list) = xml.child(root, Ns::S, "sheets").filter(|list| !xml.is_empty_tag(*list)) else {
            return Err(refuse("The workbook lists no sheets.".into()));
        };
        let namespace = xml.attribute_prefix_for(list, Ns::R);
        let (prefix, declared) = match namespace {
            Some(prefix) => (prefix, String::new()),
            None => {
                let uri = Ns::R.uri(self.book.package.is_strict()?);
                ("r:".to_owned(), format!(" xmlns:r=\"{uri}\""))
            }
        };
        let markup = format!(
            "<{}sheet{declared} name=\"{}\" sheetId=\"{sheet_id}\" {prefix}id=\"{id}\"/>",
            xml.prefix(list),
            escape_attribute(name)?
        );
        let items: Vec<NodeId> = xml.children(list).collect();
        let place = items.get(at).map_or(xml.content(list).end, |item| xml.span(*item).start);
        let order: Vec<Option<usize>> =
            (0..items.len()).map(|old| Some(old + usize::from(old >= at))).collect();
        let mut patch = Patch::new(xml);
        patch.insert(place, markup);
        remap(&mut patch, &order)?;
        let splices = patch.finish()?;
        self.book.edit_workbook(splices)
    }

    pub(super) fn rename_sheet(&mut self, sheet: &str, to: &str) -> Result<(), EditError> {
        self.check_structure_protection()?;
        let key = self.book.find(Some(sheet))?;
        self.check_new_name(to, Some(key))?;
        let from = self.book.entry(key)?.name.clone();
        if from == to {
            return Ok(());
        }
        let position = self.position(key)?;
        let xml = &self.book.xml;
        let mut patch = Patch::new(xml);
        if let Some(element) = sheet_elements(xml).get(position) {
            patch.set(*element, "name", to)?;
        }
        let splices = patch.finish()?;
        self.book.edit_workbook(splices)?;
        let mut count = 0;
        self.change_formulas(None, b'!', GroupRule::Uniform, &mut |text, _| {
            let new = rename_sheet(text, &from, to);
            count += usize::from(new.is_some());
            new
        })?;
        self.rename_in_links(&from, to)?;
        self.rename_in_caches(&from, to)?;
        self.book.entry_mut(key)?.name = to.to_owned();
        self.structural = true;
        let after = Some(to.to_owned());
        self.change(Location::Text(quote_sheet(to)), Some(from), after, Some("structure"));
        if count > 0 {
            let message = format!("{count} formulas, names and rules follow the new name.");
            self.warn(Warning::at("references_moved", quote_sheet(to), message));
        }
        Ok(())
    }

    fn rename_in_links(&mut self, from: &str, to: &str) -> Result<(), EditError> {
        let keys: Vec<SheetKey> = self.book.sheets.iter().map(|entry| entry.key).collect();
        for key in keys.into_iter().filter(|key| self.book.is_loaded(*key)).collect::<Vec<_>>() {
            let sheet = self.book.sheet_mut(key)?;
            let mut patch = Patch::new(&sheet.frame);
            for node in
                sheet.frame.descendants_named(sheet.frame.root(), Ns::S, "hyperlink").collect::<Vec<_>>()
            {
                let new = patch.value(node, "location").and_then(|text| rename_sheet(&text, from, to));
                if let Some(new) = new {
                    patch.set(node, "location", &new)?;
                }
            }
            for node in
                sheet.frame.descendants_named(sheet.frame.root(), Ns::S, "dataRef").collect::<Vec<_>>()
            {
                if patch.value(node, "sheet").is_some_and(|name| same_name(&name, from)) {
                    patch.set(node, "sheet", to)?;
                }
            }
            let splices = patch.finish()?;
            sheet.edit_frame(splices)?;
        }
        Ok(())
    }

    fn rename_in_caches(&mut self, from: &str, to: &str) -> Result<(), EditError> {
        for part in parts::pivot_caches(&self.book)? {
            let xml = self.book.package.xml(&part)?;
            let mut patch = Patch::new(&xml);
            for node in xml.descendants(xml.root()).collect::<Vec<_>>() {
                let is_source = xml.is(node, Ns::S, "worksheetSource") || xml.is(node, Ns::S, "rangeSet");
                let outside = xml.value(node, Ns::R, "id").is_some();
                if is_source
                    && !outside
                    && patch.value(node, "sheet").is_some_and(|name| same_name(&name, from))
                {
                    patch.set(node, "sheet", to)?;
                }
            }
            if !patch.is_empty() {
                let bytes = xml.write(patch.finish()?)?;
                self.book.package.replace(&part, bytes)?;
            }
        }
        Ok(())
    }

    pub(super) fn move_sheet(&mut self, sheet: &str, position: usize) -> Result<(), EditError> {
        self.check_structure_protection()?;
        let key = self.book.find(Some(sheet))?;
        let count = self.book.sheets.len();
        if position == 0 || position > count {
            let message = format!("There is no position {position}; the workbook has {count} sheets.");
            return Err(EditError::new(EditErrorKind::OutOfRange, message));
        }
        let (from, to) = (self.position(key)?, position - 1);
        if from == to {
            return Ok(());
        }
        let mut order: Vec<usize> = (0..count).collect();
        let moved = order.remove(from);
        order.insert(to, moved);
        let xml = &self.book.xml;
        let elements = sheet_elements(xml);
        let mut patch = Patch::new(xml);
        // Each place takes the markup of the sheet that comes to stand there.
        for (place, old) in order.iter().enumerate().filter(|(place, old)| *place != **old) {
            patch.replace(xml.span(elements[place]), xml.raw(elements[*old]));
        }
        let new_places: Vec<Option<usize>> =
            (0..count).map(|old| order.iter().position(|known| *known == old)).collect();
        remap(&mut patch, &new_places)?;
        let splices = patch.finish()?;
        self.book.edit_workbook(splices)?;
        let worksheets = self.worksheet_names();
        let entry = self.book.sheets.remove(from);
        let name = entry.name.clone();
        self.book.sheets.insert(to, entry);
        let after = self.worksheet_names();
        let mut turned = Vec::new();
        self.change_formulas(None, b'!', GroupRule::Uniform, &mut |text, place| {
            let new = respan(text, &name, &worksheets, &after)?;
            turned.push((place.clone(), text.to_owned(), new.clone()));
            Some(new)
        })?;
        self.tell_turned(turned, "span_changed");
        self.structural = true;
        let (before, after) = (Some((from + 1).to_string()), Some(position.to_string()));
        self.change(Location::Text(quote_sheet(&name)), before, after, Some("moved"));
        Ok(())
    }

    pub(super) fn delete_sheet(&mut self, sheet: &str) -> Result<(), EditError> {
        self.check_structure_protection()?;
        let key = self.book.find(Some(sheet))?;
        let entry = self.book.entry(key)?;
        let (name, part, id) = (entry.name.clone(), entry.part.clone(), entry.relationship.clone());
        let visible = |entry: &&SheetEntry| entry.visibility == Visibility::Visible;
        let others = self.book.sheets.iter().filter(|entry| entry.key != key).filter(visible).count();
        if others == 0 {
            return Err(refuse(format!("“{name}” is the last visible sheet; a workbook needs one.")));
        }
        self.check_no_slicers(key, &name)?;
        let caches = self.pivot_caches_of(key)?;
        let tables: Vec<String> = self.tables_of(key)?.into_iter().map(|table| table.name).collect();
        self.kill_references(key, &name, &tables)?;
        self.remove_sheet_entry(key)?;
        let workbook = self.book.part.clone();
        self.book.package.remove_relationship(&workbook, &id)?;
        self.remove_with_orphans(&part)?;
        self.drop_unused_caches(&caches)?;
        self.warn_of_pivot_sources(&name)?;
        self.book.drop_sheet(key);
        self.book.sheets.retain(|entry| entry.key != key);
        for list in [&mut self.dirty, &mut self.recompute, &mut self.fresh] {
            list.retain(|(sheet, _)| *sheet != key);
        }
        self.forget_places(key, &name);
        self.structural = true;
        self.calculation_order_changed = true;
        self.change(Location::Text(quote_sheet(&name)), Some(name), None, Some("structure"));
        Ok(())
    }

    /// Changes of a sheet that is gone keep the address they had.
    fn forget_places(&mut self, key: SheetKey, name: &str) {
        for change in &mut self.changes {
            change.location = match &change.location {
                Location::Cell(sheet, cell) if *sheet == key => {
                    Location::Text(format!("{}!{cell}", quote_sheet(name)))
                }
                Location::Area(sheet, area) if *sheet == key => {
                    Location::Text(format!("{}!{area}", quote_sheet(name)))
                }
                other => other.clone(),
            };
        }
    }

    fn kill_references(&mut self, key: SheetKey, name: &str, tables: &[String]) -> Result<(), EditError> {
        let mut died: Vec<(Place, String, String)> = Vec::new();
        let mut spans: Vec<(Place, String, String)> = Vec::new();
        let worksheets = self.worksheet_names();
        let left: Vec<String> = worksheets.iter().filter(|other| !same_name(other, name)).cloned().collect();
        let mut kill = |text: &str, place: &Place| {
            if place.home == Some(key) {
                return None;
            }
            let spanned = respan(text, name, &worksheets, &left);
            let current = spanned.clone().unwrap_or_else(|| text.to_owned());
            let first = delete_sheet(&current, name).or(spanned);
            let current = first.clone().unwrap_or(current);
            let second = rewrite(&current, |token| match &token.kind {
                TokenKind::Structured { table }
                    if tables.iter().any(|t| same_name(t, &current[table.clone()])) =>
                {
                    Replacement::With("#REF!".into())
                }
                _ => Replacement::Keep,
            });
            let new = second.or(first)?;
            let errors = |text: &str| text.matches("#REF!").count();
            let list = if errors(&new) > errors(text) { &mut died } else { &mut spans };
            list.push((place.clone(), text.to_owned(), new.clone()));
            Some(new)
        };
        self.change_formulas(Some(key), b'!', GroupRule::Uniform, &mut kill)?;
        if !tables.is_empty() {
            self.change_formulas(Some(key), b'[', GroupRule::Uniform, &mut kill)?;
        }
        self.tell_turned(died, "ref_became_error");
        self.tell_turned(spans, "span_changed");
        Ok(())
    }

    /// The worksheets in order; chart sheets have no cells that a reference could span.
    fn worksheet_names(&self) -> Vec<String> {
        let worksheets = self.book.sheets.iter().filter(|entry| entry.kind != SheetKind::Chartsheet);
        worksheets.map(|entry| entry.name.clone()).collect()
    }

    /// Tells formulas that read otherwise now because of what happened to a sheet.
    fn tell_turned(&mut self, turned: Vec<(Place, String, String)>, code: &str) {
        for (place, before, after) in turned {
            let location = self.place_name(&place);
            self.warn(Warning::at(code, location, format!("={before} became ={after}.")));
            if let Spot::Name(name) = &place.spot {
                self.touched.names.insert(name.to_lowercase());
            }
            if let Spot::Cell(sheet, at) = place.spot {
                self.recompute.push((sheet, at));
                let (before, after) = (Some(format!("={before}")), Some(format!("={after}")));
                self.change(Location::Cell(sheet, at), before, after, Some("formula"));
            }
        }
    }

    fn remove_sheet_entry(&mut self, key: SheetKey) -> Result<(), EditError> {
        let position = self.position(key)?;
        let xml = &self.book.xml;
        let elements = sheet_elements(xml);
        let mut patch = Patch::new(xml);
        if let Some(element) = elements.get(position) {
            patch.remove(*element);
        }
        let order: Vec<Option<usize>> = (0..elements.len())
            .map(|old| match old {
                old if old == position => None,
                old => Some(old - usize::from(old > position)),
            })
            .collect();
        remap(&mut patch, &order)?;
        let splices = patch.finish()?;
        self.book.edit_workbook(splices)
    }

    /// Removes a part and what only it pointed to.
    pub(super) fn remove_with_orphans(&mut self, part: &PartName) -> Result<(), EditError> {
        let targets: Vec<PartName> =
            self.book.package.relationships(part)?.items.iter().filter_map(|item| item.part()).collect();
        self.book.package.remove(part)?;
        for target in targets {
            if self.book.package.has(&target) && !self.is_used(&target)? {
                self.remove_with_orphans(&target)?;
            }
        }
        Ok(())
    }

    pub(super) fn is_used(&self, part: &PartName) -> Result<bool, EditError> {
        let names = self.book.package.part_names();
        let sources = names.iter().filter_map(PartName::relationships_source);
        for source in sources {
            if !source.as_str().is_empty() && !self.book.package.has(&source) {
                continue;
            }
            if self.book.package.relationships(&source)?.to_part(part).is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn position(&self, key: SheetKey) -> Result<usize, EditError> {
        let found = self.book.sheets.iter().position(|entry| entry.key == key);
        found.ok_or_else(|| EditError::new(EditErrorKind::OutOfRange, "The sheet was deleted before."))
    }

    /// Excel's rules for the name of a sheet.
    pub(super) fn check_new_name(&self, name: &str, own: Option<SheetKey>) -> Result<(), EditError> {
        let invalid = |message: String| Err(EditError::new(EditErrorKind::InvalidArguments, message));
        if name.is_empty() || name.encode_utf16().count() > 31 {
            return invalid(format!("“{name}” has no length a sheet name may have (1 to 31 characters)."));
        }
        if name.contains([':', '\\', '/', '?', '*', '[', ']'])
            || name.starts_with('\'')
            || name.ends_with('\'')
        {
            return invalid(format!("“{name}” holds a sign that sheet names may not hold (: \\ / ? * [ ])."));
        }
        // Excel keeps this one for the history of shared workbooks, and repairs a file that uses it.
        if same_name(name, "History") {
            return invalid(format!(
                "“{name}” is a name that Excel keeps for itself; a sheet cannot have it."
            ));
        }
        let taken =
            self.book.sheets.iter().any(|entry| Some(entry.key) != own && same_name(&entry.name, name));
        if taken { invalid(format!("There is a sheet “{name}” already.")) } else { Ok(()) }
    }

    pub(super) fn check_structure_protection(&mut self) -> Result<(), EditError> {
        let xml = &self.book.xml;
        let protection = xml.child(xml.root(), Ns::S, "workbookProtection");
        let locked = protection.and_then(|element| xml.value(element, Ns::None, "lockStructure"));
        if !locked.is_some_and(|value| matches!(&*value, "1" | "true")) {
            return Ok(());
        }
        if self.context.override_protection {
            let message = "The workbook's structure is protected; its sheets were changed all the same.";
            self.warn(Warning::new("protection_overridden", message));
            return Ok(());
        }
        Err(EditError::new(EditErrorKind::ReadOnly, "The workbook's structure is protected.")
            .hint("Set `override_protection` to change it all the same."))
    }
}

fn sheet_elements(xml: &crate::package::xml::Xml) -> Vec<NodeId> {
    let list = xml.child(xml.root(), Ns::S, "sheets");
    list.map(|list| xml.children_named(list, Ns::S, "sheet").collect()).unwrap_or_default()
}

/// Lets what counts sheets follow their new places: `localSheetId`, `activeTab`, `firstSheet`.
fn remap(patch: &mut Patch<'_>, places: &[Option<usize>]) -> Result<(), EditError> {
    let xml = patch.xml;
    let moved = |text: Option<String>| {
        let old: usize = text?.parse().ok()?;
        Some((old, places.get(old).copied().flatten()))
    };
    if let Some(list) = xml.child(xml.root(), Ns::S, "definedNames") {
        let names: Vec<NodeId> = xml.children_named(list, Ns::S, "definedName").collect();
        let gone =
            |name: &NodeId| moved(patch.value(*name, "localSheetId")).is_some_and(|(_, new)| new.is_none());
        if !names.is_empty() && names.iter().all(gone) {
            patch.remove(list);
        } else {
            for name in names {
                match moved(patch.value(name, "localSheetId")) {
                    Some((old, Some(new))) if old != new => {
                        patch.set(name, "localSheetId", &new.to_string())?
                    }
                    Some((_, None)) => patch.remove(name),
                    _ => {}
                }
            }
        }
    }
    let left = places.iter().flatten().count();
    for view in xml.descendants_named(xml.root(), Ns::S, "workbookView").collect::<Vec<_>>() {
        for attribute in ["activeTab", "firstSheet"] {
            let Some((old, new)) = moved(patch.value(view, attribute)) else { continue };
            let new = new.unwrap_or(old.min(left.saturating_sub(1)));
            if new != old {
                patch.set(view, attribute, &new.to_string())?;
            }
        }
    }
    Ok(())
}
