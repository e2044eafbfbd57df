//! Formulas: tokens with their places in the text, references and how edits move them. Pure text in, text out.
//!
//! A formula here is what stands in the file: A1 notation, English names, no leading `=`. Only the bytes of references that change
//! are rewritten. What no token is understood to be is passed through untouched.

pub(super) mod references;
pub(super) mod rewrite;
pub(super) mod shift;
pub(super) mod structured;
pub(super) mod tokens;

pub(super) use references::{Corner, Form, Prefix, Reference};
pub(super) use rewrite::{Replacement, rewrite};
pub(super) use shift::{LineEdit, Verb};
pub(super) use tokens::{Token, TokenKind, tokens};

use crate::{EditError, error::EditErrorKind};

/// A formula as it stands in the file, from what a user wrote with its leading `=`.
pub(super) fn from_user(text: &str) -> Result<String, EditError> {
    let formula = text.trim().strip_prefix('=').map(str::trim).filter(|formula| !formula.is_empty());
    formula.map(str::to_owned).ok_or_else(|| {
        let message = format!("“{text}” is no formula: it must begin with `=`.");
        EditError::new(EditErrorKind::InvalidArguments, message)
    })
}
