//! The file that keeps rows as they come, so that a run that was interrupted goes on where it stopped.
//!
//! Its first line says for which model and which settings the rows are; rows of another run are never mixed in.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::report::EvalRow;
use crate::api::{AppError, error::ErrorCode};

/// What a run depends on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunKey {
    pub model: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub protocol: Option<String>,
    /// Digest of the cases.
    pub cases: String,
}

/// An open progress file with the rows of earlier runs.
pub(super) struct Progress {
    path: PathBuf,
    pub(super) known: Vec<EvalRow>,
}

impl Progress {
    /// Opens or begins the file. What a crash cut off in the middle of a line is dropped, and its case runs again.
    pub(super) fn open(path: &Path, key: &RunKey) -> Result<Progress, AppError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(told(path, "read", &error)),
        };
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut lines = whole.lines();
        match lines.next() {
            None => {
                let head = serde_json::to_string(key).map_err(internal)?;
                fs::write(path, head + "\n").map_err(|error| told(path, "written", &error))?;
            }
            Some(head) => {
                let earlier: Option<RunKey> = serde_json::from_str(head).ok();
                if earlier.as_ref() != Some(key) {
                    let message = format!("{} keeps the rows of another run.", path.display());
                    let hint = "Name another file, or run with the same model, seed, temperature and cases.";
                    return Err(AppError::invalid_arguments(message).hint(hint));
                }
                if whole.len() < text.len() {
                    fs::write(path, whole).map_err(|error| told(path, "written", &error))?;
                }
            }
        }
        let known = lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(Progress { path: path.to_path_buf(), known })
    }

    /// Keeps a row.
    pub(super) fn note(&self, row: &EvalRow) -> Result<(), AppError> {
        let line = serde_json::to_string(row).map_err(internal)?;
        let opened = fs::OpenOptions::new().append(true).open(&self.path);
        let written = opened.and_then(|mut file| file.write_all((line + "\n").as_bytes()));
        written.map_err(|error| told(&self.path, "written", &error))
    }
}

fn told(path: &Path, what: &str, error: &io::Error) -> AppError {
    AppError::new(ErrorCode::IoError, format!("{} cannot be {what}: {error}.", path.display()))
}

fn internal(error: serde_json::Error) -> AppError {
    AppError::new(ErrorCode::Internal, error.to_string())
}
