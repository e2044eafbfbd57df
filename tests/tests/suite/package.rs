//! The package layer over whole corpora: what opens, what is refused and why, and that one splice touches one entry.

use std::path::Path;

use documents::{
    DocumentError, Limits,
    package::{Package, PartName, xml::Splices},
};
use stet_tests::{corpus, entries};

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
        DocumentError::Cancelled => "cancelled",
    }
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
