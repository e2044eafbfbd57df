//! The style table (`styles.xml`) as far as cells need it: number formats and locking by cell format, read only.
//!
//! New cell formats are added by `format_ops`; nothing here changes a style that exists.

use std::collections::HashMap;

use super::number_format;
use crate::package::xml::{NodeId, Ns, Xml};

/// Number formats and protection by the index that cells carry in `s`.
#[derive(Default)]
pub(super) struct Styles {
    cell_formats: Vec<CellFormat>,
    custom: HashMap<u32, String>,
}

/// One `xf` of `cellXfs`.
#[derive(Debug, Clone, Copy)]
struct CellFormat {
    number_format: u32,
    locked: bool,
}

impl Styles {
    pub(super) fn read(xml: &Xml) -> Styles {
        let root = xml.root();
        let number = |element: NodeId, name: &str| {
            xml.value(element, Ns::None, name).and_then(|value| value.trim().parse::<u32>().ok())
        };
        let mut styles = Styles::default();
        if let Some(list) = xml.child(root, Ns::S, "numFmts") {
            for format in xml.children_named(list, Ns::S, "numFmt") {
                let code = xml.value(format, Ns::None, "formatCode");
                if let (Some(id), Some(code)) = (number(format, "numFmtId"), code) {
                    styles.custom.insert(id, code.into_owned());
                }
            }
        }
        if let Some(list) = xml.child(root, Ns::S, "cellXfs") {
            for format in xml.children_named(list, Ns::S, "xf") {
                let protection = xml.child(format, Ns::S, "protection");
                let locked = protection.and_then(|element| xml.value(element, Ns::None, "locked"));
                styles.cell_formats.push(CellFormat {
                    number_format: number(format, "numFmtId").unwrap_or(0),
                    // Cells are locked unless their format says otherwise (ECMA-376-1, 18.8.33).
                    locked: !locked.is_some_and(|value| matches!(&*value, "0" | "false")),
                });
            }
        }
        styles
    }

    /// The number format code of a style.
    pub(super) fn code(&self, style: u32) -> &str {
        let id = self.cell_formats.get(style as usize).map_or(0, |format| format.number_format);
        match self.custom.get(&id) {
            Some(code) => code,
            None => number_format::built_in(id).unwrap_or("General"),
        }
    }

    /// The number formats that the workbook defines itself.
    #[cfg(test)]
    pub(super) fn custom_codes(&self) -> impl Iterator<Item = &str> {
        self.custom.values().map(String::as_str)
    }

    pub(super) fn is_date(&self, style: u32) -> bool {
        number_format::is_date(self.code(style))
    }

    pub(super) fn is_locked(&self, style: u32) -> bool {
        self.cell_formats.get(style as usize).is_none_or(|format| format.locked)
    }
}
