//! The hallway: leads a request through the rooms and brings the reply back. It never decides.
//!
//! There is one gate. Every request, whatever its door and mode, is judged, planned, recorded and
//! redacted here, in this order; the opening entry is on disk before the child exists.

mod admit;
mod adopt;
mod answer;
mod basin;
mod board;
mod check;
mod chores;
mod close;
mod conduct;
mod denials;
mod desk;
mod entries;
mod ground;
mod handle;
mod inlet;
mod job;
mod jobs;
mod keys;
mod later;
mod lookout;
mod lost;
mod open;
mod paper;
mod redact;
mod registry;
mod replay;
mod retain;
mod scratch;
mod shelf;
mod start_failure;
mod state;
mod unhidden;
mod verbs;
mod yard;

use crate::capture::{Label, Reading, Redactor};
use crate::error::Error;
use crate::plan::{Passed, Site};
use crate::policy::{Judgement, Policy};
use crate::record::Ledger;
use crate::reply::Reply;
use crate::request::{Bytes, Caller, Request};
use crate::run::StateDir;
use crate::scene::Scene;
use chores::Housekeeper;
use desk::Desk;
use paper::PolicyPaper;
use registry::Registry;
use retain::Retention;
use ricasso_os::{Cancel, Host, Keeper};
use std::sync::{Arc, Mutex};
use yard::Yard;

pub use crate::plan::{Dropped, dropped, hidden, roots};
pub use board::{Feed, Password, Then, Until};
pub use check::{Checked, check_alone};
pub use chores::Chores;
pub use conduct::Watcher;
pub use handle::{Handle, Watch};
pub use inlet::Fed;
pub use job::{Job, Yielded, Yields};
pub use jobs::{Jobs, Leave, Listed, Shown, Typed};
pub use open::{Setup, Spares, Stays};
pub use redact::redact_stream;
pub use registry::{Notice, Scope};
pub use replay::{Judged, Replay};
pub use retain::Forgotten;
pub use shelf::Shelf;
pub use state::Directory;

/// One request in, one true reply out. Cheap to clone; clones are one engine.
#[derive(Debug, Clone)]
pub struct Engine {
    hall: Arc<Hall>,
}

/// What the rooms need of each other. The housekeeper comes first: it is dropped first, and has
/// done everything when the yard goes.
#[derive(Debug)]
struct Hall {
    housekeeper: Housekeeper,
    yard: Arc<Yard>,
    policy: Policy,
    host: Host,
    environment: Vec<(Bytes, Bytes)>,
    /// What the policy passes on of it, and what a command then gets in all.
    passed: Passed,
    inherited: Vec<(Bytes, Bytes)>,
    redactor: Redactor,
    ledger: Arc<Ledger>,
    policy_paper: Arc<PolicyPaper>,
    retention: Arc<Retention>,
    /// What happened at the start that every reply's reader should know.
    told: Vec<String>,
    registry: Arc<Registry>,
    desk: Mutex<Option<Desk>>,
    stays: Stays,
    /// The sites of the last requests, the latest one behind.
    sites: Mutex<Vec<Arc<Site>>>,
}

impl Engine {
    /// An engine with this user's state directory and this process's environment.
    pub fn new(keeper: Keeper, policy: Policy) -> Result<Engine, Error> {
        let setup = Setup::of_this_process(keeper, policy)?;
        Engine::open(Setup { spares: Spares::Kept, chores: Chores::Beside, ..setup })
    }

    /// An engine in a place of the caller's choice.
    pub fn open(setup: Setup) -> Result<Engine, Error> {
        Ok(Engine { hall: Arc::new(Hall::open(setup)?) })
    }

    /// The same, whose replies have these placeholders for secrets.
    pub fn open_labelled(setup: Setup, label: Label) -> Result<Engine, Error> {
        let mut hall = Hall::open(setup)?;
        hall.redactor = hall.redactor.labelled(label);
        Ok(Engine { hall: Arc::new(hall) })
    }

    /// Runs a request on the calling thread, to the end of its whole tree.
    pub fn run(&self, request: &Request, cancel: &Cancel) -> Result<Reply, Error> {
        self.run_watched(request, cancel, &mut Unwatched)
    }

    /// Runs a request and shows its output while it comes, redacted.
    pub fn run_watched(
        &self,
        request: &Request,
        cancel: &Cancel,
        watcher: &mut dyn Watcher,
    ) -> Result<Reply, Error> {
        match self.hall.admit(request)? {
            admit::Admission::Refused(reply) => Ok(*reply),
            admit::Admission::Granted(admitted) => {
                let known = basin::Known::default();
                let reply = self.hall.conduct(*admitted, cancel, watcher, known);
                self.hall.refill();
                reply
            }
        }
    }

    /// Starts a request in a thread of its own. Dropping the job stops it.
    pub fn start(&self, request: &Request, cancel: Cancel) -> Result<Job, Error> {
        Job::start(self.clone(), request, cancel)
    }

    /// Starts a request that other processes of this user can find before anything of it runs.
    pub fn start_findable(&self, request: &Request, cancel: Cancel) -> Result<Job, Error> {
        Job::start_findable(self.clone(), request, cancel)
    }

    /// Runs a request; one that is not over after its yield time goes on in the background, and
    /// from then on the policy's `jobs.lease` holds: it ends when nobody asks about it for so long.
    pub fn run_or_yield(
        &self,
        request: &Request,
        cancel: &Cancel,
        yields: Yields,
    ) -> Result<Yielded, Error> {
        Job::run_or_yield(self.clone(), request, cancel, yields)
    }

    /// The time after which a call yields; nothing where it never does.
    pub fn yields_after(&self, yields: Yields) -> Option<std::time::Duration> {
        match yields {
            Yields::After(time) => Some(time),
            Yields::Policy => self.policy().limits().yield_after.bound(),
        }
    }

    /// How long a job that yielded lives without being asked about; nothing where it is not ended
    /// for that.
    pub fn lease(&self) -> Option<std::time::Duration> {
        self.policy().jobs().lease.bound()
    }

    /// All jobs of this engine that may be seen, oldest first.
    pub fn jobs(&self, scope: &Scope) -> Vec<Handle> {
        self.hall.registry.list(scope).into_iter().map(Handle::new).collect()
    }

    /// One job of this engine. Another session's does not exist.
    pub fn job(&self, scope: &Scope, id: &str) -> Result<Handle, Error> {
        self.hall.registry.find(scope, id).map(Handle::new)
    }

    /// Stops every job of a session and tells of each; then its temporary files and the state of
    /// its shell go.
    pub fn end_session(&self, session: &str, tell: &mut dyn FnMut(Notice)) -> Result<(), Error> {
        self.hall.registry.end_session(session, tell);
        self.state().forget_session(session).map_err(Error::Run)
    }

    /// Stays until every job of this engine is over, without asking about any, so that leases go
    /// on meanwhile. A signal stops them.
    pub fn stay(&self, cancel: &Cancel) -> Result<(), Error> {
        self.hall.registry.stay(cancel)
    }

    /// Takes leave of visitors: no new ones, and those that are being answered get this long.
    pub fn close_desk(&self, patience: std::time::Duration) {
        self.hall.close_desk(patience);
    }

    /// The verdict alone; nothing runs and nothing is recorded.
    pub fn check(&self, request: &Request) -> Result<(Judgement, Scene), Error> {
        request.check().map_err(Error::Request)?;
        Ok(self.hall.judge(request))
    }

    /// The whole output of a job, as far as it is decided what of it is secret.
    pub fn output(&self, id: &str) -> Result<Reading, Error> {
        self.hall.shelf().job(id)
    }

    /// Records a call that starts nothing.
    pub fn record_visit(&self, caller: &Caller, visit: &Visit<'_>) -> Result<(), Error> {
        let line = entries::visit(caller, visit, &self.hall.redactor);
        self.hall.ledger.append(&line).map(drop).map_err(Error::Record)
    }

    /// The jobs of this user as far as the scope sees them, also those of other engines.
    pub fn all_jobs(&self, scope: Scope) -> Jobs {
        Jobs::beside(self.hall.shelf(), scope)
    }

    /// The keeper's process, where it is not this one.
    pub fn keeper_pid(&self) -> Option<u32> {
        self.hall.yard.keeper.pid()
    }

    /// Takes away what the policy's retention and quota no longer hold.
    pub fn tidy_up(&self) -> Result<(), Error> {
        self.hall.retention.tidy_up()
    }

    /// The machine, as the commands of this engine meet it.
    pub fn host(&self) -> &Host {
        &self.hall.host
    }

    /// The policy that holds.
    pub fn policy(&self) -> &Policy {
        &self.hall.policy
    }

    /// Where the state lies.
    pub fn state(&self) -> &StateDir {
        &self.hall.yard.state
    }
}

/// A call that starts nothing, for the ledger: a question about a job, or one without sense.
#[derive(Debug, Clone, Copy, Default)]
pub struct Visit<'a> {
    /// What was asked: `status`, `wait`, `faulty`.
    pub kind: &'static str,
    /// The job, as the caller names it.
    pub id: &'a str,
    /// The job's command.
    pub command: Option<&'a str>,
    /// Where it runs.
    pub cwd: Option<&'a str>,
    /// How it ended, where it has.
    pub exit_code: Option<i64>,
    /// Why the call failed, where it did.
    pub error: Option<&'a str>,
}

/// For runs that nobody watches.
struct Unwatched;

impl Watcher for Unwatched {}
