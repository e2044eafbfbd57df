//! async-openai through the proxy; one JSON line per request. The library has no accumulator, so the chunks are put together here.

use std::collections::BTreeMap;

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::types::chat::CreateChatCompletionRequest;
use futures_util::StreamExt;
use serde_json::{Value, json};

const NAME: &str = "async-openai";

#[tokio::main]
async fn main() {
    let path = std::env::args().nth(1).expect("the plan");
    let plan: Value = serde_json::from_slice(&std::fs::read(path).expect("a readable plan")).expect("a plan in JSON");
    let requests = plan["requests"].as_array().expect("requests").clone();
    let jobs = requests.into_iter().map(|request| {
        let base = request["base"].as_str().unwrap_or_default().to_owned();
        let model = format!("{}@{NAME}", request["model"].as_str().unwrap_or_default());
        one(base, model, body(&plan, &request), plan["token"].as_str().unwrap_or_default().to_owned())
    });
    let hello = one(
        plan["plain"].as_str().unwrap_or_default().to_owned(),
        format!("hello@{NAME}"),
        json!({"messages": [{"role": "user", "content": "go"}]}),
        plan["token"].as_str().unwrap_or_default().to_owned(),
    );
    let lines = futures_util::stream::iter(jobs.chain([hello]));
    lines.buffer_unordered(8).for_each(|line| async move { println!("{line}") }).await;
}

fn body(plan: &Value, request: &Value) -> Value {
    let mut body = json!({"messages": [{"role": "user", "content": "go"}], "tools": plan["tools"]});
    if !request["max_tokens"].is_null() {
        body["max_tokens"] = request["max_tokens"].clone();
    }
    body
}

async fn one(base: String, model: String, mut body: Value, token: String) -> Value {
    body["model"] = json!(model);
    match ask(base, body, token).await {
        Ok(turn) => json!({"client": NAME, "model": model, "ok": turn}),
        Err(error) => json!({"client": NAME, "model": model, "error": error.to_string().chars().take(300).collect::<String>()}),
    }
}

async fn ask(base: String, body: Value, token: String) -> Result<Value, OpenAIError> {
    let client = Client::with_config(OpenAIConfig::new().with_api_base(base).with_api_key(token));
    let request: CreateChatCompletionRequest = serde_json::from_value(body).map_err(|error| OpenAIError::InvalidArgument(error.to_string()))?;
    let mut stream = client.chat().create_stream(request).await?;
    let mut text = String::new();
    let mut finish = Value::Null;
    let mut calls: BTreeMap<u32, (String, String)> = BTreeMap::new();
    while let Some(chunk) = stream.next().await {
        for choice in chunk?.choices {
            text += choice.delta.content.as_deref().unwrap_or_default();
            for call in choice.delta.tool_calls.unwrap_or_default() {
                let seen = calls.entry(call.index).or_default();
                if let Some(function) = call.function {
                    seen.0 += function.name.as_deref().unwrap_or_default();
                    seen.1 += function.arguments.as_deref().unwrap_or_default();
                }
            }
            if let Some(reason) = choice.finish_reason {
                finish = serde_json::to_value(reason).unwrap_or_default();
            }
        }
    }
    if finish.is_null() {
        return Err(OpenAIError::InvalidArgument("the stream ended without a finish reason".into()));
    }
    let calls: Vec<Value> = calls
        .into_values()
        .map(|(name, arguments)| json!({"name": name, "arguments": serde_json::from_str::<Value>(&arguments).unwrap_or(json!(arguments))}))
        .collect();
    Ok(json!({"text": text, "calls": calls, "finish": finish}))
}
