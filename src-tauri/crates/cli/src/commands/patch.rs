//! `stet patch`: Markdown Diff blocks (CONTRACT, section 7) on one file.

use assistant::{
    AppError,
    agent::{
        markdown_diff,
        patch::{self, PatchRequest},
    },
    api::{answers::Receipt, error::ErrorCode},
    workspace::{EditMode, Stop},
};

use crate::{
    arguments::PatchArguments,
    exit::Exit,
    output,
    session::{Session, read_source, told},
};

pub(crate) async fn run(arguments: PatchArguments, stop: Stop) -> Exit {
    match patched(&arguments, stop).await {
        Ok(receipt) => output::answer(&receipt, arguments.file.json, output::receipt),
        Err(error) => output::error(&error, arguments.file.json, Exit::of(&error)),
    }
}

async fn patched(arguments: &PatchArguments, stop: Stop) -> Result<Receipt, AppError> {
    let session = Session::open(stop)?;
    let file = session.file(&arguments.file.file).await?;
    let source = String::from_utf8(read_source(&arguments.diff, &session.stop).await?)
        .map_err(|_| AppError::invalid_arguments(format!("{} is not UTF-8 text.", told(&arguments.diff))))?;
    let set = markdown_diff::parse(&source);
    if set.is_empty() {
        return Err(AppError::invalid_arguments(format!("{} holds no edit block.", told(&arguments.diff))));
    }
    let files = [file.file_id.clone()];
    let mode = if arguments.dry_run { EditMode::DryRun } else { EditMode::Commit };
    let (app, stop) = (session.app.clone(), session.stop.clone());
    // Not on this thread, which listens for Ctrl-C.
    let patched = tokio::task::spawn_blocking(move || {
        let request = PatchRequest { files: &files, mode, model: None };
        patch::patch(&app, &set, &request, &stop)
    });
    let receipts = patched
        .await
        .unwrap_or_else(|error| Err(AppError::new(ErrorCode::Internal, error.to_string())))
        .map_err(|error| error.about(&file.file_id, Some(file.content_rev)))?;
    receipts
        .into_iter()
        .next()
        .ok_or_else(|| AppError::new(ErrorCode::Internal, "The blocks gave no receipt."))
}
