//! `stet ask`: one turn of the assistant, shown and agreed to before anything is written.

use std::io::{BufRead, IsTerminal};

use assistant::{
    AppError, Event, Request, Response,
    api::{
        EventBody,
        answers::Receipt,
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

/// The contract's answer of `ask`.
#[derive(Debug, Serialize)]
struct Answer {
    ok: bool,
    message: String,
    receipts: Vec<Receipt>,
    usage: Value,
}

pub(crate) async fn run(arguments: AskArguments, stop: Stop) -> Exit {
    match ask(&arguments, stop).await {
        Ok(answer) => output::answer(&answer, arguments.json, for_people),
        Err(error) => output::error(&error, arguments.json, Exit::of_turn(&error)),
    }
}

async fn ask(arguments: &AskArguments, stop: Stop) -> Result<Answer, AppError> {
    let Some((words, paths)) = arguments.files_and_words.split_last() else {
        return Err(AppError::invalid_arguments("Say what should change."));
    };
    let session = Session::open(stop)?;
    let mut file_ids = Vec::new();
    for path in crate::session::expand(paths)? {
        file_ids.push(session.file(&path).await?.file_id);
    }
    let mode = match (arguments.dry_run, arguments.yes) {
        (true, _) => EditMode::DryRun,
        (false, true) => EditMode::Commit,
        (false, false) => EditMode::Stage,
    };
    let events = session.app.events();
    let params = TurnStart {
        message: words.clone(),
        file_ids,
        model: arguments.model.clone(),
        mode: Some(mode),
        ..TurnStart::default()
    };
    let Response::TurnStart(started) = session.call(Request::TurnStart(params)).await? else {
        return Err(AppError::new(ErrorCode::Internal, "The turn did not start."));
    };
    let mut answer = follow(&session, events, &started.turn_id).await?;
    if mode == EditMode::Stage {
        decide(&session, &mut answer).await?;
    }
    Ok(answer)
}

/// Listens until the turn ends; the model's words go to standard error as they arrive.
async fn follow(session: &Session, mut events: Receiver<Event>, turn: &str) -> Result<Answer, AppError> {
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
                EventBody::ToolCall { turn_id, name, state, .. } if turn_id == turn => {
                    output::progress(&format!("{name}: {state:?}"))
                }
                EventBody::TurnFinished { turn_id, message, receipts, usage } if turn_id == turn => {
                    return Ok(Answer { ok: true, message, receipts, usage });
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
    let agreed = match agreed(&session.stop).await {
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

async fn agreed(stop: &Stop) -> Result<bool, AppError> {
    if !std::io::stdin().is_terminal() {
        output::message("Nobody is there to agree; --yes accepts without asking.");
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
