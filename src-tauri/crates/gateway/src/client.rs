//! The in-process path: one client per endpoint, one call per turn.

use std::sync::Arc;
use std::time::Instant;

use reqwest::redirect::Policy;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::endpoint::{Endpoint, Limits};
use crate::error::{ErrorCode, GatewayError};
use crate::learned::Learned;
use crate::message::{AssistantMessage, ChatRequest};
use crate::outcome::{Delta, TurnOutcome};
use crate::turn::ask::Ask;
use crate::turn::attempt::{Wire, network_fault, own_headers};
use crate::turn::engine::{self, Turned};

/// Connections to one endpoint. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    endpoint: Arc<Endpoint>,
    limits: Arc<Limits>,
    learned: Arc<Learned>,
}

impl Client {
    /// A client with default limits that has learnt nothing yet.
    pub fn new(endpoint: Endpoint) -> Result<Client, GatewayError> {
        Client::with(endpoint, Limits::default(), Arc::new(Learned::default()))
    }

    /// A client that shares what was learnt about endpoints.
    pub fn with(endpoint: Endpoint, limits: Limits, learned: Arc<Learned>) -> Result<Client, GatewayError> {
        let url = endpoint.url("")?;
        let http = http_client(&url, &limits)?;
        Ok(Client { http, endpoint: Arc::new(endpoint), limits: Arc::new(limits), learned })
    }

    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub fn learned(&self) -> &Arc<Learned> {
        &self.learned
    }
}

/// Runs one turn. Deltas are for showing and may be void until the turn is whole; only the outcome holds calls, and only whole ones.
/// Dropping the future or cancelling the token ends the request at once.
pub async fn complete(
    client: &Client,
    request: &ChatRequest,
    on_delta: &mut (dyn FnMut(Delta) + Send),
    cancel: &CancellationToken,
) -> Result<TurnOutcome, GatewayError> {
    let endpoint = &*client.endpoint;
    let ask = Ask::from_request(request, endpoint);
    if let Some(tool) = request
        .tools
        .iter()
        .find(|tool| ask.tools.get(&tool.name).is_none_or(|tool| !tool.has_usable_schema()))
    {
        let message = format!("the schema of the tool \"{}\" is not valid", tool.name);
        return Err(GatewayError::new(ErrorCode::InvalidSchema, message));
    }
    let wire = Wire { http: &client.http, endpoint, limits: &client.limits, cancel };
    match engine::run(wire, &ask, &client.learned, on_delta).await {
        Ok(turned) => Ok(outcome(turned, endpoint)),
        Err(unmade) => Err(scrubbed(unmade.error, endpoint)),
    }
}

/// The ids of the models that the endpoint offers, sorted.
pub async fn list_models(client: &Client, cancel: &CancellationToken) -> Result<Vec<String>, GatewayError> {
    let endpoint = &*client.endpoint;
    let request = client.http.get(endpoint.url("models")?).headers(own_headers(endpoint));
    let deadline = Instant::now() + client.limits.idle;
    let fetched = async {
        let response = request.send().await?;
        let status = response.status();
        response.bytes().await.map(|body| (status, body))
    };
    let answer = tokio::select! {
        () = cancel.cancelled() => return Err(GatewayError::new(ErrorCode::Cancelled, "cancelled")),
        answer = tokio::time::timeout_at(deadline.into(), fetched) => answer,
    };
    let (status, body) = match answer {
        Err(_) => {
            return Err(GatewayError::new(ErrorCode::TimeoutIdle, "the endpoint did not answer in time"));
        }
        Ok(Err(error)) => {
            let fault = network_fault(&error);
            return Err(scrubbed(GatewayError::new(fault.code, fault.message), endpoint));
        }
        Ok(Ok(answer)) => answer,
    };
    if !status.is_success() {
        let headers = reqwest::header::HeaderMap::new();
        let now = std::time::SystemTime::now();
        let fault =
            crate::turn::upstream_error::Refusal::new(status.as_u16(), &headers, body.to_vec(), now).fault();
        let error = GatewayError::new(fault.code, fault.message).with_status(status.as_u16());
        return Err(scrubbed(error, endpoint));
    }
    let not_a_list =
        || GatewayError::new(ErrorCode::NotAStream, "the endpoint's answer is no list of models");
    let list: Value = serde_json::from_slice(&body).map_err(|_| not_a_list())?;
    let models = list.get("data").or(Some(&list)).and_then(Value::as_array).ok_or_else(not_a_list)?;
    let mut ids: Vec<String> =
        models.iter().filter_map(|model| model.get("id")?.as_str().map(str::to_owned)).collect();
    ids.sort();
    Ok(ids)
}

fn outcome(turned: Turned, endpoint: &Endpoint) -> TurnOutcome {
    let opaque = engine::opaque_fields(&turned.turn);
    TurnOutcome {
        message: AssistantMessage {
            text: turned.good.text,
            tool_calls: turned.good.calls,
            reasoning: turned.turn.reasoning,
            opaque,
            origin: endpoint.dialect.id.clone(),
        },
        finish: turned.good.finish,
        usage: turned.usage,
        model: turned.turn.model,
        repairs: turned.good.repairs,
        retries: turned.retries,
        continuation: turned.continuation,
        rejected_keys: turned.rejected_keys,
    }
}

fn scrubbed(mut error: GatewayError, endpoint: &Endpoint) -> GatewayError {
    if let Some(key) = &endpoint.key {
        error.message = key.scrub(&error.message);
    }
    error
}

/// The HTTP client for one address. Bodies stay as they are (no automatic decompression), redirects are not followed because the
/// key would go with them, and a server on this machine is never reached through the system's proxy.
pub(crate) fn http_client(url: &reqwest::Url, limits: &Limits) -> Result<reqwest::Client, GatewayError> {
    let is_local = match url.host_str().map(|host| host.trim_matches(['[', ']'])) {
        Some("localhost") => true,
        Some(host) => host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback()),
        None => false,
    };
    let builder = reqwest::Client::builder()
        .user_agent(concat!("stet/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(limits.connect)
        .tcp_nodelay(true)
        .pool_max_idle_per_host(64)
        .redirect(Policy::none());
    let builder = if is_local { builder.no_proxy() } else { builder };
    builder
        .build()
        .map_err(|_| GatewayError::new(ErrorCode::TlsFailed, "the system's certificates cannot be read"))
}
