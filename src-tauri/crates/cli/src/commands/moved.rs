//! `stet moved`: a file's history follows it to its new place.

use assistant::{
    AppError, Request, Response,
    api::{answers::DocumentInfo, params::Relink},
    workspace::Stop,
};

use super::unexpected;
use crate::{
    arguments::MovedArguments,
    exit::Exit,
    output,
    session::{Session, absolute, path_text},
    told_path::told,
};

#[derive(Debug, serde::Serialize)]
struct Moved {
    ok: bool,
    #[serde(flatten)]
    file: DocumentInfo,
}

pub(crate) async fn run(arguments: MovedArguments, stop: Stop) -> Exit {
    match moved(&arguments, stop).await {
        Ok(file) => output::answer(&Moved { ok: true, file }, arguments.json, for_people),
        Err(error) => output::error(&error, arguments.json, Exit::of(&error)),
    }
}

async fn moved(arguments: &MovedArguments, stop: Stop) -> Result<DocumentInfo, AppError> {
    let session = Session::open(stop)?;
    let file_id = session.file(&arguments.from).await?.file_id;
    let path = path_text(&absolute(&arguments.to))?;
    match session.call(Request::DocumentsRelink(Relink { file_id, path })).await? {
        Response::DocumentsRelink(file) => Ok(file),
        other => Err(unexpected(&other)),
    }
}

fn for_people(moved: &Moved) -> String {
    format!("{} (revision {})\n", output::plain(&told(&moved.file.path)), moved.file.content_rev)
}
