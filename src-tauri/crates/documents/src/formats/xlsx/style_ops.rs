//! New cell formats: an existing one with some properties changed, appended to the style table. Nothing that exists is altered.

use super::{session::Session, styles::Styles};
use crate::{
    EditError,
    error::EditErrorKind,
    package::{
        PartName,
        xml::{NodeId, Ns, Splices, Xml, escape_attribute},
    },
};

/// What a format changes; absent means as it was.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FormatChange {
    pub(super) bold: Option<bool>,
    pub(super) italic: Option<bool>,
    pub(super) underline: Option<bool>,
    /// `RRGGBB`.
    pub(super) font_color: Option<String>,
    /// `RRGGBB`, or nothing for no fill.
    pub(super) fill: Option<Option<String>>,
    pub(super) number_format: Option<String>,
    pub(super) align: Option<String>,
    pub(super) wrap: Option<bool>,
    /// A line style, or nothing for no border.
    pub(super) border: Option<Option<String>>,
}

const STYLES_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml";

/// The order of a font's children as Excel writes them (18.8.22).
const FONT_ORDER: &[&str] = &[
    "b",
    "i",
    "strike",
    "condense",
    "extend",
    "outline",
    "shadow",
    "u",
    "vertAlign",
    "sz",
    "color",
    "name",
    "family",
    "charset",
    "scheme",
];

impl Session<'_, '_> {
    /// The index of a format that is `base` with changes; an equal one that exists is taken.
    pub(super) fn derive_style(&mut self, base: u32, change: &FormatChange) -> Result<u32, EditError> {
        let part = self.styles_or_new()?;
        let xml = self.book.package.xml(&part)?;
        let mut table = StyleTable { xml: &xml, splices: Splices::default() };
        let style = table.derive(base, change)?;
        let splices = table.splices;
        if !splices.is_empty() {
            let bytes = xml.write(splices)?;
            self.book.package.replace(&part, bytes)?;
            self.book.forget_styles();
            self.book.load_tables()?;
        }
        Ok(style)
    }

    fn styles_or_new(&mut self) -> Result<PartName, EditError> {
        if let Some(part) = self.book.styles_part()? {
            return Ok(part);
        }
        let workbook = self.book.part.clone();
        let part = PartName::new(&format!("{}styles.xml", workbook.folder()));
        let namespace = Ns::S.uri(self.book.package.is_strict()?);
        let bytes = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<styleSheet xmlns=\"{namespace}\"><fonts count=\"1\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts><fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill></fills><borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs><cellXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/></cellXfs><cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>"
        );
        self.book.package.add(&part, bytes.into_bytes(), STYLES_TYPE)?;
        self.book.package.add_relationship(&workbook, "styles", &part)?;
        self.book.forget_styles();
        self.book.load_tables()?;
        Ok(part)
    }

    /// Whether numbers under a style are shown as dates.
    pub(super) fn shows_dates(&self, style: u32) -> bool {
        self.book.styles().is_some_and(|styles: &Styles| styles.is_date(style))
    }
}

struct StyleTable<'x> {
    xml: &'x Xml,
    splices: Splices,
}

impl StyleTable<'_> {
    fn list(&self, name: &str) -> Option<NodeId> {
        self.xml.child(self.xml.root(), Ns::S, name)
    }

    fn items(&self, list: &str) -> Vec<NodeId> {
        self.list(list).map(|list| self.xml.children(list).collect()).unwrap_or_default()
    }

    fn prefix(&self) -> &str {
        self.xml.prefix(self.xml.root())
    }

    /// The index of an item with this markup in a list, appended unless one is the same.
    fn item(&mut self, list: &str, markup: &str) -> Result<u32, EditError> {
        let items = self.items(list);
        if let Some(at) = items.iter().position(|item| self.xml.raw(*item) == markup) {
            return Ok(at as u32);
        }
        let Some(node) = self.list(list).filter(|node| !self.xml.is_empty_tag(*node)) else {
            let message = format!("The style table has no {list}, so no format can be added.");
            return Err(EditError::new(EditErrorKind::WouldDamage, message));
        };
        self.splices.insert(self.xml.content(node).end, markup);
        if self.xml.attribute(node, Ns::None, "count").is_some() {
            let count = (items.len() + 1).to_string();
            self.xml.set_attribute(&mut self.splices, node, Ns::None, "count", "count", &count)?;
        }
        Ok(items.len() as u32)
    }

    fn derive(&mut self, base: u32, change: &FormatChange) -> Result<u32, EditError> {
        let formats = self.items("cellXfs");
        let format = formats.get(base as usize).or(formats.first()).copied();
        let value = |name: &str| {
            let text = format.and_then(|format| self.xml.value(format, Ns::None, name))?;
            text.parse::<u32>().ok()
        };
        let (font, fill, border) =
            (value("fontId").unwrap_or(0), value("fillId").unwrap_or(0), value("borderId").unwrap_or(0));
        let mut attributes: Vec<(String, String)> = format
            .into_iter()
            .flat_map(|format| self.xml.attributes(format))
            .map(|attribute| (attribute.name.to_owned(), attribute.value.into_owned()))
            .collect();
        let mut set = |name: &str, value: String| match attributes.iter_mut().find(|(known, _)| known == name)
        {
            Some((_, slot)) => *slot = value,
            None => attributes.push((name.to_owned(), value)),
        };
        if let Some(font) = self.font(font, change)? {
            set("fontId", font.to_string());
            set("applyFont", "1".into());
        }
        if let Some(fill_change) = &change.fill {
            let _ = fill;
            set("fillId", self.fill(fill_change.as_deref())?.to_string());
            set("applyFill", "1".into());
        }
        if let Some(border_change) = &change.border {
            let _ = border;
            set("borderId", self.border(border_change.as_deref())?.to_string());
            set("applyBorder", "1".into());
        }
        if let Some(code) = &change.number_format {
            set("numFmtId", self.number_format(code)?.to_string());
            set("applyNumberFormat", "1".into());
        }
        let aligned = change.align.is_some() || change.wrap.is_some();
        if aligned {
            set("applyAlignment", "1".into());
        }
        let inner = self.alignment(format, change)?;
        let prefix = self.prefix().to_owned();
        let mut markup = format!("<{prefix}xf");
        for (name, value) in &attributes {
            markup.push_str(&format!(" {name}=\"{}\"", escape_attribute(value)?));
        }
        markup.push_str(&if inner.is_empty() { "/>".into() } else { format!(">{inner}</{prefix}xf>") });
        self.item("cellXfs", &markup)
    }

    /// A changed font; nothing when the font stays.
    fn font(&mut self, base: u32, change: &FormatChange) -> Result<Option<u32>, EditError> {
        let flags = [("b", change.bold), ("i", change.italic), ("u", change.underline)];
        if flags.iter().all(|(_, flag)| flag.is_none()) && change.font_color.is_none() {
            return Ok(None);
        }
        let prefix = self.prefix().to_owned();
        let fonts = self.items("fonts");
        let font = fonts.get(base as usize).or(fonts.first()).copied();
        let mut children: Vec<(String, String)> = font
            .into_iter()
            .flat_map(|font| self.xml.children(font))
            .map(|child| (self.xml.local_name(child).to_owned(), self.xml.raw(child).to_owned()))
            .collect();
        for (name, flag) in flags {
            if let Some(on) = flag {
                children.retain(|(known, _)| known != name);
                if on {
                    children.push((name.to_owned(), format!("<{prefix}{name}/>")));
                }
            }
        }
        if let Some(color) = &change.font_color {
            children.retain(|(known, _)| known != "color");
            children.push(("color".into(), format!("<{prefix}color rgb=\"FF{color}\"/>")));
        }
        children.sort_by_key(|(name, _)| {
            FONT_ORDER.iter().position(|known| known == name).unwrap_or(FONT_ORDER.len())
        });
        let inner: String = children.into_iter().map(|(_, raw)| raw).collect();
        self.item("fonts", &format!("<{prefix}font>{inner}</{prefix}font>")).map(Some)
    }

    fn fill(&mut self, color: Option<&str>) -> Result<u32, EditError> {
        let prefix = self.prefix().to_owned();
        match color {
            // The first fill is none by the format's rule (18.8.21).
            None => Ok(0),
            Some(color) => self.item(
                "fills",
                &format!(
                    "<{prefix}fill><{prefix}patternFill patternType=\"solid\"><{prefix}fgColor rgb=\"FF{color}\"/><{prefix}bgColor indexed=\"64\"/></{prefix}patternFill></{prefix}fill>"
                ),
            ),
        }
    }

    fn border(&mut self, line: Option<&str>) -> Result<u32, EditError> {
        let prefix = self.prefix().to_owned();
        let side = |name: &str| match line {
            Some(line) => {
                format!("<{prefix}{name} style=\"{line}\"><{prefix}color auto=\"1\"/></{prefix}{name}>")
            }
            None => format!("<{prefix}{name}/>"),
        };
        let sides: String = ["left", "right", "top", "bottom"].iter().map(|name| side(name)).collect();
        self.item("borders", &format!("<{prefix}border>{sides}<{prefix}diagonal/></{prefix}border>"))
    }

    fn number_format(&mut self, code: &str) -> Result<u32, EditError> {
        let built_in = (0..50).find(|id| super::number_format::built_in(*id) == Some(code));
        if let Some(id) = built_in {
            return Ok(id);
        }
        let known = self.items("numFmts");
        let value = |node: NodeId, name: &str| self.xml.value(node, Ns::None, name);
        let id_of = |node: NodeId| value(node, "numFmtId").and_then(|id| id.parse::<u32>().ok());
        if let Some(found) = known.iter().find(|node| value(**node, "formatCode").as_deref() == Some(code)) {
            return Ok(id_of(*found).unwrap_or(0));
        }
        // Numbers below 164 belong to the application (18.8.30).
        let id = known.iter().filter_map(|node| id_of(*node)).max().unwrap_or(163).max(163) + 1;
        let prefix = self.prefix().to_owned();
        let markup =
            format!("<{prefix}numFmt numFmtId=\"{id}\" formatCode=\"{}\"/>", escape_attribute(code)?);
        if self.list("numFmts").is_some() {
            self.item("numFmts", &markup)?;
        } else {
            let at = self.xml.content(self.xml.root()).start;
            self.splices.insert(at, format!("<{prefix}numFmts count=\"1\">{markup}</{prefix}numFmts>"));
        }
        Ok(id)
    }

    /// The children of a format with its alignment changed.
    fn alignment(&self, format: Option<NodeId>, change: &FormatChange) -> Result<String, EditError> {
        let prefix = self.prefix();
        let children: Vec<NodeId> = format.map(|f| self.xml.children(f).collect()).unwrap_or_default();
        let (old, others): (Vec<NodeId>, Vec<NodeId>) =
            children.into_iter().partition(|child| self.xml.local_name(*child) == "alignment");
        let rest: String = others.iter().map(|child| self.xml.raw(*child)).collect();
        if change.align.is_none() && change.wrap.is_none() {
            let kept: String = old.iter().map(|child| self.xml.raw(*child)).collect();
            return Ok(kept + &rest);
        }
        let mut attributes: Vec<(String, String)> = old
            .iter()
            .flat_map(|child| self.xml.attributes(*child))
            .map(|attribute| (attribute.name.to_owned(), attribute.value.into_owned()))
            .collect();
        let mut set = |name: &str, value: Option<String>| {
            attributes.retain(|(known, _)| known != name);
            attributes.extend(value.map(|value| (name.to_owned(), value)));
        };
        if let Some(align) = &change.align {
            set("horizontal", (align != "general").then(|| align.clone()));
        }
        if let Some(wrap) = change.wrap {
            set("wrapText", wrap.then(|| "1".to_owned()));
        }
        let mut markup = format!("<{prefix}alignment");
        for (name, value) in &attributes {
            markup.push_str(&format!(" {name}=\"{}\"", escape_attribute(value)?));
        }
        Ok(format!("{markup}/>{rest}"))
    }
}
