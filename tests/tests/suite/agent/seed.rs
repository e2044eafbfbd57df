//! The three requests of the first seed, each with three kinds of answers: clean, cut off and then healed, wrong and then corrected.

use std::sync::Arc;

use assistant::{
    agent::{eval::CaseSet, model::RemoteModel},
    api::answers::DocumentInfo,
    workspace::EditMode,
};
use gateway::{
    Client, Endpoint,
    testing::{Reply, Upstream, chunk},
};
use serde_json::{Value, json};

use super::Desk;

struct Wish {
    say: &'static str,
    name: &'static str,
    bytes: Vec<u8>,
    right: Value,
    wrong: Value,
    /// What the outline must show afterwards, and must not.
    shows: &'static str,
    hides: &'static str,
}

fn article() -> Vec<u8> {
    let mut text = String::from("# 平台\n\n");
    for chapter in 1..=9 {
        text.push_str(&format!("## 第 {chapter} 章\n\n第 {chapter} 章的第一段。\n"));
        if chapter == 6 {
            text.push_str("平台算法只看点击量。\n");
        }
        text.push('\n');
    }
    text.into_bytes()
}

fn wishes() -> Vec<Wish> {
    let set = CaseSet::built_in().unwrap();
    vec![
        Wish {
            say: "把第 6 章里关于平台算法的那句话改掉，换成更新的观点。",
            name: "article.md",
            bytes: article(),
            right: json!([{"op": "replace_text", "find": "平台算法只看点击量。", "replace": "平台算法如今更看重停留时长。"}]),
            wrong: json!([{"op": "replace_text", "find": "第一段", "replace": "平台算法如今更看重停留时长。"}]),
            shows: "平台算法如今更看重停留时长。",
            hides: "平台算法只看点击量。",
        },
        Wish {
            say: "在数据表格第 12 行前插入一条 2024 年的新数据，不要动其他行。",
            name: "budget.xlsx",
            bytes: set.document("budget.xlsx").unwrap(),
            right: json!([{"op": "xlsx_insert_rows", "row": 12, "rows": [["2024", 240, 24]]}]),
            wrong: json!([{"op": "xlsx_insert_rows", "row": 9_000_000, "rows": [["2024", 240, 24]]}]),
            shows: "240",
            hides: "没有",
        },
        Wish {
            say: "给PPTX的第3页换个标题，把第4页删掉。",
            name: "deck.pptx",
            bytes: set.document("deck.pptx").unwrap(),
            right: json!([{"op": "pptx_set_title", "slide": 3, "text": "季度总结"}, {"op": "pptx_delete_slide", "slide": 4}]),
            wrong: json!([{"op": "pptx_set_title", "slide": 3, "text": "季度总结"}, {"op": "pptx_delete_slide", "slide": 40}]),
            shows: "季度总结",
            hides: "Slide 4",
        },
    ]
}

fn arguments(file: &DocumentInfo, ops: &Value) -> String {
    json!({"file_id": file.file_id, "expected_content_rev": file.content_rev, "ops": ops}).to_string()
}

fn cut(arguments: &str) -> Reply {
    let mut end = arguments.len() / 2;
    while !arguments.is_char_boundary(end) {
        end += 1;
    }
    let head = json!({"index": 0, "id": "x", "type": "function", "function": {"name": "file_edit", "arguments": ""}});
    Reply::chunks(&[
        chunk(&json!({"role": "assistant", "content": ""}), None),
        chunk(&json!({"tool_calls": [head]}), None),
        chunk(&json!({"tool_calls": [{"index": 0, "function": {"arguments": &arguments[..end]}}]}), None),
        chunk(&json!({}), Some("length")),
    ])
}

/// Runs a wish; `answer` gives the model's words by how often it was asked, until the edit is staged.
async fn run(
    wish: &Wish,
    kind: &str,
    mut answer: impl FnMut(usize, &DocumentInfo) -> Reply + Send + 'static,
) {
    let desk = Desk::new();
    let file = desk.document(wish.name, &wish.bytes);
    let mut asked = 0;
    let told = file.clone();
    let upstream = Upstream::with(move |seen| {
        asked += 1;
        let messages = seen.body["messages"].as_array().unwrap();
        let is_staged = |message: &Value| {
            message["role"] == "tool" && message["content"].as_str().unwrap().contains(r#""status":"staged""#)
        };
        let is_done = messages.iter().any(is_staged);
        Some(if is_done { Reply::text("好了。") } else { answer(asked, &told) })
    })
    .await
    .unwrap();
    let model =
        RemoteModel::new(Client::new(Endpoint::new(upstream.base_url(), None, "m")).unwrap(), "test/m");
    let report =
        desk.app.turn_with(&super::turn(wish.say, &[&file], EditMode::Stage), Arc::new(model)).await.unwrap();
    upstream.assert_clean();
    let label = format!("{} ({kind})", wish.name);
    assert_eq!(report.message.as_deref().ok(), Some("好了。"), "{label}: {:?}", report.message);
    assert!((1..=2).contains(&report.receipts.len()), "{label}: {:?}", report.receipts);
    assert_eq!(
        std::fs::read(desk.path(wish.name)).unwrap(),
        wish.bytes,
        "{label}: nothing is written before the user agrees"
    );
    let proposal_id = report.receipts[0].proposal_id.clone().unwrap();
    let choice = assistant::api::params::ProposalChoice { proposal_id, changes: None };
    let accepted = desk.app.proposals_accept(&choice, &Default::default()).unwrap();
    assert_eq!((accepted.previous_rev, accepted.content_rev), (1, 2), "{label}");
    let params =
        assistant::api::params::OutlineOf { file_id: file.file_id.clone(), range: None, budget: None };
    let outline = desk.app.documents_outline(&params, &Default::default()).unwrap();
    let texts: Vec<&str> = outline.nodes.iter().map(|node| node.text.as_str()).collect();
    assert!(texts.iter().any(|text| text.contains(wish.shows)), "{label}: {texts:?}");
    assert!(!texts.iter().any(|text| text.contains(wish.hides)), "{label}: {texts:?}");
    let undo = assistant::api::params::Step { file_id: file.file_id.clone(), expected_content_rev: Some(2) };
    desk.app.history_undo(&undo, &Default::default()).unwrap();
    assert_eq!(std::fs::read(desk.path(wish.name)).unwrap(), wish.bytes, "{label}: undo gives the old bytes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clean_answers() {
    for wish in wishes() {
        let right = wish.right.clone();
        run(&wish, "clean", move |asked, file| match asked {
            1 => Reply::call("r", "file_read", &json!({"file_id": file.file_id}).to_string()),
            _ => Reply::call("e", "file_edit", &arguments(file, &right)),
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_cut_off_and_then_healed() {
    for wish in wishes() {
        let right = wish.right.clone();
        run(&wish, "cut off", move |asked, file| match asked {
            1 => cut(&arguments(file, &right)),
            // After a truncation one operation a call, in the short form.
            _ => {
                let one = |op: &Value| {
                    let mut call = op.clone();
                    call["file_id"] = file.file_id.as_str().into();
                    call["expected_content_rev"] = file.content_rev.into();
                    call.to_string()
                };
                let calls: Vec<String> = right.as_array().unwrap().iter().map(one).collect();
                let ids = ["e1", "e2"];
                let calls: Vec<(&str, &str, &str)> =
                    calls.iter().zip(ids).map(|(call, id)| (id, "file_edit_short", call.as_str())).collect();
                Reply::calls("", &calls)
            }
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_answers_and_then_corrected() {
    for wish in wishes() {
        let (right, wrong) = (wish.right.clone(), wish.wrong.clone());
        run(&wish, "wrong", move |asked, file| match asked {
            1 => Reply::call("w", "file_edit", &arguments(file, &wrong)),
            _ => Reply::call("e", "file_edit", &arguments(file, &right)),
        })
        .await;
    }
}
