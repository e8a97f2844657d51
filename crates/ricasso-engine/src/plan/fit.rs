//! Asked and enforced, told apart.

use super::cage::Cage;
use super::walls::{self, Offer};
use crate::policy::{Mode, Partial, Policy, Reach, Reason, ReasonLayer};
use ricasso_os::{Host, NarrowedRoot};
use serde::Serialize;
use std::path::Path;

/// Why processes can neither be ended nor counted.
const NO_PROC: &str = "there is no /proc";
/// The word for a part that the policy does not ask for.
const NONE: &str = "none";
/// The word for a writable root that is read-only here.
const READ_ONLY_ROOT: &str = "files.write";

/// How much of what the policy asks for is enforced.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Fit {
    /// All of it.
    Full(Enforced),
    /// All but what `missing` names; and for each of these why.
    Partial(Enforced, Vec<String>),
}

/// What is enforced, part by part, each with its mechanism. It stands in every reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Enforced {
    /// The policy's mode.
    pub mode: Mode,
    /// How files are confined.
    pub files: String,
    /// How the program list is held.
    pub programs: String,
    /// How the network is confined.
    pub net: String,
    /// How the whole tree is ended.
    pub kill: String,
    /// How limits are held.
    pub limits: String,
    /// What the policy asks for and this host cannot do.
    pub missing: Vec<&'static str>,
    /// Where this host gives the command less than the policy grants.
    pub stricter: Vec<String>,
}

impl Enforced {
    /// For a request that never came to a plan: nothing ran, so nothing was enforced.
    pub fn nothing(mode: Mode) -> Enforced {
        Enforced {
            mode,
            files: NONE.into(),
            programs: NONE.into(),
            net: NONE.into(),
            kill: NONE.into(),
            limits: NONE.into(),
            missing: Vec::new(),
            stricter: Vec::new(),
        }
    }
}

impl Fit {
    /// What is enforced.
    pub fn enforced(&self) -> &Enforced {
        match self {
            Fit::Full(enforced) | Fit::Partial(enforced, _) => enforced,
        }
    }

    /// Tells of a writable root of which less is granted. That is no lack of confinement.
    pub(super) fn narrow(&mut self, root: &NarrowedRoot) {
        let (Fit::Full(enforced) | Fit::Partial(enforced, _)) = self;
        let path = root.path.display();
        enforced.stricter.push(if root.read_only {
            format!(
                "files: {path} is read-only: it holds hidden places and too many entries to grant \
                 them one by one, which is needed without mount namespaces"
            )
        } else {
            format!(
                "files: only what is there in {path} can be written, and no entry beside a hidden \
                 place is made, renamed or removed without mount namespaces"
            )
        });
        if root.read_only && !enforced.missing.contains(&READ_ONLY_ROOT) {
            enforced.missing.push(READ_ONLY_ROOT);
        }
    }

    /// Why this fit is not good enough for the policy, if it is not.
    pub(super) fn refusal(&self, policy: &Policy) -> Option<Reason> {
        let Fit::Partial(enforced, why) = self else { return None };
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
            message: format!(
                "mode {mode} cannot be enforced here: {parts} missing; {}",
                why.join("; ")
            ),
            remedy: remedy(policy, &lacking),
        })
    }
}

/// What helps where parts are lacking: a contract's keys decide alone, and know none of the flags.
fn remedy(policy: &Policy, lacking: &[&str]) -> String {
    let doctor = "`ricasso doctor` says what this machine lacks and how to allow it";
    if policy.follows_a_dialect() {
        return format!("{doctor}; the keys of the dialect decide the mode");
    }
    format!(
        "run with --mode open, which confines nothing and says so, or let the policy name what \
         may be missing: partial = {}; {doctor}",
        list(lacking)
    )
}

/// Why a grant is not followed that a command could have turned.
pub fn turned_grant(path: &Path) -> Reason {
    Reason {
        rule: "files.grant".into(),
        layer: ReasonLayer::Plan,
        span: None,
        step: 0,
        message: format!(
            "the policy grants {}, which leads out of a writable root by a link that any command \
             can turn",
            path.display()
        ),
        remedy: "let the policy name the place that is meant, or make a directory of the link"
            .into(),
    }
}

/// Why nobody writes to the kernel.
pub fn kernels_grant(path: &Path) -> Reason {
    Reason {
        rule: "files.write".into(),
        layer: ReasonLayer::Plan,
        span: None,
        step: 0,
        message: format!(
            "{} is no place for files: what is written there changes the kernel, its devices or \
             other processes",
            path.display()
        ),
        remedy: "run in another directory, or name one with --root; a person may use --mode open"
            .into(),
    }
}

/// The fit of a cage on a host.
pub(super) fn of(cage: &Cage, policy: &Policy, host: &Host) -> Fit {
    let mut missing = Vec::new();
    let mut why = Vec::new();
    let mut part = |name: &'static str, asked: bool, offered: Offer| {
        if !asked {
            return NONE.to_string();
        }
        offered.unwrap_or_else(|reason| {
            missing.push(name);
            if !why.contains(&reason) {
                why.push(reason);
            }
            NONE.to_string()
        })
    };
    let fixed = |offered: Option<String>| offered.ok_or(NO_PROC.to_string());
    let enforced = Enforced {
        mode: cage.mode,
        files: part("files", cage.confines_files(), walls::files(cage, host)),
        programs: part("programs", cage.listed_programs, walls::programs(cage, host)),
        net: part("net", cage.net != Reach::Open, walls::net(cage, host)),
        kill: part("kill", true, fixed(walls::kill(cage, host))),
        limits: part("limits", super::limits::asks(policy), fixed(walls::limits(cage, host))),
        missing: Vec::new(),
        stricter: walls::stricter(cage, host),
    };
    let enforced = Enforced { missing, ..enforced };
    if why.is_empty() { Fit::Full(enforced) } else { Fit::Partial(enforced, why) }
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
