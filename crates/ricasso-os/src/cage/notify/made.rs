//! Which directories a command made, for file systems that do not tell. Pure, and bounded: it lies
//! in our own memory, which counts for no limit of the job.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What the names may take. Directories of a command that makes more, or gives them longer names,
/// count as old.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// What a name takes beside its own bytes, at the least.
const ENTRY_BYTES: usize = 64;

/// The names of the directories.
#[derive(Debug, Default)]
pub(super) struct Made {
    names: BTreeSet<PathBuf>,
    bytes: usize,
}

impl Made {
    pub(super) fn contains(&self, path: &Path) -> bool {
        self.names.contains(path)
    }

    /// Remembers one, if there is room.
    pub(super) fn insert(&mut self, path: PathBuf) {
        let bytes = size(&path);
        if self.bytes + bytes <= MOST_BYTES && self.names.insert(path) {
            self.bytes += bytes;
        }
    }

    /// Something else is here now, and what came from elsewhere brought its directories along. The
    /// old name stays: the call may fail, and what comes there next takes it off.
    pub(super) fn put(&mut self, path: &Path, from: Option<&Path>) {
        let moved = from.map(|from| self.below(from)).unwrap_or_default();
        for name in self.below(path) {
            self.names.remove(&name);
            self.bytes = self.bytes.saturating_sub(size(&name));
        }
        let to = |made: &PathBuf| Some(path.join(made.strip_prefix(from?).ok()?));
        moved.iter().filter_map(to).for_each(|name| self.insert(name));
    }

    /// A path and all below it.
    fn below(&self, path: &Path) -> Vec<PathBuf> {
        let below = self.names.range(path.to_path_buf()..).take_while(|one| one.starts_with(path));
        below.cloned().collect()
    }
}

fn size(path: &Path) -> usize {
    path.as_os_str().len() + ENTRY_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_goes_with_all_below_it_and_no_other() {
        let mut made = Made::default();
        let names = ["/a", "/a/b", "/a/b/c", "/a-b", "/ab", "/z"];
        names.iter().for_each(|name| made.insert(name.into()));
        made.put(Path::new("/new"), Some(Path::new("/a")));
        assert!(["/new", "/new/b/c", "/a/b"].iter().all(|name| made.contains(Path::new(name))));
        assert!(!made.contains(Path::new("/new-b")) && !made.contains(Path::new("/newb")));
        made.put(Path::new("/a"), None);
        assert!(!made.contains(Path::new("/a/b/c")) && made.contains(Path::new("/a-b")));
    }

    #[test]
    fn whoever_makes_and_moves_many_does_not_fill_our_memory() {
        let mut made = Made::default();
        (0..20_000).for_each(|number| made.insert(format!("/0/{number}").into()));
        for turn in 0..20 {
            let (from, to) = (format!("/{turn}"), format!("/{}", turn + 1));
            made.put(Path::new(&to), Some(Path::new(&from)));
        }
        assert!(made.bytes <= MOST_BYTES && made.names.len() <= MOST_BYTES / ENTRY_BYTES);
        let counted: usize = made.names.iter().map(|name| size(name)).sum();
        assert_eq!(made.bytes, counted);
    }
}
