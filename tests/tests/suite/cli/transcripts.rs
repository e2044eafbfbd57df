//! What each command prints, kept as transcripts in `tests/cases/cli`: documents, commands, and their real output.
//!
//! `STET_WRITE_TRANSCRIPTS=1` writes the outputs anew; the difference is then for a reviewer. Paths, times, ids that depend on the path and
//! the version are written as words.

#![cfg(unix)] // The commands are lines for a shell.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::stet;

/// A folder with a home, and `stet` in the path of its shell.
pub(super) struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    pub(super) fn new() -> Bench {
        Bench { folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join("work").join(name)
    }

    pub(super) fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Runs a line in a shell: standard output, standard error, status.
    pub(super) fn run(&self, line: &str) -> (String, String, i32) {
        let mut folders = vec![stet().parent().unwrap().to_path_buf()];
        folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let output = Command::new("sh")
            .args(["-c", line])
            .current_dir(self.path(""))
            .env("PATH", std::env::join_paths(folders).unwrap())
            .env("STET_HOME", self.folder.path().join("home"))
            .env_remove("DBUS_SESSION_BUS_ADDRESS")
            .env_remove("STET_UPSTREAM_KEY")
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr), output.status.code().unwrap_or(-1))
    }

    /// The same with what differs between machines and days written as words.
    fn transcript_of(&self, line: &str) -> String {
        let (out, err, status) = self.run(line);
        let mut told = out;
        for line in err.lines() {
            let _ = writeln!(told, "! {line}");
        }
        if status != 0 {
            let _ = writeln!(told, "[{status}]");
        }
        let here = self.path("");
        let told = told.replace(here.to_str().unwrap().trim_end_matches('/'), "HERE");
        let told = told.replace(concat!("stet ", env!("CARGO_PKG_VERSION")), "stet VERSION");
        words_for(&told)
    }
}

/// Times and file ids as words; each id of a transcript would differ with the folder.
fn words_for(text: &str) -> String {
    let mut told = String::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if let Some(after) = time_at(rest) {
            told += "TIME";
            rest = after;
        } else if let Some(after) = rest.strip_prefix("file-").and_then(hex_at) {
            told += "FILE-ID";
            rest = after;
        } else {
            told.push(character);
            rest = &rest[character.len_utf8()..];
        }
    }
    told
}

/// After an RFC 3339 time in UTC at the beginning.
fn time_at(text: &str) -> Option<&str> {
    const FORM: &str = "0000-00-00T00:00:00";
    let head = text.get(..FORM.len())?;
    let fits = head
        .chars()
        .zip(FORM.chars())
        .all(|(one, form)| if form == '0' { one.is_ascii_digit() } else { one == form });
    let rest = text[FORM.len()..].trim_start_matches(|one: char| one == '.' || one.is_ascii_digit());
    fits.then(|| rest.strip_prefix('Z')).flatten()
}

fn hex_at(text: &str) -> Option<&str> {
    let head = text.get(..8)?;
    head.chars().all(|one| one.is_ascii_hexdigit()).then(|| &text[8..])
}

/// A transcript: prose, ```` ```file NAME ```` blocks, and ```` ```console ```` blocks of `$ command` and output.
fn replayed(text: &str) -> String {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("")).unwrap();
    let mut told = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        told += &format!("{line}\n");
        if let Some(name) = line.strip_prefix("```file ") {
            let mut content = String::new();
            for line in lines.by_ref() {
                told += &format!("{line}\n");
                if line == "```" {
                    break;
                }
                content += &format!("{line}\n");
            }
            bench.write(name, &content);
        } else if line == "```console" {
            let mut commands = Vec::new();
            for line in lines.by_ref() {
                if line == "```" {
                    break;
                }
                commands.extend(line.strip_prefix("$ "));
            }
            for command in commands {
                told += &format!("$ {command}\n{}", bench.transcript_of(command));
            }
            told += "```\n";
        }
    }
    told
}

fn check(path: &Path) {
    let kept = fs::read_to_string(path).unwrap();
    let now = replayed(&kept);
    if std::env::var_os("STET_WRITE_TRANSCRIPTS").is_some() {
        fs::write(path, now).unwrap();
        return;
    }
    if now != kept {
        let at = now.lines().zip(kept.lines()).position(|(now, kept)| now != kept).unwrap_or(0);
        panic!(
            "{}, line {}:\nkept: {:?}\nnow:  {:?}\n\n{now}",
            path.display(),
            at + 1,
            kept.lines().nth(at),
            now.lines().nth(at)
        );
    }
}

#[test]
fn every_command_prints_what_it_did() {
    let folder = stet_tests::repository().join("tests/cases/cli");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        check(&path);
    }
}

#[test]
fn every_command_has_help_with_an_example_and_a_transcript() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("")).unwrap();
    let (help, ..) = bench.run("stet --help");
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let commands: Vec<&str> =
        list.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next()).collect();
    assert!(commands.len() > 17, "{commands:?}");
    let folder = stet_tests::repository().join("tests/cases/cli");
    let transcripts: String = fs::read_dir(folder)
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    // The servers have tests of their own, on their own ports.
    let elsewhere = ["help", "proxy", "mcp"];
    for command in commands.iter().filter(|command| **command != "help") {
        let (help, err, status) = bench.run(&format!("stet {command} --help"));
        assert_eq!((status, err.as_str()), (0, ""), "{command}");
        assert!(help.contains("Examples:\n  ") && help.contains(&format!("stet {command}")), "{help}");
        let is_shown = transcripts.contains(&format!("stet {command}"));
        assert!(is_shown || elsewhere.contains(command), "{command} has no transcript");
        let undescribed = help
            .lines()
            .filter(|line| line.trim_start().starts_with("--") && line.trim().split("  ").count() < 2);
        assert_eq!(undescribed.count(), 0, "an option without a word about it in {help}");
    }
}

#[test]
fn completions_and_the_man_page_know_every_command() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("")).unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (out, err, status) = bench.run(&format!("stet completions {shell}"));
        assert_eq!((status, err.as_str()), (0, ""));
        for word in ["outline", "history", "mcp", "accept", "expected-rev"] {
            assert!(out.contains(word), "{shell}: {word}");
        }
    }
    let (bash, ..) = bench.run("stet completions bash > done.bash && bash -n done.bash && echo fine");
    assert_eq!(bash, "fine\n");
    let (page, ..) = bench.run("stet man");
    for word in [".TH stet", "stet\\-outline", "stet\\-mcp", "First steps"] {
        assert!(page.contains(word), "{word} in {page}");
    }
}

#[test]
fn colours_are_for_terminals_only() {
    if Command::new("script").arg("--version").output().is_err() {
        println!("no `script` here to make a terminal");
        return;
    }
    let bench = Bench::new();
    bench.write("a.md", "alpha\n");
    bench.write("ops.json", r#"[{"op":"replace_text","find":"alpha","replace":"beta"}]"#);
    let diff = "stet diff a.md --ops ops.json";
    assert!(!bench.run(diff).0.contains('\u{1b}'));
    let on_terminal =
        |environment: &str| bench.run(&format!("{environment} script -qec '{diff}' /dev/null")).0;
    assert!(on_terminal("TERM=xterm").contains("\u{1b}[32m+beta"), "{}", on_terminal("TERM=xterm"));
    assert!(!on_terminal("TERM=xterm NO_COLOR=1").contains('\u{1b}'));
    assert!(!on_terminal("TERM=dumb").contains('\u{1b}'));
    let json = bench.run(&format!("TERM=xterm script -qec '{diff} --json' /dev/null")).0;
    assert!(!json.contains('\u{1b}'));
}
