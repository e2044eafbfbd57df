//! `stet eval`: the fixed edit test set against an endpoint or the built-in model.

use std::sync::Arc;

use assistant::{
    AppError,
    agent::{
        builtin::BuiltinModel,
        eval::{self, CaseSet, EvalOptions, EvalReport},
        model::{Model, RemoteModel},
    },
    api::error::ErrorCode,
    workspace::Stop,
};
use gateway::{Client, Endpoint, Secret};

use crate::{arguments::EvalArguments, exit::Exit, output};

pub(crate) async fn run(arguments: EvalArguments, _stop: Stop) -> Exit {
    match evaluated(&arguments).await {
        Ok(report) => output::answer(&report, arguments.json, EvalReport::table),
        Err(error) => output::error(&error, arguments.json, Exit::of_turn(&error)),
    }
}

async fn evaluated(arguments: &EvalArguments) -> Result<EvalReport, AppError> {
    let set = match &arguments.cases {
        Some(folder) => CaseSet::load(folder)?,
        None => CaseSet::built_in()?,
    };
    let options =
        EvalOptions { progress: arguments.progress.clone(), commands_only: arguments.commands_only };
    let model = model(arguments)?;
    eval::run(&set, model, &options, |row| {
        output::progress(&format!("{} {}", if row.passed { "pass" } else { "FAIL" }, row.id));
    })
    .await
}

fn model(arguments: &EvalArguments) -> Result<Arc<dyn Model>, AppError> {
    if arguments.endpoint == "builtin" {
        return Ok(Arc::new(BuiltinModel::default()));
    }
    let name = arguments.model.as_deref().unwrap_or("default");
    let key = std::env::var("STET_UPSTREAM_KEY").ok().filter(|key| !key.is_empty()).map(Secret::new);
    let endpoint = Endpoint::new(&arguments.endpoint, key, name);
    let client = Client::new(endpoint).map_err(|error| AppError::new(ErrorCode::IoError, error.message))?;
    // Fixed, so that a run can be repeated where the endpoint allows it.
    Ok(Arc::new(RemoteModel::new(client, name).temperature(0.0).seed(1)))
}
