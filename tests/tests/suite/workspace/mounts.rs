//! File systems of a test's own: a small one to fill up, one that ignores case. They need root, so they are only tried with `STET_FULL`.

use std::process::{Command, Stdio};

use super::*;

/// Unmounted when it is dropped.
pub(crate) struct Mounted(pub(crate) PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn does(program: &str, arguments: &[&str]) -> bool {
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

impl Mounted {
    /// A file system in memory with this many KiB.
    pub(crate) fn small(scratch: &Scratch, name: &str, kilobytes: usize) -> Option<Mounted> {
        let point = Mounted::point(scratch, name)?;
        let size = format!("size={kilobytes}k");
        does("mount", &["-t", "tmpfs", "-o", &size, "none", point.to_str()?]).then_some(Mounted(point))
    }

    /// With a folder `Folder` that ignores case.
    pub(crate) fn ignoring_case(scratch: &Scratch) -> Option<Mounted> {
        let point = Mounted::point(scratch, "ignoring")?;
        let image = scratch.home().with_file_name("image");
        fs::File::create(&image).ok()?.set_len(16 << 20).ok()?;
        let (image, at) = (image.to_str()?, point.to_str()?);
        let is_made = does("mkfs.ext4", &["-q", "-O", "casefold", "-E", "encoding=utf8", image])
            && does("mount", &["-o", "loop", image, at]);
        if !is_made {
            return None;
        }
        let mounted = Mounted(point.clone());
        fs::create_dir(point.join("Folder")).ok()?;
        does("chattr", &["+F", point.join("Folder").to_str()?]).then_some(mounted)
    }

    fn point(scratch: &Scratch, name: &str) -> Option<PathBuf> {
        std::env::var_os("STET_FULL")?;
        let point = scratch.home().with_file_name(name);
        fs::create_dir(&point).ok()?;
        Some(point)
    }
}
