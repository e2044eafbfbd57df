//! From bytes to one unjudged turn: events, chunks, the identity of call fragments. Decides nothing about what may be executed.

pub(crate) mod aggregate;
pub(crate) mod chunk;
pub(crate) mod decode;
pub(crate) mod finish;
pub(crate) mod identity;
pub(crate) mod lenient;
pub(crate) mod markers;
pub(crate) mod odd_data;
pub(crate) mod reasoning;
pub(crate) mod sse;
pub(crate) mod text_filter;
