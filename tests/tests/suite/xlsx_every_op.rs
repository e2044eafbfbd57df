//! The workbook that holds nearly every place that names cells, under each operation that moves no lines: which places change, and to what.
//!
//! Inserted and deleted lines are in `xlsx_references`. Here a place is named by its part and kind, and everything that is not expected to
//! change is compared too.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use stet_tests::books::{apply, cell, part};

use super::xlsx_references::{all_places, every_reference};

/// A place that is not what it was: before and after.
type Difference = (String, Option<String>, Option<String>);

fn differences(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<Difference> {
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let pair = |name: &&String| (before.get(*name).cloned(), after.get(*name).cloned());
    let differing = names.into_iter().filter(|name| pair(name).0 != pair(name).1);
    differing.map(|name| (name.clone(), pair(&name).0, pair(&name).1)).collect()
}

/// Applies a batch and gives the places that changed.
fn changed(ops: Value) -> (Vec<u8>, Vec<Difference>) {
    let before = every_reference();
    let applied = apply(&before, &ops, true).unwrap_or_else(|error| panic!("{ops}: {error}"));
    let places = all_places(&applied.bytes);
    assert!(places.len() > 70, "only {} places were found", places.len());
    (applied.bytes, differences(&all_places(&before), &places))
}

/// Only places whose name contains one of some words changed.
fn only(ops: Value, words: &[&str]) -> Vec<u8> {
    let (bytes, found) = changed(ops.clone());
    let others: Vec<&Difference> =
        found.iter().filter(|(place, ..)| !words.iter().any(|word| place.contains(word))).collect();
    assert!(others.is_empty(), "{ops}: {others:#?}");
    bytes
}

#[test]
fn cells_formats_and_widths_change_no_reference() {
    let bytes = only(json!([{"op": "xlsx_set_cell", "sheet": "Data", "cell": "B5", "value": 77}]), &[]);
    assert_eq!(cell(&bytes, "Data!B5").0, "77");
    let bytes = only(
        json!([{"op": "xlsx_set_cells", "sheet": "Data", "range": "B5:C6", "values": [[1, 2], [3, 4]]}]),
        &[],
    );
    assert_eq!(cell(&bytes, "Data!C6").0, "4");
    only(
        json!([
            {"op": "xlsx_set_format", "sheet": "Data", "range": "A1:J30", "bold": true, "fill": "#FFEE00"},
            {"op": "xlsx_set_width", "sheet": "Data", "cols": "B:E", "size": 30},
            {"op": "xlsx_set_width", "sheet": "Data", "rows": "4:9", "size": 22}
        ]),
        &["dimension@ref"],
    );
    let bytes = only(
        json!([{"op": "xlsx_replace_text", "sheet": "Data", "range": "A2:A11", "find": "n", "replace": "m", "occurrence": "all"}]),
        &[],
    );
    assert!(cell(&bytes, "Data!A3").0.starts_with('m'), "{:?}", cell(&bytes, "Data!A3"));
    // Rows behind the last one change the used range and nothing that is said of other cells.
    let bytes = only(
        json!([{"op": "xlsx_append_rows", "sheet": "It's & 2nd", "rows": [["x", 1]]}]),
        &["dimension@ref"],
    );
    assert!(part(&bytes, "xl/worksheets/sheet2.xml").contains(">x<"));
}

#[test]
fn a_replaced_formula_is_the_only_one_that_changes() {
    let (_, found) = changed(
        json!([{"op": "xlsx_replace_text", "sheet": "Data", "range": "F2", "find": "$B$5", "replace": "$C$5", "in": "formulas"}]),
    );
    let [(place, before, after)] = found.as_slice() else { panic!("{found:#?}") };
    assert!(place.starts_with("xl/worksheets/sheet1.xml f "), "{place}");
    assert_eq!(before.as_deref(), Some("SUM(B2:B11)+SUM(B:B)+SUM(2:2)+$B$5+B$5+$B5"));
    assert_eq!(after.as_deref(), Some("SUM(B2:B11)+SUM(B:B)+SUM(2:2)+$C$5+B$5+$B5"));
}

#[test]
fn merges_change_the_list_of_merges_alone() {
    let bytes = only(
        json!([{"op": "xlsx_merge_cells", "sheet": "Data", "range": "B20:D22"}]),
        &["mergeCell@ref", "dimension@ref"],
    );
    assert!(part(&bytes, "xl/worksheets/sheet1.xml").contains(
        "<mergeCells count=\"2\"><mergeCell ref=\"F14:H15\"/><mergeCell ref=\"B20:D22\"/></mergeCells>"
    ));
    let bytes =
        only(json!([{"op": "xlsx_unmerge_cells", "sheet": "Data", "range": "F14:H15"}]), &["mergeCell@ref"]);
    assert!(!part(&bytes, "xl/worksheets/sheet1.xml").contains("mergeCell"));
}

#[test]
fn names_are_added_changed_and_deleted_alone() {
    let (_, found) =
        changed(json!([{"op": "xlsx_set_name", "name": "Rng", "refers_to": "=Data!$C$2:$C$11"}]));
    let [(place, before, after)] = found.as_slice() else { panic!("{found:#?}") };
    assert!(place.contains("definedName"), "{place}");
    assert_eq!(before.as_deref(), Some("Data!$B$2:$B$11"));
    assert_eq!(after.as_deref(), Some("Data!$C$2:$C$11"));
    let bytes =
        only(json!([{"op": "xlsx_set_name", "name": "Zeta", "refers_to": "=Data!$A$1"}]), &["definedName"]);
    assert!(part(&bytes, "xl/workbook.xml").contains(">Data!$A$1<"));
    let bytes = only(json!([{"op": "xlsx_set_name", "name": "Konst", "refers_to": null}]), &["definedName"]);
    assert!(!part(&bytes, "xl/workbook.xml").contains("Konst"));
}

fn local_names(book: &[u8]) -> Vec<(String, usize)> {
    let workbook = part(book, "xl/workbook.xml");
    let tags = workbook.split("<definedName ").skip(1).filter_map(|tag| tag.split('>').next());
    let value =
        |tag: &str, name: &str| tag.split(&format!("{name}=\"")).nth(1)?.split('"').next().map(str::to_owned);
    tags.filter_map(|tag| Some((value(tag, "name")?, value(tag, "localSheetId")?.parse().ok()?))).collect()
}

#[test]
fn sheets_added_and_moved_change_only_what_counts_them() {
    let old = local_names(&every_reference());
    let added = only(json!([{"op": "xlsx_add_sheet", "sheet": "New", "position": 1}]), &["sheet4.xml"]);
    let by_one: Vec<(String, usize)> = old.iter().map(|(name, at)| (name.clone(), at + 1)).collect();
    assert_eq!(local_names(&added), by_one);
    // Data goes behind the second sheet, so the spans of the name ThreeD and of a formula end where they begin: Excel's rule for reversed ends.
    let (moved, found) = changed(json!([{"op": "xlsx_move_sheet", "sheet": "Data", "position": 3}]));
    let [name, formula] = found.as_slice() else { panic!("{found:#?}") };
    assert!(name.0.contains("definedName") && formula.0.contains("sheet2.xml f "), "{found:#?}");
    for (place, before, after) in &found {
        let expected = before.as_deref().map(|text| text.replace("Data:'It''s & 2nd'!", "'It''s & 2nd'!"));
        assert_eq!(*after, expected, "{place}");
    }
    let places: Vec<(String, usize)> =
        old.iter().map(|(name, at)| (name.clone(), if *at == 0 { 2 } else { 0 })).collect();
    assert_eq!(local_names(&moved), places);
}

/// A text with one sheet's name turned into another, in the ways it is written.
fn renamed(text: &str, forms: &[(&str, &str)]) -> String {
    forms.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[test]
fn a_renamed_sheet_is_renamed_in_every_place() {
    for (sheet, to, forms) in [
        ("Data", "Q1 & Q2", [("Data:'It''s & 2nd'!", "'Q1 & Q2:It''s & 2nd'!"), ("Data!", "'Q1 & Q2'!")]),
        ("It's & 2nd", "Two", [("Data:'It''s & 2nd'!", "Data:Two!"), ("'It''s & 2nd'!", "Two!")]),
    ] {
        let before = all_places(&every_reference());
        let ops = json!([{"op": "xlsx_rename_sheet", "sheet": sheet, "to": to}]);
        let after = all_places(&apply(&every_reference(), &ops, true).expect("applies").bytes);
        let wanted: BTreeMap<String, String> =
            before.iter().map(|(place, text)| (place.clone(), renamed(text, &forms))).collect();
        assert_eq!(differences(&wanted, &after), [], "{sheet}");
        assert!(differences(&before, &after).len() > 5, "{sheet}");
    }
}

#[test]
fn a_copied_sheet_leaves_every_place_and_turns_its_own() {
    let before = all_places(&every_reference());
    let ops = json!([{"op": "xlsx_copy_sheet", "sheet": "Data", "to": "Copy"}]);
    let book = apply(&every_reference(), &ops, true).expect("applies").bytes;
    let after = all_places(&book);
    let gone: Vec<Difference> = differences(&before, &after)
        .into_iter()
        .filter(|(place, old, _)| old.is_some() && !place.contains("definedName"))
        .collect();
    assert_eq!(gone, [], "places of the original");
    let copy_of = |place: &str| {
        let place = place.replace("sheet1.xml", "sheet3.xml");
        place.starts_with("xl/worksheets/sheet3.xml").then_some(place)
    };
    let mut turned = 0;
    for (place, text) in &before {
        let Some(copied) = copy_of(place).filter(|_| place.contains("worksheets/sheet1.xml")) else {
            continue;
        };
        let new = after.get(&copied).unwrap_or_else(|| panic!("{copied} is missing"));
        let wanted = renamed(text, &[("Data!", "Copy!"), ("Tbl[", "Tbl_2[")]);
        assert_eq!(*new, wanted, "{copied}");
        turned += usize::from(wanted != *text);
    }
    assert!(turned > 2);
    // Every name is still there with what it said, and the names of the sheet have twins; a span of sheets is nobody's own.
    let names = |places: &BTreeMap<String, String>| -> Vec<String> {
        places
            .iter()
            .filter(|(place, _)| place.contains("definedName"))
            .map(|(_, text)| text.clone())
            .collect()
    };
    let (old, new) = (names(&before), names(&after));
    assert!(old.iter().all(|text| new.contains(text)), "{new:?}");
    for twin in ["Copy!$A$1:$J$30", "Copy!$A:$B,Copy!$1:$2", "Copy!$B$2:$B$11"] {
        assert!(new.iter().any(|text| text == twin), "{twin} in {new:?}");
    }
    assert_eq!(new.iter().filter(|text| text.contains("SUM(")).count(), 1, "{new:?}");
}

/// Every reference to a sheet is dead; nothing else is.
#[test]
fn a_deleted_sheet_kills_every_reference_to_it_and_no_other() {
    for (sheet, mark, span) in
        [("It's & 2nd", "'It''s & 2nd'!", "SUM(Data!B5)"), ("Data", "Data!", "SUM('It''s & 2nd'!B5)")]
    {
        let before = all_places(&every_reference());
        let ops = json!([{"op": "xlsx_delete_sheet", "sheet": sheet}]);
        let book = apply(&every_reference(), &ops, true).expect("applies").bytes;
        let after = all_places(&book);
        assert!(after.values().any(|text| text == span), "{sheet}: {span}");
        let alive: Vec<(&String, &String)> = after
            .iter()
            .filter(|(place, text)| text.contains(mark) && *text != span && !place.contains("@location"))
            .collect();
        assert!(alive.is_empty(), "{sheet}: {alive:#?}");
        let part_stands =
            |place: &str| after.keys().any(|other| other.split(' ').next() == place.split(' ').next());
        for (place, text) in before.iter().filter(|(place, _)| part_stands(place)) {
            if place.contains("definedName") || text.contains(mark) || text.contains("Data:") {
                continue;
            }
            let is_table = text.contains("Tbl[") && sheet == "Data";
            assert!(
                is_table || after.get(place) == Some(text),
                "{sheet}: {place}: {text} became {:?}",
                after.get(place)
            );
        }
    }
}
