//! `stet ask` with the built-in model and with an endpoint: shown, agreed to, written; or not.

use std::{fs, io::Write, process::Stdio};

use gateway::testing::{Reply, Upstream};
use serde_json::{Value, json};

use super::Shell;

const ASK: &str = "replace \"alpha\" with \"beta\"";

#[test]
fn without_anybody_to_agree_nothing_is_written() {
    let shell = Shell::new();
    shell.write("a.md", "alpha\n");
    let mut command = shell.command(&["ask", "a.md", ASK]);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{out}{err}");
    assert!(err.contains("- alpha") && err.contains("+ beta"), "the proposal is shown: {err}");
    assert!(err.contains("--yes") && out.contains("Nothing was written"), "{out}{err}");
    assert_eq!(fs::read_to_string(shell.path("a.md")).unwrap(), "alpha\n");
    assert_eq!(
        shell.json(&["history", "a.md"]).1["proposals"],
        json!([]),
        "the proposal does not stay behind"
    );
}

#[test]
fn yes_writes_and_dry_run_does_not() {
    let shell = Shell::new();
    shell.write("a.md", "alpha\n");
    let (status, dry) = shell.json(&["ask", "a.md", ASK, "--dry-run"]);
    assert_eq!((status, &dry["receipts"][0]["status"]), (0, &json!("dry_run")), "{dry}");
    assert_eq!(fs::read_to_string(shell.path("a.md")).unwrap(), "alpha\n");
    let (status, done) = shell.json(&["ask", "a.md", ASK, "--yes"]);
    assert_eq!(
        (status, &done["ok"], &done["receipts"][0]["status"]),
        (0, &json!(true), &json!("committed")),
        "{done}"
    );
    for key in ["message", "usage"] {
        assert!(done.get(key).is_some(), "{key} is missing");
    }
    assert_eq!(fs::read_to_string(shell.path("a.md")).unwrap(), "beta\n");
    assert_eq!(shell.json(&["undo", "a.md"]).0, 0);
    assert_eq!(fs::read_to_string(shell.path("a.md")).unwrap(), "alpha\n");
}

#[cfg(unix)]
#[test]
fn a_person_at_a_terminal_is_asked() {
    if std::process::Command::new("script").arg("--version").output().is_err() {
        println!("no `script` here to make a terminal");
        return;
    }
    for (answer, text) in [("y\n", "beta\n"), ("n\n", "alpha\n"), ("\n", "alpha\n")] {
        let shell = Shell::new();
        shell.write("a.md", "alpha\n");
        let line = format!("{} ask a.md '{ASK}'", super::stet().display());
        let mut command = std::process::Command::new("script");
        command
            .args(["-qec", &line, "/dev/null"])
            .env("STET_HOME", shell.path("home"))
            .current_dir(shell.folder.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(answer.as_bytes()).unwrap();
        input.flush().unwrap();
        let output = child.wait_with_output().unwrap();
        drop(input);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("Accept? [y/N]"), "{said}");
        assert_eq!(fs::read_to_string(shell.path("a.md")).unwrap(), text, "{answer:?}: {said}");
    }
}

#[test]
fn quoted_patterns_name_many_files() {
    let shell = Shell::new();
    for name in ["one.md", "two.md", "three.txt"] {
        shell.write(name, "alpha\n");
    }
    let (status, done) = shell.json(&["ask", "t*.md", ASK, "--yes"]);
    assert_eq!(status, 0, "{done}");
    assert_eq!(fs::read_to_string(shell.path("two.md")).unwrap(), "beta\n");
    assert_eq!(fs::read_to_string(shell.path("one.md")).unwrap(), "alpha\n");
    let (status, verified) = shell.json(&["verify", "*.md"]);
    assert_eq!((status, verified["files"].as_array().unwrap().len()), (0, 2), "{verified}");
    assert_eq!(shell.json(&["outline", "thr*.txt"]).0, 0, "a pattern may mean one file");
    let (status, refused) = shell.json(&["outline", "*.md"]);
    assert_eq!((status, &refused["error"]["code"]), (3, &json!("invalid_arguments")));
    assert_eq!(shell.json(&["verify", "none-*.md"]).0, 1);
}

/// A home whose settings name the scripted endpoint.
fn with_provider(shell: &Shell, base_url: &str) {
    fs::create_dir_all(shell.path("home")).unwrap();
    let provider = json!({ "id": "local", "name": "Scripted", "base_url": base_url, "models": ["m"], "needs_key": false });
    fs::write(shell.path("home/settings.json"), json!({ "providers": [provider] }).to_string()).unwrap();
}

async fn run(shell: &std::sync::Arc<Shell>, arguments: &'static [&'static str]) -> (i32, Value) {
    let shell = std::sync::Arc::clone(shell);
    tokio::task::spawn_blocking(move || shell.json(arguments)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_of_the_settings_answers() {
    let shell = std::sync::Arc::new(Shell::new());
    shell.write("a.md", "alpha\n");
    let outline = run(&shell, &["outline", "a.md"]).await.1;
    let edit = json!({
        "file_id": outline["file_id"], "expected_content_rev": 1,
        "ops": [{ "op": "replace_text", "find": "alpha", "replace": "beta" }],
    });
    let replies = vec![Reply::call("c1", "file_edit", &edit.to_string()), Reply::text("I replaced it.")];
    let upstream = Upstream::start(replies).await.unwrap();
    with_provider(&shell, &upstream.base_url());
    let (status, done) =
        run(&shell, &["ask", "a.md", "please say beta", "--model", "local/m", "--yes"]).await;
    assert_eq!((status, &done["message"]), (0, &json!("I replaced it.")), "{done}");
    assert_eq!(fs::read_to_string(shell.path("a.md")).unwrap(), "beta\n");
    upstream.assert_clean();
    let (_, models) = run(&shell, &["models"]).await;
    assert!(models["providers"].to_string().contains("Scripted"), "{models}");
    let (_, metrics) = run(&shell, &["metrics"]).await;
    assert!(metrics["rows"].to_string().contains("local/m"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_the_endpoint_have_their_own_status() {
    let shell = std::sync::Arc::new(Shell::new());
    shell.write("a.md", "alpha\n");
    let refusal = Reply::status(401, &json!({ "error": { "message": "no such key" } }));
    let upstream = Upstream::start(vec![refusal]).await.unwrap();
    with_provider(&shell, &upstream.base_url());
    let (status, refused) = run(&shell, &["ask", "a.md", "anything", "--model", "local/m", "--yes"]).await;
    assert_eq!((status, &refused["ok"]), (7, &json!(false)), "{refused}");
    let (status, refused) = run(&shell, &["ask", "a.md", "anything", "--model", "nobody/m", "--yes"]).await;
    assert_eq!((status, &refused["error"]["code"]), (3, &json!("invalid_arguments")), "{refused}");
    assert_eq!(fs::read_to_string(shell.path("a.md")).unwrap(), "alpha\n");
}

#[test]
fn what_was_not_done_is_no_success() {
    let shell = Shell::new();
    shell.write("a.md", "alpha\n");
    let (status, missed) = shell.json(&["ask", "a.md", "replace \"omega\" with \"x\"", "--yes"]);
    assert_eq!((status, &missed["ok"]), (3, &json!(false)), "{missed}");
    assert!(missed["error"]["code"].is_string() && missed["message"].is_string(), "{missed}");
    let (status, odd) = shell.json(&["ask", "a.md", "sing me a song about rivers", "--yes"]);
    assert_eq!(
        (status, &odd["ok"], &odd["error"]["code"]),
        (3, &json!(false), &json!("invalid_arguments")),
        "{odd}"
    );
    let (status, alone) = shell.json(&["ask", "a.md", ASK]);
    assert_eq!((status, &alone["ok"], &alone["receipts"]), (3, &json!(false), &json!([])), "{alone}");
    let (status, help) = shell.json(&["ask", "a.md", "help"]);
    assert_eq!((status, &help["ok"], help.get("error")), (0, &json!(true), None), "{help}");
    assert_eq!(shell.json(&["ask", "a.md", "find \"alpha\""]).0, 0);
    assert_eq!(shell.run(&["ask", "a.md"]).0, 2, "an instruction is missing");
    fs::write(shell.path("b.md"), b"a\0b").unwrap();
    assert_eq!(shell.json(&["ask", "b.md", ASK, "--yes"]).0, 6);
    assert_eq!(fs::read_to_string(shell.path("a.md")).unwrap(), "alpha\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_edit_of_a_model_is_no_success() {
    let shell = std::sync::Arc::new(Shell::new());
    shell.write("a.md", "alpha\n");
    let outline = run(&shell, &["outline", "a.md"]).await.1;
    let edit = |find: &str, rev: u64| {
        json!({
            "file_id": outline["file_id"], "expected_content_rev": rev,
            "ops": [{ "op": "replace_text", "find": find, "replace": "beta" }],
        })
        .to_string()
    };
    for (find, rev, expected) in [("omega", 1, 3), ("alpha", 7, 4)] {
        let replies = vec![Reply::call("c1", "file_edit", &edit(find, rev)), Reply::text("All done.")];
        let upstream = Upstream::start(replies).await.unwrap();
        with_provider(&shell, &upstream.base_url());
        let (status, done) =
            run(&shell, &["ask", "a.md", "please say beta", "--model", "local/m", "--yes"]).await;
        assert_eq!((status, &done["ok"]), (expected, &json!(false)), "{done}");
    }
    assert_eq!(fs::read_to_string(shell.path("a.md")).unwrap(), "alpha\n");
}

#[test]
fn an_evaluation_gives_up_where_nobody_answers() {
    let shell = Shell::new();
    let (status, answer) = shell.json(&["eval", "--endpoint", "http://127.0.0.1:1/v1"]);
    assert_eq!((status, &answer["ok"]), (7, &json!(false)), "{answer}");
    let (status, _, err) = shell.run(&["proxy", "--upstream", "http://127.0.0.1:1/v1", "--token", ""]);
    assert_eq!(status, 3, "{err}");
}
