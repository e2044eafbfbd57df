//! The `stet` binary as scripts see it: answers on standard output, the exit status, nothing else (CONTRACT, section 5).

#[path = "cli/ask.rs"]
mod ask;
#[path = "cli/interrupt.rs"]
mod interrupt;
#[path = "cli/keys.rs"]
mod keys;
#[path = "cli/readme.rs"]
mod readme;
#[path = "cli/stranger.rs"]
mod stranger;
#[path = "cli/transcripts.rs"]
mod transcripts;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::OnceLock,
};

use serde_json::{Value, json};

/// The binary, built once per run of the suite.
pub(crate) fn stet() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "stet-cli"])
            .current_dir(stet_tests::repository())
            .status()
            .unwrap();
        assert!(built.success());
        // target/debug/deps/suite-… → target/debug/stet
        let folder = std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().to_path_buf();
        folder.join(format!("stet{}", std::env::consts::EXE_SUFFIX))
    })
}

struct Shell {
    folder: tempfile::TempDir,
}

impl Shell {
    fn new() -> Shell {
        Shell { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(stet());
        command.args(arguments).env("STET_HOME", self.path("home")).current_dir(self.folder.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        text(&self.command(arguments).output().unwrap())
    }

    /// Runs with `--json`; the answer must be one object and nothing else.
    fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let (status, out, err) = self.run(&[arguments, &["--json"]].concat());
        let answer =
            serde_json::from_str(&out).unwrap_or_else(|_| panic!("{arguments:?}: not JSON: {out}{err}"));
        (status, answer)
    }

    fn with_input(&self, arguments: &[&str], input: &str) -> (i32, Value) {
        let mut command = self.command(&[arguments, &["--json"]].concat());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let (status, out, _) = text(&child.wait_with_output().unwrap());
        (status, serde_json::from_str(&out).unwrap())
    }
}

fn text(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// A document may not ring the bell, move the cursor or recolour what the user reads.
#[test]
fn control_characters_do_not_reach_the_terminal() {
    const ODD: &str = "red \u{1b}[31m bell \u{7} back \u{8} over\rwritten c1 \u{9b}2J end";
    let shell = Shell::new();
    shell.write("a.md", &format!("alpha {ODD}\nbeta\n"));
    let edit = json!([{ "op": "replace_text", "find": "beta", "replace": format!("new {ODD}") }]).to_string();
    shell.write("ops.json", &edit);
    let miss = json!([{ "op": "replace_text", "find": "alphq red", "replace": "x" }]).to_string();
    shell.write("miss.json", &miss);
    let ask = format!("replace \"beta\" with \"{}\"", ODD.replace('\r', " "));
    let mut commands = vec![
        vec!["outline", "a.md"],
        vec!["diff", "a.md", "--ops", "ops.json"],
        vec!["apply", "a.md", "--ops", "miss.json", "--expected-rev", "current"],
        vec!["ask", "a.md", &ask],
        vec!["apply", "a.md", "--ops", "ops.json", "--expected-rev", "current"],
        vec!["history", "a.md"],
        vec!["outline", "no\u{1b}[31msuch\u{7}.md"],
    ];
    if cfg!(unix) {
        shell.write("name\u{1b}]0;x\u{7}.md", "alpha\n");
        commands.push(vec!["outline", "name\u{1b}]0;x\u{7}.md"]);
    }
    for arguments in commands {
        let (_, out, err) = shell.run(&arguments);
        let odd = |one: char| one.is_control() && !matches!(one, '\n' | '\t');
        assert!(!out.contains(odd) && !err.contains(odd), "{arguments:?}: {out:?} {err:?}");
    }
    assert!(shell.run(&["outline", "a.md"]).1.contains(r"red \u{1b}[31m bell \u{7}"));
}

/// What would not open again is refused, not written.
#[test]
fn a_nul_is_not_written() {
    let shell = Shell::new();
    shell.write("a.md", "alpha\n");
    let ops = json!([{ "op": "append_lines", "text": "nul \0" }]).to_string();
    let (status, refused) =
        shell.with_input(&["apply", "a.md", "--ops", "-", "--expected-rev", "current"], &ops);
    assert_eq!((status, &refused["error"]["code"]), (3, &json!("invalid_arguments")), "{refused}");
    let (status, refused) = shell.with_input(&["new", "b.md", "--from", "-"], "nul \0");
    assert_eq!((status, &refused["error"]["code"]), (3, &json!("invalid_arguments")), "{refused}");
    assert!(!shell.path("b.md").exists());
    assert_eq!(shell.json(&["outline", "a.md"]).1["content_rev"], 1);
}

#[test]
fn a_whole_session() {
    let shell = Shell::new();
    shell.write("a.md", "# Title\n\nalpha\nbeta\n");
    let (status, outline) = shell.json(&["outline", "a.md"]);
    assert_eq!(
        (status, &outline["ok"], &outline["format"], &outline["content_rev"]),
        (0, &json!(true), &json!("text"), &json!(1))
    );
    assert_eq!(outline["nodes"][2]["at"], "L3");
    for key in ["file_id", "path", "nodes", "truncated", "next", "warnings"] {
        assert!(outline.get(key).is_some(), "{key} is missing");
    }
    assert!(outline["file_id"].as_str().unwrap().starts_with("file-"));

    let ops = json!([{ "op": "replace_text", "find": "beta", "replace": "gamma" }]).to_string();
    let (status, dry) =
        shell.with_input(&["apply", "a.md", "--ops", "-", "--expected-rev", "1", "--dry-run"], &ops);
    assert_eq!((status, &dry["status"], &dry["content_rev"]), (0, &json!("dry_run"), &json!(1)));
    let (status, receipt) = shell.with_input(&["apply", "a.md", "--ops", "-", "--expected-rev", "1"], &ops);
    assert_eq!((status, &receipt["status"]), (0, &json!("committed")));
    assert_eq!(
        (&receipt["previous_rev"], &receipt["content_rev"], &receipt["snapshot"]),
        (&json!(1), &json!(2), &json!("snap-000001"))
    );
    assert_eq!(receipt["changes"][0]["op"], 0);
    assert_eq!(fs::read_to_string(shell.path("a.md")).unwrap(), "# Title\n\nalpha\ngamma\n");

    let (status, history) = shell.json(&["history", "a.md"]);
    let snapshots = history["snapshots"].as_array().unwrap();
    assert_eq!(
        (status, snapshots.len(), &snapshots[0]["content_rev"], &snapshots[1]["origin"]),
        (0, 2, &json!(2), &json!("opened"))
    );
    for key in ["id", "at", "content_rev", "origin", "summary", "size", "pinned"] {
        assert!(snapshots[0].get(key).is_some(), "{key} is missing");
    }
    let (status, diff) = shell.json(&["diff", "a.md", "--snapshot", "snap-000001"]);
    assert_eq!((status, &diff["ok"], &diff["changes"][0]["after"]), (0, &json!(true), &json!("gamma")));

    assert_eq!(shell.json(&["undo", "a.md"]).0, 0);
    assert_eq!(fs::read_to_string(shell.path("a.md")).unwrap(), "# Title\n\nalpha\nbeta\n");
    assert_eq!(shell.json(&["redo", "a.md"]).1["content_rev"], 4);
    assert_eq!(shell.json(&["restore", "a.md", "snap-000001"]).1["content_rev"], 5);
    let (status, verified) = shell.json(&["verify", "a.md"]);
    assert_eq!(
        (status, &verified["well_formed"], &verified["relationships"]),
        (0, &json!(true), &json!(true))
    );
}

#[test]
fn exit_statuses_follow_the_contract() {
    let shell = Shell::new();
    shell.write("a.md", "alpha\nalpha\n");
    shell.write("broken.docx", "PK\u{3}\u{4} and then no zip");
    shell.write("other.docx", "no zip");
    let ops = |ops: Value| shell.write("ops.json", &ops.to_string()).to_str().unwrap().to_owned();
    let good = ops(json!([{ "op": "append_lines", "text": "x" }]));
    let check = |arguments: &[&str], status: i32, code: &str| {
        let (found, answer) = shell.json(arguments);
        assert_eq!(
            (found, answer["error"]["code"].as_str()),
            (status, Some(code)),
            "{arguments:?}: {answer}"
        );
        assert_eq!(answer["ok"], false);
    };
    check(&["apply", "a.md", "--ops", &good], 5, "content_rev_required");
    check(&["apply", "a.md", "--ops", &good, "--expected-rev", "7"], 4, "content_rev_conflict");
    check(&["restore", "a.md", "snap-000099"], 3, "out_of_range");
    check(&["undo", "a.md"], 3, "out_of_range");
    check(&["outline", "broken.docx"], 6, "damaged_document");
    check(&["verify", "broken.docx"], 6, "damaged_document");
    check(&["outline", "other.docx"], 6, "unsupported_document");
    check(&["outline", "missing.md"], 1, "io_error");
    check(&["new", "a.md"], 3, "path_not_allowed");
    for (ops_json, code) in [
        (json!([{ "op": "replace_text", "find": "alpha", "replace": "x" }]), "multiple_matches"),
        (json!([{ "op": "replace_text", "find": "nowhere", "replace": "x" }]), "zero_matches"),
        (json!([{ "op": "docx_append_paragraph", "text": "x" }]), "unsupported_op"),
        (json!([{ "op": "append_lines" }]), "invalid_arguments"),
        (json!({ "ops": [{ "op": "append_lines", "text": "x" }], "surprise": 1 }), "invalid_arguments"),
        (
            json!({ "file_id": "file-00000000", "ops": [{ "op": "append_lines", "text": "x" }] }),
            "invalid_arguments",
        ),
        (json!("no batch"), "invalid_arguments"),
    ] {
        check(&["apply", "a.md", "--ops", &ops(ops_json), "--expected-rev", "current"], 3, code);
    }
    let (_, answer) = shell.json(&[
        "apply",
        "a.md",
        "--ops",
        &ops(json!([{ "op": "replace_text", "find": "alpha", "replace": "x" }])),
        "--expected-rev",
        "1",
    ]);
    let error = &answer["error"];
    assert_eq!(
        (&error["status"], &error["retry"], &error["op"], &answer["content_rev"]),
        (&json!(422), &json!("fix_and_retry"), &json!(0), &json!(1))
    );
    assert_eq!(error["matches"].as_array().unwrap().len(), 2);

    for usage in [
        &["apply", "a.md"][..],
        &["nonsense"],
        &["outline"],
        &["diff", "a.md"],
        &["apply", "a.md", "--ops", "-", "--expected-rev", "soon"],
    ] {
        let (status, out, err) = shell.run(usage);
        assert_eq!((status, out.as_str()), (2, ""), "{usage:?}");
        assert!(err.contains("Usage") || err.contains("error"), "{err}");
    }
    assert_eq!(fs::read_to_string(shell.path("a.md")).unwrap(), "alpha\nalpha\n");
    assert!(shell.run(&["--version"]).1.starts_with("stet "));
}

#[test]
fn a_batch_may_be_an_array_or_an_object() {
    let shell = Shell::new();
    shell.write("a.md", "alpha\n");
    let (_, outline) = shell.json(&["outline", "a.md"]);
    let whole = json!({ "file_id": outline["file_id"], "expected_content_rev": 1, "ops": [{ "op": "append_lines", "text": "x" }] });
    assert_eq!(shell.with_input(&["apply", "a.md", "--ops", "-"], &whole.to_string()).0, 0);
    let (status, answer) =
        shell.with_input(&["apply", "a.md", "--ops", "-", "--expected-rev", "2"], &whole.to_string());
    assert_eq!(
        (status, &answer["error"]["code"]),
        (3, &json!("invalid_arguments")),
        "the two revisions differ"
    );
    assert_eq!(
        shell.with_input(&["apply", "a.md", "--ops", "-"], "{ not json").1["error"]["code"],
        "invalid_arguments"
    );
}

#[test]
fn people_get_sentences() {
    let shell = Shell::new();
    shell.write("a.md", "alpha\n");
    shell.write("ops.json", r#"[{"op":"replace_text","find":"alpha","replace":"beta"}]"#);
    let (status, out, err) = shell.run(&["apply", "a.md", "--ops", "ops.json", "--expected-rev", "current"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("committed") && out.contains("- alpha") && out.contains("+ beta"), "{out}");
    let (status, out, err) = shell.run(&["apply", "a.md", "--ops", "ops.json", "--expected-rev", "current"]);
    assert_eq!((status, out.as_str()), (3, ""), "an error is no answer");
    assert!(err.contains("operation 1:"), "{err}");
    let (_, out, _) = shell.run(&["history", "a.md"]);
    assert_eq!(out.lines().count(), 2);
    assert!(out.starts_with("snap-000002"), "{out}");
}

#[test]
fn an_office_file_that_changed_is_verified_against_the_original() {
    let Some(original) =
        stet_tests::corpus(&["docx"]).into_iter().find(|path| path.ends_with("docx/svg.docx"))
    else {
        println!("no shared corpus here");
        return;
    };
    let shell = Shell::new();
    fs::copy(&original, shell.path("a.docx")).unwrap();
    fs::copy(&original, shell.path("b.docx")).unwrap();
    let (status, verified) = shell.json(&["verify", "a.docx", "--against", "b.docx"]);
    assert_eq!((status, &verified["package"]["changed"]), (0, &json!([])), "{verified}");
    let ops = json!([{ "op": "docx_append_paragraph", "text": "More." }]).to_string();
    let (status, receipt) =
        shell.with_input(&["apply", "a.docx", "--ops", "-", "--expected-rev", "current"], &ops);
    assert_eq!(status, 0, "{receipt}");
    let (_, verified) = shell.json(&["verify", "a.docx", "--against", "b.docx"]);
    assert_eq!(verified["package"]["changed"], json!(["word/document.xml"]), "{verified}");
    assert_eq!(receipt["package"]["changed"], verified["package"]["changed"]);
    let (_, undone) = shell.json(&["undo", "a.docx"]);
    assert_eq!(undone["package"]["changed"], json!(["word/document.xml"]));
    assert_eq!(fs::read(shell.path("a.docx")).unwrap(), fs::read(&original).unwrap());
}

#[test]
fn a_deck_is_verified_as_a_deck() {
    let shell = Shell::new();
    fs::copy(stet_tests::fixture("pptx-slide-ops.pptx"), shell.path("a.pptx")).unwrap();
    fs::copy(shell.path("a.pptx"), shell.path("b.pptx")).unwrap();
    let (status, verified) = shell.json(&["verify", "a.pptx"]);
    assert_eq!(
        (status, &verified["findings"]),
        (0, &json!(["the notes master is not listed"])),
        "{verified}"
    );
    let (_, verified) = shell.json(&["verify", "a.pptx", "--against", "b.pptx"]);
    assert_eq!(verified.get("findings"), None, "the other version has it too: {verified}");
}

#[test]
fn new_files_of_every_format() {
    let shell = Shell::new();
    shell.write("rows.csv", "name,amount\nAda,1.5\n007,\"=A1\"\n");
    shell.write("deck.md", "# Cover\nsubtitle\n\n## Plan\n- first\n- second\n> say it slowly\n");
    shell.write("paper.md", "# Title\n\nA paragraph.\n\n- item\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
    let made = |file: &str, source: &str| {
        let (status, receipt) = shell.json(&["new", file, "--from", source]);
        assert_eq!(
            (status, &receipt["status"], &receipt["content_rev"]),
            (0, &json!("committed"), &json!(1)),
            "{receipt}"
        );
        let (status, verified) = shell.json(&["verify", file]);
        assert_eq!((status, &verified["problems"]), (0, &json!([])));
        assert_eq!(verified.get("findings"), None, "{verified}");
        let (_, outline) = shell.json(&["outline", file]);
        outline["nodes"].as_array().unwrap().clone()
    };
    let has = |nodes: &[Value], key: &str, value: Value| nodes.iter().any(|node| node[key] == value);
    let cells = made("rows.xlsx", "rows.csv");
    assert!(
        has(&cells, "value", json!(1.5))
            && has(&cells, "text", json!("007"))
            && has(&cells, "text", json!("=A1")),
        "{cells:?}"
    );
    assert!(cells.iter().all(|node| node.get("formula").is_none()), "a plain string is no formula");
    let slides = made("deck.pptx", "deck.md");
    assert_eq!(slides.iter().filter(|node| node["kind"] == "slide").count(), 2, "{slides:?}");
    assert!(has(&slides, "kind", json!("notes")), "{slides:?}");
    let paragraphs = made("paper.docx", "paper.md");
    assert!(
        has(&paragraphs, "text", json!("Title")) && has(&paragraphs, "style", json!("Heading 1")),
        "{paragraphs:?}"
    );
    assert!(has(&paragraphs, "kind", json!("table")), "{paragraphs:?}");
    for empty in ["empty.docx", "empty.xlsx", "empty.pptx", "empty.md"] {
        assert_eq!(shell.json(&["new", empty]).0, 0);
        assert_eq!(shell.json(&["outline", empty]).0, 0);
    }
}
