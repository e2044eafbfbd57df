//! Colours of a workbook: theme with tint, the old indexed palette, plain RGB (18.8.3, 18.8.19, 20.1.6.2).

use crate::{
    DocumentError,
    package::{
        Package, Relationships,
        xml::{NodeId, Ns, Xml},
    },
};

/// The default of the indexed palette (18.8.27), entries 0 to 63; 64 is the window's text, 65 its ground.
const INDEXED: [u32; 64] = [
    0x000000, 0xFFFFFF, 0xFF0000, 0x00FF00, 0x0000FF, 0xFFFF00, 0xFF00FF, 0x00FFFF, 0x000000, 0xFFFFFF,
    0xFF0000, 0x00FF00, 0x0000FF, 0xFFFF00, 0xFF00FF, 0x00FFFF, 0x800000, 0x008000, 0x000080, 0x808000,
    0x800080, 0x008080, 0xC0C0C0, 0x808080, 0x9999FF, 0x993366, 0xFFFFCC, 0xCCFFFF, 0x660066, 0xFF8080,
    0x0066CC, 0xCCCCFF, 0x000080, 0xFF00FF, 0xFFFF00, 0x00FFFF, 0x800080, 0x800000, 0x008080, 0x0000FF,
    0x00CCFF, 0xCCFFFF, 0xCCFFCC, 0xFFFF99, 0x99CCFF, 0xFF99CC, 0xCC99FF, 0xFFCC99, 0x3366FF, 0x33CCCC,
    0x99CC00, 0xFFCC00, 0xFF9900, 0xFF6600, 0x666699, 0x969696, 0x003366, 0x339966, 0x003300, 0x333300,
    0x993300, 0x993366, 0x333399, 0x333333,
];

/// The order in which `theme="n"` counts: light and dark change places against the theme part.
const THEME_ORDER: [&str; 12] = [
    "lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink",
    "folHlink",
];

/// Office's own theme, for workbooks without one.
const OFFICE: [u32; 12] = [
    0xFFFFFF, 0x000000, 0xE7E6E6, 0x44546A, 0x4472C4, 0xED7D31, 0xA5A5A5, 0xFFC000, 0x5B9BD5, 0x70AD47,
    0x0563C1, 0x954F72,
];

/// The colours that a workbook's styles may name.
#[derive(Debug, Clone)]
pub(super) struct Palette {
    theme: [u32; 12],
    indexed: [u32; 64],
}

impl Palette {
    pub(super) fn read(package: &Package<'_>, workbook: &Relationships) -> Result<Palette, DocumentError> {
        let mut palette = Palette { theme: OFFICE, indexed: INDEXED };
        let Some(part) = workbook.part_of_kind("theme").filter(|part| package.has(part)) else {
            return Ok(palette);
        };
        let Ok(theme) = package.xml(&part) else { return Ok(palette) };
        let Some(scheme) = theme.descendants_named(theme.root(), Ns::A, "clrScheme").next() else {
            return Ok(palette);
        };
        for (slot, name) in palette.theme.iter_mut().zip(THEME_ORDER) {
            let color = theme.child(scheme, Ns::A, name).and_then(|entry| theme.children(entry).next());
            let value = color.and_then(|color| {
                theme.value(color, Ns::None, "lastClr").or_else(|| theme.value(color, Ns::None, "val"))
            });
            if let Some(rgb) = value.and_then(|value| u32::from_str_radix(&value, 16).ok()) {
                *slot = rgb & 0xFF_FFFF;
            }
        }
        Ok(palette)
    }

    /// Takes the workbook's own indexed palette, when its styles have one.
    pub(super) fn with_indexed(mut self, styles: &Xml) -> Palette {
        let colors = styles.descendants_named(styles.root(), Ns::S, "indexedColors").next();
        let entries = colors.into_iter().flat_map(|list| styles.children_named(list, Ns::S, "rgbColor"));
        for (slot, entry) in self.indexed.iter_mut().zip(entries) {
            if let Some(rgb) = styles.value(entry, Ns::None, "rgb").and_then(|value| rgb_of(&value)) {
                *slot = rgb;
            }
        }
        self
    }

    /// `#rrggbb` of a colour element; `None` when it is automatic or names nothing.
    pub(super) fn color(&self, xml: &Xml, element: NodeId) -> Option<String> {
        self.named(|name| xml.value(element, Ns::None, name).map(|value| value.into_owned()))
    }

    /// The same of attributes, however they were read.
    pub(super) fn named(&self, value: impl Fn(&str) -> Option<String>) -> Option<String> {
        let plain = value("rgb").and_then(|text| rgb_of(&text));
        let themed = || value("theme").and_then(|text| self.theme.get(text.parse::<usize>().ok()?).copied());
        let indexed =
            || value("indexed").and_then(|text| self.indexed.get(text.parse::<usize>().ok()?).copied());
        let base = plain.or_else(themed).or_else(indexed)?;
        let tint = value("tint").and_then(|text| text.parse().ok()).unwrap_or(0.0);
        Some(format!("#{:06x}", tinted(base, tint)))
    }
}

fn rgb_of(text: &str) -> Option<u32> {
    // `AARRGGBB`; the alpha is always opaque in a cell.
    let digits = text.get(text.len().checked_sub(6)?..)?;
    u32::from_str_radix(digits, 16).ok()
}

/// Lightens (tint above 0) or darkens a colour, in HLS as 18.8.19 says.
fn tinted(rgb: u32, tint: f64) -> u32 {
    if tint == 0.0 {
        return rgb;
    }
    let channel = |shift: u32| f64::from((rgb >> shift) & 0xFF) / 255.0;
    let (red, green, blue) = (channel(16), channel(8), channel(0));
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let (lightness, spread) = ((most + least) / 2.0, most - least);
    let saturation = if spread == 0.0 { 0.0 } else { spread / (1.0 - (2.0 * lightness - 1.0).abs()) };
    let hue = match spread {
        0.0 => 0.0,
        _ if most == red => ((green - blue) / spread).rem_euclid(6.0),
        _ if most == green => (blue - red) / spread + 2.0,
        _ => (red - green) / spread + 4.0,
    };
    let lightness = if tint < 0.0 { lightness * (1.0 + tint) } else { lightness * (1.0 - tint) + tint };
    let chroma = (1.0 - (2.0 * lightness - 1.0).abs()) * saturation;
    let second = chroma * (1.0 - (hue.rem_euclid(2.0) - 1.0).abs());
    let (red, green, blue) = match hue as u8 {
        0 => (chroma, second, 0.0),
        1 => (second, chroma, 0.0),
        2 => (0.0, chroma, second),
        3 => (0.0, second, chroma),
        4 => (second, 0.0, chroma),
        _ => (chroma, 0.0, second),
    };
    let base = lightness - chroma / 2.0;
    let byte = |part: f64| ((part + base).clamp(0.0, 1.0) * 255.0).round() as u32;
    byte(red) << 16 | byte(green) << 8 | byte(blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tints_as_excel_does() {
        // Excel shows accent 1 of the Office theme at 80 % lighter as D9E1F2 (one step of rounding apart), dark at 25 % as 2F5597.
        let close = |left: u32, right: u32| {
            (0..3).all(|i| ((left >> (8 * i)) & 0xFF).abs_diff((right >> (8 * i)) & 0xFF) <= 2)
        };
        assert!(close(tinted(0x4472C4, 0.7999), 0xD9E1F2), "{:06x}", tinted(0x4472C4, 0.7999));
        assert!(close(tinted(0x4472C4, -0.2499), 0x2F5597), "{:06x}", tinted(0x4472C4, -0.2499));
        assert_eq!(tinted(0x123456, 0.0), 0x123456);
        assert_eq!(tinted(0x000000, 0.5), 0x808080);
    }
}
