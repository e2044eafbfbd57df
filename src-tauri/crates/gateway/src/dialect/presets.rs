//! The table: one entry per vendor, each written as what differs from a plain OpenAI-compatible endpoint.
//!
//! Lines that look arbitrary carry the observed refusal beside them.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::{
    CallIdForm, ContinuationForm, Dialect, Echo, EchoReasoning, MaxTokensKey, ModelRule, SchemaLimits,
    Streaming, ThinkingSwitch, ToolChoiceForm,
};

static TABLE: LazyLock<Vec<Dialect>> = LazyLock::new(|| {
    vec![
        openai(),
        deepseek(),
        qwen(),
        kimi(),
        glm(),
        minimax(),
        hunyuan(),
        codebuddy(),
        mistral(),
        gemini(),
        openrouter(),
        groq(),
        ark(),
        nvidia(),
        ollama(),
        lm_studio(),
        llama_cpp(),
        vllm(),
        other(),
    ]
});

pub(super) fn table() -> &'static [Dialect] {
    &TABLE
}

/// An endpoint of which nothing is known: only keys that every compatible server takes or ignores.
pub(super) fn other() -> Dialect {
    Dialect {
        id: "other".into(),
        name: "Other (OpenAI-compatible)".into(),
        base_url: String::new(),
        hosts: Vec::new(),
        needs_key: false,
        max_tokens: MaxTokensKey::MaxTokens,
        thinking: ThinkingSwitch::default(),
        tool_choice: ToolChoiceForm::FullWithoutThinking,
        parallel_tool_calls: true,
        stream_options: true,
        streaming: Streaming::Both,
        with_tools: Map::new(),
        schema: SchemaLimits::STRICTEST,
        echo: Echo { reasoning: EchoReasoning::Never, fields: Vec::new(), call_extra: true },
        call_ids: CallIdForm::Short,
        continuation: ContinuationForm::Ask,
        user_after_tool: true,
        developer_role: true,
        models: Vec::new(),
    }
}

fn vendor(id: &str, name: &str, base_url: &str, hosts: &[&str]) -> Dialect {
    let hosts = words(hosts);
    Dialect { id: id.into(), name: name.into(), base_url: base_url.into(), hosts, needs_key: true, ..other() }
}

fn local(id: &str, name: &str, base_url: &str, hosts: &[&str]) -> Dialect {
    Dialect { needs_key: false, schema: SchemaLimits::NONE, ..vendor(id, name, base_url, hosts) }
}

fn openai() -> Dialect {
    let effort_none = switch(json!({"reasoning_effort": "none"}), json!({"reasoning_effort": "medium"}));
    let effort_low = ThinkingSwitch {
        always_on: true,
        on_by_default: true,
        ..switch(json!({"reasoning_effort": "low"}), json!({"reasoning_effort": "medium"}))
    };
    // o-series: "Unsupported parameter: 'parallel_tool_calls'".
    let o_series = ModelRule {
        contains: words(&["o1", "o3", "o4"]),
        thinking: Some(effort_low.clone()),
        parallel_tool_calls: Some(false),
        ..ModelRule::default()
    };
    let gpt_5_1 = ModelRule {
        contains: words(&["gpt-5.1", "gpt-5.2", "gpt-5.3", "gpt-5.4", "gpt-5.5", "gpt-5.6"]),
        thinking: Some(effort_none),
        ..ModelRule::default()
    };
    let gpt_5 = ModelRule {
        contains: words(&["gpt-5"]),
        thinking: Some(ThinkingSwitch { off: object(json!({"reasoning_effort": "minimal"})), ..effort_low }),
        ..ModelRule::default()
    };
    Dialect {
        // "Unsupported parameter: 'max_tokens'" from the o-series on; the newer name is taken by all models there.
        max_tokens: MaxTokensKey::MaxCompletionTokens,
        tool_choice: ToolChoiceForm::Full,
        schema: SchemaLimits { root_combinators: false, ..SchemaLimits::NONE },
        models: vec![gpt_5_1, gpt_5, o_series],
        ..vendor("openai", "OpenAI", "https://api.openai.com/v1", &["openai.com", "openai.azure.com"])
    }
}

fn deepseek() -> Dialect {
    let echo = Echo { reasoning: EchoReasoning::WithCalls("reasoning_content".into()), ..other().echo };
    // R1 refuses what V4 demands.
    let reasoner = ModelRule {
        contains: words(&["reasoner", "-r1"]),
        thinking: Some(ThinkingSwitch { always_on: true, on_by_default: true, ..ThinkingSwitch::default() }),
        echo: Some(Echo { reasoning: EchoReasoning::Forbidden, ..other().echo }),
        ..ModelRule::default()
    };
    Dialect {
        thinking: thinking_type(),
        parallel_tool_calls: false,
        schema: SchemaLimits { root_combinators: false, ..SchemaLimits::NONE },
        echo,
        continuation: ContinuationForm::Marked {
            key: "prefix".into(),
            base_url: Some("https://api.deepseek.com/beta".into()),
        },
        models: vec![reasoner],
        ..vendor("deepseek", "DeepSeek", "https://api.deepseek.com/v1", &["deepseek.com"])
    }
}

fn qwen() -> Dialect {
    let hosts = ["aliyuncs.com", "modelscope.cn"];
    Dialect {
        thinking: ThinkingSwitch {
            on_by_default: true,
            ..switch(json!({"enable_thinking": false}), json!({"enable_thinking": true}))
        },
        // "parameter.enable_thinking must be set to false for non-streaming calls".
        streaming: Streaming::BothWithoutThinking,
        schema: SchemaLimits { root_combinators: false, ..SchemaLimits::NONE },
        continuation: ContinuationForm::Marked { key: "partial".into(), base_url: None },
        ..vendor("qwen", "Qwen (DashScope)", "https://dashscope.aliyuncs.com/compatible-mode/v1", &hosts)
    }
}

fn kimi() -> Dialect {
    let keep_all = switch(
        json!({"thinking": {"type": "disabled"}}),
        json!({"thinking": {"type": "enabled", "keep": "all"}}),
    );
    let newer = ModelRule {
        contains: words(&["k2.6", "k2.7", "k3"]),
        thinking: Some(ThinkingSwitch { on_by_default: true, ..keep_all }),
        ..ModelRule::default()
    };
    // The first K2 models do not think and refuse the key.
    let first = ModelRule {
        contains: words(&["k2-0", "k2-turbo", "moonshot-v1"]),
        thinking: Some(ThinkingSwitch::default()),
        ..ModelRule::default()
    };
    Dialect {
        thinking: thinking_type(),
        parallel_tool_calls: false,
        // The coding endpoint refuses `anyOf` beside `type`, boolean schemas and siblings of `$ref`.
        schema: SchemaLimits::STRICTEST,
        echo: Echo { reasoning: EchoReasoning::WithCalls("reasoning_content".into()), ..other().echo },
        call_ids: CallIdForm::NumberedFunction,
        continuation: ContinuationForm::Marked { key: "partial".into(), base_url: None },
        models: vec![newer, first],
        ..vendor(
            "kimi",
            "Kimi (Moonshot)",
            "https://api.moonshot.cn/v1",
            &["moonshot.cn", "moonshot.ai", "kimi.com"],
        )
    }
}

fn glm() -> Dialect {
    let no_off = ModelRule {
        contains: words(&["glm-5.3"]),
        thinking: Some(ThinkingSwitch {
            always_on: true,
            on_by_default: true,
            ..switch(json!({"reasoning_effort": "low"}), json!({"reasoning_effort": "high"}))
        }),
        ..ModelRule::default()
    };
    let keep = switch(
        json!({"thinking": {"type": "disabled"}}),
        json!({"thinking": {"type": "enabled", "clear_thinking": false}}),
    );
    Dialect {
        thinking: ThinkingSwitch { on_by_default: true, ..keep },
        tool_choice: ToolChoiceForm::AutoOnly,
        parallel_tool_calls: false,
        stream_options: false,
        // Without it the arguments come as one piece after minutes of silence.
        with_tools: object(json!({"tool_stream": true})),
        schema: SchemaLimits { root_combinators: false, ..SchemaLimits::NONE },
        echo: Echo { reasoning: EchoReasoning::WithCalls("reasoning_content".into()), ..other().echo },
        models: vec![no_off],
        ..vendor("glm", "GLM (Z.ai, BigModel)", "https://api.z.ai/api/paas/v4", &["z.ai", "bigmodel.cn"])
    }
}

fn minimax() -> Dialect {
    let split = json!({"reasoning_split": true});
    // M2 keeps thinking whatever is sent, and generic thinking flags are to be avoided there.
    let m2 = ModelRule {
        contains: words(&["m2"]),
        thinking: Some(ThinkingSwitch {
            always_on: true,
            on_by_default: true,
            ..switch(split.clone(), split.clone())
        }),
        ..ModelRule::default()
    };
    let adaptive = switch(
        json!({"thinking": {"type": "disabled"}, "reasoning_split": true}),
        json!({"thinking": {"type": "adaptive"}, "reasoning_split": true}),
    );
    Dialect {
        max_tokens: MaxTokensKey::MaxCompletionTokens,
        thinking: ThinkingSwitch { on_by_default: true, ..adaptive },
        tool_choice: ToolChoiceForm::AutoOnly,
        parallel_tool_calls: false,
        with_tools: object(split),
        echo: Echo { fields: words(&["reasoning_details"]), ..other().echo },
        models: vec![m2],
        ..vendor(
            "minimax",
            "MiniMax",
            "https://api.minimax.io/v1",
            &["minimax.io", "minimaxi.com", "minimax.chat"],
        )
    }
}

fn hunyuan() -> Dialect {
    let always = ModelRule {
        contains: words(&["hunyuan-2.0-thinking", "hunyuan-t1", "minimax-m2"]),
        thinking: Some(ThinkingSwitch { always_on: true, on_by_default: true, ..ThinkingSwitch::default() }),
        ..ModelRule::default()
    };
    let a13b = ModelRule {
        contains: words(&["a13b"]),
        thinking: Some(switch(json!({"enable_thinking": false}), json!({"enable_thinking": true}))),
        ..ModelRule::default()
    };
    let plain = ModelRule {
        contains: words(&["hunyuan-turbo", "hunyuan-lite", "hunyuan-standard", "hunyuan-large", "instruct"]),
        thinking: Some(ThinkingSwitch::default()),
        ..ModelRule::default()
    };
    let hosts =
        ["hunyuan.cloud.tencent.com", "lkeap.cloud.tencent.com", "tencentmaas.com", "tencentcloudmaas.com"];
    Dialect {
        thinking: thinking_type(),
        parallel_tool_calls: false,
        models: vec![always, a13b, plain],
        ..vendor("hunyuan", "Tencent Hunyuan", "https://api.hunyuan.cloud.tencent.com/v1", &hosts)
    }
}

fn codebuddy() -> Dialect {
    Dialect {
        // Thinking is off when the key is left out, and there is no value for "off"; 400 code 11101 without a stream.
        thinking: switch(json!({}), json!({"reasoning_effort": "medium", "reasoning_summary": "auto"})),
        parallel_tool_calls: false,
        streaming: Streaming::StreamOnly,
        developer_role: false,
        ..vendor("codebuddy", "Tencent CodeBuddy", "https://copilot.tencent.com/v2", &["copilot.tencent.com"])
    }
}

fn mistral() -> Dialect {
    Dialect {
        tool_choice: ToolChoiceForm::Any,
        // Unknown keys are a 422 here; usage comes unasked in the last chunk.
        stream_options: false,
        call_ids: CallIdForm::NineAlphanumeric,
        continuation: ContinuationForm::Marked { key: "prefix".into(), base_url: None },
        // "Unexpected role 'user' after role 'tool'".
        user_after_tool: false,
        echo: Echo { reasoning: EchoReasoning::Forbidden, call_extra: false, fields: Vec::new() },
        ..vendor("mistral", "Mistral", "https://api.mistral.ai/v1", &["mistral.ai"])
    }
}

fn gemini() -> Dialect {
    let g3 = ModelRule {
        contains: words(&["gemini-3", "2.5-pro"]),
        thinking: Some(ThinkingSwitch {
            always_on: true,
            on_by_default: true,
            ..switch(json!({"reasoning_effort": "low"}), json!({"reasoning_effort": "medium"}))
        }),
        ..ModelRule::default()
    };
    let base_url = "https://generativelanguage.googleapis.com/v1beta/openai";
    Dialect {
        thinking: ThinkingSwitch {
            on_by_default: true,
            ..switch(json!({"reasoning_effort": "none"}), json!({"reasoning_effort": "medium"}))
        },
        tool_choice: ToolChoiceForm::Full,
        parallel_tool_calls: false,
        continuation: ContinuationForm::Ask,
        models: vec![g3],
        ..vendor("gemini", "Gemini (compatible)", base_url, &["generativelanguage.googleapis.com"])
    }
}

fn openrouter() -> Dialect {
    Dialect {
        thinking: switch(json!({"reasoning": {"enabled": false}}), json!({"reasoning": {"enabled": true}})),
        echo: Echo { fields: words(&["reasoning_details"]), ..other().echo },
        ..vendor("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", &["openrouter.ai"])
    }
}

fn groq() -> Dialect {
    let qwen = ModelRule {
        contains: words(&["qwen3"]),
        thinking: Some(ThinkingSwitch {
            on_by_default: true,
            ..switch(json!({"reasoning_effort": "none"}), json!({"reasoning_effort": "default"}))
        }),
        ..ModelRule::default()
    };
    let gpt_oss = ModelRule {
        contains: words(&["gpt-oss"]),
        thinking: Some(ThinkingSwitch {
            always_on: true,
            on_by_default: true,
            ..switch(json!({"reasoning_effort": "low"}), json!({"reasoning_effort": "medium"}))
        }),
        ..ModelRule::default()
    };
    Dialect {
        tool_choice: ToolChoiceForm::Full,
        schema: SchemaLimits::NONE,
        models: vec![qwen, gpt_oss],
        ..vendor("groq", "Groq", "https://api.groq.com/openai/v1", &["groq.com"])
    }
}

fn ark() -> Dialect {
    let base_url = "https://ark.cn-beijing.volces.com/api/v3";
    Dialect {
        thinking: thinking_type(),
        parallel_tool_calls: false,
        ..vendor("ark", "Volcengine Ark", base_url, &["volces.com", "bytepluses.com"])
    }
}

fn nvidia() -> Dialect {
    Dialect {
        thinking: thinking_type(),
        parallel_tool_calls: false,
        ..vendor("nvidia", "NVIDIA NIM", "https://integrate.api.nvidia.com/v1", &["api.nvidia.com"])
    }
}

fn ollama() -> Dialect {
    Dialect {
        thinking: switch(json!({"reasoning_effort": "none"}), json!({"reasoning_effort": "medium"})),
        tool_choice: ToolChoiceForm::AutoOnly,
        ..local("ollama", "Ollama", "http://localhost:11434/v1", &["localhost:11434", "ollama.com"])
    }
}

fn lm_studio() -> Dialect {
    local("lmstudio", "LM Studio", "http://localhost:1234/v1", &["localhost:1234"])
}

fn llama_cpp() -> Dialect {
    Dialect {
        thinking: template_switch(),
        ..local("llamacpp", "llama.cpp", "http://localhost:8080/v1", &["localhost:8080"])
    }
}

fn vllm() -> Dialect {
    Dialect {
        thinking: template_switch(),
        continuation: ContinuationForm::ContinueFinalMessage,
        ..local("vllm", "vLLM / SGLang", "http://localhost:8000/v1", &["localhost:8000", "localhost:30000"])
    }
}

/// `thinking: {type}`, on unless it is switched off.
fn thinking_type() -> ThinkingSwitch {
    let keys = switch(json!({"thinking": {"type": "disabled"}}), json!({"thinking": {"type": "enabled"}}));
    ThinkingSwitch { on_by_default: true, ..keys }
}

/// The chat template's own argument; templates without it ignore it.
fn template_switch() -> ThinkingSwitch {
    switch(
        json!({"chat_template_kwargs": {"enable_thinking": false}}),
        json!({"chat_template_kwargs": {"enable_thinking": true}}),
    )
}

fn switch(off: Value, on: Value) -> ThinkingSwitch {
    ThinkingSwitch { off: object(off), on: object(on), always_on: false, on_by_default: false }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}
