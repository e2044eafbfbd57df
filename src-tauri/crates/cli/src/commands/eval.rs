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

use crate::{arguments::EvalArguments, exit::Exit, output, session::cancelled};

pub(crate) async fn run(arguments: EvalArguments, stop: Stop) -> Exit {
    // A case that waits for its endpoint is left where it is.
    let ended = tokio::select! {
        ended = evaluated(&arguments, stop.clone()) => ended,
        () = cancelled(&stop) => {
            let message = "Cancelled. What `--progress` holds is not run again.";
            Err(AppError::new(ErrorCode::Cancelled, message))
        }
    };
    match ended {
        Ok(report) => output::answer(&report, arguments.json, EvalReport::table),
        Err(error) => output::error(&error, arguments.json, Exit::of_turn(&error)),
    }
}

async fn evaluated(arguments: &EvalArguments, stop: Stop) -> Result<EvalReport, AppError> {
    let set = match &arguments.cases {
        Some(folder) => CaseSet::load(folder)?,
        None => CaseSet::built_in()?,
    };
    let model = model(arguments)?;
    let is_remote = arguments.endpoint != "builtin";
    let options = EvalOptions {
        progress: arguments.progress.clone(),
        commands_only: arguments.commands_only,
        seed: is_remote.then_some(arguments.seed),
        temperature: is_remote.then_some(arguments.temperature),
        protocol: arguments.protocol.clone(),
        stop,
    };
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
    let model = RemoteModel::new(client, name).temperature(arguments.temperature).seed(arguments.seed);
    Ok(Arc::new(model))
}
