//! `stet ask`: one turn of the assistant, shown and agreed to before anything is written.

use std::{
    collections::HashMap,
    io::{BufRead, IsTerminal},
};

use assistant::{
    AppError, Event, Request, Response,
    agent::builtin::{grammar, rules::Verb},
    api::{
        EventBody,
        answers::{DocumentInfo, Receipt},
        error::ErrorCode,
        params::ProposalChoice,
        turn_api::{TurnOf, TurnStart},
    },
    workspace::{EditMode, Status, Stop},
};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::unexpected;
use crate::{
    arguments::AskArguments,
    exit::Exit,
    output,
    session::{Session, from_terminal},
};

/// Tools that look and change nothing.
const READING: [&str; 3] = ["file_list", "file_read", "file_search"];

/// The contract's answer of `ask`, with the reason when nothing was done.
#[derive(Debug, Default, Serialize)]
struct Answer {
    ok: bool,
    message: String,
    receipts: Vec<Receipt>,
    usage: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<AppError>,
}

/// What the tools answered in a turn.
#[derive(Debug, Default)]
struct Heard {
    names: HashMap<String, String>,
    /// Something other than looking was tried.
    tried: bool,
    /// The last refusal of an edit, and of a look that no other look made up for.
    edit: Option<AppError>,
    look: Option<AppError>,
}

impl Heard {
    fn called(&mut self, id: String, name: String) {
        self.names.insert(id, name);
    }

    fn answered(&mut self, id: &str, value: &Value) {
        let is_look = self.names.get(id).is_some_and(|name| READING.contains(&name.as_str()));
        let refusal = (value["ok"] == false).then(|| refusal_of(value));
        self.tried |= !is_look || self.names.get(id).is_some_and(|name| name == "file_search");
        if is_look {
            self.look = refusal;
        } else if refusal.is_some() {
            self.edit = refusal;
        }
    }
}

fn refusal_of(value: &Value) -> AppError {
    let unreadable = || AppError::invalid_arguments("The operation was refused.");
    serde_json::from_value(value["error"].clone()).unwrap_or_else(|_| unreadable())
}

impl Answer {
    /// Says that nothing was done, and why.
    fn refuse(&mut self, error: AppError) {
        self.ok = false;
        self.error.get_or_insert(error);
    }
}

pub(crate) async fn run(arguments: AskArguments, stop: Stop) -> Exit {
    match ask(&arguments, stop).await {
        Ok(answer) => {
            let exit = answer.error.as_ref().map_or(Exit::Done, Exit::of);
            match output::answer(&answer, arguments.json, for_people) {
                Exit::Done => exit,
                failed => failed,
            }
        }
        Err(error) => output::error(&error, arguments.json, Exit::of_turn(&error)),
    }
}

async fn ask(arguments: &AskArguments, stop: Stop) -> Result<Answer, AppError> {
    let Some((words, paths)) = arguments.files_and_words.split_last() else {
        return Err(AppError::invalid_arguments("Say what should change."));
    };
    let session = Session::open(stop)?;
    let mut files = Vec::new();
    for path in crate::session::expand(paths)? {
        files.push(session.file(&path).await?);
    }
    let mode = match (arguments.dry_run, arguments.yes) {
        (true, _) => EditMode::DryRun,
        (false, true) => EditMode::Commit,
        (false, false) => EditMode::Stage,
    };
    let is_builtin = is_builtin(&session, arguments)?;
    let one_by_one = is_builtin && files.len() > 1 && !names_a_file(words, &files);
    let mut answer = if one_by_one {
        each(&session, arguments, words, &files, mode).await?
    } else {
        let file_ids = files.iter().map(|file| file.file_id.clone()).collect();
        turn(&session, arguments, words, file_ids, mode, is_builtin).await?
    };
    if mode == EditMode::Stage {
        decide(&session, &mut answer).await?;
    }
    Ok(answer)
}

/// The built-in model works on the document in front; whoever names several files means each of them. Before anything is written all of
/// them are tried, so that a refusal by one leaves all as they were.
async fn each(
    session: &Session,
    arguments: &AskArguments,
    words: &str,
    files: &[DocumentInfo],
    mode: EditMode,
) -> Result<Answer, AppError> {
    let passes = match mode {
        EditMode::Commit => vec![EditMode::DryRun, EditMode::Commit],
        other => vec![other],
    };
    let mut all = Answer::default();
    for pass in passes {
        all = Answer { ok: true, ..Answer::default() };
        for file in files {
            let mut answer = turn(session, arguments, words, vec![file.file_id.clone()], pass, true).await?;
            all.message += &format!("{}\n\n", answer.message.trim_end());
            all.receipts.append(&mut answer.receipts);
            all.usage = answer.usage;
            if let Some(mut error) = answer.error {
                error.message = format!("{}: {}", file.name, error.message);
                all.refuse(error);
            }
        }
        if !all.ok {
            break;
        }
    }
    if mode == EditMode::Commit && !all.ok {
        all.receipts.clear();
        let reason = all.error.as_ref().map(|error| error.message.as_str()).unwrap_or_default();
        all.message = format!("Nothing was written, since one of the files refused. {reason}");
    }
    Ok(all)
}

/// One turn on some files, and whether anything came of it.
async fn turn(
    session: &Session,
    arguments: &AskArguments,
    words: &str,
    file_ids: Vec<String>,
    mode: EditMode,
    is_builtin: bool,
) -> Result<Answer, AppError> {
    let events = session.app.events();
    let params = TurnStart {
        message: words.to_owned(),
        file_ids,
        model: arguments.model.clone(),
        mode: Some(mode),
        ..TurnStart::default()
    };
    let Response::TurnStart(started) = session.call(Request::TurnStart(params)).await? else {
        return Err(AppError::new(ErrorCode::Internal, "The turn did not start."));
    };
    let mut heard = Heard::default();
    let mut answer = follow(session, events, &started.turn_id, &mut heard).await?;
    let is_done = answer.receipts.iter().any(|receipt| receipt.status != Status::Unchanged);
    let is_understood = heard.tried || !is_builtin || asks_for_help(words);
    if !is_done && let Some(refusal) = heard.edit.or(heard.look) {
        answer.refuse(refusal);
    } else if !is_done && !is_understood {
        answer.refuse(AppError::invalid_arguments("The built-in model did not understand the instruction."));
    }
    Ok(answer)
}

fn names_a_file(words: &str, files: &[DocumentInfo]) -> bool {
    let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
    grammar::read(words, &names).commands.iter().any(|command| command.has("file"))
}

fn is_builtin(session: &Session, arguments: &AskArguments) -> Result<bool, AppError> {
    let named = match &arguments.model {
        Some(model) => Some(model.clone()),
        None => session.app.settings_get()?.model,
    };
    Ok(named.is_none_or(|model| model == "builtin"))
}

fn asks_for_help(words: &str) -> bool {
    grammar::read(words, &[]).commands.iter().any(|command| command.verb == Verb::Help)
}

/// Listens until the turn ends; the model's words go to standard error as they arrive.
async fn follow(
    session: &Session,
    mut events: Receiver<Event>,
    turn: &str,
    heard: &mut Heard,
) -> Result<Answer, AppError> {
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            () = session.cancelled() => {
                session.call(Request::TurnCancel(TurnOf { turn_id: turn.to_owned() })).await?;
                return Err(AppError::new(ErrorCode::Cancelled, "Cancelled. Nothing more was written."));
            }
        };
        match event {
            Ok(event) => match event.body {
                EventBody::ToolCall { turn_id, id, name, state, .. } if turn_id == turn => {
                    output::progress(&format!("{name}: {state:?}"));
                    heard.called(id, name);
                }
                EventBody::ToolResult { turn_id, id, receipt } if turn_id == turn => {
                    heard.answered(&id, &receipt);
                }
                EventBody::TurnFinished { turn_id, message, receipts, usage } if turn_id == turn => {
                    return Ok(Answer { ok: true, message, receipts, usage, error: None });
                }
                EventBody::TurnFailed { turn_id, error } if turn_id == turn => return Err(error),
                _ => {}
            },
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => {
                return Err(AppError::new(ErrorCode::Internal, "The turn ended without an answer."));
            }
        }
    }
}

/// Shows what waits and asks; what is not agreed to is dropped.
async fn decide(session: &Session, answer: &mut Answer) -> Result<(), AppError> {
    let mut waiting: Vec<String> = answer
        .receipts
        .iter()
        .filter(|receipt| receipt.status == Status::Staged)
        .filter_map(|receipt| receipt.proposal_id.clone())
        .collect();
    waiting.dedup();
    if waiting.is_empty() {
        return Ok(());
    }
    for receipt in &answer.receipts {
        output::message(output::receipt(receipt).trim_end());
    }
    let is_attended = std::io::stdin().is_terminal();
    if !is_attended {
        let nobody = "Nobody is there to agree; --yes accepts without asking.";
        output::message(nobody);
        answer.refuse(AppError::invalid_arguments(nobody));
    }
    let agreed = match agreed(&session.stop, is_attended).await {
        Ok(agreed) => agreed,
        Err(error) => {
            // Ctrl-C at the question means no.
            for proposal_id in waiting {
                session.app.run(
                    Request::ProposalsReject(ProposalChoice { proposal_id, changes: None }),
                    &Stop::default(),
                )?;
            }
            return Err(error);
        }
    };
    let mut receipts = Vec::new();
    for proposal_id in waiting {
        let choice = ProposalChoice { proposal_id, changes: None };
        if agreed {
            match session.call(Request::ProposalsAccept(choice)).await? {
                Response::ProposalsAccept(receipt) => receipts.push(receipt),
                other => return Err(unexpected(&other)),
            }
        } else {
            session.call(Request::ProposalsReject(choice)).await?;
        }
    }
    if !agreed {
        answer.message = "Nothing was written.".into();
    }
    answer.receipts = receipts;
    Ok(())
}

async fn agreed(stop: &Stop, is_attended: bool) -> Result<bool, AppError> {
    if !is_attended {
        return Ok(false);
    }
    output::message("Accept? [y/N]");
    let failed = |error: std::io::Error| {
        AppError::new(ErrorCode::IoError, format!("Cannot read the answer: {error}."))
    };
    let line = from_terminal(stop, || {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map(|_| line)
    });
    let line = line.await?.map_err(failed)?;
    Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes" | "是" | "好"))
}

fn for_people(answer: &Answer) -> String {
    let receipts: String = answer.receipts.iter().map(output::receipt).collect();
    format!("{}\n{receipts}", answer.message.trim_end())
}
