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

/// Opening and writing is the identity, for every oddity of a container that there is a fixture of.
#[test]
fn writing_without_a_change_gives_the_very_bytes() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/package");
    let mut written = 0;
    for entry in std::fs::read_dir(fixtures).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        if let Ok(package) = Package::open(&bytes, &Limits::default()) {
            let again = write::write(&package, Reuse::Nothing).unwrap();
            assert!(again.bytes == bytes, "{}", path.display());
            gate::check(&package, &again).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            written += 1;
        }
    }
    assert!(written > 12, "{written}");
}

#[test]
fn parts_in_other_encodings_stay_in_them() {
    let part = |declared: &str, text: &[u8]| {
        [format!("<?xml version=\"1.0\" encoding=\"{declared}\"?><a>").as_bytes(), text, b"</a>"].concat()
    };
    let edited = |bytes: &[u8], with: &str| {
        let xml = xml::Xml::parse(bytes, &Limits::default()).unwrap();
        let mut splices = Splices::default();
        splices.replace(xml.content(xml.root()), xml::escape_text(with).unwrap());
        xml.write(splices).unwrap()
    };
    assert_eq!(edited(&part("ISO-8859-1", b"caf\xe9 \x97"), "é—"), part("ISO-8859-1", b"\xe9&#8212;"));
    assert_eq!(edited(&part("us-ascii", b"plain"), "é"), part("us-ascii", b"&#233;"));
    assert_eq!(edited(&part("windows-1252", b"caf\xe9"), "é—中"), part("windows-1252", b"\xe9\x97&#20013;"));
    let wide = |text: &str| -> Vec<u8> {
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    assert_eq!(edited(&wide("<a>x</a>"), "é😀"), wide("<a>é😀</a>"));
    assert_eq!(edited(b"\xEF\xBB\xBF<a>x</a>", "é"), "\u{feff}<a>é</a>".as_bytes());
}

#[test]
fn a_directory_of_too_many_entries_is_refused_while_it_is_read() {
    let limits = Limits { entries: 3, ..Limits::default() };
    assert!(matches!(Package::open(&sample(), &limits), Err(DocumentError::TooLarge(_))));
}

#[test]
fn what_is_unpacked_is_counted() {
    let bytes = sample();
    for limits in
        [Limits { part_bytes: 100, ..Limits::default() }, Limits { total_bytes: 320, ..Limits::default() }]
    {
        let opened = Package::open(&bytes, &limits);
        let read = opened.and_then(|package| package.require(&PartName::new("word/document.xml")));
        assert!(matches!(read, Err(DocumentError::TooLarge(_))), "{read:?}");
    }
}

#[test]
fn a_part_without_a_type_does_not_pass_the_gate() {
    let bytes = sample();
    let mut package = Package::open(&bytes, &Limits::default()).unwrap();
    let types = PartName::content_types();
    let text = String::from_utf8(package.require(&types).unwrap().to_vec()).unwrap();
    let poorer = text.replace("<Default Extension=\"xml\" ContentType=\"application/xml\"/>", "");
    package.replace(&types, poorer.into_bytes()).unwrap();
    assert_eq!(package.finish().unwrap_err().kind, EditErrorKind::Internal);
}
