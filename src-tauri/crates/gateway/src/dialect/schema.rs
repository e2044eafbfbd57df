//! Whether a tool's schema passes at one vendor. One refused tool refuses the whole request, so tools are checked before the first one.

use serde_json::Value;

use super::SchemaLimits;
use crate::message::Tool;

/// One place in a tool that the vendor would refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaProblem {
    pub tool: String,
    /// JSON pointer into the parameters; empty for the root or the name.
    pub at: String,
    pub reason: &'static str,
}

const COMBINATORS: [&str; 5] = ["oneOf", "anyOf", "allOf", "not", "const"];

/// Everything in the tool that these limits refuse.
pub fn check_tool(tool: &Tool, limits: SchemaLimits) -> Vec<SchemaProblem> {
    let mut problems = Vec::new();
    let mut report = |at: &str, reason| {
        problems.push(SchemaProblem { tool: tool.name.clone(), at: at.to_owned(), reason });
    };
    if !is_portable_name(&tool.name) {
        report("", "a tool name is a letter and up to 63 letters, digits or underscores");
    }
    if tool.parameters.get("type").and_then(Value::as_str) != Some("object") {
        report("", "the root must be an object");
    }
    let has_properties =
        tool.parameters.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
    let has_branches = limits.root_combinators && tool.parameters.get("oneOf").is_some();
    if !has_properties && !has_branches && limits == SchemaLimits::STRICTEST {
        report("", "an object needs at least one property");
    }
    check_node(&tool.parameters, "", limits, &mut report);
    problems
}

fn check_node(node: &Value, at: &str, limits: SchemaLimits, report: &mut impl FnMut(&str, &'static str)) {
    let Value::Object(map) = node else {
        if node.is_boolean() && !limits.boolean_schemas {
            report(at, "boolean schemas are refused");
        }
        return;
    };
    let combinators_allowed = if at.is_empty() { limits.root_combinators } else { limits.nested_combinators };
    if !combinators_allowed && COMBINATORS.iter().any(|word| map.contains_key(*word)) {
        report(at, "oneOf, anyOf, allOf, not and const are refused here");
    }
    if let Some(Value::Array(values)) = map.get("enum") {
        let only_strings = values.iter().all(Value::is_string);
        if !only_strings && !limits.non_string_enums {
            report(at, "an enum may hold only strings");
        }
        if at.is_empty() && !limits.root_combinators {
            report(at, "an enum is refused at the root");
        }
    }
    if map.get("type").is_some_and(Value::is_array) && !limits.type_lists {
        report(at, "a list of types is refused");
    }
    if map.contains_key("$ref") && !limits.references {
        report(at, "$ref is refused");
    }
    if map.contains_key("format") && !limits.formats {
        report(at, "format is refused");
    }
    for (key, child) in map {
        check_child(key, child, at, limits, report);
    }
}

fn check_child(
    key: &str,
    child: &Value,
    at: &str,
    limits: SchemaLimits,
    report: &mut impl FnMut(&str, &'static str),
) {
    match (key, child) {
        ("properties" | "$defs" | "definitions" | "patternProperties", Value::Object(children)) => {
            for (name, schema) in children {
                check_node(schema, &format!("{at}/{key}/{name}"), limits, report);
            }
        }
        ("oneOf" | "anyOf" | "allOf" | "prefixItems", Value::Array(branches)) => {
            for (idx, schema) in branches.iter().enumerate() {
                check_node(schema, &format!("{at}/{key}/{idx}"), limits, report);
            }
        }
        ("items" | "not" | "contains", schema) => check_node(schema, &format!("{at}/{key}"), limits, report),
        // `additionalProperties: false` is the one boolean that every vendor takes.
        ("additionalProperties", schema @ Value::Object(_)) => {
            check_node(schema, &format!("{at}/{key}"), limits, report);
        }
        _ => {}
    }
}

fn is_portable_name(name: &str) -> bool {
    let mut characters = name.chars();
    let starts_well = characters.next().is_some_and(|first| first.is_ascii_alphabetic());
    starts_well && name.len() <= 64 && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::check_tool;
    use crate::dialect::SchemaLimits;
    use crate::message::Tool;

    fn tool(parameters: Value) -> Tool {
        Tool { name: "edit".into(), description: String::new(), parameters, accepts: None }
    }

    #[test]
    fn a_plain_schema_passes_everywhere() {
        let plain = tool(json!({
            "type": "object", "required": ["op"], "additionalProperties": false,
            "properties": {"op": {"type": "string", "enum": ["a", "b"]}, "n": {"type": "integer"}}
        }));
        assert_eq!(check_tool(&plain, SchemaLimits::STRICTEST), []);
    }

    #[test]
    fn each_limit_is_reported_at_its_place() {
        #[track_caller]
        fn check(parameters: Value, at: &str) {
            let subject = tool(parameters.clone());
            let problems = check_tool(&subject, SchemaLimits::STRICTEST);
            assert!(problems.iter().any(|problem| problem.at == at), "{parameters}: {problems:?}");
            assert_eq!(check_tool(&subject, SchemaLimits::NONE), [], "{parameters}");
        }
        check(json!({"type": "object", "properties": {"a": {"const": true}}}), "/properties/a");
        check(json!({"type": "object", "properties": {"a": {"enum": [1, 2]}}}), "/properties/a");
        check(json!({"type": "object", "properties": {"a": true}}), "/properties/a");
        check(json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}), "/properties/a");
        check(
            json!({"type": "object", "properties": {"a": {"items": {"format": "date"}}}}),
            "/properties/a/items",
        );
        check(json!({"type": "object", "properties": {"a": {"$ref": "#/x"}}}), "/properties/a");
        check(json!({"type": "object", "oneOf": [{"properties": {}}]}), "");
    }

    #[test]
    fn a_name_that_starts_with_a_digit_is_reported() {
        let mut subject = tool(json!({"type": "object", "properties": {"a": {"type": "string"}}}));
        subject.name = "2edit".into();
        assert_eq!(check_tool(&subject, SchemaLimits::NONE).len(), 1);
    }
}
