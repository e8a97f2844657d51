//! What the kernel must enforce, or a refusal: drawn from a grant, and only from one.
//!
//! Pure: the machine and ricasso's own environment come in as values, no clock and no file is
//! looked at. A plan that cannot be enforced is not drawn, unless the policy says which part may
//! be missing.

mod cage;
mod env;
mod fit;
mod limits;
mod start;

use crate::policy::{Grant, Policy, Reason};
use crate::request::{Bytes, Request};
use ricasso_os::Host;

pub use cage::Cage;
pub use fit::{Enforced, Fit};
pub use limits::{Allowance, Deadline};
pub use start::Start;

/// What will be done, and what holds it. Without a [`Grant`] there is none.
#[derive(Debug)]
#[must_use]
pub struct Plan {
    cage: Cage,
    fit: Fit,
    starts: Vec<Start>,
    allowance: Allowance,
}

/// Why no plan could be drawn.
#[derive(Debug)]
#[must_use]
pub struct Undrawn {
    /// In the layer `plan`.
    pub reason: Reason,
    /// What would have been enforced, with what is missing.
    pub enforced: Enforced,
    /// Whether the machine lacks a program, or cannot confine.
    pub lack: Lack,
}

/// What the machine lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// A part of the cage.
    Confinement,
    /// The shell that was asked for.
    Shell,
    /// The grant is for another request.
    Grant,
}

/// Draws the plan of a granted request.
pub fn draw(
    grant: Grant,
    request: &Request,
    policy: &Policy,
    host: &Host,
    environment: &[(Bytes, Bytes)],
) -> Result<Plan, Box<Undrawn>> {
    let cage = Cage::of(policy);
    let fit = fit::of(&cage, policy, host);
    let undrawn =
        |lack, reason| Box::new(Undrawn { reason, enforced: fit.enforced().clone(), lack });
    if !grant.is_for(request) {
        return Err(undrawn(Lack::Grant, fit::foreign_grant()));
    }
    if let Some(reason) = fit.refusal(policy) {
        return Err(undrawn(Lack::Confinement, reason));
    }
    let variables = env::of(policy, request, environment);
    let starts = start::of(request, policy, host, &variables)
        .map_err(|reason| undrawn(Lack::Shell, reason))?;
    Ok(Plan { cage, fit, starts, allowance: Allowance::of(request, policy) })
}

impl Plan {
    /// The walls.
    pub fn cage(&self) -> &Cage {
        &self.cage
    }

    /// What of them really stands.
    pub fn fit(&self) -> &Fit {
        &self.fit
    }

    /// The commands, in sequence.
    pub fn starts(&self) -> &[Start] {
        &self.starts
    }

    /// Time and resources.
    pub fn allowance(&self) -> &Allowance {
        &self.allowance
    }
}
