//! The promises among the measurements: a ratio, and what it may be at most.

use std::sync::Mutex;

/// One promise and how it was kept.
#[derive(Debug, Clone)]
pub struct Bound {
    /// What was measured against what, in words.
    pub what: String,
    pub ratio: f64,
    pub at_most: f64,
}

static BOUNDS: Mutex<Vec<Bound>> = Mutex::new(Vec::new());

/// A subject says here which of its ratios is promised.
pub fn bound(what: impl Into<String>, ratio: f64, at_most: f64) {
    if let Ok(mut bounds) = BOUNDS.lock() {
        bounds.push(Bound { what: what.into(), ratio, at_most });
    }
}

/// All promises that were measured so far, as a Markdown table, and those missed by more than a third.
pub fn summary() -> (String, Vec<Bound>) {
    let bounds = BOUNDS.lock().map(|bounds| bounds.clone()).unwrap_or_default();
    let mut table = String::from("| promise | measured | at most | |\n|---|---|---|---|\n");
    for bound in &bounds {
        let verdict = if bound.ratio <= bound.at_most { "kept" } else { "missed" };
        table.push_str(&format!("| {} | {:.2} | {} | {verdict} |\n", bound.what, bound.ratio, bound.at_most));
    }
    // A ratio that is no number was not measured, which is a miss too.
    let missed = |bound: &Bound| bound.ratio.is_nan() || bound.ratio > bound.at_most * 4.0 / 3.0;
    (table, bounds.into_iter().filter(missed).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_over_is_let_through_and_more_is_missed() {
        bound("kept", 1.0, 1.2);
        bound("a little over", 1.5, 1.2);
        bound("missed", 1.7, 1.2);
        bound("not measured", f64::NAN, 1.2);
        let (table, missed) = summary();
        assert_eq!(
            missed.iter().map(|bound| bound.what.as_str()).collect::<Vec<_>>(),
            ["missed", "not measured"]
        );
        assert!(table.contains("| a little over | 1.50 | 1.2 | missed |"), "{table}");
    }
}
