//! Runs a set of Markdown Diff blocks: every batch is dry-run first, then all are written, or none.
//!
//! With one file that is one compare-and-swap commit. With more files each is a commit of its own; when a later one fails after the
//! dry run (another program was quicker), the earlier ones are taken back, each as a new revision, and the answer says so.

use documents::Format;
use serde_json::Value;

use super::{
    kept_out::KeptOut,
    markdown_diff::{DiffSet, FileDiff},
    refusal::{Refusal, RefusalCode},
};
use crate::{
    api::{
        App, AppError,
        answers::{DocumentInfo, Receipt},
        error::ErrorCode,
        params,
    },
    workspace::{EditMode, Stop},
};

/// Which files may be changed, and how.
pub struct PatchRequest<'a> {
    /// Ids of the files that the blocks may name.
    pub files: &'a [String],
    pub mode: EditMode,
    pub model: Option<&'a str>,
}

/// A batch that is ready to be written.
struct Batch {
    file: DocumentInfo,
    edit: params::Edit,
}

/// What stands on a file before a batch is staged on top of it.
struct Before {
    proposal_ops: usize,
}

/// Writes the whole set, or nothing and the first reason.
pub fn patch(
    app: &App,
    set: &DiffSet,
    request: &PatchRequest<'_>,
    stop: &Stop,
) -> Result<Vec<Receipt>, AppError> {
    let planned = set.plan()?;
    let mut batches = Vec::new();
    for diff in &planned {
        batches.push(batch(app, diff, request, stop)?);
    }
    let mut dry = Vec::new();
    for batch in &batches {
        let edit = params::Edit { mode: EditMode::DryRun, ..batch.edit.clone() };
        dry.push(app.documents_edit(&edit, stop)?);
    }
    match request.mode {
        EditMode::DryRun => Ok(dry),
        EditMode::Commit | EditMode::Stage => write_all(app, &batches, stop),
    }
}

fn batch(app: &App, diff: &FileDiff, request: &PatchRequest<'_>, stop: &Stop) -> Result<Batch, AppError> {
    let file = find(app, &diff.file, request.files)?;
    let about = |error: AppError| error.about(&file.file_id, Some(file.content_rev));
    if file.format != Format::Text {
        let message = format!(
            "{} is a {} document; Markdown Diff changes text files.",
            file.name,
            file.format.as_str()
        );
        let hint = format!("Use the {}_* operations of file_edit.", file.format.as_str());
        return Err(about(Refusal::new(RefusalCode::UnsupportedOp, message, hint).into()));
    }
    if diff.rev != file.content_rev {
        let message = format!(
            "The block was made for revision {}; {} is at revision {}.",
            diff.rev, file.name, file.content_rev
        );
        return Err(about(
            AppError::new(ErrorCode::ContentRevConflict, message).hint("Read the file again."),
        ));
    }
    let text = app.preview_text(
        &params::PreviewText { file_id: file.file_id.clone(), side: "current".into(), proposal_id: None },
        stop,
    )?;
    let content = text.text.replace("\r\n", "\n").replace('\r', "\n");
    // What a person patches themselves is not looked at.
    let kept_out = match request.model {
        Some(_) => KeptOut::of(app, &file, stop)?,
        None => None,
    };
    let told = |error: AppError| match &kept_out {
        Some(kept_out) => kept_out.clean(error),
        None => error,
    };
    let ops = diff.ops(&content).map_err(|refusal| about(told(refusal.into())))?;
    let ops: Result<Vec<Value>, _> = ops.iter().map(serde_json::to_value).collect();
    let ops = ops.map_err(|error| AppError::new(ErrorCode::Internal, error.to_string()))?;
    let edit = params::Edit {
        file_id: file.file_id.clone(),
        expected_content_rev: Some(diff.rev),
        ops,
        mode: request.mode,
        model: request.model.map(str::to_owned),
        ..params::Edit::default()
    };
    if let Some(kept_out) = &kept_out {
        kept_out.check(app, &edit, stop).map_err(about)?;
    }
    Ok(Batch { file, edit })
}

/// A block names its file by id, path or name.
fn find(app: &App, named: &str, allowed: &[String]) -> Result<DocumentInfo, AppError> {
    let open = app.documents_known(allowed)?;
    let is_meant = |file: &DocumentInfo| file.file_id == named || file.path == named || file.name == named;
    let mut meant: Vec<DocumentInfo> = open.into_iter().filter(is_meant).collect();
    match (meant.pop(), meant.is_empty()) {
        (Some(file), true) => Ok(file),
        (Some(_), false) => Err(AppError::invalid_arguments(format!(
            "Several open files are called `{named}`; use the file id."
        ))),
        (None, _) => {
            Err(AppError::new(ErrorCode::FileNotOpen, format!("`{named}` is not a file of this session.")))
        }
    }
}

fn write_all(app: &App, batches: &[Batch], stop: &Stop) -> Result<Vec<Receipt>, AppError> {
    let mut done: Vec<(Receipt, Before)> = Vec::new();
    for batch in batches {
        let before = Before { proposal_ops: waiting_ops(app, &batch.file.file_id)? };
        match app.documents_edit(&batch.edit, stop) {
            Ok(receipt) => done.push((receipt, before)),
            Err(error) => return Err(taken_back(app, done, error)),
        }
    }
    Ok(done.into_iter().map(|(receipt, _)| receipt).collect())
}

fn waiting_ops(app: &App, file_id: &str) -> Result<usize, AppError> {
    let waiting = app.proposals_list(&params::ProposalsOf { file_id: Some(file_id.to_string()) })?;
    Ok(waiting.last().map_or(0, |proposal| proposal.ops.len()))
}

/// Undoes what was written of a set before the failure; never stopped half way, so it takes no cancel switch.
fn taken_back(app: &App, done: Vec<(Receipt, Before)>, mut error: AppError) -> AppError {
    let stop = Stop::default();
    let mut stuck = Vec::new();
    for (receipt, before) in done.iter().rev() {
        let undone = match (&receipt.proposal_id, &receipt.snapshot) {
            (Some(proposal_id), _) => unstage(app, proposal_id, before, &stop),
            (None, Some(snapshot)) => {
                let restore = params::Restore {
                    file_id: receipt.file_id.clone(),
                    snapshot: snapshot.clone(),
                    expected_content_rev: Some(receipt.content_rev),
                };
                app.history_restore(&restore, &stop).map(drop)
            }
            (None, None) => Ok(()),
        };
        if let Err(why) = undone {
            stuck.push(format!("{}: {why}", receipt.path));
        }
    }
    let count = done.len();
    if count > 0 {
        error.message = match stuck.as_slice() {
            [] => format!("{} The {count} file(s) written before it were taken back.", error.message),
            stuck => format!("{} Written before it and not taken back: {}.", error.message, stuck.join("; ")),
        };
    }
    error
}

/// Takes the operations of this set out of a proposal that may hold older ones.
fn unstage(app: &App, proposal_id: &str, before: &Before, stop: &Stop) -> Result<(), AppError> {
    let waiting = app.proposals_list(&params::ProposalsOf::default())?;
    let changes = waiting.iter().find(|proposal| proposal.proposal_id == proposal_id).map(|proposal| {
        let newer =
            proposal.changes.iter().enumerate().filter(|(_, change)| change.op >= before.proposal_ops);
        newer.map(|(index, _)| index).collect::<Vec<_>>()
    });
    let changes = if before.proposal_ops == 0 { None } else { changes };
    app.proposals_reject(&params::ProposalChoice { proposal_id: proposal_id.to_string(), changes }, stop)
        .map(drop)
}
