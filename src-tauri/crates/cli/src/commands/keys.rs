//! `stet key`: keys go into the operating system's keychain and never come out.

use std::io::{BufRead, IsTerminal};

use assistant::{
    AppError, Request, Response,
    api::{
        answers::KeyStatus,
        error::ErrorCode,
        params::{KeyOf, NewKey},
    },
    secrets::KeyPlace,
    workspace::Stop,
};

use super::unexpected;
use crate::{
    arguments::KeyCommand,
    exit::Exit,
    output,
    session::{Session, from_terminal},
};

pub(crate) async fn run(command: KeyCommand, stop: Stop) -> Exit {
    let (json, result) = match command {
        KeyCommand::Set { provider, json } => (json, set(provider, stop).await),
        KeyCommand::Clear { provider, json } => (json, clear(provider, stop).await),
        KeyCommand::Status { provider, json } => (json, status(provider, stop).await),
    };
    match result {
        Ok(status) => output::answer(&Answer { ok: true, status }, json, |answer| for_people(&answer.status)),
        Err(error) => output::error(&error, json, Exit::of(&error)),
    }
}

/// As every answer: first whether it was done.
#[derive(serde::Serialize)]
struct Answer {
    ok: bool,
    #[serde(flatten)]
    status: KeyStatus,
}

async fn set(provider: String, stop: Stop) -> Result<KeyStatus, AppError> {
    let session = Session::open(stop)?;
    let known = status_of(&session, &provider).await?;
    if !known.has_keychain {
        // This process ends with the command, so a key for the session would be gone at once.
        let why = known.detail.unwrap_or_else(|| "it cannot be reached".into());
        return Err(AppError::new(ErrorCode::IoError, format!("There is no keychain on this system: {why}."))
            .hint("Start a Secret Service (for instance gnome-keyring), or give the key to one command with STET_UPSTREAM_KEY."));
    }
    if std::io::stdin().is_terminal() {
        output::message("Paste the key and press Enter.");
    }
    let failed =
        |error: std::io::Error| AppError::new(ErrorCode::IoError, format!("Cannot read the key: {error}."));
    let line = from_terminal(&session.stop, || {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map(|_| line)
    });
    let key = line.await?.map_err(failed)?;
    let params = NewKey { provider, key: key.trim().to_owned(), session_only: None };
    match session.call(Request::KeysSet(params)).await? {
        Response::KeysSet(status) => Ok(status),
        other => Err(unexpected(&other)),
    }
}

async fn clear(provider: String, stop: Stop) -> Result<KeyStatus, AppError> {
    let session = Session::open(stop)?;
    session.call(Request::KeysClear(KeyOf { provider: provider.clone() })).await?;
    status_of(&session, &provider).await
}

async fn status(provider: String, stop: Stop) -> Result<KeyStatus, AppError> {
    status_of(&Session::open(stop)?, &provider).await
}

async fn status_of(session: &Session, provider: &str) -> Result<KeyStatus, AppError> {
    match session.call(Request::KeysStatus(KeyOf { provider: provider.to_owned() })).await? {
        Response::KeysStatus(status) => Ok(status),
        other => Err(unexpected(&other)),
    }
}

fn for_people(status: &KeyStatus) -> String {
    match status.place {
        KeyPlace::Keychain => format!("{}: the key is in the keychain\n", status.provider),
        KeyPlace::Session => format!("{}: the key is kept for this session\n", status.provider),
        KeyPlace::None => format!("{}: no key\n", status.provider),
    }
}
