//! The `stet` binary: a thin host of `assistant::api` for people, scripts and tests.
//!
//! Standard output carries only the answer; progress and messages go to standard error; the exit status follows the contract,
//! section 5. What a command does lives in `assistant`.

mod arguments;
mod commands;
mod exit;
mod mcp;
mod output;
mod session;
mod told_path;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use assistant::workspace::Stop;
use exit::Exit;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = match runtime(&arguments.command) {
        Ok(runtime) => runtime,
        Err(error) => return output::fail_plainly(&format!("no runtime: {error}")).into(),
    };
    let exit = runtime.block_on(run(arguments));
    // A blocking call that was cancelled may still be on its way out; nobody waits for its answer.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    exit.into()
}

/// Servers and turns have several things to do at once; a command on a file has one, and starts faster without threads.
fn runtime(command: &Command) -> std::io::Result<tokio::runtime::Runtime> {
    let mut builder = match command {
        Command::Proxy(_) | Command::Mcp(_) | Command::Ask(_) | Command::Eval(_) => {
            tokio::runtime::Builder::new_multi_thread()
        }
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    builder.enable_all().build()
}

async fn run(arguments: Arguments) -> Exit {
    let stop = Stop::default();
    let on_interrupt = stop.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            on_interrupt.cancel();
        }
        // Whoever insists does not wait for the tidy end: what was half way is completed or undone at the next start.
        if tokio::signal::ctrl_c().await.is_ok() {
            std::process::exit(130);
        }
    });
    match arguments.command {
        Command::Outline(arguments) => commands::outline::run(arguments, stop).await,
        Command::Apply(arguments) => commands::apply::run(arguments, stop).await,
        Command::Diff(arguments) => commands::diff::run(arguments, stop).await,
        Command::History(arguments) => commands::history::list(arguments, stop).await,
        Command::Restore(arguments) => commands::history::restore(arguments, stop).await,
        Command::Undo(arguments) => commands::history::undo(arguments, stop).await,
        Command::Redo(arguments) => commands::history::redo(arguments, stop).await,
        Command::Moved(arguments) => commands::moved::run(arguments, stop).await,
        Command::Verify(arguments) => commands::verify::run(arguments, stop).await,
        Command::New(arguments) => commands::new::run(arguments, stop).await,
        Command::Ask(arguments) => commands::ask::run(arguments, stop).await,
        Command::Patch(arguments) => commands::patch::run(arguments, stop).await,
        Command::Key { command } => commands::keys::run(command, stop).await,
        Command::Metrics { json } => commands::metrics::run(json, stop).await,
        Command::Models(arguments) => commands::models::run(arguments, stop).await,
        Command::Ops(arguments) => commands::ops::run(&arguments),
        Command::Proxy(arguments) => commands::proxy::run(arguments, stop).await,
        Command::Mcp(arguments) => mcp::run(arguments, stop).await,
        Command::Eval(arguments) => commands::eval::run(arguments, stop).await,
        Command::Completions { shell } => commands::manual::completions(shell),
        Command::Man => commands::manual::man(),
    }
}
