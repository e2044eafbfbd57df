//! What each vendor is sent: thinking, forced calls, and its own opaque fields back.

use gateway::testing::{Reply, chunk};
use gateway::{Message, Thinking, ToolChoice};
use serde_json::{Value, json};

use super::{good, request, run_with};

#[tokio::test]
async fn thinking_is_off_and_on_in_each_vendors_spelling() {
    let spelled = [
        ("deepseek", json!({"thinking": {"type": "disabled"}}), json!({"thinking": {"type": "enabled"}})),
        ("qwen", json!({"enable_thinking": false}), json!({"enable_thinking": true})),
        (
            "vllm",
            json!({"chat_template_kwargs": {"enable_thinking": false}}),
            json!({"chat_template_kwargs": {"enable_thinking": true}}),
        ),
        (
            "glm",
            json!({"thinking": {"type": "disabled"}, "tool_stream": true}),
            json!({"thinking": {"type": "enabled", "clear_thinking": false}}),
        ),
        (
            "minimax",
            json!({"thinking": {"type": "disabled"}, "reasoning_split": true}),
            json!({"reasoning_split": true}),
        ),
        ("openrouter", json!({"reasoning": {"enabled": false}}), json!({"reasoning": {"enabled": true}})),
        ("ollama", json!({"reasoning_effort": "none"}), json!({"reasoning_effort": "medium"})),
        ("codebuddy", json!({}), json!({"reasoning_effort": "medium", "reasoning_summary": "auto"})),
    ];
    for (dialect, off, on) in spelled {
        for (thinking, wanted) in [(Thinking::Off, off), (Thinking::On, on)] {
            let mut request = request();
            request.params.thinking = thinking;
            let ran = run_with(dialect, &request, vec![good()]).await;
            let body = &ran.bodies()[0];
            for (key, value) in wanted.as_object().unwrap() {
                assert_eq!(body.get(key), Some(value), "{dialect} {thinking:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_call_is_forced_only_where_the_vendor_allows_it() {
    for (dialect, thinking, wanted) in [
        ("openai", Thinking::Off, json!("required")),
        ("mistral", Thinking::Off, json!("any")),
        ("deepseek", Thinking::Off, json!("required")),
        ("deepseek", Thinking::On, Value::Null),
        ("qwen", Thinking::Default, Value::Null),
        ("glm", Thinking::Off, Value::Null),
        ("ollama", Thinking::Off, Value::Null),
    ] {
        let mut request = request();
        request.params.thinking = thinking;
        request.params.tool_choice = ToolChoice::Required;
        let ran = run_with(dialect, &request, vec![good()]).await;
        assert_eq!(
            ran.bodies()[0].get("tool_choice").cloned().unwrap_or_default(),
            wanted,
            "{dialect} {thinking:?}"
        );
    }
}

#[tokio::test]
async fn opaque_fields_go_back_to_the_endpoint_that_sent_them() {
    let call = json!({"index": 0, "id": "c1", "function": {"name": "edit", "arguments": "{\"body\":\"x\"}"},
                      "extra_content": {"google": {"thought_signature": "AbC="}}});
    let first = Reply::chunks(&[
        chunk(
            &json!({"reasoning_content": "because", "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "be"}]}),
            None,
        ),
        chunk(&json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "cause"}]}), None),
        chunk(&json!({"tool_calls": [call]}), Some("tool_calls")),
    ]);
    let ran = run_with("deepseek", &request(), vec![first.clone()]).await;
    let said = ran.whole().message.clone();
    assert_eq!(said.reasoning, "because");
    let next = |dialect: &'static str, said: gateway::AssistantMessage| async move {
        let mut request = request();
        request.messages = vec![Message::user("u"), Message::Assistant(said), Message::tool("c1", "ok")];
        run_with(dialect, &request, vec![Reply::text("done")]).await.bodies()[0]["messages"][1].clone()
    };
    let own = next("deepseek", said.clone()).await;
    assert_eq!(own["reasoning_content"], "because");
    assert_eq!(own["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "AbC=");
    assert_eq!(own["tool_calls"][0]["id"], "c1");
    let foreign = next("openai", said.clone()).await;
    assert_eq!(
        (foreign.get("reasoning_content"), foreign["tool_calls"][0].get("extra_content")),
        (None, None)
    );
    let back = next("deepseek", gateway::AssistantMessage { origin: "openai".into(), ..said.clone() }).await;
    assert_eq!(back["reasoning_content"], "", "the field is demanded, the foreign text is not sent");
    let minimax =
        next("minimax", gateway::AssistantMessage { origin: "minimax".into(), ..said.clone() }).await;
    assert_eq!(
        minimax["reasoning_details"],
        json!([{"type": "reasoning.text", "index": 0, "text": "because"}])
    );
    let mistral = next("mistral", said.clone()).await;
    assert_eq!(mistral["tool_calls"][0]["id"].as_str().unwrap().len(), 9);
    let kimi = next("kimi", said).await;
    assert_eq!(kimi["tool_calls"][0]["id"], "functions.edit:0");
}

#[tokio::test]
async fn an_orphan_in_the_conversation_never_reaches_the_endpoint() {
    let mut request = request();
    let call = gateway::ToolCall {
        id: "a".into(),
        name: "edit".into(),
        arguments: r#"{"body":"x"}"#.into(),
        extra: Default::default(),
    };
    let said = gateway::AssistantMessage { text: "t".into(), tool_calls: vec![call], ..Default::default() };
    request.messages = vec![
        Message::tool("lost", "r"),
        Message::user("u"),
        Message::Assistant(said),
        Message::user("go on"),
    ];
    let ran = run_with("other", &request, vec![good()]).await;
    ran.whole();
    assert_eq!(ran.bodies()[0]["messages"].as_array().unwrap().len(), 3);
}
