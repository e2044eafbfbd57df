//! Puts the text of fences in place of `text_from_fence` (CONTRACT, sections 2 and 6).
//!
//! Works on the operations as JSON, before they become `Edit`s, because `text_from_fence` is a word of the wire and not of the
//! edit language. A fence is used only when its end is certain and everything it says about itself fits the operation.

use serde_json::{Map, Value};

use super::message::{Block, Fence, FenceState, blocks};
use super::refusal::{Refusal, RefusalCode};

/// What the call says about its target; a fence's attributes are checked against it.
#[derive(Debug, Clone, Copy)]
pub struct FenceContext<'a> {
    pub file_id: &'a str,
    pub path: &'a str,
    pub revision: Option<u64>,
}

/// Replaces every `text_from_fence` of a batch by the fence's text.
pub fn resolve(ops: Vec<Value>, message: &str, context: &FenceContext<'_>) -> Result<Vec<Value>, Refusal> {
    let carriers = Carriers::of(message);
    let mut taken = Vec::new();
    let resolve_one = |(index, op)| match op {
        Value::Object(fields) => {
            resolve_op(fields, &carriers, context, &mut taken).map_err(|refusal| refusal.at_op(index))
        }
        other => Ok(other),
    };
    ops.into_iter().enumerate().map(resolve_one).collect()
}

/// Whether an operation asks for a fence's text.
pub fn wants_fence(op: &Value) -> bool {
    op.get("text_from_fence").is_some_and(|value| value != &Value::Bool(false) && !value.is_null())
}

fn resolve_op(
    mut fields: Map<String, Value>,
    carriers: &Carriers,
    context: &FenceContext<'_>,
    taken: &mut Vec<usize>,
) -> Result<Value, Refusal> {
    let name = fields.get("op").and_then(Value::as_str).unwrap_or_default().to_string();
    let wanted = match fields.remove("text_from_fence") {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Bool(true)) => true,
        Some(other) => return Err(invalid(format!("`text_from_fence` is {other}; it takes true."))),
    };
    let reference = match fields.remove("fence") {
        None | Some(Value::Null) => None,
        Some(Value::String(id)) if !id.trim().is_empty() => Some(id.trim().to_string()),
        Some(Value::Number(number)) => Some(number.to_string()),
        Some(other) => return Err(invalid(format!("`fence` is {other}; it takes a number or an id."))),
    };
    match (wanted, reference) {
        (false, Some(_)) => Err(invalid("`fence` without `text_from_fence: true`.".into())),
        (false, None) => Ok(Value::Object(fields)),
        (true, reference) => {
            refuse_mixture(&name, &fields)?;
            let fence = carriers.choose(reference.as_deref(), &name, context, taken)?;
            fields.insert("text".into(), Value::String(fence.text.clone()));
            Ok(Value::Object(fields))
        }
    }
}

/// `text_from_fence` beside another source of text is two modes at once, and neither is guessed.
fn refuse_mixture(name: &str, fields: &Map<String, Value>) -> Result<(), Refusal> {
    let beside =
        ["text", "replace", "find", "paragraphs"].into_iter().find(|field| fields.contains_key(*field));
    let anchored = name == "docx_add_comment";
    match beside {
        Some("find") if anchored => Ok(()),
        Some(field) => Err(Refusal::new(
            RefusalCode::InvalidArguments,
            format!("`{name}` has `{field}` together with `text_from_fence`; the two exclude each other."),
            "Send either the text in the fields of the op, or `text_from_fence: true` with one closed fence, never both.",
        )),
        None if takes_text(name) => Ok(()),
        None => Err(Refusal::new(
            RefusalCode::InvalidArguments,
            format!("`{name}` takes no `text`, so it takes no `text_from_fence` either."),
            format!("Ops that take a fence: {}.", FENCE_OPS.join(", ")),
        )),
    }
}

/// The operations whose `text` may come from a fence.
pub const FENCE_OPS: &[&str] = &[
    "insert_lines",
    "replace_lines",
    "append_lines",
    "replace_lines_containing",
    "replace_section",
    "pptx_set_text",
    "pptx_set_title",
    "pptx_set_notes",
    "pptx_set_table_cell",
    "docx_set_paragraph",
    "docx_insert_paragraph",
    "docx_append_paragraph",
    "docx_insert_markdown",
    "docx_set_table_cell",
    "docx_add_comment",
];

/// Whether an operation has a `text` that a fence may carry.
pub fn takes_text(op: &str) -> bool {
    FENCE_OPS.contains(&op)
}

fn invalid(message: String) -> Refusal {
    let hint =
        "Use `text_from_fence: true` with an optional `fence`, and a closed fence in the same message.";
    Refusal::new(RefusalCode::InvalidArguments, message, hint)
}

/// The fences of a message that may carry text, in order.
struct Carriers {
    fences: Vec<Fence>,
}

impl Carriers {
    /// Fences of four or more markers, or with attributes, are meant as carriers; short ones count only when there is no other,
    /// because models also show code in them.
    fn of(message: &str) -> Carriers {
        let all: Vec<Fence> = blocks(message)
            .into_iter()
            .filter_map(|block| match block {
                Block::Fence(fence) => Some(fence),
                Block::Edit(_) => None,
            })
            .collect();
        let is_carrier = |fence: &Fence| fence.marker.1 >= 4 || names_binding(fence);
        let fences = match all.iter().any(is_carrier) {
            true => all.into_iter().filter(is_carrier).collect(),
            false => all,
        };
        Carriers { fences }
    }

    fn choose(
        &self,
        reference: Option<&str>,
        op: &str,
        context: &FenceContext<'_>,
        taken: &mut Vec<usize>,
    ) -> Result<&Fence, Refusal> {
        let index = match reference {
            Some(reference) => self.by_reference(reference)?,
            None => self.only_fit(op, context, taken)?,
        };
        let fence = &self.fences[index];
        check_end(fence, index)?;
        check_binding(fence, index, reference, op, context)?;
        taken.push(index);
        Ok(fence)
    }

    fn by_reference(&self, reference: &str) -> Result<usize, Refusal> {
        let by_id: Vec<usize> = (0..self.fences.len())
            .filter(|at| attribute(&self.fences[*at], "fence") == Some(reference))
            .collect();
        match by_id.as_slice() {
            [one] => return Ok(*one),
            [] => {}
            several => {
                let message = format!("{} fences of the message say `fence={reference}`.", several.len());
                return Err(Refusal::new(RefusalCode::FenceMismatch, message, "Give each fence its own id."));
            }
        }
        let by_number = reference.parse::<usize>().ok().filter(|n| (1..=self.fences.len()).contains(n));
        by_number.map(|number| number - 1).ok_or_else(|| {
            let message =
                format!("The message has no fence `{reference}`; {}.", counted(self.fences.len(), "fence"));
            self.missing(message)
        })
    }

    fn only_fit(&self, op: &str, context: &FenceContext<'_>, taken: &[usize]) -> Result<usize, Refusal> {
        let free: Vec<usize> = (0..self.fences.len()).filter(|at| !taken.contains(at)).collect();
        let bound: Vec<usize> = free
            .iter()
            .copied()
            .filter(|at| names_binding(&self.fences[*at]) && misfit(&self.fences[*at], op, context).is_none())
            .collect();
        match (bound.as_slice(), free.as_slice()) {
            ([one], _) | ([], [one]) => Ok(*one),
            (_, []) if self.fences.is_empty() => Err(self.missing("The message holds no fence.".into())),
            (_, []) => Err(Refusal::new(
                RefusalCode::FenceMismatch,
                "Every fence of the message already belongs to an earlier op.",
                "Name the fence with `fence`, or send one fence for each op.",
            )),
            _ => Err(Refusal::new(
                RefusalCode::FenceMismatch,
                format!("The message holds {} fences and the op does not say which.", self.fences.len()),
                "Add `fence=1`, `fence=2`… to the fences and `\"fence\": \"1\"` to the ops.",
            )),
        }
    }

    fn missing(&self, message: String) -> Refusal {
        let hint = "Write the text in a fence of four backticks (````md) in the same message as the call, and close it.";
        Refusal::new(RefusalCode::FenceMissing, message, hint)
    }
}

fn counted(count: usize, noun: &str) -> String {
    match count {
        0 => format!("it holds no {noun}"),
        1 => format!("it holds one {noun}"),
        more => format!("it holds {more} {noun}s"),
    }
}

fn attribute<'f>(fence: &'f Fence, key: &str) -> Option<&'f str> {
    fence.attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}

fn names_binding(fence: &Fence) -> bool {
    ["file", "op", "fence", "rev"].into_iter().any(|key| attribute(fence, key).is_some())
}

fn check_end(fence: &Fence, index: usize) -> Result<(), Refusal> {
    match fence.state {
        FenceState::Closed => Ok(()),
        FenceState::Unclosed => Err(Refusal::new(
            RefusalCode::FenceUnclosed,
            format!("Fence {} (line {}) is not closed; its text may be cut off.", index + 1, fence.line),
            "Send the whole text again and close the fence with the marker that opened it; shorten it if it was cut.",
        )),
        FenceState::Ambiguous => Err(Refusal::new(
            RefusalCode::FenceUnclosed,
            format!(
                "Where fence {} (line {}) ends is uncertain: another bare fence of the same length follows.",
                index + 1,
                fence.line
            ),
            "Open the outer fence with a language and more backticks than any fence inside its text.",
        )),
    }
}

fn check_binding(
    fence: &Fence,
    index: usize,
    reference: Option<&str>,
    op: &str,
    context: &FenceContext<'_>,
) -> Result<(), Refusal> {
    let wrong_id = match (reference, attribute(fence, "fence")) {
        (Some(asked), Some(says)) if asked != says => {
            Some(format!("it says `fence={says}`, the op asks for `{asked}`"))
        }
        _ => None,
    };
    match wrong_id.or_else(|| misfit(fence, op, context)) {
        None => Ok(()),
        Some(why) => Err(Refusal::new(
            RefusalCode::FenceMismatch,
            format!("Fence {} does not belong to this op: {why}.", index + 1),
            "Send the fence again with the attributes of the op that uses it.",
        )),
    }
}

/// What a fence says about itself that contradicts the op, if anything.
fn misfit(fence: &Fence, op: &str, context: &FenceContext<'_>) -> Option<String> {
    // The call says which file is meant; a fence may call it by its id, its path or the name in it.
    let is_other = |file: &&str| {
        let name = context.path.rsplit(['/', '\\']).next();
        *file != context.file_id && *file != context.path && Some(*file) != name
    };
    if let Some(file) = attribute(fence, "file").filter(is_other) {
        return Some(format!("it says `file={file}`, the call is for `{}`", context.file_id));
    }
    if let Some(bound) = attribute(fence, "op").filter(|bound| *bound != op) {
        return Some(format!("it says `op={bound}`, the op is `{op}`"));
    }
    let rev = attribute(fence, "rev")?;
    let fits = context.revision.is_some_and(|revision| revision.to_string() == rev);
    (!fits).then(|| format!("it says `rev={rev}`, the call expects another revision"))
}

#[cfg(test)]
#[path = "fences/tests.rs"]
mod tests;
