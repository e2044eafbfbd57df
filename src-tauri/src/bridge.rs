//! The one Tauri command, and the pump from the app's events to the page.
//!
//! A request is `{"command": "...", "params": {...}}`. Commands of the desktop begin with `shell.` and are answered here and in
//! `files`; all others go to `App::call` as they are. A page cannot name a path: `documents.open` and its like are refused, because
//! paths come only from a dialog, a drop, the command line or the list of recent files.

use std::sync::Arc;

use assistant::api::{AppError, Request, error::ErrorCode};
use serde::Deserialize;
use serde_json::{Value, json};
use tauri::{AppHandle, State, Theme, Webview, ipc::JavaScriptChannelId};
use tokio::sync::broadcast::error::RecvError;

use crate::{files, links, pictures, shell::Shell, window};

/// The desktop's own requests.
#[derive(Deserialize)]
#[serde(tag = "command", content = "params", deny_unknown_fields)]
enum ShellRequest {
    /// Listen on a channel; the answer says what the page needs to begin.
    #[serde(rename = "shell.begin")]
    Begin { channel: JavaScriptChannelId, language: files::PageLanguage },
    #[serde(rename = "shell.open_dialog")]
    OpenDialog {},
    #[serde(rename = "shell.relink_dialog")]
    RelinkDialog { file_id: String },
    #[serde(rename = "shell.recent")]
    Recent {},
    #[serde(rename = "shell.open_recent")]
    OpenRecent { path: String },
    #[serde(rename = "shell.forget_recent")]
    ForgetRecent {},
    #[serde(rename = "shell.open_samples")]
    OpenSamples { language: files::PageLanguage },
    #[serde(rename = "shell.open_link")]
    OpenLink { address: String },
    #[serde(rename = "shell.show_in_folder")]
    ShowInFolder { file_id: String },
    #[serde(rename = "shell.show_home")]
    ShowHome {},
    #[serde(rename = "shell.slide_picture")]
    SlidePicture(pictures::SlidePicture),
    #[serde(rename = "shell.theme")]
    Theme { theme: ThemeChoice },
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ThemeChoice {
    System,
    Light,
    Dark,
}

/// Requests that name a path; the page has none to name.
const NAMES_A_PATH: [&str; 4] =
    ["documents.open", "documents.relink", "documents.create", "documents.verify"];

/// Answers one request of the page.
#[tauri::command]
pub(crate) async fn call(
    request: Value,
    app: AppHandle,
    webview: Webview,
    shell: State<'_, Arc<Shell>>,
) -> Result<Value, AppError> {
    let command = request.get("command").and_then(Value::as_str).unwrap_or_default();
    if command.starts_with("shell.") {
        let request = serde_json::from_value(request)
            .map_err(|error| AppError::invalid_arguments(error.to_string()))?;
        return answer(request, &app, webview, &shell).await;
    }
    if NAMES_A_PATH.contains(&command) {
        let message = format!("The window may not send `{command}`: it names a path.");
        return Err(AppError::new(ErrorCode::PathNotAllowed, message));
    }
    let response = shell.app.call(Request::parse(request)?).await?;
    to_wire(&response)
}

/// Sends the app's events to the page, in their order, for as long as the app lives.
pub(crate) async fn pump(shell: Arc<Shell>) {
    let mut events = shell.app.events();
    loop {
        match events.recv().await {
            Ok(event) => shell.send(&event),
            // The page was too slow; it reads everything again.
            Err(RecvError::Lagged(missed)) => shell.tell("shell.missed", json!({ "missed": missed })),
            Err(RecvError::Closed) => return,
        }
    }
}

async fn answer(
    request: ShellRequest,
    app: &AppHandle,
    webview: Webview,
    shell: &Arc<Shell>,
) -> Result<Value, AppError> {
    match request {
        ShellRequest::Begin { channel, language } => {
            let begin = files::begin(shell, language).await?;
            shell.listen(channel.channel_on(webview));
            Ok(begin)
        }
        ShellRequest::OpenDialog {} => to_wire(&files::open_dialog(app, shell).await),
        ShellRequest::RelinkDialog { file_id } => files::relink_dialog(app, shell, file_id).await,
        ShellRequest::Recent {} => to_wire(&files::recent(shell)),
        ShellRequest::OpenRecent { path } => to_wire(&files::open_recent(shell, path).await?),
        ShellRequest::ForgetRecent {} => {
            shell.memory.change(|remembered| remembered.recent.clear());
            Ok(json!({}))
        }
        ShellRequest::OpenSamples { language } => to_wire(&files::open_samples(shell, language).await?),
        ShellRequest::OpenLink { address } => {
            let refused = || {
                AppError::new(ErrorCode::PathNotAllowed, "Only web and mail addresses are opened outside.")
            };
            let url = links::may_leave(&address).ok_or_else(refused)?;
            started(open::that_detached(url.as_str()))
        }
        ShellRequest::ShowInFolder { file_id } => {
            let folder = files::folder_of(shell, &file_id).await?;
            started(open::that_detached(folder))
        }
        ShellRequest::ShowHome {} => started(open::that_detached(&shell.home)),
        ShellRequest::SlidePicture(request) => pictures::draw(shell, request).await,
        ShellRequest::Theme { theme } => {
            let native = match theme {
                ThemeChoice::System => None,
                ThemeChoice::Light => Some(Theme::Light),
                ThemeChoice::Dark => Some(Theme::Dark),
            };
            window::set_theme(app, native)
                .map_err(|error| AppError::new(ErrorCode::Internal, error.to_string()))?;
            Ok(json!({}))
        }
    }
}

fn started(outcome: std::io::Result<()>) -> Result<Value, AppError> {
    outcome.map_err(|error| {
        AppError::new(ErrorCode::IoError, format!("The system could not open it: {error}"))
    })?;
    Ok(json!({}))
}

fn to_wire(answer: &impl serde::Serialize) -> Result<Value, AppError> {
    serde_json::to_value(answer).map_err(|error| AppError::new(ErrorCode::Internal, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_validated() {
        let read = |value: Value| serde_json::from_value::<ShellRequest>(value);
        assert!(read(json!({"command": "shell.recent", "params": {}})).is_ok());
        assert!(read(json!({"command": "shell.theme", "params": {"theme": "dark"}})).is_ok());
        for bad in [
            json!({"command": "shell.theme", "params": {"theme": "pink"}}),
            json!({"command": "shell.open_link", "params": {"address": "https://x", "more": 1}}),
            json!({"command": "shell.run", "params": {}}),
            json!({"command": "shell.open_samples", "params": {"language": "fr"}}),
            json!({"command": "shell.open_recent", "params": {"path": ["a"]}}),
            json!({"command": "shell.show_home", "params": {"path": "/etc"}}),
            json!({"command": "shell.slide_picture", "params": {"file_id": "f", "side": "current", "slide": -1, "width": 10}}),
        ] {
            assert!(read(bad.clone()).is_err(), "{bad}");
        }
    }
}
