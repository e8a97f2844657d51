//! Reading round what is hidden: where a directory holds a hidden name, its other entries are
//! granted one by one. So what appears under that name later, or takes its place, has no rule.

use super::landlock::{READ_DIR, Ruleset};
use rustix::fs::FileType;
use rustix::io::Errno;
use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A directory with more entries beside something hidden is refused rather than searched: to grant
/// them all would take half a second.
const MOST_SIBLINGS: usize = 65_536;
/// Links that lead to each other before one of them leads somewhere.
const MOST_LINKS: usize = 40;

/// What is hidden, made ready to be asked about every entry of many directories.
#[derive(Debug, Clone, Default)]
pub(super) struct Hidden {
    names: HashSet<PathBuf>,
    /// Directories that hold something hidden, at any depth.
    holders: HashSet<PathBuf>,
}

impl Hidden {
    pub(super) fn new(paths: impl IntoIterator<Item = PathBuf>) -> Hidden {
        let mut hidden = Hidden::default();
        for path in paths {
            for above in path.ancestors().skip(1) {
                // Who holds one thing is held itself by all above it.
                if !hidden.holders.insert(above.to_path_buf()) {
                    break;
                }
            }
            hidden.names.insert(path);
        }
        hidden
    }

    /// Only what lies below this directory: it is granted itself, whatever lies above it.
    pub(super) fn below(&self, root: &Path) -> Hidden {
        let below = |path: &&PathBuf| path.as_path() != root && path.starts_with(root);
        Hidden::new(self.names.iter().filter(below).cloned())
    }

    /// The directories at or below this one that hold something hidden, shorter names first.
    pub(super) fn holders_at(&self, root: &Path) -> Vec<PathBuf> {
        let here = self.holders.iter().filter(|holder| holder.starts_with(root));
        let mut found: Vec<PathBuf> = here.cloned().collect();
        found.sort();
        found
    }

    pub(super) fn into_names(self) -> Vec<PathBuf> {
        self.names.into_iter().collect()
    }

    /// Whether names below a directory may be listed without mounts: a right to list it holds for
    /// all directories below, so none of them is hidden. A hidden file keeps its content.
    pub(super) fn holds_only_files(&self, directory: &Path) -> bool {
        let mut below = self.names.iter().filter(|path| path.starts_with(directory));
        below.all(|path| match path.symlink_metadata() {
            Ok(about) => !about.is_dir(),
            Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
        })
    }

    fn is_below_one(&self, path: &Path) -> bool {
        path.ancestors().any(|above| self.names.contains(above))
    }
}

/// Grants rights below a root, but for what is hidden.
pub(super) fn grant_around(
    rules: &Ruleset,
    root: &Path,
    hidden: &Hidden,
    rights: u64,
    searched: &mut Vec<PathBuf>,
) -> Result<(), Errno> {
    if hidden.is_below_one(root) {
        return Ok(());
    }
    let mut queue = vec![root.to_path_buf()];
    while let Some(path) = queue.pop() {
        if !hidden.holders.contains(&path) {
            rules.grant(&path, rights)?;
            continue;
        }
        let Ok(entries) = std::fs::read_dir(&path) else { continue };
        searched.push(path);
        for (count, entry) in entries.flatten().enumerate() {
            if count > MOST_SIBLINGS {
                return Err(Errno::TOOBIG);
            }
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            // What a link leads to has its own place; a rule on it would be one on that.
            if kind.is_symlink() || hidden.names.contains(&path) {
                continue;
            }
            if hidden.holders.contains(&path) {
                queue.push(path);
            } else if kind.is_dir() {
                rules.grant_entry(&path, rights, FileType::Directory)?;
            } else {
                rules.grant_entry(&path, rights & !READ_DIR, FileType::RegularFile)?;
            }
        }
    }
    Ok(())
}

/// The real names of paths that need not be there: as far as they are, links are followed, and
/// both the name and where it leads count. Most paths share a few directories, and most of them
/// are not there: each directory is asked for once.
pub(super) fn placed(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut above: HashMap<&Path, PathBuf> = HashMap::new();
    let mut found = Vec::with_capacity(paths.len());
    for path in paths {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            found.push(path.clone());
            continue;
        };
        let named = above.entry(parent).or_insert_with(|| led(parent)).join(name);
        if named.symlink_metadata().is_ok_and(|about| about.is_symlink()) {
            found.push(led(path));
        }
        found.push(named);
    }
    found.sort();
    found.dedup();
    found
}

/// What a path leads to.
fn led(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    // A link that leads nowhere yet names the place where something may be born.
    for _ in 0..MOST_LINKS {
        let (real, rest) = as_far_as_there(&path);
        let mut rest = rest.iter();
        let Some(first) = rest.next() else { return real };
        let link = real.join(first);
        let Ok(target) = std::fs::read_link(&link) else { return link.join(rest.as_path()) };
        path = real.join(target).join(rest.as_path());
    }
    path
}

/// The longest part of a path that is there, by its real name, and the rest.
fn as_far_as_there(path: &Path) -> (PathBuf, PathBuf) {
    for above in path.ancestors() {
        if let Ok(real) = above.canonicalize() {
            let rest = path.strip_prefix(above).unwrap_or(Path::new(""));
            return (real, rest.to_path_buf());
        }
    }
    (PathBuf::from("/"), path.strip_prefix("/").unwrap_or(path).to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_yet_has_a_place_in_the_real_directory_above_it() {
        let place = std::env::temp_dir().join(format!("ricasso-placed-{}", std::process::id()));
        std::fs::create_dir_all(place.join("real")).unwrap();
        let place = place.canonicalize().unwrap();
        std::os::unix::fs::symlink("real", place.join("link")).unwrap();
        let found = placed(&[place.join("link/a/b"), place.join("link")]);
        let expected = ["link", "real", "real/a/b"].map(|name| place.join(name));
        std::os::unix::fs::symlink("real/unborn", place.join("nowhere")).unwrap();
        let nowhere = placed(&[place.join("nowhere"), place.join("nowhere/below")]);
        let unborn = ["nowhere", "real/unborn", "real/unborn/below"].map(|name| place.join(name));
        std::fs::remove_dir_all(&place).unwrap();
        assert_eq!(found, expected);
        assert_eq!(nowhere, unborn);
    }

    #[test]
    fn what_is_hidden_knows_who_holds_it_and_what_lies_below() {
        let hidden = Hidden::new(["/a/b/c", "/a/d", "/"].map(PathBuf::from));
        assert!(
            hidden.holders.contains(Path::new("/a/b"))
                && !hidden.holders.contains(Path::new("/a/d"))
        );
        assert!(hidden.is_below_one(Path::new("/x")));
        let below = hidden.below(Path::new("/a/b"));
        assert!(
            !below.is_below_one(Path::new("/a/d")) && below.is_below_one(Path::new("/a/b/c/x"))
        );
    }
}
