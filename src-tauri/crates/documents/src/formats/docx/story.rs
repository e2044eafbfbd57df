//! The parts of a Word package that hold text, in the order in which they are shown: body, headers, footers, notes, comments.

use std::rc::Rc;

use super::{index::Index, notices::may_have_notices};
use crate::{
    DocumentError,
    package::{Package, PartName, xml::Xml},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    Main,
    Header,
    Footer,
    Footnotes,
    Endnotes,
    Comments,
}

/// The kinds with their relationship words, in order.
const KINDS: [(PartKind, &str); 5] = [
    (PartKind::Header, "header"),
    (PartKind::Footer, "footer"),
    (PartKind::Footnotes, "footnotes"),
    (PartKind::Endnotes, "endnotes"),
    (PartKind::Comments, "comments"),
];

/// A part with text; `number` counts headers and footers from 1.
#[derive(Debug, Clone)]
pub(super) struct StoryPart {
    pub(super) name: PartName,
    pub(super) kind: PartKind,
    pub(super) number: usize,
}

/// A part as parsed and indexed.
pub(super) struct Loaded {
    pub(super) xml: Xml,
    pub(super) index: Index,
}

/// All parts with text; the main part is the first.
pub(super) fn story_parts(package: &Package<'_>) -> Result<Vec<StoryPart>, DocumentError> {
    let main = package.main_part()?;
    let relationships = package.relationships(&main)?;
    let mut parts = vec![StoryPart { name: main, kind: PartKind::Main, number: 1 }];
    for (kind, word) in KINDS {
        let mut names: Vec<PartName> = Vec::new();
        for name in relationships.of_kind(word).filter_map(|relationship| relationship.part()) {
            if package.has(&name) && !names.iter().any(|known| known.same(&name)) {
                names.push(name);
            }
        }
        // `header2.xml` before `header10.xml`, so that the numbers are the ones people see in the file.
        names.sort_by_key(|name| (name.as_str().len(), name.as_str().to_owned()));
        for (position, name) in names.into_iter().enumerate() {
            parts.push(StoryPart { name, kind, number: position + 1 });
        }
    }
    Ok(parts)
}

/// Parses and indexes a part.
pub(super) fn load(
    package: &Package<'_>,
    part: &StoryPart,
    first_text_box: usize,
) -> Result<Rc<Loaded>, DocumentError> {
    let xml = package.xml(&part.name)?;
    let index = Index::build(&xml, part.kind, part.number, first_text_box);
    Ok(Rc::new(Loaded { xml, index }))
}

/// The beginning of a long part for a reader of at least `wish` bytes of it; `None` when there is more to tell about it or when it is
/// hardly longer than that.
pub(super) fn load_head(
    package: &Package<'_>,
    part: &StoryPart,
    wish: usize,
) -> Result<Option<Rc<Loaded>>, DocumentError> {
    let bytes = package.require(&part.name)?;
    // In UTF-16 the words look different, and every second byte of what is nearly ASCII is zero.
    if bytes.len() / 2 < wish || may_have_notices(&bytes) || bytes[..wish].contains(&0) {
        return Ok(None);
    }
    let (xml, is_whole) = package.xml_head(&part.name, wish)?;
    if is_whole {
        return Ok(None);
    }
    let index = Index::build(&xml, part.kind, part.number, 0);
    Ok(Some(Rc::new(Loaded { xml, index })))
}
