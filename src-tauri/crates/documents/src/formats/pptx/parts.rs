//! Planned changes of several parts at once: each part parsed once, its splices collected, all written together.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use crate::{
    DocumentError, EditError,
    package::{
        Package, PartName,
        xml::{Splices, Xml},
    },
};

/// Parsed parts of a package that is not changed meanwhile.
pub(super) struct Parts<'p, 'a> {
    pub(super) package: &'p Package<'a>,
    parsed: RefCell<BTreeMap<PartName, Rc<Xml>>>,
}

impl<'p, 'a> Parts<'p, 'a> {
    pub(super) fn of(package: &'p Package<'a>) -> Self {
        Parts { package, parsed: RefCell::default() }
    }

    /// The part as XML.
    pub(super) fn xml(&self, part: &PartName) -> Result<Rc<Xml>, DocumentError> {
        if let Some(xml) = self.parsed.borrow().get(part) {
            return Ok(xml.clone());
        }
        let xml = Rc::new(self.package.xml(part)?);
        self.parsed.borrow_mut().insert(part.clone(), xml.clone());
        Ok(xml)
    }
}

/// What an operation is going to write.
#[derive(Default)]
pub(super) struct Plan {
    splices: BTreeMap<PartName, Splices>,
    replaced: BTreeMap<PartName, Vec<u8>>,
}

impl Plan {
    /// The splices of a part.
    pub(super) fn splices(&mut self, part: &PartName) -> &mut Splices {
        self.splices.entry(part.clone()).or_default()
    }

    /// New bytes for a whole part (a workbook inside the deck).
    pub(super) fn replace(&mut self, part: &PartName, bytes: Vec<u8>) {
        self.replaced.insert(part.clone(), bytes);
    }

    /// The bytes planned for a whole part.
    pub(super) fn replaced(&self, part: &PartName) -> Option<&[u8]> {
        self.replaced.get(part).map(Vec::as_slice)
    }

    /// The new bytes of every part, ready to be put into the package.
    pub(super) fn finish(self, parts: &Parts<'_, '_>) -> Result<Vec<(PartName, Vec<u8>)>, EditError> {
        let mut written: Vec<(PartName, Vec<u8>)> = self.replaced.into_iter().collect();
        for (part, splices) in self.splices {
            if !splices.is_empty() {
                let bytes = parts.xml(&part)?.write(splices)?;
                written.push((part, bytes));
            }
        }
        Ok(written)
    }
}
