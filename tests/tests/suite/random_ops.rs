//! Operations drawn at random for a document: every one of the contract, with places from its outline, and now and then arguments that
//! cannot be right.

use documents::{Edit, Format, Node};
use serde_json::{Value, json};

/// A small generator of our own (splitmix64), so that a seed means the same everywhere.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % sides.max(1) as u64) as usize
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        from.get(self.roll(from.len()))
    }

    fn one<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len())].clone()
    }

    fn is_odd(&mut self) -> bool {
        self.roll(8) == 0
    }

    fn text(&mut self) -> &'static str {
        self.one(&[
            "Stet",
            "",
            " two words ",
            "a & <b> \"c\" 'd'",
            "é中😀",
            "line\nbreak",
            "tab\there",
            "_x0041_",
            "=1+1",
            "\u{b}",
            "]]>",
        ])
    }

    /// A small number, sometimes none that is there.
    fn number(&mut self, most: usize) -> usize {
        if self.is_odd() { self.one(&[0, 77, 1_048_577]) } else { 1 + self.roll(most) }
    }
}

/// The names of all operations that fit a format.
pub(crate) fn names(format: Format) -> Vec<String> {
    // The edit language names its words itself when it meets another one.
    let error = serde_json::from_value::<Edit>(json!({"op": "?"})).unwrap_err().to_string();
    let words = error.split('`').skip(3).step_by(2).map(str::to_owned);
    let is_office = |name: &String| ["xlsx_", "pptx_", "docx_"].iter().any(|start| name.starts_with(start));
    let fits = |name: &String| match format {
        Format::Text => !is_office(name),
        other => name.starts_with(&format!("{}_", other.as_str())),
    };
    words.filter(fits).collect()
}

/// One operation of a name.
pub(crate) fn draw(name: &str, format: Format, nodes: &[Node], dice: &mut Dice) -> Value {
    let mut op = match format {
        Format::Text => text_op(name, nodes, dice),
        Format::Xlsx => xlsx_op(name, nodes, dice),
        Format::Pptx => pptx_op(name, nodes, dice),
        Format::Docx => docx_op(name, nodes, dice),
    };
    op["op"] = name.into();
    op
}

fn piece(text: &str, dice: &mut Dice) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    match dice.pick(&words) {
        Some(word) if !dice.is_odd() => (*word).to_owned(),
        _ => "no such text".into(),
    }
}

fn which(dice: &mut Dice) -> Value {
    dice.one(&[json!("all"), json!(1), json!(2), json!("all")])
}

fn text_op(name: &str, nodes: &[Node], dice: &mut Dice) -> Value {
    let shown = dice.pick(nodes).map_or("", |node| node.text.as_str());
    let (line, text, find) = (dice.number(nodes.len().max(1)), dice.text(), piece(shown, dice));
    let end = line + dice.roll(3);
    match name {
        "replace_text" => {
            json!({"find": find, "replace": text, "occurrence": which(dice), "match": dice.one(&["exact", "normalized"])})
        }
        "delete_text" => json!({"find": find, "occurrence": which(dice)}),
        "insert_lines" => json!({"line": line, "text": text, "position": dice.one(&["before", "after"])}),
        "replace_lines" => json!({"start_line": line, "end_line": end, "text": text}),
        "delete_lines" => json!({"start_line": line, "end_line": end}),
        "append_lines" => json!({"text": text}),
        "replace_lines_containing" => {
            json!({"contains": find, "text": dice.one(&[json!(null), json!(text)])})
        }
        "replace_section" => {
            let sections: Vec<&str> =
                nodes.iter().filter_map(|node| node.more.get("section").and_then(Value::as_str)).collect();
            let heading = dice.pick(&sections).copied().unwrap_or("None");
            json!({"heading": heading, "text": text, "keep_heading": dice.roll(2) == 0})
        }
        other => panic!("{other} is a new word: draw it here"),
    }
}

fn docx_op(name: &str, nodes: &[Node], dice: &mut Dice) -> Value {
    let places: Vec<&Node> = nodes.iter().filter(|node| node.kind == "paragraph").collect();
    let (at, shown) = match dice.pick(&places) {
        Some(node) if !dice.is_odd() => (node.at.as_str(), node.text.as_str()),
        _ => (dice.one(&["p1", "p9999", "t1.r1.c1.p1", "header1.p1", "nonsense"]), ""),
    };
    let (text, table, row, col) = (dice.text(), dice.number(2), dice.number(3), dice.number(3));
    let position = dice.one(&["before", "after"]);
    match name {
        "docx_set_paragraph" => {
            json!({"at": at, "text": dice.one(&[format!("{shown} {text}"), text.to_owned()])})
        }
        "docx_insert_paragraph" => json!({"at": at, "text": text, "position": position}),
        "docx_append_paragraph" => json!({"text": text}),
        "docx_delete_paragraph" => json!({"at": at}),
        "docx_replace_text" => {
            // Most words stand in the body; the other stories are tried less often.
            let scope =
                dice.one(&["body", "all", "body", "all", "body", "headers", "footers", "notes", "textboxes"]);
            json!({"find": piece(shown, dice), "replace": text, "occurrence": which(dice), "scope": scope})
        }
        "docx_insert_markdown" => {
            let markdown =
                "# Head\n\n- one\n- **two**\n\n| a | b |\n|---|---|\n| 1 | [2](https://example.org) |\n";
            json!({"at": at, "text": markdown, "position": position})
        }
        "docx_set_style" => {
            let styles: Vec<&str> =
                nodes.iter().filter_map(|node| node.more.get("style").and_then(Value::as_str)).collect();
            json!({"at": at, "style": dice.pick(&styles).copied().unwrap_or("Heading 1")})
        }
        "docx_set_table_cell" => json!({"table": table, "row": row, "col": col, "text": text}),
        "docx_insert_table_row" => json!({"table": table, "row": row, "cells": [text]}),
        "docx_delete_table_row" => json!({"table": table, "row": row}),
        "docx_add_comment" => json!({"at": at, "text": text}),
        "docx_accept_changes" | "docx_reject_changes" => {
            dice.one(&[json!({}), json!({"at": at}), json!({"author": "A"})])
        }
        other => panic!("{other} is a new word: draw it here"),
    }
}

fn xlsx_op(name: &str, nodes: &[Node], dice: &mut Dice) -> Value {
    let cells: Vec<&Node> = nodes.iter().filter(|node| node.kind == "cell").collect();
    let cell = dice.pick(&cells).copied();
    let of = |field: &str, otherwise: &str| {
        cell.and_then(|node| node.more.get(field)).and_then(Value::as_str).unwrap_or(otherwise).to_owned()
    };
    let (mut sheet, mut address) = (of("sheet", "Sheet1"), of("cell", "B2"));
    if dice.is_odd() {
        sheet = dice.one(&["No such", "", "a/b"]).into();
    }
    if dice.roll(3) == 0 {
        address = dice.one(&["A1", "XFD1048576", "AA7", "XFE1", "A0", "nonsense"]).into();
    }
    let text = dice.text();
    let value = dice.one(&[
        json!(text),
        json!(12.5),
        json!(true),
        json!(null),
        json!({"formula": "=SUM(A1:A3)"}),
        json!({"date": "2024-03-01"}),
        json!({"datetime": "2024-03-01T10:20"}),
        json!({"date": "1800-99-99"}),
    ]);
    let (row, count, col) = (dice.number(9), 1 + dice.roll(3), dice.number(6));
    let range = format!("A{row}:B{}", row + count);
    match name {
        "xlsx_set_cell" => json!({"sheet": sheet, "cell": address, "value": value}),
        "xlsx_set_cells" => {
            dice.one(&[
                json!({"sheet": sheet, "cells": [{"cell": address, "value": value}, {"cell": "C7", "value": text}]}),
                json!({"sheet": sheet, "range": "A1:B2", "values": [[value, 1], [text, null]]}),
                json!({"sheet": sheet, "range": "A1:B2", "values": [[1]]}),
            ])
        }
        "xlsx_append_rows" => {
            json!({"sheet": sheet, "rows": dice.one(&[json!([[value, text], [1, 2]]), json!([[{"fill": "formula"}]]), json!([])])})
        }
        "xlsx_insert_rows" => json!({"sheet": sheet, "row": row, "count": count}),
        "xlsx_insert_cols" => json!({"sheet": sheet, "col": dice.one(&[json!(col), json!("C"), json!("XFD")]), "count": count}),
        "xlsx_delete_rows" => json!({"sheet": sheet, "start": row, "end": row + count}),
        "xlsx_delete_cols" => json!({"sheet": sheet, "start": col}),
        "xlsx_replace_text" => {
            let shown = cell.map_or("", |node| node.text.as_str());
            json!({"sheet": sheet, "find": piece(shown, dice), "replace": text, "occurrence": which(dice), "in": dice.one(&["values", "formulas"])})
        }
        "xlsx_set_format" => dice.one(&[
            json!({"sheet": sheet, "range": range, "bold": true, "fill": "#FFEE00"}),
            json!({"sheet": sheet, "range": range, "number_format": "0.00%", "align": "center", "border": "thin"}),
            json!({"sheet": sheet, "range": range, "font_color": "red", "align": "up"}),
        ]),
        "xlsx_merge_cells" => json!({"sheet": sheet, "range": range}),
        // Ranges drawn at random are hardly ever merged.
        "xlsx_unmerge_cells" => {
            let merged = |node: &Node| {
                let first = node.more.get("merged")?.get(0)?.as_str()?.to_owned();
                Some((node.more.get("sheet")?.as_str()?.to_owned(), first))
            };
            let merges: Vec<(String, String)> = nodes.iter().filter_map(merged).collect();
            match dice.pick(&merges) {
                Some((sheet, range)) if !dice.is_odd() => json!({"sheet": sheet, "range": range}),
                _ => json!({"sheet": sheet, "range": range}),
            }
        }
        "xlsx_set_width" => dice.one(&[
            json!({"sheet": sheet, "cols": "B:C", "size": 12.5}),
            json!({"sheet": sheet, "rows": "2:3", "size": 30}),
            json!({"sheet": sheet, "cols": "B", "rows": "2", "size": -1}),
        ]),
        "xlsx_add_sheet" => json!({"sheet": dice.one(&["New & <more>", "Sheet1", "a:b", ""])}),
        "xlsx_rename_sheet" => json!({"sheet": sheet, "to": dice.one(&["It's new", "Sheet1", ""])}),
        "xlsx_copy_sheet" => json!({"sheet": sheet, "to": dice.one(&["Copy of it", "Sheet1"])}),
        "xlsx_move_sheet" => json!({"sheet": sheet, "position": dice.number(3)}),
        "xlsx_delete_sheet" => json!({"sheet": sheet}),
        "xlsx_set_name" => {
            json!({"name": dice.one(&["My_Name", "A1", "two words", "_x"]), "refers_to": dice.one(&[json!("=Sheet1!$A$1"), json!(null), json!("=#REF!")])})
        }
        other => panic!("{other} is a new word: draw it here"),
    }
}

fn pptx_op(name: &str, nodes: &[Node], dice: &mut Dice) -> Value {
    let shapes: Vec<&Node> =
        nodes.iter().filter(|node| node.kind == "shape" && !node.text.is_empty()).collect();
    let shape = dice.pick(&shapes).copied();
    let of = |field: &str| shape.and_then(|node| node.more.get(field)).cloned();
    let (slide, id) = (of("slide").unwrap_or(json!(1)), of("shape").unwrap_or(json!("title")));
    let shown = shape.map_or("", |node| node.text.as_str());
    let (text, place, to) = (dice.text(), dice.number(4), dice.number(4));
    match name {
        "pptx_replace_on_slide" => {
            json!({"slide": slide, "find": piece(shown, dice), "replace": text, "occurrence": which(dice)})
        }
        "pptx_replace_text" => {
            json!({"find": piece(shown, dice), "replace": text, "occurrence": "all", "include_notes": dice.roll(2) == 0})
        }
        "pptx_set_text" => dice.one(&[
            json!({"slide": slide, "shape": id, "text": text}),
            json!({"slide": slide, "shape": id, "paragraphs": [{"text": text}, {"text": "two", "level": 1}]}),
            json!({"slide": slide, "shape": "no such", "text": text}),
        ]),
        "pptx_set_title" | "pptx_set_notes" => json!({"slide": place, "text": text}),
        "pptx_set_table_cell" => {
            let tables: Vec<&Node> = nodes.iter().filter(|node| node.kind == "table_cell").collect();
            let slide =
                dice.pick(&tables).and_then(|node| node.more.get("slide")).cloned().unwrap_or(json!(1));
            json!({"slide": slide, "row": dice.number(2), "col": dice.number(2), "text": text})
        }
        "pptx_append_slide" => json!({"title": text, "body": ["one", "two"], "notes": text}),
        "pptx_insert_slide" => json!({"slide": place, "title": text}),
        "pptx_duplicate_slide" => dice.one(&[json!({"slide": place}), json!({"slide": place, "to": to})]),
        "pptx_move_slide" => json!({"slide": place, "to": to}),
        "pptx_delete_slide" => json!({"slide": place}),
        "pptx_hide_slide" => json!({"slide": place, "hidden": dice.roll(2) == 0}),
        other => panic!("{other} is a new word: draw it here"),
    }
}
