//! Whether the text of a shape fits its box: an estimate by font sizes, box and the length of the text, for a warning, never a refusal.
//!
//! Only boxes of a fixed size are judged: where PowerPoint shrinks the text or grows the shape (`a:normAutofit`, `a:spAutoFit`, 21.1.2.1)
//! nothing is said. There are no font files here, so widths are those of a middling sans-serif.

use std::rc::Rc;

use super::{
    body::{Body, Paragraph, PieceKind},
    parts::Parts,
    rewrite::level_of,
    shapes::{Shape, ShapeKind, shapes, text_body},
    typesetting::{Piece, lines},
};
use crate::{
    DocumentError,
    package::{
        PartName,
        xml::{NodeId, Ns, Xml},
    },
};

/// English Metric Units in a point.
const EMU: f64 = 12_700.0;
/// The font size where nobody says one (`ST_TextFontSize`, 20.1.10.73, in hundredths of a point).
const USUAL_SIZE: f64 = 1_800.0;
/// Single line spacing of common fonts.
const LINE: f64 = 1.2;

/// How much room text needs and has, in points, along the side where it is short of room.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fit {
    pub(super) needed: f64,
    pub(super) room: f64,
    /// The height of a usual line.
    line: f64,
}

impl Fit {
    /// Whether the text surely runs over the edge: by more than half a line, for this is an estimate.
    pub(super) fn is_over(&self) -> bool {
        self.needed > self.room * 1.05 + self.line / 2.0
    }

    /// The need in hundredths of the room.
    pub(super) fn percent(&self) -> u32 {
        (self.needed / self.room.max(1.0) * 100.0).round().min(10_000.0) as u32
    }
}

/// How the text of a shape fits; `None` where the box is not fixed, has no size or no text.
pub(super) fn fit(
    parts: &Parts<'_, '_>,
    slide: &PartName,
    xml: &Rc<Xml>,
    shape: &Shape,
) -> Result<Option<Fit>, DocumentError> {
    if shape.kind != ShapeKind::Text {
        return Ok(None);
    }
    let Some(text) = text_body(xml, shape.element) else { return Ok(None) };
    if xml.child(text, Ns::A, "bodyPr").is_some_and(|properties| grows_or_shrinks(xml, properties)) {
        return Ok(None);
    }
    let models = Models::of(parts, slide, xml, shape)?;
    let body = Body::read(xml, text);
    Ok(models.room(shape).map(|room| models.needed(xml, &body, &room)))
}

fn grows_or_shrinks(xml: &Xml, properties: NodeId) -> bool {
    ["normAutofit", "spAutoFit"].iter().any(|local| xml.child(properties, Ns::A, local).is_some())
}

/// A shape and the placeholders it takes after, nearest first, with the list styles that hold for its text.
struct Models {
    shapes: Vec<(Rc<Xml>, NodeId)>,
    styles: Vec<(Rc<Xml>, NodeId)>,
}

/// The inside of a box in points.
struct Room {
    width: f64,
    height: f64,
    wraps: bool,
}

impl Models {
    fn of(
        parts: &Parts<'_, '_>,
        slide: &PartName,
        xml: &Rc<Xml>,
        shape: &Shape,
    ) -> Result<Models, DocumentError> {
        let mut models = Models { shapes: vec![(xml.clone(), shape.element)], styles: Vec::new() };
        let mut text_styles = None;
        if let Some(own) = &shape.placeholder {
            let mut source = slide.clone();
            for kind in ["slideLayout", "slideMaster"] {
                let next = parts.package.relationships(&source)?.part_of_kind(kind);
                let Some(part) = next.filter(|part| parts.package.has(part)) else { break };
                let there = parts.xml(&part)?;
                let all = shapes(&there);
                let is_master = kind == "slideMaster";
                if let Some(model) = model(&all, own.word(), (!is_master).then_some(own.index)) {
                    models.shapes.push((there.clone(), model.element));
                }
                if is_master {
                    text_styles = there.child(there.root(), Ns::P, "txStyles").map(|styles| (there, styles));
                }
                source = part;
            }
            let name = match own.word() {
                "title" => "titleStyle",
                "date" | "footer" | "slide_number" | "header" => "otherStyle",
                _ => "bodyStyle",
            };
            text_styles = text_styles
                .and_then(|(master, styles)| master.child(styles, Ns::P, name).map(|style| (master, style)));
        }
        for (xml, shape) in &models.shapes {
            let style = text_body(xml, *shape).and_then(|body| xml.child(body, Ns::A, "lstStyle"));
            models.styles.extend(style.map(|style| (xml.clone(), style)));
        }
        models.styles.extend(text_styles);
        let main = parts.package.main_part()?;
        let presentation = parts.xml(&main)?;
        let usual = presentation.child(presentation.root(), Ns::P, "defaultTextStyle");
        models.styles.extend(usual.map(|style| (presentation.clone(), style)));
        Ok(models)
    }

    /// The first thing that a shape's own or inherited body properties say.
    fn body_property<T>(&self, read: impl Fn(&Xml, NodeId) -> Option<T>) -> Option<T> {
        self.shapes.iter().find_map(|(xml, shape)| {
            let properties = xml.child(text_body(xml, *shape)?, Ns::A, "bodyPr")?;
            read(xml, properties)
        })
    }

    fn room(&self, shape: &Shape) -> Option<Room> {
        let autofit = self.body_property(|xml, properties| {
            let said = ["noAutofit", "normAutofit", "spAutoFit"];
            let is_said = said.iter().any(|local| xml.child(properties, Ns::A, local).is_some());
            is_said.then(|| grows_or_shrinks(xml, properties))
        });
        if autofit == Some(true) {
            return None;
        }
        let (mut width, mut height) = self.size()?;
        let geometry = self.shapes.iter().find_map(|(xml, shape)| {
            let properties = xml.child(*shape, Ns::P, "spPr")?;
            let geometry = xml.child(properties, Ns::A, "prstGeom")?;
            xml.value(geometry, Ns::None, "prst").map(|name| name.into_owned())
        });
        // The text rectangles of `presetShapeDefinitions.xml` (20.1.10.56).
        let share = match geometry.as_deref() {
            Some("ellipse") => 0.707,
            Some("diamond" | "triangle") => 0.5,
            _ => 1.0,
        };
        (width, height) = (width * share, height * share);
        if let Some((xml, _)) = self.shapes.first() {
            let (x, y) = group_scale(xml, shape.element);
            (width, height) = (width * x, height * y);
        }
        let word = |name| self.body_property(|xml, properties| value(xml, properties, name));
        let inset = |name, usual: f64| {
            self.body_property(|xml, properties| number(xml, properties, name)).unwrap_or(usual)
        };
        // `CT_TextBodyProperties` (21.1.2.1.1): a tenth of an inch at the sides, half of it above and below.
        width -= inset("lIns", 91_440.0) + inset("rIns", 91_440.0);
        height -= inset("tIns", 45_720.0) + inset("bIns", 45_720.0);
        let is_upright = word("vert").is_some_and(|vert| vert != "horz");
        if is_upright {
            (width, height) = (height, width);
        }
        let columns = self.body_property(|xml, properties| number(xml, properties, "numCol")).unwrap_or(1.0);
        let (width, height) = (width / EMU / columns.max(1.0), height / EMU * columns.max(1.0));
        let wraps = word("wrap").is_none_or(|wrap| wrap != "none");
        (width > 0.0 && height > 0.0).then_some(Room { width, height, wraps })
    }

    /// Width and height of the shape or of the placeholder it takes after.
    fn size(&self) -> Option<(f64, f64)> {
        self.shapes.iter().find_map(|(xml, shape)| {
            let frame = xml.child(xml.child(*shape, Ns::P, "spPr")?, Ns::A, "xfrm")?;
            let size = xml.child(frame, Ns::A, "ext")?;
            Some((number(xml, size, "cx")?, number(xml, size, "cy")?))
        })
    }

    /// What a list style says for a level.
    fn styled<T>(&self, level: u8, read: impl Fn(&Xml, NodeId) -> Option<T>) -> Option<T> {
        let name = format!("lvl{}pPr", level + 1);
        self.styles.iter().find_map(|(xml, style)| read(xml, xml.child(*style, Ns::A, &name)?))
    }

    fn needed(&self, xml: &Xml, body: &Body, room: &Room) -> Fit {
        let (mut height, mut widest, mut line) = (0.0, 0.0_f64, USUAL_SIZE / 100.0 * LINE);
        for (index, paragraph) in body.paragraphs.iter().enumerate() {
            let level = level_of(xml, paragraph).min(8);
            let own = xml.child(paragraph.element, Ns::A, "pPr");
            let of = |name: &str, size: f64| -> Option<f64> {
                let own = own.and_then(|own| spacing(xml, own, name, size));
                own.or_else(|| self.styled(level, |xml, style| spacing(xml, style, name, size)))
            };
            let usual = self.styled(level, size_of_style).unwrap_or(USUAL_SIZE) / 100.0;
            let pieces = pieces(xml, paragraph, usual);
            let largest = pieces.iter().map(|piece| piece.size).fold(0.0, f64::max);
            let size = if largest > 0.0 { largest } else { end_size(xml, paragraph).unwrap_or(usual) };
            line = size * LINE;
            let margin = own.and_then(|own| number(xml, own, "marL"));
            let margin =
                margin.or_else(|| self.styled(level, |xml, style| number(xml, style, "marL"))).unwrap_or(0.0);
            let width = if room.wraps { (room.width - margin / EMU).max(size) } else { f64::INFINITY };
            let set = lines(&pieces, width);
            widest = widest.max(set.widest);
            height += set.count as f64 * of("lnSpc", size * LINE).unwrap_or(size * LINE);
            if index > 0 {
                height += of("spcBef", size).unwrap_or(0.0);
            }
            height += of("spcAft", size).unwrap_or(0.0);
        }
        match !room.wraps && widest / room.width > height / room.height {
            true => Fit { needed: widest, room: room.width, line },
            false => Fit { needed: height, room: room.height, line },
        }
    }
}

/// The placeholder of a layout (by index, then by type) or of a master (by type alone) that another takes after.
fn model<'s>(all: &'s [Shape], word: &str, index: Option<u32>) -> Option<&'s Shape> {
    let with = |wanted: &dyn Fn(&str, u32) -> bool| {
        let fits = |shape: &&Shape| shape.placeholder.as_ref().is_some_and(|ph| wanted(ph.word(), ph.index));
        all.iter().find(fits)
    };
    match index {
        Some(index) => with(&|other, at| at == index && other == word)
            .or_else(|| with(&|_, at| at == index && index != 0))
            .or_else(|| with(&|other, _| other == word)),
        None => {
            let of_master = match word {
                "title" | "date" | "footer" | "slide_number" => word,
                _ => "body",
            };
            with(&|other, _| other == of_master)
        }
    }
}

/// By how much the groups around a shape stretch it.
fn group_scale(xml: &Xml, shape: NodeId) -> (f64, f64) {
    let mut scale = (1.0, 1.0);
    for group in xml.ancestors(shape).filter(|node| xml.is(*node, Ns::P, "grpSp")) {
        let frame =
            xml.child(group, Ns::P, "grpSpPr").and_then(|properties| xml.child(properties, Ns::A, "xfrm"));
        let side = |element: &str, name| {
            let size = frame.and_then(|frame| xml.child(frame, Ns::A, element))?;
            number(xml, size, name).filter(|side| *side > 0.0)
        };
        let ratio =
            |name| side("ext", name).zip(side("chExt", name)).map_or(1.0, |(out, inside)| out / inside);
        scale = (scale.0 * ratio("cx"), scale.1 * ratio("cy"));
    }
    scale
}

fn value(xml: &Xml, element: NodeId, name: &str) -> Option<String> {
    xml.value(element, Ns::None, name).map(|value| value.trim().to_owned())
}

fn number(xml: &Xml, element: NodeId, name: &str) -> Option<f64> {
    value(xml, element, name)?.parse::<f64>().ok().filter(|number| number.is_finite())
}

fn size_of_style(xml: &Xml, style: NodeId) -> Option<f64> {
    number(xml, xml.child(style, Ns::A, "defRPr")?, "sz")
}

/// A spacing in points: `a:spcPct` of a size, or `a:spcPts` (21.1.2.2.9).
fn spacing(xml: &Xml, properties: NodeId, name: &str, size: f64) -> Option<f64> {
    let spacing = xml.child(properties, Ns::A, name)?;
    let of = |local| xml.child(spacing, Ns::A, local);
    let share = of("spcPct").and_then(|share| {
        // Strict documents write `90%`.
        let text = value(xml, share, "val")?;
        match text.strip_suffix('%') {
            Some(percent) => percent.parse::<f64>().ok().map(|percent| percent / 100.0),
            None => text.parse::<f64>().ok().map(|thousandths| thousandths / 100_000.0),
        }
    });
    let points = || of("spcPts").and_then(|points| number(xml, points, "val")).map(|points| points / 100.0);
    share.map(|share| share * size).or_else(points)
}

/// The size of an empty paragraph.
fn end_size(xml: &Xml, paragraph: &Paragraph) -> Option<f64> {
    let end = xml.child(paragraph.element, Ns::A, "endParaRPr")?;
    number(xml, end, "sz").map(|size| size / 100.0)
}

/// The runs of a paragraph with their sizes.
fn pieces<'p>(xml: &Xml, paragraph: &'p Paragraph, usual: f64) -> Vec<Piece<'p>> {
    let shown = paragraph.pieces.iter().filter(|piece| piece.kind != PieceKind::Object);
    let piece = |piece: &super::body::Piece| {
        let properties = xml.child(piece.element, Ns::A, "rPr");
        let of = |name| properties.and_then(|properties| value(xml, properties, name));
        let size = of("sz").and_then(|size| size.parse::<f64>().ok()).map_or(usual, |size| size / 100.0);
        Piece {
            text: &paragraph.text[piece.range.clone()],
            size,
            is_bold: of("b").is_some_and(|bold| matches!(bold.as_str(), "1" | "true")),
            is_capital: of("cap").is_some_and(|capital| capital == "all"),
        }
    };
    shown.map(piece).collect()
}
