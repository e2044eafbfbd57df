//! Relationships (ECMA-376-2, 6.5): who points to whom, by id; targets are resolved only when asked for, dangling ones are kept.

use std::ops::Range;

use super::{
    Package, PartName,
    xml::{NodeId, Ns, Splices, Xml, escape_attribute},
};
use crate::{DocumentError, EditError, error::EditErrorKind};

const TRANSITIONAL: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";
const STRICT: &str = "http://purl.oclc.org/ooxml/officeDocument/relationships/";
const CONTENT_TYPE: &str = "application/vnd.openxmlformats-package.relationships+xml";

/// One relationship as found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relationship {
    pub id: String,
    /// The whole type as written.
    pub relationship_type: String,
    /// The type behind its base, which Strict and Transitional share: `worksheet`, `slideLayout`, `image`.
    pub kind: String,
    /// The target as written.
    pub target: String,
    pub external: bool,
    source: PartName,
    span: Range<usize>,
}

impl Relationship {
    /// The part an internal relationship points to, whether or not it exists.
    pub fn part(&self) -> Option<PartName> {
        if self.external { None } else { self.source.resolve(&self.target) }
    }

    pub(super) fn is_strict(&self) -> bool {
        self.relationship_type.starts_with(STRICT)
    }
}

/// All relationships of one source, in order.
#[derive(Debug, Clone, Default)]
pub struct Relationships {
    pub items: Vec<Relationship>,
}

impl Relationships {
    pub fn by_id(&self, id: &str) -> Option<&Relationship> {
        self.items.iter().find(|relationship| relationship.id == id)
    }

    pub fn of_kind<'r>(&'r self, kind: &'r str) -> impl Iterator<Item = &'r Relationship> {
        self.items.iter().filter(move |relationship| relationship.kind == kind)
    }

    /// The first part of a kind.
    pub fn part_of_kind(&self, kind: &str) -> Option<PartName> {
        self.of_kind(kind).find_map(Relationship::part)
    }

    /// The first relationship to a part.
    pub fn to_part(&self, part: &PartName) -> Option<&Relationship> {
        self.items.iter().find(|relationship| relationship.part().is_some_and(|target| target.same(part)))
    }
}

/// The kind of a relationship type: what follows `/relationships/`.
fn kind_of(relationship_type: &str) -> String {
    let base = "/relationships/";
    relationship_type
        .rfind(base)
        .map_or(relationship_type, |at| &relationship_type[at + base.len()..])
        .to_owned()
}

fn parse(xml: &Xml, source: &PartName) -> Vec<Relationship> {
    let elements = xml.children_named(xml.root(), Ns::PackageRelationships, "Relationship");
    elements.filter_map(|element| read(xml, element, source)).collect()
}

/// One relationship, its attributes read in one pass: some parts have thousands.
fn read(xml: &Xml, element: NodeId, source: &PartName) -> Option<Relationship> {
    let (mut id, mut relationship_type, mut target, mut external) = (None, None, None, false);
    for attribute in xml.attributes(element).filter(|attribute| attribute.namespace == Ns::None) {
        match attribute.name {
            "Id" => id = Some(attribute.value.into_owned()),
            "Type" => relationship_type = Some(attribute.value.into_owned()),
            "Target" => target = Some(attribute.value.into_owned()),
            "TargetMode" => external = attribute.value == "External",
            _ => {}
        }
    }
    let relationship_type = relationship_type?;
    Some(Relationship {
        id: id?,
        kind: kind_of(&relationship_type),
        relationship_type,
        target: target?,
        external,
        source: source.clone(),
        span: xml.span(element),
    })
}

impl Package<'_> {
    /// The relationships of a part (`PartName::root()` for the package's own); none when it has no relationships part.
    pub fn relationships(&self, source: &PartName) -> Result<Relationships, DocumentError> {
        let name = source.relationships_part();
        match self.has(&name) {
            true => Ok(Relationships { items: parse(&self.xml(&name)?, source) }),
            false => Ok(Relationships::default()),
        }
    }

    /// Adds an internal relationship of a kind and gives its new id; the type's base is the one the package uses. A kind that is a
    /// whole type (`http://…`) is taken as it is.
    pub fn add_relationship(
        &mut self,
        source: &PartName,
        kind: &str,
        target: &PartName,
    ) -> Result<String, EditError> {
        let target = source.relative(target);
        self.add_relationship_to(source, kind, &target, TargetMode::Internal)
    }

    /// Adds a relationship to anything outside the package.
    pub fn add_external_relationship(
        &mut self,
        source: &PartName,
        kind: &str,
        target: &str,
    ) -> Result<String, EditError> {
        self.add_relationship_to(source, kind, target, TargetMode::External)
    }

    /// Removes a relationship; its target is left alone.
    pub fn remove_relationship(&mut self, source: &PartName, id: &str) -> Result<(), EditError> {
        let name = source.relationships_part();
        let xml = self.xml(&name)?;
        let mut splices = Splices::default();
        let all = parse(&xml, source);
        let named: Vec<_> = all.iter().filter(|relationship| relationship.id == id).collect();
        if named.len() > 1 {
            let message = format!(
                "{source} has {} relationships with the one id {id}; which of them is meant cannot be known.",
                named.len()
            );
            return Err(EditError::new(EditErrorKind::WouldDamage, message));
        }
        for relationship in named {
            splices.delete(relationship.span.clone());
        }
        let bytes = xml.write(splices)?;
        self.replace(&name, bytes)
    }

    fn add_relationship_to(
        &mut self,
        source: &PartName,
        kind: &str,
        target: &str,
        mode: TargetMode,
    ) -> Result<String, EditError> {
        let name = source.relationships_part();
        let relationship_type = match kind.contains("://") {
            true => kind.to_owned(),
            false => format!("{}{kind}", if self.is_strict()? { STRICT } else { TRANSITIONAL }),
        };
        let taken = self.relationships(source)?;
        let id = unused_id(&taken);
        let mode = match mode {
            TargetMode::Internal => "",
            TargetMode::External => " TargetMode=\"External\"",
        };
        let attributes = format!(
            "Id=\"{id}\" Type=\"{}\" Target=\"{}\"{mode}",
            escape_attribute(&relationship_type)?,
            escape_attribute(target)?
        );
        if !self.has(&name) {
            let namespace = Ns::PackageRelationships.uri(false);
            let part = format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<Relationships xmlns=\"{namespace}\"><Relationship {attributes}/></Relationships>"
            );
            self.add(&name, part.into_bytes(), CONTENT_TYPE)?;
            return Ok(id);
        }
        let xml = self.xml(&name)?;
        let bytes = append_child(&xml, &format!("Relationship {attributes}"))?;
        self.replace(&name, bytes)?;
        Ok(id)
    }
}

#[derive(Clone, Copy)]
enum TargetMode {
    Internal,
    External,
}

/// `rIdN` above every number in use.
fn unused_id(taken: &Relationships) -> String {
    let numbers = taken
        .items
        .iter()
        .filter_map(|relationship| relationship.id.strip_prefix("rId")?.parse::<u64>().ok());
    // Numbers that nobody counted up to are left aside.
    let highest = numbers.filter(|number| *number < u64::from(u32::MAX)).max().unwrap_or(0);
    let mut ids = (highest + 1..).map(|number| format!("rId{number}"));
    ids.find(|id| taken.by_id(id).is_none()).unwrap_or_default()
}

/// The part with one more empty element at the end of its root, in the root's own prefix.
pub(super) fn append_child(xml: &Xml, name_and_attributes: &str) -> Result<Vec<u8>, EditError> {
    let root = xml.root();
    let child = format!("<{}{name_and_attributes}/>", xml.prefix(root));
    let mut splices = Splices::default();
    if xml.is_empty_tag(root) {
        let tag = xml.start_tag(root);
        splices.replace(tag.end - 2..tag.end, format!(">{child}</{}>", xml.qualified_name(root)));
    } else {
        splices.insert(xml.content(root).end, child);
    }
    xml.write(splices)
}
