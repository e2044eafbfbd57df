//! What the settings part says about editing: tracking switched on, protection.

use super::styles::{has_switch, is_on};
use crate::{
    DocumentError,
    package::{Package, xml::Ns},
};

/// Which edits a protected document allows (ECMA-376-1, 17.15.1.29).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protection {
    None,
    ReadOnly,
    CommentsOnly,
    TrackedOnly,
    FormsOnly,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) track_revisions: bool,
    pub(super) protection: Protection,
    /// A password or a recommendation guards writing; nothing that an editor must enforce.
    pub(super) write_protection: bool,
}

impl Settings {
    pub(super) fn read(package: &Package<'_>) -> Result<Settings, DocumentError> {
        let mut settings =
            Settings { track_revisions: false, protection: Protection::None, write_protection: false };
        let main = package.main_part()?;
        let part = package.relationships(&main)?.part_of_kind("settings").filter(|part| package.has(part));
        let Some(Ok(xml)) = part.map(|part| package.xml(&part)) else { return Ok(settings) };
        let root = xml.root();
        settings.track_revisions = has_switch(&xml, root, "trackRevisions");
        settings.write_protection = xml.child(root, Ns::W, "writeProtection").is_some();
        if let Some(element) = xml.child(root, Ns::W, "documentProtection") {
            let value = |name| xml.value(element, Ns::W, name);
            let enforced = value("enforcement").is_some_and(|value| is_on(&value));
            settings.protection = match value("edit").as_deref() {
                Some("readOnly") if enforced => Protection::ReadOnly,
                Some("comments") if enforced => Protection::CommentsOnly,
                Some("trackedChanges") if enforced => Protection::TrackedOnly,
                Some("forms") if enforced => Protection::FormsOnly,
                _ => Protection::None,
            };
        }
        Ok(settings)
    }
}
