//! A small made-up world for tests and corpora: no link, nothing there, programs in /usr/bin.
//!
//! Nothing on disk is needed, and nothing on disk is read.

use super::git::Asked;
use super::look::{Answer, Kind, Look, Program, Query, Tree};
use super::settings::Setting;
use crate::request::Bytes;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Links that lead to links: the kernel follows 40.
const MAX_LINKS: usize = 40;

/// Directories and files that every machine has.
const FIXED: [&str; 17] = [
    "/bin",
    "/boot",
    "/dev/null",
    "/dev/sda",
    "/etc/hosts",
    "/etc/passwd",
    "/etc/shadow",
    "/home",
    "/lib",
    "/opt",
    "/proc",
    "/root",
    "/sbin",
    "/tmp",
    "/usr/bin",
    "/usr/lib",
    "/var",
];

/// Programs that every machine has.
const PROGRAMS: [&str; 60] = [
    "awk", "base64", "bash", "cat", "chmod", "chown", "cp", "curl", "cut", "date", "dd", "diff",
    "du", "echo", "env", "false", "find", "git", "grep", "gzip", "head", "hostname", "id", "kill",
    "ln", "ls", "make", "mkdir", "mkfs", "mv", "nc", "nohup", "perl", "ping", "printf", "ps",
    "python3", "readlink", "rm", "rmdir", "sed", "sh", "shred", "sleep", "sort", "ssh", "stat",
    "sudo", "tail", "tar", "tee", "test", "touch", "tr", "true", "unlink", "wc", "wget", "xargs",
    "yes",
];

/// A world with default answers and a few facts of its own.
#[derive(Debug, Clone, Default)]
pub struct Described {
    links: HashMap<PathBuf, PathBuf>,
    kinds: HashMap<PathBuf, Kind>,
    git: HashMap<String, Bytes>,
    variables: HashMap<Bytes, Bytes>,
    answers: HashMap<Query, Answer>,
}

impl Described {
    /// The default world.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same world, where `path` is a link that leads to `target`.
    pub fn link(mut self, path: impl Into<PathBuf>, target: impl Into<PathBuf>) -> Self {
        self.links.insert(path.into(), target.into());
        self
    }

    /// The same world, where there is a directory.
    pub fn directory(mut self, path: impl Into<PathBuf>) -> Self {
        self.kinds.insert(path.into(), Kind::Directory);
        self
    }

    /// The same world, where there is a file.
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.kinds.insert(path.into(), Kind::File);
        self
    }

    /// The same world, where git has this setting in every directory. Section and name of the key
    /// have no case, the part between them has.
    pub fn git_setting(mut self, key: &str, value: impl Into<Bytes>) -> Self {
        self.git.insert(key.to_ascii_lowercase(), value.into());
        self
    }

    /// The same world, where the repository's `.gitattributes` has this text.
    pub fn git_attributes(self, text: impl Into<Bytes>) -> Self {
        self.git_setting("attributes", text)
    }

    /// The same world, where a variable is set.
    pub fn set(mut self, name: impl Into<Bytes>, value: impl Into<Bytes>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// The same world, where one question has this answer.
    pub fn fact(mut self, query: Query, answer: Answer) -> Self {
        self.answers.insert(query, answer);
        self
    }

    /// The path with every link of its way followed; a circle stays as it is.
    fn follow(&self, path: PathBuf) -> PathBuf {
        let mut path = path;
        for _ in 0..MAX_LINKS {
            let link = path.ancestors().find_map(|above| {
                let target = self.links.get(above)?;
                Some((above.to_path_buf(), target.clone()))
            });
            let Some((link, target)) = link else {
                return path;
            };
            let rest = path.strip_prefix(&link).map(PathBuf::from).unwrap_or_default();
            path = if rest.as_os_str().is_empty() { target } else { target.join(rest) };
        }
        path
    }

    /// The names that are known to be in a directory: links and what their paths lead through, and
    /// the programs of /bin and /usr/bin.
    fn names(&self, directory: &Path) -> Vec<Vec<u8>> {
        let real = self.follow(directory.to_path_buf());
        let known = self.links.keys().chain(self.links.values()).chain(self.kinds.keys());
        let fixed = FIXED.iter().map(Path::new);
        let mut names: Vec<Vec<u8>> = known
            .map(PathBuf::as_path)
            .chain(fixed)
            .filter_map(|path| path.strip_prefix(&real).ok()?.components().next())
            .map(|part| part.as_os_str().as_encoded_bytes().to_vec())
            .collect();
        if real == Path::new("/usr/bin") || real == Path::new("/bin") {
            names.extend(PROGRAMS.iter().map(|name| name.as_bytes().to_vec()));
        }
        names.sort();
        names.dedup();
        names
    }

    fn tree(&self, path: &Path) -> Answer {
        let below = self.links.iter().filter(|(link, _)| link.starts_with(path));
        let outside = below.map(|(link, _)| self.follow(link.clone()));
        let mut outside: Vec<PathBuf> = outside.filter(|to| !to.starts_with(path)).collect();
        outside.sort();
        match outside.is_empty() {
            true => Answer::Absent,
            false => Answer::Tree(Tree { outside, more: true, ..Tree::default() }),
        }
    }
}

impl Look for Described {
    fn look(&self, query: &Query) -> Answer {
        if let Some(answer) = self.answers.get(query) {
            return answer.clone();
        }
        match query {
            Query::Kind(path) if self.links.contains_key(path) => Answer::Kind(Kind::Link),
            Query::Kind(path) => {
                let above = path.parent().map(|above| self.follow(above.to_path_buf()));
                let real = match (above, path.file_name()) {
                    (Some(above), Some(name)) => above.join(name),
                    _ => path.clone(),
                };
                self.kinds.get(&real).map_or(Answer::Absent, |kind| Answer::Kind(*kind))
            }
            Query::Link(path) => Answer::Path(self.follow(path.clone())),
            Query::Program { name, cwd, .. } => {
                let name = PathBuf::from(String::from_utf8_lossy(name.as_slice()).into_owned());
                let bare = name.components().count() == 1 && !name.starts_with(".");
                let from = if bare { PathBuf::from("/usr/bin") } else { cwd.clone() };
                let path: PathBuf = from.join(name).components().collect();
                Answer::Program(Program { real: self.follow(path.clone()), path })
            }
            Query::Variable(name) => {
                self.variables.get(name).cloned().map_or(Answer::Absent, Answer::Text)
            }
            Query::Glob { pattern, cwd } => {
                let list = |directory: &Path| Some(self.names(directory));
                let found = super::glob::expand(pattern.as_slice(), cwd, &list);
                found.map_or(Answer::Unknown, Answer::Paths)
            }
            Query::Tree(path) => self.tree(path),
            Query::Kept(_) | Query::Scratch => Answer::Unknown,
            Query::GitSetting { key, .. } => {
                // Files that are included are no part of this world.
                if self.git.keys().any(|key| key.starts_with("include")) {
                    return Answer::Unknown;
                }
                let key = key.to_ascii_lowercase();
                let mut asked = Asked::new(&key);
                for (key, value) in &self.git {
                    let (section, name) = key.rsplit_once('.').unwrap_or(("", key));
                    let (section, name) = (section.as_bytes(), name.as_bytes());
                    asked.see(&Setting { section, name, value: value.as_slice() });
                }
                asked.answer()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Search;
    use super::*;

    #[test]
    fn programs_live_in_usr_bin_and_links_lead_where_they_were_said_to() {
        let world = Described::new().link("/w/foo", "/usr/sbin/shutdown");
        let found = world.program(b"ls", Path::new("/w"), &Search::Inherited).unwrap();
        assert_eq!(found.real, Path::new("/usr/bin/ls"));
        let found = world.program(b"./foo", Path::new("/w"), &Search::Inherited).unwrap();
        assert_eq!(found.real, Path::new("/usr/sbin/shutdown"));
    }

    #[test]
    fn a_link_is_followed_in_the_middle_of_a_path_too() {
        let world = Described::new()
            .directory("/out")
            .file("/out/secret")
            .link("/w/link", "/out")
            .git_setting("core.fsMonitor", "x");
        assert_eq!(world.real_path(Path::new("/w/link/secret")), Some("/out/secret".into()));
        let kind = |path: &str| world.look(&Query::Kind(path.into()));
        assert_eq!(kind("/w/link/secret"), Answer::Kind(Kind::File));
        assert_eq!(kind("/w/link"), Answer::Kind(Kind::Link));
        let key = Query::GitSetting { cwd: "/w".into(), key: "core.fsmonitor".into() };
        assert_eq!(world.look(&key), Answer::Text("x".into()));
        let circle = Described::new().link("/a", "/b").link("/b", "/a");
        assert!(circle.real_path(Path::new("/a")).is_some());
    }

    #[test]
    fn the_default_world_is_empty() {
        let world = Described::new();
        assert_eq!(world.look(&Query::Kind("/etc/passwd".into())), Answer::Absent);
        assert_eq!(world.variable(b"HOME"), None);
    }
}
