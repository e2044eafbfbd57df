//! Paths as people and other programs write them. Inside, Windows paths carry the prefix `\\?\`, with which every length is allowed;
//! most programs cannot open such a name, so it is left out where it is not needed.
//!
//! The prefix also switches off the reading of a name: what the short form would mean differently keeps it.

use serde::Serialize;
use serde_json::Value;

/// The longest path that every Windows program can open (MAX_PATH without its end).
const LONGEST_PLAIN: usize = 259;

/// The path without its prefix, if it means the same then.
pub(crate) fn told(path: &str) -> String {
    if cfg!(windows) { without_prefix(path) } else { path.to_owned() }
}

/// The JSON of an answer with every `path` in it as it is told.
pub(crate) fn told_in<T: Serialize>(answer: &T) -> serde_json::Result<String> {
    if cfg!(windows) {
        serde_json::to_string(&paths_in(serde_json::to_value(answer)?))
    } else {
        serde_json::to_string(answer)
    }
}

fn without_prefix(path: &str) -> String {
    let Some(rest) = path.strip_prefix(r"\\?\") else { return path.to_owned() };
    let plain = match rest.strip_prefix(r"UNC\") {
        Some(share) => format!(r"\\{share}"),
        None if is_on_drive(rest) => rest.to_owned(),
        None => return path.to_owned(),
    };
    let fits = plain.encode_utf16().count() <= LONGEST_PLAIN;
    if fits && rest.split('\\').skip(1).all(means_itself) { plain } else { path.to_owned() }
}

fn is_on_drive(rest: &str) -> bool {
    let mut characters = rest.chars();
    characters.next().is_some_and(|drive| drive.is_ascii_alphabetic())
        && characters.as_str().starts_with(r":\")
}

/// Names of devices, and names that end with a dot or a space, are other names without the prefix.
fn means_itself(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let is_numbered = |device: &str| {
        let number = stem.strip_prefix(device).map(|number| number.chars().collect::<Vec<_>>());
        matches!(number.as_deref(), Some(['0'..='9' | '¹' | '²' | '³']))
    };
    let is_device = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem.as_str());
    !name.ends_with(['.', ' '])
        && !name.contains('/')
        && !is_device
        && !is_numbered("COM")
        && !is_numbered("LPT")
}

fn paths_in(answer: Value) -> Value {
    match answer {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(key, value)| match value {
                    Value::String(path) if key == "path" => (key, Value::String(without_prefix(&path))),
                    other => (key, paths_in(other)),
                })
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(paths_in).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{paths_in, without_prefix};

    #[test]
    fn the_prefix_goes_where_it_is_not_needed() {
        for (path, expected) in [
            (r"\\?\C:\Users\Ada\notes.md", r"C:\Users\Ada\notes.md"),
            (r"\\?\UNC\server\share\章.docx", r"\\server\share\章.docx"),
            (r"C:\plain.md", r"C:\plain.md"),
            (r"\\server\share\plain.md", r"\\server\share\plain.md"),
            (r"\\?\C:\console.md", r"C:\console.md"),
            ("/home/ada/notes.md", "/home/ada/notes.md"),
        ] {
            assert_eq!(without_prefix(path), expected);
        }
    }

    #[test]
    fn what_would_mean_something_else_keeps_it() {
        for path in [
            r"\\?\Volume{9f2b}\notes.md",
            r"\\?\C:\folder.\notes.md",
            r"\\?\C:\folder \notes.md",
            r"\\?\C:\con",
            r"\\?\C:\aux.md",
            r"\\?\C:\COM1.txt",
            r"\\?\C:\lpt³\notes.md",
            r"\\?\C:\a/b.md",
        ] {
            assert_eq!(without_prefix(path), path);
        }
        let long = format!(r"\\?\C:\{}\notes.md", "deep\\".repeat(60));
        assert_eq!(without_prefix(&long), long);
    }

    #[test]
    fn only_paths_of_an_answer_change() {
        let answer = json!({"path": r"\\?\C:\a.md", "changes": [{"before": r"\\?\C:\a.md"}], "files": [{"path": r"\\?\C:\b.md"}]});
        let told = json!({"path": r"C:\a.md", "changes": [{"before": r"\\?\C:\a.md"}], "files": [{"path": r"C:\b.md"}]});
        assert_eq!(paths_in(answer), told);
    }
}
