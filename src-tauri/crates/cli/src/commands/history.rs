//! `stet history`, `restore`, `undo` and `redo`.

use assistant::{
    AppError, Request, Response,
    api::{
        answers::{DocumentInfo, HistoryAnswer, ProposalInfo, Receipt},
        error::ErrorCode,
        params::{FileId, ProposalChoice, ProposalsOf, Restore, Step},
    },
    workspace::{ProposalConflict, Stop},
};
use serde::Serialize;

use super::unexpected;
use crate::{
    arguments::{ExpectedRev, HistoryArguments, RestoreArguments, StepArguments},
    exit::Exit,
    output,
    session::{Session, expected},
};

/// The contract's history, and what waits for the user.
#[derive(Debug, Serialize)]
struct Told {
    #[serde(flatten)]
    history: HistoryAnswer,
    proposals: Vec<ProposalInfo>,
}

/// What was decided on proposals.
#[derive(Debug, Serialize)]
struct Decided {
    ok: bool,
    receipts: Vec<Receipt>,
    rejected: Vec<String>,
}

pub(crate) async fn list(arguments: HistoryArguments, stop: Stop) -> Exit {
    let json = arguments.file.json;
    let failed = |error: AppError| output::error(&error, json, Exit::of(&error));
    let choice = match (&arguments.accept, &arguments.reject) {
        (Some(id), _) => Some((id.as_str(), true)),
        (None, Some(id)) => Some((id.as_str(), false)),
        (None, None) => None,
    };
    match choice {
        Some((id, is_accepted)) => match decided(&arguments, id, is_accepted, stop).await {
            Ok(decided) => output::answer(&decided, json, decisions_for_people),
            Err(error) => failed(error),
        },
        None => match history(&arguments, stop).await {
            Ok(told) => output::answer(&told, json, for_people),
            Err(error) => failed(error),
        },
    }
}

pub(crate) async fn restore(arguments: RestoreArguments, stop: Stop) -> Exit {
    answer(restored(&arguments, stop).await, arguments.json)
}

pub(crate) async fn undo(arguments: StepArguments, stop: Stop) -> Exit {
    answer(stepped(&arguments, stop, Request::HistoryUndo).await, arguments.file.json)
}

pub(crate) async fn redo(arguments: StepArguments, stop: Stop) -> Exit {
    answer(stepped(&arguments, stop, Request::HistoryRedo).await, arguments.file.json)
}

fn answer(receipt: Result<Receipt, AppError>, json: bool) -> Exit {
    match receipt {
        Ok(receipt) => output::answer(&receipt, json, output::receipt),
        Err(error) => output::error(&error, json, Exit::of(&error)),
    }
}

async fn history(arguments: &HistoryArguments, stop: Stop) -> Result<Told, AppError> {
    let session = Session::open(stop)?;
    let file_id = session.file(&arguments.file.file).await?.file_id;
    let proposals = waiting(&session, &file_id).await?;
    match session.call(Request::HistoryList(FileId { file_id })).await? {
        Response::HistoryList(history) => Ok(Told { history, proposals }),
        other => Err(unexpected(&other)),
    }
}

async fn waiting(session: &Session, file_id: &str) -> Result<Vec<ProposalInfo>, AppError> {
    let params = ProposalsOf { file_id: Some(file_id.to_owned()) };
    match session.call(Request::ProposalsList(params)).await? {
        Response::ProposalsList(proposals) => Ok(proposals),
        other => Err(unexpected(&other)),
    }
}

/// Accepts or rejects the named proposals of the file, in the order in which they were made.
async fn decided(
    arguments: &HistoryArguments,
    id: &str,
    is_accepted: bool,
    stop: Stop,
) -> Result<Decided, AppError> {
    let session = Session::open(stop)?;
    let file = session.file(&arguments.file.file).await?;
    let mut decided = Decided { ok: true, receipts: Vec::new(), rejected: Vec::new() };
    let chosen = named(id, waiting(&session, &file.file_id).await?, &file)?;
    // All or nothing: a proposal of which a part fits no more is not written in part behind the user's back.
    if let Some(proposal) = chosen.iter().find(|proposal| is_accepted && !proposal.conflicts.is_empty()) {
        return Err(in_conflict(proposal, &file));
    }
    for proposal_id in chosen.into_iter().map(|proposal| proposal.proposal_id) {
        let choice = ProposalChoice { proposal_id: proposal_id.clone(), changes: None };
        if is_accepted {
            match session.call(Request::ProposalsAccept(choice)).await? {
                Response::ProposalsAccept(receipt) => decided.receipts.push(receipt),
                other => return Err(unexpected(&other)),
            }
        } else {
            session.call(Request::ProposalsReject(choice)).await?;
            decided.rejected.push(proposal_id);
        }
    }
    Ok(decided)
}

/// `all`, or one that waits on this file.
fn named(
    id: &str,
    mut waiting: Vec<ProposalInfo>,
    file: &DocumentInfo,
) -> Result<Vec<ProposalInfo>, AppError> {
    if id != "all" {
        waiting.retain(|proposal| proposal.proposal_id == id);
    }
    if waiting.is_empty() {
        let what = if id == "all" { "No proposal".to_owned() } else { format!("No proposal `{id}`") };
        return Err(AppError::new(ErrorCode::OutOfRange, format!("{what} waits on {}.", file.name))
            .hint("`stet history FILE` lists what waits."));
    }
    Ok(waiting)
}

fn in_conflict(proposal: &ProposalInfo, file: &DocumentInfo) -> AppError {
    let id = &proposal.proposal_id;
    let message = format!(
        "{} has changed, and a part of {id} does not fit any more:{}",
        file.name,
        conflicts(proposal)
    );
    AppError::new(ErrorCode::ContentRevConflict, message.trim_end().to_owned())
        .about(&file.file_id, Some(file.content_rev))
        .hint(format!("Nothing was written. `--reject {id}` drops it; the app can take the parts that fit."))
}

/// The parts that do not fit any more, a line each.
fn conflicts(proposal: &ProposalInfo) -> String {
    let line =
        |conflict: &ProposalConflict| format!("\n  operation {}: {}", conflict.op + 1, conflict.message);
    proposal.conflicts.iter().map(line).collect()
}

async fn restored(arguments: &RestoreArguments, stop: Stop) -> Result<Receipt, AppError> {
    let session = Session::open(stop)?;
    let file = session.file(&arguments.file).await?;
    let expected_content_rev = expected(arguments.expected_rev.or(Some(ExpectedRev::Current)), &file);
    let params =
        Restore { file_id: file.file_id, snapshot: arguments.snapshot.clone(), expected_content_rev };
    receipt_of(session.call(Request::HistoryRestore(params)).await?)
}

async fn stepped(
    arguments: &StepArguments,
    stop: Stop,
    request: fn(Step) -> Request,
) -> Result<Receipt, AppError> {
    let session = Session::open(stop)?;
    let file = session.file(&arguments.file.file).await?;
    let expected_content_rev = expected(arguments.expected_rev.or(Some(ExpectedRev::Current)), &file);
    receipt_of(session.call(request(Step { file_id: file.file_id, expected_content_rev })).await?)
}

fn receipt_of(response: Response) -> Result<Receipt, AppError> {
    match response {
        Response::HistoryRestore(receipt)
        | Response::HistoryUndo(receipt)
        | Response::HistoryRedo(receipt) => Ok(receipt),
        other => Err(unexpected(&other)),
    }
}

fn for_people(told: &Told) -> String {
    let mut text = String::new();
    for proposal in &told.proposals {
        text += &format!(
            "{}  {}  waits on revision {}  {}\n",
            proposal.proposal_id,
            proposal.created_at,
            proposal.base_rev,
            output::plain(&proposal.summary)
        );
        text += &output::indented(&output::changes(&proposal.changes));
        if !proposal.conflicts.is_empty() {
            text += &output::plain(&format!("  does not fit any more:{}\n", conflicts(proposal)));
        }
    }
    for snapshot in &told.history.snapshots {
        let pinned = if snapshot.pinned { " (pinned)" } else { "" };
        let model =
            snapshot.model.as_deref().map(|model| output::plain(&format!(" ({model})"))).unwrap_or_default();
        text += &format!(
            "{}  {}  revision {:<4} {:>10} bytes  {}{model}{pinned}\n",
            snapshot.id,
            snapshot.at,
            snapshot.content_rev,
            snapshot.size,
            output::plain(&snapshot.summary)
        );
    }
    text
}

fn decisions_for_people(decided: &Decided) -> String {
    let rejected: String = decided.rejected.iter().map(|id| format!("rejected: {id}\n")).collect();
    decided.receipts.iter().map(output::receipt).collect::<String>() + &rejected
}
