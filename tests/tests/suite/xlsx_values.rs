//! Values in workbooks that no ordinary program wrote: what is set reads back the same, here and (where there is one) in LibreOffice.

use documents::error::EditErrorKind;
use serde_json::{Value, json};
use stet_tests::books::{Book, apply, cell, outline, part};

fn set(book: &[u8], at: &str, value: Value) -> Vec<u8> {
    apply(book, &json!([{"op": "xlsx_set_cell", "cell": at, "value": value}]), false).expect("applies").bytes
}

fn value(book: &[u8], at: &str) -> Value {
    outline(book, None)
        .into_iter()
        .find(|node| node.at == at && node.kind == "cell")
        .map_or(Value::Null, |node| node.more["value"].clone())
}

fn empty() -> Vec<u8> {
    Book::new().sheet("S", "<sheetData/>").bytes()
}

#[test]
fn numbers_are_the_shortest_text_that_reads_back_the_same() {
    for (number, written) in [
        (json!(0.1), "0.1"),
        (json!(1e21), "1E+21"),
        (json!(1e-7), "1E-7"),
        (json!(123456789012345_u64), "123456789012345"),
        (json!(0.30000000000000004), "0.30000000000000004"),
        (json!(5e-324), "5E-324"),
        (json!(1.7976931348623157e308), "1.7976931348623157E+308"),
        (json!(-0.5), "-0.5"),
    ] {
        let book = set(&empty(), "A1", number.clone());
        let sheet = part(&book, "xl/worksheets/sheet1.xml");
        let text =
            sheet.split("<v>").nth(1).and_then(|rest| rest.split('<').next()).unwrap_or_default().to_owned();
        assert_eq!(text.parse::<f64>().ok(), number.as_f64(), "{text}");
        assert!(text.len() <= written.len(), "{text} is longer than {written}");
    }
    for digits in ["12345678901234567", "9007199254740993"] {
        let number: Value = serde_json::from_str(digits).expect("a number");
        let error = apply(&empty(), &json!([{"op": "xlsx_set_cell", "cell": "A1", "value": number}]), false)
            .expect_err("refused");
        assert_eq!(error.kind, EditErrorKind::InvalidArguments);
    }
}

#[test]
fn text_stays_text_to_the_last_sign() {
    for text in [
        "007",
        "=1+1",
        "1234567890123456789",
        "TRUE",
        "#N/A",
        "2024-03-01",
        " two  blanks ",
        "a\tb\nc",
        "a\rb",
        "_x0041_",
        "_x005F_",
        "\u{1}",
        "\u{202e}שלום",
        "𝔘𝔫𝔦",
        "<&>\"'",
        "]]>",
        "",
        "+5",
        "@x",
        "-1",
        "1e5",
    ] {
        let book = set(&empty(), "B2", json!(text));
        assert_eq!(value(&book, "S!B2"), json!(text), "{text:?}");
        let sheet = part(&book, "xl/worksheets/sheet1.xml");
        assert!(sheet.contains("t=\"inlineStr\""), "{sheet}");
    }
}

#[test]
fn dates_count_from_the_workbooks_own_day() {
    let dated = |flag: &str| {
        Book::new().sheet("S", "<sheetData/>").around(&format!("<workbookPr{flag}/>"), "").bytes()
    };
    for (flag, date, serial) in [
        ("", "1900-02-28", "59"),
        ("", "1900-03-01", "61"),
        ("", "2024-02-29", "45351"),
        (" date1904=\"1\"", "1904-01-02", "1"),
        (" date1904=\"true\"", "2024-02-29", "43889"),
    ] {
        let book = set(&dated(flag), "A1", json!({"date": date}));
        assert!(part(&book, "xl/worksheets/sheet1.xml").contains(&format!("<v>{serial}</v>")), "{date}");
        assert_eq!(value(&book, "S!A1"), json!({"date": date}));
    }
    let noon = set(&dated(""), "A1", json!({"datetime": "2024-03-01T12:00:00"}));
    assert!(part(&noon, "xl/worksheets/sheet1.xml").contains("<v>45352.5</v>"));
    let early = apply(
        &dated(" date1904=\"1\""),
        &json!([{"op": "xlsx_set_cell", "cell": "A1", "value": {"date": "1903-12-31"}}]),
        false,
    );
    assert_eq!(early.expect_err("before the first day").kind, EditErrorKind::InvalidArguments);
}

#[test]
fn cells_and_rows_without_addresses_count_on_and_stay_without() {
    let rows = "<sheetData><row><c><v>1</v></c><c><v>2</v></c></row><row r=\"5\"><c r=\"C5\"><v>3</v></c><c><v>4</v></c></row><row><c t=\"b\"><v>1</v></c></row></sheetData>";
    let book = Book::new().sheet("S", rows).bytes();
    assert_eq!(cell(&book, "S!B1").0, "2");
    assert_eq!(cell(&book, "S!D5").0, "4");
    assert_eq!(value(&book, "S!A6"), json!(true));
    let edited = set(&book, "B1", json!(20));
    assert!(part(&edited, "xl/worksheets/sheet1.xml").starts_with(&format!(
        "<worksheet {}><sheetData><row><c><v>1</v></c><c><v>20</v></c></row>",
        stet_tests::books::NAMESPACES
    )));
    assert!(!part(&edited, "xl/worksheets/sheet1.xml").contains("dimension"));
    let inserted = apply(&book, &json!([{"op": "xlsx_insert_rows", "row": 2, "count": 3}]), false)
        .expect("applies")
        .bytes;
    assert_eq!((cell(&inserted, "S!D8").0, value(&inserted, "S!A9")), ("4".into(), json!(true)));
}

#[test]
fn errors_styles_and_metadata_of_a_cell() {
    let row = "<sheetData><row r=\"1\"><c r=\"A1\" s=\"3\" t=\"e\" vm=\"1\" ph=\"1\"><v>#VALUE!</v></c><c r=\"B1\" s=\"2\" cm=\"1\"><f t=\"array\" ref=\"B1\">SUM(C1:C2*2)</f><v>0</v></c></row></sheetData>";
    let book = Book::new().sheet("S", row).bytes();
    assert_eq!(cell(&book, "S!A1").0, "#VALUE!");
    let edited = set(&set(&book, "A1", json!(7)), "B1", json!(true));
    let sheet = part(&edited, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains("<c r=\"A1\" s=\"3\" ph=\"1\"><v>7</v></c>"), "{sheet}");
    assert!(sheet.contains("<c r=\"B1\" s=\"2\" t=\"b\"><v>1</v></c>"), "{sheet}");
}

#[test]
fn prefixed_and_strict_workbooks_keep_their_ways() {
    let strict = "http://purl.oclc.org/ooxml/spreadsheetml/main";
    let relationships = "http://purl.oclc.org/ooxml/officeDocument/relationships";
    for (prefix, namespace) in
        [("x:", "http://schemas.openxmlformats.org/spreadsheetml/2006/main"), ("", strict), ("s:", strict)]
    {
        let declared = if prefix.is_empty() {
            "xmlns".to_owned()
        } else {
            format!("xmlns:{}", prefix.trim_end_matches(':'))
        };
        let kind = if namespace == strict {
            relationships
        } else {
            "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        };
        let workbook = format!(
            "<{prefix}workbook {declared}=\"{namespace}\" xmlns:r=\"{kind}\"><{prefix}sheets><{prefix}sheet name=\"S\" sheetId=\"1\" r:id=\"rId1\"/></{prefix}sheets></{prefix}workbook>"
        );
        let sheet = format!(
            "<{prefix}worksheet {declared}=\"{namespace}\"><{prefix}sheetData><{prefix}row r=\"1\"><{prefix}c r=\"A1\"><{prefix}v>1</{prefix}v></{prefix}c><{prefix}c r=\"B1\"><{prefix}f>A1+1</{prefix}f><{prefix}v>2</{prefix}v></{prefix}c></{prefix}row></{prefix}sheetData></{prefix}worksheet>"
        );
        let package = "http://schemas.openxmlformats.org/package/2006";
        let root = format!(
            "<Relationships xmlns=\"{package}/relationships\"><Relationship Id=\"rId1\" Type=\"{kind}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
        );
        let links = format!(
            "<Relationships xmlns=\"{package}/relationships\"><Relationship Id=\"rId1\" Type=\"{kind}/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
        );
        let types = format!(
            "<Types xmlns=\"{package}/content-types\"><Default Extension=\"xml\" ContentType=\"application/xml\"/><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Override PartName=\"/xl/workbook.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/></Types>"
        );
        let book = stet_tests::entries::archive(&[
            ("[Content_Types].xml", types.as_bytes()),
            ("_rels/.rels", root.as_bytes()),
            ("xl/workbook.xml", workbook.as_bytes()),
            ("xl/_rels/workbook.xml.rels", links.as_bytes()),
            ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ]);
        let edited = apply(
            &book,
            &json!([
                {"op": "xlsx_set_cell", "cell": "A1", "value": 5},
                {"op": "xlsx_set_cell", "cell": "A3", "value": "text"},
                {"op": "xlsx_insert_rows", "row": 1},
                {"op": "xlsx_add_sheet", "sheet": "More"},
            ]),
            false,
        )
        .expect("applies")
        .bytes;
        assert_eq!(cell(&edited, "S!B2"), ("6".into(), "=A2+1".into()));
        assert_eq!(cell(&edited, "S!A4").0, "text");
        let sheet = part(&edited, "xl/worksheets/sheet1.xml");
        assert!(sheet.contains(&format!("<{prefix}is><{prefix}t xml:space=\"preserve\">text")), "{sheet}");
        assert!(part(&edited, "xl/worksheets/sheet2.xml").contains(namespace));
    }
}

#[test]
fn results_that_cannot_be_trusted_are_no_inputs() {
    let rows = "<sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><f>A1*2</f><v>0</v></c><c r=\"C1\"><f>B1+1</f><v>0</v></c></row></sheetData>";
    let book = Book::new().sheet("S", rows).around("", "<calcPr fullCalcOnLoad=\"1\"/>").bytes();
    let applied =
        apply(&book, &json!([{"op": "xlsx_set_cell", "cell": "D1", "value": {"formula": "=C1*10"}}]), false)
            .expect("applies");
    assert_eq!(cell(&applied.bytes, "S!D1").0, "30");
    assert!(applied.warnings.iter().any(|warning| warning.code == "results_not_trusted"));
    let bare = Book::new().sheet("S", &rows.replace("<v>0</v>", "")).bytes();
    assert_eq!(cell(&set(&bare, "A1", json!(4)), "S!C1").0, "9");
}

fn refusal(book: &[u8], op: Value) -> documents::EditError {
    let error = apply(book, &json!([op.clone()]), false).map(drop).expect_err(&op.to_string());
    assert_eq!(error.kind, EditErrorKind::InvalidArguments, "{op}");
    assert!(error.message.ends_with('.'), "{}", error.message);
    error
}

#[test]
fn formulas_that_excel_cannot_read_are_refused() {
    let formula = |text: &str| json!({"op": "xlsx_set_cell", "cell": "A1", "value": {"formula": text}});
    for text in ["=1+", "=A1++", "==", "=A1:", "=\"a\"\"", "=1,5"] {
        refusal(&empty(), formula(text));
    }
    let error = refusal(&empty(), formula("=SUM(C5;C6)"));
    assert!(error.hint.is_some_and(|hint| hint.contains("commas")));
    let long = refusal(&empty(), formula(&format!("=1{}", "+1".repeat(5000))));
    assert!(long.message.len() < 400 && long.message.contains("8192"), "{}", long.message);
}

#[test]
fn texts_longer_than_a_cell_are_refused() {
    let op = |count: usize| json!({"op": "xlsx_set_cell", "cell": "A1", "value": "é".repeat(count)});
    assert!(apply(&empty(), &json!([op(32_767)]), false).is_ok());
    refusal(&empty(), op(32_768));
    let book = set(&empty(), "A1", json!("x".repeat(32_767)));
    let replaced =
        json!({"op": "xlsx_replace_text", "find": "x", "replace": "yy", "occurrence": 1, "in": "values"});
    refusal(&book, replaced);
}

#[test]
fn names_that_excel_cannot_read_are_refused() {
    let name =
        |name: &str, refers_to: &str| json!({"op": "xlsx_set_name", "name": name, "refers_to": refers_to});
    for op in [
        name("Rate", "1+"),
        name("Rate", "SUM(A1;B1)"),
        name("R1C1", "=1"),
        name("RC", "=1"),
        name("B5", "=1"),
        name("_xlnm.Print_Aria", "S!$A$1"),
        name("_xlnm.Print_Area", "5"),
        name("_xlnm.Print_Area", "=S!$A$1+1"),
        name("_xlnm.Print_Titles", "\"a\""),
    ] {
        refusal(&empty(), op);
    }
    for op in [
        name("Rate", "S!$A$1"),
        name("_xlnm.Print_Area", "=S!$A$1:$B$2,S!$D$1"),
        name("_xlnm.Print_Area", "OFFSET(S!$A$1,0,0,5*2,1)"),
        name("_xlnm.Print_Titles", "S!$1:$2"),
    ] {
        assert!(apply(&empty(), &json!([op]), false).is_ok(), "{op}");
    }
}

#[test]
fn number_formats_that_excel_cannot_read_are_refused() {
    let format = |code: &str| json!({"op": "xlsx_set_format", "range": "A1", "number_format": code});
    for code in ["0\"kg", "[Red0", "0;0;0;@;0", "[Purple]0"] {
        refusal(&empty(), format(code));
    }
    let done = apply(&empty(), &json!([format("[Red]0.00")]), false).expect("applies");
    let change = &done.changes[0];
    assert_eq!(change.before.as_deref(), Some("number format General"));
    assert_eq!(change.after.as_deref(), Some("number format [Red]0.00"));
}

#[test]
fn no_lines_and_the_reserved_sheet_name_are_refused() {
    for op in [
        json!({"op": "xlsx_add_sheet", "sheet": "history"}),
        json!({"op": "xlsx_rename_sheet", "sheet": "S", "to": "History"}),
        json!({"op": "xlsx_copy_sheet", "sheet": "S", "to": "HISTORY"}),
    ] {
        assert!(refusal(&empty(), op).message.contains("keeps for itself"));
    }
    let rows = refusal(&empty(), json!({"op": "xlsx_insert_rows", "row": 1, "count": 0}));
    assert!(rows.message.contains("`count` is 0"), "{}", rows.message);
    refusal(&empty(), json!({"op": "xlsx_insert_cols", "col": "A", "count": 0}));
}

#[test]
fn text_like_a_formula_is_told() {
    let ops = json!([{"op": "xlsx_set_cells", "range": "A1:B2", "values": [["=1+1", "x"], ["=2", {"formula": "=3"}]]}]);
    let done = apply(&empty(), &ops, false).expect("applies");
    let told: Vec<_> = done.warnings.iter().filter(|warning| warning.code == "text_not_formula").collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].location.as_deref(), Some("S!A1"));
    assert!(told[0].message.contains("1 more cell") && told[0].message.contains("{\"formula\": \"=…\"}"));
    let plain = apply(&empty(), &json!([{"op": "xlsx_set_cell", "cell": "A1", "value": "a=1"}]), false);
    assert!(plain.expect("applies").warnings.iter().all(|warning| warning.code != "text_not_formula"));
}
