//! Paragraph properties for new paragraphs: what is inherited from a neighbour, and what never is.

use super::{
    index::Index,
    markup::Names,
    rewrite::{mark_properties, run_properties},
    styles::{Style, StyleKind, Styles},
    tracking::{Cuts, Tracking},
    view::{AtomKind, ScopeKind, View},
};
use crate::{
    EditError, Place,
    edit::Position,
    error::EditErrorKind,
    package::xml::{NodeId, Ns, Xml, escape_attribute},
};

/// What a new paragraph is made with.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Look {
    /// The children of `w:pPr` that come before its `w:rPr`.
    pub(super) body: String,
    /// The children of the paragraph mark's `w:rPr`.
    pub(super) mark: String,
    /// The `w:rPr` of its run, or nothing.
    pub(super) run: String,
}

impl Look {
    /// A look that is only a style; the default style needs no word.
    pub(super) fn of_style(style: &Style, names: &Names) -> Result<Look, EditError> {
        let body = match style.is_default && style.kind == StyleKind::Paragraph {
            true => String::new(),
            false => names.valued("pStyle", &escape_attribute(&style.id)?),
        };
        Ok(Look { body, ..Look::default() })
    }

    /// `w:pPr` or nothing; a tracked paragraph says so in its mark.
    fn properties(&self, names: &Names, inserted: &str) -> String {
        let mark = match inserted.is_empty() && self.mark.is_empty() {
            true => String::new(),
            false => names.wrap("rPr", &format!("{inserted}{}", self.mark)),
        };
        match self.body.is_empty() && mark.is_empty() {
            true => String::new(),
            false => names.wrap("pPr", &format!("{}{mark}", self.body)),
        }
    }

    /// A whole paragraph that shows `text`.
    pub(super) fn paragraph(
        &self,
        names: &Names,
        text: &str,
        tracking: Option<&Tracking<'_>>,
    ) -> Result<String, EditError> {
        let run = if text.is_empty() { String::new() } else { names.run(&self.run, text)? };
        self.paragraph_around(names, &run, tracking)
    }

    /// A whole paragraph around runs, which a tracked paragraph wraps.
    fn paragraph_around(
        &self,
        names: &Names,
        runs: &str,
        tracking: Option<&Tracking<'_>>,
    ) -> Result<String, EditError> {
        let wrapped = match tracking.filter(|_| !runs.is_empty()) {
            None => runs.to_owned(),
            Some(tracking) => tracking.insertion(names, runs),
        };
        self.finished_paragraph(names, &wrapped, tracking)
    }

    /// A whole paragraph around finished content.
    pub(super) fn finished_paragraph(
        &self,
        names: &Names,
        content: &str,
        tracking: Option<&Tracking<'_>>,
    ) -> Result<String, EditError> {
        let inserted =
            tracking.map_or_else(String::new, |tracking| tracking.mark("ins", names, Cuts::default()));
        let properties = self.properties(names, &inserted);
        Ok(format!("<{0}p{1}>{properties}{content}</{0}p>", names.element, names.declaration))
    }
}

/// The style of a paragraph, its own or the document's default.
pub(super) fn style_of<'s>(xml: &Xml, styles: &'s Styles, paragraph: NodeId) -> Option<&'s Style> {
    let properties = xml.child(paragraph, Ns::W, "pPr");
    let own = properties
        .and_then(|properties| xml.child(properties, Ns::W, "pStyle"))
        .and_then(|style| xml.value(style, Ns::W, "val"));
    own.and_then(|id| styles.by_id(&id)).or_else(|| styles.default_paragraph())
}

/// A paragraph style by name, or the refusal that lists what there is.
pub(super) fn named_style<'s>(styles: &'s Styles, name: &str) -> Result<&'s Style, EditError> {
    if let Some(style) = styles.find(name, StyleKind::Paragraph) {
        return Ok(style);
    }
    // A linked character style means its paragraph twin.
    let linked =
        styles.find(name, StyleKind::Character).and_then(|style| styles.by_id(style.link.as_deref()?));
    if let Some(style) = linked.filter(|style| style.kind == StyleKind::Paragraph) {
        return Ok(style);
    }
    let names: Vec<String> = styles
        .all
        .iter()
        .filter(|style| style.kind == StyleKind::Paragraph)
        .map(Style::shown_name)
        .take(40)
        .collect();
    Err(EditError::new(EditErrorKind::OutOfRange, format!("The document has no paragraph style \"{name}\"."))
        .hint("Use one of the document's own styles.")
        .matches(names.into_iter().map(|text| Place { location: "styles".into(), text }).collect()))
}

/// How a paragraph inserted beside another should look.
pub(super) fn look_beside(
    xml: &Xml,
    index: &Index,
    styles: &Styles,
    paragraph: NodeId,
    position: Position,
) -> Result<Look, EditError> {
    let names = Names::at(xml, paragraph);
    // What follows a heading, title or caption is not one: the style itself names its successor (ECMA-376-1, 17.7.4.10).
    let successor = |paragraph: NodeId| -> Option<&Style> {
        let style = style_of(xml, styles, paragraph)?;
        styles
            .by_id(style.next.as_deref()?)
            .filter(|next| next.id != style.id && next.kind == StyleKind::Paragraph)
    };
    let Some(next) = successor(paragraph) else { return Ok(look_like(xml, index, paragraph)) };
    if position == Position::Before {
        let previous =
            std::iter::successors(xml.previous_sibling(paragraph), |node| xml.previous_sibling(*node))
                .find(|node| xml.is(*node, Ns::W, "p") || xml.is(*node, Ns::W, "tbl"));
        let plain = previous.filter(|node| xml.is(*node, Ns::W, "p") && successor(*node).is_none());
        if let Some(previous) = plain {
            return Ok(look_like(xml, index, previous));
        }
    }
    Look::of_style(next, &names)
}

/// The look of a paragraph, without what belongs to it alone.
pub(super) fn look_like(xml: &Xml, index: &Index, paragraph: NodeId) -> Look {
    let is_own = |child: NodeId| {
        matches!(
            xml.local_name(child),
            "rPr" | "sectPr" | "pPrChange" | "cnfStyle" | "pageBreakBefore" | "framePr"
        )
    };
    let body: String =
        xml.child(paragraph, Ns::W, "pPr")
            .into_iter()
            .flat_map(|properties| xml.children(properties))
            .filter(|child| !is_own(*child))
            .map(|child| {
                if xml.is(child, Ns::W, "numPr") { numbering(xml, child) } else { xml.raw(child).to_owned() }
            })
            .collect();
    let view = View::of(xml, index, paragraph);
    Look { body, mark: inner_of(&mark_properties(xml, paragraph)), run: typical_run_properties(xml, &view) }
}

/// Numbering without its own revision marks.
fn numbering(xml: &Xml, numbering: NodeId) -> String {
    let name = xml.qualified_name(numbering);
    let kept: String = xml
        .children(numbering)
        .filter(|child| matches!(xml.local_name(*child), "ilvl" | "numId"))
        .map(|child| xml.raw(child))
        .collect();
    format!("<{name}>{kept}</{name}>")
}

/// What stands between the tags of one element's raw text.
fn inner_of(raw: &str) -> String {
    let inner = raw.find('>').zip(raw.rfind("</")).filter(|(open, close)| open < close);
    inner.map_or_else(String::new, |(open, close)| raw[open + 1..close].to_owned())
}

/// The properties that most characters of a paragraph have; those of its mark when it shows none.
pub(super) fn typical_run_properties(xml: &Xml, view: &View) -> String {
    let mut weights: Vec<(&str, usize)> = Vec::new();
    for atom in view.atoms.iter().filter(|atom| atom.kind == AtomKind::Text && atom.field.is_none()) {
        let is_special = view.scopes_of(atom.scope).any(|scope| {
            matches!(scope.kind, ScopeKind::Hyperlink | ScopeKind::Control | ScopeKind::SimpleField)
        });
        if is_special {
            continue;
        }
        let properties = run_properties(xml, atom.run);
        match weights.iter_mut().find(|(known, _)| *known == properties) {
            Some((_, weight)) => *weight += atom.range.len(),
            None => weights.push((properties, atom.range.len())),
        }
    }
    match weights.iter().max_by_key(|(_, weight)| *weight) {
        Some((properties, _)) => without_change(properties),
        None => mark_properties(xml, view.paragraph),
    }
}

/// Run properties without the record of a tracked formatting change.
pub(super) fn without_change(properties: &str) -> String {
    let Some(at) = properties.find("rPrChange") else { return properties.to_owned() };
    let start = properties[..at].rfind('<').unwrap_or(at);
    let end = properties[at + 1..].rfind("rPrChange>").map(|end| at + 1 + end + "rPrChange>".len());
    match end {
        Some(end) => format!("{}{}", &properties[..start], &properties[end..]),
        None => properties.to_owned(),
    }
}
