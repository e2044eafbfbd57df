//! Parts that the page's renderer must not get: damaged ones, ill-formed ones, and those with a DTD, which a browser would expand.
//!
//! They are taken out of the copy with the relationships that name them, and a notice says so. The document's own part is not
//! among them: without it there is nothing to show.

use super::{normalise, ours};
use crate::{
    DocumentError, Warning,
    package::{Package, PartName, xml::Xml},
};

/// Takes out what cannot be read, and writes the rest in an encoding that the renderer reads.
pub(super) fn leave_out(package: &mut Package<'_>, main: &PartName) -> Result<Vec<Warning>, DocumentError> {
    let mut notices = Vec::new();
    if package.drop_shadowed() {
        notices.push(notice(
            "The package holds parts of the same name more than once; the last ones are shown.",
        ));
    }
    let mut parts: Vec<PartName> = package.part_names().into_iter().filter(is_xml).collect();
    // Relationships come first, for they are read when another part is taken out.
    parts.sort_by_key(|part| !part.extension().eq_ignore_ascii_case("rels"));
    for part in parts.iter().filter(|part| !part.same(main) && !part.same(&PartName::content_types())) {
        match as_utf8(package, part) {
            Ok(Some(plain)) => package.replace(part, plain).map_err(ours)?,
            Ok(None) => {}
            Err(reason) => {
                take_out(package, part)?;
                notices.push(notice(&format!("{part} is left out of the preview: {reason}")));
            }
        }
    }
    Ok(notices)
}

fn notice(message: &str) -> Warning {
    Warning::new("preview_incomplete", message)
}

fn is_xml(part: &PartName) -> bool {
    matches!(part.extension().to_ascii_lowercase().as_str(), "xml" | "rels")
}

/// The part in UTF-8 where it is in anything else, or why it cannot be read.
fn as_utf8(package: &Package<'_>, part: &PartName) -> Result<Option<Vec<u8>>, String> {
    let bytes = package.require(part).map_err(|error| error.to_string())?;
    let limits = package.limits();
    Xml::parse(&bytes, limits).map_err(|error| error.to_string())?;
    let plain = normalise::utf8(&bytes, limits).map_err(|error| error.to_string())?;
    Ok(Some(plain).filter(|plain| *plain != **bytes))
}

fn take_out(package: &mut Package<'_>, part: &PartName) -> Result<(), DocumentError> {
    let sources: Vec<PartName> =
        package.part_names().iter().filter_map(PartName::relationships_source).collect();
    for source in sources {
        let Ok(relationships) = package.relationships(&source) else { continue };
        for relationship in &relationships.items {
            if relationship.part().is_some_and(|target| target.same(part)) {
                package.remove_relationship(&source, &relationship.id).map_err(ours)?;
            }
        }
    }
    package.remove(part).map_err(ours)
}
