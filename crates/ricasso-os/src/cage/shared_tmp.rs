//! The machine's /tmp beside a session's own: its files are seen there and can only be read.
//!
//! Whatever lies there gets a place in the session's directory to be mounted on. Such holders are
//! known by their mode, and those that hold nothing any more are taken away.

use super::mounts::TMP;
use std::fs::{self, Metadata};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Each costs a mount and, until it is made, a descriptor.
const MOST_SHOWN: usize = 512;
/// A directory with more entries than this is not looked at further.
const MOST_LOOKED_AT: usize = 65_536;
/// The mode of a directory that something is mounted on, or below, which nobody else gives to one
/// of his. Another job of the session may have to pass through it.
pub(super) const HOLDER: u32 = 0o1711;

/// What of the machine's /tmp is shown beside the files of this directory. Where there is too
/// much, that is what was changed last. Links are not: they would lead to other places from here.
pub(super) fn beside(session: &Path) -> Vec<PathBuf> {
    sweep(session);
    let mut found = Vec::new();
    for entry in fs::read_dir(TMP).into_iter().flatten().flatten().take(MOST_LOOKED_AT) {
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let own = session.join(entry.file_name());
        let taken = own.symlink_metadata().is_ok_and(|found| !is_holder(&found));
        if !is_link && !taken {
            found.push(entry.path());
        }
    }
    if found.len() > MOST_SHOWN {
        let changed = |path: &PathBuf| path.symlink_metadata().map_or(0, |found| found.ctime());
        found.sort_by_cached_key(|path| std::cmp::Reverse(changed(path)));
        found.truncate(MOST_SHOWN);
    }
    found
}

/// Takes away what something was mounted on that is there no more. What cannot be taken away
/// stays, as an empty name.
fn sweep(session: &Path) {
    for entry in fs::read_dir(session).into_iter().flatten().flatten().take(MOST_LOOKED_AT) {
        let Ok(found) = entry.metadata() else { continue };
        if !is_holder(&found) || Path::new(TMP).join(entry.file_name()).symlink_metadata().is_ok() {
            continue;
        }
        let _ = match found.is_dir() {
            true => fs::remove_dir(entry.path()),
            false => fs::remove_file(entry.path()),
        };
    }
}

fn is_holder(found: &Metadata) -> bool {
    let mode = found.permissions().mode() & 0o7777;
    match found.is_dir() {
        true => mode == HOLDER,
        false => found.is_file() && mode == 0 && found.len() == 0,
    }
}
