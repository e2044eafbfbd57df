//! Every schema that can be sent, checked against the strictest vendor; and that it says what the edit language takes.

use gateway::{SchemaLimits, check_tool};

use super::*;
use crate::agent::tools::flat::contract_form;
use crate::api::answers::DocumentState;

fn file(format: Format) -> DocumentInfo {
    DocumentInfo {
        file_id: "file-0".into(),
        path: "/x".into(),
        name: "x".into(),
        format,
        content_rev: 1,
        size: 0,
        state: DocumentState::Ok,
        state_detail: None,
        moved_to: None,
        pending_proposal: None,
        warnings: Vec::new(),
    }
}

fn card(takes_one_of: bool) -> ModelCard {
    ModelCard {
        id: "m".into(),
        endpoint: "e".into(),
        context_tokens: 32_000,
        takes_one_of,
        can_think: false,
        relays_user: false,
    }
}

const FORMATS: [Format; 4] = [Format::Text, Format::Xlsx, Format::Pptx, Format::Docx];

/// All sets of open formats.
fn sessions() -> impl Iterator<Item = Vec<DocumentInfo>> {
    (0..16u32).map(|set| {
        FORMATS
            .iter()
            .enumerate()
            .filter(|(bit, _)| set & (1 << bit) != 0)
            .map(|(_, format)| file(*format))
            .collect()
    })
}

#[test]
fn every_schema_passes_the_strictest_vendor() {
    let protocols = [None, Some(Protocol::FunctionCall), Some(Protocol::Fence), Some(Protocol::MarkdownDiff)];
    for files in sessions() {
        for protocol in protocols {
            for degraded in [false, true] {
                for tool in tools(&card(false), &files, degraded, protocol) {
                    let problems = check_tool(&tool, SchemaLimits::STRICTEST);
                    assert!(problems.is_empty(), "{} files, {protocol:?}: {problems:?}", files.len());
                    every_property_has_one_type(&tool.name, &tool.parameters);
                }
                for tool in tools(&card(true), &files, degraded, protocol) {
                    assert_eq!(check_tool(&tool, SchemaLimits::NONE), [], "{}", tool.name);
                }
            }
        }
    }
}

fn every_property_has_one_type(tool: &str, schema: &Value) {
    assert!(schema["type"].is_string(), "{tool}: {schema}");
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        assert!(property["type"].is_string(), "{tool}.{name}: {property}");
        every_property_has_one_type(tool, property);
    }
    if schema["type"] == "object" {
        assert_eq!(schema["additionalProperties"], false, "{tool}");
        assert!(schema["properties"].as_object().is_some_and(|all| !all.is_empty()), "{tool}: no properties");
    }
    if schema["type"] == "array" {
        every_property_has_one_type(tool, &schema["items"]);
    }
}

#[test]
fn only_the_operations_of_the_open_formats_are_shown() {
    let shown = |files: &[DocumentInfo]| -> Vec<String> {
        let tools = tools(&card(false), files, false, None);
        let edit = tools.iter().find(|tool| tool.name == "file_edit");
        let names = edit
            .map(|edit| edit.parameters["properties"]["ops"]["items"]["properties"]["op"]["enum"].clone());
        serde_json::from_value(names.unwrap_or(json!([]))).unwrap()
    };
    assert_eq!(shown(&[]), Vec::<String>::new());
    assert!(shown(&[file(Format::Docx)]).iter().all(|name| name.starts_with("docx_")));
    assert_eq!(shown(&[file(Format::Text)]).len(), 8);
    let all: Vec<DocumentInfo> = FORMATS.map(file).to_vec();
    assert_eq!(shown(&all).len(), OPS.len());
    assert_eq!(OPS.len(), 51);
}

#[test]
fn after_a_truncation_the_forms_exclude_each_other() {
    let files = [file(Format::Text), file(Format::Docx)];
    let two = tools(&card(false), &files, true, None);
    let by_name = |name: &str| two.iter().find(|tool| tool.name == name).map(|tool| tool.parameters.clone());
    assert_eq!(by_name("file_edit"), None);
    let (fence, short) = (by_name("file_edit_fence").unwrap(), by_name("file_edit_short").unwrap());
    exclusive(&fence, &short);
    let one = tools(&card(true), &files, true, None);
    let edit = one.iter().find(|tool| tool.name == "file_edit").unwrap();
    exclusive(&edit.parameters["oneOf"][0], &edit.parameters["oneOf"][1]);
}

fn exclusive(fence: &Value, short: &Value) {
    let has = |form: &Value, field: &str| form["properties"].get(field).is_some();
    assert!(
        has(fence, "text_from_fence") && !has(fence, "replace") && !has(fence, "find") && !has(fence, "text")
    );
    assert!(fence["required"].as_array().unwrap().contains(&json!("text_from_fence")));
    assert!(
        !has(short, "text_from_fence") && !has(short, "fence") && has(short, "find") && has(short, "replace")
    );
    let ops = |form: &Value| form["properties"]["op"]["enum"].as_array().unwrap().clone();
    assert!(ops(fence).contains(&json!("append_lines")) && !ops(short).contains(&json!("append_lines")));
    assert!(ops(short).contains(&json!("replace_text")) && !ops(fence).contains(&json!("replace_text")));
}

/// A value that fits a flattened schema, for required fields only.
fn sample(schema: &Value) -> Value {
    match schema["type"].as_str().unwrap() {
        "string" => schema["enum"].get(0).cloned().unwrap_or(json!("A1")),
        "integer" => json!(1),
        "number" => json!(2.5),
        "boolean" => json!(true),
        "array" => json!([sample(&schema["items"])]),
        _ => {
            let required: Vec<&str> =
                schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            if required.is_empty() {
                return json!({ "number": 1 });
            }
            required.iter().map(|name| (name.to_string(), sample(&schema["properties"][*name]))).collect()
        }
    }
}

#[test]
fn what_a_schema_asks_for_is_what_the_edit_language_takes() {
    for op in OPS.iter() {
        for all_fields in [false, true] {
            let mut call = Map::from_iter([("op".to_string(), Value::from(op.name.as_str()))]);
            for (name, schema, required) in &op.fields {
                let is_either = matches!(name.as_str(), "remove");
                if *required || (all_fields && !is_either) {
                    let value = if name == "occurrence" { json!("2") } else { sample(schema) };
                    call.insert(name.clone(), value);
                }
            }
            let nullable = matches!(op.name.as_str(), "replace_lines_containing" | "xlsx_set_name");
            if nullable && !all_fields {
                call.insert("remove".into(), true.into());
            }
            if op.name == "xlsx_delete_rows" {
                call.insert("start".into(), json!("1"));
                call.remove("end");
            }
            let contract = contract_form(Value::Object(call));
            let parsed = serde_json::from_value::<Edit>(contract.clone());
            assert!(parsed.is_ok(), "{contract}: {parsed:?}");
        }
    }
}
