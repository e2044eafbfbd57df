//! The app's own commands for endpoints: what they offer, whether they answer, and the proxy switch.

use std::sync::Arc;

use assistant::{
    App, AppError, AppOptions, Request, Response,
    api::{
        error::ErrorCode,
        models_api::{ModelTest, ModelsOf},
        params::{NewKey, NoParams, SettingsChange},
        proxy_api::{ProxyStart, ProxyStatus},
    },
    secrets::Keychain,
};
use gateway::testing::{Reply, Upstream};
use serde_json::json;
use tempfile::TempDir;

const KEY: &str = "sk-the-very-secret-key";

/// An app whose settings know one provider, `rig`.
async fn app(base_url: &str) -> (Arc<App>, TempDir) {
    let home = tempfile::tempdir().unwrap();
    let keychain = Keychain::Memory(Arc::default());
    let app = App::open(AppOptions { keychain, ..AppOptions::new(home.path()) }).unwrap();
    let providers = json!({"providers": [{"id": "rig", "name": "Rig", "base_url": base_url, "models": ["small"],
        "headers": [["x-house", "blue"]]}]});
    app.call(Request::SettingsUpdate(SettingsChange { changes: providers })).await.unwrap();
    (app, home)
}

async fn with_key(base_url: &str) -> (Arc<App>, TempDir) {
    let (app, home) = app(base_url).await;
    let key = NewKey { provider: "rig".into(), key: KEY.into(), session_only: None };
    app.call(Request::KeysSet(key)).await.unwrap();
    (app, home)
}

async fn list(app: &Arc<App>) -> Result<Vec<String>, AppError> {
    match app.call(Request::ModelsList(ModelsOf { provider: "rig".into() })).await? {
        Response::ModelsList(answer) => Ok(answer.models),
        other => panic!("{other:?}"),
    }
}

async fn test(app: &Arc<App>, model: Option<&str>) -> Result<serde_json::Value, AppError> {
    let params = ModelTest { provider: "rig".into(), model: model.map(str::to_owned) };
    app.call(Request::ModelsTest(params)).await.map(|answer| serde_json::to_value(answer).unwrap())
}

async fn start(app: &Arc<App>, params: ProxyStart) -> Result<ProxyStatus, AppError> {
    match app.call(Request::ProxyStart(params)).await? {
        Response::ProxyStart(status) => Ok(status),
        other => panic!("{other:?}"),
    }
}

async fn ask(request: Request, app: &Arc<App>) -> ProxyStatus {
    match app.call(request).await.unwrap() {
        Response::ProxyStatus(status) | Response::ProxyStop(status) => status,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_models_are_what_the_endpoint_says() {
    let list_of_two = Reply::json(&json!({"object": "list", "data": [{"id": "b"}, {"id": "a"}]}));
    let refused = Reply::status(401, &json!({"error": {"message": format!("Incorrect API key: {KEY}")}}));
    let page = Reply::json(&json!({"hello": "world"}));
    let upstream = Upstream::start(vec![list_of_two, refused, page]).await.unwrap();
    let (app, _home) = with_key(&upstream.base_url()).await;
    assert_eq!(list(&app).await.unwrap(), ["a", "b"]);
    let asked = &upstream.requests()[0];
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("GET", "/v1/models"));
    assert_eq!(asked.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(asked.header("x-house"), Some("blue"));
    let error = list(&app).await.unwrap_err();
    assert_eq!(error.cause.as_deref(), Some("unauthorized"));
    assert!(error.hint.is_some() && !format!("{error:?}").contains(KEY), "{error:?}");
    assert_eq!(list(&app).await.unwrap_err().cause.as_deref(), Some("not_a_stream"));
}

#[tokio::test]
async fn without_a_key_or_a_provider_nothing_is_asked() {
    let upstream = Upstream::start(vec![]).await.unwrap();
    let (app, _home) = app(&upstream.base_url()).await;
    assert_eq!(list(&app).await.unwrap_err().cause.as_deref(), Some("unauthorized"));
    assert_eq!(test(&app, None).await.unwrap_err().cause.as_deref(), Some("unauthorized"));
    let unknown = Request::ModelsList(ModelsOf { provider: "nobody".into() });
    assert_eq!(app.call(unknown).await.unwrap_err().code, ErrorCode::InvalidArguments);
    assert_eq!(upstream.requests().len(), 0);
}

#[tokio::test]
async fn a_test_tells_what_the_model_really_answered() {
    let called = || Reply::call("c", "report_ready", r#"{"word":"ready"}"#);
    let replies = vec![Reply::text("ready!"), called(), Reply::text("hm"), Reply::text("I will not.")];
    let upstream = Upstream::start(replies).await.unwrap();
    let (app, _home) = with_key(&upstream.base_url()).await;
    let answer = test(&app, None).await.unwrap();
    assert_eq!((&answer["model"], &answer["answer"]), (&json!("small"), &json!("ready!")));
    assert_eq!((&answer["calls_tools"], answer.get("tools_problem")), (&json!(true), None));
    let answer = test(&app, Some("large")).await.unwrap();
    assert_eq!((&answer["answer"], &answer["calls_tools"]), (&json!("hm"), &json!(false)));
    assert!(answer["tools_problem"].as_str().unwrap().contains("text"), "{answer}");
    let asked: Vec<String> = upstream.requests().iter().map(|seen| seen.body["model"].to_string()).collect();
    assert_eq!(asked, ["\"small\"", "\"small\"", "\"large\"", "\"large\""]);
    upstream.assert_clean();
}

#[tokio::test]
async fn a_test_that_fails_says_why() {
    let (app, _home) = with_key("http://127.0.0.1:9/v1").await;
    let error = test(&app, None).await.unwrap_err();
    assert_eq!(error.cause.as_deref(), Some("connect_failed"), "{error:?}");
    assert!(error.message.ends_with('.') && error.hint.is_some(), "{error:?}");
}

#[tokio::test]
async fn the_proxy_runs_when_it_is_switched_on_and_not_after() {
    let upstream = Upstream::with(|_| Some(Reply::text("hello"))).await.unwrap();
    let (app, _home) = with_key(&upstream.base_url()).await;
    assert_eq!(
        ask(Request::ProxyStatus(NoParams {}), &app).await,
        ProxyStatus { ok: true, ..Default::default() }
    );
    let free = ProxyStart { provider: "rig".into(), port: Some(0), new_token: None };
    let status = start(&app, free.clone()).await.unwrap();
    let (url, token) = (status.url.clone().unwrap(), status.token.clone().unwrap());
    let configuration = status.configuration.clone().unwrap();
    assert_eq!(configuration.environment, format!("OPENAI_BASE_URL={url}\nOPENAI_API_KEY={token}"));
    let said = post(&url, &token).await;
    assert!(said.starts_with("HTTP/1.1 200") && said.contains("hello"), "{said}");
    assert!(post(&url, "wrong").await.starts_with("HTTP/1.1 401"));
    let seen = &upstream.requests()[0];
    assert_eq!(seen.header("authorization"), Some(format!("Bearer {KEY}").as_str()), "the provider's key");
    assert_eq!(seen.header("x-house"), Some("blue"));
    let now = ask(Request::ProxyStatus(NoParams {}), &app).await;
    assert!(now.metrics.as_ref().unwrap().contains("stet_proxy_passthrough_total 1"), "{now:?}");

    let again = start(&app, free.clone()).await.unwrap();
    assert_eq!(again.token.as_deref(), Some(token.as_str()), "clients stay set up");
    assert!(refused(&url).await || again.url == status.url, "the first one has gone");
    let renewed = start(&app, ProxyStart { new_token: Some(true), ..free }).await.unwrap();
    assert_ne!(renewed.token, again.token);
    let last = renewed.url.unwrap();
    assert!(!ask(Request::ProxyStop(NoParams {}), &app).await.running);
    assert!(refused(&last).await, "nobody listens any more");
    assert!(!ask(Request::ProxyStop(NoParams {}), &app).await.running, "stopping twice is no error");
}

#[tokio::test]
async fn a_port_that_is_taken_is_said_and_nothing_listens_after_the_app() {
    let upstream = Upstream::start(vec![]).await.unwrap();
    let (app, _home) = with_key(&upstream.base_url()).await;
    let taken = ProxyStart { provider: "rig".into(), port: Some(upstream.port()), new_token: None };
    let error = start(&app, taken).await.unwrap_err();
    assert!(error.hint.unwrap().contains("another port"));
    let status =
        start(&app, ProxyStart { provider: "rig".into(), port: Some(0), new_token: None }).await.unwrap();
    drop(app);
    let url = status.url.unwrap();
    for _ in 0..100 {
        if refused(&url).await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the proxy outlived its app");
}

fn authority(url: &str) -> &str {
    url.trim_start_matches("http://").trim_end_matches("/v1")
}

async fn refused(url: &str) -> bool {
    tokio::net::TcpStream::connect(authority(url)).await.is_err()
}

/// A small request without tools, by hand.
async fn post(url: &str, token: &str) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let host = authority(url);
    let body =
        json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "hi"}]}).to_string();
    let mut connection = tokio::net::TcpStream::connect(host).await.unwrap();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    let mut all = Vec::new();
    connection.read_to_end(&mut all).await.unwrap();
    String::from_utf8_lossy(&all).into_owned()
}
