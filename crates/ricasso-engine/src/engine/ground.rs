//! What a cage stands on: the machine's powers, the session's places.

use super::Hall;
use crate::error::Error;
use crate::plan::{Ground, Site};
use crate::policy::{Mode, Policy, Reach};
use crate::request::Request;
use ricasso_os::{Host, Keeper, Namespaces, Network, Powers, Probe};
use std::path::{Path, PathBuf};
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

impl Hall {
    /// What the plan of a request is drawn on.
    pub(super) fn ground<'a>(&'a self, session_tmp: Option<&'a Path>) -> Ground<'a> {
        Ground {
            host: &self.host,
            environment: &self.environment,
            passed: &self.passed,
            state: self.yard.state.root(),
            session_tmp,
        }
    }

    /// The site of a request: that of one before, where it serves.
    pub(super) fn site(&self, request: &Request, ground: &Ground<'_>) -> Arc<Site> {
        // It is whole between any two statements, so a panic elsewhere spoils nothing.
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(site) = sites.iter().rev().find(|site| site.serves(request, ground)) {
            return Arc::clone(site);
        }
        let site = Arc::new(Site::of(&self.policy, request, ground));
        if site.serves(request, ground) {
            if sites.len() == MOST_SITES {
                sites.remove(0);
            }
            sites.push(Arc::clone(&site));
        }
        site
    }

    /// The session's own temporary directory, made where it is missing. Mode open needs none.
    pub(super) fn session_tmp(&self, request: &Request) -> Result<Option<PathBuf>, Error> {
        match self.policy.mode() {
            Mode::Open => Ok(None),
            Mode::Read | Mode::Workspace => {
                let made = self.yard.state.session_tmp(&request.caller.session);
                made.map(Some).map_err(Error::Run)
            }
        }
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
