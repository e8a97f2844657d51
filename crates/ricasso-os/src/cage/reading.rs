//! Reading without mounts: where a directory holds something hidden, its other entries are
//! granted one by one, and the directory itself cannot be listed.

use super::landlock::Ruleset;
use rustix::io::Errno;
use std::path::{Path, PathBuf};

/// A directory with more entries beside something hidden is refused rather than searched.
const MOST_SIBLINGS: usize = 8192;

/// Grants rights below a root, but for what is hidden.
pub(super) fn grant_around(
    rules: &Ruleset,
    root: &Path,
    hidden: &[PathBuf],
    rights: u64,
) -> Result<(), Errno> {
    let mut queue = vec![root.to_path_buf()];
    while let Some(path) = queue.pop() {
        if hidden.iter().any(|hidden| path.starts_with(hidden)) {
            continue;
        }
        if !hidden.iter().any(|hidden| hidden.starts_with(&path)) {
            rules.grant(&path, rights)?;
            continue;
        }
        let Ok(entries) = std::fs::read_dir(&path) else { continue };
        for (count, entry) in entries.flatten().enumerate() {
            if count > MOST_SIBLINGS {
                return Err(Errno::TOOBIG);
            }
            // What a link leads to has its own place; a rule on it would be one on that.
            if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
                queue.push(entry.path());
            }
        }
    }
    Ok(())
}
