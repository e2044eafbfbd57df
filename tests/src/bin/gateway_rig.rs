//! For clients of other makers: the scripted endpoint with every fault of the catalogue, and proxies in front of it.
//!
//! Prints one line of JSON (addresses, token, and for every fault what must come of it), then serves until its standard input ends. The
//! model's name chooses the fault: `case-7` answers every request with case 7, `heal-7` only the first one, `slow-7` and `slowheal-7` after
//! a pause in which the proxy must keep the client waiting. `GET /v1/rig/counts` tells how often each model was asked.
//!
//! `gateway_rig turns URL MODEL COUNT [FIRST]` runs turns against a real endpoint. `gateway_rig ask URL…` only tells what each endpoint offers, or why it cannot be reached: for tests of what the environment decides.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gateway::proxy::{KeepAlive, KeepAliveForm, ProxyHandle, ProxyOptions, ProxyToken, serve};
use gateway::testing::{Reply, Seen, Step, Upstream};
use gateway::{
    CancellationToken, ChatRequest, Client, Endpoint, Limits, Message, Params, Secret, Thinking, Tool,
    ToolChoice, complete, list_models,
};
use serde_json::{Value, json};
use stet_tests::streams::{self, Case};

const TOKEN: &str = "rig-token";

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let work = async {
        match arguments.split_first() {
            Some((word, urls)) if word == "ask" => ask(urls).await,
            Some((word, rest)) if word == "turns" => turns(rest).await,
            _ => run().await,
        }
    };
    match runtime.map(|runtime| runtime.block_on(work)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(_)) | Err(_) => ExitCode::FAILURE,
    }
}

async fn run() -> std::io::Result<()> {
    let cases: Vec<Case> = streams::all()?.into_iter().filter(|case| !case.replay.tools.is_null()).collect();
    let manifest = cases.iter().enumerate().map(|(number, case)| described(number, case)).collect::<Vec<_>>();
    let tools = cases.first().map(|case| case.replay.tools.clone()).unwrap_or_default();
    let upstream = Upstream::with(script(cases)).await?;
    let quick = KeepAlive {
        form: KeepAliveForm::EmptyDelta,
        after: Duration::from_millis(60),
        every: Duration::from_millis(60),
    };
    let plain = proxy(&upstream, KeepAlive::default()).await?;
    let keep = proxy(&upstream, quick).await?;
    let comment = proxy(&upstream, KeepAlive { form: KeepAliveForm::Comment, ..quick }).await?;
    let line = json!({"plain": plain.url(), "keep_alive": keep.url(), "comment": comment.url(), "direct": upstream.base_url(),
        "token": TOKEN, "tools": tools, "cases": manifest});
    let mut out = std::io::stdout();
    writeln!(out, "{line}")?;
    out.flush()?;
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    for handle in [plain, keep, comment] {
        handle.stop(Duration::from_secs(1)).await;
    }
    Ok(())
}

async fn ask(urls: &[String]) -> std::io::Result<()> {
    let mut out = std::io::stdout();
    for url in urls {
        let endpoint = Endpoint::new(url, Some(Secret::new("rig-key")), "m");
        let limits = Limits { connect: Duration::from_secs(5), ..Limits::default() };
        let asked = match Client::with(endpoint, limits, Arc::default()) {
            Ok(client) => list_models(&client, &CancellationToken::new()).await,
            Err(error) => Err(error),
        };
        let line = match asked {
            Ok(models) => json!({"ok": models}),
            Err(error) => json!({"code": error.code.as_str(), "message": error.message}),
        };
        writeln!(out, "{line}")?;
    }
    out.flush()
}

/// Turns with tools against a real endpoint: what came of each, one line of JSON per turn.
async fn turns(arguments: &[String]) -> std::io::Result<()> {
    let [url, model, count, first @ ..] = arguments else {
        return Err(std::io::Error::other("turns URL MODEL COUNT [FIRST]"));
    };
    let count: usize = count.parse().map_err(std::io::Error::other)?;
    let first: usize = first.first().map_or(Ok(0), |first| first.parse()).map_err(std::io::Error::other)?;
    let client = Client::new(Endpoint::new(url, None, model)).map_err(std::io::Error::other)?;
    let parameters = json!({"type": "object", "required": ["find", "replace"],
        "properties": {"find": {"type": "string"}, "replace": {"type": "string"}}});
    let tool = |name: &str, description: &str, parameters: Value| Tool {
        name: name.into(),
        description: description.into(),
        parameters,
        accepts: None,
    };
    let tools = vec![
        tool("edit", "Replaces text in a file.", parameters),
        tool("now", "Tells the time.", json!({"type": "object", "properties": {"zone": {"type": "string"}}})),
    ];
    let wishes = [
        "Replace the word red by blue with the tool edit.",
        "What time is it? Use the tool now.",
        "Say hello in one sentence.",
        "Write a long poem and put it into the file with the tool edit.",
    ];
    let mut out = std::io::stdout();
    for number in first..first + count {
        let limit = [24, 64, 200, 400][number % 4];
        // Left to itself so small a model hardly ever calls a tool.
        let tool_choice =
            if number % 2 == 1 { ToolChoice::Named("edit".into()) } else { ToolChoice::default() };
        let params =
            Params { max_tokens: Some(limit), thinking: Thinking::Off, tool_choice, ..Params::default() };
        let messages = vec![Message::user(wishes[number / 4 % 4])];
        let request = ChatRequest { messages, tools: tools.clone(), params };
        let line = match complete(&client, &request, &mut |_| {}, &CancellationToken::new()).await {
            Ok(turn) => {
                json!({"text": turn.message.text, "calls": turn.message.tool_calls, "finish": turn.finish,
                "repairs": turn.repairs.iter().map(|repair| repair.kind).collect::<Vec<_>>(),
                "retries": turn.retries.iter().map(|retry| retry.code).collect::<Vec<_>>(), "continuation": turn.continuation})
            }
            Err(error) => {
                json!({"code": error.code, "message": error.message, "continuation": error.continuation,
                "retries": error.retries.iter().map(|retry| retry.code).collect::<Vec<_>>()})
            }
        };
        writeln!(out, "{line}")?;
        out.flush()?;
    }
    Ok(())
}

async fn proxy(upstream: &Upstream, keep_alive: KeepAlive) -> std::io::Result<ProxyHandle> {
    let limits = Limits {
        backoff: Duration::from_millis(5),
        grace: Duration::from_millis(100),
        idle_tools: Duration::from_secs(5),
        ..Limits::default()
    };
    let token = ProxyToken::Given(Secret::new(TOKEN));
    let options = ProxyOptions { token, limits, keep_alive, ..ProxyOptions::new(upstream.base_url()) };
    serve(options).await.map_err(std::io::Error::other)
}

fn described(number: usize, case: &Case) -> Value {
    let calls: Vec<Value> = case
        .expected
        .calls
        .iter()
        .map(|call| json!({"name": call.name, "arguments": call.arguments, "text": call.text}))
        .collect();
    json!({
        "number": number, "name": case.name, "max_tokens": case.replay.max_tokens, "calls": calls, "text": case.expected.text,
        "fault": case.expected.fault.as_ref().map(|(code, advice)| json!({"code": code, "advice": advice})),
        "finish": case.expected.finish.clone().unwrap_or_else(|| if calls.is_empty() { "stop" } else { "tool_calls" }.into()),
    })
}

fn script(cases: Vec<Case>) -> impl FnMut(&Seen) -> Option<Reply> + Send + 'static {
    let counts: Arc<Mutex<HashMap<String, u64>>> = Arc::default();
    move |seen| {
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.method == "GET" {
            return Some(Reply::json(&json!({"counts": *counts})));
        }
        let model = seen.body["model"].as_str().unwrap_or_default();
        let count = counts.entry(model.to_owned()).or_default();
        *count += 1;
        let first = *count == 1;
        Some(answer(&cases, model, first, seen))
    }
}

fn answer(cases: &[Case], model: &str, first: bool, seen: &Seen) -> Reply {
    // What follows the `@` only keeps the clients apart.
    let mode = model.split('@').next().unwrap_or_default();
    let case = mode.split_once('-').and_then(|(_, number)| cases.get(number.parse::<usize>().ok()?));
    let Some(case) = case else { return Reply::text("Hello from the rig.") };
    let heals = mode.contains("heal");
    let reply = if heals && !first {
        healed(seen)
    } else if seen.body["stream"] == json!(true) {
        let reply = Reply::stream(case.body.clone());
        if case.replay.breaks { reply.then(Step::Reset) } else { reply }
    } else {
        // A client that wants no stream, or the last retry of a fault that does not heal.
        Reply::json(
            &json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": ""}, "finish_reason": "stop"}]}),
        )
    };
    if mode.starts_with("slow") && first { delayed(reply) } else { reply }
}

/// A good call, in the form that was asked for.
fn healed(seen: &Seen) -> Reply {
    let arguments = r#"{"p":7}"#;
    if seen.body["stream"] == json!(true) {
        return Reply::call("healed", "edit", arguments);
    }
    let call =
        json!({"id": "healed", "type": "function", "function": {"name": "edit", "arguments": arguments}});
    Reply::json(
        &json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": null, "tool_calls": [call]},
        "finish_reason": "tool_calls"}]}),
    )
}

fn delayed(mut reply: Reply) -> Reply {
    reply.steps.insert(0, Step::Pause(Duration::from_millis(300)));
    reply
}
