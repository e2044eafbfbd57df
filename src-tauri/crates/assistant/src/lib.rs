//! assistant
