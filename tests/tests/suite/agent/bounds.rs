//! The bounds of a turn: steps, cost, time, tries, the model's context, and how long one result may be. What is left out is said.

use std::{sync::Arc, time::Duration};

use assistant::{
    Request,
    agent::{model::RemoteModel, turn::TurnReport},
    api::{answers::DocumentInfo, params::SettingsChange, turn_api::TurnStart},
    workspace::{EditMode, Stop},
};
use gateway::{
    Client, Dialect, Endpoint, Limits,
    testing::{Framing, Reply, Seen, Step, Upstream, chunk},
};
use serde_json::{Value, json};

use super::{Desk, turn};

fn settings(desk: &Desk, changes: Value) {
    desk.app.run(Request::SettingsUpdate(SettingsChange { changes }), &Stop::default()).unwrap();
}

async fn ask_as(
    desk: &Desk,
    files: &[&DocumentInfo],
    dialect: &str,
    script: impl FnMut(&Seen) -> Option<Reply> + Send + 'static,
) -> (TurnReport, Upstream) {
    let upstream = Upstream::with(script).await.unwrap();
    let mut endpoint = Endpoint::new(upstream.base_url(), None, "m");
    endpoint.dialect = Dialect::preset(dialect).unwrap();
    let limits = Limits { backoff: Duration::from_millis(1), ..Limits::default() };
    let model = RemoteModel::new(Client::with(endpoint, limits, Arc::default()).unwrap(), "test/m");
    let report = desk.app.turn_with(&turn("go on", files, EditMode::Commit), Arc::new(model)).await.unwrap();
    upstream.assert_clean();
    (report, upstream)
}

async fn ask(
    desk: &Desk,
    files: &[&DocumentInfo],
    script: impl FnMut(&Seen) -> Option<Reply> + Send + 'static,
) -> (TurnReport, Upstream) {
    ask_as(desk, files, "other", script).await
}

fn read(file: &DocumentInfo) -> Reply {
    Reply::call("r", "file_read", &json!({"file_id": file.file_id}).to_string())
}

fn with_usage(reply: Reply, prompt: u64, completion: u64) -> Reply {
    let usage = json!({"id": "r1", "object": "chat.completion.chunk", "choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}});
    let mut reply = reply;
    for step in &mut reply.steps {
        if let Step::Bytes(bytes) = step {
            let text = String::from_utf8(bytes.clone()).unwrap();
            *bytes = text.replace("data: [DONE]", &format!("data: {usage}\n\ndata: [DONE]")).into_bytes();
        }
    }
    reply
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn steps_and_tokens_have_limits_that_are_told() {
    let desk = Desk::new();
    let file = desk.document("a.md", b"alpha\n");
    settings(&desk, json!({"turn": {"steps": 4}}));
    let again = file.clone();
    let (report, upstream) = ask(&desk, &[&file], move |_| Some(read(&again))).await;
    assert_eq!(upstream.requests().len(), 4);
    assert!(report.message.unwrap().contains("4 steps"));

    settings(&desk, json!({"turn": {"steps": 24, "tokens": 1_000}}));
    let again = file.clone();
    let (report, upstream) = ask(&desk, &[&file], move |_| Some(with_usage(read(&again), 300, 100))).await;
    assert_eq!(upstream.requests().len(), 3, "400 tokens each");
    assert!(report.message.unwrap().contains("1000 tokens"));
    assert_eq!(report.usage["prompt_tokens"], 900);

    // An endpoint that tells no usage does not cost nothing: it is estimated, and the report does not call that usage.
    let again = file.clone();
    let (report, upstream) = ask(&desk, &[&file], move |_| Some(read(&again))).await;
    assert!(upstream.requests().len() < 10, "{}", upstream.requests().len());
    assert!(report.message.unwrap().contains("1000 tokens"));
    assert_eq!(report.usage["prompt_tokens"], 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_has_a_time_limit() {
    let desk = Desk::new();
    let file = desk.document("a.md", b"alpha\n");
    settings(&desk, json!({"turn": {"seconds": 1}}));
    let hang = || Reply::stream(Vec::new()).framing(Framing::Chunked).then(Step::Hang);
    let (report, _) = ask(&desk, &[&file], move |_| Some(hang())).await;
    let error = report.message.unwrap_err();
    assert_eq!((error.status, error.message.contains("1 s")), (408, true), "{error:?}");
}

/// A call of a tool that is offered, cut off.
fn cut(file: &DocumentInfo, seen: &Seen) -> Reply {
    let is_degraded = seen.body["tools"].to_string().contains("file_edit_short");
    let (name, op) = if is_degraded { ("file_edit_short", "") } else { ("file_edit", "\"ops\": [{") };
    let arguments =
        format!("{{\"file_id\": \"{}\", \"expected_content_rev\": 1, {op}\"op\": \"replace_t", file.file_id);
    let head = json!({"index": 0, "id": "c", "type": "function", "function": {"name": name, "arguments": arguments}});
    Reply::chunks(&[
        chunk(&json!({"role": "assistant", "content": ""}), None),
        chunk(&json!({"tool_calls": [head]}), None),
        chunk(&json!({}), Some("length")),
    ])
}

/// Requests between two notes of the agent: how often one step asked.
fn tries(upstream: &Upstream) -> Vec<usize> {
    let mut tries: Vec<usize> = Vec::new();
    for seen in upstream.requests() {
        let notes = seen.body["messages"].to_string().matches("[Stet, not the user]").count();
        tries.resize(tries.len().max(notes + 1), 0);
        tries[notes] += 1;
    }
    tries
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_continuation_a_step_and_then_an_error() {
    let desk = Desk::new();
    let file = desk.document("a.md", b"alpha\n");
    let again = file.clone();
    let (report, upstream) = ask_as(&desk, &[&file], "deepseek", move |seen| Some(cut(&again, seen))).await;
    assert!(report.message.unwrap().contains("arguments_truncated") || report.receipts.is_empty());
    let rows = desk.app.metrics_get().unwrap().rows;
    let sum = |count: fn(&assistant::agent::metrics::MetricsRow) -> u64| rows.iter().map(count).sum::<u64>();
    let truncated: u64 = rows.iter().filter_map(|row| row.failures.get("arguments_truncated")).sum();
    assert_eq!(truncated, 3, "three unusable answers end the turn");
    assert_eq!((sum(|row| row.continuations_tried), sum(|row| row.continuations_saved)), (3, 0));
    // The request and one continuation, each time; the continuation itself is no step of the agent.
    assert_eq!(upstream.requests().len(), 6, "{:?}", tries(&upstream));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_silent_retries_a_step_and_then_an_error() {
    let desk = Desk::new();
    let file = desk.document("a.md", b"alpha\n");
    let id = file.file_id.clone();
    let (report, upstream) = ask(&desk, &[&file], move |_| {
        let broken = format!("{{\"file_id\": \"{id}\", \"ops\": [}}]}}");
        Some(Reply::call("c", "file_edit", &broken))
    })
    .await;
    assert!(report.receipts.is_empty());
    assert_eq!(tries(&upstream), [3, 3, 3], "one and two retries, three times");
    let rows = desk.app.metrics_get().unwrap().rows;
    assert_eq!(rows.iter().map(|row| row.retries_tried).sum::<u64>(), 6);
    assert_eq!(desk.text("a.md"), "alpha\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_calls_with_wrong_fields_end_the_turn_too() {
    let desk = Desk::new();
    let file = desk.document("a.md", b"alpha\n");
    let (id, mut number) = (file.file_id.clone(), 0);
    // Each is another one, and the third names no file at all that could be counted.
    let (report, upstream) = ask(&desk, &[&file], move |_| {
        number += 1;
        let arguments = json!({"file_id": id, "expected_content_rev": 1, "ops": [{"op": "append_lines", "text": "x"}], format!("extra{number}"): 1});
        Some(Reply::call("c", "file_edit", &arguments.to_string()))
    })
    .await;
    assert!(upstream.requests().len() <= 9, "{}", upstream.requests().len());
    let message = report.message.unwrap();
    assert!(message.contains("I stopped"), "{message}");
    assert_eq!(desk.text("a.md"), "alpha\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_limit_of_text_inside_arguments_is_the_users() {
    for (limit, length, is_done) in
        [(500, 500, true), (500, 501, false), (0, 5_000, true), (40, 41, false), (900, 800, true)]
    {
        let desk = Desk::new();
        let file = desk.document("a.md", b"alpha\n");
        settings(&desk, json!({"turn": {"inline_characters": limit}}));
        let (id, mut asked) = (file.file_id.clone(), 0);
        let (_, upstream) = ask(&desk, &[&file], move |_| {
            asked += 1;
            let ops = json!([{"op": "append_lines", "text": "字".repeat(length)}]);
            let call = json!({"file_id": id, "expected_content_rev": 1, "ops": ops}).to_string();
            Some(if asked == 1 { Reply::call("c", "file_edit", &call) } else { Reply::text("ok") })
        })
        .await;
        let result = upstream.requests()[1].body["messages"].as_array().unwrap().last().unwrap()["content"]
            .to_string();
        assert_eq!(result.contains("smaller_or_fence"), !is_done, "limit {limit}, {length} characters");
        assert_eq!(desk.info(&file.file_id).content_rev == 2, is_done, "limit {limit}, {length} characters");
        let told = upstream.requests()[0].body["messages"][0]["content"].to_string();
        let shown = if limit == 0 { 500 } else { limit };
        assert!(told.contains(&format!("over {shown} characters")), "the model is told the same limit");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_replacements_are_sent_to_a_fence_in_every_format_that_has_one() {
    let set = assistant::agent::eval::CaseSet::built_in().unwrap();
    let long = "x".repeat(501);
    for (name, op, is_refused) in [
        ("report.md", json!({"op": "replace_text", "find": "May", "replace": long}), true),
        ("letter.docx", json!({"op": "docx_replace_text", "find": "cold", "replace": long}), true),
        ("deck.pptx", json!({"op": "pptx_replace_text", "find": "Slide", "replace": long}), true),
        (
            "deck.pptx",
            json!({"op": "pptx_replace_on_slide", "slide": 1, "find": "Slide", "replace": long}),
            true,
        ),
        ("budget.xlsx", json!({"op": "xlsx_set_cell", "cell": "A1", "value": long}), false),
    ] {
        let desk = Desk::new();
        let file = desk.document(name, &set.document(name).unwrap());
        let (call, mut asked) =
            (json!({"file_id": file.file_id, "expected_content_rev": 1, "ops": [op]}).to_string(), 0);
        let (_, upstream) = ask(&desk, &[&file], move |_| {
            asked += 1;
            Some(if asked == 1 { Reply::call("c", "file_edit", &call) } else { Reply::text("ok") })
        })
        .await;
        let result = upstream.requests()[1].body["messages"].as_array().unwrap().last().unwrap()["content"]
            .to_string();
        assert_eq!(result.contains("smaller_or_fence"), is_refused, "{name}: {result}");
        assert_eq!(desk.info(&file.file_id).content_rev, if is_refused { 1 } else { 2 }, "{name}");
    }
}

fn tool_results(seen: &Seen) -> Vec<Value> {
    let messages = seen.body["messages"].as_array().unwrap();
    let tools = messages.iter().filter(|message| message["role"] == "tool");
    tools.map(|message| serde_json::from_str(message["content"].as_str().unwrap()).unwrap()).collect()
}

/// The endpoint's context is a setting of its provider, and every request keeps within it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_is_shortened_to_the_context_of_its_endpoint() {
    for context in [4_096_usize, 16_000] {
        let desk = Desk::new();
        let text: String = (1..=400)
            .map(|line| format!("line {line} of a text that is longer than the context\n"))
            .collect();
        let file = desk.document("a.md", text.as_bytes());
        let id = file.file_id.clone();
        // Every second request reads, every other answers.
        let upstream = Upstream::with(move |seen| {
            let last = seen.body["messages"].as_array().unwrap().last().unwrap()["role"].clone();
            Some(if last == "tool" {
                Reply::text(&"An answer. ".repeat(30))
            } else {
                let call = json!({"file_id": id}).to_string();
                let more = json!({"file_id": id, "range": "100-200"}).to_string();
                Reply::calls("I look.", &[("r1", "file_read", &call), ("r2", "file_read", &more)])
            })
        })
        .await
        .unwrap();
        let provider = json!({"id": "p", "name": "P", "base_url": upstream.base_url(), "needs_key": false, "models": ["m"], "context_tokens": context});
        settings(&desk, json!({"providers": [provider]}));
        for number in 0..12 {
            let start = TurnStart {
                message: format!("question {number}: {}", "why? ".repeat(60)),
                file_ids: vec![file.file_id.clone()],
                model: Some("p/m".into()),
                mode: Some(EditMode::Stage),
                ..TurnStart::default()
            };
            let report = desk.app.turn(&start).await.unwrap();
            assert!(report.message.unwrap().starts_with("An answer."));
        }
        // Pairs are checked by the endpoint with every request.
        upstream.assert_clean();
        let requests = upstream.requests();
        assert_eq!(requests.len(), 24);
        for seen in &requests {
            let bytes = seen.body["messages"].to_string().len() + seen.body["tools"].to_string().len();
            // Two characters a token; the rest of the context is for the answer. JSON adds escapes and names.
            let asked = usize::try_from(seen.body["max_tokens"].as_u64().unwrap()).unwrap();
            assert!(asked <= context / 4 && asked <= 8_192, "{context}: an answer of {asked}");
            assert!(bytes <= context * 4, "{context}: {bytes} bytes");
        }
        let last = &requests[23].body["messages"];
        assert!(
            last.to_string().contains("left out of this conversation to fit the model"),
            "{context}: it is said"
        );
        assert!(last.to_string().contains("question 11"), "the newest words stay");
        for result in requests.iter().flat_map(tool_results) {
            assert_eq!(result["ok"], true, "what is shortened stays a result: {result}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_result_has_a_cap_and_says_what_it_leaves_out() {
    let desk = Desk::new();
    let text: String = (1..=20_000).map(|line| format!("line {line}\n")).collect();
    let file = desk.document("a.md", text.as_bytes());
    let params = |rev| assistant::api::params::Edit {
        file_id: file.file_id.clone(),
        expected_content_rev: Some(rev),
        ops: vec![json!({"op": "append_lines", "text": format!("revision {rev}")})],
        ..Default::default()
    };
    for rev in 1..=90 {
        desk.app.documents_edit(&params(rev), &Stop::default()).unwrap();
    }
    let (id, mut asked) = (file.file_id.clone(), 0);
    let (_, upstream) = ask(&desk, &[&file], move |_| {
        asked += 1;
        let of_file = json!({"file_id": id}).to_string();
        let everywhere = json!({"query": "line", "file_id": id, "max": 50}).to_string();
        let all = json!({"file_id": id, "expected_content_rev": 91, "ops": [{"op": "replace_text", "find": "line", "replace": "row", "occurrence": "all"}]}).to_string();
        let none = json!({"file_id": id, "expected_content_rev": 91, "ops": [{"op": "delete_text", "find": "line"}]}).to_string();
        Some(match asked {
            1 => Reply::calls("", &[("1", "file_read", &of_file), ("2", "file_history", &of_file), ("3", "file_search", &everywhere), ("4", "file_edit", &none), ("5", "file_edit", &all)]),
            _ => Reply::text("ok"),
        })
    })
    .await;
    let results = tool_results(&upstream.requests()[1]);
    let [read, history, search, refused, edited] = results.as_slice() else { panic!("{}", results.len()) };
    for result in &results {
        assert!(result.to_string().len() <= 16_000, "{}", result.to_string().len());
    }
    assert_eq!((&read["truncated"], read["nodes"][0]["text"].as_str()), (&json!(true), Some("line 1")));
    assert!(read["next"].is_string() || read["nodes_left_out"].is_object(), "{}", read["next"]);
    assert_eq!(
        (history["snapshots"].as_array().unwrap().len(), &history["snapshots_left_out"]),
        (20, &json!(71))
    );
    assert_eq!(history["snapshots"][0]["content_rev"], 91, "the newest stay");
    assert_eq!(search["matches"].as_array().unwrap().len(), 50);
    assert_eq!(refused["error"]["code"], "multiple_matches");
    assert_eq!((&edited["ok"], &edited["content_rev"]), (&json!(true), &json!(92)));
    assert!(edited["changes"].as_array().unwrap().len() <= 400, "{edited}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_that_do_not_fit_at_all_lose_their_middle_and_it_is_said() {
    let desk = Desk::new();
    let file = desk.document("a.md", b"alpha\n");
    let upstream = Upstream::start(vec![Reply::text("ok")]).await.unwrap();
    let model =
        RemoteModel::new(Client::new(Endpoint::new(upstream.base_url(), None, "m")).unwrap(), "test/m")
            .context(4_096);
    let words = format!("BEGIN {} END", "字词 ".repeat(20_000));
    desk.app.turn_with(&turn(&words, &[&file], EditMode::Stage), Arc::new(model)).await.unwrap();
    upstream.assert_clean();
    let sent = upstream.requests()[0].body["messages"][1]["content"].as_str().unwrap().to_owned();
    assert!(
        sent.len() <= 8_192
            && sent.contains("BEGIN")
            && sent.ends_with("END")
            && sent.contains("characters of this message left out"),
        "{}",
        sent.len()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blocks_beside_calls_are_not_run_and_the_model_is_told() {
    let desk = Desk::new();
    let file = desk.document("a.md", b"alpha\nbeta\n");
    let block =
        format!("```edit:{} rev:1\n<<<<<<< SEARCH\nbeta\n=======\nB\n>>>>>>> REPLACE\n```", file.file_id);
    let (call, mut asked) = (json!({"file_id": file.file_id, "expected_content_rev": 1, "ops": [{"op": "append_lines", "text": "c"}]}).to_string(), 0);
    let (_, upstream) = ask(&desk, &[&file], move |_| {
        asked += 1;
        Some(if asked == 1 { Reply::calls(&block, &[("c", "file_edit", &call)]) } else { Reply::text("ok") })
    })
    .await;
    assert_eq!(desk.text("a.md"), "alpha\nbeta\nc\n");
    let told =
        upstream.requests()[1].body["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(told.contains("were not run"), "{told}");
}
