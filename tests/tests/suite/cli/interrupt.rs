//! Ctrl-C at any moment: all of it or nothing, and 130.

#![cfg(unix)]

use std::{
    fs,
    io::Write,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::json;

use super::Shell;

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Waits for the end; a process that hangs is a failure.
fn status_of(child: &mut Child) -> i32 {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            // A process that was not yet listening ends by the signal itself, which a shell calls 130 too.
            return status.code().unwrap_or(130);
        }
        assert!(Instant::now() < deadline, "it hangs");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_large_commit_is_whole_or_not_at_all() {
    let shell = Shell::new();
    let before = "a line of some words that repeats itself\n".repeat(300_000);
    let after = before.replace("some words", "many words");
    let ops =
        json!([{ "op": "replace_text", "find": "some words", "replace": "many words", "occurrence": "all" }]);
    shell.write("ops.json", &ops.to_string());
    shell.write("long.md", &before);
    let (_, outline) = shell.json(&["outline", "long.md", "--range", "1-2"]);
    let mut revision = outline["content_rev"].as_u64().unwrap();
    let quiet = |arguments: &[&str]| {
        let mut command = shell.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    // How long it takes when nobody interrupts, so that the interruptions fall everywhere within.
    let began = Instant::now();
    assert_eq!(
        status_of(&mut quiet(&[
            "apply",
            "long.md",
            "--ops",
            "ops.json",
            "--expected-rev",
            "current",
            "--dry-run"
        ])),
        0
    );
    let whole = began.elapsed() * 2;
    let (mut cancelled, mut is_after) = (0, false);
    for step in 0..10_u32 {
        let mut child = quiet(&["apply", "long.md", "--ops", "ops.json", "--expected-rev", "current"]);
        std::thread::sleep(whole * step / 10);
        if child.try_wait().unwrap().is_none() {
            interrupt(&child);
        }
        let status = status_of(&mut child);
        let text = fs::read_to_string(shell.path("long.md")).unwrap();
        is_after = text == after;
        assert!(is_after || text == before, "half done at step {step}");
        assert_eq!(status, if is_after { 0 } else { 130 }, "the status says what happened");
        let (_, history) = shell.json(&["history", "long.md"]);
        revision += u64::from(is_after);
        assert_eq!(history["content_rev"], revision, "step {step}");
        let names: Vec<_> =
            fs::read_dir(shell.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), 3, "nothing is left behind: {names:?}");
        if is_after {
            assert_eq!(shell.json(&["undo", "long.md"]).0, 0);
            revision += 1;
        } else {
            cancelled += 1;
        }
    }
    assert!(cancelled > 0, "no interruption came in time");
    let _ = is_after;
}

#[test]
fn waiting_for_input_can_be_interrupted() {
    let shell = Shell::new();
    shell.write("a.md", "alpha\n");
    for arguments in [
        &["apply", "a.md", "--ops", "-", "--expected-rev", "current"][..],
        &["new", "b.md", "--from", "-"],
        &["patch", "a.md", "--diff", "-"],
        &["proxy", "--upstream", "http://127.0.0.1:1/v1"],
        &["mcp", "--http", "0"],
        &["mcp"],
    ] {
        let mut command = shell.command(arguments);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(b" ").unwrap();
        std::thread::sleep(Duration::from_millis(700));
        interrupt(&child);
        let began = Instant::now();
        let status = status_of(&mut child);
        // A server is meant to be ended like this.
        let wanted = if ["proxy", "mcp"].contains(&arguments[0]) { 0 } else { 130 };
        assert_eq!(status, wanted, "{arguments:?}");
        assert!(began.elapsed() < Duration::from_secs(10), "{arguments:?} took {:?}", began.elapsed());
        drop(input);
    }
    assert!(!shell.path("b.md").exists());
    assert_eq!(fs::read_to_string(shell.path("a.md")).unwrap(), "alpha\n");
}

#[test]
fn an_evaluation_ends_at_once() {
    let shell = Shell::new();
    // It takes connections and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}/v1", silent.local_addr().unwrap());
    let mut command = shell.command(&["eval", "--endpoint", &endpoint]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    drop(silent.accept().map(std::mem::forget));
    let began = Instant::now();
    interrupt(&child);
    assert_eq!(status_of(&mut child), 130);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}
