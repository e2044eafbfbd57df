//! `proxy.start`, `proxy.stop`, `proxy.status`: the validating proxy (CONTRACT, section 8) inside the app, for other programs.
//!
//! Nothing listens until it is started, and then only on this machine. The token stays the same from start to start, so that a client
//! is set up once; it lies in the keychain like a key.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use gateway::proxy::{ProxyError, ProxyHandle, ProxyOptions, ProxyToken, serve};
use serde::{Deserialize, Serialize};
use serde_json::json;
use ts_rs::TS;

use super::{
    App, AppError,
    error::ErrorCode,
    models_api::{provider_of, runtime, told},
};

/// The keychain's name for the token; no provider can have a blank in its id.
const TOKEN_ENTRY: &str = "proxy token";

/// The port when none is asked for, so that clients find the proxy again.
const USUAL_PORT: u16 = 8_790;

/// Running answers may end within this time.
const GRACE: Duration = Duration::from_secs(3);

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct ProxyStart {
    /// The provider of the settings whose endpoint answers.
    pub provider: String,
    /// 8790 when absent; 0 takes a free one.
    pub port: Option<u16>,
    /// Makes a new token; clients with the old one are refused from then on.
    pub new_token: Option<bool>,
}

/// How the proxy stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct ProxyStatus {
    pub ok: bool,
    pub running: bool,
    /// The base address for clients: `http://127.0.0.1:8790/v1`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub url: Option<String>,
    /// What clients send as their key.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub provider: Option<String>,
    /// The endpoint behind it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub upstream: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub configuration: Option<ClientConfiguration>,
    /// The text of the proxy's `/metrics` page.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub metrics: Option<String>,
}

/// Texts to copy into a client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ClientConfiguration {
    /// The two variables that most clients read.
    pub environment: String,
    /// The same as JSON, for clients with a settings file.
    pub json: String,
}

/// The proxy of one app.
#[derive(Debug, Default)]
pub(crate) struct ProxySlot(Mutex<Option<Running>>);

#[derive(Debug)]
struct Running {
    handle: ProxyHandle,
    provider: String,
    upstream: String,
}

impl ProxySlot {
    fn lock(&self) -> MutexGuard<'_, Option<Running>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ProxySlot {
    fn drop(&mut self) {
        if let Some(running) = self.lock().take() {
            running.handle.cut();
        }
    }
}

impl App {
    /// Starts the proxy in front of a provider's endpoint; one that runs already is replaced.
    pub fn proxy_start(&self, params: &ProxyStart) -> Result<ProxyStatus, AppError> {
        let settings = self.settings_get()?;
        let provider = provider_of(&settings, &params.provider)?;
        let endpoint = self.endpoint_of(provider, "")?;
        let runtime = runtime()?;
        let mut slot = self.proxy.lock();
        if let Some(running) = slot.take() {
            runtime.block_on(running.handle.stop(GRACE));
        }
        let mut options = ProxyOptions::new(&endpoint.base_url);
        let port = params.port.unwrap_or(USUAL_PORT);
        options.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        options.upstream_key = endpoint.key;
        options.upstream_headers = endpoint.headers;
        options.dialect = provider.dialect.as_deref().and_then(gateway::Dialect::preset);
        let kept = if params.new_token == Some(true) { None } else { self.secrets.key(TOKEN_ENTRY)? };
        let is_new = kept.is_none();
        options.token = kept.map_or(ProxyToken::Generated, ProxyToken::Given);
        let handle = runtime.block_on(serve(options)).map_err(|error| not_started(error, port))?;
        if let Some(token) = handle.token().filter(|_| is_new) {
            // Where the keychain refuses, the token lasts as long as this process.
            let in_keychain = self.secrets.set(TOKEN_ENTRY, token, false);
            in_keychain.or_else(|_| self.secrets.set(TOKEN_ENTRY, token, true))?;
        }
        let running = Running { handle, provider: provider.id.clone(), upstream: endpoint.base_url };
        let status = running.status();
        *slot = Some(running);
        Ok(status)
    }

    /// Ends the proxy; answers that run may end first, for a short while.
    pub fn proxy_stop(&self) -> Result<ProxyStatus, AppError> {
        let running = self.proxy.lock().take();
        if let Some(running) = running {
            runtime()?.block_on(running.handle.stop(GRACE));
        }
        Ok(stopped())
    }

    /// Whether the proxy runs, and how clients reach it.
    pub fn proxy_status(&self) -> ProxyStatus {
        self.proxy.lock().as_ref().map_or_else(stopped, Running::status)
    }
}

impl Running {
    fn status(&self) -> ProxyStatus {
        let url = self.handle.url();
        let token = self.handle.token().unwrap_or_default().to_owned();
        let configuration = ClientConfiguration {
            environment: format!("OPENAI_BASE_URL={url}\nOPENAI_API_KEY={token}"),
            json: format!("{:#}", json!({"baseURL": url, "apiKey": token})),
        };
        ProxyStatus {
            ok: true,
            running: true,
            url: Some(url),
            token: Some(token),
            provider: Some(self.provider.clone()),
            upstream: Some(self.upstream.clone()),
            configuration: Some(configuration),
            metrics: Some(self.handle.metrics()),
        }
    }
}

fn stopped() -> ProxyStatus {
    ProxyStatus { ok: true, ..ProxyStatus::default() }
}

fn not_started(error: ProxyError, port: u16) -> AppError {
    match error {
        ProxyError::Upstream(error) => told(error),
        ProxyError::CannotListen { .. } => {
            let sentence = super::error::sentence(&format!("the proxy did not start: {error}"));
            AppError::new(ErrorCode::IoError, sentence)
                .hint(format!("Another program may have port {port}; choose another port."))
        }
        other => AppError::new(ErrorCode::IoError, super::error::sentence(&other.to_string())),
    }
}
