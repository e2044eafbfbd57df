//! The end of a turn: what the user is told, what the receipts are, what it cost.

use gateway::Usage;
use serde_json::{Value, json};

use super::Turn;
use crate::api::{AppError, EventBody, answers::Receipt};

/// How a turn ended.
#[derive(Debug, Clone)]
pub struct TurnReport {
    pub turn_id: String,
    /// The final message, or why there is none.
    pub message: Result<String, AppError>,
    /// What was done, also when the turn failed later.
    pub receipts: Vec<Receipt>,
    pub usage: Value,
}

impl Turn {
    /// Sums the turn up.
    pub(super) fn conclude(&mut self, ended: Result<String, AppError>) -> TurnReport {
        self.count_turn(&ended);
        TurnReport {
            turn_id: self.request.turn_id.clone(),
            message: ended,
            receipts: std::mem::take(&mut self.receipts),
            usage: usage_told(self.usage, self.steps, self.retries),
        }
    }
}

impl TurnReport {
    /// The event that ends the turn.
    pub(crate) fn event(&self) -> EventBody {
        let turn_id = self.turn_id.clone();
        match &self.message {
            Ok(message) => EventBody::TurnFinished {
                turn_id,
                message: message.clone(),
                receipts: self.receipts.clone(),
                usage: self.usage.clone(),
            },
            Err(error) => EventBody::TurnFailed { turn_id, error: error.clone() },
        }
    }
}

fn usage_told(usage: Usage, steps: u32, retries: usize) -> Value {
    json!({
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "steps": steps,
        "retries": retries,
    })
}
