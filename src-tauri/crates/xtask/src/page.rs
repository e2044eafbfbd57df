//! The page: its packages and its build.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::run::{Failure, Outcome, finish, node, root, works};

/// Installs the packages of the lock file, unless they are those already there.
pub(crate) fn install() -> Outcome {
    if !works(node("npm").arg("--version")) {
        return Err(Failure::Missing(
            "xtask: Node.js with npm is needed (20.19 or newer): https://nodejs.org".to_owned(),
        ));
    }
    let folder = root().join("ui");
    let wanted = read(&folder.join("package-lock.json"))?;
    let stamp = folder.join("node_modules/.stet-lock");
    if fs::read(&stamp).is_ok_and(|done| done == wanted) {
        return Ok(());
    }
    finish(
        node("npm")
            .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"])
            .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"),
    )?;
    fs::write(&stamp, wanted).map_err(|why| Failure::Disk { path: stamp, why })
}

/// The notices of everything that Stet is built of; the page shows them.
pub(crate) fn notices() -> PathBuf {
    root().join("ui/public/third-party-notices.txt")
}

/// Gathers the notices anew, for this system. A package without a licence stops it.
pub(crate) fn write_notices() -> Outcome {
    finish(&mut gather())
}

fn gather() -> Command {
    let mut command = Command::new("node");
    command.current_dir(root()).arg("packaging/licenses.mjs").arg(notices());
    command
}

/// Builds `ui/dist`, which the shell embeds.
pub(crate) fn build() -> Outcome {
    write_notices()?;
    pages()
}

/// The same with the notices of what another system's program is linked of.
pub(crate) fn build_for(triple: &str) -> Outcome {
    finish(gather().arg(triple))?;
    pages()
}

fn pages() -> Outcome {
    finish(node("npm").args(["run", "--silent", "build"]))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|why| Failure::Disk { path: path.to_path_buf(), why })
}
