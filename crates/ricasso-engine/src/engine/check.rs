//! The verdict alone, for doors that run nothing: no keeper, no ledger, no state.

use super::{answer, open};
use crate::capture::Redactor;
use crate::error::Error;
use crate::plan::{self, Passed};
use crate::policy::{self, Policy};
use crate::reply::Reason;
use crate::request::{Bytes, Request};
use crate::scene::Live;
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

/// Judges a request and does nothing else.
pub fn check_alone(request: &Request, policy: &Policy) -> Result<Checked, Error> {
    request.check().map_err(Error::Request)?;
    let mut environment: Vec<(Bytes, Bytes)> =
        std::env::vars_os().map(|(name, value)| (name.into(), value.into())).collect();
    let inherited = plan::inherited(policy, &Passed::of(policy, &environment));
    environment.extend(request.env.iter().cloned());
    let redactor = Redactor::new(&open::secrets(policy, &environment)).map_err(Error::Capture)?;
    let look = Live::new([inherited.as_slice(), request.env.as_slice()]);
    let judgement = policy::judge(request, policy, &look);
    Ok(Checked {
        verdict: judgement.verdict.name(),
        rule: judgement.reasons.first().map(|reason| reason.rule.clone()),
        reasons: answer::reasons(&judgement.reasons, request, &redactor),
    })
}
