//! Answers from the machine, each one written down.
//!
//! It reads directories, links, the configuration and the index of a repository: no other file's
//! content, and no environment of its own process. It must never change anything.

use super::look::{Answer, Kind, Look, Program, Query, Search};
use super::path::from_bytes;
use super::recorded::{Fact, MAX_FACTS, Scene};
use crate::request::Bytes;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What the system searches when nobody set `PATH` (confstr's value on Linux).
const DEFAULT_PATH: &[u8] = b"/bin:/usr/bin";

/// Names of one directory that are held at a time.
const MOST_NAMES: usize = 200_000;

/// Asks the machine, once for each question, and keeps what it said.
#[derive(Debug)]
pub struct Live<'a> {
    /// Later lists override earlier ones.
    variables: Vec<&'a [(Bytes, Bytes)]>,
    scratch: Option<Vec<PathBuf>>,
    notes: Mutex<Notes>,
}

#[derive(Debug, Default)]
struct Notes {
    facts: Vec<Fact>,
    known: HashMap<Query, usize>,
}

impl<'a> Live<'a> {
    /// A witness that knows these variables: what the command will inherit.
    /// A later list overrides an earlier one.
    pub fn new(variables: impl IntoIterator<Item = &'a [(Bytes, Bytes)]>) -> Self {
        let variables = variables.into_iter().collect();
        Self { variables, scratch: None, notes: Mutex::default() }
    }

    /// The same witness, who knows the session's own directories for temporary files where these
    /// are not the usual ones.
    #[must_use]
    pub fn with_scratch(self, scratch: Option<Vec<PathBuf>>) -> Self {
        Self { scratch, ..self }
    }

    fn variable_named(&self, name: &[u8]) -> Option<&'a Bytes> {
        let all = self.variables.iter().rev().flat_map(|list| list.iter().rev());
        all.into_iter().find(|(known, _)| known.as_slice() == name).map(|(_, value)| value)
    }

    /// What was asked and answered, given away at the end of the judgement.
    pub fn into_scene(self) -> Scene {
        let notes = self.notes.into_inner().unwrap_or_else(|broken| broken.into_inner());
        Scene { facts: notes.facts }
    }

    fn ask(&self, query: &Query) -> Answer {
        match query {
            Query::Kind(path) => kind(path),
            Query::Link(path) => match fs::canonicalize(path) {
                Ok(real) => Answer::Path(real),
                Err(error) => nothing(&error),
            },
            Query::Program { name, cwd, search } => self.find(name.as_slice(), cwd, search),
            Query::Variable(name) => {
                self.variable_named(name.as_slice()).cloned().map_or(Answer::Absent, Answer::Text)
            }
            Query::Glob { pattern, cwd } => {
                let found = super::glob::expand(pattern.as_slice(), cwd, &names);
                found.map_or(Answer::Unknown, Answer::Paths)
            }
            Query::GitSetting { cwd, key } => super::git::setting(cwd, key),
            Query::Scratch => self.scratch.clone().map_or(Answer::Unknown, Answer::Paths),
            Query::Tree(path) => super::tree::count(path),
            Query::Kept(path) => super::index::kept(path),
        }
    }

    fn find(&self, name: &[u8], cwd: &Path, search: &Search) -> Answer {
        if name.contains(&b'/') {
            return found(cwd.join(from_bytes(name)));
        }
        let inherited = self.variable_named(b"PATH");
        let list = match search {
            Search::Given(list) => list.as_slice(),
            Search::Inherited => inherited.map_or(DEFAULT_PATH, Bytes::as_slice),
        };
        list.split(|byte| *byte == b':')
            .map(|directory| cwd.join(from_bytes(directory)).join(from_bytes(name)))
            .find(|path| executable(path))
            .map_or(Answer::Absent, found)
    }
}

impl Look for Live<'_> {
    fn look(&self, query: &Query) -> Answer {
        let mut notes = self.notes.lock().unwrap_or_else(|broken| broken.into_inner());
        if let Some(at) = notes.known.get(query) {
            return notes.facts[*at].answer.clone();
        }
        if notes.facts.len() >= MAX_FACTS {
            return Answer::Unknown;
        }
        let answer = self.ask(query);
        let at = notes.facts.len();
        notes.known.insert(query.clone(), at);
        notes.facts.push(Fact { query: query.clone(), answer: answer.clone() });
        answer
    }
}

/// The names in a directory; `None` where they are too many.
fn names(directory: &Path) -> Option<Vec<Vec<u8>>> {
    let Ok(list) = fs::read_dir(directory) else {
        return Some(Vec::new());
    };
    let list = list.flatten().take(MOST_NAMES + 1);
    let names: Vec<_> = list.map(|entry| entry.file_name().as_encoded_bytes().to_vec()).collect();
    (names.len() <= MOST_NAMES).then_some(names)
}

fn kind(path: &Path) -> Answer {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => Answer::Kind(Kind::Directory),
        Ok(meta) if meta.is_symlink() => Answer::Kind(Kind::Link),
        Ok(meta) if meta.is_file() => Answer::Kind(Kind::File),
        Ok(_) => Answer::Kind(Kind::Special),
        Err(error) => nothing(&error),
    }
}

fn nothing(error: &io::Error) -> Answer {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Answer::Absent,
        _ => Answer::Unknown,
    }
}

fn found(path: PathBuf) -> Answer {
    match fs::canonicalize(&path) {
        Ok(real) => Answer::Program(Program { path, real }),
        Err(error) => nothing(&error),
    }
}

#[cfg(unix)]
fn executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::super::Recorded;
    use super::*;

    #[test]
    fn what_was_seen_is_what_the_record_answers() {
        let path: [(Bytes, Bytes); 1] = [("PATH".into(), "/nowhere:/usr/bin:/bin".into())];
        let live = Live::new([path.as_slice()]);
        let queries = [
            Query::Kind("/".into()),
            Query::Kind("/nowhere/at/all".into()),
            Query::Variable("PATH".into()),
            Query::Program { name: "sh".into(), cwd: "/".into(), search: Search::Inherited },
        ];
        let seen: Vec<Answer> = queries.iter().map(|query| live.look(query)).collect();
        assert_eq!(seen[0], Answer::Kind(Kind::Directory));
        assert_eq!(seen[1], Answer::Absent);
        assert!(matches!(&seen[3], Answer::Program(_)), "{:?}", seen[3]);
        let recorded = Recorded::new(live.into_scene());
        let again: Vec<Answer> = queries.iter().map(|query| recorded.look(query)).collect();
        assert_eq!(again, seen);
    }

    #[test]
    fn beyond_the_bound_everything_is_unknown() {
        let live = Live::new([]);
        for number in 0..MAX_FACTS {
            assert_eq!(live.variable(format!("V{number}").as_bytes()), None);
        }
        assert_eq!(live.look(&Query::Kind("/".into())), Answer::Unknown);
        assert_eq!(live.look(&Query::Variable("V0".into())), Answer::Absent);
        assert_eq!(live.into_scene().facts.len(), MAX_FACTS);
    }

    #[test]
    fn the_same_question_is_one_fact() {
        let live = Live::new([]);
        live.variable(b"A");
        live.variable(b"A");
        assert_eq!(live.into_scene().facts.len(), 1);
    }
}
