//! One command's connection to Stet home: the app, the cancel switch and the file it is about.

use std::{
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use assistant::{
    App, AppError, AppOptions, Request, Response,
    api::{answers::DocumentInfo, error::ErrorCode},
    workspace::Stop,
};
use serde_json::Value;

use crate::{arguments::ExpectedRev, output};

pub(crate) struct Session {
    pub(crate) app: Arc<App>,
    pub(crate) stop: Stop,
}

impl Session {
    /// Opens Stet home.
    pub(crate) fn open(stop: Stop) -> Result<Session, AppError> {
        let unknown =
            || AppError::new(ErrorCode::IoError, "There is no place for Stet's data.").hint("Set STET_HOME.");
        let app = App::open(AppOptions::from_environment().ok_or_else(unknown)?)?;
        Ok(Session { app, stop })
    }

    /// Makes the named file known. It is not listed as open in the desktop app.
    pub(crate) async fn file(&self, path: &Path) -> Result<DocumentInfo, AppError> {
        let (app, stop, path) = (Arc::clone(&self.app), self.stop.clone(), only_file(path)?);
        let registered = tokio::task::spawn_blocking(move || app.documents_register(&path, &stop)).await;
        registered.unwrap_or_else(|error| Err(AppError::new(ErrorCode::Internal, error.to_string())))
    }

    /// Waits for Ctrl-C.
    pub(crate) async fn cancelled(&self) {
        cancelled(&self.stop).await;
    }

    pub(crate) async fn call(&self, request: Request) -> Result<Response, AppError> {
        self.app.call_with(request, &self.stop).await
    }
}

/// Whatever the command was, what Stet noticed about its own data is said: a damaged store, a damaged copy.
impl Drop for Session {
    fn drop(&mut self) {
        for notice in self.app.status().notices {
            output::message(&format!("stet: {}", notice.message));
        }
    }
}

/// The revision to send along: a number, or the one just seen.
pub(crate) fn expected(given: Option<ExpectedRev>, file: &DocumentInfo) -> Option<u64> {
    given.map(|given| match given {
        ExpectedRev::Number(number) => number,
        ExpectedRev::Current => file.content_rev,
    })
}

/// A batch from `--ops`: the `ops` array, or an object with `ops` and the batch's options.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpsFile {
    pub(crate) ops: Vec<Value>,
    pub(crate) file_id: Option<String>,
    pub(crate) expected_content_rev: Option<u64>,
    pub(crate) override_protection: Option<bool>,
    pub(crate) track_changes: Option<bool>,
}

/// Reads `--ops`; `-` is standard input.
pub(crate) async fn read_ops(path: &Path, file: &DocumentInfo, stop: &Stop) -> Result<OpsFile, AppError> {
    let bytes = read_source(path, stop).await?;
    let invalid = |error: serde_json::Error| {
        AppError::invalid_arguments(format!("{} is not a batch of operations: {error}.", told(path)))
    };
    // Editors and shells of Windows put a byte order mark in front; RFC 8259 section 8.1 lets a reader pass over it.
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    let value: Value = serde_json::from_slice(text).map_err(invalid)?;
    let batch = match value {
        Value::Array(ops) => OpsFile { ops, ..OpsFile::default() },
        other => serde_json::from_value(other).map_err(invalid)?,
    };
    match &batch.file_id {
        Some(file_id) if *file_id != file.file_id => {
            let message = format!("The batch is for {file_id}, but {} is {}.", file.path, file.file_id);
            Err(AppError::invalid_arguments(message))
        }
        _ => Ok(batch),
    }
}

/// A source by its name, for sentences.
pub(crate) fn told(path: &Path) -> String {
    if path == Path::new("-") { "Standard input".into() } else { path.display().to_string() }
}

/// Reads a file named on the command line; `-` is standard input, which Ctrl-C may interrupt.
pub(crate) async fn read_source(path: &Path, stop: &Stop) -> Result<Vec<u8>, AppError> {
    let failed = |error: std::io::Error| {
        AppError::new(ErrorCode::IoError, format!("Cannot read {}: {error}.", path.display()))
    };
    if path != Path::new("-") {
        return std::fs::read(path).map_err(failed);
    }
    let read = |bytes: &mut Vec<u8>| std::io::stdin().lock().read_to_end(bytes);
    from_terminal(stop, move || {
        let mut bytes = Vec::new();
        read(&mut bytes).map(|_| bytes)
    })
    .await?
    .map_err(failed)
}

/// Something that waits for a person or another program, unless Ctrl-C comes first.
pub(crate) async fn from_terminal<T: Send + 'static>(
    stop: &Stop,
    wait: impl FnOnce() -> T + Send + 'static,
) -> Result<T, AppError> {
    let internal = |error: tokio::task::JoinError| {
        AppError::new(ErrorCode::Internal, format!("Reading failed: {error}."))
    };
    tokio::select! {
        done = tokio::task::spawn_blocking(wait) => done.map_err(internal),
        () = cancelled(stop) => Err(AppError::new(ErrorCode::Cancelled, "Cancelled. Nothing was written.")),
    }
}

/// Waits for Ctrl-C.
pub(crate) async fn cancelled(stop: &Stop) {
    while !stop.is_set() {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

/// A path as JSON can carry it.
pub(crate) fn path_text(path: &Path) -> Result<String, AppError> {
    let refuse = || {
        AppError::new(
            ErrorCode::PathNotAllowed,
            format!("{} has a name that is not Unicode.", path.display()),
        )
    };
    path.to_str().map(str::to_owned).ok_or_else(refuse)
}

/// Files named on the command line; a pattern that the shell did not expand is expanded here (Windows shells do not).
pub(crate) fn expand(names: &[String]) -> Result<Vec<PathBuf>, AppError> {
    let mut paths = Vec::new();
    for name in names {
        let is_pattern = name.contains(['*', '?']) && !Path::new(name).exists();
        if !is_pattern {
            paths.push(PathBuf::from(name));
            continue;
        }
        let invalid = |error: glob::PatternError| {
            AppError::invalid_arguments(format!("{name} is not a pattern: {error}."))
        };
        let found: Vec<PathBuf> = glob::glob(name).map_err(invalid)?.flatten().collect();
        if found.is_empty() {
            return Err(AppError::new(ErrorCode::IoError, format!("Nothing matches {name}.")));
        }
        paths.extend(found);
    }
    Ok(paths)
}

/// The file that a name or a pattern means, when it means one.
fn only_file(path: &Path) -> Result<PathBuf, AppError> {
    let Some(name) = path.to_str() else { return Ok(path.to_path_buf()) };
    let mut found = expand(&[name.to_owned()])?;
    match found.len() {
        1 => Ok(found.remove(0)),
        count => Err(AppError::invalid_arguments(format!("{name} matches {count} files; name one."))),
    }
}

/// The absolute form of a path, without asking the disk.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}
