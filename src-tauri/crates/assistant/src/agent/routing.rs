//! Which payload travels how: short edits as arguments, long text in a fence or a Markdown Diff, Office structure as typed operations.
//!
//! Decided by the operation, its size and the file's format, after the model has spoken; the prompt only explains the same rule.

use documents::Format;
use serde_json::Value;

use super::fences::takes_text;
use super::refusal::{Refusal, RefusalCode};

/// How a payload came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Protocol {
    FunctionCall,
    Fence,
    MarkdownDiff,
}

impl Protocol {
    /// The word of CONTRACT, section 9.
    pub fn as_str(self) -> &'static str {
        match self {
            Protocol::FunctionCall => "function_call",
            Protocol::Fence => "fence",
            Protocol::MarkdownDiff => "markdown_diff",
        }
    }
}

/// How much text a payload carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SizeClass {
    Short,
    Medium,
    Long,
}

impl SizeClass {
    /// By characters of new and looked-up text together.
    pub fn of(characters: usize) -> SizeClass {
        match characters {
            0..=500 => SizeClass::Short,
            501..=4_000 => SizeClass::Medium,
            _ => SizeClass::Long,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            SizeClass::Short => "short",
            SizeClass::Medium => "medium",
            SizeClass::Long => "long",
        }
    }
}

/// All characters of text in a batch.
pub fn payload_characters(ops: &[Value]) -> usize {
    ops.iter().map(characters).sum()
}

fn characters(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(values) => values.iter().map(characters).sum(),
        Value::Object(fields) => {
            fields.iter().filter(|(key, _)| *key != "op").map(|(_, value)| characters(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// Refuses operations that the file's format does not know, before anything else is tried.
pub fn check_format(ops: &[Value], format: Format) -> Result<(), Refusal> {
    for (index, op) in ops.iter().enumerate() {
        let name = op.get("op").and_then(Value::as_str).unwrap_or_default();
        let belongs_to = match name.split_once('_') {
            Some(("xlsx", _)) => Format::Xlsx,
            Some(("pptx", _)) => Format::Pptx,
            Some(("docx", _)) => Format::Docx,
            _ => Format::Text,
        };
        if !name.is_empty() && belongs_to != format {
            let message = format!("`{name}` does not fit a {} document.", format.as_str());
            let hint = format!("Use the operations for {} documents.", format.as_str());
            return Err(Refusal::new(RefusalCode::UnsupportedOp, message, hint).at_op(index));
        }
    }
    Ok(())
}

/// Refuses text over the limit inside arguments; 0 switches the rule off. Looks at the operations as the model sent them, before
/// fences are put in place.
pub fn check_inline(ops: &[Value], limit: usize) -> Result<(), Refusal> {
    if limit == 0 {
        return Ok(());
    }
    for (index, op) in ops.iter().enumerate() {
        let name = op.get("op").and_then(Value::as_str).unwrap_or_default();
        let field = if takes_text(name) {
            "text"
        } else if REPLACERS.contains(&name) {
            "replace"
        } else {
            continue;
        };
        let length = op.get(field).and_then(Value::as_str).map_or(0, |text| text.chars().count());
        if length > limit {
            return Err(too_long(name, field, length, limit).at_op(index));
        }
    }
    Ok(())
}

/// Operations whose `replace` has a sister that takes its text from a fence. A workbook has none: its cells are typed values.
const REPLACERS: [&str; 4] =
    ["replace_text", "docx_replace_text", "pptx_replace_text", "pptx_replace_on_slide"];

fn too_long(name: &str, field: &str, length: usize, limit: usize) -> Refusal {
    let message = format!(
        "`{field}` of `{name}` has {length} characters; over {limit} text does not travel inside arguments. Nothing was run."
    );
    let hint = match (field, name.split_once('_')) {
        ("text", _) => {
            "Write the text in a fence of four backticks in the same message and send `text_from_fence: true` instead of `text`."
        }
        (_, Some(("docx", _))) => {
            "Set the paragraph with `docx_set_paragraph`, or insert with `docx_insert_markdown`, and `text_from_fence: true`."
        }
        (_, Some(("pptx", _))) => "Set the shape's text with `pptx_set_text` and `text_from_fence: true`.",
        _ => {
            "Replace whole lines with `replace_lines` and `text_from_fence: true`, or send a Markdown Diff block."
        }
    };
    Refusal::new(RefusalCode::TooLongForJson, message, hint)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_text_is_refused_inside_arguments_only() {
        let long = "字".repeat(501);
        let refused = |op: Value, limit| check_inline(&[op], limit).err().map(|refusal| refusal.code.retry());
        assert_eq!(refused(json!({"op":"append_lines","text":long}), 500), Some("smaller_or_fence"));
        assert_eq!(
            refused(json!({"op":"replace_text","find":"a","replace":long}), 500),
            Some("smaller_or_fence")
        );
        assert_eq!(refused(json!({"op":"append_lines","text":"字".repeat(500)}), 500), None);
        assert_eq!(refused(json!({"op":"append_lines","text":long}), 0), None);
        assert_eq!(refused(json!({"op":"append_lines","text_from_fence":true}), 500), None);
    }

    #[test]
    fn operations_of_another_format_are_refused_by_name() {
        let ops =
            [json!({"op":"append_lines","text":"a"}), json!({"op":"xlsx_set_cell","cell":"A1","value":1})];
        let refusal = check_format(&ops, Format::Text).unwrap_err();
        assert_eq!((refusal.code, refusal.op), (RefusalCode::UnsupportedOp, Some(1)));
    }
}
