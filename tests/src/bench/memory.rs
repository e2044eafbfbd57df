//! What a piece of work costs this process: time on the processor, and the highest resident memory (both as Linux tells them).

use std::{
    sync::OnceLock,
    time::{Duration, Instant},
};

/// Runs the work; gives its result and by how many bytes memory rose at most above where it stood before.
pub(crate) fn peak<T>(work: impl FnOnce() -> T) -> (T, Option<u64>) {
    // Writing 5 sets the high-water mark to what is resident now (proc(5), clear_refs).
    let is_reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = field("VmRSS:");
    let result = work();
    let highest = field("VmHWM:");
    let rise = before.zip(highest).map(|(before, highest)| highest.saturating_sub(before));
    (result, rise.filter(|_| is_reset))
}

fn field(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}

/// Time this process has been on a processor; elsewhere than on Linux, time since the first call.
pub(crate) fn processor_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let start = *START.get_or_init(Instant::now);
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}
