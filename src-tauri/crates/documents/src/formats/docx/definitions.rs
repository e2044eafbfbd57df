//! Styles and numbering that new content needs: the document's own where it has them, made once where it has not.

use std::collections::BTreeMap;

use super::{
    batch::{Batch, Target},
    markup::Names,
    rewrite::fill_empty_tag,
    styles::StyleKind,
};
use crate::{
    EditError,
    package::{
        PartName,
        xml::{NodeId, Ns, Splices, Xml, escape_attribute},
    },
};

const MAIN: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.";

/// The id of the first style that the document has of these names; the first name is made when it has none.
pub(super) fn style(batch: &mut Batch<'_>, names: &[&str], kind: StyleKind) -> Result<String, EditError> {
    let styles = batch.styles()?;
    if let Some(found) = names.iter().find_map(|name| styles.find(name, kind)) {
        return Ok(found.id.clone());
    }
    let name = names.first().copied().unwrap_or_default();
    let mut id: String = name.split(' ').map(capitalized).collect();
    while styles.by_id(&id).is_some() {
        id.push('1');
    }
    let part = match &styles.part {
        Some(part) => part.clone(),
        None => create_part(
            batch,
            "styles",
            "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/><w:qFormat/></w:style>",
        )?,
    };
    let base = batch.styles()?.default_paragraph().map(|style| escape_attribute(&style.id)).transpose()?;
    let xml = batch.package.xml(&part)?;
    let names = Names::at(&xml, xml.root());
    let markup = style_markup(name, &id, kind, base.as_deref(), &names);
    append_to_root(batch, &part, &xml, &markup)?;
    batch.forget_definitions();
    Ok(id)
}

fn capitalized(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// A style of a known name; written with the prefix `w:` and then given the part's own.
fn style_markup(name: &str, id: &str, kind: StyleKind, base: Option<&str>, names: &Names) -> String {
    let base = base.map_or_else(String::new, |id| format!("<w:basedOn w:val=\"{id}\"/>"));
    let next = base.replace("basedOn", "next");
    let level = name.strip_prefix("heading ").and_then(|level| level.parse::<usize>().ok());
    let (order, looks) = match (name, level) {
        (_, Some(level)) => {
            let size = [32, 26, 24, 22, 22, 22].get(level - 1).copied().unwrap_or(22);
            let looks = format!(
                "<w:qFormat/><w:pPr><w:keepNext/><w:keepLines/><w:spacing w:before=\"240\" w:after=\"80\"/><w:outlineLvl w:val=\"{}\"/></w:pPr><w:rPr><w:b/><w:bCs/><w:sz w:val=\"{size}\"/><w:szCs w:val=\"{size}\"/></w:rPr>",
                level - 1
            );
            (format!("{base}{next}<w:uiPriority w:val=\"9\"/>"), looks)
        }
        ("Quote", _) => (
            format!("{base}{next}<w:uiPriority w:val=\"29\"/>"),
            "<w:qFormat/><w:pPr><w:ind w:left=\"720\" w:right=\"720\"/></w:pPr><w:rPr><w:i/><w:iCs/></w:rPr>".into(),
        ),
        ("HTML Preformatted", _) => (
            format!("{base}<w:uiPriority w:val=\"99\"/>"),
            "<w:pPr><w:spacing w:after=\"0\"/></w:pPr><w:rPr><w:rFonts w:ascii=\"Courier New\" w:hAnsi=\"Courier New\" w:cs=\"Courier New\"/><w:sz w:val=\"20\"/><w:szCs w:val=\"20\"/></w:rPr>".into(),
        ),
        ("List Paragraph", _) => (
            format!("{base}<w:uiPriority w:val=\"34\"/>"),
            "<w:qFormat/><w:pPr><w:ind w:left=\"720\"/><w:contextualSpacing/></w:pPr>".into(),
        ),
        ("HTML Code", _) => (
            "<w:uiPriority w:val=\"99\"/>".into(),
            "<w:rPr><w:rFonts w:ascii=\"Courier New\" w:hAnsi=\"Courier New\" w:cs=\"Courier New\"/><w:sz w:val=\"20\"/><w:szCs w:val=\"20\"/></w:rPr>".into(),
        ),
        ("Hyperlink", _) => (
            "<w:uiPriority w:val=\"99\"/>".into(),
            "<w:rPr><w:color w:val=\"0563C1\"/><w:u w:val=\"single\"/></w:rPr>".into(),
        ),
        ("Table Grid", _) => {
            let side = |side: &str| format!("<w:{side} w:val=\"single\" w:sz=\"4\" w:space=\"0\" w:color=\"auto\"/>");
            let sides: String = ["top", "left", "bottom", "right", "insideH", "insideV"].map(side).concat();
            let margins = "<w:tblCellMar><w:left w:w=\"108\" w:type=\"dxa\"/><w:right w:w=\"108\" w:type=\"dxa\"/></w:tblCellMar>";
            (
                "<w:uiPriority w:val=\"39\"/>".into(),
                format!("<w:tblPr><w:tblBorders>{sides}</w:tblBorders>{margins}</w:tblPr>"),
            )
        }
        _ => (base, String::new()),
    };
    let kind = match kind {
        StyleKind::Paragraph => "paragraph",
        StyleKind::Character => "character",
        StyleKind::Table => "table",
        StyleKind::Numbering => "numbering",
    };
    own_prefix(
        &format!(
            "<w:style w:type=\"{kind}\" w:styleId=\"{id}\"><w:name w:val=\"{name}\"/>{order}{looks}</w:style>"
        ),
        names,
    )
}

/// Markup written with `w:` in the prefixes of a part.
fn own_prefix(markup: &str, names: &Names) -> String {
    let mut own = markup
        .replace("<w:", &format!("<{}", names.element))
        .replace("</w:", &format!("</{}", names.element))
        .replace(" w:", &format!(" {}", names.attribute));
    if !names.declaration.is_empty() {
        let end = own.find([' ', '>', '/']).unwrap_or(0);
        own.insert_str(end, &names.declaration);
    }
    own
}

/// The table style that the part uses most, else the plain grid.
pub(super) fn table_style(batch: &mut Batch<'_>, target: &Target) -> Result<String, EditError> {
    let xml = &target.loaded.xml;
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for style in xml.descendants_named(xml.root(), Ns::W, "tblStyle") {
        if let Some(id) = xml.value(style, Ns::W, "val") {
            *uses.entry(id.into_owned()).or_insert(0) += 1;
        }
    }
    let styles = batch.styles()?;
    let is_known = |id: &String| styles.by_id(id).is_some_and(|style| style.kind == StyleKind::Table);
    let most = uses.into_iter().filter(|(id, _)| is_known(id)).max_by_key(|(_, count)| *count);
    match most {
        Some((id, _)) => Ok(id),
        None => style(batch, &["Table Grid"], StyleKind::Table),
    }
}

/// A list that is to be numbered or marked.
pub(super) struct List {
    pub(super) number: usize,
    pub(super) level: usize,
    pub(super) ordered: Option<u64>,
}

/// Which numbering and style each list got.
#[derive(Default)]
pub(super) struct Lists {
    /// Instance and level in it, by list.
    num_ids: BTreeMap<usize, (u32, usize)>,
    /// Styles of the document that bring their own marks, by list and level.
    styles: BTreeMap<(usize, usize), String>,
}

impl Lists {
    pub(super) fn num_id(&self, list: usize) -> Option<(u32, usize)> {
        self.num_ids.get(&list).copied()
    }

    pub(super) fn style(&self, list: usize, level: usize) -> Option<&str> {
        self.styles.get(&(list, level)).map(String::as_str)
    }
}

/// Numbering for lists: the document's list styles, else its definitions, else new ones. An ordered list counts for itself.
pub(super) fn lists(batch: &mut Batch<'_>, lists: &[List]) -> Result<Lists, EditError> {
    let mut found = Lists::default();
    for list in lists {
        let word = if list.ordered.is_some() { "List Number" } else { "List Bullet" };
        let name = if list.level == 0 { word.to_owned() } else { format!("{word} {}", list.level + 1) };
        let styles = batch.styles()?;
        let own = styles.find(&name, StyleKind::Paragraph);
        let own_num = own.and_then(|style| styles.inherited(&style.id, |style| style.num_id));
        if let (Some(style), Some(num_id)) = (own, own_num) {
            found.styles.insert((list.number, list.level), style.id.clone());
            if list.ordered.is_none() {
                continue;
            }
            if let Some(definition) = batch.numbering()?.definition(num_id) {
                // A style of the second level is mostly the first level of a definition of its own.
                let level = styles.inherited(&style.id, |style| style.list_level).unwrap_or(0) as usize;
                let num_id = add_instance(batch, definition, level, list.ordered)?;
                found.num_ids.insert(list.number, (num_id, level));
                continue;
            }
        }
        let wants = if list.ordered.is_some() { "decimal" } else { "bullet" };
        let definition = match batch.numbering()?.definition_with(wants, list.level) {
            Some(definition) => definition,
            None => add_definition(batch, list.ordered.is_some())?,
        };
        let num_id = add_instance(batch, definition, list.level, list.ordered)?;
        found.num_ids.insert(list.number, (num_id, list.level));
    }
    Ok(found)
}

fn numbering_part(batch: &mut Batch<'_>) -> Result<PartName, EditError> {
    match &batch.numbering()?.part {
        Some(part) => Ok(part.clone()),
        None => create_part(batch, "numbering", ""),
    }
}

/// A definition of nine levels; definitions come before instances (ECMA-376-1, 17.9.17).
fn add_definition(batch: &mut Batch<'_>, ordered: bool) -> Result<u32, EditError> {
    let part = numbering_part(batch)?;
    let xml = batch.package.xml(&part)?;
    let id = 1 + highest(&xml, "abstractNum", "abstractNumId").unwrap_or(0);
    let levels: String = (0..9).map(|level| level_markup(level, ordered)).collect();
    let kind = if ordered { "multilevel" } else { "hybridMultilevel" };
    let markup = format!(
        "<w:abstractNum w:abstractNumId=\"{id}\"><w:multiLevelType w:val=\"{kind}\"/>{levels}</w:abstractNum>"
    );
    let markup = own_prefix(&markup, &Names::at(&xml, xml.root()));
    let before = xml
        .children(xml.root())
        .find(|child| xml.is(*child, Ns::W, "num") || xml.is(*child, Ns::W, "numIdMacAtCleanup"));
    insert_in_root(batch, &part, &xml, before, &markup)?;
    Ok(id)
}

fn level_markup(level: usize, ordered: bool) -> String {
    let left = 720 * (level + 1);
    let (format, text, font) = match (ordered, level % 3) {
        (true, 0) => ("decimal", format!("%{}.", level + 1), ""),
        (true, 1) => ("lowerLetter", format!("%{}.", level + 1), ""),
        (true, _) => ("lowerRoman", format!("%{}.", level + 1), ""),
        (false, 0) => ("bullet", "\u{F0B7}".into(), "Symbol"),
        (false, 1) => ("bullet", "o".into(), "Courier New"),
        (false, _) => ("bullet", "\u{F0A7}".into(), "Wingdings"),
    };
    let font = match font {
        "" => String::new(),
        font => format!(
            "<w:rPr><w:rFonts w:ascii=\"{font}\" w:hAnsi=\"{font}\" w:cs=\"{font}\" w:hint=\"default\"/></w:rPr>"
        ),
    };
    format!(
        "<w:lvl w:ilvl=\"{level}\"><w:start w:val=\"1\"/><w:numFmt w:val=\"{format}\"/><w:lvlText w:val=\"{text}\"/><w:lvlJc w:val=\"left\"/><w:pPr><w:ind w:left=\"{left}\" w:hanging=\"360\"/></w:pPr>{font}</w:lvl>"
    )
}

/// An instance of a definition; an ordered one starts at its own number.
fn add_instance(
    batch: &mut Batch<'_>,
    definition: u32,
    level: usize,
    ordered: Option<u64>,
) -> Result<u32, EditError> {
    let part = numbering_part(batch)?;
    let xml = batch.package.xml(&part)?;
    let id = 1 + highest(&xml, "num", "numId").unwrap_or(0);
    let restart = ordered.map_or_else(String::new, |first| {
        format!(
            "<w:lvlOverride w:ilvl=\"{level}\"><w:startOverride w:val=\"{}\"/></w:lvlOverride>",
            first.min(32_767)
        )
    });
    let markup =
        format!("<w:num w:numId=\"{id}\"><w:abstractNumId w:val=\"{definition}\"/>{restart}</w:num>");
    let markup = own_prefix(&markup, &Names::at(&xml, xml.root()));
    let before = xml.children(xml.root()).find(|child| xml.is(*child, Ns::W, "numIdMacAtCleanup"));
    insert_in_root(batch, &part, &xml, before, &markup)?;
    Ok(id)
}

fn highest(xml: &Xml, element: &str, attribute: &str) -> Option<u32> {
    let elements = xml.children_named(xml.root(), Ns::W, element);
    elements.filter_map(|element| xml.value(element, Ns::W, attribute)?.trim().parse().ok()).max()
}

fn insert_in_root(
    batch: &mut Batch<'_>,
    part: &PartName,
    xml: &Xml,
    before: Option<NodeId>,
    markup: &str,
) -> Result<(), EditError> {
    let Some(before) = before else { return append_to_root(batch, part, xml, markup) };
    let mut splices = Splices::default();
    splices.insert(xml.span(before).start, markup);
    let bytes = xml.write(splices)?;
    batch.package.replace(part, bytes)?;
    batch.forget_definitions();
    Ok(())
}

fn append_to_root(batch: &mut Batch<'_>, part: &PartName, xml: &Xml, markup: &str) -> Result<(), EditError> {
    let root = xml.root();
    let mut splices = Splices::default();
    match xml.is_empty_tag(root) {
        true => fill_empty_tag(xml, root, markup, &mut splices),
        false => splices.insert(xml.content(root).end, markup),
    }
    let bytes = xml.write(splices)?;
    batch.package.replace(part, bytes)?;
    batch.forget_definitions();
    Ok(())
}

/// A new part of the main part, named by its kind, wired with relationship and content type.
fn create_part(batch: &mut Batch<'_>, kind: &str, content: &str) -> Result<PartName, EditError> {
    let main = batch.part(0).name.clone();
    let plain = PartName::new(&format!("{}{kind}.xml", main.folder()));
    let name = match batch.package.has(&plain) {
        false => plain,
        true => batch.package.unused_name(&format!("{}{kind}", main.folder()), ".xml"),
    };
    let namespace = Ns::W.uri(batch.package.is_strict()?);
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<w:{kind} xmlns:w=\"{namespace}\">{content}</w:{kind}>"
    );
    batch.package.add(&name, text.into_bytes(), &format!("{MAIN}{kind}+xml"))?;
    batch.package.add_relationship(&main, kind, &name)?;
    batch.forget_definitions();
    Ok(name)
}
