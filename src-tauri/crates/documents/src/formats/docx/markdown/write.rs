//! Blocks of Markdown as WordprocessingML, with the styles, lists and links that were found or made for them.

use std::collections::BTreeMap;

use super::{
    super::{
        batch::{Batch, Target},
        definitions::{self, Lists},
        markup::Names,
        properties::Look,
        styles::StyleKind,
        tracking::{Cuts, Tracking},
    },
    read::{Align, Block, Inline, Item, Kind, Link},
};
use crate::{
    EditError,
    package::xml::{Ns, Xml, escape_attribute},
};

/// Style ids by role; the roles that the blocks do not use are empty.
#[derive(Default)]
struct StyleIds {
    headings: BTreeMap<usize, String>,
    quote: String,
    code_block: String,
    code: String,
    hyperlink: String,
    list_paragraph: String,
    table: String,
}

/// Everything that writing a block may need.
pub(super) struct Writer {
    styles: StyleIds,
    lists: Lists,
    /// Relationship ids by link target.
    links: BTreeMap<String, String>,
    body: Look,
    /// The prefix of relationship references with its colon, and a declaration when nothing binds one.
    relationships: (String, String),
}

impl Writer {
    /// Finds or makes what the blocks need.
    pub(super) fn new(
        batch: &mut Batch<'_>,
        target: &Target,
        blocks: &[Block],
        body: Look,
    ) -> Result<Writer, EditError> {
        let styles = styles_for(batch, target, blocks)?;
        let lists = definitions::lists(batch, &items(blocks))?;
        let part = batch.part(target.part).name.clone();
        let mut links = BTreeMap::new();
        for inline in inlines(blocks) {
            let Some(Link { target: link, .. }) = &inline.link else { continue };
            if !link.starts_with('#') && !links.contains_key(link) {
                let id = batch.package.add_external_relationship(&part, "hyperlink", link)?;
                links.insert(link.to_owned(), id);
            }
        }
        let relationships = reference_prefix(&target.loaded.xml, batch.package.is_strict()?);
        Ok(Writer { styles, lists, links, body, relationships })
    }

    /// One block as markup.
    pub(super) fn block(
        &self,
        block: &Block,
        names: &Names,
        tracking: Option<&Tracking<'_>>,
    ) -> Result<String, EditError> {
        match block {
            Block::Paragraph { kind, inlines } => {
                let look = self.look(kind, names)?;
                let base = if *kind == Kind::Body { self.body.run.as_str() } else { "" };
                self.paragraph(&look, inlines, base, names, tracking)
            }
            Block::Table { aligns, rows } => self.table(aligns, rows, names, tracking),
        }
    }

    fn look(&self, kind: &Kind, names: &Names) -> Result<Look, EditError> {
        let styled = |id: &str| -> Result<Look, EditError> {
            let body = names.valued("pStyle", &escape_attribute(id)?);
            Ok(Look { body, ..Look::default() })
        };
        match kind {
            Kind::Body => Ok(self.body.clone()),
            Kind::Heading(level) => styled(self.styles.headings.get(level).map_or("", String::as_str)),
            Kind::Quote => styled(&self.styles.quote),
            Kind::Code => styled(&self.styles.code_block),
            Kind::Item(item) => self.item(item, names),
            Kind::Rule => {
                let a = &names.attribute;
                let line = format!(
                    "<{0}bottom {a}val=\"single\" {a}sz=\"6\" {a}space=\"1\" {a}color=\"auto\"/>",
                    names.element
                );
                Ok(Look { body: names.wrap("pBdr", &line), ..Look::default() })
            }
        }
    }

    fn item(&self, item: &Item, names: &Names) -> Result<Look, EditError> {
        let style = match self.lists.style(item.list, item.level) {
            Some(style) => style,
            None => &self.styles.list_paragraph,
        };
        let mut body = names.valued("pStyle", &escape_attribute(style)?);
        if item.continues {
            // Without a mark, but standing under the text of its item.
            body.push_str(&names.wrap("numPr", &names.valued("numId", "0")));
            let left = 720 * (item.level.min(8) + 1);
            body.push_str(&format!(
                "<{0}ind {1}left=\"{left}\" {1}firstLine=\"0\"/>",
                names.element, names.attribute
            ));
        } else if let Some((num_id, level)) = self.lists.num_id(item.list) {
            let level = names.valued("ilvl", &level.to_string());
            body.push_str(&names.wrap("numPr", &(level + &names.valued("numId", &num_id.to_string()))));
        }
        Ok(Look { body, ..Look::default() })
    }

    fn paragraph(
        &self,
        look: &Look,
        inlines: &[Inline],
        base: &str,
        names: &Names,
        tracking: Option<&Tracking<'_>>,
    ) -> Result<String, EditError> {
        let mut content = String::new();
        for same_link in inlines.chunk_by(|a, b| a.link == b.link) {
            let runs: String =
                same_link.iter().map(|inline| self.run(inline, base, names)).collect::<Result<_, _>>()?;
            // A link is no content of an insertion (ECMA-376-1, 17.13.5.18), so the insertion stands inside it.
            let runs = tracking.map_or(runs.clone(), |tracking| tracking.insertion(names, &runs));
            content.push_str(&match same_link.first().and_then(|inline| inline.link.as_ref()) {
                Some(link) => self.hyperlink(link, &runs, names)?,
                None => runs,
            });
        }
        look.finished_paragraph(names, &content, tracking)
    }

    fn hyperlink(&self, link: &Link, runs: &str, names: &Names) -> Result<String, EditError> {
        let target = match (link.target.strip_prefix('#'), self.links.get(&link.target)) {
            (Some(anchor), _) => format!("{}anchor=\"{}\"", names.attribute, escape_attribute(anchor)?),
            (None, Some(id)) => format!("{}id=\"{id}\"{}", self.relationships.0, self.relationships.1),
            (None, None) => return Ok(runs.to_owned()),
        };
        let tooltip = match link.title.as_str() {
            "" => String::new(),
            title => format!(" {}tooltip=\"{}\"", names.attribute, escape_attribute(title)?),
        };
        Ok(format!("<{0}hyperlink {target}{tooltip}>{runs}</{0}hyperlink>", names.element))
    }

    fn run(&self, inline: &Inline, base: &str, names: &Names) -> Result<String, EditError> {
        let emphasis = &inline.emphasis;
        let mut properties = String::new();
        let style = match (&inline.link, emphasis.code) {
            (_, true) => Some(&self.styles.code),
            (Some(_), false) => Some(&self.styles.hyperlink),
            (None, false) => None,
        };
        if let Some(style) = style.filter(|style| !style.is_empty()) {
            properties.push_str(&names.valued("rStyle", &escape_attribute(style)?));
        } else {
            properties.push_str(inner(base));
        }
        for (is_on, name) in [(emphasis.bold, "b"), (emphasis.italic, "i"), (emphasis.strike, "strike")] {
            if is_on && !properties.contains(&format!("{name}/>")) {
                properties.push_str(&names.empty(name));
            }
        }
        let properties = if properties.is_empty() { String::new() } else { names.wrap("rPr", &properties) };
        names.run(&properties, &inline.text)
    }

    fn table(
        &self,
        aligns: &[Align],
        rows: &[Vec<Vec<Inline>>],
        names: &Names,
        tracking: Option<&Tracking<'_>>,
    ) -> Result<String, EditError> {
        let a = &names.attribute;
        let columns = rows.iter().map(Vec::len).max().unwrap_or(1).max(1);
        // The text width of a page in twentieths of a point; Word fits the columns to their content.
        let width = 9_360 / columns;
        let column = format!("<{}gridCol {a}w=\"{width}\"/>", names.element);
        let properties = format!(
            "{}<{1}tblW {a}w=\"0\" {a}type=\"auto\"/><{1}tblLook {a}val=\"04A0\"/>",
            names.valued("tblStyle", &escape_attribute(&self.styles.table)?),
            names.element
        );
        let mut content = names.wrap("tblPr", &properties) + &names.wrap("tblGrid", &column.repeat(columns));
        for (position, cells) in rows.iter().enumerate() {
            content.push_str(&self.row(position == 0, columns, aligns, cells, names, tracking)?);
        }
        Ok(format!("<{0}tbl{1}>{content}</{0}tbl>", names.element, names.declaration))
    }

    fn row(
        &self,
        is_header: bool,
        columns: usize,
        aligns: &[Align],
        cells: &[Vec<Inline>],
        names: &Names,
        tracking: Option<&Tracking<'_>>,
    ) -> Result<String, EditError> {
        let mut properties = if is_header { names.empty("tblHeader") } else { String::new() };
        if let Some(tracking) = tracking {
            properties.push_str(&tracking.mark("ins", names, Cuts::default()));
        }
        let mut row = if properties.is_empty() { String::new() } else { names.wrap("trPr", &properties) };
        let inner = Names { declaration: String::new(), ..names.clone() };
        for column in 0..columns {
            let align = match aligns.get(column) {
                None | Some(Align::None) => None,
                Some(Align::Left) => Some("left"),
                Some(Align::Center) => Some("center"),
                Some(Align::Right) => Some("right"),
            };
            let body = align.map_or_else(String::new, |align| names.valued("jc", align));
            let look = Look { body, ..Look::default() };
            let mut inlines = cells.get(column).cloned().unwrap_or_default();
            for inline in inlines.iter_mut().filter(|_| is_header) {
                inline.emphasis.bold = true;
            }
            row.push_str(&names.wrap("tc", &self.paragraph(&look, &inlines, "", &inner, tracking)?));
        }
        Ok(names.wrap("tr", &row))
    }
}

/// What stands between the tags of a raw `w:rPr`.
fn inner(properties: &str) -> &str {
    let range = properties.find('>').zip(properties.rfind("</"));
    range.filter(|(open, close)| open < close).map_or("", |(open, close)| &properties[open + 1..close])
}

fn inlines(blocks: &[Block]) -> Vec<&Inline> {
    let mut all = Vec::new();
    for block in blocks {
        match block {
            Block::Paragraph { inlines, .. } => all.extend(inlines),
            Block::Table { rows, .. } => all.extend(rows.iter().flatten().flatten()),
        }
    }
    all
}

/// Each list once, with its level and first number.
fn items(blocks: &[Block]) -> Vec<definitions::List> {
    let mut lists: Vec<definitions::List> = Vec::new();
    for block in blocks {
        let Block::Paragraph { kind: Kind::Item(item), .. } = block else { continue };
        if !lists.iter().any(|list| list.number == item.list) {
            lists.push(definitions::List {
                number: item.list,
                level: item.level.min(8),
                ordered: item.ordered,
            });
        }
    }
    lists
}

/// How `r:id` is written in the part.
fn reference_prefix(xml: &Xml, strict: bool) -> (String, String) {
    match xml.attribute_prefix_for(xml.root(), Ns::R) {
        Some(prefix) => (prefix, String::new()),
        None => ("r:".into(), format!(" xmlns:r=\"{}\"", Ns::R.uri(strict))),
    }
}

fn styles_for(batch: &mut Batch<'_>, target: &Target, blocks: &[Block]) -> Result<StyleIds, EditError> {
    let mut ids = StyleIds::default();
    for block in blocks {
        let Block::Paragraph { kind, .. } = block else {
            if ids.table.is_empty() {
                ids.table = definitions::table_style(batch, target)?;
            }
            continue;
        };
        match kind {
            Kind::Heading(level) if !ids.headings.contains_key(level) => {
                let id = definitions::style(batch, &[&format!("heading {level}")], StyleKind::Paragraph)?;
                ids.headings.insert(*level, id);
            }
            Kind::Quote if ids.quote.is_empty() => {
                ids.quote =
                    definitions::style(batch, &["Quote", "Block Text", "Quotations"], StyleKind::Paragraph)?;
            }
            Kind::Code if ids.code_block.is_empty() => {
                let names = ["HTML Preformatted", "Source Code", "Preformatted Text", "Code"];
                ids.code_block = definitions::style(batch, &names, StyleKind::Paragraph)?;
            }
            Kind::Item(_) if ids.list_paragraph.is_empty() => {
                ids.list_paragraph = definitions::style(batch, &["List Paragraph"], StyleKind::Paragraph)?;
            }
            _ => {}
        }
    }
    let in_code_block = |block: &&Block| matches!(block, Block::Paragraph { kind: Kind::Code, .. });
    let outside: Vec<Block> = blocks.iter().filter(|block| !in_code_block(block)).cloned().collect();
    if inlines(&outside).iter().any(|inline| inline.emphasis.code) {
        let names = ["HTML Code", "Verbatim Char", "Source Text", "Code Char", "Inline Code"];
        ids.code = definitions::style(batch, &names, StyleKind::Character)?;
    }
    if inlines(blocks).iter().any(|inline| inline.link.is_some()) {
        ids.hyperlink = definitions::style(batch, &["Hyperlink", "Internet Link"], StyleKind::Character)?;
    }
    Ok(ids)
}
