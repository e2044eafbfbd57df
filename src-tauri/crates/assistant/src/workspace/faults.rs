//! A seam for tests: every step that touches a disk asks here first, so that a full disk or a broken one can be had at will.
//!
//! In the product the hook is absent and costs one comparison.

use std::{io, path::Path, sync::Arc};

/// The steps of reading, saving and keeping, in the order in which a commit takes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    ReadTarget,
    CreateBlob,
    WriteBlob,
    SyncBlob,
    RenameBlob,
    CreateTemporary,
    WriteTemporary,
    CopyMetadata,
    SyncTemporary,
    RecordIntent,
    RenameTemporary,
    SyncFolder,
    RecordCommit,
    RemoveTemporary,
}

/// Every step, for tests that fail each in turn.
pub const STEPS: [Step; 14] = [
    Step::ReadTarget,
    Step::CreateBlob,
    Step::WriteBlob,
    Step::SyncBlob,
    Step::RenameBlob,
    Step::CreateTemporary,
    Step::WriteTemporary,
    Step::CopyMetadata,
    Step::SyncTemporary,
    Step::RecordIntent,
    Step::RenameTemporary,
    Step::SyncFolder,
    Step::RecordCommit,
    Step::RemoveTemporary,
];

type Hook = Arc<dyn Fn(Step, &Path) -> io::Result<()> + Send + Sync>;

/// The hook, if a test set one.
#[derive(Clone, Default)]
pub struct Faults(Option<Hook>);

impl Faults {
    /// Calls `hook` before each step; its error replaces the step.
    pub fn new(hook: impl Fn(Step, &Path) -> io::Result<()> + Send + Sync + 'static) -> Faults {
        Faults(Some(Arc::new(hook)))
    }

    pub(super) fn before(&self, step: Step, path: &Path) -> io::Result<()> {
        self.0.as_ref().map_or(Ok(()), |hook| hook(step, path))
    }
}
