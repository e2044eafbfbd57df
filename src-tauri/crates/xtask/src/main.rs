//! `cargo xtask`: set-up, run, test and whatever else the repository does to itself.
//!
//! Standard library only, so that it compiles in a second on a fresh machine. Each command lives in a module of its own.

mod app;
mod bench;
mod bundle;
mod checks;
mod manifest;
mod packages;
mod page;
mod run;
mod setup;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask <command>

  app [--release] [FILE...]   install what is missing, build, and open the window
  test [--full | --only STEP] every test: Rust, page, browser, real window
  setup                       only install what is missing
  bench [SUBJECT...] [--check] measure against floors and peers; a Markdown table, or an error where a bound is missed
  bundle [--windows] [--out FOLDER] the installers
  licenses                    the notices of third-party packages, for the app
  updater-manifest --from FOLDER --tag TAG --url URL  what the updater reads, from signed installers
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest = arguments.get(1..).unwrap_or_default();
    let outcome = match arguments.first().map(String::as_str) {
        Some("app") => app::app(rest),
        Some("test") => checks::test(rest),
        Some("setup") => setup::everything(),
        Some("bench") => bench::bench(rest),
        Some("bundle") => bundle::bundle(rest),
        Some("licenses") => page::install().and_then(|()| page::write_notices()),
        Some("updater-manifest") => manifest::updater(rest),
        _ => Err(run::Failure::Usage(USAGE.to_owned())),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            run::say(&failure.to_string());
            ExitCode::FAILURE
        }
    }
}
