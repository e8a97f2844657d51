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
    /// This process may open too few files.
    FewFiles {
        /// How many.
        limit: u64,
        /// How many a job needs.
        least: u64,
    },
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
            | Error::FewFiles { .. }
            | Error::NoProc => 0,
        }
    }

    /// The same, for who needs some: what the kernel did not refuse is invalid.
    pub(crate) fn as_errno(&self) -> rustix::io::Errno {
        match self.errno() {
            0 => rustix::io::Errno::INVAL,
            errno => rustix::io::Errno::from_raw_os_error(errno),
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
            Error::Call { what, source } => {
                write!(f, "cannot {what}")?;
                let refused = source.kind() == io::ErrorKind::PermissionDenied;
                let remedy = remedy(source).or(refused.then_some(REFUSED));
                remedy.map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
            }
            Error::Path { what, path, source } => {
                write!(f, "cannot {what} {}", path.display())?;
                remedy(source).map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
            }
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
            Error::FewFiles { limit, least } => write!(
                f,
                "this process may open {limit} files, and a job needs {least}; raise the limit \
                 (ulimit -n 1024)"
            ),
        }
    }
}

/// Where there is no path whose mode or owner could be wrong.
const REFUSED: &str =
    "if a filter or a security module round ricasso refuses this call, allow it there";

/// What to do where it is not the object that is wrong, but something round this process: a limit,
/// a filter. Nothing for every other answer of the kernel.
pub fn remedy(source: &io::Error) -> Option<&'static str> {
    use rustix::io::Errno;
    Some(match Errno::from_io_error(source)? {
        Errno::MFILE => {
            "raise the limit on open files (ulimit -n 1024), or close what the caller left open"
        }
        Errno::NFILE => {
            "the machine has no open files left; end what holds them, or raise fs.file-max"
        }
        Errno::AGAIN => {
            "raise the limit on processes (ulimit -u, or pids.max of the group), or end some of \
             this user's"
        }
        Errno::NOMEM => "give it more memory (ulimit -v, ulimit -d, or memory.max of the group)",
        Errno::FBIG => "raise the limit on the size of files (ulimit -f unlimited)",
        Errno::NOSYS => {
            "a filter round ricasso, or the kernel, does not have this call; allow it there"
        }
        _ => return None,
    })
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Call { source, .. } | Error::Path { source, .. } => Some(source),
            Error::Handshake { .. }
            | Error::Gone { .. }
            | Error::Garbled { .. }
            | Error::Threads { .. }
            | Error::FewFiles { .. }
            | Error::NoProc => None,
        }
    }
}
