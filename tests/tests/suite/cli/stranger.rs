//! What somebody new to the command line tries first, and what must not surprise them.

use std::io::Read;

use super::*;

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let shell = Shell::new();
    shell.write("long.md", &"a line of some length\n".repeat(20_000));
    for arguments in [&["outline", "long.md", "--json"][..], &["man"], &["completions", "bash"]] {
        let mut command = shell.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 1];
        child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
        drop(child.stdout.take());
        let (status, _, said) = text(&child.wait_with_output().unwrap());
        assert_eq!((status, said.as_str()), (0, ""), "{arguments:?}");
    }
}

#[test]
fn a_name_that_leads_nowhere_is_said_as_it_is() {
    let shell = Shell::new();
    for arguments in
        [&["outline", "no.md"][..], &["history", "no.md"], &["verify", "no.docx"], &["undo", "no.md"]]
    {
        let (status, out, said) = shell.run(arguments);
        assert_eq!((status, out.as_str()), (1, ""), "{arguments:?}");
        assert!(said.contains(&format!("{} is not there.", arguments[1])), "{said}");
        assert!(said.contains("Check the name"), "{said}");
    }
}

#[test]
fn every_answer_says_first_whether_it_was_done() {
    let shell = Shell::new();
    shell.write("a.md", "alpha\n");
    for arguments in [
        &["outline", "a.md"][..],
        &["history", "a.md"],
        &["verify", "a.md"],
        &["models"],
        &["metrics"],
        &["key", "status", "openai"],
        &["key", "clear", "openai"],
        &["undo", "a.md"],
        &["restore", "a.md", "snap-000099"],
    ] {
        let (status, out, _) = shell.run(&[arguments, &["--json"]].concat());
        assert!(out.starts_with(&format!("{{\"ok\":{}", status == 0)), "{arguments:?}: {out}");
        assert!(out.ends_with("}\n") && out.lines().count() == 1, "{arguments:?}: {out}");
    }
}

/// The user changed the very line meanwhile: what still fits of the proposal is not written behind their back.
#[test]
fn a_proposal_that_fits_no_more_is_refused_whole_and_says_where() {
    let shell = Shell::new();
    let path = shell.write("a.md", "one\ntwo\nthree\n");
    let app = assistant::App::open(assistant::AppOptions::new(shell.path("home"))).unwrap();
    let stop = assistant::workspace::Stop::default();
    let file = app.documents_register(&path, &stop).unwrap();
    let ops = serde_json::json!([
        { "op": "replace_text", "find": "two", "replace": "TWO" },
        { "op": "replace_lines", "start_line": 3, "end_line": 3, "text": "see TWO above" },
    ]);
    let edit = assistant::api::params::Edit {
        file_id: file.file_id,
        expected_content_rev: Some(1),
        ops: ops.as_array().unwrap().clone(),
        mode: assistant::workspace::EditMode::Stage,
        ..Default::default()
    };
    app.run(assistant::Request::DocumentsEdit(edit), &stop).unwrap();
    drop(app);
    let own = r#"[{"op":"replace_text","find":"two","replace":"2"}]"#;
    assert_eq!(shell.with_input(&["apply", "a.md", "--ops", "-", "--expected-rev", "current"], own).0, 0);
    let (status, _, said) = shell.run(&["history", "a.md", "--accept", "all"]);
    assert_eq!(status, 4, "{said}");
    assert!(said.contains("operation 1: `find` was not found"), "{said}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\n2\nthree\n");
    let (_, out, _) = shell.run(&["history", "a.md"]);
    assert!(out.contains("does not fit any more"), "{out}");
}
