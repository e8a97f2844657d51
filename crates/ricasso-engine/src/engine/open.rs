//! Opening the house: the state directory, the ledger, the owner's file; and closing what a dead
//! owner left open.

use super::chores::{Chore, Chores, Housekeeper};
use super::paper::PolicyPaper;
use super::retain::Retention;
use super::yard::Yard;
use super::{Hall, ground};
use crate::capture::{Redactor, Secrets};
use crate::error::Error;
use crate::plan::{self, Passed};
use crate::policy::Policy;
use crate::record::Ledger;
use crate::request::Bytes;
use crate::run::{Owner, StateDir};
use ricasso_os::{Keeper, Powers};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A value this short would redact every other word.
const SHORTEST_SECRET: usize = 6;

/// What an engine is made of.
#[derive(Debug)]
pub struct Setup {
    /// Makes the wardens.
    pub keeper: Keeper,
    /// What may run, and with what rights.
    pub policy: Policy,
    /// Where state is kept.
    pub state: StateDir,
    /// What the policy's `env.pass` picks from.
    pub environment: Vec<(Bytes, Bytes)>,
    /// Whether wardens wait for the next request.
    pub spares: Spares,
    /// Who does what nobody waits for.
    pub chores: Chores,
    /// What the door wants every reply's reader to know.
    pub told: Vec<String>,
    /// What cages are built from; nothing for what the machine has. A weaker value makes weaker
    /// cages or refusals, never anything else.
    pub powers: Option<Powers>,
    /// How long the owner stays.
    pub stays: Stays,
}

/// How long the owner of jobs stays, which decides whether it can adopt what a command leaves
/// running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stays {
    /// As long as its jobs.
    WithItsJobs,
    /// Until it has answered: what a command leaves running is stopped, whatever the policy says.
    ForOneCall,
}

/// Whether wardens are made ahead of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spares {
    /// They are, and each run starts faster. For programs that run more than one command.
    Kept,
    /// Each is made when it is needed.
    None,
}

impl Setup {
    /// This user's state directory and this process's environment.
    pub fn of_this_process(keeper: Keeper, policy: Policy) -> Result<Setup, Error> {
        let variable = |name: &str| std::env::var_os(name).map(Into::into);
        let state = StateDir::find(&variable).map_err(Error::Run)?;
        let environment =
            std::env::vars_os().map(|(name, value)| (name.into(), value.into())).collect();
        Ok(Setup::with(keeper, policy, state, environment))
    }

    /// State in this directory, which is made where it is missing, and this environment.
    pub fn in_directory(
        keeper: Keeper,
        policy: Policy,
        state: &Path,
        environment: Vec<(Bytes, Bytes)>,
    ) -> Result<Setup, Error> {
        let state = StateDir::at(state).map_err(Error::Run)?;
        Ok(Setup::with(keeper, policy, state, environment))
    }

    fn with(
        keeper: Keeper,
        policy: Policy,
        state: StateDir,
        environment: Vec<(Bytes, Bytes)>,
    ) -> Setup {
        Setup {
            keeper,
            policy,
            state,
            environment,
            spares: Spares::None,
            chores: Chores::Inline,
            told: Vec::new(),
            powers: None,
            stays: Stays::WithItsJobs,
        }
    }
}

impl Hall {
    pub(super) fn open(setup: Setup) -> Result<Hall, Error> {
        let Setup { keeper, policy, state, environment, spares, chores, mut told, powers, stays } =
            setup;
        let host = ground::host(&keeper, &policy, powers)?;
        let passed = Passed::of(&policy, &environment);
        let redactor = Redactor::new(&secrets(&policy, &environment)).map_err(Error::Capture)?;
        let ledger =
            Ledger::open(&state.ledger(), policy.record().durability).map_err(Error::Record)?;
        let owner = Owner::claim(&state).map_err(Error::Run)?;
        told.extend(state.told().map(str::to_string));
        let ledger = Arc::new(ledger);
        let retention = Arc::new(Retention::of(&policy, &state, &ledger));
        let policy_paper = Arc::new(PolicyPaper::of(&policy));
        let (keeper, network) = (ground::keeper(keeper, &policy), ground::first_network(&policy));
        let yard = Arc::new(Yard::new(keeper, owner, state, (spares, network)));
        let housekeeper = Housekeeper::new(Arc::clone(&yard), chores);
        let hall = Hall {
            housekeeper,
            yard,
            inherited: plan::inherited(&policy, &passed),
            policy,
            host,
            environment,
            passed,
            redactor,
            ledger,
            policy_paper,
            retention,
            told,
            registry: Arc::default(),
            desk: Mutex::default(),
            stays,
            sites: Mutex::default(),
        };
        super::lost::close_lost(&hall.yard.state, &hall.ledger, hall.yard.owner.id().as_str())?;
        hall.refill();
        Ok(hall)
    }

    /// Gets ready for the next request. Without it the next run is slower, and nothing else.
    pub(super) fn refill(&self) {
        if self.housekeeper.is_beside() {
            drop(self.housekeeper.later(Chore::Refill));
            drop(self.housekeeper.has(Chore::TidyUp(Arc::clone(&self.retention))));
        }
    }
}

/// The values of variables whose names the policy calls secret.
pub(super) fn secrets(policy: &Policy, environment: &[(Bytes, Bytes)]) -> Secrets {
    let secret = |name: &Bytes| policy.redact().hides(name.as_slice());
    let values = environment
        .iter()
        .filter(|(name, value)| value.as_slice().len() >= SHORTEST_SECRET && secret(name))
        .map(|(name, value)| {
            (String::from_utf8_lossy(name.as_slice()).into_owned(), value.as_slice().to_vec())
        })
        .collect();
    let patterns = policy.redact().patterns.iter().map(|text| text.as_str().to_string()).collect();
    Secrets { values, patterns }
}
