//! The tools: described by the schemas that the agent generates, read by the agent's reader, done by `App`.
//!
//! What is decided here is only what a foreign agent may do: files inside its fence, edits in the server's mode, and nothing that would
//! write at once while edits are to wait for the user.

use std::{path::Path, sync::Arc};

use assistant::{
    AppError, Request, Response,
    agent::{
        fences::{self, FenceContext},
        kept_out::KeptOut,
        receipts, routing,
        tools::{Call, EditCall, ReadCall, RestoreCall, SearchCall, WriteCall, schema},
    },
    api::{
        answers::{DocumentInfo, HistoryAnswer, Receipt, SearchAnswer},
        error::ErrorCode,
        params::{Create, Edit, FileId, OutlineOf, Restore, Search},
    },
    workspace::{EditMode, Stop},
};
use rmcp::model::{Tool, ToolAnnotations};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use super::{
    Shared,
    catalogue::{self, Entry},
    fence::Fence,
};
use crate::commands::unexpected;

/// CONTRACT, section 6.
pub(super) const NAMES: [&str; 7] =
    ["file_list", "file_read", "file_search", "file_edit", "file_write", "file_history", "file_restore"];

const MATCHES: usize = 50;

/// One call at work.
pub(super) struct Work {
    pub(super) shared: Arc<Shared>,
    pub(super) fence: Arc<Fence>,
    pub(super) stop: Stop,
    pub(super) told: Told,
    /// Who asks, for the history.
    pub(super) client: String,
}

/// Where progress goes: done, of how many, and a word about it.
pub(super) struct Told(UnboundedSender<(f64, Option<f64>, String)>);

impl Told {
    pub(super) fn new(sender: UnboundedSender<(f64, Option<f64>, String)>) -> Told {
        Told(sender)
    }

    /// Nobody may be listening.
    fn tell(&self, done: usize, total: usize, about: &str) {
        #[allow(clippy::cast_precision_loss)] // a few hundred files
        let _ = self.0.send((done as f64, Some(total as f64), about.to_owned()));
    }
}

/// The tools as a client is told them.
pub(super) fn described(mode: EditMode) -> Vec<Tool> {
    schema::tools_for_clients().into_iter().map(|tool| described_one(tool, mode)).collect()
}

fn described_one(tool: gateway::Tool, mode: EditMode) -> Tool {
    let is_staged = mode == EditMode::Stage;
    let (title, reads_only, destroys, is_idempotent, note) = match tool.name.as_str() {
        "file_list" => ("List documents", true, false, true, ""),
        "file_read" => ("Read a document", true, false, true, ""),
        "file_search" => ("Search documents", true, false, true, ""),
        "file_history" => ("History of a document", true, false, true, ""),
        // The same call again meets another revision and is refused, so sending it twice is as good as once.
        "file_edit" if is_staged => (
            "Propose an edit",
            false,
            false,
            true,
            " The edit waits as a proposal until the user accepts it.",
        ),
        "file_edit" => ("Edit a document", false, true, true, " It is written at once; a snapshot is kept."),
        "file_write" if is_staged => (
            "Make a new document",
            false,
            false,
            true,
            " Refused while this server is staged (without --commit).",
        ),
        "file_write" => ("Make a new document", false, false, true, ""),
        _ if is_staged => (
            "Restore a snapshot",
            false,
            true,
            true,
            " Refused while this server is staged (without --commit).",
        ),
        _ => ("Restore a snapshot", false, true, true, " The content before it is kept as a snapshot too."),
    };
    let hints = ToolAnnotations::with_title(title)
        .read_only(reads_only)
        .destructive(destroys)
        .idempotent(is_idempotent)
        .open_world(false);
    let input = tool.parameters.as_object().cloned().unwrap_or_default();
    let output = json!({
        "type": "object",
        "properties": { "ok": { "type": "boolean" }, "error": { "type": "object" } },
        "required": ["ok"],
    });
    let output = output.as_object().cloned().unwrap_or_default();
    Tool::new(tool.name, format!("{}{note}", tool.description), Arc::new(input))
        .with_title(title)
        .with_raw_output_schema(Arc::new(output))
        .with_annotations(hints)
}

/// Does a call.
pub(super) fn call(work: &Work, name: &str, arguments: &Value) -> Result<Value, AppError> {
    work.told.tell(0, 1, name);
    let call = Call::read(name, &arguments.to_string()).map_err(AppError::from)?;
    match call {
        Call::List => work.list(),
        Call::Read(call) => work.read(&call),
        Call::Search(call) => work.search(&call),
        Call::Edit(call) => work.edit(call),
        Call::Write(call) => work.write(call),
        Call::History(call) => work.history(&call.file_id),
        Call::Restore(call) => work.restore(call),
        Call::Undo(_) | Call::Redo(_) => {
            Err(AppError::invalid_arguments(format!("There is no tool `{name}` for clients.")))
        }
    }
}

impl Work {
    pub(super) fn ask(&self, request: Request) -> Result<Response, AppError> {
        self.shared.app.run(request, &self.stop)
    }

    /// The documents of the open folders, and whether there are more.
    pub(super) fn entries(&self) -> (Vec<Entry>, bool) {
        let walk = catalogue::walk(&self.fence);
        let is_cut = walk.is_cut;
        (self.shared.catalogue.entries(&self.shared.app, walk, &self.stop), is_cut)
    }

    /// A file inside the fence, by id. One outside is as unknown as one that never was.
    pub(super) fn file(&self, file_id: &str) -> Result<DocumentInfo, AppError> {
        let unknown = || {
            AppError::new(ErrorCode::FileNotOpen, format!("`{file_id}` is not a file of this session."))
                .hint("Take an id from file_list, or read the file by its path.")
        };
        let known = self.shared.app.documents_known(&[file_id.to_owned()]);
        let document = known.ok().and_then(|mut known| known.pop()).ok_or_else(unknown)?;
        match self.fence.admit(Path::new(&document.path)) {
            Ok(real) if real == Path::new(&document.path) => Ok(document),
            // The file was replaced by a link to another one: that one has its own id.
            Ok(_) => Err(unknown()),
            Err(error) if error.code == ErrorCode::PathNotAllowed => Err(unknown()),
            Err(error) => Err(error.about(file_id, Some(document.content_rev))),
        }
    }

    /// What the user keeps out of the assistant is kept out of other agents too.
    pub(super) fn kept_out(&self, file: &DocumentInfo) -> Result<Option<KeptOut>, AppError> {
        KeptOut::of(&self.shared.app, file, &self.stop)
    }

    /// A receipt as the client may see it.
    fn receipt(&self, file: &DocumentInfo, mut receipt: Receipt) -> Result<Value, AppError> {
        if let Some(kept_out) = self.kept_out(file)? {
            kept_out.clean_receipt(&mut receipt);
        }
        as_value(&receipt)
    }

    fn list(&self) -> Result<Value, AppError> {
        let (entries, is_cut) = self.entries();
        let file = |entry: Entry| match entry {
            Entry::Known(file) => json!({
                "file_id": file.file_id, "path": file.path, "format": file.format, "content_rev": file.content_rev,
                "size": file.size, "state": file.state, "pending_proposal": file.pending_proposal,
            }),
            Entry::Unread(found) => json!({
                "file_id": null, "path": found.path.to_string_lossy(), "format": format_of(&found.path),
                "content_rev": null, "size": found.size, "state": "unread",
            }),
            Entry::Unreadable(found, why) => json!({
                "file_id": null, "path": found.path.to_string_lossy(), "format": format_of(&found.path),
                "content_rev": null, "size": found.size, "state": "unsupported", "state_detail": why,
            }),
        };
        let files: Vec<Value> = entries.into_iter().map(file).collect();
        self.stop.check()?;
        Ok(json!({ "ok": true, "files": files, "truncated": is_cut }))
    }

    fn read(&self, call: &ReadCall) -> Result<Value, AppError> {
        let file = match (&call.file_id, &call.path) {
            (Some(file_id), None) => self.file(file_id)?,
            (None, Some(path)) => {
                let real = self.fence.admit(Path::new(path))?;
                self.shared.app.documents_register(&real, &self.stop)?
            }
            _ => return Err(AppError::invalid_arguments("Give either `file_id` or `path`.")),
        };
        let kept_out = self.kept_out(&file)?;
        let params = OutlineOf { file_id: file.file_id, range: call.range.clone(), budget: None };
        match self.ask(Request::DocumentsOutline(params))? {
            Response::DocumentsOutline(mut outline) => {
                if let Some(kept_out) = kept_out {
                    kept_out.filter(&mut outline);
                }
                as_value(&outline).map(receipts::marked_as_data)
            }
            other => Err(unexpected(&other)),
        }
    }

    fn search(&self, call: &SearchCall) -> Result<Value, AppError> {
        let files = match &call.file_id {
            Some(file_id) => vec![self.file(file_id)?],
            None => self.known(),
        };
        let max = call.max.unwrap_or(MATCHES).min(1_000);
        let total = files.len();
        let (mut matches, mut truncated, mut skipped) = (Vec::new(), false, Vec::new());
        for (done, file) in files.into_iter().enumerate() {
            self.told.tell(done, total, "searched");
            match self.search_in(&file, &call.query, max - matches.len()) {
                Ok(found) => {
                    truncated |= found.truncated;
                    matches.extend(found.matches);
                }
                // One file that cannot be read does not hide what the others hold, and is named.
                Err(error) if call.file_id.is_none() && is_about_the_file(error.code) => {
                    skipped.push(file.file_id)
                }
                Err(error) => return Err(error),
            }
        }
        let mut answer = json!({ "ok": true, "matches": as_value(&matches)?, "truncated": truncated });
        if !skipped.is_empty() {
            answer["not_searched"] = json!(skipped);
        }
        Ok(receipts::marked_as_data(answer))
    }

    fn search_in(&self, file: &DocumentInfo, query: &str, room: usize) -> Result<SearchAnswer, AppError> {
        let kept_out = self.kept_out(file)?;
        let max = Some(room + kept_out.as_ref().map_or(0, KeptOut::len));
        let params = Search { query: query.to_owned(), file_id: Some(file.file_id.clone()), max };
        let mut found = match self.ask(Request::DocumentsSearch(params))? {
            Response::DocumentsSearch(found) => found,
            other => return Err(unexpected(&other)),
        };
        if let Some(kept_out) = kept_out {
            kept_out.filter_matches(&mut found.matches);
        }
        found.truncated |= found.matches.len() > room;
        found.matches.truncate(room);
        Ok(found)
    }

    fn known(&self) -> Vec<DocumentInfo> {
        let known = self.entries().0.into_iter().filter_map(|entry| match entry {
            Entry::Known(document) => Some(*document),
            Entry::Unread(_) | Entry::Unreadable(..) => None,
        });
        known.collect()
    }

    fn edit(&self, call: EditCall) -> Result<Value, AppError> {
        let file = self.file(&call.file_id)?;
        self.edited(call, &file).map_err(|error| error.about(&file.file_id, Some(file.content_rev)))
    }

    fn edited(&self, call: EditCall, file: &DocumentInfo) -> Result<Value, AppError> {
        if call.expected_content_rev.is_none() {
            let message = "The call does not say which revision it was made for.";
            return Err(AppError::new(ErrorCode::ContentRevRequired, message)
                .hint("Read the file and send its content_rev as expected_content_rev."));
        }
        routing::check_format(&call.ops, file.format)?;
        // There is no message around a call over MCP, so a fence is a mistake that is named as such.
        let context =
            FenceContext { file_id: &file.file_id, path: &file.path, revision: call.expected_content_rev };
        let ops = fences::resolve(call.ops, "", &context)?;
        let params = Edit {
            file_id: call.file_id,
            expected_content_rev: call.expected_content_rev,
            ops,
            override_protection: call.override_protection,
            track_changes: call.track_changes,
            mode: self.shared.mode,
            model: Some(self.client.clone()),
            ..Edit::default()
        };
        let kept_out = self.kept_out(file)?;
        if let Some(kept_out) = &kept_out {
            kept_out.check(&self.shared.app, &params, &self.stop)?;
        }
        let answer = self.ask(Request::DocumentsEdit(params)).map_err(|error| match &kept_out {
            Some(kept_out) => kept_out.clean(error),
            None => error,
        });
        match answer? {
            Response::DocumentsEdit(receipt) => self.receipt(file, receipt),
            other => Err(unexpected(&other)),
        }
    }

    fn write(&self, call: WriteCall) -> Result<Value, AppError> {
        let path = self.fence.admit_new(Path::new(&call.path))?;
        self.must_commit("A new file cannot wait as a proposal", "make it with `stet new`")?;
        if call.text_from_fence.is_some() || call.fence.is_some() {
            let message = "There is no message around a call, so there is no fence: send `text`.";
            return Err(AppError::new(ErrorCode::FenceMissing, message));
        }
        let path = path.to_str().map(str::to_owned).ok_or_else(|| {
            AppError::new(ErrorCode::PathNotAllowed, "The folder has a name that is not Unicode.")
        })?;
        let params = Create { path, text: call.text, rows: None, format: call.format };
        match self.ask(Request::DocumentsCreate(params))? {
            Response::DocumentsCreate(receipt) => as_value::<Receipt>(&receipt),
            other => Err(unexpected(&other)),
        }
    }

    fn history(&self, file_id: &str) -> Result<Value, AppError> {
        as_value(&self.history_of(&self.file(file_id)?)?)
    }

    /// The history without quotations of what the user keeps out.
    pub(super) fn history_of(&self, file: &DocumentInfo) -> Result<HistoryAnswer, AppError> {
        let kept_out = self.kept_out(file)?;
        match self.ask(Request::HistoryList(FileId { file_id: file.file_id.clone() }))? {
            Response::HistoryList(mut history) => {
                for snapshot in history.snapshots.iter_mut().filter(|_| kept_out.is_some()) {
                    snapshot.ops = None;
                    snapshot.summary.clear();
                }
                Ok(history)
            }
            other => Err(unexpected(&other)),
        }
    }

    fn restore(&self, call: RestoreCall) -> Result<Value, AppError> {
        let file = self.file(&call.file_id)?;
        self.must_commit(
            "A restore cannot wait as a proposal",
            &format!("run `stet restore FILE {}`", call.snapshot),
        )
        .map_err(|error| error.about(&file.file_id, Some(file.content_rev)))?;
        let params = Restore {
            file_id: call.file_id,
            snapshot: call.snapshot,
            expected_content_rev: call.expected_content_rev,
        };
        match self.ask(Request::HistoryRestore(params))? {
            Response::HistoryRestore(receipt) => self.receipt(&file, receipt),
            other => Err(unexpected(&other)),
        }
    }

    fn must_commit(&self, why: &str, instead: &str) -> Result<(), AppError> {
        if self.shared.mode == EditMode::Commit {
            return Ok(());
        }
        let message = format!("{why}, and this server leaves every write to the user.");
        Err(AppError::new(ErrorCode::PathNotAllowed, message)
            .hint(format!("Ask the user to {instead}, or to start `stet mcp` with --commit.")))
    }
}

/// A fault of one file rather than of the search.
fn is_about_the_file(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::UnsupportedDocument
            | ErrorCode::DamagedDocument
            | ErrorCode::EncryptedDocument
            | ErrorCode::TooLarge
            | ErrorCode::IoError
            | ErrorCode::Locked
    )
}

fn format_of(path: &Path) -> &'static str {
    documents::Format::of_name(&path.to_string_lossy()).as_str()
}

pub(super) fn as_value<T: Serialize>(answer: &T) -> Result<Value, AppError> {
    serde_json::to_value(answer)
        .map_err(|error| AppError::new(ErrorCode::Internal, format!("The answer cannot be told: {error}.")))
}
