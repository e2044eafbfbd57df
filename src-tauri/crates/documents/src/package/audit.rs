//! A walk over a whole package that says everything unsound about its container: what an editor must never add to.
//!
//! It judges a package as found, so real files have findings of their own; compare before and after an edit.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Package, PartName,
    xml::{NodeKind, Ns, Xml},
};
use crate::{DocumentError, Limits};

/// One unsound thing, as a sentence that names its parts.
pub type Finding = String;

/// Everything unsound about a package's container: names, types, relationships, references, well-formedness.
pub fn audit(bytes: &[u8], limits: &Limits) -> Result<BTreeSet<Finding>, DocumentError> {
    let package = Package::open(bytes, limits)?;
    let mut findings = BTreeSet::new();
    let parts = names(&package, &mut findings);
    types(&package, &parts, &mut findings)?;
    let mut reached = BTreeSet::new();
    let mut waiting = vec![PartName::root()];
    while let Some(source) = waiting.pop() {
        for target in links(&package, &source, &mut findings)? {
            if reached.insert(target.canonical()) {
                waiting.push(target);
            }
        }
    }
    for part in parts.values().filter(|part| !reached.contains(&part.canonical())) {
        findings.insert(format!("nothing leads to {part}"));
    }
    for part in parts.values() {
        references(&package, part, &mut findings)?;
    }
    Ok(findings)
}

/// The parts that are neither relationships nor the types part, by canonical name.
fn names(package: &Package<'_>, findings: &mut BTreeSet<Finding>) -> BTreeMap<String, PartName> {
    let mut parts = BTreeMap::new();
    for part in package.part_names() {
        if part.same(&PartName::content_types()) {
            continue;
        }
        if let Some(source) = part.relationships_source() {
            if source != PartName::root() && !package.has(&source) {
                findings.insert(format!("{part} belongs to no part"));
            }
        } else if parts.insert(part.canonical(), part.clone()).is_some() {
            findings.insert(format!("{part} is there more than once"));
        }
    }
    parts
}

fn types(
    package: &Package<'_>,
    parts: &BTreeMap<String, PartName>,
    findings: &mut BTreeSet<Finding>,
) -> Result<(), DocumentError> {
    let xml = package.xml(&PartName::content_types())?;
    let mut overrides = BTreeSet::new();
    let mut defaults = BTreeSet::new();
    for element in xml.children(xml.root()) {
        let value = |name| xml.value(element, Ns::None, name).unwrap_or_default();
        if xml.is(element, Ns::ContentTypes, "Default") {
            if !defaults.insert(value("Extension").to_lowercase()) {
                findings.insert(format!("the extension {} has two default types", value("Extension")));
            }
        } else if xml.is(element, Ns::ContentTypes, "Override") {
            let part = PartName::new(&value("PartName"));
            if !package.has(&part) {
                findings.insert(format!("{part} has a content type but is not there"));
            }
            if !overrides.insert(part.canonical()) {
                findings.insert(format!("{part} has two content types"));
            }
        }
    }
    for (name, part) in parts {
        if !overrides.contains(name) && !defaults.contains(&part.extension().to_lowercase()) {
            findings.insert(format!("{part} has no content type"));
        }
    }
    Ok(())
}

/// The parts that a source points to.
fn links(
    package: &Package<'_>,
    source: &PartName,
    findings: &mut BTreeSet<Finding>,
) -> Result<Vec<PartName>, DocumentError> {
    let mut ids = BTreeSet::new();
    let mut targets = Vec::new();
    for relationship in package.relationships(source)?.items {
        if !ids.insert(relationship.id.clone()) {
            findings.insert(format!("{source} has two relationships {}", relationship.id));
        }
        match relationship.part() {
            Some(target) if package.has(&target) => targets.push(target),
            Some(target) => {
                findings
                    .insert(format!("{source} points to {target} ({}), which is not there", relationship.id));
            }
            None => {}
        }
    }
    Ok(targets)
}

/// Every `r:…` attribute of a part names one of its relationships.
fn references(
    package: &Package<'_>,
    part: &PartName,
    findings: &mut BTreeSet<Finding>,
) -> Result<(), DocumentError> {
    if !part.extension().eq_ignore_ascii_case("xml") {
        return Ok(());
    }
    let bytes = package.require(part)?;
    let xml = match Xml::parse(&bytes, package.limits()) {
        Ok(xml) => xml,
        Err(error) => {
            findings.insert(format!("{part}: {error}"));
            return Ok(());
        }
    };
    let relationships = package.relationships(part)?;
    let elements = xml.descendants(xml.root()).filter(|node| xml.kind(*node) == NodeKind::Element);
    for attribute in elements.flat_map(|element| xml.attributes(element)) {
        let is_reference = attribute.namespace == Ns::R && !attribute.value.is_empty();
        if is_reference && relationships.by_id(&attribute.value).is_none() {
            findings
                .insert(format!("{part} refers to {}, which it has no relationship for", attribute.value));
        }
    }
    Ok(())
}
