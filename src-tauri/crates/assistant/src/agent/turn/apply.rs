//! `Apply`: the Markdown Diff blocks of a message that made no calls, as one set.

use serde_json::{Value, json};

use super::{State, Turn, blocking, execute::Counted, execute::Kind};
use crate::agent::{
    markdown_diff::DiffSet,
    patch::{PatchRequest, patch},
    receipts,
    routing::{Protocol, SizeClass},
};
use crate::api::{AppError, EventBody, answers::Receipt, events::ToolCallState};

const NAME: &str = "markdown_diff";

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
        self.show_blocks(&id, ToolCallState::Running, raw.len());
        let started = std::time::Instant::now();
        let result = match self.check_revisions(&set) {
            Ok(()) => self.patched(&set).await,
            Err(error) => Err(error),
        };
        let value = answer_of(&result);
        let format = documents::Format::Text;
        let counted = Counted {
            kind: Kind::Edit,
            protocol: Protocol::MarkdownDiff,
            format,
            size: SizeClass::of(raw.chars().count()),
        };
        self.count(counted, &value, started.elapsed());
        self.show_blocks(
            &id,
            if result.is_ok() { ToolCallState::Done } else { ToolCallState::Failed },
            raw.len(),
        );
        self.tell(EventBody::ToolResult {
            turn_id: self.request.turn_id.clone(),
            id,
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
                self.receipts.extend(done);
                Ok(State::Ask)
            }
            Err(error) => {
                let file_id = error.file_id.clone().or_else(|| Some(set.blocks.first()?.file.clone()));
                let stopped = self.guard.failed(NAME, &raw, file_id.as_deref(), &value);
                Ok(stopped.map_or(State::Ask, |why| self.stopped(&why)))
            }
        }
    }

    fn check_revisions(&self, set: &DiffSet) -> Result<(), AppError> {
        set.blocks.iter().try_for_each(|block| self.guard.check_revision(&block.file, block.rev))
    }

    async fn patched(&self, set: &DiffSet) -> Result<Vec<Receipt>, AppError> {
        let (app, set, stop) = (self.app(), set.clone(), self.stop.clone());
        let (files, mode, model) = (self.request.file_ids.clone(), self.request.mode, self.card().id.clone());
        blocking(move || {
            let request = PatchRequest { files: &files, mode, model: Some(&model) };
            patch(&app, &set, &request, &stop)
        })
        .await
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
fn answer_of(result: &Result<Vec<Receipt>, AppError>) -> Value {
    match result {
        Ok(receipts) => match receipts.as_slice() {
            [one] => serde_json::to_value(one).unwrap_or(Value::Null),
            several => json!({ "ok": true, "receipts": several }),
        },
        Err(error) => error.answer(),
    }
}
