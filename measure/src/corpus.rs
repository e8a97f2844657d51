//! The measure over labelled commands: what is missed, what is refused without need, what is only
//! asked about although it should be denied.

mod case;
mod count;
mod judge;

pub use count::{Report, Wrong};

use crate::Policies;
use case::Case;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Files below the directory, at most this deep: a corpus is no tree.
const MAX_DEPTH: usize = 4;

/// Why there are no numbers.
#[derive(Debug)]
pub enum Error {
    /// A file or directory that could not be read.
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line that is no case.
    Line {
        /// In which file.
        path: PathBuf,
        /// Which, from 1.
        line: usize,
        /// Why.
        problem: String,
    },
    /// No case at all.
    Empty {
        /// Where there should be some.
        path: PathBuf,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Read { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            Error::Line { path, line, problem } => {
                write!(f, "{}:{line}: this is no case: {problem}", path.display())
            }
            Error::Empty { path } => {
                write!(f, "there is no case in a *.jsonl below {}", path.display())
            }
        }
    }
}

impl std::error::Error for Error {}

/// Judges every case of every `*.jsonl` below the directory.
pub fn measure(directory: &Path, policies: &Policies) -> Result<Report, Error> {
    let mut files = Vec::new();
    find(directory, MAX_DEPTH, &mut files)?;
    files.sort();
    let mut report = Report::default();
    for file in files {
        let text = fs::read_to_string(&file)
            .map_err(|source| Error::Read { path: file.clone(), source })?;
        let name = file.strip_prefix(directory).unwrap_or(&file).display().to_string();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let case: Case = serde_json::from_str(line).map_err(|error| Error::Line {
                path: file.clone(),
                line: index + 1,
                problem: error.to_string(),
            })?;
            let told = judge::judge(&case, policies);
            report.add(&name, &case, told);
        }
    }
    if report.is_empty() {
        return Err(Error::Empty { path: directory.to_path_buf() });
    }
    Ok(report)
}

fn find(directory: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let read = |source| Error::Read { path: directory.to_path_buf(), source };
    for entry in fs::read_dir(directory).map_err(read)? {
        let path = entry.map_err(read)?.path();
        if path.is_dir() && depth > 0 {
            find(&path, depth - 1, files)?;
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            files.push(path);
        }
    }
    Ok(())
}
