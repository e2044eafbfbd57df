//! The built-in model as a `Model`: it streams its words and calls like any other.

use gateway::CancellationToken;
use gateway::{AssistantMessage, Continuation, Delta, Finish, ToolCall, Usage};

use super::plan::{Plan, Wanted, language_of, plan};
use super::replies::answer;
use crate::agent::model::{Answering, Model, ModelCard, Step, StepError, StepOutcome};

/// The model that needs no key and no network.
pub struct BuiltinModel {
    card: ModelCard,
}

impl Default for BuiltinModel {
    fn default() -> BuiltinModel {
        BuiltinModel {
            card: ModelCard {
                id: "builtin".into(),
                endpoint: "local".into(),
                context_tokens: 1_000_000,
                takes_one_of: false,
                can_think: false,
                relays_user: true,
            },
        }
    }
}

/// Bytes of text or arguments in one delta.
const PIECE: usize = 32;

impl Model for BuiltinModel {
    fn card(&self) -> &ModelCard {
        &self.card
    }

    fn respond<'a>(
        &'a self,
        step: Step<'a>,
        on_delta: &'a mut (dyn FnMut(Delta) + Send),
        cancel: &'a CancellationToken,
    ) -> Answering<'a> {
        Box::pin(async move {
            let message = message_of(&step);
            stream(&message, on_delta, cancel).await?;
            let finish = if message.tool_calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
            Ok(StepOutcome {
                message,
                finish,
                usage: Usage::default(),
                retries: 0,
                continuation: Continuation::NotNeeded,
            })
        })
    }
}

fn message_of(step: &Step<'_>) -> AssistantMessage {
    let number = step.since.len();
    let (text, wanted) = match plan(step) {
        Plan::Read(calls) => (String::new(), calls),
        Plan::Write { text, calls, .. } => (text, calls),
        Plan::Answer { done, problems, help } => {
            (answer(&done, &problems, help, step.files, language_of(step.words)), Vec::new())
        }
    };
    let call = |(index, wanted): (usize, Wanted)| ToolCall {
        id: format!("call-{number}-{index}"),
        name: wanted.tool.to_string(),
        arguments: wanted.arguments.to_string(),
        extra: serde_json::Map::new(),
    };
    AssistantMessage {
        text,
        tool_calls: wanted.into_iter().enumerate().map(call).collect(),
        origin: "builtin".into(),
        ..AssistantMessage::default()
    }
}

async fn stream(
    message: &AssistantMessage,
    on_delta: &mut (dyn FnMut(Delta) + Send),
    cancel: &CancellationToken,
) -> Result<(), StepError> {
    for piece in pieces(&message.text) {
        stop_if(cancel).await?;
        on_delta(Delta::Text(piece.to_string()));
    }
    for (index, call) in message.tool_calls.iter().enumerate() {
        let mut bytes = 0;
        while bytes < call.arguments.len() {
            stop_if(cancel).await?;
            bytes = (bytes + PIECE).min(call.arguments.len());
            on_delta(Delta::ToolProgress { index, name: call.name.clone(), bytes });
        }
    }
    stop_if(cancel).await
}

async fn stop_if(cancel: &CancellationToken) -> Result<(), StepError> {
    tokio::task::yield_now().await;
    if cancel.is_cancelled() { Err(StepError::cancelled()) } else { Ok(()) }
}

/// The text in pieces that cut no character.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = rest.len().min(PIECE);
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}
