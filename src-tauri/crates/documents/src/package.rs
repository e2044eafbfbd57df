//! The OPC container (ECMA-376 part 2): zip entries as raw spans, parts, relationships, content types, surgical XML, the gate.
//!
//! A `Package` is opened on the original bytes and never rebuilds them: `finish` copies every untouched entry as the span it was,
//! with its central-directory record, and writes only replaced and added parts anew. It knows nothing of Word, Excel or PowerPoint
//! beyond the names of relationship kinds.

mod archive;
mod audit;
mod blocks;
mod content_types;
pub(crate) mod copies;
mod gate;
mod hunks;
mod inflate;
mod marks;
mod names;
mod relationships;
mod seam;
mod splice;
mod write;
pub mod xml;

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

pub use audit::{Finding, audit};
pub use content_types::ContentTypes;
pub use names::PartName;
pub use relationships::{Relationship, Relationships};

use crate::{DocumentError, EditError, Limits, PackageReport, Warning, error::EditErrorKind};
use archive::Archive;
use marks::Mark;
use write::Reuse;

/// A part's content, shared between its readers; not copied when it is handed on.
pub type PartBytes = Arc<Vec<u8>>;

/// One opened package with the changes planned so far.
pub struct Package<'a> {
    source: &'a [u8],
    limits: Limits,
    archive: Archive,
    /// Inflated originals by entry index.
    inflated: RefCell<BTreeMap<usize, PartBytes>>,
    /// Where the blocks of large originals begin, by entry index.
    marks: RefCell<BTreeMap<usize, Vec<Mark>>>,
    spent: RefCell<u64>,
    replaced: BTreeMap<usize, PartBytes>,
    added: Vec<(PartName, PartBytes)>,
    /// Where an added part lies in that list, by its canonical name.
    added_places: HashMap<String, usize>,
    removed: std::collections::BTreeSet<usize>,
}

/// A finished package and how its parts differ from the original's.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    pub bytes: Vec<u8>,
    pub report: PackageReport,
}

impl<'a> Package<'a> {
    /// Reads the central directory; parts are inflated when asked for.
    pub fn open(source: &'a [u8], limits: &Limits) -> Result<Package<'a>, DocumentError> {
        let package = Package::laid_out(source, limits)?;
        if !package.has(&PartName::content_types()) {
            return Err(package.without_types());
        }
        // Read at once: whether a part may be added or removed hangs on it.
        let types = PartName::content_types();
        xml::check_well_formed(&package.require(&types)?, &package.limits)
            .map_err(|error| error.in_part(&types))?;
        Ok(package)
    }

    /// Reads the central directory and looks into no part.
    fn laid_out(source: &'a [u8], limits: &Limits) -> Result<Package<'a>, DocumentError> {
        if source.len() as u64 > limits.file_bytes {
            return Err(DocumentError::TooLarge(format!(
                "The file has {} bytes; the limit is {}.",
                source.len(),
                limits.file_bytes
            )));
        }
        let archive = Archive::open(source, limits)?;
        Ok(Package {
            source,
            limits: limits.clone(),
            archive,
            inflated: RefCell::default(),
            marks: RefCell::default(),
            spent: RefCell::new(0),
            replaced: BTreeMap::new(),
            added: Vec::new(),
            added_places: HashMap::new(),
            removed: std::collections::BTreeSet::new(),
        })
    }

    /// Where an added part lies in the list of them.
    fn added_at(&self, name: &PartName) -> Option<usize> {
        match self.added_places.is_empty() {
            true => None,
            false => self.added_places.get(&name.canonical()).copied(),
        }
    }

    /// What a package without `[Content_Types].xml` is.
    fn without_types(&self) -> DocumentError {
        let holds = |name: &str| self.has(&PartName::new(name));
        if holds("META-INF/manifest.xml") && holds("mimetype") {
            DocumentError::Unsupported(
                "The file is an OpenDocument file (.odt, .ods, .odp). Save it as .docx, .xlsx or .pptx first.".into(),
            )
        } else if holds("_rels/.rels") {
            DocumentError::Damaged(
                "The package has lost its [Content_Types].xml, without which no program opens it.".into(),
            )
        } else {
            DocumentError::Unsupported(
                "The file is a ZIP archive, but not a Word, Excel or PowerPoint document: it has no [Content_Types].xml.".into(),
            )
        }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The parts as they are now, in entry order, without folders, by their names as found.
    pub fn part_names(&self) -> Vec<PartName> {
        let kept = (0..self.archive.entries.len()).filter(|index| !self.removed.contains(index));
        let originals = kept.map(|index| &self.archive.entries[index]).filter(|entry| !entry.is_folder());
        originals
            .map(|entry| PartName::new(&entry.name))
            .chain(self.added.iter().map(|(name, _)| name.clone()))
            .collect()
    }

    /// Whether the part exists now.
    pub fn has(&self, name: &PartName) -> bool {
        self.added_at(name).is_some()
            || matches!(self.entry(name), Ok(Some(index)) if !self.removed.contains(&index))
    }

    /// The part's bytes as they are now; `None` when there is no such part.
    pub fn read(&self, name: &PartName) -> Result<Option<PartBytes>, DocumentError> {
        if let Some(at) = self.added_at(name) {
            return Ok(Some(self.added[at].1.clone()));
        }
        match self.entry(name)? {
            Some(index) if self.removed.contains(&index) => Ok(None),
            Some(index) => self.read_entry(index).map(Some),
            None => Ok(None),
        }
    }

    /// The part's bytes, or `Damaged` naming the part that is missing.
    pub fn require(&self, name: &PartName) -> Result<PartBytes, DocumentError> {
        self.read(name)?
            .ok_or_else(|| DocumentError::Damaged(format!("The part {name} is missing from the package.")))
    }

    /// The part parsed as XML.
    pub fn xml(&self, name: &PartName) -> Result<xml::Xml, DocumentError> {
        let bytes = self.require(name)?;
        xml::Xml::parse(&bytes, &self.limits).map_err(|error| error.in_part(name))
    }

    /// The beginning of the part parsed as XML (`Xml::parse_head`).
    pub fn xml_head(&self, name: &PartName, wish: usize) -> Result<(xml::Xml, bool), DocumentError> {
        let bytes = self.require(name)?;
        xml::Xml::parse_head(&bytes, &self.limits, wish).map_err(|error| error.in_part(name))
    }

    /// Plans new bytes for a part that exists; the same bytes as the original's are no change.
    pub fn replace(&mut self, name: &PartName, bytes: Vec<u8>) -> Result<(), EditError> {
        if let Some(at) = self.added_at(name) {
            self.added[at].1 = Arc::new(bytes);
            return Ok(());
        }
        let index = self.editable_entry(name)?;
        if *self.read_original(index)? == bytes {
            self.replaced.remove(&index);
        } else {
            self.replaced.insert(index, Arc::new(bytes));
        }
        Ok(())
    }

    /// Plans a new part; its content type is set with an Override unless a Default already gives the same one.
    pub fn add(&mut self, name: &PartName, bytes: Vec<u8>, content_type: &str) -> Result<(), EditError> {
        if self.has(name) {
            return Err(EditError::new(EditErrorKind::Internal, format!("The part {name} exists already.")));
        }
        self.added_places.insert(name.canonical(), self.added.len());
        self.added.push((name.clone(), Arc::new(bytes)));
        if self.content_type(name)?.as_deref() != Some(content_type) {
            self.set_content_type(name, content_type)?;
        }
        Ok(())
    }

    /// Plans the removal of a part with its own relationships part and its Override. Relationships that point to it are the caller's.
    pub fn remove(&mut self, name: &PartName) -> Result<(), EditError> {
        for gone in [name.clone(), name.relationships_part()] {
            if let Some(at) = self.added_at(&gone) {
                self.added.remove(at);
                let places = self.added.iter().enumerate().map(|(at, (name, _))| (name.canonical(), at));
                self.added_places = places.collect();
            }
            if matches!(self.entry(&gone)?, Some(index) if !self.removed.contains(&index)) {
                let index = self.editable_entry(&gone)?;
                self.replaced.remove(&index);
                self.removed.insert(index);
            }
        }
        self.drop_content_type(name)
    }

    /// Of entries with one name only the last stays, which is the one that is read here; says whether there were others. Only for
    /// copies that are looked at and never saved.
    pub fn drop_shadowed(&mut self) -> bool {
        let names: Vec<PartName> = self
            .archive
            .entries
            .iter()
            .filter(|entry| !entry.is_folder())
            .map(|entry| PartName::new(&entry.name))
            .collect();
        let before = self.removed.len();
        for name in names {
            let found = self.archive.find(&name);
            self.removed.extend(found.iter().rev().skip(1));
        }
        self.removed.len() > before
    }

    /// The main part, by the package's `officeDocument` relationship.
    pub fn main_part(&self) -> Result<PartName, DocumentError> {
        let root = self.relationships(&PartName::root())?;
        let main = root.of_kind("officeDocument").find_map(|relationship| relationship.part());
        let main = main.filter(|part| self.has(part)).ok_or_else(|| {
            DocumentError::Damaged(
                "The package names no main document part, or the part it names is missing.".into(),
            )
        })?;
        if main.extension().eq_ignore_ascii_case("bin") {
            return Err(DocumentError::Unsupported(
                "The workbook is in the binary format (.xlsb). Save it as .xlsx first.".into(),
            ));
        }
        Ok(main)
    }

    /// Whether the package uses the Strict namespaces (ISO/IEC 29500-1) rather than the Transitional ones.
    pub fn is_strict(&self) -> Result<bool, DocumentError> {
        Ok(self.relationships(&PartName::root())?.items.iter().any(|relationship| relationship.is_strict()))
    }

    /// An unused part name of the form `{before}{N}{after}`, N from 1; orphans count as used.
    pub fn unused_name(&self, before: &str, after: &str) -> PartName {
        let mut number = 1;
        loop {
            let name = PartName::new(&format!("{before}{number}{after}"));
            let taken = !self.archive.find(&name).is_empty() || self.has(&name);
            if !taken {
                return name;
            }
            number += 1;
        }
    }

    /// What the user should know about any package: signatures and macros.
    pub fn notices(&self) -> Result<Vec<Warning>, DocumentError> {
        let mut notices = Vec::new();
        if self.relationships(&PartName::root())?.items.iter().any(|relationship| {
            relationship.kind == "digital-signature/origin" || relationship.kind == "origin"
        }) {
            notices.push(Warning::new(
                "has_signature",
                "The document is digitally signed; any edit makes the signature invalid.",
            ));
        }
        if self.part_names().iter().any(|name| name.file_name().eq_ignore_ascii_case("vbaProject.bin")) {
            notices.push(Warning::new(
                "has_macros",
                "The document holds macros; they are kept as they are and may refer to what is edited.",
            ));
        }
        Ok(notices)
    }

    /// Whether anything is planned.
    pub fn is_changed(&self) -> bool {
        !(self.replaced.is_empty() && self.added.is_empty() && self.removed.is_empty())
    }

    /// Writes the result and proves it: reopened, untouched entries identical, touched parts well-formed, parts as planned,
    /// relationships still resolving. Without a change the original bytes come back.
    pub fn finish(&self) -> Result<Saved, EditError> {
        if !self.is_changed() {
            let report = PackageReport { parts: self.part_names().len(), ..PackageReport::default() };
            return Ok(Saved { bytes: self.source.to_vec(), report });
        }
        let written = write::write(self, Reuse::Blocks)?;
        let written = match gate::check(self, &written) {
            Err(_) if !written.seams.is_empty() => {
                // Sharing blocks is only a matter of speed: without it the result must stand, or the fault is in the edit.
                let plain = write::write(self, Reuse::Nothing)?;
                gate::check(self, &plain)?;
                plain
            }
            checked => checked.map(|()| written)?,
        };
        Ok(Saved { bytes: written.bytes, report: self.report() })
    }

    fn report(&self) -> PackageReport {
        let original_name = |index: &usize| PartName::new(&self.archive.entries[*index].name).to_string();
        PackageReport {
            parts: self.part_names().len(),
            changed: self.replaced.keys().map(original_name).collect(),
            added: self.added.iter().map(|(name, _)| name.to_string()).collect(),
            removed: self.removed.iter().map(original_name).collect(),
        }
    }

    fn entry(&self, name: &PartName) -> Result<Option<usize>, DocumentError> {
        Ok(self.archive.find(name).last().copied())
    }

    fn editable_entry(&self, name: &PartName) -> Result<usize, EditError> {
        let found = self.archive.find(name);
        let live: Vec<usize> = found.iter().copied().filter(|index| !self.removed.contains(index)).collect();
        match live.as_slice() {
            [] if found.is_empty() => {
                Err(EditError::new(EditErrorKind::Internal, format!("There is no part {name} to change.")))
            }
            [] => Err(EditError::new(EditErrorKind::Internal, format!("The part {name} was removed before."))),
            [index] if self.archive.entries[*index].has_other_header => Err(EditError::new(
                EditErrorKind::WouldDamage,
                format!("The package names the part {name} differently in two places, and programs disagree on which one counts."),
            )
            .hint("Open and save the document in the program it came from, then try again.")),
            [index] => Ok(*index),
            _ => Err(EditError::new(
                EditErrorKind::WouldDamage,
                format!("The package holds the part {name} more than once, and programs disagree on which one counts."),
            )
            .hint("Open and save the document in the program it came from, then try again.")),
        }
    }

    fn read_entry(&self, index: usize) -> Result<PartBytes, DocumentError> {
        match self.replaced.get(&index) {
            Some(bytes) => Ok(bytes.clone()),
            None => self.read_original(index),
        }
    }

    fn read_original(&self, index: usize) -> Result<PartBytes, DocumentError> {
        if let Some(bytes) = self.inflated.borrow().get(&index) {
            return Ok(bytes.clone());
        }
        let entry = &self.archive.entries[index];
        let left = self.limits.total_bytes.saturating_sub(*self.spent.borrow());
        let (bytes, marks) = inflate::inflate(self.source, entry, self.limits.part_bytes.min(left))?;
        if bytes.len() >= write::LARGE {
            self.marks.borrow_mut().insert(index, marks);
        }
        let bytes = Arc::new(bytes);
        *self.spent.borrow_mut() += bytes.len() as u64;
        self.inflated.borrow_mut().insert(index, bytes.clone());
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests;
