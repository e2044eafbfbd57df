//! A new document from Markdown: the smallest package that Word opens, filled by the engine's own operation.

use super::apply;
use crate::{
    ApplyContext, Edit, EditError,
    blank::packed,
    edit::Position,
    package::{Package, PartName},
};

const MAIN: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.";
const CONTENT_TYPES: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>";
/// A4 with margins of 2.54 cm, in twentieths of a point.
const DOCUMENT: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><w:body><w:p/><w:sectPr><w:pgSz w:w=\"11906\" w:h=\"16838\"/><w:pgMar w:top=\"1440\" w:right=\"1440\" w:bottom=\"1440\" w:left=\"1440\" w:header=\"708\" w:footer=\"708\" w:gutter=\"0\"/></w:sectPr></w:body></w:document>";
const STYLES: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<w:styles xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii=\"Calibri\" w:hAnsi=\"Calibri\" w:eastAsia=\"SimSun\" w:cs=\"Times New Roman\"/><w:sz w:val=\"22\"/><w:szCs w:val=\"22\"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after=\"160\" w:line=\"259\" w:lineRule=\"auto\"/></w:pPr></w:pPrDefault></w:docDefaults><w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/><w:qFormat/></w:style></w:styles>";

/// The bytes of a new document.
pub fn create(markdown: &str, context: &ApplyContext<'_>) -> Result<Vec<u8>, EditError> {
    let empty = empty_document(context)?;
    // A new document has nothing before it that a change could be tracked against.
    let untracked = ApplyContext { limits: context.limits.clone(), track_changes: Some(false), ..*context };
    if markdown.trim().is_empty() {
        return Ok(empty);
    }
    let insert = Edit::DocxInsertMarkdown {
        index: Some(1),
        at: None,
        position: Some(Position::Before),
        text: markdown.to_owned(),
    };
    let drop_empty = Edit::DocxDeleteParagraph { index: Some(1), at: None, end: None, expect_prefix: None };
    let both = apply(&empty, &[insert.clone(), drop_empty], &untracked);
    match both {
        // The empty paragraph is needed behind a table.
        Err(error) if error.op == Some(1) => {
            apply(&empty, &[insert], &untracked).map(|applied| applied.bytes)
        }
        both => both.map(|applied| applied.bytes),
    }
}

fn empty_document(context: &ApplyContext<'_>) -> Result<Vec<u8>, EditError> {
    let source = packed(&[("[Content_Types].xml", CONTENT_TYPES)]);
    let mut package = Package::open(&source, &context.limits)?;
    let (main, styles) = (PartName::new("word/document.xml"), PartName::new("word/styles.xml"));
    package.add(&main, DOCUMENT.into(), &format!("{MAIN}document.main+xml"))?;
    package.add(&styles, STYLES.into(), &format!("{MAIN}styles+xml"))?;
    package.add_relationship(&PartName::root(), "officeDocument", &main)?;
    package.add_relationship(&main, "styles", &styles)?;
    Ok(package.finish()?.bytes)
}
