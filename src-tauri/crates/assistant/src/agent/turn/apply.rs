//! `Apply`: the Markdown Diff blocks of a message that made no calls, as one set.

use std::time::Instant;

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::{
    State, Turn,
    execute::{Counted, Kind},
    landing::{InFlight, Landed, Patched},
};
use crate::agent::{
    markdown_diff::DiffSet,
    patch::{PatchRequest, patch},
    receipts,
    routing::{Protocol, SizeClass},
};
use crate::api::{AppError, EventBody, events::ToolCallState};

const NAME: &str = "markdown_diff";

/// A set of blocks that is being done.
#[derive(Clone)]
pub(super) struct Patching {
    set: DiffSet,
    raw: String,
    /// The id in events.
    id: String,
    started: Instant,
}

impl Turn {
    /// Runs the blocks, tells the result to the user and the model, and lets the model go on.
    pub(super) async fn apply(&mut self, set: DiffSet) -> Result<State, AppError> {
        let raw: Vec<&str> = set.blocks.iter().map(|block| block.raw.as_str()).collect();
        let raw = raw.join("\n");
        let id = format!("{}-{}-diff", self.request.turn_id, self.steps);
        if self.guard.failed_before(NAME, &raw) {
            let error = json!({ "message": "The same blocks failed before." });
            return Ok(self.stopped(&super::Stopped::SameCallAgain { tool: NAME.into(), error }));
        }
        self.calls = 1;
        self.show_blocks(&id, ToolCallState::Running, raw.len());
        let checked = self.check_revisions(&set);
        let patching = Patching { set, raw, id, started: Instant::now() };
        if let Err(error) = checked {
            return Ok(self.after_blocks(&patching, Err(error)));
        }
        let task = self.start_patch(patching.set.clone());
        self.in_flight = Some(InFlight::Blocks(patching, task));
        match self.landed().await {
            Some(Landed::Blocks(patching, result)) => Ok(self.after_blocks(&patching, result)),
            Some(Landed::Call(..)) | None => Ok(State::Ask),
        }
    }

    fn after_blocks(&mut self, patching: &Patching, result: Patched) -> State {
        match self.finish_blocks(patching, result) {
            None => State::Ask,
            Some(why) => self.stopped(&why),
        }
    }

    /// Notes what came of the blocks for the model, the user, the counters and the guard.
    pub(super) fn finish_blocks(&mut self, patching: &Patching, result: Patched) -> Option<super::Stopped> {
        let Patching { set, raw, id, started } = patching;
        let value = answer_of(&result);
        let counted = Counted {
            kind: Kind::Edit,
            protocol: Protocol::MarkdownDiff,
            format: documents::Format::Text,
            size: SizeClass::of(raw.chars().count()),
        };
        self.count(counted, &value, started.elapsed());
        let state = if result.is_ok() { ToolCallState::Done } else { ToolCallState::Failed };
        self.show_blocks(id, state, raw.len());
        self.tell(EventBody::ToolResult {
            turn_id: self.request.turn_id.clone(),
            id: id.clone(),
            receipt: value.clone(),
        });
        let told = receipts::for_model(&value, self.result_budget());
        self.request
            .conversation
            .user(format!("[Stet, not the user] Result of the Markdown Diff blocks:\n{told}"));
        match result {
            Ok(done) => {
                for receipt in &done {
                    if receipt.content_rev > receipt.previous_rev {
                        self.guard.written(&receipt.file_id, receipt.content_rev);
                    }
                }
                self.kept = None;
                self.receipts.extend(done);
                None
            }
            Err(error) => {
                self.keep_unfinished(set);
                let file_id = error.file_id.clone().or_else(|| Some(set.blocks.first()?.file.clone()));
                self.guard.failed(NAME, raw, file_id.as_deref(), &value)
            }
        }
    }

    fn check_revisions(&self, set: &DiffSet) -> Result<(), AppError> {
        set.blocks.iter().try_for_each(|block| self.guard.check_revision(&block.file, block.rev))
    }

    fn start_patch(&self, set: DiffSet) -> JoinHandle<Patched> {
        let (app, stop) = (self.app(), self.stop.clone());
        let (files, mode, model) = (self.request.file_ids.clone(), self.request.mode, self.card().id.clone());
        tokio::task::spawn_blocking(move || {
            let request = PatchRequest { files: &files, mode, model: Some(&model) };
            patch(&app, &set, &request, &stop)
        })
    }

    fn show_blocks(&self, id: &str, state: ToolCallState, bytes: usize) {
        self.tell(EventBody::ToolCall {
            turn_id: self.request.turn_id.clone(),
            id: id.to_string(),
            name: NAME.into(),
            state,
            arguments_so_far_bytes: bytes,
        });
    }
}

/// One receipt as it is, several as a list.
fn answer_of(result: &Patched) -> Value {
    match result {
        Ok(receipts) => match receipts.as_slice() {
            [one] => serde_json::to_value(one).unwrap_or(Value::Null),
            several => json!({ "ok": true, "receipts": several }),
        },
        Err(error) => error.answer(),
    }
}
