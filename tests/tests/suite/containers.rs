//! Odd and hostile packages made here: kept to the byte around an edit, or refused with the reason; never silently changed.

use documents::{
    DocumentError, EditError, Format, Limits, OutlineRequest,
    error::EditErrorKind,
    package::{Package, PartName, xml::Splices},
};
use stet_tests::{
    entries,
    odd_archives::{Descriptor, OddArchive, OddEntry},
};

const MAIN: &str = "word/document.xml";
const TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#;
const ROOT: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>"#;
const DOCUMENT: &str = r#"<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>one &amp; two</w:t></w:r></w:p></w:body></w:document>"#;

/// Types, relationships, the main part, and one part that nobody touches.
fn plain() -> Vec<OddEntry> {
    let noise: Vec<u8> = (0..3_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    vec![
        OddEntry::new("[Content_Types].xml", TYPES.as_bytes()),
        OddEntry::new("_rels/.rels", ROOT.as_bytes()),
        OddEntry::new(MAIN, DOCUMENT.as_bytes()),
        OddEntry::new("word/media/image1.png", &noise),
    ]
}

/// All entries changed alike.
fn each(change: impl Fn(&mut OddEntry)) -> OddArchive {
    let mut entries = plain();
    entries.iter_mut().for_each(change);
    OddArchive::of(entries)
}

/// The main part alone changed.
fn main_part(change: impl Fn(&mut OddEntry)) -> OddArchive {
    let mut entries = plain();
    change(&mut entries[2]);
    OddArchive::of(entries)
}

fn with(change: impl Fn(&mut OddArchive)) -> OddArchive {
    let mut archive = OddArchive::of(plain());
    change(&mut archive);
    archive
}

fn more(entries: Vec<OddEntry>) -> OddArchive {
    OddArchive::of([plain(), entries].concat())
}

fn edited(bytes: &[u8]) -> Result<Vec<u8>, EditError> {
    let mut package = Package::open(bytes, &Limits::default())?;
    assert!(package.finish()?.bytes == bytes, "a no-op changed bytes");
    let main = package.main_part()?;
    let xml = package.xml(&main)?;
    let mut splices = Splices::default();
    splices.insert(xml.start_tag(xml.root()).end, "<!--stet-->");
    package.replace(&main, xml.write(splices)?)?;
    Ok(package.finish()?.bytes)
}

/// Edits the main part: that entry changes, and every other byte that is not a number of the archive's stays.
#[track_caller]
fn is_kept(what: &str, archive: &OddArchive) {
    let before = archive.build();
    let after = edited(&before).unwrap_or_else(|error| panic!("{what}: {error}"));
    let difference = entries::compare(&before, &after).unwrap_or_else(|| panic!("{what}: not sound"));
    let changed: Vec<&str> = difference.changed.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(changed, [MAIN], "{what}: {difference:?}");
    assert_eq!(difference.identical, archive.entries.len() - 1, "{what}: {difference:?}");
    assert!(difference.order_kept && difference.same_content.is_empty(), "{what}: {difference:?}");
    assert!(after.starts_with(&archive.prefix) && after.ends_with(&archive.trailing), "{what}");
    let tail = [&archive.comment[..], &archive.trailing].concat();
    assert!(after.ends_with(&tail), "{what}");
    for entry in archive.entries.iter().filter(|entry| entry.behind.len() >= 4) {
        assert!(
            memchr::memmem::find(&after, &entry.behind).is_some(),
            "{what}: bytes between entries are gone"
        );
    }
    let package = Package::open(&after, &Limits::default()).unwrap();
    let text = package.require(&PartName::new(MAIN)).unwrap();
    assert_eq!(String::from_utf8_lossy(&text).replace("<!--stet-->", ""), DOCUMENT, "{what}");
}

#[track_caller]
fn is_refused(what: &str, bytes: &[u8], kind: EditErrorKind) {
    match edited(bytes) {
        Ok(_) => panic!("{what}: edited"),
        Err(error) => {
            assert_eq!(error.kind, kind, "{what}: {error}");
            assert!(error.message.len() > 20 && error.message.ends_with('.'), "{what}: {error}");
        }
    }
}

const DESCRIPTORS: [Descriptor; 4] = [
    Descriptor { is_signed: true, is_wide: false },
    Descriptor { is_signed: false, is_wide: false },
    Descriptor { is_signed: true, is_wide: true },
    Descriptor { is_signed: false, is_wide: true },
];

#[test]
fn odd_entries_are_kept() {
    is_kept("plain", &OddArchive::of(plain()));
    for descriptor in DESCRIPTORS {
        is_kept("descriptor", &each(|entry| entry.descriptor = Some(descriptor)));
        is_kept(
            "descriptor and bytes behind it",
            &each(|entry| {
                entry.descriptor = Some(descriptor);
                entry.behind = b"between".to_vec();
            }),
        );
        is_kept(
            "descriptor, wide",
            &each(|entry| {
                entry.descriptor = Some(descriptor);
                entry.is_wide = true;
            }),
        );
        is_kept(
            "descriptor, stored",
            &each(|entry| {
                entry.descriptor = Some(descriptor);
                entry.method = 0;
            }),
        );
    }
    is_kept("wide", &each(|entry| entry.is_wide = true));
    is_kept("stored", &each(|entry| entry.method = 0));
    is_kept("local sizes that are wrong", &each(|entry| entry.local_sizes = Some((7, 0))));
    is_kept("a size in the directory that is wrong", &main_part(|entry| entry.told_size = Some(10)));
    is_kept("a size that promises much", &main_part(|entry| entry.told_size = Some(0xFFFF_FFF0)));
    is_kept("UTF-8 flag on one side", &each(|entry| (entry.flags, entry.local_flags) = (1 << 11, Some(0))));
    is_kept("extra fields", &each(|entry| entry.extra = vec![0x55, 0x54, 5, 0, 1, 1, 2, 3, 4]));
    is_kept("an extra field that is cut", &each(|entry| entry.extra = vec![0x55, 0x54, 9, 0, 1]));
    is_kept("bytes between entries", &each(|entry| entry.behind = b"PK\x03\x04 nobody's".to_vec()));
    let names: [&[u8]; 6] =
        [b"word/\xe9.bin", b"../../evil.bin", b"/etc/passwd", b"C:\\evil.bin", b"word/", b"word/\xff\xfe"];
    for name in names {
        let mut odd = OddEntry::new("", b"x");
        odd.name = name.to_vec();
        odd.flags = 1 << 11;
        is_kept("an odd name", &more(vec![odd]));
    }
    let mut foreign = OddEntry::new("word/media/foreign.bin", b"x");
    foreign.method = 12;
    is_kept("a method of others", &more(vec![foreign]));
    let mut renamed = OddEntry::new("word/media/renamed.bin", b"x");
    renamed.local_name = Some(b"word/other.bin".to_vec());
    is_kept("another name in its header", &more(vec![renamed]));
}

#[test]
fn odd_archives_are_kept() {
    is_kept("directory backwards", &with(|archive| archive.is_reversed = true));
    is_kept("zip64 end", &with(|archive| archive.is_wide_end = true));
    is_kept("zip64 everywhere", &OddArchive { is_wide_end: true, ..each(|entry| entry.is_wide = true) });
    for counts_prefix in [true, false] {
        for is_wide_end in [true, false] {
            is_kept(
                "prefix",
                &with(|archive| {
                    archive.prefix = b"#!/bin/sh\nexec unzip $0\n".repeat(9);
                    archive.counts_prefix = counts_prefix;
                    archive.is_wide_end = is_wide_end;
                }),
            );
        }
    }
    for more in 0..4 {
        is_kept(
            "a prefix that holds the signatures of a directory everywhere",
            &with(|archive| {
                archive.prefix = b"PK\x01\x02".repeat(900);
                archive.entries[0].behind = vec![b'x'; more];
            }),
        );
    }
    is_kept("trailing bytes", &with(|archive| archive.trailing = b"\r\n".to_vec()));
    is_kept("much behind the end", &with(|archive| archive.trailing = vec![0; 200_000]));
    is_kept("a comment", &with(|archive| archive.comment = b"a comment".to_vec()));
    for comment in [
        &b"PK\x05\x06"[..],
        b"see PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        &[b"PK\x05\x06".to_vec(), vec![0xFF; 40]].concat(),
    ] {
        is_kept("a comment with a signature", &with(|archive| archive.comment = comment.to_vec()));
    }
    is_kept(
        "a comment with a whole end record that leads nowhere",
        &with(|archive| {
            archive.comment = [&b"PK\x05\x06\0\0\0\0\x01\0\x01\0\x50\0\0\0\x07\0\0\0"[..], &[0, 0]].concat()
        }),
    );
}

#[test]
fn what_can_be_read_in_two_ways_is_refused() {
    let edit = |entry: OddEntry| more(vec![entry]).build();
    for name in [
        "WORD/Document.xml",
        "word\\document.xml",
        "word/%64ocument.xml",
        "word/document.xml",
        "/word/document.xml",
    ] {
        is_refused(name, &edit(OddEntry::new(name, b"<x/>")), EditErrorKind::WouldDamage);
    }
    let renamed = main_part(|entry| entry.local_name = Some(b"word/DOCUMENT.bin".to_vec()));
    is_refused("another name in the header", &renamed.build(), EditErrorKind::WouldDamage);
    // A whole package in another one's comment: both end with the file, and both lead to a directory.
    let inner = OddArchive { prefix: Vec::new(), ..OddArchive::of(plain()) }.build();
    let mut outer = with(|archive| archive.comment = vec![b' '; inner.len()]).build();
    let at = outer.len() - inner.len();
    let inner =
        OddArchive { prefix: outer[..at].to_vec(), counts_prefix: true, ..OddArchive::of(plain()) }.build();
    outer[at..].copy_from_slice(&inner[at..]);
    is_refused("two packages in one", &outer, EditErrorKind::Unsupported);
    // An end record in the comment leads nowhere, until an edit moves the directory to where it points.
    let commented = |comment: Vec<u8>| with(|archive| archive.comment = comment.clone()).build();
    let edited = edited(&commented(vec![b' '; 22])).unwrap();
    let at = edited.len() - 44;
    let mut record = edited[at..at + 22].to_vec();
    for count in [8, 10] {
        record[count] += 1;
    }
    record[20] = 0;
    is_refused("an edit makes a second directory", &commented(record), EditErrorKind::Unsupported);
}

#[test]
fn what_is_no_package_of_one_file_is_refused() {
    use EditErrorKind as Kind;
    is_refused("two disks", &with(|archive| archive.disks = (1, 0)).build(), Kind::Unsupported);
    is_refused("second disk", &with(|archive| archive.disks = (1, 1)).build(), Kind::Unsupported);
    for bit in [0, 6, 13] {
        is_refused("encrypted", &each(|entry| entry.flags = 1 << bit).build(), Kind::Encrypted);
    }
    is_refused("a method of others", &main_part(|entry| entry.method = 12).build(), Kind::Unsupported);
    for after in 0..4 {
        let between = with(|archive| archive.directory_after = Some(after));
        is_refused("directory before parts", &between.build(), Kind::Unsupported);
    }
    for miscount in [-1, 1, 7] {
        is_refused("miscounted", &with(|archive| archive.miscount = miscount).build(), Kind::Damaged);
    }
    let without = |name: &str| {
        let kept = plain().into_iter().filter(|entry| entry.name != name.as_bytes()).collect();
        OddArchive::of(kept).build()
    };
    is_refused("no types", &without("[Content_Types].xml"), Kind::Damaged);
    is_refused("no relationships", &without("_rels/.rels"), Kind::Damaged);
    is_refused("no main part", &without(MAIN), Kind::Damaged);
    is_refused(
        "any archive",
        &OddArchive::of(vec![OddEntry::new("readme.txt", b"x")]).build(),
        Kind::Unsupported,
    );
    let whole = OddArchive::of(plain()).build();
    for length in (0..whole.len()).step_by(37) {
        is_refused("cut off", &whole[..length], Kind::Damaged);
    }
}

/// Any one byte of the archive's own fields changed: opened and kept, or refused; never a fault of ours.
#[test]
fn any_changed_byte_is_kept_or_refused() {
    for archive in
        [OddArchive::of(plain()), OddArchive { is_wide_end: true, ..each(|entry| entry.is_wide = true) }]
    {
        let whole = archive.build();
        for at in 0..whole.len() {
            // The picture's noise is as good as any other.
            if (1_300..whole.len().saturating_sub(1_500)).contains(&at) && at % 50 != 0 {
                continue;
            }
            for bit in [1, 0x80] {
                let mut broken = whole.clone();
                broken[at] ^= bit;
                match edited(&broken) {
                    Ok(after) => assert!(Package::open(&after, &Limits::default()).is_ok(), "byte {at}"),
                    Err(error) => assert_ne!(error.kind, EditErrorKind::Internal, "byte {at}: {error}"),
                }
            }
        }
    }
}

#[test]
fn two_entries_in_one_place_are_refused() {
    let mut bytes = OddArchive::of(plain()).build();
    // The last record's offset becomes the first one's.
    let record = memchr::memmem::rfind(&bytes, b"PK\x01\x02").unwrap();
    bytes[record + 42..record + 46].fill(0);
    is_refused("overlapping", &bytes, EditErrorKind::Damaged);
}

fn outlined(format: Format, bytes: &[u8]) -> Result<(), DocumentError> {
    documents::outline(format, bytes, &OutlineRequest::default(), &Limits::default(), &|| false).map(drop)
}

/// Elements within elements, deeper than any document: every engine reads it or says that it is too deep, on the stack of a thread.
#[test]
fn deep_nesting_is_bounded() {
    for (levels, is_too_deep) in [(3_900, false), (20_000, true)] {
        let inner = |open: &str, close: &str| format!("{}{}", open.repeat(levels), close.repeat(levels));
        let body = inner("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>");
        let text =
            DOCUMENT.replace("<w:p>", &format!("{}<w:p>", if is_too_deep { body.as_str() } else { "" }));
        let half = inner("<w:ins w:id=\"1\" w:author=\"a\">", "</w:ins>");
        let text = if is_too_deep { text } else { DOCUMENT.replace("<w:p>", &format!("<w:p>{half}")) };
        let bytes = main_part(|entry| entry.content = text.clone().into_bytes()).build();
        match outlined(Format::Docx, &bytes) {
            Err(DocumentError::TooLarge(_)) => assert!(is_too_deep),
            other => assert!(!is_too_deep, "{other:?}"),
        }
    }
}

#[test]
fn document_types_and_entities_are_refused() {
    let laughs = r#"<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>"#;
    let outside = r#"<!DOCTYPE w SYSTEM "file:///etc/passwd">"#;
    for front in [laughs, outside, "<!DOCTYPE w>"] {
        let bytes = main_part(|entry| entry.content = [front, DOCUMENT].concat().into_bytes()).build();
        is_refused(front, &bytes, EditErrorKind::Unsupported);
        assert!(matches!(outlined(Format::Docx, &bytes), Err(DocumentError::Unsupported(_))), "{front}");
    }
    for entity in ["&b;", "&#0;", "&#xFFFE;", "&#xD800;", "&#x110000;", "&", "&amp", "&#;"] {
        let text = DOCUMENT.replace("&amp;", entity);
        let bytes = main_part(|entry| entry.content = text.clone().into_bytes()).build();
        is_refused(entity, &bytes, EditErrorKind::Damaged);
    }
    let many = DOCUMENT.replace("&amp;", &"&amp;&#x1F600;&#65;".repeat(50_000));
    let bytes = main_part(|entry| entry.content = many.clone().into_bytes()).build();
    assert!(edited(&bytes).is_ok());
}

/// A part in UTF-16, with and without its mark, is edited and stays what it is.
#[test]
fn wide_parts_stay_wide() {
    let text = format!("<?xml version=\"1.0\" encoding=\"UTF-16\"?>{}", DOCUMENT.replace("one", "é😀"));
    for (is_big, has_mark) in [(true, true), (true, false), (false, true), (false, false)] {
        let encode = |text: &str| -> Vec<u8> {
            let units = has_mark.then_some(0xFEFF).into_iter().chain(text.encode_utf16());
            units.flat_map(|unit: u16| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
        };
        let bytes = main_part(|entry| entry.content = encode(&text)).build();
        let after = edited(&bytes).unwrap();
        let package = Package::open(&after, &Limits::default()).unwrap();
        let part = package.require(&PartName::new(MAIN)).unwrap();
        let expected = text.replace("<w:body>", "<!--stet--><w:body>");
        assert!(*part == encode(&expected), "big endian {is_big}, mark {has_mark}");
        let odd = main_part(|entry| entry.content = [encode(&text), vec![0]].concat()).build();
        is_refused("half a character", &odd, EditErrorKind::Unsupported);
    }
}

#[test]
fn names_in_values_are_no_declarations() {
    let text = DOCUMENT.replace("<w:p>", "<w:p w:x='a xmlns:w=\"urn:other\" b' w:y=\" xmlns='z'\">");
    let bytes = main_part(|entry| entry.content = text.clone().into_bytes()).build();
    let package = Package::open(&bytes, &Limits::default()).unwrap();
    let xml = package.xml(&PartName::new(MAIN)).unwrap();
    let namespace = documents::package::xml::Ns::W;
    assert_eq!(xml.descendants_named(xml.root(), namespace, "t").count(), 1);
}

/// Both branches stay when something is written inside one of them, and around it.
#[test]
fn alternate_content_within_alternate_content_stays() {
    let inner = "<mc:AlternateContent><mc:Choice Requires=\"w14\"><w:r><w:t>deep</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>old</w:t></w:r></mc:Fallback></mc:AlternateContent>";
    let outer = format!(
        "<mc:AlternateContent><mc:Choice Requires=\"w14\">{inner}</mc:Choice><mc:Fallback>{inner}</mc:Fallback></mc:AlternateContent>"
    );
    let text = DOCUMENT.replace("<w:document ", "<w:document xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" xmlns:w14=\"http://schemas.microsoft.com/office/word/2010/wordml\" mc:Ignorable=\"w14\" ").replace("<w:p>", &format!("<w:p>{outer}"));
    let bytes = main_part(|entry| entry.content = text.clone().into_bytes()).build();
    let after = edited(&bytes).unwrap();
    let package = Package::open(&after, &Limits::default()).unwrap();
    let part = package.require(&PartName::new(MAIN)).unwrap();
    assert_eq!(String::from_utf8_lossy(&part).matches(&outer).count(), 1);
}

#[test]
fn relationships_with_one_id_are_kept_and_not_guessed() {
    let relationship = |id: &str, target: &str| {
        format!(
            "<Relationship Id=\"{id}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/image\" Target=\"{target}\"/>"
        )
    };
    let all = [
        relationship("rId1", "media/image1.png"),
        relationship("rId1", "NULL"),
        relationship("rId18446744073709551615", "#_top"),
    ]
    .concat();
    let text = format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{all}</Relationships>"
    );
    let archive = more(vec![OddEntry::new("word/_rels/document.xml.rels", text.as_bytes())]);
    is_kept("relationships that dangle", &archive);
    let bytes = archive.build();
    let mut package = Package::open(&bytes, &Limits::default()).unwrap();
    let main = package.main_part().unwrap();
    let refusal = package.remove_relationship(&main, "rId1").unwrap_err();
    assert_eq!(refusal.kind, EditErrorKind::WouldDamage, "{refusal}");
    let id = package.add_external_relationship(&main, "hyperlink", "https://example.org/?a=1&b=2").unwrap();
    assert_eq!(id, "rId2");
    assert!(package.finish().is_ok());
}

/// The binary itself, with less memory than a bomb would take: it answers with the code, and leaves the file as it was.
#[cfg(target_os = "linux")]
#[test]
fn hostile_files_are_answered_in_bounded_memory() {
    let home = tempfile::tempdir().unwrap();
    let blanks = [DOCUMENT.as_bytes(), &vec![b' '; 100 << 20]].concat();
    let bomb = main_part(|entry| entry.content = blanks.clone()).build();
    let many = more((0..66_000).map(|number| OddEntry::new(&format!("word/media/{number}"), b"")).collect());
    let laughs = "<!DOCTYPE w [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">]>";
    let laughs = main_part(|entry| entry.content = [laughs, DOCUMENT].concat().into_bytes());
    let old = [&[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], &[0; 600][..]].concat();
    let cases: [(&str, Vec<u8>, &str); 6] = [
        ("bomb.docx", bomb, "too_large"),
        ("many.docx", OddArchive { is_wide_end: true, ..many }.build(), "too_large"),
        ("laughs.docx", laughs.build(), "unsupported_document"),
        ("old.docx", old, "unsupported_document"),
        ("locked.docx", each(|entry| entry.flags = 1).build(), "encrypted_document"),
        ("cut.docx", OddArchive::of(plain()).build()[..900].to_vec(), "damaged_document"),
    ];
    for (name, bytes, code) in cases {
        let path = home.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let ops = home.path().join("ops.json");
        std::fs::write(&ops, r#"[{"op": "docx_append_paragraph", "text": "x"}]"#).unwrap();
        let ops = ops.to_string_lossy().into_owned();
        for arguments in [&["outline"][..], &["apply", "--expected-rev", "current", "--ops", &ops]] {
            // KiB of address space.
            let output = std::process::Command::new("sh")
                .args(["-c", "ulimit -v 1000000; exec \"$0\" \"$@\""])
                .arg(crate::cli::stet())
                .arg(arguments[0])
                .arg(&path)
                .args(&arguments[1..])
                .arg("--json")
                .env("STET_HOME", home.path().join("home"))
                .output()
                .unwrap();
            let answer: serde_json::Value = serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|_| panic!("{name}: {}", String::from_utf8_lossy(&output.stderr)));
            assert_eq!(answer["error"]["code"], code, "{name} {}: {answer}", arguments[0]);
            assert!(
                answer["error"]["message"].as_str().is_some_and(|message| message.ends_with('.')),
                "{answer}"
            );
            assert!(std::fs::read(&path).unwrap() == bytes, "{name}");
        }
    }
}
