//! `stet history`, `restore`, `undo` and `redo`.

use assistant::{
    AppError, Request, Response,
    api::{
        answers::{HistoryAnswer, Receipt},
        params::{FileId, Restore, Step},
    },
    workspace::Stop,
};

use super::unexpected;
use crate::{
    arguments::{ExpectedRev, FileArguments, RestoreArguments, StepArguments},
    exit::Exit,
    output,
    session::{Session, expected},
};

pub(crate) async fn list(arguments: FileArguments, stop: Stop) -> Exit {
    match history(&arguments, stop).await {
        Ok(history) => output::answer(&history, arguments.json, for_people),
        Err(error) => output::error(&error, arguments.json, Exit::of(&error)),
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

async fn history(arguments: &FileArguments, stop: Stop) -> Result<HistoryAnswer, AppError> {
    let session = Session::open(stop)?;
    let file_id = session.file(&arguments.file).await?.file_id;
    match session.call(Request::HistoryList(FileId { file_id })).await? {
        Response::HistoryList(history) => Ok(history),
        other => Err(unexpected(&other)),
    }
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

fn for_people(history: &HistoryAnswer) -> String {
    let mut text = String::new();
    for snapshot in &history.snapshots {
        let pinned = if snapshot.pinned { " (pinned)" } else { "" };
        text += &format!(
            "{}  {}  revision {:<4} {:>10} bytes  {}{pinned}\n",
            snapshot.id, snapshot.at, snapshot.content_rev, snapshot.size, snapshot.summary
        );
    }
    text
}
