//! Styles (ECMA-376-1, 17.7): looked up by name, because ids are localised; what a style says about level and numbering.

use std::collections::HashMap;

use crate::{
    DocumentError,
    package::{
        Package, PartName,
        xml::{NodeId, Ns, Xml},
    },
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StyleKind {
    Paragraph,
    Character,
    Table,
    Numbering,
}

#[derive(Debug, Clone)]
pub(super) struct Style {
    pub(super) id: String,
    /// As stored: `heading 1`.
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    pub(super) kind: StyleKind,
    pub(super) based_on: Option<String>,
    pub(super) next: Option<String>,
    pub(super) link: Option<String>,
    pub(super) is_default: bool,
    /// 0 to 8.
    pub(super) outline_level: Option<u32>,
    pub(super) num_id: Option<u32>,
    pub(super) list_level: Option<u32>,
}

/// The styles part, or nothing when the document has none.
#[derive(Debug, Default)]
pub(super) struct Styles {
    pub(super) part: Option<PartName>,
    pub(super) all: Vec<Style>,
    by_id: HashMap<String, usize>,
}

impl Styles {
    /// Reads the styles; a styles part that cannot be read counts as missing, for it is not needed to edit text.
    pub(super) fn read(package: &Package<'_>) -> Result<Styles, DocumentError> {
        let main = package.main_part()?;
        let part = package.relationships(&main)?.part_of_kind("styles").filter(|part| package.has(part));
        let Some(part) = part else { return Ok(Styles::default()) };
        let Ok(xml) = package.xml(&part) else { return Ok(Styles::default()) };
        let all: Vec<Style> = xml
            .children_named(xml.root(), Ns::W, "style")
            .filter_map(|style| read_style(&xml, style))
            .collect();
        let by_id = all.iter().enumerate().map(|(position, style)| (style.id.clone(), position)).collect();
        Ok(Styles { part: Some(part), all, by_id })
    }

    pub(super) fn by_id(&self, id: &str) -> Option<&Style> {
        self.by_id.get(id).map(|position| &self.all[*position])
    }

    /// A style by name or alias (without case), or by id where no name fits.
    pub(super) fn find(&self, name: &str, kind: StyleKind) -> Option<&Style> {
        let wanted = name.trim().to_lowercase();
        let named = |style: &&Style| {
            style.kind == kind
                && (style.name.to_lowercase() == wanted
                    || style.aliases.iter().any(|alias| alias.to_lowercase() == wanted))
        };
        self.all.iter().find(named).or_else(|| self.by_id(name.trim()).filter(|style| style.kind == kind))
    }

    pub(super) fn default_paragraph(&self) -> Option<&Style> {
        self.all.iter().find(|style| style.kind == StyleKind::Paragraph && style.is_default)
    }

    /// The first thing that a style or one it is based on says.
    pub(super) fn inherited<T>(&self, id: &str, say: impl Fn(&Style) -> Option<T>) -> Option<T> {
        let mut current = self.by_id(id);
        // A chain of styles may be a ring in a damaged file.
        for _ in 0..64 {
            let style = current?;
            if let Some(found) = say(style) {
                return Some(found);
            }
            current = style.based_on.as_deref().and_then(|id| self.by_id(id));
        }
        None
    }
}

impl Style {
    /// The name as Word shows it: built-in names are stored in lower case.
    pub(super) fn shown_name(&self) -> String {
        let word = self.name.split(' ').next().unwrap_or_default();
        let is_built_in = matches!(
            word,
            "heading"
                | "toc"
                | "header"
                | "footer"
                | "caption"
                | "footnote"
                | "endnote"
                | "annotation"
                | "index"
                | "table"
                | "page"
                | "line"
                | "envelope"
                | "macro"
                | "toa"
        );
        match is_built_in {
            true => self.name.split(' ').map(capitalized).collect::<Vec<_>>().join(" "),
            false => self.name.clone(),
        }
    }
}

fn capitalized(word: &str) -> String {
    match word {
        "toc" | "toa" => word.to_uppercase(),
        _ => {
            let mut characters = word.chars();
            characters
                .next()
                .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
        }
    }
}

fn read_style(xml: &Xml, style: NodeId) -> Option<Style> {
    let child_value = |parent: NodeId, name: &str| -> Option<String> {
        let child = xml.child(parent, Ns::W, name)?;
        xml.value(child, Ns::W, "val").map(|value| value.into_owned())
    };
    let kind = match xml.value(style, Ns::W, "type").as_deref() {
        None | Some("paragraph") => StyleKind::Paragraph,
        Some("character") => StyleKind::Character,
        Some("table") => StyleKind::Table,
        Some("numbering") => StyleKind::Numbering,
        Some(_) => return None,
    };
    let id = xml.value(style, Ns::W, "styleId")?.into_owned();
    let properties = xml.child(style, Ns::W, "pPr");
    let numbering = properties.and_then(|properties| xml.child(properties, Ns::W, "numPr"));
    let number = |parent: Option<NodeId>, name: &str| child_value(parent?, name)?.parse().ok();
    Some(Style {
        name: child_value(style, "name").unwrap_or_else(|| id.clone()),
        aliases: child_value(style, "aliases")
            .map(|aliases| aliases.split(',').map(|alias| alias.trim().to_owned()).collect())
            .unwrap_or_default(),
        kind,
        based_on: child_value(style, "basedOn"),
        next: child_value(style, "next"),
        link: child_value(style, "link"),
        is_default: xml.value(style, Ns::W, "default").is_some_and(|value| is_on(&value)),
        outline_level: number(properties, "outlineLvl"),
        num_id: number(numbering, "numId"),
        list_level: number(numbering, "ilvl"),
        id,
    })
}

/// An on/off value (ECMA-376-1, 22.9.2.7).
pub(super) fn is_on(value: &str) -> bool {
    !matches!(value, "0" | "false" | "off")
}

/// Whether an on/off element is there and not switched off.
pub(super) fn has_switch(xml: &Xml, parent: NodeId, name: &str) -> bool {
    xml.child(parent, Ns::W, name)
        .is_some_and(|element| xml.value(element, Ns::W, "val").is_none_or(|value| is_on(&value)))
}
