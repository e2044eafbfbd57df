//! `cargo xtask app`: from a fresh clone to the open window.

use std::{path::PathBuf, process::Command};

use crate::{
    page,
    run::{Outcome, cargo, finish, target},
    setup,
};

/// Installs, builds and opens the window; words that are not options are files to open.
pub(crate) fn app(arguments: &[String]) -> Outcome {
    let (options, files): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|word| word.starts_with("--"));
    let release = options.iter().any(|option| *option == "--release");
    setup::to_build()?;
    page::build()?;
    let binary = build(release)?;
    finish(Command::new(binary).args(files))
}

/// Builds the shell around the page that lies in `ui/dist`.
pub(crate) fn build(release: bool) -> Result<PathBuf, crate::run::Failure> {
    let profile = if release { "release" } else { "debug" };
    finish(cargo().args(["build", "--package", "stet-desktop"]).args(release.then_some("--release")))?;
    Ok(target().join(profile).join(format!("stet-desktop{}", std::env::consts::EXE_SUFFIX)))
}
