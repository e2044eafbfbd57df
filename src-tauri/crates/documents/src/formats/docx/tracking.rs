//! Tracked changes as we write them (ECMA-376-1, 17.13.5): insertions and deletions with id, author and date.
//!
//! Which runs we had to cut is remembered in the quotes of our own marks: `w:id='…'` says that the run was cut before the mark,
//! `w:date='…'` that it was cut after it, so that a rejection can join the run again exactly as it was. Word rewrites the quotes when
//! it saves, and then the pieces simply stay apart.

use std::cell::Cell;

use super::markup::Names;
use crate::{EditError, package::xml::escape_attribute};

/// Who changes what when, and the next free annotation id.
pub(super) struct Tracking<'a> {
    /// As given, for comparing with the document.
    pub(super) author: &'a str,
    escaped_author: String,
    escaped_date: String,
    next_id: Cell<u64>,
}

/// Which edges of a mark lie inside what was one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cuts {
    pub(super) before: bool,
    pub(super) after: bool,
}

impl<'a> Tracking<'a> {
    pub(super) fn new(author: &'a str, date: &str, first_id: u64) -> Result<Self, EditError> {
        Ok(Tracking {
            author,
            escaped_author: escape_attribute(author)?,
            escaped_date: escape_attribute(date)?,
            next_id: Cell::new(first_id),
        })
    }

    pub(super) fn take_id(&self) -> u64 {
        let id = self.next_id.get();
        self.next_id.set(id + 1);
        id
    }

    /// The attributes of a new mark.
    pub(super) fn attributes(&self, names: &Names, cuts: Cuts) -> String {
        let quote = |cut: bool| if cut { '\'' } else { '"' };
        let (id_quote, date_quote) = (quote(cuts.before), quote(cuts.after));
        let a = &names.attribute;
        format!(
            "{} {a}id={id_quote}{}{id_quote} {a}author=\"{}\" {a}date={date_quote}{}{date_quote}",
            names.declaration,
            self.take_id(),
            self.escaped_author,
            self.escaped_date
        )
    }

    /// Content wrapped in `w:ins`.
    pub(super) fn insertion(&self, names: &Names, content: &str) -> String {
        self.wrap("ins", names, Cuts::default(), content)
    }

    pub(super) fn wrap(&self, kind: &str, names: &Names, cuts: Cuts, content: &str) -> String {
        format!("<{0}{kind}{1}>{content}</{0}{kind}>", names.element, self.attributes(names, cuts))
    }

    /// A mark without content, for paragraph marks and rows.
    pub(super) fn mark(&self, kind: &str, names: &Names, cuts: Cuts) -> String {
        format!("<{}{kind}{}/>", names.element, self.attributes(names, cuts))
    }
}
