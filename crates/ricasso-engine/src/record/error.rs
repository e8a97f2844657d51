//! Why the ledger could not do its work: what was tried, on which file.

use crate::run::remedy;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why the ledger could not do its work.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The directory cannot be made or opened.
    OpenDirectory {
        /// The directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The directory cannot be locked.
    Lock {
        /// The directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file of the ledger cannot be opened.
    OpenFile {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file of the ledger cannot be read.
    ReadFile {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The line could not be written; the file is as before, or the next append mends it.
    Append {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The head could not be written; the line stands and the next append adopts it.
    WriteHead {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A torn line could not be cut off.
    Cut {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// An old file could not be removed.
    Remove {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The entry cannot be written as JSON.
    Write {
        /// The cause.
        source: serde_json::Error,
    },
    /// The entry has a key that is the ledger's own.
    ReservedKey {
        /// The key.
        key: String,
    },
    /// The entry is longer than a line may be.
    TooLong {
        /// Its length.
        bytes: usize,
        /// The bound.
        most: usize,
    },
    /// A line cannot be read as an entry.
    BadLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The cause.
        source: serde_json::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::OpenDirectory { path, source } => tell(
                f,
                ("cannot open the ledger's directory", path, ""),
                (source, "check that it can be made and is ours"),
            ),
            Error::Lock { path, source } => {
                tell(f, ("cannot lock the ledger", path, ""), (source, "check its file system"))
            }
            Error::OpenFile { path, source } => {
                tell(f, ("cannot open", path, ""), (source, "check that it is ours"))
            }
            Error::ReadFile { path, source } => {
                tell(f, ("cannot read", path, ""), (source, "check the disk"))
            }
            Error::Append { path, source } => tell(
                f,
                ("cannot append to the ledger", path, ", so nothing is run"),
                (source, "make room or make it writable"),
            ),
            Error::WriteHead { path, source } => tell(
                f,
                ("cannot write the ledger's head", path, ""),
                (source, "make room or make it writable"),
            ),
            Error::Cut { path, source } => {
                tell(f, ("cannot cut a torn line off", path, ""), (source, "make it writable"))
            }
            Error::Remove { path, source } => {
                tell(f, ("cannot remove the old file", path, ""), (source, "make it writable"))
            }
            Error::Write { .. } => {
                write!(f, "cannot write the entry as JSON; give its parts text as keys")
            }
            Error::ReservedKey { key } => {
                write!(f, "the entry's extra key {key:?} is the ledger's own; rename it")
            }
            Error::TooLong { bytes, most } => {
                write!(f, "the entry has {bytes} bytes, {most} are taken; shorten the command")
            }
            Error::BadLine { path, line, .. } => write!(
                f,
                "line {line} of {} is no entry; run ricasso ledger verify",
                path.display()
            ),
        }
    }
}

/// What was tried on which file, and what to do.
fn tell(
    f: &mut fmt::Formatter<'_>,
    (what, path, then): (&str, &Path, &str),
    (source, usual): (&io::Error, &'static str),
) -> fmt::Result {
    write!(f, "{what} {}{then}; {}", path.display(), remedy(source, usual))
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::OpenDirectory { source, .. }
            | Error::Lock { source, .. }
            | Error::OpenFile { source, .. }
            | Error::ReadFile { source, .. }
            | Error::Append { source, .. }
            | Error::WriteHead { source, .. }
            | Error::Cut { source, .. }
            | Error::Remove { source, .. } => Some(source),
            Error::Write { source } | Error::BadLine { source, .. } => Some(source),
            Error::ReservedKey { .. } | Error::TooLong { .. } => None,
        }
    }
}
