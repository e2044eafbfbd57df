//! Other programs that edit workbooks, run beside the engine: openpyxl in a virtual environment, umya-spreadsheet in a crate of its own.
//!
//! Both are made below the build folder from pinned versions, so that the workspace depends on neither. One that cannot be made is said
//! so in its row.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

const OPENPYXL: &str = "openpyxl==3.1.5";
const UMYA_MANIFEST: &str = "[package]\nname = \"umya_peer\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\numya-spreadsheet = \"=3.1.1\"\n\n[workspace]\n";

/// A program that takes `SOURCE TARGET set|insert`.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    program: PathBuf,
    first: Vec<PathBuf>,
}

/// What one run took: time on the processor and highest resident memory.
pub(crate) type Spent = (Duration, u64);

impl Peer {
    /// Runs it once.
    pub(crate) fn run(&self, source: &Path, target: &Path, what: &str) -> Result<Spent, String> {
        let mut command = Command::new(&self.program);
        command.args(&self.first).arg(source).arg(target).arg(what);
        let text = output(command)?;
        let mut fields = text.split_whitespace();
        let seconds = fields.next().and_then(|field| field.parse::<f64>().ok());
        let memory = fields.next().and_then(|field| field.parse::<u64>().ok());
        match (seconds, memory) {
            (Some(seconds), Some(kibibytes)) => Ok((Duration::from_secs_f64(seconds), kibibytes << 10)),
            _ => Err(format!("it said “{}”", text.trim())),
        }
    }
}

fn output(mut command: Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(error.trim().lines().last().unwrap_or("it failed without a word").to_owned())
}

/// The build folder's place for such programs.
pub(crate) fn folder() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let build = program.parent().and_then(Path::parent).ok_or("there is no build folder")?;
    let folder = build.join("bench-peers");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    Ok(folder)
}

/// openpyxl in a virtual environment of its own.
pub(crate) fn openpyxl() -> Result<Peer, String> {
    let folder = folder()?;
    let python = folder.join("venv/bin/python");
    if !python.exists() {
        let mut make = Command::new("python3");
        make.args(["-m", "venv"]).arg(folder.join("venv"));
        output(make)?;
    }
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", OPENPYXL]);
    output(install)?;
    let script = folder.join("openpyxl_peer.py");
    fs::write(&script, include_str!("peers/openpyxl_peer.py")).map_err(|error| error.to_string())?;
    Ok(Peer { name: "openpyxl 3.1.5", program: python, first: vec![script] })
}

/// umya-spreadsheet, built by cargo.
pub(crate) fn umya() -> Result<Peer, String> {
    let folder = folder()?.join("umya");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        path.parent().map(fs::create_dir_all);
        fs::write(path, text).map_err(|error| error.to_string())
    };
    write("Cargo.toml", UMYA_MANIFEST)?;
    write("src/main.rs", include_str!("peers/umya_peer.rs"))?;
    let mut build = Command::new("cargo");
    build.args(["build", "--release", "--quiet", "--target-dir"]).arg(folder.join("target"));
    build.current_dir(&folder);
    output(build)?;
    let program = folder.join("target/release/umya_peer");
    Ok(Peer { name: "umya-spreadsheet 3.1.1", program, first: Vec::new() })
}
