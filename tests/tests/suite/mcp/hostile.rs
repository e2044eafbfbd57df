//! Clients that break the protocol or ask for too much: refused with codes, no crash, no leak.

use std::time::Duration;

use serde_json::{Value, json};

use super::Place;

#[test]
fn lines_that_are_no_messages_are_refused_and_survived() {
    let place = Place::new();
    place.write("in/notes.md", "alpha\n");
    let mut client = place.client(&[]);
    for (line, code) in [
        (&b"{ not json"[..], -32700),
        (b"\xff\xfe\x00", -32700),
        (b"[]", -32600),
        (b"42", -32600),
        (b"{\"jsonrpc\":\"1.0\",\"id\":77,\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":{\"a\":1},\"method\":\"ping\"}", -32600),
    ] {
        client.send_raw(&[line, b"\n"].concat());
        let id = if line.starts_with(b"{\"jsonrpc\":\"1.0\"") { json!(77) } else { Value::Null };
        let answer = client.answer_within(&id, Duration::from_secs(20));
        let answer = answer.unwrap_or_else(|| panic!("no answer to {:?}", String::from_utf8_lossy(line)));
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
    client.send_raw(b"\n\n   \n");
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}{}}}\n",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    client.send_raw(deep.as_bytes());
    assert!(client.is_alive());
    let unknown = client.request("tools/none", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    let unknown = client.request("tools/call", json!({ "name": "rm", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert!(client.is_alive());
}

#[test]
fn arguments_of_wrong_types_are_invalid() {
    let place = Place::new();
    let path = place.write("in/notes.md", "alpha\n");
    let mut client = place.client(&["--commit"]);
    let (id, _) = client.open(&path);
    for (tool, arguments) in [
        ("file_read", json!({ "file_id": 7 })),
        ("file_read", json!({ "file_id": id, "path": "notes.md" })),
        ("file_read", json!({})),
        ("file_read", json!({ "file_id": id, "surprise": true })),
        ("file_search", json!({ "query": ["alpha"] })),
        ("file_search", json!({ "query": "" })),
        ("file_search", json!({ "query": "a", "max": -1 })),
        ("file_edit", json!({ "file_id": id, "expected_content_rev": "1", "ops": [] })),
        ("file_edit", json!({ "file_id": id, "expected_content_rev": -1, "ops": [] })),
        ("file_edit", json!({ "file_id": id, "expected_content_rev": 1.5, "ops": [] })),
        ("file_edit", json!({ "file_id": id, "expected_content_rev": 1, "ops": "delete everything" })),
        ("file_edit", json!({ "file_id": id, "expected_content_rev": 1, "ops": [7] })),
        (
            "file_edit",
            json!({ "file_id": id, "expected_content_rev": 1, "ops": [{ "op": "append_lines", "text": 7 }] }),
        ),
        ("file_edit", json!({ "file_id": null, "expected_content_rev": 1, "ops": [] })),
        ("file_write", json!({ "path": "x.md", "text": {} })),
        ("file_write", json!({ "path": "x.xlsx", "text": "a", "format": "docx" })),
        ("file_history", json!([])),
        ("file_history", json!({})),
        ("file_restore", json!({ "file_id": id, "snapshot": 4, "expected_content_rev": 1 })),
    ] {
        let answer = client.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        // Arguments that are no object are a fault of the message, anything else of the call.
        let code = match answer.get("error") {
            Some(error) => error["code"].clone(),
            None => super::result_of(&answer)["error"]["code"].clone(),
        };
        assert!(
            [json!("invalid_arguments"), json!(-32602), json!(-32600)].contains(&code),
            "{tool} {arguments}: {answer}"
        );
    }
    assert!(!place.path("in/x.md").exists() && !place.path("in/x.xlsx").exists());
    assert_eq!(place.text("in/notes.md"), "alpha\n");
}

#[test]
fn huge_arguments_are_refused_and_not_kept() {
    let place = Place::new();
    let path = place.write("in/notes.md", "alpha\n");
    let mut client = place.client(&["--commit"]);
    let (id, rev) = client.open(&path);
    // Over the limit of a line: answered by its id although it is never read whole.
    let head = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":\"huge\",\"method\":\"tools/call\",\"params\":{{\"name\":\"file_edit\",\"arguments\":{{\"file_id\":\"{id}\",\"text\":\""
    );
    client.send_raw(head.as_bytes());
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..80 {
        client.send_raw(&chunk);
    }
    client.send_raw(b"\"}}}\n");
    let answer = client.answer(&json!("huge")).expect("an answer");
    assert!(answer["error"]["message"].as_str().unwrap().contains("too_large"), "{answer}");
    // Within it: many operations, a long path, a long query.
    let many: Vec<Value> =
        (0..50_000).map(|_| json!({ "op": "replace_text", "find": "nowhere", "replace": "x" })).collect();
    let code =
        client.refused("file_edit", json!({ "file_id": id, "expected_content_rev": rev, "ops": many }));
    assert_eq!(code, "zero_matches");
    let long = "x/".repeat(200_000);
    assert_eq!(client.refused("file_read", json!({ "path": long })), "path_not_allowed");
    let query = client.call("file_search", json!({ "query": "y".repeat(1 << 20) }));
    assert_eq!(query["matches"], json!([]));
    assert_eq!(place.text("in/notes.md"), "alpha\n");
    assert!(client.is_alive());
}

#[test]
fn a_thousand_rapid_calls() {
    let place = Place::new();
    let path = place.write("in/notes.md", "alpha\nbeta\n");
    let mut client = place.client(&[]);
    let (id, _) = client.open(&path);
    let mut round = || {
        let ids: Vec<u64> = (0..1_000)
            .map(|number| {
                let (name, arguments) = match number % 4 {
                    0 => ("file_list", json!({})),
                    1 => ("file_read", json!({ "file_id": id })),
                    2 => ("file_search", json!({ "query": "beta" })),
                    _ => ("file_edit", json!({ "file_id": id, "expected_content_rev": 99, "ops": [] })),
                };
                client.ask("tools/call", json!({ "name": name, "arguments": arguments }))
            })
            .collect();
        for (number, call) in ids.iter().enumerate() {
            let answer = super::result_of(&client.answer(&json!(call)).unwrap());
            assert_eq!(answer["ok"] == false, number % 4 == 3, "{answer}");
        }
        footprint(client.pid())
    };
    let first = round();
    let second = round();
    if let (Some(first), Some(second)) = (first, second) {
        assert!(second.kilobytes < first.kilobytes + 40_000, "memory: {first:?}, then {second:?}");
        assert!(second.files <= first.files + 8, "open files: {first:?}, then {second:?}");
        assert!(second.threads < 64, "{second:?}");
    }
}

#[derive(Debug, Clone, Copy)]
struct Footprint {
    kilobytes: u64,
    threads: u64,
    files: usize,
}

/// What the system says of a process; only where there is `/proc`.
fn footprint(pid: u32) -> Option<Footprint> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let number = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    let files = std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count();
    Some(Footprint { kilobytes: number("VmRSS:")?, threads: number("Threads:")?, files })
}
