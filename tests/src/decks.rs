//! Decks in tests: applying operations written as JSON, and what differs between two packages, entry by entry.
//!
//! Packages are read with the `zip` crate, not with our own reader, so that the two check each other.

use std::io::{Cursor, Read};

use documents::{Applied, ApplyContext, Edit, EditError, Format, Limits, Outline, OutlineRequest};

/// Applies operations to a deck.
pub fn apply(deck: &[u8], ops: &serde_json::Value) -> Result<Applied, EditError> {
    apply_with(deck, ops, false)
}

/// Applies operations, saying whether protection is overridden.
pub fn apply_with(
    deck: &[u8],
    ops: &serde_json::Value,
    override_protection: bool,
) -> Result<Applied, EditError> {
    let ops: Vec<Edit> = serde_json::from_value(ops.clone()).map_err(|error| {
        EditError::new(documents::error::EditErrorKind::InvalidArguments, error.to_string())
    })?;
    let ctx = ApplyContext { override_protection, ..context() };
    documents::apply(Format::Pptx, deck, &ops, &ctx)
}

/// How every batch here is applied.
pub fn context() -> ApplyContext<'static> {
    ApplyContext {
        author: "Stet",
        now: "2026-11-30T14:00:00Z",
        override_protection: false,
        track_changes: None,
        limits: Limits::default(),
        cancel: &|| false,
    }
}

/// The whole outline of a deck.
pub fn outline(deck: &[u8]) -> Result<Outline, documents::DocumentError> {
    let request = OutlineRequest { range: None, budget: usize::MAX };
    documents::outline(Format::Pptx, deck, &request, &Limits::default(), &|| false)
}

/// The text at an address of the outline.
pub fn text_at(deck: &[u8], at: &str) -> Option<String> {
    let outline = outline(deck).ok()?;
    outline.nodes.into_iter().find(|node| node.at == at).map(|node| node.text)
}

/// One entry of a package.
pub struct Entry {
    pub name: String,
    pub compressed: Vec<u8>,
    pub content: Vec<u8>,
}

/// The entries of a package in order; panics when it cannot be read, as a test should.
#[allow(clippy::unwrap_used)]
pub fn entries(package: &[u8]) -> Vec<Entry> {
    let mut archive = zip::ZipArchive::new(Cursor::new(package)).unwrap();
    let read = |archive: &mut zip::ZipArchive<Cursor<&[u8]>>, index| {
        let mut compressed = Vec::new();
        archive.by_index_raw(index).unwrap().read_to_end(&mut compressed).unwrap();
        let mut entry = archive.by_index(index).unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        Entry { name: entry.name().unwrap().into_owned(), compressed, content }
    };
    (0..archive.len()).map(|index| read(&mut archive, index)).collect()
}

/// Names and contents of the entries, in order.
pub fn contents(package: &[u8]) -> Vec<(String, Vec<u8>)> {
    entries(package).into_iter().map(|entry| (entry.name, entry.content)).collect()
}

/// One part as text.
pub fn part(package: &[u8], name: &str) -> String {
    let entry = entries(package).into_iter().find(|entry| entry.name == name);
    entry.map(|entry| String::from_utf8_lossy(&entry.content).into_owned()).unwrap_or_default()
}

/// How two packages differ.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Parts with other content, and how many bytes of the new one lie between the common ends.
    pub changed: Vec<(String, usize)>,
    pub added: Vec<String>,
    pub removed: Vec<String>,
}

/// Compares two packages; an entry with equal content must also have equal compressed bytes.
#[allow(clippy::panic)]
pub fn difference(before: &[u8], after: &[u8]) -> Difference {
    let (before, after) = (entries(before), entries(after));
    let mut difference = Difference::default();
    for old in &before {
        match after.iter().find(|new| new.name == old.name) {
            None => difference.removed.push(old.name.clone()),
            Some(new) if new.content != old.content => {
                difference.changed.push((old.name.clone(), middle(&old.content, &new.content)));
            }
            Some(new) if new.compressed != old.compressed => panic!("{} was packed anew", old.name),
            Some(_) => {}
        }
    }
    let is_new = |entry: &&Entry| !before.iter().any(|old| old.name == entry.name);
    difference.added = after.iter().filter(is_new).map(|entry| entry.name.clone()).collect();
    let order = |entries: &[Entry], other: &[Entry]| -> Vec<String> {
        let shared = entries.iter().filter(|entry| other.iter().any(|o| o.name == entry.name));
        shared.map(|entry| entry.name.clone()).collect()
    };
    assert_eq!(order(&before, &after), order(&after, &before), "the order of the entries changed");
    difference
}

/// The length in `b` of what lies between the common prefix and the common suffix.
fn middle(a: &[u8], b: &[u8]) -> usize {
    let prefix = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let rest = a[prefix..].iter().rev().zip(b[prefix..].iter().rev());
    b.len() - prefix - rest.take_while(|(x, y)| x == y).count()
}

/// What is unsound about a deck, by both walks.
pub fn audit(deck: &[u8]) -> std::collections::BTreeSet<String> {
    let limits = Limits::default();
    let container = documents::package::audit(deck, &limits);
    let presentation = documents::formats::pptx::audit(deck, &limits);
    match (container, presentation) {
        (Ok(container), Ok(presentation)) => container.into_iter().chain(presentation).collect(),
        (container, presentation) => {
            let errors = [container.err(), presentation.err()].into_iter().flatten();
            errors.map(|error| format!("cannot be audited: {error}")).collect()
        }
    }
}

/// What is unsound about `after` and was not about `before`.
pub fn new_faults(before: &[u8], after: &[u8]) -> Vec<String> {
    audit(after).difference(&audit(before)).cloned().collect()
}

/// The numbers, titles and hidden states of the slides.
pub fn slides(deck: &[u8]) -> Vec<String> {
    let nodes = outline(deck).map(|outline| outline.nodes).unwrap_or_default();
    nodes.into_iter().filter(|node| node.kind == "slide").map(|node| node.text).collect()
}

/// The deck with text of some parts replaced: `(part, old, new)`; what is not there fails. Packed anew, for making cases.
#[allow(clippy::unwrap_used)]
pub fn patched(deck: &[u8], patches: &[(&str, &str, &str)]) -> Vec<u8> {
    use std::io::Write;
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for entry in entries(deck) {
        let mut content = entry.content;
        for (_, old, new) in patches.iter().filter(|(part, ..)| *part == entry.name) {
            let text = String::from_utf8(content).unwrap();
            assert!(text.contains(old), "{} does not hold {old}", entry.name);
            content = text.replacen(old, new, 1).into_bytes();
        }
        writer.start_file(entry.name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(&content).unwrap();
    }
    for (name, _, content) in
        patches.iter().filter(|(name, old, _)| old.is_empty() && part(deck, name).is_empty())
    {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}
