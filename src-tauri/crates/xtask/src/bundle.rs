//! `cargo xtask bundle`: the installers of this platform, and on Linux, when asked, those of Windows.
//!
//! Nothing here downloads anything but packages of the registries. What cannot be made on this machine is refused, not skipped.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    packages, page,
    run::{Failure, Outcome, SECRETS, cargo, finish, keep, node, root, say, target},
    setup,
};

const USAGE: &str = "usage: cargo xtask bundle [--windows] [--out FOLDER]";

/// What the makers of the Linux packages need.
const LINUX_TOOLS: &[&str] = &["squashfs-tools", "gzip", "desktop-file-utils"];
/// A Windows toolchain on Debian: a compiler with the sources of its standard library, a linker, and the installer's maker.
const WINDOWS_TOOLS: &[&str] =
    &["rustc-web", "cargo-web", "rust-web-src", "gcc-mingw-w64-x86-64", "g++-mingw-w64-x86-64", "nsis"];

/// Goals for what a user downloads and what it takes on the disk.
const INSTALLER_LIMIT: u64 = 15_000_000;

/// Builds and packs; everything made lies in the folder given after `--out`, by default `target/bundle`.
pub(crate) fn bundle(arguments: &[String]) -> Outcome {
    let mut windows = cfg!(windows);
    let mut out = target().join("bundle");
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match (word.as_str(), words.as_slice().first()) {
            ("--windows", _) => windows = true,
            ("--out", Some(folder)) => {
                out = root().join(folder);
                words.next();
            }
            _ => return Err(Failure::Usage(USAGE.to_owned())),
        }
    }
    fs::create_dir_all(&out).map_err(|why| Failure::Disk { path: out.clone(), why })?;
    if windows {
        for_windows(&out)?
    } else if cfg!(target_os = "macos") {
        for_macos(&out)?
    } else {
        for_linux(&out)?
    }
    sizes(&out)
}

fn for_linux(out: &Path) -> Outcome {
    setup::to_build()?;
    if packages::has_apt() {
        packages::install(LINUX_TOOLS)?;
    }
    page::build()?;
    finish(cargo().args(["build", "--release", "--package", "stet-cli", "--package", "stet-desktop"]))?;
    let release = target().join("release");
    let staged = staged_files(&release, out)?;
    let made = release.join("bundle");
    if made.exists() {
        fs::remove_dir_all(&made).map_err(|why| Failure::Disk { path: made.clone(), why })?;
    }
    finish(tauri().args(["bundle", "--bundles", "deb,rpm", "--config"]).arg(&staged))?;
    let deb = collect(&made.join("deb"), "deb", out)?;
    packed_again(&deb, out)?;
    collect(&made.join("rpm"), "rpm", out)?;
    let runtime = out.join("runtime-x86_64");
    finish(Command::new(root().join("packaging/linux/appimage-runtime")).arg(&runtime))?;
    let image = out.join(format!("Stet_{}_amd64.AppImage", env!("CARGO_PKG_VERSION")));
    finish(Command::new(root().join("packaging/linux/appimage")).arg(deb).arg(&runtime).arg(image))?;
    fs::remove_file(&runtime).map_err(|why| Failure::Disk { path: runtime, why })
}

/// The man page, completions, notices and the command line, and the file that tells Tauri where each goes.
fn staged_files(release: &Path, out: &Path) -> Result<PathBuf, Failure> {
    let stet = release.join("stet");
    let manual = out.join("stet.1");
    keep(Command::new(&stet).arg("man"), &manual)?;
    finish(Command::new("gzip").args(["--best", "--no-name", "--force"]).arg(&manual))?;
    let mut files = vec![
        ("/usr/bin/stet".to_owned(), stet.clone()),
        ("/usr/share/man/man1/stet.1.gz".to_owned(), out.join("stet.1.gz")),
        ("/usr/share/doc/stet/copyright".to_owned(), root().join("LICENSE")),
        ("/usr/share/doc/stet/LICENSE-MIT".to_owned(), root().join("LICENSE-MIT")),
        ("/usr/share/doc/stet/LICENSE-APACHE".to_owned(), root().join("LICENSE-APACHE")),
        ("/usr/share/icons/hicolor/scalable/apps/stet-desktop.svg".to_owned(), root().join("icons/icon.svg")),
        ("/usr/share/doc/stet/third-party-notices.txt".to_owned(), page::notices()),
    ];
    for (shell, place) in [
        ("bash", "/usr/share/bash-completion/completions/stet"),
        ("zsh", "/usr/share/zsh/vendor-completions/_stet"),
        ("fish", "/usr/share/fish/vendor_completions.d/stet.fish"),
    ] {
        let file = out.join(format!("completion.{shell}"));
        keep(Command::new(&stet).args(["completions", shell]), &file)?;
        files.push((place.to_owned(), file));
    }
    let listed: Vec<String> =
        files.iter().map(|(to, from)| format!("{:?}: {:?}", to, from.to_string_lossy())).collect();
    let template = root().join("packaging/linux/stet.desktop.hbs");
    let files = format!(
        "\"desktopTemplate\": {:?}, \"files\": {{{}}}",
        template.to_string_lossy(),
        listed.join(", ")
    );
    let debian = format!(
        "\"section\": \"editors\", \"depends\": [\"libc6 (>= 2.35)\"], \"recommends\": [\"xdg-utils\"], \"changelog\": {:?}",
        root().join("CHANGELOG.md").to_string_lossy()
    );
    // Where nobody has chosen a default, the first entry by name is it; one in capitals would come before every other program's.
    let text = format!(
        "{{\"productName\": \"stet\", \"bundle\": {{\"linux\": {{\"deb\": {{{debian}, {files}}}, \"rpm\": {{\"compression\": {{\"type\": \"xz\", \"level\": 6}}, {files}}}}}}}}}"
    );
    let config = out.join("tauri.linux.json");
    fs::write(&config, text).map_err(|why| Failure::Disk { path: config.clone(), why })?;
    Ok(config)
}

/// One image for both processors; the command line travels inside the application.
fn for_macos(out: &Path) -> Outcome {
    page::install()?;
    page::build()?;
    let mut halves = Vec::new();
    for triple in ["aarch64-apple-darwin", "x86_64-apple-darwin"] {
        finish(cargo().args(["build", "--release", "--package", "stet-cli", "--target", triple]))?;
        halves.push(target().join(triple).join("release/stet"));
    }
    let stet = out.join("stet");
    finish(Command::new("lipo").arg("-create").args(halves).arg("-output").arg(&stet))?;
    let config = out.join("tauri.macos.json");
    let text = format!(
        "{{\"bundle\": {{\"macOS\": {{\"files\": {{\"MacOS/stet\": {:?}}}}}}}}}",
        stet.to_string_lossy()
    );
    fs::write(&config, text).map_err(|why| Failure::Disk { path: config.clone(), why })?;
    let mut command = tauri();
    command
        .args(["build", "--target", "universal-apple-darwin", "--bundles", "app,dmg", "--config"])
        .arg(&config);
    with_signing(&mut command);
    finish(&mut command)?;
    let made = target().join("universal-apple-darwin/release/bundle");
    // What the updater downloads.
    let archive = out.join(format!("Stet_{}_universal.app.tar.gz", env!("CARGO_PKG_VERSION")));
    finish(Command::new("tar").arg("-czf").arg(archive).arg("-C").arg(made.join("macos")).arg("Stet.app"))?;
    collect(&made.join("dmg"), "dmg", out).map(drop)
}

/// Gives the bundler what it signs and notarises with, as far as it is set: a workflow hands over secrets that are not set as empty
/// words, which Tauri would take for certificates. Without an identity the application is signed for no maker, since processors of
/// Apple's run nothing unsigned.
fn with_signing(command: &mut Command) {
    command.env("APPLE_SIGNING_IDENTITY", "-");
    for name in SECRETS.iter().filter(|name| name.starts_with("APPLE_")) {
        if let Some(value) = std::env::var_os(name).filter(|value| !value.is_empty()) {
            command.env(name, value);
        }
    }
}

fn for_windows(out: &Path) -> Outcome {
    page::install()?;
    page::build_for("x86_64-pc-windows-gnu")?;
    let release = if cfg!(windows) {
        finish(cargo().args(["build", "--release", "--package", "stet-cli", "--package", "stet-desktop"]))?;
        target().join("release")
    } else {
        cross_build()?
    };
    let installer = out.join(format!("Stet_{}_x64-setup.exe", env!("CARGO_PKG_VERSION")));
    sign(&[release.join("stet.exe"), release.join("stet-desktop.exe")])?;
    finish(
        Command::new("makensis")
            .args(["-V2", "-WX", "-INPUTCHARSET", "UTF8"])
            .arg(format!("-DVERSION={}", env!("CARGO_PKG_VERSION")))
            .arg(format!("-DSRC={}", release.display()))
            .arg(format!("-DICON={}", root().join("icons/icon.ico").display()))
            .arg(format!("-DNOTICES={}", page::notices().display()))
            .arg(format!("-DLICENSES={}", root().display()))
            .arg(format!("-DOUT={}", installer.display()))
            .arg(root().join("packaging/windows/stet.nsi")),
    )?;
    sign(&[installer])
}

/// Signs on Windows where a certificate is given (`packaging/windows/sign.ps1` says how); elsewhere the files stay unsigned.
fn sign(files: &[PathBuf]) -> Outcome {
    if !cfg!(windows) || std::env::var_os("WINDOWS_CERTIFICATE").is_none_or(|value| value.is_empty()) {
        return Ok(());
    }
    finish(
        Command::new("pwsh")
            .args(["-NoProfile", "-File"])
            .arg(root().join("packaging/windows/sign.ps1"))
            .args(files),
    )
}

/// Windows from Linux, with Debian's compiler that has the sources of its standard library; rustup has none for Windows here.
fn cross_build() -> Result<PathBuf, Failure> {
    if !packages::has_apt() {
        return Err(Failure::Missing("xtask: Windows is built on Windows, or on Debian 12".to_owned()));
    }
    packages::install(WINDOWS_TOOLS)?;
    let folder = target().join("windows");
    let mut command = Command::new("/usr/bin/cargo");
    command
        .args(["build", "--release", "--target", "x86_64-pc-windows-gnu", "-Zbuild-std=std,panic_unwind"])
        .args(["--package", "stet-cli", "--package", "stet-desktop"])
        .current_dir(root())
        .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        .env("RUSTC", "/usr/bin/rustc")
        // `-Zbuild-std` is not stable; this is the switch that the distribution's stable compiler has for it.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", &folder);
    for name in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC_WRAPPER", "CARGO_MANIFEST_DIR"] {
        command.env_remove(name);
    }
    finish(&mut command)?;
    Ok(folder.join("x86_64-pc-windows-gnu/release"))
}

/// The one file with this ending in a folder of Tauri's, copied to where everything is gathered.
fn collect(folder: &Path, ending: &str, out: &Path) -> Result<PathBuf, Failure> {
    let disk = |why| Failure::Disk { path: folder.to_path_buf(), why };
    let version = env!("CARGO_PKG_VERSION");
    for entry in fs::read_dir(folder).map_err(disk)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(&format!(".{ending}")) && name.contains(version) {
            let to = out.join(&name);
            fs::copy(entry.path(), &to).map_err(disk)?;
            return Ok(to);
        }
    }
    Err(Failure::Missing(format!("xtask: no .{ending} was made in {}", folder.display())))
}

/// What was made and how large it is; too large is an error.
fn sizes(out: &Path) -> Outcome {
    let disk = |why| Failure::Disk { path: out.to_path_buf(), why };
    let mut over = Vec::new();
    for entry in fs::read_dir(out).map_err(disk)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_installer =
            [".deb", ".rpm", ".AppImage", ".exe", ".dmg"].iter().any(|ending| name.ends_with(ending));
        if is_installer {
            let size = entry.metadata().map_err(disk)?.len();
            say(&format!("{name}: {:.2} MB", size as f64 / 1e6));
            if size > INSTALLER_LIMIT {
                over.push(name);
            }
        }
    }
    if over.is_empty() {
        return Ok(());
    }
    Err(Failure::Missing(format!(
        "xtask: larger than {} MB: {}",
        INSTALLER_LIMIT / 1_000_000,
        over.join(", ")
    )))
}

/// The same package with its files packed by xz, which takes a third off; Tauri packs with gzip.
fn packed_again(deb: &Path, out: &Path) -> Outcome {
    let folder = out.join("deb-files");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|why| Failure::Disk { path: folder.clone(), why })?;
    }
    finish(Command::new("dpkg-deb").arg("--raw-extract").arg(deb).arg(&folder))?;
    finish(Command::new("dpkg-deb").args(["--root-owner-group", "-Zxz", "--build"]).arg(&folder).arg(deb))?;
    fs::remove_dir_all(&folder).map_err(|why| Failure::Disk { path: folder, why })
}

/// Tauri's command line from the page's packages, in the folder of its configuration, where `npx` would not find it.
fn tauri() -> Command {
    let mut command = node(&root().join("ui/node_modules/.bin/tauri").to_string_lossy());
    command.current_dir(root().join("src-tauri"));
    command
}
