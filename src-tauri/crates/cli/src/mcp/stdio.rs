//! JSON-RPC lines on standard input and output.
//!
//! A line that is no message is answered as JSON-RPC says instead of being passed over; a line over the limit is refused without being
//! kept in memory; and when the client closes its end, what was asked before is still answered.

use std::{
    collections::HashSet,
    future::Future,
    io,
    sync::{Arc, Mutex as PlainMutex, MutexGuard, PoisonError},
    time::Duration,
};

use rmcp::{
    ErrorData, RoleServer,
    model::{ClientNotification, JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    sync::{Mutex, Notify, mpsc},
};

/// The longest line: a batch with a text of tens of megabytes still fits.
const LINE: usize = 64 << 20;
/// Messages read ahead of the ones at work.
const AHEAD: usize = 64;
/// After the client closed its end, answers are waited for this long.
const LAST_ANSWERS: Duration = Duration::from_secs(120);

/// The two pipes of a client that started us.
pub(super) struct Pipes {
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    out: Arc<Out>,
}

struct Out {
    pipe: Mutex<tokio::io::Stdout>,
    unanswered: PlainMutex<HashSet<RequestId>>,
    answered: Notify,
}

impl Pipes {
    /// Starts to read.
    pub(super) fn new() -> Pipes {
        let (sender, messages) = mpsc::channel(AHEAD);
        let out = Arc::new(Out {
            pipe: Mutex::new(tokio::io::stdout()),
            unanswered: PlainMutex::default(),
            answered: Notify::new(),
        });
        tokio::spawn(read(Arc::clone(&out), sender));
        Pipes { messages, out }
    }
}

impl Transport<RoleServer> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let out = Arc::clone(&self.out);
        async move {
            let written = out.write(&message).await;
            match &message {
                JsonRpcMessage::Response(answer) => out.done(&answer.id),
                JsonRpcMessage::Error(answer) => answer.id.iter().for_each(|id| out.done(id)),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.messages.recv().await;
        if message.is_none() {
            let _ = tokio::time::timeout(LAST_ANSWERS, self.out.all_answered()).await;
        }
        message
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.out.pipe.lock().await.flush().await
    }
}

impl Out {
    async fn write(&self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let mut pipe = self.pipe.lock().await;
        pipe.write_all(&line).await?;
        pipe.flush().await
    }

    /// This request waits no more.
    fn done(&self, id: &RequestId) {
        self.waiting().remove(id);
        self.answered.notify_one();
    }

    fn waiting(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.unanswered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn all_answered(&self) {
        while !self.waiting().is_empty() {
            self.answered.notified().await;
        }
    }
}

/// What a line is.
enum Line {
    Whole(Vec<u8>),
    /// Its beginning, which may tell the request's id.
    TooLong(Vec<u8>),
}

async fn read(out: Arc<Out>, sender: mpsc::Sender<RxJsonRpcMessage<RoleServer>>) {
    let mut input = BufReader::with_capacity(64 << 10, tokio::io::stdin());
    while let Ok(Some(line)) = next_line(&mut input).await {
        let refusal = match line {
            Line::Whole(line) if line.trim_ascii().is_empty() => continue,
            Line::Whole(line) => match serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(&line) {
                Ok(message) => {
                    match &message {
                        JsonRpcMessage::Request(request) => {
                            out.waiting().insert(request.id.clone());
                        }
                        JsonRpcMessage::Notification(note) => {
                            // A cancelled request gets no answer.
                            if let ClientNotification::CancelledNotification(cancelled) = &note.notification {
                                cancelled.params.request_id.iter().for_each(|id| out.done(id));
                            }
                        }
                        JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
                    }
                    if sender.send(message).await.is_err() {
                        return;
                    }
                    continue;
                }
                Err(error) => refusal_of(&line, &error),
            },
            Line::TooLong(beginning) => {
                let message = format!("too_large: a message may have at most {LINE} bytes");
                Some(JsonRpcMessage::error(ErrorData::invalid_request(message, None), id_in(&beginning)))
            }
        };
        if let Some(refusal) = refusal
            && out.write(&refusal).await.is_err()
        {
            return;
        }
    }
}

/// The answer to a line that is no message; nothing to what may be an answer itself.
fn refusal_of(line: &[u8], error: &serde_json::Error) -> Option<TxJsonRpcMessage<RoleServer>> {
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(line) else {
        return Some(JsonRpcMessage::error(ErrorData::parse_error(format!("not JSON: {error}"), None), None));
    };
    if value.get("result").is_some() || value.get("error").is_some() {
        return None;
    }
    let id = value.get("id").cloned().and_then(|id| serde_json::from_value::<RequestId>(id).ok());
    let is_notification = value.get("method").is_some() && value.get("id").is_none();
    (!is_notification).then(|| {
        JsonRpcMessage::error(
            ErrorData::invalid_request(format!("not a JSON-RPC 2.0 message: {error}"), None),
            id,
        )
    })
}

/// The id at the beginning of a message too long to be read.
fn id_in(beginning: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(beginning);
    let after = text.split_once("\"id\"")?.1.trim_start().strip_prefix(':')?.trim_start();
    let mut values = serde_json::Deserializer::from_str(after).into_iter::<RequestId>();
    values.next()?.ok()
}

async fn next_line(input: &mut (impl AsyncBufReadExt + Unpin)) -> io::Result<Option<Line>> {
    const BEGINNING: usize = 512;
    let mut line = Vec::new();
    let mut is_too_long = false;
    loop {
        let available = input.fill_buf().await?;
        if available.is_empty() {
            let last = std::mem::take(&mut line);
            return Ok((!last.is_empty() && !is_too_long).then_some(Line::Whole(last)));
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(available.len(), |end| end + 1);
        if line.len() + taken > LINE && !is_too_long {
            is_too_long = true;
            line.truncate(BEGINNING);
            line.shrink_to_fit();
        }
        if !is_too_long {
            line.extend_from_slice(&available[..end.unwrap_or(taken)]);
        }
        input.consume(taken);
        if end.is_some() {
            return Ok(Some(if is_too_long { Line::TooLong(line) } else { Line::Whole(line) }));
        }
    }
}
