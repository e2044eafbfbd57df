//! The flattened spelling of operations, and back to the contract's.
//!
//! Some endpoints take only schemas in which every property has one plain type (research on vendors: no `anyOf`, no lists of types).
//! Where the contract lets a field be a number or a word, the schema shown to models says text; where a cell's value may be anything,
//! it says an object such as `{"number": 120}`. The contract's own spelling is understood everywhere too.

use serde_json::{Map, Value, json};

/// Fields that are a number or a word in the contract, and text in the flattened schema.
pub const NUMBER_OR_WORD: &[&str] = &["occurrence", "col", "start", "end", "shape", "position"];

/// Puts one operation into the contract's spelling; what is not understood stays as it is and is refused later.
pub fn contract_form(op: Value) -> Value {
    let Value::Object(mut fields) = op else { return op };
    for name in NUMBER_OR_WORD {
        if let Some(number) = fields.get(*name).and_then(digits) {
            fields.insert((*name).into(), number);
        }
    }
    if fields.get("op").and_then(Value::as_str).is_some_and(|op| op.starts_with("pptx_"))
        && let Some(number) = fields.get("to").and_then(digits)
    {
        fields.insert("to".into(), number);
    }
    rename(&mut fields, "xlsx_set_width", "row_range", "rows");
    rename(&mut fields, "docx_insert_table_row", "row_cells", "cells");
    remove_flag(&mut fields);
    for name in ["value", "expect", "values", "rows"] {
        if let Some(value) = fields.get_mut(name) {
            plain_values(value);
        }
    }
    for cell in fields.get_mut("cells").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(value) = cell.get_mut("value") {
            plain_value(value);
        }
    }
    Value::Object(fields)
}

/// `"3"` as a number; a word stays a word.
fn digits(value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    let is_number = !text.is_empty() && text.len() <= 15 && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse::<u64>().ok()).flatten().map(Value::from)
}

/// Fields that mean two different things in the contract have two names in the flattened schema.
fn rename(fields: &mut Map<String, Value>, op: &str, shown: &str, name: &str) {
    if fields.get("op").and_then(Value::as_str) == Some(op)
        && let Some(value) = fields.remove(shown)
    {
        fields.insert(name.into(), value);
    }
}

/// `"remove": true` for the two operations that take an explicit null.
fn remove_flag(fields: &mut Map<String, Value>) {
    let target = match fields.get("op").and_then(Value::as_str) {
        Some("replace_lines_containing") => "text",
        Some("xlsx_set_name") => "refers_to",
        _ => return,
    };
    match fields.get("remove") {
        Some(Value::Bool(true)) if !fields.contains_key(target) => {
            fields.remove("remove");
            fields.insert(target.into(), Value::Null);
        }
        Some(Value::Bool(false)) => {
            fields.remove("remove");
        }
        _ => {}
    }
}

/// A value, a list of values, or a list of rows.
fn plain_values(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(plain_values),
        _ => plain_value(value),
    }
}

/// `{"number": 120}` as `120`, `{"text": "a"}` as `"a"`; dates and formulas are objects in the contract too.
fn plain_value(value: &mut Value) {
    let Value::Object(fields) = &*value else { return };
    let mut entries = fields.iter();
    let (Some((kind, inner)), None) = (entries.next(), entries.next()) else { return };
    let plain = match (kind.as_str(), inner) {
        ("number", Value::Number(_)) | ("text", Value::String(_)) | ("boolean", Value::Bool(_)) => {
            inner.clone()
        }
        ("clear", Value::Bool(true)) => Value::Null,
        ("fill", Value::Bool(true)) => json!({ "fill": "formula" }),
        _ => return,
    };
    *value = plain;
}

#[cfg(test)]
mod tests {
    use documents::Edit;

    use super::*;

    #[test]
    fn both_spellings_mean_the_same() {
        for (flat, contract) in [
            (
                json!({"op":"replace_text","find":"a","replace":"b","occurrence":"2"}),
                json!({"op":"replace_text","find":"a","replace":"b","occurrence":2}),
            ),
            (
                json!({"op":"delete_text","find":"a","occurrence":"all"}),
                json!({"op":"delete_text","find":"a","occurrence":"all"}),
            ),
            (
                json!({"op":"xlsx_set_cell","cell":"B4","value":{"number":120}}),
                json!({"op":"xlsx_set_cell","cell":"B4","value":120}),
            ),
            (
                json!({"op":"xlsx_set_cell","cell":"B4","value":{"text":"120"}}),
                json!({"op":"xlsx_set_cell","cell":"B4","value":"120"}),
            ),
            (
                json!({"op":"xlsx_set_cell","cell":"B4","value":{"clear":true}}),
                json!({"op":"xlsx_set_cell","cell":"B4","value":null}),
            ),
            (
                json!({"op":"xlsx_set_cell","cell":"B4","value":{"date":"2024-03-01"}}),
                json!({"op":"xlsx_set_cell","cell":"B4","value":{"date":"2024-03-01"}}),
            ),
            (
                json!({"op":"xlsx_append_rows","rows":[[{"number":1},{"text":"a"},{"fill":true}]]}),
                json!({"op":"xlsx_append_rows","rows":[[1,"a",{"fill":"formula"}]]}),
            ),
            (
                json!({"op":"xlsx_set_cells","cells":[{"cell":"A1","value":{"boolean":true}}]}),
                json!({"op":"xlsx_set_cells","cells":[{"cell":"A1","value":true}]}),
            ),
            (
                json!({"op":"xlsx_set_width","row_range":"3:5","size":20}),
                json!({"op":"xlsx_set_width","rows":"3:5","size":20}),
            ),
            (
                json!({"op":"docx_insert_table_row","table":1,"row":2,"row_cells":["a"]}),
                json!({"op":"docx_insert_table_row","table":1,"row":2,"cells":["a"]}),
            ),
            (
                json!({"op":"pptx_move_slide","slide":1,"to":"3"}),
                json!({"op":"pptx_move_slide","slide":1,"to":3}),
            ),
            (
                json!({"op":"xlsx_rename_sheet","sheet":"S","to":"2024"}),
                json!({"op":"xlsx_rename_sheet","sheet":"S","to":"2024"}),
            ),
            (json!({"op":"xlsx_delete_cols","start":"B"}), json!({"op":"xlsx_delete_cols","start":"B"})),
            (
                json!({"op":"xlsx_delete_rows","start":"3","end":"5"}),
                json!({"op":"xlsx_delete_rows","start":3,"end":5}),
            ),
            (
                json!({"op":"replace_lines_containing","contains":"x","remove":true}),
                json!({"op":"replace_lines_containing","contains":"x","text":null}),
            ),
            (
                json!({"op":"xlsx_add_sheet","sheet":"S","position":"2"}),
                json!({"op":"xlsx_add_sheet","sheet":"S","position":2}),
            ),
        ] {
            assert_eq!(contract_form(flat.clone()), contract, "{flat}");
            assert_eq!(contract_form(contract.clone()), contract, "{contract}");
            serde_json::from_value::<Edit>(contract.clone())
                .unwrap_or_else(|error| panic!("{contract}: {error}"));
        }
    }

    #[test]
    fn texts_are_never_taken_for_numbers() {
        let op = json!({"op":"replace_text","find":"12","replace":"13"});
        assert_eq!(contract_form(op.clone()), op);
        let two_keys = json!({"op":"xlsx_set_cell","cell":"A1","value":{"number":1,"text":"a"}});
        assert!(serde_json::from_value::<Edit>(contract_form(two_keys)).is_err());
    }
}
