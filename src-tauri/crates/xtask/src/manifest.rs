//! `cargo xtask updater-manifest`: the JSON that Tauri's updater reads, from signed installers that lie in one folder.
//!
//! The updater is off until the project has keys: without a `.sig` beside an installer there is nothing to list, and that is said.
//! With some signed and others not, users of the others would never hear of a new version, so that is an error.

use std::{fs, path::Path};

use crate::run::{Failure, Outcome, root, say};

const USAGE: &str = "usage: cargo xtask updater-manifest --from FOLDER --tag vX.Y.Z --url URL";

/// The updater's names of platforms, and how the file it downloads for each ends. It asks by the processor it runs on, so the one
/// archive for both of Apple's stands under both names.
const PLATFORMS: &[(&str, &str)] = &[
    ("linux-x86_64", ".AppImage"),
    ("windows-x86_64", "-setup.exe"),
    ("darwin-aarch64", ".app.tar.gz"),
    ("darwin-x86_64", ".app.tar.gz"),
];

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
    let mut unsigned = Vec::new();
    for (platform, ending) in PLATFORMS {
        for name in names.iter().filter(|name| name.ends_with(ending)) {
            let Ok(signature) = fs::read_to_string(folder.join(format!("{name}.sig"))) else {
                unsigned.push(name.as_str());
                continue;
            };
            listed.push(format!(
                "    {platform:?}: {{\"signature\": {:?}, \"url\": {:?}}}",
                signature.trim(),
                format!("{url}/{tag}/{name}")
            ));
        }
    }
    if !listed.is_empty() && !unsigned.is_empty() {
        return Err(Failure::Missing(format!(
            "xtask: not signed, though others are: {}",
            unsigned.join(", ")
        )));
    }
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str, files: &[&str]) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("stet-manifest-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for file in files {
            fs::write(folder.join(file), "words of the signature\n").unwrap();
        }
        folder
    }

    #[test]
    fn each_processor_finds_its_file() {
        let names = ["a.AppImage", "a-setup.exe", "a.app.tar.gz"];
        let signed: Vec<String> = names.iter().map(|name| format!("{name}.sig")).collect();
        let all: Vec<&str> = names.into_iter().chain(signed.iter().map(String::as_str)).collect();
        let folder = folder("all", &all);
        let listed = platforms(&folder, "v1.2.3", "https://example.org/d").unwrap();
        fs::remove_dir_all(folder).unwrap();
        assert_eq!(listed.len(), PLATFORMS.len());
        assert!(listed[2].contains(r#""darwin-aarch64""#) && listed[3].contains(r#""darwin-x86_64""#));
        assert!(listed.iter().all(|line| line.contains(r#""signature": "words of the signature""#)));
        assert!(listed[0].contains("https://example.org/d/v1.2.3/a.AppImage"));
    }

    #[test]
    fn nothing_signed_is_no_manifest_and_half_signed_is_an_error() {
        let none = folder("none", &["a.AppImage", "a-setup.exe"]);
        let half = folder("half", &["a.AppImage", "a.AppImage.sig", "a-setup.exe"]);
        let (nothing, error) =
            (platforms(&none, "v1", "u").unwrap(), platforms(&half, "v1", "u").unwrap_err());
        fs::remove_dir_all(none).unwrap();
        fs::remove_dir_all(half).unwrap();
        assert!(nothing.is_empty());
        assert!(error.to_string().contains("a-setup.exe"), "{error}");
    }
}
