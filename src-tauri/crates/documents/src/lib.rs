//! The editing engine: bytes in, bytes out.
//!
//! It parses a document, describes it (outline), applies a batch of small operations in memory, checks the result and says what
//! changed. It reads no file, clock, network or random source: the time, the author and the limits come in from the caller.
//! Who decides what to edit lives above (`assistant`), and so does everything about revisions and disks.

pub mod apply;
pub mod audit;
pub mod blank;
pub mod change;
pub mod create;
pub mod diff;
pub mod edit;
pub mod error;
pub mod format;
pub mod formats;
pub mod limits;
pub mod outline;
pub mod package;
pub mod positions;
pub mod preview;

pub use apply::{Applied, ApplyContext, Cancel, apply, check};
pub use audit::audit;
pub use change::{Change, PackageReport, Warning};
pub use edit::Edit;
pub use error::{DocumentError, EditError, Place};
pub use format::Format;
pub use limits::Limits;
pub use outline::{Node, Outline, OutlineRequest, outline};
pub use positions::PositionMap;
