//! Asking once for the tail of arguments that the output limit cut, and gluing it on only under proof.
//!
//! No endpoint can continue inside `tool_calls`. What can be continued is text, so the rest of the JSON text is asked for as text. The
//! result counts only when: the answer itself was not cut, old and new text together parse strictly, and the new part does not begin by
//! repeating, unless taking the exact repeat away is the only reading that parses. Then the whole turn is judged again.

use serde_json::{Map, Value, json};

use super::ask::Ask;
use crate::dialect::{ContinuationForm, Dialect};
use crate::endpoint::Endpoint;
use crate::json::strict;

/// A request for the tail.
pub(crate) struct TailRequest {
    pub(crate) body: Value,
    /// Another base than the endpoint's own.
    pub(crate) base_url: Option<String>,
}

/// One equal byte is common by chance.
const SHORTEST_REPEAT: usize = 2;

/// Writes the request; nothing where the dialect has no way.
pub(crate) fn request(ask: &Ask, endpoint: &Endpoint, name: &str, cut_off: &str) -> Option<TailRequest> {
    let dialect = &endpoint.dialect;
    let mut body = Map::new();
    let mut messages = ask.messages().to_vec();
    let mut base_url = None;
    match &dialect.continuation {
        ContinuationForm::None => return None,
        ContinuationForm::Marked { key, base_url: other } => {
            add_instruction(&mut messages, &write_arguments(name), dialect);
            let mut last = json!({"role": "assistant", "content": cut_off});
            last[key.as_str()] = json!(true);
            messages.push(last);
            base_url.clone_from(other);
        }
        ContinuationForm::ContinueFinalMessage => {
            add_instruction(&mut messages, &write_arguments(name), dialect);
            messages.push(json!({"role": "assistant", "content": cut_off}));
            body.insert("continue_final_message".into(), json!(true));
            body.insert("add_generation_prompt".into(), json!(false));
        }
        ContinuationForm::Ask => add_instruction(&mut messages, &rest_of_arguments(name, cut_off), dialect),
    }
    body.insert("model".into(), json!(endpoint.model));
    body.insert("messages".into(), Value::Array(messages));
    body.insert("stream".into(), json!(true));
    body.extend(dialect.thinking.off.clone());
    let limit = ask.ceiling.or(ask.max_tokens);
    if let Some(limit) = limit {
        body.insert(dialect.max_tokens.as_str().to_owned(), json!(limit));
    }
    Some(TailRequest { body: Value::Object(body), base_url })
}

fn write_arguments(name: &str) -> String {
    format!(
        "Write the arguments of one call to the tool \"{name}\" as a single JSON object. \
         Output nothing but the JSON text, without a code fence."
    )
}

fn rest_of_arguments(name: &str, cut_off: &str) -> String {
    format!(
        "The output limit cut off the arguments of your call to the tool \"{name}\". This JSON text was received, up to and including \
         its last character:\n\n{cut_off}\n\nOutput only the characters that come directly after it, until the JSON object is closed. \
         Do not repeat anything, do not explain, use no code fence."
    )
}

fn add_instruction(messages: &mut Vec<Value>, text: &str, dialect: &Dialect) {
    let last_is_tool =
        messages.last().and_then(|last| last.get("role")).and_then(Value::as_str) == Some("tool");
    let role = if last_is_tool && !dialect.user_after_tool { "system" } else { "user" };
    messages.push(json!({"role": role, "content": text}));
}

/// Openings of an answer to a person. Where the text was cut inside a string they would parse, and end up in a document.
const CHAT: &[&str] = &[
    "sorry",
    "sure",
    "certainly",
    "of course",
    "here is",
    "here's",
    "here are",
    "okay",
    "ok,",
    "the rest",
    "continuing",
    "i apologize",
    "apologies",
    "好的",
    "以下",
    "抱歉",
    "当然",
];

/// Old and new text as one JSON object; nothing when there is no single reading.
pub(crate) fn glue(cut_off: &str, tail: &str) -> Option<String> {
    let opening = tail.trim_start().to_lowercase();
    if CHAT.iter().any(|words| opening.starts_with(words)) {
        return None;
    }
    glue_exactly(cut_off, tail).or_else(|| glue_exactly(cut_off, unfenced(tail)?))
}

fn glue_exactly(cut_off: &str, tail: &str) -> Option<String> {
    let overlap = overlap(cut_off, tail);
    let plain = whole(format!("{cut_off}{tail}"));
    if overlap == 0 {
        return plain;
    }
    let without_repeat = whole(format!("{cut_off}{}", &tail[overlap..]));
    match (plain, without_repeat) {
        (Some(plain), _) if overlap < SHORTEST_REPEAT => Some(plain),
        (None, without_repeat) => without_repeat,
        (Some(_), _) => None,
    }
}

/// How many bytes at the beginning of the tail repeat the end of the old text.
fn overlap(cut_off: &str, tail: &str) -> usize {
    let longest = cut_off.len().min(tail.len());
    (1..=longest)
        .rev()
        .find(|length| tail.is_char_boundary(*length) && cut_off.ends_with(&tail[..*length]))
        .unwrap_or(0)
}

fn whole(text: String) -> Option<String> {
    strict::parse(&text).is_ok_and(|value| value.is_object()).then_some(text)
}

fn unfenced(tail: &str) -> Option<&str> {
    let inner = tail.trim().strip_prefix("```")?;
    let (_, body) = inner.split_once('\n')?;
    Some(body.strip_suffix("```").unwrap_or(body).trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::glue;

    #[test]
    fn a_clean_tail_is_glued() {
        assert_eq!(glue(r#"{"a":"half a "#, r#"sentence"}"#).as_deref(), Some(r#"{"a":"half a sentence"}"#));
        assert_eq!(glue(r#"{"a":[1,"#, r#"2]}"#).as_deref(), Some(r#"{"a":[1,2]}"#));
        assert_eq!(glue(r#"{"a":"x\u00"#, r#"e9"}"#).as_deref(), Some(r#"{"a":"x\u00e9"}"#));
    }

    #[test]
    fn a_repeat_is_removed_only_when_nothing_else_parses() {
        let whole = r#"{"a":"half","b":2}"#;
        assert_eq!(glue(r#"{"a":"half","b""#, whole).as_deref(), Some(whole), "the whole text came again");
        assert_eq!(glue(r#"{"a":1,"bcd":"#, r#""bcd":2}"#).as_deref(), Some(r#"{"a":1,"bcd":2}"#));
        assert_eq!(glue(r#"{"a":"half a sen"#, r#"a sentence"}"#), None, "both readings parse");
    }

    #[test]
    fn what_stays_open_or_goes_on_is_refused() {
        assert_eq!(glue(r#"{"a":"half"#, " a sen"), None);
        assert_eq!(glue(r#"{"a":"half"#, r#""} and more"#), None);
        assert_eq!(glue(r#"{"a":"half"#, "Sorry, here it is: \"}"), None, "spoken to a person");
    }

    #[test]
    fn a_fence_around_the_tail_is_taken_off() {
        assert_eq!(glue(r#"{"a":["#, "```json\n1]}\n```").as_deref(), Some(r#"{"a":[1]}"#));
    }
}
