//! What this room can fail at. A variant names what was tried and carries the file and the cause;
//! it must never carry output or a secret.

use std::error::Error as StdError;
use std::path::PathBuf;
use std::{fmt, io};

/// We could not store or read output.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file of the spool could not be made.
    CreateSpool {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Output could not be stored; what was stored before stays readable.
    WriteSpool {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file of the spool could not be opened for reading.
    OpenSpool {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file of the spool could not be read.
    ReadSpool {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file of the spool is not a plain file of ours.
    ForeignSpool {
        /// The file.
        path: PathBuf,
    },
    /// The values or the order beside the spool are damaged; nothing behind that place is served.
    DamagedSpool {
        /// The file.
        path: PathBuf,
        /// Where in it, in bytes.
        at: u64,
    },
    /// The spool was written by a version that recorded all secrets beside it.
    OlderSpool {
        /// The file of that version.
        path: PathBuf,
    },
    /// A pattern, of the policy or of a search, is not a regular expression that we can use.
    Pattern {
        /// The pattern as given.
        pattern: String,
        /// The cause.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// What was read could not be handed on.
    HandOut {
        /// The cause.
        source: io::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::CreateSpool { path, .. } => write!(
                f,
                "cannot create the spool {}; check that its directory exists, is ours and has room",
                path.display()
            ),
            Error::WriteSpool { path, .. } => write!(
                f,
                "cannot store output in {}; free some space, what was stored stays readable",
                path.display()
            ),
            Error::OpenSpool { path, .. } => write!(
                f,
                "cannot open the spool {}; check that it still exists and is ours",
                path.display()
            ),
            Error::ReadSpool { path, .. } => {
                write!(f, "cannot read the spool {}; check the disk", path.display())
            }
            Error::ForeignSpool { path } => write!(
                f,
                "will not read {}: it is not a plain file; remove what was put in its place",
                path.display()
            ),
            Error::DamagedSpool { path, at } => write!(
                f,
                "cannot read {} from byte {at} on: it is damaged; nothing behind that is shown",
                path.display()
            ),
            Error::OlderSpool { path } => write!(
                f,
                "will not read the output beside {}: an older version wrote it, and values that \
                 it knew as secret would show; remove it with `ricasso forget`",
                path.display()
            ),
            Error::Pattern { pattern, .. } => write!(
                f,
                "cannot use the pattern {pattern:?}; write a regular expression without \
                 look-around and back-references"
            ),
            Error::HandOut { .. } => {
                write!(f, "cannot hand out what was read; check where the output goes")
            }
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Error::CreateSpool { source, .. }
            | Error::WriteSpool { source, .. }
            | Error::OpenSpool { source, .. }
            | Error::ReadSpool { source, .. }
            | Error::HandOut { source } => Some(source),
            Error::Pattern { source, .. } => Some(source.as_ref()),
            Error::ForeignSpool { .. } | Error::DamagedSpool { .. } | Error::OlderSpool { .. } => {
                None
            }
        }
    }
}
