//! What running could not do of its own work. The command failing is no error.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// An error of this room.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Something of the system below.
    Os(ricasso_os::Error),
    /// A file or directory of our state.
    State {
        /// What was tried, as a verb phrase.
        what: &'static str,
        /// On which path.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// A state directory that somebody else could write to.
    NotOurs {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Files that we make are shut for ourselves.
    Umask,
    /// There is no place for our state.
    NoHome,
    /// No random bytes for an unguessable id.
    Random {
        /// The kernel's answer.
        source: io::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Os(error) => write!(f, "{error}"),
            Error::State { what, path, source } => {
                let usual = "check that the disk has room and the directory is ours and writable, \
                             or set XDG_STATE_HOME to another place";
                write!(f, "cannot {what} {}; {}", path.display(), remedy(source, usual))
            }
            Error::NotOurs { path, why } => {
                write!(f, "the state directory {} {why}; ", path.display())?;
                write!(f, "give it to this user alone (chmod 700) or set XDG_STATE_HOME")
            }
            Error::Umask => write!(
                f,
                "the umask takes away the user's own rights on new files, so that nothing of a job \
                 could be kept; set it to 077 or less"
            ),
            Error::NoHome => {
                write!(
                    f,
                    "no place for ricasso's state: neither XDG_STATE_HOME nor HOME is usable; "
                )?;
                write!(f, "set XDG_STATE_HOME to a directory of this user")
            }
            Error::Random { .. } => write!(f, "cannot get random bytes for a job id"),
        }
    }
}

/// What to do: about what surrounds this process where that is the cause, else about the file.
pub(crate) fn remedy(source: &io::Error, usual: &'static str) -> &'static str {
    ricasso_os::remedy(source).unwrap_or(usual)
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Os(error) => error.source(),
            Error::State { source, .. } | Error::Random { source } => Some(source),
            Error::NotOurs { .. } | Error::Umask | Error::NoHome => None,
        }
    }
}

impl From<ricasso_os::Error> for Error {
    /// The os crate's errors already name the act and its object, so nothing is forgotten here.
    fn from(error: ricasso_os::Error) -> Error {
        Error::Os(error)
    }
}
