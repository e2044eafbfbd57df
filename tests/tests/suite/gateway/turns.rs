//! Whole turns over TCP against the scripted endpoint. Here the endpoint and the plain turns; each idea has a file of its own.

#[path = "turns/dialects.rs"]
mod dialects;
#[path = "turns/endings.rs"]
mod endings;
#[path = "turns/refusals.rs"]
mod refusals;
#[path = "turns/retries.rs"]
mod retries;
#[path = "turns/truncation.rs"]
mod truncation;

use std::sync::Arc;
use std::time::Duration;

use gateway::testing::{Reply, Upstream, chunk};
use gateway::{
    CancellationToken, ChatRequest, Client, Delta, Dialect, Endpoint, ErrorCode, Finish, GatewayError,
    Learned, Limits, Message, Params, RepairKind, Secret, Tool, TurnOutcome, complete,
};
use serde_json::{Value, json};

const KEY: &str = "sk-the-very-secret-key";

fn limits() -> Limits {
    Limits {
        idle: Duration::from_millis(400),
        idle_tools: Duration::from_millis(400),
        total_tools: Duration::from_secs(8),
        grace: Duration::from_millis(150),
        backoff: Duration::from_millis(10),
        retry_after_cap: Duration::from_secs(2),
        ..Limits::default()
    }
}

fn client(base_url: &str, dialect: &str) -> Client {
    let mut endpoint = Endpoint::new(base_url, Some(Secret::new(KEY)), "test-model");
    endpoint.dialect = Dialect::preset(dialect).unwrap();
    Client::with(endpoint, limits(), Arc::new(Learned::default())).unwrap()
}

fn edit_tool() -> Tool {
    Tool {
        name: "edit".into(),
        description: "Edits.".into(),
        accepts: None,
        parameters: json!({"type": "object", "additionalProperties": false, "required": ["body"],
            "properties": {"body": {"type": "string"}, "file_id": {"type": "string"}, "expected_content_rev": {"type": "integer"}}}),
    }
}

fn request() -> ChatRequest {
    ChatRequest { messages: vec![Message::user("go")], tools: vec![edit_tool()], params: Params::default() }
}

fn plain() -> ChatRequest {
    ChatRequest { messages: vec![Message::user("go")], ..ChatRequest::default() }
}

struct Ran {
    result: Result<TurnOutcome, GatewayError>,
    deltas: Vec<Delta>,
    upstream: Upstream,
}

impl Ran {
    fn bodies(&self) -> Vec<Value> {
        self.upstream.requests().iter().map(|seen| seen.body.clone()).collect()
    }

    /// What a reader of the deltas has on the screen in the end.
    fn shown(&self) -> String {
        self.deltas.iter().fold(String::new(), |mut shown, delta| {
            match delta {
                Delta::Text(text) => shown.push_str(text),
                Delta::Restarted { .. } => shown.clear(),
                _ => {}
            }
            shown
        })
    }

    #[track_caller]
    fn whole(&self) -> &TurnOutcome {
        self.result.as_ref().unwrap_or_else(|error| panic!("{error}"))
    }

    #[track_caller]
    fn failed(&self, code: ErrorCode) -> &GatewayError {
        match &self.result {
            Err(error) => {
                assert_eq!(error.code, code, "{error}");
                assert!(!format!("{error} {error:?}").contains(KEY), "the key is in the error");
                error
            }
            Ok(outcome) => panic!("came out: {outcome:?}"),
        }
    }
}

async fn run_with(dialect: &str, request: &ChatRequest, replies: Vec<Reply>) -> Ran {
    let upstream = Upstream::start(replies).await.unwrap();
    let client = client(&upstream.base_url(), dialect);
    let mut deltas = Vec::new();
    let result = complete(&client, request, &mut |delta| deltas.push(delta), &CancellationToken::new()).await;
    upstream.assert_clean();
    Ran { result, deltas, upstream }
}

async fn run(replies: Vec<Reply>) -> Ran {
    run_with("other", &request(), replies).await
}

fn good() -> Reply {
    Reply::call("c1", "edit", r#"{"body":"new"}"#)
}

/// A call that stops inside its arguments.
fn cut(arguments: &str, finish: &str) -> Reply {
    let call = json!({"index": 0, "id": "c1", "type": "function", "function": {"name": "edit", "arguments": arguments}});
    Reply::chunks(&[chunk(&json!({"tool_calls": [call]}), None), chunk(&json!({}), Some(finish))])
}

fn bad_json() -> Reply {
    cut(r#"{"body":"a "quoted" word"}"#, "tool_calls")
}

#[tokio::test]
async fn a_text_turn_is_shown_as_it_comes() {
    let ran = run_with("other", &plain(), vec![Reply::text("Hello, wörld <|im_end|>")]).await;
    assert_eq!(ran.whole().message.text, "Hello, wörld <|im_end|>", "no filter without tools");
    assert_eq!(ran.whole().finish, Finish::Stop);
    assert_eq!(ran.shown(), "Hello, wörld <|im_end|>");
    assert!(ran.deltas.len() > 2, "in pieces");
    let body = &ran.bodies()[0];
    assert_eq!((body.get("tools"), &body["stream"]), (None, &json!(true)));
}

#[tokio::test]
async fn a_tool_turn_gives_whole_calls_and_live_text() {
    let replies =
        vec![Reply::calls("I edit.", &[("a", "edit", r#"{"body":"x"}"#), ("b", "edit", r#"{"body":"y"}"#)])];
    let ran = run(replies).await;
    let message = &ran.whole().message;
    assert_eq!(message.text, "I edit.");
    assert_eq!(ran.shown(), "I edit.");
    assert_eq!(message.tool_calls.iter().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(ran.whole().finish, Finish::ToolCalls);
    let last = ran.deltas.iter().rev().find_map(|delta| match delta {
        Delta::ToolProgress { index, name, bytes } => Some((*index, name.clone(), *bytes)),
        _ => None,
    });
    assert_eq!(last, Some((1, "edit".into(), r#"{"body":"y"}"#.len())));
    let seen = &ran.upstream.requests()[0];
    assert_eq!(seen.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(seen.header("accept-encoding"), Some("identity"));
}

fn whole_body(text: &str) -> Value {
    let arguments = json!({"body": text}).to_string();
    let call = json!({"id": "c9", "type": "function", "function": {"name": "edit", "arguments": arguments}});
    json!({"id": "x", "object": "chat.completion", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": null, "tool_calls": [call]}, "finish_reason": "tool_calls"}]})
}

#[tokio::test]
async fn a_tool_with_a_broken_schema_is_refused_before_anything_is_sent() {
    let mut request = request();
    request.tools[0].parameters = json!({"type": "no such type"});
    run_with("other", &request, vec![]).await.failed(ErrorCode::InvalidSchema);
}

#[tokio::test]
async fn repairs_are_recorded() {
    let call = json!({"index": 3, "function": {"name": "edit", "arguments": "{\"body\":\"x\",}"}});
    let ran = run(vec![Reply::chunks(&[chunk(&json!({"tool_calls": [call]}), Some("stop"))])]).await;
    let kinds: Vec<RepairKind> = ran.whole().repairs.iter().map(|repair| repair.kind).collect();
    for kind in
        [RepairKind::IdMade, RepairKind::Renumbered, RepairKind::TrailingCommas, RepairKind::FinishRewritten]
    {
        assert!(kinds.contains(&kind), "{kind:?} in {kinds:?}");
    }
    assert_eq!(ran.whole().message.tool_calls[0].id.len(), 9);
}

#[tokio::test]
async fn models_are_listed() {
    let upstream = Upstream::with(|seen| {
        let list = json!({"object": "list", "data": [{"id": "b"}, {"id": "a"}]});
        (seen.method == "GET" && seen.path == "/v1/models").then(|| Reply::json(&list))
    })
    .await
    .unwrap();
    let client = client(&upstream.base_url(), "other");
    assert_eq!(gateway::list_models(&client, &CancellationToken::new()).await.unwrap(), ["a", "b"]);
}
