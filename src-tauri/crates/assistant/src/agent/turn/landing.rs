//! A write that is under way when its turn ends: it is told to stop, waited for, and what came of it is told like any other.
//!
//! Without that a commit could land after the turn was reported as cancelled, and no receipt would show it.

use tokio::task::{JoinError, JoinHandle};

use super::{Turn, act::Prepared, apply::Patching, execute};
use crate::api::{AppError, answers::Receipt, error::ErrorCode};

/// The thread that writes, and what its answer belongs to.
// There is one at a time: a box would save nothing.
#[allow(clippy::large_enum_variant)]
pub(super) enum InFlight {
    Call(Prepared, JoinHandle<execute::Answer>),
    Blocks(Patching, JoinHandle<Patched>),
}

pub(super) type Patched = Result<Vec<Receipt>, AppError>;

/// What a write gave.
#[allow(clippy::large_enum_variant)]
pub(super) enum Landed {
    Call(Prepared, execute::Answer),
    Blocks(Patching, Patched),
}

impl Turn {
    /// Waits for the write under way; when the turn ends meanwhile, the write stays where `land` finds it.
    pub(super) async fn landed(&mut self) -> Option<Landed> {
        let landed = match self.in_flight.as_mut()? {
            InFlight::Call(prepared, task) => {
                let answer = task.await.unwrap_or_else(|error| execute::failed(&error.to_string()));
                Landed::Call(prepared.clone(), answer)
            }
            InFlight::Blocks(patching, task) => {
                Landed::Blocks(patching.clone(), task.await.unwrap_or_else(crashed))
            }
        };
        self.in_flight = None;
        Some(landed)
    }

    /// After the end: what was under way stops soon, because the turn's switch is set, or is done.
    pub(super) async fn land(&mut self) {
        match self.landed().await {
            None => {}
            Some(Landed::Call(prepared, answer)) => {
                self.finish(&prepared, answer);
            }
            Some(Landed::Blocks(patching, result)) => {
                self.finish_blocks(&patching, result);
            }
        }
    }
}

fn crashed(error: JoinError) -> Patched {
    Err(AppError::new(ErrorCode::Internal, format!("A step failed: {error}.")))
}
