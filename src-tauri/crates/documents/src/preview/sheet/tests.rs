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

#[test]
fn the_last_column_is_found_without_a_dimension() {
    let row = "<x:row r=\"1\"><x:c r=\"A1\"/><x:c r=\"AB1\" s=\"1\"/></x:row><x:row r=\"2\"><x:c r=\"C2\"><x:v>1</x:v></x:c></x:row>";
    let bytes = std::sync::Arc::new(format!("{HEAD}{row}{TAIL}").into_bytes());
    assert_eq!(rows::RowIndex::of(bytes, &Limits::default()).unwrap().last_column(), 28);
}

#[test]
fn inline_text_comes_in_its_pieces_too() {
    let rich = "<x:is><x:r><x:t>plain </x:t></x:r><x:r><x:rPr><x:b/><x:color rgb=\"FF00AA00\"/></x:rPr><x:t>bold &amp; <![CDATA[<green>]]></x:t></x:r><x:rPh sb=\"0\" eb=\"1\"><x:t>reading</x:t></x:rPh></x:is>";
    let sheet = format!("{HEAD}<x:row r=\"1\"><x:c r=\"A1\" t=\"inlineStr\">{rich}</x:c></x:row>{TAIL}");
    let cell = rows_of(&sheet).unwrap().remove(0);
    assert_eq!(cell.value, CellShown::Text("plain bold & <green>".into()));
    let runs = cell.runs.unwrap();
    let told: Vec<(&str, Option<bool>)> = runs.iter().map(|run| (run.text.as_str(), run.bold)).collect();
    assert_eq!(told, [("plain ", None), ("bold & <green>", Some(true))]);
    let plain = "<x:is><x:r><x:t>all of one look</x:t></x:r></x:is>";
    let sheet = format!("{HEAD}<x:row r=\"1\"><x:c r=\"A1\" t=\"inlineStr\">{plain}</x:c></x:row>{TAIL}");
    assert_eq!(rows_of(&sheet).unwrap().remove(0).runs, None);
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
    assert_eq!(look(bar, 8).bar, Some((0.0, 0.25, "#638ec6".into())));
}

/// The look of a cell under rules that stand in the sheet as given (`dressed` says what the numbers are).
fn look_at(rules: &str, row: u32, column: u32) -> Look {
    let book = open(&dressed(rules));
    let window = window(&book, 0);
    let cell = window.cells.iter().find(|cell| (cell.row, cell.column) == (row, column));
    cell.and_then(|cell| cell.look.clone()).unwrap_or_default()
}

/// A formula rule that paints its cells with the one differential format.
fn formula_rule(areas: &str, formula: &str) -> String {
    format!(
        "<conditionalFormatting sqref=\"{areas}\"><cfRule type=\"expression\" dxfId=\"0\" priority=\"1\"><formula>{formula}</formula></cfRule></conditionalFormatting>"
    )
}

#[test]
fn formulas_of_rules_are_judged_for_each_cell() {
    let is_red =
        |rules: &str, row: u32, column: u32| look_at(rules, row, column).fill.as_deref() == Some("#ffc7ce");
    // B4:B8 hold 100, 640, 1200, 450, 300; relative references move along, absolute ones stay.
    let rule = formula_rule("A4:F8", "$B4&gt;500");
    assert!(is_red(&rule, 5, 2) && is_red(&rule, 6, 1) && !is_red(&rule, 4, 2));
    assert!(is_red(&rule, 5, 6), "a cell that the file does not hold is coloured with its row");
    assert!(!is_red(&rule, 9, 2), "only inside its area");
    let share = formula_rule("B4:B8", "B4=MAX($B$4:$B$8)");
    assert!(is_red(&share, 6, 2) && !is_red(&share, 5, 2));
    let words = formula_rule("A4:A8", "AND(LEN(A4)&gt;3,ISNUMBER(SEARCH(\"trav\",A4)))");
    assert!(is_red(&words, 4, 1) && !is_red(&words, 5, 1));
    let rows = formula_rule("A4:D8", "MOD(ROW(),2)=0");
    assert!(is_red(&rows, 4, 1) && !is_red(&rows, 5, 1));
    let other_sheet = formula_rule("B4:B8", "COUNTA(Dates!$A$1:$A$20)&gt;0");
    assert!(is_red(&other_sheet, 4, 2));
    let repeated = formula_rule("B4:B8", "COUNTIF($B$4:$B$8,B4)&gt;1");
    assert!(!is_red(&repeated, 4, 2));
    // What asks for the time, and what is no formula, dresses nothing.
    assert_eq!(look_at(&formula_rule("B4:B8", "TODAY()&gt;0"), 4, 2), Look::default());
    assert_eq!(look_at(&formula_rule("B4:B8", "((("), 4, 2), Look::default());
    let compared = "<conditionalFormatting sqref=\"B4:B8\"><cfRule type=\"cellIs\" dxfId=\"0\" priority=\"1\" operator=\"greaterThan\"><formula>AVERAGE($B$4:$B$8)</formula></cfRule></conditionalFormatting>";
    assert!(is_red(compared, 5, 2) && !is_red(compared, 7, 2));
}

#[test]
fn icon_sets_tell_which_icon_a_value_gets() {
    let rule = |attributes: &str, steps: &str| {
        format!(
            "<conditionalFormatting sqref=\"B4:B8\"><cfRule type=\"iconSet\" priority=\"1\"><iconSet {attributes}>{steps}</iconSet></cfRule></conditionalFormatting>"
        )
    };
    let percent = |at: &str| format!("<cfvo type=\"percent\" val=\"{at}\"/>");
    let thirds = format!("{}{}{}", percent("0"), percent("33"), percent("67"));
    let icon = |rules: &str, row: u32| look_at(rules, row, 2).icon;
    let arrows = rule("iconSet=\"3Arrows\"", &thirds);
    // 100 to 1200: 33 % is 463, 67 % is 837.
    assert_eq!(icon(&arrows, 4), Some(("3Arrows".into(), 0)));
    assert_eq!(icon(&arrows, 5), Some(("3Arrows".into(), 1)));
    assert_eq!(icon(&arrows, 6), Some(("3Arrows".into(), 2)));
    let reversed = rule("iconSet=\"3Flags\" reverse=\"1\" showValue=\"0\"", &thirds);
    assert_eq!(icon(&reversed, 6), Some(("3Flags".into(), 0)));
    assert!(look_at(&reversed, 6, 2).value_hidden);
    // Nothing named is three traffic lights; a step may leave its own value out, or be a formula.
    let steps = "<cfvo type=\"percent\" val=\"0\"/><cfvo type=\"num\" val=\"300\" gte=\"0\"/><cfvo type=\"formula\" val=\"$B$5\"/>";
    let own = rule("", steps);
    assert_eq!(icon(&own, 8), Some(("3TrafficLights1".into(), 0)), "300 itself is left out");
    assert_eq!(icon(&own, 7), Some(("3TrafficLights1".into(), 1)));
    assert_eq!(icon(&own, 5), Some(("3TrafficLights1".into(), 2)));
    assert_eq!(look_at(&own, 4, 1), Look::default());
}

/// Rules in the sheet's extension list, as Excel writes what came after the standard.
fn newer(area: &str, rule: &str) -> String {
    format!(
        "<extLst><ext uri=\"{{78C0D931-6437-407d-A8EE-F0AAD7539E65}}\" xmlns:x14=\"http://schemas.microsoft.com/office/spreadsheetml/2009/9/main\" xmlns:xm=\"http://schemas.microsoft.com/office/excel/2006/main\"><x14:conditionalFormattings><x14:conditionalFormatting>{rule}<xm:sqref>{area}</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings></ext></extLst>"
    )
}

#[test]
fn rules_of_the_extension_dress_cells_too() {
    let stars = newer(
        "B4:B8",
        "<x14:cfRule type=\"iconSet\" priority=\"1\" id=\"{1}\"><x14:iconSet iconSet=\"3Stars\" custom=\"1\"><x14:cfvo type=\"percent\"><xm:f>0</xm:f></x14:cfvo><x14:cfvo type=\"num\"><xm:f>400</xm:f></x14:cfvo><x14:cfvo type=\"num\"><xm:f>600</xm:f></x14:cfvo><x14:cfIcon iconSet=\"NoIcons\" iconId=\"0\"/><x14:cfIcon iconSet=\"3Stars\" iconId=\"1\"/><x14:cfIcon iconSet=\"5Quarters\" iconId=\"4\"/></x14:iconSet></x14:cfRule>",
    );
    assert_eq!(look_at(&stars, 4, 2).icon, None);
    assert_eq!(look_at(&stars, 7, 2).icon, Some(("3Stars".into(), 1)));
    assert_eq!(look_at(&stars, 5, 2).icon, Some(("5Quarters".into(), 4)));
    let formula = newer(
        "B4:B8",
        "<x14:cfRule type=\"expression\" priority=\"1\" id=\"{2}\"><xm:f>B4&lt;Dates!$ZZ$1+200</xm:f><x14:dxf><font><strike/><u/></font><fill><patternFill><bgColor rgb=\"FF00FF00\"/></patternFill></fill></x14:dxf></x14:cfRule>",
    );
    let look = look_at(&formula, 4, 2);
    assert_eq!(
        (look.fill.as_deref(), look.strike, look.underline),
        (Some("#00ff00"), Some(true), Some(true))
    );
    assert_eq!(look_at(&formula, 5, 2), Look::default());
    // Two halves of one data bar: the newer half knows the axis and the colour below it.
    let bar = "<conditionalFormatting sqref=\"B4:B8\"><cfRule type=\"dataBar\" priority=\"1\"><dataBar><cfvo type=\"min\"/><cfvo type=\"max\"/><color rgb=\"FF638EC6\"/></dataBar><extLst><ext uri=\"{B025F937-C7B1-47D3-B67F-A62EFF666E3E}\" xmlns:x14=\"http://schemas.microsoft.com/office/spreadsheetml/2009/9/main\"><x14:id>{3}</x14:id></ext></extLst></cfRule></conditionalFormatting>";
    assert_eq!(look_at(bar, 4, 2).bar, Some((0.0, 0.0, "#638ec6".into())));
    let halves = |least: &str| {
        let second = newer(
            "B4:B8",
            &format!(
                "<x14:cfRule type=\"dataBar\" id=\"{{3}}\"><x14:dataBar minLength=\"0\" maxLength=\"100\">{least}<x14:cfvo type=\"autoMax\"/><x14:negativeFillColor rgb=\"FFCC0000\"/></x14:dataBar></x14:cfRule>"
            ),
        );
        format!("{bar}{second}")
    };
    assert_eq!(
        look_at(&halves("<x14:cfvo type=\"autoMin\"/>"), 8, 2).bar,
        Some((0.0, 0.25, "#638ec6".into()))
    );
    let below = halves("<x14:cfvo type=\"num\"><xm:f>-1200</xm:f></x14:cfvo>");
    assert_eq!(look_at(&below, 5, 2).bar.map(|bar| bar.0), Some(0.5));
}
