//! What came of a run: rows, and their sums by kind, format, language, protocol and payload size.

use std::collections::BTreeMap;

use documents::Format;
use serde::{Deserialize, Serialize};

/// What came of one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalRow {
    pub id: String,
    pub language: String,
    pub kind: String,
    pub format: Format,
    pub passed: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
    /// Refusals on the way, by code.
    pub codes: BTreeMap<String, u64>,
    /// How edits travelled: `protocol/size`.
    pub carried: BTreeMap<String, u64>,
    pub tokens: u64,
    pub steps: u64,
    pub milliseconds: u64,
}

/// Sums of some rows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EvalSum {
    pub passed: u64,
    pub total: u64,
    /// Refusals on the way, by code.
    pub codes: BTreeMap<String, u64>,
    pub tokens: u64,
    pub milliseconds: u64,
}

/// All rows with their sums.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EvalReport {
    pub ok: bool,
    pub model: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub temperature: Option<f64>,
    pub passed: usize,
    pub total: usize,
    /// By `kind`, `format`, `language` and `protocol/size`, each value with its sums. A case whose edits travelled in two ways counts
    /// for both, one without an edit for `none`.
    pub sums: BTreeMap<String, BTreeMap<String, EvalSum>>,
    pub rows: Vec<EvalRow>,
}

impl EvalReport {
    /// Adds a row and its part of the sums.
    pub(super) fn add(&mut self, row: EvalRow) {
        self.passed += usize::from(row.passed);
        self.total += 1;
        let mut carried: Vec<String> = row.carried.keys().cloned().collect();
        if carried.is_empty() {
            carried.push("none".into());
        }
        let groups = [
            ("kind", vec![row.kind.clone()]),
            ("format", vec![row.format.as_str().to_string()]),
            ("language", vec![row.language.clone()]),
            ("protocol/size", carried),
        ];
        for (name, values) in groups {
            let sums = self.sums.entry(name.into()).or_default();
            for value in values {
                sums.entry(value).or_default().add(&row);
            }
        }
        self.rows.push(row);
    }

    /// The sums as a table for people, and why cases failed.
    pub fn table(&self) -> String {
        let mut head = format!("{}: {} of {} passed", self.model, self.passed, self.total);
        if let Some(seed) = self.seed {
            head += &format!(", seed {seed}");
        }
        if let Some(temperature) = self.temperature {
            head += &format!(", temperature {temperature}");
        }
        let mut lines = vec![head];
        for (name, groups) in &self.sums {
            lines.push(format!("{name:<28} passed   tokens       ms  refusals"));
            lines.extend(groups.iter().map(|(group, sum)| sum.line(group)));
        }
        for row in self.rows.iter().filter(|row| !row.passed) {
            lines.push(format!("  {}: {}", row.id, row.why.as_deref().unwrap_or("failed")));
        }
        lines.join("\n")
    }
}

impl EvalSum {
    fn add(&mut self, row: &EvalRow) {
        self.passed += u64::from(row.passed);
        self.total += 1;
        self.tokens += row.tokens;
        self.milliseconds += row.milliseconds;
        for (code, count) in &row.codes {
            *self.codes.entry(code.clone()).or_default() += count;
        }
    }

    fn line(&self, group: &str) -> String {
        let codes: Vec<String> = self.codes.iter().map(|(code, count)| format!("{code} {count}")).collect();
        let numbers =
            format!("{:>2}/{:<3} {:>8} {:>8}", self.passed, self.total, self.tokens, self.milliseconds);
        format!("  {group:<26} {numbers}  {}", codes.join(", ")).trim_end().to_string()
    }
}
