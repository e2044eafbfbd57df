//! What lives as long as the app: the store's front door, the shell's memory, and the one channel to the page.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use assistant::api::App;
use serde::Serialize;
use serde_json::Value;
use tauri::ipc::Channel;

use crate::{memory::Memory, pictures::Pictures};

/// Managed by tauri, reached from every handler.
pub(crate) struct Shell {
    pub(crate) app: Arc<App>,
    pub(crate) home: PathBuf,
    pub(crate) memory: Memory,
    pub(crate) pictures: Pictures,
    channel: Mutex<Outbox>,
    /// Files of the command line, until the page asks.
    arguments: Mutex<Vec<PathBuf>>,
}

/// Messages wait here until the page listens; the order is the order of `send`.
#[derive(Default)]
struct Outbox {
    channel: Option<Channel<Value>>,
    waiting: Vec<Value>,
}

impl Shell {
    /// A shell whose page does not listen yet.
    pub(crate) fn new(app: Arc<App>, home: PathBuf, arguments: Vec<PathBuf>) -> Shell {
        let memory = Memory::of_home(&home);
        Shell {
            app,
            home,
            memory,
            pictures: Pictures::default(),
            channel: Mutex::default(),
            arguments: Mutex::new(arguments),
        }
    }

    /// The files of the command line; asked a second time (a reloaded page), none.
    pub(crate) fn take_arguments(&self) -> Vec<PathBuf> {
        std::mem::take(&mut self.arguments.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Makes a page the listener; a reloaded page replaces the one before.
    pub(crate) fn listen(&self, channel: Channel<Value>) {
        let mut outbox = self.channel.lock().unwrap_or_else(PoisonError::into_inner);
        for message in outbox.waiting.drain(..) {
            let _ = channel.send(message);
        }
        outbox.channel = Some(channel);
    }

    /// Sends one message to the page, or keeps it until there is a page.
    pub(crate) fn send(&self, message: &impl Serialize) {
        let Ok(message) = serde_json::to_value(message) else { return };
        let mut outbox = self.channel.lock().unwrap_or_else(PoisonError::into_inner);
        match &outbox.channel {
            Some(channel) => drop(channel.send(message)),
            None => outbox.waiting.push(message),
        }
    }

    /// Sends an event of the shell itself; `params` is an object.
    pub(crate) fn tell(&self, event: &str, params: Value) {
        let mut message = params;
        message["event"] = Value::from(event);
        self.send(&message);
    }
}
