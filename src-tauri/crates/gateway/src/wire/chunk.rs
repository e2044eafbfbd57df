//! One chunk of a stream, or one whole completion, with every field optional and of any type.
//!
//! Unknown keys of a call are kept: some vendors hide a signature there that must come back (thought signatures).

use std::fmt;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::lenient::{Loose, Many, Maybe, Text, Whole, is_truthy};
use crate::outcome::Usage;

/// Reads a chunk. It must be an object: serde would take a list for the fields in their order.
pub(crate) fn read_chunk(data: &[u8]) -> Result<Chunk<'_>, serde_json::Error> {
    if data.starts_with(b"{") {
        return serde_json::from_slice(data);
    }
    Err(serde::de::Error::custom("it is no JSON object"))
}

/// The outermost object of an event or of a body.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Chunk<'a> {
    #[serde(borrow)]
    pub(crate) object: Text<'a>,
    #[serde(borrow)]
    pub(crate) model: Text<'a>,
    #[serde(borrow)]
    pub(crate) choices: Option<Many<Choice<'a>>>,
    pub(crate) usage: Value,
    pub(crate) error: Value,
    /// Further spellings of a failure: `type: "error"`, `success: false`, `base_resp.status_code`, `message`/`code` alone.
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Text<'a>,
    pub(crate) success: Value,
    pub(crate) base_resp: Value,
    pub(crate) message: Value,
    pub(crate) msg: Value,
    pub(crate) detail: Value,
    pub(crate) code: Value,
    pub(crate) errors: Value,
    pub(crate) status: Value,
    pub(crate) title: Value,
    pub(crate) error_code: Value,
    pub(crate) error_msg: Value,
    /// Tencent's frame around everything.
    #[serde(rename = "Response")]
    pub(crate) frame: Value,
    /// Groq writes the counts of a stream here.
    pub(crate) x_groq: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Choice<'a> {
    pub(crate) index: Whole,
    #[serde(borrow)]
    pub(crate) delta: Maybe<Said<'a>>,
    #[serde(borrow)]
    pub(crate) message: Maybe<Said<'a>>,
    #[serde(borrow)]
    pub(crate) finish_reason: Loose<'a>,
    /// OpenRouter and others: what the model's own server said before it was translated.
    #[serde(borrow)]
    pub(crate) native_finish_reason: Text<'a>,
    /// Moonshot writes the counts here.
    pub(crate) usage: Value,
    /// A failure that belongs to this choice only; with one choice it is the turn's.
    pub(crate) error: Value,
}

/// A delta or a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Said<'a> {
    #[serde(borrow)]
    pub(crate) content: Loose<'a>,
    #[serde(borrow)]
    pub(crate) reasoning_content: Loose<'a>,
    #[serde(borrow)]
    pub(crate) reasoning: Loose<'a>,
    pub(crate) reasoning_details: Value,
    #[serde(borrow)]
    pub(crate) refusal: Text<'a>,
    #[serde(borrow)]
    pub(crate) tool_calls: Many<CallFragment<'a>>,
    /// The form before `tool_calls`.
    #[serde(borrow)]
    pub(crate) function_call: Maybe<FunctionFragment<'a>>,
}

impl Said<'_> {
    /// Whether there is anything in it.
    pub(crate) fn says_something(&self) -> bool {
        self.content != Loose::Nothing
            || self.reasoning_content != Loose::Nothing
            || self.reasoning != Loose::Nothing
            || is_truthy(&self.reasoning_details)
            || self.refusal.get().is_some()
            || self.has_calls()
    }

    /// How many pieces of calls stand here, whatever is in them.
    pub(crate) fn pieces(&self) -> u64 {
        self.tool_calls.0.len() as u64 + u64::from(self.function_call.0.is_some())
    }

    pub(crate) fn has_calls(&self) -> bool {
        let legacy = self.function_call.0.as_ref();
        !self.tool_calls.0.is_empty() || legacy.is_some_and(|function| !function.is_empty())
    }
}

/// A piece of a call.
#[derive(Debug, Default)]
pub(crate) struct CallFragment<'a> {
    pub(crate) index: Whole,
    pub(crate) id: Text<'a>,
    pub(crate) function: Maybe<FunctionFragment<'a>>,
    /// Every other key.
    pub(crate) extra: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FunctionFragment<'a> {
    #[serde(borrow)]
    pub(crate) name: Text<'a>,
    #[serde(borrow)]
    pub(crate) arguments: Loose<'a>,
    /// Old llama.cpp servers put the call's id here.
    #[serde(borrow)]
    pub(crate) id: Text<'a>,
    /// Other interfaces' words for the arguments. They are not read: which of two texts is meant would be a guess.
    pub(crate) parameters: Value,
    pub(crate) args: Value,
    pub(crate) input: Value,
    pub(crate) partial_json: Value,
}

impl FunctionFragment<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        let says_nothing = self.name.word().is_none() && self.id.word().is_none();
        says_nothing && self.arguments == Loose::Nothing && !self.has_other_arguments()
    }

    /// Arguments are here and cannot be taken.
    pub(crate) fn has_other_arguments(&self) -> bool {
        let others = [&self.parameters, &self.args, &self.input, &self.partial_json];
        self.arguments == Loose::Nothing && others.into_iter().any(is_truthy)
    }
}

impl CallFragment<'_> {
    /// An entry without id, name, arguments or anything else; some servers send it beside plain text.
    pub(crate) fn is_empty(&self) -> bool {
        let says_nothing = self.function.0.as_ref().is_none_or(FunctionFragment::is_empty);
        says_nothing && self.id.word().is_none() && !self.extra.values().any(is_truthy)
    }

    /// Arguments are here and cannot be taken.
    pub(crate) fn has_other_arguments(&self) -> bool {
        let has_none = self.function.0.as_ref().is_none_or(|function| function.arguments == Loose::Nothing);
        let beside = ["parameters", "args", "input", "partial_json"];
        let has_beside = has_none && beside.iter().filter_map(|key| self.extra.get(*key)).any(is_truthy);
        has_beside || self.function.0.as_ref().is_some_and(FunctionFragment::has_other_arguments)
    }
}

impl<'a> CallFragment<'a> {
    /// Takes name and arguments that stand beside the function instead of in it.
    fn lift(&mut self, name: Text<'a>, arguments: Loose<'a>) -> Result<(), &'static str> {
        if name.word().is_none() && arguments == Loose::Nothing {
            return Ok(());
        }
        let function = self.function.0.get_or_insert_default();
        if function.name.word().is_none() {
            function.name = name;
        }
        if function.arguments == Loose::Nothing {
            function.arguments = arguments;
        } else if arguments != Loose::Nothing {
            return Err("the arguments of a call stand in two places");
        }
        Ok(())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for CallFragment<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CallFragment<'a>, D::Error> {
        deserializer.deserialize_map(CallVisitor)
    }
}

/// Written by hand because serde's `flatten` would buffer every chunk.
struct CallVisitor;

impl<'de> Visitor<'de> for CallVisitor {
    type Value = CallFragment<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a call")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<CallFragment<'de>, A::Error> {
        let mut call = CallFragment::default();
        let (mut index, mut id, mut function) = (None, None, None);
        let (mut name, mut arguments) = (None, None);
        while let Some(key) = map.next_key::<Text<'de>>()? {
            match key.get().unwrap_or_default() {
                "index" => once(&mut index, map.next_value()?)?,
                "id" => once(&mut id, map.next_value()?)?,
                "function" => once(&mut function, map.next_value()?)?,
                "name" => once(&mut name, map.next_value()?)?,
                "arguments" => once(&mut arguments, map.next_value()?)?,
                "type" => {
                    map.next_value::<IgnoredAny>()?;
                }
                other => {
                    let value: Value = map.next_value()?;
                    if !value.is_null() {
                        call.extra.insert(other.to_owned(), value);
                    }
                }
            }
        }
        call.index = index.unwrap_or_default();
        call.id = id.unwrap_or_default();
        call.function = function.unwrap_or_default();
        call.lift(name.unwrap_or_default(), arguments.unwrap_or_default()).map_err(A::Error::custom)?;
        Ok(call)
    }
}

/// A key that is there twice has two meanings, and one of them would be lost.
fn once<T, E: serde::de::Error>(slot: &mut Option<T>, value: T) -> Result<(), E> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::custom("a key of a call is there twice")),
    }
}

/// Token counts as they come: numbers may be text, floats or null, and under another interface's names.
pub(crate) fn counts(usage: &Value) -> Usage {
    let of = |names: [&str; 2]| count(&usage[names[0]]).max(count(&usage[names[1]]));
    let cached = count(&usage["prompt_tokens_details"]["cached_tokens"]);
    Usage {
        prompt_tokens: of(["prompt_tokens", "input_tokens"]),
        completion_tokens: of(["completion_tokens", "output_tokens"]),
        reasoning_tokens: count(&usage["completion_tokens_details"]["reasoning_tokens"]),
        cached_tokens: cached.max(count(&usage["prompt_cache_hit_tokens"])),
    }
}

fn count(value: &Value) -> u64 {
    let number = |text: &str| text.trim().parse().ok();
    // Negative and absurd floats saturate, which `as` does.
    let whole = value.as_u64().or_else(|| value.as_f64().map(|number| number as u64));
    whole.or_else(|| value.as_str().and_then(number)).unwrap_or_default()
}

/// A failure that came inside a successful answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WireFailure {
    pub(crate) message: String,
    /// The vendor's word or number, as text.
    pub(crate) code: String,
    pub(crate) status: Option<u16>,
}

impl Chunk<'_> {
    /// The failure this chunk reports, if it does; asked before anything else of it is read.
    pub(crate) fn failure(&self, event_name: &[u8]) -> Option<WireFailure> {
        if is_truthy(&self.error) {
            return Some(self.described(&self.error));
        }
        let choices = self.choices.iter().flat_map(|choices| &choices.0);
        if let Some(choice) = choices.into_iter().find(|choice| is_truthy(&choice.error)) {
            return Some(self.described(&choice.error));
        }
        if self.choices.as_ref().is_some_and(|choices| !choices.0.is_empty()) {
            return None;
        }
        let is_failure = event_name == b"error"
            || self.object.get() == Some("error")
            || self.kind.get() == Some("error")
            || self.status.as_str() == Some("error")
            || self.success == Value::Bool(false)
            || (says_failure(&self.code) && (is_truthy(&self.message) || is_truthy(&self.msg)))
            || is_truthy(&self.error_code);
        if is_failure {
            return Some(self.described(&Value::Null));
        }
        let elsewhere = [self.errors.get(0).unwrap_or(&self.errors), &self.frame["Error"]];
        if let Some(error) = elsewhere.into_iter().find(|error| is_truthy(error)) {
            return Some(self.described(error));
        }
        let status = &self.base_resp["status_code"];
        let message = &self.base_resp["status_msg"];
        is_truthy(status).then(|| failure_of(&[message], &[status]))
    }

    /// A body without choices that says why (`message`, `detail`); used for whole bodies only.
    pub(crate) fn complaint(&self) -> Option<WireFailure> {
        let says_why = [&self.message, &self.msg, &self.detail, &self.title].into_iter().any(is_truthy);
        says_why.then(|| self.described(&Value::Null))
    }

    fn described(&self, error: &Value) -> WireFailure {
        let messages = [
            &error["message"],
            &error["msg"],
            &error["Message"],
            &error["error"]["message"],
            error,
            &self.message,
            &self.msg,
            &self.error_msg,
            &self.detail,
            &self.title,
        ];
        let codes = [
            &error["code"],
            &error["Code"],
            &error["type"],
            &error["status"],
            &error["error"]["code"],
            &self.code,
            &self.error_code,
            &self.status,
        ];
        failure_of(&messages, &codes)
    }
}

/// A code that is no word or number for "all is well".
fn says_failure(code: &Value) -> bool {
    let word = code.as_str().unwrap_or_default().to_ascii_lowercase();
    is_truthy(code) && code.as_u64() != Some(200) && !["0", "200", "ok", "success"].contains(&word.as_str())
}

fn failure_of(messages: &[&Value], codes: &[&Value]) -> WireFailure {
    let message = messages.iter().find_map(|value| value.as_str().filter(|text| !text.trim().is_empty()));
    let fallback = || messages.iter().find(|value| is_truthy(value)).map(ToString::to_string);
    let words = codes.iter().filter_map(|value| match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    let words: Vec<String> = words.collect();
    let status = words.iter().find_map(|word| word.parse().ok().filter(|status| (400..600).contains(status)));
    WireFailure {
        message: message.map(str::to_owned).or_else(fallback).unwrap_or_default(),
        code: words.into_iter().next().unwrap_or_default(),
        status,
    }
}
