//! Whole turns as they were: every request as sent, the receipts, the events and the end, compared with `tests/fixtures/turns`.
//!
//! `STET_WRITE_GOLDEN=1` writes the files anew. Ids, paths and what depends on how the network cut the stream are normalised; the tools
//! are named, their schemas stand in `tools.json` once.

use std::{sync::Arc, time::Duration};

use assistant::{
    App, Request,
    agent::model::RemoteModel,
    api::{
        Event, EventBody,
        answers::DocumentInfo,
        params::SettingsChange,
        turn_api::{TurnOf, TurnStart},
    },
    workspace::{EditMode, Stop},
};
use gateway::{
    Client, Dialect, Endpoint, Limits,
    testing::{Framing, Reply, Step, Upstream, chunk},
};
use serde_json::{Value, json};
use stet_tests::fixture;
use tokio::sync::broadcast;

use super::{Desk, turn};

/// A turn that is recorded.
struct Play {
    desk: Desk,
    files: Vec<DocumentInfo>,
    start: TurnStart,
    dialect: &'static str,
    limits: Limits,
}

impl Play {
    fn new(documents: &[(&str, &str)], words: &str) -> Play {
        let desk = Desk::new();
        let files: Vec<_> =
            documents.iter().map(|(name, text)| desk.document(name, text.as_bytes())).collect();
        let start = turn(words, &files.iter().collect::<Vec<_>>(), EditMode::Commit);
        let limits = Limits { backoff: Duration::from_millis(1), ..Limits::default() };
        Play { desk, files, start, dialect: "other", limits }
    }

    fn settings(self, changes: Value) -> Play {
        let change = Request::SettingsUpdate(SettingsChange { changes });
        self.desk.app.run(change, &Stop::default()).unwrap();
        self
    }

    fn edit(&self, file: usize, id: &str, rev: u64, ops: Value) -> Reply {
        Reply::call(id, "file_edit", &self.arguments(file, rev, ops))
    }

    fn arguments(&self, file: usize, rev: u64, ops: Value) -> String {
        json!({"file_id": self.files[file].file_id, "expected_content_rev": rev, "ops": ops}).to_string()
    }

    fn read(&self, file: usize, id: &str) -> Reply {
        Reply::call(id, "file_read", &json!({"file_id": self.files[file].file_id}).to_string())
    }

    /// Runs the turn against these answers, and compares what happened with the golden file.
    async fn check(self, name: &str, replies: Vec<Reply>) {
        let events = self.desk.app.events();
        let upstream = Upstream::start(replies).await.unwrap();
        let report = self.run(&upstream).await;
        upstream.assert_clean();
        self.compare(name, &upstream, events, report);
    }

    async fn run(&self, upstream: &Upstream) -> assistant::agent::turn::TurnReport {
        let model = self.model(upstream);
        self.desk.app.turn_with(&self.start, model).await.unwrap()
    }

    fn model(&self, upstream: &Upstream) -> Arc<RemoteModel> {
        let mut endpoint = Endpoint::new(upstream.base_url(), None, "m");
        endpoint.dialect = Dialect::preset(self.dialect).unwrap();
        let client = Client::with(endpoint, self.limits.clone(), Arc::default()).unwrap();
        Arc::new(RemoteModel::new(client, "test/m"))
    }

    fn compare(
        &self,
        name: &str,
        upstream: &Upstream,
        events: broadcast::Receiver<Event>,
        report: assistant::agent::turn::TurnReport,
    ) {
        let requests: Vec<Value> = upstream.requests().into_iter().map(|seen| told(seen.body)).collect();
        let ended = match &report.message {
            Ok(message) => json!({ "message": message }),
            Err(error) => json!({ "error": error }),
        };
        let files: Vec<Value> = self
            .files
            .iter()
            .map(|file| json!({"text": self.desk.text(&file.name), "content_rev": self.desk.info(&file.file_id).content_rev}))
            .collect();
        let whole = json!({
            "words": self.start.message,
            "requests": requests,
            "events": drained(events),
            "ended": ended,
            "receipts": report.receipts,
            "usage": report.usage,
            "files": files,
        });
        golden(name, &self.normalised(&whole));
    }

    /// Ids and paths by names that are the same each time.
    fn normalised(&self, value: &Value) -> String {
        let mut text = serde_json::to_string_pretty(value).unwrap();
        for (number, file) in self.files.iter().enumerate() {
            text = text.replace(&file.file_id, &format!("file-{}", ["one", "two", "three"][number]));
        }
        let folder = std::fs::canonicalize(self.desk.folder.path()).unwrap();
        let folders = [folder.as_path(), self.desk.folder.path()];
        for folder in folders {
            text = text.replace(folder.to_str().unwrap(), "FOLDER");
        }
        text + "\n"
    }
}

fn golden(name: &str, text: &str) {
    let path = fixture("turns").join(name);
    if std::env::var_os("STET_WRITE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        return;
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    if wanted == text {
        return;
    }
    let differs = wanted.lines().zip(text.lines()).position(|(wanted, is)| wanted != is);
    let line = differs.unwrap_or_else(|| wanted.lines().count().min(text.lines().count()));
    let shown = |text: &str| text.lines().skip(line.saturating_sub(2)).take(6).collect::<Vec<_>>().join("\n");
    panic!("{name} differs from line {}:\n-- wanted\n{}\n-- is\n{}", line + 1, shown(&wanted), shown(text));
}

/// A request without what stands elsewhere: tools by their names, the system message by its first sentence.
fn told(mut body: Value) -> Value {
    if let Some(tools) = body.get_mut("tools").and_then(Value::as_array_mut) {
        let names: Vec<Value> = tools.iter().map(|tool| tool["function"]["name"].clone()).collect();
        body["tools"] = names.into();
    }
    for message in body["messages"].as_array_mut().into_iter().flatten() {
        if message["role"] == "system" {
            let text = message["content"].as_str().unwrap_or_default();
            let ready = if text.contains("READY") { " … READY" } else { "" };
            message["content"] = format!("{}.{ready}", text.split('.').next().unwrap_or_default()).into();
        }
        // Results read better as what they are.
        let parsed = message["content"].as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        if let Some(parsed) = parsed.filter(|value| message["role"] == "tool" && value.is_object()) {
            message["content"] = parsed;
        }
    }
    body
}

/// The events so far; pieces of text are joined, and of a stream's progress only the last is kept.
fn drained(mut events: broadcast::Receiver<Event>) -> Vec<Value> {
    let mut told: Vec<EventBody> = Vec::new();
    while let Ok(event) = events.try_recv() {
        match (told.last_mut(), event.body) {
            (Some(EventBody::TurnText { delta: before, .. }), EventBody::TurnText { delta, .. })
            | (
                Some(EventBody::TurnReasoning { delta: before, .. }),
                EventBody::TurnReasoning { delta, .. },
            ) => {
                before.push_str(&delta);
            }
            (
                Some(EventBody::ToolCall { id, state, arguments_so_far_bytes, .. }),
                EventBody::ToolCall { id: again, state: now, arguments_so_far_bytes: bytes, .. },
            ) if *id == again && *state == now => {
                *arguments_so_far_bytes = bytes;
            }
            (_, body) => told.push(body),
        }
    }
    told.iter().map(|body| serde_json::to_value(body).unwrap()).collect()
}

/// Arguments that stop half way.
fn cut(id: &str, arguments: &str) -> Reply {
    let end = arguments.floor_char_boundary(arguments.len() / 2);
    let head =
        json!({"index": 0, "id": id, "type": "function", "function": {"name": "file_edit", "arguments": ""}});
    Reply::chunks(&[
        chunk(&json!({"role": "assistant", "content": ""}), None),
        chunk(&json!({"tool_calls": [head]}), None),
        chunk(&json!({"tool_calls": [{"index": 0, "function": {"arguments": &arguments[..end]}}]}), None),
        chunk(&json!({}), Some("length")),
    ])
}

const TEXT: &str = "# One\nalpha\nbeta\n";

fn swap(find: &str, replace: &str) -> Value {
    json!([{"op": "replace_text", "find": find, "replace": replace}])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clean() {
    let play = Play::new(&[("a.md", TEXT)], "Make alpha gamma.");
    let replies = vec![
        play.read(0, "r"),
        play.edit(0, "e", 1, swap("alpha", "gamma")),
        Reply::text("Done: alpha is gamma."),
    ];
    play.check("clean.json", replies).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clean_with_thinking() {
    let mut play = Play::new(&[("a.md", TEXT)], "把 alpha 改成 gamma。");
    play.dialect = "qwen";
    let replies =
        vec![play.edit(0, "e", 1, swap("alpha", "gamma")), Reply::text("READY"), Reply::text("改好了。")];
    play.check("clean_with_thinking.json", replies).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn truncated_then_continued() {
    let mut play = Play::new(&[("a.md", TEXT)], "Make alpha gamma.");
    play.dialect = "deepseek";
    let whole = play.arguments(0, 1, swap("alpha", "gamma"));
    let tail = whole[whole.floor_char_boundary(whole.len() / 2)..].to_owned();
    let replies = vec![cut("e", &whole), Reply::text(&tail), Reply::text("Done.")];
    play.check("truncated_then_continued.json", replies).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn degraded_to_a_fence() {
    let play = Play::new(&[("a.md", TEXT)], "Append the long text.");
    let long = "a long sentence, ".repeat(40);
    let file_id = play.files[0].file_id.clone();
    let whole = play.arguments(0, 1, json!([{"op": "append_lines", "text": long}]));
    let mixed = json!({"file_id": file_id, "expected_content_rev": 1, "op": "replace_text", "find": "alpha", "text_from_fence": true});
    let fence =
        json!({"file_id": file_id, "expected_content_rev": 1, "op": "append_lines", "text_from_fence": true});
    let message = format!("````md file={file_id} op=append_lines fence=1\n{}\n````", long.trim());
    let mut step = 0;
    let upstream = Upstream::with(move |seen| {
        // Asked again in silence it stays cut; what the agent asks after that carries its note.
        if !seen.body["messages"].to_string().contains("[Stet, not the user]") {
            return Some(cut("e", &whole));
        }
        step += 1;
        Some(match step {
            1 => Reply::calls(&message, &[("m", "file_edit_fence", &mixed.to_string())]),
            2 => Reply::calls(&message, &[("f", "file_edit_fence", &fence.to_string())]),
            _ => Reply::text("Appended."),
        })
    })
    .await
    .unwrap();
    let events = play.desk.app.events();
    let report = play.run(&upstream).await;
    upstream.assert_clean();
    play.compare("degraded_to_a_fence.json", &upstream, events, report);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stale_then_reread() {
    let play = Play::new(&[("a.md", TEXT)], "Make alpha gamma and beta delta.");
    let first = play.arguments(0, 1, swap("alpha", "gamma"));
    let second = play.arguments(0, 1, swap("beta", "delta"));
    let replies = vec![
        Reply::calls("", &[("e1", "file_edit", &first), ("e2", "file_edit", &second)]),
        play.read(0, "r"),
        play.edit(0, "e3", 2, swap("beta", "delta")),
        Reply::text("Both are done."),
    ];
    play.check("stale_then_reread.json", replies).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_twice_then_stopped() {
    let play = Play::new(&[("a.md", TEXT)], "Make omega gamma.");
    let wrong = || play.edit(0, "e", 1, swap("omega", "gamma"));
    let replies = vec![wrong(), wrong()];
    play.check("refused_twice_then_stopped.json", replies).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unclosed_fence_is_kept_for_the_user() {
    let play = Play::new(&[("a.md", TEXT)], "Append a story.");
    let call = play.arguments(0, 1, json!([{"op": "append_lines", "text_from_fence": true}]));
    let replies = vec![
        Reply::calls("````md\nOnce upon a time\nthere was", &[("e", "file_edit", &call)]),
        Reply::text("I could not finish it."),
    ];
    play.check("unclosed_fence_kept.json", replies).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled() {
    let play = Play::new(&[("a.md", TEXT)], "Make alpha gamma.");
    // The edit is done; the words after it never end.
    let hangs =
        Reply::stream(b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"I have\"}}]}\n\n".to_vec())
            .framing(Framing::Chunked)
            .then(Step::Hang);
    let replies = vec![play.edit(0, "e", 1, swap("alpha", "gamma")), hangs];
    let upstream = Upstream::start(replies).await.unwrap();
    let events = play.desk.app.events();
    let mut watched = play.desk.app.events();
    let app: Arc<App> = Arc::clone(&play.desk.app);
    let canceller = tokio::spawn(async move {
        while let Ok(event) = watched.recv().await {
            if let EventBody::TurnText { turn_id, .. } = event.body {
                app.turn_cancel(&TurnOf { turn_id }).unwrap();
                return;
            }
        }
    });
    let report = play.run(&upstream).await;
    canceller.await.unwrap();
    play.compare("cancelled.json", &upstream, events, report);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn step_limit() {
    let play = Play::new(&[("a.md", TEXT)], "Read it for ever.").settings(json!({"turn": {"steps": 3}}));
    let replies = vec![play.read(0, "r1"), play.read(0, "r2"), play.read(0, "r3")];
    play.check("step_limit.json", replies).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_files_in_one_turn() {
    let play = Play::new(&[("a.md", TEXT), ("b.md", "two\n")], "Edit both, then both once more as a diff.");
    let (one, two) =
        (play.arguments(0, 1, swap("alpha", "gamma")), play.arguments(1, 1, swap("two", "zwei")));
    let block = |file: usize, find: &str, new: &str| {
        let id = &play.files[file].file_id;
        format!("```edit:{id} rev:2\n<<<<<<< SEARCH\n{find}\n=======\n{new}\n>>>>>>> REPLACE\n```\n")
    };
    let diff = format!("Both:\n{}{}", block(0, "beta", "delta"), block(1, "zwei", "deux"));
    let replies = vec![
        Reply::calls("", &[("e1", "file_edit", &one), ("e2", "file_edit", &two)]),
        Reply::text(&diff),
        Reply::text("Both are done."),
    ];
    play.check("two_files_in_one_turn.json", replies).await;
}

/// The tools and the system message as they are sent, in full: for all formats, whole and after a truncation.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_and_system_message() {
    let set = assistant::agent::eval::CaseSet::built_in().unwrap();
    let desk = Desk::new();
    let files: Vec<_> = ["report.md", "budget.xlsx", "deck.pptx", "letter.docx"]
        .iter()
        .map(|name| desk.document(name, &set.document(name).unwrap()))
        .collect();
    let upstream = Upstream::with(move |seen| {
        let told = seen.body["messages"].to_string().contains("[Stet, not the user]");
        Some(if told {
            Reply::text("No.")
        } else {
            cut("e", "{\"file_id\": \"file-00000000\", \"ops\": [ ]}")
        })
    })
    .await
    .unwrap();
    let client = Client::new(Endpoint::new(upstream.base_url(), None, "m")).unwrap();
    let start = turn("say", &files.iter().collect::<Vec<_>>(), EditMode::Stage);
    desk.app.turn_with(&start, Arc::new(RemoteModel::new(client, "test/m"))).await.unwrap();
    let requests = upstream.requests();
    let (first, last) = (&requests[0].body, &requests[requests.len() - 1].body);
    let edit_tools: Vec<&Value> = last["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool["function"]["name"].as_str().unwrap().starts_with("file_edit"))
        .collect();
    let whole = json!({
        "system": first["messages"][0]["content"], "tools": first["tools"], "edit_tools_after_a_truncation": edit_tools,
    });
    golden("tools.json", &(serde_json::to_string_pretty(&whole).unwrap() + "\n"));
}
