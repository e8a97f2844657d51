//! Other names of a listed program: a hard link below a writable root would let the command write
//! the program itself.
//!
//! Nothing tells where the other links of a file are, so the roots are searched; but only for one
//! that has more links than can be found beside it, and that the command's user may change.

use rustix::io::Errno;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A larger root is not searched, and such a program not listed: that is an error, which is told.
const MOST_SEARCHED: usize = 200_000;

/// Whether a program has a name below one of these roots. Its own path lies below none.
pub(super) fn lead_into(program: &Path, roots: &[PathBuf]) -> Result<bool, Errno> {
    let Ok(about) = program.metadata() else { return Ok(false) };
    let mine = about.uid() == rustix::process::geteuid().as_raw();
    const OTHERS_WRITE: u32 = 0o022;
    if about.nlink() < 2 || !(mine || about.mode() & OTHERS_WRITE != 0) {
        return Ok(false);
    }
    let beside = program.parent().map_or(0, |directory| names_in(directory, &about));
    if beside >= about.nlink() {
        return Ok(false);
    }
    let mut left = MOST_SEARCHED;
    // No file has names on two file systems.
    let same = |root: &&PathBuf| root.metadata().is_ok_and(|found| found.dev() == about.dev());
    for root in roots.iter().filter(same) {
        if is_below(root, &about, &mut left)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// How many names in a directory are of this file.
fn names_in(directory: &Path, about: &Metadata) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    let same = entries.flatten().filter(|entry| is_same(entry, about));
    same.count() as u64
}

fn is_same(entry: &fs::DirEntry, about: &Metadata) -> bool {
    use std::os::unix::fs::DirEntryExt;
    entry.ino() == about.ino()
        && entry
            .metadata()
            .is_ok_and(|found| (found.dev(), found.ino()) == (about.dev(), about.ino()))
}

fn is_below(root: &Path, about: &Metadata, left: &mut usize) -> Result<bool, Errno> {
    let mut ahead = vec![root.to_path_buf()];
    while let Some(directory) = ahead.pop() {
        let Ok(entries) = fs::read_dir(&directory) else { continue };
        for entry in entries.flatten() {
            *left = left.checked_sub(1).ok_or(Errno::MLINK)?;
            if is_same(&entry, about) {
                return Ok(true);
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                ahead.push(entry.path());
            }
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_link_below_a_root_counts() {
        let place = std::env::temp_dir().join(format!("ricasso-names-{}", std::process::id()));
        for part in ["bin", "other", "root/deep"] {
            fs::create_dir_all(place.join(part)).unwrap();
        }
        let program = place.join("bin/program");
        fs::write(&program, "x").unwrap();
        let roots = [place.join("root")];
        assert_eq!(lead_into(&program, &roots), Ok(false));
        fs::hard_link(&program, place.join("bin/beside")).unwrap();
        fs::hard_link(&program, place.join("other/name")).unwrap();
        assert_eq!(lead_into(&program, &roots), Ok(false));
        fs::hard_link(&program, place.join("root/deep/name")).unwrap();
        assert_eq!(lead_into(&program, &roots), Ok(true));
        assert_eq!(lead_into(&program, &[place.join("other")]), Ok(true));
        fs::remove_dir_all(&place).unwrap();
    }
}
