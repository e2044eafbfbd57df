//! Who points to whom in the package, so that what only a slide uses can be told from what others use too.
//!
//! A part is reachable when a chain of relationships leads to it from the package itself; deleting removes exactly what was reachable
//! before and is not any more. Parts that were orphans already are left alone, with everything they point to.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    DocumentError,
    package::{Package, PartName, Relationship},
};

/// All internal relationships of a package.
pub(super) struct Graph {
    edges: BTreeMap<PartName, Vec<Relationship>>,
    /// Every part by its canonical name.
    parts: BTreeMap<String, PartName>,
}

impl Graph {
    /// Reads every relationships part.
    pub(super) fn read(package: &Package<'_>) -> Result<Graph, DocumentError> {
        let mut graph = Graph { edges: BTreeMap::new(), parts: BTreeMap::new() };
        for part in package.part_names() {
            match part.relationships_source() {
                Some(source) => {
                    let found = package.relationships(&source)?;
                    graph.edges.insert(source, found.items);
                }
                None if part.as_str() == "[Content_Types].xml" => {}
                None => drop(graph.parts.insert(part.canonical(), part)),
            }
        }
        Ok(graph)
    }

    /// Every relationship that points to a part, with its source.
    pub(super) fn pointers_to(&self, target: &PartName) -> Vec<(PartName, Relationship)> {
        let mut found = Vec::new();
        for (source, relationships) in &self.edges {
            let hits = relationships.iter().filter(|one| one.part().is_some_and(|part| part.same(target)));
            found.extend(hits.map(|one| (source.clone(), one.clone())));
        }
        found
    }

    /// The parts that can be reached from the package's root, as canonical names.
    pub(super) fn reachable(&self) -> BTreeSet<String> {
        self.reachable_from([PartName::root()])
    }

    /// The parts that can be reached from the root and from orphans on ways that do not lead through a part.
    pub(super) fn reachable_without(&self, part: &PartName) -> BTreeSet<String> {
        self.walk(self.orphans().into_iter().chain([PartName::root()]), Some(part.canonical()))
    }

    /// The parts that can be reached from some parts.
    pub(super) fn reachable_from(&self, sources: impl IntoIterator<Item = PartName>) -> BTreeSet<String> {
        self.walk(sources, None)
    }

    fn walk(&self, sources: impl IntoIterator<Item = PartName>, closed: Option<String>) -> BTreeSet<String> {
        let by_source: BTreeMap<String, &Vec<Relationship>> =
            self.edges.iter().map(|(source, edges)| (source.canonical(), edges)).collect();
        let mut reached = BTreeSet::new();
        let mut waiting: Vec<String> = sources.into_iter().map(|part| part.canonical()).collect();
        while let Some(source) = waiting.pop() {
            let edges = by_source.get(&source).into_iter().flat_map(|edges| edges.iter());
            for target in edges.filter_map(|edge| edge.part()) {
                let target = target.canonical();
                let is_open = self.parts.contains_key(&target) && closed.as_ref() != Some(&target);
                if is_open && reached.insert(target.clone()) {
                    waiting.push(target);
                }
            }
        }
        reached
    }

    /// The parts that nothing reaches.
    pub(super) fn orphans(&self) -> Vec<PartName> {
        let reached = self.reachable();
        let parts = self.parts.iter();
        parts.filter(|(name, _)| !reached.contains(*name)).map(|(_, part)| part.clone()).collect()
    }

    /// The parts that were reachable in `before` and are reached here neither from the root nor from an orphan of `before`.
    pub(super) fn lost_since(&self, before: &Graph) -> Vec<PartName> {
        let sources = before.orphans().into_iter().chain([PartName::root()]);
        let kept = self.reachable_from(sources);
        let was = before.reachable();
        let parts = self.parts.iter();
        parts
            .filter(|(name, _)| was.contains(*name) && !kept.contains(*name))
            .map(|(_, part)| part.clone())
            .collect()
    }
}
