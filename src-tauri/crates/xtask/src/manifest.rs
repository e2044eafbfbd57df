//! `cargo xtask updater-manifest`: the JSON that Tauri's updater reads, from signed installers that lie in one folder.
//!
//! The updater is off until the project has keys: without a `.sig` beside an installer there is nothing to list, and that is said.

use std::{fs, path::Path};

use crate::run::{Failure, Outcome, root, say};

const USAGE: &str = "usage: cargo xtask updater-manifest --from FOLDER --tag vX.Y.Z --url URL";

/// The updater's names of platforms, and how the file it downloads for each ends.
const PLATFORMS: &[(&str, &str)] =
    &[("linux-x86_64", ".AppImage"), ("windows-x86_64", "-setup.exe"), ("darwin-universal", ".app.tar.gz")];

/// Writes `latest.json` into the folder.
pub(crate) fn updater(arguments: &[String]) -> Outcome {
    let value = |name: &str| {
        let place = arguments.iter().position(|word| word == name)?;
        arguments.get(place + 1).map(String::as_str)
    };
    let (Some(from), Some(tag), Some(url)) = (value("--from"), value("--tag"), value("--url")) else {
        return Err(Failure::Usage(USAGE.to_owned()));
    };
    let folder = root().join(from);
    let listed = platforms(&folder, tag, url)?;
    if listed.is_empty() {
        say("xtask: no signatures here, so no updater manifest: the updater stays off");
        return Ok(());
    }
    let text = format!(
        "{{\n  \"version\": {:?},\n  \"platforms\": {{\n{}\n  }}\n}}\n",
        tag.trim_start_matches('v'),
        listed.join(",\n")
    );
    let path = folder.join("latest.json");
    fs::write(&path, text).map_err(|why| Failure::Disk { path, why })
}

fn platforms(folder: &Path, tag: &str, url: &str) -> Result<Vec<String>, Failure> {
    let disk = |why| Failure::Disk { path: folder.to_path_buf(), why };
    let mut names: Vec<String> = fs::read_dir(folder)
        .map_err(disk)?
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let mut listed = Vec::new();
    for (platform, ending) in PLATFORMS {
        for name in names.iter().filter(|name| name.ends_with(ending)) {
            let Ok(signature) = fs::read_to_string(folder.join(format!("{name}.sig"))) else { continue };
            listed.push(format!(
                "    {platform:?}: {{\"signature\": {:?}, \"url\": {:?}}}",
                signature.trim(),
                format!("{url}/{tag}/{name}")
            ));
        }
    }
    Ok(listed)
}
