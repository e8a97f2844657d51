//! A small made-up world for tests and corpora: no link, nothing there, programs in /usr/bin.
//!
//! Nothing on disk is needed, and nothing on disk is read.

use super::look::{Answer, Look, Program, Query};
use crate::request::Bytes;
use std::collections::HashMap;
use std::path::PathBuf;

/// A world with default answers and a few facts of its own.
#[derive(Debug, Clone, Default)]
pub struct Described {
    links: HashMap<PathBuf, PathBuf>,
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

    fn follow(&self, path: PathBuf) -> PathBuf {
        self.links.get(&path).cloned().unwrap_or(path)
    }
}

impl Look for Described {
    fn look(&self, query: &Query) -> Answer {
        if let Some(answer) = self.answers.get(query) {
            return answer.clone();
        }
        match query {
            Query::Kind(path) if self.links.contains_key(path) => {
                Answer::Kind(super::look::Kind::Link)
            }
            Query::Kind(_) => Answer::Absent,
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
            Query::GitSetting { .. } => Answer::Absent,
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
    fn the_default_world_is_empty() {
        let world = Described::new();
        assert_eq!(world.look(&Query::Kind("/etc/passwd".into())), Answer::Absent);
        assert_eq!(world.variable(b"HOME"), None);
    }
}
