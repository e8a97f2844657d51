//! The verdict alone, for doors that run nothing: no keeper, no ledger, no state.

use super::{answer, open, scratch};
use crate::capture::Redactor;
use crate::error::Error;
use crate::plan::{self, Passed};
use crate::policy::{self, Policy};
use crate::reply::Reason;
use crate::request::{Bytes, Request};
use crate::scene::Query;
use ricasso_os::{Keeper, Probe};
use serde::Serialize;

/// A verdict with its reasons, as doors hand it out.
#[derive(Debug, Serialize)]
pub struct Checked {
    /// `allow`, `ask` or `deny`.
    pub verdict: &'static str,
    /// The rule that decided.
    pub rule: Option<String>,
    /// All reasons.
    pub reasons: Vec<Reason>,
}

/// Judges a request and does nothing else. Where a verdict depends on what sandboxes can be built
/// from here, a keeper is asked; without one the machine is taken to have mount namespaces.
pub fn check_alone<'a>(
    request: &Request,
    policy: &Policy,
    keeper: impl FnOnce() -> Option<&'a Keeper>,
) -> Result<Checked, Error> {
    request.check().map_err(Error::Request)?;
    let mut environment: Vec<(Bytes, Bytes)> =
        std::env::vars_os().map(|(name, value)| (name.into(), value.into())).collect();
    let inherited = plan::inherited(policy, &Passed::of(policy, &environment));
    environment.extend(request.env.iter().cloned());
    let redactor = Redactor::new(&open::secrets(policy, &environment)).map_err(Error::Capture)?;
    let judge = |scratch| {
        let look = scratch::look(&inherited, request, scratch);
        (policy::judge(request, policy, &look), look.into_scene())
    };
    let (mut judgement, scene) = judge(None);
    if scene.facts.iter().any(|fact| fact.query == Query::Scratch)
        && let Some(powers) = keeper().and_then(|it| it.powers(Probe::WithoutNetwork).ok())
        && let Some(own) = scratch::without_mounts(policy, powers, None)
    {
        judgement = judge(Some(own)).0;
    }
    Ok(Checked {
        verdict: judgement.verdict.name(),
        rule: judgement.reasons.first().map(|reason| reason.rule.clone()),
        reasons: answer::reasons(&judgement.reasons, request, &redactor),
    })
}
