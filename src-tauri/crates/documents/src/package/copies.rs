//! A part copied with everything that belongs to it, under the same relationship ids, so that its XML stays as it is.
//!
//! What a kind of relationship means for its target (copied, shared, left out) is the caller's to say.

use std::collections::BTreeMap;

use super::{
    Package, PartName,
    xml::{Ns, Splices},
};
use crate::{EditError, error::EditErrorKind};

const RELATIONSHIPS: &str = "application/vnd.openxmlformats-package.relationships+xml";

/// What happens to the target of a relationship.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Copy,
    Share,
    Drop,
}

/// A part that was copied, and the ids of the relationships that its copy lacks.
pub(crate) struct Copied {
    pub(crate) part: PartName,
    pub(crate) left_out: Vec<String>,
}

/// The copies made in one go.
pub(crate) struct Copies<'p, 'a> {
    pub(crate) package: &'p mut Package<'a>,
    fate: fn(&str) -> Fate,
    /// Original to copy, by canonical name.
    made: BTreeMap<String, PartName>,
    /// Every copy, those that belong to another before it.
    pub(crate) copied: Vec<Copied>,
}

impl<'p, 'a> Copies<'p, 'a> {
    pub(crate) fn new(package: &'p mut Package<'a>, fate: fn(&str) -> Fate) -> Copies<'p, 'a> {
        Copies { package, fate, made: BTreeMap::new(), copied: Vec::new() }
    }

    /// Copies the relationships of a part to one that has none yet; gives the ids of those that were left out.
    pub(crate) fn relationships(
        &mut self,
        part: &PartName,
        copy: &PartName,
    ) -> Result<Vec<String>, EditError> {
        self.made.insert(part.canonical(), copy.clone());
        let source = part.relationships_part();
        if !self.package.has(&source) {
            return Ok(Vec::new());
        }
        let xml = self.package.xml(&source)?;
        let relationships = self.package.relationships(part)?;
        let mut splices = Splices::default();
        let mut dropped = Vec::new();
        for element in xml.children_named(xml.root(), Ns::PackageRelationships, "Relationship") {
            let id = xml.value(element, Ns::None, "Id").unwrap_or_default();
            let Some(relationship) = relationships.by_id(&id) else { continue };
            let target = relationship.part().filter(|target| self.package.has(target));
            let kind = relationship.kind.rsplit('/').next().unwrap_or_default();
            let new = match ((self.fate)(kind), target) {
                (Fate::Drop, _) => {
                    splices.delete(xml.span(element));
                    dropped.push(relationship.id.clone());
                    continue;
                }
                (_, None) => continue,
                // The same folder, so that the way to a shared part stays; a copy of this very part is the copy.
                (Fate::Share, Some(target)) => self.made.get(&target.canonical()).cloned(),
                (Fate::Copy, Some(target)) => Some(self.copy(&target)?),
            };
            if let Some(new) = new {
                let target = copy.relative(&new);
                xml.set_attribute(&mut splices, element, Ns::None, "Target", "Target", &target)?;
            }
        }
        let bytes = xml.write(splices)?;
        self.package.add(&copy.relationships_part(), bytes, RELATIONSHIPS)?;
        Ok(dropped)
    }

    /// Copies a part with everything that belongs to it.
    pub(crate) fn copy(&mut self, part: &PartName) -> Result<PartName, EditError> {
        if let Some(copy) = self.made.get(&part.canonical()) {
            return Ok(copy.clone());
        }
        let (before, after) = name_pattern(part);
        let copy = self.package.unused_name(&before, &after);
        let content_type = self.package.content_type(part)?.ok_or_else(|| {
            EditError::new(EditErrorKind::Damaged, format!("The part {part} has no content type."))
        })?;
        let bytes = self.package.require(part)?.to_vec();
        self.package.add(&copy, bytes, &content_type)?;
        let left_out = self.relationships(part, &copy)?;
        self.copied.push(Copied { part: copy.clone(), left_out });
        Ok(copy)
    }
}

/// What stands before and after the number of a part's name.
fn name_pattern(part: &PartName) -> (String, String) {
    let name = part.as_str();
    let stem_end = name.rfind('.').filter(|dot| *dot > part.folder().len()).unwrap_or(name.len());
    let stem = name[..stem_end].trim_end_matches(|character: char| character.is_ascii_digit());
    (stem.to_owned(), name[stem_end..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_pattern() {
        let pattern = |name: &str| name_pattern(&PartName::new(name));
        assert_eq!(pattern("ppt/slides/slide12.xml"), ("ppt/slides/slide".into(), ".xml".into()));
        assert_eq!(pattern("ppt/embeddings/Book.xlsx"), ("ppt/embeddings/Book".into(), ".xlsx".into()));
        assert_eq!(pattern("ppt/v1.2/blob"), ("ppt/v1.2/blob".into(), String::new()));
    }
}
