//! The workbook: its sheets in order, names, settings, and the shared tables that cells point into.
//!
//! Sheets are read when they are asked for and written once, by `finish`. Every sheet keeps the maps that turn positions of the
//! revision the caller read into present ones.

use super::{
    address::{Axis, CellRef, same_name},
    number_format::DateSystem,
    sheet::Sheet,
    strings::Strings,
    styles::Styles,
};
use crate::{
    DocumentError, EditError, Limits,
    error::EditErrorKind,
    package::{
        Package, PartName,
        xml::{NodeId, Ns, Splices, Xml},
    },
    positions::PositionMap,
};

/// A sheet of this session; stays the same when the sheet moves or is renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SheetKey(pub(super) usize);

/// What kind of part a sheet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SheetKind {
    Worksheet,
    Chartsheet,
    /// Excel 4 macro sheets and dialog sheets: cells that are kept and followed but not edited.
    Other,
}

/// Whether a sheet is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visibility {
    Visible,
    Hidden,
    VeryHidden,
}

/// A sheet as the workbook lists it.
pub(super) struct SheetEntry {
    pub(super) key: SheetKey,
    pub(super) name: String,
    /// The name in the revision the caller read; `None` for a sheet of this batch.
    pub(super) base_name: Option<String>,
    pub(super) sheet_id: u32,
    pub(super) relationship: String,
    pub(super) part: PartName,
    pub(super) kind: SheetKind,
    pub(super) visibility: Visibility,
    pub(super) rows: PositionMap,
    pub(super) cols: PositionMap,
}

impl SheetEntry {
    pub(super) fn map(&mut self, axis: Axis) -> &mut PositionMap {
        match axis {
            Axis::Rows => &mut self.rows,
            Axis::Cols => &mut self.cols,
        }
    }

    /// Where a cell of the revision the caller read is now.
    pub(super) fn current(&self, base: CellRef) -> Option<CellRef> {
        let row = self.rows.current(base.row as usize)?;
        let col = self.cols.current(base.col as usize)?;
        Some(CellRef::new(row as u32, col as u32))
    }
}

/// An opened workbook.
pub(super) struct Workbook<'p> {
    pub(super) package: Package<'p>,
    /// The main part.
    pub(super) part: PartName,
    pub(super) xml: Xml,
    /// In the order of their tabs.
    pub(super) sheets: Vec<SheetEntry>,
    pub(super) next_key: usize,
    pub(super) dates: DateSystem,
    loaded: Vec<Option<Sheet>>,
    strings: Option<Strings>,
    styles: Option<Styles>,
}

impl<'p> Workbook<'p> {
    pub(super) fn open(bytes: &'p [u8], limits: &Limits) -> Result<Workbook<'p>, DocumentError> {
        let package = Package::open(bytes, limits)?;
        let part = package.main_part()?;
        let xml = package.xml(&part)?;
        if !xml.is(xml.root(), Ns::S, "workbook") {
            return Err(DocumentError::Damaged(format!("The part {part} is not a workbook.")));
        }
        let sheets = list_sheets(&package, &part, &xml)?;
        let dates = date_system(&xml);
        let count = sheets.len();
        Ok(Workbook {
            package,
            part,
            xml,
            sheets,
            next_key: count,
            dates,
            loaded: (0..count).map(|_| None).collect(),
            strings: None,
            styles: None,
        })
    }

    pub(super) fn entry(&self, key: SheetKey) -> Result<&SheetEntry, EditError> {
        let found = self.sheets.iter().find(|entry| entry.key == key);
        found.ok_or_else(|| EditError::new(EditErrorKind::OutOfRange, "The sheet was deleted before."))
    }

    pub(super) fn entry_mut(&mut self, key: SheetKey) -> Result<&mut SheetEntry, EditError> {
        let found = self.sheets.iter_mut().find(|entry| entry.key == key);
        found.ok_or_else(|| EditError::new(EditErrorKind::OutOfRange, "The sheet was deleted before."))
    }

    /// A sheet by its present name, else by the name that the caller read; left out, the first visible one.
    pub(super) fn find(&self, name: Option<&str>) -> Result<SheetKey, EditError> {
        let Some(name) = name else {
            let shown = |entry: &&SheetEntry| {
                entry.visibility == Visibility::Visible && entry.kind == SheetKind::Worksheet
            };
            let first = self.sheets.iter().find(shown).map(|entry| entry.key);
            return first.ok_or_else(|| {
                EditError::new(EditErrorKind::OutOfRange, "The workbook has no visible worksheet.")
            });
        };
        let by_name = self.sheets.iter().find(|entry| same_name(&entry.name, name));
        let by_base =
            || self.sheets.iter().find(|e| e.base_name.as_ref().is_some_and(|base| same_name(base, name)));
        by_name.or_else(by_base).map(|entry| entry.key).ok_or_else(|| {
            let names: Vec<&str> = self.sheets.iter().map(|entry| entry.name.as_str()).collect();
            EditError::new(EditErrorKind::OutOfRange, format!("There is no sheet “{name}”."))
                .hint(format!("The sheets are: {}.", names.join(", ")))
        })
    }

    /// Whether the sheet was read already.
    pub(super) fn is_loaded(&self, key: SheetKey) -> bool {
        self.loaded.get(key.0).is_some_and(Option::is_some)
    }

    /// Reads a sheet unless it was read before.
    pub(super) fn load(&mut self, key: SheetKey) -> Result<(), EditError> {
        if self.is_loaded(key) {
            return Ok(());
        }
        let part = self.entry(key)?.part.clone();
        let bytes = self.package.require(&part)?;
        let sheet = Sheet::read(&part, &bytes, self.package.limits())?;
        self.put_sheet(key, sheet);
        Ok(())
    }

    /// Takes a sheet that was made or read elsewhere.
    pub(super) fn put_sheet(&mut self, key: SheetKey, sheet: Sheet) {
        if self.loaded.len() <= key.0 {
            self.loaded.resize_with(key.0 + 1, || None);
        }
        self.loaded[key.0] = Some(sheet);
    }

    pub(super) fn drop_sheet(&mut self, key: SheetKey) {
        if let Some(slot) = self.loaded.get_mut(key.0) {
            *slot = None;
        }
    }

    /// A sheet that was loaded.
    pub(super) fn sheet(&self, key: SheetKey) -> Result<&Sheet, EditError> {
        self.loaded.get(key.0).and_then(Option::as_ref).ok_or_else(not_loaded)
    }

    pub(super) fn sheet_mut(&mut self, key: SheetKey) -> Result<&mut Sheet, EditError> {
        self.loaded.get_mut(key.0).and_then(Option::as_mut).ok_or_else(not_loaded)
    }

    /// Reads the shared strings and styles, so that cells can be shown.
    pub(super) fn load_tables(&mut self) -> Result<(), DocumentError> {
        let relationships = self.package.relationships(&self.part)?;
        if self.strings.is_none() {
            let part = relationships.part_of_kind("sharedStrings").filter(|part| self.package.has(part));
            self.strings = Some(match part {
                Some(part) => Strings::read(&part, &self.package.require(&part)?)?,
                None => Strings::default(),
            });
        }
        if self.styles.is_none() {
            self.styles = Some(match self.styles_part()? {
                Some(part) => Styles::read(&self.package.xml(&part)?),
                None => Styles::default(),
            });
        }
        Ok(())
    }

    pub(super) fn styles_part(&self) -> Result<Option<PartName>, DocumentError> {
        let relationships = self.package.relationships(&self.part)?;
        Ok(relationships.part_of_kind("styles").filter(|part| self.package.has(part)))
    }

    /// Lets the styles be read anew after they were changed.
    pub(super) fn forget_styles(&mut self) {
        self.styles = None;
    }

    pub(super) fn strings(&self) -> Option<&Strings> {
        self.strings.as_ref()
    }

    pub(super) fn styles(&self) -> Option<&Styles> {
        self.styles.as_ref()
    }

    /// Changes the workbook part and reads it anew.
    pub(super) fn edit_workbook(&mut self, splices: Splices) -> Result<(), EditError> {
        if splices.is_empty() {
            return Ok(());
        }
        let bytes = self.xml.write(splices)?;
        self.xml = Xml::parse(&bytes, self.package.limits()).map_err(|error| error.in_part(&self.part))?;
        self.package.replace(&self.part, bytes)
    }

    /// Writes every changed sheet into the package.
    pub(super) fn write_sheets(&mut self) -> Result<(), EditError> {
        for index in 0..self.sheets.len() {
            let (key, part) = (self.sheets[index].key, self.sheets[index].part.clone());
            let Some(sheet) = self.loaded.get_mut(key.0).and_then(Option::as_mut) else { continue };
            if sheet.is_changed() {
                let bytes = sheet.write()?;
                self.package.replace(&part, bytes)?;
            }
        }
        Ok(())
    }
}

fn not_loaded() -> EditError {
    EditError::new(EditErrorKind::Internal, "A sheet was used before it was read.")
}

fn list_sheets(package: &Package<'_>, part: &PartName, xml: &Xml) -> Result<Vec<SheetEntry>, DocumentError> {
    let relationships = package.relationships(part)?;
    let Some(list) = xml.child(xml.root(), Ns::S, "sheets") else { return Ok(Vec::new()) };
    let mut sheets = Vec::new();
    for element in xml.children_named(list, Ns::S, "sheet") {
        let value = |name: &str| xml.value(element, Ns::None, name).map(|value| value.into_owned());
        let id = xml.value(element, Ns::R, "id").unwrap_or_default().into_owned();
        let Some(relationship) = relationships.by_id(&id) else { continue };
        let Some(sheet_part) = relationship.part().filter(|part| package.has(part)) else { continue };
        let name = value("name").unwrap_or_default();
        sheets.push(SheetEntry {
            key: SheetKey(sheets.len()),
            base_name: Some(name.clone()),
            name,
            sheet_id: value("sheetId").and_then(|id| id.parse().ok()).unwrap_or(0),
            relationship: id,
            part: sheet_part,
            kind: match relationship.kind.as_str() {
                "worksheet" => SheetKind::Worksheet,
                "chartsheet" => SheetKind::Chartsheet,
                _ => SheetKind::Other,
            },
            visibility: visibility(xml, element),
            rows: PositionMap::default(),
            cols: PositionMap::default(),
        });
    }
    Ok(sheets)
}

fn visibility(xml: &Xml, sheet: NodeId) -> Visibility {
    match xml.value(sheet, Ns::None, "state").as_deref() {
        Some("hidden") => Visibility::Hidden,
        Some("veryHidden") => Visibility::VeryHidden,
        _ => Visibility::Visible,
    }
}

fn date_system(xml: &Xml) -> DateSystem {
    let properties = xml.child(xml.root(), Ns::S, "workbookPr");
    let flag = properties.and_then(|element| xml.value(element, Ns::None, "date1904"));
    match flag.as_deref() {
        Some("1" | "true") => DateSystem::Base1904,
        _ => DateSystem::Base1900,
    }
}
