//! `stet apply`.

use assistant::{
    AppError, Request, Response,
    api::{answers::Receipt, params::Edit},
    workspace::{EditMode, Stop},
};

use super::unexpected;
use crate::{
    arguments::ApplyArguments,
    exit::Exit,
    output,
    session::{Session, expected, read_ops},
};

pub(crate) async fn run(arguments: ApplyArguments, stop: Stop) -> Exit {
    match apply(&arguments, stop).await {
        Ok(receipt) => output::answer(&receipt, arguments.file.json, output::receipt),
        Err(error) => output::error(&error, arguments.file.json, Exit::of(&error)),
    }
}

async fn apply(arguments: &ApplyArguments, stop: Stop) -> Result<Receipt, AppError> {
    let session = Session::open(stop)?;
    let file = session.file(&arguments.file.file).await?;
    let about = |error: AppError| error.about(&file.file_id, Some(file.content_rev));
    let batch = read_ops(&arguments.ops, &file, &session.stop).await.map_err(about)?;
    let given = expected(arguments.expected_rev, &file);
    if let (Some(flag), Some(inside)) = (given, batch.expected_content_rev)
        && flag != inside
    {
        let message = format!("--expected-rev says {flag}, the batch says {inside}.");
        return Err(about(AppError::invalid_arguments(message)));
    }
    let params = Edit {
        file_id: file.file_id.clone(),
        expected_content_rev: given.or(batch.expected_content_rev),
        ops: batch.ops,
        override_protection: batch.override_protection,
        track_changes: batch.track_changes,
        mode: if arguments.dry_run { EditMode::DryRun } else { EditMode::Commit },
        by_user: Some(true),
        ..Edit::default()
    };
    match session.call(Request::DocumentsEdit(params)).await? {
        Response::DocumentsEdit(receipt) => Ok(receipt),
        other => Err(unexpected(&other)),
    }
}
