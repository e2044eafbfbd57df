//! Replacements of a part that is being settled.

use std::ops::Range;

use crate::package::xml::Splices;

/// Replacements that may still be withdrawn when a larger one takes their place.
#[derive(Default)]
pub(in super::super) struct Edits {
    items: Vec<(Range<usize>, Vec<u8>)>,
}

impl Edits {
    pub(in super::super) fn replace(&mut self, range: Range<usize>, with: impl Into<Vec<u8>>) {
        self.items.push((range, with.into()));
    }

    pub(in super::super) fn delete(&mut self, range: Range<usize>) {
        self.replace(range, Vec::new());
    }

    /// Replaces a range together with all that was planned inside it.
    pub(in super::super) fn supersede(&mut self, range: Range<usize>, with: impl Into<Vec<u8>>) {
        self.withdraw(&range);
        self.replace(range, with);
    }

    pub(super) fn take(&mut self, splices: Splices) {
        self.items.extend(splices.into_items());
    }

    /// Withdraws what lies wholly inside a range and gives it.
    pub(in super::super) fn withdraw(&mut self, range: &Range<usize>) -> Splices {
        let mut inside = Splices::default();
        self.items.retain(|(own, with)| {
            let is_inside = range.start <= own.start && own.end <= range.end;
            if is_inside {
                inside.replace(own.clone(), with.clone());
            }
            !is_inside
        });
        inside
    }

    pub(super) fn into_splices(self) -> Splices {
        let mut splices = Splices::default();
        for (range, with) in self.items {
            splices.replace(range, with);
        }
        splices
    }
}
