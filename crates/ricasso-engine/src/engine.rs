//! The hallway: leads a request through the rooms and brings the reply back. It never decides.
//!
//! There is one gate. Every request, whatever its door and mode, is judged, planned, recorded and
//! redacted here, in this order; the opening entry is on disk before the child exists.

mod admit;
mod answer;
mod check;
mod chores;
mod close;
mod conduct;
mod entries;
mod ground;
mod job;
mod later;
mod open;
mod paper;
mod replay;
mod retain;
mod shelf;
mod start_failure;
mod yard;

use crate::capture::Redactor;
use crate::error::Error;
use crate::policy::{Judgement, Policy};
use crate::record::Ledger;
use crate::reply::Reply;
use crate::request::{Bytes, Request};
use crate::run::StateDir;
use crate::scene::Scene;
use chores::Housekeeper;
use paper::PolicyPaper;
use retain::Retention;
use ricasso_os::{Cancel, Host, Keeper};
use std::sync::Arc;
use yard::Yard;

pub use check::{Checked, check_alone};
pub use chores::Chores;
pub use conduct::Watcher;
pub use job::Job;
pub use open::{Setup, Spares};
pub use replay::{Judged, Replay};
pub use retain::Forgotten;
pub use shelf::Shelf;

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
    redactor: Redactor,
    ledger: Arc<Ledger>,
    policy_paper: Arc<PolicyPaper>,
    retention: Arc<Retention>,
    /// What happened at the start that every reply's reader should know.
    told: Vec<String>,
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
                let reply = self.hall.conduct(*admitted, cancel, watcher);
                self.hall.refill();
                reply
            }
        }
    }

    /// Starts a request in a thread of its own. Dropping the job stops it.
    pub fn start(&self, request: &Request, cancel: Cancel) -> Result<Job, Error> {
        Job::start(self.clone(), request, cancel)
    }

    /// The verdict alone; nothing runs and nothing is recorded.
    pub fn check(&self, request: &Request) -> Result<(Judgement, Scene), Error> {
        request.check().map_err(Error::Request)?;
        Ok(self.hall.judge(request))
    }

    /// The keeper's process, where it is not this one.
    pub fn keeper_pid(&self) -> Option<u32> {
        self.hall.yard.keeper.pid()
    }

    /// Takes away what the policy's retention and quota no longer hold.
    pub fn tidy_up(&self) -> Result<(), Error> {
        self.hall.retention.tidy_up()
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

/// For runs that nobody watches.
struct Unwatched;

impl Watcher for Unwatched {}
