//! Planned changes of one small XML part: attributes, text, and elements that go, with the lists that hold them.
//!
//! A list whose last item goes is removed too (an empty `mergeCells` makes Excel repair the file), and `count` follows.

use std::{collections::BTreeMap, ops::Range};

use crate::{
    EditError,
    package::xml::{NodeId, Ns, Splices, Xml, escape_attribute, escape_text},
};

/// Changes of one part.
pub(super) struct Patch<'x> {
    pub(super) xml: &'x Xml,
    edits: Vec<(Range<usize>, String)>,
    removed: BTreeMap<NodeId, ()>,
}

impl<'x> Patch<'x> {
    pub(super) fn new(xml: &'x Xml) -> Patch<'x> {
        Patch { xml, edits: Vec::new(), removed: BTreeMap::new() }
    }

    /// An attribute without namespace.
    pub(super) fn value(&self, element: NodeId, name: &str) -> Option<String> {
        self.xml.value(element, Ns::None, name).map(|value| value.into_owned())
    }

    /// Sets an attribute that is there; nothing happens when the value is the same.
    pub(super) fn set(&mut self, element: NodeId, name: &str, value: &str) -> Result<(), EditError> {
        match self.xml.attribute(element, Ns::None, name) {
            Some(attribute) if attribute.value != value => {
                let escaped = escape_attribute(value)?.replace('\'', "&apos;");
                self.edits.push((attribute.value_span, escaped));
            }
            Some(_) => {}
            None => {
                let tag = self.xml.start_tag(element);
                let at = tag.start + 1 + self.xml.qualified_name(element).len();
                self.edits.push((at..at, format!(" {name}=\"{}\"", escape_attribute(value)?)));
            }
        }
        Ok(())
    }

    pub(super) fn drop_attribute(&mut self, element: NodeId, name: &str) {
        if let Some(attribute) = self.xml.attribute(element, Ns::None, name) {
            self.edits.push((attribute.whole, String::new()));
        }
    }

    /// Sets the text of an element that holds nothing else.
    pub(super) fn set_text(&mut self, element: NodeId, text: &str) -> Result<(), EditError> {
        if self.xml.text(element) == text {
            return Ok(());
        }
        let escaped = escape_text(text)?;
        if self.xml.is_empty_tag(element) {
            let tag = self.xml.start_tag(element);
            let name = self.xml.qualified_name(element);
            self.edits.push((tag.end - 2..tag.end, format!(">{escaped}</{name}>")));
        } else {
            self.edits.push((self.xml.content(element), escaped));
        }
        Ok(())
    }

    /// Replaces any range.
    pub(super) fn replace(&mut self, range: Range<usize>, with: impl Into<String>) {
        self.edits.push((range, with.into()));
    }

    pub(super) fn insert(&mut self, at: usize, what: impl Into<String>) {
        self.replace(at..at, what);
    }

    /// Plans the removal of an element.
    pub(super) fn remove(&mut self, element: NodeId) {
        self.removed.insert(element, ());
    }

    pub(super) fn is_removed(&self, element: NodeId) -> bool {
        self.removed.contains_key(&element)
            || self.xml.ancestors(element).any(|ancestor| self.removed.contains_key(&ancestor))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.edits.is_empty() && self.removed.is_empty()
    }

    /// The splices; lists that lost all their items go with them.
    pub(super) fn finish(mut self) -> Result<Splices, EditError> {
        self.empty_lists();
        self.counts()?;
        let mut splices = Splices::default();
        let top: Vec<NodeId> = self
            .removed
            .keys()
            .copied()
            .filter(|node| !self.xml.ancestors(*node).any(|ancestor| self.removed.contains_key(&ancestor)))
            .collect();
        let gone: Vec<Range<usize>> = top.iter().map(|node| self.xml.span(*node)).collect();
        for (range, text) in self.edits {
            if !gone.iter().any(|gone| gone.start <= range.start && range.end <= gone.end && *gone != range) {
                splices.replace(range, text);
            }
        }
        gone.into_iter().for_each(|range| splices.delete(range));
        Ok(splices)
    }

    /// Removes the parents that are lists and have no child left, upwards.
    fn empty_lists(&mut self) {
        let mut queue: Vec<NodeId> = self.removed.keys().copied().collect();
        while let Some(node) = queue.pop() {
            let Some(parent) = self.xml.parent(node) else { continue };
            let is_list = LISTS.contains(&self.xml.local_name(parent));
            let emptied = self.xml.children(parent).all(|child| self.removed.contains_key(&child))
                // Beside its sparklines a group holds nothing but colours.
                || self.xml.local_name(node) == "sparklines";
            if is_list && emptied && self.removed.insert(parent, ()).is_none() {
                queue.push(parent);
            }
        }
    }

    /// `count` and `manualBreakCount` of lists that lost items.
    fn counts(&mut self) -> Result<(), EditError> {
        let mut parents: Vec<NodeId> = self
            .removed
            .keys()
            .filter_map(|node| self.xml.parent(*node))
            .filter(|parent| !self.removed.contains_key(parent))
            .collect();
        parents.sort_unstable();
        parents.dedup();
        for parent in parents {
            let left: Vec<NodeId> =
                self.xml.children(parent).filter(|child| !self.removed.contains_key(child)).collect();
            if self.value(parent, "count").is_some() {
                self.set(parent, "count", &left.len().to_string())?;
            }
            if self.value(parent, "manualBreakCount").is_some() {
                let manual = left
                    .iter()
                    .filter(|child| matches!(self.value(**child, "man").as_deref(), Some("1" | "true")));
                let manual = manual.count().to_string();
                self.set(parent, "manualBreakCount", &manual)?;
            }
        }
        Ok(())
    }
}

/// Elements that may not stand empty, or mean nothing then.
const LISTS: &[&str] = &[
    "mergeCells",
    "hyperlinks",
    "dataValidations",
    "conditionalFormattings",
    "protectedRanges",
    "scenarios",
    "scenario",
    "rowBreaks",
    "colBreaks",
    "cellWatches",
    "ignoredErrors",
    "smartTags",
    "cellSmartTags",
    "sparklines",
    "sparklineGroup",
    "sparklineGroups",
    "tableParts",
    "dataRefs",
    "pivotCaches",
    "cols",
    "ext",
    "extLst",
];
