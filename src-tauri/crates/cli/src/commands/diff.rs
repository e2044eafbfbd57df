//! `stet diff`.

use assistant::{
    AppError, Request, Response,
    api::{answers::ComparisonAnswer, params::Diff},
    workspace::Stop,
};

use super::unexpected;
use crate::{
    arguments::DiffArguments,
    exit::Exit,
    output,
    session::{Session, read_ops},
};

pub(crate) async fn run(arguments: DiffArguments, stop: Stop) -> Exit {
    match diff(&arguments, stop).await {
        Ok(comparison) => output::answer(&comparison, arguments.file.json, for_people),
        Err(error) => output::error(&error, arguments.file.json, Exit::of(&error)),
    }
}

async fn diff(arguments: &DiffArguments, stop: Stop) -> Result<ComparisonAnswer, AppError> {
    let session = Session::open(stop)?;
    let file = session.file(&arguments.file.file).await?;
    let batch = arguments.ops.as_ref().map(|ops| read_ops(ops, &file)).transpose()?;
    let mut params = Diff { file_id: file.file_id, snapshot: arguments.snapshot.clone(), ..Diff::default() };
    if let Some(batch) = batch {
        params.ops = Some(batch.ops);
        params.override_protection = batch.override_protection;
        params.track_changes = batch.track_changes;
    }
    match session.call(Request::DocumentsDiff(params)).await? {
        Response::DocumentsDiff(comparison) => Ok(comparison),
        other => Err(unexpected(&other)),
    }
}

fn for_people(comparison: &ComparisonAnswer) -> String {
    output::changes(&comparison.changes) + &output::warnings(&comparison.warnings)
}
