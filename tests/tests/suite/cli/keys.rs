//! `stet key` with a keychain and without one.

#![cfg(target_os = "linux")] // Elsewhere the keychain of whoever runs the tests would be written to.

use std::process::{Command, Stdio};

use super::{Shell, text};

#[test]
fn without_a_keychain_nothing_is_kept_and_that_is_said() {
    let shell = Shell::new();
    let run = |arguments: &[&str]| {
        let mut command = shell.command(arguments);
        command
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
            .env("XDG_RUNTIME_DIR", shell.folder.path());
        text(&command.stdin(Stdio::null()).output().unwrap())
    };
    let (status, out, err) = run(&["key", "set", "some"]);
    assert_eq!((status, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("no keychain") && err.contains("STET_UPSTREAM_KEY"), "{err}");
    let (status, out, _) = run(&["key", "status", "some", "--json"]);
    assert_eq!(status, 0);
    assert!(out.contains("\"has_keychain\":false") && out.contains("\"provider\":\"some\""), "{out}");
}

#[test]
fn a_key_goes_into_the_keychain_and_never_comes_out() {
    let there = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !there("dbus-run-session") || !there("gnome-keyring-daemon") {
        println!("no keychain here to test with");
        return;
    }
    let shell = Shell::new();
    let script = r#"
        echo test | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
        echo s3cret-word | "$STET" key set some && "$STET" key status some && "$STET" models --json
        "$STET" key clear some --json && "$STET" key status some
    "#;
    let mut command = Command::new("timeout");
    command.args(["60", "dbus-run-session", "--", "sh", "-c", script]).env("STET", super::stet());
    command.env("STET_HOME", shell.path("home")).env("HOME", shell.folder.path());
    command.env("XDG_DATA_HOME", shell.path("data")).env("XDG_RUNTIME_DIR", shell.folder.path());
    let (status, out, err) = text(&command.stdin(Stdio::null()).output().unwrap());
    assert_eq!(status, 0, "{out}{err}");
    assert!(
        out.starts_with("some: the key is in the keychain\nsome: the key is in the keychain\n"),
        "{out}{err}"
    );
    assert!(out.ends_with("some: no key\n"), "{out}");
    assert!(!out.contains("s3cret-word") && !err.contains("s3cret-word"));
}
