//! How the tools are described to a model: generated from the edit language, only the operations that fit the open files, in the one
//! form of schema that every vendor takes.
//!
//! The rule (from reports of what endpoints refuse): a root object with closed properties, each property with one plain type, string
//! enums only, no combinators, no references, no formats. A tagged union becomes one object with `op` and optional fields; what belongs
//! together is checked when the call is read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use documents::{Edit, Format};
use gateway::Tool;
use serde_json::{Map, Value, json};

use crate::agent::{fences::takes_text, model::ModelCard, routing::Protocol};
use crate::api::answers::DocumentInfo;

/// One operation as the schema tells it.
#[derive(Debug, Clone)]
struct OpShape {
    name: String,
    format: Format,
    about: String,
    /// Field, its schema in the flattened form, whether it is required.
    fields: Vec<(String, Value, bool)>,
}

/// The operations, read off the edit language once.
static OPS: LazyLock<Vec<OpShape>> = LazyLock::new(read_ops);

/// Which fields of text an edit form shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `text` or `text_from_fence`.
    Either,
    /// Text only in the arguments.
    Inline,
    /// Text only from a fence.
    Fence,
    /// Operations that need no long text.
    Short,
}

/// Short by nature, so they stay in the short form although a fence may carry their text.
const SHORT_TEXT: &[&str] =
    &["pptx_set_title", "pptx_set_table_cell", "docx_set_table_cell", "docx_add_comment"];

/// The tools for a session with these files.
pub fn tools(
    card: &ModelCard,
    files: &[DocumentInfo],
    degraded: bool,
    protocol: Option<Protocol>,
) -> Vec<Tool> {
    let formats: BTreeSet<&str> = files.iter().map(|file| file.format.as_str()).collect();
    let mut tools = reading_tools();
    let fits = |op: &&OpShape| {
        let by_diff = protocol == Some(Protocol::MarkdownDiff) && op.format == Format::Text;
        formats.contains(op.format.as_str()) && !by_diff
    };
    let ops: Vec<&OpShape> = OPS.iter().filter(|op| fits(op)).collect();
    if !ops.is_empty() {
        tools.extend(edit_tools(&ops, card.takes_one_of, degraded, protocol));
    }
    tools.extend(writing_tools(card.relays_user));
    tools
}

/// The tools for agents of other makers (CONTRACT, section 6, over MCP): every operation, since their files come and go; no fences, since
/// there is no message around a call; files by path as well as by id.
pub fn tools_for_clients() -> Vec<Tool> {
    let ops: Vec<&OpShape> = OPS.iter().collect();
    let mut tools = reading_tools();
    tools.push(whole_edit(&ops, Form::Inline));
    tools.extend(writing_tools(false));
    for tool in &mut tools {
        let Some(fields) = tool.parameters["properties"].as_object_mut() else { continue };
        match tool.name.as_str() {
            "file_list" => {
                fields.remove("all");
            }
            "file_read" => {
                fields.insert("path".into(), typed("string", "Instead of file_id: the file's path."));
                tool.parameters["required"] = json!([]);
            }
            "file_write" => {
                fields.retain(|name, _| !matches!(name.as_str(), "text_from_fence" | "fence"));
                tool.description = "Makes a file that does not exist yet, in an open folder.".into();
            }
            _ => {}
        }
    }
    tools
}

fn edit_tools(ops: &[&OpShape], takes_one_of: bool, degraded: bool, protocol: Option<Protocol>) -> Vec<Tool> {
    if !degraded {
        let form = if protocol == Some(Protocol::FunctionCall) { Form::Inline } else { Form::Either };
        return vec![whole_edit(ops, form)];
    }
    let long: Vec<&OpShape> = ops.iter().copied().filter(|op| takes_text(&op.name)).collect();
    let is_short = |op: &&OpShape| !takes_text(&op.name) || SHORT_TEXT.contains(&op.name.as_str());
    let short: Vec<&OpShape> = ops.iter().copied().filter(is_short).collect();
    let fence = single_op(
        "Long text: it comes from a closed fence in the same message; there is no `text` and no `replace`.",
        &long,
        Form::Fence,
    );
    let brief = single_op(
        "Short edits: everything stands in the fields; there is no `text_from_fence`.",
        &short,
        Form::Short,
    );
    match (takes_one_of, long.is_empty()) {
        (_, true) => vec![tool("file_edit_short", SHORT_ABOUT, brief)],
        (true, false) => {
            vec![tool("file_edit", ONE_OF_ABOUT, json!({ "type": "object", "oneOf": [fence, brief] }))]
        }
        (false, false) => {
            vec![tool("file_edit_fence", FENCE_ABOUT, fence), tool("file_edit_short", SHORT_ABOUT, brief)]
        }
    }
}

const ONE_OF_ABOUT: &str = "Edits one file with one operation, in one of two forms that exclude each other: text from a fence, or a short edit.";
const FENCE_ABOUT: &str =
    "Edits one file with one operation whose text stands in a closed fence of the same message.";
const SHORT_ABOUT: &str = "Edits one file with one short operation.";

fn tool(name: &str, description: &str, parameters: Value) -> Tool {
    let accepts = name.starts_with("file_edit").then(|| edit_accepts(&parameters));
    Tool { name: name.into(), description: description.into(), parameters, accepts }
}

/// What a call of an edit tool must be on the wire. The contract's own spelling is taken as well as the flattened one, and what is
/// wrong in an operation is answered with its reason by `Call::read` and the engine rather than by asking again in silence.
fn edit_accepts(shown: &Value) -> Value {
    let op = json!({ "type": "object", "properties": { "op": { "type": "string" } }, "required": ["op"] });
    let is_batch = shown["properties"].get("ops").is_some();
    let mut schema = if is_batch {
        json!({ "type": "object", "properties": { "ops": { "type": "array", "items": op } }, "required": ["file_id", "ops"] })
    } else {
        json!({ "type": "object", "properties": { "op": { "type": "string" } }, "required": ["file_id", "op"] })
    };
    schema["properties"]["file_id"] = json!({ "type": "string" });
    schema["properties"]["expected_content_rev"] = json!({ "type": "integer" });
    schema
}

/// A closed object; nothing else is ever shown.
fn object(properties: Map<String, Value>, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn typed(kind: &str, description: &str) -> Value {
    json!({ "type": kind, "description": description })
}

fn properties(pairs: Vec<(&str, Value)>) -> Map<String, Value> {
    pairs.into_iter().map(|(name, schema)| (name.to_string(), schema)).collect()
}

fn file_id() -> (&'static str, Value) {
    ("file_id", typed("string", "The file's id from file_list."))
}

fn revision() -> (&'static str, Value) {
    ("expected_content_rev", typed("integer", "The content_rev that you read."))
}

fn batch_options() -> Vec<(&'static str, Value)> {
    vec![
        (
            "override_protection",
            typed("boolean", "Edit what the document protects; only when the user asked for it."),
        ),
        ("track_changes", typed("boolean", "Make edits of a Word document as tracked changes.")),
    ]
}

fn whole_edit(ops: &[&OpShape], form: Form) -> Tool {
    let op = object(op_properties(ops, form), &["op"]);
    let mut fields = vec![file_id(), revision()];
    fields.push(("ops", json!({ "type": "array", "items": op, "description": "Operations, applied in order, all or nothing. Positions mean the revision you read." })));
    fields.extend(batch_options());
    tool(
        "file_edit",
        "Edits one file with a batch of operations. Nothing is written when one of them fails.",
        object(properties(fields), &["file_id", "expected_content_rev", "ops"]),
    )
}

fn single_op(about: &str, ops: &[&OpShape], form: Form) -> Value {
    let mut fields = properties(vec![file_id(), revision()]);
    fields.extend(op_properties(ops, form));
    fields.extend(properties(batch_options()));
    let required: &[&str] = match form {
        Form::Fence => &["file_id", "expected_content_rev", "op", "text_from_fence"],
        Form::Either | Form::Inline | Form::Short => &["file_id", "expected_content_rev", "op"],
    };
    let mut schema = object(fields, required);
    schema["description"] = about.into();
    schema
}

/// All fields of these operations side by side, with `op` saying which belong to which.
fn op_properties(ops: &[&OpShape], form: Form) -> Map<String, Value> {
    let shown = |name: &str| match form {
        Form::Fence => !matches!(name, "text" | "replace" | "find" | "paragraphs"),
        Form::Either | Form::Inline | Form::Short => true,
    };
    let mut all: BTreeMap<&str, Value> = BTreeMap::new();
    for op in ops {
        for (name, schema, _) in op.fields.iter().filter(|(name, ..)| shown(name)) {
            all.entry(name)
                .and_modify(|known| *known = joined(name, known, schema))
                .or_insert_with(|| schema.clone());
        }
    }
    let signatures: Vec<String> = ops.iter().map(|op| signature(op, &shown)).collect();
    let names: Vec<&str> = ops.iter().map(|op| op.name.as_str()).collect();
    let mut fields = Map::new();
    fields.insert(
        "op".into(),
        json!({ "type": "string", "enum": names, "description": signatures.join("\n") }),
    );
    fields.extend(all.into_iter().map(|(name, schema)| (name.to_string(), schema)));
    let some_take_text = ops.iter().any(|op| takes_text(&op.name));
    if some_take_text && matches!(form, Form::Either | Form::Fence) {
        fields.insert(
            "text_from_fence".into(),
            typed(
                "boolean",
                "true: the text is the closed fence of this message. Never together with `text`.",
            ),
        );
        fields.insert(
            "fence".into(),
            typed(
                "string",
                "Which fence: its number or its `fence=` id; needed when the message has several.",
            ),
        );
    }
    fields
}

/// `replace_text(find, replace, occurrence?): Replaces exact text.`
fn signature(op: &OpShape, shown: &dyn Fn(&str) -> bool) -> String {
    let field = |(name, _, required): &(String, Value, bool)| {
        if *required { name.clone() } else { format!("{name}?") }
    };
    let fields: Vec<String> = op.fields.iter().filter(|(name, ..)| shown(name)).map(field).collect();
    format!("{}({}): {}", op.name, fields.join(", "), op.about)
}

/// One field of two operations: a number here and a word there become text.
fn joined(name: &str, one: &Value, other: &Value) -> Value {
    let kind = |schema: &Value| schema["type"].as_str().unwrap_or_default().to_string();
    if kind(one) == kind(other) {
        let mut both = one.clone();
        if one["enum"] != other["enum"]
            && let Some(fields) = both.as_object_mut()
        {
            fields.remove("enum");
        }
        return both;
    }
    typed("string", &format!("`{name}`: a word, or a number as digits, as the operation takes it."))
}

fn reading_tools() -> Vec<Tool> {
    vec![
        tool(
            "file_list",
            "Lists the open files with their ids and revisions.",
            object(properties(vec![("all", typed("boolean", "Always true."))]), &[]),
        ),
        tool(
            "file_read",
            "Reads a file as an outline of addressable places. A long document comes in windows; `next` is the range to ask for then.",
            object(
                properties(vec![
                    file_id(),
                    ("range", typed("string", "A window such as `10-40`, or `Data!A1:F40` in a workbook.")),
                ]),
                &["file_id"],
            ),
        ),
        tool(
            "file_search",
            "Finds text in the open files, ignoring case.",
            object(
                properties(vec![
                    ("query", typed("string", "The text to find.")),
                    file_id(),
                    ("max", typed("integer", "The most matches to tell.")),
                ]),
                &["query"],
            ),
        ),
        tool(
            "file_history",
            "Lists the snapshots of a file, newest first.",
            object(properties(vec![file_id()]), &["file_id"]),
        ),
    ]
}

fn writing_tools(relays_user: bool) -> Vec<Tool> {
    let step = || object(properties(vec![file_id(), revision()]), &["file_id"]);
    let mut tools = vec![
        tool(
            "file_write",
            "Makes a file that does not exist yet, beside an open file; only when the user named it.",
            object(
                properties(vec![
                    ("path", typed("string", "The new file's path or name.")),
                    ("text", typed("string", "Its text (Markdown for .docx).")),
                    (
                        "text_from_fence",
                        typed("boolean", "true: the text is the closed fence of this message."),
                    ),
                    ("fence", typed("string", "Which fence.")),
                    ("format", typed("string", "text, docx, xlsx or pptx; by the name when absent.")),
                ]),
                &["path"],
            ),
        ),
        tool(
            "file_restore",
            "Brings a snapshot back as a new revision; only when the user asked for it.",
            object(
                properties(vec![
                    file_id(),
                    ("snapshot", typed("string", "The snapshot's id from file_history.")),
                    revision(),
                ]),
                &["file_id", "snapshot", "expected_content_rev"],
            ),
        ),
    ];
    if relays_user {
        tools.push(tool("file_undo", "Takes the last change back.", step()));
        tools.push(tool("file_redo", "Does the change again that was taken back.", step()));
    }
    tools
}

// ---- reading the edit language ----

fn read_ops() -> Vec<OpShape> {
    let schema = serde_json::to_value(schemars::schema_for!(Edit)).unwrap_or(Value::Null);
    let definitions = schema["$defs"].clone();
    let variants = schema["oneOf"].as_array().cloned().unwrap_or_default();
    variants.iter().filter_map(|variant| read_op(variant, &definitions)).collect()
}

fn read_op(variant: &Value, definitions: &Value) -> Option<OpShape> {
    let name = variant["properties"]["op"]["const"].as_str()?.to_string();
    let required: Vec<&str> = variant["required"].as_array()?.iter().filter_map(Value::as_str).collect();
    let format = Format::of_operation(&name);
    let mut fields = Vec::new();
    for (field, schema) in variant["properties"].as_object()?.iter().filter(|(field, _)| *field != "op") {
        let (shown, flat) = flat_field(&name, field, schema, definitions);
        let is_nullable = matches!(
            (name.as_str(), field.as_str()),
            ("replace_lines_containing", "text") | ("xlsx_set_name", "refers_to")
        );
        fields.push((shown, flat, required.contains(&field.as_str()) && !is_nullable));
        if is_nullable {
            fields.push(("remove".into(), typed("boolean", "true instead of the text: delete."), false));
        }
    }
    let about = variant["description"].as_str().unwrap_or_default().to_string();
    Some(OpShape { name, format, about, fields })
}

/// A field's name and schema in the flattened form (`tools::flat` reads it back).
fn flat_field(op: &str, field: &str, schema: &Value, definitions: &Value) -> (String, Value) {
    let described = |mut flat: Value| {
        let about = schema["description"].as_str().or_else(|| about(field));
        if let Some(about) = about {
            flat["description"] = about.into();
        }
        flat
    };
    let flat = match (op, field) {
        ("xlsx_set_width", "rows") => return ("row_range".into(), typed("string", "Rows such as `3:5`.")),
        ("docx_insert_table_row", "cells") => {
            return (
                "row_cells".into(),
                json!({ "type": "array", "items": { "type": "string" }, "description": "Texts of the new row's cells." }),
            );
        }
        (_, "value") => cell_value(),
        (_, "expect") => json!({ "type": "array", "items": cell_value() }),
        (_, "values" | "rows") => {
            json!({ "type": "array", "items": { "type": "array", "items": cell_value() } })
        }
        (_, "cells") => {
            let entry = object(
                properties(vec![("cell", typed("string", "Such as `B4`.")), ("value", cell_value())]),
                &["cell", "value"],
            );
            json!({ "type": "array", "items": entry })
        }
        (_, "occurrence" | "col" | "start" | "end" | "shape") if is_mixed(schema, definitions) => {
            json!({ "type": "string" })
        }
        _ => plain(schema, definitions),
    };
    (field.to_string(), described(flat))
}

fn about(field: &str) -> Option<&'static str> {
    Some(match field {
        "find" => "Exact text to look for; short and unique.",
        "occurrence" => "Which match: a number from 1, or `all`.",
        "match" => "`normalized` ignores differences of white space, quotes and dashes.",
        "text" => "The new text.",
        "line" | "start_line" | "end_line" => "Line number from 1.",
        "expect_prefix" => "What the (first) line or paragraph must begin with.",
        "expect_title" => "The title that the slide must have.",
        "sheet" => "The sheet's name; the first visible one when absent.",
        "cell" => "Such as `B4`.",
        "range" => "Such as `A1:C9`.",
        "slide" => "Slide number from 1, in show order.",
        "shape" => "A shape's id, name, or placeholder type (`title`, `body`, `subtitle`).",
        "index" => "Paragraph number from 1 as in the outline.",
        "at" => "An address from the outline such as `p12`, `t1.r2.c3.p1`, `header1.p1`.",
        "position" => "`before` (default) or `after`; for sheets the place from 1.",
        _ => return None,
    })
}

/// A cell's content as an object with exactly one field.
fn cell_value() -> Value {
    let fields = properties(vec![
        ("number", typed("number", "A number.")),
        ("text", typed("string", "Text; never read as a number or formula.")),
        ("boolean", typed("boolean", "TRUE or FALSE.")),
        ("date", typed("string", "YYYY-MM-DD.")),
        ("datetime", typed("string", "YYYY-MM-DDThh:mm.")),
        ("formula", typed("string", "With its leading =.")),
        ("fill", typed("boolean", "true: the formula of the row above, moved down.")),
        ("clear", typed("boolean", "true: empty the cell.")),
    ]);
    let mut schema = object(fields, &[]);
    schema["description"] = "Exactly one field, by the kind of value.".into();
    schema
}

fn resolved<'s>(schema: &'s Value, definitions: &'s Value) -> &'s Value {
    let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/"));
    reference.and_then(|name| definitions.get(name)).unwrap_or(schema)
}

/// The alternatives of a schema without null.
fn alternatives<'s>(schema: &'s Value, definitions: &'s Value) -> Vec<&'s Value> {
    let schema = resolved(schema, definitions);
    let list = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
    match list {
        Some(list) => list
            .iter()
            .filter(|one| one["type"] != "null")
            .flat_map(|one| alternatives(one, definitions))
            .collect(),
        None => vec![schema],
    }
}

fn kind_of(schema: &Value) -> &str {
    match &schema["type"] {
        Value::String(kind) => kind,
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("string")
        }
        _ => "string",
    }
}

fn is_mixed(schema: &Value, definitions: &Value) -> bool {
    let kinds: BTreeSet<&str> = alternatives(schema, definitions).iter().map(|one| kind_of(one)).collect();
    kinds.len() > 1
}

/// Any other field: one plain type, its words if it has some, its items or fields likewise.
fn plain(schema: &Value, definitions: &Value) -> Value {
    let options = alternatives(schema, definitions);
    let words: Vec<&Value> = options
        .iter()
        .flat_map(|one| one["enum"].as_array().into_iter().flatten().chain(one.get("const")))
        .filter(|word| word.is_string())
        .collect();
    if !words.is_empty() {
        return json!({ "type": "string", "enum": words });
    }
    let one = options.first().copied().unwrap_or(schema);
    match kind_of(one) {
        "array" => json!({ "type": "array", "items": plain(&one["items"], definitions) }),
        "object" => {
            let fields = one["properties"].as_object().cloned().unwrap_or_default();
            let flat = fields.iter().map(|(name, field)| (name.clone(), plain(field, definitions))).collect();
            let required: Vec<&str> =
                one["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            object(flat, &required)
        }
        kind => json!({ "type": kind }),
    }
}

#[cfg(test)]
#[path = "schema/tests.rs"]
mod tests;
