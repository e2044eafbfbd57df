//! The fixed edit test set: what a model makes of the same wishes, with exact expected results.
//!
//! Each case runs on a home and a document of its own, through the same turn as in the app. Expected is the document that the listed
//! operations give, compared by everything an outline tells (a text byte by byte); no operations mean that nothing may change.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use documents::{ApplyContext, Edit, Format, Limits, OutlineRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{model::Model, turn::TurnReport};
use crate::{
    api::{App, AppError, AppOptions, error::ErrorCode, params::DocumentPath, turn_api::TurnStart},
    secrets::Keychain,
    workspace::{EditMode, Stop},
};

/// One case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub id: String,
    pub language: String,
    /// `short`, `long`, `structural`, `multi`, `ambiguous`, `stale`, `hostile`.
    pub kind: String,
    pub format: Format,
    pub document: String,
    pub say: String,
    /// Said in a turn before, on the first revision.
    #[serde(default)]
    pub earlier: Option<String>,
    /// What another program does to the document after that.
    #[serde(default)]
    pub meanwhile: Vec<Value>,
    /// In free words, which the built-in model need not understand.
    #[serde(default)]
    pub free: bool,
    pub expect: Vec<Value>,
}

/// The cases with their documents.
#[derive(Debug, Clone, Default)]
pub struct CaseSet {
    pub cases: Vec<Case>,
    documents: BTreeMap<String, Vec<u8>>,
}

#[derive(Deserialize)]
struct CaseFile {
    cases: Vec<Case>,
}

/// Where and how to run.
#[derive(Default)]
pub struct EvalOptions {
    /// Rows already here are not run again; new ones are added as they come.
    pub progress: Option<PathBuf>,
    /// Leaves out the cases in free words.
    pub commands_only: bool,
}

/// What came of one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalRow {
    pub id: String,
    pub language: String,
    pub kind: String,
    pub format: Format,
    pub passed: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
    /// Refusals on the way, by code.
    pub codes: BTreeMap<String, u64>,
    /// How edits travelled: `protocol/size`.
    pub carried: BTreeMap<String, u64>,
    pub tokens: u64,
    pub steps: u64,
    pub milliseconds: u64,
}

/// All rows with their sums.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EvalReport {
    pub ok: bool,
    pub model: String,
    pub passed: usize,
    pub total: usize,
    pub rows: Vec<EvalRow>,
}

macro_rules! built_in {
    ($name:literal) => {
        (
            $name.to_string(),
            include_bytes!(concat!("../../../../../tests/cases/eval/documents/", $name)).to_vec(),
        )
    };
}

impl CaseSet {
    /// The set that Stet carries.
    pub fn built_in() -> Result<CaseSet, AppError> {
        let text = include_str!("../../../../../tests/cases/eval/cases.json");
        let documents = BTreeMap::from([
            built_in!("report.md"),
            built_in!("hostile.md"),
            built_in!("budget.xlsx"),
            built_in!("deck.pptx"),
            built_in!("letter.docx"),
        ]);
        Ok(CaseSet { cases: parse(text)?, documents })
    }

    /// The bytes of a document of the set.
    pub fn document(&self, name: &str) -> Option<Vec<u8>> {
        self.documents.get(name).cloned()
    }

    /// A set in a folder: `cases.json` and `documents/`.
    pub fn load(folder: &Path) -> Result<CaseSet, AppError> {
        let told = |path: &Path, error: &io::Error| {
            AppError::new(ErrorCode::IoError, format!("{} cannot be read: {error}.", path.display()))
        };
        let path = folder.join("cases.json");
        let cases = parse(&fs::read_to_string(&path).map_err(|error| told(&path, &error))?)?;
        let mut documents = BTreeMap::new();
        for case in &cases {
            let path = folder.join("documents").join(&case.document);
            documents.insert(case.document.clone(), fs::read(&path).map_err(|error| told(&path, &error))?);
        }
        Ok(CaseSet { cases, documents })
    }
}

fn parse(text: &str) -> Result<Vec<Case>, AppError> {
    let file: CaseFile = serde_json::from_str(text)
        .map_err(|error| AppError::invalid_arguments(format!("The cases cannot be read: {error}.")))?;
    Ok(file.cases)
}

/// Runs the cases one after another; `on_row` hears of each.
pub async fn run(
    set: &CaseSet,
    model: Arc<dyn Model>,
    options: &EvalOptions,
    mut on_row: impl FnMut(&EvalRow),
) -> Result<EvalReport, AppError> {
    let known = options.progress.as_deref().map_or(Ok(Vec::new()), earlier_rows)?;
    let mut report = EvalReport { ok: true, model: model.card().id.clone(), ..EvalReport::default() };
    for case in set.cases.iter().filter(|case| !(options.commands_only && case.free)) {
        let row = match known.iter().find(|row| row.id == case.id) {
            Some(row) => row.clone(),
            None => {
                let row = run_case(case, set, Arc::clone(&model)).await?;
                if let Some(path) = &options.progress {
                    note(path, &row)?;
                }
                row
            }
        };
        on_row(&row);
        report.passed += usize::from(row.passed);
        report.total += 1;
        report.rows.push(row);
    }
    Ok(report)
}

fn earlier_rows(path: &Path) -> Result<Vec<EvalRow>, AppError> {
    match fs::read_to_string(path) {
        // A line that a crash cut off is run again.
        Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => {
            Err(AppError::new(ErrorCode::IoError, format!("{} cannot be read: {error}.", path.display())))
        }
    }
}

fn note(path: &Path, row: &EvalRow) -> Result<(), AppError> {
    use io::Write;
    let line =
        serde_json::to_string(row).map_err(|error| AppError::new(ErrorCode::Internal, error.to_string()))?;
    let written = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .and_then(|mut file| writeln!(file, "{line}"));
    written.map_err(|error| {
        AppError::new(ErrorCode::IoError, format!("{} cannot be written: {error}.", path.display()))
    })
}

async fn run_case(case: &Case, set: &CaseSet, model: Arc<dyn Model>) -> Result<EvalRow, AppError> {
    let started = Instant::now();
    let broken =
        |error: io::Error| AppError::new(ErrorCode::IoError, format!("The case has no room: {error}."));
    let home = Scratch::new(&case.id).map_err(broken)?;
    let app =
        App::open(AppOptions { keychain: Keychain::Absent, ..AppOptions::new(home.path.join("home")) })?;
    let document = home.path.join(&case.document);
    let original = set.documents.get(&case.document).cloned().unwrap_or_default();
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
        app.turn_with(&turn(earlier), Arc::clone(&model)).await?;
        before = applied(case.format, &before, &case.meanwhile)?;
        fs::write(&document, &before).map_err(broken)?;
    }
    let report = app.turn_with(&turn(&case.say), model).await?;
    let after = fs::read(&document).map_err(broken)?;
    let why = difference(case, &before, &after, &report)?;
    Ok(row(case, &app, &report, why, started))
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

/// What rows are grouped by.
type KeyOf = fn(&EvalRow) -> String;

impl EvalReport {
    /// The sums as a table for people: by kind, format and language.
    pub fn table(&self) -> String {
        let mut lines = vec![format!("{}: {} of {} passed", self.model, self.passed, self.total)];
        let columns: [(&str, KeyOf); 4] = [
            ("kind", |row| row.kind.clone()),
            ("format", |row| row.format.as_str().to_string()),
            ("language", |row| row.language.clone()),
            ("protocol/size", |row| row.carried.keys().next().cloned().unwrap_or_else(|| "none".into())),
        ];
        for (name, key) in columns {
            let mut groups: BTreeMap<String, (usize, usize, u64, u64)> = BTreeMap::new();
            for row in &self.rows {
                let group = groups.entry(key(row)).or_default();
                group.0 += usize::from(row.passed);
                group.1 += 1;
                group.2 += row.tokens;
                group.3 += row.milliseconds;
            }
            lines.push(format!("{name:<28} passed   tokens       ms"));
            for (group, (passed, total, tokens, milliseconds)) in groups {
                lines.push(format!("  {group:<26} {passed:>2}/{total:<3} {tokens:>8} {milliseconds:>8}"));
            }
        }
        for row in self.rows.iter().filter(|row| !row.passed) {
            lines.push(format!("  {}: {}", row.id, row.why.as_deref().unwrap_or("failed")));
        }
        lines.join("\n")
    }
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
