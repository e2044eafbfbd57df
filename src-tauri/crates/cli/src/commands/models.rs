//! `stet models`: the endpoints of the settings. Whether a key is there is told, the key never.

use assistant::{
    AppError, Request, Response,
    api::params::{KeyOf, NoParams},
    secrets::KeyPlace,
    workspace::Stop,
};
use serde::Serialize;
use serde_json::Value;

use super::unexpected;
use crate::{exit::Exit, output, session::Session};

/// The contract's answer of `models`.
#[derive(Debug, Serialize)]
struct Models {
    ok: bool,
    providers: Vec<Value>,
}

pub(crate) async fn run(json: bool, stop: Stop) -> Exit {
    match models(stop).await {
        Ok(models) => output::answer(&models, json, for_people),
        Err(error) => output::error(&error, json, Exit::of(&error)),
    }
}

async fn models(stop: Stop) -> Result<Models, AppError> {
    let session = Session::open(stop)?;
    let settings = match session.call(Request::SettingsGet(NoParams::default())).await? {
        Response::SettingsGet(settings) => settings,
        other => return Err(unexpected(&other)),
    };
    let builtin = serde_json::json!({ "id": "builtin", "name": "Built-in model", "key": "none" });
    let mut providers = vec![builtin];
    for provider in &settings.providers {
        let mut told =
            serde_json::json!({ "id": provider.id, "name": provider.name, "base_url": provider.base_url });
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
    Ok(Models { ok: true, providers })
}

fn for_people(models: &Models) -> String {
    let word = |provider: &Value, name: &str| provider[name].as_str().unwrap_or_default().to_owned();
    let line = |provider: &Value| {
        let told = ["id", "name", "base_url"].map(|name| word(provider, name));
        let told: Vec<String> = told.into_iter().filter(|text| !text.is_empty()).collect();
        format!("{}  key: {}\n", told.join("  "), word(provider, "key"))
    };
    models.providers.iter().map(line).collect()
}
