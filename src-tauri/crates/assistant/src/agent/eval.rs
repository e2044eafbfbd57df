//! The fixed edit test set: what a model makes of the same wishes, with exact expected results.
//!
//! Each case runs on a home and a document of its own, through the same turn as in the app. Expected is the document that the listed
//! operations give, compared by everything an outline tells (a text byte by byte); no operations mean that nothing may change.

mod cases;
mod progress;
mod report;

use std::{collections::BTreeMap, fs, io, path::PathBuf, sync::Arc, time::Instant};

use documents::{ApplyContext, Edit, Format, Limits, OutlineRequest};
use serde_json::{Value, json};

pub use cases::{Case, CaseSet};
use progress::Progress;
pub use progress::RunKey;
pub use report::{EvalReport, EvalRow, EvalSum};

use super::{model::Model, turn::TurnReport};
use crate::{
    api::{
        App, AppError, AppOptions,
        error::ErrorCode,
        params::{DocumentPath, SettingsChange},
        turn_api::TurnStart,
    },
    secrets::Keychain,
    workspace::{EditMode, Stop},
};

/// Where and how to run.
#[derive(Default)]
pub struct EvalOptions {
    /// Rows already here are not run again; new ones are added as they come.
    pub progress: Option<PathBuf>,
    /// Leaves out the cases in free words.
    pub commands_only: bool,
    /// What the model was told, for the report and so that rows of different runs are kept apart.
    pub seed: Option<u64>,
    pub temperature: Option<f64>,
    /// A fixed protocol, or `ab` to deal the three out case by case; chosen by payload when absent.
    pub protocol: Option<String>,
    /// Ends the run before the next case.
    pub stop: Stop,
}

/// Runs the cases one after another; `on_row` hears of each.
pub async fn run(
    set: &CaseSet,
    model: Arc<dyn Model>,
    options: &EvalOptions,
    mut on_row: impl FnMut(&EvalRow),
) -> Result<EvalReport, AppError> {
    let name = model.card().id.clone();
    let key = RunKey {
        model: name.clone(),
        seed: options.seed,
        temperature: options.temperature,
        protocol: options.protocol.clone(),
        cases: digest(set)?,
    };
    let progress = options.progress.as_deref().map(|path| Progress::open(path, &key)).transpose()?;
    let (seed, temperature) = (options.seed, options.temperature);
    let mut report = EvalReport { ok: true, model: name, seed, temperature, ..EvalReport::default() };
    let wanted = set.cases.iter().filter(|case| !(options.commands_only && case.free));
    for (number, case) in wanted.enumerate() {
        let known =
            progress.as_ref().and_then(|progress| progress.known.iter().find(|row| row.id == case.id));
        let row = match known {
            Some(row) => row.clone(),
            None => {
                if options.stop.is_set() {
                    let message = format!("The run was stopped after {} cases.", report.total);
                    return Err(AppError::new(ErrorCode::Cancelled, message));
                }
                let protocol = dealt(options.protocol.as_deref(), number);
                let row = run_case(case, set, Arc::clone(&model), protocol).await?;
                if let Some(progress) = &progress {
                    progress.note(&row)?;
                }
                row
            }
        };
        on_row(&row);
        report.add(row);
    }
    Ok(report)
}

/// The protocol of a case.
fn dealt(protocol: Option<&str>, number: usize) -> Option<&str> {
    match protocol {
        Some("ab") => Some(["function_call", "fence", "markdown_diff"][number % 3]),
        other => other,
    }
}

/// Tells sets of cases apart.
fn digest(set: &CaseSet) -> Result<String, AppError> {
    let mut digest = blake3::Hasher::new();
    let cases = serde_json::to_vec(&set.cases);
    digest.update(&cases.map_err(|error| AppError::new(ErrorCode::Internal, error.to_string()))?);
    for case in &set.cases {
        digest.update(&set.document(&case.document).unwrap_or_default());
    }
    Ok(digest.finalize().to_hex()[..16].to_string())
}

async fn run_case(
    case: &Case,
    set: &CaseSet,
    model: Arc<dyn Model>,
    protocol: Option<&str>,
) -> Result<EvalRow, AppError> {
    let started = Instant::now();
    let broken =
        |error: io::Error| AppError::new(ErrorCode::IoError, format!("The case has no room: {error}."));
    let home = Scratch::new(&case.id).map_err(broken)?;
    let app =
        App::open(AppOptions { keychain: Keychain::Absent, ..AppOptions::new(home.path.join("home")) })?;
    if let Some(protocol) = protocol {
        let changes = json!({ "protocol": protocol });
        app.settings_update(&SettingsChange { changes })?;
    }
    let document = home.path.join(&case.document);
    let original = set.document(&case.document).unwrap_or_default();
    fs::write(&document, &original).map_err(broken)?;
    let opened = app
        .documents_open(&DocumentPath { path: document.to_string_lossy().into_owned() }, &Stop::default())?;
    let turn = |words: &str| TurnStart {
        message: words.to_string(),
        file_ids: vec![opened.file_id.clone()],
        mode: Some(EditMode::Commit),
        ..TurnStart::default()
    };
    let mut before = original;
    if let Some(earlier) = &case.earlier {
        reached(&app.turn_with(&turn(earlier), Arc::clone(&model)).await?)?;
        before = applied(case.format, &before, &case.meanwhile)?;
        fs::write(&document, &before).map_err(broken)?;
    }
    let report = app.turn_with(&turn(&case.say), model).await?;
    reached(&report)?;
    let after = fs::read(&document).map_err(broken)?;
    let why = difference(case, &before, &after, &report)?;
    Ok(row(case, &app, &report, why, started))
}

/// An endpoint that nobody answers at says nothing of the model: the run ends there.
fn reached(report: &TurnReport) -> Result<(), AppError> {
    let unreachable =
        [gateway::ErrorCode::ConnectFailed, gateway::ErrorCode::TlsFailed].map(|code| code.as_str());
    match &report.message {
        Err(error) if error.cause.as_deref().is_some_and(|cause| unreachable.contains(&cause)) => {
            Err(error.clone())
        }
        _ => Ok(()),
    }
}

fn row(case: &Case, app: &App, report: &TurnReport, why: Option<String>, started: Instant) -> EvalRow {
    let (mut codes, mut carried) = (BTreeMap::new(), BTreeMap::new());
    for metrics in app.agent.metrics.rows().unwrap_or_default() {
        for (code, count) in metrics.failures {
            *codes.entry(code).or_default() += count;
        }
        if metrics.ok > 0 {
            *carried.entry(format!("{}/{}", metrics.protocol, metrics.size)).or_default() += metrics.ok;
        }
    }
    let counted = |name: &str| report.usage[name].as_u64().unwrap_or(0);
    EvalRow {
        id: case.id.clone(),
        language: case.language.clone(),
        kind: case.kind.clone(),
        format: case.format,
        passed: why.is_none(),
        why,
        codes,
        carried,
        tokens: counted("prompt_tokens") + counted("completion_tokens"),
        steps: counted("steps"),
        milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

/// Why the result is not the expected one, or a change that no receipt shows.
fn difference(
    case: &Case,
    before: &[u8],
    after: &[u8],
    report: &TurnReport,
) -> Result<Option<String>, AppError> {
    let committed = report.receipts.iter().any(|receipt| receipt.content_rev > receipt.previous_rev);
    if before != after && !committed {
        return Ok(Some("the file changed and no receipt shows it".into()));
    }
    if let Err(error) = &report.message
        && before == after
    {
        return Ok(Some(format!("the turn failed: {}", error.message)));
    }
    let expected =
        if case.expect.is_empty() { before.to_vec() } else { applied(case.format, before, &case.expect)? };
    if expected == after {
        return Ok(None);
    }
    if case.format == Format::Text || case.expect.is_empty() {
        return Ok(Some("the document is not as expected".into()));
    }
    let (wanted, found) = (told(case.format, &expected)?, told(case.format, after)?);
    let first = wanted.iter().zip(&found).position(|(a, b)| a != b).unwrap_or(wanted.len().min(found.len()));
    Ok((wanted != found)
        .then(|| format!("not as expected at {}", found.get(first).unwrap_or(&Value::Null)["at"])))
}

fn told(format: Format, bytes: &[u8]) -> Result<Vec<Value>, AppError> {
    let request = OutlineRequest { range: None, budget: 16 << 20 };
    let outline = documents::outline(format, bytes, &request, &Limits::default(), &|| false)?;
    Ok(outline.nodes.iter().map(|node| json!(node)).collect())
}

fn applied(format: Format, bytes: &[u8], ops: &[Value]) -> Result<Vec<u8>, AppError> {
    let ops: Result<Vec<Edit>, _> = ops.iter().cloned().map(serde_json::from_value).collect();
    let ops = ops.map_err(|error| {
        AppError::invalid_arguments(format!("A case's operation cannot be read: {error}."))
    })?;
    let ctx = ApplyContext {
        author: "Stet",
        now: "2026-01-01T00:00:00Z",
        override_protection: false,
        track_changes: None,
        limits: Limits::default(),
        cancel: &|| false,
    };
    Ok(documents::apply(format, bytes, &ops, &ctx)?.bytes)
}

/// A folder that goes when the case is done.
struct Scratch {
    path: PathBuf,
}

impl Scratch {
    fn new(name: &str) -> io::Result<Scratch> {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("stet-eval-{}-{number}-{name}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Scratch { path })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed lies in the system's folder for such things.
        let _ = fs::remove_dir_all(&self.path);
    }
}
