//! The slides of a presentation as places and text: for change frames over pictures, and for a view when no picture can be drawn.
//!
//! Places are in EMU (914,400 per inch), inherited from layout and master where the slide itself gives none (19.3.1.36).

use serde::{Deserialize, Serialize};

use crate::{
    Cancel, DocumentError, Limits,
    package::{
        Package, PartName,
        xml::{NodeId, Ns, Splices, Xml},
    },
};

/// The deck.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlideList {
    /// EMU.
    pub width: i64,
    pub height: i64,
    pub slides: Vec<Slide>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Slide {
    /// `p:sldId`: the same slide keeps it through moves and edits.
    pub id: u32,
    pub title: String,
    pub hidden: bool,
    pub notes: String,
    pub shapes: Vec<ShapePlace>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ShapePlace {
    pub id: u32,
    pub name: String,
    /// `text`, `picture`, `table`, `chart`, `diagram`, `group`, `line` or `other`.
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub placeholder: Option<String>,
    /// Left, top, width, height in EMU; `None` when nothing says where it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<[i64; 4]>,
    pub paragraphs: Vec<String>,
}

/// 10 by 7.5 inches, what a presentation without a size has (19.2.1.39).
const DEFAULT_SIZE: (i64, i64) = (9_144_000, 6_858_000);

/// Reads the deck; a slide that cannot be read is an empty one with its number.
pub fn slide_list(bytes: &[u8], limits: &Limits, cancel: Cancel<'_>) -> Result<SlideList, DocumentError> {
    let package = Package::open(bytes, limits)?;
    let main = package.main_part()?;
    let presentation = package.xml(&main)?;
    let relationships = package.relationships(&main)?;
    let root = presentation.root();
    let size = presentation.child(root, Ns::P, "sldSz");
    let number = |name: &str, otherwise: i64| {
        size.and_then(|node| presentation.value(node, Ns::None, name))
            .and_then(|value| value.parse().ok())
            .filter(|size| *size > 0)
            .unwrap_or(otherwise)
    };
    let mut slides = Vec::new();
    let list = presentation.child(root, Ns::P, "sldIdLst");
    for entry in list.into_iter().flat_map(|list| presentation.children_named(list, Ns::P, "sldId")) {
        if cancel() {
            return Err(DocumentError::Cancelled);
        }
        let id = presentation.value(entry, Ns::None, "id").and_then(|value| value.parse().ok()).unwrap_or(0);
        let target = presentation.value(entry, Ns::R, "id").unwrap_or_default();
        let part = relationships
            .by_id(&target)
            .and_then(|relationship| relationship.part())
            .filter(|part| package.has(part));
        let slide = part.and_then(|part| read_slide(&package, &part).ok());
        slides.push(Slide { id, ..slide.unwrap_or_default() });
    }
    Ok(SlideList { width: number("cx", DEFAULT_SIZE.0), height: number("cy", DEFAULT_SIZE.1), slides })
}

fn read_slide(package: &Package<'_>, part: &PartName) -> Result<Slide, DocumentError> {
    let xml = package.xml(part)?;
    let relationships = package.relationships(part)?;
    let layout_part = relationships.part_of_kind("slideLayout").filter(|part| package.has(part));
    let layout = layout_part.as_ref().and_then(|part| package.xml(part).ok());
    let master_part =
        layout_part.as_ref().and_then(|part| package.relationships(part).ok()?.part_of_kind("slideMaster"));
    let master = master_part.filter(|part| package.has(part)).and_then(|part| package.xml(&part).ok());
    let above: Vec<&Xml> = layout.iter().chain(master.iter()).collect();

    let mut shapes = Vec::new();
    if let Some(tree) = xml.descendants_named(xml.root(), Ns::P, "spTree").next() {
        collect(&xml, tree, &above, &mut shapes, 0);
    }
    let title =
        shapes.iter().find(|shape| matches!(shape.placeholder.as_deref(), Some("title" | "ctrTitle")));
    let title = title.map(|shape| shape.paragraphs.join(" ")).unwrap_or_default();
    let hidden = xml.value(xml.root(), Ns::None, "show").is_some_and(|show| matches!(&*show, "0" | "false"));
    let notes = relationships.part_of_kind("notesSlide").filter(|part| package.has(part));
    let notes =
        notes.and_then(|part| package.xml(&part).ok()).map(|xml| notes_text(&xml)).unwrap_or_default();
    Ok(Slide { id: 0, title, hidden, notes, shapes })
}

/// A copy that the drawing library reads rightly: parts in UTF-8, and paragraphs of right-to-left text marked as such, which it
/// would otherwise draw in the wrong order. The same bytes when there is nothing to do; never saved.
pub fn drawable(bytes: &[u8], limits: &Limits) -> Result<Vec<u8>, DocumentError> {
    let mut package = Package::open(bytes, limits)?;
    for part in package.part_names() {
        let extension = part.extension().to_ascii_lowercase();
        if !matches!(extension.as_str(), "xml" | "rels") {
            continue;
        }
        let content = package.require(&part)?;
        let is_wide = content.starts_with(b"\xFF\xFE") || content.starts_with(b"\xFE\xFF");
        let is_slide =
            part.folder().trim_matches('/').eq_ignore_ascii_case("ppt/slides") && may_hold_rtl(&content);
        if !is_wide && !is_slide {
            continue;
        }
        let Ok(plain) = super::docx::utf8(&content, limits) else { continue };
        let changed =
            if is_slide || is_wide { marked_right_to_left(&plain, limits).unwrap_or(plain) } else { plain };
        package.replace(&part, changed).map_err(|error| DocumentError::Unsupported(error.to_string()))?;
    }
    Ok(package.finish().map_err(|error| DocumentError::Unsupported(error.to_string()))?.bytes)
}

/// Hebrew and Arabic letters in UTF-8 begin with D6 to DB.
fn may_hold_rtl(content: &[u8]) -> bool {
    content.iter().any(|byte| (0xD6..=0xDB).contains(byte))
}

fn marked_right_to_left(part: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    let xml = Xml::parse(part, limits).ok()?;
    let mut splices = Splices::default();
    for paragraph in xml.descendants_named(xml.root(), Ns::A, "p") {
        let text = paragraph_text(&xml, paragraph);
        let (mut right, mut left) = (0, 0);
        for character in text.chars().filter(|character| character.is_alphabetic()) {
            if ('\u{0590}'..='\u{08FF}').contains(&character) { right += 1 } else { left += 1 }
        }
        if right <= left {
            continue;
        }
        match xml.child(paragraph, Ns::A, "pPr") {
            Some(properties) if xml.value(properties, Ns::None, "rtl").is_some() => {}
            Some(properties) => {
                xml.set_attribute(&mut splices, properties, Ns::None, "rtl", "rtl", "1").ok()?
            }
            None if xml.is_empty_tag(paragraph) => {}
            None => splices
                .insert(xml.content(paragraph).start, format!("<{}pPr rtl=\"1\"/>", xml.prefix(paragraph))),
        }
    }
    splices.apply(xml.bytes()).ok()
}

/// Groups nest; deeper than this nobody draws by hand.
const DEEPEST_GROUP: usize = 32;

fn collect(xml: &Xml, tree: NodeId, above: &[&Xml], shapes: &mut Vec<ShapePlace>, depth: usize) {
    for node in xml.children(tree) {
        let is_branch = xml.is(node, Ns::Mc, "AlternateContent");
        let node = if is_branch {
            xml.children(node).next().and_then(|branch| xml.children(branch).next())
        } else {
            Some(node)
        };
        let Some(node) = node.filter(|node| xml.namespace(*node) == Ns::P) else { continue };
        let kind = match xml.local_name(node) {
            "sp" => "text",
            "pic" => "picture",
            "graphicFrame" => frame_kind(xml, node),
            "cxnSp" => "line",
            "grpSp" if depth < DEEPEST_GROUP => {
                shapes.push(shape(xml, node, "group", above));
                collect(xml, node, above, shapes, depth + 1);
                continue;
            }
            _ => continue,
        };
        shapes.push(shape(xml, node, kind, above));
    }
}

fn frame_kind(xml: &Xml, frame: NodeId) -> &'static str {
    let data = xml.descendants_named(frame, Ns::A, "graphicData").next();
    let content = data.and_then(|data| xml.children(data).next());
    match content.map(|content| (xml.namespace(content), xml.local_name(content))) {
        Some((Ns::A, "tbl")) => "table",
        Some((Ns::C | Ns::Cx, _)) => "chart",
        Some((Ns::Dgm, _)) => "diagram",
        _ => "other",
    }
}

fn shape(xml: &Xml, node: NodeId, kind: &str, above: &[&Xml]) -> ShapePlace {
    // The first: in a group the properties of the group itself come before those of its shapes.
    let properties = xml.descendants_named(node, Ns::P, "cNvPr").next();
    let value = |name| properties.and_then(|node| xml.value(node, Ns::None, name));
    let placeholder = if kind == "group" { None } else { xml.descendants_named(node, Ns::P, "ph").next() };
    let place = own_place(xml, node).or_else(|| {
        let placeholder = placeholder?;
        above.iter().find_map(|parent| inherited_place(parent, xml, placeholder))
    });
    let paragraphs = if kind == "group" { Vec::new() } else { paragraphs(xml, node) };
    ShapePlace {
        id: value("id").and_then(|id| id.parse().ok()).unwrap_or(0),
        name: value("name").map(|name| name.into_owned()).unwrap_or_default(),
        kind: kind.into(),
        placeholder: placeholder.map(|ph| {
            xml.value(ph, Ns::None, "type").map_or_else(|| "body".to_owned(), |kind| kind.into_owned())
        }),
        place,
        paragraphs,
    }
}

fn own_place(xml: &Xml, node: NodeId) -> Option<[i64; 4]> {
    let holder = ["spPr", "grpSpPr"].iter().find_map(|name| xml.child(node, Ns::P, name));
    let transform = match holder {
        Some(holder) => xml.child(holder, Ns::A, "xfrm"),
        None => xml.child(node, Ns::P, "xfrm"),
    }?;
    let (offset, extent) = (xml.child(transform, Ns::A, "off")?, xml.child(transform, Ns::A, "ext")?);
    let number = |node, name| xml.value(node, Ns::None, name).and_then(|value| value.parse().ok());
    Some([number(offset, "x")?, number(offset, "y")?, number(extent, "cx")?, number(extent, "cy")?])
}

/// The place of the placeholder that this one stands for: the same index, else the same type.
fn inherited_place(parent: &Xml, xml: &Xml, placeholder: NodeId) -> Option<[i64; 4]> {
    let value = |xml: &Xml, node, name| xml.value(node, Ns::None, name).map(|value| value.into_owned());
    let (index, kind) = (value(xml, placeholder, "idx"), value(xml, placeholder, "type"));
    let kinds_match = |theirs: Option<String>| {
        let plain = |kind: Option<String>| {
            kind.map_or_else(
                || "body".to_owned(),
                |kind| if kind == "ctrTitle" { "title".into() } else { kind },
            )
        };
        plain(theirs) == plain(kind.clone())
    };
    let theirs: Vec<NodeId> = parent.descendants_named(parent.root(), Ns::P, "ph").collect();
    let by_index = theirs.iter().find(|ph| index.is_some() && value(parent, **ph, "idx") == index);
    let found = by_index.or_else(|| theirs.iter().find(|ph| kinds_match(value(parent, **ph, "type"))))?;
    let shape = parent.ancestors(*found).find(|node| parent.is(*node, Ns::P, "sp"))?;
    own_place(parent, shape)
}

fn paragraphs(xml: &Xml, node: NodeId) -> Vec<String> {
    xml.descendants_named(node, Ns::A, "p")
        .map(|paragraph| paragraph_text(xml, paragraph))
        .filter(|text| !text.is_empty())
        .collect()
}

fn paragraph_text(xml: &Xml, paragraph: NodeId) -> String {
    let mut text = String::new();
    for node in xml.descendants(paragraph) {
        if xml.is(node, Ns::A, "t") {
            text.push_str(&xml.text(node));
        } else if xml.is(node, Ns::A, "br") {
            text.push('\n');
        }
    }
    text
}

fn notes_text(xml: &Xml) -> String {
    let bodies = xml.descendants_named(xml.root(), Ns::P, "sp").filter(|shape| {
        let placeholder = xml.descendants_named(*shape, Ns::P, "ph").next();
        placeholder.is_some_and(|ph| xml.value(ph, Ns::None, "type").as_deref() == Some("body"))
    });
    bodies.flat_map(|shape| paragraphs(xml, shape)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
