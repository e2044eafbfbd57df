//! The declared tools, with their schemas compiled once.

use std::collections::HashMap;

use jsonschema::Validator;
use serde_json::Value;

use crate::message::Tool;

/// Tools by name.
#[derive(Debug, Default)]
pub(crate) struct ToolSet {
    tools: HashMap<String, Declared>,
}

#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) schema: Value,
    /// None when the schema itself cannot be compiled: then only the form is checked.
    validator: Option<Validator>,
}

impl Declared {
    fn new(schema: Value) -> Declared {
        let validator = jsonschema::options().build(&schema).ok();
        Declared { schema, validator }
    }

    pub(crate) fn has_usable_schema(&self) -> bool {
        self.validator.is_some()
    }

    pub(crate) fn accepts(&self, value: &Value) -> bool {
        self.validator.as_ref().is_none_or(|validator| validator.is_valid(value))
    }

    /// What does not fit, in words for a model.
    pub(crate) fn complaint(&self, value: &Value) -> Option<String> {
        let validator = self.validator.as_ref()?;
        let complaints = validator.iter_errors(value).take(3).map(|error| {
            let place = error.instance_path().to_string();
            let message: String = error.to_string().chars().take(300).collect();
            if place.is_empty() { message } else { format!("{place}: {message}") }
        });
        let joined = complaints.collect::<Vec<_>>().join("; ");
        (!joined.is_empty()).then_some(joined)
    }
}

impl ToolSet {
    pub(crate) fn new(tools: &[Tool]) -> ToolSet {
        let declared = tools.iter().map(|tool| {
            let schema = tool.accepts.as_ref().unwrap_or(&tool.parameters);
            (tool.name.clone(), Declared::new(schema.clone()))
        });
        ToolSet { tools: declared.collect() }
    }

    /// Reads the `tools` of a request body; entries of other types than `function` are left to the endpoint.
    pub(crate) fn from_body(tools: &Value) -> ToolSet {
        let functions = tools.as_array().into_iter().flatten().filter_map(|tool| tool.get("function"));
        let declared = functions.filter_map(|function| {
            let name = function.get("name")?.as_str()?.to_owned();
            let schema = function.get("parameters").cloned().filter(Value::is_object);
            Some((name, Declared::new(schema.unwrap_or_else(|| serde_json::json!({"type": "object"})))))
        });
        ToolSet { tools: declared.collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Declared> {
        self.tools.get(name)
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.tools.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }
}
