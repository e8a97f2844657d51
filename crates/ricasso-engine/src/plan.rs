//! What the kernel must enforce, or a refusal: drawn from a grant, and only from one.
//!
//! Pure: the machine and ricasso's own environment come in as values, no clock and no file is
//! looked at. A plan that cannot be enforced is not drawn, unless the policy says which part may
//! be missing.

mod cage;
mod env;
mod files;
mod fit;
mod limits;
mod site;
mod start;
mod walls;

use crate::policy::{Grant, Policy, Reason};
use crate::request::Request;
use std::path::PathBuf;
use std::sync::Arc;

pub use cage::{Cage, Ground, hidden, roots, variable};
pub use env::{Dropped, Passed, TEMPORARY, dropped, inherited};
pub use fit::{Enforced, Fit, kernels_grant, turned_grant};
pub use limits::{Allowance, Deadline};
pub use site::Site;
pub use start::Start;

/// What will be done, and what holds it. Without a [`Grant`] there is none.
#[derive(Debug)]
#[must_use]
pub struct Plan {
    site: Arc<Site>,
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

/// Draws the plan of a granted request at its site.
pub fn draw(
    grant: Grant,
    request: &Request,
    policy: &Policy,
    ground: &Ground<'_>,
    site: Arc<Site>,
) -> Result<Plan, Box<Undrawn>> {
    let undrawn =
        |lack, reason| Box::new(Undrawn { reason, enforced: site.fit.enforced().clone(), lack });
    if !grant.is_for(request) {
        return Err(undrawn(Lack::Grant, fit::foreign_grant()));
    }
    if let Some(reason) = site.fit.refusal(policy) {
        return Err(undrawn(Lack::Confinement, reason));
    }
    let variables = env::of(policy, request, ground.passed, &site, grant.neutralised());
    let starts = start::of(request, policy, ground.host, &variables)
        .map_err(|reason| undrawn(Lack::Shell, reason))?;
    let allowance = Allowance::of(request, policy, ground.host);
    Ok(Plan { site, starts, allowance })
}

impl Plan {
    /// The walls.
    pub fn cage(&self) -> &Cage {
        &self.site.cage
    }

    /// The walls as the machine builds them; none in mode open.
    pub fn built(&self) -> Option<&Arc<ricasso_os::Cage>> {
        self.site.built.as_ref()
    }

    /// What is hidden inside a writable root.
    pub fn hidden_in_roots(&self) -> &[PathBuf] {
        &self.site.holes
    }

    /// The walls as one number, which the record has.
    pub fn cage_digest(&self) -> &str {
        self.site.digest()
    }

    /// Writable roots of which less is granted, since they hold something hidden.
    pub fn narrowed(&self) -> &[ricasso_os::NarrowedRoot] {
        &self.site.narrowed
    }

    /// What of them really stands.
    pub fn fit(&self) -> &Fit {
        &self.site.fit
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
