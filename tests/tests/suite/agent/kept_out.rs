//! Parts of documents that the user keeps out: nothing of them is sent to an endpoint, and no model changes them.

use assistant::{
    Request,
    api::{answers::DocumentInfo, params::SettingsChange},
    workspace::{EditMode, Stop},
};
use gateway::testing::{Reply, Upstream};
use serde_json::{Value, json};
use stet_tests::repository;

use super::{
    Desk,
    remote::{ask, edit},
    say,
};

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(repository().join("samples").join(name)).unwrap()
}

fn keep_out(desk: &Desk, file: &DocumentInfo, parts: &[&str]) {
    let changes = json!({ "kept_out": { &file.file_id: parts } });
    desk.app.run(Request::SettingsUpdate(SettingsChange { changes }), &Stop::default()).unwrap();
}

fn read(file: &DocumentInfo) -> Reply {
    Reply::call("r", "file_read", &json!({"file_id": file.file_id}).to_string())
}

fn search(query: &str) -> Reply {
    Reply::call("s", "file_search", &json!({"query": query}).to_string())
}

/// Everything that was sent, as text.
fn sent(upstream: &Upstream) -> String {
    upstream.requests().iter().map(|request| request.body.to_string()).collect()
}

/// Reads and searches, then tries to change what is hidden; the last answer must be a refusal that quotes nothing.
async fn check(name: &str, bytes: &[u8], parts: &[&str], shown: &str, secrets: &[&str], attack: Value) {
    let desk = Desk::new();
    let file = desk.document(name, bytes);
    keep_out(&desk, &file, parts);
    let replies = vec![read(&file), search(secrets[0]), edit("e", &file, 1, attack), Reply::text("No.")];
    let (report, upstream) = ask(&desk, "go on", &[&file], EditMode::Commit, replies).await;
    assert_eq!(report.message.unwrap(), "No.");
    let sent = sent(&upstream);
    assert!(sent.contains(shown), "{name}: the rest is read");
    assert!(sent.contains("kept_out"), "{name}: it is said that something was left out");
    for secret in secrets {
        // The search's own words come back as the model's call; nothing else may hold them.
        let allowed = usize::from(*secret == secrets[0]) * 2;
        assert!(sent.matches(secret).count() <= allowed, "{name}: {secret} was sent");
    }
    assert_eq!(std::fs::read(desk.path(name)).unwrap(), bytes, "{name}: nothing was changed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sheets_and_cell_areas() {
    let budget = sample("Budget.xlsx");
    let attack = json!([{"op": "xlsx_set_cell", "sheet": "Dates", "cell": "B5", "value": "x"}]);
    check("a.xlsx", &budget, &["sheet:Dates"], "Travel", &["Invitations", "The event"], attack).await;
    let attack = json!([{"op": "xlsx_delete_rows", "sheet": "Budget", "start": 5}]);
    check("b.xlsx", &budget, &["range:Budget!A5:A6"], "Travel", &["Venue", "Printing"], attack).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slides_keep_their_identity() {
    let deck = sample("Kickoff.pptx");
    let attack = json!([{"op": "pptx_delete_slide", "slide": 3}]);
    check("a.pptx", &deck, &["slide:258"], "Spring campaign", &["Harbour Studio", "Who does what"], attack)
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sections_of_word_and_markdown() {
    let agreement = sample("Agreement.docx");
    let attack = json!([{"op": "docx_replace_text", "find": "2,000", "replace": "9", "scope": "all"}]);
    check(
        "a.docx",
        &agreement,
        &["section:1. Services"],
        "Payment",
        &["quarterly catalogue", "2,000 copies"],
        attack,
    )
    .await;
    let text = b"# Open\n\nseen\n\n# Secret\n\nthe hidden words\n\n## Deeper\n\nmore of them\n\n# After\n\nseen too\n";
    let attack = json!([{"op": "replace_lines", "start_line": 7, "end_line": 7, "text": "x"}]);
    check("a.md", text, &["section:Secret"], "seen too", &["the hidden words", "more of them"], attack).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_quote_nothing_hidden() {
    let desk = Desk::new();
    let text = b"# Open\n\nthe budget is small\n\n# Secret\n\nthe budget is a million\n";
    let file = desk.document("a.md", text);
    keep_out(&desk, &file, &["section:Secret"]);
    let replies = vec![
        edit("e1", &file, 1, json!([{"op": "replace_text", "find": "the budget is", "replace": "x"}])),
        edit(
            "e2",
            &file,
            1,
            json!([{"op": "replace_lines", "start_line": 7, "end_line": 7, "text": "x", "expect_prefix": "nothing"}]),
        ),
        edit(
            "e3",
            &file,
            1,
            json!([{"op": "replace_text", "find": "the budget was a milion", "replace": "x"}]),
        ),
        Reply::text("No."),
    ];
    let (_, upstream) = ask(&desk, "go on", &[&file], EditMode::Stage, replies).await;
    let sent = sent(&upstream);
    assert!(sent.contains("multiple_matches") || sent.contains("path_not_allowed"));
    assert!(!sent.contains("is a million"), "{sent}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_edits_go_on_as_ever_and_blocks_are_held_to_it_too() {
    let desk = Desk::new();
    let file = desk.document("a.md", b"# Open\n\nalpha\n\n# Secret\n\nhidden words\n");
    keep_out(&desk, &file, &["section:Secret"]);
    let insert = json!([{"op": "insert_lines", "line": 1, "text": "first"}, {"op": "replace_text", "find": "alpha", "replace": "beta"}]);
    let block = format!(
        "```edit:{} rev:2\n<<<<<<< SEARCH\nhidden words\n=======\nx\n>>>>>>> REPLACE\n```\n",
        file.file_id
    );
    let replies = vec![edit("e", &file, 1, insert), Reply::text(&block), Reply::text("Done.")];
    let (_, upstream) = ask(&desk, "go on", &[&file], EditMode::Commit, replies).await;
    assert_eq!(desk.text("a.md"), "first\n# Open\n\nbeta\n\n# Secret\n\nhidden words\n");
    assert!(sent(&upstream).contains("path_not_allowed"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_part_that_is_not_found_closes_the_document() {
    let desk = Desk::new();
    let file = desk.document("a.md", b"# Renamed\n\nthe hidden words\n");
    keep_out(&desk, &file, &["section:Secret"]);
    let replies = vec![read(&file), Reply::text("No.")];
    let (_, upstream) = ask(&desk, "read it", &[&file], EditMode::Stage, replies).await;
    assert!(sent(&upstream).contains("path_not_allowed") && !sent(&upstream).contains("the hidden words"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_built_in_model_is_held_to_it_too() {
    let desk = Desk::new();
    let file = desk.document("a.md", b"# Open\n\nalpha\n\n# Secret\n\nomega\n");
    keep_out(&desk, &file, &["section:Secret"]);
    say(&desk, "replace \"omega\" with \"x\"", &[&file], EditMode::Commit).await;
    assert!(desk.text("a.md").contains("omega"));
    say(&desk, "replace \"alpha\" with \"beta\"", &[&file], EditMode::Commit).await;
    assert!(desk.text("a.md").contains("beta"));
}
