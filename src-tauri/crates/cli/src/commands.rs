//! One module per command: read the arguments, make the request, print the answer.

pub(crate) mod apply;
pub(crate) mod ask;
pub(crate) mod diff;
pub(crate) mod eval;
pub(crate) mod history;
pub(crate) mod keys;
pub(crate) mod manual;
pub(crate) mod metrics;
pub(crate) mod models;
pub(crate) mod moved;
pub(crate) mod new;
pub(crate) mod ops;
pub(crate) mod outline;
pub(crate) mod patch;
pub(crate) mod proxy;
pub(crate) mod verify;

use assistant::{AppError, Response, api::error::ErrorCode};

/// An answer of another kind than was asked for: a fault of ours, told rather than hidden.
pub(crate) fn unexpected(response: &Response) -> AppError {
    AppError::new(ErrorCode::Internal, format!("An answer of another kind came back: {response:?}."))
}
