//! Which fence an op gets, and when none.

use serde_json::json;

use super::*;

const CONTEXT: FenceContext<'static> =
    FenceContext { file_id: "file-02ea40ee", path: "/docs/report.md", revision: Some(45) };

fn resolved(op: Value, message: &str) -> Result<Value, RefusalCode> {
    resolve(vec![op], message, &CONTEXT).map(|mut ops| ops.remove(0)).map_err(|refusal| refusal.code)
}

fn append() -> Value {
    json!({"op": "append_lines", "text_from_fence": true})
}

#[test]
fn the_text_of_the_only_fence_is_put_in_place() {
    let message = "Here:\n````md file=file-02ea40ee op=append_lines fence=1 rev=45\nlong\ntext\n````\nDone.";
    assert_eq!(resolved(append(), message), Ok(json!({"op": "append_lines", "text": "long\ntext"})));
    let by_path = "````md file=/docs/report.md\nx\n````";
    assert_eq!(resolved(append(), by_path), Ok(json!({"op": "append_lines", "text": "x"})));
}

#[test]
fn ops_without_a_fence_are_left_alone() {
    let op = json!({"op": "append_lines", "text": "a", "text_from_fence": false});
    assert_eq!(resolved(op, ""), Ok(json!({"op": "append_lines", "text": "a"})));
}

#[test]
fn missing_unclosed_and_uncertain_ends() {
    assert_eq!(resolved(append(), "no fence here"), Err(RefusalCode::FenceMissing));
    assert_eq!(resolved(append(), "````md\ncut"), Err(RefusalCode::FenceUnclosed));
    assert_eq!(resolved(append(), "````md\na\n````\nb\n````\nc\n````"), Err(RefusalCode::FenceMismatch));
    let asked = json!({"op": "append_lines", "text_from_fence": true, "fence": 1});
    assert_eq!(resolved(asked, "````md\na\n````\nb\n````\nc\n````"), Err(RefusalCode::FenceUnclosed));
    let third = json!({"op": "append_lines", "text_from_fence": true, "fence": 3});
    assert_eq!(resolved(third, "````md\na\n````"), Err(RefusalCode::FenceMissing));
}

#[test]
fn attributes_are_checked_when_present() {
    for attributes in ["file=file-00000000", "op=insert_lines", "rev=44"] {
        let message = format!("````md {attributes}\nx\n````");
        assert_eq!(resolved(append(), &message), Err(RefusalCode::FenceMismatch), "{attributes}");
    }
    let asked = json!({"op": "append_lines", "text_from_fence": true, "fence": "1"});
    assert_eq!(resolved(asked, "````md fence=2\nx\n````"), Err(RefusalCode::FenceMismatch));
}

#[test]
fn several_fences_are_told_apart_by_id_number_or_binding() {
    let message = "````md fence=intro\nA\n````\n````md fence=end\nB\n````";
    let by = |fence: Value| json!({"op": "append_lines", "text_from_fence": true, "fence": fence});
    assert_eq!(resolved(by(json!("end")), message), Ok(json!({"op": "append_lines", "text": "B"})));
    assert_eq!(resolved(append(), message), Err(RefusalCode::FenceMismatch));
    let plain = "````md\nA\n````\n````md\nB\n````";
    assert_eq!(resolved(by(json!(2)), plain), Ok(json!({"op": "append_lines", "text": "B"})));
    let bound = "````md op=insert_lines\nA\n````\n````md op=append_lines\nB\n````";
    assert_eq!(resolved(append(), bound), Ok(json!({"op": "append_lines", "text": "B"})));
}

#[test]
fn short_code_samples_do_not_count_beside_a_carrier() {
    let message = "```json\n{}\n```\n````md\ntext\n````";
    assert_eq!(resolved(append(), message), Ok(json!({"op": "append_lines", "text": "text"})));
    assert_eq!(resolved(append(), "~~~md\ntext\n~~~"), Ok(json!({"op": "append_lines", "text": "text"})));
}

#[test]
fn one_fence_serves_one_op_unless_it_is_named() {
    let message = "````md\nx\n````";
    let twice =
        resolve(vec![append(), append()], message, &CONTEXT).map_err(|refusal| (refusal.code, refusal.op));
    assert_eq!(twice, Err((RefusalCode::FenceMismatch, Some(1))));
    let named = json!({"op": "append_lines", "text_from_fence": true, "fence": "1"});
    assert!(resolve(vec![named.clone(), named], message, &CONTEXT).is_ok());
}

#[test]
fn two_modes_at_once_are_refused() {
    let message = "````md\nx\n````";
    for op in [
        json!({"op": "append_lines", "text": "a", "text_from_fence": true}),
        json!({"op": "replace_text", "text_from_fence": true}),
        json!({"op": "replace_text", "find": "a", "replace": "b", "text_from_fence": true}),
        json!({"op": "delete_lines", "start_line": 1, "end_line": 2, "text_from_fence": true}),
        json!({"op": "append_lines", "text": "a", "fence": 1}),
        json!({"op": "append_lines", "text_from_fence": "yes"}),
        json!({"op": "append_lines", "text_from_fence": true, "fence": {}}),
    ] {
        assert_eq!(resolved(op.clone(), message), Err(RefusalCode::InvalidArguments), "{op}");
    }
}
