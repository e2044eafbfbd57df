//! Values of every kind as we write them, read by programs of other makers: openpyxl, and LibreOffice in the full run.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use stet_tests::{
    books::{Book, apply},
    readers::{output, python},
};

/// A value, the kind and text openpyxl has of it, and what LibreOffice writes into a comma-separated file.
fn values() -> Vec<(Value, &'static str, Value, &'static str)> {
    let text = |text: &'static str| (json!(text), "s", json!(text), text);
    vec![
        text("text"),
        text("=SUM(A1)"),
        text("+1"),
        text("@x"),
        text("00123"),
        text("12345678901234567890"),
        text("  lead and trail  "),
        text("tab\there"),
        text("ä𝄞👩"),
        text("<a & b>'"),
        text("#N/A"),
        text("TRUE"),
        text("2024-02-29"),
        text("50%"),
        text("'quoted"),
        // openpyxl shows the escapes of 22.9.2.19 as they stand in the file; LibreOffice resolves them.
        (json!("_x0041_ is no A"), "s", json!("_x005F_x0041_ is no A"), "_x0041_ is no A"),
        (json!("bell\u{7}"), "s", json!("bell_x0007_"), "bell\u{7}"),
        (json!(42), "n", json!(42), "42"),
        (json!(-0.1), "n", json!(-0.1), "-0.1"),
        (json!(1e300), "n", json!(1e300), "1E+300"),
        (json!(5e-324), "n", json!(5e-324), "5E-324"),
        (json!(0.1 + 0.2), "n", json!(0.1 + 0.2), "0.3"),
        (json!(123_456_789_012_345_u64), "n", json!(123_456_789_012_345_u64), "123456789012345"),
        (json!(true), "b", json!(true), "TRUE"),
        (json!(false), "b", json!(false), "FALSE"),
        (json!({"date": "2024-02-29"}), "d", json!("2024-02-29T00:00:00"), "02/29/2024"),
        (json!({"date": "1904-01-02"}), "d", json!("1904-01-02T00:00:00"), "01/02/1904"),
        (
            json!({"datetime": "2024-02-29T13:45:30"}),
            "d",
            json!("2024-02-29T13:45:30"),
            "02/29/2024 13:45:30",
        ),
        (json!({"formula": "=1/0"}), "f", json!("#DIV/0!"), "#DIV/0!"),
        (json!({"formula": "=\"x\"&1"}), "f", json!("x1"), "x1"),
        (json!({"formula": "=1=1"}), "f", json!(true), "TRUE"),
        (json!({"formula": "=YEAR(A27)"}), "f", json!(1904), "1904"),
    ]
}

/// The workbook with the values in column A, in one of the two date systems.
fn written(folder: &Path, is_1904: bool) -> PathBuf {
    let properties = if is_1904 { "<workbookPr date1904=\"1\"/>" } else { "" };
    let book = Book::new().sheet("S", "<sheetData/>").around(properties, "").bytes();
    let cells: Vec<Value> = (1..)
        .zip(values())
        .map(|(row, (value, ..))| json!({"cell": format!("A{row}"), "value": value}))
        .collect();
    let applied = apply(&book, &json!([{"op": "xlsx_set_cells", "cells": cells}]), false).unwrap();
    let file = folder.join(if is_1904 { "since-1904.xlsx" } else { "since-1900.xlsx" });
    std::fs::write(&file, applied.bytes).unwrap();
    file
}

#[test]
fn openpyxl_reads_every_value_as_it_was_meant() {
    let python = match python() {
        Ok(python) => python,
        Err(why) => return println!("openpyxl is not here, nothing was read: {why}"),
    };
    let folder = tempfile::tempdir().unwrap();
    let script = stet_tests::repository().join("tests/readers/values.py");
    for is_1904 in [false, true] {
        let file = written(folder.path(), is_1904);
        let mut child =
            Command::new(&python).arg(&script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        writeln!(child.stdin.take().unwrap(), "{}", file.display()).unwrap();
        let told = child.wait_with_output().unwrap().stdout;
        let told: Value = serde_json::from_slice(&told).unwrap();
        for (row, (value, kind, expected, _)) in (1..).zip(values()) {
            let cell = &told["cells"][format!("S!A{row}")];
            assert_eq!((&cell[0], &cell[2]), (&json!(kind), &expected), "A{row} {value}: {told}");
        }
    }
}

#[test]
fn libreoffice_reads_every_value_as_it_was_meant() {
    if std::env::var_os("STET_FULL").is_none() {
        return println!("LibreOffice is asked with STET_FULL=1");
    }
    let folder = tempfile::tempdir().unwrap();
    for is_1904 in [false, true] {
        let file = written(folder.path(), is_1904);
        let mut office = Command::new("timeout");
        office.args(["180", "soffice", "--headless", "--norestore"]);
        office.arg(format!("-env:UserInstallation=file://{}", folder.path().join("profile").display()));
        // Comma, double quotes, UTF-8, as shown.
        office.args(["--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76", "--outdir"]);
        if let Err(why) = output(office.arg(folder.path()).arg(&file)) {
            return println!("LibreOffice is not here, nothing was read: {why}");
        }
        let text = std::fs::read_to_string(file.with_extension("csv")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (line, (value, _, _, shown)) in lines.iter().zip(values()) {
            let plain = line.strip_prefix('"').and_then(|line| line.strip_suffix('"'));
            let line = plain.map_or_else(|| (*line).to_owned(), |line| line.replace("\"\"", "\""));
            // Whether months and days have two digits is the locale's choice.
            assert_eq!(unpadded(&line), unpadded(shown), "{value}");
        }
        assert_eq!(lines.len(), values().len());
    }
}

fn unpadded(text: &str) -> String {
    text.split('/').map(|part| part.strip_prefix('0').unwrap_or(part)).collect::<Vec<_>>().join("/")
}
