//! Files that a caller names where commands can write: a link there leads wherever a command before
//! has turned it, and we would read with more rights than that command had.

use rustix::fd::{AsFd, AsRawFd};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Whether something that was opened by this path lies outside of all these roots, though the path
/// begins in one of them. It is asked of what is open, so that nobody turns a link in between.
pub fn leads_out(opened: impl AsFd, path: &Path, roots: &[PathBuf]) -> io::Result<bool> {
    if !roots.iter().any(|root| path.starts_with(root)) {
        return Ok(false);
    }
    let link = format!("/proc/self/fd/{}", opened.as_fd().as_raw_fd());
    let name = rustix::fs::readlink(link, Vec::new())?;
    let name = Path::new(OsStr::from_bytes(name.to_bytes()));
    let real = |root: &PathBuf| root.canonicalize().unwrap_or_else(|_| root.clone());
    Ok(!roots.iter().any(|root| name.starts_with(real(root))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};
    use std::os::unix::fs::symlink;

    #[test]
    fn only_a_link_out_of_a_root_leads_out() {
        let place = std::env::temp_dir().join(format!("ricasso-turned-{}", std::process::id()));
        let (work, out) = (place.join("work"), place.join("out"));
        fs::create_dir_all(&work).unwrap();
        fs::create_dir_all(&out).unwrap();
        fs::write(out.join("file"), "x").unwrap();
        fs::write(work.join("file"), "x").unwrap();
        symlink("file", work.join("inside")).unwrap();
        symlink("../out/file", work.join("outside")).unwrap();
        symlink("../out", work.join("above")).unwrap();
        symlink("work", place.join("alias")).unwrap();
        let roots = [place.join("alias")];
        let asked = |path: &Path| leads_out(File::open(path).unwrap(), path, &roots).unwrap();
        let by_alias = ["file", "inside", "outside", "above/file"].map(|name| roots[0].join(name));
        let found = by_alias.map(|path| asked(&path));
        let elsewhere = asked(&out.join("file"));
        fs::remove_dir_all(&place).unwrap();
        assert_eq!((found, elsewhere), ([false, false, true, true], false));
    }
}
