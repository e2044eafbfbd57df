//! The tools of CONTRACT, section 6: what a model may call, and how its arguments are read.
//!
//! Arguments arrive as the text of a whole JSON object; anything unknown in them is refused. What a call does is in `turn::execute`;
//! how tools are described to a model in `tools::schema`.

pub mod flat;
pub mod schema;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::refusal::{Refusal, RefusalCode};

/// A call, read.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    List,
    Read(ReadCall),
    Search(SearchCall),
    Edit(EditCall),
    Write(WriteCall),
    History(FileCall),
    Restore(RestoreCall),
    Undo(StepCall),
    Redo(StepCall),
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadCall {
    pub file_id: Option<String>,
    pub path: Option<String>,
    pub range: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchCall {
    pub query: String,
    pub file_id: Option<String>,
    pub max: Option<usize>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditCall {
    pub file_id: String,
    pub expected_content_rev: Option<u64>,
    pub ops: Vec<Value>,
    pub override_protection: Option<bool>,
    pub track_changes: Option<bool>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteCall {
    pub path: String,
    pub text: Option<String>,
    pub text_from_fence: Option<bool>,
    pub fence: Option<Value>,
    pub format: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileCall {
    pub file_id: String,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RestoreCall {
    pub file_id: String,
    pub snapshot: String,
    pub expected_content_rev: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepCall {
    pub file_id: String,
    pub expected_content_rev: Option<u64>,
}

/// The edit tool and the two forms that replace it after a truncation.
pub const EDIT_TOOLS: &[&str] = &["file_edit", "file_edit_fence", "file_edit_short"];

impl Call {
    /// Reads a call by its tool's name and the text of its arguments.
    pub fn read(name: &str, arguments: &str) -> Result<Call, Refusal> {
        let arguments: Value =
            serde_json::from_str(arguments).map_err(|error| invalid(name, &error.to_string()))?;
        match name {
            "file_list" => Ok(Call::List),
            "file_read" => typed(name, arguments).map(Call::Read),
            "file_search" => typed(name, arguments).map(Call::Search),
            "file_edit" | "file_edit_fence" | "file_edit_short" => edit(name, arguments).map(Call::Edit),
            "file_write" => typed(name, arguments).map(Call::Write),
            "file_history" => typed(name, arguments).map(Call::History),
            "file_restore" => typed(name, arguments).map(Call::Restore),
            "file_undo" => typed(name, arguments).map(Call::Undo),
            "file_redo" => typed(name, arguments).map(Call::Redo),
            other => Err(Refusal::new(
                RefusalCode::InvalidArguments,
                format!("There is no tool `{other}`."),
                "Call one of the tools that were offered.",
            )),
        }
    }

    /// Whether the call may change a file; such calls run one after another.
    pub fn is_write(&self) -> bool {
        match self {
            Call::Edit(_) | Call::Write(_) | Call::Restore(_) | Call::Undo(_) | Call::Redo(_) => true,
            Call::List | Call::Read(_) | Call::Search(_) | Call::History(_) => false,
        }
    }

    /// The file a call is about, when it names one by id.
    pub fn file_id(&self) -> Option<&str> {
        match self {
            Call::List | Call::Write(_) => None,
            Call::Read(call) => call.file_id.as_deref(),
            Call::Search(call) => call.file_id.as_deref(),
            Call::Edit(call) => Some(&call.file_id),
            Call::History(call) => Some(&call.file_id),
            Call::Restore(call) => Some(&call.file_id),
            Call::Undo(call) | Call::Redo(call) => Some(&call.file_id),
        }
    }
}

fn typed<T: serde::de::DeserializeOwned>(name: &str, arguments: Value) -> Result<T, Refusal> {
    serde_json::from_value(arguments).map_err(|error| invalid(name, &error.to_string()))
}

fn invalid(name: &str, why: &str) -> Refusal {
    let message = format!("The arguments of `{name}` are not as its schema says: {why}.");
    Refusal::new(RefusalCode::InvalidArguments, message, "Send the call again with corrected arguments.")
}

/// A batch with `ops`, or one operation whose fields stand beside `file_id` (the exclusive forms).
fn edit(name: &str, arguments: Value) -> Result<EditCall, Refusal> {
    let Value::Object(mut fields) = arguments else { return Err(invalid(name, "not an object")) };
    if fields.contains_key("op") && !fields.contains_key("ops") {
        let (outer, op): (Map<String, Value>, Map<String, Value>) = std::mem::take(&mut fields)
            .into_iter()
            .partition(|(key, _)| BATCH_FIELDS.contains(&key.as_str()));
        fields = outer;
        fields.insert("ops".into(), Value::Array(vec![Value::Object(op)]));
    }
    let mut call: EditCall = typed(name, Value::Object(fields))?;
    call.ops = call.ops.into_iter().map(flat::contract_form).collect();
    refuse_other_form(name, &call.ops)?;
    Ok(call)
}

const BATCH_FIELDS: &[&str] = &["file_id", "expected_content_rev", "override_protection", "track_changes"];

/// The exclusive forms keep apart what their schemas keep apart, also where the endpoint let a mixture through.
fn refuse_other_form(name: &str, ops: &[Value]) -> Result<(), Refusal> {
    for (index, op) in ops.iter().enumerate() {
        let has_fence = super::fences::wants_fence(op);
        let refusal = match name {
            "file_edit_fence" if !has_fence => {
                "`file_edit_fence` takes its text only from a fence: `text_from_fence: true`."
            }
            "file_edit_short" if has_fence => {
                "`file_edit_short` takes no `text_from_fence`; use `file_edit_fence` for text from a fence."
            }
            _ => continue,
        };
        let hint = "Use one of the two forms as it is described.";
        return Err(Refusal::new(RefusalCode::InvalidArguments, refusal, hint).at_op(index));
    }
    Ok(())
}
