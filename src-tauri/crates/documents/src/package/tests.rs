//! The package layer on packages made here.

use std::io::{Cursor, Write};

use super::*;
use xml::{Ns, Splices};

fn sample() -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    let parts = [
        (
            "[Content_Types].xml",
            r#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>"#,
        ),
        (
            "_rels/.rels",
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>"#,
        ),
        (
            "word/document.xml",
            r#"<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>one &amp; two</w:t></w:r></w:p></w:body></w:document>"#,
        ),
        ("word/media/image1.bin", "\u{0}\u{1}\u{2}"),
    ];
    for (name, content) in parts {
        writer.start_file(name, options).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn without_a_change_the_bytes_come_back() {
    let bytes = sample();
    let package = Package::open(&bytes, &Limits::default()).unwrap();
    assert_eq!(package.finish().unwrap().bytes, bytes);
    assert_eq!(package.main_part().unwrap().as_str(), "word/document.xml");
}

#[test]
fn a_splice_changes_one_part_only() {
    let bytes = sample();
    let mut package = Package::open(&bytes, &Limits::default()).unwrap();
    let name = package.main_part().unwrap();
    let xml = package.xml(&name).unwrap();
    let text = xml.descendants_named(xml.root(), Ns::W, "t").next().unwrap();
    assert_eq!(xml.text(text), "one & two");
    let mut splices = Splices::default();
    splices.replace(xml.content(text), "three");
    let changed = xml.write(splices).unwrap();
    package.replace(&name, changed).unwrap();
    let saved = package.finish().unwrap();
    assert_eq!(saved.report.changed, ["word/document.xml"]);
    let reopened = Package::open(&saved.bytes, &Limits::default()).unwrap();
    let after = reopened.xml(&name).unwrap();
    assert!(after.slice(0..after.bytes().len()).contains("<w:t>three</w:t>"));
}

#[test]
fn parts_come_and_go_with_their_types_and_relationships() {
    let bytes = sample();
    let mut package = Package::open(&bytes, &Limits::default()).unwrap();
    let main = package.main_part().unwrap();
    let comments = PartName::new("word/comments.xml");
    package.add(&comments, b"<c/>".to_vec(), "application/x-comments+xml").unwrap();
    let id = package.add_relationship(&main, "comments", &comments).unwrap();
    let saved = package.finish().unwrap();
    let mut second = Package::open(&saved.bytes, &Limits::default()).unwrap();
    assert_eq!(second.content_type(&comments).unwrap().as_deref(), Some("application/x-comments+xml"));
    assert_eq!(second.relationships(&main).unwrap().by_id(&id).unwrap().part(), Some(comments.clone()));
    second.remove_relationship(&main, &id).unwrap();
    second.remove(&comments).unwrap();
    let third = second.finish().unwrap();
    assert_eq!(third.report.removed, ["word/comments.xml"]);
}

#[test]
fn removing_a_part_that_is_still_pointed_to_does_not_pass_the_gate() {
    let bytes = sample();
    let mut package = Package::open(&bytes, &Limits::default()).unwrap();
    let main = package.main_part().unwrap();
    package.remove(&main).unwrap();
    assert_eq!(package.finish().unwrap_err().kind, EditErrorKind::Internal);
}

#[test]
fn ill_formed_results_do_not_pass_the_gate() {
    let bytes = sample();
    let mut package = Package::open(&bytes, &Limits::default()).unwrap();
    let main = package.main_part().unwrap();
    package.replace(&main, b"<a><b></a>".to_vec()).unwrap();
    assert_eq!(package.finish().unwrap_err().kind, EditErrorKind::Internal);
}

#[test]
fn a_truncated_file_is_damaged() {
    let bytes = sample();
    for length in [0, 1, 20, bytes.len() / 2, bytes.len() - 1] {
        assert!(
            matches!(Package::open(&bytes[..length], &Limits::default()), Err(DocumentError::Damaged(_))),
            "{length}"
        );
    }
}
