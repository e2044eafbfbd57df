//! What a cell holds: reading its value and text as shown, and writing a new `c` element in place of an old one.

use super::{
    address::CellRef,
    grid::{
        CellView,
        lex::{self, CellKind},
    },
    number_format::{self, DateSystem, date_text},
    strings::{self, Strings, escape_string, string_text},
    styles::Styles,
};
use crate::{EditError, error::EditErrorKind, package::xml::escape_text};

/// Characters that a cell holds (limits of Excel).
const MOST_CHARACTERS: usize = 32_767;

/// A cell's value, formulas by their last result.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Empty,
    Number(f64),
    Text(String),
    Boolean(bool),
    /// `#N/A` and the like.
    Error(String),
}

/// What cells point into.
#[derive(Clone, Copy)]
pub(super) struct Tables<'t> {
    pub(super) strings: &'t Strings,
    pub(super) styles: &'t Styles,
    pub(super) dates: DateSystem,
}

impl Tables<'_> {
    /// The stored value.
    pub(super) fn value(&self, cell: &CellView<'_>) -> Value {
        if let Some(inline) = &cell.span.inline
            && cell.span.kind == CellKind::Inline
        {
            return Value::Text(string_text(&cell.bytes[inline.start as usize..inline.end as usize]));
        }
        let Some((_, inner)) = &cell.span.value else { return Value::Empty };
        let text = cell.text(inner);
        match cell.span.kind {
            CellKind::Shared => {
                let item = text.trim().parse().ok().and_then(|index| self.strings.get(index));
                item.map_or(Value::Empty, Value::Text)
            }
            CellKind::FormulaText => Value::Text(strings::unescape_string(&text).into_owned()),
            CellKind::Inline => Value::Text(text.into_owned()),
            CellKind::Boolean => Value::Boolean(matches!(text.trim(), "1" | "true")),
            CellKind::Error => Value::Error(text.trim().to_owned()),
            CellKind::Date => {
                let text = text.trim();
                let serial = number_format::parse_datetime(text, self.dates)
                    .or_else(|| number_format::parse_date(text, self.dates));
                serial.map_or_else(|| Value::Text(text.to_owned()), Value::Number)
            }
            CellKind::Number if text.trim().is_empty() => Value::Empty,
            CellKind::Number => match text.trim().parse() {
                Ok(number) => Value::Number(number),
                Err(_) => Value::Text(text.into_owned()),
            },
        }
    }

    /// A value as a cell of this style shows it.
    pub(super) fn show(&self, value: &Value, style: u32) -> String {
        let code = self.styles.code(style);
        match value {
            Value::Empty => String::new(),
            Value::Number(number) => number_format::show_number(*number, code, self.dates),
            Value::Text(text) => number_format::show_text(text, code),
            Value::Boolean(value) => if *value { "TRUE" } else { "FALSE" }.into(),
            Value::Error(error) => error.clone(),
        }
    }

    /// The value for JSON: numbers under a date format as `{"date": …}`, as an edit would set them.
    pub(super) fn json(&self, value: &Value, style: u32) -> serde_json::Value {
        match value {
            Value::Empty => serde_json::Value::Null,
            Value::Number(number) => {
                let is_date = self.styles.is_date(style) && *number >= 1.0;
                match date_text(*number, self.dates).filter(|_| is_date) {
                    Some(text) if text.contains('T') => serde_json::json!({ "datetime": text }),
                    Some(text) => serde_json::json!({ "date": text }),
                    None => json_number(*number),
                }
            }
            Value::Text(text) => text.as_str().into(),
            Value::Boolean(value) => (*value).into(),
            Value::Error(error) => error.as_str().into(),
        }
    }
}

fn json_number(number: f64) -> serde_json::Value {
    if number.fract() == 0.0 && number.abs() < 9.0e15 {
        return (number as i64).into();
    }
    serde_json::Number::from_f64(number).map_or(serde_json::Value::Null, serde_json::Value::Number)
}

/// Whether a text is longer than what Excel opens in a cell.
pub(super) fn is_too_long(text: &str) -> bool {
    text.len() > MOST_CHARACTERS && text.encode_utf16().count() > MOST_CHARACTERS
}

/// Refuses a text that is too long for a cell: Excel would repair the workbook and cut it.
pub(super) fn check_length(text: &str) -> Result<(), EditError> {
    if !is_too_long(text) {
        return Ok(());
    }
    let length = text.encode_utf16().count();
    let message = format!("The text has {length} characters; a cell holds {MOST_CHARACTERS} at most.");
    Err(EditError::new(EditErrorKind::InvalidArguments, message).hint("Divide it over several cells."))
}

/// New content for a cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    Value(Value),
    /// A whole `is` element.
    Rich(String),
    /// A formula as it stands in the file, without `=`, and its result where it is known.
    Formula(String, Value),
}

/// A new `c` element. Style and phonetic flag stay; the type, the value metadata and (with the formula) the cell metadata go.
pub(super) fn element(
    prefix: &str,
    at: CellRef,
    old: Option<&CellView<'_>>,
    style: Option<u32>,
    content: &Content,
) -> Result<Vec<u8>, EditError> {
    let mut attributes = String::new();
    let mut has_style = false;
    if let Some(old) = old {
        let tag = &old.span.tag;
        let name_end = tag.start + 2 + prefix.len();
        for (name, value) in lex::Attributes::new(old.bytes, name_end, tag.end) {
            let text =
                |range: std::ops::Range<usize>| std::str::from_utf8(&old.bytes[range]).unwrap_or_default();
            let (name, raw) = (text(name), text(value));
            let kept = match name {
                "r" | "t" | "vm" | "cm" => continue,
                "s" => style.map_or_else(|| raw.to_owned(), |style| style.to_string()),
                _ => raw.to_owned(),
            };
            has_style |= name == "s";
            attributes.push_str(&format!(" {name}=\"{}\"", kept.replace('"', "&quot;")));
        }
    }
    if let Some(style) = style.filter(|style| !has_style && *style != 0) {
        attributes.push_str(&format!(" s=\"{style}\""));
    }
    // A cell that had no `r` gets none: its neighbours count on its place, which stays (18.3.1.4).
    let explicit = old.is_none_or(|old| old.span.reference.is_some());
    let reference = if explicit { format!(" r=\"{at}\"") } else { String::new() };
    let (kind, body) = body(prefix, content)?;
    let kind = if kind.is_empty() { String::new() } else { format!(" t=\"{kind}\"") };
    let extensions = old.map(|old| extension_list(old, prefix)).unwrap_or_default();
    Ok(if body.is_empty() && extensions.is_empty() {
        format!("<{prefix}c{reference}{attributes}{kind}/>").into_bytes()
    } else {
        let mut element = format!("<{prefix}c{reference}{attributes}{kind}>{body}").into_bytes();
        element.extend_from_slice(extensions);
        element.extend_from_slice(format!("</{prefix}c>").as_bytes());
        element
    })
}

/// The `t` attribute and what stands inside the element.
fn body(prefix: &str, content: &Content) -> Result<(&'static str, String), EditError> {
    Ok(match content {
        Content::Value(Value::Text(text)) => {
            let text = escape_string(text)?;
            let inline =
                format!("<{prefix}is><{prefix}t xml:space=\"preserve\">{text}</{prefix}t></{prefix}is>");
            ("inlineStr", inline)
        }
        Content::Rich(inline) => ("inlineStr", inline.clone()),
        Content::Value(value) => stored(prefix, value)?,
        Content::Formula(formula, value) => {
            let (kind, result) = stored(prefix, value)?;
            (kind, format!("<{prefix}f>{}</{prefix}f>{result}", escape_text(formula)?))
        }
    })
}

/// A value as `t` and `v`.
pub(super) fn stored(prefix: &str, value: &Value) -> Result<(&'static str, String), EditError> {
    let element = |text: &str| format!("<{prefix}v>{text}</{prefix}v>");
    Ok(match value {
        Value::Empty => ("", String::new()),
        Value::Number(number) => ("", element(&number_format::shortest(*number))),
        Value::Text(text) => ("str", element(&escape_string(text)?)),
        Value::Boolean(value) => ("b", element(if *value { "1" } else { "0" })),
        Value::Error(error) => ("e", element(&escape_text(error)?)),
    })
}

/// What stands behind `f`, `v` and `is` in a cell.
fn extension_list<'c>(cell: &'c CellView<'_>, prefix: &str) -> &'c [u8] {
    let open = format!("<{prefix}extLst");
    let raw = cell.raw();
    let close = raw.len() - format!("</{prefix}c>").len().min(raw.len());
    match memchr::memmem::rfind(raw, open.as_bytes()) {
        Some(at) if at < close => &raw[at..close],
        _ => &[],
    }
}
