//! What the edit language takes and refuses.

use super::*;

fn parse(json: &str) -> Result<Edit, serde_json::Error> {
    serde_json::from_str(json)
}

#[test]
fn unknown_and_missing_fields_are_refused() {
    assert!(parse(r#"{"op":"replace_text","find":"a","replace":"b","x":1}"#).is_err());
    assert!(parse(r#"{"op":"replace_text","find":"a"}"#).is_err());
    assert!(parse(r#"{"op":"xlsx_set_cell","cell":"A1"}"#).is_err());
    assert!(parse(r#"{"op":"replace_lines_containing","contains":"a"}"#).is_err());
    assert!(
        parse(r#"{"op":"xlsx_set_cell","cell":"A1","value":{"date":"2024-03-01","formula":"=1"}}"#).is_err()
    );
}

#[test]
fn values_keep_their_type() {
    let value = |json: &str| match parse(&format!(r#"{{"op":"xlsx_set_cell","cell":"A1","value":{json}}}"#)) {
        Ok(Edit::XlsxSetCell { value, .. }) => value,
        other => panic!("{other:?}"),
    };
    assert_eq!(value("null"), CellValue::Clear(()));
    assert_eq!(value("\"007\""), CellValue::Text("007".into()));
    assert_eq!(value(r#"{"formula":"=A2"}"#), CellValue::Typed(TypedValue::Formula("=A2".into())));
    assert!(matches!(value("1.5"), CellValue::Number(_)));
}

#[test]
fn occurrence_is_a_number_or_all() {
    assert!(parse(r#"{"op":"delete_text","find":"a","occurrence":"all"}"#).is_ok());
    assert!(parse(r#"{"op":"delete_text","find":"a","occurrence":2}"#).is_ok());
    assert!(parse(r#"{"op":"delete_text","find":"a","occurrence":"first"}"#).is_err());
}
