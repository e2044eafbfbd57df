//! `stet verify`.

use std::path::{Path, PathBuf};

use assistant::{
    AppError, Request, Response,
    api::{answers::VerifyAnswer, params::Verify},
    workspace::Stop,
};

use serde::Serialize;
use serde_json::Value;

use super::unexpected;
use crate::{
    arguments::VerifyArguments,
    exit::Exit,
    output,
    session::{Session, expand},
};

/// The answer for several files.
#[derive(Debug, Serialize)]
struct Several {
    ok: bool,
    files: Vec<Verified>,
}

/// One file of several.
#[derive(Debug, Serialize)]
struct Verified {
    path: String,
    #[serde(flatten)]
    answer: Value,
}

pub(crate) async fn run(arguments: VerifyArguments, stop: Stop) -> Exit {
    let paths = match expand(&arguments.files) {
        Ok(paths) => paths,
        Err(error) => return output::error(&error, arguments.json, Exit::of_opening(&error)),
    };
    match paths.as_slice() {
        [path] => match verify(path, &arguments, stop).await {
            Ok(verified) => {
                let printed = output::answer(&verified, arguments.json, for_people);
                if printed == Exit::Done { of_one(&verified) } else { printed }
            }
            Err(error) => output::error(&error, arguments.json, Exit::of_opening(&error)),
        },
        several => verify_all(several, &arguments, stop).await,
    }
}

fn of_one(verified: &VerifyAnswer) -> Exit {
    if verified.well_formed && verified.relationships { Exit::Done } else { Exit::CannotOpen }
}

/// Every file is looked at, whatever is wrong with another; the status is that of the first that is not sound.
async fn verify_all(paths: &[PathBuf], arguments: &VerifyArguments, stop: Stop) -> Exit {
    let mut several = Several { ok: true, files: Vec::new() };
    let (mut worst, mut text) = (Exit::Done, String::new());
    for path in paths {
        let (exit, answer, told) = match verify(path, arguments, stop.clone()).await {
            Ok(verified) => (
                of_one(&verified),
                serde_json::to_value(&verified).unwrap_or_default(),
                for_people(&verified),
            ),
            Err(error) => (Exit::of_opening(&error), error.answer(), format!("{}\n", error.message)),
        };
        if worst == Exit::Done {
            worst = exit;
        }
        text += &format!("{}\n{}", path.display(), output::indented(&told));
        several.ok &= exit == Exit::Done;
        several.files.push(Verified { path: path.display().to_string(), answer });
    }
    match output::answer(&several, arguments.json, |_| text) {
        Exit::Done => worst,
        unwritten => unwritten,
    }
}

async fn verify(path: &Path, arguments: &VerifyArguments, stop: Stop) -> Result<VerifyAnswer, AppError> {
    let session = Session::open(stop)?;
    let file = session.file(path).await?;
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
