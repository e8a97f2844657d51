//! What this crate could not do: the act, its object, and the kernel's answer.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Shorthand for this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A thing of the system that failed. None of these says that the command failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A system call that takes no path.
    Call {
        /// What was tried, as a verb phrase: `make a pipe`.
        what: &'static str,
        /// The kernel's answer.
        source: io::Error,
    },
    /// A system call on a path.
    Path {
        /// What was tried, as a verb phrase: `open`.
        what: &'static str,
        /// On which path.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The keeper is of another version or no keeper at all.
    Handshake {
        /// The program that was started.
        program: PathBuf,
        /// What it said.
        said: String,
    },
    /// The keeper or the warden went away.
    Gone {
        /// Which of the two.
        who: &'static str,
    },
    /// Bytes on one of our own sockets that do not decode.
    Garbled {
        /// Which message.
        what: &'static str,
    },
    /// A fork was asked for in a process that already has threads.
    Threads {
        /// How many threads there are.
        found: usize,
    },
    /// The process file system is not there.
    NoProc,
}

impl Error {
    /// The kernel's number for it; 0 where it was not the kernel that refused.
    pub(crate) fn errno(&self) -> i32 {
        match self {
            Error::Call { source, .. } | Error::Path { source, .. } => {
                source.raw_os_error().unwrap_or_default()
            }
            Error::Handshake { .. }
            | Error::Gone { .. }
            | Error::Garbled { .. }
            | Error::Threads { .. }
            | Error::NoProc => 0,
        }
    }

    pub(crate) fn call(what: &'static str) -> impl FnOnce(rustix::io::Errno) -> Error {
        move |errno| Error::Call { what, source: errno.into() }
    }

    /// For calls made through libc, right after they returned -1.
    pub(crate) fn last(what: &'static str) -> Error {
        Error::Call { what, source: io::Error::last_os_error() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Call { what, .. } => write!(f, "cannot {what}"),
            Error::Path { what, path, .. } => write!(f, "cannot {what} {}", path.display()),
            Error::Handshake { program, said } => write!(
                f,
                "{} is no keeper of this version (it said {said:?}); \
                 install the ricasso that belongs to this library",
                program.display()
            ),
            Error::Gone { who } => write!(f, "the {who} is gone; it was killed or it failed"),
            Error::Garbled { what } => {
                write!(f, "cannot read the message {what} on our own socket")
            }
            Error::Threads { found } => write!(
                f,
                "this process has {found} threads and may not be its own keeper; \
                 make the Keeper in the first line of main"
            ),
            Error::NoProc => write!(
                f,
                "/proc is not mounted, or shows another namespace; mount it (mount -t proc proc \
                 /proc), for nothing else shows the processes of a job"
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Call { source, .. } | Error::Path { source, .. } => Some(source),
            Error::Handshake { .. }
            | Error::Gone { .. }
            | Error::Garbled { .. }
            | Error::Threads { .. }
            | Error::NoProc => None,
        }
    }
}
