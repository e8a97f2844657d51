//! Where the calls of one dialect are carried out: one engine, one workspace, one session.

use super::tool::Called;
use crate::arguments::{Fault, fault};
use crate::place::clean;
use ricasso_engine::capture::{Ends, Most, Reading, Stream, Taken};
use ricasso_engine::engine::{Engine, Job};
use ricasso_engine::reply::Reply;
use ricasso_engine::request::{Caller, Manner, OnFailure, Request, Stdin, Step};
use ricasso_os::Cancel;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A deadline that is over at once, and one that nobody lives to see; a request takes both.
const SHORTEST: Duration = Duration::from_nanos(1);
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);

/// One engine behind one contract.
#[derive(Debug)]
pub struct Clerk {
    /// The engine, with the dialect's policy.
    pub engine: Engine,
    /// The root of the workspace.
    pub workspace: Option<PathBuf>,
    /// Where a call without a directory runs.
    pub cwd: PathBuf,
    /// Who asks.
    pub caller: Caller,
    /// Tasks that go on when their call is over.
    pub(super) tasks: Mutex<Vec<Job>>,
}

/// What an adapter asks for, beside the step itself.
#[derive(Debug, Clone)]
pub(super) struct Wish {
    pub(super) cwd: Option<PathBuf>,
    pub(super) env: Vec<(String, String)>,
    pub(super) stdin: Stdin,
    pub(super) timeout: Option<Duration>,
}

impl Default for Wish {
    fn default() -> Self {
        Wish { cwd: None, env: Vec::new(), stdin: Stdin::Closed, timeout: None }
    }
}

/// A job that ran, or did not, and the way to all that it said.
pub(super) struct Ran {
    pub(super) reply: Reply,
    reading: Option<Reading>,
}

impl Clerk {
    /// A request for one step.
    pub(super) fn request(&self, step: Step, wish: Wish) -> Request {
        let env = wish.env.into_iter();
        Request {
            steps: vec![step],
            on_failure: OnFailure::Stop,
            cwd: wish.cwd.map_or_else(|| self.cwd.clone(), |cwd| self.place(&cwd)),
            workspace: self.workspace.clone(),
            env: env.map(|(name, value)| (name.as_str().into(), value.as_str().into())).collect(),
            stdin: wish.stdin,
            timeout: wish.timeout.map(|time| time.clamp(SHORTEST, LONGEST)),
            caller: self.caller.clone(),
            manner: Manner::default(),
        }
    }

    /// A path of a call: `~` is the home directory, relative ones count from the clerk's own.
    pub(super) fn place(&self, path: &Path) -> PathBuf {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        clean(&match (path.strip_prefix("~"), home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.cwd.join(path),
        })
    }

    /// Runs a request to its end.
    pub(super) fn run(&self, request: &Request, cancel: &Cancel) -> Result<Ran, Fault> {
        match self.engine.run(request, cancel) {
            Ok(reply) => self.ran(reply),
            // The caller's own: an empty command, a NUL, a name of a variable.
            Err(ricasso_engine::Error::Request(error)) => Err(fault(error.to_string())),
            Err(error) => Err(failed(&error)),
        }
    }

    /// A reply with its output.
    pub(super) fn ran(&self, reply: Reply) -> Result<Ran, Fault> {
        let silent = reply.output.stdout_bytes + reply.output.stderr_bytes == 0;
        let reading = match silent {
            true => None,
            false => Some(self.engine.output(reply.id.as_str()).map_err(|error| failed(&error))?),
        };
        Ok(Ran { reply, reading })
    }
}

impl Clerk {
    /// Keeps a task that goes on when its call is over.
    pub(super) fn hold(&self, job: Job) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.retain(|task| !task.is_over());
        tasks.push(job);
    }

    /// Waits for every task that is held.
    pub(super) fn wait_for_tasks(&self) {
        let held = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        for task in held {
            // How it ended stands in its own reply and in the ledger.
            let _ = task.wait();
        }
    }
}

impl Ran {
    /// The last characters of a stream.
    pub(super) fn last(&self, stream: Stream, characters: u64) -> Result<String, Fault> {
        let Some(reading) = &self.reading else { return Ok(String::new()) };
        reading.last(stream, characters).map_err(|error| failed(&error))
    }

    /// Both streams, at most so many bytes of each.
    pub(super) fn ends(&self, bytes: u64) -> Result<Ends, Fault> {
        let Some(reading) = &self.reading else { return Ok(Ends::default()) };
        let id = self.reply.id.as_str();
        reading.ends(id, bytes, u64::MAX).map_err(|error| failed(&error))
    }

    /// A stream's beginning, at most so many bytes of it.
    pub(super) fn take(&self, stream: Stream, most: Most) -> Result<Taken, Fault> {
        let Some(reading) = &self.reading else { return Ok(Taken::default()) };
        reading.take(stream, most).map_err(|error| failed(&error))
    }
}

/// Our own failure, as the result of a call.
pub(super) fn failed(error: &dyn std::error::Error) -> Fault {
    Box::new(Called::failed(error))
}
