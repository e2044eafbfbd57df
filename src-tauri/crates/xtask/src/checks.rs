//! `cargo xtask test`: everything that must hold, in the order of what fails soonest, with the runners' own closing lines.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use crate::{
    page,
    run::{Failure, Outcome, cargo, finish_keeping, node, root, say, target},
    setup,
};

/// One step: its name, what it runs, and which lines of its output are the result.
struct Step {
    name: &'static str,
    command: fn() -> Command,
    closing: fn(&str) -> bool,
}

const STEPS: &[Step] = &[
    Step { name: "format", command: || words(cargo(), "fmt --all --check"), closing: |_| false },
    Step {
        name: "workflows",
        command: || words(at_root(Command::new("node")), "packaging/lint-workflows.mjs"),
        closing: |line| line.starts_with("workflows:"),
    },
    Step {
        name: "types",
        command: || words(node("npm"), "run --silent check"),
        closing: |line| line.contains("svelte-check found"),
    },
    Step { name: "page", command: || words(node("npm"), "run --silent build"), closing: |_| false },
    Step {
        name: "unit",
        command: || words(node("npm"), "run --silent test"),
        closing: |line| line.contains("Tests ") || line.contains("Test Files"),
    },
    Step { name: "page-fake", command: || words(node("npm"), "run --silent build:fake"), closing: |_| false },
    Step {
        name: "browser",
        command: browser,
        closing: |line| {
            line.trim_start()
                .split(' ')
                .nth(1)
                .is_some_and(|word| matches!(word, "passed" | "failed" | "flaky"))
        },
    },
    Step {
        name: "lints",
        command: || words(cargo(), "clippy --workspace --all-targets --quiet -- -D warnings"),
        closing: |_| false,
    },
    Step {
        name: "rust",
        command: || words(cargo(), "test --workspace --no-fail-fast"),
        closing: |line| line.starts_with("test result:"),
    },
    Step {
        name: "clients",
        command: clients,
        closing: |line| {
            ["whole,", "not run:", "FAILED", "all clients"].iter().any(|words| line.contains(words))
        },
    },
    Step { name: "build", command: || words(cargo(), "build --workspace"), closing: |_| false },
    Step {
        name: "fidelity",
        command: || script("tests/fidelity/run.py"),
        closing: |line| line.starts_with("fidelity:") || line.starts_with("FAIL"),
    },
    Step {
        name: "mcp-clients",
        command: || words(script("tests/clients_mcp/run"), "--reachable python node inspector"),
        closing: |line| line.contains("checks passed") || line.contains("not run:"),
    },
    Step {
        name: "window",
        command: window,
        closing: |line| {
            ["ℹ tests", "ℹ pass", "ℹ fail", "ℹ skipped", "# tests", "# pass", "# fail", "# skipped"]
                .iter()
                .any(|head| line.starts_with(head))
        },
    },
];

/// Runs all steps, or the one named after `--only`. A step that fails does not hide what comes after it, except that nothing
/// runs without the page and no window opens without a build.
pub(crate) fn test(arguments: &[String]) -> Outcome {
    let (only, full) = match arguments {
        [] => (None, false),
        [option] if option == "--full" => (None, true),
        [option, name] if option == "--only" && STEPS.iter().any(|step| step.name == name) => {
            (Some(name.as_str()), false)
        }
        _ => return Err(Failure::Usage(format!("usage: cargo xtask test [--full | --only {}]", names()))),
    };
    setup::everything()?;
    if only.is_some_and(|name| name == "lints") {
        page::build()?;
    }
    let mut report = Vec::new();
    let mut failed: Vec<&str> = Vec::new();
    for step in STEPS.iter().filter(|step| only.is_none_or(|name| name == step.name)) {
        let stands_on = |name: &str| match step.name {
            "window" => name == "build" || name == "page",
            "fidelity" | "mcp-clients" => name == "build",
            "lints" | "rust" | "build" => name == "page",
            _ => false,
        };
        if !runs_here(step.name) {
            continue;
        }
        // Clients of other makers come from the registries and take minutes to install.
        if step.name == "clients" && !full && only.is_none() {
            continue;
        }
        if failed.iter().any(|name| stands_on(name)) {
            report.push((step.name, Duration::ZERO, vec!["not run: what it stands on failed".to_owned()]));
            failed.push(step.name);
            continue;
        }
        let began = Instant::now();
        let mut command = (step.command)();
        if full {
            command.env("STET_FULL", "1");
        }
        let (mut closing, outcome) = finish_keeping(&mut command, step.closing);
        if let Err(failure) = outcome {
            closing.push(failure.to_string());
            failed.push(step.name);
        }
        report.push((step.name, began.elapsed(), closing));
    }
    print(&report);
    if failed.is_empty() {
        say("xtask: all of it passed");
        return Ok(());
    }
    Err(Failure::Missing(format!("xtask: failed: {}", failed.join(", "))))
}

fn names() -> String {
    STEPS.iter().map(|step| step.name).collect::<Vec<_>>().join("|")
}

fn print(report: &[(&str, Duration, Vec<String>)]) {
    say("\n== closing lines ==");
    for (name, took, closing) in report {
        say(&format!("{name}: {:.0} s", took.as_secs_f32()));
        for line in closing {
            say(&format!("    {}", line.trim()));
        }
    }
}

fn words(mut command: Command, text: &str) -> Command {
    command.args(text.split(' '));
    command
}

/// Scripts need a Unix shell, windows need X.
fn runs_here(step: &str) -> bool {
    match step {
        "window" => setup::window_tests_run_here(),
        "fidelity" | "mcp-clients" => cfg!(unix),
        _ => true,
    }
}

/// A script of the tests, by its own first line.
fn script(path: &str) -> Command {
    at_root(Command::new(root().join(path)))
}

fn at_root(mut command: Command) -> Command {
    command.current_dir(root());
    command
}

/// Clients of other makers through the proxy, as far as their registries can be reached.
fn clients() -> Command {
    let mut command = Command::new("bash");
    command.current_dir(root()).args(["tests/clients/run", "--reachable", "python", "node", "rust"]);
    command
}

fn browser() -> Command {
    let mut command = words(node("npx"), "playwright test");
    command.env("CI", "1").env("FORCE_COLOR", "0");
    if let Some(port) = free_port() {
        command.env("STET_PAGE_PORT", port.to_string());
    }
    command
}

/// A port that nothing listens on right now.
fn free_port() -> Option<u16> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").ok()?;
    listener.local_addr().ok().map(|address| address.port())
}

/// The journeys through the built window, on a screen of their own and a message bus of their own.
fn window() -> Command {
    let mut command = Command::new("dbus-run-session");
    command.current_dir(root()).args(["--", "node", "--test", "--test-concurrency=1"]).args(journeys());
    command
        .env("STET_APP", target().join("debug/stet-desktop"))
        .env("STET_TAURI_DRIVER", setup::driver_path());
    command
}

/// The files of journeys, in a fixed order.
fn journeys() -> Vec<std::path::PathBuf> {
    let folder = root().join("tests/e2e");
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<_> = entries.filter(|path| path.to_string_lossy().ends_with(".test.mjs")).collect();
    found.sort();
    found
}
