//! Nothing outside of the granted folders, whatever a client names.

use serde_json::json;

use super::Place;

#[test]
fn paths_out_of_the_root_are_refused() {
    let place = Place::new();
    place.write("in/notes.md", "inside\n");
    let secret = place.write("out/secret.md", "secret words\n");
    // Known to this home already, as when the user has it open in the app.
    assert_eq!(place.cli(&["outline", secret.to_str().unwrap()]).0, 0);
    let (_, outline) = place.cli(&["outline", secret.to_str().unwrap()]);
    let secret_id = outline["file_id"].as_str().unwrap().to_owned();
    let mut client = place.client(&["--commit"]);
    for path in [
        "../out/secret.md",
        "./../out/secret.md",
        "sub/../../out/secret.md",
        secret.to_str().unwrap(),
        "/etc/hostname",
        "/etc/none-such",
        "..",
        "/",
        "",
        "a\u{0}b",
        "..\\out\\secret.md",
        "file:///etc/hostname",
        "~/.bashrc",
    ] {
        let code = client.refused("file_read", json!({ "path": path }));
        assert!(["path_not_allowed", "io_error"].contains(&code.as_str()), "{path}: {code}");
        let escapes = path.starts_with('/') || path.contains("../") || path == "..";
        assert!(!escapes || path == "/" || code == "path_not_allowed", "{path}: {code}");
        let code = client.refused("file_write", json!({ "path": path, "text": "x" }));
        assert!(
            ["path_not_allowed", "io_error", "invalid_arguments"].contains(&code.as_str())
                || !path.contains(".."),
            "{path}: {code}"
        );
    }
    // By id the file is as unknown as one that never was: neither its path nor its revision is told.
    for (tool, arguments) in [
        ("file_read", json!({ "file_id": secret_id })),
        ("file_history", json!({ "file_id": secret_id })),
        ("file_search", json!({ "file_id": secret_id, "query": "secret" })),
        (
            "file_edit",
            json!({ "file_id": secret_id, "expected_content_rev": 1, "ops": [{ "op": "append_lines", "text": "x" }] }),
        ),
        (
            "file_restore",
            json!({ "file_id": secret_id, "snapshot": "snap-000001", "expected_content_rev": 1 }),
        ),
    ] {
        let answer = client.call(tool, arguments);
        assert_eq!(answer["error"]["code"], "file_not_open", "{tool}: {answer}");
        assert!(!answer.to_string().contains("secret.md") && answer.get("content_rev").is_none(), "{answer}");
    }
    assert!(
        client.call("file_search", json!({ "query": "secret" }))["matches"].as_array().unwrap().is_empty()
    );
    assert_eq!(client.call("file_list", json!({}))["files"].as_array().unwrap().len(), 1);
    let uri = format!("stet://documents/{secret_id}");
    assert!(client.request("resources/read", json!({ "uri": uri })).get("error").is_some());
    assert_eq!(place.text("out/secret.md"), "secret words\n");
}

#[cfg(unix)]
#[test]
fn links_out_of_the_root_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    place.write("in/notes.md", "inside\n");
    place.write("out/secret.md", "secret\n");
    symlink(place.path("out/secret.md"), place.path("in/link.md")).unwrap();
    symlink(place.path("out"), place.path("in/door")).unwrap();
    symlink("/", place.path("in/all")).unwrap();
    symlink(place.path("in"), place.path("in/loop")).unwrap();
    let mut client = place.client(&["--commit"]);
    for path in ["link.md", "door/secret.md", "all/etc/hostname", "loop/door/secret.md", "door/none.md"] {
        assert_eq!(client.refused("file_read", json!({ "path": path })), "path_not_allowed", "{path}");
    }
    assert_eq!(
        client.refused("file_write", json!({ "path": "door/new.md", "text": "x" })),
        "path_not_allowed"
    );
    assert!(!place.path("out/new.md").exists());
    assert_eq!(
        client.call("file_list", json!({}))["files"].as_array().unwrap().len(),
        1,
        "links are not listed"
    );
    // A file that was known and is replaced by a link afterwards.
    let (id, rev) = client.open(&place.path("in/notes.md"));
    std::fs::remove_file(place.path("in/notes.md")).unwrap();
    symlink(place.path("out/secret.md"), place.path("in/notes.md")).unwrap();
    let edit =
        json!({ "file_id": id, "expected_content_rev": rev, "ops": [{ "op": "append_lines", "text": "x" }] });
    assert_eq!(client.refused("file_edit", edit), "file_not_open");
    assert_eq!(client.refused("file_read", json!({ "file_id": id })), "file_not_open");
    assert_eq!(place.text("out/secret.md"), "secret\n");
}

#[test]
fn the_snapshots_of_everything_are_not_served() {
    let place = Place::new();
    place.write("in/notes.md", "inside\n");
    let whole = place.path("");
    let mut client = place.raw_client(&["--root", whole.to_str().unwrap(), "--commit"]);
    client.shake_hands(json!({}));
    client.open(&place.path("in/notes.md"));
    let listed = client.call("file_list", json!({})).to_string();
    assert!(!listed.contains("/home/"), "{listed}");
    for path in ["home/settings.json", "home/stet.sqlite", "home"] {
        let code = client.refused("file_read", json!({ "path": path }));
        assert_eq!(code, "path_not_allowed", "{path}");
    }
    assert_eq!(
        client.refused("file_write", json!({ "path": "home/settings.md", "text": "{}" })),
        "path_not_allowed"
    );
}

#[test]
fn the_clients_roots_are_asked_for_and_followed() {
    let place = Place::new();
    place.write("in/a.md", "a\n");
    place.write("out/b.md", "b\n");
    std::fs::create_dir(place.path("in/sub")).unwrap();
    place.write("in/sub/c.md", "c\n");
    let names = |client: &mut super::Client| {
        let listed = client.call("file_list", json!({}));
        let files = listed["files"].as_array().unwrap().clone();
        let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap().to_owned();
        files.iter().map(|file| name(file["path"].as_str().unwrap())).collect::<Vec<_>>()
    };
    // Without --root the client decides.
    let mut client = place.raw_client(&[]);
    client.roots = vec![place.path("out")];
    client.shake_hands(json!({ "roots": { "listChanged": true } }));
    assert_eq!(names(&mut client), ["b.md"]);
    assert_eq!(client.refused("file_read", json!({ "path": place.path("in/a.md") })), "path_not_allowed");
    client.roots = vec![place.path("in/sub")];
    let seen = client.notes.len();
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }));
    assert!(client.notified("notifications/resources/list_changed", seen).is_some());
    assert_eq!(names(&mut client), ["c.md"]);
    // With --root it can only narrow.
    let root = place.path("in");
    let mut client = place.raw_client(&["--root", root.to_str().unwrap()]);
    client.roots = vec![place.path("in/sub"), place.path("out")];
    client.shake_hands(json!({ "roots": {} }));
    assert_eq!(names(&mut client), ["c.md"]);
    assert_eq!(client.refused("file_read", json!({ "path": place.path("out/b.md") })), "path_not_allowed");
    let output = place.command(&["mcp", "--root", "no/such/folder"]).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
}

#[test]
fn what_the_user_keeps_out_is_kept_out_of_other_agents() {
    let place = Place::new();
    let path = place.write("in/notes.md", "# Open\n\nplain words\n\n# Secret\n\nhidden words here\n");
    let (id, rev) = place.client(&[]).open(&path);
    let settings = json!({ "kept_out": { id.clone(): ["section:Secret"] } });
    place.write("home/settings.json", settings.to_string());
    let mut client = place.client(&["--commit"]);
    let outline = client.call("file_read", json!({ "file_id": id }));
    assert!(
        outline.to_string().contains("plain words") && !outline.to_string().contains("hidden"),
        "{outline}"
    );
    assert_eq!(client.call("file_search", json!({ "query": "hidden" }))["matches"], json!([]));
    let edit = |find: &str| {
        let ops = json!([{ "op": "replace_text", "find": find, "replace": "other words" }]);
        json!({ "file_id": id, "expected_content_rev": rev, "ops": ops })
    };
    assert_eq!(client.refused("file_edit", edit("hidden words")), "path_not_allowed");
    let uri = format!("stet://documents/{id}");
    let read = client.request("resources/read", json!({ "uri": uri }));
    assert!(read.get("error").is_some() && !read.to_string().contains("hidden words"), "{read}");
    assert_eq!(client.call("file_edit", edit("plain words"))["status"], "committed");
}
