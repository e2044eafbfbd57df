//! The built-in model: deterministic, offline, understands plain commands in English and Chinese.
//!
//! It stands behind the same `Model` trait as a remote model and has no other way to a document than the same tools.

pub mod facts;
pub mod grammar;
pub mod lower;
mod model;
pub mod pattern;
pub mod plan;
pub mod replies;
pub mod rules;
pub mod slots;

pub use model::BuiltinModel;
