//! Readers of other makers that look at what we wrote: python-docx in a virtual environment below the build folder, LibreOffice.
//!
//! A reader that cannot be had here is an `Err` with the reason, which a test prints: it never counts as having agreed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

/// Runs a program; its standard output, or what it said last.
pub fn output(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(said.trim().lines().last().unwrap_or("it failed without a word").to_owned()),
    }
}

/// The build folder that this program runs from.
pub fn build_folder() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = program.ancestors().find(|folder| folder.join(".fingerprint").is_dir());
    folder.map(Path::to_path_buf).ok_or_else(|| "there is no build folder".into())
}

/// The interpreter of a virtual environment with the pinned packages of `tests/readers/requirements.txt`, or why there is none. It is
/// made once per list, in `target/readers`.
pub fn python() -> Result<PathBuf, String> {
    static MADE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    MADE.get_or_init(make_python).clone()
}

fn make_python() -> Result<PathBuf, String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let work = target.unwrap_or_else(|| crate::repository().join("target")).join("readers");
    let requirements = crate::repository().join("tests/readers/requirements.txt");
    let wanted = fs::read_to_string(&requirements).map_err(|error| error.to_string())?;
    let (venv, stamp) = (work.join("venv"), work.join("venv.stamp"));
    let interpreter = venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) && interpreter.exists() {
        return Ok(interpreter);
    }
    fs::create_dir_all(&work).map_err(|error| error.to_string())?;
    output(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "20", "-r"];
    output(Command::new(&interpreter).args(install).arg(&requirements))?;
    fs::write(&stamp, wanted).map_err(|error| error.to_string())?;
    Ok(interpreter)
}
