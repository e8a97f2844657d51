//! Asked and enforced, told apart.

use super::cage::Cage;
use crate::policy::{Mode, Partial, Policy, Reach, Reason, ReasonLayer};
use ricasso_os::Host;
use serde::Serialize;

/// The word for a part that the policy does not ask for.
const NONE: &str = "none";

/// How much of what the policy asks for is enforced.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Fit {
    /// All of it.
    Full(Enforced),
    /// All but what `missing` names.
    Partial(Enforced),
}

/// What is enforced, part by part, each with its mechanism. It stands in every reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Enforced {
    /// The policy's mode.
    pub mode: Mode,
    /// How files are confined.
    pub files: &'static str,
    /// How the program list is held.
    pub programs: &'static str,
    /// How the network is confined.
    pub net: &'static str,
    /// How the whole tree is ended.
    pub kill: &'static str,
    /// How limits are held.
    pub limits: &'static str,
    /// What the policy asks for and this host cannot do.
    pub missing: Vec<&'static str>,
}

impl Enforced {
    /// For a request that never came to a plan: nothing ran, so nothing was enforced.
    pub fn nothing(mode: Mode) -> Enforced {
        Enforced {
            mode,
            files: NONE,
            programs: NONE,
            net: NONE,
            kill: NONE,
            limits: NONE,
            missing: Vec::new(),
        }
    }
}

impl Fit {
    /// What is enforced.
    pub fn enforced(&self) -> &Enforced {
        match self {
            Fit::Full(enforced) | Fit::Partial(enforced) => enforced,
        }
    }

    /// Why this fit is not good enough for the policy, if it is not.
    pub(super) fn refusal(&self, policy: &Policy) -> Option<Reason> {
        let Fit::Partial(enforced) = self else { return None };
        let lacking: Vec<&str> = enforced
            .missing
            .iter()
            .copied()
            .filter(|part| !may_be_missing(policy.partial(), part))
            .collect();
        if lacking.is_empty() {
            return None;
        }
        let parts = lacking.join(", ");
        let mode = enforced.mode.name();
        Some(Reason {
            rule: "not-enforceable".into(),
            layer: ReasonLayer::Plan,
            span: None,
            step: 0,
            message: format!("mode {mode} cannot be enforced by this version: {parts} missing"),
            remedy: format!(
                "run with --mode open, which confines nothing and says so, or let the policy \
                 name what may be missing: partial = {}",
                list(&lacking)
            ),
        })
    }
}

/// The fit of a cage on a host.
pub(super) fn of(cage: &Cage, policy: &Policy, host: &Host) -> Fit {
    let mut missing = Vec::new();
    let mut part = |name: &'static str, asked: bool, offered: Option<&'static str>| {
        if !asked {
            return NONE;
        }
        offered.unwrap_or_else(|| {
            missing.push(name);
            NONE
        })
    };
    let enforced = Enforced {
        mode: cage.mode,
        files: part("files", cage.confines_files(), host.files),
        programs: part("programs", cage.listed_programs, host.programs),
        net: part("net", cage.net != Reach::Open, host.net),
        kill: part("kill", true, host.kill),
        limits: part("limits", super::limits::asks(policy), host.limits),
        missing: Vec::new(),
    };
    let enforced = Enforced { missing, ..enforced };
    if enforced.missing.is_empty() { Fit::Full(enforced) } else { Fit::Partial(enforced) }
}

/// A grant is for one request and no other.
pub(super) fn foreign_grant() -> Reason {
    Reason {
        rule: "foreign-grant".into(),
        layer: ReasonLayer::Plan,
        span: None,
        step: 0,
        message: "the grant was given for another request".into(),
        remedy: "judge this request and use its own grant".into(),
    }
}

fn may_be_missing(partial: &Partial, part: &str) -> bool {
    match partial {
        Partial::Refuse => false,
        Partial::May(names) => names.iter().any(|name| name == part),
    }
}

fn list(parts: &[&str]) -> String {
    let quoted: Vec<String> = parts.iter().map(|part| format!("{part:?}")).collect();
    format!("[{}]", quoted.join(", "))
}
