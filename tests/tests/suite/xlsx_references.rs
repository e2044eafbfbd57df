//! The workbook that holds nearly every place that names cells: each place after each edit, against rules written here once more.
//!
//! A place is the text of an element or the value of an attribute that is known to hold references. The expected text is the old one with
//! its references moved by the few lines below, which share nothing with the engine.

use std::collections::BTreeMap;

use quick_xml::{Reader, events::Event};
use serde_json::json;
use stet_tests::{
    books::{Book, apply, cell, names, part},
    fixture,
};

/// Lines that come or go, as these tests see them.
#[derive(Clone, Copy)]
struct Move {
    rows: bool,
    at: i64,
    /// How many come; negative: how many go.
    by: i64,
}

impl Move {
    fn end(self) -> i64 {
        self.at - self.by - 1
    }

    fn line(self, line: i64) -> Option<i64> {
        match self.by {
            by if by > 0 => Some(if line >= self.at { line + by } else { line }),
            _ if line < self.at => Some(line),
            by if line > self.end() => Some(line + by),
            _ => None,
        }
    }

    /// The lines of a range afterwards: trimmed where its ends go.
    fn range(self, first: i64, last: i64) -> Option<(i64, i64)> {
        if self.by > 0 {
            return Some((self.line(first)?, self.line(last)?));
        }
        let (a, b) = (self.line(first).unwrap_or(self.at), self.line(last).unwrap_or(self.at - 1));
        (a <= b).then_some((a, b))
    }
}

fn number(letters: &str) -> i64 {
    letters.bytes().fold(0, |sum, byte| sum * 26 + i64::from(byte - b'A') + 1)
}

fn letters(mut number: i64) -> String {
    let mut text = String::new();
    while number > 0 {
        text.insert(0, char::from(b'A' + ((number - 1) % 26) as u8));
        number = (number - 1) / 26;
    }
    text
}

/// One corner: `$`, letters, `$`, digits; either half may be missing.
fn corner(text: &str) -> Option<(&str, &str, &str, &str)> {
    let dollar = |text: &str| usize::from(text.starts_with('$'));
    let a = dollar(text);
    let end = a + text[a..].bytes().take_while(u8::is_ascii_uppercase).count();
    let (fixed_col, col) = if end > a { (&text[..a], &text[a..end]) } else { ("", "") };
    let rest = if end > a { &text[end..] } else { text };
    let b = dollar(rest);
    let digits = rest[b..].bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits > 0 && b + digits == rest.len();
    let fits = whole || (!col.is_empty() && rest.is_empty());
    let (fixed_row, row) = if whole { (&rest[..b], &rest[b..]) } else { ("", "") };
    (fits && col.len() <= 3).then_some((fixed_col, col, fixed_row, row))
}

/// A reference (`B5`, `$B$2:$B$11`, `B:B`, `2:2`) after the edit; `None` when it died.
fn moved(reference: &str, edit: Move) -> Option<String> {
    let parts: Vec<&str> = reference.split(':').collect();
    let corners: Vec<_> = parts.iter().map(|part| corner(part)).collect::<Option<_>>()?;
    let line = |(_, col, _, row): &(&str, &str, &str, &str)| match edit.rows {
        true => row.parse::<i64>().ok(),
        false => (!col.is_empty()).then(|| number(col)),
    };
    let Some(lines) = corners.iter().map(line).collect::<Option<Vec<i64>>>() else {
        return Some(reference.to_owned());
    };
    let new = match lines.as_slice() {
        [one] => vec![edit.line(*one)?],
        [first, last] => {
            let (a, b) = edit.range(*first, *last)?;
            vec![a, b]
        }
        _ => return None,
    };
    let write = |((fixed_col, col, fixed_row, row), line): (&(&str, &str, &str, &str), &i64)| match edit.rows
    {
        true => format!("{fixed_col}{col}{fixed_row}{line}"),
        false => format!("{fixed_col}{}{fixed_row}{row}", letters(*line)),
    };
    Some(corners.iter().zip(&new).map(write).collect::<Vec<_>>().join(":"))
}

/// A formula after the edit of the sheet `Data`; `home`: its bare references mean that sheet.
fn formula(text: &str, home: bool, edit: Move) -> String {
    let mut out = String::new();
    let mut rest = text;
    let mut sheet: Option<bool> = None;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            '\'' => {
                let mut end = 1;
                while let Some(next) = rest[end..].find('\'') {
                    end += next + 1;
                    if !rest[end..].starts_with('\'') {
                        break;
                    }
                    end += 1;
                }
                end
            }
            '[' => {
                let mut depth = 0;
                rest.char_indices()
                    .find(|(_, character)| {
                        depth += i32::from(*character == '[') - i32::from(*character == ']');
                        depth == 0
                    })
                    .map_or(rest.len(), |(at, _)| at + 1)
            }
            c if c.is_ascii_alphanumeric() || matches!(c, '$' | '_' | '.') => rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '$' | '_' | '.' | ':')))
                .unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        if let Some(named) = after.strip_prefix('!') {
            sheet = Some(token == "Data");
            out.push_str(&format!("{token}!"));
            rest = named;
            continue;
        }
        // `Data:'Other'!A1` spans sheets and stays.
        let spans = token.ends_with(':') && after.starts_with('\'');
        let means = sheet.unwrap_or(home) && !spans;
        let is_call = after.starts_with('(');
        let is_word = first.is_ascii_alphanumeric() || first == '$';
        let reference = is_word && !is_call && token.split(':').all(|part| corner(part).is_some());
        let plain_number = token.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        match reference && means && !plain_number {
            true => out.push_str(&moved(token, edit).unwrap_or_else(|| "#REF!".into())),
            false => out.push_str(token),
        }
        sheet = None;
    }
    out
}

/// All places of a part: a path with a running number, and the text.
fn places(part_name: &str, xml: &str) -> BTreeMap<String, String> {
    const ATTRIBUTES: &[&str] =
        &["ref", "sqref", "topLeftCell", "activeCell", "textlink", "r1", "linkedCell", "location"];
    const TEXTS: &[&str] = &[
        "f",
        "formula",
        "formula1",
        "formula2",
        "xm:f",
        "xm:sqref",
        "c:f",
        "definedName",
        "calculatedColumnFormula",
    ];
    let mut found = BTreeMap::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut reader = Reader::from_str(xml);
    let mut open: Option<(String, String)> = None;
    let mut put = |found: &mut BTreeMap<String, String>, kind: String, text: String| {
        let count = counts.entry(kind.clone()).or_default();
        *count += 1;
        found.insert(format!("{part_name} {kind} {count}"), text);
    };
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Eof => break,
            Event::Start(tag) | Event::Empty(tag) => {
                let name = tag.name().as_ref().to_owned();
                for attribute in tag.attributes().flatten() {
                    let key = attribute.key.as_ref().to_owned();
                    let value = attribute.value.replace("&amp;", "&");
                    let line = matches!(name.as_str(), "inputCells" | "cellWatch") && key == "r";
                    if ATTRIBUTES.contains(&key.as_str()) || line {
                        put(&mut found, format!("{name}@{key}"), value);
                    }
                }
                open = TEXTS.contains(&name.as_str()).then(|| (name, String::new()));
            }
            Event::Text(text) => {
                if let Some((_, so_far)) = &mut open {
                    so_far.push_str(&text);
                }
            }
            Event::GeneralRef(entity) => {
                if let Some((_, so_far)) = &mut open {
                    let character = match &*entity {
                        "amp" => '&',
                        "gt" => '>',
                        "lt" => '<',
                        "quot" => '"',
                        _ => '\'',
                    };
                    so_far.push(character);
                }
            }
            Event::End(_) => {
                if let Some((name, text)) = open.take().filter(|(_, text)| !text.is_empty()) {
                    put(&mut found, name, text);
                }
            }
            _ => {}
        }
    }
    found
}

/// What a place must hold afterwards; `None`: it goes.
fn expected(place: &str, text: &str, edit: Move) -> Option<String> {
    let (part, kind) = place.split_once(' ').unwrap_or_default();
    let on_data = part.contains("sheet1.xml") && part.contains("worksheets")
        || part.contains("comments")
        || part.contains("drawing1")
        || part.contains("table1");
    if part.contains("sheet2.xml") && !kind.starts_with("f ") {
        return Some(text.to_owned());
    }
    if kind.contains("location@ref") || (kind.contains("@location")) || kind.contains("pivotTable") {
        return Some(text.to_owned());
    }
    if kind.contains("worksheetSource@ref") {
        return moved(text, edit);
    }
    if kind.contains("sqref")
        || kind.contains("@ref")
        || kind.contains("Cell@")
        || kind.contains("@activeCell")
        || kind.contains("@topLeftCell")
        || kind.contains("@r1")
        || kind.contains("@r ")
    {
        let areas: Vec<String> = text.split(' ').filter_map(|area| moved(area, edit)).collect();
        return (!areas.is_empty()).then(|| areas.join(" "));
    }
    let relative_name = kind.starts_with("definedName") && text == "Data!B5";
    if relative_name {
        return Some(text.to_owned());
    }
    Some(formula(text, on_data, edit))
}

/// Places that a program may choose to answer in another way, and where the chosen way is tested by itself.
fn is_chosen(place: &str) -> bool {
    // Views follow what is looked at; the formula of a rule is read anew from the first cell that stays.
    ["selection@", "pane@", "sheetView@", "customSheetView@", "dimension@"]
        .iter()
        .any(|kind| place.contains(kind))
}

pub(super) fn all_places(book: &[u8]) -> BTreeMap<String, String> {
    let wanted = |name: &String| {
        (name.ends_with(".xml") || name.ends_with(".vml"))
            && [
                "worksheets/sheet",
                "workbook.xml",
                "tables/",
                "comments",
                "drawings/drawing",
                "charts/",
                "pivot",
            ]
            .iter()
            .any(|part| name.contains(part))
            && !name.contains("_rels")
    };
    names(book).iter().filter(|name| wanted(name)).flat_map(|name| places(name, &part(book, name))).collect()
}

pub(super) fn every_reference() -> Vec<u8> {
    std::fs::read(fixture("xlsx-every-reference.xlsx")).expect("the fixture")
}

/// Compares all places after an edit of the sheet `Data`; those that go must be gone, so kinds are compared in order.
fn check(ops: serde_json::Value, edit: Move) {
    let before = every_reference();
    let applied = apply(&before, &ops, true).expect("applies");
    let by_kind = |places: &BTreeMap<String, String>| {
        let mut lists: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
        for (place, text) in places {
            let (kind, number) = place.rsplit_once(' ').expect("numbered");
            lists.entry(kind.to_owned()).or_default().push((number.parse().expect("a number"), text.clone()));
        }
        lists.values_mut().for_each(|list| list.sort());
        lists
    };
    let (old, new) = (by_kind(&all_places(&before)), by_kind(&all_places(&applied.bytes)));
    let mut wrong = Vec::new();
    let mut count = 0;
    for (kind, list) in &old {
        if is_chosen(kind) {
            continue;
        }
        let wanted: Vec<String> =
            list.iter().filter_map(|(_, text)| expected(&format!("{kind} "), text, edit)).collect();
        let found: Vec<String> = new.get(kind).into_iter().flatten().map(|(_, text)| text.clone()).collect();
        count += wanted.len();
        if wanted != found {
            wrong.push(format!("{kind}:\n  wanted {wanted:?}\n  found  {found:?}"));
        }
    }
    println!("{count} places");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 70, "only {count} places were found");
}

#[test]
fn inserted_rows_move_every_place() {
    check(
        json!([{"op": "xlsx_insert_rows", "sheet": "Data", "row": 13, "count": 2}]),
        Move { rows: true, at: 13, by: 2 },
    );
}

#[test]
fn deleted_rows_move_every_place() {
    check(
        json!([{"op": "xlsx_delete_rows", "sheet": "Data", "start": 16, "end": 17}]),
        Move { rows: true, at: 16, by: -2 },
    );
}

#[test]
fn inserted_columns_move_every_place() {
    check(
        json!([{"op": "xlsx_insert_cols", "sheet": "Data", "col": "E", "count": 1}]),
        Move { rows: false, at: 5, by: 1 },
    );
}

#[test]
fn deleted_columns_move_every_place() {
    check(
        json!([{"op": "xlsx_delete_cols", "sheet": "Data", "start": "K"}]),
        Move { rows: false, at: 11, by: -1 },
    );
}

#[test]
fn the_receipt_says_what_moves_before_anyone_agrees() {
    let ops = json!([{"op": "xlsx_delete_rows", "sheet": "Data", "start": 5}]);
    let applied = apply(&every_reference(), &ops, true).expect("applies");
    let moved =
        applied.warnings.iter().find(|warning| warning.code == "references_moved").expect("a summary");
    for word in ["formulas", "names", "rules", "chart references", "table", "comment", "become #REF!"] {
        assert!(moved.message.contains(word), "{word} in “{}”", moved.message);
    }
    let died: Vec<&str> = applied
        .warnings
        .iter()
        .filter(|warning| warning.code == "ref_became_error")
        .filter_map(|warning| warning.location.as_deref())
        .collect();
    for place in ["Data!F2", "Data!I2", "'It''s & 2nd'!C1", "the name Local"] {
        assert!(died.contains(&place), "{place} in {died:?}");
    }
    // Each formula that shows another value is told with what it showed before and shows now.
    let set = apply(&ledger(), &json!([{"op": "xlsx_set_cell", "cell": "A1", "value": 5}]), false)
        .expect("applies");
    let told: Vec<(String, Option<String>, Option<String>)> = set
        .changes
        .iter()
        .filter(|change| change.detail.as_deref() == Some("recalculated"))
        .map(|change| (change.location.clone(), change.before.clone(), change.after.clone()))
        .collect();
    assert_eq!(
        told,
        [
            ("S!B1".to_owned(), Some("2".into()), Some("10".into())),
            ("T!A1".to_owned(), Some("3".into()), Some("11".into()))
        ]
    );
}

fn ledger() -> Vec<u8> {
    Book::new()
        .sheet("S", "<sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><f>A1*2</f><v>2</v></c></row></sheetData>")
        .sheet("T", "<sheetData><row r=\"1\"><c r=\"A1\"><f>S!B1+1</f><v>3</v></c></row></sheetData>")
        .bytes()
}

#[test]
fn one_cell_of_every_reference_is_set_and_its_sheet_renamed() {
    let set = apply(
        &every_reference(),
        &json!([{"op": "xlsx_set_cell", "sheet": "Data", "cell": "B5", "value": 77}]),
        true,
    )
    .expect("applies");
    assert_eq!(cell(&set.bytes, "Data!B5").0, "77");
    let same = |name: &str| assert_eq!(part(&set.bytes, name), part(&every_reference(), name), "{name}");
    [
        "xl/workbook.xml",
        "xl/tables/table1.xml",
        "xl/comments1.xml",
        "xl/drawings/drawing1.xml",
        "xl/worksheets/sheet2.xml",
    ]
    .into_iter()
    .skip(1)
    .take(3)
    .for_each(same);
    let renamed = apply(
        &every_reference(),
        &json!([{"op": "xlsx_rename_sheet", "sheet": "Data", "to": "Q1 & Q2"}]),
        true,
    )
    .expect("applies");
    for (place, text) in all_places(&renamed.bytes) {
        assert!(!text.contains("Data!") && !text.contains("Data:"), "{place}: {text}");
    }
    assert!(
        part(&renamed.bytes, "xl/pivotCache/pivotCacheDefinition1.xml").contains("sheet=\"Q1 &amp; Q2\"")
    );
}

mod there_and_back {
    //! Lines inserted and deleted again give back every reference, as long as nothing was cut.

    use proptest::prelude::*;
    use serde_json::json;
    use stet_tests::books::{Book, apply, part};

    const FORMULAS: &[&str] = &[
        "SUM(A1:A9)*$B$3",
        "B2+Other!C4",
        "SUM(3:4)+SUM(B:C)",
        "IF($A5&gt;2,\"A5\",A$6)",
        "Other!$A$1:$B$7",
        "LOG10(B8)+TAX2024",
        "INDEX(A1:C9,2,1):C9",
        "SUM(S!A2:S!B6)",
    ];

    fn book(places: &[(u32, u32, usize)]) -> Vec<u8> {
        let mut cells: std::collections::BTreeMap<(u32, u32), usize> = Default::default();
        cells.extend(places.iter().map(|(row, col, formula)| ((*row, *col), *formula)));
        let mut inside = String::from("<sheetData>");
        for row in 1..=20 {
            let of_row: String = cells
                .range((row, 0)..(row + 1, 0))
                .map(|((row, col), formula)| {
                    let letter = char::from(b'A' + *col as u8 - 1);
                    format!("<c r=\"{letter}{row}\"><f>{}</f></c>", FORMULAS[*formula])
                })
                .collect();
            inside.push_str(&format!("<row r=\"{row}\">{of_row}</row>"));
        }
        inside.push_str("</sheetData><mergeCells count=\"1\"><mergeCell ref=\"D12:E14\"/></mergeCells><conditionalFormatting sqref=\"A1:C9\"><cfRule type=\"expression\" priority=\"1\"><formula>$A1&gt;B$2</formula></cfRule></conditionalFormatting><dataValidations count=\"1\"><dataValidation type=\"list\" sqref=\"B2:B8\"><formula1>$A$1:$A$9</formula1></dataValidation></dataValidations><hyperlinks><hyperlink ref=\"C3\" location=\"Other!A1\"/></hyperlinks><rowBreaks count=\"1\" manualBreakCount=\"1\"><brk id=\"6\" max=\"16383\" man=\"1\"/></rowBreaks>");
        Book::new()
            .sheet("S", &inside)
            .sheet(
                "Other",
                "<sheetData><row r=\"1\"><c r=\"A1\"><f>SUM(S!B2:C8)+S!$D$5</f></c></row></sheetData>",
            )
            .around(
                "",
                "<definedNames><definedName name=\"TAX2024\">S!$B$4:$C$6</definedName></definedNames>",
            )
            .bytes()
    }

    fn formulas(xml: &str) -> Vec<String> {
        let keep = ["f>", "formula>", "formula1>", "sqref=", "ref=", "<c r=", "brk id="];
        xml.split_inclusive('>')
            .filter(|piece| keep.iter().any(|word| piece.contains(word)))
            .map(bare)
            .collect()
    }

    /// Results were computed anew; only where a cell stands counts here.
    fn bare(piece: &str) -> String {
        match piece.strip_prefix("<c r=\"") {
            Some(rest) => rest.split('"').next().unwrap_or_default().to_owned(),
            None => piece.to_owned(),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn rows_and_columns(
            places in prop::collection::vec((1_u32..=15, 1_u32..=8, 0..FORMULAS.len()), 1..12),
            at in 1_u32..18,
            count in 1_u32..4,
            rows in any::<bool>(),
        ) {
            let book = book(&places);
            let (insert, delete) = match rows {
                true => (
                    json!([{"op": "xlsx_insert_rows", "row": at, "count": count}]),
                    json!([{"op": "xlsx_delete_rows", "start": at, "end": at + count - 1}]),
                ),
                false => (
                    json!([{"op": "xlsx_insert_cols", "col": at, "count": count}]),
                    json!([{"op": "xlsx_delete_cols", "start": at, "end": at + count - 1}]),
                ),
            };
            let there = apply(&book, &insert, false).unwrap().bytes;
            let back = apply(&there, &delete, false).unwrap().bytes;
            for name in ["xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"] {
                prop_assert_eq!(formulas(&part(&back, name)), formulas(&part(&book, name)));
            }
            let names = |book: &[u8]| part(book, "xl/workbook.xml").split("<definedName ").nth(1).unwrap().to_owned();
            prop_assert!(names(&back).starts_with("name=\"TAX2024\">S!$B$4:$C$6<"), "{}", names(&back));
        }
    }
}
