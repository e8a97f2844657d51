//! Why the ledger could not do its work: what was tried, on which file.

use std::fmt;
use std::io;
use std::path::PathBuf;

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
            Error::OpenDirectory { path, .. } => write!(
                f,
                "cannot open the ledger's directory {}; check that it can be made and is ours",
                path.display()
            ),
            Error::Lock { path, .. } => {
                write!(f, "cannot lock the ledger {}; check its file system", path.display())
            }
            Error::OpenFile { path, .. } => {
                write!(f, "cannot open {}; check that it is ours", path.display())
            }
            Error::ReadFile { path, .. } => {
                write!(f, "cannot read {}; check the disk", path.display())
            }
            Error::Append { path, .. } => write!(
                f,
                "cannot append to the ledger {}, so nothing is run; make room or make it writable",
                path.display()
            ),
            Error::WriteHead { path, .. } => write!(
                f,
                "cannot write the ledger's head {}; make room or make it writable",
                path.display()
            ),
            Error::Cut { path, .. } => {
                write!(f, "cannot cut a torn line off {}; make it writable", path.display())
            }
            Error::Remove { path, .. } => {
                write!(f, "cannot remove the old file {}; make it writable", path.display())
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
