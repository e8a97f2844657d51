//! How much lies below a directory: counted on the machine, within bounds.

use super::look::{Answer, Tree};
use std::fs;
use std::path::{Path, PathBuf};

/// Entries that are looked at; counting more would make the judge slow for a number in a message.
const MAX_ENTRIES: u64 = 20_000;

/// Links out of the directory that are kept.
const MAX_OUTSIDE: usize = 32;

/// Counts what lies below a path. A file is a tree of one.
pub(super) fn count(path: &Path) -> Answer {
    let mut tree = Tree::default();
    let mut entries = 0;
    let mut open: Vec<PathBuf> = vec![path.to_path_buf()];
    while let Some(path) = open.pop() {
        entries += 1;
        if entries > MAX_ENTRIES {
            tree.more = true;
            break;
        }
        let Ok(meta) = fs::symlink_metadata(&path) else { continue };
        if !meta.is_dir() {
            tree.files += 1;
            tree.bytes += meta.len();
            if meta.is_symlink() && tree.outside.len() < MAX_OUTSIDE {
                tree.outside.extend(fs::canonicalize(&path).ok());
            }
            continue;
        }
        let Ok(list) = fs::read_dir(&path) else {
            tree.more = true;
            continue;
        };
        open.extend(list.flatten().take(MAX_ENTRIES as usize).map(|entry| entry.path()));
    }
    tree.outside.retain(|target| !target.starts_with(path));
    if entries == 1 && tree == Tree::default() && !path.exists() {
        return Answer::Absent;
    }
    Answer::Tree(tree)
}
