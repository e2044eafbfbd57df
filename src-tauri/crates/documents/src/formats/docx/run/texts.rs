//! Characters of a run that is written anew, collected into `w:t` elements with the white-space rule that each needs.

use super::{
    super::markup::{OUR_SPACE, has_edge_space},
    RunWriter,
};
use crate::{
    EditError,
    package::xml::{NodeId, Ns, escape_text},
};

/// A `w:t` being written.
pub(super) struct OpenText {
    pub(super) holder: Option<NodeId>,
    pub(super) raw: String,
    pub(super) decoded: String,
    /// A piece of this `w:t` was written before.
    pub(super) reopened: bool,
}

/// Collects characters into `w:t` elements.
pub(super) struct Texts<'w, 'x> {
    pub(super) writer: &'w RunWriter<'x>,
    pub(super) element: &'static str,
    pub(super) open: Option<OpenText>,
    /// The `w:t` elements of which a piece is already out.
    pub(super) written: Vec<NodeId>,
    /// A glyph between two `w:t` went: they may become one.
    pub(super) may_join: bool,
}

impl Texts<'_, '_> {
    pub(super) fn add(&mut self, holder: NodeId, raw: &str, decoded: &str, out: &mut String) {
        let joins = self.open.as_ref().is_some_and(|open| match open.holder {
            None => true,
            Some(other) => other == holder || self.may_join && self.same_tag(other, holder),
        });
        if !joins {
            self.close(out);
        }
        let reopened = self.written.contains(&holder);
        let open = self.open.get_or_insert(OpenText {
            holder: Some(holder),
            raw: String::new(),
            decoded: String::new(),
            reopened,
        });
        if open.holder.is_none() {
            (open.holder, open.reopened) = (Some(holder), reopened);
        }
        open.raw.push_str(raw);
        open.decoded.push_str(decoded);
    }

    pub(super) fn add_new(&mut self, text: &str) -> Result<(), EditError> {
        let escaped = escape_text(text)?;
        let open = self.open.get_or_insert(OpenText {
            holder: None,
            raw: String::new(),
            decoded: String::new(),
            reopened: false,
        });
        open.raw.push_str(&escaped);
        open.decoded.push_str(text);
        Ok(())
    }

    pub(super) fn close(&mut self, out: &mut String) {
        self.may_join = false;
        let Some(open) = self.open.take() else { return };
        if open.raw.is_empty() && (open.reopened || open.holder.is_none()) {
            return;
        }
        let name = format!("{}{}", self.writer.names.element, self.element);
        let attributes = self.attributes(&open);
        let end = match open.holder {
            Some(holder) if self.element == "t" => self.writer.end_tag(holder),
            _ => format!("</{name}>"),
        };
        out.push_str(&format!("<{name}{attributes}>{}{end}", open.raw));
        self.written.extend(open.holder);
    }

    /// The attributes of a `w:t` with the white-space rule that its new text needs.
    fn attributes(&self, open: &OpenText) -> String {
        let needs = has_edge_space(&open.decoded);
        let Some(holder) = open.holder else { return if needs { OUR_SPACE.into() } else { String::new() } };
        let (bare, space) = self.parted(holder);
        if open.reopened {
            return format!("{bare}{OUR_SPACE}");
        }
        match space {
            Some(ours) if ours == OUR_SPACE && !needs && !open.decoded.is_empty() => bare,
            Some(_) => self.raw_attributes(holder).to_owned(),
            // Text that had white space at its edge without the attribute goes on without it.
            None if needs && !has_edge_space(&self.writer.xml.text(holder)) => {
                format!("{}{OUR_SPACE}", self.raw_attributes(holder))
            }
            None => self.raw_attributes(holder).to_owned(),
        }
    }

    /// Nothing was written and nothing is left to write in a `w:t` that we made: the run was ours and goes.
    pub(super) fn is_spent(&self) -> bool {
        let Some(OpenText { holder: Some(holder), raw, .. }) = &self.open else { return false };
        raw.is_empty() && self.written.is_empty() && self.parted(*holder).1.as_deref() == Some(OUR_SPACE)
    }

    fn raw_attributes(&self, holder: NodeId) -> &str {
        let xml = self.writer.xml;
        let tag = xml.slice(xml.start_tag(holder));
        let inner = tag.strip_suffix("/>").or_else(|| tag.strip_suffix('>')).unwrap_or(tag);
        &inner[1 + xml.qualified_name(holder).len()..]
    }

    /// The attributes without `xml:space`, and that one as written.
    fn parted(&self, holder: NodeId) -> (String, Option<String>) {
        let xml = self.writer.xml;
        match xml.attribute(holder, Ns::Xml, "space") {
            Some(space) => {
                let written = xml.slice(space.whole.clone());
                (self.raw_attributes(holder).replacen(written, "", 1), Some(written.to_owned()))
            }
            None => (self.raw_attributes(holder).to_owned(), None),
        }
    }

    fn same_tag(&self, one: NodeId, other: NodeId) -> bool {
        self.parted(one).0.trim() == self.parted(other).0.trim()
    }
}
