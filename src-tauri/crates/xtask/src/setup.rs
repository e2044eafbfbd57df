//! Installs what a fresh machine lacks: system packages (where there is apt), the page's packages, the window driver.

use std::{path::PathBuf, process::Command};

use crate::{
    packages, page,
    run::{Outcome, cargo, finish, node, say, target, works},
};

/// The driver between WebDriver clients and the window; a fixed version, since 3.0 is still changing.
const DRIVER: &str = "2.1.0";

/// What `cargo xtask app` needs.
pub(crate) fn to_build() -> Outcome {
    if packages::has_apt() {
        packages::install(packages::TO_BUILD)?;
    } else {
        say("xtask: no apt here, so system packages are taken to be there");
    }
    page::install()
}

/// What `cargo xtask test` needs.
pub(crate) fn everything() -> Outcome {
    to_build()?;
    if packages::has_apt() {
        packages::install(packages::TO_TEST)?;
    }
    browser()?;
    if window_tests_run_here() { driver() } else { Ok(()) }
}

/// The window tests need X and WebKitGTK.
pub(crate) fn window_tests_run_here() -> bool {
    cfg!(target_os = "linux")
}

/// Where the driver is installed.
pub(crate) fn driver_path() -> PathBuf {
    target().join("tools/bin").join("tauri-driver")
}

fn browser() -> Outcome {
    if works(Command::new("chromium-headless-shell").arg("--version")) {
        return Ok(());
    }
    if packages::has_apt() && packages::offered(packages::BROWSER) {
        return packages::install(&[packages::BROWSER]);
    }
    finish(node("npx").args(["playwright", "install", "--only-shell", "chromium"]))
}

fn driver() -> Outcome {
    if driver_path().is_file() {
        return Ok(());
    }
    let tools = target().join("tools");
    finish(cargo().args(["install", "tauri-driver", "--locked", "--version", DRIVER, "--root"]).arg(tools))
}
