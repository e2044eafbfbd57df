//! What a script pays for each command: the whole process of `stet outline` and `stet apply` on a small file against `stet --version`.
//!
//! The runs are interleaved, so that whatever else the machine does weighs on all three. `apply` writes: a snapshot, an atomic
//! replacement and two flushes are in it.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const ROUNDS: usize = 41;

/// Measures and gives the table.
#[allow(clippy::unwrap_used)] // A bench that cannot run the binary has nothing to measure.
pub fn start() -> String {
    let folder = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
    let stet = binary();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&stet);
        command.args(arguments).current_dir(folder.path()).env("STET_HOME", folder.path().join("home"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
        let began = Instant::now();
        assert!(command.status().unwrap().success(), "{arguments:?}");
        began.elapsed()
    };
    fs::write(folder.path().join("notes.md"), "# Notes\n\nalpha\n\nbeta\n").unwrap();
    for (ops, from, to) in [("there.json", "alpha", "gamma"), ("back.json", "gamma", "alpha")] {
        let op = format!(r#"[{{"op":"replace_text","find":"{from}","replace":"{to}"}}]"#);
        fs::write(folder.path().join(ops), op).unwrap();
    }
    let apply = |ops: &str| run(&["apply", "notes.md", "--ops", ops, "--expected-rev", "current", "--json"]);
    apply("there.json");
    apply("back.json");
    let (mut version, mut outline, mut applied) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        version.push(run(&["--version"]));
        outline.push(run(&["outline", "notes.md", "--json"]));
        version.push(run(&["--version"]));
        applied.push(apply(if round % 2 == 0 { "there.json" } else { "back.json" }));
    }
    let (floor, outline, applied) = (median(version), median(outline), median(applied));
    for (what, time) in [("stet outline", outline), ("stet apply", applied)] {
        let ratio = time.as_secs_f64() / floor.as_secs_f64();
        super::bound(format!("start: {what} on a small file against stet --version"), ratio, 3.0);
    }
    let row = |what: &str, time: Duration| {
        format!(
            "| {what} | {:.2} | {:.2} |\n",
            time.as_secs_f64() * 1e3,
            time.as_secs_f64() / floor.as_secs_f64()
        )
    };
    format!(
        "Process time from start to end on a file of 30 bytes, medians of {ROUNDS} interleaved runs (the floor: {}).\n\n\
         | what | ms | × floor |\n|---|---|---|\n{}{}{}",
        2 * ROUNDS,
        row("floor: `stet --version`", floor),
        row("`stet outline`", outline),
        row("`stet apply` (written, with its snapshot)", applied),
    )
}

/// The command line of this build, beside the bench itself; built if it is not there.
#[allow(clippy::unwrap_used)]
fn binary() -> std::path::PathBuf {
    let bench = std::env::current_exe().unwrap();
    let folder = bench.parent().unwrap();
    let is_release = folder.ends_with(Path::new("release"));
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--package", "stet-cli"]).args(is_release.then_some("--release"));
    assert!(build.current_dir(crate::repository()).status().unwrap().success());
    folder.join(format!("stet{}", std::env::consts::EXE_SUFFIX))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
