//! `stet mcp` as clients of other makers meet it: JSON-RPC lines to the binary, nothing of its inside (CONTRACT, section 6).

#[path = "mcp/edits.rs"]
mod edits;
#[path = "mcp/fence.rs"]
mod fence;
#[path = "mcp/hostile.rs"]
mod hostile;
#[path = "mcp/http.rs"]
mod http;
#[path = "mcp/together.rs"]
mod together;

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::cli::stet;

/// An answer that takes longer is none.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder to be served, one that is not, and a Stet home.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(place.path("in")).unwrap();
        fs::create_dir(place.path("out")).unwrap();
        place
    }

    /// A real path below the place.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(stet());
        command.args(arguments).env("STET_HOME", self.path("home")).current_dir(self.path("in"));
        command
    }

    /// A client of a server for `in`, past its handshake.
    pub(crate) fn client(&self, more: &[&str]) -> Client {
        let root = self.path("in");
        let mut client = self.raw_client(&[&["--root", root.to_str().unwrap()], more].concat());
        client.shake_hands(json!({}));
        client
    }

    pub(crate) fn raw_client(&self, arguments: &[&str]) -> Client {
        Client::start(self.command(&[&["mcp"], arguments].concat()))
    }

    /// Runs the command line on the same home; the answer is JSON.
    pub(crate) fn cli(&self, arguments: &[&str]) -> (i32, Value) {
        let output = self.command(&[arguments, &["--json"]].concat()).output().unwrap();
        let answer =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {output:?}"));
        (output.status.code().unwrap(), answer)
    }
}

/// One client with its server.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    next: u64,
    /// Folders told when the server asks for roots.
    pub(crate) roots: Vec<PathBuf>,
    /// Everything that was no answer, in order.
    pub(crate) notes: Vec<Value>,
    /// Answers that were not waited for yet.
    answers: Vec<Value>,
}

impl Client {
    fn start(mut command: Command) -> Client {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                // Standard output carries the protocol and nothing else.
                let line = line.unwrap();
                let message = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        let (roots, notes, answers) = (Vec::new(), Vec::new(), Vec::new());
        Client { child, input, lines, next: 1, roots, notes, answers }
    }

    pub(crate) fn shake_hands(&mut self, capabilities: Value) -> Value {
        let params = json!({
            "protocolVersion": "2025-06-18", "capabilities": capabilities,
            "clientInfo": { "name": "suite", "version": "1" },
        });
        let answer = self.request("initialize", params);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer["result"].clone()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes());
    }

    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Sends a request and gives its id.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(&json!(id)).unwrap_or_else(|| panic!("no answer to {method}"))
    }

    /// The answer with this id, or `None` when it does not come in time.
    pub(crate) fn answer(&mut self, id: &Value) -> Option<Value> {
        self.answer_within(id, PATIENCE)
    }

    pub(crate) fn answer_within(&mut self, id: &Value, patience: Duration) -> Option<Value> {
        let deadline = Instant::now() + patience;
        loop {
            if let Some(at) = self.answers.iter().position(|answer| answer["id"] == *id) {
                return Some(self.answers.remove(at));
            }
            if !self.take_in(deadline) {
                return None;
            }
        }
    }

    /// Takes one message in; `false` when none comes in time.
    fn take_in(&mut self, deadline: Instant) -> bool {
        let message = match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return false,
        };
        if message.get("method").is_none() {
            self.answers.push(message);
            return true;
        }
        if message["method"] == "roots/list" {
            let root =
                |path: &PathBuf| json!({ "uri": format!("file://{}", path.display()), "name": "a root" });
            let roots: Vec<Value> = self.roots.iter().map(root).collect();
            self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "roots": roots } }));
        }
        self.notes.push(message);
        true
    }

    /// Waits for a notification with this method that came after the first `seen` ones.
    pub(crate) fn notified(&mut self, method: &str, seen: usize) -> Option<Value> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(note) = self.notes.iter().skip(seen).find(|note| note["method"] == method) {
                return Some(note.clone());
            }
            if !self.take_in(deadline) {
                return None;
            }
        }
    }

    /// Calls a tool; the structured answer must say the same as the text, and `isError` the opposite of `ok`.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        result_of(&answer)
    }

    /// The code of a call that must be refused.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments.clone());
        assert_eq!(answer["ok"], false, "{tool} {arguments}: {answer}");
        answer["error"]["code"].as_str().unwrap().to_owned()
    }

    /// Id and revision of a file, by its path.
    pub(crate) fn open(&mut self, path: &Path) -> (String, u64) {
        let outline = self.call("file_read", json!({ "path": path }));
        assert_eq!(outline["ok"], true, "{outline}");
        (outline["file_id"].as_str().unwrap().to_owned(), outline["content_rev"].as_u64().unwrap())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        self.request("ping", json!({})).get("result").is_some()
    }

    /// Closes the pipe and waits for the end; the server must end by itself.
    pub(crate) fn hang_up(mut self) -> (i32, Vec<Value>) {
        drop(self.input.take());
        let deadline = Instant::now() + PATIENCE;
        while self.take_in_quietly(deadline) {}
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "the server did not end");
            std::thread::sleep(Duration::from_millis(10));
        };
        (status.code().unwrap_or(-1), std::mem::take(&mut self.answers))
    }

    fn take_in_quietly(&mut self, deadline: Instant) -> bool {
        match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(message) => {
                let is_answer = message.get("method").is_none();
                if is_answer {
                    self.answers.push(message)
                } else {
                    self.notes.push(message)
                }
                true
            }
            Err(_) => false,
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The structured content of a tool's answer, after a look at its form.
pub(crate) fn result_of(answer: &Value) -> Value {
    let result = &answer["result"];
    let structured = result["structuredContent"].clone();
    let text: Value =
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")))
            .unwrap();
    assert_eq!(text, structured);
    assert_eq!(result["isError"].as_bool().unwrap(), structured["ok"] == false);
    structured
}
