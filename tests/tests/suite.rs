//! The suite: one binary, one module per subject.

#[path = "suite/where_from.rs"]
mod where_from;
