//! What the engine could not do. A refused or failing command is no error: it is a reply.

use crate::run::JobId;
use crate::{capture, policy, record, request, run};
use std::fmt;
use std::io;

/// An error of the whole house: which room could not do its own work.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The request has no good shape.
    Request(request::Error),
    /// The policy could not be loaded.
    Policy(policy::Error),
    /// The spool or the redaction.
    Capture(capture::Error),
    /// The ledger; without it nothing runs.
    Record(record::Error),
    /// The state directory or the loop round a job.
    Run(run::Error),
    /// The system below.
    Os(ricasso_os::Error),
    /// There is no such job.
    NoJob {
        /// As it was asked for.
        id: String,
    },
    /// The job is not over.
    JobRuns {
        /// As it was asked for.
        id: String,
    },
    /// Those who outlived a command cannot be held as a job of their own under this policy.
    Unadoptable,
    /// No thread for a job.
    Thread {
        /// The kernel's answer.
        source: io::Error,
    },
    /// The thread of a job ended without a reply.
    JobThread {
        /// The job.
        id: JobId,
    },
    /// The job is over, and takes nothing any more.
    Over {
        /// The job.
        id: JobId,
    },
    /// The job was not started with an input that can be fed.
    NotFed {
        /// The job.
        id: JobId,
    },
    /// The job's input was ended, or nobody reads it any more.
    InputEnded {
        /// The job.
        id: JobId,
    },
    /// Somebody asks for a password, and nobody said that it may be given.
    PasswordPrompt {
        /// The line that asks.
        line: capture::Redacted<String>,
    },
    /// There is no key of this name.
    NoKey {
        /// As it was asked for.
        name: String,
        /// All that there are.
        known: String,
    },
    /// State is kept for one text, and this is something else.
    KeepsNoState,
    /// The owner that was asked does not know the job any more.
    NotHere,
    /// Whoever asked went away.
    CallerGone,
    /// The socket between a visitor and an owner.
    Desk {
        /// What was tried.
        what: &'static str,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The owner of a job said no, in these words.
    Told {
        /// Its sentence.
        message: String,
    },
    /// The owner of a job lives and does not answer.
    Unanswered {
        /// The job.
        id: JobId,
    },
    /// An owner lives and sleeps: it was stopped, or the machine has no time for it.
    Asleep {
        /// The owner.
        owner: JobId,
    },
    /// Something of ours that does not become JSON.
    Json {
        /// What.
        what: &'static str,
        /// Why.
        source: serde_json::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Request(error) => error.fmt(f),
            Error::Policy(error) => error.fmt(f),
            Error::Capture(error) => error.fmt(f),
            Error::Record(error) => {
                write!(f, "{error}; without a record nothing runs")
            }
            Error::Run(error) => error.fmt(f),
            Error::Os(error) => error.fmt(f),
            Error::NoJob { id } => {
                write!(f, "there is no job {id:?}; its id is in the reply of its run, ")?;
                write!(f, "and it may have been removed by retention")
            }
            Error::JobRuns { id } => {
                write!(f, "job {id} is not over; stop it first, or wait for its end")
            }
            Error::Unadoptable => write!(f, "the policy does not hold them as a background job"),
            Error::Thread { .. } => write!(
                f,
                "cannot start a thread for the job; raise the limit on processes (ulimit -u, or \
                 pids.max of the group) or on memory (ulimit -v)"
            ),
            Error::JobThread { id } => {
                write!(f, "the thread of job {id} ended without a reply; see the ledger")
            }
            Error::Over { id } => write!(f, "job {id} is over; start it again to feed it"),
            Error::NotFed { id } => {
                write!(
                    f,
                    "the input of job {id} is not ours to feed; start it with --background "
                )?;
                write!(f, "or --pty, and without --stdin")
            }
            Error::InputEnded { id } => {
                write!(f, "the input of job {id} has ended; nobody reads what comes now")
            }
            Error::PasswordPrompt { line } => {
                let line = line.as_str();
                write!(
                    f,
                    "the job asks for a password ({line:?}); a person must say that it may "
                )?;
                write!(f, "be given: feed --password")
            }
            Error::NoKey { name, known } => {
                write!(f, "there is no key {name:?}; keys are {known}")
            }
            Error::KeepsNoState => {
                write!(f, "the state of a shell is kept for one text; give one -c TEXT")
            }
            Error::NotHere => write!(f, "the owner does not know this job"),
            Error::CallerGone => write!(f, "whoever asked went away"),
            Error::Desk { what, .. } => {
                write!(f, "cannot {what} the socket of the job's owner; try again")
            }
            Error::Told { message } => f.write_str(message),
            Error::Unanswered { id } => {
                write!(f, "the owner of job {id} lives and does not answer; try again, or end ")?;
                write!(f, "that process: its jobs end with it")
            }
            Error::Asleep { owner } => {
                write!(f, "the owner {owner} of the job lives and says nothing; continue that ")?;
                write!(f, "process if it was stopped, or end it: its jobs end with it")
            }
            Error::Json { what, .. } => write!(f, "cannot read or write the {what} as JSON"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Request(error) => error.source(),
            Error::Policy(error) => error.source(),
            Error::Capture(error) => error.source(),
            Error::Record(error) => error.source(),
            Error::Run(error) => error.source(),
            Error::Os(error) => error.source(),
            Error::Thread { source } => Some(source),
            Error::Json { source, .. } => Some(source),
            Error::Desk { source, .. } => Some(source),
            Error::Unadoptable
            | Error::Over { .. }
            | Error::NotFed { .. }
            | Error::InputEnded { .. }
            | Error::PasswordPrompt { .. }
            | Error::NoKey { .. }
            | Error::KeepsNoState
            | Error::NotHere
            | Error::CallerGone
            | Error::Told { .. }
            | Error::Unanswered { .. }
            | Error::Asleep { .. } => None,
            Error::NoJob { .. } | Error::JobRuns { .. } | Error::JobThread { .. } => None,
        }
    }
}

impl Error {
    /// The sentence with all that caused it.
    pub fn in_full(&self) -> String {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(source) = cause {
            text.push_str(&format!(": {source}"));
            cause = source.source();
        }
        text
    }
}
