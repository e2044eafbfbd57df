//! Scripted answers: the usual ones ready-made, and every step by hand.

use std::time::Duration;

use serde_json::{Value, json};

/// One answer.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub framing: Framing,
    pub steps: Vec<Step>,
}

/// How the end of the body is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    Chunked,
    Length,
    UntilClose,
    /// The same from a server that speaks HTTP/1.0.
    Http10,
    /// A length that need not be true.
    Promised(usize),
}

/// One thing that happens on the connection.
#[derive(Clone, Debug)]
pub enum Step {
    Bytes(Vec<u8>),
    Pause(Duration),
    /// TCP reset.
    Reset,
    /// A close in the middle of the body's framing.
    Cut,
    /// Our side is closed, theirs stays open.
    HalfClose,
    /// Nothing more, until the client leaves.
    Hang,
}

impl Step {
    pub fn len(&self) -> usize {
        match self {
            Step::Bytes(bytes) => bytes.len(),
            Step::Pause(_) | Step::Reset | Step::Cut | Step::HalfClose | Step::Hang => 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Reply {
    /// An event stream with these bytes as its body.
    pub fn stream(body: impl Into<Vec<u8>>) -> Reply {
        Reply {
            status: 200,
            headers: vec![("content-type".into(), "text/event-stream".into())],
            framing: Framing::Chunked,
            steps: vec![Step::Bytes(body.into())],
        }
    }

    /// An event stream of these chunks and `[DONE]`.
    pub fn chunks(chunks: &[Value]) -> Reply {
        Reply::stream(sse(chunks))
    }

    /// A text answer, in pieces of a few characters.
    pub fn text(text: &str) -> Reply {
        let characters: Vec<char> = text.chars().collect();
        let pieces = characters
            .chunks(7)
            .map(|piece| chunk(&json!({"content": piece.iter().collect::<String>()}), None));
        let mut chunks = vec![chunk(&json!({"role": "assistant", "content": ""}), None)];
        chunks.extend(pieces);
        chunks.push(chunk(&json!({}), Some("stop")));
        Reply::chunks(&chunks)
    }

    /// One tool call, its arguments in pieces.
    pub fn call(id: &str, name: &str, arguments: &str) -> Reply {
        Reply::calls("", &[(id, name, arguments)])
    }

    /// Text and several tool calls, as a well-behaved endpoint sends them.
    pub fn calls(text: &str, calls: &[(&str, &str, &str)]) -> Reply {
        let mut chunks = vec![chunk(&json!({"role": "assistant", "content": text}), None)];
        for (index, (id, name, arguments)) in calls.iter().enumerate() {
            let head = json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
            chunks.push(chunk(&json!({"tool_calls": [head]}), None));
            let characters: Vec<char> = arguments.chars().collect();
            for piece in characters.chunks(11) {
                let fragment =
                    json!({"index": index, "function": {"arguments": piece.iter().collect::<String>()}});
                chunks.push(chunk(&json!({"tool_calls": [fragment]}), None));
            }
        }
        chunks.push(chunk(&json!({}), Some("tool_calls")));
        Reply::chunks(&chunks)
    }

    /// A JSON body with status 200.
    pub fn json(body: &Value) -> Reply {
        Reply::status(200, body)
    }

    /// A JSON body with any status.
    pub fn status(status: u16, body: &Value) -> Reply {
        Reply {
            status,
            headers: vec![("content-type".into(), "application/json".into())],
            framing: Framing::Length,
            steps: vec![Step::Bytes(body.to_string().into_bytes())],
        }
    }

    pub fn header(mut self, name: &str, value: &str) -> Reply {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn framing(mut self, framing: Framing) -> Reply {
        self.framing = framing;
        self
    }

    pub fn then(mut self, step: Step) -> Reply {
        self.steps.push(step);
        self
    }

    /// The same bytes in pieces of this size, with a pause after each.
    pub fn in_pieces(mut self, size: usize, delay: Duration) -> Reply {
        let steps = std::mem::take(&mut self.steps);
        for step in steps {
            match step {
                Step::Bytes(bytes) => {
                    for piece in bytes.chunks(size.max(1)) {
                        self.steps.push(Step::Bytes(piece.to_vec()));
                        self.steps.push(Step::Pause(delay));
                    }
                }
                other => self.steps.push(other),
            }
        }
        self
    }
}

/// One chunk of a stream.
pub fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({
        "id": "r1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    })
}

/// Chunks as an event stream that ends properly.
pub fn sse(chunks: &[Value]) -> Vec<u8> {
    let mut body = String::new();
    for chunk in chunks {
        body.push_str(&format!("data: {chunk}\n\n"));
    }
    body.push_str("data: [DONE]\n\n");
    body.into_bytes()
}
