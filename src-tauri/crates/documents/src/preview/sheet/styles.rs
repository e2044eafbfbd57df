//! Cell formats (18.8): what a cell looks like, by the index that its `s` attribute names.

use serde::{Deserialize, Serialize};

use super::{colors::Palette, truth};
use crate::{
    DocumentError,
    package::{
        Package, Relationships,
        xml::{NodeId, Ns, Xml},
    },
};

/// The look of a cell; what is not said is the default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CellStyle {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub font: Option<String>,
    /// Points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<f32>,
    #[serde(skip_serializing_if = "is_false")]
    pub bold: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub italic: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub underline: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub strike: bool,
    /// `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill: Option<String>,
    /// `left`, `center`, `right`, `fill`, `justify`, `centerContinuous`, `distributed`; `None` follows the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub horizontal: Option<String>,
    /// `top`, `center`, `bottom`, `justify`, `distributed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertical: Option<String>,
    #[serde(skip_serializing_if = "is_false")]
    pub wrap: bool,
    #[serde(skip_serializing_if = "is_zero")]
    pub indent: u32,
    /// The format code; `None` is General.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number_format: Option<String>,
    /// Top, right, bottom, left.
    #[serde(skip_serializing_if = "no_lines")]
    pub border: [Option<BorderLine>; 4],
}

/// One side of a border.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BorderLine {
    /// `thin`, `medium`, `dashed`, … (18.18.3).
    pub line: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub color: Option<String>,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}

fn no_lines(lines: &[Option<BorderLine>; 4]) -> bool {
    lines.iter().all(Option::is_none)
}

/// All cell formats of a workbook, resolved.
#[derive(Debug, Default)]
pub(super) struct Styles {
    cells: Vec<CellStyle>,
    /// What conditional formats change (18.8.14).
    differential: Vec<CellStyle>,
    palette: Option<Palette>,
}

impl Styles {
    pub(super) fn read(
        package: &Package<'_>,
        workbook: &Relationships,
        palette: Palette,
    ) -> Result<Styles, DocumentError> {
        let Some(part) = workbook.part_of_kind("styles").filter(|part| package.has(part)) else {
            return Ok(Styles { palette: Some(palette), ..Styles::default() });
        };
        let xml = package.xml(&part)?;
        let palette = palette.with_indexed(&xml);
        let tables = Tables::of(&xml, &palette);
        let formats = list(&xml, "cellXfs").into_iter().map(|xf| tables.cell(xf)).collect();
        let differential = list(&xml, "dxfs").into_iter().map(|dxf| tables.differential(dxf)).collect();
        Ok(Styles { cells: formats, differential, palette: Some(palette) })
    }

    /// The changes behind a `dxfId`.
    pub(super) fn differential(&self, index: usize) -> CellStyle {
        self.differential.get(index).cloned().unwrap_or_default()
    }

    /// The changes that a rule of the extension brings along itself.
    pub(super) fn differential_in(&self, xml: &Xml, dxf: NodeId) -> CellStyle {
        self.palette.as_ref().map(|palette| Tables::of(xml, palette).differential(dxf)).unwrap_or_default()
    }

    pub(super) fn palette(&self) -> Option<&Palette> {
        self.palette.as_ref()
    }

    /// The look behind an index; an index that does not exist looks plain.
    pub(super) fn cell(&self, index: u32) -> CellStyle {
        self.cells.get(index as usize).cloned().unwrap_or_default()
    }

    pub(super) fn color(&self, xml: &Xml, element: NodeId) -> Option<String> {
        self.palette.as_ref().and_then(|palette| palette.color(xml, element))
    }
}

struct Tables<'x> {
    xml: &'x Xml,
    palette: &'x Palette,
    fonts: Vec<NodeId>,
    fills: Vec<NodeId>,
    borders: Vec<NodeId>,
    formats: Vec<(u32, String)>,
}

impl<'x> Tables<'x> {
    fn of(xml: &'x Xml, palette: &'x Palette) -> Tables<'x> {
        let number = |node| {
            let id = xml.value(node, Ns::None, "numFmtId")?.parse().ok()?;
            Some((id, xml.value(node, Ns::None, "formatCode")?.into_owned()))
        };
        let formats = list(xml, "numFmts").into_iter().filter_map(number).collect();
        Tables {
            xml,
            palette,
            fonts: list(xml, "fonts"),
            fills: list(xml, "fills"),
            borders: list(xml, "borders"),
            formats,
        }
    }

    fn cell(&self, xf: NodeId) -> CellStyle {
        let mut style = CellStyle::default();
        let index = |name| self.xml.value(xf, Ns::None, name).and_then(|value| value.parse::<usize>().ok());
        if let Some(font) = index("fontId").and_then(|id| self.fonts.get(id)) {
            self.font(*font, &mut style);
        }
        style.fill = index("fillId").and_then(|id| self.fills.get(id)).and_then(|fill| self.fill(*fill));
        if let Some(border) = index("borderId").and_then(|id| self.borders.get(id)) {
            style.border = ["top", "right", "bottom", "left"].map(|side| self.line(*border, side));
        }
        style.number_format = index("numFmtId").and_then(|id| self.number_format(id as u32));
        if let Some(alignment) = self.xml.child(xf, Ns::S, "alignment") {
            let value = |name| self.xml.value(alignment, Ns::None, name).map(|value| value.into_owned());
            style.horizontal = value("horizontal").filter(|word| word != "general");
            style.vertical = value("vertical");
            style.wrap = value("wrapText").is_some_and(|on| truth(&on));
            style.indent = value("indent").and_then(|number| number.parse().ok()).unwrap_or(0);
        }
        style
    }

    fn differential(&self, dxf: NodeId) -> CellStyle {
        let mut style = CellStyle::default();
        if let Some(font) = self.xml.child(dxf, Ns::S, "font") {
            self.font(font, &mut style);
        }
        // In a differential format the ground of a plain fill stands as its background (18.8.22).
        let pattern =
            self.xml.child(dxf, Ns::S, "fill").and_then(|fill| self.xml.child(fill, Ns::S, "patternFill"));
        style.fill = pattern.and_then(|pattern| {
            self.pattern_color(pattern, "bgColor").or_else(|| self.pattern_color(pattern, "fgColor"))
        });
        if let Some(border) = self.xml.child(dxf, Ns::S, "border") {
            style.border = ["top", "right", "bottom", "left"].map(|side| self.line(border, side));
        }
        let format = self.xml.child(dxf, Ns::S, "numFmt");
        style.number_format = format
            .and_then(|node| self.xml.value(node, Ns::None, "formatCode"))
            .map(|code| code.into_owned());
        style
    }

    fn font(&self, font: NodeId, style: &mut CellStyle) {
        let child = |name| self.xml.child(font, Ns::S, name);
        let value = |name| child(name).and_then(|node| self.xml.value(node, Ns::None, "val"));
        let on = |name| child(name).is_some() && value(name).is_none_or(|text| truth(&text));
        style.font = value("name").map(|name| name.into_owned());
        style.size = value("sz").and_then(|size| size.parse().ok());
        style.bold = on("b");
        style.italic = on("i");
        style.strike = on("strike");
        style.underline = child("u").is_some() && value("u").is_none_or(|kind| kind != "none");
        style.color = child("color").and_then(|color| self.palette.color(self.xml, color));
    }

    fn fill(&self, fill: NodeId) -> Option<String> {
        if let Some(gradient) = self.xml.child(fill, Ns::S, "gradientFill") {
            let stop = self.xml.descendants_named(gradient, Ns::S, "color").next()?;
            return self.palette.color(self.xml, stop);
        }
        let pattern = self.xml.child(fill, Ns::S, "patternFill")?;
        match self.xml.value(pattern, Ns::None, "patternType").as_deref() {
            None | Some("none") => None,
            Some("solid") => self.pattern_color(pattern, "fgColor"),
            Some(_) => {
                self.pattern_color(pattern, "bgColor").or_else(|| self.pattern_color(pattern, "fgColor"))
            }
        }
    }

    fn pattern_color(&self, pattern: NodeId, name: &str) -> Option<String> {
        self.xml.child(pattern, Ns::S, name).and_then(|color| self.palette.color(self.xml, color))
    }

    fn line(&self, border: NodeId, side: &str) -> Option<BorderLine> {
        // Strict documents and right-to-left sheets call the sides start and end.
        let other = match side {
            "left" => "start",
            "right" => "end",
            same => same,
        };
        let node = self.xml.child(border, Ns::S, side).or_else(|| self.xml.child(border, Ns::S, other))?;
        let line = self.xml.value(node, Ns::None, "style").filter(|style| style != "none")?.into_owned();
        let color =
            self.xml.child(node, Ns::S, "color").and_then(|color| self.palette.color(self.xml, color));
        Some(BorderLine { line, color })
    }

    fn number_format(&self, id: u32) -> Option<String> {
        let own = self.formats.iter().find(|(known, _)| *known == id).map(|(_, code)| code.clone());
        own.or_else(|| built_in(id).map(str::to_owned)).filter(|code| !code.eq_ignore_ascii_case("general"))
    }
}

fn list(xml: &Xml, name: &str) -> Vec<NodeId> {
    xml.child(xml.root(), Ns::S, name).map(|list| xml.children(list).collect()).unwrap_or_default()
}

/// The formats that files only number (18.8.30).
fn built_in(id: u32) -> Option<&'static str> {
    Some(match id {
        1 => "0",
        2 => "0.00",
        3 => "#,##0",
        4 => "#,##0.00",
        9 => "0%",
        10 => "0.00%",
        11 => "0.00E+00",
        12 => "# ?/?",
        13 => "# ??/??",
        14 => "yyyy-mm-dd",
        15 => "d-mmm-yy",
        16 => "d-mmm",
        17 => "mmm-yy",
        18 => "h:mm AM/PM",
        19 => "h:mm:ss AM/PM",
        20 => "h:mm",
        21 => "h:mm:ss",
        22 => "yyyy-mm-dd h:mm",
        37 => "#,##0 ;(#,##0)",
        38 => "#,##0 ;[Red](#,##0)",
        39 => "#,##0.00;(#,##0.00)",
        40 => "#,##0.00;[Red](#,##0.00)",
        45 => "mm:ss",
        46 => "[h]:mm:ss",
        47 => "mmss.0",
        48 => "##0.0E+0",
        49 => "@",
        27..=31 | 36 | 50..=58 => "yyyy-mm-dd",
        32..=35 => "h:mm:ss",
        _ => return None,
    })
}
