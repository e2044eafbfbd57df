//! Every operation on workbooks, checked by what the outline says afterwards.

use documents::{Applied, Edit, EditError, Format, Node, error::EditErrorKind};

use super::xlsx_fidelity::{context, outline};

fn edits(json: serde_json::Value) -> Vec<Edit> {
    serde_json::from_value(json).expect("operations")
}

fn try_apply(bytes: &[u8], ops: serde_json::Value) -> Result<Applied, EditError> {
    documents::apply(Format::Xlsx, bytes, &edits(ops), &context())
}

fn apply(bytes: &[u8], ops: serde_json::Value) -> Vec<u8> {
    try_apply(bytes, ops).expect("applies").bytes
}

/// A workbook with a header, three rows, totals by formula, and a second sheet that reads them.
fn ledger() -> Vec<u8> {
    let rows = serde_json::json!([
        ["Item", "Qty", "Price", "Sum"],
        ["Apples", 3, 1.5, {"formula": "=B2*C2"}],
        ["Pears", 4, 2, {"formula": "=B3*C3"}],
        ["Total", null, null, {"formula": "=SUM(D2:D3)"}],
    ]);
    let source = documents::create::Source {
        rows: rows.as_array().map(|rows| rows.iter().filter_map(|row| row.as_array().cloned()).collect()),
        text: None,
    };
    let bytes = documents::create::create(Format::Xlsx, &source, &context()).expect("created");
    apply(
        &bytes,
        serde_json::json!([
            {"op": "xlsx_add_sheet", "sheet": "Sum up"},
            {"op": "xlsx_set_cell", "sheet": "Sum up", "cell": "A1", "value": {"formula": "=Sheet1!D4*2"}},
            {"op": "xlsx_set_name", "name": "Total", "refers_to": "=Sheet1!$D$4"},
        ]),
    )
}

fn node(bytes: &[u8], at: &str) -> Option<Node> {
    outline(bytes).expect("opens").nodes.into_iter().find(|node| node.at == at)
}

fn text(bytes: &[u8], at: &str) -> String {
    node(bytes, at).map(|node| node.text).unwrap_or_default()
}

fn formula(bytes: &[u8], at: &str) -> String {
    node(bytes, at).and_then(|n| n.more.get("formula")?.as_str().map(str::to_owned)).unwrap_or_default()
}

fn refused(bytes: &[u8], op: serde_json::Value) -> EditErrorKind {
    try_apply(bytes, serde_json::json!([op])).expect_err("refused").kind
}

#[test]
fn a_new_workbook_is_computed_and_followed() {
    let bytes = ledger();
    assert_eq!(text(&bytes, "Sheet1!D4"), "12.5");
    assert_eq!(text(&bytes, "'Sum up'!A1"), "25");
    let after = apply(&bytes, serde_json::json!([{"op": "xlsx_set_cell", "cell": "B2", "value": 5}]));
    assert_eq!(text(&after, "Sheet1!D4"), "15.5");
    assert_eq!(text(&after, "'Sum up'!A1"), "31");
}

#[test]
fn inserted_rows_move_references_and_take_values() {
    let after = apply(
        &ledger(),
        serde_json::json!([{"op": "xlsx_insert_rows", "row": 3, "rows": [["Plums", 10, 1, {"fill": "formula"}]]}]),
    );
    assert_eq!(formula(&after, "Sheet1!D5"), "=SUM(D2:D4)");
    assert_eq!(formula(&after, "Sheet1!D3"), "=B3*C3");
    assert_eq!(text(&after, "Sheet1!D5"), "22.5");
    assert_eq!(formula(&after, "'Sum up'!A1"), "=Sheet1!D5*2");
    assert_eq!(text(&after, "'Sum up'!A1"), "45");
    assert_eq!(text(&after, "Total"), "=Sheet1!$D$5");
}

#[test]
fn deleted_rows_leave_dead_references_with_a_warning() {
    let applied =
        try_apply(&ledger(), serde_json::json!([{"op": "xlsx_delete_rows", "start": 4}])).expect("applies");
    assert_eq!(formula(&applied.bytes, "'Sum up'!A1"), "=Sheet1!#REF!*2");
    assert_eq!(text(&applied.bytes, "'Sum up'!A1"), "#REF!");
    assert!(applied.warnings.iter().any(|w| w.code == "ref_became_error"));
    let wrong = serde_json::json!({"op": "xlsx_delete_rows", "start": 4, "expect": ["Apples"]});
    assert_eq!(refused(&ledger(), wrong), EditErrorKind::PrefixMismatch);
}

#[test]
fn formulas_that_die_by_a_name_are_named() {
    let set = |cell: &str, formula: &str| serde_json::json!({"op": "xlsx_set_cell", "sheet": "Sum up", "cell": cell, "value": {"formula": formula}});
    let before = apply(&ledger(), serde_json::json!([set("B1", "=total+1"), set("B2", "=SUM(1,2)")]));
    let applied =
        try_apply(&before, serde_json::json!([{"op": "xlsx_delete_rows", "start": 4}])).expect("applies");
    let named: Vec<&documents::Warning> =
        applied.warnings.iter().filter(|warning| warning.message.contains("the name Total")).collect();
    assert_eq!(named.len(), 1, "{:?}", applied.warnings);
    assert_eq!(named[0].location.as_deref(), Some("'Sum up'!B1"));
    assert_eq!(named[0].code, "ref_became_error");
    assert_eq!(text(&applied.bytes, "'Sum up'!B1"), "#REF!");
}

#[test]
fn positions_mean_the_revision_that_was_read() {
    let ops = serde_json::json!([
        {"op": "xlsx_insert_rows", "row": 1, "count": 2},
        {"op": "xlsx_set_cell", "cell": "B2", "value": 30},
        {"op": "xlsx_delete_rows", "start": 3},
    ]);
    let after = apply(&ledger(), ops);
    assert_eq!(text(&after, "Sheet1!B4"), "30");
    assert_eq!(text(&after, "Sheet1!D5"), "45");
    let gone = serde_json::json!([
        {"op": "xlsx_delete_rows", "start": 3},
        {"op": "xlsx_set_cell", "cell": "A3", "value": "x"},
    ]);
    assert_eq!(try_apply(&ledger(), gone).expect_err("gone").kind, EditErrorKind::OutOfRange);
}

#[test]
fn values_keep_their_kind() {
    let after = apply(
        &ledger(),
        serde_json::json!([{"op": "xlsx_set_cells", "range": "F1:F6",
            "values": [["007"], ["=1+1"], [true], [{"date": "2024-03-01"}], [{"datetime": "2024-03-01T18:00"}], [0.1]]}]),
    );
    let value = |at: &str| node(&after, at).expect("there").more["value"].clone();
    assert_eq!(value("Sheet1!F1"), "007");
    assert_eq!(value("Sheet1!F2"), "=1+1");
    assert_eq!(value("Sheet1!F3"), true);
    assert_eq!(value("Sheet1!F4"), serde_json::json!({"date": "2024-03-01"}));
    assert_eq!(value("Sheet1!F5"), serde_json::json!({"datetime": "2024-03-01T18:00:00"}));
    assert_eq!(value("Sheet1!F6"), 0.1);
    let long = serde_json::json!({"op": "xlsx_set_cell", "cell": "A1", "value": 12345678901234567_u64});
    assert_eq!(refused(&ledger(), long), EditErrorKind::InvalidArguments);
}

#[test]
fn text_is_replaced_in_values_and_formulas() {
    let after = apply(
        &ledger(),
        serde_json::json!([
            {"op": "xlsx_replace_text", "find": "Pears", "replace": "Figs"},
            {"op": "xlsx_replace_text", "find": "SUM(", "replace": "MAX(", "in": "formulas"},
        ]),
    );
    assert_eq!(text(&after, "Sheet1!A3"), "Figs");
    assert_eq!(text(&after, "Sheet1!D4"), "8");
    let find = |find: &str| serde_json::json!({"op": "xlsx_replace_text", "find": find, "replace": "x"});
    assert_eq!(refused(&ledger(), find("e")), EditErrorKind::MultipleMatches);
    assert_eq!(refused(&ledger(), find("nowhere")), EditErrorKind::ZeroMatches);
}

#[test]
fn formats_merges_and_widths() {
    let ops = serde_json::json!([
        {"op": "xlsx_set_format", "range": "A1:D1", "bold": true, "fill": "#FFFF00", "align": "center"},
        {"op": "xlsx_set_format", "range": "C2:D4", "number_format": "#,##0.00", "border": "thin"},
        {"op": "xlsx_merge_cells", "range": "A6:C6"},
        {"op": "xlsx_set_width", "cols": "B:C", "size": 20},
        {"op": "xlsx_set_width", "rows": "1:7", "size": 30},
    ]);
    let after = apply(&ledger(), ops);
    assert_eq!(text(&after, "Sheet1!D4"), "12.50");
    let sheet = node(&after, "Sheet1").expect("the sheet");
    assert_eq!(sheet.more["merged"], serde_json::json!(["A6:C6"]));
    let again = apply(&after, serde_json::json!([{"op": "xlsx_unmerge_cells", "range": "A6:C6"}]));
    assert!(!node(&again, "Sheet1").expect("the sheet").more.contains_key("merged"));
    let hides = serde_json::json!({"op": "xlsx_merge_cells", "range": "A1:B1"});
    assert_eq!(refused(&ledger(), hides), EditErrorKind::WouldDamage);
}

#[test]
fn sheets_are_renamed_moved_copied_and_deleted() {
    let renamed = apply(
        &ledger(),
        serde_json::json!([{"op": "xlsx_rename_sheet", "sheet": "Sheet1", "to": "It's data"}]),
    );
    assert_eq!(formula(&renamed, "'Sum up'!A1"), "='It''s data'!D4*2");
    assert_eq!(text(&renamed, "Total"), "='It''s data'!$D$4");
    assert_eq!(text(&renamed, "'Sum up'!A1"), "25");

    let moved =
        apply(&ledger(), serde_json::json!([{"op": "xlsx_move_sheet", "sheet": "Sum up", "position": 1}]));
    assert_eq!(outline(&moved).expect("opens").nodes[0].at, "'Sum up'");

    let copied =
        apply(&ledger(), serde_json::json!([{"op": "xlsx_copy_sheet", "sheet": "Sheet1", "to": "Copy"}]));
    assert_eq!(text(&copied, "Copy!D4"), "12.5");

    let deleted = apply(&ledger(), serde_json::json!([{"op": "xlsx_delete_sheet", "sheet": "Sheet1"}]));
    assert_eq!(formula(&deleted, "'Sum up'!A1"), "=#REF!*2");
    assert_eq!(text(&deleted, "'Sum up'!A1"), "#REF!");
    let last = serde_json::json!({"op": "xlsx_delete_sheet", "sheet": "Sum up"});
    assert_eq!(refused(&deleted, last), EditErrorKind::WouldDamage);
}

#[test]
fn names_are_set_used_and_deleted() {
    let used = apply(
        &ledger(),
        serde_json::json!([{"op": "xlsx_set_cell", "cell": "F1", "value": {"formula": "=Total+1"}}]),
    );
    assert_eq!(text(&used, "Sheet1!F1"), "13.5");
    let other = apply(
        &used,
        serde_json::json!([{"op": "xlsx_set_name", "name": "Total", "refers_to": "=Sheet1!$B$2"}]),
    );
    assert_eq!(text(&other, "Sheet1!F1"), "4");
    let gone = apply(&used, serde_json::json!([{"op": "xlsx_set_name", "name": "Total", "refers_to": null}]));
    assert_eq!(text(&gone, "Sheet1!F1"), "#NAME?");
    let bad = serde_json::json!({"op": "xlsx_set_name", "name": "A1", "refers_to": "=1"});
    assert_eq!(refused(&ledger(), bad), EditErrorKind::InvalidArguments);
}

#[test]
fn rows_are_appended_below_the_last() {
    let after = apply(
        &ledger(),
        serde_json::json!([{"op": "xlsx_append_rows", "rows": [["Rest", 1, 2, {"fill": "formula"}]]}]),
    );
    assert_eq!(text(&after, "Sheet1!A5"), "Rest");
    assert_eq!(formula(&after, "Sheet1!D5"), "=SUM(D3:D4)");
}

#[test]
fn what_cannot_be_computed_loses_its_result() {
    let applied = try_apply(
        &ledger(),
        serde_json::json!([{"op": "xlsx_set_cell", "cell": "F1", "value": {"formula": "=NOW()+B2"}}]),
    )
    .expect("applies");
    assert_eq!(text(&applied.bytes, "Sheet1!F1"), "");
    assert!(applied.warnings.iter().any(|warning| warning.code == "not_recalculated"));
    assert!(applied.package.expect("a package").changed.iter().any(|part| part.contains("workbook.xml")));
}

#[test]
fn a_failing_batch_says_which_operation() {
    let ops = serde_json::json!([
        {"op": "xlsx_set_cell", "cell": "A1", "value": "x"},
        {"op": "xlsx_set_cell", "sheet": "Nowhere", "cell": "A1", "value": "x"},
    ]);
    let error = try_apply(&ledger(), ops).expect_err("refused");
    assert_eq!((error.op, error.kind), (Some(1), EditErrorKind::OutOfRange));
}

#[test]
fn a_table_like_column_of_dates_keeps_its_style() {
    let dated = apply(
        &ledger(),
        serde_json::json!([{"op": "xlsx_set_cell", "cell": "F1", "value": {"date": "2024-03-01"}}]),
    );
    assert_eq!(text(&dated, "Sheet1!F1"), "3/1/2024");
    let same = try_apply(
        &dated,
        serde_json::json!([{"op": "xlsx_set_cell", "cell": "F1", "value": {"date": "2024-03-01"}}]),
    )
    .expect("applies");
    assert!(same.changes.is_empty() && same.bytes == dated);
}

/// The cell that is selected goes with its row: the selection and its active cell are one cell that is still there.
#[test]
fn a_selection_survives_the_lines_it_stands_in() {
    for (selection, start, end, wanted) in [
        ("activeCell=\"B10\" sqref=\"B10\"", 9, 10, "activeCell=\"B9\" sqref=\"B9\""),
        ("activeCell=\"B10\" sqref=\"B10\"", 10, 10, "activeCell=\"B10\" sqref=\"B10\""),
        ("activeCell=\"B10\" sqref=\"B4 B9:C10\"", 9, 10, "activeCell=\"B9\" sqref=\"B4\""),
        ("activeCell=\"B10\" sqref=\"B8:C12\"", 9, 10, "activeCell=\"B9\" sqref=\"B8:C10\""),
        ("activeCell=\"B10\" sqref=\"A9:C10 E9\"", 8, 10, "activeCell=\"A8\" sqref=\"A8\""),
        ("sqref=\"B10\"", 9, 10, "sqref=\"B9\""),
    ] {
        let sheet = format!(
            "<sheetViews><sheetView workbookViewId=\"0\"><selection {selection}/></sheetView></sheetViews><sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"12\"><c r=\"A12\"><v>2</v></c></row></sheetData>"
        );
        let book = stet_tests::books::Book::new().sheet("S", &sheet).bytes();
        let ops = serde_json::json!([{"op": "xlsx_delete_rows", "sheet": "S", "start": start, "end": end}]);
        let applied = try_apply(&book, ops).unwrap_or_else(|error| panic!("{selection}: {error}"));
        let xml = stet_tests::books::part(&applied.bytes, "xl/worksheets/sheet1.xml");
        assert!(xml.contains(wanted), "{selection}, {start} to {end}: {xml}");
    }
}
