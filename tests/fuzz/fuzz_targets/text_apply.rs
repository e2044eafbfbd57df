//! Any bytes as a text, any operations: refused with a reason, or done without touching what lies outside.
#![no_main]

use documents::{ApplyContext, Edit, Format, Limits, OutlineRequest, error::EditErrorKind};
use libfuzzer_sys::{
    arbitrary::{Arbitrary, Unstructured},
    fuzz_target,
};

#[derive(Debug, Arbitrary)]
enum Op<'a> {
    Replace(&'a str, &'a str, Option<u8>, bool, Option<u8>, Option<u8>),
    Delete(&'a str, bool),
    Insert(u8, &'a str, bool),
    Lines(u8, u8, &'a str),
    DeleteLines(u8, u8),
    Append(&'a str),
    Containing(&'a str, Option<&'a str>),
    Section(&'a str, &'a str, bool),
}

impl Op<'_> {
    fn edit(&self) -> Option<Edit> {
        let value = match self {
            Op::Replace(find, replace, occurrence, loose, start, end) => {
                serde_json::json!({"op": "replace_text", "find": find, "replace": replace,
                    "occurrence": occurrence.map_or("all".into(), |nth| serde_json::Value::from(nth)),
                    "match": if *loose { "normalized" } else { "exact" }, "start_line": start, "end_line": end})
            }
            Op::Delete(find, all) if *all => serde_json::json!({"op": "delete_text", "find": find, "occurrence": "all"}),
            Op::Delete(find, _) => serde_json::json!({"op": "delete_text", "find": find}),
            Op::Insert(line, text, after) => {
                serde_json::json!({"op": "insert_lines", "line": line, "text": text, "position": if *after { "after" } else { "before" }})
            }
            Op::Lines(start, end, text) => {
                serde_json::json!({"op": "replace_lines", "start_line": start, "end_line": end, "text": text})
            }
            Op::DeleteLines(start, end) => serde_json::json!({"op": "delete_lines", "start_line": start, "end_line": end}),
            Op::Append(text) => serde_json::json!({"op": "append_lines", "text": text}),
            Op::Containing(contains, text) => {
                serde_json::json!({"op": "replace_lines_containing", "contains": contains, "text": text})
            }
            Op::Section(heading, text, keep) => {
                serde_json::json!({"op": "replace_section", "heading": heading, "text": text, "keep_heading": keep})
            }
        };
        serde_json::from_value(value).ok()
    }
}

fuzz_target!(|input: &[u8]| {
    let mut rest = Unstructured::new(input);
    let Ok(ops) = Vec::<Op<'_>>::arbitrary(&mut rest) else { return };
    let edits: Vec<Edit> = ops.iter().take(8).filter_map(Op::edit).collect();
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
