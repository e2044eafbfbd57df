//! Any bytes as a text, any operations: refused with a reason, or done without touching what lies outside.
#![no_main]

use documents::{ApplyContext, Edit, Format, Limits, OutlineRequest, error::EditErrorKind};
use libfuzzer_sys::{
    arbitrary::{self, Unstructured},
    fuzz_target,
};

/// One operation of any kind.
fn op(rest: &mut Unstructured<'_>) -> arbitrary::Result<serde_json::Value> {
    let kind: u8 = rest.arbitrary()?;
    let (find, text): (&str, &str) = (rest.arbitrary()?, rest.arbitrary()?);
    let (first, last): (u8, u8) = (rest.arbitrary()?, rest.arbitrary()?);
    let (is_one, is_other): (bool, bool) = (rest.arbitrary()?, rest.arbitrary()?);
    let occurrence = if is_one { "all".into() } else { serde_json::Value::from(last) };
    Ok(match kind % 8 {
        0 => serde_json::json!({"op": "replace_text", "find": find, "replace": text, "occurrence": occurrence,
            "match": if is_other { "normalized" } else { "exact" },
            "start_line": first.checked_sub(200), "end_line": last.checked_sub(200)}),
        1 if is_other => serde_json::json!({"op": "delete_text", "find": find}),
        1 => serde_json::json!({"op": "delete_text", "find": find, "occurrence": occurrence}),
        2 => serde_json::json!({"op": "insert_lines", "line": first, "text": text, "position": if is_one { "after" } else { "before" }}),
        3 => serde_json::json!({"op": "replace_lines", "start_line": first, "end_line": last, "text": text}),
        4 => serde_json::json!({"op": "delete_lines", "start_line": first, "end_line": last}),
        5 => serde_json::json!({"op": "append_lines", "text": text}),
        6 => serde_json::json!({"op": "replace_lines_containing", "contains": find, "text": is_one.then_some(text)}),
        _ => serde_json::json!({"op": "replace_section", "heading": find, "text": text, "keep_heading": is_one}),
    })
}

fuzz_target!(|input: &[u8]| {
    let mut rest = Unstructured::new(input);
    let count = rest.arbitrary::<u8>().unwrap_or(0) % 5;
    let ops = (0..count).map_while(|_| op(&mut rest).ok());
    let edits: Vec<Edit> = ops.filter_map(|op| serde_json::from_value(op).ok()).collect();
    let bytes = rest.take_rest();
    let limits = Limits::default();
    let ctx = ApplyContext {
        author: "",
        now: "",
        override_protection: false,
        track_changes: None,
        limits: limits.clone(),
        cancel: &|| false,
    };
    let request = OutlineRequest { range: None, budget: 4_096 };
    let shown = documents::outline(Format::Text, bytes, &request, &limits, &|| false);
    match documents::apply(Format::Text, bytes, &edits, &ctx) {
        Ok(applied) => {
            assert!(shown.is_ok());
            assert_eq!(applied.bytes == bytes, applied.changes.is_empty() || applied.bytes == bytes);
        }
        Err(error) => assert_ne!(error.kind, EditErrorKind::Internal, "{error}"),
    }
});
