//! Preview copies of Word documents: bookmarks, addresses, cutting, normalising.

use super::*;
use crate::package::PartName;

const AGREEMENT: &[u8] = include_bytes!("../../../../../../samples/Agreement.docx");

fn copy_of(bytes: &[u8], request: &CopyRequest) -> (PreviewCopy, String) {
    let copy = preview_copy(bytes, request, &Limits::default(), &|| false).unwrap();
    let package = Package::open(&copy.bytes, &Limits::default()).unwrap();
    let text = package.require(&PartName::new("word/document.xml")).unwrap();
    let text = String::from_utf8(text.to_vec()).unwrap();
    (copy, text)
}

/// The sample with another body.
fn with_body(body: &str) -> Vec<u8> {
    let mut package = Package::open(AGREEMENT, &Limits::default()).unwrap();
    let document = format!(
        "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>{body}<w:sectPr/></w:body></w:document>"
    );
    package.replace(&PartName::new("word/document.xml"), document.into_bytes()).unwrap();
    package.finish().unwrap().bytes
}

fn paragraph(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

#[test]
fn every_paragraph_has_a_bookmark_and_its_address() {
    let (copy, text) = copy_of(AGREEMENT, &CopyRequest::default());
    let addresses: Vec<&str> = copy.paragraphs.iter().map(|at| at.as_deref().unwrap()).collect();
    assert_eq!(addresses[..3], ["p1", "p2", "p3"]);
    assert_eq!(addresses[9..13], ["t1.r1.c1.p1", "t1.r1.c2.p1", "t1.r1.c3.p1", "t1.r2.c1.p1"]);
    assert_eq!(addresses.last(), Some(&"p13"));
    assert!((0..copy.paragraphs.len()).all(|number| text.contains(&format!("w:name=\"__pv_{number}\""))));
    assert!(copy.gaps.is_empty());
}

#[test]
fn a_long_document_is_cut_and_keeps_its_addresses() {
    let table = format!("<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>", paragraph("in the table"));
    let body: String = (1..=1000).map(|number| paragraph(&format!("number {number}"))).collect();
    let tail: String = (1001..=1010).map(|number| paragraph(&format!("number {number}"))).collect();
    let bytes = with_body(&format!("{body}{table}{tail}"));
    let request = CopyRequest { most: 50, keep: vec!["p1005".into(), "t1.r1.c1.p1".into()] };
    let (copy, text) = copy_of(&bytes, &request);
    assert_eq!(copy.gaps.len(), 1, "{:?}", copy.gaps);
    assert_eq!(copy.gaps[0] + copy.paragraphs.len(), 1011);
    let addresses: Vec<&str> = copy.paragraphs.iter().map(|at| at.as_deref().unwrap()).collect();
    assert!(addresses.contains(&"p1") && addresses.contains(&"p1005") && addresses.contains(&"t1.r1.c1.p1"));
    assert!(text.contains("number 1005") && !text.contains("number 500"));
    let index = addresses.iter().position(|at| *at == "p1005").unwrap();
    let marked = &text[text.find(&format!("__pv_{index}\"")).unwrap()..];
    assert!(marked[marked.find("number").unwrap()..].starts_with("number 1005"));
}

#[test]
fn what_the_renderer_drops_is_written_otherwise() {
    let body = "<w:p><w:moveFrom w:id=\"1\"><w:r><w:t>gone</w:t></w:r></w:moveFrom><w:moveTo w:id=\"2\"><w:r><w:t>come</w:t></w:r></w:moveTo></w:p>\
        <w:sdt><w:sdtPr><w:alias w:val=\"x\"/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>held</w:t></w:r></w:p></w:sdtContent></w:sdt>\
        <w:p><w:fldSimple w:instr=\"PAGE\"><w:r><w:t>field</w:t></w:r></w:fldSimple><w:r><w:sym w:font=\"Wingdings\" w:char=\"F0FC\"/></w:r></w:p>\
        <w:altChunk/><w:p/>";
    let (copy, text) = copy_of(&with_body(body), &CopyRequest::default());
    assert!(text.contains("<w:del w:id=\"1\"><w:r><w:delText>gone</w:delText></w:r></w:del>"), "{text}");
    assert!(text.contains("<w:ins w:id=\"2\"><w:r><w:t>come</w:t></w:r></w:ins>"));
    assert!(text.contains("held") && !text.contains("sdt"));
    assert!(text.contains("field") && !text.contains("fldSimple"));
    assert!(text.contains("<w:t>✓</w:t>") && !text.contains("altChunk"));
    let addresses: Vec<&str> = copy.paragraphs.iter().map(|at| at.as_deref().unwrap()).collect();
    assert_eq!(addresses, ["p1", "p2", "p3", "p4"]);
}

#[test]
fn a_wide_part_becomes_utf8() {
    let wide: Vec<u8> = std::iter::once(0xFEFF)
        .chain(
            "<?xml version=\"1.0\" encoding=\"UTF-16\"?><w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body><w:p><w:r><w:t>宽</w:t></w:r></w:p></w:body></w:document>"
                .encode_utf16(),
        )
        .flat_map(u16::to_le_bytes)
        .collect();
    let mut package = Package::open(AGREEMENT, &Limits::default()).unwrap();
    package.replace(&PartName::new("word/document.xml"), wide).unwrap();
    let (_, text) = copy_of(&package.finish().unwrap().bytes, &CopyRequest::default());
    assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"") && text.contains('宽'));
}
