//! `stet models`: the endpoints of the settings. Whether a key is there is told, the key never.

use assistant::{
    AppError, Request, Response,
    api::{
        error::ErrorCode,
        params::{KeyOf, NoParams, SettingsChange},
    },
    secrets::KeyPlace,
    settings::{Provider, Settings},
    workspace::Stop,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::unexpected;
use crate::{
    arguments::{ModelsArguments, ModelsCommand, NewProvider},
    exit::Exit,
    output,
    session::Session,
};

/// The contract's answer of `models`.
#[derive(Debug, Serialize)]
struct Models {
    ok: bool,
    providers: Vec<Value>,
    /// What `stet ask` uses when `--model` is left out.
    model: String,
}

pub(crate) async fn run(arguments: ModelsArguments, stop: Stop) -> Exit {
    match models(arguments.command, stop).await {
        Ok(models) => output::answer(&models, arguments.json, for_people),
        Err(error) => output::error(&error, arguments.json, Exit::of(&error)),
    }
}

async fn models(command: Option<ModelsCommand>, stop: Stop) -> Result<Models, AppError> {
    let session = Session::open(stop)?;
    let mut settings = match session.call(Request::SettingsGet(NoParams::default())).await? {
        Response::SettingsGet(settings) => settings,
        other => return Err(unexpected(&other)),
    };
    let change = match command {
        None => None,
        Some(ModelsCommand::Add(new)) => Some(with(&settings, new)?),
        Some(ModelsCommand::Remove { provider }) => Some(without(&settings, &provider)?),
        Some(ModelsCommand::Use { model }) => Some(using(&settings, &model)?),
    };
    if let Some(change) = change {
        settings = match session.call(Request::SettingsUpdate(SettingsChange { changes: change })).await? {
            Response::SettingsUpdate(settings) => settings,
            other => return Err(unexpected(&other)),
        };
    }
    told(&session, &settings).await
}

fn with(settings: &Settings, new: NewProvider) -> Result<Value, AppError> {
    if settings.providers.iter().any(|known| known.id == new.provider) {
        return Err(AppError::invalid_arguments(format!("There is an endpoint {} already.", new.provider))
            .hint(format!("`stet models remove {}` takes it out.", new.provider)));
    }
    if new.provider == "builtin" {
        return Err(AppError::invalid_arguments("`builtin` is the name of the built-in model."));
    }
    // What stands before an `@` would lie in the settings in clear, and a query would be sent with every request.
    let address = new.base_url.split_once("://").map_or(new.base_url.as_str(), |(_, rest)| rest);
    let host = address.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('@') || address.contains(['?', '#']) {
        return Err(AppError::invalid_arguments(
            "The address may hold no name, password, query or fragment.",
        )
        .hint("Keep the key with `stet key set ID`."));
    }
    let added = Provider {
        name: new.name.unwrap_or_else(|| new.provider.clone()),
        id: new.provider,
        base_url: new.base_url,
        dialect: None,
        models: new.model,
        needs_key: !new.no_key,
        context_tokens: new.context_tokens,
        headers: Vec::new(),
    };
    let mut providers = settings.providers.clone();
    providers.push(added);
    Ok(json!({ "providers": providers }))
}

fn without(settings: &Settings, provider: &str) -> Result<Value, AppError> {
    let mut providers = settings.providers.clone();
    providers.retain(|known| known.id != provider);
    if providers.len() == settings.providers.len() {
        return Err(unknown(settings, provider));
    }
    let is_chosen = settings.model.as_deref().is_some_and(|model| belongs(model, provider));
    let mut change = json!({ "providers": providers });
    if is_chosen {
        change["model"] = Value::Null;
    }
    Ok(change)
}

fn using(settings: &Settings, model: &str) -> Result<Value, AppError> {
    if model == "builtin" {
        return Ok(json!({ "model": null }));
    }
    let provider = model.split_once('/').map_or(model, |(provider, _)| provider);
    if !settings.providers.iter().any(|known| known.id == provider) {
        return Err(unknown(settings, provider));
    }
    if !belongs(model, provider) {
        return Err(AppError::invalid_arguments(format!("{model:?} names no model."))
            .hint("Write `provider/model`, or `builtin`."));
    }
    Ok(json!({ "model": model }))
}

fn belongs(model: &str, provider: &str) -> bool {
    model.strip_prefix(provider).is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'))
}

fn unknown(settings: &Settings, provider: &str) -> AppError {
    let known: Vec<&str> = settings.providers.iter().map(|known| known.id.as_str()).collect();
    let hint = match known.is_empty() {
        true => "`stet models add ID URL` adds one.".to_owned(),
        false => format!("There are: {}. `stet models add ID URL` adds one.", known.join(", ")),
    };
    AppError::new(ErrorCode::OutOfRange, format!("There is no endpoint {provider:?}.")).hint(hint)
}

async fn told(session: &Session, settings: &Settings) -> Result<Models, AppError> {
    let mut providers = vec![json!({ "id": "builtin", "name": "Built-in model", "key": "none" })];
    for provider in &settings.providers {
        let mut told = json!({
            "id": provider.id, "name": provider.name, "base_url": provider.base_url, "models": provider.models,
        });
        let key = KeyOf { provider: provider.id.clone() };
        if let Response::KeysStatus(status) = session.call(Request::KeysStatus(key)).await? {
            told["key"] = match status.place {
                KeyPlace::Keychain => "keychain".into(),
                KeyPlace::Session => "session".into(),
                KeyPlace::None => "none".into(),
            };
        }
        providers.push(told);
    }
    Ok(Models { ok: true, providers, model: settings.model.clone().unwrap_or_else(|| "builtin".into()) })
}

fn for_people(answer: &Models) -> String {
    let word = |provider: &Value, name: &str| provider[name].as_str().unwrap_or_default().to_owned();
    let line = |provider: &Value| {
        let told = ["id", "name", "base_url"].map(|name| word(provider, name));
        let told: Vec<String> = told.into_iter().filter(|text| !text.is_empty()).collect();
        format!("{}  key: {}\n", told.join("  "), word(provider, "key"))
    };
    let mut text: String = answer.providers.iter().map(line).collect();
    text += &format!("in use: {}\n", answer.model);
    if answer.providers.len() == 1 {
        text += "`stet models add ID URL` adds an endpoint, `stet key set ID` its key, `stet models use ID/MODEL` chooses it.\n";
    }
    text
}
