//! `stet verify`.

use assistant::{
    AppError, Request, Response,
    api::{answers::VerifyAnswer, params::Verify},
    workspace::Stop,
};

use super::unexpected;
use crate::{arguments::VerifyArguments, exit::Exit, output, session::Session};

pub(crate) async fn run(arguments: VerifyArguments, stop: Stop) -> Exit {
    match verify(&arguments, stop).await {
        Ok(verified) => {
            let printed = output::answer(&verified, arguments.file.json, for_people);
            let is_sound = verified.well_formed && verified.relationships;
            if printed == Exit::Done && !is_sound { Exit::CannotOpen } else { printed }
        }
        Err(error) => output::error(&error, arguments.file.json, Exit::of_opening(&error)),
    }
}

async fn verify(arguments: &VerifyArguments, stop: Stop) -> Result<VerifyAnswer, AppError> {
    let session = Session::open(stop)?;
    let file = session.file(&arguments.file.file).await?;
    let against = match &arguments.against {
        Some(original) => Some(session.file(original).await?.file_id),
        None => None,
    };
    match session.call(Request::DocumentsVerify(Verify { file_id: file.file_id, against })).await? {
        Response::DocumentsVerify(verified) => Ok(verified),
        other => Err(unexpected(&other)),
    }
}

fn for_people(verified: &VerifyAnswer) -> String {
    let word = |is_fine: bool| if is_fine { "yes" } else { "no" };
    let mut text = format!(
        "well-formed: {}\nrelationships resolve: {}\n",
        word(verified.well_formed),
        word(verified.relationships)
    );
    for problem in &verified.problems {
        text += &format!("  {problem}\n");
    }
    for finding in &verified.findings {
        text += &format!("unsound: {finding}\n");
    }
    if let Some(package) = &verified.package {
        text += &format!("parts: {}\n", package.parts);
        for (what, parts) in
            [("changed", &package.changed), ("added", &package.added), ("removed", &package.removed)]
        {
            text += &parts.iter().map(|part| format!("{what}: {part}\n")).collect::<String>();
        }
    }
    text
}
