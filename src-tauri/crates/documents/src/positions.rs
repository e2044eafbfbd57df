//! Positions across a batch: every number means the revision the caller read (CONTRACT, section 2).
//!
//! A `PositionMap` follows one axis (lines of a file, rows of a sheet, paragraphs, slides) through the insertions, deletions and
//! moves of the operations before. It answers where a base position is now, or that it is gone.

/// One axis; positions are 1-based.
#[derive(Debug, Clone, Default)]
pub struct PositionMap {
    steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    /// `count` positions appear before the current position `at`.
    Insert { at: usize, count: usize },
    /// The current positions `at .. at + count` go.
    Delete { at: usize, count: usize },
    /// The current position `from` goes to `to`; those between move by one.
    Move { from: usize, to: usize },
}

impl PositionMap {
    /// Records that `count` positions were inserted before the current position `at`.
    pub fn insert(&mut self, at: usize, count: usize) {
        self.steps.push(Step::Insert { at, count });
    }

    /// Records that the current positions from `at` on were deleted.
    pub fn delete(&mut self, at: usize, count: usize) {
        self.steps.push(Step::Delete { at, count });
    }

    /// Records that the current position `from` became `to`.
    pub fn relocate(&mut self, from: usize, to: usize) {
        self.steps.push(Step::Move { from, to });
    }

    /// Where a base position is now; `None` when an earlier operation removed it.
    pub fn current(&self, base: usize) -> Option<usize> {
        self.steps.iter().try_fold(base, |position, step| step.forward(position))
    }

    /// Whether nothing has moved yet.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

impl Step {
    fn forward(self, position: usize) -> Option<usize> {
        match self {
            Step::Insert { at, count } if position >= at => Some(position + count),
            Step::Insert { .. } => Some(position),
            Step::Delete { at, count } if position >= at + count => Some(position - count),
            Step::Delete { at, .. } if position >= at => None,
            Step::Delete { .. } => Some(position),
            Step::Move { from, to } if position == from => Some(to),
            Step::Move { from, to } if from < position && position <= to => Some(position - 1),
            Step::Move { from, to } if to <= position && position < from => Some(position + 1),
            Step::Move { .. } => Some(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_inserts_deletes_and_moves() {
        let mut map = PositionMap::default();
        map.insert(3, 2);
        assert_eq!([1, 2, 3, 4].map(|base| map.current(base)), [Some(1), Some(2), Some(5), Some(6)]);
        map.delete(5, 1);
        assert_eq!([2, 3, 4].map(|base| map.current(base)), [Some(2), None, Some(5)]);
        map.relocate(5, 1);
        assert_eq!([1, 2, 4].map(|base| map.current(base)), [Some(2), Some(3), Some(1)]);
    }
}
