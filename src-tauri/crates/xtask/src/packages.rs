//! System packages on Debian and its children: what is missing is installed, what is there is left alone.
//!
//! Elsewhere (other Linux families, macOS, Windows) nothing is installed; the build itself then says what it misses.

use std::process::Command;

use crate::run::{Failure, Outcome, finish, say, works};

/// To build and to open the window.
pub(crate) const TO_BUILD: &[&str] =
    &["build-essential", "pkg-config", "cmake", "libwebkit2gtk-4.1-dev", "libgtk-3-dev"];

/// To drive the window and a browser without a screen.
pub(crate) const TO_TEST: &[&str] = &[
    "webkit2gtk-driver",
    "xvfb",
    "xauth",
    "openbox",
    "xdotool",
    "dbus",
    "dbus-x11",
    "gnome-keyring",
    "python3",
    "python3-venv",
    "python3-gi",
    "gir1.2-gtk-3.0",
    "fonts-dejavu-core",
    "fonts-noto-cjk",
];

/// Debian's small headless browser; Ubuntu has none, there Playwright brings its own.
pub(crate) const BROWSER: &str = "chromium-headless-shell";

/// Whether this machine has apt.
pub(crate) fn has_apt() -> bool {
    cfg!(target_os = "linux")
        && works(Command::new("apt-get").arg("--version"))
        && works(Command::new("dpkg-query").arg("--version"))
}

/// Whether apt knows a package under this name.
pub(crate) fn offered(package: &str) -> bool {
    Command::new("apt-cache").args(["policy", package]).output().is_ok_and(|answer| {
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        text.contains("Candidate:") && !text.contains("Candidate: (none)")
    })
}

/// Installs those packages that are missing, as root or through sudo.
pub(crate) fn install(packages: &[&str]) -> Outcome {
    let missing: Vec<&str> = packages.iter().copied().filter(|package| !installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    say(&format!("xtask: installing {}", missing.join(" ")));
    finish(apt(&["update", "-qq"])?.env("DEBIAN_FRONTEND", "noninteractive"))?;
    let mut command = apt(&["install", "-y", "-qq", "--no-install-recommends"])?;
    finish(command.args(&missing).env("DEBIAN_FRONTEND", "noninteractive"))
}

pub(crate) fn installed(package: &str) -> bool {
    let answer = Command::new("dpkg-query").args(["-W", "-f=${Status}", package]).output();
    answer.is_ok_and(|answer| String::from_utf8_lossy(&answer.stdout).contains("ok installed"))
}

fn apt(arguments: &[&str]) -> Result<Command, Failure> {
    let root = Command::new("id").arg("-u").output().is_ok_and(|answer| answer.stdout.trim_ascii() == b"0");
    if root {
        let mut command = Command::new("apt-get");
        command.args(arguments);
        return Ok(command);
    }
    if !works(Command::new("sudo").arg("-V")) {
        let text =
            "xtask: system packages are missing, and neither root nor sudo is at hand to install them.";
        return Err(Failure::Missing(text.to_owned()));
    }
    let mut command = Command::new("sudo");
    command.arg("apt-get").args(arguments);
    Ok(command)
}
