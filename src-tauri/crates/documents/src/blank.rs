//! New Office files: the smallest packages that Office programs open without a word, to be filled by the engines' own operations.
//!
//! The parts are XML files beside this one, written by hand after ECMA-376; nothing here looks at an existing document.

mod archive;

use crate::{EditError, Format, package::xml::escape_text};

/// A part's name in the package and its text.
pub(crate) type Part = (&'static str, &'static str);

const CORE: &str = include_str!("blank/shared/core.xml");
const APP: &str = include_str!("blank/shared/app.xml");
const THEME: &str = include_str!("blank/shared/theme.xml");

const XLSX: [Part; 7] = [
    ("[Content_Types].xml", include_str!("blank/xlsx/content_types.xml")),
    ("_rels/.rels", include_str!("blank/xlsx/root.rels")),
    ("xl/workbook.xml", include_str!("blank/xlsx/workbook.xml")),
    ("xl/_rels/workbook.xml.rels", include_str!("blank/xlsx/workbook.rels")),
    ("xl/worksheets/sheet1.xml", include_str!("blank/xlsx/sheet.xml")),
    ("xl/styles.xml", include_str!("blank/xlsx/styles.xml")),
    ("xl/theme/theme1.xml", THEME),
];

const PPTX: [Part; 21] = [
    ("[Content_Types].xml", include_str!("blank/pptx/content_types.xml")),
    ("_rels/.rels", include_str!("blank/pptx/root.rels")),
    ("ppt/presentation.xml", include_str!("blank/pptx/presentation.xml")),
    ("ppt/_rels/presentation.xml.rels", include_str!("blank/pptx/presentation.rels")),
    ("ppt/presProps.xml", include_str!("blank/pptx/pres_props.xml")),
    ("ppt/viewProps.xml", include_str!("blank/pptx/view_props.xml")),
    ("ppt/tableStyles.xml", include_str!("blank/pptx/table_styles.xml")),
    ("ppt/slideMasters/slideMaster1.xml", include_str!("blank/pptx/master.xml")),
    ("ppt/slideMasters/_rels/slideMaster1.xml.rels", include_str!("blank/pptx/master.rels")),
    ("ppt/slideLayouts/slideLayout1.xml", include_str!("blank/pptx/layout1.xml")),
    ("ppt/slideLayouts/_rels/slideLayout1.xml.rels", include_str!("blank/pptx/layout.rels")),
    ("ppt/slideLayouts/slideLayout2.xml", include_str!("blank/pptx/layout2.xml")),
    ("ppt/slideLayouts/_rels/slideLayout2.xml.rels", include_str!("blank/pptx/layout.rels")),
    ("ppt/slideLayouts/slideLayout3.xml", include_str!("blank/pptx/layout3.xml")),
    ("ppt/slideLayouts/_rels/slideLayout3.xml.rels", include_str!("blank/pptx/layout.rels")),
    ("ppt/slideLayouts/slideLayout4.xml", include_str!("blank/pptx/layout4.xml")),
    ("ppt/slideLayouts/_rels/slideLayout4.xml.rels", include_str!("blank/pptx/layout.rels")),
    ("ppt/notesMasters/notesMaster1.xml", include_str!("blank/pptx/notes_master.xml")),
    ("ppt/notesMasters/_rels/notesMaster1.xml.rels", include_str!("blank/pptx/notes_master.rels")),
    ("ppt/theme/theme1.xml", THEME),
    ("ppt/theme/theme2.xml", THEME),
];

/// A package of these parts, for the engine that makes its own new documents.
pub(crate) fn packed(parts: &[Part]) -> Vec<u8> {
    archive::write(parts.iter().copied())
}

/// An empty document: one empty sheet, or no slide. Refuses an author whose name XML
/// cannot hold.
pub fn blank(format: Format, author: &str, now: &str) -> Result<Vec<u8>, EditError> {
    let parts: &[Part] = match format {
        // Text needs no package; a new Word document is made by its engine.
        Format::Text | Format::Docx => return Ok(Vec::new()),
        Format::Xlsx => &XLSX,
        Format::Pptx => &PPTX,
    };
    let core = CORE.replace("{author}", &escape_text(author)?).replace("{now}", now);
    let properties = [("docProps/core.xml", core.as_str()), ("docProps/app.xml", APP)];
    Ok(archive::write(parts.iter().copied().chain(properties)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, OutlineRequest, package::audit};

    #[test]
    fn blank_packages_are_sound() {
        for format in [Format::Xlsx, Format::Pptx] {
            let bytes = blank(format, "Ada & Co.", "2026-11-30T14:00:00Z").unwrap();
            let findings = audit(&bytes, &Limits::default()).unwrap();
            assert!(findings.is_empty(), "{format:?}: {findings:?}");
            let outline =
                crate::outline(format, &bytes, &OutlineRequest::default(), &Limits::default(), &|| false);
            assert!(outline.is_ok(), "{format:?}: {outline:?}");
        }
        assert!(blank(Format::Text, "", "").unwrap().is_empty());
    }
}
