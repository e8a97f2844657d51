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
            Error::Thread { .. } => write!(f, "cannot start a thread for the job"),
            Error::JobThread { id } => {
                write!(f, "the thread of job {id} ended without a reply; see the ledger")
            }
            Error::Json { what, .. } => write!(f, "cannot write the {what} as JSON"),
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
            Error::NoJob { .. } | Error::JobRuns { .. } | Error::JobThread { .. } => None,
        }
    }
}
