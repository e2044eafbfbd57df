//! `stet outline`.

use assistant::{
    AppError, Request, Response,
    api::{answers::OutlineAnswer, params::OutlineOf},
    workspace::Stop,
};

use super::unexpected;
use crate::{arguments::OutlineArguments, exit::Exit, output, session::Session, told_path::told};

pub(crate) async fn run(arguments: OutlineArguments, stop: Stop) -> Exit {
    match outline(&arguments, stop).await {
        Ok(outline) => output::answer(&outline, arguments.file.json, for_people),
        Err(error) => output::error(&error, arguments.file.json, Exit::of_opening(&error)),
    }
}

async fn outline(arguments: &OutlineArguments, stop: Stop) -> Result<OutlineAnswer, AppError> {
    let session = Session::open(stop)?;
    let file = session.file(&arguments.file.file).await?;
    let params = OutlineOf { file_id: file.file_id, range: arguments.range.clone(), budget: None };
    match session.call(Request::DocumentsOutline(params)).await? {
        Response::DocumentsOutline(outline) => Ok(outline),
        other => Err(unexpected(&other)),
    }
}

fn for_people(outline: &OutlineAnswer) -> String {
    let mut text = format!("{} (revision {})\n", told(&outline.path), outline.content_rev);
    for node in &outline.nodes {
        text += &format!("{:<12} {:<10} {}\n", node.at, node.kind, node.text.replace('\n', " ⏎ "));
    }
    text = output::plain(&text);
    if outline.truncated {
        text += &match &outline.next {
            Some(next) => format!("… more with --range {next}\n"),
            None => "… more was left out\n".to_owned(),
        };
    }
    text + &output::warnings(&outline.warnings)
}
