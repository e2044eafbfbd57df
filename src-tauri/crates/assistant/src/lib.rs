//! Everything with a side effect, and no webview: the workspace on disk, the agent, settings, secrets, and the one command table.
//!
//! `api::App` is the front door: the desktop shell, the command line, the MCP server and the tests all call `App::call`.
//! Editing itself lives in `documents`; the wire to a model in `gateway`.

pub mod agent;
pub mod api;
pub mod preview;
pub mod secrets;
pub mod settings;
pub mod workspace;

pub use api::{App, AppError, AppOptions, Event, Request, Response};
