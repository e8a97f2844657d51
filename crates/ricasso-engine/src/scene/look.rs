//! The questions that a judge may ask about the world, and the answers it may get.
//!
//! Both are plain values, so that they can be kept and asked again. Nothing here touches the world.

use super::path;
use crate::request::Bytes;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One question about the world.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Query {
    /// What is at this path, the last link not followed?
    Kind(#[serde(with = "path")] PathBuf),
    /// Where does this path lead when every link is followed?
    Link(#[serde(with = "path")] PathBuf),
    /// Which file does the system start for this program word?
    Program {
        /// The word: a base name, or a path with a slash.
        name: Bytes,
        /// The directory that relative paths count from.
        #[serde(with = "path")]
        cwd: PathBuf,
        /// Which `PATH` is searched.
        search: Search,
    },
    /// How much lies below this directory, and where do links in it lead?
    Tree(#[serde(with = "path")] PathBuf),
    /// Which of the files below could git bring back?
    Kept(#[serde(with = "path")] PathBuf),
    /// What is the value of this variable?
    Variable(Bytes),
    /// Which paths does this shell glob stand for?
    Glob {
        /// The glob as written.
        pattern: Bytes,
        /// The directory that relative globs count from.
        #[serde(with = "path")]
        cwd: PathBuf,
    },
    /// Which directories for temporary files are the session's own?
    Scratch,
    /// What does git in this directory have for this key?
    GitSetting {
        /// The directory that git runs in.
        #[serde(with = "path")]
        cwd: PathBuf,
        /// The key, in lower case.
        key: String,
    },
}

/// Which `PATH` a program is looked up on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Search {
    /// The one that commands inherit.
    Inherited,
    /// This one, which the caller set.
    Given(Bytes),
}

/// What the world says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// Nobody can say: not held by the record, over a bound, or not readable.
    Unknown,
    /// There is nothing there.
    Absent,
    /// To `Kind`.
    Kind(Kind),
    /// To `Link`: the path without any link in it.
    Path(#[serde(with = "path")] PathBuf),
    /// To `Program`.
    Program(Program),
    /// To `Variable` and `GitSetting`.
    Text(Bytes),
    /// To `Glob`: in the shell's order.
    Paths(#[serde(with = "path::list")] Vec<PathBuf>),
    /// To `Tree`.
    Tree(Tree),
    /// To `Kept`.
    Kept(Kept),
}

/// What git holds of the files below a path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Whether the path lies in a repository.
    pub repository: bool,
    /// Whether the repository itself lies below the path, so that it would go too.
    pub itself: bool,
    /// Files that are as git last saw them.
    pub same: u64,
    /// Files that git knows and that were changed since.
    pub changed: u64,
    /// Files that git does not know, ignored ones among them.
    pub untracked: u64,
    /// Whether counting stopped before everything was seen.
    pub more: bool,
}

/// What lies below a directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// Files and links, directories not counted.
    pub files: u64,
    /// Bytes of the files.
    pub bytes: u64,
    /// Whether counting stopped before everything was seen.
    pub more: bool,
    /// Where links lead that leave the directory, as far as they were seen.
    #[serde(with = "path::list")]
    pub outside: Vec<PathBuf>,
}

/// What kind of thing a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, a pipe, a socket.
    Special,
}

/// A program as found, and as what it really is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Where the search found it.
    #[serde(with = "path")]
    pub path: PathBuf,
    /// The file behind every link.
    #[serde(with = "path")]
    pub real: PathBuf,
}

/// Somebody who can be asked about the world. One question, one answer, the same answer for the
/// same question as long as the asker lives.
pub trait Look {
    /// Answers one question.
    fn look(&self, query: &Query) -> Answer;

    /// The program that a word starts; `None` where it is absent or nobody can say.
    fn program(&self, name: &[u8], cwd: &Path, search: &Search) -> Option<Program> {
        let query = Query::Program {
            name: name.to_vec().into(),
            cwd: cwd.to_path_buf(),
            search: search.clone(),
        };
        match self.look(&query) {
            Answer::Program(program) => Some(program),
            Answer::Unknown
            | Answer::Absent
            | Answer::Kind(_)
            | Answer::Path(_)
            | Answer::Text(_)
            | Answer::Paths(_)
            | Answer::Tree(_)
            | Answer::Kept(_) => None,
        }
    }

    /// The value of a variable; `None` where it is not set or nobody can say.
    fn variable(&self, name: &[u8]) -> Option<Bytes> {
        match self.look(&Query::Variable(name.to_vec().into())) {
            Answer::Text(value) => Some(value),
            Answer::Unknown
            | Answer::Absent
            | Answer::Kind(_)
            | Answer::Path(_)
            | Answer::Program(_)
            | Answer::Paths(_)
            | Answer::Tree(_)
            | Answer::Kept(_) => None,
        }
    }

    /// Where a path leads when every link is followed; `None` where it is absent or nobody can say.
    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        match self.look(&Query::Link(path.to_path_buf())) {
            Answer::Path(path) => Some(path),
            Answer::Unknown
            | Answer::Absent
            | Answer::Kind(_)
            | Answer::Program(_)
            | Answer::Text(_)
            | Answer::Paths(_)
            | Answer::Tree(_)
            | Answer::Kept(_) => None,
        }
    }
}
