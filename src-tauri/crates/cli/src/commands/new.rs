//! `stet new`.

use assistant::{
    AppError, Request, Response,
    api::{answers::Receipt, params::Create},
    workspace::Stop,
};

use super::unexpected;
use crate::{
    arguments::NewArguments,
    exit::Exit,
    output,
    session::{Session, absolute, path_text, read_source},
};

pub(crate) async fn run(arguments: NewArguments, stop: Stop) -> Exit {
    match new(&arguments, stop).await {
        Ok(receipt) => output::answer(&receipt, arguments.file.json, output::receipt),
        Err(error) => output::error(&error, arguments.file.json, Exit::of(&error)),
    }
}

async fn new(arguments: &NewArguments, stop: Stop) -> Result<Receipt, AppError> {
    let session = Session::open(stop)?;
    let source = match &arguments.from {
        Some(from) => Some(read_source(from, &session.stop).await?),
        None => None,
    };
    let not_text = |_| AppError::invalid_arguments("The source is not UTF-8 text.");
    let text = source.map(|bytes| String::from_utf8(bytes).map_err(not_text)).transpose()?;
    let path = path_text(&absolute(&arguments.file.file))?;
    match session.call(Request::DocumentsCreate(Create { path, text, rows: None, format: None })).await? {
        Response::DocumentsCreate(receipt) => Ok(receipt),
        other => Err(unexpected(&other)),
    }
}
