//! The shape of a request: what can be refused without knowing any policy or any file.

use super::{Bytes, Request, Step, WindowSize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A request may hold this many steps; an agent that needs more wants a script.
pub const MAX_STEPS: usize = 256;
/// One text, or all words of one argv, in bytes: the kernel takes 2 MiB of arguments and
/// environment together, so a longer text could never start.
pub const MAX_TEXT_BYTES: usize = 1 << 20;
/// Words of one argv.
pub const MAX_WORDS: usize = 16 * 1024;
/// Variables that one caller sets.
pub const MAX_ENV: usize = 1024;
/// One argument in bytes: Linux refuses a longer one (MAX_ARG_STRLEN, 32 pages of 4 KiB).
const MAX_WORD_BYTES: usize = 128 * 1024 - 1;
/// A year: beyond it a deadline is a mistake in its unit.
const MAX_DEADLINE: Duration = Duration::from_secs(366 * 24 * 3600);

/// Why a request has no good shape. Each says what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// No step at all, or one without any text.
    Empty,
    /// More of something than a request takes.
    TooMany {
        /// Of what.
        what: &'static str,
        /// The number found.
        found: usize,
        /// The bound.
        most: usize,
    },
    /// A NUL byte, which no argument, variable or path can carry.
    Nul {
        /// In which part of the request.
        place: String,
        /// Its offset in that part.
        at: usize,
    },
    /// A path that must be absolute and is not.
    Relative {
        /// Which path of the request.
        place: &'static str,
        /// The path.
        path: PathBuf,
    },
    /// A variable whose name is empty or holds `=`.
    VariableName {
        /// The name as given, lossily.
        name: String,
    },
    /// A deadline that cannot be meant.
    Deadline {
        /// The deadline asked for.
        asked: Duration,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Empty => {
                write!(f, "the command is empty; give a program with arguments or a shell text")
            }
            Error::TooMany { what, found, most } => {
                write!(f, "the request holds {found} {what}, {most} are taken; ")?;
                write!(f, "put a long text into a file and run that")
            }
            Error::Nul { place, at } => {
                write!(
                    f,
                    "{place} holds a NUL byte at offset {at}, which no program can receive; "
                )?;
                write!(f, "remove it or pass the bytes through standard input")
            }
            Error::Relative { place, path } => {
                write!(f, "the {place} {} is not absolute; give the whole path", path.display())
            }
            Error::VariableName { name } => {
                write!(f, "{name:?} is no name of a variable; it must not be empty or hold '='")
            }
            Error::Deadline { asked } => {
                write!(f, "a deadline of {asked:?} cannot be meant; ")?;
                write!(f, "give more than zero and at most 366 days")
            }
        }
    }
}

impl std::error::Error for Error {}

impl Request {
    /// Checks the shape. The engine calls it first, so no door can forget it.
    pub fn check(&self) -> Result<(), Error> {
        at_most("steps", self.steps.len(), MAX_STEPS)?;
        if self.steps.is_empty() {
            return Err(Error::Empty);
        }
        self.steps.iter().try_for_each(check_step)?;
        check_env(&self.env)?;
        check_path("working directory", &self.cwd)?;
        if let Some(workspace) = &self.workspace {
            check_path("workspace", workspace)?;
        }
        if let Some(size) = self.manner.terminal {
            let most = WindowSize::MOST;
            at_most("columns of a terminal", size.columns.into(), most.columns.into())?;
            at_most("rows of a terminal", size.rows.into(), most.rows.into())?;
        }
        match self.timeout {
            Some(asked) if asked.is_zero() || asked > MAX_DEADLINE => {
                Err(Error::Deadline { asked })
            }
            Some(_) | None => Ok(()),
        }
    }
}

fn check_step(step: &Step) -> Result<(), Error> {
    match step {
        Step::Argv(words) => {
            at_most("words", words.len(), MAX_WORDS)?;
            if words.first().is_none_or(|program| program.as_slice().is_empty()) {
                return Err(Error::Empty);
            }
            for (index, word) in words.iter().enumerate() {
                no_nul(&format!("word {index} of the command"), word)?;
                at_most("bytes in one word", word.as_slice().len(), MAX_WORD_BYTES)?;
            }
            at_most(
                "bytes of words",
                words.iter().map(|w| w.as_slice().len()).sum(),
                MAX_TEXT_BYTES,
            )
        }
        Step::Shell(text) => {
            not_blank(text)?;
            no_nul("the command", text)?;
            at_most("bytes in one shell text", text.as_slice().len(), MAX_WORD_BYTES)
        }
        Step::Script { text, .. } => {
            not_blank(text)?;
            no_nul("the script", text)?;
            at_most("bytes of script", text.as_slice().len(), MAX_TEXT_BYTES)
        }
    }
}

fn check_env(env: &[(Bytes, Bytes)]) -> Result<(), Error> {
    at_most("variables", env.len(), MAX_ENV)?;
    for (name, value) in env {
        if name.as_slice().is_empty() || name.as_slice().contains(&b'=') {
            let name = String::from_utf8_lossy(name.as_slice()).into_owned();
            return Err(Error::VariableName { name });
        }
        no_nul("the name of a variable", name)?;
        let shown = String::from_utf8_lossy(name.as_slice());
        no_nul(&format!("the value of {shown}"), value)?;
        at_most("bytes in one variable", value.as_slice().len(), MAX_WORD_BYTES - 256)?;
    }
    Ok(())
}

fn check_path(place: &'static str, path: &Path) -> Result<(), Error> {
    if !path.is_absolute() {
        return Err(Error::Relative { place, path: path.to_path_buf() });
    }
    let bytes = path.as_os_str().as_encoded_bytes();
    match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => Err(Error::Nul { place: format!("the {place}"), at }),
        None => Ok(()),
    }
}

fn not_blank(text: &Bytes) -> Result<(), Error> {
    if text.as_slice().iter().all(u8::is_ascii_whitespace) {
        return Err(Error::Empty);
    }
    Ok(())
}

fn no_nul(place: &str, text: &Bytes) -> Result<(), Error> {
    match text.as_slice().iter().position(|byte| *byte == 0) {
        Some(at) => Err(Error::Nul { place: place.to_string(), at }),
        None => Ok(()),
    }
}

fn at_most(what: &'static str, found: usize, most: usize) -> Result<(), Error> {
    if found > most {
        return Err(Error::TooMany { what, found, most });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Caller, Manner, OnFailure, Stdin};
    use super::*;

    fn request(step: Step) -> Request {
        Request {
            steps: vec![step],
            on_failure: OnFailure::Stop,
            cwd: "/".into(),
            workspace: None,
            env: Vec::new(),
            stdin: Stdin::Closed,
            timeout: None,
            caller: Caller { door: "library".into(), session: "s".into(), client: None },
            manner: Manner::default(),
        }
    }

    #[test]
    fn nothing_to_run_is_refused() {
        assert_eq!(request(Step::Argv(vec![])).check(), Err(Error::Empty));
        assert_eq!(request(Step::Argv(vec!["".into()])).check(), Err(Error::Empty));
        assert_eq!(request(Step::Shell(" \n\t".into())).check(), Err(Error::Empty));
        let mut none = request(Step::Shell("x".into()));
        none.steps.clear();
        assert_eq!(none.check(), Err(Error::Empty));
    }

    #[test]
    fn a_nul_is_named_with_its_place() {
        let error = request(Step::Argv(vec!["a".into(), vec![b'b', 0].into()])).check();
        assert_eq!(error, Err(Error::Nul { place: "word 1 of the command".into(), at: 1 }));
        let mut env = request(Step::Shell("x".into()));
        env.env.push(("K".into(), vec![0].into()));
        assert_eq!(env.check(), Err(Error::Nul { place: "the value of K".into(), at: 0 }));
    }

    #[test]
    fn absurd_deadlines_and_relative_directories_are_refused() {
        let mut wrong = request(Step::Shell("x".into()));
        wrong.timeout = Some(Duration::ZERO);
        assert_eq!(wrong.check(), Err(Error::Deadline { asked: Duration::ZERO }));
        wrong.timeout = Some(Duration::MAX);
        assert_eq!(wrong.check(), Err(Error::Deadline { asked: Duration::MAX }));
        let mut relative = request(Step::Shell("x".into()));
        relative.cwd = "here".into();
        assert!(matches!(relative.check(), Err(Error::Relative { .. })));
    }

    #[test]
    fn a_word_longer_than_the_kernel_takes_is_refused() {
        let error = request(Step::Argv(vec!["a".into(), vec![b'x'; 200_000].into()])).check();
        assert!(matches!(error, Err(Error::TooMany { what: "bytes in one word", .. })));
    }
}
