//! assistant
pub mod agent;
