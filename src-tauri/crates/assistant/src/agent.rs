//! The agent: turns a user's words into edits through a model it does not trust.
//!
//! A model proposes by tool calls, fences and Markdown Diff; everything it says is checked here before the workspace hears of it.
//! It holds no file, revision or snapshot itself: those are the workspace's.

pub mod builtin;
pub mod eval;
pub mod fences;
pub mod kept_out;
pub mod markdown_diff;
pub mod message;
pub mod metrics;
pub mod model;
pub mod patch;
pub mod receipts;
pub mod refusal;
pub mod routing;
pub mod session;
pub mod tools;
pub mod turn;
