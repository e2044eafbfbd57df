//! The experiment of the first seed, part 5: the same long edits by function call, fence and Markdown Diff, dealt out turn by turn, and
//! told apart by `stet metrics`.

use std::{path::Path, process::Command};

use assistant::{
    App, AppOptions,
    api::params::DocumentPath,
    secrets::Keychain,
    workspace::{EditMode, Stop},
};
use gateway::testing::{Reply, Seen, Upstream};
use serde_json::{Value, json};

/// New text over the inline limit.
fn long(turn: usize) -> String {
    format!("Turn {turn}. {}", "A sentence of the new chapter. ".repeat(25))
}

fn reply(seen: &Seen) -> Reply {
    let messages = seen.body["messages"].as_array().unwrap();
    let content = |message: &Value| message["content"].as_str().unwrap_or_default().to_string();
    let done = |message: &Value| {
        message["role"] == "tool" || content(message).contains("Result of the Markdown Diff")
    };
    // Earlier turns stand before it.
    if messages.last().is_some_and(done) {
        return Reply::text("Done.");
    }
    let (system, user) = (content(&messages[0]), content(messages.last().unwrap()));
    let field = |name: &str| {
        let rest = user.split(&format!("\"{name}\":")).nth(1).unwrap();
        rest.trim_start_matches('"').split(['"', ',', '}']).next().unwrap().to_string()
    };
    let (id, rev) = (field("file_id"), field("content_rev"));
    let rev: u64 = rev.parse().unwrap();
    let text = long(user.rsplit(' ').next().unwrap().parse().unwrap());
    let edit = |op: Value| json!({"file_id": id, "expected_content_rev": rev, "ops": [op]}).to_string();
    if system.contains("Put all text into the fields") {
        return Reply::call("e", "file_edit", &edit(json!({"op": "append_lines", "text": text})));
    }
    if system.contains("Prefer fences") {
        let fence = format!("````md file={id} op=append_lines fence=1\n{text}\n````\n");
        let call = edit(json!({"op": "append_lines", "text_from_fence": true}));
        return Reply::calls(&fence, &[("e", "file_edit", &call)]);
    }
    assert!(system.contains("only by Markdown Diff"), "{system}");
    Reply::text(&format!(
        "```edit:{id} rev:{rev}\n<<<<<<< SEARCH\nEnd.\n=======\nEnd.\n{text}\n>>>>>>> REPLACE\n```\n"
    ))
}

async fn stet(folder: &Path, arguments: &[&str]) -> String {
    stet_ends(folder, arguments, 0).await
}

async fn stet_ends(folder: &Path, arguments: &[&str], status: i32) -> String {
    let mut command = Command::new(crate::cli::stet());
    command.args(arguments).env("STET_HOME", folder.join("home")).current_dir(folder);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{error}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_protocols_are_dealt_out_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let upstream = Upstream::with(|seen| Some(reply(seen))).await.unwrap();
    let provider = json!({"id": "local", "name": "Scripted", "base_url": upstream.base_url(), "models": ["m"], "needs_key": false});
    let home = folder.path().join("home");
    std::fs::create_dir_all(&home).unwrap();
    let settings = json!({"providers": [provider], "protocol": "ab"}).to_string();
    std::fs::write(home.join("settings.json"), settings).unwrap();
    let app = App::open(AppOptions { keychain: Keychain::Absent, ..AppOptions::new(&home) }).unwrap();
    for turn in 0..6 {
        let path = folder.path().join(format!("{turn}.md"));
        std::fs::write(&path, "# Report\n\nEnd.\n").unwrap();
        let opened = DocumentPath { path: path.to_string_lossy().into_owned() };
        let file = app.documents_open(&opened, &Stop::default()).unwrap();
        let mut request = super::turn(&format!("add a chapter, turn {turn}"), &[&file], EditMode::Commit);
        request.model = Some("local/m".into());
        let report = app.turn(&request).await.unwrap();
        assert_eq!(report.message.unwrap(), "Done.");
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            text,
            format!("# Report\n\nEnd.\n{}\n", long(turn)),
            "each way gives the same text: {:?}",
            report.receipts
        );
    }
    drop(app);
    upstream.assert_clean();
    let metrics: Value = serde_json::from_str(&stet(folder.path(), &["metrics", "--json"]).await).unwrap();
    let rows = metrics["rows"].as_array().unwrap();
    for protocol in ["function_call", "fence", "markdown_diff"] {
        let of_it: Vec<&Value> = rows.iter().filter(|row| row["protocol"] == protocol).collect();
        assert_eq!(of_it.len(), 1, "{protocol}: {metrics}");
        let found = ["size", "format", "calls", "ok"].map(|field| of_it[0][field].clone());
        assert_eq!(found, [json!("medium"), json!("text"), json!(2), json!(2)], "{protocol}");
        assert_eq!(of_it[0]["commit"]["count"], 2, "{protocol}: commit times are counted");
    }
    let turns: u64 = rows.iter().map(|row| row["turn"]["count"].as_u64().unwrap()).sum();
    assert_eq!(turns, 6);
    let table = stet(folder.path(), &["metrics"]).await;
    let told: Vec<&str> = table
        .split("By protocol")
        .nth(1)
        .expect(&table)
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(
        told,
        [
            "local/m, medium payloads:",
            "fence          2 of 2 ok (100 %)",
            "function_call  2 of 2 ok (100 %)",
            "markdown_diff  2 of 2 ok (100 %)",
        ]
    );
}

/// Every counter of CONTRACT, section 9, is in the answer, also where nothing was counted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_counters_of_the_contract_are_all_there() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.md"), "one\ntwo\n").unwrap();
    stet(folder.path(), &["ask", "a.md", "delete line 1", "--yes"]).await;
    stet_ends(folder.path(), &["ask", "a.md", "replace “nothing” with “something”", "--yes"], 3).await;
    let metrics: Value = serde_json::from_str(&stet(folder.path(), &["metrics", "--json"]).await).unwrap();
    let rows = metrics["rows"].as_array().unwrap();
    let fields = [
        "model",
        "endpoint",
        "protocol",
        "format",
        "size",
        "calls",
        "ok",
        "failures",
        "continuations_tried",
        "continuations_saved",
        "retries_tried",
        "retries_saved",
        "accepted",
        "rejected",
        "read",
        "commit",
        "turn",
    ];
    for row in rows {
        assert!(fields.iter().all(|field| row.get(field).is_some()), "{row}");
        for times in ["read", "commit", "turn"] {
            assert!(row[times].get("p50_ms").is_some() && row[times].get("p95_ms").is_some(), "{row}");
        }
    }
    let failures: u64 = rows.iter().filter_map(|row| row["failures"]["zero_matches"].as_u64()).sum();
    assert_eq!(failures, 1, "{metrics}");
    assert!(folder.path().join("home/metrics.db").metadata().unwrap().len() > 0, "kept in SQLite");
}
