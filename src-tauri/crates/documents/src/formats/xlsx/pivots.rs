//! Pivot tables and slicers when a sheet goes: caches that nobody uses any more go too, sources that are gone are named.
//!
//! A pivot cache whose source is gone keeps its records, as in Excel; only a refresh fails.

use super::{
    address::same_name,
    parts::{self, PartKind},
    patch::Patch,
    session::Session,
    workbook::SheetKey,
};
use crate::{
    EditError, Warning,
    error::EditErrorKind,
    package::{
        PartName,
        xml::{Ns, Xml},
    },
};

impl Session<'_, '_> {
    /// Slicers belong to the workbook and point to pivot tables and tables of a sheet: such a sheet is not deleted.
    pub(super) fn check_no_slicers(&self, key: SheetKey, name: &str) -> Result<(), EditError> {
        let entry = self.book.entry(key)?;
        let relationships = self.book.package.relationships(&entry.part)?;
        let shown = relationships
            .items
            .iter()
            .any(|item| matches!(item.kind.rsplit('/').next(), Some("slicer" | "timeline")));
        let mut tables = Vec::new();
        for part in parts::of_sheet(&self.book, key)?.iter().filter(|part| part.kind == PartKind::Table) {
            tables.extend(table_id(&self.book.package.xml(&part.part)?));
        }
        if shown || self.is_sliced(Some(entry.sheet_id), &tables)? {
            let message =
                format!("Slicers or timelines belong to the sheet “{name}”; they would be left without it.");
            return Err(EditError::new(EditErrorKind::WouldDamage, message)
                .hint("Remove the slicers in Excel first."));
        }
        Ok(())
    }

    /// Whether a slicer or timeline hangs on a pivot table of a sheet or on one of some tables.
    pub(super) fn is_sliced(&self, sheet_id: Option<u32>, tables: &[String]) -> Result<bool, EditError> {
        let relationships = self.book.package.relationships(&self.book.part)?;
        for item in &relationships.items {
            let kind = item.kind.rsplit('/').next().unwrap_or_default();
            if !matches!(kind, "slicerCache" | "timelineCache") {
                continue;
            }
            let Some(part) = item.part().filter(|part| self.book.package.has(part)) else { continue };
            let xml = self.book.package.xml(&part)?;
            for node in xml.descendants(xml.root()) {
                let value = |name| xml.value(node, Ns::None, name);
                let sliced = match xml.local_name(node) {
                    "pivotTable" => {
                        value("tabId").and_then(|id| id.parse::<u32>().ok()) == sheet_id && sheet_id.is_some()
                    }
                    "tableSlicerCache" => value("tableId").is_some_and(|id| tables.iter().any(|t| *t == id)),
                    _ => false,
                };
                if sliced {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The caches that the pivot tables of a sheet read from.
    pub(super) fn pivot_caches_of(&self, key: SheetKey) -> Result<Vec<PartName>, EditError> {
        let mut caches: Vec<PartName> = Vec::new();
        for part in parts::of_sheet(&self.book, key)?.iter().filter(|part| part.kind == PartKind::PivotTable)
        {
            let relationships = self.book.package.relationships(&part.part)?;
            let found = relationships.of_kind("pivotCacheDefinition").filter_map(|item| item.part());
            caches.extend(found.filter(|cache| self.book.package.has(cache)));
        }
        Ok(caches)
    }

    /// Takes caches out of the workbook that only it still points to.
    pub(super) fn drop_unused_caches(&mut self, caches: &[PartName]) -> Result<(), EditError> {
        for cache in caches {
            let workbook = self.book.part.clone();
            let relationships = self.book.package.relationships(&workbook)?;
            let Some(id) = relationships.to_part(cache).map(|item| item.id.clone()) else { continue };
            if !self.book.package.has(cache) || self.is_used_beside(cache, &workbook)? {
                continue;
            }
            let xml = &self.book.xml;
            let mut patch = Patch::new(xml);
            for node in xml.descendants_named(xml.root(), Ns::S, "pivotCache") {
                if xml.value(node, Ns::R, "id").is_some_and(|value| value == id) {
                    patch.remove(node);
                }
            }
            let splices = patch.finish()?;
            self.book.edit_workbook(splices)?;
            self.book.package.remove_relationship(&workbook, &id)?;
            self.remove_with_orphans(cache)?;
        }
        Ok(())
    }

    fn is_used_beside(&self, part: &PartName, source: &PartName) -> Result<bool, EditError> {
        let names = self.book.package.part_names();
        for other in names.iter().filter_map(PartName::relationships_source) {
            let exists = other.as_str().is_empty() || self.book.package.has(&other);
            if exists
                && !other.same(source)
                && self.book.package.relationships(&other)?.to_part(part).is_some()
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Names the pivot caches whose source was on a sheet that is gone.
    pub(super) fn warn_of_pivot_sources(&mut self, name: &str) -> Result<(), EditError> {
        for part in parts::pivot_caches(&self.book)? {
            let xml = self.book.package.xml(&part)?;
            let gone = xml.descendants(xml.root()).any(|node| {
                (xml.is(node, Ns::S, "worksheetSource") || xml.is(node, Ns::S, "rangeSet"))
                    && xml.value(node, Ns::R, "id").is_none()
                    && xml.value(node, Ns::None, "sheet").is_some_and(|sheet| same_name(&sheet, name))
            });
            if gone {
                let message = "The source of a pivot table was on the deleted sheet: it keeps its figures and cannot be refreshed.";
                self.warn(Warning::at("pivot_source_gone", part.file_name(), message));
            }
        }
        Ok(())
    }
}

/// The id that slicers know a table by.
pub(super) fn table_id(xml: &Xml) -> Option<String> {
    xml.value(xml.root(), Ns::None, "id").map(|id| id.into_owned())
}
