//! `stet mcp`: the tools of CONTRACT, section 6, for other people's agents, over standard input and output or loopback HTTP.
//!
//! Every call goes through `assistant::App` like any other host's; what is added here is the fence around the folders that were granted,
//! and the protocol's words. By default an edit waits as a proposal for the user; with `--commit` it is written, with its snapshot.

mod catalogue;
mod fence;
mod http;
mod prompts;
mod resources;
mod server;
mod stdio;
mod tools;
mod watch;

use std::sync::Arc;

use assistant::{
    App, AppError,
    api::error::ErrorCode,
    workspace::{EditMode, Stop},
};
use rmcp::ServiceExt;
use tokio::sync::Semaphore;

use crate::{arguments::McpArguments, exit::Exit, output, session::Session};
use catalogue::Catalogue;
use fence::Grants;
use server::Server;

/// Calls that work at the same time; more wait for their turn.
const CALLS_AT_ONCE: usize = 8;

/// What all sessions of one server share.
pub(crate) struct Shared {
    app: Arc<App>,
    grants: Grants,
    mode: EditMode,
    catalogue: Catalogue,
    turns: Semaphore,
}

pub(crate) async fn run(arguments: McpArguments, stop: Stop) -> Exit {
    match served(&arguments, stop).await {
        Ok(()) => Exit::Done,
        Err(error) => output::error(&error, false, Exit::of(&error)),
    }
}

async fn served(arguments: &McpArguments, stop: Stop) -> Result<(), AppError> {
    let session = Session::open(stop)?;
    let grants = Grants::of(&arguments.root, session.app.home())?;
    if grants.is_nothing() {
        output::message("No folder is granted yet: give --root DIR, or let the client tell its roots.");
    }
    let shared = Arc::new(Shared {
        app: Arc::clone(&session.app),
        grants,
        mode: if arguments.commit { EditMode::Commit } else { EditMode::Stage },
        catalogue: Catalogue::default(),
        turns: Semaphore::new(CALLS_AT_ONCE),
    });
    match arguments.http {
        Some(port) => http::serve(&shared, port, arguments.token.as_deref(), &session).await,
        None => over_pipes(&shared, &session).await,
    }
}

/// Serves one client on standard input and output until it hangs up.
async fn over_pipes(shared: &Arc<Shared>, session: &Session) -> Result<(), AppError> {
    let failed =
        |error: String| AppError::new(ErrorCode::IoError, format!("The client cannot be served: {error}."));
    let server = Server::new(Arc::clone(shared));
    let running = tokio::select! {
        running = server.serve(stdio::Pipes::new()) => match running {
            Ok(running) => running,
            // A client that hangs up before the first word wants nothing.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(failed(error.to_string())),
        },
        () = session.cancelled() => return Ok(()),
    };
    let hang_up = running.cancellation_token();
    tokio::select! {
        ended = running.waiting() => ended.map(|_| ()).map_err(|error| failed(error.to_string())),
        () = session.cancelled() => {
            hang_up.cancel();
            Ok(())
        }
    }
}
