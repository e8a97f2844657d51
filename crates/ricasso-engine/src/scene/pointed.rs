//! Files of a work tree that the repository's own configuration makes git run or obey: hooks in a
//! directory of their own, settings and attributes in other files.

use super::git::{Follow, Found, Seen, place_at, plain, walk};
use super::path::from_bytes;
use std::path::{Path, PathBuf};

/// Files, and directories, that are kept: each is compared with every file of the work tree.
const MOST_NAMED: usize = 256;

/// What a configuration names, by absolute paths.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Pointed {
    /// Directories whose files git runs.
    pub hooks: Vec<PathBuf>,
    /// Files that git obeys.
    pub settings: Vec<PathBuf>,
    /// Whether some of the configuration could not be read, so that it may name more.
    pub unread: bool,
}

impl Pointed {
    /// Reads the configuration of the repository whose work tree begins here, and what it includes
    /// from the work tree.
    pub fn by_repository(root: &Path) -> Pointed {
        let mut pointed = Pointed::default();
        let place = match place_at(root) {
            Found::Here(place) => place,
            Found::Nowhere => return pointed,
            Found::Unclear => return Pointed { unread: true, ..pointed },
        };
        let seen = walk(place.configurations(), Follow::Below(root), &mut |file, setting| {
            let value = from_bytes(setting.value);
            if setting.is_include() {
                pointed.name_setting(root, &file.parent().unwrap_or(root).join(value));
            } else if setting.is("core.attributesfile") {
                pointed.name_setting(root, &root.join(value));
            } else if setting.is("core.hookspath") {
                let hooks = keep(&mut pointed.hooks, root, &root.join(value));
                pointed.unread |= hooks == Seen::Part;
            }
        });
        pointed.unread |= seen == Seen::Part;
        pointed
    }

    fn name_setting(&mut self, root: &Path, path: &Path) {
        self.unread |= keep(&mut self.settings, root, path) == Seen::Part;
    }
}

/// Keeps a path of the work tree, once.
fn keep(paths: &mut Vec<PathBuf>, root: &Path, path: &Path) -> Seen {
    let path = plain(path);
    if !path.starts_with(root) || paths.contains(&path) {
        return Seen::Whole;
    }
    if paths.len() >= MOST_NAMED {
        return Seen::Part;
    }
    paths.push(path);
    Seen::Whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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
        let named = ["a.conf", "b.conf", "attr"].map(|name| root.join(name));
        assert_eq!((found.settings, found.unread), (named.to_vec(), false));
        assert_eq!(Pointed::by_repository(&root.join("tools")), Pointed::default());
        fs::remove_dir_all(&root).unwrap();
    }
}
