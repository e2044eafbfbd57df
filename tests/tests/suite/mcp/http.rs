//! Streamable HTTP on loopback: the token, Host and Origin, and a call from end to end.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Stdio},
};

use serde_json::{Value, json};

use super::Place;

struct HttpServer {
    child: Child,
    address: String,
    token: Option<String>,
}

impl HttpServer {
    fn start(place: &Place, more: &[&str]) -> HttpServer {
        let root = place.path("in");
        let mut command =
            place.command(&[&["mcp", "--http", "0", "--root", root.to_str().unwrap()], more].concat());
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let ready = lines.next().unwrap().unwrap();
        let address = ready.strip_prefix("listening on http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("{ready}")).to_owned();
        let token = (!more.contains(&"--token"))
            .then(|| lines.next().unwrap().unwrap().strip_prefix("token: ").unwrap().to_owned());
        HttpServer { child, address, token }
    }

    /// Sends a request; status, headers and body of the answer.
    fn post(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> (u16, String, String) {
        let body = body.to_string();
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
        let mut request = format!(
            "POST {path} HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            body.len()
        );
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request += &format!("Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{request}\r\n{body}").as_bytes()).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, rest) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        (status, head.to_lowercase(), rest.to_owned())
    }

    fn authorised(&self) -> String {
        format!("Bearer {}", self.token.as_deref().unwrap_or_default())
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn hello() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "suite", "version": "1" },
    }})
}

/// The JSON of an event stream's data lines.
fn data(body: &str) -> Vec<Value> {
    body.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data:")?.trim()).ok()).collect()
}

#[test]
fn only_who_has_the_token_and_comes_from_no_page_is_served() {
    let place = Place::new();
    let server = HttpServer::start(&place, &[]);
    let token = server.authorised();
    let authorised = ("Authorization", token.as_str());
    assert_eq!(server.post("/mcp", &[], &hello()).0, 401);
    for wrong in ["Bearer nonsense", "Bearer ", "", "Basic abc"] {
        assert_eq!(server.post("/mcp", &[("Authorization", wrong)], &hello()).0, 401, "{wrong}");
    }
    for origin in ["http://evil.example", "null", "http://localhost:3000"] {
        assert_eq!(server.post("/mcp", &[authorised, ("Origin", origin)], &hello()).0, 403, "{origin}");
    }
    for host in ["evil.example", "evil.example:80", "127.0.0.1:1"] {
        let status = server.post("/mcp", &[authorised, ("Host", host)], &hello()).0;
        assert!((400..500).contains(&status), "{host}: {status}");
    }
    assert_eq!(server.post("/other", &[authorised], &hello()).0, 404);
    let (status, _, body) = server.post("/mcp", &[authorised], &hello());
    assert_eq!(status, 200, "{body}");
    assert_eq!(data(&body).last().unwrap()["result"]["serverInfo"]["name"], "stet", "{body}");
}

#[test]
fn a_call_over_http() {
    let place = Place::new();
    place.write("in/notes.md", "alpha\n");
    let server = HttpServer::start(&place, &["--token", "none", "--commit"]);
    let (status, head, _) = server.post("/mcp", &[], &hello());
    assert_eq!(status, 200);
    let session =
        head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().trim().to_owned();
    let headers = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-06-18")];
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(server.post("/mcp", &headers, &initialized).0, 202);
    let call = |id: u64, name: &str, arguments: Value| {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name, "arguments": arguments } });
        let (status, _, body) = server.post("/mcp", &headers, &request);
        assert_eq!(status, 200, "{body}");
        let answer =
            data(&body).into_iter().find(|message| message["id"] == id).unwrap_or_else(|| panic!("{body}"));
        super::result_of(&answer)
    };
    let listed = call(2, "file_list", json!({}));
    let edit = json!({
        "file_id": listed["files"][0]["file_id"], "expected_content_rev": 1,
        "ops": [{ "op": "replace_text", "find": "alpha", "replace": "beta" }],
    });
    assert_eq!(call(3, "file_edit", edit)["status"], "committed");
    assert_eq!(place.text("in/notes.md"), "beta\n");
    assert_eq!(call(4, "file_read", json!({ "path": "../out/x.md" }))["error"]["code"], "path_not_allowed");
    let unknown = [("Mcp-Session-Id", "no-such-session")];
    let request = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/list" });
    assert!((400..500).contains(&server.post("/mcp", &unknown, &request).0));
}
