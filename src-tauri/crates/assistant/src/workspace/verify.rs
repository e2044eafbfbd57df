//! Is a document sound, and which parts of it differ from another version: the facts behind `stet verify`.
//!
//! A package is judged as it is. Files made by other programs have oddities of their own; what counts after an edit is that none came.

use std::collections::BTreeSet;

use documents::{
    DocumentError, Format, Limits, OutlineRequest, PackageReport,
    package::{Package, PartName},
};

use super::{Stop, Workspace, WorkspaceError};

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// Every XML part can be read.
    pub well_formed: bool,
    /// Every internal relationship leads to a part.
    pub relationships: bool,
    /// What is wrong, in sentences.
    pub problems: Vec<String>,
    /// What is unsound beyond that; against another version, what that has not.
    pub findings: Vec<String>,
    /// Against another version, for Office files.
    pub package: Option<PackageReport>,
}

impl Workspace {
    /// Checks a file, and says which parts differ from `against`.
    pub fn verify(
        &self,
        file_id: &str,
        against: Option<&[u8]>,
        stop: &Stop,
    ) -> Result<Verified, WorkspaceError> {
        let (file, content) = self.current(&self.known(file_id)?, stop)?;
        let limits = &self.options.limits;
        if !file.format().is_package() {
            self.outline_bytes(&file, &content.bytes, &OutlineRequest { range: None, budget: 4_096 }, stop)?;
            return Ok(Verified { well_formed: true, relationships: true, ..Verified::default() });
        }
        let mut verified = check_package(&content.bytes, limits, stop)?;
        stop.check()?;
        verified.findings = findings(file.format(), &content.bytes, against, limits)?;
        stop.check()?;
        verified.package =
            against.map(|other| package_report(other, &content.bytes, limits, stop)).transpose()?;
        Ok(verified)
    }
}

/// Sentences that are among the problems already are not said twice.
fn findings(
    format: Format,
    bytes: &[u8],
    against: Option<&[u8]>,
    limits: &Limits,
) -> Result<Vec<String>, DocumentError> {
    let known = match against {
        Some(other) => documents::audit(format, other, limits)?,
        None => BTreeSet::new(),
    };
    let found = documents::audit(format, bytes, limits)?;
    let is_told =
        |finding: &str| finding.contains(" points to ") && finding.ends_with("), which is not there");
    Ok(found.difference(&known).filter(|finding| !is_told(finding)).cloned().collect())
}

fn check_package(bytes: &[u8], limits: &Limits, stop: &Stop) -> Result<Verified, WorkspaceError> {
    let package = Package::open(bytes, limits)?;
    let mut malformed: Vec<String> = Vec::new();
    let mut dangling: Vec<String> = Vec::new();
    for part in package.part_names() {
        stop.check()?;
        let is_xml = ["xml", "rels"].contains(&part.extension().to_ascii_lowercase().as_str());
        let read = if is_xml { package.xml(&part).map(drop) } else { package.require(&part).map(drop) };
        if let Err(error) = read {
            malformed.push(error.to_string());
        }
    }
    let mut sources = package.part_names();
    sources.push(PartName::root());
    for source in sources {
        stop.check()?;
        let Ok(relationships) = package.relationships(&source) else { continue };
        for relationship in relationships.items {
            if let Some(target) = relationship.part()
                && !package.has(&target)
            {
                dangling
                    .push(format!("{source} points to {target} ({}), which is not there.", relationship.id));
            }
        }
    }
    let (well_formed, relationships) = (malformed.is_empty(), dangling.is_empty());
    malformed.append(&mut dangling);
    Ok(Verified { well_formed, relationships, problems: malformed, ..Verified::default() })
}

/// Which parts of `after` differ from those of `before`, by their content.
pub(super) fn package_report(
    before: &[u8],
    after: &[u8],
    limits: &Limits,
    stop: &Stop,
) -> Result<PackageReport, WorkspaceError> {
    let (before, after) = (Package::open(before, limits)?, Package::open(after, limits)?);
    let parts = after.part_names();
    let mut report = PackageReport { parts: parts.len(), ..PackageReport::default() };
    for part in &parts {
        stop.check()?;
        match before.read(part)? {
            None => report.added.push(part.to_string()),
            Some(old) => {
                let new = after.require(part)?;
                if old != new {
                    report.changed.push(part.to_string());
                }
            }
        }
    }
    let gone = before.part_names().into_iter().filter(|part| !after.has(part));
    report.removed = gone.map(|part| part.to_string()).collect();
    Ok(report)
}
