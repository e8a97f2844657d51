//! Files of a work tree that the repository's own configuration makes git run or obey: hooks in a
//! directory of their own, settings and attributes in other files.

use super::git::{keys, place_of};
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// A configuration is a few kilobytes; a larger one is not read.
const MOST_BYTES: u64 = 1 << 20;
/// Files that include each other; git itself gives up at ten.
const MOST_FILES: usize = 16;

/// What a configuration names, by absolute paths.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Pointed {
    /// Directories whose files git runs.
    pub hooks: Vec<PathBuf>,
    /// Files that git obeys.
    pub settings: Vec<PathBuf>,
}

impl Pointed {
    /// Reads the configuration of the repository whose work tree begins here, and what it includes
    /// from the work tree.
    pub fn by_repository(root: &Path) -> Pointed {
        let mut pointed = Pointed::default();
        let Some(place) = place_of(root).filter(|place| place.root == root) else {
            return pointed;
        };
        let mut files = place.configurations();
        let mut at = 0;
        while let Some(file) = files.get(at).cloned().filter(|_| at < MOST_FILES) {
            at += 1;
            for (key, value) in read(&file).iter().flat_map(|text| keys(text)) {
                let beside = file.parent().unwrap_or(root);
                let included = key == "include.path"
                    || key.starts_with("includeif.") && key.ends_with(".path");
                if included {
                    let path = plain(&beside.join(&value));
                    // Each one once, or two that include each other would never end.
                    if path.starts_with(root) && !files.contains(&path) {
                        pointed.settings.push(path.clone());
                        files.push(path);
                    }
                } else if key == "core.hookspath" {
                    pointed.hooks.push(plain(&root.join(&value)));
                } else if key == "core.attributesfile" {
                    pointed.settings.push(plain(&root.join(&value)));
                }
            }
        }
        pointed.hooks.retain(|path| path.starts_with(root));
        pointed.settings.retain(|path| path.starts_with(root));
        pointed
    }
}

fn read(file: &Path) -> Option<String> {
    let mut text = String::new();
    fs::File::open(file).ok()?.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Without `.` and `..`, as far as words tell.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_configuration_points_at_in_the_work_tree_is_found() {
        let root = std::env::temp_dir().join(format!("ricasso-pointed-{}", std::process::id()));
        fs::create_dir_all(root.join(".git")).unwrap();
        let config = "[core]\n hooksPath = tools/hooks\n attributesFile = /etc/x\n\
                      [include]\n path = ../a.conf\n[includeIf \"gitdir:/\"]\n path = /etc/y\n";
        fs::write(root.join(".git/config"), config).unwrap();
        let more = "[include]\n path = b.conf\n path = a.conf\n[core]\n attributesFile = ./attr\n";
        fs::write(root.join("a.conf"), more).unwrap();
        let found = Pointed::by_repository(&root);
        assert_eq!(found.hooks, [root.join("tools/hooks")]);
        assert_eq!(found.settings, ["a.conf", "b.conf", "attr"].map(|name| root.join(name)));
        assert_eq!(Pointed::by_repository(&root.join("tools")), Pointed::default());
        fs::remove_dir_all(&root).unwrap();
    }
}
