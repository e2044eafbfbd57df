//! What the built-in model does next: read, write or answer, decided from the user's words and what was done since.
//!
//! It keeps no state of its own; the same conversation gives the same plan.

use std::collections::BTreeMap;

use gateway::Message;
use serde_json::{Map, Value, json};

use super::facts::Facts;
use super::grammar::{Command, Reading, read};
use super::lower::{Target, Unlowered, fits, lower};
use super::replies::Language;
use super::rules::Verb;
use crate::agent::fences::takes_text;
use crate::agent::model::Step;
use crate::api::answers::DocumentInfo;

/// A tool call that was made in this turn, with its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    pub tool: String,
    pub arguments: Value,
    pub answer: Value,
}

/// A call to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    pub tool: &'static str,
    pub arguments: Value,
}

/// Something that could not be turned into a call, for the reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    NotUnderstood(String),
    /// The words, and the document that cannot do it.
    OtherFormat(String),
    Unclear {
        english: String,
        chinese: String,
    },
    NoDocument,
    WhichDocument(String),
}

/// The next message of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Plan {
    Read(Vec<Wanted>),
    Write { text: String, calls: Vec<Wanted>, problems: Vec<Problem> },
    Answer { done: Vec<Done>, problems: Vec<Problem>, help: bool },
}

/// More reads than this would only count a very long document.
const MOST_READS: usize = 60;

/// Decides the next message.
pub fn plan(step: &Step<'_>) -> Plan {
    let names: Vec<String> = step.files.iter().map(|file| file.name.clone()).collect();
    let reading = read(step.words, &names);
    let done = done_since(step.since);
    // Half of a request is not what was asked for: the part that is not understood may limit the other.
    let is_understood = reading.misses.is_empty();
    let mut planner = Planner { step, facts: facts_of(&done), ..Planner::default_for(step) };
    if is_understood {
        planner.take(&reading);
    }
    planner.problems.extend(reading.misses.iter().cloned().map(Problem::NotUnderstood));
    let reads = done.iter().filter(|done| done.tool == "file_read").count();
    if !planner.unread.is_empty() && reads < MOST_READS {
        return Plan::Read(planner.reads(&done));
    }
    let wrote = done.iter().any(|done| done.tool != "file_read");
    if planner.calls.is_empty() || wrote {
        let help = reading.commands.iter().any(|command| command.verb == Verb::Help);
        return Plan::Answer { done, problems: planner.problems, help };
    }
    Plan::Write { text: planner.text, calls: planner.calls, problems: planner.problems }
}

/// The language to answer in: Chinese when the user wrote any.
pub fn language_of(words: &str) -> Language {
    let is_chinese =
        |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c) || ('\u{3400}'..='\u{4dbf}').contains(&c);
    if words.contains(is_chinese) { Language::Chinese } else { Language::English }
}

/// Pairs the calls of this turn with their answers.
fn done_since(since: &[Message]) -> Vec<Done> {
    let answer_of = |id: &str| {
        since.iter().find_map(|message| match message {
            Message::Tool { call_id, text } if call_id == id => serde_json::from_str(text).ok(),
            _ => None,
        })
    };
    let mut done = Vec::new();
    for message in since {
        let Message::Assistant(message) = message else { continue };
        for call in &message.tool_calls {
            done.push(Done {
                tool: call.name.clone(),
                arguments: serde_json::from_str(&call.arguments).unwrap_or(Value::Null),
                answer: answer_of(&call.id).unwrap_or(Value::Null),
            });
        }
    }
    done
}

fn facts_of(done: &[Done]) -> BTreeMap<String, Facts> {
    let mut facts: BTreeMap<String, Facts> = BTreeMap::new();
    for read in done.iter().filter(|done| done.tool == "file_read" && done.answer["ok"] == true) {
        if let Some(file_id) = read.answer["file_id"].as_str() {
            facts.entry(file_id.to_string()).or_default().learn(&read.answer);
        }
    }
    facts
}

struct Planner<'s> {
    step: &'s Step<'s>,
    facts: BTreeMap<String, Facts>,
    calls: Vec<Wanted>,
    /// Visible text before the calls: fences for long texts.
    text: String,
    fences: usize,
    unread: Vec<String>,
    problems: Vec<Problem>,
    /// The file that the user named last.
    named: Option<usize>,
}

impl<'s> Planner<'s> {
    fn default_for(step: &'s Step<'s>) -> Planner<'s> {
        Planner {
            step,
            facts: BTreeMap::new(),
            calls: Vec::new(),
            text: String::new(),
            fences: 0,
            unread: Vec::new(),
            problems: Vec::new(),
            named: None,
        }
    }

    fn take(&mut self, reading: &Reading) {
        for command in &reading.commands {
            self.command(command);
        }
    }

    fn command(&mut self, command: &Command) {
        match command.verb {
            // What nobody asked for is left alone anyway.
            Verb::Help | Verb::LeaveRest => {}
            Verb::Find => self.find(command),
            Verb::NewFile => self.new_file(command),
            Verb::Undo => self.on_file(command, "file_undo", json!({})),
            Verb::Redo => self.on_file(command, "file_redo", json!({})),
            Verb::Restore => {
                self.on_file(
                    command,
                    "file_restore",
                    json!({ "snapshot": command.text("snapshot").unwrap_or_default() }),
                );
            }
            _ => self.edit(command),
        }
    }

    /// The document a command is for: the one it names, else the one in front, else the only one of a fitting format.
    fn target(&mut self, command: &Command, is_edit: bool) -> Option<&'s DocumentInfo> {
        let files = self.step.files;
        if files.is_empty() {
            self.problems.push(Problem::NoDocument);
            return None;
        }
        let fitting = |index: usize| !is_edit || fits(command, files[index].format);
        let named = command.text("file").and_then(|name| files.iter().position(|file| file.name == name));
        if let Some(index) = named {
            self.named = Some(index);
        }
        let preferred = named.or(self.named.filter(|index| fitting(*index))).unwrap_or(0);
        if named.is_some() || fitting(preferred) {
            return files.get(preferred);
        }
        let others: Vec<usize> = (0..files.len()).filter(|index| fitting(*index)).collect();
        match others.as_slice() {
            [one] => files.get(*one),
            [] => {
                self.problems.push(Problem::OtherFormat(command.words.clone()));
                None
            }
            _ => {
                self.problems.push(Problem::WhichDocument(command.words.clone()));
                None
            }
        }
    }

    fn find(&mut self, command: &Command) {
        let query = command.text("find").unwrap_or_default();
        let mut arguments = json!({ "query": query });
        if command.has("file")
            && let Some(file) = self.target(command, false)
        {
            arguments["file_id"] = file.file_id.as_str().into();
        }
        self.calls.push(Wanted { tool: "file_search", arguments });
    }

    fn new_file(&mut self, command: &Command) {
        let Some(beside) = self.step.files.first() else {
            self.problems.push(Problem::NoDocument);
            return;
        };
        let name = command.text("path").unwrap_or_default();
        let folder = std::path::Path::new(&beside.path).parent().unwrap_or(std::path::Path::new(""));
        let path = folder.join(name).to_string_lossy().into_owned();
        let mut fields = json!({ "path": path, "text": command.text("text").unwrap_or_default() });
        if let Some(fields) = fields.as_object_mut() {
            self.carry_in_fence(fields, "file_write");
        }
        self.calls.push(Wanted { tool: "file_write", arguments: fields });
    }

    fn on_file(&mut self, command: &Command, tool: &'static str, mut arguments: Value) {
        let Some(file) = self.target(command, false) else { return };
        arguments["file_id"] = file.file_id.as_str().into();
        arguments["expected_content_rev"] = file.content_rev.into();
        self.calls.push(Wanted { tool, arguments });
    }

    fn edit(&mut self, command: &Command) {
        let Some(file) = self.target(command, true) else { return };
        let target = Target { format: file.format, facts: self.facts.get(&file.file_id) };
        match lower(command, &target) {
            Ok(ops) => self.add_ops(file, command, ops),
            Err(Unlowered::NeedsOutline) => self.unread.push(file.file_id.clone()),
            Err(Unlowered::OtherFormat) => self.problems.push(Problem::OtherFormat(command.words.clone())),
            Err(Unlowered::Unclear { english, chinese }) => {
                self.problems.push(Problem::Unclear { english, chinese });
            }
        }
    }

    /// Adds operations to the batch of the call before when that is for the same file, so that all positions mean one revision.
    fn add_ops(&mut self, file: &DocumentInfo, command: &Command, ops: Vec<Value>) {
        let ops: Vec<Value> = ops.into_iter().map(|op| self.with_fence(op)).collect();
        let mut arguments = json!({
            "file_id": file.file_id, "expected_content_rev": file.content_rev, "ops": ops,
        });
        if command.has("tracked") {
            arguments["track_changes"] = true.into();
        }
        if command.has("override") {
            arguments["override_protection"] = true.into();
        }
        let same_batch = |call: &Wanted| {
            let keys = ["file_id", "track_changes", "override_protection"];
            call.tool == "file_edit" && keys.iter().all(|key| call.arguments.get(key) == arguments.get(key))
        };
        match self.calls.last_mut().filter(|call| same_batch(call)) {
            Some(call) => {
                if let (Some(batch), Some(more)) =
                    (call.arguments["ops"].as_array_mut(), arguments["ops"].as_array_mut())
                {
                    batch.append(more);
                }
            }
            None => self.calls.push(Wanted { tool: "file_edit", arguments }),
        }
    }

    fn with_fence(&mut self, op: Value) -> Value {
        let Value::Object(mut fields) = op else { return op };
        let name = fields.get("op").and_then(Value::as_str).unwrap_or_default().to_string();
        if takes_text(&name) {
            self.carry_in_fence(&mut fields, &name);
        }
        Value::Object(fields)
    }

    /// Long text goes into a fence of the message, as for every model.
    fn carry_in_fence(&mut self, fields: &mut Map<String, Value>, op: &str) {
        let limit = self.step.inline_characters;
        let Some(text) = fields.get("text").and_then(Value::as_str).map(str::to_string) else { return };
        if limit == 0 || text.chars().count() <= limit {
            return;
        }
        self.fences += 1;
        let number = self.fences;
        let marker = "`".repeat(longest_run(&text).max(3) + 1);
        self.text.push_str(&format!("{marker}md op={op} fence={number}\n{text}\n{marker}\n\n"));
        fields.remove("text");
        fields.insert("text_from_fence".into(), true.into());
        fields.insert("fence".into(), number.to_string().into());
    }

    /// Reads for the files that must be known, each from where the last window ended.
    fn reads(&self, done: &[Done]) -> Vec<Wanted> {
        let mut wanted: Vec<Wanted> = Vec::new();
        for file_id in &self.unread {
            let last = done
                .iter()
                .rev()
                .find(|done| done.tool == "file_read" && done.answer["file_id"] == file_id.as_str());
            let mut arguments = json!({ "file_id": file_id });
            if let Some(next) = last.and_then(|last| last.answer["next"].as_str()) {
                arguments["range"] = next.into();
            }
            let read = Wanted { tool: "file_read", arguments };
            if !wanted.contains(&read) {
                wanted.push(read);
            }
        }
        wanted
    }
}

fn longest_run(text: &str) -> usize {
    let run_at_start = |line: &str| line.trim_start().chars().take_while(|c| *c == '`').count();
    text.lines().map(run_at_start).max().unwrap_or(0)
}
