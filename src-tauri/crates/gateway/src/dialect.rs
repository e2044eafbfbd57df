//! What one vendor's wire accepts and how it spells things, as data.
//!
//! A dialect holds no code: `request` reads it to write a request, `retry` and `continuation` to know what may be tried. The table of
//! presets is in `presets`; a settings file may hold a changed copy. Where the facts come from: the public documentation of each
//! vendor and reports of what their endpoints refuse. An endpoint that refuses one of our optional keys anyway is learnt at run time
//! (`learned`), so a wrong line here costs one request, not a broken turn.

mod presets;
mod schema;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use schema::{SchemaProblem, check_tool};

use crate::message::Thinking;

/// One vendor's wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dialect {
    /// Stable word for settings: `deepseek`.
    pub id: String,
    /// As people write it.
    pub name: String,
    /// Where it is usually served; empty: the user must say.
    pub base_url: String,
    /// The host ends in one of these, or host and port are one of these.
    pub hosts: Vec<String>,
    pub needs_key: bool,
    pub max_tokens: MaxTokensKey,
    pub thinking: ThinkingSwitch,
    pub tool_choice: ToolChoiceForm,
    /// The endpoint knows `parallel_tool_calls`.
    pub parallel_tool_calls: bool,
    /// The endpoint knows `stream_options.include_usage`.
    pub stream_options: bool,
    pub streaming: Streaming,
    /// Keys that every request with tools carries.
    pub with_tools: Map<String, Value>,
    pub schema: SchemaLimits,
    pub echo: Echo,
    pub call_ids: CallIdForm,
    pub continuation: ContinuationForm,
    /// A user message may follow a tool result.
    pub user_after_tool: bool,
    /// The endpoint knows the role `developer`; else it is sent as `system`.
    pub developer_role: bool,
    /// Where a model of this vendor differs; the first rule that fits is applied.
    pub models: Vec<ModelRule>,
}

/// The one name of the output limit; both at once are refused by some endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensKey {
    MaxTokens,
    MaxCompletionTokens,
}

impl MaxTokensKey {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            MaxTokensKey::MaxTokens => "max_tokens",
            MaxTokensKey::MaxCompletionTokens => "max_completion_tokens",
        }
    }

    pub(crate) fn other(self) -> MaxTokensKey {
        match self {
            MaxTokensKey::MaxTokens => MaxTokensKey::MaxCompletionTokens,
            MaxTokensKey::MaxCompletionTokens => MaxTokensKey::MaxTokens,
        }
    }
}

/// The body keys that turn thinking off and on; empty where the vendor has no such key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThinkingSwitch {
    pub off: Map<String, Value>,
    pub on: Map<String, Value>,
    /// Thinking stays on whatever is sent.
    pub always_on: bool,
    /// What the endpoint does when neither is sent.
    pub on_by_default: bool,
}

/// How a call is demanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoiceForm {
    /// `auto`, `none`, `required` and a named function.
    Full,
    /// The same, but `required` and a named function only while thinking is off.
    FullWithoutThinking,
    /// `required` is spelled `any`.
    Any,
    /// Only `auto`: the key is left out.
    AutoOnly,
}

/// Which of the two answer forms the endpoint has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Streaming {
    Both,
    /// Without a stream, thinking must be off.
    BothWithoutThinking,
    StreamOnly,
}

/// What the endpoint's JSON schema reader refuses in tool parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaLimits {
    /// `oneOf`, `anyOf`, `allOf`, `enum`, `not`, `const` at the root.
    pub root_combinators: bool,
    /// The same below the root.
    pub nested_combinators: bool,
    pub non_string_enums: bool,
    pub type_lists: bool,
    pub references: bool,
    pub boolean_schemas: bool,
    pub formats: bool,
}

impl SchemaLimits {
    /// Everything that JSON schema has.
    pub const NONE: SchemaLimits = SchemaLimits {
        root_combinators: true,
        nested_combinators: true,
        non_string_enums: true,
        type_lists: true,
        references: true,
        boolean_schemas: true,
        formats: true,
    };

    /// What passes at every vendor.
    pub const STRICTEST: SchemaLimits = SchemaLimits {
        root_combinators: false,
        nested_combinators: false,
        non_string_enums: false,
        type_lists: false,
        references: false,
        boolean_schemas: false,
        formats: false,
    };
}

/// What of an answer must come back in the next request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Echo {
    pub reasoning: EchoReasoning,
    /// Opaque message fields by name (`reasoning_details`).
    pub fields: Vec<String>,
    /// Unknown keys of calls (thought signatures).
    pub call_extra: bool,
}

/// Whether the thinking text is sent back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EchoReasoning {
    /// We do not send it.
    #[default]
    Never,
    /// Refused: it is taken out of a proxy client's messages too.
    Forbidden,
    /// With every assistant message that has calls, under this name; an empty text if there was none.
    WithCalls(String),
}

/// The form that call ids must have in history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallIdForm {
    /// At most 64 characters.
    Short,
    /// Exactly nine letters or digits.
    NineAlphanumeric,
    /// `functions.{name}:{n}` with n counting over the conversation; other forms make the model write markers into text.
    NumberedFunction,
}

/// How the tail of a cut-off JSON text can be asked for. No endpoint can continue inside `tool_calls`; all of these continue text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContinuationForm {
    None,
    /// The last message is the assistant's, marked with this boolean key; the path part replaces the version of the base.
    Marked {
        key: String,
        base_url: Option<String>,
    },
    /// `continue_final_message: true`, `add_generation_prompt: false`.
    ContinueFinalMessage,
    /// A user message that asks for the rest.
    Ask,
}

/// Where one model differs from its vendor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelRule {
    /// The model's name contains one of these (lower case).
    pub contains: Vec<String>,
    pub max_tokens: Option<MaxTokensKey>,
    pub thinking: Option<ThinkingSwitch>,
    pub tool_choice: Option<ToolChoiceForm>,
    pub parallel_tool_calls: Option<bool>,
    pub streaming: Option<Streaming>,
    pub echo: Option<Echo>,
    pub call_ids: Option<CallIdForm>,
    pub schema: Option<SchemaLimits>,
}

impl Dialect {
    /// Every preset, in the order in which a chooser shows them; `other` is the last.
    pub fn presets() -> &'static [Dialect] {
        presets::table()
    }

    /// The preset of this id.
    pub fn preset(id: &str) -> Option<Dialect> {
        Dialect::presets().iter().find(|dialect| dialect.id == id).cloned()
    }

    /// The preset for an address, with the model's own rules applied; `other` when the address is not known.
    pub fn recognise(base_url: &str, model: &str) -> Dialect {
        let address = address_of(base_url);
        let known = Dialect::presets().iter().find(|dialect| dialect.serves(&address));
        known.cloned().unwrap_or_else(presets::other).for_model(model)
    }

    /// This dialect as one model speaks it.
    pub fn for_model(mut self, model: &str) -> Dialect {
        let model = model.to_lowercase();
        let fits = |rule: &&ModelRule| rule.contains.iter().any(|part| model.contains(part.as_str()));
        let Some(rule) = self.models.iter().find(fits).cloned() else { return self };
        self.max_tokens = rule.max_tokens.unwrap_or(self.max_tokens);
        self.thinking = rule.thinking.unwrap_or(self.thinking);
        self.tool_choice = rule.tool_choice.unwrap_or(self.tool_choice);
        self.parallel_tool_calls = rule.parallel_tool_calls.unwrap_or(self.parallel_tool_calls);
        self.streaming = rule.streaming.unwrap_or(self.streaming);
        self.echo = rule.echo.unwrap_or(self.echo);
        self.call_ids = rule.call_ids.unwrap_or(self.call_ids);
        self.schema = rule.schema.unwrap_or(self.schema);
        self
    }

    /// Whether mutually exclusive tool forms can be one schema with `oneOf` (else: two tools).
    pub fn takes_one_of(&self) -> bool {
        self.schema.root_combinators
    }

    /// Whether the model will think when asked in this way.
    pub(crate) fn thinks(&self, wanted: Thinking) -> bool {
        match wanted {
            _ if self.thinking.always_on => true,
            Thinking::Default => self.thinking.on_by_default,
            Thinking::Off => false,
            Thinking::On => !self.thinking.on.is_empty() || self.thinking.on_by_default,
        }
    }

    fn serves(&self, address: &str) -> bool {
        self.hosts.iter().any(|host| {
            let without_port = address.split(':').next().unwrap_or_default();
            let is_below = without_port.strip_suffix(host.as_str()).is_some_and(|rest| rest.ends_with('.'));
            address == host || without_port == host || is_below || is_local_port(address, host)
        })
    }
}

/// `host:port` of an address, in lower case, with `localhost` for every name of this machine.
fn address_of(base_url: &str) -> String {
    let lower = base_url.trim().to_lowercase();
    let rest = lower.split_once("://").map_or(lower.as_str(), |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    for local in ["127.0.0.1", "[::1]", "0.0.0.0"] {
        if let Some(port) = host.strip_prefix(local) {
            return format!("localhost{port}");
        }
    }
    host.to_owned()
}

/// A local server is known by its usual port, on this machine or on another one of the house.
fn is_local_port(address: &str, host: &str) -> bool {
    let port = host.strip_prefix("localhost:");
    port.is_some_and(|port| address.rsplit_once(':').is_some_and(|(_, candidate)| candidate == port))
}

#[cfg(test)]
mod tests {
    use super::{Dialect, EchoReasoning, MaxTokensKey};

    #[track_caller]
    fn check(base_url: &str, model: &str, expected: &str) {
        assert_eq!(Dialect::recognise(base_url, model).id, expected, "{base_url}");
    }

    #[test]
    fn addresses_are_recognised() {
        check("https://api.openai.com/v1", "gpt-5", "openai");
        check("https://api.deepseek.com", "deepseek-v4", "deepseek");
        check("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen-max", "qwen");
        check("https://api.moonshot.cn/v1", "kimi-k3", "kimi");
        check("https://api.kimi.com/coding/v1", "kimi-k3", "kimi");
        check("https://open.bigmodel.cn/api/paas/v4", "glm-5.3", "glm");
        check("https://api.z.ai/api/paas/v4", "glm-5.3", "glm");
        check("https://api.minimaxi.com/v1", "MiniMax-M3", "minimax");
        check("https://api.hunyuan.cloud.tencent.com/v1", "hunyuan-turbos-latest", "hunyuan");
        check("https://copilot.tencent.com/v2", "auto", "codebuddy");
        check("https://api.mistral.ai/v1", "mistral-large", "mistral");
        check("https://generativelanguage.googleapis.com/v1beta/openai/", "gemini-3-flash", "gemini");
        check("https://openrouter.ai/api/v1", "x/y", "openrouter");
        check("https://api.groq.com/openai/v1", "qwen/qwen3-32b", "groq");
        check("http://127.0.0.1:11434/v1", "llama", "ollama");
        check("http://192.168.1.7:11434/v1", "llama", "ollama");
        check("http://localhost:1234/v1", "x", "lmstudio");
        check("http://[::1]:8080/v1", "x", "llamacpp");
        check("http://localhost:8000/v1", "x", "vllm");
        check("https://example.com/v1", "x", "other");
        check("https://api.openai.com.example.com/v1", "x", "other");
        check("https://notopenai.com/v1", "x", "other");
    }

    #[test]
    fn a_models_own_rule_wins() {
        let glm = Dialect::recognise("https://api.z.ai/api/paas/v4", "GLM-5.3");
        assert!(glm.thinking.always_on, "GLM-5.3 cannot stop thinking");
        let v4 = Dialect::recognise("https://api.deepseek.com", "deepseek-v4-pro");
        assert_eq!(v4.echo.reasoning, EchoReasoning::WithCalls("reasoning_content".into()));
        let r1 = Dialect::recognise("https://api.deepseek.com", "deepseek-reasoner");
        assert_eq!(r1.echo.reasoning, EchoReasoning::Forbidden);
        assert_eq!(
            Dialect::recognise("https://api.openai.com/v1", "o4-mini").max_tokens,
            MaxTokensKey::MaxCompletionTokens
        );
    }

    #[test]
    fn the_table_is_well_formed() {
        let presets = Dialect::presets();
        let ids: std::collections::BTreeSet<_> = presets.iter().map(|dialect| dialect.id.as_str()).collect();
        assert_eq!(ids.len(), presets.len(), "ids are unique");
        for wanted in [
            "openai",
            "deepseek",
            "qwen",
            "kimi",
            "glm",
            "minimax",
            "hunyuan",
            "codebuddy",
            "mistral",
            "gemini",
            "openrouter",
            "groq",
            "ollama",
            "lmstudio",
            "llamacpp",
            "vllm",
            "other",
        ] {
            assert!(ids.contains(wanted), "{wanted}");
        }
        for dialect in presets {
            let text = serde_json::to_string(dialect).unwrap();
            assert_eq!(&serde_json::from_str::<Dialect>(&text).unwrap(), dialect, "survives settings");
            assert!(
                dialect.id == "other" || !dialect.hosts.is_empty(),
                "{} is found by its address",
                dialect.id
            );
        }
    }
}
