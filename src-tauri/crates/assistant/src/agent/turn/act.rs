//! `Act`: the calls of one message, reads in parallel, writes one after another, each judged before it is done.

use std::sync::Arc;

use gateway::{AssistantMessage, ToolCall};
use serde_json::{Value, json};

use super::{
    State, Stopped, Turn, execute,
    landing::{InFlight, Landed},
};
use crate::agent::{
    markdown_diff, receipts,
    tools::{Call, EDIT_TOOLS},
};
use crate::api::{AppError, EventBody, events::ToolCallState};

/// A call with what reading its arguments gave.
#[derive(Clone)]
pub(super) struct Prepared {
    call: ToolCall,
    /// The id in events.
    shown_as: String,
    read: Result<Call, AppError>,
}

/// The part of a model's context that one result may fill.
const RESULT_SHARE: usize = 8;
const SMALLEST_RESULT: usize = 6_000;
const LARGEST_RESULT: usize = 256 << 10;

impl Turn {
    /// Does the calls of a message in its order; consecutive reads run side by side.
    pub(super) async fn act(&mut self, message: AssistantMessage) -> Result<State, AppError> {
        let prepared: Vec<Prepared> =
            message.tool_calls.iter().enumerate().map(|(index, call)| self.prepared(index, call)).collect();
        self.calls = prepared.len();
        self.note_unfinished(&message.text);
        let mut rest = prepared.as_slice();
        while let Some(first) = rest.first() {
            let reads = rest.iter().take_while(|prepared| is_read(prepared)).count();
            let stopped = if reads > 0 {
                let (together, after) = rest.split_at(reads);
                rest = after;
                self.read_together(together, &message.text).await?
            } else {
                rest = &rest[1..];
                self.one(first, &message.text).await?
            };
            if let Some(why) = stopped {
                return Ok(self.stopped(&why));
            }
        }
        self.tell_blocks_not_run(&message.text);
        Ok(State::Ask)
    }

    fn prepared(&self, index: usize, call: &ToolCall) -> Prepared {
        let read = Call::read(&call.name, &call.arguments).map_err(AppError::from);
        let read = read.and_then(|read| self.offered(&call.name).map(|()| read));
        Prepared {
            call: call.clone(),
            shown_as: format!("{}-{}-{index}", self.request.turn_id, self.steps),
            read,
        }
    }

    /// Calls and Markdown Diff blocks in one message are two ways at once: the calls are done, and the model is told of the blocks.
    fn tell_blocks_not_run(&mut self, text: &str) {
        if markdown_diff::parse(text).is_empty() {
            return;
        }
        let message =
            "The Markdown Diff blocks of the message were not run, because the message also made calls.";
        let error = AppError::invalid_arguments(message)
            .hint("Send such blocks in a message without calls, on the revisions as they are now.");
        let told = receipts::for_model(&error.answer(), self.result_budget());
        self.request.conversation.user(format!("[Stet, not the user]\n{told}"));
    }

    /// Tools that were not offered are refused even when an endpoint lets a call to them through.
    fn offered(&self, name: &str) -> Result<(), AppError> {
        let relays = self.card().relays_user;
        let refused = match name {
            "file_undo" | "file_redo" => !relays,
            "file_edit_fence" | "file_edit_short" => !self.degraded || self.card().takes_one_of,
            "file_edit" => self.degraded && !self.card().takes_one_of && !relays,
            _ => false,
        };
        if refused {
            return Err(AppError::invalid_arguments(format!("The tool `{name}` is not offered now."))
                .hint("Call one of the tools that were offered with the last request."));
        }
        Ok(())
    }

    async fn read_together(&mut self, reads: &[Prepared], text: &str) -> Result<Option<Stopped>, AppError> {
        let mut running = Vec::new();
        for prepared in reads {
            let known = self.refusal_of_repeat(prepared);
            self.show(prepared, ToolCallState::Running);
            let work = execute::Work::new(self, prepared.read.clone(), text, self.result_budget());
            running.push((prepared, known, tokio::task::spawn_blocking(move || work.run())));
        }
        for (prepared, known, task) in running {
            let answer = task.await.unwrap_or_else(|error| execute::failed(&error.to_string()));
            if let Some(why) = known {
                self.record(prepared, &answer.value);
                return Ok(Some(why));
            }
            if let Some(why) = self.finish(prepared, answer) {
                return Ok(Some(why));
            }
        }
        Ok(None)
    }

    async fn one(&mut self, prepared: &Prepared, text: &str) -> Result<Option<Stopped>, AppError> {
        if let Some(why) = self.refusal_of_repeat(prepared) {
            let error = AppError::invalid_arguments("The same call failed before; it was not run again.");
            self.record(prepared, &error.answer());
            return Ok(Some(why));
        }
        self.show(prepared, ToolCallState::Running);
        let checked = prepared.read.clone().and_then(|call| self.check_spent(&call).map(|()| call));
        let work = execute::Work::new(self, checked, text, self.result_budget());
        let task = tokio::task::spawn_blocking(move || work.run());
        self.in_flight = Some(InFlight::Call(prepared.clone(), task));
        match self.landed().await {
            Some(Landed::Call(prepared, answer)) => Ok(self.finish(&prepared, answer)),
            Some(Landed::Blocks(..)) | None => Ok(None),
        }
    }

    fn check_spent(&self, call: &Call) -> Result<(), AppError> {
        let expected = match call {
            Call::Edit(call) => call.expected_content_rev,
            Call::Restore(call) => call.expected_content_rev,
            Call::Undo(call) | Call::Redo(call) => call.expected_content_rev,
            Call::List | Call::Read(_) | Call::Search(_) | Call::Write(_) | Call::History(_) => None,
        };
        call.file_id().map_or(Ok(()), |file_id| self.guard.check_revision(file_id, expected))
    }

    /// The same failing call is not tried a second time.
    fn refusal_of_repeat(&self, prepared: &Prepared) -> Option<Stopped> {
        let repeats = self.guard.failed_before(&prepared.call.name, &prepared.call.arguments);
        repeats.then(|| Stopped::SameCallAgain { tool: prepared.call.name.clone(), error: self.last_error() })
    }

    fn last_error(&self) -> Value {
        let results = self.since().iter().rev().filter_map(|message| match message {
            gateway::Message::Tool { text, .. } => serde_json::from_str::<Value>(text).ok(),
            _ => None,
        });
        results
            .filter(|result| result["ok"] == false)
            .map(|result| result["error"].clone())
            .next()
            .unwrap_or(Value::Null)
    }

    /// Notes an answer for the model, the user and the guard.
    pub(super) fn finish(&mut self, prepared: &Prepared, answer: execute::Answer) -> Option<Stopped> {
        self.record(prepared, &answer.value);
        self.count_call(&answer);
        if let Some(receipt) = answer.receipt {
            if receipt.content_rev > receipt.previous_rev {
                self.guard.written(&receipt.file_id, receipt.content_rev);
            }
            self.receipts.push(receipt);
        }
        if answer.value["ok"] == true {
            if prepared.read.as_ref().is_ok_and(Call::is_write) {
                self.kept = None;
            }
            return None;
        }
        if answer.value["error"]["code"] == "fence_unclosed" {
            self.keep_unfinished_text();
        }
        let file_id = EDIT_TOOLS.contains(&prepared.call.name.as_str()).then(|| file_named(prepared));
        self.guard.failed(&prepared.call.name, &prepared.call.arguments, file_id.as_deref(), &answer.value)
    }

    fn record(&mut self, prepared: &Prepared, value: &Value) {
        let text = receipts::for_model(value, self.result_budget());
        self.request.conversation.result(&prepared.call.id, text);
        let state = if value["ok"] == true { ToolCallState::Done } else { ToolCallState::Failed };
        self.show(prepared, state);
        self.tell(EventBody::ToolResult {
            turn_id: self.request.turn_id.clone(),
            id: prepared.shown_as.clone(),
            receipt: summary_of(value),
        });
    }

    fn show(&self, prepared: &Prepared, state: ToolCallState) {
        self.tell(EventBody::ToolCall {
            turn_id: self.request.turn_id.clone(),
            id: prepared.shown_as.clone(),
            name: prepared.call.name.clone(),
            state,
            arguments_so_far_bytes: prepared.call.arguments.len(),
        });
    }

    /// The most that one result may bring before the model; many results of one message share the room.
    pub(super) fn result_budget(&self) -> usize {
        let context = self.card().context_tokens;
        let share = RESULT_SHARE.max(self.calls.saturating_mul(2));
        let least = SMALLEST_RESULT.min(context / self.calls.max(1)).max(1_000);
        (context / share).saturating_mul(2).clamp(least, LARGEST_RESULT)
    }

    /// The app, for work on another thread.
    pub(super) fn app(&self) -> Arc<crate::api::App> {
        Arc::clone(&self.app)
    }
}

/// The file that a call of an edit tool means, also when its arguments are not as the schema says; empty when it names none.
fn file_named(prepared: &Prepared) -> String {
    if let Ok(Some(file_id)) = prepared.read.as_ref().map(Call::file_id) {
        return file_id.to_owned();
    }
    let arguments: Value = serde_json::from_str(&prepared.call.arguments).unwrap_or(Value::Null);
    arguments["file_id"].as_str().unwrap_or_default().to_owned()
}

fn is_read(prepared: &Prepared) -> bool {
    prepared.read.as_ref().is_ok_and(|call| !call.is_write())
}

/// What the window is told of a result; a whole outline is not repeated there.
fn summary_of(value: &Value) -> Value {
    match value.get("nodes").and_then(Value::as_array) {
        Some(nodes) => json!({
            "ok": value["ok"], "file_id": value["file_id"], "path": value["path"], "content_rev": value["content_rev"],
            "nodes": nodes.len(), "truncated": value["truncated"], "next": value["next"],
        }),
        None => value.clone(),
    }
}
