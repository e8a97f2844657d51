//! Reading back what jobs left, and forgetting it, without an engine: no keeper is needed to look
//! at a shelf.

use super::retain::{self, Because, Forgotten};
use super::{Hall, open};
use crate::capture::{Label, Owner, Reading, Redactor};
use crate::error::Error;
use crate::policy::Policy;
use crate::record::{self, Anchor, Anchors, Entries, Ledger, Verified};
use crate::request::{Bytes, Request};
use crate::run::{JobId, Orphan, StateDir};
use serde::Deserialize;
use std::time::Duration;

/// A check reads this many replies at most, the newest ones: some seconds of work.
const MOST_REPLIES: usize = 20_000;

/// The kept output of all jobs of this user.
#[derive(Debug)]
pub struct Shelf {
    state: StateDir,
    policy: Policy,
    environment: Vec<(Bytes, Bytes)>,
    label: Label,
}

impl Hall {
    /// The shelf beside this engine.
    pub(super) fn shelf(&self) -> Shelf {
        Shelf {
            state: self.yard.state.clone(),
            policy: self.policy.clone(),
            environment: self.environment.clone(),
            label: self.redactor.label(),
        }
    }
}

impl Shelf {
    /// The shelf of this process's user.
    pub fn of_this_process(policy: Policy) -> Result<Shelf, Error> {
        let variable = |name: &str| std::env::var_os(name).map(Into::into);
        let state = StateDir::find(&variable).map_err(Error::Run)?;
        let environment =
            std::env::vars_os().map(|(name, value)| (name.into(), value.into())).collect();
        Ok(Shelf::at(state, policy, environment))
    }

    /// A shelf in a place of the caller's choice.
    pub fn at(state: StateDir, policy: Policy, environment: Vec<(Bytes, Bytes)>) -> Shelf {
        Shelf { state, policy, environment, label: Label::default() }
    }

    /// The same, whose texts have these placeholders for secrets.
    pub fn labelled(self, label: Label) -> Shelf {
        Shelf { label, ..self }
    }

    pub(super) fn state(&self) -> &StateDir {
        &self.state
    }

    /// All entries of the ledger, oldest first.
    pub fn entries(&self) -> Result<Entries, Error> {
        record::entries(&self.state.ledger()).map_err(Error::Record)
    }

    /// Checks the ledger against itself, against what a person kept, and against the replies that
    /// lie here.
    pub fn verify(&self, given: Vec<Anchor>) -> Result<Verified, Error> {
        // The replies first: their entries are older than they are.
        let anchors = Anchors { given, kept: self.kept_anchors() };
        record::verify(&self.state.ledger(), &anchors).map_err(Error::Record)
    }

    /// Removes what lies beside a finished job. The ledger keeps its entries.
    pub fn forget(&self, id: &str) -> Result<Forgotten, Error> {
        let missing = || Error::NoJob { id: id.to_string() };
        let job = JobId::parse(id).ok_or_else(missing)?;
        if !self.state.job(&job).path().is_dir() {
            return Err(missing());
        }
        let Some(kept) = retain::closed_job(&self.state, job) else {
            return Err(Error::JobRuns { id: id.to_string() });
        };
        retain::forget(&self.state, &self.ledger()?, &[kept], Because::Asked)
    }

    /// Removes what lies beside all jobs that ended this long ago.
    pub fn forget_older_than(&self, age: Duration) -> Result<Forgotten, Error> {
        let mut jobs = retain::closed_jobs(&self.state);
        jobs.retain(|job| job.age >= age);
        retain::forget(&self.state, &self.ledger()?, &jobs, Because::Asked)
    }

    pub(super) fn ledger(&self) -> Result<Ledger, Error> {
        let durability = self.policy.record().durability;
        Ledger::open(&self.state.ledger(), durability).map_err(Error::Record)
    }

    /// What kept replies say about their entries. One that cannot be read says nothing.
    fn kept_anchors(&self) -> Vec<Anchor> {
        #[derive(Deserialize)]
        struct Kept {
            record: Option<record::Receipt>,
        }
        let mut jobs = retain::closed_jobs(&self.state);
        jobs.sort_by_key(|job| job.age);
        let jobs = jobs.into_iter().take(MOST_REPLIES);
        let replies = jobs.filter_map(|job| self.state.job(&job.id).read("reply").ok().flatten());
        let kept = replies.filter_map(|json| serde_json::from_slice::<Kept>(&json).ok()?.record);
        kept.map(|receipt| Anchor { seq: receipt.seq, hash: receipt.hash }).collect()
    }

    /// The output of one job, as far as it is decided what of it is secret.
    pub fn job(&self, id: &str) -> Result<Reading, Error> {
        let missing = || Error::NoJob { id: id.to_string() };
        let job = JobId::parse(id).ok_or_else(missing)?;
        let dir = self.state.job(&job);
        if !dir.path().is_dir() {
            return Err(missing());
        }
        let owner = match self.owner_is_gone(&job)? {
            true => Owner::Gone,
            false => Owner::Alive,
        };
        Reading::open(dir.path(), &self.redactor(&job)?, owner).map_err(Error::Capture)
    }

    /// Whether nobody answers for a job any more: its owner's file is not locked.
    pub(super) fn is_alone(&self, job: &JobId) -> Result<bool, Error> {
        Ok(!Orphan::is_open_with_a_living_owner(&self.state, job))
    }

    pub(super) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// A job with a reply is over; one without belongs to an owner that lives, or died.
    fn owner_is_gone(&self, job: &JobId) -> Result<bool, Error> {
        let dir = self.state.job(job);
        if dir.path().join("reply").exists() {
            return Ok(true);
        }
        let Some(owner) = dir.read("owner").map_err(Error::Run)? else {
            // It has only just begun, or its owner died before it wrote anything.
            return Ok(!Orphan::is_open_with_a_living_owner(&self.state, job));
        };
        let owner = std::str::from_utf8(&owner).ok().and_then(JobId::parse);
        Ok(owner.is_none_or(|owner| Orphan::is_dead(&self.state, &owner)))
    }

    /// What the caller of the job set is secret too, if its name says so.
    pub(super) fn redactor(&self, job: &JobId) -> Result<Redactor, Error> {
        let mut environment = self.environment.clone();
        let kept = self.state.job(job).read("request").map_err(Error::Run)?;
        if let Some(request) = kept.and_then(|bytes| serde_json::from_slice::<Request>(&bytes).ok())
        {
            environment.extend(request.env);
        }
        let secrets = open::secrets(&self.policy, &environment);
        let redactor = Redactor::new(&secrets).map_err(Error::Capture)?;
        Ok(redactor.labelled(self.label))
    }
}
