//! Every workbook of the corpus, edited in five ways, opened and recalculated by LibreOffice: nothing to repair, no stored result that
//! differs from a hard recalculation.
//!
//! The checkers lie in the shared folder and need LibreOffice, so this runs in `cargo xtask test --full` only. `STET_ONLY` narrows it
//! to workbooks whose names contain a word.

use std::path::{Path, PathBuf};
use std::process::Command;

use documents::{Edit, Format, error::EditErrorKind};
use serde_json::{Value, json};

use super::xlsx_fidelity::{WORKBOOKS, context, outline};

/// An edit, and the same as the recalculation checker wants to know it.
struct Case {
    name: &'static str,
    ops: Value,
    moved: Option<Value>,
}

/// The edits of one workbook, in the middle of what its first sheet with content holds.
fn cases(bytes: &[u8]) -> Vec<Case> {
    let Ok(outline) = outline(bytes) else { return Vec::new() };
    let Some(sheet) =
        outline.nodes.iter().find(|node| node.kind == "sheet" && node.more.contains_key("range"))
    else {
        return Vec::new();
    };
    let name = sheet.more["sheet"].as_str().unwrap_or_default().to_owned();
    let number = outline.nodes.iter().find(|node| {
        node.kind == "cell"
            && node.more["sheet"] == name.as_str()
            && !node.more.contains_key("formula")
            && node.more["value"].is_number()
    });
    let any = outline.nodes.iter().find(|node| node.kind == "cell" && node.more["sheet"] == name.as_str());
    let (cell, value) = match (number, any) {
        (Some(node), _) => (node.more["cell"].clone(), json!(4321.5)),
        (None, Some(node)) => (node.more["cell"].clone(), json!("Stet 1 & _x0041_")),
        (None, None) => return Vec::new(),
    };
    let rows = outline.nodes.iter().filter(|n| n.kind == "cell" && n.more["sheet"] == name.as_str());
    let mut numbers: Vec<u64> = rows
        .filter_map(|node| node.more["cell"].as_str()?.trim_start_matches(char::is_alphabetic).parse().ok())
        .collect();
    numbers.sort_unstable();
    let middle = numbers.get(numbers.len() / 2).copied().unwrap_or(2).max(2);
    let moved = |kind: &str, at: u64, count: u64| {
        Some(json!({"kind": kind, "sheet": name, "at": at, "count": count}))
    };
    vec![
        Case {
            name: "set_cell",
            ops: json!([{"op": "xlsx_set_cell", "sheet": name, "cell": cell, "value": value}]),
            moved: None,
        },
        Case {
            name: "insert_rows",
            ops: json!([{"op": "xlsx_insert_rows", "sheet": name, "row": middle, "count": 2}]),
            moved: moved("insert_rows", middle, 2),
        },
        Case {
            name: "delete_rows",
            ops: json!([{"op": "xlsx_delete_rows", "sheet": name, "start": middle}]),
            moved: moved("delete_rows", middle, 1),
        },
        Case {
            name: "insert_cols",
            ops: json!([{"op": "xlsx_insert_cols", "sheet": name, "col": 2}]),
            moved: moved("insert_cols", 2, 1),
        },
        Case {
            name: "rename_sheet",
            ops: json!([{"op": "xlsx_rename_sheet", "sheet": name, "to": "It's <new>"}]),
            moved: None,
        },
    ]
}

fn checker(
    oracle: &Path,
    script: &str,
    file: &Path,
    baseline: &Path,
    moved: Option<&Value>,
) -> (i32, String) {
    let mut command = Command::new("python3");
    command.arg(oracle.join(script)).arg(file).arg("--baseline").arg(baseline).args(["--timeout", "120"]);
    if let Some(moved) = moved {
        command.arg("--op").arg(moved.to_string());
    }
    let output = command.output().expect("python3 runs");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap_or(-1), text)
}

fn named(path: &Path) -> String {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned()
}

/// What the checkers say of one edited workbook; `None` when all is well.
fn judge(oracle: &Path, edited: &Path, original: &Path, case: &Case) -> Option<String> {
    // A renamed sheet has no twin in the original, so the recalculation is judged by itself there.
    let baseline = if case.name == "rename_sheet" { edited } else { original };
    let moved = case.moved.as_ref();
    let checks = [("check_open.py", original, None), ("check_recalc.py", baseline, moved)];
    for (script, baseline, moved) in checks {
        let (status, told) = checker(oracle, script, edited, baseline, moved);
        if status == 0 {
            continue;
        }
        // Where LibreOffice cannot read the original either (or in no time), the edit is not at fault.
        let (before, _) = checker(oracle, script, original, original, None);
        if before == status && status >= 2 {
            println!("{} is as it is no better ({script}: {status})", named(original));
            return None;
        }
        return Some(format!("{script} {status}: {told}"));
    }
    None
}

#[test]
fn edited_workbooks_open_and_recalculate_to_what_they_hold() {
    if std::env::var_os("STET_FULL").is_none() {
        println!("skipped: `cargo xtask test --full` runs it (it starts LibreOffice some hundred times)");
        return;
    }
    let Some(oracle) = stet_tests::shared().map(|shared| shared.join("oracle")) else {
        println!("skipped: the checkers of the shared folder are not here");
        return;
    };
    if !Command::new("soffice").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no LibreOffice");
        return;
    }
    let only = std::env::var("STET_ONLY").unwrap_or_default();
    let folder = tempfile::tempdir().expect("a folder");
    let (mut failed, mut count, mut declined) = (Vec::new(), 0, Vec::new());
    for original in stet_tests::corpus(WORKBOOKS).iter().filter(|path| named(path).contains(&only)) {
        let bytes = std::fs::read(original).expect("readable");
        for case in cases(&bytes) {
            let ops: Vec<Edit> = serde_json::from_value(case.ops.clone()).expect("operations");
            let label = format!("{} {}", named(original), case.name);
            match documents::apply(Format::Xlsx, &bytes, &ops, &context()) {
                Ok(applied) => {
                    let edited: PathBuf = folder.path().join(named(original));
                    std::fs::write(&edited, applied.bytes).expect("written");
                    count += 1;
                    if let Some(why) = judge(&oracle, &edited, original, &case) {
                        println!("FAILED {label}: {why}");
                        failed.push(label);
                    }
                }
                Err(error) if matches!(error.kind, EditErrorKind::ReadOnly | EditErrorKind::WouldDamage) => {
                    declined.push(format!("{label}: {error}"));
                }
                Err(error) => failed.push(format!("{label}: {error}")),
            }
        }
    }
    println!("{count} edited workbooks; declined: {declined:#?}");
    assert!(failed.is_empty(), "{failed:#?}");
}
