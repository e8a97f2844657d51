//! Files of a work tree that the configuration makes git run or obey: hooks in a directory of their
//! own, settings and attributes in other files, programs. The repository's own, and the user's.

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
    /// Files that git runs.
    pub programs: Vec<PathBuf>,
    /// Whether some of the configuration could not be read, so that it may name more.
    pub unread: bool,
}

/// Names of settings whose value is a command line.
const RUNS: &[&[u8]] = &[
    b"fsmonitor",
    b"askpass",
    b"gitproxy",
    b"external",
    b"textconv",
    b"clean",
    b"smudge",
    b"process",
    b"difffilter",
    b"uploadpack",
    b"receivepack",
    b"update",
];
/// Ends of such names: git names new ones after what they do.
const RUNS_AT_THE_END: &[&[u8]] =
    &[b"cmd", b"command", b"hook", b"helper", b"program", b"editor", b"pager", b"driver"];
/// Sections in which `path` is where a program lies.
const TOOLS: &[&[u8]] = &[b"mergetool", b"difftool", b"browser", b"man", b"guitool"];
/// Sections in which every value is one.
const ALL_RUN: &[&[u8]] = &[b"alias", b"pager"];

impl Pointed {
    /// Reads the configuration of the repository whose work tree begins here, what it includes
    /// from the work tree, and the user's own files. What they name counts in the work tree and
    /// in the other places where commands write.
    pub fn by_repository(root: &Path, users: &[PathBuf], beside: &[PathBuf]) -> Pointed {
        let roots: Vec<&Path> =
            std::iter::once(root).chain(beside.iter().map(PathBuf::as_path)).collect();
        let mut pointed = Pointed::default();
        let place = match place_at(root) {
            Found::Here(place) => place,
            Found::Nowhere => return pointed,
            Found::Unclear => return Pointed { unread: true, ..pointed },
        };
        let mut files = place.configurations();
        files.extend(users.iter().cloned());
        let seen = walk(files, Follow::Below(root), &mut |file, setting| {
            let value = from_bytes(setting.value);
            if setting.is_include() {
                pointed.name_setting(&roots, &file.parent().unwrap_or(root).join(value));
            } else if setting.is("core.attributesfile") {
                pointed.name_setting(&roots, &root.join(value));
            } else if setting.is("core.hookspath") {
                let hooks = keep(&mut pointed.hooks, &roots, &root.join(value));
                pointed.unread |= hooks == Seen::Part;
            } else if setting.is("init.templatedir") {
                // Its hooks are copied into every new repository.
                let hooks = root.join(value).join("hooks");
                pointed.unread |= keep(&mut pointed.hooks, &roots, &hooks) == Seen::Part;
            } else if runs(setting.section, setting.name) {
                for word in words(setting.value) {
                    let program = keep(&mut pointed.programs, &roots, &root.join(from_bytes(word)));
                    pointed.unread |= program == Seen::Part;
                }
            }
        });
        pointed.unread |= seen == Seen::Part;
        pointed
    }

    /// Adds what another one points at.
    pub fn add(&mut self, other: Pointed) {
        self.hooks.extend(other.hooks);
        self.settings.extend(other.settings);
        self.programs.extend(other.programs);
        self.unread |= other.unread;
    }

    /// Whether something that it names lies at this path or below, so that git comes by it.
    pub fn is_reached_by(&self, path: &Path) -> bool {
        let all = self.hooks.iter().chain(&self.settings).chain(&self.programs);
        all.into_iter().any(|named| named.starts_with(path))
    }

    fn name_setting(&mut self, roots: &[&Path], path: &Path) {
        self.unread |= keep(&mut self.settings, roots, path) == Seen::Part;
    }
}

/// Whether the value of a setting is a command line, or a program.
fn runs(section: &[u8], name: &[u8]) -> bool {
    // A tool's own name stands behind that of the section.
    let head = section.split(|byte| *byte == b'.').next().unwrap_or(section);
    RUNS.contains(&name)
        || RUNS_AT_THE_END.iter().any(|end| name.ends_with(end))
        || ALL_RUN.contains(&section)
        || name == b"path" && TOOLS.contains(&head)
}

/// The words of a command line that may name a file, as far as blanks and quotes tell.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let line = line.strip_prefix(b"!").unwrap_or(line);
    let words = line.split(|byte| byte.is_ascii_whitespace() || b"\"';&|()<>".contains(byte));
    words.filter(|word| !matches!(word, [] | [b'-' | b'~' | b'$', ..]))
}

/// Keeps a path that lies in one of these places, and what it leads to by links, each once.
fn keep(paths: &mut Vec<PathBuf>, roots: &[&Path], path: &Path) -> Seen {
    let path = plain(path);
    let Some(root) = roots.iter().find(|root| path.starts_with(root) && path != **root) else {
        return Seen::Whole;
    };
    let real = led_to(roots, root, &path);
    for path in std::iter::once(path).chain(real) {
        if paths.contains(&path) {
            continue;
        }
        if paths.len() >= MOST_NAMED {
            return Seen::Part;
        }
        paths.push(path);
    }
    Seen::Whole
}

/// Where links on the way to a path below a root lead, whether it is there or not; nothing where
/// they lead out of all of them. It is said from a root as that was said.
fn led_to(roots: &[&Path], root: &Path, path: &Path) -> Option<PathBuf> {
    let there = path.ancestors().find(|above| above.symlink_metadata().is_ok())?;
    // Most words of a command line name nothing here, and have no link on their way.
    if there == root {
        return None;
    }
    let missing = path.strip_prefix(there).ok()?;
    let place = there.canonicalize().ok()?;
    let said = |root: &&Path| {
        let inside = place.strip_prefix(root.canonicalize().ok()?).ok()?;
        Some(root.join(inside).join(missing)).filter(|real| real != root)
    };
    roots.iter().find_map(said)
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
        let user = root.join("user");
        let text = "[core]\n hooksPath = .githooks\n fsmonitor = tools/watch -x\n\
                    [alias]\n a = !sh b/c\n[gc]\n recentObjectsHook = keep\n auto = no\n\
                    [mergetool \"x\"]\n path = m/x\n[branch \"path\"]\n path = no\n\
                    [init]\n templateDir = t\n[sendemail]\n toCmd = to\n";
        fs::write(&user, text).unwrap();
        let found = Pointed::by_repository(&root, std::slice::from_ref(&user), &[]);
        let hooks = ["tools/hooks", ".githooks", "t/hooks"].map(|name| root.join(name));
        assert_eq!(found.hooks, hooks);
        let programs = ["tools/watch", "sh", "b/c", "keep", "m/x", "to"];
        let programs = programs.map(|name| root.join(name));
        assert_eq!(found.programs, programs);
        let named = ["a.conf", "b.conf", "attr"].map(|name| root.join(name));
        assert_eq!((found.settings, found.unread), (named.to_vec(), false));
        assert_eq!(Pointed::by_repository(&root.join("tools"), &[user], &[]), Pointed::default());
        fs::create_dir(root.join("real")).unwrap();
        std::os::unix::fs::symlink("real", root.join("tools")).unwrap();
        let found = Pointed::by_repository(&root, &[], &[]);
        assert_eq!(found.hooks, ["tools/hooks", "real/hooks"].map(|name| root.join(name)));
        assert!(found.is_reached_by(&root.join("real")) && !found.is_reached_by(&root.join("r")));
        fs::remove_dir_all(&root).unwrap();
    }
}
