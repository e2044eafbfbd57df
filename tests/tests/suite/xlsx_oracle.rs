//! Structural edits against the recorded results of another program and of rules derived without looking at it.
//!
//! The cases lie in the shared folder; `compare.py` there judges the outputs. Without it there is nothing to run, and it says so.

use std::{path::Path, process::Command};

use documents::{Edit, Format, edit::ColumnRef};

use super::xlsx_fidelity::context;

fn edit(op: &serde_json::Value) -> Edit {
    let sheet = op["sheet"].as_str().map(str::to_owned);
    let at = op["at"].as_u64().unwrap() as u32;
    let count = op["count"].as_u64().unwrap() as u32;
    let end = at + count - 1;
    match op["kind"].as_str().unwrap() {
        "insert_rows" => Edit::XlsxInsertRows { sheet, row: at, count: Some(count), rows: None },
        "insert_cols" => {
            Edit::XlsxInsertCols { sheet, col: ColumnRef::Number(at), count: Some(count), rows: None }
        }
        "delete_rows" => Edit::XlsxDeleteRows { sheet, start: at, end: Some(end), expect: None },
        "delete_cols" => Edit::XlsxDeleteCols {
            sheet,
            start: ColumnRef::Number(at),
            end: Some(ColumnRef::Number(end)),
            expect: None,
        },
        other => panic!("unknown kind {other}"),
    }
}

#[test]
fn every_case_comes_out_as_expected() {
    let Some(oracle) = stet_tests::shared().map(|shared| shared.join("oracle")) else {
        println!("no shared oracle here: nothing was compared");
        return;
    };
    let cases = std::fs::read_to_string(oracle.join("open/cases.jsonl")).unwrap();
    let folder = std::env::temp_dir().join(format!("stet-oracle-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut refused = Vec::new();
    let mut count = 0;
    for line in cases.lines().filter(|line| !line.trim().is_empty()) {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        let source = oracle.join("open").join(case["file"].as_str().unwrap());
        let bytes = std::fs::read(&source).unwrap();
        let context = documents::ApplyContext { override_protection: true, ..context() };
        count += 1;
        match documents::apply(Format::Xlsx, &bytes, &[edit(&case["op"])], &context) {
            Ok(applied) => {
                std::fs::write(folder.join(format!("{id}.xlsx")), applied.bytes).unwrap();
            }
            Err(error) => refused.push(format!("{id} {}: {error}", case["op"])),
        }
    }
    let verdict = compare(&oracle, &folder);
    println!("{count} cases; {}", verdict.0);
    let keep = std::env::var_os("STET_KEEP").is_some();
    if !keep {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    assert!(refused.is_empty(), "{refused:#?}");
    assert!(verdict.1, "{} (in {})", verdict.0, folder.display());
}

fn compare(oracle: &Path, folder: &Path) -> (String, bool) {
    let output = Command::new("python3")
        .arg(oracle.join("compare.py"))
        .arg(oracle.join("open/cases.jsonl"))
        .arg("--edited")
        .arg(folder)
        .output()
        .expect("python3 runs");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let tail: Vec<&str> = text.lines().rev().take(80).collect();
    (tail.into_iter().rev().collect::<Vec<_>>().join("\n"), output.status.success())
}
