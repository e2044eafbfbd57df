//! Rows of a new workbook: given as JSON values, or read from CSV or tab-separated text (RFC 4180).

use serde_json::Value;

use crate::{Edit, EditError, error::EditErrorKind};

/// One operation that appends everything; none when there is nothing.
pub(super) fn operations(text: &str, rows: Option<&[Vec<Value>]>) -> Result<Vec<Edit>, EditError> {
    let from_json = || serde_json::from_str::<Vec<Vec<Value>>>(text).ok();
    let rows = match rows {
        Some(rows) => rows.to_vec(),
        None => from_json().unwrap_or_else(|| from_table(text)),
    };
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let edit = serde_json::json!({ "op": "xlsx_append_rows", "rows": rows });
    let edit = serde_json::from_value(edit).map_err(|error| {
        EditError::new(EditErrorKind::InvalidArguments, format!("The rows are not values: {error}."))
    })?;
    Ok(vec![edit])
}

/// A number becomes a number only if a spreadsheet would show the same characters; everything else stays text.
fn from_table(text: &str) -> Vec<Vec<Value>> {
    let is_tabs = text.lines().next().is_some_and(|line| line.contains('\t'));
    let separator = if is_tabs { '\t' } else { ',' };
    let rows = fields(text.trim_start_matches('\u{FEFF}'), separator).into_iter();
    rows.map(|row| row.into_iter().map(|(field, is_quoted)| value(field, is_quoted)).collect()).collect()
}

/// Fields with whether they stood in quotes.
fn fields(text: &str, separator: char) -> Vec<Vec<(String, bool)>> {
    let mut rows = Vec::new();
    let mut row = Vec::new();
    let (mut field, mut was_quoted, mut in_quotes) = (String::new(), false, false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if in_quotes && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' if in_quotes => in_quotes = false,
            '"' if field.is_empty() && !was_quoted => (in_quotes, was_quoted) = (true, true),
            '\r' if !in_quotes && characters.peek() == Some(&'\n') => {}
            '\n' if !in_quotes => {
                row.push((std::mem::take(&mut field), std::mem::take(&mut was_quoted)));
                rows.push(std::mem::take(&mut row));
            }
            _ if character == separator && !in_quotes => {
                row.push((std::mem::take(&mut field), std::mem::take(&mut was_quoted)));
            }
            _ => field.push(character),
        }
    }
    if !field.is_empty() || was_quoted || !row.is_empty() {
        row.push((field, was_quoted));
        rows.push(row);
    }
    rows
}

fn value(field: String, is_quoted: bool) -> Value {
    if field.is_empty() && !is_quoted {
        return Value::Null;
    }
    let number = field.parse::<f64>().ok().filter(|_| !is_quoted && is_plain_number(&field));
    match number.and_then(serde_json::Number::from_f64) {
        Some(_) if !field.contains('.') => {
            field.parse::<i64>().map_or_else(|_| Value::String(field.clone()), Value::from)
        }
        Some(number) => Value::Number(number),
        None => Value::String(field),
    }
}

/// At most 15 digits, as Excel keeps them; no leading or trailing zeros that would get lost.
fn is_plain_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = digits.split_once('.').map_or((digits, None), |(whole, part)| (whole, Some(part)));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && part.is_none_or(|part| is_digits(part) && !part.ends_with('0'))
        && digits.len() <= 16
        && whole.len() + part.map_or(0, str::len) <= 15
        && text != "-0"
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Value {
        match operations(text, None).unwrap().as_slice() {
            [edit] => serde_json::to_value(edit).unwrap()["rows"].clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn csv_keeps_what_is_not_plainly_a_number() {
        assert_eq!(read("a,b\r\n1,-2.5\r\n"), json!([["a", "b"], [1, -2.5]]));
        assert_eq!(
            read("007,1e3,1.50,12345678901234567,-0\n"),
            json!([["007", "1e3", "1.50", "12345678901234567", "-0"]])
        );
        assert_eq!(read("\"1\",\"a \"\"b\"\"\",\"x\ny\",,\"\""), json!([["1", "a \"b\"", "x\ny", null, ""]]));
        assert_eq!(read("=SUM(A1)\tb\n"), json!([["=SUM(A1)", "b"]]));
    }

    #[test]
    fn json_rows_are_values() {
        assert_eq!(
            read(r#"[["a",1,true,null,{"formula":"=A1"}]]"#),
            json!([["a", 1, true, null, { "formula": "=A1" }]])
        );
        assert!(operations("", None).unwrap().is_empty());
        assert!(operations("", Some(&[vec![json!({ "date": 3 })]])).is_err());
    }
}
