//! Any bytes as a package: it opens or is refused; what opens and is edited passes the gate and keeps its other entries.
#![no_main]

use documents::{EditError, Limits, error::EditErrorKind, package::Package};
use libfuzzer_sys::fuzz_target;

fn limits() -> Limits {
    Limits { part_bytes: 1 << 20, total_bytes: 4 << 20, entries: 512, depth: 256, ..Limits::default() }
}

fn edit(bytes: &[u8]) -> Result<(), EditError> {
    let mut package = Package::open(bytes, &limits())?;
    let _ = package.notices();
    assert_eq!(package.finish()?.bytes, bytes, "a no-op changed bytes");
    for name in package.part_names() {
        let _ = package.relationships(&name);
        let _ = package.content_type(&name);
    }
    let main = package.main_part()?;
    let xml = package.xml(&main)?;
    let mut splices = documents::package::xml::Splices::default();
    splices.insert(xml.start_tag(xml.root()).start, "<!--x-->");
    package.replace(&main, xml.write(splices)?)?;
    let saved = package.finish()?;
    let again = Package::open(&saved.bytes, &limits())?;
    assert_eq!(again.part_names(), package.part_names());
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = edit(bytes) {
        assert_ne!(error.kind, EditErrorKind::Internal, "{error}");
    }
});
