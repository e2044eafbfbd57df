//! Doing one judged call on the workspace, on a thread that may block.
//!
//! Only files of the session can be reached, whatever the call names. The answer is the contract's: a receipt, an outline, or an error.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use documents::Format;
use serde::Serialize;
use serde_json::{Value, json};

use super::Turn;
use crate::agent::{
    fences::{self, FenceContext},
    kept_out::KeptOut,
    receipts,
    routing::{self, Protocol, SizeClass},
    tools::{Call, EditCall, ReadCall, RestoreCall, SearchCall, StepCall, WriteCall},
};
use crate::api::{
    App, AppError,
    answers::{DocumentInfo, Receipt},
    error::ErrorCode,
    params,
};
use crate::workspace::{EditMode, Status, Stop};

/// One call with everything it needs.
pub(super) struct Work {
    app: Arc<App>,
    call: Result<Call, AppError>,
    /// The visible text of the message that made the call: its fences.
    text: String,
    /// The user's own words, which alone may allow what a proposal cannot hold.
    words: String,
    files: Vec<String>,
    mode: EditMode,
    model: String,
    relays_user: bool,
    inline_characters: usize,
    budget: usize,
    stop: Stop,
}

/// What came of a call.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    pub(super) value: Value,
    pub(super) receipt: Option<Receipt>,
    /// For counters, of an edit.
    pub(super) counted: Option<Counted>,
    pub(super) took: Duration,
}

/// What the counters of CONTRACT, section 9, distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) kind: Kind,
    pub(super) protocol: Protocol,
    pub(super) format: Format,
    pub(super) size: SizeClass,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Edit,
}

/// The answer when the work itself broke.
pub(super) fn failed(why: &str) -> Answer {
    let error = AppError::new(ErrorCode::Internal, format!("The call failed: {why}."));
    Answer { value: error.answer(), ..Answer::default() }
}

const SEARCH_MATCHES: usize = 50;

impl Work {
    pub(super) fn new(turn: &Turn, call: Result<Call, AppError>, text: &str, budget: usize) -> Work {
        Work {
            app: turn.app(),
            call,
            text: text.to_string(),
            words: turn.request.words.clone(),
            files: turn.request.file_ids.clone(),
            mode: turn.request.mode,
            model: turn.card().id.clone(),
            relays_user: turn.card().relays_user,
            inline_characters: turn.inline_characters(),
            budget,
            stop: turn.stop.clone(),
        }
    }

    /// Does the call.
    pub(super) fn run(self) -> Answer {
        let started = Instant::now();
        let mut answer = match &self.call {
            Err(error) => Answer { value: error.answer(), ..Answer::default() },
            Ok(call) => self.done(call),
        };
        answer.took = started.elapsed();
        answer
    }

    fn done(&self, call: &Call) -> Answer {
        match call {
            Call::List => plain(self.list()),
            Call::Read(call) => self.read(call),
            Call::Search(call) => plain(self.search(call)),
            Call::Edit(call) => self.edit(call),
            Call::Write(call) => receipted(self.write(call)),
            Call::History(call) => plain(self.history(&call.file_id)),
            Call::Restore(call) => receipted(self.restore(call)),
            Call::Undo(call) => receipted(self.undo(call)),
            Call::Redo(call) => receipted(self.redo(call)),
        }
    }

    /// A file of the session, by id.
    fn file(&self, file_id: &str) -> Result<DocumentInfo, AppError> {
        let refuse = || {
            AppError::new(ErrorCode::FileNotOpen, format!("`{file_id}` is not a file of this session."))
                .hint("Take an id from file_list.")
        };
        if !self.files.iter().any(|id| id == file_id) {
            return Err(refuse());
        }
        self.app.documents_known(&[file_id.to_owned()])?.pop().ok_or_else(refuse)
    }

    fn session_files(&self) -> Result<Vec<DocumentInfo>, AppError> {
        self.app.documents_known(&self.files)
    }

    fn list(&self) -> Result<Value, AppError> {
        let file = |file: DocumentInfo| {
            json!({
                "file_id": file.file_id, "path": file.path, "format": file.format, "content_rev": file.content_rev,
                "size": file.size, "state": file.state,
            })
        };
        Ok(json!({ "ok": true, "files": self.session_files()?.into_iter().map(file).collect::<Vec<_>>() }))
    }

    fn read(&self, call: &ReadCall) -> Answer {
        let file = match self.named(call) {
            Ok(file) => file,
            Err(error) => return Answer { value: error.answer(), ..Answer::default() },
        };
        // Room for the fields around the nodes.
        let budget = Some(self.budget - self.budget / 4);
        let params = params::OutlineOf { file_id: file.file_id.clone(), range: call.range.clone(), budget };
        let outline = self.app.documents_outline(&params, &self.stop).and_then(|mut outline| {
            if let Some(kept_out) = self.kept_out(&file)? {
                kept_out.filter(&mut outline);
            }
            as_value(&outline)
        });
        let mut answer = plain(outline.map(receipts::marked_as_data));
        let (protocol, size) = (Protocol::FunctionCall, SizeClass::Short);
        answer.counted = Some(Counted { kind: Kind::Read, protocol, format: file.format, size });
        answer
    }

    /// What the user keeps out of a file.
    fn kept_out(&self, file: &DocumentInfo) -> Result<Option<KeptOut>, AppError> {
        KeptOut::of(&self.app, file, &self.stop)
    }

    /// A receipt as the model may see it.
    fn told(&self, file: &DocumentInfo, receipt: Receipt) -> Result<Receipt, AppError> {
        let mut receipt = receipt;
        if let Some(kept_out) = self.kept_out(file)? {
            kept_out.clean_receipt(&mut receipt);
        }
        Ok(receipt)
    }

    fn named(&self, call: &ReadCall) -> Result<DocumentInfo, AppError> {
        match (&call.file_id, &call.path) {
            (Some(file_id), None) => self.file(file_id),
            (None, Some(path)) => {
                let open = self.session_files()?;
                let found = open.into_iter().find(|file| file.path == *path || file.name == *path);
                found.ok_or_else(|| {
                    AppError::new(ErrorCode::FileNotOpen, format!("`{path}` is not a file of this session."))
                })
            }
            _ => Err(AppError::invalid_arguments("Give either `file_id` or `path`.")),
        }
    }

    fn search(&self, call: &SearchCall) -> Result<Value, AppError> {
        let files = match &call.file_id {
            Some(file_id) => vec![self.file(file_id)?],
            None => self.session_files()?,
        };
        let max = call.max.unwrap_or(SEARCH_MATCHES).min(SEARCH_MATCHES);
        let (mut matches, mut truncated) = (Vec::new(), false);
        for file in files {
            let kept_out = self.kept_out(&file)?;
            let room = max - matches.len();
            let params = params::Search {
                query: call.query.clone(),
                file_id: Some(file.file_id),
                max: Some(room + kept_out.as_ref().map_or(0, KeptOut::len)),
            };
            let mut found = self.app.documents_search(&params, &self.stop)?;
            if let Some(kept_out) = kept_out {
                kept_out.filter_matches(&mut found.matches);
            }
            truncated |= found.truncated || found.matches.len() > room;
            found.matches.truncate(room);
            matches.extend(found.matches);
        }
        Ok(receipts::marked_as_data(
            json!({ "ok": true, "matches": as_value(&matches)?, "truncated": truncated }),
        ))
    }

    fn history(&self, file_id: &str) -> Result<Value, AppError> {
        let file = self.file(file_id)?;
        let params = params::FileId { file_id: file_id.to_string() };
        let mut history = self.app.history_list(&params, &self.stop)?;
        if let Some(kept_out) = self.kept_out(&file)? {
            for snapshot in &mut history.snapshots {
                if kept_out.quotes_hidden(&snapshot.summary) {
                    snapshot.summary.clear();
                }
            }
        }
        as_value(&history)
    }

    fn edit(&self, call: &EditCall) -> Answer {
        let file = match self.file(&call.file_id) {
            Ok(file) => file,
            Err(error) => return Answer { value: error.answer(), ..Answer::default() },
        };
        let fenced = call.ops.iter().any(fences::wants_fence);
        let resolved = self.resolved(call, &file);
        let size = SizeClass::of(routing::payload_characters(resolved.as_deref().unwrap_or(&call.ops)));
        let done = resolved.and_then(|ops| self.guarded_batch(call, ops, &file));
        let mut answer = receipted(done.map_err(|error| self.about(&file, error)));
        let protocol = if fenced { Protocol::Fence } else { Protocol::FunctionCall };
        answer.counted = Some(Counted { kind: Kind::Edit, protocol, format: file.format, size });
        answer
    }

    /// The operations in the contract's form with the fences' texts in place, or the reason why not.
    fn resolved(&self, call: &EditCall, file: &DocumentInfo) -> Result<Vec<Value>, AppError> {
        routing::check_format(&call.ops, file.format)?;
        routing::check_inline(&call.ops, self.inline_characters)?;
        let context =
            FenceContext { file_id: &file.file_id, path: &file.path, revision: call.expected_content_rev };
        Ok(fences::resolve(call.ops.clone(), &self.text, &context)?)
    }

    /// The batch, unless it touches what the user keeps out; its answer quotes nothing of that.
    fn guarded_batch(
        &self,
        call: &EditCall,
        ops: Vec<Value>,
        file: &DocumentInfo,
    ) -> Result<Receipt, AppError> {
        let params = self.batch_params(call, ops);
        match self.kept_out(file)? {
            None => self.batch(params),
            Some(kept_out) => {
                kept_out.check(&self.app, &params, &self.stop)?;
                self.batch(params).map_err(|error| kept_out.clean(error))
            }
        }
    }

    fn batch_params(&self, call: &EditCall, ops: Vec<Value>) -> params::Edit {
        params::Edit {
            file_id: call.file_id.clone(),
            expected_content_rev: call.expected_content_rev,
            ops,
            override_protection: call.override_protection,
            track_changes: call.track_changes,
            mode: self.mode,
            summary: None,
            model: Some(self.model.clone()),
            by_user: None,
        }
    }

    fn batch(&self, params: params::Edit) -> Result<Receipt, AppError> {
        if params.expected_content_rev.is_none() {
            let message = "The call does not say which revision it was made for.";
            return Err(AppError::new(ErrorCode::ContentRevRequired, message)
                .hint("Read the file and send its content_rev as expected_content_rev."));
        }
        self.app.documents_edit(&params, &self.stop)
    }

    fn about(&self, file: &DocumentInfo, error: AppError) -> AppError {
        error.about(&file.file_id, Some(file.content_rev))
    }

    /// A new file cannot wait as a proposal, so the user must have named it.
    fn write(&self, call: &WriteCall) -> Result<Receipt, AppError> {
        let path = Path::new(&call.path);
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let folders: Vec<_> = self
            .session_files()?
            .iter()
            .filter_map(|file| Some(Path::new(&file.path).parent()?.to_path_buf()))
            .collect();
        let beside = if path.is_absolute() {
            path.to_path_buf()
        } else {
            folders.first().map(|folder| folder.join(path)).unwrap_or_default()
        };
        let is_beside = beside.parent().is_some_and(|parent| folders.iter().any(|folder| folder == parent));
        if name.is_empty() || !is_beside {
            return Err(AppError::new(
                ErrorCode::PathNotAllowed,
                "New files are made only in the folders of the open files.",
            )
            .hint("Give a file name beside an open file."));
        }
        if self.mode != EditMode::Commit && !self.words.contains(&name) {
            return Err(AppError::new(
                ErrorCode::PathNotAllowed,
                format!("The user did not name a new file `{name}`."),
            )
            .hint("Ask the user for the name of the new file."));
        }
        let text = self.write_text(call)?;
        let params = params::Create {
            path: beside.to_string_lossy().into_owned(),
            text: Some(text),
            rows: None,
            format: call.format.clone(),
        };
        if self.mode == EditMode::DryRun {
            return Err(AppError::new(ErrorCode::PathNotAllowed, "Nothing is written in a dry run."));
        }
        self.app.documents_create(&params, &self.stop)
    }

    fn write_text(&self, call: &WriteCall) -> Result<String, AppError> {
        let mut op = json!({ "op": "file_write" });
        let fields = [
            ("text", call.text.clone().map(Value::from)),
            ("text_from_fence", call.text_from_fence.map(Value::from)),
            ("fence", call.fence.clone()),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                op[name] = value;
            }
        }
        if self.inline_characters > 0
            && call.text.as_ref().is_some_and(|text| text.chars().count() > self.inline_characters)
        {
            let error = AppError::invalid_arguments(format!(
                "`text` is longer than {} characters; nothing was run.",
                self.inline_characters
            ));
            return Err(AppError { retry: crate::api::error::Retry::SmallerOrFence, ..error }
                .hint("Write the text in a fence in the same message and send `text_from_fence: true`."));
        }
        let context = FenceContext { file_id: "", path: &call.path, revision: None };
        let resolved = fences::resolve(vec![op], &self.text, &context)?;
        Ok(resolved[0]["text"].as_str().unwrap_or_default().to_string())
    }

    /// Going back writes at once, so it is done only when the user asked for it.
    fn restore(&self, call: &RestoreCall) -> Result<Receipt, AppError> {
        let file = self.file(&call.file_id)?;
        self.may_go_back()?;
        let params = params::Restore {
            file_id: call.file_id.clone(),
            snapshot: call.snapshot.clone(),
            expected_content_rev: call.expected_content_rev,
        };
        let receipt = self.app.history_restore(&params, &self.stop)?;
        self.told(&file, receipt)
    }

    fn may_go_back(&self) -> Result<(), AppError> {
        let words = self.words.to_lowercase();
        let asks = [
            "undo",
            "restore",
            "revert",
            "roll back",
            "go back",
            "snap-",
            "撤销",
            "撤回",
            "恢复",
            "还原",
            "回退",
            "回到",
        ];
        if self.mode == EditMode::Commit || self.relays_user || asks.iter().any(|word| words.contains(word)) {
            return Ok(());
        }
        Err(AppError::new(ErrorCode::PathNotAllowed, "The user did not ask to restore an earlier revision.")
            .hint("Tell the user that the history panel can restore it."))
    }

    /// Takes the last step back: a change that still waits is dropped, else the last revision is undone.
    fn undo(&self, call: &StepCall) -> Result<Receipt, AppError> {
        let file = self.file(&call.file_id)?;
        if let Some(proposal_id) = file.pending_proposal.clone() {
            let params = params::ProposalChoice { proposal_id, changes: None };
            self.app.proposals_reject(&params, &self.stop)?;
            return Ok(unchanged(file));
        }
        let step =
            params::Step { file_id: call.file_id.clone(), expected_content_rev: call.expected_content_rev };
        let receipt = self.app.history_undo(&step, &self.stop)?;
        self.told(&file, receipt)
    }

    fn redo(&self, call: &StepCall) -> Result<Receipt, AppError> {
        let file = self.file(&call.file_id)?;
        let step =
            params::Step { file_id: call.file_id.clone(), expected_content_rev: call.expected_content_rev };
        let receipt = self.app.history_redo(&step, &self.stop)?;
        self.told(&file, receipt)
    }
}

fn unchanged(file: DocumentInfo) -> Receipt {
    Receipt {
        ok: true,
        status: Status::Unchanged,
        file_id: file.file_id,
        path: file.path,
        previous_rev: file.content_rev,
        content_rev: file.content_rev,
        snapshot: None,
        proposal_id: None,
        changes: Vec::new(),
        package: None,
        warnings: Vec::new(),
    }
}

fn as_value(answer: &impl Serialize) -> Result<Value, AppError> {
    serde_json::to_value(answer)
        .map_err(|error| AppError::new(ErrorCode::Internal, format!("The answer cannot be told: {error}.")))
}

fn plain(result: Result<Value, AppError>) -> Answer {
    Answer { value: result.unwrap_or_else(|error| error.answer()), ..Answer::default() }
}

fn receipted(result: Result<Receipt, AppError>) -> Answer {
    match result {
        Ok(receipt) => {
            let value = as_value(&receipt).unwrap_or_else(|error| error.answer());
            Answer { value, receipt: Some(receipt), ..Answer::default() }
        }
        Err(error) => {
            let mut value = error.answer();
            if let Some(advice) = receipts::advice(&value) {
                value["advice"] = advice.into();
            }
            Answer { value, ..Answer::default() }
        }
    }
}
