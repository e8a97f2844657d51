//! Reading round what is hidden: where a directory holds a hidden name, its other entries are
//! granted one by one. So what appears under that name later, or takes its place, has no rule.

use super::landlock::{READ_DIR, Ruleset};
use rustix::fs::FileType;
use rustix::io::Errno;
use std::path::{Path, PathBuf};

/// A directory with more entries beside something hidden is refused rather than searched: to grant
/// them all would take half a second.
const MOST_SIBLINGS: usize = 65_536;

/// Grants rights below a root, but for what is hidden.
pub(super) fn grant_around(
    rules: &Ruleset,
    root: &Path,
    hidden: &[PathBuf],
    rights: u64,
    searched: &mut Vec<PathBuf>,
) -> Result<(), Errno> {
    let mut queue = vec![root.to_path_buf()];
    while let Some(path) = queue.pop() {
        if is_below(&path, hidden) {
            continue;
        }
        if !holds(&path, hidden) {
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
            if kind.is_symlink() || is_below(&path, hidden) {
                continue;
            }
            if holds(&path, hidden) {
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

fn is_below(path: &Path, hidden: &[PathBuf]) -> bool {
    hidden.iter().any(|hidden| path.starts_with(hidden))
}

fn holds(path: &Path, hidden: &[PathBuf]) -> bool {
    hidden.iter().any(|hidden| hidden.starts_with(path))
}

/// The real names of paths that need not be there: as far as they are, links are followed, and
/// both the name and where it leads count.
pub(super) fn placed(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = paths.iter().flat_map(|path| [named(path), led(path)]).collect();
    found.sort();
    found.dedup();
    found
}

/// The entry itself, in the real directory above it.
fn named(path: &Path) -> PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(above), Some(name)) => led(above).join(name),
        (None, _) | (_, None) => path.to_path_buf(),
    }
}

/// What a path leads to.
fn led(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let Ok(real) = above.canonicalize() {
            return match path.strip_prefix(above) {
                Ok(rest) if rest.as_os_str().is_empty() => real,
                Ok(rest) => real.join(rest),
                Err(_) => real,
            };
        }
    }
    path.to_path_buf()
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
        std::fs::remove_dir_all(&place).unwrap();
        assert_eq!(found, expected);
    }
}
