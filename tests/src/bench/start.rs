//! What a script pays for each command: the whole process of `stet outline` and `stet apply` on a small file against `stet --version`.
//!
//! The runs are interleaved, so that whatever else the machine does weighs on all of them. What is promised is the process: files and home
//! lie in memory where the system has such a folder, since an `apply` waits for a dozen flushes of the disk, which cost what the disk
//! costs and which `commit` measures against their own floor. The last row is the same `apply` on the disk, flushes included.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const ROUNDS: usize = 41;
const BATCHES: [&str; 2] = ["there.json", "back.json"];

/// Measures and gives the table.
#[allow(clippy::unwrap_used)] // A bench that cannot run the binary has nothing to measure.
pub fn start() -> String {
    let stet = binary();
    let memory = Path::new("/dev/shm");
    let on_disk = Place::new(&stet, stet.parent().unwrap());
    let in_memory = Place::new(&stet, if memory.is_dir() { memory } else { stet.parent().unwrap() });
    let (mut version, mut outline, mut applied, mut flushed) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        version.push(in_memory.run(&["--version"]));
        outline.push(in_memory.run(&["outline", "notes.md", "--json"]));
        version.push(in_memory.run(&["--version"]));
        applied.push(in_memory.apply(round));
        flushed.push(on_disk.apply(round));
    }
    let (floor, outline) = (median(version), median(outline));
    let (applied, flushed) = (median(applied), median(flushed));
    let ratio = |time: Duration| time.as_secs_f64() / floor.as_secs_f64();
    super::bound("start: `stet outline` of a small file against `stet --version`", ratio(outline), 3.0);
    super::bound("start: `stet apply` to a small file against `stet --version`", ratio(applied), 3.0);
    let row = |what: &str, time: Duration| {
        format!("| {what} | {:.2} | {:.2} |\n", time.as_secs_f64() * 1e3, ratio(time))
    };
    format!(
        "Process from start to end on a file of 22 bytes, medians of {ROUNDS} interleaved runs (the floor: {}).\n\n\
         | what | ms | × floor |\n|---|---|---|\n{}{}{}{}",
        2 * ROUNDS,
        row("floor: `stet --version`", floor),
        row("`stet outline`", outline),
        row("`stet apply`, in memory", applied),
        row("`stet apply`, on the disk with its flushes", flushed),
    )
}

/// A folder with a document, two batches that undo each other, and a home.
struct Place {
    stet: PathBuf,
    folder: tempfile::TempDir,
}

impl Place {
    #[allow(clippy::unwrap_used)]
    fn new(stet: &Path, beside: &Path) -> Place {
        let place = Place { stet: stet.to_path_buf(), folder: tempfile::tempdir_in(beside).unwrap() };
        fs::write(place.folder.path().join("notes.md"), "# Notes\n\nalpha\n\nbeta\n").unwrap();
        for (ops, from, to) in [(BATCHES[0], "alpha", "gamma"), (BATCHES[1], "gamma", "alpha")] {
            let op = format!(r#"[{{"op":"replace_text","find":"{from}","replace":"{to}"}}]"#);
            fs::write(place.folder.path().join(ops), op).unwrap();
        }
        place.apply(0);
        place.apply(1);
        place
    }

    fn apply(&self, round: usize) -> Duration {
        self.run(&["apply", "notes.md", "--ops", BATCHES[round % 2], "--expected-rev", "current", "--json"])
    }

    #[allow(clippy::unwrap_used)]
    fn run(&self, arguments: &[&str]) -> Duration {
        let mut command = Command::new(&self.stet);
        command.args(arguments).current_dir(self.folder.path());
        command.env("STET_HOME", self.folder.path().join("home"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
        let began = Instant::now();
        assert!(command.status().unwrap().success(), "{arguments:?}");
        began.elapsed()
    }
}

/// The command line of this build, beside the bench itself; built if it is not there.
#[allow(clippy::unwrap_used)]
fn binary() -> PathBuf {
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
