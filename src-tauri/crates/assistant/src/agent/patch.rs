//! Runs a set of Markdown Diff blocks: every batch is dry-run first, then all are written, or none.
//!
//! Which file a block means is settled first, so that two names of one file are one batch. The writing itself, and what happens when a
//! later file fails or the process is killed between two files, is the workspace's (`Workspace::edit_set`).

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
    workspace::{Batch, EditMode, SetError, SetPart, Stop},
};

/// Which files may be changed, and how.
pub struct PatchRequest<'a> {
    /// Ids of the files that the blocks may name.
    pub files: &'a [String],
    pub mode: EditMode,
    pub model: Option<&'a str>,
}

/// Writes the whole set, or nothing and the first reason.
pub fn patch(
    app: &App,
    set: &DiffSet,
    request: &PatchRequest<'_>,
    stop: &Stop,
) -> Result<Vec<Receipt>, AppError> {
    let (mut parts, mut kept_out) = (Vec::new(), Vec::new());
    for (file, diff) in by_file(app, set, request)? {
        // What a person patches themselves is not looked at.
        let hidden = match request.model {
            Some(_) => KeptOut::of(app, &file, stop)?,
            None => None,
        };
        parts.push(part(app, &file, &diff, request, hidden.as_ref(), stop)?);
        kept_out.push(hidden);
    }
    let outcomes = app.workspace.edit_set(&parts, request.mode, stop);
    let outcomes = outcomes.map_err(|error| refused(app, &parts, &kept_out, error))?;
    outcomes.into_iter().map(|outcome| app.told(outcome)).collect()
}

/// The pairs of each file. A block names its file by id, path or name; however it is named, one file is one batch on one revision.
fn by_file(
    app: &App,
    set: &DiffSet,
    request: &PatchRequest<'_>,
) -> Result<Vec<(DocumentInfo, FileDiff)>, AppError> {
    let mut files: Vec<(DocumentInfo, FileDiff)> = Vec::new();
    for diff in set.plan()? {
        let file = find(app, &diff.file, request.files)?;
        match files.iter_mut().find(|(known, _)| known.file_id == file.file_id) {
            None => files.push((file, diff)),
            Some((_, known)) if known.rev == diff.rev => known.pairs.extend(diff.pairs),
            Some((_, known)) => {
                let message = format!(
                    "Two blocks for {} name different revisions ({} and {}).",
                    file.name, known.rev, diff.rev
                );
                return Err(AppError::invalid_arguments(message)
                    .hint("Blocks of one message are one batch on one revision.")
                    .about(&file.file_id, Some(file.content_rev)));
            }
        }
    }
    Ok(files)
}

/// Says which file refused, quoting nothing that the user keeps out, and what could not be taken back.
fn refused(app: &App, parts: &[SetPart], kept_out: &[Option<KeptOut>], error: SetError) -> AppError {
    let SetError { part, error, stuck } = error;
    let mut told = match parts.get(part) {
        Some(part) => app.about(&part.file_id, error),
        None => error.into(),
    };
    if let Some(Some(kept_out)) = kept_out.get(part) {
        told = kept_out.clean(told);
    }
    if !stuck.is_empty() {
        let paths: Vec<String> = stuck.iter().map(|path| path.display().to_string()).collect();
        told.message = format!(
            "{} Its part was written to {} before that and could not be taken back; undo it there.",
            told.message,
            paths.join(", ")
        );
    }
    told
}

fn part(
    app: &App,
    file: &DocumentInfo,
    diff: &FileDiff,
    request: &PatchRequest<'_>,
    kept_out: Option<&KeptOut>,
    stop: &Stop,
) -> Result<SetPart, AppError> {
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
    let told = |error: AppError| match kept_out {
        Some(kept_out) => kept_out.clean(error),
        None => error,
    };
    let ops = diff.ops(&content).map_err(|refusal| about(told(refusal.into())))?;
    let ops: Result<Vec<Value>, _> = ops.iter().map(serde_json::to_value).collect();
    let ops = ops.map_err(|error| AppError::new(ErrorCode::Internal, error.to_string()))?;
    if let Some(kept_out) = kept_out {
        let edit =
            params::Edit { file_id: file.file_id.clone(), ops: ops.clone(), ..params::Edit::default() };
        kept_out.check(app, &edit, stop).map_err(about)?;
    }
    let batch = Batch { ops, model: request.model.map(str::to_owned), ..Batch::default() };
    Ok(SetPart { file_id: file.file_id.clone(), expected: Some(diff.rev), batch })
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
