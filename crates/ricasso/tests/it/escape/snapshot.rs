//! A tree as it is: names, kinds, modes, owners, sizes, contents, and the time of the last change
//! of anything about a file, which also tells of attributes, lists and flags.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Everything below a directory, itself included. The time of the last reading is left out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Snapshot(BTreeMap<PathBuf, String>);

impl Snapshot {
    pub(super) fn of(root: &Path) -> Snapshot {
        let mut all = BTreeMap::new();
        look(root, &mut all);
        Snapshot(all)
    }

    /// The first thing that differs, in words.
    pub(super) fn difference(&self, later: &Snapshot) -> Option<String> {
        let names = self.0.keys().chain(later.0.keys());
        let mut changed = names.filter(|name| self.0.get(*name) != later.0.get(*name));
        changed.next().map(|name| {
            format!("{}: {:?} is now {:?}", name.display(), self.0.get(name), later.0.get(name))
        })
    }
}

fn look(path: &Path, all: &mut BTreeMap<PathBuf, String>) {
    let Ok(about) = fs::symlink_metadata(path) else { return };
    let content = if about.is_symlink() {
        format!("{:?}", fs::read_link(path))
    } else if about.is_file() {
        // The beginning tells, and a foreign program need not be read as a whole.
        let mut bytes = fs::read(path).unwrap_or_default();
        bytes.truncate(200);
        String::from_utf8_lossy(&bytes).into_owned()
    } else {
        String::new()
    };
    let line = format!(
        "mode {:o} links {} owner {}:{} size {} modified {}.{} changed {}.{} {content}",
        about.mode(),
        about.nlink(),
        about.uid(),
        about.gid(),
        about.size(),
        about.mtime(),
        about.mtime_nsec(),
        about.ctime(),
        about.ctime_nsec(),
    );
    all.insert(path.to_path_buf(), line);
    if about.is_dir() {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        entries.for_each(|entry| look(&entry.path(), all));
    }
}
