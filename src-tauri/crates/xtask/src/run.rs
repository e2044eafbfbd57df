//! Running other programs: said before they start, never with a shell in between, and with an error that names them.

use std::{
    fmt,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Why a task stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The program is not there or cannot start.
    Start {
        program: String,
        why: std::io::Error,
    },
    /// The program ended with an error.
    Status {
        program: String,
        code: Option<i32>,
    },
    Disk {
        path: PathBuf,
        why: std::io::Error,
    },
    Usage(String),
    /// Something is missing that cannot be installed from here.
    Missing(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Start { program, why } => write!(out, "xtask: `{program}` cannot be started: {why}"),
            Failure::Status { program, code: Some(code) } => {
                write!(out, "xtask: `{program}` ended with {code}")
            }
            Failure::Status { program, code: None } => write!(out, "xtask: `{program}` was stopped"),
            Failure::Disk { path, why } => write!(out, "xtask: {}: {why}", path.display()),
            Failure::Usage(text) | Failure::Missing(text) => out.write_str(text),
        }
    }
}

pub(crate) type Outcome = Result<(), Failure>;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).map(Path::to_path_buf).unwrap_or_default()
}

/// The folder of everything built.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |named| root().join(named))
}

/// What signing needs. Build scripts and plugins of hundreds of packages run below cargo and npm, and none of them may read it.
pub(crate) const SECRETS: &[&str] = &[
    "APPLE_CERTIFICATE",
    "APPLE_CERTIFICATE_PASSWORD",
    "APPLE_SIGNING_IDENTITY",
    "APPLE_ID",
    "APPLE_PASSWORD",
    "APPLE_TEAM_ID",
    "WINDOWS_CERTIFICATE",
    "WINDOWS_CERTIFICATE_PASSWORD",
];

fn without_secrets(mut command: Command) -> Command {
    for name in SECRETS {
        command.env_remove(name);
    }
    command
}

/// The cargo that runs this task.
pub(crate) fn cargo() -> Command {
    let mut command =
        without_secrets(Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())));
    command.current_dir(root());
    command
}

/// A Node program of the page's folder; on Windows npm and npx are scripts that need their ending.
pub(crate) fn node(program: &str) -> Command {
    let name = if cfg!(windows) { format!("{program}.cmd") } else { program.to_owned() };
    let mut command = without_secrets(Command::new(name));
    command.current_dir(root().join("ui"));
    command
}

/// One line for the person, on standard error.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Runs a program to its end, its output going to ours.
pub(crate) fn finish(command: &mut Command) -> Outcome {
    let program = describe(command);
    say(&format!("$ {program}"));
    let status = command.status().map_err(|why| Failure::Start { program: program.clone(), why })?;
    if status.success() { Ok(()) } else { Err(Failure::Status { program, code: status.code() }) }
}

/// Runs a program like `finish`, and keeps those lines of its output that `wanted` picks.
pub(crate) fn finish_keeping(command: &mut Command, wanted: fn(&str) -> bool) -> (Vec<String>, Outcome) {
    let program = describe(command);
    say(&format!("$ {program}"));
    let mut child = match command.stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(why) => return (Vec::new(), Err(Failure::Start { program, why })),
    };
    let mut kept = Vec::new();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let _ = writeln!(std::io::stdout(), "{line}");
            if wanted(&line) {
                kept.push(line);
            }
        }
    }
    let outcome = match child.wait() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::Status { program, code: status.code() }),
        Err(why) => Err(Failure::Start { program, why }),
    };
    (kept, outcome)
}

/// Runs a program to its end and keeps its standard output in a file.
pub(crate) fn keep(command: &mut Command, file: &Path) -> Outcome {
    let program = describe(command);
    say(&format!("$ {program} > {}", file.display()));
    let disk = |why| Failure::Disk { path: file.to_path_buf(), why };
    let output = std::fs::File::create(file).map_err(disk)?;
    let status =
        command.stdout(output).status().map_err(|why| Failure::Start { program: program.clone(), why })?;
    if status.success() { Ok(()) } else { Err(Failure::Status { program, code: status.code() }) }
}

/// Whether a program runs at all.
pub(crate) fn works(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
