//! Range marks (ECMA-376-1, 17.13): bookmarks, comments, permissions, moves, whose two ends may lie in different paragraphs.

use std::{collections::HashMap, ops::Range};

use crate::package::xml::{NodeId, Ns, Xml};

/// A range is known by its family and its id.
pub(super) type RangeKey = (&'static str, String);

/// One end of a range.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    pub(super) node: NodeId,
    pub(super) key: RangeKey,
}

const FAMILIES: [&str; 9] = [
    "bookmark",
    "commentRange",
    "perm",
    "moveFromRange",
    "moveToRange",
    "customXmlInsRange",
    "customXmlDelRange",
    "customXmlMoveFromRange",
    "customXmlMoveToRange",
];

/// What kind of range an element begins or ends.
pub(super) fn family(xml: &Xml, node: NodeId) -> Option<&'static str> {
    if xml.namespace(node) != Ns::W {
        return None;
    }
    let name = xml.local_name(node);
    let stem = name.strip_suffix("Start").or_else(|| name.strip_suffix("End"))?;
    FAMILIES.into_iter().find(|family| *family == stem)
}

/// The range marks inside a node, in order.
pub(super) fn marks_in(xml: &Xml, node: NodeId) -> Vec<Mark> {
    xml.descendants(node)
        .filter_map(|node| {
            let family = family(xml, node)?;
            let id = xml.value(node, Ns::W, "id").unwrap_or_default().into_owned();
            Some(Mark { node, key: (family, id) })
        })
        .collect()
}

/// Which ranges have an end outside the given stretches of the part.
pub(super) struct Ends {
    by_key: HashMap<RangeKey, Vec<usize>>,
}

impl Ends {
    pub(super) fn of(xml: &Xml) -> Ends {
        let mut by_key: HashMap<RangeKey, Vec<usize>> = HashMap::new();
        for mark in marks_in(xml, xml.root()) {
            by_key.entry(mark.key).or_default().push(xml.span(mark.node).start);
        }
        Ends { by_key }
    }

    pub(super) fn reaches_outside(&self, key: &RangeKey, inside: &[Range<usize>]) -> bool {
        let ends = self.by_key.get(key).map_or(&[][..], Vec::as_slice);
        ends.iter().any(|at| !inside.iter().any(|range| range.contains(at)))
    }
}
