//! What a well-behaved client does: look, edit, be refused, look again, go back, watch.

use std::time::Duration;

use serde_json::{Value, json};

use super::Place;

const NOTES: &str = "# Title\n\nalpha\nbeta\n";

fn replace(find: &str, replace: &str) -> Value {
    json!([{ "op": "replace_text", "find": find, "replace": replace }])
}

#[test]
fn the_tools_are_the_contracts_with_schemas_and_hints() {
    let place = Place::new();
    let mut client = place.client(&[]);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        ["file_edit", "file_history", "file_list", "file_read", "file_restore", "file_search", "file_write"]
    );
    for tool in &tools {
        let (schema, hints) = (&tool["inputSchema"], &tool["annotations"]);
        assert_eq!(
            (&schema["type"], &schema["additionalProperties"]),
            (&json!("object"), &json!(false)),
            "{tool}"
        );
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(hints[hint].is_boolean(), "{} has no {hint}", tool["name"]);
        }
        let reads = ["file_list", "file_read", "file_search", "file_history"]
            .contains(&tool["name"].as_str().unwrap());
        assert_eq!(hints["readOnlyHint"], reads);
        assert!(tool["description"].as_str().is_some_and(|text| text.len() > 20));
        assert!(!tool.to_string().contains("text_from_fence"), "there is no message around a call");
    }
    let edit = tools.iter().find(|tool| tool["name"] == "file_edit").unwrap();
    assert_eq!(edit["annotations"]["destructiveHint"], false, "a proposal destroys nothing");
    let ops =
        edit["inputSchema"]["properties"]["ops"]["items"]["properties"]["op"]["enum"].as_array().unwrap();
    for op in ["replace_text", "xlsx_set_cell", "pptx_set_title", "docx_set_paragraph"] {
        assert!(ops.contains(&json!(op)), "{op}");
    }
    let mut committing = place.client(&["--commit"]);
    let tools = committing.request("tools/list", json!({}))["result"]["tools"].clone();
    let edit = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "file_edit").unwrap().clone();
    assert_eq!(edit["annotations"]["destructiveHint"], true);
}

#[test]
fn an_edit_waits_until_the_user_accepts_it() {
    let place = Place::new();
    place.write("in/notes.md", NOTES);
    let mut client = place.client(&[]);
    let listed = client.call("file_list", json!({}));
    let file = &listed["files"][0];
    assert_eq!((listed["files"].as_array().unwrap().len(), &file["format"]), (1, &json!("text")));
    let (id, rev) = (file["file_id"].as_str().unwrap().to_owned(), file["content_rev"].as_u64().unwrap());
    let outline = client.call("file_read", json!({ "file_id": id }));
    assert_eq!((&outline["nodes"][3]["at"], &outline["nodes"][3]["text"]), (&json!("L4"), &json!("beta")));
    let found = client.call("file_search", json!({ "query": "BETA" }));
    assert_eq!(found["matches"], json!([{ "file_id": id, "at": "L4", "text": "beta" }]));

    let edit = json!({ "file_id": id, "expected_content_rev": rev, "ops": replace("beta", "gamma") });
    let receipt = client.call("file_edit", edit);
    assert_eq!((&receipt["status"], &receipt["content_rev"]), (&json!("staged"), &json!(rev)), "{receipt}");
    assert_eq!(place.text("in/notes.md"), NOTES, "nothing was written");
    let proposal = receipt["proposal_id"].as_str().unwrap();

    let (_, history) = place.cli(&["history", "notes.md"]);
    assert_eq!(history["proposals"][0]["proposal_id"], *proposal);
    assert_eq!(place.cli(&["history", "notes.md", "--accept", "prop-999999"]).0, 3);
    let (status, accepted) = place.cli(&["history", "notes.md", "--accept", proposal]);
    assert_eq!((status, &accepted["receipts"][0]["status"]), (0, &json!("committed")), "{accepted}");
    assert_eq!(place.text("in/notes.md"), NOTES.replace("beta", "gamma"));

    let second = json!({ "file_id": id, "expected_content_rev": rev + 1, "ops": replace("gamma", "delta") });
    assert_eq!(client.call("file_edit", second)["status"], "staged");
    let (status, rejected) = place.cli(&["history", "notes.md", "--reject", "all"]);
    assert_eq!((status, rejected["rejected"].as_array().unwrap().len()), (0, 1));
    assert_eq!(place.text("in/notes.md"), NOTES.replace("beta", "gamma"));
    let history = client.call("file_history", json!({ "file_id": id }));
    assert_eq!(history["snapshots"].as_array().unwrap().len(), 2);

    // What writes at once is left to the user too.
    let snapshot = history["snapshots"][1]["id"].clone();
    let restore = json!({ "file_id": id, "snapshot": snapshot, "expected_content_rev": rev + 1 });
    assert_eq!(client.refused("file_restore", restore), "path_not_allowed");
    assert_eq!(client.refused("file_write", json!({ "path": "new.md", "text": "x" })), "path_not_allowed");
    assert!(!place.path("in/new.md").exists());
}

#[test]
fn with_commit_edits_are_written_and_can_be_taken_back() {
    let place = Place::new();
    let path = place.write("in/notes.md", NOTES);
    let mut client = place.client(&["--commit"]);
    let (id, rev) = client.open(&path);
    let edit = |rev: u64, find: &str| json!({ "file_id": id, "expected_content_rev": rev, "ops": replace(find, "gamma") });
    let receipt = client.call("file_edit", edit(rev, "beta"));
    assert_eq!((&receipt["status"], &receipt["content_rev"]), (&json!("committed"), &json!(rev + 1)));
    assert_eq!(place.text("in/notes.md"), NOTES.replace("beta", "gamma"));

    let conflict = client.call("file_edit", edit(rev, "alpha"));
    assert_eq!(
        (&conflict["error"]["code"], &conflict["error"]["status"], &conflict["content_rev"]),
        (&json!("content_rev_conflict"), &json!(409), &json!(rev + 1))
    );
    assert!(conflict["advice"].as_str().unwrap().contains("Read the file again"));
    let snapshot = receipt["snapshot"].clone();
    let restored = client.call(
        "file_restore",
        json!({ "file_id": id, "snapshot": snapshot, "expected_content_rev": rev + 1 }),
    );
    assert_eq!(restored["content_rev"], rev + 2);
    assert_eq!(place.text("in/notes.md"), NOTES);

    let made = client.call("file_write", json!({ "path": "made.docx", "text": "# Heading\n\nWords.\n" }));
    assert_eq!(made["status"], "committed", "{made}");
    let (made_id, _) = client.open(&place.path("in/made.docx"));
    assert_eq!(made["file_id"], made_id);
    assert_eq!(client.refused("file_write", json!({ "path": "made.docx", "text": "x" })), "path_not_allowed");
    let (_, history) = place.cli(&["history", "notes.md"]);
    assert!(history["snapshots"][1]["model"].as_str().unwrap().starts_with("mcp/"), "{history}");
}

#[test]
fn refusals_are_results_with_the_contracts_codes() {
    let place = Place::new();
    let path = place.write("in/notes.md", "alpha\nalpha\n");
    place.write("in/broken.docx", "PK\u{3}\u{4} and then no zip");
    let mut client = place.client(&["--commit"]);
    let (id, rev) = client.open(&path);
    let edit = |ops: Value| json!({ "file_id": id, "expected_content_rev": rev, "ops": ops });
    for (ops, code) in [
        (replace("alpha", "x"), "multiple_matches"),
        (replace("nowhere", "x"), "zero_matches"),
        (json!([{ "op": "docx_append_paragraph", "text": "x" }]), "unsupported_op"),
        (json!([{ "op": "append_lines" }]), "invalid_arguments"),
        (json!([{ "op": "no_such_op" }]), "invalid_arguments"),
        (json!([{ "op": "append_lines", "text_from_fence": true }]), "fence_missing"),
        (json!([{ "op": "delete_lines", "start_line": 900, "end_line": 901 }]), "out_of_range"),
        (
            json!([{ "op": "delete_lines", "start_line": 1, "end_line": 1, "expect_prefix": "beta" }]),
            "prefix_mismatch",
        ),
    ] {
        assert_eq!(client.refused("file_edit", edit(ops.clone())), code, "{ops}");
    }
    let missing = client.refused("file_edit", json!({ "file_id": id, "ops": replace("alpha", "x") }));
    assert_eq!(missing, "content_rev_required");
    assert_eq!(client.refused("file_read", json!({ "file_id": "file-00000000" })), "file_not_open");
    assert_eq!(client.refused("file_read", json!({ "path": "broken.docx" })), "damaged_document");
    assert_eq!(client.refused("file_read", json!({ "path": "nope.md" })), "io_error");
    assert_eq!(
        client.refused(
            "file_restore",
            json!({ "file_id": id, "snapshot": "snap-000099", "expected_content_rev": rev })
        ),
        "out_of_range"
    );
    // One unreadable file hides neither the list nor what the others hold.
    let listed = client.call("file_list", json!({}));
    assert_eq!(listed["files"].as_array().unwrap().len(), 2);
    let found = client.call("file_search", json!({ "query": "alpha" }));
    assert_eq!(found["matches"].as_array().unwrap().len(), 2, "{found}");
    assert_eq!(place.text("in/notes.md"), "alpha\nalpha\n");
}

#[test]
fn a_cancelled_call_writes_nothing_and_gets_no_answer() {
    let place = Place::new();
    let long = "a line of some words that repeats and repeats\n".repeat(400_000);
    let path = place.write("in/long.md", &long);
    let mut client = place.client(&["--commit"]);
    let (id, rev) = client.open(&path);
    let ops = json!([{ "op": "replace_text", "find": "repeats and", "replace": "goes on and", "occurrence": "all" }]);
    let edit = json!({ "name": "file_edit", "arguments": { "file_id": id, "expected_content_rev": rev, "ops": ops } });
    let call = client.ask("tools/call", edit);
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": call, "reason": "test" } }));
    assert_eq!(
        client.answer_within(&json!(call), Duration::from_secs(4)),
        None,
        "a cancelled request is not answered"
    );
    assert!(client.is_alive());
    assert_eq!(client.open(&path), (id, rev));
    assert!(place.text("in/long.md") == long);
}

#[test]
fn resources_prompts_and_news() {
    let place = Place::new();
    let path = place.write("in/notes.md", NOTES);
    let mut client = place.client(&["--commit"]);
    let resources = client.request("resources/list", json!({}))["result"]["resources"].clone();
    let (uri, mime) = (resources[0]["uri"].as_str().unwrap().to_owned(), resources[0]["mimeType"].clone());
    assert_eq!((resources.as_array().unwrap().len(), mime), (1, json!("text/markdown")));
    let read =
        |client: &mut super::Client, uri: &str| client.request("resources/read", json!({ "uri": uri }));
    assert_eq!(read(&mut client, &uri)["result"]["contents"][0]["text"], NOTES);
    let templates =
        client.request("resources/templates/list", json!({}))["result"]["resourceTemplates"].clone();
    assert!(templates.to_string().contains("stet://documents/{file_id}/snapshots/{snapshot}"));

    client.request("resources/subscribe", json!({ "uri": uri }));
    std::thread::sleep(Duration::from_millis(1_500));
    let seen = client.notes.len();
    let (id, rev) = client.open(&path);
    let edit = json!({ "file_id": id, "expected_content_rev": rev, "ops": replace("beta", "gamma") });
    let receipt = client.call("file_edit", edit);
    let updated =
        client.notified("notifications/resources/updated", seen).expect("news of the subscribed file");
    assert_eq!(updated["params"]["uri"], uri);
    let snapshot = format!("{uri}/snapshots/{}", receipt["snapshot"].as_str().unwrap());
    assert_eq!(read(&mut client, &snapshot)["result"]["contents"][0]["text"], NOTES);
    let history = read(&mut client, &format!("{uri}/history"))["result"]["contents"][0]["text"].clone();
    assert!(history.as_str().unwrap().contains("\"snapshots\""));

    let seen = client.notes.len();
    place.write("in/more.txt", "by another program\n");
    assert!(client.notified("notifications/resources/list_changed", seen).is_some());
    for bad in [
        "stet://documents/file-00000000",
        "stet://documents/",
        "file:///etc/hostname",
        "stet://documents/a/b/c/d",
    ] {
        assert!(read(&mut client, bad).get("error").is_some(), "{bad}");
    }
    assert!(read(&mut client, &format!("{uri}/snapshots/after"))["error"].is_object());

    let prompts = client.request("prompts/list", json!({}))["result"]["prompts"].clone();
    assert_eq!(prompts.as_array().unwrap().len(), 2);
    let arguments = json!({ "file": "notes.md", "instruction": "shout" });
    let prompt = client.request("prompts/get", json!({ "name": "edit_document", "arguments": arguments }));
    assert!(prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap().contains("shout"));
    assert!(client.request("prompts/get", json!({ "name": "edit_document" })).get("error").is_some());
}

#[test]
fn an_outline_of_an_earlier_state_is_a_resource_too() {
    let place = Place::new();
    place.write("paper.md", "# Title\n\nFirst.\n");
    let new = place.cli(&["new", "paper.docx", "--from", place.path("paper.md").to_str().unwrap()]);
    assert_eq!(new.0, 0);
    let mut client = place.client(&["--commit"]);
    let (id, rev) = client.open(&place.path("in/paper.docx"));
    let ops = json!([{ "op": "docx_replace_text", "find": "First.", "replace": "Second." }]);
    let receipt = client.call("file_edit", json!({ "file_id": id, "expected_content_rev": rev, "ops": ops }));
    assert_eq!(receipt["status"], "committed", "{receipt}");
    let mut outline = |uri: String| {
        client.request("resources/read", json!({ "uri": uri }))["result"]["contents"][0]["text"].to_string()
    };
    let snapshot = receipt["snapshot"].as_str().unwrap();
    assert!(outline(format!("stet://documents/{id}")).contains("Second."));
    assert!(outline(format!("stet://documents/{id}/snapshots/{snapshot}")).contains("First."));
}

#[test]
fn progress_is_told_to_who_asks_for_it() {
    let place = Place::new();
    for number in 0..12 {
        place.write(&format!("in/{number}.md"), "words\n");
    }
    let mut client = place.client(&[]);
    let params = json!({ "name": "file_search", "arguments": { "query": "words" }, "_meta": { "progressToken": "p1" } });
    client.request("tools/call", params);
    let progress: Vec<f64> = client
        .notes
        .iter()
        .filter(|note| note["method"] == "notifications/progress" && note["params"]["progressToken"] == "p1")
        .map(|note| note["params"]["progress"].as_f64().unwrap())
        .collect();
    assert!(progress.len() > 3, "{progress:?}");
    assert!(progress.is_sorted_by(|one, next| one < next), "{progress:?}");
    let before = client.notes.len();
    client.call("file_search", json!({ "query": "words" }));
    assert!(client.notes.iter().skip(before).all(|note| note["method"] != "notifications/progress"));
}

#[test]
fn what_was_asked_is_answered_before_the_end() {
    let place = Place::new();
    place.write("in/notes.md", NOTES);
    let mut client = place.client(&[]);
    let ids: Vec<u64> =
        (0..20).map(|_| client.ask("tools/call", json!({ "name": "file_list", "arguments": {} }))).collect();
    let (status, answers) = client.hang_up();
    assert_eq!(status, 0);
    for id in ids {
        assert!(answers.iter().any(|answer| answer["id"] == id), "{id} was not answered");
    }
}
