//! The commit of a 15 MB file against `cp`, `fsync` and `rename` of the same file.
//!
//! What is measured is what a person waits for: from the call to the receipt. The snapshot's own flush goes on after it; the last row
//! says how long that takes when one commit follows the other without a pause. Each commit is held against the floor just before it, so
//! that a disk that is busy with other things slows both.

use std::{
    fs::{self, File},
    io,
    path::Path,
    time::{Duration, Instant},
};

use assistant::workspace::{Stop, Workspace, WorkspaceOptions, faults::Faults, system_clock};

const SIZE: usize = 15_000_000;
const ROUNDS: usize = 15;
/// A person's pause between two commits.
const PAUSE: Duration = Duration::from_millis(400);

/// Measures and gives the table.
#[allow(clippy::unwrap_used)] // A bench that cannot write its files has nothing to measure.
pub fn commit() -> String {
    // Beside the build, not in /tmp, which may be memory.
    let folder = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
    let path = folder.path().join("document.bin");
    fs::write(&path, content(1)).unwrap();
    let workspace = Workspace::open(options(folder.path())).unwrap();
    let file = workspace.open_file(&path, &Stop::default()).unwrap().0;
    let mut revision = file.content_rev;
    let mut one_commit = || {
        // New bytes each time: what the store has already, it would not write again.
        let next = content(revision + 1);
        let start = Instant::now();
        let committed =
            workspace.commit_bytes(&file.file_id, revision, &next, "bench", &Stop::default()).unwrap();
        revision = committed.file.content_rev;
        start.elapsed()
    };
    let copy = folder.path().join("copy.bin");
    let (mut floor, mut paused, mut rapid) = (Vec::new(), Vec::new(), Vec::new());
    one_commit();
    for _ in 0..ROUNDS {
        std::thread::sleep(PAUSE);
        floor.push(copy_flush_rename(&path, &copy).unwrap());
        std::thread::sleep(PAUSE);
        paused.push(one_commit());
    }
    for _ in 0..ROUNDS {
        rapid.push(one_commit());
    }
    let mut ratios: Vec<f64> =
        paused.iter().zip(&floor).map(|(commit, floor)| commit.as_secs_f64() / floor.as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    let paired = ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN);
    super::bound("commit of a 15 MB file against cp, fsync, rename", paired, 2.0);
    let (floor, paused, rapid) = (median(floor), median(paused), median(rapid));
    let ratio = |time: Duration| time.as_secs_f64() / floor.as_secs_f64();
    format!(
        "Commit of a file of {} MB that does not compress, medians of {ROUNDS} (wall time to the receipt).\n\n\
         | what | ms | × floor |\n|---|---|---|\n\
         | floor: cp, fsync, rename, fsync of the folder | {} | 1.00 |\n| commit | {} | {:.2} |\n\
         | commit right after commit | {} | {:.2} |\n",
        SIZE / 1_000_000,
        floor.as_millis(),
        paused.as_millis(),
        paired,
        rapid.as_millis(),
        ratio(rapid)
    )
}

fn options(folder: &Path) -> WorkspaceOptions {
    WorkspaceOptions {
        home: folder.join("home"),
        clock: system_clock(),
        author: "bench".into(),
        limits: documents::Limits::default(),
        lock_wait: Duration::from_secs(10),
        faults: Faults::default(),
    }
}

fn copy_flush_rename(from: &Path, to: &Path) -> io::Result<Duration> {
    let start = Instant::now();
    let temporary = to.with_extension("tmp");
    fs::copy(from, &temporary)?;
    File::open(&temporary)?.sync_all()?;
    fs::rename(&temporary, to)?;
    if let Some(folder) = to.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(start.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Bytes without pattern (xorshift64*), as in the compressed parts of an Office file. The name makes it text to Stet, which nobody asks
/// for here.
fn content(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_F491_4F6C_DD1D).to_le_bytes()
    };
    (0..SIZE / 8).flat_map(|_| next()).collect()
}
