//! Where a model is reached, and how long we wait for it.

use std::fmt;
use std::time::Duration;

use crate::dialect::Dialect;
use crate::error::{ErrorCode, GatewayError};
use crate::secret::Secret;

/// One model at one address.
#[derive(Clone)]
pub struct Endpoint {
    /// Up to and including the version, as vendors print it: `https://api.example.com/v1`.
    pub base_url: String,
    /// None for servers on this machine that want no key.
    pub key: Option<Secret>,
    pub model: String,
    pub dialect: Dialect,
    /// Further headers (an organisation, an application name).
    pub headers: Vec<(String, String)>,
}

/// Header values may be secrets too, so only their names are printed.
impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        formatter
            .debug_struct("Endpoint")
            .field("base_url", &without_userinfo(&self.base_url))
            .field("key", &self.key)
            .field("model", &self.model)
            .field("dialect", &self.dialect.id)
            .field("headers", &names)
            .finish()
    }
}

/// An address may carry a name and password before its host.
fn without_userinfo(address: &str) -> String {
    match (address.split_once("://"), address.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        _ => address.to_owned(),
    }
}

impl Endpoint {
    /// An endpoint whose dialect is recognised by its address and model.
    pub fn new(base_url: impl Into<String>, key: Option<Secret>, model: impl Into<String>) -> Endpoint {
        let (base_url, model) = (base_url.into(), model.into());
        let dialect = Dialect::recognise(&base_url, &model);
        Endpoint { base_url, key, model, dialect, headers: Vec::new() }
    }

    /// The full address of a path below the base; a base that already ends in the chat path is understood.
    pub(crate) fn url(&self, path: &str) -> Result<reqwest::Url, GatewayError> {
        let base = self.base_url.trim().trim_end_matches('/').trim_end_matches("/chat/completions");
        let invalid =
            || GatewayError::new(ErrorCode::InvalidEndpoint, "the endpoint's address is not an http(s) URL");
        let url = reqwest::Url::parse(&format!("{base}/{path}")).map_err(|_| invalid())?;
        let is_web = matches!(url.scheme(), "http" | "https") && url.host_str().is_some();
        if is_web { Ok(url) } else { Err(invalid()) }
    }
}

/// Time and size limits, and how often to try again.
#[derive(Clone, Debug)]
pub struct Limits {
    pub connect: Duration,
    /// Longest silence on the wire in a text turn; comments count as life.
    pub idle: Duration,
    /// The same in a tool turn: some endpoints are silent for minutes and then send all arguments at once.
    pub idle_tools: Duration,
    /// Longest tool turn, all of one attempt.
    pub total_tools: Duration,
    /// Longest wait for `[DONE]` or usage after a finish reason.
    pub grace: Duration,
    /// Silent retries of a turn that was not whole.
    pub repairs: u32,
    /// Retries of connections and rate limits, counted apart.
    pub transport_retries: u32,
    /// First wait between transport retries; it doubles.
    pub backoff: Duration,
    /// Longest `Retry-After` that is obeyed; a longer one is handed to the caller.
    pub retry_after_cap: Duration,
    /// Longest single line of a stream.
    pub line_bytes: usize,
    /// Longest answer.
    pub answer_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connect: Duration::from_secs(15),
            idle: Duration::from_secs(120),
            idle_tools: Duration::from_secs(300),
            total_tools: Duration::from_secs(900),
            grace: Duration::from_secs(2),
            repairs: 2,
            transport_retries: 2,
            backoff: Duration::from_millis(500),
            retry_after_cap: Duration::from_secs(60),
            line_bytes: 16 << 20,
            answer_bytes: 64 << 20,
        }
    }
}
