//! What a cage stands on: the machine's powers, the session's places.

use super::Hall;
use crate::error::Error;
use crate::plan::{Ground, Site};
use crate::policy::{Mode, Policy, Reach};
use crate::request::{Request, Step};
use ricasso_os::{Host, Keeper, Namespaces, Network, Powers, Probe};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

/// Sessions and workspaces whose site is kept.
const MOST_SITES: usize = 4;

/// The machine as the jobs of this policy meet it. Mode open asks for nothing of a cage, and pays
/// for no probe.
pub(super) fn host(keeper: &Keeper, policy: &Policy, given: Option<Powers>) -> Result<Host, Error> {
    let mut host = Host::probe();
    let probe = match (policy.mode(), policy.net().allow) {
        (Mode::Open, _) => return Ok(host),
        (Mode::Read | Mode::Workspace, Reach::Loopback | Reach::None) => Probe::Everything,
        (Mode::Read | Mode::Workspace, Reach::Open) => Probe::WithoutNetwork,
    };
    host.powers = match given {
        Some(powers) => powers,
        None => keeper.powers(probe).map_err(Error::Os)?,
    };
    Ok(host)
}

/// The network that the first job's warden is made for, as far as it is known.
pub(super) fn first_network(policy: &Policy) -> Network {
    match policy.mode() {
        Mode::Open => Network::Free,
        Mode::Read | Mode::Workspace => Network::Any,
    }
}

/// The keeper, who may know that every command of this policy is in a cage.
pub(super) fn keeper(keeper: Keeper, policy: &Policy) -> Keeper {
    match policy.mode() {
        Mode::Open => keeper,
        Mode::Read | Mode::Workspace => keeper.for_cages_only(),
    }
}

/// The directories of a session.
#[derive(Default)]
pub(super) struct Places {
    /// What its commands write to.
    tmp: Option<PathBuf>,
    /// Where its scripts lie, where there are some.
    scripts: Option<PathBuf>,
}

impl Hall {
    /// What the plan of a request is drawn on.
    pub(super) fn ground<'a>(&'a self, places: &'a Places) -> Ground<'a> {
        Ground {
            host: &self.host,
            environment: &self.environment,
            passed: &self.passed,
            state: self.yard.state.root(),
            session_tmp: places.tmp.as_deref(),
            scripts: places.scripts.as_deref(),
        }
    }

    /// The site of a request: that of one before, where it serves.
    pub(super) fn site(&self, request: &Request, ground: &Ground<'_>) -> Arc<Site> {
        // It is whole between any two statements, so a panic elsewhere spoils nothing.
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(site) = sites.iter().rev().find(|site| site.serves(request, ground)) {
            return Arc::clone(site);
        }
        let mut site = Site::of(&self.policy, request, ground);
        site.narrow(ricasso_os::Cage::narrow_roots);
        let site = Arc::new(site);
        if site.serves(request, ground) {
            if sites.len() == MOST_SITES {
                sites.remove(0);
            }
            sites.push(Arc::clone(&site));
        }
        site
    }

    /// The session's own directories, made where they are missing. Mode open needs none.
    pub(super) fn places(&self, request: &Request) -> Result<Places, Error> {
        let (state, session) = (&self.yard.state, &request.caller.session);
        match self.policy.mode() {
            Mode::Open => return Ok(Places::default()),
            Mode::Read | Mode::Workspace => {}
        }
        let is_script = |step: &Step| match step {
            Step::Script { .. } => true,
            Step::Argv(_) | Step::Shell(_) => false,
        };
        let has_scripts = request.steps.iter().any(is_script);
        let scripts =
            has_scripts.then(|| state.scripts(session)).transpose().map_err(Error::Run)?;
        Ok(Places { tmp: Some(state.session_tmp(session).map_err(Error::Run)?), scripts })
    }

    /// The network that the job's warden is made for.
    pub(super) fn network_of(&self, request: &Request) -> Network {
        let own = match (self.policy.mode(), self.policy.net().allow) {
            (Mode::Open, _) => return Network::Free,
            (Mode::Read | Mode::Workspace, Reach::Loopback | Reach::None) => self.host.powers.netns,
            (Mode::Read | Mode::Workspace, Reach::Open) => false,
        };
        let spaces = self.host.powers.namespaces;
        match spaces {
            Namespaces::User | Namespaces::Root if own => {
                Network::Of { session: request.caller.session.clone(), spaces }
            }
            Namespaces::None | Namespaces::User | Namespaces::Root => Network::Any,
        }
    }
}
