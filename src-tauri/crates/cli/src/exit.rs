//! Exit statuses (CONTRACT, section 5).

use std::process::ExitCode;

use assistant::{AppError, api::error::ErrorCode};

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    /// Internal or I/O.
    Failed,
    Refused,
    Conflict,
    RevisionRequired,
    CannotOpen,
    /// A model or its endpoint.
    Model,
    Cancelled,
}

impl Exit {
    /// The status for an error.
    pub(crate) fn of(error: &AppError) -> Exit {
        match error.code.status() {
            409 => Exit::Conflict,
            428 => Exit::RevisionRequired,
            415 => Exit::CannotOpen,
            403 | 413 | 422 | 423 => Exit::Refused,
            499 => Exit::Cancelled,
            _ => Exit::Failed,
        }
    }

    /// The same for a turn: what is no refusal of an edit is a fault of the model or its endpoint.
    pub(crate) fn of_turn(error: &AppError) -> Exit {
        match (Exit::of(error), error.code.status()) {
            (Exit::Failed, 408) => Exit::Model,
            (Exit::Failed, _) if error.cause.is_some() => Exit::Model,
            (exit, _) => exit,
        }
    }

    /// The same for commands that only open: a document over the limits cannot be opened.
    pub(crate) fn of_opening(error: &AppError) -> Exit {
        match error.code {
            ErrorCode::TooLarge => Exit::CannotOpen,
            _ => Exit::of(error),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Refused => 3,
            Exit::Conflict => 4,
            Exit::RevisionRequired => 5,
            Exit::CannotOpen => 6,
            Exit::Model => 7,
            Exit::Cancelled => 130,
        })
    }
}
