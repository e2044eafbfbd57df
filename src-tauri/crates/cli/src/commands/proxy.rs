//! `stet proxy`: the validating loopback proxy (CONTRACT, section 8) until Ctrl-C.

use std::{net::SocketAddr, time::Duration};

use assistant::{AppError, api::error::ErrorCode, workspace::Stop};
use gateway::{
    Secret,
    proxy::{ProxyOptions, ProxyToken, serve},
};

use crate::{arguments::ProxyArguments, exit::Exit, output};

/// Running answers may end within this time after Ctrl-C.
const GRACE: Duration = Duration::from_secs(5);

pub(crate) async fn run(arguments: ProxyArguments, stop: Stop) -> Exit {
    match proxied(&arguments, stop).await {
        Ok(()) => Exit::Done,
        Err(error) => output::error(&error, false, Exit::of(&error)),
    }
}

async fn proxied(arguments: &ProxyArguments, stop: Stop) -> Result<(), AppError> {
    let listen: SocketAddr = arguments.listen.parse().map_err(|_| {
        AppError::invalid_arguments(format!("{} is not an address like 127.0.0.1:8750.", arguments.listen))
    })?;
    let mut options = ProxyOptions::new(arguments.upstream.clone());
    options.listen = listen;
    options.token = match arguments.token.as_deref() {
        None => ProxyToken::Generated,
        Some("none") => ProxyToken::None,
        Some(empty) if empty.trim().is_empty() => {
            return Err(AppError::invalid_arguments("`--token` is empty: anybody would have it.")
                .hint("Leave it out for a token of chance, or say `none`."));
        }
        Some(given) => ProxyToken::Given(Secret::new(given)),
    };
    options.upstream_key = upstream_key(arguments)?;
    let failed = |error: gateway::proxy::ProxyError| {
        AppError::new(ErrorCode::IoError, format!("The proxy did not start: {error}."))
    };
    let handle = serve(options).await.map_err(failed)?;
    output::message(&format!("listening on {}", handle.url()));
    if arguments.token.is_none()
        && let Some(token) = handle.token()
    {
        output::message(&format!("token: {token}"));
    }
    while !stop.is_set() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    handle.stop(GRACE).await;
    Ok(())
}

/// The key from the keychain when a provider is named, else from the environment.
fn upstream_key(arguments: &ProxyArguments) -> Result<Option<Secret>, AppError> {
    if let Some(provider) = &arguments.provider {
        let secrets = assistant::secrets::Secrets::new(assistant::secrets::Keychain::System);
        let key = secrets.key(provider)?;
        let missing = || {
            AppError::new(ErrorCode::IoError, format!("There is no key for {provider} in the keychain."))
                .hint("Set it with `stet key set`.")
        };
        return key.map(Some).ok_or_else(missing);
    }
    Ok(std::env::var("STET_UPSTREAM_KEY").ok().filter(|key| !key.is_empty()).map(Secret::new))
}
