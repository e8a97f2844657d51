//! The walls that a policy asks for: the part of a plan that does not depend on the command.

use crate::policy::{Mode, Policy, Reach};
use serde::Serialize;

/// What must be held by the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cage {
    /// How much of a cage there is.
    pub mode: Mode,
    /// How far the network reaches.
    pub net: Reach,
    /// Whether only listed programs may start.
    pub listed_programs: bool,
}

impl Cage {
    /// The cage of a policy. Mode `open` lifts files, programs and net.
    pub(super) fn of(policy: &Policy) -> Cage {
        let mode = policy.mode();
        match mode {
            Mode::Open => Cage { mode, net: Reach::Open, listed_programs: false },
            Mode::Read | Mode::Workspace => Cage {
                mode,
                net: policy.net().allow,
                listed_programs: policy.programs().allow.list().is_some(),
            },
        }
    }

    /// Whether files are confined at all.
    pub(super) fn confines_files(&self) -> bool {
        match self.mode {
            Mode::Open => false,
            Mode::Read | Mode::Workspace => true,
        }
    }
}
