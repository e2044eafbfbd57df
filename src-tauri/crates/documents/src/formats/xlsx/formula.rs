//! Formulas: how they are read from a user and written to the file.

use crate::{EditError, error::EditErrorKind};

/// A formula as it stands in the file, from what a user wrote with its leading `=`.
pub(super) fn from_user(text: &str) -> Result<String, EditError> {
    let formula = text.trim().strip_prefix('=').map(str::trim).filter(|formula| !formula.is_empty());
    formula.map(str::to_owned).ok_or_else(|| {
        EditError::new(
            EditErrorKind::InvalidArguments,
            format!("“{text}” is no formula: it must begin with `=`."),
        )
    })
}
