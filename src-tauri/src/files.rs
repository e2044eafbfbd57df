//! How paths come in: dialogs, drops, the command line, a second start, recent files, the samples. And nothing else.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use assistant::{
    api::{
        AppError, Request, Response,
        answers::DocumentInfo,
        error::ErrorCode,
        params::{DocumentPath, NoParams, Relink},
    },
    settings::Language,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tauri::{AppHandle, DragDropEvent};
use tauri_plugin_dialog::{DialogExt, FileDialogBuilder};
use tokio::sync::oneshot;

use crate::shell::Shell;

/// What became of several paths.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Opened {
    pub(crate) opened: Vec<DocumentInfo>,
    pub(crate) failed: Vec<Failed>,
}

/// A path that could not be opened, and why.
#[derive(Debug, Serialize)]
pub(crate) struct Failed {
    name: String,
    error: AppError,
}

#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct RecentFile {
    path: String,
    name: String,
    folder: String,
}

/// A sample's name and content.
type Sample = (&'static str, &'static [u8]);

/// The samples travel inside the binary, so that the first minute needs nothing else.
const ENGLISH_SAMPLES: [Sample; 4] = [
    ("Welcome.md", include_bytes!("../../samples/Welcome.md")),
    ("Budget.xlsx", include_bytes!("../../samples/Budget.xlsx")),
    ("Kickoff.pptx", include_bytes!("../../samples/Kickoff.pptx")),
    ("Agreement.docx", include_bytes!("../../samples/Agreement.docx")),
];
const CHINESE_SAMPLES: [Sample; 4] = [
    ("欢迎.md", include_bytes!("../../samples/zh/欢迎.md")),
    ("预算.xlsx", include_bytes!("../../samples/zh/预算.xlsx")),
    ("启动会.pptx", include_bytes!("../../samples/zh/启动会.pptx")),
    ("协议.docx", include_bytes!("../../samples/zh/协议.docx")),
];

/// The language of the page, for what the shell itself brings along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PageLanguage {
    En,
    Zh,
}

const DOCUMENTS: [&str; 24] = [
    "docx", "docm", "dotx", "dotm", "xlsx", "xlsm", "xltx", "xltm", "pptx", "pptm", "potx", "ppsx", "md",
    "markdown", "txt", "csv", "tsv", "json", "yaml", "yml", "toml", "xml", "html", "tex",
];

/// What the page needs to draw itself for the first time: the open documents, those of the command line, at the very first start
/// the samples.
pub(crate) async fn begin(shell: &Arc<Shell>, language: PageLanguage) -> Result<Value, AppError> {
    let waiting = shell.take_arguments();
    let mut came = open_all(shell, waiting).await;
    let mut documents = list(shell).await?;
    // What was asked for just now stands in front.
    let mut front = came.opened.last().map(|document| document.file_id.clone());
    let first_start = !shell.memory.now().samples_shown;
    if first_start && documents.is_empty() && came.failed.is_empty() {
        let samples = open_samples(shell, language).await?;
        front = samples.opened.first().map(|document| document.file_id.clone());
        came.failed.extend(samples.failed);
        documents = list(shell).await?;
    }
    shell.memory.change(|remembered| remembered.samples_shown = true);
    Ok(json!({
        "documents": documents, "failed": came.failed, "front": front, "platform": std::env::consts::OS,
        "first_start": first_start, "cli": command_line_tool(),
    }))
}

/// Where the command line tool lies, when it came with the app.
fn command_line_tool() -> Option<PathBuf> {
    let beside =
        std::env::current_exe().ok()?.with_file_name(format!("stet{}", std::env::consts::EXE_SUFFIX));
    beside.is_file().then_some(beside)
}

/// Asks the person for documents.
pub(crate) async fn open_dialog(app: &AppHandle, shell: &Arc<Shell>) -> Opened {
    let dialog = app.dialog().file().add_filter("Documents", &DOCUMENTS).add_filter("*", &["*"]);
    let (answer, chosen) = oneshot::channel();
    started_in_last_folder(dialog, shell).pick_files(move |paths| drop(answer.send(paths)));
    let paths = chosen.await.ok().flatten().unwrap_or_default();
    open_all(shell, paths.into_iter().filter_map(|path| path.into_path().ok()).collect()).await
}

/// Asks where a missing document is now; null when the person changed their mind.
pub(crate) async fn relink_dialog(
    app: &AppHandle,
    shell: &Arc<Shell>,
    file_id: String,
) -> Result<Value, AppError> {
    let (answer, chosen) = oneshot::channel();
    started_in_last_folder(app.dialog().file(), shell).pick_file(move |path| drop(answer.send(path)));
    let Some(path) = chosen.await.ok().flatten().and_then(|path| path.into_path().ok()) else {
        return Ok(Value::Null);
    };
    let request = Request::DocumentsRelink(Relink { file_id, path: path.to_string_lossy().into_owned() });
    let found = shell.app.call(request).await?;
    shell.memory.used(&path);
    serde_json::to_value(found).map_err(|error| AppError::new(ErrorCode::Internal, error.to_string()))
}

/// Opens the paths one after the other; one that fails does not stop the others.
pub(crate) async fn open_all(shell: &Arc<Shell>, paths: Vec<PathBuf>) -> Opened {
    let mut all = Opened::default();
    for path in paths {
        match open_one(shell, &path).await {
            Ok(document) => {
                shell.memory.used(Path::new(&document.path));
                all.opened.push(document);
            }
            Err(error) => all.failed.push(Failed { name: name_of(&path), error }),
        }
    }
    all
}

/// Opens files that came from outside the page, and tells the page.
pub(crate) async fn open_and_tell(shell: Arc<Shell>, paths: Vec<PathBuf>) {
    let opened = open_all(&shell, paths).await;
    if let Ok(params) = serde_json::to_value(&opened) {
        shell.tell("shell.opened", params);
    }
}

/// Follows a drag over the window; what is dropped is opened.
pub(crate) fn dragged(shell: &Arc<Shell>, event: &DragDropEvent) {
    match event {
        DragDropEvent::Enter { .. } => shell.tell("shell.drag", json!({ "over": true })),
        DragDropEvent::Leave => shell.tell("shell.drag", json!({ "over": false })),
        DragDropEvent::Drop { paths, .. } => {
            shell.tell("shell.drag", json!({ "over": false }));
            tauri::async_runtime::spawn(open_and_tell(Arc::clone(shell), paths.clone()));
        }
        _ => {}
    }
}

/// The recent files that are still there.
pub(crate) fn recent(shell: &Shell) -> Vec<RecentFile> {
    let there = shell.memory.now().recent.into_iter().filter(|path| path.is_file());
    let told = |path: PathBuf| RecentFile {
        name: name_of(&path),
        folder: path.parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default(),
        path: path.to_string_lossy().into_owned(),
    };
    there.map(told).collect()
}

/// Opens a recent file; the page may name it because the shell told it to the page.
pub(crate) async fn open_recent(shell: &Arc<Shell>, path: String) -> Result<Opened, AppError> {
    let path = PathBuf::from(path);
    if !shell.memory.now().recent.contains(&path) {
        return Err(AppError::new(ErrorCode::PathNotAllowed, "This is not a recent file."));
    }
    Ok(open_all(shell, vec![path]).await)
}

/// Puts the samples into Stet home, where they may be edited freely, and opens them; samples that are there stay as they are.
pub(crate) async fn open_samples(shell: &Arc<Shell>, language: PageLanguage) -> Result<Opened, AppError> {
    let samples = match chosen_language(shell).unwrap_or(language) {
        PageLanguage::En => ENGLISH_SAMPLES,
        PageLanguage::Zh => CHINESE_SAMPLES,
    };
    let folder = shell.home.join("samples");
    let disk =
        |error: std::io::Error| AppError::new(ErrorCode::IoError, format!("{}: {error}", folder.display()));
    fs::create_dir_all(&folder).map_err(disk)?;
    let mut paths = Vec::new();
    for (name, content) in samples {
        let path = folder.join(name);
        if !path.exists() {
            fs::write(&path, content).map_err(disk)?;
        }
        paths.push(path);
    }
    let opened = open_all(shell, paths).await;
    // They are not the person's own files, so they do not belong among the recent ones.
    shell.memory.change(|remembered| remembered.recent.retain(|path| !path.starts_with(&folder)));
    Ok(opened)
}

/// The language that the person chose, unless it follows the system.
fn chosen_language(shell: &Shell) -> Option<PageLanguage> {
    match shell.app.settings_get().ok()?.language {
        Language::System => None,
        Language::En => Some(PageLanguage::En),
        Language::Zh => Some(PageLanguage::Zh),
    }
}

/// The folder of an open document.
pub(crate) async fn folder_of(shell: &Arc<Shell>, file_id: &str) -> Result<PathBuf, AppError> {
    let known = list(shell).await?.into_iter().find(|document| document.file_id == file_id);
    let folder = known.and_then(|document| Path::new(&document.path).parent().map(Path::to_path_buf));
    folder.ok_or_else(|| AppError::new(ErrorCode::FileNotOpen, "The document is not open."))
}

/// Arguments that are files, made absolute against the folder of the start.
pub(crate) fn of_arguments(arguments: impl Iterator<Item = String>, folder: &Path) -> Vec<PathBuf> {
    arguments.filter(|argument| !argument.starts_with('-')).map(|argument| folder.join(argument)).collect()
}

async fn list(shell: &Arc<Shell>) -> Result<Vec<DocumentInfo>, AppError> {
    match shell.app.call(Request::DocumentsList(NoParams {})).await? {
        Response::DocumentsList(documents) => Ok(documents),
        _ => Ok(Vec::new()),
    }
}

async fn open_one(shell: &Arc<Shell>, path: &Path) -> Result<DocumentInfo, AppError> {
    let Some(text) = path.to_str() else {
        return Err(AppError::new(ErrorCode::PathNotAllowed, "The file's name is not valid Unicode."));
    };
    match shell.app.call(Request::DocumentsOpen(DocumentPath { path: text.to_owned() })).await? {
        Response::DocumentsOpen(document) => Ok(document),
        _ => Err(AppError::new(ErrorCode::Internal, "Opening gave no document.")),
    }
}

fn started_in_last_folder(
    dialog: FileDialogBuilder<tauri::Wry>,
    shell: &Shell,
) -> FileDialogBuilder<tauri::Wry> {
    let last = shell.memory.now().recent.first().and_then(|path| path.parent().map(Path::to_path_buf));
    match last {
        Some(folder) => dialog.set_directory(folder),
        None => dialog,
    }
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| path.to_string_lossy().into_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_files_of_the_starting_folder() {
        let given = ["a b.md", "--flag", "/x/y.docx"].map(str::to_owned);
        let found = of_arguments(given.into_iter(), Path::new("/home/me"));
        assert_eq!(found, [PathBuf::from("/home/me/a b.md"), PathBuf::from("/x/y.docx")]);
    }
}
