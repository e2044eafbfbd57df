//! Complex fields (ECMA-376-1, 17.16.18): which `fldChar` begins, separates and ends which field, over paragraphs.
//!
//! Only the structure; what a field's code means is not evaluated anywhere.

use std::collections::HashMap;

use crate::package::xml::{NodeId, Ns, Xml};

/// One complex field of a story.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) begin: NodeId,
    pub(super) separate: Option<NodeId>,
    pub(super) end: Option<NodeId>,
    /// The field around it.
    pub(super) parent: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldMark {
    Begin(usize),
    Separate(usize),
    End(usize),
    /// An end or a separator without a beginning.
    Stray,
}

/// The complex fields of a part.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) all: Vec<Field>,
    marks: HashMap<NodeId, FieldMark>,
    /// The innermost field open where a paragraph begins.
    open_at: HashMap<NodeId, usize>,
}

impl Fields {
    pub(super) fn scan(xml: &Xml) -> Fields {
        let mut fields = Fields::default();
        // A text box, a note or a comment is a story of its own: fields do not cross its border.
        let mut stories: Vec<(usize, Option<usize>)> = vec![(usize::MAX, None)];
        for node in xml.descendants(xml.root()).filter(|node| xml.namespace(*node) == Ns::W) {
            let span = xml.span(node);
            while stories.len() > 1 && stories.last().is_some_and(|(end, _)| *end <= span.start) {
                stories.pop();
            }
            match xml.local_name(node) {
                "txbxContent" | "footnote" | "endnote" | "comment" => stories.push((span.end, None)),
                "p" => {
                    if let Some((_, Some(open))) = stories.last() {
                        fields.open_at.insert(node, *open);
                    }
                }
                "fldChar" => {
                    if let Some((_, open)) = stories.last_mut() {
                        fields.mark(xml, node, open);
                    }
                }
                _ => {}
            }
        }
        fields
    }

    fn mark(&mut self, xml: &Xml, node: NodeId, open: &mut Option<usize>) {
        let mark = match (xml.value(node, Ns::W, "fldCharType").as_deref(), *open) {
            (Some("begin"), parent) => {
                self.all.push(Field { begin: node, separate: None, end: None, parent });
                *open = Some(self.all.len() - 1);
                FieldMark::Begin(self.all.len() - 1)
            }
            (Some("separate"), Some(field)) if self.all[field].separate.is_none() => {
                self.all[field].separate = Some(node);
                FieldMark::Separate(field)
            }
            (Some("end"), Some(field)) => {
                self.all[field].end = Some(node);
                *open = self.all[field].parent;
                FieldMark::End(field)
            }
            _ => FieldMark::Stray,
        };
        self.marks.insert(node, mark);
    }

    /// What a `fldChar` does.
    pub(super) fn mark_of(&self, node: NodeId) -> FieldMark {
        self.marks.get(&node).copied().unwrap_or(FieldMark::Stray)
    }

    /// The fields open where a paragraph begins, outermost first.
    pub(super) fn open_at(&self, paragraph: NodeId) -> Vec<usize> {
        let innermost = self.open_at.get(&paragraph).copied();
        let mut open: Vec<usize> =
            std::iter::successors(innermost, |field| self.all[*field].parent).collect();
        open.reverse();
        open
    }

    /// Whether every field has both its ends and no mark stands alone.
    pub(super) fn are_balanced(&self) -> bool {
        self.all.iter().all(|field| field.end.is_some())
            && !self.marks.values().any(|mark| *mark == FieldMark::Stray)
    }

    /// The code of a field, as far as it is plain text.
    pub(super) fn code(&self, xml: &Xml, field: usize) -> String {
        let Field { begin, separate, end, .. } = &self.all[field];
        let from = xml.span(*begin).end;
        let to = separate.or(*end).map_or(from, |node| xml.span(node).start);
        let after_begin = xml.descendants(xml.root()).skip_while(|node| xml.span(*node).start < from);
        after_begin
            .take_while(|node| xml.span(*node).start < to)
            .filter(|node| xml.is(*node, Ns::W, "instrText"))
            .map(|node| xml.text(node).into_owned())
            .collect()
    }
}
