//! `cargo xtask bench`: every subject of the benches, one after the other; with `--check` a missed bound is an error.

use crate::run::{Outcome, cargo, finish};

/// Runs the named subjects, or all of them.
pub(crate) fn bench(arguments: &[String]) -> Outcome {
    let command = ["run", "--release", "--quiet", "--package", "stet-tests", "--bin", "bench", "--"];
    let named = arguments.iter().any(|word| !word.starts_with("--"));
    // Subjects that start the command line need it built the same way.
    finish(cargo().args(["build", "--release", "--quiet", "--package", "stet-cli"]))?;
    finish(cargo().args(command).args(arguments).args((!named).then_some("all")))
}
