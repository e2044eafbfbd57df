//! The three requests of the first seed, each with three kinds of answers: clean, cut off and then healed, wrong and then corrected.
//!
//! On documents made here and, where the shared corpus is, on real ones: what was asked is there, and everything else is the same bytes.

use std::{path::Path, sync::Arc};

use assistant::{
    agent::{eval::CaseSet, model::RemoteModel},
    api::answers::{DocumentInfo, Receipt},
    workspace::EditMode,
};
use documents::{ApplyContext, Edit, Format, Limits, Node, OutlineRequest};
use gateway::{
    Client, Endpoint,
    testing::{Reply, Upstream, chunk},
};
use serde_json::{Value, json};
use stet_tests::entries::{compare, entries};

use super::Desk;

struct Wish {
    say: &'static str,
    name: String,
    bytes: Vec<u8>,
    right: Value,
    wrong: Value,
    /// Whether the result is what was asked for, and everything else as it was.
    check: fn(&Wish, &[u8], &Receipt),
}

const SENTENCE: &str = "把第 6 章里关于平台算法的那句话改掉，换成更新的观点。";
const ROW: &str = "在数据表格第 12 行前插入一条 2024 年的新数据，不要动其他行。";
const SLIDES: &str = "给 PPTX 的第 3 页换个标题，把第 5 页删掉。";

fn article() -> Vec<u8> {
    let mut text = String::from("# 平台\r\n\r\n");
    for chapter in 1..=9 {
        text.push_str(&format!("## 第 {chapter} 章\r\n\r\n第 {chapter} 章的第一段。\n"));
        if chapter == 6 {
            text.push_str("平台算法只看点击量。\r\n");
        }
        text.push('\n');
    }
    text.into_bytes()
}

/// The set's deck with six slides.
fn six_slides(deck: &[u8]) -> Vec<u8> {
    let ops: Vec<Edit> = serde_json::from_value(json!([
        {"op": "pptx_duplicate_slide", "slide": 2}, {"op": "pptx_duplicate_slide", "slide": 4},
    ]))
    .unwrap();
    let ctx = ApplyContext {
        author: "Stet",
        now: "2026-01-01T00:00:00Z",
        override_protection: false,
        track_changes: None,
        limits: Limits::default(),
        cancel: &|| false,
    };
    documents::apply(Format::Pptx, deck, &ops, &ctx).unwrap().bytes
}

fn sentence(name: &str, bytes: Vec<u8>, find: &str, replace: &str, repeated: &str) -> Wish {
    let op = |find: &str| json!([{"op": "replace_text", "find": find, "replace": replace}]);
    let (right, wrong) = (op(find), op(repeated));
    Wish { say: SENTENCE, name: name.into(), bytes, right, wrong, check: only_the_sentence }
}

fn row(name: &str, bytes: Vec<u8>) -> Wish {
    let op = |row: u32| json!([{"op": "xlsx_insert_rows", "row": row, "rows": [["2024", 240, 24]]}]);
    let (right, wrong) = (op(12), op(9_000_000));
    Wish { say: ROW, name: name.into(), bytes, right, wrong, check: only_the_row }
}

fn slides(name: &str, bytes: Vec<u8>) -> Wish {
    let ops = |slide: u32| json!([{"op": "pptx_set_title", "slide": 3, "text": "季度总结"}, {"op": "pptx_delete_slide", "slide": slide}]);
    let (right, wrong) = (ops(5), ops(400));
    Wish { say: SLIDES, name: name.into(), bytes, right, wrong, check: only_the_slides }
}

fn wishes() -> Vec<Wish> {
    let set = CaseSet::built_in().unwrap();
    let mut wishes = vec![
        sentence("article.md", article(), "平台算法只看点击量。", "平台算法如今更看重停留时长。", "第一段"),
        row("budget.xlsx", set.document("budget.xlsx").unwrap()),
        slides("deck.pptx", six_slides(&set.document("deck.pptx").unwrap())),
    ];
    let real = stet_tests::corpus(&["md", "xlsx", "pptx"]);
    let named = |name: &str| {
        let path = real.iter().find(|path| path.ends_with(Path::new(name)));
        path.map(|path| std::fs::read(path).unwrap())
    };
    // Its sixth chapter tells about the order of results.
    let aspect = "has a non-deterministic aspect to it, since the interleaving of threads";
    wishes.extend(named("md/ripgrep__FAQ.md").map(|bytes| {
        sentence(
            "FAQ.md",
            bytes,
            aspect,
            "need not print in the same order twice, since the interleaving of threads",
            "ripgrep",
        )
    }));
    for name in
        ["xlsx/simple-monthly-budget.xlsx", "xlsx/missingcalcchainpart.xlsx", "xlsx/metadata_2019.xlsx"]
    {
        wishes.extend(named(name).map(|bytes| row(name.rsplit('/').next().unwrap(), bytes)));
    }
    for name in ["pptx/test.pptx", "pptx/60810.pptx", "pptx/stress013.pptx"] {
        wishes.extend(named(name).map(|bytes| slides(name.rsplit('/').next().unwrap(), bytes)));
    }
    println!("on {}", wishes.iter().map(|wish| wish.name.as_str()).collect::<Vec<_>>().join(", "));
    wishes
}

fn only_the_sentence(wish: &Wish, after: &[u8], _: &Receipt) {
    let (find, replace) =
        (wish.right[0]["find"].as_str().unwrap(), wish.right[0]["replace"].as_str().unwrap());
    let before = std::str::from_utf8(&wish.bytes).unwrap();
    assert_eq!(before.matches(find).count(), 1, "{}", wish.name);
    assert_eq!(std::str::from_utf8(after).unwrap(), before.replacen(find, replace, 1), "{}", wish.name);
}

/// Every entry of the package that the receipt does not name is the same bytes.
fn only_what_is_named(wish: &Wish, after: &[u8], receipt: &Receipt) {
    let package = receipt.package.as_ref().unwrap();
    let difference = compare(&wish.bytes, after).unwrap();
    assert!(difference.same_content.is_empty(), "{}: {difference:?}", wish.name);
    let changed: Vec<&String> = difference.changed.iter().map(|(name, _, _)| name).collect();
    let sorted = |names: Vec<&String>| {
        let mut names: Vec<String> =
            names.into_iter().map(|name| name.trim_start_matches('/').to_string()).collect();
        names.sort();
        names
    };
    assert_eq!(sorted(changed), sorted(package.changed.iter().collect()), "{}", wish.name);
    assert_eq!(
        sorted(difference.removed.iter().collect()),
        sorted(package.removed.iter().collect()),
        "{}",
        wish.name
    );
    assert_eq!(
        sorted(difference.added.iter().collect()),
        sorted(package.added.iter().collect()),
        "{}",
        wish.name
    );
}

fn told(format: Format, bytes: &[u8]) -> Vec<Node> {
    let request = OutlineRequest { range: None, budget: 64 << 20 };
    documents::outline(format, bytes, &request, &Limits::default(), &|| false).unwrap().nodes
}

/// Values of the first sheet by row and column.
fn cells(bytes: &[u8]) -> Vec<(u32, String, String)> {
    let nodes = told(Format::Xlsx, bytes);
    let first = nodes.iter().find(|node| node.kind == "sheet").map(|node| node.at.clone()).unwrap();
    let nodes = nodes.iter().filter(|node| node.kind == "cell");
    let of_first = nodes.filter(|node| {
        node.at.rsplit_once('!').unwrap().0.trim_matches('\'').contains(first.trim_matches('\''))
    });
    let split = |node: &Node| {
        let cell = node.at.rsplit('!').next().unwrap().to_string();
        let column = cell.trim_end_matches(|c: char| c.is_ascii_digit()).to_string();
        (cell[column.len()..].parse().unwrap(), column, node.text.clone())
    };
    of_first.map(split).collect()
}

fn only_the_row(wish: &Wish, after: &[u8], receipt: &Receipt) {
    only_what_is_named(wish, after, receipt);
    let (before, found) = (cells(&wish.bytes), cells(after));
    assert!(!before.is_empty(), "{}", wish.name);
    let moved = |(row, column, text): &(u32, String, String)| {
        (row + u32::from(*row >= 12), column.clone(), text.clone())
    };
    // Totals over the place of the new row have new results, each told.
    let told: Vec<&str> = receipt
        .changes
        .iter()
        .filter(|change| change.detail.as_deref() == Some("recalculated"))
        .filter_map(|change| change.location.rsplit('!').next())
        .collect();
    let is_untold = |(row, column, _): &(u32, String, String)| !told.contains(&&*format!("{column}{row}"));
    let kept: Vec<_> = before.iter().map(moved).filter(is_untold).collect();
    let others: Vec<_> = found.iter().filter(|cell| cell.0 != 12 && is_untold(cell)).cloned().collect();
    assert_eq!(others, kept, "{}: all other rows hold what they held", wish.name);
    let new: Vec<_> = found
        .iter()
        .filter(|(row, _, text)| *row == 12 && !text.is_empty())
        .map(|(_, _, text)| text.as_str())
        .collect();
    assert_eq!(new.len(), 3, "{}: {new:?}", wish.name);
    assert!(
        new[0].contains("2024") && new[1].contains("240") && new[2].contains("24"),
        "{}: {new:?}",
        wish.name
    );
    // In the sheet's part the rows above are the same bytes.
    let part = |archive: &[u8]| {
        let named = |entry: &&stet_tests::entries::Entry| {
            receipt.package.as_ref().unwrap().changed.iter().any(|name| {
                name.contains("worksheets/") && entry.name == name.trim_start_matches('/').as_bytes()
            })
        };
        entries(archive).unwrap().iter().find(named).unwrap().content.clone()
    };
    let rows_above = |xml: Vec<u8>| {
        let text = String::from_utf8(xml).unwrap();
        let start = text.find("<sheetData").unwrap();
        let end = (12..).find_map(|row| text[start..].find(&format!(r#"r="{row}""#))).unwrap();
        text[start..start + end].rsplit_once("<row").unwrap().0.to_string()
    };
    if found.iter().all(|cell| cell.0 >= 12 || is_untold(cell)) {
        assert_eq!(rows_above(part(&wish.bytes)), rows_above(part(after)), "{}", wish.name);
    }
}

/// What each slide tells, without the addresses that hold its number.
fn by_slide(bytes: &[u8]) -> Vec<Vec<(String, String)>> {
    let mut slides: Vec<Vec<(String, String)>> = Vec::new();
    for node in told(Format::Pptx, bytes) {
        if node.kind == "slide" {
            slides.push(Vec::new());
        }
        let place = node.at.split_once('.').map(|(_, rest)| rest.to_string()).unwrap_or_default();
        slides.last_mut().unwrap().push((place, node.text));
    }
    slides
}

fn only_the_slides(wish: &Wish, after: &[u8], receipt: &Receipt) {
    only_what_is_named(wish, after, receipt);
    let (mut before, found) = (by_slide(&wish.bytes), by_slide(after));
    before.remove(4);
    assert_eq!(found.len(), before.len(), "{}", wish.name);
    for (number, (old, new)) in before.iter().zip(&found).enumerate() {
        if number != 2 {
            assert_eq!(old, new, "{}: slide {} of the new deck", wish.name, number + 1);
            continue;
        }
        assert_eq!(new[0].1, "季度总结", "{}", wish.name);
        let differs = old.iter().zip(new).filter(|(old, new)| old != new).count();
        assert_eq!(
            (old.len(), differs),
            (new.len(), 2),
            "{}: the slide's title and the title's shape",
            wish.name
        );
    }
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
    let file = desk.document(&wish.name, &wish.bytes);
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
        std::fs::read(desk.path(&wish.name)).unwrap(),
        wish.bytes,
        "{label}: nothing is written before the user agrees"
    );
    let proposal_id = report.receipts[0].proposal_id.clone().unwrap();
    let choice = assistant::api::params::ProposalChoice { proposal_id, changes: None };
    let accepted = desk.app.proposals_accept(&choice, &Default::default()).unwrap();
    assert_eq!((accepted.previous_rev, accepted.content_rev), (1, 2), "{label}");
    let after = std::fs::read(desk.path(&wish.name)).unwrap();
    (wish.check)(wish, &after, &accepted);
    let undo = assistant::api::params::Step { file_id: file.file_id.clone(), expected_content_rev: Some(2) };
    desk.app.history_undo(&undo, &Default::default()).unwrap();
    assert_eq!(
        std::fs::read(desk.path(&wish.name)).unwrap(),
        wish.bytes,
        "{label}: undo gives the old bytes"
    );
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
