//! The shapes of a slide, notes or layout part in drawing order, groups opened, markup-compatibility branches paired. Reading only.
//!
//! Of `mc:AlternateContent` the first branch counts (PowerPoint draws the Choice); the same shape in the other branches is its twin,
//! which an edit must treat alike (ECMA-376-3, 10.2).

use crate::package::xml::{NodeId, Ns, Xml};

/// What a shape is, as outlines say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShapeKind {
    Text,
    Picture,
    Media,
    Table,
    Chart,
    SmartArt,
    Object,
    Connector,
    Group,
    Ink,
    Other,
}

impl ShapeKind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            ShapeKind::Text => "text",
            ShapeKind::Picture => "picture",
            ShapeKind::Media => "media",
            ShapeKind::Table => "table",
            ShapeKind::Chart => "chart",
            ShapeKind::SmartArt => "smartart",
            ShapeKind::Object => "object",
            ShapeKind::Connector => "connector",
            ShapeKind::Group => "group",
            ShapeKind::Ink => "ink",
            ShapeKind::Other => "other",
        }
    }
}

/// A placeholder's type as written (`obj` when absent, 19.7.10) and index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placeholder {
    pub(super) kind: String,
    pub(super) index: u32,
}

impl Placeholder {
    /// The word of outlines and of the edit language.
    pub(super) fn word(&self) -> &str {
        match self.kind.as_str() {
            "title" | "ctrTitle" => "title",
            "body" | "obj" => "body",
            "subTitle" => "subtitle",
            "pic" => "picture",
            "clipArt" => "clip_art",
            "tbl" => "table",
            "dgm" => "diagram",
            "dt" => "date",
            "ftr" => "footer",
            "hdr" => "header",
            "sldNum" => "slide_number",
            "sldImg" => "slide_image",
            other => other,
        }
    }
}

/// One shape.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) element: NodeId,
    pub(super) id: u64,
    pub(super) name: String,
    /// The alternative text.
    pub(super) description: String,
    pub(super) kind: ShapeKind,
    pub(super) placeholder: Option<Placeholder>,
    /// The id of the group it lies in.
    pub(super) group: Option<u64>,
    /// `a:spLocks@noTextEdit`.
    pub(super) locked: bool,
    /// The same shape in the other branches of an `mc:AlternateContent`, and whether a branch had none.
    pub(super) twins: Vec<NodeId>,
    pub(super) untwinned: bool,
}

/// All shapes of a part with a shape tree.
pub(super) fn shapes(xml: &Xml) -> Vec<Shape> {
    let mut found = Vec::new();
    let tree = xml.child(xml.root(), Ns::P, "cSld").and_then(|data| xml.child(data, Ns::P, "spTree"));
    if let Some(tree) = tree {
        collect(xml, tree, None, &mut found);
    }
    found
}

fn collect(xml: &Xml, parent: NodeId, group: Option<u64>, found: &mut Vec<Shape>) {
    for child in xml.children(parent) {
        if xml.is(child, Ns::Mc, "AlternateContent") {
            collect_branches(xml, child, group, found);
        } else if let Some(shape) = read(xml, child, group) {
            let inner = (shape.kind == ShapeKind::Group).then_some(shape.id);
            found.push(shape);
            if inner.is_some() {
                collect(xml, child, inner, found);
            }
        }
    }
}

fn collect_branches(xml: &Xml, alternate: NodeId, group: Option<u64>, found: &mut Vec<Shape>) {
    let mut branches = branches(xml, alternate).into_iter();
    let Some(first) = branches.next() else { return };
    let start = found.len();
    collect(xml, first, group, found);
    for branch in branches {
        let mut others = Vec::new();
        collect(xml, branch, group, &mut others);
        let single = found.len() - start == 1 && others.len() == 1;
        for shape in &mut found[start..] {
            match others.iter().find(|other| single || (other.id == shape.id && other.id != 0)) {
                Some(twin) => {
                    shape.twins.push(twin.element);
                    shape.twins.extend(&twin.twins);
                }
                None => shape.untwinned = true,
            }
        }
    }
}

/// The branches of an `mc:AlternateContent`, choices before the fallback, as they stand.
pub(super) fn branches(xml: &Xml, alternate: NodeId) -> Vec<NodeId> {
    let is_branch = |child: &NodeId| xml.is(*child, Ns::Mc, "Choice") || xml.is(*child, Ns::Mc, "Fallback");
    xml.children(alternate).filter(is_branch).collect()
}

fn read(xml: &Xml, element: NodeId, group: Option<u64>) -> Option<Shape> {
    let kind = kind_of(xml, element)?;
    let frame = xml.children(element).find(|child| xml.local_name(*child).starts_with("nv"))?;
    let named = |local: &str| xml.children(frame).find(|child| xml.local_name(*child) == local);
    let identity = named("cNvPr")?;
    let value =
        |name| xml.value(identity, Ns::None, name).map(|value| value.into_owned()).unwrap_or_default();
    let placeholder = named("nvPr").and_then(|more| xml.child(more, Ns::P, "ph")).map(|ph| Placeholder {
        kind: xml.value(ph, Ns::None, "type").map_or_else(|| "obj".into(), |kind| kind.into_owned()),
        index: xml.value(ph, Ns::None, "idx").and_then(|index| index.trim().parse().ok()).unwrap_or(0),
    });
    let locks = named("cNvSpPr").and_then(|more| xml.child(more, Ns::A, "spLocks"));
    let locked = locks
        .and_then(|locks| xml.value(locks, Ns::None, "noTextEdit"))
        .is_some_and(|lock| matches!(lock.trim(), "1" | "true"));
    Some(Shape {
        element,
        id: value("id").trim().parse().unwrap_or(0),
        name: value("name"),
        description: value("descr"),
        kind,
        placeholder,
        group,
        locked,
        twins: Vec::new(),
        untwinned: false,
    })
}

fn kind_of(xml: &Xml, element: NodeId) -> Option<ShapeKind> {
    if xml.namespace(element) != Ns::P {
        return (xml.local_name(element) == "contentPart").then_some(ShapeKind::Ink);
    }
    Some(match xml.local_name(element) {
        "sp" => ShapeKind::Text,
        "cxnSp" => ShapeKind::Connector,
        "grpSp" => ShapeKind::Group,
        "contentPart" => ShapeKind::Ink,
        "pic" => match xml.descendants(element).any(|node| is_media(xml, node)) {
            true => ShapeKind::Media,
            false => ShapeKind::Picture,
        },
        "graphicFrame" => frame_kind(xml, element),
        _ => return None,
    })
}

fn is_media(xml: &Xml, node: NodeId) -> bool {
    ["videoFile", "audioFile", "wavAudioFile", "quickTimeFile", "audioCd"]
        .iter()
        .any(|local| xml.is(node, Ns::A, local))
}

fn frame_kind(xml: &Xml, frame: NodeId) -> ShapeKind {
    let Some(data) = graphic_data(xml, frame) else { return ShapeKind::Other };
    let uri = xml.value(data, Ns::None, "uri").unwrap_or_default();
    match uri.rsplit_once('/').map_or("", |(_, last)| last) {
        "table" => ShapeKind::Table,
        "chart" | "chartex" => ShapeKind::Chart,
        "diagram" => ShapeKind::SmartArt,
        "ole" => ShapeKind::Object,
        _ => ShapeKind::Other,
    }
}

/// The `a:graphicData` of a graphic frame.
pub(super) fn graphic_data(xml: &Xml, frame: NodeId) -> Option<NodeId> {
    xml.child(frame, Ns::A, "graphic").and_then(|graphic| xml.child(graphic, Ns::A, "graphicData"))
}

/// The text body of an `sp`; the unusual text bodies of other frames (locked canvases) are found by `bodies`.
pub(super) fn text_body(xml: &Xml, shape: NodeId) -> Option<NodeId> {
    xml.child(shape, Ns::P, "txBody")
}

/// The cells of a table as `(row, column, cell)`, 1-based, continuation cells of merges left out (21.1.3.16).
pub(super) fn cells(xml: &Xml, frame: NodeId) -> Vec<(usize, usize, NodeId)> {
    let Some(table) = table(xml, frame) else { return Vec::new() };
    let mut found = Vec::new();
    for (row, line) in xml.children_named(table, Ns::A, "tr").enumerate() {
        for (column, cell) in xml.children_named(line, Ns::A, "tc").enumerate() {
            if !is_merged_away(xml, cell) {
                found.push((row + 1, column + 1, cell));
            }
        }
    }
    found
}

/// The `a:tbl` of a graphic frame.
pub(super) fn table(xml: &Xml, frame: NodeId) -> Option<NodeId> {
    graphic_data(xml, frame).and_then(|data| xml.child(data, Ns::A, "tbl"))
}

/// Whether a cell is only the continuation of a merged one.
pub(super) fn is_merged_away(xml: &Xml, cell: NodeId) -> bool {
    let is_set =
        |name| xml.value(cell, Ns::None, name).is_some_and(|value| matches!(value.trim(), "1" | "true"));
    is_set("hMerge") || is_set("vMerge")
}

/// The title shape's place in a list of shapes.
pub(super) fn title(shapes: &[Shape]) -> Option<&Shape> {
    shapes.iter().find(|shape| shape.placeholder.as_ref().is_some_and(|ph| ph.word() == "title"))
}
