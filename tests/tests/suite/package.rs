//! The package layer over whole corpora: what opens, what is refused and why, and that one splice touches one entry.

use std::path::Path;

use documents::{
    DocumentError, Limits,
    package::{Package, PartName, xml::Splices},
};
use stet_tests::{corpus, entries, fixture};

const OFFICE: [&str; 13] =
    ["docx", "docm", "dotx", "dotm", "xlsx", "xlsm", "xltx", "xltm", "pptx", "pptm", "potx", "ppsx", "ppsm"];

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The error's kind in the contract's words.
fn code(error: &DocumentError) -> &'static str {
    match error {
        DocumentError::Unsupported(_) => "unsupported",
        DocumentError::Damaged(_) => "damaged",
        DocumentError::Encrypted(_) => "encrypted",
        DocumentError::TooLarge(_) => "too large",
        DocumentError::OutOfRange(_) => "out of range",
        DocumentError::Cancelled => "cancelled",
    }
}

/// Opens a package as an engine does: main part, parsed.
fn open(bytes: &[u8]) -> Result<(), DocumentError> {
    let package = Package::open(bytes, &Limits::default())?;
    package.xml(&package.main_part()?)?;
    Ok(())
}

/// The crafted packages, and what becomes of each: nothing, or the error that says why not.
const CRAFTED: [(&str, &str); 23] = [
    ("xml-billion-laughs.pptx", "unsupported"),
    ("xml-bom-nodecl.xlsx", ""),
    ("xml-deep-nesting.docx", ""),
    ("xml-illformed.docx", "damaged"),
    ("xml-latin1-declared.docx", ""),
    ("xml-syntax-zoo.docx", ""),
    ("xml-utf16-part.docx", ""),
    ("xml-xxe.docx", "unsupported"),
    ("zip-backslash.docx", ""),
    ("zip-bad-crc.docx", "damaged"),
    ("zip-comment-trailing.xlsx", ""),
    ("zip-ct-last-mimetype-first.docx", ""),
    ("zip-datadescriptor-zip64.xlsx", ""),
    ("zip-datadescriptor.docx", ""),
    ("zip-duplicate-entry.docx", ""),
    ("zip-names-case-percent.docx", ""),
    ("zip-overlapping-entries.xlsx", "damaged"),
    ("zip-prefix-bytes.xlsx", ""),
    ("zip-stored.docx", ""),
    ("zip-traversal-names.docx", ""),
    ("zip-truncated-mid.docx", "damaged"),
    ("zip-truncated-tail.xlsx", "damaged"),
    ("zip64-eocd.xlsx", ""),
];

#[test]
fn crafted_packages_open_or_say_why_not() {
    for (file, expected) in CRAFTED {
        let bytes = std::fs::read(fixture("package").join(file)).unwrap();
        let found = open(&bytes).err();
        let code = found.as_ref().map_or("", code);
        assert_eq!(code, expected, "{file}: {found:?}");
    }
}

/// One comment in the main part of each: one entry changes, and everything around the entries stays.
#[test]
fn crafted_packages_keep_everything_else() {
    for (file, _) in CRAFTED.into_iter().filter(|(_, refused)| refused.is_empty()) {
        let path = fixture("package").join(file);
        let bytes = std::fs::read(&path).unwrap();
        let package = Package::open(&bytes, &Limits::default()).unwrap();
        let main = package.main_part().unwrap();
        assert_eq!(splice_comment(&path, &bytes, &main), file != "zip-duplicate-entry.docx", "{file}");
    }
}

#[test]
fn bytes_around_the_archive_stay() {
    let edited = |file: &str| {
        let bytes = std::fs::read(fixture("package").join(file)).unwrap();
        let mut package = Package::open(&bytes, &Limits::default()).unwrap();
        let main = package.main_part().unwrap();
        let changed = [&package.require(&main).unwrap()[..], b"<!--stet-->"].concat();
        package.replace(&main, changed).unwrap();
        (package.finish().unwrap().bytes, bytes)
    };
    let (after, before) = edited("zip-prefix-bytes.xlsx");
    assert_eq!(after[..17], before[..17]);
    let (after, before) = edited("zip-comment-trailing.xlsx");
    let tail = |bytes: &[u8]| bytes[memchr::memmem::rfind(bytes, b"PK\x05\x06").unwrap() + 20..].to_vec();
    assert_eq!(tail(&after), tail(&before));
    assert!(tail(&after).len() > 2);
}

/// A hundred MiB of blanks in a hundred KiB: refused while it is unpacked, not after.
#[test]
fn a_bomb_is_too_large() {
    let blanks = format!("<w:document>{}</w:document>", " ".repeat(100 << 20));
    let types = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>"#;
    let bytes = entries::archive(&[
        ("[Content_Types].xml", types.as_bytes()),
        ("word/document.xml", blanks.as_bytes()),
    ]);
    let package = Package::open(&bytes, &Limits::default()).unwrap();
    let error = package.require(&PartName::new("word/document.xml")).unwrap_err();
    assert_eq!(code(&error), "too large", "{error}");
}

#[test]
fn other_files_under_an_office_name_are_told() {
    let sentence = |bytes: &[u8]| match Package::open(bytes, &Limits::default()) {
        Ok(_) => panic!("opened"),
        Err(error) => (code(&error), error.to_string()),
    };
    let old: Vec<u8> = [&[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], &[0; 512][..]].concat();
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(sentence(&old).0, "unsupported");
    assert_eq!(sentence(&[old, name].concat()).0, "encrypted");
    assert!(sentence(b"{\\rtf1 text}").1.contains("RTF"));
    assert!(sentence(b"<html></html>").1.contains("HTML"));
    assert_eq!(sentence(b"").0, "damaged");
    let open_document =
        entries::archive(&[("mimetype", b"application/vnd.oasis"), ("META-INF/manifest.xml", b"<m/>")]);
    assert!(sentence(&open_document).1.contains("OpenDocument"));
}

#[test]
fn every_package_opens_or_says_why_not() {
    let mut refused = Vec::new();
    for path in corpus(&OFFICE) {
        let bytes = std::fs::read(&path).unwrap();
        let opened = Package::open(&bytes, &Limits::default()).and_then(|package| {
            let main = package.main_part()?;
            package.xml(&main)?;
            assert_eq!(package.finish().unwrap().bytes, bytes, "{}: a no-op changed bytes", path.display());
            Ok(())
        });
        if let Err(error) = opened {
            println!("{}: {} ({error})", name(&path), code(&error));
            refused.push(name(&path));
        }
    }
}

/// One comment put behind the root's start tag of the main part and of two others.
#[test]
fn one_splice_touches_one_entry() {
    let mut edited = 0;
    for path in corpus(&OFFICE) {
        let bytes = std::fs::read(&path).unwrap();
        let Ok(package) = Package::open(&bytes, &Limits::default()) else { continue };
        let Ok(main) = package.main_part() else { continue };
        let others = package.part_names().into_iter().filter(|part| part.extension() == "xml").take(2);
        for part in std::iter::once(main).chain(others).collect::<Vec<_>>() {
            edited += usize::from(splice_comment(&path, &bytes, &part));
        }
    }
    println!("{edited} parts edited");
}

fn splice_comment(path: &Path, bytes: &[u8], part: &PartName) -> bool {
    let mut package = Package::open(bytes, &Limits::default()).unwrap();
    let Ok(xml) = package.xml(part) else { return false };
    if xml.is_empty_tag(xml.root()) {
        return false;
    }
    let mut splices = Splices::default();
    splices.insert(xml.start_tag(xml.root()).end, "<!--stet-->");
    let changed = xml.write(splices).unwrap();
    if let Err(refusal) = package.replace(part, changed) {
        assert_eq!(
            refusal.kind,
            documents::error::EditErrorKind::WouldDamage,
            "{}: {refusal}",
            path.display()
        );
        return false;
    }
    let saved = package.finish().unwrap_or_else(|error| panic!("{} {part}: {error}", path.display()));
    let difference =
        entries::compare(bytes, &saved.bytes).unwrap_or_else(|| panic!("{}: not sound", path.display()));
    let told = (
        difference.changed.len(),
        difference.same_content.len(),
        difference.added.len(),
        difference.removed.len(),
    );
    assert_eq!(
        (told, difference.order_kept),
        ((1, 0, 0, 0), true),
        "{} {part}: {difference:?}",
        path.display()
    );
    let (_, gone, come) = &difference.changed[0];
    assert!(*gone <= 24 && *come <= 48, "{} {part}: {gone} bytes became {come}", path.display());
    true
}
