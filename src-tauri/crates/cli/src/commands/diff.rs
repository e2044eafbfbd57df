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
    let batch = match &arguments.ops {
        Some(ops) => Some(read_ops(ops, &file, &session.stop).await?),
        None => None,
    };
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

/// Texts as `diff -u` writes them; cells, paragraphs and slides by their addresses.
fn for_people(comparison: &ComparisonAnswer) -> String {
    let body = match &comparison.unified {
        Some(unified) => output::unified(unified),
        None => output::changes(&comparison.changes) + &package(comparison),
    };
    let body = if body.is_empty() { "no difference\n".to_owned() } else { body };
    body + &output::warnings(&comparison.warnings)
}

fn package(comparison: &ComparisonAnswer) -> String {
    let Some(package) = &comparison.package else { return String::new() };
    let list = |what: &str, parts: &[String]| match parts {
        [] => String::new(),
        parts => format!("parts {what}: {}\n", parts.join(", ")),
    };
    list("changed", &package.changed) + &list("added", &package.added) + &list("removed", &package.removed)
}
