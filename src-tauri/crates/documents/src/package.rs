//! The OPC container.
