//! A small made-up world for tests and corpora: no link, nothing there, programs in /usr/bin.
//!
//! Nothing on disk is needed, and nothing on disk is read.

use super::look::{Answer, Kind, Look, Program, Query};
use crate::request::Bytes;
use std::collections::HashMap;
use std::path::PathBuf;

/// Links that lead to links: the kernel follows 40.
const MAX_LINKS: usize = 40;

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
            Query::Glob { .. } => Answer::Paths(Vec::new()),
            Query::GitSetting { key, .. } => {
                let key = key.to_ascii_lowercase();
                self.git.get(&key).cloned().map_or(Answer::Absent, Answer::Text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Search;
    use super::*;
    use std::path::Path;

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
