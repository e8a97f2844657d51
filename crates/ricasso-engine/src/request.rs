//! What is asked for: the untrusted value that a door hands in, checked for shape and nothing else.
//!
//! A request says what to run and under which circumstances. It never says what is allowed: rights
//! come from the policy alone. This room must never read files, the clock or the environment.

mod bytes;
mod check;
mod manner;
mod path;

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

pub use bytes::{Bytes, to_hex};
pub use check::{Error, MAX_ENV, MAX_STEPS, MAX_TEXT_BYTES, MAX_WORDS};
pub use manner::{Manner, ShellState, Tenure, WindowSize};

/// One call: what to run, where, with what, for whom. Serialisable, so that it can be kept,
/// replayed, and one day be run somewhere else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// What to run, in sequence. At least one.
    pub steps: Vec<Step>,
    /// What happens to the later steps when one fails.
    pub on_failure: OnFailure,
    /// The working directory, absolute.
    #[serde(with = "path")]
    pub cwd: PathBuf,
    /// The root of the workspace, absolute; `None` where there is none: nothing is writable then.
    #[serde(with = "path::option")]
    pub workspace: Option<PathBuf>,
    /// Variables that the caller sets for the command.
    pub env: Vec<(Bytes, Bytes)>,
    /// What the command reads from its standard input.
    pub stdin: Stdin,
    /// The deadline asked for; the policy's default applies when there is none.
    pub timeout: Option<Duration>,
    /// Who asks.
    pub caller: Caller,
    /// How the job is held; a plain call unless said otherwise.
    #[serde(default)]
    pub manner: Manner,
}

/// One command of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A program with its arguments; no shell reads them.
    Argv(Vec<Bytes>),
    /// One text for the policy's shell (`-c`).
    Shell(Bytes),
    /// The text of a script, put into a file of its own and run by the named shell.
    Script {
        /// The whole text.
        text: Bytes,
        /// Which shell runs it.
        shell: ScriptShell,
    },
}

/// The shells that run scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptShell {
    /// GNU bash.
    Bash,
    /// The POSIX shell of the machine.
    Sh,
    /// The Z shell.
    Zsh,
}

/// What happens to the steps after one that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// They are not run.
    Stop,
    /// They run all the same.
    KeepGoing,
}

/// Where standard input comes from. Every door opens files itself and says so here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stdin {
    /// End-of-file at once.
    Closed,
    /// This text, then end-of-file.
    Text(Bytes),
    /// The content of this file, opened by the owner before the command starts.
    File(#[serde(with = "path")] PathBuf),
    /// What is fed to the job while it runs; the owner holds the other end.
    Fed,
}

/// Who asks: for the record and for the session's own places, never as authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// The door: `cli`, `mcp`, `hook`, `dialect`, `library`.
    pub door: String,
    /// The session; jobs of other sessions are not seen.
    pub session: String,
    /// What the client calls itself, if it said.
    pub client: Option<String>,
}

impl Request {
    /// How much of the text of its steps comes from earlier runs of its session.
    pub fn prefix_bytes(&self) -> usize {
        self.manner.state.as_ref().map_or(0, |state| state.prefix_bytes)
    }

    /// A step's text as it was sent.
    pub fn sent(&self, step: &Step) -> Vec<u8> {
        let mut text = step.text();
        text.drain(..self.prefix_bytes().min(text.len()));
        text
    }
}

impl Step {
    /// The step as people would type it, for messages and records. Words of an argv are joined by
    /// one space, which is also what the spans of its reasons count in.
    pub fn text(&self) -> Vec<u8> {
        match self {
            Step::Argv(words) => {
                let words: Vec<&[u8]> = words.iter().map(Bytes::as_slice).collect();
                words.join(&b' ')
            }
            Step::Shell(text) | Step::Script { text, .. } => text.as_slice().to_vec(),
        }
    }
}

impl ScriptShell {
    /// The program's base name.
    pub fn name(self) -> &'static str {
        match self {
            ScriptShell::Bash => "bash",
            ScriptShell::Sh => "sh",
            ScriptShell::Zsh => "zsh",
        }
    }
}
