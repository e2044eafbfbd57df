//! The edit language as a list for people, read off its own schema so that the two cannot differ.

use serde::Serialize;
use serde_json::Value;

use super::Edit;
use crate::Format;

/// One operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Operation {
    pub op: String,
    /// `text`, `xlsx`, `pptx` or `docx`.
    pub format: &'static str,
    pub about: String,
    /// Required ones first.
    pub fields: Vec<Field>,
}

/// One field of an operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Field {
    pub name: String,
    /// What it holds: `string`, `integer`, `"before"|"after"`.
    pub holds: String,
    pub required: bool,
}

/// Every operation, in the order of the language.
pub fn operations() -> Vec<Operation> {
    let schema = schemars::schema_for!(Edit).to_value();
    let variants = schema["oneOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    variants.iter().filter_map(|variant| operation(variant, &schema["$defs"])).collect()
}

fn operation(variant: &Value, definitions: &Value) -> Option<Operation> {
    let op = variant["properties"]["op"]["const"].as_str()?.to_owned();
    let required: Vec<&str> = variant["required"].as_array()?.iter().filter_map(Value::as_str).collect();
    let mut fields: Vec<Field> = variant["properties"]
        .as_object()?
        .iter()
        .filter(|(name, _)| *name != "op")
        .map(|(name, schema)| field(&op, name, schema, definitions, required.contains(&name.as_str())))
        .collect();
    fields.sort_by_key(|field| !field.required);
    let format = Format::of_operation(&op).as_str();
    Some(Operation {
        format,
        about: variant["description"].as_str().unwrap_or_default().to_owned(),
        op,
        fields,
    })
}

/// Fields that must be there although `null` means something, which the schema does not tell (`edit::present`).
const NULL_MEANS: [(&str, &str); 2] = [("replace_lines_containing", "text"), ("xlsx_set_name", "refers_to")];

/// Elsewhere a field that may be `null` may be left out, which goes without saying.
fn field(op: &str, name: &str, schema: &Value, definitions: &Value, is_required: bool) -> Field {
    let null_means = NULL_MEANS.contains(&(op, name));
    let mut holds = holds(schema, definitions, 0);
    if !is_required && !null_means {
        holds = holds.trim_end_matches("|null").to_owned();
    }
    Field { name: name.to_owned(), holds, required: is_required || null_means }
}

/// What a value of the schema is, in a few words.
fn holds(schema: &Value, definitions: &Value, depth: usize) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return holds(&definitions[name], definitions, depth + 1);
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[key].as_array() {
            let mut told: Vec<String> = Vec::new();
            for choice in choices.iter().map(|choice| holds(choice, definitions, depth + 1)) {
                if !told.contains(&choice) {
                    told.push(choice);
                }
            }
            return told.join("|");
        }
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().map(Value::to_string).collect::<Vec<_>>().join("|");
    }
    if !schema["const"].is_null() {
        return schema["const"].to_string();
    }
    match &schema["type"] {
        Value::String(kind) if kind == "array" => {
            format!("[{}]", holds(&schema["items"], definitions, depth))
        }
        Value::String(kind) if kind == "object" && depth < 8 => object(schema, definitions, depth),
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            if kinds.first() == Some(&"array") {
                return format!("[{}]", holds(&schema["items"], definitions, depth));
            }
            kinds.join("|")
        }
        _ => "any value".into(),
    }
}

fn object(schema: &Value, definitions: &Value, depth: usize) -> String {
    let Some(properties) = schema["properties"].as_object() else { return "object".into() };
    let fields: Vec<String> = properties
        .iter()
        .map(|(name, schema)| format!("{name}: {}", holds(schema, definitions, depth + 1)))
        .collect();
    format!("{{{}}}", fields.join(", "))
}

#[cfg(test)]
mod tests {
    use super::operations;

    #[test]
    fn every_operation_is_told_with_its_fields() {
        let all = operations();
        let told = |op: &str| {
            let found = all.iter().find(|operation| operation.op == op).unwrap_or_else(|| panic!("{op}"));
            let fields = found.fields.iter().map(|field| {
                let mark = if field.required { "" } else { "?" };
                format!("{}{mark}: {}", field.name, field.holds)
            });
            fields.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(told("append_lines"), "text: string");
        assert_eq!(told("insert_lines"), "line: integer, text: string, position?: \"before\"|\"after\"");
        assert_eq!(told("pptx_set_title"), "slide: integer, text: string");
        assert_eq!(told("xlsx_set_name"), "name: string, refers_to: string|null");
        let value = r#"null|boolean|number|string|{date: string}|{datetime: string}|{formula: string}|{fill: string}"#;
        assert_eq!(told("xlsx_set_cell"), format!("cell: string, value: {value}, sheet?: string"));
        for operation in &all {
            assert!(!operation.about.is_empty(), "{}", operation.op);
            assert!(operation.fields.iter().all(|field| !field.holds.is_empty()), "{operation:?}");
        }
    }
}
