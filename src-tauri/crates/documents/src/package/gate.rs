//! The gate: nothing may be staged or saved before the written bytes were reopened and found to be exactly what was planned.
//!
//! It looks at the result with fresh eyes: entries and their order, untouched spans, touched parts, relationships, content types.
//! A failure is a fault of ours, reported as `internal`, and nothing is written.

use std::collections::BTreeMap;

use super::{
    Package, PartName, Relationship, Relationships,
    archive::{self, Archive, END, Entry},
    inflate,
    seam::Seam,
    write::Written,
    xml,
};
use crate::{EditError, error::EditErrorKind};

/// From the end record's signature to its comment's length.
const END_FIELDS: usize = 20;

/// Proves the written bytes against the plan.
///
/// What stands behind the end record is kept, and where that holds the signature of another one, new offsets can make it lead to a
/// directory. That is the file's own ambiguity, no fault of ours; it is not edited.
pub(super) fn check(planned: &Package<'_>, written: &Written) -> Result<(), EditError> {
    check_against(planned, written).map_err(|fault| {
        let behind = &planned.source[planned.archive.end + END_FIELDS..];
        if memchr::memmem::find(behind, &END.to_le_bytes()).is_none() {
            return fault;
        }
        archive::two_packages().into()
    })
}

fn check_against(planned: &Package<'_>, written: &Written) -> Result<(), EditError> {
    // The content types need no new look where they are among what is found identical.
    let reopen = if planned.touches_structure() { Package::open } else { Package::laid_out };
    let result = reopen(&written.bytes, &planned.limits)
        .map_err(|error| fault(&format!("the result cannot be reopened: {error}")))?;
    surroundings_are_kept(planned, &result)?;
    same_order(planned, &result.archive)?;
    untouched_are_identical(planned, &result)?;
    touched_are_sound(planned, &result, &written.seams)?;
    if planned.touches_structure() {
        let original = Package::open(planned.source, &planned.limits)?;
        relationships_still_resolve(&original, planned, &result)?;
        content_types_are_complete(&original, &result)?;
    }
    Ok(())
}

fn fault(what: &str) -> EditError {
    EditError::new(
        EditErrorKind::Internal,
        format!("The edited document did not pass its check: {what}. Nothing was written."),
    )
}

/// The original indices that remain, in directory order.
fn kept<'p>(planned: &'p Package<'_>) -> impl Iterator<Item = usize> + 'p {
    (0..planned.archive.entries.len()).filter(|index| !planned.removed.contains(index))
}

fn same_order(planned: &Package<'_>, result: &Archive) -> Result<(), EditError> {
    let originals = kept(planned).map(|index| planned.archive.entries[index].name.as_str());
    let expected: Vec<&str> = originals.chain(planned.added.iter().map(|(name, _)| name.as_str())).collect();
    let found: Vec<&str> = result.entries.iter().map(|entry| entry.name.as_str()).collect();
    if expected == found { Ok(()) } else { Err(fault("its list of parts is not as planned")) }
}

/// The bytes before the first entry, and the comment and whatever stands behind it.
fn surroundings_are_kept(planned: &Package<'_>, result: &Package<'_>) -> Result<(), EditError> {
    let around = |package: &Package<'_>| {
        let first = package.archive.entries.iter().map(|entry| entry.span.start).min();
        let front = first.unwrap_or(package.archive.directory.start);
        (front, package.archive.end + END_FIELDS)
    };
    let ((front, tail), (front_now, tail_now)) = (around(planned), around(result));
    let is_kept = front_now >= front
        && planned.source[..front] == result.source[..front]
        && planned.source.get(tail..) == result.source.get(tail_now..);
    if is_kept { Ok(()) } else { Err(fault("the bytes around its parts are not as they were")) }
}

fn untouched_are_identical(planned: &Package<'_>, result: &Package<'_>) -> Result<(), EditError> {
    for (position, index) in
        kept(planned).enumerate().filter(|(_, index)| !planned.replaced.contains_key(index))
    {
        let (before, after) = (&planned.archive.entries[index], &result.archive.entries[position]);
        // The last entry's span may be followed by an added one, so only the original length counts.
        let length = before.span.len();
        let same_span = after.span.len() >= length
            && planned.source[before.span.clone()]
                == result.source[after.span.start..after.span.start + length];
        let (old, new) = (&planned.source[before.central.clone()], &result.source[after.central.clone()]);
        if !(same_span && is_same_record(old, new)) {
            return Err(fault(&format!("the untouched part {} is not identical", before.name)));
        }
    }
    Ok(())
}

/// All of a directory record but the offset is as it was; where the offset is a zip64 one, so is all of the extra field beside it.
fn is_same_record(old: &[u8], new: &[u8]) -> bool {
    let is_wide = old.get(42..46) == Some(&[0xFF; 4]);
    let wide = archive::wide_offset_at(old).filter(|_| is_wide).unwrap_or(old.len());
    let behind = old.len().min(wide + 8);
    old.len() == new.len()
        && old[..42] == new[..42]
        && (old[46..wide] == new[46..wide] && old[behind..] == new[behind..])
}

fn touched_are_sound(
    planned: &Package<'_>,
    result: &Package<'_>,
    seams: &BTreeMap<usize, Seam>,
) -> Result<(), EditError> {
    let originals = kept(planned).enumerate();
    let replaced = originals.filter_map(|(position, index)| {
        Some((position, planned.replaced.get(&index)?, seams.get(&index).map(|seam| (index, seam))))
    });
    let first_added = planned.archive.entries.len() - planned.removed.len();
    let added = planned.added.iter().enumerate().map(|(at, (_, bytes))| (first_added + at, bytes, None));
    for (position, bytes, seam) in replaced.chain(added) {
        let entry = &result.archive.entries[position];
        if !reads_back(planned, result, entry, bytes, seam)? {
            return Err(fault(&format!("the part {} does not read back as it was written", entry.name)));
        }
        let name = PartName::new(&entry.name);
        let is_xml =
            ["xml", "rels", "vml"].iter().any(|extension| name.extension().eq_ignore_ascii_case(extension));
        // Office itself writes VML that is no XML; a copy of such a part is as good as its original.
        let is_copied_vml = name.extension().eq_ignore_ascii_case("vml")
            && planned.added.iter().any(|(added, _)| added.same(&name));
        if is_xml && !is_copied_vml {
            xml::check_well_formed(bytes, &planned.limits)
                .map_err(|error| fault(&format!("in the part {name}, {error}")))?;
        }
    }
    Ok(())
}

/// Whether an entry unpacks to its content. With a seam, copied blocks are compared as they lie and only fresh ones unpacked.
fn reads_back(
    planned: &Package<'_>,
    result: &Package<'_>,
    entry: &Entry,
    bytes: &[u8],
    seam: Option<(usize, &Seam)>,
) -> Result<bool, EditError> {
    let unpacks = || inflate::matches(result.source, entry, bytes).map_err(|error| fault(&error.to_string()));
    let Some((index, seam)) = seam else { return unpacks() };
    let stream = &planned.source[planned.archive.entries[index].data.clone()];
    let old = planned.read_original(index)?;
    let holds = seam.holds(stream, &old, &result.source[entry.data.clone()], bytes)
        && entry.size == bytes.len() as u64
        && entry.crc == crc32fast::hash(bytes);
    // In tests the long way proves the short one.
    Ok(holds && (!cfg!(debug_assertions) || unpacks()?))
}

/// Every relationship that is there now resolves, unless it was found dangling.
fn relationships_still_resolve(
    original: &Package<'_>,
    planned: &Package<'_>,
    result: &Package<'_>,
) -> Result<(), EditError> {
    for source in sources(result) {
        let now = result.relationships(&source).map_err(|error| fault(&error.to_string()))?;
        let before = original.relationships(&source).unwrap_or_default();
        for relationship in &now.items {
            let Some(target) = relationship.part() else { continue };
            // Ids are not always unique, so the id alone does not say which one it was.
            let was_there =
                |old: &Relationship| old.id == relationship.id && old.target == relationship.target;
            let was_dangling = before.items.iter().any(was_there) && !original.has(&target);
            if !result.has(&target) && !was_dangling {
                return Err(fault(&format!(
                    "{} of {source} points to {target}, which is not there",
                    relationship.id
                )));
            }
        }
        losses_are_meant(&before, &now, planned, &source)?;
    }
    Ok(())
}

/// A relationships part that nobody replaced has lost nothing.
fn losses_are_meant(
    before: &Relationships,
    now: &Relationships,
    planned: &Package<'_>,
    source: &PartName,
) -> Result<(), EditError> {
    let is_replaced = planned
        .archive
        .find(&source.relationships_part())
        .iter()
        .any(|index| planned.replaced.contains_key(index));
    if !is_replaced && before.items.len() > now.items.len() {
        return Err(fault(&format!("{source} lost a relationship")));
    }
    Ok(())
}

/// Every part that has relationships, and the package itself.
fn sources(package: &Package<'_>) -> Vec<PartName> {
    package.part_names().iter().filter_map(PartName::relationships_source).collect()
}

/// Every part has a content type, unless it had none before.
fn content_types_are_complete(original: &Package<'_>, result: &Package<'_>) -> Result<(), EditError> {
    let now = result.content_types().map_err(|error| fault(&error.to_string()))?;
    let before = original.content_types()?;
    let parts = result.part_names();
    let bare = parts.iter().filter(|name| now.of(name).is_none() && !name.same(&PartName::content_types()));
    for name in bare {
        if before.of(name).is_some() || !original.has(name) {
            return Err(fault(&format!("the part {name} has no content type")));
        }
    }
    Ok(())
}

impl Package<'_> {
    fn touches_structure(&self) -> bool {
        let is_structure = |index: &usize| {
            let name = PartName::new(&self.archive.entries[*index].name);
            name.extension().eq_ignore_ascii_case("rels") || name.same(&PartName::content_types())
        };
        !self.added.is_empty() || !self.removed.is_empty() || self.replaced.keys().any(is_structure)
    }
}
