//! From an unjudged turn to a whole one: validation, retries, continuation, and the request they are made with.

pub(crate) mod arguments;
pub(crate) mod ask;
pub(crate) mod attempt;
pub(crate) mod continuation;
pub(crate) mod engine;
pub(crate) mod history;
pub(crate) mod judge;
pub(crate) mod plan;
pub(crate) mod suspicion;
pub(crate) mod tools;
pub(crate) mod upstream_error;
