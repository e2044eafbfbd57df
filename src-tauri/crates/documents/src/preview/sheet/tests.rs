//! Windows of sheets, on the sample workbook and on small ones made here.

use super::*;

const BUDGET: &[u8] = include_bytes!("../../../../../../samples/Budget.xlsx");

fn open(bytes: &[u8]) -> Book {
    Book::open(bytes, &Limits::default(), &|| false).unwrap()
}

fn window(book: &Book, sheet: usize) -> SheetWindow {
    let request = WindowRequest { sheet: Some(sheet), rows: [1, 100], columns: [1, 30], with_layout: true };
    book.window(&request).unwrap()
}

fn at(window: &SheetWindow, row: u32, column: u32) -> &Cell {
    window.cells.iter().find(|cell| (cell.row, cell.column) == (row, column)).unwrap()
}

#[test]
fn shows_values_formulas_and_styles() {
    let book = open(BUDGET);
    let names: Vec<String> = book.sheets().into_iter().map(|sheet| sheet.name).collect();
    assert_eq!(names, ["Budget", "Dates"]);
    let window = window(&book, 0);
    assert_eq!(at(&window, 4, 1).value, CellShown::Text("Travel".into()));
    assert_eq!(at(&window, 4, 2).value, CellShown::Number(100.0));
    assert_eq!(at(&window, 9, 2).formula.as_deref(), Some("=SUM(B4:B8)"));
    let title = &window.styles[&at(&window, 1, 1).style];
    assert!(title.bold && title.size == Some(16.0) && title.color.as_deref() == Some("#1f6552"), "{title:?}");
    let total = &window.styles[&at(&window, 9, 2).style];
    assert_eq!(total.number_format.as_deref(), Some("#,##0;[Red]-#,##0"));
    assert_eq!(total.border[0].as_ref().map(|line| line.line.as_str()), Some("medium"));
}

#[test]
fn tells_the_layout_once_asked() {
    let book = open(BUDGET);
    let layout = window(&book, 0).layout.unwrap();
    assert_eq!((layout.frozen_rows, layout.frozen_columns), (3, 0));
    assert_eq!(layout.merges, [[1, 1, 1, 4]]);
    assert_eq!(layout.widths[0], Span { from: 1, to: 1, size: 26.0 });
    assert_eq!(layout.heights, [Span { from: 1, to: 1, size: 28.0 }]);
    assert_eq!((layout.last_row, layout.last_column), (9, 4));
}

#[test]
fn a_window_holds_only_its_cells() {
    let book = open(BUDGET);
    let request = WindowRequest { sheet: None, rows: [5, 6], columns: [2, 3], with_layout: false };
    let window = book.window(&request).unwrap();
    let places: Vec<(u32, u32)> = window.cells.iter().map(|cell| (cell.row, cell.column)).collect();
    assert_eq!(places, [(5, 2), (5, 3), (6, 2), (6, 3)]);
    assert!(window.layout.is_none());
}

fn rows_of(sheet: &str) -> Result<Vec<Cell>, DocumentError> {
    let bytes = std::sync::Arc::new(sheet.as_bytes().to_vec());
    let index = rows::RowIndex::of(bytes, &Limits::default()).unwrap();
    index.cells([1, 100], [1, 100], &strings::Strings::default())
}

const HEAD: &str =
    r#"<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:sheetData>"#;
const TAIL: &str = "</x:sheetData></x:worksheet>";

#[test]
fn rows_and_cells_without_addresses_follow_each_other() {
    let sheet = format!(
        "{HEAD}<x:row><x:c><x:v>1</x:v></x:c><x:c><x:v>2</x:v></x:c></x:row><x:row><x:c><x:v>3</x:v></x:c></x:row>{TAIL}"
    );
    let found: Vec<(u32, u32)> =
        rows_of(&sheet).unwrap().iter().map(|cell| (cell.row, cell.column)).collect();
    assert_eq!(found, [(1, 1), (1, 2), (2, 1)]);
}

#[test]
fn what_looks_like_a_row_inside_a_comment_or_cdata_is_none() {
    let sheet = format!(
        "{HEAD}<!-- <x:row r=\"7\"> --><x:row r=\"2\"><x:c r=\"B2\" t=\"inlineStr\"><x:is><x:t><![CDATA[<x:row r=\"9\">]]></x:t></x:is></x:c></x:row>{TAIL}"
    );
    let found = rows_of(&sheet).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].value, CellShown::Text("<x:row r=\"9\">".into()));
}

#[test]
fn kinds_of_values() {
    let sheet = format!(
        "{HEAD}<x:row r=\"1\"><x:c r=\"A1\" t=\"b\"><x:v>1</x:v></x:c><x:c r=\"B1\" t=\"e\"><x:v>#REF!</x:v></x:c><x:c r=\"C1\" t=\"str\"><x:f>A1&amp;\"x\"</x:f><x:v>a&lt;b</x:v></x:c><x:c r=\"D1\" t=\"d\"><x:v>2024-03-01</x:v></x:c><x:c r=\"E1\"/><x:c r=\"F1\" s=\"3\"/></x:row>{TAIL}"
    );
    let found = rows_of(&sheet).unwrap();
    let values: Vec<&CellShown> = found.iter().map(|cell| &cell.value).collect();
    let expected = [
        &CellShown::Truth(true),
        &CellShown::Error("#REF!".into()),
        &CellShown::Text("a<b".into()),
        &CellShown::Date("2024-03-01".into()),
        &CellShown::Empty,
    ];
    assert_eq!(values, expected);
    assert_eq!(found[2].formula.as_deref(), Some("=A1&\"x\""));
}

/// The sample with rich text in its first string, a rule on its numbers, and a style for it.
fn dressed(rules: &str) -> Vec<u8> {
    use crate::package::{Package, PartName};
    let mut package = Package::open(BUDGET, &Limits::default()).unwrap();
    let mut put = |name: &str, from: &str, to: &str| {
        let part = PartName::new(name);
        let text = String::from_utf8(package.require(&part).unwrap().to_vec()).unwrap();
        assert!(text.contains(from), "{name}");
        package.replace(&part, text.replacen(from, to, 1).into_bytes()).unwrap();
    };
    let plain = "<si><t xml:space=\"preserve\">Budget of the spring campaign</t></si>";
    let rich = "<si><r><t>Budget </t></r><r><rPr><b/><i val=\"0\"/><sz val=\"20\"/><color rgb=\"FFC00000\"/><rFont val=\"Arial\"/></rPr><t>of &lt;spring&gt;</t></r></si>";
    put("xl/sharedStrings.xml", plain, rich);
    let dxf = "<dxfs count=\"1\"><dxf><font><b/><color rgb=\"FF9C0006\"/></font><fill><patternFill><bgColor rgb=\"FFFFC7CE\"/></patternFill></fill></dxf></dxfs></styleSheet>";
    put("xl/styles.xml", "</styleSheet>", dxf);
    put("xl/worksheets/sheet1.xml", "<pageMargins", &format!("{rules}<pageMargins"));
    package.finish().unwrap().bytes
}

#[test]
fn rich_text_comes_in_its_pieces() {
    let book = open(&dressed(""));
    let window = window(&book, 0);
    let title = at(&window, 1, 1);
    assert_eq!(title.value, CellShown::Text("Budget of <spring>".into()));
    let runs = title.runs.as_ref().unwrap();
    assert_eq!((runs[0].text.as_str(), runs[0].bold), ("Budget ", None));
    assert_eq!(
        (runs[1].text.as_str(), runs[1].bold, runs[1].italic),
        ("of <spring>", Some(true), Some(false))
    );
    assert_eq!(
        (runs[1].color.as_deref(), runs[1].size, runs[1].font.as_deref()),
        (Some("#c00000"), Some(20.0), Some("Arial"))
    );
    assert_eq!(at(&window, 4, 1).runs, None);
}

#[test]
fn conditional_formats_dress_cells() {
    let look = |rule: &str, row: u32| {
        let list = format!("<conditionalFormatting sqref=\"B4:B8\">{rule}</conditionalFormatting>");
        let book = open(&dressed(&list));
        let window = window(&book, 0);
        assert_eq!(at(&window, 4, 3).look, None, "only the rule's own cells");
        at(&window, row, 2).look.clone().unwrap_or_default()
    };
    let red = Look {
        fill: Some("#ffc7ce".into()),
        color: Some("#9c0006".into()),
        bold: Some(true),
        ..Look::default()
    };
    // 100, 640, 1200, 450, 300
    let rule = "<cfRule type=\"cellIs\" dxfId=\"0\" priority=\"1\" operator=\"greaterThan\"><formula>500</formula></cfRule>";
    assert_eq!((look(rule, 5), look(rule, 4)), (red.clone(), Look::default()));
    let between = "<cfRule type=\"cellIs\" dxfId=\"0\" priority=\"1\" operator=\"between\"><formula>300</formula><formula>450</formula></cfRule>";
    assert_eq!((look(between, 8), look(between, 4)), (red.clone(), Look::default()));
    let top = "<cfRule type=\"top10\" dxfId=\"0\" priority=\"1\" rank=\"2\"/>";
    assert_eq!((look(top, 5), look(top, 7)), (red.clone(), Look::default()));
    let average = "<cfRule type=\"aboveAverage\" dxfId=\"0\" priority=\"1\" aboveAverage=\"0\"/>";
    assert_eq!((look(average, 4), look(average, 6)), (red, Look::default()));
    let scale = "<cfRule type=\"colorScale\" priority=\"1\"><colorScale><cfvo type=\"min\"/><cfvo type=\"max\"/><color rgb=\"FF000000\"/><color rgb=\"FFFFFFFF\"/></colorScale></cfRule>";
    assert_eq!(look(scale, 4).fill.as_deref(), Some("#000000"));
    assert_eq!(look(scale, 6).fill.as_deref(), Some("#ffffff"));
    assert_eq!(look(scale, 5).fill.as_deref(), Some("#7d7d7d"));
    let bar = "<cfRule type=\"dataBar\" priority=\"1\"><dataBar><cfvo type=\"num\" val=\"0\"/><cfvo type=\"max\"/><color rgb=\"FF638EC6\"/></dataBar></cfRule>";
    assert_eq!(look(bar, 8).bar, Some((0.25, "#638ec6".into())));
    // A rule with a formula of its own is not guessed at.
    assert_eq!(
        look("<cfRule type=\"expression\" dxfId=\"0\" priority=\"1\"><formula>B4&gt;1</formula></cfRule>", 5),
        Look::default()
    );
}
