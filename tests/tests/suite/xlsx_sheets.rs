//! Sheets copied and deleted with what hangs on them, tables, dynamic arrays, rich text, chart caches, search, protection.

use documents::error::EditErrorKind;
use serde_json::json;
use stet_tests::books::{Book, apply, cell, names, outline, part};

const CHART: &str = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml";
const TABLE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml";

fn edited(book: &[u8], ops: serde_json::Value) -> Vec<u8> {
    apply(book, &ops, false).expect("applies").bytes
}

fn refused(book: &[u8], ops: serde_json::Value) -> EditErrorKind {
    apply(book, &ops, false).expect_err("refused").kind
}

fn row(number: usize, cells: &[(&str, &str)]) -> String {
    let cells: String = cells.iter().map(|(at, inside)| format!("<c r=\"{at}\">{inside}</c>")).collect();
    format!("<row r=\"{number}\">{cells}</row>")
}

/// A sheet with a table (a calculated column), a chart, notes, a threaded comment, a local and a global name.
fn ledger() -> Vec<u8> {
    let header = "<row r=\"1\"><c r=\"A1\" t=\"str\"><v>Item</v></c><c r=\"B1\" t=\"str\"><v>Qty</v></c><c r=\"C1\" t=\"str\"><v>Twice</v></c></row>";
    let line = |number: usize, quantity: usize| {
        row(
            number,
            &[
                (&format!("B{number}"), &format!("<v>{quantity}</v>")),
                (&format!("C{number}"), &format!("<f>Sales[[#This Row],[Qty]]*2</f><v>{}</v>", quantity * 2)),
            ],
        )
    };
    let outside = row(6, &[("B6", "<f>SUM(Sales[Qty])+Data!B2</f><v>13</v>")]);
    let inside = format!(
        "<sheetViews><sheetView tabSelected=\"1\" workbookViewId=\"0\"/></sheetViews><sheetData>{header}{}{}{}{outside}</sheetData><drawing r:id=\"rId1\"/><legacyDrawing r:id=\"rId2\"/><tableParts count=\"1\"><tablePart r:id=\"rId3\"/></tableParts>",
        line(2, 3),
        line(3, 4),
        line(4, 3)
    );
    let table = "<table xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" id=\"1\" name=\"Sales\" displayName=\"Sales\" ref=\"A1:C4\"><autoFilter ref=\"A1:C4\"/><tableColumns count=\"3\"><tableColumn id=\"1\" name=\"Item\"/><tableColumn id=\"2\" name=\"Qty\"/><tableColumn id=\"3\" name=\"Twice\"><calculatedColumnFormula>Sales[[#This Row],[Qty]]*2</calculatedColumnFormula></tableColumn></tableColumns></table>";
    let chart = "<c:chartSpace xmlns:c=\"http://schemas.openxmlformats.org/drawingml/2006/chart\"><c:chart><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:f>Data!$B$1</c:f><c:strCache><c:ptCount val=\"1\"/><c:pt idx=\"0\"><c:v>Qty</c:v></c:pt></c:strCache></c:strRef></c:tx><c:val><c:numRef><c:f>Data!$B$2:$B$4</c:f><c:numCache><c:formatCode>General</c:formatCode><c:ptCount val=\"3\"/><c:pt idx=\"0\"><c:v>3</c:v></c:pt><c:pt idx=\"1\"><c:v>4</c:v></c:pt><c:pt idx=\"2\"><c:v>3</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>";
    let drawing = "<xdr:wsDr xmlns:xdr=\"http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing\" xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><xdr:twoCellAnchor><xdr:from><xdr:col>5</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>1</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:to><xdr:col>9</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>9</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:to><xdr:graphicFrame macro=\"\"><xdr:nvGraphicFramePr><xdr:cNvPr id=\"2\" name=\"Chart 1\"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"0\" cy=\"0\"/></xdr:xfrm><a:graphic><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/chart\"><c:chart xmlns:c=\"http://schemas.openxmlformats.org/drawingml/2006/chart\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" r:id=\"rId1\"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>";
    let vml = "<xml xmlns:v=\"urn:schemas-microsoft-com:vml\" xmlns:x=\"urn:schemas-microsoft-com:office:excel\"><v:shape id=\"_x0000_s1025\"><x:ClientData ObjectType=\"Note\"><x:Anchor>1, 0, 1, 0, 3, 0, 4, 0</x:Anchor><x:Row>1</x:Row><x:Column>1</x:Column></x:ClientData></v:shape></xml>";
    let comments = "<comments xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><authors><author>tc={11111111-2222-4333-8444-555555555555}</author></authors><commentList><comment ref=\"B2\" authorId=\"0\"><text><t>old</t></text></comment></commentList></comments>";
    let threads = "<ThreadedComments xmlns=\"http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments\"><threadedComment ref=\"B2\" id=\"{11111111-2222-4333-8444-555555555555}\"><text>hello</text></threadedComment></ThreadedComments>";
    Book::new()
        .sheet("Data", &inside)
        .sheet("Sum", &format!("<sheetData>{}</sheetData>", row(1, &[("A1", "<f>SUM(Sales[Twice])+Total</f><v>30</v>")])))
        .part("xl/tables/table1.xml", TABLE, table)
        .part("xl/charts/chart1.xml", CHART, chart)
        .part("xl/drawings/drawing1.xml", "application/vnd.openxmlformats-officedocument.drawing+xml", drawing)
        .part("xl/drawings/vmlDrawing1.vml", "", vml)
        .part("xl/comments1.xml", "application/vnd.openxmlformats-officedocument.spreadsheetml.comments+xml", comments)
        .part("xl/threadedComments/threadedComment1.xml", "application/vnd.ms-excel.threadedcomments+xml", threads)
        .links(
            "xl/worksheets/sheet1.xml",
            &[
                ("rId1", "drawing", "../drawings/drawing1.xml"),
                ("rId2", "vmlDrawing", "../drawings/vmlDrawing1.vml"),
                ("rId3", "table", "../tables/table1.xml"),
                ("rId4", "comments", "../comments1.xml"),
                ("rId5", "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment", "../threadedComments/threadedComment1.xml"),
            ],
        )
        .links("xl/drawings/drawing1.xml", &[("rId1", "chart", "../charts/chart1.xml")])
        .around(
            "",
            "<definedNames><definedName name=\"_xlnm.Print_Area\" localSheetId=\"0\">Data!$A$1:$C$6</definedName><definedName name=\"Total\">Data!$B$2+Data!$B$3+Data!$B$4</definedName></definedNames>",
        )
        .bytes()
}

#[test]
fn a_sheet_is_copied_with_all_that_hangs_on_it() {
    let copied = edited(&ledger(), json!([{"op": "xlsx_copy_sheet", "sheet": "Data", "to": "Data 2025"}]));
    for added in [
        "xl/tables/table2.xml",
        "xl/charts/chart2.xml",
        "xl/drawings/drawing2.xml",
        "xl/drawings/vmlDrawing2.vml",
        "xl/comments2.xml",
        "xl/threadedComments/threadedComment2.xml",
    ] {
        assert!(names(&copied).iter().any(|name| name == added), "{added} in {:?}", names(&copied));
    }
    let table = part(&copied, "xl/tables/table2.xml");
    assert!(table.contains("id=\"2\" name=\"Sales_2\" displayName=\"Sales_2\""), "{table}");
    assert!(table.contains("<calculatedColumnFormula>Sales_2[[#This Row],[Qty]]*2<"), "{table}");
    let chart = part(&copied, "xl/charts/chart2.xml");
    assert!(chart.contains("'Data 2025'!$B$2:$B$4") && !chart.contains("<c:f>Data!"), "{chart}");
    assert_eq!(part(&copied, "xl/charts/chart1.xml"), part(&ledger(), "xl/charts/chart1.xml"));
    assert_eq!(cell(&copied, "'Data 2025'!B6").1, "=SUM(Sales_2[Qty])+'Data 2025'!B2");
    assert_eq!(cell(&copied, "Data!B6").1, "=SUM(Sales[Qty])+Data!B2");
    let workbook = part(&copied, "xl/workbook.xml");
    assert!(workbook.contains("localSheetId=\"1\">'Data 2025'!$A$1:$C$6"), "{workbook}");
    assert!(workbook.contains("localSheetId=\"1\" name=\"Total\">'Data 2025'!$B$2+"), "{workbook}");
    let (old, new) = (part(&copied, "xl/comments1.xml"), part(&copied, "xl/comments2.xml"));
    assert!(old.contains("11111111-2222") && !new.contains("11111111-2222"));
    let guid = new.split("tc=").nth(1).and_then(|rest| rest.split('<').next()).expect("a guid");
    assert!(part(&copied, "xl/threadedComments/threadedComment2.xml").contains(guid));
    // The copy lives on its own.
    let changed =
        edited(&copied, json!([{"op": "xlsx_set_cell", "sheet": "Data 2025", "cell": "B2", "value": 30}]));
    assert_eq!(cell(&changed, "'Data 2025'!B6").0, "67");
    assert_eq!(cell(&changed, "Data!B6").0, "13");
}

#[test]
fn a_sheet_with_a_pivot_table_is_deleted_with_its_cache() {
    let path = stet_tests::fixture("xlsx-every-reference.xlsx");
    let bytes = std::fs::read(path).expect("the fixture");
    let ops = json!([{"op": "xlsx_delete_sheet", "sheet": "It's & 2nd"}]);
    let applied = apply(&bytes, &ops, true).expect("applies");
    let left = names(&applied.bytes);
    let pivots: Vec<&String> = left.iter().filter(|name| name.contains("pivot")).collect();
    assert!(pivots.is_empty(), "{pivots:?}");
    assert!(!part(&applied.bytes, "xl/workbook.xml").contains("pivotCache"));
    // The other way round: the source goes, the pivot table stays and is named.
    let ops = json!([{"op": "xlsx_delete_sheet", "sheet": "Data"}]);
    let applied = apply(&bytes, &ops, true).expect("applies");
    assert!(applied.warnings.iter().any(|warning| warning.code == "pivot_source_gone"));
    assert!(names(&applied.bytes).iter().any(|name| name.contains("pivotTable")));
}

#[test]
fn deleted_rows_take_a_whole_table_along() {
    let applied =
        apply(&ledger(), &json!([{"op": "xlsx_delete_rows", "start": 1, "end": 5}]), false).expect("applies");
    assert!(!names(&applied.bytes).iter().any(|name| name.contains("table1.xml")));
    assert!(!part(&applied.bytes, "xl/worksheets/sheet1.xml").contains("tablePart"));
    assert_eq!(cell(&applied.bytes, "Data!B1").1, "=SUM(#REF!)+Data!#REF!");
    assert_eq!(cell(&applied.bytes, "Sum!A1").1, "=SUM(#REF!)+Total");
    assert!(
        applied
            .warnings
            .iter()
            .any(|w| w.code == "ref_became_error" && w.location.as_deref() == Some("Sum!A1"))
    );
    assert_eq!(
        refused(&ledger(), json!([{"op": "xlsx_delete_rows", "start": 1, "end": 2}])),
        EditErrorKind::WouldDamage
    );
}

#[test]
fn new_rows_of_a_table_take_its_calculated_columns() {
    let inserted = edited(&ledger(), json!([{"op": "xlsx_insert_rows", "row": 3, "rows": [["Plums", 10]]}]));
    assert_eq!(cell(&inserted, "Data!C3"), ("20".into(), "=Sales[[#This Row],[Qty]]*2".into()));
    assert_eq!(cell(&inserted, "Sum!A1").0, "50");
    let grown = edited(
        &ledger(),
        json!([{"op": "xlsx_delete_rows", "start": 6}, {"op": "xlsx_append_rows", "extend_table": true, "rows": [["Figs", 5], ["Nuts", 6, 1]]}]),
    );
    assert!(part(&grown, "xl/tables/table1.xml").contains("ref=\"A1:C6\""));
    assert_eq!(cell(&grown, "Data!C5"), ("10".into(), "=Sales[[#This Row],[Qty]]*2".into()));
    assert_eq!(cell(&grown, "Data!C6"), ("1".into(), String::new()));
}

#[test]
fn charts_remember_the_cells_as_they_are() {
    let set = edited(&ledger(), json!([{"op": "xlsx_set_cell", "cell": "B3", "value": 40.5}]));
    let chart = part(&set, "xl/charts/chart1.xml");
    assert!(chart.contains("<c:pt idx=\"1\"><c:v>40.5</c:v></c:pt>"), "{chart}");
    let grown = edited(&ledger(), json!([{"op": "xlsx_insert_rows", "row": 3, "rows": [["Plums", 10]]}]));
    let chart = part(&grown, "xl/charts/chart1.xml");
    assert!(
        chart.contains("Data!$B$2:$B$5")
            && chart.contains(
                "<c:ptCount val=\"4\"/><c:pt idx=\"0\"><c:v>3</c:v></c:pt><c:pt idx=\"1\"><c:v>10</c:v>"
            ),
        "{chart}"
    );
    let header = edited(&ledger(), json!([{"op": "xlsx_set_cell", "cell": "B1", "value": "Pieces & more"}]));
    assert!(part(&header, "xl/charts/chart1.xml").contains("<c:v>Pieces &amp; more</c:v>"));
    assert_eq!(cell(&header, "Data!B6").1, "=SUM(Sales[Pieces & more])+Data!B2");
    let elsewhere = edited(&ledger(), json!([{"op": "xlsx_set_cell", "cell": "H9", "value": 1}]));
    assert_eq!(part(&elsewhere, "xl/charts/chart1.xml"), part(&ledger(), "xl/charts/chart1.xml"));
}

fn numbers() -> Vec<u8> {
    let rows: String =
        (1..=4).map(|n| row(n, &[(&format!("A{n}"), &format!("<v>{}</v>", n * 10))])).collect();
    Book::new().sheet("S", &format!("<dimension ref=\"A1:A4\"/><sheetData>{rows}</sheetData>")).bytes()
}

#[test]
fn formulas_that_spill_become_dynamic_arrays() {
    let book = edited(
        &numbers(),
        json!([{"op": "xlsx_set_cell", "cell": "C1", "value": {"formula": "=SORT(A1:A4,1,-1)"}}]),
    );
    let sheet = part(&book, "xl/worksheets/sheet1.xml");
    assert!(
        sheet.contains(
            "<c cm=\"1\" r=\"C1\"><f t=\"array\" ref=\"C1:C4\">_xlfn._xlws.SORT(A1:A4,1,-1)</f><v>40</v></c>"
        ),
        "{sheet}"
    );
    assert_eq!(cell(&book, "S!C4").0, "10");
    assert!(part(&book, "xl/metadata.xml").contains("XLDAPR"));
    assert!(part(&book, "[Content_Types].xml").contains("sheetMetadata+xml"));
    // A second one uses the same record; plain arithmetic over a range spills too, and a sum over products needs the array.
    let more = edited(
        &book,
        json!([
            {"op": "xlsx_set_cell", "cell": "E1", "value": {"formula": "=A1:A4*2"}},
            {"op": "xlsx_set_cell", "cell": "G1", "value": {"formula": "=SUM(A1:A4*C1:C4)"}},
            {"op": "xlsx_set_cell", "cell": "H1", "value": {"formula": "=SUM(E1:E4)"}},
        ]),
    );
    assert_eq!(cell(&more, "S!E4").0, "80");
    assert_eq!(cell(&more, "S!G1").0, "2000");
    assert_eq!(cell(&more, "S!H1").0, "200");
    let sheet = part(&more, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains("ref=\"G1\"") && sheet.contains("<c r=\"H1\"><f>SUM(E1:E4)</f>"), "{sheet}");
    // An input changes: all of the result follows.
    let changed = edited(&more, json!([{"op": "xlsx_set_cell", "cell": "A1", "value": 100}]));
    assert_eq!((cell(&changed, "S!C1").0, cell(&changed, "S!E1").0), ("100".into(), "200".into()));
    // The formula goes, and so do its results.
    let gone = edited(&more, json!([{"op": "xlsx_set_cell", "cell": "C1", "value": 1}]));
    assert_eq!(cell(&gone, "S!C2").0, "");
    let taken = json!([{"op": "xlsx_set_cell", "cell": "C3", "value": "x"}, {"op": "xlsx_set_cell", "cell": "C1", "value": {"formula": "=UNIQUE(A1:A4)"}}]);
    assert_eq!(refused(&numbers(), taken), EditErrorKind::WouldDamage);
    let unknown = json!([{"op": "xlsx_set_cell", "cell": "C1", "value": {"formula": "=RANDARRAY(3)"}}]);
    assert_eq!(refused(&numbers(), unknown), EditErrorKind::UnsupportedOp);
}

#[test]
fn rich_text_keeps_its_runs_and_others_keep_theirs() {
    let strings = "<sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" count=\"2\" uniqueCount=\"1\"><si><r><t>Net </t></r><r><rPr><b/></rPr><t>price</t></r><rPh sb=\"0\" eb=\"1\"><t>x</t></rPh></si></sst>";
    let rows = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\" ph=\"1\"><v>0</v></c></row>";
    let book = Book::new()
        .sheet("S", &format!("<sheetData>{rows}</sheetData>"))
        .part(
            "xl/sharedStrings.xml",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml",
            strings,
        )
        .link("rId9", "sharedStrings", "sharedStrings.xml")
        .bytes();
    let set = edited(&book, json!([{"op": "xlsx_set_cell", "cell": "A1", "value": "gross"}]));
    assert_eq!((cell(&set, "S!A1").0, cell(&set, "S!B1").0), ("gross".into(), "Net price".into()));
    assert_eq!(part(&set, "xl/sharedStrings.xml"), strings);
    let replaced = edited(
        &book,
        json!([{"op": "xlsx_replace_text", "range": "B1", "find": "price", "replace": "cost"}]),
    );
    assert_eq!(
        (cell(&replaced, "S!A1").0, cell(&replaced, "S!B1").0),
        ("Net price".into(), "Net cost".into())
    );
    let sheet = part(&replaced, "xl/worksheets/sheet1.xml");
    assert!(
        sheet.contains("<r><rPr><b/></rPr><t xml:space=\"preserve\">cost</t></r></is>")
            && sheet.contains("ph=\"1\""),
        "{sheet}"
    );
}

#[test]
fn a_search_finds_texts_formulas_and_names() {
    let at = |words: &str| {
        outline(&ledger(), Some(&format!("find:{words}"))).into_iter().map(|node| node.at).collect::<Vec<_>>()
    };
    assert_eq!(at("sum(sales"), ["Data!B6", "Sum!A1"]);
    assert_eq!(at("item"), ["Data!A1:C4", "Data!A1"]);
    assert_eq!(at("total"), ["Total", "Sum!A1"]);
    assert!(at("nowhere").is_empty());
}

#[test]
fn locked_cells_are_not_deleted_where_only_unlocked_ones_may_be() {
    let styles = "<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><cellXfs count=\"2\"><xf/><xf applyProtection=\"1\"><protection locked=\"0\"/></xf></cellXfs></styleSheet>";
    let inside = "<cols><col min=\"1\" max=\"16384\" style=\"1\"/></cols><sheetData><row r=\"1\"><c r=\"A1\" s=\"1\"><v>1</v></c></row><row r=\"2\"><c r=\"A2\"><v>2</v></c></row><row r=\"3\"><c r=\"A3\" s=\"1\"><v>3</v></c></row></sheetData><sheetProtection sheet=\"1\" deleteRows=\"0\"/>";
    let book = Book::new()
        .sheet("S", inside)
        .part(
            "xl/styles.xml",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml",
            styles,
        )
        .link("rId9", "styles", "styles.xml")
        .bytes();
    edited(&book, json!([{"op": "xlsx_delete_rows", "start": 3}]));
    assert_eq!(refused(&book, json!([{"op": "xlsx_delete_rows", "start": 2}])), EditErrorKind::ReadOnly);
    assert_eq!(refused(&book, json!([{"op": "xlsx_delete_cols", "start": 1}])), EditErrorKind::ReadOnly);
}

#[test]
fn a_name_does_not_take_the_name_of_a_table() {
    let name = |name: &str| json!([{"op": "xlsx_set_name", "name": name, "refers_to": "Data!$A$1"}]);
    assert_eq!(refused(&ledger(), name("sales")), EditErrorKind::InvalidArguments);
    edited(&ledger(), name("Sales_of_all"));
}
