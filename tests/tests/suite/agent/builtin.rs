//! The built-in model through the whole path: words, loop, tools, checks, workspace, receipts, events.

use assistant::{
    Event, Request, Response,
    api::EventBody,
    api::{
        params::{ProposalChoice, ProposalsOf},
        turn_api::TurnOf,
    },
    workspace::{EditMode, Status, Stop},
};

use super::{Desk, say, turn};

const REPORT: &str = "# Report\n\nAlpha beta.\nGamma delta.\n\n## End\n\nBye.\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_edit_is_staged_then_accepted_then_taken_back() {
    let desk = Desk::new();
    let file = desk.document("report.md", REPORT.as_bytes());
    let report =
        say(&desk, r#"replace "Alpha" with "Omega", delete line 4"#, &[&file], EditMode::Stage).await;
    let message = report.message.unwrap();
    assert!(message.starts_with("Prepared"), "{message}");
    assert_eq!(report.receipts.len(), 1, "both commands are one batch");
    assert_eq!((report.receipts[0].status, report.receipts[0].changes.len()), (Status::Staged, 2));
    assert_eq!(desk.text("report.md"), REPORT, "a proposal changes nothing");

    let proposal_id = report.receipts[0].proposal_id.clone().unwrap();
    let accept = Request::ProposalsAccept(ProposalChoice { proposal_id, changes: None });
    desk.app.call(accept).await.unwrap();
    let changed = "# Report\n\nOmega beta.\n\n## End\n\nBye.\n";
    assert_eq!(desk.text("report.md"), changed);
    assert_eq!(desk.info(&file.file_id).content_rev, 2);

    let report = say(&desk, "撤销", &[&file], EditMode::Stage).await;
    assert!(report.message.unwrap().contains("已撤销"));
    assert_eq!(desk.text("report.md"), REPORT);
    let report = say(&desk, "redo", &[&file], EditMode::Stage).await;
    assert_eq!(report.receipts[0].status, Status::Committed);
    assert_eq!(desk.text("report.md"), changed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn undo_drops_a_change_that_still_waits() {
    let desk = Desk::new();
    let file = desk.document("report.md", REPORT.as_bytes());
    say(&desk, "append: more", &[&file], EditMode::Stage).await;
    let report = say(&desk, "undo", &[&file], EditMode::Stage).await;
    assert!(report.message.unwrap().contains("waited for review"));
    let waiting = desk.app.proposals_list(&ProposalsOf::default()).unwrap();
    assert!(waiting.is_empty() && desk.text("report.md") == REPORT);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failures_change_nothing_and_say_where() {
    let desk = Desk::new();
    let file = desk.document("a.txt", b"one two\none three\n");
    let report = say(&desk, r#"replace "one" with "1""#, &[&file], EditMode::Commit).await;
    let message = report.message.unwrap();
    assert!(
        message.contains("line 1") && message.contains("line 2") && message.contains("replace all"),
        "{message}"
    );
    let report = say(&desk, "把“四”改成“4”", &[&file], EditMode::Commit).await;
    let message = report.message.unwrap();
    assert!(message.contains("没有找到这段文字"), "{message}");
    assert!(report.receipts.is_empty());
    assert_eq!(
        (desk.text("a.txt").as_str(), desk.info(&file.file_id).content_rev),
        ("one two\none three\n", 1)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_understood_is_said_with_examples_and_nothing_is_done_in_part() {
    let desk = Desk::new();
    let file = desk.document("a.txt", b"one\ntwo\n");
    let report = say(&desk, "delete line 1, sing me a song", &[&file], EditMode::Commit).await;
    let message = report.message.unwrap();
    assert!(message.contains("sing me a song") && message.contains("replace “X” with “Y”"), "{message}");
    assert!(message.contains("Nothing was changed"), "{message}");
    assert!(report.receipts.is_empty());
    assert_eq!(desk.text("a.txt"), "one\ntwo\n");
    let report = say(&desk, "你能做什么", &[&file], EditMode::Commit).await;
    assert!(report.message.unwrap().contains("把“X”改成“Y”"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_text_travels_in_a_fence() {
    let desk = Desk::new();
    let file = desk.document("a.md", b"start\n");
    let long = format!("{}\n```js\ncode\n```\n{}", "x".repeat(400), "y".repeat(400));
    let report = say(&desk, &format!("append:\n{long}"), &[&file], EditMode::Commit).await;
    assert_eq!(report.receipts.len(), 1, "{:?}", report.message);
    assert_eq!(desk.text("a.md"), format!("start\n{long}\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_line_is_found_by_reading() {
    let desk = Desk::new();
    let file = desk.document("a.txt", "line\n".repeat(3_000).as_bytes());
    let report = say(&desk, "删除最后一行", &[&file], EditMode::Commit).await;
    assert_eq!(report.receipts.len(), 1, "{:?}", report.message);
    assert_eq!(desk.text("a.txt"), "line\n".repeat(2_999));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_named_file_is_the_one_that_changes() {
    let desk = Desk::new();
    let (a, b) = (desk.document("a.txt", b"x\n"), desk.document("b.txt", b"x\n"));
    let report = say(&desk, r#"replace "x" with "y" in b.txt"#, &[&a, &b], EditMode::Commit).await;
    assert!(report.message.is_ok());
    assert_eq!((desk.text("a.txt").as_str(), desk.text("b.txt").as_str()), ("x\n", "y\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_tell_a_turn_in_order() {
    let desk = Desk::new();
    let file = desk.document("a.txt", b"one\n");
    let mut events = desk.app.events();
    let started =
        desk.app.call(Request::TurnStart(turn("append: two", &[&file], EditMode::Stage))).await.unwrap();
    let Response::TurnStart(started) = started else { panic!("{started:?}") };
    let mut told: Vec<Event> = Vec::new();
    loop {
        let event = events.recv().await.unwrap();
        let is_end = matches!(event.body, EventBody::TurnFinished { .. } | EventBody::TurnFailed { .. });
        told.push(event);
        if is_end {
            break;
        }
    }
    assert!(told.windows(2).all(|pair| pair[0].seq < pair[1].seq));
    let names: Vec<String> = told
        .iter()
        .map(|event| serde_json::to_value(&event.body).unwrap()["event"].as_str().unwrap().to_string())
        .collect();
    let position = |name: &str| {
        names.iter().position(|known| known == name).unwrap_or_else(|| panic!("{name}: {names:?}"))
    };
    assert!(position("turn_started") < position("tool_call"));
    assert!(
        position("tool_call") < position("proposal_changed")
            && position("proposal_changed") < position("tool_result")
    );
    assert!(position("tool_result") < position("turn_text") && names.last().unwrap() == "turn_finished");
    let unknown = Request::TurnCancel(TurnOf { turn_id: started.turn_id });
    assert!(desk.app.run(unknown, &Stop::default()).is_err(), "a turn that ended cannot be cancelled");
}
