//! What is unsound about a document as found: the walk over its container, and that of its format where there is one.
//!
//! It only reads and judges. Real files have findings of their own; after an edit, what counts is that none came.

use std::collections::BTreeSet;

use crate::{
    DocumentError, Format, Limits, formats,
    package::{self, Finding},
};

/// Everything unsound about a document; nothing for text.
pub fn audit(format: Format, bytes: &[u8], limits: &Limits) -> Result<BTreeSet<Finding>, DocumentError> {
    if !format.is_package() {
        return Ok(BTreeSet::new());
    }
    let mut findings = package::audit(bytes, limits)?;
    match format {
        Format::Pptx => findings.extend(formats::pptx::audit(bytes, limits)?),
        Format::Text | Format::Xlsx | Format::Docx => {}
    }
    Ok(findings)
}
