//! `models.list` and `models.test`: what an endpoint offers, and whether it really answers.
//!
//! Both ask the endpoint itself. Nothing is answered from memory, and what fails is told with the gateway's own code as the cause.

use std::{future::Future, pin::pin, sync::Arc, time::Duration};

use gateway::{
    CancellationToken, ChatRequest, Client, Endpoint, GatewayError, Limits, Message, Params, Thinking, Tool,
    Usage, complete, list_models,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use ts_rs::TS;

use super::{App, AppError, error::ErrorCode};
use crate::{
    settings::{Provider, Settings},
    workspace::Stop,
};

/// A provider of the settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ModelsOf {
    pub provider: String,
}

/// What the endpoint offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ModelsAnswer {
    pub ok: bool,
    pub provider: String,
    /// The names to use in `provider/model`, sorted.
    pub models: Vec<String>,
}

/// Which model to try.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct ModelTest {
    pub provider: String,
    /// The provider's first model of the settings when absent, else the first that the endpoint offers.
    pub model: Option<String>,
}

/// What the model really answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct ModelTestAnswer {
    pub ok: bool,
    pub provider: String,
    pub model: String,
    /// The model's words, as they came.
    pub answer: String,
    /// From the request to the whole answer.
    pub milliseconds: u64,
    /// It made a whole tool call when it was asked for one; without that it cannot edit by tools.
    pub calls_tools: bool,
    /// Why there was no whole call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tools_problem: Option<String>,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
}

/// A test is over sooner than a turn would be.
fn test_limits() -> Limits {
    Limits {
        idle: Duration::from_secs(45),
        idle_tools: Duration::from_secs(45),
        total_tools: Duration::from_secs(60),
        repairs: 0,
        transport_retries: 0,
        ..Limits::default()
    }
}

/// Enough for one word and some thinking that cannot be switched off.
const TEST_TOKENS: u32 = 1_024;

impl App {
    /// The models that the endpoint of a provider offers now.
    pub fn models_list(&self, params: &ModelsOf, stop: &Stop) -> Result<ModelsAnswer, AppError> {
        let settings = self.settings_get()?;
        let endpoint = self.endpoint_of(provider_of(&settings, &params.provider)?, "")?;
        let client = Client::with(endpoint, test_limits(), Arc::default()).map_err(told)?;
        let models = wait_for(stop, |cancel| async move { list_models(&client, &cancel).await })?;
        Ok(ModelsAnswer { ok: true, provider: params.provider.clone(), models })
    }

    /// Asks a model for a word, and then for a tool call.
    pub fn models_test(&self, params: &ModelTest, stop: &Stop) -> Result<ModelTestAnswer, AppError> {
        let settings = self.settings_get()?;
        let provider = provider_of(&settings, &params.provider)?;
        let model = match params.model.as_ref().or(provider.models.first()) {
            Some(model) => model.clone(),
            None => self.first_offered(&params.provider, stop)?,
        };
        let endpoint = self.endpoint_of(provider, &model)?;
        let client = Client::with(endpoint, test_limits(), Arc::default()).map_err(told)?;
        let started = std::time::Instant::now();
        let asked = client.clone();
        let said =
            wait_for(stop, |cancel| async move { complete(&asked, &word(), &mut |_| {}, &cancel).await })?;
        let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let called =
            wait_for(stop, |cancel| async move { complete(&client, &call(), &mut |_| {}, &cancel).await });
        stop.check()?;
        let tools_problem = match &called {
            Ok(turn) if turn.message.tool_calls.is_empty() => {
                Some("The model answered with text when it was asked for a tool call.".to_owned())
            }
            Ok(_) => None,
            Err(error) => Some(error.message.clone()),
        };
        let usage = [said.usage, called.as_ref().ok().and_then(|turn| turn.usage)];
        let sum = |count: fn(&Usage) -> u64| {
            usage.iter().flatten().map(count).fold(0, |sum: u64, more| sum.saturating_add(more))
        };
        Ok(ModelTestAnswer {
            ok: true,
            provider: params.provider.clone(),
            model,
            answer: said.message.text,
            milliseconds,
            calls_tools: tools_problem.is_none(),
            tools_problem,
            prompt_tokens: sum(|usage| usage.prompt_tokens),
            completion_tokens: sum(|usage| usage.completion_tokens),
        })
    }

    fn first_offered(&self, provider: &str, stop: &Stop) -> Result<String, AppError> {
        let offered = self.models_list(&ModelsOf { provider: provider.to_owned() }, stop)?;
        offered.models.into_iter().next().ok_or_else(|| {
            AppError::invalid_arguments("The endpoint offers no model.")
                .hint("Write the name of a model into the provider's settings.")
        })
    }

    /// A provider's endpoint for one model, with its key.
    pub(crate) fn endpoint_of(&self, provider: &Provider, model: &str) -> Result<Endpoint, AppError> {
        let key = self.secrets.key(&provider.id)?;
        if provider.needs_key && key.is_none() {
            let message = format!("The provider {} has no key.", provider.name);
            return Err(endpoint_error(gateway::ErrorCode::Unauthorized, message)
                .hint("Set its key in the settings, or with `stet key set`."));
        }
        let mut endpoint = Endpoint::new(&provider.base_url, key, model);
        if let Some(dialect) = provider.dialect.as_deref().and_then(gateway::Dialect::preset) {
            endpoint.dialect = dialect.for_model(model);
        }
        endpoint.headers = provider.headers.clone();
        Ok(endpoint)
    }
}

/// The provider of this id.
pub(super) fn provider_of<'s>(settings: &'s Settings, id: &str) -> Result<&'s Provider, AppError> {
    settings
        .providers
        .iter()
        .find(|known| known.id == id)
        .ok_or_else(|| AppError::invalid_arguments(format!("There is no provider `{id}` in the settings.")))
}

/// An endpoint's failure in the contract's words.
pub(crate) fn endpoint_error(cause: gateway::ErrorCode, message: impl Into<String>) -> AppError {
    use gateway::ErrorCode as Cause;
    let code = match cause {
        Cause::Cancelled => ErrorCode::Cancelled,
        Cause::TimeoutConnect | Cause::TimeoutIdle | Cause::TimeoutTotal => ErrorCode::Timeout,
        Cause::InvalidEndpoint | Cause::InvalidSchema => ErrorCode::Internal,
        _ => ErrorCode::IoError,
    };
    let hint = match cause {
        Cause::Unauthorized => Some("Set the key of this endpoint in the settings."),
        Cause::ConnectFailed => Some("Check the address of the endpoint and that it runs."),
        Cause::TlsFailed => Some("Check the address of the endpoint; its certificate is not trusted here."),
        Cause::QuotaExhausted => Some("The account of this endpoint has no quota left."),
        _ => None,
    };
    let error = AppError { cause: Some(cause.as_str().to_owned()), ..AppError::new(code, message) };
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

pub(super) fn told(error: GatewayError) -> AppError {
    endpoint_error(error.code, super::error::sentence(&error.message))
}

/// Runs work of the network on the host's runtime; `stop` cancels it.
fn wait_for<T, F>(stop: &Stop, work: impl FnOnce(CancellationToken) -> F) -> Result<T, AppError>
where
    F: Future<Output = Result<T, GatewayError>>,
{
    let cancel = CancellationToken::new();
    let work = work(cancel.clone());
    let done = runtime()?.block_on(async {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                done = &mut work => break done,
                () = tokio::time::sleep(Duration::from_millis(50)) => {}
            }
            if stop.is_set() {
                cancel.cancel();
            }
        }
    });
    match (done, stop.reason()) {
        (Ok(done), _) => Ok(done),
        (Err(error), Some(reason)) if error.code == gateway::ErrorCode::Cancelled => Err(reason.into()),
        (Err(error), _) => Err(told(error)),
    }
}

/// The runtime of the host. Commands run on its blocking threads, where waiting is allowed.
pub(super) fn runtime() -> Result<tokio::runtime::Handle, AppError> {
    tokio::runtime::Handle::try_current()
        .map_err(|_| AppError::new(ErrorCode::Internal, "This command needs the runtime of its host."))
}

fn word() -> ChatRequest {
    ChatRequest {
        messages: vec![Message::user("This is a test of the connection. Answer with the one word: ready")],
        params: small(),
        ..ChatRequest::default()
    }
}

fn call() -> ChatRequest {
    let tool = Tool {
        name: "report_ready".into(),
        description: "Reports that tool calls work.".into(),
        parameters: json!({"type": "object", "additionalProperties": false, "required": ["word"],
            "properties": {"word": {"type": "string", "description": "The word: ready"}}}),
        accepts: None,
    };
    ChatRequest {
        messages: vec![Message::user("Call the tool report_ready with the word: ready")],
        tools: vec![tool],
        params: small(),
    }
}

fn small() -> Params {
    Params { max_tokens: Some(TEST_TOKENS), thinking: Thinking::Off, ..Params::default() }
}
