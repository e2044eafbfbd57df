//! Writing WordprocessingML: the prefixes that a place binds, text with its special characters, new runs.
//!
//! Single quotes are our memory. Word and every common producer write attributes in double quotes; an `xml:space` in single quotes was
//! put there by us and is taken back when it is no longer needed, so that an edit and its opposite give the old bytes.

use crate::{
    EditError,
    package::xml::{NodeId, Ns, Xml, escape_text},
};

/// The `xml:space` that we add, with the blank before it.
pub(super) const OUR_SPACE: &str = " xml:space='preserve'";

/// How WordprocessingML names are written at a place.
#[derive(Debug, Clone)]
pub(super) struct Names {
    /// The prefix of elements with its colon, or nothing.
    pub(super) element: String,
    /// The prefix of attributes with its colon.
    pub(super) attribute: String,
    /// A namespace declaration that a new top element needs, with the blank before it; mostly nothing.
    pub(super) declaration: String,
}

impl Names {
    /// The names to use inside or beside an element of WordprocessingML.
    pub(super) fn at(xml: &Xml, element: NodeId) -> Names {
        let prefix = xml.prefix(element).to_owned();
        if !prefix.is_empty() {
            return Names { attribute: prefix.clone(), element: prefix, declaration: String::new() };
        }
        match xml.attribute_prefix_for(element, Ns::W) {
            Some(attribute) => Names { element: prefix, attribute, declaration: String::new() },
            None => {
                let uri = xml.namespace_of_prefix(element, "").unwrap_or(Ns::W.uri(false));
                let declaration = format!(" xmlns:w=\"{uri}\"");
                Names { element: prefix, attribute: "w:".into(), declaration }
            }
        }
    }

    /// The names for a new sibling of an element, which may have declared its prefix itself.
    pub(super) fn beside(xml: &Xml, element: NodeId) -> Names {
        let mut names = Names::at(xml, element);
        let prefix = names.element.trim_end_matches(':').to_owned();
        let uri = xml.namespace_of_prefix(element, &prefix).unwrap_or_default();
        let outside = xml.parent(element).and_then(|parent| xml.namespace_of_prefix(parent, &prefix));
        if outside != Some(uri) {
            let name = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
            names.declaration = format!(" {name}=\"{uri}\"{}", names.declaration);
        }
        names
    }

    /// `<w:name/>`.
    pub(super) fn empty(&self, name: &str) -> String {
        format!("<{}{name}/>", self.element)
    }

    /// `<w:name w:val="…"/>`; the value must need no escaping.
    pub(super) fn valued(&self, name: &str, value: &str) -> String {
        format!("<{}{name}{} {}val=\"{value}\"/>", self.element, self.declaration, self.attribute)
    }

    /// `<w:name>content</w:name>`.
    pub(super) fn wrap(&self, name: &str, content: &str) -> String {
        format!("<{0}{name}>{content}</{0}{name}>", self.element)
    }

    /// A text element of its own: `w:t` or `w:delText`.
    pub(super) fn text(&self, name: &str, text: &str) -> Result<String, EditError> {
        let space = if has_edge_space(text) { OUR_SPACE } else { "" };
        Ok(format!("<{0}{name}{space}>{1}</{0}{name}>", self.element, escape_text(text)?))
    }

    /// The children of a run that show `text`.
    pub(super) fn run_content(&self, text: &str) -> Result<String, EditError> {
        pieces(text).into_iter().map(|piece| self.piece(&piece)).collect()
    }

    pub(super) fn piece(&self, piece: &Piece<'_>) -> Result<String, EditError> {
        match piece {
            Piece::Text(text) => self.text("t", text),
            Piece::Glyph(name) => Ok(self.empty(name)),
        }
    }

    /// A run that the opposite edit can take away again: its first text carries our quotes even where no white space asks for them.
    pub(super) fn revocable_run(&self, properties: &str, text: &str) -> Result<String, EditError> {
        let bare = format!("<{}t>", self.element);
        let marked = format!("<{}t{OUR_SPACE}>", self.element);
        Ok(self.run(properties, text)?.replacen(&bare, &marked, 1))
    }

    /// A run; `properties` is a whole `w:rPr` or nothing.
    pub(super) fn run(&self, properties: &str, text: &str) -> Result<String, EditError> {
        Ok(self.wrap("r", &format!("{properties}{}", self.run_content(text)?)))
    }
}

/// A piece of text as a run holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Text(&'t str),
    /// The local name of the element that stands for the character.
    Glyph(&'static str),
}

fn glyph_name(character: char) -> Option<&'static str> {
    match character {
        '\t' => Some("tab"),
        '\n' => Some("br"),
        '\u{2011}' => Some("noBreakHyphen"),
        '\u{AD}' => Some("softHyphen"),
        _ => None,
    }
}

/// Cuts text at the characters that are elements.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, character) in text.char_indices() {
        if let Some(name) = glyph_name(character) {
            if start < at {
                pieces.push(Piece::Text(&text[start..at]));
            }
            pieces.push(Piece::Glyph(name));
            start = at + character.len_utf8();
        }
    }
    if start < text.len() {
        pieces.push(Piece::Text(&text[start..]));
    }
    pieces
}

/// Whether white space at an edge would be lost without `xml:space` (ECMA-376-1, 17.3.3.31).
pub(super) fn has_edge_space(text: &str) -> bool {
    let is_space = |character: char| matches!(character, ' ' | '\t' | '\n' | '\r');
    text.starts_with(is_space) || text.ends_with(is_space)
}

/// Text as callers give it: line ends in any form are line feeds.
pub(super) fn normalized(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Cuts text at blank lines; line ends around the cuts go.
pub(super) fn paragraphs_of(text: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    for line in text.split('\n').chain([""]) {
        if line.trim_matches([' ', '\t']).is_empty() {
            if !lines.is_empty() {
                paragraphs.push(lines.join("\n"));
                lines.clear();
            }
        } else {
            lines.push(line);
        }
    }
    if paragraphs.is_empty() {
        paragraphs.push(text.trim_matches('\n').to_owned());
    }
    paragraphs
}

/// The byte in the raw text of a text node that its decoded byte `offset` comes from.
pub(super) fn raw_offset(raw: &str, offset: usize) -> usize {
    let (mut decoded, mut at) = (0, 0);
    while decoded < offset && at < raw.len() {
        let rest = &raw[at..];
        let (raw_length, decoded_length) = match rest.as_bytes() {
            [b'&', ..] => {
                let end = rest.find(';').map_or(rest.len(), |end| end + 1);
                (end, crate::package::xml::unescape(&rest[..end]).len())
            }
            [b'\r', b'\n', ..] => (2, 1),
            [b'\r', ..] => (1, 1),
            _ => {
                let length = rest.chars().next().map_or(1, char::len_utf8);
                (length, length)
            }
        };
        at += raw_length;
        decoded += decoded_length;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_positions_step_over_references_and_line_ends() {
        let raw = "a&amp;b\r\nc&#x4E2D;d";
        let decoded = crate::package::xml::unescape(raw).into_owned();
        for (offset, character) in decoded.char_indices() {
            let tail = crate::package::xml::unescape(&raw[raw_offset(raw, offset)..]).into_owned();
            assert!(tail.starts_with(character), "{offset}: {tail}");
        }
        assert_eq!(raw_offset(raw, decoded.len()), raw.len());
    }

    #[test]
    fn blank_lines_part_paragraphs() {
        assert_eq!(paragraphs_of("a\nb\n\nc\n \nd\n"), ["a\nb", "c", "d"]);
        assert_eq!(paragraphs_of("a"), ["a"]);
        assert_eq!(paragraphs_of(""), [""]);
    }

    #[test]
    fn special_characters_are_elements() {
        use Piece::{Glyph, Text};
        assert_eq!(pieces("a\tb\n"), [Text("a"), Glyph("tab"), Text("b"), Glyph("br")]);
        assert_eq!(pieces(""), []);
    }
}
