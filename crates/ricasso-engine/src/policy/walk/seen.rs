//! One command as the walk met it.

use super::super::effect::Effect;
use super::super::word::Word;
use super::state::From;
use crate::scene::Program;
use std::path::PathBuf;

/// A command that could start, with everything known of it.
#[derive(Debug, Clone)]
pub(in super::super) struct Seen {
    /// The words; the first is the program. Empty where only variables are set or files opened.
    pub(in super::super) words: Vec<Word>,
    /// First byte of its name to last byte of its last word, in the text as sent.
    pub(in super::super) span: [usize; 2],
    /// Variables that are set for this command or for the rest of the text.
    pub(in super::super) assigned: Vec<Assigned>,
    /// Base names and paths that its program goes by; empty where the program is unknown.
    pub(in super::super) names: Vec<Vec<u8>>,
    /// The file that the system starts.
    pub(in super::super) program: Option<Program>,
    /// What starts.
    pub(in super::super) starts: Starts,
    /// Where.
    pub(in super::super) place: Place,
    /// Directories that it could work in; empty where nobody knows.
    pub(in super::super) works_in: Vec<PathBuf>,
    /// Directories that it works in because its words say so.
    pub(in super::super) entered: Vec<PathBuf>,
    /// What it does.
    pub(in super::super) effects: Vec<Effect>,
    /// What else is to be said of it.
    pub(in super::super) marks: Vec<Mark>,
}

/// A variable that is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Assigned {
    /// Its name.
    pub(in super::super) name: Vec<u8>,
    /// Its value as far as it is known.
    pub(in super::super) value: Option<Vec<u8>>,
    /// Whether what is started sees it.
    pub(in super::super) exported: bool,
}

/// What a command starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Starts {
    /// A program; found on the `PATH` that everybody has.
    Program,
    /// A program found on a `PATH` that the text has changed.
    Elsewhere,
    /// A command of the shell itself.
    Builtin,
    /// A function of the text: its commands stand beside it.
    Function,
    /// Nothing: variables or redirections alone.
    Nothing,
}

/// Where a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Place {
    /// On this machine.
    Here,
    /// On another one that lasts: `ssh`, `docker exec`.
    Away,
    /// In a container that is thrown away: `docker run`.
    Passing,
}

/// What else is to be said of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Mark {
    /// It runs code that came over the network.
    NetworkCode,
    /// It runs code that is not known before it runs.
    UnknownCode,
    /// It starts itself again beside itself, without end.
    ForkBomb,
    /// An inner text of it cannot be read.
    Unreadable,
    /// The catalogue has no entry for it: its words may be a command of their own.
    Uncatalogued,
    /// Its input never ends and it writes to a file, or it starts processes for it.
    Endless,
}

impl Mark {
    /// What unknown code is, by where it comes from.
    pub(super) fn code(from: From) -> Self {
        match from {
            From::Network => Mark::NetworkCode,
            From::Here | From::Tool | From::Processes => Mark::UnknownCode,
        }
    }
}

impl Seen {
    /// Adds a mark once.
    pub(super) fn mark(&mut self, mark: Mark) {
        if !self.marks.contains(&mark) {
            self.marks.push(mark);
        }
    }

    /// The word of the program.
    pub(in super::super) fn program_word(&self) -> Option<&[u8]> {
        self.words.first()?.known()
    }

    /// Whether it goes by this name.
    pub(in super::super) fn is_called(&self, name: &[u8]) -> bool {
        self.names.iter().any(|known| known == name)
    }
}
