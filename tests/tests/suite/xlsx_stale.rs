//! No stored result is left stale: names, ranges with a sheet on both ends, and 3-D references after structural edits.

use serde_json::{Value, json};
use stet_tests::books::{Book, apply, cell};

/// Numbers 1 to 10 down column A, 2 and 3 beside them.
fn numbers() -> String {
    let row = |r: usize| {
        format!(
            "<row r=\"{r}\"><c r=\"A{r}\"><v>{r}</v></c><c r=\"B{r}\"><v>2</v></c><c r=\"C{r}\"><v>3</v></c></row>"
        )
    };
    format!("<sheetData>{}</sheetData>", (1..=10).map(row).collect::<String>())
}

fn book(names: &str, formulas: &[(&str, &str)]) -> Vec<u8> {
    let row = |(at, (formula, value)): (usize, &(&str, &str))| {
        let r = at + 1;
        format!("<row r=\"{r}\"><c r=\"B{r}\"><f>{formula}</f><v>{value}</v></c></row>")
    };
    let out: String = formulas.iter().enumerate().map(row).collect();
    Book::new()
        .sheet("A", &numbers())
        .sheet("M", "<sheetData/>")
        .sheet("C", &numbers())
        .sheet("Out", &format!("<sheetData>{out}</sheetData>"))
        .around("", &format!("<definedNames>{names}</definedNames><calcPr calcId=\"191029\"/>"))
        .bytes()
}

const NAMES: &str = "<definedName name=\"Block\">A!$A$5:$A$7</definedName><definedName name=\"blk\" localSheetId=\"0\">A!$A$5:$A$7</definedName><definedName name=\"Rate\">A!$A$6</definedName><definedName name=\"Twice\">Rate*2</definedName><definedName name=\"Wide\">A!$A$1:$C$1</definedName>";

fn named() -> Vec<u8> {
    book(
        NAMES,
        &[
            ("Rate*2", "12"),
            ("SUM(Block)", "18"),
            ("SUM(A!blk)", "18"),
            ("Twice", "12"),
            ("A!Rate", "6"),
            ("B2+1", "19"),
            ("SUM(Wide)", "6"),
        ],
    )
}

/// The results in column B of `Out`, by row.
fn results(book: &[u8], op: Value, count: usize) -> (Vec<String>, String) {
    let applied = apply(book, &json!([op]), false).expect("applies");
    let shown = (1..=count).map(|row| cell(&applied.bytes, &format!("Out!B{row}")).0).collect();
    (shown, format!("{:?}", applied.warnings))
}

#[test]
fn formulas_follow_names_whose_cells_go() {
    let (shown, _) = results(&named(), json!({"op": "xlsx_delete_rows", "sheet": "A", "start": 6}), 7);
    assert_eq!(shown, ["#REF!", "12", "12", "#REF!", "#REF!", "13", "6"]);
    let (shown, _) = results(&named(), json!({"op": "xlsx_delete_cols", "sheet": "A", "start": "B"}), 7);
    assert_eq!(shown, ["12", "18", "18", "12", "6", "19", "4"]);
    let (shown, _) = results(&named(), json!({"op": "xlsx_delete_sheet", "sheet": "A"}), 7);
    assert_eq!(shown, ["#REF!", "#REF!", "#REF!", "#REF!", "#REF!", "#REF!", "#REF!"]);
}

#[test]
fn a_name_that_changes_reaches_names_of_names() {
    let (shown, _) =
        results(&named(), json!({"op": "xlsx_set_name", "name": "Rate", "refers_to": "A!$A$7"}), 5);
    assert_eq!(shown, ["14", "18", "18", "14", "7"]);
}

#[test]
fn a_range_with_a_sheet_on_both_ends_is_one_range() {
    let joined = [
        ("SUM(A!A5:A!A7)", "18"),
        ("SUM('A'!A5:'A'!A7)", "18"),
        ("B1+1", "19"),
        ("SUM(A!A5:INDEX(A!A7,1))", "18"),
    ];
    let joined = book("", &joined);
    let set = json!({"op": "xlsx_set_cell", "sheet": "A", "cell": "A6", "value": 100});
    let (shown, _) = results(&joined, set, 4);
    assert_eq!(shown, ["112", "112", "113", "112"]);
    let (shown, _) = results(&joined, json!({"op": "xlsx_delete_rows", "sheet": "A", "start": 6}), 4);
    assert_eq!(shown, ["12", "12", "13", "12"]);
}

fn spanning() -> Vec<u8> {
    book(
        "<definedName name=\"Across\">SUM(A:C!$A$6)</definedName>",
        &[
            ("SUM(A:C!A6)", "12"),
            ("B1+1", "13"),
            ("Across", "12"),
            ("SUM(A:M!A6)", "6"),
            ("SUM(M:C!A6)", "6"),
        ],
    )
}

#[test]
fn lines_that_move_inside_a_span_are_counted_anew() {
    let (shown, _) = results(&spanning(), json!({"op": "xlsx_insert_rows", "sheet": "A", "row": 3}), 5);
    assert_eq!(shown, ["11", "12", "11", "5", "6"]);
    let (shown, _) = results(&spanning(), json!({"op": "xlsx_delete_rows", "sheet": "A", "start": 3}), 5);
    assert_eq!(shown, ["13", "14", "13", "7", "6"]);
    let (shown, _) = results(&spanning(), json!({"op": "xlsx_delete_cols", "sheet": "C", "start": "A"}), 5);
    assert_eq!(shown, ["8", "9", "8", "6", "2"]);
}

#[test]
fn sheets_that_come_into_a_span_or_leave_it_are_counted_and_told() {
    let copy = json!({"op": "xlsx_copy_sheet", "sheet": "C", "to": "D", "position": 2});
    let (shown, told) = results(&spanning(), copy, 5);
    assert_eq!(shown, ["18", "19", "18", "12", "6"]);
    assert!(told.contains("span_changed"), "{told}");
    let (shown, _) = results(&spanning(), json!({"op": "xlsx_move_sheet", "sheet": "M", "position": 1}), 5);
    assert_eq!(shown[..3], ["12", "13", "12"]);
    let leave = json!({"op": "xlsx_move_sheet", "sheet": "Out", "position": 2});
    let (_, told) = results(&spanning(), leave, 5);
    assert!(told.contains("span_changed"), "{told}");
    let deleted = book("", &[("SUM(A:Out!A6)", "12"), ("B1+1", "13")]);
    let (shown, _) = results(&deleted, json!({"op": "xlsx_delete_sheet", "sheet": "C"}), 2);
    assert_eq!(shown, ["6", "7"]);
    let added = json!({"op": "xlsx_add_sheet", "sheet": "N", "position": 2});
    let (shown, told) = results(&spanning(), added, 5);
    assert_eq!(shown, ["12", "13", "12", "6", "6"]);
    assert!(told.contains("span_changed"), "{told}");
}
